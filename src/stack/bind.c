/* Binding a stack: weld the mesh of a node, let the layers plan, refine, and bind them to the result. */
#include "stack/stack.h"

#include "base/vec.h"

#include <string.h>

pleat_stack_desc pleat_stack_desc_default(void)
{
    pleat_stack_desc desc = {0};
    desc.node = PLEAT_NONE;
    desc.clip_fps = 30;
    return desc;
}

/* ---- The cloth that layers see ------------------------------------------------------------------------------ */

/* 0 at every vertex of a triangle that is no garment, else the painted mask. */
static void fill_mask(const pleat_stack *stack, const pleat_stack_desc *desc, float *mask)
{
    for (uint32_t v = 0; v < stack->coarse_count; ++v)
    {
        mask[v] = desc->mask ? desc->mask[stack->surface->vertex_render[v]] : 1;
    }
    uint32_t triangle = 0;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        for (uint32_t t = 0; t < stack->mesh->primitives[p].triangle_count; ++t, ++triangle)
        {
            for (uint32_t k = 0; k < 3 && desc->garment && !desc->garment[p]; ++k)
            {
                mask[stack->surface->triangles[3 * triangle + k]] = 0;
            }
        }
    }
}

/* The cloth at rest over a surface: bind positions in, everything else computed. */
static pleat_result fill_cloth(pleat_stack *stack, const pleat_topology *topology, const pleat_vec4 *bind,
                               pl_arena *arena, pleat_cloth *cloth, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_affine *to_rest = &stack->to_rest;
    pleat_vec4 *rest, *rest_normals;
    float *mask;
    pleat_normals *normals = NULL;
    PL_ARENA_NEW_OR_FAIL(rest, arena, pleat_vec4, topology->vertex_count, error);
    cloth->rest = rest;
    cloth->to_rest = *to_rest;
    PL_ARENA_NEW_OR_FAIL(rest_normals, arena, pleat_vec4, topology->vertex_count, error);
    cloth->rest_normals = rest_normals;
    PL_ARENA_NEW_OR_FAIL(mask, arena, float, topology->vertex_count, error);
    cloth->mask = mask;
    cloth->topology = topology;
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        pl_store(&rest[v], pl_affine_point(to_rest, pl_load(&bind[v])));
    }
    if (topology == stack->coarse_topology)
    {
        memcpy(mask, stack->coarse_mask, stack->coarse_count * sizeof *mask);
    }
    else
    {
        stack->refinement->type->values(stack->refinement, PLEAT_LOOP_SURFACE, 1, stack->coarse_mask, mask);
        pl_cut_channel_values(&stack->cut.surface, 1, mask);
    }
    result = pleat_normals_create(topology->vertex_count, topology->triangle_count, topology->triangles,
                                  topology->triangles, &stack->host, &normals, error);
    if (result == PLEAT_OK)
    {
        pleat_normals_update(normals, rest, rest_normals, NULL);
    }
fail:
    pleat_normals_destroy(normals);
    return result;
}

/* ---- Creation ------------------------------------------------------------------------------------------------ */

/* Where vertices and triangles of a surface that is not refined are on the input's: there. */
static pleat_result place_as_is(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = stack->coarse_topology;
    uint32_t *coarse, *home;
    float *barycentric;
    PL_ARENA_NEW_OR_FAIL(coarse, &stack->work, uint32_t, topology->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(home, &stack->work, uint32_t, topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(barycentric, &stack->work, float, 3 * (size_t)topology->vertex_count, error);
    memset(home, 0xff, topology->vertex_count * sizeof *home);
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        uint32_t vertex = topology->triangles[c];
        coarse[c / 3] = c / 3;
        if (home[vertex] == PLEAT_NONE)
        {
            home[vertex] = c / 3;
            barycentric[3 * (size_t)vertex + c % 3] = 1;
        }
    }
    stack->cloth.coarse_triangle = coarse;
    stack->cloth.vertex_triangle = home;
    stack->cloth.vertex_barycentric = barycentric;
fail:
    return result;
}

static pleat_result bind_working(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t width = stack->influence_count, count = stack->shape.surface_count;
    pleat_vec4 *bind;
    PL_ARENA_NEW_OR_FAIL(stack->positions, &stack->work, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(stack->group_normals, &stack->work, pleat_vec4, stack->normal_count, error);
    PL_ARENA_NEW_OR_FAIL(stack->layer_normals, &stack->work, pleat_vec4, stack->layer_count ? count : 0, error);
    stack->shape.bind = stack->coarse_bind;
    stack->shape.joints = width ? stack->coarse_joints : NULL;
    stack->shape.weights = width ? stack->coarse_weights : NULL;
    stack->shape.influence_count = width;
    stack->morphed = stack->coarse_morphed;
    const pleat_topology *topology = stack->coarse_topology;
    if (stack->refinement)
    {
        const pleat_refined *refined = stack->refinement->refined;
        PL_ARENA_NEW_OR_FAIL(bind, &stack->work, pleat_vec4, count, error);
        stack->shape.bind = bind;
        pl_stack_refine(stack, stack->coarse_bind, bind, NULL);
        if (stack->mesh->target_count)
        {
            PL_ARENA_NEW_OR_FAIL(stack->morphed, &stack->work, pleat_vec4, count, error);
        }
        else
        {
            stack->morphed = bind;
        }
        if (width)
        {
            uint16_t *joints;
            float *weights;
            stack->shape.joints = NULL;
            stack->shape.weights = NULL;
            PL_ARENA_NEW_OR_FAIL(joints, &stack->work, uint16_t, (size_t)count * width, error);
            stack->shape.joints = joints;
            PL_ARENA_NEW_OR_FAIL(weights, &stack->work, float, (size_t)count *width, error);
            stack->shape.weights = weights;
            PL_TRY(stack->refinement->type->weights(stack->refinement, width, stack->coarse_joints,
                                                    stack->coarse_weights, joints, weights, error));
            pl_cut_channel_weights(&stack->cut.surface, width, joints, weights);
        }
        const pl_stack_cut *cut = &stack->cut;
        bool is_cut = cut->vertex_count > 0;
        PL_TRY(pleat_topology_create(count, is_cut ? cut->triangle_count : refined->triangle_count,
                                     is_cut ? cut->surface.triangles : refined->triangles, &stack->host,
                                     &stack->topology, error));
        topology = stack->topology;
        stack->cloth.coarse_triangle = is_cut ? cut->coarse_triangle : refined->coarse_triangle;
        stack->cloth.vertex_triangle = is_cut ? cut->vertex_triangle : refined->vertex_triangle;
        stack->cloth.vertex_barycentric = is_cut ? cut->vertex_barycentric : refined->vertex_barycentric;
    }
    else if (stack->layer_count)
    {
        PL_TRY(place_as_is(stack, error));
    }
    stack->shape.refined = stack->refinement != NULL;
    PL_TRY(fill_cloth(stack, topology, stack->shape.bind, &stack->work, &stack->cloth, error));
    stack->shape.rest = stack->cloth.rest;
    stack->cloth.influence_count = width;
    stack->cloth.joints = stack->shape.joints;
    stack->cloth.weights = stack->shape.weights;
fail:
    return result;
}

/* The triangles and normals that layers can change: those around the vertices they say they move. */
static pleat_result bind_moved(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack_shape *shape = &stack->shape;
    uint32_t *triangles, *normals, triangle_count = 0, normal_count = 0;
    uint8_t *moved, *around;
    PL_ARENA_NEW_OR_FAIL(triangles, &stack->work, uint32_t, shape->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(normals, &stack->work, uint32_t, shape->surface_count, error);
    PL_ARENA_NEW_OR_FAIL(moved, &stack->work, uint8_t, shape->surface_count, error);
    PL_ARENA_NEW_OR_FAIL(around, &stack->work, uint8_t, shape->surface_count, error);
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        if (layer->type->stage != PLEAT_STAGE_FINE)
        {
            continue; /* its moves are there before any normal */
        }
        if (layer->type->moves)
        {
            layer->type->moves(layer->layer, moved);
        }
        else
        {
            memset(moved, 1, shape->surface_count);
        }
    }
    for (uint32_t t = 0; t < shape->triangle_count; ++t)
    {
        const uint32_t *corner = shape->surface_triangles + 3 * (size_t)t;
        if (moved[corner[0]] || moved[corner[1]] || moved[corner[2]])
        {
            triangles[triangle_count++] = t;
            around[corner[0]] = around[corner[1]] = around[corner[2]] = 1;
        }
    }
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        normals[normal_count] = v;
        normal_count += around[v];
    }
    stack->moved = (pleat_normals_part){triangle_count, triangles, normal_count, normals};
fail:
    return result;
}

static pleat_result cut_along(pleat_stack *stack, const pleat_lines *lines, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_refined *refined = stack->refinement->refined;
    pleat_topology *topology = NULL;
    pleat_vec4 *rest = NULL;
    PL_NEW_OR_FAIL(rest, &stack->memory, pleat_vec4, refined->vertex_count, error);
    stack->refinement->type->points(stack->refinement, stack->coarse_bind, rest, NULL);
    for (uint32_t v = 0; v < refined->vertex_count; ++v)
    {
        pl_store(&rest[v], pl_affine_point(&stack->to_rest, pl_load(&rest[v])));
    }
    result = pleat_topology_create(refined->vertex_count, refined->triangle_count, refined->triangles, &stack->host,
                                   &topology, error);
    if (result == PLEAT_OK)
    {
        pl_stack_cut_desc desc = {stack->surface->triangles, stack->coarse_cloth.rest, refined, topology, rest, *lines};
        result = pl_stack_cut_make(&desc, &stack->work, &stack->cut, error);
    }
fail:
    pleat_topology_destroy(topology);
    pl_free(&stack->memory, rest);
    return result;
}

/* Frees what refine_and_bind made. */
static void unbind(pleat_stack *stack)
{
    pl_stack_drop_layers(stack, PLEAT_STAGE_FINE);
    pleat_normals_destroy(stack->normals);
    pleat_normals_destroy(stack->vertex_normals);
    pleat_topology_destroy(stack->topology);
    pl_refinement_destroy(stack->refinement);
    stack->normals = stack->vertex_normals = NULL;
    stack->topology = NULL;
    stack->refinement = NULL;
    stack->cut = (pl_stack_cut){0};
    stack->shape = (pleat_stack_shape){0};
    pl_arena_free(&stack->work);
    pl_arena_init(&stack->work, &stack->memory);
}

/* Everything behind the plans. lines: of each layer, or NULL. */
static pleat_result refine_and_bind(pleat_stack *stack, const pleat_lines *lines, uint32_t line_lists,
                                    pleat_error *error)
{
    bool any_lines = false;
    for (uint32_t i = 0; i < line_lists; ++i)
    {
        any_lines = any_lines || lines[i].line_count;
    }
    PL_TRY(pl_stack_make_refinement(stack, any_lines, error));
    if (stack->refinement)
    {
        for (uint32_t i = 0; i < line_lists; ++i)
        {
            if (lines[i].line_count && !stack->cut.vertex_count)
            {
                PL_TRY(cut_along(stack, &lines[i], error));
            }
        }
        PL_TRY(pl_stack_shape_refined(stack, error));
    }
    else
    {
        PL_TRY(pl_stack_shape_as_is(stack, error));
    }
    PL_TRY(bind_working(stack, error));
    PL_TRY(pl_stack_create_fine(stack, error));
    return stack->layer_count && !stack->vertex_normals ? bind_moved(stack, error) : PLEAT_OK;
}

/* Rings, shells and walks end at an edge of three or more triangles: where many edges are such, layers do little, and
 * the reason should be known. */
static void warn_of_doubled_cloth(const pleat_stack *stack)
{
    const pleat_topology *topology = stack->coarse_topology;
    size_t corner_count = 3 * (size_t)topology->triangle_count, shared = 0;
    for (size_t c = 0; c < corner_count; ++c)
    {
        shared += topology->twin[c] == PLEAT_NON_MANIFOLD;
    }
    if ((double)shared > 0.1 * (double)corner_count)
    {
        pl_log(&stack->host, PLEAT_WARNING,
               "%.100s: %.0f %% of its edges belong to three or more triangles, as where both sides of the cloth are "
               "modelled in one place; folds and wrinkles may be missing there",
               stack->model->nodes[stack->node].name, 100 * (double)shared / (double)corner_count);
    }
}

/* The clip, or the clips, that layers may look at. */
static pleat_result take_shots(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_cloth *cloth = &stack->cloth;
    pleat_shot one = {desc->clip, desc->clip_start, 0, desc->frame_count};
    uint32_t count = desc->shot_count ? desc->shot_count : desc->clip && desc->frame_count ? 1 : 0;
    const pleat_shot *from = desc->shot_count ? desc->shots : &one;
    pleat_shot *shots;
    PL_ARENA_NEW_OR_FAIL(shots, &stack->arena, pleat_shot, count, error);
    cloth->shot_count = count;
    cloth->shots = shots;
    cloth->clip_start = count ? from[0].start : desc->clip_start;
    for (uint32_t i = 0; i < count; ++i)
    {
        shots[i] = from[i];
        shots[i].first_frame = cloth->frame_count;
        cloth->frame_count += from[i].frame_count;
    }
fail:
    return result;
}

static pleat_result bind_all(pleat_stack *stack, const pleat_stack_desc *desc, const pleat_pose *rest_pose,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_TRY(pl_stack_measure_reach(stack, error));
    PL_TRY(pleat_stack_check(stack, &(pleat_stack_input){.pose = rest_pose}, error));
    stack->to_rest = pl_stack_rest_transform(stack->model, stack->node, rest_pose);
    PL_TRY(pl_stack_bind_coarse(stack, error));
    PL_ARENA_NEW_OR_FAIL(stack->coarse_mask, &stack->arena, float, stack->coarse_count, error);
    fill_mask(stack, desc, stack->coarse_mask);
    stack->cloth.model = stack->model;
    stack->cloth.node = stack->node;
    stack->cloth.skinning = stack->skinning;
    stack->cloth.influence_count = stack->influence_count;
    stack->cloth.joints = stack->coarse_joints;
    stack->cloth.weights = stack->coarse_weights;
    stack->cloth.height = desc->height > 0 ? desc->height : pleat_model_height(stack->model, rest_pose);
    stack->cloth.triangle_times = pl_stack_triangle_times(stack);
    stack->cloth.clip_step = 1 / desc->clip_fps;
    PL_TRY(take_shots(stack, desc, error));
    PL_TRY(pl_stack_list_layers(stack, desc, error));
    if (desc->layer_count)
    {
        warn_of_doubled_cloth(stack);
    }
    if (stack->layer_count)
    {
        PL_TRY(fill_cloth(stack, stack->coarse_topology, stack->coarse_bind, &stack->arena, &stack->cloth, error));
        stack->coarse_cloth = stack->cloth;
        PL_TRY(pl_stack_bind_coarse_layers(stack, desc, error));
        PL_TRY(pl_stack_plan_fine(stack, desc, error));
    }
    if (stack->frame_topology)
    {
        return pleat_stack_focus(stack, stack->cloth.clip_start, error);
    }
    PL_TRY(refine_and_bind(stack, NULL, 0, error));
    return stack->layer_count ? pl_stack_rehearse_fine(stack, desc, error) : PLEAT_OK;
fail:
    return result;
}

pleat_result pleat_stack_focus(pleat_stack *stack, float time, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_lines *lines = NULL;
    if (!stack->frame_topology)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: it was not created with frame_topology");
    }
    unbind(stack);
    PL_NEW_OR_FAIL(lines, &stack->memory, pleat_lines, stack->layer_count, error);
    for (uint32_t i = 0; i < stack->layer_count && result == PLEAT_OK; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        bool turns = layer->type->focus && layer->type->stage == PLEAT_STAGE_FINE;
        result = turns ? layer->type->focus(layer->plan, time, &lines[i], error) : PLEAT_OK;
    }
    result = result == PLEAT_OK ? refine_and_bind(stack, lines, stack->layer_count, error) : result;
fail:
    pl_free(&stack->memory, lines);
    return result;
}

enum
{
    MAX_LEVEL = 6
};

/* Keeping needs to know how high layers go: where one of them cannot say, Loop's way is safe. */
static pleat_refine choose_refine(const pleat_stack_desc *desc)
{
    bool silent = desc->level > 0;
    for (uint32_t i = 0; i < desc->layer_count; ++i)
    {
        const pleat_layer_type *type = desc->layers[i].type;
        silent |= (type->wants || type->focus) && !type->misses;
    }
    return desc->refine != PLEAT_REFINE_BY_LAYER ? desc->refine : silent ? PLEAT_REFINE_LOOP : PLEAT_REFINE_KEEP;
}

static pleat_result check_desc(const pleat_stack_desc *desc, pleat_error *error)
{
    if (!desc->model || desc->node >= desc->model->node_count || desc->model->nodes[desc->node].mesh == PLEAT_NONE)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: node %u has no mesh", desc->node);
    }
    if (desc->level && desc->refine == PLEAT_REFINE_KEEP)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: a level belongs to PLEAT_REFINE_LOOP alone");
    }
    if (desc->level > MAX_LEVEL)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: level is %u; it can be 0 to %d", desc->level, MAX_LEVEL);
    }
    for (uint32_t i = 0; i < desc->shot_count; ++i)
    {
        if (!desc->shots[i].clip || desc->shots[i].frame_count == 0)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: shots[%u] has no clip or no frames", i);
        }
    }
    if (!(desc->clip_fps > 0) || !isfinite(desc->clip_fps))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: clip_fps is %g; it must be above 0", (double)desc->clip_fps);
    }
    return PLEAT_OK;
}

pleat_result pleat_stack_create(const pleat_stack_desc *desc, const pleat_host *host, pleat_stack **out,
                                pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_stack *stack = PL_CREATE(pleat_stack, host);
    if (!stack)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the stack");
    }
    pl_arena_init(&stack->arena, &stack->memory);
    pl_arena_init(&stack->work, &stack->memory);
    stack->host = host ? *host : pleat_host_default();
    stack->model = desc->model;
    stack->node = desc->node;
    stack->mesh = &desc->model->meshes[desc->model->nodes[desc->node].mesh];
    uint32_t skin = desc->model->nodes[desc->node].skin;
    stack->skin = skin == PLEAT_NONE ? NULL : &desc->model->skins[skin];
    stack->skinning = desc->skinning;
    stack->refine = choose_refine(desc);
    stack->level = desc->level;
    stack->max_triangles = desc->max_triangles;
    stack->frame_topology = desc->frame_topology;
    pleat_pose *own = NULL;
    pleat_result result = desc->rest ? PLEAT_OK : pleat_pose_create(desc->model, host, &own, error);
    if (result == PLEAT_OK)
    {
        result = bind_all(stack, desc, desc->rest ? desc->rest : own, error);
    }
    pleat_pose_destroy(own);
    if (result != PLEAT_OK)
    {
        pleat_stack_destroy(stack);
        return result;
    }
    *out = stack;
    return PLEAT_OK;
}

void pleat_stack_destroy(pleat_stack *stack)
{
    if (!stack)
    {
        return;
    }
    unbind(stack);
    pl_stack_free_layers(stack);
    pleat_topology_destroy(stack->coarse_topology);
    pleat_surface_destroy(stack->surface);
    pl_arena_free(&stack->arena);
    PL_DESTROY(stack);
}
