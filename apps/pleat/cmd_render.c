/* pleat render: pictures and films of a character, before and after, with no window. */
#include "actor.h"
#include "commands.h"
#include "input.h"
#include "session.h"

#include "pleat/film.h"
#include "pleat/garment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SWEEP_STILL = 24, /* frames looked at to find the ground for a picture, */
    SWEEP_FILM = 240  /* and to frame the camera for a film */
};

static const float STANDING = 0.05f; /* of the height: nearer to the ground than this, a picture has it touch */

/* How two files share the picture. */
typedef enum compare_kind
{
    COMPARE_SIDE, /* next to each other */
    COMPARE_SPLIT /* one view, cut in the middle */
} compare_kind;

typedef struct app_stage
{
    app_session *session;
    pleat_asset *assets[2];
    app_actor actors[2];
    uint32_t actor_count;
    pleat_renderer *renderer;
    pleat_picture picture;
    pleat_picture spare; /* for COMPARE_SPLIT */
    compare_kind compare;
    pleat_view view;
    uint32_t focus_node; /* of the first actor, or PLEAT_NONE */
    float focus_radius;
    pleat_camera camera; /* where there is no focus */
    pleat_scene scene;   /* all but its drawables */
    uint32_t first, last, still;
    uint32_t columns, rows; /* of a contact sheet; 0 without */
} app_stage;

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

static uint32_t read_overlays(const app_session *session)
{
    static const struct
    {
        const char *name;
        uint32_t bit;
    } overlays[] = {{"strain", OVERLAY_STRAIN},
                    {"tensor", OVERLAY_TENSOR},
                    {"curves", OVERLAY_CURVES},
                    {"wire", OVERLAY_WIRE},
                    {"vertices", OVERLAY_VERTICES}};
    uint32_t bits = 0;
    const char *name;
    for (uint32_t i = 0; (name = arguments_each(session->arguments, "overlay", i)); ++i)
    {
        for (size_t k = 0; k < sizeof overlays / sizeof overlays[0]; ++k)
        {
            bits |= strcmp(name, overlays[k].name) == 0 ? overlays[k].bit : 0;
        }
    }
    return bits;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), ending_length = strlen(ending);
    return length > ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static int read_shape(app_stage *stage)
{
    const app_arguments *arguments = stage->session->arguments;
    const char *output = arguments_text(arguments, "output");
    const char *size = arguments_text(arguments, "size");
    const char *sheet = arguments_text(arguments, "sheet");
    bool film = output && pleat_film_is(output);
    uint32_t width, height;
    if (!output || (!film && !ends_in(output, ".png")))
    {
        return fail_usage(stage->session, "%s%s", output ? output : "",
                          output ? ": a picture's name ends in .png, a film's in .mp4, .webm or .gif"
                                 : "where to? Give -o frame.png, or a film: -o film.mp4, .webm or .gif");
    }
    if (!read_pair(size, 8192, &width, &height))
    {
        return fail_usage(stage->session, "--size is '%s'; it must be like 1280x720, each side 1 to 8192", size);
    }
    if (sheet && !read_pair(sheet, 64, &stage->columns, &stage->rows))
    {
        return fail_usage(stage->session, "--sheet is '%s'; it must be like 4x3, each number 1 to 64", sheet);
    }
    if (film && (sheet || arguments_given(arguments, "frame")))
    {
        return fail_usage(stage->session, "%s: --%s makes a picture, whose name ends in .png", output,
                          sheet ? "sheet" : "frame");
    }
    if (film && !ends_in(output, ".gif") && (width % 2 || height % 2))
    {
        return fail_usage(stage->session, "--size is %ux%u; both sides of a film must be even", width, height);
    }
    stage->picture = (pleat_picture){width, height, 4 * (size_t)width, malloc(4 * (size_t)width * height)};
    if (!stage->picture.pixels)
    {
        return fail_input(stage->session, "a picture of %ux%u needs more memory than there is", width, height);
    }
    return EXIT_DONE;
}

static void read_view(app_stage *stage)
{
    const app_arguments *arguments = stage->session->arguments;
    stage->view = pleat_view_default();
    stage->view.orbit = (float)arguments_number(arguments, "orbit");
    stage->view.elevation = (float)arguments_number(arguments, "elevation");
    stage->compare = strcmp(arguments_text(arguments, "compare"), "split") == 0 ? COMPARE_SPLIT : COMPARE_SIDE;
}

/* ---- Opening ---- */

static int open_actor(app_stage *stage, uint32_t index)
{
    app_session *session = stage->session;
    double fps = arguments_number(session->arguments, "fps");
    pleat_error error = {0};
    stage->assets[index] = load_input(session, index, fps);
    if (!stage->assets[index])
    {
        return EXIT_BAD_INPUT;
    }
    const pleat_model *model = pleat_asset_model(stage->assets[index]);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    int status = choose_clip(session, model, &desc.clip);
    if (status != EXIT_DONE)
    {
        return status;
    }
    desc.fps = (float)fps;
    desc.skinning = strcmp(arguments_text(session->arguments, "skin"), "dqs") == 0 ? PLEAT_DQS : PLEAT_LBS;
    pleat_bake *bake;
    if (pleat_bake_create(&desc, &session->host, &bake, &error) != PLEAT_OK ||
        actor_create(&stage->actors[index], model, bake, read_overlays(session), &session->host, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    ++stage->actor_count;
    return EXIT_DONE;
}

static int choose_frames(app_stage *stage)
{
    const app_arguments *arguments = stage->session->arguments;
    uint32_t count = stage->actors[0].shape->frame_count;
    for (uint32_t i = 1; i < stage->actor_count; ++i)
    {
        count = stage->actors[i].shape->frame_count > count ? stage->actors[i].shape->frame_count : count;
    }
    stage->first = 0;
    stage->last = count - 1;
    arguments_range(arguments, "frames", &stage->first, &stage->last);
    bool given = arguments_given(arguments, "frame");
    stage->still = given ? arguments_whole(arguments, "frame") : stage->first + (stage->last - stage->first) / 2;
    uint32_t most = stage->still > stage->last ? stage->still : stage->last;
    if (most >= count)
    {
        return fail_input(stage->session, "%s: there is no frame %u; the clip's frames are 0 to %u",
                          arguments->files[0], most, count - 1);
    }
    return EXIT_DONE;
}

static int choose_focus(app_stage *stage)
{
    const char *pattern = arguments_text(stage->session->arguments, "focus");
    stage->focus_node = PLEAT_NONE;
    if (!pattern)
    {
        return EXIT_DONE;
    }
    const app_actor *first = &stage->actors[0];
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
        return fail_input(stage->session, "%s: no joint is named '%s'; there are %s",
                          stage->session->arguments->files[0], pattern, names);
    }
    bool given = arguments_given(stage->session->arguments, "radius");
    stage->focus_radius = given ? (float)arguments_number(stage->session->arguments, "radius") : 0.15f * first->height;
    return EXIT_DONE;
}

/* ---- Looking over the clip ---- */

/* How wide one of the views is. */
static uint32_t view_width(const app_stage *stage, uint32_t whole)
{
    return stage->actor_count == 2 && stage->compare == COMPARE_SIDE ? whole / 2 : whole;
}

/* Adds a frame of all actors to the bounds, and to the framing if it will be shown. */
static pleat_result look_at(app_stage *stage, uint32_t frame, pleat_framing *framing, pleat_error *error)
{
    for (uint32_t i = 0; i < stage->actor_count; ++i)
    {
        app_actor *a = &stage->actors[i];
        uint32_t end = a->shape->frame_count - 1;
        pleat_result result = pleat_bake_frame(a->bake, frame < end ? frame : end, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        pleat_bake_copy(a->bake, a->positions, NULL);
        pleat_bounds_add(&stage->scene.bounds, a->shape->vertex_count, a->positions);
        if (framing)
        {
            pleat_framing_add(framing, a->shape->vertex_count, a->positions);
        }
    }
    return PLEAT_OK;
}

/* Finds the ground, the bounds and the camera. The camera has in view what is shown: a picture's one frame, or all of
 * a sheet or a film (and of a picture for which --frames was given). */
static pleat_result look_over(app_stage *stage, bool still, pleat_error *error)
{
    uint32_t columns = stage->columns ? stage->columns : 1, rows = stage->rows ? stage->rows : 1;
    pleat_framing framing = pleat_framing_begin(&stage->view, view_width(stage, stage->picture.width / columns),
                                                stage->picture.height / rows);
    uint32_t count = stage->last - stage->first + 1;
    uint32_t most = still ? SWEEP_STILL : SWEEP_FILM;
    uint32_t looks = count < most ? count : most;
    stage->scene = pleat_scene_default();
    for (uint32_t i = 0; i < looks; ++i)
    {
        uint32_t frame = stage->first + (looks > 1 ? (uint32_t)((uint64_t)i * (count - 1) / (looks - 1)) : 0);
        pleat_result result = look_at(stage, frame, still ? NULL : &framing, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
    }
    float *ground = &stage->scene.studio.ground_height;
    *ground = stage->scene.bounds.low.y;
    if (still)
    {
        pleat_bounds all = stage->scene.bounds;
        stage->scene.bounds = pleat_bounds_empty();
        pleat_result result = look_at(stage, stage->still, &framing, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        /* Captured feet float a little; a jump does not count. */
        float low = stage->scene.bounds.low.y;
        *ground = low - all.low.y < STANDING * stage->actors[0].height ? low : fminf(low, all.low.y);
    }
    stage->camera = pleat_framing_camera(&framing);
    return PLEAT_OK;
}

/* ---- Drawing ---- */

static pleat_camera camera_now(const app_stage *stage, const pleat_picture *picture)
{
    if (stage->focus_node == PLEAT_NONE)
    {
        return stage->camera;
    }
    return pleat_camera_focus(actor_node_place(&stage->actors[0], stage->focus_node), stage->focus_radius, &stage->view,
                              picture->width, picture->height);
}

static pleat_result draw_actor(app_stage *stage, uint32_t index, const pleat_picture *picture, pleat_error *error)
{
    pleat_camera camera = camera_now(stage, picture);
    actor_show(&stage->actors[index], &stage->scene);
    return pleat_renderer_draw(stage->renderer, &stage->scene, &camera, picture, error);
}

static void copy_picture(const pleat_picture *to, const pleat_picture *from)
{
    for (uint32_t y = 0; y < to->height; ++y)
    {
        memcpy(to->pixels + y * to->stride, from->pixels + y * from->stride, 4 * (size_t)to->width);
    }
}

/* The right half from the second actor: beside the first, or in the place of its own. */
static pleat_result draw_compared(app_stage *stage, const pleat_picture *picture, pleat_error *error)
{
    uint32_t half = picture->width / 2;
    pleat_picture left = pleat_picture_part(picture, 0, 0, half, picture->height);
    pleat_picture right = pleat_picture_part(picture, half, 0, picture->width - half, picture->height);
    bool split = stage->compare == COMPARE_SPLIT;
    pleat_result result = draw_actor(stage, 0, split ? picture : &left, error);
    if (result != PLEAT_OK)
    {
        return result;
    }
    pleat_picture whole = pleat_picture_part(&stage->spare, 0, 0, picture->width, picture->height);
    result = draw_actor(stage, 1, split ? &whole : &right, error);
    if (result != PLEAT_OK)
    {
        return result;
    }
    if (split)
    {
        pleat_picture from = pleat_picture_part(&whole, half, 0, right.width, right.height);
        copy_picture(&right, &from);
    }
    pleat_picture_line(picture, (float)half, -2, (float)half, (float)picture->height + 2, 2,
                       (pleat_rgba){245, 246, 248, 255});
    pleat_picture_label(&left, "before");
    pleat_picture_label(&right, "after");
    return PLEAT_OK;
}

static pleat_result draw_frame(app_stage *stage, uint32_t frame, const pleat_picture *picture, pleat_error *error)
{
    for (uint32_t i = 0; i < stage->actor_count; ++i)
    {
        pleat_result result = actor_frame(&stage->actors[i], frame, &stage->session->host.tasks, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
    }
    return stage->actor_count == 2 ? draw_compared(stage, picture, error) : draw_actor(stage, 0, picture, error);
}

static void draw_legend(const app_stage *stage, const pleat_picture *picture)
{
    if (read_overlays(stage->session) & (OVERLAY_STRAIN | OVERLAY_TENSOR))
    {
        pleat_picture_legend(picture, &stage->scene.stretch_scale, "stretch");
    }
}

/* ---- Writing ---- */

static pleat_result write_png(const app_stage *stage, pleat_error *error)
{
    /* The alpha of a picture is 1 everywhere: three channels in place. */
    const pleat_picture *picture = &stage->picture;
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; ++i)
    {
        memmove(picture->pixels + 3 * i, picture->pixels + 4 * i, 3);
    }
    return pleat_png_write(arguments_text(stage->session->arguments, "output"), picture->width, picture->height, 3, 8,
                           picture->pixels, error);
}

static pleat_result make_still(app_stage *stage, pleat_error *error)
{
    pleat_result result = draw_frame(stage, stage->still, &stage->picture, error);
    if (result == PLEAT_OK)
    {
        draw_legend(stage, &stage->picture);
        result = write_png(stage, error);
    }
    return result;
}

static pleat_result make_sheet(app_stage *stage, pleat_error *error)
{
    uint32_t cells = stage->columns * stage->rows;
    uint32_t width = stage->picture.width / stage->columns, height = stage->picture.height / stage->rows;
    pleat_picture_fill(&stage->picture, stage->scene.studio.background_bottom);
    app_progress progress = progress_begin(stage->session, "drawing");
    for (uint32_t i = 0; i < cells; ++i)
    {
        pleat_picture cell =
            pleat_picture_part(&stage->picture, i % stage->columns * width, i / stage->columns * height, width, height);
        uint32_t span = stage->last - stage->first;
        uint32_t frame = stage->first + (cells > 1 ? (uint32_t)((uint64_t)i * span / (cells - 1)) : span / 2);
        pleat_result result = draw_frame(stage, frame, &cell, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        char label[32];
        snprintf(label, sizeof label, "%u", frame);
        pleat_picture corner =
            stage->actor_count == 2 ? pleat_picture_part(&cell, 0, height - height / 8, width, height / 8) : cell;
        pleat_picture_label(&corner, label);
        progress_update(&progress, i + 1, cells);
    }
    progress_end(&progress);
    pleat_picture last =
        pleat_picture_part(&stage->picture, (stage->columns - 1) * width, (stage->rows - 1) * height, width, height);
    draw_legend(stage, &last);
    return write_png(stage, error);
}

static pleat_result film_frames(app_stage *stage, pleat_film *film, pleat_error *error)
{
    uint32_t count = stage->last - stage->first + 1;
    app_progress progress = progress_begin(stage->session, "drawing");
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_result result = draw_frame(stage, stage->first + i, &stage->picture, error);
        if (result == PLEAT_OK)
        {
            draw_legend(stage, &stage->picture);
            result = pleat_film_frame(film, stage->picture.pixels, stage->picture.stride, error);
        }
        if (result != PLEAT_OK)
        {
            return result;
        }
        progress_update(&progress, i + 1, count);
    }
    progress_end(&progress);
    return pleat_film_commit(film, NULL, error);
}

static pleat_result make_film(app_stage *stage, pleat_error *error)
{
    const app_arguments *arguments = stage->session->arguments;
    pleat_film_desc desc = pleat_film_desc_default();
    desc.width = stage->picture.width;
    desc.height = stage->picture.height;
    desc.fps = (float)arguments_number(arguments, "fps");
    pleat_film *film;
    pleat_result result =
        pleat_film_create(arguments_text(arguments, "output"), &desc, &stage->session->host, &film, error);
    if (result == PLEAT_OK)
    {
        result = film_frames(stage, film, error);
        pleat_film_destroy(film);
    }
    return result;
}

/* ---- The command ---- */

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

static int report(const app_stage *stage, uint32_t frames, double seconds)
{
    const char *output = arguments_text(stage->session->arguments, "output");
    if (stage->session->json)
    {
        return print_json(stage->session,
                          json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:f, s:o}", "output", shown(output), "width",
                                    (int)stage->picture.width, "height", (int)stage->picture.height, "frames",
                                    (int)frames, "first_frame", (int)(frames == 1 ? stage->still : stage->first),
                                    "triangles", (int)triangle_count(stage), "driver",
                                    pleat_renderer_driver(stage->renderer), "seconds", seconds, "warnings",
                                    warnings_json(stage->session)));
    }
    if (!stage->session->quiet)
    {
        printf("%s: %u x %u, %u frame%s, %u triangles, %.2f s\n", shown(output), stage->picture.width,
               stage->picture.height, frames, frames == 1 ? "" : "s", triangle_count(stage), seconds);
    }
    return EXIT_DONE;
}

static int open_stage(app_stage *stage)
{
    int status = read_shape(stage);
    read_view(stage);
    for (uint32_t i = 0; i < stage->session->arguments->file_count && status == EXIT_DONE; ++i)
    {
        status = open_actor(stage, i);
    }
    status = status == EXIT_DONE ? choose_frames(stage) : status;
    status = status == EXIT_DONE ? choose_focus(stage) : status;
    if (status == EXIT_DONE && stage->actor_count == 2 && stage->compare == COMPARE_SPLIT)
    {
        stage->spare = stage->picture;
        stage->spare.pixels = malloc(stage->picture.stride * stage->picture.height);
        status =
            stage->spare.pixels ? EXIT_DONE : fail_input(stage->session, "there is no memory for a second picture");
    }
    pleat_error error = {0};
    pleat_renderer_options options = pleat_renderer_options_default();
    if (status == EXIT_DONE &&
        pleat_renderer_create(&options, &stage->session->host, &stage->renderer, &error) != PLEAT_OK)
    {
        status = fail_error(stage->session, &error);
    }
    return status;
}

static void close_stage(app_stage *stage)
{
    pleat_renderer_destroy(stage->renderer);
    for (int i = 0; i < 2; ++i)
    {
        actor_destroy(&stage->actors[i]);
        pleat_asset_destroy(stage->assets[i]);
    }
    free(stage->picture.pixels);
    free(stage->spare.pixels);
}

static int run_render(app_session *session)
{
    app_stage stage = {.session = session};
    double start = seconds_now();
    int status = open_stage(&stage);
    if (status == EXIT_DONE)
    {
        const app_arguments *arguments = session->arguments;
        bool film = pleat_film_is(arguments_text(arguments, "output"));
        bool sheet = stage.columns > 0;
        bool still = !film && !sheet && !arguments_given(arguments, "frames");
        uint32_t frames = film ? stage.last - stage.first + 1 : sheet ? stage.columns * stage.rows : 1;
        pleat_error error = {0};
        pleat_result result = look_over(&stage, still, &error);
        if (result == PLEAT_OK)
        {
            result = film ? make_film(&stage, &error) : sheet ? make_sheet(&stage, &error) : make_still(&stage, &error);
        }
        status = result == PLEAT_OK ? report(&stage, frames, seconds_now() - start) : fail_error(session, &error);
    }
    close_stage(&stage);
    return status;
}

static const app_option render_options[] = {
    {"output", 'o', OPTION_PATH, false, "FILE", NULL, 0, 0, "a picture: .png; or a film: .mp4, .webm, .gif"},
    {"frame", 0, OPTION_WHOLE, false, "N", NULL, 0, 1e9, "the frame of a picture; default: the middle one"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 1e9, "the frames of a film or sheet; default: all of the clip"},
    INPUT_CLIP_OPTION,
    INPUT_POINTS_OPTION,
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.1, 240, "frames a second, of the clip and of the film"},
    {"skin", 0, OPTION_CHOICE, false, "lbs|dqs", "lbs", 0, 0, "how joints move the skin"},
    {"size", 0, OPTION_TEXT, false, "WxH", "1280x720", 0, 0, "pixels of the whole picture"},
    {"orbit", 0, OPTION_NUMBER, false, "DEG", "25", -3600, 3600, "look from this far around, 0 is the front"},
    {"elevation", 0, OPTION_NUMBER, false, "DEG", "8", -85, 85, "and from this far above"},
    {"focus", 0, OPTION_TEXT, false, "JOINT", NULL, 0, 0, "come near a joint (* and ? allowed) and stay with it"},
    {"radius", 0, OPTION_LENGTH, false, "LENGTH", NULL, 1e-4, 1e4,
     "what --focus shows around the joint; default: 0.15 of the height"},
    {"overlay", 0, OPTION_CHOICE, true, "strain|tensor|curves|wire|vertices", NULL, 0, 0,
     "stretch as colours or as ellipses (drawn 3 times as strong), lines where folds would run, edges, vertices"},
    {"sheet", 0, OPTION_TEXT, false, "COLSxROWS", NULL, 0, 0, "a grid of frames in one picture"},
    {"compare", 0, OPTION_CHOICE, false, "side|split", "side", 0, 0,
     "with two files: next to each other, or in one view"},
};

static const char *const render_examples[] = {
    "pleat render hero.glb -o frame.png --frame 40 --focus 'elbow*'",
    "the elbow in frame 40",
    "pleat render hero.glb folded.glb -o film.mp4",
    "a film of both, side by side",
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
    .examples = render_examples,
    .run = run_render,
};
