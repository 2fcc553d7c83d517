/* The correction of one joint: eq. 3 of the paper, with its sign and its norm put right.
 *
 * In a frame (x, y, z) the volume is linear in all x together. Its derivative by x_k is a sixth of the sum, over the
 * triangles around k, of their doubled areas in the yz plane; a hole's centre is the mean of its border, so its
 * derivative goes to the border in equal shares. The least sum of u_k^2 / gamma_k changes the volume by an amount with
 *     u_k = amount * gamma_k g_k / sum(gamma_i g_i^2),    g = dV/dx,
 * then the same along y, and along z. Two things differ:
 *  - gamma is divided by the area that a vertex has now. Skinning stretches some triangles tenfold; by the area at rest
 *    a vertex there would move ten times as far as its neighbours, and that is a spike.
 *  - The directions gamma g of all axes are those before the first move. The volume after moves by a, b and c along
 *    them is a polynomial, V + a X + b Y + c Z + ab XY + ac XZ + bc YZ + abc XYZ, linear in each; its coefficients take
 *    one pass over the triangles, and a, b, c follow one after the other, each by one division.
 * One joint is the work of microseconds and is done by one thread; bound by the loads of three vertices a triangle. */
#include "layer/volume.h"

#include "base/eight.h"
#include "base/wide.h"

#include <string.h>

enum
{
    FOUR = 4,  /* vertices that are weighted together */
    CHUNK = 16 /* terms that are summed in single precision */
};

/* Of the rates, within one correction: beyond it the directions say little. */
#define LARGEST_CHANGE 0.5

typedef struct work
{
    const pl_volume_joint *joint;
    pl_f4 axes[PLEAT_VOLUME_AXES];
    pl_f4 origin;
    pl_f4 *points;                  /* local, in the frame */
    pl_f4 *slopes;                  /* local: six times dV/dp, in the frame */
    pl_f4 *directions;              /* local, in the frame: gamma g; zero where not active */
    double rate[PLEAT_VOLUME_AXES]; /* X, Y, Z: volume by a step of 1 along the directions of an axis */
    double mixed[4];                /* XY, XZ, YZ, XYZ */
    float farthest[PLEAT_VOLUME_AXES];
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

/* ---- Directions ---- */

/* The slope of a hole's centre goes to its border. Sums at vertices that are not active are never read. */
static void find_slopes(work *w)
{
    const pl_volume_joint *joint = w->joint;
    const uint32_t *corner = joint->triangles;
    for (uint32_t t = 0; t < joint->triangle_count; ++t, corner += 3)
    {
        pl_f4 a = w->points[corner[0]];
        pl_f4 cross = pl_cross(w->points[corner[1]] - a, w->points[corner[2]] - a);
        w->slopes[corner[0]] += cross;
        w->slopes[corner[1]] += cross;
        w->slopes[corner[2]] += cross;
    }
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

/* 1 / sqrt(|slope|^2 + w of gamma) of four vertices. */
static inline pl_f4 scales_of(const pl_f4 *slopes, const pl_f4 *gamma)
{
    pl_f4 a = slopes[0] * slopes[0], b = slopes[1] * slopes[1], c = slopes[2] * slopes[2], d = slopes[3] * slopes[3];
    pl_f4 ab_xy = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd_xy = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    pl_f4 ab_z = __builtin_shufflevector(a, b, 2, 6, 2, 6), cd_z = __builtin_shufflevector(c, d, 2, 6, 2, 6);
    pl_f4 squared = __builtin_shufflevector(ab_xy, cd_xy, 0, 1, 4, 5) +
                    __builtin_shufflevector(ab_xy, cd_xy, 2, 3, 6, 7) + __builtin_shufflevector(ab_z, cd_z, 0, 1, 4, 5);
    squared += pl_set(gamma[0][3], gamma[1][3], gamma[2][3], gamma[3][3]);
    pl_f4 out;
    for (int k = 0; k < 4; ++k)
    {
        out[k] = 1 / sqrtf(squared[k]);
    }
    return out;
}

/* Directions of active vertices, the rates of the axes, and the longest direction along each. Arrays go on to a
 * multiple of four, with gammas of 0. */
static void find_directions(work *w)
{
    const pl_volume_joint *joint = w->joint;
    const pl_f4 *gamma = (const pl_f4 *)joint->gamma;
    pl_f4 most = pl_splat(0);
    uint32_t end = (joint->active_count + FOUR - 1) / FOUR * FOUR;
    for (uint32_t i = joint->active_count; i < joint->local_count; ++i)
    {
        w->directions[i] = pl_splat(0);
    }
    for (uint32_t i = 0; i < end;)
    {
        pl_f4 sum = pl_splat(0);
        for (uint32_t stop = i + CHUNK; i < stop && i < end; i += FOUR)
        {
            pl_f4 scales = scales_of(w->slopes + i, gamma + i);
            for (uint32_t k = 0; k < FOUR; ++k)
            {
                pl_f4 direction = gamma[i + k] * w->slopes[i + k] * pl_splat(scales[k]);
                w->directions[i + k] = direction;
                sum += direction * w->slopes[i + k];
                most = pl_max(most, pl_max(direction, -direction));
            }
        }
        for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
        {
            w->rate[a] += (double)sum[a] / 6;
        }
    }
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        w->farthest[a] = most[a];
    }
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        const pl_volume_centre *centre = &joint->centres[c];
        pl_f4 sum = pl_splat(0);
        for (uint32_t m = 0; m < centre->member_count; ++m)
        {
            sum += w->directions[joint->members[centre->first_member + m]];
        }
        w->directions[centre->local] = sum * pl_splat(centre->share);
    }
}

/* ---- The polynomial ---- */

#define PAIR(array, a, b) __builtin_shufflevector((array)[a], (array)[b], 0, 1, 2, 3, 4, 5, 6, 7)

/* With sums over triangles of (X1 + X2 + X3) times the area of the others, for closed surfaces: X is the one that
 * vanishes outside of the active vertices. Two triangles at a time, one in each half. */
static void find_mixed(work *w)
{
    const pl_volume_joint *joint = w->joint;
    const uint32_t *corner = joint->triangles;
    const pl_f4 *p = w->points, *d = w->directions;
    const pl_f8 signs = {1, -1, 1, 1, 1, -1, 1, 1};
    pl_d4 total = {0, 0, 0, 0};
    for (uint32_t t = 0; t < joint->triangle_count;)
    {
        pl_f8 sum = {0};
        for (uint32_t end = t + 2 * CHUNK; t < end && t < joint->triangle_count; t += 2, corner += 6)
        {
            /* The odd one at the end goes with a triangle that is a point. */
            bool alone = t + 1 == joint->triangle_count;
            uint32_t i = alone ? corner[0] : corner[3], j = alone ? corner[0] : corner[4],
                     k = alone ? corner[0] : corner[5];
            pl_f8 from = PAIR(p, corner[0], i), turn = PAIR(d, corner[0], i);
            pl_f8 d1 = PAIR(d, corner[1], j), d2 = PAIR(d, corner[2], k);
            pl_f8 e1 = PAIR(p, corner[1], j) - from, e2 = PAIR(p, corner[2], k) - from;
            pl_f8 f1 = d1 - turn, f2 = d2 - turn, all = turn + d1 + d2;
            /* y z z y of one times z y x of the other, with z of its direction: XY, XZ, YZ, XYZ. */
            pl_f8 f1_yzzy = __builtin_shufflevector(f1, f1, 1, 2, 2, 1, 5, 6, 6, 5);
            pl_f8 f2_yzzy = __builtin_shufflevector(f2, f2, 1, 2, 2, 1, 5, 6, 6, 5);
            pl_f8 e1_zyx = __builtin_shufflevector(e1, f1, 2, 1, 0, 10, 6, 5, 4, 14);
            pl_f8 e2_zyx = __builtin_shufflevector(e2, f2, 2, 1, 0, 10, 6, 5, 4, 14);
            pl_f8 factor = __builtin_shufflevector(all, all, 0, 0, 1, 0, 4, 4, 5, 4) * signs;
            sum += factor * (f1_yzzy * e2_zyx - f2_yzzy * e1_zyx);
        }
        total += __builtin_convertvector(__builtin_shufflevector(sum, sum, 0, 1, 2, 3), pl_d4) +
                 __builtin_convertvector(__builtin_shufflevector(sum, sum, 4, 5, 6, 7), pl_d4);
    }
    for (int i = 0; i < 4; ++i)
    {
        w->mixed[i] = total[i] / 6;
    }
}

/* The rate of an axis after steps along those before it. */
static double rate_after(const work *w, uint32_t axis, const double step[PLEAT_VOLUME_AXES])
{
    switch ((pleat_volume_axis)axis)
    {
    case PLEAT_VOLUME_FRONT:
        return w->rate[axis] + step[0] * w->mixed[0];
    case PLEAT_VOLUME_SIDE:
        return w->rate[axis] + step[0] * w->mixed[1] + step[1] * w->mixed[2] + step[0] * step[1] * w->mixed[3];
    case PLEAT_VOLUME_ALONG:
    case PLEAT_VOLUME_AXES:
        break;
    }
    return w->rate[axis];
}

/* The step along an axis that changes the volume by an amount, at the rate it has there now. */
static double step_along(const work *w, uint32_t axis, double amount, double rate, float limit, pl_volume_moved *moved)
{
    /* Moves along other axes may have turned the skin away from this one. */
    double least = 0.25 * w->rate[axis];
    double step = amount / (rate > least ? rate : least);
    if (!(fabs(step) * (double)w->farthest[axis] <= (double)limit))
    {
        step = copysign((double)limit / (double)w->farthest[axis], step);
        moved->limited = true;
    }
    moved->limited |= rate < least;
    return step;
}

/* Steps for an amount; returns how much the rates change on the way, as a part of them all.
 *
 * An axis takes part by mu and by how much the skin faces it: where nothing faces along the limb, no move along it
 * could bring volume back. With mu equal on all axes this is the least move of all. */
static double find_steps(const work *w, double amount, float limit, double step[PLEAT_VOLUME_AXES],
                         pl_volume_moved *moved)
{
    double weight[PLEAT_VOLUME_AXES], weight_left = 0, left = amount, change = 0;
    for (uint32_t a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        weight[a] = w->rate[a] * (double)w->joint->mu[a];
        weight_left += weight[a];
        step[a] = 0;
    }
    double all = weight_left;
    *moved = (pl_volume_moved){0};
    for (uint32_t a = 0; a < PLEAT_VOLUME_AXES && weight_left > 0; ++a)
    {
        double rate = rate_after(w, a, step);
        step[a] = weight[a] > 0 ? step_along(w, a, left * (weight[a] / weight_left), rate, limit, moved) : 0;
        left -= step[a] * rate;
        weight_left -= weight[a];
        change += (double)w->joint->mu[a] * fabs(rate - w->rate[a]);
    }
    moved->change = amount - left;
    return all > 0 ? change / all : 0;
}

/* Back to the world; returns the farthest move. */
static float store_moves(const work *w, const double step[PLEAT_VOLUME_AXES], pleat_vec4 *positions)
{
    pl_f4 steps = pl_set((float)step[0], (float)step[1], (float)step[2], 0);
    float farthest = 0;
    for (uint32_t i = 0; i < w->joint->active_count; ++i)
    {
        pl_f4 m = w->directions[i] * steps;
        pl_f4 move = w->axes[0] * pl_splat(m[0]) + w->axes[1] * pl_splat(m[1]) + w->axes[2] * pl_splat(m[2]);
        pleat_vec4 *position = &positions[w->joint->vertices[i]];
        float squared = pl_dot3(m, m);
        farthest = squared > farthest ? squared : farthest;
        pl_store(position, pl_load(position) + move);
    }
    return sqrtf(farthest);
}

pl_volume_moved PL_WIDE(pl_volume_correct)(const pl_closed *closed, const pl_volume_joint *joint, double amount,
                                           float limit, pl_volume_scratch *scratch, pleat_vec4 *positions,
                                           pleat_vec4 *centres)
{
    pl_volume_moved moved;
    work w = {.joint = joint,
              .points = (pl_f4 *)scratch->points,
              .slopes = (pl_f4 *)scratch->slopes,
              .directions = (pl_f4 *)scratch->directions};
    find_frame(&w, positions);
    load_points(&w, closed, positions, centres);
    find_slopes(&w);
    find_directions(&w);
    find_mixed(&w);
    double step[PLEAT_VOLUME_AXES];
    double change = find_steps(&w, amount, limit * joint->radius, step, &moved);
    if (change > LARGEST_CHANGE)
    {
        /* Too far for directions that were taken here: a part of the way, and the caller comes again. */
        find_steps(&w, amount * (LARGEST_CHANGE / change), limit * joint->radius, step, &moved);
        moved.limited = true;
    }
    moved.farthest = store_moves(&w, step, positions);
    pl_volume_refresh_centres(closed, joint, positions, centres);
    return moved;
}
