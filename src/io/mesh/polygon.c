/* Ear clipping: G. H. Meisters, "Polygons have ears" (1975), on the polygon seen along its mean normal. */
#include "io/mesh/polygon.h"

#include <math.h>

typedef struct point2
{
    double x, y;
} point2;

/* The polygon as ear clipping sees it. */
typedef struct polygon
{
    const pleat_vec3 *positions;
    const uint32_t *vertices;
    int x_axis, y_axis; /* of the projection */
    double sign;        /* 1 or -1: makes the projection turn to the left */
} polygon;

pl_polygon_budget pl_polygon_budget_default(void)
{
    return (pl_polygon_budget){20000000, false};
}

static double axis(const pleat_vec3 *p, int k)
{
    return (double)(k == 0 ? p->x : k == 1 ? p->y : p->z);
}

static point2 corner(const polygon *shape, uint32_t c)
{
    const pleat_vec3 *p = &shape->positions[shape->vertices[c]];
    return (point2){axis(p, shape->x_axis), shape->sign * axis(p, shape->y_axis)};
}

/* Twice the signed area of a triangle. */
static double turn(point2 a, point2 b, point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Projects along the largest part of the area vector (Newell). */
static void choose_projection(polygon *shape, uint32_t count)
{
    double area[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_vec3 *a = &shape->positions[shape->vertices[i]];
        const pleat_vec3 *b = &shape->positions[shape->vertices[i + 1 < count ? i + 1 : 0]];
        for (int k = 0; k < 3; ++k)
        {
            int u = (k + 1) % 3;
            int v = (k + 2) % 3;
            area[k] += (axis(a, u) - axis(b, u)) * (axis(a, v) + axis(b, v));
        }
    }
    int largest = 0;
    for (int k = 1; k < 3; ++k)
    {
        largest = fabs(area[k]) > fabs(area[largest]) ? k : largest;
    }
    shape->x_axis = (largest + 1) % 3;
    shape->y_axis = (largest + 2) % 3;
    shape->sign = area[largest] < 0 ? -1 : 1;
}

/* No corner turns right. Polygons that wind around more than once pass too; they have no good triangles anyway. */
static bool is_convex(const polygon *shape, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t next = i + 1 < count ? i + 1 : 0;
        uint32_t after = next + 1 < count ? next + 1 : 0;
        if (turn(corner(shape, i), corner(shape, next), corner(shape, after)) < 0)
        {
            return false;
        }
    }
    return true;
}

static void cut_fan(uint32_t count, uint32_t *triangles)
{
    for (uint32_t i = 0; i + 2 < count; ++i)
    {
        triangles[3 * i] = 0;
        triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = i + 2;
    }
}

/* Is corner c, between its neighbours a and b, an ear: turning left, with no other corner inside? */
static bool is_ear(const polygon *shape, uint32_t a, uint32_t c, uint32_t b, const uint32_t *next,
                   pl_polygon_budget *budget)
{
    point2 pa = corner(shape, a);
    point2 pc = corner(shape, c);
    point2 pb = corner(shape, b);
    if (!(turn(pa, pc, pb) > 0))
    {
        return false;
    }
    for (uint32_t i = next[b]; i != a; i = next[i])
    {
        if (budget->tests == 0)
        {
            return false;
        }
        --budget->tests;
        point2 p = corner(shape, i);
        bool same = (p.x == pa.x && p.y == pa.y) || (p.x == pb.x && p.y == pb.y) || (p.x == pc.x && p.y == pc.y);
        if (!same && turn(pa, pc, p) >= 0 && turn(pc, pb, p) >= 0 && turn(pb, pa, p) >= 0)
        {
            return false;
        }
    }
    return true;
}

static void cut_ears(const polygon *shape, uint32_t count, uint32_t *next, uint32_t *previous, uint32_t *triangles,
                     pl_polygon_budget *budget)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        next[i] = i + 1 < count ? i + 1 : 0;
        previous[i] = i > 0 ? i - 1 : count - 1;
    }
    uint32_t at = 0;
    uint32_t misses = 0;
    for (uint32_t left = count; left > 2;)
    {
        uint32_t a = previous[at];
        uint32_t b = next[at];
        /* After a full round without an ear (crossing edges, no area, no budget) any corner has to do. */
        if (left > 3 && misses < left && budget->tests > 0 && !is_ear(shape, a, at, b, next, budget))
        {
            ++misses;
            at = b;
            continue;
        }
        triangles[0] = a;
        triangles[1] = at;
        triangles[2] = b;
        triangles += 3;
        next[a] = b;
        previous[b] = a;
        --left;
        misses = 0;
        at = next[b]; /* not b: clipping on around the polygon gives better triangles than a fan */
    }
    budget->exhausted |= budget->tests == 0;
}

void pl_polygon_cut(const pleat_vec3 *positions, const uint32_t *vertices, uint32_t count, uint32_t *links,
                    uint32_t *triangles, pl_polygon_budget *budget)
{
    polygon shape = {positions, vertices, 0, 1, 1};
    if (count > 3)
    {
        choose_projection(&shape, count);
    }
    if (count == 3 || is_convex(&shape, count))
    {
        cut_fan(count, triangles);
        return;
    }
    if (budget->tests == 0)
    {
        budget->exhausted = true;
        cut_fan(count, triangles);
        return;
    }
    cut_ears(&shape, count, links, links + count, triangles, budget);
}
