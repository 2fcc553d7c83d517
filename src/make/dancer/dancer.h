/* The dancer, in three parts: the body (solids), the rig (joints and weights), the dance (clips). */
#ifndef PL_MAKE_DANCER_DANCER_H
#define PL_MAKE_DANCER_DANCER_H

#include "make/skinned.h"
#include "make/solid.h"

/* Joints in the order of the skin. Those of the left side are followed by those of the right. */
enum
{
    PL_HIPS,
    PL_SPINE,
    PL_SPINE_1,
    PL_CHEST,
    PL_NECK,
    PL_HEAD,
    PL_LEFT,
    PL_CLAVICLE = PL_LEFT,
    PL_UPPER_ARM,
    PL_LOWER_ARM,
    PL_ARM_TWIST, /* half-way down the forearm: takes half of the hand's roll */
    PL_HAND,
    PL_FINGERS,
    PL_THUMB,
    PL_THIGH,
    PL_SHIN,
    PL_FOOT,
    PL_TOES,
    PL_RIGHT,
    PL_SIDE = PL_RIGHT - PL_LEFT, /* from a left joint to the right one */
    PL_DANCER_JOINTS = PL_RIGHT + PL_SIDE
};

typedef struct pl_dancer
{
    pl_body body;
    pl_loft torso, face, arm, palm, leg, foot;
    pl_v3 joints[PL_DANCER_JOINTS]; /* rest positions in world space; rest rotations are the identity */
    pl_v3 arm_axis;                 /* unit, from shoulder to wrist */
} pl_dancer;

/* Fills everything; borders and weights below are functions of it. */
void pl_dancer_init(pl_dancer *dancer);

/* Borders of what she wears, negative on the side named. user is a pl_dancer. */
double pl_dancer_hair(const void *user, pl_v3 p);
double pl_dancer_brow(const void *user, pl_v3 p); /* brows and lashes, which are hair too */
double pl_dancer_slipper(const void *user, pl_v3 p);
double pl_dancer_lips(const void *user, pl_v3 p);
double pl_dancer_below_neckline(const void *user, pl_v3 p);
double pl_dancer_above_cuff(const void *user, pl_v3 p);
double pl_dancer_above_leg_line(const void *user, pl_v3 p);

/* Parents: a joint's parent has a lower index, PLEAT_NONE for the hips. */
uint32_t pl_dancer_parent(uint32_t joint);
const char *pl_dancer_joint_name(uint32_t joint);

/* The weights of all joints at a place near the surface, for either side; they add up to 1. */
void pl_dancer_weights(const pl_dancer *dancer, pl_v3 p, double weights[PL_DANCER_JOINTS]);

/* Texture charts of the three meshes and the shirt, and which one a place belongs to (user is a pl_dancer). */
enum
{
    PL_DANCER_CHARTS = 6
};
uint32_t pl_dancer_chart_of(const void *user, pl_v3 p);
uint32_t pl_dancer_tights_chart_of(const void *user, pl_v3 p);
void pl_dancer_skin_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS]);
void pl_dancer_leotard_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS]);
void pl_dancer_shirt_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS]);
void pl_dancer_tights_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS]);

/* Nodes of the skeleton (first_node on), and the clips. */
pleat_result pl_dancer_clip_arabesque(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node);
pleat_result pl_dancer_clip_squat(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node);
pleat_result pl_dancer_clip_twist(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node);

/* The skinned meshes skin, leotard and tights, their skeleton and materials; no clips. */
pleat_result pl_dancer_meshes(pl_maker *maker, pl_dancer *dancer, uint32_t *first_node);

#endif
