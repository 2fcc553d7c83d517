/* The table of layers: every row says all of itself, and a host's own are taken or refused. */
#include "support/support.h"

#include "pleat/layer.h"

#include <string.h>

static void is_sentence(const char *text)
{
    assert_non_null(text);
    assert_true(strlen(text) > 3 && strlen(text) < 200 && !strchr(text, '\n'));
}

static void check_parameters(const pleat_layer_type *type)
{
    for (uint32_t i = 0; i < type->parameter_count; ++i)
    {
        const pleat_parameter *p = &type->parameters[i];
        is_sentence(p->help);
        assert_true(p->offset < type->options_size);
        assert_true(p->kind != PLEAT_VALUE_CHOICE || p->choices);
        assert_true(p->low <= p->high);
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_string_not_equal(p->name, type->parameters[k].name);
        }
    }
}

static void test_registry_rows_say_all_of_themselves(void **state)
{
    (void)state;
    assert_true(pleat_layer_count() >= 3);
    assert_null(pleat_layer_at(pleat_layer_count()));
    for (uint32_t i = 0; i < pleat_layer_count(); ++i)
    {
        const pleat_layer_type *type = pleat_layer_at(i);
        assert_ptr_equal(pleat_layer_find(type->name), type);
        is_sentence(type->summary);
        assert_true(type->create && type->destroy && type->update && type->defaults);
        check_parameters(type);
        assert_true(type->figure_count <= PLEAT_FIGURE_LIMIT);
        for (uint32_t k = 0; k < type->figure_count; ++k)
        {
            is_sentence(type->figures[k].help);
            assert_non_null(type->figures[k].unit);
        }
        for (uint32_t k = 0; k < type->input_count; ++k)
        {
            is_sentence(type->inputs[k].help);
            assert_true(type->inputs[k].offset + sizeof(void *) <= type->options_size);
        }
    }
    assert_null(pleat_layer_find("nothing"));
    assert_null(pleat_layer_find(""));
}

static void test_registry_has_skinning_methods(void **state)
{
    (void)state;
    assert_string_equal(pleat_skin_method_at(0)->name, "lbs");
    assert_int_equal(pleat_skin_method_find("dqs")->skinning, PLEAT_DQS);
    assert_null(pleat_skin_method_find("bones"));
    assert_null(pleat_skin_method_at(pleat_skin_method_count()));
    for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
    {
        const pleat_skin_method *method = pleat_skin_method_at(i);
        is_sentence(method->summary);
        assert_true(!method->layer || method->layer->stage == PLEAT_STAGE_COARSE);
    }
}

static pleat_result create(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                           void **layer, pleat_error *error)
{
    (void)options;
    (void)plan;
    (void)cloth;
    (void)host;
    (void)error;
    *layer = NULL;
    return PLEAT_OK;
}

static void destroy(void *layer)
{
    (void)layer;
}

static void update(void *layer, const pleat_layer_frame *frame)
{
    (void)layer;
    (void)frame;
}

static void refuse(const pleat_layer_type *type, const char *said)
{
    pleat_error error = {0};
    uint32_t before = pleat_layer_count();
    assert_int_equal(pleat_layer_register(type, &error), PLEAT_BAD_ARGUMENT);
    if (!strstr(error.message, said))
    {
        fail_msg("'%s' does not say '%s'", error.message, said);
    }
    assert_int_equal(pleat_layer_count(), before);
}

static void test_registry_takes_a_hosts_own(void **state)
{
    (void)state;
    static pleat_layer_type own[17];
    static char names[17][8];
    const pleat_layer_type whole = {
        .name = "own", .options_size = 4, .defaults = destroy, .create = create, .destroy = destroy, .update = update};
    pleat_layer_type type = whole;
    type.name = NULL;
    refuse(&type, "a word in small letters");
    type.name = "Two words";
    refuse(&type, "'Two words'");
    type.name = "none";
    refuse(&type, "'none'");
    type.name = pleat_layer_at(0)->name;
    refuse(&type, "that no other layer has");
    type = whole;
    type.update = NULL;
    refuse(&type, "own lacks update");
    type = whole;
    type.figure_count = 1;
    refuse(&type, "lacks figures");
    type = whole;
    type.joint_to = 4;
    refuse(&type, "lacks take_joints");
    type = whole;
    type.parameter_count = 1;
    refuse(&type, "lacks parameters");
    for (int i = 0; i < 16; ++i)
    {
        own[i] = whole;
        snprintf(names[i], sizeof names[i], "own%d", i);
        own[i].name = names[i];
        assert_int_equal(pleat_layer_register(&own[i], NULL), PLEAT_OK);
        assert_ptr_equal(pleat_layer_find(names[i]), &own[i]);
        assert_ptr_equal(pleat_layer_at(pleat_layer_count() - 1), &own[i]);
    }
    refuse(&whole, "number 17");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry_rows_say_all_of_themselves),
        cmocka_unit_test(test_registry_has_skinning_methods),
        cmocka_unit_test(test_registry_takes_a_hosts_own),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
