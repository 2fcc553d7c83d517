/* Frames of the built-in cloth with wrinkles, on one thread: curves (stretch, tracking, shape, smoothing), projection
 * (what the layer does in a frame), and everything (with pose, refinement and normals, too). "Animation Wrinkling"
 * gives 0.8 s and 0.75 s for curves and projection of a shirt of 1168 vertices. */
#include "bench.h"

#include "stack/stack.h"
#include "layers/wrinkles/wrinkles.h"
#include "pleat/make.h"
#include "pleat/stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    APART = 7 /* every so many frames are kept refined, for the projection alone */
};

typedef struct cloth
{
    pleat_made *made;
    const pleat_model *model;
    const pleat_clip *clip;
    uint32_t node, frame_count, coarse_count;
    pleat_pose *pose;
    pleat_stack *stack; /* with wrinkles */
    pleat_stack *plain; /* the coarse cloth */
    pleat_topology *topology;
    pl_wrinkle_engine engine;
    pleat_vec4 *positions; /* frame_count by coarse_count */
    uint32_t kept_count;
    pleat_vec4 *kept, *normals; /* kept_count by surface_count */
    pleat_vec4 *work;           /* surface_count */
} cloth;

static void must(pleat_result result, const pleat_error *error)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static void find(cloth *c, const char *node, const char *clip)
{
    for (uint32_t i = 0; i < c->model->node_count; ++i)
    {
        bool meant = c->model->nodes[i].mesh != PLEAT_NONE && strcmp(c->model->nodes[i].name, node) == 0;
        c->node = meant ? i : c->node;
    }
    for (uint32_t i = 0; i < c->model->clip_count; ++i)
    {
        c->clip = strcmp(c->model->clips[i].name, clip) == 0 ? &c->model->clips[i] : c->clip;
    }
    c->frame_count = (uint32_t)((c->clip->end - c->clip->start) * 30 + 1.5f);
}

static void move(cloth *c, pleat_stack *stack, uint32_t frame)
{
    float time = c->clip->start + (float)frame / 30;
    pleat_pose_sample(c->pose, c->clip, time);
    pleat_stack_input input = {.pose = c->pose, .time = time, .step = frame ? 1 / 30.0f : 0};
    pleat_stack_update(stack, &input);
}

static void open_cloth(cloth *c, const char *character, const char *node, const char *clip)
{
    pleat_error error = {0};
    *c = (cloth){0};
    must(pleat_make(character, NULL, NULL, &c->made, &error), &error);
    c->model = pleat_made_model(c->made);
    find(c, node, clip);
    must(pleat_pose_create(c->model, NULL, &c->pose, &error), &error);
    pleat_wrinkles_options options = pleat_wrinkles_options_default();
    pleat_layer_desc layer = {&pleat_wrinkles_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = c->model;
    desc.node = c->node;
    must(pleat_stack_create(&desc, NULL, &c->plain, &error), &error);
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.clip = c->clip;
    desc.clip_start = c->clip->start;
    desc.frame_count = c->frame_count;
    must(pleat_stack_create(&desc, NULL, &c->stack, &error), &error);
    const pleat_stack_shape *shape = pleat_stack_get_shape(c->plain);
    c->coarse_count = shape->surface_count;
    must(pleat_topology_create(shape->surface_count, shape->triangle_count, shape->surface_triangles, NULL,
                               &c->topology, &error),
         &error);
    float radius =
        pl_fabric_radius(PLEAT_FABRIC_COTTON, pleat_stack_height(c->plain) > 0 ? pleat_stack_height(c->plain) : 1);
    const pl_wrinkle_engine_desc engine = {&options, radius, c->topology, shape->rest, 1 / 30.0f};
    must(pl_wrinkle_engine_create(&engine, NULL, &c->engine, &error), &error);
    c->positions = aligned_alloc(16, (size_t)c->frame_count * c->coarse_count * sizeof *c->positions);
    for (uint32_t f = 0; f < c->frame_count && c->positions; ++f)
    {
        move(c, c->plain, f);
        memcpy(c->positions + (size_t)f * c->coarse_count, pleat_stack_positions(c->plain),
               c->coarse_count * sizeof *c->positions);
    }
}

/* Frames as the layer gets them: posed and refined, with normals. */
static void keep_frames(cloth *c)
{
    uint32_t count = c->stack->shape.surface_count;
    c->kept_count = (c->frame_count + APART - 1) / APART;
    c->kept = aligned_alloc(16, (size_t)c->kept_count * count * sizeof *c->kept);
    c->normals = aligned_alloc(16, (size_t)c->kept_count * count * sizeof *c->normals);
    c->work = aligned_alloc(16, count * sizeof *c->work);
    if (!c->kept || !c->normals || !c->work)
    {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    for (uint32_t i = 0; i < c->kept_count; ++i)
    {
        pleat_vec4 *kept = c->kept + (size_t)i * count;
        float time = c->clip->start + (float)(APART * i) / 30;
        pleat_pose_sample(c->pose, c->clip, time);
        pleat_stack_input input = {.pose = c->pose, .time = time};
        pl_stack_move(c->stack, &input);
        pl_stack_refine(c->stack, c->stack->coarse_positions, kept, NULL);
        pleat_normals *normals = c->stack->vertex_normals ? c->stack->vertex_normals : c->stack->normals;
        pleat_normals_update(normals, kept, c->normals + (size_t)i * count, NULL);
    }
}

static void run_projection(void *user)
{
    cloth *c = user;
    uint32_t count = c->stack->shape.surface_count;
    for (uint32_t i = 0; i < c->kept_count; ++i)
    {
        memcpy(c->work, c->kept + (size_t)i * count, count * sizeof *c->work);
        float time = c->clip->start + (float)(APART * i) / 30;
        pleat_layer_frame frame = {.time = time,
                                   .row_time = (double)time,
                                   .worlds = pleat_pose_worlds(c->pose),
                                   .positions = c->work,
                                   .normals = c->normals + (size_t)i * count};
        pleat_wrinkles_layer.update(c->stack->layers[0].layer, &frame);
    }
}

static void close_cloth(cloth *c)
{
    free(c->kept);
    free(c->normals);
    free(c->work);
    free(c->positions);
    pl_wrinkle_engine_destroy(&c->engine);
    pleat_topology_destroy(c->topology);
    pleat_stack_destroy(c->stack);
    pleat_stack_destroy(c->plain);
    pleat_pose_destroy(c->pose);
    pleat_made_destroy(c->made);
}

static void run_curves(void *user)
{
    cloth *c = user;
    for (uint32_t f = 0; f < c->frame_count; ++f)
    {
        pl_wrinkle_engine_step(&c->engine, c->positions + (size_t)f * c->coarse_count, f ? 1 / 30.0f : 0, NULL);
    }
}

static void run_frames(void *user)
{
    cloth *c = user;
    for (uint32_t f = 0; f < c->frame_count; ++f)
    {
        move(c, c->stack, f);
    }
}

void bench_cloth(void)
{
    static const struct
    {
        const char *character, *node, *clip;
        double paper; /* ms, curves and projection; 0: not in its table */
        uint32_t rounds;
    } list[] = {{"rectangle", "cloth", "compress", 218, 1},
                {"towel", "towel", "push", 125, 2},
                {"shirt", "shirt", "twist", 1550, 3},
                {"dancer", "tights", "squat", 800, 2},
                {"skirt", "skirt", "arabesque", 1300, 1}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i)
    {
        if (!bench_wants(list[i].node))
        {
            continue;
        }
        cloth c;
        open_cloth(&c, list[i].character, list[i].node, list[i].clip);
        keep_frames(&c);
        double curves = bench_best(run_curves, &c, list[i].rounds) * 1e3 / c.frame_count;
        double projection = bench_best(run_projection, &c, 2 * list[i].rounds) * 1e3 / c.kept_count;
        double frame = bench_best(run_frames, &c, list[i].rounds) * 1e3 / c.frame_count;
        bool shirt = strcmp(list[i].node, "shirt") == 0;
        char name[120];
        snprintf(name, sizeof name, "%s with wrinkles, %u vertices: curves", list[i].node, c.coarse_count);
        bench_row(name, curves, "ms", "the paper's frame", list[i].paper / curves, BENCH_NO_GOAL, 0);
        snprintf(name, sizeof name, "%s with wrinkles: curves and projection", list[i].node);
        bench_row(name, curves + projection, "ms", "the paper's frame", list[i].paper / (curves + projection),
                  shirt ? BENCH_AT_LEAST : BENCH_NO_GOAL, 100);
        snprintf(name, sizeof name, "%s with wrinkles, refined to %u: whole frame", list[i].node,
                 pleat_stack_get_shape(c.stack)->surface_count);
        bench_row(name, curves + frame, "ms", "the paper's frame", list[i].paper / (curves + frame), BENCH_NO_GOAL, 0);
        close_cloth(&c);
    }
}
