/* The tree over triangles against Embree's, both on one thread and on the same surface: a closed blob of about 30,000
 * triangles, or 480,000, whose bumps move. */
#include "bench.h"

#include "../tests/judge_embree.h"
#include "pleat/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    QUERY_COUNT = 20000
};

typedef struct surface
{
    uint32_t rings;
    uint32_t vertex_count;
    uint32_t triangle_count;
    pleat_vec4 *positions;
    pleat_vec4 *moved;
    uint32_t *triangles;
    pleat_vec4 *points;     /* QUERY_COUNT near the surface */
    pleat_vec4 *directions; /* QUERY_COUNT */
    pleat_bvh *bvh;
    judge_embree *judge;
    float sum; /* keeps the work */
} surface;

static void place(const surface *s, pleat_vec4 *positions, float phase)
{
    uint32_t columns = s->rings * 2;
    for (uint32_t i = 0; i <= s->rings; ++i)
    {
        for (uint32_t j = 0; j < columns; ++j)
        {
            float theta = 3.14159265f * (float)i / (float)s->rings;
            float phi = 6.2831853f * (float)j / (float)columns;
            float r = 1 + 0.1f * sinf(9 * phi + phase) * sinf(11 * theta + phase) * sinf(theta);
            positions[i * columns + j] =
                (pleat_vec4){r * sinf(theta) * cosf(phi), r * sinf(theta) * sinf(phi), r * cosf(theta), 0};
        }
    }
}

static float random_float(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * 0x1p-23f - 1;
}

static surface make_surface(uint32_t rings)
{
    surface s = {.rings = rings};
    uint32_t columns = rings * 2;
    s.vertex_count = (rings + 1) * columns;
    s.triangle_count = rings * columns * 2;
    s.positions = aligned_alloc(64, (size_t)s.vertex_count * 16);
    s.moved = aligned_alloc(64, (size_t)s.vertex_count * 16);
    s.triangles = malloc((size_t)s.triangle_count * 12);
    s.points = aligned_alloc(64, QUERY_COUNT * 16);
    s.directions = aligned_alloc(64, QUERY_COUNT * 16);
    if (!s.positions || !s.moved || !s.triangles || !s.points || !s.directions)
    {
        fprintf(stderr, "bench_bvh: out of memory\n");
        exit(1);
    }
    uint32_t *t = s.triangles;
    for (uint32_t i = 0; i < rings; ++i)
    {
        for (uint32_t j = 0; j < columns; ++j)
        {
            uint32_t a = i * columns + j, b = i * columns + (j + 1) % columns;
            const uint32_t quad[6] = {a, a + columns, b + columns, a, b + columns, b};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    }
    place(&s, s.positions, 0);
    place(&s, s.moved, 0.8f);
    uint32_t seed = 17;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        /* Queries as the layers ask them: near the surface, within a tenth of its size. */
        const pleat_vec4 *p = &s.moved[(uint32_t)((random_float(&seed) + 1) * 0.5f * (float)(s.vertex_count - 1))];
        float scale = 1 + 0.1f * random_float(&seed);
        s.points[i] = (pleat_vec4){p->x * scale, p->y * scale, p->z * scale, 0};
        float x = random_float(&seed), y = random_float(&seed), z = random_float(&seed);
        s.directions[i] = (pleat_vec4){x, y, z, 0};
    }
    return s;
}

static void free_surface(surface *s)
{
    pleat_bvh_destroy(s->bvh);
    judge_embree_destroy(s->judge);
    free(s->positions);
    free(s->moved);
    free(s->triangles);
    free(s->points);
    free(s->directions);
}

static void build_ours(void *user)
{
    surface *s = user;
    pleat_bvh_destroy(s->bvh);
    if (pleat_bvh_create(s->vertex_count, s->positions, s->triangle_count, s->triangles, NULL, &s->bvh, NULL) !=
        PLEAT_OK)
    {
        fprintf(stderr, "bench_bvh: no tree\n");
        exit(1);
    }
}

static void build_judge(void *user)
{
    surface *s = user;
    if (s->judge)
    {
        judge_embree_destroy(s->judge);
    }
    s->judge = judge_embree_create(s->vertex_count, s->positions, s->triangle_count, s->triangles, true);
}

static void refit_ours(void *user)
{
    surface *s = user;
    pleat_bvh_refit(s->bvh, s->moved, NULL);
}

static void refit_judge(void *user)
{
    surface *s = user;
    judge_embree_refit(s->judge, s->moved);
}

static void nearest_ours(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += pleat_bvh_nearest(s->bvh, s->points[i], INFINITY).distance;
    }
}

static void nearest_judge(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += judge_embree_nearest(s->judge, s->points[i], INFINITY).distance;
    }
}

static void rays_ours(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += (float)pleat_bvh_ray(s->bvh, s->points[i], s->directions[i], 0, 1e6f).triangle;
    }
}

static void rays_judge(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += (float)judge_embree_ray(s->judge, s->points[i], s->directions[i], 0, 1e6f).triangle;
    }
}

static void occluded_ours(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += (float)pleat_bvh_occluded(s->bvh, s->points[i], s->directions[i], 0, 1e6f);
    }
}

static void occluded_judge(void *user)
{
    surface *s = user;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        s->sum += (float)judge_embree_occluded(s->judge, s->points[i], s->directions[i], 0, 1e6f);
    }
}

static void crossings_ours(void *user)
{
    surface *s = user;
    s->sum += (float)pleat_bvh_crossings(s->bvh, s->bvh, NULL, NULL);
}

static void compare(const char *what, surface *s, bench_body *ours, bench_body *judge, uint32_t rounds, double scale,
                    const char *unit)
{
    bench_pair pair = bench_compare(ours, s, judge, s, rounds);
    char name[80];
    snprintf(name, sizeof name, "bvh %s, %uk triangles", what, (s->triangle_count + 500) / 1000);
    bench_row(name, pair.seconds * scale, unit, "Embree's time", pair.seconds / pair.reference_seconds, BENCH_NO_GOAL,
              0);
}

void bench_bvh(void)
{
    static const uint32_t rings[] = {87, 346};
    for (uint32_t i = 0; i < 2; ++i)
    {
        surface s = make_surface(rings[i]);
        uint32_t rounds = i == 0 ? 15 : 3;
        compare("build", &s, build_ours, build_judge, rounds, 1e3, "ms");
        compare("refit", &s, refit_ours, refit_judge, rounds, 1e3, "ms");
        compare("nearest", &s, nearest_ours, nearest_judge, rounds, 1e9 / QUERY_COUNT, "ns");
        compare("ray", &s, rays_ours, rays_judge, rounds, 1e9 / QUERY_COUNT, "ns");
        compare("occluded", &s, occluded_ours, occluded_judge, rounds, 1e9 / QUERY_COUNT, "ns");
        double refit = bench_best(refit_ours, &s, rounds);
        double crossings = bench_best(crossings_ours, &s, rounds);
        char name[80];
        snprintf(name, sizeof name, "bvh self crossings, %uk triangles", (s.triangle_count + 500) / 1000);
        bench_row(name, crossings * 1e3, "ms", "our refit", crossings / refit, BENCH_NO_GOAL, 0);
        free_surface(&s);
    }
}
