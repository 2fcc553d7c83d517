/* Triangles in pairs. With a and c the ends of the common edge of the triangles a b c and a c d, what both add to a
 * volume is that of a . ((c - a) x (d - b)): four points and one cross product for two triangles. */
#include "layers/volume/volume.h"

/* Where a triangle with this one as a neighbour stands: the corner of this one that owns the common edge, of the
 * neighbour that has the fewest others to pair with. */
static uint32_t best_edge(const pleat_topology *topology, const uint8_t *waits, uint32_t triangle)
{
    uint32_t best = PLEAT_NONE, fewest = 4;
    for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
    {
        uint32_t twin = topology->twin[corner], others = 0;
        if (twin >= PLEAT_NON_MANIFOLD || !waits[twin / 3] || twin / 3 == triangle)
        {
            continue;
        }
        for (uint32_t other = twin / 3 * 3; other < twin / 3 * 3 + 3; ++other)
        {
            uint32_t beyond = topology->twin[other];
            others += beyond < PLEAT_NON_MANIFOLD && waits[beyond / 3];
        }
        if (others < fewest)
        {
            fewest = others;
            best = corner;
        }
    }
    return best;
}

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

uint32_t pl_volume_pair(const pleat_topology *topology, const uint32_t *list, uint32_t count, uint8_t *waits,
                        uint32_t *quads, uint32_t *quad_of)
{
    const uint32_t *triangles = topology->triangles;
    uint32_t quad_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t t = list[i];
        if (!waits[t])
        {
            continue;
        }
        uint32_t edge = best_edge(topology, waits, t), *quad = quads + 4 * (size_t)quad_count;
        uint32_t corner = edge == PLEAT_NONE ? 3 * t : edge;
        waits[t] = 0;
        quad_of[t] = quad_count;
        quad[2] = triangles[corner];
        quad[0] = triangles[next_corner(corner)];
        quad[1] = triangles[next_corner(next_corner(corner))];
        quad[3] = quad[2]; /* alone: its other triangle is a line */
        if (edge != PLEAT_NONE)
        {
            uint32_t twin = topology->twin[edge];
            waits[twin / 3] = 0;
            quad_of[twin / 3] = quad_count;
            quad[3] = triangles[next_corner(next_corner(twin))];
        }
        ++quad_count;
    }
    return quad_count;
}
