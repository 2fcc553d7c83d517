/* Kernels of the fit over one chunk: see fit.h. Bound by operations; eight floats at a time in a fixed order, so that
 * every instruction set gives the same bits. */
#include "export/morphs/fit.h"

#include "base/wide.h"

typedef float f8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i8 __attribute__((vector_size(32), aligned(4), may_alias));

PL_INLINE double total(const f8 *sum)
{
    const float *s = (const float *)sum;
    return (double)(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
}

/* The larger of both into a, place by place. */
PL_INLINE void take_larger(f8 *a, const f8 *b)
{
    i8 more = *b > *a;
    *a = (f8)(((i8)*b & more) | ((i8)*a & ~more));
}

/* sums[k] += products of one row with four others. */
PL_INLINE void four_products(const float *row, const float *others, double sums[4])
{
    f8 sum[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t x = 0; x < PL_FIT_FLOATS; x += 8)
    {
        f8 a = *(const f8 *)(row + x);
        for (uint32_t k = 0; k < 4; ++k)
        {
            sum[k] += a * *(const f8 *)(others + (size_t)k * PL_FIT_FLOATS + x);
        }
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        sums[k] += total(&sum[k]);
    }
}

static void products(const float *rows, uint32_t count, const float *sample, double *sums)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
    {
        four_products(sample, rows + (size_t)i * PL_FIT_FLOATS, sums + i);
    }
    for (; i < count; ++i)
    {
        f8 sum = {0};
        for (uint32_t x = 0; x < PL_FIT_FLOATS; x += 8)
        {
            sum += *(const f8 *)(sample + x) * *(const f8 *)(rows + (size_t)i * PL_FIT_FLOATS + x);
        }
        sums[i] += total(&sum);
    }
}

static void gram(const float *rows, uint32_t count, double *out)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        products(rows, i + 1, rows + (size_t)i * PL_FIT_FLOATS, out + (size_t)i * count);
    }
}

/* Sixteen floats of all rows, mixed: four results at a time. */
PL_INLINE void mix_column(const float *rows, uint32_t count, const float *weights, uint32_t target_count, f8 (*out)[2])
{
    for (uint32_t j = 0; j < target_count; j += 4)
    {
        f8 sum[4][2] = {{{0}}};
        uint32_t width = target_count - j < 4 ? target_count - j : 4;
        const float *w[4];
        for (uint32_t k = 0; k < 4; ++k)
        {
            w[k] = weights + (size_t)(j + (k < width ? k : 0)) * count;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const f8 *row = (const f8 *)(rows + (size_t)i * PL_FIT_FLOATS);
            f8 a = row[0], b = row[1];
            for (uint32_t k = 0; k < 4; ++k)
            {
                sum[k][0] += w[k][i] * a;
                sum[k][1] += w[k][i] * b;
            }
        }
        for (uint32_t k = 0; k < width; ++k)
        {
            out[j + k][0] = sum[k][0];
            out[j + k][1] = sum[k][1];
        }
    }
}

static void mix(float *rows, uint32_t count, const float *weights, uint32_t target_count)
{
    for (uint32_t x = 0; x < PL_FIT_FLOATS; x += 16)
    {
        f8 mixed[PL_FIT_VECTORS][2];
        mix_column(rows + x, count, weights, target_count, mixed);
        for (uint32_t j = 0; j < target_count; ++j)
        {
            f8 *row = (f8 *)(rows + (size_t)j * PL_FIT_FLOATS + x);
            row[0] = mixed[j][0];
            row[1] = mixed[j][1];
        }
    }
}

static void worst(const float *rows, uint32_t count, const pl_fit_left *what, float *out)
{
    uint32_t left = what->count;
    for (uint32_t v = 0; v < PL_FIT_CHUNK; v += 16)
    {
        f8 mixed[3][PL_FIT_VECTORS / 2][2], largest[2] = {{0}};
        for (uint32_t k = 0; k < 3; ++k)
        {
            mix_column(rows + (size_t)k * PL_FIT_CHUNK + v, count, what->weights, left, mixed[k]);
        }
        for (uint32_t f = 0; f < what->frame_count; ++f)
        {
            f8 sum[3][2] = {{{0}}};
            const float *c = what->coordinates + (size_t)f * what->coordinate_stride;
            for (uint32_t j = 0; j < left; ++j)
            {
                for (uint32_t k = 0; k < 3; ++k)
                {
                    sum[k][0] += c[j] * mixed[k][j][0];
                    sum[k][1] += c[j] * mixed[k][j][1];
                }
            }
            for (uint32_t h = 0; h < 2; ++h)
            {
                f8 squared = sum[0][h] * sum[0][h] + sum[1][h] * sum[1][h] + sum[2][h] * sum[2][h];
                take_larger(&largest[h], &squared);
            }
        }
        ((f8 *)(out + v))[0] = largest[0];
        ((f8 *)(out + v))[1] = largest[1];
    }
}

static void subtract(float *left, const float *row, float factor)
{
    for (uint32_t x = 0; x < PL_FIT_FLOATS; x += 8)
    {
        *(f8 *)(left + x) -= factor * *(const f8 *)(row + x);
    }
}

static void error(const float *left, const float *importance, float *largest, double *squares)
{
    f8 most = {0}, sum = {0};
    for (uint32_t v = 0; v < PL_FIT_CHUNK; v += 8)
    {
        f8 x = *(const f8 *)(left + v), y = *(const f8 *)(left + PL_FIT_CHUNK + v);
        f8 z = *(const f8 *)(left + 2 * PL_FIT_CHUNK + v), b = *(const f8 *)(importance + v);
        f8 squared = (x * x + y * y + z * z) / (b * b);
        take_larger(&most, &squared);
        sum += squared;
    }
    for (uint32_t k = 0; k < 8; ++k)
    {
        *largest = most[k] > *largest ? most[k] : *largest;
        *squares += (double)sum[k];
    }
}

const pl_fit_kernels PL_WIDE(pl_fit_kernels) = {gram, mix, products, worst, subtract, error};
