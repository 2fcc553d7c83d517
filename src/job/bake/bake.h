/* A bake job that runs, and the gathering of its report. */
#ifndef PL_JOB_BAKE_BAKE_H
#define PL_JOB_BAKE_BAKE_H

#include "job/bake/spool.h"
#include "job/bake/stretch.h"
#include "job/bake/writers.h"

/* A report that is being filled; what is given out is its first member. */
typedef struct pl_bake_report
{
    pleat_bake_report shown;
    pl_memory memory;
    pl_arena arena;
    pleat_report_clip *clips;
    pleat_report_layer *layers;
    double *frame_seconds, *output_seconds;
} pl_bake_report;

pleat_result pl_report_create(const pleat_host *host, pl_bake_report **report, pleat_error *error);
pleat_result pl_report_begin(pl_bake_report *report, const pleat_bake_desc *desc, const pleat_bake *bake,
                             pleat_error *error);
/* After each frame of the first pass: how long it took, and what the layers say of it. */
void pl_report_frame(pl_bake_report *report, uint32_t frame, double seconds, double output_seconds,
                     const pleat_bake *bake);
pleat_result pl_report_morphs(pl_bake_report *report, const pleat_model *model, const pleat_morphs *morphs,
                              pleat_error *error);

#endif
