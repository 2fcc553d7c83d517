/* One step of Loop subdivision as tables, and the kernels that apply them.
 *
 * A step reads the vertices of one level and writes those of the next; vertices keep their number and new ones follow.
 * Written out vertex by vertex, the rules read 4.75 vertices and 19 bytes of table for each vertex of a regular mesh.
 * But a mesh that was split before is regular inside what was split, and there many vertices read the same ones:
 *
 *   side: an edge a b of the level above with its middle m, and the middles of the edges at a and at b. The vertex m
 *   moves and both halves are split, 7 read and 3 written.
 *
 *            p --- r
 *           / \   / \
 *          a --- m --- b         middle: the inner edges of a triangle of the level above, 6 read and 3 written.
 *           \ /   \ /
 *            q --- s
 *
 *   patch: all that is new inside a triangle of two levels above, 15 read and 21 written.
 *
 *                       v2                 v   its corners
 *                     /    \               m   middles of its edges, m0 on v0 v1 and so on
 *                   h20 --- h11            h   quarters: h00 and h01 on v0 v1, h10 and h11 on v1 v2, h20 and h21
 *                  /  \    /  \            i   middles of its inner edges, i0 around v0 and so on
 *                m2 --- i2 --- m1
 *               /  \   /  \   /  \
 *            h21 --- i0 --- i1 --- h10
 *            /  \   /  \   /  \   /  \
 *          v0 --- h00 --- m0 --- h01 --- v1
 *
 *   strip: all that is new on an edge of two levels above, 13 read and 7 written.
 *
 * From the third step on that is 1.1 vertices and 4.4 bytes of table for each vertex written. What bounds the kernels
 * is memory: 16 bytes written (and fetched before, where they were not in cache) and the table; reads hit the cache. */
#ifndef PL_MESH_LOOP_STEP_H
#define PL_MESH_LOOP_STEP_H

#include "base/vec.h"
#include "base/wide.h"

typedef struct pl_loop_step
{
    uint32_t in_count;  /* vertices of the level */
    uint32_t out_count; /* vertices of the next one */

    /* v0 v1 v2, m0 m1 m2, h00 h10 h20 (behind each corner), h21 h01 h11 (before each corner), i0 i1 i2: writes the i,
     * and from patch_out + 18 n on six new vertices around each corner */
    uint32_t patch_count, patch_out;
    uint32_t (*patches)[15];

    /* a h0 m h1 b along the edge, then pairs on both sides of it: next to a, between h0 and m, between m and h1, next
     * to b; writes h0 m h1, and from strip_out + 4 n on the middles of the four quarters */
    uint32_t strip_count, strip_out;
    uint32_t (*strips)[13];

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

/* Vertices written by a block, about: 16 KiB. */
enum
{
    PL_LOOP_BLOCK = 1024
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
