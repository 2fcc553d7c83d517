/* What the garment guess measures: each primitive of the scene in the rest state. */
#ifndef PL_GARMENT_SHAPE_H
#define PL_GARMENT_SHAPE_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/stack.h"

typedef enum pl_part_motion
{
    PL_MOTION_RIGID,     /* moves as one piece, or not at all */
    PL_MOTION_ONE_JOINT, /* skinned, but nearly all weight is on one joint */
    PL_MOTION_POINTS,    /* morph targets or a point cache */
    PL_MOTION_SKIN       /* several joints */
} pl_part_motion;

typedef struct pl_part_shape
{
    uint32_t node, primitive;
    uint32_t node_shape; /* index below */
    pl_part_motion motion;
    uint32_t main_joint; /* node of the joint with most weight, or PLEAT_NONE */
    bool measured;       /* what follows counts */
    double area;         /* square metres */
    uint32_t surface_count;
    uint32_t border_count;
    pl_f4 low, high;
} pl_part_shape;

/* A node's mesh: its stack with no layer holds the welded surface, and where it lies in the rest state. */
typedef struct pl_node_shape
{
    uint32_t node;
    uint32_t first_part, part_count;
    pleat_stack *stack; /* NULL if not measured */
    pleat_bvh *bvh;     /* over the surface; only of nodes that bend */
} pl_node_shape;

typedef struct pl_shapes
{
    pl_memory *memory;
    uint32_t node_count, part_count;
    pl_node_shape *nodes;
    pl_part_shape *parts;
    bool all_measured;
} pl_shapes;

static inline bool pl_part_bends(const pl_part_shape *part)
{
    return part->motion == PL_MOTION_POINTS || part->motion == PL_MOTION_SKIN;
}

/* Measures the scene. On failure nothing is held. */
pleat_result pl_shapes_create(const pleat_model *model, const pleat_host *host, pl_memory *memory, pl_shapes *shapes,
                              pleat_error *error);
void pl_shapes_free(pl_shapes *shapes);

#endif
