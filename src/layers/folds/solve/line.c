#include "layers/folds/solve/line.h"

#include "base/fail.h"
#include "base/pairs.h"

/* ---- Profiles ---- */

pl_profile pl_profile_polynomial(pl_profile_kind kind)
{
    pl_profile profile = {0};
    profile.kind = kind;
    return profile;
}

/* Slopes of a monotone cubic through the points (Fritsch and Carlson's limiter): the curve never dips below them. */
static void fill_slopes(pl_profile *profile)
{
    uint32_t last = profile->count - 1;
    for (uint32_t i = 1; i < last; ++i)
    {
        float left = (profile->y[i] - profile->y[i - 1]) / (profile->x[i] - profile->x[i - 1]);
        float right = (profile->y[i + 1] - profile->y[i]) / (profile->x[i + 1] - profile->x[i]);
        profile->slope[i] = left * right > 0 ? 2 * left * right / (left + right) : 0;
    }
    profile->slope[0] = profile->slope[last] = 0;
}

pleat_result pl_profile_curve(const float *points, uint32_t count, pl_profile *out, pleat_error *error)
{
    if (count < 2 || count > PL_PROFILE_POINTS - 2)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a profile has %u points; 2 to %d are possible", count,
                       PL_PROFILE_POINTS - 2);
    }
    float highest = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        float x = points[2 * i], y = points[2 * i + 1];
        if (!isfinite(x) || !(y >= 0) || !isfinite(y) || (i && !(x > points[2 * i - 2])))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT,
                           "profile point %u is (%g, %g); x must grow from point to point and y must be 0 or more", i,
                           (double)x, (double)y);
        }
        highest = fmaxf(highest, y);
    }
    if (!(highest > 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a profile must be above 0 somewhere");
    }
    pl_profile profile = {.kind = PL_PROFILE_CURVE};
    float first = points[0], span = points[2 * count - 2] - first;
    /* An end that is not on the ground is brought down just outside of it. */
    bool lead = points[1] > 0, trail = points[2 * count - 1] > 0;
    float margin = 0.05f;
    float low = lead ? -1 + margin : -1, high = trail ? 1 - margin : 1;
    if (lead)
    {
        profile.x[profile.count] = -1;
        profile.y[profile.count++] = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        profile.x[profile.count] = low + (high - low) * (points[2 * i] - first) / span;
        profile.y[profile.count++] = points[2 * i + 1] / highest;
    }
    if (trail)
    {
        profile.x[profile.count] = 1;
        profile.y[profile.count++] = 0;
    }
    fill_slopes(&profile);
    *out = profile;
    return PLEAT_OK;
}

pleat_result pl_profile_parse(const char *text, pl_profile *out, pleat_error *error)
{
    float points[2 * PL_PROFILE_POINTS];
    uint32_t count;
    PL_TRY(pl_pairs_parse(text, "profile point", "x,height", PL_PROFILE_POINTS, points, &count, error));
    return pl_profile_curve(points, count, out, error);
}

static float curve_at(const pl_profile *profile, float x)
{
    uint32_t i = 0;
    while (i + 2 < profile->count && x >= profile->x[i + 1])
    {
        ++i;
    }
    float step = profile->x[i + 1] - profile->x[i];
    float t = (x - profile->x[i]) / step, u = 1 - t;
    float y = u * u * (1 + 2 * t) * profile->y[i] + t * t * (3 - 2 * t) * profile->y[i + 1] +
              step * t * u * (u * profile->slope[i] - t * profile->slope[i + 1]);
    return fmaxf(y, 0);
}

float pl_profile_at(const pl_profile *profile, float x)
{
    float r = fabsf(x);
    if (!(r < 1))
    {
        return 0;
    }
    switch (profile->kind)
    {
    case PL_PROFILE_THIRD:
        return 1 - r * r * (3 - 2 * r);
    case PL_PROFILE_FIFTH:
        return 1 - r * r * r * (10 - r * (15 - 6 * r));
    case PL_PROFILE_CURVE:
        break;
    }
    return curve_at(profile, x);
}

/* ---- The amplitude ---- */

void pl_fold_segments(uint32_t count, const pl_f4 *points, const pl_f4 *raised, pl_fold_segment *out)
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
        out[i] = (pl_fold_segment){a, b, c};
    }
}

double pl_fold_tau(const pl_fold_segment *segments, uint32_t count, double rest_length, double x, double *slope)
{
    double length = 0, derivative = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_fold_segment *s = &segments[i];
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
static single_segment as_single(const pl_fold_segment *segments, uint32_t count, double *length, double *slope)
{
    double curvature = 0, reach = 0;
    *length = *slope = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_fold_segment *s = &segments[i];
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

/* What is added to a hollow's slope: PL_FOLD_EASE of it where nothing is lost yet, none from 2 % of the length and six
 * times what a straight line of the hollow's height would take, 32 % at most. There the hollow makes a fold higher by a
 * fifth alone, so that heights grow nearly as evenly as on straight cloth. lost: of that length. */
static double relief_of(double slope, double lost)
{
    return slope < 0 && lost < 1 ? -PL_FOLD_EASE * slope * (1 - lost * lost * (3 - 2 * lost)) : 0;
}

/* |d + X e| >= X |e| - |d|: beyond this amplitude the line is longer than it is to be. lengths: what it is and what it
 * is to be, together. */
static double farthest(const pl_fold_segment *segments, uint32_t count, double lengths)
{
    double reach = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        reach += sqrt(segments[i].c);
    }
    return lengths / reach;
}

static pl_fold_solution solve(const pl_fold_segment *segments, uint32_t count, double rest_length, double guess,
                              bool eased)
{
    double slope, length;
    single_segment single = as_single(segments, count, &length, &slope);
    double tau = length - rest_length;
    if (!(tau < 0) || !(single.reach > 0))
    {
        return (pl_fold_solution){0, tau, 0, 0, 1, 0};
    }
    double hollow = single.half < 0 && single.square > 0 ? -2 * single.half / single.square : 0;
    double filling = 0.5 * single.square * hollow * hollow / length;
    double part = -tau / (0.02 * rest_length + fmin(6 * filling, 0.3 * rest_length));
    double relief = eased ? relief_of(slope, part) : 0;
    double due = relief > 0 ? fmin(part / PL_FOLD_DUE, 1) : 1;
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
        tau = pl_fold_tau(segments, count, rest_length, x, &slope) + relief * x;
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
    return (pl_fold_solution){x, tau, hollow, relief, due, steps};
}

pl_fold_solution pl_fold_solve(const pl_fold_segment *segments, uint32_t count, double rest_length, double guess)
{
    return solve(segments, count, rest_length, guess, false);
}

pl_fold_solution pl_fold_solve_eased(const pl_fold_segment *segments, uint32_t count, double rest_length, double guess)
{
    return solve(segments, count, rest_length, guess, true);
}

double pl_fold_residual(double x, double tau)
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

void pl_fold_directions(uint32_t count, const pl_f4 *skinned, const pl_f4 *folded, const float *rest,
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
