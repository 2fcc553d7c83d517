/* Poses by hand: angles a choreographer can read, keys in time, and the bake to rotations of every joint. */
#ifndef PL_MAKE_DANCER_DANCE_H
#define PL_MAKE_DANCER_DANCE_H

#include "make/dancer/dancer.h"

/* All angles in degrees, 0 in the rest pose unless said. Both sides mean the same by the same sign. */
typedef struct pl_arm_pose
{
    double raise;    /* of the upper arm above the horizontal; the rest pose is -40 */
    double forward;  /* 0 to the side, 90 to the front */
    double roll;     /* about its own axis: elbow up */
    double elbow;    /* bent */
    double pronate;  /* palm down */
    double wrist;    /* towards the palm */
    double fingers;  /* towards the palm */
    double shoulder; /* lifted, besides what raise brings with it */
} pl_arm_pose;

typedef struct pl_leg_pose
{
    double air; /* 0: the foot is on the floor, and slide, turnout, point and toes count; 1: it is free by its angles */
    double slide[2]; /* metres from where it stands at rest: outward, forward */
    double flex;     /* thigh forward; negative behind */
    double abduct;   /* thigh outward */
    double turnout;  /* toes outward */
    double knee;     /* bent */
    double point;    /* foot stretched */
    double toes;     /* stretched */
} pl_leg_pose;

typedef struct pl_pose_key
{
    double time;             /* seconds */
    double hips[3];          /* metres from the rest place */
    double pitch, yaw, roll; /* of the hips: forward, to the left, to the left side */
    double spine[3];         /* the same for the spine, shared by its three joints */
    double neck[3];          /* the same for neck and head, half each */
    pl_arm_pose arm[2];      /* left, right */
    pl_leg_pose leg[2];
} pl_pose_key;

/* A clip from keys, in order of time from 0. The curves are smooth, stop at the first and last key and do not
 * overshoot. */
pleat_result pl_dance_bake(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node, const char *name,
                           const pl_pose_key *keys, uint32_t key_count);

#endif
