/* What a stage leaves behind: pictures, contact sheets, films. */
#include "stage.h"

#include "pleat/io/film.h"

#include <stdio.h>
#include <string.h>

static void draw_legend(const app_stage *stage, const pleat_picture *picture)
{
    uint32_t overlays = stage->actors[0].overlays;
    if (overlays & (OVERLAY_STRAIN | OVERLAY_TENSOR))
    {
        pleat_picture_legend(picture, &stage->scene.stretch_scale, "stretch");
    }
}

static pleat_result write_png(const app_stage *stage, const char *path, pleat_error *error)
{
    /* The alpha of a picture is 1 everywhere: three channels, packed in place. */
    const pleat_picture *picture = &stage->picture;
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; ++i)
    {
        memmove(picture->pixels + 3 * i, picture->pixels + 4 * i, 3);
    }
    return pleat_png_write(path, picture->width, picture->height, 3, 8, picture->pixels, error);
}

pleat_result stage_write_picture(app_stage *stage, uint32_t frame, const char *path, pleat_error *error)
{
    pleat_result result = stage_draw(stage, frame, &stage->picture, error);
    if (result == PLEAT_OK)
    {
        draw_legend(stage, &stage->picture);
        result = write_png(stage, path, error);
    }
    return result;
}

/* Cell i of the sheet, and the frame in it. */
static pleat_picture cell_of(const app_stage *stage, uint32_t i, uint32_t *frame)
{
    uint32_t cells = stage->columns * stage->rows;
    uint32_t width = stage->picture.width / stage->columns, height = stage->picture.height / stage->rows;
    uint32_t span = stage->last - stage->first;
    *frame = stage->first + (cells > 1 ? (uint32_t)((uint64_t)i * span / (cells - 1)) : span / 2);
    return pleat_picture_part(&stage->picture, i % stage->columns * width, i / stage->columns * height, width, height);
}

pleat_result stage_write_sheet(app_stage *stage, const char *path, pleat_error *error)
{
    uint32_t cells = stage->columns * stage->rows, frame;
    pleat_picture cell = stage->picture;
    pleat_picture_fill(&stage->picture, stage->scene.studio.background_bottom);
    progress_begin(stage->session);
    for (uint32_t i = 0; i < cells; ++i)
    {
        cell = cell_of(stage, i, &frame);
        pleat_result result = stage_draw(stage, frame, &cell, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        /* Below "before" where that stands in the corner. */
        uint32_t down = stage->actor_count == 2 ? cell.height / 10 : 0;
        pleat_picture place = pleat_picture_part(&cell, 0, down, cell.width, cell.height - down);
        char label[32];
        snprintf(label, sizeof label, "%u", frame);
        pleat_picture_label(&place, label);
        progress_update(stage->session, "drawing", i + 1, cells);
    }
    progress_end(stage->session);
    draw_legend(stage, &cell);
    return write_png(stage, path, error);
}

static pleat_result film_frames(app_stage *stage, pleat_film *film, pleat_outputs *outputs, pleat_error *error)
{
    uint32_t count = stage->last - stage->first + 1;
    progress_begin(stage->session);
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_result result = stage_draw(stage, stage->first + i, &stage->picture, error);
        if (result == PLEAT_OK)
        {
            draw_legend(stage, &stage->picture);
            result = pleat_film_frame(film, stage->picture.pixels, stage->picture.stride, error);
        }
        if (result != PLEAT_OK)
        {
            return result;
        }
        progress_update(stage->session, "drawing", i + 1, count);
    }
    progress_end(stage->session);
    return pleat_film_commit(film, outputs, error);
}

pleat_result stage_write_film(app_stage *stage, float fps, const char *path, pleat_outputs *outputs, pleat_error *error)
{
    pleat_film_desc desc = pleat_film_desc_default();
    desc.width = stage->picture.width;
    desc.height = stage->picture.height;
    desc.fps = fps;
    pleat_film *film;
    pleat_result result = pleat_film_create(path, &desc, &stage->session->host, &film, error);
    if (result == PLEAT_OK)
    {
        result = film_frames(stage, film, outputs, error);
        pleat_film_destroy(film);
    }
    return result;
}
