/* Shared by the files that draw on pictures. */
#ifndef PL_PICTURE_H
#define PL_PICTURE_H

#include "pleat/draw.h"

typedef struct pl_segment
{
    float x0, y0, x1, y1; /* pixels */
} pl_segment;

/* Draws all segments as one shape, so that where they meet nothing is blended twice. */
void pl_picture_stroke(const pleat_picture *picture, uint32_t count, const pl_segment *segments, float width,
                       pleat_rgba color);

#endif
