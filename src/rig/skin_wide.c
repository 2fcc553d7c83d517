/* Skinning of LANES vertices at once: the operations of skin_scalar.c, in its order, with one vertex a lane.
 *
 * Joints and vertices lie in memory as rows of numbers of one thing, so a group of vertices is gathered row by row and
 * transposed. Where registers have 8 lanes, two vertices that are neighbours in memory go into the two halves of a
 * register: lanes then hold the vertices 0 2 4 6 and 1 3 5 7, and no vector crosses the halves on its way in or out.
 * lbs without normals has so little to do with its blended matrix that it goes vertex by vertex instead.
 *
 * Bound by instructions, about 46 a vertex for lbs, not by memory: the same loop on data in the first cache is 6%
 * faster. Streaming stores made it 10% slower, and whoever reads the positions next would find them gone from the
 * caches, so stores are plain. */
#include "rig/skin.h"

#include "base/vec.h"
#include "base/wide.h"

#ifdef __AVX2__
#include <immintrin.h>
#define LANES 8
#else
#define LANES 4
#endif

typedef float wide __attribute__((vector_size(4 * LANES)));
typedef int32_t mask __attribute__((vector_size(4 * LANES)));

/* Three, or four, numbers of each vertex of a group. */
typedef struct wide3
{
    wide x, y, z;
} wide3;

typedef struct wide4
{
    wide x, y, z, w;
} wide4;

/* ---- Rows to lanes and back ---- */

PL_INLINE pl_f4 load_four(const float *row)
{
    pl_f4 out;
    memcpy(&out, row, sizeof out);
    return out;
}

PL_INLINE wide load_wide(const float *row)
{
    wide out;
    memcpy(&out, row, sizeof out);
    return out;
}

#if LANES == 8

#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIRS_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIRS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

#else

#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define PAIRS_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define PAIRS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)

#endif

/* 4 by 4 within each half; its own inverse. */
PL_INLINE wide4 transpose(wide r0, wide r1, wide r2, wide r3)
{
    wide low01 = INTERLEAVE_LOW(r0, r1);
    wide low23 = INTERLEAVE_LOW(r2, r3);
    wide high01 = INTERLEAVE_HIGH(r0, r1);
    wide high23 = INTERLEAVE_HIGH(r2, r3);
    return (wide4){PAIRS_LOW(low01, low23), PAIRS_HIGH(low01, low23), PAIRS_LOW(high01, high23),
                   PAIRS_HIGH(high01, high23)};
}

/* Eight numbers of one vertex: half of a record of skin.h, or the weighted sum of some. */
#if LANES == 8

typedef wide eight;

PL_INLINE eight load_eight(const float *numbers)
{
    return load_wide(numbers);
}

PL_INLINE eight weighted8(float weight, eight part)
{
    return weight * part;
}

PL_INLINE eight add_weighted8(eight sum, float weight, eight part)
{
    return sum + weight * part;
}

/* Columns 0 and 1, 2 and 3, times (x, y) and (z, 1): the two halves of the sum are left to add. */
PL_INLINE pl_f4 apply_columns(eight first, eight second, const pleat_vec4 *position)
{
    __m256 p = _mm256_broadcast_ps((const __m128 *)position);
    __m256 xy = _mm256_permutevar_ps(p, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    __m256 z1 = _mm256_blend_ps(_mm256_permute_ps(p, 0xaa), _mm256_set1_ps(1), 0xf0);
    wide sum = first * (wide)xy + second * (wide)z1;
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
}

/* From eight numbers of each vertex to lanes: the first four and the second four. */
PL_INLINE void transpose_eights(const eight e[LANES], wide4 *first, wide4 *second)
{
    wide4 even = transpose(e[0], e[2], e[4], e[6]);
    wide4 odd = transpose(e[1], e[3], e[5], e[7]);
#define LOWER_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define UPPER_HALVES(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    *first = (wide4){LOWER_HALVES(even.x, odd.x), LOWER_HALVES(even.y, odd.y), LOWER_HALVES(even.z, odd.z),
                     LOWER_HALVES(even.w, odd.w)};
    *second = (wide4){UPPER_HALVES(even.x, odd.x), UPPER_HALVES(even.y, odd.y), UPPER_HALVES(even.z, odd.z),
                      UPPER_HALVES(even.w, odd.w)};
}

PL_INLINE wide4 transpose_fours(const pl_f4 f[LANES])
{
#define JOIN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
    return transpose(JOIN(f[0], f[1]), JOIN(f[2], f[3]), JOIN(f[4], f[5]), JOIN(f[6], f[7]));
}

#else

typedef struct eight
{
    wide low, high;
} eight;

PL_INLINE eight load_eight(const float *numbers)
{
    return (eight){load_wide(numbers), load_wide(numbers + 4)};
}

PL_INLINE eight weighted8(float weight, eight part)
{
    return (eight){weight * part.low, weight * part.high};
}

PL_INLINE eight add_weighted8(eight sum, float weight, eight part)
{
    return (eight){sum.low + weight * part.low, sum.high + weight * part.high};
}

PL_INLINE pl_f4 apply_columns(eight first, eight second, const pleat_vec4 *position)
{
    return (first.low * position->x + second.low * position->z) + (first.high * position->y + second.high);
}

PL_INLINE void transpose_eights(const eight e[LANES], wide4 *first, wide4 *second)
{
    *first = transpose(e[0].low, e[1].low, e[2].low, e[3].low);
    *second = transpose(e[0].high, e[1].high, e[2].high, e[3].high);
}

PL_INLINE wide4 transpose_fours(const pl_f4 f[LANES])
{
    return transpose(f[0], f[1], f[2], f[3]);
}

#endif

/* Fours that lie one after the other: four registers hold the group whatever the number of lanes. */
PL_INLINE wide4 load_fours(const float *first)
{
    return transpose(load_wide(first), load_wide(first + LANES), load_wide(first + 2 * LANES),
                     load_wide(first + 3 * LANES));
}

PL_INLINE wide3 load_vectors(const pleat_vec4 *group)
{
    wide4 v = load_fours(&group->x);
    return (wide3){v.x, v.y, v.z};
}

PL_INLINE void store_vectors(pleat_vec4 *group, wide3 v)
{
    wide4 rows = transpose(v.x, v.y, v.z, (wide){0});
    memcpy(&group[0], &rows.x, sizeof rows.x);
    memcpy(&group[LANES / 4], &rows.y, sizeof rows.y);
    memcpy(&group[LANES / 2], &rows.z, sizeof rows.z);
    memcpy(&group[3 * LANES / 4], &rows.w, sizeof rows.w);
}

/* ---- Arithmetic: each function has its twin in skin_scalar.c ---- */

PL_INLINE wide splat(float value)
{
    return (wide){0} + value;
}

PL_INLINE wide select_wide(mask condition, wide yes, wide no)
{
#ifdef __AVX2__
    return (wide)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)condition);
#else
    return (wide)(((mask)yes & condition) | ((mask)no & ~condition));
#endif
}

/* -value where the condition holds. */
PL_INLINE wide negate_where(mask condition, wide value)
{
    return (wide)((mask)value ^ (condition & ((mask){0} + INT32_MIN)));
}

PL_INLINE wide inverse_root(wide value)
{
    wide root;
    for (int lane = 0; lane < LANES; ++lane)
    {
        root[lane] = sqrtf(value[lane]);
    }
    return 1.0f / root;
}

PL_INLINE wide dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

PL_INLINE wide3 cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

PL_INLINE wide3 apply_linear(const wide3 m[3], wide3 v)
{
    return (wide3){dot(m[0], v), dot(m[1], v), dot(m[2], v)};
}

PL_INLINE wide3 apply_cofactors(const wide3 m[3], wide3 n)
{
    wide3 c0 = cross(m[1], m[2]);
    wide3 c1 = cross(m[2], m[0]);
    wide3 c2 = cross(m[0], m[1]);
    mask mirrored = dot(m[0], c0) < 0;
    return (wide3){negate_where(mirrored, dot(c0, n)), negate_where(mirrored, dot(c1, n)),
                   negate_where(mirrored, dot(c2, n))};
}

PL_INLINE wide3 unit_or(wide3 n, wide3 fallback)
{
    wide squared = dot(n, n);
    wide scale = inverse_root(squared);
    mask usable = (squared > PL_SKIN_SHORTEST) & (squared < PL_SKIN_LONGEST);
    return (wide3){select_wide(usable, n.x * scale, fallback.x), select_wide(usable, n.y * scale, fallback.y),
                   select_wide(usable, n.z * scale, fallback.z)};
}

PL_INLINE wide dot4(wide4 a, wide4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

PL_INLINE wide4 add_weighted(wide4 sum, wide weight, wide4 part)
{
    return (wide4){sum.x + weight * part.x, sum.y + weight * part.y, sum.z + weight * part.z, sum.w + weight * part.w};
}

PL_INLINE wide4 scaled(wide4 a, wide scale)
{
    return (wide4){a.x * scale, a.y * scale, a.z * scale, a.w * scale};
}

/* Half of how far the rotation moves v, for q of unit length: q x (q x v + q_w v) */
PL_INLINE wide3 half_rotation(wide4 q, wide3 v)
{
    wide3 axis = {q.x, q.y, q.z};
    wide3 a = cross(axis, v);
    return cross(axis, (wide3){a.x + q.w * v.x, a.y + q.w * v.y, a.z + q.w * v.z});
}

/* Half of the translation. */
PL_INLINE wide3 half_translation(wide4 real, wide4 dual)
{
    wide3 c = cross((wide3){real.x, real.y, real.z}, (wide3){dual.x, dual.y, dual.z});
    return (wide3){real.w * dual.x - dual.w * real.x + c.x, real.w * dual.y - dual.w * real.y + c.y,
                   real.w * dual.z - dual.w * real.z + c.z};
}

/* ---- Blending ---- */

/* A record of skin.h is 16 floats. */
PL_INLINE const float *numbers_of(const void *record)
{
    return record;
}

/* The weighted sum of one vertex's matrices: columns 0 and 1, columns 2 and 3. */
PL_INLINE void blend_columns(const pl_skin_columns *columns, const uint16_t *joints, const float *weights,
                             uint32_t count, eight *first, eight *second)
{
    const float *column = numbers_of(&columns[joints[0]]);
    *first = weighted8(weights[0], load_eight(column));
    *second = weighted8(weights[0], load_eight(column + 8));
    for (uint32_t i = 1; i < count; ++i)
    {
        column = numbers_of(&columns[joints[i]]);
        *first = add_weighted8(*first, weights[i], load_eight(column));
        *second = add_weighted8(*second, weights[i], load_eight(column + 8));
    }
}

/* The rows of a group's blended matrices, and their translations. */
PL_INLINE void blend_matrices(const pl_skin_columns *columns, const uint16_t *joints, const float *weights,
                              uint32_t count, wide3 m[3], wide3 *move)
{
    eight first[LANES], second[LANES];
    for (uint32_t v = 0; v < LANES; ++v)
    {
        blend_columns(columns, joints + v * count, weights + v * count, count, &first[v], &second[v]);
    }
    wide4 c0, c1, c2, c3;
    transpose_eights(first, &c0, &c1);
    transpose_eights(second, &c2, &c3);
    m[0] = (wide3){c0.x, c1.x, c2.x};
    m[1] = (wide3){c0.y, c1.y, c2.y};
    m[2] = (wide3){c0.z, c1.z, c2.z};
    *move = (wide3){c3.x, c3.y, c3.z};
}

/* The weighted sum, over each vertex's joints, of eight numbers that lie offset floats into a joint. */
PL_INLINE void blend_eights(const pl_skin_joint *joints, uint32_t offset, const uint16_t *indices, const float *weights,
                            uint32_t count, wide4 *first, wide4 *second)
{
    eight sums[LANES];
    for (uint32_t v = 0; v < LANES; ++v)
    {
        const uint16_t *index = indices + v * count;
        const float *weight = weights + v * count;
        sums[v] = weighted8(weight[0], load_eight(numbers_of(&joints[index[0]]) + offset));
        for (uint32_t i = 1; i < count; ++i)
        {
            sums[v] = add_weighted8(sums[v], weight[i], load_eight(numbers_of(&joints[index[i]]) + offset));
        }
    }
    transpose_eights(sums, first, second);
}

/* Influences first to first + 3 of the group's vertices. */
PL_INLINE wide4 load_weights(const float *weights, uint32_t count, uint32_t first)
{
    if (count == 4)
    {
        return load_fours(weights);
    }
    pl_f4 rows[LANES];
    for (uint32_t v = 0; v < LANES; ++v)
    {
        rows[v] = load_four(weights + v * count + first);
    }
    return transpose_fours(rows);
}

/* The real part of the joint with the largest weight. */
PL_INLINE wide4 largest_real(const wide4 *real, const wide *weight, uint32_t count)
{
    wide largest = weight[0];
    wide4 pivot = real[0];
    for (uint32_t i = 1; i < count; ++i)
    {
        mask larger = weight[i] > largest;
        largest = select_wide(larger, weight[i], largest);
        pivot = (wide4){select_wide(larger, real[i].x, pivot.x), select_wide(larger, real[i].y, pivot.y),
                        select_wide(larger, real[i].z, pivot.z), select_wide(larger, real[i].w, pivot.w)};
    }
    return pivot;
}

/* Like blend_eights of the dual quaternions, with antipodal signs. */
PL_INLINE void blend_signed(const pl_skin_joint *joints, const uint16_t *indices, const float *weights, uint32_t count,
                            wide4 *real_sum, wide4 *dual_sum)
{
    wide weight[8];
    wide4 real[8], dual[8];
    for (uint32_t i = 0; i < count; i += 4)
    {
        wide4 four = load_weights(weights, count, i);
        weight[i] = four.x;
        weight[i + 1] = four.y;
        weight[i + 2] = four.z;
        weight[i + 3] = four.w;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        eight rows[LANES];
        for (uint32_t v = 0; v < LANES; ++v)
        {
            rows[v] = load_eight(numbers_of(&joints[indices[v * count + i]]));
        }
        transpose_eights(rows, &real[i], &dual[i]);
    }
    wide4 pivot = largest_real(real, weight, count);
    wide signed_weight = negate_where(dot4(real[0], pivot) < 0, weight[0]);
    *real_sum = scaled(real[0], signed_weight);
    *dual_sum = scaled(dual[0], signed_weight);
    for (uint32_t i = 1; i < count; ++i)
    {
        signed_weight = negate_where(dot4(real[i], pivot) < 0, weight[i]);
        *real_sum = add_weighted(*real_sum, signed_weight, real[i]);
        *dual_sum = add_weighted(*dual_sum, signed_weight, dual[i]);
    }
}

PL_INLINE void find_stretch(const pl_skin_work *work, const uint16_t *indices, const float *weights, uint32_t count,
                            wide3 m[3])
{
    wide4 first, second; /* xx, xy, xz, yy; yz, zz */
    if (work->one_stretch)
    {
        const float *s = work->joints[0].stretch;
        first = (wide4){splat(s[0]), splat(s[1]), splat(s[2]), splat(s[3])};
        second = (wide4){splat(s[4]), splat(s[5]), splat(0), splat(0)};
    }
    else
    {
        blend_eights(work->joints, 8, indices, weights, count, &first, &second);
    }
    m[0] = (wide3){first.x, first.y, first.z};
    m[1] = (wide3){first.y, first.w, second.x};
    m[2] = (wide3){first.z, second.x, second.y};
}

/* ---- The loops. count and with_normals are constants at each call, so that each case becomes a loop of its own. ----
 */

/* Vertex by vertex: two columns a register leave nothing to transpose. */
PL_INLINE void lbs_positions(const pl_skin_work *work, uint32_t begin, uint32_t end, uint32_t count)
{
    const pleat_skin_job job = *work->job; /* copies: a store could change what work points to, for all C knows */
    const pl_skin_columns *columns = work->columns;
    for (uint32_t v = begin; v < end; ++v)
    {
        eight first, second;
        blend_columns(columns, job.joints + (size_t)v * count, job.weights + (size_t)v * count, count, &first, &second);
        pl_store(&job.out_positions[v], apply_columns(first, second, &job.positions[v]));
    }
}

PL_INLINE void lbs_with_normals(const pl_skin_work *work, uint32_t begin, uint32_t end, uint32_t count)
{
    const pleat_skin_job job = *work->job;
    uint32_t v = begin;
    for (; end - v >= LANES; v += LANES)
    {
        wide3 m[3], move;
        blend_matrices(work->columns, job.joints + (size_t)v * count, job.weights + (size_t)v * count, count, m, &move);
        wide3 p = load_vectors(job.positions + v);
        wide3 n = load_vectors(job.normals + v);
        store_vectors(job.out_positions + v, (wide3){(m[0].x * p.x + m[0].z * p.z) + (m[0].y * p.y + move.x),
                                                     (m[1].x * p.x + m[1].z * p.z) + (m[1].y * p.y + move.y),
                                                     (m[2].x * p.x + m[2].z * p.z) + (m[2].y * p.y + move.z)});
        store_vectors(job.out_normals + v, unit_or(apply_cofactors(m, n), n));
    }
    pl_skin_lbs_scalar(work, v, end);
}

PL_INLINE void dqs(const pl_skin_work *work, uint32_t begin, uint32_t end, uint32_t count, bool with_normals)
{
    const pleat_skin_job job = *work->job;
    uint32_t v = begin;
    for (; end - v >= LANES; v += LANES)
    {
        const uint16_t *indices = job.joints + (size_t)v * count;
        const float *weights = job.weights + (size_t)v * count;
        wide3 stretch[3];
        wide4 real, dual;
        find_stretch(work, indices, weights, count, stretch);
        if (work->one_side)
        {
            blend_eights(work->joints, 0, indices, weights, count, &real, &dual);
        }
        else
        {
            blend_signed(work->joints, indices, weights, count, &real, &dual);
        }
        wide squared = dot4(real, real);
        wide twice = (wide)((mask)(2.0f / squared) & (squared > PL_SKIN_SHORTEST));
        wide3 p = apply_linear(stretch, load_vectors(job.positions + v));
        wide3 r = half_rotation(real, p);
        wide3 t = half_translation(real, dual);
        store_vectors(job.out_positions + v,
                      (wide3){p.x + twice * (r.x + t.x), p.y + twice * (r.y + t.y), p.z + twice * (r.z + t.z)});
        if (with_normals)
        {
            wide3 n = load_vectors(job.normals + v);
            wide3 s = apply_cofactors(stretch, n);
            r = half_rotation(real, s);
            s = (wide3){s.x + twice * r.x, s.y + twice * r.y, s.z + twice * r.z};
            store_vectors(job.out_normals + v, unit_or(s, n));
        }
    }
    pl_skin_dqs_scalar(work, v, end);
}

void PL_WIDE(pl_skin_lbs)(const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    bool four = work->job->influence_count == 4;
    if (work->job->normals)
    {
        four ? lbs_with_normals(work, begin, end, 4) : lbs_with_normals(work, begin, end, 8);
    }
    else
    {
        four ? lbs_positions(work, begin, end, 4) : lbs_positions(work, begin, end, 8);
    }
}

void PL_WIDE(pl_skin_dqs)(const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    bool four = work->job->influence_count == 4;
    if (work->job->normals)
    {
        four ? dqs(work, begin, end, 4, true) : dqs(work, begin, end, 8, true);
    }
    else
    {
        four ? dqs(work, begin, end, 4, false) : dqs(work, begin, end, 8, false);
    }
}
