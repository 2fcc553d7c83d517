/* pleat/film.h: films from pictures, through the ffmpeg program. Part of libpleat_io. */
#ifndef PLEAT_FILM_H
#define PLEAT_FILM_H

#include "pleat/io.h"

PLEAT_BEGIN

typedef struct pleat_film_desc
{
    uint32_t width, height; /* pixels, 1..8192; even for .mp4 and .webm; no default */
    float fps;              /* above 0..240; default 30 */
    uint32_t loss;          /* 0 (best) .. 51: the constant rate factor of .mp4, of .webm with 12 on top; default 18 */
} pleat_film_desc;

pleat_film_desc pleat_film_desc_default(void);

typedef struct pleat_film pleat_film;

/* By the ending: .mp4 (H.264), .webm (VP9) or .gif (its own palette). Starts ffmpeg, which writes beside the path;
 * nothing appears under it before commit. The same pictures give the same file. */
pleat_result pleat_film_create(const char *path, const pleat_film_desc *desc, const pleat_host *host, pleat_film **film,
                               pleat_error *error);
/* The next picture: RGBA8, rows from the top, stride bytes apart. A failure holds what ffmpeg said. */
pleat_result pleat_film_frame(pleat_film *film, const void *pixels, size_t stride, pleat_error *error);
/* Needs at least one frame. Waits for ffmpeg. Afterwards only destroy is legal. group may be NULL. */
pleat_result pleat_film_commit(pleat_film *film, pleat_outputs *group, pleat_error *error);
/* Without commit: stops ffmpeg and removes what was begun. NULL is fine. */
void pleat_film_destroy(pleat_film *film);

/* True if a path ends in one of the three. */
bool pleat_film_is(const char *path);

PLEAT_END

#endif
