/* Planning the live layer: a clip is played, and what a game would have seen is kept.
 *
 * A clip that ends where it begins is played twice and the second time counts, as in a game that has been running;
 * another one begins without wrinkles. */
#include "layers/live/plan.h"

/* Ends nearer than this share of the size of the cloth are the same: the clip repeats. */
static const float REPEATS = 0.02f;
/* The default width over the size of the character. */
static const float DEFAULT_WIDTH = 0.005f;

void pl_live_plan_destroy(void *user)
{
    pl_live_plan *plan = user;
    if (!plan)
    {
        return;
    }
    pl_free(&plan->memory, plan->first_wrinkle);
    pl_free(&plan->memory, plan->wrinkles);
    pl_free(&plan->memory, plan->points);
    pl_arena_free(&plan->arena);
    PL_DESTROY(plan);
}

pleat_result pl_live_plan_live(const pl_live_plan *plan, const pleat_host *host, pleat_live **live, pleat_error *error)
{
    pleat_live_desc desc = pleat_live_desc_default();
    desc.vertex_count = plan->coarse->vertex_count;
    desc.triangle_count = plan->coarse->triangle_count;
    desc.triangles = plan->coarse->triangles;
    desc.mask = plan->mask;
    desc.options = plan->options;
    return pleat_live_create(&desc, host, live, error);
}

/* ---- Keeping what was seen ---- */

static pleat_result grow(pl_memory *memory, void *array, size_t *room, size_t needed, size_t size, pleat_error *error)
{
    if (needed <= *room)
    {
        return PLEAT_OK;
    }
    size_t capacity = *room ? *room : 256;
    while (capacity < needed)
    {
        capacity *= 2;
    }
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = needed > UINT32_MAX ? NULL : pl_realloc(memory, old, capacity, size);
    if (!grown)
    {
        return pl_fail_memory(memory, error, "the wrinkles of the clip");
    }
    memcpy(array, &grown, sizeof grown);
    *room = capacity;
    return PLEAT_OK;
}

static float area_of(const pleat_vec4 *positions, const uint32_t *corner)
{
    pl_f4 x = pl_load(&positions[corner[0]]);
    return pl_length3(pl_cross(pl_load(&positions[corner[1]]) - x, pl_load(&positions[corner[2]]) - x));
}

/* How much shorter the cloth is here than at rest: the mesh is refined at rest. */
static float strength_at(const pl_live_plan *plan, const pleat_cloth *coarse, const pleat_vec4 *now, uint32_t triangle)
{
    const uint32_t *corner = plan->coarse->triangles + 3 * (size_t)triangle;
    float rest = area_of(coarse->rest, corner);
    return rest > 0 ? fminf(fmaxf(1 - sqrtf(area_of(now, corner) / rest), 0), 0.75f) : 0;
}

static pleat_result keep_frame(pl_live_plan *plan, const pleat_cloth *coarse, const pleat_live *live,
                               pleat_error *error)
{
    pl_memory *memory = &plan->memory;
    PL_TRY(grow(memory, &plan->wrinkles, &plan->wrinkle_room, plan->wrinkle_count + live->line_count,
                sizeof *plan->wrinkles, error));
    PL_TRY(grow(memory, &plan->points, &plan->point_room, plan->point_count + live->point_count, sizeof *plan->points,
                error));
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        const pleat_live_wrinkle *line = &live->lines[i];
        if (!(line->height > 0) || line->point_count < 2)
        {
            continue;
        }
        plan->wrinkles[plan->wrinkle_count++] =
            (pleat_wrinkle){line->id, (uint32_t)plan->point_count, line->point_count, line->point_count / 2};
        for (uint32_t k = 0; k < line->point_count; ++k)
        {
            const pleat_live_point *point = &live->points[line->first_point + k];
            plan->points[plan->point_count++] =
                (pleat_wrinkle_point){point->place, 0.5f * point->width, point->height,
                                      strength_at(plan, coarse, live->now, point->place.triangle)};
        }
    }
    plan->first_wrinkle[++plan->own.frame_count] = (uint32_t)plan->wrinkle_count;
    return PLEAT_OK;
}

/* ---- Playing a clip ---- */

typedef struct player
{
    pl_live_plan *plan;
    const pleat_cloth *coarse;
    const pleat_layer_preview *preview;
    pleat_live *live;
    const pleat_tasks *tasks;
    pleat_vec4 *positions; /* #V */
    pleat_vec3 *packed;    /* #V */
    pleat_vec4 *first;     /* #V: of the shot's first frame */
} player;

static pleat_result play_frame(player *p, uint32_t frame, float step, pleat_error *error)
{
    PL_TRY(p->preview->look(p->preview->user, frame, p->positions, error));
    for (uint32_t v = 0; v < p->plan->coarse->vertex_count; ++v)
    {
        pl_store3(&p->packed[v], pl_load(&p->positions[v]));
    }
    pleat_live_update(p->live, p->packed, step, p->tasks);
    return PLEAT_OK;
}

/* Whether what was last seen is about where the shot began. */
static bool repeats(const player *p, float size)
{
    for (uint32_t v = 0; v < p->plan->coarse->vertex_count; ++v)
    {
        if (!(pl_length3(pl_load(&p->positions[v]) - pl_load(&p->first[v])) < REPEATS * size))
        {
            return false;
        }
    }
    return true;
}

static pleat_result play_shot(player *p, const pleat_shot *shot, float size, pleat_error *error)
{
    float step = p->coarse->clip_step;
    pleat_live_reset(p->live);
    for (uint32_t f = 0; f < shot->frame_count; ++f)
    {
        PL_TRY(play_frame(p, shot->first_frame + f, f ? step : 0, error));
        if (f == 0)
        {
            memcpy(p->first, p->positions, p->plan->coarse->vertex_count * sizeof *p->first);
        }
    }
    bool again = shot->frame_count > 1 && repeats(p, size);
    if (!again)
    {
        pleat_live_reset(p->live);
    }
    for (uint32_t f = 0; f < shot->frame_count; ++f)
    {
        PL_TRY(play_frame(p, shot->first_frame + f, f || again ? step : 0, error));
        PL_TRY(keep_frame(p->plan, p->coarse, p->live, error));
    }
    return PLEAT_OK;
}

static pleat_result play_all(pl_live_plan *plan, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                             float size, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t vertices = plan->coarse->vertex_count;
    player p = {.plan = plan, .coarse = coarse, .preview = preview, .tasks = &host->tasks};
    plan->own.start = coarse->clip_start;
    plan->own.step = coarse->clip_step;
    PL_NEW_OR_FAIL(plan->first_wrinkle, &plan->memory, uint32_t, (size_t)coarse->frame_count + 1, error);
    PL_NEW_OR_FAIL(p.positions, &plan->memory, pleat_vec4, vertices, error);
    PL_NEW_OR_FAIL(p.packed, &plan->memory, pleat_vec3, vertices, error);
    PL_NEW_OR_FAIL(p.first, &plan->memory, pleat_vec4, vertices, error);
    result = pl_live_plan_live(plan, host, &p.live, error);
    for (uint32_t i = 0; i < coarse->shot_count && result == PLEAT_OK; ++i)
    {
        result = play_shot(&p, &coarse->shots[i], size, error);
    }
    plan->own.first_wrinkle = plan->first_wrinkle;
    plan->own.wrinkles = plan->wrinkles;
    plan->own.points = plan->points;
    plan->set = &plan->own;
fail:
    pleat_live_destroy(p.live);
    pl_free(&plan->memory, p.positions);
    pl_free(&plan->memory, p.packed);
    pl_free(&plan->memory, p.first);
    return result;
}

/* ---- The plan ---- */

/* The character's height, or the cloth's own extent where there is no more (cloth that lies flat has no height). */
static float size_of(const pleat_cloth *coarse)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t v = 0; v < coarse->topology->vertex_count; ++v)
    {
        if (!(coarse->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED))
        {
            low = pl_min(low, pl_load(&coarse->rest[v]));
            high = pl_max(high, pl_load(&coarse->rest[v]));
        }
    }
    pl_f4 size = high - low;
    return fmaxf(coarse->height, fmaxf(size[0], fmaxf(size[1], size[2])));
}

static pleat_result fill_plan(pl_live_plan *plan, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                              const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    float size = size_of(coarse);
    plan->coarse = coarse->topology;
    plan->options.width = plan->options.width > 0 ? plan->options.width : DEFAULT_WIDTH * size;
    plan->wish = (pl_wrinkle_wish){.topology = coarse->topology, .rest = coarse->rest, .mask = coarse->mask};
    PL_ARENA_NEW_OR_FAIL(plan->mask, &plan->arena, float, coarse->topology->vertex_count, error);
    for (uint32_t v = 0; v < coarse->topology->vertex_count; ++v)
    {
        plan->mask[v] = coarse->mask && !(coarse->mask[v] > 0) ? 0 : 1;
    }
    if (coarse->frame_count == 0)
    {
        /* Any place may come to wrinkle, none narrower than the smallest width. */
        plan->wish.everywhere = 0.5f * plan->options.width / plan->options.detail;
        return PLEAT_OK;
    }
    PL_TRY(play_all(plan, coarse, preview, size, host, error));
    result =
        pl_wrinkle_wish_make(plan->set, plan->options.width, plan->options.detail, &plan->arena, &plan->wish, error);
fail:
    return result;
}

pleat_result pl_live_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                               const pleat_host *host, void **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(pl_live_check_options(options, error));
    pl_live_plan *plan = PL_CREATE(pl_live_plan, host);
    if (!plan)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for live wrinkles");
    }
    pl_arena_init(&plan->arena, &plan->memory);
    plan->options = *(const pleat_live_options *)options;
    pleat_result result = fill_plan(plan, coarse, preview, host, error);
    if (result != PLEAT_OK)
    {
        pl_live_plan_destroy(plan);
        return result;
    }
    *out = plan;
    return PLEAT_OK;
}

bool pl_live_plan_wants(void *user, uint32_t coarse_triangle, const float barycentric[9], uint32_t level)
{
    const pl_live_plan *plan = user;
    return pl_wrinkle_wish_wants(&plan->wish, coarse_triangle, barycentric, level);
}
