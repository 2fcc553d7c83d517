/* The contour of a wrinkle: a quadratic B-spline of three pieces, its height and its arc.
 *
 * R. Gillette, 2015, sec. 6.1. Its slope runs straight from 0 at the crest to -m in the middle of the flank and back to
 * 0 at the foot, m = 4 height / width, so that its arc over the width is (sqrt(1 + m^2) + asinh(m) / m) / 2 exactly.
 * The thesis takes the height of a circle's arc, by which the contour loses 4, 10 and 18 % of the cloth at arcs of 1.4,
 * 2 and pi widths. */
#ifndef PL_LAYERS_LIVE_SHAPE_CONTOUR_H
#define PL_LAYERS_LIVE_SHAPE_CONTOUR_H

#include "base/vec.h"
#include "pleat/layers/live.h"

enum
{
    PL_LIVE_CONTOUR_STEPS = 64
};

/* Widths of contours whose arc is 1, by their height. */
typedef struct pl_live_contour
{
    float highest; /* of the table: that of an arc of pi widths */
    float widths[PL_LIVE_CONTOUR_STEPS + 2];
} pl_live_contour;

void pl_live_contour_make(pl_live_contour *contour);

/* The width of the contour of this height and arc (above 0). */
float pl_live_contour_width(const pl_live_contour *contour, float height, float arc);

/* The contour itself: height at a distance from the crest, both in their wholes: distance 1 is the foot, height 1 the
 * crest. *slope: its derivative. Both 0 beyond the foot. */
PL_INLINE float pl_live_contour_at(float distance, float *slope)
{
    float x = distance < 0 ? -distance : distance, rest = 1 - x;
    if (!(x < 1))
    {
        *slope = 0;
        return 0;
    }
    *slope = x < 0.5f ? -4 * x : -4 * rest;
    *slope = distance < 0 ? -*slope : *slope;
    return x < 0.5f ? 1 - 2 * x * x : 2 * rest * rest;
}

#endif
