/* Which of a ring's stations are solved in a frame.
 *
 * What folds lose changes slowly along most rings: a station whose losses lie between its two neighbours' all through
 * the clip need not be asked again on every frame, and its cloth is raised as theirs is. Where contact decides, rooms
 * change from one station to the next: there all are kept. */
#include "layers/folds/frame/kernels.h"
#include "layers/folds/rings/plan.h"

/* A station may be left out if its losses would be told wrong by less than this part of them. */
#define WRONG 1.0f
/* A fold that is ever crushed to less of its length than this is up against others, or the crease. */
#define CRUSHED 0.5f

void pl_folds_note_misses(const pl_fold_ring *ring, uint64_t moment, const float *ratios, pl_fold_miss *misses)
{
    uint32_t count = ring->ring.station_count, folds = ring->fold_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float *here = ratios + i * folds, *before = ratios + (i ? i - 1 : count - 1) * folds;
        const float *behind = ratios + (i + 1 < count ? i + 1 : 0) * folds;
        for (uint32_t k = 0; k < folds; ++k)
        {
            float lost = fmaxf(1 - here[k], 0), told = fmaxf(1 - 0.5f * (before[k] + behind[k]), 0);
            misses[i].wrong += fabsf(lost - told);
            misses[i].whole += 0.5f * (lost + told);
            misses[i].moments |= lost > 1e-3f && ring->own[i * folds + k] > 0 ? moment : 0;
        }
    }
}

/* Is a station beside another where cloth is crushed along the ring? Those ask for the lines next to them. */
static bool is_asked_for(const pl_fold_ring *ring, uint32_t station)
{
    bool asked = false;
    for (int side = 0; side < 2; ++side)
    {
        uint32_t beside = pl_fold_station_beside(ring->ring.station_count, ring->ring.closed, station, side);
        for (uint32_t k = 0; k < ring->fold_count && !asked; ++k)
        {
            asked = ring->narrow[beside * ring->fold_count + k];
        }
    }
    return asked;
}

/* Do folds of a station meet anything? What comes near is known of its own folds alone. A ratio of 0 is none. */
static bool is_in_contact(const pl_fold_ring *ring, uint32_t station, const float *least)
{
    for (uint32_t at = station * ring->fold_count; at < (station + 1) * ring->fold_count; ++at)
    {
        if (ring->others[at].count || ring->narrow[at] || (least[at] > 0 && least[at] < CRUSHED))
        {
            return true;
        }
    }
    return is_asked_for(ring, station);
}

/* What it is worth to leave a station out: 1 at most; less than 0: it is better kept. */
static float worth_of(const pl_fold_miss *miss)
{
    return miss->wrong > 0 ? 1 - miss->wrong / (WRONG * miss->whole) : 1;
}

/* No two next to each other are left out, nor is the first one: of all such choices the one that is worth most. best:
 * by station, what those up to it are worth together at most if it is kept, and if it is not. */
static void keep_stations(const pl_fold_ring *ring, pl_fold_miss *misses, const float *least)
{
    uint32_t count = ring->ring.station_count;
    misses[0].best[0] = 0;
    misses[0].best[1] = -INFINITY;
    for (uint32_t i = 1; i < count; ++i)
    {
        bool last = !ring->ring.closed && i + 1 == count, kept = last || is_in_contact(ring, i, least);
        const float *before = misses[i - 1].best;
        misses[i].best[0] = fmaxf(before[0], before[1]);
        misses[i].best[1] = kept ? -INFINITY : before[0] + worth_of(&misses[i]);
    }
    for (uint32_t i = count; i-- > 0;)
    {
        bool beside = i + 1 < count && !ring->kept[i + 1];
        ring->kept[i] = beside || !(misses[i].best[1] > misses[i].best[0]);
    }
}

/* Does nothing come near a station's folds, and are its neighbours kept, which tell well enough what it loses? */
static bool is_spare(const pl_fold_ring *ring, const pl_fold_miss *misses, uint32_t station)
{
    uint32_t before = pl_fold_station_beside(ring->ring.station_count, ring->ring.closed, station, 0);
    uint32_t behind = pl_fold_station_beside(ring->ring.station_count, ring->ring.closed, station, 1);
    bool spare = before != station && behind != station && ring->kept[before] && ring->kept[station] &&
                 ring->kept[behind] && worth_of(&misses[station]) > 0.5f;
    for (uint32_t at = station * ring->fold_count; at < (station + 1) * ring->fold_count; ++at)
    {
        spare = spare && !ring->others[at].count;
    }
    return spare;
}

/* The spare station that is missed least; 0: there is none. */
static uint32_t find_spare(const pl_fold_ring *ring, const pl_fold_miss *misses)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < ring->ring.station_count; ++i)
    {
        if (is_spare(ring, misses, i) && (!best || worth_of(&misses[i]) > worth_of(&misses[best])))
        {
            best = i;
        }
    }
    return best;
}

/* A block of eight costs the same for a station or two: those are left out as well, if there are so many to spare. */
static void fill_blocks(pl_fold_ring *ring, const pl_fold_miss *misses)
{
    uint32_t kept = 0, left[2] = {0, 0};
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        kept += ring->kept[i];
    }
    uint32_t over = kept % PL_FOLD_BLOCK;
    for (uint32_t i = 0; i < over && kept > PL_FOLD_BLOCK && over <= 2; ++i)
    {
        left[i] = find_spare(ring, misses);
        ring->kept[left[i]] = left[i] == 0;
    }
    if (over == 2 && !left[1])
    {
        ring->kept[left[0]] = 1;
    }
}

/* How often groups of a fold and eight stations (frame/kernels.h) are asked if the ring begins there: by parts of the
 * clip, all those of a block of which any station loses length then. */
static uint32_t asked_from(const pl_fold_ring *ring, const pl_fold_miss *misses, uint32_t first)
{
    uint32_t count = ring->ring.station_count, asked = 0, seen = 0, folds = 0;
    uint64_t moments = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t station = (first + i) % count;
        if (!ring->kept[station])
        {
            continue;
        }
        if (seen++ % PL_FOLD_BLOCK == 0)
        {
            asked += (uint32_t)(__builtin_popcountll(moments) * __builtin_popcount(folds));
            folds = 0;
            moments = 0;
        }
        moments |= misses[station].moments;
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            uint32_t at = station * ring->fold_count + k;
            folds |= ring->active[at] && ring->own[at] > 0 ? 1u << k : 0;
        }
    }
    return asked + (uint32_t)(__builtin_popcountll(moments) * __builtin_popcount(folds));
}

void pl_folds_choose_stations(pl_fold_ring *ring, pl_fold_miss *misses, const float *least)
{
    keep_stations(ring, misses, least);
    fill_blocks(ring, misses);
    uint32_t fewest = asked_from(ring, misses, 0);
    for (uint32_t i = 1; i < ring->ring.station_count && ring->ring.closed; ++i)
    {
        uint32_t asked = ring->kept[i] ? asked_from(ring, misses, i) : fewest;
        ring->first = asked < fewest ? i : ring->first;
        fewest = asked < fewest ? asked : fewest;
    }
}
