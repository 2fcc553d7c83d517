/* Shortest distances along a surface: vertices and windows in the order of rising distance. Windows (walk/window.c)
 * carry the straight ways; a way bends only at a vertex, where the angle around it is over a full turn or it is on a
 * border, and such a vertex sends out windows of its own (Mitchell, Mount and Papadimitriou, "The Discrete Geodesic
 * Problem", 1987, section 3). A piece of curve sends out parallel ways on both sides, its ends all ways. */
#include "mesh/walk/geodesic.h"

/* Within this of a vertex or edge, in barycentric coordinates, a source lies on it. */
#define ON_VERTEX 1e-6

/* ---- Waiting vertices ---- */

static bool comes_before(const pleat_geodesic *g, uint32_t a, uint32_t b)
{
    double x = g->labels[a].distance, y = g->labels[b].distance;
    return x < y || (x == y && a < b);
}

static void put(pleat_geodesic *g, uint32_t at, uint32_t vertex)
{
    g->waiting[at] = vertex;
    g->labels[vertex].heap_at = at;
}

static uint32_t take_vertex(pleat_geodesic *g)
{
    uint32_t first = g->waiting[0];
    uint32_t last = g->waiting[--g->waiting_count];
    g->labels[first].heap_at = PLEAT_NONE;
    uint32_t at = 0;
    for (;;)
    {
        uint32_t child = at * 2 + 1;
        if (child >= g->waiting_count)
        {
            break;
        }
        child += child + 1 < g->waiting_count && comes_before(g, g->waiting[child + 1], g->waiting[child]);
        if (!comes_before(g, g->waiting[child], last))
        {
            break;
        }
        put(g, at, g->waiting[child]);
        at = child;
    }
    if (g->waiting_count > 0)
    {
        put(g, at, last);
    }
    return first;
}

void pl_geodesic_offer(pleat_geodesic *g, uint32_t vertex, double distance, uint32_t source)
{
    pl_geodesic_label *label = &g->labels[vertex];
    if (!(distance < label->distance))
    {
        return;
    }
    /* Taken up again only for more than rounding, or two vertices could go on for ever. */
    bool matters = !(distance > label->distance * (1 - PL_GEODESIC_ROUNDING));
    label->distance = distance;
    label->source = source;
    uint32_t at = label->heap_at;
    if (at == PLEAT_NONE)
    {
        if (!matters)
        {
            return;
        }
        at = g->waiting_count++;
    }
    while (at > 0 && comes_before(g, vertex, g->waiting[(at - 1) / 2]))
    {
        put(g, at, g->waiting[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(g, at, vertex);
}

/* ---- From a vertex ---- */

static bool lay(const pleat_geodesic *g, uint32_t corner, pl_laid *laid)
{
    return pl_lay(g->topology->triangles, g->positions, corner, laid);
}

/* Ways from a vertex into all triangles around it. */
static void shine_from_vertex(pleat_geodesic *g, uint32_t v)
{
    const pleat_topology *topology = g->topology;
    pl_geodesic_label label = g->labels[v];
    for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
    {
        pl_laid laid;
        if (lay(g, topology->ring_corner[i], &laid))
        {
            pl_geodesic_shine(g, &laid, 1, 0, 0, label.distance, label.source);
        }
    }
}

/* True where a shortest way can bend. */
static bool can_bend(const pleat_geodesic *g, uint32_t v)
{
    const pleat_topology *topology = g->topology;
    if (topology->vertex_flags[v])
    {
        return true;
    }
    double sum = 0;
    for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
    {
        pl_laid laid;
        sum += lay(g, topology->ring_corner[i], &laid) ? pl_laid_angle(&laid) : 0;
    }
    return sum > 6.283185307179586 + 1e-9;
}

/* Along the edges: never too short, and a bound that ends most windows early. */
static void spread(pleat_geodesic *g, uint32_t v)
{
    const pleat_topology *topology = g->topology;
    pl_geodesic_label label = g->labels[v];
    for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
    {
        uint32_t corner = topology->ring_corner[i];
        double next[3], previous[3];
        pl_edges_at(topology->triangles, g->positions, corner, next, previous);
        pl_geodesic_offer(g, topology->triangles[pl_corner_next(corner)], label.distance + sqrt(pl_dot_d(next, next)),
                          label.source);
        pl_geodesic_offer(g, topology->triangles[pl_corner_previous(corner)],
                          label.distance + sqrt(pl_dot_d(previous, previous)), label.source);
    }
    if (can_bend(g, v))
    {
        shine_from_vertex(g, v);
    }
}

/* ---- Sources ---- */

/* A point of a laid triangle. */
typedef struct laid_point
{
    double x, y;
    bool valid;
} laid_point;

/* The place in space, in the plane of a laid triangle that holds it. */
static laid_point locate(const pleat_geodesic *g, const pl_laid *laid, const pleat_place *place)
{
    const uint32_t *triangles = g->topology->triangles;
    const pleat_vec4 *origin = &g->positions[triangles[laid->corner]];
    double p[3] = {0, 0, 0}, sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const pleat_vec4 *corner = &g->positions[triangles[place->triangle * 3 + k]];
        double weight = (double)place->barycentric[k];
        p[0] += weight * ((double)corner->x - (double)origin->x);
        p[1] += weight * ((double)corner->y - (double)origin->y);
        p[2] += weight * ((double)corner->z - (double)origin->z);
        sum += weight;
    }
    pl_frame frame;
    pl_frame_of(triangles, g->positions, laid->corner, &frame);
    laid_point point = {pl_dot_d(p, frame.along) / sum, pl_dot_d(p, frame.side) / sum, false};
    point.valid = isfinite(point.x) && isfinite(point.y);
    return point;
}

/* Distances from a point to the corners of the triangle that it lies in, and ways over its edges but `except`. */
static void shine_in_triangle(pleat_geodesic *g, const pl_laid *laid, laid_point p, int except, double base,
                              uint32_t source)
{
    const double x[3] = {0, laid->length, laid->x}, y[3] = {0, 0, laid->y};
    for (int i = 0; i < 3; ++i)
    {
        double dx = p.x - x[i], dy = p.y - y[i];
        pl_geodesic_offer(g, g->topology->triangles[pl_laid_corner(laid, i)], base + sqrt(dx * dx + dy * dy), source);
    }
    for (int i = 0; i < 3; ++i)
    {
        if (i != except)
        {
            pl_geodesic_shine(g, laid, i, p.x, p.y, base, source);
        }
    }
}

static void add_point(pleat_geodesic *g, uint32_t source, const pleat_geodesic_source *s)
{
    const float *b = s->place.barycentric;
    double sum = (double)b[0] + (double)b[1] + (double)b[2];
    int on_edge = -1;
    if (!(sum > 0))
    {
        return;
    }
    for (int k = 0; k < 3; ++k)
    {
        uint32_t corner = s->place.triangle * 3 + (uint32_t)k;
        if ((double)b[k] >= (1 - ON_VERTEX) * sum)
        {
            uint32_t v = g->topology->triangles[corner];
            pl_geodesic_offer(g, v, (double)s->distance, source);
            if (g->labels[v].source == source)
            {
                shine_from_vertex(g, v);
            }
            return;
        }
        on_edge = (double)b[k] <= ON_VERTEX * sum ? (k + 1) % 3 : on_edge;
    }
    pl_laid laid;
    if (!lay(g, s->place.triangle * 3, &laid))
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_geodesic_offer(g, g->topology->triangles[s->place.triangle * 3 + k], (double)s->distance, source);
        }
        return;
    }
    laid_point p = locate(g, &laid, &s->place);
    if (!p.valid)
    {
        return;
    }
    shine_in_triangle(g, &laid, p, on_edge, (double)s->distance, source);
    uint32_t twin = on_edge < 0 ? PLEAT_BOUNDARY : g->topology->twin[s->place.triangle * 3 + (uint32_t)on_edge];
    if (twin < PLEAT_NON_MANIFOLD && lay(g, twin, &laid))
    {
        /* From the other side of its edge, which is edge 0 there, run through backwards. */
        double along = (double)b[on_edge] / ((double)b[on_edge] + (double)b[(on_edge + 1) % 3]);
        p = (laid_point){along * laid.length, 0, true};
        shine_in_triangle(g, &laid, p, 0, (double)s->distance, source);
    }
}

/* A piece of curve in a laid triangle. Its ways leave it at the angle at which the given distances change along it. */
typedef struct piece
{
    laid_point from, to;
    double along_x, along_y; /* unit */
    double length;
    double base;  /* distance at from */
    double slope; /* change along it, in -1..1 */
} piece;

/* The distance of a point beside the piece; false for one that no way of its own reaches. */
static bool beside(const piece *p, double x, double y, double *distance)
{
    double dx = x - p->from.x, dy = y - p->from.y;
    double along = dx * p->along_x + dy * p->along_y;
    double across = fabs(p->along_x * dy - p->along_y * dx);
    double steep = sqrt(1 - p->slope * p->slope);
    double start = along - across * p->slope / steep;
    *distance = p->base + along * p->slope + across * steep;
    return start >= 0 && start <= p->length;
}

/* The ways to one side (1 left, -1 right) of the piece over laid edge i. */
static void shine_beside(pleat_geodesic *g, const pl_laid *laid, const piece *p, int i, double side, uint32_t source)
{
    uint32_t twin = g->topology->twin[pl_laid_corner(laid, i)];
    if (twin >= PLEAT_NON_MANIFOLD)
    {
        return;
    }
    double steep = sqrt(1 - p->slope * p->slope) * side;
    double way_x = p->slope * p->along_x - steep * p->along_y;
    double way_y = p->slope * p->along_y + steep * p->along_x;
    const double x[3] = {0, laid->length, laid->x}, y[3] = {0, 0, laid->y};
    /* The edge's frame as its twin sees it: from its end to its start. */
    int end = (i + 1) % 3;
    double edge_x = x[i] - x[end], edge_y = y[i] - y[end];
    double length = sqrt(edge_x * edge_x + edge_y * edge_y);
    edge_x /= length;
    edge_y /= length;
    double out = edge_x * way_y - edge_y * way_x;
    double ahead = edge_x * way_x + edge_y * way_y;
    if (!(out > 1e-9))
    {
        return;
    }
    /* The ends of the piece, carried along the way onto the edge. */
    double met[2];
    const laid_point ends[2] = {p->from, p->to};
    for (int k = 0; k < 2; ++k)
    {
        double dx = ends[k].x - x[end], dy = ends[k].y - y[end];
        double below = edge_x * dy - edge_y * dx;
        met[k] = edge_x * dx + edge_y * dy - below * ahead / out;
    }
    double base = p->base + (x[end] - p->from.x) * way_x + (y[end] - p->from.y) * way_y;
    pl_geodesic_add_window(g, (pl_window){.from = met[0] < met[1] ? met[0] : met[1],
                                          .to = met[0] < met[1] ? met[1] : met[0],
                                          .x = ahead,
                                          .y = out,
                                          .base = base,
                                          .corner = twin,
                                          .source = source,
                                          .parallel = true});
}

static void add_piece(pleat_geodesic *g, uint32_t source, const pleat_geodesic_source *s)
{
    pl_laid laid;
    if (!lay(g, s->place.triangle * 3, &laid))
    {
        return;
    }
    piece p = {.from = locate(g, &laid, &s[-1].place), .to = locate(g, &laid, &s->place)};
    p.along_x = p.to.x - p.from.x;
    p.along_y = p.to.y - p.from.y;
    p.length = sqrt(p.along_x * p.along_x + p.along_y * p.along_y);
    p.base = (double)s[-1].distance;
    p.slope = ((double)s->distance - p.base) / p.length;
    if (!p.from.valid || !p.to.valid || !(p.length > 0) || !(fabs(p.slope) < 0.999999))
    {
        return;
    }
    p.along_x /= p.length;
    p.along_y /= p.length;
    const double x[3] = {0, laid.length, laid.x}, y[3] = {0, 0, laid.y};
    for (int i = 0; i < 3; ++i)
    {
        double distance;
        if (beside(&p, x[i], y[i], &distance))
        {
            pl_geodesic_offer(g, g->topology->triangles[pl_laid_corner(&laid, i)], distance, source);
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        shine_beside(g, &laid, &p, i, 1, source);
        shine_beside(g, &laid, &p, i, -1, source);
    }
}

static void add_sources(pleat_geodesic *g, uint32_t count, const pleat_geodesic_source *sources)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (sources[i].place.triangle >= g->topology->triangle_count)
        {
            continue;
        }
        add_point(g, i, &sources[i]);
        if (i > 0 && sources[i].joined && sources[i - 1].place.triangle < g->topology->triangle_count)
        {
            add_piece(g, i, &sources[i]);
        }
    }
}

/* ---- The object ---- */

static void reset(pleat_geodesic *g)
{
    for (uint32_t v = 0; v < g->topology->vertex_count; ++v)
    {
        g->labels[v] = (pl_geodesic_label){INFINITY, PLEAT_NONE, PLEAT_NONE};
    }
    for (uint32_t c = 0; c < 3 * g->topology->triangle_count; ++c)
    {
        g->best[c] = (pl_geodesic_best){.distance = INFINITY};
    }
    g->waiting_count = 0;
    g->window_count = 0;
    g->out_of_memory = false;
}

static void fill(const pleat_geodesic *g, float radius, float *distances, uint32_t *nearest)
{
    for (uint32_t v = 0; v < g->topology->vertex_count; ++v)
    {
        float distance = (float)g->labels[v].distance;
        bool within = distance <= radius && distance < INFINITY;
        distances[v] = within ? distance : INFINITY;
        if (nearest)
        {
            nearest[v] = within ? g->labels[v].source : PLEAT_NONE;
        }
    }
}

pleat_result pleat_geodesic_distances(pleat_geodesic *geodesic, const pleat_vec4 *positions, uint32_t source_count,
                                      const pleat_geodesic_source *sources, float radius, float *distances,
                                      uint32_t *nearest, pleat_error *error)
{
    pleat_geodesic *g = geodesic;
    g->positions = positions;
    g->radius = (double)radius;
    reset(g);
    add_sources(g, source_count, sources);
    while (!g->out_of_memory)
    {
        double vertex = g->waiting_count > 0 ? g->labels[g->waiting[0]].distance : INFINITY;
        double window = g->window_count > 0 ? g->windows[0].key : INFINITY;
        if (!(vertex <= g->radius) && !(window <= g->radius))
        {
            break;
        }
        if (window < vertex)
        {
            pl_geodesic_step(g);
        }
        else if (g->waiting_count > 0)
        {
            spread(g, take_vertex(g));
        }
        else
        {
            break;
        }
    }
    if (g->out_of_memory)
    {
        return pl_fail_memory(&g->memory, error, "windows of geodesic distances");
    }
    fill(g, radius, distances, nearest);
    return PLEAT_OK;
}

pleat_result pleat_geodesic_create(const pleat_topology *topology, const pleat_host *host, pleat_geodesic **geodesic,
                                   pleat_error *error)
{
    *geodesic = NULL;
    pleat_geodesic *made = PL_CREATE(pleat_geodesic, host);
    if (!made)
    {
        pl_memory memory = pl_memory_from(host);
        memory.over_limit = sizeof *made > memory.limit;
        return pl_fail_memory(&memory, error, "geodesic distances");
    }
    pleat_result result = PLEAT_OK;
    made->topology = topology;
    /* Around one vertex ways may turn without getting farther; beyond that they run in circles over slivers. */
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        uint32_t ring = topology->ring_start[v + 1] - topology->ring_start[v];
        made->stall_limit = ring > made->stall_limit ? ring : made->stall_limit;
    }
    made->stall_limit += 64;
    size_t corner_count = (size_t)topology->triangle_count * 3;
    PL_NEW_OR_FAIL(made->labels, &made->memory, pl_geodesic_label, topology->vertex_count, error);
    PL_NEW_OR_FAIL(made->waiting, &made->memory, uint32_t, topology->vertex_count, error);
    PL_NEW_OR_FAIL(made->best, &made->memory, pl_geodesic_best, corner_count, error);
    *geodesic = made;
    return PLEAT_OK;
fail:
    pleat_geodesic_destroy(made);
    return result;
}

void pleat_geodesic_destroy(pleat_geodesic *geodesic)
{
    if (!geodesic)
    {
        return;
    }
    pl_free(&geodesic->memory, geodesic->labels);
    pl_free(&geodesic->memory, geodesic->waiting);
    pl_free(&geodesic->memory, geodesic->best);
    pl_free(&geodesic->memory, geodesic->windows);
    PL_DESTROY(geodesic);
}
