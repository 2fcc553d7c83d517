/* Loop subdivision, the whole mesh to one level. Judges: OpenSubdiv for positions and face-varying values, closed forms
 * on flat and straight meshes. */
#include "mesh/loop/loop.h"
#include "pleat/mesh.h"

#include "judge_osd.h"
#include "support/loop_mesh.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Triangles that are lines ---- */

/* A textbook sphere: quads between circles, also at the poles, where one triangle of each is a line on the surface.
 * With its texture coordinates, which have a vertex for each quad there, no triangle is one. */
static mesh make_globe(uint32_t rings, uint32_t sides)
{
    mesh m = new_mesh(rings * sides + 2, 2 * (rings + 1) * sides);
    m.render_count = (rings + 2) * (sides + 1);
    m.render_triangles = calloc(m.triangle_count, 3 * sizeof(uint32_t));
    m.uvs = calloc(m.render_count, 2 * sizeof(float));
    uint32_t *surface = calloc(m.render_count, sizeof *surface);
    for (uint32_t i = 0; i < rings + 2; ++i)
    {
        for (uint32_t j = 0; j <= sides; ++j)
        {
            double across = 3.14159265358979 * i / (rings + 1), along = 2 * 3.14159265358979 * j / sides;
            uint32_t render = i * (sides + 1) + j;
            bool pole = i == 0 || i == rings + 1;
            surface[render] = pole ? rings * sides + (i > 0) : (i - 1) * sides + j % sides;
            m.positions[surface[render]] = (pleat_vec4){(float)(sin(across) * cos(along)), (float)cos(across),
                                                        (float)(sin(across) * sin(along)), 0};
            m.uvs[2 * render] = (float)j / (float)sides;
            m.uvs[2 * render + 1] = (float)i / (float)(rings + 1);
        }
    }
    for (uint32_t q = 0; q < (rings + 1) * sides; ++q)
    {
        uint32_t a = q / sides * (sides + 1) + q % sides, b = a + 1, c = a + sides + 1, d = c + 1;
        set_triangle(m.render_triangles, 2 * q, a, b, d);
        set_triangle(m.render_triangles, 2 * q + 1, a, d, c);
    }
    for (uint32_t c = 0; c < 3 * m.triangle_count; ++c)
    {
        m.triangles[c] = surface[m.render_triangles[c]];
    }
    free(surface);
    return m;
}

/* The same without the lines. */
static void drop_lines(mesh *m)
{
    for (uint32_t t = m->triangle_count; t-- > 0;)
    {
        const uint32_t *corner = m->triangles + 3 * t;
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
        {
            memmove(m->render_triangles + 3 * t, m->render_triangles + 3 * (t + 1),
                    (m->triangle_count - t - 1) * 3 * sizeof(uint32_t));
            drop_triangles(m, t, 1);
        }
    }
}

static bool wants_half(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    (void)barycentric;
    return level < 2 && triangle < *(const uint32_t *)user;
}

/* Lines change nothing: the rest is refined to the same bits, on both sides. */
static void test_loop_refines_around_triangles_that_are_lines(void **state)
{
    (void)state;
    for (uint32_t local = 0; local < 2; ++local)
    {
        mesh whole = make_globe(5, 7), bare = make_globe(5, 7);
        drop_lines(&bare);
        assert_int_equal(whole.triangle_count - bare.triangle_count, 2 * 7);
        uint32_t half = whole.triangle_count / 2;
        pleat_loop_desc desc = mesh_desc(&whole, 2);
        desc.wants = local ? wants_half : NULL;
        desc.wants_user = &half;
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        pleat_vec4 *positions = refine(loop, &whole);
        for (uint32_t v = 0; v < refined->vertex_count; ++v)
        {
            assert_in_range(refined->vertex_triangle[v], 0, whole.triangle_count - 1);
        }
        for (uint32_t r = 0; r < refined->render_count; ++r)
        {
            assert_in_range(refined->render_vertex[r], 0, refined->vertex_count - 1);
        }
        if (!local)
        {
            pleat_loop_desc bare_desc = mesh_desc(&bare, 2);
            pleat_loop *expected = make_loop(&bare_desc);
            pleat_vec4 *wanted = refine(expected, &bare);
            uint32_t count = pleat_loop_refined(expected)->vertex_count;
            uint32_t render_count = pleat_loop_refined(expected)->render_count;
            assert_int_equal(refined->vertex_count, count);
            assert_int_equal(refined->render_count, render_count);
            assert_memory_equal(positions, wanted, count * sizeof *wanted);
            float *uvs = calloc(render_count, 2 * sizeof *uvs), *wanted_uvs = calloc(render_count, 2 * sizeof *uvs);
            pleat_loop_values(loop, PLEAT_LOOP_RENDER, 2, whole.uvs, uvs, NULL);
            pleat_loop_values(expected, PLEAT_LOOP_RENDER, 2, bare.uvs, wanted_uvs, NULL);
            assert_memory_equal(uvs, wanted_uvs, render_count * 2 * sizeof *uvs);
            free(uvs);
            free(wanted_uvs);
            free(wanted);
            pleat_loop_destroy(expected);
        }
        free(positions);
        pleat_loop_destroy(loop);
        free_mesh(&whole);
        free_mesh(&bare);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_refines_around_triangles_that_are_lines),
        cmocka_unit_test(test_loop_defaults_are_valid),
        cmocka_unit_test(test_loop_rejects_bad_arguments),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_closed_meshes),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_open_meshes),
        cmocka_unit_test(test_loop_matches_opensubdiv_on_texture_coordinates),
        cmocka_unit_test(test_loop_keeps_a_regular_sheet_and_knows_the_places),
        cmocka_unit_test(test_loop_weights_sum_to_one),
        cmocka_unit_test(test_loop_keeps_what_is_not_manifold),
        cmocka_unit_test(test_loop_normals_are_unit),
        cmocka_unit_test(test_loop_kernels_give_the_same_bits),
        cmocka_unit_test(test_loop_values_of_every_width),
        cmocka_unit_test(test_loop_hash_is_the_same_for_any_thread_count),
        cmocka_unit_test(test_loop_survives_every_failing_allocation),
        cmocka_unit_test(test_loop_skinning_weights_keep_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
