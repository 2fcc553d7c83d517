/* The surface that wrinkles make, place by place: what a GPU computes from the buffers, and the bake on the CPU.
 *
 * R. Gillette, 2015, secs. 7.3 to 7.5. The nearest point of a line jumps where the line bends; a place is projected
 * along a direction that turns steadily from one end of a piece to the other instead (eq. 7.1). As printed that gives
 * the direction s_0 the weight alpha, but alpha = 0 is the point that s_0 belongs to: they change places, and the root
 * is only taken where the sign changes from 0 to 1. Printed, up to 8 % of places have no root and jump. Of several
 * wrinkles the highest counts. */
#include "layers/live/live.h"

/* Where along a piece a place projects to, 0 .. 1; below 0 where it does not. */
static float project(pl_f4 p, pl_f4 v0, pl_f4 v1, pl_f4 s0, pl_f4 s1)
{
    pl_f4 z0 = v1 - v0, z1 = v0 - p, turn = s1 - s0;
    float c = pl_dot3(z1, s0), at_end = pl_dot3(v1 - p, s1);
    if (!(c <= 0 && at_end > 0))
    {
        return -1;
    }
    float a = pl_dot3(z0, turn), b = pl_dot3(z0, s0) + pl_dot3(z1, turn), root = b * b - 4 * a * c;
    float below = -b - sqrtf(fmaxf(root, 0));
    float alpha = below < 0 ? 2 * c / below : 0;
    return fminf(fmaxf(alpha, 0), 1);
}

/* The height that one piece gives to a place, and its slope. */
static float height_of_piece(const pleat_live *live, uint32_t point, pl_f4 p, pl_f4 *slope)
{
    const pleat_live_point *piece = &live->points[point];
    pl_f4 v0 = pl_load3(&piece[0].position), v1 = pl_load3(&piece[1].position), way = v1 - v0;
    float alpha = project(p, v0, v1, pl_load(&live->ways[point]), pl_load(&live->ways[point + 1]));
    if (alpha < 0)
    {
        return 0;
    }
    pl_f4 away = p - v0 - way * pl_splat(alpha);
    float height = piece[0].height + alpha * (piece[1].height - piece[0].height);
    float half = 0.5f * (piece[0].width + alpha * (piece[1].width - piece[0].width));
    float distance = pl_length3(away), steep, contour = pl_live_contour_at(distance / half, &steep);
    if (slope && contour > 0)
    {
        float squared = fmaxf(pl_dot3(way, way), 1e-30f);
        float widening = 0.5f * (piece[1].width - piece[0].width) * distance / half;
        float along = contour * (piece[1].height - piece[0].height) - height * steep * widening / half;
        *slope = away * pl_splat(height * steep / (half * fmaxf(distance, 1e-20f))) + way * pl_splat(along / squared);
    }
    return height * contour;
}

/* The highest piece of one line, near one triangle. */
static float height_of_touch(const pleat_live *live, const pl_live_touch *touch, pl_f4 p, pl_f4 *slope)
{
    float highest = 0;
    *slope = pl_splat(0);
    for (uint32_t k = touch->first; k < touch->last; ++k)
    {
        pl_f4 own = pl_splat(0);
        float height = height_of_piece(live, k, p, &own);
        if (fabsf(height) > fabsf(highest))
        {
            highest = height;
            *slope = own;
        }
    }
    return highest;
}

float pl_live_height_of(const pleat_live *live, uint32_t triangle, pl_f4 p, pl_f4 *slope)
{
    float highest = 0;
    *slope = pl_splat(0);
    for (uint32_t i = live->touched[triangle]; i != PLEAT_NONE; i = live->touches[i].next)
    {
        pl_f4 own;
        float height = height_of_touch(live, &live->touches[i], p, &own);
        if (fabsf(height) > fabsf(highest))
        {
            highest = height;
            *slope = own;
        }
    }
    return highest;
}

pleat_vec3 pleat_live_normal(const pleat_live *live, const pleat_place *place, pleat_vec3 normal)
{
    pl_f4 x[3], mean = pl_splat(0), smooth = pl_load3(&normal);
    float whole = 0;
    pleat_vec3 out = normal;
    pl_live_corners(live, place->triangle, x);
    pl_f4 p = x[0] * pl_splat(place->barycentric[0]) + x[1] * pl_splat(place->barycentric[1]) +
              x[2] * pl_splat(place->barycentric[2]);
    for (uint32_t i = live->touched[place->triangle]; i != PLEAT_NONE; i = live->touches[i].next)
    {
        pl_f4 slope;
        float height = fabsf(height_of_touch(live, &live->touches[i], p, &slope));
        mean = mean + pl_normalize3(smooth - slope) * pl_splat(height);
        whole += height;
    }
    if (whole > 0)
    {
        pl_store3(&out, pl_normalize3(mean));
    }
    return out;
}

float pleat_live_height(const pleat_live *live, const pleat_place *place, pleat_vec3 *slope)
{
    pl_f4 x[3], own;
    pl_live_corners(live, place->triangle, x);
    pl_f4 p = x[0] * pl_splat(place->barycentric[0]) + x[1] * pl_splat(place->barycentric[1]) +
              x[2] * pl_splat(place->barycentric[2]);
    float height = pl_live_height_of(live, place->triangle, p, &own);
    if (slope)
    {
        pl_store3(slope, own);
    }
    return height;
}
