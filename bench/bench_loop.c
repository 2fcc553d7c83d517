/* Loop subdivision against OpenSubdiv's CPU evaluator: three levels, the same mesh, in turns. OpenSubdiv gets rows of
 * four floats, for which it has its fastest kernel; rows of three are listed beside it. */
#include "bench.h"

#include "../tests/judge_osd.h"
#include "mesh/loop/loop.h"
#include "pleat/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    LEVEL = 3,
    ROUNDS = 40,
    THREAD_ROUNDS = 400 /* cheap, and both cores are seldom free at once */
};

typedef struct loop_bench
{
    uint32_t vertex_count, triangle_count, refined_count;
    uint32_t *triangles;
    pleat_vec4 *positions;
    pleat_vec4 *points;
    float *packed, *packed_points; /* rows of three, for OpenSubdiv */
    pleat_loop *loop;
    judge_osd *judge;
    pleat_tasks tasks;
} loop_bench;

static void *allocate(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory)
    {
        fprintf(stderr, "bench_loop: out of memory\n");
        exit(1);
    }
    return memory;
}

/* A closed ring of n by n quads, about the size of a character. irregular: each quad is cut along a diagonal chosen by
 * its number, so that valences go from 4 to 8. */
static void make_mesh(loop_bench *b, uint32_t n, bool irregular)
{
    b->vertex_count = n * n;
    b->triangle_count = 2 * n * n;
    b->triangles = allocate(b->triangle_count * 3 * sizeof *b->triangles);
    b->positions = allocate(b->vertex_count * sizeof *b->positions);
    b->packed = allocate(b->vertex_count * 3 * sizeof *b->packed);
    for (uint32_t i = 0; i < b->vertex_count; ++i)
    {
        uint32_t right = i / n * n + (i + 1) % n, up = (i + n) % b->vertex_count, both = right + n;
        both %= b->vertex_count;
        uint32_t mixed = (i ^ (i >> 7)) * 2654435761u;
        bool other = irregular && ((mixed ^ (mixed >> 15)) * 2246822519u) >> 31;
        uint32_t corners[6] = {i, right, other ? up : both, other ? right : i, both, up};
        for (uint32_t k = 0; k < 6; ++k)
        {
            b->triangles[6 * i + k] = corners[k];
        }
        float u = 6.2831853f * (float)(i % n) / (float)n, v = 6.2831853f * (float)(i / n) / (float)n;
        b->positions[i] = (pleat_vec4){(3 + cosf(v)) * cosf(u), (3 + cosf(v)) * sinf(u), sinf(v), 0};
        for (uint32_t k = 0; k < 3; ++k)
        {
            b->packed[3 * i + k] = (&b->positions[i].x)[k];
        }
    }
}

static void make_loop(loop_bench *b, uint32_t level, const uint8_t *triangle_levels)
{
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = b->vertex_count;
    desc.triangle_count = b->triangle_count;
    desc.triangles = b->triangles;
    desc.level = level;
    desc.triangle_levels = triangle_levels;
    pleat_error error = {0};
    if (pleat_loop_create(&desc, NULL, &b->loop, &error) != PLEAT_OK)
    {
        fprintf(stderr, "bench_loop: %s\n", error.message);
        exit(1);
    }
    b->refined_count = pleat_loop_refined(b->loop)->vertex_count;
    b->points = allocate(b->refined_count * sizeof *b->points);
}

static void make_judge(loop_bench *b)
{
    judge_osd_desc judged = {.vertex_count = b->vertex_count,
                             .triangle_count = b->triangle_count,
                             .triangles = b->triangles,
                             .level = LEVEL};
    b->judge = judge_osd_create(&judged);
    b->packed_points = allocate(b->refined_count * 3 * sizeof *b->packed_points);
}

static void free_bench(loop_bench *b)
{
    pleat_loop_destroy(b->loop);
    judge_osd_destroy(b->judge);
    free(b->triangles);
    free(b->positions);
    free(b->packed);
    free(b->points);
    free(b->packed_points);
}

static void ours(void *user)
{
    loop_bench *b = user;
    pleat_loop_points(b->loop, PLEAT_LOOP_SURFACE, b->positions, b->points, NULL);
}

static void ours_threaded(void *user)
{
    loop_bench *b = user;
    pleat_loop_points(b->loop, PLEAT_LOOP_SURFACE, b->positions, b->points, &b->tasks);
}

static void ours_scalar(void *user)
{
    loop_bench *b = user;
    pl_loop_rows rows = {&b->positions[0].x, &b->points[0].x, 4, 4, 4};
    pl_loop_apply(b->loop, PLEAT_LOOP_SURFACE, &rows, pl_loop_kernel_scalar, NULL);
}

static void theirs(void *user)
{
    loop_bench *b = user;
    judge_osd_points(b->judge, 4, &b->positions[0].x, &b->points[0].x);
}

static void theirs_packed(void *user)
{
    loop_bench *b = user;
    judge_osd_points(b->judge, 3, b->packed, b->packed_points);
}

static void run(uint32_t n, bool irregular)
{
    loop_bench b = {0};
    make_mesh(&b, n, irregular);
    make_loop(&b, LEVEL, NULL);
    make_judge(&b);
    const char *kind = irregular ? "irregular" : "regular";
    char name[80];
    bench_pair pair = bench_compare(ours, &b, theirs, &b, ROUNDS);
    snprintf(name, sizeof name, "Loop, 3 levels, %uk triangles, %s", b.triangle_count / 1000, kind);
    bench_row(name, pair.seconds * 1e3, "ms", "OpenSubdiv's CPU evaluator, rows of 4",
              pair.reference_seconds / pair.seconds, BENCH_AT_LEAST, 6);
    pair = bench_compare(ours, &b, theirs_packed, &b, ROUNDS / 4);
    bench_row(name, pair.seconds * 1e3, "ms", "OpenSubdiv's CPU evaluator, rows of 3",
              pair.reference_seconds / pair.seconds, BENCH_NO_GOAL, 0);
    pair = bench_compare(ours, &b, ours_scalar, &b, ROUNDS / 4);
    bench_row(name, pair.seconds * 1e3, "ms", "our scalar definition", pair.reference_seconds / pair.seconds,
              BENCH_NO_GOAL, 0);
    pleat_pool *pool;
    if (pleat_pool_create(2, &pool, NULL) == PLEAT_OK)
    {
        b.tasks = pleat_pool_tasks(pool);
        snprintf(name, sizeof name, "Loop, 3 levels, %uk triangles, %s, 2 threads", b.triangle_count / 1000, kind);
        pair = bench_compare(ours_threaded, &b, ours, &b, THREAD_ROUNDS);
        bench_row(name, pair.seconds * 1e3, "ms", "one thread", pair.reference_seconds / pair.seconds, BENCH_AT_LEAST,
                  1.7);
        pleat_pool_destroy(pool);
    }
    free_bench(&b);
}

/* A tenth of the surface to level 4, as folds ask for it, against all of it. */
static void run_local(uint32_t n)
{
    loop_bench local = {0}, uniform = {0};
    make_mesh(&local, n, true);
    make_mesh(&uniform, n, true);
    uint8_t *levels = allocate(local.triangle_count);
    for (uint32_t t = 0; t < local.triangle_count; ++t)
    {
        levels[t] = t % 1000 < 100 ? 4 : 0;
    }
    make_loop(&local, 4, levels);
    make_loop(&uniform, 4, NULL);
    bench_pair pair = bench_compare(ours, &local, ours, &uniform, ROUNDS);
    char name[80];
    snprintf(name, sizeof name, "Loop, level 4 on a tenth of %uk triangles", local.triangle_count / 1000);
    bench_row(name, pair.seconds * 1e3, "ms", "level 4 everywhere", pair.reference_seconds / pair.seconds,
              BENCH_NO_GOAL, 0);
    free_bench(&local);
    free_bench(&uniform);
    free(levels);
}

void bench_loop(void)
{
    run(80, false);
    run(110, true);
    run_local(60);
}
