/* A measurement as a whole: one file or two over a clip. */
#include "job/choice.h"
#include "job/measure/run.h"

#include <math.h>
#include <string.h>

pleat_measure_job pleat_measure_job_default(void)
{
    return (pleat_measure_job){.last_frame = PLEAT_NONE};
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static pleat_result open_files(pl_measurement *result, pleat_error *error)
{
    const pleat_measure_job *asked = result->asked;
    const pleat_measure_file *files[] = {&asked->before, &asked->after};
    pl_measure_side *first = &result->sides[0].file, *second = &result->sides[1].file;
    pleat_measurement *shown = &result->shown;
    double wished = asked->fps > 0 ? asked->fps : 30;
    shown->side_count = asked->after.path ? 2 : 1;
    for (uint32_t i = 0; i < shown->side_count; ++i)
    {
        PL_TRY(pl_job_begin(&result->job, PLEAT_JOB_LOAD, "loads", error));
        PL_TRY(pl_side_load(&result->job, &result->sides[i].file, files[i], wished, asked->allow_outside, error));
    }
    shown->fps = asked->fps;
    for (uint32_t i = 0; i < shown->side_count && !(shown->fps > 0); ++i)
    {
        shown->fps = result->sides[i].file.file_fps;
    }
    shown->fps = shown->fps > 0 ? shown->fps : 30;
    PL_TRY(pl_job_begin(&result->job, PLEAT_JOB_BIND, "binds", error));
    PL_TRY(pl_side_bind(&result->job, first, asked->clip, NULL, shown->fps, error));
    if (shown->side_count == 1)
    {
        return PLEAT_OK;
    }
    /* A cache's clip has the cache's name: the pattern is for the other file then. */
    bool named = !first->sidecar && first->clip_name[0];
    return pl_side_bind(&result->job, second, named ? NULL : asked->clip, named ? first->clip_name : NULL, shown->fps,
                        error);
}

/* Frame of a side that shows the same moment as frame 0 of the first file. */
static int64_t frame_shift(const pl_measurement *result, uint32_t side)
{
    return llround((result->sides[0].file.start - result->sides[side].file.start) * result->shown.fps);
}

/* The frames that both files have, or those of them that were asked for. */
static pleat_result choose_window(pl_measurement *result, pleat_error *error)
{
    const pleat_measure_job *asked = result->asked;
    int64_t first = 0, last = (int64_t)result->sides[0].file.frame_count - 1;
    for (uint32_t i = 1; i < result->shown.side_count; ++i)
    {
        int64_t shift = frame_shift(result, i), count = result->sides[i].file.frame_count;
        first = first > -shift ? first : -shift;
        last = last < count - 1 - shift ? last : count - 1 - shift;
    }
    if (first > last)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.150s and %.150s have no moment in common: one lasts from %g s, the other from %g s",
                       asked->before.path, asked->after.path, result->sides[0].file.start, result->sides[1].file.start);
    }
    if (asked->last_frame != PLEAT_NONE)
    {
        if (asked->first_frame < first || asked->last_frame > last || asked->first_frame > asked->last_frame)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "--frames is %u-%u; there are frames %lld-%lld at %g a second",
                           asked->first_frame, asked->last_frame, (long long)first, (long long)last, result->shown.fps);
        }
        first = asked->first_frame;
        last = asked->last_frame;
    }
    else if (last - first >= PL_FRAMES_UNASKED)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "the clip has %lld frames; choose some of them with --frames",
                       (long long)(last - first + 1));
    }
    result->shown.first_frame = (uint32_t)first;
    result->shown.frame_count = (uint32_t)(last - first + 1);
    return PLEAT_OK;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static pleat_result check_patterns(const pl_measure_side *side, const char *option, const pleat_texts *patterns,
                                   pleat_error *error)
{
    for (uint32_t n = 0; n < patterns->count; ++n)
    {
        bool found = false;
        for (uint32_t i = 0; i < side->part_count; ++i)
        {
            found |= pl_side_part_fits(&side->parts[i], &(pleat_texts){1, &patterns->list[n]});
        }
        if (!found)
        {
            char names[250];
            pl_side_list_parts(side, names, sizeof names);
            return pl_fail(error, PLEAT_BAD_DATA, "%.100s: --%s '%.50s' fits no mesh, node or material; there are %s",
                           side->path, option, patterns->list[n], names);
        }
    }
    return PLEAT_OK;
}

/* Lists of parts, by side; each list is as long as the first file's parts. */
typedef struct part_lists
{
    uint32_t *garments[2], *garment_groups[2], garment_count[2];
    uint32_t *bodies[2], *body_groups[2], body_count[2];
} part_lists;

static bool is_garment(const pl_measurement *result, uint32_t part)
{
    const pl_measure_side *first = &result->sides[0].file;
    if (result->asked->garments.count)
    {
        return pl_side_part_fits(&first->parts[part], &result->asked->garments);
    }
    bool any = false;
    for (uint32_t i = 0; i < first->part_count; ++i)
    {
        any |= first->parts[i].garment;
    }
    return !any || first->parts[part].garment;
}

static bool is_body(const pleat_measure_job *asked, const pl_side_part *part)
{
    return !asked->no_body && (!asked->bodies.count || pl_side_part_fits(part, &asked->bodies));
}

static pleat_result list_parts(const pl_measurement *result, part_lists *lists, pleat_error *error)
{
    const pl_measure_side *first = &result->sides[0].file, *last = &result->sides[result->shown.side_count - 1].file;
    bool two = result->shown.side_count == 2;
    for (uint32_t p = 0; p < first->part_count; ++p)
    {
        bool garment = is_garment(result, p);
        if (!garment && !is_body(result->asked, &first->parts[p]))
        {
            continue;
        }
        uint32_t other = two ? pl_side_find_part(last, first, p) : PLEAT_NONE;
        if (garment && two && other == PLEAT_NONE)
        {
            pl_log(&result->job.host, PLEAT_WARNING, "%.250s has nothing that goes with '%.150s': left out",
                   pl_shown(last->path), pl_shown(first->parts[p].node));
            continue;
        }
        for (uint32_t s = 0; s < result->shown.side_count; ++s)
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
        char names[200];
        pl_side_list_parts(last, names, sizeof names);
        return pl_fail(error, PLEAT_BAD_DATA, "%.90s has no part that goes with a garment of %.90s by name; it has %s",
                       last->path, first->path, names);
    }
    return PLEAT_OK;
}

static pleat_result make_meshes(pl_measurement *result, part_lists *lists, pleat_error *error)
{
    PL_TRY(list_parts(result, lists, error));
    for (uint32_t s = 0; s < result->shown.side_count; ++s)
    {
        pl_measured_side *side = &result->sides[s];
        side->garment_count = lists->garment_count[s];
        side->garments = lists->garments[s];
        PL_TRY(pl_side_mesh_make(&result->job, &side->file, side->garment_count, side->garments,
                                 lists->garment_groups[s], &side->garment, error));
        PL_TRY(pl_side_mesh_make(&result->job, &side->file, lists->body_count[s], lists->bodies[s],
                                 lists->body_groups[s], &side->body, error));
        side->own_body = side->body.triangle_count > 0;
    }
    return PLEAT_OK;
}

static pleat_result choose_parts(pl_measurement *measured, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    part_lists lists = {0};
    const pl_measure_side *first = &measured->sides[0].file;
    pl_arena *arena = &measured->job.arena;
    PL_TRY(check_patterns(first, "garment", &measured->asked->garments, error));
    PL_TRY(check_patterns(first, "body", &measured->asked->bodies, error));
    for (int s = 0; s < 2; ++s)
    {
        PL_ARENA_NEW_OR_FAIL(lists.garments[s], arena, uint32_t, first->part_count, error);
        PL_ARENA_NEW_OR_FAIL(lists.garment_groups[s], arena, uint32_t, first->part_count, error);
        PL_ARENA_NEW_OR_FAIL(lists.bodies[s], arena, uint32_t, first->part_count, error);
        PL_ARENA_NEW_OR_FAIL(lists.body_groups[s], arena, uint32_t, first->part_count, error);
    }
    result = make_meshes(measured, &lists, error);
fail:
    return result;
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

static const pl_side_mesh *body_of(const pl_measurement *result, uint32_t side)
{
    return result->sides[side].own_body ? &result->sides[side].body : &result->sides[0].body;
}

static pleat_result create_measures(pl_measurement *result, pleat_error *error)
{
    result->shown.has_body = result->sides[0].own_body;
    result->shown.has_crossings = !result->asked->no_crossings;
    for (uint32_t s = 0; s < result->shown.side_count; ++s)
    {
        pl_measured_side *side = &result->sides[s];
        pleat_measure_desc desc = pleat_measure_desc_default();
        desc.surface = pl_side_mesh_view(&side->garment);
        desc.crossings = result->shown.has_crossings;
        if (s > 0)
        {
            desc.reference = pl_side_mesh_view(&result->sides[0].garment);
        }
        if (result->shown.has_body)
        {
            desc.body = pl_side_mesh_view(body_of(result, s));
        }
        PL_TRY(pleat_measure_create(&desc, &result->job.host, &side->measure, error));
    }
    return PLEAT_OK;
}

static pleat_result make_room(pl_measurement *measured, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &measured->job.arena;
    uint32_t frames = measured->shown.frame_count;
    for (uint32_t s = 0; s < measured->shown.side_count; ++s)
    {
        pl_measured_side *side = &measured->sides[s];
        size_t cells = (size_t)measured->shown.line_count * frames;
        PL_ARENA_NEW_OR_FAIL(side->frames, arena, pleat_figures, frames, error);
        PL_ARENA_NEW_OR_FAIL(side->line_least, arena, double, cells, error);
        PL_ARENA_NEW_OR_FAIL(side->line_mean, arena, double, cells, error);
    }
fail:
    return result;
}

static void keep_lines(const pl_measurement *result, const pl_measured_side *side, uint32_t frame)
{
    for (uint32_t i = 0; i < result->shown.line_count; ++i)
    {
        double least = INFINITY, sum = 0;
        for (uint32_t k = 0; k < result->lines[i].count; ++k)
        {
            uint32_t line = result->first_line[i] + k;
            double ratio =
                pleat_measure_line_length(side->measure, line) / pleat_measure_line_rest(side->measure, line);
            least = fmin(least, ratio);
            sum += ratio;
        }
        side->line_least[(size_t)i * result->shown.frame_count + frame] = least;
        side->line_mean[(size_t)i * result->shown.frame_count + frame] = sum / result->lines[i].count;
    }
}

static pleat_result measure_one(pl_measurement *result, uint32_t frame, uint32_t s, pleat_error *error)
{
    pl_measured_side *side = &result->sides[s];
    int64_t at = (int64_t)result->shown.first_frame + frame + frame_shift(result, s);
    PL_TRY(pleat_bake_frame(side->file.bake, (uint32_t)at, error));
    pl_side_mesh_update(&side->garment, &side->file);
    pl_side_mesh_update(&side->body, &side->file);
    pleat_measure_input input = {.positions = side->garment.now,
                                 .reference = s ? result->sides[0].garment.now : NULL,
                                 .body = result->shown.has_body ? body_of(result, s)->now : NULL,
                                 .tasks = &result->job.host.tasks};
    PL_TRY(pleat_measure_frame(side->measure, &input, &side->frames[frame], error));
    keep_lines(result, side, frame);
    return PLEAT_OK;
}

static pleat_result measure_frames(pl_measurement *result, pleat_error *error)
{
    PL_TRY(pl_job_begin(&result->job, PLEAT_JOB_FRAMES, "frame", error));
    for (uint32_t frame = 0; frame < result->shown.frame_count; ++frame)
    {
        PL_TRY(pl_job_step(&result->job, "frame", frame, result->shown.frame_count, error));
        for (uint32_t s = 0; s < result->shown.side_count; ++s)
        {
            PL_TRY(measure_one(result, frame, s, error));
        }
    }
    return PLEAT_OK;
}

/* ---- The result ------------------------------------------------------------------------------------------------- */

static pleat_result show_side(pl_measurement *measured, uint32_t s, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_measured_side *from = &measured->sides[s];
    pleat_measured_side *side = &measured->shown.sides[s];
    pleat_measured_part *parts;
    double *rests;
    uint32_t count = 0, filled = 0;
    for (uint32_t i = 0; i < measured->shown.line_count; ++i)
    {
        count += measured->lines[i].count;
    }
    PL_ARENA_NEW_OR_FAIL(parts, &measured->job.arena, pleat_measured_part, from->garment_count, error);
    PL_ARENA_NEW_OR_FAIL(rests, &measured->job.arena, double, count, error);
    for (uint32_t i = 0; i < from->garment_count; ++i)
    {
        const pl_side_part *part = &from->file.parts[from->garments[i]];
        parts[i] = (pleat_measured_part){part->node, part->mesh, part->material, part->primitive, part->triangle_count};
    }
    for (uint32_t i = 0; i < measured->shown.line_count; ++i)
    {
        for (uint32_t k = 0; k < measured->lines[i].count; ++k)
        {
            rests[filled++] = pleat_measure_line_rest(from->measure, measured->first_line[i] + k);
        }
    }
    *side = (pleat_measured_side){.file = from->file.path,
                                  .clip = from->file.clip_name,
                                  .start = from->file.start,
                                  .part_count = from->garment_count,
                                  .parts = parts,
                                  .vertex_count = from->garment.vertex_count,
                                  .triangle_count = from->garment.triangle_count,
                                  .rest = pleat_measure_rest(from->measure),
                                  .total = pleat_measure_total(from->measure),
                                  .frames = from->frames,
                                  .line_least = from->line_least,
                                  .line_mean = from->line_mean,
                                  .line_rest = rests};
    side->shells = pleat_measure_shells(from->measure, &side->shell_count);
fail:
    return result;
}

static pleat_result run_all(pl_measurement *result, pleat_error *error)
{
    PL_TRY(open_files(result, error));
    PL_TRY(choose_window(result, error));
    PL_TRY(choose_parts(result, error));
    PL_TRY(create_measures(result, error));
    PL_TRY(pl_measure_add_lines(result, error));
    PL_TRY(make_room(result, error));
    PL_TRY(measure_frames(result, error));
    for (uint32_t s = 0; s < result->shown.side_count; ++s)
    {
        PL_TRY(show_side(result, s, error));
    }
    pl_job_done(&result->job);
    return PLEAT_OK;
}

static pleat_result check(const pleat_measure_job *asked, pleat_error *error)
{
    if (!asked->before.path)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "an argument is missing; the form is: pleat measure BEFORE [AFTER]");
    }
    if (!(asked->fps >= 0 && asked->fps <= 10000))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--fps is %g; it takes a number from 0.001 to 10000", asked->fps);
    }
    if (asked->no_body && asked->bodies.count)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--body and --no-body exclude each other");
    }
    return asked->meridian_count <= 4096
               ? PLEAT_OK
               : pl_fail(error, PLEAT_BAD_REQUEST, "--meridians is %u; it takes a whole number from 1 to 4096",
                         asked->meridian_count);
}

pleat_result pleat_measure_job_run(const pleat_measure_job *asked, const pleat_job_watch *watch, const pleat_host *host,
                                   const pleat_measurement **out, pleat_error *error)
{
    pleat_error local = {0};
    error = error ? error : &local;
    *out = NULL;
    PL_TRY(check(asked, error));
    pl_measurement *measured = PL_CREATE(pl_measurement, host);
    if (!measured)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the measurement");
    }
    measured->asked = asked;
    pleat_result result = pl_job_open(&measured->job, NULL, NULL, watch, host, error);
    result = result == PLEAT_OK ? run_all(measured, error) : result;
    if (result != PLEAT_OK)
    {
        pleat_measurement_destroy(&measured->shown);
        return result;
    }
    *out = &measured->shown;
    return PLEAT_OK;
}

void pleat_measurement_destroy(const pleat_measurement *shown)
{
    pl_measurement *measured = (pl_measurement *)shown;
    if (!measured)
    {
        return;
    }
    for (uint32_t s = 0; s < 2; ++s)
    {
        pleat_measure_destroy(measured->sides[s].measure);
        pl_side_close(&measured->sides[s].file);
    }
    pl_job_close(&measured->job);
    PL_DESTROY(measured);
}

bool pleat_measured_volume(const pleat_measured_side *side)
{
    /* A sphere has 0.094; what is flatter than a hundredth of that is a sheet. */
    return side->rest->volume > 1e-3 * pow(side->rest->area, 1.5);
}
