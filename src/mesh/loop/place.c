#include "mesh/loop/place.h"

#include <math.h>
#include <string.h>

void pl_refined_barycentric(const pl_refined_surface *surface, uint32_t vertex, uint32_t coarse_triangle, float out[3])
{
    uint32_t known = surface->vertex_triangle[vertex];
    const float *b = surface->vertex_barycentric + 3 * (size_t)vertex;
    if (known == coarse_triangle)
    {
        memcpy(out, b, 3 * sizeof *out);
        return;
    }
    /* It lies on an edge or a corner that both have: what counts there are corners, which go by their vertex. */
    const uint32_t *from = surface->coarse_triangles + 3 * (size_t)known;
    const uint32_t *to = surface->coarse_triangles + 3 * (size_t)coarse_triangle;
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = 0;
        for (uint32_t j = 0; j < 3 && known != PLEAT_NONE; ++j)
        {
            out[k] = from[j] == to[k] ? b[j] : out[k];
        }
    }
}

/* The first refined triangle of a coarse one. */
static uint32_t first_of(const pl_refined_surface *surface, uint32_t coarse)
{
    uint32_t low = 0, high = surface->triangle_count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        if (surface->coarse_triangle[middle] < coarse)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

/* The coordinates of a place of the coarse triangle in a refined one, by solving in its first two coordinates; the
 * least of them is how far inside it is. */
static float solve(const pl_refined_surface *surface, uint32_t triangle, const pleat_place *coarse, float out[3])
{
    float b[3][3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_refined_barycentric(surface, surface->triangles[3 * (size_t)triangle + k], coarse->triangle, b[k]);
    }
    double ux = (double)b[1][0] - (double)b[0][0], uy = (double)b[1][1] - (double)b[0][1];
    double wx = (double)b[2][0] - (double)b[0][0], wy = (double)b[2][1] - (double)b[0][1];
    double px = (double)coarse->barycentric[0] - (double)b[0][0], py = (double)coarse->barycentric[1] - (double)b[0][1];
    double area = ux * wy - uy * wx;
    if (fabs(area) < 1e-20)
    {
        return -INFINITY;
    }
    out[1] = (float)((px * wy - py * wx) / area);
    out[2] = (float)((ux * py - uy * px) / area);
    out[0] = 1 - out[1] - out[2];
    return fminf(out[0], fminf(out[1], out[2]));
}

pleat_place pl_refined_find(const pl_refined_surface *surface, const pleat_place *coarse)
{
    pleat_place best = {PLEAT_NONE, {0, 0, 0}};
    float inside = -INFINITY;
    uint32_t t = first_of(surface, coarse->triangle);
    for (; t < surface->triangle_count && surface->coarse_triangle[t] == coarse->triangle && inside < 0; ++t)
    {
        float b[3];
        float here = solve(surface, t, coarse, b);
        if (here > inside)
        {
            inside = here;
            best = (pleat_place){t, {b[0], b[1], b[2]}};
        }
    }
    float sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        best.barycentric[k] = fmaxf(best.barycentric[k], 0);
        sum += best.barycentric[k];
    }
    for (uint32_t k = 0; k < 3 && sum > 0; ++k)
    {
        best.barycentric[k] /= sum;
    }
    return best;
}
