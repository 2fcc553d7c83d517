#include "support/glb.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t support_put(support_bytes *bytes, const void *data, size_t size)
{
    size_t offset = (bytes->size + 3) / 4 * 4;
    bytes->data = realloc(bytes->data, offset + size + 1);
    memset(bytes->data + bytes->size, 0, offset - bytes->size);
    memcpy(bytes->data + offset, data, size);
    bytes->size = offset + size;
    return offset;
}

void support_bytes_free(support_bytes *bytes)
{
    free(bytes->data);
    *bytes = (support_bytes){0};
}

support_bytes support_glb(const char *json, const void *binary, size_t size)
{
    size_t length = strlen(json);
    size_t padded = (length + 3) / 4 * 4;
    char *text = malloc(padded + 1);
    memset(text, ' ', padded);
    for (size_t i = 0; i < length; ++i)
    {
        text[i] = json[i];
        if (json[i] == '\'')
        {
            text[i] = '"';
        }
    }
    uint32_t tail = (uint32_t)((size + 3) / 4 * 4);
    uint32_t header[5] = {0x46546C67, 2, (uint32_t)(20 + padded + (size ? 8 + tail : 0)), (uint32_t)padded, 0x4E4F534A};
    uint32_t chunk[2] = {tail, 0x004E4942};
    support_bytes out = {0};
    support_put(&out, header, sizeof header);
    support_put(&out, text, padded);
    if (size)
    {
        support_put(&out, chunk, sizeof chunk);
        support_put(&out, binary, size);
        support_put(&out, "", 0);
    }
    free(text);
    return out;
}

static void remember(void *user, pleat_severity severity, const char *message)
{
    support_log *log = user;
    (void)severity;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s\n", message);
}

pleat_host support_logging_host(support_log *log)
{
    log->text[0] = 0;
    pleat_host host = pleat_host_default();
    host.log = remember;
    host.log_user = log;
    return host;
}

support_log support_warnings;

pleat_asset *support_parse(const char *json, const support_bytes *binary)
{
    pleat_host host = support_logging_host(&support_warnings);
    support_bytes glb = support_glb(json, binary ? binary->data : NULL, binary ? binary->size : 0);
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "t.glb", &host, &asset, &error);
    support_bytes_free(&glb); /* the asset must not need it any more */
    if (result != PLEAT_OK)
    {
        print_message("%s\n", error.message);
    }
    assert_int_equal(result, PLEAT_OK);
    return asset;
}

void support_refuse_as(pleat_result expected, const char *json, const support_bytes *binary, const char *part)
{
    pleat_host host = support_logging_host(&support_warnings);
    support_bytes glb = support_glb(json, binary ? binary->data : NULL, binary ? binary->size : 0);
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "t.glb", &host, &asset, &error);
    support_bytes_free(&glb);
    assert_null(asset);
    if (result != expected || !strstr(error.message, part) || strncmp(error.message, "t.glb: ", 7) != 0)
    {
        print_message("%s %s\n", pleat_result_name(result), error.message);
        fail_msg("expected %s with \"%s\"", pleat_result_name(expected), part);
    }
}

void support_refuse(const char *json, const support_bytes *binary, const char *part)
{
    support_refuse_as(PLEAT_BAD_DATA, json, binary, part);
}

const char *support_text(const char *format, ...)
{
    static char buffer[32][8192];
    static int turn;
    char *out = buffer[turn++ % 32];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, sizeof buffer[0], format, arguments);
    va_end(arguments);
    assert_true(length < (int)sizeof buffer[0]);
    return out;
}

const char *support_document(const char *attributes, const char *more, const char *accessors, const char *views,
                             size_t size)
{
    return support_text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],"
                        "'meshes':[{'primitives':[{'attributes':{%s}%s}]}],"
                        "'accessors':[%s],'bufferViews':[%s],'buffers':[{'byteLength':%zu}]}",
                        attributes, more, accessors, views, size);
}

const float support_square[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};

const pleat_primitive *support_first_primitive(const pleat_asset *asset)
{
    return &pleat_asset_model(asset)->meshes[0].primitives[0];
}

pleat_result support_parse_bytes(const void *bytes, size_t size, pleat_error *error)
{
    pleat_asset *asset;
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, bytes, size, "t.glb", NULL, &asset, error);
    assert_true((result == PLEAT_OK) == (asset != NULL));
    pleat_asset_destroy(asset);
    return result;
}
