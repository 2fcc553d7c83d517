/* pleat bake: a stack run over a clip or all of them, written out. All outputs are written beside their names first and
 * appear together at the end, or not at all. */
#include "job/bake/clips.h"
#include "bake_look.h"
#include "bake_report.h"
#include "job/bake/writers.h"
#include "job/choice.h"
#include "commands.h"
#include "job/input.h"
#include "session.h"
#include "job/bake/spool.h"
#include "job/outputs.h"
#include "job/wrinkles.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/export/morphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What both passes work with. */
typedef struct bake_run
{
    app_session *session;
    pleat_bake *bake;
    bake_writers *writers;
    pleat_morphs *morphs; /* NULL: none are needed */
    bake_spool *spool;    /* NULL without --resume */
    bake_stretch stretch;
    uint32_t first_frame; /* of the clip */
    bake_report *report;
} bake_run;

/* Computes a frame, or takes it from the spool. */
static pleat_result get_frame(const bake_run *run, uint32_t frame, pleat_error *error)
{
    if (run->spool && frame < spool_count(run->spool))
    {
        return spool_replay(run->spool, frame, run->bake, error);
    }
    pleat_result result = pleat_bake_frame(run->bake, frame, error);
    return result == PLEAT_OK && run->spool ? spool_add(run->spool, run->bake, error) : result;
}

/* One pass over the frames; the first one writes them, too. */
typedef void frame_visitor(pleat_morphs *morphs, uint32_t frame);

static void learn_frame(pleat_morphs *morphs, uint32_t frame)
{
    (void)frame;
    pleat_morphs_learn(morphs);
}

/* What the progress line says: with several clips, which one. */
static void name_work(const pleat_bake *bake, uint32_t frame, const char *work, char *title, size_t size)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    if (shape->shot_count > 1)
    {
        const pleat_shot *shot = pleat_shot_of(shape->shots, shape->shot_count, frame);
        snprintf(title, size, "clip %u/%u '%.60s', %s", (unsigned)(shot - shape->shots) + 1, shape->shot_count,
                 shown(shot->clip->name), work);
    }
    else
    {
        snprintf(title, size, "%s", work);
    }
}

static pleat_result run_frames(bake_run *run, bool first, frame_visitor *visit, pleat_error *error)
{
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    char title[160];
    app_progress progress = progress_begin(run->session, title);
    pleat_result result = PLEAT_OK;
    for (uint32_t frame = 0; frame < frame_count && result == PLEAT_OK; ++frame)
    {
        name_work(run->bake, frame, first ? "frame" : "fitting, frame", title, sizeof title);
        progress_update(&progress, frame, frame_count);
        double start = seconds_now();
        result = get_frame(run, frame, error);
        double computed = seconds_now();
        if (result == PLEAT_OK && first)
        {
            result = writers_frame(run->writers, frame, error);
        }
        if (result == PLEAT_OK && first)
        {
            stretch_frame(&run->stretch, frame, run->first_frame, &run->session->host.tasks);
        }
        if (result == PLEAT_OK && run->morphs)
        {
            visit(run->morphs, frame);
        }
        if (result == PLEAT_OK && first)
        {
            report_frame(run->report, frame, computed - start, seconds_now() - computed, run->bake);
        }
    }
    progress_end(&progress);
    return result;
}

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
    return desc->skinning == PLEAT_LBS && desc->layer_count == 0 && desc->level == 0 && !has_points(desc);
}

/* Both passes, the glTF files, and the moment where everything appears. */
static pleat_result run_passes(bake_run *run, pleat_error *error)
{
    bake_report *report = run->report;
    double start = seconds_now();
    pleat_result result = run_frames(run, true, learn_frame, error);
    report->frames_seconds = seconds_now() - start;
    start = seconds_now();
    if (result == PLEAT_OK && run->morphs)
    {
        pleat_morphs_settle(run->morphs);
        result = run_frames(run, false, pleat_morphs_weigh, error);
        result = result == PLEAT_OK ? pleat_morphs_finish(run->morphs, error) : result;
    }
    report->fit_seconds = seconds_now() - start;
    start = seconds_now();
    result = result == PLEAT_OK ? writers_finish(run->writers, run->morphs, &run->stretch, error) : result;
    report->write_seconds = seconds_now() - start;
    return result;
}

static pleat_result open_spool(bake_run *run, const pleat_bake_desc *desc, bake_look *look, const bake_targets *targets,
                               pleat_error *error)
{
    uint64_t identity;
    pleat_result result = spool_identity(desc, look, run->bake, &run->session->host, &identity, error);
    if (result == PLEAT_OK)
    {
        result = spool_open(targets->list[0].path, identity, run->bake, &run->session->host, &run->spool, error);
    }
    run->report->resumed = result == PLEAT_OK ? spool_count(run->spool) : 0;
    return result;
}

/* How far morph targets may be off. Unasked, no more than a thousandth of the height: on a character of a centimetre
 * the usual tenth of a millimetre would be most of its folds. */
static float target_error(const app_session *session, const pleat_bake *bake)
{
    float error = (float)arguments_number(session->arguments, "error");
    bool asked = arguments_given(session->arguments, "error") || pleat_bake_stack_count(bake) == 0;
    return asked ? error : fminf(error, 1e-3f * pleat_stack_height(pleat_bake_stack(bake, 0)));
}

static pleat_result run_bake(app_session *session, const pleat_asset *asset, pleat_bake *bake,
                             const pleat_bake_desc *desc, bake_look *look, const bake_targets *targets,
                             bake_report *report, const bake_stretch *stretch, pleat_error *error)
{
    bake_run run = {.session = session,
                    .bake = bake,
                    .report = report,
                    .stretch = *stretch,
                    .first_frame = desc->clip == PLEAT_NONE ? 0 : desc->first_frame};
    pleat_result result = stretch_begin(&run.stretch, bake, &session->host, error);
    if (result == PLEAT_OK && arguments_given(session->arguments, "resume"))
    {
        result = open_spool(&run, desc, look, targets, error);
    }
    if (result == PLEAT_OK)
    {
        result = writers_create(session, asset, bake, targets, &run.writers, error);
    }
    if (result == PLEAT_OK && writers_want_gltf(run.writers) && !plays_by_itself(desc))
    {
        pleat_morphs_options options = pleat_morphs_options_default();
        options.target_limit = arguments_whole(session->arguments, "targets");
        options.largest_error = target_error(session, bake);
        options.normals = !arguments_given(session->arguments, "no-normals");
        result = pleat_morphs_create(bake, &options, &session->host, &run.morphs, error);
    }
    result = result == PLEAT_OK ? run_passes(&run, error) : result;
    spool_close(run.spool, result == PLEAT_OK);
    if (result == PLEAT_OK)
    {
        warn_of_other_clips(session, pleat_asset_model(asset), desc, targets,
                            run.morphs && pleat_morphs_count(run.morphs));
    }
    if (result == PLEAT_OK && run.morphs)
    {
        result = report_morphs(report, pleat_asset_model(asset), run.morphs, error);
    }
    stretch_close(&run.stretch);
    writers_destroy(run.writers);
    pleat_morphs_destroy(run.morphs);
    return result;
}

static bool wants_gltf(const bake_targets *targets)
{
    bool any = false;
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        any |= targets->list[i].format == PLEAT_FORMAT_GLB || targets->list[i].format == PLEAT_FORMAT_GLTF;
    }
    return any;
}

static int bake_asset(app_session *session, const pleat_asset *asset, bake_look *look, const bake_targets *targets,
                      const bake_stretch *stretch, bake_report *report)
{
    const pleat_model *model = pleat_asset_model(asset);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    pleat_layer_desc layers[LAYER_KINDS];
    stack_choice choice = {0};
    wrinkle_input wrinkles = {0};
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    desc.fps = (float)arguments_number(session->arguments, "fps");
    desc.skinning = (pleat_skinning)look->skin.method;
    look_refine(look, &desc);
    desc.frame_topology = topology_by_frame(session);
    int status = choose_stack(session, model, look_garment_use(look), true, look_mask(session, look), &choice);
    status = status == EXIT_DONE ? choose_clips(session, model, targets, &choice, &desc) : status;
    clip_row row = {desc.clip, desc.clip_count, choice.shots, desc.fps};
    status = status == EXIT_DONE ? wrinkle_input_open(session, model, &row, look, &wrinkles) : status;
    if (status == EXIT_DONE)
    {
        double start = seconds_now();
        look_settle(session, model, desc.clip, &choice, look);
        desc.layer_count = look->layer_count;
        desc.layers = layers;
        look_layers(look, layers);
        desc.recentre = wants_gltf(targets) && !look_has_layer(look, &pleat_wrinkles_layer) && !has_points(&desc);
        choice_apply(&choice, &desc);
        pleat_result result = pleat_bake_create(&desc, &session->host, &bake, &error);
        report->bind_seconds = seconds_now() - start;
        if (result != PLEAT_OK)
        {
            status = fail_error_in(session, session->arguments->files[0], &error);
        }
        else if ((status = stretch_check(session, stretch, desc.clip == PLEAT_NONE ? 0 : desc.first_frame,
                                         pleat_bake_get_shape(bake)->frame_count, wants_gltf(targets))) == EXIT_DONE &&
                 (report_begin(report, model, &desc, bake, &error) != PLEAT_OK ||
                  run_bake(session, asset, bake, &desc, look, targets, report, stretch, &error) != PLEAT_OK))
        {
            status = fail_error(session, &error);
        }
    }
    pleat_bake_destroy(bake);
    wrinkle_input_close(&wrinkles);
    choice_free(&choice);
    return status;
}

static int bake_file(app_session *session, bake_look *look)
{
    bake_targets targets;
    bake_report report = {0};
    bake_stretch stretch;
    int status = stretch_open(session, &stretch);
    if (status != EXIT_DONE)
    {
        return status;
    }
    status = targets_open(session, &targets);
    if (status == EXIT_DONE)
    {
        double start = seconds_now();
        pleat_asset *asset = load_input(session, 0, arguments_number(session->arguments, "fps"));
        report.load_seconds = seconds_now() - start;
        status = asset ? bake_asset(session, asset, look, &targets, &stretch, &report) : EXIT_BAD_INPUT;
        pleat_asset_destroy(asset);
    }
    bool written = status == EXIT_DONE;
    if (written)
    {
        status = report_print(session, &report, &targets);
    }
    report_free(&report);
    targets_free(&targets, written);
    return status;
}

/* A mesh for each frame needs a layer that changes it, outputs that can hold it, and cannot be taken up again. */
static int check_topology(app_session *session, const bake_look *look)
{
    const char *output;
    if (!look_has_layer(look, &pleat_wrinkles_layer))
    {
        return fail_usage(session, "--topology frame: only wrinkles give frames meshes of their own; add --layer "
                                   "wrinkles");
    }
    if (arguments_given(session->arguments, "resume"))
    {
        return fail_usage(session, "--topology frame: what --resume keeps is of one mesh; leave one of them out");
    }
    for (uint32_t i = 0; (output = arguments_each(session->arguments, "output", i)); ++i)
    {
        pleat_format format = pleat_format_of(output);
        if (format != PLEAT_FORMAT_OBJ && format != PLEAT_FORMAT_PLY && format != PLEAT_FORMAT_UNKNOWN)
        {
            return fail_usage(session,
                              "--topology frame: -o %s needs one mesh for all frames; write .obj or .ply, or leave "
                              "--topology out",
                              output);
        }
    }
    return EXIT_DONE;
}

static int run_bake_command(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    bake_look look;
    int status = look_open(session, &look);
    if (status != EXIT_DONE)
    {
        return status;
    }
    look_take_default_layers(session, &look);
    if (arguments_given(arguments, "print-look"))
    {
        return look_print(session, &look);
    }
    if (arguments->file_count == 0)
    {
        return fail_usage(session, "an argument is missing; the form is: pleat bake FILE -o OUT");
    }
    if (!arguments_given(arguments, "output"))
    {
        return fail_usage(session, "it needs somewhere to write to: -o OUT, such as -o out.glb or -o out.pc2");
    }
    status = look_check_used(session, &look);
    if (status == EXIT_DONE && arguments_given(arguments, "wrinkles-out") &&
        !look_has_layer(&look, &pleat_wrinkles_layer))
    {
        status = fail_usage(session, "--wrinkles-out: there are no wrinkles without --layer wrinkles");
    }
    status = status == EXIT_DONE && topology_by_frame(session) ? check_topology(session, &look) : status;
    if (status != EXIT_DONE)
    {
        return status;
    }
    return bake_file(session, &look);
}

static const app_option bake_options[] = {
    {"output", 'o', OPTION_PATH, true, "OUT", NULL, 0, 0,
     "where to write: .glb, .gltf, .pc2, .mdd, .obj, .ply, or a folder"},
    LOOK_OPTIONS,
    {"wrinkles-out", 0, OPTION_PATH, false, "FILE", NULL, 0, 0,
     "also write the curves of the wrinkles, as a text for --wrinkles"},
    {"print-look", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "print the look as a file to start from, and stop"},
    {"clip", 0, OPTION_TEXT, false, "NAME", NULL, 0, 0,
     "by name, with * and ?; default: all in glTF, elsewhere the first"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 0, "frames of the clip, both included; default: all"},
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.001, 10000, "frames a second"},
    INPUT_GARMENT_OPTION,
    INPUT_POINTS_OPTION,
    {"targets", 0, OPTION_WHOLE, false, "N", "64", 1, 1024, "glTF: the most morph targets a mesh gets"},
    {"error", 0, OPTION_LENGTH, false, "LENGTH", "0.1mm", 0, 1000,
     "glTF: fewer targets, as long as no vertex is off by more (unasked: or by 0.1 % of the height)"},
    {"topology", 0, OPTION_CHOICE, false, "clip|frame", "clip", 0, 0,
     "frame: a mesh for each (.obj, .ply), wrinkles as edges"},
    {"resume", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "keep frames in OUT.resume; after a kill, go on from there"},
    {"stretch", 0, OPTION_TEXT, false, "FRAME|most", NULL, 0, 0,
     "glTF: _COMPRESSION and _STRETCH with directions, of a frame or the most of all"},
    {"stretch-color", 0, OPTION_CHOICE, false, STRETCH_COLORS, NULL, 0, 0, "and as COLOR_0, in this convention"},
    STRETCH_STRENGTH_OPTION,
    {"no-normals", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "glTF: morph targets without normals"},
};

static const char *const bake_examples[] = {
    "pleat bake hero.glb -o out.glb",
    "folds on what looks like cloth, as morph targets that any viewer plays",
    "pleat bake hero.glb -o walk.pc2 --clip Walk --frames 0-120 --garment '*shirt*' --layer none",
    "a part of a clip as a point cache, of one garment and without folds",
    NULL,
};

const app_command command_bake = {
    .name = "bake",
    .arguments = "FILE -o OUT",
    .argument_min = 0, /* --print-look needs no FILE */
    .argument_max = 1,
    .summary = "runs a stack over clips and writes glTF, point caches or meshes",
    .description =
        "Skins the meshes of FILE over a clip, puts folds on the garments, and writes the result. Point caches (.pc2, "
        ".mdd) hold world "
        "positions of the render vertices; beside them lie NAME.rest.obj and NAME.json. .obj and .ply give one "
        "file per frame; {clip} in the name of any of them gives one for each clip. glTF keeps everything of the "
        "input and adds morph targets where linear skinning alone would not show the result, for all clips. Either "
        "all outputs appear, or none.",
    .options = bake_options,
    .option_count = sizeof bake_options / sizeof bake_options[0],
    .examples = bake_examples,
    .run = run_bake_command,
};
