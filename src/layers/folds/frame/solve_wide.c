/* Amplitudes of folds in a frame, and what evens them out, for a block of stations. */
#include "layers/folds/frame/points.h"
#include "layers/folds/solve/line.h"

#include <string.h>

/* A hollow must be filled before rising makes it any longer. Where the room ends before that, rising is of no use; from
 * three times the filling on it is free. Between 0.8 of the filling and that it is a straight line in both, so that a
 * room that shrinks or a hollow that deepens fast makes a fold's height change hardly faster than themselves. */
#define HOLLOW_FREE 3.0f
#define HOLLOW_NONE 0.8f

_Static_assert(PL_FOLD_INSIDE + 1 == PL_FOLD_SEGMENTS, "the segments of a fold lie between its samples");

void PL_WIDE(pl_fold_solve_line)(const pl_fold_segments *folds, const pl_fw *wanted, pl_fold_solution *out)
{
    pl_fold_line_solve(&folds, &wanted, &out, 1);
}

/* The segments of a fold. */
static void load_segments(const pl_fold_job *job, uint32_t block, uint32_t index, pl_fold_segments *out)
{
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[index];
    const pl_fold_row *rows = job->ring->cloth.lanes->rows + group->first_row;
    const pl_fold_lane_work *work = job->layer->work;
    const pl_fw(*points)[3] = (const pl_fw(*)[3])work->points + group->first_row;
    const pl_fw(*feet)[3] = (const pl_fw(*)[3])work->foot_points + index + block;
    const pl_fw(*ups)[3] = (const pl_fw(*)[3])work->ups + index + block;
    uint32_t last = group->row_count;
    out->count = last + 1;
    for (int c = 0; c < 3; ++c)
    {
        pl_fw up = ups[0][c], change = ups[1][c] - up, before = feet[0][c], low = up * group->rise[0];
        for (uint32_t i = 0; i < last; ++i)
        {
            pl_fw point = points[i][c], high = (up + change * rows[i].part) * rows[i].rise;
            out->step[i][c] = point - before;
            out->rise[i][c] = high - low;
            before = point;
            low = high;
        }
        out->step[last][c] = feet[1][c] - before;
        out->rise[last][c] = ups[1][c] * group->rise[1] - low;
    }
}

/* ---- Even cloth ----
 *
 * Raised along normals alone, the cloth of a fold is stretched on its flanks and stays compressed on its top and at its
 * feet (the paper's figure 4). Every place of the fold goes along the folded line to where the line has the length that
 * the place has at rest; the line keeps its shape and length. The paper corrects the directions of the next frame by
 * this frame's fold; done to the fold itself it needs no state and lags behind nothing.
 *
 * A fold that has hardly risen is not evened out: nothing jumps when it begins. And no place goes farther along the
 * line than the fold is high, or where cloth is compressed unevenly it would leap as a low fold ends. */

/* The part of each segment of a line that lies before a place: 0 .. 1. */
PL_INLINE pl_fw part_before(pl_fw place, pl_fw from, pl_fw span)
{
    return pl_min_w(pl_max_w((place - from) * span, pl_splat_w(0)), pl_splat_w(1));
}

/* How samples move, from lanes to tables by station. What they become where nothing rises is never read. */
PL_INLINE void store_shifts(const pl_fold_job *job, uint32_t block, uint32_t k, pl_fw shifts[4][PL_FOLD_SAMPLES])
{
    size_t stride = 4 * (size_t)job->ring->fold_count * PL_FOLD_SAMPLES;
    float *to = job->layer->at.risen.shifts + block * PL_WIDTH * stride + 4 * (size_t)k * PL_FOLD_SAMPLES;
    for (uint32_t c = 0; c < 4; ++c)
    {
        pl_store_tables_w(shifts[c], to + (size_t)c * PL_FOLD_SAMPLES, stride);
    }
}

/* steps: along the segments in the real pose; count: of segments. */
PL_INLINE void even_counted(const pl_fold_job *job, uint32_t block, uint32_t k, const pl_fold_segments *s,
                            const pl_fw (*steps)[3], pl_fw heights, uint32_t count)
{
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[block * job->ring->fold_count + k];
    const pl_fold_row *rows = job->ring->cloth.lanes->rows + group->first_row;
    pl_fw zero = pl_splat_w(0), begin = zero;
    pl_fw folded[PL_FOLD_SAMPLES] = {{0}}, span[PL_FOLD_SAMPLES] = {{0}}, rest[PL_FOLD_SAMPLES] = {{0}};
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_fw segment[3], length = pl_fold_segment_at(s, i, heights, segment);
        pl_fw next = i + 1 < count ? rows[i].part : pl_splat_w(1);
        folded[i + 1] = folded[i] + length;
        span[i] = 1 / length;
        rest[i] = 2 * (next - begin);
        begin = next;
    }
    pl_fw risen = (heights - PL_FOLD_LOW * job->ring->width) / pl_splat_w(PL_FOLD_EVEN * job->ring->width);
    risen = pl_min_w(pl_max_w(risen, zero), pl_splat_w(1));
    pl_fw most = heights * pl_splat_w(2 / job->ring->width);
    pl_fw shifts[4][PL_FOLD_SAMPLES];
    for (uint32_t n = count; n < PL_FOLD_SAMPLES; ++n)
    {
        shifts[0][n] = shifts[1][n] = shifts[2][n] = shifts[3][n] = zero;
    }
    shifts[0][0] = shifts[1][0] = shifts[2][0] = shifts[3][0] = zero;
#pragma GCC unroll 8
    for (uint32_t n = 1; n < count; ++n)
    {
        pl_fw wanted = rows[n - 1].part * folded[count], shift[4] = {zero, zero, zero, zero};
#pragma GCC unroll 8
        for (uint32_t i = 0; i < count; ++i)
        {
            pl_fw share = part_before(wanted, folded[i], span[i]) - (i < n ? 1.0f : 0.0f);
            for (int c = 0; c < 3; ++c)
            {
                shift[c] += steps[i][c] * share;
            }
            shift[3] += rest[i] * share;
        }
        /* Behind its last sample a fold's end follows. */
        pl_iw own = rows[n - 1].part > (n > 1 ? rows[n - 2].part : zero);
        pl_fw far = pl_abs_w(shift[3]), part = pl_select_w(far * risen > most, most / far, risen);
        pl_fw scale = pl_where_w(own, part);
        for (int c = 0; c < 4; ++c)
        {
            shifts[c][n] = shift[c] * scale;
        }
    }
    store_shifts(job, block, k, shifts);
}

/* The number of segments is a constant to each: their loops are taken apart. */
static void even_folds(const pl_fold_job *job, uint32_t block, uint32_t k, const pl_fold_segments *s,
                       const pl_fw (*steps)[3], pl_fw heights)
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

PL_INLINE pl_fw useful_room(pl_fw room, pl_fw hollow)
{
    pl_fw useful = (HOLLOW_FREE * room - HOLLOW_FREE * HOLLOW_NONE * hollow) * (1 / (HOLLOW_FREE - HOLLOW_NONE));
    return pl_max_w(pl_min_w(useful, room), pl_splat_w(0));
}

/* A fold's values at the stations of a block, from stations by folds. */
PL_INLINE pl_fw gather(const float *values, uint32_t count)
{
    pl_fw out;
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
    {
        out[lane] = values[(size_t)lane * count];
    }
    return out;
}

/* What folds came to. */
typedef struct outcome
{
    pl_fw wanted;
    pl_fold_solution solution;
    pl_iw solved, limited, raised;
} outcome;

/* Of all folds of a block so far, in lanes of stations. */
typedef struct tally
{
    pl_fw highest, tau, residual;
    pl_iw steps, most_steps, raised, limited; /* the last two count down: a mask is -1 */
} tally;

static void note_outcome(const outcome *o, tally *t)
{
    pl_fw inverse = 1 / o->wanted, x = o->solution.amplitude * inverse, tau = o->solution.tau * inverse;
    pl_fw residual = pl_abs_w(pl_sqrt_w(x * x + tau * tau) - x - tau);
    pl_iw steps = o->solution.steps & o->raised;
    t->tau = pl_max_w(pl_where_w(o->raised, pl_abs_w(tau)), t->tau);
    t->residual = pl_max_w(pl_where_w(o->raised, residual), t->residual);
    t->steps += steps;
    t->most_steps = pl_larger_w(steps, t->most_steps);
    t->raised += o->raised;
    t->limited += o->limited;
}

static pl_fold_figure figure_of(const tally *t)
{
    pl_fold_figure figure = {0};
    for (int i = 0; i < PL_WIDTH; ++i)
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

/* A fold at the stations of a block on its way. */
typedef struct attempt
{
    uint32_t k;
    pl_iw stations; /* those at which anything is lost */
    pl_fw carry;    /* length that the folds between here and the ring left: the cloth slides on, where nothing pins it,
                     * and    this fold takes up a part. Below 0 it is length that the crease takes up in their stead */
    pl_fw lost;
    pl_fold_segments segments;
    outcome o;
} attempt;

/* Finds what is to be solved; returns false if nothing is. */
static bool begin_group(const pl_fold_job *job, uint32_t block, attempt *a)
{
    const pl_folds_layer *layer = job->layer;
    uint32_t index = block * job->ring->fold_count + a->k;
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[index];
    pl_fw zero = pl_splat_w(0);
    bool known = pl_fold_group_is_known(job, block, a->k);
    bool carried = pl_mask_w(a->carry > zero);
    if (!group->row_count || (!known && !carried))
    {
        return false;
    }
    if (carried && job->ring->obstacles.beside_limbs)
    {
        uint32_t count = job->ring->fold_count;
        pl_fw slides = gather(layer->at.allowed.slides + (size_t)block * PL_WIDTH * count + a->k, count);
        a->carry = pl_select_w(a->carry > zero, a->carry * slides, a->carry);
    }
    pl_fold_group_know(job, block, a->k);
    pl_fw length = layer->work->lengths[index];
    pl_iw there = (group->rest_length > zero) & a->stations;
    pl_fw missing = pl_max_w(group->rest_length - length, zero), given = job->ring->gives[a->k] * missing;
    pl_fw taken = job->pose.held.take * a->carry;
    if (job->deep)
    {
        taken = pl_select_w(a->carry < zero, -pl_min_w(-a->carry, missing - given), taken);
    }
    pl_fw lost = pl_fold_lost_w(length, group->rest_length - given + taken, layer->work->noises[index]);
    a->o.solved = there & (lost > zero);
    /* One that is stretched has use for what it took. */
    a->carry = pl_select_w(there, a->carry + given - taken, a->carry);
    if (!pl_mask_w(a->o.solved))
    {
        return false;
    }
    pl_fw taken_up = pl_fold_take_up(lost, length, group->rest_length);
    a->carry += pl_where_w(a->o.solved, lost - taken_up);
    a->lost = pl_select_w(a->o.solved, taken_up, lost);
    a->o.wanted = length + a->lost;
    load_segments(job, block, index, &a->segments);
    return true;
}

/* What becomes of the solution. */
static void finish_group(const pl_fold_job *job, uint32_t block, attempt *a, tally *all)
{
    pl_folds_layer *layer = job->layer;
    outcome *o = &a->o;
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[block * count + a->k];
    pl_fw zero = pl_splat_w(0);
    size_t first = (size_t)block * PL_WIDTH * count + a->k;
    pl_fw room =
        pl_min_w(gather(layer->at.allowed.tapers + first, count), gather(layer->at.allowed.rooms + first, count));
    pl_fw height = pl_fold_limit_w(o->solution.amplitude, useful_room(room, o->solution.hollow));
    pl_fw outer = *(const pl_fw *)(layer->at.allowed.outers + (size_t)block * PL_WIDTH);
    pl_fw share = group->fade * pl_min_w(gather(layer->rivals.gates + job->ring->first_fold + first, count), outer);
    pl_fw rising = height * share;
    rising = pl_where_w(o->solved & (rising > pl_splat_w(PL_FOLD_LEAST * job->ring->width)), rising);
    o->limited = o->solved & (height < o->solution.amplitude);
    o->raised = rising > zero;
    note_outcome(o, all);
    rising *= pl_splat_w(job->ring->strength);
    all->highest = pl_max_w(all->highest, rising);
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
    {
        layer->at.risen.heights[first + (size_t)lane * count] = rising[lane];
    }
    if (pl_mask_w(o->limited))
    {
        pl_fw eased = pl_fold_line_length(&a->segments, height) + o->solution.relief * height;
        pl_fw left = pl_min_w(o->wanted - eased, a->lost);
        left *= o->solution.due * *(const pl_fw *)(layer->at.allowed.carries + (size_t)block * PL_WIDTH);
        if (job->ring->obstacles.beside_limbs)
        {
            left *= gather(layer->at.allowed.slides + first, count);
        }
        a->carry += pl_where_w(o->limited & (left > zero), left);
    }
    if (layer->options.even && !job->deep && pl_mask_w(rising > pl_splat_w(PL_FOLD_LOW * job->ring->width)))
    {
        even_folds(job, block, a->k, &a->segments, (const pl_fw(*)[3])a->segments.step, rising);
    }
}

/* Two folds, one on each side of the ring. */
static void solve_groups(const pl_fold_job *job, uint32_t block, attempt sides[2], tally *all)
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
        pl_fold_line_solve((const pl_fold_segments *const[]){&asked[0]->segments, &asked[1]->segments},
                           (const pl_fw *const[]){&asked[0]->o.wanted, &asked[1]->o.wanted},
                           (pl_fold_solution *const[]){&asked[0]->o.solution, &asked[1]->o.solution}, 2);
    }
    else if (count == 1)
    {
        pl_fold_line_solve((const pl_fold_segments *const[]){&asked[0]->segments},
                           (const pl_fw *const[]){&asked[0]->o.wanted},
                           (pl_fold_solution *const[]){&asked[0]->o.solution}, 1);
    }
    for (int i = 0; i < count; ++i)
    {
        finish_group(job, block, asked[i], all);
    }
}

/* From the ring outwards on both sides. */
void PL_WIDE(pl_folds_solve)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, middle = count / 2;
    float *heights = job->layer->at.risen.heights + (size_t)block * PL_WIDTH * count;
    const pl_fw *lost = (const pl_fw *)(job->layer->at.lost + (size_t)block * PL_WIDTH);
    memset(heights, 0, (size_t)PL_WIDTH * count * sizeof *heights);
    attempt sides[2];
    sides[0].carry = pl_splat_w(0);
    sides[0].stations = sides[1].stations = *lost > pl_splat_w(0);
    if (job->deep)
    {
        sides[0].carry = -*(const pl_fw *)(job->layer->at.tucked.spared + (size_t)block * PL_WIDTH);
    }
    sides[1].carry = sides[0].carry;
    tally all = {.highest = {0}};
    for (uint32_t k = 0; k < middle && pl_mask_w(sides[0].stations); ++k)
    {
        sides[0].k = middle - 1 - k;
        sides[1].k = middle + k;
        solve_groups(job, block, sides, &all);
    }
    *(pl_fw *)(job->layer->at.risen.highs + (size_t)block * PL_WIDTH) = all.highest;
    job->figures[(size_t)block * PL_WIDTH] = figure_of(&all);
}

/* ---- Deep bends ---- */

/* The way along each segment as it is, not as it is held. foot: where the fold begins; becomes where it ends. */
static void take_real_steps(const pl_fold_job *job, uint32_t block, uint32_t k, pl_fw foot[3], pl_fw (*steps)[3])
{
    const pl_fold_lanes *lanes = job->ring->cloth.lanes;
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fold_group *group = &lanes->groups[index];
    for (uint32_t i = 0; i <= group->row_count; ++i)
    {
        pl_fw next[3];
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

void PL_WIDE(pl_folds_even)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    for (uint32_t k = 0; k < count; ++k)
    {
        size_t index = (size_t)block * count + k;
        pl_fw heights = gather(job->layer->at.risen.heights + (size_t)block * PL_WIDTH * count + k, count);
        if (!job->ring->cloth.lanes->groups[index].row_count ||
            !pl_mask_w(heights > pl_splat_w(PL_FOLD_LOW * job->ring->width)))
        {
            continue;
        }
        pl_fold_segments segments;
        pl_fw foot[3], steps[PL_FOLD_SEGMENTS][3];
        pl_fold_group_know(job, block, k);
        load_segments(job, block, (uint32_t)index, &segments);
        if (job->pose.held.excess > 0)
        {
            pl_fold_places_mix(job->frame->positions, &job->ring->cloth.lanes->places[index + block], foot);
            take_real_steps(job, block, k, foot, steps);
        }
        const pl_fw(*along)[3] = (const pl_fw(*)[3])(job->pose.held.excess > 0 ? steps : segments.step);
        even_folds(job, block, k, &segments, along, heights);
    }
}
