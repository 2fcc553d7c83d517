/* Marching over triangles: each triangle that a level line passes is entered over the one edge that runs from high to
 * low and left over the other. */
#include "mesh/curve/contour.h"

#include "mesh/corner.h"

#include <string.h>

typedef struct tracer
{
    const pleat_topology *topology;
    const float *values;
    float level;
    uint8_t *seen; /* triangles */
} tracer;

static bool is_high(const tracer *t, uint32_t corner)
{
    return t->values[t->topology->triangles[corner]] >= t->level;
}

/* The corner whose edge a line enters triangle over, or PLEAT_NONE if no line passes it. */
static uint32_t entry_of(const tracer *t, uint32_t triangle)
{
    for (uint32_t c = 3 * triangle; c < 3 * triangle + 3; ++c)
    {
        if (t->topology->corner_edge[c] != PLEAT_NONE && is_high(t, c) && !is_high(t, pl_corner_next(c)))
        {
            return c;
        }
    }
    return PLEAT_NONE;
}

static uint32_t exit_of(const tracer *t, uint32_t entry)
{
    uint32_t next = pl_corner_next(entry);
    /* From low back to high: over the next edge, or over the one after it. */
    return is_high(t, pl_corner_next(next)) ? next : pl_corner_next(next);
}

static pleat_place crossing(const tracer *t, uint32_t corner)
{
    uint32_t next = pl_corner_next(corner);
    float a = t->values[t->topology->triangles[corner]], b = t->values[t->topology->triangles[next]];
    float share = a != b ? (t->level - a) / (b - a) : 0.5f;
    share = share > 0 ? (share < 1 ? share : 1) : 0;
    pleat_place place = {.triangle = corner / 3};
    place.barycentric[corner % 3] = 1 - share;
    place.barycentric[next % 3] = share;
    return place;
}

/* Follows a line from an entry; points may be NULL to count only. Marks triangles when it writes. */
static uint32_t follow(tracer *t, uint32_t start, pleat_place *points, bool *closed)
{
    uint32_t count = 0, corner = start;
    *closed = false;
    for (;;)
    {
        if (points)
        {
            points[count] = crossing(t, corner);
            t->seen[corner / 3] = 1;
        }
        ++count;
        uint32_t leave = exit_of(t, corner), twin = t->topology->twin[leave];
        if (twin >= PLEAT_NON_MANIFOLD)
        {
            if (points)
            {
                points[count] = crossing(t, leave);
            }
            return count + 1;
        }
        if (twin == start)
        {
            *closed = true;
            return count;
        }
        corner = twin;
    }
}

static pleat_result add_line(tracer *t, uint32_t start, pl_arena *arena, pl_contours *out, pleat_error *error)
{
    bool closed;
    uint32_t count = follow(t, start, NULL, &closed);
    pleat_place *points = PL_ARENA_NEW(arena, pleat_place, count);
    if (!points)
    {
        return pl_fail_memory(arena->memory, error, "a level line");
    }
    follow(t, start, points, &closed);
    out->lines[out->count++] = (pl_contour){count, points, closed};
    return PLEAT_OK;
}

/* Lines there are at most: each starts at its own border edge, or is closed and takes three triangles or more. */
static uint32_t count_starts(const tracer *t)
{
    uint32_t count = 0;
    for (uint32_t triangle = 0; triangle < t->topology->triangle_count; ++triangle)
    {
        count += entry_of(t, triangle) != PLEAT_NONE;
    }
    return count;
}

pleat_result pl_contours_trace(const pleat_topology *topology, const float *values, float level, pl_arena *arena,
                               pl_contours *out, pleat_error *error)
{
    *out = (pl_contours){0};
    tracer t = {topology, values, level, NULL};
    t.seen = PL_ARENA_NEW(arena, uint8_t, topology->triangle_count);
    out->lines = PL_ARENA_NEW(arena, pl_contour, count_starts(&t));
    if (!t.seen || !out->lines)
    {
        return pl_fail_memory(arena->memory, error, "level lines");
    }
    /* Open lines from their beginnings first; what is left is closed. */
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t triangle = 0; triangle < topology->triangle_count; ++triangle)
        {
            uint32_t entry = t.seen[triangle] ? PLEAT_NONE : entry_of(&t, triangle);
            if (entry != PLEAT_NONE && (pass || topology->twin[entry] >= PLEAT_NON_MANIFOLD))
            {
                PL_TRY(add_line(&t, entry, arena, out, error));
            }
        }
    }
    return PLEAT_OK;
}

pl_f4 pl_place_position(const pleat_topology *topology, const pleat_vec4 *positions, const pleat_place *place)
{
    const uint32_t *corner = topology->triangles + 3 * (size_t)place->triangle;
    return pl_load(&positions[corner[0]]) * pl_splat(place->barycentric[0]) +
           pl_load(&positions[corner[1]]) * pl_splat(place->barycentric[1]) +
           pl_load(&positions[corner[2]]) * pl_splat(place->barycentric[2]);
}
