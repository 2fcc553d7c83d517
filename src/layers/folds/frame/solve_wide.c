/* Amplitudes of folds in a frame, and what evens them out, for a block of eight stations: solve_stations of
 * frame/frame.c. */
#include "base/wide.h"
#include "layers/folds/solve/eight.h"
#include "layers/folds/frame/points.h"

#include <string.h>

_Static_assert(PL_FOLD_INSIDE + 1 == PL_FOLD_SEGMENTS, "the segments of a fold lie between its samples");

void PL_WIDE(pl_fold_solve_eight)(const pl_fold_eight *folds, const pl_f8 *wanted, pl_fold_eight_solution *out)
{
    pl_fold_eight_solve(&folds, &wanted, &out, 1);
}

/* The segments of a fold at eight stations. */
static void load_segments(const pl_fold_lane_job *job, uint32_t block, uint32_t index, pl_fold_eight *out)
{
    const pl_fold_group *group = &job->ring->lanes->groups[index];
    const pl_fold_row *rows = job->ring->lanes->rows + group->first_row;
    const pl_fold_lane_work *work = job->layer->work;
    const pl_f8(*points)[3] = (const pl_f8(*)[3])work->points + group->first_row;
    const pl_f8(*feet)[3] = (const pl_f8(*)[3])work->foot_points + index + block;
    const pl_f8(*ups)[3] = (const pl_f8(*)[3])work->ups + index + block;
    uint32_t last = group->row_count;
    out->count = last + 1;
    for (int c = 0; c < 3; ++c)
    {
        pl_f8 up = ups[0][c], change = ups[1][c] - up, before = feet[0][c], low = up * group->rise[0];
        for (uint32_t i = 0; i < last; ++i)
        {
            pl_f8 point = points[i][c], high = (up + change * rows[i].part) * rows[i].rise;
            out->step[i][c] = point - before;
            out->rise[i][c] = high - low;
            before = point;
            low = high;
        }
        out->step[last][c] = feet[1][c] - before;
        out->rise[last][c] = ups[1][c] * group->rise[1] - low;
    }
}

/* ---- Even cloth ---- */

/* The part of each segment of a line that lies before a place: 0 .. 1. */
PL_INLINE pl_f8 part_before(pl_f8 place, pl_f8 from, pl_f8 span)
{
    return pl_min8(pl_max8((place - from) * span, pl_splat8(0)), pl_splat8(1));
}

/* How samples move at eight stations, from rows of those to tables by station. What they become where nothing rises is
 * never read. */
PL_INLINE void store_shifts(const pl_fold_lane_job *job, uint32_t block, uint32_t k, pl_f8 shifts[4][PL_FOLD_SAMPLES])
{
    size_t stride = 4 * (size_t)job->ring->fold_count * PL_FOLD_SAMPLES;
    float *to = job->layer->shifts + block * PL_FOLD_LANES * stride + 4 * (size_t)k * PL_FOLD_SAMPLES;
    for (uint32_t c = 0; c < 4; ++c)
    {
        pl_transpose8x8(shifts[c]);
        for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
        {
            *(pl_f8 *)(to + lane * stride + (size_t)c * PL_FOLD_SAMPLES) = shifts[c][lane];
        }
    }
}

/* steps: along the segments in the real pose; count: of segments. */
PL_INLINE void even_counted(const pl_fold_lane_job *job, uint32_t block, uint32_t k, const pl_fold_eight *s,
                            const pl_f8 (*steps)[3], pl_f8 heights, uint32_t count)
{
    const pl_fold_group *group = &job->ring->lanes->groups[block * job->ring->fold_count + k];
    const pl_fold_row *rows = job->ring->lanes->rows + group->first_row;
    pl_f8 zero = pl_splat8(0), begin = zero;
    pl_f8 folded[PL_FOLD_SAMPLES] = {{0}}, span[PL_FOLD_SAMPLES] = {{0}}, rest[PL_FOLD_SAMPLES] = {{0}};
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_f8 segment[3], length = pl_fold_eight_segment(s, i, heights, segment);
        pl_f8 next = i + 1 < count ? rows[i].part : pl_splat8(1);
        folded[i + 1] = folded[i] + length;
        span[i] = 1 / length;
        rest[i] = 2 * (next - begin);
        begin = next;
    }
    pl_f8 risen = (heights - PL_FOLD_LOW * job->ring->width) / pl_splat8(PL_FOLD_EVEN * job->ring->width);
    risen = pl_min8(pl_max8(risen, zero), pl_splat8(1));
    pl_f8 most = heights * pl_splat8(2 / job->ring->width);
    pl_f8 shifts[4][PL_FOLD_SAMPLES];
    for (uint32_t n = count; n < PL_FOLD_SAMPLES; ++n)
    {
        shifts[0][n] = shifts[1][n] = shifts[2][n] = shifts[3][n] = zero;
    }
    shifts[0][0] = shifts[1][0] = shifts[2][0] = shifts[3][0] = zero;
#pragma GCC unroll 8
    for (uint32_t n = 1; n < count; ++n)
    {
        pl_f8 wanted = rows[n - 1].part * folded[count], shift[4] = {zero, zero, zero, zero};
#pragma GCC unroll 8
        for (uint32_t i = 0; i < count; ++i)
        {
            pl_f8 share = part_before(wanted, folded[i], span[i]) - (i < n ? 1.0f : 0.0f);
            for (int c = 0; c < 3; ++c)
            {
                shift[c] += steps[i][c] * share;
            }
            shift[3] += rest[i] * share;
        }
        /* Behind its last sample a fold's end follows. */
        pl_i8 own = rows[n - 1].part > (n > 1 ? rows[n - 2].part : zero);
        pl_f8 far = pl_abs8(shift[3]), part = pl_select8(far * risen > most, most / far, risen);
        pl_f8 scale = (pl_f8)((pl_i8)part & own);
        for (int c = 0; c < 4; ++c)
        {
            shifts[c][n] = shift[c] * scale;
        }
    }
    store_shifts(job, block, k, shifts);
}

/* The number of segments is a constant to each: their loops are taken apart. */
static void even_folds(const pl_fold_lane_job *job, uint32_t block, uint32_t k, const pl_fold_eight *s,
                       const pl_f8 (*steps)[3], pl_f8 heights)
{
    switch (s->count)
    {
    case 3:
        even_counted(job, block, k, s, steps, heights, 3);
        break;
    case 4:
        even_counted(job, block, k, s, steps, heights, 4);
        break;
    case 5:
        even_counted(job, block, k, s, steps, heights, 5);
        break;
    default:
        even_counted(job, block, k, s, steps, heights, s->count);
    }
}

/* ---- Amplitudes ---- */

PL_INLINE pl_f8 useful_room(pl_f8 room, pl_f8 hollow)
{
    return pl_max8(pl_min8((3 * room - 2.4f * hollow) * (1 / 2.2f), room), pl_splat8(0));
}

/* pl_fold_take_up, where any is lost. */
PL_INLINE pl_f8 take_up(pl_f8 lost, pl_f8 length, pl_f8 rest)
{
    pl_f8 longer = pl_max8(length - (float)PL_FOLD_LONG * rest, pl_splat8(0));
    return lost * (lost / (lost + longer));
}

/* A fold's values at eight stations, from stations by folds. */
PL_INLINE pl_f8 gather(const float *values, uint32_t count)
{
    pl_f8 out;
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        out[lane] = values[(size_t)lane * count];
    }
    return out;
}

/* What eight folds came to. */
typedef struct outcome
{
    pl_f8 wanted;
    pl_fold_eight_solution solution;
    pl_i8 solved, limited, raised;
} outcome;

/* Of all folds of a block so far, in lanes of stations. */
typedef struct tally
{
    pl_f8 highest, tau, residual;
    pl_i8 steps, most_steps, raised, limited; /* the last two count down: a mask is -1 */
} tally;

static void note_outcome(const outcome *o, tally *t)
{
    pl_f8 inverse = 1 / o->wanted, x = o->solution.amplitude * inverse, tau = o->solution.tau * inverse;
    pl_f8 residual = pl_abs8(pl_sqrt8(x * x + tau * tau) - x - tau);
    pl_i8 steps = o->solution.steps & o->raised;
    t->tau = pl_max8((pl_f8)((pl_i8)pl_abs8(tau) & o->raised), t->tau);
    t->residual = pl_max8((pl_f8)((pl_i8)residual & o->raised), t->residual);
    t->steps += steps;
    t->most_steps = pl_larger8(steps, t->most_steps);
    t->raised += o->raised;
    t->limited += o->limited;
}

static pl_fold_figure figure_of(const tally *t)
{
    pl_fold_figure figure = {0};
    for (int i = 0; i < PL_FOLD_LANES; ++i)
    {
        uint32_t most = (uint32_t)t->most_steps[i];
        figure.tau = t->tau[i] > figure.tau ? t->tau[i] : figure.tau;
        figure.residual = t->residual[i] > figure.residual ? t->residual[i] : figure.residual;
        figure.raised += (uint32_t)-t->raised[i];
        figure.limited += (uint32_t)-t->limited[i];
        figure.steps += (uint32_t)t->steps[i];
        figure.most_steps = most > figure.most_steps ? most : figure.most_steps;
    }
    return figure;
}

/* A fold at eight stations on its way. */
typedef struct attempt
{
    uint32_t k;
    pl_f8 carry; /* as in frame/frame.c */
    pl_f8 lost;
    pl_fold_eight segments;
    outcome o;
} attempt;

/* Finds what is to be solved; returns false if nothing is. */
static bool begin_group(const pl_fold_lane_job *job, uint32_t block, attempt *a)
{
    const pl_folds_layer *layer = job->layer;
    uint32_t index = block * job->ring->fold_count + a->k;
    const pl_fold_group *group = &job->ring->lanes->groups[index];
    pl_f8 zero = pl_splat8(0);
    bool known = pl_fold_group_is_known(job, block, a->k);
    bool carried = pl_mask8(a->carry > zero);
    if (!group->row_count || (!known && !carried))
    {
        return false;
    }
    if (carried && job->ring->beside_limbs)
    {
        uint32_t count = job->ring->fold_count;
        pl_f8 slides = gather(layer->slides + (size_t)block * PL_FOLD_LANES * count + a->k, count);
        a->carry = pl_select8(a->carry > zero, a->carry * slides, a->carry);
    }
    if (!known)
    {
        pl_fold_group_measure(job, block, a->k);
    }
    pl_f8 length = layer->work->lengths[index];
    pl_i8 there = group->rest_length > zero;
    pl_f8 missing = pl_max8(group->rest_length - length, zero), given = job->ring->gives[a->k] * missing;
    pl_f8 taken = job->pose->held.take * a->carry;
    if (job->deep)
    {
        taken = pl_select8(a->carry < zero, -pl_min8(-a->carry, missing - given), taken);
    }
    pl_f8 lost = pl_fold_lost8(length, group->rest_length - given + taken, layer->work->noises[index]);
    a->o.solved = there & (lost > zero);
    /* One that is stretched has use for what it took. */
    a->carry = pl_select8(there, a->carry + given - taken, a->carry);
    if (!pl_mask8(a->o.solved))
    {
        return false;
    }
    pl_f8 taken_up = take_up(lost, length, group->rest_length);
    a->carry += (pl_f8)((pl_i8)(lost - taken_up) & a->o.solved);
    a->lost = pl_select8(a->o.solved, taken_up, lost);
    a->o.wanted = length + a->lost;
    load_segments(job, block, index, &a->segments);
    return true;
}

/* What becomes of the solution. */
static void finish_group(const pl_fold_lane_job *job, uint32_t block, attempt *a, tally *all)
{
    pl_folds_layer *layer = job->layer;
    outcome *o = &a->o;
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *group = &job->ring->lanes->groups[block * count + a->k];
    pl_f8 zero = pl_splat8(0);
    size_t first = (size_t)block * PL_FOLD_LANES * count + a->k;
    pl_f8 room = pl_min8(gather(layer->tapers + first, count), gather(layer->rooms + first, count));
    pl_f8 height = pl_fold_limit8(o->solution.amplitude, useful_room(room, o->solution.hollow));
    pl_f8 outer = *(const pl_f8 *)(layer->outers + (size_t)block * PL_FOLD_LANES);
    pl_f8 share = group->fade * pl_min8(gather(layer->gates + job->ring->first_fold + first, count), outer);
    pl_f8 rising = height * share;
    rising = (pl_f8)((pl_i8)rising & o->solved & (rising > pl_splat8(PL_FOLD_LEAST * job->ring->width)));
    o->limited = o->solved & (height < o->solution.amplitude);
    o->raised = rising > zero;
    note_outcome(o, all);
    rising *= pl_splat8(job->ring->strength);
    all->highest = pl_max8(all->highest, rising);
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        layer->heights[first + (size_t)lane * count] = rising[lane];
    }
    if (pl_mask8(o->limited))
    {
        pl_f8 eased = pl_fold_eight_length(&a->segments, height) + o->solution.relief * height;
        pl_f8 left = pl_min8(o->wanted - eased, a->lost);
        left *= o->solution.due * *(const pl_f8 *)(layer->carries + (size_t)block * PL_FOLD_LANES);
        if (job->ring->beside_limbs)
        {
            left *= gather(layer->slides + first, count);
        }
        a->carry += (pl_f8)((pl_i8)left & o->limited & (left > zero));
    }
    if (layer->options.even && !job->deep && pl_mask8(rising > pl_splat8(PL_FOLD_LOW * job->ring->width)))
    {
        even_folds(job, block, a->k, &a->segments, (const pl_f8(*)[3])a->segments.step, rising);
    }
}

/* Two folds, one on each side of the ring. */
static void solve_groups(const pl_fold_lane_job *job, uint32_t block, attempt sides[2], tally *all)
{
    attempt *asked[2];
    int count = 0;
    for (int i = 0; i < 2; ++i)
    {
        if (begin_group(job, block, &sides[i]))
        {
            asked[count++] = &sides[i];
        }
    }
    if (count == 2)
    {
        pl_fold_eight_solve((const pl_fold_eight *const[]){&asked[0]->segments, &asked[1]->segments},
                            (const pl_f8 *const[]){&asked[0]->o.wanted, &asked[1]->o.wanted},
                            (pl_fold_eight_solution *const[]){&asked[0]->o.solution, &asked[1]->o.solution}, 2);
    }
    else if (count == 1)
    {
        pl_fold_eight_solve((const pl_fold_eight *const[]){&asked[0]->segments},
                            (const pl_f8 *const[]){&asked[0]->o.wanted},
                            (pl_fold_eight_solution *const[]){&asked[0]->o.solution}, 1);
    }
    for (int i = 0; i < count; ++i)
    {
        finish_group(job, block, asked[i], all);
    }
}

/* From the ring outwards on both sides. */
void PL_WIDE(pl_folds_solve)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, middle = count / 2;
    float *heights = job->layer->heights + (size_t)block * PL_FOLD_LANES * count;
    const pl_f8 *lost = (const pl_f8 *)(job->layer->lost + (size_t)block * PL_FOLD_LANES);
    memset(heights, 0, (size_t)PL_FOLD_LANES * count * sizeof *heights);
    attempt sides[2];
    sides[0].carry = pl_splat8(0);
    if (job->deep)
    {
        sides[0].carry = -*(const pl_f8 *)(job->layer->spared + (size_t)block * PL_FOLD_LANES);
    }
    sides[1].carry = sides[0].carry;
    tally all = {.highest = {0}};
    for (uint32_t k = 0; k < middle && pl_mask8(*lost > pl_splat8(0)); ++k)
    {
        sides[0].k = middle - 1 - k;
        sides[1].k = middle + k;
        solve_groups(job, block, sides, &all);
    }
    *(pl_f8 *)(job->layer->highs + (size_t)block * PL_FOLD_LANES) = all.highest;
    job->figures[(size_t)block * PL_FOLD_LANES] = figure_of(&all);
}

/* ---- Deep bends ---- */

/* The way along each segment as it is, not as it is held. foot: where the fold begins; becomes where it ends. */
static void take_real_steps(const pl_fold_lane_job *job, uint32_t block, uint32_t k, pl_f8 foot[3], pl_f8 (*steps)[3])
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fold_group *group = &lanes->groups[index];
    for (uint32_t i = 0; i <= group->row_count; ++i)
    {
        pl_f8 next[3];
        if (i < group->row_count)
        {
            pl_fold_crossings_mix(job->frame->positions, &lanes->crossings[group->first_row + i], next);
        }
        else
        {
            pl_fold_places_mix(job->frame->positions, &lanes->places[index + block + 1], next);
        }
        for (int c = 0; c < 3; ++c)
        {
            steps[i][c] = next[c] - foot[c];
            foot[c] = next[c];
        }
    }
}

void PL_WIDE(pl_folds_even)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    for (uint32_t k = 0; k < count; ++k)
    {
        size_t index = (size_t)block * count + k;
        pl_f8 heights = gather(job->layer->heights + (size_t)block * PL_FOLD_LANES * count + k, count);
        if (!job->ring->lanes->groups[index].row_count ||
            !pl_mask8(heights > pl_splat8(PL_FOLD_LOW * job->ring->width)))
        {
            continue;
        }
        pl_fold_eight segments;
        pl_f8 foot[3], steps[PL_FOLD_SEGMENTS][3];
        if (!pl_fold_group_is_known(job, block, k))
        {
            pl_fold_group_measure(job, block, k);
        }
        load_segments(job, block, (uint32_t)index, &segments);
        if (job->pose->held.excess > 0)
        {
            pl_fold_places_mix(job->frame->positions, &job->ring->lanes->places[index + block], foot);
            take_real_steps(job, block, k, foot, steps);
        }
        const pl_f8(*along)[3] = (const pl_f8(*)[3])(job->pose->held.excess > 0 ? steps : segments.step);
        even_folds(job, block, k, &segments, along, heights);
    }
}
