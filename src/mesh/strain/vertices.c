/* Stretch at vertices. A tensor is carried from its triangle into the tangent plane of the vertex by the shortest turn
 * that takes one normal to the other, so that a curved surface that is not stretched keeps a stretch of exactly 1; the
 * mean is that of the tensors' entries, by rest area. */
#include "mesh/strain/strain.h"

#include "base/vec.h"

/* A tensor on its way: sums of xx, xy, yy and of the weight live in smallest, largest, across.x and across.y, and the
 * normal in along. */
static void add_normals(const pleat_strain *strain, const pleat_vec4 *positions, pleat_stretch *out)
{
    for (uint32_t v = 0; v < strain->vertex_count; ++v)
    {
        out[v] = (pleat_stretch){0};
    }
    for (uint32_t t = 0; t < strain->triangle_count; ++t)
    {
        const uint32_t *corner = strain->triangles + 3 * (size_t)t;
        pl_f4 a = pl_load(&positions[corner[0]]);
        pl_f4 normal = pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
        for (int k = 0; k < 3; ++k)
        {
            pl_store3(&out[corner[k]].along, pl_load3(&out[corner[k]].along) + normal);
        }
    }
}

/* The shortest turn from one unit normal to another, applied to v; opposite normals turn nothing. */
static pl_f4 turn(pl_f4 from, pl_f4 to, pl_f4 v)
{
    pl_f4 axis = pl_cross(from, to);
    float cosine = pl_dot3(from, to);
    if (!(cosine > -0.999f))
    {
        return v;
    }
    pl_f4 once = pl_cross(axis, v);
    return v + once + pl_cross(axis, once) * pl_splat(1 / (1 + cosine));
}

static void add_tensor(pleat_stretch *sum, pl_f4 face, const pleat_stretch *stretch, float area)
{
    pl_f4 normal = pl_normalize3(pl_load3(&sum->along));
    if (pl_dot3(normal, normal) == 0)
    {
        return;
    }
    pl_f4 x = pl_perpendicular(normal), y = pl_cross(normal, x);
    pl_f4 across = turn(face, normal, pl_load3(&stretch->across));
    pl_f4 along = turn(face, normal, pl_load3(&stretch->along));
    float ax = pl_dot3(across, x), ay = pl_dot3(across, y), bx = pl_dot3(along, x), by = pl_dot3(along, y);
    sum->smallest += area * (stretch->smallest * ax * ax + stretch->largest * bx * bx);
    sum->largest += area * (stretch->smallest * ax * ay + stretch->largest * bx * by);
    sum->across.x += area * (stretch->smallest * ay * ay + stretch->largest * by * by);
    sum->across.y += area;
}

static pleat_stretch finish(const pleat_stretch *sum)
{
    if (!(sum->across.y > 0))
    {
        return (pleat_stretch){.smallest = 1, .largest = 1};
    }
    pl_f4 normal = pl_normalize3(pl_load3(&sum->along));
    pl_f4 x = pl_perpendicular(normal), y = pl_cross(normal, x);
    float xx = sum->smallest / sum->across.y, xy = sum->largest / sum->across.y, yy = sum->across.x / sum->across.y;
    float middle = 0.5f * (xx + yy), difference = 0.5f * (xx - yy);
    float radius = sqrtf(difference * difference + xy * xy);
    float angle = 0.5f * atan2f(xy, difference);
    pl_f4 along = x * pl_splat(cosf(angle)) + y * pl_splat(sinf(angle));
    pleat_stretch out = {.smallest = fmaxf(middle - radius, 0), .largest = middle + radius};
    pl_store3(&out.along, along);
    pl_store3(&out.across, pl_cross(normal, along));
    return out;
}

void pleat_strain_vertices(const pleat_strain *strain, const pleat_vec4 *positions, const pleat_stretch *triangles,
                           pleat_stretch *out)
{
    add_normals(strain, positions, out);
    for (uint32_t t = 0; t < strain->triangle_count; ++t)
    {
        const uint32_t *corner = strain->triangles + 3 * (size_t)t;
        pl_f4 a = pl_load(&positions[corner[0]]);
        pl_f4 face = pl_normalize3(pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a));
        for (int k = 0; k < 3 && strain->areas[t] > 0; ++k)
        {
            add_tensor(&out[corner[k]], face, &triangles[t], strain->areas[t]);
        }
    }
    for (uint32_t v = 0; v < strain->vertex_count; ++v)
    {
        out[v] = finish(&out[v]);
    }
}

static float clamp01(float x)
{
    return fminf(fmaxf(x, 0), 1);
}

pleat_vec3 pleat_stretch_to_color(const pleat_stretch *stretch, pleat_stretch_colors colors, float strength,
                                  pleat_vec3 tangent, pleat_vec3 normal)
{
    float compressed = clamp01((1 - stretch->smallest) / strength),
          stretched = clamp01((stretch->largest - 1) / strength);
    if (colors == PLEAT_STRETCH_GREY)
    {
        float grey = clamp01(0.5f + 0.5f * (stretch->smallest * stretch->largest - 1) / strength);
        return (pleat_vec3){grey, grey, grey};
    }
    if (colors == PLEAT_STRETCH_SIGNED)
    {
        return (pleat_vec3){stretched, 0, compressed};
    }
    pl_f4 across = pl_load3(&stretch->across), side = pl_cross(pl_load3(&normal), pl_load3(&tangent));
    float turned = atan2f(pl_dot3(across, side), pl_dot3(across, pl_load3(&tangent))) * (1 / 3.14159265f);
    return (pleat_vec3){compressed, stretched, turned - floorf(turned)};
}
