/* Drawn curves: from a picture or a vector drawing to the points of a profile. */
#ifndef PL_IO_IMAGE_CURVE_H
#define PL_IO_IMAGE_CURVE_H

#include "base/memory.h"
#include "pleat/io.h"

/* What a drawing becomes: straight pieces, y upwards. */
typedef struct pl_strokes
{
    pl_memory *memory;
    const char *name;    /* of the file */
    double (*pieces)[4]; /* x0 y0 x1 y1 */
    uint32_t count, room;
    bool polyline; /* one chain of straight pieces, end to end */
} pl_strokes;

/* The first polyline, polygon or path of an SVG, with its transforms. */
pleat_result pl_curve_read_svg(const char *text, size_t size, pl_strokes *out, pleat_error *error);
/* Adds a piece; a number that is not finite is an error. */
pleat_result pl_strokes_add(pl_strokes *strokes, const double piece[4], pleat_error *error);

/* The data of a path and the points of a polyline, moved by an affine map: x' = m0 x + m2 y + m4, y' = m1 x + m3 y +
 * m5. */
pleat_result pl_svg_path(const char *text, size_t size, const double map[6], pl_strokes *out, pleat_error *error);
pleat_result pl_svg_points(const char *text, size_t size, const double map[6], bool closed, pl_strokes *out,
                           pleat_error *error);

#endif
