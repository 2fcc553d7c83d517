/* Skinning against memcpy, the plain loop and more threads; and the time of one pose. */
#include "bench.h"

#include "pleat/rig.h"
#include "rig/skin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    VERTICES = 1000000,
    JOINTS = 31,
    SAMPLERS = 30,
    KEYS = 120,
    ROUNDS = 31,
    POSES = 200 /* poses of one timed body */
};

typedef struct character
{
    uint16_t *joints;
    float *weights;
    pleat_vec4 *positions, *normals, *out, *out_normals;
    pleat_affine matrices[JOINTS];
    void *scratch;
    pleat_skin_job job;
} character;

static void *reserve(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
    {
        fprintf(stderr, "bench: no memory\n");
        exit(1);
    }
    memset(memory, 1, bytes); /* pages are there before the clock runs */
    return memory;
}

static float random_float(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}

/* Each joint turned from its bind pose about some axis: by a quarter turn at most, as in most poses, or by any angle;
 * and each with a stretch of its own, or rigid. */
static void pose_matrices(character *c, bool any_angle, bool stretched)
{
    uint32_t seed = 5;
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        float x = random_float(&seed) - 0.5f;
        float y = random_float(&seed) - 0.5f;
        float z = random_float(&seed) - 0.5f;
        float w = any_angle ? random_float(&seed) - 0.5f : sqrtf(x * x + y * y + z * z) * (1 + random_float(&seed));
        float scale = 1 / sqrtf(x * x + y * y + z * z + w * w);
        x *= scale;
        y *= scale;
        z *= scale;
        w *= scale;
        float s = stretched ? 1 + 0.3f * random_float(&seed) : 1;
        c->matrices[j] = (pleat_affine){{{(1 - 2 * (y * y + z * z)) * s, 2 * (x * y - z * w), 2 * (x * z + y * w), x},
                                         {2 * (x * y + z * w) * s, 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), y},
                                         {2 * (x * z - y * w) * s, 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), z}}};
    }
}

/* Neighbouring vertices share most of their joints, as on a character. */
static void make_character(character *c, uint32_t influence_count)
{
    uint32_t seed = 1;
    size_t slots = (size_t)VERTICES * influence_count;
    c->joints = reserve(slots * sizeof *c->joints);
    c->weights = reserve(slots * sizeof *c->weights);
    c->positions = reserve(VERTICES * sizeof *c->positions);
    c->normals = reserve(VERTICES * sizeof *c->normals);
    c->out = reserve(VERTICES * sizeof *c->out);
    c->out_normals = reserve(VERTICES * sizeof *c->out_normals);
    c->scratch = reserve(pleat_skin_scratch_size(JOINTS));
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; i < influence_count; ++i)
        {
            size_t slot = (size_t)v * influence_count + i;
            c->joints[slot] = (uint16_t)((v / 200 + (uint32_t)(random_float(&seed) * 6)) % JOINTS);
            c->weights[slot] = random_float(&seed) + 0.01f;
            sum += c->weights[slot];
        }
        for (uint32_t i = 0; i < influence_count; ++i)
        {
            c->weights[(size_t)v * influence_count + i] /= sum;
        }
        c->positions[v] = (pleat_vec4){random_float(&seed), random_float(&seed), random_float(&seed), 0};
        c->normals[v] = (pleat_vec4){0.6f, 0, 0.8f, 0};
    }
    pose_matrices(c, false, false);
    c->job = pleat_skin_job_default();
    c->job.vertex_count = VERTICES;
    c->job.influence_count = influence_count;
    c->job.joints = c->joints;
    c->job.weights = c->weights;
    c->job.joint_count = JOINTS;
    c->job.matrices = c->matrices;
    c->job.positions = c->positions;
    c->job.out_positions = c->out;
    c->job.scratch = c->scratch;
}

static void free_character(character *c)
{
    void *const all[] = {c->joints, c->weights, c->positions, c->normals, c->out, c->out_normals, c->scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    {
        free(all[i]);
    }
}

static void run_job(void *user)
{
    if (pleat_skin_run(user, NULL) != PLEAT_OK)
    {
        exit(1);
    }
}

static void run_plain(void *user)
{
    pl_skin_work work = {.job = user};
    pl_skin_lbs_scalar(&work, 0, VERTICES);
}

typedef struct copy
{
    void *to;
    const void *from;
    size_t bytes;
} copy;

static void run_copy(void *user)
{
    const copy *c = user;
    memcpy(c->to, c->from, c->bytes);
    __asm__ volatile("" : : "r"(c->to) : "memory"); /* or the compiler may find that nobody reads it */
}

/* Half of what lbs reads and writes, so that the copy moves as much in all. */
static copy make_copy(uint32_t influence_count)
{
    size_t bytes = (size_t)VERTICES * (2 * sizeof(pleat_vec4) + influence_count * (sizeof(uint16_t) + sizeof(float)));
    return (copy){reserve(bytes / 2), reserve(bytes / 2), bytes / 2};
}

static void row_of_pair(const char *name, bench_pair pair, const char *reference, bench_goal goal, double bound)
{
    bench_row(name, pair.seconds * 1e3, "ms", reference, pair.seconds / pair.reference_seconds, goal, bound);
}

static void row_of_speed(const char *name, bench_pair pair, const char *reference, bench_goal goal, double bound)
{
    bench_row(name, pair.seconds * 1e3, "ms", reference, pair.reference_seconds / pair.seconds, goal, bound);
}

static void four_influences(void)
{
    character c;
    make_character(&c, 4);
    copy bytes = make_copy(4);
    pleat_skin_job lbs = c.job;
    pleat_skin_job dqs = c.job;
    dqs.method = PLEAT_DQS;
    row_of_pair("lbs, 4 influences, 1M vertices", bench_compare(run_job, &lbs, run_copy, &bytes, ROUNDS),
                "memcpy that moves as many bytes", BENCH_AT_MOST, 2);
    row_of_speed("lbs, 4 influences, 1M vertices", bench_compare(run_job, &lbs, run_plain, &lbs, ROUNDS),
                 "plain loop at -O3", BENCH_AT_LEAST, 3);
    row_of_pair("dqs, 4 influences, 1M vertices", bench_compare(run_job, &dqs, run_job, &lbs, ROUNDS), "lbs",
                BENCH_AT_MOST, 2);
    pose_matrices(&c, true, false);
    row_of_pair("dqs, joints turned by any angle", bench_compare(run_job, &dqs, run_job, &lbs, ROUNDS), "lbs",
                BENCH_NO_GOAL, 0);
    pose_matrices(&c, false, true);
    row_of_pair("dqs, each joint with a stretch of its own", bench_compare(run_job, &dqs, run_job, &lbs, ROUNDS), "lbs",
                BENCH_AT_MOST, 2);
    pose_matrices(&c, false, false);

    pleat_pool *pool;
    if (pleat_pool_create(2, &pool, NULL) == PLEAT_OK)
    {
        pleat_tasks tasks = pleat_pool_tasks(pool);
        pleat_skin_job lbs2 = lbs;
        pleat_skin_job dqs2 = dqs;
        lbs2.tasks = dqs2.tasks = &tasks;
        row_of_speed("lbs, two threads", bench_compare(run_job, &lbs2, run_job, &lbs, ROUNDS), "one thread",
                     BENCH_AT_LEAST, 1.7);
        row_of_speed("dqs, two threads", bench_compare(run_job, &dqs2, run_job, &dqs, ROUNDS), "one thread",
                     BENCH_AT_LEAST, 1.7);
        pleat_pool_destroy(pool);
    }

    pleat_skin_job with_normals = lbs;
    with_normals.normals = c.normals;
    with_normals.out_normals = c.out_normals;
    row_of_pair("lbs with normals", bench_compare(run_job, &with_normals, run_job, &lbs, ROUNDS), "lbs", BENCH_NO_GOAL,
                0);
    free(bytes.to);
    free((void *)(uintptr_t)bytes.from);
    free_character(&c);
}

static void eight_influences(void)
{
    character c;
    make_character(&c, 8);
    copy bytes = make_copy(8);
    row_of_pair("lbs, 8 influences, 1M vertices", bench_compare(run_job, &c.job, run_copy, &bytes, ROUNDS),
                "memcpy that moves as many bytes", BENCH_NO_GOAL, 0);
    free(bytes.to);
    free((void *)(uintptr_t)bytes.from);
    free_character(&c);
}

/* ---- Pose ---- */

typedef struct posed
{
    pleat_pose *pose;
    pleat_clip clip;
    pleat_affine joints[JOINTS];
} posed;

static void run_poses(void *user)
{
    posed *p = user;
    for (uint32_t i = 0; i < POSES; ++i)
    {
        pleat_pose_sample(p->pose, &p->clip, (float)i * (4.0f / POSES));
        pleat_pose_joints(p->pose, 0, p->joints);
    }
}

/* A chain of joints with a sampler of rotations each but the first: a pose is the sampling, all world matrices and all
 * skinning matrices. */
static void one_pose(void)
{
    static pleat_node nodes[JOINTS];
    static uint32_t order[JOINTS];
    static pleat_affine binds[JOINTS];
    static pleat_channel channels[SAMPLERS];
    static float times[KEYS];
    static float values[KEYS][4];
    uint32_t seed = 3;
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        nodes[j] = pleat_node_default();
        nodes[j].parent = j ? j - 1 : PLEAT_NONE;
        nodes[j].local.translation.y = 0.1f;
        order[j] = j;
        binds[j] = (pleat_affine){{{1, 0, 0, 0}, {0, 1, 0, -0.1f * (float)j}, {0, 0, 1, 0}}};
    }
    for (uint32_t k = 0; k < KEYS; ++k)
    {
        times[k] = (float)k / 30;
        values[k][0] = random_float(&seed) - 0.5f;
        values[k][3] = 1;
    }
    for (uint32_t s = 0; s < SAMPLERS; ++s)
    {
        channels[s] = (pleat_channel){s + 1, PLEAT_ROTATION, PLEAT_LINEAR, KEYS, 4, times, values[0]};
    }
    pleat_skin skin = {"", JOINTS, order, binds};
    pleat_model model = {.node_count = JOINTS, .skin_count = 1, .nodes = nodes, .skins = &skin, .node_order = order};
    posed p = {.clip = pleat_clip_default()};
    p.clip.end = times[KEYS - 1];
    p.clip.channel_count = SAMPLERS;
    p.clip.channels = channels;
    if (pleat_pose_create(&model, NULL, &p.pose, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    double microseconds = bench_best(run_poses, &p, ROUNDS) * 1e6 / POSES;
    bench_row("pose, 31 joints, 30 samplers", microseconds, "us", "20 us", microseconds / 20, BENCH_AT_MOST, 1);
    pleat_pose_destroy(p.pose);
}

void bench_skin(void)
{
    four_influences();
    eight_influences();
    one_pose();
}
