/* pleat bake: a stack run over a clip or all of them, written out. */
#include "bake_report.h"
#include "commands.h"
#include "look_print.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>

/* --stretch and what goes with it. */
static int read_stretch(const app_session *session, pleat_job_stretch *stretch)
{
    const app_arguments *arguments = session->arguments;
    const char *when = arguments_text(arguments, "stretch"), *colors = arguments_text(arguments, "stretch-color");
    *stretch = (pleat_job_stretch){.wanted = when != NULL,
                                   .most = when && strcmp(when, "most") == 0,
                                   .colored = colors != NULL,
                                   .colors = stretch_colors_named(colors),
                                   .strength = (float)arguments_number(arguments, "stretch-strength")};
    if (!when && (colors || arguments_given(arguments, "stretch-strength")))
    {
        return fail_usage(session, "--stretch-color and --stretch-strength go with --stretch");
    }
    if (when && !stretch->most)
    {
        char *end;
        unsigned long frame = strtoul(when, &end, 10);
        stretch->frame = (uint32_t)frame;
        if (when[0] < '0' || when[0] > '9' || *end || frame >= UINT32_MAX)
        {
            return fail_usage(session, "--stretch is '%s'; it takes the number of a frame, or most", shown(when));
        }
    }
    return EXIT_DONE;
}

static int read_job(app_session *session, pleat_bake_job *job)
{
    const app_arguments *arguments = session->arguments;
    *job = pleat_bake_job_default();
    job->input = request_input(session, 0);
    job->stack = request_stack(session);
    job->outputs = request_texts(session, "output");
    job->channels = request_channels(session, &job->channel_count);
    job->target_limit = arguments_whole(arguments, "targets");
    if (arguments_given(arguments, "error"))
    {
        job->largest_error = (float)arguments_number(arguments, "error");
    }
    job->normals = !arguments_given(arguments, "no-normals");
    const char *encoding = arguments_text(arguments, "encode");
    job->encoding = strcmp(encoding, "plain") == 0    ? PLEAT_ENCODE_PLAIN
                    : strcmp(encoding, "packed") == 0 ? PLEAT_ENCODE_PACKED
                                                      : PLEAT_ENCODE_SMALL;
    job->frame_topology = strcmp(arguments_text(arguments, "topology"), "frame") == 0;
    job->resume = arguments_given(arguments, "resume");
    return read_stretch(session, &job->stretch);
}

static int print_look(app_session *session)
{
    pl_job_look look;
    pleat_job_stack stack = request_stack(session);
    pleat_error error = {0};
    if (pl_job_look_open(&stack, true, &session->host, &look, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    int status = look_print(session, &look);
    pl_job_look_close(&look);
    return status;
}

static int run_bake_command(app_session *session)
{
    pleat_bake_job job;
    pleat_error error = {0};
    const pleat_bake_report *report;
    if (arguments_given(session->arguments, "print-look"))
    {
        return print_look(session);
    }
    int status = read_job(session, &job);
    if (status != EXIT_DONE)
    {
        return status;
    }
    pleat_job_watch watch = session_watch(session, job.resume ? job.outputs.list[0] : NULL);
    pleat_result result = pleat_bake_job_run(&job, &watch, &session->host, &report, &error);
    progress_end(session);
    status = result == PLEAT_OK ? report_print(session, report, &job.outputs) : fail_error(session, &error);
    pleat_bake_report_destroy(report);
    return status;
}

static const app_option bake_options[] = {
    {"output", 'o', OPTION_PATH, true, "OUT", NULL, 0, 0,
     "where to write: .glb, .gltf, .pc2, .mdd, .obj, .ply, or a folder"},
    LOOK_OPTIONS,
    {"print-look", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "print the look as a file to start from, and stop"},
    {"clip", 0, OPTION_TEXT, false, "NAME", NULL, 0, 0,
     "by name, with * and ?; default: all in glTF, elsewhere the first"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 0, "frames of the clip, both included; default: all"},
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.001, 10000, "frames a second"},
    INPUT_GARMENT_OPTION,
    INPUT_POINTS_OPTION,
    {"targets", 0, OPTION_WHOLE, false, "N", "64", 1, 1024, "glTF: the most morph targets a mesh gets"},
    {"error", 0, OPTION_LENGTH, false, "LENGTH", "1.5mm", 0, 1000,
     "glTF: fewer targets, as long as no vertex is off by more (unasked: or by 0.1 % of the height); kept, or nothing "
     "is "
     "written"},
    {"encode", 0, OPTION_CHOICE, false, "plain|small|packed", "small", 0, 0,
     "glTF: floats for any engine, small integers, or those compressed (meshopt)"},
    {"topology", 0, OPTION_CHOICE, false, "clip|frame", "clip", 0, 0,
     "frame: a mesh for each (.obj, .ply), wrinkles as edges"},
    {"resume", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "keep frames in OUT.resume; after a kill, go on from there"},
    {"stretch", 0, OPTION_TEXT, false, "FRAME|most", NULL, 0, 0,
     "glTF: _COMPRESSION and _STRETCH, of a frame or the most of all"},
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
    .rare = "topology|stretch|stretch-color|stretch-strength|no-normals|points|print-look",
    .takes_inputs = true,
    .takes_channels = true,
    .examples = bake_examples,
    .run = run_bake_command,
};
