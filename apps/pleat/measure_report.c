/* What a measurement says: a table of the totals, and JSON with every frame. */
#include "measure_show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Table ---- */

/* How the numbers of a row are written. */
typedef enum row_unit
{
    UNIT_PLAIN,   /* 0.937 */
    UNIT_PERCENT, /* of a share 0..1 */
    UNIT_LENGTH,  /* metres, shown in mm */
    UNIT_COUNT
} row_unit;

static void format_value(row_unit unit, double value, char *out, size_t size)
{
    if (!isfinite(value))
    {
        snprintf(out, size, "-");
        return;
    }
    switch (unit)
    {
    case UNIT_PLAIN:
        snprintf(out, size, "%.4f", value);
        break;
    case UNIT_PERCENT:
        snprintf(out, size, "%.2f %%", 100 * value);
        break;
    case UNIT_LENGTH:
        snprintf(out, size, "%.3f mm", 1000 * value);
        break;
    case UNIT_COUNT:
        snprintf(out, size, "%.0f", value);
        break;
    }
}

static void format_change(double before, double after, char *out, size_t size)
{
    if (!isfinite(before) || !isfinite(after) || before == after)
    {
        snprintf(out, size, "%s", before == after ? "=" : "");
        return;
    }
    double change = 100 * (after / before - 1);
    if (!(fabs(change) < 1e5)) /* from nothing, or nearly */
    {
        snprintf(out, size, "new");
        return;
    }
    snprintf(out, size, fabs(change) < 0.05 ? "%+.3f %%" : "%+.1f %%", change);
}

/* One row; NAN stands for what a side does not have. */
static void print_row(const pleat_measurement *result, const char *name, row_unit unit, double before, double after)
{
    char text[3][32];
    format_value(unit, before, text[0], sizeof text[0]);
    printf("  %-38s %12s", name, text[0]);
    if (result->side_count == 2)
    {
        format_value(unit, after, text[1], sizeof text[1]);
        format_change(before, after, text[2], sizeof text[2]);
        printf(" %12s %10s", text[1], text[2]);
    }
    putchar('\n');
}

/* Numbers of triangles and vertices compare only on meshes that are equally fine; shares of the area always do. */
static bool counts_compare(const pleat_measurement *result)
{
    const pleat_measured_side *sides = result->sides;
    return result->side_count == 1 ||
           (sides[0].triangle_count == sides[1].triangle_count && sides[0].vertex_count == sides[1].vertex_count);
}

static void print_stretches(const pleat_measurement *result, const pleat_figures *a, const pleat_figures *b)
{
    print_row(result, "smaller stretch, least", UNIT_PLAIN, (double)a->smallest.least, (double)b->smallest.least);
    print_row(result, "smaller stretch, 1 %", UNIT_PLAIN, (double)a->smallest.percent_1, (double)b->smallest.percent_1);
    print_row(result, "smaller stretch, 50 %", UNIT_PLAIN, (double)a->smallest.percent_50,
              (double)b->smallest.percent_50);
    print_row(result, "larger stretch, 50 %", UNIT_PLAIN, (double)a->largest.percent_50, (double)b->largest.percent_50);
    print_row(result, "larger stretch, 99 %", UNIT_PLAIN, (double)a->largest.percent_99, (double)b->largest.percent_99);
    print_row(result, "larger stretch, most", UNIT_PLAIN, (double)a->largest.most, (double)b->largest.most);
    print_row(result, "compressed under 0.9, of the area", UNIT_PERCENT, a->compressed_area, b->compressed_area);
    if (counts_compare(result))
    {
        print_row(result, "compressed under 0.9, of the triangles", UNIT_PERCENT, a->compressed_triangles,
                  b->compressed_triangles);
    }
    print_row(result, "L2 norm of compression", UNIT_PLAIN, a->compression, b->compression);
}

/* The least over frames of a line's least, and the mean over frames of its mean. */
static void line_extremes(const pleat_measurement *result, uint32_t side, uint32_t line, double *least, double *mean)
{
    const pleat_measured_side *measured = &result->sides[side];
    size_t first = (size_t)line * result->frame_count;
    *least = INFINITY;
    *mean = 0;
    for (uint32_t f = 0; f < result->frame_count; ++f)
    {
        *least = fmin(*least, measured->line_least[first + f]);
        *mean += measured->line_mean[first + f] / result->frame_count;
    }
}

static void print_lines(const pleat_measurement *result)
{
    for (uint32_t i = 0; i < result->line_count; ++i)
    {
        const pleat_measured_line *line = &result->lines[i];
        double least[2] = {NAN, NAN}, mean[2] = {NAN, NAN};
        char name[80], count[24] = "";
        for (uint32_t s = 0; s < result->side_count; ++s)
        {
            line_extremes(result, s, i, &least[s], &mean[s]);
        }
        if (line->count > 1)
        {
            snprintf(count, sizeof count, "%u ", line->count);
        }
        snprintf(name, sizeof name, "%s%s / rest, shortest", count, shown(line->name));
        print_row(result, name, UNIT_PLAIN, least[0], least[1]);
        snprintf(name, sizeof name, "%s%s / rest, mean", count, shown(line->name));
        print_row(result, name, UNIT_PLAIN, mean[0], mean[1]);
    }
}

static double ratio(double value, double rest)
{
    return rest > 0 ? value / rest : NAN;
}

static void print_sizes(const pleat_measurement *result, const pleat_measured_side *a, const pleat_measured_side *b)
{
    double area[2] = {a->rest->area, b->rest->area};
    double volume[2] = {a->rest->volume, b->rest->volume};
    print_row(result, "area / rest, mean", UNIT_PLAIN, ratio(a->total.all.area, area[0]),
              ratio(b->total.all.area, area[1]));
    if (pleat_measured_volume(a) && pleat_measured_volume(b))
    {
        print_row(result, "volume / rest, least", UNIT_PLAIN, ratio(a->total.volume_least, volume[0]),
                  ratio(b->total.volume_least, volume[1]));
        print_row(result, "volume / rest, mean", UNIT_PLAIN, ratio(a->total.all.volume, volume[0]),
                  ratio(b->total.all.volume, volume[1]));
        print_row(result, "volume / rest, most", UNIT_PLAIN, ratio(a->total.volume_most, volume[0]),
                  ratio(b->total.volume_most, volume[1]));
    }
}

static void print_contacts(const pleat_measurement *result, const pleat_figures_total *a, const pleat_figures_total *b)
{
    if (result->has_crossings)
    {
        print_row(result, "area that crosses itself, mean", UNIT_PERCENT, a->all.crossings_area, b->all.crossings_area);
    }
    if (result->has_crossings && counts_compare(result))
    {
        print_row(result, "crossing triangles, pairs x frames", UNIT_COUNT, (double)a->all.crossings,
                  (double)b->all.crossings);
        print_row(result, "crossing triangles, most in a frame", UNIT_COUNT, (double)a->crossings_most,
                  (double)b->crossings_most);
    }
    if (result->has_body)
    {
        print_row(result, "area inside the body, mean", UNIT_PERCENT, a->all.inside_area, b->all.inside_area);
        print_row(result, "depth inside, deepest", UNIT_LENGTH, a->all.depth, b->all.depth);
    }
    if (result->has_body && counts_compare(result))
    {
        print_row(result, "vertices inside the body x frames", UNIT_COUNT, (double)a->all.inside,
                  (double)b->all.inside);
        print_row(result, "vertices inside, most in a frame", UNIT_COUNT, (double)a->inside_most,
                  (double)b->inside_most);
    }
}

static void print_side(const char *word, const pleat_measurement *result, const pleat_measured_side *side)
{
    char names[120] = "";
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        const pleat_measured_part *part = &side->parts[i];
        size_t length = strlen(names);
        if (length + 40 > sizeof names)
        {
            snprintf(names + length, sizeof names - length, ", ...");
            break;
        }
        snprintf(names + length, sizeof names - length, "%s%.30s", i ? ", " : "",
                 shown(part->node[0] ? part->node : part->mesh));
    }
    printf("%-7s %s, ", word, shown(side->file));
    if (side->clip[0])
    {
        printf("clip '%s', ", shown(side->clip));
    }
    printf("frames %u-%u at %g a second: %s, %u triangles\n", result->first_frame,
           result->first_frame + result->frame_count - 1, result->fps, names, side->triangle_count);
}

void measure_print(const pleat_measurement *result)
{
    const pleat_measured_side *a = &result->sides[0], *b = &result->sides[result->side_count - 1];
    bool two = result->side_count == 2;
    print_side(two ? "before" : "file", result, a);
    if (two)
    {
        print_side("after", result, b);
    }
    printf("\n  %-38s %12s", "", two ? "before" : "");
    if (two)
    {
        printf(" %12s %10s", "after", "change");
    }
    putchar('\n');
    print_stretches(result, &a->total.all, &b->total.all);
    print_lines(result);
    print_sizes(result, a, b);
    print_row(result, "motion between frames, longest", UNIT_LENGTH, a->total.all.motion, b->total.all.motion);
    if (two)
    {
        print_row(result, "jump beyond the input's, longest", UNIT_LENGTH, NAN, b->total.all.jump);
        print_row(result, "pop (change of jump), longest", UNIT_LENGTH, NAN, b->total.all.pop);
    }
    print_contacts(result, &a->total, &b->total);
}

/* ---- JSON ---- */

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, number_json(value));
}

static void set_whole(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* A frame of the clip; null where there is none. */
static void set_frame(json_t *object, const char *key, const pleat_measurement *result, uint32_t frame)
{
    json_object_set_new(object, key,
                        frame == PLEAT_NONE ? json_null() : json_integer((json_int_t)result->first_frame + frame));
}

static json_t *spread_json(const pleat_spread *spread)
{
    json_t *object = json_object();
    set_number(object, "least", (double)spread->least);
    set_number(object, "percent_1", (double)spread->percent_1);
    set_number(object, "percent_50", (double)spread->percent_50);
    set_number(object, "percent_99", (double)spread->percent_99);
    set_number(object, "most", (double)spread->most);
    return object;
}

static json_t *figures_json(const pleat_measurement *result, const pleat_figures *figures, bool moves, bool compares)
{
    json_t *object = json_object();
    json_object_set_new(object, "smallest_stretch", spread_json(&figures->smallest));
    json_object_set_new(object, "largest_stretch", spread_json(&figures->largest));
    set_number(object, "compressed_area", figures->compressed_area);
    set_number(object, "compressed_triangles", figures->compressed_triangles);
    set_number(object, "compression_l2", figures->compression);
    set_number(object, "area", figures->area);
    set_number(object, "volume", figures->volume);
    if (moves)
    {
        set_number(object, "motion", figures->motion);
    }
    if (moves && compares)
    {
        set_number(object, "jump", figures->jump);
        set_number(object, "pop", figures->pop);
    }
    if (result->has_crossings)
    {
        set_whole(object, "crossings", figures->crossings);
        set_number(object, "crossings_area", figures->crossings_area);
    }
    if (result->has_body)
    {
        set_whole(object, "inside", figures->inside);
        set_number(object, "inside_area", figures->inside_area);
        set_number(object, "depth", figures->depth);
    }
    return object;
}

static json_t *total_json(const pleat_measurement *result, const pleat_measured_side *side, bool compares)
{
    const pleat_figures_total *total = &side->total;
    json_t *object = figures_json(result, &total->all, true, compares);
    set_number(object, "area_least", total->area_least);
    set_number(object, "area_most", total->area_most);
    set_number(object, "volume_least", total->volume_least);
    set_number(object, "volume_most", total->volume_most);
    set_frame(object, "motion_frame", result, total->motion_frame);
    if (compares)
    {
        set_frame(object, "jump_frame", result, total->jump_frame);
        set_frame(object, "pop_frame", result, total->pop_frame);
    }
    if (result->has_crossings)
    {
        set_whole(object, "crossings_most", total->crossings_most);
        set_frame(object, "crossings_frame", result, total->crossings_frame);
    }
    if (result->has_body)
    {
        set_whole(object, "inside_most", total->inside_most);
        set_frame(object, "inside_frame", result, total->inside_frame);
        set_frame(object, "depth_frame", result, total->depth_frame);
    }
    return object;
}

static json_t *frames_json(const pleat_measurement *result, const pleat_measured_side *side, bool compares)
{
    json_t *list = json_array();
    for (uint32_t f = 0; f < result->frame_count; ++f)
    {
        json_t *object = figures_json(result, &side->frames[f], true, compares);
        set_whole(object, "frame", (uint64_t)result->first_frame + f);
        set_number(object, "time", result->sides[0].start + (result->first_frame + f) / result->fps);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *lines_json(const pleat_measurement *result, uint32_t side)
{
    json_t *list = json_array();
    const pleat_measured_side *measured = &result->sides[side];
    uint32_t first = 0;
    for (uint32_t i = 0; i < result->line_count; ++i)
    {
        const pleat_measured_line *line = &result->lines[i];
        json_t *object = json_object(), *rest = json_array(), *least = json_array(), *mean = json_array();
        double shortest, average;
        line_extremes(result, side, i, &shortest, &average);
        for (uint32_t k = 0; k < line->count; ++k)
        {
            json_array_append_new(rest, number_json(measured->line_rest[first++]));
        }
        for (uint32_t f = 0; f < result->frame_count; ++f)
        {
            size_t at = (size_t)i * result->frame_count + f;
            json_array_append_new(least, number_json(measured->line_least[at]));
            json_array_append_new(mean, number_json(measured->line_mean[at]));
        }
        json_object_set_new(object, "name", json_string(shown(line->name)));
        json_object_set_new(object, "rest_lengths", rest);
        set_number(object, "shortest", shortest);
        set_number(object, "mean", average);
        json_object_set_new(object, "shortest_per_frame", least);
        json_object_set_new(object, "mean_per_frame", mean);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *shells_json(const pleat_measured_side *side)
{
    json_t *list = json_array();
    const pleat_measure_shell *shells = side->shells;
    for (uint32_t i = 0; i < side->shell_count; ++i)
    {
        json_t *object = json_object();
        set_whole(object, "triangles", shells[i].triangle_count);
        set_whole(object, "borders", shells[i].border_count);
        set_number(object, "rest_area", shells[i].rest_area);
        set_number(object, "rest_volume", shells[i].rest_volume);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *side_json(const pleat_measurement *result, uint32_t index)
{
    const pleat_measured_side *side = &result->sides[index];
    json_t *object = json_object(), *parts = json_array();
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        const pleat_measured_part *part = &side->parts[i];
        json_t *named = json_object();
        json_object_set_new(named, "node", json_string(shown(part->node)));
        json_object_set_new(named, "mesh", json_string(shown(part->mesh)));
        set_whole(named, "primitive", part->primitive);
        set_whole(named, "triangles", part->triangle_count);
        json_array_append_new(parts, named);
    }
    json_object_set_new(object, "file", json_string(shown(side->file)));
    json_object_set_new(object, "clip", json_string(shown(side->clip)));
    json_object_set_new(object, "parts", parts);
    set_whole(object, "vertices", side->vertex_count);
    set_whole(object, "triangles", side->triangle_count);
    json_object_set_new(object, "shells", shells_json(side));
    json_object_set_new(object, "rest", figures_json(result, side->rest, false, false));
    json_object_set_new(object, "total", total_json(result, side, index > 0));
    json_object_set_new(object, "lines", lines_json(result, index));
    json_object_set_new(object, "frames", frames_json(result, side, index > 0));
    return object;
}

json_t *measure_json(const app_session *session, const pleat_measurement *result)
{
    json_t *object = json_object();
    json_object_set_new(object, "units", json_string("metres"));
    set_number(object, "fps", result->fps);
    set_whole(object, "first_frame", result->first_frame);
    set_whole(object, "frame_count", result->frame_count);
    json_object_set_new(object, "before", side_json(result, 0));
    if (result->side_count == 2)
    {
        json_object_set_new(object, "after", side_json(result, 1));
    }
    json_object_set_new(object, "warnings", warnings_json(session));
    return object;
}
