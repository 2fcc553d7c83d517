/* The plan of one frame: where its wrinkles alone ask for a finer mesh, and their crests, which become edges of it. */
#include "layers/wrinkles/wrinkles.h"

#include <math.h>

uint32_t pl_wrinkles_find_frame(const pleat_wrinkle_set *set, double time, float *after)
{
    double at = (time - (double)set->start) / (double)set->step;
    at = fmin(fmax(at, 0), (double)(set->frame_count - 1));
    double whole = floor(at + 1e-3);
    *after = at - whole > 1e-3 ? (float)(at - whole) : 0;
    return (uint32_t)whole;
}

static bool stands_out(const pleat_wrinkle_set *set, const pleat_wrinkle *wrinkle)
{
    for (uint32_t i = 0; i < wrinkle->point_count; ++i)
    {
        if (set->points[wrinkle->first_point + i].depth != 0)
        {
            return true;
        }
    }
    return false;
}

static pleat_result list_crests(const pleat_wrinkle_set *set, uint32_t frame, pl_arena *arena, pleat_lines *lines,
                                pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t first = set->first_wrinkle[frame], end = set->first_wrinkle[frame + 1], count = 0;
    uint32_t *starts;
    pleat_place *places;
    for (uint32_t w = first; w < end; ++w)
    {
        count += set->wrinkles[w].point_count;
    }
    PL_ARENA_NEW_OR_FAIL(starts, arena, uint32_t, (size_t)(end - first) + 1, error);
    PL_ARENA_NEW_OR_FAIL(places, arena, pleat_place, count, error);
    *lines = (pleat_lines){.first_place = starts, .places = places};
    count = 0;
    for (uint32_t w = first; w < end; ++w)
    {
        const pleat_wrinkle *wrinkle = &set->wrinkles[w];
        for (uint32_t i = 0; i < wrinkle->point_count && stands_out(set, wrinkle); ++i)
        {
            places[count++] = set->points[wrinkle->first_point + i].place;
        }
        starts[++lines->line_count] = count;
    }
fail:
    return result;
}

pleat_result pl_wrinkles_plan_focus(void *user, float time, pleat_lines *lines, pleat_error *error)
{
    pl_wrinkles_plan *plan = user;
    const pleat_wrinkle_set *set = plan->set;
    *lines = (pleat_lines){0};
    if (!set)
    {
        return PLEAT_OK; /* no clip: nothing is known of any frame */
    }
    pleat_wrinkle_set now = *set;
    float after = 0;
    plan->crests = true;
    pl_arena_free(&plan->focus);
    pl_arena_init(&plan->focus, &plan->memory);
    plan->wish = (pl_wrinkle_wish){.topology = plan->wish.topology, .rest = plan->wish.rest, .mask = plan->wish.mask};
    if (set->frame_count)
    {
        /* Between two frames both of them are drawn. */
        uint32_t frame = pl_wrinkles_find_frame(set, (double)time, &after);
        now.first_wrinkle += frame;
        now.frame_count = after > 0 ? 2 : 1;
        PL_TRY(list_crests(set, after > 0.5f ? frame + 1 : frame, &plan->focus, lines, error));
    }
    return pl_wrinkle_wish_make(&now, plan->radius, plan->options.detail, &plan->focus, &plan->wish, error);
}
