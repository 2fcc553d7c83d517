/* Cutting a surface into charts that face one way.
 *
 * First one chart after the other is spread from the first free triangle as far as its angle allows, which says how
 * many there must be. Then, a few times, all of them spread at once from their middles (Lloyd), so that borders fall
 * half way and charts become compact. Charts that a neighbour can take in are given to it: a seam less. */
#include "export/atlas/atlas.h"

#include <string.h>

enum
{
    ROUNDS = 5 /* of spreading from the middles */
};

static const float MERGE_COSINE = 0.5f; /* what a neighbour may take in at most: half of a length is left */
static const float TURN_COST = 6;       /* a step across a triangle that faces away counts as longer */

/* ---- A heap of triangles that wait for a chart ---- */

typedef struct pl_wait
{
    float key;
    uint32_t triangle, chart;
} pl_wait;

/* Nearer first; of equal ones the lower triangle, so that the result does not hang on the heap's shape. */
static bool before(const pl_wait *a, const pl_wait *b)
{
    return a->key < b->key ||
           (a->key == b->key && (a->triangle < b->triangle || (a->triangle == b->triangle && a->chart < b->chart)));
}

static void push(pl_charts *charts, pl_wait wait)
{
    uint32_t at = charts->heap_count++;
    while (at > 0 && before(&wait, &charts->heap[(at - 1) / 2]))
    {
        charts->heap[at] = charts->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    charts->heap[at] = wait;
}

static pl_wait pop(pl_charts *charts)
{
    pl_wait top = charts->heap[0], last = charts->heap[--charts->heap_count];
    uint32_t at = 0;
    for (;;)
    {
        uint32_t child = 2 * at + 1;
        if (child >= charts->heap_count)
        {
            break;
        }
        child += child + 1 < charts->heap_count && before(&charts->heap[child + 1], &charts->heap[child]);
        if (!before(&charts->heap[child], &last))
        {
            break;
        }
        charts->heap[at] = charts->heap[child];
        at = child;
    }
    charts->heap[at] = last;
    return top;
}

/* ---- Spreading ---- */

/* The triangle across corner c of t, or PLEAT_NONE. */
static uint32_t neighbour(const pl_charts *charts, uint32_t t, uint32_t k)
{
    uint32_t twin = charts->topology->twin[3 * (size_t)t + k];
    return twin < PLEAT_NON_MANIFOLD ? twin / 3 : PLEAT_NONE;
}

static float facing(const pl_charts *charts, uint32_t t, uint32_t chart)
{
    return charts->areas[t] > 0 ? pl_dot3(charts->normals[t], charts->axes[chart]) : 1;
}

/* Charts from seeds at once, nearest first; triangles that no chart may have stay at PLEAT_NONE. */
static void flood(pl_charts *charts, uint32_t first, uint32_t count, float least_cosine)
{
    charts->heap_count = 0;
    for (uint32_t c = first; c < first + count; ++c)
    {
        push(charts, (pl_wait){0, charts->seeds[c], c});
    }
    while (charts->heap_count)
    {
        pl_wait next = pop(charts);
        uint32_t t = next.triangle;
        if (charts->chart[t] != PLEAT_NONE)
        {
            continue;
        }
        charts->chart[t] = next.chart;
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t other = neighbour(charts, t, k);
            if (other == PLEAT_NONE || charts->chart[other] != PLEAT_NONE)
            {
                continue;
            }
            float cosine = facing(charts, other, next.chart);
            if (cosine >= least_cosine)
            {
                float step = pl_length3(charts->centres[other] - charts->centres[t]);
                push(charts, (pl_wait){next.key + step * (1 + TURN_COST * (1 - cosine)), other, next.chart});
            }
        }
    }
}

/* One chart after the other, from every triangle that has none. */
static void cover_rest(pl_charts *charts, float least_cosine)
{
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        if (charts->chart[t] == PLEAT_NONE)
        {
            pl_f4 normal = charts->normals[t];
            charts->seeds[charts->count] = t;
            charts->axes[charts->count] = charts->areas[t] > 0 ? normal : pl_set(0, 0, 1, 0);
            ++charts->count;
            flood(charts, charts->count - 1, 1, least_cosine);
        }
    }
}

/* ---- Lloyd's step ---- */

/* Axes become the mean normals, seeds the triangles nearest to the middles. */
static void recentre(pl_charts *charts, pl_f4 *middles, float *nearest)
{
    for (uint32_t c = 0; c < charts->count; ++c)
    {
        charts->axes[c] = middles[c] = pl_splat(0);
        nearest[c] = INFINITY;
    }
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        pl_f4 area = pl_splat(charts->areas[t]), centre = charts->centres[t];
        centre[3] = 1;
        charts->axes[charts->chart[t]] += charts->normals[t] * area;
        middles[charts->chart[t]] += centre * area;
    }
    for (uint32_t c = 0; c < charts->count; ++c)
    {
        pl_f4 axis = pl_normalize3(charts->axes[c]);
        charts->axes[c] = pl_length3(axis) > 0.5f ? axis : pl_set(0, 0, 1, 0);
        middles[c] *= pl_splat(middles[c][3] > 0 ? 1 / middles[c][3] : 1);
    }
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        uint32_t c = charts->chart[t];
        /* A seed that its own chart could not hold would be one alone. */
        float distance = pl_length3(charts->centres[t] - middles[c]) * (3 - 2 * facing(charts, t, c));
        if (distance < nearest[c])
        {
            nearest[c] = distance;
            charts->seeds[c] = t;
        }
    }
}

/* ---- Fewer charts ---- */

/* Length of the border of a chart with every other one; the neighbour with the longest that may take it in. */
static uint32_t taker_of(const pl_charts *charts, uint32_t chart, const uint32_t *first, const uint32_t *next,
                         float *borders)
{
    uint32_t best = PLEAT_NONE;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t t = first[chart]; t != PLEAT_NONE; t = next[t])
        {
            for (uint32_t k = 0; k < 3; ++k)
            {
                uint32_t other = neighbour(charts, t, k), theirs = other == PLEAT_NONE ? chart : charts->chart[other];
                const uint32_t *corner = charts->topology->triangles + 3 * (size_t)t;
                if (theirs == chart)
                {
                    continue;
                }
                if (pass == 0)
                {
                    borders[theirs] +=
                        pl_length3(charts->positions[corner[(k + 1) % 3]] - charts->positions[corner[k]]);
                }
                else if (borders[theirs] > 0)
                {
                    bool fits = true;
                    for (uint32_t s = first[chart]; s != PLEAT_NONE && fits; s = next[s])
                    {
                        fits = facing(charts, s, theirs) >= MERGE_COSINE;
                    }
                    best = fits && (best == PLEAT_NONE || borders[theirs] > borders[best]) ? theirs : best;
                    borders[theirs] = fits ? borders[theirs] : 0;
                }
            }
        }
    }
    for (uint32_t t = first[chart]; t != PLEAT_NONE; t = next[t])
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t other = neighbour(charts, t, k);
            borders[other == PLEAT_NONE ? chart : charts->chart[other]] = 0;
        }
    }
    return best;
}

/* Charts go to a neighbour that can take them in: fewer seams. */
static pleat_result merge_charts(pl_charts *charts, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = charts->count, *first, *next, *new_of;
    float *borders;
    PL_ARENA_NEW_OR_FAIL(first, charts->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(next, charts->arena, uint32_t, charts->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(new_of, charts->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(borders, charts->arena, float, count, error);
    memset(first, 0xff, count * sizeof *first);
    for (uint32_t t = charts->triangle_count; t-- > 0;)
    {
        uint32_t c = charts->chart[t];
        next[t] = first[c];
        first[c] = t;
    }
    for (uint32_t c = 0; c < count; ++c)
    {
        uint32_t taker = taker_of(charts, c, first, next, borders);
        for (uint32_t t = first[c], after; t != PLEAT_NONE && taker != PLEAT_NONE; t = after)
        {
            after = next[t];
            charts->chart[t] = taker;
            next[t] = first[taker];
            first[taker] = t;
        }
        if (taker != PLEAT_NONE)
        {
            first[c] = PLEAT_NONE;
        }
    }
    uint32_t kept = 0;
    for (uint32_t c = 0; c < count; ++c)
    {
        new_of[c] = kept;
        if (first[c] != PLEAT_NONE)
        {
            charts->axes[kept] = charts->axes[c];
            charts->seeds[kept++] = charts->seeds[c];
        }
    }
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        charts->chart[t] = new_of[charts->chart[t]];
    }
    charts->count = kept;
fail:
    return result;
}

/* ---- All of it ---- */

static void measure_triangles(pl_charts *charts)
{
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        const uint32_t *corner = charts->topology->triangles + 3 * (size_t)t;
        pl_f4 a = charts->positions[corner[0]], b = charts->positions[corner[1]], c = charts->positions[corner[2]];
        pl_f4 cross = pl_cross(b - a, c - a);
        charts->normals[t] = pl_normalize3(cross);
        charts->areas[t] = pl_length3(charts->normals[t]) > 0.5f ? 0.5f * pl_length3(cross) : 0;
        charts->centres[t] = (a + b + c) * pl_splat(1.0f / 3);
    }
}

static pleat_result make_room(pl_charts *charts, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = charts->triangle_count;
    PL_ARENA_NEW_OR_FAIL(charts->normals, charts->arena, pl_f4, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->centres, charts->arena, pl_f4, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->areas, charts->arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->chart, charts->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->axes, charts->arena, pl_f4, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->seeds, charts->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->order, charts->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(charts->heap, charts->arena, pl_wait, 4 * (size_t)count + 1, error);
fail:
    return result;
}

pleat_result pl_charts_cut(pl_charts *charts, float angle, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    float least = cosf(angle * 0.017453292f);
    pl_f4 *middles;
    float *nearest;
    PL_TRY(make_room(charts, error));
    PL_ARENA_NEW_OR_FAIL(middles, charts->arena, pl_f4, charts->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(nearest, charts->arena, float, charts->triangle_count, error);
    measure_triangles(charts);
    charts->count = 0;
    memset(charts->chart, 0xff, charts->triangle_count * sizeof *charts->chart);
    cover_rest(charts, least);
    for (int round = 0; round < ROUNDS; ++round)
    {
        recentre(charts, middles, nearest);
        memset(charts->chart, 0xff, charts->triangle_count * sizeof *charts->chart);
        flood(charts, 0, charts->count, least);
        cover_rest(charts, least);
    }
    result = merge_charts(charts, error);
fail:
    return result;
}
