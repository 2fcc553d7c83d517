/* Planning wrinkles: the curves of the whole clip, traced or taken from a file, and where they ask for a finer mesh. */
#include "layers/wrinkles/wrinkles.h"

#include "base/vec.h"

void pl_wrinkles_plan_destroy(void *user)
{
    pl_wrinkles_plan *plan = user;
    if (!plan)
    {
        return;
    }
    pl_free(&plan->memory, plan->first_wrinkle);
    pl_free(&plan->memory, plan->wrinkles);
    pl_free(&plan->memory, plan->points);
    pl_arena_free(&plan->focus);
    pl_arena_free(&plan->arena);
    PL_DESTROY(plan);
}

static pleat_result grow(pl_wrinkles_plan *plan, void *array, size_t *room, size_t needed, size_t size,
                         pleat_error *error)
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
    void *grown = needed > UINT32_MAX ? NULL : pl_realloc(&plan->memory, old, capacity, size);
    if (!grown)
    {
        return pl_fail_memory(&plan->memory, error, "the wrinkles of the clip");
    }
    memcpy(array, &grown, sizeof grown);
    *room = capacity;
    return PLEAT_OK;
}
#define GROW(plan, array, room, needed, error)                                                                         \
    grow((plan), &(plan)->array, &(plan)->room, (needed), sizeof *(plan)->array, (error))

/* Adds a smoothed frame to the set. */
static pleat_result keep_frame(pl_wrinkles_plan *plan, const pl_wrinkle_frame *frame, pleat_error *error)
{
    PL_TRY(GROW(plan, wrinkles, wrinkle_room, plan->wrinkle_count + frame->wrinkle_count, error));
    PL_TRY(GROW(plan, points, point_room, plan->point_count + frame->point_count, error));
    for (uint32_t w = 0; w < frame->wrinkle_count; ++w)
    {
        pleat_wrinkle wrinkle = frame->wrinkles[w];
        if (wrinkle.point_count < 2)
        {
            continue; /* the very end of a wrinkle's life: no curve is left */
        }
        memcpy(plan->points + plan->point_count, frame->points + wrinkle.first_point,
               wrinkle.point_count * sizeof *plan->points);
        wrinkle.first_point = (uint32_t)plan->point_count;
        plan->point_count += wrinkle.point_count;
        plan->wrinkles[plan->wrinkle_count++] = wrinkle;
    }
    plan->first_wrinkle[++plan->own.frame_count] = (uint32_t)plan->wrinkle_count;
    return PLEAT_OK;
}

/* Tracing clips. */
typedef struct tracing
{
    pl_wrinkles_plan *plan;
    const pleat_cloth *coarse;
    const pleat_layer_preview *preview;
    const pleat_host *host;
    pleat_vec4 *positions;
} tracing;

/* One clip; it begins with no wrinkles from the one before. */
static pleat_result run_clip(const tracing *t, pl_wrinkle_engine *engine, const pleat_shot *shot, pleat_error *error)
{
    pl_wrinkles_plan *plan = t->plan;
    float step = t->coarse->clip_step;
    const pl_wrinkle_frame *frame;
    for (uint32_t f = 0; f < shot->frame_count; ++f)
    {
        PL_TRY(t->preview->look(t->preview->user, shot->first_frame + f, t->positions, error));
        frame = pl_wrinkle_engine_step(engine, t->positions, f ? step : 0, &t->host->tasks);
        if (frame)
        {
            PL_TRY(keep_frame(plan, frame, error));
        }
    }
    while ((frame = pl_wrinkle_engine_step(engine, NULL, 0, NULL)))
    {
        PL_TRY(keep_frame(plan, frame, error));
    }
    return PLEAT_OK;
}

static pleat_result trace_clips(pl_wrinkles_plan *plan, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_vec4 *positions = NULL;
    plan->own.start = coarse->clip_start;
    plan->own.step = coarse->clip_step;
    PL_NEW_OR_FAIL(plan->first_wrinkle, &plan->memory, uint32_t, (size_t)coarse->frame_count + 1, error);
    PL_NEW_OR_FAIL(positions, &plan->memory, pleat_vec4, coarse->topology->vertex_count, error);
    tracing t = {plan, coarse, preview, host, positions};
    const pl_wrinkle_engine_desc desc = {&plan->options, plan->radius, coarse->topology, coarse->rest,
                                         coarse->clip_step};
    for (uint32_t i = 0; i < coarse->shot_count && result == PLEAT_OK; ++i)
    {
        /* A new one for each: then a clip has the same wrinkles, bit for bit, whatever was before it. */
        pl_wrinkle_engine engine = {0};
        result = pl_wrinkle_engine_create(&desc, host, &engine, error);
        if (result == PLEAT_OK)
        {
            result = run_clip(&t, &engine, &coarse->shots[i], error);
        }
        pl_wrinkle_engine_destroy(&engine);
    }
    plan->own.first_wrinkle = plan->first_wrinkle;
    plan->own.wrinkles = plan->wrinkles;
    plan->own.points = plan->points;
    plan->set = &plan->own;
fail:
    pl_free(&plan->memory, positions);
    return result;
}

/* The curves of a file for this node; none for a node that the file does not name. */
static pleat_result take_curves(pl_wrinkles_plan *plan, const pleat_cloth *coarse, pleat_error *error)
{
    static const uint32_t none = 0;
    const pleat_wrinkle_list *list = plan->options.curves;
    plan->own = (pleat_wrinkle_set){.start = coarse->clip_start, .step = 1, .first_wrinkle = &none};
    plan->set = &plan->own;
    for (uint32_t s = 0; s < list->surface_count; ++s)
    {
        const pleat_wrinkle_surface *surface = &list->surfaces[s];
        if (surface->node != coarse->node)
        {
            continue;
        }
        if (surface->triangle_count != coarse->topology->triangle_count ||
            surface->vertex_count != coarse->topology->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA,
                           "the wrinkles of node %u are on a surface of %u vertices and %u triangles; it has %u and %u",
                           coarse->node, surface->vertex_count, surface->triangle_count, coarse->topology->vertex_count,
                           coarse->topology->triangle_count);
        }
        PL_TRY(pleat_wrinkle_set_check(&surface->set, surface->triangle_count, error));
        plan->set = &surface->set;
    }
    return PLEAT_OK;
}

static void find_most(pl_wrinkles_plan *plan)
{
    for (uint32_t f = 0; f < plan->set->frame_count; ++f)
    {
        uint32_t first = plan->set->first_wrinkle[f], end = plan->set->first_wrinkle[f + 1], points = 0;
        for (uint32_t w = first; w < end; ++w)
        {
            points += plan->set->wrinkles[w].point_count;
        }
        plan->most_wrinkles = end - first > plan->most_wrinkles ? end - first : plan->most_wrinkles;
        plan->most_points = points > plan->most_points ? points : plan->most_points;
    }
}

static pleat_result check_options(const pleat_wrinkles_options *o, pleat_error *error)
{
    const struct
    {
        const char *name;
        float value, low, high;
    } ranges[] = {{"radius", o->radius, 0, 1e6f},     {"threshold", o->threshold, 0, 0.9f},
                  {"strength", o->strength, 0, 1},    {"smoothing", o->smoothing, 0, 2},
                  {"detail", o->detail, 1, 16},       {"gap", o->gap, 0, 1e6f},
                  {"fabric", (float)o->fabric, 0, 2}, {"side", (float)o->side, 0, 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    {
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "wrinkles: %s is %g; it can be %g to %g", ranges[i].name,
                           (double)ranges[i].value, (double)ranges[i].low, (double)ranges[i].high);
        }
    }
    return PLEAT_OK;
}

/* What default lengths are fractions of: the character's height, or the cloth's own extent where there is no more
 * (cloth that lies flat has no height). */
static float size_of(const pleat_cloth *coarse)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t v = 0; v < coarse->topology->vertex_count; ++v)
    {
        if (coarse->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED)
        {
            continue;
        }
        low = pl_min(low, pl_load(&coarse->rest[v]));
        high = pl_max(high, pl_load(&coarse->rest[v]));
    }
    pl_f4 size = high - low;
    return fmaxf(coarse->height, fmaxf(size[0], fmaxf(size[1], size[2])));
}

static pleat_result fill_plan(pl_wrinkles_plan *plan, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                              const pleat_host *host, pleat_error *error)
{
    const pleat_wrinkles_options *options = &plan->options;
    plan->size = size_of(coarse);
    plan->radius = options->radius > 0 ? options->radius : pl_fabric_radius((pleat_fabric)options->fabric, plan->size);
    if (!(plan->radius >= PL_WRINKLE_FINEST && plan->radius <= PL_WRINKLE_WIDEST))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "wrinkles: radius is %g for a character of %g; it can be %g to %g: scale the character, or set "
                       "wrinkles.radius",
                       (double)plan->radius, (double)plan->size, (double)PL_WRINKLE_FINEST, (double)PL_WRINKLE_WIDEST);
    }
    plan->coarse = coarse->topology;
    plan->coarse_rest = coarse->rest;
    plan->wish = (pl_wrinkle_wish){.topology = coarse->topology, .rest = coarse->rest, .mask = coarse->mask};
    if (options->curves)
    {
        PL_TRY(take_curves(plan, coarse, error));
    }
    else if (coarse->frame_count)
    {
        PL_TRY(trace_clips(plan, coarse, preview, host, error));
    }
    else
    {
        /* Any place may come to wrinkle, none narrower than its fabric lets it. */
        plan->wish.everywhere = 2 * plan->radius / options->detail;
        return PLEAT_OK;
    }
    find_most(plan);
    return pl_wrinkle_wish_make(plan->set, plan->radius, options->detail, &plan->arena, &plan->wish, error);
}

pleat_result pl_wrinkles_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                   const pleat_host *host, void **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_options(options, error));
    pl_wrinkles_plan *plan = PL_CREATE(pl_wrinkles_plan, host);
    if (!plan)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the wrinkles");
    }
    pl_arena_init(&plan->arena, &plan->memory);
    pl_arena_init(&plan->focus, &plan->memory);
    plan->options = *(const pleat_wrinkles_options *)options;
    pleat_result result = fill_plan(plan, coarse, preview, host, error);
    if (result != PLEAT_OK)
    {
        pl_wrinkles_plan_destroy(plan);
        return result;
    }
    *out = plan;
    return PLEAT_OK;
}

bool pl_wrinkles_plan_wants(void *user, uint32_t coarse_triangle, const float barycentric[9], uint32_t level)
{
    const pl_wrinkles_plan *plan = user;
    return pl_wrinkle_wish_wants(&plan->wish, coarse_triangle, barycentric, level);
}
