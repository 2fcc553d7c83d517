/* The live layer for programs of one's own: what it takes, what it refuses, what it survives, and its buffers. */
#include "support/moving.h"

#include "layers/live/shape/contour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cloth of a grid, pressed together along x ---- */

enum
{
    SIDE = 17,
    VERTICES = SIDE * SIDE,
    TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1)
};

static void make_grid(uint32_t *triangles)
{
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); ++i)
    {
        uint32_t v = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        uint32_t quad[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
        memcpy(triangles + 6 * i, quad, sizeof quad);
    }
}

/* One by one metre, its middle third pressed to that part of its length. */
static void press(float to, pleat_vec3 *out)
{
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        float x = (float)(v % SIDE) / (SIDE - 1) - 0.5f, y = (float)(v / SIDE) / (SIDE - 1), third = 1 / 6.0f;
        float inside = fminf(fmaxf(x, -third), third);
        out[v] = (pleat_vec3){x - inside * (1 - to), y, 0};
    }
}

static pleat_live *make_live(const pleat_live_options *options, const pleat_host *host)
{
    static uint32_t triangles[3 * TRIANGLES];
    make_grid(triangles);
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL;
    desc.vertex_count = VERTICES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = triangles;
    desc.options = options ? *options : desc.options;
    desc.options.width = 0.01f;
    assert_int_equal(pleat_live_create(&desc, host, &live, NULL), PLEAT_OK);
    return live;
}

/* Presses within a second and holds for another. */
static void press_for(pleat_live *live, int frames, const pleat_tasks *tasks)
{
    pleat_vec3 positions[VERTICES];
    for (int f = 0; f <= frames; ++f)
    {
        press(1 - 0.4f * fminf((float)f / 30, 1), positions);
        assert_int_equal(pleat_live_update(live, positions, f ? 1 / 30.0f : 0, tasks), PLEAT_LIVE_MOVED);
    }
}

/* ---- What it takes ---- */

static void test_live_defaults(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    assert_int_equal(pleat_live_wrinkles(live, &wrinkles, &points), 0);
    assert_int_equal(pleat_live_packed(live).patch_count, 0);
    pleat_live_destroy(live);
    pleat_live_destroy(NULL);
}

static void refuse(const pleat_live_desc *desc, const char *part)
{
    pleat_live *live = NULL;
    pleat_error error = {0};
    assert_int_equal(pleat_live_create(desc, NULL, &live, &error), PLEAT_BAD_ARGUMENT);
    assert_null(live);
    assert_non_null(strstr(error.message, part));
}

static void test_live_refuses(void **state)
{
    (void)state;
    uint32_t triangle[3] = {0, 1, 2};
    float mask[3] = {0, 2, 0};
    pleat_vec3 weld[3] = {{0, NAN, 0}};
    pleat_live_desc good = pleat_live_desc_default(), bad;
    good.vertex_count = 3;
    good.triangle_count = 1;
    good.triangles = triangle;
    refuse(&(pleat_live_desc){0}, "tau is 0");
    bad = good;
    bad.triangle_count = 0;
    refuse(&bad, "triangle_count is 0");
    bad = good;
    bad.vertex_count = 2;
    refuse(&bad, "is vertex 2; there are 2");
    bad = good;
    bad.mask = mask;
    refuse(&bad, "mask[1] is 2");
    bad = good;
    bad.weld = weld;
    refuse(&bad, "weld[0]");
    bad = good;
    bad.options.tau = NAN;
    refuse(&bad, "tau");
    bad = good;
    bad.options.cap = 9;
    refuse(&bad, "cap is 9; it can be 1.05 to 3");
    bad = good;
    bad.options.side = 3;
    refuse(&bad, "side");
}

/* ---- Wrinkles of pressed cloth ---- */

static void test_live_pressed_cloth(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    press_for(live, 60, NULL);
    uint32_t count = pleat_live_wrinkles(live, &wrinkles, &points);
    assert_true(count >= 2); /* 0.2 m wide, one each 1.5 arcs of 3.1 cm */
    for (uint32_t w = 0; w < count; ++w)
    {
        const pleat_live_point *p = points + wrinkles[w].first_point, *last = p + wrinkles[w].point_count - 1;
        assert_true(p->height == 0 && last->height == 0);
        assert_true(wrinkles[w].height <= 0.012f); /* 1.2 widths at the cap of 1.7 */
        for (uint32_t i = 0; i < wrinkles[w].point_count; ++i)
        {
            assert_true(fabsf(p[i].position.x) < 0.125f); /* where cloth is pressed, and nowhere else */
        }
        /* Across the press: along y. */
        float dx = last->position.x - p->position.x, dy = last->position.y - p->position.y;
        assert_true(fabsf(dx) < 0.1f * fabsf(dy));
    }
    pleat_live_destroy(live);
}

/* Nothing is lost when nothing moves, when all is stretched, and when the whole turns. */
static void test_live_no_wrinkles_without_compression(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    pleat_vec3 positions[VERTICES];
    for (int f = 0; f < 90; ++f)
    {
        float turn = 0.1f * (float)f, longer = 1 + 0.01f * (float)f;
        press(1, positions);
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            pleat_vec3 p = positions[v];
            float x = p.x * longer, y = p.y;
            positions[v] = (pleat_vec3){cosf(turn) * x - sinf(turn) * y + (float)f, sinf(turn) * x + cosf(turn) * y, 3};
        }
        pleat_live_update(live, positions, 1 / 30.0f, NULL);
        assert_int_equal(pleat_live_last(live).wrinkles, 0);
    }
    pleat_live_destroy(live);
}

/* When cloth is let out again wrinkles go, and nothing is left of them. */
static void test_live_wrinkles_go(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    pleat_vec3 positions[VERTICES];
    press_for(live, 40, NULL);
    assert_true(pleat_live_last(live).wrinkles > 0);
    for (int f = 0; f < 60; ++f)
    {
        press(0.6f + 0.4f * fminf((float)f / 20, 1), positions);
        pleat_live_update(live, positions, 1 / 30.0f, NULL);
    }
    assert_int_equal(pleat_live_last(live).wrinkles, 0);
    assert_int_equal(pleat_live_packed(live).point_count, 0);
    assert_int_equal(pleat_live_last(live).births, pleat_live_last(live).deaths);
    pleat_live_destroy(live);
}

/* A share of the mask lowers wrinkles; none means none. */
static void test_live_mask(void **state)
{
    (void)state;
    static uint32_t triangles[3 * TRIANGLES];
    static float mask[VERTICES];
    make_grid(triangles);
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        mask[v] = v / SIDE < SIDE / 2 ? 0 : 0.5f;
    }
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL;
    desc.vertex_count = VERTICES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = triangles;
    desc.mask = mask;
    desc.options.width = 0.01f;
    assert_int_equal(pleat_live_create(&desc, NULL, &live, NULL), PLEAT_OK);
    press_for(live, 60, NULL);
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    uint32_t count = pleat_live_wrinkles(live, &wrinkles, &points);
    assert_true(count > 0);
    for (uint32_t i = 0; i < pleat_live_last(live).points; ++i)
    {
        assert_true(points[i].height <= 0.006f);
        assert_true(points[i].position.y > 0.43f);
    }
    pleat_live_destroy(live);
}

/* Less detail is lower, none is nothing at all; on the way heights never jump. */
static void test_live_detail(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    pleat_vec3 positions[VERTICES];
    float height = 0, full = 0;
    press_for(live, 60, NULL);
    press(0.6f, positions);
    full = height = pleat_live_last(live).highest;
    assert_true(height > 0);
    for (int f = 0; f < 240; ++f)
    {
        pleat_live_set_detail(live, f < 60 ? 0.5f : f < 120 ? 0 : 1);
        pleat_live_event event = pleat_live_update(live, positions, 1 / 60.0f, NULL);
        float now = pleat_live_last(live).highest;
        assert_true(fabsf(now - height) <= 0.1f * 0.01f);
        height = now;
        assert_true(f != 59 || fabsf(height - 0.5f * full) < 0.1f * full);
        assert_true(f != 119 || (event == PLEAT_LIVE_STILL && pleat_live_packed(live).point_count == 0));
        assert_true(f != 120 || event == PLEAT_LIVE_CUT);
    }
    assert_true(height > 0.9f * full);
    pleat_live_destroy(live);
}

/* Sides: inward wrinkles are the outward ones below the cloth. */
static void test_live_inward(void **state)
{
    (void)state;
    pleat_live_options options = pleat_live_options_default();
    pleat_live *outward = make_live(&options, NULL), *inward;
    options.side = PLEAT_LIVE_INWARD;
    inward = make_live(&options, NULL);
    press_for(outward, 45, NULL);
    press_for(inward, 45, NULL);
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *out, *in;
    assert_int_equal(pleat_live_wrinkles(outward, &wrinkles, &out), pleat_live_wrinkles(inward, &wrinkles, &in));
    for (uint32_t i = 0; i < pleat_live_last(outward).points; ++i)
    {
        assert_true(in[i].height == -out[i].height && in[i].width == out[i].width);
    }
    pleat_live_destroy(outward);
    pleat_live_destroy(inward);
}

/* ---- Bad input ---- */

/* A wrinkle's numbers are numbers, and none is higher or longer than it may be. */
static void check_sound(const pleat_live *live, float size)
{
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    uint32_t count = pleat_live_wrinkles(live, &wrinkles, &points);
    pleat_live_buffers buffers = pleat_live_packed(live);
    for (uint32_t w = 0; w < count; ++w)
    {
        for (uint32_t i = 0; i < wrinkles[w].point_count; ++i)
        {
            const pleat_live_point *p = &points[wrinkles[w].first_point + i];
            assert_true(isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z));
            assert_true(fabsf(p->height) <= 1.3f * pleat_live_last(live).width && p->width > 0 && p->width < size);
        }
    }
    assert_true(buffers.patch_count * PLEAT_LIVE_PATCH_BYTES + buffers.span_count * PLEAT_LIVE_SPAN_BYTES +
                    buffers.point_count * PLEAT_LIVE_POINT_BYTES <=
                PLEAT_LIVE_UPLOAD_BYTES);
}

static void test_live_bad_frames(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    pleat_vec3 positions[VERTICES];
    size_t size = pleat_live_state_size(live);
    char *before = malloc(size), *after = malloc(size);
    press_for(live, 40, NULL);
    uint32_t count = pleat_live_last(live).wrinkles;
    pleat_live_buffers packed = pleat_live_packed(live);
    press(0.6f, positions);
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k)
    {
        positions[7 + k].y = bad[k];
        assert_int_equal(pleat_live_update(live, positions, 1 / 30.0f, NULL), PLEAT_LIVE_BAD);
        assert_int_equal(pleat_live_last(live).wrinkles, count);
        assert_int_equal(pleat_live_packed(live).point_count, packed.point_count);
        press(0.6f, positions);
        assert_int_equal(pleat_live_update(live, positions, bad[k], NULL), PLEAT_LIVE_BAD);
    }
    /* No time passes: not a byte of the state changes. */
    assert_int_equal(pleat_live_update(live, positions, 1 / 30.0f, NULL), PLEAT_LIVE_MOVED);
    pleat_live_state_save(live, before);
    assert_int_equal(pleat_live_update(live, positions, 0, NULL), PLEAT_LIVE_STILL);
    assert_int_equal(pleat_live_update(live, positions, -1, NULL), PLEAT_LIVE_STILL);
    pleat_live_state_save(live, after);
    assert_memory_equal(before, after, size);
    /* A minute in a frame: as they were, and none is born. */
    uint32_t births = pleat_live_last(live).births;
    assert_int_equal(pleat_live_update(live, positions, 60, NULL), PLEAT_LIVE_CUT);
    assert_int_equal(pleat_live_last(live).births, births);
    assert_int_equal(pleat_live_last(live).wrinkles, count);
    check_sound(live, 1);
    free(before);
    free(after);
    pleat_live_destroy(live);
}

/* One frame in which everything is somewhere else, collapsed, noise, a hundred times as large; then it goes on. */
static void test_live_mad_frames(void **state)
{
    (void)state;
    pleat_vec3 good[VERTICES], mad[VERTICES];
    for (int kind = 0; kind < 5; ++kind)
    {
        pleat_live *live = make_live(NULL, NULL);
        press_for(live, 40, NULL);
        uint32_t count = pleat_live_last(live).wrinkles, births = pleat_live_last(live).births, dice = 1;
        press(0.6f, good);
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            float noise[3];
            for (int k = 0; k < 3; ++k)
            {
                dice = dice * 1664525u + 1013904223u;
                noise[k] = (float)(dice >> 8) / 16777216;
            }
            mad[v] = kind == 0   ? (pleat_vec3){good[v].x + 1000, good[v].z, good[v].y - 50}
                     : kind == 1 ? (pleat_vec3){0, 0, 0}
                     : kind == 2 ? (pleat_vec3){noise[0], noise[1], noise[2]}
                     : kind == 3 ? (pleat_vec3){100 * good[v].x, 100 * good[v].y, 0}
                                 : (pleat_vec3){good[v].x, 0, 1e30f};
        }
        for (int f = 0; f < 30; ++f)
        {
            pleat_live_update(live, f == 3 ? mad : good, 1 / 30.0f, NULL);
            check_sound(live, kind == 3 && f == 3 ? 100 : 1);
        }
        assert_true(pleat_live_last(live).births <= births + 1);
        assert_true(abs((int)pleat_live_last(live).wrinkles - (int)count) <= 1);
        pleat_live_destroy(live);
    }
}

/* A jump of the whole keeps everything: wrinkles are on the cloth. */
static void test_live_teleport(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    pleat_vec3 positions[VERTICES];
    press_for(live, 40, NULL);
    pleat_live_figures before = pleat_live_last(live);
    press(0.6f, positions);
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        positions[v] = (pleat_vec3){positions[v].z + 40, positions[v].x, positions[v].y - 7};
    }
    assert_int_equal(pleat_live_update(live, positions, 1 / 30.0f, NULL), PLEAT_LIVE_MOVED);
    pleat_live_figures after = pleat_live_last(live);
    assert_int_equal(after.wrinkles, before.wrinkles);
    assert_int_equal(after.births, before.births);
    assert_int_equal(after.compressed + after.stretched, 0);
    pleat_live_destroy(live);
}

/* Any triangles: an edge of three, one twice, a needle, a lone one, a vertex twice. */
static void test_live_any_topology(void **state)
{
    (void)state;
    static const uint32_t triangles[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 4, 2, 2, 3, 5, 6, 7, 0, 2, 8, 8, 2, 9};
    pleat_vec3 positions[10] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 1, 0}, {0.5f, -1, 0},    {0.5f, 0, 1},
                                {5, 0, 0}, {6, 0, 0}, {5, 1, 0},    {-0.5f, 0.5f, 0}, {-0.25f, 0.75f, 0}};
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL;
    desc.vertex_count = 10;
    desc.triangle_count = sizeof triangles / sizeof triangles[0] / 3;
    desc.triangles = triangles;
    assert_int_equal(pleat_live_create(&desc, NULL, &live, NULL), PLEAT_OK);
    for (int f = 0; f < 120; ++f)
    {
        for (int v = 0; v < 10; ++v)
        {
            positions[v].x *= f < 40 ? 0.98f : f < 80 ? 1.02f : 0.9f;
        }
        pleat_live_update(live, positions, 1 / 30.0f, NULL);
        check_sound(live, 10);
    }
    pleat_live_destroy(live);
}

/* A seam of split vertices is none when they are welded. */
static void test_live_weld(void **state)
{
    (void)state;
    static uint32_t whole[3 * TRIANGLES], split[3 * TRIANGLES];
    static pleat_vec3 rest[3 * TRIANGLES], now[3 * TRIANGLES];
    pleat_vec3 positions[VERTICES];
    make_grid(whole);
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL, *plain = make_live(NULL, NULL);
    press(1, positions);
    for (uint32_t c = 0; c < 3 * TRIANGLES; ++c)
    {
        split[c] = c;
        rest[c] = positions[whole[c]];
    }
    desc.vertex_count = 3 * TRIANGLES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = split;
    desc.weld = rest;
    desc.options.width = 0.01f;
    assert_int_equal(pleat_live_create(&desc, NULL, &live, NULL), PLEAT_OK);
    for (int f = 0; f <= 45; ++f)
    {
        press(1 - 0.4f * fminf((float)f / 30, 1), positions);
        for (uint32_t c = 0; c < 3 * TRIANGLES; ++c)
        {
            now[c] = positions[whole[c]];
        }
        pleat_live_update(live, now, f ? 1 / 30.0f : 0, NULL);
        pleat_live_update(plain, positions, f ? 1 / 30.0f : 0, NULL);
    }
    assert_true(pleat_live_last(live).wrinkles > 0);
    /* Seeds come from the numbers of vertices, which differ. */
    assert_true(abs((int)pleat_live_last(live).wrinkles - (int)pleat_live_last(plain).wrinkles) <= 1);
    pleat_live_destroy(live);
    pleat_live_destroy(plain);
}

/* ---- State, threads, memory ---- */

static void test_live_state(void **state)
{
    (void)state;
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    support_moving m = support_moving_make("shirt", "shirt", "twist");
    pleat_live *one = support_moving_live(&m, NULL, NULL), *other = support_moving_live(&m, NULL, NULL);
    size_t size = pleat_live_state_size(one);
    char *saved = malloc(size), *a = malloc(size), *b = malloc(size);
    for (int f = 0; f < 90; ++f)
    {
        const pleat_vec3 *positions = support_moving_at(&m, f / 30.0);
        pleat_live_update(one, positions, f ? 1 / 30.0f : 0, NULL);
        if (f == 50)
        {
            pleat_live_state_save(one, saved);
            assert_int_equal(pleat_live_state_restore(other, saved, NULL), PLEAT_OK);
        }
        if (f > 50)
        {
            pleat_live_update(other, positions, 1 / 30.0f, &tasks);
            pleat_live_state_save(one, a);
            pleat_live_state_save(other, b);
            assert_memory_equal(a, b, size);
            pleat_live_buffers p = pleat_live_packed(one), q = pleat_live_packed(other);
            assert_int_equal(p.point_count, q.point_count);
            assert_memory_equal(p.points, q.points, p.point_count * PLEAT_LIVE_POINT_BYTES);
        }
    }
    assert_true(pleat_live_last(one).wrinkles > 0);
    pleat_live *grid = make_live(NULL, NULL);
    pleat_error error = {0};
    assert_int_equal(pleat_live_state_restore(grid, saved, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "triangles"));
    pleat_live_destroy(grid);
    free(saved);
    free(a);
    free(b);
    pleat_live_destroy(one);
    pleat_live_destroy(other);
    support_moving_drop(&m);
    pleat_pool_destroy(pool);
}

static size_t held, allocations, refuse_after;

static void *count_allocate(void *user, size_t size)
{
    (void)user;
    if (refuse_after && allocations >= refuse_after)
    {
        return NULL;
    }
    ++allocations;
    held += size;
    return malloc(size);
}

static void count_release(void *user, void *pointer, size_t size)
{
    (void)user;
    held -= size;
    free(pointer);
}

static void test_live_memory(void **state)
{
    (void)state;
    pleat_host host = pleat_host_default();
    host.allocator = (pleat_allocator){count_allocate, count_release, NULL};
    refuse_after = allocations = held = 0;
    pleat_live *live = make_live(NULL, &host);
    size_t made = allocations;
    assert_true(held < 2000 * TRIANGLES);
    press_for(live, 60, NULL);
    assert_int_equal(allocations, made); /* nothing but at creation */
    pleat_live_destroy(live);
    assert_int_equal(held, 0);
    /* Each allocation fails in turn. */
    static uint32_t triangles[3 * TRIANGLES];
    make_grid(triangles);
    pleat_live_desc desc = pleat_live_desc_default();
    desc.vertex_count = VERTICES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = triangles;
    for (refuse_after = 1; refuse_after < made; ++refuse_after)
    {
        allocations = 0;
        assert_int_equal(pleat_live_create(&desc, &host, &live, NULL), PLEAT_NO_MEMORY);
        assert_int_equal(held, 0);
    }
    refuse_after = 0;
}

/* ---- Contour and buffers ---- */

/* The contour of the height that is given for an arc has that arc, summed here in small steps. */
static void test_live_contour(void **state)
{
    (void)state;
    for (float arc = 1; arc <= 3.1415f; arc += 0.0214f)
    {
        float height = pleat_live_contour_height(arc);
        double sum = 0;
        for (int i = 0; i < 2000; ++i)
        {
            float slope;
            pl_live_contour_at(((float)i + 0.5f) / 2000, &slope);
            sum += sqrt(1 + pow((double)(slope * height * 2), 2)) / 2000; /* half a width is 1 */
        }
        assert_true(fabs(sum / (double)arc - 1) < 0.005);
        assert_true(fabs((double)pleat_live_contour_arc(4 * height) / sum - 1) < 1e-4);
    }
    pl_live_contour contour;
    pl_live_contour_make(&contour);
    for (float height = 0; height < 0.4f; height += 0.013f)
    {
        float width = pl_live_contour_width(&contour, height, 1);
        assert_true(fabsf(pleat_live_contour_arc(4 * height / width) * width - 1) < 2e-3f);
    }
}

static float float_of_half(uint16_t half)
{
    int exponent = half >> 10 & 31;
    float value = exponent ? ldexpf((float)(1024 + (half & 1023)), exponent - 25) : ldexpf((float)(half & 1023), -24);
    return half & 0x8000 ? -value : value;
}

/* The buffers say what the wrinkles are, and every place that stands out is in a patch whose spans reach it. */
static void test_live_buffers(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    press_for(live, 45, NULL);
    pleat_live_buffers b = pleat_live_packed(live);
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    pleat_live_wrinkles(live, &wrinkles, &points);
    assert_true(b.patch_count > 0 && b.span_count >= b.patch_count);
    assert_int_equal(b.point_count, pleat_live_last(live).points);
    for (uint32_t i = 0; i < b.point_count; ++i)
    {
        float at[3];
        uint16_t half[2];
        memcpy(at, (const char *)b.points + 16 * i, sizeof at);
        memcpy(half, (const char *)b.points + 16 * i + 12, sizeof half);
        assert_true(at[0] == points[i].position.x && at[1] == points[i].position.y && at[2] == points[i].position.z);
        assert_true(fabsf(float_of_half(half[0]) - points[i].height) <= 5e-4f * fabsf(points[i].height) + 6e-8f);
        assert_true(fabsf(float_of_half(half[1]) - points[i].width) <= 5e-4f * points[i].width);
    }
    static uint8_t covered[TRIANGLES];
    uint32_t spans = 0;
    for (uint32_t i = 0; i < b.patch_count; ++i)
    {
        uint32_t triangle;
        uint16_t first, count;
        memcpy(&triangle, (const char *)b.patches + 8 * i, 4);
        memcpy(&first, (const char *)b.patches + 8 * i + 4, 2);
        memcpy(&count, (const char *)b.patches + 8 * i + 6, 2);
        assert_int_equal(first, spans);
        assert_true(triangle < TRIANGLES);
        assert_false(covered[triangle % TRIANGLES]);
        covered[triangle % TRIANGLES] = 1;
        spans += count;
    }
    assert_int_equal(spans, b.span_count);
    for (uint32_t t = 0; t < TRIANGLES; ++t)
    {
        pleat_place place = {t, {0.3f, 0.3f, 0.4f}};
        assert_true(covered[t] || pleat_live_height(live, &place, NULL) == 0);
    }
    pleat_live_destroy(live);
}

/* The height of the surface has no steps, also across edges; its slope is that of differences. */
static void test_live_surface(void **state)
{
    (void)state;
    pleat_live *live = make_live(NULL, NULL);
    press_for(live, 45, NULL);
    pleat_vec3 positions[VERTICES];
    press(0.6f, positions);
    static uint32_t triangles[3 * TRIANGLES];
    make_grid(triangles);
    uint32_t wrong = 0, looked = 0;
    const float step = 1e-4f;
    for (uint32_t t = 0; t < TRIANGLES; ++t)
    {
        for (int k = 1; k < 10; ++k)
        {
            pleat_vec3 slope, unused;
            pleat_place here = {t, {0.1f * (float)k, 0.05f, 0.95f - 0.1f * (float)k}}, there = here;
            const pleat_vec3 *a = &positions[triangles[3 * t]], *c = &positions[triangles[3 * t + 2]];
            there.barycentric[0] += step;
            there.barycentric[2] -= step;
            float low = pleat_live_height(live, &here, &slope), high = pleat_live_height(live, &there, &unused);
            float expected = step * (slope.x * (a->x - c->x) + slope.y * (a->y - c->y));
            assert_true(fabsf(high - low) < 1e-4f); /* no steps: 1 cm high wrinkles, steps of 4 to 6 micrometres */
            looked += low != 0;
            wrong += low != 0 && fabsf(high - low - expected) > 0.1f * fabsf(expected) + 1e-7f;
        }
    }
    assert_true(looked > 100);
    assert_true(wrong * 20 < looked); /* ridges between two wrinkles have two slopes */
    pleat_live_destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_defaults),      cmocka_unit_test(test_live_refuses),
        cmocka_unit_test(test_live_pressed_cloth), cmocka_unit_test(test_live_no_wrinkles_without_compression),
        cmocka_unit_test(test_live_wrinkles_go),   cmocka_unit_test(test_live_mask),
        cmocka_unit_test(test_live_detail),        cmocka_unit_test(test_live_inward),
        cmocka_unit_test(test_live_bad_frames),    cmocka_unit_test(test_live_mad_frames),
        cmocka_unit_test(test_live_teleport),      cmocka_unit_test(test_live_any_topology),
        cmocka_unit_test(test_live_weld),          cmocka_unit_test(test_live_state),
        cmocka_unit_test(test_live_memory),        cmocka_unit_test(test_live_contour),
        cmocka_unit_test(test_live_buffers),       cmocka_unit_test(test_live_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
