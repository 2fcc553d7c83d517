/* A convolution segment and eight points at a time, for fields that are asked for many times: the closed form of
 * convolution.c where the sharpness is 1 / reach. Then the parabola is 1/2 - h^2/4 - t^2/4 in units of the reach, and
 * what the arc tangent is taken of lies in -1 .. 1, where a polynomial gives it to 1e-7. For *_wide.c: without AVX the
 * compiler makes two halves of everything, with the same bits. */
#ifndef PL_MESH_FIELD_CONVOLUTION_EIGHT_H
#define PL_MESH_FIELD_CONVOLUTION_EIGHT_H

#include "base/eight.h"

/* For -1 .. 1, to 1e-7: a fit at Chebyshev's points, in pairs so that no product waits for the one before. */
PL_INLINE pl_f8 pl_atan_unit(pl_f8 u)
{
    pl_f8 y = u * u, y2 = y * y, y4 = y2 * y2;
    pl_f8 a = pl_splat8(0.999999984f) + pl_splat8(-0.333330668f) * y;
    pl_f8 b = pl_splat8(0.199924836f) + pl_splat8(-0.142025705f) * y;
    pl_f8 c = pl_splat8(0.106367541f) + pl_splat8(-0.0749544544f) * y;
    pl_f8 d = pl_splat8(0.0425876075f) + pl_splat8(-0.0160050305f) * y;
    return u * ((a + b * y2) + y4 * ((c + d * y2) + y4 * pl_splat8(0.0028340643f)));
}

/* Where points stand to a segment, in units of its reach. */
typedef struct pl_convolution_stand
{
    pl_f8 along;     /* of the foot of the perpendicular, from the segment's beginning */
    pl_f8 offset[3]; /* from the foot to the point */
    pl_f8 squared;   /* length of the offset */
} pl_convolution_stand;

/* Integrals over the segment's part within reach, in units of the reach: of the kernel times 1 and t (the distance from
 * the foot), and of its derivative over d^2 times 1, t and t^2. */
typedef struct pl_convolution_moments
{
    pl_f8 value[2];
    pl_f8 slope[3];
} pl_convolution_moments;

/* points: x, y and z of the eight. axis: unit. */
PL_INLINE void pl_convolution_stand_of(pl_f4 from, pl_f4 axis, float inverse_reach, const pl_f8 points[3],
                                       pl_convolution_stand *out)
{
    pl_f8 scale = pl_splat8(inverse_reach), along = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        out->offset[k] = (points[k] - pl_splat8(from[k])) * scale;
        along += out->offset[k] * pl_splat8(axis[k]);
    }
    out->along = along;
    out->squared = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        out->offset[k] -= along * pl_splat8(axis[k]);
        out->squared += out->offset[k] * out->offset[k];
    }
}

/* Antiderivatives at t, given q^2 = 1 + h^2 and 1 / q. */
PL_INLINE void pl_convolution_end(pl_f8 q2, pl_f8 inverse_q, pl_f8 t, pl_convolution_moments *out)
{
    pl_f8 t2 = t * t, inverse_d = pl_splat8(1) / (q2 + t2), half = pl_splat8(0.5f) * inverse_q * inverse_q;
    pl_f8 square = half * (t * inverse_d + inverse_q * pl_atan_unit(t * inverse_q));
    pl_f8 cube = pl_splat8(0.5f) * half * (t * inverse_d * inverse_d + pl_splat8(3) * square);
    pl_f8 e = pl_splat8(0.75f) - pl_splat8(0.25f) * q2; /* 1/2 - h^2/4 */
    out->value[0] = square - t * (e - t2 * pl_splat8(1 / 12.0f));
    out->value[1] = pl_splat8(-0.5f) * inverse_d - t2 * (e * pl_splat8(0.5f) - t2 * pl_splat8(1 / 16.0f));
    out->slope[0] = t * pl_splat8(0.25f) - pl_splat8(2) * cube;
    out->slope[1] = pl_splat8(0.5f) * inverse_d * inverse_d + t2 * pl_splat8(0.125f);
    out->slope[2] = pl_splat8(-2) * (square - q2 * cube) + t2 * t * pl_splat8(1 / 12.0f);
}

/* length: of the segment, in reaches. Exactly 0 out of reach. The compiler leaves out what the caller does not read. */
PL_INLINE void pl_convolution_moments_of(float length, const pl_convolution_stand *stand, pl_convolution_moments *out)
{
    pl_f8 half = pl_sqrt8(pl_max8(pl_splat8(1) - stand->squared, pl_splat8(0)));
    pl_f8 from = pl_max8(-stand->along, -half), to = pl_min8(pl_splat8(length) - stand->along, half);
    pl_i8 inside = from < to;
    pl_f8 q2 = pl_min8(pl_splat8(1) + stand->squared, pl_splat8(2)), inverse_q = pl_splat8(1) / pl_sqrt8(q2);
    from = (pl_f8)((pl_i8)from & inside);
    to = (pl_f8)((pl_i8)to & inside);
    pl_convolution_moments begin;
    pl_convolution_end(q2, inverse_q, to, out);
    pl_convolution_end(q2, inverse_q, from, &begin);
    for (int i = 0; i < 2; ++i)
    {
        out->value[i] -= begin.value[i];
    }
    for (int i = 0; i < 3; ++i)
    {
        out->slope[i] -= begin.slope[i];
    }
}

/* Segments up to this long, in reaches, are as well summed at three places (Gauss): half the operations, and what is
 * left out is 1e-5 of a value and 5e-5 of a slope at most, 1e-6 and 7e-6 up to 0.375. */
#define PL_CONVOLUTION_SHORT 0.5f

/* Adds what the kernel is at t, by weight. In u = d^2 it is (1 - u)^2 (2 + u) / (4 (1 + u)^2). */
PL_INLINE void pl_convolution_add(pl_f8 squared, pl_f8 t, pl_f8 weight, pl_convolution_moments *out)
{
    pl_f8 t2 = t * t, u = squared + t2, inverse = pl_splat8(1) / (pl_splat8(1) + u);
    pl_f8 part = (pl_splat8(1) - u) * inverse, value = weight * (part * part * (pl_splat8(2) + u));
    pl_f8 slope = weight * (pl_splat8(1) - pl_splat8(8) * inverse * inverse * inverse);
    out->value[0] += value;
    out->value[1] += value * t;
    out->slope[0] += slope;
    out->slope[1] += slope * t;
    out->slope[2] += slope * t2;
}

/* As pl_convolution_moments_of, for a length of PL_CONVOLUTION_SHORT at most. */
PL_INLINE void pl_convolution_moments_short(float length, const pl_convolution_stand *stand,
                                            pl_convolution_moments *out)
{
    pl_f8 half = pl_sqrt8(pl_max8(pl_splat8(1) - stand->squared, pl_splat8(0))), zero = pl_splat8(0);
    pl_f8 from = pl_max8(-stand->along, -half), to = pl_min8(pl_splat8(length) - stand->along, half);
    pl_f8 size = pl_max8(to - from, zero), middle = pl_splat8(0.5f) * (from + to);
    pl_f8 aside = size * pl_splat8(0.387298335f), outer = size * pl_splat8(5.0f / 72);
    *out = (pl_convolution_moments){{zero, zero}, {zero, zero, zero}};
    pl_convolution_add(stand->squared, middle - aside, outer, out);
    pl_convolution_add(stand->squared, middle, size * pl_splat8(1.0f / 9), out);
    pl_convolution_add(stand->squared, middle + aside, outer, out);
}

#endif
