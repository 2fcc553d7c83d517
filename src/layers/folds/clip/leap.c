/* Limbs that are flung: lids for places that would spring with them.
 *
 * Recordings slip, and turn a joint by up to 170 degrees from one frame to the next. Within a three hundredth of a
 * second what stands before a fold is gone then, or a crease has closed, and the fold stands as high as ever or not at
 * all. Slowing it down in the pose would take height from slow moves, too: no rule of a pose alone knows how fast it
 * is passed through. So the fastest frames of the clip are played in small steps. Where a vertex springs in one, the
 * pose at the lower end is kept as a stance, and the vertex gets a lid there. The clip's fastest turn changes a lid by
 * what a vertex may spring. */
#include "base/fail.h"
#include "layers/folds/clip/rehearse.h"

#include <stdlib.h>
#include <string.h>

/* Places around those that spring get a lid, too, from this part of what a vertex may spring on: no edge shows between
 * them. */
#define AROUND 0.5f

enum
{
    SPARE_STEPS = 300 /* are played beside as many as the clip has frames: short clips may be flung, too */
};

/* How many places rise by more than that from one end of a step to the other. */
static uint32_t count_rising(const pl_fold_rehearsal *r, const float *low, const float *high, float least)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        count += high[v] - low[v] > least;
    }
    return count;
}

/* low: which end of the step it is that places spring from. */
static pleat_result note_leap(pl_fold_rehearsal *r, int low, pleat_error *error)
{
    const float *from = r->offsets[low], *to = r->offsets[1 - low];
    float spring = PL_FOLD_SPRING * r->width;
    uint32_t count = count_rising(r, from, to, spring) ? count_rising(r, from, to, AROUND * spring) : 0;
    if (!count || r->lid_count + count > PL_FOLD_MOST_LIDS)
    {
        return PLEAT_OK;
    }
    pl_fold_stance *leap;
    PL_TRY(pl_fold_rehearsal_keep(r, r->poses[low], count, &leap, error));
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        if (to[v] - from[v] > AROUND * spring)
        {
            pl_fold_rehearsal_lid(r, leap, v, from[v]);
        }
    }
    return PLEAT_OK;
}

/* Between two frames. */
static pleat_result play_frame(pl_fold_rehearsal *r, uint32_t frame, pleat_error *error)
{
    int64_t end = (int64_t)frame * r->steps, begin = end - r->steps;
    if (r->at != begin)
    {
        PL_TRY(pl_fold_rehearsal_play(r, begin, error));
    }
    for (int64_t step = begin + 1; step <= end; ++step)
    {
        PL_TRY(pl_fold_rehearsal_play(r, step, error));
        r->fastest = fmaxf(r->fastest, pl_fold_lids_turn(r->lids, r->poses[0], r->poses[1]));
        PL_TRY(note_leap(r, 0, error));
        PL_TRY(note_leap(r, 1, error));
    }
    return PLEAT_OK;
}

/* turns: by frame, since the one before it in its shot. */
static pleat_result measure_turns(pl_fold_rehearsal *r, float *turns, pleat_error *error)
{
    const pleat_cloth *cloth = r->cloth;
    for (uint32_t f = 0; f < cloth->frame_count; ++f)
    {
        bool first = pleat_shot_of(cloth->shots, cloth->shot_count, f)->first_frame == f;
        PL_TRY(r->preview->look(r->preview->user, f, NULL, error));
        pl_fold_rehearsal_swap(r);
        pl_fold_rehearsal_take_pose(r);
        turns[f] = first ? 0 : pl_fold_lids_turn(r->lids, r->poses[0], r->poses[1]);
    }
    return PLEAT_OK;
}

static int larger_first(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The turn from which on frames are played; sorted: turns of all, the order of which changes. */
static float least_turn(const pl_fold_rehearsal *r, float *sorted)
{
    uint32_t count = r->cloth->frame_count, most = (count + SPARE_STEPS) / r->steps;
    float least = PL_FOLD_FLUNG * r->cloth->clip_step;
    qsort(sorted, count, sizeof *sorted, larger_first);
    return most < count ? fmaxf(least, sorted[most]) : least;
}

pleat_result pl_folds_find_leaps(pl_fold_rehearsal *r, pleat_error *error)
{
    uint32_t frames = r->cloth->frame_count;
    float *turns = PL_ARENA_NEW(&r->scratch, float, frames), *sorted = PL_ARENA_NEW(&r->scratch, float, frames);
    if (!turns || !sorted)
    {
        return pl_fail_memory(&r->layer->memory, error, "lids of folds");
    }
    PL_TRY(measure_turns(r, turns, error));
    memcpy(sorted, turns, frames * sizeof *sorted);
    float least = least_turn(r, sorted);
    for (uint32_t f = 1; f < frames; ++f)
    {
        if (turns[f] > least)
        {
            PL_TRY(play_frame(r, f, error));
        }
    }
    return PLEAT_OK;
}
