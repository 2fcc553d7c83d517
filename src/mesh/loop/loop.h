/* The loop object, between the file that builds it and the files that use it. */
#ifndef PL_MESH_LOOP_LOOP_H
#define PL_MESH_LOOP_LOOP_H

#include "mesh/loop/level.h"

enum
{
    PL_LOOP_CHANNELS = 2
};

struct pleat_loop
{
    pl_memory memory;
    pleat_refined refined;
    uint32_t step_count;
    uint32_t coarse_count[PL_LOOP_CHANNELS]; /* vertices of the input */
    pl_loop_step steps[PL_LOOP_CHANNELS][PL_LOOP_MAX_LEVEL];
    pleat_vec4 *between[2]; /* levels between the first and the last, in turns */
};

/* The fastest kernel for rows of four columns on this machine. */
pl_loop_kernel *pl_loop_best_kernel(void);

/* Applies all steps to up to four columns. rows names the input, the output and their strides. */
void pl_loop_apply(pleat_loop *loop, pleat_loop_channel channel, const pl_loop_rows *rows, pl_loop_kernel *kernel,
                   const pleat_tasks *tasks);

#endif
