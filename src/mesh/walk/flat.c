#include "mesh/walk/flat.h"

#include "mesh/corner.h"

#include <assert.h>

enum
{
    CROSSINGS_MOST = 4096, /* edges in one move */
    APPROACH_ROUNDS = 8
};

/* ---- Laying ---- */

static pl_flat_triangle lay_flat(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t t)
{
    const uint32_t *corner = topology->triangles + 3 * (size_t)t;
    pl_f4 origin = pl_load(&positions[corner[0]]);
    pl_f4 u = pl_load(&positions[corner[1]]) - origin, v = pl_load(&positions[corner[2]]) - origin;
    double a = sqrt((double)pl_dot3(u, u)), doubled_area = (double)pl_length3(pl_cross(u, v));
    double longest = fmax(fmax(a, (double)pl_length3(v)), (double)pl_length3(v - u));
    if (!(longest > 0 && longest < INFINITY) || topology->corner_edge[3 * (size_t)t] == PLEAT_NONE)
    {
        return (pl_flat_triangle){0, 0, 0, 0};
    }
    double least = 1e-5 * longest;
    pl_flat_triangle out = {.area = doubled_area > 1e-6 * longest * longest ? (float)(0.5 * doubled_area) : 0};
    if (a < least)
    {
        return (pl_flat_triangle){(float)least, 0, (float)longest, 0};
    }
    out.x1 = (float)a;
    out.x2 = (float)((double)pl_dot3(u, v) / a);
    out.y2 = (float)fmax(doubled_area / a, least);
    return out;
}

/* The unit direction of the edge that corner k of a laid triangle owns. */
static void edge_direction(const pl_flat_triangle *laid, uint32_t k, double *x, double *y)
{
    *x = k == 0 ? (double)laid->x1 : k == 1 ? (double)laid->x2 - (double)laid->x1 : -(double)laid->x2;
    *y = k == 0 ? 0 : k == 1 ? (double)laid->y2 : -(double)laid->y2;
    double size = sqrt(*x * *x + *y * *y);
    *x = size > 0 ? *x / size : 1;
    *y = size > 0 ? *y / size : 0;
}

static pl_flat_axes axes_of(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t triangle)
{
    const uint32_t *corner = topology->triangles + 3 * (size_t)triangle;
    pl_f4 origin = pl_load(&positions[corner[0]]);
    pl_f4 u = pl_load(&positions[corner[1]]) - origin, v = pl_load(&positions[corner[2]]) - origin;
    pl_f4 x = pl_normalize3(u);
    return (pl_flat_axes){x, pl_normalize3(v - x * pl_splat(pl_dot3(x, v)))};
}

pleat_result pl_flat_make(const pleat_topology *topology, const pleat_vec4 *positions, pl_arena *arena, pl_flat *flat,
                          pleat_error *error)
{
    pl_flat_triangle *triangles = PL_ARENA_NEW(arena, pl_flat_triangle, topology->triangle_count);
    pl_turn *turns = PL_ARENA_NEW(arena, pl_turn, 3 * (size_t)topology->triangle_count);
    pl_flat_axes *axes = PL_ARENA_NEW(arena, pl_flat_axes, topology->triangle_count);
    if (!triangles || !turns || !axes)
    {
        return pl_fail_memory(arena->memory, error, "flat triangles");
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        triangles[t] = lay_flat(topology, positions, t);
        axes[t] = axes_of(topology, positions, t);
    }
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        uint32_t twin = topology->twin[c];
        if (twin < PLEAT_NON_MANIFOLD)
        {
            double x, y, other_x, other_y;
            edge_direction(&triangles[c / 3], c % 3, &x, &y);
            edge_direction(&triangles[twin / 3], twin % 3, &other_x, &other_y);
            turns[c] = (pl_turn){(float)-(x * other_x + y * other_y), (float)-(x * other_y - y * other_x)};
        }
    }
    *flat = (pl_flat){topology, positions, triangles, axes, turns};
    return PLEAT_OK;
}

/* ---- Moving ---- */

/* Barycentric weights and how fast they change along a direction. */
typedef struct motion
{
    double weight[3], rate[3];
} motion;

static void set_rates(motion *m, const pl_flat_triangle *laid, pl_turn direction)
{
    m->rate[2] = (double)direction.y / (double)laid->y2;
    m->rate[1] = ((double)direction.x - m->rate[2] * (double)laid->x2) / (double)laid->x1;
    m->rate[0] = -(m->rate[1] + m->rate[2]);
}

/* Moves to the first side that is reached, or by `left`: -1. The side entered by cannot be left by. */
static int move_inside(motion *m, int entered, double *left)
{
    int side = -1;
    double distance = *left;
    for (int i = 0; i < 3; ++i)
    {
        if (i != entered && m->rate[i] < 0 && m->weight[i] < -m->rate[i] * distance)
        {
            side = i;
            distance = m->weight[i] / -m->rate[i];
        }
    }
    double sum = 0;
    for (int i = 0; i < 3; ++i)
    {
        double moved = i == side ? 0 : m->weight[i] + distance * m->rate[i];
        m->weight[i] = moved > 0 ? moved : 0;
        sum += m->weight[i];
    }
    double inverse = 1 / sum;
    for (int i = 0; i < 3; ++i)
    {
        m->weight[i] = sum > 0 ? m->weight[i] * inverse : 1.0 / 3;
    }
    *left -= distance;
    return side;
}

float pl_flat_move(const pl_flat *flat, pl_flat_point *point, float length)
{
    uint32_t triangle = point->place.triangle;
    assert(triangle < flat->topology->triangle_count);
    motion m;
    for (int i = 0; i < 3; ++i)
    {
        m.weight[i] = (double)point->place.barycentric[i];
    }
    double left = length > 0 ? (double)length : 0;
    int entered = -1;
    for (uint32_t crossing = 0; crossing < CROSSINGS_MOST && flat->triangles[triangle].x1 > 0; ++crossing)
    {
        set_rates(&m, &flat->triangles[triangle], point->direction);
        int side = move_inside(&m, entered, &left);
        if (side < 0)
        {
            break;
        }
        int from = (side + 1) % 3, to = (side + 2) % 3;
        uint32_t corner = 3 * triangle + (uint32_t)from, twin = flat->topology->twin[corner];
        if (twin >= PLEAT_NON_MANIFOLD || flat->triangles[twin / 3].x1 == 0)
        {
            break;
        }
        double weight_from = m.weight[from], weight_to = m.weight[to];
        uint32_t k = twin % 3;
        m.weight[k] = weight_to;
        m.weight[(k + 1) % 3] = weight_from;
        m.weight[(k + 2) % 3] = 0;
        entered = (int)(k + 2) % 3;
        point->direction = pl_turn_mul(flat->turns[corner], point->direction);
        triangle = twin / 3;
    }
    point->place = (pleat_place){triangle, {(float)m.weight[0], (float)m.weight[1], (float)m.weight[2]}};
    /* Products of rounded turns drift. */
    float size = sqrtf(point->direction.x * point->direction.x + point->direction.y * point->direction.y);
    if (size > 0)
    {
        point->direction = (pl_turn){point->direction.x / size, point->direction.y / size};
    }
    return length > 0 ? (float)((double)length - left) : 0;
}

/* What is left of a way at borders that the place is on: it goes along them, a little inwards, so that rounding does
 * not stop it. */
static pl_turn keep_inside(const pl_flat *flat, const pleat_place *place, pl_turn way)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t from = (k + 1) % 3;
        if (place->barycentric[k] > 1e-5f || flat->topology->twin[3 * place->triangle + from] < PLEAT_NON_MANIFOLD)
        {
            continue;
        }
        double x, y;
        edge_direction(&flat->triangles[place->triangle], from, &x, &y);
        float edge_x = (float)x, edge_y = (float)y, inward = edge_x * way.y - edge_y * way.x;
        float along = edge_x * way.x + edge_y * way.y, little = 1e-4f * fabsf(along);
        if (inward < little)
        {
            way = (pl_turn){along * edge_x - little * edge_y, along * edge_y + little * edge_x};
        }
    }
    return way;
}

pleat_place pl_flat_approach(const pl_flat *flat, pleat_place start, pl_f4 goal, float reach)
{
    pl_flat_point point = {.place = start};
    float least = 1e-4f * reach;
    for (int round = 0; round < APPROACH_ROUNDS && reach > 0; ++round)
    {
        pl_turn way = pl_flat_from_space(flat, point.place.triangle, goal - pl_flat_position(flat, &point.place));
        way = keep_inside(flat, &point.place, way);
        float length = sqrtf(way.x * way.x + way.y * way.y);
        if (!(length > least))
        {
            break;
        }
        point.direction = (pl_turn){way.x / length, way.y / length};
        reach -= fmaxf(pl_flat_move(flat, &point, fminf(length, reach)), least);
    }
    return point.place;
}

/* ---- In and out of space ---- */

pl_f4 pl_flat_position(const pl_flat *flat, const pleat_place *place)
{
    const uint32_t *corner = flat->topology->triangles + 3 * (size_t)place->triangle;
    return pl_load(&flat->positions[corner[0]]) * pl_splat(place->barycentric[0]) +
           pl_load(&flat->positions[corner[1]]) * pl_splat(place->barycentric[1]) +
           pl_load(&flat->positions[corner[2]]) * pl_splat(place->barycentric[2]);
}

pl_f4 pl_flat_to_space(const pl_flat *flat, uint32_t triangle, pl_turn direction)
{
    const pl_flat_axes *axes = &flat->axes[triangle];
    return axes->x * pl_splat(direction.x) + axes->y * pl_splat(direction.y);
}

pl_turn pl_flat_from_space(const pl_flat *flat, uint32_t triangle, pl_f4 vector)
{
    const pl_flat_axes *axes = &flat->axes[triangle];
    return (pl_turn){pl_dot3(axes->x, vector), pl_dot3(axes->y, vector)};
}

pl_f4 pl_flat_normal(const pl_flat *flat, uint32_t triangle)
{
    return pl_cross(flat->axes[triangle].x, flat->axes[triangle].y);
}
