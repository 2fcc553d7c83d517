/* Builds the tree: top down, each range cut by the surface area heuristic over 16 bins an axis (Wald, "On fast
 * Construction of SAH-based Bounding Volume Hierarchies", 2007), the largest piece again until a node has four. */
#include "mesh/bvh/bvh.h"
#include "mesh/lanes.h"

enum
{
    BIN_COUNT = 16,
    SAH_LEVELS = 40, /* deeper than this, ranges are halved, so that the depth stays bounded */
    RUN_NODES = 64   /* largest subtree of one parallel piece of a refit */
};

typedef struct box
{
    pl_f4 low;
    pl_f4 high;
} box;

typedef struct range
{
    uint32_t begin;
    uint32_t end;
    float area;
} range;

typedef struct builder
{
    pleat_bvh *bvh;
    const uint32_t *triangles;
    box *boxes;      /* by triangle */
    uint32_t *order; /* triangles, permuted */
    uint32_t *ends;  /* by node: the end of its run */
    uint32_t node_capacity;
    uint32_t block_capacity;
    pleat_error *error;
} builder;

static box empty_box(void)
{
    return (box){pl_splat(INFINITY), pl_splat(-INFINITY)};
}

static box join(box a, box b)
{
    return (box){pl_min4(a.low, b.low), pl_max4(a.high, b.high)};
}

/* Half the surface; 0 for an empty box. */
static float half_area(box b)
{
    pl_f4 size = b.high - b.low;
    return size[0] >= 0 ? size[0] * size[1] + size[1] * size[2] + size[2] * size[0] : 0;
}

/* Twice the centre of a triangle's box. */
static pl_f4 middle(const builder *build, uint32_t triangle)
{
    return build->boxes[triangle].low + build->boxes[triangle].high;
}

static box range_box(const builder *build, uint32_t begin, uint32_t end)
{
    box all = empty_box();
    for (uint32_t i = begin; i < end; ++i)
    {
        all = join(all, build->boxes[build->order[i]]);
    }
    return all;
}

/* ---- The cut ---- */

typedef struct bins
{
    box boxes[3][BIN_COUNT];
    uint32_t counts[3][BIN_COUNT];
    pl_f4 low;   /* of the middles */
    pl_f4 scale; /* to bins; 0 along an axis without extent */
} bins;

/* What is no number lies in the first bin. */
static uint32_t bin_of(const bins *b, pl_f4 point, int axis)
{
    float at = (point[axis] - b->low[axis]) * b->scale[axis];
    return !(at > 0) ? 0u : at < BIN_COUNT ? (uint32_t)at : BIN_COUNT - 1u;
}

static void fill_bins(const builder *build, const range *r, bins *b)
{
    box middles = empty_box();
    for (uint32_t i = r->begin; i < r->end; ++i)
    {
        pl_f4 m = middle(build, build->order[i]);
        middles = join(middles, (box){m, m});
    }
    b->low = middles.low;
    for (int axis = 0; axis < 3; ++axis)
    {
        float extent = middles.high[axis] - middles.low[axis];
        b->scale[axis] = extent > 1e-30f && extent < INFINITY ? (float)BIN_COUNT * 0.9999f / extent : 0;
        for (uint32_t bin = 0; bin < BIN_COUNT; ++bin)
        {
            b->boxes[axis][bin] = empty_box();
            b->counts[axis][bin] = 0;
        }
    }
    for (uint32_t i = r->begin; i < r->end; ++i)
    {
        pl_f4 m = middle(build, build->order[i]);
        for (int axis = 0; axis < 3; ++axis)
        {
            uint32_t bin = bin_of(b, m, axis);
            b->boxes[axis][bin] = join(b->boxes[axis][bin], build->boxes[build->order[i]]);
            ++b->counts[axis][bin];
        }
    }
}

/* Blocks that so many triangles fill: what a leaf costs. */
static float block_cost(uint32_t count)
{
    return (float)((count + PL_BVH_WIDTH - 1) / PL_BVH_WIDTH);
}

/* The best axis and first bin of the right side; false where no cut leaves something on both sides. */
static bool best_cut(const bins *b, int *best_axis, uint32_t *best_bin)
{
    float best = INFINITY;
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!(b->scale[axis] > 0))
        {
            continue;
        }
        float right_cost[BIN_COUNT];
        box right = empty_box();
        uint32_t right_count = 0;
        for (uint32_t bin = BIN_COUNT; bin-- > 1;)
        {
            right = join(right, b->boxes[axis][bin]);
            right_count += b->counts[axis][bin];
            right_cost[bin] = right_count ? half_area(right) * block_cost(right_count) : INFINITY;
        }
        box left = empty_box();
        uint32_t left_count = 0;
        for (uint32_t bin = 1; bin < BIN_COUNT; ++bin)
        {
            left = join(left, b->boxes[axis][bin - 1]);
            left_count += b->counts[axis][bin - 1];
            float cost = left_count ? half_area(left) * block_cost(left_count) + right_cost[bin] : INFINITY;
            if (cost < best)
            {
                best = cost;
                *best_axis = axis;
                *best_bin = bin;
            }
        }
    }
    return best < INFINITY;
}

/* Sorts the range into two sides and returns the first of the right one. */
static uint32_t cut(builder *build, const range *r, uint32_t depth)
{
    bins b;
    int axis = 0;
    uint32_t first_bin = 0;
    fill_bins(build, r, &b);
    if (depth >= SAH_LEVELS || !best_cut(&b, &axis, &first_bin))
    {
        return r->begin + (r->end - r->begin) / 2;
    }
    uint32_t *order = build->order;
    uint32_t left = r->begin;
    uint32_t right = r->end;
    while (left < right)
    {
        if (bin_of(&b, middle(build, order[left]), axis) < first_bin)
        {
            ++left;
            continue;
        }
        --right;
        uint32_t swap = order[left];
        order[left] = order[right];
        order[right] = swap;
    }
    return left;
}

/* Cuts a range into two to four pieces; returns their number (1 where it fits a block). */
static uint32_t cut_to_four(builder *build, range whole, uint32_t depth, range pieces[PL_BVH_WIDTH])
{
    pieces[0] = whole;
    uint32_t count = 1;
    while (count < PL_BVH_WIDTH)
    {
        uint32_t largest = PL_BVH_WIDTH;
        for (uint32_t i = 0; i < count; ++i)
        {
            if (pieces[i].end - pieces[i].begin > PL_BVH_WIDTH &&
                (largest == PL_BVH_WIDTH || pieces[i].area > pieces[largest].area))
            {
                largest = i;
            }
        }
        if (largest == PL_BVH_WIDTH)
        {
            break;
        }
        uint32_t at = cut(build, &pieces[largest], depth);
        pieces[count] = (range){at, pieces[largest].end, 0};
        pieces[largest].end = at;
        pieces[count].area = half_area(range_box(build, pieces[count].begin, pieces[count].end));
        pieces[largest].area = half_area(range_box(build, pieces[largest].begin, pieces[largest].end));
        ++count;
    }
    return count;
}

/* ---- Nodes and blocks ---- */

static void *grow(builder *build, void *array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
    {
        return array;
    }
    uint32_t wanted = *capacity < 64 ? 64 : *capacity * 2;
    void *grown = pl_realloc(&build->bvh->memory, array, wanted, size);
    if (grown)
    {
        *capacity = wanted;
    }
    return grown;
}

static pleat_result add_node(builder *build, uint32_t *index)
{
    pleat_bvh *bvh = build->bvh;
    uint32_t capacity = build->node_capacity;
    pl_bvh_node *nodes = grow(build, bvh->nodes, &capacity, bvh->node_count + 1, sizeof *nodes);
    if (!nodes)
    {
        return pl_fail_memory(&bvh->memory, build->error, "nodes of a tree");
    }
    bvh->nodes = nodes;
    capacity = build->node_capacity;
    uint32_t *ends = grow(build, build->ends, &capacity, bvh->node_count + 1, sizeof *ends);
    if (!ends)
    {
        return pl_fail_memory(&bvh->memory, build->error, "nodes of a tree");
    }
    build->ends = ends;
    build->node_capacity = capacity;
    pl_bvh_node *node = &bvh->nodes[bvh->node_count];
    for (int axis = 0; axis < 3; ++axis)
    {
        node->bounds[axis] = pl_splat(INFINITY);
        node->bounds[axis + 3] = pl_splat(-INFINITY);
    }
    for (uint32_t i = 0; i < PL_BVH_WIDTH; ++i)
    {
        node->child[i] = PL_BVH_EMPTY;
        node->last_block[i] = 0;
    }
    *index = bvh->node_count++;
    return PLEAT_OK;
}

static pleat_result add_block(builder *build, const range *r, uint32_t *index)
{
    pleat_bvh *bvh = build->bvh;
    uint32_t capacity = build->block_capacity;
    pl_bvh_block *blocks = grow(build, bvh->blocks, &capacity, bvh->block_count + 1, sizeof *blocks);
    if (!blocks)
    {
        return pl_fail_memory(&bvh->memory, build->error, "blocks of a tree");
    }
    bvh->blocks = blocks;
    capacity = build->block_capacity;
    pl_bvh_corners *corners = grow(build, bvh->corners, &capacity, bvh->block_count + 1, sizeof *corners);
    if (!corners)
    {
        return pl_fail_memory(&bvh->memory, build->error, "blocks of a tree");
    }
    bvh->corners = corners;
    build->block_capacity = capacity;
    for (uint32_t lane = 0; lane < PL_BVH_WIDTH; ++lane)
    {
        uint32_t from = r->begin + lane < r->end ? r->begin + lane : r->begin;
        uint32_t triangle = build->order[from];
        blocks[bvh->block_count].triangle[lane] = triangle;
        for (uint32_t k = 0; k < 3; ++k)
        {
            corners[bvh->block_count].vertex[k][lane] = build->triangles[(size_t)triangle * 3 + k];
        }
    }
    *index = bvh->block_count++;
    return PLEAT_OK;
}

static pleat_result build_node(builder *build, range whole, uint32_t depth, uint32_t *index)
{
    range pieces[PL_BVH_WIDTH];
    uint32_t count = cut_to_four(build, whole, depth, pieces);
    PL_TRY(add_node(build, index));
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t child = 0;
        if (pieces[i].end - pieces[i].begin <= PL_BVH_WIDTH)
        {
            PL_TRY(add_block(build, &pieces[i], &child));
            child |= PL_BVH_LEAF;
        }
        else
        {
            PL_TRY(build_node(build, pieces[i], depth + 1, &child));
        }
        build->bvh->nodes[*index].child[i] = child;
        build->bvh->nodes[*index].last_block[i] = build->bvh->block_count - 1;
    }
    build->ends[*index] = build->bvh->node_count;
    return PLEAT_OK;
}

/* Splits the nodes into the largest runs of at most RUN_NODES and the nodes above them. */
static pleat_result make_runs(builder *build)
{
    pleat_bvh *bvh = build->bvh;
    for (int pass = 0; pass < 2; ++pass)
    {
        uint32_t run_count = 0;
        uint32_t top_count = 0;
        for (uint32_t i = 0; i < bvh->node_count;)
        {
            if (build->ends[i] - i > RUN_NODES)
            {
                if (pass == 1)
                {
                    bvh->top[top_count] = i;
                }
                ++top_count;
                ++i;
                continue;
            }
            if (pass == 1)
            {
                bvh->runs[run_count] = (pl_bvh_run){i, build->ends[i]};
            }
            ++run_count;
            i = build->ends[i];
        }
        bvh->run_count = run_count;
        bvh->top_count = top_count;
        if (pass == 0)
        {
            bvh->runs = PL_NEW(&bvh->memory, pl_bvh_run, run_count);
            bvh->top = PL_NEW(&bvh->memory, uint32_t, top_count);
            if (!bvh->runs || !bvh->top)
            {
                return pl_fail_memory(&bvh->memory, build->error, "runs of a tree");
            }
        }
    }
    return PLEAT_OK;
}

/* Gives back what the arrays grew too far. */
static pleat_result trim(builder *build)
{
    pleat_bvh *bvh = build->bvh;
    pl_bvh_node *nodes = pl_realloc(&bvh->memory, bvh->nodes, bvh->node_count, sizeof *nodes);
    bvh->nodes = nodes ? nodes : bvh->nodes;
    pl_bvh_block *blocks = nodes ? pl_realloc(&bvh->memory, bvh->blocks, bvh->block_count, sizeof *blocks) : NULL;
    bvh->blocks = blocks ? blocks : bvh->blocks;
    pl_bvh_corners *corners = blocks ? pl_realloc(&bvh->memory, bvh->corners, bvh->block_count, sizeof *corners) : NULL;
    bvh->corners = corners ? corners : bvh->corners;
    return corners ? PLEAT_OK : pl_fail_memory(&bvh->memory, build->error, "a tree over triangles");
}

/* ---- Creation ---- */

static pleat_result check_triangles(uint32_t vertex_count, const pleat_vec4 *positions, uint32_t triangle_count,
                                    const uint32_t *triangles, pleat_error *error)
{
    if (triangle_count > UINT32_MAX / 6)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "triangle_count is %u; a tree holds at most %u", triangle_count,
                       UINT32_MAX / 6);
    }
    if (triangle_count > 0 && (!triangles || !positions))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s is NULL with %u triangles", triangles ? "positions" : "triangles",
                       triangle_count);
    }
    for (uint32_t c = 0; c < triangle_count * 3; ++c)
    {
        uint32_t v = triangles[c];
        if (v >= vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "triangles[%u] is %u; it must be below vertex_count %u", c, v,
                           vertex_count);
        }
        if (!(isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z)))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "positions[%u] is (%g, %g, %g); it must be finite", v,
                           (double)positions[v].x, (double)positions[v].y, (double)positions[v].z);
        }
    }
    return PLEAT_OK;
}

static pleat_result build_tree(builder *build, const pleat_vec4 *positions, uint32_t triangle_count)
{
    pl_memory *memory = &build->bvh->memory;
    build->boxes = PL_NEW(memory, box, triangle_count);
    build->order = PL_NEW(memory, uint32_t, triangle_count);
    if (!build->boxes || !build->order)
    {
        return pl_fail_memory(memory, build->error, "boxes of the triangles");
    }
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        build->order[t] = t;
        build->boxes[t] = empty_box();
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_f4 p = pl_load(&positions[build->triangles[(size_t)t * 3 + k]]);
            build->boxes[t] = join(build->boxes[t], (box){p, p});
        }
    }
    uint32_t root;
    range whole = {0, triangle_count, 0};
    PL_TRY(build_node(build, whole, 0, &root));
    PL_TRY(make_runs(build));
    return trim(build);
}

pleat_result pleat_bvh_create(uint32_t vertex_count, const pleat_vec4 *positions, uint32_t triangle_count,
                              const uint32_t *triangles, const pleat_host *host, pleat_bvh **bvh, pleat_error *error)
{
    *bvh = NULL;
    PL_TRY(check_triangles(vertex_count, positions, triangle_count, triangles, error));
    pleat_bvh *made = PL_CREATE(pleat_bvh, host);
    if (!made)
    {
        pl_memory memory = pl_memory_from(host);
        memory.over_limit = sizeof *made > memory.limit;
        return pl_fail_memory(&memory, error, "a tree over triangles");
    }
    made->triangle_count = triangle_count;
    made->low = pl_splat(INFINITY);
    made->high = pl_splat(-INFINITY);
    pleat_result result = PLEAT_OK;
    if (triangle_count > 0)
    {
        builder build = {.bvh = made, .triangles = triangles, .error = error};
        result = build_tree(&build, positions, triangle_count);
        pl_free(&made->memory, build.boxes);
        pl_free(&made->memory, build.order);
        pl_free(&made->memory, build.ends);
    }
    if (result != PLEAT_OK)
    {
        pleat_bvh_destroy(made);
        return result;
    }
    pleat_bvh_refit(made, positions, host ? &host->tasks : NULL);
    *bvh = made;
    return PLEAT_OK;
}

void pleat_bvh_destroy(pleat_bvh *bvh)
{
    if (!bvh)
    {
        return;
    }
    pl_free(&bvh->memory, bvh->nodes);
    pl_free(&bvh->memory, bvh->blocks);
    pl_free(&bvh->memory, bvh->corners);
    pl_free(&bvh->memory, bvh->runs);
    pl_free(&bvh->memory, bvh->top);
    PL_DESTROY(bvh);
}
