/* Animations as clips: clip i is animations[i], also where no channel of it can be used. */
#include "io/gltf/gltf.h"

#include <math.h>
#include <string.h>

/* One animation while it is read. */
typedef struct clip_reader
{
    pl_gltf *g;
    const char *place;
    json_t *samplers;
    uint32_t sampler_count;
    uint32_t *seen; /* per node and path: 1 + the clip that had a channel for it last */
    uint32_t clip;
} clip_reader;

/* False for a path that pleat has no use for. */
static bool path_of(const char *name, pleat_channel_path *path)
{
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    for (size_t i = 0; name && i < 4; ++i)
    {
        if (strcmp(name, names[i]) == 0)
        {
            *path = (pleat_channel_path)i;
            return true;
        }
    }
    return false;
}

static pleat_result read_interpolation(const pl_gltf *g, json_t *sampler, const char *place, pleat_interpolation *out)
{
    static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const char *name;
    PL_TRY(pl_json_text(g, sampler, "interpolation", place, &name));
    *out = PLEAT_LINEAR;
    for (size_t i = 0; name && i < 3; ++i)
    {
        if (strcmp(name, names[i]) == 0)
        {
            *out = (pleat_interpolation)i;
            return PLEAT_OK;
        }
    }
    return name ? pl_gltf_fail(g, PLEAT_BAD_DATA,
                               "%s.interpolation is \"%.20s\"; it can be STEP, LINEAR or CUBICSPLINE", place, name)
                : PLEAT_OK;
}

static pleat_result read_times(pl_gltf *g, json_t *sampler, const char *place, pleat_channel *channel)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    PL_TRY(pl_json_index(g, sampler, "input", place, g->accessor_count, "accessors", &index));
    if (index == PLEAT_NONE)
    {
        return pl_json_missing(g, place, "input");
    }
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    if (accessor->width != 1)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.input: accessors[%u] has %u numbers an element; times are SCALAR",
                            place, index, accessor->width);
    }
    PL_TRY(pl_gltf_floats(g, index, &channel->times));
    PL_TRY(pl_gltf_expand(g, accessor->count, place));
    channel->key_count = accessor->count;
    for (uint32_t k = 0; k < accessor->count; ++k)
    {
        float time = channel->times[k];
        if (!(time >= 0) || !isfinite(time) || (k > 0 && !(time > channel->times[k - 1])))
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA,
                                "%s.input: key %u of accessors[%u] is at %g s after %g s; times must be "
                                "finite, at least 0, and increase",
                                place, k, index, (double)time, k ? (double)channel->times[k - 1] : 0.0);
        }
    }
    return PLEAT_OK;
}

static pleat_result read_values(pl_gltf *g, json_t *sampler, const char *place, pleat_channel *channel)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    PL_TRY(pl_json_index(g, sampler, "output", place, g->accessor_count, "accessors", &index));
    if (index == PLEAT_NONE)
    {
        return pl_json_missing(g, place, "output");
    }
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    uint32_t width = channel->path == PLEAT_WEIGHTS ? 1 : channel->width;
    if (accessor->matrix || accessor->width != width)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.output: accessors[%u] has %u numbers an element; %u are needed",
                            place, index, accessor->width, width);
    }
    uint64_t needed =
        (uint64_t)channel->key_count * (channel->interpolation == PLEAT_CUBICSPLINE ? 3 : 1) * (channel->width / width);
    if (accessor->count != needed)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.output: accessors[%u] has %u elements; %u keys need %llu", place,
                            index, accessor->count, channel->key_count, (unsigned long long)needed);
    }
    PL_TRY(pl_gltf_floats(g, index, &channel->values));
    PL_TRY(pl_gltf_expand(g, (uint64_t)accessor->count * width, place));
    size_t bad = pl_gltf_first_not_finite(accessor);
    if (bad < (size_t)accessor->count * width)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.output: element %zu of accessors[%u] is not finite", place,
                            bad / width, index);
    }
    return PLEAT_OK;
}

/* Whether a channel drives something that the model has; fills node, path and width. */
static pleat_result read_target(clip_reader *reader, json_t *object, const char *place, pleat_channel *channel,
                                bool *used)
{
    pl_gltf *g = reader->g;
    const pleat_model *model = &g->asset->model;
    json_t *target;
    const char *path;
    *used = false;
    PL_TRY(pl_json_object(g, object, "target", place, &target));
    if (!target)
    {
        return pl_json_missing(g, place, "target");
    }
    pl_place inside = pl_at("%s.target", place);
    PL_TRY(pl_json_text(g, target, "path", inside.text, &path));
    PL_TRY(pl_json_index(g, target, "node", inside.text, model->node_count, "nodes", &channel->node));
    if (!path_of(path, &channel->path))
    {
        pl_gltf_warn(g, "%s.path is \"%.40s\", which pleat does not read; the channel is ignored", inside.text,
                     path ? path : "");
        return PLEAT_OK;
    }
    if (channel->node == PLEAT_NONE)
    {
        return PLEAT_OK; /* an extension defines the target */
    }
    channel->width = channel->path == PLEAT_ROTATION ? 4 : 3;
    if (channel->path == PLEAT_WEIGHTS)
    {
        uint32_t mesh = model->nodes[channel->node].mesh;
        channel->width = mesh == PLEAT_NONE ? 0 : model->meshes[mesh].target_count;
        if (channel->width == 0)
        {
            pl_gltf_warn(g, "%s: nodes[%u] has no morph targets; the channel is ignored", inside.text, channel->node);
            return PLEAT_OK;
        }
    }
    uint32_t *seen = &reader->seen[(size_t)channel->node * 4 + channel->path];
    if (*seen == reader->clip + 1)
    {
        pl_gltf_warn(g, "%s: another channel drives the %s of nodes[%u] already; this one is ignored", place, path,
                     channel->node);
        return PLEAT_OK;
    }
    *seen = reader->clip + 1;
    *used = true;
    return PLEAT_OK;
}

static pleat_result read_channel(clip_reader *reader, json_t *object, const char *place, pleat_channel *channel,
                                 bool *used)
{
    pl_gltf *g = reader->g;
    uint32_t index;
    json_t *sampler;
    PL_TRY(read_target(reader, object, place, channel, used));
    if (!*used)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_json_index(g, object, "sampler", place, reader->sampler_count, "samplers", &index));
    if (index == PLEAT_NONE)
    {
        return pl_json_missing(g, place, "sampler");
    }
    pl_place list = pl_at("%s.samplers", reader->place);
    pl_place inside = pl_at("%s[%u]", list.text, index);
    PL_TRY(pl_json_item(g, reader->samplers, index, list.text, &sampler));
    PL_TRY(read_interpolation(g, sampler, inside.text, &channel->interpolation));
    PL_TRY(read_times(g, sampler, inside.text, channel));
    return read_values(g, sampler, inside.text, channel);
}

static pleat_result read_clip(clip_reader *reader, json_t *object, pleat_clip *clip)
{
    pl_gltf *g = reader->g;
    json_t *array;
    json_t *item;
    uint32_t count;
    pleat_channel *channels;
    *clip = pleat_clip_default();
    PL_TRY(pl_json_name(g, object, reader->place, &clip->name));
    PL_TRY(pl_json_array(g, object, "samplers", reader->place, &reader->samplers, &reader->sampler_count));
    PL_TRY(pl_json_array(g, object, "channels", reader->place, &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *channels, reader->place, &channels));
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_channel *channel = &channels[clip->channel_count];
        bool used;
        PL_TRY(pl_json_item(g, array, i, pl_at("%s.channels", reader->place).text, &item));
        PL_TRY(read_channel(reader, item, pl_at("%s.channels[%u]", reader->place, i).text, channel, &used));
        if (used)
        {
            float first = channel->times[0];
            float last = channel->times[channel->key_count - 1];
            clip->start = clip->channel_count == 0 || first < clip->start ? first : clip->start;
            clip->end = clip->channel_count == 0 || last > clip->end ? last : clip->end;
            ++clip->channel_count;
        }
    }
    clip->channels = channels;
    return PLEAT_OK;
}

pleat_result pl_gltf_read_clips(pl_gltf *g, pleat_clip **out)
{
    json_t *array;
    json_t *item;
    uint32_t count;
    pleat_clip *clips;
    clip_reader reader = {.g = g};
    PL_TRY(pl_json_array(g, g->root, "animations", "", &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *clips, "animations", &clips));
    PL_TRY(pl_gltf_alloc(g, (uint64_t)g->asset->model.node_count * 4, sizeof *reader.seen, "animations", &reader.seen));
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_place place = pl_at("animations[%u]", i);
        reader.place = place.text;
        reader.clip = i;
        PL_TRY(pl_json_item(g, array, i, "animations", &item));
        PL_TRY(read_clip(&reader, item, &clips[i]));
    }
    g->asset->model.clips = clips;
    g->asset->model.clip_count = count;
    *out = clips;
    return PLEAT_OK;
}
