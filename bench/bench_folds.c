/* What folds cost over the same subdivided skinning with normals (the same mesh, poses and levels, the layer left out),
 * and what refining only where they are saves. The paper's dancer: 1.50, 1.64 and 1.66 times the skinning at 2, 3 and 4
 * levels. */
#include "bench.h"

#include "pleat/bake.h"
#include "pleat/layers/folds.h"
#include "pleat/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROUNDS = 15, /* at LEVELS, and four times as many at each level below: as many triangles */
    LEVELS = 4,
    FRAMES = 12 /* of the character's first clip, evenly spread */
};

/* A mesh of a built-in character. */
typedef struct garment
{
    const char *character, *node;
} garment;

static void check(pleat_result result, const pleat_error *error)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

/* A garment at a level, with or without folds; refined where folds are or not. */
static pleat_bake *make_bake(const pleat_model *model, const char *name, uint32_t level, bool folds, bool local)
{
    pleat_folds_options options = pleat_folds_options_default();
    static pleat_layer_type types[2]; /* a stack keeps what it is given */
    pleat_layer_type *type = &types[local];
    *type = pleat_folds_layer;
    type->wants = local ? type->wants : NULL;
    pleat_layer_desc layer = {type, &options};
    uint32_t node = 0;
    while (strcmp(model->nodes[node].name, name) != 0 || model->nodes[node].mesh == PLEAT_NONE)
    {
        ++node;
    }
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.node_count = 1;
    desc.nodes = &node;
    desc.level = level;
    desc.fps = (FRAMES - 1) / (model->clips[0].end - model->clips[0].start);
    desc.layer_count = folds;
    desc.layers = &layer;
    pleat_bake *bake;
    pleat_error error = {0};
    check(pleat_bake_create(&desc, NULL, &bake, &error), &error);
    return bake;
}

typedef struct frame_run
{
    pleat_bake *bake;
    uint32_t frame;
} frame_run;

static void run_frame(void *user)
{
    const frame_run *run = user;
    check(pleat_bake_frame(run->bake, run->frame, NULL), &(pleat_error){0});
}

/* Seconds for a frame of each, the best of every frame: frames follow each other as in a bake. */
static bench_pair compare_bakes(pleat_bake *bake, pleat_bake *reference, uint32_t rounds)
{
    double best[2][FRAMES];
    for (uint32_t i = 0; i < 2 * rounds * FRAMES; ++i)
    {
        uint32_t round = i / (2 * FRAMES), which = i / FRAMES % 2, frame = i % FRAMES;
        frame_run run = {which ? reference : bake, frame};
        double seconds = bench_best(run_frame, &run, 1);
        best[which][frame] = round && best[which][frame] < seconds ? best[which][frame] : seconds;
    }
    bench_pair pair = {0, 0};
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        pair.seconds += best[0][f] / FRAMES;
        pair.reference_seconds += best[1][f] / FRAMES;
    }
    return pair;
}

static uint32_t triangles_of(const pleat_bake *bake)
{
    return pleat_bake_get_shape(bake)->triangle_count;
}

/* The arm with 3,660 triangles, so that four levels of it compare with those of the dancer. */
static pleat_made *make_character(const garment *g)
{
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 30;
    options.arm_along = 62;
    pleat_made *made;
    pleat_error error = {0};
    check(pleat_make(g->character, &options, NULL, &made, &error), &error);
    return made;
}

static void compare_levels(const garment *g)
{
    pleat_made *made = make_character(g);
    const pleat_model *model = pleat_made_model(made);
    char name[96];
    for (uint32_t level = 2; level <= LEVELS; ++level)
    {
        pleat_bake *folds = make_bake(model, g->node, level, true, false);
        pleat_bake *plain = make_bake(model, g->node, level, false, false);
        bench_pair pair = compare_bakes(folds, plain, ROUNDS << 2 * (LEVELS - level));
        snprintf(name, sizeof name, "folds, %s, %u levels, %u triangles", g->node, level, triangles_of(folds));
        bench_row(name, pair.seconds * 1e3, "ms", "the same skinning with normals",
                  pair.seconds / pair.reference_seconds, BENCH_AT_MOST, 1.2);
        pleat_bake_destroy(folds);
        pleat_bake_destroy(plain);
    }
    pleat_made_destroy(made);
}

static void compare_refinement(const garment *g)
{
    pleat_made *made = make_character(g);
    const pleat_model *model = pleat_made_model(made);
    char name[96];
    pleat_bake *local = make_bake(model, g->node, 0, true, true);
    pleat_bake *uniform = make_bake(model, g->node, LEVELS, true, false);
    bench_pair pair = compare_bakes(local, uniform, ROUNDS);
    snprintf(name, sizeof name, "folds, refined where they are, %u triangles", triangles_of(local));
    bench_row(name, pair.seconds * 1e3, "ms", "folds at 4 levels everywhere", pair.reference_seconds / pair.seconds,
              BENCH_AT_LEAST, 2);
    pleat_bake_destroy(local);
    pleat_bake_destroy(uniform);
    pleat_made_destroy(made);
}

void bench_folds(void)
{
    static const garment garments[] = {{"dancer", "tights"}, {"dancer", "leotard"}, {"arm", "sleeve"}};
    for (size_t i = 0; i < sizeof garments / sizeof garments[0]; ++i)
    {
        compare_levels(&garments[i]);
    }
    compare_refinement(&garments[0]);
}
