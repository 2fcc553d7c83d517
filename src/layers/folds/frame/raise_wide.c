/* Raising the vertices of folds, for a block of eight stations: raise_vertices of frame/frame.c, eight vertices of a
 * cell at a time. Bound by operations. */
#include "base/wide.h"
#include "layers/folds/frame/octet.h"

enum
{
    TOGETHER = 8 /* octets */
};

/* Octets of a cell that follow each other. */
typedef struct octets
{
    const pl_fold_octet *octets;
    const pl_fold_slots *slots;
    const uint16_t (*masks)[PL_FOLD_LANES]; /* NULL: 1 everywhere */
    uint32_t count, paired;
    bool half; /* the last one holds no more than four vertices */
} octets;

PL_INLINE void add_octet(const octets *o, uint32_t n, pl_f8 move[4], pleat_vec4 *positions)
{
    if (n < o->paired)
    {
        pl_fold_octet_add_pairs(&o->octets[n], move, positions);
    }
    else
    {
        pl_fold_octet_add(&o->octets[n], o->half && n + 1 == o->count, move, positions);
    }
}

/* Of folds that are not evened out. profile: NULL for the usual one. */
PL_INLINE void raise_octets(const pl_fold_cell *c, const octets *o, const pl_profile *profile, pleat_vec4 *positions)
{
    for (uint32_t n = 0; n < o->count; ++n)
    {
        pl_fold_lot lot = pl_fold_lot_load(&o->octets[n], o->masks ? o->masks[n] : NULL);
        pl_f8 move[4] = {{0}};
        pl_fold_octets_expect(&o->octets[n], positions);
        pl_fold_lot_move(profile, c, &lot, NULL, move);
        add_octet(o, n, move, positions);
    }
}

/* In rounds, each of which has a shorter way from what it loads to what it stores, so that more of them are under way
 * at once. */
PL_INLINE void even_octets(const pl_fold_cell *c, const octets *o, const pl_profile *profile, pleat_vec4 *positions)
{
    for (uint32_t first = 0; first < o->count; first += TOGETHER)
    {
        uint32_t end = first + TOGETHER < o->count ? first + TOGETHER : o->count;
        pl_f8 shifts[TOGETHER][4];
        for (uint32_t n = first; n < end; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&o->octets[n], o->masks ? o->masks[n] : NULL);
            pl_fold_octets_expect(&o->octets[n], positions);
            pl_fold_lot_shifts(c, &o->slots[n], &lot, shifts[n - first]);
        }
        for (uint32_t n = first; n < end; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&o->octets[n], o->masks ? o->masks[n] : NULL);
            pl_f8 move[4] = {{0}};
            pl_fold_lot_move(profile, c, &lot, shifts[n - first], move);
            add_octet(o, n, move, positions);
        }
    }
}

/* One alone: what is the same for all is not worth keeping. */
PL_INLINE void raise_octet(const pl_fold_cell *c, const octets *o, bool even, pleat_vec4 *positions)
{
    pl_fold_lot lot = pl_fold_lot_load(o->octets, NULL);
    pl_f8 move[4] = {{0}}, shift[4];
    if (even)
    {
        pl_fold_lot_shifts(c, o->slots, &lot, shift);
    }
    pl_fold_lot_move(NULL, c, &lot, even ? shift : NULL, move);
    pl_fold_octet_add(o->octets, o->half, move, positions);
}

/* What is the same for all octets is known to each loop. */
PL_INLINE void raise_all(const pl_fold_cell *c, const octets *o, const pl_profile *profile, pleat_vec4 *positions)
{
    if (c->even)
    {
        even_octets(c, o, profile, positions);
    }
    else
    {
        raise_octets(c, o, profile, positions);
    }
}

static void raise_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t next, uint32_t k, uint32_t vertex_count)
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    const pl_profile *profile = &job->ring->profile;
    uint32_t at = station * job->ring->fold_count + k, first = lanes->first_octet[at];
    octets o = {.octets = lanes->octets + first, .slots = lanes->slots + first, .paired = lanes->paired[at]};
    o.count = lanes->first_octet[at + 1] - first;
    o.half = (vertex_count - 1) % PL_FOLD_LANES < PL_FOLD_LANES / 2;
    pl_fold_cell c;
    pl_fold_cell_make(job, station, next, k, &c);
    if (lanes->masks || profile->kind != PL_PROFILE_THIRD)
    {
        o.masks = lanes->masks ? (const uint16_t(*)[PL_FOLD_LANES])lanes->masks + first : NULL;
        raise_all(&c, &o, profile->kind != PL_PROFILE_THIRD ? profile : NULL, job->frame->positions);
    }
    else if (o.count > 1)
    {
        raise_all(&c, &o, NULL, job->frame->positions);
    }
    else if (c.even)
    {
        raise_octet(&c, &o, true, job->frame->positions);
    }
    else
    {
        raise_octet(&c, &o, false, job->frame->positions);
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
