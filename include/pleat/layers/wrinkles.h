/* pleat/wrinkles.h: fine wrinkles on coarse cloth, placed by its stretch against the rest shape.
 *
 * D. Rohmer, T. Popa, M.-P. Cani, S. Hahmann, A. Sheffer, "Animation Wrinkling", 2010. See docs/wrinkles.md. */
#ifndef PLEAT_WRINKLES_H
#define PLEAT_WRINKLES_H

#include "pleat/body.h"
#include "pleat/curves.h"
#include "pleat/layer.h"

PLEAT_BEGIN

typedef enum pleat_fabric
{
    PLEAT_FABRIC_SILK,
    PLEAT_FABRIC_COTTON,
    PLEAT_FABRIC_LEATHER
} pleat_fabric;

typedef enum pleat_wrinkle_side
{
    PLEAT_WRINKLE_OUTWARD,
    PLEAT_WRINKLE_INWARD,
    PLEAT_WRINKLE_BOTH /* neighbours to different sides; a wrinkle keeps its side as long as it lives */
} pleat_wrinkle_side;

typedef struct pleat_wrinkles_options
{
    float radius;    /* the smallest radius of curvature, metres: the one control; default 0: the fabric's */
    uint32_t fabric; /* a pleat_fabric, default cotton: 4, 8 or 16 thousandths of the character's height */
    uint32_t side;   /* a pleat_wrinkle_side, default outward */
    float threshold; /* 0 .. 0.9, default 0.1: cloth that lost a smaller share of its length has no wrinkles */
    float strength;  /* 0 .. 1, default 1: the share of the lost length that comes back */
    float smoothing; /* seconds, 0 .. 2, default 0.1: half of the window over which curves are smoothed in time */
    bool tension;    /* default false: wrinkles also along the largest stretch of stretched cloth */
    bool even;       /* default true: cloth also moves across a wrinkle, until its length is spread evenly */
    float detail;    /* mesh edges from the crest of a wrinkle to its foot, 1 .. 16, default 4 */
    float gap;       /* from the body, metres; default 0: half a thousandth of the character's height */
    const pleat_wrinkle_list *curves;   /* default NULL: traced. Must outlive the layer */
    const pleat_body *body;             /* default NULL: none. Must outlive the layer */
    const pleat_neighbours *neighbours; /* default NULL: none. Must outlive the layer */
} pleat_wrinkles_options;

pleat_wrinkles_options pleat_wrinkles_options_default(void);

/* The layer; its options are a pleat_wrinkles_options. With a clip, curves are traced while planning, and a frame
 * depends on its time alone; between frames of the clip the results of both neighbours are blended. Without a clip
 * they are traced frame by frame, smoothed with a delay, and that is the layer's state. Figures of a frame: wrinkles,
 * points, moved (vertices), highest (metres), steps (of Newton, the mean), most_steps, left_out, stopped (vertices, by
 * the body or by neighbours). */
extern const pleat_layer_type pleat_wrinkles_layer;

PLEAT_END

#endif
