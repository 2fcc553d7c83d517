/* What each vertex starts from: its own value at rest, the side of each bend it is on, how far its field is to be
 * trusted there. */
#include "layers/implicit/implicit.h"

#include <stdlib.h>

/* A vertex trusts its field as far as the field's gradient agrees with its normal: cosines for not at all and wholly.
 */
#define TRUST_NONE 0.2f
#define TRUST_WHOLE 0.6f
/* and as far as its own value is near the surface: in thicknesses of the bone, for wholly and not at all. */
#define TRUST_NEAR 0.3f
#define TRUST_FAR 0.7f
/* A partner that moves a vertex by this share is heard wholly. */
#define BLEND_WHOLE 0.01f
/* What bones that are no partners do to a vertex is not in the fields: from this share on it trusts them not at all. */
#define FOREIGN_MOST 0.4f
/* Skin at the plane of a bend keeps this part of its distance at rest, up to some radii, so that the two sides do not
 * lie in one another and each lies in the order it has. */
#define LIFT 0.004f
#define LIFT_RADII 2.0f
/* Sweeps of a relaxation over a length, at most: finer meshes than that relax over less. */
#define MOST_SWEEPS 60u

typedef struct binder
{
    const pleat_implicit_options *options;
    const pleat_cloth *cloth;
    pl_arena *arena;
    pl_arena scratch;
    pl_implicit_bound *bound;
    float *key;         /* per vertex: place along its bone */
    uint32_t *order;    /* of a patch */
    pleat_vec4 *points; /* of a patch, in that order */
    pleat_vec4 *own;    /* values and gradients there, of the bone */
    pleat_vec4 *other;  /* of one partner */
} binder;

/* Bends that are no tubes, or have a bone without a field, are none. */
static void drop_partners(pl_implicit_skeleton *s)
{
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        pl_implicit_bone *bone = &s->bones[j];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < bone->partner_count; ++i)
        {
            const pl_implicit_bend *bend = &s->bends[bone->partners[i]];
            if (bend->tube && s->bones[bend->a].usable && s->bones[bend->b].usable)
            {
                bone->partners[kept++] = bone->partners[i];
            }
        }
        bone->partner_count = kept;
    }
}

/* ---- Order: neighbours along the bone march together ---- */

typedef struct keyed
{
    float key;
    uint32_t vertex;
} keyed;

static int compare_keys(const void *x, const void *y)
{
    const keyed *p = x, *q = y;
    if (p->key != q->key)
    {
        return p->key < q->key ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static pleat_result order_patch(binder *b, const pl_implicit_bone *bone, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    keyed *keys;
    PL_ARENA_NEW_OR_FAIL(keys, &b->scratch, keyed, bone->vertex_count, error);
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t v = bone->vertices[i];
        keys[i] = (keyed){pl_dot3(pl_load(&b->cloth->rest[v]), bone->direction), v};
    }
    qsort(keys, bone->vertex_count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        b->order[i] = keys[i].vertex;
        b->points[i] = b->cloth->rest[keys[i].vertex];
    }
fail:
    return result;
}

/* ---- Blocks ---- */

static float weight_of(const binder *b, uint32_t v, uint32_t joint)
{
    const pleat_cloth *cloth = b->cloth;
    float sum = 0;
    for (uint32_t i = 0; i < cloth->influence_count; ++i)
    {
        size_t at = (size_t)v * cloth->influence_count + i;
        sum += cloth->joints[at] == joint ? cloth->weights[at] : 0;
    }
    return sum;
}

static uint32_t partner_of(const binder *b, uint32_t joint, uint32_t slot)
{
    const pl_implicit_bend *bend = &b->bound->skeleton.bends[b->bound->skeleton.bones[joint].partners[slot]];
    return bend->a == joint ? bend->b : bend->a;
}

static float trust_of(const binder *b, uint32_t v, const pl_implicit_bone *bone, pleat_vec4 own)
{
    pl_f4 normal = pl_load(&b->cloth->rest_normals[v]), gradient = pl_normalize3(pl_from(own));
    float agrees = pl_smooth_step((pl_dot3(gradient, normal) - TRUST_NONE) / (TRUST_WHOLE - TRUST_NONE));
    float away = fabsf(own.w) / bone->thickness;
    float trust = agrees * (1 - pl_smooth_step((away - TRUST_NEAR) / (TRUST_FAR - TRUST_NEAR)));
    return trust > 0 ? trust * b->cloth->mask[v] : 0;
}

static void fill_block(binder *b, uint32_t joint, uint32_t first, uint32_t count, pl_implicit_block *block)
{
    const pl_implicit_bone *bone = &b->bound->skeleton.bones[joint];
    block->bone = joint;
    block->count = count;
    for (uint32_t k = 0; k < PL_IMPLICIT_LANES; ++k)
    {
        uint32_t i = first + (k < count ? k : 0);
        block->vertices[k] = b->order[i];
        block->iso[k] = b->own[i].w;
        float foreign = 1 - weight_of(b, b->order[i], joint);
        for (uint32_t p = 0; p < bone->partner_count; ++p)
        {
            const pl_implicit_bend *bend = &b->bound->skeleton.bends[bone->partners[p]];
            float height = pl_dot3(pl_load(&b->points[i]) - bend->origin, bend->along);
            block->side[p][k] = height < 0 ? -1 : 1;
            block->other[p][k] = (height < 0) != (bend->a == joint);
            block->lift[p][k] = LIFT * fminf(fabsf(height), LIFT_RADII * bend->radius);
            float weight = weight_of(b, b->order[i], partner_of(b, joint, p));
            block->blend[p][k] = pl_smooth_step(weight / BLEND_WHOLE);
            foreign -= weight;
        }
        block->trust[k] = trust_of(b, b->order[i], bone, b->own[i]) * (1 - pl_smooth_step(foreign / FOREIGN_MOST));
    }
}

/* Where a partner's field covers skin at rest, it does not count from there on but from where it covers more. */
static void fill_shifts(const binder *b, const pl_implicit_bone *bone, uint32_t slot, pl_implicit_block *blocks)
{
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        pl_implicit_block *block = &blocks[i / PL_IMPLICIT_LANES];
        float shift = b->own[i].w - b->other[i].w;
        bool other = block->other[slot][i % PL_IMPLICIT_LANES] > 0;
        block->shift[slot][i % PL_IMPLICIT_LANES] = other ? shift : fmaxf(shift, 0);
    }
}

static pleat_result bind_bone(binder *b, uint32_t joint, pleat_error *error)
{
    pl_implicit_skeleton *s = &b->bound->skeleton;
    const pl_implicit_bone *bone = &s->bones[joint];
    pl_implicit_block *blocks = b->bound->blocks + b->bound->block_count;
    PL_TRY(order_patch(b, bone, error));
    pl_hrbf_evaluate(&bone->field, bone->vertex_count, b->points, b->own);
    for (uint32_t i = 0; i < bone->vertex_count; i += PL_IMPLICIT_LANES)
    {
        uint32_t left = bone->vertex_count - i;
        fill_block(b, joint, i, left < PL_IMPLICIT_LANES ? left : PL_IMPLICIT_LANES,
                   &b->bound->blocks[b->bound->block_count++]);
    }
    for (uint32_t p = 0; p < bone->partner_count; ++p)
    {
        pl_hrbf_evaluate(&s->bones[partner_of(b, joint, p)].field, bone->vertex_count, b->points, b->other);
        fill_shifts(b, bone, p, blocks);
    }
    return PLEAT_OK;
}

static bool takes_part(const pl_implicit_bone *bone)
{
    return bone->usable;
}

static pleat_result bind_blocks(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_implicit_skeleton *s = &b->bound->skeleton;
    uint32_t count = b->cloth->topology->vertex_count, block_count = 0;
    PL_ARENA_NEW_OR_FAIL(b->order, &b->scratch, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(b->points, &b->scratch, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(b->own, &b->scratch, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(b->other, &b->scratch, pleat_vec4, count, error);
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        block_count += takes_part(&s->bones[j]) ? (s->bones[j].vertex_count + PL_IMPLICIT_LANES - 1) / 8 : 0;
    }
    PL_ARENA_NEW_OR_FAIL(b->bound->blocks, b->arena, pl_implicit_block, block_count, error);
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        if (takes_part(&s->bones[j]))
        {
            PL_TRY(bind_bone(b, j, error));
        }
    }
fail:
    return result;
}

/* ---- Neighbours ---- */

static pleat_result bind_rings(binder *b, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *t = b->cloth->topology;
    uint32_t *start, *ring, *next;
    PL_ARENA_NEW_OR_FAIL(start, b->arena, uint32_t, (size_t)t->vertex_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(ring, b->arena, uint32_t, 2 * (size_t)t->edge_count, error);
    PL_ARENA_NEW_OR_FAIL(next, &b->scratch, uint32_t, (size_t)t->vertex_count + 1, error);
    for (uint32_t pass = 0; pass < 2; ++pass)
    {
        for (uint32_t e = 0; e < t->edge_count; ++e)
        {
            uint32_t c = t->edge_corner[e];
            uint32_t u = t->triangles[c], v = t->triangles[c % 3 == 2 ? c - 2 : c + 1];
            if (pass == 0)
            {
                ++start[u + 1];
                ++start[v + 1];
                continue;
            }
            ring[next[u]++] = v;
            ring[next[v]++] = u;
        }
        for (uint32_t v = 0; v < t->vertex_count && pass == 0; ++v)
        {
            start[v + 1] += start[v];
            next[v + 1] = start[v + 1];
        }
    }
    b->bound->ring_start = start;
    b->bound->ring = ring;
fail:
    return result;
}

/* A sweep carries half an edge or so: to relax over a length takes its square in edges. */
static uint32_t count_sweeps(const binder *b)
{
    const pleat_topology *t = b->cloth->topology;
    const pl_implicit_skeleton *s = &b->bound->skeleton;
    double radius = 0, edge = 0;
    uint32_t bends = 0, edges = 0;
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        bool counts = s->bends[i].tube && s->bones[s->bends[i].a].usable && s->bones[s->bends[i].b].usable;
        radius += counts ? (double)s->bends[i].radius : 0;
        bends += counts;
    }
    for (uint32_t e = 0; e < t->edge_count; ++e)
    {
        uint32_t c = t->edge_corner[e];
        pl_f4 u = pl_load(&b->cloth->rest[t->triangles[c]]);
        edge += (double)pl_length3(pl_load(&b->cloth->rest[t->triangles[c % 3 == 2 ? c - 2 : c + 1]]) - u);
        ++edges;
    }
    if (bends == 0 || !(edge > 0))
    {
        return 0;
    }
    double length = (double)b->options->smooth * (radius / bends) / (edge / edges);
    double sweeps = ceil(length * length);
    return sweeps < MOST_SWEEPS ? (uint32_t)sweeps : MOST_SWEEPS;
}

static pleat_result bind_all(binder *b, const pleat_host *host, pleat_error *error)
{
    pl_implicit_bound *bound = b->bound;
    bound->vertex_count = b->cloth->topology->vertex_count;
    if (!pl_affine_inverse(&b->cloth->to_rest, &bound->from_rest))
    {
        bound->from_rest = pl_affine_identity();
        return PLEAT_OK; /* shown at no size: nothing to see */
    }
    PL_TRY(pl_implicit_find_skeleton(b->cloth, host, b->arena, &bound->skeleton, error));
    PL_TRY(pl_implicit_make_fields(b->cloth, host, b->arena, &bound->skeleton, error));
    uint8_t *far;
    PL_TRY(pl_implicit_find_far(b->cloth, &bound->skeleton, b->arena, &b->scratch, &far, error));
    bound->far = far;
    drop_partners(&bound->skeleton);
    PL_TRY(bind_blocks(b, error));
    PL_TRY(bind_rings(b, error));
    bound->sweeps = count_sweeps(b);
    return PLEAT_OK;
}

pleat_result pl_implicit_bind(const pleat_implicit_options *options, const pleat_cloth *cloth, const pleat_host *host,
                              pl_arena *arena, pl_implicit_bound *bound, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    binder b = {.options = options, .cloth = cloth, .arena = arena, .bound = bound};
    pl_arena_init(&b.scratch, &memory);
    pleat_result result = bind_all(&b, host, error);
    pl_arena_free(&b.scratch);
    return result;
}
