/* Smoothing of wrinkles over time, judged by motions that it must leave alone and by the weights of its window. */
#include "support/shapes.h"
#include "support/support.h"

#include "layers/wrinkles/curves/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WRINKLES = 4,
    POINTS = 200
};

static const float STEP = 0.25f, FRAME = 1 / 30.0f;

/* A plane of 20 x 20, a smoother over it, and a frame to fill. */
typedef struct bench
{
    support_mesh plane;
    pl_memory memory;
    pl_arena arena;
    pl_flat flat;
    pl_wrinkle_smoother *smoother;
    pleat_wrinkle wrinkles[WRINKLES];
    float parameters[WRINKLES];
    pleat_wrinkle_point points[POINTS];
    pl_wrinkle_frame frame;
} bench;

static pl_wrinkle_smooth_options options_of(float seconds)
{
    pl_wrinkle_smooth_options options = pl_wrinkle_smooth_options_default();
    options.step = STEP;
    options.seconds = seconds;
    options.most_wrinkles = 2 * WRINKLES;
    options.most_points = 2 * POINTS;
    return options;
}

static void make_bench(bench *b, float seconds)
{
    memset(b, 0, sizeof *b);
    b->plane = support_plane(20, 0.3f);
    b->memory = pl_memory_from(NULL);
    pl_arena_init(&b->arena, &b->memory);
    assert_int_equal(pl_flat_make(b->plane.topology, b->plane.positions, &b->arena, &b->flat, NULL), PLEAT_OK);
    pl_wrinkle_smooth_options options = options_of(seconds);
    assert_int_equal(pl_wrinkle_smoother_create(&options, &b->flat, FRAME, NULL, &b->smoother, NULL), PLEAT_OK);
    b->frame = (pl_wrinkle_frame){0, b->wrinkles, b->parameters, 0, b->points};
}

static void free_bench(bench *b)
{
    pl_wrinkle_smoother_destroy(b->smoother);
    pl_arena_free(&b->arena);
    support_mesh_free(&b->plane);
}

static pleat_place place_at(const bench *b, float x, float y)
{
    for (uint32_t t = 0; t < b->plane.triangle_count; ++t)
    {
        const uint32_t *corner = b->plane.triangles + 3 * (size_t)t;
        pl_f4 a = pl_load(&b->plane.positions[corner[0]]), u = pl_load(&b->plane.positions[corner[1]]) - a,
              v = pl_load(&b->plane.positions[corner[2]]) - a, p = pl_set(x, y, 0, 0) - a;
        float area = pl_cross(u, v)[2], second = pl_cross(p, v)[2] / area, third = pl_cross(u, p)[2] / area;
        if (second >= -1e-6f && third >= -1e-6f && second + third <= 1 + 1e-6f)
        {
            return (pleat_place){t, {1 - second - third, second, third}};
        }
    }
    fail_msg("(%g, %g) is off the plane", (double)x, (double)y);
    return (pleat_place){0, {0, 0, 0}};
}

/* Appends a straight wrinkle along y at x, from parameter -below to above, its parameter 0 at y = 10. */
static void add(bench *b, uint32_t id, float x, uint32_t below, uint32_t above, float depth)
{
    pl_wrinkle_frame *frame = &b->frame;
    uint32_t count = below + above + 1;
    assert_true(frame->wrinkle_count < WRINKLES && frame->point_count + count <= POINTS);
    frame->seed_parameter[frame->wrinkle_count] = 0;
    frame->wrinkles[frame->wrinkle_count++] = (pleat_wrinkle){id, frame->point_count, count, below};
    for (uint32_t i = 0; i < count; ++i)
    {
        float y = 10 + STEP * ((float)i - (float)below);
        frame->points[frame->point_count++] =
            (pleat_wrinkle_point){.place = place_at(b, x, y), .width = 0.5f, .depth = depth, .strength = 0.3f};
    }
}

static void clear(bench *b)
{
    b->frame.wrinkle_count = b->frame.point_count = 0;
}

static const pl_wrinkle_frame *push(bench *b)
{
    return pl_wrinkle_smoother_push(b->smoother, &b->frame);
}

static pl_f4 point_at(const bench *b, const pl_wrinkle_frame *frame, uint32_t wrinkle, uint32_t point)
{
    return pl_flat_position(&b->flat, &frame->points[frame->wrinkles[wrinkle].first_point + point].place);
}

/* ---- */

static void test_smooth_over_no_time_changes_nothing(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0);
    assert_int_equal(pl_wrinkle_smoother_delay(b.smoother), 0);
    add(&b, 3, 5.1f, 4, 7, 0.2f);
    add(&b, 9, 7.7f, 2, 3, -0.1f);
    const pl_wrinkle_frame *out = push(&b);
    assert_int_equal(out->wrinkle_count, 2);
    assert_memory_equal(out->wrinkles, b.wrinkles, 2 * sizeof b.wrinkles[0]);
    for (uint32_t i = 0; i < b.frame.point_count; ++i)
    {
        assert_memory_equal(&out->points[i].place, &b.points[i].place, sizeof b.points[i].place);
        assert_true(out->points[i].depth == b.points[i].depth && out->points[i].width == b.points[i].width);
    }
    assert_null(pl_wrinkle_smoother_push(b.smoother, NULL));
    free_bench(&b);
}

/* Even motion is left as it is, without delay: the window is symmetric. */
static void test_smooth_leaves_even_motion_alone(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    uint32_t given = 0;
    assert_int_equal(pl_wrinkle_smoother_delay(b.smoother), 3);
    for (uint32_t f = 0; f < 20 + 3; ++f)
    {
        clear(&b);
        add(&b, 0, 5 + 0.11f * (float)f, 5, 5, 0.2f + 0.01f * (float)f);
        const pl_wrinkle_frame *out = f < 20 ? push(&b) : pl_wrinkle_smoother_push(b.smoother, NULL);
        assert_true((out != NULL) == (f >= 3));
        if (!out)
        {
            continue;
        }
        assert_int_equal(out->wrinkle_count, 1);
        assert_int_equal(out->wrinkles[0].point_count, 11);
        assert_int_equal(out->wrinkles[0].seed, 5);
        for (uint32_t i = 0; i < 11 && given >= 3 && given < 17; ++i)
        {
            pl_f4 p = point_at(&b, out, 0, i);
            assert_true(fabsf(p[0] - (5 + 0.11f * (float)given)) < 1e-3f);
            assert_true(fabsf(p[1] - (10 + STEP * ((float)i - 5))) < 1e-3f);
            assert_true(fabsf(out->points[i].depth - (0.2f + 0.01f * (float)given)) < 1e-5f);
        }
        ++given;
    }
    assert_int_equal(given, 20);
    assert_null(pl_wrinkle_smoother_push(b.smoother, NULL));
    free_bench(&b);
}

/* A wrinkle that sweeps over the cloth, two of its widths a frame, is all but flat on the way, and as deep as
 * ever where it stays. */
static void test_smooth_flattens_what_swims(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    uint32_t given = 0;
    float before = 0.2f;
    for (uint32_t f = 0; f < 40; ++f)
    {
        clear(&b);
        float swept = fminf(fmaxf((float)f - 14, 0), 8);
        add(&b, 0, 5 + swept, 5, 5, 0.2f);
        const pl_wrinkle_frame *out = push(&b);
        if (out)
        {
            float depth = out->points[5].depth;
            assert_true((given > 11 && given < 25) || fabsf(depth - 0.2f) < 1e-6f);
            assert_true(given != 18 || depth < 0.03f);
            assert_true(fabsf(depth - before) < 0.15f);
            before = depth;
            ++given;
        }
    }
    assert_true(given > 30);
    free_bench(&b);
}

/* The raised cosine of 3 frames to either side: 1, 3/4, 1/4, 0. */
static void test_smooth_fades_births_in_and_deaths_out(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    const float total = 3, rise[] = {0.25f / total, 1 / total, 2 / total, 2.75f / total, 1};
    uint32_t given = 0;
    for (uint32_t f = 0; f < 30 + 3; ++f)
    {
        clear(&b);
        add(&b, 0, 3, 4, 4, 0.5f);
        if (f >= 10 && f < 20)
        {
            add(&b, 1, 8, 4, 4, 0.5f);
        }
        const pl_wrinkle_frame *out = f < 30 ? push(&b) : pl_wrinkle_smoother_push(b.smoother, NULL);
        if (!out)
        {
            continue;
        }
        assert_true(fabsf(out->points[0].depth - 0.5f) < 1e-6f);
        bool there = given >= 8 && given < 22;
        assert_int_equal(out->wrinkle_count, there ? 2 : 1);
        if (there)
        {
            uint32_t from_end = given < 15 ? given - 8 : 21 - given;
            float depth = out->points[out->wrinkles[1].first_point + 4].depth;
            assert_true(fabsf(depth - 0.5f * rise[from_end < 4 ? from_end : 4]) < 1e-5f);
        }
        ++given;
    }
    free_bench(&b);
}

/* A wrinkle that grows at one end by a step a frame: depth falls off towards that end, and nothing jumps. */
static void test_smooth_lets_ends_grow_gently(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.2f);
    float before = 0;
    uint32_t given = 0;
    for (uint32_t f = 0; f < 30; ++f)
    {
        clear(&b);
        add(&b, 0, 6, 3, f < 10 ? 4 : f < 20 ? 4 + f - 10 : 13, 0.4f);
        const pl_wrinkle_frame *out = push(&b);
        if (!out)
        {
            continue;
        }
        const pleat_wrinkle *wrinkle = &out->wrinkles[0];
        float depth = 0;
        for (uint32_t i = 0; i < wrinkle->point_count; ++i)
        {
            assert_true(fabsf(point_at(&b, out, 0, i)[0] - 6) < 1e-4f);
            depth += out->points[i].depth;
            assert_true(i == 0 || out->points[i].depth <= out->points[i - 1].depth + 1e-6f);
        }
        /* At most a step's worth a frame; up to two were one point born at once. */
        assert_true(given == 0 || (depth >= before - 1e-5f && depth - before < 1.01f * 0.4f));
        before = depth;
        ++given;
    }
    free_bench(&b);
}

/* Frames that reach differently far and stand beside each other: the mean goes on straight where some of them end. */
static void test_smooth_does_not_jump_aside_where_frames_end(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.2f);
    for (uint32_t f = 0; f < 20; ++f)
    {
        clear(&b);
        add(&b, 0, f % 3 == 0 ? 6.4f : 6, 6 - f % 4, 4 + 5 * (f % 3), 0.4f);
        const pl_wrinkle_frame *out = push(&b);
        for (uint32_t i = 1; out && i < out->wrinkles[0].point_count; ++i)
        {
            pl_f4 way = point_at(&b, out, 0, i) - point_at(&b, out, 0, i - 1);
            assert_true(fabsf(way[0]) < 1e-3f && way[1] > 0);
        }
    }
    free_bench(&b);
}

/* A wrinkle that swings along the border of the cloth stays on it, and ends there once. */
static void test_smooth_ends_at_borders(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    for (uint32_t f = 0; f < 20; ++f)
    {
        clear(&b);
        add(&b, 0, 5 + 0.4f * (float)(f % 4), 4, 40, 0.4f);
        const pl_wrinkle_frame *out = push(&b);
        for (uint32_t i = 1; out && i < out->wrinkles[0].point_count; ++i)
        {
            pl_f4 way = point_at(&b, out, 0, i) - point_at(&b, out, 0, i - 1);
            assert_true(fabsf(way[0]) < 0.02f && way[1] > 0.2f * STEP);
        }
    }
    free_bench(&b);
}

/* Trembling of single frames is weakened as the weights say: by sqrt(sum w^2) / sum w = 0.5 for 1/4 3/4 1 3/4 1/4. */
static void test_smooth_weakens_noise(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    uint32_t seed = 11;
    double in = 0, out_sum = 0;
    uint32_t given = 0;
    for (uint32_t f = 0; f < 400; ++f)
    {
        clear(&b);
        float noise = support_random_float(&seed, -0.2f, 0.2f);
        add(&b, 0, 9 + noise, 2, 2, 0.4f);
        in += (double)(noise * noise);
        const pl_wrinkle_frame *out = push(&b);
        if (out && ++given > 3)
        {
            double x = (double)point_at(&b, out, 0, 2)[0] - 9;
            out_sum += x * x;
        }
    }
    double ratio = sqrt((out_sum / (given - 3)) / (in / 400));
    assert_true(fabs(ratio - 0.5) < 0.06);
    free_bench(&b);
}

/* A ring stays closed. */
static void test_smooth_keeps_rings_closed(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    for (uint32_t f = 0; f < 12; ++f)
    {
        clear(&b);
        uint32_t count = 24 + f % 3;
        float radius = STEP * (float)(count - 1) / 6.2831853f;
        b.frame.wrinkle_count = 1;
        b.wrinkles[0] = (pleat_wrinkle){0, 0, count, 0};
        b.parameters[0] = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            float angle = 6.2831853f * (float)i / (float)(count - 1);
            b.points[i] = (pleat_wrinkle_point){place_at(&b, 10 + radius * cosf(angle), 10 + radius * sinf(angle)), 1,
                                                0.2f, 0.3f};
        }
        b.points[count - 1] = b.points[0];
        b.frame.point_count = count;
        const pl_wrinkle_frame *out = push(&b);
        if (out)
        {
            const pleat_wrinkle *ring = &out->wrinkles[0];
            assert_memory_equal(&out->points[0].place, &out->points[ring->point_count - 1].place, sizeof(pleat_place));
            for (uint32_t i = 0; i < ring->point_count; ++i)
            {
                float away = pl_length3(point_at(&b, out, 0, i) - pl_set(10, 10, 0, 0));
                assert_true(fabsf(away - STEP * 24 / 6.2831853f) < 0.06f && fabsf(out->points[i].depth - 0.2f) < 1e-5f);
            }
        }
    }
    free_bench(&b);
}

static uint64_t play(bench *b, uint32_t begin, uint32_t end, uint32_t save_at, void *saved)
{
    uint64_t hash = SUPPORT_HASH;
    for (uint32_t f = begin; f < end; ++f)
    {
        if (saved && f == save_at)
        {
            pl_wrinkle_smoother_save(b->smoother, saved);
            hash = SUPPORT_HASH;
        }
        clear(b);
        for (uint32_t id = f / 7; id < f / 7 + 3; ++id)
        {
            add(b, id, 4 + 2 * (float)(id % 5) + 0.3f * sinf(0.7f * (float)f), 2 + f % 3, 3 + f % 5,
                0.1f * (float)(f % 4));
        }
        const pl_wrinkle_frame *out = push(b);
        if (out)
        {
            hash = support_hash(hash, out->wrinkles, out->wrinkle_count * sizeof *out->wrinkles);
            hash = support_hash(hash, out->points, out->point_count * sizeof *out->points);
        }
    }
    return hash;
}

static void test_smooth_state_restores(void **state)
{
    (void)state;
    static bench a, b;
    make_bench(&a, 0.15f);
    make_bench(&b, 0.15f);
    void *saved = malloc(pl_wrinkle_smoother_state_size(a.smoother));
    uint64_t whole = play(&a, 0, 40, 17, saved);
    play(&b, 0, 9, 0, NULL);
    pl_wrinkle_smoother_restore(b.smoother, saved);
    assert_true(play(&b, 17, 40, 0, NULL) == whole);
    pl_wrinkle_smoother_clear(a.smoother);
    pl_wrinkle_smoother_clear(b.smoother);
    assert_true(play(&a, 0, 12, 0, NULL) == play(&b, 0, 12, 0, NULL));
    free(saved);
    free_bench(&a);
    free_bench(&b);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    pl_wrinkle_smooth_options options = options_of(0.1f);
    pl_wrinkle_smoother *smoother = NULL;
    pleat_result result = pl_wrinkle_smoother_create(&options, user, FRAME, host, &smoother, error);
    pl_wrinkle_smoother_destroy(smoother);
    return result;
}

static void test_smooth_survives_every_failed_allocation(void **state)
{
    (void)state;
    static bench b;
    make_bench(&b, 0.1f);
    support_sweep_allocations(create, &b.flat);
    pl_wrinkle_smooth_options options = options_of(-1);
    pl_wrinkle_smoother *smoother = NULL;
    assert_int_equal(pl_wrinkle_smoother_create(&options, &b.flat, FRAME, NULL, &smoother, NULL), PLEAT_BAD_ARGUMENT);
    options = options_of(0.1f);
    assert_int_equal(pl_wrinkle_smoother_create(&options, &b.flat, 0, NULL, &smoother, NULL), PLEAT_BAD_ARGUMENT);
    options.step = NAN;
    assert_int_equal(pl_wrinkle_smoother_create(&options, &b.flat, FRAME, NULL, &smoother, NULL), PLEAT_BAD_ARGUMENT);
    assert_null(smoother);
    free_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth_over_no_time_changes_nothing),
        cmocka_unit_test(test_smooth_leaves_even_motion_alone),
        cmocka_unit_test(test_smooth_flattens_what_swims),
        cmocka_unit_test(test_smooth_fades_births_in_and_deaths_out),
        cmocka_unit_test(test_smooth_lets_ends_grow_gently),
        cmocka_unit_test(test_smooth_does_not_jump_aside_where_frames_end),
        cmocka_unit_test(test_smooth_ends_at_borders),
        cmocka_unit_test(test_smooth_weakens_noise),
        cmocka_unit_test(test_smooth_keeps_rings_closed),
        cmocka_unit_test(test_smooth_state_restores),
        cmocka_unit_test(test_smooth_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
