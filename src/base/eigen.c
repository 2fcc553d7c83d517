/* Householder reduction to tridiagonal form, then implicit QL with Wilkinson shifts. 4/3 n^3 + about 3 n^3 operations,
 * most of them on rows that lie together in memory. */
#include "base/eigen.h"

#include <math.h>
#include <string.h>

/* Reduces matrix to diagonal d and off-diagonal e (e[i] between i and i + 1); the reflections stay in the matrix,
 * column by column below the diagonal, with their factors in `factor`. */
static void reduce(uint32_t n, double *a, double *d, double *e, double *factor)
{
    for (uint32_t k = 0; k + 1 < n; ++k)
    {
        double norm = 0;
        for (uint32_t i = k + 1; i < n; ++i)
        {
            norm += a[(size_t)i * n + k] * a[(size_t)i * n + k];
        }
        double head = a[(size_t)(k + 1) * n + k];
        double alpha = head > 0 ? -sqrt(norm) : sqrt(norm);
        double squared = 2 * (norm - alpha * head); /* |v|^2 of v = x - alpha e1 */
        d[k] = a[(size_t)k * n + k];
        factor[k] = 0;
        if (k + 2 == n || !(squared > 0))
        {
            e[k] = head;
            continue;
        }
        e[k] = alpha;
        factor[k] = 2 / squared;
        a[(size_t)(k + 1) * n + k] = head - alpha;
        /* p = factor A v, then q = p - (factor / 2) (p.v) v, then A -= v q^T + q v^T. v and p wait in the parts of e
         * and d that are not set yet. */
        double *v = e, *p = d, dot = 0;
        for (uint32_t i = k + 1; i < n; ++i)
        {
            v[i] = a[(size_t)i * n + k];
            p[i] = 0;
        }
        for (uint32_t i = k + 1; i < n; ++i)
        {
            const double *row = a + (size_t)i * n;
            double sum = row[i] * v[i];
            for (uint32_t j = k + 1; j < i; ++j)
            {
                sum += row[j] * v[j];
                p[j] += row[j] * v[i];
            }
            p[i] += sum;
        }
        for (uint32_t i = k + 1; i < n; ++i)
        {
            p[i] *= factor[k];
            dot += p[i] * v[i];
        }
        for (uint32_t i = k + 1; i < n; ++i)
        {
            p[i] -= 0.5 * factor[k] * dot * v[i];
        }
        for (uint32_t i = k + 1; i < n; ++i)
        {
            double *row = a + (size_t)i * n;
            for (uint32_t j = k + 1; j <= i; ++j)
            {
                row[j] -= v[i] * p[j] + p[i] * v[j];
            }
        }
    }
    d[n - 1] = a[(size_t)n * n - 1];
    e[n - 1] = 0;
}

/* Rows of q: the columns of the product H0 H1 ... of all reflections. v: n. */
static void accumulate(uint32_t n, const double *a, const double *factor, double *q, double *v)
{
    memset(q, 0, (size_t)n * n * sizeof *q);
    for (uint32_t i = 0; i < n; ++i)
    {
        q[(size_t)i * n + i] = 1;
    }
    for (uint32_t k = n - 1; k-- > 0;)
    {
        if (factor[k] == 0)
        {
            continue;
        }
        for (uint32_t i = k + 1; i < n; ++i)
        {
            v[i] = a[(size_t)i * n + k];
        }
        /* Only rows beyond k have been touched so far, and only they can be changed by this reflection. */
        for (uint32_t row = k + 1; row < n; ++row)
        {
            double *r = q + (size_t)row * n;
            double sum = 0;
            for (uint32_t i = k + 1; i < n; ++i)
            {
                sum += r[i] * v[i];
            }
            sum *= factor[k];
            for (uint32_t i = k + 1; i < n; ++i)
            {
                r[i] -= sum * v[i];
            }
        }
    }
}

/* One eigenvalue after the other; rotations act on two rows of q at a time. */
static void diagonalize(uint32_t n, double *d, double *e, double *q)
{
    for (uint32_t l = 0; l < n; ++l)
    {
        for (int round = 0; round < 60; ++round)
        {
            uint32_t m = l;
            while (m + 1 < n && !(fabs(e[m]) <= 1e-16 * (fabs(d[m]) + fabs(d[m + 1]))))
            {
                ++m;
            }
            if (m == l)
            {
                break;
            }
            double g = (d[l + 1] - d[l]) / (2 * e[l]);
            double r = hypot(g, 1);
            g = d[m] - d[l] + e[l] / (g + (g >= 0 ? r : -r));
            double s = 1, c = 1, shift = 0;
            uint32_t i = m;
            for (; i-- > l;)
            {
                double f = s * e[i], b = c * e[i];
                r = hypot(f, g);
                e[i + 1] = r;
                if (r == 0)
                {
                    d[i + 1] -= shift;
                    e[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - shift;
                r = (d[i] - g) * s + 2 * c * b;
                shift = s * r;
                d[i + 1] = g + shift;
                g = c * r - b;
                double *low = q + (size_t)i * n, *high = low + n;
                for (uint32_t k = 0; k < n; ++k)
                {
                    double h = high[k];
                    high[k] = s * low[k] + c * h;
                    low[k] = c * low[k] - s * h;
                }
            }
            if (r == 0 && i + 1 > l)
            {
                continue;
            }
            d[l] -= shift;
            e[l] = g;
            e[m] = 0;
        }
    }
}

static void sort_descending(uint32_t n, double *values, double *vectors, double *row)
{
    for (uint32_t i = 0; i < n; ++i)
    {
        uint32_t best = i;
        for (uint32_t j = i + 1; j < n; ++j)
        {
            best = values[j] > values[best] ? j : best;
        }
        if (best != i)
        {
            double value = values[i];
            values[i] = values[best];
            values[best] = value;
            memcpy(row, vectors + (size_t)i * n, n * sizeof *row);
            memcpy(vectors + (size_t)i * n, vectors + (size_t)best * n, n * sizeof *row);
            memcpy(vectors + (size_t)best * n, row, n * sizeof *row);
        }
        double *vector = vectors + (size_t)i * n;
        double largest = 0;
        for (uint32_t k = 0; k < n; ++k)
        {
            largest = fabs(vector[k]) > fabs(largest) ? vector[k] : largest;
        }
        for (uint32_t k = 0; k < n && largest < 0; ++k)
        {
            vector[k] = -vector[k];
        }
    }
}

void pl_eigen_symmetric(uint32_t n, double *matrix, double *values, double *vectors, double *scratch)
{
    if (n == 0)
    {
        return;
    }
    double *e = scratch, *factor = scratch + n;
    factor[n - 1] = 0;
    reduce(n, matrix, values, e, factor);
    accumulate(n, matrix, factor, vectors, scratch + 2 * (size_t)n);
    diagonalize(n, values, e, vectors);
    sort_descending(n, values, vectors, scratch);
}
