/* Shared by the files that draw on pictures. */
#ifndef PL_PICTURE_H
#define PL_PICTURE_H

#include "pleat/draw.h"

typedef struct pl_segment
{
    float x0, y0, x1, y1; /* pixels */
} pl_segment;

/* The lines of a character: at most PL_GLYPH_SEGMENTS, written to out; returns their number. (x, y) is the left end of
 * the baseline; *advance: how far the next character is from this one. */
enum
{
    PL_GLYPH_SEGMENTS = 160
};
uint32_t pl_glyph(char c, float x, float y, float height, pl_segment *out, float *advance);
/* How thick the lines of letters are. */
float pl_text_stroke(float height);

/* Draws all segments as one shape, so that where they meet nothing is blended twice. */
void pl_picture_stroke(const pleat_picture *picture, uint32_t count, const pl_segment *segments, float width,
                       pleat_rgba color);

#endif
