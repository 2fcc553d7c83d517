/* pleat/draw.h: pictures in memory, and what is drawn on them without a GPU. Part of libpleat_draw, which needs the
 * core alone; reads and writes no file. RGBA8, sRGB. */
#ifndef PLEAT_DRAW_H
#define PLEAT_DRAW_H

#include "pleat/base.h"

PLEAT_BEGIN

/* The caller's pixels, rows from the top, 4 bytes a pixel. A part of a picture is a picture. */
typedef struct pleat_picture
{
    uint32_t width, height;
    size_t stride; /* bytes from one row to the next, at least 4 width */
    uint8_t *pixels;
} pleat_picture;

/* An sRGB colour with straight alpha. */
typedef struct pleat_rgba
{
    uint8_t r, g, b, a;
} pleat_rgba;

/* The pixels of a rectangle, cut to the picture; may come out empty. */
pleat_picture pleat_picture_part(const pleat_picture *picture, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
void pleat_picture_fill(const pleat_picture *picture, pleat_rgba color);
/* A line from centre to centre in pixels (the middle of the first pixel is 0.5, 0.5), round ends, smooth edges. */
void pleat_picture_line(const pleat_picture *picture, float x0, float y0, float x1, float y1, float width,
                        pleat_rgba color);

/* Text in the built-in stroke font: printable ASCII, one line, other bytes come out as a box. height is that of a
 * capital letter in pixels; (x, y) is the left end of the baseline. Drawing past the border is cut. */
void pleat_picture_text(const pleat_picture *picture, float x, float y, float height, pleat_rgba color,
                        const char *text);
float pleat_text_width(float height, const char *text);

/* A title in the upper left corner ("before"), sized by the picture. */
void pleat_picture_label(const pleat_picture *picture, const char *text);

/* Stretch to colour: low and below is blue, 1 (no stretch) is nearly white, high and above is red. */
typedef struct pleat_stretch_scale
{
    float low, high; /* default 0.7 and 1.3; low < 1 < high */
} pleat_stretch_scale;

pleat_stretch_scale pleat_stretch_scale_default(void);
pleat_rgba pleat_stretch_color(const pleat_stretch_scale *scale, float stretch);
/* The scale as a bar with numbers in the lower right corner. */
void pleat_picture_legend(const pleat_picture *picture, const pleat_stretch_scale *scale, const char *title);

PLEAT_END

#endif
