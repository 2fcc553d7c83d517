/* The document that is being written, and what is added to it: views and accessors. */
#include "io/gltf/write/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        w->pieces[i] = (pl_piece){view->bytes, view->size, view->decoded ? PLEAT_NONE : view->buffer, 0};
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
    w->pieces[w->piece_count] = (pl_piece){data, size, PLEAT_NONE, 0};
    return w->piece_count++;
}

static uint32_t width_of(const char *type)
{
    return strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "MAT4") == 0 ? 16 : (uint32_t)(type[3] - '0');
}

/* Sets min and max; false if a number is not finite. */
static bool set_bounds(pl_writer *w, json_t *accessor, const float *values, uint32_t count, uint32_t width)
{
    float least[4];
    float most[4];
    for (uint32_t c = 0; c < width; ++c)
    {
        least[c] = most[c] = count ? values[c] : 0;
    }
    for (size_t i = 0; i < count; ++i)
    {
        for (uint32_t c = 0; c < width; ++c)
        {
            float value = values[i * width + c];
            if (!isfinite(value))
            {
                return false;
            }
            least[c] = value < least[c] ? value : least[c];
            most[c] = value > most[c] ? value : most[c];
        }
    }
    pl_json_set(w, accessor, "min", pl_json_numbers(w, least, width));
    pl_json_set(w, accessor, "max", pl_json_numbers(w, most, width));
    return true;
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

static pleat_result not_finite(const pl_writer *w)
{
    return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "a number to be written is not finite");
}

pleat_result pl_add_accessor(pl_writer *w, const pl_accessor_desc *desc, uint32_t *index)
{
    uint32_t width = width_of(desc->type);
    size_t size = (size_t)desc->count * width * pl_component_size(desc->component);
    *index = PLEAT_NONE;
    if (desc->component == PL_F32 &&
        pl_first_not_finite(desc->data, (size_t)desc->count * width) < (size_t)desc->count * width)
    {
        return not_finite(w);
    }
    uint32_t view = pl_add_view(w, desc->data, size, desc->target);
    if (view == PLEAT_NONE)
    {
        return pl_writer_no_memory(w);
    }
    json_t *accessor = new_accessor(w, desc->type, desc->component, desc->count);
    pl_json_set(w, accessor, "bufferView", json_integer(view));
    if (desc->bounds)
    {
        set_bounds(w, accessor, desc->data, desc->count, width);
    }
    *index = append_accessor(w, accessor);
    return pl_writer_check(w);
}

static bool is_zero(pleat_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

/* The indices and values of the elements that are not zero. */
static pleat_result add_sparse(pl_writer *w, json_t *accessor, const pleat_vec3 *data, uint32_t count, uint32_t used)
{
    bool wide = count > UINT16_MAX;
    uint32_t *large = pl_writer_alloc(w, wide ? used : 0, sizeof *large);
    uint16_t *small = pl_writer_alloc(w, wide ? 0 : used, sizeof *small);
    pleat_vec3 *values = pl_writer_alloc(w, used, sizeof *values);
    if (!large || !small || !values)
    {
        return pl_writer_no_memory(w);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!is_zero(data[i]))
        {
            values[at] = data[i];
            if (wide)
            {
                large[at] = i;
            }
            else
            {
                small[at] = (uint16_t)i;
            }
            ++at;
        }
    }
    uint32_t index_view =
        wide ? pl_add_view(w, large, used * sizeof *large, 0) : pl_add_view(w, small, used * sizeof *small, 0);
    uint32_t value_view = index_view == PLEAT_NONE ? PLEAT_NONE : pl_add_view(w, values, used * sizeof *values, 0);
    if (value_view == PLEAT_NONE)
    {
        return pl_writer_no_memory(w);
    }
    json_t *sparse = json_object();
    json_t *indices = json_object();
    json_t *list = json_object();
    pl_json_set(w, indices, "bufferView", json_integer(index_view));
    pl_json_set(w, indices, "componentType", json_integer(wide ? PL_U32 : PL_U16));
    pl_json_set(w, list, "bufferView", json_integer(value_view));
    pl_json_set(w, sparse, "count", json_integer(used));
    pl_json_set(w, sparse, "indices", indices);
    pl_json_set(w, sparse, "values", list);
    pl_json_set(w, accessor, "sparse", sparse);
    return PLEAT_OK;
}

pleat_result pl_add_differences(pl_writer *w, const pleat_vec3 *data, uint32_t count, bool bounds, uint32_t *index)
{
    uint32_t used = 0;
    for (uint32_t i = 0; data && i < count; ++i)
    {
        used += !is_zero(data[i]);
    }
    /* The JSON of a sparse accessor and its second view is some 200 bytes longer. */
    size_t sparse_size = (size_t)used * (sizeof *data + (count > UINT16_MAX ? 4 : 2)) + 200;
    if (data && sparse_size >= (size_t)count * sizeof *data)
    {
        pl_accessor_desc desc = {data, count, "VEC3", PL_F32, 34962, bounds};
        return pl_add_accessor(w, &desc, index);
    }
    *index = PLEAT_NONE;
    json_t *accessor = new_accessor(w, "VEC3", PL_F32, count);
    bool finite = true;
    if (bounds)
    {
        static const float zeros[3];
        finite = set_bounds(w, accessor, data ? &data[0].x : zeros, data ? count : 1, 3);
    }
    else if (data)
    {
        finite = pl_first_not_finite(&data[0].x, (size_t)count * 3) == (size_t)count * 3;
    }
    pleat_result result = finite ? PLEAT_OK : not_finite(w);
    if (result == PLEAT_OK && used > 0)
    {
        result = add_sparse(w, accessor, data, count, used);
    }
    if (result != PLEAT_OK)
    {
        json_decref(accessor);
        return result;
    }
    *index = append_accessor(w, accessor);
    return pl_writer_check(w);
}
