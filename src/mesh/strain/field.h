/* The inside of a pleat_strain_field, for those who ask it very often.
 *
 * A tensor is kept as U = exp(size) [a + b, c; c, a - b] with a = sqrt(1 + b^2 + c^2): its size and a point (a, b, c)
 * of the hyperbolic plane. The affine-invariant metric is the product of the two, so that the mean of eq. 2 is the mean
 * of the sizes and the centre of the points; turning the frame by r turns (b, c) by 2 r. */
#ifndef PL_MESH_STRAIN_FIELD_H
#define PL_MESH_STRAIN_FIELD_H

#include "mesh/walk/flat.h"
#include "pleat/strain.h"

typedef struct pl_tensor
{
    float b, c, size;
} pl_tensor;

/* What a place of the field says, in the coordinates of its (flat) triangle. */
typedef struct pl_field_value
{
    float smallest, largest;
    pl_turn along; /* unit, of the largest stretch, up to its sign; 0 where all directions are alike */
} pl_field_value;

const pl_flat *pl_field_flat(const pleat_strain_field *field);
/* #V, each in the coordinates of its vertex. */
const pl_tensor *pl_field_tensors(const pleat_strain_field *field);
/* Of tensors at the vertices: the field's own, or others in the same coordinates. */
pl_field_value pl_field_at(const pleat_strain_field *field, const pl_tensor *tensors, const pleat_place *place);
/* Without a direction. */
pl_field_value pl_tensor_value(const pl_tensor *tensor);

/* The tensor of a symmetric matrix with eigenvalues 0.01 .. 100 (others are brought there), and back. */
pl_tensor pl_tensor_from(float xx, float xy, float yy);
void pl_tensor_to(const pl_tensor *tensor, float *xx, float *xy, float *yy);
/* The affine-invariant mean; weights sum to 1. */
pl_tensor pl_tensor_mean(const pl_tensor *tensors, const float *weights, uint32_t count);

#endif
