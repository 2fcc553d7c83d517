#include "layers/folds/garment/lining.h"

#include "base/fail.h"

#include <string.h>

/* What lies nearer behind a triangle than this, of what the cloth is blown up by, is its own surroundings. */
#define SKIPPED 0.75f
/* The other side is parallel, a cosine, and has this much of its weights in common. */
#define PARALLEL 0.8f
#define COMMON 0.6f
/* A lining faces the bones by the first, a mean of sines, and its other side by so much less. */
#define INWARDS (-0.1)
#define APART 0.3

/* ---- Which side is which ---- */

/* Two sides of one cloth are no farther apart than this part of its longest extent. */
#define THICKEST 0.025f

typedef struct side_finder
{
    const pleat_cloth *cloth;
    const pl_fold_bone *bones;
    uint32_t bone_count;
    pl_f4 *normals;   /* by triangle, unit */
    uint32_t *behind; /* the triangle on the other side of the cloth, or PLEAT_NONE */
    uint32_t *part;   /* by triangle: union-find over those with another side */
    double *outwards; /* by first triangle of a part: how much it faces away from the bones, and its area */
    double *areas;
    float thickest, reach;
} side_finder;

static pl_f4 middle_of(const pleat_cloth *cloth, uint32_t triangle)
{
    const uint32_t *corner = cloth->topology->triangles + 3 * (size_t)triangle;
    return (pl_load(&cloth->rest[corner[0]]) + pl_load(&cloth->rest[corner[1]]) + pl_load(&cloth->rest[corner[2]])) *
           pl_splat(1.0f / 3);
}

static pl_f4 area_of(const pleat_cloth *cloth, uint32_t triangle)
{
    const uint32_t *corner = cloth->topology->triangles + 3 * (size_t)triangle;
    pl_f4 a = pl_load(&cloth->rest[corner[0]]);
    return pl_cross(pl_load(&cloth->rest[corner[1]]) - a, pl_load(&cloth->rest[corner[2]]) - a) * pl_splat(0.5f);
}

static float extent_of(const pleat_cloth *cloth)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t v = 0; v < cloth->topology->vertex_count; ++v)
    {
        low = pl_min(low, pl_load(&cloth->rest[v]));
        high = pl_max(high, pl_load(&cloth->rest[v]));
    }
    pl_f4 size = high - low;
    return fmaxf(fmaxf(size[0], size[1]), fmaxf(size[2], 0));
}

/* The weight of a joint at a triangle, as the mean of its corners. */
static float weight_at(const pleat_cloth *cloth, uint32_t triangle, uint32_t joint)
{
    float sum = 0;
    for (uint32_t n = 0; n < 3 * cloth->influence_count; ++n)
    {
        uint32_t vertex = cloth->topology->triangles[3 * (size_t)triangle + n / cloth->influence_count];
        size_t at = (size_t)vertex * cloth->influence_count + n % cloth->influence_count;
        sum += cloth->joints[at] == joint ? cloth->weights[at] : 0;
    }
    return sum / 3;
}

/* How much of the skinning weights two triangles have in common, 0 .. 1: each influence of the first counts as far as
 * the second has its joint too. */
static float common_weight(const pleat_cloth *cloth, uint32_t a, uint32_t b)
{
    float sum = 0;
    for (uint32_t n = 0; n < 3 * cloth->influence_count; ++n)
    {
        uint32_t vertex = cloth->topology->triangles[3 * (size_t)a + n / cloth->influence_count];
        size_t at = (size_t)vertex * cloth->influence_count + n % cloth->influence_count;
        float whole = cloth->weights[at] > 0 ? weight_at(cloth, a, cloth->joints[at]) : 0;
        if (whole > 0)
        {
            float there = weight_at(cloth, b, cloth->joints[at]);
            sum += cloth->weights[at] / 3 * fminf(there / whole, 1);
        }
    }
    return sum;
}

/* What lies behind each triangle. The tree holds the cloth blown up by a little, so that two sides in one place stand
 * apart there. */
static void look_behind(side_finder *f, const pleat_bvh *bvh, float blown)
{
    const pleat_cloth *cloth = f->cloth;
    for (uint32_t t = 0; t < cloth->topology->triangle_count; ++t)
    {
        pl_f4 back = -f->normals[t];
        pl_f4 from = middle_of(cloth, t) - back * pl_splat(blown);
        f->behind[t] = PLEAT_NONE;
        if (!(pl_dot3(back, back) > 0.5f))
        {
            continue;
        }
        pleat_hit hit = pleat_bvh_ray(bvh, pl_to(from), pl_to(back), SKIPPED * blown, f->thickest + 2 * blown);
        if (hit.triangle != PLEAT_NONE && hit.triangle != t && pl_dot3(f->normals[hit.triangle], back) > PARALLEL &&
            common_weight(cloth, t, hit.triangle) > COMMON)
        {
            f->behind[t] = hit.triangle;
        }
    }
}

static uint32_t part_of(uint32_t *part, uint32_t t)
{
    while (part[t] != t)
    {
        part[t] = part[part[t]];
        t = part[t];
    }
    return t;
}

/* The triangle across an edge if the cloth goes on smoothly there, else PLEAT_NONE. A rim turns by more. */
static uint32_t smooth_neighbour(const side_finder *f, uint32_t corner)
{
    uint32_t twin = f->cloth->topology->twin[corner];
    if (twin >= 3 * f->cloth->topology->triangle_count)
    {
        return PLEAT_NONE;
    }
    return pl_dot3(f->normals[corner / 3], f->normals[twin / 3]) > 0.5f ? twin / 3 : PLEAT_NONE;
}

/* How much a triangle faces away from the bone of its strongest joint, -1 .. 1. */
static float outward(const side_finder *f, uint32_t triangle)
{
    const pleat_cloth *cloth = f->cloth;
    uint32_t strongest = PLEAT_NONE;
    float most = 0;
    for (uint32_t n = 0; n < 3 * cloth->influence_count; ++n)
    {
        uint32_t vertex = cloth->topology->triangles[3 * (size_t)triangle + n / cloth->influence_count];
        size_t at = (size_t)vertex * cloth->influence_count + n % cloth->influence_count;
        strongest = cloth->weights[at] > most ? cloth->joints[at] : strongest;
        most = fmaxf(most, cloth->weights[at]);
    }
    if (strongest >= f->bone_count)
    {
        return 0;
    }
    const pl_fold_bone *bone = &f->bones[strongest];
    pl_f4 from = middle_of(cloth, triangle) - bone->place;
    from -= bone->axis * pl_splat(fmaxf(pl_dot3(from, bone->axis), 0));
    return pl_dot3(pl_normalize3(from), f->normals[triangle]);
}

static void make_parts(side_finder *f)
{
    uint32_t count = f->cloth->topology->triangle_count;
    for (uint32_t t = 0; t < count; ++t)
    {
        f->part[t] = t;
    }
    for (uint32_t c = 0; c < 3 * count; ++c)
    {
        uint32_t next = f->behind[c / 3] != PLEAT_NONE ? smooth_neighbour(f, c) : PLEAT_NONE;
        if (next != PLEAT_NONE && f->behind[next] != PLEAT_NONE)
        {
            f->part[part_of(f->part, c / 3)] = part_of(f->part, next);
        }
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        if (f->behind[t] != PLEAT_NONE)
        {
            double area = (double)pl_length3(area_of(f->cloth, t));
            uint32_t part = part_of(f->part, t);
            f->areas[part] += area;
            f->outwards[part] += area * (double)outward(f, t);
        }
    }
}

/* A lining faces the bones, and what lies behind it does not. A limb that is thin itself has its bone inside: both of
 * its sides face outwards, and neither is a lining. */
static bool is_lining(side_finder *f, uint32_t t)
{
    if (f->behind[t] == PLEAT_NONE || f->behind[f->behind[t]] == PLEAT_NONE)
    {
        return false;
    }
    uint32_t here = part_of(f->part, t), there = part_of(f->part, f->behind[t]);
    double in = f->outwards[here] / f->areas[here], out = f->outwards[there] / f->areas[there];
    return here != there && in < INWARDS && in + APART < out;
}

/* Single triangles in a lining that did not find their other side: most of their neighbours are lining. */
static void fill_gaps(const side_finder *f, uint8_t *lining)
{
    for (uint32_t t = 0; t < f->cloth->topology->triangle_count; ++t)
    {
        uint32_t around = 0;
        for (uint32_t k = 0; k < 3 && !lining[t] && f->behind[t] == PLEAT_NONE; ++k)
        {
            uint32_t next = smooth_neighbour(f, 3 * t + k);
            around += next != PLEAT_NONE && lining[next];
        }
        lining[t] = around >= 2 ? PL_FOLD_LINING : lining[t];
    }
}

static uint32_t mark_lining(side_finder *f, uint8_t *lining)
{
    const pleat_cloth *cloth = f->cloth;
    uint32_t found = 0;
    for (uint32_t t = 0; t < cloth->topology->triangle_count; ++t)
    {
        if (is_lining(f, t))
        {
            pl_f4 apart = middle_of(cloth, f->behind[t]) - middle_of(cloth, t);
            f->reach = fmaxf(f->reach, fabsf(pl_dot3(apart, f->normals[t])));
            lining[t] = PL_FOLD_LINING;
            ++found;
        }
    }
    for (uint32_t pass = 0; pass < 3 && found; ++pass)
    {
        fill_gaps(f, lining);
    }
    return found;
}

/* Shells without a vertex that may move: a body in the mesh of its clothes, whose rings would take the place of theirs.
 * shell, free: by triangle. */
static uint32_t mark_no_garment(const pleat_cloth *cloth, uint32_t *shell, uint8_t *free, uint8_t *lining)
{
    const pleat_topology *topology = cloth->topology;
    uint32_t found = 0;
    pleat_topology_shells(topology, shell);
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        uint32_t s = shell[c / 3];
        if (s != PLEAT_NONE && cloth->mask[topology->triangles[c]] > 0)
        {
            free[s] = 1;
        }
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        if (shell[t] != PLEAT_NONE && !free[shell[t]])
        {
            lining[t] = PL_FOLD_NO_GARMENT;
            ++found;
        }
    }
    return found < topology->triangle_count ? found : 0;
}

static pleat_result find_sides(side_finder *f, const pleat_host *host, pl_arena *scratch, uint8_t *lining,
                               uint32_t *found, pleat_error *error)
{
    const pleat_topology *topology = f->cloth->topology;
    uint32_t count = topology->triangle_count;
    float size = extent_of(f->cloth), blown = 2e-4f * size;
    f->thickest = THICKEST * size;
    pleat_vec4 *larger = PL_ARENA_NEW(scratch, pleat_vec4, topology->vertex_count);
    f->normals = PL_ARENA_NEW(scratch, pl_f4, count);
    f->behind = PL_ARENA_NEW(scratch, uint32_t, count);
    f->part = PL_ARENA_NEW(scratch, uint32_t, count);
    f->outwards = PL_ARENA_NEW(scratch, double, count);
    f->areas = PL_ARENA_NEW(scratch, double, count);
    uint8_t *whole = PL_ARENA_NEW(scratch, uint8_t, count);
    if (!larger || !f->normals || !f->behind || !f->part || !f->outwards || !f->areas || !whole)
    {
        return pl_fail_memory(scratch->memory, error, "the sides of the cloth");
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        pl_store(&larger[v], pl_load(&f->cloth->rest[v]) + pl_load(&f->cloth->rest_normals[v]) * pl_splat(blown));
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        f->normals[t] = pl_normalize3(area_of(f->cloth, t));
    }
    pleat_bvh *bvh = NULL;
    PL_TRY(pleat_bvh_create(topology->vertex_count, larger, count, topology->triangles, host, &bvh, error));
    look_behind(f, bvh, blown);
    pleat_bvh_destroy(bvh);
    make_parts(f);
    *found = mark_lining(f, lining);
    *found += mark_no_garment(f->cloth, f->part, whole, lining);
    return PLEAT_OK;
}

pleat_result pl_folds_find_lining(const pleat_cloth *cloth, const pl_fold_bone *bones, uint32_t bone_count,
                                  const pleat_host *host, pl_arena *arena, pl_fold_sides *out, pleat_error *error)
{
    *out = (pl_fold_sides){NULL, 0};
    uint32_t found = 0;
    side_finder f = {.cloth = cloth, .bones = bones, .bone_count = bone_count};
    pl_memory memory = pl_memory_from(host);
    pl_arena scratch;
    pl_arena_init(&scratch, &memory);
    uint8_t *marks = PL_ARENA_NEW(arena, uint8_t, cloth->topology->triangle_count);
    pleat_result result = marks ? find_sides(&f, host, &scratch, marks, &found, error)
                                : pl_fail_memory(arena->memory, error, "the sides of the cloth");
    pl_arena_free(&scratch);
    if (result == PLEAT_OK && found)
    {
        *out = (pl_fold_sides){marks, f.reach};
    }
    return result;
}

/* ---- The outer side ---- */

pleat_result pl_folds_outer_side(const pleat_topology *whole, const uint32_t *coarse_triangle, const uint8_t *lining,
                                 const pleat_host *host, pleat_topology **out, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    uint32_t *triangles = PL_NEW(&memory, uint32_t, 3 * (size_t)whole->triangle_count);
    uint32_t count = 0;
    if (!triangles)
    {
        return pl_fail_memory(&memory, error, "the outer side of the cloth");
    }
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        if (!lining || !lining[coarse_triangle ? coarse_triangle[t] : t])
        {
            memcpy(triangles + 3 * (size_t)count++, whole->triangles + 3 * (size_t)t, 3 * sizeof *triangles);
        }
    }
    pleat_result result = pleat_topology_create(whole->vertex_count, count, triangles, host, out, error);
    pl_free(&memory, triangles);
    return result;
}

/* ---- Following ---- */

/* A vertex of the lining, and the place of the outer side before it. */
typedef struct follower
{
    uint32_t vertex, leader[3]; /* leaders: entries of before */
    float weight[3];            /* barycentric, times the mask */
} follower;

struct pl_fold_lining
{
    uint32_t leader_count, follower_count;
    uint32_t *leaders; /* vertices */
    pl_f4 *before;     /* where they were before folds rose */
    follower *followers;
};

typedef struct lining_binder
{
    const pleat_cloth *cloth;
    const pl_ring_surface *outer;
    pl_fold_lining *out;
    uint8_t *outer_vertex; /* is a corner of the outer side */
    uint8_t *moved;        /* by folds */
    uint32_t *slot;        /* vertex -> entry of leaders, or PLEAT_NONE */
    float reach;
} lining_binder;

static uint32_t slot_of(lining_binder *b, uint32_t vertex)
{
    if (b->slot[vertex] == PLEAT_NONE)
    {
        b->slot[vertex] = b->out->leader_count;
        b->out->leaders[b->out->leader_count++] = vertex;
    }
    return b->slot[vertex];
}

static void add_follower(lining_binder *b, uint32_t vertex)
{
    pleat_hit hit = pleat_bvh_nearest(b->outer->bvh, b->cloth->rest[vertex], b->reach);
    if (hit.triangle == PLEAT_NONE || !(b->cloth->mask[vertex] > 0))
    {
        return;
    }
    const uint32_t *corner = b->outer->topology->triangles + 3 * (size_t)hit.triangle;
    if (!b->moved[corner[0]] && !b->moved[corner[1]] && !b->moved[corner[2]])
    {
        return;
    }
    follower *f = &b->out->followers[b->out->follower_count++];
    f->vertex = vertex;
    for (int k = 0; k < 3; ++k)
    {
        f->leader[k] = slot_of(b, corner[k]);
        f->weight[k] = hit.barycentric[k] * b->cloth->mask[vertex];
    }
}

static pleat_result follow(lining_binder *b, pl_arena *arena, pleat_error *error)
{
    const pleat_topology *topology = b->outer->topology;
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        b->outer_vertex[topology->triangles[c]] = 1;
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        b->slot[v] = PLEAT_NONE;
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        if (!b->outer_vertex[v] && !(b->cloth->topology->vertex_flags[v] & PLEAT_VERTEX_ISOLATED))
        {
            add_follower(b, v);
        }
    }
    b->out->before = PL_ARENA_NEW(arena, pl_f4, b->out->leader_count);
    return b->out->before ? PLEAT_OK : pl_fail_memory(arena->memory, error, "a lining");
}

pleat_result pl_folds_bind_lining(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                                  const pl_ring_surface *outer, pleat_error *error)
{
    if (!plan->sides.lining || !layer->ring_count)
    {
        return PLEAT_OK;
    }
    uint32_t count = cloth->topology->vertex_count;
    pl_fold_lining *lining = PL_ARENA_NEW(&layer->arena, pl_fold_lining, 1);
    pl_arena scratch;
    pl_arena_init(&scratch, &layer->memory);
    /* Farther than the input's: smoothing draws the two sides of a corner apart. */
    lining_binder b = {.cloth = cloth, .outer = outer, .out = lining, .reach = 2 * plan->sides.reach + plan->width};
    b.outer_vertex = PL_ARENA_NEW(&scratch, uint8_t, count);
    b.moved = PL_ARENA_NEW(&scratch, uint8_t, count);
    b.slot = PL_ARENA_NEW(&scratch, uint32_t, count);
    pleat_result result = PLEAT_OK;
    if (lining)
    {
        lining->leaders = PL_ARENA_NEW(&layer->arena, uint32_t, count);
        lining->followers = PL_ARENA_NEW(&layer->arena, follower, count);
    }
    if (!lining || !lining->leaders || !lining->followers || !b.outer_vertex || !b.moved || !b.slot)
    {
        result = pl_fail_memory(&layer->memory, error, "a lining");
    }
    else
    {
        pl_folds_mark_rings(layer, b.moved);
        result = follow(&b, &layer->arena, error);
        layer->lining = lining;
    }
    pl_arena_free(&scratch);
    return result;
}

void pl_folds_note_outer(pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    const pl_fold_lining *lining = layer->lining;
    for (uint32_t i = 0; lining && i < lining->leader_count; ++i)
    {
        lining->before[i] = pl_load(&frame->positions[lining->leaders[i]]);
    }
}

void pl_folds_pull_lining(const pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    const pl_fold_lining *lining = layer->lining;
    for (uint32_t i = 0; lining && i < lining->follower_count; ++i)
    {
        const follower *f = &lining->followers[i];
        pl_f4 offset = pl_splat(0);
        for (int k = 0; k < 3; ++k)
        {
            pl_f4 now = pl_load(&frame->positions[lining->leaders[f->leader[k]]]);
            offset += (now - lining->before[f->leader[k]]) * pl_splat(f->weight[k]);
        }
        pl_store(&frame->positions[f->vertex], pl_load(&frame->positions[f->vertex]) + offset);
    }
}

void pl_folds_mark_rings(const pl_folds_layer *layer, uint8_t *marks)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        for (uint32_t i = 0; i < layer->rings[r].cloth.vertex_count; ++i)
        {
            marks[layer->rings[r].cloth.vertices[i].vertex] = 1;
        }
    }
}

void pl_folds_mark_lining(const pl_folds_layer *layer, uint8_t *marks)
{
    for (uint32_t i = 0; layer->lining && i < layer->lining->follower_count; ++i)
    {
        marks[layer->lining->followers[i].vertex] = 1;
    }
}
