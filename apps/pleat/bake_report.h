/* What a bake says at its end: as a few lines, or as JSON. */
#ifndef APP_BAKE_REPORT_H
#define APP_BAKE_REPORT_H

#include "session.h"
#include "job/outputs.h"

#include "pleat/bake.h"
#include "pleat/export/morphs.h"

/* One node that got morph targets. */
typedef struct report_node
{
    char name[128];
    uint32_t target_count;
    float largest_error, rms_error, largest_displacement;
} report_node;

/* One clip that was baked. */
typedef struct report_clip
{
    char name[128];
    uint32_t frame_count;
    double start; /* seconds of its first frame */
} report_clip;

enum
{
    REPORT_FIGURES = 32 /* of one layer; more are left out */
};

/* What a layer of one node says about itself: the largest value over all frames. */
typedef struct report_layer
{
    char node[128];
    const char *layer;
    uint32_t figure_count;
    const char *names[REPORT_FIGURES];
    double largest[REPORT_FIGURES];
} report_layer;

typedef struct bake_report
{
    uint32_t resumed; /* frames that an earlier run had left; layers say nothing of them */
    uint32_t frame_count, vertex_count, triangle_count, part_count;
    double fps, start;
    report_clip *clips;
    uint32_t clip_count; /* 0: the rest pose */
    const char *skin;
    double *frame_seconds;  /* frame_count: computing each */
    double *output_seconds; /* frame_count: handing it to caches, meshes and the fit */
    double load_seconds, bind_seconds, frames_seconds, fit_seconds, write_seconds;
    report_node *nodes;
    uint32_t node_count;
    report_layer *layers; /* by node, then as in the stack */
    uint32_t layer_count;
} bake_report;

pleat_result report_begin(bake_report *report, const pleat_model *model, const pleat_bake_desc *desc,
                          const pleat_bake *bake, pleat_error *error);
/* After each frame of the first pass: how long it took, and what the layers say of it. */
void report_frame(bake_report *report, uint32_t frame, double seconds, double output_seconds, const pleat_bake *bake);
pleat_result report_morphs(bake_report *report, const pleat_model *model, const pleat_morphs *morphs,
                           pleat_error *error);
/* Returns an exit status. */
int report_print(app_session *session, const bake_report *report, const bake_targets *targets);
void report_free(bake_report *report);

#endif
