/* Morph targets of the input: out = base + sum of weight * difference, target after target. */
#include "pleat/rig.h"

#include "base/fail.h"
#include "base/parallel.h"
#include "base/vec.h"

enum
{
    GRAIN = 1024 /* vertices of a block: 16 kB of sums, which stay in the first cache over all targets */
};

pleat_morph_job pleat_morph_job_default(void)
{
    return (pleat_morph_job){0};
}

/* One attribute of a vertex range: which difference it takes is all that sets positions and normals apart. */
static const pleat_vec3 *difference_of(const pleat_target *target, bool normals)
{
    return normals ? target->normals : target->positions;
}

/* Returns whether a target was added. */
static bool add_targets(const pleat_morph_job *job, bool normals, uint32_t begin, uint32_t end)
{
    const pleat_vec4 *in = normals ? job->normals : job->positions;
    pleat_vec4 *out = normals ? job->out_normals : job->out_positions;
    if (in != out)
    {
        memcpy(out + begin, in + begin, (end - begin) * sizeof *out);
    }
    bool any = false;
    for (uint32_t t = 0; job->targets && t < job->target_count; ++t)
    {
        const pleat_vec3 *difference = difference_of(&job->targets[t], normals);
        if (!difference || job->weights[t] == 0)
        {
            continue;
        }
        pl_f4 weight = pl_splat(job->weights[t]);
        for (uint32_t v = begin; v < end; ++v)
        {
            const pleat_vec3 *row = &difference[job->source ? job->source[v] : v];
            pl_store(&out[v], pl_load(&out[v]) + weight * pl_load3(row));
        }
        any = true;
    }
    return any;
}

static void run_block(const pleat_morph_job *job, uint32_t begin, uint32_t end)
{
    add_targets(job, false, begin, end);
    if (!job->normals || !add_targets(job, true, begin, end))
    {
        return;
    }
    for (uint32_t v = begin; v < end; ++v)
    {
        pl_store(&job->out_normals[v], pl_normalize3(pl_load(&job->out_normals[v])));
    }
}

/* A task system may hand over long ranges: they are cut into blocks here. */
static void run_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    for (uint32_t v = begin; v < end; v += GRAIN)
    {
        run_block(data, v, end - v > GRAIN ? v + GRAIN : end);
    }
}

static pleat_result check_job(const pleat_morph_job *job, pleat_error *error)
{
    if (!job->positions || !job->out_positions)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "morph job: %s is NULL; it must be set",
                       job->positions ? "out_positions" : "positions");
    }
    if (!job->normals != !job->out_normals)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "morph job: %s is NULL; normals and out_normals go together",
                       job->normals ? "out_normals" : "normals");
    }
    if (job->targets && job->target_count && !job->weights)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "morph job: weights is NULL; there are %u targets",
                       job->target_count);
    }
    return PLEAT_OK;
}

pleat_result pleat_morph_run(const pleat_morph_job *job, pleat_error *error)
{
    if (job->vertex_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(check_job(job, error));
    pl_parallel_for(job->tasks, job->vertex_count, GRAIN, run_range, (void *)(uintptr_t)job);
    return PLEAT_OK;
}
