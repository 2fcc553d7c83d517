/* Raising the vertices of folds, for a block of eight stations: raise_vertices of folds_frame.c, eight vertices of a
 * cell at a time. Bound by operations. */
#include "base/wide.h"
#include "layer/folds_octet.h"

static void raise_cell(const pl_fold_lane_job *job, const pl_fold_cell *c, uint32_t begin, uint32_t end)
{
    for (uint32_t n = begin; n < end; ++n)
    {
        const pl_fold_octet *octet = &job->ring->lanes->octets[n];
        pl_fold_lot lot = pl_fold_lot_load(octet);
        pl_f8 move[4] = {[3] = pl_splat8(0)};
        pl_fold_octets_expect(octet, job->frame->positions);
        pl_fold_lot_move(&job->ring->profile, c, octet, &lot, move);
        pl_fold_octet_add(octet, move, job->frame->positions);
    }
}

static void raise_station(const pl_fold_lane_job *job, uint32_t station, uint32_t next)
{
    uint32_t count = job->ring->fold_count;
    const float *here = job->layer->heights + (size_t)station * count,
                *there = job->layer->heights + (size_t)next * count;
    const uint32_t *first = job->ring->lanes->first_octet + (size_t)station * count;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (first[k] < first[k + 1] && (here[k] > 0 || there[k] > 0))
        {
            pl_fold_cell c;
            pl_fold_cell_make(job, station, next, k, &c);
            raise_cell(job, &c, first[k], first[k + 1]);
        }
    }
}

void PL_WIDE(pl_folds_raise)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    const float *highs = job->layer->highs;
    uint32_t begin = block * PL_FOLD_LANES, end = begin + PL_FOLD_LANES;
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        if (job->deep && (pl_fold_is_lost(job->layer, ring, i) || pl_fold_is_lost(job->layer, ring, (int64_t)i + 1)))
        {
            PL_WIDE(pl_folds_press)(job, i);
        }
        else if (highs[i] > 0 || highs[next] > 0)
        {
            raise_station(job, i, next);
        }
    }
}
