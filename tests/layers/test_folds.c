/* The folds layer, judged by lengths measured on the mesh that comes out, by crossings, and by plain skinning on the
 * same mesh (the layer with strength 0). */
#include "support/folded.h"

#include "base/vec.h"
#include "layers/folds/frame/course.h"
#include "layers/folds/frame/kernels.h"
#include "pleat/measure.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

static void test_folds_defaults_are_valid(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(12, 20);
    support_run r = support_run_make(0, 0, 2);
    pleat_bake *bake = support_run_bake(&arm, &r);
    assert_int_equal((int)support_figure(bake, "rings"), 0); /* three frames of the clip do not reach 10 degrees */
    pleat_bake_destroy(bake);
    r.last = 40;
    bake = support_run_bake(&arm, &r);
    assert_int_equal((int)support_figure(bake, "rings"), 1);
    pleat_bake_destroy(bake);
    support_actor_drop(&arm);
}

static void refuse(const support_actor *arm, const pleat_folds_options *options)
{
    pleat_error error = {0};
    pleat_bake *bake = NULL;
    pleat_layer_desc layer = {&pleat_folds_layer, options};
    pleat_bake_desc desc = pleat_bake_desc_default(arm->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.layer_count = 1;
    desc.layers = &layer;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    assert_null(bake);
    assert_true(strlen(error.message) > 10);
}

static void test_folds_refuse_options_out_of_range(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(12, 20);
    const size_t floats[] = {offsetof(pleat_folds_options, width),        offsetof(pleat_folds_options, strength),
                             offsetof(pleat_folds_options, length),       offsetof(pleat_folds_options, bend),
                             offsetof(pleat_folds_options, irregularity), offsetof(pleat_folds_options, detail)};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; ++i)
    {
        const float wrong[] = {-1, NAN};
        for (int k = 0; k < 2; ++k)
        {
            pleat_folds_options options = pleat_folds_options_default();
            memcpy((char *)&options + floats[i], &wrong[k], sizeof wrong[k]);
            refuse(&arm, &options);
        }
    }
    pleat_folds_options options = pleat_folds_options_default();
    options.strength = 1.5f;
    refuse(&arm, &options);
    options = pleat_folds_options_default();
    options.irregularity = 1.5f;
    refuse(&arm, &options);
    options = pleat_folds_options_default();
    options.detail = 20;
    refuse(&arm, &options);
    options = pleat_folds_options_default();
    options.width = INFINITY;
    refuse(&arm, &options);
    options = pleat_folds_options_default();
    options.profile = 7;
    refuse(&arm, &options);
    options = pleat_folds_options_default();
    options.profile = PLEAT_PROFILE_CURVE;
    const char *const curves[] = {"",        "0,0",      "0,0 1,1 0.5,0", "0,0 1,-1 2,0",
                                  "0,0 1;1", "0,0 1,1x", "a,b c,d",       "1,1 2,.,3"};
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; ++i)
    {
        snprintf(options.curve, sizeof options.curve, "%s", curves[i]);
        refuse(&arm, &options);
    }
    options = pleat_folds_options_default();
    memset(options.joints, 'x', sizeof options.joints);
    refuse(&arm, &options);
    support_actor_drop(&arm);
}

static void test_folds_take_joints_and_curves(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(12, 20);
    support_run r = support_run_make(0, 0, 40);
    snprintf(r.options.joints, sizeof r.options.joints, "knee*,FORE?rm");
    r.options.profile = PLEAT_PROFILE_CURVE;
    pleat_bake *bake = support_run_bake(&arm, &r);
    support_frame(bake, 30);
    assert_int_equal((int)support_figure(bake, "rings"), 1);
    assert_true(support_figure(bake, "raised") > 0 && support_figure(bake, "tau") <= 1e-6);
    pleat_bake_destroy(bake);
    snprintf(r.options.joints, sizeof r.options.joints, "knee*,hip");
    bake = support_run_bake(&arm, &r);
    assert_int_equal((int)support_figure(bake, "rings"), 0);
    pleat_bake_destroy(bake);
    support_actor_drop(&arm);
}

/* The width that is told, given to another bake, makes the same folds there. */
static void test_folds_tell_the_width_they_chose(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(12, 20);
    support_run r = support_run_make(0, 0, 40);
    pleat_bake *chosen = support_run_bake(&arm, &r);
    const pleat_vec4 *positions = support_frame(chosen, 30);
    r.options.width = (float)support_figure(chosen, "width");
    assert_true(r.options.width > 0.01f && r.options.width < 0.05f);
    pleat_bake *given = support_run_bake(&arm, &r);
    uint32_t count = support_shape_of(chosen)->surface_count;
    assert_int_equal(support_shape_of(given)->surface_count, count);
    assert_memory_equal(support_frame(given, 30), positions, count * sizeof *positions);
    pleat_bake_destroy(chosen);
    pleat_bake_destroy(given);
    support_actor_drop(&arm);
}

/* ---- Lengths on the arm ---- */

enum
{
    MERIDIANS = 48
};

static pleat_measure *measure_arm(const pleat_stack_shape *shape, double half)
{
    pleat_measure_desc desc = pleat_measure_desc_default();
    desc.surface =
        (pleat_measure_mesh){shape->surface_count, shape->rest, shape->triangle_count, shape->surface_triangles, NULL};
    desc.crossings = false;
    pleat_measure *measure = NULL;
    assert_int_equal(pleat_measure_create(&desc, NULL, &measure, NULL), PLEAT_OK);
    for (uint32_t m = 0; m < MERIDIANS; ++m)
    {
        float angle = (float)(2 * 3.14159265358979 * (m + 0.37) / MERIDIANS);
        pleat_vec4 points[2] = {{0.05f * cosf(angle), (float)-half, 0.05f * sinf(angle), 0},
                                {0.05f * cosf(angle), (float)half, 0.05f * sinf(angle), 0}};
        uint32_t index;
        assert_int_equal(pleat_measure_add_line(measure, 2, points, &index, NULL), PLEAT_OK);
    }
    return measure;
}

/* The shortest and the longest ratio to the rest length with folds among the meridians that skinning compresses; and
 * the shortest without. */
static void worst_meridian(pleat_measure *measure, const pleat_vec4 *folded, const pleat_vec4 *plain, double *with,
                           double *longest, double *without)
{
    double ratio[MERIDIANS];
    *with = *longest = *without = 1;
    pleat_measure_input input = {.positions = plain};
    assert_int_equal(pleat_measure_frame(measure, &input, NULL, NULL), PLEAT_OK);
    for (uint32_t m = 0; m < MERIDIANS; ++m)
    {
        ratio[m] = pleat_measure_line_length(measure, m) / pleat_measure_line_rest(measure, m);
        *without = fmin(*without, ratio[m]);
    }
    input.positions = folded;
    assert_int_equal(pleat_measure_frame(measure, &input, NULL, NULL), PLEAT_OK);
    for (uint32_t m = 0; m < MERIDIANS; ++m)
    {
        double now = pleat_measure_line_length(measure, m) / pleat_measure_line_rest(measure, m);
        *with = ratio[m] < 1 ? fmin(*with, now) : *with;
        *longest = ratio[m] < 1 ? fmax(*longest, now) : *longest;
    }
}

/* most: what the longest may come to. */
static void check_arm(uint32_t around, uint32_t along, double most)
{
    support_actor arm = support_actor_arm(around, along);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    pleat_bake *bake = support_run_bake(&arm, &r), *plain = support_run_bake_plain(&arm, &r);
    /* As far as weights blend, as far as folds reach, and the whole arm. */
    const double halves[] = {0.08, 0.11, 0.28};
    for (int h = 0; h < 3; ++h)
    {
        pleat_measure *measure = measure_arm(support_shape_of(bake), halves[h]);
        for (uint32_t f = 6; support_arm_angle(f) <= 101; f += f < 24 ? 3 : 1)
        {
            double with, longest, without;
            const pleat_vec4 *folded = support_frame(bake, f);
            worst_meridian(measure, folded, support_frame(plain, f), &with, &longest, &without);
            print_message("arm %u x %u, within %g cm of the joint, %5.1f degrees: shortest meridian %.4f, longest of "
                          "those compressed %.4f, skinning alone %.4f\n",
                          around, along, 100 * halves[h], support_arm_angle(f), with, longest, without);
            assert_true(with >= 0.98 && longest <= most);
        }
        pleat_measure_destroy(measure);
    }
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

static void test_folds_keep_every_meridian_of_the_arm(void **state)
{
    (void)state;
    check_arm(72, 300, 1.08);
}

static void test_folds_keep_every_meridian_of_a_coarse_arm(void **state)
{
    (void)state;
    check_arm(20, 31, 1.3);
}

/* ---- The solver's figures ---- */

/* last PLEAT_NONE: the whole clip. */
static void check_figures(const support_actor *a, const char *name, const char *node, uint32_t clip, float fps,
                          uint32_t last)
{
    support_run r = support_run_make(clip, 0, last);
    r.fps = fps;
    r.node = support_node_named(a->model, node);
    pleat_bake *bake = support_run_bake(a, &r);
    double tau = 0, residual = 0, steps = 0, most = 0, raised = 0, limited = 0;
    for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
    {
        support_frame(bake, f);
        tau = fmax(tau, support_figure(bake, "tau"));
        residual = fmax(residual, support_figure(bake, "residual"));
        most = fmax(most, support_figure(bake, "most_steps"));
        steps += support_figure(bake, "steps") * support_figure(bake, "raised");
        raised += support_figure(bake, "raised");
        limited += support_figure(bake, "limited");
    }
    print_message("%s: %g rings, %g folds, %g raised (%.1f %% stopped by contact), largest |tau| %.2g, "
                  "Fischer-Burmeister %.2g, Newton steps %.2f, at most %g\n",
                  name, support_figure(bake, "rings"), support_figure(bake, "folds"), raised, 100 * limited / raised,
                  tau, residual, steps / raised, most);
    assert_true(raised > 0);
    assert_true(tau <= 1e-6);
    assert_true(residual <= 1e-6);
    assert_true(most <= 6);
    assert_true(steps <= 4 * raised);
    pleat_bake_destroy(bake);
}

static void test_folds_solve_every_fold_of_the_arm(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(36, 100);
    check_figures(&arm, "arm", "", support_clip_named(arm.model, "bend"), 30, 60);
    support_actor_drop(&arm);
}

static void test_folds_solve_every_fold_of_the_sleeve(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_arm/mh_sleeve.glb");
    support_actor sleeve = support_actor_load(path);
    for (uint32_t c = 0; c < sleeve.model->clip_count; ++c)
    {
        print_message("clip %s, ", sleeve.model->clips[c].name);
        support_run r = support_run_make(c, 0, PLEAT_NONE);
        r.fps = support_is_long() ? 3 : 1;
        pleat_bake *bake = support_run_bake(&sleeve, &r);
        double raised = 0;
        for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
        {
            support_frame(bake, f);
            raised += support_figure(bake, "raised");
        }
        pleat_bake_destroy(bake);
        if (raised > 0)
        {
            check_figures(&sleeve, "sleeve", "", c, support_is_long() ? 6 : 2, PLEAT_NONE);
        }
        else
        {
            print_message("sleeve: no fold rises\n");
        }
    }
    support_actor_drop(&sleeve);
}

static void test_folds_solve_every_fold_of_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    support_actor dancer = support_actor_load(path);
    check_figures(&dancer, "leotard", "", 0, support_is_long() ? 3 : 0.6f, PLEAT_NONE);
    support_actor_drop(&dancer);
}

static void test_folds_solve_every_fold_of_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    support_actor dancer = support_actor_load(path);
    check_figures(&dancer, "sportsuit", "suit", 0, support_is_long() ? 1 : 0.2f, PLEAT_NONE);
    support_actor_drop(&dancer);
}

/* ---- Where nothing compresses ---- */

static uint32_t count_moved(const pleat_bake *bake, const pleat_vec4 *folded, const pleat_vec4 *plain)
{
    uint32_t moved = 0;
    for (uint32_t v = 0; v < support_shape_of(bake)->surface_count; ++v)
    {
        moved += memcmp(&folded[v], &plain[v], sizeof *folded) != 0;
    }
    return moved;
}

static void test_folds_leave_the_rest_pose_alone(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(36, 100);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 40);
    pleat_bake *bake = support_run_bake(&arm, &r), *plain = support_run_bake_plain(&arm, &r);
    const pleat_vec4 *folded = support_frame(bake, 0);
    assert_int_equal(count_moved(bake, folded, support_frame(plain, 0)), 0);
    folded = support_frame(bake, 30);
    assert_true(count_moved(bake, folded, support_frame(plain, 30)) > 100);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

static void test_folds_leave_the_outer_side_alone(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(36, 100);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    pleat_bake *bake = support_run_bake(&arm, &r), *plain = support_run_bake_plain(&arm, &r);
    const pleat_stack_shape *shape = support_shape_of(bake);
    for (uint32_t f = 0; f <= 60; f += 12)
    {
        const pleat_vec4 *folded = support_frame(bake, f), *skinned = support_frame(plain, f);
        uint32_t outer = 0;
        for (uint32_t v = 0; v < shape->surface_count; ++v)
        {
            outer += shape->rest[v].x < -0.025f && support_arm_angle(f) <= 100 &&
                     memcmp(&folded[v], &skinned[v], sizeof *folded) != 0;
        }
        assert_int_equal(outer, 0);
    }
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

/* Bent by the bend clip's plan, moved by the twist clip: a stack planned without a clip expects anything. */
static void test_folds_do_not_rise_under_torsion(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(36, 100);
    support_run r = support_run_make(support_clip_named(arm.model, "twist"), 0, 120);
    pleat_bake *bake = support_run_bake(&arm, &r);
    assert_int_equal((int)support_figure(bake, "rings"), 0);
    pleat_bake_destroy(bake);

    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = arm.model;
    desc.node = support_node_named(arm.model, "");
    desc.layer_count = 1;
    desc.layers = &layer;
    pleat_stack *stack = NULL;
    pleat_pose *pose = NULL;
    assert_int_equal(pleat_stack_create(&desc, NULL, &stack, NULL), PLEAT_OK);
    assert_int_equal(pleat_pose_create(arm.model, NULL, &pose, NULL), PLEAT_OK);
    for (uint32_t f = 0; f <= 60; f += 10)
    {
        pleat_pose_sample(pose, &arm.model->clips[support_clip_named(arm.model, "twist")], (float)f / 30);
        pleat_stack_input input = {.pose = pose, .time = (float)f / 30};
        pleat_stack_update(stack, &input);
        const char *name;
        double rings, raised, highest;
        assert_true(pleat_stack_figure(stack, 0, 0, &name, &rings));
        assert_true(pleat_stack_figure(stack, 0, 2, &name, &raised));
        assert_true(pleat_stack_figure(stack, 0, 4, &name, &highest));
        print_message("twist by %5.1f degrees: %g rings, %g raised, highest %g mm\n", support_arm_angle(f) * 0.8, rings,
                      raised, 1000 * highest);
        assert_true(rings > 0);
        assert_true(raised == 0);
    }
    pleat_pose_destroy(pose);
    pleat_stack_destroy(stack);
    support_actor_drop(&arm);
}

/* ---- Continuity ---- */

/* The largest change of an offset between neighbouring samples of the clip. */
static double largest_change(const support_actor *a, uint32_t node, uint32_t clip, float fps, uint32_t first,
                             uint32_t last)
{
    support_run r = support_run_make(clip, first, last);
    r.fps = fps;
    r.node = node;
    pleat_bake *bake = support_run_bake(a, &r), *plain = support_run_bake_plain(a, &r);
    uint32_t count = support_shape_of(bake)->surface_count;
    double *before = calloc(count, sizeof *before), largest = 0;
    for (uint32_t f = 0; f <= last - first; ++f)
    {
        const pleat_vec4 *folded = support_frame(bake, f), *skinned = support_frame(plain, f);
        for (uint32_t v = 0; v < count; ++v)
        {
            double offset = support_apart(folded[v], skinned[v]);
            largest = f ? fmax(largest, fabs(offset - before[v])) : 0;
            before[v] = offset;
        }
    }
    free(before);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    return largest;
}

static void check_continuity(const support_actor *a, const char *name, uint32_t node, uint32_t clip, uint32_t first,
                             uint32_t last)
{
    double coarse = largest_change(a, node, clip, 30, first, last);
    double fine = largest_change(a, node, clip, 300, 10 * first, 10 * last);
    print_message("%s: largest change of an offset %.3f mm at 30 a second, %.3f mm at 300: %.2f x\n", name,
                  1000 * coarse, 1000 * fine, fine / coarse);
    assert_true(fine <= 0.4 * coarse);
}

static void test_folds_are_continuous_in_time(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(24, 60);
    check_continuity(&arm, "arm", PLEAT_NONE, support_clip_named(arm.model, "bend"), 0, support_is_long() ? 60 : 30);
    support_actor_drop(&arm);
}

static void test_folds_hold_with_the_pose(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(24, 60);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    pleat_bake *bake = support_run_bake(&arm, &r);
    uint64_t first = 0;
    for (int i = 0; i < 3; ++i)
    {
        support_frame(bake, i % 2 ? 55 : 10); /* from either side */
        const pleat_vec4 *positions = support_frame(bake, 33);
        uint64_t hash =
            support_hash(SUPPORT_HASH, positions, support_shape_of(bake)->surface_count * sizeof *positions);
        first = i ? first : hash;
        assert_int_equal(hash, first);
    }
    pleat_bake_destroy(bake);
    support_actor_drop(&arm);
}

/* ---- The same folds on another mesh ---- */

static void test_folds_do_not_depend_on_the_mesh(void **state)
{
    (void)state;
    double folds[2], highest[2][3];
    const char *const names[] = {"mh_arm/mh_sleeve.glb", "mh_arm/mh_sleeve_sub1.glb"};
    const uint32_t frames[] = {16, 24, 40};
    for (int i = 0; i < 2; ++i)
    {
        SUPPORT_NEED(path, names[i]);
        support_actor sleeve = support_actor_load(path);
        support_run r = support_run_make(support_clip_named(sleeve.model, "elbow_bend"), 0, 60);
        pleat_bake *bake = support_run_bake(&sleeve, &r);
        for (int k = 0; k < 3; ++k)
        {
            support_frame(bake, frames[k]);
            highest[i][k] = support_figure(bake, "highest");
        }
        folds[i] = support_figure(bake, "ridges");
        pleat_bake_destroy(bake);
        support_actor_drop(&sleeve);
    }
    print_message("sleeve with 452 and 1808 triangles: %g and %g ridges\n", folds[0], folds[1]);
    for (int k = 0; k < 3; ++k)
    {
        print_message("  frame %u: highest %.2f and %.2f mm\n", frames[k], 1000 * highest[0][k], 1000 * highest[1][k]);
        assert_true(fabs(highest[0][k] - highest[1][k]) <= 0.1 * highest[0][k]);
    }
    assert_true(folds[0] == folds[1] && folds[0] > 0);
}

/* ---- Normals ---- */

/* After the layer the stack computes only the normals that it may have changed: the same bits as all of them anew. */
static void test_folds_have_the_normals_of_their_surface(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(24, 60);
    support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    pleat_bake *bake = support_run_bake(&arm, &r);
    const pleat_stack_shape *shape = support_shape_of(bake);
    pleat_normals *normals = NULL;
    assert_int_equal(pleat_normals_create(shape->surface_count, shape->triangle_count, shape->surface_triangles,
                                          shape->surface_triangles, NULL, &normals, NULL),
                     PLEAT_OK);
    pleat_vec4 *expected = malloc(shape->surface_count * sizeof *expected);
    pleat_vec3 *got = malloc(shape->vertex_count * sizeof *got);
    for (uint32_t f = 10; f <= 60; f += 25)
    {
        pleat_normals_update(normals, support_frame(bake, f), expected, NULL);
        pleat_stack_copy(pleat_bake_stack(bake, 0), NULL, got);
        for (uint32_t v = 0; v < shape->vertex_count; ++v)
        {
            assert_memory_equal(&got[v], &expected[shape->render_vertex[v]], sizeof *got);
        }
    }
    free(expected);
    free(got);
    pleat_normals_destroy(normals);
    pleat_bake_destroy(bake);
    support_actor_drop(&arm);
}

/* ---- Threads and memory ---- */

static void test_folds_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(36, 100);
    uint64_t first = 0;
    const uint32_t threads[] = {1, 2, 4};
    for (int i = 0; i < 3; ++i)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads[i], &pool, NULL), PLEAT_OK);
        pleat_host host = pleat_host_default();
        host.tasks = pleat_pool_tasks(pool);
        support_run r = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
        r.host = &host;
        pleat_bake *bake = support_run_bake(&arm, &r);
        uint64_t hash = SUPPORT_HASH;
        for (uint32_t f = 0; f <= 60; f += 10)
        {
            hash =
                support_hash(hash, support_frame(bake, f), support_shape_of(bake)->surface_count * sizeof(pleat_vec4));
        }
        first = i ? first : hash;
        assert_int_equal(hash, first);
        pleat_bake_destroy(bake);
        pleat_pool_destroy(pool);
    }
    support_actor_drop(&arm);
}

/* ---- Between stations ---- */

static float course_at(const pl_fold_course *c, float t)
{
    return c->first + t * (c->change + c->bulge * (1 - t));
}

/* A fold whose loss ends evenly at the next station goes with the square root of it, but ends in a point. */
static void test_folds_end_between_stations_as_their_loss_does(void **state)
{
    (void)state;
    pl_fold_course c = pl_fold_course_of(0.01f, 0, pl_splat(0));
    for (int i = 0; i <= 8; ++i)
    {
        float t = (float)i / 8, root = 0.01f * sqrtf(1 - t), straight = 0.01f * (1 - t);
        assert_true(course_at(&c, t) >= straight - 1e-8f && fabsf(course_at(&c, t) - root) < 0.0018f);
    }
    c = pl_fold_course_of(0, 0, pl_splat(0));
    assert_true(course_at(&c, 0.5f) == 0);
}

/* Around a limb that loses the cosine of the angle from its inner side, half way between stations 24 degrees apart. */
static void test_folds_between_stations_of_a_round_limb_keep_their_height(void **state)
{
    (void)state;
    const float degree = 0.017453293f;
    for (int i = 0; i <= 3; ++i)
    {
        float from = degree * (float)(12 * i - 12), to = from + 24 * degree, middle = 0.5f * (from + to);
        pl_f4 a = pl_set(cosf(from), sinf(from), 0, 0), b = pl_set(cosf(to), sinf(to), 0, 0);
        pl_fold_course c = pl_fold_course_of(0.01f * sqrtf(cosf(from)), 0.01f * sqrtf(cosf(to)), b - a);
        float high = course_at(&c, 0.5f) * pl_length3(pl_lerp(a, b, 0.5f)), wanted = 0.01f * sqrtf(cosf(middle));
        assert_true(fabsf(high / wanted - 1) < 0.005f);
    }
}

/* Four or twelve frames of the built-in dancer, of one of its garments. */
static support_run dance_of(const support_actor *dancer, const char *garment)
{
    support_run dance = support_run_make(support_clip_named(dancer->model, "arabesque"), 0, 11);
    dance.fps = support_is_long() ? 3 : 1;
    dance.last = support_is_long() ? 11 : 3;
    dance.node = support_node_named(dancer->model, garment);
    return dance;
}

/* Only as many stations are solved as are needed; no two next to each other are left out. */
static void test_folds_leave_stations_out(void **state)
{
    (void)state;
    support_actor dancer = support_actor_make("dancer");
    support_run dance = dance_of(&dancer, "tights");
    pleat_bake *bake = support_run_bake(&dancer, &dance);
    const pl_folds_layer *layer = pleat_stack_layer(pleat_bake_stack(bake, 0), 0, NULL);
    uint32_t kept = 0, planned = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        const pl_bound_ring *ring = &layer->rings[r];
        for (uint32_t i = 0; i + !ring->closed < ring->station_count; ++i)
        {
            assert_true(pl_fold_gap(ring, i) == 1 || pl_fold_gap(ring, i) == 2);
        }
        kept += ring->station_count;
        planned += ring->planned[ring->station_count];
    }
    print_message("tights: %u of %u stations\n", kept, planned);
    assert_true(kept < 0.75 * planned);
    pleat_bake_destroy(bake);
    support_actor_drop(&dancer);
}

/* ---- Widths ---- */

/* Lengths of what is left over after whole blocks of eight: bits of stations of rings, and of vertices of cells. */
typedef struct tails
{
    uint32_t stations, vertices;
} tails;

/* Another instance of the kernels, which has lanes of its own. */
static void use_kernels(pleat_bake *bake, const pl_fold_kernels *kernels, tails *seen)
{
    pl_folds_layer *layer = (pl_folds_layer *)(uintptr_t)pleat_stack_layer(pleat_bake_stack(bake, 0), 0, NULL);
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        pl_bound_ring *ring = &layer->rings[r];
        assert_int_equal(kernels->pack(ring, &layer->arena, &ring->cloth.lanes, NULL), PLEAT_OK);
        seen->stations |= 1u << ring->station_count % 8;
        for (uint32_t i = 0; i < ring->station_count * ring->fold_count; ++i)
        {
            seen->vertices |= 1u << (ring->cloth.first_vertex[i + 1] - ring->cloth.first_vertex[i]) % 8;
        }
    }
    assert_int_equal(kernels->make_work(layer->rings, layer->ring_count, &layer->arena, &layer->work, NULL), PLEAT_OK);
    layer->kernels = kernels;
}

/* One lane is the definition: each instance gives the same bits. */
static void check_widths(const char *name, const support_actor *a, const support_run *r, tails *seen)
{
    const pl_fold_kernels *kernels[3] = {&pl_fold_kernels_one, &pl_fold_kernels_base, pl_fold_kernels_get()};
    pleat_bake *bakes[3];
    for (int i = 0; i < 3; ++i)
    {
        bakes[i] = support_run_bake(a, r);
        use_kernels(bakes[i], kernels[i], seen);
    }
    uint32_t count = support_shape_of(bakes[0])->surface_count;
    double raised = 0;
    for (uint32_t f = 0; f < pleat_bake_get_shape(bakes[0])->frame_count; ++f)
    {
        const pleat_vec4 *one = support_frame(bakes[0], f);
        for (int i = 1; i < 3; ++i)
        {
            assert_memory_equal(one, support_frame(bakes[i], f), count * sizeof *one);
        }
        for (int i = 1; i < 3; ++i)
        {
            assert_true(support_figure(bakes[i], "raised") == support_figure(bakes[0], "raised"));
        }
        raised += support_figure(bakes[0], "raised");
    }
    print_message("%s: %g folds raised\n", name, raised);
    assert_true(raised > 0);
    for (int i = 0; i < 3; ++i)
    {
        pleat_bake_destroy(bakes[i]);
    }
}

/* A mask that differs from vertex to vertex, and deep bends of another skinning. The clip goes on to 150 degrees. */
static void test_folds_are_the_same_at_any_width_in_deep_bends(void **state)
{
    (void)state;
    tails seen = {0};
    support_actor arm = support_actor_arm(36, 100);
    support_run bend = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    bend.fps = 8;
    bend.last = 15;
    uint32_t count = arm.model->meshes[0].primitives[0].vertex_count;
    float *mask = malloc(count * sizeof *mask);
    for (uint32_t v = 0; v < count; ++v)
    {
        mask[v] = (float)(v * 7919 % 101) / 100;
    }
    bend.mask = mask;
    check_widths("arm with a mask", &arm, &bend, &seen);
    bend.mask = NULL;
    bend.skinning = PLEAT_DQS;
    check_widths("arm by dual quaternions", &arm, &bend, &seen);
    free(mask);
    support_actor_drop(&arm);
}

static void test_folds_are_the_same_at_any_width(void **state)
{
    (void)state;
    tails seen = {0};
    support_actor arm = support_actor_arm(36, 100);
    support_run bend = support_run_make(support_clip_named(arm.model, "bend"), 0, 60);
    bend.fps = 8;
    bend.last = 15;
    check_widths("arm", &arm, &bend, &seen);
    bend.options.contact = false;
    check_widths("arm without contact", &arm, &bend, &seen);
    /* Every length that a last block of stations can have: planning leaves out one or two over, where it can. */
    static const float widths[] = {0.011f, 0.014641f, 0.0161051f, 0.0417725f, 0.0459497f, 0.0766f};
    bend.options.contact = true;
    bend.first = bend.last = 10;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; ++i)
    {
        bend.options.width = widths[i];
        check_widths("arm with folds of another width", &arm, &bend, &seen);
    }
    assert_int_equal(seen.stations | 1u << 2, 0xff);
    assert_int_equal(seen.vertices, 0xff);
    support_actor_drop(&arm);
    if (!support_is_long())
    {
        return;
    }
    support_actor dancer = support_actor_make("dancer");
    support_run dance = dance_of(&dancer, "tights");
    check_widths("tights", &dancer, &dance, &seen);
    dance.node = support_node_named(dancer.model, "leotard");
    check_widths("leotard", &dancer, &dance, &seen);
    support_actor_drop(&dancer);
}

/* The ring of an elbow that is not built in is not plane: creases of its stations differ, and cloth asks for that of
 * where it lies. */
static void test_folds_are_the_same_at_any_width_on_a_sleeve(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_arm/mh_sleeve.glb");
    tails seen = {0};
    support_actor actor = support_actor_load(path);
    support_run bend = support_run_make(support_clip_named(actor.model, "elbow_bend"), 0, PLEAT_NONE);
    bend.fps = 8;
    check_widths("sleeve", &actor, &bend, &seen);
    support_actor_drop(&actor);
}

/* Wide folds on a coarse arm: little to allocate. */
typedef struct small_run
{
    const pleat_model *model;
    uint32_t first, last;
    float fps, width;
    bool heedless; /* the clip is not played for what goes wrong in it */
} small_run;

static pleat_result bake_small(const small_run *run, const pleat_host *host, pleat_bake **bake, pleat_error *error)
{
    pleat_folds_options options = pleat_folds_options_default();
    options.width = run->width;
    options.detail = 2;
    static pleat_layer_type heedless; /* a stack keeps what it is given */
    heedless = pleat_folds_layer;
    heedless.rehearse = NULL;
    pleat_layer_desc layer = {run->heedless ? &heedless : &pleat_folds_layer, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(run->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.first_frame = run->first;
    desc.last_frame = run->last;
    desc.fps = run->fps;
    desc.layer_count = 1;
    desc.layers = &layer;
    return pleat_bake_create(&desc, host, bake, error);
}

static pleat_result create_small(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_bake *bake = NULL;
    pleat_result result = bake_small(user, host, &bake, error);
    assert_true((result == PLEAT_OK) == (bake != NULL));
    pleat_bake_destroy(bake);
    return result;
}

static void test_folds_survive_any_failing_allocation(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(3, 3);
    small_run run = {arm.model, 30, 30, 30, 0.1f, false};
    support_sweep_allocations(create_small, &run);
    support_actor_drop(&arm);
}

/* Places that are elsewhere, over all frames of two bakes. */
static uint32_t count_different(pleat_bake *a, pleat_bake *b)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < pleat_bake_get_shape(a)->frame_count; ++f)
    {
        const pleat_vec4 *from = support_frame(a, f), *to = support_frame(b, f);
        for (uint32_t v = 0; v < support_shape_of(a)->surface_count; ++v)
        {
            count += support_apart(from[v], to[v]) > 0;
        }
    }
    return count;
}

/* The same where the arm is flung, and folds get lids so that they do not leap with it. */
static void test_folds_survive_any_failing_allocation_of_lids(void **state)
{
    (void)state;
    enum
    {
        KEYS = 256
    };
    support_actor arm = support_actor_arm(6, 10);
    pleat_model model = *arm.model;
    pleat_clip clip = model.clips[support_clip_named(arm.model, "bend")];
    pleat_channel channel = clip.channels[0];
    float times[KEYS], hurry = 1.0f / 240;
    assert_true(clip.channel_count == 1 && channel.key_count <= KEYS);
    for (uint32_t i = 0; i < channel.key_count; ++i)
    {
        times[i] = hurry * channel.times[i];
    }
    channel.times = times;
    clip.channels = &channel;
    clip.start *= hurry;
    clip.end *= hurry;
    model.clips = &clip;
    model.clip_count = 1;
    small_run run = {&model, 0, PLEAT_NONE, 300, 0.05f, true};
    pleat_bake *without, *with;
    support_allocator allocator = {.fail_at = UINT64_MAX};
    pleat_host host = support_host(&allocator);
    assert_int_equal(bake_small(&run, &host, &without, NULL), PLEAT_OK);
    uint64_t before_lids = allocator.count;
    run.heedless = false;
    assert_int_equal(bake_small(&run, NULL, &with, NULL), PLEAT_OK);
    assert_true(count_different(with, without) > 0); /* there are lids */
    pleat_bake_destroy(with);
    pleat_bake_destroy(without);
    /* What comes after them has been allocated before without them. */
    support_sweep_allocations_from(before_lids - 32, create_small, &run);
    support_actor_drop(&arm);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_defaults_are_valid),
        cmocka_unit_test(test_folds_refuse_options_out_of_range),
        cmocka_unit_test(test_folds_take_joints_and_curves),
        cmocka_unit_test(test_folds_tell_the_width_they_chose),
        cmocka_unit_test(test_folds_keep_every_meridian_of_the_arm),
        cmocka_unit_test(test_folds_keep_every_meridian_of_a_coarse_arm),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_arm),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_sleeve),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_leotard),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_sportsuit),
        cmocka_unit_test(test_folds_leave_the_rest_pose_alone),
        cmocka_unit_test(test_folds_leave_the_outer_side_alone),
        cmocka_unit_test(test_folds_do_not_rise_under_torsion),
        cmocka_unit_test(test_folds_are_continuous_in_time),
        cmocka_unit_test(test_folds_hold_with_the_pose),
        cmocka_unit_test(test_folds_do_not_depend_on_the_mesh),
        cmocka_unit_test(test_folds_have_the_normals_of_their_surface),
        cmocka_unit_test(test_folds_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(test_folds_end_between_stations_as_their_loss_does),
        cmocka_unit_test(test_folds_between_stations_of_a_round_limb_keep_their_height),
        cmocka_unit_test(test_folds_leave_stations_out),
        cmocka_unit_test(test_folds_are_the_same_at_any_width),
        cmocka_unit_test(test_folds_are_the_same_at_any_width_in_deep_bends),
        cmocka_unit_test(test_folds_are_the_same_at_any_width_on_a_sleeve),
        cmocka_unit_test(test_folds_survive_any_failing_allocation),
        cmocka_unit_test(test_folds_survive_any_failing_allocation_of_lids),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_folds_solve_every_fold_of_the_sleeve),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_leotard),
        cmocka_unit_test(test_folds_solve_every_fold_of_the_sportsuit),
        cmocka_unit_test(test_folds_are_continuous_in_time),
        cmocka_unit_test(test_folds_are_the_same_at_any_width),
        cmocka_unit_test(test_folds_leave_stations_out),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
