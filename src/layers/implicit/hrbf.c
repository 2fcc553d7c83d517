/* Hermite radial basis functions with the kernel t^3: solving for them. */
#include "layers/implicit/implicit.h"

/* One point's share of a row: of the value (row 0) and the gradient (rows 1 to 3) at r from it, by its a and b. */
static void fill_block(const double r[3], double block[4][4])
{
    double t = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    block[0][0] = t * t * t;
    for (int i = 0; i < 3; ++i)
    {
        block[0][1 + i] = -3 * t * r[i];
        block[1 + i][0] = 3 * t * r[i];
        for (int j = 0; j < 3; ++j)
        {
            block[1 + i][1 + j] = -3 * ((i == j ? t : 0) + (t > 0 ? r[i] * r[j] / t : 0));
        }
    }
}

static void fill_system(uint32_t count, const double (*points)[3], const double (*normals)[3], double *matrix,
                        double *right)
{
    size_t width = 4 * (size_t)count;
    for (uint32_t row = 0; row < count; ++row)
    {
        for (uint32_t column = 0; column < count; ++column)
        {
            double r[3], block[4][4];
            for (int c = 0; c < 3; ++c)
            {
                r[c] = points[row][c] - points[column][c];
            }
            fill_block(r, block);
            for (size_t i = 0; i < 4; ++i)
            {
                memcpy(&matrix[(4 * row + i) * width + 4 * (size_t)column], block[i], sizeof block[i]);
            }
        }
        right[4 * (size_t)row] = 0;
        memcpy(&right[4 * (size_t)row + 1], normals[row], sizeof normals[row]);
    }
}

static size_t find_pivot(const double *matrix, size_t width, size_t column)
{
    size_t best = column;
    for (size_t row = column + 1; row < width; ++row)
    {
        best = fabs(matrix[row * width + column]) > fabs(matrix[best * width + column]) ? row : best;
    }
    return best;
}

static void swap_rows(double *matrix, double *right, size_t width, size_t a, size_t b)
{
    for (size_t i = 0; i < width; ++i)
    {
        double kept = matrix[a * width + i];
        matrix[a * width + i] = matrix[b * width + i];
        matrix[b * width + i] = kept;
    }
    double kept = right[a];
    right[a] = right[b];
    right[b] = kept;
}

/* Elimination with the largest pivot of each column; right becomes the solution. False: singular. */
static bool solve_dense(size_t width, double *matrix, double *right)
{
    double largest = 0;
    for (size_t column = 0; column < width; ++column)
    {
        size_t pivot = find_pivot(matrix, width, column);
        if (pivot != column)
        {
            swap_rows(matrix, right, width, pivot, column);
        }
        const double *top = &matrix[column * width];
        largest = fmax(largest, fabs(top[column]));
        if (!(fabs(top[column]) > 1e-13 * largest)) /* a few digits above rounding */
        {
            return false;
        }
        for (size_t row = column + 1; row < width; ++row)
        {
            double *below = &matrix[row * width], factor = below[column] / top[column];
            for (size_t i = column + 1; i < width; ++i)
            {
                below[i] -= factor * top[i];
            }
            right[row] -= factor * right[column];
        }
    }
    for (size_t row = width; row-- > 0;)
    {
        double sum = right[row];
        for (size_t i = row + 1; i < width; ++i)
        {
            sum -= matrix[row * width + i] * right[i];
        }
        right[row] = sum / matrix[row * width + row];
    }
    return true;
}

pleat_result pl_hrbf_solve(uint32_t count, const double (*points)[3], const double (*normals)[3], pl_memory *work,
                           float *terms, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t width = 4 * (size_t)count;
    double *matrix = NULL, *right = NULL;
    PL_NEW_OR_FAIL(matrix, work, double, width *width, error);
    PL_NEW_OR_FAIL(right, work, double, width, error);
    fill_system(count, points, normals, matrix, right);
    bool good = solve_dense(width, matrix, right);
    for (uint32_t i = 0; i < count && good; ++i)
    {
        float *term = &terms[8 * (size_t)i];
        for (int c = 0; c < 3; ++c)
        {
            term[c] = (float)points[i][c];
        }
        for (int c = 0; c < 4; ++c)
        {
            term[3 + c] = (float)(right[4 * (size_t)i + (size_t)c] * (c > 0 ? 3 : 1));
            good = good && isfinite(term[3 + c]);
        }
        term[7] = 0;
    }
    if (!good)
    {
        result = pl_fail(error, PLEAT_BAD_DATA, "a field of %u points cannot be solved; two of them coincide", count);
    }
fail:
    pl_free(work, right);
    pl_free(work, matrix);
    return result;
}
