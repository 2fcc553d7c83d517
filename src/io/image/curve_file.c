/* From drawings to the points of a profile: the upper side of the strokes of an SVG, or of the ink of a PNG. */
#include "io/image/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    POINTS = 30,         /* of a profile, at most */
    SCALE = 999,         /* numbers are whole, from 0 to this */
    PIECE_LIMIT = 200000 /* of a drawing */
};

pleat_result pl_strokes_add(pl_strokes *strokes, const double piece[4], pleat_error *error)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (!(fabs(piece[i]) <= 1e12))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.200s: its curve goes through a number that is too large",
                           strokes->name);
        }
    }
    if (strokes->count == PIECE_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: its curve has more than %d pieces", strokes->name, PIECE_LIMIT);
    }
    if (strokes->count == strokes->room)
    {
        uint32_t room = strokes->room ? 2 * strokes->room : 64;
        void *grown = pl_realloc(strokes->memory, strokes->pieces, room, sizeof strokes->pieces[0]);
        if (!grown)
        {
            return pl_fail_memory(strokes->memory, error, "a drawn curve");
        }
        strokes->pieces = grown;
        strokes->room = room;
    }
    memcpy(strokes->pieces[strokes->count++], piece, 4 * sizeof *piece);
    return PLEAT_OK;
}

/* ---- Points ---- */

/* A profile on its way: x from 0 to 1, heights in any scale. */
typedef struct drawn
{
    double x[POINTS], y[POINTS];
    uint32_t count;
} drawn;

static pleat_result write_points(const drawn *points, const char *name, char *out, size_t size, pleat_error *error)
{
    double lowest = INFINITY, highest = -INFINITY;
    for (uint32_t i = 0; i < points->count; ++i)
    {
        lowest = fmin(lowest, points->y[i]);
        highest = fmax(highest, points->y[i]);
    }
    if (!(highest > 0) || !(lowest >= 0))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the curve drawn in it is flat", name);
    }
    size_t length = 0;
    for (uint32_t i = 0; i < points->count && length < size; ++i)
    {
        length += (size_t)snprintf(out + length, size - length, "%s%.0f,%.0f", i ? " " : "",
                                   round(SCALE * points->x[i]), round(SCALE * points->y[i] / highest));
    }
    return length < size ? PLEAT_OK
                         : pl_fail(error, PLEAT_BAD_ARGUMENT, "a curve takes 256 bytes; %zu are there", size);
}

/* ---- Strokes ---- */

/* A polyline from left to right, or from right to left, with few enough points far enough apart: as it is. */
static bool keep_points(const pl_strokes *s, double low, double high, drawn *out)
{
    if (!s->polyline || s->count + 1 > POINTS)
    {
        return false;
    }
    bool back = s->pieces[0][2] < s->pieces[0][0];
    out->count = s->count + 1;
    for (uint32_t i = 0; i <= s->count; ++i)
    {
        const double *piece = s->pieces[i < s->count ? i : s->count - 1];
        uint32_t to = back ? s->count - i : i;
        out->x[to] = (piece[i < s->count ? 0 : 2] - low) / (high - low);
        out->y[to] = piece[i < s->count ? 1 : 3];
    }
    for (uint32_t i = 1; i < out->count; ++i)
    {
        if (!(round(SCALE * out->x[i]) > round(SCALE * out->x[i - 1])))
        {
            return false;
        }
    }
    return true;
}

/* The highest place of any piece above x. */
static double top_at(const pl_strokes *s, double x)
{
    double top = -INFINITY;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        const double *p = s->pieces[i];
        double left = fmin(p[0], p[2]), right = fmax(p[0], p[2]);
        if (x >= left && x <= right)
        {
            double t = right > left ? (x - p[0]) / (p[2] - p[0]) : 0;
            top = fmax(top, right > left ? p[1] + t * (p[3] - p[1]) : fmax(p[1], p[3]));
        }
    }
    return top;
}

static pleat_result from_strokes(const pl_strokes *s, char *out, size_t size, pleat_error *error)
{
    double low = INFINITY, high = -INFINITY, ground = INFINITY;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        const double *p = s->pieces[i];
        low = fmin(low, fmin(p[0], p[2]));
        high = fmax(high, fmax(p[0], p[2]));
        ground = fmin(ground, fmin(p[1], p[3]));
    }
    if (!(high > low))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.200s: the curve drawn in it has no width", s->name);
    }
    drawn points = {.count = POINTS};
    if (!keep_points(s, low, high, &points))
    {
        points.count = POINTS;
        for (uint32_t i = 0; i < POINTS; ++i)
        {
            points.x[i] = round((double)SCALE * i / (POINTS - 1)) / SCALE;
            points.y[i] = top_at(s, i + 1 == POINTS ? high : low + points.x[i] * (high - low));
            /* Subpaths may leave a gap. */
            points.y[i] = points.y[i] >= ground ? points.y[i] : ground;
        }
    }
    for (uint32_t i = 0; i < points.count; ++i)
    {
        points.y[i] -= ground;
    }
    return write_points(&points, s->name, out, size, error);
}

/* ---- Ink ---- */

/* How far a pixel is from the background, 0 to 255. */
typedef struct ink
{
    const pleat_image *image;
    bool alpha;     /* transparent where nothing is drawn */
    int background; /* its brightness else */
    int most;       /* of any pixel */
} ink;

static int ink_at(const ink *k, uint32_t x, uint32_t y)
{
    const uint8_t *p = k->image->pixels + 4 * ((size_t)y * k->image->width + x);
    int brightness = (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000;
    int from = brightness - k->background;
    return k->alpha ? p[3] : from < 0 ? -from : from;
}

/* The upper side of what is drawn counts, so that ground is what the upper corners show: a shape may well fill the
 * lower ones. Where one of them is drawn on, the upper row decides. */
static int find_background(const ink *k)
{
    uint32_t right = k->image->width - 1;
    int left_tone = ink_at(k, 0, 0), right_tone = ink_at(k, right, 0);
    uint64_t sum = 0;
    for (uint32_t x = 0; x <= right; ++x)
    {
        sum += (uint64_t)ink_at(k, x, 0);
    }
    bool agree = (left_tone > 127) == (right_tone > 127);
    return (agree ? left_tone > 127 : sum > 127 * (uint64_t)k->image->width) ? 255 : 0;
}

static ink find_ink(const pleat_image *image)
{
    ink k = {.image = image};
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i)
    {
        k.alpha = k.alpha || image->pixels[4 * i + 3] < 128;
    }
    k.background = k.alpha ? 0 : find_background(&k);
    for (uint32_t y = 0; y < image->height; ++y)
    {
        for (uint32_t x = 0; x < image->width; ++x)
        {
            int here = ink_at(&k, x, y);
            k.most = here > k.most ? here : k.most;
        }
    }
    return k;
}

/* What a column of pixels shows: rows from the top, in pixels and parts of them. */
typedef struct column
{
    double top, bottom; /* of the highest stroke or area */
    bool any;
} column;

static column read_column(const ink *k, uint32_t x)
{
    column c = {0};
    int half = (k->most + 1) / 2;
    uint32_t height = k->image->height, y = 0;
    while (y < height && ink_at(k, x, y) < half)
    {
        ++y;
    }
    if (y == height)
    {
        return c;
    }
    /* A pixel that is partly covered says where in it the edge lies. */
    double covered = y > 0 ? (double)ink_at(k, x, y - 1) / k->most : 0, own = (double)ink_at(k, x, y) / k->most;
    c.top = y + (own < 1 ? 1 - own : 0) - covered;
    while (y < height && ink_at(k, x, y) >= half)
    {
        ++y;
    }
    c.bottom = y;
    c.any = true;
    return c;
}

/* Where heights are counted from: the lower side of a filled shape, or the lowest place of a line. */
static double ground_of(const column *columns, uint32_t first, uint32_t last, bool *line)
{
    double highest = INFINITY, lowest = 0, bottom = 0, thickness = 0;
    uint32_t count = 0;
    for (uint32_t x = first; x <= last; ++x)
    {
        if (columns[x].any)
        {
            highest = fmin(highest, columns[x].top);
            lowest = fmax(lowest, columns[x].top);
            bottom = fmax(bottom, columns[x].bottom);
            thickness += columns[x].bottom - columns[x].top;
            ++count;
        }
    }
    *line = thickness / count <= 0.25 * (bottom - highest);
    return *line ? lowest : bottom;
}

/* A line of several strokes, or a dashed one, goes on straight where it is not drawn. */
static void bridge_gaps(column *columns, uint32_t first, uint32_t last)
{
    for (uint32_t x = first + 1, from = first; x <= last; ++x)
    {
        for (uint32_t gap = from + 1; columns[x].any && gap < x; ++gap)
        {
            double part = (double)(gap - from) / (x - from);
            columns[gap].top = columns[from].top + part * (columns[x].top - columns[from].top);
        }
        from = columns[x].any ? x : from;
    }
    for (uint32_t x = first; x <= last; ++x)
    {
        columns[x].any = true;
    }
}

/* Mean height of the columns around each of the points; columns without ink lie on the ground. */
static void sample_columns(const column *columns, uint32_t first, uint32_t last, double ground, drawn *out)
{
    double width = (double)(last - first) / (POINTS - 1);
    out->count = POINTS;
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        /* As far to the left as to the right, or a slope would count as height at the ends. */
        double middle = first + width * i, side = fmin(middle - first, last - middle) + 0.5;
        double half = fmin(fmax(0.5, 0.25 * width), side), sum = 0, weights = 0;
        for (uint32_t x = first; x <= last; ++x)
        {
            double weight = fmax(0, fmin(x + 0.5, middle + half) - fmax(x - 0.5, middle - half));
            sum += weight * (columns[x].any ? fmax(ground - columns[x].top, 0) : 0);
            weights += weight;
        }
        out->x[i] = (double)i / (POINTS - 1);
        out->y[i] = weights > 0 ? sum / weights : 0;
    }
}

static pleat_result from_image(const pleat_image *image, const char *name, pl_memory *memory, char *out, size_t size,
                               pleat_error *error)
{
    ink k = find_ink(image);
    column *columns = PL_NEW(memory, column, image->width);
    if (!columns)
    {
        return pl_fail_memory(memory, error, "the columns of a picture");
    }
    uint32_t first = image->width, last = 0;
    for (uint32_t x = 0; x < image->width && k.most > 64; ++x)
    {
        columns[x] = read_column(&k, x);
        if (columns[x].any)
        {
            first = first < x ? first : x;
            last = x;
        }
    }
    pleat_result result;
    if (first >= last)
    {
        result = pl_fail(error, PLEAT_BAD_DATA, "%.200s: no dark curve on a light ground is drawn in it", name);
    }
    else
    {
        drawn points;
        bool line;
        double ground = ground_of(columns, first, last, &line);
        if (line)
        {
            bridge_gaps(columns, first, last);
        }
        sample_columns(columns, first, last, ground, &points);
        result = write_points(&points, name, out, size, error);
    }
    pl_free(memory, columns);
    return result;
}

/* ---- Files ---- */

pleat_result pleat_curve_decode(const void *bytes, size_t byte_count, const char *name, const pleat_host *host,
                                char *out, size_t size, pleat_error *error)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G'};
    pl_memory memory = pl_memory_from(host);
    pleat_result result;
    if (byte_count >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0)
    {
        pleat_image image;
        PL_TRY(pleat_image_decode(bytes, byte_count, name, host, &image, error));
        result = from_image(&image, name, &memory, out, size, error);
        pleat_image_free(host, &image);
        return result;
    }
    pl_strokes strokes = {.memory = &memory, .name = name};
    result = pl_curve_read_svg(bytes, byte_count, &strokes, error);
    if (result == PLEAT_OK)
    {
        result = from_strokes(&strokes, out, size, error);
    }
    pl_free(&memory, strokes.pieces);
    return result;
}

pleat_result pleat_curve_read(const char *path, const pleat_host *host, char *out, size_t size, pleat_error *error)
{
    void *bytes;
    size_t byte_count;
    PL_TRY(pleat_file_read(path, host, &bytes, &byte_count, error));
    pleat_result result = pleat_curve_decode(bytes, byte_count, path, host, out, size, error);
    pleat_file_free(host, bytes, byte_count);
    return result;
}
