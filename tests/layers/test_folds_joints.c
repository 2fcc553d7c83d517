/* What single joints of a folded garment have for themselves, and what a mask leaves. Judged by the same values given
 * to all, by plain skinning, and by where around the arm the folds stand. */
#include "support/support.h"

#include "layers/folds/folds.h"

#include "pleat/bake.h"
#include "pleat/layers/folds.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 0.017453293f

static pleat_made *make_arm(void)
{
    pleat_make_options options = pleat_make_options_default();
    pleat_made *made = NULL;
    options.arm_around = 16;
    options.arm_along = 30;
    assert_int_equal(pleat_make("arm", &options, NULL, &made, NULL), PLEAT_OK);
    return made;
}

/* A frame of the arm's bend; #V in count. The caller frees. */
static pleat_vec4 *fold_frame(const pleat_folds_options *options, const float *mask, const pleat_host *host,
                              uint32_t frame, uint32_t *count)
{
    pleat_made *made = make_arm();
    pleat_layer_desc layer = {&pleat_folds_layer, options};
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_made_model(made));
    desc.refine = PLEAT_REFINE_LOOP;
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.last_frame = 28;
    desc.mask = mask;
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    if (pleat_bake_create(&desc, host, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    assert_int_equal(pleat_bake_frame(bake, frame, NULL), PLEAT_OK);
    const pleat_stack *stack = pleat_bake_stack(bake, 0);
    *count = pleat_stack_get_shape(stack)->surface_count;
    pleat_vec4 *copy = malloc(*count * sizeof *copy);
    memcpy(copy, pleat_stack_positions(stack), *count * sizeof *copy);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made);
    return copy;
}

/* Frame 28: 60 degrees. */
static pleat_vec4 *fold_masked(const pleat_folds_options *options, const float *mask, const pleat_host *host,
                               uint32_t *count)
{
    return fold_frame(options, mask, host, 28, count);
}

static pleat_vec4 *fold_arm(const pleat_folds_options *options, const pleat_host *host, uint32_t *count)
{
    return fold_masked(options, NULL, host, count);
}

static pleat_folds_joint joint_from(const pleat_folds_options *options, const char *joints)
{
    return (pleat_folds_joint){joints,         options->width,  options->strength, options->length, options->bend,
                               options->angle, options->spread, options->profile,  options->curve};
}

static bool same(const pleat_folds_options *a, const pleat_folds_options *b)
{
    uint32_t a_count, b_count;
    pleat_vec4 *p = fold_arm(a, NULL, &a_count), *q = fold_arm(b, NULL, &b_count);
    bool equal = a_count == b_count && memcmp(p, q, a_count * sizeof *p) == 0;
    free(p);
    free(q);
    return equal;
}

/* Given to the only joint that bends, a value is the same as given to all; given to another, it changes nothing. */
static void test_joint_values_are_the_joint_s_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i)
    {
        pleat_folds_options general = pleat_folds_options_default(), all = general, own = general, other = general;
        float unused, *members[] = {&all.width, &all.strength, &all.length, &all.spread, &unused, &unused};
        const float values[] = {0.015f, 0.4f, 0.06f, 100 * DEGREE, 0, 0};
        *members[i] = values[i];
        all.profile = i == 4 ? PLEAT_PROFILE_FIFTH : i == 5 ? PLEAT_PROFILE_CURVE : PLEAT_PROFILE_THIRD;
        snprintf(all.curve, sizeof all.curve, "0,0 0.2,1 1,0");
        pleat_folds_joint elbow = joint_from(&all, "hand,fore*"), hand = joint_from(&all, "HAND");
        own.joint_count = other.joint_count = 1;
        own.joint_values = &elbow;
        other.joint_values = &hand;
        assert_true(same(&own, &all));
        if (support_is_long() || i == 0)
        {
            assert_true(same(&other, &general));
            assert_false(same(&all, &general));
        }
    }
}

/* Nothing rises outside of the length that was asked for, and something does in its last fold. */
static void test_length_is_that_of_the_region(void **state)
{
    (void)state;
    for (int folds = 1; folds <= 4; ++folds)
    {
        pleat_folds_options options = pleat_folds_options_default(), flat;
        uint32_t count, flat_count;
        options.width = 0.015f;
        options.length = 2 * (float)folds * options.width;
        flat = options;
        flat.strength = 0;
        pleat_vec4 *p = fold_arm(&options, NULL, &count), *q = fold_arm(&flat, NULL, &flat_count);
        pleat_vec4 *rest = fold_frame(&flat, NULL, NULL, 0, &flat_count);
        float farthest = 0;
        assert_int_equal(count, flat_count);
        for (uint32_t i = 0; i < count; ++i)
        {
            float moved = hypotf(hypotf(p[i].x - q[i].x, p[i].y - q[i].y), p[i].z - q[i].z);
            farthest = moved > 1e-4f ? fmaxf(farthest, fabsf(rest[i].y)) : farthest;
        }
        print_message("length %.3f m: folds up to %.4f m away\n", (double)options.length, (double)farthest);
        assert_true(farthest < 0.505f * options.length);
        assert_true(farthest > 0.5f * options.length - options.width);
        free(p);
        free(q);
        free(rest);
    }
}

static void test_first_fitting_joint_counts_and_none_can_be_left_out(void **state)
{
    (void)state;
    pleat_folds_options plain = pleat_folds_options_default(), both = plain, off = plain, none = plain;
    pleat_folds_joint list[2] = {joint_from(&plain, "forearm"), joint_from(&plain, "*")};
    list[1].width = 0.03f;
    both.joint_count = 2;
    both.joint_values = list;
    assert_true(same(&both, &plain));
    pleat_folds_joint gone = joint_from(&plain, "fore*");
    gone.strength = 0;
    off.joint_count = 1;
    off.joint_values = &gone;
    snprintf(none.joints, sizeof none.joints, "nobody");
    assert_true(same(&off, &none));
    /* A joint that bends less than asked gets folds if its own value says so. */
    pleat_folds_options stiff = plain;
    stiff.bend = 3;
    assert_false(same(&stiff, &plain));
    pleat_folds_joint bends = joint_from(&plain, "forearm");
    stiff.joint_count = 1;
    stiff.joint_values = &bends;
    assert_true(same(&stiff, &plain));
}

/* The highest that folds rise over plain skinning. */
static float highest(const pleat_folds_options *options)
{
    pleat_folds_options flat = *options;
    uint32_t count, flat_count;
    flat.strength = 0;
    pleat_vec4 *p = fold_arm(options, NULL, &count), *q = fold_arm(&flat, NULL, &flat_count);
    float most = 0;
    assert_int_equal(count, flat_count);
    for (uint32_t v = 0; v < count; ++v)
    {
        float x = p[v].x - q[v].x, y = p[v].y - q[v].y, z = p[v].z - q[v].z;
        most = fmaxf(most, sqrtf(x * x + y * y + z * z));
    }
    free(p);
    free(q);
    return most;
}

static void test_side_chooses_where_folds_stand(void **state)
{
    (void)state;
    pleat_folds_options all = pleat_folds_options_default(), inner = all, outer = all;
    inner.spread = outer.spread = 120 * DEGREE;
    outer.angle = 180 * DEGREE;
    float everywhere = highest(&all), inside = highest(&inner), outside = highest(&outer);
    print_message("highest: all %.1f mm, inner side %.1f mm, outer side %.2f mm\n", 1e3 * (double)everywhere,
                  1e3 * (double)inside, 1e3 * (double)outside);
    /* The highest folds stand at the inner side, where nothing changed; the outer side is stretched and has none. */
    assert_true(fabsf(inside - everywhere) < 1e-3f * everywhere);
    assert_true(outside == 0);
}

/* An even mask of a half halves every height; one of 0 leaves plain skinning. */
static void test_mask_scales_heights(void **state)
{
    (void)state;
    pleat_folds_options options = pleat_folds_options_default(), flat = options;
    options.even = flat.even = options.contact = flat.contact = false;
    flat.strength = 0;
    pleat_made *made = make_arm();
    uint32_t render_count = pleat_mesh_vertex_count(&pleat_made_model(made)->meshes[0]), count;
    float *half = malloc(render_count * sizeof *half), *none = calloc(render_count, sizeof *none);
    for (uint32_t v = 0; v < render_count; ++v)
    {
        half[v] = 0.5f;
    }
    pleat_vec4 *full = fold_arm(&options, NULL, &count), *plain = fold_arm(&flat, NULL, &count);
    pleat_vec4 *halved = fold_masked(&options, half, NULL, &count), *masked = fold_masked(&options, none, NULL, &count);
    float worst = 0, most = 0;
    for (uint32_t v = 0; v < count; ++v)
    {
        float rise[3] = {full[v].x - plain[v].x, full[v].y - plain[v].y, full[v].z - plain[v].z};
        float left[3] = {halved[v].x - plain[v].x, halved[v].y - plain[v].y, halved[v].z - plain[v].z};
        for (int k = 0; k < 3; ++k)
        {
            most = fmaxf(most, fabsf(rise[k]));
            worst = fmaxf(worst, fabsf(left[k] - 0.5f * rise[k]));
        }
    }
    assert_true(most > 0.005f && worst < 1e-6f);
    assert_memory_equal(masked, plain, count * sizeof *plain);
    free(full);
    free(plain);
    free(halved);
    free(masked);
    free(half);
    free(none);
    pleat_made_destroy(made);
}

static void test_wrong_values_of_joints_are_refused(void **state)
{
    (void)state;
    pleat_folds_options options = pleat_folds_options_default();
    pleat_folds_joint bad = joint_from(&options, "x");
    pleat_made *made = make_arm();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_made_model(made));
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_bake *bake = NULL;
    desc.layer_count = 1;
    desc.layers = &layer;
    options.joint_count = 1;
    options.joint_values = &bad;
    bad.strength = 2;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, NULL), PLEAT_BAD_ARGUMENT);
    bad = joint_from(&options, NULL);
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, NULL), PLEAT_BAD_ARGUMENT);
    bad = joint_from(&options, "x");
    bad.profile = 9;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, NULL), PLEAT_BAD_ARGUMENT);
    bad.profile = PLEAT_PROFILE_CURVE;
    bad.curve = "0,0 nonsense";
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, NULL), PLEAT_BAD_ARGUMENT);
    bad = joint_from(&options, "x");
    bad.width = NAN;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, NULL), PLEAT_BAD_ARGUMENT);
    pleat_made_destroy(made);
}

static void keep_message(void *user, pleat_severity severity, const char *message)
{
    char *kept = user;
    if (severity == PLEAT_WARNING)
    {
        snprintf(kept, 300, "%s", message);
    }
}

static void test_names_that_fit_no_joint_are_told(void **state)
{
    (void)state;
    char said[300] = "";
    pleat_host host = pleat_host_default();
    host.log = keep_message;
    host.log_user = said;
    pleat_folds_options options = pleat_folds_options_default();
    pleat_folds_joint wrong = joint_from(&options, "forearm,formarm");
    options.joint_count = 1;
    options.joint_values = &wrong;
    uint32_t count;
    free(fold_arm(&options, &host, &count));
    assert_string_equal(said, "folds: no joint is named 'formarm'; did you mean 'forearm'?");
    said[0] = 0;
    wrong.joints = "Fore*";
    free(fold_arm(&options, &host, &count));
    assert_string_equal(said, "");
}

/* ---- Chains of joints ---- */

enum
{
    STATIONS = 24
};

/* A ring around an axis in the plane of x and y, the angle of which is counted from x. */
static pl_fold_ring ring_around(pl_station *stations, uint8_t *below, uint32_t joint, const float middle[2],
                                float angle, float radius)
{
    pl_fold_ring ring = {.joint = joint, .below = below, .values = {.width = 0.05f, .strength = 1}, .reach = 0.1f};
    for (uint32_t i = 0; i < STATIONS; ++i)
    {
        float turn = 6.2831853f * (float)i / STATIONS, across = radius * cosf(turn);
        stations[i].position =
            pl_set(middle[0] - across * sinf(angle), middle[1] + across * cosf(angle), radius * sinf(turn), 0);
    }
    ring.ring = (pl_ring){STATIONS, stations, true, 6.2831853f * radius};
    return ring;
}

/* A spine and a chest above it share a bend; an arm that branches off the chest, no farther from its ring, does not. */
static void test_chain_goes_on_along_the_trunk_alone(void **state)
{
    (void)state;
    pl_station stations[3][STATIONS] = {0};
    uint8_t below[3][4] = {{1, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 1, 0}};
    pl_fold_ring rings[3] = {
        ring_around(stations[0], below[0], 0, (const float[2]){0, 1.08f}, 90 * DEGREE, 0.12f),
        ring_around(stations[1], below[1], 1, (const float[2]){0, 1.22f}, 90 * DEGREE, 0.118f),
        ring_around(stations[2], below[2], 2, (const float[2]){0.13f, 1.34f}, -45 * DEGREE, 0.07f)};
    pl_patch probes[3] = {0};
    assert_true(pl_folds_apart(&rings[1].ring, &rings[2].ring) < 3.8f * 0.05f);
    pl_folds_plan plan = {.ring_count = 3, .rings = rings};
    plan.memory = pl_memory_from(NULL);
    pl_arena_init(&plan.arena, &plan.memory);
    assert_int_equal(pl_folds_merge_chains(&plan, probes, NULL), PLEAT_OK);
    assert_int_equal(plan.ring_count, 2);
    assert_true(plan.rings[0].joint < 2 && plan.rings[1].joint == 2);
    assert_true(plan.rings[0].reach > 0.23f);
    pl_arena_free(&plan.arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_values_are_the_joint_s_alone),
        cmocka_unit_test(test_length_is_that_of_the_region),
        cmocka_unit_test(test_first_fitting_joint_counts_and_none_can_be_left_out),
        cmocka_unit_test(test_side_chooses_where_folds_stand),
        cmocka_unit_test(test_mask_scales_heights),
        cmocka_unit_test(test_wrong_values_of_joints_are_refused),
        cmocka_unit_test(test_names_that_fit_no_joint_are_told),
        cmocka_unit_test(test_chain_goes_on_along_the_trunk_alone),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_joint_values_are_the_joint_s_alone),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
