/* A width type: PL_WIDTH floats side by side, for kernels that are written once (*_wide.c).
 *
 * One lane is the definition: a kernel of width 1 is the plain program, one fold, one vertex after the other, and runs
 * anywhere. Eight lanes are an instance of the same source, with and without AVX2. No function here lets a lane know of
 * another one, and each gives the same bits at any width: so do kernels that keep to it. What depends on the width
 * alone (how values from memory become lanes, and back) is here, not in kernels.
 *
 * Lanes are GCC's vectors, also where there is one: a[lane] reads one, and a < b is a mask of ones. */
#ifndef PL_BASE_WIDTH_H
#define PL_BASE_WIDTH_H

#include "base/eight.h"

#ifndef PL_WIDTH
#define PL_WIDTH 8
#endif

#if PL_WIDTH == 8

typedef pl_f8 pl_fw;
typedef pl_i8 pl_iw;

#define pl_splat_w pl_splat8
#define pl_min_w pl_min8
#define pl_max_w pl_max8
#define pl_select_w pl_select8
#define pl_sqrt_w pl_sqrt8
#define pl_abs_w pl_abs8
#define pl_larger_w pl_larger8
#define pl_fetch_w pl_fetch8
#define pl_mask_w pl_mask8
#define pl_lookup_w pl_lookup8
#define pl_gather_w pl_gather8
#define pl_gather_twice_w pl_gather_twice8
#define pl_scatter_w pl_scatter8
#define pl_load_shorts_w pl_load_shorts8

/* Numbers of lanes, 0 and on. */
PL_INLINE pl_iw pl_lanes_w(void)
{
    return (pl_iw){0, 1, 2, 3, 4, 5, 6, 7};
}

/* Vectors that follow each other become lanes. */
PL_INLINE void pl_unpack_w(const pl_f4 from[PL_WIDTH], pl_fw out[4])
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = pl_join8(from[i], from[i + 4]);
    }
    pl_transpose8(out);
}

/* Adds lanes of x, y, z and w to vectors anywhere, by twice their number. half: the upper half of the lanes adds
 * nothing. Overwrites lanes. */
PL_INLINE void pl_add_w(pl_fw lanes[4], const uint32_t twice[PL_WIDTH], bool half, pleat_vec4 *to)
{
    char *bytes = (char *)to;
    pl_transpose8(lanes);
    for (uint32_t i = 0; i < 4; ++i)
    {
        pl_f4 *low = (pl_f4 *)(bytes + 8 * (size_t)twice[i]);
        *low += pl_low8(lanes[i]);
    }
    for (uint32_t i = 0; i < 4 && !half; ++i)
    {
        pl_f4 *high = (pl_f4 *)(bytes + 8 * (size_t)twice[i + 4]);
        *high += pl_high8(lanes[i]);
    }
}

/* The same where the vectors of lanes i and i + PL_WIDTH / 2 follow each other in memory. */
PL_INLINE void pl_add_pairs_w(pl_fw lanes[4], const uint32_t twice[PL_WIDTH], pleat_vec4 *to)
{
    typedef float pair __attribute__((vector_size(32), aligned(16), may_alias));
    pl_transpose8(lanes);
    for (uint32_t i = 0; i < 4; ++i)
    {
        pair *both = (pair *)((char *)to + 8 * (size_t)twice[i]);
        *both += (pair)lanes[i];
    }
}

/* Eight rows of values: what each lane has of them becomes a table of its own, `stride` floats apart. Overwrites rows.
 */
PL_INLINE void pl_store_tables_w(pl_fw rows[8], float *to, size_t stride)
{
    pl_transpose8x8(rows);
    for (uint32_t lane = 0; lane < 8; ++lane)
    {
        *(pl_f8 *)(to + lane * stride) = rows[lane];
    }
}

#elif PL_WIDTH == 1

/* GCC 12 takes masks of vectors of one for truths of 0 and 1, and what is left of two of them for nothing. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vrp")
#endif

typedef float pl_fw __attribute__((vector_size(4), may_alias));
typedef int32_t pl_iw __attribute__((vector_size(4), may_alias));

PL_INLINE pl_fw pl_splat_w(float x)
{
    return (pl_fw){x};
}

/* a < b ? a : b; b where either is not a number. */
PL_INLINE pl_fw pl_min_w(pl_fw a, pl_fw b)
{
    return a[0] < b[0] ? a : b;
}

PL_INLINE pl_fw pl_max_w(pl_fw a, pl_fw b)
{
    return a[0] > b[0] ? a : b;
}

/* yes where the mask is set (all ones), else no. */
PL_INLINE pl_fw pl_select_w(pl_iw mask, pl_fw yes, pl_fw no)
{
    return mask[0] ? yes : no;
}

PL_INLINE pl_fw pl_sqrt_w(pl_fw a)
{
    return (pl_fw){sqrtf(a[0])};
}

PL_INLINE pl_fw pl_abs_w(pl_fw a)
{
    return (pl_fw){fabsf(a[0])};
}

PL_INLINE pl_iw pl_larger_w(pl_iw a, pl_iw b)
{
    return a[0] > b[0] ? a : b;
}

/* table[index]; any table. */
PL_INLINE pl_fw pl_fetch_w(const float *table, pl_iw index)
{
    return (pl_fw){table[index[0]]};
}

/* Bit k is set where lane k of the mask is. */
PL_INLINE uint32_t pl_mask_w(pl_iw mask)
{
    return mask[0] ? 1 : 0;
}

/* table[index] of a table of eight. */
PL_INLINE pl_fw pl_lookup_w(pl_f8 table, pl_iw index)
{
    return (pl_fw){table[index[0] & 7]};
}

/* Vectors from anywhere, as lanes of x, y and z. */
PL_INLINE void pl_gather_w(const pleat_vec4 *from, const uint32_t index[PL_WIDTH], pl_fw out[3])
{
    out[0] = (pl_fw){from[index[0]].x};
    out[1] = (pl_fw){from[index[0]].y};
    out[2] = (pl_fw){from[index[0]].z};
}

/* The same by twice their number. */
PL_INLINE void pl_gather_twice_w(const pleat_vec4 *from, const uint32_t twice[PL_WIDTH], pl_fw out[3])
{
    pl_gather_w(from, (const uint32_t[]){twice[0] / 2}, out);
}

/* Lanes of x, y, z and w, as vectors `stride` apart. */
PL_INLINE void pl_scatter_w(const pl_fw lanes[4], pl_f4 *to, size_t stride)
{
    (void)stride;
    *to = pl_set(lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0]);
}

/* Numbers of sixteen bits. */
PL_INLINE pl_iw pl_load_shorts_w(const uint16_t *from)
{
    return (pl_iw){*from};
}

PL_INLINE pl_iw pl_lanes_w(void)
{
    return (pl_iw){0};
}

PL_INLINE void pl_unpack_w(const pl_f4 from[PL_WIDTH], pl_fw out[4])
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = (pl_fw){from[0][i]};
    }
}

/* Adds lanes of x, y, z and w to a vector, by twice its number. */
PL_INLINE void pl_add_w(pl_fw lanes[4], const uint32_t twice[PL_WIDTH], bool half, pleat_vec4 *to)
{
    (void)half;
    *(pl_f4 *)&to[twice[0] / 2] += pl_set(lanes[0][0], lanes[1][0], lanes[2][0], lanes[3][0]);
}

/* Nothing makes a pair. */
PL_INLINE void pl_add_pairs_w(pl_fw lanes[4], const uint32_t twice[PL_WIDTH], pleat_vec4 *to)
{
    pl_add_w(lanes, twice, false, to);
}

PL_INLINE void pl_store_tables_w(pl_fw rows[8], float *to, size_t stride)
{
    (void)stride;
    for (int i = 0; i < 8; ++i)
    {
        to[i] = rows[i][0];
    }
}

#else
#error "kernels are made for one lane or for eight"
#endif

/* ---- At any width ---- */

/* x where the mask is set, else 0. */
PL_INLINE pl_fw pl_where_w(pl_iw mask, pl_fw x)
{
    return (pl_fw)((pl_iw)x & mask);
}

PL_INLINE pl_fw pl_dot_w(const pl_fw a[3], const pl_fw b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PL_INLINE pl_fw pl_length_w(const pl_fw a[3])
{
    return pl_sqrt_w(pl_dot_w(a, a));
}

/* As pl_normalize3. */
PL_INLINE void pl_normalize_w(pl_fw a[3])
{
    pl_fw squared = pl_dot_w(a, a), scale = pl_splat_w(1) / pl_sqrt_w(squared);
    scale = pl_where_w(squared > pl_splat_w(1e-36f), scale);
    for (int k = 0; k < 3; ++k)
    {
        a[k] *= scale;
    }
}

PL_INLINE void pl_cross_w(const pl_fw a[3], const pl_fw b[3], pl_fw out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* As pl_quat_rotate, each vector by a quaternion of its own. */
PL_INLINE void pl_quat_rotate_w(const pl_fw q[4], pl_fw v[3])
{
    pl_fw once[3], twice[3];
    pl_cross_w(q, v, once);
    pl_cross_w(q, once, twice);
    for (int k = 0; k < 3; ++k)
    {
        v[k] += 2 * (q[3] * once[k] + twice[k]);
    }
}

/* As pl_smooth_step. */
PL_INLINE pl_fw pl_smooth_step_w(pl_fw t)
{
    t = pl_min_w(pl_max_w(t, pl_splat_w(0)), pl_splat_w(1));
    return t * t * (3 - 2 * t);
}

/* From 0 to 1 as x goes from low to high, evenly at both ends. */
PL_INLINE pl_fw pl_ramp_w(pl_fw x, float low, float high)
{
    return pl_smooth_step_w((x - low) * (1 / (high - low)));
}

/* The linear part of a matrix. */
PL_INLINE void pl_affine_vector_w(const pleat_affine *m, const pl_fw v[3], pl_fw out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = pl_splat_w(m->row[k][0]) * v[0] + pl_splat_w(m->row[k][1]) * v[1] + pl_splat_w(m->row[k][2]) * v[2];
    }
}

#endif
