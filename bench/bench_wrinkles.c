/* Wrinkles on flat cloth: what a vertex near one costs, over four sizes of the refined cloth, and a point of a crest.
 */
#include "bench.h"

#include "layers/wrinkles/deform/deform.h"
#include "layers/wrinkles/shape/shape.h"
#include "pleat/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    QUADS = 16, /* along a side of the coarse cloth, 1 by 1 */
    CRESTS = 16,
    POINTS = 101, /* of a crest */
    ROUNDS = 15
};

typedef struct flat
{
    pleat_vec4 positions[(QUADS + 1) * (QUADS + 1)], rest[(QUADS + 1) * (QUADS + 1)];
    pleat_topology *topology;
    pleat_loop *loop;
    const pleat_refined *refined;
    pleat_vec4 *refined_positions, *moved, *normals;
    pleat_wrinkle wrinkles[CRESTS];
    pleat_wrinkle_point points[CRESTS * POINTS];
    pl_wrinkle_shape *shape;
    pl_wrinkle_deform *deform;
} flat;

static void must(pleat_result result)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", pleat_result_text(result));
        exit(1);
    }
}

static void make_coarse(flat *f)
{
    uint32_t triangles[6 * QUADS * QUADS], *corner = triangles;
    for (uint32_t v = 0; v < (QUADS + 1) * (QUADS + 1); ++v)
    {
        uint32_t i = v % (QUADS + 1), j = v / (QUADS + 1);
        f->positions[v] = (pleat_vec4){(float)i / QUADS, (float)j / QUADS, 0, 0};
        f->rest[v] = (pleat_vec4){(float)i / QUADS / 0.7f, (float)j / QUADS, 0, 0}; /* 30 % lost */
        if (i < QUADS && j < QUADS)
        {
            uint32_t quad[6] = {v, v + 1, v + QUADS + 2, v, v + QUADS + 2, v + QUADS + 1};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
    }
    must(pleat_topology_create((QUADS + 1) * (QUADS + 1), 2 * QUADS * QUADS, triangles, NULL, &f->topology, NULL));
    /* A crest through the middle of each column of quads, which the diagonals cross. */
    for (uint32_t c = 0; c < CRESTS; ++c)
    {
        f->wrinkles[c] = (pleat_wrinkle){.id = c, .first_point = c * POINTS, .point_count = POINTS, .seed = POINTS / 2};
        for (uint32_t i = 0; i < POINTS; ++i)
        {
            float at = (float)i / (POINTS - 1) * QUADS;
            uint32_t row = at < QUADS - 1 ? (uint32_t)at : QUADS - 1, quad = row * QUADS + c;
            float y = at - (float)row;
            /* Below the diagonal (y < x = 1/2): corners a, b, c. */
            pleat_place below = {2 * quad, {0.5f, 0.5f - y, y}}, above = {2 * quad + 1, {1 - y, 0.5f, y - 0.5f}};
            f->points[c * POINTS + i] = (pleat_wrinkle_point){.place = y < 0.5f ? below : above, .strength = 0.3f};
        }
    }
}

static void refine(flat *f, uint32_t level)
{
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = f->topology->vertex_count;
    desc.triangle_count = f->topology->triangle_count;
    desc.triangles = f->topology->triangles;
    desc.level = level;
    must(pleat_loop_create(&desc, NULL, &f->loop, NULL));
    f->refined = pleat_loop_refined(f->loop);
    size_t size = f->refined->vertex_count * sizeof *f->moved;
    f->refined_positions = malloc(size);
    f->moved = malloc(size);
    f->normals = malloc(size);
    if (!f->refined_positions || !f->moved || !f->normals)
    {
        must(PLEAT_NO_MEMORY);
    }
    pleat_loop_points(f->loop, PLEAT_LOOP_SURFACE, f->positions, f->refined_positions, NULL);
    for (uint32_t v = 0; v < f->refined->vertex_count; ++v)
    {
        f->normals[v] = (pleat_vec4){0, 0, 1, 0};
    }
    pl_wrinkle_deform_desc bound = pl_wrinkle_deform_desc_default();
    bound.coarse = f->topology;
    bound.vertex_count = f->refined->vertex_count;
    bound.vertex_triangle = f->refined->vertex_triangle;
    bound.vertex_barycentric = f->refined->vertex_barycentric;
    bound.wrinkle_capacity = CRESTS;
    bound.point_capacity = CRESTS * POINTS;
    must(pl_wrinkle_deform_create(&bound, NULL, &f->deform, NULL));
}

static void let_go(flat *f)
{
    pl_wrinkle_deform_destroy(f->deform);
    pleat_loop_destroy(f->loop);
    free(f->refined_positions);
    free(f->moved);
    free(f->normals);
}

static void run_shape(void *user)
{
    flat *f = user;
    pl_wrinkle_shape_update(f->shape, f->positions, CRESTS, f->wrinkles, f->points, NULL);
}

static void run_copy(void *user)
{
    flat *f = user;
    memcpy(f->moved, f->refined_positions, f->refined->vertex_count * sizeof *f->moved);
}

static void run_deform(void *user)
{
    flat *f = user;
    run_copy(f);
    pl_wrinkle_deform_frame frame = {.coarse = f->positions,
                                     .positions = f->moved,
                                     .normals = f->normals,
                                     .wrinkle_count = CRESTS,
                                     .wrinkles = f->wrinkles,
                                     .points = f->points};
    pl_wrinkle_deform_update(f->deform, &frame);
}

void bench_wrinkles(void)
{
    flat *f = calloc(1, sizeof *f);
    if (!f)
    {
        must(PLEAT_NO_MEMORY);
    }
    make_coarse(f);
    pl_wrinkle_shape_desc desc = pl_wrinkle_shape_desc_default();
    desc.topology = f->topology;
    desc.rest = f->rest;
    desc.radius = 0.4f / QUADS;
    desc.wrinkle_capacity = CRESTS;
    desc.point_capacity = CRESTS * POINTS;
    must(pl_wrinkle_shape_create(&desc, NULL, &f->shape, NULL));
    double shape = bench_best(run_shape, f, ROUNDS) / (CRESTS * POINTS), first = 0;
    for (uint32_t level = 2; level <= 5; ++level)
    {
        refine(f, level);
        bench_pair pair = bench_compare(run_deform, f, run_copy, f, ROUNDS);
        uint32_t moved = pl_wrinkle_deform_last(f->deform).moved;
        double each = (pair.seconds - pair.reference_seconds) / moved;
        char name[80];
        first = level == 2 ? each : first;
        snprintf(name, sizeof name, "wrinkles, %u vertices near", moved);
        bench_row(name, each * 1e9, "ns", level == 2 ? "itself" : "a vertex of the smallest", each / first,
                  BENCH_AT_MOST, 1.2);
        let_go(f);
    }
    bench_row("wrinkles, a point's width and depth", shape * 1e9, "ns", "a vertex of the smallest", shape / first,
              BENCH_NO_GOAL, 0);
    pl_wrinkle_shape_destroy(f->shape);
    pleat_topology_destroy(f->topology);
    free(f);
}
