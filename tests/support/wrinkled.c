#include "support/wrinkled.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

support_cloth support_cloth_make(uint32_t size, uint32_t level, double compressed, float jitter)
{
    support_cloth cloth = {.coarse = support_plane(size, jitter), .size = size};
    uint32_t coarse_count = cloth.coarse.vertex_count;
    cloth.rest = malloc(coarse_count * sizeof *cloth.rest);
    for (uint32_t v = 0; v < coarse_count; ++v)
    {
        cloth.rest[v] = cloth.coarse.positions[v];
        cloth.rest[v].x = (float)((double)cloth.rest[v].x / (1 - compressed));
    }
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = coarse_count;
    desc.triangle_count = cloth.coarse.triangle_count;
    desc.triangles = cloth.coarse.triangles;
    desc.level = level;
    assert_int_equal(pleat_loop_create(&desc, NULL, &cloth.loop, NULL), PLEAT_OK);
    cloth.refined = pleat_loop_refined(cloth.loop);
    uint32_t count = cloth.refined->vertex_count;
    cloth.positions = malloc(count * sizeof *cloth.positions);
    cloth.normals = malloc(count * sizeof *cloth.normals);
    cloth.refined_rest = malloc(count * sizeof *cloth.refined_rest);
    cloth.lattice = (size << level) + 1;
    cloth.at = malloc((size_t)cloth.lattice * cloth.lattice * sizeof *cloth.at);
    memset(cloth.at, 0xff, (size_t)cloth.lattice * cloth.lattice * sizeof *cloth.at);
    support_mesh even = support_plane(size, 0);
    for (uint32_t v = 0; v < count; ++v)
    {
        pleat_place place = {cloth.refined->vertex_triangle[v],
                             {cloth.refined->vertex_barycentric[3 * v], cloth.refined->vertex_barycentric[3 * v + 1],
                              cloth.refined->vertex_barycentric[3 * v + 2]}};
        /* On the flat triangles themselves: this is about wrinkles, not about subdivision. */
        cloth.positions[v] = support_position(&cloth.coarse, place);
        cloth.refined_rest[v] = cloth.positions[v];
        cloth.refined_rest[v].x = (float)((double)cloth.positions[v].x / (1 - compressed));
        cloth.normals[v] = (pleat_vec4){0, 0, 1, 0};
        pleat_vec4 grid = support_position(&even, place);
        uint32_t x = (uint32_t)lroundf(grid.x * (float)(1u << level)),
                 y = (uint32_t)lroundf(grid.y * (float)(1u << level));
        cloth.at[(size_t)y * cloth.lattice + x] = v;
    }
    support_mesh_free(&even);
    return cloth;
}

void support_cloth_free(support_cloth *cloth)
{
    support_mesh_free(&cloth->coarse);
    pleat_loop_destroy(cloth->loop);
    free(cloth->rest);
    free(cloth->positions);
    free(cloth->refined_rest);
    free(cloth->normals);
    free(cloth->at);
}

pleat_place support_place(const support_cloth *cloth, double x, double y)
{
    pleat_place best = {0, {1, 0, 0}};
    double best_least = -INFINITY;
    for (uint32_t t = 0; t < cloth->coarse.triangle_count; ++t)
    {
        const uint32_t *corner = &cloth->coarse.triangles[3 * t];
        const pleat_vec4 *p = cloth->coarse.positions;
        double ax = p[corner[0]].x, ay = p[corner[0]].y, bx = p[corner[1]].x - ax, by = p[corner[1]].y - ay;
        double cx = p[corner[2]].x - ax, cy = p[corner[2]].y - ay, det = bx * cy - by * cx;
        double u = ((x - ax) * cy - (y - ay) * cx) / det, v = (bx * (y - ay) - by * (x - ax)) / det;
        double least = fmin(fmin(u, v), 1 - u - v);
        if (least > best_least)
        {
            best_least = least;
            best = (pleat_place){t, {(float)(1 - u - v), (float)u, (float)v}};
        }
    }
    return best;
}

void support_wrinkle(const support_cloth *cloth, support_wrinkles *set, double x0, double y0, double x1, double y1,
                     uint32_t pieces, float width, float depth)
{
    set->wrinkles[set->wrinkle_count] = (pleat_wrinkle){
        .id = set->wrinkle_count, .first_point = set->point_count, .point_count = pieces + 1, .seed = pieces / 2};
    ++set->wrinkle_count;
    for (uint32_t i = 0; i <= pieces; ++i)
    {
        double t = (double)i / pieces;
        set->points[set->point_count++] =
            (pleat_wrinkle_point){.place = support_place(cloth, x0 + t * (x1 - x0), y0 + t * (y1 - y0)),
                                  .width = width,
                                  .depth = depth,
                                  .strength = 0.2f};
    }
}

double support_row_length(const support_cloth *cloth, const pleat_vec4 *positions, uint32_t row, uint32_t from,
                          uint32_t to)
{
    double sum = 0;
    for (uint32_t i = from; i < to; ++i)
    {
        const uint32_t *at = &cloth->at[(size_t)row * cloth->lattice];
        sum += support_distance(positions[at[i]], positions[at[i + 1]]);
    }
    return sum;
}
