/* The cubic patches over coarse triangles: how far they lie off the flat ones, as sums of coarse points.
 *
 * A patch is a Bezier triangle, as PN triangles are (Vlachos et al., Curved PN Triangles, 2001): an edge from i to j
 * has two control points, a third of the way from each end, and the one at i lies off the edge by -W/3, W the part of
 * the edge along the normal at i. PN triangles take the normals of each frame, which spring where cloth is crushed.
 * Here W is g D instead, with D the turn of the line that comes straight through i, from q on the far side of its ring,
 * on to j:
 *
 *     D = (j - i) / |j - i| + (q - i) / |q - i|        lengths at rest
 *
 * which points along the normal, is linear in the points, and grows as the cloth bends. g is chosen so that the patch
 * at rest is that of the normals. Edges that must stay lines have no control points of their own. */
#ifndef PL_MESH_REFINE_CURVE_H
#define PL_MESH_REFINE_CURVE_H

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/refine/keep.h"

/* Offset of a control point: the sum of four coarse points by weights that add up to 0. */
typedef struct pl_control
{
    uint32_t vertex[4];
    float weight[4];
} pl_control;

/* Those of an edge. */
typedef uint32_t pl_control_pair[2];

typedef struct pl_curve
{
    uint32_t control_count;
    pl_control *controls;
    pl_control_pair *edge_controls; /* by corner of the coarse mesh: at its vertex, and at the other end of its edge;
                                     PLEAT_NONE: the edge is straight there */
} pl_curve;

/* Controls of the coarse triangles that are marked (#T bytes). */
pleat_result pl_curve_make(const pl_keep_desc *desc, const uint8_t *marked, pl_memory *memory, pl_curve *out,
                           pleat_error *error);
void pl_curve_free(pl_memory *memory, pl_curve *curve);

/* The controls that move a place of a coarse triangle, and how much. Returns how many, at most six. */
uint32_t pl_curve_at(const pl_curve *curve, uint32_t coarse_triangle, const float barycentric[3], uint32_t *controls,
                     float *weights);

#endif
