/* Folds along their ring: rooms and heights of neighbouring stations. In place, of the ring at work. */
#ifndef PL_LAYERS_FOLDS_CLEARANCE_ALONG_H
#define PL_LAYERS_FOLDS_CLEARANCE_ALONG_H

#include "layers/folds/folds.h"

/* Along the ring a fold tapers towards where contact stops it: lets rooms (stations by folds) grow no faster than a
 * slope. */
void pl_fold_taper_rooms(const pl_bound_ring *ring, float slope, float *rooms);
/* Lowers rooms, or parts of something, to those of the stations beside them. */
void pl_fold_share_rooms(const pl_bound_ring *ring, float *rooms);
/* In deep bends folds share length along the ring with themselves: heights of neighbouring stations come nearer to each
 * other, so that what is seen of a fold beside the crease ends slowly. part: 0 .. 1. */
void pl_fold_share_along(const pl_bound_ring *ring, float part, pl_folds_layer *layer);
/* In the deepest bends what the crease leaves of a fold may be a stub that stands beside it like a bead. So a fold goes
 * down to PL_FOLD_STUB_PEAK times as high as it is over a length along the ring of PL_FOLD_STUB of the plan's stations
 * to each side. part: 0 .. 1; once folds have shared length along the ring. */
#define PL_FOLD_STUB 2.0f
#define PL_FOLD_STUB_PEAK 1.6f
void pl_fold_leave_stubs(const pl_bound_ring *ring, float part, pl_folds_layer *layer);

#endif
