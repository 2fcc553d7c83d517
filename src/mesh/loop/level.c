#include "mesh/loop/level.h"

#include <string.h>

void pl_loop_level_free(pl_memory *memory, pl_loop_level *level)
{
    pl_free(memory, level->corner_vertex);
    pl_free(memory, level->corner_edge);
    pl_free(memory, level->edge_corner);
    pl_free(memory, level->edge_crease);
    pl_free(memory, level->edge_split);
    pl_free(memory, level->edge_middle);
    pl_free(memory, level->edge_half);
    pl_free(memory, level->vertex_rule);
    pl_free(memory, level->vertex_corner);
    pl_free(memory, level->vertex_axis);
    pl_free(memory, level->split_edge);
    pl_free(memory, level->middle_edge);
    *level = (pl_loop_level){0};
}

/* Everything but what pl_loop_step_build adds. On failure the caller frees the level. */
static pleat_result allocate(pl_memory *memory, pl_loop_level *level, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_NEW_OR_FAIL(level->corner_edge, memory, uint32_t, 3 * (size_t)level->triangle_count, error);
    level->edge_corner = pl_alloc(memory, level->edge_count, sizeof *level->edge_corner);
    level->vertex_axis = pl_alloc(memory, level->vertex_count, sizeof *level->vertex_axis);
    if (!level->edge_corner || !level->vertex_axis)
    {
        return pl_fail_memory(memory, error, "the edges of a subdivision level");
    }
    PL_NEW_OR_FAIL(level->edge_crease, memory, uint8_t, level->edge_count, error);
    PL_NEW_OR_FAIL(level->edge_split, memory, uint8_t, level->edge_count, error);
    PL_NEW_OR_FAIL(level->edge_middle, memory, uint32_t, level->edge_count, error);
    PL_NEW_OR_FAIL(level->edge_half, memory, uint32_t, level->edge_count, error);
    PL_NEW_OR_FAIL(level->vertex_rule, memory, uint8_t, level->vertex_count, error);
    PL_NEW_OR_FAIL(level->vertex_corner, memory, uint32_t, level->vertex_count, error);
fail:
    return result;
}

/* Edges' and vertices' corners, in the order of corners: the same choice however much of the surface is here. */
static void find_corners(pl_loop_level *level)
{
    memset(level->edge_corner, 0xff, level->edge_count * sizeof *level->edge_corner);
    memset(level->vertex_corner, 0xff, level->vertex_count * sizeof *level->vertex_corner);
    for (uint32_t c = 0; c < 3 * level->triangle_count; ++c)
    {
        uint32_t edge = level->corner_edge[c];
        if (edge == PLEAT_NONE)
        {
            continue;
        }
        uint32_t *corners = level->edge_corner[edge];
        if (corners[0] == PLEAT_NONE)
        {
            corners[0] = c;
        }
        else if (!level->edge_crease[edge])
        {
            corners[1] = c;
        }
        uint32_t vertex = level->corner_vertex[c];
        if (level->vertex_corner[vertex] == PLEAT_NONE)
        {
            level->vertex_corner[vertex] = c;
        }
    }
}

/* Numbers edges in the order of triangles (the topology sorts them by vertex): what is near stays near in memory. */
static void number_edges(const pleat_topology *topology, pl_loop_level *level)
{
    uint32_t *number = level->edge_half; /* not in use yet */
    memset(number, 0xff, level->edge_count * sizeof *number);
    uint32_t count = 0;
    for (uint32_t c = 0; c < 3 * level->triangle_count; ++c)
    {
        uint32_t edge = topology->corner_edge[c];
        if (edge != PLEAT_NONE && number[edge] == PLEAT_NONE)
        {
            level->edge_crease[count] = topology->twin[c] >= PLEAT_NON_MANIFOLD;
            number[edge] = count++;
        }
        level->corner_edge[c] = edge == PLEAT_NONE ? PLEAT_NONE : number[edge];
    }
}

/* Corners in open fans of triangles around a vertex; the rest are in closed ones. */
static uint32_t count_open(const pleat_topology *topology, uint32_t vertex)
{
    uint32_t count = 0;
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t corner = topology->ring_corner[i];
        if (topology->twin[corner] < PLEAT_NON_MANIFOLD)
        {
            continue; /* not the clockwise end of a fan */
        }
        ++count;
        for (uint32_t back = pl_corner_previous(corner); topology->twin[back] < PLEAT_NON_MANIFOLD; ++count)
        {
            back = pl_corner_previous(topology->twin[back]);
        }
    }
    return count;
}

/* Crease edges at a vertex: how many different ones, and the first two in the order of edges. */
static uint32_t find_creases(const pleat_topology *topology, const pl_loop_level *level, uint32_t vertex,
                             uint32_t creases[2])
{
    uint32_t count = 0;
    creases[0] = creases[1] = PLEAT_NONE;
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t corner = topology->ring_corner[i];
        uint32_t sides[2] = {level->corner_edge[corner], level->corner_edge[pl_corner_previous(corner)]};
        for (uint32_t k = 0; k < 2; ++k)
        {
            if (!level->edge_crease[sides[k]] || sides[k] == creases[0] || sides[k] == creases[1])
            {
                continue;
            }
            if (count < 2)
            {
                creases[count] = sides[k];
            }
            ++count;
        }
    }
    if (creases[0] > creases[1])
    {
        uint32_t first = creases[1];
        creases[1] = creases[0];
        creases[0] = first;
    }
    return count;
}

/* Smooth inside; along a crease where exactly two crease edges meet and all triangles lie between them (a border, or
 * several sheets that meet in one line); everything else keeps its place. */
static pl_loop_rule find_rule(const pleat_topology *topology, pl_loop_level *level, uint32_t vertex)
{
    uint8_t flags = topology->vertex_flags[vertex];
    level->vertex_axis[vertex][0] = level->vertex_axis[vertex][1] = PLEAT_NONE;
    if (flags == 0)
    {
        level->vertex_axis[vertex][0] = level->corner_edge[level->vertex_corner[vertex]];
        return PL_LOOP_SMOOTH;
    }
    if (level->linear || (flags & PLEAT_VERTEX_ISOLATED))
    {
        return PL_LOOP_FIXED;
    }
    uint32_t corner_count = topology->ring_start[vertex + 1] - topology->ring_start[vertex];
    bool two = find_creases(topology, level, vertex, level->vertex_axis[vertex]) == 2;
    return two && count_open(topology, vertex) == corner_count ? PL_LOOP_CURVE : PL_LOOP_FIXED;
}

pleat_result pl_loop_level_first(pl_memory *memory, const pleat_topology *topology, pleat_loop_channel channel,
                                 pl_loop_level *level, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *level = (pl_loop_level){.linear = channel == PLEAT_LOOP_RENDER,
                             .vertex_count = topology->vertex_count,
                             .triangle_count = topology->triangle_count,
                             .edge_count = topology->edge_count};
    size_t corner_count = 3 * (size_t)level->triangle_count;
    PL_NEW_OR_FAIL(level->corner_vertex, memory, uint32_t, corner_count, error);
    memcpy(level->corner_vertex, topology->triangles, corner_count * sizeof *level->corner_vertex);
    result = allocate(memory, level, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    number_edges(topology, level);
    find_corners(level);
    for (uint32_t v = 0; v < level->vertex_count; ++v)
    {
        level->vertex_rule[v] = (uint8_t)find_rule(topology, level, v);
    }
    return PLEAT_OK;
fail:
    pl_loop_level_free(memory, level);
    return result;
}

/* The half at the corner's vertex of the edge that the corner owns. */
static uint32_t half_at_start(const pl_loop_level *level, uint32_t corner)
{
    uint32_t edge = level->corner_edge[corner];
    uint32_t start = level->corner_vertex[level->edge_corner[edge][0]];
    return level->edge_half[edge] + (start == level->corner_vertex[corner] ? 0 : 1);
}

static uint32_t half_at_end(const pl_loop_level *level, uint32_t corner)
{
    return half_at_start(level, corner) ^ 1u;
}

static void fill_children(const pl_loop_level *level, uint32_t parent, uint32_t inner_edge, uint32_t *vertices,
                          uint32_t *edges)
{
    const uint32_t *corner = level->corner_vertex + 3 * parent;
    uint32_t middle[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        middle[k] = level->edge_middle[level->corner_edge[3 * parent + k]];
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t after = (k + 1) % 3, before = (k + 2) % 3;
        vertices[3 * k + k] = corner[k];
        vertices[3 * k + after] = middle[k];
        vertices[3 * k + before] = middle[before];
        vertices[9 + k] = middle[after];
        if (edges)
        {
            edges[3 * k + k] = half_at_start(level, 3 * parent + k);
            edges[3 * k + after] = inner_edge + k;
            edges[3 * k + before] = half_at_end(level, 3 * parent + before);
            edges[9 + k] = inner_edge + before;
        }
    }
}

/* Rules of the vertices of the next level: old ones keep theirs, new ones take their edge's. */
static void inherit(const pl_loop_level *level, pl_loop_level *next)
{
    for (uint32_t i = 0; i < level->split_count; ++i)
    {
        uint8_t crease = level->edge_crease[level->split_edge[i]];
        next->edge_crease[2 * i] = next->edge_crease[2 * i + 1] = crease;
    }
    memcpy(next->vertex_rule, level->vertex_rule, level->vertex_count);
    for (uint32_t v = 0; v < level->vertex_count; ++v)
    {
        for (uint32_t k = 0; k < 2; ++k)
        {
            uint32_t edge = level->vertex_axis[v][k];
            uint32_t half = PLEAT_NONE;
            if (edge != PLEAT_NONE && level->edge_split[edge])
            {
                uint32_t start = level->corner_vertex[level->edge_corner[edge][0]];
                half = level->edge_half[edge] + (start == v ? 0 : 1);
            }
            next->vertex_axis[v][k] = half;
        }
    }
}

static void inherit_new(const pl_loop_level *level, pl_loop_level *next)
{
    for (uint32_t v = level->vertex_count; v < next->vertex_count; ++v)
    {
        uint32_t edge = level->middle_edge[v - level->vertex_count];
        bool crease = level->edge_crease[edge];
        next->vertex_rule[v] = (uint8_t)(!crease ? PL_LOOP_SMOOTH : level->linear ? PL_LOOP_FIXED : PL_LOOP_CURVE);
        next->vertex_axis[v][0] = level->edge_half[edge];
        next->vertex_axis[v][1] = level->edge_half[edge] + 1;
    }
}

pleat_result pl_loop_level_next(pl_memory *memory, const pl_loop_level *level, const pl_loop_triangles *triangles,
                                bool is_last, pl_loop_level *next, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *next = (pl_loop_level){.linear = level->linear,
                            .vertex_count = level->vertex_count + level->split_count,
                            .triangle_count = 4 * triangles->split_count,
                            .half_count = 2 * level->split_count,
                            .edge_count = 2 * level->split_count + 3 * triangles->split_count};
    PL_NEW_OR_FAIL(next->corner_vertex, memory, uint32_t, 3 * (size_t)next->triangle_count, error);
    if (!is_last)
    {
        result = allocate(memory, next, error);
        if (result != PLEAT_OK)
        {
            goto fail;
        }
    }
    for (uint32_t i = 0; i < triangles->split_count; ++i)
    {
        size_t first = 12 * (size_t)i;
        fill_children(level, triangles->split[i], next->half_count + 3 * i, next->corner_vertex + first,
                      is_last ? NULL : next->corner_edge + first);
    }
    if (!is_last)
    {
        inherit(level, next);
        inherit_new(level, next);
        find_corners(next);
    }
    return PLEAT_OK;
fail:
    pl_loop_level_free(memory, next);
    return result;
}
