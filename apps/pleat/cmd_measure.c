/* pleat measure: figures about a file, or about two of them side by side. */
#include "commands.h"
#include "measure_show.h"
#include "request.h"

#include <stdio.h>
#include <string.h>

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static int check_usage(const app_session *session)
{
    const app_arguments *arguments = session->arguments;
    const char *path;
    for (uint32_t i = 0; (path = arguments_each(arguments, "output", i)); ++i)
    {
        if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        {
            return fail_usage(session, "-o is '%s'; a plot's name ends in .svg or .png", shown(path));
        }
    }
    if (arguments_each(arguments, "points", arguments->file_count))
    {
        return fail_usage(session, "there are more --points than files");
    }
    return EXIT_DONE;
}

static int report(app_session *session, const pleat_measurement *result)
{
    int status = EXIT_DONE;
    const char *path;
    for (uint32_t i = 0; status == EXIT_DONE && (path = arguments_each(session->arguments, "output", i)); ++i)
    {
        status = measure_plot(session, result, path);
    }
    if (status != EXIT_DONE)
    {
        return status;
    }
    if (session->json)
    {
        return print_json(session, measure_json(session, result));
    }
    measure_print(result);
    for (uint32_t i = 0; (path = arguments_each(session->arguments, "output", i)); ++i)
    {
        printf("%swrote %s\n", i ? "" : "\n", path);
    }
    return EXIT_DONE;
}

static int run_measure(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    int status = check_usage(session);
    if (status != EXIT_DONE)
    {
        return status;
    }
    pleat_measure_job job = pleat_measure_job_default();
    pleat_job_watch watch = session_watch(session, NULL);
    const pleat_measurement *measured;
    pleat_error error = {0};
    job.before = (pleat_measure_file){arguments->files[0], arguments_each(arguments, "points", 0)};
    job.after = (pleat_measure_file){arguments->file_count > 1 ? arguments->files[1] : NULL,
                                     arguments_each(arguments, "points", 1)};
    job.allow_outside = arguments_given(arguments, "allow-outside");
    job.clip = arguments_text(arguments, "clip");
    job.fps = arguments_number(arguments, "fps");
    arguments_range(arguments, "frames", &job.first_frame, &job.last_frame);
    job.garments = request_texts(session, "garment");
    job.bodies = request_texts(session, "body");
    job.no_body = arguments_given(arguments, "no-body");
    job.no_crossings = arguments_given(arguments, "no-crossings");
    job.lines = request_texts(session, "line");
    job.meridian_count = arguments_whole(arguments, "meridians");
    pleat_result result = pleat_measure_job_run(&job, &watch, &session->host, &measured, &error);
    progress_end(session);
    status = result == PLEAT_OK ? report(session, measured) : fail_error(session, &error);
    pleat_measurement_destroy(measured);
    return status;
}

static const app_option measure_command_options[] = {
    {"output", 'o', OPTION_PATH, true, "PLOT", NULL, 0, 0, "curves over the frames, as .svg or .png"},
    INPUT_CLIP_OPTION,
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 0, "frames of BEFORE's clip, both included; default: all"},
    {"fps", 0, OPTION_NUMBER, false, "N", NULL, 0.001, 10000,
     "frames a second; default: what a point cache says, else 30"},
    INPUT_GARMENT_OPTION,
    {"body", 0, OPTION_TEXT, true, "PATTERN", NULL, 0, 0,
     "what the garment should stay outside of; default: all that is no garment"},
    {"no-body", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "do not look for vertices inside the body"},
    {"no-crossings", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "do not look for self-intersections"},
    {"line", 0, OPTION_TEXT, true, "NAME=A/B", NULL, 0, 0,
     "a line to measure, straight over the rest surface through two or more places: x,y,z in metres, #VERTEX, or a "
     "joint"},
    {"meridians", 0, OPTION_WHOLE, false, "N", NULL, 1, 4096,
     "N lines along a tube, such as a sleeve; default: 24 where the garment is one"},
    {"points", 0, OPTION_PATH, true, "FILE", NULL, 0, 0,
     "a .pc2 or .mdd that moves the mesh of BEFORE; given again: of AFTER"},
};

static const char *const measure_examples[] = {
    "pleat measure hero.glb out.glb -o plot.svg",
    "what a bake has changed, as a table and curves",
    "pleat measure sleeve.glb sleeve.pc2 --line inner=0.05,-0.3,0/0.05,0.3,0 --json",
    "a baked point cache against its input, with the length of a line, for a script",
    NULL,
};

const app_command command_measure = {
    .name = "measure",
    .arguments = "BEFORE [AFTER]",
    .argument_min = 1,
    .argument_max = 2,
    .summary = "compression, length, area, volume, popping, contacts: before and after",
    .description =
        "Plays the files as any viewer does and measures the garment against its rest shape over the clip: principal "
        "stretches by area, the share under 0.9, the L2 norm of compression, lengths of lines, area, volume (holes "
        "closed), jumps of vertices beyond the input's own motion, triangles that cross, vertices inside the body. "
        "Files are glTF, point caches with what lies beside them, or meshes with --points; parts of BEFORE and AFTER "
        "go together by name. Without --garment the garments are guessed, as pleat info does.",
    .options = measure_command_options,
    .option_count = sizeof measure_command_options / sizeof measure_command_options[0],
    .examples = measure_examples,
    .run = run_measure,
};
