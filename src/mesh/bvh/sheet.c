#include "mesh/bvh/sheet.h"

#include "base/parallel.h"
#include "mesh/lanes.h"

static bool is_leaf(uint32_t child)
{
    return child & PL_BVH_LEAF && child != PL_BVH_EMPTY;
}

static float least4(pl_f4 a)
{
    a = pl_min4(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return a[0] < a[1] ? a[0] : a[1];
}

static float most4(pl_f4 a)
{
    a = pl_max4(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return a[0] > a[1] ? a[0] : a[1];
}

/* ---- At rest ---- */

static void block_shells(const pl_bvh_block *block, const uint32_t *shells, float *low, float *high)
{
    for (uint32_t lane = 0; lane < PL_BVH_WIDTH; ++lane)
    {
        float shell = (float)shells[block->triangle[lane]];
        *low = shell < *low ? shell : *low;
        *high = shell > *high ? shell : *high;
    }
}

static void find_origin(const pl_bvh_sheet *sheet, uint32_t n, const uint32_t *shells)
{
    const pl_bvh_node *node = &sheet->bvh->nodes[n];
    pl_bvh_origin *origin = &sheet->origins[n];
    for (int i = 0; i < 6; ++i)
    {
        origin->bounds[i] = node->bounds[i];
    }
    for (uint32_t i = 0; i < PL_BVH_WIDTH; ++i)
    {
        uint32_t child = node->child[i];
        float low = INFINITY, high = -INFINITY;
        if (is_leaf(child))
        {
            block_shells(&sheet->bvh->blocks[child & ~PL_BVH_LEAF], shells, &low, &high);
        }
        else if (child != PL_BVH_EMPTY)
        {
            low = least4(sheet->origins[child].shells[0]);
            high = most4(sheet->origins[child].shells[1]);
        }
        origin->shells[0][i] = low;
        origin->shells[1][i] = high;
    }
}

pleat_result pl_bvh_sheet_make(const pl_bvh_sheet_desc *desc, pl_arena *arena, const pleat_host *host,
                               pl_bvh_sheet *out, pleat_error *error)
{
    *out = (pl_bvh_sheet){0};
    PL_TRY(pleat_bvh_create(desc->vertex_count, desc->rest, desc->triangle_count, desc->triangles, host, &out->bvh,
                            error));
    uint32_t nodes = out->bvh->node_count;
    out->origins = PL_ARENA_NEW(arena, pl_bvh_origin, nodes);
    out->parts = PL_ARENA_NEW(arena, pl_bvh_parts, nodes);
    out->moved = PL_ARENA_NEW(arena, uint8_t, nodes);
    out->moved_runs = PL_ARENA_NEW(arena, uint8_t, out->bvh->run_count);
    if (!out->origins || !out->parts || !out->moved || !out->moved_runs)
    {
        return pl_fail_memory(arena->memory, error, "a tree over cloth");
    }
    for (uint32_t n = nodes; n-- > 0;)
    {
        find_origin(out, n, desc->shells);
    }
    return PLEAT_OK;
}

/* ---- Now ---- */

static bool block_moves(const pl_bvh_corners *corners, const float *ways)
{
    bool moves = false;
    for (uint32_t i = 0; i < 3 * PL_BVH_WIDTH; ++i)
    {
        moves |= ways[corners->vertex[i / PL_BVH_WIDTH][i % PL_BVH_WIDTH]] > 0;
    }
    return moves;
}

bool pl_bvh_sheet_move(const pl_bvh_sheet *sheet, const float *ways)
{
    const pleat_bvh *bvh = sheet->bvh;
    for (uint32_t n = bvh->node_count; n-- > 0;)
    {
        sheet->moved[n] = 0;
        for (uint32_t i = 0; i < PL_BVH_WIDTH; ++i)
        {
            uint32_t child = bvh->nodes[n].child[i];
            bool moves = is_leaf(child) ? block_moves(&bvh->corners[child & ~PL_BVH_LEAF], ways)
                                        : child != PL_BVH_EMPTY && sheet->moved[child];
            sheet->moved[n] |= (uint8_t)(moves ? 1u << i : 0);
        }
    }
    for (uint32_t r = 0; r < bvh->run_count; ++r)
    {
        sheet->moved_runs[r] = sheet->moved[bvh->runs[r].begin];
    }
    return bvh->node_count && sheet->moved[0];
}

/* Takes the corners of a block from the positions. */
static void load_block(const pl_bvh_sheet *sheet, uint32_t block, pl_f4 corner[3][3])
{
    const pl_bvh_corners *corners = &sheet->bvh->corners[block];
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 p[PL_BVH_WIDTH];
        for (uint32_t lane = 0; lane < PL_BVH_WIDTH; ++lane)
        {
            p[lane] = pl_load(&sheet->positions[corners->vertex[k][lane]]);
        }
        pl_transpose3(p[0], p[1], p[2], p[3], corner[k]);
    }
}

/* Where a block is, and which way it faces; every way where a triangle has no area. */
static void bound_block(const pl_bvh_sheet *sheet, uint32_t block, float bounds[6], float turns[6])
{
    pl_f4 corner[3][3], a[3], b[3], normal[3], largest = pl_splat(0);
    load_block(sheet, block, corner);
    for (int axis = 0; axis < 3; ++axis)
    {
        bounds[axis] = least4(pl_min4(pl_min4(corner[0][axis], corner[1][axis]), corner[2][axis]));
        bounds[axis + 3] = most4(pl_max4(pl_max4(corner[0][axis], corner[1][axis]), corner[2][axis]));
        a[axis] = corner[1][axis] - corner[0][axis];
        b[axis] = corner[2][axis] - corner[0][axis];
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        int y = (axis + 1) % 3, z = (axis + 2) % 3;
        normal[axis] = a[y] * b[z] - a[z] * b[y];
        largest = pl_max4(pl_abs4(normal[axis]), largest);
    }
    bool flat = !(least4(largest) > 1e-30f);
    for (int axis = 0; axis < 3; ++axis)
    {
        pl_f4 turn = normal[axis] / largest;
        turns[axis] = flat ? -1 : least4(turn);
        turns[axis + 3] = flat ? 1 : most4(turn);
    }
}

static void bound_node(const pl_bvh_sheet *sheet, uint32_t child, float bounds[6], float turns[6])
{
    const pl_bvh_parts *parts = &sheet->parts[child];
    for (int i = 0; i < 3; ++i)
    {
        bounds[i] = least4(parts->bounds[i]);
        bounds[i + 3] = most4(parts->bounds[i + 3]);
        turns[i] = least4(parts->turns[i]);
        turns[i + 3] = most4(parts->turns[i + 3]);
    }
}

static void bound_parts(const pl_bvh_sheet *sheet, uint32_t n)
{
    static const float nothing[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    float bounds[PL_BVH_WIDTH][6], turns[PL_BVH_WIDTH][6];
    for (uint32_t i = 0; i < PL_BVH_WIDTH; ++i)
    {
        uint32_t child = sheet->bvh->nodes[n].child[i];
        if (is_leaf(child))
        {
            bound_block(sheet, child & ~PL_BVH_LEAF, bounds[i], turns[i]);
        }
        else if (child != PL_BVH_EMPTY)
        {
            bound_node(sheet, child, bounds[i], turns[i]);
        }
        for (int k = 0; k < 6 && child == PL_BVH_EMPTY; ++k)
        {
            bounds[i][k] = turns[i][k] = nothing[k];
        }
    }
    for (int k = 0; k < 6; ++k)
    {
        sheet->parts[n].bounds[k] = pl_set(bounds[0][k], bounds[1][k], bounds[2][k], bounds[3][k]);
        sheet->parts[n].turns[k] = pl_set(turns[0][k], turns[1][k], turns[2][k], turns[3][k]);
    }
}

typedef struct refit_job
{
    const pl_bvh_sheet *sheet;
    bool moved_only;
} refit_job;

static void refit_runs(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    const refit_job *job = data;
    for (uint32_t r = begin; r < end; ++r)
    {
        pl_bvh_run run = job->sheet->bvh->runs[r];
        for (uint32_t n = run.end; n-- > run.begin && (!job->moved_only || job->sheet->moved_runs[r]);)
        {
            bound_parts(job->sheet, n);
        }
    }
}

void pl_bvh_sheet_refit(pl_bvh_sheet *sheet, const pleat_vec4 *positions, bool moved_only, const pleat_tasks *tasks)
{
    refit_job job = {sheet, moved_only};
    sheet->positions = positions;
    pl_parallel_for(tasks, sheet->bvh->run_count, 4, refit_runs, &job);
    for (uint32_t i = sheet->bvh->top_count; i-- > 0;)
    {
        bound_parts(sheet, sheet->bvh->top[i]);
    }
}

/* ---- Pairs ---- */

/* One part, the same in all lanes. */
typedef struct part
{
    uint32_t child;
    bool moved;
    pl_bvh_parts now;
    pl_bvh_origin origin;
} part;

typedef struct pair_job
{
    const pl_bvh_sheet *sheet;
    const pl_bvh_tally *tally;
    uint64_t count;
} pair_job;

static part part_of(const pl_bvh_sheet *sheet, uint32_t n, uint32_t lane)
{
    part p = {.child = sheet->bvh->nodes[n].child[lane], .moved = sheet->moved[n] >> lane & 1};
    for (int i = 0; i < 6; ++i)
    {
        p.now.bounds[i] = pl_splat(sheet->parts[n].bounds[i][lane]);
        p.now.turns[i] = pl_splat(sheet->parts[n].turns[i][lane]);
        p.origin.bounds[i] = pl_splat(sheet->origins[n].bounds[i][lane]);
    }
    p.origin.shells[0] = pl_splat(sheet->origins[n].shells[0][lane]);
    p.origin.shells[1] = pl_splat(sheet->origins[n].shells[1][lane]);
    return p;
}

static pl_i4 overlap(const pl_f4 a[6], const pl_f4 b[6])
{
    pl_i4 mask = {-1, -1, -1, -1};
    for (int axis = 0; axis < 3; ++axis)
    {
        mask &= (pl_i4)(a[axis] <= b[axis + 3]) & (pl_i4)(b[axis] <= a[axis + 3]);
    }
    return mask;
}

/* Do all normals of both point to one side of a plane: the one across the middle of their bounds? */
static pl_i4 face_one_way(const pl_f4 a[6], const pl_f4 b[6])
{
    pl_f4 least = pl_splat(0);
    for (int axis = 0; axis < 3; ++axis)
    {
        pl_f4 low = pl_min4(a[axis], b[axis]), high = pl_max4(a[axis + 3], b[axis + 3]), middle = low + high;
        least += middle * middle - (high - low) * pl_abs4(middle);
    }
    return (pl_i4)(least > pl_splat(0));
}

/* Lanes of a node that may cross a part. */
static uint32_t lanes_met(const pl_bvh_sheet *sheet, uint32_t n, const part *p)
{
    const pl_bvh_parts *parts = &sheet->parts[n];
    const pl_bvh_origin *origin = &sheet->origins[n];
    uint32_t met = pl_mask4(overlap(parts->bounds, p->now.bounds)) & (p->moved ? 15u : sheet->moved[n]);
    if (!met)
    {
        return 0;
    }
    pl_i4 smooth = overlap(origin->bounds, p->origin.bounds) & face_one_way(parts->turns, p->now.turns);
    smooth &= (pl_i4)(origin->shells[0] == p->origin.shells[1]) & (pl_i4)(origin->shells[1] == p->origin.shells[0]);
    return met & ~pl_mask4(smooth);
}

static void cross_leaves(pair_job *job, uint32_t a, uint32_t b)
{
    const pleat_bvh *bvh = job->sheet->bvh;
    pl_bvh_block blocks[2] = {bvh->blocks[a], bvh->blocks[b]};
    load_block(job->sheet, a, blocks[0].corner);
    load_block(job->sheet, b, blocks[1].corner);
    job->count += pl_bvh_block_crossings(&blocks[0], a == b ? &blocks[0] : &blocks[1], job->tally);
}

static float extent(const part *p)
{
    float most = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        most = fmaxf(most, p->now.bounds[axis + 3][0] - p->now.bounds[axis][0]);
    }
    return most;
}

/* Two parts that may cross: the larger one is opened. As deep as the tree at most. */
static void cross_parts(pair_job *job, const part *a, const part *b)
{
    if (is_leaf(a->child) && is_leaf(b->child))
    {
        cross_leaves(job, a->child & ~PL_BVH_LEAF, b->child & ~PL_BVH_LEAF);
        return;
    }
    bool first = !is_leaf(a->child) && (is_leaf(b->child) || extent(a) > extent(b));
    const part *open = first ? a : b, *other = first ? b : a;
    for (uint32_t met = lanes_met(job->sheet, open->child, other); met; met &= met - 1)
    {
        part inside = part_of(job->sheet, open->child, (uint32_t)__builtin_ctz(met));
        cross_parts(job, &inside, other);
    }
}

/* A node's parts with each other and with themselves. */
static void cross_node(pair_job *job, uint32_t n)
{
    const pl_bvh_sheet *sheet = job->sheet;
    for (uint32_t i = 0; i < PL_BVH_WIDTH && sheet->moved[n]; ++i)
    {
        if (sheet->bvh->nodes[n].child[i] == PL_BVH_EMPTY)
        {
            continue;
        }
        part p = part_of(sheet, n, i);
        uint32_t met = lanes_met(sheet, n, &p);
        if (met >> i & 1 && is_leaf(p.child))
        {
            cross_leaves(job, p.child & ~PL_BVH_LEAF, p.child & ~PL_BVH_LEAF);
        }
        else if (met >> i & 1)
        {
            cross_node(job, p.child);
        }
        for (met &= ~((2u << i) - 1); met; met &= met - 1)
        {
            part q = part_of(sheet, n, (uint32_t)__builtin_ctz(met));
            cross_parts(job, &p, &q);
        }
    }
}

uint64_t pl_bvh_sheet_crossings(const pl_bvh_sheet *sheet, const pl_bvh_tally *tally)
{
    pair_job job = {.sheet = sheet, .tally = tally};
    if (sheet->bvh->node_count)
    {
        cross_node(&job, 0);
    }
    return job.count;
}
