/* One step of Loop subdivision as tables, and the kernels that apply them.
 *
 * A step reads the vertices of one level and writes those of the next; vertices keep their number and new ones follow.
 * Beside the plain rules there are two that share their reads. In a mesh that was split before, each edge of the
 * parent level (a b, with the vertex m on its middle) has two halves that split again and a vertex that moves, and all
 * three read the same seven vertices; each parent triangle has three inner edges that read the same six. On a
 * regular mesh that is 2.2 reads for each vertex written instead of 4.75, and 9 bytes of table instead of 19.
 *
 *            p --- r
 *           / \   / \             a, b   ends of the parent edge, m its middle
 *          a --- m --- b          p, q   middles of the parent's edges at a, on both sides
 *           \ /   \ /             r, s   middles of the parent's edges at b
 *            q --- s
 *
 * What bounds the kernels is bytes: each vertex costs 16 written and about 10 of table, the reads come from cache. */
#ifndef PL_LOOP_STEP_H
#define PL_LOOP_STEP_H

#include "base/vec.h"
#include "base/wide.h"

typedef struct pl_loop_step
{
    uint32_t in_count;  /* vertices of the level */
    uint32_t out_count; /* vertices of the next one */

    /* a b p q r s m: writes m, the middle of a m to side_out + 2 i, and that of m b to side_out + 2 i + 1 */
    uint32_t side_count, side_out;
    uint32_t (*sides)[7];

    /* Corners 0 1 2 of a parent triangle, middles of its edges 01 12 20: writes the middles of the three inner edges,
     * the one around corner k to middle_out + 3 i + k */
    uint32_t middle_count, middle_out;
    uint32_t (*middles)[6];

    /* Ends a b and the vertices c d opposite: writes the edge's middle to edge_out + i */
    uint32_t edge_count, edge_out;
    uint32_t (*edges)[4];

    /* Six neighbours as a b p q r s above and the vertex m, which it writes */
    uint32_t ring_count;
    uint32_t (*rings)[7];

    /* Everything else: sum_vertex[i] is the sum of sum_weight[j] times vertex sum_index[j], j from sum_start[i] on */
    uint32_t sum_count;
    uint32_t *sum_vertex;
    uint32_t *sum_start; /* sum_count + 1 */
    uint32_t *sum_index;
    float *sum_weight;

    /* Runs of vertices that stay: begin, end */
    uint32_t copy_count;
    uint32_t (*copies)[2];

    uint32_t block_count; /* block b of them does the b-th part of every list above */
} pl_loop_step;

/* Rows per block of the longest list: some 12 KiB of results. */
enum
{
    PL_LOOP_BLOCK = 128
};

/* Rows of floats. src and dst do not overlap. */
typedef struct pl_loop_rows
{
    const float *src;
    float *dst;
    size_t src_stride; /* in floats */
    size_t dst_stride;
    uint32_t columns; /* 1..4 */
} pl_loop_rows;

typedef struct pl_loop_slice
{
    uint32_t begin, end;
} pl_loop_slice;

/* The part of a list of count rows that blocks begin..end do. */
PL_INLINE pl_loop_slice pl_loop_slice_of(const pl_loop_step *step, uint32_t count, uint32_t begin, uint32_t end)
{
    return (pl_loop_slice){(uint32_t)((uint64_t)count * begin / step->block_count),
                           (uint32_t)((uint64_t)count * end / step->block_count)};
}

typedef void pl_loop_kernel(const pl_loop_step *step, const pl_loop_rows *rows, uint32_t block_begin,
                            uint32_t block_end);

/* The definition, for any number of columns. */
pl_loop_kernel pl_loop_kernel_scalar;
/* Four columns at a time, the same bits; avx2 exists only where pl_has_avx2 can be true. */
pl_loop_kernel pl_loop_kernel_base;
pl_loop_kernel pl_loop_kernel_avx2;

#endif
