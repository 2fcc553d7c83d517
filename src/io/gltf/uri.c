/* URIs: base64 data, and relative paths. */
#include "io/gltf/gltf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool pl_uri_is_data(const char *uri)
{
    return strncmp(uri, "data:", 5) == 0;
}

/* A letter, then letters, digits, + - . up to a colon. */
static bool has_scheme(const char *uri)
{
    size_t length = strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return length > 0 && isalpha((unsigned char)uri[0]) && uri[length] == ':';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
    {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; a % that no two digits follow stays. Returns false for %00. */
static bool decode_percent(char *text)
{
    char *out = text;
    for (const char *in = text; *in; ++in)
    {
        int high = *in == '%' ? hex_digit(in[1]) : -1;
        int low = high >= 0 ? hex_digit(in[2]) : -1;
        if (low >= 0)
        {
            *out = (char)(high * 16 + low);
            if (*out++ == 0)
            {
                return false;
            }
            in += 2;
        }
        else
        {
            *out++ = *in;
        }
    }
    *out = 0;
    return true;
}

/* Does a relative path climb above where it starts, at any step of it? */
static bool climbs_out(const char *path)
{
    int depth = 0;
    while (*path && depth >= 0)
    {
        size_t length = strcspn(path, "/\\");
        bool up = length == 2 && memcmp(path, "..", 2) == 0;
        bool stays = length == 0 || (length == 1 && path[0] == '.');
        depth += up ? -1 : stays ? 0 : 1;
        path += length + (path[length] != 0);
    }
    return depth < 0;
}

/* Is a file, with all links followed, in a folder or in one below it? What is not there is not elsewhere either: who
 * opens it says so. */
static bool is_below(const char *folder, const char *path)
{
    char *top = realpath(folder, NULL), *file = realpath(path, NULL);
    size_t length = top ? strlen(top) : 0;
    bool root = length == 1;
    bool below = !top || !file || (strncmp(file, top, length) == 0 && (root || file[length] == '/'));
    free(top);
    free(file);
    return below;
}

char *pl_uri_path(pl_arena *arena, const pleat_asset *asset, const char *uri, const char **problem)
{
    const char *document = asset->name, *slash = strrchr(document, '/');
    size_t folder = slash ? (size_t)(slash - document) + 1 : 0;
    size_t length = strlen(uri);
    char *joined = pl_arena_alloc(arena, folder + length + 1, 1), *top = pl_arena_alloc(arena, folder + 2, 1);
    *problem = NULL;
    if (!joined || !top)
    {
        return NULL;
    }
    memcpy(top, folder ? document : ".", folder ? folder : 1);
    memcpy(joined, document, folder);
    memcpy(joined + folder, uri, length);
    if (!decode_percent(joined + folder) || has_scheme(uri) || joined[folder] == '/' || joined[folder] == '\\' ||
        joined[folder] == 0)
    {
        *problem = "only data and paths relative to the file can be read";
    }
    else if (!asset->allow_outside && (climbs_out(joined + folder) || !is_below(top, joined)))
    {
        *problem = "it leads out of the file's folder, which --allow-outside (allow_outside) would allow";
    }
    return joined;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
    {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z')
    {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9')
    {
        return c - '0' + 52;
    }
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

pleat_result pl_gltf_uri_data(pl_gltf *g, const char *uri, size_t length, const char *place, const uint8_t **bytes,
                              size_t *size)
{
    const char *comma = memchr(uri, ',', length);
    if (!comma || comma - uri < 7 || strncmp(comma - 7, ";base64", 7) != 0)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.uri: a data URI must be base64 (data:...;base64,...)", place);
    }
    const char *text = comma + 1;
    size_t digits = length - (size_t)(text - uri);
    while (digits > 0 && text[digits - 1] == '=')
    {
        --digits;
    }
    uint8_t *out;
    PL_TRY(pl_gltf_alloc(g, digits / 4 * 3 + 3, 1, place, &out));
    size_t written = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; ++i)
    {
        int digit = base64_digit(text[i]);
        if (digit < 0)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.uri: character %zu is no base64", place,
                                (size_t)(text - uri) + i);
        }
        bits = bits << 6 | (uint32_t)digit;
        switch (i % 4)
        {
        case 1:
            out[written++] = (uint8_t)(bits >> 4);
            break;
        case 2:
            out[written++] = (uint8_t)(bits >> 2);
            break;
        case 3:
            out[written++] = (uint8_t)bits;
            break;
        default:
            break;
        }
    }
    *bytes = out;
    *size = written;
    return PLEAT_OK;
}
