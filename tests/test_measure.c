/* Measures against closed forms: solids of known volume, sheets stretched by known factors, sheets that cross a known
 * number of times, spheres that dip into each other, motions whose jumps are known. */
#include "support/support.h"

#include "pleat/make.h"
#include "pleat/measure.h"
#include "pleat/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- Shapes ---- */

typedef struct shape
{
    uint32_t vertex_count, triangle_count;
    pleat_vec4 *rest;
    uint32_t *triangles;
} shape;

static shape shape_new(uint32_t vertex_count, uint32_t triangle_count)
{
    shape s = {vertex_count, triangle_count, NULL, NULL};
    s.rest = aligned_alloc(16, vertex_count * sizeof *s.rest);
    s.triangles = malloc(3 * (size_t)triangle_count * sizeof *s.triangles);
    assert_true(s.rest && s.triangles);
    return s;
}

static void shape_free(shape *s)
{
    free(s->rest);
    free(s->triangles);
}

static pleat_measure_mesh mesh_of(const shape *s)
{
    return (pleat_measure_mesh){s->vertex_count, s->rest, s->triangle_count, s->triangles, NULL};
}

/* columns by rows quads in the plane z = 0, from 0 0 to width height. */
static shape sheet(uint32_t columns, uint32_t rows, double width, double height)
{
    shape s = shape_new((columns + 1) * (rows + 1), 2 * columns * rows);
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

/* A sphere of rings by 2 rings: vertices exactly on it, poles at +-y. */
static shape sphere(uint32_t rings, double radius, double x, double y, double z)
{
    uint32_t around = 2 * rings;
    shape s = shape_new((rings - 1) * around + 2, 2 * around * (rings - 1));
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

/* A box from 0 to (a, b, c), its last two triangles (the side x = a) left out if it is open. */
static shape box(double a, double b, double c, bool open)
{
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    shape s = shape_new(8, open ? 10 : 12);
    for (uint32_t v = 0; v < 8; ++v)
    {
        s.rest[v] = (pleat_vec4){v & 1 ? (float)a : 0, v & 2 ? (float)b : 0, v & 4 ? (float)c : 0, 0};
    }
    memcpy(s.triangles, triangles, 3 * (size_t)s.triangle_count * sizeof *triangles);
    return s;
}

static shape join(const shape *a, const shape *b)
{
    shape s = shape_new(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(s.rest, a->rest, a->vertex_count * sizeof *s.rest);
    memcpy(s.rest + a->vertex_count, b->rest, b->vertex_count * sizeof *s.rest);
    memcpy(s.triangles, a->triangles, 3 * (size_t)a->triangle_count * sizeof *s.triangles);
    for (uint32_t c = 0; c < 3 * b->triangle_count; ++c)
    {
        s.triangles[3 * (size_t)a->triangle_count + c] = a->vertex_count + b->triangles[c];
    }
    return s;
}

static pleat_measure *measure_of(const pleat_measure_desc *desc)
{
    pleat_measure *measure = NULL;
    pleat_error error = {0};
    if (pleat_measure_create(desc, NULL, &measure, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return measure;
}

static pleat_measure *measure_alone(const shape *s)
{
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = mesh_of(s);
    return measure_of(&desc);
}

static pleat_figures feed(pleat_measure *measure, const pleat_vec4 *positions)
{
    pleat_figures figures;
    pleat_measure_input input = {.positions = positions};
    assert_int_equal(pleat_measure_frame(measure, &input, &figures, NULL), PLEAT_OK);
    return figures;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
    {
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
    }
}

/* ---- Creation ---- */

static void test_measure_defaults_are_valid(void **state)
{
    (void)state;
    shape s = box(1, 1, 1, false);
    pleat_measure *measure = measure_alone(&s);
    const pleat_figures *rest = pleat_measure_rest(measure);
    assert_near((double)rest->smallest.least, 1, 1e-6);
    assert_near((double)rest->largest.most, 1, 1e-6);
    assert_true(rest->compression < 1e-6 && rest->compressed_area == 0 && rest->crossings == 0 && rest->inside == 0);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.frame_count, 0);
    assert_int_equal(total.jump_frame, PLEAT_NONE);
    pleat_measure_destroy(measure);
    pleat_measure_destroy(NULL);
    shape_free(&s);
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
    shape s = box(1, 1, 1, false);
    pleat_measure_desc good = pleat_measure_desc_default(), desc = good;
    reject(&desc, "no vertices");
    good.surface = mesh_of(&s);
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
    shape_free(&s);
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
    shape s = sheet(COLUMNS, 4, 1, 0.5);
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
    pleat_figures f = feed(measure, now);
    assert_near((double)f.smallest.least, 0.500875, 1e-4);
    assert_near((double)f.smallest.most, 1.199125, 1e-4);
    assert_near((double)f.smallest.percent_1, 0.507, 1.4e-3);
    assert_near((double)f.smallest.percent_50, 0.85, 1.4e-3); /* half a column, half a step */
    assert_near((double)f.smallest.percent_99, 1.193, 1.4e-3);
    assert_near((double)f.largest.percent_1, 1.25, 1e-3);
    assert_near((double)f.largest.percent_99, 1.25, 1e-3);
    assert_near(f.compressed_area, 229.0 / 400, 1e-6); /* columns under 0.9 */
    assert_near(f.compressed_triangles, 229.0 / 400, 1e-12);
    assert_near(f.compression, sqrt(squares), 1e-5);
    assert_near(f.area, x[COLUMNS] * 0.625, 1e-6);
    /* A second frame at rest: the percentiles are over both. */
    feed(measure, s.rest);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.frame_count, 2);
    assert_near(total.all.compressed_triangles, 229.0 / 800, 1e-12);
    assert_near(total.all.compression, sqrt(squares / 2), 1e-5);
    assert_near((double)total.all.smallest.percent_50, 0.9965, 4e-3); /* half the weight lies above 0.99 */
    assert_near(total.all.area, 0.5 * (x[COLUMNS] * 0.625 + 0.5), 1e-6);
    assert_near(total.area_least, fmin(x[COLUMNS] * 0.625, 0.5), 1e-6);
    pleat_measure_destroy(measure);
    free(now);
    shape_free(&s);
}

/* Area counts, not triangles: one large triangle pair and many small ones. */
static void test_measure_weighs_by_area(void **state)
{
    (void)state;
    shape small = sheet(10, 10, 1, 1), large = sheet(1, 1, 3, 1);
    shape s = join(&small, &large);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        float stretch = v < small.vertex_count ? 0.6f : 1.0f;
        now[v] = (pleat_vec4){stretch * s.rest[v].x, s.rest[v].y, 0, 0};
    }
    pleat_measure *measure = measure_alone(&s);
    pleat_figures f = feed(measure, now);
    assert_near(f.compressed_area, 0.25, 1e-6);
    assert_near(f.compressed_triangles, 200.0 / 202, 1e-12);
    assert_near(f.compression, sqrt(0.25 * 0.16), 1e-6); /* a strip at 0.6 over a quarter of the area */
    assert_near((double)f.smallest.percent_50, 1, 1e-3);
    pleat_measure_destroy(measure);
    free(now);
    shape_free(&small);
    shape_free(&large);
    shape_free(&s);
}

/* ---- Volume ---- */

static void test_measure_finds_volumes(void **state)
{
    (void)state;
    shape closed = box(2, 3, 5, false), open = box(2, 3, 5, true);
    pleat_measure *measure = measure_alone(&closed);
    assert_near(pleat_measure_rest(measure)->volume, 30, 1e-9);
    assert_near(pleat_measure_rest(measure)->area, 62, 1e-9);
    pleat_measure_destroy(measure);
    measure = measure_alone(&open);
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(measure, &count);
    assert_int_equal(count, 1);
    assert_int_equal(shells[0].border_count, 1);
    assert_int_equal(shells[0].triangle_count, 10);
    assert_near(shells[0].rest_volume, 30, 1e-9);
    assert_near(shells[0].rest_area, 62 - 15, 1e-9);
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
    assert_near(pleat_measure_rest(measure)->volume, 30, 1e-9);
    pleat_measure_destroy(measure);
    shape_free(&closed);
    shape_free(&open);
}

/* The volume of a sphere of rings: exact for its own polyhedron, and near the ball's. */
static void test_measure_keeps_shells_apart(void **state)
{
    (void)state;
    shape a = sphere(64, 1, 0, 0, 0), b = sphere(64, 0.5, 3, 0, 0);
    shape s = join(&a, &b);
    pleat_measure *measure = measure_alone(&s);
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(measure, &count);
    assert_int_equal(count, 2);
    assert_near(shells[0].rest_volume, 4 * PI / 3, 0.01);
    assert_near(shells[1].rest_volume, shells[0].rest_volume / 8, 1e-6);
    assert_int_equal(shells[0].border_count, 0);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        float scale = v < a.vertex_count ? 0.5f : 1;
        now[v] = (pleat_vec4){scale * s.rest[v].x, scale * s.rest[v].y, scale * s.rest[v].z, 0};
    }
    pleat_figures f = feed(measure, now);
    assert_near(shells[0].volume, shells[0].rest_volume / 8, 1e-6);
    assert_near(f.volume, 2 * shells[1].rest_volume, 1e-6);
    assert_near(pleat_measure_total(measure).volume_most, f.volume, 0);
    pleat_measure_destroy(measure);
    free(now);
    shape_free(&a);
    shape_free(&b);
    shape_free(&s);
}

/* A hole in a sphere at the pole: its border is a flat ring, so the cap is what is missing. */
static void test_measure_closes_holes(void **state)
{
    (void)state;
    enum
    {
        RINGS = 32
    };
    shape s = sphere(RINGS, 1, 0, 0, 0);
    shape whole = s;
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
    assert_near(pleat_measure_rest(measure)->volume, full - polygon * (1 - sin(theta)) / 3, 1e-6);
    pleat_measure_destroy(measure);
    shape_free(&s);
}

/* ---- Lines ---- */

/* On a sphere of fine rings the straight way between two points of the equator is its arc; stretched sheets have lines
 * of known lengths. */
static void test_measure_draws_straight_lines(void **state)
{
    (void)state;
    shape ball = sphere(90, 1, 0, 0, 0);
    pleat_measure *measure = measure_alone(&ball);
    uint32_t line;
    pleat_vec4 quarter[2] = {{1, 0, 0, 0}, {0, 0, 1, 0}};
    assert_int_equal(pleat_measure_add_line(measure, 2, quarter, &line, NULL), PLEAT_OK);
    assert_near(pleat_measure_line_rest(measure, line), 0.5 * PI, 2e-3);
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
    assert_near(pleat_measure_line_rest(measure, line), arc, 4e-3);
    assert_int_equal(pleat_measure_line_count(measure), 2);
    pleat_measure_destroy(measure);
    shape_free(&ball);

    shape s = sheet(7, 5, 7, 5);
    measure = measure_alone(&s);
    pleat_vec4 slanted[2] = {{0.5f, 0.25f, 0, 0}, {6.5f, 4.75f, 0, 0}};
    pleat_vec4 along[2] = {{0, 2, 0, 0}, {7, 2, 0, 0}}; /* on vertices and edges all the way */
    uint32_t first, second;
    assert_int_equal(pleat_measure_add_line(measure, 2, slanted, &first, NULL), PLEAT_OK);
    assert_int_equal(pleat_measure_add_line(measure, 2, along, &second, NULL), PLEAT_OK);
    assert_near(pleat_measure_line_rest(measure, first), hypot(6, 4.5), 1e-5);
    assert_near(pleat_measure_line_rest(measure, second), 7, 1e-5);
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < s.vertex_count; ++v)
    {
        /* Pleated along x: every second column lifted. */
        now[v] = (pleat_vec4){0.6f * s.rest[v].x, s.rest[v].y, v % 8 % 2 ? 0.8f : 0, 0};
    }
    feed(measure, now);
    assert_near(pleat_measure_line_length(measure, second), 7, 1e-5);
    assert_near(pleat_measure_line_length(measure, first), hypot(6, 4.5), 1e-5);
    assert_int_equal(pleat_measure_add_line(measure, 2, along, &second, NULL), PLEAT_BAD_ARGUMENT);
    pleat_measure_destroy(measure);
    free(now);
    shape_free(&s);
}

static void test_measure_rejects_lines(void **state)
{
    (void)state;
    shape a = sheet(2, 2, 1, 1), b = sheet(2, 2, 1, 1);
    for (uint32_t v = 0; v < b.vertex_count; ++v)
    {
        b.rest[v].x += 5;
    }
    shape s = join(&a, &b);
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
    shape closed = box(1, 1, 1, false);
    pleat_measure *tube = measure_alone(&closed);
    assert_int_equal(pleat_measure_add_meridians(tube, 8, &line, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "two borders"));
    assert_int_equal(pleat_measure_line_count(measure), 0);
    pleat_measure_destroy(tube);
    pleat_measure_destroy(measure);
    shape_free(&closed);
    shape_free(&a);
    shape_free(&b);
    shape_free(&s);
}

/* ---- Crossings and penetration ---- */

/* Two sheets of n columns that cross along a line of known triangles: one cuts the other between rows of vertices. */
static void test_measure_counts_crossings(void **state)
{
    (void)state;
    shape a = sheet(1, 1, 2, 2), b = sheet(1, 1, 2, 2);
    for (uint32_t v = 0; v < b.vertex_count; ++v)
    {
        /* Upright in the plane x = 0.5, from below to above the first. */
        b.rest[v] = (pleat_vec4){0.5f, b.rest[v].x + 0.125f, b.rest[v].y - 1.0625f, 0};
    }
    shape s = join(&a, &b);
    /* The cut runs at x = 0.5 from y = 0.125 to 2 (where a ends). It passes a's diagonal at y = 0.5 and b's at
     * y - 0.125 = z + 1.0625, z = 0: y = 1.1875. So: below-diagonal of a with one triangle of b, the other with both.
     */
    pleat_measure *measure = measure_alone(&s);
    assert_int_equal(pleat_measure_rest(measure)->crossings, 3);
    assert_near(pleat_measure_rest(measure)->crossings_area, 1, 1e-9); /* all four triangles take part */
    pleat_vec4 *now = aligned_alloc(16, s.vertex_count * sizeof *now);
    memcpy(now, s.rest, s.vertex_count * sizeof *now);
    assert_int_equal(feed(measure, now).crossings, 3);
    for (uint32_t v = a.vertex_count; v < s.vertex_count; ++v)
    {
        now[v].z += 5;
    }
    assert_int_equal(feed(measure, now).crossings, 0);
    pleat_figures_total total = pleat_measure_total(measure);
    assert_int_equal(total.all.crossings, 3);
    assert_near(total.all.crossings_area, 0.5, 1e-9);
    assert_int_equal(total.crossings_most, 3);
    assert_int_equal(total.crossings_frame, 0);
    pleat_measure_destroy(measure);
    free(now);
    shape_free(&a);
    shape_free(&b);
    shape_free(&s);
}

/* A small sphere that dips into a large one: inside are the vertices whose distance from the centre is below that of
 * the large one's surface, which lies between its radius and that of its inscribed polyhedron. */
static void test_measure_finds_what_is_inside(void **state)
{
    (void)state;
    shape body = sphere(100, 1, 0.1, 0.2, 0.3), small = sphere(24, 0.25, 0.1, 1.15, 0.3);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = mesh_of(&small);
    desc.body = mesh_of(&body);
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
    assert_near(rest->depth, 0.3, 1e-3); /* the small one's lower pole is 0.7 from the centre */
    /* A cap: where two spheres meet, cos(angle from the lower pole) = (d^2 + r^2 - R^2) / (2 d r). */
    double cap = 0.5 * (1 - (0.95 * 0.95 + 0.25 * 0.25 - 1) / (2 * 0.95 * 0.25));
    assert_near(rest->inside_area, cap, 0.03);
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
        assert_near(f.inside_area, k ? 0 : 1, 1e-9);
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
    shape_free(&body);
    shape_free(&small);
}

/* Sharp edges and corners: points around a thin box, judged by the box itself. Face normals alone get the ones off the
 * edges and corners wrong. */
static void test_measure_signs_are_right_at_edges(void **state)
{
    (void)state;
    enum
    {
        COUNT = 3000
    };
    shape body = box(1, 0.2, 0.05, false);
    shape points = shape_new(COUNT, COUNT / 3);
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
    desc.surface = mesh_of(&points);
    desc.body = mesh_of(&body);
    desc.crossings = false;
    pleat_measure *measure = measure_of(&desc);
    assert_true(inside > 100);
    assert_int_equal(pleat_measure_rest(measure)->inside, inside);
    assert_near(pleat_measure_rest(measure)->depth, deepest, 1e-6);
    pleat_measure_destroy(measure);
    shape_free(&body);
    shape_free(&points);
}

/* ---- Popping ---- */

typedef struct popping
{
    shape coarse, fine;
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

static void test_measure_tells_popping_from_motion(void **state)
{
    (void)state;
    popping p = {.coarse = sheet(2, 2, 1, 1), .fine = sheet(8, 8, 1, 1)};
    p.coarse_now = aligned_alloc(16, p.coarse.vertex_count * sizeof *p.coarse_now);
    p.fine_now = aligned_alloc(16, p.fine.vertex_count * sizeof *p.fine_now);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = mesh_of(&p.fine);
    desc.reference = mesh_of(&p.coarse);
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
        assert_near(total.all.jump, jumps[kind], 5e-6); /* float positions up to 30 away */
        assert_near(total.all.pop, pops[kind], 1e-5);
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
    shape_free(&p.coarse);
    shape_free(&p.fine);
}

/* Two sheets close together: each vertex goes with the sheet of its own group, not with the nearer one. */
static void test_measure_keeps_groups_apart(void **state)
{
    (void)state;
    shape low = sheet(2, 2, 1, 1), high = sheet(2, 2, 1, 1), fine = sheet(8, 8, 1, 1);
    for (uint32_t v = 0; v < high.vertex_count; ++v)
    {
        high.rest[v].z = 0.001f;
    }
    for (uint32_t v = 0; v < fine.vertex_count; ++v)
    {
        fine.rest[v].z = 0.0008f; /* nearer to the high one */
    }
    shape both = join(&low, &high);
    uint32_t groups[16] = {3, 3, 3, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5};
    uint32_t *fine_groups = malloc(fine.triangle_count * sizeof *fine_groups);
    for (uint32_t t = 0; t < fine.triangle_count; ++t)
    {
        fine_groups[t] = 3;
    }
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = mesh_of(&fine);
    desc.surface.groups = fine_groups;
    desc.reference = mesh_of(&both);
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
    shape_free(&low);
    shape_free(&high);
    shape_free(&fine);
    shape_free(&both);
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
    assert_near(pleat_measure_rest(measure)->volume, 0.6 * polygon, 1e-9);
    double shortest = 1;
    for (int frame = 0; frame <= 4; ++frame)
    {
        const pleat_vec4 *now = bend_arm(&a, (float)frame * 0.5f);
        feed(measure, now);
        for (uint32_t m = 0; m < AROUND; ++m)
        {
            /* Which way round they are numbered is the measure's own affair. */
            double length = pleat_measure_line_length(measure, first + m);
            double one = meridian_length(&a, AROUND, ALONG, m, now);
            double other = meridian_length(&a, AROUND, ALONG, (AROUND - m) % AROUND, now);
            assert_true(fabs(length - one) < 1e-6 || fabs(length - other) < 1e-6);
        }
        assert_near(pleat_measure_line_length(measure, inner), meridian_length(&a, AROUND, ALONG, AROUND / 2, now),
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
    shape body = sphere(40, 0.2, 0.1, 0.1, 0);
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = (pleat_measure_mesh){a.shape->surface_count, a.shape->rest, a.shape->triangle_count,
                                        a.shape->surface_triangles, NULL};
    desc.reference = desc.surface;
    desc.body = mesh_of(&body);
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
    shape_free(&body);
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
    shape *shapes = user;
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface = mesh_of(&shapes[0]);
    desc.reference = mesh_of(&shapes[1]);
    desc.body = mesh_of(&shapes[2]);
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
    shape shapes[3] = {sheet(6, 6, 1, 1), sheet(2, 2, 1, 1), box(1, 1, 1, false)};
    support_sweep_allocations(create_all, shapes);
    for (int i = 0; i < 3; ++i)
    {
        shape_free(&shapes[i]);
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
        cmocka_unit_test(test_measure_counts_crossings),
        cmocka_unit_test(test_measure_finds_what_is_inside),
        cmocka_unit_test(test_measure_signs_are_right_at_edges),
        cmocka_unit_test(test_measure_tells_popping_from_motion),
        cmocka_unit_test(test_measure_keeps_groups_apart),
        cmocka_unit_test(test_measure_finds_meridians_of_the_arm),
        cmocka_unit_test(test_measure_is_the_same_for_any_threads),
        cmocka_unit_test(test_measure_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
