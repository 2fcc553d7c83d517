/* Pictures and film of a character of the demo, without and with folds. */
#include "demo.h"
#include "stage.h"
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    SHOT_WIDTH = 1280,
    SHOT_HEIGHT = 640,
    QUICK = 8 /* times smaller */
};

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

static int open_stage(const demo_job *job, const demo_character *character, bool strain, demo_stage *open)
{
    step_line line = {0};
    demo_line(job, character, "render", &line);
    step_words(&line, "--compare", "side", NULL);
    if (strain)
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

/* The clip, or as much of it as tells all; in a hurry, a few frames. */
static pleat_result draw_film(const demo_job *job, const demo_character *character, app_stage *stage,
                              pleat_error *error)
{
    char path[4096];
    uint32_t divisor = job->quick ? QUICK : 1;
    snprintf(path, sizeof path, "%s/%s.mp4", job->folder, character->name);
    stage->view.orbit = character->film_orbit;
    stage->view.elevation = character->film_elevation;
    stage->focus_node = PLEAT_NONE;
    uint32_t end = (uint32_t)(character->film_end * (float)stage->last + 0.5f);
    demo_frames(job, end + 1, &stage->first, &stage->last);
    pleat_result result = stage_resize(stage, character->film_width / divisor / 2 * 2,
                                       character->film_width * 9 / 16 / divisor / 2 * 2, error);
    result = result == PLEAT_OK ? stage_look_over(stage, PLEAT_NONE, error) : result;
    return result == PLEAT_OK ? stage_write_film(stage, 30, path, NULL, error) : result;
}

static int draw_all(const demo_job *job, bool strain, app_stage *stage, demo_result *result)
{
    const demo_character *character = result->character;
    uint32_t divisor = job->quick ? QUICK : 1;
    pleat_error error = {0};
    pleat_result drawn = stage_open(stage, SHOT_WIDTH / divisor, SHOT_HEIGHT / divisor, &error);
    if (drawn == PLEAT_UNSUPPORTED)
    {
        fprintf(stderr, "pleat demo: no pictures: %s\n", error.message);
        return EXIT_DONE;
    }
    for (uint32_t i = 0; i < character->shot_count && drawn == PLEAT_OK; ++i)
    {
        if (character->shots[i].strain == strain)
        {
            drawn = draw_shot(job, character, &character->shots[i], stage, &error);
        }
    }
    result->drawn = drawn == PLEAT_OK;
    if (drawn == PLEAT_OK && !strain)
    {
        drawn = draw_film(job, character, stage, &error);
        result->filmed = drawn == PLEAT_OK;
        if (drawn == PLEAT_UNSUPPORTED)
        {
            fprintf(stderr, "pleat demo: no film: %s\n", error.message);
            drawn = PLEAT_OK;
        }
    }
    return drawn == PLEAT_OK ? EXIT_DONE : fail_error(job->session, &error);
}

int demo_draw(const demo_job *job, demo_result *result)
{
    for (int strain = 0; strain < 2; ++strain)
    {
        demo_stage open;
        int status = open_stage(job, result->character, strain != 0, &open);
        if (status != EXIT_DONE)
        {
            return status;
        }
        status = draw_all(job, strain != 0, &open.stage, result);
        close_stage(&open);
        if (status != EXIT_DONE || !result->drawn)
        {
            return status;
        }
    }
    return EXIT_DONE;
}
