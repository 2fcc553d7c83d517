/* Folds in contact: with each other, in deep bends, and with other parts of the body. */
#include "support/folded.h"

#include "base/vec.h"
#include "layers/folds/clearance/along.h"
#include "pleat/measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- Contact ---- */

/* A tree over the mesh of a bake. */
static pleat_bvh *tree_of(pleat_bake *bake)
{
    const pleat_stack_shape *shape = support_shape_of(bake);
    pleat_bvh *bvh = NULL;
    assert_int_equal(pleat_bvh_create(shape->surface_count, shape->rest, shape->triangle_count,
                                      shape->surface_triangles, NULL, &bvh, NULL),
                     PLEAT_OK);
    return bvh;
}

static uint64_t crossings(pleat_bvh *bvh, pleat_bake *bake, uint32_t frame)
{
    pleat_bvh_refit(bvh, support_frame(bake, frame), NULL);
    return pleat_bvh_crossings(bvh, bvh, NULL, NULL);
}

static void check_contact(uint32_t around, uint32_t along, pleat_skinning skinning)
{
    support_actor arm = support_actor_arm(around, along);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    r.skinning = skinning;
    pleat_bake *bake = support_run_bake(&arm, &r), *plain = support_run_bake_plain(&arm, &r);
    pleat_bvh *bvh = tree_of(bake);
    for (uint32_t f = 20; f <= 60; f += 4)
    {
        uint64_t with = crossings(bvh, bake, f), without = crossings(bvh, plain, f);
        print_message("arm %u x %u, %s, at %5.1f degrees: %llu crossings, skinning alone %llu; highest %.1f mm\n",
                      around, along, skinning == PLEAT_DQS ? "dqs" : "lbs", support_arm_angle(f),
                      (unsigned long long)with, (unsigned long long)without, 1000 * support_figure(bake, "highest"));
        assert_true(with <= without);
        assert_true(support_figure(bake, "highest") < 0.023);
    }
    pleat_bvh_destroy(bvh);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

static void test_folds_add_no_crossings(void **state)
{
    (void)state;
    check_contact(24, 60, PLEAT_LBS);
    if (support_is_long())
    {
        check_contact(72, 200, PLEAT_LBS);
    }
    check_contact(24, 60, PLEAT_DQS);
}

/* Crossings of a dancer's garment in all frames, against those of the same mesh without folds. */
static double crossings_ratio_of(const char *path, const char *node, support_run r)
{
    support_actor dancer = support_actor_load(path);
    r.node = support_node_named(dancer.model, node);
    pleat_bake *bake = support_run_bake(&dancer, &r), *plain = support_run_bake_plain(&dancer, &r);
    pleat_bvh *bvh = tree_of(bake);
    uint64_t with = 0, without = 0;
    for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
    {
        with += crossings(bvh, bake, f);
        without += crossings(bvh, plain, f);
    }
    pleat_bvh_destroy(bvh);
    print_message("%s: %llu crossings, skinning alone %llu: %.4f x\n", path, (unsigned long long)with,
                  (unsigned long long)without, (double)with / (double)without);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&dancer);
    return (double)with / (double)without;
}

/* Skinning pushes thighs through each other and arms through the chest, and folds there would add to it. Triangles that
 * cross are counted anew wherever a vertex moves within what skinning has pushed through: a hundredth either way says
 * nothing. */
static const double no_more = 1.01;

/* Evenly over the whole clip: 3 frames a second, or as few as show it. */
static double crossings_ratio(const char *path, const char *node, float fps)
{
    support_run r = support_run_make(0, 0, PLEAT_NONE);
    r.fps = support_is_long() ? 3 : fps;
    return crossings_ratio_of(path, node, r);
}

static void test_folds_mind_other_parts_of_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    assert_true(crossings_ratio(path, "", 0.6f) <= no_more);
}

static void test_folds_mind_other_parts_of_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    assert_true(crossings_ratio(path, "suit", 0.2f) <= no_more);
}

/* An elbow that skinning pushes through itself from 70 degrees on: 1.15 where its crease is half way between the bones
 * alone, and closed however far it is bent. */
static void test_folds_mind_the_sleeve(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_arm/mh_sleeve_sub1.glb");
    support_run r = support_run_make(0, 0, 20);
    r.fps = 10;
    assert_true(crossings_ratio_of(path, "", r) <= no_more);
    r.skinning = PLEAT_DQS;
    assert_true(crossings_ratio_of(path, "", r) <= no_more);
}

static void test_folds_mind_the_arm(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_arm/mh_arm_body.glb");
    assert_true(crossings_ratio(path, "", 3) <= no_more);
}

/* Deep knees, whose folds may still cross each other, and thighs. */
static void test_folds_mind_other_parts_of_the_worksuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_fat_male_worksuit/mh_fat_male_worksuit.glb");
    assert_true(crossings_ratio(path, "suit", 0.1f) <= no_more);
}

/* The leotard of the built-in dancer with folds that are too wide for it. */
static pleat_bake *bake_leotard(const support_actor *dancer, const pleat_layer_type *type, float strength)
{
    uint32_t node = support_node_named(dancer->model, "leotard");
    pleat_folds_options options = pleat_folds_options_default();
    options.strength = strength;
    options.width = 0.06f;
    options.detail = 3;
    pleat_layer_desc layer = {type, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(dancer->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.node_count = 1;
    desc.nodes = &node;
    desc.clip = support_clip_named(dancer->model, "squat");
    desc.fps = 10;
    desc.layer_count = 1;
    desc.layers = &layer;
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    if (pleat_bake_create(&desc, NULL, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

/* How many more triangles cross than without folds, of frames that folds make worse. */
static uint64_t made_worse(const support_actor *dancer, const pleat_layer_type *type)
{
    pleat_bake *bake = bake_leotard(dancer, type, 1), *plain = bake_leotard(dancer, type, 0);
    pleat_bvh *bvh = tree_of(bake);
    uint64_t worse = 0;
    for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
    {
        uint64_t with = crossings(bvh, bake, f), without = crossings(bvh, plain, f);
        worse += with > without ? with - without : 0;
    }
    pleat_bvh_destroy(bvh);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    return worse;
}

/* Where folds would add crossings they are let down. */
static void test_folds_keep_clear_of_other_cloth(void **state)
{
    (void)state;
    support_actor dancer = support_actor_make("dancer");
    pleat_layer_type heedless = pleat_folds_layer;
    heedless.rehearse = NULL;
    uint64_t before = made_worse(&dancer, &heedless), after = made_worse(&dancer, &pleat_folds_layer);
    print_message("folds add %llu crossings, %llu where they keep clear\n", (unsigned long long)before,
                  (unsigned long long)after);
    assert_true(before > 0 && after == 0);
    support_actor_drop(&dancer);
}

/* Past 100 degrees cloth is pressed together, and folds stand beside the crease: on the upper arm, which hangs down
 * along y and does not move, as a place further away from its axis. */
static void test_folds_stay_in_deep_bends(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(24, 60);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    pleat_bake *bake = support_run_bake(&arm, &r), *plain = support_run_bake_plain(&arm, &r);
    const pleat_stack_shape *shape = support_shape_of(bake);
    for (uint32_t f = 36; f <= 60; f += 4)
    {
        const pleat_vec4 *folded = support_frame(bake, f), *skinned = support_frame(plain, f);
        double highest = 0;
        for (uint32_t v = 0; v < shape->surface_count; ++v)
        {
            double before = hypot((double)skinned[v].x, (double)skinned[v].z);
            double rise = hypot((double)folded[v].x, (double)folded[v].z) - before;
            highest = before > 0.045 && shape->rest[v].y < 0 ? fmax(highest, rise) : highest;
        }
        print_message("arm at %5.1f degrees: folds stand %.1f mm high\n", support_arm_angle(f), 1000 * highest);
        assert_true(highest > 0.0025 && highest < 0.016);
    }
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

/* In the deepest bends what is left of a fold stays where it is long along the ring, and goes where it is short. */
static void test_folds_leave_no_stubs(void **state)
{
    (void)state;
    enum
    {
        STATIONS = 12,
        FOLDS = 2,
        LONG = 0, /* a fold that runs over the seam of the ring; its end is steep and its top not even */
        SHORT = 1 /* four stations of one */
    };
    static const float before[STATIONS][FOLDS] = {{5, 0}, {5, 0}, {3, 0}, {0, 4}, {0, 6}, {0, 6},
                                                  {0, 2}, {0, 0}, {0, 0}, {2, 0}, {4, 1}, {6, 0}};
    uint32_t planned[STATIONS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13};
    pl_bound_ring ring = {.station_count = STATIONS, .fold_count = FOLDS, .planned = planned, .closed = true};
    float heights[STATIONS][FOLDS], scratch[STATIONS][FOLDS];
    pl_folds_layer layer = {.at.risen = {.heights = heights[0], .lowest = scratch[0]}};
    for (int part = 0; part <= 2; ++part)
    {
        memcpy(heights, before, sizeof heights);
        pl_fold_leave_stubs(&ring, 0.5f * (float)part, &layer);
        for (uint32_t i = 0; i < STATIONS; ++i)
        {
            float left = 1 - 0.5f * (float)part;
            /* The long one is 3 high over five stations: no more than 4.8. */
            float most = fminf(before[i][LONG], 4.8f), loss = before[i][LONG] - most;
            assert_float_equal(heights[i][LONG], before[i][LONG] - loss * (1 - left), 1e-5f);
            assert_float_equal(heights[i][SHORT], left * before[i][SHORT], 1e-5f);
        }
    }
    /* Beyond the end of an open ring nothing is known, and nothing held against a fold. */
    ring.closed = false;
    memcpy(heights, before, sizeof heights);
    pl_fold_leave_stubs(&ring, 1, &layer);
    assert_float_equal(heights[0][LONG], 4.8f, 1e-5f);
    assert_float_equal(heights[STATIONS - 1][LONG], 3.2f, 1e-5f);
    assert_float_equal(heights[4][SHORT], 0, 1e-5f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_add_no_crossings),
        cmocka_unit_test(test_folds_mind_other_parts_of_the_leotard),
        cmocka_unit_test(test_folds_mind_other_parts_of_the_sportsuit),
        cmocka_unit_test(test_folds_mind_the_sleeve),
        cmocka_unit_test(test_folds_mind_the_arm),
        cmocka_unit_test(test_folds_keep_clear_of_other_cloth),
        cmocka_unit_test(test_folds_stay_in_deep_bends),
        cmocka_unit_test(test_folds_leave_no_stubs),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_folds_add_no_crossings),
        cmocka_unit_test(test_folds_mind_other_parts_of_the_leotard),
        cmocka_unit_test(test_folds_mind_other_parts_of_the_sportsuit),
        cmocka_unit_test(test_folds_mind_other_parts_of_the_worksuit),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
