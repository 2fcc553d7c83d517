/* Morph targets from frames: judged by motions whose rank and shape are known, and by rebuilding every frame. */
#include "support/support.h"

#include "pleat/export/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    VERTICES = 701,
    FRAMES = 150
};

typedef struct motion
{
    pleat_vec3 frames[FRAMES][VERTICES];
} motion;

/* `rank` fixed shapes with smooth weights over time, most of them small, and a little noise. */
static motion *make_motion(uint32_t rank, float noise)
{
    motion *made = calloc(1, sizeof *made);
    uint32_t seed = 11;
    float *shapes = malloc(3 * VERTICES * rank * sizeof *shapes);
    for (uint32_t i = 0; i < 3 * VERTICES * rank; ++i)
    {
        shapes[i] = support_random_float(&seed, -1, 1);
    }
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        float *frame = &made->frames[f][0].x;
        for (uint32_t i = 0; i < 3 * VERTICES; ++i)
        {
            for (uint32_t r = 0; r < rank; ++r)
            {
                float weight = sinf(0.05f * (float)f * (float)(r + 1)) / (float)(1 + r);
                frame[i] += 0.01f * weight * shapes[3 * VERTICES * r + i];
            }
            frame[i] += noise * support_random_float(&seed, -1, 1);
        }
    }
    free(shapes);
    return made;
}

static pleat_fit *fit_motion(const motion *made, uint32_t limit, const pleat_host *host)
{
    pleat_fit *fit = NULL;
    assert_int_equal(pleat_fit_create(VERTICES, VERTICES, FRAMES, limit, host, &fit, NULL), PLEAT_OK);
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        pleat_fit_learn(fit, made->frames[f]);
    }
    pleat_fit_settle(fit);
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        /* normals that change in proportion to the positions */
        pleat_fit_weigh(fit, f, made->frames[f], made->frames[f]);
    }
    return fit;
}

/* The largest difference between the frames and what targets and weights give, measured here. */
static float rebuild_error(const motion *made, const pleat_fit *fit, uint32_t count, bool normals)
{
    pleat_vec3(*rebuilt)[VERTICES] = calloc(FRAMES, sizeof *rebuilt);
    pleat_vec3 target[VERTICES];
    for (uint32_t j = 0; j < count; ++j)
    {
        normals ? pleat_fit_normal_target(fit, j, target) : pleat_fit_target(fit, j, target);
        for (uint32_t f = 0; f < FRAMES; ++f)
        {
            float weight = pleat_fit_weight(fit, f, j);
            assert_true(fabsf(weight) <= 1.0001f);
            for (uint32_t v = 0; v < VERTICES; ++v)
            {
                rebuilt[f][v].x += weight * target[v].x;
                rebuilt[f][v].y += weight * target[v].y;
                rebuilt[f][v].z += weight * target[v].z;
            }
        }
    }
    float largest = 0;
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            pleat_vec3 a = rebuilt[f][v], b = made->frames[f][v];
            float d = sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
            largest = fmaxf(largest, d);
        }
    }
    free(rebuilt);
    return largest;
}

static void test_fit_finds_the_rank_of_a_motion(void **state)
{
    (void)state;
    motion *made = make_motion(7, 0);
    pleat_fit *fit = fit_motion(made, 20, NULL);
    assert_true(pleat_fit_target_count(fit) >= 7);
    assert_true(pleat_fit_error_of(fit, 7).largest < 1e-5f * pleat_fit_largest(fit));
    assert_true(pleat_fit_error_of(fit, 6).largest > 1e-2f * pleat_fit_largest(fit));
    assert_int_equal(pleat_fit_choose(fit, 1e-4f * pleat_fit_largest(fit)), 7);
    assert_true(rebuild_error(made, fit, 7, false) < 1e-5f * pleat_fit_largest(fit));
    assert_true(rebuild_error(made, fit, 7, true) < 1e-4f * pleat_fit_largest(fit));
    pleat_fit_destroy(fit);
    free(made);
}

static void test_fit_states_its_error(void **state)
{
    (void)state;
    motion *made = make_motion(30, 1e-5f);
    pleat_fit *fit = fit_motion(made, 12, NULL);
    assert_int_equal(pleat_fit_target_count(fit), 12);
    for (uint32_t count = 0; count <= 12; count += 4)
    {
        float stated = pleat_fit_error_of(fit, count).largest, measured = rebuild_error(made, fit, count, false);
        assert_true(fabsf(stated - measured) < 1e-3f * stated);
        assert_true(pleat_fit_error_of(fit, count).rms <= stated);
    }
    pleat_fit_destroy(fit);
    free(made);
}

/* A motion of 7 shapes, asked for 40: what rounding adds to it makes no targets that do harm. */
static void test_fit_is_never_worse_with_more_targets(void **state)
{
    (void)state;
    motion *made = make_motion(7, 0);
    pleat_fit *fit = fit_motion(made, 40, NULL);
    float before = pleat_fit_largest(fit);
    for (uint32_t count = 1; count <= pleat_fit_target_count(fit); ++count)
    {
        float largest = pleat_fit_error_of(fit, count).largest;
        assert_true(largest <= before + 1e-6f * pleat_fit_largest(fit) || count < 7);
        before = largest;
    }
    assert_true(before < 1e-6f * pleat_fit_largest(fit));
    pleat_fit_destroy(fit);
    free(made);
}

/* In few vectors at a time the result is nearly as good as over all frames at once: with a limit above the number of
 * frames nothing is merged away, which gives the best that any 10 targets can do in the mean. */
static void test_fit_in_blocks_is_nearly_the_best(void **state)
{
    (void)state;
    motion *made = make_motion(30, 1e-5f);
    pleat_fit *blocks = fit_motion(made, 10, NULL);
    pleat_fit *whole = fit_motion(made, FRAMES, NULL);
    assert_true(pleat_fit_error_of(blocks, 10).rms < 1.02f * pleat_fit_error_of(whole, 10).rms);
    pleat_fit_destroy(whole);
    pleat_fit_destroy(blocks);
    free(made);
}

/* One vertex leaps once: in the mean over all it does not count, and the 12 largest of 30 shapes would leave it where
 * it was. */
static void test_fit_reaches_a_vertex_that_leaps_once(void **state)
{
    (void)state;
    motion *made = make_motion(30, 0);
    made->frames[70][400].y += 0.02f;
    pleat_fit *fit = fit_motion(made, 12, NULL);
    float stated = pleat_fit_error_of(fit, 12).largest;
    assert_true(stated < 0.008f);
    assert_true(fabsf(rebuild_error(made, fit, 12, false) - stated) < 1e-3f * stated);
    assert_true(fabsf(pleat_fit_expected(fit) - stated) < 0.1f * stated);
    pleat_fit_destroy(fit);
    free(made);
}

/* Every shape moves its own tenth of the vertices, and all of them a little. Orthogonal in time and of different size,
 * so that they are the principal components. */
static motion *make_local_motion(void)
{
    motion *made = calloc(1, sizeof *made);
    uint32_t seed = 5;
    for (uint32_t r = 0; r < 10; ++r)
    {
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            float size = v * 10 / VERTICES == r ? 1e-2f / (float)(r + 1) : 2e-5f;
            float z = support_random_float(&seed, -1, 1) * size;
            for (uint32_t f = 0; f < FRAMES; ++f)
            {
                made->frames[f][v].z += z * sinf(6.2831853f * (float)(f * (r + 1)) / FRAMES);
            }
        }
    }
    return made;
}

static void test_fit_leaves_out_what_hardly_shows(void **state)
{
    (void)state;
    motion *made = make_local_motion();
    const float tolerance = 1e-4f;
    pleat_fit *fit = NULL;
    assert_int_equal(pleat_fit_create(VERTICES, 0, FRAMES, 20, NULL, &fit, NULL), PLEAT_OK);
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        pleat_fit_learn(fit, made->frames[f]);
    }
    pleat_fit_settle(fit);
    pleat_fit_prune(fit, tolerance, 0);
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        pleat_fit_weigh(fit, f, made->frames[f], NULL);
    }
    uint32_t count = pleat_fit_target_count(fit), zeros = 0;
    assert_int_equal(count, 10);
    float stated = pleat_fit_error_of(fit, count).largest, measured = rebuild_error(made, fit, count, false);
    assert_true(stated > 1e-5f && stated < 2 * tolerance);
    assert_true(fabsf(stated - measured) < 1e-3f * stated);
    for (uint32_t j = 0; j < count; ++j)
    {
        pleat_vec3 target[VERTICES];
        pleat_fit_target(fit, j, target);
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            zeros += target[v].x == 0 && target[v].y == 0 && target[v].z == 0;
        }
    }
    print_message("left out: %.0f %%\n", 100.0 * zeros / (count * VERTICES));
    assert_true(zeros > count * VERTICES / 2);
    pleat_fit_destroy(fit);
    free(made);
}

/* Where targets cannot do better, vertices that are better off than the worst one lose detail, and the worst one does
 * not get much worse. */
static void test_fit_leaves_out_no_more_than_vertices_can_spare(void **state)
{
    (void)state;
    motion *made = make_local_motion();
    float largest[2];
    uint32_t zeros = 0;
    for (int pruned = 0; pruned < 2; ++pruned)
    {
        pleat_fit *fit = NULL;
        assert_int_equal(pleat_fit_create(VERTICES, 0, FRAMES, 6, NULL, &fit, NULL), PLEAT_OK);
        for (uint32_t f = 0; f < FRAMES; ++f)
        {
            pleat_fit_learn(fit, made->frames[f]);
        }
        pleat_fit_settle(fit);
        if (pruned)
        {
            pleat_fit_prune(fit, 1e-9f, 0.4f);
        }
        for (uint32_t f = 0; f < FRAMES; ++f)
        {
            pleat_fit_weigh(fit, f, made->frames[f], NULL);
        }
        largest[pruned] = pleat_fit_error_of(fit, 6).largest;
        assert_true(fabsf(rebuild_error(made, fit, 6, false) - largest[pruned]) < 1e-3f * largest[pruned]);
        for (uint32_t j = 0; j < 6; ++j)
        {
            pleat_vec3 target[VERTICES];
            pleat_fit_target(fit, j, target);
            for (uint32_t v = 0; v < VERTICES; ++v)
            {
                zeros += pruned && target[v].x == 0 && target[v].y == 0 && target[v].z == 0;
            }
        }
        pleat_fit_destroy(fit);
    }
    print_message("left out: %.0f %%, %g instead of %g\n", 100.0 * zeros / (6 * VERTICES), (double)largest[1],
                  (double)largest[0]);
    assert_true(zeros > 6 * VERTICES / 2);
    assert_true(largest[1] < 1.15f * largest[0]);
    free(made);
}

static void test_fit_of_nothing_is_nothing(void **state)
{
    (void)state;
    motion *made = calloc(1, sizeof *made);
    pleat_fit *fit = fit_motion(made, 4, NULL);
    assert_int_equal(pleat_fit_target_count(fit), 0);
    assert_true(pleat_fit_largest(fit) == 0);
    assert_int_equal(pleat_fit_choose(fit, 0), 0);
    pleat_fit_destroy(fit);
    free(made);
    assert_int_equal(pleat_fit_create(10, 0, 10, 0, NULL, &fit, NULL), PLEAT_BAD_ARGUMENT);
    assert_int_equal(pleat_fit_create(10, 0, 10, 2000, NULL, &fit, NULL), PLEAT_BAD_ARGUMENT);
    assert_null(fit);
}

static void test_fit_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    motion *made = make_motion(20, 1e-4f);
    uint64_t hashes[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(1u << k, &pool, NULL), PLEAT_OK);
        pleat_host host = pleat_host_default();
        host.tasks = pleat_pool_tasks(pool);
        pleat_fit *fit = fit_motion(made, 16, &host);
        pleat_vec3 target[VERTICES];
        hashes[k] = SUPPORT_HASH;
        for (uint32_t j = 0; j < pleat_fit_target_count(fit); ++j)
        {
            pleat_fit_target(fit, j, target);
            hashes[k] = support_hash(hashes[k], target, sizeof target);
        }
        assert_true(hashes[k] == hashes[0]);
        pleat_fit_destroy(fit);
        pleat_pool_destroy(pool);
    }
    free(made);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_fit *fit = NULL;
    pleat_result result = pleat_fit_create(100, 50, 20, 8, host, &fit, error);
    pleat_fit_destroy(fit);
    return result;
}

static void test_fit_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(create, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_finds_the_rank_of_a_motion),
        cmocka_unit_test(test_fit_states_its_error),
        cmocka_unit_test(test_fit_is_never_worse_with_more_targets),
        cmocka_unit_test(test_fit_in_blocks_is_nearly_the_best),
        cmocka_unit_test(test_fit_reaches_a_vertex_that_leaps_once),
        cmocka_unit_test(test_fit_leaves_out_what_hardly_shows),
        cmocka_unit_test(test_fit_leaves_out_no_more_than_vertices_can_spare),
        cmocka_unit_test(test_fit_of_nothing_is_nothing),
        cmocka_unit_test(test_fit_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_fit_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
