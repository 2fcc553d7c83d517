/* Measures against closed forms: solids of known volume, sheets stretched by known factors, lines of known length. */
#include "support/measured.h"

#include "pleat/make.h"
#include "pleat/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- Creation ---- */

static void test_measure_defaults_are_valid(void **state)
{
    (void)state;
    measured_shape s = measured_box(1, 1, 1, false);
    pleat_measure *measure = measure_alone(&s);
    const pleat_figures *rest = pleat_measure_rest(measure);
    support_near((double)rest->smallest.least, 1, 1e-6);
    support_near((double)rest->largest.most, 1, 1e-6);
    assert_true(rest->compression < 1e-6 && rest->compressed_area == 0 && rest->crossings == 0 && rest->inside == 0);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.frame_count, 0);
    assert_int_equal(total.jump_frame, PLEAT_NONE);
    pleat_measure_destroy(measure);
    pleat_measure_destroy(NULL);
    measured_free(&s);
}

static void reject(const pleat_measure_desc *desc, const char *word)
{
    pleat_measure *measure = NULL;
    pleat_error error = {0};
    assert_int_equal(pleat_measure_create(desc, NULL, &measure, &error), PLEAT_BAD_ARGUMENT);
    assert_null(measure);
    assert_non_null(strstr(error.message, word));
}

static void test_measure_rejects_what_makes_no_sense(void **state)
{
    (void)state;
    measured_shape s = measured_box(1, 1, 1, false);
    pleat_measure_desc good = pleat_measure_desc_default(), desc = good;
    reject(&desc, "no vertices");
    good.surface = measured_mesh(&s);
    desc = good;
    desc.surface.triangle_count = 0;
    reject(&desc, "surface");
    desc = good;
    desc.compressed_below = NAN;
    reject(&desc, "compressed_below");
    desc = good;
    desc.inside_tolerance = -1;
    reject(&desc, "inside_tolerance");
    desc = good;
    desc.body = good.surface;
    desc.body.triangles = NULL;
    reject(&desc, "body");
    s.triangles[4] = 8;
    reject(&good, "vertex 8");
    s.triangles[4] = 0;
    s.rest[3].y = NAN;
    reject(&good, "vertex 3");
    measured_free(&s);
}

/* ---- Stretches ---- */

/* A sheet whose columns are stretched by known factors along x, and everything by 1.25 along y. */
static void test_measure_finds_stretches_of_a_sheet(void **state)
{
    (void)state;
    enum
    {
        COLUMNS = 400
    };
    measured_shape s = measured_sheet(COLUMNS, 4, 1, 0.5);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    double x[COLUMNS + 1] = {0};
    double squares = 0;
    for (uint32_t i = 0; i < COLUMNS; ++i)
    {
        double stretch = 0.5 + 0.7 * (i + 0.5) / COLUMNS; /* even from 0.5 to 1.2 */
        x[i + 1] = x[i] + stretch / COLUMNS;
        squares += stretch < 1 ? (1 - stretch) * (1 - stretch) / COLUMNS : 0;
    }
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        now[v] = (pleat_vec4){(float)x[v % (COLUMNS + 1)], 1.25f * s.rest[v].y, 3, 0};
    }
    pleat_measure *measure = measure_alone(&s);
    pleat_figures f = measured_feed(measure, now);
    support_near((double)f.smallest.least, 0.500875, 1e-4);
    support_near((double)f.smallest.most, 1.199125, 1e-4);
    support_near((double)f.smallest.percent_1, 0.507, 1.4e-3);
    support_near((double)f.smallest.percent_50, 0.85, 1.4e-3); /* half a column, half a step */
    support_near((double)f.smallest.percent_99, 1.193, 1.4e-3);
    support_near((double)f.largest.percent_1, 1.25, 1e-3);
    support_near((double)f.largest.percent_99, 1.25, 1e-3);
    support_near(f.compressed_area, 229.0 / 400, 1e-6); /* columns under 0.9 */
    support_near(f.compressed_triangles, 229.0 / 400, 1e-12);
    support_near(f.compression, sqrt(squares), 1e-5);
    support_near(f.area, x[COLUMNS] * 0.625, 1e-6);
    /* A second frame at rest: the percentiles are over both. */
    measured_feed(measure, s.rest);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.frame_count, 2);
    support_near(total.all.compressed_triangles, 229.0 / 800, 1e-12);
    support_near(total.all.compression, sqrt(squares / 2), 1e-5);
    support_near((double)total.all.smallest.percent_50, 0.9965, 4e-3); /* half the weight lies above 0.99 */
    support_near(total.all.area, 0.5 * (x[COLUMNS] * 0.625 + 0.5), 1e-6);
    support_near(total.area_least, fmin(x[COLUMNS] * 0.625, 0.5), 1e-6);
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&s);
}

/* Area counts, not triangles: one large triangle pair and many small ones. */
static void test_measure_weighs_by_area(void **state)
{
    (void)state;
    measured_shape small = measured_sheet(10, 10, 1, 1), large = measured_sheet(1, 1, 3, 1);
    measured_shape s = measured_join(&small, &large);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        float stretch = v < small.vertex_count ? 0.6f : 1.0f;
        now[v] = (pleat_vec4){stretch * s.rest[v].x, s.rest[v].y, 0, 0};
    }
    pleat_measure *measure = measure_alone(&s);
    pleat_figures f = measured_feed(measure, now);
    support_near(f.compressed_area, 0.25, 1e-6);
    support_near(f.compressed_triangles, 200.0 / 202, 1e-12);
    support_near(f.compression, sqrt(0.25 * 0.16), 1e-6); /* a strip at 0.6 over a quarter of the area */
    support_near((double)f.smallest.percent_50, 1, 1e-3);
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&small);
    measured_free(&large);
    measured_free(&s);
}

/* ---- Volume ---- */

static void test_measure_finds_volumes(void **state)
{
    (void)state;
    measured_shape closed = measured_box(2, 3, 5, false), open = measured_box(2, 3, 5, true);
    pleat_measure *measure = measure_alone(&closed);
    support_near(pleat_measure_rest(measure)->volume, 30, 1e-9);
    support_near(pleat_measure_rest(measure)->area, 62, 1e-9);
    pleat_measure_destroy(measure);
    measure = measure_alone(&open);
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(measure, &count);
    assert_int_equal(count, 1);
    assert_int_equal(shells[0].border_count, 1);
    assert_int_equal(shells[0].triangle_count, 10);
    support_near(shells[0].rest_volume, 30, 1e-9);
    support_near(shells[0].rest_area, 62 - 15, 1e-9);
    /* Inside out and far away: the same. */
    pleat_measure_destroy(measure);
    for (uint32_t t = 0; t < open.triangle_count; ++t)
    {
        uint32_t swapped = open.triangles[3 * t];
        open.triangles[3 * t] = open.triangles[3 * t + 1];
        open.triangles[3 * t + 1] = swapped;
    }
    for (uint32_t v = 0; v < open.vertex_count; ++v)
    {
        open.rest[v].y += 1000;
    }
    measure = measure_alone(&open);
    support_near(pleat_measure_rest(measure)->volume, 30, 1e-9);
    pleat_measure_destroy(measure);
    measured_free(&closed);
    measured_free(&open);
}

/* The volume of a sphere of rings: exact for its own polyhedron, and near the ball's. */
static void test_measure_keeps_shells_apart(void **state)
{
    (void)state;
    measured_shape a = measured_sphere(64, 1, 0, 0, 0), b = measured_sphere(64, 0.5, 3, 0, 0);
    measured_shape s = measured_join(&a, &b);
    pleat_measure *measure = measure_alone(&s);
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(measure, &count);
    assert_int_equal(count, 2);
    support_near(shells[0].rest_volume, 4 * PI / 3, 0.01);
    support_near(shells[1].rest_volume, shells[0].rest_volume / 8, 1e-6);
    assert_int_equal(shells[0].border_count, 0);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        float scale = v < a.vertex_count ? 0.5f : 1;
        now[v] = (pleat_vec4){scale * s.rest[v].x, scale * s.rest[v].y, scale * s.rest[v].z, 0};
    }
    pleat_figures f = measured_feed(measure, now);
    support_near(shells[0].volume, shells[0].rest_volume / 8, 1e-6);
    support_near(f.volume, 2 * shells[1].rest_volume, 1e-6);
    support_near(pleat_measure_total(measure).volume_most, f.volume, 0);
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&a);
    measured_free(&b);
    measured_free(&s);
}

/* A hole in a sphere at the pole: its border is a flat ring, so the cap is what is missing. */
static void test_measure_closes_holes(void **state)
{
    (void)state;
    enum
    {
        RINGS = 32
    };
    measured_shape s = measured_sphere(RINGS, 1, 0, 0, 0);
    measured_shape whole = s;
    pleat_measure *measure = measure_alone(&whole);
    double full = pleat_measure_rest(measure)->volume;
    pleat_measure_destroy(measure);
    /* Take the triangles of the north pole out. */
    uint32_t north = s.vertex_count - 1, kept = 0;
    for (uint32_t t = 0; t < s.triangle_count; ++t)
    {
        const uint32_t *c = s.triangles + 3 * (size_t)t;
        if (c[0] != north && c[1] != north && c[2] != north)
        {
            memmove(s.triangles + 3 * (size_t)kept++, c, 3 * sizeof *c);
        }
    }
    s.triangle_count = kept;
    measure = measure_alone(&s);
    uint32_t count;
    assert_int_equal(pleat_measure_shells(measure, &count)[0].border_count, 1);
    /* The pyramid from the ring to the pole is gone: area of the regular polygon times its height, over 3. */
    double theta = 0.5 * PI - PI / RINGS;
    double polygon = 0.5 * (2 * RINGS) * cos(theta) * cos(theta) * sin(2 * PI / (2 * RINGS));
    support_near(pleat_measure_rest(measure)->volume, full - polygon * (1 - sin(theta)) / 3, 1e-6);
    pleat_measure_destroy(measure);
    measured_free(&s);
}

/* ---- Lines ---- */

/* On a sphere of fine rings the straight way between two points of the equator is its arc; stretched sheets have lines
 * of known lengths. */
static void test_measure_draws_straight_lines(void **state)
{
    (void)state;
    measured_shape ball = measured_sphere(90, 1, 0, 0, 0);
    pleat_measure *measure = measure_alone(&ball);
    uint32_t line;
    pleat_vec4 quarter[2] = {{1, 0, 0, 0}, {0, 0, 1, 0}};
    assert_int_equal(pleat_measure_add_line(measure, 2, quarter, &line, NULL), PLEAT_OK);
    support_near(pleat_measure_line_rest(measure, line), 0.5 * PI, 2e-3);
    /* Half way round by way of a third point, slanted. */
    pleat_vec4 tour[3] = {{1, 0.5f, 0, 0}, {0, 0.1f, 2, 0}, {-1, 0, -0.3f, 0}};
    assert_int_equal(pleat_measure_add_line(measure, 3, tour, &line, NULL), PLEAT_OK);
    double arc = 0;
    for (int i = 0; i < 2; ++i)
    {
        const pleat_vec4 *p = &tour[i], *q = &tour[i + 1];
        double d = (double)(p->x * q->x + p->y * q->y + p->z * q->z);
        arc += acos(
            d / sqrt((double)((p->x * p->x + p->y * p->y + p->z * p->z) * (q->x * q->x + q->y * q->y + q->z * q->z))));
    }
    support_near(pleat_measure_line_rest(measure, line), arc, 4e-3);
    assert_int_equal(pleat_measure_line_count(measure), 2);
    pleat_measure_destroy(measure);
    measured_free(&ball);

    measured_shape s = measured_sheet(7, 5, 7, 5);
    measure = measure_alone(&s);
    pleat_vec4 slanted[2] = {{0.5f, 0.25f, 0, 0}, {6.5f, 4.75f, 0, 0}};
    pleat_vec4 along[2] = {{0, 2, 0, 0}, {7, 2, 0, 0}}; /* on vertices and edges all the way */
    uint32_t first, second;
    assert_int_equal(pleat_measure_add_line(measure, 2, slanted, &first, NULL), PLEAT_OK);
    assert_int_equal(pleat_measure_add_line(measure, 2, along, &second, NULL), PLEAT_OK);
    support_near(pleat_measure_line_rest(measure, first), hypot(6, 4.5), 1e-5);
    support_near(pleat_measure_line_rest(measure, second), 7, 1e-5);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        /* Pleated along x: every second column lifted. */
        now[v] = (pleat_vec4){0.6f * s.rest[v].x, s.rest[v].y, v % 8 % 2 ? 0.8f : 0, 0};
    }
    measured_feed(measure, now);
    support_near(pleat_measure_line_length(measure, second), 7, 1e-5);
    support_near(pleat_measure_line_length(measure, first), hypot(6, 4.5), 1e-5);
    assert_int_equal(pleat_measure_add_line(measure, 2, along, &second, NULL), PLEAT_BAD_ARGUMENT);
    pleat_measure_destroy(measure);
    free(now);
    measured_free(&s);
}

static void test_measure_rejects_lines(void **state)
{
    (void)state;
    measured_shape a = measured_sheet(2, 2, 1, 1), b = measured_sheet(2, 2, 1, 1);
    for (uint32_t v = 0; v < b.vertex_count; ++v)
    {
        b.rest[v].x += 5;
    }
    measured_shape s = measured_join(&a, &b);
    pleat_measure *measure = measure_alone(&s);
    pleat_vec4 apart[2] = {{0.1f, 0.1f, 0, 0}, {5.5f, 0.5f, 0, 0}};
    pleat_vec4 same[2] = {{0.1f, 0.1f, 0, 0}, {0.1f, 0.1f, 7, 0}};
    uint32_t line;
    pleat_error error = {0};
    assert_int_equal(pleat_measure_add_line(measure, 2, apart, &line, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "no straight way"));
    assert_int_equal(pleat_measure_add_line(measure, 2, same, &line, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "meet"));
    assert_int_equal(pleat_measure_add_line(measure, 1, same, &line, &error), PLEAT_BAD_ARGUMENT);
    measured_shape closed = measured_box(1, 1, 1, false);
    pleat_measure *tube = measure_alone(&closed);
    assert_int_equal(pleat_measure_add_meridians(tube, 8, &line, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "two borders"));
    assert_int_equal(pleat_measure_line_count(measure), 0);
    pleat_measure_destroy(tube);
    pleat_measure_destroy(measure);
    measured_free(&closed);
    measured_free(&a);
    measured_free(&b);
    measured_free(&s);
}

/* ---- The arm ---- */

typedef struct arm
{
    pleat_made *made;
    pleat_stack *stack;
    pleat_pose *pose;
    const pleat_stack_shape *shape;
} arm;

static arm make_arm(uint32_t around, uint32_t along)
{
    arm a = {0};
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = around;
    options.arm_along = along;
    assert_int_equal(pleat_make("arm", &options, NULL, &a.made, NULL), PLEAT_OK);
    const pleat_model *model = pleat_made_model(a.made);
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        desc.node = model->nodes[n].mesh != PLEAT_NONE ? n : desc.node;
    }
    assert_int_equal(pleat_stack_create(&desc, NULL, &a.stack, NULL), PLEAT_OK);
    assert_int_equal(pleat_pose_create(model, NULL, &a.pose, NULL), PLEAT_OK);
    a.shape = pleat_stack_get_shape(a.stack);
    return a;
}

static const pleat_vec4 *bend_arm(arm *a, float time)
{
    pleat_pose_sample(a->pose, &pleat_made_model(a->made)->clips[0], time);
    pleat_stack_input input = {.pose = a->pose, .time = time};
    pleat_stack_update(a->stack, &input);
    return pleat_stack_positions(a->stack);
}

static void arm_free(arm *a)
{
    pleat_stack_destroy(a->stack);
    pleat_pose_destroy(a->pose);
    pleat_made_destroy(a->made);
}

/* The sum of distances over the vertices of meridian m, read off the rest shape: those that share x and z. */
static double meridian_length(const arm *a, uint32_t around, uint32_t along, uint32_t m, const pleat_vec4 *positions)
{
    double length = 0;
    for (uint32_t j = 0; j + 1 < along; ++j)
    {
        uint32_t v = a->shape->render_vertex[j * (around + 1) + m];
        uint32_t w = a->shape->render_vertex[(j + 1) * (around + 1) + m];
        assert_true(a->shape->rest[v].x == a->shape->rest[w].x && a->shape->rest[v].z == a->shape->rest[w].z);
        length += sqrt(pow((double)positions[v].x - (double)positions[w].x, 2) +
                       pow((double)positions[v].y - (double)positions[w].y, 2) +
                       pow((double)positions[v].z - (double)positions[w].z, 2));
    }
    return length;
}

static void test_measure_finds_meridians_of_the_arm(void **state)
{
    (void)state;
    enum
    {
        AROUND = 24,
        ALONG = 100
    };
    arm a = make_arm(AROUND, ALONG);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = (pleat_measure_mesh){a.shape->surface_count, a.shape->rest, a.shape->triangle_count,
                                        a.shape->surface_triangles, NULL};
    desc.crossings = false;
    pleat_measure *measure = measure_of(&desc);
    uint32_t first, inner;
    pleat_error error = {0};
    if (pleat_measure_add_meridians(measure, AROUND, &first, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    pleat_vec4 ends[2] = {{0.05f, -0.3f, 0, 0}, {0.05f, 0.3f, 0, 0}};
    assert_int_equal(pleat_measure_add_line(measure, 2, ends, &inner, NULL), PLEAT_OK);
    uint32_t count;
    assert_int_equal(pleat_measure_shells(measure, &count)->border_count, 2);
    assert_int_equal(count, 1); /* the seam is closed */
    /* A prism over a regular polygon. */
    double polygon = 0.5 * AROUND * 0.0025 * sin(2 * PI / AROUND);
    support_near(pleat_measure_rest(measure)->volume, 0.6 * polygon, 1e-9);
    double shortest = 1;
    for (int frame = 0; frame <= 4; ++frame)
    {
        const pleat_vec4 *now = bend_arm(&a, (float)frame * 0.5f);
        measured_feed(measure, now);
        for (uint32_t m = 0; m < AROUND; ++m)
        {
            /* Which way round they are numbered is the measure's own affair. */
            double length = pleat_measure_line_length(measure, first + m);
            double one = meridian_length(&a, AROUND, ALONG, m, now);
            double other = meridian_length(&a, AROUND, ALONG, (AROUND - m) % AROUND, now);
            assert_true(fabs(length - one) < 1e-6 || fabs(length - other) < 1e-6);
        }
        support_near(pleat_measure_line_length(measure, inner), meridian_length(&a, AROUND, ALONG, AROUND / 2, now),
                     1e-6);
        shortest = fmin(shortest, pleat_measure_line_length(measure, inner) / 0.6);
    }
    assert_true(shortest < 0.99); /* the inner side is compressed on the way */
    pleat_measure_destroy(measure);
    arm_free(&a);
}

/* ---- Threads and memory ---- */

static uint64_t hash_with(const pleat_tasks *tasks)
{
    arm a = make_arm(48, 120);
    measured_shape body = measured_sphere(40, 0.2, 0.1, 0.1, 0);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = (pleat_measure_mesh){a.shape->surface_count, a.shape->rest, a.shape->triangle_count,
                                        a.shape->surface_triangles, NULL};
    desc.reference = desc.surface;
    desc.body = measured_mesh(&body);
    pleat_host host = pleat_host_default();
    if (tasks)
    {
        host.tasks = *tasks;
    }
    pleat_measure *measure = NULL;
    assert_int_equal(pleat_measure_create(&desc, &host, &measure, NULL), PLEAT_OK);
    uint64_t hash = SUPPORT_HASH;
    pleat_vec4 *rest = aligned_alloc(16, a.shape->surface_count * sizeof *rest);
    memcpy(rest, a.shape->rest, a.shape->surface_count * sizeof *rest);
    for (int frame = 0; frame < 4; ++frame)
    {
        pleat_figures f;
        memset(&f, 0, sizeof f);
        pleat_measure_input input = {
            .positions = bend_arm(&a, 0.6f * (float)frame), .reference = rest, .body = body.rest, .tasks = tasks};
        assert_int_equal(pleat_measure_frame(measure, &input, &f, NULL), PLEAT_OK);
        double values[] = {(double)f.smallest.percent_1,
                           (double)f.largest.percent_99,
                           f.compressed_area,
                           f.compression,
                           f.area,
                           f.volume,
                           f.motion,
                           f.jump,
                           f.pop,
                           f.depth};
        uint64_t counts[] = {f.crossings, f.inside, f.jump_vertex, f.pop_vertex};
        hash = support_hash(hash, values, sizeof values);
        hash = support_hash(hash, counts, sizeof counts);
        assert_true(f.inside > 0);
    }
    assert_true(pleat_measure_total(measure).all.crossings > 0);
    pleat_measure_destroy(measure);
    free(rest);
    measured_free(&body);
    arm_free(&a);
    return hash;
}

static void test_measure_is_the_same_for_any_threads(void **state)
{
    (void)state;
    uint64_t one = hash_with(NULL);
    for (uint32_t threads = 1; threads <= 4; ++threads)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        assert_true(hash_with(&tasks) == one);
        pleat_pool_destroy(pool);
    }
}

static pleat_result create_all(void *user, const pleat_host *host, pleat_error *error)
{
    measured_shape *shapes = user;
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = measured_mesh(&shapes[0]);
    desc.reference = measured_mesh(&shapes[1]);
    desc.body = measured_mesh(&shapes[2]);
    pleat_measure *measure = NULL;
    pleat_result result = pleat_measure_create(&desc, host, &measure, error);
    pleat_vec4 ends[2] = {{0, 0.3f, 0, 0}, {1, 0.8f, 0, 0}};
    uint32_t line;
    for (uint32_t i = 0; i < 20 && result == PLEAT_OK; ++i)
    {
        result = pleat_measure_add_line(measure, 2, ends, &line, error);
    }
    pleat_measure_destroy(measure);
    return result;
}

static void test_measure_survives_every_failed_allocation(void **state)
{
    (void)state;
    measured_shape shapes[3] = {measured_sheet(6, 6, 1, 1), measured_sheet(2, 2, 1, 1), measured_box(1, 1, 1, false)};
    support_sweep_allocations(create_all, shapes);
    for (int i = 0; i < 3; ++i)
    {
        measured_free(&shapes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measure_defaults_are_valid),
        cmocka_unit_test(test_measure_rejects_what_makes_no_sense),
        cmocka_unit_test(test_measure_finds_stretches_of_a_sheet),
        cmocka_unit_test(test_measure_weighs_by_area),
        cmocka_unit_test(test_measure_finds_volumes),
        cmocka_unit_test(test_measure_keeps_shells_apart),
        cmocka_unit_test(test_measure_closes_holes),
        cmocka_unit_test(test_measure_draws_straight_lines),
        cmocka_unit_test(test_measure_rejects_lines),
        cmocka_unit_test(test_measure_finds_meridians_of_the_arm),
        cmocka_unit_test(test_measure_is_the_same_for_any_threads),
        cmocka_unit_test(test_measure_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
