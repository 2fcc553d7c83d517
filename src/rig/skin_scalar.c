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

/* The rows 0 to 2 of the weighted sum of matrices. */
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
        vector p = apply_linear(m, load(&job->positions[v]));
        job->out_positions[v] = (pleat_vec4){p.x + m[0][3], p.y + m[1][3], p.z + m[2][3], 0};
        if (job->normals)
        {
            vector n = load(&job->normals[v]);
            job->out_normals[v] = stored(unit_or(apply_cofactors(m, n), n));
        }
    }
}

static inline float dot4(const float a[4], const float b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static inline const float *largest_real(const pl_skin_work *work, const uint16_t *joints, const float *weights)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < work->job->influence_count; ++i)
    {
        largest = weights[i] > weights[largest] ? i : largest;
    }
    return work->duals[joints[largest]].real;
}

/* The weighted sum with antipodal signs, at unit length. With weights of at least 0 and sum 1 the sum's length is at
 * least the largest weight; other weights that cancel out give zeros, which move nothing. */
static inline pl_skin_dual blend_duals(const pl_skin_work *work, const uint16_t *joints, const float *weights)
{
    const float *pivot = largest_real(work, joints, weights);
    pl_skin_dual sum = {{0}, {0}};
    for (uint32_t i = 0; i < work->job->influence_count; ++i)
    {
        const pl_skin_dual *joint = &work->duals[joints[i]];
        float weight = dot4(joint->real, pivot) < 0 ? -weights[i] : weights[i];
        for (uint32_t c = 0; c < 4; ++c)
        {
            sum.real[c] += weight * joint->real[c];
            sum.dual[c] += weight * joint->dual[c];
        }
    }
    float squared = dot4(sum.real, sum.real);
    float scale = squared > PL_SKIN_SHORTEST ? 1 / sqrtf(squared) : 0;
    for (uint32_t c = 0; c < 4; ++c)
    {
        sum.real[c] = sum.real[c] * scale;
        sum.dual[c] = sum.dual[c] * scale;
    }
    return sum;
}

/* v + 2 q x (q x v + q_w v) */
static inline vector rotate(const float q[4], vector v)
{
    vector axis = {q[0], q[1], q[2]};
    vector a = cross(axis, v);
    a = (vector){a.x + q[3] * v.x, a.y + q[3] * v.y, a.z + q[3] * v.z};
    vector b = cross(axis, a);
    return (vector){v.x + 2 * b.x, v.y + 2 * b.y, v.z + 2 * b.z};
}

/* The vector part of 2 dual conjugate(real). */
static inline vector translation(const pl_skin_dual *q)
{
    vector real = {q->real[0], q->real[1], q->real[2]};
    vector dual = {q->dual[0], q->dual[1], q->dual[2]};
    vector c = cross(real, dual);
    float real_w = q->real[3];
    float dual_w = q->dual[3];
    return (vector){2 * (real_w * dual.x - dual_w * real.x + c.x), 2 * (real_w * dual.y - dual_w * real.y + c.y),
                    2 * (real_w * dual.z - dual_w * real.z + c.z)};
}

void pl_skin_dqs_scalar(const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    const pleat_skin_job *job = work->job;
    uint32_t count = job->influence_count;
    for (uint32_t v = begin; v < end; ++v)
    {
        const uint16_t *joints = job->joints + (size_t)v * count;
        const float *weights = job->weights + (size_t)v * count;
        pleat_affine stretch = work->stretches[0];
        if (!work->one_stretch)
        {
            blend(work->stretches, joints, weights, count, stretch.row);
        }
        pl_skin_dual q = blend_duals(work, joints, weights);
        vector p = rotate(q.real, apply_linear(stretch.row, load(&job->positions[v])));
        vector t = translation(&q);
        job->out_positions[v] = (pleat_vec4){p.x + t.x, p.y + t.y, p.z + t.z, 0};
        if (job->normals)
        {
            vector n = load(&job->normals[v]);
            vector straight = unit_or(apply_cofactors(stretch.row, n), n);
            job->out_normals[v] = stored(unit_or(rotate(q.real, straight), n));
        }
    }
}
