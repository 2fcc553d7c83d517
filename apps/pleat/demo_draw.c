/* Pictures and film of a character of the demo, without and with folds. */
#include "demo.h"
#include "stage.h"
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    SHOT_DETAIL = 4, /* of the folds: pictures are looked at from near, */
    FILM_DETAIL = 3, /* and the time of a film is that of its triangles */
    SHOT_WIDTH = 1280,
    SHOT_HEIGHT = 640,
    QUICK = 8 /* times smaller */
};

/* Each has a stage of its own. */
typedef enum demo_pass
{
    PASS_SHOTS,
    PASS_STRAIN,
    PASS_FILM,
    PASS_COUNT
} demo_pass;

/* A stage with the character before and after, as pleat render makes it. */
typedef struct demo_stage
{
    step line;
    app_stage stage;
    pleat_asset *assets[2];
} demo_stage;

static void close_stage(demo_stage *open)
{
    stage_close(&open->stage);
    pleat_asset_destroy(open->assets[0]);
    pleat_asset_destroy(open->assets[1]);
    step_close(&open->line);
}

static int open_stage(const demo_job *job, const demo_character *character, demo_pass pass, demo_stage *open)
{
    step_line line = {0};
    demo_line(job, character, "render", pass == PASS_FILM ? FILM_DETAIL : SHOT_DETAIL, &line);
    step_words(&line, "--compare", "side", NULL);
    if (pass == PASS_STRAIN)
    {
        step_words(&line, "--overlay", "strain", NULL);
    }
    *open = (demo_stage){0};
    int status = step_open(&open->line, job->session, &line);
    if (status != EXIT_DONE)
    {
        return status;
    }
    open->stage = stage_default(&open->line.session);
    status = stage_add_files(&open->stage, open->assets);
    if (status != EXIT_DONE)
    {
        close_stage(open);
        return status;
    }
    open->stage.last = stage_frame_count(&open->stage) - 1;
    return EXIT_DONE;
}

static pleat_result draw_shot(const demo_job *job, const demo_character *character, const demo_shot *shot,
                              app_stage *stage, pleat_error *error)
{
    char path[4096];
    uint32_t frame = (uint32_t)(shot->moment * (float)stage->last + 0.5f);
    snprintf(path, sizeof path, "%s/%s-%s.png", job->folder, character->name, shot->name);
    stage->view.orbit = shot->orbit;
    stage->view.elevation = shot->elevation;
    stage->focus_node = shot->focus ? actor_find_node(&stage->actors[0], shot->focus) : PLEAT_NONE;
    stage->focus_radius = shot->radius;
    pleat_result result = stage_look_over(stage, frame, error);
    return result == PLEAT_OK ? stage_write_picture(stage, frame, path, error) : result;
}

static pleat_result draw_shots(const demo_job *job, const demo_character *character, bool strain, app_stage *stage,
                               pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    for (uint32_t i = 0; i < character->shot_count && result == PLEAT_OK; ++i)
    {
        if (character->shots[i].strain == strain)
        {
            result = draw_shot(job, character, &character->shots[i], stage, error);
        }
    }
    return result;
}

/* The clip, or as much of it as tells all; in a hurry, a few frames. */
static pleat_result draw_film(const demo_job *job, const demo_character *character, app_stage *stage,
                              pleat_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.mp4", job->folder, character->name);
    stage->view.orbit = character->film_orbit;
    stage->view.elevation = character->film_elevation;
    uint32_t end = (uint32_t)(character->film_end * (float)stage->last + 0.5f);
    demo_frames(job, end + 1, &stage->first, &stage->last);
    pleat_result result = stage_look_over(stage, PLEAT_NONE, error);
    return result == PLEAT_OK ? stage_write_film(stage, 30, path, NULL, error) : result;
}

/* Sets drawn or filmed; what this machine cannot do is said and left out. */
static int draw_pass(const demo_job *job, demo_pass pass, app_stage *stage, demo_result *result)
{
    const demo_character *character = result->character;
    uint32_t divisor = job->quick ? QUICK : 1;
    uint32_t width = (pass == PASS_FILM ? character->film_width : SHOT_WIDTH) / divisor / 2 * 2;
    uint32_t height = (pass == PASS_FILM ? character->film_width * 9 / 16 : SHOT_HEIGHT) / divisor / 2 * 2;
    pleat_error error = {0};
    pleat_result drawn = stage_open(stage, width, height, &error);
    if (drawn == PLEAT_OK)
    {
        drawn = pass == PASS_FILM ? draw_film(job, character, stage, &error)
                                  : draw_shots(job, character, pass == PASS_STRAIN, stage, &error);
    }
    bool *done = pass == PASS_FILM ? &result->filmed : &result->drawn;
    *done = drawn == PLEAT_OK;
    if (drawn == PLEAT_UNSUPPORTED)
    {
        fprintf(stderr, "pleat demo: no %s: %s\n", pass == PASS_FILM ? "film" : "pictures", error.message);
        return EXIT_DONE;
    }
    return drawn == PLEAT_OK ? EXIT_DONE : fail_error(job->session, &error);
}

int demo_draw(const demo_job *job, demo_result *result)
{
    int status = EXIT_DONE;
    result->drawn = true;
    for (int pass = 0; pass < PASS_COUNT && status == EXIT_DONE && result->drawn; ++pass)
    {
        demo_stage open;
        status = open_stage(job, result->character, (demo_pass)pass, &open);
        if (status == EXIT_DONE)
        {
            status = draw_pass(job, (demo_pass)pass, &open.stage, result);
            close_stage(&open);
        }
    }
    return status;
}
