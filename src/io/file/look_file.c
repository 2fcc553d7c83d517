/* Look files: the parameters of a stack as JSON. */
#include "pleat/look.h"

#include "base/fail.h"
#include "pleat/io.h"

#include <jansson.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    LOOK_SIZE_LIMIT = 1 << 20 /* a look is a page of text; more is another kind of file */
};

/* A JSON value as the text that stands for it; false for kinds that no parameter takes. */
static bool value_text(const json_t *value, char *out, size_t size)
{
    switch (json_typeof(value))
    {
    case JSON_STRING:
        snprintf(out, size, "%s", json_string_value(value));
        return strlen(json_string_value(value)) < size;
    case JSON_INTEGER:
        snprintf(out, size, "%lld", (long long)json_integer_value(value));
        return true;
    case JSON_REAL:
        snprintf(out, size, "%.17g", json_real_value(value));
        for (char *comma = out; (comma = strchr(comma, ','));)
        {
            *comma = '.'; /* a host's locale */
        }
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(out, size, "%s", json_is_true(value) ? "true" : "false");
        return true;
    case JSON_OBJECT:
    case JSON_ARRAY:
    case JSON_NULL:
        break;
    }
    return false;
}

/* Joints may stand behind the name: "volume[spine]". */
static bool is_section(const pleat_look_section *section, const char *name)
{
    size_t length = strcspn(name, "[");
    return strlen(section->name) == length && strncmp(section->name, name, length) == 0;
}

static bool has_section(const pleat_look *look, const char *name)
{
    for (uint32_t s = 0; s < look->section_count; ++s)
    {
        if (is_section(&look->sections[s], name))
        {
            return true;
        }
    }
    return false;
}

/* The parameter that a key names, or NULL. */
static const pleat_parameter *find_parameter(const pleat_look *look, const char *section, const char *key)
{
    for (uint32_t s = 0; s < look->section_count; ++s)
    {
        const pleat_look_section *known = &look->sections[s];
        for (uint32_t p = 0; p < known->parameter_count; ++p)
        {
            if (is_section(known, section) && strcmp(known->parameters[p].name, key) == 0)
            {
                return &known->parameters[p];
            }
        }
    }
    return NULL;
}

/* Where the drawings that a look names lie, and who reads them; path NULL: none are read. */
typedef struct drawings
{
    const char *path; /* of the look: drawings stand beside it; "": where the program runs */
    const pleat_host *host;
} drawings;

/* Puts the points of a drawing in the place of its name, "@FILE"; of another file, its name from here. */
static pleat_result read_drawing(const drawings *from, const pleat_look *look, const char *section, const char *key,
                                 char text[PLEAT_TEXT_LIMIT], pleat_error *error)
{
    const pleat_parameter *parameter = find_parameter(look, section, key);
    bool file = parameter && parameter->kind == PLEAT_VALUE_FILE;
    if (!from->path || text[0] != '@' || !parameter || (!file && parameter->kind != PLEAT_VALUE_CURVE))
    {
        return PLEAT_OK;
    }
    const char *slash = strrchr(from->path, '/');
    int folder = slash && text[1] != '/' ? (int)(slash + 1 - from->path) : 0;
    char path[4096];
    if (snprintf(path, sizeof path, "%.*s%s", folder, from->path, text + 1) >= (int)sizeof path)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the path of its drawing is too long", from->path);
    }
    if (file && strlen(path) + 1 >= PLEAT_TEXT_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the path of '%.60s' has %zu bytes; up to %d are possible",
                       from->path, text + 1, strlen(path), PLEAT_TEXT_LIMIT - 2);
    }
    if (file)
    {
        snprintf(text + 1, PLEAT_TEXT_LIMIT - 1, "%s", path);
        return PLEAT_OK;
    }
    return pleat_curve_read(path, from->host, text, PLEAT_TEXT_LIMIT, error);
}

/* Files from before there were versions say none. */
static pleat_result check_version(const json_t *root, const char *where, pleat_error *error)
{
    const json_t *version = json_object_get(root, "version");
    if (!version)
    {
        return PLEAT_OK;
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%sversion must be a whole number from 1 on", where);
    }
    return json_integer_value(version) <= PLEAT_LOOK_VERSION
               ? PLEAT_OK
               : pl_fail(error, PLEAT_UNSUPPORTED, "%sit is a look of version %lld; this pleat reads versions up to %d",
                         where, (long long)json_integer_value(version), PLEAT_LOOK_VERSION);
}

static pleat_result apply(const pleat_look *look, json_t *root, const char *name, const drawings *from,
                          pleat_error *error)
{
    char where[200];
    snprintf(where, sizeof where, "%.190s: ", name);
    if (!json_is_object(root))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%sthe file must be an object of sections: {\"skin\": {...}}", where);
    }
    PL_TRY(check_version(root, where, error));
    const char *section;
    json_t *values;
    json_object_foreach(root, section, values)
    {
        if (strcmp(section, "version") == 0)
        {
            continue;
        }
        if (!has_section(look, section))
        {
            return pleat_look_set_text(look, section, "", "", where, error);
        }
        if (!json_is_object(values))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%s%.60s must be an object: {\"key\": value}", where, section);
        }
        const char *key;
        json_t *value;
        json_object_foreach(values, key, value)
        {
            char text[PLEAT_TEXT_LIMIT];
            if (!value_text(value, text, sizeof text))
            {
                return pl_fail(error, PLEAT_BAD_DATA, "%s%.60s.%.60s must be a short text, a number, true or false",
                               where, section, key);
            }
            PL_TRY(read_drawing(from, look, section, key, text, error));
            PL_TRY(pleat_look_set_text(look, section, key, text, where, error));
        }
    }
    return PLEAT_OK;
}

static pleat_result parse(const pleat_look *look, const void *bytes, size_t size, const char *name,
                          const drawings *from, pleat_error *error)
{
    json_error_t json_error = {0};
    if (size > LOOK_SIZE_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: %zu bytes; a look file has at most %d", name, size,
                       (int)LOOK_SIZE_LIMIT);
    }
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &json_error);
    if (!root)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: line %d, column %d: %.160s", name, json_error.line,
                       json_error.column, json_error.text);
    }
    pleat_result result = apply(look, root, name, from, error);
    json_decref(root);
    return result;
}

pleat_result pleat_look_parse(const pleat_look *look, const void *bytes, size_t size, const char *name,
                              pleat_error *error)
{
    return parse(look, bytes, size, name, &(drawings){NULL, NULL}, error);
}

pleat_result pleat_look_read(const pleat_look *look, const char *path, const pleat_host *host, pleat_error *error)
{
    void *bytes;
    size_t size;
    PL_TRY(pleat_file_read(path, host, &bytes, &size, error));
    pleat_result result = parse(look, bytes, size, path, &(drawings){path, host}, error);
    pleat_file_free(host, bytes, size);
    return result;
}

pleat_result pleat_look_assign(const pleat_look *look, const char *assignment, const pleat_host *host,
                               pleat_error *error)
{
    char section[64 + PLEAT_TEXT_LIMIT], key[64], text[PLEAT_TEXT_LIMIT];
    size_t bracket = strcspn(assignment, "[=");
    const char *start = assignment[bracket] == '[' ? strchr(assignment, ']') : assignment;
    const char *dot = start ? strchr(start, '.') : NULL, *value = dot ? strstr(dot, "=@") : NULL;
    if (!value || (size_t)(dot - assignment) >= sizeof section || (size_t)(value - dot) > sizeof key ||
        strlen(value + 1) >= sizeof text)
    {
        return pleat_look_set(look, assignment, error);
    }
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(key, sizeof key, "%.*s", (int)(value - dot - 1), dot + 1);
    snprintf(text, sizeof text, "%s", value + 1);
    PL_TRY(read_drawing(&(drawings){"", host}, look, section, key, text, error));
    return pleat_look_set_text(look, section, key, text, "", error);
}

/* Text that is measured even where it no longer fits. */
typedef struct text_sink
{
    char *out;
    size_t size, length;
} text_sink;

static void add(text_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text_sink *sink, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t room = sink->length < sink->size ? sink->size - sink->length : 0;
    int length = vsnprintf(room ? sink->out + sink->length : NULL, room, format, list);
    va_end(list);
    sink->length += length > 0 ? (size_t)length : 0;
}

static void add_value(text_sink *sink, bool first, const pleat_parameter *parameter, const char *text)
{
    pleat_parameter_kind kind = parameter->kind;
    bool plain = kind == PLEAT_VALUE_COUNT || kind == PLEAT_VALUE_SWITCH || kind == PLEAT_VALUE_NUMBER;
    add(sink, "%s\n    \"%s\": %s%s%s", first ? "" : ",", parameter->name, plain ? "" : "\"", text, plain ? "" : "\"");
}

/* What joints have for themselves. */
static void add_joints(text_sink *sink, const pleat_look_section *section)
{
    const char *joints;
    for (uint32_t j = 0; (joints = pleat_look_joints(section, j, NULL)); ++j)
    {
        bool first = true;
        add(sink, ",\n  \"%s[%s]\": {", section->name, joints);
        for (uint32_t i = 0; i < section->by_joint->count; ++i)
        {
            if (strcmp(section->by_joint->list[i].joints, joints) == 0)
            {
                add_value(sink, first, &section->parameters[section->by_joint->list[i].parameter],
                          section->by_joint->list[i].value);
                first = false;
            }
        }
        add(sink, "\n  }");
    }
}

size_t pleat_look_format(const pleat_look *look, char *out, size_t size)
{
    text_sink sink = {out, size, 0};
    add(&sink, "{\n  \"version\": %d", PLEAT_LOOK_VERSION);
    for (uint32_t s = 0; s < look->section_count; ++s)
    {
        const pleat_look_section *section = &look->sections[s];
        add(&sink, ",\n  \"%s\": {", section->name);
        for (uint32_t p = 0; p < section->parameter_count; ++p)
        {
            char text[PLEAT_TEXT_LIMIT];
            pleat_look_get_text(section, p, text, sizeof text);
            add_value(&sink, p == 0, &section->parameters[p], text);
        }
        add(&sink, "\n  }");
        add_joints(&sink, section);
    }
    add(&sink, "\n}\n");
    return sink.length;
}
