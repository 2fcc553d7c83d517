/* Compression of what was added: EXT_meshopt_compression, view by view. Each compressed view names a second buffer that
 * is not in the file, as the extension asks for, where its plain bytes would lie. */
#include "io/gltf/write/writer.h"

#include <meshoptimizer.h>

static const char extension_name[] = "EXT_meshopt_compression";

/* The bytes of a view compressed, in memory of the writer; *size is 0 where that gains nothing. */
static uint8_t *compress(pl_writer *w, const pl_piece *piece, size_t *size)
{
    size_t count = piece->size / piece->stride;
    size_t bound = piece->indices ? meshopt_encodeIndexBufferBound(count, count) /* vertices: at most as many */
                                  : meshopt_encodeVertexBufferBound(count, piece->stride);
    uint8_t *out = pl_writer_alloc(w, bound, 1);
    *size = 0;
    if (!out)
    {
        return NULL;
    }
    if (!piece->indices)
    {
        *size = meshopt_encodeVertexBuffer(out, bound, piece->bytes, count, piece->stride);
    }
    else if (piece->stride == 4)
    {
        *size = meshopt_encodeIndexBuffer(out, bound, (const uint32_t *)piece->bytes, count);
    }
    else
    {
        uint32_t *wide = PL_NEW(&w->memory, uint32_t, count);
        if (!wide)
        {
            return NULL;
        }
        for (size_t i = 0; i < count; ++i)
        {
            wide[i] = ((const uint16_t *)piece->bytes)[i];
        }
        *size = meshopt_encodeIndexBuffer(out, bound, wide, count);
        pl_free(&w->memory, wide);
    }
    *size = *size >= piece->size ? 0 : *size;
    return out;
}

static pleat_result pack_view(pl_writer *w, uint32_t i)
{
    pl_piece *piece = &w->pieces[i];
    size_t size;
    uint8_t *bytes = compress(w, piece, &size);
    if (!bytes)
    {
        return pl_writer_no_memory(w);
    }
    if (size == 0)
    {
        return PLEAT_OK;
    }
    json_t *view = json_array_get(pl_section(w, "bufferViews"), i);
    json_t *extensions = json_object(), *extension = json_object();
    pl_json_set(w, extension, "buffer", json_integer(0));
    pl_json_set(w, extension, "byteOffset", json_integer(0));
    pl_json_set(w, extension, "byteLength", json_integer((json_int_t)size));
    pl_json_set(w, extension, "byteStride", json_integer((json_int_t)piece->stride));
    pl_json_set(w, extension, "mode", json_string(piece->indices ? "TRIANGLES" : "ATTRIBUTES"));
    pl_json_set(w, extension, "count", json_integer((json_int_t)(piece->size / piece->stride)));
    pl_json_set(w, extensions, extension_name, extension);
    pl_json_set(w, view, "extensions", extensions);
    piece->unpacked = piece->size;
    piece->bytes = bytes;
    piece->size = size;
    pl_require_extension(w, extension_name);
    return pl_writer_check(w);
}

pleat_result pl_writer_pack(pl_writer *w)
{
    /* The forms that the extension names. */
    meshopt_encodeVertexVersion(0);
    meshopt_encodeIndexVersion(1);
    for (uint32_t i = 0; w->edits->encoding == PLEAT_ENCODE_PACKED && i < w->piece_count; ++i)
    {
        if (w->pieces[i].stride > 0 && w->pieces[i].stride <= 256 && w->pieces[i].size > 0)
        {
            PL_TRY(pack_view(w, i));
        }
    }
    return PLEAT_OK;
}
