/* Depths for the mesh at hand. A mesh draws a wrinkle as a polygon, which is shorter than the profile that the depth
 * was solved for: by some per cent with four edges from crest to foot. Wrinkles are made a little
 * deeper, so that the polygon has the length. */
#include "layers/wrinkles/wrinkles.h"

#include "base/vec.h"

enum
{
    PIECES = 8 /* of the polygon that the loss is measured on */
};

/* Rows of vertices lie between an edge and the height of its triangle apart, by the way across: between 1 and 0.87. */
static const float ACROSS = 0.93f;

/* What a polygon of n pieces a width loses of a profile's length, times n^2. */
static float loss_of(const pl_wrinkle_profile *profile, uint32_t row)
{
    float depth = PL_WRINKLE_DEEPEST * (float)row / PL_PROFILE_DEPTHS, length = 0, x = 0, z = depth;
    for (uint32_t i = 1; i <= PIECES && row; ++i)
    {
        float place = (float)i / PIECES;
        float next = place + pl_wrinkle_read(profile->shift, depth, place);
        float height = pl_wrinkle_read(profile->height, depth, next);
        length += hypotf(next - x, height - z);
        x = next;
        z = height;
    }
    float whole = 1 + pl_wrinkle_excess(profile, depth);
    return row ? fmaxf(1 - length / whole, 0) * PIECES * PIECES : 0;
}

void pl_wrinkles_fine_make(pl_wrinkles_fine *fine)
{
    pl_wrinkle_profile_make(&fine->profile);
    for (uint32_t row = 0; row <= PL_PROFILE_DEPTHS; ++row)
    {
        fine->loss[row] = loss_of(&fine->profile, row);
    }
}

void pl_wrinkles_fine_edges(const pleat_cloth *cloth, const pleat_topology *coarse, float *areas, float *edges)
{
    const pleat_topology *topology = cloth->topology;
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        const uint32_t *v = topology->triangles + 3 * (size_t)t;
        const uint32_t *corner = coarse->triangles + 3 * (size_t)cloth->coarse_triangle[t];
        pl_f4 p[3] = {pl_load(&cloth->rest[v[0]]), pl_load(&cloth->rest[v[1]]), pl_load(&cloth->rest[v[2]])};
        float area = pl_length3(pl_cross(p[1] - p[0], p[2] - p[0]));
        float sum = pl_length3(p[1] - p[0]) + pl_length3(p[2] - p[1]) + pl_length3(p[0] - p[2]);
        for (uint32_t k = 0; k < 3; ++k)
        {
            areas[corner[k]] += area;
            edges[corner[k]] += area * sum / 3;
        }
    }
    for (uint32_t v = 0; v < coarse->vertex_count; ++v)
    {
        edges[v] = areas[v] > 0 ? edges[v] / areas[v] : 0;
    }
}

float pl_wrinkles_fine_depth(const pl_wrinkles_fine *fine, const pleat_wrinkle_point *point, float edge, bool crest)
{
    float depth = fabsf(point->depth) / point->width;
    float pieces = point->width / (fmaxf(1 - point->strength, 0.25f) * ACROSS * edge);
    pieces += crest ? 0.5f : 0; /* one piece more over both sides */
    if (!(depth > 0) || !(pieces < 64))
    {
        return point->depth;
    }
    float at = fminf(depth / PL_WRINKLE_DEEPEST, 1) * PL_PROFILE_DEPTHS;
    uint32_t row = at < PL_PROFILE_DEPTHS - 1 ? (uint32_t)at : PL_PROFILE_DEPTHS - 1;
    float loss = fine->loss[row] + (at - (float)row) * (fine->loss[row + 1] - fine->loss[row]);
    float lost = fminf(loss / (pieces * pieces), 0.15f); /* a mesh far too coarse draws no wrinkle, however deep */
    float excess = (1 + pl_wrinkle_excess(&fine->profile, depth)) / (1 - lost) - 1;
    return copysignf(pl_wrinkle_depth_for(&fine->profile, excess) * point->width, point->depth);
}
