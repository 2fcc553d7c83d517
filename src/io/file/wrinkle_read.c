/* Wrinkle files, read. The format is described in docs/wrinkles.md; a line at a time, # begins a comment. */
#include "pleat/curves.h"

#include "io/file/file.h"
#include "io/file/text.h"
#include "pleat/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct pleat_wrinkle_file
{
    pl_memory memory;
    pl_arena arena; /* names */
    pleat_wrinkle_list list;
    pleat_wrinkle_surface *surfaces;
    size_t surface_room;
};

enum
{
    FRAME_LIMIT = 1000000, /* of a clip: hours at any rate */
    NAME_LIMIT = 200
};

/* What is needed while reading only. The arrays of the surface at hand grow here and belong to its set. */
typedef struct reader
{
    pleat_wrinkle_file *file;
    pl_text text;
    pleat_error *error;
    pleat_wrinkle_surface *surface; /* at hand, or NULL */
    uint32_t *first_wrinkle;
    pleat_wrinkle *wrinkles;
    pleat_wrinkle_point *points;
    size_t wrinkle_count, wrinkle_room, point_count, point_room;
    uint32_t frames_begun; /* frames whose first_wrinkle is known */
    bool has_clip, has_frame;
} reader;

static pleat_result grow(reader *r, void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
    {
        return PLEAT_OK;
    }
    size_t capacity = *room ? 2 * *room : 64;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = needed > UINT32_MAX / 2 ? NULL : pl_realloc(&r->file->memory, old, capacity, size);
    if (!grown)
    {
        return pl_fail_memory(&r->file->memory, r->error, "curves");
    }
    memcpy(array, &grown, sizeof grown);
    *room = capacity;
    return PLEAT_OK;
}
#define GROW(r, array, room, needed) grow((r), &(array), &(room), (needed), sizeof *(array))

/* The next word of the line, which a comment ends. */
static pl_word next_word(reader *r)
{
    pl_word word = pl_text_word(&r->text);
    if (word.length && word.at[0] == '#')
    {
        word.length = 0;
    }
    return word;
}

static pleat_result read_whole(reader *r, const char *what, uint32_t *value)
{
    pl_word word = next_word(r);
    double number;
    if (!pl_word_number(word, &number) || !(number >= 0 && number < 4294967295.0) || number != floor(number))
    {
        return pl_text_fail(&r->text, word, what, "a whole number", r->error);
    }
    *value = (uint32_t)number;
    return PLEAT_OK;
}

static pleat_result expect_word(reader *r, const char *expected)
{
    pl_word word = next_word(r);
    char quoted[40];
    snprintf(quoted, sizeof quoted, "'%s'", expected);
    return pl_word_is(word, expected) ? PLEAT_OK : pl_text_fail(&r->text, word, "this word", quoted, r->error);
}

static pleat_result expect_end(reader *r)
{
    pl_word word = next_word(r);
    return word.length == 0 ? PLEAT_OK : pl_text_fail(&r->text, word, "this word", "the end of the line", r->error);
}

/* Frames without wrinkles need no line: they end where the next one begins. */
static void begin_frames(reader *r, uint32_t end)
{
    while (r->frames_begun < end)
    {
        r->first_wrinkle[r->frames_begun++] = (uint32_t)r->wrinkle_count;
    }
}

/* Completes the surface at hand. */
static pleat_result end_surface(reader *r)
{
    if (!r->surface)
    {
        return PLEAT_OK;
    }
    if (!r->has_clip)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: the surface has no 'clip' line", r->text.name,
                       r->text.line);
    }
    pleat_wrinkle_set *set = &r->surface->set;
    begin_frames(r, set->frame_count);
    r->first_wrinkle[set->frame_count] = (uint32_t)r->wrinkle_count;
    set->first_wrinkle = r->first_wrinkle;
    set->wrinkles = r->wrinkles;
    set->points = r->points;
    r->file->list.surface_count += 1;
    r->first_wrinkle = NULL;
    r->wrinkles = NULL;
    r->points = NULL;
    r->wrinkle_count = r->wrinkle_room = r->point_count = r->point_room = 0;
    r->frames_begun = 0;
    r->has_clip = r->has_frame = false;
    r->surface = NULL;
    pleat_error inner = {0};
    const pleat_wrinkle_surface *done = &r->file->surfaces[r->file->list.surface_count - 1];
    if (pleat_wrinkle_set_check(&done->set, done->triangle_count, &inner) != PLEAT_OK)
    {
        return pl_fail(r->error, inner.result, "%.200s: %.280s", r->text.name, inner.message);
    }
    return PLEAT_OK;
}

/* surface NODE vertices N triangles N name NAME */
static pleat_result read_surface(reader *r)
{
    pleat_wrinkle_file *file = r->file;
    PL_TRY(end_surface(r));
    PL_TRY(GROW(r, file->surfaces, file->surface_room, (size_t)file->list.surface_count + 1));
    file->list.surfaces = file->surfaces;
    pleat_wrinkle_surface surface = {.name = ""};
    PL_TRY(read_whole(r, "the node", &surface.node));
    PL_TRY(expect_word(r, "vertices"));
    PL_TRY(read_whole(r, "the number of vertices", &surface.vertex_count));
    PL_TRY(expect_word(r, "triangles"));
    PL_TRY(read_whole(r, "the number of triangles", &surface.triangle_count));
    for (uint32_t s = 0; s < file->list.surface_count; ++s)
    {
        if (file->surfaces[s].node == surface.node)
        {
            return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: a second surface of node %u", r->text.name,
                           r->text.line, surface.node);
        }
    }
    pl_word word = next_word(r);
    if (word.length)
    {
        if (!pl_word_is(word, "name"))
        {
            return pl_text_fail(&r->text, word, "this word", "'name'", r->error);
        }
        const char *at = pl_text_word(&r->text).at, *end = at;
        while (end < r->text.end && *end != '\n' && *end != '\r' && *end != '#' && *end && end - at < NAME_LIMIT)
        {
            ++end;
        }
        surface.name = pl_arena_string(&file->arena, at, (size_t)(end - at));
        if (!surface.name)
        {
            return pl_fail_memory(&file->memory, r->error, "a name");
        }
    }
    r->surface = &file->surfaces[file->list.surface_count];
    *r->surface = surface;
    return PLEAT_OK;
}

static pleat_result need(reader *r, bool there, const char *statement, const char *before)
{
    return there ? PLEAT_OK
                 : pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: '%s' stands before any '%s'", r->text.name,
                           r->text.line, statement, before);
}

/* clip START step STEP frames N */
static pleat_result read_clip(reader *r)
{
    PL_TRY(need(r, r->surface != NULL, "clip", "surface"));
    if (r->has_clip)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: a second 'clip' for one surface", r->text.name,
                       r->text.line);
    }
    pleat_wrinkle_set *set = &r->surface->set;
    PL_TRY(pl_text_float(&r->text, "the first frame's time", &set->start, r->error));
    PL_TRY(expect_word(r, "step"));
    PL_TRY(pl_text_float(&r->text, "the time between frames", &set->step, r->error));
    PL_TRY(expect_word(r, "frames"));
    PL_TRY(read_whole(r, "the number of frames", &set->frame_count));
    if (set->frame_count > FRAME_LIMIT)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: %u frames; there can be %d", r->text.name, r->text.line,
                       set->frame_count, (int)FRAME_LIMIT);
    }
    r->first_wrinkle = PL_NEW(&r->file->memory, uint32_t, (size_t)set->frame_count + 1);
    if (!r->first_wrinkle)
    {
        return pl_fail_memory(&r->file->memory, r->error, "frames");
    }
    r->has_clip = true;
    return expect_end(r);
}

static pleat_result read_frame(reader *r)
{
    uint32_t frame;
    PL_TRY(need(r, r->has_clip, "frame", "clip"));
    PL_TRY(read_whole(r, "the frame", &frame));
    if (frame >= r->surface->set.frame_count || frame < r->frames_begun)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: frame %u; one of %u-%u was expected", r->text.name,
                       r->text.line, frame, r->frames_begun, r->surface->set.frame_count - 1);
    }
    begin_frames(r, frame + 1);
    r->has_frame = true;
    return expect_end(r);
}

/* wrinkle ID seed POINT */
static pleat_result read_wrinkle(reader *r)
{
    PL_TRY(need(r, r->has_frame, "wrinkle", "frame"));
    PL_TRY(GROW(r, r->wrinkles, r->wrinkle_room, r->wrinkle_count + 1));
    pleat_wrinkle wrinkle = {.first_point = (uint32_t)r->point_count};
    PL_TRY(read_whole(r, "the id", &wrinkle.id));
    PL_TRY(expect_word(r, "seed"));
    PL_TRY(read_whole(r, "the seed", &wrinkle.seed));
    r->wrinkles[r->wrinkle_count++] = wrinkle;
    return expect_end(r);
}

/* triangle, three barycentric coordinates, width, depth, strength */
static pleat_result read_point(reader *r)
{
    static const char *const names[6] = {"a barycentric coordinate",
                                         "a barycentric coordinate",
                                         "a barycentric coordinate",
                                         "the width",
                                         "the depth",
                                         "the strength"};
    float values[6];
    pleat_wrinkle_point point;
    bool begun = r->has_frame && r->wrinkle_count > r->first_wrinkle[r->frames_begun - 1];
    PL_TRY(need(r, begun, "a point", "wrinkle"));
    PL_TRY(GROW(r, r->points, r->point_room, r->point_count + 1));
    PL_TRY(read_whole(r, "the triangle", &point.place.triangle));
    for (uint32_t i = 0; i < 6; ++i)
    {
        PL_TRY(pl_text_float(&r->text, names[i], &values[i], r->error));
    }
    memcpy(point.place.barycentric, values, sizeof point.place.barycentric);
    point.width = values[3];
    point.depth = values[4];
    point.strength = values[5];
    r->points[r->point_count++] = point;
    r->wrinkles[r->wrinkle_count - 1].point_count += 1;
    return expect_end(r);
}

static pleat_result read_line(reader *r)
{
    pl_text begin = r->text;
    pl_word word = next_word(r);
    if (word.length == 0)
    {
        return PLEAT_OK;
    }
    if (pl_word_is(word, "surface"))
    {
        return read_surface(r);
    }
    if (pl_word_is(word, "clip"))
    {
        return read_clip(r);
    }
    if (pl_word_is(word, "frame"))
    {
        return read_frame(r);
    }
    if (pl_word_is(word, "wrinkle"))
    {
        return read_wrinkle(r);
    }
    if (word.at[0] >= '0' && word.at[0] <= '9')
    {
        r->text = begin;
        return read_point(r);
    }
    return pl_text_fail(&r->text, word, "the line's first word", "surface, clip, frame, wrinkle or a point's triangle",
                        r->error);
}

static pleat_result read_all(reader *r)
{
    uint32_t version;
    PL_TRY(expect_word(r, "pleat-wrinkles"));
    PL_TRY(read_whole(r, "the version", &version));
    if (version != 1)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: version %u; this program reads 1", r->text.name,
                       r->text.line, version);
    }
    while (pl_text_next_line(&r->text))
    {
        PL_TRY(read_line(r));
    }
    return end_surface(r);
}

pleat_result pleat_wrinkle_file_parse(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                      pleat_wrinkle_file **out, pleat_error *error)
{
    *out = NULL;
    pleat_wrinkle_file *file = PL_CREATE(pleat_wrinkle_file, host);
    if (!file)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the wrinkles");
    }
    pl_arena_init(&file->arena, &file->memory);
    reader r = {.file = file, .text = pl_text_from(bytes, size, name), .error = error};
    pleat_result result = read_all(&r);
    pl_free(&file->memory, r.first_wrinkle);
    pl_free(&file->memory, r.wrinkles);
    pl_free(&file->memory, r.points);
    if (result != PLEAT_OK)
    {
        pleat_wrinkle_file_destroy(file);
        return result;
    }
    *out = file;
    return PLEAT_OK;
}

pleat_result pleat_wrinkle_file_read(const char *path, const pleat_host *host, pleat_wrinkle_file **file,
                                     pleat_error *error)
{
    void *bytes;
    size_t size;
    *file = NULL;
    PL_TRY(pleat_file_read(path, host, &bytes, &size, error));
    pleat_result result = pleat_wrinkle_file_parse(bytes, size, path, host, file, error);
    pleat_file_free(host, bytes, size);
    return result;
}

const pleat_wrinkle_list *pleat_wrinkle_file_list(const pleat_wrinkle_file *file)
{
    return &file->list;
}

void pleat_wrinkle_file_destroy(pleat_wrinkle_file *file)
{
    if (!file)
    {
        return;
    }
    for (uint32_t s = 0; s < file->list.surface_count; ++s)
    {
        pl_free(&file->memory, file->surfaces[s].set.first_wrinkle);
        pl_free(&file->memory, file->surfaces[s].set.wrinkles);
        pl_free(&file->memory, file->surfaces[s].set.points);
    }
    pl_free(&file->memory, file->surfaces);
    pl_arena_free(&file->arena);
    PL_DESTROY(file);
}
