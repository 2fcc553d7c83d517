/* Limbs that are flung: folds must not spring with them.
 *
 * Recordings slip, and turn a joint by up to 170 degrees from one frame to the next. Within a three hundredth of a
 * second what stands before a fold is gone then, or a crease has closed, and the fold stands as high as ever or not at
 * all. Slowing it down in the pose would take height from slow moves, too: no rule of a pose alone knows how fast it
 * is passed through. So once the layer is bound it plays the fastest frames of the clip, in small steps. Where a
 * vertex springs in one, the pose at the lower end is kept as a leap, and the vertex gets a lid there: it goes no
 * further from where skinning puts it than in that pose, and further the more joints are turned from it, so that the
 * clip's fastest turn changes the lid by what a vertex may spring. As a function of the pose the lid is never steeper
 * than that, and neither is what it holds. A frame depends on its pose alone as before, and poses that are far from any
 * leap are as they were. */
#ifndef PL_LAYER_FOLDS_LEAP_H
#define PL_LAYER_FOLDS_LEAP_H

#include "layer/folds.h"

/* Finds leaps of a clip, once the layer is bound. preview: of the bound cloth. */
pleat_result pl_folds_rehearse(void *layer, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                               const pleat_host *host, pleat_error *error);

/* Before folds rise, and after. */
void pl_folds_meet_leaps(const pl_folds_layer *layer, const pleat_layer_frame *frame);
void pl_folds_hold_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame);

#endif
