/* Displacement and normal maps of a stack's last frame, and maps of any value on its surface. */
#include "bake/maps.h"

#include "base/parallel.h"
#include "pleat/garment.h"

#include <string.h>

pleat_maps_desc pleat_maps_desc_default(void)
{
    pleat_maps_desc desc = {0};
    desc.size = 2048;
    desc.samples = 2;
    desc.margin = 8;
    return desc;
}

/* ---- Creation ---- */

static pleat_result check_desc(const pleat_maps_desc *desc, pleat_error *error)
{
    if (!desc->stack)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: stack is NULL; it must be set");
    }
    if (desc->size < 16 || desc->size > 16384)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: size is %u; it can be 16 to 16384", desc->size);
    }
    if (desc->samples < 1 || desc->samples > 4)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: samples is %u; it can be 1 to 4", desc->samples);
    }
    if (desc->margin > 64)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: margin is %u; it can be 0 to 64", desc->margin);
    }
    if (!desc->stack->shape.uvs)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "maps: the mesh '%.80s' has no texture coordinates",
                       desc->stack->mesh->name);
    }
    return PLEAT_OK;
}

static void gather_uvs(pleat_maps *maps)
{
    const pleat_stack *stack = maps->stack;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &stack->mesh->primitives[p];
        if (primitive->uvs)
        {
            memcpy(maps->coarse_uvs + 2 * (size_t)stack->primitive_start[p], primitive->uvs,
                   2 * (size_t)primitive->vertex_count * sizeof(float));
        }
    }
}

static pleat_result make_room(pleat_maps *maps, const pleat_maps_desc *desc, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack *stack = desc->stack;
    uint32_t count = stack->shape.vertex_count;
    PL_ARENA_NEW_OR_FAIL(maps->coarse_uvs, &maps->arena, float, 2 * (size_t)stack->coarse_render_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->starts, &maps->arena, pl_map_place, count, error);
    PL_ARENA_NEW_OR_FAIL(maps->coarse_normals, &maps->arena, pleat_vec4, stack->coarse_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->coarse_tangents, &maps->arena, pleat_vec4, stack->coarse_render_count, error);
    PL_ARENA_NEW_OR_FAIL(maps->uvs, &maps->arena, float, 2 * (size_t)count, error);
    PL_ARENA_NEW_OR_FAIL(maps->values, &maps->arena, pl_f4, count, error);
    PL_TRY(pl_raster_init(&maps->raster, desc->size, desc->samples, desc->margin,
                          pl_worker_count(host ? &host->tasks : NULL), stack->shape.triangle_count, &maps->arena,
                          error));
    result = pleat_normals_create(stack->coarse_count, stack->surface->triangle_count, stack->surface->triangles,
                                  stack->surface->triangles, host, &maps->coarse, error);
fail:
    return result;
}

pleat_result pleat_maps_create(const pleat_maps_desc *desc, const pleat_host *host, pleat_maps **out,
                               pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_maps *maps = PL_CREATE(pleat_maps, host);
    if (!maps)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the maps");
    }
    pl_arena_init(&maps->arena, &maps->memory);
    maps->stack = desc->stack;
    pleat_result result = make_room(maps, desc, host, error);
    if (result != PLEAT_OK)
    {
        pleat_maps_destroy(maps);
        return result;
    }
    gather_uvs(maps);
    pl_maps_find_starts(maps);
    *out = maps;
    return PLEAT_OK;
}

void pleat_maps_destroy(pleat_maps *maps)
{
    if (maps)
    {
        pleat_normals_destroy(maps->coarse);
        pl_arena_free(&maps->arena);
        PL_DESTROY(maps);
    }
}

/* ---- The coarse mesh of the frame ---- */

/* dP/du and dP/d(up) of a triangle, times its area in the texture (twice); v grows downwards, so up is -v. */
static bool texture_directions(const pleat_maps *maps, uint32_t triangle, pl_f4 *across, pl_f4 *up)
{
    const pleat_surface *surface = maps->stack->surface;
    const uint32_t *corner = surface->triangles + 3 * (size_t)triangle;
    const uint32_t *render = surface->render_triangles + 3 * (size_t)triangle;
    const float *uv0 = maps->coarse_uvs + 2 * (size_t)render[0], *uv1 = maps->coarse_uvs + 2 * (size_t)render[1];
    const float *uv2 = maps->coarse_uvs + 2 * (size_t)render[2];
    const pleat_vec4 *positions = maps->stack->coarse_positions;
    pl_f4 e1 = pl_load(&positions[corner[1]]) - pl_load(&positions[corner[0]]);
    pl_f4 e2 = pl_load(&positions[corner[2]]) - pl_load(&positions[corner[0]]);
    float u1 = uv1[0] - uv0[0], v1 = uv0[1] - uv1[1], u2 = uv2[0] - uv0[0], v2 = uv0[1] - uv2[1];
    float area = u1 * v2 - u2 * v1;
    if (!(fabsf(area) > 0))
    {
        return false;
    }
    float sign = area > 0 ? 1 : -1;
    *across = (e1 * pl_splat(v2) - e2 * pl_splat(v1)) * pl_splat(sign);
    *up = (e2 * pl_splat(u1) - e1 * pl_splat(u2)) * pl_splat(sign);
    return true;
}

/* Tangents at render vertices: means of the triangles around them, at a right angle to the normal. w first counts for
 * which hand the bitangents speak. */
static void update_tangents(pleat_maps *maps)
{
    const pleat_surface *surface = maps->stack->surface;
    memset(maps->coarse_tangents, 0, maps->stack->coarse_render_count * sizeof *maps->coarse_tangents);
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
    {
        pl_f4 across, up;
        if (!texture_directions(maps, t, &across, &up))
        {
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_f4 normal = pl_load(&maps->coarse_normals[surface->triangles[3 * (size_t)t + k]]);
            pleat_vec4 *tangent = &maps->coarse_tangents[surface->render_triangles[3 * (size_t)t + k]];
            float hand = pl_dot3(pl_cross(normal, across), up) >= 0 ? 1 : -1;
            pl_f4 sum = pl_load(tangent) + across;
            sum[3] = tangent->w + hand * pl_length3(across);
            pl_store(tangent, sum);
        }
    }
    for (uint32_t r = 0; r < maps->stack->coarse_render_count; ++r)
    {
        pl_f4 normal = pl_load(&maps->coarse_normals[surface->render_vertex[r]]),
              t = pl_load(&maps->coarse_tangents[r]);
        float hand = t[3] >= 0 ? 1 : -1;
        t = pl_normalize3(t - normal * pl_splat(pl_dot3(normal, t)));
        t = pl_length3(t) > 0.5f ? t : pl_perpendicular(pl_length3(normal) > 0.5f ? normal : pl_set(0, 0, 1, 0));
        t[3] = hand;
        pl_store(&maps->coarse_tangents[r], t);
    }
}

/* ---- The frame ---- */

typedef struct project_job
{
    pleat_maps *maps;
} project_job;

/* Height, texture coordinate and normal of each render vertex of the refined surface. */
static void project_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_maps *maps = ((project_job *)data)->maps;
    const pleat_stack *stack = maps->stack;
    (void)worker;
    for (uint32_t r = begin; r < end; ++r)
    {
        if (maps->starts[r].triangle == PLEAT_NONE)
        {
            maps->uvs[2 * (size_t)r] = maps->uvs[2 * (size_t)r + 1] = -1;
            maps->values[r] = pl_set(0, 0, 0, 1);
            continue;
        }
        pl_f4 point = pl_load(&stack->positions[stack->shape.render_vertex[r]]), position, normal;
        pl_f4 wrinkled = pl_load(&stack->group_normals[stack->render_normal[r]]), tangent = pl_splat(0);
        float height, u = 0, v = 0, hand = 0;
        pl_map_place place = pl_maps_project(maps, maps->starts[r], point, &height);
        pl_maps_at(maps, &place, &position, &normal);
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t render = stack->surface->render_triangles[3 * (size_t)place.triangle + k];
            u += place.weight[k] * maps->coarse_uvs[2 * (size_t)render];
            v += place.weight[k] * maps->coarse_uvs[2 * (size_t)render + 1];
            tangent += pl_load(&maps->coarse_tangents[render]) * pl_splat(place.weight[k]);
            hand += maps->coarse_tangents[render].w;
        }
        tangent = pl_normalize3(tangent - normal * pl_splat(pl_dot3(tangent, normal)));
        pl_f4 bitangent = pl_cross(normal, tangent) * pl_splat(hand >= 0 ? 1.0f : -1.0f);
        maps->uvs[2 * (size_t)r] = u;
        maps->uvs[2 * (size_t)r + 1] = v;
        maps->values[r] =
            pl_set(height, pl_dot3(wrinkled, tangent), pl_dot3(wrinkled, bitangent), pl_dot3(wrinkled, normal));
    }
}

static void find_range(const pleat_maps *maps, pleat_height_range *range)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t r = 0; r < maps->stack->shape.vertex_count; ++r)
    {
        low = fminf(low, maps->values[r][0]);
        high = fmaxf(high, maps->values[r][0]);
    }
    /* A mesh without displacement has some range all the same. */
    *range = high - low > 1e-9f ? (pleat_height_range){low, high} : (pleat_height_range){-1e-6f, 1e-6f};
}

static uint16_t word_of(float x)
{
    return (uint16_t)(fminf(fmaxf(x, 0), 1) * 65535.0f + 0.5f);
}

void pleat_maps_update(pleat_maps *maps, uint16_t *heights, uint16_t *normals, pleat_height_range *range,
                       const pleat_tasks *tasks)
{
    const pleat_stack *stack = maps->stack;
    pleat_normals_update(maps->coarse, stack->coarse_positions, maps->coarse_normals, tasks);
    update_tangents(maps);
    project_job project = {maps};
    pl_parallel_for(tasks, stack->shape.vertex_count, 256, project_range, &project);
    pleat_height_range own = {0, 0};
    range = range ? range : &own;
    if (!(range->low < range->high))
    {
        find_range(maps, range);
    }
    float scale = 1 / (range->high - range->low);
    pl_raster_job job = {.triangle_count = stack->shape.triangle_count,
                         .triangles = stack->shape.triangles,
                         .uvs = maps->uvs,
                         .values = maps->values,
                         .width = 1,
                         .out = heights,
                         .out_more = normals,
                         .scale = pl_splat(scale),
                         .offset = pl_splat(-range->low * scale),
                         .empty = {word_of(-range->low * scale), 32768, 32768, 65535},
                         .tasks = tasks};
    if (heights || normals)
    {
        pl_raster_run(&maps->raster, &job);
    }
}

/* ---- Any value ---- */

void pleat_maps_values(pleat_maps *maps, const float *values, uint32_t width, uint16_t *out, const pleat_tasks *tasks)
{
    const pleat_stack_shape *shape = &maps->stack->shape;
    for (uint32_t r = 0; r < shape->vertex_count; ++r)
    {
        pl_f4 value = pl_splat(0);
        for (uint32_t k = 0; k < width; ++k)
        {
            value[k] = values[(size_t)shape->render_vertex[r] * width + k];
        }
        maps->values[r] = value;
    }
    pl_raster_job job = {.triangle_count = shape->triangle_count,
                         .triangles = shape->triangles,
                         .uvs = shape->uvs,
                         .values = maps->values,
                         .width = width,
                         .out = out,
                         .scale = pl_splat(1),
                         .offset = pl_splat(0),
                         .tasks = tasks};
    pl_raster_run(&maps->raster, &job);
}

void pleat_maps_joint_mask(const pleat_maps *maps, const char *joints, float *out)
{
    const pleat_stack *stack = maps->stack;
    const pleat_stack_shape *shape = &stack->shape;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; stack->skin && i < shape->influence_count; ++i)
        {
            size_t at = (size_t)v * shape->influence_count + i;
            uint32_t joint = shape->joints[at];
            bool fits = shape->weights[at] > 0 && joint < stack->skin->joint_count &&
                        pleat_name_matches(joints, stack->model->nodes[stack->skin->joints[joint]].name);
            sum += fits ? shape->weights[at] : 0;
        }
        out[v] = sum;
    }
}

pleat_maps_coarse pleat_maps_get_coarse(const pleat_maps *maps)
{
    const pleat_stack *stack = maps->stack;
    return (pleat_maps_coarse){stack->coarse_count,
                               stack->coarse_render_count,
                               stack->surface->triangle_count,
                               stack->surface->triangles,
                               stack->surface->render_triangles,
                               stack->coarse_positions,
                               maps->coarse_normals,
                               maps->coarse_tangents,
                               maps->coarse_uvs};
}
