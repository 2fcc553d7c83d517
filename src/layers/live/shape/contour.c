#include "layers/live/shape/contour.h"

#include <math.h>

/* In widths: what the polynomial below was fitted to. */
static const float MOST_ARC = 3.14159265f;

float pleat_live_contour_arc(float slope)
{
    if (!(fabsf(slope) > 1e-3f))
    {
        return 1 + slope * slope / 6; /* the next term is 4e-14 */
    }
    return 0.5f * (sqrtf(1 + slope * slope) + asinhf(slope) / slope);
}

/* Within 0.35 % of the root of the arc for arcs of 1 to pi widths. */
float pleat_live_contour_height(float arc)
{
    float q = fminf(fmaxf(arc, 1), MOST_ARC) - 1;
    return sqrtf(q) * (0.6145f + q * (0.2483f + q * (-0.0540f + q * 0.0090f)));
}

/* The height over the arc, for a given slope, is (m / 4) / (arc over width): it grows with m. */
static float width_of_height(float height)
{
    float low = 0, high = 32;
    for (int i = 0; i < 40; ++i)
    {
        float slope = 0.5f * (low + high), arc = pleat_live_contour_arc(slope);
        *(slope / (4 * arc) < height ? &low : &high) = slope;
    }
    return 1 / pleat_live_contour_arc(low);
}

void pl_live_contour_make(pl_live_contour *contour)
{
    contour->highest = pleat_live_contour_height(MOST_ARC) / MOST_ARC;
    for (int i = 0; i < PL_LIVE_CONTOUR_STEPS + 2; ++i)
    {
        contour->widths[i] = width_of_height(contour->highest * (float)i / PL_LIVE_CONTOUR_STEPS);
    }
}

float pl_live_contour_width(const pl_live_contour *contour, float height, float arc)
{
    float at = fminf(fmaxf(height / (arc * contour->highest), 0), 1) * PL_LIVE_CONTOUR_STEPS;
    int step = (int)at;
    float rest = at - (float)step;
    return arc * (contour->widths[step] * (1 - rest) + contour->widths[step + 1] * rest);
}
