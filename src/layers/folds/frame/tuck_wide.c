/* How deep creases are tucked in, for a block of eight stations: frame/tuck.c, which is the definition, in floats. What
 * a line gains is summed up by itself, segment by segment, and not as the difference of two lengths: near the onset of
 * a tuck it is far smaller than their rounding. Bound by the roots and quotients of each segment. */
#include "base/wide.h"
#include "layers/folds/solve/eight.h"
#include "layers/folds/frame/octet.h"
#include "layers/folds/frame/points.h"

#include <string.h>

/* The part of eight lines that is tucked: |d + X e|^2 = square + 2 lean X + reach X^2 for each segment. */
typedef struct tuck_lines
{
    uint32_t count;
    pl_f8 square[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE], lean[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE],
        reach[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE], norm[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE];
    pl_f8 length, missing, fade;
    pl_i8 whole; /* do lines go as far as weights blend? */
} tuck_lines;

/* A place on the way along them. */
typedef struct walker
{
    pl_f8 down[3], place[3], depth;
} walker;

/* depth_at of frame/tuck.c. */
PL_INLINE pl_f8 depth_at(const pl_bound_ring *ring, pl_f8 arc)
{
    pl_f8 r = pl_abs8(arc) * pl_splat8(1 / (PL_FOLD_TUCK_REACH * ring->width)), left = pl_max8(1 - r, pl_splat8(0));
    return left * left * (1 + 2 * r);
}

/* Goes on to a place; returns how far that is. */
PL_INLINE pl_f8 walk_to(walker *w, const pl_f8 place[3], pl_f8 depth, tuck_lines *out)
{
    pl_f8 step[3], change = depth - w->depth;
    for (int c = 0; c < 3; ++c)
    {
        step[c] = place[c] - w->place[c];
        w->place[c] = place[c];
    }
    pl_f8 square = pl_max8(pl_dot8(step, step), pl_splat8(PL_FOLD_TINY)), norm = pl_sqrt8(square);
    w->depth = depth;
    out->square[out->count] = square;
    out->lean[out->count] = change * pl_dot8(step, w->down);
    out->reach[out->count] = change * change;
    out->norm[out->count++] = norm;
    return norm;
}

/* held: points are those of the held pose, which folds are solved in; else as they are in the frame. */
PL_INLINE void add_fold(const pl_fold_lane_job *job, uint32_t block, uint32_t k, bool held, walker *w, tuck_lines *out)
{
    const pl_bound_ring *ring = job->ring;
    const pl_fold_lanes *lanes = ring->lanes;
    uint32_t index = block * ring->fold_count + k;
    const pl_fold_group *group = &lanes->groups[index];
    float begin = ring->bounds[k], span = ring->bounds[k + 1] - begin;
    pl_f8 length = pl_splat8(0), place[3];
    if (held && group->row_count && !pl_fold_group_is_known(job, block, k))
    {
        pl_fold_group_measure(job, block, k);
    }
    for (uint32_t i = group->first_row; i < group->first_row + group->row_count; ++i)
    {
        if (!held)
        {
            pl_fold_crossings_mix(job->frame->positions, &lanes->crossings[i], place);
        }
        const pl_f8 *point = held ? job->layer->work->points[i] : place;
        length += walk_to(w, point, depth_at(ring, begin + span * lanes->rows[i].part), out);
    }
    if (!held)
    {
        pl_fold_places_mix(job->frame->positions, &lanes->places[index + block + 1], place);
    }
    const pl_f8 *end = held ? job->layer->work->foot_points[index + block + 1] : place;
    length += walk_to(w, end, depth_at(ring, pl_splat8(begin + span)), out);
    out->length += length;
    out->missing += group->rest_length - length;
    out->fade = pl_min8(group->fade, out->fade);
    out->whole &= group->rest_length > pl_splat8(0);
}

/* make_line of frame/tuck.c. up: outwards at the ring. */
PL_INLINE void make_lines(const pl_fold_lane_job *job, uint32_t block, bool held, const pl_f8 up[3], tuck_lines *out)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count;
    size_t first = (size_t)block * (count + 1) + PL_FOLDS_SPARE;
    walker w = {.depth = depth_at(ring, pl_splat8(ring->bounds[PL_FOLDS_SPARE]))};
    for (int c = 0; c < 3; ++c)
    {
        w.down[c] = -up[c];
    }
    if (held)
    {
        memcpy(w.place, job->layer->work->foot_points[first], sizeof w.place);
    }
    else
    {
        pl_fold_places_mix(job->frame->positions, &ring->lanes->places[first], w.place);
    }
    out->count = 0;
    out->length = out->missing = pl_splat8(0);
    out->fade = pl_splat8(1);
    out->whole = out->length >= pl_splat8(0);
    for (uint32_t k = PL_FOLDS_SPARE; k + PL_FOLDS_SPARE < count; ++k)
    {
        add_fold(job, block, k, held, &w, out);
    }
    out->whole &= out->missing > pl_splat8(0);
}

/* How much longer lines get for a depth; and how fast. */
PL_INLINE pl_f8 gain_at(const tuck_lines *l, pl_f8 x, pl_f8 *slope)
{
    pl_f8 gain = pl_splat8(0), sum = gain;
    for (uint32_t i = 0; i < l->count; ++i)
    {
        pl_f8 lean = l->lean[i] + x * l->reach[i], more = x * (l->lean[i] + lean);
        pl_f8 norm = pl_sqrt8(pl_max8(l->square[i] + more, pl_splat8(PL_FOLD_TINY)));
        gain += more / (norm + l->norm[i]);
        sum += lean / norm;
    }
    *slope = sum;
    return gain;
}

/* The lines as one segment each, as in solve/eight.h. */
PL_INLINE void as_single(const tuck_lines *l, pl_fold_eight_single *out)
{
    pl_f8 zero = pl_splat8(0);
    *out = (pl_fold_eight_single){l->length, zero, zero, zero, zero};
    for (uint32_t i = 0; i < l->count; ++i)
    {
        pl_f8 inverse = 1 / l->norm[i], lean = l->lean[i] * inverse;
        out->slope += lean;
        out->square += pl_max8(l->reach[i] - lean * lean, zero) * inverse;
        out->reach += l->reach[i];
    }
    out->half = out->length * out->slope;
    out->square = out->slope * out->slope + out->square * out->length;
}

/* Beyond this depth lines are longer than they are to be. */
PL_INLINE pl_f8 farthest(const tuck_lines *l, pl_f8 lengths)
{
    pl_f8 reach = pl_splat8(0);
    for (uint32_t i = 0; i < l->count; ++i)
    {
        reach += pl_sqrt8(l->reach[i]);
    }
    return lengths / reach;
}

/* pl_fold_solve_eased for a gain of length. */
static pl_f8 solve(const tuck_lines *l, pl_f8 gain, pl_i8 active)
{
    pl_f8 zero = pl_splat8(0), endless = pl_splat8(INFINITY), low = zero, high = endless, relief = zero;
    pl_f8 wanted = l->length + gain, close = pl_min8(1e-7f * wanted, 1e-5f * gain);
    pl_fold_eight_single single;
    as_single(l, &single);
    active &= (gain > zero) & (single.reach > zero);
    pl_i8 filled = active & (single.half < zero) & (single.square > zero);
    if (pl_mask8(filled))
    {
        pl_f8 hollow = -2 * single.half / single.square, filling = 0.5f * single.square * hollow * hollow / l->length;
        pl_f8 part = gain / (0.02f * wanted + pl_min8(6 * filling, 0.3f * wanted));
        relief = (pl_f8)((pl_i8)pl_fold_eight_relief(single.slope, part) & filled);
        single.half += l->length * relief;
    }
    pl_f8 under = single.half * single.half + single.square * (wanted + l->length) * gain;
    pl_f8 x = (pl_sqrt8(pl_max8(under, zero)) - single.half) / single.square;
    pl_i8 far = active & ~((x > zero) & (x < endless));
    if (pl_mask8(far))
    {
        pl_f8 most = farthest(l, wanted + l->length);
        x = pl_select8(far, most, x);
        high = pl_select8(far, most, high);
    }
    x = (pl_f8)((pl_i8)x & active);
    for (int round = 0; round < 20 && pl_mask8(active); ++round)
    {
        pl_f8 slope, tau = gain_at(l, x, &slope) - gain + relief * x;
        slope += relief;
        active &= ~(pl_abs8(tau) <= close);
        pl_i8 above = tau > zero;
        high = pl_select8(active & above, x, high);
        low = pl_select8(active & ~above, x, low);
        pl_f8 next = pl_select8(slope > zero, x - tau / slope, endless);
        pl_i8 outside = active & ~((next > low) & (next < high));
        if (pl_mask8(outside))
        {
            pl_f8 most = farthest(l, wanted + l->length);
            next = pl_select8(outside, pl_select8(high < endless, 0.5f * (low + high), most), next);
        }
        active &= next != x;
        x = pl_select8(active, next, x);
    }
    return x;
}

/* What stations have room for; 0 where nothing is asked. tucked: after folds have risen; else before. */
static pl_f8 rooms_of(const pl_fold_lane_job *job, uint32_t block, bool tucked)
{
    const pl_folds_layer *layer = job->layer;
    const pl_fold_held *held = &job->pose->held;
    uint32_t count = job->ring->fold_count;
    pl_f8 rooms = pl_splat8(0);
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        uint32_t station = block * PL_FOLD_LANES + lane;
        if (station < job->ring->station_count && layer->lost[station] > 0)
        {
            pl_fold_tuck_pose pose = {.up = layer->ups[(size_t)station * (count + 1) + count / 2],
                                      .pivot = held->pivot,
                                      .pressed = layer->pressed[station],
                                      .given_up = tucked ? 0 : held->given_up,
                                      .frame = job->frame};
            rooms[lane] = pl_fold_tuck_room(job->ring, station, &pose);
        }
    }
    return rooms;
}

/* What lines are to gain: wanted_length. */
PL_INLINE pl_f8 gain_of(const tuck_lines *l)
{
    pl_f8 slack = 0.01f * (l->length + l->missing);
    return l->missing * l->missing / (l->missing + slack);
}

void PL_WIDE(pl_folds_tuck)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    size_t first = (size_t)block * PL_FOLD_LANES;
    pl_f8 rooms = rooms_of(job, block, true), depths = pl_splat8(0);
    pl_i8 active = rooms > depths;
    if (pl_mask8(active))
    {
        tuck_lines lines;
        pl_f8 up[3];
        uint32_t index[PL_FOLD_LANES];
        for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
        {
            index[lane] = lane * (count + 1);
        }
        pl_gather8((const pleat_vec4 *)(job->layer->ups + first * (count + 1) + count / 2), index, up);
        make_lines(job, block, false, up, &lines);
        active &= lines.whole;
        pl_f8 depth = pl_fold_limit8(solve(&lines, gain_of(&lines), active), rooms) * lines.fade;
        depths = (pl_f8)((pl_i8)(depth * pl_splat8(job->ring->strength * job->pose->held.tuck)) & active);
    }
    *(pl_f8 *)(job->layer->tucks + first) = depths;
}

void PL_WIDE(pl_folds_spare)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    size_t first = (size_t)block * PL_FOLD_LANES;
    pl_f8 rooms = rooms_of(job, block, false), spared = pl_splat8(0);
    pl_i8 active = rooms > spared;
    if (pl_mask8(active))
    {
        tuck_lines lines;
        make_lines(job, block, true, job->layer->work->ups[(size_t)block * (count + 1) + count / 2], &lines);
        active &= lines.whole;
        pl_f8 slope, depth = pl_fold_limit8(solve(&lines, gain_of(&lines), active), PL_FOLD_TUCK_SURE * rooms);
        pl_f8 taken = pl_max8(gain_at(&lines, depth, &slope), pl_splat8(0)) * lines.fade;
        taken *= pl_splat8(0.5f * job->ring->strength * job->pose->held.spared);
        spared = (pl_f8)((pl_i8)taken & active);
    }
    *(pl_f8 *)(job->layer->spared + first) = spared;
}

/* ---- Vertices ---- */

/* pl_fold_tuck_cell. */
static void sink_cell(const pl_fold_lane_job *job, uint32_t cell, uint32_t k, const float tucks[2], const pl_f4 ups[2])
{
    const pl_bound_ring *ring = job->ring;
    const pl_fold_lanes *packed = ring->lanes;
    uint32_t left = ring->first_vertex[cell + 1] - ring->first_vertex[cell];
    float begin = ring->bounds[k], span = ring->bounds[k + 1] - begin;
    pl_f4 change = ups[1] - ups[0];
    for (uint32_t n = packed->first_octet[cell]; n < packed->first_octet[cell + 1]; ++n, left -= PL_FOLD_LANES)
    {
        pl_fold_lot lot = pl_fold_lot_load(&packed->octets[n], packed->masks ? packed->masks[n] : NULL);
        pl_f8 share = lot.share * PL_FOLD_UNIT, part = lot.part * PL_FOLD_UNIT, move[4];
        pl_f8 depth = depth_at(ring, begin + span * part) * (tucks[0] + (tucks[1] - tucks[0]) * share);
        depth = (pl_f8)((pl_i8)(depth * lot.mask) & pl_fold_octet_own(left));
        for (int c = 0; c < 3; ++c)
        {
            move[c] = -(ups[0][c] + change[c] * share) * depth;
        }
        move[3] = pl_splat8(0);
        pl_fold_octet_add(&packed->octets[n], left <= PL_FOLD_LANES / 2, move, job->frame->positions);
    }
}

void PL_WIDE(pl_folds_sink)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, begin = block * PL_FOLD_LANES, end = begin + PL_FOLD_LANES;
    const pl_f4 *middle = job->layer->ups + count / 2;
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        const float tucks[2] = {job->layer->tucks[i], job->layer->tucks[next]};
        const pl_f4 ups[2] = {middle[(size_t)i * (count + 1)], middle[(size_t)next * (count + 1)]};
        for (uint32_t k = 0; k < count && (tucks[0] > 0 || tucks[1] > 0); ++k)
        {
            if (pl_fold_is_tucked(ring, k))
            {
                sink_cell(job, i * count + k, k, tucks, ups);
            }
        }
    }
}
