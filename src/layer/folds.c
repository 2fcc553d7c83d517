/* The folds layer: options, binding, and the frame. */
#include "layer/folds.h"

#include "base/parallel.h"

#include <string.h>

pleat_folds_options pleat_folds_options_default(void)
{
    pleat_folds_options options = {0};
    options.strength = 1;
    options.bend = 10 * 3.14159265f / 180;
    options.detail = 5;
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
    fold_figure *figures; /* of all rings */
    /* Of the ring at work, stations by folds. */
    float *heights; /* fade and strength included */
    float *rooms;   /* how high contact lets a fold rise */
    double *lengths;
    pl_fold_segment *segments; /* by sample */
    bool *compressed;          /* by station */
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
                               const pl_ring_surface *surface, const pleat_host *host, pleat_error *error)
{
    uint32_t largest = 0, stations = 0, samples = 0;
    layer->rings = PL_ARENA_NEW(&layer->arena, pl_bound_ring, plan->ring_count);
    if (!layer->rings)
    {
        return pl_fail_memory(&layer->memory, error, "rings");
    }
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        pl_bound_ring *ring = &layer->rings[i];
        PL_TRY(pl_folds_bind_ring(plan, &plan->rings[i], cloth, surface, &layer->arena, host, ring, error));
        uint32_t folds = ring->station_count * ring->fold_count;
        largest = folds > largest ? folds : largest;
        stations = ring->station_count > stations ? ring->station_count : stations;
        samples = ring->sample_count > samples ? ring->sample_count : samples;
        layer->fold_count += folds;
        ++layer->ring_count;
    }
    layer->heights = PL_ARENA_NEW(&layer->arena, float, largest);
    layer->rooms = PL_ARENA_NEW(&layer->arena, float, largest);
    layer->lengths = PL_ARENA_NEW(&layer->arena, double, largest);
    layer->segments = PL_ARENA_NEW(&layer->arena, pl_fold_segment, samples);
    layer->compressed = PL_ARENA_NEW(&layer->arena, bool, stations);
    layer->figures = PL_ARENA_NEW(&layer->arena, fold_figure, layer->fold_count);
    bool all =
        layer->heights && layer->rooms && layer->lengths && layer->segments && layer->compressed && layer->figures;
    return all ? PLEAT_OK : pl_fail_memory(&layer->memory, error, "heights");
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
        pl_ring_surface surface = {cloth->topology, cloth->rest, cloth->rest_normals, bvh};
        result = bind_rings(layer, plan, cloth, &surface, host, error);
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

/* The largest amplitude that keeps every sample on its side of a wall, with a gap that grows from nothing at the foot.
 * A sample that is behind the wall from the start (skinning pushed the surface through itself there) allows none. */
static float room_before(const wall *w, const pl_f4 *points, const pl_f4 *raised, uint32_t count, float gap, float most)
{
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        float share = pl_length3(raised[i]);
        /* Even a sample that rises away from the wall gets no higher than a few times its distance from it: where
         * skinning has pushed the surface through the wall, nothing rises, and on the way there nothing jumps. */
        float towards = fmaxf(pl_dot3(raised[i], w->direction), 0.25f * share);
        float room = pl_dot3(w->point - points[i], w->direction) - gap * share;
        if (room < most * towards)
        {
            most = room > 0 ? room / towards : 0;
        }
    }
    return most;
}

/* The plane across a line where two folds meet; both stop at it, from either side. */
static wall foot_wall(const pl_bound_ring *ring, uint32_t station, uint32_t bound, float away,
                      const pleat_layer_frame *frame)
{
    const pl_fold_sample *foot = &ring->feet[3 * ((size_t)station * (ring->fold_count + 1) + bound)];
    pl_f4 along =
        mix(frame->positions, foot[2].vertex, foot[2].weight) - mix(frame->positions, foot[0].vertex, foot[0].weight);
    return (wall){mix(frame->positions, foot[1].vertex, foot[1].weight), pl_normalize3(along) * pl_splat(away)};
}

/* The plane of the crease: through the line's point on the ring, across the way from one end of the line to the other.
 * In a strong bend skinning pushes the crease through itself and turns the line around there; its ends still tell the
 * sides. */
static wall crease_wall(const pl_bound_ring *ring, uint32_t station, float away, const pleat_layer_frame *frame)
{
    const pl_fold_sample *foot = &ring->feet[3 * ((size_t)station * (ring->fold_count + 1) + ring->fold_count / 2)];
    const pl_fold_sample *ends = &ring->ends[2 * (size_t)station];
    pl_f4 along =
        mix(frame->positions, ends[1].vertex, ends[1].weight) - mix(frame->positions, ends[0].vertex, ends[0].weight);
    return (wall){mix(frame->positions, foot[1].vertex, foot[1].weight), pl_normalize3(along) * pl_splat(away)};
}

/* Walls at the fold's two feet and at the crease: what lies on one side of it stays there. */
static float room_for(const pl_bound_ring *ring, uint32_t station, uint32_t k, const pleat_layer_frame *frame,
                      const pl_f4 *points, const pl_f4 *raised, uint32_t count)
{
    bool behind = k >= ring->fold_count / 2;
    wall walls[3] = {
        foot_wall(ring, station, k, -1, frame),
        foot_wall(ring, station, k + 1, 1, frame),
        crease_wall(ring, station, behind ? -1.0f : 1.0f, frame),
    };
    float most = ring->width; /* a fold higher than wide is a spike */
    for (int i = 0; i < 3; ++i)
    {
        most = room_before(&walls[i], points, raised, count, 0.03f * ring->width, most);
    }
    return most;
}

static uint32_t gather_points(const frame_job *job, const pl_fold *fold, pl_f4 *points)
{
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        const pl_fold_sample *sample = &job->ring->samples[fold->first_sample + i];
        points[i] = mix(job->frame->positions, sample->vertex, sample->weight);
    }
    return fold->sample_count;
}

/* Lengths of a station's folds; true if one is compressed. */
static bool measure_station(const frame_job *job, uint32_t station)
{
    bool compressed = false;
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t index = station * job->ring->fold_count + k;
        const pl_fold *fold = &job->ring->folds[index];
        pl_f4 points[PL_FOLD_SAMPLES];
        double length = 0;
        uint32_t count = gather_points(job, fold, points);
        for (uint32_t i = 1; i < count; ++i)
        {
            length += (double)pl_length3(points[i] - points[i - 1]);
        }
        job->layer->lengths[index] = length;
        compressed = compressed || length < (double)fold->rest_length;
    }
    return compressed;
}

/* Segments of a station's folds, and how much room each has. */
static void prepare_station(const frame_job *job, uint32_t station)
{
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t index = station * job->ring->fold_count + k;
        const pl_fold *fold = &job->ring->folds[index];
        pl_f4 points[PL_FOLD_SAMPLES], raised[PL_FOLD_SAMPLES];
        uint32_t count = gather_points(job, fold, points);
        for (uint32_t i = 0; i < count; ++i)
        {
            const pl_fold_sample *sample = &job->ring->samples[fold->first_sample + i];
            raised[i] = mix(job->frame->normals, sample->vertex, sample->raise);
        }
        if (count > 2)
        {
            pl_fold_segments(count, points, raised, job->layer->segments + fold->first_sample);
        }
        if (count > 2 && job->layer->options.contact)
        {
            job->layer->rooms[index] = room_for(job->ring, station, k, job->frame, points, raised, count);
        }
    }
}

static void look_at_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            job->layer->rooms[i * count + k] = job->ring->width; /* a fold higher than wide is a spike */
        }
        job->layer->compressed[i] = measure_station(job, i);
        if (job->layer->compressed[i])
        {
            prepare_station(job, i);
        }
    }
}

/* Along the ring a fold tapers towards where contact stops it: rooms grow by no more than this much of the way. */
#define ROOM_SLOPE 0.5f

static void taper_rooms(const folds_layer *layer, const pl_bound_ring *ring)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count;
    float step = ROOM_SLOPE * ring->spacing;
    for (uint32_t k = 0; k < folds; ++k)
    {
        /* Twice around each way, so that a closed ring has no seam. */
        for (uint32_t i = 1; i < 2 * stations; ++i)
        {
            if (i == stations && !ring->closed)
            {
                break;
            }
            float *room = &layer->rooms[i % stations * folds + k];
            *room = fminf(*room, layer->rooms[(i - 1) % stations * folds + k] + step);
        }
        for (uint32_t i = 2 * stations - 1; i-- > 0;)
        {
            if (!ring->closed && i + 1 >= stations)
            {
                continue;
            }
            float *room = &layer->rooms[i % stations * folds + k];
            *room = fminf(*room, layer->rooms[(i + 1) % stations * folds + k] + step);
        }
    }
}

/* The amplitude of a fold at a station. carry is length that contact kept the folds between here and the ring from
 * taking: the cloth slides on, and this fold takes it up. Returns what is left. */
static double solve_fold(const frame_job *job, uint32_t station, uint32_t k, double carry)
{
    uint32_t index = station * job->ring->fold_count + k;
    const pl_fold *fold = &job->ring->folds[index];
    fold_figure *figure = &job->figures[index];
    double length = job->layer->lengths[index], rest = (double)fold->rest_length;
    if (fold->sample_count < 3 || (length >= rest && !(carry > 0)))
    {
        return fold->sample_count < 3 ? carry : 0;
    }
    const pl_fold_segment *segments = job->layer->segments + fold->first_sample;
    double wanted = fmax(length, rest) + carry;
    pl_fold_solution solution = pl_fold_solve(segments, fold->sample_count - 1, wanted, 0);
    double room = (double)job->layer->rooms[index], height = solution.amplitude;
    figure->limited = job->layer->options.contact && height > room;
    height = (figure->limited ? room : height) * (double)fold->fade;
    figure->raised = height > 0;
    figure->steps = (uint8_t)solution.steps;
    figure->tau = (float)(fabs(solution.tau) / rest);
    figure->residual = (float)(fabs(pl_fold_residual(solution.amplitude, solution.tau)) / rest);
    job->layer->heights[index] = (float)height * job->layer->options.strength;
    return figure->limited ? fmax(0, -pl_fold_tau(segments, fold->sample_count - 1, wanted, height, NULL)) : 0;
}

/* From the ring outwards on both sides. */
static void solve_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count, middle = count / 2;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        memset(job->layer->heights + (size_t)i * count, 0, count * sizeof *job->layer->heights);
        memset(job->figures + (size_t)i * count, 0, count * sizeof *job->figures);
        double before = 0, behind = 0;
        for (uint32_t k = 0; k < middle && job->layer->compressed[i]; ++k)
        {
            before = solve_fold(job, i, middle - 1 - k, before);
            behind = solve_fold(job, i, middle + k, behind);
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
        pl_parallel_for(frame->tasks, ring->station_count, 4, look_at_stations, &job);
        if (layer->options.contact)
        {
            taper_rooms(layer, ring);
        }
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
