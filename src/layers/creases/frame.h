/* Creases bound to refined skin. */
#ifndef PL_CREASES_FRAME_H
#define PL_CREASES_FRAME_H

#include "layers/creases/creases.h"

/* The radius at a curve's ends, of its own. */
#define ENDS_RADIUS 0.4f
/* No vertex goes farther out than the crease stands, but for where several add up. */
#define HIGHEST 1.5f
/* A point of a curve in a frame. */
typedef struct pl_crease_crest
{
    pl_f4 at, normal; /* of the line, under the skin */
    float radius;
    float up; /* 0: a radius under the skin .. 1: in the skin */
} pl_crease_crest;

typedef struct pl_crease_frame
{
    const pl_crease_plan *plan;
    pl_arena *arena;
    const uint32_t *triangles; /* refined */
    const float *mask;
    pl_implicit_pose pose;
    pleat_place *places; /* by point of the plan */
    pl_crease_crest *crests;
    pl_crease_segment *segments; /* from a point to the next */
    uint8_t *active;             /* by segment */
    uint32_t vertex_count;       /* that may move */
    uint32_t *vertices, *first, *near;
    float *ways;
    /* Figures of the last frame. */
    uint32_t moved;
    float highest;
} pl_crease_frame;

pleat_result pl_crease_frame_bind(pl_crease_frame *frame, const pleat_cloth *cloth, pleat_error *error);
/* Returns how many creases are up. */
uint32_t pl_crease_frame_update(pl_crease_frame *frame, const pleat_layer_frame *in);

#endif
