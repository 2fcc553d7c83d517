/* The coarse mesh's tangent space: x along +u, y upwards in the picture, z along the smooth normals. */
#include "export/maps/maps.h"

#include <string.h>

/* dP/du of a triangle, not to scale; hand: 1 where the picture lies on the outer side as it is, -1 where it is
 * mirrored. v grows downwards, so up is -v. */
static bool texture_direction(const pleat_maps *maps, uint32_t triangle, pl_f4 *across, float *hand)
{
    const pleat_surface *surface = maps->stack->surface;
    const uint32_t *corner = surface->triangles + 3 * (size_t)triangle;
    const uint32_t *render = surface->render_triangles + 3 * (size_t)triangle;
    const float *uv0 = maps->coarse_uvs + 2 * (size_t)render[0], *uv1 = maps->coarse_uvs + 2 * (size_t)render[1];
    const float *uv2 = maps->coarse_uvs + 2 * (size_t)render[2];
    const pleat_vec4 *positions = maps->coarse_positions;
    pl_f4 e1 = pl_load(&positions[corner[1]]) - pl_load(&positions[corner[0]]);
    pl_f4 e2 = pl_load(&positions[corner[2]]) - pl_load(&positions[corner[0]]);
    float u1 = uv1[0] - uv0[0], v1 = uv0[1] - uv1[1], u2 = uv2[0] - uv0[0], v2 = uv0[1] - uv2[1];
    float area = u1 * v2 - u2 * v1;
    if (!(fabsf(area) > 0))
    {
        return false;
    }
    *hand = area > 0 ? 1 : -1;
    *across = (e1 * pl_splat(v2) - e2 * pl_splat(v1)) * pl_splat(*hand);
    return true;
}

static pl_f4 without(pl_f4 vector, pl_f4 normal)
{
    return vector - normal * pl_splat(pl_dot3(vector, normal));
}

/* The angle at a corner between its two edges, seen along the normal. */
static float angle_at(const pleat_maps *maps, const uint32_t *corner, uint32_t k, pl_f4 normal)
{
    const pleat_vec4 *positions = maps->coarse_positions;
    pl_f4 here = pl_load(&positions[corner[k]]);
    pl_f4 a = pl_normalize3(without(pl_load(&positions[corner[(k + 1) % 3]]) - here, normal));
    pl_f4 b = pl_normalize3(without(pl_load(&positions[corner[(k + 2) % 3]]) - here, normal));
    return acosf(fminf(fmaxf(pl_dot3(a, b), -1), 1));
}

/* Tangents at render vertices, as MikkTSpace has them, which engines, Blender and glTF expect: the mean of the
 * triangles around a vertex, each seen along the vertex's normal and weighed by its angle. w first counts for which
 * hand the triangles speak. */
static void update_tangents(pleat_maps *maps)
{
    const pleat_surface *surface = maps->stack->surface;
    memset(maps->coarse_tangents, 0, maps->stack->coarse_render_count * sizeof *maps->coarse_tangents);
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
    {
        const uint32_t *corner = surface->triangles + 3 * (size_t)t;
        pl_f4 across;
        float hand;
        if (!texture_direction(maps, t, &across, &hand))
        {
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_f4 normal = pl_load(&maps->coarse_normals[corner[k]]);
            pleat_vec4 *tangent = &maps->coarse_tangents[surface->render_triangles[3 * (size_t)t + k]];
            float angle = angle_at(maps, corner, k, normal);
            pl_f4 sum = pl_load(tangent) + pl_normalize3(without(across, normal)) * pl_splat(angle);
            sum[3] = tangent->w + hand * angle;
            pl_store(tangent, sum);
        }
    }
    for (uint32_t r = 0; r < maps->stack->coarse_render_count; ++r)
    {
        pl_f4 normal = pl_load(&maps->coarse_normals[surface->render_vertex[r]]),
              t = pl_load(&maps->coarse_tangents[r]);
        float hand = t[3] >= 0 ? 1 : -1;
        t = pl_normalize3(without(t, normal));
        t = pl_length3(t) > 0.5f ? t : pl_perpendicular(pl_length3(normal) > 0.5f ? normal : pl_set(0, 0, 1, 0));
        t[3] = hand;
        pl_store(&maps->coarse_tangents[r], t);
    }
}

void pl_maps_take_coarse(pleat_maps *maps, const pleat_vec4 *positions, const pleat_tasks *tasks)
{
    maps->coarse_positions = positions;
    pleat_normals_update(maps->normals, positions, maps->coarse_normals, tasks);
    update_tangents(maps);
}

pl_map_frame pl_maps_frame(const pleat_maps *maps, const pl_map_place *place)
{
    const pleat_surface *surface = maps->stack->surface;
    pl_map_frame frame = {pl_splat(0), pl_splat(0), pl_splat(0), pl_splat(0), 0, 0};
    float hand = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        size_t corner = 3 * (size_t)place->triangle + k;
        uint32_t vertex = surface->triangles[corner], render = surface->render_triangles[corner];
        pl_f4 weight = pl_splat(place->weight[k]);
        frame.position += pl_load(&maps->coarse_positions[vertex]) * weight;
        frame.normal += pl_load(&maps->coarse_normals[vertex]) * weight;
        frame.tangent += pl_load(&maps->coarse_tangents[render]) * weight;
        frame.u += place->weight[k] * maps->coarse_uvs[2 * (size_t)render];
        frame.v += place->weight[k] * maps->coarse_uvs[2 * (size_t)render + 1];
        hand += maps->coarse_tangents[render].w;
    }
    frame.normal = pl_normalize3(frame.normal);
    frame.tangent = pl_normalize3(frame.tangent - frame.normal * pl_splat(pl_dot3(frame.tangent, frame.normal)));
    frame.bitangent = pl_cross(frame.normal, frame.tangent) * pl_splat(hand >= 0 ? 1.0f : -1.0f);
    return frame;
}

pl_map_frame pl_maps_line(const pleat_maps *maps, const pl_map_place *place)
{
    const uint32_t *corner = maps->stack->surface->triangles + 3 * (size_t)place->triangle;
    pl_map_frame line = {pl_splat(0), pl_splat(0), pl_splat(0), pl_splat(0), 0, 0};
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 weight = pl_splat(place->weight[k]);
        line.position += pl_load(&maps->coarse_positions[corner[k]]) * weight;
        line.normal += pl_load(&maps->coarse_normals[corner[k]]) * weight;
    }
    line.normal = pl_normalize3(line.normal);
    return line;
}

pl_f4 pl_maps_seen(const pl_map_frame *frame, pl_f4 vector)
{
    return pl_set(pl_dot3(vector, frame->tangent), pl_dot3(vector, frame->bitangent), pl_dot3(vector, frame->normal),
                  0);
}

pl_f4 pl_maps_seen_across(const pleat_maps *maps, const pl_map_skirt *skirt, pl_f4 vector)
{
    pl_map_frame near = pl_maps_frame(maps, &maps->starts[skirt->a]);
    pl_map_frame far = pl_maps_frame(maps, &maps->starts[skirt->other]);
    float hand = pl_dot3(pl_cross(near.normal, near.tangent), near.bitangent) >= 0 ? 1.0f : -1.0f;
    near.normal = far.normal;
    near.tangent = pl_normalize3(near.tangent - far.normal * pl_splat(pl_dot3(near.tangent, far.normal)));
    near.bitangent = pl_cross(near.normal, near.tangent) * pl_splat(hand);
    return pl_maps_seen(&near, vector);
}
