/* The rows of a step that share their reads: sides and middles over one level above, patches and strips over two. They
 * are drawn and explained in loop/step.h. */
#include "mesh/loop/table.h"

#include <string.h>

/* ---- Which there are ---- */

/* An edge above between two triangles that were split, whose halves are both split again. */
static bool is_side(const pl_loop_builder *b, uint32_t i)
{
    const pl_loop_level *above = b->above;
    uint32_t edge = above->split_edge[i];
    return pl_loop_is_smooth(above, edge) && b->above_rank[above->edge_corner[edge][0] / 3] != PLEAT_NONE &&
           b->above_rank[above->edge_corner[edge][1] / 3] != PLEAT_NONE && b->level->edge_split[2 * i] &&
           b->level->edge_split[2 * i + 1];
}

/* A triangle above whose inner edges are all split. */
static bool is_middle(const pl_loop_builder *b, uint32_t i)
{
    const uint8_t *split = b->level->edge_split + b->level->half_count + 3 * i;
    return split[0] && split[1] && split[2];
}

/* An edge above that has a row of its own so far. */
static bool is_alone(const pl_loop_builder *b, uint32_t edge)
{
    return b->above->edge_split[edge] && b->side_cover[b->above->edge_half[edge] / 2] == PL_LOOP_ALONE;
}

static bool is_joined(const pl_loop_builder *b, uint32_t edge)
{
    return b->above->edge_split[edge] && b->side_cover[b->above->edge_half[edge] / 2] == PL_LOOP_JOINED;
}

static void join_side(pl_loop_builder *b, uint32_t edge)
{
    b->side_cover[b->above->edge_half[edge] / 2] = PL_LOOP_JOINED;
}

/* Triangles above come in fours, the children of one of two levels above: corners first, the centre last. */
static uint32_t inner_edge(const pl_loop_level *above, uint32_t four, uint32_t k)
{
    return above->half_count + 3 * four + k;
}

static bool is_patch(const pl_loop_builder *b, uint32_t four)
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        uint32_t rank = b->above_rank[4 * four + k];
        if (rank == PLEAT_NONE || b->middle_cover[rank] != PL_LOOP_ALONE)
        {
            return false;
        }
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (!is_alone(b, inner_edge(b->above, four, k)))
        {
            return false;
        }
    }
    return true;
}

static bool is_strip(const pl_loop_builder *b, uint32_t pair)
{
    return is_alone(b, 2 * pair) && is_alone(b, 2 * pair + 1);
}

/* Where the two halves of an edge of two levels above meet. */
static uint32_t strip_centre(const pl_loop_level *above, uint32_t pair)
{
    uint32_t first = above->edge_corner[2 * pair][0], second = above->edge_corner[2 * pair + 1][0];
    uint32_t start = above->corner_vertex[first];
    bool shared = start == above->corner_vertex[second] || start == above->corner_vertex[pl_corner_next(second)];
    return shared ? start : above->corner_vertex[pl_corner_next(first)];
}

static void join(pl_loop_builder *b)
{
    const pl_loop_level *above = b->above;
    for (uint32_t four = 0; four < above->triangle_count / 4; ++four)
    {
        if (!is_patch(b, four))
        {
            continue;
        }
        ++b->step->patch_count;
        for (uint32_t k = 0; k < 4; ++k)
        {
            b->middle_cover[b->above_rank[4 * four + k]] = PL_LOOP_JOINED;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            join_side(b, inner_edge(above, four, k));
        }
    }
    for (uint32_t pair = 0; pair < above->half_count / 2; ++pair)
    {
        if (is_strip(b, pair))
        {
            ++b->step->strip_count;
            join_side(b, 2 * pair);
            join_side(b, 2 * pair + 1);
            b->vertex_moves[strip_centre(above, pair)] = 2;
        }
    }
}

void pl_loop_shared_plan(pl_loop_builder *b)
{
    if (!b->above)
    {
        return;
    }
    for (uint32_t i = 0; i < b->above->split_count; ++i)
    {
        if (is_side(b, i))
        {
            b->side_cover[i] = PL_LOOP_ALONE;
            b->vertex_moves[b->above->edge_middle[b->above->split_edge[i]]] = 2;
        }
    }
    for (uint32_t i = 0; i < b->above_triangles->split_count; ++i)
    {
        b->middle_cover[i] = is_middle(b, i) ? PL_LOOP_ALONE : PL_LOOP_BARE;
    }
    if (b->above->half_count > 0)
    {
        join(b);
    }
    for (uint32_t i = 0; i < b->above->split_count; ++i)
    {
        b->step->side_count += b->side_cover[i] == PL_LOOP_ALONE;
    }
    for (uint32_t i = 0; i < b->above_triangles->split_count; ++i)
    {
        b->step->middle_count += b->middle_cover[i] == PL_LOOP_ALONE;
    }
}

/* ---- Filling them ---- */

static uint32_t middle_of(const pl_loop_level *level, uint32_t corner)
{
    return level->edge_middle[level->corner_edge[corner]];
}

/* a b p q r s m */
static void find_side(const pl_loop_level *above, uint32_t edge, uint32_t row[7])
{
    uint32_t left = above->edge_corner[edge][0], right = above->edge_corner[edge][1];
    row[0] = above->corner_vertex[left];
    row[1] = above->corner_vertex[right];
    row[2] = middle_of(above, pl_corner_previous(left));
    row[3] = middle_of(above, pl_corner_next(right));
    row[4] = middle_of(above, pl_corner_next(left));
    row[5] = middle_of(above, pl_corner_previous(right));
    row[6] = above->edge_middle[edge];
}

static void fill_patch(pl_loop_builder *b, uint32_t four, uint32_t row[15])
{
    const pl_loop_level *above = b->above;
    const pl_loop_level *level = b->level;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t after = (k + 1) % 3, before = (k + 2) % 3;
        uint32_t first = 3 * (4 * four + k);
        row[k] = above->corner_vertex[first + k];
        row[3 + k] = above->corner_vertex[first + after];
        row[6 + k] = middle_of(above, first + k);
        row[9 + k] = middle_of(above, first + before);
        row[12 + k] = middle_of(above, first + after);
        /* New, around corner k: the corner child's inner edges around its corners k, k + 1 and k + 2, the centre's
         * around the middle of edge k (its corner k + 2), and the halves of the edge between them. */
        uint32_t own = level->half_count + 3 * b->above_rank[4 * four + k];
        uint32_t centre = level->half_count + 3 * b->above_rank[4 * four + 3];
        uint32_t inner = inner_edge(above, four, k);
        uint32_t start = above->corner_vertex[above->edge_corner[inner][0]];
        uint32_t half = above->edge_half[inner];
        pl_loop_take_vertex(b, own + k);
        pl_loop_take_vertex(b, own + after);
        pl_loop_take_vertex(b, own + before);
        pl_loop_take_vertex(b, centre + before);
        pl_loop_take_vertex(b, half + (start == row[3 + k] ? 0 : 1));
        pl_loop_take_vertex(b, half + (start == row[3 + k] ? 1 : 0));
    }
}

/* Writes one half of a strip from the centre out: the end, the quarter, the pairs next to the end and to the centre.
 * Returns the half's half at the end, and the other by xor. */
static uint32_t find_strip_half(const pl_loop_level *above, uint32_t edge, uint32_t centre, uint32_t *end,
                                uint32_t *quarter, uint32_t at_end[2], uint32_t at_centre[2])
{
    uint32_t side[7];
    find_side(above, edge, side);
    bool ends_there = side[1] == centre;
    *end = side[ends_there ? 0 : 1];
    *quarter = side[6];
    memcpy(at_end, side + (ends_there ? 2 : 4), 2 * sizeof *at_end);
    memcpy(at_centre, side + (ends_there ? 4 : 2), 2 * sizeof *at_centre);
    return above->edge_half[edge] + (ends_there ? 0 : 1);
}

static void fill_strip(pl_loop_builder *b, uint32_t pair, uint32_t row[13])
{
    row[2] = strip_centre(b->above, pair);
    uint32_t near_a = find_strip_half(b->above, 2 * pair, row[2], &row[0], &row[1], row + 5, row + 7);
    uint32_t near_b = find_strip_half(b->above, 2 * pair + 1, row[2], &row[4], &row[3], row + 11, row + 9);
    pl_loop_take_vertex(b, near_a);
    pl_loop_take_vertex(b, near_a ^ 1u);
    pl_loop_take_vertex(b, near_b ^ 1u);
    pl_loop_take_vertex(b, near_b);
}

static void fill_joined(pl_loop_builder *b)
{
    pl_loop_step *step = b->step;
    uint32_t count = 0;
    step->patch_out = b->next_vertex;
    for (uint32_t four = 0; count < step->patch_count; ++four)
    {
        uint32_t centre = b->above_rank[4 * four + 3];
        if (centre != PLEAT_NONE && b->middle_cover[centre] == PL_LOOP_JOINED)
        {
            fill_patch(b, four, step->patches[count++]);
        }
    }
    step->strip_out = b->next_vertex;
    count = 0;
    for (uint32_t pair = 0; count < step->strip_count; ++pair)
    {
        if (is_joined(b, 2 * pair))
        {
            fill_strip(b, pair, step->strips[count++]);
        }
    }
}

static void fill_alone(pl_loop_builder *b)
{
    const pl_loop_level *above = b->above;
    pl_loop_step *step = b->step;
    uint32_t count = 0;
    step->side_out = b->next_vertex;
    for (uint32_t i = 0; count < step->side_count; ++i)
    {
        if (b->side_cover[i] == PL_LOOP_ALONE)
        {
            uint32_t edge = above->split_edge[i];
            find_side(above, edge, step->sides[count++]);
            pl_loop_take_vertex(b, 2 * i);
            pl_loop_take_vertex(b, 2 * i + 1);
        }
    }
    step->middle_out = b->next_vertex;
    count = 0;
    for (uint32_t i = 0; count < step->middle_count; ++i)
    {
        if (b->middle_cover[i] != PL_LOOP_ALONE)
        {
            continue;
        }
        uint32_t first = 3 * b->above_triangles->split[i];
        uint32_t *row = step->middles[count++];
        for (uint32_t k = 0; k < 3; ++k)
        {
            row[k] = above->corner_vertex[first + k];
            row[3 + k] = middle_of(above, first + k);
            pl_loop_take_vertex(b, b->level->half_count + 3 * i + k);
        }
    }
}

void pl_loop_shared_fill(pl_loop_builder *b)
{
    fill_joined(b);
    fill_alone(b);
}
