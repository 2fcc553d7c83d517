/* Sets of wrinkles: whether one fits a surface, and how long its wrinkles live. */
#include "pleat/curves.h"

#include "base/fail.h"

#include <math.h>

/* What is wrong with a point; NULL: nothing. */
static const char *fault_of(const pleat_wrinkle_point *point, uint32_t triangle_count)
{
    const float *b = point->place.barycentric;
    if (point->place.triangle >= triangle_count)
    {
        return "its triangle is past the surface's last";
    }
    if (!(b[0] >= -1e-4f && b[1] >= -1e-4f && b[2] >= -1e-4f && fabsf(b[0] + b[1] + b[2] - 1) <= 1e-3f))
    {
        return "its barycentric coordinates are no place in a triangle: none below 0, their sum 1";
    }
    if (!(point->width > 0) || !isfinite(point->width))
    {
        return "its width is not above 0";
    }
    if (!isfinite(point->depth))
    {
        return "its depth is not a number";
    }
    return point->strength >= 0 && point->strength <= 1 ? NULL : "its strength is not in 0 .. 1";
}

static pleat_result check_wrinkle(const pleat_wrinkle_set *set, uint32_t frame, const pleat_wrinkle *wrinkle,
                                  uint32_t triangle_count, pleat_error *error)
{
    if (wrinkle->point_count < 2)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "frame %u, wrinkle %u has %u points; a curve has at least 2", frame,
                       wrinkle->id, wrinkle->point_count);
    }
    if (wrinkle->seed >= wrinkle->point_count)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "frame %u, wrinkle %u: its seed is point %u, but it has points 0-%u",
                       frame, wrinkle->id, wrinkle->seed, wrinkle->point_count - 1);
    }
    for (uint32_t i = 0; i < wrinkle->point_count; ++i)
    {
        const char *fault = fault_of(&set->points[wrinkle->first_point + i], triangle_count);
        if (fault)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "frame %u, wrinkle %u, point %u: %s", frame, wrinkle->id, i, fault);
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_wrinkle_set_check(const pleat_wrinkle_set *set, uint32_t triangle_count, pleat_error *error)
{
    if (!isfinite(set->start) || !(set->step > 0) || !isfinite(set->step))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "wrinkles start at %g s with steps of %g s; a step must be above 0",
                       (double)set->start, (double)set->step);
    }
    for (uint32_t f = 0; f < set->frame_count; ++f)
    {
        for (uint32_t w = set->first_wrinkle[f]; w < set->first_wrinkle[f + 1]; ++w)
        {
            const pleat_wrinkle *wrinkle = &set->wrinkles[w];
            if (w > set->first_wrinkle[f] && wrinkle->id <= wrinkle[-1].id)
            {
                return pl_fail(error, PLEAT_BAD_DATA, "frame %u: wrinkle %u stands after %u; ids must grow", f,
                               wrinkle->id, wrinkle[-1].id);
            }
            PL_TRY(check_wrinkle(set, f, wrinkle, triangle_count, error));
        }
    }
    return PLEAT_OK;
}

bool pleat_wrinkle_set_life(const pleat_wrinkle_set *set, uint32_t id, uint32_t *born, uint32_t *dead)
{
    bool found = false;
    for (uint32_t f = 0; f < set->frame_count; ++f)
    {
        uint32_t low = set->first_wrinkle[f], high = set->first_wrinkle[f + 1];
        while (low < high)
        {
            uint32_t middle = low + (high - low) / 2;
            if (set->wrinkles[middle].id < id)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        if (low < set->first_wrinkle[f + 1] && set->wrinkles[low].id == id)
        {
            *born = found ? *born : f;
            *dead = f;
            found = true;
        }
    }
    return found;
}
