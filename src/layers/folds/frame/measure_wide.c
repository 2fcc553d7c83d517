/* How long folds are in a frame, for a block of eight stations: measure_stations of frame/frame.c. Bound by the loads
 * of two vertices a sample. Folds that are stretched are left out: the crease of a joint is on one side of it, and on
 * the other nothing is asked of most of them. */
#include "base/wide.h"
#include "layers/folds/frame/points.h"

/* Is every fold of a group stretched? A line is no shorter than its feet are apart; what its sum in floats may be off
 * is added. */
static bool is_stretched(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    uint32_t index = block * job->ring->fold_count + k;
    const pl_f8(*feet)[3] = (const pl_f8(*)[3]) & job->layer->work->foot_points[index + block];
    pl_f8 rest = job->ring->lanes->groups[index].rest_length;
    pl_i8 longer = pl_fold_distance8(feet[0], feet[1]) >= rest * pl_splat8(1 + 2e-6f);
    return pl_mask8(longer | (rest <= pl_splat8(0))) == (1u << PL_FOLD_LANES) - 1;
}

/* The part of its length that each fold has lost. */
static pl_f8 measure_group(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    const pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * job->ring->fold_count + k;
    pl_f8 rest = job->ring->lanes->groups[index].rest_length;
    pl_fold_group_measure(job, block, k);
    pl_f8 lost = pl_fold_lost8(work->lengths[index], rest, work->noises[index]);
    return (pl_f8)((pl_i8)(lost / rest) & (lost > pl_splat8(0)));
}

void PL_WIDE(pl_folds_measure)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *groups = job->ring->lanes->groups + (size_t)block * count;
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
            pl_fold_feet_place(job, (size_t)block * (count + 1) + k, foot_points[k]);
        }
    }
    pl_f8 most = pl_splat8(0);
    job->layer->work->known[block] = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (!(wanted & 1u << k))
        {
            continue;
        }
        if (job->asked)
        {
            job->layer->work->lengths[block * count + k] = pl_fold_distance8(foot_points[k], foot_points[k + 1]);
        }
        else if (!is_stretched(job, block, k))
        {
            most = pl_max8(measure_group(job, block, k), most);
        }
    }
    *(pl_f8 *)(job->layer->lost + (size_t)block * PL_FOLD_LANES) = most;
}
