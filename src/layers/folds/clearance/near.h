/* Folds against other parts of the body: an arm against the chest, a thigh against the other, the two sides of a groin.
 *
 * Which parts come near each other is known from the clip: while planning, every fold that may rise notes the few
 * places that stand before it at some time. A place is noted only where those known already would let the fold rise
 * higher, so that in every frame the nearest of what is noted is about as near as the nearest of all. A frame asks only
 * those, and lets a fold rise through half of the gap to them. */
#ifndef PL_LAYERS_FOLDS_CLEARANCE_NEAR_H
#define PL_LAYERS_FOLDS_CLEARANCE_NEAR_H

#include "layers/folds/folds.h"

/* Four places of a cell in a frame, lane by lane: where each is, and at rest where it is and which way it looks. The
 * first `empty` hold nothing and are nowhere. */
typedef struct pl_fold_four
{
    pl_f4 place[3], rest[3], normal[3];
    uint32_t vertex[4];
    uint32_t empty;
    uint32_t next; /* of the cell, or PLEAT_NONE */
} pl_fold_four;

/* Places all over the planning surface, and one frame of the clip, in cells. */
typedef struct pl_fold_crowd
{
    const pl_ring_surface *surface; /* at rest */
    const pleat_vec4 *positions;    /* of this frame, as the surface's, */
    const pleat_vec4 *ups;          /* and its normals as skinning turns them, of any length; */
    pl_f4 *looks;                   /* of members unit, by vertex */
    const pleat_affine *joints;     /* of the skin, from the mesh's own space */
    pleat_affine from_rest;         /* to there from the surface's */
    float cell;
    uint32_t mask;   /* number of buckets, less 1 */
    uint32_t *first; /* four of a cell */
    uint32_t four_count;
    pl_fold_four *fours;
    uint32_t member_count, *members; /* vertices of the surface */
} pl_fold_crowd;

/* Chooses places. */
pleat_result pl_fold_crowd_make(const pl_folds_plan *plan, const pl_ring_surface *surface, pl_arena *arena,
                                pl_fold_crowd *out, pleat_error *error);
void pl_fold_crowd_fill(pl_fold_crowd *crowd, const pleat_vec4 *positions, const pleat_vec4 *ups);
/* Notes what stands before the middle of fold k at a station of a ring. */
void pl_fold_crowd_note(const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station, uint32_t k,
                        const pleat_place *middle);
/* Notes folds of a bound ring that stand in a hollow at rest, such as a cleft. */
pleat_result pl_folds_find_pinches(pl_bound_ring *ring, const pl_ring_surface *surface, pl_arena *arena,
                                   pleat_error *error);
/* Lines nearer to each other at rest, of the stations' distance, are not asked whether they meet. */
#define PL_FOLD_BESIDE 0.2f
/* Which way the side of a line is, within the cloth, unit. along: the line's direction; up: outwards. */
pl_f4 pl_fold_sideways(pl_f4 along, pl_f4 up);
/* Prepares the folds of a bound ring that are known to be crushed at some time. known: stations by folds. */
pleat_result pl_folds_find_narrow(pl_bound_ring *ring, const uint8_t *known, const pleat_cloth *cloth, pl_arena *arena,
                                  pleat_error *error);
/* How much of its height such a fold keeps in a frame, 0 .. 1. ups: of the ring's stations, in this frame; mirrored:
 * -1 where the frame turns left into right, else 1. */
float pl_fold_narrow_part(const pl_bound_ring *ring, const pl_fold_narrow *narrow, const pl_f4 *ups,
                          const pleat_vec4 *positions, float mirrored);
/* What is lost at a station or beside it, where folds have to mind others too. */
float pl_fold_loss_around(const pl_folds_layer *layer, const pl_bound_ring *ring, uint32_t station);
/* Lowers the layer's room and taper of a fold that others leave less, and fills its slide. aside: what other limbs
 * leave it; loss: around its station. */
void pl_fold_give_way(const pl_folds_layer *layer, const pl_bound_ring *ring, uint32_t fold, float room, float aside,
                      float loss);
/* Lowers the layer's rooms and tapers of a bound ring in hollows and where cloth is crushed, and lets all slide. */
void pl_folds_mind_crushed(const pl_folds_layer *layer, const pl_bound_ring *ring, const pleat_layer_frame *frame);

#endif
