/* A displacement and a normal map of the dancer's garment. */
#include "bench.h"

#include "pleat/layers/folds.h"
#include "pleat/make.h"
#include "pleat/bake.h"
#include "pleat/export/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SIZE = 2048,
    ROUNDS = 9
};

typedef struct mapped
{
    pleat_maps *maps;
    pleat_tasks tasks;
    uint16_t *heights, *normals;
} mapped;

static void run_maps(void *user)
{
    mapped *m = user;
    pleat_maps_update(m->maps, m->heights, m->normals, NULL, &m->tasks);
}

void bench_maps(void)
{
    pleat_made *made = NULL;
    pleat_pose *pose = NULL;
    pleat_stack *stack = NULL;
    pleat_pool *pool = NULL;
    mapped m = {.heights = malloc(SIZE * SIZE * sizeof *m.heights),
                .normals = malloc(3 * SIZE * SIZE * sizeof *m.normals)};
    if (!m.heights || !m.normals || pleat_make("dancer", NULL, NULL, &made, NULL) != PLEAT_OK ||
        pleat_pool_create(2, &pool, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    const pleat_model *model = pleat_made_model(made);
    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.clip = &model->clips[1];
    desc.frame_count = pleat_clip_frame_count(desc.clip, 30);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t mesh = model->nodes[n].mesh;
        desc.node = mesh != PLEAT_NONE && strcmp(model->meshes[mesh].name, "leotard") == 0 ? n : desc.node;
    }
    pleat_host host = pleat_host_default();
    host.tasks = m.tasks = pleat_pool_tasks(pool);
    pleat_maps_desc maps = pleat_maps_desc_default();
    maps.size = SIZE;
    if (pleat_stack_create(&desc, NULL, &stack, NULL) != PLEAT_OK ||
        pleat_pose_create(model, NULL, &pose, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    pleat_pose_sample(pose, desc.clip, 0.5f * (desc.clip->start + desc.clip->end));
    pleat_stack_input input = {.pose = pose};
    pleat_stack_update(stack, &input);
    maps.stack = stack;
    if (pleat_maps_create(&maps, &host, &m.maps, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    double seconds = bench_best(run_maps, &m, ROUNDS);
    bench_row("maps, leotard, 2048 x 2048, 2 threads", seconds * 1e3, "ms", "0.25 s", seconds / 0.25, BENCH_AT_MOST, 1);
    pleat_maps_destroy(m.maps);
    pleat_stack_destroy(stack);
    pleat_pose_destroy(pose);
    pleat_pool_destroy(pool);
    pleat_made_destroy(made);
    free(m.normals);
    free(m.heights);
}
