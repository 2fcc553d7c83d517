/* A stack run over a clip or all of them, written out. All outputs are written beside their names first and appear
 * together at the end, or not at all. */
#include "job/bake/bake.h"
#include "job/bake/clips.h"
#include "job/input.h"
#include "job/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pleat_bake_job pleat_bake_job_default(void)
{
    return (pleat_bake_job){.input = pleat_job_input_default(),
                            .stack = pleat_job_stack_default(),
                            .target_limit = 64,
                            .largest_error = -1,
                            .normals = true,
                            .encoding = PLEAT_ENCODE_SMALL,
                            .stretch = {.colors = PLEAT_STRETCH_SIGNED, .strength = 0.5f}};
}

/* What the parts of a bake work with. */
typedef struct bake_run
{
    pl_job job;
    const pleat_bake_job *asked;
    pl_job_look look; /* settled on the input */
    pl_output_targets targets;
    pleat_asset *asset;
    pl_choice choice;
    pl_layer_inputs inputs;
    pleat_bake_desc desc;
    pleat_bake *bake;
    pl_bake_writers *writers;
    pleat_morphs *morphs; /* NULL: none are needed */
    pl_bake_spool *spool; /* NULL without resuming */
    pl_bake_stretch stretch;
    pl_bake_report *report;
} bake_run;

static uint32_t first_frame(const bake_run *run)
{
    return run->desc.clip == PLEAT_NONE ? 0 : run->desc.first_frame;
}

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

/* Computes a frame, or takes it from the spool. */
static pleat_result get_frame(bake_run *run, uint32_t frame, pleat_error *error)
{
    if (run->spool && frame < pl_spool_count(run->spool))
    {
        return pl_spool_replay(run->spool, frame, run->bake, error);
    }
    PL_TRY(pleat_bake_frame(run->bake, frame, error));
    if (run->spool)
    {
        PL_TRY(pl_spool_add(run->spool, run->bake, error));
        run->job.kept = pl_spool_count(run->spool);
    }
    return PLEAT_OK;
}

/* Says which frame is being computed: with several clips, of which one. */
static pleat_result tell_frame(const bake_run *run, uint32_t frame, const char *work, pleat_error *error)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(run->bake);
    char title[160];
    snprintf(title, sizeof title, "%s", work);
    if (shape->shot_count > 1)
    {
        const pleat_shot *shot = pleat_shot_of(shape->shots, shape->shot_count, frame);
        snprintf(title, sizeof title, "clip %u/%u '%.60s', %s", (unsigned)(shot - shape->shots) + 1, shape->shot_count,
                 pl_shown(shot->clip->name), work);
    }
    return pl_job_step(&run->job, title, frame, shape->frame_count, error);
}

/* The first pass: every frame is written, and morph targets learn from it. */
static pleat_result compute_frames(bake_run *run, pleat_error *error)
{
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(tell_frame(run, frame, "frame", error));
        double start = pl_job_seconds();
        PL_TRY(get_frame(run, frame, error));
        double computed = pl_job_seconds();
        PL_TRY(pl_writers_frame(run->writers, frame, error));
        pl_stretch_frame(&run->stretch, first_frame(run) + frame, &run->job.host.tasks);
        if (run->morphs)
        {
            pleat_morphs_learn(run->morphs);
        }
        pl_report_frame(run->report, frame, computed - start, pl_job_seconds() - computed, run->bake);
    }
    return PLEAT_OK;
}

/* An error that was asked for is kept, or nothing is written. */
static pleat_result check_error(const bake_run *run, pleat_error *error)
{
    float asked = run->asked->largest_error;
    const pleat_morphed *worst = NULL;
    for (uint32_t i = 0; asked > 0 && i < pleat_morphs_count(run->morphs); ++i)
    {
        const pleat_morphed *morphed = pleat_morphs_get(run->morphs, i);
        if (!(morphed->error.largest <= asked) && !(worst && worst->error.largest >= morphed->error.largest))
        {
            worst = morphed;
        }
    }
    if (!worst)
    {
        return PLEAT_OK;
    }
    return pl_fail(error, PLEAT_BAD_DATA,
                   "--error %gmm: %.60s is off by %.3g mm with %u morph targets; more of them (--targets, now %u, at "
                   "most 1024) or --error %.2gmm would do",
                   (double)asked * 1e3, pleat_asset_model(run->asset)->nodes[worst->node].name,
                   (double)worst->error.largest * 1e3, worst->mesh.target_count - worst->input_target_count,
                   run->asked->target_limit, ceil((double)worst->error.largest * 1e4 + 0.5) / 10);
}

/* The second pass: the targets' weights in every frame. */
static pleat_result fit_frames(bake_run *run, pleat_error *error)
{
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    pleat_morphs_settle(run->morphs);
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(tell_frame(run, frame, "fitting, frame", error));
        PL_TRY(get_frame(run, frame, error));
        pleat_morphs_weigh(run->morphs, frame);
    }
    PL_TRY(pleat_morphs_finish(run->morphs, error));
    return check_error(run, error);
}

/* Both passes, the glTF files, and the moment where everything appears. */
static pleat_result run_passes(bake_run *run, pleat_error *error)
{
    pleat_report_seconds *seconds = &run->report->shown.seconds;
    double start = pl_job_seconds();
    PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_FRAMES, "frame", error));
    PL_TRY(compute_frames(run, error));
    seconds->frames = pl_job_seconds() - start;
    start = pl_job_seconds();
    if (run->morphs)
    {
        PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_FIT, "fits morph targets", error));
        PL_TRY(fit_frames(run, error));
    }
    seconds->fit = pl_job_seconds() - start;
    start = pl_job_seconds();
    PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_WRITE, "writes", error));
    PL_TRY(pl_writers_finish(run->writers, run->morphs, &run->stretch, error));
    pl_job_done(&run->job);
    seconds->write = pl_job_seconds() - start;
    return PLEAT_OK;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static bool has_points(const pleat_bake_desc *desc)
{
    bool points = desc->clip != PLEAT_NONE && desc->model->clips[desc->clip].points.node != PLEAT_NONE;
    for (uint32_t i = 0; i < desc->clip_count; ++i)
    {
        points |= desc->model->clips[desc->clips[i]].points.node != PLEAT_NONE;
    }
    return points;
}

/* A viewer's own linear skinning shows the result already: no mesh has to be replaced. */
static bool plays_by_itself(const pleat_bake_desc *desc)
{
    return desc->skinning == PLEAT_LBS && !desc->skin_layer.type && desc->layer_count == 0 && desc->level == 0 &&
           !has_points(desc);
}

static pleat_result open_spool(bake_run *run, pleat_error *error)
{
    uint64_t identity;
    const pleat_host *host = &run->job.host;
    PL_TRY(pl_spool_identity(&run->desc, &run->look, run->bake, host, &identity, error));
    PL_TRY(pl_spool_open(run->targets.list[0].path, identity, run->bake, host, &run->spool, error));
    run->report->shown.resumed = run->job.kept = pl_spool_count(run->spool);
    return PLEAT_OK;
}

/* How far morph targets may be off. Unasked, what nobody sees on a person at two metres, and no more than a thousandth
 * of the height. */
static float target_error(const bake_run *run)
{
    static const float usual = 1.5e-3f; /* metres */
    bool asked = !(run->asked->largest_error < 0);
    float height = pleat_bake_stack_count(run->bake) ? pleat_stack_height(pleat_bake_stack(run->bake, 0)) : 1;
    return asked ? run->asked->largest_error : fminf(usual, 1e-3f * height);
}

/* Loads, chooses and binds. */
static pleat_result bind(bake_run *run, pleat_error *error)
{
    pl_job *job = &run->job;
    pl_clip_row row;
    bool gltf = pl_outputs_want_gltf(&run->targets);
    pleat_bake_desc *desc = &run->desc;
    double start = pl_job_seconds();
    PL_TRY(pl_job_begin(job, PLEAT_JOB_LOAD, "loads", error));
    PL_TRY(pl_job_load(job, &run->asset, error));
    run->report->shown.seconds.load = pl_job_seconds() - start;
    const pleat_model *model = pleat_asset_model(run->asset);
    *desc = pleat_bake_desc_default(model);
    desc->fps = (float)job->input->fps;
    desc->frame_topology = run->asked->frame_topology;
    PL_TRY(pl_job_begin(job, PLEAT_JOB_BIND, "binds", error));
    PL_TRY(pl_choose_stack(job, model, &run->look, true, &run->choice, error));
    PL_TRY(pl_choose_clips(job, run->asked, model, &run->targets, &run->choice, desc, &row, error));
    PL_TRY(pl_inputs_open(job, model, &row, &run->look, &run->inputs, error));
    start = pl_job_seconds();
    pl_look_settle(job, model, desc->clip, &run->choice, &run->look);
    pl_choice_apply(&run->choice, &run->look, desc);
    desc->recentre = gltf && pl_job_look_recentres(&run->look) && !has_points(desc);
    if (pleat_bake_create(desc, &job->host, &run->bake, error) != PLEAT_OK)
    {
        return pl_job_fail_in(job, error);
    }
    run->report->shown.seconds.bind = pl_job_seconds() - start;
    return PLEAT_OK;
}

static pleat_result open_outputs(bake_run *run, pleat_error *error)
{
    const pleat_bake_job *asked = run->asked;
    const pleat_host *host = &run->job.host;
    bool gltf = pl_outputs_want_gltf(&run->targets);
    PL_TRY(
        pl_stretch_check(&asked->stretch, first_frame(run), pleat_bake_get_shape(run->bake)->frame_count, gltf, error));
    PL_TRY(pl_report_begin(run->report, &run->desc, run->bake, error));
    run->report->shown.skinning = run->look.method->name;
    PL_TRY(pl_stretch_begin(&run->stretch, &asked->stretch, run->bake, host, error));
    if (asked->resume)
    {
        PL_TRY(open_spool(run, error));
    }
    PL_TRY(pl_writers_create(&run->job, asked, run->asset, run->bake, &run->targets, &run->writers, error));
    if (gltf && !plays_by_itself(&run->desc))
    {
        pleat_morphs_options options = pleat_morphs_options_default();
        options.target_limit = asked->target_limit;
        options.largest_error = target_error(run);
        options.normals = asked->normals;
        /* Steps need a skin that scales, which Blender takes apart; it does not read packed files anyway. */
        options.steps = asked->encoding == PLEAT_ENCODE_PACKED;
        PL_TRY(pleat_morphs_create(run->bake, &options, host, &run->morphs, error));
    }
    return PLEAT_OK;
}

/* ---- The job ---------------------------------------------------------------------------------------------------- */

/* A mesh for each frame needs a layer that changes it, outputs that can hold it, and cannot be taken up again. */
static pleat_result check_topology(const pleat_bake_job *asked, const pl_job_look *look, pleat_error *error)
{
    PL_TRY(pl_job_look_check_focus(look, error));
    if (asked->resume)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "--topology frame: what --resume keeps is of one mesh; leave one of them out");
    }
    for (uint32_t i = 0; i < asked->outputs.count; ++i)
    {
        pleat_format format = pleat_format_of(asked->outputs.list[i]);
        if (format != PLEAT_FORMAT_OBJ && format != PLEAT_FORMAT_PLY && format != PLEAT_FORMAT_UNKNOWN)
        {
            return pl_fail(error, PLEAT_BAD_REQUEST,
                           "--topology frame: -o %.200s needs one mesh for all frames; write .obj or .ply, or leave "
                           "--topology out",
                           asked->outputs.list[i]);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_numbers(const pleat_bake_job *asked, pleat_error *error)
{
    const pleat_job_input *input = &asked->input;
    if (!(input->fps >= 0.001 && input->fps <= 10000))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--fps is %g; it takes a number from 0.001 to 10000", input->fps);
    }
    if (input->last_frame != PLEAT_NONE && input->first_frame > input->last_frame)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--frames is %u-%u; the first must not be above the second",
                       input->first_frame, input->last_frame);
    }
    if (asked->target_limit < 1 || asked->target_limit > 1024)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--targets is %u; it takes a whole number from 1 to 1024",
                       asked->target_limit);
    }
    if ((unsigned)asked->encoding > PLEAT_ENCODE_PACKED)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "encoding is %d; it can be 0 to %d", (int)asked->encoding,
                       PLEAT_ENCODE_PACKED);
    }
    if (!(asked->largest_error <= 1000))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--error is %g m; it takes a length from 0m to 1000m",
                       (double)asked->largest_error);
    }
    if (!(asked->stretch.strength >= 0.001f && asked->stretch.strength <= 100))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--stretch-strength is %g; it takes a number from 0.001 to 100",
                       (double)asked->stretch.strength);
    }
    return PLEAT_OK;
}

static pleat_result check_job(const pleat_bake_job *asked, const pl_job_look *look, pleat_error *error)
{
    if (!asked->input.file)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "an argument is missing; the form is: pleat bake FILE -o OUT");
    }
    if (!asked->outputs.count)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "it needs somewhere to write to: -o OUT, such as -o out.glb or -o out.pc2");
    }
    PL_TRY(check_numbers(asked, error));
    PL_TRY(pl_job_look_check_used(&asked->stack, look, error));
    PL_TRY(pl_job_look_check_channels(asked->channels, asked->channel_count, look, error));
    return asked->frame_topology ? check_topology(asked, look, error) : PLEAT_OK;
}

static pleat_result run_all(bake_run *run, pleat_error *error)
{
    PL_TRY(pl_outputs_choose(&run->job, &run->asked->outputs, true, &run->targets, error));
    for (uint32_t i = 0; i < run->asked->channel_count; ++i)
    {
        PL_TRY(pl_outputs_announce(&run->job, run->asked->channels[i].values.list[0], error));
    }
    PL_TRY(bind(run, error));
    PL_TRY(open_outputs(run, error));
    PL_TRY(run_passes(run, error));
    const pleat_model *model = pleat_asset_model(run->asset);
    pl_warn_of_other_clips(&run->job, run->asked, model, &run->desc, &run->targets,
                           run->morphs && pleat_morphs_count(run->morphs));
    return run->morphs ? pl_report_morphs(run->report, model, run->morphs, error) : PLEAT_OK;
}

static void close_run(bake_run *run, bool done)
{
    pl_spool_close(run->spool, done);
    pl_stretch_close(&run->stretch);
    pl_writers_destroy(run->writers);
    pleat_morphs_destroy(run->morphs);
    pleat_bake_destroy(run->bake);
    pl_inputs_close(&run->inputs);
    pleat_asset_destroy(run->asset);
    if (!done)
    {
        pl_outputs_give_up(&run->targets);
    }
    pl_job_close(&run->job);
}

/* Outputs, too, but nothing is made. */
static pleat_result check_all(const pleat_bake_job *asked, const pl_job_look *look, const pleat_host *host,
                              pleat_error *error)
{
    pl_job job;
    pl_output_targets targets;
    PL_TRY(check_job(asked, look, error));
    pleat_result result = pl_job_open(&job, &asked->input, &asked->stack, NULL, host, error);
    result = result == PLEAT_OK ? pl_outputs_choose(&job, &asked->outputs, false, &targets, error) : result;
    pl_job_close(&job);
    return result;
}

pleat_result pleat_bake_job_validate(const pleat_bake_job *asked, const pleat_host *host, pleat_error *error)
{
    pl_job_look look;
    PL_TRY(pl_job_look_open(&asked->stack, true, host, &look, error));
    pleat_result result = check_all(asked, &look, host, error);
    pl_job_look_close(&look);
    return result;
}

static pleat_result run_with(bake_run *run, const pleat_job_watch *watch, const pleat_host *host,
                             const pleat_bake_report **report, pleat_error *error)
{
    PL_TRY(check_job(run->asked, &run->look, error));
    pleat_result result = pl_job_open(&run->job, &run->asked->input, &run->asked->stack, watch, host, error);
    result = result == PLEAT_OK ? pl_report_create(host, &run->report, error) : result;
    result = result == PLEAT_OK ? run_all(run, error) : result;
    close_run(run, result == PLEAT_OK);
    if (result == PLEAT_OK && report)
    {
        *report = &run->report->shown;
    }
    else if (run->report)
    {
        pleat_bake_report_destroy(&run->report->shown);
    }
    return result;
}

pleat_result pleat_bake_job_run(const pleat_bake_job *asked, const pleat_job_watch *watch, const pleat_host *host,
                                const pleat_bake_report **report, pleat_error *error)
{
    pleat_error local = {0};
    bake_run run = {.asked = asked};
    pl_job_look look;
    error = error ? error : &local;
    if (report)
    {
        *report = NULL;
    }
    PL_TRY(pl_job_look_open(&asked->stack, true, host, &look, error));
    run.look = look;
    pleat_result result = run_with(&run, watch, host, report, error);
    pl_job_look_close(&look);
    return result;
}
