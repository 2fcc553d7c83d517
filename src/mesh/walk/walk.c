/* The straightest path over triangles (Polthier and Schmies, "Straightest Geodesics on Polyhedral Surfaces", 1998,
 * definition 4.1): straight inside a triangle and across an edge laid flat, and with equal angles to both sides at a
 * vertex.
 *
 * Each triangle is laid into the plane with the corner walked from at 0 and the next one on the positive x axis;
 * crossing an edge is then a half turn of the coordinates. All in double. Triangles that are flat to the tenth digit
 * are given a little height, so that a sliver is crossed like any other triangle.
 *
 * A straightest path keeps its angle to every vector carried along in parallel: the vector is taken apart against
 * direction, side and normal at the start and put together again at the end (definition 5.1). */
#include "mesh/corner.h"
#include "mesh/walk/lay.h"
#include "pleat/mesh.h"

/* Nearer to a vertex than this, in barycentric coordinates, the path goes through it: float positions do not tell the
 * two apart. */
#define AT_VERTEX 1e-6
/* The sine of the angle to a border below which the path runs along it. */
#define ALONG_BORDER 1e-6

enum
{
    TURN_LIMIT = 10000, /* triangles passed in one turn around a vertex */
    CHECK_STEPS = 4096, /* so often progress is checked */
    /* Sides of the laid triangle that the path cannot leave by, as bits; side i is opposite to corner i. */
    SIDE_ENTERED = 1 << 2,
    SIDES_AT_ORIGIN = 1 << 1 | 1 << 2
};

typedef struct state
{
    const pleat_walk *walk;
    pl_laid laid;
    double weight[3]; /* barycentric, in the order of the laid triangle */
    double x, y;      /* unit direction */
    double walked;
    int closed;
    uint32_t path_count;
} state;

/* ---- Places ---- */

static pleat_place place_of(const state *s)
{
    pleat_place place = {.triangle = s->laid.corner / 3};
    uint32_t first = s->laid.corner % 3;
    for (uint32_t i = 0; i < 3; ++i)
    {
        place.barycentric[(first + i) % 3] = (float)s->weight[i];
    }
    return place;
}

static void set_weights(state *s, double a, double b, double c)
{
    s->weight[0] = a > 0 ? a : 0;
    s->weight[1] = b > 0 ? b : 0;
    s->weight[2] = c > 0 ? c : 0;
    double sum = s->weight[0] + s->weight[1] + s->weight[2];
    for (int i = 0; i < 3; ++i)
    {
        s->weight[i] = sum > 0 ? s->weight[i] / sum : 1.0 / 3;
    }
}

/* False when the path has no room. */
static bool add_to_path(state *s)
{
    if (!s->walk->path)
    {
        return true;
    }
    if (s->path_count == s->walk->path_capacity)
    {
        return false;
    }
    s->walk->path[s->path_count++] = place_of(s);
    return true;
}

/* The vertex of the laid triangle that the path is at, or -1. */
static int vertex_at(const state *s)
{
    for (int i = 0; i < 3; ++i)
    {
        if (s->weight[i] >= 1 - AT_VERTEX)
        {
            return i;
        }
    }
    return -1;
}

static bool lay(state *s, uint32_t corner)
{
    return pl_lay(s->walk->topology->triangles, s->walk->positions, corner, &s->laid);
}

static bool has_twin(const state *s, uint32_t corner)
{
    return s->walk->topology->twin[corner] < PLEAT_NON_MANIFOLD;
}

/* ---- Vertices ---- */

/* Lays the triangle around the vertex of `corner` that holds the direction at this angle, counted counter-clockwise
 * from the corner's own edge, and points the path there. */
static pleat_walk_end turn_to(state *s, uint32_t corner, double angle)
{
    if (!lay(s, corner))
    {
        return PLEAT_WALK_STUCK;
    }
    for (uint32_t i = 0; i < TURN_LIMIT; ++i)
    {
        double opening = pl_laid_angle(&s->laid);
        if (angle >= 0 && angle <= opening)
        {
            s->x = cos(angle);
            s->y = sin(angle);
            set_weights(s, 1, 0, 0);
            s->closed = SIDES_AT_ORIGIN;
            return PLEAT_WALK_DONE;
        }
        bool left = angle > opening;
        uint32_t edge = left ? pl_corner_previous(s->laid.corner) : s->laid.corner;
        if (!has_twin(s, edge))
        {
            return PLEAT_WALK_BOUNDARY;
        }
        uint32_t across = s->walk->topology->twin[edge];
        if (!lay(s, left ? across : pl_corner_next(across)))
        {
            return PLEAT_WALK_STUCK;
        }
        angle = left ? angle - opening : angle + pl_laid_angle(&s->laid);
    }
    return PLEAT_WALK_STUCK;
}

/* The sum of angles around the vertex of a corner, or 0 where the fan is not closed or cannot be laid. */
static double angle_around(const state *s, uint32_t corner)
{
    const pleat_topology *topology = s->walk->topology;
    uint32_t vertex = topology->triangles[corner];
    if (topology->vertex_flags[vertex])
    {
        return 0;
    }
    double sum = 0;
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        pl_laid laid;
        if (!pl_lay(topology->triangles, s->walk->positions, topology->ring_corner[i], &laid))
        {
            return 0;
        }
        sum += pl_laid_angle(&laid);
    }
    return sum;
}

/* The direction as seen from a vertex i of the laid triangle: its angle against the edge that i owns. */
static double angle_at(const state *s, int i, double x, double y)
{
    double along_x, along_y;
    pl_laid_edge(&s->laid, i, &along_x, &along_y);
    return atan2(along_x * y - along_y * x, along_x * x + along_y * y);
}

/* Through a vertex with all around it: leaves opposite to where it came from, half the angle further. */
static pleat_walk_end pass_vertex(state *s, int i, double around)
{
    uint32_t corner = pl_laid_corner(&s->laid, i);
    double from = angle_at(s, i, -s->x, -s->y);
    return turn_to(s, corner, (from > 0 ? from : 0) + around / 2);
}

/* At the start on a vertex: the direction may lie in the plane of the start triangle but outside of it. Turns there the
 * shorter way, or where a border is in it, the longer. */
static pleat_walk_end start_at_vertex(state *s, int i)
{
    const double whole = 6.283185307179586;
    uint32_t corner = pl_laid_corner(&s->laid, i);
    double angle = angle_at(s, i, s->x, s->y);
    double right = angle < 0 ? angle : angle - whole;
    double left = angle < 0 ? angle + whole : angle;
    if (!lay(s, corner))
    {
        return PLEAT_WALK_STUCK;
    }
    bool left_first = left - pl_laid_angle(&s->laid) <= -right;
    pleat_walk_end end = turn_to(s, corner, left_first ? left : right);
    return end == PLEAT_WALK_BOUNDARY ? turn_to(s, corner, left_first ? right : left) : end;
}

/* ---- Steps ---- */

/* On a border and along it, as well as float directions can say: goes along it exactly, or rounding would end the path
 * there. */
static void hug_border(state *s)
{
    for (int i = 0; i < 3; ++i)
    {
        int from = (i + 1) % 3;
        if (s->weight[i] > AT_VERTEX || has_twin(s, pl_laid_corner(&s->laid, from)))
        {
            continue;
        }
        double edge_x, edge_y;
        pl_laid_edge(&s->laid, from, &edge_x, &edge_y);
        double inward = edge_x * s->y - edge_y * s->x;
        if (inward < 0 && inward > -ALONG_BORDER)
        {
            double sign = edge_x * s->x + edge_y * s->y < 0 ? -1 : 1;
            s->x = sign * edge_x;
            s->y = sign * edge_y;
            s->closed |= 1 << i;
            return;
        }
    }
}

/* Moves until the path leaves the triangle or ends. Gives the side it leaves by, -1 at the end, -2 where no side can be
 * reached. */
static int step_inside(state *s, double length)
{
    double rate[3];
    rate[2] = s->y / s->laid.y;
    rate[1] = (s->x - rate[2] * s->laid.x) / s->laid.length;
    rate[0] = -(rate[1] + rate[2]);
    for (int i = 0; i < 3; ++i)
    {
        if ((s->closed >> i & 1) && rate[i] < 0)
        {
            rate[i] = 0;
        }
    }
    int side = -2;
    double distance = INFINITY;
    for (int i = 0; i < 3; ++i)
    {
        if (rate[i] < 0 && s->weight[i] / -rate[i] < distance)
        {
            side = i;
            distance = s->weight[i] / -rate[i];
        }
    }
    if (side == -2)
    {
        return side;
    }
    double left = length - s->walked;
    if (distance >= left)
    {
        distance = left;
        side = -1;
    }
    double moved[3];
    for (int i = 0; i < 3; ++i)
    {
        moved[i] = i == side ? 0 : s->weight[i] + distance * rate[i];
    }
    set_weights(s, moved[0], moved[1], moved[2]);
    s->walked = side == -1 ? length : s->walked + distance;
    return side;
}

/* Into the triangle behind a side: the half turn. */
static pleat_walk_end cross_side(state *s, int side)
{
    int from = (side + 1) % 3, to = (side + 2) % 3;
    uint32_t corner = pl_laid_corner(&s->laid, from);
    if (!has_twin(s, corner))
    {
        return PLEAT_WALK_BOUNDARY;
    }
    double edge_x, edge_y;
    pl_laid_edge(&s->laid, from, &edge_x, &edge_y);
    double x = -(edge_x * s->x + edge_y * s->y);
    double y = -(edge_x * s->y - edge_y * s->x);
    double size = sqrt(x * x + y * y);
    double weight_from = s->weight[from], weight_to = s->weight[to];
    if (!lay(s, s->walk->topology->twin[corner]))
    {
        return PLEAT_WALK_STUCK;
    }
    s->x = x / size;
    s->y = y > 0 ? y / size : 0;
    s->closed = SIDE_ENTERED;
    set_weights(s, weight_to, weight_from, 0);
    return PLEAT_WALK_DONE;
}

/* From triangle to triangle until something ends the path. */
/* So many triangles may a walk cross, and no fewer than so many times those that there are: a length that leads around
 * and around a mesh, as where its edges are millionths of it, is no way that anybody meant. */
#define MOST_STEPS 16384u
#define MOST_TIMES 16u

static pleat_walk_end go(state *s, double length)
{
    uint64_t times = MOST_TIMES * (uint64_t)s->walk->topology->triangle_count;
    uint64_t most = times > MOST_STEPS ? times : MOST_STEPS;
    double checked = -INFINITY;
    for (uint64_t step = 0;; ++step)
    {
        if (step == most)
        {
            return PLEAT_WALK_STUCK;
        }
        if (step % CHECK_STEPS == 0)
        {
            if (!(s->walked > checked + 1e-12 * length))
            {
                return PLEAT_WALK_STUCK;
            }
            checked = s->walked;
        }
        double before = s->walked;
        hug_border(s);
        int side = step_inside(s, length);
        if (side < 0)
        {
            return side == -1 ? PLEAT_WALK_DONE : PLEAT_WALK_STUCK;
        }
        state here = *s;
        int vertex = vertex_at(s);
        double around = vertex >= 0 ? angle_around(s, pl_laid_corner(&s->laid, vertex)) : 0;
        pleat_walk_end end = around > 0 ? pass_vertex(s, vertex, around) : cross_side(s, side);
        if (end != PLEAT_WALK_DONE)
        {
            *s = here;
            return end;
        }
        if (here.walked > before && !add_to_path(&here))
        {
            *s = here;
            return PLEAT_WALK_FULL;
        }
        s->path_count = here.path_count;
    }
}

/* ---- In and out of space ---- */

/* Sets place and direction; false where the triangle or the direction in its plane has no size. */
static bool start(state *s, pl_frame *frame)
{
    const pleat_walk *walk = s->walk;
    uint32_t corner = walk->start.triangle * 3;
    double weight[3];
    for (int i = 0; i < 3; ++i)
    {
        weight[i] = isfinite(walk->start.barycentric[i]) ? (double)walk->start.barycentric[i] : 0;
    }
    set_weights(s, weight[0], weight[1], weight[2]);
    s->laid.corner = corner;
    if (!pl_frame_of(walk->topology->triangles, walk->positions, corner, frame) || !lay(s, corner))
    {
        return false;
    }
    double d[3] = {(double)walk->direction.x, (double)walk->direction.y, (double)walk->direction.z};
    s->x = pl_dot_d(d, frame->along);
    s->y = pl_dot_d(d, frame->side);
    double size = sqrt(s->x * s->x + s->y * s->y);
    if (!(size > 0 && size < INFINITY))
    {
        return false;
    }
    s->x /= size;
    s->y /= size;
    return true;
}

static void direction_in_space(const state *s, const pl_frame *frame, double out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = s->x * frame->along[i] + s->y * frame->side[i];
    }
}

static pleat_vec4 to_vec4(const double v[3])
{
    return (pleat_vec4){(float)v[0], (float)v[1], (float)v[2], 0};
}

pleat_walk_result pleat_walk_run(const pleat_walk *walk)
{
    pleat_walk_result result = {.end = PLEAT_WALK_STUCK, .place = walk->start, .end_vector = walk->vector};
    state s = {.walk = walk};
    pl_frame frame;
    if (walk->start.triangle >= walk->topology->triangle_count)
    {
        return result;
    }
    if (!start(&s, &frame))
    {
        result.place = place_of(&s);
        return result;
    }
    double direction[3], across[3];
    double vector[3] = {(double)walk->vector.x, (double)walk->vector.y, (double)walk->vector.z};
    direction_in_space(&s, &frame, direction);
    pl_cross_d(frame.normal, direction, across);
    double ahead = pl_dot_d(vector, direction), aside = pl_dot_d(vector, across);
    double above = pl_dot_d(vector, frame.normal);

    double length = walk->length > 0 ? (double)walk->length : 0;
    result.end = isfinite(length) ? PLEAT_WALK_DONE : PLEAT_WALK_STUCK;
    int vertex = vertex_at(&s);
    state here = s;
    if (result.end == PLEAT_WALK_DONE && length > 0 && vertex >= 0)
    {
        result.end = start_at_vertex(&s, vertex);
        s = result.end == PLEAT_WALK_DONE ? s : here;
    }
    if (!add_to_path(&s))
    {
        result.end = PLEAT_WALK_FULL;
    }
    else if (result.end == PLEAT_WALK_DONE && length > 0)
    {
        result.end = go(&s, length);
        if (result.end != PLEAT_WALK_FULL && !add_to_path(&s))
        {
            result.end = PLEAT_WALK_FULL;
        }
    }
    result.place = place_of(&s);
    result.walked = (float)s.walked;
    result.path_count = s.path_count;

    pl_frame_of(walk->topology->triangles, walk->positions, s.laid.corner, &frame);
    direction_in_space(&s, &frame, direction);
    pl_cross_d(frame.normal, direction, across);
    for (int i = 0; i < 3; ++i)
    {
        vector[i] = ahead * direction[i] + aside * across[i] + above * frame.normal[i];
    }
    result.end_direction = to_vec4(direction);
    result.end_vector = to_vec4(vector);
    return result;
}
