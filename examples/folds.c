/* The folds layer in a program of one's own: create a stack once, then sample a pose, update and read, frame by frame.
 */
#include "pleat/folds.h"
#include "pleat/make.h"
#include "pleat/stack.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    pleat_error error;
    pleat_made *made = NULL; /* a built-in character; pleat/io.h loads files */
    pleat_stack *stack = NULL;
    pleat_pose *pose = NULL;
    pleat_result result = pleat_make("arm", NULL, NULL, &made, &error);
    const pleat_model *model = made ? pleat_made_model(made) : NULL;

    pleat_folds_options options = pleat_folds_options_default();
    options.width = 0.02f; /* metres */
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.model = model;
    desc.node = model ? model->node_count - 1 : 0; /* the sleeve */
    desc.layer_count = 1;
    desc.layers = &layer;
    result = result == PLEAT_OK ? pleat_stack_create(&desc, NULL, &stack, &error) : result;
    result = result == PLEAT_OK ? pleat_pose_create(model, NULL, &pose, &error) : result;
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    uint32_t count = pleat_stack_get_shape(stack)->vertex_count;
    pleat_vec3 *positions = malloc(count * sizeof *positions), *normals = malloc(count * sizeof *normals);
    for (int frame = 0; frame <= 60 && positions && normals; frame += 10)
    {
        float time = (float)frame / 30;
        pleat_pose_sample(pose, &model->clips[0], time);
        pleat_stack_update(stack, &(pleat_stack_input){.pose = pose, .time = time});
        pleat_stack_copy(stack, positions, normals); /* what a renderer draws, with the shape's triangles */
        const char *name;
        double value;
        printf("%.2f s, %u vertices:", (double)time, count);
        for (uint32_t i = 0; pleat_stack_figure(stack, 0, i, &name, &value); ++i)
        {
            printf(" %s %g", name, value);
        }
        printf("\n");
    }
    free(positions);
    free(normals);
    pleat_pose_destroy(pose);
    pleat_stack_destroy(stack);
    pleat_made_destroy(made);
    return 0;
}
