#include "layers/profile.h"

#include "base/fail.h"
#include "base/pairs.h"

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
