/* Folds against other parts of the body: an arm against the chest, a thigh against the other.
 *
 * Which parts come near each other is known from the clip: while planning, every fold that is compressed notes the few
 * vertices of the input that face it closely at some time. A frame asks only those, and lets a fold rise through half
 * of the gap to them. */
#ifndef PL_LAYER_FOLDS_NEAR_H
#define PL_LAYER_FOLDS_NEAR_H

#include "layer/folds.h"

/* The cloth of one frame of the clip, in cells. */
typedef struct pl_fold_crowd
{
    const pleat_cloth *cloth;
    const pleat_vec4 *positions; /* of this frame */
    float turn;                  /* -1 where the pose mirrors the cloth, and triangles turn the other way, else 1 */
    float cell;
    uint32_t mask; /* number of buckets, less 1 */
    uint32_t *first, *next;
    uint32_t *triangle; /* of a vertex, any that is no lining; PLEAT_NONE: there is none, and nothing to run into */
} pl_fold_crowd;

/* lining: by triangle, or NULL. */
pleat_result pl_fold_crowd_make(const pleat_cloth *cloth, const uint8_t *lining, float cell, pl_arena *arena,
                                pl_fold_crowd *out, pleat_error *error);
void pl_fold_crowd_fill(pl_fold_crowd *crowd, const pleat_vec4 *positions, float turn);
/* Notes what faces the middle of fold k at a station of a ring. place, up: there, in this frame. */
void pl_fold_crowd_note(const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station, uint32_t k, pl_f4 place,
                        pl_f4 up);
/* Notes folds of a bound ring that stand in a hollow at rest, such as a cleft. */
pleat_result pl_folds_find_pinches(pl_bound_ring *ring, const pl_ring_surface *surface, pl_arena *arena,
                                   pleat_error *error);
/* Lowers rooms (stations by folds) of a bound ring to half of the gaps, and in hollows. lost, ups: as of the layer in
 * this frame. */
void pl_folds_mind_others(const pl_bound_ring *ring, const pleat_layer_frame *frame, const float *lost,
                          const pl_f4 *ups, float *rooms);

#endif
