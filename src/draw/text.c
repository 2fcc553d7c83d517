/* A stroke font of our own: letters as lines and soft curves on a small grid, drawn at any size.
 *
 * A glyph is its width in grid units, then strokes parted by spaces. A point is two characters: x as a digit, y as a
 * letter from 'a' (2 below the baseline) over 'c' (the baseline) and 'h' (top of x) to 'k' (top of X). A stroke that
 * starts with '~' is a quadratic spline: it leaves its first point, passes the middles between the following
 * ones, and ends in its last point; if that is the first one, it is closed and round. */
#include "draw/picture.h"

#include <math.h>
#include <string.h>

#define FIRST ' '
#define LAST '~'

static const char *const glyphs[LAST - FIRST + 1] = {
    /*   */ "3",
    /* ! */ "2 1k1f 1c1c",
    /* " */ "3 0k0i 2k2i",
    /* # */ "6 1c2k 4c5k 0f6f 0i6i",
    /* $ */ "6 ~6i5j3j0j0g3g6g6d3d1d0e 3k3c",
    /* % */ "6 0c6k ~0h2h2k0k0h ~4c6c6f4f4c",
    /* & */ "6 ~6f6c2c0c0f2g4i4k1k1h2f6c",
    /* ' */ "2 1k1i",
    /* ( */ "2 ~2l0j0d2b",
    /* ) */ "2 ~0l2j2d0b",
    /* * */ "4 2j2f 0i4g 0g4i",
    /* + */ "4 0f4f 2d2h",
    /* , */ "2 1c0b",
    /* - */ "3 0f3f",
    /* . */ "1 0c0c",
    /* / */ "4 0c4k",
    /* 0 */ "5 ~0c5c5k0k0c",
    /* 1 */ "3 0i2k2c",
    /* 2 */ "5 ~0i0k3k5k5h4g0c 0c5c",
    /* 3 */ "5 ~0j2k5k5g2g ~2g5g5c2c0d",
    /* 4 */ "5 4c4k0e5e",
    /* 5 */ "5 5k1k0g ~0g2h5h5c2c0d",
    /* 6 */ "5 ~0c5c5h0h0c ~4k1j0h0e",
    /* 7 */ "5 0k5k2c",
    /* 8 */ "5 ~0c5c5g0g0c ~0g5g5k0k0g",
    /* 9 */ "5 ~0f5f5k0k0f ~5i5f4d1c",
    /* : */ "1 0c0c 0g0g",
    /* ; */ "2 1c0b 1g1g",
    /* < */ "4 4i0f4c",
    /* = */ "4 0e4e 0g4g",
    /* > */ "4 0i4f0c",
    /* ? */ "4 ~0i0k2k4k4h2g2e 2c2c",
    /* @ */ "7 ~5g4h2h2d4d5e 5h5e ~5e5d7d7k0k0c6c",
    /* A */ "6 0c3k6c 1f5f",
    /* B */ "6 0g0k3k ~3k5k5g3g 0g3g ~3g6g6c3c 3c0c0g",
    /* C */ "6 ~6i5k3k0k0c3c5c6e",
    /* D */ "6 2c0c0k2k ~2k6k6c2c",
    /* E */ "5 5k0k0c5c 0g4g",
    /* F */ "5 5k0k0c 0g4g",
    /* G */ "6 ~6i5k3k0k0c3c6c6g 6g3g",
    /* H */ "6 0c0k 6c6k 0g6g",
    /* I */ "1 0c0k",
    /* J */ "4 4k4f ~4f4c2c0c0e",
    /* K */ "5 0c0k 5k0f 2h5c",
    /* L */ "5 0k0c5c",
    /* M */ "6 0c0k3f6k6c",
    /* N */ "6 0c0k6c6k",
    /* O */ "6 ~0c6c6k0k0c",
    /* P */ "6 0c0k3k ~3k6k6f3f 3f0f",
    /* Q */ "6 ~0c6c6k0k0c 4e6b",
    /* R */ "6 0c0k3k ~3k6k6f3f 0f3f6c",
    /* S */ "6 ~6i5k3k0k0g3g6g6c3c1c0e",
    /* T */ "6 0k6k 3k3c",
    /* U */ "6 0k0f ~0f0c3c6c6f 6f6k",
    /* V */ "6 0k3c6k",
    /* W */ "8 0k2c4k6c8k",
    /* X */ "6 0k6c 0c6k",
    /* Y */ "6 0k3g6k 3g3c",
    /* Z */ "6 0k6k0c6c",
    /* [ */ "2 2l0l0b2b",
    /* \ */ "4 0k4c",
    /* ] */ "2 0l2l2b0b",
    /* ^ */ "4 0i2k4i",
    /* _ */ "5 0b5b",
    /* ` */ "2 0k1i",
    /* a */ "4 ~0c4c4h0h0c 4h4c",
    /* b */ "4 0k0c ~0c4c4h0h0c",
    /* c */ "4 ~4g3h2h0h0c2c3c4d",
    /* d */ "4 4k4c ~0c4c4h0h0c",
    /* e */ "4 0f4f ~4f4h2h0h0c2c3c4d",
    /* f */ "3 ~3k1k1i 1i1c 0h3h",
    /* g */ "4 ~0c4c4h0h0c 4h4c ~4c4a2a0a0b",
    /* h */ "4 0k0c ~0f0h2h4h4f 4f4c",
    /* i */ "1 0h0c 0j0j",
    /* j */ "2 1h1c ~1c1a0a 1j1j",
    /* k */ "4 0k0c 4h0e 1f4c",
    /* l */ "1 0k0c",
    /* m */ "6 0h0c ~0f0h2h3h3f 3f3c ~3f3h5h6h6f 6f6c",
    /* n */ "4 0h0c ~0f0h2h4h4f 4f4c",
    /* o */ "4 ~0c4c4h0h0c",
    /* p */ "4 0h0a ~0c4c4h0h0c",
    /* q */ "4 4h4a ~0c4c4h0h0c",
    /* r */ "3 0h0c ~0f0h2h3h",
    /* s */ "4 ~4g3h2h0h0f4e4c2c1c0d",
    /* t */ "3 1j1e ~1e1c3c 0h3h",
    /* u */ "4 0h0e ~0e0c2c4c4e 4h4c",
    /* v */ "4 0h2c4h",
    /* w */ "6 0h2c3h4c6h",
    /* x */ "4 0h4c 0c4h",
    /* y */ "4 0h2c 4h1a",
    /* z */ "4 0h4h0c4c",
    /* { */ "3 ~3l1l1h0f 0f1d ~0f1e1b3b",
    /* | */ "1 0l0b",
    /* } */ "3 ~0l2l2h3f ~3f2e2b0b",
    /* ~ */ "5 ~0f1h3e5g",
};

/* What other bytes come out as. */
static const char box[] = "5 0c0k5k5c0c";

enum
{
    CAP_UNITS = 8,    /* grid units in a capital letter */
    CURVE_PIECES = 5, /* lines that stand for one arc */
    POINTS_MAX = 16   /* points in a stroke */
};
static const float SPACING = 2.0f;

static const char *glyph_of(char c)
{
    return c >= FIRST && c <= LAST ? glyphs[c - FIRST] : box;
}

static float advance_of(char c)
{
    return (float)(glyph_of(c)[0] - '0') + SPACING;
}

typedef struct point
{
    float x, y;
} point;

/* Where a glyph's lines go, and the grid's place in the picture. */
typedef struct pen
{
    float x, y, unit;
    uint32_t count;
    pl_segment *segments;
} pen;

static void pen_line(pen *p, point a, point b)
{
    if (p->count < PL_GLYPH_SEGMENTS)
    {
        p->segments[p->count++] =
            (pl_segment){p->x + a.x * p->unit, p->y - a.y * p->unit, p->x + b.x * p->unit, p->y - b.y * p->unit};
    }
}

static point between(point a, point b, float t)
{
    return (point){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

static void pen_arc(pen *p, point a, point control, point b)
{
    point from = a;
    for (int i = 1; i <= CURVE_PIECES; ++i)
    {
        float t = (float)i / CURVE_PIECES;
        point to = between(between(a, control, t), between(control, b, t), t);
        pen_line(p, from, to);
        from = to;
    }
}

static void pen_spline(pen *p, int count, const point *points)
{
    bool closed = points[0].x == points[count - 1].x && points[0].y == points[count - 1].y;
    if (closed)
    {
        int corners = count - 1;
        for (int i = 0; i < corners; ++i)
        {
            point before = points[(i + corners - 1) % corners], after = points[(i + 1) % corners];
            pen_arc(p, between(before, points[i], 0.5f), points[i], between(points[i], after, 0.5f));
        }
        return;
    }
    for (int i = 1; i + 1 < count; ++i)
    {
        point from = i == 1 ? points[0] : between(points[i - 1], points[i], 0.5f);
        point to = i + 2 == count ? points[i + 1] : between(points[i], points[i + 1], 0.5f);
        pen_arc(p, from, points[i], to);
    }
}

static void pen_glyph(pen *p, const char *glyph)
{
    const char *at = glyph + 1;
    while (*at == ' ')
    {
        ++at;
        bool curved = *at == '~';
        at += curved;
        point points[POINTS_MAX] = {{0}};
        int count = 0;
        for (; *at && *at != ' ' && count < POINTS_MAX; at += 2)
        {
            points[count++] = (point){(float)(at[0] - '0'), (float)(at[1] - 'c')};
        }
        if (curved)
        {
            pen_spline(p, count, points);
            continue;
        }
        for (int i = 0; i + 1 < count; ++i)
        {
            pen_line(p, points[i], points[i + 1]);
        }
    }
}

float pleat_text_width(float height, const char *text)
{
    float units = 0;
    for (const char *c = text; *c; ++c)
    {
        units += advance_of(*c);
    }
    return *text ? (units - SPACING) * height / CAP_UNITS : 0;
}

uint32_t pl_glyph(char c, float x, float y, float height, pl_segment *out, float *advance)
{
    pen p = {.x = x, .y = y, .unit = height / CAP_UNITS, .segments = out};
    pen_glyph(&p, glyph_of(c));
    *advance = advance_of(c) * p.unit;
    return p.count;
}

float pl_text_stroke(float height)
{
    return fmaxf(0.115f * height, 1.1f);
}

void pleat_picture_text(const pleat_picture *picture, float x, float y, float height, pleat_rgba color,
                        const char *text)
{
    for (const char *c = text; *c; ++c)
    {
        pl_segment segments[PL_GLYPH_SEGMENTS];
        float advance;
        uint32_t count = pl_glyph(*c, x, y, height, segments, &advance);
        if (count > 0)
        {
            pl_picture_stroke(picture, count, segments, pl_text_stroke(height), color);
        }
        x += advance;
    }
}
