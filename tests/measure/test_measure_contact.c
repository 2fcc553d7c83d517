/* What crosses, what lies inside and what pops, against closed forms: sheets that cross a known number of times,
 * spheres that dip into each other, motions whose jumps are known. */
#include "support/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- Crossings and penetration ---- */

/* Two sheets of n columns that cross along a line of known triangles: one cuts the other between rows of vertices. */
static void test_measure_contact_counts_crossings(void **state)
{
    (void)state;
    measured_shape a = measured_sheet(1, 1, 2, 2), b = measured_sheet(1, 1, 2, 2);
    for (uint32_t v = 0; v < b.vertex_count; ++v)
    {
        /* Upright in the plane x = 0.5, from below to above the first. */
        b.rest[v] = (pleat_vec4){0.5f, b.rest[v].x + 0.125f, b.rest[v].y - 1.0625f, 0};
    }
    measured_shape s = measured_join(&a, &b);
    /* The cut runs at x = 0.5 from y = 0.125 to 2 (where a ends). It passes a's diagonal at y = 0.5 and b's at
     * y - 0.125 = z + 1.0625, z = 0: y = 1.1875. So: below-diagonal of a with one triangle of b, the other with both.
     */
    pleat_measure *measure = measure_alone(&s);
    assert_int_equal(pleat_measure_rest(measure)->crossings, 3);
    support_near(pleat_measure_rest(measure)->crossings_area, 1, 1e-9); /* all four triangles take part */
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    memcpy(now, s.rest, s.vertex_count * sizeof *now);
    assert_int_equal(measured_feed(measure, now).crossings, 3);
    for (uint32_t v = a.vertex_count; v < s.vertex_count; ++v)
    {
        now[v].z += 5;
    }
    assert_int_equal(measured_feed(measure, now).crossings, 0);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.all.crossings, 3);
    support_near(total.all.crossings_area, 0.5, 1e-9);
    assert_int_equal(total.crossings_most, 3);
    assert_int_equal(total.crossings_frame, 0);
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&a);
    measured_free(&b);
    measured_free(&s);
}

/* A small sphere that dips into a large one: inside are the vertices whose distance from the centre is below that of
 * the large one's surface, which lies between its radius and that of its inscribed polyhedron. */
static void test_measure_contact_finds_what_is_inside(void **state)
{
    (void)state;
    measured_shape body = measured_sphere(100, 1, 0.1, 0.2, 0.3), small = measured_sphere(24, 0.25, 0.1, 1.15, 0.3);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(&small);
    desc.body = measured_mesh(&body);
    pleat_measure *measure = measure_of(&desc);
    uint32_t least = 0, most = 0;
    for (uint32_t v = 0; v < small.vertex_count; ++v)
    {
        const pleat_vec4 *p = &small.rest[v];
        double radius = sqrt(pow((double)p->x - 0.1, 2) + pow((double)p->y - 0.2, 2) + pow((double)p->z - 0.3, 2));
        least += radius < cos(PI / 100) * cos(PI / 200) - 1e-4;
        most += radius < 1;
    }
    const pleat_figures *rest = pleat_measure_rest(measure);
    assert_true(least > 50);
    assert_in_range(rest->inside, least, most);
    support_near(rest->depth, 0.3, 1e-3); /* the small one's lower pole is 0.7 from the centre */
    /* A cap: where two spheres meet, cos(angle from the lower pole) = (d^2 + r^2 - R^2) / (2 d r). */
    double cap = 0.5 * (1 - (0.95 * 0.95 + 0.25 * 0.25 - 1) / (2 * 0.95 * 0.25));
    support_near(rest->inside_area, cap, 0.03);
    /* Deep inside, off the centre, all vertices are; far outside none. */
    pleat_vec4 *now = aligned_alloc(16, small.vertex_count * sizeof *now);
    for (int k = 0; k < 2; ++k)
    {
        for (uint32_t v = 0; v < small.vertex_count; ++v)
        {
            now[v] = small.rest[v];
            now[v].y -= k ? -2.0f : 0.7f;
        }
        pleat_figures f;
        pleat_measure_input input = {.positions = now, .body = body.rest};
        assert_int_equal(pleat_measure_frame(measure, &input, &f, NULL), PLEAT_OK);
        assert_int_equal(f.inside, k ? 0 : small.vertex_count);
        support_near(f.inside_area, k ? 0 : 1, 1e-9);
    }
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.inside_most, small.vertex_count);
    assert_int_equal(total.inside_frame, 0);
    pleat_measure_input missing = {.positions = now};
    pleat_error error = {0};
    assert_int_equal(pleat_measure_frame(measure, &missing, NULL, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "body"));
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&body);
    measured_free(&small);
}

/* Sharp edges and corners: points around a thin box, judged by the box itself. Face normals alone get the ones off the
 * edges and corners wrong. */
static void test_measure_contact_signs_are_right_at_edges(void **state)
{
    (void)state;
    enum
    {
        COUNT = 3000
    };
    measured_shape body = measured_box(1, 0.2, 0.05, false);
    measured_shape points = measured_new(COUNT, COUNT / 3);
    uint32_t random = 7, inside = 0;
    double deepest = 0;
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        points.triangles[v] = v;
        pleat_vec4 p = {support_random_float(&random, -0.2f, 1.2f), support_random_float(&random, -0.1f, 0.3f),
                        support_random_float(&random, -0.05f, 0.1f), 0};
        points.rest[v] = p;
        double depth =
            fmin(fmin((double)fminf(p.x, 1 - p.x), (double)fminf(p.y, 0.2f - p.y)), (double)fminf(p.z, 0.05f - p.z));
        inside += depth > 1.1e-5;
        deepest = fmax(deepest, depth);
    }
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(&points);
    desc.body = measured_mesh(&body);
    desc.crossings = false;
    pleat_measure *measure = measure_of(&desc);
    assert_true(inside > 100);
    assert_int_equal(pleat_measure_rest(measure)->inside, inside);
    support_near(pleat_measure_rest(measure)->depth, deepest, 1e-6);
    pleat_measure_destroy(measure);
    measured_free(&body);
    measured_free(&points);
}

/* ---- Popping ---- */

typedef struct popping
{
    measured_shape coarse, fine;
    pleat_vec4 *coarse_now, *fine_now;
    pleat_measure *measure;
} popping;

/* Both move alike: turned fast about z and carried away. The fine sheet also lies `lift` above the coarse one. */
static pleat_figures pose_popping(popping *p, double angle, double lift)
{
    float c = (float)cos(angle), s = (float)sin(angle);
    for (uint32_t v = 0; v < p->coarse.vertex_count; ++v)
    {
        pleat_vec4 r = p->coarse.rest[v];
        p->coarse_now[v] = (pleat_vec4){c * r.x - s * r.z + 3 * (float)angle, r.y, s * r.x + c * r.z, 0};
    }
    for (uint32_t v = 0; v < p->fine.vertex_count; ++v)
    {
        pleat_vec4 r = p->fine.rest[v];
        r.z += (float)lift;
        p->fine_now[v] = (pleat_vec4){c * r.x - s * r.z + 3 * (float)angle, r.y, s * r.x + c * r.z, 0};
    }
    pleat_figures f;
    pleat_measure_input input = {.positions = p->fine_now, .reference = p->coarse_now};
    assert_int_equal(pleat_measure_frame(p->measure, &input, &f, NULL), PLEAT_OK);
    return f;
}

static void test_measure_contact_tells_popping_from_motion(void **state)
{
    (void)state;
    popping p = {.coarse = measured_sheet(2, 2, 1, 1), .fine = measured_sheet(8, 8, 1, 1)};
    p.coarse_now = aligned_alloc(16, p.coarse.vertex_count * sizeof *p.coarse_now);
    p.fine_now = aligned_alloc(16, p.fine.vertex_count * sizeof *p.fine_now);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(&p.fine);
    desc.reference = measured_mesh(&p.coarse);
    enum
    {
        FRAMES = 61
    };
    for (int kind = 0; kind < 4; ++kind)
    {
        /* 0: only follows; 1: a fold that swells as a sine; 2: one that grows evenly; 3: one that is suddenly there. */
        p.measure = measure_of(&desc);
        double amplitude = 0.02, omega = 2 * PI / 60;
        for (int f = 0; f < FRAMES; ++f)
        {
            double lift = kind == 0   ? 0.01
                          : kind == 1 ? amplitude * sin(omega * f)
                          : kind == 2 ? amplitude * f / 60
                          : f < 30    ? 0
                                      : amplitude;
            pose_popping(&p, 0.15 * f, lift);
        }
        pleat_figures_total total = pleat_measure_total(p.measure);
        double jumps[] = {0, amplitude * 2 * sin(0.5 * omega), amplitude / 60, amplitude};
        double pops[] = {0, amplitude * 4 * pow(sin(0.5 * omega), 2), 0, amplitude};
        support_near(total.all.jump, jumps[kind], 5e-6); /* float positions up to 30 away */
        support_near(total.all.pop, pops[kind], 1e-5);
        assert_true(total.all.motion > 0.4);
        if (kind == 3)
        {
            assert_int_equal(total.jump_frame, 30);
            assert_true(total.pop_frame == 30 || total.pop_frame == 31);
        }
        pleat_measure_destroy(p.measure);
    }
    free(p.coarse_now);
    free(p.fine_now);
    measured_free(&p.coarse);
    measured_free(&p.fine);
}

/* Two sheets close together: each vertex goes with the sheet of its own group, not with the nearer one. */
static void test_measure_contact_keeps_groups_apart(void **state)
{
    (void)state;
    measured_shape low = measured_sheet(2, 2, 1, 1), high = measured_sheet(2, 2, 1, 1),
                   fine = measured_sheet(8, 8, 1, 1);
    for (uint32_t v = 0; v < high.vertex_count; ++v)
    {
        high.rest[v].z = 0.001f;
    }
    for (uint32_t v = 0; v < fine.vertex_count; ++v)
    {
        fine.rest[v].z = 0.0008f; /* nearer to the high one */
    }
    measured_shape both = measured_join(&low, &high);
    uint32_t groups[16] = {3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5};
    uint32_t *fine_groups = malloc(fine.triangle_count * sizeof *fine_groups);
    for (uint32_t t = 0; t < fine.triangle_count; ++t)
    {
        fine_groups[t] = 3;
    }
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(&fine);
    desc.surface.groups = fine_groups;
    desc.reference = measured_mesh(&both);
    desc.reference.groups = groups;
    pleat_measure *measure = measure_of(&desc);
    pleat_vec4 *now = aligned_alloc(16, both.vertex_count * sizeof *now);
    for (int f = 0; f < 2; ++f)
    {
        for (uint32_t v = 0; v < both.vertex_count; ++v)
        {
            now[v] = both.rest[v];
            now[v].z += v >= low.vertex_count && f ? 1.0f : 0;
        }
        pleat_figures figures;
        pleat_measure_input input = {.positions = fine.rest, .reference = now};
        assert_int_equal(pleat_measure_frame(measure, &input, &figures, NULL), PLEAT_OK);
        assert_true(figures.jump == 0);
    }
    pleat_measure_destroy(measure);
    desc.reference.groups = NULL; /* now all of group 0, which the surface has not */
    pleat_error error = {0};
    assert_int_equal(pleat_measure_create(&desc, NULL, &measure, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "group 3"));
    free(now);
    free(fine_groups);
    measured_free(&low);
    measured_free(&high);
    measured_free(&fine);
    measured_free(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_contact_counts_crossings),
        cmocka_unit_test(test_measure_contact_finds_what_is_inside),
        cmocka_unit_test(test_measure_contact_signs_are_right_at_edges),
        cmocka_unit_test(test_measure_contact_tells_popping_from_motion),
        cmocka_unit_test(test_measure_contact_keeps_groups_apart),
    };
    return cmocka_run_group_tests_name("measure_contact", tests, NULL, NULL);
}
