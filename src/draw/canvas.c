/* The canvas on a picture, and the way to SVG. */
#include "draw/canvas.h"

#include <math.h>

/* The pieces of the lines that a dash covers; returns their number. Room: see count_dashes. */
static uint32_t cut_dashes(uint32_t count, const pl_point *points, float dash, pl_segment *out, uint32_t room)
{
    uint32_t made = 0;
    float walked = 0; /* since the last dash began */
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        pl_point a = points[i], b = points[i + 1];
        float length = hypotf(b.x - a.x, b.y - a.y);
        for (float at = 0; at < length && made < room;)
        {
            bool drawn = walked < dash;
            float left = (drawn ? dash : 2 * dash) - walked;
            bool turns = at + left <= length; /* the dash or gap ends on this piece */
            float end = turns ? at + left : length;
            if (drawn)
            {
                float s = at / length, t = end / length;
                out[made++] = (pl_segment){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.x + t * (b.x - a.x),
                                           a.y + t * (b.y - a.y)};
            }
            walked = !turns ? walked + (end - at) : drawn ? dash : 0;
            at = end;
        }
    }
    return made;
}

static uint32_t count_dashes(uint32_t count, const pl_point *points, float dash)
{
    double length = 0;
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        length += (double)hypotf(points[i + 1].x - points[i].x, points[i + 1].y - points[i].y);
    }
    return 2 * count + 4 + (uint32_t)fmin(length / (double)dash, 1e6);
}

void pl_canvas_lines(pl_canvas *canvas, uint32_t count, const pl_point *points, float width, float dash,
                     pleat_rgba color)
{
    if (count == 0)
    {
        return;
    }
    if (canvas->svg)
    {
        pl_svg_lines(canvas, count, points, width, dash, color);
        return;
    }
    uint32_t room = dash > 0 ? count_dashes(count, points, dash) : count;
    pl_segment *segments = PL_NEW(canvas->memory, pl_segment, room);
    if (!segments)
    {
        canvas->failed = true;
        return;
    }
    uint32_t made = 0;
    if (dash > 0)
    {
        made = cut_dashes(count, points, dash, segments, room);
    }
    else
    {
        segments[made++] = (pl_segment){points[0].x, points[0].y, points[0].x, points[0].y};
        for (uint32_t i = 0; i + 1 < count; ++i)
        {
            segments[i] = (pl_segment){points[i].x, points[i].y, points[i + 1].x, points[i + 1].y};
            made = i + 1;
        }
    }
    pl_picture_stroke(canvas->picture, made, segments, width, color);
    pl_free(canvas->memory, segments);
}

void pl_canvas_rectangle(pl_canvas *canvas, float x, float y, float width, float height, pleat_rgba color)
{
    if (canvas->svg)
    {
        pl_svg_rectangle(canvas, x, y, width, height, color);
        return;
    }
    pleat_picture part = pleat_picture_part(canvas->picture, (uint32_t)fmaxf(x + 0.5f, 0), (uint32_t)fmaxf(y + 0.5f, 0),
                                            (uint32_t)(width + 0.5f), (uint32_t)(height + 0.5f));
    pleat_picture_fill(&part, color);
}

void pl_canvas_text(pl_canvas *canvas, float x, float y, float height, pl_anchor anchor, pleat_rgba color,
                    const char *text)
{
    float width = pleat_text_width(height, text);
    x -= anchor == PL_ANCHOR_MIDDLE ? 0.5f * width : anchor == PL_ANCHOR_RIGHT ? width : 0;
    if (canvas->svg)
    {
        pl_svg_text(canvas, x, y, height, color, text);
    }
    else
    {
        pleat_picture_text(canvas->picture, x, y, height, color, text);
    }
}
