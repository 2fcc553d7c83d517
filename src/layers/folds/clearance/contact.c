/* Folds in contact: how high each may rise before it would pass through what is next to it.
 *
 * Planes stand across a line where two folds meet, and one more at the crease of the joint; each fold stays on its side
 * of them. Where plain skinning has already pushed the surface through itself, samples lie behind their planes from the
 * start and nothing rises. A plane's direction comes from where the two bones point, not from the surface alone: that
 * may turn around in the crease, the bones' mean direction does not before they lie on each other. */
#include "layers/folds/folds.h"

#include <string.h>

/* The largest amplitude that keeps every sample on its side of a wall, with a gap that grows from nothing at the foot.
 * A sample that is behind the wall from the start allows none. */
static float room_before(const pl_fold_wall *w, float away, const pl_f4 *points, const pl_f4 *raised, uint32_t count,
                         float gap, float least, float most)
{
    pl_f4 direction = w->direction * pl_splat(away);
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        float share = raised[i][3];
        if (share < 0.25f)
        {
            continue; /* close to a foot: rises too little to be asked */
        }
        /* Even a sample that rises away from the wall gets no higher than a few times its distance from it: where
         * skinning has pushed the surface through the wall, nothing rises, and on the way there nothing jumps. */
        float towards = pl_dot3(raised[i], direction);
        towards = towards > least * share ? towards : least * share;
        float room = pl_dot3(w->point - points[i], direction) - gap * share;
        if (room < most * towards)
        {
            most = room > 0 ? room / towards : 0;
        }
    }
    return most;
}

/* The direction of the line at foot k of a station, as the bone on each side turns it. */
typedef struct bone_pair
{
    pl_f4 near, far;
} bone_pair;

static bone_pair bone_directions(const pl_bound_ring *ring, uint32_t station, uint32_t k, const pl_fold_pose *pose)
{
    pl_f4 along = ring->along[(size_t)station * (ring->fold_count + 1) + k];
    pl_f4 far = pl_normalize3(pl_affine_vector(&pose->frame->joints[ring->joint], along));
    return (bone_pair){pl_normalize3(pl_affine_vector(&pose->frame->joints[ring->parent], along)),
                       pose->held.excess > 0 ? pl_quat_rotate(pose->held.back, far) : far};
}

/* Where a place of a line is. rest: as of the ring. */
static pl_f4 line_place(const pl_fold_sample *sample, pl_f4 rest, const pl_fold_pose *pose)
{
    pl_f4 place = pl_fold_mix(pose->frame->positions, sample->vertex, sample->weight);
    return pose->held.excess > 0 ? pl_fold_hold_point(&pose->held, place, rest) : place;
}

static pl_f4 foot_place(const pl_bound_ring *ring, size_t index, const pl_fold_pose *pose)
{
    return line_place(&ring->feet[index], ring->feet_rest[index], pose);
}

static pl_f4 sample_place(const pl_bound_ring *ring, uint32_t index, const pl_fold_pose *pose)
{
    return line_place(&ring->samples[index], ring->sample_rest[index], pose);
}

float pl_fold_foot_span(const pl_bound_ring *ring, uint32_t station, uint32_t k)
{
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    float span = 0;
    if (k > 0 && folds[k - 1].sample_count > 2)
    {
        uint32_t last = folds[k - 1].first_sample + folds[k - 1].sample_count - 2;
        span += (1 - ring->samples[last].part) * (ring->bounds[k] - ring->bounds[k - 1]);
    }
    if (k < ring->fold_count && folds[k].sample_count > 2)
    {
        span += ring->samples[folds[k].first_sample + 1].part * (ring->bounds[k + 1] - ring->bounds[k]);
    }
    return fmaxf(span, 0.15f * ring->width);
}

/* The plane across a line where two folds meet; both stop at it, from either side. */
static pl_fold_wall foot_wall(const pl_bound_ring *ring, uint32_t station, uint32_t k, const pl_fold_pose *pose)
{
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    size_t foot = (size_t)station * (ring->fold_count + 1) + k;
    pl_f4 at = foot_place(ring, foot, pose), from = at, to = at;
    if (k > 0 && folds[k - 1].sample_count > 2)
    {
        from = sample_place(ring, folds[k - 1].first_sample + folds[k - 1].sample_count - 2, pose);
    }
    if (k < ring->fold_count && folds[k].sample_count > 2)
    {
        to = sample_place(ring, folds[k].first_sample + 1, pose);
    }
    pl_f4 along = to - from;
    bone_pair pair = bone_directions(ring, station, k, pose);
    pl_f4 bones = pl_lerp(pair.near, pair.far, (float)k / (float)ring->fold_count);
    /* The line's own direction is worth its length: where it is nearly lost, the bones decide. Where skinning has
     * turned it around, what points backwards does not count: the sum never vanishes, so the plane never flips. */
    float back = pl_dot3(along, bones), squared = pl_dot3(bones, bones);
    if (back < 0)
    {
        along -= bones * pl_splat(back / (squared > 1e-12f ? squared : 1e-12f));
    }
    pl_f4 direction = along * pl_splat(1 / pl_fold_foot_span(ring, station, k)) + bones * pl_splat(0.35f);
    return (pl_fold_wall){at, pl_normalize3(direction)};
}

pl_fold_wall pl_fold_crease(const pl_bound_ring *ring, uint32_t station, const pl_fold_pose *pose)
{
    /* Through the line's point on the ring, half way between the bones. */
    uint32_t middle = ring->fold_count / 2;
    size_t foot = (size_t)station * (ring->fold_count + 1) + middle;
    bone_pair pair = bone_directions(ring, station, middle, pose);
    return (pl_fold_wall){foot_place(ring, foot, pose), pl_normalize3(pair.near + pair.far)};
}

pl_fold_wall pl_fold_closing(const pl_bound_ring *ring, uint32_t station, const pleat_layer_frame *frame)
{
    enum
    {
        REACH = 4 /* folds on each side */
    };
    uint32_t middle = ring->fold_count / 2, ends[2] = {0, 0};
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    const pl_f4 *rest = ring->feet_rest + (size_t)station * (ring->fold_count + 1) + middle;
    while (ends[0] < REACH && ends[0] < middle && folds[middle - 1 - ends[0]].sample_count > 2)
    {
        ++ends[0];
    }
    while (ends[1] < REACH && ends[1] < middle && folds[middle + ends[1]].sample_count > 2)
    {
        ++ends[1];
    }
    pl_fold_pose pose = {.frame = frame};
    pl_fold_wall crease = pl_fold_crease(ring, station, &pose);
    if (ends[0] && ends[1])
    {
        pl_f4 near = pl_affine_vector(&frame->joints[ring->parent], rest[0] - rest[-(ptrdiff_t)ends[0]]);
        pl_f4 far = pl_affine_vector(&frame->joints[ring->joint], rest[ends[1]] - rest[0]);
        crease.direction = pl_normalize3(pl_normalize3(near) + pl_normalize3(far));
    }
    return crease;
}

pl_f4 pl_fold_crease_turn(const pl_bound_ring *ring, uint32_t station, const pl_fold_pose *pose, float part,
                          pl_fold_wall *crease)
{
    uint32_t count = ring->station_count;
    size_t stride = (size_t)ring->fold_count + 1, foot = ring->fold_count / 2;
    uint32_t before = pl_fold_station_beside(count, ring->closed, station, 0);
    uint32_t behind = pl_fold_station_beside(count, ring->closed, station, 1);
    pl_f4 way = foot_place(ring, behind * stride + foot, pose) - foot_place(ring, before * stride + foot, pose);
    /* Where the ring is crushed to nothing it runs nowhere. */
    float least = 0.7f * ring->spacing;
    float along = pl_dot3(crease->direction, way) / (pl_dot3(way, way) + least * least);
    crease->direction = pl_normalize3(crease->direction - way * pl_splat(part * along));
    return pl_normalize3(way);
}

void pl_fold_walls_make(const pl_bound_ring *ring, uint32_t station, const pl_fold_pose *pose, pl_fold_walls *out)
{
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    for (uint32_t k = 0; k <= ring->fold_count; ++k)
    {
        bool before = k > 0 && folds[k - 1].sample_count > 2;
        if (before || (k < ring->fold_count && folds[k].sample_count > 2))
        {
            out->feet[k] = foot_wall(ring, station, k, pose);
        }
    }
    out->crease = pl_fold_crease(ring, station, pose);
}

float pl_fold_room(const pl_bound_ring *ring, const pl_fold_walls *walls, uint32_t k, const pl_f4 *points,
                   const pl_f4 *raised, uint32_t count)
{
    float most = PL_FOLD_STEEP * ring->width, side = k >= ring->fold_count / 2 ? -1.0f : 1.0f;
    most = room_before(&walls->feet[k], -1, points, raised, count, 0.02f * ring->width, 0.25f, most);
    most = room_before(&walls->feet[k + 1], 1, points, raised, count, 0.02f * ring->width, 0.25f, most);
    return room_before(&walls->crease, side, points, raised, count, 0.1f * ring->width, PL_FOLD_LEAN, most);
}

pl_fold_bend pl_fold_bend_of(const pl_bound_ring *ring, uint32_t station, const pl_fold_pose *pose)
{
    bone_pair pair = bone_directions(ring, station, ring->fold_count / 2, pose);
    float cosine = pl_dot3(pair.near, pair.far);
    /* From 100 to 125 degrees; from 90 to 103, more than which no swing is held at; from 5 to 12; from 114 to 154. */
    return (pl_fold_bend){pl_fold_ramp(cosine, -0.574f, -0.174f), fmaxf(pl_fold_ramp(cosine, -0.375f, 0), 0.35f),
                          1 - pl_fold_ramp(cosine, 0.978f, 0.996f), pl_fold_ramp(cosine, -0.9f, -0.4f)};
}

/* ---- Rooms along the ring ---- */

/* Folds of one station, between two others: a[k] = min(a[k], b[k] + step). */
static void keep_below(float *a, const float *b, float step, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        float most = b[k] + step;
        a[k] = a[k] < most ? a[k] : most;
    }
}

/* Are all values the same? Then there is nothing to lower. */
static bool are_even(const float *values, uint32_t count)
{
    int differ = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        differ |= values[k] != values[0];
    }
    return !differ;
}

/* A place's room, drawn a part of the way to that of a place beside it where it is lower there. own: before. */
PL_INLINE pl_f4 draw_below(pl_f4 room, pl_f4 own, pl_f4 beside, float part)
{
    return pl_min(room, own + (beside - own) * pl_splat(part));
}

/* share_rooms for four folds side by side, or for two: width. What lies before and behind stays in registers. */
PL_INLINE void share_columns(const pl_bound_ring *ring, float *rooms, size_t width)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count;
    size_t size = width * sizeof *rooms;
    pl_f4 first = pl_splat(0), before = first, here, next;
    memcpy(&first, rooms, size);
    memcpy(&before, rooms + (ring->closed ? stations - 1 : 0) * folds, size);
    here = first;
    float part = ring->closed ? 1 / pl_fold_gap(ring, stations - 1) : 1;
    for (uint32_t i = 0; i < stations; ++i)
    {
        float *room = rooms + i * folds, gap = pl_fold_gap(ring, i);
        next = ring->closed ? first : here;
        if (i + 1 < stations)
        {
            memcpy(&next, room + folds, size);
        }
        pl_f4 drawn = draw_below(here, here, before, part);
        part = gap > 1 ? 1 / gap : 1;
        drawn = draw_below(drawn, here, next, part);
        memcpy(room, &drawn, size);
        before = here;
        here = next;
    }
}

/* Between two stations a fold may meet what neither of their lines does: each room is the least of its own and those
 * as far to each side of it as the plan's stations are. There is an even number of folds. */
static void share_rooms(const pl_bound_ring *ring, float *rooms)
{
    uint32_t folds = ring->fold_count, k = 0;
    for (; k + 4 <= folds; k += 4)
    {
        share_columns(ring, rooms + k, 4);
    }
    if (k < folds)
    {
        share_columns(ring, rooms + k, 2);
    }
}

void pl_fold_share_rooms(const pl_bound_ring *ring, float *rooms)
{
    if (!are_even(rooms, ring->station_count * ring->fold_count))
    {
        share_rooms(ring, rooms);
    }
}

/* The same as keep_below, and whether anything of it changes. */
static bool lower(float *a, const float *b, float step, uint32_t count)
{
    bool changed = false;
    for (uint32_t k = 0; k < count; ++k)
    {
        changed = changed || a[k] > b[k] + step;
    }
    keep_below(a, b, step, count);
    return changed;
}

/* Lets values (stations by count) grow no faster than a slope along the ring. */
static void taper(const pl_bound_ring *ring, float slope, float *values, uint32_t count)
{
    uint32_t stations = ring->station_count, last = stations - 1;
    float step = slope * ring->spacing;
    /* Each way; around a closed ring on from there as far as anything changes, so that it has no seam. */
    for (uint32_t i = 1; i < stations; ++i)
    {
        keep_below(values + i * count, values + (i - 1) * count, step * pl_fold_gap(ring, i - 1), count);
    }
    for (uint32_t i = 0; ring->closed && i < stations; ++i)
    {
        uint32_t before = i ? i - 1 : last;
        if (!lower(values + i * count, values + before * count, step * pl_fold_gap(ring, before), count))
        {
            break;
        }
    }
    for (uint32_t i = last; i-- > 0;)
    {
        keep_below(values + i * count, values + (i + 1) * count, step * pl_fold_gap(ring, i), count);
    }
    for (uint32_t i = stations; ring->closed && i-- > 0;)
    {
        if (!lower(values + i * count, values + (i < last ? i + 1 : 0) * count, step * pl_fold_gap(ring, i), count))
        {
            break;
        }
    }
}

void pl_fold_taper_rooms(const pl_bound_ring *ring, float slope, float *rooms)
{
    if (!are_even(rooms, ring->station_count * ring->fold_count))
    {
        share_rooms(ring, rooms);
        taper(ring, slope, rooms, ring->fold_count);
    }
}

/* ---- Along the ring ---- */

/* What a fold with the lower of two heights at neighbouring stations gets from the other, and what that one leaves it.
 * Lengths go with the squares of heights; it nears half of its room slowly, as the other half is for its other
 * neighbour, and a station takes from others as it begins to fold itself, not at once. */
static float gain_of(const pl_bound_ring *ring, const pl_folds_layer *layer, uint32_t index, float low, float high)
{
    float gate = fminf(layer->gates[ring->first_fold + index], layer->outers[index / ring->fold_count]);
    float share = ring->folds[index].fade * gate * ring->strength;
    float room = fminf(layer->rooms[index], layer->tapers[index]) * share;
    float begun = fminf(layer->lost[index / ring->fold_count] / 0.05f, 1), left = 0.5f * (room * room - low * low);
    float given = 0.25f * begun * begun * (high * high - low * low);
    return left > 0 && given > 0 && ring->folds[index].sample_count > 2 ? given * left / (given + left) : 0;
}

/* What goes from a fold to the same at the next station, as the crease closes at either: as much as makes up for a
 * difference over the same distance, however far apart they are. */
static float flow_between(const pl_bound_ring *ring, const pl_folds_layer *layer, uint32_t from, uint32_t to, float a,
                          float b)
{
    float covered = fmaxf(layer->pressed[from / ring->fold_count], layer->pressed[to / ring->fold_count]);
    float closed = pl_fold_ramp(covered, 0.25f * ring->width, 0.75f * ring->width);
    float gap = pl_fold_gap(ring, from / ring->fold_count);
    closed /= gap * gap;
    return closed * (a > b ? gain_of(ring, layer, to, b, a) : -gain_of(ring, layer, from, a, b));
}

void pl_fold_share_along(const pl_bound_ring *ring, float part, pl_folds_layer *layer)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count, last = stations - 1;
    for (uint32_t k = 0; k < folds && part > 0 && stations > 2; ++k)
    {
        /* Over the seam of a closed ring, and from there station by station. */
        uint32_t end = last * folds + k;
        float here = layer->heights[k];
        float seam = ring->closed ? flow_between(ring, layer, end, k, layer->heights[end], here) : 0, in = seam;
        for (uint32_t i = 0, index = k; i < stations; ++i, index += folds)
        {
            float next = i < last ? layer->heights[index + folds] : 0;
            float out = i < last ? flow_between(ring, layer, index, index + folds, here, next) : seam;
            layer->heights[index] = sqrtf(fmaxf(here * here + part * (in - out), 0));
            here = next;
            in = out;
        }
    }
}

/* ---- Stubs ---- */

/* Folds of a station: the lowest (sign 1) or, negated, the highest of their values there and at the stations no farther
 * than PL_FOLD_STUB on either side. */
static void keep_lowest(const pl_bound_ring *ring, uint32_t station, const float *values, float sign, float *out)
{
    uint32_t folds = ring->fold_count, stations = ring->station_count;
    for (uint32_t k = 0; k < folds; ++k)
    {
        out[k] = sign * values[(size_t)station * folds + k];
    }
    for (int side = 0; side < 2; ++side)
    {
        uint32_t at = station;
        float away = 0;
        for (;;)
        {
            uint32_t next = pl_fold_station_beside(stations, ring->closed, at, side);
            away += pl_fold_gap(ring, side ? at : next);
            if (next == at || next == station || away > PL_FOLD_STUB)
            {
                break;
            }
            for (uint32_t k = 0; k < folds; ++k)
            {
                float value = sign * values[(size_t)next * folds + k];
                out[k] = value < out[k] ? value : out[k];
            }
            at = next;
        }
    }
}

void pl_fold_leave_stubs(const pl_bound_ring *ring, float part, pl_folds_layer *layer)
{
    uint32_t stations = ring->station_count, folds = ring->fold_count;
    float *least = layer->tapers; /* not asked any more */
    if (!(part > 0))
    {
        return;
    }
    for (uint32_t i = 0; i < stations; ++i)
    {
        keep_lowest(ring, i, layer->heights, 1, least + (size_t)i * folds);
    }
    for (uint32_t i = 0; i < stations; ++i)
    {
        float most[2 * PL_FOLDS_A_SIDE], *heights = layer->heights + (size_t)i * folds;
        keep_lowest(ring, i, least, -1, most);
        for (uint32_t k = 0; k < folds; ++k)
        {
            float less = heights[k] + PL_FOLD_STUB_PEAK * most[k];
            heights[k] -= less > 0 ? part * less : 0;
        }
    }
}
