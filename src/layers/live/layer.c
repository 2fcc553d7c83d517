/* The live layer in a stack: wrinkles of the clip, or of the motion so far, as geometry. */
#include "layers/live/plan.h"

#include <stdio.h>

enum
{
    GRAIN = 256 /* vertices of a task */
};

/* ---- Options ---- */

static void fill_defaults(void *options)
{
    *(pleat_live_options *)options = pleat_live_options_default();
}

#define OFFSET(member) offsetof(pleat_live_options, member)

static const pleat_parameter parameters[] = {
    {"tau", PLEAT_VALUE_NUMBER, OFFSET(tau), 1.01, 4, NULL,
     "wrinkles live where cloth is this many times shorter than it was"},
    {"width", PLEAT_VALUE_LENGTH, OFFSET(width), 0, 1, NULL,
     "of a wrinkle pushed together as far as it goes; 0: 0.5 % of the height"},
    {"arc", PLEAT_VALUE_NUMBER, OFFSET(arc), 1.1, 8, NULL, "cloth in a wrinkle, in widths"},
    {"cap", PLEAT_VALUE_NUMBER, OFFSET(cap), 1.05, 3, NULL, "compression above this counts as this"},
    {"strength", PLEAT_VALUE_SHARE, OFFSET(strength), 0, 1, NULL, "how much of the lost length comes back"},
    {"spacing", PLEAT_VALUE_NUMBER, OFFSET(spacing), 0.2, 20, NULL,
     "from a new wrinkle to the next one, in lengths of its cloth"},
    {"shortest", PLEAT_VALUE_NUMBER, OFFSET(shortest), 1, 100, NULL, "wrinkle there is, in widths"},
    {"tension", PLEAT_VALUE_SHARE, OFFSET(tension), 0, 1, NULL,
     "how much of stretch counts as compression across it: drag lines"},
    {"side", PLEAT_VALUE_CHOICE, OFFSET(side), 0, 0, "outward|inward|both",
     "which way wrinkles stand; both: inward in hollows"},
    {"each_way", PLEAT_VALUE_SWITCH, OFFSET(each_way), 0, 0, NULL,
     "each direction of the cloth remembers its longest by itself: more wrinkles"},
    {"detail", PLEAT_VALUE_NUMBER, OFFSET(detail), 1, 16, NULL,
     "of a mesh that is refined: edges from the crest of a wrinkle to its foot"},
    {"most", PLEAT_VALUE_COUNT, OFFSET(most), 0, 4096, NULL, "wrinkles at once; 0: by the number of triangles"},
};

/* ---- Binding ---- */

typedef struct live_layer
{
    pl_memory memory;
    pl_arena arena;
    const pl_live_plan *plan; /* the stack keeps it as long as the layer */
    pleat_live *live;
    uint32_t vertex_count;
    const uint32_t *vertex_triangle; /* the stack's, as the cloth has them */
    const float *vertex_barycentric, *mask;
    pleat_vec3 *packed;   /* #V of the coarse cloth */
    float *heights;       /* #V */
    pleat_wrinkle *lines; /* of the last update, for who asks for curves */
    pleat_wrinkle_point *points;
    uint32_t moved;
    float highest;
} live_layer;

static void destroy_layer(void *user)
{
    live_layer *layer = user;
    pleat_live_destroy(layer->live);
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

static pleat_result bind_layer(live_layer *layer, const pleat_cloth *cloth, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    layer->vertex_count = cloth->topology->vertex_count;
    layer->vertex_triangle = cloth->vertex_triangle;
    layer->vertex_barycentric = cloth->vertex_barycentric;
    layer->mask = cloth->mask;
    PL_ARENA_NEW_OR_FAIL(layer->packed, &layer->arena, pleat_vec3, layer->plan->coarse->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->heights, &layer->arena, float, layer->vertex_count, error);
    PL_TRY(pl_live_plan_live(layer->plan, host, &layer->live, error));
    PL_ARENA_NEW_OR_FAIL(layer->lines, &layer->arena, pleat_wrinkle, layer->live->most, error);
    PL_ARENA_NEW_OR_FAIL(layer->points, &layer->arena, pleat_wrinkle_point, layer->live->point_capacity, error);
fail:
    return result;
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    (void)options; /* as the plan has them */
    *out = NULL;
    live_layer *layer = PL_CREATE(live_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for live wrinkles");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->plan = plan;
    pleat_result result = bind_layer(layer, cloth, host, error);
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

static void mark_moves(const void *user, uint8_t *marks)
{
    const live_layer *layer = user;
    for (uint32_t v = 0; v < layer->vertex_count; ++v)
    {
        uint32_t triangle = layer->vertex_triangle[v];
        marks[v] |= triangle != PLEAT_NONE && layer->mask[v] > 0 &&
                    pl_wrinkle_wish_covers(&layer->plan->wish, triangle, layer->vertex_barycentric + 3 * (size_t)v);
    }
}

/* ---- A frame ---- */

typedef struct height_job
{
    live_layer *layer;
    float share; /* of what is added */
    bool first;
} height_job;

static void find_heights(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const height_job *job = data;
    live_layer *layer = job->layer;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        uint32_t triangle = layer->vertex_triangle[v];
        float height = 0;
        if (triangle != PLEAT_NONE && layer->live->touched[triangle] != PLEAT_NONE && layer->mask[v] > 0)
        {
            const float *b = layer->vertex_barycentric + 3 * (size_t)v;
            pleat_place place = {triangle, {b[0], b[1], b[2]}};
            height = layer->mask[v] * pleat_live_height(layer->live, &place, NULL);
        }
        layer->heights[v] = (job->first ? 0 : layer->heights[v]) + job->share * height;
    }
}

/* The heights of a frame of the clip's set, on the cloth as it is now. */
static void add_set(live_layer *layer, uint32_t index, float share, bool first, const pleat_tasks *tasks)
{
    const pleat_wrinkle_set *set = layer->plan->set;
    uint32_t begin = set->first_wrinkle[index], count = set->first_wrinkle[index + 1] - begin;
    height_job job = {layer, share, first};
    /* A set without wrinkles has no lists. */
    pl_live_show(layer->live, layer->packed, count, count ? set->wrinkles + begin : NULL, set->points);
    pl_parallel_for(tasks, layer->vertex_count, GRAIN, find_heights, &job);
}

static void move_vertices(live_layer *layer, const pleat_layer_frame *frame)
{
    layer->moved = 0;
    layer->highest = 0;
    for (uint32_t v = 0; v < layer->vertex_count; ++v)
    {
        float height = layer->heights[v];
        if (height != 0)
        {
            pl_f4 moved = pl_load(&frame->positions[v]) + pl_load(&frame->normals[v]) * pl_splat(height);
            pl_store(&frame->positions[v], moved);
            ++layer->moved;
            layer->highest = fmaxf(layer->highest, fabsf(height));
        }
    }
}

/* The first vertices of the refined surface are those of the coarse one, where refinement has put them. */
static void pack_coarse(live_layer *layer, const pleat_layer_frame *frame)
{
    for (uint32_t v = 0; v < layer->plan->coarse->vertex_count; ++v)
    {
        pl_store3(&layer->packed[v], pl_load(&frame->positions[v]));
    }
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    live_layer *layer = user;
    const pleat_wrinkle_set *set = layer->plan->set;
    pack_coarse(layer, frame);
    if (set && set->frame_count)
    {
        float after = 0;
        uint32_t index = pl_wrinkles_find_frame(set, frame->row_time, &after);
        add_set(layer, index, 1 - after, true, frame->tasks);
        if (after > 0)
        {
            add_set(layer, index + 1, after, false, frame->tasks);
        }
    }
    else
    {
        height_job job = {layer, 1, true};
        if (!(frame->step > 0))
        {
            pleat_live_reset(layer->live);
        }
        pleat_live_update(layer->live, layer->packed, frame->step, frame->tasks);
        pl_parallel_for(frame->tasks, layer->vertex_count, GRAIN, find_heights, &job);
    }
    move_vertices(layer, frame);
}

/* ---- State and figures ---- */

static size_t state_size(const void *user)
{
    const live_layer *layer = user;
    return layer->plan->set ? 0 : pleat_live_state_size(layer->live);
}

static void state_save(const void *user, void *state)
{
    pleat_live_state_save(((const live_layer *)user)->live, state);
}

static void state_restore(void *user, const void *state)
{
    pleat_live_state_restore(((live_layer *)user)->live, state, NULL);
}

static const pleat_layer_figure figures[] = {
    {"wrinkles", "", "wrinkles"},
    {"points", "", "points of their crests"},
    {"moved", "", "vertices that wrinkles moved"},
    {"highest", "m", "the farthest move"},
};

static void measure(const void *user, double *values)
{
    const live_layer *layer = user;
    values[0] = layer->live->line_count;
    values[1] = layer->live->point_count;
    values[2] = layer->moved;
    values[3] = (double)layer->highest;
}

static void tell(const double *largest, char *out, size_t size)
{
    snprintf(out, size, "at most %.0f wrinkles at once, up to %.1f mm high", largest[0], 1e3 * largest[3]);
}

/* ---- Curves ---- */

static const pleat_wrinkle_set *clip_curves(const void *user)
{
    return ((const live_layer *)user)->plan->set;
}

static uint32_t curves(const void *user, const pleat_wrinkle **wrinkles, const pleat_wrinkle_point **points)
{
    const live_layer *layer = user;
    const pleat_live *live = layer->live;
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        const pleat_live_wrinkle *line = &live->lines[i];
        layer->lines[i] = (pleat_wrinkle){line->id, line->first_point, line->point_count, line->point_count / 2};
    }
    for (uint32_t i = 0; i < live->point_count; ++i)
    {
        const pleat_live_point *point = &live->points[i];
        layer->points[i] = (pleat_wrinkle_point){point->place, 0.5f * point->width, point->height, 0};
    }
    *wrinkles = layer->lines;
    *points = layer->points;
    return live->line_count;
}

const pleat_layer_type pleat_live_layer = {
    .name = "live",
    .summary = "wrinkles from the motion alone, with no rest shape: as a game gets them in real time",
    .options_size = sizeof(pleat_live_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .plan = pl_live_plan_make,
    .wants = pl_live_plan_wants,
    .plan_destroy = pl_live_plan_destroy,
    .create = create_layer,
    .destroy = destroy_layer,
    .update = update_layer,
    .moves = mark_moves,
    .state_size = state_size,
    .state_save = state_save,
    .state_restore = state_restore,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
    .clip_curves = clip_curves,
    .curves = curves,
};
