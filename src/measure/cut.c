/* The cut of a surface by a plane, edge by edge. Whether an edge crosses is decided by one bit for each vertex (on the
 * plane counts as above), so the cut never branches and never ends inside the surface, even where the plane runs
 * exactly through vertices and along edges. */
#include "measure/measure.h"

#include "mesh/corner.h"

static double height(const pl_cut *cut, uint32_t corner)
{
    const pleat_vec4 *p = &cut->positions[cut->topology->triangles[corner]];
    return cut->normal[0] * (double)p->x + cut->normal[1] * (double)p->y + cut->normal[2] * (double)p->z - cut->offset;
}

bool pl_cut_crosses(const pl_cut *cut, uint32_t corner)
{
    return (height(cut, corner) >= 0) != (height(cut, pl_corner_next(corner)) >= 0);
}

pleat_place pl_cut_place(const pl_cut *cut, uint32_t corner)
{
    double from = height(cut, corner), to = height(cut, pl_corner_next(corner));
    double t = from / (from - to);
    pleat_place place = {.triangle = corner / 3};
    place.barycentric[corner % 3] = (float)(1 - t);
    place.barycentric[pl_corner_next(corner) % 3] = (float)t;
    return place;
}

uint32_t pl_cut_follow(const pl_cut *cut, uint32_t corner, pleat_place *places)
{
    const pleat_topology *topology = cut->topology;
    uint32_t first = corner / 3, count = 0;
    while (count < topology->triangle_count)
    {
        uint32_t next = pl_corner_next(corner);
        uint32_t out = pl_cut_crosses(cut, next) ? next : pl_corner_next(next);
        places[count++] = pl_cut_place(cut, out);
        uint32_t twin = topology->twin[out];
        if (twin >= PLEAT_NON_MANIFOLD || twin / 3 == first)
        {
            break;
        }
        corner = twin;
    }
    return count;
}
