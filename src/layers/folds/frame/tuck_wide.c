/* Deep bends: the crease itself takes up length.
 *
 * Where a limb touches itself there is no room for folds, and what they cannot take is tucked into the crease: a valley
 * along the ring, half way between the bones, that goes as deep as the lines across it need to be as long as at rest.
 * It is one more fold, solved like the others, after they have risen; what it is sure to take they leave to it, or the
 * lines would be too long. For an inner radius r and a bend t the cloth that lies in the crease is r tan(t / 2) long on
 * each side, and the joint is r / cos(t / 2) away: it always fits.
 *
 * What a line gains is summed up by itself, segment by segment, and not as the difference of two lengths: near the
 * onset of a tuck it is far smaller than their rounding. Bound by the roots and quotients of each segment. */
#include "layers/folds/frame/cell.h"
#include "layers/folds/frame/points.h"
#include "layers/folds/solve/line.h"

#include <string.h>

/* How far a tuck reaches to each side, in folds. */
#define REACH 2.5f
/* How much of its room it is sure to use. */
#define SURE 0.5f
/* How deep it may get, of the way from the ring to the joint, */
#define DEEPEST 0.75f
/* and of the way to what lies beneath, which comes nearer as the limb bends. */
#define DEEPEST_COVERED 0.5f
/* How slowly it follows what is covered; of a fold's width. */
#define GROOVE 0.6f
/* Between walls that are a fold or less apart it would be a slot, whose sides cross; from two folds on it is whole. */
#define SLOT 1.0f
#define WIDE 2.0f
/* Of what is missing the first hundredth of the line counts in part: the crease begins evenly, where the bare square
 * root would leap. */
#define SLACK 0.01f
/* A depth is right if its length is, to that part of it, and of what is gained. */
#define CLOSE 1e-7f
#define CLOSE_GAIN 1e-5f

/* The part of lines that is tucked: |d + X e|^2 = square + 2 lean X + reach X^2 for each segment. */
typedef struct tuck_lines
{
    uint32_t count;
    pl_fw square[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE], lean[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE],
        reach[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE], norm[PL_FOLD_SEGMENTS * 2 * PL_FOLDS_A_SIDE];
    pl_fw length, missing, fade;
    pl_iw whole; /* do lines go as far as weights blend? */
} tuck_lines;

/* A place on the way along them. */
typedef struct walker
{
    pl_fw down[3], place[3], depth;
} walker;

/* The depth of the tuck at an arc length from the ring, 0 .. 1. */
PL_INLINE pl_fw depth_at(const pl_bound_ring *ring, pl_fw arc)
{
    pl_fw r = pl_abs_w(arc) * pl_splat_w(1 / (REACH * ring->width)), left = pl_max_w(1 - r, pl_splat_w(0));
    return left * left * (1 + 2 * r);
}

/* Goes on to a place; returns how far that is. */
PL_INLINE pl_fw walk_to(walker *w, const pl_fw place[3], pl_fw depth, tuck_lines *out)
{
    pl_fw step[3], change = depth - w->depth;
    for (int c = 0; c < 3; ++c)
    {
        step[c] = place[c] - w->place[c];
        w->place[c] = place[c];
    }
    pl_fw square = pl_max_w(pl_dot_w(step, step), pl_splat_w(PL_FOLD_TINY)), norm = pl_sqrt_w(square);
    w->depth = depth;
    out->square[out->count] = square;
    out->lean[out->count] = change * pl_dot_w(step, w->down);
    out->reach[out->count] = change * change;
    out->norm[out->count++] = norm;
    return norm;
}

/* held: points are those of the held pose, which folds are solved in; else as they are in the frame. */
PL_INLINE void add_fold(const pl_fold_job *job, uint32_t block, uint32_t k, bool held, walker *w, tuck_lines *out)
{
    const pl_bound_ring *ring = job->ring;
    const pl_fold_lanes *lanes = ring->cloth.lanes;
    uint32_t index = block * ring->fold_count + k;
    const pl_fold_group *group = &lanes->groups[index];
    float begin = ring->bounds[k], span = ring->bounds[k + 1] - begin;
    pl_fw length = pl_splat_w(0), place[3];
    if (held && group->row_count)
    {
        pl_fold_group_know(job, block, k);
    }
    for (uint32_t i = group->first_row; i < group->first_row + group->row_count; ++i)
    {
        if (!held)
        {
            pl_fold_crossings_mix(job->frame->positions, &lanes->crossings[i], place);
        }
        const pl_fw *point = held ? job->layer->work->points[i] : place;
        length += walk_to(w, point, depth_at(ring, begin + span * lanes->rows[i].part), out);
    }
    if (!held)
    {
        pl_fold_places_mix(job->frame->positions, &lanes->places[index + block + 1], place);
    }
    const pl_fw *end = held ? job->layer->work->foot_points[index + block + 1] : place;
    length += walk_to(w, end, depth_at(ring, pl_splat_w(begin + span)), out);
    out->length += length;
    out->missing += group->rest_length - length;
    out->fade = pl_min_w(group->fade, out->fade);
    out->whole &= group->rest_length > pl_splat_w(0);
}

/* Lines as far as weights blend. up: outwards at the ring. */
PL_INLINE void make_lines(const pl_fold_job *job, uint32_t block, bool held, const pl_fw up[3], tuck_lines *out)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count;
    size_t first = (size_t)block * (count + 1) + PL_FOLDS_SPARE;
    walker w = {.depth = depth_at(ring, pl_splat_w(ring->bounds[PL_FOLDS_SPARE]))};
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
        pl_fold_places_mix(job->frame->positions, &ring->cloth.lanes->places[first], w.place);
    }
    out->count = 0;
    out->length = out->missing = pl_splat_w(0);
    out->fade = pl_splat_w(1);
    out->whole = out->length >= pl_splat_w(0);
    for (uint32_t k = PL_FOLDS_SPARE; k + PL_FOLDS_SPARE < count; ++k)
    {
        add_fold(job, block, k, held, &w, out);
    }
    out->whole &= out->missing > pl_splat_w(0);
}

/* How much longer lines get for a depth; and how fast. */
PL_INLINE pl_fw gain_at(const tuck_lines *l, pl_fw x, pl_fw *slope)
{
    pl_fw gain = pl_splat_w(0), sum = gain;
    for (uint32_t i = 0; i < l->count; ++i)
    {
        pl_fw lean = l->lean[i] + x * l->reach[i], more = x * (l->lean[i] + lean);
        pl_fw norm = pl_sqrt_w(pl_max_w(l->square[i] + more, pl_splat_w(PL_FOLD_TINY)));
        gain += more / (norm + l->norm[i]);
        sum += lean / norm;
    }
    *slope = sum;
    return gain;
}

/* The lines as one segment each, as in solve/line.h. */
PL_INLINE void as_single(const tuck_lines *l, pl_fold_line_single *out)
{
    pl_fw zero = pl_splat_w(0);
    *out = (pl_fold_line_single){l->length, zero, zero, zero, zero};
    for (uint32_t i = 0; i < l->count; ++i)
    {
        pl_fw inverse = 1 / l->norm[i], lean = l->lean[i] * inverse;
        out->slope += lean;
        out->square += pl_max_w(l->reach[i] - lean * lean, zero) * inverse;
        out->reach += l->reach[i];
    }
    out->half = out->length * out->slope;
    out->square = out->slope * out->slope + out->square * out->length;
}

/* Beyond this depth lines are longer than they are to be. */
PL_INLINE pl_fw farthest(const tuck_lines *l, pl_fw lengths)
{
    pl_fw reach = pl_splat_w(0);
    for (uint32_t i = 0; i < l->count; ++i)
    {
        reach += pl_sqrt_w(l->reach[i]);
    }
    return lengths / reach;
}

/* As pl_fold_line_solve for a gain of length. */
static pl_fw solve(const tuck_lines *l, pl_fw gain, pl_iw active)
{
    pl_fw zero = pl_splat_w(0), endless = pl_splat_w(INFINITY), low = zero, high = endless, relief = zero;
    pl_fw wanted = l->length + gain, close = pl_min_w(CLOSE * wanted, CLOSE_GAIN * gain);
    pl_fold_line_single single;
    as_single(l, &single);
    active &= (gain > zero) & (single.reach > zero);
    pl_iw filled = active & (single.half < zero) & (single.square > zero);
    if (pl_mask_w(filled))
    {
        pl_fw hollow;
        pl_fold_line_ease(&single, wanted, gain, filled, &hollow, &relief);
        single.half += l->length * relief;
    }
    pl_fw under = single.half * single.half + single.square * (wanted + l->length) * gain;
    pl_fw x = (pl_sqrt_w(pl_max_w(under, zero)) - single.half) / single.square;
    pl_iw far = active & ~((x > zero) & (x < endless));
    if (pl_mask_w(far))
    {
        pl_fw most = farthest(l, wanted + l->length);
        x = pl_select_w(far, most, x);
        high = pl_select_w(far, most, high);
    }
    x = pl_where_w(active, x);
    for (int round = 0; round < PL_FOLD_ROUNDS && pl_mask_w(active); ++round)
    {
        pl_fw slope, tau = gain_at(l, x, &slope) - gain + relief * x;
        slope += relief;
        active &= ~(pl_abs_w(tau) <= close);
        pl_iw above = tau > zero;
        high = pl_select_w(active & above, x, high);
        low = pl_select_w(active & ~above, x, low);
        pl_fw next = pl_select_w(slope > zero, x - tau / slope, endless);
        pl_iw outside = active & ~((next > low) & (next < high));
        if (pl_mask_w(outside))
        {
            pl_fw most = farthest(l, wanted + l->length);
            next = pl_select_w(outside, pl_select_w(high < endless, 0.5f * (low + high), most), next);
        }
        active &= next != x;
        x = pl_select_w(active, next, x);
    }
    return x;
}

/* How deep a crease may get. given_up: how little what lies beneath counts, 0 .. 1. */
static float room_of(const pl_fold_job *job, uint32_t station, float given_up)
{
    const pl_bound_ring *ring = job->ring;
    size_t middle = (size_t)station * (ring->fold_count + 1) + ring->fold_count / 2;
    pl_f4 bottom = pl_fold_mix(job->frame->positions, ring->lines.feet[middle].vertex, ring->lines.feet[middle].weight);
    float free = DEEPEST * pl_dot3(bottom - job->pose.held.pivot, job->layer->at.allowed.ups[middle]);
    float room = fminf(free, DEEPEST_COVERED * ring->obstacles.beneath[station]);
    float pressed = fmaxf(job->layer->at.covered.pressed[station], 0);
    room += (free - room) * given_up;
    float wide = pl_fold_ramp(ring->bounds[ring->fold_count - PL_FOLDS_SPARE] / ring->width, SLOT, WIDE);
    /* Deeper than it is covered, it would be a pit; it begins as a groove. */
    return wide * fminf(room, pressed > 0 ? pressed * pressed / (pressed + GROOVE * ring->width) : 0);
}

/* 0 where nothing is asked. */
static pl_fw rooms_of(const pl_fold_job *job, uint32_t block, float given_up)
{
    pl_fw rooms = pl_splat_w(0);
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
    {
        uint32_t station = block * PL_WIDTH + lane;
        if (station < job->ring->station_count && job->layer->at.lost[station] > 0)
        {
            rooms[lane] = room_of(job, station, given_up);
        }
    }
    return rooms;
}

/* What lines are to gain. */
PL_INLINE pl_fw gain_of(const tuck_lines *l)
{
    pl_fw slack = SLACK * (l->length + l->missing);
    return l->missing * l->missing / (l->missing + slack);
}

/* How deep creases are to be tucked in, after their folds have risen. */
void PL_WIDE(pl_folds_tuck)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    size_t first = (size_t)block * PL_WIDTH;
    pl_fw rooms = rooms_of(job, block, 0), depths = pl_splat_w(0);
    pl_iw active = rooms > depths;
    if (pl_mask_w(active))
    {
        tuck_lines lines;
        pl_fw up[3];
        uint32_t index[PL_WIDTH];
        for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
        {
            index[lane] = lane * (count + 1);
        }
        pl_gather_w((const pleat_vec4 *)(job->layer->at.allowed.ups + first * (count + 1) + count / 2), index, up);
        make_lines(job, block, false, up, &lines);
        active &= lines.whole;
        pl_fw depth = pl_fold_limit_w(solve(&lines, gain_of(&lines), active), rooms) * lines.fade;
        depths = pl_where_w(active, depth * pl_splat_w(job->ring->strength * job->pose.held.tuck));
    }
    *(pl_fw *)(job->layer->at.tucked.tucks + first) = depths;
}

/* The same before any fold has risen: how much length on each side of the ring the crease will take up, so that folds
 * need not. */
void PL_WIDE(pl_folds_spare)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    size_t first = (size_t)block * PL_WIDTH;
    pl_fw rooms = rooms_of(job, block, job->pose.held.given_up), spared = pl_splat_w(0);
    pl_iw active = rooms > spared;
    if (pl_mask_w(active))
    {
        tuck_lines lines;
        make_lines(job, block, true, job->layer->work->ups[(size_t)block * (count + 1) + count / 2], &lines);
        active &= lines.whole;
        pl_fw slope, depth = pl_fold_limit_w(solve(&lines, gain_of(&lines), active), SURE * rooms);
        pl_fw taken = pl_max_w(gain_at(&lines, depth, &slope), pl_splat_w(0)) * lines.fade;
        taken *= pl_splat_w(0.5f * job->ring->strength * job->pose.held.spared);
        spared = pl_where_w(active, taken);
    }
    *(pl_fw *)(job->layer->at.tucked.spared + first) = spared;
}

/* ---- Vertices ---- */

/* Tucks the vertices of fold k between two stations in. */
static void sink_cell(const pl_fold_job *job, uint32_t cell, uint32_t k, const float tucks[2], const pl_f4 ups[2])
{
    const pl_bound_ring *ring = job->ring;
    const pl_fold_lanes *packed = ring->cloth.lanes;
    uint32_t left = ring->cloth.first_vertex[cell + 1] - ring->cloth.first_vertex[cell];
    float begin = ring->bounds[k], span = ring->bounds[k + 1] - begin;
    pl_f4 change = ups[1] - ups[0];
    for (uint32_t n = packed->first_pack[cell]; n < packed->first_pack[cell + 1]; ++n, left -= PL_WIDTH)
    {
        pl_fold_lot lot = pl_fold_lot_load(&packed->packs[n], packed->masks ? packed->masks[n] : NULL);
        pl_fw share = lot.share * PL_FOLD_UNIT, part = lot.part * PL_FOLD_UNIT, move[4];
        pl_fw depth = depth_at(ring, begin + span * part) * (tucks[0] + (tucks[1] - tucks[0]) * share);
        depth = pl_where_w(pl_fold_pack_own(left), depth * lot.mask);
        for (int c = 0; c < 3; ++c)
        {
            move[c] = -(ups[0][c] + change[c] * share) * depth;
        }
        move[3] = pl_splat_w(0);
        pl_add_w(move, packed->packs[n].twice, left <= PL_WIDTH / 2, job->frame->positions);
    }
}

/* Does a tuck reach fold k? */
static bool is_tucked(const pl_bound_ring *ring, uint32_t k)
{
    float reach = REACH * ring->width;
    return ring->bounds[k] < reach && ring->bounds[k + 1] > -reach;
}

void PL_WIDE(pl_folds_sink)(const pl_fold_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, begin = block * PL_WIDTH, end = begin + PL_WIDTH;
    const pl_f4 *middle = job->layer->at.allowed.ups + count / 2;
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        const float tucks[2] = {job->layer->at.tucked.tucks[i], job->layer->at.tucked.tucks[next]};
        const pl_f4 ups[2] = {middle[(size_t)i * (count + 1)], middle[(size_t)next * (count + 1)]};
        for (uint32_t k = 0; k < count && (tucks[0] > 0 || tucks[1] > 0); ++k)
        {
            if (is_tucked(ring, k))
            {
                sink_cell(job, i * count + k, k, tucks, ups);
            }
        }
    }
}
