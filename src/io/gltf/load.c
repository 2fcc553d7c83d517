/* Reading glTF: the steps in their order. */
#include "io/gltf/gltf.h"

#include <stdio.h>

void pl_gltf_close(pl_gltf *g)
{
    if (!g)
    {
        return;
    }
    json_decref(g->root);
    g->asset->memory.used -= g->json_bytes;
    pl_free(&g->asset->memory, g->file);
}

/* What nothing used is checked too, so that the writer can rely on it; here a fault is only worth a warning. */
static pleat_result check_unused(pl_gltf *g)
{
    pleat_error *error = g->error;
    for (uint32_t i = 0; i < g->view_count + g->accessor_count; ++i)
    {
        pleat_error inner = {0};
        const pl_gltf_view *view;
        pl_gltf_accessor *accessor;
        g->error = &inner;
        pleat_result result =
            i < g->view_count ? pl_gltf_get_view(g, i, &view) : pl_gltf_get_accessor(g, i - g->view_count, &accessor);
        g->error = error;
        if (result == PLEAT_NO_MEMORY || result == PLEAT_OVER_LIMIT)
        {
            return pl_fail(error, result, "%s", inner.message);
        }
        if (result != PLEAT_OK)
        {
            char sentence[sizeof inner.message];
            snprintf(sentence, sizeof sentence, "%.440s; nothing uses it", inner.message);
            pl_gltf_say(g, sentence);
        }
    }
    return PLEAT_OK;
}

static pleat_result read_all(pl_gltf *g, const uint8_t *bytes, size_t size, unsigned char **owned)
{
    pleat_node *nodes;
    pleat_mesh *meshes;
    pleat_clip *clips;
    PL_TRY(pl_gltf_open(g, bytes, size, owned));
    PL_TRY(pl_gltf_read_materials(g));
    PL_TRY(pl_gltf_read_nodes(g, &nodes));
    PL_TRY(pl_gltf_read_skins(g));
    PL_TRY(pl_gltf_read_meshes(g, &meshes));
    PL_TRY(pl_gltf_read_node_weights(g, nodes));
    PL_TRY(pl_gltf_read_clips(g, &clips));
    PL_TRY(pl_gltf_name_things(g, nodes, meshes, clips));
    return check_unused(g);
}

pleat_result pl_gltf_load(pleat_asset *asset, const uint8_t *bytes, size_t size, unsigned char **owned,
                          pleat_error *error)
{
    pl_gltf *g = PL_ARENA_NEW(&asset->arena, pl_gltf, 1);
    if (!g)
    {
        return pl_fail_memory(&asset->memory, error, "the document");
    }
    g->asset = asset;
    g->error = error;
    g->alone = !owned;
    asset->gltf = g;
    pleat_result result = read_all(g, bytes, size, owned);
    g->error = NULL;
    return result;
}
