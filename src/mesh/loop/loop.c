/* Applying a loop: steps in turn, each one parallel loop over its blocks. */
#include "mesh/loop/loop.h"

#include "base/parallel.h"

#include <assert.h>
#include <string.h>

enum
{
    LEAST_BLOCKS = 4,      /* for a worker */
    NORMALIZE_GRAIN = 4096 /* vertices at a time */
};

pl_loop_kernel *pl_loop_best_kernel(void)
{
#if PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return pl_loop_kernel_avx2;
    }
#endif
    return pl_loop_kernel_base;
}

typedef struct step_job
{
    const pl_loop_step *step;
    pl_loop_rows rows;
    pl_loop_kernel *kernel;
} step_job;

static void run_blocks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    const step_job *job = data;
    job->kernel(job->step, &job->rows, begin, end);
}

/* One piece for each worker: it then reads what it wrote in the step before, and its prefetchers find long streams.
 * Small pieces taken in turns were measured at half the speed on two threads. */
static uint32_t choose_grain(uint32_t block_count, const pleat_tasks *tasks)
{
    uint32_t workers = pl_worker_count(tasks);
    uint32_t grain = block_count / workers + (block_count % workers != 0);
    return grain > LEAST_BLOCKS ? grain : LEAST_BLOCKS;
}

static void copy_rows(const pl_loop_rows *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        memcpy(rows->dst + i * rows->dst_stride, rows->src + i * rows->src_stride, rows->columns * sizeof(float));
    }
}

void pl_loop_apply(pleat_loop *loop, pleat_loop_channel channel, const pl_loop_rows *rows, pl_loop_kernel *kernel,
                   const pleat_tasks *tasks)
{
    if (loop->step_count == 0)
    {
        copy_rows(rows, loop->coarse_count[channel]);
        return;
    }
    step_job job = {.kernel = kernel, .rows = *rows};
    for (uint32_t s = 0; s < loop->step_count; ++s)
    {
        bool is_last = s + 1 == loop->step_count;
        job.step = &loop->steps[channel][s];
        job.rows.dst = is_last ? rows->dst : &loop->between[s % 2]->x;
        job.rows.dst_stride = is_last ? rows->dst_stride : 4;
        uint32_t grain = choose_grain(job.step->block_count, tasks);
        pl_parallel_for(tasks, job.step->block_count, grain, run_blocks, &job);
        job.rows.src = job.rows.dst;
        job.rows.src_stride = job.rows.dst_stride;
    }
}

void pleat_loop_points(pleat_loop *loop, pleat_loop_channel channel, const pleat_vec4 *in, pleat_vec4 *out,
                       const pleat_tasks *tasks)
{
    assert(channel == PLEAT_LOOP_SURFACE || loop->refined.render_triangles);
    pl_loop_rows rows = {.src = &in->x, .dst = &out->x, .src_stride = 4, .dst_stride = 4, .columns = 4};
    pl_loop_apply(loop, channel, &rows, pl_loop_best_kernel(), tasks);
}

void pleat_loop_values(pleat_loop *loop, pleat_loop_channel channel, uint32_t width, const float *in, float *out,
                       const pleat_tasks *tasks)
{
    assert(width >= 1 && width <= 64);
    assert(channel == PLEAT_LOOP_SURFACE || loop->refined.render_triangles);
    for (uint32_t column = 0; column < width; column += 4)
    {
        pl_loop_rows rows = {.src = in + column,
                             .dst = out + column,
                             .src_stride = width,
                             .dst_stride = width,
                             .columns = width - column < 4 ? width - column : 4};
        pl_loop_kernel *kernel = rows.columns == 4 ? pl_loop_best_kernel() : pl_loop_kernel_scalar;
        pl_loop_apply(loop, channel, &rows, kernel, tasks);
    }
}

static void normalize(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    pleat_vec4 *normals = data;
    for (uint32_t i = begin; i < end; ++i)
    {
        pl_store(&normals[i], pl_normalize3(pl_load(&normals[i])));
    }
}

void pleat_loop_normals(pleat_loop *loop, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks)
{
    pleat_loop_points(loop, PLEAT_LOOP_SURFACE, in, out, tasks);
    pl_parallel_for(tasks, loop->refined.vertex_count, NORMALIZE_GRAIN, normalize, out);
}

const pleat_refined *pleat_loop_refined(const pleat_loop *loop)
{
    return &loop->refined;
}
