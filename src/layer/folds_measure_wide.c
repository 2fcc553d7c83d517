/* How long folds are in a frame, for a block of eight stations: measure_stations of folds_frame.c. Bound by the loads
 * of two vertices a sample. */
#include "base/wide.h"
#include "layer/folds_lanes.h"

PL_INLINE pl_f8 distance(const pl_f8 a[3], const pl_f8 b[3])
{
    pl_f8 d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return pl_sqrt8(pl_dot8(d, d));
}

/* The part of its length that each fold has lost. */
static pl_f8 measure_group(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fold_group *group = &lanes->groups[index];
    pl_f8(*begin)[3] = &work->foot_points[index + block], (*before)[3] = begin;
    pl_f8 length = {0};
    for (uint32_t i = group->first_row; i <= group->first_row + group->row_count; ++i)
    {
        bool last = i == group->first_row + group->row_count;
        pl_f8(*point)[3] = last ? begin + 1 : &work->points[i];
        if (!last)
        {
            pl_fold_crossings_mix(job->frame->positions, &lanes->crossings[i], *point);
        }
        length += distance(*before, *point);
        before = point;
    }
    work->noises[index] = pl_fold_rounding8(*begin);
    work->lengths[index] = length;
    pl_f8 lost = pl_fold_lost8(length, group->rest_length, work->noises[index]);
    return (pl_f8)((pl_i8)(lost / group->rest_length) & (lost > pl_splat8(0)));
}

void PL_WIDE(pl_folds_measure)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *groups = job->ring->lanes->groups + (size_t)block * count;
    const pl_fold_places *feet = job->ring->lanes->places[1] + (size_t)block * (count + 1);
    pl_f8(*foot_points)[3] = job->layer->work->foot_points + (size_t)block * (count + 1);
    /* Bits of folds, and of feet: the crease is at the middle one. */
    uint32_t asked = job->asked ? job->asked[block] : UINT32_MAX, wanted = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        wanted |= groups[k].row_count ? (asked & 1u << k) : 0;
    }
    uint32_t points = wanted | wanted << 1 | (job->asked ? 0 : 1u << count / 2);
    for (uint32_t k = 0; k <= count; ++k)
    {
        if (points & 1u << k)
        {
            pl_fold_places_mix(job->frame->positions, &feet[k], foot_points[k]);
        }
    }
    pl_f8 most = pl_splat8(0);
    for (uint32_t k = 0; k < count; ++k)
    {
        if (wanted & 1u << k)
        {
            most = pl_max8(measure_group(job, block, k), most);
        }
    }
    *(pl_f8 *)(job->layer->lost + (size_t)block * PL_FOLD_LANES) = most;
}
