/* The folds layer in a program of one's own: example_folds FILE NODE. Bind once; then pose, update, read each frame. */
#include "pleat/layers/folds.h"
#include "pleat/io.h"
#include "pleat/stack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    pleat_error error = {.message = "usage: example_folds FILE NODE, the name of a node with a skinned mesh"};
    pleat_asset *asset = NULL;
    pleat_stack *stack = NULL;
    pleat_pose *pose = NULL;
    pleat_result bad = argc == 3 ? pleat_asset_load(argv[1], NULL, NULL, &asset, &error) : PLEAT_BAD_ARGUMENT;
    const pleat_model *model = asset ? pleat_asset_model(asset) : NULL;
    pleat_folds_options options = pleat_folds_options_default();
    options.width = 0.02f; /* metres */
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.model = model, desc.layer_count = 1, desc.layers = &(pleat_layer_desc){&pleat_folds_layer, &options};
    for (uint32_t n = 0; model && n < model->node_count; ++n)
        desc.node = strcmp(model->nodes[n].name, argv[2]) == 0 ? n : desc.node;
    if (bad || pleat_stack_create(&desc, NULL, &stack, &error) || pleat_pose_create(model, NULL, &pose, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    uint32_t count = pleat_stack_get_shape(stack)->vertex_count; /* and its triangles, for a renderer */
    pleat_vec3 *positions = calloc(2 * (size_t)count + 1, sizeof *positions), *normals = positions + count;
    for (float time = 0; time <= 2; time += 0.25f)
    {
        if (model->clip_count) /* or a pose of the game's own */
            pleat_pose_sample(pose, &model->clips[0], time);
        pleat_stack_update(stack, &(pleat_stack_input){.pose = pose, .time = time}); /* never allocates */
        pleat_stack_copy(stack, positions, normals);
        printf("%.2f s, %u vertices:", (double)time, count);
        const char *name;
        double value;
        for (uint32_t i = 0; pleat_stack_figure(stack, 0, i, &name, &value); ++i)
            printf(" %s %g", name, value);
        puts("");
    }
    free(positions), pleat_pose_destroy(pose), pleat_stack_destroy(stack), pleat_asset_destroy(asset);
}
