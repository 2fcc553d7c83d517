/* pleat_skin_run: checks the job, splits the matrices for dqs, picks the kernel and cuts the vertices into tasks. */
#include "rig/skin.h"

#include "base/fail.h"
#include "base/parallel.h"
#include "base/vec.h"

enum
{
    SCRATCH_ALIGN = 64,
    GRAIN = 4096 /* vertices of a task: some 10 microseconds, 230 kB */
};

pleat_skin_job pleat_skin_job_default(void)
{
    pleat_skin_job job = {0};
    job.method = PLEAT_LBS;
    job.influence_count = 4;
    return job;
}

/* Dual quaternions, stretches, and room to align them: callers need not align scratch. */
size_t pleat_skin_scratch_size(uint32_t joint_count)
{
    return (size_t)joint_count * (sizeof(pl_skin_dual) + sizeof(pleat_affine)) + SCRATCH_ALIGN;
}

/* Equal up to what rounding along a chain of joints does to a matrix. */
static bool same_stretch(const pleat_affine *a, const pleat_affine *b)
{
    float largest = 0;
    float difference = 0;
    for (uint32_t i = 0; i < 9; ++i)
    {
        float value = a->row[i / 3][i % 3];
        largest = fmaxf(largest, fabsf(value));
        difference = fmaxf(difference, fabsf(value - b->row[i / 3][i % 3]));
    }
    return difference <= 1e-5f * largest;
}

pl_skin_work pl_skin_prepare(const pleat_skin_job *job)
{
    uintptr_t misaligned = (uintptr_t)job->scratch % SCRATCH_ALIGN;
    char *start = (char *)job->scratch + (misaligned ? SCRATCH_ALIGN - misaligned : 0);
    pl_skin_dual *duals = (pl_skin_dual *)(void *)start;
    pleat_affine *stretches = (pleat_affine *)(void *)(start + job->joint_count * sizeof *duals);
    bool one_stretch = true;
    for (uint32_t j = 0; j < job->joint_count; ++j)
    {
        const pleat_affine *matrix = &job->matrices[j];
        pl_f4 rotation;
        pl_affine_polar(matrix, &rotation, &stretches[j]);
        pl_f4 move = pl_set(matrix->row[0][3], matrix->row[1][3], matrix->row[2][3], 0);
        pl_dual_quat dual = pl_dual_quat_from(rotation, move);
        memcpy(duals[j].real, &dual.real, sizeof dual.real);
        memcpy(duals[j].dual, &dual.dual, sizeof dual.dual);
        one_stretch = one_stretch && same_stretch(&stretches[0], &stretches[j]);
    }
    return (pl_skin_work){job, duals, stretches, one_stretch};
}

static pleat_result check_job(const pleat_skin_job *job, pleat_error *error)
{
    if (job->method != PLEAT_LBS && job->method != PLEAT_DQS)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: method is %d; it can be PLEAT_LBS or PLEAT_DQS",
                       (int)job->method);
    }
    if (job->influence_count != 4 && job->influence_count != 8)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: influence_count is %u; it can be 4 or 8",
                       job->influence_count);
    }
    if (job->joint_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: joint_count is 0; there must be a joint");
    }
    const struct
    {
        const char *name;
        const void *pointer;
    } needed[] = {{"joints", job->joints},
                  {"weights", job->weights},
                  {"matrices", job->matrices},
                  {"positions", job->positions},
                  {"out_positions", job->out_positions}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i)
    {
        if (!needed[i].pointer)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: %s is NULL; it must be set", needed[i].name);
        }
    }
    if (!job->normals != !job->out_normals)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: %s is NULL; normals and out_normals go together",
                       job->normals ? "out_normals" : "normals");
    }
    if (job->method == PLEAT_DQS && !job->scratch)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "skin job: scratch is NULL; PLEAT_DQS needs %zu bytes",
                       pleat_skin_scratch_size(job->joint_count));
    }
    return PLEAT_OK;
}

pl_skin_kernel *pl_skin_choose(pleat_skinning method)
{
    return method == PLEAT_LBS ? pl_skin_lbs_scalar : pl_skin_dqs_scalar;
}

typedef struct piece
{
    pl_skin_work work;
    pl_skin_kernel *kernel;
} piece;

static void run_piece(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    const piece *p = data;
    p->kernel(&p->work, begin, end);
}

pleat_result pleat_skin_run(const pleat_skin_job *job, pleat_error *error)
{
    if (job->vertex_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(check_job(job, error));
    piece p = {{.job = job}, pl_skin_choose(job->method)};
    if (job->method == PLEAT_DQS)
    {
        p.work = pl_skin_prepare(job);
    }
    pl_parallel_for(job->tasks, job->vertex_count, GRAIN, run_piece, &p);
    return PLEAT_OK;
}
