#include "support/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

measured_shape measured_new(uint32_t vertex_count, uint32_t triangle_count)
{
    measured_shape s = {vertex_count, triangle_count, NULL, NULL};
    s.rest = aligned_alloc(16, vertex_count * sizeof *s.rest);
    s.triangles = malloc(3 * (size_t)triangle_count * sizeof *s.triangles);
    assert_true(s.rest && s.triangles);
    return s;
}

void measured_free(measured_shape *s)
{
    free(s->rest);
    free(s->triangles);
}

pleat_measure_mesh measured_mesh(const measured_shape *s)
{
    return (pleat_measure_mesh){s->vertex_count, s->rest, s->triangle_count, s->triangles, NULL};
}

measured_shape measured_sheet(uint32_t columns, uint32_t rows, double width, double height)
{
    measured_shape s = measured_new((columns + 1) * (rows + 1), 2 * columns * rows);
    uint32_t *corner = s.triangles;
    for (uint32_t j = 0; j <= rows; ++j)
    {
        for (uint32_t i = 0; i <= columns; ++i)
        {
            s.rest[j * (columns + 1) + i] =
                (pleat_vec4){(float)(width * i / columns), (float)(height * j / rows), 0, 0};
        }
    }
    for (uint32_t j = 0; j < rows; ++j)
    {
        for (uint32_t i = 0; i < columns; ++i)
        {
            uint32_t a = j * (columns + 1) + i, b = a + columns + 1;
            uint32_t quad[6] = {a, a + 1, b + 1, a, b + 1, b};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
    }
    return s;
}

measured_shape measured_sphere(uint32_t rings, double radius, double x, double y, double z)
{
    uint32_t around = 2 * rings;
    measured_shape s = measured_new((rings - 1) * around + 2, 2 * around * (rings - 1));
    uint32_t north = s.vertex_count - 1, south = s.vertex_count - 2;
    uint32_t *corner = s.triangles;
    for (uint32_t j = 0; j + 1 < rings; ++j)
    {
        double theta = PI * (j + 1) / rings - 0.5 * PI;
        for (uint32_t i = 0; i < around; ++i)
        {
            double phi = 2 * PI * i / around;
            s.rest[j * around + i] =
                (pleat_vec4){(float)(x + radius * cos(theta) * cos(phi)), (float)(y + radius * sin(theta)),
                             (float)(z - radius * cos(theta) * sin(phi)), 0};
        }
    }
    s.rest[south] = (pleat_vec4){(float)x, (float)(y - radius), (float)z, 0};
    s.rest[north] = (pleat_vec4){(float)x, (float)(y + radius), (float)z, 0};
    for (uint32_t i = 0; i < around; ++i)
    {
        uint32_t next = (i + 1) % around;
        for (uint32_t j = 0; j + 2 < rings; ++j)
        {
            uint32_t a = j * around + i, b = j * around + next;
            uint32_t quad[6] = {a, b, b + around, a, b + around, a + around};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
        uint32_t top = (rings - 2) * around;
        uint32_t caps[6] = {south, next, i, north, top + i, top + next};
        memcpy(corner, caps, sizeof caps);
        corner += 6;
    }
    assert_ptr_equal(corner, s.triangles + 3 * (size_t)s.triangle_count);
    return s;
}

measured_shape measured_box(double a, double b, double c, bool open)
{
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    measured_shape s = measured_new(8, open ? 10 : 12);
    for (uint32_t v = 0; v < 8; ++v)
    {
        s.rest[v] = (pleat_vec4){v & 1 ? (float)a : 0, v & 2 ? (float)b : 0, v & 4 ? (float)c : 0, 0};
    }
    memcpy(s.triangles, triangles, 3 * (size_t)s.triangle_count * sizeof *triangles);
    return s;
}

measured_shape measured_join(const measured_shape *a, const measured_shape *b)
{
    measured_shape s = measured_new(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(s.rest, a->rest, a->vertex_count * sizeof *s.rest);
    memcpy(s.rest + a->vertex_count, b->rest, b->vertex_count * sizeof *s.rest);
    memcpy(s.triangles, a->triangles, 3 * (size_t)a->triangle_count * sizeof *s.triangles);
    for (uint32_t c = 0; c < 3 * b->triangle_count; ++c)
    {
        s.triangles[3 * (size_t)a->triangle_count + c] = a->vertex_count + b->triangles[c];
    }
    return s;
}

pleat_measure *measure_of(const pleat_measure_desc *desc)
{
    pleat_measure *measure = NULL;
    pleat_error error = {0};
    if (pleat_measure_create(desc, NULL, &measure, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return measure;
}

pleat_measure *measure_alone(const measured_shape *s)
{
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(s);
    return measure_of(&desc);
}

pleat_figures measured_feed(pleat_measure *measure, const pleat_vec4 *positions)
{
    pleat_figures figures;
    pleat_measure_input input = {.positions = positions};
    assert_int_equal(pleat_measure_frame(measure, &input, &figures, NULL), PLEAT_OK);
    return figures;
}

void support_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
    {
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
    }
}
