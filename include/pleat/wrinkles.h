/* pleat/wrinkles.h: fine wrinkles on coarse cloth, placed by its stretch against the rest shape.
 *
 * D. Rohmer, T. Popa, M.-P. Cani, S. Hahmann, A. Sheffer, "Animation Wrinkling", 2010. See docs/wrinkles.md. */
#ifndef PLEAT_WRINKLES_H
#define PLEAT_WRINKLES_H

#include "pleat/layer.h"

PLEAT_BEGIN

/* ---- Wrinkles as curves ------------------------------------------------------------------------------------------ */

/* A point of a wrinkle's crest. */
typedef struct pleat_wrinkle_point
{
    pleat_place place; /* on the surface that was traced: the cloth as it came */
    float width;       /* from the crest to the foot, metres */
    float depth;       /* how far the crest stands out along the normal, metres; below 0: inward */
    float strength;    /* the share of length that the cloth lost across the wrinkle here: 1 - smallest stretch */
} pleat_wrinkle_point;

/* A wrinkle in one frame. */
typedef struct pleat_wrinkle
{
    uint32_t id; /* lasts from its birth to its death, and is never given again */
    uint32_t first_point, point_count;
    uint32_t seed; /* of its points, the one that it is held by from frame to frame */
} pleat_wrinkle;

/* The wrinkles of a clip. Born and dead are the first and the last frame that hold an id. */
typedef struct pleat_wrinkle_set
{
    float start, step; /* seconds of the first frame, and between frames */
    uint32_t frame_count;
    const uint32_t *first_wrinkle; /* frame_count + 1, into wrinkles; in a frame, by id */
    const pleat_wrinkle *wrinkles;
    const pleat_wrinkle_point *points;
} pleat_wrinkle_set;

PLEAT_END

#endif
