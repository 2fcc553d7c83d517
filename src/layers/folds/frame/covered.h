/* Deep bends: what the real pose still asks of folds that were solved in the held one (frame/held.c).
 *
 * Where a limb is pressed against itself, the cloth between is covered and shows no folds: those that the crease closes
 * over stay where they are on the cloth, go down before it, and come up again as it opens (frame/press_wide.c).
 * Squeezing them out along the cloth instead would send ridge after ridge past every place beside the crease. */
#ifndef PL_LAYERS_FOLDS_FRAME_COVERED_H
#define PL_LAYERS_FOLDS_FRAME_COVERED_H

#include "layers/folds/frame/kernels.h"

/* Planes are known less the further the line on one bone is turned from that on the other: cosines, of 114 degrees and
 * of 154. */
#define PL_FOLD_CLEAR_ALL (-0.4f)
#define PL_FOLD_CLEAR_NONE (-0.9f)
/* Skinning draws the ring itself towards the joint by up to this, of a fold's width, which makes the way to it longer.
 */
#define PL_FOLD_DRAWN 1.0f
/* Cloth may have been pushed through the crease if it is no further from the ring than so many times its way at rest;
 * none of it was from the second on. */
#define PL_FOLD_PUSHED_ALL 1.05f
#define PL_FOLD_PUSHED_NONE 1.35f
/* How many stations further on pressed cloth may have gone. */
#define PL_FOLD_ASIDE 4

/* Finds creases of a ring in the real pose, and what they cover: creases, runs, pressed and strays of the layer. */
void pl_folds_cover(const pl_fold_job *job);

#endif
