/* Wrinkles between the layers of one cloth: each keeps to its share of the room, and nothing jumps as layers come near
 * or slide over each other. */
#include "support/shapes.h"
#include "support/support.h"

#include "base/memory.h"
#include "layers/wrinkles/contact/layers.h"

#include <string.h>

enum
{
    SIDE = 20, /* squares of side 1 */
    COUNT = (SIDE + 1) * (SIDE + 1),
    POINTS = 9
};

typedef struct folded
{
    support_mesh mesh;
    pl_wrinkle_layers *layers;
    pleat_vec4 now[COUNT];
    pl_f4 normals[COUNT];
    pleat_wrinkle wrinkle;
    pleat_wrinkle_point points[POINTS];
} folded;

/* A plane, and a wrinkle across its left part, along y. */
static void make_folded(folded *f, pleat_wrinkle_side side)
{
    pleat_error error = {0};
    memset(f, 0, sizeof *f);
    f->mesh = support_plane(SIDE, 0);
    assert_int_equal(f->mesh.vertex_count, COUNT);
    pl_wrinkle_layers_desc desc = {
        .topology = f->mesh.topology, .rest = f->mesh.positions, .side = side, .gap = 0.01f, .point_capacity = POINTS};
    assert_int_equal(pl_wrinkle_layers_create(&desc, NULL, &f->layers, &error), PLEAT_OK);
    f->wrinkle = (pleat_wrinkle){.id = 0, .first_point = 0, .point_count = POINTS, .seed = 4};
}

static void free_folded(folded *f)
{
    pl_wrinkle_layers_destroy(f->layers);
    support_mesh_free(&f->mesh);
}

/* Folds the plane over at x = 10: the right part lies the other way round, so high above the left one, and as far
 * aside. Gives the depth in the middle of a wrinkle that wants to be 1 high. */
static float depth_under(folded *f, float height, float aside, float wanted)
{
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        pleat_vec4 p = f->mesh.positions[v];
        bool over = p.x > 10;
        f->now[v] = over ? (pleat_vec4){20 - p.x + aside, p.y, height, 0} : p;
        f->normals[v] = pl_set(0, 0, over ? -1 : 1, 0);
    }
    for (uint32_t t = 0, i = 0; t < f->mesh.triangle_count && i < POINTS; ++t)
    {
        /* The middles of one column of triangles, x in 4..5. */
        const uint32_t *corner = &f->mesh.triangles[3 * (size_t)t];
        float x = 0, y = 0;
        for (int k = 0; k < 3; ++k)
        {
            x += f->mesh.positions[corner[k]].x / 3;
            y += f->mesh.positions[corner[k]].y / 3;
        }
        if (x > 4 && x < 4.5f && y > 5)
        {
            const float third = 1 / 3.0f;
            f->points[i++] = (pleat_wrinkle_point){
                .place = {t, {third, third, third}}, .width = 1, .depth = wanted, .strength = 0.2f};
        }
    }
    assert_int_equal(f->points[POINTS - 1].width, 1);
    pl_wrinkle_layers_begin(f->layers, f->now, f->normals, NULL);
    pl_wrinkle_layers_limit(f->layers, 1, &f->wrinkle, f->points, NULL);
    return f->points[4].depth;
}

static void test_layers_share_the_room(void **state)
{
    (void)state;
    folded f;
    make_folded(&f, PLEAT_WRINKLE_OUTWARD);
    assert_true(depth_under(&f, 8, 0, 1) == 1); /* room enough */
    for (float height = 2; height > 0.02f; height *= 0.8f)
    {
        /* The other side stands this way, too: half of the room is its own. */
        float depth = depth_under(&f, height, 0, 1);
        assert_true(depth <= 0.5f * height && (height > 1 || depth > 0.3f * (height - 0.011f)));
    }
    /* Away from the other layer there is no limit. */
    assert_true(depth_under(&f, 0.5f, 0, -1) == -1);
    /* Nor under a layer on the other side of the wrinkle. */
    assert_true(depth_under(&f, -0.5f, 0, 1) == 1);
    free_folded(&f);
    /* Wrinkles that all go inward: this side of the fold has none, the other one has both. */
    make_folded(&f, PLEAT_WRINKLE_INWARD);
    float depth = depth_under(&f, -1, 0, -1);
    assert_true(depth >= -0.5f && depth < -0.3f);
    free_folded(&f);
}

/* The upper layer slides aside until its border has passed the wrinkle, and comes down: in finer steps the depth
 * changes by as much less. */
static void test_layers_are_continuous(void **state)
{
    (void)state;
    folded f;
    make_folded(&f, PLEAT_WRINKLE_OUTWARD);
    float most[2] = {0, 0}, lowest = 1, highest = 0;
    for (int fine = 0; fine < 2; ++fine)
    {
        uint32_t steps = fine ? 400 : 40;
        float before = depth_under(&f, 0.6f, 0, 1);
        for (uint32_t i = 1; i <= steps; ++i)
        {
            float at = (float)i / (float)steps, depth = depth_under(&f, 0.6f + 0.3f * at, 10 * at, 1);
            most[fine] = fmaxf(most[fine], fabsf(depth - before));
            lowest = fminf(lowest, depth);
            highest = fmaxf(highest, depth);
            before = depth;
        }
    }
    assert_true(lowest < 0.3f && highest == 1);
    print_message("largest change %.3f, in ten times as many steps %.3f\n", (double)most[0], (double)most[1]);
    assert_true(most[1] < 0.4f * most[0]);
    free_folded(&f);
}

static void test_layers_without_memory(void **state)
{
    (void)state;
    support_mesh mesh = support_plane(4, 0);
    pl_wrinkle_layers_desc desc = {.topology = mesh.topology, .rest = mesh.positions, .point_capacity = 10};
    for (uint64_t limit = 0; limit < 1 << 20; limit += 64)
    {
        pleat_host host = {.memory_limit = limit + 1};
        pl_wrinkle_layers *layers;
        pleat_error error = {0};
        pleat_result result = pl_wrinkle_layers_create(&desc, &host, &layers, &error);
        assert_true((result == PLEAT_OK) == (layers != NULL));
        pl_wrinkle_layers_destroy(layers);
        if (result == PLEAT_OK)
        {
            assert_true(limit > 0);
            support_mesh_free(&mesh);
            return;
        }
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_share_the_room),
        cmocka_unit_test(test_layers_are_continuous),
        cmocka_unit_test(test_layers_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
