/* New texture coordinates: where a garment has none, or where what it has is of no use. */
#include "job/maps/maps.h"

#include <string.h>

/* Which primitives of a mesh need an atlas: garments without coordinates, or all garments. */
static bool needs_atlas(const pleat_model *model, const pl_choice *choice, uint32_t mesh, bool all, bool *primitives)
{
    bool any = false;
    size_t at = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i], index = model->nodes[node].mesh, place = 0;
        while (choice->node_count && place < choice->node_count && choice->nodes[place] != node)
        {
            ++place;
        }
        bool chosen = index != PLEAT_NONE && (!choice->node_count || place < choice->node_count);
        for (uint32_t p = 0; chosen && p < model->meshes[index].primitive_count; ++p, ++at)
        {
            bool garment = !choice->garment || choice->garment[at];
            bool wanted = garment && (all || !model->meshes[index].primitives[p].uvs) &&
                          model->meshes[index].primitives[p].triangle_count;
            if (index == mesh && wanted)
            {
                primitives[p] = any = true;
            }
        }
    }
    return any;
}

/* Of the texels: with fewer of its own a garment gets an atlas, where nobody said what to write. */
static const float FEW_TEXELS = 0.02f;

/* Whether coordinates that are there are of no use: they overlap, or hold next to nothing. */
static pleat_result judge_coordinates(pl_maps_run *run, const pleat_mesh *mesh, const bool *garment, bool *useless,
                                      pleat_error *error)
{
    pleat_atlas_fit fit;
    PL_TRY(pleat_atlas_measure(mesh, garment, &run->job.host, &fit, error));
    *useless = fit.shared > PL_MAPS_MANY_SHARED || fit.covered < FEW_TEXELS;
    if (*useless && !run->again)
    {
        pl_log(&run->job.host, PLEAT_INFO,
               "the texture coordinates of %.100s %s: maps are on new ones, in mesh.glb (--map height and others keep "
               "the old)",
               pl_shown(mesh->name),
               fit.shared > PL_MAPS_MANY_SHARED ? "overlap" : "leave it hardly any texels of a texture");
    }
    return PLEAT_OK;
}

pleat_result pl_job_maps_make_atlases(pl_maps_run *run, const pleat_model *model, const pl_choice *choice,
                                      pleat_atlas **atlases, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        bool *primitives;
        bool all = run->options.atlas;
        PL_ARENA_NEW_OR_FAIL(primitives, &run->job.arena, bool, model->meshes[m].primitive_count, error);
        if (run->settle && !all && needs_atlas(model, choice, m, true, primitives))
        {
            PL_TRY(judge_coordinates(run, &model->meshes[m], primitives, &all, error));
            memset(primitives, 0, model->meshes[m].primitive_count * sizeof *primitives);
        }
        if (pl_job_maps_want_textures(run) && needs_atlas(model, choice, m, all, primitives))
        {
            pleat_atlas_options options = pleat_atlas_options_default();
            options.size = run->options.size;
            options.padding = run->options.margin;
            options.primitives = primitives;
            PL_TRY(pleat_atlas_create(&model->meshes[m], &options, &run->job.host, &atlases[m], error));
        }
    }
fail:
    return result;
}
