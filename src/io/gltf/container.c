/* The container: GLB chunks or JSON text, and the tree that jansson makes of it. */
#include "io/gltf/gltf.h"

#include <string.h>

enum
{
    GLB_MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BIN = 0x004E4942,
    GLB_HEADER = 12,
    CHUNK_HEADER = 8
};

static uint32_t read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

typedef struct chunks
{
    const uint8_t *json;
    size_t json_size;
    const uint8_t *binary; /* or NULL */
    size_t binary_size;
} chunks;

static pleat_result split_glb(pl_gltf *g, const uint8_t *bytes, size_t size, chunks *out)
{
    if (size < GLB_HEADER + CHUNK_HEADER)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "the file has %zu bytes; a GLB has at least %d", size,
                            GLB_HEADER + CHUNK_HEADER);
    }
    uint32_t version = read_u32(bytes + 4);
    if (version != 2)
    {
        return pl_gltf_fail(g, PLEAT_UNSUPPORTED, "byte 4: GLB version %u; pleat reads version 2", version);
    }
    size_t length = read_u32(bytes + 8);
    if (length > size)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "byte 8: the header says %zu bytes; the file was cut at %zu", length,
                            size);
    }
    if (length < size)
    {
        pl_gltf_warn(g, "%zu bytes after the end of the GLB are ignored", size - length);
    }
    for (size_t offset = GLB_HEADER; offset < length;)
    {
        size_t left = length - offset;
        size_t chunk_size = left >= CHUNK_HEADER ? read_u32(bytes + offset) : 0;
        if (left < CHUNK_HEADER || chunk_size > left - CHUNK_HEADER)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "byte %zu: a chunk of %zu bytes; the file has room for %zu", offset,
                                chunk_size, left < CHUNK_HEADER ? 0 : left - CHUNK_HEADER);
        }
        uint32_t type = read_u32(bytes + offset + 4);
        const uint8_t *content = bytes + offset + CHUNK_HEADER;
        if (offset == GLB_HEADER)
        {
            if (type != CHUNK_JSON)
            {
                return pl_gltf_fail(g, PLEAT_BAD_DATA,
                                    "byte %zu: the first chunk is of type 0x%08x; it must be JSON (0x%x)", offset + 4,
                                    type, CHUNK_JSON);
            }
            out->json = content;
            out->json_size = chunk_size;
        }
        else if (type == CHUNK_BIN && !out->binary)
        {
            out->binary = content;
            out->binary_size = chunk_size;
        }
        offset += CHUNK_HEADER + chunk_size;
    }
    return PLEAT_OK;
}

/* jansson allocates by itself, so the tree is kept in bounds from outside: an upper estimate of its size from the text,
 * taken from the budget beforehand. The figures are what jansson 2.14 asks malloc for, rounded up. */
static uint64_t tree_size(const uint8_t *text, size_t size)
{
    enum
    {
        OBJECT = 256,
        ARRAY = 144,
        ITEM = 64,
        PAIR = 112,
        STRING = 64
    };
    uint64_t bytes = 256;
    for (size_t i = 0; i < size; ++i)
    {
        switch (text[i])
        {
        case '{':
            bytes += OBJECT;
            break;
        case '[':
            bytes += ARRAY;
            break;
        case ',':
            bytes += ITEM;
            break;
        case ':':
            bytes += PAIR;
            break;
        case '"':
            bytes += STRING;
            for (++i; i < size && text[i] != '"'; ++i)
            {
                i += text[i] == '\\';
                ++bytes;
            }
            break;
        default:
            break;
        }
    }
    return bytes;
}

static pleat_result reserve_tree(pl_gltf *g, const uint8_t *text, size_t size)
{
    uint64_t bytes = tree_size(text, size);
    PL_TRY(pl_gltf_expand(g, bytes, "the JSON text"));
    pl_memory *memory = &g->asset->memory;
    if (memory->used > memory->limit || bytes > memory->limit - memory->used)
    {
        memory->over_limit = true;
        return pl_fail_memory(memory, g->error, "the JSON text");
    }
    memory->used += (size_t)bytes;
    memory->peak = memory->used > memory->peak ? memory->used : memory->peak;
    g->json_bytes = (size_t)bytes;
    return PLEAT_OK;
}

static pleat_result parse_json(pl_gltf *g, const uint8_t *text, size_t size)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    if (size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0)
    {
        text += sizeof mark;
        size -= sizeof mark;
    }
    while (size > 0 && text[size - 1] == 0) /* some writers pad the chunk with zeros in place of blanks */
    {
        --size;
    }
    PL_TRY(reserve_tree(g, text, size));
    json_error_t problem;
    g->root = json_loadb((const char *)text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
    if (!g->root && problem.text[0] == 0) /* how jansson says that it had no memory */
    {
        return pl_gltf_fail(g, PLEAT_NO_MEMORY, "out of memory for the JSON text");
    }
    if (!g->root)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "JSON line %d, column %d: %s", problem.line, problem.column,
                            problem.text);
    }
    if (!json_is_object(g->root))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "the JSON text is no object");
    }
    return PLEAT_OK;
}

static pleat_result check_version(pl_gltf *g)
{
    json_t *asset;
    const char *version;
    const char *least;
    PL_TRY(pl_json_object(g, g->root, "asset", "", &asset));
    PL_TRY(pl_json_text(g, asset, "version", "asset", &version));
    PL_TRY(pl_json_text(g, asset, "minVersion", "asset", &least));
    if (!version)
    {
        return pl_json_missing(g, "asset", "version");
    }
    if (strncmp(version, "2.", 2) != 0 || (least && strcmp(least, "2.0") != 0))
    {
        return pl_gltf_fail(g, PLEAT_UNSUPPORTED, "asset.%s is %.20s; pleat reads glTF 2.0",
                            strncmp(version, "2.", 2) != 0 ? "version" : "minVersion",
                            strncmp(version, "2.", 2) != 0 ? version : least);
    }
    return PLEAT_OK;
}

/* The bytes of a GLB must stay: kept where they are if they can be had, else copied. */
static pleat_result keep_chunk(pl_gltf *g, unsigned char **owned, chunks *parts)
{
    if (owned)
    {
        g->file = *owned;
        *owned = NULL;
        return PLEAT_OK;
    }
    g->file = PL_NEW(&g->asset->memory, unsigned char, parts->binary_size);
    if (!g->file)
    {
        return pl_fail_memory(&g->asset->memory, g->error, "the binary chunk");
    }
    memcpy(g->file, parts->binary, parts->binary_size);
    parts->binary = g->file;
    return PLEAT_OK;
}

pleat_result pl_gltf_open(pl_gltf *g, const uint8_t *bytes, size_t size, unsigned char **owned)
{
    chunks parts = {bytes, size, NULL, 0};
    g->source_bytes = size;
    bool binary = size >= 4 && read_u32(bytes) == GLB_MAGIC;
    if (binary)
    {
        parts = (chunks){0};
        PL_TRY(split_glb(g, bytes, size, &parts));
    }
    else if (g->asset->format == PLEAT_FORMAT_GLB && (size == 0 || (bytes[0] != '{' && bytes[0] != 0xef)))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "byte 0: the file does not begin with \"glTF\" as every GLB does");
    }
    g->asset->format = binary ? PLEAT_FORMAT_GLB : PLEAT_FORMAT_GLTF;
    PL_TRY(parse_json(g, parts.json, parts.json_size));
    PL_TRY(check_version(g));
    PL_TRY(pl_gltf_check_extensions(g));
    if (parts.binary)
    {
        PL_TRY(keep_chunk(g, owned, &parts));
    }
    return pl_gltf_read_buffers(g, parts.binary, parts.binary_size);
}
