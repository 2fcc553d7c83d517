/* How a stack's surface becomes finer: where the layers ask for it, by the rules that the stack was made with. */
#include "stack/stack.h"

#include "mesh/refine/keep.h"

#include "base/vec.h"

enum
{
    MAX_LEVEL = 6 /* of Loop's: beyond, memory ends before detail does */
};

/* How far a refined surface that keeps the input may lie off it at rest, of the character's height: less than half a
 * pixel of a figure that fills a screen. */
#define FARTHEST 0.0018f

/* ---- What is asked for ---- */

static bool wants_any(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    pleat_stack *stack = user;
    bool wanted = level < stack->level;
    for (uint32_t i = 0; i < stack->layer_count && !wanted; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        wanted = layer->type->wants && layer->type->wants(layer->plan, triangle, barycentric, level);
    }
    return wanted;
}

static float longest_edge(const pl_f4 corner[3])
{
    float most = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        most = fmaxf(most, pl_length3(corner[k] - corner[(k + 1) % 3]));
    }
    return most;
}

/* The longest edges of a coarse triangle and of a piece of it, at rest. */
static void edges_of(const pleat_stack *stack, uint32_t triangle, const float barycentric[9], float *whole,
                     float *piece)
{
    pl_f4 corner[3], part[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        corner[k] = pl_load(&stack->coarse_cloth.rest[stack->surface->triangles[3 * (size_t)triangle + k]]);
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        part[k] = corner[0] * pl_splat(barycentric[3 * k]) + corner[1] * pl_splat(barycentric[3 * k + 1]) +
                  corner[2] * pl_splat(barycentric[3 * k + 2]);
    }
    *whole = longest_edge(corner);
    *piece = longest_edge(part);
}

/* What a layer that knows no heights misses: it is served as if all it raises stood a quarter as high as edges are
 * long.
 */
static float misses_by_wants(const pleat_stack *stack, const pl_stack_layer *layer, uint32_t triangle,
                             const float barycentric[9])
{
    float whole, piece;
    edges_of(stack, triangle, barycentric, &whole, &piece);
    uint32_t level = piece > 0 ? (uint32_t)fminf(log2f(whole / piece) + 0.5f, 31) : 31;
    return layer->type->wants(layer->plan, triangle, barycentric, level) ? 0.25f * piece : 0;
}

static float misses_any(void *user, uint32_t triangle, const float barycentric[9])
{
    const pleat_stack *stack = user;
    const uint32_t *corner = stack->surface->triangles + 3 * (size_t)triangle;
    float most = 0;
    if (!(stack->coarse_mask[corner[0]] > 0) && !(stack->coarse_mask[corner[1]] > 0) &&
        !(stack->coarse_mask[corner[2]] > 0))
    {
        return 0; /* nothing may move here */
    }
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        if (layer->type->misses)
        {
            most = fmaxf(most, layer->type->misses(layer->plan, triangle, barycentric));
        }
        else if (layer->type->wants)
        {
            most = fmaxf(most, misses_by_wants(stack, layer, triangle, barycentric));
        }
    }
    return most;
}

/* The first layer that knows says it. */
static void along_any(void *user, uint32_t triangle, const float barycentric[3], pleat_vec4 *out)
{
    const pleat_stack *stack = user;
    *out = (pleat_vec4){0, 0, 0, 0};
    for (uint32_t i = 0; i < stack->layer_count && pl_dot3(pl_load(out), pl_load(out)) == 0; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        if (layer->type->along)
        {
            layer->type->along(layer->plan, triangle, barycentric, out);
        }
    }
}

/* ---- By Loop's rules ---- */

static pleat_result refine_by_loop(pleat_stack *stack, pleat_error *error)
{
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = stack->coarse_count;
    desc.render_count = stack->coarse_render_count;
    desc.triangle_count = stack->surface->triangle_count;
    desc.triangles = stack->surface->triangles;
    desc.render_triangles = stack->surface->render_triangles;
    desc.render_vertex = stack->surface->render_vertex;
    desc.level = stack->level;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        if (stack->layers[i].type->wants)
        {
            desc.level = MAX_LEVEL;
            desc.wants = wants_any;
            desc.wants_user = stack;
        }
    }
    return pl_refine_by_loop(&desc, &stack->host, &stack->refinement, error);
}

/* ---- Keeping the input ---- */

/* The file's normals, one for each smoothing group, in the space of the rest shape. */
static void fill_normals(const pleat_stack *stack, pleat_vec4 *normals)
{
    const pleat_surface *surface = stack->surface;
    pl_f4 x = pl_affine_row(&stack->to_rest, 0), y = pl_affine_row(&stack->to_rest, 1);
    pl_f4 z = pl_affine_row(&stack->to_rest, 2), yz = pl_cross(y, z), zx = pl_cross(z, x), xy = pl_cross(x, y);
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &stack->mesh->primitives[p];
        for (uint32_t v = 0; v < primitive->vertex_count && primitive->normals; ++v)
        {
            pleat_vec4 *sum = &normals[surface->render_normal[stack->primitive_start[p] + v]];
            pl_store(sum, pl_load(sum) + pl_load3(&primitive->normals[v]));
        }
    }
    for (uint32_t n = 0; n < surface->normal_count; ++n)
    {
        /* By the inverse transpose but for its size, so that they stay normals where the character is stretched. */
        pl_f4 normal = pl_load(&normals[n]);
        normal = pl_set(pl_dot3(yz, normal), pl_dot3(zx, normal), pl_dot3(xy, normal), 0);
        pl_store(&normals[n], pl_normalize3(pl_normalize3(normal)));
    }
}

static void fill_parts(const pleat_stack *stack, uint32_t *parts)
{
    for (uint32_t p = 0, t = 0; p < stack->mesh->primitive_count; ++p)
    {
        for (uint32_t end = t + stack->mesh->primitives[p].triangle_count; t < end; ++t)
        {
            parts[t] = p;
        }
    }
}

float pl_stack_triangle_times(const pleat_stack *stack)
{
    if (stack->refine == PLEAT_REFINE_LOOP)
    {
        return INFINITY;
    }
    uint32_t own = stack->surface->triangle_count;
    return stack->max_triangles && own ? (float)((double)stack->max_triangles / (double)own) : PLEAT_TRIANGLES_TIMES;
}

static pleat_result refine_and_keep(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_surface *surface = stack->surface;
    pleat_vec4 *normals = NULL;
    uint32_t *parts = NULL;
    PL_NEW_OR_FAIL(normals, &stack->memory, pleat_vec4, surface->normal_count, error);
    PL_NEW_OR_FAIL(parts, &stack->memory, uint32_t, surface->triangle_count, error);
    fill_normals(stack, normals);
    fill_parts(stack, parts);
    double most = (double)pl_stack_triangle_times(stack) * (double)surface->triangle_count;
    pl_keep_desc desc = {.topology = stack->coarse_topology,
                         .rest = stack->coarse_cloth.rest,
                         .render_count = stack->coarse_render_count,
                         .render_triangles = surface->render_triangles,
                         .render_vertex = surface->render_vertex,
                         .normal_count = surface->normal_count,
                         .normal_triangles = surface->normal_triangles,
                         .normals = normals,
                         .parts = parts,
                         .farthest = FARTHEST * stack->cloth.height,
                         .max_triangles = most < UINT32_MAX / 4 ? (uint32_t)(most + 0.5) : UINT32_MAX / 4,
                         .misses = misses_any,
                         .along = along_any,
                         .user = stack};
    result = pl_refine_keep(&desc, &stack->host, &stack->refinement, error);
fail:
    pl_free(&stack->memory, parts);
    pl_free(&stack->memory, normals);
    return result;
}

pleat_result pl_stack_make_refinement(pleat_stack *stack, bool lines, pleat_error *error)
{
    bool asked = stack->level > 0;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        asked = asked || stack->layers[i].type->wants || stack->layers[i].type->misses;
    }
    if (!asked)
    {
        return PLEAT_OK;
    }
    if (stack->refine == PLEAT_REFINE_LOOP)
    {
        return refine_by_loop(stack, error);
    }
    PL_TRY(refine_and_keep(stack, error));
    if (stack->refinement->refined->triangle_count == stack->surface->triangle_count && !lines)
    {
        /* Nobody needed anything: the input itself is what comes out. */
        pl_refinement_destroy(stack->refinement);
        stack->refinement = NULL;
    }
    return PLEAT_OK;
}
