/* Four convolution segments side by side, for fields that are asked for many times: the closed form of convolution.c
 * where the sharpness is 1 / reach. Then the parabola is 1/2 - h^2/4 - t^2/4 in units of the reach, and what the arc
 * tangent is taken of lies in -1 .. 1, where a polynomial gives it to 1e-7. */
#ifndef PL_CONVOLUTION_ROW_H
#define PL_CONVOLUTION_ROW_H

#include "base/vec.h"

typedef struct pl_convolution_row
{
    pl_f4 from[3];       /* x, y, z of the four */
    pl_f4 axis[3];       /* unit */
    pl_f4 length;        /* 0: no segment */
    pl_f4 inverse_reach; /* above 0, also where there is no segment */
} pl_convolution_row;

/* Where a point stands to the four, in units of the reach. */
typedef struct pl_convolution_stand
{
    pl_f4 along;     /* of the foot of its perpendicular, from the segment's beginning */
    pl_f4 offset[3]; /* from the foot to the point */
    pl_f4 squared;   /* length of the offset */
} pl_convolution_stand;

/* Integrals over each segment's part within reach, in units of the reach: of the kernel times 1 and t (the distance
 * from the foot), and of its derivative over d^2 times 1, t and t^2. */
typedef struct pl_convolution_moments
{
    pl_f4 value[2];
    pl_f4 slope[3];
} pl_convolution_moments;

PL_INLINE pl_f4 pl_sqrt(pl_f4 a)
{
    return pl_set(sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3]));
}

/* For -1 .. 1, to 1e-7: a fit at Chebyshev's points, in pairs so that no product waits for the one before. */
PL_INLINE pl_f4 pl_atan_unit(pl_f4 u)
{
    pl_f4 y = u * u, y2 = y * y, y4 = y2 * y2;
    pl_f4 a = pl_splat(0.999999984f) + pl_splat(-0.333330668f) * y;
    pl_f4 b = pl_splat(0.199924836f) + pl_splat(-0.142025705f) * y;
    pl_f4 c = pl_splat(0.106367541f) + pl_splat(-0.0749544544f) * y;
    pl_f4 d = pl_splat(0.0425876075f) + pl_splat(-0.0160050305f) * y;
    return u * ((a + b * y2) + y4 * ((c + d * y2) + y4 * pl_splat(0.0028340643f)));
}

/* Antiderivatives at t, given q^2 = 1 + h^2, 1 / q and the arc tangent's factor. */
PL_INLINE void pl_convolution_row_end(pl_f4 q2, pl_f4 inverse_q, pl_f4 t, pl_f4 value[2], pl_f4 slope[3])
{
    pl_f4 t2 = t * t, inverse_q2 = inverse_q * inverse_q, inverse_d = pl_splat(1) / (q2 + t2);
    pl_f4 half = pl_splat(0.5f) * inverse_q2;
    pl_f4 square = half * (t * inverse_d + inverse_q * pl_atan_unit(t * inverse_q));
    pl_f4 cube = pl_splat(0.5f) * half * (t * inverse_d * inverse_d + pl_splat(3) * square);
    pl_f4 e = pl_splat(0.75f) - pl_splat(0.25f) * q2; /* 1/2 - h^2/4 */
    value[0] = square - t * (e - t2 * pl_splat(1 / 12.0f));
    value[1] = pl_splat(-0.5f) * inverse_d - t2 * (e * pl_splat(0.5f) - t2 * pl_splat(1 / 16.0f));
    slope[0] = t * pl_splat(0.25f) - pl_splat(2) * cube;
    slope[1] = pl_splat(0.5f) * inverse_d * inverse_d + t2 * pl_splat(0.125f);
    slope[2] = pl_splat(-2) * (square - q2 * cube) + t2 * t * pl_splat(1 / 12.0f);
}

PL_INLINE void pl_convolution_row_stand(const pl_convolution_row *row, pl_f4 point, pl_convolution_stand *out)
{
    pl_f4 x = (pl_splat(point[0]) - row->from[0]) * row->inverse_reach;
    pl_f4 y = (pl_splat(point[1]) - row->from[1]) * row->inverse_reach;
    pl_f4 z = (pl_splat(point[2]) - row->from[2]) * row->inverse_reach;
    pl_f4 along = x * row->axis[0] + y * row->axis[1] + z * row->axis[2];
    out->along = along;
    out->offset[0] = x - along * row->axis[0];
    out->offset[1] = y - along * row->axis[1];
    out->offset[2] = z - along * row->axis[2];
    out->squared = out->offset[0] * out->offset[0] + out->offset[1] * out->offset[1] + out->offset[2] * out->offset[2];
}

/* The compiler leaves out what the caller does not read. */
PL_INLINE void pl_convolution_row_moments(const pl_convolution_row *row, const pl_convolution_stand *stand,
                                          pl_convolution_moments *out)
{
    pl_f4 along = stand->along, half = pl_sqrt(pl_max(pl_splat(1) - stand->squared, pl_splat(0)));
    pl_f4 from = pl_max(-along, -half), to = pl_min(row->length * row->inverse_reach - along, half);
    pl_i4 inside = from < to;
    pl_f4 q2 = pl_min(pl_splat(1) + stand->squared, pl_splat(2)), inverse_q = pl_splat(1) / pl_sqrt(q2);
    from = (pl_f4)((pl_i4)from & inside);
    to = (pl_f4)((pl_i4)to & inside);
    pl_f4 value[2], slope[3];
    pl_convolution_row_end(q2, inverse_q, to, out->value, out->slope);
    pl_convolution_row_end(q2, inverse_q, from, value, slope);
    for (int i = 0; i < 2; ++i)
    {
        out->value[i] = out->value[i] - value[i];
    }
    for (int i = 0; i < 3; ++i)
    {
        out->slope[i] = out->slope[i] - slope[i];
    }
}

#endif
