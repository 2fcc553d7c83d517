/* Lines made edges: their points become nodes (corners, points on edges, points inside), their pieces are cut where
 * they meet each other, and then each triangle is triangulated by itself. */
#include "mesh/embed/work.h"

#include "base/vec.h"

static pleat_result grow(pl_embedder *e, void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
    {
        return PLEAT_OK;
    }
    size_t capacity = *room ? 2 * *room : 256;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = needed > UINT32_MAX / 4 ? NULL : pl_realloc(e->memory, old, capacity, size);
    if (!grown)
    {
        return pl_fail_memory(e->memory, e->error, "lines on a surface");
    }
    memcpy(array, &grown, sizeof grown);
    *room = capacity;
    return PLEAT_OK;
}
#define GROW(e, array, room, needed) grow((e), &(array), &(room), (needed), sizeof *(array))

/* ---- A triangle in its plane ---- */

pl_embed_flat pl_embed_lay_flat(const pl_embedder *e, uint32_t t)
{
    const uint32_t *v = e->topology->triangles + 3 * (size_t)t;
    const pleat_vec4 *p = e->desc->positions;
    pl_f4 u = pl_load(&p[v[1]]) - pl_load(&p[v[0]]), w = pl_load(&p[v[2]]) - pl_load(&p[v[0]]);
    double uu = (double)pl_dot3(u, u), uw = (double)pl_dot3(u, w), ww = (double)pl_dot3(w, w);
    double length = sqrt(uu), area = sqrt(fmax(uu * ww - uw * uw, 0));
    double longest = sqrt(fmax(fmax(uu, ww), uu + ww - 2 * uw));
    pl_embed_flat out = {{{0, 0}, {length, 0}, {0, 0}}, 0};
    if (length > 0 && e->topology->corner_edge[3 * (size_t)t] != PLEAT_NONE)
    {
        out.corner[2] = (pl_cut_point){uw / length, area / length};
        out.least = area > 1e-9 * longest * longest ? area / longest : 0;
    }
    return out;
}

pl_cut_point pl_embed_at(const pl_embed_flat *f, const double b[3])
{
    pl_cut_point p = {0, 0};
    for (uint32_t k = 0; k < 3; ++k)
    {
        p.x += f->corner[k].x * b[k];
        p.y += f->corner[k].y * b[k];
    }
    return p;
}

static double apart(pl_cut_point a, pl_cut_point b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

/* ---- Nodes ---- */

uint32_t pl_embed_edge_from(const pl_embedder *e, uint32_t edge)
{
    return e->topology->triangles[e->topology->edge_corner[edge]];
}

bool pl_embed_locate(const pl_embedder *e, uint32_t vertex, uint32_t t, double b[3])
{
    const uint32_t *corner = e->topology->triangles + 3 * (size_t)t;
    b[0] = b[1] = b[2] = 0;
    if (vertex < e->topology->vertex_count)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (corner[k] == vertex)
            {
                b[k] = 1;
                return true;
            }
        }
        return false;
    }
    const pl_embed_node *n = &e->nodes[vertex - e->topology->vertex_count];
    if (n->edge == PLEAT_NONE)
    {
        memcpy(b, n->b, 3 * sizeof *b);
        return n->triangle == t;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (e->topology->corner_edge[3 * (size_t)t + k] == n->edge)
        {
            double along = corner[k] == pl_embed_edge_from(e, n->edge) ? n->t : 1 - n->t;
            b[k] = 1 - along;
            b[(k + 1) % 3] = along;
            return true;
        }
    }
    return false;
}

static pleat_result add_node(pl_embedder *e, const pl_embed_node *n, uint32_t *list, uint32_t *out)
{
    PL_TRY(GROW(e, e->nodes, e->node_room, e->node_count + 1));
    *out = e->topology->vertex_count + (uint32_t)e->node_count;
    e->nodes[e->node_count] = *n;
    e->nodes[e->node_count].next = *list;
    *list = *out;
    ++e->node_count;
    return PLEAT_OK;
}

static void mark_edge_dirty(pl_embedder *e, uint32_t edge)
{
    uint32_t corner = e->topology->edge_corner[edge], twin = e->topology->twin[corner];
    e->dirty[corner / 3] = 1;
    if (twin < 3 * e->topology->triangle_count)
    {
        e->dirty[twin / 3] = 1;
    }
}

/* The node on edge k of a triangle, at `along` from its corner k. */
static pleat_result node_on_edge(pl_embedder *e, uint32_t t, uint32_t k, double along, uint32_t *out)
{
    const uint32_t *corner = e->topology->triangles + 3 * (size_t)t;
    double snap = (double)e->desc->snap;
    uint32_t edge = e->topology->corner_edge[3 * (size_t)t + k];
    /* An edge of three triangles is not cut: a node would have to be in all of them. */
    if (!(along > snap) || !(along < 1 - snap) || e->topology->twin[3 * (size_t)t + k] == PLEAT_NON_MANIFOLD)
    {
        *out = corner[along > 0.5 ? (k + 1) % 3 : k];
        return PLEAT_OK;
    }
    double from = corner[k] == pl_embed_edge_from(e, edge) ? along : 1 - along;
    for (uint32_t v = e->edge_node[edge]; v != PLEAT_NONE; v = e->nodes[v - e->topology->vertex_count].next)
    {
        if (fabs(e->nodes[v - e->topology->vertex_count].t - from) < snap)
        {
            *out = v;
            return PLEAT_OK;
        }
    }
    pl_embed_node n = {.edge = edge, .triangle = PLEAT_NONE, .t = from};
    mark_edge_dirty(e, edge);
    return add_node(e, &n, &e->edge_node[edge], out);
}

/* The node at a place: one that is near, or a new one. PLEAT_NONE in a triangle without area. */
static pleat_result node_at(pl_embedder *e, uint32_t t, const double b[3], uint32_t *out)
{
    pl_embed_flat f = pl_embed_lay_flat(e, t);
    double near = (double)e->desc->snap * f.least;
    *out = PLEAT_NONE;
    if (f.least <= 0)
    {
        return PLEAT_OK;
    }
    pl_cut_point p = pl_embed_at(&f, b);
    double area = f.corner[1].x * f.corner[2].y, nearest = INFINITY;
    uint32_t edge = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (apart(p, f.corner[k]) < near)
        {
            *out = e->topology->triangles[3 * (size_t)t + k];
            return PLEAT_OK;
        }
        /* Edge k runs between corners k and k + 1; the third is opposite. */
        double off = b[(k + 2) % 3] * area / apart(f.corner[k], f.corner[(k + 1) % 3]);
        edge = off < nearest ? k : edge;
        nearest = fmin(nearest, off);
    }
    if (nearest < near)
    {
        double sum = fmax(b[edge] + b[(edge + 1) % 3], 1e-12);
        return node_on_edge(e, t, edge, b[(edge + 1) % 3] / sum, out);
    }
    for (uint32_t v = e->triangle_node[t]; v != PLEAT_NONE; v = e->nodes[v - e->topology->vertex_count].next)
    {
        if (apart(p, pl_embed_at(&f, e->nodes[v - e->topology->vertex_count].b)) < near)
        {
            *out = v;
            return PLEAT_OK;
        }
    }
    pl_embed_node n = {.edge = PLEAT_NONE, .triangle = t, .b = {b[0], b[1], b[2]}};
    e->dirty[t] = 1;
    return add_node(e, &n, &e->triangle_node[t], out);
}

/* ---- Pieces ---- */

uint32_t pl_embed_common_edge(const pl_embedder *e, const pl_embed_piece *p)
{
    double a[3], b[3];
    if (!pl_embed_locate(e, p->a, p->triangle, a) || !pl_embed_locate(e, p->b, p->triangle, b))
    {
        return PLEAT_NONE;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (a[(k + 2) % 3] == 0 && b[(k + 2) % 3] == 0)
        {
            return k;
        }
    }
    return PLEAT_NONE;
}

/* Adds a piece behind *last (PLEAT_NONE: a new line begins). */
static pleat_result add_piece(pl_embedder *e, uint32_t source, uint32_t t, uint32_t a, uint32_t b, uint32_t *last)
{
    if (a == b)
    {
        return PLEAT_OK;
    }
    PL_TRY(GROW(e, e->pieces, e->piece_room, e->piece_count + 1));
    uint32_t index = (uint32_t)e->piece_count++;
    e->pieces[index] = (pl_embed_piece){a, b, t, PLEAT_NONE, e->triangle_piece[t]};
    e->triangle_piece[t] = index;
    e->dirty[t] = 1;
    if (*last == PLEAT_NONE)
    {
        PL_TRY(GROW(e, e->line_piece, e->line_room, e->line_count + 1));
        PL_TRY(GROW(e, e->line_source, e->source_room, e->line_count + 1));
        e->line_source[e->line_count] = source;
        e->line_piece[e->line_count++] = index;
    }
    else
    {
        e->pieces[*last].next = index;
    }
    *last = index;
    return PLEAT_OK;
}

/* Where the straight line between places of two triangles crosses their common edge (corner k of the first), by
 * unfolding: its share from corner k. */
static double crossing(const pl_embedder *e, const pleat_place *from, uint32_t k, const pleat_place *to)
{
    const uint32_t *s = e->topology->triangles + 3 * (size_t)from->triangle;
    const uint32_t *t = e->topology->triangles + 3 * (size_t)to->triangle;
    pl_embed_flat f = pl_embed_lay_flat(e, from->triangle), g = pl_embed_lay_flat(e, to->triangle);
    double a[3], b[3];
    uint32_t j = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        a[i] = (double)from->barycentric[i];
        b[i] = (double)to->barycentric[i];
        j = t[i] == s[k] ? i : j; /* the same vertex in the other triangle */
    }
    uint32_t j_other = t[(j + 1) % 3] == s[(k + 1) % 3] ? (j + 1) % 3 : (j + 2) % 3;
    double length = fmax(apart(f.corner[k], f.corner[(k + 1) % 3]), 1e-300);
    pl_cut_point p = pl_embed_at(&f, a), q = pl_embed_at(&g, b);
    pl_cut_point o = f.corner[k],
                 d = {(f.corner[(k + 1) % 3].x - o.x) / length, (f.corner[(k + 1) % 3].y - o.y) / length};
    double along_p = (p.x - o.x) * d.x + (p.y - o.y) * d.y, off_p = fabs((p.x - o.x) * d.y - (p.y - o.y) * d.x);
    o = g.corner[j];
    length = fmax(apart(o, g.corner[j_other]), 1e-300);
    d = (pl_cut_point){(g.corner[j_other].x - o.x) / length, (g.corner[j_other].y - o.y) / length};
    double along_q = (q.x - o.x) * d.x + (q.y - o.y) * d.y, off_q = fabs((q.x - o.x) * d.y - (q.y - o.y) * d.x);
    double share = off_p + off_q > 0 ? off_p / (off_p + off_q) : 0.5;
    return fmin(fmax((along_p + share * (along_q - along_p)) / length, 0), 1);
}

/* Connects two places of a line. Sets *last to PLEAT_NONE where that cannot be done. */
static pleat_result connect(pl_embedder *e, uint32_t source, const pleat_place *from, uint32_t a, const pleat_place *to,
                            uint32_t b, uint32_t *last)
{
    const pleat_topology *topology = e->topology;
    uint32_t s = from->triangle, t = to->triangle;
    double ignored[3];
    if (pl_embed_locate(e, b, s, ignored))
    {
        return add_piece(e, source, s, a, b, last);
    }
    if (pl_embed_locate(e, a, t, ignored))
    {
        return add_piece(e, source, t, a, b, last);
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t twin = topology->twin[3 * (size_t)s + k];
        if (twin < 3 * topology->triangle_count && twin / 3 == t)
        {
            uint32_t middle;
            PL_TRY(node_on_edge(e, s, k, crossing(e, from, k, to), &middle));
            PL_TRY(add_piece(e, source, s, a, middle, last));
            return add_piece(e, source, t, middle, b, last);
        }
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t corner = topology->triangles[3 * (size_t)s + k];
        if (pl_embed_locate(e, corner, t, ignored))
        {
            PL_TRY(add_piece(e, source, s, a, corner, last));
            return add_piece(e, source, t, corner, b, last);
        }
    }
    *last = PLEAT_NONE;
    return PLEAT_OK;
}

static pleat_result lay_lines(pl_embedder *e)
{
    const pl_embed_desc *desc = e->desc;
    for (uint32_t l = 0; l < desc->line_count; ++l)
    {
        uint32_t last = PLEAT_NONE, before = PLEAT_NONE;
        const pleat_place *place_before = NULL;
        for (uint32_t i = desc->first_place[l]; i < desc->first_place[l + 1]; ++i)
        {
            const pleat_place *place = &desc->places[i];
            double b[3];
            uint32_t here;
            for (uint32_t k = 0; k < 3; ++k)
            {
                b[k] = fmax((double)place->barycentric[k], 0);
            }
            double sum = fmax(b[0] + b[1] + b[2], 1e-12);
            b[0] /= sum;
            b[1] /= sum;
            b[2] /= sum;
            PL_TRY(node_at(e, place->triangle, b, &here));
            if (here == PLEAT_NONE)
            {
                last = PLEAT_NONE;
            }
            else if (before != PLEAT_NONE)
            {
                PL_TRY(connect(e, l, place_before, before, place, here, &last));
            }
            before = here;
            place_before = place;
        }
    }
    return PLEAT_OK;
}

/* ---- Meeting ---- */

/* The piece is cut at a vertex of its triangle. */
static pleat_result cut_piece(pl_embedder *e, uint32_t index, uint32_t vertex)
{
    PL_TRY(GROW(e, e->pieces, e->piece_room, e->piece_count + 1));
    pl_embed_piece *p = &e->pieces[index];
    uint32_t rest = (uint32_t)e->piece_count++;
    e->pieces[rest] = (pl_embed_piece){vertex, p->b, p->triangle, p->next, e->triangle_piece[p->triangle]};
    e->triangle_piece[p->triangle] = rest;
    p->b = vertex;
    p->next = rest;
    e->dirty[p->triangle] = 1;
    return PLEAT_OK;
}

/* Cuts a piece at a node that is nearer to it than `near`; *cut says whether. */
static pleat_result cut_at(pl_embedder *e, const pl_embed_flat *f, uint32_t index, uint32_t vertex, double near,
                           bool *cut)
{
    const pl_embed_piece *p = &e->pieces[index];
    double a[3], b[3], v[3];
    *cut = false;
    if (vertex == p->a || vertex == p->b || !pl_embed_locate(e, p->a, p->triangle, a) ||
        !pl_embed_locate(e, p->b, p->triangle, b) || !pl_embed_locate(e, vertex, p->triangle, v))
    {
        return PLEAT_OK;
    }
    pl_cut_point from = pl_embed_at(f, a), to = pl_embed_at(f, b), point = pl_embed_at(f, v);
    double length = fmax(apart(from, to), 1e-300);
    double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    double along = (point.x - from.x) * dx + (point.y - from.y) * dy;
    double off = fabs((point.x - from.x) * dy - (point.y - from.y) * dx);
    if (off < near && along > 0 && along < length)
    {
        *cut = true;
        return cut_piece(e, index, vertex);
    }
    return PLEAT_OK;
}

static pleat_result cut_at_nodes(pl_embedder *e, const pl_embed_flat *f, uint32_t t, uint32_t index, double near,
                                 bool *cut)
{
    const pleat_topology *topology = e->topology;
    *cut = false;
    for (uint32_t k = 0; k < 3 && !*cut; ++k)
    {
        PL_TRY(cut_at(e, f, index, topology->triangles[3 * (size_t)t + k], near, cut));
        uint32_t v = e->edge_node[topology->corner_edge[3 * (size_t)t + k]];
        for (; v != PLEAT_NONE && !*cut; v = e->nodes[v - topology->vertex_count].next)
        {
            PL_TRY(cut_at(e, f, index, v, near, cut));
        }
    }
    for (uint32_t v = e->triangle_node[t]; v != PLEAT_NONE && !*cut; v = e->nodes[v - topology->vertex_count].next)
    {
        PL_TRY(cut_at(e, f, index, v, near, cut));
    }
    return PLEAT_OK;
}

/* Cuts two pieces where they cross. */
static pleat_result cut_both(pl_embedder *e, const pl_embed_flat *f, uint32_t t, uint32_t i, uint32_t j, bool *cut)
{
    const pl_embed_piece *p = &e->pieces[i], *q = &e->pieces[j];
    double b[4][3];
    *cut = false;
    if (p->a == q->a || p->a == q->b || p->b == q->a || p->b == q->b || !pl_embed_locate(e, p->a, t, b[0]) ||
        !pl_embed_locate(e, p->b, t, b[1]) || !pl_embed_locate(e, q->a, t, b[2]) || !pl_embed_locate(e, q->b, t, b[3]))
    {
        return PLEAT_OK;
    }
    pl_cut_point o = pl_embed_at(f, b[0]), p1 = pl_embed_at(f, b[1]), q0 = pl_embed_at(f, b[2]),
                 q1 = pl_embed_at(f, b[3]);
    double px = p1.x - o.x, py = p1.y - o.y, qx = q1.x - q0.x, qy = q1.y - q0.y;
    double across = px * qy - py * qx;
    double u = ((q0.x - o.x) * qy - (q0.y - o.y) * qx) / across, w = ((q0.x - o.x) * py - (q0.y - o.y) * px) / across;
    if (!(u > 0 && u < 1 && w > 0 && w < 1))
    {
        return PLEAT_OK;
    }
    double place[3];
    uint32_t vertex;
    for (uint32_t k = 0; k < 3; ++k)
    {
        place[k] = b[0][k] + u * (b[1][k] - b[0][k]);
    }
    PL_TRY(node_at(e, t, place, &vertex));
    if (vertex != e->pieces[i].a && vertex != e->pieces[i].b)
    {
        *cut = true;
        PL_TRY(cut_piece(e, i, vertex));
    }
    if (vertex != e->pieces[j].a && vertex != e->pieces[j].b)
    {
        *cut = true;
        PL_TRY(cut_piece(e, j, vertex));
    }
    return PLEAT_OK;
}

/* Until in this triangle no piece passes near a node or crosses another. */
static pleat_result settle_triangle(pl_embedder *e, uint32_t t)
{
    pl_embed_flat f = pl_embed_lay_flat(e, t);
    double near = 0.5 * (double)e->desc->snap * f.least;
    e->dirty[t] = 0;
    for (uint32_t i = e->triangle_piece[t]; i != PLEAT_NONE; i = e->pieces[i].sibling)
    {
        bool cut = pl_embed_common_edge(e, &e->pieces[i]) != PLEAT_NONE;
        if (!cut)
        {
            PL_TRY(cut_at_nodes(e, &f, t, i, near, &cut));
        }
        for (uint32_t j = e->pieces[i].sibling; j != PLEAT_NONE && !cut; j = e->pieces[j].sibling)
        {
            if (pl_embed_common_edge(e, &e->pieces[j]) == PLEAT_NONE)
            {
                PL_TRY(cut_both(e, &f, t, i, j, &cut));
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result settle(pl_embedder *e)
{
    bool any = true;
    for (uint32_t round = 0; any && round < 100; ++round)
    {
        any = false;
        for (uint32_t t = 0; t < e->topology->triangle_count; ++t)
        {
            if (e->dirty[t])
            {
                any = true;
                PL_TRY(settle_triangle(e, t));
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result begin(pl_embedder *e)
{
    pleat_result result = PLEAT_OK;
    uint32_t triangles = e->topology->triangle_count, edges = e->topology->edge_count;
    PL_NEW_OR_FAIL(e->edge_node, e->memory, uint32_t, edges, e->error);
    PL_NEW_OR_FAIL(e->triangle_node, e->memory, uint32_t, triangles, e->error);
    PL_NEW_OR_FAIL(e->triangle_piece, e->memory, uint32_t, triangles, e->error);
    PL_NEW_OR_FAIL(e->dirty, e->memory, uint8_t, triangles, e->error);
    memset(e->edge_node, 0xff, edges * sizeof *e->edge_node);
    memset(e->triangle_node, 0xff, triangles * sizeof *e->triangle_node);
    memset(e->triangle_piece, 0xff, triangles * sizeof *e->triangle_piece);
fail:
    return result;
}

pleat_result pl_embed(const pl_embed_desc *desc, pl_arena *arena, pl_embedded *out, pleat_error *error)
{
    pl_embedder e = {.desc = desc, .topology = desc->topology, .arena = arena, .memory = arena->memory, .error = error};
    *out = (pl_embedded){0};
    pleat_result result = begin(&e);
    result = result == PLEAT_OK ? lay_lines(&e) : result;
    result = result == PLEAT_OK ? settle(&e) : result;
    result = result == PLEAT_OK ? pl_embed_emit(&e, out) : result;
    pl_free(e.memory, e.edge_node);
    pl_free(e.memory, e.triangle_node);
    pl_free(e.memory, e.triangle_piece);
    pl_free(e.memory, e.dirty);
    pl_free(e.memory, e.nodes);
    pl_free(e.memory, e.pieces);
    pl_free(e.memory, e.line_piece);
    pl_free(e.memory, e.line_source);
    return result;
}
