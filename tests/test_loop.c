/* Loop subdivision. Judges: OpenSubdiv for positions and face-varying values, closed forms on flat and straight meshes,
 * and counts over edges for what local refinement must not break. */
#include "mesh/loop.h"
#include "pleat/mesh.h"

#include "judge_osd.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Meshes ---- */

typedef struct mesh
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *triangles;
    pleat_vec4 *positions;
    /* A render side with texture coordinates; 0 and NULL without. */
    uint32_t render_count;
    uint32_t *render_triangles;
    float *uvs;
} mesh;

static void free_mesh(mesh *m)
{
    free(m->triangles);
    free(m->positions);
    free(m->render_triangles);
    free(m->uvs);
}

static mesh new_mesh(uint32_t vertex_count, uint32_t triangle_count)
{
    mesh m = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    m.triangles = calloc(triangle_count, 3 * sizeof(uint32_t));
    m.positions = aligned_alloc(32, (vertex_count * sizeof(pleat_vec4) + 31) / 32 * 32);
    assert_non_null(m.triangles);
    assert_non_null(m.positions);
    memset(m.positions, 0, vertex_count * sizeof(pleat_vec4));
    return m;
}

static void set_triangle(uint32_t *triangles, uint32_t t, uint32_t a, uint32_t b, uint32_t c)
{
    triangles[3 * t] = a;
    triangles[3 * t + 1] = b;
    triangles[3 * t + 2] = c;
}

/* columns by rows quads, each cut along one of its diagonals (random_cut: any, so that valences vary), closed around
 * where wrap says so; bent and jittered unless flat. A render side is split along the lines where it wraps. */
typedef struct grid_options
{
    uint32_t columns, rows;
    bool wrap_columns, wrap_rows, random_cut, flat, render;
} grid_options;

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

static mesh make_grid(grid_options o)
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

/* Triangles of m without the given ones. */
static void drop_triangles(mesh *m, uint32_t first, uint32_t count)
{
    uint32_t rest = m->triangle_count - first - count;
    memmove(m->triangles + 3 * first, m->triangles + 3 * (first + count), rest * 3 * sizeof(uint32_t));
    m->triangle_count -= count;
}

static mesh make_tetrahedron(void)
{
    mesh m = new_mesh(4, 4);
    static const uint32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const pleat_vec4 positions[4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0.3f, 1, 0, 0}, {0.4f, 0.3f, 1, 0}};
    memcpy(m.triangles, corners, sizeof corners);
    memcpy(m.positions, positions, sizeof positions);
    return m;
}

/* A cone of n triangles around vertex 0 and a second one below: valence n at both tips, 4 around. */
static mesh make_spindle(uint32_t n)
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

static pleat_loop_desc mesh_desc(const mesh *m, uint32_t level)
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

static pleat_loop *make_loop(const pleat_loop_desc *desc)
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

static pleat_vec4 *new_points(uint32_t count)
{
    pleat_vec4 *points = aligned_alloc(32, ((size_t)count * sizeof(pleat_vec4) + 63) / 32 * 32);
    assert_non_null(points);
    memset(points, 0xff, (size_t)count * sizeof(pleat_vec4)); /* NaN: what is not written shows */
    return points;
}

static pleat_vec4 *refine(pleat_loop *loop, const mesh *m)
{
    pleat_vec4 *points = new_points(pleat_loop_refined(loop)->vertex_count);
    pleat_loop_points(loop, PLEAT_LOOP_SURFACE, m->positions, points, NULL);
    return points;
}

/* ---- Defaults and rejections ---- */

static void test_loop_defaults_are_valid(void **state)
{
    (void)state;
    mesh m = make_tetrahedron();
    pleat_loop_desc desc = mesh_desc(&m, pleat_loop_desc_default().level);
    pleat_loop *loop = make_loop(&desc);
    assert_int_equal(pleat_loop_refined(loop)->triangle_count, 16);
    assert_int_equal(pleat_loop_refined(loop)->vertex_count, 10);
    assert_null(pleat_loop_refined(loop)->render_triangles);
    pleat_loop_destroy(loop);
    desc = pleat_loop_desc_default(); /* nothing at all is a mesh too */
    loop = make_loop(&desc);
    assert_int_equal(pleat_loop_refined(loop)->triangle_count, 0);
    pleat_loop_destroy(loop);
    pleat_loop_destroy(NULL);
    free_mesh(&m);
}

static void expect_rejected(const pleat_loop_desc *desc, const char *word)
{
    pleat_loop *loop = (pleat_loop *)desc;
    pleat_error error = {0};
    assert_int_equal(pleat_loop_create(desc, NULL, &loop, &error), PLEAT_BAD_ARGUMENT);
    assert_null(loop);
    assert_non_null(strstr(error.message, word));
}

static void test_loop_rejects_bad_arguments(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 3, .rows = 3, .wrap_columns = true, .render = true});
    pleat_loop_desc desc = mesh_desc(&m, 9);
    expect_rejected(&desc, "level is 9");
    desc = mesh_desc(&m, 1);
    desc.triangles = NULL;
    expect_rejected(&desc, "triangles is NULL");
    desc = mesh_desc(&m, 1);
    desc.render_triangles = NULL;
    expect_rejected(&desc, "render_triangles is NULL");
    desc = mesh_desc(&m, 1);
    desc.vertex_count = 2;
    expect_rejected(&desc, "there are 2");
    desc = mesh_desc(&m, 1);
    desc.render_count = 2;
    expect_rejected(&desc, "there are 2");
    uint32_t render_vertex[16] = {0};
    desc = mesh_desc(&m, 1);
    desc.render_vertex = render_vertex;
    expect_rejected(&desc, "surface vertex 0");
    render_vertex[5] = 99;
    expect_rejected(&desc, "render_vertex 5");
    uint32_t kept = m.render_triangles[3];
    m.render_triangles[3] = (kept + 1) % m.render_count;
    desc = mesh_desc(&m, 1);
    expect_rejected(&desc, "it can have one");
    free_mesh(&m);
}

/* ---- Against OpenSubdiv ---- */

static float largest_coordinate(const mesh *m)
{
    float largest = 0;
    for (uint32_t i = 0; i < m->vertex_count; ++i)
    {
        const float *p = &m->positions[i].x;
        largest = fmaxf(largest, fmaxf(fabsf(p[0]), fmaxf(fabsf(p[1]), fabsf(p[2]))));
    }
    return largest;
}

/* The same triangles in the same order; their corners name the vertices to compare. Boundaries as EDGE_ONLY. */
static void compare_with_osd(const mesh *m, uint32_t level)
{
    judge_osd_desc judged = {.vertex_count = m->vertex_count,
                             .triangle_count = m->triangle_count,
                             .triangles = m->triangles,
                             .level = level,
                             .value_count = m->render_count,
                             .value_triangles = m->render_triangles};
    judge_osd *judge = judge_osd_create(&judged);
    assert_non_null(judge);
    pleat_loop_desc desc = mesh_desc(m, level);
    pleat_loop *loop = make_loop(&desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    assert_int_equal(refined->triangle_count, judge_osd_triangle_count(judge));
    assert_int_equal(refined->vertex_count, judge_osd_vertex_count(judge));
    pleat_vec4 *ours = refine(loop, m);
    pleat_vec4 *theirs = new_points(refined->vertex_count);
    judge_osd_points(judge, 4, &m->positions[0].x, &theirs[0].x);
    float tolerance = 2e-6f * largest_coordinate(m);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        pleat_vec4 a = ours[refined->triangles[c]], b = theirs[judge_osd_triangles(judge)[c]];
        float distance = fmaxf(fabsf(a.x - b.x), fmaxf(fabsf(a.y - b.y), fabsf(a.z - b.z)));
        if (!(distance <= tolerance))
        {
            fail_msg("level %u, corner %u: off by %g, %g allowed", level, c, distance, tolerance);
        }
    }
    if (m->render_count > 0)
    {
        assert_int_equal(refined->render_count, judge_osd_value_count(judge));
        float *our_uvs = calloc(refined->render_count, 2 * sizeof(float));
        float *their_uvs = calloc(refined->render_count, 2 * sizeof(float));
        pleat_loop_values(loop, PLEAT_LOOP_RENDER, 2, m->uvs, our_uvs, NULL);
        judge_osd_values(judge, 2, m->uvs, their_uvs);
        for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
        {
            const float *a = our_uvs + 2 * refined->render_triangles[c];
            const float *b = their_uvs + 2 * judge_osd_value_triangles(judge)[c];
            assert_true(fabsf(a[0] - b[0]) <= 2e-5f && fabsf(a[1] - b[1]) <= 2e-5f);
        }
        free(our_uvs);
        free(their_uvs);
    }
    free(ours);
    free(theirs);
    pleat_loop_destroy(loop);
    judge_osd_destroy(judge);
}

static void test_loop_matches_opensubdiv_on_closed_meshes(void **state)
{
    (void)state;
    for (uint32_t level = 1; level <= 4; ++level)
    {
        mesh torus = make_grid((grid_options){.columns = 9, .rows = 7, .wrap_columns = true, .wrap_rows = true});
        compare_with_osd(&torus, level);
        free_mesh(&torus);
        mesh odd = make_grid(
            (grid_options){.columns = 9, .rows = 7, .wrap_columns = true, .wrap_rows = true, .random_cut = true});
        compare_with_osd(&odd, level);
        free_mesh(&odd);
        mesh tetrahedron = make_tetrahedron();
        compare_with_osd(&tetrahedron, level);
        free_mesh(&tetrahedron);
    }
    for (uint32_t n = 3; n < 40; n += 1 + n / 4)
    {
        mesh spindle = make_spindle(n);
        compare_with_osd(&spindle, 3);
        free_mesh(&spindle);
    }
}

static void test_loop_matches_opensubdiv_on_open_meshes(void **state)
{
    (void)state;
    for (uint32_t level = 1; level <= 4; ++level)
    {
        mesh sheet = make_grid((grid_options){.columns = 6, .rows = 5, .random_cut = true});
        compare_with_osd(&sheet, level);
        drop_triangles(&sheet, 25, 6); /* a hole, and vertices with one triangle */
        compare_with_osd(&sheet, level);
        free_mesh(&sheet);
        mesh triangle = new_mesh(3, 1);
        set_triangle(triangle.triangles, 0, 0, 1, 2);
        triangle.positions[1].x = triangle.positions[2].y = 1;
        compare_with_osd(&triangle, level);
        free_mesh(&triangle);
    }
}

static void test_loop_matches_opensubdiv_on_texture_coordinates(void **state)
{
    (void)state;
    for (uint32_t level = 1; level <= 4; ++level)
    {
        for (int kind = 0; kind < 4; ++kind)
        {
            mesh m = make_grid((grid_options){.columns = 6,
                                              .rows = 5,
                                              .wrap_columns = kind % 2 != 0,
                                              .wrap_rows = kind >= 2,
                                              .random_cut = true,
                                              .render = true});
            compare_with_osd(&m, level);
            free_mesh(&m);
        }
    }
}

/* ---- Closed forms ---- */

static pleat_vec4 on_coarse(const mesh *m, const pleat_refined *refined, uint32_t vertex)
{
    const float *w = refined->vertex_barycentric + 3 * vertex;
    const uint32_t *corners = m->triangles + 3 * refined->vertex_triangle[vertex];
    pleat_vec4 sum = {0, 0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        sum.x += w[k] * m->positions[corners[k]].x;
        sum.y += w[k] * m->positions[corners[k]].y;
    }
    return sum;
}

/* A regular flat sheet stays itself but for its corners, so each vertex lies where its coarse triangle and barycentric
 * coordinates say. */
static void test_loop_keeps_a_regular_sheet_and_knows_the_places(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 8, .rows = 8, .flat = true});
    for (uint32_t level = 0; level <= 5; ++level)
    {
        pleat_loop_desc desc = mesh_desc(&m, level);
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        pleat_vec4 *points = refine(loop, &m);
        uint32_t inner = 0;
        for (uint32_t v = 0; v < refined->vertex_count; ++v)
        {
            pleat_vec4 place = on_coarse(&m, refined, v);
            if (fminf(place.x, 8 - place.x) < 2 && fminf(place.y, 8 - place.y) < 2)
            {
                continue;
            }
            ++inner;
            assert_true(fabsf(points[v].x - place.x) < 1e-5f && fabsf(points[v].y - place.y) < 1e-5f);
        }
        assert_true(inner > refined->vertex_count / 2);
        for (uint32_t t = 0; t < refined->triangle_count; ++t)
        {
            assert_int_equal(refined->triangle_level[t], level);
            assert_int_equal(refined->coarse_triangle[t], t >> (2 * level));
        }
        free(points);
        pleat_loop_destroy(loop);
    }
    free_mesh(&m);
}

/* Every vertex is a mean: the weights sum to 1, so that a constant stays. */
static void test_loop_weights_sum_to_one(void **state)
{
    (void)state;
    mesh m =
        make_grid((grid_options){.columns = 6, .rows = 5, .wrap_columns = true, .random_cut = true, .render = true});
    pleat_loop_desc desc = mesh_desc(&m, 5);
    pleat_loop *loop = make_loop(&desc);
    for (uint32_t channel = 0; channel < 2; ++channel)
    {
        uint32_t coarse = channel == 0 ? m.vertex_count : m.render_count;
        uint32_t count = channel == 0 ? pleat_loop_refined(loop)->vertex_count : pleat_loop_refined(loop)->render_count;
        float *ones = calloc(coarse, sizeof(float)), *out = calloc(count, sizeof(float));
        for (uint32_t i = 0; i < coarse; ++i)
        {
            ones[i] = 1;
        }
        pleat_loop_values(loop, (pleat_loop_channel)channel, 1, ones, out, NULL);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true(fabsf(out[i] - 1) < 1e-6f);
        }
        free(ones);
        free(out);
    }
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

/* Three sheets along one line, two fans that touch in a point, a lone vertex, a degenerate triangle. */
static void test_loop_keeps_what_is_not_manifold(void **state)
{
    (void)state;
    mesh m = new_mesh(14, 9);
    for (uint32_t i = 0; i < 3; ++i)
    {
        m.positions[i] = (pleat_vec4){(float)(i * i), 0, 0, 0}; /* the line: uneven steps along x */
        float angle = 2.0f * (float)i;
        m.positions[3 + i] = (pleat_vec4){0.5f, cosf(angle), sinf(angle), 0};
        set_triangle(m.triangles, 2 * i, 0, 1, 3 + i);
        set_triangle(m.triangles, 2 * i + 1, 1, 2, 3 + i);
    }
    for (uint32_t i = 6; i < 14; ++i)
    {
        m.positions[i] = (pleat_vec4){(float)i, (float)(i % 3), (float)(i % 4), 0};
    }
    set_triangle(m.triangles, 6, 6, 7, 8);
    set_triangle(m.triangles, 7, 6, 9, 10);
    set_triangle(m.triangles, 8, 11, 12, 11);
    pleat_loop_desc desc = mesh_desc(&m, 1);
    pleat_loop *loop = make_loop(&desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    assert_int_equal(refined->triangle_count, 8 * 4 + 1);
    pleat_vec4 *points = refine(loop, &m);
    /* Cubic along the line: 1/8 0 + 3/4 1 + 1/8 4; the ends, where five edges end on no second crease, stay. */
    assert_true(fabsf(points[1].x - 1.25f) < 1e-6f && points[1].y == 0 && points[1].z == 0);
    assert_memory_equal(&points[0], &m.positions[0], sizeof points[0]);
    /* The touching point, the lone vertex and the degenerate triangle's stay. */
    assert_memory_equal(&points[6], &m.positions[6], sizeof points[0]);
    assert_memory_equal(&points[11], &m.positions[11], 3 * sizeof points[0]);
    assert_int_equal(refined->vertex_triangle[13], PLEAT_NONE);
    assert_int_equal(refined->vertex_triangle[12], 8);
    uint32_t last = refined->triangle_count - 1;
    assert_int_equal(refined->coarse_triangle[last], 8);
    assert_int_equal(refined->triangle_level[last], 0);
    assert_memory_equal(refined->triangles + 3 * last, m.triangles + 24, 3 * sizeof(uint32_t));
    free(points);
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

static void test_loop_normals_are_unit(void **state)
{
    (void)state;
    mesh m = make_spindle(9);
    pleat_loop_desc desc = mesh_desc(&m, 3);
    pleat_loop *loop = make_loop(&desc);
    uint32_t count = pleat_loop_refined(loop)->vertex_count;
    pleat_vec4 *normals = new_points(count), *points = refine(loop, &m);
    pleat_loop_normals(loop, m.positions, normals, NULL);
    for (uint32_t i = 0; i < count; ++i)
    {
        float length = sqrtf(points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z);
        assert_true(fabsf(normals[i].x * length - points[i].x) < 1e-5f);
        assert_true(fabsf(normals[i].z * length - points[i].z) < 1e-5f);
    }
    free(points);
    free(normals);
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

/* ---- Local refinement ---- */

/* A refined edge under the coarse triangle that it lies in, or under none where it lies on a coarse edge. */
typedef struct edge_record
{
    uint32_t a, b, coarse;
    uint32_t wanted; /* triangles that it must have */
} edge_record;

static int compare_records(const void *x, const void *y)
{
    const edge_record *a = x, *b = y;
    if (a->a != b->a)
    {
        return a->a < b->a ? -1 : 1;
    }
    if (a->b != b->b)
    {
        return a->b < b->b ? -1 : 1;
    }
    return a->coarse < b->coarse ? -1 : a->coarse > b->coarse;
}

/* Coarse vertices that hold a refined one, as a sorted triple; count of them. */
static uint32_t find_support(const uint32_t *triangles, const pleat_refined *refined, uint32_t vertex,
                             uint32_t support[3])
{
    if (refined->vertex_triangle[vertex] == PLEAT_NONE)
    {
        support[0] = vertex;
        return 1;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (refined->vertex_barycentric[3 * vertex + k] > 0)
        {
            support[count++] = triangles[3 * refined->vertex_triangle[vertex] + k];
        }
    }
    return count;
}

/* Triangles of the coarse mesh on the edge that holds both vertices; 0 if they lie on none. */
static uint32_t count_on_coarse_edge(const uint32_t *triangles, uint32_t triangle_count, const pleat_refined *refined,
                                     uint32_t a, uint32_t b)
{
    uint32_t held[6];
    uint32_t count = find_support(triangles, refined, a, held);
    count += find_support(triangles, refined, b, held + count);
    uint32_t ends[2] = {held[0], held[0]};
    for (uint32_t i = 1; i < count; ++i)
    {
        if (held[i] != ends[0])
        {
            if (ends[1] != ends[0] && held[i] != ends[1])
            {
                return 0;
            }
            ends[1] = held[i];
        }
    }
    uint32_t found = 0;
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        const uint32_t *c = triangles + 3 * t;
        bool degenerate = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        bool first = c[0] == ends[0] || c[1] == ends[0] || c[2] == ends[0];
        bool second = c[0] == ends[1] || c[1] == ends[1] || c[2] == ends[1];
        found += !degenerate && first && second;
    }
    return found;
}

/* No T-junctions: an edge inside a coarse triangle has two triangles, one on a coarse edge as many as that has. */
static void check_closed(const uint32_t *triangles, uint32_t triangle_count, const pleat_refined *refined)
{
    edge_record *records = calloc(3 * (size_t)refined->triangle_count + 1, sizeof *records);
    uint32_t count = 0;
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        const uint32_t *corners = refined->triangles + c / 3 * 3;
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
        {
            continue;
        }
        uint32_t a = corners[c % 3], b = corners[(c + 1) % 3];
        uint32_t on_edge = count_on_coarse_edge(triangles, triangle_count, refined, a, b);
        records[count++] = (edge_record){a < b ? a : b, a < b ? b : a,
                                         on_edge ? PLEAT_NONE : refined->coarse_triangle[c / 3], on_edge ? on_edge : 2};
    }
    qsort(records, count, sizeof *records, compare_records);
    for (uint32_t i = 0; i < count;)
    {
        uint32_t end = i;
        while (end < count && compare_records(&records[i], &records[end]) == 0)
        {
            ++end;
        }
        if (end - i != records[i].wanted)
        {
            fail_msg("edge %u %u has %u triangles, %u wanted", records[i].a, records[i].b, end - i, records[i].wanted);
        }
        i = end;
    }
    free(records);
}

static void check_graded(const pleat_refined *refined)
{
    uint8_t *low = malloc(refined->vertex_count + 1), *high = calloc(refined->vertex_count + 1, 1);
    memset(low, 255, refined->vertex_count);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
        {
            uint32_t v = refined->triangles[c];
            const uint32_t *corners = refined->triangles + c / 3 * 3;
            if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
            {
                continue;
            }
            uint8_t level = refined->triangle_level[c / 3];
            low[v] = level < low[v] ? level : low[v];
            high[v] = level > high[v] ? level : high[v];
            assert_true(pass == 0 || high[v] - low[v] <= 1);
        }
    }
    free(low);
    free(high);
}

static void check_seams(const pleat_refined *refined)
{
    for (uint32_t c = 0; c < 3 * refined->triangle_count && refined->render_triangles; ++c)
    {
        assert_true(refined->render_triangles[c] < refined->render_count);
        assert_int_equal(refined->render_vertex[refined->render_triangles[c]], refined->triangles[c]);
    }
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        assert_true(refined->triangles[c] < refined->vertex_count);
    }
    for (uint32_t t = 1; t < refined->triangle_count; ++t)
    {
        assert_true(refined->coarse_triangle[t - 1] <= refined->coarse_triangle[t]);
    }
}

/* A refined vertex by the coarse vertices that hold it and its weights. */
typedef struct place_record
{
    uint32_t support[3];
    float weights[3];
    uint32_t vertex;
} place_record;

static int compare_places(const void *x, const void *y)
{
    const place_record *a = x, *b = y;
    int order = memcmp(a->support, b->support, sizeof a->support);
    return order ? order : memcmp(a->weights, b->weights, sizeof a->weights);
}

static place_record *list_places(const mesh *m, const pleat_refined *refined)
{
    place_record *places = calloc(refined->vertex_count, sizeof *places);
    for (uint32_t v = 0; v < refined->vertex_count; ++v)
    {
        place_record *place = &places[v];
        place->vertex = v;
        for (uint32_t k = 0; k < 3; ++k)
        {
            float weight = refined->vertex_barycentric[3 * v + k];
            place->support[k] = weight > 0 ? m->triangles[3 * refined->vertex_triangle[v] + k] : PLEAT_NONE;
            place->weights[k] = weight > 0 ? weight : 0;
            for (uint32_t i = k; i > 0 && place->support[i - 1] > place->support[i]; --i)
            {
                uint32_t vertex = place->support[i];
                place->support[i] = place->support[i - 1];
                place->support[i - 1] = vertex;
                float w = place->weights[i];
                place->weights[i] = place->weights[i - 1];
                place->weights[i - 1] = w;
            }
        }
    }
    qsort(places, refined->vertex_count, sizeof *places, compare_places);
    return places;
}

/* Every vertex lies to the bit where uniform subdivision to the highest level around it puts it. */
static void check_uniform_places(const mesh *m, const pleat_refined *refined, const pleat_vec4 *points, uint32_t level)
{
    uint8_t *vertex_level = calloc(refined->vertex_count, 1);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        uint8_t *l = &vertex_level[refined->triangles[c]];
        *l = refined->triangle_level[c / 3] > *l ? refined->triangle_level[c / 3] : *l;
    }
    place_record *places = list_places(m, refined);
    for (uint32_t l = 0; l <= level; ++l)
    {
        pleat_loop_desc desc = mesh_desc(m, l);
        pleat_loop *uniform = make_loop(&desc);
        pleat_vec4 *wanted = refine(uniform, m);
        place_record *all = list_places(m, pleat_loop_refined(uniform));
        for (uint32_t i = 0; i < refined->vertex_count; ++i)
        {
            if (vertex_level[places[i].vertex] == l)
            {
                place_record *same =
                    bsearch(&places[i], all, pleat_loop_refined(uniform)->vertex_count, sizeof *all, compare_places);
                assert_non_null(same);
                assert_memory_equal(&points[places[i].vertex], &wanted[same->vertex], sizeof(pleat_vec4));
            }
        }
        free(all);
        free(wanted);
        pleat_loop_destroy(uniform);
    }
    free(places);
    free(vertex_level);
}

/* Splits what touches a disk in the plane of barycentric coordinates of some triangles. */
static bool wants_near(void *user, uint32_t coarse, const float barycentric[9], uint32_t level)
{
    uint32_t *calls = user;
    ++*calls;
    float unit = 1.0f / (float)(1u << level);
    for (int k = 0; k < 3; ++k)
    {
        const float *b = barycentric + 3 * k;
        assert_true(b[0] >= 0 && b[1] >= 0 && b[2] >= 0 && b[0] + b[1] + b[2] == 1);
        if (coarse % 7 == 3 && fabsf(b[0] - 0.4f) + fabsf(b[1] - 0.3f) <= unit)
        {
            return true;
        }
    }
    return false;
}

static void check_local(const mesh *m, const pleat_loop_desc *desc)
{
    pleat_loop *loop = make_loop(desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    pleat_vec4 *points = refine(loop, m);
    check_closed(m->triangles, m->triangle_count, refined);
    check_graded(refined);
    check_seams(refined);
    check_uniform_places(m, refined, points, desc->level);
    free(points);
    pleat_loop_destroy(loop);
}

static void test_loop_local_is_closed_graded_and_in_place(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int kind = 0; kind < 8; ++kind)
    {
        mesh m = make_grid((grid_options){.columns = 7,
                                          .rows = 6,
                                          .wrap_columns = kind % 2 != 0,
                                          .wrap_rows = kind % 4 >= 2,
                                          .random_cut = kind >= 4,
                                          .render = true});
        uint8_t *levels = calloc(m.triangle_count, 1);
        for (uint32_t round = 0; round < 3; ++round)
        {
            for (uint32_t t = 0; t < m.triangle_count; ++t)
            {
                levels[t] = support_random(&seed) % 16 < round + 1 ? (uint8_t)(support_random(&seed) % 5) : 0;
            }
            pleat_loop_desc desc = mesh_desc(&m, 4);
            desc.triangle_levels = levels;
            check_local(&m, &desc);
        }
        uint32_t calls = 0;
        pleat_loop_desc desc = mesh_desc(&m, 5);
        desc.wants = wants_near;
        desc.wants_user = &calls;
        check_local(&m, &desc);
        assert_true(calls > m.triangle_count);
        free(levels);
        free_mesh(&m);
    }
}

/* One triangle wished fine: it reaches its level, and most of the rest stays coarse. */
static void test_loop_local_refines_where_it_is_wished(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 40, .rows = 40, .wrap_columns = true, .wrap_rows = true});
    uint8_t *levels = calloc(m.triangle_count, 1);
    levels[777] = 4;
    pleat_loop_desc desc = mesh_desc(&m, 8);
    desc.triangle_levels = levels;
    pleat_loop *loop = make_loop(&desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    uint32_t fine = 0, untouched = 0;
    for (uint32_t t = 0; t < refined->triangle_count; ++t)
    {
        fine += refined->coarse_triangle[t] == 777;
        assert_true(refined->coarse_triangle[t] != 777 || refined->triangle_level[t] == 4);
        untouched += refined->triangle_level[t] == 0;
    }
    assert_int_equal(fine, 256);
    assert_true(untouched > m.triangle_count - 60);
    pleat_loop_destroy(loop);
    /* Wishes everywhere are uniform subdivision. */
    memset(levels, 2, m.triangle_count);
    desc.level = 8;
    loop = make_loop(&desc);
    pleat_loop_desc uniform_desc = mesh_desc(&m, 2);
    pleat_loop *uniform = make_loop(&uniform_desc);
    assert_int_equal(pleat_loop_refined(loop)->triangle_count, pleat_loop_refined(uniform)->triangle_count);
    assert_memory_equal(pleat_loop_refined(loop)->triangles, pleat_loop_refined(uniform)->triangles,
                        12 * pleat_loop_refined(uniform)->triangle_count);
    pleat_loop_destroy(uniform);
    pleat_loop_destroy(loop);
    free(levels);
    free_mesh(&m);
}

/* Anything a file can hold: few vertices, so that triangles share edges in every wrong way. */
static void test_loop_takes_any_triangle_soup(void **state)
{
    (void)state;
    uint32_t seed = 99;
    for (uint32_t round = 0; round < 300; ++round)
    {
        mesh m = new_mesh(3 + support_random(&seed) % 12, 1 + support_random(&seed) % 24);
        uint8_t levels[24];
        for (uint32_t c = 0; c < 3 * m.triangle_count; ++c)
        {
            m.triangles[c] = support_random(&seed) % m.vertex_count;
            levels[c / 3] = (uint8_t)(support_random(&seed) % 5 * (support_random(&seed) % 2));
        }
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            m.positions[v] = (pleat_vec4){support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1), 0, 0};
        }
        pleat_loop_desc desc = mesh_desc(&m, 1 + support_random(&seed) % 3);
        desc.triangle_levels = round % 4 ? levels : NULL;
        /* A render side with every corner its own vertex, or the surface itself. */
        uint32_t own[72];
        for (uint32_t c = 0; c < 72; ++c)
        {
            own[c] = c;
        }
        desc.render_count = round % 2 ? 72 : m.vertex_count;
        desc.render_triangles = round % 2 ? own : m.triangles;
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        check_closed(m.triangles, m.triangle_count, refined);
        check_graded(refined);
        check_seams(refined);
        pleat_vec4 *points = refine(loop, &m);
        for (uint32_t v = 0; v < refined->vertex_count; ++v)
        {
            assert_true(fabsf(points[v].x) <= 1.0001f && fabsf(points[v].y) <= 1.0001f); /* weights are not negative */
        }
        free(points);
        pleat_loop_destroy(loop);
        free_mesh(&m);
    }
}

/* ---- Kernels, threads, memory ---- */

/* The wide kernels against the definition, bit for bit: meshes of many sizes, so that lists end anywhere, and all
 * widths of rows. */
static void test_loop_kernels_give_the_same_bits(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (uint32_t size = 1; size < 30; ++size)
    {
        mesh m = make_grid(
            (grid_options){.columns = size, .rows = 1 + size % 4, .random_cut = size % 2 != 0, .render = true});
        pleat_loop_desc desc = mesh_desc(&m, 1 + size % 3);
        uint8_t levels[512];
        for (uint32_t t = 0; t < m.triangle_count; ++t)
        {
            levels[t] = (uint8_t)(support_random(&seed) % 4);
        }
        desc.triangle_levels = size % 5 == 4 ? levels : NULL;
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        pleat_vec4 *wanted = new_points(refined->vertex_count), *got = new_points(refined->vertex_count);
        pl_loop_rows rows = {&m.positions[0].x, &wanted[0].x, 4, 4, 4};
        pl_loop_apply(loop, PLEAT_LOOP_SURFACE, &rows, pl_loop_kernel_scalar, NULL);
        rows.dst = &got[0].x;
        pl_loop_apply(loop, PLEAT_LOOP_SURFACE, &rows, pl_loop_kernel_base, NULL);
        assert_memory_equal(wanted, got, refined->vertex_count * sizeof *got);
        memset(got, 0xff, refined->vertex_count * sizeof *got);
        pl_loop_apply(loop, PLEAT_LOOP_SURFACE, &rows, pl_loop_best_kernel(), NULL);
        assert_memory_equal(wanted, got, refined->vertex_count * sizeof *got);
        free(wanted);
        free(got);
        pleat_loop_destroy(loop);
        free_mesh(&m);
    }
}

static void test_loop_values_of_every_width(void **state)
{
    (void)state;
    mesh m =
        make_grid((grid_options){.columns = 5, .rows = 4, .wrap_columns = true, .random_cut = true, .render = true});
    pleat_loop_desc desc = mesh_desc(&m, 2);
    pleat_loop *loop = make_loop(&desc);
    uint32_t count = pleat_loop_refined(loop)->render_count;
    uint32_t seed = 17;
    for (uint32_t width = 1; width <= 64; ++width)
    {
        float *in = calloc((size_t)m.render_count * width, sizeof(float));
        float *out = malloc((size_t)count * width * sizeof(float)), *column = calloc(count, sizeof(float));
        float *single = calloc(m.render_count, sizeof(float));
        for (uint32_t i = 0; i < m.render_count * width; ++i)
        {
            in[i] = support_random_float(&seed, -1, 1);
        }
        pleat_loop_values(loop, PLEAT_LOOP_RENDER, width, in, out, NULL);
        for (uint32_t x = 0; x < width; ++x)
        {
            for (uint32_t v = 0; v < m.render_count; ++v)
            {
                single[v] = in[v * width + x];
            }
            pleat_loop_values(loop, PLEAT_LOOP_RENDER, 1, single, column, NULL);
            for (uint32_t v = 0; v < count; ++v)
            {
                assert_memory_equal(&column[v], &out[v * width + x], sizeof(float));
            }
        }
        free(in);
        free(out);
        free(column);
        free(single);
    }
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

static void test_loop_hash_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 70, .rows = 60, .wrap_columns = true, .random_cut = true});
    pleat_loop_desc desc = mesh_desc(&m, 3);
    pleat_loop *loop = make_loop(&desc);
    uint32_t count = pleat_loop_refined(loop)->vertex_count;
    pleat_vec4 *points = new_points(count);
    uint64_t hashes[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        pleat_pool *pool;
        assert_int_equal(pleat_pool_create(1u << i, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        memset(points, 0xff, count * sizeof *points);
        pleat_loop_normals(loop, m.positions, points, &tasks);
        hashes[i] = support_hash(SUPPORT_HASH, points, count * sizeof *points);
        pleat_loop_points(loop, PLEAT_LOOP_SURFACE, m.positions, points, &tasks);
        hashes[i] = support_hash(hashes[i], points, count * sizeof *points);
        pleat_pool_destroy(pool);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    free(points);
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

static pleat_result sweep_create(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_loop *loop;
    pleat_result result = pleat_loop_create(user, host, &loop, error);
    assert_true((result == PLEAT_OK) == (loop != NULL));
    pleat_loop_destroy(loop);
    return result;
}

static pleat_result sweep_weights(void *user, const pleat_host *host, pleat_error *error)
{
    const uint16_t joints[64] = {0};
    float weights[64];
    uint16_t out_joints[2048];
    float out_weights[2048];
    for (int i = 0; i < 64; ++i)
    {
        weights[i] = 1;
    }
    pleat_loop *loop;
    PL_TRY(pleat_loop_create(user, host, &loop, error));
    pleat_result result = pleat_loop_weights(loop, 1, joints, weights, 4, out_joints, out_weights, error);
    pleat_loop_destroy(loop);
    return result;
}

static void test_loop_survives_every_failing_allocation(void **state)
{
    (void)state;
    mesh m =
        make_grid((grid_options){.columns = 4, .rows = 3, .wrap_columns = true, .random_cut = true, .render = true});
    uint8_t levels[24] = {0, 0, 3, 0, 1, 0, 0, 2};
    pleat_loop_desc desc = mesh_desc(&m, 2);
    support_sweep_allocations(sweep_create, &desc);
    support_sweep_allocations(sweep_weights, &desc);
    desc.level = 3;
    desc.triangle_levels = levels;
    support_sweep_allocations(sweep_create, &desc);
    pleat_host host = pleat_host_default();
    host.memory_limit = 20000;
    pleat_loop *loop;
    pleat_error error = {0};
    assert_int_equal(pleat_loop_create(&desc, &host, &loop, &error), PLEAT_OVER_LIMIT);
    assert_null(loop);
    free_mesh(&m);
}

/* ---- Skinning weights ---- */

/* Few joints: nothing is cut off, so the rows are the refined columns. Many: the largest are kept, sorted, sum 1. */
static void test_loop_skinning_weights_keep_the_largest(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 8, .rows = 5, .wrap_columns = true, .random_cut = true});
    enum
    {
        IN = 6,
        JOINTS = 300
    };
    pleat_loop_desc desc = mesh_desc(&m, 2);
    pleat_loop *loop = make_loop(&desc);
    uint32_t count = pleat_loop_refined(loop)->vertex_count;
    uint16_t *joints = calloc((size_t)m.vertex_count * IN, sizeof *joints),
             *out_joints = calloc(count, 8 * sizeof *joints);
    float *weights = calloc((size_t)m.vertex_count * IN, sizeof *weights), *out = calloc(count, 8 * sizeof *out);
    float *column = calloc(m.vertex_count, sizeof *column);
    float *dense = calloc((size_t)count * JOINTS, sizeof *dense), *refined_column = calloc(count, sizeof *dense);
    uint32_t seed = 23;
    for (uint32_t i = 0; i < m.vertex_count * IN; ++i)
    {
        joints[i] = (uint16_t)(support_random(&seed) % (i % 5 ? JOINTS : 6));
        weights[i] = support_random_float(&seed, 0, 1) / IN;
    }
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        memset(column, 0, m.vertex_count * sizeof *column);
        for (uint32_t i = 0; i < m.vertex_count * IN; ++i)
        {
            column[i / IN] += joints[i] == j ? weights[i] : 0;
        }
        pleat_loop_values(loop, PLEAT_LOOP_SURFACE, 1, column, refined_column, NULL);
        for (uint32_t v = 0; v < count; ++v)
        {
            dense[(size_t)v * JOINTS + j] = refined_column[v];
        }
    }
    for (uint32_t width = 4; width <= 8; width += 4)
    {
        assert_int_equal(pleat_loop_weights(loop, IN, joints, weights, width, out_joints, out, NULL), PLEAT_OK);
        for (uint32_t v = 0; v < count; ++v)
        {
            const float *row = out + v * width;
            float sum = 0, kept = 0, least = INFINITY;
            for (uint32_t k = 0; k < width; ++k)
            {
                sum += row[k];
                assert_true(k == 0 || row[k] <= row[k - 1]);
                kept += dense[(size_t)v * JOINTS + out_joints[v * width + k]] * (row[k] > 0 ? 1.0f : 0.0f);
            }
            assert_true(fabsf(sum - 1) < 1e-6f);
            for (uint32_t k = 0; k < width; ++k)
            {
                float own = dense[(size_t)v * JOINTS + out_joints[v * width + k]];
                least = row[k] > 0 ? fminf(least, own) : 0;
                assert_true(row[k] == 0 || fabsf(row[k] - own / kept) < 1e-6f);
                dense[(size_t)v * JOINTS + out_joints[v * width + k]] *= row[k] > 0 ? -1.0f : 1.0f;
            }
            for (uint32_t j = 0; j < JOINTS; ++j)
            {
                float *other = &dense[(size_t)v * JOINTS + j];
                assert_true(*other <= least);
                *other = fabsf(*other);
            }
        }
    }
    pleat_error error = {0};
    assert_int_equal(pleat_loop_weights(loop, IN, joints, weights, 9, out_joints, out, &error), PLEAT_BAD_ARGUMENT);
    free(joints);
    free(weights);
    free(out_joints);
    free(out);
    free(column);
    free(dense);
    free(refined_column);
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_defaults_are_valid),
        cmocka_unit_test(test_loop_rejects_bad_arguments),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_closed_meshes),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_open_meshes),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_texture_coordinates),
        cmocka_unit_test(test_loop_keeps_a_regular_sheet_and_knows_the_places),
        cmocka_unit_test(test_loop_weights_sum_to_one),
        cmocka_unit_test(test_loop_keeps_what_is_not_manifold),
        cmocka_unit_test(test_loop_normals_are_unit),
        cmocka_unit_test(test_loop_local_is_closed_graded_and_in_place),
        cmocka_unit_test(test_loop_local_refines_where_it_is_wished),
        cmocka_unit_test(test_loop_takes_any_triangle_soup),
        cmocka_unit_test(test_loop_kernels_give_the_same_bits),
        cmocka_unit_test(test_loop_values_of_every_width),
        cmocka_unit_test(test_loop_hash_is_the_same_for_any_thread_count),
        cmocka_unit_test(test_loop_survives_every_failing_allocation),
        cmocka_unit_test(test_loop_skinning_weights_keep_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
