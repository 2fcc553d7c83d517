/* Shapes of known size, and measures of them. */
#ifndef SUPPORT_MEASURED_H
#define SUPPORT_MEASURED_H

#include "support/support.h"

#include "pleat/measure.h"

typedef struct measured_shape
{
    uint32_t vertex_count, triangle_count;
    pleat_vec4 *rest;
    uint32_t *triangles;
} measured_shape;

measured_shape measured_new(uint32_t vertex_count, uint32_t triangle_count);
void measured_free(measured_shape *s);
pleat_measure_mesh measured_mesh(const measured_shape *s);
/* columns by rows quads in the plane z = 0, from 0 0 to width height. */
measured_shape measured_sheet(uint32_t columns, uint32_t rows, double width, double height);
/* A sphere of rings by 2 rings: vertices exactly on it, poles at +-y. */
measured_shape measured_sphere(uint32_t rings, double radius, double x, double y, double z);
/* A box from 0 to (a, b, c), its last two triangles (the side x = a) left out if it is open. */
measured_shape measured_box(double a, double b, double c, bool open);
measured_shape measured_join(const measured_shape *a, const measured_shape *b);

/* These fail the test where the measure does. */
pleat_measure *measure_of(const pleat_measure_desc *desc);
pleat_measure *measure_alone(const measured_shape *s);
pleat_figures measured_feed(pleat_measure *measure, const pleat_vec4 *positions);
void support_near(double value, double expected, double tolerance);

#endif
