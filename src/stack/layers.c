/* The layers of a stack, from their plans to their frames, in both stages. */
#include "stack/stack.h"

#include "base/vec.h"

#include <string.h>

static bool is_of(const pl_stack_layer *layer, pleat_stage stage)
{
    return layer->type->stage == stage;
}

bool pl_stack_has_stage(const pleat_stack *stack, pleat_stage stage)
{
    bool found = false;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        found |= is_of(&stack->layers[i], stage);
    }
    return found;
}

/* ---- Binding ---- */

static pleat_result check_type(const pleat_layer_type *type, pleat_error *error)
{
    if (!type || !type->create || !type->destroy || !type->update)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: the layer '%.40s' has no %s",
                       type && type->name ? type->name : "",
                       !type            ? "type"
                       : !type->create  ? "create"
                       : !type->destroy ? "destroy"
                                        : "update");
    }
    return PLEAT_OK;
}

pleat_result pl_stack_list_layers(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    bool corrects = desc->skin_layer.type && stack->skin;
    uint32_t count = desc->layer_count + corrects;
    PL_ARENA_NEW_OR_FAIL(stack->layers, &stack->arena, pl_stack_layer, count, error);
    for (uint32_t i = 0; i < count; ++i)
    {
        bool of_skinning = corrects && i == 0;
        const pleat_layer_desc *layer = of_skinning ? &desc->skin_layer : &desc->layers[i - corrects];
        PL_TRY(check_type(layer->type, error));
        if (of_skinning && layer->type->stage != PLEAT_STAGE_COARSE)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "stack: skin_layer is '%.40s', which is no coarse layer",
                           layer->type->name);
        }
        stack->layers[i] = (pl_stack_layer){layer->type, layer->options, of_skinning, NULL, NULL};
        stack->layer_count = i + 1;
    }
fail:
    return result;
}

static pleat_result plan_layer(pleat_stack *stack, pl_stack_layer *layer, const pleat_cloth *cloth,
                               const pleat_layer_preview *shown, pleat_error *error)
{
    return layer->type->plan ? layer->type->plan(layer->options, cloth, shown, &stack->host, &layer->plan, error)
                             : PLEAT_OK;
}

static pleat_result rehearse_layer(pleat_stack *stack, pl_stack_layer *layer, const pleat_cloth *cloth,
                                   const pleat_layer_preview *shown, pleat_error *error)
{
    return layer->type->rehearse ? layer->type->rehearse(layer->layer, cloth, shown, &stack->host, error) : PLEAT_OK;
}

pleat_result pl_stack_plan_fine(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error)
{
    pl_preview view;
    pleat_result result = pl_preview_open(stack, desc, PLEAT_NONE, &view, error);
    pleat_layer_preview shown = pl_preview_shown(&view);
    for (uint32_t i = 0; i < stack->layer_count && result == PLEAT_OK; ++i)
    {
        if (is_of(&stack->layers[i], PLEAT_STAGE_FINE))
        {
            result = plan_layer(stack, &stack->layers[i], &stack->coarse_cloth, &shown, error);
        }
    }
    pl_preview_close(&view);
    return result;
}

pleat_result pl_stack_create_fine(pleat_stack *stack, pleat_error *error)
{
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        pl_stack_layer *layer = &stack->layers[i];
        if (is_of(layer, PLEAT_STAGE_FINE))
        {
            PL_TRY(layer->type->create(layer->options, layer->plan, &stack->cloth, &stack->host, &layer->layer, error));
        }
    }
    return PLEAT_OK;
}

pleat_result pl_stack_rehearse_fine(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error)
{
    pl_preview view;
    pleat_result result = pl_preview_open(stack, desc, PLEAT_NONE, &view, error);
    pleat_layer_preview shown = pl_preview_shown(&view);
    view.refined = true;
    for (uint32_t i = 0; i < stack->layer_count && result == PLEAT_OK; ++i)
    {
        if (is_of(&stack->layers[i], PLEAT_STAGE_FINE))
        {
            result = rehearse_layer(stack, &stack->layers[i], &stack->cloth, &shown, error);
        }
    }
    pl_preview_close(&view);
    return result;
}

/* One coarse layer, which sees what those before it do. */
static pleat_result bind_coarse_layer(pleat_stack *stack, const pleat_stack_desc *desc, uint32_t index,
                                      pleat_error *error)
{
    pl_stack_layer *layer = &stack->layers[index];
    const pleat_cloth *cloth = layer->of_skinning ? &stack->skin_cloth : &stack->coarse_cloth;
    pl_preview view;
    pleat_result result = pl_preview_open(stack, desc, index, &view, error);
    pleat_layer_preview shown = pl_preview_shown(&view);
    result = result == PLEAT_OK ? plan_layer(stack, layer, cloth, &shown, error) : result;
    if (result == PLEAT_OK)
    {
        result = layer->type->create(layer->options, layer->plan, cloth, &stack->host, &layer->layer, error);
    }
    result = result == PLEAT_OK ? rehearse_layer(stack, layer, cloth, &shown, error) : result;
    pl_preview_close(&view);
    return result;
}

/* What coarse layers need besides their cloth. */
static pleat_result make_coarse_room(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = stack->coarse_topology;
    bool normals = false;
    float *ones;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        normals |= is_of(&stack->layers[i], PLEAT_STAGE_COARSE) && !stack->layers[i].type->no_normals;
    }
    if (normals)
    {
        PL_ARENA_NEW_OR_FAIL(stack->coarse_normal_values, &stack->arena, pleat_vec4, stack->coarse_count, error);
        PL_TRY(pleat_normals_create(topology->vertex_count, topology->triangle_count, topology->triangles,
                                    topology->triangles, &stack->host, &stack->coarse_normals, error));
    }
    if (stack->layers[0].of_skinning)
    {
        PL_ARENA_NEW_OR_FAIL(ones, &stack->arena, float, stack->coarse_count, error);
        for (uint32_t v = 0; v < stack->coarse_count; ++v)
        {
            ones[v] = 1;
        }
        stack->skin_cloth = stack->coarse_cloth;
        stack->skin_cloth.mask = ones;
    }
fail:
    return result;
}

pleat_result pl_stack_bind_coarse_layers(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error)
{
    if (!pl_stack_has_stage(stack, PLEAT_STAGE_COARSE))
    {
        return PLEAT_OK;
    }
    PL_TRY(make_coarse_room(stack, error));
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        if (is_of(&stack->layers[i], PLEAT_STAGE_COARSE))
        {
            PL_TRY(bind_coarse_layer(stack, desc, i, error));
        }
    }
    return PLEAT_OK;
}

void pl_stack_drop_layers(pleat_stack *stack, pleat_stage stage)
{
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        pl_stack_layer *layer = &stack->layers[i];
        if (is_of(layer, stage) && layer->layer)
        {
            layer->type->destroy(layer->layer);
            layer->layer = NULL;
        }
    }
}

void pl_stack_free_layers(pleat_stack *stack)
{
    pl_stack_drop_layers(stack, PLEAT_STAGE_FINE);
    pl_stack_drop_layers(stack, PLEAT_STAGE_COARSE);
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        pl_stack_layer *layer = &stack->layers[i];
        if (layer->plan && layer->type->plan_destroy)
        {
            layer->type->plan_destroy(layer->plan);
        }
        layer->plan = NULL;
    }
    pleat_normals_destroy(stack->coarse_normals);
    stack->coarse_normals = NULL;
}

/* ---- A frame ---- */

static void update_layer(const pleat_stack *stack, const pl_stack_layer *layer, const pleat_stack_input *input,
                         pleat_vec4 *positions, const pleat_vec4 *normals)
{
    pleat_layer_frame frame = {.time = input->time,
                               .row_time = (double)input->time + input->ahead,
                               .step = input->step,
                               .joints = stack->skin ? stack->joint_matrices : NULL,
                               .worlds = pleat_pose_worlds(input->pose),
                               .positions = positions,
                               .normals = normals,
                               .tasks = input->tasks};
    layer->type->update(layer->layer, &frame);
}

void pl_stack_run_coarse(pleat_stack *stack, uint32_t end, const pleat_stack_input *input)
{
    for (uint32_t i = 0; i < stack->layer_count && i < end; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        bool stands = layer->of_skinning && input->points; /* no joint has moved anything */
        if (!is_of(layer, PLEAT_STAGE_COARSE) || !layer->layer || stands)
        {
            continue;
        }
        if (!layer->type->no_normals)
        {
            pleat_normals_update(stack->coarse_normals, stack->coarse_positions, stack->coarse_normal_values,
                                 input->tasks);
        }
        update_layer(stack, layer, input, stack->coarse_positions, stack->coarse_normal_values);
    }
}

/* The output's normals; known: those before the layers are there. */
static void refresh_normals(pleat_stack *stack, bool known, const pleat_tasks *tasks)
{
    if (known)
    {
        pleat_normals_update_part(stack->normals, &stack->moved, stack->positions, stack->group_normals, tasks);
    }
    else
    {
        pleat_normals_update(stack->normals, stack->positions, stack->group_normals, tasks);
    }
}

static void update_layer_normals(pleat_stack *stack, const pleat_tasks *tasks)
{
    const pl_cut_channel *surface = &stack->cut.surface;
    pleat_normals_update(stack->vertex_normals, stack->positions, stack->layer_normals, tasks);
    pl_cut_channel_points(surface, stack->layer_normals);
    for (uint32_t v = surface->old_count; v < surface->count; ++v)
    {
        pl_store(&stack->layer_normals[v], pl_normalize3(pl_load(&stack->layer_normals[v])));
    }
}

void pl_stack_run_fine(pleat_stack *stack, const pleat_stack_input *input)
{
    /* Where smooth groups are the vertices, one pass serves layers and output: all normals once, before the first layer
     * that looks at them or at the end, and from then on only those of what layers may have moved. */
    bool shared = !stack->vertex_normals, known = false, fresh = false;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        if (!is_of(layer, PLEAT_STAGE_FINE))
        {
            continue;
        }
        bool wanted = !layer->type->no_normals;
        if (wanted && !shared)
        {
            update_layer_normals(stack, input->tasks);
        }
        else if (wanted && !fresh)
        {
            refresh_normals(stack, known, input->tasks);
            known = fresh = true;
        }
        update_layer(stack, layer, input, stack->positions, shared ? stack->group_normals : stack->layer_normals);
        fresh = false;
    }
    refresh_normals(stack, known, input->tasks);
}

/* ---- What layers tell ---- */

const void *pleat_stack_layer(const pleat_stack *stack, uint32_t layer, const pleat_layer_type **type)
{
    if (layer >= stack->layer_count)
    {
        return NULL;
    }
    if (type)
    {
        *type = stack->layers[layer].type;
    }
    return stack->layers[layer].layer;
}

void pleat_stack_measure(const pleat_stack *stack, uint32_t layer, double values[PLEAT_FIGURE_LIMIT])
{
    const pl_stack_layer *from = layer < stack->layer_count ? &stack->layers[layer] : NULL;
    if (from && from->type->measure)
    {
        from->type->measure(from->layer, values);
    }
}

bool pleat_stack_figure(const pleat_stack *stack, uint32_t layer, uint32_t index, const char **name, double *value)
{
    double values[PLEAT_FIGURE_LIMIT];
    if (layer >= stack->layer_count || index >= stack->layers[layer].type->figure_count)
    {
        return false;
    }
    pleat_stack_measure(stack, layer, values);
    *name = stack->layers[layer].type->figures[index].name;
    *value = values[index];
    return true;
}

/* ---- State ---- */

size_t pl_stack_layer_state_size(const pl_stack_layer *layer)
{
    size_t size = layer->type->state_size ? layer->type->state_size(layer->layer) : 0;
    return (size + 15) & ~(size_t)15;
}

size_t pleat_stack_state_size(const pleat_stack *stack)
{
    size_t size = 0;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        size += pl_stack_layer_state_size(&stack->layers[i]);
    }
    return size;
}

void pleat_stack_state_save(const pleat_stack *stack, void *state)
{
    char *at = state;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        size_t size = pl_stack_layer_state_size(layer);
        if (size)
        {
            memset(at, 0, size);
            layer->type->state_save(layer->layer, at);
        }
        at += size;
    }
}

void pleat_stack_state_restore(pleat_stack *stack, const void *state)
{
    const char *at = state;
    for (uint32_t i = 0; i < stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &stack->layers[i];
        size_t size = pl_stack_layer_state_size(layer);
        if (size)
        {
            layer->type->state_restore(layer->layer, at);
        }
        at += size;
    }
}
