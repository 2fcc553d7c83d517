#include "io/file/json_text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pl_json_put(pl_json_output *text, const char *bytes, size_t size)
{
    if (text->failed)
    {
        return;
    }
    if (size > text->room - text->size)
    {
        size_t room = (text->size + size) * 2 + 256;
        char *grown = pl_realloc(text->memory, text->bytes, room, 1);
        if (!grown)
        {
            text->failed = true;
            return;
        }
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

void pl_json_output_free(pl_json_output *text)
{
    pl_free(text->memory, text->bytes);
    text->bytes = NULL;
    text->size = text->room = 0;
}

static void put_line(pl_json_output *text, int indent, int depth)
{
    static const char blanks[] = "                                                                ";
    if (indent > 0)
    {
        size_t width = (size_t)indent * (size_t)depth;
        pl_json_put(text, "\n", 1);
        pl_json_put(text, blanks, width < sizeof blanks - 1 ? width : sizeof blanks - 1);
    }
}

static void put_string(pl_json_output *text, const char *string, size_t length)
{
    pl_json_put(text, "\"", 1);
    size_t start = 0;
    for (size_t i = 0; i < length; ++i)
    {
        unsigned char c = (unsigned char)string[i];
        if (c >= 0x20 && c != '"' && c != '\\')
        {
            continue;
        }
        char escape[8];
        int size =
            c < 0x20 ? snprintf(escape, sizeof escape, "\\u%04x", c) : snprintf(escape, sizeof escape, "\\%c", c);
        pl_json_put(text, string + start, i - start);
        pl_json_put(text, escape, (size_t)size);
        start = i + 1;
    }
    pl_json_put(text, string + start, length - start);
    pl_json_put(text, "\"", 1);
}

static void put_real(pl_json_output *text, double value)
{
    char digits[40];
    for (int precision = 15; precision <= 17; ++precision)
    {
        snprintf(digits, sizeof digits - 3, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
        {
            break;
        }
    }
    /* The program's locale may have another decimal point, for reading as for writing. */
    char *point = strstr(digits, localeconv()->decimal_point);
    if (point)
    {
        *point = '.';
    }
    if (!strpbrk(digits, ".e"))
    {
        strcat(digits, ".0");
    }
    pl_json_put(text, digits, strlen(digits));
}

static bool is_plain_list(const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); ++i)
    {
        const json_t *item = json_array_get(array, i);
        if (json_is_object(item) || json_is_array(item) || json_is_string(item))
        {
            return false;
        }
    }
    return true;
}

static void put_value(pl_json_output *text, const json_t *value, int indent, int depth);

static void put_array(pl_json_output *text, const json_t *array, int indent, int depth)
{
    int inner = is_plain_list(array) ? 0 : indent;
    pl_json_put(text, "[", 1);
    for (size_t i = 0; i < json_array_size(array); ++i)
    {
        if (i > 0)
        {
            pl_json_put(text, ", ", indent > 0 && inner == 0 ? 2 : 1);
        }
        put_line(text, inner, depth + 1);
        put_value(text, json_array_get(array, i), indent, depth + 1);
    }
    put_line(text, inner, depth);
    pl_json_put(text, "]", 1);
}

static void put_object(pl_json_output *text, const json_t *object, int indent, int depth)
{
    bool first = true;
    pl_json_put(text, "{", 1);
    /* jansson's iterators want a pointer that is not const; they change nothing. */
    json_t *walked = (json_t *)(uintptr_t)object;
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i))
    {
        const char *key = json_object_iter_key(i);
        if (!first)
        {
            pl_json_put(text, ",", 1);
        }
        first = false;
        put_line(text, indent, depth + 1);
        put_string(text, key, strlen(key));
        pl_json_put(text, ": ", indent > 0 ? 2 : 1);
        put_value(text, json_object_iter_value(i), indent, depth + 1);
    }
    if (!first)
    {
        put_line(text, indent, depth);
    }
    pl_json_put(text, "}", 1);
}

/* The depth is bounded by what jansson's reader accepts (2048). */
static void put_value(pl_json_output *text, const json_t *value, int indent, int depth)
{
    char digits[32];
    switch (json_typeof(value))
    {
    case JSON_OBJECT:
        put_object(text, value, indent, depth);
        break;
    case JSON_ARRAY:
        put_array(text, value, indent, depth);
        break;
    case JSON_STRING:
        put_string(text, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        pl_json_put(text, digits,
                    (size_t)snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value)));
        break;
    case JSON_REAL:
        put_real(text, json_real_value(value));
        break;
    case JSON_TRUE:
        pl_json_put(text, "true", 4);
        break;
    case JSON_FALSE:
        pl_json_put(text, "false", 5);
        break;
    case JSON_NULL:
        pl_json_put(text, "null", 4);
        break;
    }
}

void pl_json_print(pl_json_output *text, const json_t *value, int indent)
{
    put_value(text, value, indent, 0);
    if (indent > 0)
    {
        pl_json_put(text, "\n", 1);
    }
}
