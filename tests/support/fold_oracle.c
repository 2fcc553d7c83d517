#include "support/fold_oracle.h"

void oracle_segments(uint32_t count, const pl_f4 *points, const pl_f4 *raised, oracle_segment *out)
{
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        double a = 0, b = 0, c = 0;
        for (int k = 0; k < 3; ++k)
        {
            double d = (double)points[i + 1][k] - (double)points[i][k];
            double e = (double)raised[i + 1][k] - (double)raised[i][k];
            a += d * d;
            b += d * e;
            c += e * e;
        }
        out[i] = (oracle_segment){a, b, c};
    }
}

double oracle_tau(const oracle_segment *segments, uint32_t count, double rest_length, double x, double *slope)
{
    double length = 0, derivative = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const oracle_segment *s = &segments[i];
        double squared = s->a + x * (2 * s->b + x * s->c);
        double norm = sqrt(squared > 1e-40 ? squared : 1e-40); /* fmax is a call */
        length += norm;
        derivative += (s->b + x * s->c) / norm;
    }
    if (slope)
    {
        *slope = derivative;
    }
    return length - rest_length;
}

/* For a first guess. One straight segment has the length sqrt((l + b X)^2 + k X^2) for any X; the fold as a whole is
 * taken for such a segment with its length, slope and curvature at X = 0. Near the onset of compression, where the
 * height goes with the square root of the lost length, its root is the solution; elsewhere it is close. */
typedef struct single_segment
{
    double half, square; /* |d + X e|^2 = length^2 + 2 half X + square X^2 */
    double reach;        /* 0: nothing rises */
} single_segment;

/* The fold at X = 0 as one segment. length: its length there. */
static single_segment as_single(const oracle_segment *segments, uint32_t count, double *length, double *slope)
{
    double curvature = 0, reach = 0;
    *length = *slope = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const oracle_segment *s = &segments[i];
        double norm = sqrt(s->a > 1e-40 ? s->a : 1e-40), inverse = 1 / norm, lean = s->b * inverse;
        double across = s->c - lean * lean;
        *length += norm;
        *slope += lean;
        curvature += across > 0 ? across * inverse : 0;
        reach += s->c;
    }
    return (single_segment){*length * *slope, *slope * *slope + curvature * *length, reach};
}

/* Where the single segment has the length wanted; 0 if it does not grow. */
static double single_root(single_segment s, double length, double wanted)
{
    double root = -s.half + sqrt(s.half * s.half + s.square * (wanted + length) * (wanted - length));
    return s.square > 0 ? root / s.square : 0;
}

/* What is added to a hollow's slope: ORACLE_EASE of it where nothing is lost yet, none from 2 % of the length and six
 * times what a straight line of the hollow's height would take, 32 % at most. There the hollow makes a fold higher by a
 * fifth alone, so that heights grow nearly as evenly as on straight cloth. lost: of that length. */
static double relief_of(double slope, double lost)
{
    return slope < 0 && lost < 1 ? -ORACLE_EASE * slope * (1 - lost * lost * (3 - 2 * lost)) : 0;
}

/* |d + X e| >= X |e| - |d|: beyond this amplitude the line is longer than it is to be. lengths: what it is and what it
 * is to be, together. */
static double farthest(const oracle_segment *segments, uint32_t count, double lengths)
{
    double reach = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        reach += sqrt(segments[i].c);
    }
    return lengths / reach;
}

static oracle_solution solve(const oracle_segment *segments, uint32_t count, double rest_length, double guess,
                             bool eased)
{
    double slope, length;
    single_segment single = as_single(segments, count, &length, &slope);
    double tau = length - rest_length;
    if (!(tau < 0) || !(single.reach > 0))
    {
        return (oracle_solution){0, tau, 0, 0, 1, 0};
    }
    double hollow = single.half < 0 && single.square > 0 ? -2 * single.half / single.square : 0;
    double filling = 0.5 * single.square * hollow * hollow / length;
    double part = -tau / (0.02 * rest_length + fmin(6 * filling, 0.3 * rest_length));
    double relief = eased ? relief_of(slope, part) : 0;
    double due = relief > 0 ? fmin(part / ORACLE_DUE, 1) : 1;
    single.half += length * relief;
    double low = 0, high = INFINITY;
    double x = guess > 0 ? guess : single_root(single, length, rest_length);
    if (!(x > 0 && x < INFINITY))
    {
        x = high = farthest(segments, count, rest_length + length);
    }
    /* Near the onset the lost length itself is small: the height must follow it smoothly there too. */
    double close = fmax(1e-14 * rest_length, fmin(1e-10 * rest_length, -1e-6 * tau));
    uint32_t steps = 0;
    for (; steps < 60; ++steps)
    {
        tau = oracle_tau(segments, count, rest_length, x, &slope) + relief * x;
        slope += relief;
        if (fabs(tau) <= close)
        {
            break;
        }
        if (tau > 0)
        {
            high = x;
        }
        else
        {
            low = x;
        }
        /* A convex function lies above its tangent: from the right Newton comes down monotonically, from the left
         * (where it rises) one step leads to the right. Anything else goes to the far bound, or halves the bracket. */
        double next = slope > 0 ? x - tau / slope : INFINITY;
        if (!(next > low && next < high))
        {
            next = high < INFINITY ? 0.5 * (low + high) : farthest(segments, count, rest_length + length);
        }
        if (fabs(next - x) <= 1e-15 * x)
        {
            break;
        }
        x = next;
    }
    return (oracle_solution){x, tau, hollow, relief, due, steps};
}

oracle_solution oracle_solve(const oracle_segment *segments, uint32_t count, double rest_length, double guess)
{
    return solve(segments, count, rest_length, guess, false);
}

oracle_solution oracle_solve_eased(const oracle_segment *segments, uint32_t count, double rest_length, double guess)
{
    return solve(segments, count, rest_length, guess, true);
}

double oracle_residual(double x, double tau)
{
    return sqrt(x * x + tau * tau) - x - tau;
}

/* ---- Quasi-isometry ---- */

/* From where skinning has a point to where it is to be: the normal where it is there already, and never more than 60
 * degrees from it, so that a fold still rises. */
static pl_f4 direction_to(pl_f4 away, pl_f4 normal)
{
    float up = pl_dot3(away, normal);
    pl_f4 beside = away - normal * pl_splat(up);
    float least = 0.577f * pl_length3(beside);
    return pl_normalize3(beside + normal * pl_splat(up > least ? up : least + 1e-12f));
}

void oracle_directions(uint32_t count, const pl_f4 *skinned, const pl_f4 *folded, const float *rest,
                       const pl_f4 *normals, pl_f4 *out)
{
    float length = 0;
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        length += pl_length3(folded[i + 1] - folded[i]);
    }
    float scale = count > 1 && rest[count - 1] > 0 ? length / rest[count - 1] : 1;
    uint32_t segment = 0;
    float walked = 0, step = count > 1 ? pl_length3(folded[1] - folded[0]) : 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        float wanted = rest[i] * scale;
        while (segment + 2 < count && walked + step < wanted)
        {
            walked += step;
            ++segment;
            step = pl_length3(folded[segment + 1] - folded[segment]);
        }
        float t = step > 0 ? fminf(fmaxf((wanted - walked) / step, 0), 1) : 0;
        pl_f4 place = count > 1 ? pl_lerp(folded[segment], folded[segment + 1], t) : folded[i];
        out[i] = direction_to(place - skinned[i], normals[i]);
    }
}
