/* Bends past a right angle are held back there while folds are solved (frame/held.c). */
#ifndef PL_LAYERS_FOLDS_FRAME_HELD_H
#define PL_LAYERS_FOLDS_FRAME_HELD_H

#include "layers/folds/bind/bound.h"

/* How much a fold takes of the length that came over from the one before; the rest slides on. One that took all of it
 * would stand alone as high as it may, and beside it along the ring the next: a row of leaves instead of long folds. */
#define PL_FOLD_TAKE 0.65f
/* The same where the limb touches itself. The crease covers folds one after the other along the ring, and what is seen
 * of each is short: with less of the length near the crease, and more of it further out, they end slowly. */
#define PL_FOLD_TAKE_DEEP 0.5f

/* A frame with the swing of one joint held. */
typedef struct pl_fold_held
{
    bool deep;         /* the bend is so strong that the limb touches itself */
    float tuck, press; /* how much of each there is in it, 0 .. 1 */
    float spared;      /* how much of what the crease takes folds need not; tucked or, in the deepest bends, covered */
    float given_up;    /* how much of it they need not though there is no room for it, likewise */
    float along;       /* how much folds share length along the ring, likewise */
    float stubs;       /* how much short folds are left out, likewise */
    float take;        /* PL_FOLD_TAKE, less where the limb touches itself */
    pl_f4 pivot;
    float excess;     /* radians that are held back; 0: the pose is as it is */
    pl_f4 axis, back; /* unit, and a quaternion: turns the joint back by the excess */
    bool linear;
    pleat_affine turn; /* where linear: what turning back by the excess adds to a place of the joint */
} pl_fold_held;
typedef struct pl_fold_pose
{
    const pleat_layer_frame *frame;
    pl_fold_held held;
    pl_f4 inner; /* as of the layer */
} pl_fold_pose;

pl_fold_held pl_fold_held_of(const pl_bound_ring *ring, const pleat_layer_frame *frame);
/* How far a ring's joint is bent, twist left out, radians. */
float pl_fold_swing(const pl_bound_ring *ring, const pleat_affine *joints);

#endif
