/* New paths, and longer ones: walks over triangles along the directions in which wrinkles run.
 *
 * R. Gillette, 2015, sec. 5.1. Each triangle has one direction, without a sign: it is oriented to the way that was
 * come. Against the thesis a path also keeps some of its way, the more the less clear the direction of a triangle is;
 * and one that would turn back into the triangle that it comes from (in a fifth of all steps) goes straight on. */
#include "layers/live/live.h"

#include <string.h>

/* How much the way so far counts; a direction counts by 1 - the smallest stretch over the largest. */
static const float INERTIA = 0.2f;
/* A path enters a triangle at an angle of at least this sine to the edge. */
static const float ENTRY = 0.1f;
/* Nodes keep this share of the edge between them and its ends. */
static const float OFF_END = 0.01f;

typedef struct walker
{
    uint32_t triangle;
    pl_f4 place, way; /* way: unit, in the triangle's plane */
} walker;

/* The direction inwards from an edge of a triangle: unit, in its plane, perpendicular to the edge. */
static pl_f4 inward(const pl_f4 corner[3], uint32_t k)
{
    pl_f4 along = pl_normalize3(corner[(k + 1) % 3] - corner[k]), across = corner[(k + 2) % 3] - corner[k];
    return pl_normalize3(across - along * pl_splat(pl_dot3(across, along)));
}

static bool usable(const pleat_live *live, uint32_t triangle)
{
    return live->field[triangle].compression > 0 && pl_live_open(live, triangle);
}

/* Walks to the border of the triangle. entry: the corner of the edge that it came through, or PLEAT_NONE. Returns the
 * corner of the edge that it leaves by, PLEAT_NONE if there is none. */
static uint32_t leave(const pleat_live *live, walker *w, uint32_t entry, float *t)
{
    pl_f4 x[3];
    uint32_t best = PLEAT_NONE;
    float soonest = INFINITY;
    pl_live_corners(live, w->triangle, x);
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 in = inward(x, k);
        float rate = pl_dot3(in, w->way);
        if (3 * w->triangle + k == entry || !(rate < 0))
        {
            continue;
        }
        float time = fmaxf(pl_dot3(in, w->place - x[k]), 0) / -rate;
        if (time < soonest)
        {
            soonest = time;
            best = k;
        }
    }
    if (best == PLEAT_NONE)
    {
        return PLEAT_NONE;
    }
    pl_f4 edge = x[(best + 1) % 3] - x[best];
    *t = pl_dot3(w->place + w->way * pl_splat(soonest) - x[best], edge) / pl_dot3(edge, edge);
    *t = fminf(fmaxf(*t, OFF_END), 1 - OFF_END);
    w->place = x[best] + edge * pl_splat(*t);
    return 3 * w->triangle + best;
}

/* The way in the next triangle: straight on over the edge, then drawn to the triangle's own direction. */
static bool cross_edge(const pleat_live *live, walker *w, uint32_t corner)
{
    uint32_t twin = live->topology->twin[corner];
    if (twin >= PLEAT_NON_MANIFOLD || !usable(live, twin / 3))
    {
        return false;
    }
    pl_f4 x[3];
    w->triangle = twin / 3;
    pl_live_corners(live, w->triangle, x);
    pl_f4 edge = pl_normalize3(x[(twin % 3 + 1) % 3] - x[twin % 3]), in = inward(x, twin % 3);
    float along = pl_dot3(w->way, edge);
    pl_f4 straight = edge * pl_splat(along) + in * pl_splat(sqrtf(fmaxf(1 - along * along, 0)));
    const pleat_live_tensor *tensor = &live->field[w->triangle];
    pl_f4 own = pl_load3(&tensor->along);
    float weight = (pl_dot3(own, straight) < 0 ? -1 : 1) * (1 - tensor->narrow);
    pl_f4 way = pl_normalize3(own * pl_splat(weight) + straight * pl_splat(INERTIA));
    w->way = pl_dot3(way, in) > ENTRY ? way : straight;
    return pl_dot3(w->way, in) > 0;
}

static pl_live_node node_at(const pleat_live *live, uint32_t corner, float t)
{
    uint32_t edge = live->topology->corner_edge[corner];
    return (pl_live_node){edge, live->topology->edge_corner[edge] == corner ? t : 1 - t};
}

static bool passes(const pl_live_path *path, uint32_t triangle)
{
    for (uint32_t i = 0; i + 1 < path->count; ++i)
    {
        if (path->triangles[i] == triangle)
        {
            return true;
        }
    }
    return false;
}

/* Appends nodes until compression ends; one triangle more, as the end may lie in it. corner: of the edge that the path
 * has reached. */
static void run_on(const pleat_live *live, walker *w, uint32_t corner, pl_live_path *path)
{
    while (path->count < PL_LIVE_NODES && cross_edge(live, w, corner) && !passes(path, w->triangle))
    {
        float t;
        corner = leave(live, w, live->topology->twin[corner], &t);
        if (corner == PLEAT_NONE)
        {
            return;
        }
        path->triangles[path->count - 1] = w->triangle;
        path->nodes[path->count++] = node_at(live, corner, t);
        if (live->field[w->triangle].compression < live->options.tau)
        {
            return;
        }
    }
}

static void turn_round(pl_live_path *path)
{
    for (uint32_t i = 0, j = path->count - 1; i < j; ++i, --j)
    {
        pl_live_node node = path->nodes[i];
        path->nodes[i] = path->nodes[j];
        path->nodes[j] = node;
    }
    for (uint32_t i = 0, j = path->count - 2; path->count > 1 && i < j; ++i, --j)
    {
        uint32_t triangle = path->triangles[i];
        path->triangles[i] = path->triangles[j];
        path->triangles[j] = triangle;
    }
    float last = (float)(path->count - 1), begin = path->begin, lowest = path->lowest;
    path->begin = last - path->end;
    path->end = last - begin;
    path->lowest = last - path->uppermost;
    path->uppermost = last - lowest;
}

/* One step of smoothing: each node moves along its edge to where the straightest way from the node before to the next
 * crosses it, with both triangles laid flat. */
static void smooth(const pleat_live *live, pl_live_path *path)
{
    pl_f4 before = pl_live_node_place(live, path->nodes[0]);
    for (uint32_t i = 1; i + 1 < path->count; ++i)
    {
        uint32_t corner = live->topology->edge_corner[path->nodes[i].edge];
        pl_f4 start = pl_load(&live->now[live->topology->triangles[corner]]);
        pl_f4 end = pl_load(&live->now[live->topology->triangles[corner % 3 == 2 ? corner - 2 : corner + 1]]);
        pl_f4 after = pl_live_node_place(live, path->nodes[i + 1]), edge = end - start;
        float squared = pl_dot3(edge, edge);
        float t0 = pl_dot3(before - start, edge) / squared, t1 = pl_dot3(after - start, edge) / squared;
        float h0 = pl_length3(before - start - edge * pl_splat(t0)),
              h1 = pl_length3(after - start - edge * pl_splat(t1));
        before = pl_live_node_place(live, path->nodes[i]);
        if (h0 + h1 > 0)
        {
            path->nodes[i].t = fminf(fmaxf((t0 * h1 + t1 * h0) / (h0 + h1), OFF_END), 1 - OFF_END);
        }
    }
}

void pl_live_trace(const pleat_live *live, const pleat_place *seed, pl_live_path *path)
{
    const pleat_live_tensor *tensor = &live->field[seed->triangle];
    pl_f4 x[3];
    float t;
    pl_live_corners(live, seed->triangle, x);
    walker start = {seed->triangle,
                    x[0] * pl_splat(seed->barycentric[0]) + x[1] * pl_splat(seed->barycentric[1]) +
                        x[2] * pl_splat(seed->barycentric[2]),
                    pl_load3(&tensor->along)};
    walker back = start, forth = start;
    back.way = -start.way;
    uint32_t back_corner = leave(live, &back, PLEAT_NONE, &t);
    path->count = 0;
    if (back_corner == PLEAT_NONE)
    {
        return;
    }
    path->nodes[path->count++] = node_at(live, back_corner, t);
    uint32_t forth_corner = leave(live, &forth, back_corner, &t);
    if (forth_corner == PLEAT_NONE)
    {
        path->count = 0;
        return;
    }
    path->triangles[0] = seed->triangle;
    path->nodes[path->count++] = node_at(live, forth_corner, t);
    run_on(live, &forth, forth_corner, path);
    turn_round(path);
    run_on(live, &back, back_corner, path);
    turn_round(path);
    smooth(live, path);
    path->lowest = 0;
    path->uppermost = (float)(path->count - 1);
    path->begin = 0;
    path->end = path->uppermost;
}

/* The corner, in a triangle, of an edge. */
static uint32_t corner_of(const pleat_live *live, uint32_t triangle, uint32_t edge)
{
    for (uint32_t k = 0; k < 2; ++k)
    {
        if (live->topology->corner_edge[3 * triangle + k] == edge)
        {
            return 3 * triangle + k;
        }
    }
    return 3 * triangle + 2;
}

bool pl_live_extend(const pleat_live *live, pl_live_path *path, bool front)
{
    if (path->count == PL_LIVE_NODES)
    {
        return false;
    }
    if (front)
    {
        turn_round(path);
    }
    uint32_t last = path->count - 1, triangle = path->triangles[last - 1];
    uint32_t corner = corner_of(live, triangle, path->nodes[last].edge);
    walker w = {
        triangle, pl_live_node_place(live, path->nodes[last]),
        pl_normalize3(pl_live_node_place(live, path->nodes[last]) - pl_live_node_place(live, path->nodes[last - 1]))};
    bool longer = false;
    float t;
    if (cross_edge(live, &w, corner) && !passes(path, w.triangle))
    {
        corner = leave(live, &w, live->topology->twin[corner], &t);
        longer = corner != PLEAT_NONE;
    }
    if (longer)
    {
        bool free_end = path->uppermost >= (float)last;
        path->triangles[last] = w.triangle;
        path->nodes[path->count++] = node_at(live, corner, t);
        path->uppermost = free_end ? (float)(last + 1) : path->uppermost;
    }
    if (front)
    {
        turn_round(path);
    }
    return longer;
}
