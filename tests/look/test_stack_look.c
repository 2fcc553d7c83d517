/* The look of a stack: sections for every layer, layers by name, values of joints, inputs, and warnings. */
#include "support/support.h"

#include "pleat/layers/folds.h"
#include "pleat/layers/volume.h"
#include "pleat/layers/wrinkles.h"
#include "pleat/stack_look.h"

#include <stdlib.h>
#include <string.h>

static char warned[600];

static void take_warning(void *user, pleat_severity severity, const char *message)
{
    (void)user;
    assert_int_equal(severity, PLEAT_WARNING);
    snprintf(warned, sizeof warned, "%s", message);
}

static pleat_stack_look *make_look(void)
{
    pleat_stack_look *look = NULL;
    pleat_host host = pleat_host_default();
    host.log = take_warning;
    warned[0] = 0;
    assert_int_equal(pleat_stack_look_create(&host, &look, NULL), PLEAT_OK);
    return look;
}

static void set(pleat_stack_look *look, const char *assignment)
{
    pleat_error error = {0};
    if (pleat_look_set(pleat_stack_look_sections(look), assignment, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", assignment, error.message);
    }
}

static void test_stack_look_has_the_defaults_of_all(void **state)
{
    (void)state;
    pleat_stack_look *look = make_look();
    const pleat_look *sections = pleat_stack_look_sections(look);
    assert_string_equal(sections->sections[0].name, "skin");
    assert_string_equal(sections->sections[1].name, "mask");
    for (uint32_t i = 0; i < pleat_layer_count(); ++i)
    {
        assert_string_equal(sections->sections[2 + i].name, pleat_layer_at(i)->name);
        assert_non_null(pleat_stack_look_options(look, pleat_layer_at(i)));
    }
    pleat_wrinkles_options plain = pleat_wrinkles_options_default();
    const pleat_wrinkles_options *wrinkles = pleat_stack_look_options(look, &pleat_wrinkles_layer);
    assert_true(wrinkles->threshold == plain.threshold && wrinkles->even == plain.even && !wrinkles->body);
    assert_int_equal(pleat_stack_look_count(look), 0);
    assert_string_equal(pleat_stack_look_skin(look, NULL)->name, "lbs");
    assert_string_equal(pleat_stack_look_mask(look), "");
    pleat_stack_look_destroy(look);
}

static void test_stack_look_adds_layers_by_name(void **state)
{
    (void)state;
    pleat_stack_look *look = make_look();
    pleat_error error = {0};
    assert_int_equal(pleat_stack_look_add(look, "volume", &error), PLEAT_OK);
    assert_int_equal(pleat_stack_look_add(look, "folds", &error), PLEAT_OK);
    assert_int_equal(pleat_stack_look_add(look, "folds", &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "stands twice"));
    assert_int_equal(pleat_stack_look_add(look, "fold", &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "did you mean folds?"));
    assert_int_equal(pleat_stack_look_count(look), 2);
    const pleat_layer_desc *layers = pleat_stack_look_layers(look);
    assert_ptr_equal(layers[0].type, &pleat_volume_layer);
    assert_ptr_equal(layers[1].options, pleat_stack_look_options(look, &pleat_folds_layer));
    assert_true(pleat_stack_look_has(look, &pleat_folds_layer));
    assert_false(pleat_stack_look_has(look, &pleat_wrinkles_layer));
    pleat_stack_look_destroy(look);
}

static void test_stack_look_gives_joints_their_values(void **state)
{
    (void)state;
    pleat_stack_look *look = make_look();
    pleat_folds_options *folds = pleat_stack_look_options(look, &pleat_folds_layer);
    pleat_volume_options *volume = pleat_stack_look_options(look, &pleat_volume_layer);
    set(look, "folds.width=3cm");
    set(look, "folds[elbow*].width=1cm");
    set(look, "folds[knee*,hip].strength=50%");
    set(look, "volume[spine].reach=2");
    for (int twice = 0; twice < 2; ++twice) /* settling again changes nothing */
    {
        assert_int_equal(pleat_stack_look_settle(look, NULL), PLEAT_OK);
        assert_int_equal(folds->joint_count, 2);
        assert_string_equal(folds->joint_values[0].joints, "elbow*");
        assert_true(folds->joint_values[0].width == 0.01f && folds->joint_values[0].strength == 1);
        assert_string_equal(folds->joint_values[1].joints, "knee*,hip");
        assert_true(folds->joint_values[1].width == 0.03f && folds->joint_values[1].strength == 0.5f);
        assert_string_equal(folds->joint_values[1].curve, folds->curve);
        assert_int_equal(volume->bone_count, 1);
        assert_true(volume->bones[0].shape.reach == 2);
        assert_string_equal(warned, "");
    }
    set(look, "folds[elbow*].curve=0,0 0.2,1 1,0");
    assert_int_equal(pleat_stack_look_settle(look, NULL), PLEAT_OK);
    assert_string_equal(warned, ""); /* they are not in the stack */
    assert_int_equal(pleat_stack_look_add(look, "folds", NULL), PLEAT_OK);
    assert_int_equal(pleat_stack_look_settle(look, NULL), PLEAT_OK);
    assert_string_equal(warned, "folds[elbow*].curve changes nothing without profile=curve beside it");
    pleat_stack_look_destroy(look);
}

static void test_stack_look_hands_inputs_to_those_that_take_them(void **state)
{
    (void)state;
    pleat_stack_look *look = make_look();
    const pleat_body body = {0};
    assert_int_equal(pleat_stack_look_put(look, "body", PLEAT_INPUT_BODY, &body), 0);
    assert_int_equal(pleat_stack_look_add(look, "wrinkles", NULL), PLEAT_OK);
    assert_int_equal(pleat_stack_look_put(look, "body", PLEAT_INPUT_BODY, &body), 1);
    const pleat_wrinkles_options *wrinkles = pleat_stack_look_options(look, &pleat_wrinkles_layer);
    assert_ptr_equal(wrinkles->body, &body);
    assert_null(wrinkles->curves);
    assert_int_equal(pleat_stack_look_put(look, "skin", PLEAT_INPUT_BODY, NULL), 0);
    assert_int_equal(pleat_stack_look_put(look, "body", PLEAT_INPUT_BODY, NULL), 1);
    assert_null(wrinkles->body);
    pleat_stack_look_destroy(look);
}

static void test_stack_look_takes_skin_and_mask(void **state)
{
    (void)state;
    pleat_stack_look *look = make_look();
    pleat_error error = {0};
    pleat_layer_desc layer = {&pleat_folds_layer, NULL};
    set(look, "skin.method=dqs");
    assert_int_equal(pleat_stack_look_skin(look, &layer)->skinning, PLEAT_DQS);
    assert_null(layer.type);
    set(look, "mask.image=color");
    assert_int_equal(pleat_stack_look_settle(look, &error), PLEAT_OK);
    set(look, "mask.image=a.png");
    assert_int_equal(pleat_stack_look_settle(look, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "@FILE.png"));
    pleat_stack_look_destroy(look);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_stack_look *look;
    pleat_result result = pleat_stack_look_create(host, &look, error);
    if (result == PLEAT_OK)
    {
        set(look, "folds[elbow*].width=1cm");
        result = pleat_stack_look_settle(look, error);
    }
    pleat_stack_look_destroy(look);
    return result;
}

static void test_stack_look_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(create, NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_look_has_the_defaults_of_all),
        cmocka_unit_test(test_stack_look_adds_layers_by_name),
        cmocka_unit_test(test_stack_look_gives_joints_their_values),
        cmocka_unit_test(test_stack_look_hands_inputs_to_those_that_take_them),
        cmocka_unit_test(test_stack_look_takes_skin_and_mask),
        cmocka_unit_test(test_stack_look_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("stack look", tests, NULL, NULL);
}
