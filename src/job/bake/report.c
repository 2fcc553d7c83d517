/* What a bake says at its end. */
#include "job/bake/bake.h"

#include <stdio.h>

static void copy_name(char out[PLEAT_REPORT_NAME], const char *name)
{
    snprintf(out, PLEAT_REPORT_NAME, "%s", name);
}

pleat_result pl_report_create(const pleat_host *host, pl_bake_report **report, pleat_error *error)
{
    *report = PL_CREATE(pl_bake_report, host);
    if (!*report)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the report");
    }
    pl_arena_init(&(*report)->arena, &(*report)->memory);
    return PLEAT_OK;
}

void pleat_bake_report_destroy(const pleat_bake_report *shown)
{
    pl_bake_report *report = (pl_bake_report *)shown;
    if (report)
    {
        pl_arena_free(&report->arena);
        PL_DESTROY(report);
    }
}

/* The layers of each stack; one that layers pass by has none. */
static pleat_result begin_layers(pl_bake_report *report, const pleat_model *model, const pleat_bake *bake,
                                 pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_layer_type *type;
    uint32_t stack_count = pleat_bake_stack_count(bake), count = 0;
    for (uint32_t s = 0; s < stack_count; ++s)
    {
        for (uint32_t i = 0; pleat_stack_layer(pleat_bake_stack(bake, s), i, NULL); ++i)
        {
            ++count;
        }
    }
    PL_ARENA_NEW_OR_FAIL(report->layers, &report->arena, pleat_report_layer, count, error);
    report->shown.layers = report->layers;
    for (uint32_t s = 0; s < stack_count; ++s)
    {
        for (uint32_t i = 0; pleat_stack_layer(pleat_bake_stack(bake, s), i, &type); ++i)
        {
            pleat_report_layer *layer = &report->layers[report->shown.layer_count++];
            layer->type = type;
            copy_name(layer->node, model->nodes[pleat_bake_stack_node(bake, s)].name);
        }
    }
fail:
    return result;
}

pleat_result pl_report_begin(pl_bake_report *report, const pleat_bake_desc *desc, const pleat_bake *bake,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    pleat_bake_report *shown = &report->shown;
    shown->frame_count = shape->frame_count;
    shown->vertex_count = shape->vertex_count;
    shown->triangle_count = shape->triangle_count;
    shown->part_count = shape->part_count;
    shown->fps = (double)shape->fps;
    shown->start = (double)shape->start;
    PL_ARENA_NEW_OR_FAIL(report->clips, &report->arena, pleat_report_clip, shape->shot_count, error);
    PL_ARENA_NEW_OR_FAIL(report->frame_seconds, &report->arena, double, shape->frame_count, error);
    PL_ARENA_NEW_OR_FAIL(report->output_seconds, &report->arena, double, shape->frame_count, error);
    shown->clips = report->clips;
    shown->frame_seconds = report->frame_seconds;
    shown->output_seconds = report->output_seconds;
    for (uint32_t i = 0; i < shape->shot_count; ++i)
    {
        pleat_report_clip *clip = &report->clips[shown->clip_count++];
        copy_name(clip->name, shape->shots[i].clip->name);
        clip->frame_count = shape->shots[i].frame_count;
        clip->start = (double)shape->shots[i].start;
    }
    result = begin_layers(report, desc->model, bake, error);
fail:
    return result;
}

static void take_figures(pl_bake_report *report, const pleat_bake *bake)
{
    pleat_report_layer *layer = report->layers;
    for (uint32_t s = 0; s < pleat_bake_stack_count(bake); ++s)
    {
        const pleat_stack *stack = pleat_bake_stack(bake, s);
        for (uint32_t i = 0; pleat_stack_layer(stack, i, NULL); ++i, ++layer)
        {
            double values[PLEAT_FIGURE_LIMIT] = {0};
            pleat_stack_measure(stack, i, values);
            bool first = layer->frame_count++ == 0;
            for (uint32_t k = 0; k < layer->type->figure_count; ++k)
            {
                layer->largest[k] = first || values[k] > layer->largest[k] ? values[k] : layer->largest[k];
                layer->mean[k] += (values[k] - layer->mean[k]) / layer->frame_count;
            }
        }
    }
}

void pl_report_frame(pl_bake_report *report, uint32_t frame, double seconds, double output_seconds,
                     const pleat_bake *bake)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    report->frame_seconds[frame] = seconds;
    report->output_seconds[frame] = output_seconds;
    if (shape->triangle_count > report->shown.triangle_count)
    {
        report->shown.vertex_count = shape->vertex_count;
        report->shown.triangle_count = shape->triangle_count;
    }
    if (frame >= report->shown.resumed)
    {
        take_figures(report, bake);
    }
}

pleat_result pl_report_morphs(pl_bake_report *report, const pleat_model *model, const pleat_morphs *morphs,
                              pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = pleat_morphs_count(morphs);
    pleat_report_node *nodes;
    PL_ARENA_NEW_OR_FAIL(nodes, &report->arena, pleat_report_node, count, error);
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_morphed *morphed = pleat_morphs_get(morphs, i);
        copy_name(nodes[i].name, model->nodes[morphed->node].name);
        nodes[i].target_count = morphed->mesh.target_count - morphed->input_target_count;
        nodes[i].largest_error = morphed->error.largest;
        nodes[i].rms_error = morphed->error.rms;
        nodes[i].largest_displacement = morphed->largest_displacement;
    }
    report->shown.node_count = count;
    report->shown.nodes = nodes;
fail:
    return result;
}
