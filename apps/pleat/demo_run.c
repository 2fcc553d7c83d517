/* One character of the demo: made, baked, measured, drawn. */
#include "demo.h"
#include "demo_assets.h"
#include "measure_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    BAKE_DETAIL = 3 /* half the default, a quarter of the file: for the disk of somebody who is only curious */
};

void demo_line(const demo_job *job, const demo_character *character, const char *command, uint32_t detail,
               step_line *line)
{
    step_words(line, command, NULL);
    step_word(line, "%s/%s.glb", job->folder, character->name);
    step_words(line, "--clip", character->clip, "--layer", pleat_layer_at(0)->name, "--set", NULL);
    step_word(line, "%s.detail=%u", pleat_layer_at(0)->name, job->quick ? 2 : detail);
}

void demo_frames(const demo_job *job, uint32_t frame_count, uint32_t *first, uint32_t *last)
{
    uint32_t middle = frame_count / 2;
    bool few = job->quick && middle >= 4;
    *first = few ? middle - 4 : 0;
    *last = few ? middle + 3 : frame_count - 1;
}

/* The line as a text; words here have no spaces in them. */
static void spell(const step_line *line, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "pleat");
    for (int i = 0; i < line->count && at < size; ++i)
    {
        at += (size_t)snprintf(out + at, size - at, " %s", line->words[i]);
    }
}

/* What the bake's report says about itself. */
static bool read_report(const char *text, demo_result *result)
{
    json_t *report = json_loads(text, 0, NULL), *seconds = json_object_get(report, "seconds");
    json_t *layers = json_object_get(report, "layers"), *morphs = json_object_get(report, "morphs"), *item;
    size_t i;
    result->frame_count = (uint32_t)json_integer_value(json_object_get(report, "frames"));
    result->vertices = (uint32_t)json_integer_value(json_object_get(report, "vertices"));
    result->frame_ms = 1e3 * json_number_value(json_object_get(seconds, "frame_median"));
    json_array_foreach(layers, i, item)
    {
        json_t *highest = json_object_get(json_object_get(item, "largest"), "highest");
        result->highest = fmax(result->highest, json_number_value(highest));
    }
    json_array_foreach(morphs, i, item)
    {
        uint32_t targets = (uint32_t)json_integer_value(json_object_get(item, "targets"));
        result->targets = targets > result->targets ? targets : result->targets;
        result->largest_error = fmax(result->largest_error, json_number_value(json_object_get(item, "largest_error")));
    }
    bool read = report && result->frame_count > 0;
    json_decref(report);
    return read;
}

static int bake(const demo_job *job, demo_result *result)
{
    const demo_character *character = result->character;
    step_line line = {0};
    char *printed;
    demo_line(job, character, "bake", BAKE_DETAIL, &line);
    step_words(&line, "--targets", character->targets, NULL);
    if (job->quick)
    {
        uint32_t first, last;
        demo_frames(job, result->clip_frames, &first, &last);
        step_words(&line, "--frames", NULL);
        step_word(&line, "%u-%u", first, last);
    }
    step_words(&line, "-o", NULL);
    step_word(&line, "%s/%s-folds.glb", job->folder, character->name);
    spell(&line, result->bake_line, sizeof result->bake_line);
    step_words(&line, "--json", NULL);
    int status = step_run(job->session, &line, &printed);
    if (status == EXIT_DONE && !read_report(printed, result))
    {
        status = fail_input(job->session, "the report of the bake could not be read");
    }
    free(printed);
    return status;
}

/* ---- Measures -----------------------------------------------------------------------------------------------------
 */

static void add_row(demo_result *result, const char *label, const char *format, double before, double after)
{
    if (result->row_count < DEMO_ROWS)
    {
        demo_row *row = &result->rows[result->row_count++];
        snprintf(row->label, sizeof row->label, "%s", label);
        snprintf(row->before, sizeof row->before, format, before);
        snprintf(row->after, sizeof row->after, format, after);
    }
}

static void fill_rows(const pleat_measurement *measured, demo_result *result)
{
    const pleat_figures *a = &measured->sides[0].total.all, *b = &measured->sides[1].total.all;
    add_row(result, "cloth compressed by more than 10&nbsp;%", "%.2f %%", 100 * a->compressed_area,
            100 * b->compressed_area);
    add_row(result, "compression (L2 norm)", "%.4f", a->compression, b->compression);
    add_row(result, "smallest stretch, worst 1&nbsp;% of the area", "%.3f", (double)a->smallest.percent_1,
            (double)b->smallest.percent_1);
    for (uint32_t i = 0; i < measured->line_count; ++i)
    {
        const pleat_measured_line *line = &measured->lines[i];
        double least[2] = {INFINITY, INFINITY};
        for (uint32_t s = 0; s < 2; ++s)
        {
            for (uint32_t f = 0; f < measured->frame_count; ++f)
            {
                least[s] = fmin(least[s], measured->sides[s].line_least[(size_t)i * measured->frame_count + f]);
            }
        }
        char label[96];
        snprintf(label, sizeof label, "shortest of %u %.30s, of its rest length", line->count, line->name);
        add_row(result, label, "%.1f %%", 100 * least[0], 100 * least[1]);
    }
    add_row(result, "area, of the rest area", "%.1f %%", 100 * a->area / measured->sides[0].rest->area,
            100 * b->area / measured->sides[1].rest->area);
    add_row(result, "cloth that crosses itself, of the area", "%.2f %%", 100 * a->crossings_area,
            100 * b->crossings_area);
}

static int measure(const demo_job *job, demo_result *result)
{
    char before[4096], after[4096], plot[4096];
    snprintf(before, sizeof before, "%s/%s.glb", job->folder, result->character->name);
    snprintf(after, sizeof after, "%s/%s-folds.glb", job->folder, result->character->name);
    pleat_measure_job asked = pleat_measure_job_default();
    asked.before.path = before;
    asked.after.path = after;
    asked.clip = result->character->clip;
    asked.no_body = true;
    if (job->quick)
    {
        demo_frames(job, result->clip_frames, &asked.first_frame, &asked.last_frame);
    }
    const pleat_measurement *measured;
    pleat_error error = {0};
    pleat_job_watch watch = session_watch(job->session, NULL);
    pleat_result outcome = pleat_measure_job_run(&asked, &watch, &job->session->host, &measured, &error);
    progress_end(job->session);
    int status = outcome == PLEAT_OK ? EXIT_DONE : fail_error(job->session, &error);
    static const char *const endings[] = {"svg", "png"};
    for (int i = 0; i < 2 && status == EXIT_DONE; ++i)
    {
        snprintf(plot, sizeof plot, "%s/%s-plot.%s", job->folder, result->character->name, endings[i]);
        status = measure_plot(job->session, measured, plot);
    }
    if (status == EXIT_DONE)
    {
        fill_rows(measured, result);
        if (!job->session->quiet && !job->session->json)
        {
            measure_print(measured);
            putchar('\n');
        }
    }
    pleat_measurement_destroy(measured);
    return status;
}

int demo_run(const demo_job *job, const demo_character *character, demo_result *result)
{
    *result = (demo_result){.character = character};
    if (!job->session->quiet)
    {
        fprintf(stderr, "pleat demo: %s, clip %s: bakes, measures, draws\n", character->name, character->clip);
    }
    int status = write_character(job->session, job->folder, character->name, character->clip, &result->clip_frames);
    status = status == EXIT_DONE ? bake(job, result) : status;
    status = status == EXIT_DONE ? measure(job, result) : status;
    return status == EXIT_DONE ? demo_draw(job, result) : status;
}
