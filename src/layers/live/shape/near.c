/* Which triangles a line touches: those within half of its width, over edges that are.
 *
 * R. Gillette, 2015, ch. 8, walks outwards from each piece and tests bounding ellipses, as the line itself is only
 * known on the GPU there. Here lines are drawn already and the test is exact: what is near a piece is convex, so that
 * it reaches into a neighbour only over an edge that is near. */
#include "layers/live/live.h"

/* The squared distance of two segments, from p along u and from q along v. */
static float segments_apart(pl_f4 p, pl_f4 u, pl_f4 q, pl_f4 v)
{
    pl_f4 w = p - q;
    float a = pl_dot3(u, u), b = pl_dot3(u, v), c = pl_dot3(v, v), d = pl_dot3(u, w), e = pl_dot3(v, w);
    float determinant = a * c - b * b, s = 0, t;
    if (determinant > 1e-6f * a * c)
    {
        s = fminf(fmaxf((b * e - c * d) / determinant, 0), 1);
    }
    t = c > 0 ? fminf(fmaxf((b * s + e) / c, 0), 1) : 0;
    s = a > 0 ? fminf(fmaxf((b * t - d) / a, 0), 1) : 0;
    pl_f4 gap = w + u * pl_splat(s) - v * pl_splat(t);
    return pl_dot3(gap, gap);
}

/* Notes that a piece of a line, from point on, touches a triangle. */
static void touch(pleat_live *live, uint32_t triangle, uint32_t line, uint32_t point)
{
    uint32_t last = live->touched[triangle];
    if (last != PLEAT_NONE && live->touches[last].line == line)
    {
        live->touches[last].last = point + 1;
        return;
    }
    if (live->touch_count == live->touch_capacity)
    {
        return;
    }
    if (last == PLEAT_NONE)
    {
        live->patches[live->patch_count++] = triangle;
    }
    live->touches[live->touch_count] = (pl_live_touch){last, line, point, point + 1};
    live->touched[triangle] = live->touch_count++;
}

static void flood(pleat_live *live, uint32_t line, uint32_t point)
{
    const pleat_live_point *piece = &live->points[point];
    pl_f4 from = pl_load3(&piece[0].position), way = pl_load3(&piece[1].position) - from;
    float radius = 0.5f * fmaxf(piece[0].width, piece[1].width);
    uint32_t count = 0;
    ++live->stamp;
    live->queue[count++] = piece[1].place.triangle;
    live->stamps[piece[1].place.triangle] = live->stamp;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t t = live->queue[i];
        pl_f4 x[3];
        touch(live, t, line, point);
        pl_live_corners(live, t, x);
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t twin = live->topology->twin[3 * t + k];
            if (twin < PLEAT_NON_MANIFOLD && live->stamps[twin / 3] != live->stamp &&
                segments_apart(from, way, x[k], x[(k + 1) % 3] - x[k]) < radius * radius)
            {
                live->stamps[twin / 3] = live->stamp;
                live->queue[count++] = twin / 3;
            }
        }
    }
}

void pl_live_touch_all(pleat_live *live)
{
    for (uint32_t i = 0; i < live->patch_count; ++i)
    {
        live->touched[live->patches[i]] = PLEAT_NONE;
    }
    live->patch_count = live->touch_count = 0;
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        const pleat_live_wrinkle *line = &live->lines[i];
        for (uint32_t k = 0; line->height > 0 && k + 1 < line->point_count; ++k)
        {
            flood(live, i, line->first_point + k);
        }
    }
}
