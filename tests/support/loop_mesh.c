#include "support/loop_mesh.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void free_mesh(mesh *m)
{
    free(m->triangles);
    free(m->positions);
    free(m->render_triangles);
    free(m->uvs);
}

mesh new_mesh(uint32_t vertex_count, uint32_t triangle_count)
{
    mesh m = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    m.triangles = calloc(triangle_count, 3 * sizeof(uint32_t));
    m.positions = aligned_alloc(32, (vertex_count * sizeof(pleat_vec4) + 31) / 32 * 32);
    assert_non_null(m.triangles);
    assert_non_null(m.positions);
    memset(m.positions, 0, vertex_count * sizeof(pleat_vec4));
    return m;
}

void set_triangle(uint32_t *triangles, uint32_t t, uint32_t a, uint32_t b, uint32_t c)
{
    triangles[3 * t] = a;
    triangles[3 * t + 1] = b;
    triangles[3 * t + 2] = c;
}

static void fill_grid(uint32_t *triangles, const grid_options *o, bool wrap_columns, bool wrap_rows, uint32_t seed)
{
    uint32_t width = o->columns + (wrap_columns ? 0 : 1);
    uint32_t height = o->rows + (wrap_rows ? 0 : 1);
    for (uint32_t j = 0; j < o->rows; ++j)
    {
        for (uint32_t i = 0; i < o->columns; ++i)
        {
            uint32_t a = j * width + i, b = j * width + (i + 1) % width;
            uint32_t c = (j + 1) % height * width + i, d = (j + 1) % height * width + (i + 1) % width;
            uint32_t t = 2 * (j * o->columns + i);
            bool other = o->random_cut && support_random(&seed) % 2;
            set_triangle(triangles, t, a, b, other ? c : d);
            set_triangle(triangles, t + 1, other ? b : a, d, c);
        }
    }
}

static pleat_vec4 grid_position(const grid_options *o, uint32_t i, uint32_t j, uint32_t *seed)
{
    float x = (float)i, y = (float)j;
    if (o->flat)
    {
        return (pleat_vec4){x, y, 0, 0};
    }
    float u = x * 6.2831853f / (float)o->columns, v = y * 6.2831853f / (float)o->rows;
    float jitter = support_random_float(seed, -0.1f, 0.1f);
    float radius = 3 + (o->wrap_rows ? cosf(v) : 0) + jitter;
    return o->wrap_columns ? (pleat_vec4){cosf(u) * radius, sinf(u) * radius, o->wrap_rows ? sinf(v) : y * 0.3f, 0}
                           : (pleat_vec4){x, y + jitter, sinf(u) + jitter, 0};
}

mesh make_grid(grid_options o)
{
    uint32_t width = o.columns + (o.wrap_columns ? 0 : 1), height = o.rows + (o.wrap_rows ? 0 : 1);
    mesh m = new_mesh(width * height, 2 * o.columns * o.rows);
    fill_grid(m.triangles, &o, o.wrap_columns, o.wrap_rows, 7);
    uint32_t seed = 11;
    for (uint32_t j = 0; j < height; ++j)
    {
        for (uint32_t i = 0; i < width; ++i)
        {
            m.positions[j * width + i] = grid_position(&o, i, j, &seed);
        }
    }
    if (o.render)
    {
        m.render_count = (o.columns + 1) * (o.rows + 1);
        m.render_triangles = calloc(m.triangle_count, 3 * sizeof(uint32_t));
        m.uvs = calloc(m.render_count, 2 * sizeof(float));
        fill_grid(m.render_triangles, &o, false, false, 7);
        for (uint32_t v = 0; v < m.render_count; ++v)
        {
            m.uvs[2 * v] = (float)(v % (o.columns + 1)) + support_random_float(&seed, -0.2f, 0.2f);
            m.uvs[2 * v + 1] = (float)(v / (o.columns + 1)) + support_random_float(&seed, -0.2f, 0.2f);
        }
    }
    return m;
}

void drop_triangles(mesh *m, uint32_t first, uint32_t count)
{
    uint32_t rest = m->triangle_count - first - count;
    memmove(m->triangles + 3 * first, m->triangles + 3 * (first + count), rest * 3 * sizeof(uint32_t));
    m->triangle_count -= count;
}

mesh make_tetrahedron(void)
{
    mesh m = new_mesh(4, 4);
    static const uint32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const pleat_vec4 positions[4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0.3f, 1, 0, 0}, {0.4f, 0.3f, 1, 0}};
    memcpy(m.triangles, corners, sizeof corners);
    memcpy(m.positions, positions, sizeof positions);
    return m;
}

mesh make_spindle(uint32_t n)
{
    mesh m = new_mesh(n + 2, 2 * n);
    m.positions[0] = (pleat_vec4){0, 0, 1, 0};
    m.positions[1] = (pleat_vec4){0.1f, 0, -1.5f, 0};
    for (uint32_t i = 0; i < n; ++i)
    {
        float angle = (float)i * 6.2831853f / (float)n;
        m.positions[2 + i] = (pleat_vec4){cosf(angle), 1.5f * sinf(angle), 0.1f * (float)(i % 3), 0};
        set_triangle(m.triangles, 2 * i, 0, 2 + i, 2 + (i + 1) % n);
        set_triangle(m.triangles, 2 * i + 1, 1, 2 + (i + 1) % n, 2 + i);
    }
    return m;
}

pleat_loop_desc mesh_desc(const mesh *m, uint32_t level)
{
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = m->vertex_count;
    desc.triangle_count = m->triangle_count;
    desc.triangles = m->triangles;
    desc.render_count = m->render_count;
    desc.render_triangles = m->render_triangles;
    desc.level = level;
    return desc;
}

pleat_loop *make_loop(const pleat_loop_desc *desc)
{
    pleat_loop *loop;
    pleat_error error = {0};
    pleat_result result = pleat_loop_create(desc, NULL, &loop, &error);
    if (result != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return loop;
}

pleat_vec4 *new_points(uint32_t count)
{
    pleat_vec4 *points = aligned_alloc(32, ((size_t)count * sizeof(pleat_vec4) + 63) / 32 * 32);
    assert_non_null(points);
    memset(points, 0xff, (size_t)count * sizeof(pleat_vec4));
    return points;
}

pleat_vec4 *refine(pleat_loop *loop, const mesh *m)
{
    pleat_vec4 *points = new_points(pleat_loop_refined(loop)->vertex_count);
    pleat_loop_points(loop, PLEAT_LOOP_SURFACE, m->positions, points, NULL);
    return points;
}
