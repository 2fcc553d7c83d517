/* Convolution surfaces along polylines, closed form per segment.
 *
 * The field of a skeleton is the integral along it of weight times kernel, the kernel being Cauchy's
 *     k(d) = 1 / (1 + s^2 d^2)^2,
 * less the parabola in d^2 that touches it at the reach, so that it ends there with value and slope zero:
 *     k(d) - k(r) - k'(r) (d^2 - r^2) / (2 r),   0 from d = r on;   r = INFINITY: Cauchy's kernel as it is.
 * Weights vary linearly along a segment. J. McCormack and A. Sherstyuk (2001) give the integral without an end; the
 * formulas here were worked out anew. */
#ifndef PL_MESH_FIELD_CONVOLUTION_H
#define PL_MESH_FIELD_CONVOLUTION_H

#include "base/vec.h"

typedef struct pl_convolution_segment
{
    pl_f4 from, to;
    float weight[2]; /* at from and to */
    float sharpness; /* s, 1 / metres, above 0 */
    float reach;     /* r, metres, above 0; INFINITY: no end */
} pl_convolution_segment;

/* The field of a segment at a point; its gradient goes to gradient unless that is NULL. Continuous with its gradient. A
 * segment without length has no field. */
double pl_convolution_field(const pl_convolution_segment *segment, pl_f4 point, pl_f4 *gradient);

/* The field of an endless straight line of weight 1 at a distance: what weights are calibrated by. */
double pl_convolution_line(double sharpness, double reach, double distance);

/* The weight that gives an endless straight line (reach INFINITY) the radius R where the field is 1:
 * 2 s (1 + s^2 R^2)^(3/2) / pi. The paper has 4 s, which is twice too large. */
double pl_convolution_weight(double sharpness, double radius);

/* The mesh as a primitive, at height z above it: (1 + s^2 z0^2) / (1 + s^2 (z + z0)^2). It is 1 on the mesh for every s
 * and z0; in the paper z0 is imaginary for s above sqrt(pi). slope (or NULL) receives the derivative. */
double pl_convolution_plane(double sharpness, double z0, double z, double *slope);

#endif
