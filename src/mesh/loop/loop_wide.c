/* The rules of loop/scalar.c on four columns at once. The functions are inlined twice: for packed rows of four, where
 * an index becomes an address by a shift, and for any stride. */
#include "mesh/loop/step.h"

/* Rows of any stride start anywhere. */
typedef float loose_f4 __attribute__((vector_size(16), aligned(4), may_alias));

PL_INLINE pl_f4 in(const float *src, size_t stride, uint32_t vertex)
{
    return *(const loose_f4 *)(src + vertex * stride);
}

PL_INLINE void out(float *dst, size_t stride, uint32_t vertex, pl_f4 value)
{
    *(loose_f4 *)(dst + vertex * stride) = value;
}

/* Asks for memory that will be needed soon: a cold cache line takes as long as several rows (with cold caches a quarter
 * of the time is saved). The addresses may lie past the end of an array, so they are numbers. */
enum
{
    AHEAD = 8,      /* patches */
    AHEAD_LINES = 5 /* that a patch's 18 new vertices can touch */
};

PL_INLINE void expect_rows(const uint32_t *row, size_t width, size_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)row + ahead * width * sizeof *row));
}

PL_INLINE void expect_writes(float *dst, size_t stride, uint32_t vertex, uint32_t line_count)
{
    for (uint32_t i = 0; i < line_count; ++i)
    {
        __builtin_prefetch((const void *)((uintptr_t)dst + (vertex * stride + 16 * i) * sizeof *dst), 1);
    }
}

PL_INLINE pl_f4 edge_rule(pl_f4 a, pl_f4 b, pl_f4 cd)
{
    return pl_splat(0.375f) * (a + b) + pl_splat(0.125f) * cd;
}

PL_INLINE pl_f4 ring_rule(pl_f4 m, pl_f4 ab, pl_f4 pq, pl_f4 rs)
{
    return pl_splat(0.625f) * m + pl_splat(0.0625f) * (ab + (pq + rs));
}

/* A patch, with what its corners share. */
typedef struct patch
{
    const float *src;
    size_t in_stride, out_stride;
    float *dst;
    const uint32_t *row;
    uint32_t first;
    pl_f4 m[3], i[3];
} patch;

/* Corner k; a constant. */
PL_INLINE void do_patch_corner(const patch *p, uint32_t k)
{
    const float *src = p->src;
    float *dst = p->dst;
    size_t in_stride = p->in_stride, out_stride = p->out_stride;
    const uint32_t *row = p->row, after = (k + 1) % 3, before = (k + 2) % 3;
    pl_f4 m_after = p->m[k], m_before = p->m[before], i = p->i[k], i_after = p->i[after], i_before = p->i[before];
    pl_f4 corner = in(src, in_stride, row[k]);
    pl_f4 h_after = in(src, in_stride, row[6 + k]), h_before = in(src, in_stride, row[9 + k]);
    pl_f4 pair_after = h_after + i_after, pair_before = h_before + i_before;
    uint32_t inner = row[12 + k], first = p->first + 6 * k;
    out(dst, out_stride, first, edge_rule(h_after, h_before, corner + i));
    out(dst, out_stride, first + 1, edge_rule(h_after, i, m_after + h_before));
    out(dst, out_stride, first + 2, edge_rule(h_before, i, m_before + h_after));
    out(dst, out_stride, first + 3, edge_rule(i, i_after, m_after + i_before));
    out(dst, out_stride, first + 4, edge_rule(m_after, i, pair_after));
    out(dst, out_stride, first + 5, edge_rule(m_before, i, pair_before));
    out(dst, out_stride, inner, ring_rule(i, m_after + m_before, pair_after, pair_before));
}

PL_INLINE void do_patches(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                          pl_loop_slice slice)
{
    const uint32_t(*rows)[15] = step->patches;
    uint32_t first = step->patch_out;
    for (uint32_t n = slice.begin; n < slice.end; ++n)
    {
        const uint32_t *row = rows[n];
        expect_rows(row, 15, 2 * AHEAD);
        expect_writes(dst, out_stride, first + 18 * (n + AHEAD), AHEAD_LINES);
        const patch p = {.src = src,
                         .in_stride = in_stride,
                         .out_stride = out_stride,
                         .dst = dst,
                         .row = row,
                         .first = first + 18 * n,
                         .m = {in(src, in_stride, row[3]), in(src, in_stride, row[4]), in(src, in_stride, row[5])},
                         .i = {in(src, in_stride, row[12]), in(src, in_stride, row[13]), in(src, in_stride, row[14])}};
        do_patch_corner(&p, 0);
        do_patch_corner(&p, 1);
        do_patch_corner(&p, 2);
    }
}

PL_INLINE void do_strips(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                         pl_loop_slice slice)
{
    const uint32_t(*rows)[13] = step->strips;
    uint32_t first = step->strip_out;
    for (uint32_t n = slice.begin; n < slice.end; ++n)
    {
        const uint32_t *row = rows[n];
        expect_rows(row, 13, 2 * AHEAD);
        expect_writes(dst, out_stride, first + 4 * (n + 3 * AHEAD), 1);
        pl_f4 a = in(src, in_stride, row[0]), h0 = in(src, in_stride, row[1]), m = in(src, in_stride, row[2]);
        pl_f4 h1 = in(src, in_stride, row[3]), b = in(src, in_stride, row[4]);
        pl_f4 at_a = in(src, in_stride, row[5]) + in(src, in_stride, row[6]);
        pl_f4 before = in(src, in_stride, row[7]) + in(src, in_stride, row[8]);
        pl_f4 behind = in(src, in_stride, row[9]) + in(src, in_stride, row[10]);
        pl_f4 at_b = in(src, in_stride, row[11]) + in(src, in_stride, row[12]);
        uint32_t line[3] = {row[1], row[2], row[3]};
        out(dst, out_stride, first + 4 * n, edge_rule(a, h0, at_a));
        out(dst, out_stride, first + 4 * n + 1, edge_rule(h0, m, before));
        out(dst, out_stride, first + 4 * n + 2, edge_rule(m, h1, behind));
        out(dst, out_stride, first + 4 * n + 3, edge_rule(h1, b, at_b));
        out(dst, out_stride, line[0], ring_rule(h0, a + m, at_a, before));
        out(dst, out_stride, line[1], ring_rule(m, h0 + h1, before, behind));
        out(dst, out_stride, line[2], ring_rule(h1, m + b, behind, at_b));
    }
}

PL_INLINE void do_sides(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                        pl_loop_slice slice)
{
    const uint32_t(*rows)[7] = step->sides;
    uint32_t first = step->side_out;
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = rows[i];
        pl_f4 a = in(src, in_stride, row[0]), b = in(src, in_stride, row[1]), m = in(src, in_stride, row[6]);
        pl_f4 pq = in(src, in_stride, row[2]) + in(src, in_stride, row[3]);
        pl_f4 rs = in(src, in_stride, row[4]) + in(src, in_stride, row[5]);
        uint32_t middle = row[6];
        out(dst, out_stride, middle, ring_rule(m, a + b, pq, rs));
        out(dst, out_stride, first + 2 * i, edge_rule(a, m, pq));
        out(dst, out_stride, first + 2 * i + 1, edge_rule(b, m, rs));
    }
}

PL_INLINE void do_middles(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                          pl_loop_slice slice)
{
    const uint32_t(*rows)[6] = step->middles;
    uint32_t first = step->middle_out;
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = rows[i];
        pl_f4 m0 = in(src, in_stride, row[3]), m1 = in(src, in_stride, row[4]), m2 = in(src, in_stride, row[5]);
        pl_f4 v0 = in(src, in_stride, row[0]), v1 = in(src, in_stride, row[1]), v2 = in(src, in_stride, row[2]);
        out(dst, out_stride, first + 3 * i, edge_rule(m0, m2, v0 + m1));
        out(dst, out_stride, first + 3 * i + 1, edge_rule(m1, m0, v1 + m2));
        out(dst, out_stride, first + 3 * i + 2, edge_rule(m2, m1, v2 + m0));
    }
}

PL_INLINE void do_edges(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                        pl_loop_slice slice)
{
    const uint32_t(*rows)[4] = step->edges;
    uint32_t first = step->edge_out;
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = rows[i];
        pl_f4 cd = in(src, in_stride, row[2]) + in(src, in_stride, row[3]);
        out(dst, out_stride, first + i, edge_rule(in(src, in_stride, row[0]), in(src, in_stride, row[1]), cd));
    }
}

PL_INLINE void do_rings(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                        pl_loop_slice slice)
{
    const uint32_t(*rows)[7] = step->rings;
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = rows[i];
        pl_f4 ab = in(src, in_stride, row[0]) + in(src, in_stride, row[1]);
        pl_f4 pq = in(src, in_stride, row[2]) + in(src, in_stride, row[3]);
        pl_f4 rs = in(src, in_stride, row[4]) + in(src, in_stride, row[5]);
        out(dst, out_stride, row[6], ring_rule(in(src, in_stride, row[6]), ab, pq, rs));
    }
}

PL_INLINE void do_sums(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                       pl_loop_slice slice)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        pl_f4 sum = pl_splat(0);
        for (uint32_t j = step->sum_start[i]; j < step->sum_start[i + 1]; ++j)
        {
            sum += pl_splat(step->sum_weight[j]) * in(src, in_stride, step->sum_index[j]);
        }
        out(dst, out_stride, step->sum_vertex[i], sum);
    }
}

PL_INLINE void do_copies(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                         pl_loop_slice slice)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        for (uint32_t v = step->copies[i][0]; v < step->copies[i][1]; ++v)
        {
            out(dst, out_stride, v, in(src, in_stride, v));
        }
    }
}

PL_INLINE void do_blocks(const pl_loop_step *step, const float *src, size_t in_stride, float *dst, size_t out_stride,
                         uint32_t begin, uint32_t end)
{
    do_patches(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->patch_count, begin, end));
    do_strips(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->strip_count, begin, end));
    do_sides(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->side_count, begin, end));
    do_middles(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->middle_count, begin, end));
    do_edges(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->edge_count, begin, end));
    do_rings(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->ring_count, begin, end));
    do_sums(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->sum_count, begin, end));
    do_copies(step, src, in_stride, dst, out_stride, pl_loop_slice_of(step, step->copy_count, begin, end));
}

/* List by list, not block by block: with cold caches long streams give 1.4 times the speed, which is more than finding
 * the last list's reads in cache. */
void PL_WIDE(pl_loop_kernel)(const pl_loop_step *step, const pl_loop_rows *rows, uint32_t block_begin,
                             uint32_t block_end)
{
    if (rows->src_stride == 4 && rows->dst_stride == 4)
    {
        do_blocks(step, rows->src, 4, rows->dst, 4, block_begin, block_end);
    }
    else
    {
        do_blocks(step, rows->src, rows->src_stride, rows->dst, rows->dst_stride, block_begin, block_end);
    }
}
