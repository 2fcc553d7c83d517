#include "judge_embree.h"
#include "support/support.h"

#include "base/parallel.h"
#include "pleat/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Meshes ---- */

typedef struct mesh
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    pleat_vec4 *positions;
    uint32_t *triangles;
} mesh;

static mesh new_mesh(uint32_t vertex_count, uint32_t triangle_count)
{
    mesh m = {vertex_count, triangle_count, NULL, NULL};
    m.positions = aligned_alloc(16, (size_t)vertex_count * sizeof *m.positions);
    m.triangles = calloc((size_t)triangle_count * 3, sizeof *m.triangles);
    assert_true(m.positions && m.triangles);
    return m;
}

static void free_mesh(mesh *m)
{
    free(m->positions);
    free(m->triangles);
}

static pleat_vec4 random_point(uint32_t *seed, float size)
{
    float x = support_random_float(seed, -size, size);
    float y = support_random_float(seed, -size, size);
    float z = support_random_float(seed, -size, size);
    return (pleat_vec4){x, y, z, 0};
}

static pleat_vec4 add(pleat_vec4 a, pleat_vec4 b)
{
    return (pleat_vec4){a.x + b.x, a.y + b.y, a.z + b.z, 0};
}

/* Loose triangles in a box of 2; every tenth a segment, every eleventh a point. */
static mesh make_soup(uint32_t triangle_count, float size, uint32_t seed)
{
    mesh m = new_mesh(triangle_count * 3, triangle_count);
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        pleat_vec4 *p = &m.positions[t * 3];
        p[0] = random_point(&seed, 1);
        p[1] = add(p[0], random_point(&seed, size));
        p[2] = add(p[0], random_point(&seed, size));
        if (t % 10 == 0)
        {
            p[2] = p[1];
        }
        if (t % 11 == 0)
        {
            p[1] = p[0];
            p[2] = p[0];
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            m.triangles[t * 3 + k] = t * 3 + k;
        }
    }
    return m;
}

/* A closed sphere with bumps: rings by 2 rings segments, welded. phase moves the bumps. */
static void place_blob(mesh *m, uint32_t rings, float bump, float phase)
{
    uint32_t columns = rings * 2;
    for (uint32_t i = 1; i < rings; ++i)
    {
        for (uint32_t j = 0; j < columns; ++j)
        {
            float theta = 3.14159265f * (float)i / (float)rings;
            float phi = 6.2831853f * (float)j / (float)columns;
            float r = 1 + bump * sinf(5 * phi + phase) * sinf(7 * theta + phase);
            m->positions[(i - 1) * columns + j] =
                (pleat_vec4){r * sinf(theta) * cosf(phi), r * sinf(theta) * sinf(phi), r * cosf(theta), 0};
        }
    }
    m->positions[m->vertex_count - 2] = (pleat_vec4){0, 0, 1, 0};
    m->positions[m->vertex_count - 1] = (pleat_vec4){0, 0, -1, 0};
}

static mesh make_blob(uint32_t rings, float bump, float phase)
{
    uint32_t columns = rings * 2;
    mesh m = new_mesh((rings - 1) * columns + 2, (rings - 2) * columns * 2 + columns * 2);
    uint32_t *t = m.triangles;
    for (uint32_t j = 0; j < columns; ++j)
    {
        uint32_t k = (j + 1) % columns;
        const uint32_t caps[6] = {m.vertex_count - 2,       j, k, m.vertex_count - 1, (rings - 2) * columns + k,
                                  (rings - 2) * columns + j};
        memcpy(t, caps, sizeof caps);
        t += 6;
        for (uint32_t i = 0; i + 2 < rings; ++i)
        {
            uint32_t a = i * columns + j, b = i * columns + k, c = a + columns, d = b + columns;
            const uint32_t quad[6] = {a, c, d, a, d, b};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    }
    place_blob(&m, rings, bump, phase);
    return m;
}

static pleat_bvh *make_bvh(const mesh *m)
{
    pleat_bvh *bvh = NULL;
    pleat_error error = {0};
    pleat_result result =
        pleat_bvh_create(m->vertex_count, m->positions, m->triangle_count, m->triangles, NULL, &bvh, &error);
    if (result != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bvh;
}

static judge_embree *make_judge(const mesh *m, bool refit)
{
    return judge_embree_create(m->vertex_count, m->positions, m->triangle_count, m->triangles, refit);
}

/* ---- Creation ---- */

static void test_bvh_rejects_bad_triangles_and_positions(void **state)
{
    (void)state;
    mesh m = make_soup(20, 0.3f, 3);
    pleat_bvh *bvh = (pleat_bvh *)&m;
    pleat_error error = {0};
    m.triangles[7] = 60;
    assert_int_equal(pleat_bvh_create(60, m.positions, 20, m.triangles, NULL, &bvh, &error), PLEAT_BAD_DATA);
    assert_null(bvh);
    assert_non_null(strstr(error.message, "triangles[7] is 60"));
    m.triangles[7] = 7;
    m.positions[11].y = NAN;
    assert_int_equal(pleat_bvh_create(60, m.positions, 20, m.triangles, NULL, &bvh, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "positions[11]"));
    assert_int_equal(pleat_bvh_create(60, NULL, 20, m.triangles, NULL, &bvh, &error), PLEAT_BAD_ARGUMENT);
    assert_int_equal(pleat_bvh_create(60, m.positions, UINT32_MAX, m.triangles, NULL, &bvh, &error),
                     PLEAT_BAD_ARGUMENT);
    free_mesh(&m);
}

static void test_bvh_of_nothing_finds_nothing(void **state)
{
    (void)state;
    pleat_bvh *bvh = NULL;
    assert_int_equal(pleat_bvh_create(0, NULL, 0, NULL, NULL, &bvh, NULL), PLEAT_OK);
    pleat_vec4 up = {0, 0, 1, 0};
    pleat_bvh_refit(bvh, NULL, NULL);
    assert_int_equal(pleat_bvh_nearest(bvh, up, INFINITY).triangle, PLEAT_NONE);
    assert_int_equal(pleat_bvh_ray(bvh, up, up, 0, INFINITY).triangle, PLEAT_NONE);
    assert_false(pleat_bvh_occluded(bvh, up, up, 0, INFINITY));
    assert_int_equal(pleat_bvh_crossings(bvh, bvh, NULL, NULL), 0);
    pleat_bvh_destroy(bvh);
    pleat_bvh_destroy(NULL);
}

static pleat_result create_once(void *user, const pleat_host *host, pleat_error *error)
{
    const mesh *m = user;
    pleat_bvh *bvh;
    pleat_result result =
        pleat_bvh_create(m->vertex_count, m->positions, m->triangle_count, m->triangles, host, &bvh, error);
    assert_true((result == PLEAT_OK) == (bvh != NULL));
    pleat_bvh_destroy(bvh);
    return result;
}

static void test_bvh_survives_failing_allocations(void **state)
{
    (void)state;
    mesh m = make_soup(3000, 0.1f, 5);
    support_sweep_allocations(create_once, &m);
    free_mesh(&m);
}

/* ---- Nearest ---- */

static void assert_on_triangle(const mesh *m, const pleat_hit *hit)
{
    double p[3] = {0, 0, 0}, sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const pleat_vec4 *v = &m->positions[m->triangles[hit->triangle * 3 + k]];
        double w = (double)hit->barycentric[k];
        assert_true(w >= 0 && w <= 1.000001);
        p[0] += w * (double)v->x;
        p[1] += w * (double)v->y;
        p[2] += w * (double)v->z;
        sum += w;
    }
    assert_true(fabs(sum - 1) < 1e-6);
    assert_true(fabs(p[0] - (double)hit->position.x) < 1e-6 && fabs(p[1] - (double)hit->position.y) < 1e-6 &&
                fabs(p[2] - (double)hit->position.z) < 1e-6);
}

static void compare_nearest(const mesh *m, const pleat_bvh *bvh, const judge_embree *judge, uint32_t count,
                            float max_distance)
{
    uint32_t seed = 77;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_vec4 p = random_point(&seed, i % 4 ? 1.2f : 4);
        pleat_hit hit = pleat_bvh_nearest(bvh, p, max_distance);
        judge_hit expected = judge_embree_nearest(judge, p, max_distance);
        if (fabsf(expected.distance - max_distance) < 1e-5f)
        {
            continue;
        }
        assert_true((hit.triangle == PLEAT_NONE) == (expected.triangle == UINT32_MAX));
        if (hit.triangle == PLEAT_NONE)
        {
            continue;
        }
        assert_true(hit.distance <= max_distance);
        assert_true(fabsf(hit.distance - expected.distance) <= 2e-6f + 2e-6f * expected.distance);
        assert_on_triangle(m, &hit);
        float dx = hit.position.x - p.x, dy = hit.position.y - p.y, dz = hit.position.z - p.z;
        assert_true(fabsf(sqrtf(dx * dx + dy * dy + dz * dz) - hit.distance) < 3e-6f);
    }
}

static void test_bvh_nearest_agrees_with_embree_on_soups(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 9, 17, 100, 5000};
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
        mesh m = make_soup(counts[i], i % 2 ? 0.1f : 0.6f, 11 + i);
        pleat_bvh *bvh = make_bvh(&m);
        judge_embree *judge = make_judge(&m, false);
        compare_nearest(&m, bvh, judge, 500, INFINITY);
        compare_nearest(&m, bvh, judge, 500, 0.2f);
        judge_embree_destroy(judge);
        pleat_bvh_destroy(bvh);
        free_mesh(&m);
    }
}

static void test_bvh_nearest_agrees_with_embree_after_refit(void **state)
{
    (void)state;
    mesh m = make_blob(60, 0.1f, 0);
    pleat_bvh *bvh = make_bvh(&m);
    judge_embree *judge = make_judge(&m, true);
    for (uint32_t frame = 0; frame < 4; ++frame)
    {
        place_blob(&m, 60, 0.3f, (float)frame);
        pleat_bvh_refit(bvh, m.positions, NULL);
        judge_embree_refit(judge, m.positions);
        compare_nearest(&m, bvh, judge, 1000, INFINITY);
    }
    judge_embree_destroy(judge);
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
}

static void test_bvh_nearest_within_reach_only(void **state)
{
    (void)state;
    mesh m = new_mesh(3, 1);
    m.positions[0] = (pleat_vec4){0, 0, 0, 0};
    m.positions[1] = (pleat_vec4){1, 0, 0, 0};
    m.positions[2] = (pleat_vec4){0, 1, 0, 0};
    m.triangles[1] = 1;
    m.triangles[2] = 2;
    pleat_bvh *bvh = make_bvh(&m);
    pleat_vec4 p = {0.25f, 0.25f, 2, 0};
    assert_int_equal(pleat_bvh_nearest(bvh, p, 2).triangle, 0);
    assert_int_equal(pleat_bvh_nearest(bvh, p, 1.9999f).triangle, PLEAT_NONE);
    assert_int_equal(pleat_bvh_nearest(bvh, p, NAN).triangle, PLEAT_NONE);
    assert_int_equal(pleat_bvh_nearest(bvh, p, -1).triangle, PLEAT_NONE);
    assert_int_equal(pleat_bvh_nearest(bvh, (pleat_vec4){NAN, 0, 0, 0}, INFINITY).triangle, PLEAT_NONE);
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
}

/* A mesh twice over: the lower of two equal triangles wins, in nearest points and rays. */
static void test_bvh_ties_go_to_the_lowest_triangle(void **state)
{
    (void)state;
    mesh one = make_blob(20, 0.2f, 1);
    mesh two = new_mesh(one.vertex_count, one.triangle_count * 2);
    memcpy(two.positions, one.positions, one.vertex_count * sizeof *one.positions);
    for (uint32_t t = 0; t < one.triangle_count; ++t)
    {
        /* The copies stand in reversed order. */
        memcpy(&two.triangles[t * 3], &one.triangles[t * 3], 12);
        memcpy(&two.triangles[(two.triangle_count - 1 - t) * 3], &one.triangles[t * 3], 12);
    }
    pleat_bvh *bvh = make_bvh(&two);
    pleat_bvh *single = make_bvh(&one);
    uint32_t seed = 5;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        pleat_vec4 p = random_point(&seed, 1.5f);
        pleat_vec4 d = random_point(&seed, 1);
        pleat_hit near = pleat_bvh_nearest(bvh, p, INFINITY);
        pleat_hit expected = pleat_bvh_nearest(single, p, INFINITY);
        assert_int_equal(near.triangle, expected.triangle);
        assert_int_equal(pleat_bvh_ray(bvh, p, d, 0, 9).triangle, pleat_bvh_ray(single, p, d, 0, 9).triangle);
    }
    /* A query from the exact place of a vertex finds the lowest triangle around it. */
    for (uint32_t v = 0; v < one.vertex_count; ++v)
    {
        uint32_t lowest = 0;
        while (one.triangles[lowest * 3] != v && one.triangles[lowest * 3 + 1] != v &&
               one.triangles[lowest * 3 + 2] != v)
        {
            ++lowest;
        }
        pleat_hit hit = pleat_bvh_nearest(bvh, one.positions[v], INFINITY);
        assert_true(hit.distance == 0);
        assert_int_equal(hit.triangle, lowest);
    }
    pleat_bvh_destroy(single);
    pleat_bvh_destroy(bvh);
    free_mesh(&two);
    free_mesh(&one);
}

static uint64_t hash_queries(const pleat_bvh *bvh, uint32_t count)
{
    uint64_t hash = SUPPORT_HASH;
    uint32_t seed = 31;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_hit hits[2] = {pleat_bvh_nearest(bvh, random_point(&seed, 1.5f), INFINITY),
                             pleat_bvh_ray(bvh, random_point(&seed, 1.5f), random_point(&seed, 1), -1, 9)};
        for (int k = 0; k < 2; ++k)
        {
            hash = support_hash(hash, &hits[k].triangle, 4);
            hash = support_hash(hash, &hits[k].distance, 4);
            hash = support_hash(hash, hits[k].barycentric, 12);
            hash = support_hash(hash, &hits[k].position, 16);
        }
    }
    uint64_t crossings = pleat_bvh_crossings(bvh, bvh, NULL, NULL);
    return support_hash(hash, &crossings, sizeof crossings);
}

/* A tree made for another shape and refitted, and one made for this shape, give the same bits. */
static void test_bvh_results_do_not_depend_on_the_tree(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 2; ++kind)
    {
        mesh m = kind ? make_soup(3000, 0.4f, 8) : make_blob(30, 0, 0);
        mesh other = kind ? make_soup(3000, 0.4f, 9) : make_blob(30, 0.6f, 2);
        pleat_bvh *direct = make_bvh(&m);
        pleat_bvh *bent = make_bvh(&other);
        pleat_bvh_refit(bent, m.positions, NULL);
        assert_true(hash_queries(direct, 3000) == hash_queries(bent, 3000));
        pleat_bvh_destroy(direct);
        pleat_bvh_destroy(bent);
        free_mesh(&m);
        free_mesh(&other);
    }
}

static void test_bvh_results_do_not_depend_on_threads(void **state)
{
    (void)state;
    mesh m = make_blob(60, 0.1f, 0);
    uint64_t expected = 0;
    static const uint32_t threads[] = {1, 2, 4};
    for (uint32_t i = 0; i < 3; ++i)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads[i], &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        place_blob(&m, 60, 0.1f, 0);
        pleat_bvh *bvh = make_bvh(&m);
        place_blob(&m, 60, 0.7f, 0.5f);
        pleat_bvh_refit(bvh, m.positions, &tasks);
        uint64_t hash = hash_queries(bvh, 1000);
        uint8_t *marks = calloc(m.triangle_count, 1);
        uint64_t count = pleat_bvh_count_crossings(bvh, bvh, marks, &tasks);
        hash = support_hash(hash, &count, sizeof count);
        hash = support_hash(hash, marks, m.triangle_count);
        expected = i == 0 ? hash : expected;
        assert_true(hash == expected);
        free(marks);
        pleat_bvh_destroy(bvh);
        pleat_pool_destroy(pool);
    }
    free_mesh(&m);
}

/* ---- Rays ---- */

static void compare_rays(const mesh *m, const pleat_bvh *bvh, const judge_embree *judge, uint32_t count)
{
    uint32_t seed = 123;
    uint32_t hit_count = 0;
    uint32_t differing = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_vec4 o = random_point(&seed, 1.5f);
        pleat_vec4 d = random_point(&seed, 1);
        if (i % 5 == 0)
        {
            d = (pleat_vec4){i % 3 == 0 ? 1.0f : 0, i % 3 == 1 ? -1.0f : 0, i % 3 == 2 ? 2.0f : 0, 0};
        }
        float t_max = i % 2 ? 8 : 0.7f;
        pleat_hit hit = pleat_bvh_ray(bvh, o, d, 0.01f, t_max);
        judge_hit expected = judge_embree_ray(judge, o, d, 0.01f, t_max);
        assert_true(pleat_bvh_occluded(bvh, o, d, 0.01f, t_max) == (hit.triangle != PLEAT_NONE));
        bool hits = hit.triangle != PLEAT_NONE;
        if (hits != (expected.triangle != UINT32_MAX) ||
            (hits && fabsf(hit.distance - expected.distance) > 2e-5f * (1 + fabsf(expected.distance))))
        {
            ++differing; /* a grazed edge */
            continue;
        }
        if (hits)
        {
            ++hit_count;
            assert_on_triangle(m, &hit);
            assert_true(fabsf(o.x + hit.distance * d.x - hit.position.x) < 2e-5f);
            assert_true(fabsf(o.y + hit.distance * d.y - hit.position.y) < 2e-5f);
            assert_true(fabsf(o.z + hit.distance * d.z - hit.position.z) < 2e-5f);
        }
    }
    assert_true(differing * 2000 <= count);
    assert_true(m->triangle_count < 100 || hit_count > count / 20);
}

static void test_bvh_rays_agree_with_embree(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 5, 100, 5000};
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
        mesh m = make_soup(counts[i], 0.5f, 21 + i);
        pleat_bvh *bvh = make_bvh(&m);
        judge_embree *judge = make_judge(&m, false);
        compare_rays(&m, bvh, judge, 4000);
        judge_embree_destroy(judge);
        pleat_bvh_destroy(bvh);
        free_mesh(&m);
    }
    mesh m = make_blob(60, 0.1f, 0);
    pleat_bvh *bvh = make_bvh(&m);
    judge_embree *judge = make_judge(&m, true);
    compare_rays(&m, bvh, judge, 4000);
    place_blob(&m, 60, 0.35f, 2);
    pleat_bvh_refit(bvh, m.positions, NULL);
    judge_embree_refit(judge, m.positions);
    compare_rays(&m, bvh, judge, 4000);
    judge_embree_destroy(judge);
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
}

/* From inside a closed surface every ray must hit, those aimed at corners and edges too. */
static void test_bvh_rays_do_not_leak(void **state)
{
    (void)state;
    mesh m = make_blob(40, 0.2f, 0.3f);
    pleat_bvh *bvh = make_bvh(&m);
    uint32_t seed = 9;
    for (uint32_t i = 0; i < 60000; ++i)
    {
        pleat_vec4 o = random_point(&seed, 0.3f);
        if (i % 3 == 0)
        {
            o = (pleat_vec4){0, 0, 0, 0};
        }
        const uint32_t *t = &m.triangles[support_random(&seed) % m.triangle_count * 3];
        pleat_vec4 a = m.positions[t[0]], b = m.positions[t[1]];
        float s = i % 4 == 0 ? 0 : i % 4 == 1 ? 0.5f : support_random_float(&seed, 0, 1);
        pleat_vec4 d = {a.x + s * (b.x - a.x) - o.x, a.y + s * (b.y - a.y) - o.y, a.z + s * (b.z - a.z) - o.z, 0};
        assert_true(pleat_bvh_ray(bvh, o, d, 0, INFINITY).triangle != PLEAT_NONE);
        assert_true(pleat_bvh_occluded(bvh, o, d, 0, 1e6f));
        /* Both ways along the line. */
        assert_true(pleat_bvh_occluded(bvh, o, d, -1e6f, 0));
    }
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
    /* A square grid met along its own lines: every origin and direction lies in planes of edges. */
    mesh grid = new_mesh(33 * 33, 32 * 32 * 2);
    for (uint32_t i = 0; i < 33 * 33; ++i)
    {
        grid.positions[i] = (pleat_vec4){(float)(i % 33), 7, (float)(i / 33), 0};
    }
    for (uint32_t i = 0; i < 32 * 32; ++i)
    {
        uint32_t a = i / 32 * 33 + i % 32;
        const uint32_t quad[6] = {a, a + 1, a + 34, a, a + 34, a + 33};
        memcpy(&grid.triangles[i * 6], quad, sizeof quad);
    }
    bvh = make_bvh(&grid);
    for (uint32_t i = 0; i < 33 * 33; ++i)
    {
        pleat_vec4 o = {(float)(i % 33), 0, (float)(i / 33), 0};
        pleat_hit hit = pleat_bvh_ray(bvh, o, (pleat_vec4){0, 2, 0, 0}, 0, INFINITY);
        assert_true(hit.triangle != PLEAT_NONE && hit.distance == 3.5f);
        hit = pleat_bvh_ray(bvh, o, (pleat_vec4){0, -1, 0, 0}, -INFINITY, 0);
        assert_true(hit.triangle != PLEAT_NONE && hit.distance == -7);
    }
    assert_int_equal(pleat_bvh_ray(bvh, (pleat_vec4){0, 0, 0, 0}, (pleat_vec4){0, 0, 0, 0}, 0, 9).triangle, PLEAT_NONE);
    assert_int_equal(pleat_bvh_ray(bvh, (pleat_vec4){0, NAN, 0, 0}, (pleat_vec4){0, 1, 0, 0}, 0, 9).triangle,
                     PLEAT_NONE);
    pleat_bvh_destroy(bvh);
    free_mesh(&grid);
}

/* ---- Crossings ---- */

typedef struct vec
{
    double x, y, z;
} vec;

static vec at(const mesh *m, uint32_t t, uint32_t k)
{
    const pleat_vec4 *p = &m->positions[m->triangles[t * 3 + k]];
    return (vec){(double)p->x, (double)p->y, (double)p->z};
}

static vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Does segment p q pass through triangle a b c? Solves for the point (no part in our code's way of doing it). */
static bool pierces(vec p, vec q, vec a, vec b, vec c)
{
    vec n = cross(minus(b, a), minus(c, a));
    double hp = dot(minus(p, a), n), hq = dot(minus(q, a), n);
    if (!(hp * hq < 0))
    {
        return false;
    }
    double s = hp / (hp - hq);
    vec x = {p.x + s * (q.x - p.x), p.y + s * (q.y - p.y), p.z + s * (q.z - p.z)};
    return dot(cross(minus(b, a), minus(x, a)), n) > 0 && dot(cross(minus(c, b), minus(x, b)), n) > 0 &&
           dot(cross(minus(a, c), minus(x, c)), n) > 0;
}

static bool has_area(const mesh *m, uint32_t t)
{
    vec n = cross(minus(at(m, t, 1), at(m, t, 0)), minus(at(m, t, 2), at(m, t, 0)));
    return dot(n, n) > 0;
}

static bool cross_by_edges(const mesh *m, uint32_t s, const mesh *other, uint32_t t)
{
    if (!has_area(m, s) || !has_area(other, t))
    {
        return false;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (pierces(at(m, s, k), at(m, s, (k + 1) % 3), at(other, t, 0), at(other, t, 1), at(other, t, 2)) ||
            pierces(at(other, t, k), at(other, t, (k + 1) % 3), at(m, s, 0), at(m, s, 1), at(m, s, 2)))
        {
            return true;
        }
    }
    return false;
}

typedef struct pairs
{
    uint8_t *seen; /* by a, b */
    uint32_t width;
    uint64_t count;
    uint64_t stop_at;
} pairs;

static bool collect(void *user, uint32_t a, uint32_t b)
{
    pairs *p = user;
    ++p->seen[(size_t)a * p->width + b];
    return ++p->count != p->stop_at;
}

static void compare_crossings(const mesh *m, const mesh *other)
{
    pleat_bvh *bvh = make_bvh(m);
    pleat_bvh *second = other == m ? bvh : make_bvh(other);
    pairs found = {calloc((size_t)m->triangle_count * other->triangle_count, 1), other->triangle_count, 0, 0};
    uint8_t *marks = calloc(m->triangle_count, 1);
    uint64_t count = pleat_bvh_crossings(bvh, second, collect, &found);
    assert_int_equal(pleat_bvh_count_crossings(bvh, second, marks, NULL), count);
    assert_true(count == found.count);
    uint64_t expected = 0;
    uint8_t *crossed = calloc(m->triangle_count, 1);
    for (uint32_t s = 0; s < m->triangle_count; ++s)
    {
        for (uint32_t t = 0; t < other->triangle_count; ++t)
        {
            bool cross_here = (other != m || s < t) && cross_by_edges(m, s, other, t);
            assert_int_equal(found.seen[(size_t)s * other->triangle_count + t], cross_here);
            expected += cross_here;
            crossed[s] |= cross_here;
            if (other == m)
            {
                crossed[t] |= cross_here;
            }
        }
    }
    assert_true(expected == count && expected > 50);
    assert_memory_equal(crossed, marks, m->triangle_count);
    free(crossed);
    free(marks);
    free(found.seen);
    if (second != bvh)
    {
        pleat_bvh_destroy(second);
    }
    pleat_bvh_destroy(bvh);
}

static void test_bvh_crossings_agree_with_all_pairs(void **state)
{
    (void)state;
    mesh soup = make_soup(1500, 0.2f, 41);
    mesh large = make_soup(300, 0.8f, 42);
    mesh blob = make_blob(20, 0.2f, 1);
    compare_crossings(&soup, &soup);
    compare_crossings(&soup, &large);
    compare_crossings(&large, &blob);
    compare_crossings(&blob, &soup);
    free_mesh(&soup);
    free_mesh(&large);
    free_mesh(&blob);
}

static bool stop_after(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    return --*(int *)user > 0;
}

static void test_bvh_crossings_stop_when_asked(void **state)
{
    (void)state;
    mesh m = make_soup(500, 0.8f, 4);
    pleat_bvh *bvh = make_bvh(&m);
    int left = 5;
    assert_int_equal(pleat_bvh_crossings(bvh, bvh, stop_after, &left), 5);
    assert_int_equal(left, 0);
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
}

static uint64_t count_self(const mesh *m)
{
    pleat_bvh *bvh = make_bvh(m);
    uint64_t count = pleat_bvh_crossings(bvh, bvh, NULL, NULL);
    pleat_bvh_destroy(bvh);
    return count;
}

/* A triangle each with its own vertices: the same surface, shared by position alone. */
static mesh unweld(const mesh *m)
{
    mesh loose = new_mesh(m->triangle_count * 3, m->triangle_count);
    for (uint32_t c = 0; c < m->triangle_count * 3; ++c)
    {
        loose.positions[c] = m->positions[m->triangles[c]];
        loose.triangles[c] = c;
    }
    return loose;
}

static void test_bvh_neighbours_do_not_cross(void **state)
{
    (void)state;
    mesh blob = make_blob(40, 0.2f, 0.7f);
    assert_int_equal(count_self(&blob), 0);
    mesh loose = unweld(&blob);
    assert_int_equal(count_self(&loose), 0);
    free_mesh(&loose);
    free_mesh(&blob);
    /* Flat grids: in an axis plane, in an exact slanting plane, and turned so that rounding leaves the plane. */
    mesh grid = new_mesh(41 * 41, 40 * 40 * 2);
    for (uint32_t i = 0; i < 40 * 40; ++i)
    {
        uint32_t a = i / 40 * 41 + i % 40;
        const uint32_t quad[6] = {a, a + 1, a + 42, a, a + 42, a + 41};
        memcpy(&grid.triangles[i * 6], quad, sizeof quad);
    }
    for (uint32_t kind = 0; kind < 3; ++kind)
    {
        for (uint32_t i = 0; i < 41 * 41; ++i)
        {
            float x = (float)(i % 41), y = (float)(i / 41);
            grid.positions[i] = kind == 0   ? (pleat_vec4){x, y, 3, 0}
                                : kind == 1 ? (pleat_vec4){x, y, x + 2 * y, 0}
                                            : (pleat_vec4){0.36f * x - 0.8f * y, 0.48f * x + 0.6f * y, -0.8f * x, 0};
        }
        assert_int_equal(count_self(&grid), 0);
    }
    free_mesh(&grid);
}

/* Two triangles and what they do, by hand. */
static uint64_t count_two(const float p[6][3])
{
    mesh m = new_mesh(6, 2);
    for (uint32_t i = 0; i < 6; ++i)
    {
        m.positions[i] = (pleat_vec4){p[i][0], p[i][1], p[i][2], 0};
        m.triangles[i] = i;
    }
    uint64_t count = count_self(&m);
    free_mesh(&m);
    return count;
}

static void test_bvh_touching_is_not_crossing(void **state)
{
    (void)state;
    /* Through each other; edge against edge at both ends of the shared piece; a corner on the plane within. */
    const float through[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 9, 0.5f}};
    const float edges[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}, {0, 2, 0.0f}};
    const float in_plane[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {1, 2, -1}};
    assert_int_equal(count_two(through), 1);
    assert_int_equal(count_two(in_plane), 1);
    assert_int_equal(count_two(edges), 0); /* they share a corner */
    const float edges_apart[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}, {0, 4, 0.0f}};
    assert_int_equal(count_two(edges_apart), 1);
    /* Touches: a corner on the face; edge on edge at a point; in one plane; a point; a segment through. */
    const float corner[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 1}, {1, 2, 1}};
    const float edge_point[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 0, -1}, {1, 0, 1}, {1, -3, 0}};
    const float plane[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {5, 1, 0}, {1, 5, 0}};
    const float point[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    const float segment[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, 1}};
    assert_int_equal(count_two(corner), 0);
    assert_int_equal(count_two(edge_point), 0);
    assert_int_equal(count_two(plane), 0);
    assert_int_equal(count_two(point), 0);
    assert_int_equal(count_two(segment), 0);
}

/* ---- Bad numbers ---- */

static void test_bvh_skips_triangles_that_are_not_finite(void **state)
{
    (void)state;
    mesh m = make_blob(20, 0, 0);
    mesh clean = make_blob(20, 0, 0);
    pleat_bvh *bvh = make_bvh(&m);
    m.positions[50].x = NAN;
    m.positions[90].z = INFINITY;
    pleat_bvh_refit(bvh, m.positions, NULL);
    /* What stays, alone. */
    uint32_t kept = 0;
    uint32_t map[4000];
    for (uint32_t t = 0; t < m.triangle_count; ++t)
    {
        const uint32_t *c = &m.triangles[t * 3];
        bool good = true;
        for (uint32_t k = 0; k < 3; ++k)
        {
            good = good && c[k] != 50 && c[k] != 90;
        }
        if (good)
        {
            map[kept] = t;
            memcpy(&clean.triangles[kept++ * 3], c, 12);
        }
    }
    clean.triangle_count = kept;
    pleat_bvh *expected = make_bvh(&clean);
    uint32_t seed = 3;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        pleat_vec4 p = random_point(&seed, 1.3f), d = random_point(&seed, 1);
        assert_int_equal(pleat_bvh_nearest(bvh, p, INFINITY).triangle,
                         map[pleat_bvh_nearest(expected, p, INFINITY).triangle]);
        uint32_t hit = pleat_bvh_ray(expected, p, d, 0, 9).triangle;
        assert_int_equal(pleat_bvh_ray(bvh, p, d, 0, 9).triangle, hit == PLEAT_NONE ? hit : map[hit]);
    }
    assert_int_equal(pleat_bvh_crossings(bvh, bvh, NULL, NULL), 0);
    pleat_bvh_destroy(expected);
    pleat_bvh_destroy(bvh);
    free_mesh(&m);
    free_mesh(&clean);
}

/* Triangles on top of each other, or shrinking geometrically, must not make the tree too deep. */
static void test_bvh_takes_awkward_distributions(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; ++kind)
    {
        mesh m = new_mesh(3000, 1000);
        for (uint32_t t = 0; t < 1000; ++t)
        {
            float s = kind == 0 ? 1 : kind == 1 ? ldexpf(1, -(int)t / 8) : ldexpf(1, (int)t / 8 - 62);
            m.positions[t * 3] = (pleat_vec4){s, 0, 0, 0};
            m.positions[t * 3 + 1] = (pleat_vec4){0, s, 0, 0};
            m.positions[t * 3 + 2] = (pleat_vec4){0, 0, s, 0};
            for (uint32_t k = 0; k < 3; ++k)
            {
                m.triangles[t * 3 + k] = t * 3 + k;
            }
        }
        pleat_bvh *bvh = make_bvh(&m);
        pleat_vec4 diagonal = {1, 1, 1, 0};
        pleat_hit hit = pleat_bvh_nearest(bvh, diagonal, INFINITY);
        assert_true(hit.triangle != PLEAT_NONE);
        assert_true(kind != 0 || hit.triangle == 0);
        hit = pleat_bvh_ray(bvh, (pleat_vec4){0, 0, 0, 0}, diagonal, 0, INFINITY);
        assert_true(hit.triangle != PLEAT_NONE);
        pleat_bvh_destroy(bvh);
        free_mesh(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bvh_rejects_bad_triangles_and_positions),
        cmocka_unit_test(test_bvh_of_nothing_finds_nothing),
        cmocka_unit_test(test_bvh_survives_failing_allocations),
        cmocka_unit_test(test_bvh_nearest_agrees_with_embree_on_soups),
        cmocka_unit_test(test_bvh_nearest_agrees_with_embree_after_refit),
        cmocka_unit_test(test_bvh_nearest_within_reach_only),
        cmocka_unit_test(test_bvh_ties_go_to_the_lowest_triangle),
        cmocka_unit_test(test_bvh_results_do_not_depend_on_the_tree),
        cmocka_unit_test(test_bvh_results_do_not_depend_on_threads),
        cmocka_unit_test(test_bvh_rays_agree_with_embree),
        cmocka_unit_test(test_bvh_rays_do_not_leak),
        cmocka_unit_test(test_bvh_crossings_agree_with_all_pairs),
        cmocka_unit_test(test_bvh_crossings_stop_when_asked),
        cmocka_unit_test(test_bvh_neighbours_do_not_cross),
        cmocka_unit_test(test_bvh_touching_is_not_crossing),
        cmocka_unit_test(test_bvh_skips_triangles_that_are_not_finite),
        cmocka_unit_test(test_bvh_takes_awkward_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
