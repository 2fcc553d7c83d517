/* Vectors, quaternions, dual quaternions and affine matrices on 4-wide vectors.
 *
 * GCC's vector extensions: one source for SSE, AVX, NEON and WebAssembly. The whole project is compiled with
 * -ffp-contract=off, so that every target rounds alike and results agree bit for bit. */
#ifndef PL_VEC_H
#define PL_VEC_H

#include "pleat/base.h"

#include <math.h>
#include <string.h>

/* may_alias: arrays of pleat_vec4 and of float are read through these. */
typedef float pl_f4 __attribute__((vector_size(16), may_alias));
typedef int32_t pl_i4 __attribute__((vector_size(16), may_alias));
typedef double pl_d4 __attribute__((vector_size(32), may_alias));

#define PL_INLINE static inline __attribute__((always_inline, unused))

/* The number of the cell that a place lies in; at: in cells. What is too far out, or no number, lies in cell 0: callers
 * look into the cell, so that only their time depends on it. */
PL_INLINE int32_t pl_cell_at(float at)
{
    return at > -1e9f && at < 1e9f ? (int32_t)floorf(at) : 0;
}

/* ---- Loading and storing ---- */

PL_INLINE pl_f4 pl_set(float x, float y, float z, float w)
{
    return (pl_f4){x, y, z, w};
}

PL_INLINE pl_f4 pl_splat(float x)
{
    return (pl_f4){x, x, x, x};
}

PL_INLINE pl_f4 pl_load(const pleat_vec4 *p)
{
    return *(const pl_f4 *)p;
}

PL_INLINE void pl_store(pleat_vec4 *p, pl_f4 v)
{
    *(pl_f4 *)p = v;
}

PL_INLINE pl_f4 pl_load3(const pleat_vec3 *p)
{
    return (pl_f4){p->x, p->y, p->z, 0};
}

PL_INLINE void pl_store3(pleat_vec3 *p, pl_f4 v)
{
    p->x = v[0];
    p->y = v[1];
    p->z = v[2];
}

PL_INLINE pl_f4 pl_from(pleat_vec4 p)
{
    return (pl_f4){p.x, p.y, p.z, p.w};
}

PL_INLINE pleat_vec4 pl_to(pl_f4 v)
{
    return (pleat_vec4){v[0], v[1], v[2], v[3]};
}

/* ---- Three-dimensional geometry; w is ignored unless said ---- */

PL_INLINE float pl_dot3(pl_f4 a, pl_f4 b)
{
    pl_f4 p = a * b;
    return p[0] + p[1] + p[2];
}

PL_INLINE float pl_dot4(pl_f4 a, pl_f4 b)
{
    pl_f4 p = a * b;
    return (p[0] + p[1]) + (p[2] + p[3]);
}

/* w of the result is 0 when w of both is finite. */
PL_INLINE pl_f4 pl_cross(pl_f4 a, pl_f4 b)
{
    pl_f4 a_yzx = __builtin_shufflevector(a, a, 1, 2, 0, 3);
    pl_f4 b_yzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    pl_f4 c = a * b_yzx - a_yzx * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

PL_INLINE float pl_length3(pl_f4 a)
{
    return sqrtf(pl_dot3(a, a));
}

/* Zero, and anything too short to have a direction, gives zero. */
PL_INLINE pl_f4 pl_normalize3(pl_f4 a)
{
    float squared = pl_dot3(a, a);
    if (!(squared > 1e-36f))
    {
        return pl_splat(0);
    }
    return a * pl_splat(1.0f / sqrtf(squared));
}

/* 0 up to 0, 1 from 1 on, smooth between. */
PL_INLINE float pl_smooth_step(float t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

PL_INLINE pl_f4 pl_lerp(pl_f4 a, pl_f4 b, float t)
{
    return a + (b - a) * pl_splat(t);
}

/* The smaller and the larger of each component; b where a is not a number. */
PL_INLINE pl_f4 pl_min(pl_f4 a, pl_f4 b)
{
    pl_i4 take = a < b;
    return (pl_f4)(((pl_i4)a & take) | ((pl_i4)b & ~take));
}

PL_INLINE pl_f4 pl_max(pl_f4 a, pl_f4 b)
{
    pl_i4 take = a > b;
    return (pl_f4)(((pl_i4)a & take) | ((pl_i4)b & ~take));
}

/* Any unit vector perpendicular to the unit vector a. */
PL_INLINE pl_f4 pl_perpendicular(pl_f4 a)
{
    pl_f4 axis = fabsf(a[0]) < 0.6f ? pl_set(1, 0, 0, 0) : pl_set(0, 1, 0, 0);
    return pl_normalize3(pl_cross(a, axis));
}

PL_INLINE bool pl_finite3(pleat_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

/* ---- Quaternions: x y z w, w the real part ---- */

PL_INLINE pl_f4 pl_quat_load(const pleat_quat *q)
{
    return *(const pl_f4 *)q;
}

PL_INLINE pleat_quat pl_quat_to(pl_f4 q)
{
    return (pleat_quat){q[0], q[1], q[2], q[3]};
}

/* Length 0 gives the identity. */
PL_INLINE pl_f4 pl_quat_normalize(pl_f4 q)
{
    float squared = pl_dot4(q, q);
    if (!(squared > 1e-36f))
    {
        return pl_set(0, 0, 0, 1);
    }
    return q * pl_splat(1.0f / sqrtf(squared));
}

/* The product a b: first b, then a. */
PL_INLINE pl_f4 pl_quat_mul(pl_f4 a, pl_f4 b)
{
    return pl_set(
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]);
}

PL_INLINE pl_f4 pl_quat_conjugate(pl_f4 q)
{
    return q * pl_set(-1, -1, -1, 1);
}

PL_INLINE pl_f4 pl_quat_rotate(pl_f4 q, pl_f4 v)
{
    pl_f4 t = pl_cross(q, v) * pl_splat(2);
    pl_f4 r = v + pl_splat(q[3]) * t + pl_cross(q, t);
    r[3] = 0;
    return r;
}

PL_INLINE pl_f4 pl_quat_axis_angle(pl_f4 unit_axis, float radians)
{
    float s = sinf(radians * 0.5f);
    pl_f4 q = unit_axis * pl_splat(s);
    q[3] = cosf(radians * 0.5f);
    return q;
}

/* The shorter arc; nearly equal ends fall back to a normalised lerp. */
PL_INLINE pl_f4 pl_quat_slerp(pl_f4 a, pl_f4 b, float t)
{
    float d = pl_dot4(a, b);
    if (d < 0)
    {
        b = -b;
        d = -d;
    }
    if (d > 0.9995f)
    {
        return pl_quat_normalize(pl_lerp(a, b, t));
    }
    float angle = acosf(d);
    float inverse = 1.0f / sinf(angle);
    return pl_quat_normalize(a * pl_splat(sinf((1 - t) * angle) * inverse) + b * pl_splat(sinf(t * angle) * inverse));
}

/* ---- Dual quaternions: real + epsilon dual ---- */

typedef struct pl_dual_quat
{
    pl_f4 real;
    pl_f4 dual;
} pl_dual_quat;

/* First the rotation, then the translation. */
PL_INLINE pl_dual_quat pl_dual_quat_from(pl_f4 rotation, pl_f4 translation)
{
    pl_f4 t = translation;
    t[3] = 0;
    return (pl_dual_quat){rotation, pl_quat_mul(t, rotation) * pl_splat(0.5f)};
}

/* The point p moved by a unit dual quaternion. */
PL_INLINE pl_f4 pl_dual_quat_point(pl_dual_quat q, pl_f4 p)
{
    pl_f4 t = pl_quat_mul(q.dual, pl_quat_conjugate(q.real)) * pl_splat(2);
    t[3] = 0;
    return pl_quat_rotate(q.real, p) + t;
}

/* ---- Affine matrices ---- */

PL_INLINE pl_f4 pl_affine_row(const pleat_affine *m, int row)
{
    return *(const pl_f4 *)m->row[row];
}

PL_INLINE pleat_affine pl_affine_identity(void)
{
    return (pleat_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

PL_INLINE pl_f4 pl_affine_point(const pleat_affine *m, pl_f4 p)
{
    return pl_set(pl_dot3(pl_affine_row(m, 0), p) + m->row[0][3], pl_dot3(pl_affine_row(m, 1), p) + m->row[1][3],
                  pl_dot3(pl_affine_row(m, 2), p) + m->row[2][3], 0);
}

PL_INLINE pl_f4 pl_affine_vector(const pleat_affine *m, pl_f4 v)
{
    return pl_set(pl_dot3(pl_affine_row(m, 0), v), pl_dot3(pl_affine_row(m, 1), v), pl_dot3(pl_affine_row(m, 2), v), 0);
}

/* a b: first b, then a. */
PL_INLINE pleat_affine pl_affine_mul(const pleat_affine *a, const pleat_affine *b)
{
    pleat_affine out;
    pl_f4 b0 = pl_affine_row(b, 0);
    pl_f4 b1 = pl_affine_row(b, 1);
    pl_f4 b2 = pl_affine_row(b, 2);
    for (int r = 0; r < 3; ++r)
    {
        pl_f4 row = pl_splat(a->row[r][0]) * b0 + pl_splat(a->row[r][1]) * b1 + pl_splat(a->row[r][2]) * b2;
        row[3] += a->row[r][3];
        *(pl_f4 *)out.row[r] = row;
    }
    return out;
}

PL_INLINE pleat_affine pl_affine_from_trs(const pleat_trs *trs)
{
    float x = trs->rotation.x, y = trs->rotation.y, z = trs->rotation.z, w = trs->rotation.w;
    float sx = trs->scale.x, sy = trs->scale.y, sz = trs->scale.z;
    return (pleat_affine){
        {{(1 - 2 * (y * y + z * z)) * sx, 2 * (x * y - z * w) * sy, 2 * (x * z + y * w) * sz, trs->translation.x},
         {2 * (x * y + z * w) * sx, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z - x * w) * sz, trs->translation.y},
         {2 * (x * z - y * w) * sx, 2 * (y * z + x * w) * sy, (1 - 2 * (x * x + y * y)) * sz, trs->translation.z}}};
}

PL_INLINE float pl_affine_determinant(const pleat_affine *m)
{
    return pl_dot3(pl_affine_row(m, 0), pl_cross(pl_affine_row(m, 1), pl_affine_row(m, 2)));
}

/* False if the matrix has no inverse worth the name; out is then untouched. Computed in double. */
bool pl_affine_inverse(const pleat_affine *m, pleat_affine *out);

/* Splits m into rotation times stretch (polar decomposition): m = R S, S symmetric; a mirror goes into S. The stretch
 * comes as a 3x3 in an affine without translation. A singular matrix gives the best rotation there is. */
void pl_affine_polar(const pleat_affine *m, pl_f4 *rotation, pleat_affine *stretch);

/* Column-major 4x4 (as in glTF) to rows; false if the last row is not 0 0 0 1 within 1e-4. */
bool pl_affine_from_columns(const float columns[16], pleat_affine *out);
void pl_affine_to_columns(const pleat_affine *m, float columns[16]);

/* T R S from a matrix; shear is lost. */
pleat_trs pl_affine_to_trs(const pleat_affine *m);

PL_INLINE pleat_trs pl_trs_identity(void)
{
    return (pleat_trs){{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}};
}

#endif
