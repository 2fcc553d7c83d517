/* Text to number and back; judged by the C library in its "C" locale. */
#include "support/support.h"

#include "io/file/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_number_parse_is_the_nearest_double(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "1e10",
                                        "1E-10",
                                        "1e+22",
                                        "1e23",
                                        "4.9e-324",
                                        "1e308",
                                        "123456789012345678",
                                        "0.1",
                                        "0.30000000000000004",
                                        "9007199254740993",
                                        "2.2250738585072011e-308",
                                        "-0.5",
                                        "0.249945170868711",
                                        "-0.00523560497083924",
                                        "00012.50",
                                        "1e-400",
                                        "0e99999999999999999999",
                                        "1e00000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    {
        double value = 7;
        assert_int_equal(pl_number_parse(texts[i], strlen(texts[i]), &value), strlen(texts[i]));
        double expected = strtod(texts[i], NULL);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    uint32_t random = 5;
    for (int i = 0; i < 200000; ++i)
    {
        uint64_t bits = ((uint64_t)support_random(&random) << 32) | support_random(&random);
        double original;
        memcpy(&original, &bits, 8);
        if (!isfinite(original))
        {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, "%.*g", 1 + i % 17, original);
        double value = 0;
        assert_int_equal(pl_number_parse(text, strlen(text), &value), strlen(text));
        double expected = strtod(text, NULL);
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void test_number_parse_stops_where_the_number_ends(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        size_t length;
    } cases[] = {{"1e", 1}, {"1e+", 1}, {"1.5x", 3}, {"1..2", 2}, {"-", 0},    {"", 0},    {".", 0},
                 {"e5", 0}, {"nan", 0}, {"inf", 0},  {"-inf", 0}, {"0x10", 1}, {"1,5", 1}, {"--1", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        double value;
        assert_int_equal(pl_number_parse(cases[i].text, strlen(cases[i].text), &value), cases[i].length);
    }
    double value;
    assert_int_equal(pl_number_parse("12345", 2, &value), 2); /* never reads behind length */
    assert_true(value == 12);
    assert_int_equal(pl_number_parse("1e5", 2, &value), 1);
    char digits[3000];
    memset(digits, '7', sizeof digits);
    assert_int_equal(pl_number_parse(digits, sizeof digits, &value), sizeof digits);
    assert_true(isinf(value));
    digits[1] = '.';
    assert_int_equal(pl_number_parse(digits, sizeof digits, &value), sizeof digits);
    assert_true(value == 7.777777777777777777777);
}

static void check_format(float value)
{
    char text[PL_NUMBER_SIZE];
    size_t length = pl_number_format(text, value);
    assert_int_equal(length, strlen(text));
    assert_true(length < 17);
    float back = strtof(text, NULL);
    assert_memory_equal(&back, &value, sizeof back);
    double parsed;
    assert_int_equal(pl_number_parse(text, length, &parsed), length);
    back = (float)parsed;
    assert_memory_equal(&back, &value, sizeof back);
}

static void test_number_format_reads_back_as_the_same_float(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (int i = 0; i < 500000; ++i)
    {
        uint32_t bits = support_random(&random);
        float value;
        memcpy(&value, &bits, 4);
        if (isfinite(value))
        {
            check_format(value);
        }
        check_format(support_random_float(&random, -2, 2));
    }
    for (int exponent = -149; exponent < 128; ++exponent)
    {
        float value = ldexpf(1, exponent);
        check_format(value);
        check_format(-nextafterf(value, 0));
        check_format(nextafterf(value, INFINITY));
    }
    for (int exponent = -44; exponent < 39; ++exponent)
    {
        float value = (float)pow(10, exponent);
        check_format(value);
        check_format(nextafterf(value, 0));
        check_format(nextafterf(value, INFINITY));
    }
}

static void test_number_format_is_short(void **state)
{
    (void)state;
    static const struct
    {
        float value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0f, "-0"},
                 {1, "1"},
                 {-1.5f, "-1.5"},
                 {0.1f, "0.1"},
                 {100, "100"},
                 {123456792, "123456790"},
                 {1e9f, "1e9"},
                 {1e-5f, "0.00001"},
                 {1.5e-7f, "1.5e-7"},
                 {9999999, "9999999"},
                 {0.3333333433f, "0.33333334"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[PL_NUMBER_SIZE];
        pl_number_format(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_number_knows_no_locale(void **state)
{
    (void)state;
    /* The system's own list of locales may be empty; then there is nothing to go wrong. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
    {
        print_message("skipped: no locale with a decimal comma on this machine\n");
        skip();
    }
    char text[PL_NUMBER_SIZE];
    pl_number_format(text, 1.5e-30f);
    assert_null(strchr(text, ','));
    double value;
    assert_int_equal(pl_number_parse("1.5e-300", 8, &value), 8);
    assert_true(value == 1.5e-300);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_parse_is_the_nearest_double),
        cmocka_unit_test(test_number_parse_stops_where_the_number_ends),
        cmocka_unit_test(test_number_format_reads_back_as_the_same_float),
        cmocka_unit_test(test_number_format_is_short),
        cmocka_unit_test(test_number_knows_no_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
