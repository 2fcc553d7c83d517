/* Polygons of a file as triangles. */
#ifndef PL_IO_MESH_POLYGON_H
#define PL_IO_MESH_POLYGON_H

#include "pleat/base.h"

/* Work left for polygons that are not convex, in tests of a point against a triangle. Shared by all polygons of a file,
 * so that no file can make reading it slow: when it is used up, polygons become fans. */
typedef struct pl_polygon_budget
{
    uint64_t tests;
    bool exhausted; /* a polygon that is not convex became a fan */
} pl_polygon_budget;

pl_polygon_budget pl_polygon_budget_default(void);

/* Cuts the polygon of vertices[0..count-1] (count at least 3; positions by vertex) into count - 2 triangles of
 * corner numbers (0..count-1), in the polygon's own order of turning. Convex ones become fans from corner 0, others are
 * clipped ear by ear. links: scratch, 2 x count. */
void pl_polygon_cut(const pleat_vec3 *positions, const uint32_t *vertices, uint32_t count, uint32_t *links,
                    uint32_t *triangles, pl_polygon_budget *budget);

#endif
