/* Triangles that cross. Each block of one tree looks for the boxes of the other that its own box overlaps; four
 * triangles at a time are sorted out in float with bounds on the error, the rest is settled by exact signs.
 *
 * Two triangles cross where they share a piece of line of some length and each has corners strictly on both sides of
 * the other's plane. Touching, lying in one plane and triangles without area are no crossings. The test on signs is
 * that of Guigue and Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates" (2003).
 */
#include "base/parallel.h"
#include "mesh/bvh/bvh.h"
#include "mesh/lanes.h"
#include "mesh/orient.h"

typedef struct crossing_job
{
    const pleat_bvh *bvh;
    const pleat_bvh *other;
    bool (*visit)(void *user, uint32_t a, uint32_t b); /* NULL: count and mark only */
    void *user;
    uint8_t *marks;            /* of bvh's triangles, or NULL */
    const pl_bvh_tally *tally; /* or NULL; of one thread alone */
    uint64_t count;
    bool stop;
} crossing_job;

/* ---- Two triangles ---- */

/* Brings the corner that is alone on its side of a plane to the front, keeping the turn, and gives its side; 0 where
 * the three do not lie strictly on both sides. */
static int corner_alone(const int side[3], pl_f4 corner[3])
{
    for (int i = 0; i < 3; ++i)
    {
        int s = side[i], next = side[(i + 1) % 3], last = side[(i + 2) % 3];
        if (s != 0 && next * s <= 0 && last * s <= 0 && next * s + last * s < 0)
        {
            pl_f4 a = corner[i], b = corner[(i + 1) % 3], c = corner[(i + 2) % 3];
            corner[0] = a;
            corner[1] = b;
            corner[2] = c;
            return s;
        }
    }
    return 0;
}

static void swap_last(pl_f4 corner[3])
{
    pl_f4 b = corner[1];
    corner[1] = corner[2];
    corner[2] = b;
}

static bool triangles_cross(const pl_f4 p_in[3], const pl_f4 q_in[3])
{
    pl_f4 p[3] = {p_in[0], p_in[1], p_in[2]};
    pl_f4 q[3] = {q_in[0], q_in[1], q_in[2]};
    int side_q[3], side_p[3];
    for (int i = 0; i < 3; ++i)
    {
        side_q[i] = pl_orient(p_in[0], p_in[1], p_in[2], q_in[i]);
    }
    int q_sign = corner_alone(side_q, q);
    if (q_sign == 0)
    {
        return false;
    }
    for (int i = 0; i < 3; ++i)
    {
        side_p[i] = pl_orient(q_in[0], q_in[1], q_in[2], p_in[i]);
    }
    int p_sign = corner_alone(side_p, p);
    if (p_sign == 0)
    {
        return false;
    }
    /* Both intervals on the common line then run the same way, each from edge 01 to edge 02 of its triangle. */
    if (q_sign < 0)
    {
        swap_last(p);
    }
    if (p_sign < 0)
    {
        swap_last(q);
    }
    return pl_orient(p[0], p[1], q[0], q[1]) < 0 && pl_orient(p[0], p[2], q[2], q[0]) < 0;
}

/* ---- Four triangles against one ---- */

typedef struct one_triangle
{
    pl_f4 corner[3]; /* as points */
    pl_f4 at[3][3];  /* by corner and axis, the same in each lane */
    pl_f4 low[3];
    pl_f4 high[3];
    pl_f4 normal[3];
    pl_f4 margin; /* relative to the distance bound below */
} one_triangle;

PL_INLINE one_triangle spread(const pl_bvh_block *block, uint32_t lane)
{
    one_triangle one;
    for (uint32_t k = 0; k < 3; ++k)
    {
        one.corner[k] = pl_bvh_corner(block, k, lane);
        for (int axis = 0; axis < 3; ++axis)
        {
            one.at[k][axis] = pl_splat(one.corner[k][axis]);
        }
    }
    pl_f4 normal = pl_cross(one.corner[1] - one.corner[0], one.corner[2] - one.corner[0]);
    pl_f4 ab = pl_abs4(one.corner[1] - one.corner[0]);
    pl_f4 ac = pl_abs4(one.corner[2] - one.corner[0]);
    for (int axis = 0; axis < 3; ++axis)
    {
        one.low[axis] = pl_min4(pl_min4(one.at[0][axis], one.at[1][axis]), one.at[2][axis]);
        one.high[axis] = pl_max4(pl_max4(one.at[0][axis], one.at[1][axis]), one.at[2][axis]);
        one.normal[axis] = pl_splat(normal[axis]);
    }
    /* Each component of the normal is a difference of two products, at most this large; with the rounding of the
     * differences before and of the dot product after it, 12 units of 2^-24 cover the error. */
    one.margin = pl_splat(2 * pl_most3(ab) * pl_most3(ac) * 12 * 0x1p-24f);
    return one;
}

/* Lanes whose boxes overlap by more than a touch. Triangles whose boxes only touch cannot cross: the shared piece would
 * lie in a side of one box, hence in an edge or the plane of that triangle. */
PL_INLINE pl_i4 boxes_overlap(const one_triangle *one, const pl_bvh_block *block)
{
    pl_i4 mask = {-1, -1, -1, -1};
    for (int axis = 0; axis < 3; ++axis)
    {
        const pl_f4 a = block->corner[0][axis], b = block->corner[1][axis], c = block->corner[2][axis];
        pl_f4 low = pl_min4(pl_min4(a, b), c);
        pl_f4 high = pl_max4(pl_max4(a, b), c);
        mask &= (pl_i4)(low < one->high[axis]) & (pl_i4)(one->low[axis] < high);
    }
    return mask;
}

/* Lanes that have a corner at the place of one of ours. */
PL_INLINE pl_i4 share_corner(const one_triangle *one, const pl_bvh_block *block)
{
    pl_i4 mask = {0, 0, 0, 0};
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            mask |= (pl_i4)(one->at[i][0] == block->corner[k][0]) & (pl_i4)(one->at[i][1] == block->corner[k][1]) &
                    (pl_i4)(one->at[i][2] == block->corner[k][2]);
        }
    }
    return mask;
}

/* Lanes that lie on one side of our plane beyond doubt. */
PL_INLINE pl_i4 on_one_side(const one_triangle *one, const pl_bvh_block *block)
{
    pl_i4 above = {-1, -1, -1, -1};
    pl_i4 below = above;
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 x = block->corner[k][0] - one->at[0][0];
        pl_f4 y = block->corner[k][1] - one->at[0][1];
        pl_f4 z = block->corner[k][2] - one->at[0][2];
        pl_f4 height = x * one->normal[0] + y * one->normal[1] + z * one->normal[2];
        pl_f4 bound = (pl_abs4(x) + pl_abs4(y) + pl_abs4(z)) * one->margin + pl_splat(1e-35f);
        above &= (pl_i4)(height > bound);
        below &= (pl_i4)(height < -bound);
    }
    return above | below;
}

/* ---- Trees ---- */

static void report(crossing_job *job, uint32_t a, uint32_t b)
{
    const pl_bvh_tally *tally = job->tally;
    if (tally && tally->groups[a] == tally->groups[b] && tally->lenient[tally->groups[a]])
    {
        return;
    }
    ++job->count;
    if (job->marks)
    {
        __atomic_store_n(&job->marks[a], 1, __ATOMIC_RELAXED);
        if (job->bvh == job->other)
        {
            __atomic_store_n(&job->marks[b], 1, __ATOMIC_RELAXED);
        }
    }
    if (tally)
    {
        ++tally->counts[a];
        ++tally->counts[b];
    }
    if (job->visit)
    {
        bool swap = job->bvh == job->other && b < a;
        job->stop = !job->visit(job->user, swap ? b : a, swap ? a : b);
    }
}

/* One triangle of ours against those lanes of a block. */
static void cross_block(crossing_job *job, const one_triangle *one, uint32_t triangle, const pl_bvh_block *block,
                        uint32_t lanes)
{
    pl_i4 mask = boxes_overlap(one, block);
    lanes &= pl_mask4(mask);
    if (!lanes)
    {
        return;
    }
    mask = on_one_side(one, block);
    if (job->bvh == job->other)
    {
        mask |= share_corner(one, block);
    }
    lanes &= ~pl_mask4(mask);
    for (; lanes && !job->stop; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        pl_f4 q[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            q[k] = pl_bvh_corner(block, k, lane);
        }
        bool swap = job->bvh == job->other && block->triangle[lane] < triangle;
        if (swap ? triangles_cross(q, one->corner) : triangles_cross(one->corner, q))
        {
            report(job, triangle, block->triangle[lane]);
        }
    }
}

static uint32_t used_lanes(const pl_bvh_block *block)
{
    uint32_t lanes = 1;
    for (uint32_t lane = 1; lane < PL_BVH_WIDTH; ++lane)
    {
        lanes |= pl_bvh_spare(block, lane) ? 0 : 1u << lane;
    }
    return lanes;
}

/* A block of ours: its triangles, ready to be compared, and its box. */
typedef struct one_block
{
    one_triangle triangles[PL_BVH_WIDTH];
    uint32_t index[PL_BVH_WIDTH];
    uint32_t count;
    pl_f4 low[3];
    pl_f4 high[3];
} one_block;

static void open_block(const pl_bvh_block *block, one_block *ours)
{
    ours->count = 0;
    for (uint32_t lanes = used_lanes(block); lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        ours->index[ours->count] = block->triangle[lane];
        ours->triangles[ours->count] = spread(block, lane);
        ++ours->count;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        ours->low[axis] = pl_splat(INFINITY);
        ours->high[axis] = pl_splat(-INFINITY);
        for (uint32_t i = 0; i < ours->count; ++i)
        {
            ours->low[axis] = pl_min4(ours->triangles[i].low[axis], ours->low[axis]);
            ours->high[axis] = pl_max4(ours->triangles[i].high[axis], ours->high[axis]);
        }
    }
}

static void cross_blocks(crossing_job *job, const one_block *ours, const pl_bvh_block *block, bool same)
{
    uint32_t lanes = used_lanes(block);
    for (uint32_t i = 0; i < ours->count && !job->stop; ++i)
    {
        /* In one and the same block each pair is met once: the lanes after ours. */
        uint32_t later = same ? lanes & ~((2u << i) - 1) : lanes;
        if (later)
        {
            cross_block(job, &ours->triangles[i], ours->index[i], block, later);
        }
    }
}

uint64_t pl_bvh_block_crossings(const pl_bvh_block *a, const pl_bvh_block *b, const pl_bvh_tally *tally)
{
    crossing_job job = {.tally = tally};
    one_block ours;
    open_block(a, &ours);
    cross_blocks(&job, &ours, b, a == b);
    return job.count;
}

/* Children of a node whose boxes overlap ours, and which hold a block at or after `first`. */
PL_INLINE uint32_t children_met(const pl_bvh_node *node, const one_block *ours, uint32_t first)
{
    pl_i4 mask = {-1, -1, -1, -1};
    for (int axis = 0; axis < 3; ++axis)
    {
        mask &= (pl_i4)(node->bounds[axis] < ours->high[axis]) & (pl_i4)(ours->low[axis] < node->bounds[axis + 3]);
    }
    uint32_t met = 0;
    for (uint32_t bits = pl_mask4(mask); bits; bits &= bits - 1)
    {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        met |= node->last_block[i] >= first ? 1u << i : 0;
    }
    return met;
}

/* All pairs of one block of ours; with ourselves, only the pairs with blocks from this one on. */
static void cross_tree(crossing_job *job, uint32_t index)
{
    bool self = job->bvh == job->other;
    uint32_t first = self ? index : 0;
    one_block ours;
    open_block(&job->bvh->blocks[index], &ours);
    uint32_t stack[PL_BVH_STACK];
    uint32_t count = 1;
    stack[0] = 0;
    while (count > 0 && !job->stop)
    {
        const pl_bvh_node *node = &job->other->nodes[stack[--count]];
        for (uint32_t met = children_met(node, &ours, first); met && !job->stop; met &= met - 1)
        {
            uint32_t child = node->child[__builtin_ctz(met)];
            if (child & PL_BVH_LEAF)
            {
                uint32_t block = child & ~PL_BVH_LEAF;
                cross_blocks(job, &ours, &job->other->blocks[block], self && block == index);
            }
            else
            {
                stack[count++] = child;
            }
        }
    }
}

uint64_t pleat_bvh_crossings(const pleat_bvh *bvh, const pleat_bvh *other,
                             bool (*visit)(void *user, uint32_t a, uint32_t b), void *user)
{
    crossing_job job = {.bvh = bvh, .other = other, .visit = visit, .user = user};
    if (other->node_count == 0)
    {
        return 0;
    }
    for (uint32_t i = 0; i < bvh->block_count && !job.stop; ++i)
    {
        cross_tree(&job, i);
    }
    return job.count;
}

static void count_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    crossing_job *whole = data;
    crossing_job part = {.bvh = whole->bvh, .other = whole->other, .marks = whole->marks};
    for (uint32_t i = begin; i < end; ++i)
    {
        cross_tree(&part, i);
    }
    __atomic_fetch_add(&whole->count, part.count, __ATOMIC_RELAXED);
}

uint64_t pleat_bvh_count_crossings(const pleat_bvh *bvh, const pleat_bvh *other, uint8_t *marks,
                                   const pleat_tasks *tasks)
{
    crossing_job job = {.bvh = bvh, .other = other, .marks = marks};
    if (other->node_count > 0)
    {
        pl_parallel_for(tasks, bvh->block_count, 64, count_range, &job);
    }
    return job.count;
}
