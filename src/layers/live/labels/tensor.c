#include "layers/live/labels/tensor.h"

/* Beyond this share of its longest edge squared, twice the area is rounding (positions are floats). */
static const float NEEDLE = 1e-5f;
static const float MOST_STRETCH = 64;
/* Products of four lengths are formed: an edge shorter than this, squared, is a point. */
static const float POINT = 1e-18f;

pl_live_flat pl_live_lay(pl_f4 x0, pl_f4 x1, pl_f4 x2)
{
    pl_f4 u = x1 - x0, v = x2 - x0;
    float uu = pl_dot3(u, u), vv = pl_dot3(v, v), doubled = pl_length3(pl_cross(u, v));
    if (!(doubled > NEEDLE * fmaxf(uu, vv)) || !(uu > POINT) || !(doubled < INFINITY))
    {
        return (pl_live_flat){0, 0, 0};
    }
    float a = sqrtf(uu);
    return (pl_live_flat){a, pl_dot3(u, v) / a, doubled / a};
}

pl_live_stretch pl_live_stretch_of(pl_live_flat now, pl_live_flat before)
{
    float p = now.a / before.a, r = now.c / before.c, q = (now.b - before.b * p) / before.c;
    /* The eigenvalues of F F^T. */
    float m11 = p * p + q * q, m12 = q * r, m22 = r * r;
    float mean = 0.5f * (m11 + m22), half = 0.5f * (m11 - m22), root = sqrtf(half * half + m12 * m12);
    float large = sqrtf(mean + root), small = p * r / large;
    float x = half > 0 ? root + half : m12, y = half > 0 ? m12 : root - half, length = sqrtf(x * x + y * y);
    pl_live_stretch out = {fmaxf(small, 1 / MOST_STRETCH), fminf(fmaxf(large, 1 / MOST_STRETCH), MOST_STRETCH), 1, 0};
    out.small = fminf(out.small, out.large);
    if (length > 0)
    {
        out.cosine = x / length;
        out.sine = y / length;
    }
    return out;
}

/* With F' = A S B^T the reference is F'^-1 now = B S^-1 A^T now; turning it by A, which its shape does not feel, makes
 * that A S^-1 A^T now. */
pl_live_flat pl_live_before(pl_live_flat now, pl_live_stretch stretch)
{
    float large = 1 / stretch.large, small = 1 / stretch.small, c = stretch.cosine, s = stretch.sine;
    float m11 = large * c * c + small * s * s, m12 = (large - small) * c * s, m22 = large * s * s + small * c * c;
    float ux = m11 * now.a, uy = m12 * now.a;
    float vx = m11 * now.b + m12 * now.c, vy = m12 * now.b + m22 * now.c;
    float a = sqrtf(ux * ux + uy * uy);
    return (pl_live_flat){a, (ux * vx + uy * vy) / a, now.a * now.c * large * small / a};
}

pl_f4 pl_live_along(pl_f4 x0, pl_f4 x1, pl_f4 x2, pl_live_stretch stretch)
{
    pl_f4 first = pl_normalize3(x1 - x0), v = x2 - x0;
    pl_f4 second = pl_normalize3(v - first * pl_splat(pl_dot3(v, first)));
    return first * pl_splat(stretch.cosine) + second * pl_splat(stretch.sine);
}
