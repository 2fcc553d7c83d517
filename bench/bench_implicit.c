/* Implicit skinning of a worm whose 50 joints are all bent: nothing in it is far from a bent joint. And creases on the
 * built-in hand, with all that is below them. */
#include "bench.h"

#include "pleat/layers/creases.h"
#include "pleat/layers/implicit.h"
#include "pleat/make.h"
#include "pleat/stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    JOINTS = 50,
    ROWS = 10, /* of quads, for each joint */
    AROUND = 60,
    VERTICES = (JOINTS * ROWS + 1) * AROUND,
    TRIANGLES = 2 * JOINTS * ROWS * AROUND,
    ROUNDS = 41
};

#define RADIUS 0.04f
#define LENGTH 0.16f /* of a bone */
#define BLEND 0.035f /* half of where two bones blend */
#define TURN 0.6f    /* of each joint, radians, one way and the other */

typedef struct worm
{
    pleat_vec3 points[VERTICES];
    uint16_t joints[VERTICES][4];
    float weights[VERTICES][4];
    uint32_t triangles[TRIANGLES][3];
    pleat_node nodes[JOINTS + 1];
    uint32_t order[JOINTS + 1], skin_joints[JOINTS];
    pleat_affine binds[JOINTS];
    float times[2], keys[JOINTS][8];
    pleat_channel channels[JOINTS];
    pleat_primitive primitive;
    pleat_mesh mesh;
    pleat_skin skin;
    pleat_clip clip;
    pleat_model model;
} worm;

static void make_skin(worm *w)
{
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        float z = LENGTH * (float)(v / AROUND) / ROWS, turn = 6.2831853f * (float)(v % AROUND) / AROUND;
        int near = (int)lroundf(z / LENGTH); /* the joint between the bones near - 1 and near */
        float t = (z - LENGTH * (float)near) / BLEND * 0.5f + 0.5f;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        t = near == 0 ? 1 : near == JOINTS ? 0 : t * t * (3 - 2 * t);
        w->points[v] = (pleat_vec3){RADIUS * sinf(turn), RADIUS * cosf(turn), z};
        w->joints[v][0] = (uint16_t)(near < JOINTS ? near : JOINTS - 1);
        w->joints[v][1] = (uint16_t)(near > 0 ? near - 1 : 0);
        w->weights[v][0] = t;
        w->weights[v][1] = 1 - t;
    }
    for (uint32_t q = 0; q < TRIANGLES / 2; ++q)
    {
        uint32_t a = q, b = q / AROUND * AROUND + (q + 1) % AROUND;
        const uint32_t both[6] = {a, a + AROUND, b, b, a + AROUND, b + AROUND};
        memcpy(w->triangles[2 * q], both, sizeof both);
    }
    w->primitive = (pleat_primitive){.vertex_count = VERTICES,
                                     .triangle_count = TRIANGLES,
                                     .triangles = &w->triangles[0][0],
                                     .positions = w->points,
                                     .influence_count = 4,
                                     .joints = &w->joints[0][0],
                                     .weights = &w->weights[0][0],
                                     .material = PLEAT_NONE};
    w->mesh = (pleat_mesh){.name = "worm", .primitive_count = 1, .primitives = &w->primitive};
}

static void make_joints(worm *w)
{
    w->times[1] = 1;
    for (uint32_t n = 0; n <= JOINTS; ++n)
    {
        w->nodes[n] = pleat_node_default();
        w->nodes[n].name = "joint";
        w->nodes[n].parent = n > 1 ? n - 1 : PLEAT_NONE;
        w->nodes[n].local.translation.z = n > 1 ? LENGTH : 0;
        w->order[n] = n;
    }
    w->nodes[0].mesh = w->nodes[0].skin = 0;
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        float half = j % 2 ? TURN / 2 : -TURN / 2, *key = w->keys[j];
        w->skin_joints[j] = j + 1;
        w->binds[j] = (pleat_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, -LENGTH * (float)j}}};
        key[3] = 1;
        key[4] = sinf(half);
        key[7] = cosf(half);
        w->channels[j] = (pleat_channel){.node = j + 1,
                                         .path = PLEAT_ROTATION,
                                         .interpolation = PLEAT_LINEAR,
                                         .key_count = 2,
                                         .width = 4,
                                         .times = w->times,
                                         .values = key};
    }
    w->skin = (pleat_skin){.name = "skin", .joint_count = JOINTS, .joints = w->skin_joints, .inverse_binds = w->binds};
    w->clip = pleat_clip_default();
    w->clip.name = "bend";
    w->clip.end = 1;
    w->clip.channel_count = JOINTS;
    w->clip.channels = w->channels;
}

static worm *make_worm(void)
{
    worm *w = calloc(1, sizeof *w);
    if (!w)
    {
        exit(1);
    }
    make_skin(w);
    make_joints(w);
    w->model = (pleat_model){.node_count = JOINTS + 1,
                             .mesh_count = 1,
                             .skin_count = 1,
                             .clip_count = 1,
                             .nodes = w->nodes,
                             .meshes = &w->mesh,
                             .skins = &w->skin,
                             .clips = &w->clip,
                             .node_order = w->order,
                             .scene_node_count = JOINTS + 1,
                             .scene_nodes = w->order};
    return w;
}

typedef struct posed
{
    pleat_pose *pose;
    pleat_stack *stack;
} posed;

static void run_frame(void *user)
{
    posed *p = user;
    pleat_stack_input input = {.pose = p->pose};
    pleat_stack_update(p->stack, &input);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the seconds that binding took. */
static double make_stack(posed *p, const pleat_model *model, uint32_t node, float time, const pleat_layer_desc *creases)
{
    static pleat_implicit_options options;
    options = pleat_implicit_options_default();
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.model = model;
    desc.node = node;
    desc.skinning = PLEAT_DQS;
    desc.skin_layer = (pleat_layer_desc){&pleat_implicit_layer, &options};
    desc.layer_count = creases ? 1 : 0;
    desc.layers = creases;
    desc.clip = &model->clips[0];
    desc.frame_count = 31;
    double start = seconds_now();
    if (pleat_stack_create(&desc, NULL, &p->stack, NULL) != PLEAT_OK ||
        pleat_pose_create(model, NULL, &p->pose, NULL) != PLEAT_OK)
    {
        fprintf(stderr, "bench: no implicit skinning\n");
        exit(1);
    }
    pleat_pose_sample(p->pose, &model->clips[0], time);
    return seconds_now() - start;
}

static void free_stack(posed *p)
{
    pleat_stack_destroy(p->stack);
    pleat_pose_destroy(p->pose);
}

void bench_implicit(void)
{
    worm *w = make_worm();
    posed p;
    double bind = make_stack(&p, &w->model, 0, 1, NULL), seconds = bench_best(run_frame, &p, ROUNDS);
    bench_row("implicit, worm, 50 joints, 30060", seconds * 1e3, "ms", "25 ms", seconds / 0.025, BENCH_AT_MOST, 1);
    bench_row("implicit bind, worm", bind, "s", "2 s", bind / 2, BENCH_AT_MOST, 1);
    free_stack(&p);
    free(w);
    pleat_made *made = NULL;
    if (pleat_make("hand", NULL, NULL, &made, NULL) != PLEAT_OK)
    {
        return;
    }
    pleat_creases_options options = pleat_creases_options_default();
    pleat_layer_desc creases = {&pleat_creases_layer, &options};
    const pleat_model *model = pleat_made_model(made);
    uint32_t node = 0;
    while (model->nodes[node].mesh == PLEAT_NONE)
    {
        ++node;
    }
    make_stack(&p, model, node, 1, &creases);
    seconds = bench_best(run_frame, &p, ROUNDS);
    char name[80];
    snprintf(name, sizeof name, "creases, hand, %u", pleat_stack_get_shape(p.stack)->surface_count);
    bench_row(name, seconds * 1e3, "ms", "the paper's 100 ms", seconds / 0.1, BENCH_AT_MOST, 1);
    free_stack(&p);
    pleat_made_destroy(made);
}
