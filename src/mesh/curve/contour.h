/* Level lines of a value over a surface. */
#ifndef PL_MESH_CURVE_CONTOUR_H
#define PL_MESH_CURVE_CONTOUR_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/mesh.h"

/* A level line: its crossings with edges, one after the other; the higher side lies to the left as seen from outside.
 * Crossing i + 1 lies in the same triangle as crossing i. A closed line does not repeat its first point. */
typedef struct pl_contour
{
    uint32_t point_count;
    pleat_place *points;
    bool closed;
} pl_contour;

typedef struct pl_contours
{
    uint32_t count;
    pl_contour *lines;
} pl_contours;

/* All lines where values (one per vertex, linear over triangles) pass the level, in the order of their first triangle.
 * Lines end at borders and non-manifold edges. Everything is allocated from the arena. */
pleat_result pl_contours_trace(const pleat_topology *topology, const float *values, float level, pl_arena *arena,
                               pl_contours *out, pleat_error *error);

/* The position of a place. */
pl_f4 pl_place_position(const pleat_topology *topology, const pleat_vec4 *positions, const pleat_place *place);

#endif
