/* Names for what a file leaves without one. Exporters for engines drop names; without any, neither a message nor an
 * option could say which mesh, joint or clip is meant. Numbers are those of the file's lists. */
#include "io/gltf/gltf.h"

#include <stdio.h>
#include <string.h>

pleat_result pl_gltf_give_name(pl_gltf *g, const char *kind, uint32_t index, const char **name)
{
    if ((*name)[0])
    {
        return PLEAT_OK;
    }
    char text[32];
    int length = snprintf(text, sizeof text, "%s %u", kind, index);
    *name = pl_arena_string(&g->asset->arena, text, (size_t)length);
    return *name ? PLEAT_OK : pl_fail_memory(&g->asset->memory, g->error, "a name");
}

/* A mesh that a named node shows goes by that name; a node that shows a named mesh by the mesh's. */
static pleat_result name_nodes(pl_gltf *g, pleat_node *nodes, pleat_mesh *meshes)
{
    const pleat_model *model = &g->asset->model;
    bool *shown;
    PL_TRY(pl_gltf_alloc(g, model->mesh_count, sizeof *shown, "meshes", &shown));
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (nodes[n].mesh != PLEAT_NONE && nodes[n].name[0])
        {
            shown[nodes[n].mesh] = true;
        }
    }
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        if (!shown[m])
        {
            PL_TRY(pl_gltf_give_name(g, "mesh", m, &meshes[m].name));
        }
    }
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (!nodes[n].name[0] && nodes[n].mesh != PLEAT_NONE)
        {
            nodes[n].name = meshes[nodes[n].mesh].name;
        }
        PL_TRY(pl_gltf_give_name(g, "node", n, &nodes[n].name));
    }
    return PLEAT_OK;
}

pleat_result pl_gltf_name_things(pl_gltf *g, pleat_node *nodes, pleat_mesh *meshes, pleat_clip *clips)
{
    PL_TRY(name_nodes(g, nodes, meshes));
    for (uint32_t c = 0; c < g->asset->model.clip_count; ++c)
    {
        PL_TRY(pl_gltf_give_name(g, "clip", c, &clips[c].name));
    }
    return PLEAT_OK;
}
