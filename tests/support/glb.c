#include "support/glb.h"

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
