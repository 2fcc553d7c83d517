/* One frame of the folds layer: measure the lines, solve the folds, raise the vertices. */
#include "layers/folds/clearance/along.h"
#include "layers/folds/clearance/near.h"
#include "layers/folds/clip/lids.h"
#include "layers/folds/frame/covered.h"
#include "layers/folds/garment/around.h"
#include "layers/folds/garment/lining.h"
#include "layers/folds/rings/outer.h"

#include "base/parallel.h"

#include <string.h>

/* ---- Stages ---- */

typedef struct block_job
{
    const pl_fold_job *job;
    pl_fold_kernel *kernel;
} block_job;

static void run_blocks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const block_job *blocks = data;
    (void)worker;
    for (uint32_t block = begin; block < end; ++block)
    {
        blocks->kernel(blocks->job, block);
    }
}

static void run_kernel(const pl_fold_job *job, pl_fold_kernel *kernel, uint32_t blocks)
{
    block_job data = {job, kernel};
    pl_parallel_for(job->frame->tasks, blocks, 1, run_blocks, &data);
}

/* For all stations of a ring. */
static void run_stage(const pl_fold_job *job, pl_fold_kernel *kernel)
{
    uint32_t width = job->layer->kernels->width;
    run_kernel(job, kernel, (job->ring->station_count + width - 1) / width);
}

/* The loss of a station from which on its folds end as flat as its bend asks. */
#define ENDS_LOSS 0.05f
/* The least slope of a fold's ends: of its height, over a fold's width. */
#define LEAST_SLOPE 0.02f

/* The stronger the bend, the longer the ends of folds that the crease stops: short ones would stand like beads. */
static float room_slope(const pl_folds_layer *layer, const pl_bound_ring *ring)
{
    float least = 1;
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float lost = layer->at.lost[i] / ENDS_LOSS, slope = 1 - (1 - layer->at.allowed.ends[i]) * (lost < 1 ? lost : 1);
        least = slope < least ? slope : least;
    }
    return LEAST_SLOPE + (1 - LEAST_SLOPE) * least;
}

static float most_of(const float *values, uint32_t count)
{
    float most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

/* How high contact with anything but the limb's own bend lets folds rise. */
static void mind_others(const pl_fold_job *job)
{
    const pl_bound_ring *ring = job->ring;
    pl_folds_mind_crushed(job->layer, ring, job->frame);
    run_kernel(job, job->layer->kernels->others, (ring->obstacles.near_count + PL_FOLD_NEARS - 1) / PL_FOLD_NEARS);
    if (ring->obstacles.beside_limbs)
    {
        pl_fold_share_rooms(ring, job->layer->at.allowed.slides);
    }
    pl_folds_hold_down(ring, job->layer->at.allowed.tapers);
    pl_fold_taper_rooms(ring, room_slope(job->layer, ring), job->layer->at.allowed.tapers);
}

/* Folds of a deep bend share length along their ring before they are evened out. */
static void solve_deep(const pl_fold_job *job)
{
    const pl_fold_kernels *kernels = job->layer->kernels;
    run_stage(job, kernels->spare);
    run_stage(job, kernels->solve);
    pl_fold_share_along(job->ring, job->pose.held.along, job->layer);
    pl_fold_leave_stubs(job->ring, job->pose.held.stubs, job->layer);
    if (job->layer->options.even)
    {
        run_stage(job, kernels->even);
    }
}

static void update_ring(const pl_fold_job *job)
{
    pl_folds_layer *layer = job->layer;
    const pl_bound_ring *ring = job->ring;
    const pl_fold_kernels *kernels = layer->kernels;
    memset(job->figures, 0, ring->station_count * sizeof *job->figures);
    run_stage(job, kernels->measure);
    if (!(most_of(layer->at.lost, ring->station_count) > 0))
    {
        return;
    }
    run_stage(job, kernels->prepare);
    if (job->deep)
    {
        pl_folds_cover(job);
        layer->bends.closed[ring - layer->rings] = most_of(layer->at.covered.pressed, ring->station_count);
    }
    if (layer->options.contact)
    {
        mind_others(job);
    }
    if (job->deep)
    {
        solve_deep(job);
    }
    else
    {
        run_stage(job, kernels->solve);
    }
    run_stage(job, kernels->raise);
    if (job->deep)
    {
        run_stage(job, kernels->tuck);
        run_stage(job, kernels->sink);
    }
    layer->highest = fmaxf(layer->highest, most_of(layer->at.risen.highs, ring->station_count));
}

/* ---- All rings ---- */

static pl_fold_job make_job(pl_folds_layer *layer, const pl_bound_ring *ring, const pleat_layer_frame *frame)
{
    size_t r = (size_t)(ring - layer->rings);
    pl_fold_job job = {
        layer, ring, layer->figures + ring->first_figure, frame, {frame, layer->bends.held[r], layer->bends.inners[r]},
        false};
    job.deep = layer->options.contact && job.pose.held.deep;
    if (!layer->options.contact)
    {
        job.pose.held = (pl_fold_held){.take = PL_FOLD_TAKE}; /* limbs may pass through themselves */
    }
    return job;
}

/* Which folds win where rings cross: by what they lose on the skinned surface, before any rise. */
static void settle_crossings(pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        if (layer->rings[r].crossed.ask_count)
        {
            pl_fold_job job = make_job(layer, &layer->rings[r], frame);
            run_stage(&job, layer->kernels->span);
            pl_folds_note_losses(layer, job.ring);
        }
    }
    pl_folds_settle_crossings(layer);
}

void pl_folds_update(void *user, const pleat_layer_frame *frame)
{
    pl_folds_layer *layer = user;
    layer->highest = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        layer->bends.held[r] = pl_fold_held_of(ring, frame);
        layer->bends.closed[r] = 0;
        layer->bends.inners[r] = ring->limb.outward ? pl_fold_inner(ring->limb.axis, &frame->joints[ring->limb.parent],
                                                                    &frame->joints[ring->limb.joint])
                                                    : pl_splat(0);
    }
    pl_folds_note_outer(layer, frame);
    pl_folds_meet_lids(layer, frame);
    settle_crossings(layer, frame);
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        pl_fold_job job = make_job(layer, &layer->rings[r], frame);
        update_ring(&job);
    }
    pl_folds_hold_lids(layer, frame);
    pl_folds_pull_lining(layer, frame);
}
