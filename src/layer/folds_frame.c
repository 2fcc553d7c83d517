/* One frame of the folds layer: measure the lines, solve the folds, raise the vertices. */
#include "layer/folds.h"

#include "base/parallel.h"

#include <string.h>

typedef struct frame_job
{
    pl_folds_layer *layer;
    const pl_bound_ring *ring;
    pl_fold_figure *figures; /* of the ring */
    const pleat_layer_frame *frame;
} frame_job;

/* ---- Lengths ---- */

static uint32_t gather_points(const frame_job *job, const pl_fold *fold, pl_f4 *points)
{
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        const pl_fold_sample *sample = &job->ring->samples[fold->first_sample + i];
        points[i] = pl_fold_mix(job->frame->positions, sample->vertex, sample->weight);
    }
    return fold->sample_count;
}

/* Positions are floats: a loss of length as small as their rounding is none. What is a little larger counts in part, so
 * that nothing jumps; from three times that on it counts in full. */
static double lost_length(double length, double wanted, double noise)
{
    double lost = wanted - length;
    return lost >= 3 * noise ? lost : fmax(1.5 * (lost - noise), 0);
}

static float rounding_at(pl_f4 somewhere)
{
    return 1e-6f * fmaxf(fabsf(somewhere[0]), fmaxf(fabsf(somewhere[1]), fabsf(somewhere[2])));
}

/* The length of each fold of a station. Returns the largest part of its length that a fold has lost; 0: the station has
 * nothing to do. */
static float measure_station(const frame_job *job, uint32_t station)
{
    double most = 0;
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t index = station * job->ring->fold_count + k;
        const pl_fold *fold = &job->ring->folds[index];
        pl_f4 points[PL_FOLD_SAMPLES];
        double length = 0, rest = (double)fold->rest_length;
        uint32_t count = gather_points(job, fold, points);
        for (uint32_t i = 1; i < count; ++i)
        {
            length += (double)pl_length3(points[i] - points[i - 1]);
        }
        job->layer->lengths[index] = length;
        if (count > 2)
        {
            job->layer->noises[station] = rounding_at(points[0]);
            most = fmax(most, lost_length(length, rest, (double)job->layer->noises[station]) / rest);
        }
    }
    return (float)most;
}

/* ---- Directions ---- */

/* Which way the cloth of a station rises. */
static void turn_station(const frame_job *job, uint32_t station)
{
    uint32_t count = job->ring->fold_count + 1;
    for (uint32_t at = station * count; at < (station + 1) * count; ++at)
    {
        const pl_fold_up *up = &job->ring->ups[at];
        pl_f4 sum = pl_splat(0);
        if (job->frame->joints)
        {
            for (int i = 0; i < 4; ++i)
            {
                sum += pl_affine_vector(&job->frame->joints[up->joint[i]], up->normal) * pl_splat(up->weight[i]);
            }
        }
        else
        {
            const pl_fold_sample *foot = &job->ring->feet[3 * (size_t)at + 1];
            sum = pl_fold_mix(job->frame->normals, foot->vertex, foot->weight);
        }
        job->layer->ups[at] = pl_normalize3(sum);
    }
}

/* Segments of a station's folds, and how much room each has. */
static void prepare_station(const frame_job *job, uint32_t station)
{
    /* Neighbours taper towards this station's rooms: these narrow down as it begins to fold, not at once. */
    float asked = fminf(job->layer->losses[station] / 0.005f, 1);
    const pl_f4 *ups = job->layer->ups + (size_t)station * (job->ring->fold_count + 1);
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t index = station * job->ring->fold_count + k;
        const pl_fold *fold = &job->ring->folds[index];
        pl_f4 points[PL_FOLD_SAMPLES], raised[PL_FOLD_SAMPLES];
        uint32_t count = gather_points(job, fold, points);
        for (uint32_t i = 0; i < count; ++i)
        {
            const pl_fold_sample *sample = &job->ring->samples[fold->first_sample + i];
            raised[i] = pl_lerp(ups[k], ups[k + 1], sample->arc / fold->rest_length) * pl_splat(sample->rise);
        }
        if (count > 2)
        {
            pl_fold_segments(count, points, raised, job->layer->segments + fold->first_sample);
        }
        if (count > 2 && job->layer->options.contact && job->frame->joints)
        {
            float room = pl_fold_room(job->ring, station, k, job->frame, points, raised, count);
            job->layer->rooms[index] += (room - job->layer->rooms[index]) * asked;
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
        memset(job->figures + (size_t)i * count, 0, count * sizeof *job->figures);
        for (uint32_t k = 0; k < count; ++k)
        {
            job->layer->rooms[i * count + k] = PL_FOLD_STEEP * job->ring->width;
        }
        job->layer->losses[i] = measure_station(job, i);
        turn_station(job, i);
        job->layer->carries[i] = pl_fold_carry(job->ring, i, job->frame);
        if (job->layer->losses[i] > 0)
        {
            prepare_station(job, i);
        }
    }
}

/* ---- Amplitudes ---- */

/* A fold nears its room slowly: up to SOFT of it freely, at twice the rest of the way it is full. What it does not take
 * then grows with the square, and so the height of the fold that takes it over instead begins evenly, where the bare
 * square root would leap. */
#define SOFT 0.7

static double limit(double amplitude, double room)
{
    double over = amplitude - SOFT * room, span = 2 * (1 - SOFT) * room;
    if (!(over > 0))
    {
        return amplitude;
    }
    return over >= span ? room : amplitude - over * over / (2 * span);
}

/* A hollow must be filled before rising makes it any longer. Where the room ends before that, rising is of no use: from
 * twice the filling on it is free. */
static double useful_room(double room, double hollow)
{
    if (!(hollow > 0) || room >= 2 * hollow)
    {
        return room;
    }
    double t = fmax(room / hollow - 1, 0);
    return room * t * t * (3 - 2 * t);
}

/* The amplitude of a fold at a station. carry is length that contact kept the folds between here and the ring from
 * taking: the cloth slides on, and this fold takes it up. Returns what is left. */
static double solve_fold(const frame_job *job, uint32_t station, uint32_t k, double carry)
{
    uint32_t index = station * job->ring->fold_count + k;
    const pl_fold *fold = &job->ring->folds[index];
    pl_fold_figure *figure = &job->figures[index];
    if (fold->sample_count < 3)
    {
        return carry;
    }
    double length = job->layer->lengths[index];
    double lost = lost_length(length, (double)fold->rest_length + carry, (double)job->layer->noises[station]);
    if (!(lost > 0))
    {
        return 0; /* a fold that is stretched has use for what came over */
    }
    const pl_fold_segment *segments = job->layer->segments + fold->first_sample;
    double wanted = length + lost;
    pl_fold_solution solution = pl_fold_solve_eased(segments, fold->sample_count - 1, wanted, 0);
    double room = useful_room((double)job->layer->rooms[index], solution.hollow);
    double height = limit(solution.amplitude, room);
    figure->limited = height < solution.amplitude;
    figure->raised = height * (double)fold->fade > 0;
    if (figure->raised)
    {
        figure->steps = (uint8_t)solution.steps;
        figure->tau = (float)(fabs(solution.tau) / wanted);
        figure->residual = (float)(fabs(pl_fold_residual(solution.amplitude, solution.tau)) / wanted);
    }
    job->layer->heights[index] = (float)(height * (double)fold->fade) * job->layer->options.strength;
    double left = figure->limited ? -pl_fold_tau(segments, fold->sample_count - 1, wanted, height, NULL) : 0;
    return fmin(fmax(0, left), lost) * (double)job->layer->carries[station];
}

/* ---- Even cloth ---- */

/* Raised along normals alone, the cloth of a fold is stretched on its flanks and stays compressed on its top and at its
 * feet (the paper's figure 4). Every place of the fold goes along the folded line to where the line has the length that
 * the place has at rest; the line keeps its shape and length. The paper corrects the directions of the next frame by
 * this frame's fold; done to the fold itself it needs no state and lags behind nothing. */
static void even_fold(const frame_job *job, uint32_t index)
{
    const pl_fold *fold = &job->ring->folds[index];
    pl_f4 *shifts = job->layer->shifts + (size_t)index * PL_FOLD_NODES;
    const pl_fold_sample *samples = job->ring->samples + fold->first_sample;
    const pl_fold_segment *segments = job->layer->segments + fold->first_sample;
    pl_f4 points[PL_FOLD_SAMPLES];
    double folded[PL_FOLD_SAMPLES], x = (double)job->layer->heights[index];
    uint32_t count = gather_points(job, fold, points), from = 0, to = 0;
    folded[0] = 0;
    for (uint32_t i = 1; i < count; ++i)
    {
        const pl_fold_segment *s = &segments[i - 1];
        double squared = s->a + x * (2 * s->b + x * s->c);
        folded[i] = folded[i - 1] + sqrt(squared > 0 ? squared : 0);
    }
    /* A fold that has hardly risen has hardly been evened out: nothing jumps when it begins. */
    float risen = fminf((float)x / (0.1f * job->ring->width), 1);
    shifts[0] = shifts[PL_FOLD_NODES - 1] = pl_splat(0);
    for (uint32_t n = 1; n + 1 < PL_FOLD_NODES; ++n)
    {
        float part = (float)n / (PL_FOLD_NODES - 1), arc = part * samples[count - 1].arc;
        double wanted = (double)part * folded[count - 1];
        while (from + 2 < count && samples[from + 1].arc < arc)
        {
            ++from;
        }
        while (to + 2 < count && folded[to + 1] < wanted)
        {
            ++to;
        }
        float here = (arc - samples[from].arc) / fmaxf(samples[from + 1].arc - samples[from].arc, 1e-20f);
        float there = (float)((wanted - folded[to]) / fmax(folded[to + 1] - folded[to], 1e-20));
        float goal = samples[to].arc + there * (samples[to + 1].arc - samples[to].arc);
        shifts[n] = pl_lerp(points[to], points[to + 1], there) - pl_lerp(points[from], points[from + 1], here);
        shifts[n][3] = 2 * (goal - arc) / samples[count - 1].arc;
        shifts[n] *= pl_splat(risen);
    }
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
        double before = 0, behind = 0;
        for (uint32_t k = 0; k < middle && job->layer->losses[i] > 0; ++k)
        {
            before = solve_fold(job, i, middle - 1 - k, before);
            behind = solve_fold(job, i, middle + k, behind);
        }
        for (uint32_t k = i * count; k < (i + 1) * count && job->layer->options.even; ++k)
        {
            if (job->layer->heights[k] > 0)
            {
                even_fold(job, k);
            }
        }
    }
}

/* ---- Vertices ---- */

static pl_f4 shift_of(const pl_folds_layer *layer, const pl_fold_vertex *v)
{
    float at = (v->x + 1) * (0.5f * (PL_FOLD_NODES - 1));
    uint32_t node = at > 0 ? (uint32_t)at : 0;
    node = node < PL_FOLD_NODES - 2 ? node : PL_FOLD_NODES - 2;
    float t = at - (float)node;
    pl_f4 sum = pl_splat(0);
    for (int i = 0; i < 2; ++i)
    {
        if (layer->heights[v->fold[i]] > 0) /* else its table is not filled */
        {
            const pl_f4 *shift = layer->shifts + (size_t)v->fold[i] * PL_FOLD_NODES + node;
            sum += pl_lerp(shift[0], shift[1], t) * pl_splat(v->weight[i]);
        }
    }
    return sum;
}

/* Between the ends of the fold at both stations. Where only one of them rises, the other's direction counts as well: it
 * is known for every station. */
static pl_f4 direction_of(const pl_folds_layer *layer, const pl_fold_vertex *v)
{
    const pl_f4 *a = layer->ups + v->up[0], *b = layer->ups + v->up[1];
    float t = 0.5f * (v->x + 1), share = v->weight[1] / (v->weight[0] + v->weight[1]);
    return pl_lerp(pl_lerp(a[0], a[1], t), pl_lerp(b[0], b[1], t), share);
}

static void raise_vertices(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    const float *heights = job->layer->heights;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        const pl_fold_vertex *v = &job->ring->vertices[i];
        float amplitude = v->weight[0] * heights[v->fold[0]] + v->weight[1] * heights[v->fold[1]];
        if (!(amplitude > 0))
        {
            continue;
        }
        pleat_vec4 *position = &job->frame->positions[v->vertex];
        pl_f4 shift = job->layer->options.even ? shift_of(job->layer, v) : pl_splat(0);
        float height = amplitude * pl_profile_at(&job->layer->profile, v->x + shift[3]);
        shift[3] = 0;
        pl_store(position, pl_load(position) + shift + direction_of(job->layer, v) * pl_splat(height));
    }
}

/* The stronger the bend, the longer the ends of folds that the crease stops: short ones would stand like beads. */
static float room_slope(const pl_folds_layer *layer, const pl_bound_ring *ring)
{
    float least = 1;
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        least = fminf(least, layer->carries[i]);
    }
    return 0.03f + 0.97f * least;
}

void pl_folds_update(void *user, const pleat_layer_frame *frame)
{
    pl_folds_layer *layer = user;
    uint32_t first = 0;
    layer->highest = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        frame_job job = {layer, ring, layer->figures + first, frame};
        pl_parallel_for(frame->tasks, ring->station_count, 4, look_at_stations, &job);
        if (layer->options.contact)
        {
            pl_fold_taper_rooms(ring, room_slope(layer, ring), layer->rooms);
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
