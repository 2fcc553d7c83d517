/* The triangulation of one triangle with points and fixed edges. There are few of them: searching beats keeping links.
 */
#include "mesh/embed/embed.h"

#include <math.h>

/* Twice the signed area: above 0 when a, b, c turn left. */
static double turn(pl_cut_point a, pl_cut_point b, pl_cut_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double turn_of(const pl_cut *cut, uint32_t a, uint32_t b, uint32_t c)
{
    return turn(cut->points[a], cut->points[b], cut->points[c]);
}

static double distance(pl_cut_point a, pl_cut_point b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

void pl_cut_begin(pl_cut *cut, const pl_cut_point corners[3])
{
    cut->point_count = 3;
    cut->triangle_count = 1;
    cut->fixed_count = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        cut->points[k] = corners[k];
        cut->triangles[0].corner[k] = k;
    }
}

/* The triangle with the edge from a to b in this direction, and the corner that a is; PLEAT_NONE if there is none. */
static uint32_t find_edge(const pl_cut *cut, uint32_t a, uint32_t b, uint32_t *corner)
{
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (cut->triangles[t].corner[k] == a && cut->triangles[t].corner[(k + 1) % 3] == b)
            {
                *corner = k;
                return t;
            }
        }
    }
    return PLEAT_NONE;
}

static void add_triangle(pl_cut *cut, uint32_t a, uint32_t b, uint32_t c)
{
    cut->triangles[cut->triangle_count++] = (pl_cut_triangle){{a, b, c}};
}

/* Splits the triangle on one side of the edge a-b by a point on it. */
static bool split_side(pl_cut *cut, uint32_t a, uint32_t b, uint32_t point)
{
    uint32_t corner = 0;
    uint32_t t = find_edge(cut, a, b, &corner);
    if (t == PLEAT_NONE)
    {
        return false;
    }
    uint32_t c = cut->triangles[t].corner[(corner + 2) % 3];
    cut->triangles[t].corner[(corner + 1) % 3] = point;
    add_triangle(cut, point, b, c);
    return true;
}

static bool is_fixed(const pl_cut *cut, uint32_t a, uint32_t b, uint32_t *index)
{
    for (uint32_t i = 0; i < cut->fixed_count; ++i)
    {
        if ((cut->fixed[i].end[0] == a && cut->fixed[i].end[1] == b) ||
            (cut->fixed[i].end[0] == b && cut->fixed[i].end[1] == a))
        {
            *index = i;
            return true;
        }
    }
    return false;
}

bool pl_cut_add_on_edge(pl_cut *cut, uint32_t a, uint32_t b, pl_cut_point point, uint32_t *index)
{
    if (cut->point_count == cut->point_room)
    {
        return false;
    }
    *index = cut->point_count;
    cut->points[*index] = point;
    bool one = split_side(cut, a, b, *index);
    bool other = split_side(cut, b, a, *index);
    cut->point_count += one || other;
    return one || other;
}

bool pl_cut_add_inside(pl_cut *cut, pl_cut_point point, double tolerance, uint32_t *index)
{
    uint32_t best = PLEAT_NONE;
    double best_inside = -INFINITY;
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        double inside = INFINITY;
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_cut_point a = cut->points[cut->triangles[t].corner[k]],
                         b = cut->points[cut->triangles[t].corner[(k + 1) % 3]];
            inside = fmin(inside, turn(a, b, point) / fmax(distance(a, b), 1e-300));
        }
        if (inside > best_inside)
        {
            best_inside = inside;
            best = t;
        }
    }
    if (best == PLEAT_NONE || cut->point_count == cut->point_room)
    {
        return false;
    }
    uint32_t corner[3] = {cut->triangles[best].corner[0], cut->triangles[best].corner[1],
                          cut->triangles[best].corner[2]};
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t a = corner[k], b = corner[(k + 1) % 3], ignored;
        bool inner = find_edge(cut, b, a, &ignored) != PLEAT_NONE;
        double off =
            turn(cut->points[a], cut->points[b], point) / fmax(distance(cut->points[a], cut->points[b]), 1e-300);
        if (inner && off < tolerance && !is_fixed(cut, a, b, &ignored))
        {
            return pl_cut_add_on_edge(cut, a, b, point, index);
        }
    }
    *index = cut->point_count++;
    cut->points[*index] = point;
    cut->triangles[best].corner[2] = *index;
    add_triangle(cut, corner[1], corner[2], *index);
    add_triangle(cut, corner[2], corner[0], *index);
    return true;
}

/* The two triangles at an edge become the two at the other diagonal, if both would turn left. */
static bool flip(pl_cut *cut, uint32_t a, uint32_t b)
{
    uint32_t i = 0, j = 0;
    uint32_t s = find_edge(cut, a, b, &i), t = find_edge(cut, b, a, &j);
    if (s == PLEAT_NONE || t == PLEAT_NONE)
    {
        return false;
    }
    uint32_t c = cut->triangles[s].corner[(i + 2) % 3], d = cut->triangles[t].corner[(j + 2) % 3];
    double whole = turn_of(cut, a, b, c) + turn_of(cut, b, a, d);
    if (!(turn_of(cut, a, d, c) > 1e-9 * whole && turn_of(cut, d, b, c) > 1e-9 * whole))
    {
        return false;
    }
    cut->triangles[s].corner[0] = a;
    cut->triangles[s].corner[1] = d;
    cut->triangles[s].corner[2] = c;
    cut->triangles[t].corner[0] = d;
    cut->triangles[t].corner[1] = b;
    cut->triangles[t].corner[2] = c;
    return true;
}

/* Whether the open segments p-q and a-b cross. */
static bool cross(const pl_cut *cut, uint32_t p, uint32_t q, uint32_t a, uint32_t b)
{
    if (p == a || p == b || q == a || q == b)
    {
        return false;
    }
    return (turn_of(cut, p, q, a) > 0) != (turn_of(cut, p, q, b) > 0) &&
           (turn_of(cut, a, b, p) > 0) != (turn_of(cut, a, b, q) > 0);
}

bool pl_cut_fix(pl_cut *cut, uint32_t a, uint32_t b)
{
    uint32_t ignored;
    if (a == b || is_fixed(cut, a, b, &ignored))
    {
        return true;
    }
    /* Each flip of a crossing edge in a convex quadrilateral leads on; a quadrilateral that is not convex becomes so
     * when its neighbours have been flipped. */
    for (uint32_t round = 0; round < 4 * cut->triangle_count + 16; ++round)
    {
        if (find_edge(cut, a, b, &ignored) != PLEAT_NONE || find_edge(cut, b, a, &ignored) != PLEAT_NONE)
        {
            if (cut->fixed_count == cut->fixed_room)
            {
                return false;
            }
            cut->fixed[cut->fixed_count].end[0] = a;
            cut->fixed[cut->fixed_count].end[1] = b;
            ++cut->fixed_count;
            return true;
        }
        bool flipped = false;
        for (uint32_t i = 0; i < 3 * cut->triangle_count && !flipped; ++i)
        {
            /* Begin elsewhere each round, so that one pair is not flipped to and fro. */
            uint32_t at = (i + 7 * round) % (3 * cut->triangle_count);
            uint32_t p = cut->triangles[at / 3].corner[at % 3], q = cut->triangles[at / 3].corner[(at % 3 + 1) % 3];
            flipped = cross(cut, a, b, p, q) && !is_fixed(cut, p, q, &ignored) && flip(cut, p, q);
        }
        if (!flipped)
        {
            return false;
        }
    }
    return false;
}

/* Above 0: d lies inside the circle through a, b, c, which turn left. */
static double in_circle(pl_cut_point a, pl_cut_point b, pl_cut_point c, pl_cut_point d)
{
    double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
    double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    return ax * (by * c2 - b2 * cy) - ay * (bx * c2 - b2 * cx) + a2 * (bx * cy - by * cx);
}

void pl_cut_improve(pl_cut *cut)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round < 2 * cut->triangle_count + 8; ++round)
    {
        changed = false;
        for (uint32_t t = 0; t < cut->triangle_count; ++t)
        {
            for (uint32_t k = 0; k < 3; ++k)
            {
                uint32_t a = cut->triangles[t].corner[k], b = cut->triangles[t].corner[(k + 1) % 3],
                         c = cut->triangles[t].corner[(k + 2) % 3];
                uint32_t corner = 0, ignored;
                uint32_t other = find_edge(cut, b, a, &corner);
                if (other == PLEAT_NONE || is_fixed(cut, a, b, &ignored))
                {
                    continue;
                }
                uint32_t d = cut->triangles[other].corner[(corner + 2) % 3];
                double size = distance(cut->points[a], cut->points[b]);
                double circle = in_circle(cut->points[a], cut->points[b], cut->points[c], cut->points[d]);
                if (circle > 1e-9 * size * size * size * size && flip(cut, a, b))
                {
                    changed = true;
                    break;
                }
            }
        }
    }
}
