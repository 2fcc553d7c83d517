/* The correction of one joint: eq. 3 of the paper, with its sign and its norm put right.
 *
 * In a frame (x, y, z) the volume is linear in all x together. Its derivative by x_k is a sixth of the sum, over the
 * triangles around k, of their doubled areas in the yz plane; a hole's centre is the mean of its border, so its
 * derivative goes to the border in equal shares. With the least sum of u_k^2 / gamma_k the volume changes by exactly
 * an amount for
 *     u_k = amount * gamma_k g_k / sum(gamma_i g_i^2),    g = dV/dx.
 * Then the same along y with the new x, and along z. One joint is the work of microseconds and is done by one thread,
 * triangle by triangle; bound by the loads and stores of three vertices each. */
#include "layer/volume.h"

#include "base/wide.h"

#include <string.h>

typedef struct work
{
    const pl_volume_joint *joint;
    pl_f4 axes[PLEAT_VOLUME_AXES];
    pl_f4 origin;
    pl_f4 *points; /* local, in the frame */
    pl_f4 *slopes; /* local: six times dV/dp, in the frame */
    pl_f4 *moves;  /* active */
} work;

/* ---- The frame ---- */

static void find_frame(work *w, const pleat_vec4 *positions)
{
    const pl_volume_joint *joint = w->joint;
    pl_f4 along = pl_splat(0), front = pl_splat(0);
    w->origin = pl_load(&positions[joint->vertices[0]]);
    for (uint32_t i = 0; i < joint->active_count; ++i)
    {
        pl_f4 p = pl_load(&positions[joint->vertices[i]]) - w->origin;
        along += p * pl_splat(joint->along[i]);
        front += p * pl_splat(joint->front[i]);
    }
    /* At rest both have length 1. Where the skin has collapsed so far that they say nothing, any frame is as good. */
    along = pl_length3(along) > 1e-4f ? pl_normalize3(along) : pl_set(0, 1, 0, 0);
    front = front - along * pl_splat(pl_dot3(along, front));
    front = pl_length3(front) > 1e-4f ? pl_normalize3(front) : pl_perpendicular(along);
    w->axes[PLEAT_VOLUME_ALONG] = along;
    w->axes[PLEAT_VOLUME_FRONT] = front;
    w->axes[PLEAT_VOLUME_SIDE] = pl_cross(along, front);
}

static void load_points(work *w, const pl_closed *closed, const pleat_vec4 *positions, const pleat_vec4 *centres)
{
    pl_f4 x = pl_set(w->axes[0][0], w->axes[1][0], w->axes[2][0], 0);
    pl_f4 y = pl_set(w->axes[0][1], w->axes[1][1], w->axes[2][1], 0);
    pl_f4 z = pl_set(w->axes[0][2], w->axes[1][2], w->axes[2][2], 0);
    for (uint32_t i = 0; i < w->joint->local_count; ++i)
    {
        pl_f4 p = pl_volume_point(closed, positions, centres, w->joint->vertices[i]) - w->origin;
        w->points[i] = pl_splat(p[0]) * x + pl_splat(p[1]) * y + pl_splat(p[2]) * z;
        w->slopes[i] = pl_splat(0);
    }
}

/* ---- Slopes ---- */

/* The slope of a hole's centre goes to its border. Sums at vertices that are not active are never read. */
static void spread_centres(work *w)
{
    const pl_volume_joint *joint = w->joint;
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        const pl_volume_centre *centre = &joint->centres[c];
        pl_f4 each = w->slopes[centre->local] * pl_splat(centre->share);
        for (uint32_t m = 0; m < centre->member_count; ++m)
        {
            w->slopes[joint->members[centre->first_member + m]] += each;
        }
    }
}

/* Along all axes, before anything moves. */
static void find_slopes(work *w)
{
    const uint32_t *corner = w->joint->triangles;
    for (uint32_t t = 0; t < w->joint->triangle_count; ++t, corner += 3)
    {
        pl_f4 a = w->points[corner[0]];
        pl_f4 cross = pl_cross(w->points[corner[1]] - a, w->points[corner[2]] - a);
        w->slopes[corner[0]] += cross;
        w->slopes[corner[1]] += cross;
        w->slopes[corner[2]] += cross;
    }
    spread_centres(w);
}

/* Along one axis again, after moves along others. */
static void find_slope(work *w, uint32_t axis)
{
    const float *u = (const float *)w->points + (axis + 1) % 3, *v = (const float *)w->points + (axis + 2) % 3;
    float *slope = (float *)w->slopes + axis;
    const uint32_t *corner = w->joint->triangles;
    for (uint32_t i = 0; i < w->joint->local_count; ++i)
    {
        slope[4 * (size_t)i] = 0;
    }
    for (uint32_t t = 0; t < w->joint->triangle_count; ++t, corner += 3)
    {
        size_t a = 4 * (size_t)corner[0], b = 4 * (size_t)corner[1], c = 4 * (size_t)corner[2];
        float cross = (u[b] - u[a]) * (v[c] - v[a]) - (v[b] - v[a]) * (u[c] - u[a]);
        slope[a] += cross;
        slope[b] += cross;
        slope[c] += cross;
    }
    for (uint32_t c = 0; c < w->joint->centre_count; ++c)
    {
        const pl_volume_centre *centre = &w->joint->centres[c];
        float each = slope[4 * (size_t)centre->local] * centre->share;
        for (uint32_t m = 0; m < centre->member_count; ++m)
        {
            slope[4 * (size_t)w->joint->members[centre->first_member + m]] += each;
        }
    }
}

enum
{
    CHUNK = 16 /* terms that are summed in single precision */
};

/* Sums of gamma g^2 along each axis. */
static void face_axes(const work *w, double sums[PLEAT_VOLUME_AXES])
{
    const pl_f4 *gamma = (const pl_f4 *)w->joint->gamma;
    for (uint32_t begin = 0; begin < w->joint->active_count; begin += CHUNK)
    {
        uint32_t end = begin + CHUNK < w->joint->active_count ? begin + CHUNK : w->joint->active_count;
        pl_f4 sum = pl_splat(0);
        for (uint32_t i = begin; i < end; ++i)
        {
            sum += gamma[i] * w->slopes[i] * w->slopes[i];
        }
        for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
        {
            sums[a] += (double)sum[a] / 36;
        }
    }
}

/* The same along one axis, and the largest |gamma g|. */
static double face_axis(const work *w, uint32_t axis, float *largest)
{
    const float *gamma = (const float *)w->joint->gamma + axis, *slope = (const float *)w->slopes + axis;
    double total = 0;
    float most = 0;
    for (uint32_t begin = 0; begin < w->joint->active_count; begin += CHUNK)
    {
        uint32_t end = begin + CHUNK < w->joint->active_count ? begin + CHUNK : w->joint->active_count;
        float sum = 0;
        for (uint32_t i = begin; i < end; ++i)
        {
            float step = gamma[4 * (size_t)i] * slope[4 * (size_t)i];
            sum += step * slope[4 * (size_t)i];
            most = fabsf(step) > most ? fabsf(step) : most;
        }
        total += (double)sum;
    }
    *largest = most * (1.0f / 6);
    return total / 36;
}

/* ---- Moves ---- */

static void apply_steps(work *w, uint32_t axis, float factor)
{
    const float *gamma = (const float *)w->joint->gamma + axis, *slope = (const float *)w->slopes + axis;
    float *point = (float *)w->points + axis, *move = (float *)w->moves + axis;
    factor *= 1.0f / 6;
    for (uint32_t i = 0; i < w->joint->active_count; ++i)
    {
        float step = factor * (gamma[4 * (size_t)i] * slope[4 * (size_t)i]);
        move[4 * (size_t)i] = step;
        point[4 * (size_t)i] += step;
    }
    for (uint32_t c = 0; c < w->joint->centre_count; ++c)
    {
        const pl_volume_centre *centre = &w->joint->centres[c];
        double sum = 0;
        for (uint32_t m = 0; m < centre->member_count; ++m)
        {
            sum += (double)move[4 * (size_t)w->joint->members[centre->first_member + m]];
        }
        point[4 * (size_t)centre->local] += (float)(sum * (double)centre->share);
    }
}

/* Changes the volume by an amount along an axis, as far as the limit allows; returns what it did. */
static double correct_axis(work *w, uint32_t axis, double amount, float limit, pl_volume_moved *moved)
{
    float most;
    if (axis > 0)
    {
        find_slope(w, axis);
    }
    double sum = face_axis(w, axis, &most);
    double factor = sum > 0 ? amount / sum : 0;
    if (!(fabs(factor) * (double)most <= (double)limit))
    {
        factor = most > 0 ? copysign((double)limit / (double)most, factor) : 0;
        moved->limited = true;
    }
    apply_steps(w, axis, (float)factor);
    return (double)(float)factor * sum;
}

/* Back to the world; returns the farthest move. */
static float store_moves(const work *w, pleat_vec4 *positions)
{
    float farthest = 0;
    for (uint32_t i = 0; i < w->joint->active_count; ++i)
    {
        pl_f4 m = w->moves[i];
        pl_f4 move = w->axes[0] * pl_splat(m[0]) + w->axes[1] * pl_splat(m[1]) + w->axes[2] * pl_splat(m[2]);
        pleat_vec4 *position = &positions[w->joint->vertices[i]];
        farthest = fmaxf(farthest, pl_dot3(m, m));
        pl_store(position, pl_load(position) + move);
    }
    return sqrtf(farthest);
}

pl_volume_moved PL_WIDE(pl_volume_correct)(const pl_closed *closed, const pl_volume_joint *joint, double amount,
                                           float limit, pl_volume_scratch *scratch, pleat_vec4 *positions,
                                           pleat_vec4 *centres)
{
    pl_volume_moved moved = {0};
    work w = {.joint = joint,
              .points = (pl_f4 *)scratch->points,
              .slopes = (pl_f4 *)scratch->slopes,
              .moves = (pl_f4 *)scratch->moves};
    find_frame(&w, positions);
    load_points(&w, closed, positions, centres);
    memset(w.moves, 0, joint->active_count * sizeof *w.moves);
    find_slopes(&w);
    /* An axis takes part by mu and by how much the skin faces it: where nothing faces along the limb, no move along it
     * could bring volume back. With mu equal on all axes this is the least move of all. */
    double weight[PLEAT_VOLUME_AXES] = {0, 0, 0}, weight_left = 0, left = amount;
    face_axes(&w, weight);
    for (uint32_t a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        weight[a] *= (double)joint->mu[a];
        weight_left += weight[a];
    }
    for (uint32_t a = 0; a < PLEAT_VOLUME_AXES && weight_left > 0; ++a)
    {
        if (weight[a] > 0)
        {
            left -= correct_axis(&w, a, left * (weight[a] / weight_left), limit * joint->radius, &moved);
        }
        weight_left -= weight[a];
    }
    moved.change = amount - left;
    moved.farthest = store_moves(&w, positions);
    pl_volume_refresh_centres(closed, joint, positions, centres);
    return moved;
}
