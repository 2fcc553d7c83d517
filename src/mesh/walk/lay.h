/* A triangle laid flat into the plane, and its frame in space; in double. */
#ifndef PL_MESH_WALK_LAY_H
#define PL_MESH_WALK_LAY_H

#include "base/vec.h"
#include "mesh/corner.h"

/* Corner 0 is at 0, corner 1 at (length, 0), corner 2 at (x, y), y > 0. */
typedef struct pl_laid
{
    uint32_t corner; /* of the mesh, the one at 0 */
    double length;
    double x, y;
} pl_laid;

/* Unit vectors of a triangle: its first edge, to the left of it in the plane, and the normal. */
typedef struct pl_frame
{
    double along[3];
    double side[3];
    double normal[3];
} pl_frame;

PL_INLINE double pl_dot_d(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PL_INLINE void pl_cross_d(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The two edges that leave a corner: to the next and to the previous one. */
PL_INLINE void pl_edges_at(const uint32_t *triangles, const pleat_vec4 *positions, uint32_t corner, double next[3],
                           double previous[3])
{
    const pleat_vec4 *a = &positions[triangles[corner]];
    const pleat_vec4 *b = &positions[triangles[pl_corner_next(corner)]];
    const pleat_vec4 *c = &positions[triangles[pl_corner_previous(corner)]];
    next[0] = (double)b->x - (double)a->x;
    next[1] = (double)b->y - (double)a->y;
    next[2] = (double)b->z - (double)a->z;
    previous[0] = (double)c->x - (double)a->x;
    previous[1] = (double)c->y - (double)a->y;
    previous[2] = (double)c->z - (double)a->z;
}

/* False where all three corners fall together or are not finite. A triangle without area gets 1e-10 of its size as the
 * height or edge that it lacks. */
PL_INLINE bool pl_lay(const uint32_t *triangles, const pleat_vec4 *positions, uint32_t corner, pl_laid *laid)
{
    double next[3], previous[3], area[3];
    pl_edges_at(triangles, positions, corner, next, previous);
    double length = sqrt(pl_dot_d(next, next));
    double size = length + sqrt(pl_dot_d(previous, previous));
    if (!(size > 0 && size < INFINITY))
    {
        return false;
    }
    double least = 1e-10 * size;
    laid->corner = corner;
    if (length < least)
    {
        *laid = (pl_laid){corner, least, 0, size};
        return true;
    }
    pl_cross_d(next, previous, area);
    laid->length = length;
    laid->x = pl_dot_d(next, previous) / length;
    laid->y = sqrt(pl_dot_d(area, area)) / length;
    laid->y = laid->y > least ? laid->y : least;
    return true;
}

/* The angle at corner 0. */
PL_INLINE double pl_laid_angle(const pl_laid *laid)
{
    return atan2(laid->y, laid->x);
}

/* The corner of the mesh that laid corner i is. */
PL_INLINE uint32_t pl_laid_corner(const pl_laid *laid, int i)
{
    return i == 0 ? laid->corner : i == 1 ? pl_corner_next(laid->corner) : pl_corner_previous(laid->corner);
}

/* The unit vector along the edge that laid corner i owns; the triangle lies to its left. */
PL_INLINE void pl_laid_edge(const pl_laid *laid, int i, double *x, double *y)
{
    double edge_x = i == 0 ? 1 : i == 1 ? laid->x - laid->length : -laid->x;
    double edge_y = i == 0 ? 0 : i == 1 ? laid->y : -laid->y;
    double size = sqrt(edge_x * edge_x + edge_y * edge_y);
    *x = edge_x / size;
    *y = edge_y / size;
}

/* False for a triangle that is flat to the tenth digit; the frame is then some frame along its longest edge. */
bool pl_frame_of(const uint32_t *triangles, const pleat_vec4 *positions, uint32_t corner, pl_frame *frame);

#endif
