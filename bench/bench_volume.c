/* The volume layer against plain skinning of the same mesh, at the pose where most is lost. */
#include "bench.h"

#include "bake/stack.h"
#include "pleat/make.h"
#include "pleat/volume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROUNDS = 201
};

typedef struct posed
{
    pleat_made *made;
    pleat_pose *pose;
    pleat_stack *stack;
    pleat_volume_options options;
    pleat_tasks tasks;
} posed;

static void run_skinning(void *user)
{
    posed *p = user;
    const pleat_stack *stack = p->stack;
    pleat_skin_job job = pleat_skin_job_default();
    job.vertex_count = stack->coarse_count;
    job.influence_count = stack->influence_count;
    job.joints = stack->coarse_joints;
    job.weights = stack->coarse_weights;
    job.joint_count = stack->joint_count;
    job.matrices = stack->joint_matrices;
    job.positions = stack->coarse_bind;
    job.out_positions = stack->coarse_positions;
    job.scratch = stack->skin_scratch;
    job.tasks = &p->tasks;
    if (pleat_skin_run(&job, NULL) != PLEAT_OK)
    {
        exit(1);
    }
}

/* The layer, over positions as skinning left them. */
static void run_layer(void *user)
{
    posed *p = user;
    pleat_stack *stack = p->stack;
    memcpy(stack->positions, stack->coarse_positions, stack->coarse_count * sizeof *stack->positions);
    pleat_layer_frame frame = {.joints = stack->joint_matrices,
                               .worlds = pleat_pose_worlds(p->pose),
                               .positions = stack->positions,
                               .normals = stack->layer_normals,
                               .tasks = &p->tasks};
    stack->layer_types[0]->update(stack->layers[0], &frame);
}

static double figure(const posed *p, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; p->stack->layer_types[0]->figure(p->stack->layers[0], i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    return 0;
}

static void time_character(const char *character, const char *mesh, float part_of_clip)
{
    posed p = {.options = pleat_volume_options_default()};
    pleat_layer_desc layer = {&pleat_volume_layer, &p.options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    if (pleat_make(character, NULL, NULL, &p.made, NULL) != PLEAT_OK)
    {
        return;
    }
    const pleat_model *model = pleat_made_model(p.made);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t m = model->nodes[n].mesh;
        desc.node = m != PLEAT_NONE && strcmp(model->meshes[m].name, mesh) == 0 ? n : desc.node;
    }
    desc.model = model;
    desc.layer_count = 1;
    desc.layers = &layer;
    if (desc.node == PLEAT_NONE || pleat_pose_create(model, NULL, &p.pose, NULL) != PLEAT_OK ||
        pleat_stack_create(&desc, NULL, &p.stack, NULL) != PLEAT_OK)
    {
        fprintf(stderr, "bench: no %s of %s\n", mesh, character);
        exit(1);
    }
    const pleat_clip *clip = &model->clips[0];
    pleat_pose_sample(p.pose, clip, clip->start + part_of_clip * (clip->end - clip->start));
    pleat_stack_input input = {.pose = p.pose};
    pleat_stack_update(p.stack, &input);
    bench_pair pair = bench_compare(run_layer, &p, run_skinning, &p, ROUNDS);
    char name[80];
    snprintf(name, sizeof name, "volume, %s, %u vertices", character, p.stack->coarse_count);
    bench_row(name, pair.seconds * 1e3, "ms", "lbs of the same mesh", pair.seconds / pair.reference_seconds,
              BENCH_AT_MOST, 10);
    snprintf(name, sizeof name, "volume error, %s", character);
    bench_row(name, figure(&p, "error") * 1e6, "1e-6", "1e-6 of the volume", figure(&p, "error") / 1e-6, BENCH_AT_MOST,
              1);
    pleat_stack_destroy(p.stack);
    pleat_pose_destroy(p.pose);
    pleat_made_destroy(p.made);
}

void bench_volume(void)
{
    time_character("arm", "sleeve", 0.5f);
    time_character("hand", "hand", 0.5f);
    time_character("belly", "belly", 1);
    time_character("dancer", "skin", 0.5f);
}
