/* Eight floats or four doubles at once: what GCC's vector extensions leave out. For *_wide.c: without AVX the compiler
 * makes halves of everything, with the same bits. Each function gives the same bits with or without the instruction
 * named for it. Kernels that are written over a width ask base/width.h. */
#ifndef PL_EIGHT_H
#define PL_EIGHT_H

#include "base/vec.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* everything here is inlined: no such vector passes a call */

typedef float pl_f8 __attribute__((vector_size(32), may_alias));
typedef int32_t pl_i8 __attribute__((vector_size(32), may_alias));
typedef int64_t pl_l4 __attribute__((vector_size(32), may_alias));

/* ---- Floats ---- */

PL_INLINE pl_f8 pl_splat8(float x)
{
    return (pl_f8){x, x, x, x, x, x, x, x};
}

/* a < b ? a : b in each lane: b where either is not a number. */
PL_INLINE pl_f8 pl_min8(pl_f8 a, pl_f8 b)
{
#if defined(__AVX__)
    return (pl_f8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    pl_i8 take = a < b;
    return (pl_f8)(((pl_i8)a & take) | ((pl_i8)b & ~take));
#endif
}

PL_INLINE pl_f8 pl_max8(pl_f8 a, pl_f8 b)
{
#if defined(__AVX__)
    return (pl_f8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    pl_i8 take = a > b;
    return (pl_f8)(((pl_i8)a & take) | ((pl_i8)b & ~take));
#endif
}

/* yes where the mask is set (all ones), else no. */
PL_INLINE pl_f8 pl_select8(pl_i8 mask, pl_f8 yes, pl_f8 no)
{
#if defined(__AVX__)
    return (pl_f8)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (pl_f8)(((pl_i8)yes & mask) | ((pl_i8)no & ~mask));
#endif
}

PL_INLINE pl_f8 pl_sqrt8(pl_f8 a)
{
#if defined(__AVX__)
    return (pl_f8)_mm256_sqrt_ps((__m256)a);
#else
    pl_f8 root;
    for (int i = 0; i < 8; ++i)
    {
        root[i] = sqrtf(a[i]);
    }
    return root;
#endif
}

PL_INLINE pl_f8 pl_abs8(pl_f8 a)
{
    pl_i8 sign = {0};
    return (pl_f8)((pl_i8)a & (sign + 0x7fffffff));
}

PL_INLINE pl_i8 pl_larger8(pl_i8 a, pl_i8 b)
{
    pl_i8 take = a > b;
    return (a & take) | (b & ~take);
}

/* table[index] in each lane, for any table. */
PL_INLINE pl_f8 pl_fetch8(const float *table, pl_i8 index)
{
#if defined(__AVX2__)
    return (pl_f8)_mm256_i32gather_ps(table, (__m256i)index, 4);
#else
    pl_f8 out;
    for (int i = 0; i < 8; ++i)
    {
        out[i] = table[index[i]];
    }
    return out;
#endif
}

/* Bit k is set where lane k of the mask is. */
PL_INLINE uint32_t pl_mask8(pl_i8 mask)
{
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 8; ++i)
    {
        bits |= ((uint32_t)mask[i] >> 31) << i;
    }
    return bits;
#endif
}

PL_INLINE pl_f8 pl_join8(pl_f4 low, pl_f4 high)
{
#if defined(__AVX__)
    return (pl_f8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1); /* high from memory */
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

PL_INLINE pl_f4 pl_low8(pl_f8 a)
{
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}

PL_INLINE pl_f4 pl_high8(pl_f8 a)
{
#if defined(__AVX__)
    return (pl_f4)_mm256_extractf128_ps((__m256)a, 1);
#else
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#endif
}

/* Four vectors become lanes, and lanes vectors, in each half by itself. */
PL_INLINE void pl_transpose8(pl_f8 v[4])
{
    pl_f8 ab_low = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    pl_f8 cd_low = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    pl_f8 ab_high = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    pl_f8 cd_high = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Eight vectors from anywhere, as lanes of x, y and z. */
PL_INLINE void pl_gather8(const pleat_vec4 *from, const uint32_t index[8], pl_f8 out[3])
{
    pl_f8 v[4];
    for (int i = 0; i < 4; ++i)
    {
        v[i] = pl_join8(pl_load(&from[index[i]]), pl_load(&from[index[i + 4]]));
    }
    pl_transpose8(v);
    for (int c = 0; c < 3; ++c)
    {
        out[c] = v[c];
    }
}

/* The same by twice their number, which an address takes in without a shift. */
PL_INLINE void pl_gather_twice8(const pleat_vec4 *from, const uint32_t twice[8], pl_f8 out[3])
{
    const char *bytes = (const char *)from;
    pl_f8 v[4];
    for (int i = 0; i < 4; ++i)
    {
        v[i] = pl_join8(*(const pl_f4 *)(bytes + 8 * (size_t)twice[i]),
                        *(const pl_f4 *)(bytes + 8 * (size_t)twice[i + 4]));
    }
    pl_transpose8(v);
    for (int c = 0; c < 3; ++c)
    {
        out[c] = v[c];
    }
}

/* Lanes of x, y, z and w, as eight vectors `stride` apart. */
PL_INLINE void pl_scatter8(const pl_f8 lanes[4], pl_f4 *to, size_t stride)
{
    pl_f8 v[4] = {lanes[0], lanes[1], lanes[2], lanes[3]};
    pl_transpose8(v);
    for (uint32_t i = 0; i < 4; ++i)
    {
        to[i * stride] = pl_low8(v[i]);
        to[(i + 4) * stride] = pl_high8(v[i]);
    }
}

/* table[index] in each lane; index: 0 .. 7. */
PL_INLINE pl_f8 pl_lookup8(pl_f8 table, pl_i8 index)
{
#if defined(__AVX2__)
    return (pl_f8)_mm256_permutevar8x32_ps((__m256)table, (__m256i)index);
#else
    pl_f8 out;
    for (int i = 0; i < 8; ++i)
    {
        out[i] = table[index[i] & 7];
    }
    return out;
#endif
}

/* Eight numbers of sixteen bits. from: aligned to 16 bytes. */
PL_INLINE pl_i8 pl_load_shorts8(const uint16_t *from)
{
#if defined(__AVX2__)
    return (pl_i8)_mm256_cvtepu16_epi32(*(const __m128i *)from);
#else
    typedef uint16_t shorts8 __attribute__((vector_size(16), may_alias));
    return __builtin_convertvector(*(const shorts8 *)from, pl_i8);
#endif
}

/* rows[i][k] becomes rows[k][i]. */
PL_INLINE void pl_transpose8x8(pl_f8 rows[8])
{
    pl_transpose8(rows);
    pl_transpose8(rows + 4);
    for (int i = 0; i < 4; ++i)
    {
        pl_f8 low = __builtin_shufflevector(rows[i], rows[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[i + 4] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        rows[i] = low;
    }
}

PL_INLINE pl_f8 pl_dot8(const pl_f8 a[3], const pl_f8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- Doubles ---- */

PL_INLINE pl_d4 pl_splat_d4(double x)
{
    return (pl_d4){x, x, x, x};
}

/* The low four (half 0) or the high four of eight floats. */
PL_INLINE pl_d4 pl_double_half(pl_f8 a, int half)
{
    return __builtin_convertvector(half ? pl_high8(a) : pl_low8(a), pl_d4);
}

PL_INLINE pl_f4 pl_float_d4(pl_d4 a)
{
    return __builtin_convertvector(a, pl_f4);
}

PL_INLINE pl_d4 pl_select_d4(pl_l4 mask, pl_d4 yes, pl_d4 no)
{
#if defined(__AVX__)
    return (pl_d4)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
    return (pl_d4)(((pl_l4)yes & mask) | ((pl_l4)no & ~mask));
#endif
}

/* a < b ? a : b in each lane: b where either is not a number. */
PL_INLINE pl_d4 pl_min_d4(pl_d4 a, pl_d4 b)
{
    return pl_select_d4(a < b, a, b);
}

PL_INLINE pl_d4 pl_max_d4(pl_d4 a, pl_d4 b)
{
    return pl_select_d4(a > b, a, b);
}

PL_INLINE pl_d4 pl_abs_d4(pl_d4 a)
{
    pl_l4 zero = {0};
    return (pl_d4)((pl_l4)a & (zero + INT64_MAX));
}

PL_INLINE pl_d4 pl_sqrt_d4(pl_d4 a)
{
#if defined(__AVX__)
    return (pl_d4)_mm256_sqrt_pd((__m256d)a);
#else
    pl_d4 root;
    for (int i = 0; i < 4; ++i)
    {
        root[i] = sqrt(a[i]);
    }
    return root;
#endif
}

/* Bit k is set where lane k of the mask is. */
PL_INLINE uint32_t pl_mask_d4(pl_l4 mask)
{
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#else
    return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

#endif
