/* What lies beneath the cloth of a ring: the body, or a garment below this one. A crease that is tucked in deeper would
 * show it. */
#include "layers/folds/garment/worn.h"

/* Looks inwards from the ring and from where its first fold on each side ends. */
static void look_down(pl_bound_ring *ring, const pleat_cloth *cloth, const pl_ring_surface *surface,
                      const pl_fold_worn *worn)
{
    uint32_t feet = ring->fold_count + 1, middle = ring->fold_count / 2;
    const pleat_affine *way = &worn->ways[ring->limb.joint];
    pl_f4 pivot = pl_affine_point(&cloth->to_rest, ring->limb.pivot);
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float *beneath = &ring->obstacles.beneath[i];
        for (uint32_t foot = middle - 1; foot <= middle + 1; ++foot)
        {
            const pl_fold_sample *at = &ring->lines.feet[(size_t)i * feet + foot];
            pl_f4 place = pl_fold_mix(surface->positions, at->vertex, at->weight);
            pl_f4 down = -pl_normalize3(pl_fold_mix(surface->normals, at->vertex, at->weight));
            float reach = pl_length3(place - pivot);
            pleat_hit hit = pleat_bvh_ray(worn->bvh, pl_to(pl_affine_point(way, place)),
                                          pl_to(pl_affine_vector(way, down)), 0, reach < *beneath ? reach : *beneath);
            *beneath = hit.triangle == PLEAT_NONE ? *beneath : hit.distance;
        }
    }
}

pleat_result pl_folds_prepare_beneath(pl_folds_layer *layer, pleat_error *error)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        pl_bound_ring *ring = &layer->rings[r];
        ring->obstacles.beneath = PL_ARENA_NEW(&layer->arena, float, ring->station_count);
        if (!ring->obstacles.beneath)
        {
            return pl_fail_memory(&layer->memory, error, "what lies beneath folds");
        }
        for (uint32_t i = 0; i < ring->station_count; ++i)
        {
            ring->obstacles.beneath[i] = INFINITY;
        }
    }
    return PLEAT_OK;
}

void pl_folds_ask_beneath(pl_folds_layer *layer, const pleat_cloth *cloth, const pl_ring_surface *surface,
                          const pl_fold_worn *worn)
{
    for (uint32_t r = 0; r < layer->ring_count && worn->skin && !worn->own; ++r)
    {
        if (worn->hangs[layer->rings[r].limb.joint])
        {
            look_down(&layer->rings[r], cloth, surface, worn);
        }
    }
}
