/* Vertices of folds, for the kernels that move them (frame/raise_wide.c, frame/press_wide.c, frame/tuck_wide.c): cells,
 * and packs unpacked. A cell's tables of shifts fill a register, in which they are looked up. */
#ifndef PL_LAYERS_FOLDS_FRAME_OCTET_H
#define PL_LAYERS_FOLDS_FRAME_OCTET_H

#include "layers/folds/bind/lanes.h"
#include "layers/folds/frame/course.h"

/* The cloth between two stations, within one fold. */
typedef struct pl_fold_cell
{
    pl_f8 shifts[2][4]; /* at both stations, by x, y, z and the change of x in the fold: tables of samples */
    pl_f8 slopes[2][4]; /* and from each sample to the next */
    bool even;          /* any of that */
    pl_f4 begin, begin_change, across, across_change; /* by shares and parts as packed */
    float height[3];                                  /* by powers of shares as packed */
} pl_fold_cell;

/* What is packed as 0 .. 65535. */
#define PL_FOLD_UNIT (1 / 65535.0f)

/* A fold that has not risen moves nothing, and its table is not filled. Where only one of both stations rises, the
 * other's direction counts as well: it is known there too. */
PL_INLINE void pl_fold_cell_make(const pl_fold_job *job, uint32_t station, uint32_t second, uint32_t k, pl_fold_cell *c)
{
    static const pl_f8 unmoved[4];
    const pl_folds_layer *layer = job->layer;
    uint32_t count = job->ring->fold_count, index[2] = {station * count + k, second * count + k};
    const pl_f4 *a = layer->at.allowed.ups + index[0] + station, *b = layer->at.allowed.ups + index[1] + second;
    float height[2] = {layer->at.risen.heights[index[0]], layer->at.risen.heights[index[1]]};
    c->begin = a[0];
    c->begin_change = b[0] - a[0];
    pl_fold_course course = pl_fold_course_of(height[0], height[1], c->begin_change);
    c->height[0] = course.first;
    c->height[1] = (course.change + course.bulge) * PL_FOLD_UNIT;
    c->height[2] = -course.bulge * PL_FOLD_UNIT * PL_FOLD_UNIT;
    c->across = (a[1] - a[0]) * pl_splat(PL_FOLD_UNIT);
    c->across_change = ((b[1] - a[1]) - c->begin_change) * pl_splat(PL_FOLD_UNIT * PL_FOLD_UNIT);
    c->begin_change *= pl_splat(PL_FOLD_UNIT);
    float low = PL_FOLD_LOW * job->ring->width;
    c->even = layer->options.even && (height[0] > low || height[1] > low);
    for (int i = 0; i < 2 && c->even; ++i)
    {
        bool moved = height[i] > low;
        const pl_f8 *shifts = moved ? (const pl_f8 *)layer->at.risen.shifts + 4 * (size_t)index[i] : unmoved;
        for (int n = 0; n < 4; ++n)
        {
            static const pl_f8 sample = {0, 1, 2, 3, 4, 5, 6, 7};
            pl_f8 next = __builtin_shufflevector(shifts[n], shifts[n], 1, 2, 3, 4, 5, 6, 7, 7);
            pl_f8 slope = next - shifts[n];
            c->shifts[i][n] = shifts[n] - slope * sample;
            c->slopes[i][n] = slope * pl_splat8(1.0f / (1 << PL_FOLD_BEYOND));
        }
    }
}

PL_INLINE pl_fw pl_fold_shares_load(const uint16_t *from)
{
    return __builtin_convertvector(pl_load_shorts_w(from), pl_fw);
}

/* profile: NULL for the usual one. A kernel asks which it is once for a cell: a loop that may have to call something
 * keeps nothing in registers. */
PL_INLINE pl_fw pl_fold_profiles_at(const pl_profile *profile, pl_fw x)
{
    if (!profile)
    {
        pl_fw r = pl_min_w(pl_abs_w(x), pl_splat_w(1)); /* 0 from there on */
        return 1 - r * r * (3 - 2 * r);
    }
    pl_fw heights;
    for (int i = 0; i < PL_WIDTH; ++i)
    {
        heights[i] = pl_profile_at(profile, x[i]);
    }
    return heights;
}

/* Where vertices lie in a table. */
typedef struct pl_fold_spot
{
    pl_iw sample;
    pl_fw beyond;
} pl_fold_spot;

PL_INLINE pl_fold_spot pl_fold_spot_load(const uint16_t *from)
{
    pl_iw packed = pl_load_shorts_w(from);
    return (pl_fold_spot){packed >> PL_FOLD_BEYOND, __builtin_convertvector(packed, pl_fw)};
}

/* What is said of vertices. */
typedef struct pl_fold_lot
{
    pl_fw share, part; /* as packed; part: of the way across the fold */
    pl_fw mask;        /* where masked */
    bool masked;
} pl_fold_lot;

/* mask: as of the lanes, of this pack. */
PL_INLINE pl_fold_lot pl_fold_lot_load(const pl_fold_pack *pack, const uint16_t *mask)
{
    pl_fold_lot lot = {.share = pl_fold_shares_load(pack->share), .part = pl_fold_shares_load(pack->x)};
    lot.masked = mask != NULL;
    lot.mask = pl_splat_w(1);
    if (mask)
    {
        lot.mask = pl_fold_shares_load(mask) * PL_FOLD_UNIT;
    }
    return lot;
}

/* How they move along their lines, and by how much x. */
PL_INLINE void pl_fold_lot_shifts(const pl_fold_cell *c, const pl_fold_slots *slots, const pl_fold_lot *lot,
                                  pl_fw shift[4])
{
    pl_fold_spot a = pl_fold_spot_load(slots->place[0]), b = pl_fold_spot_load(slots->place[1]);
    pl_fw share = lot->share * PL_FOLD_UNIT;
    for (int i = 0; i < 4; ++i)
    {
        pl_fw first = pl_lookup_w(c->shifts[0][i], a.sample) + pl_lookup_w(c->slopes[0][i], a.sample) * a.beyond;
        pl_fw second = pl_lookup_w(c->shifts[1][i], b.sample) + pl_lookup_w(c->slopes[1][i], b.sample) * b.beyond;
        shift[i] = first + (second - first) * share;
        if (lot->masked)
        {
            shift[i] *= lot->mask;
        }
    }
}

/* One component of the direction in which they rise. */
PL_INLINE pl_fw pl_fold_lot_direction(const pl_fold_cell *c, const pl_fold_lot *lot, int i)
{
    pl_fw begin = c->begin[i] + c->begin_change[i] * lot->share;
    return begin + (c->across[i] + c->across_change[i] * lot->share) * lot->part;
}

/* How they move; x, y and z. profile: as above; shift: along their lines, NULL: none. */
PL_INLINE void pl_fold_lot_move(const pl_profile *profile, const pl_fold_cell *c, const pl_fold_lot *lot,
                                const pl_fw *shift, pl_fw *move)
{
    pl_fw height = c->height[0] + lot->share * (c->height[1] + c->height[2] * lot->share);
    if (lot->masked)
    {
        height *= lot->mask;
    }
    pl_fw x = lot->part * (2 * PL_FOLD_UNIT) - 1;
    if (shift)
    {
        x += shift[3];
    }
    height *= pl_fold_profiles_at(profile, x);
    for (int i = 0; i < 3; ++i)
    {
        pl_fw rise = pl_fold_lot_direction(c, lot, i) * height;
        if (shift)
        {
            rise += shift[i];
        }
        move[i] = rise;
    }
}

/* Lanes of a pack that hold a vertex of their own. left: of the cell, from this pack on. */
PL_INLINE pl_iw pl_fold_pack_own(uint32_t left)
{
    return pl_lanes_w() < (int32_t)left;
}

/* Asks for what will be needed soon. Vertices of a cell ascend, so that every other one finds most lines of memory. The
 * packs may lie past the end, so their addresses are numbers. */
PL_INLINE void pl_fold_packs_expect(const pl_fold_pack *pack, const pleat_vec4 *positions)
{
    uintptr_t later = (uintptr_t)pack + 3 * PL_FOLD_AHEAD * sizeof *pack;
    const char *bytes = (const char *)positions;
    __builtin_prefetch((const void *)later);
    for (int i = 0; i < PL_WIDTH; i += 2)
    {
        __builtin_prefetch(bytes + 8 * (size_t)pack[PL_FOLD_AHEAD].twice[i], 1);
    }
}

#endif
