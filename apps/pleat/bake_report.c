#include "bake_report.h"

#include "budget.h"
#include "layer_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static pleat_result out_of_memory(pleat_error *error)
{
    error->result = PLEAT_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory for the report");
    return PLEAT_NO_MEMORY;
}

static pleat_result begin_layers(bake_report *report, const pleat_model *model, const pleat_bake_desc *desc,
                                 const pleat_bake *bake, pleat_error *error)
{
    uint32_t stack_count = pleat_bake_stack_count(bake);
    report->layers = calloc((size_t)stack_count * desc->layer_count + 1, sizeof report->layers[0]);
    if (!report->layers)
    {
        return out_of_memory(error);
    }
    for (uint32_t s = 0; s < stack_count; ++s)
    {
        for (uint32_t i = 0; i < desc->layer_count; ++i)
        {
            report_layer *layer = &report->layers[report->layer_count++];
            layer->layer = desc->layers[i].type->name;
            snprintf(layer->node, sizeof layer->node, "%.120s",
                     shown(model->nodes[pleat_bake_stack_node(bake, s)].name));
        }
    }
    return PLEAT_OK;
}

pleat_result report_begin(bake_report *report, const pleat_model *model, const pleat_bake_desc *desc,
                          const pleat_bake *bake, pleat_error *error)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    report->frame_count = shape->frame_count;
    report->vertex_count = shape->vertex_count;
    report->triangle_count = shape->triangle_count;
    report->part_count = shape->part_count;
    report->fps = (double)shape->fps;
    report->start = (double)shape->start;
    report->skin = desc->skinning == PLEAT_DQS ? "dqs" : "lbs";
    report->clips = calloc((size_t)shape->shot_count + 1, sizeof report->clips[0]);
    report->frame_seconds = calloc(shape->frame_count, sizeof report->frame_seconds[0]);
    report->output_seconds = calloc(shape->frame_count, sizeof report->output_seconds[0]);
    if (!report->frame_seconds || !report->output_seconds || !report->clips)
    {
        return out_of_memory(error);
    }
    for (uint32_t i = 0; i < shape->shot_count; ++i)
    {
        report_clip *clip = &report->clips[report->clip_count++];
        snprintf(clip->name, sizeof clip->name, "%.120s", shown(shape->shots[i].clip->name));
        clip->frame_count = shape->shots[i].frame_count;
        clip->start = (double)shape->shots[i].start;
    }
    return begin_layers(report, model, desc, bake, error);
}

/* Nodes that the layers pass by have no figures. */
static void take_figures(bake_report *report, const pleat_bake *bake)
{
    uint32_t stack_count = pleat_bake_stack_count(bake);
    uint32_t per_stack = report->layer_count / stack_count;
    for (uint32_t l = 0; l < report->layer_count; ++l)
    {
        const pleat_stack *stack = pleat_bake_stack(bake, l / per_stack);
        report_layer *layer = &report->layers[l];
        const char *name;
        double value;
        for (uint32_t i = 0; i < REPORT_FIGURES && pleat_stack_figure(stack, l % per_stack, i, &name, &value); ++i)
        {
            bool first = i >= layer->figure_count;
            layer->names[i] = name;
            layer->largest[i] = first || value > layer->largest[i] ? value : layer->largest[i];
            layer->figure_count += first;
        }
    }
}

void report_frame(bake_report *report, uint32_t frame, double seconds, double output_seconds, const pleat_bake *bake)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    report->frame_seconds[frame] = seconds;
    if (shape->triangle_count > report->triangle_count)
    {
        report->vertex_count = shape->vertex_count;
        report->triangle_count = shape->triangle_count;
    }
    report->output_seconds[frame] = output_seconds;
    if (frame >= report->resumed)
    {
        take_figures(report, bake);
    }
}

pleat_result report_morphs(bake_report *report, const pleat_model *model, const pleat_morphs *morphs,
                           pleat_error *error)
{
    report->node_count = pleat_morphs_count(morphs);
    report->nodes = calloc(report->node_count ? report->node_count : 1, sizeof report->nodes[0]);
    if (!report->nodes)
    {
        report->node_count = 0;
        return out_of_memory(error);
    }
    for (uint32_t i = 0; i < report->node_count; ++i)
    {
        const pleat_morphed *morphed = pleat_morphs_get(morphs, i);
        report_node *node = &report->nodes[i];
        snprintf(node->name, sizeof node->name, "%.120s", shown(model->nodes[morphed->node].name));
        node->target_count = morphed->mesh.target_count - morphed->input_target_count;
        node->largest_error = morphed->error.largest;
        node->rms_error = morphed->error.rms;
        node->largest_displacement = morphed->largest_displacement;
    }
    return PLEAT_OK;
}

void report_free(bake_report *report)
{
    free(report->frame_seconds);
    free(report->output_seconds);
    free(report->nodes);
    free(report->layers);
    free(report->clips);
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts a copy: median and worst of the frames. */
static void frame_times(const bake_report *report, const double *seconds, double *median, double *worst)
{
    *median = *worst = 0;
    double *sorted = malloc((report->frame_count + 1u) * sizeof sorted[0]);
    if (sorted && report->frame_count)
    {
        memcpy(sorted, seconds, report->frame_count * sizeof sorted[0]);
        qsort(sorted, report->frame_count, sizeof sorted[0], compare_seconds);
        *median = sorted[report->frame_count / 2];
        *worst = sorted[report->frame_count - 1];
    }
    free(sorted);
}

static size_t resident_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

static json_t *layers_json(const bake_report *report)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < report->layer_count; ++l)
    {
        const report_layer *layer = &report->layers[l];
        if (layer->figure_count == 0)
        {
            continue;
        }
        json_t *figures = json_object();
        for (uint32_t i = 0; i < layer->figure_count; ++i)
        {
            json_object_set_new(figures, layer->names[i], number_json(layer->largest[i]));
        }
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o}", "layer", layer->layer, "node", layer->node, "largest", figures));
    }
    return list;
}

static json_t *clips_json(const bake_report *report)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->clip_count; ++i)
    {
        const report_clip *clip = &report->clips[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:f}", "name", clip->name, "frames", (int)clip->frame_count,
                                              "start", clip->start));
    }
    return list;
}

static int print_report_json(app_session *session, const bake_report *report, const bake_targets *targets)
{
    double median, worst, output_median, output_worst;
    frame_times(report, report->frame_seconds, &median, &worst);
    frame_times(report, report->output_seconds, &output_median, &output_worst);
    json_t *outputs = json_array();
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        json_array_append_new(outputs, json_string(shown(targets->list[i].given)));
    }
    json_t *morphs = json_array();
    for (uint32_t i = 0; i < report->node_count; ++i)
    {
        const report_node *node = &report->nodes[i];
        json_array_append_new(morphs, json_pack("{s:s, s:i, s:o, s:o, s:o}", "node", node->name, "targets",
                                                (int)node->target_count, "largest_error",
                                                number_json((double)node->largest_error), "rms_error",
                                                number_json((double)node->rms_error), "largest_displacement",
                                                number_json((double)node->largest_displacement)));
    }
    json_t *seconds = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "load", report->load_seconds, "bind",
                                report->bind_seconds, "frames", report->frames_seconds, "frame_median", median,
                                "frame_worst", worst, "frame_output_median", output_median, "frame_output_worst",
                                output_worst, "fit", report->fit_seconds, "write", report->write_seconds);
    return print_json(
        session,
        json_pack("{s:s, s:o, s:o, s:s, s:i, s:i, s:f, s:f, s:I, s:I, s:i, s:i, s:o, s:{s:I, s:I}, s:o, s:o, s:o, s:o}",
                  "file", shown(session->arguments->files[0]), "clip",
                  report->clip_count ? json_string(report->clips[0].name) : json_null(), "clips", clips_json(report),
                  "skin", report->skin, "frames", (int)report->frame_count, "resumed", (int)report->resumed, "fps",
                  report->fps, "start", report->start, "vertices", (json_int_t)report->vertex_count, "triangles",
                  (json_int_t)report->triangle_count, "parts", (int)report->part_count, "threads",
                  (int)session->thread_count, "seconds", seconds, "memory", "allocated_peak", (json_int_t)budget_peak(),
                  "resident_peak", (json_int_t)resident_peak(), "layers", layers_json(report), "morphs", morphs,
                  "outputs", outputs, "warnings", warnings_json(session)));
}

int report_print(app_session *session, const bake_report *report, const bake_targets *targets)
{
    if (session->json)
    {
        return print_report_json(session, report, targets);
    }
    if (session->quiet)
    {
        return EXIT_DONE;
    }
    double median, worst;
    frame_times(report, report->frame_seconds, &median, &worst);
    if (report->clip_count > 1)
    {
        printf("baked %u frames of %u clips", report->frame_count, report->clip_count);
    }
    else if (report->clip_count)
    {
        printf("baked %u frame%s of clip '%s'", report->frame_count, report->frame_count == 1 ? "" : "s",
               report->clips[0].name);
    }
    else
    {
        printf("baked the rest pose");
    }
    printf(", %u vertices in %u part%s, %s: %.2f ms a frame, worst %.2f ms\n", report->vertex_count, report->part_count,
           report->part_count == 1 ? "" : "s", report->skin, 1e3 * median, 1e3 * worst);
    for (uint32_t i = 0; i < report->clip_count && report->clip_count > 1; ++i)
    {
        printf("  clip '%s': %u frame%s\n", report->clips[i].name, report->clips[i].frame_count,
               report->clips[i].frame_count == 1 ? "" : "s");
    }
    if (report->resumed)
    {
        printf("  the first %u frames were there from an earlier run\n", report->resumed);
    }
    for (uint32_t l = 0; l < report->layer_count; ++l)
    {
        print_layer(&report->layers[l]);
    }
    for (uint32_t i = 0; i < report->node_count; ++i)
    {
        const report_node *node = &report->nodes[i];
        printf("  %s: %u morph targets, off by at most %s (rms %s) of %s\n", node->name, node->target_count,
               length_text((double)node->largest_error), length_text((double)node->rms_error),
               length_text((double)node->largest_displacement));
    }
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        printf("  wrote %s\n", shown(targets->list[i].given));
    }
    return EXIT_DONE;
}
