/* PLY in: ascii, binary of both byte orders, any number types, elements and properties we do not know passed over. */
#include "io/mesh/ply.h"

#include "io/mesh/polygon.h"
#include "io/file/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum number_type
{
    TYPE_NONE,
    TYPE_INT8,
    TYPE_UINT8,
    TYPE_INT16,
    TYPE_UINT16,
    TYPE_INT32,
    TYPE_UINT32,
    TYPE_FLOAT,
    TYPE_DOUBLE
} number_type;

static const struct
{
    const char *names[2];
    size_t size;
    double largest; /* for colours: what stands for 1 */
} types[] = {
    [TYPE_INT8] = {{"char", "int8"}, 1, 127},         [TYPE_UINT8] = {{"uchar", "uint8"}, 1, 255},
    [TYPE_INT16] = {{"short", "int16"}, 2, 32767},    [TYPE_UINT16] = {{"ushort", "uint16"}, 2, 65535},
    [TYPE_INT32] = {{"int", "int32"}, 4, 2147483647}, [TYPE_UINT32] = {{"uint", "uint32"}, 4, 4294967295.0},
    [TYPE_FLOAT] = {{"float", "float32"}, 4, 1},      [TYPE_DOUBLE] = {{"double", "float64"}, 8, 1},
};

/* What a property means to us; the first twelve are columns of a vertex. */
typedef enum role
{
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_NX,
    ROLE_NY,
    ROLE_NZ,
    ROLE_U,
    ROLE_V,
    ROLE_RED,
    ROLE_GREEN,
    ROLE_BLUE,
    ROLE_ALPHA,
    ROLE_COUNT,
    ROLE_INDICES = ROLE_COUNT,
    ROLE_UNKNOWN
} role;

typedef struct property
{
    number_type type;
    number_type count_type; /* of a list; else TYPE_NONE */
    role role;
} property;

enum
{
    MAX_ELEMENTS = 32,
    MAX_PROPERTIES = 128
};

typedef struct element
{
    char name[16]; /* cut; only "vertex" and "face" matter */
    uint32_t count;
    uint32_t property_count;
    property properties[MAX_PROPERTIES];
} element;

typedef enum encoding
{
    ENCODING_NONE,
    ENCODING_ASCII,
    ENCODING_LITTLE,
    ENCODING_BIG
} encoding;

typedef struct reader
{
    pl_ply *ply;
    const pleat_host *host;
    pl_text text; /* at is where the next value begins, for binary too */
    const uint8_t *first;
    pleat_error *error;
    encoding encoding;
    uint32_t element_count;
    element *elements;
    uint32_t *polygon; /* scratch: vertices, links, triangles */
    size_t polygon_room, triangle_room;
    pl_polygon_budget budget;
    bool vertices_read;
    bool warned_short;
} reader;

/* ---- Header ----------------------------------------------------------------------------------------------------- */

static number_type read_type(pl_word word)
{
    for (size_t t = 1; t < sizeof types / sizeof types[0]; ++t)
    {
        if (pl_word_is(word, types[t].names[0]) || pl_word_is(word, types[t].names[1]))
        {
            return (number_type)t;
        }
    }
    return TYPE_NONE;
}

static role find_role(pl_word word, bool list)
{
    static const struct
    {
        const char *name;
        role role;
    } names[] = {
        {"x", ROLE_X},         {"y", ROLE_Y},         {"z", ROLE_Z},         {"nx", ROLE_NX},       {"ny", ROLE_NY},
        {"nz", ROLE_NZ},       {"u", ROLE_U},         {"v", ROLE_V},         {"s", ROLE_U},         {"t", ROLE_V},
        {"texture_u", ROLE_U}, {"texture_v", ROLE_V}, {"texture_s", ROLE_U}, {"texture_t", ROLE_V}, {"red", ROLE_RED},
        {"green", ROLE_GREEN}, {"blue", ROLE_BLUE},   {"alpha", ROLE_ALPHA}, {"r", ROLE_RED},       {"g", ROLE_GREEN},
        {"b", ROLE_BLUE},      {"a", ROLE_ALPHA},
    };
    if (list)
    {
        return pl_word_is(word, "vertex_indices") || pl_word_is(word, "vertex_index") ? ROLE_INDICES : ROLE_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        if (pl_word_is(word, names[i].name))
        {
            return names[i].role;
        }
    }
    return ROLE_UNKNOWN;
}

static pleat_result read_format(reader *r)
{
    pl_word word = pl_text_word(&r->text);
    r->encoding = pl_word_is(word, "ascii")                  ? ENCODING_ASCII
                  : pl_word_is(word, "binary_little_endian") ? ENCODING_LITTLE
                  : pl_word_is(word, "binary_big_endian")    ? ENCODING_BIG
                                                             : ENCODING_NONE;
    if (r->encoding == ENCODING_NONE)
    {
        return pl_text_fail(&r->text, word, "the format", "ascii, binary_little_endian or binary_big_endian", r->error);
    }
    pl_word version = pl_text_word(&r->text);
    return pl_word_is(version, "1.0") ? PLEAT_OK
                                      : pl_text_fail(&r->text, version, "the version of PLY", "1.0", r->error);
}

static pleat_result read_element(reader *r)
{
    if (r->element_count == MAX_ELEMENTS)
    {
        return pl_fail(r->error, PLEAT_UNSUPPORTED, "%.250s:%u: more than %d elements", r->text.name, r->text.line,
                       MAX_ELEMENTS);
    }
    element *made = &r->elements[r->element_count++];
    pl_word name = pl_text_word(&r->text);
    pl_word count = pl_text_word(&r->text);
    double number;
    if (!pl_word_number(count, &number) || !(number >= 0) || !(number <= UINT32_MAX / 4) || number != floor(number))
    {
        return pl_text_fail(&r->text, count, "the count of an element", "a whole number up to 1073741823", r->error);
    }
    made->count = (uint32_t)number;
    memcpy(made->name, name.at, name.length < sizeof made->name - 1 ? name.length : sizeof made->name - 1);
    return PLEAT_OK;
}

static pleat_result read_property(reader *r)
{
    element *owner = r->element_count ? &r->elements[r->element_count - 1] : NULL;
    if (!owner || owner->property_count == MAX_PROPERTIES)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: a property %s", r->text.name, r->text.line,
                       owner ? "too many: at most 128 are possible" : "before the first element");
    }
    property made = {0};
    pl_word word = pl_text_word(&r->text);
    if (pl_word_is(word, "list"))
    {
        word = pl_text_word(&r->text);
        made.count_type = read_type(word);
        if (made.count_type == TYPE_NONE || made.count_type >= TYPE_FLOAT)
        {
            return pl_text_fail(&r->text, word, "the type of a list's count", "an integer type such as uchar",
                                r->error);
        }
        word = pl_text_word(&r->text);
    }
    made.type = read_type(word);
    if (made.type == TYPE_NONE)
    {
        return pl_text_fail(&r->text, word, "the type of a property", "a type such as float, uchar or int32", r->error);
    }
    made.role = find_role(pl_text_word(&r->text), made.count_type != TYPE_NONE);
    owner->properties[owner->property_count++] = made;
    return PLEAT_OK;
}

static pleat_result read_header(reader *r)
{
    pl_word magic = pl_text_word(&r->text);
    if (!pl_word_is(magic, "ply"))
    {
        return pl_text_fail(&r->text, magic, "the first word", "ply", r->error);
    }
    for (;;)
    {
        if (!pl_text_next_line(&r->text))
        {
            return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: the file ends within its header", r->text.name,
                           r->text.line);
        }
        pl_word word = pl_text_word(&r->text);
        if (pl_word_is(word, "end_header"))
        {
            break;
        }
        if (pl_word_is(word, "format"))
        {
            PL_TRY(read_format(r));
        }
        else if (pl_word_is(word, "element"))
        {
            PL_TRY(read_element(r));
        }
        else if (pl_word_is(word, "property"))
        {
            PL_TRY(read_property(r));
        }
        else if (word.length > 0 && !pl_word_is(word, "comment") && !pl_word_is(word, "obj_info"))
        {
            return pl_text_fail(&r->text, word, "a line of the header",
                                "format, element, property, comment or end_header", r->error);
        }
    }
    pl_text_next_line(&r->text);
    if (r->encoding == ENCODING_NONE)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s:%u: the header has no line 'format ...'", r->text.name,
                       r->text.line);
    }
    return PLEAT_OK;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static unsigned long long offset_of(const reader *r)
{
    return (unsigned long long)((const uint8_t *)r->text.at - r->first);
}

static double binary_value(const uint8_t *bytes, number_type type, bool big)
{
    uint64_t bits = 0;
    size_t size = types[type].size;
    for (size_t i = 0; i < size; ++i)
    {
        bits |= (uint64_t)bytes[big ? size - 1 - i : i] << (8 * i);
    }
    float single;
    double value;
    uint32_t low = (uint32_t)bits;
    switch (type)
    {
    case TYPE_INT8:
        return (int8_t)bits;
    case TYPE_INT16:
        return (int16_t)bits;
    case TYPE_INT32:
        return (int32_t)low;
    case TYPE_FLOAT:
        memcpy(&single, &low, 4);
        return (double)single;
    case TYPE_DOUBLE:
        memcpy(&value, &bits, 8);
        return value;
    default:
        return (double)bits;
    }
}

/* nan, -nan, inf, -inf, infinity: as printf writes them. */
static bool is_not_finite(pl_word word)
{
    size_t sign = word.length > 0 && (*word.at == '-' || *word.at == '+');
    return word.length >= sign + 3 &&
           (strncasecmp(word.at + sign, "nan", 3) == 0 || strncasecmp(word.at + sign, "inf", 3) == 0);
}

static pleat_result read_value(reader *r, number_type type, const char *what, double *value)
{
    if (r->encoding != ENCODING_ASCII)
    {
        size_t size = types[type].size;
        if ((size_t)(r->text.end - r->text.at) < size)
        {
            return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s: the file ends at byte %llu within %s", r->text.name,
                           offset_of(r), what);
        }
        *value = binary_value((const uint8_t *)r->text.at, type, r->encoding == ENCODING_BIG);
        r->text.at += size;
        return PLEAT_OK;
    }
    pl_word word = pl_text_word(&r->text);
    while (word.length == 0 && pl_text_next_line(&r->text))
    {
        word = pl_text_word(&r->text);
    }
    if (pl_word_number(word, value))
    {
        return PLEAT_OK;
    }
    if (is_not_finite(word))
    {
        *value = NAN; /* harmless in what is passed over */
        return PLEAT_OK;
    }
    return pl_text_fail(&r->text, word, what, "a number", r->error);
}

static pleat_result read_list_count(reader *r, const property *list, uint32_t *count)
{
    double number;
    PL_TRY(read_value(r, list->count_type, "the count of a list", &number));
    size_t left = (size_t)(r->text.end - r->text.at);
    size_t most = r->encoding == ENCODING_ASCII ? left / 2 + 1 : left / types[list->type].size;
    if (!(number >= 0) || number != floor(number) || !(number <= (double)most))
    {
        return pl_fail(r->error, PLEAT_BAD_DATA,
                       "%.250s: byte %llu: a list of %g values; 0 to %zu fit the rest of the file", r->text.name,
                       offset_of(r), number, most);
    }
    *count = (uint32_t)number;
    return PLEAT_OK;
}

static pleat_result skip_list(reader *r, const property *list)
{
    uint32_t count;
    double value;
    PL_TRY(read_list_count(r, list, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        PL_TRY(read_value(r, list->type, "a list", &value));
    }
    return PLEAT_OK;
}

/* Before memory is asked for: could the rest of the file hold the element? */
static pleat_result check_element(const reader *r, const element *e)
{
    uint64_t least = 0;
    for (uint32_t p = 0; p < e->property_count; ++p)
    {
        number_type type = e->properties[p].count_type ? e->properties[p].count_type : e->properties[p].type;
        least += r->encoding == ENCODING_ASCII ? 2 : types[type].size; /* a digit and a blank */
    }
    uint64_t left = (uint64_t)(r->text.end - r->text.at);
    if (e->count > 0 && least * e->count > left + (r->encoding == ENCODING_ASCII))
    {
        return pl_fail(r->error, PLEAT_BAD_DATA,
                       "%.200s: byte %llu: %u of element %s need at least %llu bytes; the file has %llu left",
                       r->text.name, offset_of(r), e->count, e->name, (unsigned long long)(least * e->count),
                       (unsigned long long)left);
    }
    return PLEAT_OK;
}

/* ---- Elements --------------------------------------------------------------------------------------------------- */

static pleat_result allocate_vertices(reader *r, const element *e, const bool *has)
{
    pl_ply *ply = r->ply;
    pleat_result result = PLEAT_OK;
    PL_NEW_OR_FAIL(ply->positions, ply->memory, pleat_vec3, e->count, r->error);
    if (has[ROLE_NX] && has[ROLE_NY] && has[ROLE_NZ])
    {
        PL_NEW_OR_FAIL(ply->normals, ply->memory, pleat_vec3, e->count, r->error);
    }
    if (has[ROLE_U] && has[ROLE_V])
    {
        PL_NEW_OR_FAIL(ply->uvs, ply->memory, float, 2 * (size_t)e->count, r->error);
    }
    if (has[ROLE_RED] && has[ROLE_GREEN] && has[ROLE_BLUE])
    {
        PL_NEW_OR_FAIL(ply->colors, ply->memory, float, 4 * (size_t)e->count, r->error);
    }
    ply->vertex_count = e->count;
fail:
    return result;
}

static void store_vertex(pl_ply *ply, uint32_t v, const float *row)
{
    memcpy(&ply->positions[v], &row[ROLE_X], 3 * sizeof(float));
    if (ply->normals)
    {
        memcpy(&ply->normals[v], &row[ROLE_NX], 3 * sizeof(float));
    }
    if (ply->uvs)
    {
        memcpy(&ply->uvs[2 * (size_t)v], &row[ROLE_U], 2 * sizeof(float));
    }
    if (ply->colors)
    {
        memcpy(&ply->colors[4 * (size_t)v], &row[ROLE_RED], 4 * sizeof(float));
    }
}

static pleat_result read_vertices(reader *r, const element *e)
{
    bool has[ROLE_COUNT] = {0};
    for (uint32_t p = 0; p < e->property_count; ++p)
    {
        if (e->properties[p].role < ROLE_COUNT)
        {
            has[e->properties[p].role] = true;
        }
    }
    if (!has[ROLE_X] || !has[ROLE_Y] || !has[ROLE_Z] || r->vertices_read)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA,
                       "%.250s: one element vertex with the properties x, y and z was expected", r->text.name);
    }
    PL_TRY(allocate_vertices(r, e, has));
    r->vertices_read = true;
    for (uint32_t v = 0; v < e->count; ++v)
    {
        float row[ROLE_COUNT] = {[ROLE_ALPHA] = 1};
        for (uint32_t p = 0; p < e->property_count; ++p)
        {
            const property *column = &e->properties[p];
            if (column->count_type)
            {
                PL_TRY(skip_list(r, column));
                continue;
            }
            double value;
            PL_TRY(read_value(r, column->type, "a vertex", &value));
            if (column->role == ROLE_UNKNOWN)
            {
                continue;
            }
            value = column->role >= ROLE_RED ? value / types[column->type].largest : value;
            if (!isfinite((float)value) && column->role > ROLE_Z && column->role <= ROLE_NZ)
            {
                value = 0; /* normals of triangles without area */
            }
            if (!isfinite((float)value))
            {
                return pl_fail(r->error, PLEAT_BAD_DATA,
                               "%.250s: byte %llu: a value of vertex %u is %g; a finite number was expected",
                               r->text.name, offset_of(r), v, value);
            }
            row[column->role] = (float)value;
        }
        store_vertex(r->ply, v, row);
    }
    return PLEAT_OK;
}

static pleat_result grow(reader *r, uint32_t **array, size_t *room, size_t needed)
{
    if (needed <= *room)
    {
        return PLEAT_OK;
    }
    size_t capacity = *room ? *room : 192;
    while (capacity < needed)
    {
        capacity *= 2;
    }
    uint32_t *grown = pl_realloc(r->ply->memory, *array, capacity, sizeof *grown);
    if (!grown)
    {
        return pl_fail_memory(r->ply->memory, r->error, r->text.name);
    }
    *array = grown;
    *room = capacity;
    return PLEAT_OK;
}

static pleat_result read_polygon(reader *r, const property *list, uint32_t face)
{
    uint32_t count;
    PL_TRY(read_list_count(r, list, &count));
    PL_TRY(grow(r, &r->polygon, &r->polygon_room, 6 * (size_t)count));
    bool known = r->vertices_read;
    for (uint32_t i = 0; i < count; ++i)
    {
        double index;
        PL_TRY(read_value(r, list->type, "a face", &index));
        if (!(index >= 0) || !(index < UINT32_MAX / 4) || index != floor(index) ||
            (known && !(index < r->ply->vertex_count)))
        {
            return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s: byte %llu: face %u uses vertex %g; the file has %u",
                           r->text.name, offset_of(r), face, index, r->ply->vertex_count);
        }
        r->polygon[i] = (uint32_t)index;
    }
    if (count < 3)
    {
        if (!r->warned_short)
        {
            r->warned_short = true;
            pl_log(r->host, PLEAT_WARNING, "%s: face %u has %u corners and is passed over; it needs 3", r->text.name,
                   face, count);
        }
        return PLEAT_OK;
    }
    if (!known)
    {
        return pl_fail(r->error, PLEAT_UNSUPPORTED, "%.250s: its faces stand before its vertices", r->text.name);
    }
    uint32_t *triangles = r->polygon + 3 * (size_t)count;
    pl_polygon_cut(r->ply->positions, r->polygon, count, r->polygon + count, triangles, &r->budget);
    pl_ply *ply = r->ply;
    size_t total = 3 * ((size_t)ply->triangle_count + count - 2);
    if (total > UINT32_MAX / 2)
    {
        return pl_fail(r->error, PLEAT_UNSUPPORTED, "%.250s: too many triangles", r->text.name);
    }
    PL_TRY(grow(r, &ply->triangles, &r->triangle_room, total));
    for (uint32_t i = 0; i < 3 * (count - 2); ++i)
    {
        ply->triangles[3 * (size_t)ply->triangle_count + i] = r->polygon[triangles[i]];
    }
    ply->triangle_count += count - 2;
    return PLEAT_OK;
}

static pleat_result read_rows(reader *r, const element *e, bool faces)
{
    for (uint32_t i = 0; i < e->count && e->property_count > 0; ++i)
    {
        for (uint32_t p = 0; p < e->property_count; ++p)
        {
            const property *column = &e->properties[p];
            double value;
            if (faces && column->role == ROLE_INDICES)
            {
                PL_TRY(read_polygon(r, column, i));
            }
            else if (column->count_type)
            {
                PL_TRY(skip_list(r, column));
            }
            else
            {
                PL_TRY(read_value(r, column->type, "an element", &value));
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result read_all(reader *r, bool positions_only)
{
    PL_TRY(read_header(r));
    for (uint32_t i = 0; i < r->element_count && !(positions_only && r->vertices_read); ++i)
    {
        const element *e = &r->elements[i];
        PL_TRY(check_element(r, e));
        if (strcmp(e->name, "vertex") == 0)
        {
            PL_TRY(read_vertices(r, e));
        }
        else
        {
            PL_TRY(read_rows(r, e, strcmp(e->name, "face") == 0));
        }
    }
    if (r->ply->vertex_count == 0)
    {
        return pl_fail(r->error, PLEAT_BAD_DATA, "%.250s: it has no vertices", r->text.name);
    }
    if (r->budget.exhausted)
    {
        pl_log(r->host, PLEAT_WARNING, "%s: too many corners in faces that are not convex; some were cut as fans",
               r->text.name);
    }
    return PLEAT_OK;
}

pleat_result pl_ply_read(const uint8_t *bytes, size_t size, const char *name, bool positions_only, pl_memory *memory,
                         const pleat_host *host, pl_ply *ply, pleat_error *error)
{
    *ply = (pl_ply){.memory = memory};
    reader r = {.ply = ply, .host = host, .first = bytes, .error = error, .budget = pl_polygon_budget_default()};
    r.text = pl_text_from((const char *)bytes, size, name);
    r.elements = PL_NEW(memory, element, MAX_ELEMENTS);
    pleat_result result = r.elements ? read_all(&r, positions_only) : pl_fail_memory(memory, error, name);
    pl_free(memory, r.elements);
    pl_free(memory, r.polygon);
    if (result != PLEAT_OK)
    {
        pl_ply_free(ply);
    }
    return result;
}

void pl_ply_free(pl_ply *ply)
{
    pl_free(ply->memory, ply->positions);
    pl_free(ply->memory, ply->normals);
    pl_free(ply->memory, ply->uvs);
    pl_free(ply->memory, ply->colors);
    pl_free(ply->memory, ply->triangles);
    *ply = (pl_ply){0};
}
