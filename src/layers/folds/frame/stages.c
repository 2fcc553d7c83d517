#include "layers/folds/frame/stages.h"

#include "layers/folds/frame/kernels.h"

/* Room for so many in whole blocks. */
static float *room_for(pl_arena *arena, size_t count)
{
    return PL_ARENA_NEW(arena, float, count);
}

static bool make_allowed(pl_arena *arena, size_t folds, size_t stations, pl_fold_allowed *out)
{
    *out = (pl_fold_allowed){.rooms = room_for(arena, folds),
                             .tapers = room_for(arena, folds),
                             .slides = room_for(arena, folds),
                             .carries = room_for(arena, stations),
                             .ends = room_for(arena, stations),
                             .outers = room_for(arena, stations),
                             .ups = PL_ARENA_NEW(arena, pl_f4, folds + stations)};
    for (size_t i = 0; i < folds && out->slides; ++i)
    {
        out->slides[i] = 1;
    }
    return out->rooms && out->tapers && out->slides && out->carries && out->ends && out->outers && out->ups;
}

static bool make_covered(pl_arena *arena, size_t stations, pl_fold_covered *out)
{
    *out = (pl_fold_covered){.creases = PL_ARENA_NEW(arena, pl_fold_wall, stations),
                             .runs = PL_ARENA_NEW(arena, pl_f4, stations),
                             .strays = room_for(arena, stations),
                             .pressed = room_for(arena, stations)};
    return out->creases && out->runs && out->strays && out->pressed;
}

static bool make_risen(pl_arena *arena, size_t folds, size_t stations, pl_fold_risen *out)
{
    *out = (pl_fold_risen){.heights = room_for(arena, folds),
                           .highs = room_for(arena, stations),
                           .lowest = room_for(arena, folds),
                           .shifts = room_for(arena, 4 * (size_t)PL_FOLD_SAMPLES * folds)};
    return out->heights && out->highs && out->lowest && out->shifts;
}

pleat_result pl_fold_stages_make(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena, pl_fold_stages *out,
                                 pleat_error *error)
{
    size_t folds = 0, stations = 0;
    for (uint32_t r = 0; r < ring_count; ++r)
    {
        size_t padded = ((size_t)rings[r].station_count + PL_FOLD_BLOCK - 1) / PL_FOLD_BLOCK * PL_FOLD_BLOCK;
        stations = padded > stations ? padded : stations;
        folds = padded * rings[r].fold_count > folds ? padded * rings[r].fold_count : folds;
    }
    out->lost = room_for(arena, stations);
    out->tucked = (pl_fold_tucked){room_for(arena, stations), room_for(arena, stations)};
    bool all = out->lost && out->tucked.spared && out->tucked.tucks;
    all = all && make_allowed(arena, folds, stations, &out->allowed) && make_covered(arena, stations, &out->covered) &&
          make_risen(arena, folds, stations, &out->risen);
    return all ? PLEAT_OK : pl_fail_memory(arena->memory, error, "heights");
}
