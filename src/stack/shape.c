/* The render side of a stack: which vertices and triangles come out, primitive by primitive, and their normals. */
#include "stack/stack.h"

#include <string.h>

/* A file's primitives stay together: a stable order of things by the primitive they belong to. old_of[new]. */
static void order_by_primitive(const uint32_t *primitive, uint32_t count, uint32_t primitive_count, uint32_t *start,
                               uint32_t *new_of)
{
    memset(start, 0, ((size_t)primitive_count + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; ++i)
    {
        ++start[primitive[i] + 1];
    }
    for (uint32_t p = 0; p < primitive_count; ++p)
    {
        start[p + 1] += start[p];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        new_of[i] = start[primitive[i]]++;
    }
    memmove(start + 1, start, primitive_count * sizeof *start);
    start[0] = 0;
}

static void coarse_triangle_primitives(const pleat_stack *stack, uint32_t *primitive)
{
    uint32_t t = 0;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        for (uint32_t i = 0; i < stack->mesh->primitives[p].triangle_count; ++i)
        {
            primitive[t++] = p;
        }
    }
}

/* Texture coordinates of all primitives; false if none has any. */
static bool gather_uvs(const pleat_stack *stack, float *uvs)
{
    bool any = false;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &stack->mesh->primitives[p];
        if (primitive->uvs)
        {
            memcpy(uvs + 2 * (size_t)stack->primitive_start[p], primitive->uvs,
                   2 * (size_t)primitive->vertex_count * sizeof *uvs);
            any = true;
        }
    }
    return any;
}

/* A triangle list to take the shape from: the input's own surface, or a refined one. */
typedef struct source_shape
{
    uint32_t vertex_count, triangle_count;
    const uint32_t *triangles, *render_triangles, *render_vertex, *render_normal, *coarse_triangle;
} source_shape;

/* Fills the shape's render side in primitive order. */
static pleat_result build_shape(pleat_stack *stack, const source_shape *source, uint32_t surface_count,
                                const float *uvs, pleat_error *error)
{
    pl_memory *memory = &stack->memory;
    pleat_result result = PLEAT_OK;
    uint32_t primitive_count = stack->mesh->primitive_count;
    uint32_t *triangles, *surface_triangles, *render_vertex, *first_vertex, *first_triangle;
    uint32_t *coarse_primitive = NULL, *belongs = NULL, *new_vertex = NULL, *new_triangle = NULL;
    float *shape_uvs = NULL;
    stack->shape.primitive_count = primitive_count;
    stack->shape.vertex_count = source->vertex_count;
    stack->shape.triangle_count = source->triangle_count;
    stack->shape.surface_count = surface_count;
    uint32_t most = source->vertex_count > source->triangle_count ? source->vertex_count : source->triangle_count;
    PL_ARENA_NEW_OR_FAIL(triangles, &stack->work, uint32_t, 3 * (size_t)source->triangle_count, error);
    stack->shape.triangles = triangles;
    PL_ARENA_NEW_OR_FAIL(surface_triangles, &stack->work, uint32_t, 3 * (size_t)source->triangle_count, error);
    stack->shape.surface_triangles = surface_triangles;
    PL_ARENA_NEW_OR_FAIL(render_vertex, &stack->work, uint32_t, source->vertex_count, error);
    stack->shape.render_vertex = render_vertex;
    PL_ARENA_NEW_OR_FAIL(stack->render_normal, &stack->work, uint32_t, source->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(first_vertex, &stack->work, uint32_t, (size_t)primitive_count + 1, error);
    stack->shape.first_vertex = first_vertex;
    PL_ARENA_NEW_OR_FAIL(first_triangle, &stack->work, uint32_t, (size_t)primitive_count + 1, error);
    stack->shape.first_triangle = first_triangle;
    PL_NEW_OR_FAIL(coarse_primitive, memory, uint32_t, stack->surface->triangle_count, error);
    PL_NEW_OR_FAIL(belongs, memory, uint32_t, most, error);
    PL_NEW_OR_FAIL(new_vertex, memory, uint32_t, source->vertex_count, error);
    PL_NEW_OR_FAIL(new_triangle, memory, uint32_t, source->triangle_count, error);
    if (uvs)
    {
        PL_ARENA_NEW_OR_FAIL(shape_uvs, &stack->work, float, 2 * (size_t)source->vertex_count, error);
        stack->shape.uvs = shape_uvs;
    }

    /* Render vertices: the file's by their range, new ones by a triangle that uses them. */
    coarse_triangle_primitives(stack, coarse_primitive);
    for (uint32_t p = 0; p < primitive_count; ++p)
    {
        for (uint32_t v = stack->primitive_start[p]; v < stack->primitive_start[p + 1]; ++v)
        {
            belongs[v] = p;
        }
    }
    for (uint32_t c = 0; c < 3 * source->triangle_count; ++c)
    {
        belongs[source->render_triangles[c]] =
            coarse_primitive[source->coarse_triangle ? source->coarse_triangle[c / 3] : c / 3];
    }
    order_by_primitive(belongs, source->vertex_count, primitive_count, first_vertex, new_vertex);
    for (uint32_t v = 0; v < source->vertex_count; ++v)
    {
        uint32_t to = new_vertex[v];
        render_vertex[to] = source->render_vertex[v];
        stack->render_normal[to] = source->render_normal[v];
        if (shape_uvs)
        {
            memcpy(shape_uvs + 2 * (size_t)to, uvs + 2 * (size_t)v, 2 * sizeof *uvs);
        }
    }
    for (uint32_t t = 0; t < source->triangle_count; ++t)
    {
        belongs[t] = coarse_primitive[source->coarse_triangle ? source->coarse_triangle[t] : t];
    }
    order_by_primitive(belongs, source->triangle_count, primitive_count, first_triangle, new_triangle);
    for (uint32_t c = 0; c < 3 * source->triangle_count; ++c)
    {
        uint32_t to = 3 * new_triangle[c / 3] + c % 3;
        triangles[to] = new_vertex[source->render_triangles[c]];
        surface_triangles[to] = source->triangles[c];
    }
fail:
    pl_free(memory, new_triangle);
    pl_free(memory, new_vertex);
    pl_free(memory, belongs);
    pl_free(memory, coarse_primitive);
    return result;
}

static pleat_result bind_normals(pleat_stack *stack, uint32_t normal_count, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t *corner_normal = NULL;
    uint32_t corner_count = 3 * stack->shape.triangle_count;
    PL_NEW_OR_FAIL(corner_normal, &stack->memory, uint32_t, corner_count, error);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        corner_normal[c] = stack->render_normal[stack->shape.triangles[c]];
    }
    stack->normal_count = normal_count;
    result = pleat_normals_create(normal_count, stack->shape.triangle_count, corner_normal,
                                  stack->shape.surface_triangles, &stack->host, &stack->normals, error);
    bool smooth = memcmp(corner_normal, stack->shape.surface_triangles, corner_count * sizeof *corner_normal) == 0;
    if (result == PLEAT_OK && stack->layer_count && stack->cut.vertex_count)
    {
        /* What lies inside a refined triangle has the mean of its corners' normals, not that of the triangle. */
        const pleat_refined *refined = stack->refinement->refined;
        result = pleat_normals_create(refined->vertex_count, refined->triangle_count, refined->triangles,
                                      refined->triangles, &stack->host, &stack->vertex_normals, error);
    }
    else if (result == PLEAT_OK && stack->layer_count && !smooth)
    {
        result = pleat_normals_create(stack->shape.surface_count, stack->shape.triangle_count,
                                      stack->shape.surface_triangles, stack->shape.surface_triangles, &stack->host,
                                      &stack->vertex_normals, error);
    }
fail:
    pl_free(&stack->memory, corner_normal);
    return result;
}

pleat_result pl_stack_shape_as_is(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    float *uvs = NULL;
    const pleat_surface *surface = stack->surface;
    PL_NEW_OR_FAIL(uvs, &stack->memory, float, 2 * (size_t)stack->coarse_render_count, error);
    bool any = gather_uvs(stack, uvs);
    source_shape source = {surface->render_count,
                           surface->triangle_count,
                           surface->triangles,
                           surface->render_triangles,
                           surface->render_vertex,
                           surface->render_normal,
                           NULL};
    result = build_shape(stack, &source, stack->coarse_count, any ? uvs : NULL, error);
    if (result == PLEAT_OK)
    {
        result = bind_normals(stack, surface->normal_count, error);
    }
fail:
    pl_free(&stack->memory, uvs);
    return result;
}

/* Smooth groups of the refined mesh, by its render vertices. */
static pleat_result refined_groups(pleat_stack *stack, uint32_t *groups, uint32_t *group_count, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_refinement *refinement = stack->refinement;
    const pleat_refined *refined = refinement->refined;
    uint32_t *grouped = NULL;
    PL_NEW_OR_FAIL(grouped, &stack->memory, uint32_t, 3 * (size_t)refined->triangle_count, error);
    result = refinement->type->channel(refinement, stack->surface->normal_count, stack->surface->normal_triangles,
                                       grouped, group_count, error);
    for (uint32_t r = 0; r < stack->coarse_render_count; ++r)
    {
        groups[r] = stack->surface->render_normal[r];
    }
    for (uint32_t c = 0; c < 3 * refined->triangle_count && result == PLEAT_OK; ++c)
    {
        groups[refined->render_triangles[c]] = grouped[c];
    }
fail:
    pl_free(&stack->memory, grouped);
    return result;
}

/* The cut surface as a source: its new render vertices, with their groups and texture coordinates behind the refined
 * ones'. groups and uvs have room for them. */
static pleat_result cut_source(pleat_stack *stack, uint32_t *groups, uint32_t *group_count, float *uvs,
                               source_shape *source, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_refined *refined = stack->refinement->refined;
    pl_stack_cut *cut = &stack->cut;
    pl_cut_channel grouped;
    uint32_t *triangles, *render_vertex;
    PL_ARENA_NEW_OR_FAIL(triangles, &stack->work, uint32_t, 3 * (size_t)refined->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(render_vertex, &stack->work, uint32_t, cut->render.count, error);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        triangles[c] = groups[refined->render_triangles[c]];
    }
    PL_TRY(pl_stack_cut_channel(cut, refined, *group_count, triangles, &stack->work, &grouped, error));
    pl_cut_channel_values(&cut->render, 2, uvs);
    memcpy(render_vertex, refined->render_vertex, refined->render_count * sizeof *render_vertex);
    memcpy(render_vertex + refined->render_count, cut->render.vertex,
           (cut->render.count - refined->render_count) * sizeof *render_vertex);
    for (uint32_t c = 0; c < 3 * cut->triangle_count; ++c)
    {
        groups[cut->render.triangles[c]] = grouped.triangles[c];
    }
    *group_count = grouped.count;
    *source = (source_shape){cut->render.count,     cut->triangle_count, cut->surface.triangles,
                             cut->render.triangles, render_vertex,       groups,
                             cut->coarse_triangle};
fail:
    return result;
}

pleat_result pl_stack_shape_refined(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_memory *memory = &stack->memory;
    float *coarse_uvs = NULL, *uvs = NULL;
    uint32_t *groups = NULL, group_count = 0;
    const pleat_refined *refined = stack->refinement->refined;
    bool is_cut = stack->cut.vertex_count > 0;
    uint32_t render_count = is_cut ? stack->cut.render.count : refined->render_count;
    PL_NEW_OR_FAIL(coarse_uvs, memory, float, 2 * (size_t)stack->coarse_render_count, error);
    PL_NEW_OR_FAIL(uvs, memory, float, 2 * (size_t)render_count, error);
    PL_NEW_OR_FAIL(groups, memory, uint32_t, render_count, error);
    bool any = gather_uvs(stack, coarse_uvs);
    stack->refinement->type->values(stack->refinement, PLEAT_LOOP_RENDER, 2, coarse_uvs, uvs);
    result = refined_groups(stack, groups, &group_count, error);
    source_shape source = {refined->render_count,     refined->triangle_count, refined->triangles,
                           refined->render_triangles, refined->render_vertex,  groups,
                           refined->coarse_triangle};
    if (result == PLEAT_OK && is_cut)
    {
        result = cut_source(stack, groups, &group_count, uvs, &source, error);
    }
    if (result == PLEAT_OK)
    {
        result = build_shape(stack, &source, is_cut ? stack->cut.vertex_count : refined->vertex_count, any ? uvs : NULL,
                             error);
    }
    if (result == PLEAT_OK)
    {
        result = bind_normals(stack, group_count, error);
    }
fail:
    pl_free(memory, groups);
    pl_free(memory, uvs);
    pl_free(memory, coarse_uvs);
    return result;
}
