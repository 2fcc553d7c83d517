/* One frame of a stack: morph, skin, coarse layers, refine, fine layers, normals. */
#include "stack/stack.h"

#include "base/parallel.h"
#include "base/vec.h"
#include "mesh/loop/place.h"

#include <assert.h>
#include <string.h>

const pleat_stack_shape *pleat_stack_get_shape(const pleat_stack *stack)
{
    return &stack->shape;
}

/* The input's own morph targets, over the surface vertices of each primitive. */
static void morph(pleat_stack *stack, const pleat_stack_input *input)
{
    const float *weights = pleat_pose_weights(input->pose, stack->node);
    if (!weights)
    {
        return; /* coarse_morphed is coarse_bind */
    }
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        uint32_t first = stack->vertex_start[p];
        pleat_morph_job job = pleat_morph_job_default();
        job.vertex_count = stack->vertex_start[p + 1] - first;
        job.target_count = stack->mesh->target_count;
        job.targets = stack->mesh->primitives[p].targets;
        job.weights = weights;
        job.positions = stack->coarse_bind + first;
        job.out_positions = stack->coarse_morphed + first;
        job.source = stack->vertex_row + first;
        job.tasks = input->tasks;
        pleat_result result = pleat_morph_run(&job, NULL);
        assert(result == PLEAT_OK);
        (void)result;
    }
}

typedef struct transform_job
{
    const pleat_affine *matrix;
    const pleat_vec4 *in;
    pleat_vec4 *out;
} transform_job;

static void transform_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const transform_job *job = data;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        pl_store(&job->out[v], pl_affine_point(job->matrix, pl_load(&job->in[v])));
    }
}

static void skin(pleat_stack *stack, const pleat_tasks *tasks)
{
    if (!stack->skin)
    {
        transform_job job = {stack->joint_matrices, stack->coarse_morphed, stack->coarse_positions};
        pl_parallel_for(tasks, stack->coarse_count, 4096, transform_range, &job);
        return;
    }
    pleat_skin_job job = pleat_skin_job_default();
    job.method = stack->skinning;
    job.vertex_count = stack->coarse_count;
    job.influence_count = stack->influence_count;
    job.joints = stack->coarse_joints;
    job.weights = stack->coarse_weights;
    job.joint_count = stack->joint_count;
    job.matrices = stack->joint_matrices;
    job.positions = stack->coarse_morphed;
    job.out_positions = stack->coarse_positions;
    job.scratch = stack->skin_scratch;
    job.tasks = tasks;
    pleat_result result = pleat_skin_run(&job, NULL);
    assert(result == PLEAT_OK || stack->coarse_count == 0);
    (void)result;
}

static void take_points(pleat_stack *stack, const pleat_stack_input *input)
{
    const pleat_affine *world = &stack->joint_matrices[stack->joint_count - 1];
    for (uint32_t v = 0; v < stack->coarse_count; ++v)
    {
        pl_f4 point = pl_load3(&input->points[stack->surface->vertex_render[v]]);
        pl_store(&stack->coarse_positions[v], input->points_world ? point : pl_affine_point(world, point));
    }
}

void pl_stack_move(pleat_stack *stack, const pleat_stack_input *input)
{
    if (stack->skin)
    {
        pleat_pose_joints(input->pose, stack->model->nodes[stack->node].skin, stack->joint_matrices);
    }
    stack->joint_matrices[stack->joint_count - 1] = pleat_pose_worlds(input->pose)[stack->node];
    morph(stack, input);
    if (input->points)
    {
        take_points(stack, input);
    }
    else
    {
        skin(stack, input->tasks);
    }
}

void pl_stack_refine(pleat_stack *stack, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks)
{
    stack->refinement->type->points(stack->refinement, in, out, tasks);
    pl_cut_channel_points(&stack->cut.surface, out);
}

void pleat_stack_update(pleat_stack *stack, const pleat_stack_input *input)
{
    pl_stack_move(stack, input);
    if (stack->refinement && stack->mesh->target_count)
    {
        pl_stack_refine(stack, stack->coarse_morphed, stack->morphed, input->tasks);
    }
    if (input->replay)
    {
        memcpy(stack->positions, input->replay, stack->shape.surface_count * sizeof *stack->positions);
        pleat_normals_update(stack->normals, stack->positions, stack->group_normals, input->tasks);
        return;
    }
    pl_stack_run_coarse(stack, PLEAT_NONE, input);
    if (stack->refinement)
    {
        pl_stack_refine(stack, stack->coarse_positions, stack->positions, input->tasks);
    }
    else
    {
        memcpy(stack->positions, stack->coarse_positions, stack->coarse_count * sizeof *stack->positions);
    }
    pl_stack_run_fine(stack, input);
}

const pleat_vec4 *pleat_stack_positions(const pleat_stack *stack)
{
    return stack->positions;
}

void pleat_stack_copy(const pleat_stack *stack, pleat_vec3 *positions, pleat_vec3 *normals)
{
    for (uint32_t r = 0; r < stack->shape.vertex_count && positions; ++r)
    {
        pl_store3(&positions[r], pl_load(&stack->positions[stack->shape.render_vertex[r]]));
    }
    for (uint32_t r = 0; r < stack->shape.vertex_count && normals; ++r)
    {
        pl_store3(&normals[r], pl_load(&stack->group_normals[stack->render_normal[r]]));
    }
}

void pleat_stack_coarse_counts(const pleat_stack *stack, uint32_t *vertex_count, uint32_t *triangle_count)
{
    *vertex_count = stack->coarse_count;
    *triangle_count = stack->surface->triangle_count;
}

pleat_vec4 pleat_stack_place(const pleat_stack *stack, const pleat_place *coarse)
{
    const uint32_t *triangles = stack->surface->triangles;
    pleat_place place = *coarse;
    if (stack->refinement)
    {
        const pleat_cloth *cloth = &stack->cloth;
        pl_refined_surface surface = {triangles,
                                      stack->topology->triangle_count,
                                      stack->topology->triangles,
                                      cloth->coarse_triangle,
                                      cloth->vertex_triangle,
                                      cloth->vertex_barycentric};
        place = pl_refined_find(&surface, coarse);
        triangles = stack->topology->triangles;
    }
    pl_f4 sum = pl_splat(0);
    for (uint32_t k = 0; k < 3 && place.triangle != PLEAT_NONE; ++k)
    {
        sum += pl_load(&stack->positions[triangles[3 * (size_t)place.triangle + k]]) * pl_splat(place.barycentric[k]);
    }
    return pl_to(sum);
}
