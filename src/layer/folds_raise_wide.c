/* Raising the vertices of folds, for a block of eight stations: raise_vertices of folds_frame.c, eight vertices of a
 * cell at a time. Bound by operations. */
#include "base/wide.h"
#include "layer/folds_octet.h"

enum
{
    TOGETHER = 8 /* octets */
};

/* In rounds, each of which has a shorter way from what it loads to what it stores, so that more of them are under way
 * at once. masks: as of the lanes; profile: NULL for the usual one; even: as of the cell. */
PL_INLINE void raise_octets(const pl_fold_cell *c, const pl_fold_octet *octets, uint32_t vertex_count, uint32_t paired,
                            const uint16_t (*masks)[PL_FOLD_LANES], const pl_profile *profile, bool even,
                            pleat_vec4 *positions)
{
    uint32_t count = (vertex_count + PL_FOLD_LANES - 1) / PL_FOLD_LANES;
    for (uint32_t first = 0; first < count; first += TOGETHER)
    {
        uint32_t end = first + TOGETHER < count ? first + TOGETHER : count;
        pl_f8 shifts[TOGETHER][4];
        for (uint32_t n = first; n < end && even; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&octets[n], masks ? masks[n] : NULL);
            pl_fold_octets_expect(&octets[n], positions);
            pl_fold_lot_shifts(c, &octets[n], &lot, shifts[n - first]);
        }
        for (uint32_t n = first; n < end; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&octets[n], masks ? masks[n] : NULL);
            pl_f8 move[4] = {{0}};
            if (!even)
            {
                pl_fold_octets_expect(&octets[n], positions);
            }
            pl_fold_lot_move(profile, c, &lot, even ? shifts[n - first] : NULL, move);
            if (n < paired)
            {
                pl_fold_octet_add_pairs(&octets[n], move, positions);
            }
            else
            {
                pl_fold_octet_add(&octets[n], vertex_count - n * PL_FOLD_LANES <= PL_FOLD_LANES / 2, move, positions);
            }
        }
    }
}

/* A cell with no more than eight: what is the same for all is not worth keeping. */
PL_INLINE void raise_octet(const pl_fold_cell *c, const pl_fold_octet *octet, uint32_t vertex_count, bool even,
                           pleat_vec4 *positions)
{
    pl_f8 zero = pl_splat8(0), move[4] = {zero, zero, zero, zero}, shift[4] = {zero, zero, zero, zero};
    pl_fold_lot lot = pl_fold_lot_load(octet, NULL);
    if (even)
    {
        pl_fold_lot_shifts(c, octet, &lot, shift);
    }
    pl_fold_lot_move(NULL, c, &lot, even ? shift : NULL, move);
    pl_fold_octet_add(octet, vertex_count <= PL_FOLD_LANES / 2, move, positions);
}

static void raise_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t next, uint32_t k, uint32_t vertex_count)
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    const pl_profile *profile = &job->ring->profile;
    pleat_vec4 *positions = job->frame->positions;
    uint32_t first = lanes->first_octet[station * job->ring->fold_count + k];
    uint32_t paired = lanes->paired[station * job->ring->fold_count + k];
    const pl_fold_octet *octets = lanes->octets + first;
    const uint16_t(*masks)[PL_FOLD_LANES] =
        lanes->masks ? (const uint16_t(*)[PL_FOLD_LANES])lanes->masks + first : NULL;
    pl_fold_cell c;
    pl_fold_cell_make(job, station, next, k, &c);
    if (masks || profile->kind != PL_PROFILE_THIRD)
    {
        const pl_profile *unusual = profile->kind != PL_PROFILE_THIRD ? profile : NULL;
        raise_octets(&c, octets, vertex_count, paired, masks, unusual, c.even, positions);
    }
    else if (vertex_count <= PL_FOLD_LANES && c.even)
    {
        raise_octet(&c, octets, vertex_count, true, positions);
    }
    else if (vertex_count <= PL_FOLD_LANES)
    {
        raise_octet(&c, octets, vertex_count, false, positions);
    }
    else if (c.even)
    {
        raise_octets(&c, octets, vertex_count, paired, NULL, NULL, true, positions);
    }
    else
    {
        raise_octets(&c, octets, vertex_count, paired, NULL, NULL, false, positions);
    }
}

static void raise_station(const pl_fold_lane_job *job, uint32_t station, uint32_t next)
{
    uint32_t count = job->ring->fold_count;
    const float *here = job->layer->heights + (size_t)station * count,
                *there = job->layer->heights + (size_t)next * count;
    const uint32_t *first = job->ring->first_vertex + (size_t)station * count;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (first[k] < first[k + 1] && (here[k] > 0 || there[k] > 0))
        {
            raise_cell(job, station, next, k, first[k + 1] - first[k]);
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
