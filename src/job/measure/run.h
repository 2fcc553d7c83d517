/* A measurement that is being made; what is given out is its first member. */
#ifndef PL_JOB_MEASURE_RUN_H
#define PL_JOB_MEASURE_RUN_H

#include "job/measure/side.h"

typedef struct pl_measured_side
{
    pl_measure_side file;
    uint32_t garment_count;
    uint32_t *garments; /* parts */
    pl_side_mesh garment, body;
    bool own_body; /* else the first file's, or none */
    pleat_measure *measure;
    pleat_figures *frames;          /* frame_count */
    double *line_least, *line_mean; /* line_count by frame_count */
} pl_measured_side;

typedef struct pl_measurement
{
    pleat_measurement shown;
    pl_memory memory; /* of the object itself; everything else is the job's */
    pl_job job;
    const pleat_measure_job *asked;
    pl_measured_side sides[2];
    pleat_measured_line *lines;
    uint32_t *first_line; /* of each set, in pleat_measure */
} pl_measurement;

/* In lines.c: adds the lines that are asked for to all sides, and lists them. */
pleat_result pl_measure_add_lines(pl_measurement *result, pleat_error *error);

#endif
