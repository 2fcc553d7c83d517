/* The rules of Loop subdivision, spelled out: C. Loop, "Smooth subdivision surfaces based on triangles", 1987. These
 * functions are the definition; the wide kernels give the same bits, because the order of every sum is the same. */
#include "mesh/loop/step.h"

static float edge_rule(float a, float b, float c, float d)
{
    return 0.375f * (a + b) + 0.125f * (c + d);
}

static float ring_rule(float m, float a, float b, float p, float q, float r, float s)
{
    return 0.625f * m + 0.0625f * ((a + b) + ((p + q) + (r + s)));
}

static float in(const pl_loop_rows *rows, uint32_t vertex, uint32_t column)
{
    return rows->src[vertex * rows->src_stride + column];
}

static float *out(const pl_loop_rows *rows, uint32_t vertex, uint32_t column)
{
    return &rows->dst[vertex * rows->dst_stride + column];
}

static void do_patches(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t n = slice.begin; n < slice.end; ++n)
    {
        const uint32_t *row = step->patches[n];
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t after = (k + 1) % 3, before = (k + 2) % 3;
            float corner = in(rows, row[k], x);
            float m_after = in(rows, row[3 + k], x), m_before = in(rows, row[3 + before], x);
            float h_after = in(rows, row[6 + k], x), h_before = in(rows, row[9 + k], x);
            float i = in(rows, row[12 + k], x);
            float i_after = in(rows, row[12 + after], x), i_before = in(rows, row[12 + before], x);
            uint32_t first = step->patch_out + 18 * n + 6 * k;
            *out(rows, first, x) = edge_rule(h_after, h_before, corner, i);
            *out(rows, first + 1, x) = edge_rule(h_after, i, m_after, h_before);
            *out(rows, first + 2, x) = edge_rule(h_before, i, m_before, h_after);
            *out(rows, first + 3, x) = edge_rule(i, i_after, m_after, i_before);
            *out(rows, first + 4, x) = edge_rule(m_after, i, h_after, i_after);
            *out(rows, first + 5, x) = edge_rule(m_before, i, h_before, i_before);
            *out(rows, row[12 + k], x) = ring_rule(i, m_after, m_before, h_after, i_after, h_before, i_before);
        }
    }
}

static void do_strips(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t n = slice.begin; n < slice.end; ++n)
    {
        const uint32_t *row = step->strips[n];
        float line[5], beside[8];
        for (uint32_t k = 0; k < 5; ++k)
        {
            line[k] = in(rows, row[k], x);
        }
        for (uint32_t k = 0; k < 8; ++k)
        {
            beside[k] = in(rows, row[5 + k], x);
        }
        for (uint32_t k = 0; k < 4; ++k)
        {
            *out(rows, step->strip_out + 4 * n + k, x) =
                edge_rule(line[k], line[k + 1], beside[2 * k], beside[2 * k + 1]);
        }
        for (uint32_t k = 1; k < 4; ++k)
        {
            const float *b = beside + 2 * k;
            *out(rows, row[k], x) = ring_rule(line[k], line[k - 1], line[k + 1], b[-2], b[-1], b[0], b[1]);
        }
    }
}

static void do_sides(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = step->sides[i];
        float a = in(rows, row[0], x), b = in(rows, row[1], x), p = in(rows, row[2], x), q = in(rows, row[3], x);
        float r = in(rows, row[4], x), s = in(rows, row[5], x), m = in(rows, row[6], x);
        *out(rows, row[6], x) = ring_rule(m, a, b, p, q, r, s);
        *out(rows, step->side_out + 2 * i, x) = edge_rule(a, m, p, q);
        *out(rows, step->side_out + 2 * i + 1, x) = edge_rule(b, m, r, s);
    }
}

static void do_middles(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = step->middles[i];
        for (uint32_t k = 0; k < 3; ++k)
        {
            float after = in(rows, row[3 + k], x), before = in(rows, row[3 + (k + 2) % 3], x);
            float corner = in(rows, row[k], x), opposite = in(rows, row[3 + (k + 1) % 3], x);
            *out(rows, step->middle_out + 3 * i + k, x) = edge_rule(after, before, corner, opposite);
        }
    }
}

static void do_edges(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = step->edges[i];
        *out(rows, step->edge_out + i, x) =
            edge_rule(in(rows, row[0], x), in(rows, row[1], x), in(rows, row[2], x), in(rows, row[3], x));
    }
}

static void do_rings(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        const uint32_t *row = step->rings[i];
        *out(rows, row[6], x) =
            ring_rule(in(rows, row[6], x), in(rows, row[0], x), in(rows, row[1], x), in(rows, row[2], x),
                      in(rows, row[3], x), in(rows, row[4], x), in(rows, row[5], x));
    }
}

static void do_sums(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        float sum = 0;
        for (uint32_t j = step->sum_start[i]; j < step->sum_start[i + 1]; ++j)
        {
            sum += step->sum_weight[j] * in(rows, step->sum_index[j], x);
        }
        *out(rows, step->sum_vertex[i], x) = sum;
    }
}

static void do_copies(const pl_loop_step *step, const pl_loop_rows *rows, pl_loop_slice slice, uint32_t x)
{
    for (uint32_t i = slice.begin; i < slice.end; ++i)
    {
        for (uint32_t v = step->copies[i][0]; v < step->copies[i][1]; ++v)
        {
            *out(rows, v, x) = in(rows, v, x);
        }
    }
}

void pl_loop_kernel_scalar(const pl_loop_step *step, const pl_loop_rows *rows, uint32_t block_begin, uint32_t block_end)
{
    for (uint32_t x = 0; x < rows->columns; ++x)
    {
        do_patches(step, rows, pl_loop_slice_of(step, step->patch_count, block_begin, block_end), x);
        do_strips(step, rows, pl_loop_slice_of(step, step->strip_count, block_begin, block_end), x);
        do_sides(step, rows, pl_loop_slice_of(step, step->side_count, block_begin, block_end), x);
        do_middles(step, rows, pl_loop_slice_of(step, step->middle_count, block_begin, block_end), x);
        do_edges(step, rows, pl_loop_slice_of(step, step->edge_count, block_begin, block_end), x);
        do_rings(step, rows, pl_loop_slice_of(step, step->ring_count, block_begin, block_end), x);
        do_sums(step, rows, pl_loop_slice_of(step, step->sum_count, block_begin, block_end), x);
        do_copies(step, rows, pl_loop_slice_of(step, step->copy_count, block_begin, block_end), x);
    }
}
