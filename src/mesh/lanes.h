/* Four lanes at once: what GCC's vector extensions leave out. Each function gives the same bits on every target, with
 * or without the instruction named for it. */
#ifndef PL_LANES_H
#define PL_LANES_H

#include "base/vec.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* a where the mask is set (all ones), else b. */
PL_INLINE pl_f4 pl_select4(pl_i4 mask, pl_f4 a, pl_f4 b)
{
    return (pl_f4)(((pl_i4)a & mask) | ((pl_i4)b & ~mask));
}

/* a < b ? a : b in each lane; b where either is NaN. */
PL_INLINE pl_f4 pl_min4(pl_f4 a, pl_f4 b)
{
#if defined(__SSE2__)
    return (pl_f4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return pl_select4((pl_i4)(a < b), a, b);
#endif
}

/* a > b ? a : b in each lane; b where either is NaN. */
PL_INLINE pl_f4 pl_max4(pl_f4 a, pl_f4 b)
{
#if defined(__SSE2__)
    return (pl_f4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return pl_select4((pl_i4)(a > b), a, b);
#endif
}

PL_INLINE pl_f4 pl_abs4(pl_f4 a)
{
    return (pl_f4)((pl_i4)a & (pl_i4){0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff});
}

/* Bit k is set where lane k of the mask is. */
PL_INLINE uint32_t pl_mask4(pl_i4 mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    return (uint32_t)(((uint32_t)mask[0] >> 31) | ((uint32_t)mask[1] >> 31 << 1) | ((uint32_t)mask[2] >> 31 << 2) |
                      ((uint32_t)mask[3] >> 31 << 3));
#endif
}

/* The smallest and largest of x, y and z. */
PL_INLINE float pl_least3(pl_f4 a)
{
    float xy = a[0] < a[1] ? a[0] : a[1];
    return xy < a[2] ? xy : a[2];
}

PL_INLINE float pl_most3(pl_f4 a)
{
    float xy = a[0] > a[1] ? a[0] : a[1];
    return xy > a[2] ? xy : a[2];
}

/* Three vectors along three axes become lanes: out[axis] holds that axis of a, b, c and d. */
PL_INLINE void pl_transpose3(pl_f4 a, pl_f4 b, pl_f4 c, pl_f4 d, pl_f4 out[3])
{
    pl_f4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    pl_f4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    pl_f4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    pl_f4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
}

#endif
