/* The cross-section of a wrinkle as the deformer makes it: a straight crest on flat cloth, in units of its width.
 *
 * The crest is the skeleton of a convolution with sharpness 1 / width and reach width. The cloth is a plane with
 * sharpness 1 / width and z0 = width. Heights count half in the skeleton's field, so that a wrinkle can be higher than
 * its width without a wall at its foot. Over x from the crest to the foot, the height z solves
 *     weight(depth) line(sqrt(x^2 + (z / 2)^2)) + plane(z) = 1,
 * with the weight such that z = depth at the crest. All of it scales: there is one family of profiles, by depth over
 * width. For depths to 0.9 it is close to a raised cosine; its foot is smooth. The deepest gives back 48 % of lost
 * length to a strip as wide as itself, and more when it bends over. */
#ifndef PL_LAYERS_WRINKLES_SHAPE_PROFILE_H
#define PL_LAYERS_WRINKLES_SHAPE_PROFILE_H

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
    float unit;                             /* one over the field of an endless crest of weight 1 at the crest itself */
    bool lean;                              /* default false: whether excesses are those of wrinkles that bend over */
    float excess[2][PL_PROFILE_DEPTHS + 1]; /* upright and leaning: arc length less 1, over depth^2; row 0: the limit */
    float height[PL_PROFILE_DEPTHS + 1][PL_PROFILE_PLACES + 1];
    float shift[PL_PROFILE_DEPTHS + 1][PL_PROFILE_PLACES + 1]; /* away from the crest, to even lengths out */
    float place[PL_PROFILE_PLACES + 1];                        /* by sqrt(1 - sqrt(nearness)) */
    float slope[PL_PROFILE_PLACES + 1];                        /* of nearness, by place; 0 or below */
} pl_wrinkle_profile;

/* Fills the tables: ten milliseconds the first time, then a copy. */
void pl_wrinkle_profile_make(pl_wrinkle_profile *profile);

/* Wrinkles deeper than wide bend over: at the height z they stand aside by lean z^2 / depth. 0 up to a depth of 1. */
float pl_wrinkle_lean(float depth);

/* Over a width, per unit of width: what a crest of this depth weighs, for a skeleton measured in widths. */
float pl_wrinkle_weight(float depth);
/* (Arc length - width) / width of one side; and the depth, at most the deepest, that gives an excess. */
float pl_wrinkle_excess(const pl_wrinkle_profile *profile, float depth);
float pl_wrinkle_depth_for(const pl_wrinkle_profile *profile, float excess);

/* What is missing of a side's excess because a neighbour, alike and nearer than two widths, fills the valley between.
 */
enum
{
    PL_OVERLAP_DEPTHS = 12,
    PL_OVERLAP_STEPS = 8
};

typedef struct pl_wrinkle_overlap
{
    float missing[PL_OVERLAP_DEPTHS + 1][PL_OVERLAP_STEPS + 1]; /* by depth, 0 .. deepest, and overlap, 0 .. 1 */
} pl_wrinkle_overlap;

/* Fills the table: ten milliseconds the first time, then a copy. */
void pl_wrinkle_overlap_make(pl_wrinkle_overlap *overlap);
/* overlap: 2 less the distance of the neighbour's crest in widths; counts as 1 above it, and below 0 nothing is
 * missing. */
float pl_wrinkle_missing(const pl_wrinkle_overlap *table, float depth, float overlap);
/* The depth at which a wrinkle has this excess (of both sides together, in widths), between neighbours. */
float pl_wrinkle_depth_between(const pl_wrinkle_profile *profile, const pl_wrinkle_overlap *table, float excess,
                               const float overlaps[2]);

/* The field of a crest of weight 1 over that at the crest itself, 0 .. 1, is the nearness of a place x. */
float pl_wrinkle_nearness(float x);
/* The way back, for 0 .. 1; above 1 is 0. */
float pl_wrinkle_place(const pl_wrinkle_profile *profile, float nearness);

/* A table over depth and place, bilinear; both are held in range. */
float pl_wrinkle_read(const float table[][PL_PROFILE_PLACES + 1], float depth, float place);

#endif
