/* The measurement as a picture: four pairs of axes over the frames, before dashed and grey, after in colour. */
#include "measure_show.h"

#include "pleat/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PLOT_WIDTH = 1200,
    PLOT_HEIGHT = 700,
    PANELS = 4
};

/* One value of a side in a frame. */
typedef double pick(const pleat_measurement *result, uint32_t side, uint32_t frame);

static double pick_compressed(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    return 100 * result->sides[side].frames[frame].compressed_area;
}

/* The shortest of all lines. */
static double pick_line(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < result->line_count; ++i)
    {
        least = fmin(least, result->sides[side].line_least[(size_t)i * result->frame_count + frame]);
    }
    return least;
}

static double pick_norm(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    return result->sides[side].frames[frame].compression;
}

static double pick_volume(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    const pleat_measured_side *measured = &result->sides[side];
    return measured->frames[frame].volume / measured->rest->volume;
}

static double pick_area(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    const pleat_measured_side *measured = &result->sides[side];
    return measured->frames[frame].area / measured->rest->area;
}

static double pick_crossings(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    return 100 * result->sides[side].frames[frame].crossings_area;
}

static double pick_inside(const pleat_measurement *result, uint32_t side, uint32_t frame)
{
    return 100 * result->sides[side].frames[frame].inside_area;
}

/* What the note at a panel's right says of a curve. */
typedef enum note_kind
{
    NOTE_MEAN,
    NOTE_LEAST
} note_kind;

typedef struct panel_choice
{
    const char *title;
    pick *value;
    note_kind note;
    int decimals;     /* of the note */
    const char *unit; /* behind its numbers */
    double level, least_span;
    bool from_zero;
} panel_choice;

/* Returns how many panels there are: only what was measured is shown. */
static uint32_t choose_panels(const pleat_measurement *result, panel_choice choice[PANELS])
{
    bool volume =
        pleat_measured_volume(&result->sides[0]) && pleat_measured_volume(&result->sides[result->side_count - 1]);
    choice[0] =
        (panel_choice){"compressed under 0.9, % of the area", pick_compressed, NOTE_MEAN, 1, " %", NAN, 1, true};
    choice[1] = result->line_count
                    ? (panel_choice){"shortest line / rest length", pick_line, NOTE_LEAST, 3, "", 1, 0.02, false}
                    : (panel_choice){"L2 norm of compression", pick_norm, NOTE_MEAN, 3, "", NAN, 0.02, true};
    choice[2] = volume ? (panel_choice){"volume / rest volume", pick_volume, NOTE_LEAST, 3, "", 1, 0.02, false}
                       : (panel_choice){"area / rest area", pick_area, NOTE_LEAST, 3, "", 1, 0.02, false};
    choice[3] =
        result->has_crossings
            ? (panel_choice){"self-intersections, % of the area", pick_crossings, NOTE_MEAN, 2, " %", NAN, 1, true}
            : (panel_choice){"inside the body, % of the area", pick_inside, NOTE_MEAN, 2, " %", NAN, 1, true};
    return result->has_crossings || result->has_body ? PANELS : PANELS - 1;
}

static double summary(note_kind kind, uint32_t count, const double *values)
{
    double sum = 0, least = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += values[i];
        least = fmin(least, values[i]);
    }
    return kind == NOTE_MEAN ? sum / count : least;
}

/* Everything a plot points to. */
typedef struct plot_data
{
    double *values; /* panel, side, frame */
    pleat_plot_curve curves[PANELS][2];
    pleat_plot_panel panels[PANELS];
    char notes[PANELS][96];
    pleat_plot_style styles[2];
    char title[300], subtitle[400];
    pleat_plot plot;
} plot_data;

static void fill_panel(const pleat_measurement *result, const panel_choice *choice, plot_data *data, uint32_t p)
{
    static const char *const words[] = {"mean ", "least "};
    int length = snprintf(data->notes[p], sizeof data->notes[p], "%s", words[choice->note]);
    for (uint32_t s = 0; s < result->side_count; ++s)
    {
        double *values = data->values + ((size_t)p * 2 + s) * result->frame_count;
        for (uint32_t f = 0; f < result->frame_count; ++f)
        {
            values[f] = choice->value(result, s, f);
        }
        length += snprintf(data->notes[p] + length, sizeof data->notes[p] - (size_t)length, "%s%.*f%s", s ? " -> " : "",
                           choice->decimals, summary(choice->note, result->frame_count, values), choice->unit);
        data->curves[p][s] = (pleat_plot_curve){result->frame_count, values, s};
    }
    data->panels[p] = (pleat_plot_panel){choice->title, data->notes[p],     result->side_count, data->curves[p],
                                         choice->level, choice->least_span, choice->from_zero};
}

const char *measure_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void fill_head(const pleat_measurement *result, plot_data *data)
{
    const pleat_measured_side *a = &result->sides[0];
    const char *first = measure_file_name(a->file);
    data->styles[0] = (pleat_plot_style){"before", {146, 151, 161, 255}, true};
    data->styles[result->side_count - 1] =
        (pleat_plot_style){result->side_count == 2 ? "after" : "as it is", {28, 98, 198, 255}, false};
    if (result->side_count == 2)
    {
        snprintf(data->title, sizeof data->title, "%.120s and %.120s", shown(first),
                 shown(measure_file_name(result->sides[1].file)));
    }
    else
    {
        snprintf(data->title, sizeof data->title, "%.200s", shown(first));
    }
    int length =
        snprintf(data->subtitle, sizeof data->subtitle, "%s%.80s%s%u frames at %g a second; ",
                 a->clip[0] ? "clip " : "", shown(a->clip), a->clip[0] ? ", " : "", result->frame_count, result->fps);
    for (uint32_t i = 0; i < a->part_count && length < 300; ++i)
    {
        const pleat_measured_part *part = &a->parts[i];
        length += snprintf(data->subtitle + length, sizeof data->subtitle - (size_t)length, "%s%.60s", i ? ", " : "",
                           shown(part->node[0] ? part->node : part->mesh));
    }
    data->plot = pleat_plot_default();
    data->plot.title = data->title;
    data->plot.subtitle = data->subtitle;
    data->plot.first = result->first_frame;
    data->plot.panels = data->panels;
    data->plot.style_count = result->side_count;
    data->plot.styles = data->styles;
}

static pleat_result write_svg(app_session *session, const pleat_plot *plot, const char *path, pleat_error *error)
{
    char *text;
    size_t size;
    pleat_result result = pleat_plot_svg(plot, PLOT_WIDTH, PLOT_HEIGHT, &session->host, &text, &size, error);
    if (result == PLEAT_OK)
    {
        result = pleat_files_will_write(session->host.files, path, error);
        result = result == PLEAT_OK ? pleat_file_write(path, text, size, error) : result;
        pleat_plot_free(&session->host, text);
    }
    return result;
}

static pleat_result write_png(app_session *session, const pleat_plot *plot, const char *path, pleat_error *error)
{
    pleat_picture picture = {PLOT_WIDTH, PLOT_HEIGHT, 4 * PLOT_WIDTH, calloc(PLOT_WIDTH * PLOT_HEIGHT, 4)};
    pleat_result result = PLEAT_NO_MEMORY;
    if (!picture.pixels)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "out of memory for the plot"};
        return result;
    }
    result = pleat_plot_draw(plot, &picture, &session->host, error);
    if (result == PLEAT_OK)
    {
        result = pleat_png_write(path, PLOT_WIDTH, PLOT_HEIGHT, 4, 8, picture.pixels, error);
    }
    free(picture.pixels);
    return result;
}

int measure_plot(app_session *session, const pleat_measurement *result, const char *path)
{
    plot_data *data = calloc(1, sizeof *data);
    double *values = calloc((size_t)PANELS * 2 * result->frame_count, sizeof *values);
    int status = EXIT_DONE;
    if (!data || !values)
    {
        status = fail_input(session, "out of memory for the plot");
    }
    else
    {
        panel_choice choice[PANELS];
        pleat_error error = {0};
        const char *dot = strrchr(path, '.');
        data->values = values;
        uint32_t panel_count = choose_panels(result, choice);
        fill_head(result, data);
        data->plot.panel_count = panel_count;
        for (uint32_t p = 0; p < panel_count; ++p)
        {
            fill_panel(result, &choice[p], data, p);
        }
        bool svg = dot && strcmp(dot, ".svg") == 0;
        if ((svg ? write_svg : write_png)(session, &data->plot, path, &error) != PLEAT_OK)
        {
            status = fail_error(session, &error);
        }
    }
    free(values);
    free(data);
    return status;
}
