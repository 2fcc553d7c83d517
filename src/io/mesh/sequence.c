/* Mesh sequences: numbered OBJ or PLY files as one mesh with a clip of points. The first frame gives the mesh; of the
 * others only the positions are read, when they are asked for. */
#include "io/file/file.h"
#include "io/mesh/obj.h"
#include "io/mesh/ply.h"
#include "io/mesh/points.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A numbered file: NAME is prefix + digits + suffix. */
typedef struct entry
{
    const char *name;
    size_t prefix_length, digit_count;
    uint64_t number;
} entry;

typedef struct sequence
{
    pleat_asset *asset;
    const char *folder;
    pleat_format format;
    uint32_t count, room;
    entry *entries;
    uint32_t point_count;
} sequence;

/* The place of %d or %0Nd in a path's last part; its length goes to *length. */
static const char *find_pattern(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    for (const char *at = strchr(slash ? slash : path, '%'); at; at = strchr(at + 1, '%'))
    {
        const char *end = at + 1;
        while (*end >= '0' && *end <= '9')
        {
            ++end;
        }
        if (*end == 'd')
        {
            *length = (size_t)(end + 1 - at);
            return at;
        }
    }
    return NULL;
}

bool pl_sequence_is(const char *path)
{
    size_t length;
    struct stat status;
    bool exists = stat(path, &status) == 0;
    return exists ? S_ISDIR(status.st_mode) : find_pattern(path, &length) != NULL;
}

/* Finds the last run of digits in front of the ending. */
static bool parse_entry(const char *name, entry *out)
{
    const char *dot = strrchr(name, '.');
    size_t end = dot ? (size_t)(dot - name) : strlen(name);
    while (end > 0 && (name[end - 1] < '0' || name[end - 1] > '9'))
    {
        --end;
    }
    size_t begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
    {
        --begin;
    }
    if (begin == end || end - begin > 18)
    {
        return false;
    }
    *out = (entry){.name = name, .prefix_length = begin, .digit_count = end - begin};
    for (size_t i = begin; i < end; ++i)
    {
        out->number = out->number * 10 + (uint64_t)(name[i] - '0');
    }
    return true;
}

static pleat_result add_entry(sequence *s, const char *name, pleat_error *error)
{
    pl_memory *memory = &s->asset->memory;
    entry made;
    if (!parse_entry(name, &made))
    {
        return PLEAT_OK;
    }
    if (s->count == s->room)
    {
        uint32_t room = s->room ? 2 * s->room : 64;
        entry *grown = pl_realloc(memory, s->entries, room, sizeof *grown);
        if (!grown)
        {
            return pl_fail_memory(memory, error, "the files of a sequence");
        }
        s->entries = grown;
        s->room = room;
    }
    made.name = pl_arena_string(&s->asset->arena, name, strlen(name));
    if (!made.name)
    {
        return pl_fail_memory(memory, error, "the files of a sequence");
    }
    s->entries[s->count++] = made;
    return PLEAT_OK;
}

/* The files of the folder that are meshes and, with a pattern, fit it. */
static pleat_result list_folder(sequence *s, const char *pattern, pleat_error *error)
{
    DIR *directory = opendir(s->folder);
    if (!directory)
    {
        return pl_fail_file(error, s->folder, "open the folder");
    }
    size_t pattern_length = 0;
    const char *percent = pattern ? find_pattern(pattern, &pattern_length) : NULL;
    pleat_result result = PLEAT_OK;
    for (struct dirent *file; result == PLEAT_OK && (file = readdir(directory));)
    {
        const char *name = file->d_name;
        pleat_format format = pleat_format_of(name);
        if (percent)
        {
            size_t before = (size_t)(percent - pattern);
            const char *after = percent + pattern_length;
            size_t length = strlen(name);
            if (length <= before + strlen(after) || strncmp(name, pattern, before) != 0 ||
                strcmp(name + length - strlen(after), after) != 0 ||
                strspn(name + before, "0123456789") != length - before - strlen(after))
            {
                continue;
            }
        }
        if (name[0] != '.' && (format == PLEAT_FORMAT_OBJ || format == PLEAT_FORMAT_PLY))
        {
            result = add_entry(s, name, error);
        }
    }
    closedir(directory);
    return result;
}

static int compare_series(const entry *a, const entry *b)
{
    size_t shorter = a->prefix_length < b->prefix_length ? a->prefix_length : b->prefix_length;
    int order = memcmp(a->name, b->name, shorter);
    if (order != 0)
    {
        return order;
    }
    if (a->prefix_length != b->prefix_length)
    {
        return a->prefix_length < b->prefix_length ? -1 : 1;
    }
    return strcmp(a->name + a->prefix_length + a->digit_count, b->name + b->prefix_length + b->digit_count);
}

static int compare_entries(const entry *a, const entry *b)
{
    int order = compare_series(a, b);
    if (order != 0)
    {
        return order;
    }
    return a->number != b->number ? (a->number < b->number ? -1 : 1) : strcmp(a->name, b->name);
}

/* Shell sort: short, no memory, and quick for the thousands of files a folder has. */
static void sort_entries(entry *entries, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (uint32_t)((uint64_t)gap * 5 / 11))
    {
        for (uint32_t i = gap; i < count; ++i)
        {
            entry held = entries[i];
            uint32_t j = i;
            for (; j >= gap && compare_entries(&held, &entries[j - gap]) < 0; j -= gap)
            {
                entries[j] = entries[j - gap];
            }
            entries[j] = held;
        }
    }
}

/* A folder may hold other meshes too (a rest shape, another series): the longest series counts. */
static pleat_result keep_longest(sequence *s, const char *path, pleat_error *error)
{
    uint32_t best = 0;
    uint32_t best_count = 0;
    for (uint32_t i = 0; i < s->count;)
    {
        uint32_t end = i + 1;
        while (end < s->count && compare_series(&s->entries[i], &s->entries[end]) == 0)
        {
            ++end;
        }
        if (end - i > best_count)
        {
            best = i;
            best_count = end - i;
        }
        i = end;
    }
    if (best_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.300s: no numbered .obj or .ply file; names such as frame_0001.obj were expected", path);
    }
    if (best_count < s->count)
    {
        pl_log(&s->asset->host, PLEAT_WARNING, "%s: %u files from %s on are the sequence; %u others are passed over",
               path, best_count, s->entries[best].name, s->count - best_count);
    }
    memmove(s->entries, s->entries + best, best_count * sizeof *s->entries);
    s->count = best_count;
    s->format = pleat_format_of(s->entries[0].name);
    uint64_t step = s->count > 1 ? s->entries[1].number - s->entries[0].number : 0;
    for (uint32_t i = 1; i < s->count; ++i)
    {
        if (s->entries[i].number - s->entries[i - 1].number != step)
        {
            pl_log(&s->asset->host, PLEAT_WARNING,
                   "%s: behind %s comes %s; frames are taken as one after the other all the same", path,
                   s->entries[i - 1].name, s->entries[i].name);
            break;
        }
    }
    return PLEAT_OK;
}

static pleat_result frame_path(const sequence *s, uint32_t frame, char *out, size_t size, pleat_error *error)
{
    size_t folder = strlen(s->folder);
    size_t name = strlen(s->entries[frame].name);
    if (folder + name + 2 > size)
    {
        return pl_fail(error, PLEAT_FILE_ERROR, "%.300s: the path is too long", s->folder);
    }
    memcpy(out, s->folder, folder);
    out[folder] = '/';
    memcpy(out + folder + 1, s->entries[frame].name, name + 1);
    return PLEAT_OK;
}

static pleat_result parse_frame(sequence *s, const char *path, const unsigned char *bytes, size_t size, pleat_vec3 *out,
                                pleat_error *error)
{
    if (s->format == PLEAT_FORMAT_OBJ)
    {
        return pl_obj_read_positions((const char *)bytes, size, path, s->point_count, out, error);
    }
    pl_ply ply;
    PL_TRY(pl_ply_read(bytes, size, path, true, &s->asset->memory, &s->asset->host, &ply, error));
    pleat_result result = PLEAT_OK;
    if (ply.vertex_count == s->point_count)
    {
        memcpy(out, ply.positions, s->point_count * sizeof *out);
    }
    else
    {
        result = pl_fail(error, PLEAT_BAD_DATA, "%.300s: it has %u vertices; there should be %u", path,
                         ply.vertex_count, s->point_count);
    }
    pl_ply_free(&ply);
    return result;
}

static pleat_result read_frame(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    sequence *s = user;
    char path[4096];
    unsigned char *bytes;
    size_t size;
    PL_TRY(frame_path(s, frame, path, sizeof path, error));
    PL_TRY(pl_file_read(path, &s->asset->host, &s->asset->memory, &bytes, &size, error));
    pleat_result result = parse_frame(s, path, bytes, size, out, error);
    pl_free(&s->asset->memory, bytes);
    return result;
}

/* The first frame as the asset's mesh. The loader names the asset in its messages: for this long it is the frame. */
static pleat_result load_first(sequence *s, pleat_error *error)
{
    pleat_asset *asset = s->asset;
    const char *name = asset->name;
    char path[4096];
    unsigned char *bytes;
    size_t size;
    PL_TRY(frame_path(s, 0, path, sizeof path, error));
    PL_TRY(pl_file_read(path, &asset->host, &asset->memory, &bytes, &size, error));
    asset->name = path;
    asset->format = s->format;
    pleat_result result =
        s->format == PLEAT_FORMAT_OBJ ? pl_obj_load(asset, bytes, size, error) : pl_ply_load(asset, bytes, size, error);
    asset->name = name;
    pl_free(&asset->memory, bytes);
    if (result == PLEAT_OK)
    {
        s->point_count =
            asset->source_points ? asset->source_point_count : pleat_mesh_vertex_count(&asset->model.meshes[0]);
    }
    return result;
}

/* frame_ of frame_0001.obj without its last mark, or the folder's name where the files are numbers alone. */
static const char *sequence_title(sequence *s)
{
    size_t length = s->entries[0].prefix_length;
    while (length > 0 && strchr("_-. ", s->entries[0].name[length - 1]))
    {
        --length;
    }
    return length > 0 ? pl_arena_string(&s->asset->arena, s->entries[0].name, length)
                      : pl_points_title(s->asset, s->folder);
}

static pleat_result split_path(sequence *s, const char *path, const char **pattern, pleat_error *error)
{
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    const char *slash = strrchr(path, '/');
    const char *place = folder ? path : slash ? path : ".";
    size_t length = folder ? strlen(path) : slash ? (size_t)(slash - path) : 1;
    *pattern = folder ? NULL : slash ? slash + 1 : path;
    while (folder && length > 1 && path[length - 1] == '/')
    {
        --length;
    }
    s->folder = length > 0 ? pl_arena_string(&s->asset->arena, place, length) : "/";
    return s->folder ? PLEAT_OK : pl_fail_memory(&s->asset->memory, error, path);
}

static void release_entries(void *user)
{
    sequence *s = user;
    pl_free(&s->asset->memory, s->entries);
}

/* The files of a sequence, in order. */
static pleat_result open_sequence(pleat_asset *asset, const char *path, sequence **out, pleat_error *error)
{
    sequence *s = *out = PL_ARENA_NEW(&asset->arena, sequence, 1);
    if (!s)
    {
        return pl_fail_memory(&asset->memory, error, path);
    }
    s->asset = asset;
    PL_TRY(pl_asset_on_close(asset, release_entries, s, error));
    const char *pattern;
    PL_TRY(split_path(s, path, &pattern, error));
    PL_TRY(list_folder(s, pattern, error));
    sort_entries(s->entries, s->count);
    return keep_longest(s, path, error);
}

/* As many points as the first file has: those of the file that the asset came from, or of one of its meshes. */
static pleat_result find_point_count(sequence *s, pleat_error *error)
{
    const pleat_asset *asset = s->asset;
    pleat_result result = pl_fail(error, PLEAT_BAD_DATA, "%.300s: there is no mesh to move", s->folder);
    for (uint32_t i = 0; i < asset->model.mesh_count && result != PLEAT_OK; ++i)
    {
        pleat_error other;
        s->point_count =
            asset->source_points ? asset->source_point_count : pleat_mesh_vertex_count(&asset->model.meshes[i]);
        pleat_vec3 *points = PL_NEW(&s->asset->memory, pleat_vec3, s->point_count);
        if (!points)
        {
            return pl_fail_memory(&s->asset->memory, error, s->folder);
        }
        result = read_frame(s, 0, points, i ? &other : error);
        pl_free(&s->asset->memory, points);
    }
    return result;
}

static pl_points_source source_of(sequence *s, float fps, const char *path)
{
    return (pl_points_source){.read = read_frame,
                              .user = s,
                              .frame_count = s->count,
                              .point_count = s->point_count,
                              .fps = fps,
                              .name = sequence_title(s),
                              .path = path};
}

pleat_result pl_sequence_points(pleat_asset *asset, const char *path, float fps, pleat_error *error)
{
    sequence *s;
    PL_TRY(open_sequence(asset, path, &s, error));
    PL_TRY(find_point_count(s, error));
    pl_points_source source = source_of(s, fps, pl_arena_string(&asset->arena, path, strlen(path)));
    if (!source.name || !source.path)
    {
        return pl_fail_memory(&asset->memory, error, path);
    }
    return pl_points_add_clip(asset, &source, error);
}

pleat_result pl_sequence_load(pleat_asset *asset, const char *path, float fps, pleat_error *error)
{
    sequence *s;
    PL_TRY(open_sequence(asset, path, &s, error));
    PL_TRY(load_first(s, error));
    pl_points_source source = source_of(s, fps, asset->name);
    pleat_mesh mesh = asset->model.meshes[0];
    mesh.name = source.name;
    if (!source.name)
    {
        return pl_fail_memory(&asset->memory, error, path);
    }
    PL_TRY(pl_asset_set_mesh(asset, &mesh, error));
    return pl_points_add_clip(asset, &source, error);
}
