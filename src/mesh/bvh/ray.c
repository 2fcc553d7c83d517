/* Rays. The triangle test is that of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013): corners are
 * sheared so that the ray runs along one axis, and the signs of three edge functions decide. They are taken in float
 * for four triangles at once, where rounding can only turn a sign into zero (rounding is monotone), then again in
 * double for the few that remain, where the sign is exact: two triangles that share an edge leave no gap between them.
 *
 * Boxes are tested from two origins, moved apart by more than all rounding of the shear, so no box hides a hit. The
 * parameter of a hit is held inside that of the triangle's own box, so the tree does not show: see bvh.h. */
#include "mesh/bvh/bvh.h"
#include "mesh/lanes.h"

typedef struct waiting
{
    float near;
    uint32_t child;
} waiting;

typedef struct ray_query
{
    pl_f4 origin[3]; /* by axis, the same in each lane */
    pl_f4 origin_near[3];
    pl_f4 origin_far[3];
    pl_f4 inverse[3];
    pl_f4 shear_x;
    pl_f4 shear_y;
    int axis_x;
    int axis_y;
    int axis_z;       /* the direction's largest */
    int near_side[3]; /* in bounds: the side of a box that comes first along each axis */
    int far_side[3];
    float direction_z;
    float t_min;
    float t; /* best so far */
    uint32_t triangle;
    uint32_t block;
    uint32_t lane;
    double weight[3];
} ray_query;

/* False for a direction without length, or anything that is not finite. */
static bool set_up(const pleat_bvh *bvh, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max,
                   ray_query *ray)
{
    const float o[3] = {origin.x, origin.y, origin.z};
    const float d[3] = {direction.x, direction.y, direction.z};
    float reach = 0;
    ray->axis_z = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!isfinite(o[axis]) || !isfinite(d[axis]))
        {
            return false;
        }
        ray->axis_z = fabsf(d[axis]) > fabsf(d[ray->axis_z]) ? axis : ray->axis_z;
        float low = fabsf(bvh->low[axis] - o[axis]);
        float high = fabsf(bvh->high[axis] - o[axis]);
        reach = low > reach ? low : reach;
        reach = high > reach ? high : reach;
    }
    ray->axis_x = (ray->axis_z + 1) % 3;
    ray->axis_y = (ray->axis_z + 2) % 3;
    ray->direction_z = d[ray->axis_z];
    if (!(fabsf(ray->direction_z) > 0))
    {
        return false;
    }
    ray->shear_x = pl_splat(d[ray->axis_x] / ray->direction_z);
    ray->shear_y = pl_splat(d[ray->axis_y] / ray->direction_z);
    /* The shear rounds to less than 4 units of 2^-24 of the reach; 16 are given. */
    float margin = reach * 0x1p-20f + 1e-30f;
    for (int axis = 0; axis < 3; ++axis)
    {
        float inverse = 1.0f / d[axis];
        if (!(fabsf(inverse) < 1e30f))
        {
            inverse = copysignf(1e30f, d[axis]);
        }
        ray->near_side[axis] = inverse < 0 ? axis + 3 : axis;
        ray->far_side[axis] = inverse < 0 ? axis : axis + 3;
        float shift = inverse < 0 ? -margin : margin;
        ray->origin[axis] = pl_splat(o[axis]);
        ray->origin_near[axis] = pl_splat(o[axis] + shift);
        ray->origin_far[axis] = pl_splat(o[axis] - shift);
        ray->inverse[axis] = pl_splat(inverse);
    }
    ray->t_min = t_min;
    ray->t = t_max;
    ray->triangle = PLEAT_NONE;
    return true;
}

/* Where the ray enters and leaves each of four boxes, before it is cut to t_min..t. */
PL_INLINE void clip(const ray_query *ray, const pl_f4 bounds[6], pl_f4 *near, pl_f4 *far)
{
    pl_f4 n[3], f[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        n[axis] = (bounds[ray->near_side[axis]] - ray->origin_near[axis]) * ray->inverse[axis];
        f[axis] = (bounds[ray->far_side[axis]] - ray->origin_far[axis]) * ray->inverse[axis];
    }
    *near = pl_max4(pl_max4(n[0], n[1]), n[2]);
    *far = pl_min4(pl_min4(f[0], f[1]), f[2]);
}

/* The bits of the triangles whose edge functions do not exclude them. */
PL_INLINE uint32_t candidates_in_block(const ray_query *ray, const pl_bvh_block *block)
{
    pl_f4 x[3], y[3];
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 z = block->corner[k][ray->axis_z] - ray->origin[ray->axis_z];
        x[k] = (block->corner[k][ray->axis_x] - ray->origin[ray->axis_x]) - ray->shear_x * z;
        y[k] = (block->corner[k][ray->axis_y] - ray->origin[ray->axis_y]) - ray->shear_y * z;
    }
    pl_f4 u = x[2] * y[1] - y[2] * x[1];
    pl_f4 v = x[0] * y[2] - y[0] * x[2];
    pl_f4 w = x[1] * y[0] - y[1] * x[0];
    pl_f4 low = pl_min4(pl_min4(u, v), w);
    pl_f4 high = pl_max4(pl_max4(u, v), w);
    return pl_mask4((pl_i4)(low >= pl_splat(0)) | (pl_i4)(high <= pl_splat(0)));
}

/* The same for one triangle with exact signs. True for a hit, with its parameter and weights. */
static bool intersect(const ray_query *ray, const pl_bvh_block *block, uint32_t lane, float *t, double weight[3])
{
    float z[3];
    double x[3], y[3];
    for (int k = 0; k < 3; ++k)
    {
        z[k] = block->corner[k][ray->axis_z][lane] - ray->origin[ray->axis_z][0];
        x[k] = (double)((block->corner[k][ray->axis_x][lane] - ray->origin[ray->axis_x][0]) - ray->shear_x[0] * z[k]);
        y[k] = (double)((block->corner[k][ray->axis_y][lane] - ray->origin[ray->axis_y][0]) - ray->shear_y[0] * z[k]);
    }
    double u = x[2] * y[1] - y[2] * x[1];
    double v = x[0] * y[2] - y[0] * x[2];
    double w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
    {
        return false;
    }
    double sum = u + v + w;
    if (!(sum < 0 || sum > 0))
    {
        return false;
    }
    weight[0] = u / sum;
    weight[1] = v / sum;
    weight[2] = w / sum;
    *t = (float)((weight[0] * (double)z[0] + weight[1] * (double)z[1] + weight[2] * (double)z[2]) /
                 (double)ray->direction_z);
    return true;
}

/* Holds t inside the triangle's box; false where the ray misses the box. */
static bool hold_in_box(const ray_query *ray, const pl_bvh_block *block, uint32_t lane, float *t)
{
    pl_f4 bounds[6], near, far;
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl_f4 a = block->corner[0][axis], b = block->corner[1][axis], c = block->corner[2][axis];
        bounds[axis] = pl_min4(pl_min4(a, b), c);
        bounds[axis + 3] = pl_max4(pl_max4(a, b), c);
    }
    clip(ray, bounds, &near, &far);
    *t = *t < near[lane] ? near[lane] : *t;
    *t = *t > far[lane] ? far[lane] : *t;
    return near[lane] <= far[lane];
}

static void visit_block(const pleat_bvh *bvh, uint32_t index, ray_query *ray)
{
    const pl_bvh_block *block = &bvh->blocks[index];
    uint32_t candidates = candidates_in_block(ray, block);
    for (; candidates; candidates &= candidates - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(candidates);
        float t;
        double weight[3];
        if (!intersect(ray, block, lane, &t, weight) || !hold_in_box(ray, block, lane, &t) || !(t >= ray->t_min))
        {
            continue;
        }
        if (t < ray->t || (t == ray->t && block->triangle[lane] < ray->triangle))
        {
            ray->t = t;
            ray->triangle = block->triangle[lane];
            ray->block = index;
            ray->lane = lane;
            memcpy(ray->weight, weight, sizeof weight);
        }
    }
}

/* The child to go into next, of those that the ray meets: the first; the others wait, the second on top. PL_BVH_EMPTY
 * where it meets none. */
PL_INLINE uint32_t choose_child(const pl_bvh_node *node, const ray_query *ray, waiting *stack, uint32_t *count)
{
    pl_f4 near, far;
    clip(ray, node->bounds, &near, &far);
    near = pl_max4(near, pl_splat(ray->t_min));
    far = pl_min4(far, pl_splat(ray->t));
    uint32_t mask = pl_mask4((pl_i4)(near <= far));
    if (!mask)
    {
        return PL_BVH_EMPTY;
    }
    uint32_t i = (uint32_t)__builtin_ctz(mask);
    waiting first = {near[i], node->child[i]};
    uint32_t bottom = *count;
    for (mask &= mask - 1; mask; mask &= mask - 1)
    {
        i = (uint32_t)__builtin_ctz(mask);
        waiting next = {near[i], node->child[i]};
        if (next.near < first.near)
        {
            waiting swap = first;
            first = next;
            next = swap;
        }
        uint32_t at = (*count)++;
        for (; at > bottom && stack[at - 1].near < next.near; --at)
        {
            stack[at] = stack[at - 1];
        }
        stack[at] = next;
    }
    return first.child;
}

static void trace(const pleat_bvh *bvh, ray_query *ray, bool any)
{
    waiting stack[PL_BVH_STACK];
    uint32_t count = 0;
    uint32_t child = 0;
    for (;;)
    {
        while (!(child & PL_BVH_LEAF))
        {
            child = choose_child(&bvh->nodes[child], ray, stack, &count);
        }
        if (child != PL_BVH_EMPTY)
        {
            visit_block(bvh, child & ~PL_BVH_LEAF, ray);
            if (any && ray->triangle != PLEAT_NONE)
            {
                return;
            }
        }
        do
        {
            if (count == 0)
            {
                return;
            }
            child = stack[--count].child;
        } while (!(stack[count].near <= ray->t));
    }
}

pleat_hit pleat_bvh_ray(const pleat_bvh *bvh, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max)
{
    pleat_hit hit = pl_bvh_no_hit();
    ray_query ray;
    if (bvh->node_count == 0 || !set_up(bvh, origin, direction, t_min, t_max, &ray))
    {
        return hit;
    }
    trace(bvh, &ray, false);
    if (ray.triangle == PLEAT_NONE)
    {
        return hit;
    }
    hit.triangle = ray.triangle;
    hit.distance = ray.t;
    pl_f4 position = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        hit.barycentric[k] = (float)ray.weight[k];
        position += pl_bvh_corner(&bvh->blocks[ray.block], k, ray.lane) * pl_splat(hit.barycentric[k]);
    }
    hit.position = pl_to(position);
    return hit;
}

bool pleat_bvh_occluded(const pleat_bvh *bvh, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max)
{
    ray_query ray;
    if (bvh->node_count == 0 || !set_up(bvh, origin, direction, t_min, t_max, &ray))
    {
        return false;
    }
    trace(bvh, &ray, true);
    return ray.triangle != PLEAT_NONE;
}
