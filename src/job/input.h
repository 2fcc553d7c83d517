/* A character and which part of it is meant: loading, the clip, the garments that are named. */
#ifndef PL_JOB_INPUT_H
#define PL_JOB_INPUT_H

#include "job/run.h"

/* Loads the job's file with its points; points and sequences play at its rate. */
pleat_result pl_job_load(const pl_job *job, pleat_asset **asset, pleat_error *error);

/* The clip that the job names, or the first; *index is PLEAT_NONE for a model without one. */
pleat_result pl_choose_clip(const pl_job *job, const pleat_model *model, uint32_t *index, pleat_error *error);

/* Primitives of nodes of the scene, in scene order. */
typedef struct pl_parts
{
    uint32_t count;
    uint32_t *nodes, *primitives;
} pl_parts;

/* Room for every part of the scene, none in it; in the job's arena. */
pleat_result pl_parts_make(pl_job *job, const pleat_model *model, pl_parts *parts, pleat_error *error);
/* Fills in those that fit one of the patterns; patterns NULL: all of the scene. */
void pl_parts_find(pl_parts *parts, const pleat_model *model, const pleat_texts *patterns);
/* Those that look like cloth. */
pleat_result pl_parts_guess(const pl_job *job, pl_parts *parts, const pleat_model *model, pleat_error *error);

/* True if a part fits one of the patterns. */
bool pl_part_is_named(const pleat_model *model, uint32_t node, uint32_t primitive, const pleat_texts *patterns);

/* What the job's garments name; without any *parts is empty. A pattern that fits nothing is an error that lists the
 * names. */
pleat_result pl_choose_garment(pl_job *job, const pleat_model *model, pl_parts *parts, pleat_error *error);

#endif
