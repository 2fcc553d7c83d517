/* Profiles from drawings: judged by shapes whose upper side has a closed form. */
#include "support/support.h"

#include "pleat/io.h"
#include "pleat/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *decode(const char *svg)
{
    static char text[PLEAT_TEXT_LIMIT];
    pleat_error error = {0};
    if (pleat_curve_decode(svg, strlen(svg), "a.svg", NULL, text, sizeof text, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return text;
}

/* The largest difference between the points of a text and a height over 0..1. */
static double off_by(const char *text, double (*height)(double))
{
    double worst = 0;
    int x, y, length;
    uint32_t count = 0;
    for (; sscanf(text, "%d,%d%n", &x, &y, &length) == 2; text += length, text += *text == ' ', ++count)
    {
        worst = fmax(worst, fabs(y / 999.0 - height(x / 999.0)));
    }
    assert_int_equal(count, 30);
    assert_int_equal(*text, 0);
    return worst;
}

static double parabola(double x)
{
    return 4 * x * (1 - x);
}

static double half_circle(double x)
{
    return sqrt(fmax(0, 1 - (2 * x - 1) * (2 * x - 1)));
}

static double half_sine(double x)
{
    return sin(3.14159265358979 * x);
}

static double block(double x)
{
    (void)x;
    return 1;
}

static void test_curve_keeps_the_points_of_a_polyline(void **state)
{
    (void)state;
    const char *leaning = "0,0 649,999 999,0";
    assert_string_equal(decode("<svg><polyline points='0,100 65,0 100,100'/></svg>"), leaning);
    assert_string_equal(decode("<svg><polyline points='100 100,65 0 0,100'/></svg>"), leaning);
    assert_string_equal(decode("<svg><path d='M0 100L65 0 100 100'/></svg>"), leaning);
    assert_string_equal(decode("<svg><path d='m0,100 65-100l35,100'/></svg>"), leaning);
    assert_string_equal(decode("<svg><path d='M 1e1 10 h.5.5 v-1 H 12'/></svg>"), decode("<svg><path d='M0 2 H5 10 V1 "
                                                                                         "H20'/></svg>"));
    /* What is not drawn, and what is no element. */
    assert_string_equal(decode("<?xml version='1.0'?><!DOCTYPE svg><!-- <path d='M0 0L1 1'/> -->"
                               "<svg:svg xmlns:svg='x'><defs><path d='M0 0L1 1L2 9'/></defs>"
                               "<svg:polyline style='fill:none' points='0,100 65,0 100,100'></svg:polyline></svg:svg>"),
                        leaning);
}

static void test_curve_follows_transforms(void **state)
{
    (void)state;
    const char *leaning = "0,0 649,999 999,0";
    assert_string_equal(decode("<svg><g transform='translate(20 30) scale(2)'><g transform='translate(-7,3)'>"
                               "<polyline points='0,100 65,0 100,100'/></g></g></svg>"),
                        leaning);
    /* Turned by half a turn: both ways round. */
    assert_string_equal(decode("<svg><polyline transform='rotate(180)' points='0,0 35,100 100,0'/></svg>"), leaning);
    assert_string_equal(decode("<svg><polyline transform='rotate(180, 5, 8)' points='0,0 35,100 100,0'/></svg>"),
                        leaning);
    assert_string_equal(decode("<svg><polyline transform='matrix(0 1 1 0 0 0)' points='100,0 0,65 100,100'/></svg>"),
                        leaning);
    /* x' = x + y: 0,0 and 65,-65 + ... */
    assert_string_equal(decode("<svg><polyline transform='skewX(45)' points='0,0 165,-100 100,0'/></svg>"), leaning);
    /* A group that has ended moves nothing. */
    assert_string_equal(decode("<svg><g transform='rotate(30)'></g><polyline points='0,100 65,0 100,100'/></svg>"),
                        leaning);
}

/* Hidden layers and shapes are not drawn, whatever comes first. */
static void test_curve_leaves_out_what_is_hidden(void **state)
{
    (void)state;
    static const char *const hidden[] = {"<g style='fill:none; display : none'><polyline points='0,0 1,1 2,0'/></g>",
                                         "<path display='none' d='M0 0L9 1'/>",
                                         "<g display='none'><g><path d='M0 0L9 1'/></g></g>",
                                         "<path style='display:none' d='M0 0L9 1'/>"};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; ++i)
    {
        char svg[400];
        snprintf(svg, sizeof svg, "<svg>%s<g style='display:inline'><polyline points='0,9 7,0 10,9'/></g></svg>",
                 hidden[i]);
        assert_string_equal(decode(svg), "0,0 699,999 999,0");
    }
}

static void test_curve_follows_curves(void **state)
{
    (void)state;
    assert_true(off_by(decode("<svg><path d='M0 100 Q50-100 100 100'/></svg>"), parabola) < 0.005);
    assert_true(off_by(decode("<svg><path d='M0,100 q25-100 50-100 t50 100'/></svg>"), parabola) < 0.005);
    /* The same parabola as a cubic curve, and as two of which the second goes on from the first. */
    assert_true(off_by(decode("<svg><path d='M0 3 C1 -1 2 -1 3 3'/></svg>"), parabola) < 0.005);
    assert_true(off_by(decode("<svg><path d='M0 8 c4 -5.333333 8 -8 12 -8 S 20 2.666667 24 8'/></svg>"), parabola) <
                0.005);
    assert_true(off_by(decode("<svg><path d='M0 50 A50 50 0 0 1 100 50'/></svg>"), half_circle) < 0.005);
    assert_true(off_by(decode("<svg><path d='M0 50 a50 50 0 0150-50 50 50 0 0150 50'/></svg>"), half_circle) < 0.005);
    /* Radii that are too small grow; the lower half hangs below and does not count. */
    assert_true(off_by(decode("<svg><path d='M0 50 A1 1 0 0 1 100 50'/></svg>"), half_circle) < 0.005);
    assert_true(off_by(decode("<svg><path d='M0 0 L100 0 100-10 0-10z'/></svg>"), block) < 0.001);
}

static void refuse(const char *svg, const char *said)
{
    char text[PLEAT_TEXT_LIMIT];
    pleat_error error = {0};
    assert_int_equal(pleat_curve_decode(svg, strlen(svg), "a.svg", NULL, text, sizeof text, &error), PLEAT_BAD_DATA);
    if (!strstr(error.message, said))
    {
        fail_msg("%s: '%s' does not say '%s'", svg, error.message, said);
    }
}

static void test_curve_refuses_what_is_none(void **state)
{
    (void)state;
    refuse("", "no polyline, polygon or path");
    refuse("<svg></svg>", "a.svg: no polyline, polygon or path");
    refuse("\xff\xd8\xff\xe0 JFIF", "neither a PNG nor an SVG");
    refuse("<svg><path d='M0 0'/></svg>", "no polyline, polygon or path");
    refuse("<svg><path d='L0 0'/></svg>", "broken at 'L0 0'");
    refuse("<svg><path d='M0 0 L1'/></svg>", "broken");
    refuse("<svg><path d='M0 0 W1 2'/></svg>", "broken");
    refuse("<svg><path d='M0 0 A1 1 0 2 0 1 1'/></svg>", "broken");
    refuse("<svg><polyline points='0,0 1,x'/></svg>", "broken");
    refuse("<svg><polyline points='0,0 1,1", "element 'polyline' is broken");
    refuse("<svg><polyline points='0,0 1e300,1'/></svg>", "too large");
    refuse("<svg><polyline points='0,0 0,1'/></svg>", "no width");
    refuse("<svg><polyline points='0,1 1,1'/></svg>", "flat");
    refuse("<svg><polyline transform='twist(3)' points='0,0 1,1'/></svg>", "transform 'twist(3)'");
    refuse("<svg><polyline transform='scale(1' points='0,0 1,1'/></svg>", "transform");
    char deep[64 * 3 + 1] = "";
    for (int i = 0; i < 64; ++i)
    {
        memcpy(deep + 3 * i, "<g>", 4);
    }
    refuse(deep, "inside of each other");
}

/* ---- Pictures ---- */

enum
{
    WIDTH = 300,
    HEIGHT = 120
};

typedef enum drawing
{
    FILLED,
    LINE,
    LIGHT_ON_DARK,
    TRANSPARENT,
    FULL,  /* filled, from one lower corner to the other, on a ground of one pixel */
    DASHED /* a line of strokes of 26 pixels with gaps of 14 */
} drawing;

/* A half sine, 100 pixels high and 280 wide, standing on row 110; antialiased by its exact cover of each pixel. */
static void draw(drawing kind, const char *path)
{
    static uint8_t pixels[HEIGHT][WIDTH][4];
    for (int y = 0; y < HEIGHT; ++y)
    {
        for (int x = 0; x < WIDTH; ++x)
        {
            bool full = kind == FULL, line = kind == LINE || kind == DASHED,
                 gap = kind == DASHED && (x - 10) % 40 / 14 == 1;
            double at = full ? x / (WIDTH - 1.0) : (x - 10) / 279.0, ground = full ? HEIGHT : 110;
            double top = ground - full - 100 * half_sine(at), cover = 0;
            if (at >= 0 && at <= 1 && !gap)
            {
                double bottom = line ? top + 4 : ground;
                cover = fmax(0, fmin(y + 1, bottom) - fmax(y, top));
                cover = fmin(cover, 1);
            }
            int dark = (int)round(255 * cover), tone = kind == LIGHT_ON_DARK ? dark : 255 - dark;
            for (int k = 0; k < 3; ++k)
            {
                pixels[y][x][k] = kind == TRANSPARENT ? 90 : (uint8_t)tone;
            }
            pixels[y][x][3] = kind == TRANSPARENT ? (uint8_t)dark : 255;
        }
    }
    assert_int_equal(pleat_png_write(path, WIDTH, HEIGHT, 4, 8, pixels, NULL), PLEAT_OK);
}

static void test_curve_follows_the_ink_of_a_picture(void **state)
{
    (void)state;
    char path[1000], text[PLEAT_TEXT_LIMIT];
    snprintf(path, sizeof path, "%s/test_curve.png", PLEAT_BINARY_DIR);
    for (drawing kind = FILLED; kind <= DASHED; ++kind)
    {
        pleat_error error = {0};
        draw(kind, path);
        if (pleat_curve_read(path, NULL, text, sizeof text, &error) != PLEAT_OK)
        {
            fail_msg("drawing %d: %s", (int)kind, error.message);
        }
        double off = off_by(text, half_sine);
        print_message("drawing %d: off by %.4f\n", (int)kind, off);
        assert_true(off < 0.02);
    }
    static const uint8_t white[8][8];
    assert_int_equal(pleat_png_write(path, 8, 8, 1, 8, white, NULL), PLEAT_OK);
    pleat_error error = {0};
    assert_int_equal(pleat_curve_read(path, NULL, text, sizeof text, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "no dark curve"));
    assert_int_equal(pleat_curve_decode("\x89PNG\r\n", 6, "cut.png", NULL, text, sizeof text, &error), PLEAT_BAD_DATA);
    remove(path);
}

static void test_image_reads_what_was_written(void **state)
{
    (void)state;
    char path[1000];
    snprintf(path, sizeof path, "%s/test_image.png", PLEAT_BINARY_DIR);
    const uint8_t pixels[2][3][2] = {{{0, 255}, {128, 255}, {255, 0}}, {{7, 9}, {1, 1}, {200, 255}}};
    assert_int_equal(pleat_png_write(path, 3, 2, 2, 8, pixels, NULL), PLEAT_OK);
    pleat_image image;
    assert_int_equal(pleat_image_read(path, NULL, &image, NULL), PLEAT_OK);
    assert_int_equal(image.width, 3);
    assert_int_equal(image.height, 2);
    for (int i = 0; i < 6; ++i)
    {
        const uint8_t *grey = &pixels[0][0][0] + 2 * i;
        assert_int_equal(image.pixels[4 * i], grey[0]);
        assert_int_equal(image.pixels[4 * i + 2], grey[0]);
        assert_int_equal(image.pixels[4 * i + 3], grey[1]);
    }
    pleat_image_free(NULL, &image);
    pleat_error error = {0};
    assert_int_equal(pleat_image_read("nowhere.png", NULL, &image, &error), PLEAT_FILE_ERROR);
    assert_null(image.pixels);
    remove(path);
}

/* ---- In looks ---- */

static void test_look_reads_a_drawing_beside_it(void **state)
{
    (void)state;
    typedef struct options
    {
        char curve[PLEAT_TEXT_LIMIT];
    } options;
    options drawn = {""};
    const pleat_parameter parameter = {"curve", PLEAT_VALUE_CURVE, offsetof(options, curve), 0, 0, NULL, ""};
    const pleat_look_section section = {"folds", &parameter, 1, &drawn, NULL};
    const pleat_look look = {1, &section};
    pleat_error error = {0};
    const char *svg = "<svg><polyline points='0,4 1,0 4,4'/></svg>", *json = "{\"folds\": {\"curve\": \"@own.svg\"}}";
    char path[1000], assignment[1100];
    snprintf(path, sizeof path, "%s/own.svg", PLEAT_BINARY_DIR);
    assert_int_equal(pleat_file_write(path, svg, strlen(svg), NULL), PLEAT_OK);
    snprintf(assignment, sizeof assignment, "folds.curve=@%s", path);
    if (strlen(assignment) < PLEAT_TEXT_LIMIT)
    {
        assert_int_equal(pleat_look_assign(&look, assignment, NULL, &error), PLEAT_OK);
        assert_string_equal(drawn.curve, "0,0 250,999 999,0");
    }
    drawn.curve[0] = 0;
    snprintf(path, sizeof path, "%s/own.json", PLEAT_BINARY_DIR);
    assert_int_equal(pleat_file_write(path, json, strlen(json), NULL), PLEAT_OK);
    assert_int_equal(pleat_look_read(&look, path, NULL, &error), PLEAT_OK);
    assert_string_equal(drawn.curve, "0,0 250,999 999,0");
    /* Bytes in memory reach for no file. */
    assert_int_equal(pleat_look_parse(&look, json, strlen(json), path, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "@own.svg"));
    assert_int_equal(pleat_look_assign(&look, "folds.curve=@absent.svg", NULL, &error), PLEAT_FILE_ERROR);
    assert_int_equal(pleat_look_assign(&look, "folds.curve=0,0 1,1", NULL, &error), PLEAT_OK);
    assert_string_equal(drawn.curve, "0,0 1,1");
}

static pleat_result decode_in(void *user, const pleat_host *host, pleat_error *error)
{
    char text[PLEAT_TEXT_LIMIT];
    return pleat_curve_decode(user, strlen(user), "a.svg", host, text, sizeof text, error);
}

static void test_curve_survives_every_failed_allocation(void **state)
{
    (void)state;
    char svg[] = "<svg><path d='M0 50 A50 50 0 0 1 100 50 A50 50 0 0 1 0 50 A50 50 0 0 1 100 50'/></svg>";
    support_sweep_allocations(decode_in, svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve_keeps_the_points_of_a_polyline),
        cmocka_unit_test(test_curve_follows_transforms),
        cmocka_unit_test(test_curve_leaves_out_what_is_hidden),
        cmocka_unit_test(test_curve_follows_curves),
        cmocka_unit_test(test_curve_refuses_what_is_none),
        cmocka_unit_test(test_curve_follows_the_ink_of_a_picture),
        cmocka_unit_test(test_image_reads_what_was_written),
        cmocka_unit_test(test_look_reads_a_drawing_beside_it),
        cmocka_unit_test(test_curve_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
