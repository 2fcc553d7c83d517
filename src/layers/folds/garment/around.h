/* Other cloth and bodies beneath rings and over them (garment/beneath.c, garment/cover.c). */
#ifndef PL_LAYERS_FOLDS_GARMENT_AROUND_H
#define PL_LAYERS_FOLDS_GARMENT_AROUND_H

#include "layers/folds/folds.h"

/* Finds what lies beneath rings and over them, once all are bound. */
pleat_result pl_folds_look_around(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                                  const pl_ring_surface *surface, const pleat_host *host, pleat_error *error);
/* Lowers rooms (stations by folds) of a ring where other cloth lies over it. */
void pl_folds_hold_down(const pl_bound_ring *ring, float *rooms);

#endif
