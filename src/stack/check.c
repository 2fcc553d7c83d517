/* Whether numbers of a file still make sense where they are first used together: what a pose makes of a mesh. Each may
 * be finite, and their products not. Past PLEAT_FARTHEST lengths, areas and volumes in floats are no numbers any more,
 * and every layer would have to mind that; so such a pose is refused here, by node and value. */
#include "stack/stack.h"

#include "base/vec.h"

/* The largest distance of a mesh's points, or of a morph target's, from the origin; 0 where there are none. */
static float reach_of(const pleat_vec3 *points, uint32_t count)
{
    float most = 0;
    for (uint32_t v = 0; points && v < count; ++v)
    {
        most = fmaxf(most, pl_length3(pl_load3(&points[v])));
    }
    return most;
}

pleat_result pl_stack_measure_reach(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_mesh *mesh = stack->mesh;
    PL_ARENA_NEW_OR_FAIL(stack->target_reach, &stack->arena, float, mesh->target_count, error);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        stack->reach = fmaxf(stack->reach, reach_of(primitive->positions, primitive->vertex_count));
        for (uint32_t t = 0; primitive->targets && t < mesh->target_count; ++t)
        {
            float reach = reach_of(primitive->targets[t].positions, primitive->vertex_count);
            stack->target_reach[t] = fmaxf(stack->target_reach[t], reach);
        }
    }
fail:
    return result;
}

/* The first number of a matrix that cannot be used, or NULL. */
static const float *find_bad(const pleat_affine *matrix)
{
    for (int i = 0; i < 12; ++i)
    {
        if (!(fabsf(matrix->row[i / 4][i % 4]) <= PLEAT_FARTHEST))
        {
            return &matrix->row[i / 4][i % 4];
        }
    }
    return NULL;
}

static pleat_result check_world(const pleat_stack *stack, uint32_t node, const pleat_affine *world, float time,
                                pleat_error *error)
{
    const float *bad = find_bad(world);
    if (!bad)
    {
        return PLEAT_OK;
    }
    long at = bad - &world->row[0][0];
    return pl_fail(error, PLEAT_BAD_DATA,
                   "node %u (%.100s): at %g s row %ld, column %ld of its world transform is %g; it must be a number "
                   "between %g and %g",
                   node, stack->model->nodes[node].name, (double)time, at / 4, at % 4, (double)*bad,
                   (double)-PLEAT_FARTHEST, (double)PLEAT_FARTHEST);
}

/* Where a matrix takes the mesh at most. */
static pleat_result check_reach(const pleat_stack *stack, uint32_t node, const pleat_affine *matrix, float reach,
                                float time, pleat_error *error)
{
    float most = 0;
    for (int r = 0; r < 3; ++r)
    {
        most = fmaxf(most, pl_length3(pl_affine_row(matrix, r)) * reach + fabsf(matrix->row[r][3]));
    }
    if (!find_bad(matrix) && most <= PLEAT_FARTHEST)
    {
        return PLEAT_OK;
    }
    return pl_fail(error, PLEAT_BAD_DATA,
                   "node %u (%.100s): at %g s it takes the mesh of node %u (%.100s), which reaches to %g in its own "
                   "space, as far as %g; it must be a number up to %g",
                   node, stack->model->nodes[node].name, (double)time, stack->node,
                   stack->model->nodes[stack->node].name, (double)reach, (double)most, (double)PLEAT_FARTHEST);
}

/* How far the mesh reaches with its morph targets. */
static pleat_result morphed_reach(const pleat_stack *stack, const pleat_stack_input *input, float *reach,
                                  pleat_error *error)
{
    const float *weights = pleat_pose_weights(input->pose, stack->node);
    *reach = stack->reach;
    for (uint32_t t = 0; weights && t < stack->mesh->target_count; ++t)
    {
        if (!(fabsf(weights[t]) <= PLEAT_FARTHEST))
        {
            return pl_fail(error, PLEAT_BAD_DATA,
                           "node %u (%.100s): at %g s the weight of morph target %u is %g; it must be a number between "
                           "%g and %g",
                           stack->node, stack->model->nodes[stack->node].name, (double)input->time, t,
                           (double)weights[t], (double)-PLEAT_FARTHEST, (double)PLEAT_FARTHEST);
        }
        *reach += fabsf(weights[t]) * stack->target_reach[t];
    }
    return PLEAT_OK;
}

pleat_result pleat_stack_check(const pleat_stack *stack, const pleat_stack_input *input, pleat_error *error)
{
    const pleat_affine *worlds = pleat_pose_worlds(input->pose);
    const pleat_skin *skin = stack->skin;
    float reach;
    PL_TRY(morphed_reach(stack, input, &reach, error));
    PL_TRY(check_world(stack, stack->node, &worlds[stack->node], input->time, error));
    for (uint32_t j = 0; skin && j < skin->joint_count; ++j)
    {
        uint32_t node = skin->joints[j];
        PL_TRY(check_world(stack, node, &worlds[node], input->time, error));
        pleat_affine matrix = pl_affine_mul(&worlds[node], &skin->inverse_binds[j]);
        PL_TRY(check_reach(stack, node, &matrix, reach, input->time, error));
    }
    return skin ? PLEAT_OK : check_reach(stack, stack->node, &worlds[stack->node], reach, input->time, error);
}
