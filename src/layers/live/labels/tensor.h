/* How a triangle is stretched from one shape to another, without a rest pose: triangles laid flat, principal stretches
 * and the directions in which they act on the triangle as it is now.
 *
 * R. Gillette, "Augmentation of Coarse Meshes with Wrinkles", 2015, sec. 4.1.1. The deformation gradient of two
 * triangles that are laid flat along their first edges is upper triangular, F = [p q; 0 r]; its left singular vectors
 * are directions on the mesh (the thesis' tensor sqrt(F^T F) has the right ones, which lie in the reference). */
#ifndef PL_LAYERS_LIVE_LABELS_TENSOR_H
#define PL_LAYERS_LIVE_LABELS_TENSOR_H

#include "base/vec.h"

/* A triangle laid flat: its edges from the first corner are (a, 0) and (b, c). c is 0 where it has no area. */
typedef struct pl_live_flat
{
    float a, b, c;
} pl_live_flat;

/* Principal stretches from one flat triangle to another: lengths now over lengths before. cosine and sine: the
 * direction of the larger one, counted from the first edge of the triangle as it is now. */
typedef struct pl_live_stretch
{
    float small, large;
    float cosine, sine;
} pl_live_stretch;

/* Needles, of which one dimension is lost to rounding, have no area; nor has anything that is not finite. */
pl_live_flat pl_live_lay(pl_f4 x0, pl_f4 x1, pl_f4 x2);

/* Both must have an area. Stretches are kept within 1/64 .. 64. */
pl_live_stretch pl_live_stretch_of(pl_live_flat now, pl_live_flat before);

/* The triangle from which `now` is stretched by so much. */
pl_live_flat pl_live_before(pl_live_flat now, pl_live_stretch stretch);

/* The direction of the larger stretch in space: unit, in the triangle's plane. */
pl_f4 pl_live_along(pl_f4 x0, pl_f4 x1, pl_f4 x2, pl_live_stretch stretch);

#endif
