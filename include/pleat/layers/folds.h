/* pleat/folds.h: tight garments that may stretch but never compress; the lost length becomes folds.
 *
 * M. Ly, F. Bertails-Descoubes, D. Rohmer, "Unilaterally Incompressible Skinning", 2017. See docs/folds.md. */
#ifndef PLEAT_FOLDS_H
#define PLEAT_FOLDS_H

#include "pleat/layer.h"

PLEAT_BEGIN

typedef enum pleat_fold_profile
{
    PLEAT_PROFILE_THIRD, /* the paper's rounded blob */
    PLEAT_PROFILE_FIFTH, /* flatter on top */
    PLEAT_PROFILE_CURVE  /* the options' curve */
} pleat_fold_profile;

/* Values that some joints have in the place of the general ones. */
typedef struct pleat_folds_joint
{
    const char *joints;                                 /* names with * and ?, separated by commas */
    float width, strength, length, bend, angle, spread; /* as below */
    uint32_t profile;                                   /* likewise */
    const char *curve;                                  /* likewise; NULL: the options' own */
} pleat_folds_joint;

typedef struct pleat_folds_options
{
    /* These can differ from joint to joint. */
    float width;    /* of one fold, metres; default 0: 7 % of the garment's median ring around a joint */
    float strength; /* 0 .. 1, default 1: all of the lost length */
    float length;   /* of the fold region across a joint, metres, in whole folds, two at least; default 0: as far as the
                     * joint's weights blend, and two folds more on each side for what contact leaves no room for */
    float bend;     /* radians; joints that bend less in the clip get no folds; default 10 degrees */
    /* Which side of a limb folds: spread radians of the way round, default 2 pi: all of it; angle: its middle, radians
     * about the bone from the inner side of the largest bend in the clip (without a clip, from the front: +z), default
     * 0. */
    float angle, spread;
    uint32_t profile; /* a pleat_fold_profile, default third */
    /* For PLEAT_PROFILE_CURVE: 2 to 30 points "x,height x,height ..." with x growing and no height below 0, in any
     * scale; default a leaning fold. */
    char curve[PLEAT_TEXT_LIMIT];
    uint32_t joint_count;                  /* default 0 */
    const pleat_folds_joint *joint_values; /* the first that fits a joint counts; must live until the layer is made */
    /* And these are the same for all. */
    float irregularity; /* 0 .. 1, default 0: how much neighbouring folds differ in width and height */
    uint32_t seed;      /* of the irregularity */
    float detail;       /* vertices along a fold, 2 .. 16, default 4: how fine the mesh becomes where folds are */
    bool contact;       /* default true: folds stop where they would pass through each other */
    bool even;          /* default true: cloth moves along a fold until it is spread evenly over it */
    char joints[PLEAT_TEXT_LIMIT]; /* names with wildcards, separated by commas; default "": all */
} pleat_folds_options;

pleat_folds_options pleat_folds_options_default(void);

/* The layer; its options are a pleat_folds_options. It keeps no state from frame to frame. Figures of a frame: rings,
 * folds (there are), raised, limited (by contact), highest (metres, before the mask), tau (largest, relative to the
 * fold's rest length, among raised folds, before contact), residual (Fischer-Burmeister, likewise), steps (of Newton,
 * the mean), most_steps, ridges (folds across all rings), width (metres, of folds whose joint has none of its
 * own, or where each has one, of the widest). */
extern const pleat_layer_type pleat_folds_layer;

PLEAT_END

#endif
