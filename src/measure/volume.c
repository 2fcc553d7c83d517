/* Area and volume, shell by shell. The volume of a closed shell is the sum of the signed tetrahedra that its triangles
 * span with any point; a vertex of the shell is taken, so that a shell far from the origin loses no digits. A border is
 * closed by triangles from its edges, turned round, to its centre. The half edges without a twin of any shell form
 * closed loops: around a vertex each fan of triangles has one that comes in and one that goes out. */
#include "measure/measure.h"

#include "mesh/corner.h"

#include <math.h>

static bool on_border(const pleat_topology *topology, uint32_t corner)
{
    return topology->corner_edge[corner] != PLEAT_NONE && topology->twin[corner] >= PLEAT_NON_MANIFOLD;
}

/* The border edge that follows: around the vertex where the corner's edge ends, through the fan. */
static uint32_t next_on_border(const pleat_topology *topology, uint32_t corner)
{
    uint32_t at = pl_corner_next(corner);
    while (!on_border(topology, at))
    {
        at = pl_corner_next(topology->twin[at]);
    }
    return at;
}

static void trace_borders(pl_volume_part *part, uint8_t *seen)
{
    const pleat_topology *topology = part->topology;
    uint32_t corner_count = 3 * topology->triangle_count;
    uint32_t filled = 0;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        if (seen[c] || !on_border(topology, c))
        {
            continue;
        }
        pl_border *border = &part->borders[part->border_count++];
        *border = (pl_border){part->triangle_shell[c / 3], filled, 0};
        for (uint32_t at = c; !seen[at]; at = next_on_border(topology, at))
        {
            seen[at] = 1;
            part->border_corners[filled++] = at;
        }
        border->count = filled - border->first;
        ++part->shells[border->shell].border_count;
    }
}

static uint32_t count_border_edges(const pleat_topology *topology)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        count += on_border(topology, c);
    }
    return count;
}

static void find_signs(pl_volume_part *part, const pleat_vec4 *rest)
{
    pleat_figures unused = {0};
    pl_volume_part_update(part, rest, &unused);
    for (uint32_t s = 0; s < part->shell_count; ++s)
    {
        part->shell_sign[s] = part->shells[s].volume < 0 ? -1 : 1;
    }
    pl_volume_part_update(part, rest, &unused);
    for (uint32_t s = 0; s < part->shell_count; ++s)
    {
        part->shells[s].rest_area = part->shells[s].area;
        part->shells[s].rest_volume = part->shells[s].volume;
    }
}

pleat_result pl_volume_part_create(pl_volume_part *part, const pleat_topology *topology, const pleat_vec4 *rest,
                                   pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    part->topology = topology;
    uint32_t edge_count = count_border_edges(topology);
    uint8_t *seen = NULL;
    PL_ARENA_NEW_OR_FAIL(part->triangle_shell, arena, uint32_t, topology->triangle_count, error);
    part->shell_count = pleat_topology_shells(topology, part->triangle_shell);
    PL_ARENA_NEW_OR_FAIL(part->shells, arena, pleat_measure_shell, part->shell_count, error);
    PL_ARENA_NEW_OR_FAIL(part->shell_vertex, arena, uint32_t, part->shell_count, error);
    PL_ARENA_NEW_OR_FAIL(part->shell_sign, arena, double, part->shell_count, error);
    PL_ARENA_NEW_OR_FAIL(part->borders, arena, pl_border, edge_count, error);
    PL_ARENA_NEW_OR_FAIL(part->border_corners, arena, uint32_t, edge_count, error);
    PL_NEW_OR_FAIL(seen, arena->memory, uint8_t, 3 * (size_t)topology->triangle_count, error);
    for (uint32_t t = topology->triangle_count; t-- > 0;)
    {
        uint32_t shell = part->triangle_shell[t];
        if (shell != PLEAT_NONE)
        {
            ++part->shells[shell].triangle_count;
            part->shell_vertex[shell] = topology->triangles[3 * (size_t)t];
            part->shell_sign[shell] = 1;
        }
    }
    trace_borders(part, seen);
    find_signs(part, rest);
fail:
    pl_free(arena->memory, seen);
    return result;
}

/* ---- Sums ---- */

static void between(const pleat_vec4 *from, const pleat_vec4 *to, double out[3])
{
    out[0] = (double)to->x - (double)from->x;
    out[1] = (double)to->y - (double)from->y;
    out[2] = (double)to->z - (double)from->z;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void pl_border_centre(const pl_volume_part *part, uint32_t index, const pleat_vec4 *positions, double centre[3],
                      double *length)
{
    const pl_border *border = &part->borders[index];
    const uint32_t *triangles = part->topology->triangles;
    double sum[3] = {0, 0, 0}, total = 0;
    const pleat_vec4 *origin = &positions[triangles[part->border_corners[border->first]]];
    double first[3] = {(double)origin->x, (double)origin->y, (double)origin->z};
    for (uint32_t i = 0; i < border->count; ++i)
    {
        uint32_t corner = part->border_corners[border->first + i];
        double a[3], b[3];
        between(origin, &positions[triangles[corner]], a);
        between(origin, &positions[triangles[pl_corner_next(corner)]], b);
        double edge[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double weight = sqrt(dot(edge, edge));
        for (int axis = 0; axis < 3; ++axis)
        {
            sum[axis] += 0.5 * weight * (a[axis] + b[axis]);
        }
        total += weight;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        centre[axis] = first[axis] + (total > 0 ? sum[axis] / total : 0);
    }
    if (length)
    {
        *length = total;
    }
}

static void add_triangles(pl_volume_part *part, const pleat_vec4 *positions)
{
    const uint32_t *triangles = part->topology->triangles;
    for (uint32_t t = 0; t < part->topology->triangle_count; ++t)
    {
        uint32_t shell = part->triangle_shell[t];
        if (shell == PLEAT_NONE)
        {
            continue;
        }
        const pleat_vec4 *corner = &positions[triangles[3 * (size_t)t]];
        double u[3], v[3], from[3], normal[3];
        between(corner, &positions[triangles[3 * (size_t)t + 1]], u);
        between(corner, &positions[triangles[3 * (size_t)t + 2]], v);
        between(&positions[part->shell_vertex[shell]], corner, from);
        cross(u, v, normal);
        part->shells[shell].area += 0.5 * sqrt(dot(normal, normal));
        part->shells[shell].volume += dot(from, normal) / 6;
    }
}

static void close_border(pl_volume_part *part, uint32_t index, const pleat_vec4 *positions)
{
    const pl_border *border = &part->borders[index];
    const uint32_t *triangles = part->topology->triangles;
    const pleat_vec4 *origin = &positions[part->shell_vertex[border->shell]];
    double centre[3], volume = 0;
    pl_border_centre(part, index, positions, centre, NULL);
    centre[0] -= (double)origin->x;
    centre[1] -= (double)origin->y;
    centre[2] -= (double)origin->z;
    for (uint32_t i = 0; i < border->count; ++i)
    {
        uint32_t corner = part->border_corners[border->first + i];
        double a[3], b[3], normal[3];
        between(origin, &positions[triangles[corner]], a);
        between(origin, &positions[triangles[pl_corner_next(corner)]], b);
        cross(b, a, normal);
        volume += dot(centre, normal) / 6;
    }
    part->shells[border->shell].volume += volume;
}

void pl_volume_part_update(pl_volume_part *part, const pleat_vec4 *positions, pleat_figures *figures)
{
    for (uint32_t s = 0; s < part->shell_count; ++s)
    {
        part->shells[s].area = 0;
        part->shells[s].volume = 0;
    }
    add_triangles(part, positions);
    for (uint32_t b = 0; b < part->border_count; ++b)
    {
        close_border(part, b, positions);
    }
    figures->area = 0;
    figures->volume = 0;
    for (uint32_t s = 0; s < part->shell_count; ++s)
    {
        part->shells[s].volume *= part->shell_sign[s];
        figures->area += part->shells[s].area;
        figures->volume += part->shells[s].volume;
    }
}
