/* Plots, judged by what they must show: pixels of a style's colour where its curve is, the same coordinates in the SVG,
 * round ticks. */
#include "support/support.h"

#include "pleat/plot.h"

#include "draw/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    WIDTH = 1200,
    HEIGHT = 700,
    FRAMES = 101
};

static const pleat_plot_style styles[2] = {{"before", {146, 151, 161, 255}, true},
                                           {"after <b>", {28, 98, 198, 255}, false}};

typedef struct example
{
    double values[2][FRAMES];
    pleat_plot_curve curves[2];
    pleat_plot_panel panels[4];
    pleat_plot plot;
} example;

/* Before is a parabola from 0 to 10, after is flat at 5; all four panels are alike. */
static void fill(example *e)
{
    for (int i = 0; i < FRAMES; ++i)
    {
        e->values[0][i] = 10 * (1 - pow((i - 50) / 50.0, 2));
        e->values[1][i] = 5;
    }
    for (uint32_t c = 0; c < 2; ++c)
    {
        e->curves[c] = (pleat_plot_curve){FRAMES, e->values[c], c};
    }
    for (uint32_t p = 0; p < 4; ++p)
    {
        e->panels[p] = (pleat_plot_panel){"a title", "note", 2, e->curves, NAN, 0, true};
    }
    e->plot = pleat_plot_default();
    e->plot.title = "cloth & skin";
    e->plot.style_count = 2;
    e->plot.styles = styles;
    e->plot.panel_count = 4;
    e->plot.panels = e->panels;
}

static pleat_picture draw(const pleat_plot *plot)
{
    pleat_picture picture = {WIDTH, HEIGHT, 4 * WIDTH, calloc(WIDTH * HEIGHT, 4)};
    pleat_error error = {0};
    assert_non_null(picture.pixels);
    if (pleat_plot_draw(plot, &picture, NULL, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return picture;
}

static bool has_color(const pleat_picture *picture, uint32_t x, uint32_t y, pleat_rgba color)
{
    const uint8_t *pixel = picture->pixels + y * picture->stride + 4 * (size_t)x;
    return pixel[0] == color.r && pixel[1] == color.g && pixel[2] == color.b && pixel[3] == 255;
}

/* The rows of a column's pixels of one colour within a box. */
static uint32_t find_rows(const pleat_picture *picture, uint32_t x, uint32_t top, uint32_t bottom, pleat_rgba color,
                          uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t y = top; y < bottom; ++y)
    {
        if (has_color(picture, x, y, color))
        {
            *first = count ? *first : y;
            ++count;
        }
    }
    return count;
}

static void test_plot_draws_curves_where_they_are(void **state)
{
    (void)state;
    example e;
    fill(&e);
    pleat_picture picture = draw(&e.plot);
    /* In each quarter the flat curve is a straight line, one stroke thick, in every column between the axes. */
    for (uint32_t q = 0; q < 4; ++q)
    {
        uint32_t left = q % 2 ? 700 : 120, top = q / 2 ? 400 : 100, first = 0, row = 0;
        for (uint32_t x = left; x < left + 400; ++x)
        {
            uint32_t count = find_rows(&picture, x, top, top + 280, styles[1].color, &first);
            assert_in_range(count, 1, 4);
            row = row ? row : first;
            assert_int_equal(first, row);
        }
    }
    /* The dashed curve has gaps: neither all nor none of its columns. */
    uint32_t drawn = 0, first;
    for (uint32_t x = 200; x < 460; ++x)
    {
        drawn += find_rows(&picture, x, 100, 360, styles[0].color, &first) > 0;
    }
    assert_in_range(drawn, 80, 230);
    free(picture.pixels);
}

static void test_plot_leaves_gaps(void **state)
{
    (void)state;
    example e;
    fill(&e);
    for (int i = 40; i <= 60; ++i)
    {
        e.values[1][i] = i == 50 ? 5 : NAN; /* a lone value is a dot */
    }
    pleat_picture picture = draw(&e.plot);
    uint32_t columns = 0, first;
    for (uint32_t x = 90; x < 575; ++x)
    {
        columns += find_rows(&picture, x, 100, 360, styles[1].color, &first) > 0;
    }
    assert_in_range(columns, 0.75 * 485, 0.85 * 485);
    free(picture.pixels);
}

static void test_plot_svg_is_the_same_picture(void **state)
{
    (void)state;
    example e;
    fill(&e);
    char *text;
    size_t size;
    assert_int_equal(pleat_plot_svg(&e.plot, WIDTH, HEIGHT, NULL, &text, &size, NULL), PLEAT_OK);
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "<title>cloth &amp; skin</title>"));
    assert_non_null(strstr(text, "after &lt;b&gt;"));
    assert_non_null(strstr(text, "stroke-dasharray"));
    assert_ptr_equal(strstr(text, "</svg>\n"), text + size - 7);
    /* The first flat curve's line lies where the picture has it. */
    const char *at = strstr(text, "stroke=\"#1c62c6\"");
    at = strstr(at + 1, "stroke=\"#1c62c6\""); /* the first one is the legend */
    assert_non_null(at);
    float x, y;
    assert_int_equal(sscanf(strstr(at, "d=\"M"), "d=\"M%f %f", &x, &y), 2);
    pleat_picture picture = draw(&e.plot);
    assert_true(has_color(&picture, (uint32_t)x + 2, (uint32_t)y, styles[1].color));
    free(picture.pixels);
    pleat_plot_free(NULL, text);
}

static void test_plot_rejects_what_it_cannot_show(void **state)
{
    (void)state;
    example e;
    fill(&e);
    char *text;
    size_t size;
    pleat_error error = {0};
    e.plot.panel_count = 0;
    assert_int_equal(pleat_plot_svg(&e.plot, WIDTH, HEIGHT, NULL, &text, &size, &error), PLEAT_BAD_ARGUMENT);
    assert_null(text);
    e.plot.panel_count = 4;
    assert_int_equal(pleat_plot_svg(&e.plot, 0, HEIGHT, NULL, &text, &size, &error), PLEAT_BAD_ARGUMENT);
    e.curves[1].style = 2;
    assert_int_equal(pleat_plot_svg(&e.plot, WIDTH, HEIGHT, NULL, &text, &size, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "style 2"));
    /* Nothing but gaps, one frame, tiny: drawn all the same. */
    e.curves[1].style = 1;
    e.curves[0].count = e.curves[1].count = 1;
    e.values[0][0] = e.values[1][0] = NAN;
    assert_int_equal(pleat_plot_svg(&e.plot, 16, 9, NULL, &text, &size, &error), PLEAT_OK);
    pleat_plot_free(NULL, text);
}

static void test_plot_axes_have_round_ticks(void **state)
{
    (void)state;
    static const struct
    {
        double low, high;
        bool tight, whole;
        double expected_low, expected_high, step;
        const char *last;
    } cases[] = {
        {0, 17.3, false, false, 0, 20, 5, "20"},
        {0.913, 1, false, false, 0.9, 1, 0.02, "1.00"},
        {0, 3, false, true, 0, 3, 1, "3"},
        {0, 0, false, true, 0, 1, 1, "1"},
        {0, 48211, false, true, 0, 50000, 10000, "50k"},
        {30, 151, true, true, 30, 151, 50, "150"},
        {-0.0003, 0.0004, false, false, -0.0004, 0.0004, 0.0002, "0.0004"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char label[32];
        pl_axis axis = pl_axis_make(cases[i].low, cases[i].high, 5, cases[i].tight, cases[i].whole);
        pl_axis_label(&axis, axis.tick_count - 1, label, sizeof label);
        assert_true(fabs(axis.low - cases[i].expected_low) < 1e-9);
        assert_true(fabs(axis.high - cases[i].expected_high) < 1e-9);
        assert_true(fabs(axis.step - cases[i].step) < 1e-9);
        assert_string_equal(label, cases[i].last);
    }
}

static pleat_result make_svg(void *user, const pleat_host *host, pleat_error *error)
{
    char *text;
    size_t size;
    pleat_result result = pleat_plot_svg(user, WIDTH, HEIGHT, host, &text, &size, error);
    pleat_plot_free(host, text);
    return result;
}

static pleat_result make_picture(void *user, const pleat_host *host, pleat_error *error)
{
    static uint8_t pixels[4 * 480 * 280];
    pleat_picture picture = {480, 280, 4 * 480, pixels};
    return pleat_plot_draw(user, &picture, host, error);
}

static void test_plot_survives_every_failed_allocation(void **state)
{
    (void)state;
    example e;
    fill(&e);
    e.plot.panel_count = 1;
    support_sweep_allocations(make_svg, &e.plot);
    support_sweep_allocations(make_picture, &e.plot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot_draws_curves_where_they_are),
        cmocka_unit_test(test_plot_leaves_gaps),
        cmocka_unit_test(test_plot_svg_is_the_same_picture),
        cmocka_unit_test(test_plot_rejects_what_it_cannot_show),
        cmocka_unit_test(test_plot_axes_have_round_ticks),
        cmocka_unit_test(test_plot_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
