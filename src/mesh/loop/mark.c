#include "mesh/loop/mark.h"

#include <string.h>

/* A forest of triangles with lists that only grow, so that splitting one never moves another. */
typedef struct mark_triangle
{
    uint32_t parent;      /* of the level above */
    uint32_t first_child; /* four of them in the level below, or PLEAT_NONE */
    uint32_t vertex[3];
    uint32_t edge[3];
} mark_triangle;

typedef struct mark_edge
{
    uint32_t start;  /* vertex */
    uint32_t middle; /* vertex, or PLEAT_NONE until it is split */
    uint32_t half;   /* its halves among the edges of the level below, the one at start first */
} mark_edge;

typedef struct mark_level
{
    uint32_t triangle_count, triangle_capacity;
    mark_triangle *triangles;
    uint32_t *corner_next; /* 3 to a triangle: next corner at the same vertex */
    uint32_t edge_count, edge_capacity;
    mark_edge *edges;
    uint32_t vertex_capacity;
    uint32_t *vertex_corner; /* a corner there, or PLEAT_NONE */
} mark_level;

typedef struct mark_wish
{
    uint32_t level, triangle;
} mark_wish;

typedef struct marker
{
    pl_memory *memory;
    const pleat_loop_desc *desc;
    pleat_error *error;
    mark_level levels[PL_LOOP_MAX_LEVEL + 1];
    uint32_t vertex_count;
    uint32_t wish_count, wish_capacity;
    mark_wish *wishes;
} marker;

/* ---- Growing lists ---- */

/* Makes room for `more` behind `count`, and returns the list where it now is, or NULL when out of memory. */
static void *reserve(pl_memory *memory, void *list, uint32_t *capacity, uint32_t count, uint32_t more, size_t size)
{
    if (list && more <= *capacity - count)
    {
        return list;
    }
    uint64_t wanted = (uint64_t)count + more;
    wanted = wanted < 64 ? 64 : wanted + wanted / 2;
    wanted = wanted > UINT32_MAX ? UINT32_MAX : wanted;
    void *grown = list ? pl_realloc(memory, list, wanted, size) : pl_alloc(memory, wanted, size);
    *capacity = grown ? (uint32_t)wanted : *capacity;
    return grown;
}

static pleat_result reserve_triangles(marker *m, uint32_t l, uint32_t more)
{
    mark_level *level = &m->levels[l];
    if (more > UINT32_MAX / 3 - 8 - level->triangle_count)
    {
        return pl_fail(m->error, PLEAT_OVER_LIMIT, "level is too high: the refined mesh has over 1431655757 triangles");
    }
    uint32_t corner_capacity = level->triangle_capacity;
    void *corners = reserve(m->memory, level->corner_next, &corner_capacity, level->triangle_count, more,
                            3 * sizeof *level->corner_next);
    level->corner_next = corners ? corners : level->corner_next;
    void *triangles = !corners ? NULL
                               : reserve(m->memory, level->triangles, &level->triangle_capacity, level->triangle_count,
                                         more, sizeof *level->triangles);
    if (!triangles)
    {
        return pl_fail_memory(m->memory, m->error, "the triangles of a local subdivision");
    }
    level->triangles = triangles;
    return PLEAT_OK;
}

static pleat_result reserve_edges(marker *m, uint32_t l, uint32_t more)
{
    mark_level *level = &m->levels[l];
    void *edges =
        reserve(m->memory, level->edges, &level->edge_capacity, level->edge_count, more, sizeof *level->edges);
    if (!edges)
    {
        return pl_fail_memory(m->memory, m->error, "the edges of a local subdivision");
    }
    level->edges = edges;
    return PLEAT_OK;
}

static pleat_result reserve_vertices(marker *m, uint32_t l)
{
    mark_level *level = &m->levels[l];
    uint32_t before = level->vertex_capacity;
    uint32_t *corners = reserve(m->memory, level->vertex_corner, &level->vertex_capacity, before,
                                m->vertex_count > before ? m->vertex_count - before : 0, sizeof *corners);
    if (!corners)
    {
        return pl_fail_memory(m->memory, m->error, "the vertices of a local subdivision");
    }
    for (uint32_t v = before; v < level->vertex_capacity; ++v)
    {
        corners[v] = PLEAT_NONE;
    }
    level->vertex_corner = corners;
    return PLEAT_OK;
}

/* Room for it was reserved. */
static uint32_t add_triangle(marker *m, uint32_t l, mark_triangle triangle)
{
    mark_level *level = &m->levels[l];
    uint32_t t = level->triangle_count++;
    level->triangles[t] = triangle;
    for (uint32_t k = 0; k < 3; ++k)
    {
        level->corner_next[3 * t + k] = level->vertex_corner[triangle.vertex[k]];
        level->vertex_corner[triangle.vertex[k]] = 3 * t + k;
    }
    return t;
}

/* ---- Wishes ---- */

static bool wants(const marker *m, uint32_t l, uint32_t t)
{
    uint8_t way[PL_LOOP_MAX_LEVEL];
    uint32_t coarse = t;
    for (uint32_t i = l; i-- > 0;)
    {
        uint32_t parent = m->levels[i + 1].triangles[coarse].parent;
        way[i] = (uint8_t)(coarse - m->levels[i].triangles[parent].first_child);
        coarse = parent;
    }
    if (m->desc->triangle_levels && m->desc->triangle_levels[coarse] > l)
    {
        return true;
    }
    if (!m->desc->wants)
    {
        return false;
    }
    pl_loop_grid grid[3] = {{1, 0}, {0, 1}, {0, 0}};
    for (uint32_t i = 0; i < l; ++i)
    {
        pl_loop_grid child[3];
        pl_loop_child_grid(grid, way[i], child);
        memcpy(grid, child, sizeof grid);
    }
    float barycentric[9];
    float unit = 1.0f / (float)(1u << l);
    for (uint32_t k = 0; k < 3; ++k)
    {
        barycentric[3 * k] = (float)grid[k].x * unit;
        barycentric[3 * k + 1] = (float)grid[k].y * unit;
        barycentric[3 * k + 2] = 1.0f - barycentric[3 * k] - barycentric[3 * k + 1];
    }
    return m->desc->wants(m->desc->wants_user, coarse, barycentric, l);
}

static pleat_result note_wish(marker *m, uint32_t l, uint32_t t)
{
    if (l >= m->desc->level || !wants(m, l, t))
    {
        return PLEAT_OK;
    }
    void *wishes = reserve(m->memory, m->wishes, &m->wish_capacity, m->wish_count, 1, sizeof *m->wishes);
    if (!wishes)
    {
        return pl_fail_memory(m->memory, m->error, "the wishes of a local subdivision");
    }
    m->wishes = wishes;
    m->wishes[m->wish_count++] = (mark_wish){l, t};
    return PLEAT_OK;
}

/* ---- Splitting ---- */

static pleat_result split(marker *m, uint32_t l, uint32_t t);

/* Splits the triangles of a level around a vertex, or with other given, those on the edge between both. */
static pleat_result split_around(marker *m, uint32_t l, uint32_t vertex, uint32_t other)
{
    for (uint32_t c = m->levels[l].vertex_corner[vertex]; c != PLEAT_NONE; c = m->levels[l].corner_next[c])
    {
        const uint32_t *corners = m->levels[l].triangles[c / 3].vertex;
        if (other == PLEAT_NONE || corners[0] == other || corners[1] == other || corners[2] == other)
        {
            PL_TRY(split(m, l, c / 3));
        }
    }
    return PLEAT_OK;
}

/* The parents of all triangles around this one's vertices: those around the parent's corner for a child there, those
 * across the parent's edges for the middle one. */
static pleat_result complete_rings(marker *m, uint32_t l, uint32_t t)
{
    if (l == 0)
    {
        return PLEAT_OK;
    }
    uint32_t parent = m->levels[l].triangles[t].parent;
    mark_triangle up = m->levels[l - 1].triangles[parent];
    uint32_t child = t - up.first_child;
    if (child < 3)
    {
        return split_around(m, l - 1, up.vertex[child], PLEAT_NONE);
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        PL_TRY(split_around(m, l - 1, up.vertex[k], up.vertex[(k + 1) % 3]));
    }
    return PLEAT_OK;
}

static void split_edge(marker *m, uint32_t l, uint32_t e)
{
    mark_edge *edge = &m->levels[l].edges[e];
    if (edge->middle != PLEAT_NONE)
    {
        return;
    }
    mark_level *below = &m->levels[l + 1];
    edge->middle = m->vertex_count++;
    edge->half = below->edge_count;
    below->edges[below->edge_count++] = (mark_edge){edge->start, PLEAT_NONE, PLEAT_NONE};
    below->edges[below->edge_count++] = (mark_edge){edge->middle, PLEAT_NONE, PLEAT_NONE};
}

static uint32_t half_at(const mark_level *level, uint32_t e, uint32_t vertex)
{
    return level->edges[e].half + (level->edges[e].start == vertex ? 0 : 1);
}

static void add_children(marker *m, uint32_t l, uint32_t t)
{
    mark_level *level = &m->levels[l];
    mark_level *below = &m->levels[l + 1];
    mark_triangle up = level->triangles[t];
    uint32_t middle[3];
    uint32_t inner = below->edge_count;
    for (uint32_t k = 0; k < 3; ++k)
    {
        middle[k] = level->edges[up.edge[k]].middle;
        below->edges[below->edge_count++] = (mark_edge){middle[k], PLEAT_NONE, PLEAT_NONE};
    }
    level->triangles[t].first_child = below->triangle_count;
    mark_triangle centre = {.parent = t, .first_child = PLEAT_NONE};
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t after = (k + 1) % 3, before = (k + 2) % 3;
        mark_triangle child = {.parent = t, .first_child = PLEAT_NONE};
        child.vertex[k] = up.vertex[k];
        child.vertex[after] = middle[k];
        child.vertex[before] = middle[before];
        child.edge[k] = half_at(level, up.edge[k], up.vertex[k]);
        child.edge[after] = inner + k;
        child.edge[before] = half_at(level, up.edge[before], up.vertex[k]);
        centre.vertex[k] = middle[after];
        centre.edge[k] = inner + before;
        add_triangle(m, l + 1, child);
    }
    add_triangle(m, l + 1, centre);
}

/* Goes up by one level with every call of its own, so it is at most 8 deep. */
static pleat_result split(marker *m, uint32_t l, uint32_t t)
{
    if (m->levels[l].triangles[t].first_child != PLEAT_NONE || m->levels[l].triangles[t].edge[0] == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    PL_TRY(complete_rings(m, l, t));
    if (m->vertex_count > UINT32_MAX - 8)
    {
        return pl_fail(m->error, PLEAT_OVER_LIMIT, "level is too high: the refined mesh has over 4294967287 vertices");
    }
    PL_TRY(reserve_triangles(m, l + 1, 4));
    PL_TRY(reserve_edges(m, l + 1, 9));
    for (uint32_t k = 0; k < 3; ++k)
    {
        split_edge(m, l, m->levels[l].triangles[t].edge[k]);
    }
    PL_TRY(reserve_vertices(m, l + 1));
    add_children(m, l, t);
    uint32_t first = m->levels[l].triangles[t].first_child;
    for (uint32_t k = 0; k < 4; ++k)
    {
        PL_TRY(note_wish(m, l + 1, first + k));
    }
    return PLEAT_OK;
}

/* ---- From outside ---- */

static pleat_result plant(marker *m, const pleat_topology *topology)
{
    m->vertex_count = topology->vertex_count;
    PL_TRY(reserve_triangles(m, 0, topology->triangle_count));
    PL_TRY(reserve_edges(m, 0, topology->edge_count));
    PL_TRY(reserve_vertices(m, 0));
    for (uint32_t e = 0; e < topology->edge_count; ++e)
    {
        uint32_t start = topology->triangles[topology->edge_corner[e]];
        m->levels[0].edges[m->levels[0].edge_count++] = (mark_edge){start, PLEAT_NONE, PLEAT_NONE};
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        mark_triangle triangle = {.parent = PLEAT_NONE, .first_child = PLEAT_NONE};
        memcpy(triangle.vertex, topology->triangles + 3 * (size_t)t, sizeof triangle.vertex);
        memcpy(triangle.edge, topology->corner_edge + 3 * (size_t)t, sizeof triangle.edge);
        if (triangle.edge[0] == PLEAT_NONE)
        {
            m->levels[0].triangles[m->levels[0].triangle_count++] = triangle; /* degenerate: around no vertex */
            continue;
        }
        add_triangle(m, 0, triangle);
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        if (m->levels[0].triangles[t].edge[0] != PLEAT_NONE)
        {
            PL_TRY(note_wish(m, 0, t));
        }
    }
    return PLEAT_OK;
}

static pleat_result harvest(marker *m, pl_loop_marks *marks)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = m->levels[0].triangle_count;
    uint32_t *order = NULL, *next = NULL;
    PL_NEW_OR_FAIL(order, m->memory, uint32_t, count, m->error);
    for (uint32_t t = 0; t < count; ++t)
    {
        order[t] = t;
    }
    for (uint32_t l = 0; l < PL_LOOP_MAX_LEVEL && m->levels[l + 1].triangle_count > 0; ++l)
    {
        PL_NEW_OR_FAIL(marks->split[l], m->memory, uint8_t, count, m->error);
        PL_NEW_OR_FAIL(next, m->memory, uint32_t, m->levels[l + 1].triangle_count, m->error);
        uint32_t next_count = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t first = m->levels[l].triangles[order[i]].first_child;
            marks->split[l][i] = first != PLEAT_NONE;
            for (uint32_t k = 0; k < 4 && first != PLEAT_NONE; ++k)
            {
                next[next_count++] = first + k;
            }
        }
        pl_free(m->memory, order);
        order = next;
        next = NULL;
        count = next_count;
    }
fail:
    pl_free(m->memory, order);
    pl_free(m->memory, next);
    return result;
}

pleat_result pl_loop_mark(pl_memory *memory, const pleat_loop_desc *desc, const pleat_topology *topology,
                          pl_loop_marks *marks, pleat_error *error)
{
    marker m = {.memory = memory, .desc = desc, .error = error};
    *marks = (pl_loop_marks){0};
    pleat_result result = plant(&m, topology);
    while (result == PLEAT_OK && m.wish_count > 0)
    {
        mark_wish wish = m.wishes[--m.wish_count];
        result = split(&m, wish.level, wish.triangle);
    }
    if (result == PLEAT_OK)
    {
        result = harvest(&m, marks);
    }
    if (result != PLEAT_OK)
    {
        pl_loop_marks_free(memory, marks);
    }
    for (uint32_t l = 0; l <= PL_LOOP_MAX_LEVEL; ++l)
    {
        pl_free(memory, m.levels[l].triangles);
        pl_free(memory, m.levels[l].corner_next);
        pl_free(memory, m.levels[l].edges);
        pl_free(memory, m.levels[l].vertex_corner);
    }
    pl_free(memory, m.wishes);
    return result;
}

void pl_loop_marks_free(pl_memory *memory, pl_loop_marks *marks)
{
    for (uint32_t l = 0; l < PL_LOOP_MAX_LEVEL; ++l)
    {
        pl_free(memory, marks->split[l]);
    }
    *marks = (pl_loop_marks){0};
}
