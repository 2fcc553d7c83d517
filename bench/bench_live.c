/* Live wrinkles: all of the CPU part of a frame, on one thread. The goals are milliseconds, whatever the machine; the
 * thesis had 1.7 for the reference shapes and 5.3 for the paths of 734 triangles and 23 wrinkles. */
#include "bench.h"

#include "layers/live/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
    FRAMES = 60,
    ROUNDS = 9
};

static void must(pleat_result result)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", pleat_result_text(result));
        exit(1);
    }
}

/* A tube that is bent twice and let go twice within two seconds. */
typedef struct tube
{
    uint32_t around, along;
    uint32_t *triangles;
    pleat_vec3 *positions; /* FRAMES of them */
    pleat_live *live;
    double wrinkles; /* in the mean of a frame's */
} tube;

static void bend(const tube *t, float angle, pleat_vec3 *out)
{
    for (uint32_t v = 0; v < t->around * t->along; ++v)
    {
        float turn = 6.2831853f * (float)(v % t->around) / (float)t->around;
        float x = 0.6f * (float)(v / t->around) / (float)(t->along - 1) - 0.3f;
        float y = 0.08f * cosf(turn), z = 0.08f * sinf(turn), share = fminf(fmaxf(x / 0.3f + 0.5f, 0), 1);
        float bx = cosf(angle) * x - sinf(angle) * y, by = sinf(angle) * x + cosf(angle) * y;
        out[v] = (pleat_vec3){x + share * (bx - x), y + share * (by - y), z};
    }
}

static uint32_t triangle_count(const tube *t)
{
    return 2 * t->around * (t->along - 1);
}

static size_t held;

static void *count_allocate(void *user, size_t size)
{
    (void)user;
    held += size;
    return malloc(size);
}

static void count_release(void *user, void *pointer, size_t size)
{
    (void)user;
    held -= size;
    free(pointer);
}

static void make_tube(tube *t, float width)
{
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_host host = pleat_host_default();
    uint32_t vertices = t->around * t->along;
    t->triangles = malloc(3 * (size_t)triangle_count(t) * sizeof *t->triangles);
    t->positions = malloc(FRAMES * (size_t)vertices * sizeof *t->positions);
    if (!t->triangles || !t->positions)
    {
        must(PLEAT_NO_MEMORY);
    }
    for (uint32_t i = 0; i < t->around * (t->along - 1); ++i)
    {
        uint32_t a = i, b = i % t->around == t->around - 1 ? i + 1 - t->around : i + 1;
        uint32_t quad[6] = {a, b + t->around, b, a, a + t->around, b + t->around};
        memcpy(t->triangles + 6 * (size_t)i, quad, sizeof quad);
    }
    for (int f = 0; f < FRAMES; ++f)
    {
        bend(t, 1.1f * (1 - cosf(6.2831853f * (float)f / 30)), t->positions + (size_t)f * vertices);
    }
    desc.vertex_count = vertices;
    desc.triangle_count = triangle_count(t);
    desc.triangles = t->triangles;
    desc.options.width = width;
    host.allocator = (pleat_allocator){count_allocate, count_release, NULL};
    held = 0;
    must(pleat_live_create(&desc, &host, &t->live, NULL));
}

static void run_tube(tube *t)
{
    t->wrinkles = 0;
    pleat_live_reset(t->live);
    for (int f = 0; f < FRAMES; ++f)
    {
        pleat_live_update(t->live, t->positions + (size_t)f * t->around * t->along, 1 / 30.0f, NULL);
        t->wrinkles += pleat_live_last(t->live).wrinkles / (double)FRAMES;
    }
}

/* In seconds of the processor: of one thread's work that is the time it takes, whatever else runs. */
static double best_of(tube *t)
{
    double best = 1e30;
    for (int i = 0; i < ROUNDS; ++i)
    {
        clock_t start = clock();
        run_tube(t);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

static void bench_tube(uint32_t around, uint32_t along, float width, double goal)
{
    tube t = {.around = around, .along = along};
    char name[80];
    make_tube(&t, width);
    uint32_t triangles = triangle_count(&t);
    double bytes = (double)held / triangles, frame = best_of(&t) / FRAMES * 1e3;
    snprintf(name, sizeof name, "live, %u triangles, %.0f wrinkles", triangles, t.wrinkles);
    bench_row(name, frame, "ms", "milliseconds a frame", frame, BENCH_AT_MOST, goal);
    snprintf(name, sizeof name, "live, memory of %u triangles", triangles);
    bench_row(name, bytes, "B", "bytes a triangle", bytes, BENCH_AT_MOST, 2000);
    pleat_live_destroy(t.live);
    free(t.triangles);
    free(t.positions);
}

/* ---- Crowds ---- */

enum
{
    MOST_CROWD = 1000
};

/* As far away as its number says: ten are near, then less and less is to be seen of them. */
static float detail_of(uint32_t index)
{
    return index < 10 ? 1 : index < 50 ? 0.5f : index < 200 ? 0.2f : 0;
}

static void bench_crowd(uint32_t count)
{
    static pleat_live *crowd[MOST_CROWD];
    tube t = {.around = 12, .along = 13};
    double best = 1e30;
    char name[80];
    make_tube(&t, 0.006f);
    pleat_live_desc desc = pleat_live_desc_default();
    desc.vertex_count = t.around * t.along;
    desc.triangle_count = triangle_count(&t);
    desc.triangles = t.triangles;
    desc.options.width = 0.006f;
    for (uint32_t i = 0; i < count; ++i)
    {
        must(pleat_live_create(&desc, NULL, &crowd[i], NULL));
        pleat_live_set_detail(crowd[i], detail_of(i));
    }
    for (int round = 0; round < 3; ++round)
    {
        clock_t start = clock();
        for (int f = 0; f < FRAMES; ++f)
        {
            for (uint32_t i = 0; i < count; ++i)
            {
                const pleat_vec3 *now = t.positions + (size_t)((f + (int)i) % FRAMES) * desc.vertex_count;
                pleat_live_update(crowd[i], now, 1 / 60.0f, NULL);
            }
        }
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC / FRAMES * 1e3);
    }
    snprintf(name, sizeof name, "live, crowd of %u, %u triangles each", count, desc.triangle_count);
    bench_row(name, best, "ms", "milliseconds a frame, one thread", best,
              count == MOST_CROWD ? BENCH_AT_MOST : BENCH_NO_GOAL, 16 * 16.7);
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_live_destroy(crowd[i]);
    }
    pleat_live_destroy(t.live);
    free(t.triangles);
    free(t.positions);
}

void bench_live(void)
{
    for (uint32_t count = 1; count <= MOST_CROWD; count *= 10)
    {
        bench_crowd(count);
    }
    bench_tube(16, 27, 0.004f, 0.5);
    bench_tube(100, 101, 0.004f, 12);
}
