/* The elements of an SVG, as far as a drawn curve needs them: groups and their transforms, and the first shape. Not an
 * XML parser for everyone: it knows tags, attributes, comments and sections to skip, and reads nothing outside of the
 * bytes it is given. */
#include "io/image/curve.h"

#include "io/file/number.h"

#include <math.h>
#include <string.h>

enum
{
    DEPTH_LIMIT = 64
};

typedef struct span
{
    const char *at;
    size_t length;
} span;

typedef struct svg_reader
{
    const char *at, *end;
    const char *name;
    double maps[DEPTH_LIMIT][6];
    uint32_t depth;
    uint32_t hidden; /* depth from which on nothing is drawn, or 0 */
} svg_reader;

static bool span_is(span s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.at, word, s.length) == 0;
}

static bool starts_with(const svg_reader *r, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Moves behind the next occurrence of a word, or to the end. */
static void skip_behind(svg_reader *r, const char *word)
{
    while (r->at < r->end && !starts_with(r, word))
    {
        ++r->at;
    }
    r->at = r->at < r->end ? r->at + strlen(word) : r->end;
}

/* ---- Transforms ---- */

static void multiply(const double a[6], const double b[6], double out[6])
{
    double made[6] = {a[0] * b[0] + a[2] * b[1], a[1] * b[0] + a[3] * b[1],        a[0] * b[2] + a[2] * b[3],
                      a[1] * b[2] + a[3] * b[3], a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5]};
    memcpy(out, made, sizeof made);
}

/* One function of a transform list as a map; false if it is unknown or its numbers are. */
static bool make_map(span word, const double *v, uint32_t count, double map[6])
{
    const double degree = 0.017453292519943295;
    double identity[6] = {1, 0, 0, 1, 0, 0};
    memcpy(map, identity, sizeof identity);
    if (span_is(word, "matrix") && count == 6)
    {
        memcpy(map, v, 6 * sizeof *v);
    }
    else if (span_is(word, "translate") && (count == 1 || count == 2))
    {
        map[4] = v[0];
        map[5] = count == 2 ? v[1] : 0;
    }
    else if (span_is(word, "scale") && (count == 1 || count == 2))
    {
        map[0] = v[0];
        map[3] = count == 2 ? v[1] : v[0];
    }
    else if (span_is(word, "rotate") && (count == 1 || count == 3))
    {
        double c = cos(v[0] * degree), s = sin(v[0] * degree), x = count == 3 ? v[1] : 0, y = count == 3 ? v[2] : 0;
        double turn[6] = {c, s, -s, c, x - c * x + s * y, y - s * x - c * y};
        memcpy(map, turn, sizeof turn);
    }
    else if (span_is(word, "skewX") && count == 1)
    {
        map[2] = tan(v[0] * degree);
    }
    else if (span_is(word, "skewY") && count == 1)
    {
        map[1] = tan(v[0] * degree);
    }
    else
    {
        return false;
    }
    return true;
}

static const char *skip_separators(const char *at, const char *end)
{
    while (at < end && (is_space(*at) || *at == ','))
    {
        ++at;
    }
    return at;
}

/* Multiplies a transform list into map. */
static pleat_result read_transform(const svg_reader *r, span text, double map[6], pleat_error *error)
{
    const char *at = text.at, *end = text.at + text.length;
    while ((at = skip_separators(at, end)) < end)
    {
        span word = {at, 0};
        double values[6] = {0}, one[6];
        uint32_t count = 0;
        while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
        {
            ++at;
            ++word.length;
        }
        at = skip_separators(at, end);
        bool open = at < end && *at == '(';
        at += open;
        while (open && count < 6 && (at = skip_separators(at, end)) < end && *at != ')')
        {
            size_t length = pl_number_parse(at, (size_t)(end - at), &values[count]);
            if (length == 0)
            {
                break;
            }
            at += length;
            ++count;
        }
        at = skip_separators(at, end);
        if (!open || at >= end || *at != ')' || !make_map(word, values, count, one))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the transform '%.*s' is none of SVG's", r->name,
                           (int)(text.length < 80 ? text.length : 80), text.at);
        }
        ++at;
        multiply(map, one, map);
    }
    return PLEAT_OK;
}

/* ---- Elements ---- */

/* What matters of a start tag. */
typedef struct element
{
    span name; /* without its prefix */
    span transform, points, d;
    bool empty; /* ends with itself */
    bool gone;  /* display: none, as hidden layers have it */
} element;

/* Does a style say "display: none"? */
static bool style_hides(span style)
{
    static const char word[] = "display:none";
    size_t found = 0;
    for (size_t i = 0; i < style.length && found + 1 < sizeof word; ++i)
    {
        if (!is_space(style.at[i]))
        {
            found = style.at[i] == word[found] ? found + 1 : style.at[i] == word[0];
        }
    }
    return found + 1 == sizeof word;
}

static void take_attribute(element *e, span name, span value)
{
    if (span_is(name, "transform"))
    {
        e->transform = value;
    }
    else if (span_is(name, "points"))
    {
        e->points = value;
    }
    else if (span_is(name, "d"))
    {
        e->d = value;
    }
    else if (span_is(name, "display"))
    {
        e->gone = e->gone || span_is(value, "none");
    }
    else if (span_is(name, "style"))
    {
        e->gone = e->gone || style_hides(value);
    }
}

static span read_name(svg_reader *r)
{
    span name = {r->at, 0};
    while (r->at < r->end && !is_space(*r->at) && *r->at != '/' && *r->at != '>' && *r->at != '=')
    {
        ++r->at;
        ++name.length;
    }
    return name;
}

static bool read_attributes(svg_reader *r, element *e)
{
    for (;;)
    {
        while (r->at < r->end && is_space(*r->at))
        {
            ++r->at;
        }
        if (r->at >= r->end)
        {
            return false;
        }
        if (*r->at == '>' || *r->at == '/')
        {
            e->empty = *r->at == '/';
            skip_behind(r, ">");
            return true;
        }
        span name = read_name(r);
        while (r->at < r->end && (is_space(*r->at) || *r->at == '='))
        {
            ++r->at;
        }
        char quote = r->at < r->end ? *r->at : 0;
        if (name.length == 0 || (quote != '"' && quote != '\''))
        {
            return false;
        }
        span value = {++r->at, 0};
        while (r->at < r->end && *r->at != quote)
        {
            ++r->at;
            ++value.length;
        }
        if (r->at >= r->end)
        {
            return false;
        }
        ++r->at;
        take_attribute(e, name, value);
    }
}

static bool hides(span name)
{
    static const char *const names[] = {"defs", "clipPath", "mask", "symbol", "pattern", "marker"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        if (span_is(name, names[i]))
        {
            return true;
        }
    }
    return false;
}

static pleat_result draw(const svg_reader *r, const element *e, const double map[6], pl_strokes *out,
                         pleat_error *error)
{
    if (r->hidden || e->gone)
    {
        return PLEAT_OK;
    }
    if (span_is(e->name, "polyline") || span_is(e->name, "polygon"))
    {
        return pl_svg_points(e->points.at, e->points.length, map, span_is(e->name, "polygon"), out, error);
    }
    return span_is(e->name, "path") ? pl_svg_path(e->d.at, e->d.length, map, out, error) : PLEAT_OK;
}

static pleat_result read_element(svg_reader *r, pl_strokes *out, pleat_error *error)
{
    element e = {.transform = {"", 0}, .points = {"", 0}, .d = {"", 0}};
    e.name = read_name(r);
    const char *colon = e.name.length ? memchr(e.name.at, ':', e.name.length) : NULL;
    if (colon)
    {
        e.name.length -= (size_t)(colon + 1 - e.name.at);
        e.name.at = colon + 1;
    }
    if (!read_attributes(r, &e))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the element '%.*s' is broken", r->name,
                       (int)(e.name.length < 40 ? e.name.length : 40), e.name.at);
    }
    double map[6];
    memcpy(map, r->maps[r->depth], sizeof map);
    PL_TRY(read_transform(r, e.transform, map, error));
    PL_TRY(draw(r, &e, map, out, error));
    if (!e.empty)
    {
        if (r->depth + 1 >= DEPTH_LIMIT)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.200s: more than %d elements inside of each other", r->name,
                           DEPTH_LIMIT - 1);
        }
        memcpy(r->maps[++r->depth], map, sizeof map);
        r->hidden = !r->hidden && (e.gone || hides(e.name)) ? r->depth : r->hidden;
    }
    return PLEAT_OK;
}

pleat_result pl_curve_read_svg(const char *text, size_t size, pl_strokes *out, pleat_error *error)
{
    svg_reader r = {.at = text, .end = text + size, .name = out->name};
    const double upwards[6] = {1, 0, 0, -1, 0, 0}; /* SVG's y points down */
    memcpy(r.maps[0], upwards, sizeof upwards);
    r.at += starts_with(&r, "\xef\xbb\xbf") ? 3 : 0;
    while (r.at < r.end && is_space(*r.at))
    {
        ++r.at;
    }
    if (!starts_with(&r, "<"))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.200s: neither a PNG nor an SVG: no polyline, polygon or path is drawn in it", r.name);
    }
    while (out->count == 0)
    {
        skip_behind(&r, "<");
        if (r.at >= r.end)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.200s: no polyline, polygon or path is drawn in it", r.name);
        }
        if (starts_with(&r, "!--"))
        {
            skip_behind(&r, "-->");
        }
        else if (starts_with(&r, "![CDATA["))
        {
            skip_behind(&r, "]]>");
        }
        else if (*r.at == '?' || *r.at == '!')
        {
            skip_behind(&r, ">");
        }
        else if (*r.at == '/')
        {
            r.hidden = r.hidden == r.depth ? 0 : r.hidden;
            r.depth -= r.depth > 0;
            skip_behind(&r, ">");
        }
        else
        {
            PL_TRY(read_element(&r, out, error));
        }
    }
    return PLEAT_OK;
}
