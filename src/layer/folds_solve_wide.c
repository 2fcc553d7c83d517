/* Amplitudes of folds in a frame, and what evens them out, for a block of eight stations: solve_stations of
 * folds_frame.c. */
#include "base/wide.h"
#include "layer/fold_four.h"
#include "layer/folds_lanes.h"

#include <string.h>

void PL_WIDE(pl_fold_solve_four)(const pl_fold_four *folds, const pl_d4 *wanted, pl_fold_four_solution *out)
{
    pl_fold_four_solve(folds, *wanted, out);
}

/* Four of the lines as segments. */
static void take_segments(const pl_fold_lines *l, int half, pl_fold_four *out)
{
    out->count = l->count - 1;
    for (uint32_t i = 0; i < out->count; ++i)
    {
        pl_d4 a = pl_splat_d4(0), b = a, c = a;
        for (int k = 0; k < 3; ++k)
        {
            pl_d4 d = pl_double_half(l->points[i + 1][k], half) - pl_double_half(l->points[i][k], half);
            pl_d4 e = pl_double_half(l->raised[i + 1][k], half) - pl_double_half(l->raised[i][k], half);
            a += d * d;
            b += d * e;
            c += e * e;
        }
        out->a[i] = a;
        out->b[i] = b;
        out->c[i] = c;
    }
}

/* ---- Even cloth ---- */

/* The part of each segment of a line that lies before a place: 0 .. 1. */
PL_INLINE pl_f8 part_before(pl_f8 place, pl_f8 from, pl_f8 span)
{
    return pl_min8(pl_max8((place - from) * span, pl_splat8(0)), pl_splat8(1));
}

/* A table's node at eight stations, where the fold is there. */
static void store_node(const pl_fold_lane_job *job, uint32_t block, uint32_t k, uint32_t node, uint32_t raised,
                       const pl_f8 shift[4])
{
    uint32_t count = job->ring->fold_count, station = block * PL_FOLD_LANES;
    pl_f4 vectors[PL_FOLD_LANES];
    for (int i = 0; i < 4; ++i)
    {
        vectors[i] = pl_low8(shift[i]);
        vectors[4 + i] = pl_high8(shift[i]);
    }
    pl_transpose4(vectors);
    pl_transpose4(vectors + 4);
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        if (raised & 1u << lane)
        {
            job->layer->shifts[(size_t)((station + lane) * count + k) * PL_FOLD_NODES + node] = vectors[lane];
        }
    }
}

/* raised: bits of the lanes. */
static void even_folds(const pl_fold_lane_job *job, uint32_t block, uint32_t k, const pl_fold_lines *l, uint32_t raised)
{
    const pl_fold_group *group = &job->ring->lanes->groups[l->index];
    const pl_fold_row *rows = job->ring->lanes->rows + group->first_row;
    uint32_t last = l->count - 1;
    pl_f8 zero = pl_splat8(0), folded[PL_FOLD_SAMPLES] = {zero}, span[PL_FOLD_SAMPLES];
    pl_f8 part[PL_FOLD_SAMPLES], rest_span[PL_FOLD_SAMPLES], steps[PL_FOLD_SAMPLES][4];
    part[0] = zero;
    for (uint32_t i = 0; i < last; ++i)
    {
        pl_f8 move[3];
        for (int c = 0; c < 3; ++c)
        {
            steps[i][c] = l->points[i + 1][c] - l->points[i][c];
            move[c] = steps[i][c] + (l->raised[i + 1][c] - l->raised[i][c]) * l->heights;
        }
        pl_f8 length = pl_sqrt8(pl_dot8(move, move));
        folded[i + 1] = folded[i] + length;
        span[i] = (pl_f8)((pl_i8)(pl_splat8(1) / length) & (length > zero));
        part[i + 1] = i + 1 < last ? rows[i].part : pl_splat8(1);
        rest_span[i] = i + 1 < last ? rows[i].span : group->last_span;
        steps[i][3] = 2 * (part[i + 1] - part[i]);
    }
    pl_f8 risen = pl_min8(l->heights / pl_splat8(0.1f * job->ring->width), pl_splat8(1));
    for (uint32_t n = 1; n + 1 < PL_FOLD_NODES; ++n)
    {
        pl_f8 at = pl_splat8((float)n / (PL_FOLD_NODES - 1)), wanted = at * folded[last];
        pl_f8 shift[4] = {zero, zero, zero, zero};
        for (uint32_t i = 0; i < last; ++i)
        {
            pl_f8 share = part_before(wanted, folded[i], span[i]) - part_before(at, part[i], rest_span[i]);
            for (int c = 0; c < 4; ++c)
            {
                shift[c] += steps[i][c] * share;
            }
        }
        for (int c = 0; c < 4; ++c)
        {
            shift[c] *= risen;
        }
        store_node(job, block, k, n, raised, shift);
    }
}

/* ---- Amplitudes ---- */

PL_INLINE pl_d4 limit(pl_d4 amplitude, pl_d4 room)
{
    pl_d4 over = amplitude - PL_FOLD_SOFT * room, span = 2 * (1 - PL_FOLD_SOFT) * room;
    pl_d4 slowed = pl_select_d4(over >= span, room, amplitude - over * over / (2 * span));
    return pl_select_d4(over > pl_splat_d4(0), slowed, amplitude);
}

PL_INLINE pl_d4 useful_room(pl_d4 room, pl_d4 hollow)
{
    pl_d4 t = pl_max_d4(room / hollow - 1, pl_splat_d4(0));
    pl_l4 short_of = (hollow > pl_splat_d4(0)) & (room < 2 * hollow);
    return pl_select_d4(short_of, room * t * t * (3 - 2 * t), room);
}

/* Four values of a fold, from stations by folds. */
PL_INLINE pl_d4 gather(const float *values, uint32_t count)
{
    return (pl_d4){(double)values[0], (double)values[count], (double)values[2 * (size_t)count],
                   (double)values[3 * (size_t)count]};
}

PL_INLINE pl_d4 length_at(const pl_fold_four *s, pl_d4 x)
{
    pl_d4 slope;
    return pl_fold_four_tau(s, pl_splat_d4(0), x, &slope);
}

/* What four folds came to. */
typedef struct outcome
{
    pl_d4 wanted;
    pl_fold_four_solution solution;
    pl_l4 limited, raised;
} outcome;

static void store_figures(const outcome *o, uint32_t solved, uint32_t count, pl_fold_figure *figures)
{
    pl_d4 x = o->solution.amplitude, tau = o->solution.tau;
    pl_d4 residual = pl_abs_d4(pl_sqrt_d4(x * x + tau * tau) - x - tau) / o->wanted;
    tau = pl_abs_d4(tau) / o->wanted;
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        if (solved & 1u << lane)
        {
            pl_fold_figure *figure = figures + (size_t)lane * count;
            figure->limited = o->limited[lane];
            figure->raised = o->raised[lane];
            if (figure->raised)
            {
                figure->steps = (uint8_t)o->solution.steps[lane];
                figure->tau = (float)tau[lane];
                figure->residual = (float)residual[lane];
            }
        }
    }
}

/* Four stations of a fold. carry: as in folds_frame.c; what is left of it. heights: of those that rise, else 0. */
static void solve_half(const pl_fold_lane_job *job, uint32_t station, uint32_t k, const pl_fold_lines *l, pl_l4 solved,
                       pl_d4 lost, pl_d4 *carry, pl_f4 *heights)
{
    pl_folds_layer *layer = job->layer;
    int half = station % PL_FOLD_LANES != 0;
    uint32_t count = job->ring->fold_count;
    size_t first = (size_t)station * count + k;
    pl_d4 zero = pl_splat_d4(0), fade = pl_double_half(job->ring->lanes->groups[l->index].fade, half);
    pl_fold_four segments;
    take_segments(l, half, &segments);
    outcome o = {.wanted = layer->work->lengths[l->index][half] + lost};
    pl_fold_four_solve(&segments, o.wanted, &o.solution);
    pl_d4 room = pl_min_d4(gather(layer->tapers + first, count), gather(layer->rooms + first, count));
    pl_d4 height = limit(o.solution.amplitude, useful_room(room, o.solution.hollow));
    o.limited = solved & (height < o.solution.amplitude);
    o.raised = solved & (height * fade > zero);
    store_figures(&o, pl_mask_d4(solved), count, job->figures + first);
    pl_f4 rising = pl_float_d4(pl_select_d4(solved, height * fade, zero)) * pl_splat(job->ring->strength);
    *heights = rising;
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        layer->heights[first + (size_t)lane * count] = rising[lane];
    }
    if (pl_mask_d4(o.limited))
    {
        pl_d4 left = pl_min_d4(o.wanted - length_at(&segments, height), lost);
        pl_d4 carries = __builtin_convertvector(*(pl_f4 *)(layer->carries + station), pl_d4);
        *carry = pl_select_d4(o.limited & (left > zero), left * carries, *carry);
    }
}

static void solve_group(const pl_fold_lane_job *job, uint32_t block, uint32_t k, pl_d4 carry[2])
{
    const pl_fold_lane_work *work = job->layer->work;
    pl_fold_lines l = {.index = block * job->ring->fold_count + k};
    const pl_fold_group *group = &job->ring->lanes->groups[l.index];
    pl_d4 lost[2], zero = pl_splat_d4(0);
    pl_l4 solved[2];
    for (int half = 0; half < 2 && group->row_count; ++half)
    {
        pl_d4 rest = pl_double_half(group->rest_length, half);
        lost[half] = pl_fold_lost4(work->lengths[l.index][half], rest + carry[half],
                                   pl_double_half(work->noises[l.index], half));
        solved[half] = (rest > zero) & (lost[half] > zero);
        carry[half] = pl_select_d4(rest > zero, zero, carry[half]); /* one that is stretched has use for it */
    }
    if (!group->row_count || !pl_mask_d4(solved[0] | solved[1]))
    {
        return;
    }
    pl_f4 heights[2] = {pl_splat(0), pl_splat(0)};
    pl_fold_lines_load(job, block, &l);
    for (uint32_t half = 0; half < 2; ++half)
    {
        if (pl_mask_d4(solved[half]))
        {
            solve_half(job, block * PL_FOLD_LANES + 4 * half, k, &l, solved[half], lost[half], &carry[half],
                       &heights[half]);
        }
    }
    l.heights = pl_join8(heights[0], heights[1]);
    uint32_t raised = pl_mask8(l.heights > pl_splat8(0));
    if (raised && job->layer->options.even)
    {
        even_folds(job, block, k, &l, raised);
    }
}

/* From the ring outwards on both sides. */
void PL_WIDE(pl_folds_solve)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, middle = count / 2;
    float *heights = job->layer->heights + (size_t)block * PL_FOLD_LANES * count;
    const pl_f8 *lost = (const pl_f8 *)(job->layer->lost + (size_t)block * PL_FOLD_LANES);
    memset(heights, 0, (size_t)PL_FOLD_LANES * count * sizeof *heights);
    pl_d4 before[2] = {{0}, {0}}, behind[2] = {{0}, {0}};
    for (uint32_t k = 0; k < middle && pl_mask8(*lost > pl_splat8(0)); ++k)
    {
        solve_group(job, block, middle - 1 - k, before);
        solve_group(job, block, middle + k, behind);
    }
}
