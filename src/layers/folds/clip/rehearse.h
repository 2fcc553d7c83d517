/* Playing the clip with its folds, once the layer is bound: what that shows becomes lids (clip/lids.h). */
#ifndef PL_LAYERS_FOLDS_CLIP_REHEARSE_H
#define PL_LAYERS_FOLDS_CLIP_REHEARSE_H

#include "layers/folds/clip/lids.h"

typedef struct pl_fold_rehearsal
{
    pl_folds_layer *layer;
    pl_fold_lids *lids;
    const pleat_cloth *cloth;
    const pleat_layer_preview *preview;
    const pleat_host *host;
    pl_arena scratch;
    uint32_t vertex_count;
    uint32_t lid_count; /* so far, of all stances */
    float width;        /* of the widest fold */
    float fastest;      /* the largest turn of a joint in a step, radians */
    uint32_t steps;     /* a frame: of PL_FOLD_STEP seconds or less */
    int64_t at;         /* the step last played, counted from the first frame on; below 0: none */
    pleat_vec4 *skinned, *folded;
    pleat_affine *joints;
    pleat_layer_frame frame; /* of the step last played */
    float *offsets[2]; /* by vertex: how far it is from where skinning puts it, in the step before and in this one */
    pl_f4 *poses[2];   /* likewise */
    float *furthest;   /* by vertex: of all steps played */
    uint32_t *slots;   /* by vertex: its place among those with lids, or PLEAT_NONE */
} pl_fold_rehearsal;

enum
{
    PL_FOLD_MOST_LIDS = 4 * 1000 * 1000 /* of a clip that throws limbs about all the time */
};

/* Joints that turn faster than this are flung, radians a second: 1350 degrees. Those of dancers hardly do; those of
 * recordings that slip and of game characters do. */
#define PL_FOLD_FLUNG 23.6f
/* What is flung is played in steps of this many seconds, */
#define PL_FOLD_STEP (1.0f / 300)
/* in each of which an offset may change by this part of a fold's width: no more than in slower frames. */
#define PL_FOLD_SPRING 0.15f

/* Makes the step before of this one: what is there is overwritten next. */
void pl_fold_rehearsal_swap(pl_fold_rehearsal *r);
/* Takes the pose that was last looked at. */
void pl_fold_rehearsal_take_pose(pl_fold_rehearsal *r);
pleat_result pl_fold_rehearsal_play(pl_fold_rehearsal *r, int64_t step, pleat_error *error);
/* Keeps a pose with room for so many lids, and puts it in front of the others. */
pleat_result pl_fold_rehearsal_keep(pl_fold_rehearsal *r, const pl_f4 *pose, uint32_t lid_count, pl_fold_stance **out,
                                    pleat_error *error);
/* The next lid of a stance. */
void pl_fold_rehearsal_lid(pl_fold_rehearsal *r, pl_fold_stance *stance, uint32_t vertex, float height);

/* What rehearsals look for: folds that spring, and folds that cross. */
pleat_result pl_folds_find_leaps(pl_fold_rehearsal *r, pleat_error *error);
pleat_result pl_folds_keep_clear(pl_fold_rehearsal *r, pleat_error *error);

/* Finds lids of a clip, once the layer is bound. preview: of the bound cloth. */
pleat_result pl_folds_rehearse(void *layer, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                               const pleat_host *host, pleat_error *error);

#endif
