/* Paths over vertices: a node that slides off the end of its edge takes the path to the other side of the vertex there,
 * over the spokes of it that the path did not cross.
 *
 * R. Gillette, 2015, sec. 5.2.1 and fig. 5.4. New nodes lie as far behind the vertex as the old one has passed it, so
 * that the path moves no farther than it would have. At the border of the cloth, and at the ends of a path, nodes stay
 * at the vertex. */
#include "layers/live/live.h"

#include <string.h>

/* Nodes keep this share of the edge between them and its ends; new ones are no farther in than the second. */
static const float OFF_END = 0.01f, FARTHEST = 0.2f;

typedef struct spokes
{
    uint32_t vertex;
    uint32_t count;
    pl_live_node nodes[PL_LIVE_NODES];
    uint32_t triangles[PL_LIVE_NODES]; /* after each node */
} spokes;

static uint32_t other_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

/* The vertex at the start (t = 0) or the end of an edge. */
static uint32_t end_of(const pleat_live *live, uint32_t edge, bool start)
{
    uint32_t corner = live->topology->edge_corner[edge];
    return live->topology->triangles[start ? corner : other_corner(corner)];
}

static bool is_spoke(const pleat_live *live, uint32_t edge, uint32_t vertex)
{
    return end_of(live, edge, true) == vertex || end_of(live, edge, false) == vertex;
}

/* The other edge at the vertex in a triangle: its corner, or PLEAT_NONE. */
static uint32_t next_spoke(const pleat_live *live, uint32_t triangle, uint32_t vertex, uint32_t edge)
{
    for (uint32_t corner = 3 * triangle; corner < 3 * triangle + 3; ++corner)
    {
        uint32_t e = live->topology->corner_edge[corner];
        if (e != edge && is_spoke(live, e, vertex))
        {
            return corner;
        }
    }
    return PLEAT_NONE;
}

static pl_live_node node_beside(const pleat_live *live, uint32_t edge, uint32_t vertex, float distance)
{
    bool start = end_of(live, edge, true) == vertex;
    pl_f4 way = pl_live_node_place(live, (pl_live_node){edge, 1}) - pl_live_node_place(live, (pl_live_node){edge, 0});
    float share = fminf(fmaxf(distance / pl_length3(way), OFF_END), FARTHEST);
    return (pl_live_node){edge, start ? share : 1 - share};
}

/* The spokes from one triangle at the vertex to another, away from an edge. False where a border is in the way. */
static bool walk_round(const pleat_live *live, uint32_t from, uint32_t edge, uint32_t to, float distance, spokes *out)
{
    uint32_t triangle = from;
    out->count = 0;
    while (triangle != to)
    {
        uint32_t corner = next_spoke(live, triangle, out->vertex, edge);
        if (corner == PLEAT_NONE || live->topology->twin[corner] >= PLEAT_NON_MANIFOLD || out->count == PL_LIVE_NODES)
        {
            return false;
        }
        edge = live->topology->corner_edge[corner];
        triangle = live->topology->twin[corner] / 3;
        if (!(live->field[triangle].compression > 0))
        {
            return false;
        }
        out->nodes[out->count] = node_beside(live, edge, out->vertex, distance);
        out->triangles[out->count++] = triangle;
    }
    return out->count > 0;
}

/* Puts the new nodes into the place of first .. last. */
static void replace(pl_live_path *path, uint32_t first, uint32_t last, const spokes *with)
{
    uint32_t after = path->count - last - 1, to = first + with->count;
    memmove(path->nodes + to, path->nodes + last + 1, after * sizeof *path->nodes);
    memmove(path->triangles + to, path->triangles + last + 1, after * sizeof *path->triangles);
    memcpy(path->nodes + first, with->nodes, with->count * sizeof *path->nodes);
    memcpy(path->triangles + first, with->triangles, with->count * sizeof *path->triangles);
    path->count = to + after;
}

/* Takes the path round the vertex that node i has passed. Returns the node to go on behind, or 0: it stays. */
static uint32_t go_round(const pleat_live *live, pl_live_path *path, uint32_t i)
{
    pl_live_node *node = &path->nodes[i];
    uint32_t first = i, last = i;
    spokes around = {.vertex = end_of(live, node->edge, node->t < 0)};
    pl_f4 whole = pl_live_node_place(live, (pl_live_node){node->edge, 1}) -
                  pl_live_node_place(live, (pl_live_node){node->edge, 0});
    float passed = pl_length3(whole) * (node->t < 0 ? -node->t : node->t - 1);
    while (first > 0 && is_spoke(live, path->nodes[first - 1].edge, around.vertex))
    {
        --first;
    }
    while (last + 1 < path->count && is_spoke(live, path->nodes[last + 1].edge, around.vertex))
    {
        ++last;
    }
    if (first == 0 || last + 1 == path->count ||
        !walk_round(live, path->triangles[first - 1], path->nodes[first].edge, path->triangles[last], passed,
                    &around) ||
        path->count - (last + 1 - first) + around.count > PL_LIVE_NODES)
    {
        return 0;
    }
    replace(path, first, last, &around);
    return first + around.count - 1;
}

/* Keeps what is counted in pieces where it is along the path; an end that is free stays free. */
typedef struct marks
{
    float begin, end, lowest, uppermost;
    bool free_front, free_back;
} marks;

static marks take_marks(const pleat_live *live, const pl_live_path *path)
{
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES];
    pl_live_measure(live, path, at, arc);
    return (marks){pl_live_arc_at(path, arc, path->begin),
                   pl_live_arc_at(path, arc, path->end),
                   pl_live_arc_at(path, arc, path->lowest),
                   pl_live_arc_at(path, arc, path->uppermost),
                   !(path->lowest > 0),
                   !(path->uppermost < (float)(path->count - 1))};
}

static void put_marks(const pleat_live *live, pl_live_path *path, marks m)
{
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES];
    pl_live_measure(live, path, at, arc);
    path->begin = pl_live_pieces_at(path, arc, m.begin);
    path->end = pl_live_pieces_at(path, arc, m.end);
    path->lowest = m.free_front ? 0 : pl_live_pieces_at(path, arc, m.lowest);
    path->uppermost = m.free_back ? (float)(path->count - 1) : pl_live_pieces_at(path, arc, m.uppermost);
}

static void hold(pl_live_node *node)
{
    node->t = fminf(fmaxf(node->t, OFF_END), 1 - OFF_END);
}

uint32_t pl_live_cross(const pleat_live *live, pl_live_path *path)
{
    uint32_t crossings = 0;
    marks m = {0};
    for (uint32_t i = 0; i < path->count; ++i)
    {
        float t = path->nodes[i].t;
        if (t >= 0 && t <= 1)
        {
            hold(&path->nodes[i]);
            continue;
        }
        if (!crossings)
        {
            m = take_marks(live, path);
        }
        uint32_t behind = go_round(live, path, i);
        if (behind)
        {
            ++crossings;
            i = behind;
        }
        else
        {
            hold(&path->nodes[i]);
        }
    }
    if (crossings)
    {
        put_marks(live, path, m);
    }
    return crossings;
}
