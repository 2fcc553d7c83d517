/* Looks: values with units, ranges, unknown keys, files, and the way back. */
#include "support/support.h"

#include "pleat/look.h"

#include <math.h>
#include <string.h>

typedef struct folds_options
{
    float width, strength, angle, plain, time;
    uint32_t count, method;
    bool smooth;
    char joints[PLEAT_TEXT_LIMIT];
} folds_options;

static const pleat_parameter parameters[] = {
    {"width", PLEAT_VALUE_LENGTH, offsetof(folds_options, width), 1e-4, 1, NULL, "of a fold"},
    {"strength", PLEAT_VALUE_SHARE, offsetof(folds_options, strength), 0, 2, NULL, ""},
    {"angle", PLEAT_VALUE_ANGLE, offsetof(folds_options, angle), 0, 3.14159265358979, NULL, ""},
    {"plain", PLEAT_VALUE_NUMBER, offsetof(folds_options, plain), -10, 10, NULL, ""},
    {"time", PLEAT_VALUE_TIME, offsetof(folds_options, time), 0, 2, NULL, ""},
    {"count", PLEAT_VALUE_COUNT, offsetof(folds_options, count), 1, 12, NULL, ""},
    {"method", PLEAT_VALUE_CHOICE, offsetof(folds_options, method), 0, 0, "near|far|both", ""},
    {"smooth", PLEAT_VALUE_SWITCH, offsetof(folds_options, smooth), 0, 0, NULL, ""},
    {"joints", PLEAT_VALUE_TEXT, offsetof(folds_options, joints), 0, 0, NULL, ""},
};

static folds_options options;
static pleat_joint_values values = {.from = offsetof(folds_options, width), .to = offsetof(folds_options, count)};
static const pleat_look_section section = {"folds", parameters, 9, &options, &values};
static const pleat_look look = {1, &section};

static int reset(void **state)
{
    (void)state;
    options = (folds_options){0.02f, 1, 0.5f, 3, 1, 4, 1, true, "knee*"};
    values.count = 0;
    return 0;
}

static void set(const char *assignment)
{
    pleat_error error = {0};
    if (pleat_look_set(&look, assignment, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", assignment, error.message);
    }
}

static void refuse(const char *assignment, const char *said)
{
    pleat_error error = {0};
    assert_int_equal(pleat_look_set(&look, assignment, &error), PLEAT_BAD_DATA);
    if (!strstr(error.message, said))
    {
        fail_msg("%s: '%s' does not say '%s'", assignment, error.message, said);
    }
}

static void test_look_takes_texts_as_they_are(void **state)
{
    (void)state;
    set("folds.joints=elbow*, knee.L=x");
    assert_string_equal(options.joints, "elbow*, knee.L=x");
    set("folds.joints=");
    assert_string_equal(options.joints, "");
    refuse("folds.joints=a\"b", "without quotes");
    refuse("folds.joints=a\\b", "without quotes");
    refuse("folds.joints=a\nb", "without quotes");
    char longest[PLEAT_TEXT_LIMIT + 20] = "folds.joints=";
    memset(longest + 13, 'x', PLEAT_TEXT_LIMIT - 1);
    set(longest);
    assert_int_equal(strlen(options.joints), PLEAT_TEXT_LIMIT - 1);
    longest[13 + PLEAT_TEXT_LIMIT - 1] = 'x';
    refuse(longest, "up to 255 bytes");
}

static void test_look_reads_values_with_units(void **state)
{
    (void)state;
    set("folds.width=2.2cm");
    assert_true(options.width == 0.022f);
    set("folds.width=3mm");
    assert_true(options.width == 0.003f);
    set("folds.width=0.5 m");
    assert_true(options.width == 0.5f);
    set("folds.width=2.5e-1");
    assert_true(options.width == 0.25f);
    set("folds.strength=36%");
    assert_true(options.strength == 0.36f);
    set("folds.strength=0.36");
    assert_true(options.strength == 0.36f);
    set("folds.angle=180deg"); /* the end of the range, up to rounding */
    assert_true(fabsf(options.angle - 3.14159265f) < 1e-6f);
    set("folds.angle=90");
    assert_true(fabsf(options.angle - 1.57079633f) < 1e-6f);
    set("folds.time=250ms");
    assert_true(options.time == 0.25f);
    set("folds.time=1.5");
    assert_true(options.time == 1.5f);
    set("folds.plain=-7.25");
    assert_true(options.plain == -7.25f);
    set("folds.count=12");
    assert_int_equal(options.count, 12);
    set("folds.method=both");
    assert_int_equal(options.method, 2);
    set("folds.smooth=false");
    assert_false(options.smooth);
}

static void test_look_refuses_what_is_wrong_and_says_what_is_right(void **state)
{
    (void)state;
    folds_options before = options;
    refuse("folds.width=2km", "from 0.1mm to 1000mm");
    refuse("folds.width=2m", "from 0.1mm to 1000mm");
    refuse("folds.width=0", "from 0.1mm to 1000mm");
    refuse("folds.width=nan", "from 0.1mm");
    refuse("folds.width=inf", "from 0.1mm");
    refuse("folds.width=0x10mm", "from 0.1mm");
    refuse("folds.width=", "from 0.1mm");
    refuse("folds.width=1e999m", "from 0.1mm");
    refuse("folds.width=3mmm", "from 0.1mm");
    refuse("folds.strength=201%", "from 0% to 200%");
    refuse("folds.angle=-1deg", "from 0deg to 180deg");
    refuse("folds.time=3s", "from 0s to 2s (s or ms; a plain number is seconds)");
    refuse("folds.count=2.5", "a whole number from 1 to 12");
    refuse("folds.count=0", "a whole number from 1 to 12");
    refuse("folds.method=middle", "one of near|far|both");
    refuse("folds.method=", "one of near|far|both");
    refuse("folds.smooth=1", "true or false");
    refuse("folds.widht=2cm", "width, strength");
    refuse("fold.width=2cm", "the look has: folds");
    refuse("width=2cm", "section.key=value");
    refuse("folds.width", "section.key=value");
    refuse("", "section.key=value");
    assert_memory_equal(&options, &before, sizeof before);
}

static void parse(const char *text, pleat_result expected, const char *said)
{
    pleat_error error = {0};
    assert_int_equal(pleat_look_parse(&look, text, strlen(text), "a.json", &error), expected);
    if (expected != PLEAT_OK && (!strstr(error.message, said) || !strstr(error.message, "a.json")))
    {
        fail_msg("'%s' does not say a.json and '%s'", error.message, said);
    }
}

static void test_look_files_are_read(void **state)
{
    (void)state;
    parse("{\"folds\": {\"width\": \"2.2cm\", \"strength\": 0.36, \"count\": 7, \"smooth\": false, \"plain\": -1}}",
          PLEAT_OK, "");
    assert_true(options.width == 0.022f && options.strength == 0.36f && options.count == 7 && options.plain == -1);
    assert_false(options.smooth);
    assert_int_equal(options.method, 1); /* not named, so as before */
    parse("{}", PLEAT_OK, "");
    parse("{\"version\": 1}", PLEAT_OK, "");
    parse("{\"version\": 2}", PLEAT_UNSUPPORTED, "a look of version 2; this pleat reads versions up to 1");
    parse("{\"version\": 0}", PLEAT_BAD_DATA, "version must be a whole number from 1 on");
    parse("{\"version\": \"1\"}", PLEAT_BAD_DATA, "version must be");
}

static void test_look_files_that_are_wrong_are_refused(void **state)
{
    (void)state;
    parse("", PLEAT_BAD_DATA, "line 1");
    parse("{\"folds\": {", PLEAT_BAD_DATA, "line 1");
    parse("[]", PLEAT_BAD_DATA, "an object of sections");
    parse("{\"folds\": 3}", PLEAT_BAD_DATA, "folds must be an object");
    parse("{\"bogus\": {}}", PLEAT_BAD_DATA, "no section bogus");
    parse("{\"folds\": {\"bogus\": 1}}", PLEAT_BAD_DATA, "no key folds.bogus");
    parse("{\"folds\": {\"width\": null}}", PLEAT_BAD_DATA, "folds.width must be");
    parse("{\"folds\": {\"width\": [1]}}", PLEAT_BAD_DATA, "folds.width must be");
    parse("{\"folds\": {\"width\": true}}", PLEAT_BAD_DATA, "folds.width is 'true'; it can be from 0.1mm");
    parse("{\"folds\": {\"width\": 5}}", PLEAT_BAD_DATA, "from 0.1mm to 1000mm");
    parse("{\"folds\": {\"width\": 0.1, \"width\": 0.2}}", PLEAT_BAD_DATA, "duplicate");
}

static void test_look_prints_what_it_reads(void **state)
{
    (void)state;
    folds_options before = options;
    char text[1000];
    size_t length = pleat_look_format(&look, NULL, 0);
    assert_true(length > 20 && length < sizeof text);
    assert_int_equal(pleat_look_format(&look, text, sizeof text), length);
    assert_int_equal(strlen(text), length);
    memset(&options, 0, sizeof options);
    parse(text, PLEAT_OK, "");
    assert_true(fabsf(options.width / before.width - 1) < 1e-6f && fabsf(options.angle / before.angle - 1) < 1e-6f);
    assert_true(options.count == before.count && options.method == before.method && options.smooth == before.smooth);
}

static void test_look_survives_any_bytes(void **state)
{
    (void)state;
    uint32_t seed = 5;
    char text[64];
    for (uint32_t i = 0; i < 20000; ++i)
    {
        static const char letters[] = "{}[]\":,folds.width=0123456789eE+-mc%\\ \x80";
        uint32_t length = support_random(&seed) % 63;
        for (uint32_t k = 0; k < length; ++k)
        {
            text[k] = letters[support_random(&seed) % (sizeof letters - 1)];
        }
        text[length] = 0;
        pleat_look_parse(&look, text, length, "random", NULL);
        pleat_look_set(&look, text, NULL);
        char assignment[96];
        snprintf(assignment, sizeof assignment, "folds.width=%s", text);
        pleat_look_set(&look, assignment, NULL);
        assert_true(options.width >= 1e-4f && options.width <= 1);
    }
}

static void test_look_suggests_the_nearest_name(void **state)
{
    (void)state;
    refuse("folds.widht=1", "did you mean width?");
    refuse("folds.with=1", "did you mean width?");
    refuse("folds.Count=1", "did you mean count?");
    refuse("fold.width=1", "did you mean folds?");
    pleat_error error = {0};
    assert_int_equal(pleat_look_set(&look, "folds.colour=1", &error), PLEAT_BAD_DATA);
    assert_null(strstr(error.message, "did you mean"));
    assert_non_null(strstr(error.message, "folds has: width"));
}

static void test_look_gives_joints_values_of_their_own(void **state)
{
    (void)state;
    set("folds[knee.L,elbow*].width=3cm");
    set("folds[spine*].strength=50%");
    set("folds[knee.L,elbow*].angle=10deg");
    set("folds[spine*].strength=60%"); /* again: the later one counts */
    set("folds.plain=7"); /* what joints do not have for themselves they have from the section, set later or not */
    assert_true(options.width == 0.02f && options.strength == 1);
    folds_options own = options;
    assert_string_equal(pleat_look_joints(&section, 0, &own), "knee.L,elbow*");
    assert_true(own.width == 0.03f && fabsf(own.angle - 0.174533f) < 1e-5f && own.strength == 1 && own.plain == 7);
    own = options;
    assert_string_equal(pleat_look_joints(&section, 1, &own), "spine*");
    assert_true(own.strength == 0.6f && own.width == 0.02f);
    assert_null(pleat_look_joints(&section, 2, &own));
    refuse("folds[spine*].count=3", "folds.count is one for all joints");
    refuse("folds[].width=3cm", "between the brackets");
    refuse("folds[a]b].width=3cm", "between the brackets");
    refuse("folds[spine*].width=3kg", "folds.width is '3kg'");
    refuse("folds[spine*].wdth=3cm", "did you mean width?");
    refuse("folds[spine*.width=3cm", "section.key=value");
    refuse("fold[spine*].width=3cm", "did you mean folds?");
    char text[4000];
    size_t length = pleat_look_format(&look, text, sizeof text);
    pleat_joint_values before = values;
    reset(NULL);
    assert_int_equal(pleat_look_parse(&look, text, length, "printed", NULL), PLEAT_OK);
    assert_int_equal(values.count, 3);
    for (uint32_t i = 0; i < 3; ++i)
    {
        assert_string_equal(values.list[i].joints, before.list[i == 1 ? 2 : i == 2 ? 1 : 0].joints);
    }
    own = options;
    pleat_look_joints(&section, 0, &own);
    assert_true(own.width == 0.03f && fabsf(own.angle - 0.174533f) < 1e-5f);
}

static void test_look_holds_so_many_values_of_joints(void **state)
{
    (void)state;
    for (int i = 0; i < PLEAT_JOINT_VALUES; ++i)
    {
        char assignment[64];
        snprintf(assignment, sizeof assignment, "folds[joint%d].width=3cm", i);
        set(assignment);
    }
    set("folds[joint5].width=4cm");
    refuse("folds[other].width=3cm", "at most 64 values");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_look_reads_values_with_units, reset),
        cmocka_unit_test_setup(test_look_gives_joints_values_of_their_own, reset),
        cmocka_unit_test_setup(test_look_holds_so_many_values_of_joints, reset),
        cmocka_unit_test_setup(test_look_takes_texts_as_they_are, reset),
        cmocka_unit_test_setup(test_look_refuses_what_is_wrong_and_says_what_is_right, reset),
        cmocka_unit_test_setup(test_look_files_are_read, reset),
        cmocka_unit_test_setup(test_look_files_that_are_wrong_are_refused, reset),
        cmocka_unit_test_setup(test_look_prints_what_it_reads, reset),
        cmocka_unit_test_setup(test_look_survives_any_bytes, reset),
        cmocka_unit_test_setup(test_look_suggests_the_nearest_name, reset),
    };
    return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
