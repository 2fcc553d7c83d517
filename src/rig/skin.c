/* pleat_skin_run: checks the job, prepares the matrices, picks the kernel and cuts the vertices into tasks. */
#include "rig/skin.h"

#include "base/fail.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "base/wide.h"

enum
{
    GRAIN = 4096 /* vertices of a task: some 10 microseconds, 230 kB */
};

pleat_skin_job pleat_skin_job_default(void)
{
    pleat_skin_job job = {0};
    job.method = PLEAT_LBS;
    job.influence_count = 4;
    return job;
}

_Static_assert(sizeof(pl_skin_joint) == sizeof(pl_skin_columns), "scratch holds one or the other");

/* With room to align the records: callers need not align scratch. */
size_t pleat_skin_scratch_size(uint32_t joint_count)
{
    return ((size_t)joint_count + 1) * sizeof(pl_skin_joint);
}

static void *align_scratch(void *scratch)
{
    uintptr_t past = (uintptr_t)scratch % sizeof(pl_skin_joint);
    return (char *)scratch + (past ? sizeof(pl_skin_joint) - past : 0);
}

static void copy_columns(const pleat_affine *matrix, pl_skin_columns *out)
{
    for (uint32_t c = 0; c < 4; ++c)
    {
        const float column[4] = {matrix->row[0][c], matrix->row[1][c], matrix->row[2][c], 0};
        memcpy(out->column[c], column, sizeof column);
    }
}

/* Equal up to what rounding along a chain of joints does to a matrix. */
static bool same_stretch(const pl_skin_joint *a, const pl_skin_joint *b)
{
    float largest = 0;
    float difference = 0;
    for (uint32_t i = 0; i < 6; ++i)
    {
        largest = fmaxf(largest, fabsf(a->stretch[i]));
        difference = fmaxf(difference, fabsf(a->stretch[i] - b->stretch[i]));
    }
    return difference <= 1e-5f * largest;
}

static void split_matrix(const pleat_affine *matrix, pl_skin_joint *joint)
{
    pl_f4 rotation;
    pleat_affine s;
    pl_affine_polar(matrix, &rotation, &s);
    pl_f4 move = pl_set(matrix->row[0][3], matrix->row[1][3], matrix->row[2][3], 0);
    pl_dual_quat dual = pl_dual_quat_from(rotation, move);
    memcpy(joint->real, &dual.real, sizeof dual.real);
    memcpy(joint->dual, &dual.dual, sizeof dual.dual);
    const float stretch[8] = {s.row[0][0], s.row[0][1], s.row[0][2], s.row[1][1], s.row[1][2], s.row[2][2], 0, 0};
    memcpy(joint->stretch, stretch, sizeof stretch);
}

/* q and -q are one rotation: takes the signs that agree with joint 0 and says whether all joints then agree with each
 * other. A long list of joints is not worth the trouble for few vertices; the answer changes the time alone. */
static bool turn_to_one_side(pl_skin_joint *joints, uint32_t joint_count, uint32_t vertex_count)
{
    for (uint32_t j = 1; j < joint_count; ++j)
    {
        if (pl_skin_dot4(joints[0].real, joints[j].real) < 0)
        {
            for (uint32_t c = 0; c < 4; ++c)
            {
                joints[j].real[c] = -joints[j].real[c];
                joints[j].dual[c] = -joints[j].dual[c];
            }
        }
    }
    bool same = (uint64_t)joint_count * joint_count <= vertex_count;
    for (uint32_t j = 1; same && j < joint_count; ++j)
    {
        for (uint32_t k = 1; same && k < j; ++k)
        {
            same = pl_skin_dot4(joints[j].real, joints[k].real) >= 0;
        }
    }
    return same;
}

pl_skin_work pl_skin_prepare(const pleat_skin_job *job)
{
    pl_skin_work work = {.job = job};
    if (job->method == PLEAT_LBS)
    {
        pl_skin_columns *columns = align_scratch(job->scratch);
        for (uint32_t j = 0; j < job->joint_count; ++j)
        {
            copy_columns(&job->matrices[j], &columns[j]);
        }
        work.columns = columns;
        return work;
    }
    pl_skin_joint *joints = align_scratch(job->scratch);
    work.joints = joints;
    work.one_stretch = true;
    for (uint32_t j = 0; j < job->joint_count; ++j)
    {
        split_matrix(&job->matrices[j], &joints[j]);
        work.one_stretch = work.one_stretch && same_stretch(&joints[0], &joints[j]);
    }
    work.one_side = turn_to_one_side(joints, job->joint_count, job->vertex_count);
    return work;
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
                  {"out_positions", job->out_positions},
                  {"scratch", job->scratch}};
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
    return PLEAT_OK;
}

uint32_t pl_skin_all_kernels(const pl_skin_kernels **kernels)
{
    static const pl_skin_kernels all[] = {
        {"scalar", pl_skin_lbs_scalar, pl_skin_dqs_scalar},
        {"base", pl_skin_lbs_base, pl_skin_dqs_base},
#ifdef PL_HAVE_AVX2
        {"avx2", pl_skin_lbs_avx2, pl_skin_dqs_avx2},
#endif
    };
    *kernels = all;
    return pl_has_avx2() ? 3 : 2;
}

static pl_skin_kernel *fastest_kernel(pleat_skinning method)
{
    const pl_skin_kernels *kernels;
    uint32_t count = pl_skin_all_kernels(&kernels);
    return method == PLEAT_LBS ? kernels[count - 1].lbs : kernels[count - 1].dqs;
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
    piece p = {pl_skin_prepare(job), fastest_kernel(job->method)};
    pl_parallel_for(job->tasks, job->vertex_count, GRAIN, run_piece, &p);
    return PLEAT_OK;
}
