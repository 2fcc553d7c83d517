/* What lies beneath the cloth of a ring: the body, or a garment below this one. A crease that is tucked in deeper would
 * show it.
 *
 * Other meshes are asked at rest, each in its own space. The joint of the ring, which both skins have, says how that
 * space lies in the cloth's; so exporters that give every mesh a skin of its own do no harm. */
#include "layer/folds.h"

/* A ring, and the way from the cloth's rest shape to another mesh's own space. */
typedef struct probe
{
    pl_bound_ring *ring;
    pleat_affine to_other;
    pl_f4 pivot; /* in the cloth's rest shape */
} probe;

/* False where the other mesh does not hang on the ring's joint. */
static bool aim(const pleat_cloth *cloth, const pleat_skin *other, probe *p)
{
    const pleat_skin *skin = &cloth->model->skins[cloth->model->nodes[cloth->node].skin];
    uint32_t own = p->ring->joint, theirs;
    pleat_affine from_joint, from_rest;
    if (own >= skin->joint_count || (theirs = pl_skin_joint_of(other, skin->joints[own])) == PLEAT_NONE ||
        !pl_affine_inverse(&other->inverse_binds[theirs], &from_joint) ||
        !pl_affine_inverse(&cloth->to_rest, &from_rest))
    {
        return false;
    }
    pleat_affine to_joint = pl_affine_mul(&skin->inverse_binds[own], &from_rest);
    p->to_other = pl_affine_mul(&from_joint, &to_joint);
    p->pivot = pl_affine_point(&cloth->to_rest, p->ring->pivot);
    return true;
}

/* Looks inwards from the ring and from where its first fold on each side ends. */
static void look_down(const probe *p, const pl_ring_surface *surface, const pleat_bvh *bvh)
{
    uint32_t feet = p->ring->fold_count + 1, middle = p->ring->fold_count / 2;
    for (uint32_t i = 0; i < p->ring->station_count; ++i)
    {
        float *beneath = &p->ring->beneath[i];
        for (uint32_t foot = middle - 1; foot <= middle + 1; ++foot)
        {
            const pl_fold_sample *at = &p->ring->feet[3 * ((size_t)i * feet + foot) + 1];
            pl_f4 place = pl_fold_mix(surface->positions, at->vertex, at->weight);
            pl_f4 down = -pl_normalize3(pl_fold_mix(surface->normals, at->vertex, at->weight));
            float reach = pl_length3(place - p->pivot);
            pleat_hit hit =
                pleat_bvh_ray(bvh, pl_to(pl_affine_point(&p->to_other, place)),
                              pl_to(pl_affine_vector(&p->to_other, down)), 0, reach < *beneath ? reach : *beneath);
            *beneath = hit.triangle == PLEAT_NONE ? *beneath : hit.distance;
        }
    }
}

static pleat_result ask_primitive(pl_folds_layer *layer, const pleat_cloth *cloth, const pl_ring_surface *surface,
                                  const pleat_skin *skin, const pleat_primitive *primitive, const pleat_host *host,
                                  pleat_error *error)
{
    pl_arena scratch;
    pleat_bvh *bvh = NULL;
    pl_arena_init(&scratch, &layer->memory);
    pleat_vec4 *positions = PL_ARENA_NEW(&scratch, pleat_vec4, primitive->vertex_count);
    pleat_result result = positions ? PLEAT_OK : pl_fail_memory(&layer->memory, error, "what lies beneath folds");
    for (uint32_t v = 0; v < primitive->vertex_count && positions; ++v)
    {
        const pleat_vec3 *from = &primitive->positions[v];
        positions[v] = (pleat_vec4){from->x, from->y, from->z, 0};
    }
    if (result == PLEAT_OK)
    {
        result = pleat_bvh_create(primitive->vertex_count, positions, primitive->triangle_count, primitive->triangles,
                                  host, &bvh, error);
    }
    for (uint32_t r = 0; r < layer->ring_count && result == PLEAT_OK; ++r)
    {
        probe p = {.ring = &layer->rings[r]};
        if (aim(cloth, skin, &p))
        {
            look_down(&p, surface, bvh);
        }
    }
    pleat_bvh_destroy(bvh);
    pl_arena_free(&scratch);
    return result;
}

pleat_result pl_folds_find_beneath(pl_folds_layer *layer, const pleat_cloth *cloth, const pl_ring_surface *surface,
                                   const pleat_host *host, pleat_error *error)
{
    const pleat_model *model = cloth->model;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        pl_bound_ring *ring = &layer->rings[r];
        ring->beneath = PL_ARENA_NEW(&layer->arena, float, ring->station_count);
        if (!ring->beneath)
        {
            return pl_fail_memory(&layer->memory, error, "what lies beneath folds");
        }
        for (uint32_t i = 0; i < ring->station_count; ++i)
        {
            ring->beneath[i] = INFINITY;
        }
    }
    for (uint32_t n = 0; n < model->scene_node_count && layer->ring_count; ++n)
    {
        const pleat_node *node = &model->nodes[model->scene_nodes[n]];
        bool other = model->scene_nodes[n] != cloth->node && node->mesh != PLEAT_NONE && node->skin != PLEAT_NONE;
        for (uint32_t i = 0; other && i < model->meshes[node->mesh].primitive_count; ++i)
        {
            PL_TRY(ask_primitive(layer, cloth, surface, &model->skins[node->skin],
                                 &model->meshes[node->mesh].primitives[i], host, error));
        }
    }
    return PLEAT_OK;
}
