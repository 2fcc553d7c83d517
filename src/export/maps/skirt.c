/* Skirts: the surface continued past the borders of charts, so that a bilinear read at a border finds on both sides of
 * a seam what lies there.
 *
 * Across a seam the neighbouring triangle is unfolded about the edge, with the values of its own corner; at an open
 * border the triangle itself is continued in a straight line. Skirts reach a few texels far, and are drawn only where
 * no chart is; what lies further out is a copy of the nearest texel. */
#include "export/maps/maps.h"

static const float REACH = 2.5f; /* texels */

static const float *start_uv(const pleat_maps *maps, uint32_t vertex)
{
    return maps->start_uvs + 2 * (size_t)vertex;
}

static bool same_place(const pleat_maps *maps, uint32_t a, uint32_t b)
{
    const float *x = start_uv(maps, a), *y = start_uv(maps, b);
    return a == b || (x[0] == y[0] && x[1] == y[1]);
}

/* The skirt at a corner's edge; false if the chart goes on there. */
static bool find_skirt(const pleat_maps *maps, const pleat_topology *topology, uint32_t corner, pl_map_skirt *out)
{
    const pleat_stack_shape *shape = &maps->stack->shape;
    uint32_t first = corner - corner % 3, twin = topology->twin[corner];
    const uint32_t *render = shape->triangles;
    out->a = render[corner];
    out->b = render[first + (corner + 1) % 3];
    out->inner = render[first + (corner + 2) % 3];
    out->other = PLEAT_NONE;
    if (twin < PLEAT_NON_MANIFOLD)
    {
        uint32_t theirs = twin - twin % 3;
        if (!maps->skipped[twin / 3] && same_place(maps, render[twin], out->b) &&
            same_place(maps, render[theirs + (twin + 1) % 3], out->a))
        {
            return false;
        }
        out->other = render[theirs + (twin + 2) % 3];
    }
    /* Where the far corner lies, as parts of the edge along and across it, outwards; of the surface at rest. */
    pl_f4 a = pl_load(&shape->bind[shape->render_vertex[out->a]]);
    pl_f4 edge = pl_load(&shape->bind[shape->render_vertex[out->b]]) - a;
    uint32_t far = out->other == PLEAT_NONE ? out->inner : out->other;
    pl_f4 way = pl_load(&shape->bind[shape->render_vertex[far]]) - a;
    float squared = pl_dot3(edge, edge);
    if (!(squared > 0))
    {
        return false;
    }
    out->along = pl_dot3(way, edge) / squared;
    out->across = pl_length3(way - edge * pl_splat(out->along)) / sqrtf(squared);
    out->along =
        out->other == PLEAT_NONE ? 1 - out->along : out->along; /* the inner corner, turned about the edge's middle */
    return out->across > 0;
}

pleat_result pl_maps_make_skirts(pleat_maps *maps, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack_shape *shape = &maps->stack->shape;
    pl_map_skirt skirt;
    uint32_t corner_count = 3 * shape->triangle_count, count = 0;
    PL_TRY(pleat_topology_create(shape->surface_count, shape->triangle_count, shape->surface_triangles, host,
                                 &maps->topology, error));
    const pleat_topology *topology = maps->topology;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        count += !maps->skipped[c / 3] && find_skirt(maps, topology, c, &skirt);
    }
    PL_ARENA_NEW_OR_FAIL(maps->skirts, &maps->arena, pl_map_skirt, count, error);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        if (!maps->skipped[c / 3] && find_skirt(maps, topology, c, &skirt))
        {
            maps->skirts[maps->skirt_count++] = skirt;
        }
    }
fail:
    return result;
}

/* ---- Where they lie ---- */

void pl_maps_place_skirts(pleat_maps *maps, float *uvs)
{
    uint32_t first = maps->stack->shape.vertex_count;
    float size = (float)maps->raster.size;
    for (uint32_t i = 0; i < maps->skirt_count; ++i)
    {
        pl_map_skirt *skirt = &maps->skirts[i];
        const float *a = uvs + 2 * (size_t)skirt->a, *b = uvs + 2 * (size_t)skirt->b;
        const float *inner = uvs + 2 * (size_t)skirt->inner;
        float x = b[0] - a[0], y = b[1] - a[1];
        /* The side of the edge on which the chart is not. */
        float side = x * (inner[1] - a[1]) - y * (inner[0] - a[0]) > 0 ? -1.0f : 1.0f;
        float length = skirt->across * sqrtf(x * x + y * y) * size;
        skirt->part = length > REACH ? REACH / length : 1;
        float along = skirt->along, across = side * skirt->across * skirt->part;
        /* Short skirts keep over the edge what is at the edge. */
        along = fminf(fmaxf(along, 0), 1) * (1 - skirt->part) + along * skirt->part;
        float *out = uvs + 2 * (size_t)(first + i);
        out[0] = a[0] + along * x - across * y;
        out[1] = a[1] + along * y + across * x;
    }
}

/* ---- What they hold ---- */

void pl_maps_fill_skirts(pleat_maps *maps, pl_skirt_value *value, void *user)
{
    uint32_t first = maps->stack->shape.vertex_count;
    for (uint32_t i = 0; i < maps->skirt_count; ++i)
    {
        const pl_map_skirt *skirt = &maps->skirts[i];
        float along = fminf(fmaxf(skirt->along, 0), 1);
        pl_f4 a = maps->values[skirt->a], b = maps->values[skirt->b], edge = a + (b - a) * pl_splat(along);
        pl_f4 far = a + b - maps->values[skirt->inner];
        if (skirt->other != PLEAT_NONE)
        {
            far = value ? value(user, skirt) : maps->values[skirt->other];
        }
        maps->values[first + i] = edge + (far - edge) * pl_splat(skirt->part);
    }
}
