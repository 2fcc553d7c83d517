/* Paths: their nodes in space, lengths along them. */
#include "layers/live/live.h"

#include <string.h>

void pl_live_corners(const pleat_live *live, uint32_t triangle, pl_f4 corner[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        corner[k] = pl_load(&live->now[live->topology->triangles[3 * (size_t)triangle + k]]);
    }
}

pl_f4 pl_live_normal(const pleat_live *live, uint32_t triangle)
{
    pl_f4 x[3];
    pl_live_corners(live, triangle, x);
    return pl_cross(x[1] - x[0], x[2] - x[0]);
}

bool pl_live_open(const pleat_live *live, uint32_t triangle)
{
    const uint32_t *corner = live->topology->triangles + 3 * (size_t)triangle;
    return !live->mask || live->mask[corner[0]] + live->mask[corner[1]] + live->mask[corner[2]] > 0;
}

pl_f4 pl_live_node_place(const pleat_live *live, pl_live_node node)
{
    const pleat_topology *topology = live->topology;
    uint32_t corner = topology->edge_corner[node.edge], other = corner % 3 == 2 ? corner - 2 : corner + 1;
    return pl_lerp(pl_load(&live->now[topology->triangles[corner]]), pl_load(&live->now[topology->triangles[other]]),
                   node.t);
}

float pl_live_measure(const pleat_live *live, const pl_live_path *path, pl_f4 *at, float *arc)
{
    float length = 0;
    for (uint32_t i = 0; i < path->count; ++i)
    {
        at[i] = pl_live_node_place(live, path->nodes[i]);
        length += i ? pl_length3(at[i] - at[i - 1]) : 0;
        arc[i] = length;
    }
    return length;
}

float pl_live_arc_at(const pl_live_path *path, const float *arc, float pieces)
{
    float last = (float)(path->count - 1);
    if (!(pieces > 0))
    {
        return arc[0];
    }
    if (!(pieces < last))
    {
        return arc[path->count - 1];
    }
    uint32_t i = (uint32_t)pieces;
    return arc[i] + (arc[i + 1] - arc[i]) * (pieces - (float)i);
}

float pl_live_pieces_at(const pl_live_path *path, const float *arc, float length)
{
    uint32_t i = 0;
    if (!(length > 0))
    {
        return 0;
    }
    while (i + 1 < path->count && arc[i + 1] < length)
    {
        ++i;
    }
    if (i + 1 == path->count)
    {
        return (float)i;
    }
    float piece = arc[i + 1] - arc[i];
    return (float)i + (piece > 0 ? (length - arc[i]) / piece : 0);
}

void pl_live_drop(pl_live_path *path, uint32_t front, uint32_t back)
{
    path->count -= front + back;
    memmove(path->nodes, path->nodes + front, path->count * sizeof *path->nodes);
    memmove(path->triangles, path->triangles + front, path->count * sizeof *path->triangles);
    float last = (float)(path->count - 1);
    path->begin = fminf(fmaxf(path->begin - (float)front, 0), last);
    path->end = fminf(fmaxf(path->end - (float)front, 0), last);
    path->lowest -= (float)front;
    path->uppermost -= (float)front;
}
