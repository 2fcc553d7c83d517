/* The tree inside: four-wide nodes over blocks of four triangles.
 *
 * Nodes lie in depth-first order (a node before its children, a subtree in one run), and so do the blocks of its
 * leaves: a subtree is refitted by going through its run backwards.
 *
 * Results must not depend on the tree. For that, every measure of a triangle is held inside the same measure of its
 * bounding box, computed by the same operations in the same order. Rounding is monotone, so the boxes above, which are
 * larger, measure no worse in floating point too, and nothing that would win or tie is ever pruned. */
#ifndef PL_MESH_BVH_BVH_H
#define PL_MESH_BVH_BVH_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/mesh.h"

enum
{
    PL_BVH_WIDTH = 4,
    PL_BVH_STACK = 256 /* nodes put aside: at most 3 a level, and the build keeps within 72 levels */
};

#define PL_BVH_LEAF 0x80000000u /* in child: the rest is a block */
#define PL_BVH_EMPTY UINT32_MAX /* in child: nothing there; its box is inside out */

typedef struct pl_bvh_node
{
    pl_f4 bounds[6]; /* low x, y, z, then high x, y, z; one lane a child */
    uint32_t child[PL_BVH_WIDTH];
    uint32_t last_block[PL_BVH_WIDTH]; /* of the child's run */
} pl_bvh_node;

/* Four triangles. Lanes to spare repeat the one in lane 0. */
typedef struct pl_bvh_block
{
    pl_f4 corner[3][3]; /* by corner and axis */
    uint32_t triangle[PL_BVH_WIDTH];
} pl_bvh_block;

typedef struct pl_bvh_corners
{
    uint32_t vertex[3][PL_BVH_WIDTH];
} pl_bvh_corners;

/* A run of nodes, begin..end-1. */
typedef struct pl_bvh_run
{
    uint32_t begin;
    uint32_t end;
} pl_bvh_run;

struct pleat_bvh
{
    pl_memory memory;
    pl_bvh_node *nodes; /* [0] is the root; none for an empty tree */
    pl_bvh_block *blocks;
    pl_bvh_corners *corners; /* vertices of each block */
    pl_bvh_run *runs;        /* small subtrees, refitted in parallel */
    uint32_t *top;           /* the nodes above them, in rising order */
    pl_f4 low;               /* of everything */
    pl_f4 high;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t run_count;
    uint32_t top_count;
    uint32_t triangle_count;
};

/* True for a lane that repeats lane 0. */
PL_INLINE bool pl_bvh_spare(const pl_bvh_block *block, uint32_t lane)
{
    return lane > 0 && block->triangle[lane] == block->triangle[0];
}

/* Corner k of the triangle in a lane. */
PL_INLINE pl_f4 pl_bvh_corner(const pl_bvh_block *block, uint32_t k, uint32_t lane)
{
    return pl_set(block->corner[k][0][lane], block->corner[k][1][lane], block->corner[k][2][lane], 0);
}

/* What is counted of crossings. */
typedef struct pl_bvh_tally
{
    uint32_t *counts;       /* by triangle: one more for each pair that it is in */
    const uint32_t *groups; /* by triangle: pairs of one group do not count, */
    const uint8_t *lenient; /* by group: where this is set */
} pl_bvh_tally;
/* Pairs of triangles of two blocks, or of one with itself, that cross: as pleat_bvh_crossings within one tree. */
uint64_t pl_bvh_block_crossings(const pl_bvh_block *a, const pl_bvh_block *b, const pl_bvh_tally *tally);

/* The empty answer. */
PL_INLINE pleat_hit pl_bvh_no_hit(void)
{
    return (pleat_hit){.triangle = PLEAT_NONE, .distance = INFINITY};
}

#endif
