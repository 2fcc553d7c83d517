/* A deep bend is measured and prepared station by station, in a held pose (folds_frame.c). This puts what came of that
 * into lanes, so that its folds are solved eight at a time like all others. */
#include "base/wide.h"
#include "layer/folds_lanes.h"

/* Eight vectors from anywhere, as lanes of x, y and z. */
PL_INLINE void gather(const pl_f4 *const from[PL_FOLD_LANES], const uint32_t index[PL_FOLD_LANES], pl_f8 out[3])
{
    pl_f8 v[4];
    for (int i = 0; i < 4; ++i)
    {
        v[i] = pl_join8(from[i][index[i]], from[i + 4][index[i + 4]]);
    }
    pl_transpose8(v);
    for (int c = 0; c < 3; ++c)
    {
        out[c] = v[c];
    }
}

/* A fold's samples; those of folds with fewer have their last one inside more than once. */
static void pack_points(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    static const pl_f4 nowhere[3];
    const pl_bound_ring *ring = job->ring;
    pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * ring->fold_count + k, first[PL_FOLD_LANES] = {0}, at[PL_FOLD_LANES], last[PL_FOLD_LANES];
    const pl_fold_group *group = &ring->lanes->groups[index];
    const pl_f4 *from[PL_FOLD_LANES];
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        bool there = group->rest_length[lane] > 0;
        const pl_fold *fold = &ring->folds[(size_t)(there ? block * PL_FOLD_LANES + lane : 0) * ring->fold_count + k];
        from[lane] = there ? job->layer->points + fold->first_sample : nowhere;
        last[lane] = there ? fold->sample_count - 1 : 2;
    }
    for (uint32_t i = 0; i < group->row_count; ++i)
    {
        for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
        {
            at[lane] = i + 1 < last[lane] ? i + 1 : last[lane] - 1;
        }
        gather(from, at, work->points[group->first_row + i]);
    }
    pl_f8(*feet)[3] = &work->foot_points[index + block], begin[3], end[3];
    gather(from, first, begin);
    gather(from, last, end);
    for (int c = 0; c < 3; ++c)
    {
        feet[0][c] = pl_select8(group->rest_length > pl_splat8(0), begin[c], feet[0][c]);
        feet[1][c] = end[c];
    }
}

void PL_WIDE(pl_folds_pack)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_folds_layer *layer = job->layer;
    uint32_t count = job->ring->fold_count, first = block * PL_FOLD_LANES;
    const pl_f4 *ups = (job->pose->held.excess > 0 ? layer->held : layer->ups) + (size_t)first * (count + 1);
    const pl_f4 *from[PL_FOLD_LANES];
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        from[lane] = ups + (size_t)lane * (count + 1);
    }
    for (uint32_t k = 0; k <= count; ++k)
    {
        uint32_t same[PL_FOLD_LANES] = {k, k, k, k, k, k, k, k};
        gather(from, same, layer->work->ups[(size_t)block * (count + 1) + k]);
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        size_t index = (size_t)block * count + k;
        if (job->ring->lanes->groups[index].row_count)
        {
            pack_points(job, block, k);
            for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
            {
                size_t at = (size_t)(first + lane) * count + k;
                layer->work->lengths[index][lane] = (float)layer->lengths[at];
                layer->work->noises[index][lane] = layer->noises[at];
            }
        }
    }
    layer->work->known[block] = UINT32_MAX;
}
