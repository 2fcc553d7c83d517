/* The last digits of a volume, and the choice of kernels. */
#include "layers/volume/volume.h"

#include "base/wide.h"

#include <string.h>

enum
{
    DIGIT_STEPS = 12
};

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

/* Six times dV/dp of all active vertices; zero on the border of a hole, where it would go through the centre. */
static void find_normals(const pl_volume_joint *joint, const pleat_vec4 *positions, pl_f4 *normals)
{
    memset(normals, 0, joint->local_count * sizeof *normals);
    for (uint32_t q = 0; q < joint->quad_count; ++q)
    {
        size_t local[4];
        pl_f4 p[4];
        for (int k = 0; k < 4; ++k)
        {
            local[k] = joint->quads[4 * (size_t)q + (size_t)k] / sizeof(pleat_vec4);
            p[k] = pl_load(&positions[joint->vertices[local[k]]]);
        }
        pl_f4 first = pl_cross(p[1] - p[0], p[2] - p[0]), second = pl_cross(p[2] - p[0], p[3] - p[0]);
        normals[local[0]] += first + second;
        normals[local[1]] += first;
        normals[local[2]] += first + second;
        normals[local[3]] += second;
    }
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        for (uint32_t m = 0; m < joint->centres[c].member_count; ++m)
        {
            normals[joint->members[joint->centres[c].first_member + m]] = pl_splat(0);
        }
    }
}

static double mean_gamma(const pl_volume_joint *joint, uint32_t active)
{
    const pleat_vec4 *gamma = &joint->gamma[active];
    return ((double)gamma->x + (double)gamma->y + (double)gamma->z) / 3;
}

/* One vertex after the other takes its part of what is left, and what the rounding of its position did not take is left
 * to the next: the error that remains is that of one vertex, not of all. Returns it. */
static double spread_out(const pl_volume_joint *joint, double amount, const pl_f4 *normals, pleat_vec4 *positions)
{
    double left = amount, weight_left = 0;
    for (uint32_t i = 0; i < joint->active_count; ++i)
    {
        weight_left += mean_gamma(joint, i) * (double)pl_dot3(normals[i], normals[i]) / 36;
    }
    double fair = weight_left > 0 ? fabs(amount) / weight_left : 0;
    for (uint32_t i = 0; i < joint->active_count && weight_left > 0; ++i)
    {
        double gamma = mean_gamma(joint, i), weight = gamma * (double)pl_dot3(normals[i], normals[i]) / 36;
        double rate = fmin(fmax(left / weight_left, -8 * fair), 8 * fair);
        float *at = &positions[joint->vertices[i]].x;
        for (int a = 0; a < 3 && weight > 0; ++a)
        {
            double slope = (double)normals[i][a] / 6;
            float moved = (float)((double)at[a] + rate * gamma * slope);
            left -= slope * ((double)moved - (double)at[a]);
            at[a] = moved;
        }
        weight_left -= weight;
    }
    return left;
}

/* The next float upwards from a coordinate, or downwards. */
static float step_of(float from, bool upwards)
{
    return nextafterf(from, upwards ? INFINITY : -INFINITY);
}

/* In shells as small as the buckle of a belt one vertex's last digit is more than may be left. Of all steps of one
 * digit of one coordinate the one that leaves least is taken, and again. */
static void fit_digits(const pl_volume_joint *joint, double left, double enough, const pl_f4 *normals,
                       pleat_vec4 *positions)
{
    for (int step = 0; step < DIGIT_STEPS && fabs(left) > enough; ++step)
    {
        float *best = NULL, to = 0;
        double least = fabs(left);
        for (uint32_t i = 0; i < joint->active_count; ++i)
        {
            float *at = &positions[joint->vertices[i]].x;
            for (int a = 0; a < 3 && mean_gamma(joint, i) > 0; ++a)
            {
                double slope = (double)normals[i][a] / 6;
                float moved = step_of(at[a], (slope > 0) == (left > 0));
                double rest = fabs(left - slope * ((double)moved - (double)at[a]));
                if (rest < least)
                {
                    least = rest;
                    best = &at[a];
                    to = moved;
                }
            }
        }
        if (!best)
        {
            return;
        }
        left = copysign(least, left);
        *best = to;
    }
}

void pl_volume_settle(const pl_closed *closed, const pl_volume_joint *joint, double amount, double enough,
                      pl_volume_scratch *scratch, pleat_vec4 *positions, pleat_vec4 *centres)
{
    pl_f4 *normals = (pl_f4 *)scratch->slopes;
    find_normals(joint, positions, normals);
    double left = spread_out(joint, amount, normals, positions);
    if (fabs(left) > enough)
    {
        fit_digits(joint, left, enough, normals, positions);
    }
    pl_volume_refresh_centres(closed, joint, positions, centres);
}
