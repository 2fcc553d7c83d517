/* What a stack is bound to: the nodes, and the parts of them that its layers act on. */
#ifndef PL_JOB_CHOICE_H
#define PL_JOB_CHOICE_H

#include "job/look.h"
#include "job/run.h"

#include "pleat/bake.h"

/* Lives in the job's arena. */
typedef struct pl_choice
{
    uint32_t *nodes;
    uint32_t node_count; /* 0: all of the scene */
    bool *garment;       /* per primitive of the nodes; NULL: everywhere */
    float *mask;         /* painted, per vertex of the nodes' meshes; NULL: none */
} pl_choice;

/* Clips that are about to be baked. */
typedef struct pl_clip_row
{
    uint32_t clip;       /* the first, or PLEAT_NONE */
    uint32_t shot_count; /* of several; 0: clip alone */
    const pleat_shot *shots;
    float fps;
} pl_clip_row;

/* The parts that the job's garments name are garments; without them those that look like cloth, if that is of use to
 * the look, or everything. only: the nodes of what is named, and no others. */
pleat_result pl_choose_stack(pl_job *job, const pleat_model *model, const pl_job_look *look, bool only,
                             pl_choice *choice, pleat_error *error);
/* Layers that nobody asked for step back where they have nothing to act on, and say so. */
void pl_look_settle(const pl_job *job, const pleat_model *model, uint32_t clip, const pl_choice *choice,
                    pl_job_look *look);
/* Into the desc: choice and look, which must outlive it. */
void pl_choice_apply(const pl_choice *choice, const pl_job_look *look, pleat_bake_desc *desc);

/* Reads a PNG, or the "color" of vertices, into choice->mask, for the nodes and garments that were chosen; path NULL:
 * none. */
pleat_result pl_choose_mask(pl_job *job, const pleat_model *model, const char *path, pl_choice *choice,
                            pleat_error *error);

enum
{
    PL_FRAMES_UNASKED = 100000 /* a clip may say that it lasts for years; more than this only if they are chosen */
};

/* The frames that the job names, both of desc and of its clip at its rate; a clip that lasts too long needs that. */
pleat_result pl_choose_frames(const pl_job *job, const pleat_model *model, pleat_bake_desc *desc, pleat_error *error);

#endif
