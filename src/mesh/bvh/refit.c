/* New positions into an old tree: gathers the corners of each block and takes the boxes again from below. Bound by the
 * gather: about 14 loads and 160 bytes written a block. */
#include "base/parallel.h"
#include "mesh/bvh/bvh.h"
#include "mesh/lanes.h"

typedef struct refit_job
{
    pleat_bvh *bvh;
    const pleat_vec4 *positions;
} refit_job;

/* Lanes with a corner that is not finite: 0 times it is NaN, which stays in the sum. */
static uint32_t bad_lanes(const pl_bvh_block *block)
{
    pl_f4 sum = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            sum += block->corner[k][axis] * pl_splat(0);
        }
    }
    return pl_mask4((pl_i4)(sum != sum));
}

/* Makes the bad lanes NaN throughout, so that no comparison finds them, and takes the box of the others. */
static void drop_lanes(pl_bvh_block *block, uint32_t bad, pl_f4 *low, pl_f4 *high)
{
    *low = pl_splat(INFINITY);
    *high = pl_splat(-INFINITY);
    for (uint32_t lane = 0; lane < PL_BVH_WIDTH; ++lane)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (bad >> lane & 1)
            {
                for (int axis = 0; axis < 3; ++axis)
                {
                    block->corner[k][axis][lane] = NAN;
                }
                continue;
            }
            pl_f4 p = pl_bvh_corner(block, k, lane);
            *low = pl_min4(p, *low);
            *high = pl_max4(p, *high);
        }
    }
}

/* Fills a block and gives its box. */
static void refit_block(const refit_job *job, uint32_t index, pl_f4 *low, pl_f4 *high)
{
    pl_bvh_block *block = &job->bvh->blocks[index];
    const pl_bvh_corners *corners = &job->bvh->corners[index];
    pl_f4 least = pl_splat(INFINITY);
    pl_f4 most = pl_splat(-INFINITY);
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 p[PL_BVH_WIDTH];
        for (uint32_t lane = 0; lane < PL_BVH_WIDTH; ++lane)
        {
            p[lane] = pl_load(&job->positions[corners->vertex[k][lane]]);
            least = pl_min4(p[lane], least);
            most = pl_max4(p[lane], most);
        }
        pl_transpose3(p[0], p[1], p[2], p[3], block->corner[k]);
    }
    *low = least;
    *high = most;
    uint32_t bad = bad_lanes(block);
    if (bad)
    {
        drop_lanes(block, bad, low, high);
    }
}

/* The box around the four boxes of a node. */
static void node_box(const pl_bvh_node *node, pl_f4 *low, pl_f4 *high)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        pl_f4 l = node->bounds[axis];
        pl_f4 h = node->bounds[axis + 3];
        l = pl_min4(l, __builtin_shufflevector(l, l, 2, 3, 0, 1));
        h = pl_max4(h, __builtin_shufflevector(h, h, 2, 3, 0, 1));
        (*low)[axis] = l[0] < l[1] ? l[0] : l[1];
        (*high)[axis] = h[0] > h[1] ? h[0] : h[1];
    }
}

static void refit_node(const refit_job *job, uint32_t index)
{
    pl_bvh_node *node = &job->bvh->nodes[index];
    pl_f4 low[PL_BVH_WIDTH];
    pl_f4 high[PL_BVH_WIDTH];
    for (uint32_t i = 0; i < PL_BVH_WIDTH; ++i)
    {
        low[i] = pl_splat(INFINITY);
        high[i] = pl_splat(-INFINITY);
        uint32_t child = node->child[i];
        if (child == PL_BVH_EMPTY)
        {
            continue;
        }
        if (child & PL_BVH_LEAF)
        {
            refit_block(job, child & ~PL_BVH_LEAF, &low[i], &high[i]);
        }
        else
        {
            node_box(&job->bvh->nodes[child], &low[i], &high[i]);
        }
    }
    pl_transpose3(low[0], low[1], low[2], low[3], &node->bounds[0]);
    pl_transpose3(high[0], high[1], high[2], high[3], &node->bounds[3]);
}

static void refit_runs(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    const refit_job *job = data;
    for (uint32_t r = begin; r < end; ++r)
    {
        pl_bvh_run run = job->bvh->runs[r];
        for (uint32_t i = run.end; i-- > run.begin;)
        {
            refit_node(job, i);
        }
    }
}

void pleat_bvh_refit(pleat_bvh *bvh, const pleat_vec4 *positions, const pleat_tasks *tasks)
{
    if (bvh->node_count == 0)
    {
        return;
    }
    refit_job job = {bvh, positions};
    pl_parallel_for(tasks, bvh->run_count, 4, refit_runs, &job);
    for (uint32_t i = bvh->top_count; i-- > 0;)
    {
        refit_node(&job, bvh->top[i]);
    }
    node_box(&bvh->nodes[0], &bvh->low, &bvh->high);
}
