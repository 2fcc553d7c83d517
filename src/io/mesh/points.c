/* Point caches and mesh sequences as clips. */
#include "io/mesh/points.h"

#include <math.h>
#include <string.h>

enum
{
    KEPT_FRAMES = 2
};

/* The user of pleat_points. */
typedef struct frames
{
    pl_points_source source;
    uint32_t vertex_count;
    const uint32_t *map; /* file's point of each render vertex, or NULL: the same */
    pleat_vec3 *kept[KEPT_FRAMES];
    uint32_t kept_frame[KEPT_FRAMES]; /* PLEAT_NONE: nothing yet */
    uint32_t oldest;
} frames;

static pleat_result read_frame(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    frames *f = user;
    uint32_t slot = 0;
    while (slot < KEPT_FRAMES && f->kept_frame[slot] != frame)
    {
        ++slot;
    }
    if (slot == KEPT_FRAMES)
    {
        if (frame >= f->source.frame_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: frame %u; it has %u", f->source.path, frame,
                           f->source.frame_count);
        }
        slot = f->oldest;
        f->kept_frame[slot] = PLEAT_NONE;
        PL_TRY(f->source.read(f->source.user, frame, f->kept[slot], error));
        f->kept_frame[slot] = frame;
    }
    f->oldest = slot == 0 ? 1 : 0;
    if (!f->map)
    {
        memcpy(out, f->kept[slot], f->vertex_count * sizeof *out);
        return PLEAT_OK;
    }
    for (uint32_t v = 0; v < f->vertex_count; ++v)
    {
        out[v] = f->kept[slot][f->map[v]];
    }
    return PLEAT_OK;
}

/* The node that the points are for. */
static pleat_result find_node(const pleat_asset *asset, const pl_points_source *source, uint32_t *node, bool *mapped,
                              pleat_error *error)
{
    const pleat_model *model = &asset->model;
    *node = PLEAT_NONE;
    *mapped = false;
    uint32_t mesh_nodes = 0;
    uint32_t fitting = 0;
    uint32_t some_count = 0;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh == PLEAT_NONE)
        {
            continue;
        }
        ++mesh_nodes;
        some_count = pleat_mesh_vertex_count(&model->meshes[model->nodes[n].mesh]);
        bool by_file = asset->source_points && asset->source_point_count == source->point_count;
        if (by_file || some_count == source->point_count)
        {
            ++fitting;
            *node = n;
            *mapped = by_file;
        }
    }
    if (fitting == 1)
    {
        return PLEAT_OK;
    }
    if (fitting > 1)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: its %u points fit %u meshes of %.200s; one must be clear",
                       source->path, source->point_count, fitting, asset->name);
    }
    return pl_fail(error, PLEAT_BAD_DATA, "%.200s: it has %u points; none of the %u meshes of %.150s fits (%s %u)",
                   source->path, source->point_count, mesh_nodes, asset->name,
                   mesh_nodes == 1 ? "its vertices:" : "the last one's vertices:", some_count);
}

static frames *make_frames(pleat_asset *asset, const pl_points_source *source, uint32_t vertex_count, bool mapped)
{
    frames *f = PL_ARENA_NEW(&asset->arena, frames, 1);
    if (!f)
    {
        return NULL;
    }
    f->source = *source;
    f->vertex_count = vertex_count;
    f->map = mapped ? asset->source_points : NULL;
    for (int i = 0; i < KEPT_FRAMES; ++i)
    {
        f->kept_frame[i] = PLEAT_NONE;
        f->kept[i] = PL_ARENA_NEW(&asset->arena, pleat_vec3, source->point_count);
        if (!f->kept[i])
        {
            return NULL;
        }
    }
    return f;
}

pleat_result pl_points_add_clip(pleat_asset *asset, const pl_points_source *source, pleat_error *error)
{
    pleat_model *model = &asset->model;
    uint32_t node;
    bool mapped;
    PL_TRY(find_node(asset, source, &node, &mapped, error));
    uint32_t vertex_count = pleat_mesh_vertex_count(&model->meshes[model->nodes[node].mesh]);
    frames *f = make_frames(asset, source, vertex_count, mapped);
    pleat_clip *clips = PL_ARENA_NEW(&asset->arena, pleat_clip, (size_t)model->clip_count + 1);
    if (!f || !clips)
    {
        return pl_fail_memory(&asset->memory, error, source->path);
    }
    if (model->clip_count > 0)
    {
        memcpy(clips, model->clips, model->clip_count * sizeof *clips);
    }
    pleat_clip *clip = &clips[model->clip_count];
    *clip = pleat_clip_default();
    clip->name = source->name;
    clip->start = source->start;
    clip->end = (float)((double)source->start + (double)(source->frame_count - 1) / (double)source->fps);
    clip->points = (pleat_points){
        .node = node,
        .frame_count = source->frame_count,
        .vertex_count = vertex_count,
        .start = source->start,
        .fps = source->fps,
        .world = true,
        .read = read_frame,
        .user = f,
    };
    model->clips = clips;
    ++model->clip_count;
    return PLEAT_OK;
}

const char *pl_points_title(pleat_asset *asset, const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
    {
        --end;
    }
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
    {
        --begin;
    }
    size_t dot = end;
    while (dot > begin && path[dot - 1] != '.')
    {
        --dot;
    }
    return pl_arena_string(&asset->arena, path + begin, (dot > begin + 1 ? dot - 1 : end) - begin);
}

/* ---- .pc2 and .mdd ---------------------------------------------------------------------------------------------- */

static pleat_result read_cache_frame(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    return pleat_cache_read(user, frame, out, error);
}

static void close_cache(void *user)
{
    pleat_cache_close(user);
}

/* MDD says when each frame is; a clip has one rate. */
static void take_times(const pleat_asset *asset, const char *path, const pleat_cache_info *info,
                       pl_points_source *source)
{
    uint32_t last = info->frame_count - 1;
    source->start = info->times[0];
    if (last == 0)
    {
        return;
    }
    double step = ((double)info->times[last] - (double)info->times[0]) / last;
    source->fps = (float)(1 / step);
    for (uint32_t i = 1; i < last; ++i)
    {
        double even = (double)info->times[0] + i * step;
        if (fabs((double)info->times[i] - even) > 0.05 * step)
        {
            pl_log(&asset->host, PLEAT_WARNING, "%s: frame %u is at %g s; frames are taken as even, this one at %g s",
                   path, i, (double)info->times[i], even);
            return;
        }
    }
}

pleat_result pl_points_load(pleat_asset *asset, const char *path, float fps, pleat_error *error)
{
    if (pl_sequence_is(path))
    {
        return pl_sequence_points(asset, path, fps, error);
    }
    pleat_cache *cache;
    PL_TRY(pleat_cache_open(path, &asset->host, &cache, error));
    PL_TRY(pl_asset_on_close(asset, close_cache, cache, error));
    pleat_cache_info info = pleat_cache_get_info(cache);
    pl_points_source source = {.read = read_cache_frame,
                               .user = cache,
                               .frame_count = info.frame_count,
                               .point_count = info.vertex_count,
                               .fps = fps};
    if (info.times)
    {
        take_times(asset, path, &info, &source);
    }
    else
    {
        source.fps = fps / info.frame_step;
        source.start = info.start_frame / fps;
    }
    if (!(source.fps > 0) || !isfinite(source.fps) || !isfinite(source.start))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: it starts at %g s with %g frames a second", path,
                       (double)source.start, (double)source.fps);
    }
    source.name = pl_points_title(asset, path);
    source.path = pl_arena_string(&asset->arena, path, strlen(path));
    if (!source.name || !source.path)
    {
        return pl_fail_memory(&asset->memory, error, path);
    }
    return pl_points_add_clip(asset, &source, error);
}
