/* The end of writing: where each byte goes, the GLB container or text beside a .bin, and the files themselves. */
#include "io/gltf/write/writer.h"

#include "io/file/json_text.h"
#include "io/file/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout ---- */

static size_t align4(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* The input's buffers stay whole where all of them is needed, and also where views overlap so much that copies of each
 * would be larger than the buffers. */
static bool keeps_buffers(const pl_writer *w)
{
    const pl_gltf *g = w->asset->gltf;
    if (!g)
    {
        return false;
    }
    uint64_t in_views = 0;
    uint64_t in_buffers = 0;
    bool decoded = false;
    for (uint32_t i = 0; i < w->input_views; ++i)
    {
        decoded |= w->pieces[i].buffer == PLEAT_NONE;
        in_views += w->pieces[i].buffer == PLEAT_NONE ? 0 : w->pieces[i].size;
    }
    for (uint32_t b = 0; b < g->buffer_count; ++b)
    {
        in_buffers += g->buffers[b].size;
    }
    return (!w->views_dropped && !decoded) || in_views > in_buffers;
}

static void add_segment(pl_writer *w, const uint8_t *bytes, size_t size)
{
    w->total = align4(w->total);
    w->segments[w->segment_count++] = (pl_segment){bytes, size, w->total};
    w->total += size;
}

static pleat_result place_pieces(pl_writer *w)
{
    const pl_gltf *g = w->asset->gltf;
    uint32_t buffer_count = g ? g->buffer_count : 0;
    bool whole = keeps_buffers(w);
    w->total = 0;
    w->segments = pl_writer_alloc(w, (size_t)w->piece_count + buffer_count, sizeof *w->segments);
    size_t *base = pl_writer_alloc(w, buffer_count, sizeof *base);
    if (!w->segments || !base)
    {
        return pl_writer_no_memory(w);
    }
    for (uint32_t b = 0; whole && b < buffer_count; ++b)
    {
        if (g->buffers[b].bytes)
        {
            add_segment(w, g->buffers[b].bytes, g->buffers[b].size);
            base[b] = w->total - g->buffers[b].size;
        }
    }
    for (uint32_t i = 0; i < w->piece_count; ++i)
    {
        pl_piece *piece = &w->pieces[i];
        if (whole && piece->buffer != PLEAT_NONE)
        {
            piece->offset = base[piece->buffer] + (size_t)(piece->bytes - g->buffers[piece->buffer].bytes);
        }
        else
        {
            add_segment(w, piece->bytes, piece->size);
            piece->offset = w->total - piece->size;
        }
    }
    return PLEAT_OK;
}

/* Takes a name off the lists of extensions; a list that gets empty goes. */
static void unlist_extension(json_t *root, const char *name)
{
    static const char *const lists[] = {"extensionsUsed", "extensionsRequired"};
    for (size_t l = 0; l < 2; ++l)
    {
        json_t *list = json_object_get(root, lists[l]);
        for (size_t i = json_array_size(list); i-- > 0;)
        {
            const char *listed = json_string_value(json_array_get(list, i));
            if (listed && strcmp(listed, name) == 0)
            {
                json_array_remove(list, i);
                if (json_array_size(list) == 0)
                {
                    json_object_del(root, lists[l]);
                    break;
                }
            }
        }
    }
}

static bool uses_draco(const json_t *root)
{
    size_t i, j;
    json_t *mesh, *primitive;
    json_array_foreach(json_object_get(root, "meshes"), i, mesh)
    {
        json_array_foreach(json_object_get(mesh, "primitives"), j, primitive)
        {
            if (json_object_get(json_object_get(primitive, "extensions"), "KHR_draco_mesh_compression"))
            {
                return true;
            }
        }
    }
    return false;
}

/* A compressed view: where its bytes are, and where they would lie in the buffer that is not there. */
static void place_packed(pl_writer *w, json_t *view, const pl_piece *piece)
{
    json_t *extension = json_object_get(json_object_get(view, "extensions"), "EXT_meshopt_compression");
    pl_json_set(w, extension, "byteOffset", json_integer((json_int_t)piece->offset));
    pl_json_set(w, view, "buffer", json_integer(1));
    pl_json_set(w, view, "byteOffset", json_integer((json_int_t)w->unpacked));
    w->unpacked += align4(piece->unpacked);
}

static void put_fallback_buffer(pl_writer *w, json_t *buffers)
{
    json_t *buffer = json_object(), *extensions = json_object(), *extension = json_object();
    pl_json_set(w, buffer, "byteLength", json_integer((json_int_t)w->unpacked));
    pl_json_set(w, extension, "fallback", json_true());
    pl_json_set(w, extensions, "EXT_meshopt_compression", extension);
    pl_json_set(w, buffer, "extensions", extensions);
    pl_json_append(w, buffers, buffer);
}

pleat_result pl_writer_layout(pl_writer *w, const char *uri)
{
    PL_TRY(place_pieces(w));
    w->unpacked = 0;
    json_t *views = json_object_get(w->root, "bufferViews");
    for (uint32_t i = 0; i < w->piece_count; ++i)
    {
        json_t *view = json_array_get(views, i);
        pl_json_set(w, view, "buffer", json_integer(0));
        if (w->pieces[i].offset != 0 || json_object_get(view, "byteOffset"))
        {
            pl_json_set(w, view, "byteOffset", json_integer((json_int_t)w->pieces[i].offset));
        }
        if (w->pieces[i].unpacked == 0)
        {
            pl_json_delete_extension(view, "EXT_meshopt_compression");
            pl_json_delete_extension(view, "KHR_meshopt_compression");
        }
        else
        {
            place_packed(w, view, &w->pieces[i]);
        }
    }
    if (w->unpacked == 0)
    {
        unlist_extension(w->root, "EXT_meshopt_compression");
    }
    unlist_extension(w->root, "KHR_meshopt_compression");
    if (!uses_draco(w->root))
    {
        unlist_extension(w->root, "KHR_draco_mesh_compression");
    }
    json_t *first = json_array_get(json_object_get(w->root, "buffers"), 0);
    json_t *buffer = first ? json_copy(first) : json_object();
    json_t *buffers = json_array();
    json_object_del(buffer, "uri");
    pl_json_delete_extension(buffer, "EXT_meshopt_compression");
    pl_json_delete_extension(buffer, "KHR_meshopt_compression");
    pl_json_set(w, buffer, "byteLength", json_integer((json_int_t)w->total));
    if (uri)
    {
        pl_json_set(w, buffer, "uri", json_string(uri));
    }
    pl_json_append(w, buffers, buffer);
    if (w->unpacked > 0)
    {
        put_fallback_buffer(w, buffers);
    }
    pl_json_set(w, w->root, "buffers", buffers);
    if (w->total == 0)
    {
        json_object_del(w->root, "buffers");
    }
    return pl_writer_check(w);
}

/* ---- Bytes ---- */

static pleat_result emit_binary(const pl_writer *w, pl_sink sink)
{
    static const uint8_t zeros[4];
    size_t at = 0;
    for (uint32_t i = 0; i < w->segment_count; ++i)
    {
        PL_TRY(pl_go_on(&w->asset->host, "writing glTF, block", i, w->segment_count, w->error));
        PL_TRY(sink.write(sink.user, zeros, w->segments[i].offset - at, w->error));
        PL_TRY(sink.write(sink.user, w->segments[i].bytes, w->segments[i].size, w->error));
        at = w->segments[i].offset + w->segments[i].size;
    }
    return PLEAT_OK;
}

static pleat_result make_text(pl_writer *w, pl_json_output *text, int indent)
{
    *text = (pl_json_output){.memory = &w->memory};
    pl_json_print(text, w->root, indent);
    if (text->failed)
    {
        pl_json_output_free(text);
        return pl_writer_no_memory(w);
    }
    return PLEAT_OK;
}

static void put_u32(uint8_t *out, uint64_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static pleat_result emit_chunks(pl_writer *w, pl_json_output *text, pl_sink sink)
{
    static const uint8_t zeros[4];
    while (text->size % 4 != 0)
    {
        pl_json_put(text, " ", 1);
    }
    if (text->failed)
    {
        return pl_writer_no_memory(w);
    }
    size_t binary = align4(w->total);
    uint64_t length = 20 + (uint64_t)text->size + (binary ? 8 + (uint64_t)binary : 0);
    if (length > UINT32_MAX)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT,
                              "the output has %llu bytes; a GLB can have 4294967295, a .gltf more",
                              (unsigned long long)length);
    }
    uint8_t head[20] = {'g', 'l', 'T', 'F', 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'J', 'S', 'O', 'N'};
    uint8_t chunk[8] = {0, 0, 0, 0, 'B', 'I', 'N', 0};
    put_u32(head + 8, length);
    put_u32(head + 12, text->size);
    put_u32(chunk, binary);
    PL_TRY(sink.write(sink.user, head, sizeof head, w->error));
    PL_TRY(sink.write(sink.user, text->bytes, text->size, w->error));
    if (binary == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(sink.write(sink.user, chunk, sizeof chunk, w->error));
    PL_TRY(emit_binary(w, sink));
    return sink.write(sink.user, zeros, binary - w->total, w->error);
}

pleat_result pl_writer_emit_glb(pl_writer *w, pl_sink sink)
{
    pl_json_output text;
    PL_TRY(make_text(w, &text, 0));
    pleat_result result = emit_chunks(w, &text, sink);
    pl_json_output_free(&text);
    return result;
}

pleat_result pl_writer_emit_text(pl_writer *w, pl_sink text_sink, pl_sink binary_sink)
{
    pl_json_output text;
    PL_TRY(make_text(w, &text, 2));
    pleat_result result = text_sink.write(text_sink.user, text.bytes, text.size, w->error);
    pl_json_output_free(&text);
    return result == PLEAT_OK ? emit_binary(w, binary_sink) : result;
}

/* ---- The whole ---- */

pleat_result pl_writer_build(pl_writer *w, const pleat_asset *asset, const pleat_gltf_edits *edits, bool embed_images,
                             pleat_error *error)
{
    static const pleat_gltf_edits none;
    *w = (pl_writer){.asset = asset, .edits = edits ? edits : &none, .error = error};
    w->memory = pl_memory_from(&asset->host);
    pl_arena_init(&w->arena, &w->memory);
    pl_references before;
    PL_TRY(pl_writer_begin(w));
    PL_TRY(pl_writer_find_references(w, &before));
    PL_TRY(pl_writer_apply_edits(w));
    if (embed_images)
    {
        PL_TRY(pl_writer_embed_images(w));
    }
    PL_TRY(pl_writer_drop_unused(w, &before));
    return pl_writer_pack(w);
}

void pl_writer_end(pl_writer *w)
{
    json_decref(w->root);
    for (pl_owned *owned = w->owned; owned; owned = owned->next)
    {
        pl_free(&w->memory, owned->bytes);
    }
    pl_free(&w->memory, w->pieces);
    pl_arena_free(&w->arena);
}

static pleat_result to_output(void *user, const void *bytes, size_t size, pleat_error *error)
{
    return pl_output_write(user, bytes, size, error);
}

static pleat_result write_glb(pl_writer *w, const char *path, pleat_outputs *outputs)
{
    PL_TRY(pl_writer_layout(w, NULL));
    pl_output *output;
    PL_TRY(pl_output_begin(path, &w->asset->host, &output, w->error));
    pleat_result result = pl_writer_emit_glb(w, (pl_sink){to_output, output});
    if (result != PLEAT_OK)
    {
        pl_output_abort(output);
        return result;
    }
    return pl_output_end(output, outputs, w->error);
}

/* The file name of the .bin as a URI: everything but letters, digits and -._~ is escaped. */
static char *file_uri(pl_writer *w, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *uri = pl_writer_alloc(w, strlen(name) * 3 + 1, 1);
    char *out = uri;
    for (; uri && *name; ++name)
    {
        if (strchr(plain, *name))
        {
            *out++ = *name;
        }
        else
        {
            static const char digits[] = "0123456789ABCDEF";
            unsigned char c = (unsigned char)*name;
            *out++ = '%';
            *out++ = digits[c >> 4];
            *out++ = digits[c & 15];
        }
    }
    return uri;
}

/* Both files of a .gltf are put into the group: the text and, where there is data, the .bin. */
static pleat_result write_pair(pl_writer *w, const char *path, const char *binary_path, pleat_outputs *outputs)
{
    pl_output *text;
    pl_output *binary;
    PL_TRY(pl_output_begin(binary_path, &w->asset->host, &binary, w->error));
    pleat_result result = pl_output_begin(path, &w->asset->host, &text, w->error);
    if (result == PLEAT_OK)
    {
        result = pl_writer_emit_text(w, (pl_sink){to_output, text}, (pl_sink){to_output, binary});
    }
    if (result != PLEAT_OK || w->total == 0)
    {
        pl_output_abort(binary);
    }
    else
    {
        result = pl_output_end(binary, outputs, w->error);
    }
    if (result != PLEAT_OK)
    {
        pl_output_abort(text);
        return result;
    }
    return pl_output_end(text, outputs, w->error);
}

static pleat_result write_text(pl_writer *w, const char *path, pleat_outputs *outputs)
{
    size_t stem = (size_t)(strrchr(path, '.') - path);
    char *binary_path = pl_writer_alloc(w, stem + sizeof ".bin", 1);
    if (!binary_path)
    {
        return pl_writer_no_memory(w);
    }
    memcpy(binary_path, path, stem);
    memcpy(binary_path + stem, ".bin", sizeof ".bin");
    char *uri = file_uri(w, binary_path);
    if (!uri)
    {
        return pl_writer_no_memory(w);
    }
    PL_TRY(pl_writer_layout(w, uri));
    if (outputs)
    {
        return write_pair(w, path, binary_path, outputs);
    }
    pleat_outputs *own;
    PL_TRY(pleat_outputs_create(&w->asset->host, &own, w->error));
    pleat_result result = write_pair(w, path, binary_path, own);
    if (result == PLEAT_OK)
    {
        result = pleat_outputs_commit(own, w->error);
    }
    pleat_outputs_destroy(own);
    return result;
}

/* Whether two files lie in the same folder, so that relative paths in one are right in the other. */
static bool same_folder(const char *a, const char *b)
{
    char folder[2][PATH_MAX];
    const char *paths[2] = {a, b};
    for (int i = 0; i < 2; ++i)
    {
        char parent[PATH_MAX] = ".";
        const char *slash = strrchr(paths[i], '/');
        size_t length = slash ? (size_t)(slash - paths[i]) + 1 : 0;
        if (length >= sizeof parent)
        {
            return false;
        }
        memcpy(parent, paths[i], length);
        parent[length ? length : 1] = 0;
        if (!realpath(parent, folder[i]))
        {
            return false;
        }
    }
    return strcmp(folder[0], folder[1]) == 0;
}

pleat_result pleat_gltf_write(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path,
                              pleat_outputs *outputs, pleat_error *error)
{
    pleat_format format = pleat_format_of(path);
    if (format != PLEAT_FORMAT_GLTF && format != PLEAT_FORMAT_GLB)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: glTF is written to a path that ends in .glb or .gltf", path);
    }
    pl_writer w;
    bool embed = format == PLEAT_FORMAT_GLB || !same_folder(asset->name, path);
    pleat_result result = pl_writer_build(&w, asset, edits, embed, error);
    if (result == PLEAT_OK)
    {
        result = format == PLEAT_FORMAT_GLB ? write_glb(&w, path, outputs) : write_text(&w, path, outputs);
    }
    pl_writer_end(&w);
    return result;
}
