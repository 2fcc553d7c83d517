/* Lines across a ring, on surfaces whose straight lines are known. */
#include "support/shapes.h"
#include "support/support.h"

#include "mesh/curve/patch.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* A mesh as lines see it. */
typedef struct ground
{
    support_mesh mesh;
    pleat_vec4 *normals;
    pleat_bvh *bvh;
    pl_ring_surface surface;
    pl_memory memory;
    pl_arena arena;
} ground;

static void ground_make(ground *g, support_mesh mesh)
{
    pleat_error error = {0};
    *g = (ground){.mesh = mesh, .memory = pl_memory_from(NULL)};
    g->normals = calloc(mesh.vertex_count, sizeof *g->normals);
    assert_non_null(g->normals);
    assert_int_equal(
        pleat_bvh_create(mesh.vertex_count, mesh.positions, mesh.triangle_count, mesh.triangles, NULL, &g->bvh, &error),
        PLEAT_OK);
    pl_arena_init(&g->arena, &g->memory);
    g->surface = (pl_ring_surface){mesh.topology, mesh.positions, g->normals, g->bvh};
}

static void ground_free(ground *g)
{
    pl_arena_free(&g->arena);
    pleat_bvh_destroy(g->bvh);
    free(g->normals);
    support_mesh_free(&g->mesh);
}

static pl_f4 end_of(const ground *g, const pl_line *line, float arc)
{
    pleat_place place = pl_line_at(&g->surface, line, arc);
    return pl_place_position(g->surface.topology, g->surface.positions, &place);
}

/* On a tube nothing is nearer to one side: lines are straight to the last digit that counts. */
static void test_lines_of_a_tube_run_along_it(void **state)
{
    (void)state;
    enum
    {
        STATIONS = 29,
        SIDES = 64
    };
    ground g;
    ground_make(&g, support_tube(SIDES, 40, 8));
    for (uint32_t v = 0; v < g.mesh.vertex_count; ++v)
    {
        g.normals[v] = (pleat_vec4){g.mesh.positions[v].x, g.mesh.positions[v].y, 0, 0};
    }
    pl_station stations[STATIONS];
    for (int i = 0; i < STATIONS; ++i)
    {
        float c = (float)cos(2 * PI * i / STATIONS), s = (float)sin(2 * PI * i / STATIONS);
        stations[i] = (pl_station){pl_set(c, s, 4, 0), pl_set(c, s, 0, 0), pl_set(-s, c, 0, 0), pl_set(0, 0, 1, 0)};
    }
    pl_ring ring = {STATIONS, stations, true, (float)(2 * PI)};
    pl_line lines[STATIONS] = {{0}};
    pleat_error error = {0};
    assert_int_equal(pl_lines_make(&g.surface, &ring, 3, 0.1f, &g.arena, lines, &error), PLEAT_OK);
    for (int i = 0; i < STATIONS; ++i)
    {
        assert_true(fabsf(lines[i].low + 3) < 1e-4f && fabsf(lines[i].high - 3) < 1e-4f);
        pl_f4 low = end_of(&g, &lines[i], -3), high = end_of(&g, &lines[i], 3), middle = end_of(&g, &lines[i], 0);
        assert_true(fabsf(high[2] - 7) < 1e-3f && fabsf(low[2] - 1) < 1e-3f);
        assert_true(pl_length3(high - middle - pl_set(0, 0, 3, 0)) < 2e-3f);
        assert_true(pl_length3(low - middle + pl_set(0, 0, 3, 0)) < 2e-3f);
    }
    ground_free(&g);
}

/* Straight lines across y = sin(k x) / 2 k meet 2 / k above its hollows: these go on for twice as far, in
 * order. */
static void test_lines_from_a_curved_ring_do_not_meet(void **state)
{
    (void)state;
    enum
    {
        STATIONS = 61
    };
    ground g;
    ground_make(&g, support_plane(48, 0.2f));
    for (uint32_t v = 0; v < g.mesh.vertex_count; ++v)
    {
        g.normals[v] = (pleat_vec4){0, 0, 1, 0};
    }
    const double k = PI / 6;
    pl_station stations[STATIONS];
    double length = 0;
    for (int i = 0; i < STATIONS; ++i)
    {
        double x = 8 + 0.5 * i, slope = 0.5 * cos(k * x), norm = sqrt(1 + slope * slope);
        pl_f4 along = pl_set((float)(1 / norm), (float)(slope / norm), 0, 0);
        stations[i] = (pl_station){pl_set((float)x, (float)(24 + 0.5 * sin(k * x) / k), 0, 0), pl_set(0, 0, 1, 0),
                                   along, pl_set(-along[1], along[0], 0, 0)};
        length += i ? (double)pl_length3(stations[i].position - stations[i - 1].position) : 0;
    }
    pl_ring ring = {STATIONS, stations, false, (float)length};
    const float far = 8; /* 2 / k is 3.8 */
    pl_line lines[STATIONS] = {{0}};
    pleat_error error = {0};
    assert_int_equal(pl_lines_make(&g.surface, &ring, far, 0.25f, &g.arena, lines, &error), PLEAT_OK);
    int straight_meet = 0;
    for (int i = 1; i + 1 < STATIONS; ++i)
    {
        for (float arc = -far; arc <= far; arc += 0.25f)
        {
            pl_f4 step = end_of(&g, &lines[i], arc) - end_of(&g, &lines[i - 1], arc);
            pl_f4 straight = stations[i].position - stations[i - 1].position +
                             (stations[i].across - stations[i - 1].across) * pl_splat(arc);
            straight_meet += pl_dot3(straight, stations[i].tangent) < 0;
            assert_true(step[0] > 0.1f);
        }
    }
    assert_true(straight_meet > 100);
    ground_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_a_tube_run_along_it),
        cmocka_unit_test(test_lines_from_a_curved_ring_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
