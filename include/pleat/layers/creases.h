/* pleat/layers/creases.h: wrinkles of skin at joints that bend.
 *
 * F. Turchet, O. Fryazinov, M. Romeo, "Extending Implicit Skinning with Wrinkles". See docs/creases.md. */
#ifndef PLEAT_LAYERS_CREASES_H
#define PLEAT_LAYERS_CREASES_H

#include "pleat/layer.h"

PLEAT_BEGIN

/* Where a crease runs. */
typedef enum pleat_crease_field
{
    PLEAT_CREASE_HINGE, /* across the limb, along the axis that the joint turns about */
    PLEAT_CREASE_ANGLE  /* down the angle between the gradients of both bones' fields: the paper's */
} pleat_crease_field;

/* The ten parameters of the paper's section 3.5, and a few more. Lengths of 0 are parts of the limb's radius. */
typedef struct pleat_creases_options
{
    float radius;              /* Wrinkle Radius, metres: 0 .. 1; default 0: an eighth of the limb's radius */
    float direction_threshold; /* Direction Threshold, radians: a curve that turns by more in a step ends; default 60
                                  degrees */
    float seed_angle;          /* Seed Angle Threshold, radians: least angle where a curve begins; default 25 degrees */
    float field_threshold; /* Field Threshold, 0 .. 0.5: least value of the other bone's field there; default 0.02 */
    float angle;           /* Angle Threshold, radians: a curve ends where the angle is less; default 12 degrees */
    float seed_distance;   /* Seed Distance, metres: between curves; default 0: 4.5 radii of a crease */
    float displace;        /* Displace Strength: how far out of the skin a crease comes, in its radii: 0 .. 1, default
                              0.6 */
    char ramp[PLEAT_TEXT_LIMIT]; /* Ramp Control: points "x,y x,y ..." from 0,0 to 1,1, neither falling; default "": a
                                    smooth step */
    float appearance;            /* Appearance Time, radians: the turn from rest at which creases are whole; default 70
                                    degrees */
    bool topology_bias;          /* Topology Bias: curves keep to edges of the mesh; default false */
    uint32_t field;              /* a pleat_crease_field, default hinge */
    uint32_t rings;              /* the angle field is smoothed over so many rings: 0 .. 16, default 4 */
    float detail;                /* edges of the refined mesh in a radius: 1 .. 8, default 4 */
    bool preview;                /* fast: vertices on curves are lifted and nothing is projected; default false */
} pleat_creases_options;

pleat_creases_options pleat_creases_options_default(void);

/* The layer; its options are a pleat_creases_options. It is fine and keeps no state from frame to frame. */
extern const pleat_layer_type pleat_creases_layer;

PLEAT_END

#endif
