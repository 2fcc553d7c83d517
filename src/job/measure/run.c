#include "job/measure/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    FRAMES_UNASKED = 100000 /* as for a bake: more than this only by --frames */
};

/* ---- Files ---- */

static int open_files(app_session *session, const measure_options *options, measurement *result)
{
    double wished = options->fps > 0 ? options->fps : 30;
    result->side_count = options->paths[1] ? 2 : 1;
    for (uint32_t i = 0; i < result->side_count; ++i)
    {
        int status = side_load(session, &result->sides[i].file, options->paths[i], options->points[i], wished);
        if (status != EXIT_DONE)
        {
            return status;
        }
    }
    result->fps = options->fps;
    for (uint32_t i = 0; i < result->side_count && !(result->fps > 0); ++i)
    {
        result->fps = result->sides[i].file.file_fps;
    }
    result->fps = result->fps > 0 ? result->fps : 30;
    int status = side_bind(session, &result->sides[0].file, options->clip, NULL, result->fps);
    if (status == EXIT_DONE && result->side_count == 2)
    {
        /* A cache's clip has the cache's name: the pattern is for the other file then. */
        bool named = !result->sides[0].file.sidecar && result->sides[0].file.clip_name[0];
        status = side_bind(session, &result->sides[1].file, named ? NULL : options->clip,
                           named ? result->sides[0].file.clip_name : NULL, result->fps);
    }
    return status;
}

/* Frame of a side that shows the same moment as frame 0 of the first file. */
static int64_t frame_shift(const measurement *result, uint32_t side)
{
    return llround((result->sides[0].file.start - result->sides[side].file.start) * result->fps);
}

/* The frames that both files have, or those of them that were asked for. */
static int choose_window(app_session *session, const measure_options *options, measurement *result)
{
    int64_t first = 0, last = (int64_t)result->sides[0].file.frame_count - 1;
    for (uint32_t i = 1; i < result->side_count; ++i)
    {
        int64_t shift = frame_shift(result, i), count = result->sides[i].file.frame_count;
        first = first > -shift ? first : -shift;
        last = last < count - 1 - shift ? last : count - 1 - shift;
    }
    if (first > last)
    {
        return fail_input(session, "%s and %s have no moment in common: one lasts from %g s, the other from %g s",
                          shown(options->paths[0]), shown(options->paths[1]), result->sides[0].file.start,
                          result->sides[1].file.start);
    }
    if (options->frames_given)
    {
        if (options->first_frame < first || options->last_frame > last)
        {
            return fail_input(session, "--frames is %u-%u; there are frames %lld-%lld at %g a second",
                              options->first_frame, options->last_frame, (long long)first, (long long)last,
                              result->fps);
        }
        first = options->first_frame;
        last = options->last_frame;
    }
    else if (last - first >= FRAMES_UNASKED)
    {
        return fail_input(session, "the clip has %lld frames; choose some of them with --frames",
                          (long long)(last - first + 1));
    }
    result->first_frame = (uint32_t)first;
    result->frame_count = (uint32_t)(last - first + 1);
    return EXIT_DONE;
}

/* ---- Parts ---- */

static bool fits_any(const side_part *part, const char *const *patterns)
{
    for (; patterns && *patterns; ++patterns)
    {
        if (side_part_fits(part, *patterns))
        {
            return true;
        }
    }
    return false;
}

static int check_patterns(app_session *session, const measure_side *side, const char *option,
                          const char *const *patterns)
{
    for (; patterns && *patterns; ++patterns)
    {
        bool found = false;
        for (uint32_t i = 0; i < side->part_count; ++i)
        {
            found |= side_part_fits(&side->parts[i], *patterns);
        }
        if (!found)
        {
            char names[600];
            side_list_parts(side, names, sizeof names);
            return fail_input(session, "%s: --%s '%s' fits no mesh, node or material; there are %s", shown(side->path),
                              option, shown(*patterns), names);
        }
    }
    return EXIT_DONE;
}

/* Lists of parts, by side; each list is as long as the first file's parts. */
typedef struct part_lists
{
    uint32_t *garments[2], *garment_groups[2], garment_count[2];
    uint32_t *bodies[2], *body_groups[2], body_count[2];
} part_lists;

static bool is_garment(const measurement *result, const measure_options *options, uint32_t part)
{
    const measure_side *first = &result->sides[0].file;
    if (options->garments && options->garments[0])
    {
        return fits_any(&first->parts[part], options->garments);
    }
    bool any = false;
    for (uint32_t i = 0; i < first->part_count; ++i)
    {
        any |= first->parts[i].garment;
    }
    return !any || first->parts[part].garment;
}

static bool is_body(const measure_options *options, const side_part *part, bool garment)
{
    if (options->no_body || garment)
    {
        return false;
    }
    return options->bodies && options->bodies[0] ? fits_any(part, options->bodies) : true;
}

static int list_parts(app_session *session, const measure_options *options, measurement *result, part_lists *lists)
{
    const measure_side *first = &result->sides[0].file;
    for (uint32_t p = 0; p < first->part_count; ++p)
    {
        bool garment = is_garment(result, options, p);
        if (!garment && !is_body(options, &first->parts[p], garment))
        {
            continue;
        }
        uint32_t other = result->side_count == 2 ? side_find_part(&result->sides[1].file, first, p) : PLEAT_NONE;
        if (garment && result->side_count == 2 && other == PLEAT_NONE)
        {
            char message[700];
            snprintf(message, sizeof message, "%s has nothing that goes with '%s': left out",
                     shown(result->sides[1].file.path), shown(first->parts[p].node));
            session->host.log(session->host.log_user, PLEAT_WARNING, message);
            continue;
        }
        for (uint32_t s = 0; s < result->side_count; ++s)
        {
            uint32_t part = s ? other : p;
            uint32_t *count = garment ? &lists->garment_count[s] : &lists->body_count[s];
            if (part != PLEAT_NONE)
            {
                (garment ? lists->garments : lists->bodies)[s][*count] = part;
                (garment ? lists->garment_groups : lists->body_groups)[s][(*count)++] = p;
            }
        }
    }
    if (lists->garment_count[0] == 0)
    {
        char names[600];
        side_list_parts(&result->sides[result->side_count - 1].file, names, sizeof names);
        return fail_input(session, "%s has no part that goes with a garment of %s by name; it has %s",
                          shown(options->paths[result->side_count - 1]), shown(options->paths[0]), names);
    }
    return EXIT_DONE;
}

static int make_meshes(app_session *session, const measure_options *options, measurement *result, part_lists *lists)
{
    int status = list_parts(session, options, result, lists);
    for (uint32_t s = 0; s < result->side_count && status == EXIT_DONE; ++s)
    {
        measured_side *side = &result->sides[s];
        side->garment_count = lists->garment_count[s];
        side->garments = lists->garments[s];
        lists->garments[s] = NULL;
        status = side_mesh_make(session, &side->file, side->garment_count, side->garments, lists->garment_groups[s],
                                &side->garment);
        if (status == EXIT_DONE)
        {
            status = side_mesh_make(session, &side->file, lists->body_count[s], lists->bodies[s], lists->body_groups[s],
                                    &side->body);
        }
        side->own_body = side->body.triangle_count > 0;
    }
    return status;
}

static int choose_parts(app_session *session, const measure_options *options, measurement *result)
{
    part_lists lists = {0};
    size_t most = (size_t)result->sides[0].file.part_count + 1;
    int status = check_patterns(session, &result->sides[0].file, "garment", options->garments);
    status = status == EXIT_DONE ? check_patterns(session, &result->sides[0].file, "body", options->bodies) : status;
    for (int s = 0; s < 2 && status == EXIT_DONE; ++s)
    {
        lists.garments[s] = calloc(most, sizeof *lists.garments[s]);
        lists.garment_groups[s] = calloc(most, sizeof *lists.garment_groups[s]);
        lists.bodies[s] = calloc(most, sizeof *lists.bodies[s]);
        lists.body_groups[s] = calloc(most, sizeof *lists.body_groups[s]);
        if (!lists.garments[s] || !lists.garment_groups[s] || !lists.bodies[s] || !lists.body_groups[s])
        {
            status = fail_input(session, "out of memory for the list of parts");
        }
    }
    status = status == EXIT_DONE ? make_meshes(session, options, result, &lists) : status;
    for (int s = 0; s < 2; ++s)
    {
        free(lists.garments[s]);
        free(lists.garment_groups[s]);
        free(lists.bodies[s]);
        free(lists.body_groups[s]);
    }
    return status;
}

/* ---- Measuring ---- */

static const side_mesh *body_of(const measurement *result, uint32_t side)
{
    return result->sides[side].own_body ? &result->sides[side].body : &result->sides[0].body;
}

static int create_measures(app_session *session, const measure_options *options, measurement *result)
{
    result->has_body = result->sides[0].own_body;
    result->has_crossings = !options->no_crossings;
    for (uint32_t s = 0; s < result->side_count; ++s)
    {
        measured_side *side = &result->sides[s];
        pleat_measure_desc desc = pleat_measure_desc_default();
        pleat_error error = {0};
        desc.surface = side_mesh_view(&side->garment);
        desc.crossings = !options->no_crossings;
        if (s > 0)
        {
            desc.reference = side_mesh_view(&result->sides[0].garment);
        }
        if (result->has_body)
        {
            desc.body = side_mesh_view(body_of(result, s));
        }
        if (pleat_measure_create(&desc, &session->host, &side->measure, &error) != PLEAT_OK)
        {
            return fail_error(session, &error);
        }
    }
    return EXIT_DONE;
}

static int make_room(app_session *session, measurement *result)
{
    for (uint32_t s = 0; s < result->side_count; ++s)
    {
        measured_side *side = &result->sides[s];
        size_t cells = (size_t)result->line_count * result->frame_count + 1;
        side->frames = calloc(result->frame_count, sizeof *side->frames);
        side->line_least = calloc(cells, sizeof *side->line_least);
        side->line_mean = calloc(cells, sizeof *side->line_mean);
        if (!side->frames || !side->line_least || !side->line_mean)
        {
            return fail_input(session, "out of memory for the figures of %u frames", result->frame_count);
        }
    }
    return EXIT_DONE;
}

static void keep_lines(measurement *result, measured_side *side, uint32_t frame)
{
    for (uint32_t i = 0; i < result->line_count; ++i)
    {
        double least = INFINITY, sum = 0;
        for (uint32_t k = 0; k < result->lines[i].count; ++k)
        {
            uint32_t line = result->lines[i].first + k;
            double ratio =
                pleat_measure_line_length(side->measure, line) / pleat_measure_line_rest(side->measure, line);
            least = fmin(least, ratio);
            sum += ratio;
        }
        side->line_least[(size_t)i * result->frame_count + frame] = least;
        side->line_mean[(size_t)i * result->frame_count + frame] = sum / result->lines[i].count;
    }
}

static pleat_result measure_one(app_session *session, measurement *result, uint32_t frame, uint32_t s,
                                pleat_error *error)
{
    measured_side *side = &result->sides[s];
    int64_t at = (int64_t)result->first_frame + frame + frame_shift(result, s);
    pleat_result outcome = pleat_bake_frame(side->file.bake, (uint32_t)at, error);
    if (outcome != PLEAT_OK)
    {
        return outcome;
    }
    side_mesh_update(&side->garment, &side->file);
    side_mesh_update(&side->body, &side->file);
    pleat_measure_input input = {.positions = side->garment.now,
                                 .reference = s ? result->sides[0].garment.now : NULL,
                                 .body = result->has_body ? body_of(result, s)->now : NULL,
                                 .tasks = &session->host.tasks};
    outcome = pleat_measure_frame(side->measure, &input, &side->frames[frame], error);
    keep_lines(result, side, frame);
    return outcome;
}

static int measure_frames(app_session *session, measurement *result)
{
    pleat_error error = {0};
    pleat_result outcome = PLEAT_OK;
    app_progress progress = progress_begin(session, "frame");
    for (uint32_t frame = 0; frame < result->frame_count && outcome == PLEAT_OK; ++frame)
    {
        progress_update(&progress, frame, result->frame_count);
        for (uint32_t s = 0; s < result->side_count && outcome == PLEAT_OK; ++s)
        {
            outcome = measure_one(session, result, frame, s, &error);
        }
    }
    progress_end(&progress);
    for (uint32_t s = 0; s < result->side_count; ++s)
    {
        result->sides[s].total = pleat_measure_total(result->sides[s].measure);
    }
    return outcome == PLEAT_OK ? EXIT_DONE : fail_error(session, &error);
}

int measure_run(app_session *session, const measure_options *options, measurement *result)
{
    *result = (measurement){0};
    int status = open_files(session, options, result);
    status = status == EXIT_DONE ? choose_window(session, options, result) : status;
    status = status == EXIT_DONE ? choose_parts(session, options, result) : status;
    status = status == EXIT_DONE ? create_measures(session, options, result) : status;
    status = status == EXIT_DONE ? measure_add_lines(session, options, result) : status;
    status = status == EXIT_DONE ? make_room(session, result) : status;
    return status == EXIT_DONE ? measure_frames(session, result) : status;
}

void measure_free(measurement *result)
{
    for (uint32_t s = 0; s < 2; ++s)
    {
        measured_side *side = &result->sides[s];
        pleat_measure_destroy(side->measure);
        free(side->frames);
        free(side->line_least);
        free(side->line_mean);
        free(side->garments);
        side_mesh_free(&side->garment);
        side_mesh_free(&side->body);
        side_close(&side->file);
    }
    free(result->lines);
    *result = (measurement){0};
}

bool measure_has_volume(const measured_side *side)
{
    /* A sphere has 0.094; what is flatter than a hundredth of that is a sheet. */
    const pleat_figures *rest = pleat_measure_rest(side->measure);
    return rest->volume > 1e-3 * pow(rest->area, 1.5);
}

const char *measure_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
