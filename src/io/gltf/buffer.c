/* Buffers: the GLB chunk, data URIs, files beside the document. */
#include "io/gltf/gltf.h"

#include <string.h>

static pleat_result read_file(pl_gltf *g, const char *uri, const char *place, const uint8_t **bytes, size_t *size)
{
    if (g->alone)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.uri is \"%.120s\"; a document in memory cannot have other files",
                            place, uri);
    }
    const char *problem;
    char *path = pl_uri_path(&g->asset->arena, g->asset, uri, &problem);
    if (!path)
    {
        return pl_fail_memory(&g->asset->memory, g->error, "a path");
    }
    if (problem)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.uri is \"%.120s\"; %s", place, uri, problem);
    }
    pleat_error inner = {0};
    pleat_result result = pl_asset_read_file(g->asset, path, bytes, size, &inner);
    return result == PLEAT_OK ? result : pl_gltf_fail(g, result, "%s.uri: %s", place, inner.message);
}

static pleat_result read_buffer(pl_gltf *g, uint32_t index, json_t *object, const uint8_t *chunk, size_t chunk_size)
{
    pl_place place = pl_at("buffers[%u]", index);
    uint64_t declared;
    const char *uri;
    PL_TRY(pl_json_size(g, object, "byteLength", place.text, 0, &declared));
    PL_TRY(pl_json_text(g, object, "uri", place.text, &uri));
    if (declared == 0)
    {
        return pl_json_missing(g, place.text, "byteLength");
    }
    const uint8_t *bytes = NULL;
    size_t size = 0;
    if (uri && pl_uri_is_data(uri))
    {
        PL_TRY(pl_gltf_uri_data(g, uri, json_string_length(json_object_get(object, "uri")), place.text, &bytes, &size));
        /* The text is half as long again as the bytes; the writer makes its own. */
        json_object_del(object, "uri");
    }
    else if (uri)
    {
        PL_TRY(read_file(g, uri, place.text, &bytes, &size));
        g->source_bytes += size;
    }
    else if (index == 0 && chunk)
    {
        bytes = chunk;
        size = chunk_size;
    }
    else
    {
        return PLEAT_OK; /* a fallback for compressed data has no bytes; whoever needs them finds out */
    }
    if (declared > size)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.byteLength is %llu; the data has %zu bytes", place.text,
                            (unsigned long long)declared, size);
    }
    g->buffers[index] = (pl_gltf_buffer){bytes, (size_t)declared};
    return PLEAT_OK;
}

pleat_result pl_gltf_read_buffers(pl_gltf *g, const uint8_t *chunk, size_t chunk_size)
{
    json_t *buffers;
    json_t *object;
    PL_TRY(pl_json_array(g, g->root, "buffers", "", &buffers, &g->buffer_count));
    PL_TRY(pl_gltf_alloc(g, g->buffer_count, sizeof *g->buffers, "buffers", &g->buffers));
    for (uint32_t i = 0; i < g->buffer_count; ++i)
    {
        PL_TRY(pl_json_item(g, buffers, i, "buffers", &object));
        PL_TRY(read_buffer(g, i, object, chunk, chunk_size));
    }
    PL_TRY(pl_json_array(g, g->root, "bufferViews", "", &object, &g->view_count));
    PL_TRY(pl_gltf_alloc(g, g->view_count, sizeof *g->views, "bufferViews", &g->views));
    PL_TRY(pl_json_array(g, g->root, "accessors", "", &object, &g->accessor_count));
    return pl_gltf_alloc(g, g->accessor_count, sizeof *g->accessors, "accessors", &g->accessors);
}
