/* Lids: places that some poses let rise no further.
 *
 * A few things are known only once a clip has been played with its folds: where they would spring with a flung limb
 * (clip/leap.c), and where they would pass through cloth that skinning keeps apart (clip/clear.c). Each such pose is
 * kept as a stance, and places get lids in it: they go no further from where skinning puts them, and further the more
 * joints are turned from the stance. As a function of the pose a lid is never steeper than its slope, and neither is
 * what it holds; a frame depends on its pose alone, and poses that are far from any stance are as they were. */
#ifndef PL_LAYERS_FOLDS_CLIP_LIDS_H
#define PL_LAYERS_FOLDS_CLIP_LIDS_H

#include "layers/folds/folds.h"

/* A place that may not rise freely, */
typedef struct pl_fold_lid
{
    uint32_t slot; /* among those with lids */
    float height;  /* how far it may be from where skinning puts it */
} pl_fold_lid;
/* and the pose in which it may not. */
typedef struct pl_fold_stance
{
    struct pl_fold_stance *next;
    const pl_f4 *pose; /* three columns a joint */
    uint32_t lid_count;
    pl_fold_lid *lids;
    float enough; /* the least trace of a joint's turn from here at which a lid may hold anything of the clip */
    float more;   /* in the frame at work: how much higher lids are; below 0: they hold nothing */
} pl_fold_stance;

struct pl_fold_lids
{
    uint32_t joint_count; /* of the skin */
    uint32_t *parents;    /* by joint: the next one above it, or PLEAT_NONE */
    pl_fold_stance *first;
    float slope;           /* how much higher lids are for a radian that joints are turned from their stance */
    uint32_t vertex_count; /* that have lids */
    uint32_t *vertices;
    /* Of the frame at work. */
    bool hold; /* any */
    pl_f4 *pose;
    pl_f4 *skinned; /* by vertex with a lid: where skinning puts it, */
    float *heights; /* and how far from there it may go */
};

/* Fills parents. */
void pl_fold_lids_find_parents(const pl_fold_lids *lids, const pleat_cloth *cloth);
/* How joints are turned against the ones above them: what the limbs do, wherever the body is. joints: as of a frame. */
void pl_fold_lids_take_pose(const pl_fold_lids *lids, const pleat_affine *joints, pl_f4 *pose);
/* The largest angle by which a joint is turned otherwise in another pose, radians. */
float pl_fold_lids_turn(const pl_fold_lids *lids, const pl_f4 *a, const pl_f4 *b);

/* The trace of a turn by an angle. */
float pl_fold_lids_trace(float radians);

/* Before folds rise, and after. */
void pl_folds_meet_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame);
void pl_folds_hold_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame);

#endif
