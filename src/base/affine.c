/* The longer matrix routines of vec.h. */
#include "base/vec.h"

bool pl_affine_inverse(const pleat_affine *m, pleat_affine *out)
{
    double a[3][3];
    double t[3];
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            a[r][c] = (double)m->row[r][c];
        }
        t[r] = (double)m->row[r][3];
    }
    double cofactor[3][3];
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[r][c] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        }
    }
    double determinant = a[0][0] * cofactor[0][0] + a[0][1] * cofactor[0][1] + a[0][2] * cofactor[0][2];
    double inverse = 1 / determinant;
    if (!isfinite(inverse))
    {
        return false;
    }
    pleat_affine result;
    for (int r = 0; r < 3; ++r)
    {
        double shift = 0;
        for (int c = 0; c < 3; ++c)
        {
            double value = cofactor[c][r] * inverse;
            result.row[r][c] = (float)value;
            shift -= value * t[c];
        }
        result.row[r][3] = (float)shift;
    }
    *out = result;
    return true;
}

/* A rotation matrix to a quaternion, by its largest component. */
static pl_f4 quat_from_rotation(double r[3][3])
{
    double q[4];
    double trace = r[0][0] + r[1][1] + r[2][2];
    if (trace > 0)
    {
        double s = sqrt(trace + 1) * 2;
        q[3] = s / 4;
        q[0] = (r[2][1] - r[1][2]) / s;
        q[1] = (r[0][2] - r[2][0]) / s;
        q[2] = (r[1][0] - r[0][1]) / s;
    }
    else
    {
        int i = r[1][1] > r[0][0] ? 1 : 0;
        i = r[2][2] > r[i][i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = sqrt(fmax(0, 1 + r[i][i] - r[j][j] - r[k][k])) * 2;
        if (!(s > 0))
        {
            return pl_set(0, 0, 0, 1);
        }
        q[i] = s / 4;
        q[j] = (r[j][i] + r[i][j]) / s;
        q[k] = (r[k][i] + r[i][k]) / s;
        q[3] = (r[k][j] - r[j][k]) / s;
    }
    return pl_quat_normalize(pl_set((float)q[0], (float)q[1], (float)q[2], (float)q[3]));
}

static double determinant3(double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* Eigenvectors of a symmetric 3x3 by Jacobi rotations: columns of v; a becomes diagonal. */
static void jacobi3(double a[3][3], double v[3][3])
{
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            v[r][c] = r == c;
        }
    }
    for (int sweep = 0; sweep < 32; ++sweep)
    {
        double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        double diagonal = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (!(off > 1e-32 * diagonal))
        {
            return;
        }
        for (int p = 0; p < 2; ++p)
        {
            for (int q = p + 1; q < 3; ++q)
            {
                if (a[p][q] == 0)
                {
                    continue;
                }
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1);
                double s = t * c;
                for (int k = 0; k < 3; ++k)
                {
                    double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; ++k)
                {
                    double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
                for (int k = 0; k < 3; ++k)
                {
                    double kp = v[k][p], kq = v[k][q];
                    v[k][p] = c * kp - s * kq;
                    v[k][q] = s * kp + c * kq;
                }
            }
        }
    }
}

/* Right singular directions as rows of w, the largest first: eigenvectors of A^T A. */
static void right_directions(double a[3][3], double w[3][3])
{
    double ata[3][3], v[3][3];
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            ata[r][c] = 0;
            for (int k = 0; k < 3; ++k)
            {
                ata[r][c] += a[k][r] * a[k][c];
            }
        }
    }
    jacobi3(ata, v);
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i)
    {
        for (int j = i + 1; j < 3; ++j)
        {
            if (ata[order[j]][order[j]] > ata[order[i]][order[i]])
            {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            w[i][k] = v[k][order[i]];
        }
    }
}

/* The left direction that belongs to row i of w (0 or 1), perpendicular to those before it; any such where A is too
 * flat to tell. */
static void left_direction(double a[3][3], double sign, double w[3][3], double scale, int i, double u[3][3])
{
    for (int k = 0; k < 3; ++k)
    {
        u[i][k] = 0;
        for (int c = 0; c < 3; ++c)
        {
            u[i][k] += sign * a[k][c] * w[i][c];
        }
    }
    double along = i == 1 ? u[1][0] * u[0][0] + u[1][1] * u[0][1] + u[1][2] * u[0][2] : 0;
    for (int k = 0; k < 3; ++k)
    {
        u[i][k] -= along * u[0][k];
    }
    double length = sqrt(u[i][0] * u[i][0] + u[i][1] * u[i][1] + u[i][2] * u[i][2]);
    if (!(length > 1e-12 * scale))
    {
        pl_f4 any = i == 0 ? pl_set((float)w[0][0], (float)w[0][1], (float)w[0][2], 0)
                           : pl_perpendicular(pl_set((float)u[0][0], (float)u[0][1], (float)u[0][2], 0));
        for (int k = 0; k < 3; ++k)
        {
            u[i][k] = (double)any[k];
        }
        length = 1;
    }
    for (int k = 0; k < 3; ++k)
    {
        u[i][k] /= length;
    }
}

/* The third row of a right-handed frame. */
static void complete(double rows[3][3])
{
    for (int k = 0; k < 3; ++k)
    {
        int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        rows[2][k] = rows[0][k1] * rows[1][k2] - rows[0][k2] * rows[1][k1];
    }
}

void pl_affine_polar(const pleat_affine *m, pl_f4 *rotation, pleat_affine *stretch)
{
    double a[3][3];
    double scale = 0;
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            a[r][c] = (double)m->row[r][c];
            scale = fmax(scale, fabs(a[r][c]));
        }
    }
    if (!(scale > 0) || !isfinite(scale))
    {
        *rotation = pl_set(0, 0, 0, 1);
        for (int r = 0; r < 3; ++r)
        {
            memcpy(stretch->row[r], m->row[r], sizeof m->row[r]);
            stretch->row[r][3] = 0;
        }
        return;
    }
    /* A mirror is put aside first: -1 times the matrix has a positive determinant, and S = R^T m gets the sign. Then
     * A = sum of sigma_i u_i w_i^T, and R = sum of u_i w_i^T over two right-handed frames. */
    double sign = determinant3(a) < 0 ? -1 : 1;
    double u[3][3], w[3][3], r[3][3];
    right_directions(a, w);
    left_direction(a, sign, w, scale, 0, u);
    left_direction(a, sign, w, scale, 1, u);
    complete(u);
    complete(w);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            r[i][j] = u[0][i] * w[0][j] + u[1][i] * w[1][j] + u[2][i] * w[2][j];
        }
    }
    *rotation = quat_from_rotation(r);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
            {
                sum += r[k][i] * a[k][j];
            }
            stretch->row[i][j] = (float)sum;
        }
        stretch->row[i][3] = 0;
    }
}

bool pl_affine_from_columns(const float columns[16], pleat_affine *out)
{
    static const float last[4] = {0, 0, 0, 1};
    for (int c = 0; c < 4; ++c)
    {
        if (!(fabsf(columns[4 * c + 3] - last[c]) <= 1e-4f))
        {
            return false;
        }
        for (int r = 0; r < 3; ++r)
        {
            out->row[r][c] = columns[4 * c + r];
        }
    }
    return true;
}

void pl_affine_to_columns(const pleat_affine *m, float columns[16])
{
    for (int c = 0; c < 4; ++c)
    {
        for (int r = 0; r < 3; ++r)
        {
            columns[4 * c + r] = m->row[r][c];
        }
        columns[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
}

pleat_trs pl_affine_to_trs(const pleat_affine *m)
{
    pl_f4 rotation;
    pleat_affine stretch;
    pl_affine_polar(m, &rotation, &stretch);
    pleat_trs trs;
    trs.translation = (pleat_vec4){m->row[0][3], m->row[1][3], m->row[2][3], 0};
    trs.rotation = pl_quat_to(rotation);
    trs.scale = (pleat_vec4){stretch.row[0][0], stretch.row[1][1], stretch.row[2][2], 0};
    return trs;
}
