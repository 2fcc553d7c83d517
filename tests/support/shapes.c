#include "support/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

#define PI 3.14159265358979323846

support_mesh support_mesh_new(uint32_t vertex_count, uint32_t triangle_count)
{
    support_mesh m = {vertex_count, triangle_count, NULL, NULL, NULL};
    m.positions = aligned_alloc(16, (size_t)vertex_count * sizeof *m.positions);
    m.triangles = calloc((size_t)triangle_count * 3, sizeof *m.triangles);
    assert_true(m.positions && m.triangles);
    return m;
}

void support_mesh_finish(support_mesh *m)
{
    assert_int_equal(pleat_topology_create(m->vertex_count, m->triangle_count, m->triangles, NULL, &m->topology, NULL),
                     PLEAT_OK);
}

void support_mesh_free(support_mesh *m)
{
    pleat_topology_destroy(m->topology);
    free(m->positions);
    free(m->triangles);
}

void support_mesh_point(support_mesh *m, uint32_t v, double x, double y, double z)
{
    m->positions[v] = (pleat_vec4){(float)x, (float)y, (float)z, 0};
}

void support_mesh_quad(support_mesh *m, uint32_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t quad[6] = {a, b, c, a, c, d};
    memcpy(&m->triangles[*t * 3], quad, sizeof quad);
    *t += 2;
}

/* size by size squares of side 1 in the plane z = 0; inner vertices moved by up to jitter. */
support_mesh support_plane(uint32_t size, float jitter)
{
    uint32_t row = size + 1;
    support_mesh m = support_mesh_new(row * row, size * size * 2);
    uint32_t seed = 12345, t = 0;
    for (uint32_t i = 0; i < row * row; ++i)
    {
        uint32_t x = i % row, y = i / row;
        bool inner = x > 0 && x < size && y > 0 && y < size;
        double dx = (double)support_random_float(&seed, -jitter, jitter);
        double dy = (double)support_random_float(&seed, -jitter, jitter);
        support_mesh_point(&m, i, x + (inner ? dx : 0), y + (inner ? dy : 0), 0);
        if (x < size && y < size)
        {
            support_mesh_quad(&m, &t, i, i + 1, i + row + 1, i + row);
        }
    }
    support_mesh_finish(&m);
    return m;
}

/* A prism of so many sides and rows around the z axis, radius 1, open at both ends. */
support_mesh support_tube(uint32_t sides, uint32_t rows, double height)
{
    support_mesh m = support_mesh_new(sides * (rows + 1), sides * rows * 2);
    uint32_t t = 0;
    for (uint32_t i = 0; i <= rows; ++i)
    {
        for (uint32_t j = 0; j < sides; ++j)
        {
            double angle = 2 * PI * j / sides;
            support_mesh_point(&m, i * sides + j, cos(angle), sin(angle), height * i / rows);
            if (i < rows)
            {
                uint32_t k = (j + 1) % sides;
                support_mesh_quad(&m, &t, i * sides + j, i * sides + k, (i + 1) * sides + k, (i + 1) * sides + j);
            }
        }
    }
    support_mesh_finish(&m);
    return m;
}

support_mesh support_sphere(uint32_t rings)
{
    uint32_t columns = rings * 2;
    support_mesh m = support_mesh_new((rings - 1) * columns + 2, (rings - 1) * columns * 2);
    uint32_t t = 0, top = m.vertex_count - 2, bottom = m.vertex_count - 1;
    support_mesh_point(&m, top, 0, 0, 1);
    support_mesh_point(&m, bottom, 0, 0, -1);
    for (uint32_t i = 0; i + 1 < rings; ++i)
    {
        for (uint32_t j = 0; j < columns; ++j)
        {
            double theta = PI * (i + 1) / rings, phi = 2 * PI * j / columns;
            uint32_t k = (j + 1) % columns;
            support_mesh_point(&m, i * columns + j, sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta));
            if (i + 2 < rings)
            {
                support_mesh_quad(&m, &t, i * columns + j, (i + 1) * columns + j, (i + 1) * columns + k,
                                  i * columns + k);
            }
        }
    }
    for (uint32_t j = 0; j < columns; ++j)
    {
        uint32_t k = (j + 1) % columns, last = (rings - 2) * columns;
        const uint32_t caps[6] = {top, j, k, bottom, last + k, last + j};
        memcpy(&m.triangles[t * 3], caps, sizeof caps);
        t += 2;
    }
    assert_int_equal(t, m.triangle_count);
    support_mesh_finish(&m);
    return m;
}

/* A fan around an apex: sides triangles, side edges of length 1, each with this angle at the apex. */
support_mesh support_cone(uint32_t sides, double angle)
{
    support_mesh m = support_mesh_new(sides + 1, sides);
    double radius = sin(angle / 2) / sin(PI / sides); /* chord 2 sin(angle / 2) of the base polygon */
    assert_true(radius < 1);
    support_mesh_point(&m, sides, 0, 0, sqrt(1 - radius * radius));
    for (uint32_t j = 0; j < sides; ++j)
    {
        support_mesh_point(&m, j, radius * cos(2 * PI * j / sides), radius * sin(2 * PI * j / sides), 0);
        const uint32_t triangle[3] = {sides, j, (j + 1) % sides};
        memcpy(&m.triangles[j * 3], triangle, sizeof triangle);
    }
    support_mesh_finish(&m);
    return m;
}

pleat_vec4 support_position(const support_mesh *m, pleat_place place)
{
    double p[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 3; ++k)
    {
        const pleat_vec4 *v = &m->positions[m->triangles[place.triangle * 3 + k]];
        p[0] += (double)place.barycentric[k] * (double)v->x;
        p[1] += (double)place.barycentric[k] * (double)v->y;
        p[2] += (double)place.barycentric[k] * (double)v->z;
    }
    return (pleat_vec4){(float)p[0], (float)p[1], (float)p[2], 0};
}

double support_distance(pleat_vec4 a, pleat_vec4 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}
