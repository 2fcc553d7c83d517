/* From a level and the edges to be split to the tables of one step. */
#include "mesh/loop/table.h"

#include <string.h>

enum
{
    REGULAR = 6 /* neighbours of a vertex inside a regular mesh */
};

void pl_loop_step_free(pl_memory *memory, pl_loop_step *step)
{
    pl_free(memory, step->patches);
    pl_free(memory, step->strips);
    pl_free(memory, step->sides);
    pl_free(memory, step->middles);
    pl_free(memory, step->edges);
    pl_free(memory, step->rings);
    pl_free(memory, step->sum_vertex);
    pl_free(memory, step->sum_start);
    pl_free(memory, step->sum_index);
    pl_free(memory, step->sum_weight);
    pl_free(memory, step->copies);
    *step = (pl_loop_step){0};
}

typedef struct row_counts
{
    size_t edges, rings, sums, taps, copies;
} row_counts;

/* ---- New vertices, one for each edge that is split ---- */

/* In the order of triangles: what is near on the surface stays near in every list, and all lists go over the mesh once,
 * side by side. */
static void number_splits(pl_loop_level *level)
{
    uint32_t count = 0;
    memset(level->edge_middle, 0xff, level->edge_count * sizeof *level->edge_middle);
    memset(level->edge_half, 0xff, level->edge_count * sizeof *level->edge_half);
    for (uint32_t c = 0; c < 3 * level->triangle_count; ++c)
    {
        uint32_t edge = level->corner_edge[c];
        if (pl_loop_is_split(level, c) && level->edge_half[edge] == PLEAT_NONE)
        {
            level->split_edge[count] = edge;
            level->edge_half[edge] = 2 * count++;
        }
    }
}

static void add_edges(pl_loop_builder *b)
{
    pl_loop_level *level = b->level;
    pl_loop_step *step = b->step;
    step->edge_out = b->next_vertex;
    for (uint32_t i = 0; i < level->split_count; ++i)
    {
        uint32_t edge = level->split_edge[i];
        if (level->edge_middle[edge] != PLEAT_NONE || !pl_loop_is_smooth(level, edge))
        {
            continue;
        }
        uint32_t left = level->edge_corner[edge][0], right = level->edge_corner[edge][1];
        uint32_t *row = step->edges[step->edge_count++];
        row[0] = level->corner_vertex[left];
        row[1] = level->corner_vertex[right];
        row[2] = level->corner_vertex[pl_corner_previous(left)];
        row[3] = level->corner_vertex[pl_corner_previous(right)];
        pl_loop_take_vertex(b, edge);
    }
}

/* ---- Sums ---- */

static void begin_sum(pl_loop_builder *b, uint32_t vertex)
{
    b->step->sum_vertex[b->step->sum_count++] = vertex;
}

static void add_tap(pl_loop_builder *b, uint32_t vertex, float weight)
{
    b->step->sum_index[b->sum_taps] = vertex;
    b->step->sum_weight[b->sum_taps++] = weight;
    b->step->sum_start[b->step->sum_count] = b->sum_taps;
}

static void add_crease_middles(pl_loop_builder *b)
{
    pl_loop_level *level = b->level;
    for (uint32_t i = 0; i < level->split_count; ++i)
    {
        uint32_t edge = level->split_edge[i];
        if (level->edge_middle[edge] != PLEAT_NONE)
        {
            continue;
        }
        uint32_t corner = level->edge_corner[edge][0];
        begin_sum(b, b->next_vertex);
        add_tap(b, level->corner_vertex[corner], 0.5f);
        add_tap(b, level->corner_vertex[pl_corner_next(corner)], 0.5f);
        pl_loop_take_vertex(b, edge);
    }
}

/* ---- Old vertices ---- */

/* The corner after this one, counter-clockwise around its vertex, or PLEAT_NONE at a border. */
static uint32_t turn(const pl_loop_level *level, uint32_t corner)
{
    uint32_t back = pl_corner_previous(corner);
    const uint32_t *corners = level->edge_corner[level->corner_edge[back]];
    return corners[0] == back ? corners[1] : corners[0];
}

static uint32_t count_ring(const pl_loop_level *level, uint32_t vertex)
{
    uint32_t first = level->vertex_corner[vertex];
    uint32_t count = 0;
    for (uint32_t c = first; c != PLEAT_NONE && (c != first || count == 0); c = turn(level, c))
    {
        ++count;
    }
    return count;
}

/* Loop's weight of each neighbour of a vertex with n of them. */
static double ring_weight(uint32_t n)
{
    double x = 0.375 + 0.25 * cos(2.0 * 3.14159265358979323846 / n);
    return (0.625 - x * x) / n;
}

static uint32_t other_end(const pl_loop_level *level, uint32_t edge, uint32_t vertex)
{
    uint32_t corner = level->edge_corner[edge][0];
    uint32_t start = level->corner_vertex[corner];
    return start == vertex ? level->corner_vertex[pl_corner_next(corner)] : start;
}

/* The ring starts along the vertex's axis, as in a side or a strip, so that the sum is the same to the last bit
 * whichever row it comes to. */
static void add_regular_ring(pl_loop_builder *b, uint32_t vertex)
{
    const pl_loop_level *level = b->level;
    uint32_t ring[REGULAR];
    uint32_t corner = level->vertex_corner[vertex];
    uint32_t first = 0;
    uint32_t wanted = other_end(level, level->vertex_axis[vertex][0], vertex);
    for (uint32_t i = 0; i < REGULAR; ++i)
    {
        ring[i] = level->corner_vertex[pl_corner_next(corner)];
        first = ring[i] == wanted ? i : first;
        corner = turn(level, corner);
    }
    uint32_t *row = b->step->rings[b->step->ring_count++];
    static const uint8_t places[REGULAR] = {0, 3, 1, 5, 2, 4};
    for (uint32_t i = 0; i < REGULAR; ++i)
    {
        row[i] = ring[(first + places[i]) % REGULAR];
    }
    row[REGULAR] = vertex;
}

static void add_ring_sum(pl_loop_builder *b, uint32_t vertex, uint32_t count)
{
    const pl_loop_level *level = b->level;
    double weight = ring_weight(count);
    begin_sum(b, vertex);
    add_tap(b, vertex, (float)(1.0 - count * weight));
    uint32_t corner = level->vertex_corner[vertex];
    for (uint32_t i = 0; i < count; ++i)
    {
        add_tap(b, level->corner_vertex[pl_corner_next(corner)], (float)weight);
        corner = turn(level, corner);
    }
}

static void add_curve(pl_loop_builder *b, uint32_t vertex)
{
    const uint32_t *creases = b->level->vertex_axis[vertex];
    begin_sum(b, vertex);
    add_tap(b, vertex, 0.75f);
    add_tap(b, other_end(b->level, creases[0], vertex), 0.125f);
    add_tap(b, other_end(b->level, creases[1], vertex), 0.125f);
}

/* Runs are cut at the length of a block, so that workers share them. */
static void add_copy(pl_loop_builder *b, uint32_t vertex)
{
    pl_loop_step *step = b->step;
    uint32_t *run = step->copy_count > 0 ? step->copies[step->copy_count - 1] : NULL;
    if (run && run[1] == vertex && run[1] - run[0] < PL_LOOP_BLOCK)
    {
        run[1] = vertex + 1;
        return;
    }
    step->copies[step->copy_count][0] = vertex;
    step->copies[step->copy_count++][1] = vertex + 1;
}

typedef enum row_kind
{
    ROW_DONE,
    ROW_COPY,
    ROW_CURVE,
    ROW_RING,
    ROW_SUM
} row_kind;

typedef struct vertex_row
{
    row_kind kind;
    uint32_t count; /* neighbours, for ROW_SUM */
} vertex_row;

static vertex_row find_vertex_row(const pl_loop_builder *b, uint32_t v)
{
    uint8_t rule = b->level->vertex_rule[v];
    if (b->vertex_moves[v] == 2)
    {
        return (vertex_row){ROW_DONE, 0};
    }
    if (b->vertex_moves[v] == 0 || rule == PL_LOOP_FIXED)
    {
        return (vertex_row){ROW_COPY, 0};
    }
    if (rule == PL_LOOP_CURVE)
    {
        return (vertex_row){ROW_CURVE, 2};
    }
    uint32_t count = count_ring(b->level, v);
    return (vertex_row){count == REGULAR ? ROW_RING : ROW_SUM, count};
}

static void add_vertex(pl_loop_builder *b, uint32_t v)
{
    vertex_row row = find_vertex_row(b, v);
    switch (row.kind)
    {
    case ROW_DONE:
    case ROW_COPY:
        return;
    case ROW_CURVE:
        add_curve(b, v);
        break;
    case ROW_RING:
        add_regular_ring(b, v);
        break;
    case ROW_SUM:
        add_ring_sum(b, v, row.count);
        break;
    }
    b->vertex_moves[v] = 2;
}

/* Those that stay by number, so that they make long runs; then the others in the order of triangles. */
static void add_vertices(pl_loop_builder *b)
{
    for (uint32_t v = 0; v < b->level->vertex_count; ++v)
    {
        if (find_vertex_row(b, v).kind == ROW_COPY)
        {
            add_copy(b, v);
        }
    }
    for (uint32_t i = 0; i < b->triangles->split_count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            add_vertex(b, b->level->corner_vertex[3 * b->triangles->split[i] + k]);
        }
    }
}

/* ---- All of it ---- */

/* Marks the vertices that move and counts the rows of every list. */
static pleat_result count_rows(pl_loop_builder *b, row_counts *counts, pleat_error *error)
{
    const pl_loop_level *level = b->level;
    pl_loop_shared_plan(b);
    size_t creases = 0;
    for (uint32_t i = 0; i < level->split_count; ++i)
    {
        creases += !pl_loop_is_smooth(level, level->split_edge[i]);
    }
    const pl_loop_step *step = b->step;
    counts->edges = level->split_count - 18 * (size_t)step->patch_count - 4 * (size_t)step->strip_count -
                    2 * (size_t)step->side_count - 3 * (size_t)step->middle_count - creases;
    counts->sums = creases;
    counts->taps = 2 * creases;
    uint32_t run_length = 0;
    for (uint32_t v = 0; v < level->vertex_count; ++v)
    {
        vertex_row row = find_vertex_row(b, v);
        counts->rings += row.kind == ROW_RING;
        run_length = row.kind == ROW_COPY ? run_length + 1 : 0;
        counts->copies += run_length % PL_LOOP_BLOCK == 1;
        counts->sums += row.kind == ROW_SUM || row.kind == ROW_CURVE;
        counts->taps += row.kind == ROW_SUM ? 1 + (size_t)row.count : row.kind == ROW_CURVE ? 3 : 0;
    }
    if (counts->taps > UINT32_MAX)
    {
        return pl_fail(error, PLEAT_OVER_LIMIT, "a subdivision step needs %zu taps; at most 4294967295 are possible",
                       counts->taps);
    }
    return PLEAT_OK;
}

static pleat_result allocate_rows(pl_memory *memory, const row_counts *counts, pl_loop_step *step, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_NEW_OR_FAIL(step->sum_vertex, memory, uint32_t, counts->sums, error);
    PL_NEW_OR_FAIL(step->sum_start, memory, uint32_t, counts->sums + 1, error);
    PL_NEW_OR_FAIL(step->sum_index, memory, uint32_t, counts->taps, error);
    PL_NEW_OR_FAIL(step->sum_weight, memory, float, counts->taps, error);
    step->patches = pl_alloc(memory, step->patch_count, sizeof *step->patches);
    step->strips = pl_alloc(memory, step->strip_count, sizeof *step->strips);
    step->sides = pl_alloc(memory, step->side_count, sizeof *step->sides);
    step->middles = pl_alloc(memory, step->middle_count, sizeof *step->middles);
    step->edges = pl_alloc(memory, counts->edges, sizeof *step->edges);
    step->rings = pl_alloc(memory, counts->rings, sizeof *step->rings);
    step->copies = pl_alloc(memory, counts->copies, sizeof *step->copies);
    if (!step->patches || !step->strips || !step->sides || !step->middles || !step->edges || !step->rings ||
        !step->copies)
    {
        result = pl_fail_memory(memory, error, "the rows of a subdivision step");
    }
fail:
    return result;
}

static void fill(pl_loop_builder *b)
{
    b->next_vertex = b->level->vertex_count;
    b->step->in_count = b->level->vertex_count;
    b->step->out_count = b->level->vertex_count + b->level->split_count;
    if (b->above)
    {
        pl_loop_shared_fill(b);
    }
    add_edges(b);
    add_crease_middles(b);
    add_vertices(b);
    b->step->block_count = 1 + b->step->out_count / PL_LOOP_BLOCK;
}

static void mark_moving(pl_loop_builder *b)
{
    for (uint32_t i = 0; i < b->triangles->split_count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            b->vertex_moves[b->level->corner_vertex[3 * b->triangles->split[i] + k]] = 1;
        }
    }
    if (b->above)
    {
        memset(b->above_rank, 0xff, b->above->triangle_count * sizeof *b->above_rank);
        for (uint32_t i = 0; i < b->above_triangles->split_count; ++i)
        {
            b->above_rank[b->above_triangles->split[i]] = i;
        }
    }
}

pleat_result pl_loop_step_build(pl_memory *memory, const pl_loop_level *above, const pl_loop_triangles *above_triangles,
                                pl_loop_level *level, const pl_loop_triangles *triangles, pl_loop_step *step,
                                pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_loop_builder b = {
        .above = above, .above_triangles = above_triangles, .level = level, .triangles = triangles, .step = step};
    row_counts counts = {0};
    *step = (pl_loop_step){0};
    for (uint32_t e = 0; e < level->edge_count; ++e)
    {
        level->split_count += level->edge_split[e];
    }
    if (level->split_count >= UINT32_MAX - 2 - level->vertex_count)
    {
        return pl_fail(error, PLEAT_OVER_LIMIT, "level is too high: the refined mesh has over 4294967293 vertices");
    }
    PL_NEW_OR_FAIL(level->split_edge, memory, uint32_t, level->split_count, error);
    PL_NEW_OR_FAIL(level->middle_edge, memory, uint32_t, level->split_count, error);
    if (above)
    {
        PL_NEW_OR_FAIL(b.above_rank, memory, uint32_t, above->triangle_count, error);
        PL_NEW_OR_FAIL(b.side_cover, memory, uint8_t, above->split_count, error);
        PL_NEW_OR_FAIL(b.middle_cover, memory, uint8_t, above_triangles->split_count, error);
    }
    PL_NEW_OR_FAIL(b.vertex_moves, memory, uint8_t, level->vertex_count, error);
    number_splits(level);
    mark_moving(&b);
    result = count_rows(&b, &counts, error);
    if (result == PLEAT_OK)
    {
        result = allocate_rows(memory, &counts, step, error);
    }
    if (result == PLEAT_OK)
    {
        fill(&b);
    }
fail:
    pl_free(memory, b.above_rank);
    pl_free(memory, b.side_cover);
    pl_free(memory, b.middle_cover);
    pl_free(memory, b.vertex_moves);
    if (result != PLEAT_OK)
    {
        pl_loop_step_free(memory, step);
    }
    return result;
}
