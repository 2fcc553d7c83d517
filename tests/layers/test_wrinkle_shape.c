/* Width and depth of wrinkles, judged by the lengths that come out of the deformer. */
#include "support/wrinkled.h"

#include "support/support.h"

#include "layers/wrinkles/deform/deform.h"
#include "layers/wrinkles/shape/profile.h"
#include "layers/wrinkles/shape/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static support_wrinkles set;

static pl_wrinkle_shape *bind_shape(const support_cloth *cloth, float radius, pleat_wrinkle_side side)
{
    pl_wrinkle_shape_desc desc = pl_wrinkle_shape_desc_default();
    desc.topology = cloth->coarse.topology;
    desc.rest = cloth->rest;
    desc.radius = radius;
    desc.side = side;
    desc.wrinkle_capacity = 64;
    desc.point_capacity = 8192;
    pl_wrinkle_shape *shape = NULL;
    assert_int_equal(pl_wrinkle_shape_create(&desc, NULL, &shape, NULL), PLEAT_OK);
    return shape;
}

static void shape_set(const support_cloth *cloth, float radius, pleat_wrinkle_side side)
{
    pl_wrinkle_shape *shape = bind_shape(cloth, radius, side);
    pl_wrinkle_shape_update(shape, cloth->coarse.positions, set.wrinkle_count, set.wrinkles, set.points, NULL);
    pl_wrinkle_shape_destroy(shape);
}

static pleat_vec4 *deform_set(const support_cloth *cloth)
{
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = cloth->coarse.topology;
    desc.vertex_count = cloth->refined->vertex_count;
    desc.vertex_triangle = cloth->refined->vertex_triangle;
    desc.vertex_barycentric = cloth->refined->vertex_barycentric;
    desc.wrinkle_capacity = 64;
    desc.point_capacity = 8192;
    pl_wrinkle_deform *deform = NULL;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &deform, NULL), PLEAT_OK);
    pleat_vec4 *out = malloc(cloth->refined->vertex_count * sizeof *out);
    memcpy(out, cloth->positions, cloth->refined->vertex_count * sizeof *out);
    pl_wrinkle_deform_frame frame = {.coarse = cloth->coarse.positions,
                                     .positions = out,
                                     .normals = cloth->normals,
                                     .wrinkle_count = set.wrinkle_count,
                                     .wrinkles = set.wrinkles,
                                     .points = set.points};
    pl_wrinkle_deform_update(deform, &frame);
    pl_wrinkle_deform_destroy(deform);
    return out;
}

/* The worst error of a row's length, of all rows. */
static double worst_error(const support_cloth *cloth, const pleat_vec4 *positions)
{
    double worst = 0;
    for (uint32_t row = 0; row < cloth->lattice; ++row)
    {
        double rest = support_row_length(cloth, cloth->refined_rest, row, 0, cloth->lattice - 1);
        worst = fmax(worst, fabs(support_row_length(cloth, positions, row, 0, cloth->lattice - 1) / rest - 1));
    }
    return worst;
}

/* Parallel crests, each spacing times 1 plus or minus irregular. */
static double length_error(double lost, double radius, double spacing, double irregular, pleat_wrinkle_side side)
{
    uint32_t seed = 77;
    uint32_t level = (uint32_t)lround(log2(16 / spacing));
    support_cloth cloth = support_cloth_make(8, level, lost, 0.2f);
    set.wrinkle_count = set.point_count = 0;
    for (double x = 0.5 * spacing; x < 8 - 0.3 * spacing;)
    {
        support_wrinkle(&cloth, &set, x, 0, x, 8, 100, 0, 0);
        x += spacing * (1 + irregular * (double)support_random_float(&seed, -1, 1));
    }
    shape_set(&cloth, (float)radius, side);
    pleat_vec4 *out = deform_set(&cloth);
    double error = worst_error(&cloth, out);
    const pleat_wrinkle_point *middle = &set.points[set.wrinkles[set.wrinkle_count / 2].first_point + 50];
    print_message(
        "lost %.2f, spacing %.1f R_min, irregular %.2f, side %d: worst error %.2f %%; width %.2f R_min, depth "
        "%.2f widths\n",
        lost, spacing / radius, irregular, side, 100 * error, middle->width / radius, middle->depth / middle->width);
    free(out);
    support_cloth_free(&cloth);
    return error;
}

static void test_wrinkle_shape_restores_length(void **state)
{
    (void)state;
    static const double losses[] = {0.05, 0.1, 0.2, 0.3, 0.36, 0.4};
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; ++i)
    {
        for (double parts = 2; parts < 9; parts *= 2)
        {
            assert_true(length_error(losses[i], 1 / parts, 1, 0, PLEAT_WRINKLE_OUTWARD) < 0.01);
        }
    }
}

/* Curves that end at the border end with a short step, and their seed may be there. */
static void test_wrinkle_shape_takes_short_last_steps(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 4, 0.3, 0.2f);
    set.wrinkle_count = set.point_count = 0;
    for (double x = 0.5; x < 8; x += 1)
    {
        support_wrinkle(&cloth, &set, x, 0, x, 7.9999, 70, 0, 0);
        pleat_wrinkle *last = &set.wrinkles[set.wrinkle_count - 1];
        set.points[set.point_count] = set.points[set.point_count - 1];
        set.points[set.point_count++].place = support_place(&cloth, x, 8);
        ++last->point_count;
        last->seed = last->point_count - 1;
    }
    shape_set(&cloth, 0.4f, PLEAT_WRINKLE_OUTWARD);
    pleat_vec4 *out = deform_set(&cloth);
    assert_true(worst_error(&cloth, out) < 0.01);
    free(out);
    support_cloth_free(&cloth);
}

/* Neighbours at any distance: strips of different width to either side. */
static void test_wrinkle_shape_takes_real_spacing(void **state)
{
    (void)state;
    static const pleat_wrinkle_side sides[] = {PLEAT_WRINKLE_OUTWARD, PLEAT_WRINKLE_INWARD, PLEAT_WRINKLE_BOTH};
    for (int i = 0; i < 3; ++i)
    {
        pleat_wrinkle_side side = sides[i];
        assert_true(length_error(0.1, 0.4, 1, 0.3, side) < 0.01);
        assert_true(length_error(0.2, 0.4, 1, 0.3, side) < 0.01);
        assert_true(length_error(0.36, 0.4, 1, 0.3, side) < 0.01);
    }
}

/* Strong compression: crests bend over, so that a line along the normal meets the cloth three times, and nothing
 * crosses.
 */
static void test_wrinkle_shape_bends_over(void **state)
{
    (void)state;
    static const double losses[] = {0.3, 0.36, 0.42, 0.46, 0.5};
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; ++i)
    {
        support_cloth cloth = support_cloth_make(8, 4, losses[i], 0.2f);
        set.wrinkle_count = set.point_count = 0;
        for (double x = 0.5; x < 8; x += 1)
        {
            support_wrinkle(&cloth, &set, x, 0, x, 8, 100, 0, 0);
        }
        shape_set(&cloth, 0.4f, PLEAT_WRINKLE_OUTWARD);
        pleat_vec4 *out = deform_set(&cloth);
        double back = 0, error = worst_error(&cloth, out), most = 0;
        for (uint32_t k = 0; k + 1 < cloth.lattice; ++k) /* along the middle row */
        {
            const uint32_t *at = &cloth.at[(size_t)(cloth.lattice / 2) * cloth.lattice];
            back = fmax(back, (double)(out[at[k]].x - out[at[k + 1]].x));
            most = fmax(most, support_row_length(&cloth, out, cloth.lattice / 2, k, k + 1) /
                                  support_row_length(&cloth, cloth.refined_rest, cloth.lattice / 2, k, k + 1));
        }
        pleat_bvh *bvh = NULL;
        assert_int_equal(pleat_bvh_create(cloth.refined->vertex_count, out, cloth.refined->triangle_count,
                                          cloth.refined->triangles, NULL, &bvh, NULL),
                         PLEAT_OK);
        uint64_t crossings = pleat_bvh_crossings(bvh, bvh, NULL, NULL);
        print_message(
            "lost %.2f: error %.2f %%, depth %.2f widths, steps back by %.3f of a width, largest stretch %.2f, "
            "%llu crossings\n",
            losses[i], 100 * error, set.points[50].depth / set.points[50].width, back / (double)set.points[50].width,
            most, (unsigned long long)crossings);
        assert_true(losses[i] > 0.45 ? back > 0 : losses[i] > 0.31 || back <= 0);
        assert_true(error < 0.02);
        assert_int_equal(crossings, 0);
        pleat_bvh_destroy(bvh);
        free(out);
        support_cloth_free(&cloth);
    }
}

static void test_wrinkle_shape_defaults_and_rejections(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(2, 0, 0, 0);
    pl_wrinkle_shape_desc desc = pl_wrinkle_shape_desc_default();
    pl_wrinkle_shape *shape = NULL;
    pleat_error error = {0};
    assert_true(desc.strength == 1 && desc.side == PLEAT_WRINKLE_OUTWARD);
    desc.topology = cloth.coarse.topology;
    desc.rest = cloth.rest;
    for (int i = 0; i < 3; ++i)
    {
        desc.radius = (float[]){0, NAN, -1}[i];
        assert_int_equal(pl_wrinkle_shape_create(&desc, NULL, &shape, &error), PLEAT_BAD_ARGUMENT);
        assert_null(shape);
        assert_non_null(strstr(error.message, "radius"));
    }
    desc.radius = 0.1f;
    desc.strength = 1.5f;
    assert_int_equal(pl_wrinkle_shape_create(&desc, NULL, &shape, &error), PLEAT_BAD_ARGUMENT);
    desc.strength = 1;
    assert_int_equal(pl_wrinkle_shape_create(&desc, NULL, &shape, &error), PLEAT_OK);
    pl_wrinkle_shape_destroy(shape);
    support_cloth_free(&cloth);
    assert_true(pl_fabric_radius(PLEAT_FABRIC_SILK, 1) > 0);
    assert_true(pl_fabric_radius(PLEAT_FABRIC_SILK, 1) < pl_fabric_radius(PLEAT_FABRIC_COTTON, 1));
    assert_true(pl_fabric_radius(PLEAT_FABRIC_COTTON, 1) < pl_fabric_radius(PLEAT_FABRIC_LEATHER, 1));
}

/* Nothing lost, nothing raised; open ends at 0; ends at the border, and rings, as high as the rest. */
static void test_wrinkle_shape_ends(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; ++lost)
    {
        support_cloth cloth = support_cloth_make(8, 0, lost ? 0.2 : 0, 0.2f);
        set.wrinkle_count = set.point_count = 0;
        support_wrinkle(&cloth, &set, 2, 0, 2, 6, 60, 0, 0);
        support_wrinkle(&cloth, &set, 4, 1, 4, 7, 60, 0, 0);
        shape_set(&cloth, 0.4f, PLEAT_WRINKLE_OUTWARD);
        for (uint32_t i = 0; i < set.point_count; ++i)
        {
            assert_true(set.points[i].width > 0);
            assert_true(lost ? set.points[i].depth >= 0 : set.points[i].depth < 1e-3f);
        }
        const pleat_wrinkle_point *a = set.points, *b = set.points + 61;
        if (lost)
        {
            assert_true(a[0].depth > 0.95f * a[20].depth && a[20].depth > 0.2f);
            assert_true(a[60].depth == 0 && b[0].depth == 0 && b[60].depth == 0);
            for (int i = 1; i < 61; ++i) /* the taper's steepest rise is 1.5 in 8 points */
            {
                assert_true(fabsf(a[i].depth - a[i - 1].depth) < 0.2f * a[20].depth);
                assert_true(fabsf(b[i].depth - b[i - 1].depth) < 0.2f * b[30].depth);
            }
        }
        support_cloth_free(&cloth);
    }
}

/* A neighbour that grows past a point changes its strip bit by bit. */
static void test_wrinkle_shape_is_continuous(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 0, 0.2, 0.2f);
    pl_wrinkle_shape *shape = bind_shape(&cloth, 0.4f, PLEAT_WRINKLE_OUTWARD);
    float before[61] = {0}, most = 0, highest = 0;
    for (int step = 0; step <= 400; ++step)
    {
        set.wrinkle_count = set.point_count = 0;
        support_wrinkle(&cloth, &set, 3, 1, 3, 7, 60, 0, 0);
        support_wrinkle(&cloth, &set, 4, 0, 4, 1 + 0.01 * step, 40, 0, 0);
        pl_wrinkle_shape_update(shape, cloth.coarse.positions, set.wrinkle_count, set.wrinkles, set.points, NULL);
        for (int i = 0; i <= 60; ++i)
        {
            most = step > 0 ? fmaxf(most, fabsf(set.points[i].depth - before[i])) : most;
            highest = fmaxf(highest, set.points[i].depth);
            before[i] = set.points[i].depth;
        }
    }
    print_message("a neighbour grows by 1 %% of its distance: depths change by at most %.1f %%\n",
                  (double)(100 * most / highest));
    assert_true(most < 0.04f * highest);
    pl_wrinkle_shape_destroy(shape);
    support_cloth_free(&cloth);
}

/* A wrinkle as short as it is wide is no ridge: it stays flat, and rises as it grows. */
static void test_wrinkle_shape_makes_no_dents(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 0, 0.2, 0.2f);
    float before = 0, most = 0;
    for (int step = 0; step <= 200; ++step)
    {
        double half = 0.7 + 0.01 * step;
        set.wrinkle_count = set.point_count = 0;
        support_wrinkle(&cloth, &set, 4, 4 - half, 4, 4 + half, 60, 0, 0);
        shape_set(&cloth, 0.4f, PLEAT_WRINKLE_OUTWARD);
        float depth = set.points[30].depth;
        assert_true(half > 0.8 || depth == 0);
        assert_true(depth > before - 1e-3f);
        most = fmaxf(most, depth - before);
        before = depth;
    }
    assert_true(before > 0.2f && most < 0.03f * before);
    support_cloth_free(&cloth);
}

/* New wrinkles stand against their neighbours, and keep their side from then on. */
static void test_wrinkle_shape_takes_turns(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 0, 0.2, 0.2f);
    set.wrinkle_count = set.point_count = 0;
    for (int i = 0; i < 7; ++i)
    {
        support_wrinkle(&cloth, &set, 1 + i, 1, 1 + i, 7, 30, 0, 0);
    }
    pl_wrinkle_shape *shape = bind_shape(&cloth, 0.4f, PLEAT_WRINKLE_BOTH);
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, set.wrinkle_count, set.wrinkles, set.points, NULL);
    for (int i = 0; i < 7; ++i)
    {
        assert_true((set.points[31 * i + 15].depth > 0) == (i % 2 == 0));
    }
    /* The first dies: the others do not turn. */
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, 6, set.wrinkles + 1, set.points, NULL);
    for (int i = 1; i < 7; ++i)
    {
        assert_true((set.points[31 * i + 15].depth > 0) == (i % 2 == 0));
    }
    /* Forgotten: now the second is the first of the row. */
    pl_wrinkle_shape_reset(shape);
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, 6, set.wrinkles + 1, set.points, NULL);
    assert_true(set.points[31 + 15].depth > 0 && set.points[62 + 15].depth < 0);
    pl_wrinkle_shape_destroy(shape);
    support_cloth_free(&cloth);
}

/* What sides depend on is in the state: who was there first. */
static void test_wrinkle_shape_state_restores(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 0, 0.2, 0.2f);
    set.wrinkle_count = set.point_count = 0;
    support_wrinkle(&cloth, &set, 1, 1, 1, 7, 30, 0, 0);
    support_wrinkle(&cloth, &set, 2, 1, 2, 7, 30, 0, 0);
    pl_wrinkle_shape *shape = bind_shape(&cloth, 0.4f, PLEAT_WRINKLE_BOTH);
    /* The second is there first, and outward. */
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, 1, set.wrinkles + 1, set.points, NULL);
    assert_true(set.points[31 + 15].depth > 0);
    void *saved = malloc(pl_wrinkle_shape_state_size(shape));
    pl_wrinkle_shape_save(shape, saved);
    pl_wrinkle_shape_destroy(shape);
    shape = bind_shape(&cloth, 0.4f, PLEAT_WRINKLE_BOTH);
    for (int restored = 0; restored < 2; ++restored)
    {
        pl_wrinkle_shape_reset(shape);
        if (restored)
        {
            pl_wrinkle_shape_restore(shape, saved);
        }
        pl_wrinkle_shape_update(shape, cloth.coarse.positions, 2, set.wrinkles, set.points, NULL);
        assert_true((set.points[15].depth < 0) == restored && (set.points[31 + 15].depth > 0) == restored);
    }
    free(saved);
    pl_wrinkle_shape_destroy(shape);
    support_cloth_free(&cloth);
}

static void test_wrinkle_shape_does_not_depend_on_threads(void **state)
{
    (void)state;
    static pleat_wrinkle_point one[8192];
    support_cloth cloth = support_cloth_make(8, 0, 0.25, 0.3f);
    set.wrinkle_count = set.point_count = 0;
    for (int i = 0; i < 10; ++i)
    {
        support_wrinkle(&cloth, &set, 0.3 + 0.7 * i, 0.5, 1 + 0.6 * i, 7.4, 60, 0, 0);
    }
    pl_wrinkle_shape *shape = bind_shape(&cloth, 0.3f, PLEAT_WRINKLE_OUTWARD);
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, set.wrinkle_count, set.wrinkles, set.points, NULL);
    memcpy(one, set.points, sizeof one);
    pleat_pool *pool = NULL;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    pl_wrinkle_shape_update(shape, cloth.coarse.positions, set.wrinkle_count, set.wrinkles, set.points, &tasks);
    assert_memory_equal(one, set.points, sizeof one);
    pleat_pool_destroy(pool);
    pl_wrinkle_shape_destroy(shape);
    support_cloth_free(&cloth);
}

static pleat_result create_for_sweep(void *user, const pleat_host *host, pleat_error *error)
{
    const support_cloth *cloth = user;
    pl_wrinkle_shape_desc desc = pl_wrinkle_shape_desc_default();
    desc.topology = cloth->coarse.topology;
    desc.rest = cloth->rest;
    desc.radius = 0.1f;
    desc.wrinkle_capacity = 4;
    desc.point_capacity = 64;
    pl_wrinkle_shape *shape;
    pleat_result result = pl_wrinkle_shape_create(&desc, host, &shape, error);
    pl_wrinkle_shape_destroy(shape);
    return result;
}

static void test_wrinkle_shape_out_of_memory(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(3, 0, 0, 0);
    support_sweep_allocations(create_for_sweep, &cloth);
    support_cloth_free(&cloth);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkle_shape_defaults_and_rejections),
        cmocka_unit_test(test_wrinkle_shape_restores_length),
        cmocka_unit_test(test_wrinkle_shape_takes_real_spacing),
        cmocka_unit_test(test_wrinkle_shape_takes_short_last_steps),
        cmocka_unit_test(test_wrinkle_shape_bends_over),
        cmocka_unit_test(test_wrinkle_shape_ends),
        cmocka_unit_test(test_wrinkle_shape_is_continuous),
        cmocka_unit_test(test_wrinkle_shape_makes_no_dents),
        cmocka_unit_test(test_wrinkle_shape_takes_turns),
        cmocka_unit_test(test_wrinkle_shape_state_restores),
        cmocka_unit_test(test_wrinkle_shape_does_not_depend_on_threads),
        cmocka_unit_test(test_wrinkle_shape_out_of_memory),
    };
    return cmocka_run_group_tests_name("wrinkle_shape", tests, NULL, NULL);
}
