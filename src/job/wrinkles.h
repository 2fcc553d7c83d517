/* What the wrinkles layer takes besides its look: curves of a file and the body that cloth lies on; and the curves that
 * it leaves. */
#ifndef PL_JOB_WRINKLES_H
#define PL_JOB_WRINKLES_H

#include "job/choice.h"

#include "pleat/model_body.h"

/* Zero-initialise. Must outlive every bake of the look. */
typedef struct pl_wrinkle_input
{
    pleat_wrinkle_file *file;
    pleat_asset *body_asset; /* of a body in a file of its own */
    pleat_model_body *body;
    pleat_model_body *others; /* every mesh of the scene */
    pleat_neighbours neighbours;
} pl_wrinkle_input;

/* Reads what the job names and puts it into the look's wrinkles, if it has them. model and row: what is about to be
 * baked. Close in any case. */
pleat_result pl_wrinkle_input_open(pl_job *job, const pleat_model *model, const pl_clip_row *row,
                                   const pl_job_look *look, pl_wrinkle_input *input, pleat_error *error);
void pl_wrinkle_input_close(pl_wrinkle_input *input);

/* The curves of all stacks of a bake as a file. outputs may be NULL. */
pleat_result pl_wrinkles_write(pl_job *job, const pleat_bake *bake, const pleat_model *model, const char *path,
                               pleat_outputs *outputs, pleat_error *error);

#endif
