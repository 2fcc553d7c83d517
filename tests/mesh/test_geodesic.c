#include "support/shapes.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct result
{
    float *distances;
    uint32_t *nearest;
} result;

static result run(const support_mesh *m, uint32_t source_count, const pleat_geodesic_source *sources, float radius)
{
    pleat_geodesic *geodesic = NULL;
    pleat_error error = {0};
    if (pleat_geodesic_create(m->topology, NULL, &geodesic, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    result r = {calloc(m->vertex_count, sizeof *r.distances), calloc(m->vertex_count, sizeof *r.nearest)};
    assert_int_equal(
        pleat_geodesic_distances(geodesic, m->positions, source_count, sources, radius, r.distances, r.nearest, NULL),
        PLEAT_OK);
    pleat_geodesic_destroy(geodesic);
    return r;
}

static void free_result(result *r)
{
    free(r->distances);
    free(r->nearest);
}

static pleat_geodesic_source source_at(uint32_t triangle, float a, float b, float c)
{
    return (pleat_geodesic_source){.place = {triangle, {a, b, c}}};
}

static pleat_result create_once(void *user, const pleat_host *host, pleat_error *error)
{
    const support_mesh *m = user;
    pleat_geodesic *geodesic;
    pleat_result outcome = pleat_geodesic_create(m->topology, host, &geodesic, error);
    assert_true((outcome == PLEAT_OK) == (geodesic != NULL));
    if (outcome == PLEAT_OK)
    {
        float distances[2000];
        pleat_geodesic_source source = source_at(0, 0.2f, 0.2f, 0.6f);
        outcome = pleat_geodesic_distances(geodesic, m->positions, 1, &source, INFINITY, distances, NULL, error);
    }
    pleat_geodesic_destroy(geodesic);
    return outcome;
}

static void test_geodesic_survives_failing_allocations(void **state)
{
    (void)state;
    support_mesh m = support_sphere(16);
    support_sweep_allocations(create_once, &m);
    pleat_geodesic_destroy(NULL);
    support_mesh_free(&m);
}

/* In a plane, from a point, distances are exact, however the triangles are shaped. */
static void test_geodesic_is_exact_in_a_plane(void **state)
{
    (void)state;
    static const struct
    {
        float jitter, stretch;
    } kinds[] = {{0, 1}, {0.24f, 1}, {0.24f, 8}, {0, 20}};
    for (uint32_t k = 0; k < 4; ++k)
    {
        support_mesh m = support_plane(30, kinds[k].jitter);
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            m.positions[v].x *= kinds[k].stretch;
        }
        uint32_t seed = 4;
        for (uint32_t i = 0; i < 12; ++i)
        {
            pleat_geodesic_source source =
                source_at(support_random(&seed) % m.triangle_count, support_random_float(&seed, 0.1f, 0.5f),
                          support_random_float(&seed, 0.1f, 0.4f), 0);
            source.place.barycentric[2] = 1 - source.place.barycentric[0] - source.place.barycentric[1];
            if (i % 3 == 0)
            {
                source = source_at(source.place.triangle, 0, 1, 0); /* at a vertex */
            }
            source.distance = i % 2 ? 0 : 0.7f;
            pleat_vec4 p = support_position(&m, source.place);
            result r = run(&m, 1, &source, INFINITY);
            for (uint32_t v = 0; v < m.vertex_count; ++v)
            {
                double expected = (double)source.distance + support_distance(p, m.positions[v]);
                assert_true(fabs((double)r.distances[v] - expected) <= 2e-6 * (1 + expected) * kinds[k].stretch);
                assert_int_equal(r.nearest[v], 0);
            }
            free_result(&r);
        }
        support_mesh_free(&m);
    }
}

/* Unrolled, a tube is a strip: the shorter way round counts. */
static void test_geodesic_goes_the_shorter_way_round_a_tube(void **state)
{
    (void)state;
    enum
    {
        SIDES = 40,
        ROWS = 30
    };
    support_mesh m = support_tube(SIDES, ROWS, 4);
    double chord = 2 * sin(PI / SIDES);
    pleat_geodesic_source source = source_at(15 * SIDES * 2, 0.7f, 0.3f, 0);
    result r = run(&m, 1, &source, INFINITY);
    double z = (double)support_position(&m, source.place).z;
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        double u = v % SIDES * chord - 0.3 * chord, dz = (double)m.positions[v].z - z;
        double there = hypot(u, dz), back = hypot(SIDES * chord - u, dz);
        double expected = fmin(there, back);
        assert_true(fabs((double)r.distances[v] - expected) < 1e-5);
    }
    free_result(&r);
    support_mesh_free(&m);
}

static double worst_on_sphere(uint32_t rings)
{
    support_mesh m = support_sphere(rings);
    uint32_t seed = 21;
    double worst = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        pleat_geodesic_source source = source_at(support_random(&seed) % m.triangle_count, 0.3f, 0.3f, 0.4f);
        pleat_vec4 p = support_position(&m, source.place);
        result r = run(&m, 1, &source, INFINITY);
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            const pleat_vec4 *q = &m.positions[v];
            double length = sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z));
            double c = (double)(p.x * q->x + p.y * q->y + p.z * q->z) / length;
            double angle = acos(c > 1 ? 1 : c < -1 ? -1 : c);
            worst = fmax(worst, fabs((double)r.distances[v] - angle));
        }
        free_result(&r);
    }
    support_mesh_free(&m);
    return worst;
}

static void test_geodesic_nears_great_circles_on_a_sphere(void **state)
{
    (void)state;
    double coarse = worst_on_sphere(12), fine = worst_on_sphere(48);
    print_message("worst distance error on the unit sphere: %.5f with 12 rings, %.5f with 48\n", coarse, fine);
    assert_true(coarse < 0.03 && fine < 0.0025); /* the square of the edge's length, as the mesh itself */
}

/* Does the open block 4..6 by 0..6 lie between? */
static bool blocked(double ax, double ay, double bx, double by)
{
    double from = 0, to = 1;
    const double low[2] = {4 + 1e-9, -1e9}, high[2] = {6 - 1e-9, 6 - 1e-9}, a[2] = {ax, ay}, d[2] = {bx - ax, by - ay};
    for (int i = 0; i < 2; ++i)
    {
        if (fabs(d[i]) < 1e-12)
        {
            if (a[i] <= low[i] || a[i] >= high[i])
            {
                return false;
            }
            continue;
        }
        double t0 = (low[i] - a[i]) / d[i], t1 = (high[i] - a[i]) / d[i];
        from = fmax(from, fmin(t0, t1));
        to = fmin(to, fmax(t0, t1));
    }
    return from < to;
}

/* A notch cut into a plane: the way bends at its corners. */
static void test_geodesic_bends_around_holes(void **state)
{
    (void)state;
    support_mesh plane = support_plane(10, 0);
    support_mesh m = support_mesh_new(plane.vertex_count, plane.triangle_count);
    memcpy(m.positions, plane.positions, plane.vertex_count * sizeof *m.positions);
    m.triangle_count = 0;
    for (uint32_t t = 0; t < plane.triangle_count; ++t)
    {
        uint32_t x = t / 2 % 10, y = t / 2 / 10;
        if (!((x == 4 || x == 5) && y < 6))
        {
            memcpy(&m.triangles[m.triangle_count++ * 3], &plane.triangles[t * 3], 12);
        }
    }
    support_mesh_finish(&m);
    pleat_geodesic_source source = source_at(2 * 1 * 8 + 2 * 2, 0.3f, 0.5f, 0.2f);
    pleat_vec4 p = support_position(&m, source.place);
    double px = (double)p.x, py = (double)p.y;
    assert_true(px < 4 && py < 5);
    result r = run(&m, 1, &source, INFINITY);
    uint32_t bent = 0, twice = 0;
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        if (m.topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED)
        {
            assert_true(r.distances[v] == INFINITY && r.nearest[v] == PLEAT_NONE);
            continue;
        }
        double x = (double)m.positions[v].x, y = (double)m.positions[v].y;
        double expected = hypot(x - px, y - py);
        if (blocked(px, py, x, y))
        {
            ++bent;
            expected = hypot(4 - px, 6 - py);
            if (blocked(4, 6, x, y))
            {
                ++twice;
                expected += 2 + hypot(x - 6, y - 6);
            }
            else
            {
                expected += hypot(x - 4, y - 6);
            }
        }
        assert_true(fabs((double)r.distances[v] - expected) < 1e-5);
    }
    assert_true(bent > 20 && twice > 10);
    free_result(&r);
    support_mesh_free(&m);
    support_mesh_free(&plane);
}

/* From a straight curve across the triangles. */
static void test_geodesic_counts_from_curves(void **state)
{
    (void)state;
    support_mesh m = support_plane(30, 0.24f);
    pleat_place path[200];
    pleat_walk walk = {.topology = m.topology,
                       .positions = m.positions,
                       .start = {30 * 2 * 8 + 2 * 8, {0.3f, 0.3f, 0.4f}},
                       .direction = {3, 2, 0, 0},
                       .length = 15,
                       .path = path,
                       .path_capacity = 200};
    pleat_walk_result walked = pleat_walk_run(&walk);
    assert_int_equal(walked.end, PLEAT_WALK_DONE);
    pleat_geodesic_source sources[200];
    for (uint32_t i = 0; i < walked.path_count; ++i)
    {
        sources[i] = (pleat_geodesic_source){.place = path[i], .joined = i > 0};
    }
    pleat_vec4 from = support_position(&m, path[0]), to = support_position(&m, walked.place);
    result r = run(&m, walked.path_count, sources, INFINITY);
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        double dx = (double)(to.x - from.x), dy = (double)(to.y - from.y);
        double t =
            ((double)(m.positions[v].x - from.x) * dx + (double)(m.positions[v].y - from.y) * dy) / (dx * dx + dy * dy);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double expected = hypot((double)m.positions[v].x - (double)from.x - t * dx,
                                (double)m.positions[v].y - (double)from.y - t * dy);
        assert_true(fabs((double)r.distances[v] - expected) < 1e-5);
    }
    free_result(&r);
    support_mesh_free(&m);
}

/* Over bumps: the same from a to b as from b to a, no shorter than through the air, no change faster than the way. */
static void test_geodesic_is_a_distance_on_bumps(void **state)
{
    (void)state;
    support_mesh m = support_plane(16, 0.24f);
    uint32_t seed = 6;
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        m.positions[v].z = support_random_float(&seed, -1, 1);
    }
    enum
    {
        COUNT = 24
    };
    uint32_t vertices[COUNT];
    result results[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        uint32_t corner = support_random(&seed) % (m.triangle_count * 3);
        vertices[i] = m.triangles[corner];
        pleat_geodesic_source source = source_at(corner / 3, corner % 3 == 0, corner % 3 == 1, corner % 3 == 2);
        results[i] = run(&m, 1, &source, INFINITY);
        const float *d = results[i].distances;
        assert_true(d[vertices[i]] == 0);
        for (uint32_t c = 0; c < m.triangle_count * 3; ++c)
        {
            uint32_t a = m.triangles[c], b = m.triangles[c % 3 == 2 ? c - 2 : c + 1];
            assert_true(fabs((double)(d[a] - d[b])) <= support_distance(m.positions[a], m.positions[b]) + 1e-5);
            assert_true((double)d[a] >= support_distance(m.positions[vertices[i]], m.positions[a]) - 1e-5);
        }
    }
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        for (uint32_t k = 0; k < COUNT; ++k)
        {
            float there = results[i].distances[vertices[k]], back = results[k].distances[vertices[i]];
            assert_true(fabsf(there - back) < 1e-5f * (1 + there));
        }
    }
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        free_result(&results[i]);
    }
    support_mesh_free(&m);
}

/* A walk is the shortest way as long as it is short: its end is as far off as it is long. */
static void test_geodesic_agrees_with_walks(void **state)
{
    (void)state;
    support_mesh m = support_sphere(32);
    uint32_t seed = 44;
    for (uint32_t i = 0; i < 12; ++i)
    {
        pleat_walk walk = {.topology = m.topology,
                           .positions = m.positions,
                           .start = {support_random(&seed) % m.triangle_count, {0.3f, 0.4f, 0.3f}},
                           .direction = {support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                                         support_random_float(&seed, -1, 1), 0},
                           .length = 0.9f};
        pleat_walk_result end = pleat_walk_run(&walk);
        assert_int_equal(end.end, PLEAT_WALK_DONE);
        /* Both ends as sources: a vertex can be no nearer to one of them than the walk lets it. */
        pleat_geodesic_source one = {.place = walk.start}, two = {.place = end.place};
        result from_start = run(&m, 1, &one, INFINITY), from_end = run(&m, 1, &two, INFINITY);
        double least = INFINITY;
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            double sum = (double)from_start.distances[v] + (double)from_end.distances[v];
            double difference = fabs((double)from_start.distances[v] - (double)from_end.distances[v]);
            assert_true(difference <= 0.9 + 1e-5);
            least = sum < least ? sum : least;
        }
        assert_true(least >= 0.9 * 0.995 && least < 0.9 + 0.02);
        free_result(&from_start);
        free_result(&from_end);
    }
    support_mesh_free(&m);
}

static void test_geodesic_stops_at_the_radius(void **state)
{
    (void)state;
    support_mesh m = support_plane(40, 0.24f);
    pleat_geodesic_source sources[2] = {source_at(500, 0.2f, 0.2f, 0.6f), source_at(2900, 1, 0, 0)};
    result all = run(&m, 2, sources, INFINITY);
    result near = run(&m, 2, sources, 6);
    uint32_t within = 0;
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        bool in = all.distances[v] <= 6;
        within += in;
        assert_true(in ? near.distances[v] == all.distances[v] : near.distances[v] == INFINITY);
        assert_int_equal(near.nearest[v], in ? all.nearest[v] : PLEAT_NONE);
        double d0 = support_distance(support_position(&m, sources[0].place), m.positions[v]);
        double d1 = support_distance(support_position(&m, sources[1].place), m.positions[v]);
        assert_true(fabs((double)all.distances[v] - fmin(d0, d1)) < 1e-5);
        assert_true(fabs(d0 - d1) < 1e-4 || all.nearest[v] == (d0 < d1 ? 0u : 1u));
    }
    assert_true(within > 100 && within < m.vertex_count / 2);
    free_result(&all);
    free_result(&near);
    support_mesh_free(&m);
}

static void test_geodesic_takes_bad_input(void **state)
{
    (void)state;
    support_mesh m = support_plane(4, 0);
    pleat_geodesic_source sources[3] = {source_at(999, 1, 0, 0), source_at(3, NAN, 0, 0), source_at(3, 0, 0, 0)};
    sources[1].joined = true;
    sources[2].joined = true;
    result r = run(&m, 3, sources, INFINITY);
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        assert_true(r.distances[v] == INFINITY);
        assert_int_equal(r.nearest[v], PLEAT_NONE);
    }
    free_result(&r);
    r = run(&m, 0, NULL, INFINITY);
    assert_true(r.distances[0] == INFINITY);
    free_result(&r);
    /* Triangles without area, and everything in one point. */
    support_mesh flat = support_sphere(8);
    for (uint32_t v = 0; v < flat.vertex_count; ++v)
    {
        flat.positions[v].y = v % 3 ? 0 : flat.positions[v].y;
        flat.positions[v].z = 0;
    }
    sources[0] = source_at(5, 0.2f, 0.2f, 0.6f);
    r = run(&flat, 1, sources, INFINITY);
    for (uint32_t v = 0; v < flat.vertex_count; ++v)
    {
        assert_true(r.distances[v] >= 0 && r.distances[v] < 20);
    }
    free_result(&r);
    memset(flat.positions, 0, flat.vertex_count * sizeof *flat.positions);
    r = run(&flat, 1, sources, INFINITY);
    for (uint32_t v = 0; v < flat.vertex_count; ++v)
    {
        assert_true(r.distances[v] == 0);
    }
    free_result(&r);
    support_mesh_free(&flat);
    support_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geodesic_survives_failing_allocations),
        cmocka_unit_test(test_geodesic_is_exact_in_a_plane),
        cmocka_unit_test(test_geodesic_goes_the_shorter_way_round_a_tube),
        cmocka_unit_test(test_geodesic_nears_great_circles_on_a_sphere),
        cmocka_unit_test(test_geodesic_bends_around_holes),
        cmocka_unit_test(test_geodesic_counts_from_curves),
        cmocka_unit_test(test_geodesic_is_a_distance_on_bumps),
        cmocka_unit_test(test_geodesic_agrees_with_walks),
        cmocka_unit_test(test_geodesic_stops_at_the_radius),
        cmocka_unit_test(test_geodesic_takes_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
