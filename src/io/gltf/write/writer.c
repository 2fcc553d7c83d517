/* The document that is being written, and what is added to it: views and accessors. */
#include "io/gltf/write/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    INDICES = 34963
};

/* ---- Failures ---- */

pleat_result pl_writer_fail(const pl_writer *w, pleat_result result, const char *format, ...)
{
    char message[sizeof w->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return pl_fail(w->error, result, "%.200s: %s", w->asset->name, message);
}

pleat_result pl_writer_no_memory(const pl_writer *w)
{
    return pl_fail_memory(&w->memory, w->error, "the glTF document");
}

pleat_result pl_writer_check(const pl_writer *w)
{
    return w->json_failed ? pl_fail(w->error, PLEAT_NO_MEMORY, "out of memory for the glTF document") : PLEAT_OK;
}

void *pl_writer_alloc(pl_writer *w, size_t count, size_t size)
{
    return pl_arena_alloc(&w->arena, count, size);
}

/* ---- JSON ---- */

void pl_json_set(pl_writer *w, json_t *object, const char *key, json_t *value)
{
    w->json_failed |= json_object_set_new(object, key, value) != 0;
}

void pl_json_append(pl_writer *w, json_t *array, json_t *value)
{
    w->json_failed |= json_array_append_new(array, value) != 0;
}

json_t *pl_section(pl_writer *w, const char *key)
{
    json_t *section = json_object_get(w->root, key);
    if (!section)
    {
        pl_json_set(w, w->root, key, json_array());
        section = json_object_get(w->root, key);
    }
    return section;
}

void pl_json_delete_extension(json_t *object, const char *name)
{
    json_t *extensions = json_object_get(object, "extensions");
    json_object_del(extensions, name);
    if (extensions && json_object_size(extensions) == 0)
    {
        json_object_del(object, "extensions");
    }
}

json_t *pl_json_numbers(pl_writer *w, const float *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; ++i)
    {
        pl_json_append(w, array, json_real((double)values[i]));
    }
    return array;
}

/* The parts of the document that may change are copied, so that the asset stays as it is; the rest is shared. */
static void copy_document(pl_writer *w)
{
    static const char *const changing[] = {
        "accessors",      "bufferViews",        "buffers",   "meshes", "nodes", "skins", "animations",
        "extensionsUsed", "extensionsRequired", "extensions"};
    w->root = json_copy(w->asset->gltf->root);
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; ++i)
    {
        json_t *section = json_object_get(w->root, changing[i]);
        if (section)
        {
            pl_json_set(w, w->root, changing[i], json_deep_copy(section));
        }
    }
    json_t *images = json_object_get(w->root, "images");
    if (images)
    {
        pl_json_set(w, w->root, "images", json_copy(images));
    }
}

pleat_result pl_writer_begin(pl_writer *w)
{
    const pl_gltf *g = w->asset->gltf;
    uint32_t clip_count = w->asset->model.clip_count;
    w->clip_animations = pl_writer_alloc(w, clip_count, sizeof *w->clip_animations);
    if (!w->clip_animations)
    {
        return pl_writer_no_memory(w);
    }
    memset(w->clip_animations, 0xff, clip_count * sizeof *w->clip_animations);
    if (!g)
    {
        return pl_writer_from_model(w);
    }
    copy_document(w);
    PL_TRY(pl_writer_check(w));
    w->pieces = PL_NEW(&w->memory, pl_piece, g->view_count);
    if (!w->pieces)
    {
        return pl_writer_no_memory(w);
    }
    w->piece_count = w->piece_room = w->input_views = g->view_count;
    for (uint32_t i = 0; i < g->view_count; ++i)
    {
        const pl_gltf_view *view = &g->views[i];
        w->pieces[i] =
            (pl_piece){.bytes = view->bytes, .size = view->size, .buffer = view->decoded ? PLEAT_NONE : view->buffer};
    }
    uint32_t animation_count = (uint32_t)json_array_size(json_object_get(w->root, "animations"));
    for (uint32_t i = 0; i < clip_count && i < animation_count; ++i)
    {
        w->clip_animations[i] = i;
    }
    return PLEAT_OK;
}

/* ---- Views and accessors ---- */

uint32_t pl_add_view(pl_writer *w, const void *data, size_t size, uint32_t target)
{
    if (w->piece_count == w->piece_room)
    {
        uint32_t room = w->piece_room * 2 + 64;
        pl_piece *grown = pl_realloc(&w->memory, w->pieces, room, sizeof *grown);
        if (!grown)
        {
            return PLEAT_NONE;
        }
        w->pieces = grown;
        w->piece_room = room;
    }
    json_t *view = json_object();
    pl_json_set(w, view, "buffer", json_integer(0));
    pl_json_set(w, view, "byteOffset", json_integer(0));
    pl_json_set(w, view, "byteLength", json_integer((json_int_t)size));
    if (target)
    {
        pl_json_set(w, view, "target", json_integer(target));
    }
    pl_json_append(w, pl_section(w, "bufferViews"), view);
    w->pieces[w->piece_count] = (pl_piece){.bytes = data, .size = size, .buffer = PLEAT_NONE};
    return w->piece_count++;
}

static uint32_t width_of(const char *type)
{
    return strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "MAT4") == 0 ? 16 : (uint32_t)(type[3] - '0');
}

static void find_bounds(const float *values, uint32_t count, uint32_t width, float low[4], float high[4])
{
    for (uint32_t c = 0; c < width; ++c)
    {
        low[c] = high[c] = count ? values[c] : 0;
    }
    for (size_t i = 0; i < count; ++i)
    {
        for (uint32_t c = 0; c < width; ++c)
        {
            float value = values[i * width + c];
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
    }
}

static json_t *new_accessor(pl_writer *w, const char *type, pl_component component, uint32_t count)
{
    json_t *accessor = json_object();
    pl_json_set(w, accessor, "componentType", json_integer((json_int_t)component));
    pl_json_set(w, accessor, "count", json_integer(count));
    pl_json_set(w, accessor, "type", json_string(type));
    return accessor;
}

static uint32_t append_accessor(pl_writer *w, json_t *accessor)
{
    json_t *accessors = pl_section(w, "accessors");
    pl_json_append(w, accessors, accessor);
    return (uint32_t)json_array_size(accessors) - 1;
}

pleat_result pl_add_accessor_in(pl_writer *w, uint32_t view, size_t offset, const pl_accessor_desc *desc,
                                const float *low, const float *high, uint32_t *index)
{
    uint32_t width = width_of(desc->type);
    json_t *accessor = new_accessor(w, desc->type, desc->component, desc->count);
    pl_json_set(w, accessor, "bufferView", json_integer(view));
    if (offset > 0)
    {
        pl_json_set(w, accessor, "byteOffset", json_integer((json_int_t)offset));
    }
    if (desc->normalized)
    {
        pl_json_set(w, accessor, "normalized", json_true());
    }
    if (low && high)
    {
        pl_json_set(w, accessor, "min", pl_json_numbers(w, low, width));
        pl_json_set(w, accessor, "max", pl_json_numbers(w, high, width));
    }
    *index = append_accessor(w, accessor);
    return pl_writer_check(w);
}

pleat_result pl_add_accessor(pl_writer *w, const pl_accessor_desc *desc, uint32_t *index)
{
    uint32_t width = width_of(desc->type);
    size_t element = (size_t)width * pl_component_size(desc->component);
    size_t count = desc->count;
    *index = PLEAT_NONE;
    if (desc->component == PL_F32 && pl_first_not_finite(desc->data, count * width) < count * width)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "a number to be written is not finite");
    }
    uint32_t view = pl_add_view(w, desc->data, count * (desc->stride ? desc->stride : element), desc->target);
    if (view == PLEAT_NONE)
    {
        return pl_writer_no_memory(w);
    }
    if (desc->stride && desc->stride != element)
    {
        pl_json_set(w, json_array_get(pl_section(w, "bufferViews"), view), "byteStride", json_integer(desc->stride));
    }
    size_t stride = desc->stride ? desc->stride : element;
    w->pieces[view].indices = desc->target == INDICES;
    w->pieces[view].stride = w->pieces[view].indices || stride % 4 == 0 ? stride : 0;
    float low[4], high[4];
    if (desc->bounds)
    {
        find_bounds(desc->data, desc->count, width, low, high);
    }
    return pl_add_accessor_in(w, view, 0, desc, desc->bounds ? low : NULL, desc->bounds ? high : NULL, index);
}
