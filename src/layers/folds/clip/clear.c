/* Keeping clear: lids where folds would pass through cloth that skinning keeps apart.
 *
 * What a frame does about contact is told by planes and by a few places before each fold (frame/prepare_wide.c,
 * clearance/near.c). It is cheap, and it does not see everything. So the clip is played once more with all that is
 * known, triangles that cross are counted with and without folds, and in frames that folds have made worse, places
 * around what crosses newly are let down to where skinning has them: there no more crosses than without folds. Places
 * that folds have made better, such as creases, stay as they are: each patch of cloth is judged by itself.
 *
 * Creases come first: past 115 degrees, closing one may make more cross than it mends. Then it is left open in bends as
 * deep (pl_bound_ring.opens), before lids are looked for.
 *
 * While the crease of a ring closes, length comes before contact: what folds of that ring do to each other is left to
 * its planes. So it is somewhat beyond, as a lid holds in bends around its own, too. */
#include "base/fail.h"
#include "layers/folds/clip/rehearse.h"
#include "mesh/bvh/sheet.h"

#include <string.h>

/* Seconds between two looks, at least: every frame of a bake, but for those that are sampled far more densely than they
 * are seen. (With every other frame of 30 a second left out, those had 1.001 and 1.007 x as many crossings as without
 * folds on two dancers.) */
#define BETWEEN (1.0f / 60)
/* How far around a triangle that crosses newly places are let down in the first round, of a fold's width; twice as far
 * in the second, and so on. */
#define REACH 1.0f
/* Bends in which folds of a ring may cross each other, as cosines: from 75 degrees, where its crease closes, to 115;
 * and from 57 degrees, where that begins, if it covers so much cloth, of a fold's width. From 100 on contact comes
 * first, and there a lid of 115 has risen to half of a fold's width. */
#define CLOSES 0.26f
#define BEGINS 0.54f
#define COVERS 1.0f
#define CLOSED (-0.42f)
/* The same of the swing of one joint, radians. */
#define CLOSED_SWING 2.0f

enum
{
    ROUNDS = 3
};

/* Triangles that cross in the frame at work. */
typedef struct count
{
    uint64_t pairs;
    uint32_t *counts; /* by triangle: how many of them it is in */
} count;

typedef struct clearing
{
    pl_fold_rehearsal *r;
    const pleat_topology *topology;
    pl_bvh_sheet sheet;
    uint32_t triangle_count, *triangles; /* that are looked at */
    uint32_t *moved_by;                  /* by vertex: the ring that moves it, or their number */
    uint32_t *rings;                     /* by triangle: likewise */
    uint8_t *lenient;                    /* by ring: folds of its own may cross */
    uint8_t *closing;                    /* by ring: so they may, and its crease closes over cloth */
    count skinned, folded;
    /* Vertices around triangles that cross newly. */
    float *ways; /* by vertex: how far from the nearest; INFINITY: not reached */
    uint32_t reached_count, *reached;
    uint32_t *queue;
    uint8_t *queued;
    uint32_t *patches; /* by vertex reached: another one of its patch, or itself */
    int32_t *gains;    /* by vertex that a patch is named after: how many more of its triangles cross */
    float *heights;    /* by vertex: lids of the frame at work; INFINITY: none */
} clearing;

static void count_crossings(clearing *c, const pleat_vec4 *positions, bool moved_only, count *out)
{
    const pleat_tasks *tasks = &c->r->host->tasks;
    pl_bvh_tally tally = {out->counts, c->rings, c->lenient};
    memset(out->counts, 0, c->triangle_count * sizeof *out->counts);
    pl_bvh_sheet_refit(&c->sheet, positions, moved_only, tasks);
    out->pairs = pl_bvh_sheet_crossings(&c->sheet, &tally);
}

/* ---- Patches ---- */

static uint32_t patch_of(const clearing *c, uint32_t v)
{
    while (c->patches[v] != v)
    {
        v = c->patches[v] = c->patches[c->patches[v]];
    }
    return v;
}

static void join(const clearing *c, uint32_t a, uint32_t b)
{
    a = patch_of(c, a);
    b = patch_of(c, b);
    c->patches[a > b ? a : b] = a > b ? b : a;
}

static bool reach(clearing *c, uint32_t v, float way)
{
    if (!(way < c->ways[v]))
    {
        return false;
    }
    if (c->ways[v] == INFINITY)
    {
        c->reached[c->reached_count++] = v;
        c->patches[v] = v;
        c->gains[v] = 0;
    }
    c->ways[v] = way;
    return true;
}

/* The nearest ways from what crosses newly, over edges at rest. */
static void spread(clearing *c, float most)
{
    uint32_t room = c->topology->vertex_count, first = 0, waiting = 0;
    const pleat_vec4 *rest = c->r->cloth->rest;
    for (uint32_t i = 0; i < c->reached_count; ++i)
    {
        c->queue[waiting++] = c->reached[i];
        c->queued[c->reached[i]] = 1;
    }
    while (waiting)
    {
        uint32_t v = c->queue[first];
        first = first + 1 < room ? first + 1 : 0;
        --waiting;
        c->queued[v] = 0;
        for (uint32_t i = c->topology->ring_start[v]; i < c->topology->ring_start[v + 1]; ++i)
        {
            const uint32_t *corners = c->topology->triangles + c->topology->ring_corner[i] / 3 * 3;
            for (int k = 0; k < 3; ++k)
            {
                uint32_t other = corners[k];
                float way = c->ways[v] + pl_length3(pl_load(&rest[other]) - pl_load(&rest[v]));
                if (other == v || !(way < most))
                {
                    continue;
                }
                if (reach(c, other, way) && !c->queued[other])
                {
                    uint32_t at = first + waiting++;
                    c->queue[at < room ? at : at - room] = other;
                    c->queued[other] = 1;
                }
                join(c, v, other);
            }
        }
    }
}

/* Finds the vertices around triangles that cross newly. */
static void find_patches(clearing *c, float most)
{
    for (uint32_t i = 0; i < c->reached_count; ++i)
    {
        c->ways[c->reached[i]] = INFINITY;
    }
    c->reached_count = 0;
    for (uint32_t t = 0; t < c->triangle_count; ++t)
    {
        for (uint32_t k = 0; k < 3 && c->folded.counts[t] > c->skinned.counts[t]; ++k)
        {
            reach(c, c->triangles[3 * (size_t)t + k], 0);
        }
    }
    spread(c, most);
}

/* How many more triangles of each patch cross than without folds. */
static void weigh_patches(const clearing *c)
{
    for (uint32_t t = 0; t < c->triangle_count; ++t)
    {
        int32_t gain = (int32_t)c->folded.counts[t] - (int32_t)c->skinned.counts[t];
        const uint32_t *corners = c->triangles + 3 * (size_t)t;
        for (uint32_t k = 0; k < 3 && gain; ++k)
        {
            if (c->ways[corners[k]] < INFINITY)
            {
                c->gains[patch_of(c, corners[k])] += gain;
                break;
            }
        }
    }
}

/* Lets the patches down that folds have made worse; returns whether there are any. Cloth that a crease is about to
 * close over stays: put back onto it in part, it would cross itself. */
static bool let_down(const clearing *c, float most)
{
    pl_fold_rehearsal *r = c->r;
    bool any = false;
    for (uint32_t i = 0; i < c->reached_count; ++i)
    {
        uint32_t v = c->reached[i];
        float offset = r->offsets[1][v], height = offset * pl_fold_ramp(c->ways[v], 0, most);
        if (c->gains[patch_of(c, v)] > 0 && height < offset && !c->closing[c->moved_by[v]])
        {
            pl_f4 skinned = pl_load(&r->skinned[v]), folded = pl_load(&r->folded[v]);
            pl_store(&r->folded[v], skinned + (folded - skinned) * pl_splat(height / offset));
            r->offsets[1][v] = height;
            c->heights[v] = height;
            any = true;
        }
    }
    return any;
}

/* ---- Frames ---- */

static pleat_result keep_lids(const clearing *c, pleat_error *error)
{
    pl_fold_rehearsal *r = c->r;
    pl_fold_stance *stance = NULL;
    uint32_t lids = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        lids += c->heights[v] < INFINITY;
    }
    if (lids && r->lid_count + lids <= PL_FOLD_MOST_LIDS)
    {
        PL_TRY(pl_fold_rehearsal_keep(r, r->poses[1], lids, &stance, error));
    }
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        if (stance && c->heights[v] < INFINITY)
        {
            pl_fold_rehearsal_lid(r, stance, v, c->heights[v]);
        }
        c->heights[v] = INFINITY;
    }
    return PLEAT_OK;
}

/* The cosine of how far the limb is bent from where a ring's lines begin to where they end: all joints of a chain. */
static float bend_across(const pl_bound_ring *ring, const pleat_affine *joints)
{
    pl_f4 ends[2] = {pl_splat(0), pl_splat(0)};
    for (uint32_t i = 0; i < 2 * ring->station_count; ++i)
    {
        uint32_t foot = i / 2 * (ring->fold_count + 1) + (i % 2 ? ring->fold_count : 0);
        pl_fold_up up = ring->lines.ups[foot];
        up.normal = ring->limb.axis;
        ends[i % 2] += pl_fold_turn(&up, joints);
    }
    return pl_dot3(pl_normalize3(ends[0]), pl_normalize3(ends[1]));
}

static void find_lenient(const clearing *c)
{
    for (uint32_t i = 0; i < c->r->layer->ring_count; ++i)
    {
        float cosine = bend_across(&c->r->layer->rings[i], c->r->joints);
        const pl_folds_layer *layer = c->r->layer;
        bool covers = layer->bends.closed[i] > COVERS * layer->rings[i].width;
        c->lenient[i] = cosine < (covers ? BEGINS : CLOSES) && cosine > CLOSED;
        c->closing[i] = c->lenient[i] && covers;
    }
}

/* ---- Creases ---- */

/* Do triangles of a ring cross more than without folds? Lids for a few of them would pull others apart. (Asked for a
 * sixteenth more, a fat man's knees came to 1.010 instead of 1.004 of skinning's.) */
static bool is_worse(const clearing *c, uint32_t ring)
{
    uint64_t skinned = 0, folded = 0;
    for (uint32_t t = 0; t < c->triangle_count; ++t)
    {
        skinned += c->rings[t] == ring ? c->skinned.counts[t] : 0;
        folded += c->rings[t] == ring ? c->folded.counts[t] : 0;
    }
    return folded > skinned;
}

static bool any_closed(const clearing *c)
{
    uint32_t ring = 0;
    while (ring < c->r->layer->ring_count && !(pl_fold_swing(&c->r->layer->rings[ring], c->r->joints) > CLOSED_SWING))
    {
        ++ring;
    }
    return ring < c->r->layer->ring_count;
}

/* In a frame with a limb bent so far that its crease is closed: is it better left open? */
static pleat_result open_creases(clearing *c, uint32_t frame, pleat_error *error)
{
    pl_fold_rehearsal *r = c->r;
    PL_TRY(r->preview->look(r->preview->user, frame, NULL, error));
    pl_fold_rehearsal_take_pose(r);
    if (!any_closed(c))
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_fold_rehearsal_play(r, (int64_t)frame * r->steps, error));
    if (!pl_bvh_sheet_move(&c->sheet, r->offsets[1]))
    {
        return PLEAT_OK;
    }
    memset(c->lenient, 0, r->layer->ring_count);
    count_crossings(c, r->skinned, false, &c->skinned);
    count_crossings(c, r->folded, true, &c->folded);
    for (uint32_t i = 0; i < r->layer->ring_count; ++i)
    {
        pl_bound_ring *ring = &r->layer->rings[i];
        float swing = pl_fold_swing(ring, r->joints);
        if (swing > CLOSED_SWING && swing < ring->limb.opens && is_worse(c, i))
        {
            ring->limb.opens = swing;
        }
    }
    return PLEAT_OK;
}

/* ---- Places ---- */

static pleat_result clear_frame(clearing *c, uint32_t frame, pleat_error *error)
{
    pl_fold_rehearsal *r = c->r;
    PL_TRY(pl_fold_rehearsal_play(r, (int64_t)frame * r->steps, error));
    if (!pl_bvh_sheet_move(&c->sheet, r->offsets[1]))
    {
        return PLEAT_OK;
    }
    find_lenient(c);
    count_crossings(c, r->skinned, false, &c->skinned);
    count_crossings(c, r->folded, true, &c->folded);
    uint32_t round = 0;
    for (; round < ROUNDS && c->folded.pairs > c->skinned.pairs; ++round)
    {
        float most = (float)(round + 1) * REACH * r->width;
        find_patches(c, most);
        weigh_patches(c);
        if (!let_down(c, most))
        {
            break;
        }
        count_crossings(c, r->folded, true, &c->folded);
    }
    return round ? keep_lids(c, error) : PLEAT_OK;
}

/* ---- All ---- */

static pleat_result fail(const clearing *c, pleat_error *error)
{
    return pl_fail_memory(&c->r->layer->memory, error, "crossings of folds");
}

/* Rings by vertex: of overlapping ones the last, their number where none moves it. */
static uint32_t *rings_of_vertices(const clearing *c)
{
    const pl_folds_layer *layer = c->r->layer;
    uint32_t *rings = PL_ARENA_NEW(&c->r->scratch, uint32_t, c->r->vertex_count);
    for (uint32_t v = 0; v < c->r->vertex_count && rings; ++v)
    {
        rings[v] = layer->ring_count;
    }
    for (uint32_t r = 0; r < layer->ring_count && rings; ++r)
    {
        for (uint32_t i = 0; i < layer->rings[r].cloth.vertex_count; ++i)
        {
            rings[layer->rings[r].cloth.vertices[i].vertex] = r;
        }
    }
    return rings;
}

/* Finds the triangles to be looked at, and makes the tree. */
static pleat_result open_sheet(clearing *c, pleat_error *error)
{
    const pl_folds_layer *layer = c->r->layer;
    pl_arena *arena = &c->r->scratch;
    uint32_t most = c->topology->triangle_count, *rings = c->moved_by = rings_of_vertices(c);
    uint32_t *shells = PL_ARENA_NEW(arena, uint32_t, most);
    c->triangles = PL_ARENA_NEW(arena, uint32_t, 3 * (size_t)most);
    c->rings = PL_ARENA_NEW(arena, uint32_t, most);
    c->lenient = PL_ARENA_NEW(arena, uint8_t, layer->ring_count + 1);
    c->closing = PL_ARENA_NEW(arena, uint8_t, layer->ring_count + 1);
    if (!rings || !shells || !c->triangles || !c->rings || !c->lenient || !c->closing)
    {
        return fail(c, error);
    }
    pleat_topology_shells(c->topology, shells);
    for (uint32_t t = 0; t < most; ++t)
    {
        if (!layer->no_cloth || !layer->no_cloth[t])
        {
            const uint32_t *corners = c->topology->triangles + 3 * (size_t)t;
            memcpy(c->triangles + 3 * (size_t)c->triangle_count, corners, 3 * sizeof *corners);
            shells[c->triangle_count] = shells[t];
            c->rings[c->triangle_count++] = rings[corners[0]];
        }
    }
    c->lenient[layer->ring_count] = c->closing[layer->ring_count] = false;
    pl_bvh_sheet_desc desc = {c->r->vertex_count, c->r->cloth->rest, c->triangle_count, c->triangles, shells};
    return pl_bvh_sheet_make(&desc, arena, c->r->host, &c->sheet, error);
}

static pleat_result open_clearing(clearing *c, pleat_error *error)
{
    pl_arena *arena = &c->r->scratch;
    uint32_t vertices = c->r->vertex_count, triangles = c->topology->triangle_count;
    c->skinned.counts = PL_ARENA_NEW(arena, uint32_t, triangles);
    c->folded.counts = PL_ARENA_NEW(arena, uint32_t, triangles);
    c->ways = PL_ARENA_NEW(arena, float, vertices);
    c->heights = PL_ARENA_NEW(arena, float, vertices);
    c->reached = PL_ARENA_NEW(arena, uint32_t, vertices);
    c->queue = PL_ARENA_NEW(arena, uint32_t, vertices);
    c->queued = PL_ARENA_NEW(arena, uint8_t, vertices);
    c->patches = PL_ARENA_NEW(arena, uint32_t, vertices);
    c->gains = PL_ARENA_NEW(arena, int32_t, vertices);
    if (!c->skinned.counts || !c->folded.counts || !c->ways || !c->heights || !c->reached || !c->queue || !c->queued ||
        !c->patches || !c->gains)
    {
        return fail(c, error);
    }
    for (uint32_t v = 0; v < vertices; ++v)
    {
        c->ways[v] = c->heights[v] = INFINITY;
    }
    return open_sheet(c, error);
}

pleat_result pl_folds_keep_clear(pl_fold_rehearsal *r, pleat_error *error)
{
    clearing c = {.r = r, .topology = r->cloth->topology};
    pleat_result result = open_clearing(&c, error);
    uint32_t stride = (uint32_t)fminf(fmaxf(roundf(BETWEEN / r->cloth->clip_step), 1), 1e6f);
    for (uint32_t f = 0; f < r->cloth->frame_count && result == PLEAT_OK; f += stride)
    {
        result = open_creases(&c, f, error);
    }
    for (uint32_t f = 0; f < r->cloth->frame_count && result == PLEAT_OK; f += stride)
    {
        result = clear_frame(&c, f, error);
    }
    pleat_bvh_destroy(c.sheet.bvh);
    return result;
}
