/* Cloth that skinning crushes along the ring, as in an armpit or between thighs: lines across the ring come together
 * there, or change places. Folds on them would cross their neighbours and themselves, and they go down as lines near
 * each other. Which folds that may happen to is known from the clip (rings/watch.c). */
#include "layers/folds/clearance/near.h"

#include "base/fail.h"

/* Folds are gone where lines are this near to each other, of their distance at rest, and free from the second on. */
#define CRUSHED 0.25f
#define APART 1.0f

pl_f4 pl_fold_sideways(pl_f4 along, pl_f4 up)
{
    return pl_normalize3(pl_cross(up, along));
}

static pl_f4 place_of(const pl_bound_ring *ring, uint32_t sample, const pleat_vec4 *positions)
{
    return pl_fold_mix(positions, ring->lines.samples[sample].vertex, ring->lines.samples[sample].weight);
}

/* How far the lines on both sides of a fold are from its own at rest; 0: there is none, or it meets the fold's own. */
static void measure_at_rest(const pl_bound_ring *ring, const pleat_cloth *cloth, pl_fold_narrow *narrow)
{
    const pl_fold_sample *middle = &ring->lines.samples[narrow->middle];
    pl_f4 along = place_of(ring, narrow->end, cloth->rest) - place_of(ring, narrow->begin, cloth->rest);
    pl_f4 sideways = pl_fold_sideways(along, pl_fold_mix(cloth->rest_normals, middle->vertex, middle->weight));
    float mirrored = pl_affine_determinant(&cloth->to_rest) < 0 ? -1.0f : 1.0f;
    for (int side = 0; side < 2; ++side)
    {
        pl_f4 way = place_of(ring, narrow->beside[side], cloth->rest) - place_of(ring, narrow->middle, cloth->rest);
        float aside = mirrored * pl_dot3(way, sideways);
        narrow->aside[side] = fabsf(aside) > PL_FOLD_BESIDE * ring->spacing ? aside : 0;
    }
}

static uint32_t middle_of(const pl_fold *fold)
{
    return fold->first_sample + fold->sample_count / 2;
}

static pl_fold_narrow make_narrow(const pl_bound_ring *ring, const pleat_cloth *cloth, uint32_t index)
{
    const pl_fold *fold = &ring->folds[index];
    uint32_t station = index / ring->fold_count, k = index % ring->fold_count;
    pl_fold_narrow narrow = {.fold = index, .up = index + station, .begin = fold->first_sample};
    narrow.middle = middle_of(fold);
    narrow.end = fold->first_sample + fold->sample_count - 1;
    for (int side = 0; side < 2; ++side)
    {
        uint32_t beside = pl_fold_station_beside(ring->station_count, ring->closed, station, side);
        const pl_fold *other = &ring->folds[beside * ring->fold_count + k];
        narrow.beside[side] = other->sample_count > 2 ? middle_of(other) : narrow.middle;
    }
    measure_at_rest(ring, cloth, &narrow);
    return narrow;
}

/* known: as planned. */
static bool is_known(const pl_bound_ring *ring, const uint8_t *known, uint32_t index)
{
    uint32_t station = pl_fold_planned(ring, index / ring->fold_count);
    return known[station * ring->fold_count + index % ring->fold_count] && ring->folds[index].sample_count > 2;
}

pleat_result pl_folds_find_narrow(pl_bound_ring *ring, const uint8_t *known, const pleat_cloth *cloth, pl_arena *arena,
                                  pleat_error *error)
{
    uint32_t folds = ring->station_count * ring->fold_count, count = 0;
    for (uint32_t i = 0; i < folds; ++i)
    {
        count += is_known(ring, known, i);
    }
    ring->obstacles.narrows = PL_ARENA_NEW(arena, pl_fold_narrow, count);
    if (!ring->obstacles.narrows)
    {
        return pl_fail_memory(arena->memory, error, "cloth that is crushed");
    }
    for (uint32_t i = 0; i < folds; ++i)
    {
        if (is_known(ring, known, i))
        {
            ring->obstacles.narrows[ring->obstacles.narrow_count++] = make_narrow(ring, cloth, i);
        }
    }
    return PLEAT_OK;
}

float pl_fold_narrow_part(const pl_bound_ring *ring, const pl_fold_narrow *narrow, const pl_f4 *ups,
                          const pleat_vec4 *positions, float mirrored)
{
    pl_f4 along = place_of(ring, narrow->end, positions) - place_of(ring, narrow->begin, positions);
    pl_f4 middle = place_of(ring, narrow->middle, positions);
    pl_f4 sideways = pl_fold_sideways(along, ups[narrow->up] + ups[narrow->up + 1]);
    float least = 1;
    for (int side = 0; side < 2; ++side)
    {
        if (narrow->aside[side] != 0)
        {
            float aside = pl_dot3(place_of(ring, narrow->beside[side], positions) - middle, sideways);
            float part = mirrored * aside / narrow->aside[side];
            least = part < least ? part : least;
        }
    }
    return pl_fold_ramp(least, CRUSHED, APART);
}
