#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SWEEP_STILL = 12, /* frames looked at to find the ground for a picture, */
    SWEEP_FILM = 240  /* and to frame the camera for a film */
};

static const float GROUND_SHARE = 0.3f; /* of the frames may reach below the ground: feet pass through it at times */
static const float STANDING = 0.05f;    /* of the height: nearer to the ground than this, a picture has it touch */

app_stage stage_default(app_session *session)
{
    return (app_stage){.session = session,
                       .view = pleat_view_default(),
                       .focus_node = PLEAT_NONE,
                       .columns = 1,
                       .rows = 1,
                       .scene = pleat_scene_default()};
}

static pleat_result make_picture(pleat_picture *picture, uint32_t width, uint32_t height, pleat_error *error)
{
    *picture = (pleat_picture){width, height, 4 * (size_t)width, malloc(4 * (size_t)width * height)};
    if (!picture->pixels)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "the picture needs more memory than there is"};
        return PLEAT_NO_MEMORY;
    }
    return PLEAT_OK;
}

pleat_result stage_open(app_stage *stage, uint32_t width, uint32_t height, pleat_error *error)
{
    pleat_renderer_options options = pleat_renderer_options_default();
    pleat_result result = make_picture(&stage->picture, width, height, error);
    if (result == PLEAT_OK && stage->compare == STAGE_SPLIT)
    {
        result = make_picture(&stage->spare, width, height, error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_renderer_create(&options, &stage->session->host, &stage->renderer, error);
    }
    return result;
}

void stage_close(app_stage *stage)
{
    pleat_renderer_destroy(stage->renderer);
    for (uint32_t i = 0; i < stage->actor_count; ++i)
    {
        actor_destroy(&stage->actors[i]);
    }
    pl_inputs_close(&stage->inputs);
    pl_job_look_close(&stage->look);
    pl_job_close(&stage->job);
    free(stage->picture.pixels);
    free(stage->spare.pixels);
    *stage = stage_default(stage->session);
}

pleat_result stage_add(app_stage *stage, const pleat_model *model, pleat_bake *bake, uint32_t overlays,
                       pleat_error *error)
{
    pleat_result result =
        actor_create(&stage->actors[stage->actor_count], model, bake, overlays, &stage->session->host, error);
    stage->actor_count += result == PLEAT_OK;
    return result;
}

uint32_t stage_frame_count(const app_stage *stage)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < stage->actor_count; ++i)
    {
        uint32_t count = stage->actors[i].shape->frame_count;
        most = count > most ? count : most;
    }
    return most;
}

/* ---- Looking over the clip ---- */

/* How wide one of the views is. */
static uint32_t view_width(const app_stage *stage, uint32_t whole)
{
    return stage->actor_count == 2 && stage->compare == STAGE_SIDE ? whole / 2 : whole;
}

/* How far the first actor has gone from the origin, in the frame last computed; 0 where the camera stays. */
static pleat_vec4 way_of(const app_stage *stage)
{
    pleat_vec4 way = {0};
    if (stage->follow)
    {
        way = actor_middle(&stage->actors[0]);
        way.y = 0;
    }
    return way;
}

/* Adds a frame of all actors to the scene's bounds and, where it is shown, to the framing; tells its lowest point. */
static pleat_result look_at(app_stage *stage, uint32_t frame, pleat_framing *framing, float *low, pleat_error *error)
{
    pleat_bounds bounds = pleat_bounds_empty();
    pleat_vec4 way = {0};
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
        pleat_bounds_add(&bounds, a->shape->vertex_count, a->positions);
        if (framing)
        {
            way = i == 0 ? way_of(stage) : way;
            for (uint32_t v = 0; v < a->shape->vertex_count; ++v)
            {
                a->positions[v].x -= way.x;
                a->positions[v].z -= way.z;
            }
            pleat_framing_add(framing, a->shape->vertex_count, a->positions);
        }
    }
    const pleat_vec3 corners[2] = {{bounds.low.x, bounds.low.y, bounds.low.z},
                                   {bounds.high.x, bounds.high.y, bounds.high.z}};
    pleat_bounds_add(&stage->scene.bounds, 2, corners);
    *low = bounds.low.y;
    return PLEAT_OK;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

pleat_result stage_look_over(app_stage *stage, uint32_t still, pleat_error *error)
{
    pleat_framing framing = pleat_framing_begin(&stage->view, view_width(stage, stage->picture.width / stage->columns),
                                                stage->picture.height / stage->rows);
    uint32_t count = stage->last - stage->first + 1;
    uint32_t most = still == PLEAT_NONE ? SWEEP_FILM : SWEEP_STILL;
    uint32_t looks = count < most ? count : most;
    float lows[SWEEP_FILM] = {0};
    stage->scene = pleat_scene_default();
    progress_begin(stage->session);
    for (uint32_t i = 0; i < looks; ++i)
    {
        progress_update(stage->session, "finding the view, frame", i, looks);
        uint32_t frame = stage->first + (looks > 1 ? (uint32_t)((uint64_t)i * (count - 1) / (looks - 1)) : 0);
        pleat_result result = look_at(stage, frame, still == PLEAT_NONE ? &framing : NULL, &lows[i], error);
        if (result != PLEAT_OK)
        {
            return result;
        }
    }
    progress_end(stage->session);
    qsort(lows, looks, sizeof *lows, compare_floats);
    float ground = lows[(uint32_t)(GROUND_SHARE * (float)(looks - 1))];
    if (still != PLEAT_NONE)
    {
        stage->scene.bounds = pleat_bounds_empty();
        float low;
        pleat_result result = look_at(stage, still, &framing, &low, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        /* Captured feet float a little, or dive; a jump keeps its height. */
        bool stands = fabsf(low - ground) < STANDING * stage->actors[0].height;
        ground = stands ? low : ground;
    }
    stage->scene.studio.ground_height = ground;
    stage->scene.bounds.low.y = fminf(stage->scene.bounds.low.y, ground);
    stage->camera = pleat_framing_camera(&framing);
    return PLEAT_OK;
}

/* ---- Drawing ---- */

static pleat_camera camera_now(const app_stage *stage, const pleat_picture *picture)
{
    if (stage->focus_node == PLEAT_NONE)
    {
        pleat_vec4 way = way_of(stage);
        pleat_camera camera = stage->camera;
        camera.eye.x += way.x, camera.target.x += way.x;
        camera.eye.z += way.z, camera.target.z += way.z;
        return camera;
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
    bool split = stage->compare == STAGE_SPLIT;
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

pleat_result stage_draw(app_stage *stage, uint32_t frame, const pleat_picture *picture, pleat_error *error)
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
