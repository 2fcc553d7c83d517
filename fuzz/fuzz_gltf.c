/* glTF and GLB from hostile bytes: read, written back, and read again.
 *
 * What was read must be writable, and what was written must be readable: the only excuses are memory and the parts that
 * the reader does not look at. A GLB is changed inside, in its JSON or its data, with the lengths put right, so that
 * most tries get past the container. */
#include "io/gltf/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    LIMIT = 512 << 20,
    LARGEST_OUTPUT = 64 << 20
};

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct output
{
    uint8_t *bytes;
    size_t size;
} output;

static pleat_result collect(void *user, const void *bytes, size_t size, pleat_error *error)
{
    output *out = user;
    if (out->size + size > LARGEST_OUTPUT)
    {
        return pl_fail(error, PLEAT_OVER_LIMIT, "too large for a try");
    }
    out->bytes = realloc(out->bytes, out->size + size + 1);
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    return PLEAT_OK;
}

static pleat_result write_back(const pleat_asset *asset, const pleat_gltf_edits *edits, output *out, pleat_error *error)
{
    pl_writer writer;
    pleat_result result = pl_writer_build(&writer, asset, edits, true, error);
    if (result == PLEAT_OK)
    {
        result = pl_writer_layout(&writer, NULL);
    }
    if (result == PLEAT_OK)
    {
        result = pl_writer_emit_glb(&writer, (pl_sink){collect, out});
    }
    pl_writer_end(&writer);
    return result;
}

/* Memory may run out; something that the reader ignores may be broken. Everything else is a fault of ours. */
static void must(pleat_result result, const pleat_error *error, const char *what)
{
    bool excused = result == PLEAT_OK || result == PLEAT_NO_MEMORY || result == PLEAT_OVER_LIMIT ||
                   strstr(error->message, "is broken and cannot be written") || strstr(error->message, "may unpack to");
    if (!excused)
    {
        fprintf(stderr, "%s: %s\n", what, error->message);
        abort();
    }
}

/* Writes, and reads what was written. */
static void round_trip(const pleat_asset *asset, const pleat_gltf_edits *edits, const pleat_host *host)
{
    output out = {0};
    pleat_error error = {0};
    pleat_result result = write_back(asset, edits, &out, &error);
    must(result, &error, "write");
    if (result == PLEAT_OK)
    {
        pleat_asset *again;
        result = pleat_asset_parse(PLEAT_FORMAT_GLB, out.bytes, out.size, "again", host, &again, &error);
        must(result, &error, "read again");
        pleat_asset_destroy(again);
    }
    free(out.bytes);
}

/* The mesh of a node replaced by one of the same shape in new arrays, with one more morph target, and a clip for it. */
static void edit_node(const pleat_asset *asset, uint32_t node, const pleat_host *host)
{
    const pleat_model *model = pleat_asset_model(asset);
    pleat_mesh mesh = model->meshes[model->nodes[node].mesh];
    uint32_t vertex_count = 0;
    for (uint32_t p = 0; p < mesh.primitive_count; ++p)
    {
        vertex_count = mesh.primitives[p].vertex_count > vertex_count ? mesh.primitives[p].vertex_count : vertex_count;
    }
    if (vertex_count > 10000 || mesh.primitive_count > 100)
    {
        return;
    }
    pleat_primitive *primitives = calloc(mesh.primitive_count, sizeof *primitives);
    const uint32_t **sources = calloc(mesh.primitive_count, sizeof *sources);
    pleat_vec3 *moved = calloc(vertex_count, sizeof *moved);
    uint32_t *reversed = calloc(vertex_count, sizeof *reversed);
    pleat_target target = {moved, NULL};
    for (uint32_t p = 0; p < mesh.primitive_count; ++p)
    {
        primitives[p] = mesh.primitives[p];
        primitives[p].targets = &target;
        if (p % 2 == 0)
        {
            primitives[p].positions = moved;
            sources[p] = reversed;
        }
    }
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        moved[v].x = (float)v;
    }
    mesh.primitives = primitives;
    mesh.target_count = 1;
    mesh.weights = NULL;
    mesh.target_names = NULL;
    const float times[2] = {0, 1};
    const pleat_mesh_edit edit = {.node = node, .mesh = &mesh, .source_vertex = sources};
    const pleat_weights_edit moves = {node, model->clip_count ? 0 : PLEAT_NONE, 2, times, times};
    pleat_encoding encoding = (pleat_encoding)(mesh.primitives[0].vertex_count % 3);
    round_trip(asset,
               &(pleat_gltf_edits){.encoding = encoding,
                                   .mesh_edit_count = 1,
                                   .mesh_edits = &edit,
                                   .weights_edit_count = 1,
                                   .weights_edits = &moves},
               host);
    free(reversed);
    free(moved);
    free(sources);
    free(primitives);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = pleat_host_default();
    host.memory_limit = LIMIT;
    pleat_asset *asset;
    pleat_error error = {0};
    if (pleat_asset_parse(PLEAT_FORMAT_GLTF, data, size, "fuzz", &host, &asset, &error) != PLEAT_OK)
    {
        return 0;
    }
    round_trip(asset, NULL, &host);
    const pleat_model *model = pleat_asset_model(asset);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh != PLEAT_NONE)
        {
            edit_node(asset, n, &host);
            break;
        }
    }
    pleat_asset *made;
    if (pleat_asset_from_model(model, NULL, &host, &made, &error) == PLEAT_OK)
    {
        round_trip(made, NULL, &host);
        pleat_asset_destroy(made);
    }
    pleat_asset_destroy(asset);
    return 0;
}

static uint32_t get_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void put_u32(uint8_t *bytes, size_t value)
{
    uint32_t small = (uint32_t)value;
    memcpy(bytes, &small, sizeof small);
}

/* Changes the JSON (mostly) or the data of a well-formed GLB; everything else byte by byte. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t json_size = size >= 20 ? get_u32(data + 12) : 0;
    bool whole = size >= 28 && memcmp(data, "glTF", 4) == 0 && json_size <= size - 28 &&
                 get_u32(data + 20 + json_size) == size - 28 - json_size;
    if (!whole || seed % 16 == 0 || max_size < size + 64)
    {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    size_t binary_size = size - 28 - json_size;
    if (seed % 4 == 1 && binary_size > 0)
    {
        /* Values may change, their number not: lengths in the JSON go on to fit. */
        LLVMFuzzerMutate(data + 28 + json_size, binary_size, binary_size);
        return size;
    }
    size_t room = (max_size - size) / 4 * 4;
    uint8_t *json = malloc(json_size + room + 4);
    memcpy(json, data + 20, json_size);
    size_t changed = LLVMFuzzerMutate(json, json_size, json_size + room);
    while (changed % 4 != 0)
    {
        json[changed++] = ' ';
    }
    if (28 + changed + binary_size > max_size)
    {
        free(json);
        return size;
    }
    memmove(data + 28 + changed, data + 28 + json_size, binary_size);
    memcpy(data + 20, json, changed);
    free(json);
    put_u32(data + 12, changed);
    put_u32(data + 20 + changed, binary_size);
    memcpy(data + 24 + changed, "BIN", 4);
    put_u32(data + 8, 28 + changed + binary_size);
    return 28 + changed + binary_size;
}
