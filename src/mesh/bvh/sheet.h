/* Cloth whose vertices move a little: how many of its triangles cross before and after.
 *
 * Triangles next to each other touch everywhere, and comparing them is what counting crossings takes longest for. But a
 * piece of cloth whose triangles all face one way does not cross itself: it lies over a plane. So of every part of a
 * tree it is known which way its triangles face, and where it lies at rest; parts of one shell that touch at rest and
 * face one way together are not compared. (P. Volino, N. Magnenat-Thalmann, "Efficient self-collision detection on
 * smoothly discretized surface animations using geometrical shape regularity", 1994. As usual, that the border of the
 * piece does not cross itself is taken for granted.) Nor are parts of which neither has moved. */
#ifndef PL_MESH_BVH_SHEET_H
#define PL_MESH_BVH_SHEET_H

#include "mesh/bvh/bvh.h"

/* Parts of a node, one lane a child: where they are now, and which way they face. */
typedef struct pl_bvh_parts
{
    pl_f4 bounds[6]; /* low x, y, z, then high x, y, z */
    pl_f4 turns[6];  /* the same of their normals, each so long that its largest component is 1 or -1 */
} pl_bvh_parts;

/* The same at rest. */
typedef struct pl_bvh_origin
{
    pl_f4 bounds[6];
    pl_f4 shells[2]; /* the lowest and highest number of a shell */
} pl_bvh_origin;

typedef struct pl_bvh_sheet
{
    pleat_bvh *bvh; /* of which the shape of the tree is used, and not its boxes */
    pl_bvh_origin *origins;
    pl_bvh_parts *parts;
    uint8_t *moved;      /* by node: lanes with a vertex that moves */
    uint8_t *moved_runs; /* by run of the tree: any of that */
    const pleat_vec4 *positions;
} pl_bvh_sheet;

typedef struct pl_bvh_sheet_desc
{
    uint32_t vertex_count;
    const pleat_vec4 *rest;
    uint32_t triangle_count;
    const uint32_t *triangles; /* #T by 3 */
    const uint32_t *shells;    /* #T: the piece of cloth that it belongs to */
} pl_bvh_sheet_desc;

/* Valid as long as the arena; the tree is the caller's to destroy, after a failure too. */
pleat_result pl_bvh_sheet_make(const pl_bvh_sheet_desc *desc, pl_arena *arena, const pleat_host *host,
                               pl_bvh_sheet *out, pleat_error *error);
/* Says which vertices move: those with a way above 0. Returns false if none does. */
bool pl_bvh_sheet_move(const pl_bvh_sheet *sheet, const float *ways);
/* New positions, which stay the caller's; of moved vertices alone, if all others are where they were. */
void pl_bvh_sheet_refit(pl_bvh_sheet *sheet, const pleat_vec4 *positions, bool moved_only, const pleat_tasks *tasks);
/* Pairs of triangles that cross, as pleat_bvh_crossings; pairs of blocks in which nothing has moved are left out.
 * Adds to the tally. Never allocates. */
uint64_t pl_bvh_sheet_crossings(const pl_bvh_sheet *sheet, const pl_bvh_tally *tally);

#endif
