/* The volume layer against plain skinning of the same mesh, at the pose where most is lost. */
#include "bench.h"

#include "stack/stack.h"
#include "pleat/io.h"
#include "pleat/make.h"
#include "pleat/layers/volume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROUNDS = 201
};

typedef struct posed
{
    pleat_pose *pose;
    pleat_stack *stack;
    pleat_volume_options options;
    pleat_tasks tasks;
    double error; /* the largest over the clip */
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
    stack->layers[0].type->update(stack->layers[0].layer, &frame);
}

static double figure(const posed *p, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(p->stack, 0, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    return 0;
}

/* The time of the clip at which most is lost, of 61. */
static float worst_time(posed *p, const pleat_clip *clip)
{
    enum
    {
        SAMPLES = 60
    };
    float worst = clip->start;
    double most = -1;
    for (int i = 0; i <= SAMPLES; ++i)
    {
        float time = clip->start + (clip->end - clip->start) * (float)i / SAMPLES;
        pleat_pose_sample(p->pose, clip, time);
        pleat_stack_input input = {.pose = p->pose, .time = time};
        pleat_stack_update(p->stack, &input);
        worst = figure(p, "lost") > most ? time : worst;
        most = fmax(most, figure(p, "lost"));
        p->error = fmax(p->error, figure(p, "error"));
    }
    return worst;
}

static void time_mesh(const char *character, const pleat_model *model, uint32_t node)
{
    posed p = {.options = pleat_volume_options_default()};
    pleat_layer_desc layer = {&pleat_volume_layer, &p.options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    desc.node = node;
    desc.layer_count = 1;
    desc.layers = &layer;
    if (pleat_pose_create(model, NULL, &p.pose, NULL) != PLEAT_OK ||
        pleat_stack_create(&desc, NULL, &p.stack, NULL) != PLEAT_OK)
    {
        fprintf(stderr, "bench: no volume on %s\n", character);
        exit(1);
    }
    pleat_pose_sample(p.pose, &model->clips[0], worst_time(&p, &model->clips[0]));
    pleat_stack_input input = {.pose = p.pose};
    pleat_stack_update(p.stack, &input);
    bench_pair pair = bench_compare(run_layer, &p, run_skinning, &p, ROUNDS);
    char name[80];
    snprintf(name, sizeof name, "volume, %s, %u", character, p.stack->coarse_count);
    bench_row(name, pair.seconds * 1e3, "ms", "lbs of the same mesh", pair.seconds / pair.reference_seconds,
              BENCH_AT_MOST, 10);
    snprintf(name, sizeof name, "volume error, %s", character);
    bench_row(name, p.error * 1e6, "1e-6", "1e-6 of the volume", p.error / 1e-6, BENCH_AT_MOST, 1);
    pleat_stack_destroy(p.stack);
    pleat_pose_destroy(p.pose);
}

static void time_character(const char *character, const char *mesh)
{
    pleat_made *made = NULL;
    if (pleat_make(character, NULL, NULL, &made, NULL) != PLEAT_OK)
    {
        return;
    }
    const pleat_model *model = pleat_made_model(made);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t m = model->nodes[n].mesh;
        if (m != PLEAT_NONE && strcmp(model->meshes[m].name, mesh) == 0)
        {
            time_mesh(character, model, n);
        }
    }
    pleat_made_destroy(made);
}

/* Every skinned mesh of a file of the shared data, where that is. */
static void time_file(const char *path)
{
    char full[1024], name[48];
    pleat_asset *asset = NULL;
    snprintf(full, sizeof full, "%s/../shared/data/%s", PLEAT_SOURCE_DIR, path);
    if (pleat_asset_load(full, NULL, NULL, &asset, NULL) != PLEAT_OK)
    {
        return;
    }
    const pleat_model *model = pleat_asset_model(asset);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh != PLEAT_NONE && model->nodes[n].skin != PLEAT_NONE)
        {
            const char *folder = strchr(path, '_') + 1; /* without its origin */
            snprintf(name, sizeof name, "%.*s, %.16s", (int)strcspn(folder, "/_"), folder,
                     model->meshes[model->nodes[n].mesh].name);
            time_mesh(name, model, n);
        }
    }
    pleat_asset_destroy(asset);
}

void bench_volume(void)
{
    static const char *const files[] = {"khr_cesium_man/CesiumMan.glb",
                                        "mh_arm/mh_arm_body.glb",
                                        "mh_fat_male_worksuit/mh_fat_male_worksuit.glb",
                                        "mh_modern_leotard/mh_modern_leotard.glb",
                                        "mh_salsa_sportsuit/mh_salsa_sportsuit.glb",
                                        "quat_knight/KnightCharacter.glb",
                                        "webxr_hand/webxr_hand_left_curl.glb"};
    time_character("arm", "sleeve");
    time_character("hand", "hand");
    time_character("belly", "belly");
    time_character("dancer", "skin");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    {
        time_file(files[i]);
    }
}
