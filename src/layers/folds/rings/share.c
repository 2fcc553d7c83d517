/* Which ring folds which place.
 *
 * Level lines of a joint's weight and those of the joints above, below and beside it never cross (the weights are
 * nested or add up to at most 1), but their regions overlap: along the spine, at the hip, around the shoulder. Two
 * rings that fold the same place at different phases make notches, so each place belongs to the ring nearest to it; at
 * the border one ring's folds fade out over a fold's width while the other's, which are solved later on what is left,
 * fade in. Between two rings that run side by side, folds are made a little wider or narrower so that whole ones fit.
 */
#include "layers/folds/rings/ring.h"

#include <stdlib.h>

/* Whole folds are fitted between a ring and a neighbour that is further than so many folds' widths. */
#define LEAST_BORDER 0.6f

/* A place on a line across a ring. */
typedef struct line_place
{
    pl_f4 position, normal;
    pl_f4 along; /* the line's direction, not zero */
    float away;  /* from the ring */
} line_place;

/* The station of a ring that is nearest on the place's side of the cloth, or NULL. */
static const pl_station *nearest_station(const pl_ring *ring, const line_place *place, float *distance)
{
    const pl_station *nearest = NULL;
    float least = INFINITY;
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        pl_f4 apart = ring->stations[i].position - place->position;
        float squared = pl_dot3(apart, apart);
        if (squared < least && pl_dot3(ring->stations[i].normal, place->normal) > 0)
        {
            least = squared;
            nearest = &ring->stations[i];
        }
    }
    *distance = sqrtf(least);
    return nearest;
}

/* How much of a place is its own ring's and not another's: 1 all, 0 nothing. Rings work one after the other, each on
 * what is left: the one that comes later keeps its full height until the earlier one has its own. Folds across each
 * other do not disturb each other: a ring whose lines run askew takes nothing away. */
static float own_part(const pl_folds_plan *plan, uint32_t self, const line_place *place)
{
    float own = 1;
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        float other;
        bool apart = r == self || plan->rings[r].shell != plan->rings[self].shell;
        const pl_station *station = apart ? NULL : nearest_station(&plan->rings[r].ring, place, &other);
        if (!station)
        {
            continue;
        }
        float lead = r < self ? 1.5f : 0.5f;
        float width = plan->rings[self].values.width;
        float nearer = pl_smooth_step((other - place->away) / width + lead);
        float beyond = pl_smooth_step((other - plan->rings[r].half) / width + lead);
        float parallel = fabsf(pl_dot3(pl_normalize3(place->along), station->across));
        own = fminf(own, 1 - pl_fold_ramp(parallel, PL_FOLD_CROSSING_ALL, PL_FOLD_CROSSING_NONE) *
                                 (1 - fmaxf(nearer, beyond)));
    }
    return own;
}

static size_t grid_at(const pl_patch *patch, uint32_t station, float arc, float row_step)
{
    int32_t middle = (int32_t)(patch->row_count / 2), row = middle + (int32_t)lrintf(arc / row_step);
    row = row < 0 ? 0 : row > 2 * middle ? 2 * middle : row;
    return (size_t)station * patch->row_count + (uint32_t)row;
}

static line_place place_at(const pl_patch *patch, uint32_t station, float arc, float row_step)
{
    size_t at = grid_at(patch, station, arc, row_step);
    pl_f4 along = patch->grid[grid_at(patch, station, arc + row_step, row_step)] -
                  patch->grid[grid_at(patch, station, arc - row_step, row_step)];
    bool known = pl_dot3(along, along) > 0;
    return (line_place){patch->grid[at], patch->grid_normal[at], known ? along : patch->ring->stations[station].across,
                        fabsf(arc)};
}

/* How well the lines beside a place describe the cloth there, 0 .. 1. Lines that part, as those between the legs that
 * go down one thigh each, say nothing of the cloth between them: from three to six times as far apart as at the ring
 * folds end. */
static float beside_part(const pl_fold_ring *ring, uint32_t station, float arc, float row_step)
{
    int64_t count = ring->ring.station_count;
    float spacing = ring->ring.length / (float)count, far = 0;
    pl_f4 here = ring->patch.grid[grid_at(&ring->patch, station, arc, row_step)];
    for (int side = -1; side <= 1; side += 2)
    {
        int64_t beside = (int64_t)station + side;
        beside = ring->ring.closed ? (beside + count) % count : beside;
        if (beside >= 0 && beside < count)
        {
            size_t at = grid_at(&ring->patch, (uint32_t)beside, arc, row_step);
            far = ring->patch.grid_good[at] ? fmaxf(far, pl_length3(ring->patch.grid[at] - here)) : far;
        }
    }
    return 1 - pl_fold_ramp(far / spacing, 3, 6);
}

void pl_folds_share_places(const pl_folds_plan *plan, uint32_t self, float row_step)
{
    const pl_fold_ring *ring = &plan->rings[self];
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float arc = 0.5f * (ring->bounds[k] + ring->bounds[k + 1]);
            line_place place = place_at(&ring->patch, i, arc, row_step);
            ring->own[i * ring->fold_count + k] = own_part(plan, self, &place) * beside_part(ring, i, arc, row_step);
        }
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* How far from the ring, on one side of a station, its part ends; `far` if it does not before that. */
static float border_at(const pl_folds_plan *plan, uint32_t self, const pl_patch *probe, uint32_t station, float side,
                       float row_step, float far)
{
    for (float arc = row_step; arc < far; arc += row_step)
    {
        if (!probe->grid_good[grid_at(probe, station, side * arc, row_step)])
        {
            return far;
        }
        line_place place = place_at(probe, station, side * arc, row_step);
        if (own_part(plan, self, &place) < 0.5f)
        {
            return arc - 0.5f * row_step;
        }
    }
    return far;
}

void pl_folds_fit_between(const pl_folds_plan *plan, uint32_t self, const pl_patch *probe, float row_step,
                          float *scratch)
{
    pl_fold_ring *ring = &plan->rings[self];
    uint32_t count = ring->ring.station_count, middle = ring->fold_count / 2;
    float width = ring->values.width;
    for (int side = -1; side <= 1; side += 2)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            scratch[i] = border_at(plan, self, probe, i, (float)side, row_step, ring->half);
        }
        qsort(scratch, count, sizeof *scratch, compare_floats);
        float border = scratch[count / 2], spread = scratch[3 * count / 4] - scratch[count / 4];
        if (!(scratch[3 * count / 4] < ring->half) || !(spread < width) || !(border > LEAST_BORDER * width))
        {
            continue; /* no neighbour along most of the ring, or one that runs askew */
        }
        uint32_t whole = (uint32_t)fmaxf(border / width + 0.5f, 1);
        float change = border - (float)whole * width;
        for (uint32_t k = 1; k <= middle; ++k)
        {
            float *bound = side < 0 ? &ring->bounds[middle - k] : &ring->bounds[middle + k];
            *bound += (float)side * change * fminf((float)k / (float)whole, 1);
        }
    }
    ring->half = fmaxf(-ring->bounds[0], ring->bounds[ring->fold_count]);
}
