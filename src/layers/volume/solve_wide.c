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
#include "layers/volume/volume.h"

#include "base/eight.h"
#include "base/wide.h"

#include <string.h>

enum
{
    EIGHT = 8, /* vertices that are weighted together */
    CHUNK = 32 /* terms that are summed in single precision: half of them in each half of a sum */
};

/* Of the rates, within one correction: beyond it the directions say little. */
#define LARGEST_CHANGE 0.5

/* Two points in an array, which is aligned for one. */
typedef float pair __attribute__((vector_size(32), may_alias, aligned(16)));

#define BOTH(v) pl_join8(v, v)
/* A component in all lanes of its half, and the next component in each. */
#define SPLAT(v, k) __builtin_shufflevector(v, v, k, k, k, k, (k) + 4, (k) + 4, (k) + 4, (k) + 4)
#define NEXT(v) __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7)
/* A point by its offset in bytes, as quads have them. */
#define AT(array, offset) (*(pl_f4 *)((char *)(array) + (offset)))

typedef struct work
{
    const pl_volume_joint *joint;
    pl_f4 axes[PLEAT_VOLUME_AXES];
    pl_f4 origin;
    pl_f4 *points;     /* local, in the frame */
    pl_f4 *slopes;     /* local: six times dV/dp, in the frame */
    pl_f4 *directions; /* local, in the frame: gamma g; zero where not active */
    pl_f4 *first_rows; /* local: see fill_rows */
    pair *other_rows;
    double rate[PLEAT_VOLUME_AXES]; /* X, Y, Z: volume by a step of 1 along the directions of an axis */
    double mixed[4];                /* XY, XZ, YZ, XYZ */
    float farthest[PLEAT_VOLUME_AXES];
} work;

/* ---- The frame ---- */

/* Local points from the origin of the region; their weighted sums are the directions of the frame. */
static void gather_points(work *w, const pleat_vec4 *positions, const pleat_vec4 *centres)
{
    const pl_volume_joint *joint = w->joint;
    const uint32_t *vertex = joint->vertices;
    w->origin = pl_load(&positions[vertex[0]]);
    pl_f8 origin = BOTH(w->origin), along = {0}, front = {0};
    for (uint32_t i = 0; i < joint->local_count; i += 2)
    {
        pl_f8 p = pl_join8(pl_load(&positions[vertex[i]]), pl_load(&positions[vertex[i + 1]])) - origin;
        *(pair *)&w->points[i] = p;
        if (i < joint->active_count)
        {
            pl_f8 part = *(const pair *)&joint->frame[i];
            along += p * SPLAT(part, 0);
            front += p * SPLAT(part, 1);
        }
    }
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        w->points[joint->centres[c].local] = pl_load(&centres[joint->centres[c].hole]) - w->origin;
    }
    w->axes[PLEAT_VOLUME_ALONG] = pl_low8(along) + pl_high8(along);
    w->axes[PLEAT_VOLUME_FRONT] = pl_low8(front) + pl_high8(front);
}

static void find_frame(work *w)
{
    pl_f4 along = w->axes[PLEAT_VOLUME_ALONG], front = w->axes[PLEAT_VOLUME_FRONT];
    /* At rest both have length 1. Where the skin has collapsed so far that they say nothing, any frame is as good. */
    along = pl_length3(along) > 1e-4f ? pl_normalize3(along) : pl_set(0, 1, 0, 0);
    front = front - along * pl_splat(pl_dot3(along, front));
    front = pl_length3(front) > 1e-4f ? pl_normalize3(front) : pl_perpendicular(along);
    w->axes[PLEAT_VOLUME_ALONG] = along;
    w->axes[PLEAT_VOLUME_FRONT] = front;
    w->axes[PLEAT_VOLUME_SIDE] = pl_cross(along, front);
}

static void turn_points(work *w)
{
    pl_f8 x = BOTH(pl_set(w->axes[0][0], w->axes[1][0], w->axes[2][0], 0));
    pl_f8 y = BOTH(pl_set(w->axes[0][1], w->axes[1][1], w->axes[2][1], 0));
    pl_f8 z = BOTH(pl_set(w->axes[0][2], w->axes[1][2], w->axes[2][2], 0));
    for (uint32_t i = 0; i < w->joint->local_count; i += 2)
    {
        pl_f8 p = *(pair *)&w->points[i];
        *(pair *)&w->points[i] = SPLAT(p, 0) * x + SPLAT(p, 1) * y + SPLAT(p, 2) * z;
    }
}

/* ---- Directions ---- */

/* The slope of a hole's centre goes to its border. Sums at vertices that are not active are never read. With u the
 * diagonal of a quad, its triangles' normals are v x u and u x w. */
static void find_slopes(work *w)
{
    const pl_volume_joint *joint = w->joint;
    const uint32_t *corner = joint->quads, *end = corner + 4 * (size_t)joint->quad_count;
    pl_f4 *p = w->points, *slopes = w->slopes;
    memset(slopes, 0, ((size_t)joint->local_count + EIGHT - 1) / EIGHT * EIGHT * sizeof *slopes);
    for (; corner < end; corner += 4)
    {
        uint32_t a = corner[0], b = corner[1], c = corner[2], d = corner[3];
        pl_f4 from = AT(p, a), diagonal = AT(p, c) - from;
        pl_f8 u = BOTH(diagonal), vw = pl_join8(AT(p, b), AT(p, d)) - BOTH(from);
        pl_f8 turned = u * NEXT(vw) - NEXT(u) * vw;
        pl_f8 cross = NEXT(turned);
        pl_f4 first = pl_low8(cross), second = pl_high8(cross), both = second - first;
        AT(slopes, a) += both;
        AT(slopes, b) -= first;
        AT(slopes, c) += both;
        AT(slopes, d) += second;
    }
    for (uint32_t c = 0; c < joint->centre_count; ++c)
    {
        const pl_volume_centre *centre = &joint->centres[c];
        pl_f4 each = slopes[centre->local] * pl_splat(centre->share);
        for (uint32_t m = 0; m < centre->member_count; ++m)
        {
            slopes[joint->members[centre->first_member + m]] += each;
        }
    }
}

/* 1 / sqrt(|slope|^2 + crease) of eight vertices: the even ones in the low half, the odd ones in the high half. */
PL_INLINE pl_f8 find_scales(const pair slope[4], const pair *crease)
{
    pl_f8 a = slope[0] * slope[0], b = slope[1] * slope[1], c = slope[2] * slope[2], d = slope[3] * slope[3];
    pl_f8 ab = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    pl_f8 cd = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    pl_f8 ab_z = __builtin_shufflevector(a, b, 2, 2, 10, 10, 6, 6, 14, 14);
    pl_f8 cd_z = __builtin_shufflevector(c, d, 2, 2, 10, 10, 6, 6, 14, 14);
    pl_f8 squared = __builtin_shufflevector(ab, cd, 0, 2, 8, 10, 4, 6, 12, 14) +
                    __builtin_shufflevector(ab, cd, 1, 3, 9, 11, 5, 7, 13, 15) +
                    __builtin_shufflevector(ab_z, cd_z, 0, 2, 8, 10, 4, 6, 12, 14) + *crease;
    return pl_splat8(1) / pl_sqrt8(squared);
}

/* The direction of a hole's centre is the mean of its border's. */
static void direct_centres(work *w)
{
    const pl_volume_joint *joint = w->joint;
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

#define DIRECT(k)                                                                                                      \
    {                                                                                                                  \
        pl_f8 direction = gamma[k] * slope[k] * SPLAT(scales, k);                                                      \
        out[k] = direction;                                                                                            \
        sum += direction * slope[k];                                                                                   \
        most = pl_max8(most, pl_abs8(direction));                                                                      \
    }

/* Directions of active vertices, the rates of the axes, and the longest direction along each. Arrays go on to a
 * multiple of eight, with gammas of 0. */
static void find_directions(work *w)
{
    const pl_volume_joint *joint = w->joint;
    pl_f8 most = {0};
    pl_d4 rate = {0, 0, 0, 0};
    uint32_t end = (joint->active_count + EIGHT - 1) / EIGHT * EIGHT;
    for (uint32_t i = 0; i < end;)
    {
        pl_f8 sum = {0};
        for (uint32_t stop = i + CHUNK; i < stop && i < end; i += EIGHT)
        {
            const pair *slope = (const pair *)&w->slopes[i], *gamma = (const pair *)&joint->gamma[i];
            pair *out = (pair *)&w->directions[i];
            pl_f8 scales = find_scales(slope, (const pair *)&joint->crease[i]);
            DIRECT(0)
            DIRECT(1)
            DIRECT(2)
            DIRECT(3)
        }
        rate += pl_double_half(sum, 0) + pl_double_half(sum, 1);
    }
    for (uint32_t i = end; i < joint->local_count; ++i)
    {
        w->directions[i] = pl_splat(0);
    }
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        w->rate[a] = rate[a] / 6;
        w->farthest[a] = fmaxf(most[a], most[a + 4]);
    }
    direct_centres(w);
}

/* ---- The polynomial ---- */

/* The coefficients XY, XZ, YZ and XYZ are volumes too, with some coordinates taken from the directions; a row has one
 * coordinate of all four: dx dx x dx; dy y dy dy; z dz dz dz. */
static void fill_rows(work *w)
{
    for (uint32_t i = 0; i < w->joint->local_count; i += 2)
    {
        pl_f8 p = *(pair *)&w->points[i], d = *(pair *)&w->directions[i];
        pl_f8 second = __builtin_shufflevector(d, p, 1, 9, 1, 1, 5, 13, 5, 5);
        pl_f8 third = __builtin_shufflevector(d, p, 10, 2, 2, 2, 14, 6, 6, 6);
        *(pair *)&w->first_rows[i] = __builtin_shufflevector(d, p, 0, 0, 8, 0, 4, 4, 12, 4);
        w->other_rows[i] = __builtin_shufflevector(second, third, 0, 1, 2, 3, 8, 9, 10, 11);
        w->other_rows[i + 1] = __builtin_shufflevector(second, third, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* Twice the offset, for rows that come two by two. */
#define OTHER(array, offset) (*(pair *)((char *)(array) + 2 * (size_t)(offset)))

/* The volume under a triangle of a closed surface is the sum of its x times its area in the yz plane, over 3; in each
 * of the four some coordinate vanishes outside of the active vertices, and with it all triangles there. In halves: y
 * times z, less z times y. */
static void find_mixed(work *w)
{
    const pl_volume_joint *joint = w->joint;
    const uint32_t *corner = joint->quads, *end = corner + 4 * (size_t)joint->quad_count;
    pl_f4 *x = w->first_rows;
    pair *yz = w->other_rows;
    pl_d4 total = {0, 0, 0, 0};
    while (corner < end)
    {
        const uint32_t *stop = end - corner > 4 * CHUNK / 2 ? corner + 4 * CHUNK / 2 : end;
        pl_f8 sum = {0};
        for (; corner < stop; corner += 4)
        {
            uint32_t a = corner[0], b = corner[1], c = corner[2], d = corner[3];
            pl_f8 from = OTHER(yz, a), u = OTHER(yz, c) - from;
            pl_f8 v = OTHER(yz, b) - from, v2 = OTHER(yz, d) - from;
            pl_f8 zy = __builtin_shufflevector(u, u, 4, 5, 6, 7, 0, 1, 2, 3);
            pl_f4 ends = AT(x, a) + AT(x, c), one = ends + AT(x, b), two = ends + AT(x, d);
            sum += BOTH(one) * (v * zy) - BOTH(two) * (v2 * zy);
        }
        total += pl_double_half(sum, 0) - pl_double_half(sum, 1);
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
    const pl_f8 steps = BOTH(pl_set((float)step[0], (float)step[1], (float)step[2], 0));
    const pl_f8 x = BOTH(w->axes[0]), y = BOTH(w->axes[1]), z = BOTH(w->axes[2]);
    const uint32_t *vertex = w->joint->vertices;
    pl_f8 farthest = {0};
    for (uint32_t i = 0; i < w->joint->active_count; i += 2)
    {
        pl_f8 m = *(const pair *)&w->directions[i] * steps;
        pl_f8 move = x * SPLAT(m, 0) + y * SPLAT(m, 1) + z * SPLAT(m, 2);
        pl_f8 squared = m * m;
        squared += NEXT(squared) + __builtin_shufflevector(squared, squared, 2, 0, 1, 3, 6, 4, 5, 7);
        farthest = pl_max8(farthest, squared);
        pleat_vec4 *one = &positions[vertex[i]], *other = &positions[vertex[i + 1]];
        pl_f4 moved = pl_load(one) + pl_low8(move);
        if (i + 1 < w->joint->active_count)
        {
            pl_store(other, pl_load(other) + pl_high8(move));
        }
        pl_store(one, moved);
    }
    return sqrtf(fmaxf(farthest[0], farthest[4]));
}

pl_volume_moved PL_WIDE(pl_volume_correct)(const pl_closed *closed, const pl_volume_joint *joint, double amount,
                                           float limit, pl_volume_scratch *scratch, pleat_vec4 *positions,
                                           pleat_vec4 *centres)
{
    pl_volume_moved moved;
    work w;
    w.joint = joint;
    w.points = (pl_f4 *)scratch->points;
    w.slopes = (pl_f4 *)scratch->slopes;
    w.directions = (pl_f4 *)scratch->directions;
    w.first_rows = (pl_f4 *)scratch->rows;
    w.other_rows = (pair *)(scratch->rows + joint->local_count + joint->local_count % 2);
    gather_points(&w, positions, centres);
    find_frame(&w);
    turn_points(&w);
    find_slopes(&w);
    find_directions(&w);
    fill_rows(&w);
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
