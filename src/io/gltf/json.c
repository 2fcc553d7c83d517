/* JSON values checked for their kind and range, with messages that say where they stand. */
#include "io/gltf/gltf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pl_place pl_at(const char *format, ...)
{
    pl_place place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place.text, sizeof place.text, format, arguments);
    va_end(arguments);
    return place;
}

/* "NAME: sentence"; a path too long for the message loses its beginning. */
static void compose(const pl_gltf *g, char *out, size_t size, const char *format, va_list arguments)
{
    const char *name = g->asset->name;
    size_t length = strlen(name);
    int used = snprintf(out, size, "%s%s: ", length > 200 ? "..." : "", length > 200 ? name + length - 200 : name);
    vsnprintf(out + used, size - (size_t)used, format, arguments);
}

pleat_result pl_gltf_fail(const pl_gltf *g, pleat_result result, const char *format, ...)
{
    char message[sizeof g->error->message];
    va_list arguments;
    va_start(arguments, format);
    compose(g, message, sizeof message, format, arguments);
    va_end(arguments);
    return pl_fail(g->error, result, "%s", message);
}

void pl_gltf_say(pl_gltf *g, const char *sentence)
{
    ++g->warning_count;
    if (g->warning_count <= PL_GLTF_WARNINGS)
    {
        pl_log(&g->asset->host, PLEAT_WARNING, "%s", sentence);
    }
    else if (g->warning_count == PL_GLTF_WARNINGS + 1)
    {
        pl_log(&g->asset->host, PLEAT_WARNING, "%s: further warnings are left out", g->asset->name);
    }
}

void pl_gltf_warn(pl_gltf *g, const char *format, ...)
{
    char message[sizeof g->error->message];
    va_list arguments;
    va_start(arguments, format);
    compose(g, message, sizeof message, format, arguments);
    va_end(arguments);
    pl_gltf_say(g, message);
}

pleat_result pl_gltf_expand(pl_gltf *g, uint64_t bytes, const char *what)
{
    uint64_t most = PL_GLTF_SLACK + PL_GLTF_EXPANSION * g->source_bytes;
    if (bytes > most || g->unpacked_bytes > most - bytes)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s needs %llu bytes; a file of %llu bytes may unpack to %llu in all",
                            what, (unsigned long long)bytes, (unsigned long long)g->source_bytes,
                            (unsigned long long)most);
    }
    g->unpacked_bytes += bytes;
    return PLEAT_OK;
}

pleat_result pl_gltf_alloc(pl_gltf *g, uint64_t count, size_t size, const char *what, void *pointer_out)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) || bytes > SIZE_MAX / 4)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has too many elements (%llu)", what, (unsigned long long)count);
    }
    PL_TRY(pl_gltf_expand(g, bytes, what));
    void *pointer = pl_arena_alloc(&g->asset->arena, (size_t)count, size);
    if (!pointer)
    {
        return pl_fail_memory(&g->asset->memory, g->error, what);
    }
    memcpy(pointer_out, &pointer, sizeof pointer);
    return PLEAT_OK;
}

static const char *kind_of(const json_t *value)
{
    static const char *const kinds[] = {"an object", "an array", "a string", "a whole number",
                                        "a number",  "true",     "false",    "null"};
    return kinds[json_typeof(value)];
}

/* The place of a key: "meshes" at the root, "meshes[0].name" below. */
static pl_place key_place(const char *place, const char *key)
{
    return pl_at("%.100s%s%s", place, *place ? "." : "", key);
}

static pleat_result wrong_kind(const pl_gltf *g, const char *place, const json_t *value, const char *expected)
{
    return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s is %s; it must be %s", place, kind_of(value), expected);
}

pleat_result pl_json_missing(const pl_gltf *g, const char *place, const char *key)
{
    return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s is missing", key_place(place, key).text);
}

pleat_result pl_json_object(const pl_gltf *g, json_t *object, const char *key, const char *place, json_t **out)
{
    json_t *value = json_object_get(object, key);
    *out = value;
    return !value || json_is_object(value) ? PLEAT_OK : wrong_kind(g, key_place(place, key).text, value, "an object");
}

pleat_result pl_json_array(const pl_gltf *g, json_t *object, const char *key, const char *place, json_t **out,
                           uint32_t *count)
{
    json_t *value = json_object_get(object, key);
    *out = value;
    *count = 0;
    if (!value)
    {
        return PLEAT_OK;
    }
    if (!json_is_array(value))
    {
        return wrong_kind(g, key_place(place, key).text, value, "an array");
    }
    if (json_array_size(value) >= PLEAT_NONE)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has too many items", key_place(place, key).text);
    }
    *count = (uint32_t)json_array_size(value);
    return PLEAT_OK;
}

pleat_result pl_json_text(const pl_gltf *g, json_t *object, const char *key, const char *place, const char **out)
{
    json_t *value = json_object_get(object, key);
    *out = json_string_value(value);
    return !value || *out ? PLEAT_OK : wrong_kind(g, key_place(place, key).text, value, "a string");
}

pleat_result pl_json_bool(const pl_gltf *g, json_t *object, const char *key, const char *place, bool fallback,
                          bool *out)
{
    json_t *value = json_object_get(object, key);
    *out = value ? json_is_true(value) : fallback;
    return !value || json_is_boolean(value) ? PLEAT_OK
                                            : wrong_kind(g, key_place(place, key).text, value, "true or false");
}

/* Whole numbers that were written as 3.0 are taken too. */
static bool whole_number(const json_t *value, uint64_t *out)
{
    if (json_is_integer(value))
    {
        *out = (uint64_t)json_integer_value(value);
        return json_integer_value(value) >= 0;
    }
    double number = json_is_real(value) ? json_real_value(value) : -1;
    if (!(number >= 0 && number <= 9007199254740992.0 && floor(number) == number))
    {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

/* A value as a message shows it. */
static pl_place shown(const json_t *value)
{
    if (json_is_integer(value))
    {
        return pl_at("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    }
    return json_is_real(value) ? pl_at("%g", json_real_value(value)) : pl_at("%s", kind_of(value));
}

pleat_result pl_json_size(const pl_gltf *g, json_t *object, const char *key, const char *place, uint64_t fallback,
                          uint64_t *out)
{
    json_t *value = json_object_get(object, key);
    *out = fallback;
    if (value && !whole_number(value, out))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s is %s; it must be a whole number, 0 or more",
                            key_place(place, key).text, shown(value).text);
    }
    return PLEAT_OK;
}

static pleat_result check_index(const pl_gltf *g, const json_t *value, const char *place, uint32_t count,
                                const char *kind, uint32_t *out)
{
    uint64_t index;
    if (!whole_number(value, &index) || index >= count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s is %s; there are %u %s, counted from 0", place, shown(value).text,
                            count, kind);
    }
    *out = (uint32_t)index;
    return PLEAT_OK;
}

pleat_result pl_json_index(const pl_gltf *g, json_t *object, const char *key, const char *place, uint32_t count,
                           const char *kind, uint32_t *out)
{
    json_t *value = json_object_get(object, key);
    *out = PLEAT_NONE;
    return value ? check_index(g, value, key_place(place, key).text, count, kind, out) : PLEAT_OK;
}

pleat_result pl_json_item_index(const pl_gltf *g, json_t *array, uint32_t i, const char *place, uint32_t count,
                                const char *kind, uint32_t *out)
{
    return check_index(g, json_array_get(array, i), pl_at("%.110s[%u]", place, i).text, count, kind, out);
}

pleat_result pl_json_item(const pl_gltf *g, json_t *array, uint32_t i, const char *place, json_t **out)
{
    json_t *value = json_array_get(array, i);
    *out = value;
    return json_is_object(value) ? PLEAT_OK : wrong_kind(g, pl_at("%.110s[%u]", place, i).text, value, "an object");
}

pleat_result pl_json_floats(const pl_gltf *g, json_t *object, const char *key, const char *place, uint32_t count,
                            float *out, bool *present)
{
    json_t *array;
    uint32_t size;
    PL_TRY(pl_json_array(g, object, key, place, &array, &size));
    if (present)
    {
        *present = array != NULL;
    }
    if (!array)
    {
        return PLEAT_OK;
    }
    if (size != count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has %u numbers; it must have %u", key_place(place, key).text, size,
                            count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        json_t *value = json_array_get(array, i);
        float number = (float)json_number_value(value);
        if (!json_is_number(value) || !isfinite(number))
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s[%u] is %s; it must be a finite number",
                                key_place(place, key).text, i, shown(value).text);
        }
        out[i] = number;
    }
    return PLEAT_OK;
}

pleat_result pl_json_name(pl_gltf *g, json_t *object, const char *place, const char **out)
{
    const char *name;
    PL_TRY(pl_json_text(g, object, "name", place, &name));
    *out = "";
    if (name && *name)
    {
        size_t size = strlen(name);
        char *copy = pl_arena_string(&g->asset->arena, name, size);
        if (!copy)
        {
            return pl_fail_memory(&g->asset->memory, g->error, "a name");
        }
        *out = copy;
    }
    return PLEAT_OK;
}
