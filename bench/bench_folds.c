/* What folds cost over the same subdivided skinning with normals, and what refining only where they are saves. The
 * paper's dancer: 1.50, 1.64 and 1.66 times the skinning at 2, 3 and 4 levels. */
#include "bench.h"

#include "pleat/bake.h"
#include "pleat/folds.h"
#include "pleat/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ROUNDS = 9,
    FRAMES = 12 /* of the arabesque, evenly spread */
};

static void check(pleat_result result, const pleat_error *error)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

/* The tights at a level, with or without folds; refined where folds are or not. */
static pleat_bake *make_bake(const pleat_model *model, uint32_t level, bool folds, bool local)
{
    pleat_folds_options options = pleat_folds_options_default();
    static pleat_layer_type types[2]; /* a stack keeps what it is given */
    pleat_layer_type *type = &types[local];
    *type = pleat_folds_layer;
    type->wants = local ? type->wants : NULL;
    pleat_layer_desc layer = {type, &options};
    uint32_t node = 0;
    while (strcmp(model->nodes[node].name, "tights") != 0 || model->nodes[node].mesh == PLEAT_NONE)
    {
        ++node;
    }
    pleat_bake_desc desc = pleat_bake_desc_default(model);
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

static void run_frames(void *user)
{
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        check(pleat_bake_frame(user, f, NULL), &(pleat_error){0});
    }
}

static uint32_t triangles_of(const pleat_bake *bake)
{
    return pleat_bake_get_shape(bake)->triangle_count;
}

void bench_folds(void)
{
    pleat_made *made;
    pleat_error error = {0};
    check(pleat_make("dancer", NULL, NULL, &made, &error), &error);
    const pleat_model *model = pleat_made_model(made);
    char name[96];
    for (uint32_t level = 2; level <= 4; ++level)
    {
        pleat_bake *folds = make_bake(model, level, true, false), *plain = make_bake(model, level, false, false);
        bench_pair pair = bench_compare(run_frames, folds, run_frames, plain, ROUNDS);
        snprintf(name, sizeof name, "folds, tights, %u levels, %u triangles", level, triangles_of(folds));
        bench_row(name, pair.seconds * 1e3 / FRAMES, "ms", "the same skinning with normals",
                  pair.seconds / pair.reference_seconds, BENCH_AT_MOST, 1.2);
        pleat_bake_destroy(folds);
        pleat_bake_destroy(plain);
    }
    pleat_bake *local = make_bake(model, 0, true, true), *uniform = make_bake(model, 4, true, false);
    bench_pair pair = bench_compare(run_frames, local, run_frames, uniform, ROUNDS);
    snprintf(name, sizeof name, "folds, refined where they are, %u triangles", triangles_of(local));
    bench_row(name, pair.seconds * 1e3 / FRAMES, "ms", "folds at 4 levels everywhere",
              pair.reference_seconds / pair.seconds, BENCH_AT_LEAST, 2);
    pleat_bake_destroy(local);
    pleat_bake_destroy(uniform);
    pleat_made_destroy(made);
}
