/* Raising the vertices of folds, for a block of stations. Bound by operations. */
#include "layers/folds/frame/cell.h"

enum
{
    TOGETHER = 8 /* packs */
};

/* Packs of a cell that follow each other. */
typedef struct packs
{
    const pl_fold_pack *packs;
    const pl_fold_slots *slots;
    const uint16_t (*masks)[PL_WIDTH]; /* NULL: 1 everywhere */
    uint32_t count, paired;
    bool half; /* the last one holds no more vertices than half of the lanes */
} packs;

PL_INLINE void add_pack(const packs *o, uint32_t n, pl_fw move[4], pleat_vec4 *positions)
{
    if (n < o->paired)
    {
        pl_add_pairs_w(move, o->packs[n].twice, positions);
    }
    else
    {
        pl_add_w(move, o->packs[n].twice, o->half && n + 1 == o->count, positions);
    }
}

/* Of folds that are not evened out. profile: NULL for the usual one. */
PL_INLINE void raise_packs(const pl_fold_cell *c, const packs *o, const pl_profile *profile, pleat_vec4 *positions)
{
    for (uint32_t n = 0; n < o->count; ++n)
    {
        pl_fold_lot lot = pl_fold_lot_load(&o->packs[n], o->masks ? o->masks[n] : NULL);
        pl_fw move[4] = {{0}};
        pl_fold_packs_expect(&o->packs[n], positions);
        pl_fold_lot_move(profile, c, &lot, NULL, move);
        add_pack(o, n, move, positions);
    }
}

/* In rounds, each of which has a shorter way from what it loads to what it stores, so that more of them are under way
 * at once. */
PL_INLINE void even_packs(const pl_fold_cell *c, const packs *o, const pl_profile *profile, pleat_vec4 *positions)
{
    for (uint32_t first = 0; first < o->count; first += TOGETHER)
    {
        uint32_t end = first + TOGETHER < o->count ? first + TOGETHER : o->count;
        pl_fw shifts[TOGETHER][4];
        for (uint32_t n = first; n < end; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&o->packs[n], o->masks ? o->masks[n] : NULL);
            pl_fold_packs_expect(&o->packs[n], positions);
            pl_fold_lot_shifts(c, &o->slots[n], &lot, shifts[n - first]);
        }
        for (uint32_t n = first; n < end; ++n)
        {
            pl_fold_lot lot = pl_fold_lot_load(&o->packs[n], o->masks ? o->masks[n] : NULL);
            pl_fw move[4] = {{0}};
            pl_fold_lot_move(profile, c, &lot, shifts[n - first], move);
            add_pack(o, n, move, positions);
        }
    }
}

/* One alone: what is the same for all is not worth keeping. */
PL_INLINE void raise_pack(const pl_fold_cell *c, const packs *o, bool even, pleat_vec4 *positions)
{
    pl_fold_lot lot = pl_fold_lot_load(o->packs, NULL);
    pl_fw move[4] = {{0}}, shift[4];
    if (even)
    {
        pl_fold_lot_shifts(c, o->slots, &lot, shift);
    }
    pl_fold_lot_move(NULL, c, &lot, even ? shift : NULL, move);
    pl_add_w(move, o->packs->twice, o->half, positions);
}

/* What is the same for all packs is known to each loop. */
PL_INLINE void raise_all(const pl_fold_cell *c, const packs *o, const pl_profile *profile, pleat_vec4 *positions)
{
    if (c->even)
    {
        even_packs(c, o, profile, positions);
    }
    else
    {
        raise_packs(c, o, profile, positions);
    }
}

static void raise_cell(const pl_fold_job *job, uint32_t station, uint32_t next, uint32_t k, uint32_t vertex_count)
{
    const pl_fold_lanes *lanes = job->ring->cloth.lanes;
    const pl_profile *profile = &job->ring->profile;
    uint32_t at = station * job->ring->fold_count + k, first = lanes->first_pack[at];
    packs o = {.packs = lanes->packs + first, .slots = lanes->slots + first, .paired = lanes->paired[at]};
    o.count = lanes->first_pack[at + 1] - first;
    o.half = (vertex_count - 1) % PL_WIDTH + 1 <= PL_WIDTH / 2;
    pl_fold_cell c;
    pl_fold_cell_make(job, station, next, k, &c);
    if (lanes->masks || profile->kind != PL_PROFILE_THIRD)
    {
        o.masks = lanes->masks ? (const uint16_t(*)[PL_WIDTH])lanes->masks + first : NULL;
        raise_all(&c, &o, profile->kind != PL_PROFILE_THIRD ? profile : NULL, job->frame->positions);
    }
    else if (o.count > 1)
    {
        raise_all(&c, &o, NULL, job->frame->positions);
    }
    else if (c.even)
    {
        raise_pack(&c, &o, true, job->frame->positions);
    }
    else
    {
        raise_pack(&c, &o, false, job->frame->positions);
    }
}

static void raise_station(const pl_fold_job *job, uint32_t station, uint32_t next)
{
    uint32_t count = job->ring->fold_count;
    const float *here = job->layer->at.risen.heights + (size_t)station * count,
                *there = job->layer->at.risen.heights + (size_t)next * count;
    const uint32_t *first = job->ring->cloth.first_vertex + (size_t)station * count;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (first[k] < first[k + 1] && (here[k] > 0 || there[k] > 0))
        {
            raise_cell(job, station, next, k, first[k + 1] - first[k]);
        }
    }
}

void PL_WIDE(pl_folds_raise)(const pl_fold_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    const float *highs = job->layer->at.risen.highs;
    uint32_t begin = block * PL_WIDTH, end = begin + PL_WIDTH;
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        if (job->deep &&
            (pl_fold_is_lost(&job->layer->at, ring, i) || pl_fold_is_lost(&job->layer->at, ring, (int64_t)i + 1)))
        {
            PL_WIDE(pl_folds_press)(job, i);
        }
        else if (highs[i] > 0 || highs[next] > 0)
        {
            raise_station(job, i, next);
        }
    }
}
