/* What plots are drawn with: a few shapes, on a picture or as SVG. */
#ifndef PL_CANVAS_H
#define PL_CANVAS_H

#include "base/memory.h"
#include "draw/picture.h"

typedef struct pl_point
{
    float x, y; /* pixels, y down */
} pl_point;

typedef enum pl_anchor
{
    PL_ANCHOR_LEFT,
    PL_ANCHOR_MIDDLE,
    PL_ANCHOR_RIGHT
} pl_anchor;

/* One of the two is set. Failures to get memory are kept and reported at the end. */
typedef struct pl_canvas
{
    float width, height;
    const pleat_picture *picture;
    struct pl_svg *svg;
    pl_memory *memory; /* scratch */
    bool failed;
} pl_canvas;

/* Lines of a width through points; dash 0: unbroken, else the length of a dash and of the gap. */
void pl_canvas_lines(pl_canvas *canvas, uint32_t count, const pl_point *points, float width, float dash,
                     pleat_rgba color);
void pl_canvas_rectangle(pl_canvas *canvas, float x, float y, float width, float height, pleat_rgba color);
/* height: of a capital letter; y: the baseline. */
void pl_canvas_text(pl_canvas *canvas, float x, float y, float height, pl_anchor anchor, pleat_rgba color,
                    const char *text);

/* ---- SVG ---- */

typedef struct pl_svg
{
    char *text;
    size_t size, capacity;
} pl_svg;

void pl_svg_begin(pl_canvas *canvas, const char *title);
void pl_svg_end(pl_canvas *canvas);
void pl_svg_lines(pl_canvas *canvas, uint32_t count, const pl_point *points, float width, float dash, pleat_rgba color);
void pl_svg_rectangle(pl_canvas *canvas, float x, float y, float width, float height, pleat_rgba color);
void pl_svg_text(pl_canvas *canvas, float x, float y, float height, pleat_rgba color, const char *text);

#endif
