/* What single joints have for themselves: values of their own, and the side of the limb that folds. */
#include "layers/folds/rings/ring.h"

#include "base/name.h"

#include <stdio.h>
#include <string.h>

pl_fold_values pl_folds_values_at(const pleat_folds_options *options, uint32_t index)
{
    if (index >= options->joint_count)
    {
        return (pl_fold_values){options->width, options->strength, options->length,  options->bend,
                                options->angle, options->spread,   options->profile, options->curve};
    }
    const pleat_folds_joint *own = &options->joint_values[index];
    return (pl_fold_values){own->width, own->strength, own->length,  own->bend,
                            own->angle, own->spread,   own->profile, own->curve ? own->curve : options->curve};
}

pl_fold_values pl_folds_values_of(const pleat_folds_options *options, const char *joint)
{
    uint32_t i = 0;
    while (i < options->joint_count && !pl_name_is_listed(options->joint_values[i].joints, joint))
    {
        ++i;
    }
    return pl_folds_values_at(options, i);
}

pleat_result pl_folds_profile_of(const pl_fold_values *values, pl_profile *profile, pleat_error *error)
{
    if (values->profile > PLEAT_PROFILE_CURVE)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "folds: profile %u is none of the %d there are", values->profile,
                       PLEAT_PROFILE_CURVE + 1);
    }
    if (values->profile == PLEAT_PROFILE_CURVE)
    {
        pleat_error why = {0};
        pleat_result result = pl_profile_parse(values->curve, profile, &why);
        return result == PLEAT_OK ? result : pl_fail(error, result, "folds: curve: %.200s", why.message);
    }
    *profile = pl_profile_polynomial(values->profile == PLEAT_PROFILE_FIFTH ? PL_PROFILE_FIFTH : PL_PROFILE_THIRD);
    return PLEAT_OK;
}

pl_f4 pl_folds_across(pl_f4 direction, pl_f4 axis)
{
    pl_f4 part = direction - axis * pl_splat(pl_dot3(direction, axis));
    if (pl_length3(part) < 1e-3f)
    {
        pl_f4 other = fabsf(axis[0]) < 0.7f ? pl_set(1, 0, 0, 0) : pl_set(0, 1, 0, 0);
        part = other - axis * pl_splat(pl_dot3(other, axis));
    }
    return pl_normalize3(part);
}

/* 1 within a side, falling to 0 over its last 30 degrees (or all of it, if it is narrow). */
static float window(float away, float spread)
{
    float half = 0.5f * spread, soft = fminf(half, 0.5235988f);
    float t = soft > 0 ? fminf(fmaxf((half - away) / soft, 0), 1) : 0;
    return t * t * (3 - 2 * t);
}

static const float turn = 6.2831853f;

bool pl_folds_any_side(const pl_fold_values *values)
{
    return values->spread >= turn;
}

pl_f4 pl_fold_ring_middle(const pl_fold_ring *ring)
{
    uint32_t count = ring->ring.station_count;
    pl_f4 middle = pl_splat(0);
    for (uint32_t i = 0; i < count; ++i)
    {
        middle += ring->ring.stations[i].position * pl_splat(1 / (float)count);
    }
    return middle;
}

void pl_folds_choose_side(pl_fold_ring *ring, pl_f4 axis, pl_f4 inner, const pl_fold_values *values)
{
    pl_f4 middle = pl_fold_ring_middle(ring), side = pl_cross(axis, inner);
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        pl_f4 from = ring->ring.stations[i].position - middle;
        float angle = atan2f(pl_dot3(from, side), pl_dot3(from, inner)) - values->angle;
        float away = fabsf(angle - turn * floorf(angle / turn + 0.5f));
        float part = pl_folds_any_side(values) ? 1 : window(away, values->spread);
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            ring->own[i * ring->fold_count + k] *= part;
        }
    }
}

/* ---- Names ---- */

static bool fits_any(const pleat_model *model, const pleat_skin *skin, const char *pattern, size_t length)
{
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        if (pl_name_matches(pattern, length, model->nodes[skin->joints[j]].name))
        {
            return true;
        }
    }
    return false;
}

/* A pattern that fits no joint is likely a mistake, but a garment may have fewer joints than another. */
static void warn_of_list(const pleat_model *model, const pleat_skin *skin, const char *list, const pleat_host *host)
{
    for (size_t length; *list; list += length + (list[length] == ','))
    {
        length = strcspn(list, ",");
        if (length == 0 || length > 100 || fits_any(model, skin, list, length))
        {
            continue;
        }
        char pattern[101], message[300];
        const char *nearest = NULL;
        uint32_t distance = UINT32_MAX;
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, list);
        for (uint32_t j = 0; j < skin->joint_count; ++j)
        {
            pl_name_consider(pattern, model->nodes[skin->joints[j]].name, &nearest, &distance);
        }
        snprintf(message, sizeof message, "folds: no joint is named '%s'%s%.100s%s", pattern,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        host->log(host->log_user, PLEAT_WARNING, message);
    }
}

void pl_folds_check_names(const pleat_folds_options *options, const pleat_model *model, const pleat_skin *skin,
                          const pleat_host *host)
{
    if (!host || !host->log)
    {
        return;
    }
    warn_of_list(model, skin, options->joints, host);
    for (uint32_t i = 0; i < options->joint_count; ++i)
    {
        warn_of_list(model, skin, options->joint_values[i].joints, host);
    }
}
