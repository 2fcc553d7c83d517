/* Nearest point. Four boxes or four triangles at a time; the nearest box first.
 *
 * Everything is relative to the query point. The point found on a triangle is held inside the triangle's box, so that
 * its squared distance, summed as for the boxes, is never below that of a box around it: see bvh.h. */
#include "mesh/bvh/bvh.h"
#include "mesh/lanes.h"

typedef struct waiting
{
    float squared;
    uint32_t child;
} waiting;

typedef struct nearest_query
{
    pl_f4 point[3]; /* by axis, the same in each lane */
    float squared;  /* best so far */
    uint32_t triangle;
    uint32_t block;
    uint32_t lane;
} nearest_query;

/* One point on each of four triangles. */
typedef struct four_points
{
    pl_f4 weight[3];
    pl_f4 point[3];
    pl_f4 squared;
} four_points;

PL_INLINE pl_f4 dot4(const pl_f4 a[3], const pl_f4 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PL_INLINE void cross4(const pl_f4 a[3], const pl_f4 b[3], pl_f4 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Takes the point of segment from..to (corners i and j) nearest to 0 where it is better. A segment without length has
 * the quotient 0/0, which the clamp turns into 1: the point itself. */
PL_INLINE void try_segment(const pl_f4 from[3], const pl_f4 to[3], const pl_f4 along[3], int i, int j,
                           four_points *best)
{
    pl_f4 one = pl_splat(1);
    pl_f4 t = -dot4(from, along) / dot4(along, along);
    t = pl_max4(pl_min4(t, one), pl_splat(0));
    pl_f4 rest = one - t;
    pl_f4 point[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        point[axis] = rest * from[axis] + t * to[axis];
    }
    pl_f4 squared = dot4(point, point);
    pl_i4 better = (pl_i4)(squared < best->squared);
    best->squared = pl_select4(better, squared, best->squared);
    for (int axis = 0; axis < 3; ++axis)
    {
        best->point[axis] = pl_select4(better, point[axis], best->point[axis]);
    }
    best->weight[i] = pl_select4(better, rest, best->weight[i]);
    best->weight[j] = pl_select4(better, t, best->weight[j]);
    best->weight[3 - i - j] = pl_select4(better, pl_splat(0), best->weight[3 - i - j]);
}

/* The foot of the perpendicular where it falls inside the triangle; else infinitely far. Slivers may get it wrong, but
 * what they give is still a point of the triangle, and the segments stand beside it. */
PL_INLINE void try_inside(const pl_f4 a[3], const pl_f4 ab[3], const pl_f4 ac[3], four_points *best)
{
    pl_f4 normal[3], across[3];
    cross4(ab, ac, normal);
    pl_f4 inverse = pl_splat(1) / dot4(normal, normal);
    cross4(ac, a, across);
    pl_f4 v = dot4(across, normal) * inverse;
    cross4(a, ab, across);
    pl_f4 w = dot4(across, normal) * inverse;
    pl_f4 u = pl_splat(1) - v - w;
    pl_f4 zero = pl_splat(0);
    pl_i4 inside = (pl_i4)(u >= zero) & (pl_i4)(v >= zero) & (pl_i4)(w >= zero);
    for (int axis = 0; axis < 3; ++axis)
    {
        best->point[axis] = a[axis] + v * ab[axis] + w * ac[axis];
    }
    best->squared = pl_select4(inside, dot4(best->point, best->point), pl_splat(INFINITY));
    best->weight[0] = u;
    best->weight[1] = v;
    best->weight[2] = w;
}

PL_INLINE four_points nearest_in_block(const pl_bvh_block *block, const pl_f4 p[3])
{
    pl_f4 a[3], b[3], c[3], ab[3], ac[3], bc[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        a[axis] = block->corner[0][axis] - p[axis];
        b[axis] = block->corner[1][axis] - p[axis];
        c[axis] = block->corner[2][axis] - p[axis];
        ab[axis] = b[axis] - a[axis];
        ac[axis] = c[axis] - a[axis];
        bc[axis] = c[axis] - b[axis];
    }
    four_points best;
    try_inside(a, ab, ac, &best);
    try_segment(a, b, ab, 0, 1, &best);
    try_segment(b, c, bc, 1, 2, &best);
    try_segment(a, c, ac, 0, 2, &best);
    for (int axis = 0; axis < 3; ++axis)
    {
        pl_f4 low = pl_min4(pl_min4(a[axis], b[axis]), c[axis]);
        pl_f4 high = pl_max4(pl_max4(a[axis], b[axis]), c[axis]);
        best.point[axis] = pl_min4(pl_max4(best.point[axis], low), high);
    }
    best.squared = dot4(best.point, best.point);
    return best;
}

static void visit_block(const pleat_bvh *bvh, uint32_t index, nearest_query *query)
{
    const pl_bvh_block *block = &bvh->blocks[index];
    pl_f4 squared = nearest_in_block(block, query->point).squared;
    uint32_t candidates = pl_mask4((pl_i4)(squared <= pl_splat(query->squared)));
    for (; candidates; candidates &= candidates - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(candidates);
        float s = squared[lane];
        if (s < query->squared || (s == query->squared && block->triangle[lane] < query->triangle))
        {
            query->squared = s;
            query->triangle = block->triangle[lane];
            query->block = index;
            query->lane = lane;
        }
    }
}

PL_INLINE pl_f4 boxes_squared(const pl_bvh_node *node, const pl_f4 p[3])
{
    pl_f4 d[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        d[axis] = pl_max4(pl_max4(node->bounds[axis] - p[axis], p[axis] - node->bounds[axis + 3]), pl_splat(0));
    }
    return dot4(d, d);
}

/* The child to go into next: the nearest within reach; the others wait, the nearest of them on top. PL_BVH_EMPTY where
 * there is none. */
PL_INLINE uint32_t choose_child(const pl_bvh_node *node, const nearest_query *query, waiting *stack, uint32_t *count)
{
    pl_f4 squared = boxes_squared(node, query->point);
    uint32_t mask = pl_mask4((pl_i4)(squared <= pl_splat(query->squared)));
    waiting first = {INFINITY, PL_BVH_EMPTY};
    uint32_t bottom = *count;
    for (; mask; mask &= mask - 1)
    {
        uint32_t i = (uint32_t)__builtin_ctz(mask);
        waiting next = {squared[i], node->child[i]};
        if (next.child == PL_BVH_EMPTY)
        {
            continue; /* its box is infinitely far, and so may be what we look for */
        }
        if (next.squared < first.squared || first.child == PL_BVH_EMPTY)
        {
            waiting swap = first;
            first = next;
            next = swap;
        }
        if (next.child == PL_BVH_EMPTY)
        {
            continue;
        }
        uint32_t at = (*count)++;
        for (; at > bottom && stack[at - 1].squared < next.squared; --at)
        {
            stack[at] = stack[at - 1];
        }
        stack[at] = next;
    }
    return first.child;
}

static pleat_hit finish(const pleat_bvh *bvh, const nearest_query *query)
{
    pleat_hit hit = pl_bvh_no_hit();
    if (query->triangle == PLEAT_NONE)
    {
        return hit;
    }
    const pl_bvh_block *block = &bvh->blocks[query->block];
    four_points points = nearest_in_block(block, query->point);
    hit.triangle = query->triangle;
    hit.distance = sqrtf(query->squared);
    pl_f4 position = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        hit.barycentric[k] = points.weight[k][query->lane];
        position += pl_bvh_corner(block, k, query->lane) * pl_splat(hit.barycentric[k]);
    }
    hit.position = pl_to(position);
    return hit;
}

pleat_hit pleat_bvh_nearest(const pleat_bvh *bvh, pleat_vec4 point, float max_distance)
{
    if (bvh->node_count == 0 || !(max_distance >= 0))
    {
        return pl_bvh_no_hit();
    }
    nearest_query query = {.squared = max_distance * max_distance, .triangle = PLEAT_NONE};
    query.point[0] = pl_splat(point.x);
    query.point[1] = pl_splat(point.y);
    query.point[2] = pl_splat(point.z);
    waiting stack[PL_BVH_STACK];
    uint32_t count = 0;
    uint32_t child = 0;
    for (;;)
    {
        while (!(child & PL_BVH_LEAF))
        {
            child = choose_child(&bvh->nodes[child], &query, stack, &count);
        }
        if (child != PL_BVH_EMPTY)
        {
            visit_block(bvh, child & ~PL_BVH_LEAF, &query);
        }
        do
        {
            if (count == 0)
            {
                return finish(bvh, &query);
            }
            child = stack[--count].child;
        } while (!(stack[count].squared <= query.squared));
    }
}
