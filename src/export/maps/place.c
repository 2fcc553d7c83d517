/* From points of the refined surface to the coarse mesh, along its normals.
 *
 * A renderer that applies a height map moves P(b) to P(b) + h N(b), N the interpolated, normalised normals. The map
 * must hold h at the b from which that line reaches the refined surface, which is not the b that subdivision gave a
 * vertex: Loop moves points along the surface, too. So b and h are solved for each refined vertex (Newton, 3 equations,
 * from triangle to triangle), and the refined triangles are drawn where their corners really belong. */
#include "export/maps/maps.h"

#include <string.h>

/* ---- Where subdivision puts a vertex ---- */

/* The place of a surface vertex in one of the coarse triangles around it. */
static pl_map_place place_in(const pleat_stack *stack, uint32_t vertex, uint32_t triangle, uint32_t corner)
{
    pl_map_place place = {triangle, {0, 0, 0}};
    const uint32_t *coarse = stack->surface->triangles;
    if (!stack->refinement)
    {
        place.weight[corner] = 1;
        return place;
    }
    const pleat_refined *refined = stack->refinement->refined;
    uint32_t home = refined->vertex_triangle[vertex];
    const float *weight = refined->vertex_barycentric + 3 * (size_t)vertex;
    if (home == triangle || home == PLEAT_NONE)
    {
        memcpy(place.weight, weight, sizeof place.weight);
        return place;
    }
    /* On an edge or corner that both triangles share. */
    float sum = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (coarse[3 * (size_t)home + i] == coarse[3 * (size_t)triangle + k] && weight[i] > 0)
            {
                place.weight[k] = weight[i];
                sum += weight[i];
            }
        }
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        place.weight[k] = sum > 0 ? place.weight[k] / sum : 1.0f / 3;
    }
    return place;
}

static void texture_place(const pleat_maps *maps, const pl_map_place *place, float *uv)
{
    uv[0] = uv[1] = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        size_t render = maps->stack->surface->render_triangles[3 * (size_t)place->triangle + k];
        uv[0] += place->weight[k] * maps->coarse_uvs[2 * render];
        uv[1] += place->weight[k] * maps->coarse_uvs[2 * render + 1];
    }
}

void pl_maps_find_starts(pleat_maps *maps)
{
    const pleat_stack *stack = maps->stack;
    const pleat_stack_shape *shape = &stack->shape;
    const uint32_t *coarse_triangle = stack->refinement ? stack->refinement->refined->coarse_triangle : NULL;
    for (uint32_t v = 0; v < shape->vertex_count; ++v)
    {
        maps->starts[v].triangle = PLEAT_NONE;
        maps->start_uvs[2 * (size_t)v] = maps->start_uvs[2 * (size_t)v + 1] = -1;
    }
    for (uint32_t c = 0; c < 3 * shape->triangle_count; ++c)
    {
        pl_map_place *start = &maps->starts[shape->triangles[c]];
        if (start->triangle == PLEAT_NONE)
        {
            uint32_t triangle = coarse_triangle ? coarse_triangle[c / 3] : c / 3;
            *start = place_in(stack, shape->surface_triangles[c], triangle, c % 3);
            texture_place(maps, start, maps->start_uvs + 2 * (size_t)shape->triangles[c]);
        }
    }
}

/* ---- Along the normals ---- */

static void load_corners(const pleat_maps *maps, uint32_t triangle, pl_f4 p[3], pl_f4 n[3])
{
    const uint32_t *corner = maps->stack->surface->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k)
    {
        p[k] = pl_load(&maps->coarse_positions[corner[k]]);
        n[k] = pl_load(&maps->coarse_normals[corner[k]]);
    }
}

static pl_f4 mix(const pl_f4 v[3], const float weight[3])
{
    return v[0] * pl_splat(weight[0]) + v[1] * pl_splat(weight[1]) + v[2] * pl_splat(weight[2]);
}

/* The neighbour across the edge that a place has left, if it is in the same chart. */
static bool cross_edge(const pleat_maps *maps, pl_map_place *place)
{
    const pleat_stack *stack = maps->stack;
    const uint32_t *render = stack->surface->render_triangles;
    uint32_t out = 0;
    for (uint32_t k = 1; k < 3; ++k)
    {
        out = place->weight[k] < place->weight[out] ? k : out;
    }
    if (place->weight[out] > -1e-4f)
    {
        return false;
    }
    uint32_t a = (out + 1) % 3, b = (out + 2) % 3, corner = 3 * place->triangle + a;
    uint32_t twin = stack->coarse_topology->twin[corner];
    if (twin >= PLEAT_NON_MANIFOLD)
    {
        return false;
    }
    uint32_t first = twin - twin % 3, next = first + (twin % 3 + 1) % 3, last = first + (twin % 3 + 2) % 3;
    if (render[twin] != render[3 * place->triangle + b] || render[next] != render[corner])
    {
        return false;
    }
    float sum = 1 - 2 * place->weight[out];
    pl_map_place there = {twin / 3, {0, 0, 0}};
    there.weight[twin % 3] = place->weight[b] / sum;
    there.weight[next % 3] = place->weight[a] / sum;
    there.weight[last % 3] = -place->weight[out] / sum;
    *place = there;
    return true;
}

/* x of a 3x3 system by its columns; false if they have no volume. */
static bool solve(pl_f4 a, pl_f4 b, pl_f4 c, pl_f4 right, float x[3])
{
    pl_f4 bc = pl_cross(b, c);
    float determinant = pl_dot3(a, bc);
    if (!(fabsf(determinant) > 1e-30f))
    {
        return false;
    }
    float inverse = 1 / determinant;
    x[0] = pl_dot3(right, bc) * inverse;
    x[1] = pl_dot3(a, pl_cross(right, c)) * inverse;
    x[2] = pl_dot3(a, pl_cross(b, right)) * inverse;
    return true;
}

enum
{
    STEPS = 16
};

bool pl_maps_project(const pleat_maps *maps, pl_map_place start, pl_f4 point, pl_map_place *out, float *height)
{
    pl_map_place place = start;
    pl_f4 p[3], n[3];
    load_corners(maps, place.triangle, p, n);
    float h = pl_dot3(point - mix(p, place.weight), pl_normalize3(mix(n, place.weight)));
    *height = h;
    *out = start;
    for (int step = 0; step < STEPS; ++step)
    {
        load_corners(maps, place.triangle, p, n);
        pl_f4 sum = mix(n, place.weight);
        float length = pl_length3(sum);
        if (!(length > 1e-6f))
        {
            return false;
        }
        pl_f4 normal = sum * pl_splat(1 / length);
        /* From a corner, so that nothing is lost far from the origin. */
        pl_f4 e1 = p[1] - p[0], e2 = p[2] - p[0];
        pl_f4 left =
            point - p[0] - e1 * pl_splat(place.weight[1]) - e2 * pl_splat(place.weight[2]) - normal * pl_splat(h);
        float size = pl_length3(e1) + pl_length3(e2);
        if (pl_dot3(left, left) <= 1e-12f * size * size)
        {
            *height = h;
            *out = place;
            return true;
        }
        /* d(normal)/db without its part along the normal. */
        pl_f4 first = (n[1] - n[0]) * pl_splat(1 / length), second = (n[2] - n[0]) * pl_splat(1 / length);
        first -= normal * pl_splat(pl_dot3(first, normal));
        second -= normal * pl_splat(pl_dot3(second, normal));
        float x[3];
        if (!solve(e1 + first * pl_splat(h), e2 + second * pl_splat(h), normal, left, x))
        {
            return false;
        }
        float most = fmaxf(fabsf(x[0]), fabsf(x[1])), damp = most > 0.5f ? 0.5f / most : 1;
        place.weight[1] += damp * x[0];
        place.weight[2] += damp * x[1];
        place.weight[0] = 1 - place.weight[1] - place.weight[2];
        h += damp * x[2];
        if (!(fabsf(place.weight[1]) + fabsf(place.weight[2]) < 4))
        {
            return false;
        }
        cross_edge(maps, &place);
    }
    return false;
}
