/* What layers take besides their looks: curves of a file, the body that cloth lies on, the meshes beside it; and the
 * channels that they give besides positions. */
#ifndef PL_JOB_INPUTS_H
#define PL_JOB_INPUTS_H

#include "job/choice.h"

#include "pleat/model_body.h"

enum
{
    PL_INPUT_LIMIT = 16 /* inputs with a name that a job gives */
};

/* Zero-initialise. Must outlive every bake of the look. */
typedef struct pl_layer_inputs
{
    pleat_wrinkle_file *files[PL_INPUT_LIMIT]; /* of curves */
    pleat_asset *assets[PL_INPUT_LIMIT];       /* of bodies in files of their own */
    pleat_model_body *bodies[PL_INPUT_LIMIT];
    uint32_t file_count, asset_count, body_count;
    pleat_model_body *others; /* every mesh of the scene */
    pleat_neighbours neighbours;
} pl_layer_inputs;

/* Reads what the job names and puts it into the options of the look's layers. model and row: what is about to be baked.
 * Close in any case. */
pleat_result pl_inputs_open(pl_job *job, const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                            pl_layer_inputs *inputs, pleat_error *error);
void pl_inputs_close(pl_layer_inputs *inputs);
/* Does the job give such an input? */
bool pl_inputs_have(const pleat_job_stack *asked, pleat_input_kind kind);

/* A channel of all stacks of a bake as a file. outputs may be NULL. */
pleat_result pl_channel_write(pl_job *job, const pleat_bake *bake, const pleat_model *model,
                              const pleat_job_given *channel, pleat_outputs *outputs, pleat_error *error);

#endif
