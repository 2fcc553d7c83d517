/* Points at any time, from frames that may come from a file. */
#include "pleat/rig.h"

#include "base/memory.h"
#include "base/vec.h"

struct pleat_points_reader
{
    pl_memory memory;
    pleat_points points;
    pleat_vec3 *frames[2]; /* the two frames last read */
    uint32_t held[2];      /* their numbers, or PLEAT_NONE */
    pleat_vec3 *mixed;
};

const pleat_shot *pleat_shot_of(const pleat_shot *shots, uint32_t count, uint32_t frame)
{
    uint32_t i = 0;
    while (i + 1 < count && frame >= shots[i + 1].first_frame)
    {
        ++i;
    }
    return &shots[i];
}

pleat_result pleat_points_reader_create(const pleat_points *points, const pleat_host *host, pleat_points_reader **out,
                                        pleat_error *error)
{
    *out = NULL;
    if (!points->read || points->frame_count == 0 || !(points->fps > 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "points need a reader, a frame and a rate above 0; they have %u frames at %g",
                       points->frame_count, (double)points->fps);
    }
    pleat_points_reader *reader = PL_CREATE(pleat_points_reader, host);
    if (!reader)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the points");
    }
    pleat_result result = PLEAT_OK;
    reader->points = *points;
    reader->held[0] = reader->held[1] = PLEAT_NONE;
    PL_NEW_OR_FAIL(reader->frames[0], &reader->memory, pleat_vec3, points->vertex_count, error);
    PL_NEW_OR_FAIL(reader->frames[1], &reader->memory, pleat_vec3, points->vertex_count, error);
    PL_NEW_OR_FAIL(reader->mixed, &reader->memory, pleat_vec3, points->vertex_count, error);
    *out = reader;
    return PLEAT_OK;
fail:
    pleat_points_reader_destroy(reader);
    return result;
}

void pleat_points_reader_destroy(pleat_points_reader *reader)
{
    if (!reader)
    {
        return;
    }
    pl_free(&reader->memory, reader->frames[0]);
    pl_free(&reader->memory, reader->frames[1]);
    pl_free(&reader->memory, reader->mixed);
    PL_DESTROY(reader);
}

/* The frame in memory, read over the slot that does not hold `keep`. */
static const pleat_vec3 *fetch(pleat_points_reader *reader, uint32_t frame, uint32_t keep, pleat_error *error)
{
    for (int slot = 0; slot < 2; ++slot)
    {
        if (reader->held[slot] == frame)
        {
            return reader->frames[slot];
        }
    }
    int slot = reader->held[0] == keep ? 1 : 0;
    reader->held[slot] = PLEAT_NONE;
    if (reader->points.read(reader->points.user, frame, reader->frames[slot], error) != PLEAT_OK)
    {
        return NULL;
    }
    reader->held[slot] = frame;
    return reader->frames[slot];
}

const pleat_vec3 *pleat_points_reader_at(pleat_points_reader *reader, float time, pleat_error *error)
{
    const pleat_points *points = &reader->points;
    double last = (double)(points->frame_count - 1);
    double at = fmin(fmax(((double)time - (double)points->start) * (double)points->fps, 0), last);
    /* Times that are meant to be a frame's own, but went through float seconds, take that frame as it is. */
    double nearest = floor(at + 0.5);
    at = fabs(at - nearest) < 1e-3 ? nearest : at;
    uint32_t first = (uint32_t)floor(at);
    float mix = (float)(at - floor(at));
    const pleat_vec3 *a = fetch(reader, first, first + 1, error);
    if (!a || mix == 0)
    {
        return a;
    }
    const pleat_vec3 *b = fetch(reader, first + 1, first, error);
    if (!b)
    {
        return NULL;
    }
    for (uint32_t v = 0; v < points->vertex_count; ++v)
    {
        pl_store3(&reader->mixed[v], pl_lerp(pl_load3(&a[v]), pl_load3(&b[v]), mix));
    }
    return reader->mixed;
}
