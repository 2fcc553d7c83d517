/* pleat render: pictures and films of a character, before and after, with no window. */
#include "commands.h"
#include "request.h"
#include "stage.h"

#include "pleat/io/film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the command line asks for. */
typedef struct render_job
{
    app_stage stage;
    pleat_asset *assets[2];
    const char *output;
    uint32_t width, height;
    bool film, sheet;
    uint32_t frame; /* of a picture */
} render_job;

/* ---- Reading the command line ---- */

/* Two whole numbers with an x between: "1280x720". */
static bool read_pair(const char *text, uint32_t most, uint32_t *a, uint32_t *b)
{
    char *end;
    unsigned long first = strtoul(text, &end, 10);
    if (end == text || *end != 'x' || text[0] == '-')
    {
        return false;
    }
    const char *rest = end + 1;
    unsigned long second = strtoul(rest, &end, 10);
    *a = (uint32_t)first;
    *b = (uint32_t)second;
    return end != rest && *end == 0 && rest[0] != '-' && first >= 1 && second >= 1 && first <= most && second <= most;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static int read_shape(render_job *job)
{
    app_session *session = job->stage.session;
    const app_arguments *arguments = session->arguments;
    const char *size = arguments_text(arguments, "size");
    const char *sheet = arguments_text(arguments, "sheet");
    job->output = arguments_text(arguments, "output");
    job->film = job->output && pleat_film_is(job->output);
    job->sheet = sheet != NULL;
    if (!job->output)
    {
        return fail_usage(session, "where to? Give -o frame.png, or a film: -o film.mp4, .webm or .gif");
    }
    if (!job->film && !ends_in(job->output, ".png"))
    {
        return fail_usage(session, "%s: a picture's name ends in .png, a film's in .mp4, .webm or .gif", job->output);
    }
    if (!read_pair(size, 8192, &job->width, &job->height))
    {
        return fail_usage(session, "--size is '%s'; it must be like 1280x720, each side 1 to 8192", size);
    }
    if (sheet && !read_pair(sheet, 64, &job->stage.columns, &job->stage.rows))
    {
        return fail_usage(session, "--sheet is '%s'; it must be like 4x3, each number 1 to 64", sheet);
    }
    if (sheet && (job->width < job->stage.columns * 2 || job->height < job->stage.rows))
    {
        return fail_usage(session, "--size is %s; that is too small for --sheet %s", size, sheet);
    }
    if (job->film && (sheet || arguments_given(arguments, "frame")))
    {
        return fail_usage(session, "%s: --%s makes a picture, whose name ends in .png", job->output,
                          sheet ? "sheet" : "frame");
    }
    if (job->film && !ends_in(job->output, ".gif") && (job->width % 2 || job->height % 2))
    {
        return fail_usage(session, "--size is %ux%u; both sides of a film must be even", job->width, job->height);
    }
    return EXIT_DONE;
}

static void read_view(app_stage *stage)
{
    const app_arguments *arguments = stage->session->arguments;
    stage->view.orbit = (float)arguments_number(arguments, "orbit");
    stage->view.elevation = (float)arguments_number(arguments, "elevation");
    stage->follow = arguments_given(arguments, "follow") || arguments_given(arguments, "sheet");
    stage->compare = strcmp(arguments_text(arguments, "compare"), "split") == 0 ? STAGE_SPLIT : STAGE_SIDE;
}

/* ---- Opening ---- */

static int choose_frames(render_job *job)
{
    app_stage *stage = &job->stage;
    const app_arguments *arguments = stage->session->arguments;
    uint32_t count = stage_frame_count(stage);
    stage->first = 0;
    stage->last = count - 1;
    arguments_range(arguments, "frames", &stage->first, &stage->last);
    bool given = arguments_given(arguments, "frame");
    job->frame = given ? arguments_whole(arguments, "frame") : stage->first + (stage->last - stage->first) / 2;
    uint32_t most = job->frame > stage->last ? job->frame : stage->last;
    if (most >= count)
    {
        return fail_input(stage->session, "%s: there is no frame %u; the clip's frames are 0 to %u",
                          arguments->files[0], most, count - 1);
    }
    return EXIT_DONE;
}

static int choose_focus(app_stage *stage)
{
    const app_arguments *arguments = stage->session->arguments;
    const char *pattern = arguments_text(arguments, "focus");
    const app_actor *first = &stage->actors[0];
    if (!pattern)
    {
        return EXIT_DONE;
    }
    stage->focus_node = actor_find_node(first, pattern);
    if (stage->focus_node == PLEAT_NONE)
    {
        char names[500] = "";
        for (uint32_t i = 0; i < first->model->node_count && strlen(names) < 420; ++i)
        {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s'%.40s'", length ? ", " : "",
                     shown(first->model->nodes[i].name));
        }
        return fail_input(stage->session, "%s: no joint is named '%s'; there are %s", arguments->files[0], pattern,
                          names);
    }
    bool given = arguments_given(arguments, "radius");
    stage->focus_radius = given ? (float)arguments_number(arguments, "radius") : 0.15f * first->height;
    return EXIT_DONE;
}

static int open_job(render_job *job)
{
    app_session *session = job->stage.session;
    int status = read_shape(job);
    if (status != EXIT_DONE)
    {
        return status;
    }
    read_view(&job->stage);
    status = stage_add_files(&job->stage, job->assets);
    status = status == EXIT_DONE ? choose_frames(job) : status;
    status = status == EXIT_DONE ? choose_focus(&job->stage) : status;
    pleat_error error = {0};
    if (status == EXIT_DONE && stage_open(&job->stage, job->width, job->height, &error) != PLEAT_OK)
    {
        status = fail_error(session, &error);
    }
    return status;
}

/* ---- The command ---- */

static pleat_result make(render_job *job, pleat_error *error)
{
    app_stage *stage = &job->stage;
    const app_arguments *arguments = stage->session->arguments;
    /* A picture is framed on its own frame, unless --frames says on which. */
    bool alone = !job->film && !job->sheet && !arguments_given(arguments, "frames");
    pleat_result result = stage_look_over(stage, alone ? job->frame : PLEAT_NONE, error);
    if (result != PLEAT_OK)
    {
        return result;
    }
    if (job->film)
    {
        return stage_write_film(stage, (float)arguments_number(arguments, "fps"), job->output, NULL, error);
    }
    return job->sheet ? stage_write_sheet(stage, job->output, error)
                      : stage_write_picture(stage, job->frame, job->output, error);
}

static uint32_t triangle_count(const app_stage *stage)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < stage->actor_count; ++i)
    {
        uint32_t count = stage->actors[i].shape->triangle_count;
        most = count > most ? count : most;
    }
    return most;
}

static int report(const render_job *job, double seconds)
{
    const app_stage *stage = &job->stage;
    app_session *session = stage->session;
    uint32_t frames = job->film ? stage->last - stage->first + 1 : stage->columns * stage->rows;
    if (session->json)
    {
        return print_json(
            session, json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:f, s:o}", "output", shown(job->output), "width",
                               (int)job->width, "height", (int)job->height, "frames", (int)frames, "first_frame",
                               (int)(job->film || job->sheet ? stage->first : job->frame), "triangles",
                               (int)triangle_count(stage), "driver", pleat_renderer_driver(stage->renderer), "seconds",
                               seconds, "warnings", warnings_json(session)));
    }
    if (!session->quiet)
    {
        printf("%s: %u x %u, %u frame%s, %u triangles, %.2f s\n", shown(job->output), job->width, job->height, frames,
               frames == 1 ? "" : "s", triangle_count(stage), seconds);
    }
    return EXIT_DONE;
}

static int run_render(app_session *session)
{
    render_job job = {.stage = stage_default(session)};
    double start = seconds_now();
    int status = open_job(&job);
    if (status == EXIT_DONE)
    {
        pleat_error error = {0};
        status = make(&job, &error) == PLEAT_OK ? report(&job, seconds_now() - start) : fail_error(session, &error);
    }
    stage_close(&job.stage);
    pleat_asset_destroy(job.assets[0]);
    pleat_asset_destroy(job.assets[1]);
    return status;
}

static const app_option render_options[] = {
    {"output", 'o', OPTION_PATH, false, "FILE", NULL, 0, 0, "a picture: .png; or a film: .mp4, .webm, .gif"},
    {"frame", 0, OPTION_WHOLE, false, "N", NULL, 0, 1e9, "the frame of a picture; default: the middle one"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 1e9, "the frames of a film or sheet; default: all of the clip"},
    INPUT_CLIP_OPTION,
    INPUT_POINTS_OPTION,
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.1, 240, "frames a second, of the clip and of the film"},
    LOOK_OPTIONS,
    INPUT_GARMENT_OPTION,
    {"size", 0, OPTION_TEXT, false, "WxH", "1280x720", 0, 0, "pixels of the whole picture"},
    {"orbit", 0, OPTION_NUMBER, false, "DEG", "25", -3600, 3600, "look from this far around, 0 is the front"},
    {"elevation", 0, OPTION_NUMBER, false, "DEG", "8", -85, 85, "and from this far above"},
    {"focus", 0, OPTION_TEXT, false, "JOINT", NULL, 0, 0, "come near a joint (* and ? allowed) and stay with it"},
    {"radius", 0, OPTION_LENGTH, false, "LENGTH", NULL, 1e-4, 1e4,
     "what --focus shows around the joint; default: 0.15 of the height"},
    {"follow", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "the camera goes along; a sheet's always does"},
    {"overlay", 0, OPTION_CHOICE, true, "strain|tensor|curves|wire|vertices", NULL, 0, 0,
     "stretch, its ellipses, lines of wrinkles, edges, vertices"},
    {"sheet", 0, OPTION_TEXT, false, "COLSxROWS", NULL, 0, 0, "a grid of frames in one picture"},
    {"compare", 0, OPTION_CHOICE, false, "side|split", "side", 0, 0,
     "before and after: beside each other, or in one view"},
};

static const char *const render_examples[] = {
    "pleat render hero.glb -o frame.png --frame 40 --focus 'elbow*'",
    "the elbow in frame 40",
    "pleat render hero.glb folded.glb -o film.mp4",
    "a film of both, side by side",
    "pleat render hero.glb --layer folds --compare split -o folds.png",
    "the middle frame, one half without folds and one with",
    "pleat render hero.glb -o sheet.png --sheet 4x2 --overlay strain",
    "eight frames with the stretch of the cloth as colours",
    NULL,
};

const app_command command_render = {
    .name = "render",
    .arguments = "FILE [AFTER]",
    .argument_min = 1,
    .argument_max = 2,
    .summary = "a picture or film, with no window; two files come out before and after",
    .description =
        "Draws a frame of FILE as a picture, or its clip as a film, framed on what is shown. With a second file "
        "both are drawn from the same view, before and after. Needs a graphics driver with EGL (Mesa's "
        "software renderer will do), and ffmpeg for films.",
    .options = render_options,
    .option_count = sizeof render_options / sizeof render_options[0],
    .rare = "points|radius|level|fps|verbose",
    .takes_inputs = true,
    .examples = render_examples,
    .run = run_render,
};
