/* The folds layer: options, binding, and the frame. */
#include "layer/folds.h"

#include "base/parallel.h"

#include <string.h>

pleat_folds_options pleat_folds_options_default(void)
{
    pleat_folds_options options = {0};
    options.strength = 1;
    options.bend = 10 * 3.14159265f / 180;
    options.detail = 6;
    options.contact = true;
    return options;
}

const pleat_parameter *pleat_folds_parameters(uint32_t *count)
{
    static const pleat_parameter table[] = {
        {"width", PLEAT_VALUE_LENGTH, offsetof(pleat_folds_options, width), 0, 1, NULL,
         "width of one fold; 0: 7 % of the median ring around a joint"},
        {"profile", PLEAT_VALUE_CHOICE, offsetof(pleat_folds_options, profile), 0, 0, "third|fifth",
         "shape of a fold: third (round) or fifth (flat on top)"},
        {"strength", PLEAT_VALUE_SHARE, offsetof(pleat_folds_options, strength), 0, 1, NULL,
         "height of the folds, of what the lost length asks for"},
        {"length", PLEAT_VALUE_LENGTH, offsetof(pleat_folds_options, length), 0, 10, NULL,
         "length of the region across a joint; 0: as far as its weights blend"},
        {"bend", PLEAT_VALUE_ANGLE, offsetof(pleat_folds_options, bend), 0, 3.1415927, NULL,
         "joints that bend less than this in the clip get no folds"},
        {"irregularity", PLEAT_VALUE_SHARE, offsetof(pleat_folds_options, irregularity), 0, 1, NULL,
         "how much the widths of neighbouring folds differ"},
        {"seed", PLEAT_VALUE_COUNT, offsetof(pleat_folds_options, seed), 0, 4294967295.0, NULL,
         "chooses one irregular pattern"},
        {"detail", PLEAT_VALUE_NUMBER, offsetof(pleat_folds_options, detail), 2, 16, NULL,
         "mesh edges along one fold: how fine the mesh becomes"},
        {"contact", PLEAT_VALUE_SWITCH, offsetof(pleat_folds_options, contact), 0, 0, NULL,
         "folds stop where they would pass through each other"},
    };
    *count = sizeof table / sizeof table[0];
    return table;
}

/* What a fold at a station came to in the last frame. */
typedef struct fold_figure
{
    float tau;      /* relative to the rest length */
    float residual; /* Fischer-Burmeister, likewise */
    uint8_t steps;
    bool raised, limited;
} fold_figure;

typedef struct folds_layer
{
    pl_memory memory;
    pl_arena arena;
    pleat_folds_options options;
    uint32_t ring_count;
    pl_bound_ring *rings;
    uint32_t fold_count;  /* over all rings and stations */
    float *heights;       /* of the ring at work, fade and strength included */
    fold_figure *figures; /* of all rings */
    float highest;
} folds_layer;

/* ---- Binding ---- */

static void destroy_layer(void *user)
{
    folds_layer *layer = user;
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

static pleat_result bind_rings(folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                               const pleat_bvh *bvh, const pleat_host *host, pleat_error *error)
{
    pl_ring_surface surface = {cloth->topology, cloth->rest, cloth->rest_normals, bvh};
    uint32_t largest = 0;
    layer->rings = PL_ARENA_NEW(&layer->arena, pl_bound_ring, plan->ring_count);
    if (!layer->rings)
    {
        return pl_fail_memory(&layer->memory, error, "rings");
    }
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        pl_bound_ring *ring = &layer->rings[i];
        PL_TRY(pl_folds_bind_ring(plan, &plan->rings[i], cloth, &surface, &layer->arena, host, ring, error));
        uint32_t folds = ring->station_count * ring->fold_count;
        largest = folds > largest ? folds : largest;
        layer->fold_count += folds;
        ++layer->ring_count;
    }
    layer->heights = PL_ARENA_NEW(&layer->arena, float, largest);
    layer->figures = PL_ARENA_NEW(&layer->arena, fold_figure, layer->fold_count);
    return layer->heights && layer->figures ? PLEAT_OK : pl_fail_memory(&layer->memory, error, "heights");
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    *out = NULL;
    folds_layer *layer = PL_CREATE(folds_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the folds");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->options = *(const pleat_folds_options *)options;
    pleat_bvh *bvh = NULL;
    pleat_result result = pleat_bvh_create(cloth->topology->vertex_count, cloth->rest, cloth->topology->triangle_count,
                                           cloth->topology->triangles, host, &bvh, error);
    if (result == PLEAT_OK)
    {
        result = bind_rings(layer, plan, cloth, bvh, host, error);
    }
    pleat_bvh_destroy(bvh);
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

/* ---- Frames ---- */

typedef struct frame_job
{
    folds_layer *layer;
    const pl_bound_ring *ring;
    fold_figure *figures; /* of the ring */
    const pleat_layer_frame *frame;
} frame_job;

static pl_f4 mix(const pleat_vec4 *values, const uint32_t vertex[3], const float weight[3])
{
    return pl_load(&values[vertex[0]]) * pl_splat(weight[0]) + pl_load(&values[vertex[1]]) * pl_splat(weight[1]) +
           pl_load(&values[vertex[2]]) * pl_splat(weight[2]);
}

/* A plane that a fold must not pass: point and unit direction, which points away from the fold. */
typedef struct wall
{
    pl_f4 point, direction;
} wall;

/* The largest amplitude that keeps every sample on its side of a wall. A sample that is behind it from the start
 * (skinning pushed the surface through itself there) allows none. */
static float room_before(const wall *w, const pl_f4 *points, const pl_f4 *raised, uint32_t count, float most)
{
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        float towards = pl_dot3(raised[i], w->direction);
        float room = pl_dot3(w->point - points[i], w->direction);
        if (towards > 0 && room < most * towards)
        {
            most = room > 0 ? room / towards : 0;
        }
    }
    return most;
}

/* Walls at the fold's two feet, across the line, and at the ring, which folds of one side share. */
static float room_for(const pl_bound_ring *ring, uint32_t station, bool behind, const pleat_layer_frame *frame,
                      const pl_f4 *points, const pl_f4 *raised, uint32_t count)
{
    float most = ring->width; /* a fold higher than wide is a spike */
    const pl_fold_sample *crossing = &ring->crossings[3 * (size_t)station];
    pl_f4 across = mix(frame->positions, crossing[2].vertex, crossing[2].weight) -
                   mix(frame->positions, crossing[0].vertex, crossing[0].weight);
    across = pl_normalize3(across) * pl_splat(behind ? -1.0f : 1.0f);
    uint32_t two = count > 3 ? 2 : 1;
    wall walls[3] = {
        {points[0], pl_normalize3(points[0] - points[two])},
        {points[count - 1], pl_normalize3(points[count - 1] - points[count - 1 - two])},
        {mix(frame->positions, crossing[1].vertex, crossing[1].weight), across},
    };
    for (int i = 0; i < 3; ++i)
    {
        most = room_before(&walls[i], points, raised, count, most);
    }
    return most;
}

static void solve_fold(const frame_job *job, uint32_t station, uint32_t k)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t index = station * ring->fold_count + k;
    const pl_fold *fold = &ring->folds[index];
    fold_figure *figure = &job->figures[index];
    *figure = (fold_figure){0};
    job->layer->heights[index] = 0;
    if (fold->sample_count < 3)
    {
        return;
    }
    pl_f4 points[PL_FOLD_SAMPLES], raised[PL_FOLD_SAMPLES];
    pl_fold_segment segments[PL_FOLD_SAMPLES];
    double length = 0;
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        const pl_fold_sample *sample = &ring->samples[fold->first_sample + i];
        points[i] = mix(job->frame->positions, sample->vertex, sample->weight);
        length += i ? (double)pl_length3(points[i] - points[i - 1]) : 0;
    }
    /* Most folds of most frames are not compressed: they stop here. */
    if (length >= (double)fold->rest_length)
    {
        return;
    }
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        const pl_fold_sample *sample = &ring->samples[fold->first_sample + i];
        raised[i] = mix(job->frame->normals, sample->vertex, sample->raise);
    }
    pl_fold_segments(fold->sample_count, points, raised, segments);
    pl_fold_solution solution = pl_fold_solve(segments, fold->sample_count - 1, (double)fold->rest_length, 0);
    float height = (float)solution.amplitude;
    if (job->layer->options.contact && height > 0)
    {
        float room = room_for(ring, station, k >= ring->fold_count / 2, job->frame, points, raised, fold->sample_count);
        figure->limited = height > room;
        height = fminf(height, room);
    }
    figure->raised = height > 0;
    figure->steps = (uint8_t)solution.steps;
    figure->tau = (float)(fabs(solution.tau) / (double)fold->rest_length);
    figure->residual = (float)(fabs(pl_fold_residual(solution.amplitude, solution.tau)) / (double)fold->rest_length);
    job->layer->heights[index] = height * fold->fade * job->layer->options.strength;
}

static void solve_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        for (uint32_t k = 0; k < job->ring->fold_count; ++k)
        {
            solve_fold(job, i, k);
        }
    }
}

static void raise_vertices(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    const float *heights = job->layer->heights;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        const pl_fold_vertex *v = &job->ring->vertices[i];
        float height = v->weight[0] * heights[v->fold[0]] + v->weight[1] * heights[v->fold[1]];
        if (height > 0)
        {
            pleat_vec4 *position = &job->frame->positions[v->vertex];
            pl_store(position, pl_load(position) + pl_load(&job->frame->normals[v->vertex]) * pl_splat(height));
        }
    }
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    folds_layer *layer = user;
    uint32_t first = 0;
    layer->highest = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        frame_job job = {layer, ring, layer->figures + first, frame};
        pl_parallel_for(frame->tasks, ring->station_count, 4, solve_stations, &job);
        pl_parallel_for(frame->tasks, ring->vertex_count, 1024, raise_vertices, &job);
        uint32_t folds = ring->station_count * ring->fold_count;
        for (uint32_t i = 0; i < folds; ++i)
        {
            layer->highest = fmaxf(layer->highest, layer->heights[i]);
        }
        first += folds;
    }
}

static size_t no_state(const void *layer)
{
    (void)layer;
    return 0;
}

static bool figure_of(const void *user, uint32_t index, const char **name, double *value)
{
    static const char *const names[] = {"rings", "folds", "raised", "limited", "highest", "tau", "residual", "steps"};
    const folds_layer *layer = user;
    double raised = 0, limited = 0, tau = 0, residual = 0, steps = 0;
    for (uint32_t i = 0; i < layer->fold_count; ++i)
    {
        const fold_figure *figure = &layer->figures[i];
        raised += figure->raised;
        limited += figure->limited;
        steps += figure->steps;
        tau = fmax(tau, (double)figure->tau);
        residual = fmax(residual, (double)figure->residual);
    }
    double values[] = {layer->ring_count,
                       layer->fold_count,
                       raised,
                       limited,
                       (double)layer->highest,
                       tau,
                       residual,
                       raised > 0 ? steps / raised : 0};
    if (index >= sizeof values / sizeof values[0])
    {
        return false;
    }
    *name = names[index];
    *value = values[index];
    return true;
}

const pleat_layer_type pleat_folds_layer = {
    .name = "folds",
    .options_size = sizeof(pleat_folds_options),
    .plan = pl_folds_plan_make,
    .wants = pl_folds_plan_wants,
    .plan_destroy = pl_folds_plan_destroy,
    .create = create_layer,
    .destroy = destroy_layer,
    .update = update_layer,
    .state_size = no_state,
    .figure = figure_of,
};
