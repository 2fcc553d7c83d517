/* One frame of the folds layer: measure the lines, solve the folds, raise the vertices. */
#include "layers/folds/bind/lanes.h"
#include "layers/folds/clip/lids.h"
#include "layers/folds/garment/lining.h"
#include "layers/folds/clearance/near.h"

#include "base/parallel.h"

#include <string.h>

typedef struct frame_job
{
    pl_folds_layer *layer;
    const pl_bound_ring *ring;
    pl_fold_figure *figures; /* of the ring, by station */
    const pleat_layer_frame *frame;
    pl_fold_pose pose; /* the frame, with a deep bend held */
    bool deep;         /* the limb touches itself */
} frame_job;

/* ---- Lengths ---- */

/* Positions are floats: a loss of length as small as their rounding is none. What is a little larger counts in part, so
 * that nothing jumps; from three times that on it counts in full. */
static double lost_length(double length, double wanted, double noise)
{
    double lost = wanted - length;
    return lost >= 3 * noise ? lost : lost > noise ? 1.5 * (lost - noise) : 0;
}

static float rounding_at(pl_f4 somewhere)
{
    float x = fabsf(somewhere[0]), y = fabsf(somewhere[1]), z = fabsf(somewhere[2]);
    x = x > y ? x : y;
    return 1e-6f * (x > z ? x : z);
}

/* Where a fold's samples are, in the real pose. */
static void place_samples(const frame_job *job, const pl_fold *fold, pl_f4 *points)
{
    const pl_fold_sample *samples = job->ring->samples + fold->first_sample;
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        points[i] = pl_fold_mix(job->frame->positions, samples[i].vertex, samples[i].weight);
    }
}

/* Where one is in the held pose. */
static pl_f4 place_sample(const frame_job *job, uint32_t index)
{
    const pl_fold_sample *sample = &job->ring->samples[index];
    pl_f4 point = pl_fold_mix(job->frame->positions, sample->vertex, sample->weight);
    return job->pose.held.excess > 0 ? pl_fold_hold_point(&job->pose.held, point, job->ring->sample_rest[index])
                                     : point;
}

/* The same of all of a fold's, and its length there. */
static double measure_fold(const frame_job *job, const pl_fold *fold)
{
    pl_f4 *points = job->layer->points + fold->first_sample;
    double length = 0;
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        points[i] = place_sample(job, fold->first_sample + i);
        length += i ? (double)pl_length3(points[i] - points[i - 1]) : 0;
    }
    return length;
}

/* The length of each fold; by station the largest part that a fold has lost. */
static void measure_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        float most = 0;
        for (uint32_t index = i * count; index < (i + 1) * count; ++index)
        {
            const pl_fold *fold = &job->ring->folds[index];
            if (fold->sample_count > 2)
            {
                double length = measure_fold(job, fold), rest = (double)fold->rest_length;
                float noise = rounding_at(job->layer->points[fold->first_sample]);
                job->layer->lengths[index] = length;
                job->layer->noises[index] = noise;
                most = fmaxf(most, (float)(lost_length(length, rest, (double)noise) / rest));
            }
        }
        job->layer->lost[i] = most;
    }
}

/* How far it is straight from where each fold begins to where it ends. */
static void span_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t index = begin * count; index < end * count; ++index)
    {
        const pl_fold *fold = &job->ring->folds[index];
        if (fold->sample_count > 2)
        {
            pl_f4 from = place_sample(job, fold->first_sample);
            pl_f4 to = place_sample(job, fold->first_sample + fold->sample_count - 1);
            job->layer->lengths[index] = (double)pl_length3(to - from);
        }
    }
}

/* ---- Directions and rooms ---- */

/* Which way the cloth of a station rises. */
static void turn_station(const frame_job *job, uint32_t station)
{
    uint32_t count = job->ring->fold_count + 1;
    for (uint32_t at = station * count; at < (station + 1) * count; ++at)
    {
        job->layer->ups[at] = pl_fold_turn(&job->ring->ups[at], job->frame->joints);
        if (job->pose.held.excess > 0)
        {
            float share = job->ring->feet_rest[at][3];
            job->layer->held[at] = pl_fold_hold_direction(&job->pose.held, job->layer->ups[at], share);
        }
    }
}

/* How a fold's samples rise for an amplitude of 1; in w, how far. */
static void raise_samples(const frame_job *job, uint32_t station, uint32_t k, pl_f4 *raised)
{
    const pl_fold *fold = &job->ring->folds[station * job->ring->fold_count + k];
    const pl_fold_sample *samples = job->ring->samples + fold->first_sample;
    const pl_f4 *ups = job->pose.held.excess > 0 ? job->layer->held : job->layer->ups;
    ups += (size_t)station * (job->ring->fold_count + 1) + k;
    for (uint32_t i = 0; i < fold->sample_count; ++i)
    {
        raised[i] = pl_lerp(ups[0], ups[1], samples[i].part) * pl_splat(samples[i].rise);
        raised[i][3] = samples[i].rise;
    }
}

/* The rooms of a station. Neighbours taper towards them: for them they narrow down as the station begins to fold, not
 * at once. */
static void find_rooms(const frame_job *job, uint32_t station, const pl_fold_bend *bend)
{
    uint32_t count = job->ring->fold_count;
    float lost = job->layer->lost[station], part = lost < 0.12f ? lost / 0.12f : 1;
    pl_fold_walls walls;
    pl_fold_walls_make(job->ring, station, &job->pose, &walls);
    for (uint32_t k = 0; k < count; ++k)
    {
        uint32_t index = station * count + k;
        const pl_fold *fold = &job->ring->folds[index];
        if (fold->sample_count > 2)
        {
            pl_f4 raised[PL_FOLD_SAMPLES];
            raise_samples(job, station, k, raised);
            float free =
                pl_fold_room(job->ring, &walls, k, job->layer->points + fold->first_sample, raised, fold->sample_count);
            free = fminf(free, bend->clear * PL_FOLD_STEEP * job->ring->width);
            float less = (free - job->layer->rooms[index]) * bend->contact;
            job->layer->tapers[index] += less * part;
            job->layer->rooms[index] += less;
        }
    }
}

/* The largest loss of a station and those beside it. Inside a bend lines that skinning has pushed through each other
 * grow back, and lose nothing any more, between others that do. */
static float lost_around(const frame_job *job, uint32_t station)
{
    float lost = job->layer->lost[station];
    for (int side = 0; side < 2; ++side)
    {
        uint32_t at = station;
        for (int n = 0; n < PL_FOLD_ASIDE; ++n)
        {
            at = pl_fold_station_beside(job->ring->station_count, job->ring->closed, at, side);
            lost = fmaxf(lost, job->layer->lost[at]);
        }
    }
    return lost;
}

/* In a deep bend: the crease in the real pose, and what it covers. */
static void cover_station(const frame_job *job, uint32_t station)
{
    pl_fold_pose real = {.frame = job->frame};
    pl_fold_wall *crease = &job->layer->creases[station];
    *crease = pl_fold_closing(job->ring, station, job->frame);
    /* Cloth that has lost nothing is not pressed: what covers it begins with its loss. */
    float part = pl_fold_ramp(lost_around(job, station), 0, 0.05f);
    part *= pl_fold_bend_of(job->ring, station, &job->pose).clear;
    part *= pl_fold_cover(job->ring, station, crease, job->frame);
    job->layer->pressed[station] = part;
    /* Only where cloth lies on cloth: far from it the plane would sweep over folds that it has nothing to do with. */
    float turn = pl_fold_ramp(part / job->ring->width, 0, 0.7f);
    job->layer->runs[station] = pl_fold_crease_turn(job->ring, station, &real, turn, crease);
    job->layer->runs[station][3] = 1;
}

/* And what it will take from the folds. */
static float spare_station(const frame_job *job, uint32_t station)
{
    const pl_folds_layer *layer = job->layer;
    const pl_fold_held *held = &job->pose.held;
    size_t middle = (size_t)station * (job->ring->fold_count + 1) + job->ring->fold_count / 2;
    pl_fold_tuck_pose pose = {
        .up = layer->ups[middle], .pivot = held->pivot, .points = layer->points, .frame = job->frame};
    pose.held = held->excess > 0 ? layer->held[middle] : pose.up;
    pose.pressed = layer->pressed[station];
    pose.given_up = held->given_up;
    return held->spared * pl_fold_tuck_share(job->ring, station, &pose);
}

static bool is_lost(const frame_job *job, int64_t station)
{
    return pl_fold_is_lost(job->layer, job->ring, station);
}

/* Vertices between two stations rise as both are turned. */
static bool is_turned(const frame_job *job, uint32_t station)
{
    return is_lost(job, station) || is_lost(job, (int64_t)station - 1) || is_lost(job, (int64_t)station + 1);
}

static void prepare_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        for (uint32_t k = i * count; k < (i + 1) * count; ++k)
        {
            job->layer->rooms[k] = job->layer->tapers[k] = PL_FOLD_STEEP * job->ring->width;
        }
        job->layer->carries[i] = job->layer->ends[i] = 1;
        job->layer->outers[i] = pl_fold_outer(job->pose.inner, job->ring->outs[i]);
        job->layer->spared[i] = 0;
        if (is_turned(job, i))
        {
            turn_station(job, i);
        }
        if (job->layer->lost[i] > 0)
        {
            pl_fold_bend bend = pl_fold_bend_of(job->ring, i, &job->pose);
            job->layer->carries[i] = bend.carry;
            job->layer->ends[i] = bend.ends;
            if (job->layer->options.contact && bend.contact > 0)
            {
                find_rooms(job, i, &bend);
            }
        }
    }
}

/* In deep bends. */
static void cover_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        job->layer->runs[i] = pl_splat(0);
        job->layer->pressed[i] = 0;
        if (is_turned(job, i))
        {
            cover_station(job, i);
        }
    }
}

static void spare_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        job->layer->spared[i] = job->layer->lost[i] > 0 ? spare_station(job, i) : 0;
    }
}

/* ---- Even cloth ---- */

/* The part of a segment of a line that lies before a place: 0 .. 1. */
static float part_before(float place, float from, float span)
{
    float part = (place - from) * span;
    part = part > 0 ? part : 0;
    return part < 1 ? part : 1;
}

/* Lengths come from the held pose; places move in the real one. */
static void take_real_steps(const frame_job *job, const pl_fold *fold, pl_f4 *steps)
{
    pl_f4 real[PL_FOLD_SAMPLES];
    place_samples(job, fold, real);
    for (uint32_t i = 0; i + 1 < fold->sample_count; ++i)
    {
        float rest = steps[i][3];
        steps[i] = real[i + 1] - real[i];
        steps[i][3] = rest;
    }
}

/* Raised along normals alone, the cloth of a fold is stretched on its flanks and stays compressed on its top and at its
 * feet (the paper's figure 4). Every place of the fold goes along the folded line to where the line has the length that
 * the place has at rest; the line keeps its shape and length. The paper corrects the directions of the next frame by
 * this frame's fold; done to the fold itself it needs no state and lags behind nothing. */
static void even_fold(const frame_job *job, uint32_t index, const pl_f4 *raised)
{
    const pl_fold *fold = &job->ring->folds[index];
    const pl_fold_sample *samples = job->ring->samples + fold->first_sample;
    const pl_f4 *points = job->layer->points + fold->first_sample;
    float *shifts = job->layer->shifts + 4 * (size_t)index * PL_FOLD_SAMPLES;
    pl_f4 steps[PL_FOLD_SAMPLES];
    float folded[PL_FOLD_SAMPLES] = {0}, span[PL_FOLD_SAMPLES], height = job->layer->heights[index];
    uint32_t last = fold->sample_count - 1;
    for (uint32_t i = 0; i < last; ++i)
    {
        steps[i] = points[i + 1] - points[i];
        float length = pl_length3(steps[i] + (raised[i + 1] - raised[i]) * pl_splat(height));
        folded[i + 1] = folded[i] + length;
        span[i] = length > 0 ? 1 / length : 0;
        steps[i][3] = 2 * (samples[i + 1].part - samples[i].part);
    }
    if (job->pose.held.excess > 0)
    {
        take_real_steps(job, fold, steps);
    }
    /* A fold that has hardly risen is not evened out: nothing jumps when it begins. And no place goes farther along the
     * line than the fold is high, or where cloth is compressed unevenly it would leap as a low fold ends. */
    float part_of_width = height / job->ring->width, most = 2 * part_of_width;
    float risen = fminf(fmaxf((part_of_width - PL_FOLD_LOW) / PL_FOLD_EVEN, 0), 1);
    for (uint32_t n = 0; n <= last; ++n)
    {
        float wanted = samples[n].part * folded[last];
        pl_f4 shift = pl_splat(0);
        for (uint32_t i = 0; i < last && n > 0 && n < last; ++i)
        {
            shift += steps[i] * pl_splat(part_before(wanted, folded[i], span[i]) - (i < n ? 1.0f : 0.0f));
        }
        float far = fabsf(shift[3]), part = far * risen > most ? most / far : risen;
        for (uint32_t c = 0; c < 4; ++c)
        {
            shifts[c * PL_FOLD_SAMPLES + n] = shift[c] * part;
        }
    }
}

/* ---- Amplitudes ---- */

/* A hollow must be filled before rising makes it any longer. Where the room ends before that, rising is of no use; from
 * three times the filling on it is free. Between 0.8 of the filling and that it is a straight line in both, so that a
 * room that shrinks or a hollow that deepens fast makes a fold's height change hardly faster than themselves. */
static double useful_room(double room, double hollow)
{
    double useful = (3 * room - 2.4 * hollow) / 2.2;
    useful = useful < room ? useful : room;
    return useful > 0 ? useful : 0;
}

static void note_solution(pl_fold_figure *figure, const pl_fold_solution *solution, double wanted)
{
    uint32_t steps = (uint32_t)solution->steps;
    double residual = fabs(pl_fold_residual(solution->amplitude, solution->tau));
    figure->raised += 1;
    figure->steps += steps;
    figure->most_steps = steps > figure->most_steps ? steps : figure->most_steps;
    figure->tau = fmaxf(figure->tau, (float)(fabs(solution->tau) / wanted));
    figure->residual = fmaxf(figure->residual, (float)(residual / wanted));
}

/* The amplitude of a fold at a station. carry is length that the folds between here and the ring left: the cloth slides
 * on, where nothing pins it, and this fold takes up a part. Below 0 it is length that the crease takes up in their
 * stead. Returns what is left then. */
static double solve_fold(const frame_job *job, uint32_t station, uint32_t k, double carry)
{
    uint32_t index = station * job->ring->fold_count + k;
    const pl_fold *fold = &job->ring->folds[index];
    if (fold->sample_count < 3)
    {
        return carry;
    }
    double slides = job->ring->beside_limbs ? (double)job->layer->slides[index] : 1;
    carry *= carry > 0 ? slides : 1;
    double length = job->layer->lengths[index];
    double missing = fmax((double)fold->rest_length - length, 0), given = (double)job->ring->gives[k] * missing;
    double taken = carry < 0 ? -fmin(-carry, missing - given) : (double)job->pose.held.take * carry;
    double wished = (double)fold->rest_length - given + taken;
    double lost = lost_length(length, wished, (double)job->layer->noises[index]);
    carry += given - taken; /* a fold that is stretched has use for what it took */
    if (!(lost > 0))
    {
        return carry;
    }
    double taken_up = pl_fold_take_up(lost, length, (double)fold->rest_length);
    carry += lost - taken_up;
    lost = taken_up;
    pl_f4 raised[PL_FOLD_SAMPLES];
    pl_fold_segment segments[PL_FOLD_SAMPLES];
    raise_samples(job, station, k, raised);
    pl_fold_segments(fold->sample_count, job->layer->points + fold->first_sample, raised, segments);
    double wanted = length + lost;
    pl_fold_solution solution = pl_fold_solve_eased(segments, fold->sample_count - 1, wanted, 0);
    double taper = (double)job->layer->tapers[index], room = (double)job->layer->rooms[index];
    room = useful_room(taper < room ? taper : room, solution.hollow);
    double height = pl_fold_limit(solution.amplitude, room);
    float gate = fminf(job->layer->gates[job->ring->first_fold + index], job->layer->outers[station]);
    double share = (double)fold->fade * (double)gate;
    float rising = (float)(height * share);
    bool limited = height<solution.amplitude, rises = rising> PL_FOLD_LEAST * job->ring->width;
    job->figures[station].limited += limited;
    if (rises)
    {
        note_solution(&job->figures[station], &solution, wanted);
    }
    job->layer->heights[index] = rises ? rising * job->ring->strength : 0;
    if (rises && job->layer->options.even && !job->deep)
    {
        even_fold(job, index, raised);
    }
    /* Of what was solved: of the eased equation in a hollow, or the rest would begin with all that easing leaves. */
    double left =
        limited ? -pl_fold_tau(segments, fold->sample_count - 1, wanted, height, NULL) - solution.relief * height : 0;
    left = left < lost ? left : lost;
    left *= solution.due * (double)job->layer->carries[station] * slides;
    return left > 0 ? carry + left : carry;
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
        double before = -(double)job->layer->spared[i], behind = before;
        for (uint32_t k = 0; k < middle && job->layer->lost[i] > 0; ++k)
        {
            before = solve_fold(job, i, middle - 1 - k, before);
            behind = solve_fold(job, i, middle + k, behind);
        }
        job->layer->highs[i] = 0;
        for (uint32_t k = 0; k < count; ++k)
        {
            job->layer->highs[i] = fmaxf(job->layer->highs[i], job->layer->heights[i * count + k]);
        }
    }
}

/* In deep bends: once folds have shared length along the ring. */
static void even_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            pl_f4 raised[PL_FOLD_SAMPLES];
            if (job->layer->heights[i * count + k] > 0)
            {
                raise_samples(job, i, k, raised);
                even_fold(job, i * count + k, raised);
            }
        }
    }
}

/* ---- Vertices ---- */

/* The cloth between two stations, within one fold: what its vertices rise by. */
typedef struct cell
{
    pl_fold_course height;
    const float *shifts[2];                           /* 4 by sample, at both stations */
    pl_f4 begin, begin_change, across, across_change; /* directions where the fold begins, and from there to its end */
} cell;

/* A fold that has not risen moves nothing, and its table is not filled. Where only one of both stations rises, the
 * other's direction counts as well: it is known there too. */
static cell make_cell(const frame_job *job, uint32_t station, uint32_t k)
{
    static const float unmoved[4 * PL_FOLD_SAMPLES];
    const pl_folds_layer *layer = job->layer;
    uint32_t count = job->ring->fold_count, second = pl_fold_station_after(job->ring, station);
    uint32_t index[2] = {station * count + k, second * count + k};
    const pl_f4 *a = layer->ups + index[0] + station, *b = layer->ups + index[1] + second;
    cell c = {.begin = a[0], .begin_change = b[0] - a[0]};
    c.height = pl_fold_course_of(layer->heights[index[0]], layer->heights[index[1]], c.begin_change);
    c.across = a[1] - a[0];
    c.across_change = (b[1] - a[1]) - c.begin_change;
    for (int i = 0; i < 2; ++i)
    {
        bool moved = layer->options.even && layer->heights[index[i]] > 0;
        c.shifts[i] = moved ? layer->shifts + 4 * (size_t)index[i] * PL_FOLD_SAMPLES : unmoved;
    }
    return c;
}

static pl_f4 shift_at(const float *shifts, uint32_t sample, float beyond)
{
    const float *s = shifts + sample;
    pl_f4 from = pl_set(s[0], s[PL_FOLD_SAMPLES], s[2 * PL_FOLD_SAMPLES], s[3 * PL_FOLD_SAMPLES]);
    pl_f4 to = pl_set(s[1], s[PL_FOLD_SAMPLES + 1], s[2 * PL_FOLD_SAMPLES + 1], s[3 * PL_FOLD_SAMPLES + 1]);
    return pl_lerp(from, to, beyond);
}

/* How a place moves along its line, and in w, by how much x; between both stations. */
static pl_f4 shift_of(const cell *c, const pl_fold_vertex *v)
{
    pl_f4 a = shift_at(c->shifts[0], v->sample[0], v->beyond[0]),
          b = shift_at(c->shifts[1], v->sample[1], v->beyond[1]);
    return (a + (b - a) * pl_splat(v->share)) * pl_splat(v->mask);
}

static float profile_at(const pl_profile *profile, float x)
{
    float r = fabsf(x);
    /* The usual one without a call. */
    return profile->kind != PL_PROFILE_THIRD ? pl_profile_at(profile, x) : r < 1 ? 1 - r * r * (3 - 2 * r) : 0;
}

static pl_f4 direction_of(const cell *c, const pl_fold_vertex *v)
{
    pl_f4 share = pl_splat(v->share);
    pl_f4 begin = c->begin + c->begin_change * share, across = c->across + c->across_change * share;
    return begin + across * pl_splat(0.5f * (v->x + 1));
}

/* How a vertex moves. */
static pl_f4 move_of(const frame_job *job, const cell *c, const pl_fold_vertex *v)
{
    pl_f4 shift = shift_of(c, v);
    float amplitude = v->mask * (c->height.first + v->share * (c->height.change + c->height.bulge * (1 - v->share)));
    amplitude *= profile_at(&job->ring->profile, v->x + shift[3]);
    shift[3] = 0;
    return shift + direction_of(c, v) * pl_splat(amplitude);
}

static void raise_cell(const frame_job *job, uint32_t station, uint32_t k)
{
    const uint32_t *first = job->ring->first_vertex + (size_t)station * job->ring->fold_count + k;
    cell c = make_cell(job, station, k);
    for (uint32_t v = first[0]; v < first[1]; ++v)
    {
        pleat_vec4 *position = &job->frame->positions[job->ring->vertices[v].vertex];
        pl_store(position, pl_load(position) + move_of(job, &c, &job->ring->vertices[v]));
    }
}

/* In a deep bend: folds stay before the crease. */
static void press_cell(const frame_job *job, uint32_t station, uint32_t k)
{
    const uint32_t *first = job->ring->first_vertex + (size_t)station * job->ring->fold_count + k;
    cell c = make_cell(job, station, k);
    pl_fold_press press = pl_fold_press_of(job->ring, station, k, job->layer, job->pose.held.press);
    for (uint32_t i = first[0]; i < first[1]; ++i)
    {
        const pl_fold_vertex *v = &job->ring->vertices[i];
        pleat_vec4 *position = &job->frame->positions[v->vertex];
        pl_store(position, pl_fold_settle(&press, v, pl_load(position), move_of(job, &c, v)));
    }
}

static void raise_vertices(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        const float *heights = job->layer->heights + (size_t)i * count;
        const float *next = job->layer->heights + (size_t)pl_fold_station_after(ring, i) * count;
        for (uint32_t k = 0; k < count; ++k)
        {
            if (job->deep && (is_lost(job, i) || is_lost(job, (int64_t)i + 1)))
            {
                press_cell(job, i, k);
            }
            else if (heights[k] > 0 || next[k] > 0)
            {
                raise_cell(job, i, k);
            }
        }
    }
}

/* ---- Tucks ---- */

static void find_tucks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        pl_f4 up = job->layer->ups[(size_t)i * (count + 1) + count / 2];
        bool asked = job->layer->lost[i] > 0;
        job->layer->tucks[i] = asked ? job->pose.held.tuck * pl_fold_tuck(job->ring, i, up, job->pose.held.pivot,
                                                                          job->layer->pressed[i], job->frame)
                                     : 0;
    }
}

static void tuck_vertices(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const frame_job *job = data;
    uint32_t count = job->ring->fold_count;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t next = pl_fold_station_after(job->ring, i);
        const float tucks[2] = {job->layer->tucks[i], job->layer->tucks[next]};
        const pl_f4 *ups = job->layer->ups + count / 2;
        const pl_f4 both[2] = {ups[(size_t)i * (count + 1)], ups[(size_t)next * (count + 1)]};
        for (uint32_t k = 0; k < count && (tucks[0] > 0 || tucks[1] > 0); ++k)
        {
            if (pl_fold_is_tucked(job->ring, k))
            {
                pl_fold_tuck_cell(job->ring, i, k, tucks, both, job->frame->positions);
            }
        }
    }
}

/* The stronger the bend, the longer the ends of folds that the crease stops: short ones would stand like beads. */
static float room_slope(const pl_folds_layer *layer, const pl_bound_ring *ring)
{
    float least = 1;
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float lost = layer->lost[i] / 0.05f, slope = 1 - (1 - layer->ends[i]) * (lost < 1 ? lost : 1);
        least = slope < least ? slope : least;
    }
    return 0.02f + 0.98f * least;
}

static bool any_lost(const pl_folds_layer *layer, const pl_bound_ring *ring)
{
    uint32_t i = 0;
    while (i < ring->station_count && !(layer->lost[i] > 0))
    {
        ++i;
    }
    return i < ring->station_count;
}

/* ---- In lanes ---- */

typedef struct lanes_job
{
    pl_fold_lane_job job;
    pl_fold_kernel *kernel;
} lanes_job;

static void run_blocks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const lanes_job *job = data;
    (void)worker;
    for (uint32_t block = begin; block < end; ++block)
    {
        job->kernel(&job->job, block);
    }
}

/* blocks: of stations, or what the kernel takes instead; asked: as of the ring's lanes, or NULL for everything. */
static void run_kernel(const frame_job *job, pl_fold_kernel *kernel, uint32_t blocks, const uint32_t *asked)
{
    lanes_job lanes = {{job->layer, job->ring, job->figures, job->frame, &job->pose, job->deep, asked}, kernel};
    pl_parallel_for(job->frame->tasks, blocks, 1, run_blocks, &lanes);
}

static void run_stations(const frame_job *job, pleat_task *task)
{
    pl_parallel_for(job->frame->tasks, job->ring->station_count, 4, task, (void *)(uintptr_t)job);
}

/* A stage of a ring, for blocks of stations where there are kernels, or for stations. */
static void run_stage(const frame_job *job, pleat_task *task, pl_fold_kernel *kernel)
{
    if (job->layer->kernels)
    {
        run_kernel(job, kernel, job->ring->lanes->block_count, NULL);
    }
    else
    {
        run_stations(job, task);
    }
}

/* How high contact with anything but the limb's own bend lets folds rise. */
static void mind_others(const frame_job *job, const pl_fold_kernels *wide)
{
    const pl_bound_ring *ring = job->ring;
    pl_folds_mind_crushed(job->layer, ring, job->frame);
    if (job->layer->kernels)
    {
        run_kernel(job, wide->mind, (ring->near_count + PL_FOLD_NEARS - 1) / PL_FOLD_NEARS, NULL);
    }
    else
    {
        pl_folds_mind_others(job->layer, ring, job->frame);
    }
    if (ring->beside_limbs)
    {
        pl_fold_share_rooms(ring, job->layer->slides);
    }
    pl_folds_hold_down(ring, job->layer->tapers);
    pl_fold_taper_rooms(ring, room_slope(job->layer, ring), job->layer->tapers);
}

/* Folds of a deep bend share length along their ring before they are evened out. */
static void solve_deep(const frame_job *job, const pl_fold_kernels *wide)
{
    run_stage(job, spare_stations, wide->spare);
    run_stage(job, solve_stations, wide->solve);
    pl_fold_share_along(job->ring, job->pose.held.along, job->layer);
    pl_fold_leave_stubs(job->ring, job->pose.held.stubs, job->layer);
    if (job->layer->options.even)
    {
        run_stage(job, even_stations, wide->even);
    }
}

static float most_of(const float *values, uint32_t count)
{
    float most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

static void update_ring(const frame_job *job)
{
    pl_folds_layer *layer = job->layer;
    const pl_bound_ring *ring = job->ring;
    pl_fold_kernels wide = layer->kernels ? *layer->kernels : (pl_fold_kernels){0};
    memset(job->figures, 0, ring->station_count * sizeof *job->figures);
    run_stage(job, measure_stations, wide.measure);
    if (!any_lost(layer, ring))
    {
        return;
    }
    run_stage(job, prepare_stations, wide.prepare);
    if (job->deep)
    {
        run_stations(job, cover_stations);
        layer->closed[ring - layer->rings] = most_of(layer->pressed, ring->station_count);
        pl_folds_find_strays(ring, layer);
    }
    if (layer->options.contact)
    {
        mind_others(job, &wide);
    }
    if (job->deep)
    {
        solve_deep(job, &wide);
    }
    else
    {
        run_stage(job, solve_stations, wide.solve);
    }
    run_stage(job, raise_vertices, wide.raise);
    if (job->deep)
    {
        run_stage(job, find_tucks, wide.tuck);
        run_stage(job, tuck_vertices, wide.sink);
    }
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        layer->highest = layer->highs[i] > layer->highest ? layer->highs[i] : layer->highest;
    }
}

static frame_job make_job(pl_folds_layer *layer, const pl_bound_ring *ring, const pleat_layer_frame *frame)
{
    size_t r = (size_t)(ring - layer->rings);
    frame_job job = {
        layer, ring, layer->figures + ring->first_figure, frame, {frame, layer->bends[r], layer->inners[r]}, false};
    job.deep = layer->options.contact && job.pose.held.deep;
    if (!layer->options.contact)
    {
        job.pose.held = (pl_fold_held){.take = PL_FOLD_TAKE}; /* limbs may pass through themselves */
    }
    return job;
}

/* Which folds win where rings cross: by what they lose on the skinned surface, before any rise. */
static void settle_crossings(pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        if (layer->rings[r].ask_count)
        {
            frame_job job = make_job(layer, &layer->rings[r], frame);
            if (layer->kernels)
            {
                run_kernel(&job, layer->kernels->measure, job.ring->lanes->block_count, job.ring->lanes->asked);
            }
            else
            {
                run_stations(&job, span_stations);
            }
            pl_folds_note_losses(layer, job.ring, layer->kernels != NULL);
        }
    }
    pl_folds_settle_crossings(layer);
}

void pl_folds_update(void *user, const pleat_layer_frame *frame)
{
    pl_folds_layer *layer = user;
    layer->highest = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        layer->bends[r] = pl_fold_held_of(ring, frame);
        layer->closed[r] = 0;
        layer->inners[r] = ring->outward
                               ? pl_fold_inner(ring->axis, &frame->joints[ring->parent], &frame->joints[ring->joint])
                               : pl_splat(0);
    }
    pl_folds_note_outer(layer, frame);
    pl_folds_meet_lids(layer, frame);
    settle_crossings(layer, frame);
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        frame_job job = make_job(layer, ring, frame);
        update_ring(&job);
    }
    pl_folds_hold_lids(layer, frame);
    pl_folds_pull_lining(layer, frame);
}
