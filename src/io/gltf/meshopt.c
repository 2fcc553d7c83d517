/* Compressed buffer views: EXT_meshopt_compression, and KHR_meshopt_compression where it holds the same payload. */
#include "io/gltf/gltf.h"

#include <meshoptimizer.h>

#include <string.h>

json_t *pl_gltf_meshopt_extension(json_t *view, const char **name)
{
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    json_t *extensions = json_object_get(view, "extensions");
    for (size_t i = 0; i < 2; ++i)
    {
        json_t *extension = json_object_get(extensions, names[i]);
        if (extension)
        {
            *name = names[i];
            return extension;
        }
    }
    return NULL;
}

static pleat_result bad_stride(const pl_gltf *g, const char *place, uint64_t stride, const char *what,
                               const char *right)
{
    return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.byteStride is %llu; %s needs %s", place, (unsigned long long)stride,
                        what, right);
}

static int decode(const char *mode, uint8_t *out, size_t count, size_t stride, const uint8_t *bytes, size_t size)
{
    if (strcmp(mode, "ATTRIBUTES") == 0)
    {
        return meshopt_decodeVertexBuffer(out, count, stride, bytes, size);
    }
    return strcmp(mode, "TRIANGLES") == 0 ? meshopt_decodeIndexBuffer(out, count, stride, bytes, size)
                                          : meshopt_decodeIndexSequence(out, count, stride, bytes, size);
}

/* What the decoders take for granted. */
static pleat_result check_layout(const pl_gltf *g, const char *place, const char *mode, const char *filter,
                                 uint64_t count, uint64_t stride)
{
    if (strcmp(mode, "ATTRIBUTES") == 0)
    {
        if (stride == 0 || stride > 256 || stride % 4 != 0)
        {
            return bad_stride(g, place, stride, "mode ATTRIBUTES", "a multiple of 4 up to 256");
        }
    }
    else if (strcmp(mode, "TRIANGLES") == 0 || strcmp(mode, "INDICES") == 0)
    {
        if (stride != 2 && stride != 4)
        {
            return bad_stride(g, place, stride, "an index mode", "2 or 4");
        }
        if (strcmp(mode, "TRIANGLES") == 0 && count % 3 != 0)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is %llu; triangles need a multiple of 3", place,
                                (unsigned long long)count);
        }
    }
    else
    {
        return pl_gltf_fail(g, PLEAT_UNSUPPORTED, "%s.mode is \"%.40s\"; pleat reads ATTRIBUTES, TRIANGLES and INDICES",
                            place, mode);
    }
    if (strcmp(filter, "NONE") == 0)
    {
        return PLEAT_OK;
    }
    if (strcmp(mode, "ATTRIBUTES") != 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.filter is \"%.40s\"; indices have none", place, filter);
    }
    if (strcmp(filter, "OCTAHEDRAL") == 0)
    {
        return stride == 4 || stride == 8 ? PLEAT_OK : bad_stride(g, place, stride, "filter OCTAHEDRAL", "4 or 8");
    }
    if (strcmp(filter, "QUATERNION") == 0)
    {
        return stride == 8 ? PLEAT_OK : bad_stride(g, place, stride, "filter QUATERNION", "8");
    }
    if (strcmp(filter, "EXPONENTIAL") != 0)
    {
        return pl_gltf_fail(g, PLEAT_UNSUPPORTED,
                            "%s.filter is \"%.40s\"; pleat reads NONE, OCTAHEDRAL, QUATERNION and EXPONENTIAL", place,
                            filter);
    }
    return PLEAT_OK;
}

static void apply_filter(const char *filter, uint8_t *out, size_t count, size_t stride)
{
    switch (filter[0])
    {
    case 'O':
        meshopt_decodeFilterOct(out, count, stride);
        break;
    case 'Q':
        meshopt_decodeFilterQuat(out, count, stride);
        break;
    case 'E':
        meshopt_decodeFilterExp(out, count, stride);
        break;
    default:
        break;
    }
}

pleat_result pl_gltf_meshopt_decode(pl_gltf *g, json_t *extension, const char *place, pl_gltf_view *view)
{
    uint64_t offset, length, stride, count;
    uint32_t buffer;
    const char *mode;
    const char *filter;
    PL_TRY(pl_json_index(g, extension, "buffer", place, g->buffer_count, "buffers", &buffer));
    PL_TRY(pl_json_size(g, extension, "byteOffset", place, 0, &offset));
    PL_TRY(pl_json_size(g, extension, "byteLength", place, 0, &length));
    PL_TRY(pl_json_size(g, extension, "byteStride", place, 0, &stride));
    PL_TRY(pl_json_size(g, extension, "count", place, 0, &count));
    PL_TRY(pl_json_text(g, extension, "mode", place, &mode));
    PL_TRY(pl_json_text(g, extension, "filter", place, &filter));
    filter = filter ? filter : "NONE";
    if (buffer == PLEAT_NONE || !mode || count == 0)
    {
        return pl_json_missing(g, place, buffer == PLEAT_NONE ? "buffer" : !mode ? "mode" : "count");
    }
    const pl_gltf_buffer *source = &g->buffers[buffer];
    if (!source->bytes)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s: buffers[%u] has no data", place, buffer);
    }
    if (offset > source->size || length > source->size - offset)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s needs bytes %llu to %llu; buffers[%u] has %zu", place,
                            (unsigned long long)offset, (unsigned long long)(offset + length), buffer, source->size);
    }
    PL_TRY(check_layout(g, place, mode, filter, count, stride));
    if (count != view->size / stride || view->size % stride != 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.count is %llu by %llu bytes; the view has %zu bytes", place,
                            (unsigned long long)count, (unsigned long long)stride, view->size);
    }
    uint8_t *out;
    PL_TRY(pl_gltf_alloc(g, view->size, 1, place, &out));
    int status = decode(mode, out, (size_t)count, (size_t)stride, source->bytes + offset, (size_t)length);
    if (status != 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA,
                            "%s: the compressed data is damaged or of a newer version (decoder says %d)", place,
                            status);
    }
    apply_filter(filter, out, (size_t)count, (size_t)stride);
    view->bytes = out;
    view->decoded = true;
    return PLEAT_OK;
}
