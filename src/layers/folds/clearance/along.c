#include "layers/folds/clearance/along.h"

#include <string.h>

/* The loss of a station from which on it takes from others what it can. */
#define BEGUN 0.05f
/* A fold nears half of its room: the other half is for its other neighbour. */
#define HALF_ROOM 0.5f
/* What two neighbours give each other at once, of what would make them even: half of it from each side. */
#define GIVEN 0.25f
/* Lengths flow along the ring as a crease closes: covered cloth, of a fold's width, from where on some does and all. */
#define CLOSES 0.25f
#define CLOSED 0.75f

/* ---- Rooms ---- */

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

/* ---- Heights ---- */

/* What a fold with the lower of two heights at neighbouring stations gets from the other, and what that one leaves it.
 * Lengths go with the squares of heights; it nears half of its room slowly, as the other half is for its other
 * neighbour, and a station takes from others as it begins to fold itself, not at once. */
static float gain_of(const pl_bound_ring *ring, const pl_folds_layer *layer, uint32_t index, float low, float high)
{
    float gate =
        fminf(layer->rivals.gates[ring->first_fold + index], layer->at.allowed.outers[index / ring->fold_count]);
    float share = ring->folds[index].fade * gate * ring->strength;
    float room = fminf(layer->at.allowed.rooms[index], layer->at.allowed.tapers[index]) * share;
    float begun = fminf(layer->at.lost[index / ring->fold_count] / BEGUN, 1),
          left = HALF_ROOM * (room * room - low * low);
    float given = GIVEN * begun * begun * (high * high - low * low);
    return left > 0 && given > 0 && ring->folds[index].sample_count > 2 ? given * left / (given + left) : 0;
}

/* What goes from a fold to the same at the next station, as the crease closes at either: as much as makes up for a
 * difference over the same distance, however far apart they are. */
static float flow_between(const pl_bound_ring *ring, const pl_folds_layer *layer, uint32_t from, uint32_t to, float a,
                          float b)
{
    float covered =
        fmaxf(layer->at.covered.pressed[from / ring->fold_count], layer->at.covered.pressed[to / ring->fold_count]);
    float closed = pl_fold_ramp(covered, CLOSES * ring->width, CLOSED * ring->width);
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
        float here = layer->at.risen.heights[k];
        float seam = ring->closed ? flow_between(ring, layer, end, k, layer->at.risen.heights[end], here) : 0,
              in = seam;
        for (uint32_t i = 0, index = k; i < stations; ++i, index += folds)
        {
            float next = i < last ? layer->at.risen.heights[index + folds] : 0;
            float out = i < last ? flow_between(ring, layer, index, index + folds, here, next) : seam;
            layer->at.risen.heights[index] = sqrtf(fmaxf(here * here + part * (in - out), 0));
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
    float *least = layer->at.risen.lowest;
    if (!(part > 0))
    {
        return;
    }
    for (uint32_t i = 0; i < stations; ++i)
    {
        keep_lowest(ring, i, layer->at.risen.heights, 1, least + (size_t)i * folds);
    }
    for (uint32_t i = 0; i < stations; ++i)
    {
        float most[2 * PL_FOLDS_A_SIDE], *heights = layer->at.risen.heights + (size_t)i * folds;
        keep_lowest(ring, i, least, -1, most);
        for (uint32_t k = 0; k < folds; ++k)
        {
            float less = heights[k] + PL_FOLD_STUB_PEAK * most[k];
            heights[k] -= less > 0 ? part * less : 0;
        }
    }
}
