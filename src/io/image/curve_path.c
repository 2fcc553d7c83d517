/* Points and path data of SVG as straight pieces. Curves become short ones: 16 of a Bezier, up to 64 of an arc. */
#include "io/image/curve.h"

#include "io/file/number.h"

#include <math.h>
#include <string.h>

enum
{
    BEZIER_PIECES = 16,
    ARC_PIECES = 64 /* of a whole turn */
};

typedef struct point
{
    double x, y;
} point;

typedef struct path_reader
{
    const char *at, *end;
    const double *map;
    pl_strokes *out;
    point now, start, control; /* control: of the curve before, for S and T */
    char command, before;
    bool broken; /* a subpath began anew */
} path_reader;

static void skip(path_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r' || *r->at == ','))
    {
        ++r->at;
    }
}

static bool read_number(path_reader *r, double *out)
{
    skip(r);
    size_t length = r->at < r->end ? pl_number_parse(r->at, (size_t)(r->end - r->at), out) : 0;
    r->at += length;
    return length > 0;
}

static bool read_point(path_reader *r, bool relative, point *out)
{
    if (!read_number(r, &out->x) || !read_number(r, &out->y))
    {
        return false;
    }
    out->x += relative ? r->now.x : 0;
    out->y += relative ? r->now.y : 0;
    return true;
}

/* Flags of an arc may stand without a space between them. */
static bool read_flag(path_reader *r, bool *out)
{
    skip(r);
    if (r->at >= r->end || (*r->at != '0' && *r->at != '1'))
    {
        return false;
    }
    *out = *r->at++ == '1';
    return true;
}

static pleat_result line_to(path_reader *r, point to, pleat_error *error)
{
    const double *m = r->map;
    double piece[4] = {m[0] * r->now.x + m[2] * r->now.y + m[4], m[1] * r->now.x + m[3] * r->now.y + m[5],
                       m[0] * to.x + m[2] * to.y + m[4], m[1] * to.x + m[3] * to.y + m[5]};
    r->now = to;
    r->out->polyline = r->out->polyline && !r->broken;
    r->broken = false;
    return pl_strokes_add(r->out, piece, error);
}

static pleat_result curve_to(path_reader *r, point a, point b, point to, pleat_error *error)
{
    point from = r->now;
    r->out->polyline = false;
    for (uint32_t i = 1; i <= BEZIER_PIECES; ++i)
    {
        double t = (double)i / BEZIER_PIECES, s = 1 - t;
        double w0 = s * s * s, w1 = 3 * s * s * t, w2 = 3 * s * t * t, w3 = t * t * t;
        point next = {w0 * from.x + w1 * a.x + w2 * b.x + w3 * to.x, w0 * from.y + w1 * a.y + w2 * b.y + w3 * to.y};
        PL_TRY(line_to(r, i == BEZIER_PIECES ? to : next, error));
    }
    return PLEAT_OK;
}

/* A quadratic curve is the cubic one with its control points two thirds of the way to the single one. */
static pleat_result quadratic_to(path_reader *r, point control, point to, pleat_error *error)
{
    point a = {(r->now.x + 2 * control.x) / 3, (r->now.y + 2 * control.y) / 3};
    point b = {(to.x + 2 * control.x) / 3, (to.y + 2 * control.y) / 3};
    return curve_to(r, a, b, to, error);
}

/* An elliptic arc by its centre (SVG 1.1, appendix F.6.5). */
static pleat_result arc_to(path_reader *r, double rx, double ry, double degrees, bool large, bool sweep, point to,
                           pleat_error *error)
{
    const double turn = 6.283185307179586;
    double c = cos(degrees * turn / 360), s = sin(degrees * turn / 360);
    point from = r->now;
    double dx = 0.5 * (from.x - to.x), dy = 0.5 * (from.y - to.y);
    double x = c * dx + s * dy, y = -s * dx + c * dy;
    rx = fabs(rx);
    ry = fabs(ry);
    r->out->polyline = false;
    if (!(rx > 0) || !(ry > 0) || (dx == 0 && dy == 0))
    {
        return line_to(r, to, error);
    }
    double grow = x * x / (rx * rx) + y * y / (ry * ry);
    if (grow > 1) /* radii that do not reach are enlarged */
    {
        rx *= sqrt(grow);
        ry *= sqrt(grow);
    }
    double below = rx * rx * y * y + ry * ry * x * x;
    double k = sqrt(fmax(0, (rx * rx * ry * ry - below) / below)) * (large == sweep ? -1 : 1);
    double cx = k * rx * y / ry, cy = -k * ry * x / rx;
    double begin = atan2((y - cy) / ry, (x - cx) / rx), span = atan2((-y - cy) / ry, (-x - cx) / rx) - begin;
    span += sweep && span < 0 ? turn : !sweep && span > 0 ? -turn : 0;
    uint32_t pieces = 1 + (uint32_t)(fmin(fabs(span) / turn, 1) * ARC_PIECES);
    double middle_x = 0.5 * (from.x + to.x), middle_y = 0.5 * (from.y + to.y);
    for (uint32_t i = 1; i <= pieces; ++i)
    {
        double angle = begin + span * i / pieces, px = rx * cos(angle) + cx, py = ry * sin(angle) + cy;
        point next = {c * px - s * py + middle_x, s * px + c * py + middle_y};
        PL_TRY(line_to(r, i == pieces ? to : next, error));
    }
    return PLEAT_OK;
}

/* ---- Commands ---- */

static pleat_result broken(const path_reader *r, pleat_error *error)
{
    return pl_fail(error, PLEAT_BAD_DATA, "%.200s: its path is broken at '%.*s'", r->out->name,
                   (int)(r->end - r->at < 20 ? r->end - r->at : 20), r->at);
}

static pleat_result straight(path_reader *r, char kind, bool relative, pleat_error *error)
{
    point to = r->now;
    double value;
    if (kind == 'H' || kind == 'V')
    {
        if (!read_number(r, &value))
        {
            return broken(r, error);
        }
        *(kind == 'H' ? &to.x : &to.y) = value + (relative ? kind == 'H' ? r->now.x : r->now.y : 0);
        return line_to(r, to, error);
    }
    return read_point(r, relative, &to) ? line_to(r, to, error) : broken(r, error);
}

static pleat_result curved(path_reader *r, char kind, bool relative, pleat_error *error)
{
    bool cubic = kind == 'C' || kind == 'S';
    bool goes_on = cubic ? r->before == 'C' || r->before == 'S' : r->before == 'Q' || r->before == 'T';
    point mirrored = {2 * r->now.x - r->control.x, 2 * r->now.y - r->control.y};
    point a = goes_on ? mirrored : r->now, b = a, to;
    bool read = (kind != 'C' || read_point(r, relative, &a)) && (kind == 'T' || read_point(r, relative, &b)) &&
                read_point(r, relative, &to);
    if (!read)
    {
        return broken(r, error);
    }
    r->control = b;
    return cubic ? curve_to(r, a, b, to, error) : quadratic_to(r, b, to, error);
}

static pleat_result arced(path_reader *r, bool relative, pleat_error *error)
{
    double rx, ry, degrees;
    bool large, sweep;
    point to;
    bool read = read_number(r, &rx) && read_number(r, &ry) && read_number(r, &degrees) && read_flag(r, &large) &&
                read_flag(r, &sweep) && read_point(r, relative, &to);
    return read ? arc_to(r, rx, ry, degrees, large, sweep, to, error) : broken(r, error);
}

static pleat_result run_command(path_reader *r, pleat_error *error)
{
    char kind = (char)(r->command & ~32);
    bool relative = r->command & 32;
    switch (kind)
    {
    case 'M':
        if (!read_point(r, relative, &r->now))
        {
            return broken(r, error);
        }
        r->start = r->now;
        r->broken = r->out->count > 0;
        r->command = relative ? 'l' : 'L'; /* further points are lines */
        return PLEAT_OK;
    case 'L':
    case 'H':
    case 'V':
        return straight(r, kind, relative, error);
    case 'C':
    case 'S':
    case 'Q':
    case 'T':
        return curved(r, kind, relative, error);
    case 'A':
        return arced(r, relative, error);
    default:
        return broken(r, error);
    }
}

pleat_result pl_svg_path(const char *text, size_t size, const double map[6], pl_strokes *out, pleat_error *error)
{
    path_reader r = {.at = text, .end = text + size, .map = map, .out = out};
    out->polyline = true;
    for (skip(&r); r.at < r.end; skip(&r))
    {
        bool letter = (*r.at >= 'a' && *r.at <= 'z') || (*r.at >= 'A' && *r.at <= 'Z');
        if (!r.command && *r.at != 'M' && *r.at != 'm')
        {
            return broken(&r, error);
        }
        if (letter)
        {
            r.command = *r.at++;
            if (r.command == 'Z' || r.command == 'z')
            {
                PL_TRY(line_to(&r, r.start, error));
                r.before = 'Z';
                continue;
            }
        }
        char kind = (char)(r.command & ~32);
        PL_TRY(run_command(&r, error));
        r.before = kind;
    }
    return PLEAT_OK;
}

pleat_result pl_svg_points(const char *text, size_t size, const double map[6], bool closed, pl_strokes *out,
                           pleat_error *error)
{
    path_reader r = {.at = text, .end = text + size, .map = map, .out = out};
    point to;
    out->polyline = true;
    for (bool first = true; skip(&r), r.at < r.end; first = false)
    {
        if (!read_point(&r, false, &to))
        {
            return broken(&r, error);
        }
        if (first)
        {
            r.now = r.start = to;
        }
        else
        {
            PL_TRY(line_to(&r, to, error));
        }
    }
    return closed && out->count ? line_to(&r, r.start, error) : PLEAT_OK;
}
