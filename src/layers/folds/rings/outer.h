/* The outer side of a bend, which skinning shortens and cloth does not, has no folds. */
#ifndef PL_LAYERS_FOLDS_RINGS_OUTER_H
#define PL_LAYERS_FOLDS_RINGS_OUTER_H

#include "layers/folds/rings/ring.h"

/* Which way a joint bends: the inner side of the bend in the mesh's own space, unit or shorter where the limb is wrung,
 * and in w, how much it is bent, 0 .. 1 (rings/outer.c). axis: of its bone, in the same space. */
pl_f4 pl_fold_inner(pl_f4 axis, const pleat_affine *parent, const pleat_affine *joint);
/* The cosine between a station's way out and the inner side, from where folds are lower and where they are gone. */
#define PL_FOLD_OUTER_LOWER (-0.5f)
#define PL_FOLD_OUTER_GONE (-0.85f)
/* What is left of folds at a station that lies that way from its ring's middle: 1, less and 0 at the outer side. */
float pl_fold_outer(pl_f4 inner, pl_f4 out);
/* Fills outs of a ring. */
void pl_folds_find_outs(pl_fold_ring *ring, const pleat_affine *from_rest);

#endif
