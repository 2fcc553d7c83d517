/* The strip of cloth that a wrinkle answers for, to one side of a point of its crest.
 *
 * It is walked straight across, on the cloth as it is, as far as half way to the next crest. Where that crest is ending
 * it counts only in part, and the walk goes on for the rest: so nothing jumps as wrinkles grow past each other. */
#ifndef PL_LAYERS_WRINKLES_SHAPE_STRIP_H
#define PL_LAYERS_WRINKLES_SHAPE_STRIP_H

#include "layers/wrinkles/deform/near.h"

typedef struct pl_wrinkle_strip
{
    float length;       /* of the strip as it is, metres */
    float lost;         /* what it was longer at rest, metres, 0 or more */
    uint32_t neighbour; /* the wrinkle across, PLEAT_NONE without */
    float distance;     /* to that */
} pl_wrinkle_strip;

typedef struct pl_wrinkle_strip_job
{
    const pl_wrinkle_near *near; /* every point a crest */
    const pleat_vec4 *positions, *rest;
    const float *presence; /* of crests, 0 .. 1: 0 at ends */
    float farthest;        /* metres: a neighbour beyond twice this is none */
    uint32_t skip;         /* crests of the same wrinkle that are no neighbours, to either side of a point */
} pl_wrinkle_strip_job;

/* side: 1 to the left of the crest as its points run, seen from outside; -1 to the right. */
pl_wrinkle_strip pl_wrinkle_strip_find(const pl_wrinkle_strip_job *job, const pleat_place *place, uint32_t crest,
                                       float side);

#endif
