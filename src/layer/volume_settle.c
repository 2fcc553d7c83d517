/* The last digits of a volume, and the choice of kernels. */
#include "layer/volume.h"

#include "base/wide.h"

#include <string.h>

pl_volume_moved pl_volume_correct(const pl_closed *closed, const pl_volume_joint *joint, double amount, float limit,
                                  pl_volume_scratch *scratch, pleat_vec4 *positions, pleat_vec4 *centres)
{
#ifdef PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return pl_volume_correct_avx2(closed, joint, amount, limit, scratch, positions, centres);
    }
#endif
    return pl_volume_correct_base(closed, joint, amount, limit, scratch, positions, centres);
}

void pl_volume_refresh_centres(const pl_closed *closed, const pl_volume_joint *joint, const pleat_vec4 *positions,
                               pleat_vec4 *centres)
{
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        uint32_t hole = joint->centres[c].hole;
        pl_closed one = {.hole_count = 1, .hole_start = closed->hole_start + hole, .hole_vertex = closed->hole_vertex};
        pl_volume_centres(&one, positions, &centres[hole]);
    }
}

/* dV/dp of all active vertices, in double; zero on the border of a hole, where it would go through the centre. */
static void find_normals(const pl_closed *closed, const pl_volume_joint *joint, const pleat_vec4 *positions,
                         double *normals)
{
    memset(normals, 0, 3 * (size_t)joint->local_count * sizeof *normals);
    for (uint32_t t = 0; t < joint->triangle_count; ++t)
    {
        const uint32_t *corner = joint->triangles + 3 * (size_t)t;
        double p[3][3];
        for (int k = 0; k < 3; ++k)
        {
            uint32_t v = joint->vertices[corner[k]];
            const pleat_vec4 *at = &positions[v < closed->vertex_count ? v : 0];
            p[k][0] = (double)at->x;
            p[k][1] = (double)at->y;
            p[k][2] = (double)at->z;
        }
        for (int a = 0; a < 3; ++a)
        {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            double cross = (p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) - (p[1][c] - p[0][c]) * (p[2][b] - p[0][b]);
            for (int k = 0; k < 3; ++k)
            {
                normals[3 * (size_t)corner[k] + (size_t)a] += cross / 6;
            }
        }
    }
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        for (uint32_t m = 0; m < joint->centres[c].member_count; ++m)
        {
            double *n = normals + 3 * (size_t)joint->members[joint->centres[c].first_member + m];
            n[0] = n[1] = n[2] = 0;
        }
    }
}

static double mean_gamma(const pl_volume_joint *joint, uint32_t active)
{
    const pleat_vec4 *gamma = &joint->gamma[active];
    return ((double)gamma->x + (double)gamma->y + (double)gamma->z) / 3;
}

void pl_volume_settle(const pl_closed *closed, const pl_volume_joint *joint, double amount, pl_volume_scratch *scratch,
                      pleat_vec4 *positions, pleat_vec4 *centres)
{
    double left = amount, weight_left = 0;
    find_normals(closed, joint, positions, scratch->normals);
    for (uint32_t i = 0; i < joint->active_count; ++i)
    {
        const double *n = scratch->normals + 3 * (size_t)i;
        weight_left += mean_gamma(joint, i) * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    double fair = weight_left > 0 ? fabs(amount) / weight_left : 0;
    /* One vertex after the other takes its part of what is left, and what the rounding of its position did not take is
     * left to the next: the error that remains is that of one vertex, not of all. */
    for (uint32_t i = 0; i < joint->active_count && weight_left > 0; ++i)
    {
        const double *n = scratch->normals + 3 * (size_t)i;
        double gamma = mean_gamma(joint, i), squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        double rate = fmin(fmax(left / weight_left, -8 * fair), 8 * fair);
        float *at = &positions[joint->vertices[i]].x;
        for (int a = 0; a < 3 && gamma * squared > 0; ++a)
        {
            float moved = (float)((double)at[a] + rate * gamma * n[a]);
            left -= n[a] * ((double)moved - (double)at[a]);
            at[a] = moved;
        }
        weight_left -= gamma * squared;
    }
    pl_volume_refresh_centres(closed, joint, positions, centres);
}
