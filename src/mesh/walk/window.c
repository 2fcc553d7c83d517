/* Windows: exact shortest ways over triangles, unfolded (Chen and Han, "Shortest Paths on a Polyhedron", 1990, with the
 * order and the filter of Xin and Wang, "Improving Chen and Han's Algorithm on the Discrete Geodesic Problem", 2009).
 */
#include "mesh/walk/geodesic.h"

/* A point or direction of the plane. */
typedef struct flat
{
    double x, y;
} flat;

static double cross2(flat a, flat b)
{
    return a.x * b.y - a.y * b.x;
}

static flat minus(flat a, flat b)
{
    return (flat){a.x - b.x, a.y - b.y};
}

static double distance_at(const pl_window *w, double along)
{
    if (w->parallel)
    {
        return w->base + w->x * along;
    }
    double dx = along - w->x;
    return w->base + sqrt(dx * dx + w->y * w->y);
}

static double least_on(const pl_window *w)
{
    double a = distance_at(w, w->from), b = distance_at(w, w->to);
    if (!w->parallel && w->x > w->from && w->x < w->to)
    {
        return w->base - w->y;
    }
    return a < b ? a : b;
}

/* ---- The heap ---- */

static void sift_up(pl_window *heap, uint32_t at, const pl_window *w)
{
    while (at > 0 && w->key < heap[(at - 1) / 2].key)
    {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = *w;
}

static pl_window take_first(pleat_geodesic *g)
{
    pl_window *heap = g->windows;
    pl_window first = heap[0];
    uint32_t count = --g->window_count;
    pl_window last = heap[count];
    uint32_t at = 0;
    for (;;)
    {
        uint32_t child = at * 2 + 1;
        if (child >= count)
        {
            break;
        }
        child += child + 1 < count && heap[child + 1].key < heap[child].key;
        if (!(heap[child].key < last.key))
        {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* No shortest way passes a window whose far end is reached sooner from an end of the edge (Xin and Wang, theorem 3.2).
 */
static bool is_useless(const pleat_geodesic *g, const pl_window *w, double length)
{
    const uint32_t *triangles = g->topology->triangles;
    double first = g->labels[triangles[w->corner]].distance;
    double second = g->labels[triangles[pl_corner_next(w->corner)]].distance;
    double at_from = distance_at(w, w->from), at_to = distance_at(w, w->to);
    return first + w->to < at_to * (1 - PL_GEODESIC_ROUNDING) ||
           second + (length - w->from) < at_from * (1 - PL_GEODESIC_ROUNDING);
}

/* Room for one more. */
static bool make_room(pleat_geodesic *g)
{
    if (g->window_count < g->window_capacity)
    {
        return true;
    }
    uint32_t capacity = g->window_capacity < 256 ? 256 : g->window_capacity * 2;
    pl_window *grown =
        g->window_capacity < UINT32_MAX / 2 ? pl_realloc(&g->memory, g->windows, capacity, sizeof *grown) : NULL;
    if (!grown)
    {
        g->out_of_memory = true;
        return false;
    }
    g->windows = grown;
    g->window_capacity = capacity;
    return true;
}

bool pl_geodesic_add_window(pleat_geodesic *g, pl_window window)
{
    pl_laid laid;
    if (!pl_lay(g->topology->triangles, g->positions, window.corner, &laid))
    {
        return false;
    }
    window.from = window.from > 0 ? window.from : 0;
    window.to = window.to < laid.length ? window.to : laid.length;
    double width = (window.to - window.from) / laid.length;
    if (!(width > 1e-9))
    {
        return false;
    }
    double before = window.key;
    window.y = window.parallel || window.y < 0 ? window.y : 0;
    window.key = least_on(&window);
    window.stall = window.key > before * (1 + PL_GEODESIC_ROUNDING) ? 0 : window.stall + 1;
    if (window.key <= g->radius && window.stall < g->stall_limit && !is_useless(g, &window, laid.length) &&
        make_room(g))
    {
        sift_up(g->windows, g->window_count++, &window);
    }
    return width > 1e-6;
}

/* ---- Going on ---- */

static flat laid_point(const pl_laid *laid, int i)
{
    return i == 0 ? (flat){0, 0} : i == 1 ? (flat){laid->length, 0} : (flat){laid->x, laid->y};
}

/* Where the way over `at` on the x axis meets the edge of length `length` from `origin` along `along`. */
static double meet(const pl_window *w, double at, flat origin, flat along, double length)
{
    flat through = {at, 0};
    flat way = w->parallel ? (flat){w->x, w->y} : minus(through, (flat){w->x, w->y});
    double turn = cross2(way, along);
    double t = cross2(way, minus(through, origin)) / turn;
    return !(t > 0) ? 0 : t < length ? t : length;
}

/* Ways of w, which enter the laid triangle over its edge 0, go on over edge i (1 or 2): those between the ways over
 * from and to. whole_from, whole_to: up to the end of the edge, where the vertex opposite lies between them. */
static bool go_on(pleat_geodesic *g, const pl_laid *laid, const pl_window *w, int i, bool from_vertex, bool to_vertex)
{
    uint32_t twin = g->topology->twin[pl_laid_corner(laid, i)];
    if (twin >= PLEAT_NON_MANIFOLD)
    {
        return true;
    }
    /* The twin runs the other way: from the end of edge i to its start. */
    flat origin = laid_point(laid, (i + 1) % 3);
    flat end = laid_point(laid, i);
    flat along = minus(end, origin);
    double length = sqrt(along.x * along.x + along.y * along.y);
    along.x /= length;
    along.y /= length;
    pl_window next = *w;
    next.corner = twin;
    /* Over edge 2 (to the left) the way over w->from meets nearer to corner 0, the twin's origin; over edge 1 nearer to
     * corner 2, its origin again. */
    next.from = from_vertex ? 0 : meet(w, w->from, origin, along, length);
    next.to = to_vertex ? length : meet(w, w->to, origin, along, length);
    flat point = {w->x, w->y};
    if (w->parallel)
    {
        next.base = w->base + w->x * origin.x + w->y * origin.y;
    }
    else
    {
        point = minus(point, origin);
    }
    next.x = point.x * along.x + point.y * along.y;
    next.y = cross2(along, point);
    return pl_geodesic_add_window(g, next);
}

/* True for a step to the left of a way, by more than rounding: a vertex right behind another belongs to the windows on
 * both sides of it, or rounding could take it from both. */
static bool lies_left(flat way, flat step)
{
    double size = (fabs(way.x) + fabs(way.y)) * (fabs(step.x) + fabs(step.y));
    return cross2(way, step) > 1e-7 * size;
}

static double distance_to_vertex(const pl_window *w, const pl_laid *laid)
{
    if (w->parallel)
    {
        return w->base + w->x * laid->x + w->y * laid->y;
    }
    double dx = laid->x - w->x, dy = laid->y - w->y;
    return w->base + sqrt(dx * dx + dy * dy);
}

/* The vertex opposite lies between the ways of w. Only the best way to it through this triangle goes on at both sides
 * of it: of two that meet there, the longer one is the shortest nowhere behind the shorter (Chen and Han's one angle,
 * one split). Of equal ones each goes on at its own side. Where equal ones coincide, since their windows end at the
 * vertex or one way bends on the other, each side is gone to once, by the way that is straight for longer. */
static void pass_vertex(pleat_geodesic *g, const pl_laid *laid, const pl_window *w)
{
    double distance = distance_to_vertex(w, laid);
    double bend = w->parallel ? -INFINITY : w->base;
    double rise = laid->y - w->y;
    double crossing = w->parallel ? laid->x - laid->y * w->x / w->y
                      : rise > 0  ? w->x - (laid->x - w->x) * w->y / rise
                                  : laid->x;
    pl_geodesic_offer(g, g->topology->triangles[pl_corner_previous(w->corner)], distance, w->source);
    pl_geodesic_best *best = &g->best[w->corner];
    double rounding = PL_GEODESIC_ROUNDING * distance;
    bool shorter = !(distance >= best->distance - rounding);
    bool longer = distance > best->distance + rounding;
    bool same = !shorter && !longer && fabs(crossing - best->crossing) <= 1e-6 * laid->length;
    if (shorter || (same && bend < best->bend - rounding))
    {
        *best = (pl_geodesic_best){distance, crossing, bend, false, false};
        same = true;
    }
    if (same ? !best->went_left : crossing < best->crossing)
    {
        best->went_left |= go_on(g, laid, w, 2, false, true) && same;
    }
    if (same ? !best->went_right : crossing > best->crossing)
    {
        best->went_right |= go_on(g, laid, w, 1, true, false) && same;
    }
}

void pl_geodesic_step(pleat_geodesic *g)
{
    pl_window w = take_first(g);
    pl_laid laid;
    if (!pl_lay(g->topology->triangles, g->positions, w.corner, &laid) || is_useless(g, &w, laid.length))
    {
        return;
    }
    flat vertex = {laid.x, laid.y};
    flat point = {w.x, w.y};
    flat first = w.parallel ? point : minus((flat){w.from, 0}, point);
    flat last = w.parallel ? point : minus((flat){w.to, 0}, point);
    bool left_of_first = lies_left(first, minus(vertex, (flat){w.from, 0}));
    bool right_of_last = lies_left((flat){-last.x, -last.y}, minus(vertex, (flat){w.to, 0}));
    if (left_of_first)
    {
        go_on(g, &laid, &w, 1, false, false);
        return;
    }
    if (right_of_last)
    {
        go_on(g, &laid, &w, 2, false, false);
        return;
    }
    pass_vertex(g, &laid, &w);
}

void pl_geodesic_shine(pleat_geodesic *g, const pl_laid *laid, int i, double x, double y, double base, uint32_t source)
{
    uint32_t twin = g->topology->twin[pl_laid_corner(laid, i)];
    if (twin >= PLEAT_NON_MANIFOLD)
    {
        return;
    }
    flat origin = laid_point(laid, (i + 1) % 3);
    flat along = minus(laid_point(laid, i), origin);
    double length = sqrt(along.x * along.x + along.y * along.y);
    along.x /= length;
    along.y /= length;
    flat point = minus((flat){x, y}, origin);
    pl_geodesic_add_window(g, (pl_window){.to = length,
                                          .x = point.x * along.x + point.y * along.y,
                                          .y = cross2(along, point),
                                          .base = base,
                                          .corner = twin,
                                          .source = source});
}
