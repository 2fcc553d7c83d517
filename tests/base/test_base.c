#include "support/support.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

#include <stdlib.h>

static void test_base_results_have_names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(pleat_result_name(PLEAT_OK), "OK");
    assert_string_equal(pleat_result_name(PLEAT_CANCELLED), "CANCELLED");
    assert_string_equal(pleat_result_name((pleat_result)99), "UNKNOWN");
    for (int i = 0; i < PLEAT_RESULT_COUNT; ++i)
    {
        assert_true(pleat_result_text((pleat_result)i)[0] != 0);
    }
}

static void test_base_fail_writes_one_line(void **state)
{
    (void)state;
    pleat_error error = {0};
    assert_int_equal(pl_fail(&error, PLEAT_BAD_DATA, "name %s", "a\nb\x1b"), PLEAT_BAD_DATA);
    assert_string_equal(error.message, "name a b ");
    assert_int_equal(pl_fail(NULL, PLEAT_NO_MEMORY, "x"), PLEAT_NO_MEMORY);
}

static void test_base_memory_counts_aligns_and_stops_at_its_limit(void **state)
{
    (void)state;
    pleat_host host = pleat_host_default();
    host.memory_limit = 1000;
    pl_memory memory = pl_memory_from(&host);
    float *a = PL_NEW(&memory, float, 100);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 32, 0);
    assert_int_equal(memory.used, 400);
    assert_null(pl_alloc(&memory, 601, 1));
    pleat_error error = {0};
    assert_int_equal(pl_fail_memory(&memory, &error, "b"), PLEAT_OVER_LIMIT);
    assert_null(pl_alloc(&memory, SIZE_MAX / 2, 4));
    a[99] = 5;
    float *b = pl_realloc(&memory, a, 120, sizeof(float));
    assert_non_null(b);
    assert_true(b[99] == 5 && b[119] == 0);
    void *none = pl_alloc(&memory, 0, 4);
    assert_non_null(none);
    pl_free(&memory, none);
    pl_free(&memory, b);
    pl_free(&memory, NULL);
    assert_int_equal(memory.used, 0);
    assert_int_equal(memory.peak, 880);
}

static void test_base_arena_keeps_addresses_and_frees_all(void **state)
{
    (void)state;
    support_allocator allocator = {.fail_at = UINT64_MAX};
    pleat_host host = support_host(&allocator);
    pl_memory memory = pl_memory_from(&host);
    pl_arena arena;
    pl_arena_init(&arena, &memory);
    uint32_t *pieces[200];
    for (uint32_t i = 0; i < 200; ++i)
    {
        pieces[i] = PL_ARENA_NEW(&arena, uint32_t, i * 17 + 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 32, 0);
        for (uint32_t k = 0; k < i * 17 + 1; ++k)
        {
            assert_int_equal(pieces[i][k], 0);
            pieces[i][k] = i;
        }
    }
    for (uint32_t i = 0; i < 200; ++i)
    {
        assert_int_equal(pieces[i][i * 17], i);
    }
    assert_string_equal(pl_arena_string(&arena, "fold line", 4), "fold");
    pl_arena_free(&arena);
    assert_int_equal(allocator.live, 0);
}

typedef struct sum_job
{
    uint32_t *seen;
    _Atomic uint32_t workers;
} sum_job;

static void count_items(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    sum_job *job = data;
    assert_true(begin % 7 == 0);
    for (uint32_t i = begin; i < end; ++i)
    {
        ++job->seen[i];
    }
    if (worker >= 4)
    {
        job->workers = 99;
    }
}

static void test_base_parallel_for_visits_each_item_once(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; ++threads)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        assert_int_equal(pl_worker_count(&tasks), threads);
        for (uint32_t count = 0; count < 200; ++count)
        {
            uint32_t seen[200] = {0};
            sum_job job = {seen, 0};
            pl_parallel_for(&tasks, count, 7, count_items, &job);
            for (uint32_t i = 0; i < 200; ++i)
            {
                assert_int_equal(seen[i], i < count);
            }
            assert_int_equal(job.workers, 0);
        }
        pleat_pool_destroy(pool);
    }
    pleat_pool *pool = NULL;
    pleat_error error = {0};
    assert_int_equal(pleat_pool_create(100000, &pool, &error), PLEAT_BAD_ARGUMENT);
    assert_null(pool);
}

static void assert_close(pl_f4 a, pl_f4 b, float tolerance)
{
    for (int i = 0; i < 3; ++i)
    {
        assert_true(fabsf(a[i] - b[i]) <= tolerance);
    }
}

static void test_base_quaternions_match_matrices(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 200; ++i)
    {
        pleat_trs trs = pl_trs_identity();
        pl_f4 q = pl_quat_normalize(pl_set(support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                                           support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1)));
        trs.rotation = pl_quat_to(q);
        trs.translation = (pleat_vec4){1, -2, 3, 0};
        pleat_affine m = pl_affine_from_trs(&trs);
        pl_f4 p = pl_set(support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1), 0.5f, 0);
        pl_f4 by_matrix = pl_affine_point(&m, p);
        assert_close(by_matrix, pl_quat_rotate(q, p) + pl_set(1, -2, 3, 0), 1e-5f);
        pl_dual_quat dual = pl_dual_quat_from(q, pl_set(1, -2, 3, 0));
        assert_close(by_matrix, pl_dual_quat_point(dual, p), 1e-5f);
        pleat_affine inverse;
        assert_true(pl_affine_inverse(&m, &inverse));
        assert_close(pl_affine_point(&inverse, by_matrix), p, 1e-5f);
    }
    /* A quarter turn about Z takes X to Y. */
    pl_f4 quarter = pl_quat_axis_angle(pl_set(0, 0, 1, 0), 1.57079632679f);
    assert_close(pl_quat_rotate(quarter, pl_set(1, 0, 0, 0)), pl_set(0, 1, 0, 0), 1e-6f);
    pl_f4 half = pl_quat_slerp(pl_set(0, 0, 0, 1), -quarter, 0.5f);
    assert_close(pl_quat_rotate(half, pl_set(1, 0, 0, 0)), pl_set(sqrtf(0.5f), sqrtf(0.5f), 0, 0), 1e-6f);
}

static void test_base_polar_splits_rotation_and_stretch(void **state)
{
    (void)state;
    uint32_t seed = 99;
    for (int i = 0; i < 500; ++i)
    {
        pleat_affine m = pl_affine_identity();
        for (int r = 0; r < 3; ++r)
        {
            for (int c = 0; c < 4; ++c)
            {
                m.row[r][c] = support_random_float(&seed, -2, 2);
            }
            if (i % 5 == 1)
            {
                m.row[r][2] = m.row[r][0]; /* rank 2 */
            }
            if (i % 5 == 2)
            {
                m.row[r][2] = m.row[r][1] = m.row[r][0]; /* rank 1 */
            }
        }
        pl_f4 q;
        pleat_affine s;
        pl_affine_polar(&m, &q, &s);
        pleat_trs trs = pl_trs_identity();
        trs.rotation = pl_quat_to(q);
        pleat_affine r = pl_affine_from_trs(&trs);
        pleat_affine product = pl_affine_mul(&r, &s);
        for (int k = 0; k < 9; ++k)
        {
            assert_true(fabsf(product.row[k / 3][k % 3] - m.row[k / 3][k % 3]) < 2e-5f);
        }
        assert_true(fabsf(s.row[0][1] - s.row[1][0]) < 2e-4f && fabsf(s.row[0][2] - s.row[2][0]) < 2e-4f);
        assert_true(fabsf(pl_affine_determinant(&r) - 1) < 1e-5f);
    }
    pleat_affine zero = {{{0}}};
    pl_f4 q;
    pleat_affine s;
    pl_affine_polar(&zero, &q, &s);
    assert_true(q[3] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base_results_have_names_and_texts),
        cmocka_unit_test(test_base_fail_writes_one_line),
        cmocka_unit_test(test_base_memory_counts_aligns_and_stops_at_its_limit),
        cmocka_unit_test(test_base_arena_keeps_addresses_and_frees_all),
        cmocka_unit_test(test_base_parallel_for_visits_each_item_once),
        cmocka_unit_test(test_base_quaternions_match_matrices),
        cmocka_unit_test(test_base_polar_splits_rotation_and_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
