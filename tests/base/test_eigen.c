/* The symmetric eigensolver, judged by what eigenvectors are and by matrices with known spectra. */
#include "support/support.h"

#include "base/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(uint32_t n, const double *matrix, double *values)
{
    double *copy = malloc((size_t)n * n * sizeof *copy), *vectors = malloc((size_t)n * n * sizeof *vectors);
    double *scratch = malloc(3 * (size_t)n * sizeof *scratch);
    memcpy(copy, matrix, (size_t)n * n * sizeof *copy);
    pl_eigen_symmetric(n, copy, values, vectors, scratch);
    double size = 1e-300;
    for (size_t i = 0; i < (size_t)n * n; ++i)
    {
        size = fmax(size, fabs(matrix[i]));
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        const double *v = vectors + (size_t)i * n;
        assert_true(i == 0 || values[i] <= values[i - 1]);
        for (uint32_t r = 0; r < n; ++r)
        {
            double sum = 0;
            for (uint32_t c = 0; c < n; ++c)
            {
                sum += matrix[(size_t)r * n + c] * v[c];
            }
            assert_true(fabs(sum - values[i] * v[r]) < 1e-12 * size * n);
        }
        for (uint32_t j = 0; j <= i; ++j)
        {
            double dot = 0;
            for (uint32_t c = 0; c < n; ++c)
            {
                dot += v[c] * vectors[(size_t)j * n + c];
            }
            assert_true(fabs(dot - (i == j)) < 1e-12 * n);
        }
    }
    free(scratch);
    free(vectors);
    free(copy);
}

static void test_eigen_of_random_matrices(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (uint32_t n = 1; n <= 40; ++n)
    {
        double matrix[1600], values[40];
        for (uint32_t r = 0; r < n; ++r)
        {
            for (uint32_t c = 0; c <= r; ++c)
            {
                /* every third matrix is sparse, with equal eigenvalues */
                double value = n % 3 && support_random(&seed) % 4 ? (double)support_random_float(&seed, -1, 1) : r == c;
                matrix[r * n + c] = matrix[c * n + r] = value;
            }
        }
        check(n, matrix, values);
    }
}

static void test_eigen_of_known_spectra(void **state)
{
    (void)state;
    enum
    {
        N = 120
    };
    static double matrix[N * N];
    double values[N];
    /* The second difference: 2 - 2 cos(k pi / (N + 1)). */
    for (uint32_t i = 0; i < N; ++i)
    {
        matrix[i * N + i] = 2;
        if (i + 1 < N)
        {
            matrix[i * N + i + 1] = matrix[(i + 1) * N + i] = -1;
        }
    }
    check(N, matrix, values);
    for (uint32_t k = 0; k < N; ++k)
    {
        assert_true(fabs(values[N - 1 - k] - (2 - 2 * cos((k + 1) * 3.14159265358979324 / (N + 1)))) < 1e-12);
    }
    /* Rank one, zero, and the identity. */
    for (uint32_t i = 0; i < N * N; ++i)
    {
        matrix[i] = 1;
    }
    check(N, matrix, values);
    assert_true(fabs(values[0] - N) < 1e-10 && fabs(values[1]) < 1e-10);
    memset(matrix, 0, sizeof matrix);
    check(N, matrix, values);
    assert_true(values[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigen_of_random_matrices),
        cmocka_unit_test(test_eigen_of_known_spectra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
