/* The inside of the folds layer.
 *
 * Around each joint that bends lies a ring: the line on the cloth where the joint and all below it have half of the
 * skinning weight. Straight lines cross it at stations all the way round, and folds lie along the ring, several on each
 * side. Planning (rings/plan.c) finds the rings on a finely subdivided rest shape, so that they do not depend on the
 * mesh, and looks the clip over (rings/watch.c) for which stations are needed (rings/stations.c), what comes near folds
 * (clearance/near.c) and where they are crushed (clearance/narrow.c); binding (bind/bind.c) lays the lines over the
 * refined mesh and gives its vertices their fold and station; a frame (frame/frame.c) solves the
 * amplitude of every fold at every station that is left and raises the vertices. Before the first one the bound layer
 * plays the clip (clip/rehearse.h), so that folds neither spring with it nor pass through cloth that skinning keeps
 * apart.
 *
 * Beyond the paper: stations all the way round instead of one curve per bending direction, so that nothing has to move
 * when the axis turns; the length is kept on every line across a ring, not on one; rings of different joints share
 * the cloth between them (rings/share.c) and run one after the other, each on what the one before left; the outer side
 * of a bend, which skinning shortens and cloth does not, has no folds (rings/outer.c). */
#ifndef PL_LAYERS_FOLDS_FOLDS_H
#define PL_LAYERS_FOLDS_FOLDS_H

#include "layers/folds/bind/cross.h"
#include "layers/folds/frame/held.h"
#include "layers/folds/frame/stages.h"

/* What a frame finds of each ring before any is worked on. */
typedef struct pl_fold_bends
{
    pl_fold_held *held;
    pl_f4 *inners; /* pl_fold_inner, or 0 where nothing at the outer side is shortened */
    float *closed; /* filled as rings are done: the longest of what is pressed at a station, 0 where none is */
} pl_fold_bends;

typedef struct pl_fold_kernels pl_fold_kernels;
typedef struct pl_fold_lane_work pl_fold_lane_work;
typedef struct pl_fold_lining pl_fold_lining;
typedef struct pl_fold_lids pl_fold_lids;

/* The layer, bound. */
struct pl_folds_layer
{
    pl_memory memory;
    pl_arena arena;
    pleat_folds_options options;
    float width; /* as planned */
    uint32_t ring_count;
    pl_bound_ring *rings;
    uint32_t fold_count; /* over all rings and stations */
    uint32_t figure_count;
    pl_fold_figure *figures; /* of all rings, by station */
    float highest;
    pl_fold_bends bends;
    pl_fold_rivals rivals;
    pl_fold_stages at; /* the ring at work */
    const pl_fold_kernels *kernels;
    pl_fold_lane_work *work; /* of the kernels */
    pl_fold_lining *lining;  /* NULL: none */
    uint8_t *no_cloth;       /* by triangle: lining, trimmings and what is no garment; NULL: none */
    pl_fold_lids *lids;      /* NULL: none */
};

void pl_folds_update(void *layer, const pleat_layer_frame *frame);

#endif
