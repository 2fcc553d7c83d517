/* Hermite radial basis functions: the solver judged by LAPACK, values by a sum in double, shapes by a ball. */
#include "support/support.h"

#include "layers/implicit/implicit.h"

#include "base/wide.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum
{
    COUNT = 40
};

/* Points on a ball of radius r about c, spread by golden sections, with normals. */
static void make_ball(double r, uint32_t count, double (*points)[3], double (*normals)[3])
{
    for (uint32_t i = 0; i < count; ++i)
    {
        double z = 1 - (2 * i + 1.0) / count, turn = 2.399963 * i, rim = sqrt(1 - z * z);
        const double n[3] = {rim * cos(turn), rim * sin(turn), z};
        for (int c = 0; c < 3; ++c)
        {
            normals[i][c] = n[c];
            points[i][c] = r * n[c];
        }
    }
}

/* Rows of the system for one pair of points, written down from phi(t) = t^3 once more. */
static void derivatives(const double *p, const double *q, double *phi, double gradient[3], double hessian[3][3])
{
    double r[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    double t = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    *phi = pow(t, 3);
    for (int i = 0; i < 3; ++i)
    {
        gradient[i] = 3 * t * r[i];
        for (int j = 0; j < 3; ++j)
        {
            hessian[i][j] = t > 0 ? 3 * r[i] * r[j] / t + (i == j ? 3 * t : 0) : 0;
        }
    }
}

/* a and b of all points by LAPACK, 4 a point. */
static double *judge_solve(uint32_t count, double (*points)[3], double (*normals)[3])
{
    int width = 4 * (int)count;
    double *matrix = calloc((size_t)width * (size_t)width, sizeof *matrix),
           *right = calloc((size_t)width, sizeof *right);
    lapack_int *pivots = calloc((size_t)width, sizeof *pivots);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j < count; ++j)
        {
            double phi, g[3], h[3][3];
            derivatives(points[i], points[j], &phi, g, h);
            double *block = &matrix[(size_t)(4 * i) * (size_t)width + 4 * j];
            block[0] = phi;
            for (int c = 0; c < 3; ++c)
            {
                block[1 + c] = -g[c];
                block[(size_t)(1 + c) * (size_t)width] = g[c];
                right[4 * i + 1 + (uint32_t)c] = normals[i][c];
                for (int d = 0; d < 3; ++d)
                {
                    block[(size_t)(1 + c) * (size_t)width + 1 + (size_t)d] = -h[c][d];
                }
            }
        }
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, width, 1, matrix, width, pivots, right, 1), 0);
    free(matrix);
    free(pivots);
    return right;
}

static void solve(uint32_t count, double (*points)[3], double (*normals)[3], float *terms)
{
    pl_memory memory = pl_memory_from(NULL);
    pleat_error error = {0};
    if (pl_hrbf_solve(count, (const double(*)[3])points, (const double(*)[3])normals, &memory, terms, &error) !=
        PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    assert_int_equal(memory.used, 0);
}

static pl_hrbf field_of(uint32_t count, const float *terms, float size)
{
    pl_f4 all = pl_splat(10);
    return (pl_hrbf){.count = count, .terms = terms, .size = size, .depth = 100, .low = -all, .high = all};
}

static void test_implicit_field_solves_as_lapack_does(void **state)
{
    (void)state;
    double points[COUNT][3], normals[COUNT][3];
    float terms[8 * COUNT];
    uint32_t seed = 7;
    make_ball(0.8, COUNT, points, normals);
    for (uint32_t i = 0; i < 3 * COUNT; ++i)
    {
        points[i / 3][i % 3] += (double)support_random_float(&seed, -0.1f, 0.1f);
    }
    solve(COUNT, points, normals, terms);
    double *right = judge_solve(COUNT, points, normals);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        for (uint32_t c = 0; c < 4; ++c)
        {
            double wanted = right[4 * i + c] * (c > 0 ? 3 : 1);
            assert_true(fabs((double)terms[8 * i + 3 + c] - wanted) < 1e-6 * (1 + fabs(wanted)));
        }
    }
    free(right);
}

/* The sum in double; out: value and gradient, in units of the points. */
static void judge_value(uint32_t count, const float *terms, const double x[3], double out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float *term = &terms[8 * i];
        const double centre[3] = {(double)term[0], (double)term[1], (double)term[2]};
        double phi, g[3], h[3][3];
        derivatives(x, centre, &phi, g, h);
        out[0] += (double)term[3] * phi;
        for (int c = 0; c < 3; ++c)
        {
            double b = (double)term[4 + c] / 3;
            out[0] -= b * g[c];
            out[1 + c] += (double)term[3] * g[c];
            for (int d = 0; d < 3; ++d)
            {
                out[1 + d] -= b * h[c][d];
            }
        }
    }
}

static void test_implicit_field_is_its_sum_at_any_count_of_points(void **state)
{
    (void)state;
    double points[COUNT][3], normals[COUNT][3];
    float terms[8 * COUNT];
    make_ball(0.9, COUNT, points, normals);
    solve(COUNT, points, normals, terms);
    pl_hrbf field = field_of(COUNT, terms, 2);
    field.middle = pl_set(0.3f, -1, 5, 0);
    pleat_vec4 in[24], out[24];
    uint32_t seed = 3;
    for (uint32_t count = 0; count <= 19; ++count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            pl_f4 at = pl_set(support_random_float(&seed, -1.2f, 1.2f), support_random_float(&seed, -1.2f, 1.2f),
                              support_random_float(&seed, -1.2f, 1.2f), 0);
            pl_store(&in[i], field.middle + at * pl_splat(2));
        }
        pl_hrbf_evaluate(&field, count, in, out);
        for (uint32_t i = 0; i < count; ++i)
        {
            pl_f4 at = (pl_load(&in[i]) - field.middle) * pl_splat(0.5f);
            const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
            double wanted[4];
            judge_value(COUNT, terms, x, wanted);
            assert_true(fabs((double)out[i].w - 2 * wanted[0]) < 2e-4);
            assert_true(fabs((double)out[i].x - wanted[1]) < 2e-4);
            assert_true(fabs((double)out[i].y - wanted[2]) < 2e-4);
            assert_true(fabs((double)out[i].z - wanted[3]) < 2e-4);
        }
    }
}

static void test_implicit_field_has_the_same_bits_at_any_width(void **state)
{
    (void)state;
#ifdef PL_HAVE_AVX2
    double points[COUNT][3], normals[COUNT][3];
    float terms[8 * COUNT];
    pleat_vec4 in[21], base[21], avx2[21];
    uint32_t seed = 5;
    if (!pl_has_avx2())
    {
        skip();
    }
    make_ball(1, COUNT, points, normals);
    solve(COUNT, points, normals, terms);
    pl_hrbf field = field_of(COUNT, terms, 1);
    field.depth = 1;
    field.low = pl_splat(-1.1f);
    field.high = pl_splat(1.1f);
    for (uint32_t i = 0; i < 21; ++i)
    {
        in[i] = (pleat_vec4){support_random_float(&seed, -3, 3), support_random_float(&seed, -3, 3), 0, 0};
    }
    pl_hrbf_evaluate_base(&field, 21, in, base);
    pl_hrbf_evaluate_avx2(&field, 21, in, avx2);
    assert_memory_equal(base, avx2, sizeof base);
#endif
}

/* Near a ball the value is the distance from it, and it grows the way out of its box. */
static void test_implicit_field_of_a_ball_is_a_distance(void **state)
{
    (void)state;
    double points[COUNT][3], normals[COUNT][3];
    float terms[8 * COUNT];
    make_ball(1, COUNT, points, normals);
    solve(COUNT, points, normals, terms);
    pl_hrbf field = field_of(COUNT, terms, 0.1f);
    field.depth = 1;
    field.low = pl_splat(-1.15f);
    field.high = pl_splat(1.15f);
    uint32_t seed = 11;
    for (int i = 0; i < 500; ++i)
    {
        pl_f4 way = pl_normalize3(pl_set(support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                                         support_random_float(&seed, -1, 1), 0));
        float height = support_random_float(&seed, -0.01f, 0.01f);
        pleat_vec4 in = pl_to(way * pl_splat(0.1f + height)), out;
        pl_hrbf_evaluate(&field, 1, &in, &out);
        assert_true(fabsf(out.w - height) < 0.0012f);
        assert_true(pl_dot3(pl_normalize3(pl_from(out)), way) > 0.98f);
        in = pl_to(way * pl_splat(50));
        pl_hrbf_evaluate(&field, 1, &in, &out);
        assert_true(out.w > 49);
    }
}

static void test_implicit_field_refuses_points_that_coincide(void **state)
{
    (void)state;
    double points[COUNT][3], normals[COUNT][3];
    float terms[8 * COUNT];
    pl_memory memory = pl_memory_from(NULL);
    pleat_error error = {0};
    make_ball(1, COUNT, points, normals);
    memcpy(points[7], points[3], sizeof points[7]);
    assert_int_equal(
        pl_hrbf_solve(COUNT, (const double(*)[3])points, (const double(*)[3])normals, &memory, terms, &error),
        PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "coincide"));
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implicit_field_solves_as_lapack_does),
        cmocka_unit_test(test_implicit_field_is_its_sum_at_any_count_of_points),
        cmocka_unit_test(test_implicit_field_has_the_same_bits_at_any_width),
        cmocka_unit_test(test_implicit_field_of_a_ball_is_a_distance),
        cmocka_unit_test(test_implicit_field_refuses_points_that_coincide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
