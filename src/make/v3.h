/* Vectors and quaternions in double, for generators: nothing here runs per frame. */
#ifndef PL_MAKE_V3_H
#define PL_MAKE_V3_H

#include "base/vec.h"

typedef struct pl_v3
{
    double x, y, z;
} pl_v3;

/* Unit quaternion. */
typedef struct pl_q
{
    double x, y, z, w;
} pl_q;

#define PL_PI 3.14159265358979323846

PL_INLINE pl_v3 v3(double x, double y, double z)
{
    return (pl_v3){x, y, z};
}

PL_INLINE pl_v3 v3_add(pl_v3 a, pl_v3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

PL_INLINE pl_v3 v3_sub(pl_v3 a, pl_v3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

PL_INLINE pl_v3 v3_scale(pl_v3 a, double s)
{
    return v3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
PL_INLINE pl_v3 v3_mad(pl_v3 a, double s, pl_v3 b)
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

PL_INLINE double v3_dot(pl_v3 a, pl_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

PL_INLINE pl_v3 v3_cross(pl_v3 a, pl_v3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

PL_INLINE double v3_length(pl_v3 a)
{
    return sqrt(v3_dot(a, a));
}

PL_INLINE double v3_distance(pl_v3 a, pl_v3 b)
{
    return v3_length(v3_sub(a, b));
}

/* Zero stays zero. */
PL_INLINE pl_v3 v3_unit(pl_v3 a)
{
    double length = v3_length(a);
    return length > 1e-30 ? v3_scale(a, 1 / length) : v3(0, 0, 0);
}

PL_INLINE pl_v3 v3_lerp(pl_v3 a, pl_v3 b, double t)
{
    return v3_mad(a, t, v3_sub(b, a));
}

PL_INLINE pl_v3 v3_mirror(pl_v3 a)
{
    return v3(-a.x, a.y, a.z);
}

PL_INLINE pleat_vec3 v3_float(pl_v3 a)
{
    return (pleat_vec3){(float)a.x, (float)a.y, (float)a.z};
}

PL_INLINE pl_v3 v3_of(pleat_vec3 a)
{
    return v3((double)a.x, (double)a.y, (double)a.z);
}

/* One instruction each, where fmin and fmax are calls. */
PL_INLINE double pl_lesser(double a, double b)
{
    return a < b ? a : b;
}

PL_INLINE double pl_greater(double a, double b)
{
    return a > b ? a : b;
}

PL_INLINE double pl_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

PL_INLINE double pl_mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

/* 0 at and below low, 1 at and above high, with flat ends. */
PL_INLINE double pl_smoothstep(double low, double high, double x)
{
    double t = pl_clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

PL_INLINE double pl_radians(double degrees)
{
    return degrees * (PL_PI / 180);
}

/* ---- Quaternions: the product a b turns first by b, then by a ---- */

PL_INLINE pl_q pl_q_mul(pl_q a, pl_q b)
{
    return (pl_q){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

PL_INLINE pl_q pl_q_inverse(pl_q a)
{
    return (pl_q){-a.x, -a.y, -a.z, a.w};
}

PL_INLINE pl_q pl_q_axis(pl_v3 unit_axis, double radians)
{
    double s = sin(radians / 2);
    return (pl_q){unit_axis.x * s, unit_axis.y * s, unit_axis.z * s, cos(radians / 2)};
}

PL_INLINE pl_v3 pl_q_turn(pl_q q, pl_v3 v)
{
    pl_v3 u = v3(q.x, q.y, q.z);
    pl_v3 t = v3_scale(v3_cross(u, v), 2);
    return v3_add(v3_mad(v, q.w, t), v3_cross(u, t));
}

/* Degrees about X, then Y, then Z, all about the fixed axes of the parent. */
PL_INLINE pl_q pl_q_degrees(double x, double y, double z)
{
    pl_q qx = pl_q_axis(v3(1, 0, 0), pl_radians(x));
    pl_q qy = pl_q_axis(v3(0, 1, 0), pl_radians(y));
    pl_q qz = pl_q_axis(v3(0, 0, 1), pl_radians(z));
    return pl_q_mul(qz, pl_q_mul(qy, qx));
}

/* The shortest turn that takes one unit vector to another; opposite ones turn about a perpendicular. */
PL_INLINE pl_q pl_q_between(pl_v3 from, pl_v3 to)
{
    pl_v3 axis = v3_cross(from, to);
    double w = 1 + v3_dot(from, to);
    if (w < 1e-9)
    {
        pl_v3 other = fabs(from.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
        return pl_q_axis(v3_unit(v3_cross(from, other)), PL_PI);
    }
    double length = sqrt(v3_dot(axis, axis) + w * w);
    return (pl_q){axis.x / length, axis.y / length, axis.z / length, w / length};
}

PL_INLINE pl_q pl_q_identity(void)
{
    return (pl_q){0, 0, 0, 1};
}

#endif
