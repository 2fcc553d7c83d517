/* pleat/volume.h: skinning that keeps its volume.
 *
 * Skin that bulges where plain skinning collapses. After D. Rohmer, S. Hahmann, M.-P. Cani, "Active Geometry for Game
 * Characters", MIG 2010, section 3. See docs/volume.md. */
#ifndef PLEAT_VOLUME_H
#define PLEAT_VOLUME_H

#include "pleat/layer.h"

PLEAT_BEGIN

/* The frame of a joint's region, fixed to it at rest: along the limb; to the front (+Z, or +Y for limbs that point to
 * the front, without its part along the limb, then turned by `turn`); and to the side (along x front). */
typedef enum pleat_volume_axis
{
    PLEAT_VOLUME_ALONG,
    PLEAT_VOLUME_FRONT,
    PLEAT_VOLUME_SIDE,
    PLEAT_VOLUME_AXES
} pleat_volume_axis;

/* How a correction is spread. Every profile is multiplied by the joint's blend of weights, so that nothing moves where
 * one bone rules alone, unless it reaches out. x runs along the limb from -1 to 1 over the region. */
typedef enum pleat_volume_profile
{
    PLEAT_VOLUME_WEIGHTS, /* the blend of weights alone */
    PLEAT_VOLUME_BULGE,   /* exp(-(x / width)^2) */
    PLEAT_VOLUME_MUSCLE,  /* a bulge on one side: where the coordinate along the axis (front for `along`) is positive */
    PLEAT_VOLUME_FOLDS,   /* sin^2 with fold_count bulges, times a Gaussian of the distance to the region's centre */
    PLEAT_VOLUME_CURVE    /* a smooth curve through the axis's `curve` */
} pleat_volume_profile;

/* Which half of a region moves; the halves meet smoothly. */
typedef enum pleat_volume_around
{
    PLEAT_VOLUME_ALL,
    PLEAT_VOLUME_ONLY_FRONT,
    PLEAT_VOLUME_ONLY_BACK
} pleat_volume_around;

/* How the correction of one joint's region is directed and spread. */
typedef struct pleat_volume_shape
{
    /* How readily the skin moves along each axis: 0 .. 1, not all 0, default 1, 1, 1 (the least move of all). Of the
     * lost volume an axis brings back mu times what faces it, against the sum over the axes. */
    float mu[PLEAT_VOLUME_AXES];
    uint32_t profile[PLEAT_VOLUME_AXES]; /* pleat_volume_profile, default weights */
    uint32_t around;                     /* pleat_volume_around, default all */
    float reach;         /* how far beyond the blend skin moves, in half region lengths: 0 .. 8, default 0 */
    float width;         /* of bulges, in half region lengths: 0.05 .. 4, default 0.6 */
    uint32_t fold_count; /* 1 .. 32, default 4 */
    float turn;          /* radians about the limb, default 0 */
    /* Points "x,height x,height ..." of the profile `curve` along each axis: x grows, in any scale, from one end of the
     * region to the other; heights are at least 0. Default "0,0 0.5,1 1,0". */
    char curve[PLEAT_VOLUME_AXES][PLEAT_TEXT_LIMIT];
} pleat_volume_shape;

/* A shape for some joints in the place of the general one. */
typedef struct pleat_volume_bone
{
    const char *joints; /* names with * and ?, separated by commas */
    pleat_volume_shape shape;
} pleat_volume_bone;

/* One point of an animated target; linear in between, held outside. */
typedef struct pleat_volume_key
{
    float time;  /* seconds, increasing */
    float extra; /* volume added, of the rest volume: 0.1 is 10 % more; above -0.95 */
} pleat_volume_key;

typedef struct pleat_volume_options
{
    float strength; /* 0 .. 1, default 1: how much of the lost volume comes back; only 1 is exact */
    pleat_volume_shape shape;
    uint32_t bone_count;            /* default 0 */
    const pleat_volume_bone *bones; /* the first that fits a joint counts */
    float inflate;                  /* volume added, of the rest volume; -0.95 .. 10, default 0 */
    float breath;                   /* volume added at the height of a breath; -0.5 .. 1, default 0 */
    float breath_period;            /* seconds of a breath, above 0; default 4. A clip starts breathed out. */
    uint32_t key_count;             /* default 0 */
    const pleat_volume_key *keys;   /* added to inflate */
    char target[PLEAT_TEXT_LIMIT];  /* more keys, as a text "seconds,extra seconds,extra ...", up to 32; default "" */
    /* Where the added volume goes; names as above, default "": everywhere. */
    char inflate_joints[PLEAT_TEXT_LIMIT];
    float limit; /* the farthest a correction may move a vertex, in radii of the region: 0.05 .. 10, default 1 */
} pleat_volume_options;

pleat_volume_shape pleat_volume_shape_default(void);
pleat_volume_options pleat_volume_options_default(void);

/* The layer; its options are a pleat_volume_options. It keeps no state from frame to frame. Every shell of the mesh has
 * a volume of its own; holes are closed by a fan about the mean of their border. Figures of a frame: shells, joints
 * (regions that can be corrected), moved (that were), lost (largest share of a shell's volume that was missing or too
 * much before), error (largest |V - target| / target after), highest (farthest move, metres), limited (regions whose
 * correction met the limit). */
extern const pleat_layer_type pleat_volume_layer;

PLEAT_END

#endif
