/* Laying charts flat: seen along their axis. All triangles of a chart face the axis, so none turns over; but a chart
 * may wind around and come to lie on itself. So triangles are laid down one by one from the middle outwards, and one
 * that would lie on another begins a chart of its own. */
#include "export/atlas/atlas.h"

#include <stdlib.h>
#include <string.h>

/* ---- Triangles that are down already, in a grid ---- */

typedef struct grid_entry
{
    uint32_t triangle, next;
} grid_entry;

typedef struct grid
{
    float left, bottom, inverse_cell;
    uint32_t columns, rows;
    uint32_t *first; /* columns x rows */
    grid_entry *entries;
    uint32_t count, capacity;
} grid;

static uint32_t cell_at(float x, uint32_t count)
{
    return x > 0 ? (x < (float)count ? (uint32_t)x : count - 1) : 0;
}

typedef struct cells
{
    uint32_t left, right, bottom, top;
} cells;

static cells cells_of(const grid *g, const pl_flat *flat)
{
    float low_x = fminf(fminf(flat[0][0], flat[1][0]), flat[2][0]);
    float high_x = fmaxf(fmaxf(flat[0][0], flat[1][0]), flat[2][0]);
    float low_y = fminf(fminf(flat[0][1], flat[1][1]), flat[2][1]);
    float high_y = fmaxf(fmaxf(flat[0][1], flat[1][1]), flat[2][1]);
    return (cells){cell_at((low_x - g->left) * g->inverse_cell, g->columns),
                   cell_at((high_x - g->left) * g->inverse_cell, g->columns),
                   cell_at((low_y - g->bottom) * g->inverse_cell, g->rows),
                   cell_at((high_y - g->bottom) * g->inverse_cell, g->rows)};
}

/* A line along an edge of a that has all of b on its other side. Both are counter-clockwise. */
static bool edge_parts(const pl_flat *a, const pl_flat *b, double slack)
{
    for (int k = 0; k < 3; ++k)
    {
        int n = (k + 1) % 3;
        double dx = (double)a[n][0] - (double)a[k][0], dy = (double)a[n][1] - (double)a[k][1];
        bool apart = true;
        for (int i = 0; i < 3 && apart; ++i)
        {
            double side = dx * ((double)b[i][1] - (double)a[k][1]) - dy * ((double)b[i][0] - (double)a[k][0]);
            apart = side <= slack;
        }
        if (apart)
        {
            return true;
        }
    }
    return false;
}

static double twice_area(const pl_flat *a)
{
    return ((double)a[1][0] - (double)a[0][0]) * ((double)a[2][1] - (double)a[0][1]) -
           ((double)a[2][0] - (double)a[0][0]) * ((double)a[1][1] - (double)a[0][1]);
}

/* Whether two triangles share more than a line. The slack is what floats leave of a shared edge. */
static bool lies_on(const pl_flat *a, const pl_flat *b)
{
    double slack = 1e-5 * fmin(twice_area(a), twice_area(b));
    return !edge_parts(a, b, slack) && !edge_parts(b, a, slack);
}

static bool is_free(const pl_charts *charts, const grid *g, uint32_t t)
{
    const pl_flat *flat = (const pl_flat *)charts->flat + 3 * (size_t)t;
    cells c = cells_of(g, flat);
    for (uint32_t row = c.bottom; row <= c.top; ++row)
    {
        for (uint32_t column = c.left; column <= c.right; ++column)
        {
            for (uint32_t e = g->first[(size_t)row * g->columns + column]; e != PLEAT_NONE; e = g->entries[e].next)
            {
                if (lies_on(flat, (const pl_flat *)charts->flat + 3 * (size_t)g->entries[e].triangle))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

static pleat_result lay_down(pl_charts *charts, grid *g, uint32_t t, pleat_error *error)
{
    cells c = cells_of(g, (const pl_flat *)charts->flat + 3 * (size_t)t);
    size_t needed = (size_t)(c.right - c.left + 1) * (c.top - c.bottom + 1);
    if (g->count + needed > g->capacity)
    {
        size_t capacity = 2 * (g->count + needed);
        grid_entry *more =
            capacity < UINT32_MAX ? pl_realloc(charts->memory, g->entries, capacity, sizeof *more) : NULL;
        if (!more)
        {
            return pl_fail_memory(charts->memory, error, "the charts of an atlas");
        }
        g->entries = more;
        g->capacity = (uint32_t)capacity;
    }
    for (uint32_t row = c.bottom; row <= c.top; ++row)
    {
        for (uint32_t column = c.left; column <= c.right; ++column)
        {
            uint32_t *first = &g->first[(size_t)row * g->columns + column];
            g->entries[g->count] = (grid_entry){t, *first};
            *first = g->count++;
        }
    }
    return PLEAT_OK;
}

/* ---- One chart ---- */

/* The triangles of a chart, nearest to its middle first. */
typedef struct chart_list
{
    uint32_t *triangles;
    uint32_t count;
} chart_list;

static void project(pl_charts *charts, const chart_list *list, pl_f4 axis)
{
    pl_f4 across = pl_perpendicular(axis), up = pl_cross(axis, across);
    for (uint32_t i = 0; i < list->count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            size_t corner = 3 * (size_t)list->triangles[i] + k;
            pl_f4 p = charts->positions[charts->topology->triangles[corner]];
            charts->flat[corner][0] = pl_dot3(p, across);
            charts->flat[corner][1] = pl_dot3(p, up);
        }
    }
}

/* About one triangle a cell. */
static void open_grid(const pl_charts *charts, const chart_list *list, grid *g)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * list->count; ++i)
    {
        const float *at = charts->flat[3 * (size_t)list->triangles[i / 3] + i % 3];
        for (int k = 0; k < 2; ++k)
        {
            low[k] = fminf(low[k], at[k]);
            high[k] = fmaxf(high[k], at[k]);
        }
    }
    float width = fmaxf(high[0] - low[0], 1e-30f), height = fmaxf(high[1] - low[1], 1e-30f);
    float cell = sqrtf(width / (float)list->count * height);
    cell = fmaxf(cell, fmaxf(width, height) / (float)list->count);
    g->left = low[0];
    g->bottom = low[1];
    g->inverse_cell = 1 / cell;
    g->columns = 1 + cell_at(width / cell, list->count);
    g->rows = 1 + cell_at(height / cell, list->count);
    /* The room is for four cells a triangle and a few more. */
    while ((size_t)g->columns * g->rows > 4 * (size_t)list->count + 4)
    {
        g->inverse_cell *= 0.5f;
        g->columns = (g->columns + 1) / 2;
        g->rows = (g->rows + 1) / 2;
    }
    memset(g->first, 0xff, (size_t)g->columns * g->rows * sizeof *g->first);
    g->count = 0;
}

/* Lays what can be laid and stays connected; what is left over comes to the front of the list and begins another chart.
 * from: chart that the triangles have now; to: the one they get. */
static pleat_result lay_chart(pl_charts *charts, grid *g, chart_list *list, uint32_t from, uint32_t to,
                              pleat_error *error)
{
    uint32_t left = 0;
    open_grid(charts, list, g);
    for (uint32_t i = 0; i < list->count; ++i)
    {
        uint32_t t = list->triangles[i];
        bool touches = i == 0;
        for (uint32_t k = 0; k < 3 && !touches; ++k)
        {
            uint32_t twin = charts->topology->twin[3 * (size_t)t + k];
            touches = twin < PLEAT_NON_MANIFOLD && charts->chart[twin / 3] == to;
        }
        bool flat = charts->areas[t] > 0 && twice_area((const pl_flat *)charts->flat + 3 * (size_t)t) > 0;
        if (!touches || (flat && !is_free(charts, g, t)))
        {
            charts->chart[t] = from;
            list->triangles[left++] = t;
            continue;
        }
        charts->chart[t] = to;
        if (flat)
        {
            PL_TRY(lay_down(charts, g, t, error));
        }
    }
    list->count = left;
    return PLEAT_OK;
}

/* ---- All charts ---- */

typedef struct place_in_chart
{
    uint32_t chart;
    float key;
    uint32_t triangle;
} place_in_chart;

static int compare_places(const void *a, const void *b)
{
    const place_in_chart *x = a, *y = b;
    if (x->chart != y->chart)
    {
        return x->chart < y->chart ? -1 : 1;
    }
    if (x->key != y->key)
    {
        return x->key < y->key ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

/* charts->order: triangles by chart, and within it by the distance from its seed. */
static pleat_result sort_triangles(pl_charts *charts, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    place_in_chart *places;
    PL_ARENA_NEW_OR_FAIL(places, charts->arena, place_in_chart, charts->triangle_count, error);
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        uint32_t c = charts->chart[t];
        places[t] = (place_in_chart){c, pl_length3(charts->centres[t] - charts->centres[charts->seeds[c]]), t};
    }
    qsort(places, charts->triangle_count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < charts->triangle_count; ++i)
    {
        charts->order[i] = places[i].triangle;
    }
fail:
    return result;
}

/* Neighbours first: the list in the order of a walk from its first triangle, then from the next that was not reached.
 */
static void walk_order(const pl_charts *charts, const chart_list *list, uint32_t *queue, uint8_t *seen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; ++i)
    {
        uint32_t head = count;
        if (!seen[list->triangles[i]])
        {
            seen[list->triangles[i]] = 1;
            queue[count++] = list->triangles[i];
        }
        for (; head < count; ++head)
        {
            uint32_t t = queue[head];
            for (uint32_t k = 0; k < 3; ++k)
            {
                uint32_t twin = charts->topology->twin[3 * (size_t)t + k];
                bool inside = twin < PLEAT_NON_MANIFOLD && charts->chart[twin / 3] == charts->chart[t];
                if (inside && !seen[twin / 3])
                {
                    seen[twin / 3] = 1;
                    queue[count++] = twin / 3;
                }
            }
        }
    }
    for (uint32_t i = 0; i < list->count; ++i)
    {
        seen[queue[i]] = 0;
        list->triangles[i] = queue[i];
    }
}

pleat_result pl_charts_flatten(pl_charts *charts, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    grid g = {0};
    uint32_t *queue, old_count = charts->count, waiting = charts->triangle_count + 1, at = 0;
    uint8_t *seen;
    PL_ARENA_NEW_OR_FAIL(charts->flat, charts->arena, pl_flat, 3 * (size_t)charts->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(queue, charts->arena, uint32_t, charts->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(seen, charts->arena, uint8_t, charts->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(g.first, charts->arena, uint32_t, 4 * (size_t)charts->triangle_count + 8, error);
    result = sort_triangles(charts, error);
    /* Charts are numbered anew as they are laid down; numbers from `waiting` on are those of charts to come. */
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        charts->chart[t] += waiting;
    }
    charts->count = 0;
    pl_f4 *axes = NULL;
    if (result == PLEAT_OK)
    {
        PL_ARENA_NEW_OR_FAIL(axes, charts->arena, pl_f4, charts->triangle_count, error);
    }
    for (uint32_t c = 0; c < old_count && result == PLEAT_OK; ++c)
    {
        chart_list list = {charts->order + at, 0};
        while (at < charts->triangle_count && charts->chart[charts->order[at]] == c + waiting)
        {
            ++at;
            ++list.count;
        }
        project(charts, &list, charts->axes[c]);
        while (list.count && result == PLEAT_OK)
        {
            walk_order(charts, &list, queue, seen);
            axes[charts->count] = charts->axes[c];
            result = lay_chart(charts, &g, &list, c + waiting, charts->count++, error);
        }
    }
    charts->axes = axes;
fail:
    pl_free(charts->memory, g.entries);
    return result;
}
