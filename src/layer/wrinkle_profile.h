/* The cross-section of a wrinkle as the deformer makes it: a straight crest on flat cloth, in units of its width.
 *
 * The crest is the skeleton of a convolution with sharpness 1 / width and reach width. The cloth is a plane with
 * sharpness 1 / width and z0 = width. Heights count half in the skeleton's field, so that a wrinkle can be higher than
 * its width without a wall at its foot. Over x from the crest to the foot, the height z solves
 *     weight(depth) line(sqrt(x^2 + (z / 2)^2)) + plane(z) = 1,
 * with the weight such that z = depth at the crest. All of it scales: there is one family of profiles, by depth over
 * width. For depths to 0.9 it is close to a raised cosine; its foot is smooth. The deepest gives back 48 % of lost
 * length to a strip as wide as itself, and more when it bends over. */
#ifndef PL_WRINKLE_PROFILE_H
#define PL_WRINKLE_PROFILE_H

#include "base/vec.h"

#define PL_WRINKLE_DEEPEST 1.5f /* depth over width */
#define PL_WRINKLE_RISE 0.5f    /* how much heights count in the field of a crest */

enum
{
    PL_PROFILE_DEPTHS = 48, /* rows of the tables: depths 0 .. deepest in equal steps */
    PL_PROFILE_PLACES = 64  /* columns: places 0 .. 1 in equal steps */
};

typedef struct pl_wrinkle_profile
{
    float unit;                          /* one over the field of an endless crest of weight 1 at the crest itself */
    float excess[PL_PROFILE_DEPTHS + 1]; /* arc length less 1, over depth^2; the row of 0 holds the limit */
    float height[PL_PROFILE_DEPTHS + 1][PL_PROFILE_PLACES + 1];
    float shift[PL_PROFILE_DEPTHS + 1][PL_PROFILE_PLACES + 1]; /* away from the crest, to even lengths out */
    float place[PL_PROFILE_PLACES + 1];                        /* by sqrt(1 - sqrt(nearness)) */
    float slope[PL_PROFILE_PLACES + 1];                        /* of nearness, by place; 0 or below */
} pl_wrinkle_profile;

/* Fills the tables: about twenty milliseconds. lean: excesses are those of wrinkles that bend over. */
void pl_wrinkle_profile_make(pl_wrinkle_profile *profile, bool lean);

/* Wrinkles deeper than wide bend over: at the height z they stand aside by lean z^2 / depth. 0 up to a depth of 1. */
float pl_wrinkle_lean(float depth);

/* Over a width, per unit of width: what a crest of this depth weighs, for a skeleton measured in widths. */
float pl_wrinkle_weight(float depth);
/* (Arc length - width) / width of one side; and the depth, at most the deepest, that gives an excess. */
float pl_wrinkle_excess(const pl_wrinkle_profile *profile, float depth);
float pl_wrinkle_depth_for(const pl_wrinkle_profile *profile, float excess);

/* The field of a crest of weight 1 over that at the crest itself, 0 .. 1, is the nearness of a place x. */
float pl_wrinkle_nearness(float x);
/* The way back, for 0 .. 1; above 1 is 0. */
float pl_wrinkle_place(const pl_wrinkle_profile *profile, float nearness);

/* A table over depth and place, bilinear; both are held in range. */
float pl_wrinkle_read(const float table[][PL_PROFILE_PLACES + 1], float depth, float place);

#endif
