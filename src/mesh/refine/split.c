#include "mesh/refine/split.h"

#include <string.h>

/* A triangle that somebody wants to be smaller. It is out of date once the triangle has been split. */
typedef struct wish
{
    float error;
    uint32_t triangle, depth;
} wish;

/* A heap, the largest error at its top; of equal ones the lower triangle. */
typedef struct wishes
{
    uint32_t count, room;
    wish *heap;
} wishes;

enum
{
    MAX_DEPTH = 20 /* barycentric coordinates are exact up to here, and no edge needs to be cut into 1024 */
};

/* ---- The heap ---- */

static bool comes_before(const wish *a, const wish *b)
{
    return a->error != b->error ? a->error > b->error : a->triangle < b->triangle;
}

static pleat_result add_wish(wishes *w, pl_memory *memory, wish fresh, pleat_error *error)
{
    if (w->count == w->room)
    {
        uint32_t room = w->room ? 2 * w->room : 1024;
        wish *grown = pl_realloc(memory, w->heap, room, sizeof *grown);
        if (!grown)
        {
            return pl_fail_memory(memory, error, "triangles to refine");
        }
        w->heap = grown;
        w->room = room;
    }
    uint32_t at = w->count++;
    for (; at > 0 && comes_before(&fresh, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
    {
        w->heap[at] = w->heap[(at - 1) / 2];
    }
    w->heap[at] = fresh;
    return PLEAT_OK;
}

static wish take_wish(wishes *w)
{
    wish top = w->heap[0], last = w->heap[--w->count];
    uint32_t at = 0;
    for (uint32_t below = 1; below < w->count; below = 2 * at + 1)
    {
        below += below + 1 < w->count && comes_before(&w->heap[below + 1], &w->heap[below]);
        if (!comes_before(&w->heap[below], &last))
        {
            break;
        }
        w->heap[at] = w->heap[below];
        at = below;
    }
    w->heap[at] = last;
    return top;
}

/* ---- Edges ---- */

static uint32_t *vertex_of(const pl_split *s, uint32_t corner)
{
    return &s->triangles[corner / 3].vertex[corner % 3];
}

static uint32_t *link_of(const pl_split *s, uint32_t corner)
{
    return &s->triangles[corner / 3].link[corner % 3];
}

/* An edge's length, with its ends to tell equal ones apart: all edges of the mesh have one order, so the way from a
 * triangle over longest edges ends. */
typedef struct edge_size
{
    float squared;
    uint32_t low, high;
} edge_size;

static edge_size size_of(const pl_split *s, uint32_t corner)
{
    const pl_split_triangle *t = &s->triangles[corner / 3];
    uint32_t a = t->vertex[corner % 3], b = t->vertex[(corner % 3 + 1) % 3];
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const pl_split_vertex *from = &s->vertices[low], *to = &s->vertices[high];
    pl_f4 way = to->rest - from->rest;
    float first = pl_dot3(way, from->along), second = pl_dot3(way, to->along);
    return (edge_size){pl_dot3(way, way) - 0.5f * (first * first + second * second), low, high};
}

static bool is_longer(const edge_size *a, const edge_size *b)
{
    if (a->squared != b->squared)
    {
        return a->squared > b->squared;
    }
    return a->low != b->low ? a->low > b->low : a->high > b->high;
}

/* The corner that owns a triangle's longest edge. */
static uint32_t longest_of(const pl_split *s, uint32_t triangle)
{
    uint32_t best = 3 * triangle;
    edge_size most = size_of(s, best);
    for (uint32_t corner = best + 1; corner < 3 * triangle + 3; ++corner)
    {
        edge_size here = size_of(s, corner);
        if (is_longer(&here, &most))
        {
            most = here;
            best = corner;
        }
    }
    return best;
}

static bool is_degenerate(const uint32_t *v)
{
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
}

/* ---- Bisection ---- */

static pleat_result make_room(pl_split *s, uint32_t triangles, pleat_error *error)
{
    if (s->triangle_count + triangles > s->triangle_room)
    {
        uint32_t room = s->triangle_count + triangles + s->triangle_room / 2;
        pl_split_triangle *grown = pl_realloc(s->memory, s->triangles, room, sizeof *grown);
        if (!grown)
        {
            return pl_fail_memory(s->memory, error, "refined triangles");
        }
        s->triangles = grown;
        s->triangle_room = room;
    }
    if (s->vertex_count == s->vertex_room)
    {
        uint32_t room = s->vertex_count + s->vertex_count / 2 + 64;
        pl_split_vertex *grown = pl_realloc(s->memory, s->vertices, room, sizeof *grown);
        if (!grown)
        {
            return pl_fail_memory(s->memory, error, "refined vertices");
        }
        s->vertices = grown;
        s->vertex_room = room;
    }
    return PLEAT_OK;
}

static void mean_place(const float *a, const float *b, float *out)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = 0.5f * (a[k] + b[k]);
    }
}

/* Directions, of a length so that what an edge has along them counts for less. */
static void take_along(const pl_split *s, pl_split_vertex *vertex)
{
    static const float less = 1 - 1 / (PL_KEEP_LONGER * PL_KEEP_LONGER);
    pleat_vec4 along = {0, 0, 0, 0};
    if (s->desc->along && vertex->coarse != PLEAT_NONE)
    {
        s->desc->along(s->desc->user, vertex->coarse, vertex->barycentric, &along);
    }
    vertex->along = pl_load(&along) * pl_splat(sqrtf(less));
}

/* The vertex in the middle of a corner's edge. */
static uint32_t add_middle(pl_split *s, uint32_t corner)
{
    const pl_split_triangle *t = &s->triangles[corner / 3];
    uint32_t k = corner % 3, next = (k + 1) % 3;
    pl_split_vertex *vertex = &s->vertices[s->vertex_count];
    vertex->rest = (s->vertices[t->vertex[k]].rest + s->vertices[t->vertex[next]].rest) * pl_splat(0.5f);
    vertex->coarse = t->coarse;
    mean_place(t->barycentric + 3 * k, t->barycentric + 3 * next, vertex->barycentric);
    take_along(s, vertex);
    return s->vertex_count++;
}

/* Takes a corner's place in the ring around its edge. */
static void relink(pl_split *s, uint32_t from, uint32_t to)
{
    uint32_t before = from;
    while (*link_of(s, before) != from)
    {
        before = *link_of(s, before);
    }
    *link_of(s, to) = before == from ? to : *link_of(s, from);
    if (before != from)
    {
        *link_of(s, before) = to;
    }
}

/* Cuts one triangle at the middle of a corner's edge; the other half is the last of all. */
static void cut(pl_split *s, uint32_t corner, uint32_t middle)
{
    uint32_t old = corner / 3, fresh = s->triangle_count++, k = corner % 3, next = (k + 1) % 3, last = (k + 2) % 3;
    pl_split_triangle *t = &s->triangles[old], *n = &s->triangles[fresh];
    *n = (pl_split_triangle){.vertex = {middle, t->vertex[next], t->vertex[last]},
                             .link = {3 * fresh, 3 * fresh + 1, 3 * fresh + 2},
                             .coarse = t->coarse,
                             .depth = ++t->depth};
    mean_place(t->barycentric + 3 * k, t->barycentric + 3 * next, n->barycentric);
    memcpy(n->barycentric + 3, t->barycentric + 3 * next, 3 * sizeof *n->barycentric);
    memcpy(n->barycentric + 6, t->barycentric + 3 * last, 3 * sizeof *n->barycentric);
    relink(s, 3 * old + next, 3 * fresh + 1);
    t->vertex[next] = middle;
    memcpy(t->barycentric + 3 * next, n->barycentric, 3 * sizeof *n->barycentric);
    t->link[k] = corner;
    t->link[next] = 3 * fresh + 2;
    n->link[2] = 3 * old + next;
}

/* Puts a corner into the ring of another (or, PLEAT_NONE, makes it one of its own). */
static uint32_t join(pl_split *s, uint32_t ring, uint32_t corner)
{
    if (ring != PLEAT_NONE)
    {
        *link_of(s, corner) = *link_of(s, ring);
        *link_of(s, ring) = corner;
        return ring;
    }
    return corner;
}

static uint32_t ring_size(const pl_split *s, uint32_t corner)
{
    uint32_t count = 1;
    for (uint32_t at = *link_of(s, corner); at != corner; at = *link_of(s, at))
    {
        ++count;
    }
    return count;
}

/* Cuts all triangles around a corner's edge. There is room for them. */
static void bisect(pl_split *s, uint32_t corner)
{
    uint32_t start = *vertex_of(s, corner), middle = add_middle(s, corner), rings[2] = {PLEAT_NONE, PLEAT_NONE};
    uint32_t count = ring_size(s, corner);
    for (uint32_t i = 0, at = corner; i < count; ++i)
    {
        uint32_t next = *link_of(s, at);
        bool same_way = *vertex_of(s, at) == start;
        cut(s, at, middle);
        uint32_t other = 3 * (s->triangle_count - 1);
        rings[0] = join(s, rings[0], same_way ? at : other);
        rings[1] = join(s, rings[1], same_way ? other : at);
        at = next;
    }
}

/* The edge that has to go first so that a triangle can be cut at its longest: on its way there no edge is longer. What
 * is as deep as can be gives way at any edge. */
static uint32_t first_edge(const pl_split *s, uint32_t triangle)
{
    uint32_t corner = longest_of(s, triangle);
    for (uint32_t at = *link_of(s, corner), from = corner; at != from;)
    {
        uint32_t longest = longest_of(s, at / 3);
        if (longest != at && s->triangles[at / 3].depth < MAX_DEPTH)
        {
            corner = from = longest;
            at = *link_of(s, longest);
            continue;
        }
        at = *link_of(s, at);
    }
    return corner;
}

/* ---- The run ---- */

static pleat_result ask(pl_split *s, wishes *w, uint32_t triangle, pleat_error *error)
{
    const pl_split_triangle *t = &s->triangles[triangle];
    if (t->depth >= MAX_DEPTH || is_degenerate(t->vertex))
    {
        return PLEAT_OK;
    }
    float missed = s->desc->misses(s->desc->user, t->coarse, t->barycentric);
    return missed > 0 ? add_wish(w, s->memory, (wish){missed, triangle, t->depth}, error) : PLEAT_OK;
}

/* One edge on the way to a wish; *full: the budget does not allow it. */
static pleat_result step(pl_split *s, wishes *w, uint32_t triangle, bool *full, pleat_error *error)
{
    uint32_t corner = first_edge(s, triangle), count = ring_size(s, corner), before = s->triangle_count;
    *full = s->triangle_count + count > s->desc->max_triangles;
    if (*full)
    {
        return PLEAT_OK;
    }
    PL_TRY(make_room(s, count, error));
    bisect(s, corner);
    for (uint32_t fresh = before; fresh < before + count; ++fresh)
    {
        /* The other half lies behind the edge that cuts them. */
        PL_TRY(ask(s, w, s->triangles[fresh].link[2] / 3, error));
        PL_TRY(ask(s, w, fresh, error));
    }
    return PLEAT_OK;
}

static pleat_result begin(pl_split *s, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = s->desc->topology;
    uint32_t *last = NULL;
    s->triangle_room = topology->triangle_count;
    s->vertex_room = topology->vertex_count;
    PL_NEW_OR_FAIL(s->triangles, s->memory, pl_split_triangle, s->triangle_room, error);
    PL_NEW_OR_FAIL(s->vertices, s->memory, pl_split_vertex, s->vertex_room, error);
    PL_NEW_OR_FAIL(last, s->memory, uint32_t, topology->edge_count, error);
    memset(last, 0xff, topology->edge_count * sizeof *last);
    s->triangle_count = topology->triangle_count;
    s->vertex_count = topology->vertex_count;
    for (uint32_t v = 0; v < s->vertex_count; ++v)
    {
        s->vertices[v] = (pl_split_vertex){.rest = pl_load(&s->desc->rest[v]), .coarse = PLEAT_NONE};
    }
    for (uint32_t c = 0; c < 3 * s->triangle_count; ++c)
    {
        pl_split_triangle *t = &s->triangles[c / 3];
        pl_split_vertex *vertex = &s->vertices[topology->triangles[c]];
        uint32_t edge = topology->corner_edge[c];
        t->coarse = c / 3;
        t->vertex[c % 3] = topology->triangles[c];
        t->barycentric[4 * (c % 3)] = 1;
        t->link[c % 3] = c;
        if (vertex->coarse == PLEAT_NONE)
        {
            vertex->coarse = c / 3;
            vertex->barycentric[c % 3] = 1;
        }
        if (edge != PLEAT_NONE)
        {
            last[edge] = join(s, last[edge], c);
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v)
    {
        take_along(s, &s->vertices[v]);
    }
fail:
    pl_free(s->memory, last);
    return result;
}

pleat_result pl_split_run(const pl_keep_desc *desc, pl_memory *memory, pl_split *s, pleat_error *error)
{
    *s = (pl_split){.desc = desc, .memory = memory};
    wishes w = {0};
    bool full = false;
    pleat_result result = begin(s, error);
    for (uint32_t t = 0; t < desc->topology->triangle_count && desc->misses && result == PLEAT_OK; ++t)
    {
        result = ask(s, &w, t, error);
    }
    while (w.count && !full && result == PLEAT_OK)
    {
        wish top = take_wish(&w);
        while (s->triangles[top.triangle].depth == top.depth && !full && result == PLEAT_OK)
        {
            result = step(s, &w, top.triangle, &full, error);
        }
    }
    pl_free(memory, w.heap);
    return result;
}

void pl_split_free(pl_split *s)
{
    pl_free(s->memory, s->triangles);
    pl_free(s->memory, s->vertices);
}
