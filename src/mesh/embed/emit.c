/* Embedding, second half: each triangle cut by itself, and the lines as vertices of the result. */
#include "mesh/embed/work.h"

#include <stdlib.h>
#include <string.h>

typedef struct sorted_node
{
    double t;
    uint32_t vertex;
} sorted_node;

static int compare_nodes(const void *a, const void *b)
{
    double x = ((const sorted_node *)a)->t, y = ((const sorted_node *)b)->t;
    return (x > y) - (x < y);
}

/* Scratch for the triangle at work. */
typedef struct workshop
{
    pl_cut cut;
    uint32_t *vertex;    /* local point -> vertex of the result */
    sorted_node *sorted; /* of an edge */
    uint32_t room;
} workshop;

/* The nodes of an edge, counted from one of its ends. */
static uint32_t sort_edge(const pl_embedder *e, uint32_t edge, uint32_t from, sorted_node *out)
{
    uint32_t count = 0;
    for (uint32_t v = e->edge_node[edge]; v != PLEAT_NONE; v = e->nodes[v - e->topology->vertex_count].next)
    {
        double t = e->nodes[v - e->topology->vertex_count].t;
        out[count++] = (sorted_node){pl_embed_edge_from(e, edge) == from ? t : 1 - t, v};
    }
    qsort(out, count, sizeof *out, compare_nodes);
    return count;
}

static uint32_t local_of(const workshop *w, uint32_t vertex)
{
    uint32_t i = 0;
    while (i < w->cut.point_count && w->vertex[i] != vertex)
    {
        ++i;
    }
    return i < w->cut.point_count ? i : PLEAT_NONE;
}

/* Points of the triangle's edges and inside, and its pieces. Returns how many pieces did not become edges. */
static uint32_t cut_triangle(const pl_embedder *e, uint32_t t, workshop *w)
{
    const pleat_topology *topology = e->topology;
    const uint32_t *corner = topology->triangles + 3 * (size_t)t;
    pl_embed_flat f = pl_embed_lay_flat(e, t);
    uint32_t missed = 0, index;
    double b[3];
    pl_cut_begin(&w->cut, f.corner);
    memcpy(w->vertex, corner, 3 * sizeof *corner);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t count = sort_edge(e, topology->corner_edge[3 * (size_t)t + k], corner[k], w->sorted), before = k;
        for (uint32_t i = 0; i < count; ++i)
        {
            if (pl_embed_locate(e, w->sorted[i].vertex, t, b) &&
                pl_cut_add_on_edge(&w->cut, before, (k + 1) % 3, pl_embed_at(&f, b), &index))
            {
                w->vertex[index] = w->sorted[i].vertex;
                before = index;
            }
        }
    }
    for (uint32_t v = e->triangle_node[t]; v != PLEAT_NONE; v = e->nodes[v - topology->vertex_count].next)
    {
        if (pl_cut_add_inside(&w->cut, pl_embed_at(&f, e->nodes[v - topology->vertex_count].b), 1e-9 * f.least, &index))
        {
            w->vertex[index] = v;
        }
    }
    for (uint32_t i = e->triangle_piece[t]; i != PLEAT_NONE; i = e->pieces[i].sibling)
    {
        const pl_embed_piece *p = &e->pieces[i];
        if (pl_embed_common_edge(e, p) == PLEAT_NONE)
        {
            uint32_t from = local_of(w, p->a), to = local_of(w, p->b);
            missed += from == PLEAT_NONE || to == PLEAT_NONE || !pl_cut_fix(&w->cut, from, to);
        }
    }
    pl_cut_improve(&w->cut);
    return missed;
}

static uint32_t count_list(const pl_embedder *e, uint32_t v)
{
    uint32_t count = 0;
    for (; v != PLEAT_NONE; v = e->nodes[v - e->topology->vertex_count].next)
    {
        ++count;
    }
    return count;
}

static uint32_t count_edge_nodes(const pl_embedder *e, uint32_t t)
{
    const uint32_t *edge = e->topology->corner_edge + 3 * (size_t)t;
    return edge[0] == PLEAT_NONE ? 0
                                 : count_list(e, e->edge_node[edge[0]]) + count_list(e, e->edge_node[edge[1]]) +
                                       count_list(e, e->edge_node[edge[2]]);
}

/* The most points and pieces that any triangle has, and the triangles that there will be. */
static uint32_t largest_room(const pl_embedder *e, size_t *triangles)
{
    uint32_t largest = 0;
    *triangles = 0;
    for (uint32_t t = 0; t < e->topology->triangle_count; ++t)
    {
        uint32_t on_edges = count_edge_nodes(e, t), inside = count_list(e, e->triangle_node[t]);
        uint32_t count = 3 + on_edges + inside;
        for (uint32_t i = e->triangle_piece[t]; i != PLEAT_NONE; i = e->pieces[i].sibling)
        {
            ++count;
        }
        largest = count > largest ? count : largest;
        *triangles += 1 + on_edges + 2 * (size_t)inside;
    }
    return largest;
}

static bool is_plain(const pl_embedder *e, uint32_t t)
{
    const uint32_t *edge = e->topology->corner_edge + 3 * (size_t)t;
    return edge[0] == PLEAT_NONE || (e->edge_node[edge[0]] == PLEAT_NONE && e->edge_node[edge[1]] == PLEAT_NONE &&
                                     e->edge_node[edge[2]] == PLEAT_NONE && e->triangle_node[t] == PLEAT_NONE);
}

static pleat_result emit_triangles(pl_embedder *e, workshop *w, size_t most, pl_embedded *out)
{
    uint32_t *triangles = PL_ARENA_NEW(e->arena, uint32_t, 3 * most);
    uint32_t *source = PL_ARENA_NEW(e->arena, uint32_t, most);
    if (!triangles || !source)
    {
        return pl_fail_memory(e->memory, e->error, "cut triangles");
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < e->topology->triangle_count; ++t)
    {
        if (is_plain(e, t))
        {
            memcpy(triangles + 3 * (size_t)count, e->topology->triangles + 3 * (size_t)t, 3 * sizeof *triangles);
            source[count++] = t;
            continue;
        }
        out->missed += cut_triangle(e, t, w);
        for (uint32_t i = 0; i < w->cut.triangle_count; ++i)
        {
            for (uint32_t k = 0; k < 3; ++k)
            {
                triangles[3 * (size_t)count + k] = w->vertex[w->cut.triangles[i].corner[k]];
            }
            source[count++] = t;
        }
    }
    out->triangle_count = count;
    out->triangles = triangles;
    out->source = source;
    return PLEAT_OK;
}

static pleat_result emit_places(pl_embedder *e, pl_embedded *out)
{
    const pleat_topology *topology = e->topology;
    out->vertex_count = topology->vertex_count + (uint32_t)e->node_count;
    pleat_place *places = PL_ARENA_NEW(e->arena, pleat_place, out->vertex_count);
    if (!places)
    {
        return pl_fail_memory(e->memory, e->error, "places");
    }
    for (uint32_t v = 0; v < out->vertex_count; ++v)
    {
        double b[3] = {0};
        uint32_t triangle = PLEAT_NONE;
        if (v >= topology->vertex_count)
        {
            const pl_embed_node *n = &e->nodes[v - topology->vertex_count];
            triangle = n->edge == PLEAT_NONE ? n->triangle : topology->edge_corner[n->edge] / 3;
        }
        else if (topology->ring_start[v] < topology->ring_start[v + 1])
        {
            triangle = topology->ring_corner[topology->ring_start[v]] / 3;
        }
        if (triangle != PLEAT_NONE)
        {
            pl_embed_locate(e, v, triangle, b);
        }
        places[v] = (pleat_place){triangle, {(float)b[0], (float)b[1], (float)b[2]}};
    }
    out->places = places;
    return PLEAT_OK;
}

/* The vertices of a piece after its first: those between on an edge that it runs along, and its end. */
static uint32_t list_piece(const pl_embedder *e, const pl_embed_piece *p, sorted_node *sorted, uint32_t *out)
{
    uint32_t k = pl_embed_common_edge(e, p), count = 0;
    double a[3], b[3];
    if (k != PLEAT_NONE && pl_embed_locate(e, p->a, p->triangle, a) && pl_embed_locate(e, p->b, p->triangle, b))
    {
        uint32_t edge = e->topology->corner_edge[3 * (size_t)p->triangle + k];
        uint32_t first = e->topology->triangles[3 * (size_t)p->triangle + k];
        uint32_t nodes = sort_edge(e, edge, first, sorted);
        double from = a[(k + 1) % 3], to = b[(k + 1) % 3];
        for (uint32_t i = 0; i < nodes; ++i)
        {
            const sorted_node *n = &sorted[from < to ? i : nodes - 1 - i];
            if (n->vertex != p->a && n->vertex != p->b && (n->t > from) == (n->t < to))
            {
                out[count++] = n->vertex;
            }
        }
    }
    out[count++] = p->b;
    return count;
}

static pleat_result emit_lines(pl_embedder *e, sorted_node *sorted, pl_embedded *out)
{
    /* Along an edge a piece may pass every node of it. */
    size_t room = e->line_count, filled = 0;
    for (uint32_t i = 0; i < e->piece_count; ++i)
    {
        ++room;
        uint32_t k = pl_embed_common_edge(e, &e->pieces[i]);
        uint32_t v = k == PLEAT_NONE ? PLEAT_NONE
                                     : e->edge_node[e->topology->corner_edge[3 * (size_t)e->pieces[i].triangle + k]];
        for (; v != PLEAT_NONE; v = e->nodes[v - e->topology->vertex_count].next)
        {
            ++room;
        }
    }
    uint32_t *first = PL_ARENA_NEW(e->arena, uint32_t, e->line_count + 1);
    uint32_t *vertices = PL_ARENA_NEW(e->arena, uint32_t, room);
    uint32_t *source = PL_ARENA_NEW(e->arena, uint32_t, e->line_count);
    if (!first || !vertices || !source)
    {
        return pl_fail_memory(e->memory, e->error, "lines");
    }
    for (uint32_t l = 0; l < e->line_count; ++l)
    {
        first[l] = (uint32_t)filled;
        source[l] = e->line_source[l];
        vertices[filled++] = e->pieces[e->line_piece[l]].a;
        for (uint32_t i = e->line_piece[l]; i != PLEAT_NONE; i = e->pieces[i].next)
        {
            filled += list_piece(e, &e->pieces[i], sorted, vertices + filled);
        }
    }
    first[e->line_count] = (uint32_t)filled;
    out->line_count = (uint32_t)e->line_count;
    out->first_vertex = first;
    out->line_vertices = vertices;
    out->line_source = source;
    return PLEAT_OK;
}

pleat_result pl_embed_emit(pl_embedder *e, pl_embedded *out)
{
    pleat_result result = PLEAT_OK;
    size_t triangles;
    workshop w = {.room = largest_room(e, &triangles)};
    PL_NEW_OR_FAIL(w.vertex, e->memory, uint32_t, w.room, e->error);
    PL_NEW_OR_FAIL(w.sorted, e->memory, sorted_node, w.room, e->error);
    PL_NEW_OR_FAIL(w.cut.points, e->memory, pl_cut_point, w.room, e->error);
    PL_NEW_OR_FAIL(w.cut.triangles, e->memory, pl_cut_triangle, 2 * (size_t)w.room, e->error);
    PL_NEW_OR_FAIL(w.cut.fixed, e->memory, pl_cut_edge, w.room, e->error);
    w.cut.point_room = w.cut.fixed_room = w.room;
    result = emit_triangles(e, &w, triangles, out);
    result = result == PLEAT_OK ? emit_places(e, out) : result;
    result = result == PLEAT_OK ? emit_lines(e, w.sorted, out) : result;
fail:
    pl_free(e->memory, w.cut.fixed);
    pl_free(e->memory, w.cut.triangles);
    pl_free(e->memory, w.cut.points);
    pl_free(e->memory, w.sorted);
    pl_free(e->memory, w.vertex);
    return result;
}
