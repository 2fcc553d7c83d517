/* SVG text that grows in memory. Letters are paths of the built-in font, with the text itself as their title, for those
 * who search or listen. */
#include "draw/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_bytes(pl_canvas *canvas, const char *bytes, size_t size)
{
    pl_svg *svg = canvas->svg;
    if (!canvas->failed && svg->size + size + 1 > svg->capacity)
    {
        size_t capacity = 2 * (svg->size + size) + 4096;
        char *grown = pl_realloc(canvas->memory, svg->text, capacity, 1);
        if (grown)
        {
            svg->text = grown;
            svg->capacity = capacity;
        }
        canvas->failed = !grown;
    }
    if (!canvas->failed)
    {
        memcpy(svg->text + svg->size, bytes, size);
        svg->size += size;
        svg->text[svg->size] = 0;
    }
}

static void put(pl_canvas *canvas, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Short pieces only: numbers and tags. */
static void put(pl_canvas *canvas, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put_bytes(canvas, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* Printable ASCII as it is, marked-up characters as entities; what the font has no letter for as a question mark. */
static void put_escaped(pl_canvas *canvas, const char *text)
{
    for (; *text; ++text)
    {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        char plain[2] = {*text >= ' ' && *text <= '~' ? *text : '?', 0};
        put(canvas, "%s", entity ? entity : plain);
    }
}

/* A coordinate to a hundredth of a pixel, without a locale's comma. */
static void put_number(pl_canvas *canvas, float value)
{
    long hundredths = (long)(value < 0 ? value * 100 - 0.5f : value * 100 + 0.5f);
    put(canvas, "%s%ld.%02ld", hundredths < 0 ? "-" : "", (hundredths < 0 ? -hundredths : hundredths) / 100,
        (hundredths < 0 ? -hundredths : hundredths) % 100);
}

static void put_color(pl_canvas *canvas, const char *what, pleat_rgba color)
{
    put(canvas, " %s=\"#%02x%02x%02x\"", what, color.r, color.g, color.b);
    if (color.a < 255)
    {
        unsigned percent = (color.a * 100u + 127) / 255;
        put(canvas, " %s-opacity=\"%u%%\"", what, percent);
    }
}

static void put_point(pl_canvas *canvas, char command, float x, float y)
{
    put(canvas, "%c", command);
    put_number(canvas, x);
    put(canvas, " ");
    put_number(canvas, y);
}

void pl_svg_begin(pl_canvas *canvas, const char *title)
{
    put(canvas, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
        (int)canvas->width, (int)canvas->height, (int)canvas->width, (int)canvas->height);
    put(canvas, "stroke-linecap=\"round\" stroke-linejoin=\"round\">\n<title>");
    put_escaped(canvas, title);
    put(canvas, "</title>\n");
}

void pl_svg_end(pl_canvas *canvas)
{
    put(canvas, "</svg>\n");
}

void pl_svg_lines(pl_canvas *canvas, uint32_t count, const pl_point *points, float width, float dash, pleat_rgba color)
{
    put(canvas, "<path fill=\"none\"");
    put_color(canvas, "stroke", color);
    put(canvas, " stroke-width=\"");
    put_number(canvas, width);
    put(canvas, "\"");
    if (dash > 0)
    {
        put(canvas, " stroke-dasharray=\"");
        put_number(canvas, dash);
        put(canvas, "\"");
    }
    put(canvas, " d=\"");
    for (uint32_t i = 0; i < count; ++i)
    {
        put_point(canvas, i ? 'L' : 'M', points[i].x, points[i].y);
    }
    if (count == 1)
    {
        put(canvas, "h0");
    }
    put(canvas, "\"/>\n");
}

void pl_svg_rectangle(pl_canvas *canvas, float x, float y, float width, float height, pleat_rgba color)
{
    put(canvas, "<rect x=\"");
    put_number(canvas, x);
    put(canvas, "\" y=\"");
    put_number(canvas, y);
    put(canvas, "\" width=\"");
    put_number(canvas, width);
    put(canvas, "\" height=\"");
    put_number(canvas, height);
    put(canvas, "\"");
    put_color(canvas, "fill", color);
    put(canvas, "/>\n");
}

void pl_svg_text(pl_canvas *canvas, float x, float y, float height, pleat_rgba color, const char *text)
{
    put(canvas, "<path fill=\"none\"");
    put_color(canvas, "stroke", color);
    put(canvas, " stroke-width=\"");
    put_number(canvas, pl_text_stroke(height));
    put(canvas, "\" d=\"");
    float last_x = 0, last_y = 0;
    for (const char *c = text; *c; ++c)
    {
        pl_segment segments[PL_GLYPH_SEGMENTS];
        float advance;
        uint32_t count = pl_glyph(*c, x, y, height, segments, &advance);
        for (uint32_t i = 0; i < count; ++i)
        {
            const pl_segment *s = &segments[i];
            if (i == 0 || s->x0 != last_x || s->y0 != last_y)
            {
                put_point(canvas, 'M', s->x0, s->y0);
            }
            put_point(canvas, 'L', s->x1, s->y1);
            last_x = s->x1;
            last_y = s->y1;
        }
        x += advance;
    }
    put(canvas, "\"><title>");
    put_escaped(canvas, text);
    put(canvas, "</title></path>\n");
}
