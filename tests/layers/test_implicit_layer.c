/* The implicit layer as a layer: its options, what it does where a bone can have no field, memory, odd skeletons. */
#include "support/bent_tube.h"

#include "pleat/layers/implicit.h"
#include "pleat/make.h"
#include "pleat/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct log_book
{
    uint32_t warnings;
    char last[480];
} log_book;

static void take_note(void *user, pleat_severity severity, const char *message)
{
    log_book *book = user;
    if (severity == PLEAT_WARNING)
    {
        ++book->warnings;
        snprintf(book->last, sizeof book->last, "%s", message);
    }
}

static pleat_result create(const bent_tube *tube, const pleat_implicit_options *options, const pleat_host *host,
                           pleat_stack **stack, pleat_error *error)
{
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = &tube->model;
    desc.node = 0;
    desc.skinning = PLEAT_DQS;
    desc.skin_layer = (pleat_layer_desc){&pleat_implicit_layer, options};
    return pleat_stack_create(&desc, host, stack, error);
}

static bent_tube_desc small_tube(void)
{
    bent_tube_desc desc = bent_tube_default();
    desc.around = 16;
    desc.along = 40;
    return desc;
}

static double figure(const pleat_stack *stack, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(stack, 0, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    fail_msg("no figure %s", wanted);
    return 0;
}

static void test_implicit_layer_defaults_are_valid_and_numbers_are_checked(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    bent_tube_make(&desc, &tube);
    for (int i = -1; i < 8; ++i)
    {
        pleat_implicit_options options = pleat_implicit_options_default();
        float *const members[] = {&options.strength, &options.bulge, &options.smooth, &options.touch};
        if (i >= 0)
        {
            *members[i / 2] = i % 2 ? NAN : -0.5f;
        }
        pleat_error error = {0};
        pleat_stack *stack;
        pleat_result result = create(&tube, &options, NULL, &stack, &error);
        assert_int_equal(result, i < 0 ? PLEAT_OK : PLEAT_BAD_ARGUMENT);
        assert_true(i < 0 || strstr(error.message, pleat_implicit_layer.parameters[i / 2].name));
        pleat_stack_destroy(stack);
    }
    bent_tube_free(&tube);
}

static void test_implicit_layer_is_a_skinning_method(void **state)
{
    (void)state;
    const pleat_skin_method *method = pleat_skin_method_find("implicit");
    assert_non_null(method);
    assert_ptr_equal(method->layer, &pleat_implicit_layer);
    assert_int_equal(method->skinning, PLEAT_DQS);
}

/* A tube whose lower half is pressed flat has no inside there: one warning, and that bend is plain. */
static void test_implicit_layer_leaves_a_bone_without_a_shape_alone(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    bent_tube_make(&desc, &tube);
    pleat_vec3 *points = (pleat_vec3 *)tube.memory[0];
    uint32_t changes = 0;
    for (uint32_t v = 0; v < tube.primitive.vertex_count; ++v)
    {
        if (points[v].z > 0.01f)
        {
            points[v].x = (float)(v % 7) * 1e-9f;
            ++changes;
        }
    }
    assert_true(changes > 100);
    log_book book = {0};
    pleat_host host = pleat_host_default();
    host.log = take_note;
    host.log_user = &book;
    pleat_implicit_options options = pleat_implicit_options_default();
    pleat_stack *stack;
    assert_int_equal(create(&tube, &options, &host, &stack, NULL), PLEAT_OK);
    pleat_pose *pose;
    assert_int_equal(pleat_pose_create(&tube.model, NULL, &pose, NULL), PLEAT_OK);
    const pleat_vec4 *p = bent_tube_at(&tube, stack, pose, 90, NULL);
    assert_true(isfinite(p[0].x));
    assert_true(figure(stack, "moved") < 0.5);
    assert_true(book.warnings <= 1);
    assert_true(book.warnings == 0 || strstr(book.last, "lower"));
    pleat_pose_destroy(pose);
    pleat_stack_destroy(stack);
    bent_tube_free(&tube);
}

/* Skin that coincides in eight places is a patch without samples. */
static void test_implicit_layer_names_the_bone_and_the_reason(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    desc.along = 4; /* the lower bone has two rings and the end */
    desc.around = 3;
    bent_tube_make(&desc, &tube);
    log_book book = {0};
    pleat_host host = pleat_host_default();
    host.log = take_note;
    host.log_user = &book;
    pleat_implicit_options options = pleat_implicit_options_default();
    pleat_stack *stack;
    assert_int_equal(create(&tube, &options, &host, &stack, NULL), PLEAT_OK);
    assert_true(book.warnings <= 2);
    if (book.warnings)
    {
        assert_non_null(strstr(book.last, "bends by dual quaternions alone"));
    }
    pleat_stack_destroy(stack);
    bent_tube_free(&tube);
}

/* Joints without parents, as WebXR has them: the bend is found from the skin. */
static void test_implicit_layer_finds_limbs_of_a_flat_skeleton(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    bent_tube_make(&desc, &tube);
    tube.nodes[2].parent = PLEAT_NONE;
    pleat_implicit_options options = pleat_implicit_options_default();
    pleat_stack *stack;
    assert_int_equal(create(&tube, &options, NULL, &stack, NULL), PLEAT_OK);
    pleat_pose *pose;
    assert_int_equal(pleat_pose_create(&tube.model, NULL, &pose, NULL), PLEAT_OK);
    bent_tube_at(&tube, stack, pose, 90, NULL);
    assert_true(figure(stack, "bends") > 0.5);
    assert_true(figure(stack, "moved") > 20);
    pleat_pose_destroy(pose);
    pleat_stack_destroy(stack);
    bent_tube_free(&tube);
}

/* A joint that is scaled to nothing, mirrored or stretched: finite, always. */
static void test_implicit_layer_bears_any_scale(void **state)
{
    (void)state;
    static const float scales[][3] = {{0, 0, 0},    {-1, 1, 1},     {1, 0, 1},
                                      {3, 0.2f, 1}, {1e-20f, 1, 1}, {1e6f, 1e6f, 1e6f}};
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    bent_tube_make(&desc, &tube);
    pleat_implicit_options options = pleat_implicit_options_default();
    pleat_stack *stack;
    assert_int_equal(create(&tube, &options, NULL, &stack, NULL), PLEAT_OK);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i)
    {
        tube.nodes[2].local.scale = (pleat_vec4){scales[i][0], scales[i][1], scales[i][2], 0};
        pleat_pose *pose;
        assert_int_equal(pleat_pose_create(&tube.model, NULL, &pose, NULL), PLEAT_OK);
        for (int degrees = 0; degrees <= 180; degrees += 30)
        {
            const pleat_vec4 *p = bent_tube_at(&tube, stack, pose, degrees, NULL);
            for (uint32_t v = 0; v < pleat_stack_get_shape(stack)->surface_count; ++v)
            {
                assert_true(isfinite(p[v].x) && isfinite(p[v].y) && isfinite(p[v].z));
            }
        }
        pleat_pose_destroy(pose);
    }
    pleat_stack_destroy(stack);
    bent_tube_free(&tube);
}

/* Thumb and fingers of the built-in hand are no neighbours: where they close on each other, less than a third of the
 * crossing triangles are left. */
static void test_implicit_layer_stops_limbs_that_are_no_neighbours(void **state)
{
    (void)state;
    pleat_made *made;
    assert_int_equal(pleat_make("hand", NULL, NULL, &made, NULL), PLEAT_OK);
    const pleat_model *model = pleat_made_model(made);
    uint64_t crossings[2] = {0, 0};
    pleat_pose *pose;
    assert_int_equal(pleat_pose_create(model, NULL, &pose, NULL), PLEAT_OK);
    for (int kind = 0; kind < 2; ++kind)
    {
        pleat_implicit_options options = pleat_implicit_options_default();
        pleat_stack_desc desc = pleat_stack_desc_default();
        desc.model = model;
        desc.node = 0;
        while (model->nodes[desc.node].mesh == PLEAT_NONE)
        {
            ++desc.node;
        }
        desc.skinning = PLEAT_DQS;
        desc.skin_layer = (pleat_layer_desc){kind ? &pleat_implicit_layer : NULL, &options};
        pleat_stack *stack;
        assert_int_equal(pleat_stack_create(&desc, NULL, &stack, NULL), PLEAT_OK);
        const pleat_stack_shape *shape = pleat_stack_get_shape(stack);
        pleat_bvh *bvh = NULL;
        for (int i = 0; i <= 12; ++i)
        {
            const pleat_clip *clip = &model->clips[1];
            pleat_pose_sample(pose, clip, clip->start + (clip->end - clip->start) * (float)i / 12);
            pleat_stack_input input = {.pose = pose};
            pleat_stack_update(stack, &input);
            const pleat_vec4 *p = pleat_stack_positions(stack);
            if (!bvh)
            {
                assert_int_equal(pleat_bvh_create(shape->surface_count, p, shape->triangle_count,
                                                  shape->surface_triangles, NULL, &bvh, NULL),
                                 PLEAT_OK);
            }
            pleat_bvh_refit(bvh, p, NULL);
            crossings[kind] += pleat_bvh_crossings(bvh, bvh, NULL, NULL);
        }
        pleat_bvh_destroy(bvh);
        pleat_stack_destroy(stack);
    }
    print_message("pinch: %u crossings, %u without the layer\n", (unsigned)crossings[1], (unsigned)crossings[0]);
    assert_true(crossings[0] > 50);
    assert_true(3 * crossings[1] < crossings[0]);
    pleat_pose_destroy(pose);
    pleat_made_destroy(made);
}

static pleat_result create_and_destroy(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_implicit_options options = pleat_implicit_options_default();
    pleat_stack *stack;
    pleat_result result = create(user, &options, host, &stack, error);
    assert_true((result == PLEAT_OK) == (stack != NULL));
    pleat_stack_destroy(stack);
    return result;
}

static void test_implicit_layer_survives_failing_allocations(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = small_tube();
    desc.around = 8;
    desc.along = 12;
    bent_tube_make(&desc, &tube);
    support_sweep_allocations(create_and_destroy, &tube);
    bent_tube_free(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implicit_layer_defaults_are_valid_and_numbers_are_checked),
        cmocka_unit_test(test_implicit_layer_is_a_skinning_method),
        cmocka_unit_test(test_implicit_layer_leaves_a_bone_without_a_shape_alone),
        cmocka_unit_test(test_implicit_layer_names_the_bone_and_the_reason),
        cmocka_unit_test(test_implicit_layer_finds_limbs_of_a_flat_skeleton),
        cmocka_unit_test(test_implicit_layer_bears_any_scale),
        cmocka_unit_test(test_implicit_layer_stops_limbs_that_are_no_neighbours),
        cmocka_unit_test(test_implicit_layer_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
