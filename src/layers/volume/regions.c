/* Which part of a shell lost how much volume.
 *
 * Triangles are cut into pieces by what acts on them. A piece is closed by fans about the means of its border loops, so
 * a piece that moves as one body keeps its volume exactly, and what a bent joint loses is measured at that joint. The
 * fans of two neighbours cancel, so the losses add up to the shell's, as long as both see the same loop. Where more
 * than two pieces meet in a vertex they would not: such pieces are measured together, as one group. */
#include "layers/volume/volume.h"

#include "base/wide.h"

#include <string.h>

typedef struct cutter
{
    const pl_closed *closed;
    const pleat_topology *topology; /* of the closed triangles */
    const uint32_t *region;
    uint32_t *parent; /* union-find over triangles */
    uint32_t *piece;  /* triangles, before the joining of pieces */
    uint8_t *waits;   /* triangles: for a partner */
    uint32_t quad_count;
    pl_volume_groups *groups;
} cutter;

static uint32_t find_root(uint32_t *parent, uint32_t t)
{
    while (parent[t] != t)
    {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void join_regions(cutter *c)
{
    uint32_t count = c->closed->triangle_count;
    for (uint32_t t = 0; t < count; ++t)
    {
        c->parent[t] = t;
    }
    for (uint32_t corner = 0; corner < 3 * count; ++corner)
    {
        uint32_t twin = c->topology->twin[corner];
        if (twin < PLEAT_NON_MANIFOLD && c->region[corner / 3] == c->region[twin / 3])
        {
            join(c->parent, corner / 3, twin / 3);
        }
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        c->piece[t] = find_root(c->parent, t);
    }
}

static void join_where_many_meet(cutter *c)
{
    const pleat_topology *topology = c->topology;
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        uint32_t begin = topology->ring_start[v], end = topology->ring_start[v + 1];
        uint32_t cuts = 0;
        for (uint32_t i = begin; i < end; ++i)
        {
            uint32_t corner = topology->ring_corner[i], twin = topology->twin[corner];
            cuts += twin < PLEAT_NON_MANIFOLD && c->piece[corner / 3] != c->piece[twin / 3];
        }
        if (cuts > 2 || (topology->vertex_flags[v] & PLEAT_VERTEX_NON_MANIFOLD))
        {
            for (uint32_t i = begin + 1; i < end; ++i)
            {
                /* Two shells may touch in a vertex; their volumes stay apart. */
                uint32_t a = topology->ring_corner[begin] / 3, b = topology->ring_corner[i] / 3;
                if (c->closed->shell[a] == c->closed->shell[b])
                {
                    join(c->parent, a, b);
                }
            }
        }
    }
}

/* Groups numbered by their first triangle. */
static void number_groups(cutter *c)
{
    pl_volume_groups *groups = c->groups;
    uint32_t count = c->closed->triangle_count;
    for (uint32_t t = 0; t < count; ++t)
    {
        uint32_t root = find_root(c->parent, t);
        groups->triangle_group[t] = root == t ? groups->group_count++ : groups->triangle_group[root];
    }
}

/* Whether a triangle has no corner in a hole. */
static bool is_plain(const pl_closed *closed, uint32_t triangle)
{
    const uint32_t *corner = closed->triangles + 3 * (size_t)triangle;
    return corner[0] < closed->vertex_count && corner[1] < closed->vertex_count && corner[2] < closed->vertex_count;
}

/* Blocks of the triangles in a list: paired, the quads behind those before them. */
static void add_blocks(cutter *c, uint32_t group, const uint32_t *list, uint32_t count, bool plain)
{
    pl_volume_groups *groups = c->groups;
    uint32_t *quads = groups->quads + 4 * (size_t)c->quad_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        c->waits[list[i]] = 1;
    }
    uint32_t left = pl_volume_pair(c->topology, list, count, c->waits, quads, groups->triangle_block);
    for (uint32_t i = 0; i < count; ++i)
    {
        groups->triangle_block[list[i]] = groups->block_count + groups->triangle_block[list[i]] / PL_VOLUME_BLOCK;
    }
    for (uint32_t i = 0; i < 4 * left; ++i)
    {
        quads[i] = pl_volume_offset(quads[i]);
    }
    for (; left > 0; ++groups->block_count)
    {
        uint32_t here = left < PL_VOLUME_BLOCK ? left : PL_VOLUME_BLOCK;
        groups->blocks[groups->block_count] = (pl_volume_block){group, c->quad_count, here, plain};
        c->quad_count += here;
        left -= here;
    }
}

/* Of each group: plain triangles, then those over holes. */
static void fill_blocks(cutter *c)
{
    pl_volume_groups *groups = c->groups;
    const pl_closed *closed = c->closed;
    uint32_t *list = c->piece; /* no longer needed */
    for (uint32_t t = 0; t < closed->triangle_count; ++t)
    {
        pl_volume_group *group = &groups->groups[groups->triangle_group[t]];
        group->shell = closed->shell[t];
        ++group->loop_count; /* triangles, for now */
    }
    for (uint32_t g = 0, first = 0; g < groups->group_count; ++g)
    {
        groups->groups[g].first_loop = first;
        first += groups->groups[g].loop_count;
        groups->groups[g].loop_count = 0;
    }
    for (int over_holes = 0; over_holes < 2; ++over_holes)
    {
        for (uint32_t t = 0; t < closed->triangle_count; ++t)
        {
            pl_volume_group *group = &groups->groups[groups->triangle_group[t]];
            if (is_plain(closed, t) != (over_holes == 1))
            {
                list[group->first_loop + group->loop_count++] = t;
            }
        }
    }
    for (uint32_t g = 0; g < groups->group_count; ++g)
    {
        pl_volume_group *group = &groups->groups[g];
        uint32_t *first = list + group->first_loop, plain = 0;
        while (plain < group->loop_count && is_plain(closed, first[plain]))
        {
            ++plain;
        }
        group->first_block = groups->block_count;
        add_blocks(c, g, first, plain, true);
        add_blocks(c, g, first + plain, group->loop_count - plain, false);
        group->block_count = groups->block_count - group->first_block;
    }
    for (uint32_t t = closed->triangle_count; t-- > 0;)
    {
        groups->origin[closed->shell[t]] = closed->triangles[3 * (size_t)t];
    }
}

static bool is_cut(const cutter *c, uint32_t corner)
{
    uint32_t twin = c->topology->twin[corner];
    return twin < PLEAT_NON_MANIFOLD && c->groups->triangle_group[corner / 3] != c->groups->triangle_group[twin / 3];
}

/* The border edge of the same group that starts where this one ends. */
static uint32_t following(const cutter *c, uint32_t corner)
{
    const pleat_topology *topology = c->topology;
    uint32_t vertex = topology->triangles[corner % 3 == 2 ? corner - 2 : corner + 1];
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t other = topology->ring_corner[i];
        if (c->groups->triangle_group[other / 3] == c->groups->triangle_group[corner / 3] && is_cut(c, other))
        {
            return other;
        }
    }
    return PLEAT_NONE;
}

/* Loops in the order of groups. Walked forwards the edges run as in the group's triangles; the fan needs them turned,
 * which pl_volume_of_loops does by its sign. */
static void find_loops(cutter *c, uint8_t *used, const uint32_t *corners, uint32_t corner_count)
{
    pl_volume_groups *groups = c->groups;
    uint32_t at = 0;
    for (uint32_t g = 0; g < groups->group_count; ++g)
    {
        groups->groups[g].first_loop = 0;
        groups->groups[g].loop_count = 0;
    }
    for (uint32_t i = 0; i < corner_count; ++i)
    {
        uint32_t group = groups->triangle_group[corners[i] / 3];
        if (used[corners[i]])
        {
            continue;
        }
        groups->loop_start[groups->loop_count] = at;
        for (uint32_t corner = corners[i]; corner != PLEAT_NONE && !used[corner]; corner = following(c, corner))
        {
            used[corner] = 1;
            groups->loop_vertex[at++] = c->topology->triangles[corner];
        }
        if (groups->groups[group].loop_count++ == 0)
        {
            groups->groups[group].first_loop = groups->loop_count;
        }
        groups->loop_start[++groups->loop_count] = at;
    }
}

/* Cut corners, sorted by group: a counting sort. */
static pleat_result find_all_loops(cutter *c, pl_arena *arena, pl_arena *scratch, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_volume_groups *groups = c->groups;
    uint32_t corner_count = 3 * c->closed->triangle_count, cut_count = 0;
    uint32_t *start, *corners;
    uint8_t *used;
    PL_ARENA_NEW_OR_FAIL(start, scratch, uint32_t, (size_t)groups->group_count + 2, error);
    PL_ARENA_NEW_OR_FAIL(used, scratch, uint8_t, corner_count, error);
    for (uint32_t corner = 0; corner < corner_count; ++corner)
    {
        if (is_cut(c, corner))
        {
            ++start[groups->triangle_group[corner / 3] + 2];
            ++cut_count;
        }
    }
    for (uint32_t g = 0; g < groups->group_count; ++g)
    {
        start[g + 2] += start[g + 1];
    }
    PL_ARENA_NEW_OR_FAIL(corners, scratch, uint32_t, cut_count, error);
    for (uint32_t corner = 0; corner < corner_count; ++corner)
    {
        if (is_cut(c, corner))
        {
            corners[start[groups->triangle_group[corner / 3] + 1]++] = corner;
        }
    }
    PL_ARENA_NEW_OR_FAIL(groups->loop_start, arena, uint32_t, (size_t)cut_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(groups->loop_vertex, arena, uint32_t, cut_count, error);
    find_loops(c, used, corners, cut_count);
fail:
    return result;
}

pleat_result pl_volume_group_triangles(const pl_closed *closed, const pleat_topology *topology, const uint32_t *region,
                                       const pleat_host *host, pl_arena *arena, pl_volume_groups *groups,
                                       pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_memory scratch_memory = pl_memory_from(host);
    pl_arena scratch;
    pl_arena_init(&scratch, &scratch_memory);
    cutter c = {.closed = closed, .topology = topology, .region = region, .groups = groups};
    uint32_t count = closed->triangle_count;
    PL_ARENA_NEW_OR_FAIL(c.parent, &scratch, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(c.piece, &scratch, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(c.waits, &scratch, uint8_t, count, error);
    PL_ARENA_NEW_OR_FAIL(groups->quads, arena, uint32_t, 4 * (size_t)count, error);
    PL_ARENA_NEW_OR_FAIL(groups->triangle_group, arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(groups->triangle_block, arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(groups->origin, arena, uint32_t, closed->shell_count, error);
    join_regions(&c);
    join_where_many_meet(&c);
    number_groups(&c);
    PL_ARENA_NEW_OR_FAIL(groups->groups, arena, pl_volume_group, groups->group_count, error);
    size_t most_blocks = 2 * (size_t)groups->group_count + count / PL_VOLUME_BLOCK;
    PL_ARENA_NEW_OR_FAIL(groups->blocks, arena, pl_volume_block, most_blocks, error);
    fill_blocks(&c);
    result = find_all_loops(&c, arena, &scratch, error);
fail:
    pl_arena_free(&scratch);
    return result;
}

/* ---- Volumes ---- */

void pl_volume_origins(const pl_volume_groups *groups, const pl_closed *closed, const pleat_vec4 *positions,
                       pleat_vec4 *origins)
{
    for (uint32_t s = 0; s < closed->shell_count; ++s)
    {
        origins[s] = positions[groups->origin[s]];
    }
}

/* Differences of floats are exact in double, and so is the volume but for the last digits. */
static void load_from(const pl_volume_view *view, uint32_t vertex, const pleat_vec4 *origin, double out[3])
{
    uint32_t count = view->closed->vertex_count;
    const pleat_vec4 *at = vertex < count ? &view->positions[vertex] : &view->centres[vertex - count];
    out[0] = (double)at->x - (double)origin->x;
    out[1] = (double)at->y - (double)origin->y;
    out[2] = (double)at->z - (double)origin->z;
}

double pl_volume_of_block(const pl_volume_view *view, uint32_t block)
{
#ifdef PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return pl_volume_of_block_avx2(view, block);
    }
#endif
    return pl_volume_of_block_base(view, block);
}

double pl_volume_of_loops(const pl_volume_view *view, uint32_t group)
{
    const pl_volume_groups *groups = view->groups;
    const pl_volume_group *g = &groups->groups[group];
    const pleat_vec4 *origin = &view->origins[g->shell];
    double sum = 0;
    for (uint32_t i = 0; i < g->loop_count; ++i)
    {
        uint32_t begin = groups->loop_start[g->first_loop + i], end = groups->loop_start[g->first_loop + i + 1];
        double mean[3] = {0, 0, 0}, area[3] = {0, 0, 0}, last[3], p[3];
        load_from(view, groups->loop_vertex[end - 1], origin, last);
        for (uint32_t k = begin; k < end; ++k)
        {
            load_from(view, groups->loop_vertex[k], origin, p);
            for (int a = 0; a < 3; ++a)
            {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                area[a] += p[b] * last[c] - p[c] * last[b]; /* this one before the last: the edge turned round */
                mean[a] += p[a] / (end - begin);
            }
            memcpy(last, p, sizeof last);
        }
        sum += mean[0] * area[0] + mean[1] * area[1] + mean[2] * area[2];
    }
    return sum / 6;
}
