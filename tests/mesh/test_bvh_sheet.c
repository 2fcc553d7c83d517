/* Crossings of cloth that moves a little (mesh/bvh_sheet.h), judged by the tree that compares everything. */
#include "support/shapes.h"
#include "support/support.h"

#include "mesh/bvh/sheet.h"

#include <math.h>
#include <stdlib.h>

enum
{
    SIZE = 60 /* squares along each side of the cloth */
};

/* A cloth, and all that is needed to look at it. */
typedef struct cloth
{
    support_mesh mesh;
    pl_memory memory;
    pl_arena arena;
    pl_bvh_sheet sheet;
    uint32_t *shells, *groups, *counts;
    float *ways;
    uint8_t lenient[2];
} cloth;

static cloth *cloth_make(support_mesh mesh, uint32_t shell_count)
{
    cloth *c = calloc(1, sizeof *c);
    c->mesh = mesh;
    c->memory = pl_memory_from(NULL);
    pl_arena_init(&c->arena, &c->memory);
    c->shells = calloc(mesh.triangle_count, sizeof *c->shells);
    c->groups = calloc(mesh.triangle_count, sizeof *c->groups);
    c->counts = calloc(mesh.triangle_count, sizeof *c->counts);
    c->ways = calloc(mesh.vertex_count, sizeof *c->ways);
    assert_int_equal(pleat_topology_shells(mesh.topology, c->shells), shell_count);
    pl_bvh_sheet_desc desc = {mesh.vertex_count, mesh.positions, mesh.triangle_count, mesh.triangles, c->shells};
    assert_int_equal(pl_bvh_sheet_make(&desc, &c->arena, NULL, &c->sheet, NULL), PLEAT_OK);
    return c;
}

static void cloth_free(cloth *c)
{
    pleat_bvh_destroy(c->sheet.bvh);
    pl_arena_free(&c->arena);
    support_mesh_free(&c->mesh);
    free(c->shells);
    free(c->groups);
    free(c->counts);
    free(c->ways);
    free(c);
}

/* The alpha curve, which crosses itself where s is 1 and -1; not quite straight, so that nothing just touches. */
static void curl(const cloth *c, pleat_vec4 *out)
{
    for (uint32_t v = 0; v < c->mesh.vertex_count; ++v)
    {
        double s = 3.4 * (double)c->mesh.positions[v].x / SIZE - 1.7, z = 2.0 * (double)c->mesh.positions[v].y / SIZE;
        out[v] = (pleat_vec4){(float)(s * (s * s - 1) + 0.1 * z), (float)(s * s - 1 + 0.03 * z * z),
                              (float)(z + 0.05 * s), 0};
    }
}

static uint64_t crossings_of_all(const cloth *c, const pleat_vec4 *positions)
{
    pleat_bvh *bvh = NULL;
    assert_int_equal(
        pleat_bvh_create(c->mesh.vertex_count, positions, c->mesh.triangle_count, c->mesh.triangles, NULL, &bvh, NULL),
        PLEAT_OK);
    uint64_t count = pleat_bvh_crossings(bvh, bvh, NULL, NULL);
    pleat_bvh_destroy(bvh);
    return count;
}

/* With vertices from x on moved. */
static uint64_t crossings_of(cloth *c, const pleat_vec4 *positions, float x)
{
    pl_bvh_tally tally = {c->counts, c->groups, c->lenient};
    bool any = false;
    for (uint32_t v = 0; v < c->mesh.vertex_count; ++v)
    {
        c->ways[v] = c->mesh.positions[v].x >= x ? 1 : 0;
        any = any || c->ways[v] > 0;
    }
    assert_true(pl_bvh_sheet_move(&c->sheet, c->ways) == any);
    pl_bvh_sheet_refit(&c->sheet, positions, false, NULL);
    return pl_bvh_sheet_crossings(&c->sheet, &tally);
}

static void test_sheet_counts_what_crosses(void **state)
{
    (void)state;
    cloth *c = cloth_make(support_plane(SIZE, 0.2f), 1);
    pleat_vec4 *curled = malloc(c->mesh.vertex_count * sizeof *curled);
    curl(c, curled);
    uint64_t expected = crossings_of_all(c, curled), pairs = 0;
    print_message("a curl crosses itself in %llu pairs\n", (unsigned long long)expected);
    assert_true(expected > 100);
    assert_int_equal(crossings_of(c, curled, 0), expected);
    for (uint32_t t = 0; t < c->mesh.triangle_count; ++t)
    {
        pairs += c->counts[t];
    }
    assert_int_equal(pairs, 2 * expected);
    /* One end of it has moved, none, and both belong to a group that may cross. */
    assert_int_equal(crossings_of(c, curled, 0.5f * SIZE), expected);
    assert_int_equal(crossings_of(c, curled, 2 * SIZE), 0);
    c->lenient[0] = 1;
    assert_int_equal(crossings_of(c, curled, 0), 0);
    c->lenient[0] = 0;
    assert_int_equal(crossings_of(c, c->mesh.positions, 0), 0);
    free(curled);
    cloth_free(c);
}

/* One end of it comes back from where it crosses hardly anything. */
static void test_sheet_refits_what_has_moved(void **state)
{
    (void)state;
    cloth *c = cloth_make(support_plane(SIZE, 0.2f), 1);
    pl_bvh_tally tally = {c->counts, c->groups, c->lenient};
    pleat_vec4 *curled = malloc(c->mesh.vertex_count * sizeof *curled),
               *before = malloc(c->mesh.vertex_count * sizeof *before);
    curl(c, curled);
    for (uint32_t v = 0; v < c->mesh.vertex_count; ++v)
    {
        float beyond = c->mesh.positions[v].x - 0.5f * SIZE;
        before[v] = curled[v];
        before[v].z += beyond > 0 ? 0.5f * beyond : 0;
    }
    uint64_t none = crossings_of_all(c, before), some = crossings_of_all(c, curled);
    assert_true(none < 5 && some > 100);
    assert_int_equal(crossings_of(c, before, 0.5f * SIZE), none);
    pl_bvh_sheet_refit(&c->sheet, curled, true, NULL);
    assert_int_equal(pl_bvh_sheet_crossings(&c->sheet, &tally), some);
    free(curled);
    free(before);
    cloth_free(c);
}

/* Layers that lie on each other and face one way are two shells: they may well cross. */
static void test_sheet_tells_layers_apart(void **state)
{
    (void)state;
    support_mesh plane = support_plane(SIZE, 0.2f);
    support_mesh both = support_mesh_new(2 * plane.vertex_count, 2 * plane.triangle_count);
    for (uint32_t v = 0; v < both.vertex_count; ++v)
    {
        bool upper = v >= plane.vertex_count;
        pleat_vec4 p = plane.positions[upper ? v - plane.vertex_count : v];
        support_mesh_point(&both, v, (double)p.x, (double)p.y, upper ? 0.1 : 0);
    }
    for (uint32_t i = 0; i < 3 * both.triangle_count; ++i)
    {
        bool upper = i >= 3 * plane.triangle_count;
        both.triangles[i] =
            upper ? plane.triangles[i - 3 * plane.triangle_count] + plane.vertex_count : plane.triangles[i];
    }
    support_mesh_finish(&both);
    cloth *c = cloth_make(both, 2);
    pleat_vec4 *tilted = malloc(both.vertex_count * sizeof *tilted);
    for (uint32_t v = 0; v < both.vertex_count; ++v)
    {
        tilted[v] = both.positions[v];
        tilted[v].z += v < plane.vertex_count ? 0.1f * (tilted[v].x - 0.45f * SIZE) + 0.013f * tilted[v].y : 0;
    }
    uint64_t expected = crossings_of_all(c, tilted);
    print_message("two layers cross in %llu pairs\n", (unsigned long long)expected);
    assert_true(expected > 50);
    assert_int_equal(crossings_of(c, tilted, 0), expected);
    free(tilted);
    cloth_free(c);
    support_mesh_free(&plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet_counts_what_crosses),
        cmocka_unit_test(test_sheet_refits_what_has_moved),
        cmocka_unit_test(test_sheet_tells_layers_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
