/* Skinning, the definition: plain floats, one vertex after the other. The order of every sum is fixed here and kept by
 * skin_wide.c.
 *
 * lbs: blended matrix M = sum of w_i M_i; p' = M p.
 * dqs: Kavan, Collins, Zara and O'Sullivan, "Geometric skinning with approximate dual quaternion blending" (2008),
 * algorithm 1, with two additions: each joint matrix is split M_i = T_i R_i S_i, the stretches S_i are blended linearly
 * and applied first; and the signs of the quaternions are chosen against the joint with the largest weight, not against
 * the first one, so that the result does not depend on the order of the influences. */
#include "rig/skin.h"

#include "base/vec.h"

typedef struct vector
{
    float x, y, z;
} vector;

static inline vector row_times(const float row[4], vector v)
{
    return (vector){row[0] * v.x, row[1] * v.y, row[2] * v.z};
}

static inline vector apply_linear(const float m[3][4], vector v)
{
    vector a = row_times(m[0], v);
    vector b = row_times(m[1], v);
    vector c = row_times(m[2], v);
    return (vector){a.x + a.y + a.z, b.x + b.y + b.z, c.x + c.y + c.z};
}

static inline vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* In pairs, as registers of two columns add them up. */
static inline float apply_row(const float row[4], vector p)
{
    return (row[0] * p.x + row[2] * p.z) + (row[1] * p.y + row[3]);
}

/* The weighted sum of matrices. */
static inline void blend(const pleat_affine *matrices, const uint16_t *joints, const float *weights, uint32_t count,
                         float m[3][4])
{
    for (uint32_t r = 0; r < 3; ++r)
    {
        for (uint32_t c = 0; c < 4; ++c)
        {
            float sum = weights[0] * matrices[joints[0]].row[r][c];
            for (uint32_t i = 1; i < count; ++i)
            {
                sum += weights[i] * matrices[joints[i]].row[r][c];
            }
            m[r][c] = sum;
        }
    }
}

/* det(m) times the inverse transpose, that is the matrix of cofactors, and the sign of det(m): the direction of the
 * inverse transpose without its division, so that a flat matrix is no special case. */
static inline vector apply_cofactors(const float m[3][4], vector n)
{
    vector r0 = {m[0][0], m[0][1], m[0][2]};
    vector r1 = {m[1][0], m[1][1], m[1][2]};
    vector r2 = {m[2][0], m[2][1], m[2][2]};
    vector c0 = cross(r1, r2);
    vector c1 = cross(r2, r0);
    vector c2 = cross(r0, r1);
    vector out = {dot(c0, n), dot(c1, n), dot(c2, n)};
    if (dot(r0, c0) < 0)
    {
        out = (vector){-out.x, -out.y, -out.z};
    }
    return out;
}

/* n at unit length, or the fallback where n has no direction. */
static inline vector unit_or(vector n, vector fallback)
{
    float squared = dot(n, n);
    if (!(squared > PL_SKIN_SHORTEST && squared < PL_SKIN_LONGEST))
    {
        return fallback;
    }
    float scale = 1 / sqrtf(squared);
    return (vector){n.x * scale, n.y * scale, n.z * scale};
}

static inline vector load(const pleat_vec4 *v)
{
    return (vector){v->x, v->y, v->z};
}

static inline pleat_vec4 stored(vector v)
{
    return (pleat_vec4){v.x, v.y, v.z, 0};
}

void pl_skin_lbs_scalar(const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    const pleat_skin_job *job = work->job;
    uint32_t count = job->influence_count;
    for (uint32_t v = begin; v < end; ++v)
    {
        float m[3][4];
        blend(job->matrices, job->joints + (size_t)v * count, job->weights + (size_t)v * count, count, m);
        vector p = load(&job->positions[v]);
        job->out_positions[v] = (pleat_vec4){apply_row(m[0], p), apply_row(m[1], p), apply_row(m[2], p), 0};
        if (job->normals)
        {
            vector n = load(&job->normals[v]);
            job->out_normals[v] = stored(unit_or(apply_cofactors(m, n), n));
        }
    }
}

typedef struct dual_quat
{
    float real[4];
    float dual[4];
} dual_quat;

static inline const float *largest_real(const pl_skin_work *work, const uint16_t *joints, const float *weights)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < work->job->influence_count; ++i)
    {
        largest = weights[i] > weights[largest] ? i : largest;
    }
    return work->joints[joints[largest]].real;
}

/* The weighted sum with antipodal signs. Its length stays: whoever uses it divides by the square. */
static inline dual_quat blend_duals(const pl_skin_work *work, const uint16_t *joints, const float *weights)
{
    const float *pivot = largest_real(work, joints, weights);
    uint32_t count = work->job->influence_count;
    float signed_weights[8];
    for (uint32_t i = 0; i < count; ++i)
    {
        signed_weights[i] = pl_skin_dot4(work->joints[joints[i]].real, pivot) < 0 ? -weights[i] : weights[i];
    }
    dual_quat sum;
    for (uint32_t c = 0; c < 4; ++c)
    {
        sum.real[c] = signed_weights[0] * work->joints[joints[0]].real[c];
        sum.dual[c] = signed_weights[0] * work->joints[joints[0]].dual[c];
        for (uint32_t i = 1; i < count; ++i)
        {
            sum.real[c] += signed_weights[i] * work->joints[joints[i]].real[c];
            sum.dual[c] += signed_weights[i] * work->joints[joints[i]].dual[c];
        }
    }
    return sum;
}

/* 2 / |real|^2. With weights of at least 0 and sum 1 the length is at least the largest weight; where weights cancel
 * out, 0 moves nothing. */
static inline float twice_inverse_square(const dual_quat *q)
{
    float squared = pl_skin_dot4(q->real, q->real);
    return squared > PL_SKIN_SHORTEST ? 2 / squared : 0;
}

/* Half of how far v moves when it is rotated, times |q|^2: q x (q x v + q_w v). */
static inline vector half_rotation(const float q[4], vector v)
{
    vector axis = {q[0], q[1], q[2]};
    vector a = cross(axis, v);
    return cross(axis, (vector){a.x + q[3] * v.x, a.y + q[3] * v.y, a.z + q[3] * v.z});
}

/* Half of the translation, times |real|^2: the vector part of dual conjugate(real). */
static inline vector half_translation(const dual_quat *q)
{
    vector real = {q->real[0], q->real[1], q->real[2]};
    vector dual = {q->dual[0], q->dual[1], q->dual[2]};
    vector c = cross(real, dual);
    float real_w = q->real[3];
    float dual_w = q->dual[3];
    return (vector){real_w * dual.x - dual_w * real.x + c.x, real_w * dual.y - dual_w * real.y + c.y,
                    real_w * dual.z - dual_w * real.z + c.z};
}

/* The weighted sum of the six numbers of the joints' stretches, as a matrix. */
static inline void blend_stretches(const pl_skin_work *work, const uint16_t *joints, const float *weights,
                                   float m[3][4])
{
    float s[6];
    for (uint32_t c = 0; c < 6; ++c)
    {
        float sum = weights[0] * work->joints[joints[0]].stretch[c];
        for (uint32_t i = 1; i < work->job->influence_count; ++i)
        {
            sum += weights[i] * work->joints[joints[i]].stretch[c];
        }
        s[c] = work->one_stretch ? work->joints[0].stretch[c] : sum;
    }
    const float rows[3][4] = {{s[0], s[1], s[2], 0}, {s[1], s[3], s[4], 0}, {s[2], s[4], s[5], 0}};
    memcpy(m, rows, sizeof rows);
}

void pl_skin_dqs_scalar(const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    const pleat_skin_job *job = work->job;
    uint32_t count = job->influence_count;
    for (uint32_t v = begin; v < end; ++v)
    {
        const uint16_t *joints = job->joints + (size_t)v * count;
        const float *weights = job->weights + (size_t)v * count;
        float stretch[3][4];
        blend_stretches(work, joints, weights, stretch);
        dual_quat q = blend_duals(work, joints, weights);
        float twice = twice_inverse_square(&q);
        vector p = apply_linear(stretch, load(&job->positions[v]));
        vector r = half_rotation(q.real, p);
        vector t = half_translation(&q);
        job->out_positions[v] =
            (pleat_vec4){p.x + twice * (r.x + t.x), p.y + twice * (r.y + t.y), p.z + twice * (r.z + t.z), 0};
        if (job->normals)
        {
            vector n = load(&job->normals[v]);
            vector s = apply_cofactors(stretch, n);
            r = half_rotation(q.real, s);
            s = (vector){s.x + twice * r.x, s.y + twice * r.y, s.z + twice * r.z};
            job->out_normals[v] = stored(unit_or(s, n));
        }
    }
}
