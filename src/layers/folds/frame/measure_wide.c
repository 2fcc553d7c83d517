/* How long folds are in a frame, for a block of stations. Bound by the loads of two vertices a sample. Folds that are
 * stretched are left out: the crease of a joint is on one side of it, and on the other nothing is asked of most of
 * them. */
#include "layers/folds/frame/points.h"

/* What the sum of a fold's length in floats may be off, and more: of its length. */
#define SUM_ROUNDING 2e-6f

/* Is every fold of a group stretched? A line is no shorter than its feet are apart; what its sum in floats may be off
 * is added. */
static bool is_stretched(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fw(*feet)[3] = (const pl_fw(*)[3]) & job->layer->work->foot_points[index + block];
    pl_fw rest = job->ring->cloth.lanes->groups[index].rest_length;
    pl_iw longer = pl_fold_distance_w(feet[0], feet[1]) >= rest * pl_splat_w(1 + SUM_ROUNDING);
    return pl_mask_w(longer | (rest <= pl_splat_w(0))) == (1u << PL_WIDTH) - 1;
}

/* The part of its length that each fold has lost. */
static pl_fw measure_group(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    const pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * job->ring->fold_count + k;
    pl_fw rest = job->ring->cloth.lanes->groups[index].rest_length;
    pl_fold_group_measure(job, block, k);
    pl_fw lost = pl_fold_lost_w(work->lengths[index], rest, work->noises[index]);
    return pl_where_w(lost > pl_splat_w(0), lost / rest);
}

/* Finds where folds meet. folds: bits of those of which both ends are asked for. */
static void place_feet(const pl_fold_job *job, uint32_t block, uint32_t folds, uint32_t feet)
{
    uint32_t count = job->ring->fold_count + 1;
    feet |= folds | folds << 1;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (feet & 1u << k)
        {
            size_t at = (size_t)block * count + k;
            pl_fold_feet_place(job, at, job->layer->work->foot_points[at]);
        }
    }
}

/* By station the largest part that a fold has lost. The crease is at the middle foot. */
void PL_WIDE(pl_folds_measure)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, wanted = 0;
    const pl_fold_group *groups = job->ring->cloth.lanes->groups + (size_t)block * count;
    for (uint32_t k = 0; k < count; ++k)
    {
        wanted |= groups[k].row_count ? 1u << k : 0;
    }
    place_feet(job, block, wanted, 1u << count / 2);
    pl_fw most = pl_splat_w(0);
    job->layer->work->known[block] = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (wanted & 1u << k && !is_stretched(job, block, k))
        {
            most = pl_max_w(measure_group(job, block, k), most);
        }
    }
    *(pl_fw *)(job->layer->at.lost + (size_t)block * PL_WIDTH) = most;
}

/* What part of its way from end to end each fold has lost that is asked for; below 0 it is stretched. Where there is no
 * fold, nobody asks. */
void PL_WIDE(pl_folds_span)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, asked = 0;
    size_t first = (size_t)block * PL_WIDTH;
    for (size_t station = first; station < first + PL_WIDTH && station < job->ring->station_count; ++station)
    {
        asked |= job->ring->crossed.asked[station];
    }
    place_feet(job, block, asked, 0);
    for (uint32_t k = 0; k < count; ++k)
    {
        if (asked & 1u << k)
        {
            const pl_fw(*feet)[3] = (const pl_fw(*)[3])job->layer->work->foot_points + (size_t)block * (count + 1) + k;
            pl_fw way = pl_fold_distance_w(feet[0], feet[1]);
            pl_fw lost = 1 - way / job->ring->cloth.lanes->groups[block * count + k].rest_way;
            for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
            {
                job->layer->rivals.losses[(first + lane) * count + k] = lost[lane];
            }
        }
    }
}
