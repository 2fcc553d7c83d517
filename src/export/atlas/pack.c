/* Packing charts into a square, after the way the pieces of Tetris fall: each chart is turned so that its box is small
 * and high, charts come in order of their height, and each goes where its underside fits onto what lies there already
 * so that its top stays lowest. The largest scale at which all of them fit is searched for. */
#include "export/atlas/atlas.h"

#include <stdlib.h>
#include <string.h>

enum
{
    COLUMNS = 512, /* cells a side of the square */
    ANGLES = 30,   /* tried on a quarter turn */
    SHRINKS = 40,  /* of the scale, until all fits */
    HALVINGS = 8   /* of the interval then */
};

typedef struct piece
{
    uint32_t chart;
    uint32_t first, count; /* triangles in the order */
    float left, bottom;    /* of its box, units of the mesh */
    float width, height;
    uint32_t column, row; /* where it lies */
} piece;

typedef struct packer
{
    pl_charts *charts;
    piece *pieces;
    uint32_t *horizon;    /* COLUMNS: rows taken so far */
    uint32_t *low, *high; /* COLUMNS: profile of a piece in rows; high 0: nothing */
    uint32_t gap;         /* cells around each piece */
} packer;

/* ---- Turning ---- */

static void box_of(const packer *p, const piece *q, float cosine, float sine, float box[4])
{
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (uint32_t i = 0; i < 3 * q->count; ++i)
    {
        const float *at = p->charts->flat[3 * (size_t)p->charts->order[q->first + i / 3] + i % 3];
        float x = cosine * at[0] - sine * at[1], y = sine * at[0] + cosine * at[1];
        box[0] = fminf(box[0], x);
        box[1] = fminf(box[1], y);
        box[2] = fmaxf(box[2], x);
        box[3] = fmaxf(box[3], y);
    }
}

static void turn_piece(const packer *p, piece *q)
{
    float best = INFINITY, best_angle = 0, box[4];
    for (uint32_t i = 0; i < ANGLES; ++i)
    {
        float angle = (float)i / ANGLES * 1.57079633f;
        box_of(p, q, cosf(angle), sinf(angle), box);
        float area = (box[2] - box[0]) * (box[3] - box[1]);
        if (area < best)
        {
            best = area;
            best_angle = angle;
        }
    }
    box_of(p, q, cosf(best_angle), sinf(best_angle), box);
    best_angle += box[2] - box[0] > box[3] - box[1] ? 1.57079633f : 0;
    float cosine = cosf(best_angle), sine = sinf(best_angle);
    box_of(p, q, cosine, sine, box);
    for (uint32_t i = 0; i < 3 * q->count; ++i)
    {
        float *at = p->charts->flat[3 * (size_t)p->charts->order[q->first + i / 3] + i % 3];
        float x = cosine * at[0] - sine * at[1], y = sine * at[0] + cosine * at[1];
        at[0] = x - box[0];
        at[1] = y - box[1];
    }
    q->width = box[2] - box[0];
    q->height = box[3] - box[1];
}

/* ---- Falling ---- */

static void widen(packer *p, uint32_t column, float low, float high)
{
    uint32_t bottom = low > 0 ? (uint32_t)low : 0, top = (high > 0 ? (uint32_t)high : 0) + 1;
    p->low[column] = p->high[column] && p->low[column] < bottom ? p->low[column] : bottom;
    p->high[column] = p->high[column] > top ? p->high[column] : top;
}

/* The columns that an edge touches. */
static void draw_edge(packer *p, const float *a, const float *b, float scale)
{
    float ax = a[0] * scale, ay = a[1] * scale, bx = b[0] * scale, by = b[1] * scale;
    if (ax > bx)
    {
        float x = ax, y = ay;
        ax = bx;
        ay = by;
        bx = x;
        by = y;
    }
    uint32_t first = ax > 0 ? (uint32_t)ax : 0, last = bx > 0 ? (uint32_t)bx : 0;
    for (uint32_t column = first; column <= last && column < COLUMNS; ++column)
    {
        float from = fmaxf(ax, (float)column), to = fminf(bx, (float)column + 1);
        float slope = bx > ax ? (by - ay) / (bx - ax) : 0;
        float y0 = bx > ax ? ay + slope * (from - ax) : ay, y1 = bx > ax ? ay + slope * (to - ax) : by;
        widen(p, column, fminf(y0, y1), fmaxf(y0, y1));
    }
}

/* Fills the profile, with the gap around it; returns its width in cells, or 0 if it is too wide. */
static uint32_t profile(packer *p, const piece *q, float scale)
{
    if (!(q->width * scale < COLUMNS) || !(q->height * scale < COLUMNS))
    {
        return 0;
    }
    uint32_t width = (uint32_t)(q->width * scale) + 1 + 2 * p->gap;
    if (width > COLUMNS)
    {
        return 0;
    }
    memset(p->high, 0, COLUMNS * sizeof *p->high);
    for (uint32_t i = 0; i < q->count; ++i)
    {
        pl_flat *flat = p->charts->flat + 3 * (size_t)p->charts->order[q->first + i];
        for (int k = 0; k < 3; ++k)
        {
            draw_edge(p, flat[k], flat[(k + 1) % 3], scale);
        }
    }
    /* Shifted by the gap and widened by it on all sides; from the right, so that sources are still as drawn. */
    uint32_t inner = width - 2 * p->gap;
    for (uint32_t column = width; column-- > 0;)
    {
        uint32_t low = UINT32_MAX, high = 0;
        uint32_t begin = column > 2 * p->gap ? column - 2 * p->gap : 0, end = column < inner ? column : inner - 1;
        for (uint32_t source = begin; source <= end; ++source)
        {
            if (p->high[source])
            {
                low = p->low[source] < low ? p->low[source] : low;
                high = p->high[source] > high ? p->high[source] : high;
            }
        }
        p->low[column] = high ? low : 0;
        p->high[column] = high ? high + 2 * p->gap : 0;
    }
    return width;
}

/* Where a piece comes to lie at a column: the lowest row at which nothing is under it. */
static uint32_t rest_row(const packer *p, uint32_t column, uint32_t width)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < width; ++i)
    {
        uint32_t ground = p->horizon[column + i];
        if (p->high[i] && ground > p->low[i] && ground - p->low[i] > row)
        {
            row = ground - p->low[i];
        }
    }
    return row;
}

static bool drop_piece(packer *p, piece *q, float scale)
{
    uint32_t width = profile(p, q, scale), best = UINT32_MAX, height = 0;
    for (uint32_t i = 0; i < width; ++i)
    {
        height = p->high[i] > height ? p->high[i] : height;
    }
    for (uint32_t column = 0; width && column + width <= COLUMNS; ++column)
    {
        uint32_t row = rest_row(p, column, width);
        if (row + height <= COLUMNS && row + height < best)
        {
            best = row + height;
            q->column = column;
            q->row = row;
        }
    }
    for (uint32_t i = 0; i < width && best != UINT32_MAX; ++i)
    {
        p->horizon[q->column + i] = p->high[i] ? q->row + p->high[i] : p->horizon[q->column + i];
    }
    return best != UINT32_MAX;
}

static bool drop_all(packer *p, float scale)
{
    memset(p->horizon, 0, COLUMNS * sizeof *p->horizon);
    for (uint32_t i = 0; i < p->charts->count; ++i)
    {
        if (!drop_piece(p, &p->pieces[i], scale))
        {
            return false;
        }
    }
    return true;
}

/* ---- The scale ---- */

/* The largest scale found, in cells per unit, or 0. */
static float find_scale(packer *p, float most)
{
    float low = 0, high = most;
    for (int i = 0; i < SHRINKS && !(low > 0); ++i)
    {
        float less = high * 0.85f;
        low = drop_all(p, less) ? less : 0;
        high = low > 0 ? high : less;
    }
    for (int i = 0; i < HALVINGS && low > 0; ++i)
    {
        float middle = 0.5f * (low + high);
        bool fits = drop_all(p, middle);
        low = fits ? middle : low;
        high = fits ? high : middle;
    }
    return low > 0 && drop_all(p, low) ? low : 0;
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->height != y->height)
    {
        return x->height > y->height ? -1 : 1;
    }
    return x->chart < y->chart ? -1 : x->chart > y->chart;
}

/* Triangles by chart, into the order. */
static void gather_pieces(packer *p)
{
    pl_charts *charts = p->charts;
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        ++p->pieces[charts->chart[t]].count;
    }
    uint32_t first = 0;
    for (uint32_t c = 0; c < charts->count; ++c)
    {
        p->pieces[c].chart = c;
        p->pieces[c].first = first;
        first += p->pieces[c].count;
        p->pieces[c].count = 0;
    }
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        piece *q = &p->pieces[charts->chart[t]];
        charts->order[q->first + q->count++] = t;
    }
}

static void place_pieces(const packer *p, float scale)
{
    for (uint32_t i = 0; i < p->charts->count; ++i)
    {
        const piece *q = &p->pieces[i];
        for (uint32_t k = 0; k < 3 * q->count; ++k)
        {
            float *at = p->charts->flat[3 * (size_t)p->charts->order[q->first + k / 3] + k % 3];
            at[0] = (at[0] * scale + (float)(q->column + p->gap)) / COLUMNS;
            at[1] = 1 - (at[1] * scale + (float)(q->row + p->gap)) / COLUMNS;
        }
    }
}

pleat_result pl_charts_pack(pl_charts *charts, uint32_t size, uint32_t padding, pl_packing *packing, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    packer p = {.charts = charts};
    float area = 0, scale = 0;
    PL_ARENA_NEW_OR_FAIL(p.pieces, charts->arena, piece, charts->count, error);
    PL_ARENA_NEW_OR_FAIL(p.horizon, charts->arena, uint32_t, COLUMNS, error);
    PL_ARENA_NEW_OR_FAIL(p.low, charts->arena, uint32_t, COLUMNS, error);
    PL_ARENA_NEW_OR_FAIL(p.high, charts->arena, uint32_t, COLUMNS, error);
    gather_pieces(&p);
    for (uint32_t c = 0; c < charts->count; ++c)
    {
        turn_piece(&p, &p.pieces[c]);
    }
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        area += charts->areas[t];
    }
    qsort(p.pieces, charts->count, sizeof *p.pieces, compare_pieces);
    float most = area > 0 ? (float)COLUMNS / sqrtf(area) * 1.5f : (float)COLUMNS;
    /* Half of the padding on each side of a piece, in whole cells. */
    for (uint32_t wanted = padding;; wanted /= 2)
    {
        p.gap = (uint32_t)(((uint64_t)wanted * COLUMNS + 2 * (uint64_t)size - 1) / (2 * (uint64_t)size));
        scale = find_scale(&p, most);
        if (scale > 0 || wanted == 0)
        {
            break;
        }
    }
    if (!(scale > 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "its surface falls into %u charts, too many for one texture",
                       charts->count);
    }
    place_pieces(&p, scale);
    packing->scale = scale / COLUMNS;
    packing->padding = 2 * p.gap * size / COLUMNS;
fail:
    return result;
}
