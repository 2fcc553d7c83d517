/* Buffer views and accessors: checked against the bytes behind them, then unpacked. */
#include "io/gltf/gltf.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "glTF data is little-endian and is used in place");

/* ---- Views ---- */

pleat_result pl_gltf_get_view(pl_gltf *g, uint32_t index, const pl_gltf_view **out)
{
    pl_gltf_view *held = &g->views[index];
    *out = held;
    if (held->read)
    {
        return PLEAT_OK;
    }
    pl_place place = pl_at("bufferViews[%u]", index);
    json_t *object;
    uint32_t buffer;
    uint64_t offset, length, stride;
    PL_TRY(pl_json_item(g, json_object_get(g->root, "bufferViews"), index, "bufferViews", &object));
    PL_TRY(pl_json_index(g, object, "buffer", place.text, g->buffer_count, "buffers", &buffer));
    PL_TRY(pl_json_size(g, object, "byteOffset", place.text, 0, &offset));
    PL_TRY(pl_json_size(g, object, "byteLength", place.text, 0, &length));
    PL_TRY(pl_json_size(g, object, "byteStride", place.text, 0, &stride));
    if (buffer == PLEAT_NONE || length == 0)
    {
        return pl_json_missing(g, place.text, length == 0 ? "byteLength" : "buffer");
    }
    if (stride > 252)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.byteStride is %llu; at most 252 is possible", place.text,
                            (unsigned long long)stride);
    }
    pl_gltf_view view = {.read = true, .size = (size_t)length, .stride = (size_t)stride, .buffer = buffer};
    const char *name;
    json_t *extension = pl_gltf_meshopt_extension(object, &name);
    if (extension)
    {
        PL_TRY(pl_gltf_meshopt_decode(g, extension, pl_at("%s.extensions.%s", place.text, name).text, &view));
    }
    else
    {
        const pl_gltf_buffer *source = &g->buffers[buffer];
        if (!source->bytes)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s: buffers[%u] has no uri and no data", place.text, buffer);
        }
        if (offset > source->size || length > source->size - offset)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s needs bytes %llu to %llu; buffers[%u] has %zu", place.text,
                                (unsigned long long)offset, (unsigned long long)(offset + length), buffer,
                                source->size);
        }
        view.bytes = source->bytes + offset;
    }
    *held = view;
    return PLEAT_OK;
}

/* ---- Accessors ---- */

size_t pl_component_size(pl_component component)
{
    switch (component)
    {
    case PL_I8:
    case PL_U8:
        return 1;
    case PL_I16:
    case PL_U16:
        return 2;
    case PL_U32:
    case PL_F32:
        return 4;
    }
    return 0;
}

static pleat_result read_component(const pl_gltf *g, json_t *object, const char *place, pl_component *out)
{
    uint64_t number;
    PL_TRY(pl_json_size(g, object, "componentType", place, 0, &number));
    *out = (pl_component)number;
    if (number > PL_F32 || pl_component_size(*out) == 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.componentType is %llu; it can be 5120 to 5123, 5125 or 5126", place,
                            (unsigned long long)number);
    }
    return PLEAT_OK;
}

static pleat_result read_type(const pl_gltf *g, json_t *object, const char *place, pl_gltf_accessor *accessor)
{
    static const struct
    {
        const char *name;
        uint32_t rows, columns;
    } types[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                 {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};
    const char *type;
    PL_TRY(pl_json_text(g, object, "type", place, &type));
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; ++i)
    {
        if (strcmp(type, types[i].name) == 0)
        {
            /* The columns of a matrix begin at multiples of 4 bytes. */
            size_t column = types[i].rows * pl_component_size(accessor->component);
            accessor->matrix = types[i].columns > 1;
            accessor->width = types[i].rows * types[i].columns;
            accessor->element_size = accessor->matrix ? (column + 3) / 4 * 4 * types[i].columns : column;
            return PLEAT_OK;
        }
    }
    return type ? pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.type is \"%.20s\"; it can be SCALAR, VEC2 to VEC4, MAT2 to MAT4",
                               place, type)
                : pl_json_missing(g, place, "type");
}

/* The bytes of count elements from an offset in a view; fails unless they all lie in it. */
static pleat_result locate(pl_gltf *g, json_t *object, const char *place, const char *count_place, uint64_t count,
                           size_t element_size, bool strided, const uint8_t **bytes, size_t *stride)
{
    uint32_t index;
    uint64_t offset;
    const pl_gltf_view *view;
    *bytes = NULL;
    *stride = element_size;
    PL_TRY(pl_json_index(g, object, "bufferView", place, g->view_count, "buffer views", &index));
    PL_TRY(pl_json_size(g, object, "byteOffset", place, 0, &offset));
    if (index == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_gltf_get_view(g, index, &view));
    if (strided && view->stride != 0)
    {
        if (view->stride < element_size)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "bufferViews[%u].byteStride is %zu; an element of %s has %zu bytes",
                                index, view->stride, place, element_size);
        }
        *stride = view->stride;
    }
    if (offset > view->size)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.byteOffset is %llu; the buffer view has %zu bytes", place,
                            (unsigned long long)offset, view->size);
    }
    size_t left = view->size - (size_t)offset;
    uint64_t room = left < element_size ? 0 : (left - element_size) / *stride + 1;
    if (count > room)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is %llu; the buffer view has room for %llu", count_place,
                            (unsigned long long)count, (unsigned long long)room);
    }
    *bytes = view->bytes + offset;
    return PLEAT_OK;
}

static uint32_t integer_at(const uint8_t *bytes, pl_component component)
{
    if (component == PL_U8)
    {
        return *bytes;
    }
    if (component == PL_U16)
    {
        uint16_t value;
        memcpy(&value, bytes, sizeof value);
        return value;
    }
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static pleat_result read_sparse(pl_gltf *g, json_t *object, const char *place, pl_gltf_accessor *accessor)
{
    json_t *sparse;
    json_t *indices;
    json_t *values;
    uint64_t count;
    size_t stride;
    PL_TRY(pl_json_object(g, object, "sparse", place, &sparse));
    if (!sparse)
    {
        return PLEAT_OK;
    }
    pl_place inside = pl_at("%s.sparse", place);
    PL_TRY(pl_json_size(g, sparse, "count", inside.text, 0, &count));
    PL_TRY(pl_json_object(g, sparse, "indices", inside.text, &indices));
    PL_TRY(pl_json_object(g, sparse, "values", inside.text, &values));
    if (count == 0 || !indices || !values)
    {
        return pl_json_missing(g, inside.text, count == 0 ? "count" : !indices ? "indices" : "values");
    }
    if (count > accessor->count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is %llu; the accessor has %u elements", inside.text,
                            (unsigned long long)count, accessor->count);
    }
    pl_place at_indices = pl_at("%s.indices", inside.text);
    pl_place at_values = pl_at("%s.values", inside.text);
    PL_TRY(read_component(g, indices, at_indices.text, &accessor->sparse_component));
    pl_component component = accessor->sparse_component;
    if (component != PL_U8 && component != PL_U16 && component != PL_U32)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.componentType is %d; it can be 5121, 5123 or 5125", at_indices.text,
                            (int)component);
    }
    PL_TRY(locate(g, indices, at_indices.text, inside.text, count, pl_component_size(component), false,
                  &accessor->sparse_indices, &stride));
    PL_TRY(locate(g, values, at_values.text, inside.text, count, accessor->element_size, false,
                  &accessor->sparse_values, &stride));
    if (!accessor->sparse_indices || !accessor->sparse_values)
    {
        return pl_json_missing(g, accessor->sparse_indices ? at_values.text : at_indices.text, "bufferView");
    }
    PL_TRY(pl_gltf_expand(g, count, inside.text));
    for (uint64_t i = 0; i < count; ++i)
    {
        uint32_t element = integer_at(accessor->sparse_indices + i * pl_component_size(component), component);
        if (element >= accessor->count)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s: index %llu is %u; the accessor has %u elements",
                                at_indices.text, (unsigned long long)i, element, accessor->count);
        }
    }
    accessor->sparse_count = (uint32_t)count;
    return PLEAT_OK;
}

pleat_result pl_gltf_get_accessor(pl_gltf *g, uint32_t index, pl_gltf_accessor **out)
{
    pl_gltf_accessor *held = &g->accessors[index];
    *out = held;
    if (held->read)
    {
        return PLEAT_OK;
    }
    pl_place place = pl_at("accessors[%u]", index);
    json_t *object;
    uint64_t count;
    pl_gltf_accessor accessor = {.read = true};
    PL_TRY(pl_json_item(g, json_object_get(g->root, "accessors"), index, "accessors", &object));
    PL_TRY(read_component(g, object, place.text, &accessor.component));
    PL_TRY(read_type(g, object, place.text, &accessor));
    PL_TRY(pl_json_bool(g, object, "normalized", place.text, false, &accessor.normalized));
    PL_TRY(pl_json_size(g, object, "count", place.text, 0, &count));
    if (count == 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is 0 or missing; it must be at least 1", place.text);
    }
    PL_TRY(locate(g, object, place.text, place.text, count, accessor.element_size, true, &accessor.bytes,
                  &accessor.stride));
    /* With no view behind it a count is just a claim; the fence on what is unpacked stops it when it is used. */
    if (count > UINT32_MAX / 4)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is %llu; at most %u is possible", place.text,
                            (unsigned long long)count, UINT32_MAX / 4);
    }
    accessor.count = (uint32_t)count;
    PL_TRY(read_sparse(g, object, place.text, &accessor));
    *held = accessor;
    return PLEAT_OK;
}

/* ---- Unpacking ---- */

void pl_gltf_flatten(const pl_gltf_accessor *accessor, uint8_t *out)
{
    size_t size = accessor->element_size;
    if (!accessor->bytes)
    {
        memset(out, 0, accessor->count * size);
    }
    else if (accessor->stride == size)
    {
        memcpy(out, accessor->bytes, accessor->count * size);
    }
    else
    {
        for (size_t i = 0; i < accessor->count; ++i)
        {
            memcpy(out + i * size, accessor->bytes + i * accessor->stride, size);
        }
    }
    size_t index_size = pl_component_size(accessor->sparse_component);
    for (size_t i = 0; i < accessor->sparse_count; ++i)
    {
        uint32_t element = integer_at(accessor->sparse_indices + i * index_size, accessor->sparse_component);
        memcpy(out + element * size, accessor->sparse_values + i * size, size);
    }
}

/* Where the elements can be read one after the other: in the file, or in a flattened copy (which the caller frees). */
typedef struct source
{
    const uint8_t *bytes;
    size_t stride;
    uint8_t *copy;
} source;

static pleat_result open_source(pl_gltf *g, const pl_gltf_accessor *accessor, const char *place, source *out)
{
    *out = (source){accessor->bytes, accessor->stride, NULL};
    if (accessor->bytes && accessor->sparse_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_gltf_expand(g, (uint64_t)accessor->count * accessor->element_size, place));
    out->copy = PL_NEW(&g->asset->memory, uint8_t, accessor->count * accessor->element_size);
    if (!out->copy)
    {
        return pl_fail_memory(&g->asset->memory, g->error, place);
    }
    pl_gltf_flatten(accessor, out->copy);
    out->bytes = out->copy;
    out->stride = accessor->element_size;
    return PLEAT_OK;
}

#define CONVERT(type, expression)                                                                                      \
    for (size_t i = 0; i < count; ++i)                                                                                 \
    {                                                                                                                  \
        for (size_t c = 0; c < width; ++c)                                                                             \
        {                                                                                                              \
            type value;                                                                                                \
            memcpy(&value, bytes + i * stride + c * sizeof value, sizeof value);                                       \
            out[i * out_stride + c] = (expression);                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    break

/* The equations of the specification, section 3.11: f = c / 255, f = max(c / 127, -1) and so on. */
static void to_floats(const pl_gltf_accessor *accessor, const uint8_t *bytes, size_t stride, float *out,
                      size_t out_stride)
{
    size_t count = accessor->count;
    size_t width = accessor->width;
    bool normalized = accessor->normalized;
    switch (accessor->component)
    {
    case PL_I8:
        CONVERT(int8_t, normalized ? fmaxf((float)value / 127.0f, -1.0f) : (float)value);
    case PL_U8:
        CONVERT(uint8_t, normalized ? (float)value / 255.0f : (float)value);
    case PL_I16:
        CONVERT(int16_t, normalized ? fmaxf((float)value / 32767.0f, -1.0f) : (float)value);
    case PL_U16:
        CONVERT(uint16_t, normalized ? (float)value / 65535.0f : (float)value);
    case PL_U32:
        CONVERT(uint32_t, normalized ? (float)((double)value / 4294967295.0) : (float)value);
    case PL_F32:
        CONVERT(float, value);
    }
}

static bool in_place(const pl_gltf_accessor *accessor, pl_component component)
{
    return accessor->component == component && accessor->bytes && accessor->sparse_count == 0 &&
           accessor->stride == accessor->element_size && (uintptr_t)accessor->bytes % 4 == 0;
}

pleat_result pl_gltf_copy_floats(pl_gltf *g, uint32_t index, float *out, uint32_t out_stride)
{
    pl_gltf_accessor *accessor;
    source from;
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    PL_TRY(open_source(g, accessor, pl_at("accessors[%u]", index).text, &from));
    to_floats(accessor, from.bytes, from.stride, out, out_stride);
    pl_free(&g->asset->memory, from.copy);
    return PLEAT_OK;
}

pleat_result pl_gltf_floats(pl_gltf *g, uint32_t index, const float **out)
{
    pl_gltf_accessor *accessor;
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    pl_place place = pl_at("accessors[%u]", index);
    if (accessor->matrix && accessor->component != PL_F32)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.componentType is %d; matrices must be of floats (5126)", place.text,
                            (int)accessor->component);
    }
    if (!accessor->floats && in_place(accessor, PL_F32))
    {
        accessor->floats = (const float *)(const void *)accessor->bytes;
    }
    if (!accessor->floats)
    {
        float *values;
        PL_TRY(pl_gltf_alloc(g, (uint64_t)accessor->count * accessor->width, sizeof(float), place.text, &values));
        PL_TRY(pl_gltf_copy_floats(g, index, values, accessor->width));
        accessor->floats = values;
    }
    *out = accessor->floats;
    return PLEAT_OK;
}

/* Into an array of the arena. */
static pleat_result unpack_integers(pl_gltf *g, const pl_gltf_accessor *accessor, const char *place, uint32_t **out)
{
    source from;
    PL_TRY(pl_gltf_alloc(g, (uint64_t)accessor->count * accessor->width, sizeof **out, place, out));
    PL_TRY(open_source(g, accessor, place, &from));
    size_t size = pl_component_size(accessor->component);
    for (size_t i = 0; i < accessor->count; ++i)
    {
        for (size_t c = 0; c < accessor->width; ++c)
        {
            (*out)[i * accessor->width + c] = integer_at(from.bytes + i * from.stride + c * size, accessor->component);
        }
    }
    pl_free(&g->asset->memory, from.copy);
    return PLEAT_OK;
}

pleat_result pl_gltf_integers(pl_gltf *g, uint32_t index, const uint32_t **out)
{
    pl_gltf_accessor *accessor;
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    if (!accessor->integers)
    {
        uint32_t *values = NULL;
        if (!in_place(accessor, PL_U32))
        {
            PL_TRY(unpack_integers(g, accessor, pl_at("accessors[%u]", index).text, &values));
        }
        accessor->integers = values ? values : (const uint32_t *)(const void *)accessor->bytes;
        for (size_t i = 0; i < (size_t)accessor->count * accessor->width; ++i)
        {
            accessor->largest = accessor->integers[i] > accessor->largest ? accessor->integers[i] : accessor->largest;
        }
    }
    *out = accessor->integers;
    return PLEAT_OK;
}

pleat_result pl_gltf_copy_shorts(pl_gltf *g, uint32_t index, uint16_t *out, uint32_t out_stride)
{
    pl_gltf_accessor *accessor;
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    source from;
    PL_TRY(open_source(g, accessor, pl_at("accessors[%u]", index).text, &from));
    size_t size = pl_component_size(accessor->component);
    for (size_t i = 0; i < accessor->count; ++i)
    {
        for (size_t c = 0; c < accessor->width; ++c)
        {
            out[i * out_stride + c] =
                (uint16_t)integer_at(from.bytes + i * from.stride + c * size, accessor->component);
        }
    }
    pl_free(&g->asset->memory, from.copy);
    return PLEAT_OK;
}

size_t pl_first_not_finite(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(values[i]))
    {
        ++i;
    }
    return i;
}

size_t pl_gltf_first_not_finite(pl_gltf_accessor *accessor)
{
    size_t count = (size_t)accessor->count * accessor->width;
    size_t first = accessor->finite ? count : pl_first_not_finite(accessor->floats, count);
    accessor->finite = first == count;
    return first;
}
