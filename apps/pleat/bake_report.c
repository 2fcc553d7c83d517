#include "bake_report.h"

#include "budget.h"
#include "layer_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts a copy: median and worst of the frames. */
static void frame_times(const pleat_bake_report *report, const double *seconds, double *median, double *worst)
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

static json_t *layers_json(const pleat_bake_report *report)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < report->layer_count; ++l)
    {
        const pleat_report_layer *layer = &report->layers[l];
        const pleat_layer_type *type = layer->type;
        if (layer->frame_count == 0 || type->figure_count == 0)
        {
            continue;
        }
        json_t *largest = json_object(), *mean = json_object(), *units = json_object();
        for (uint32_t i = 0; i < type->figure_count; ++i)
        {
            json_object_set_new(largest, type->figures[i].name, number_json(layer->largest[i]));
            json_object_set_new(mean, type->figures[i].name, number_json(layer->mean[i]));
            json_object_set_new(units, type->figures[i].name, json_string(type->figures[i].unit));
        }
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o}", "layer", type->name, "node",
                                              shown(layer->node), "largest", largest, "mean", mean, "units", units));
    }
    return list;
}

static json_t *clips_json(const pleat_bake_report *report)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->clip_count; ++i)
    {
        const pleat_report_clip *clip = &report->clips[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:f}", "name", shown(clip->name), "frames",
                                              (int)clip->frame_count, "start", clip->start));
    }
    return list;
}

static int print_report_json(app_session *session, const pleat_bake_report *report, const pleat_texts *outputs)
{
    double median, worst, output_median, output_worst;
    frame_times(report, report->frame_seconds, &median, &worst);
    frame_times(report, report->output_seconds, &output_median, &output_worst);
    json_t *written = json_array();
    for (uint32_t i = 0; i < outputs->count; ++i)
    {
        json_array_append_new(written, json_string(shown(outputs->list[i])));
    }
    json_t *morphs = json_array();
    for (uint32_t i = 0; i < report->node_count; ++i)
    {
        const pleat_report_node *node = &report->nodes[i];
        json_array_append_new(morphs, json_pack("{s:s, s:i, s:o, s:o, s:o}", "node", shown(node->name), "targets",
                                                (int)node->target_count, "largest_error",
                                                number_json((double)node->largest_error), "rms_error",
                                                number_json((double)node->rms_error), "largest_displacement",
                                                number_json((double)node->largest_displacement)));
    }
    json_t *seconds = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "load", report->seconds.load, "bind",
                                report->seconds.bind, "frames", report->seconds.frames, "frame_median", median,
                                "frame_worst", worst, "frame_output_median", output_median, "frame_output_worst",
                                output_worst, "fit", report->seconds.fit, "write", report->seconds.write);
    return print_json(
        session,
        json_pack("{s:s, s:o, s:o, s:s, s:i, s:i, s:f, s:f, s:I, s:I, s:i, s:i, s:o, s:{s:I, s:I}, s:o, s:o, s:o, s:o}",
                  "file", shown(session->arguments->files[0]), "clip",
                  report->clip_count ? json_string(shown(report->clips[0].name)) : json_null(), "clips",
                  clips_json(report), "skin", report->skinning, "frames", (int)report->frame_count, "resumed",
                  (int)report->resumed, "fps", report->fps, "start", report->start, "vertices",
                  (json_int_t)report->vertex_count, "triangles", (json_int_t)report->triangle_count, "parts",
                  (int)report->part_count, "threads", (int)session->thread_count, "seconds", seconds, "memory",
                  "allocated_peak", (json_int_t)budget_peak(), "resident_peak", (json_int_t)resident_peak(), "layers",
                  layers_json(report), "morphs", morphs, "outputs", written, "warnings", warnings_json(session)));
}

int report_print(app_session *session, const pleat_bake_report *report, const pleat_texts *outputs)
{
    if (session->json)
    {
        return print_report_json(session, report, outputs);
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
               shown(report->clips[0].name));
    }
    else
    {
        printf("baked the rest pose");
    }
    printf(", %u vertices in %u part%s, %s: %.2f ms a frame, worst %.2f ms\n", report->vertex_count, report->part_count,
           report->part_count == 1 ? "" : "s", report->skinning, 1e3 * median, 1e3 * worst);
    for (uint32_t i = 0; i < report->clip_count && report->clip_count > 1; ++i)
    {
        printf("  clip '%s': %u frame%s\n", shown(report->clips[i].name), report->clips[i].frame_count,
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
        const pleat_report_node *node = &report->nodes[i];
        printf("  %s: %u morph targets, off by at most %s (rms %s) of %s\n", shown(node->name), node->target_count,
               length_text((double)node->largest_error), length_text((double)node->rms_error),
               length_text((double)node->largest_displacement));
    }
    for (uint32_t i = 0; i < outputs->count; ++i)
    {
        printf("  wrote %s\n", shown(outputs->list[i]));
    }
    return EXIT_DONE;
}
