/* Skinning weights on the refined mesh. Four joints at a time go through the tables as the columns of a point, so no
 * influence is lost before the last level; then each vertex keeps its largest. */
#include "mesh/loop/loop.h"

#include <string.h>

enum
{
    JOINT_RANGE = 65536,
    MAX_OUT = 8
};

typedef struct weight_job
{
    pleat_loop *loop;
    uint32_t in_width, out_width;
    const uint16_t *in_joints;
    const float *in_weights;
    uint16_t *out_joints;
    float *out_weights;
    pleat_vec4 *coarse;  /* four joints' weights */
    pleat_vec4 *refined; /* the same, refined */
    uint8_t *used;       /* JOINT_RANGE */
} weight_job;

static void find_used(const weight_job *job)
{
    size_t count = (size_t)job->loop->coarse_count[PLEAT_LOOP_SURFACE] * job->in_width;
    for (size_t i = 0; i < count; ++i)
    {
        if (job->in_weights[i] > 0)
        {
            job->used[job->in_joints[i]] = 1;
        }
    }
}

/* Spreads the weights of up to four joints; a joint listed twice at a vertex counts twice. */
static void gather(const weight_job *job, const uint16_t *joints, uint32_t joint_count)
{
    uint32_t vertex_count = job->loop->coarse_count[PLEAT_LOOP_SURFACE];
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        float sums[4] = {0, 0, 0, 0};
        for (uint32_t k = 0; k < job->in_width; ++k)
        {
            size_t i = (size_t)v * job->in_width + k;
            for (uint32_t j = 0; j < joint_count && job->in_weights[i] > 0; ++j)
            {
                sums[j] += job->in_joints[i] == joints[j] ? job->in_weights[i] : 0;
            }
        }
        job->coarse[v] = (pleat_vec4){sums[0], sums[1], sums[2], sums[3]};
    }
}

/* Keeps the rows sorted, the largest first; among equals the lower joint, which came before. */
static void insert(uint16_t *joints, float *weights, uint32_t width, uint16_t joint, float weight)
{
    if (!(weight > weights[width - 1]))
    {
        return;
    }
    uint32_t place = width - 1;
    for (; place > 0 && weight > weights[place - 1]; --place)
    {
        joints[place] = joints[place - 1];
        weights[place] = weights[place - 1];
    }
    joints[place] = joint;
    weights[place] = weight;
}

static void merge(const weight_job *job, const uint16_t *joints, uint32_t joint_count)
{
    for (uint32_t v = 0; v < job->loop->refined.vertex_count; ++v)
    {
        size_t row = (size_t)v * job->out_width;
        const float *weights = &job->refined[v].x;
        for (uint32_t j = 0; j < joint_count; ++j)
        {
            insert(job->out_joints + row, job->out_weights + row, job->out_width, joints[j], weights[j]);
        }
    }
}

/* Rows that have any weight sum to 1. */
static void normalize(const weight_job *job)
{
    for (uint32_t v = 0; v < job->loop->refined.vertex_count; ++v)
    {
        float *weights = job->out_weights + (size_t)v * job->out_width;
        float sum = 0;
        for (uint32_t k = 0; k < job->out_width; ++k)
        {
            sum += weights[k];
        }
        for (uint32_t k = 0; k < job->out_width && sum > 0; ++k)
        {
            weights[k] /= sum;
        }
    }
}

static void run(const weight_job *job)
{
    size_t out_count = (size_t)job->loop->refined.vertex_count * job->out_width;
    memset(job->out_joints, 0, out_count * sizeof *job->out_joints);
    memset(job->out_weights, 0, out_count * sizeof *job->out_weights);
    find_used(job);
    for (uint32_t next = 0; next < JOINT_RANGE;)
    {
        uint16_t joints[4];
        uint32_t joint_count = 0;
        for (; next < JOINT_RANGE && joint_count < 4; ++next)
        {
            if (job->used[next])
            {
                joints[joint_count++] = (uint16_t)next;
            }
        }
        if (joint_count > 0)
        {
            gather(job, joints, joint_count);
            pleat_loop_points(job->loop, PLEAT_LOOP_SURFACE, job->coarse, job->refined, NULL);
            merge(job, joints, joint_count);
        }
    }
    normalize(job);
}

pleat_result pleat_loop_weights(pleat_loop *loop, uint32_t in_width, const uint16_t *in_joints, const float *in_weights,
                                uint32_t out_width, uint16_t *out_joints, float *out_weights, pleat_error *error)
{
    if (out_width == 0 || out_width > MAX_OUT)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "out_width is %u; it can be 1 to %d", out_width, MAX_OUT);
    }
    pl_memory *memory = &loop->memory;
    pleat_result result = PLEAT_OK;
    weight_job job = {.loop = loop,
                      .in_width = in_width,
                      .out_width = out_width,
                      .in_joints = in_joints,
                      .in_weights = in_weights,
                      .out_joints = out_joints,
                      .out_weights = out_weights};
    PL_NEW_OR_FAIL(job.coarse, memory, pleat_vec4, loop->coarse_count[PLEAT_LOOP_SURFACE], error);
    PL_NEW_OR_FAIL(job.refined, memory, pleat_vec4, loop->refined.vertex_count, error);
    PL_NEW_OR_FAIL(job.used, memory, uint8_t, JOINT_RANGE, error);
    run(&job);
fail:
    pl_free(memory, job.coarse);
    pl_free(memory, job.refined);
    pl_free(memory, job.used);
    return result;
}
