/* Wavefront OBJ in: polygons, negative indices, joined lines, usemtl, vertex colours. Curves, lines and smoothing
 * groups are passed over. */
#include "io/mesh/obj.h"

#include "io/mesh/polygon.h"
#include "io/file/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Everything that is needed while reading only. */
typedef struct reader
{
    pl_obj *obj;
    pl_text text;
    pleat_error *error;
    pl_polygon_budget budget;
    size_t position_room, color_room, uv_room, normal_room, triangle_room, material_room, face_room, link_room,
        face_line_room;
    pl_obj_corner *face; /* corners of the polygon at hand */
    uint32_t *links;     /* scratch of the cutting: vertices, links, triangles */
    uint32_t *lines;     /* of each triangle, for messages about indices */
    uint32_t material;
    bool warned_short, warned_normal, warned_statement;
} reader;

static pleat_result grow(reader *r, void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
    {
        return PLEAT_OK;
    }
    size_t capacity = *room ? *room : 64;
    while (capacity < needed)
    {
        capacity *= 2;
    }
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = needed > UINT32_MAX / 4 ? NULL : pl_realloc(r->obj->memory, old, capacity, size);
    if (!grown)
    {
        return pl_fail_memory(r->obj->memory, r->error, r->obj->name);
    }
    memcpy(array, &grown, sizeof grown);
    *room = capacity;
    return PLEAT_OK;
}
#define GROW(r, array, room, needed) grow((r), &(array), &(room), (needed), sizeof *(array))

static pleat_result read_numbers(reader *r, const char *what, float *values, int needed, int most, int *count)
{
    for (*count = 0; *count < most; ++*count)
    {
        pl_text before = r->text;
        pl_word word = pl_text_word(&r->text);
        double number;
        if (*count >= needed && (word.length == 0 || !pl_word_number(word, &number)))
        {
            return PLEAT_OK; /* a comment behind the numbers is common */
        }
        r->text = before;
        PL_TRY(pl_text_float(&r->text, what, &values[*count], r->error));
    }
    return PLEAT_OK;
}

/* v x y z [w] or v x y z r g b */
static pleat_result read_position(reader *r)
{
    pl_obj *obj = r->obj;
    float values[7];
    int count;
    PL_TRY(read_numbers(r, "a coordinate", values, 3, 7, &count));
    PL_TRY(GROW(r, obj->positions, r->position_room, (size_t)obj->position_count + 1));
    obj->positions[obj->position_count] = (pleat_vec3){values[0], values[1], values[2]};
    if (count >= 6 || obj->colors)
    {
        size_t old = obj->colors ? obj->position_count : 0;
        PL_TRY(GROW(r, obj->colors, r->color_room, 3 * (size_t)obj->position_count + 3));
        for (size_t i = 3 * old; i < 3 * (size_t)obj->position_count + 3; ++i)
        {
            obj->colors[i] = 1;
        }
        if (count >= 6)
        {
            memcpy(&obj->colors[3 * (size_t)obj->position_count], &values[3], 3 * sizeof(float));
        }
    }
    ++obj->position_count;
    return PLEAT_OK;
}

static pleat_result read_uv(reader *r)
{
    pl_obj *obj = r->obj;
    float values[3] = {0, 0, 0};
    int count;
    PL_TRY(read_numbers(r, "a texture coordinate", values, 1, 3, &count));
    PL_TRY(GROW(r, obj->uvs, r->uv_room, 2 * (size_t)obj->uv_count + 2));
    obj->uvs[2 * (size_t)obj->uv_count] = values[0];
    obj->uvs[2 * (size_t)obj->uv_count + 1] = values[1];
    ++obj->uv_count;
    return PLEAT_OK;
}

/* Exporters write "nan" for normals of triangles without area: those become zero. */
static pleat_result read_normal(reader *r)
{
    pl_obj *obj = r->obj;
    float values[3];
    for (int i = 0; i < 3; ++i)
    {
        pl_word word = pl_text_word(&r->text);
        double number = 0;
        bool nan = word.length > 0 && (memchr(word.at, 'n', word.length) || memchr(word.at, 'N', word.length));
        if (!nan && (!pl_word_number(word, &number) || !isfinite((float)number)))
        {
            return pl_text_fail(&r->text, word, "a part of a normal", "a finite number", r->error);
        }
        if (nan && !r->warned_normal)
        {
            r->warned_normal = true;
            pl_log(obj->host, PLEAT_WARNING, "%s:%u: a normal is '%.*s'; zero is used", obj->name, r->text.line,
                   (int)(word.length < 40 ? word.length : 40), word.at);
        }
        values[i] = (float)number;
    }
    PL_TRY(GROW(r, obj->normals, r->normal_room, (size_t)obj->normal_count + 1));
    obj->normals[obj->normal_count++] = (pleat_vec3){values[0], values[1], values[2]};
    return PLEAT_OK;
}

/* A signed index at *at, counted from 1 or, if negative, back from the last one read; moves *at behind it. */
static bool parse_index(const char **at, const char *end, uint32_t count, uint32_t *index)
{
    bool negative = *at < end && **at == '-';
    *at += negative;
    const char *first = *at;
    uint64_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
    {
        value = value < UINT32_MAX ? value * 10 + (uint64_t)(**at - '0') : value;
    }
    if (*at == first || value == 0 || value > UINT32_MAX / 4 || (negative && value > count))
    {
        return false;
    }
    *index = negative ? count - (uint32_t)value : (uint32_t)value - 1;
    return true;
}

/* v, v/t, v//n or v/t/n */
static pleat_result read_corner(reader *r, pl_word word, pl_obj_corner *corner)
{
    const char *at = word.at;
    const char *end = word.at + word.length;
    *corner = (pl_obj_corner){PLEAT_NONE, PLEAT_NONE, PLEAT_NONE};
    bool good = parse_index(&at, end, r->obj->position_count, &corner->position);
    if (good && at < end && *at == '/')
    {
        ++at;
        if (at < end && *at != '/')
        {
            good = parse_index(&at, end, r->obj->uv_count, &corner->uv);
        }
        if (good && at < end && *at == '/')
        {
            ++at;
            good = at == end || parse_index(&at, end, r->obj->normal_count, &corner->normal);
        }
    }
    if (!good || at != end)
    {
        char expected[120];
        snprintf(expected, sizeof expected,
                 "v, v/t, v//n or v/t/n with indices from 1 or from -1 back (%u vertices so far)",
                 r->obj->position_count);
        return pl_text_fail(&r->text, word, "a corner of a face", expected, r->error);
    }
    return PLEAT_OK;
}

static pleat_result add_triangles(reader *r, uint32_t corner_count, uint32_t line)
{
    pl_obj *obj = r->obj;
    uint32_t count = corner_count - 2;
    size_t total = (size_t)obj->triangle_count + count;
    PL_TRY(GROW(r, obj->corners, r->triangle_room, 3 * total));
    PL_TRY(GROW(r, obj->materials, r->material_room, total));
    PL_TRY(GROW(r, r->lines, r->face_line_room, total));
    PL_TRY(GROW(r, r->links, r->link_room, 6 * (size_t)corner_count));
    uint32_t *vertices = r->links;
    uint32_t *triangles = r->links + 3 * (size_t)corner_count;
    bool known = true; /* faces may stand before their vertices: then there is nothing to look at yet */
    for (uint32_t i = 0; i < corner_count; ++i)
    {
        vertices[i] = r->face[i].position;
        known = known && vertices[i] < obj->position_count;
    }
    pl_polygon_budget none = {0, false};
    static const pleat_vec3 origin = {0, 0, 0};
    if (!known)
    {
        memset(vertices, 0, corner_count * sizeof *vertices);
    }
    pl_polygon_cut(known ? obj->positions : &origin, vertices, corner_count, vertices + corner_count, triangles,
                   known ? &r->budget : &none);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            obj->corners[3 * (size_t)obj->triangle_count + k] = r->face[triangles[3 * (size_t)i + k]];
        }
        obj->materials[obj->triangle_count] = r->material;
        r->lines[obj->triangle_count] = line;
        ++obj->triangle_count;
    }
    return PLEAT_OK;
}

static pleat_result read_face(reader *r)
{
    uint32_t count = 0;
    uint32_t line = r->text.line;
    for (;;)
    {
        pl_word word = pl_text_word(&r->text);
        if (word.length == 0 || *word.at == '#')
        {
            break;
        }
        PL_TRY(GROW(r, r->face, r->face_room, (size_t)count + 1));
        PL_TRY(read_corner(r, word, &r->face[count]));
        ++count;
    }
    if (count < 3)
    {
        if (!r->warned_short)
        {
            r->warned_short = true;
            pl_log(r->obj->host, PLEAT_WARNING, "%s:%u: a face with %u corners is passed over; it needs 3",
                   r->obj->name, line, count);
        }
        return PLEAT_OK;
    }
    return add_triangles(r, count, line);
}

/* The rest of the line, without the blanks around it: names may hold blanks. */
static pl_word read_name(reader *r)
{
    pl_word first = pl_text_word(&r->text);
    pl_word last = first;
    for (pl_word word = first; word.length > 0; word = pl_text_word(&r->text))
    {
        last = word;
    }
    return (pl_word){first.at, (size_t)(last.at + last.length - first.at)};
}

static char *copy_name(reader *r, pl_word word)
{
    char *copy = PL_NEW(r->obj->memory, char, word.length + 1);
    if (copy)
    {
        memcpy(copy, word.at, word.length);
    }
    return copy;
}

enum
{
    MAX_MATERIALS = 4096 /* names are compared one by one */
};

static pleat_result read_material(reader *r)
{
    pl_obj *obj = r->obj;
    pl_word name = read_name(r);
    for (uint32_t m = 0; m < obj->material_count; ++m)
    {
        if (pl_word_is(name, obj->material_names[m]))
        {
            r->material = m;
            return PLEAT_OK;
        }
    }
    if (obj->material_count == MAX_MATERIALS)
    {
        return pl_fail(r->error, PLEAT_UNSUPPORTED, "%.250s:%u: more than %d materials", obj->name, r->text.line,
                       MAX_MATERIALS);
    }
    char *copy = copy_name(r, name);
    if (!copy)
    {
        return pl_fail_memory(obj->memory, r->error, "a material's name");
    }
    r->material = obj->material_count;
    obj->material_names[obj->material_count++] = copy;
    return PLEAT_OK;
}

static pleat_result read_object(reader *r)
{
    if (r->obj->object_name)
    {
        return PLEAT_OK;
    }
    r->obj->object_name = copy_name(r, read_name(r));
    return r->obj->object_name ? PLEAT_OK : pl_fail_memory(r->obj->memory, r->error, "the object's name");
}

static pleat_result pass_over(reader *r, pl_word keyword)
{
    static const char *const known[] = {
        "s",     "mtllib", "l",        "p",        "vp",     "cstype", "deg",        "bmat",      "step",  "curv",
        "curv2", "surf",   "parm",     "trim",     "hole",   "scrv",   "sp",         "end",       "con",   "mg",
        "lod",   "bevel",  "c_interp", "d_interp", "usemap", "maplib", "shadow_obj", "trace_obj", "ctech", "stech"};
    bool expected = keyword.length == 0 || *keyword.at == '#';
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !expected; ++i)
    {
        expected = pl_word_is(keyword, known[i]);
    }
    if (!expected && !r->warned_statement)
    {
        r->warned_statement = true;
        pl_log(r->obj->host, PLEAT_WARNING, "%s:%u: '%.*s' is no statement of OBJ and is passed over", r->obj->name,
               r->text.line, (int)(keyword.length < 40 ? keyword.length : 40), keyword.at);
    }
    return PLEAT_OK;
}

static pleat_result read_statement(reader *r)
{
    pl_word keyword = pl_text_word(&r->text);
    static const struct
    {
        const char *name;
        pleat_result (*read)(reader *r);
    } statements[] = {
        {"v", read_position},      {"f", read_face},   {"vt", read_uv},    {"vn", read_normal},
        {"usemtl", read_material}, {"o", read_object}, {"g", read_object},
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; ++i)
    {
        if (pl_word_is(keyword, statements[i].name))
        {
            return statements[i].read(r);
        }
    }
    return pass_over(r, keyword);
}

static pleat_result fail_index(const reader *r, uint32_t triangle, const char *what, uint32_t index, uint32_t count)
{
    return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: a face uses %s %u; the file has %u", r->obj->name,
                   r->lines[triangle], what, index + 1, count);
}

static pleat_result check_indices(const reader *r)
{
    const pl_obj *obj = r->obj;
    for (uint32_t t = 0; t < obj->triangle_count; ++t)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            const pl_obj_corner *corner = &obj->corners[3 * (size_t)t + k];
            if (corner->position >= obj->position_count)
            {
                return fail_index(r, t, "vertex", corner->position, obj->position_count);
            }
            if (corner->uv != PLEAT_NONE && corner->uv >= obj->uv_count)
            {
                return fail_index(r, t, "texture coordinate", corner->uv, obj->uv_count);
            }
            if (corner->normal != PLEAT_NONE && corner->normal >= obj->normal_count)
            {
                return fail_index(r, t, "normal", corner->normal, obj->normal_count);
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result read_all(reader *r)
{
    do
    {
        PL_TRY(read_statement(r));
    } while (pl_text_next_line(&r->text));
    if (r->obj->position_count == 0)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s: no vertex in %u lines; lines such as 'v 0 0 0' were expected",
                       r->obj->name, r->text.line);
    }
    PL_TRY(check_indices(r));
    if (r->obj->triangle_count == 0)
    {
        pl_log(r->obj->host, PLEAT_WARNING, "%s: it has vertices but no faces", r->obj->name);
    }
    if (r->budget.exhausted)
    {
        pl_log(r->obj->host, PLEAT_WARNING, "%s: too many corners in faces that are not convex; some were cut as fans",
               r->obj->name);
    }
    return PLEAT_OK;
}

pleat_result pl_obj_read(const char *bytes, size_t size, const char *name, pl_memory *memory, const pleat_host *host,
                         pl_obj *obj, pleat_error *error)
{
    *obj = (pl_obj){.memory = memory, .host = host, .name = name};
    reader r = {.obj = obj, .error = error, .budget = pl_polygon_budget_default()};
    r.text = pl_text_from(bytes, size, name);
    obj->material_names = PL_NEW(memory, const char *, MAX_MATERIALS);
    char *unnamed = obj->material_names ? PL_NEW(memory, char, 1) : NULL;
    pleat_result result = PLEAT_OK;
    if (unnamed)
    {
        obj->material_names[obj->material_count++] = unnamed;
        result = read_all(&r);
    }
    else
    {
        result = pl_fail_memory(memory, error, name);
    }
    pl_free(memory, r.face);
    pl_free(memory, r.links);
    pl_free(memory, r.lines);
    if (result != PLEAT_OK)
    {
        pl_obj_free(obj);
    }
    return result;
}

void pl_obj_free(pl_obj *obj)
{
    for (uint32_t m = 0; m < obj->material_count; ++m)
    {
        pl_free(obj->memory, obj->material_names[m]);
    }
    pl_free(obj->memory, obj->material_names);
    pl_free(obj->memory, obj->object_name);
    pl_free(obj->memory, obj->positions);
    pl_free(obj->memory, obj->colors);
    pl_free(obj->memory, obj->uvs);
    pl_free(obj->memory, obj->normals);
    pl_free(obj->memory, obj->corners);
    pl_free(obj->memory, obj->materials);
    *obj = (pl_obj){0};
}

pleat_result pl_obj_read_positions(const char *bytes, size_t size, const char *name, uint32_t count, pleat_vec3 *out,
                                   pleat_error *error)
{
    pl_text text = pl_text_from(bytes, size, name);
    uint32_t found = 0;
    do
    {
        if (!pl_word_is(pl_text_word(&text), "v"))
        {
            continue;
        }
        float values[3];
        for (int i = 0; i < 3; ++i)
        {
            PL_TRY(pl_text_float(&text, "a coordinate", &values[i], error));
        }
        if (found < count)
        {
            out[found] = (pleat_vec3){values[0], values[1], values[2]};
        }
        ++found;
    } while (pl_text_next_line(&text));
    if (found != count)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: it has %u vertices; there should be %u", name, found, count);
    }
    return PLEAT_OK;
}
