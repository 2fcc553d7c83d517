/* Which textures there are: the garment parts of a node that share a material share a texture. */
#include "job/maps/maps.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name for files: letters, digits, dashes and dots of the mesh's name. */
static void file_letters(char *out, size_t size, const char *name)
{
    size_t at = 0;
    for (; name[at] && at + 1 < size; ++at)
    {
        out[at] = name[at];
        if (!isalnum((unsigned char)name[at]) && !strchr("-_.", name[at]))
        {
            out[at] = '_';
        }
    }
    out[at] = 0;
}

static bool name_is_taken(const pl_maps_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        if (strcmp(run->sets[i].name, name) == 0)
        {
            return true;
        }
    }
    return false;
}

static char *name_set(pl_maps_run *run, uint32_t node, uint32_t material, bool several)
{
    const pleat_model *model = run->model;
    const char *mesh = model->meshes[model->nodes[node].mesh].name;
    char base[80], name[180];
    file_letters(base, sizeof base, mesh[0] ? mesh : model->nodes[node].name[0] ? model->nodes[node].name : "mesh");
    snprintf(name, sizeof name, "%s", base);
    if (several && material != PLEAT_NONE && model->materials[material].name[0])
    {
        char suffix[80];
        file_letters(suffix, sizeof suffix, model->materials[material].name);
        snprintf(name, sizeof name, "%s.%s", base, suffix);
    }
    size_t length = strlen(name);
    for (uint32_t number = 2; name_is_taken(run, name); ++number)
    {
        snprintf(name + length, sizeof name - length, ".%u", number);
    }
    return pl_arena_string(&run->job.arena, name, strlen(name));
}

/* Garment parts of a stack, as the bake has them. */
static bool is_garment(const pl_maps_run *run, uint32_t node, uint32_t primitive)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(run->bake);
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        const pleat_bake_part *part = &shape->parts[p];
        if (part->node == node && part->primitive == primitive)
        {
            return part->garment && part->triangle_count;
        }
    }
    return false;
}

static pleat_result open_set(pl_maps_run *run, uint32_t stack, uint32_t first, bool *done, bool several,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t node = pleat_bake_stack_node(run->bake, stack), mesh_index = run->model->nodes[node].mesh;
    const pleat_mesh *mesh = &run->model->meshes[mesh_index];
    bool atlas = run->atlases[mesh_index] != NULL;
    pl_maps_set *set = &run->sets[run->set_count];
    *set = (pl_maps_set){
        .stack = stack, .node = node, .material = mesh->primitives[first].material, .world = run->options.world};
    set->name = name_set(run, node, set->material, several);
    PL_ARENA_NEW_OR_FAIL(set->primitives, &run->job.arena, bool, mesh->primitive_count, error);
    for (uint32_t p = first; p < mesh->primitive_count; ++p)
    {
        bool shares = atlas || mesh->primitives[p].material == set->material;
        set->primitives[p] = !done[p] && shares && is_garment(run, node, p);
        done[p] |= set->primitives[p];
    }
    /* Coordinates of the file itself stay where they are; new ones beside them are the second set. */
    const pleat_mesh *input = &pleat_asset_model(run->asset)->meshes[mesh_index];
    set->uv_set = atlas && input->primitives[first].uvs ? 1 : 0;
    set->json = json_object();
    if (!set->name || !set->json)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the list of maps");
    }
    ++run->set_count;
    pleat_maps_desc desc = pleat_maps_desc_default();
    desc.stack = pleat_bake_stack(run->bake, stack);
    desc.size = run->options.size;
    desc.samples = run->options.samples;
    desc.margin = run->options.margin;
    desc.primitives = set->primitives;
    result = pleat_maps_create(&desc, &run->job.host, &set->maps, error);
fail:
    return result;
}

static pleat_result open_stack(pl_maps_run *run, uint32_t stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t node = pleat_bake_stack_node(run->bake, stack);
    const pleat_mesh *mesh = &run->model->meshes[run->model->nodes[node].mesh];
    bool *done;
    PL_ARENA_NEW_OR_FAIL(done, &run->job.arena, bool, mesh->primitive_count, error);
    for (uint32_t p = 0; p < mesh->primitive_count && result == PLEAT_OK; ++p)
    {
        if (!done[p] && is_garment(run, node, p))
        {
            result = open_set(run, stack, p, done, mesh->primitive_count > 1, error);
        }
    }
fail:
    return result;
}

pleat_result pl_job_maps_open_sets(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_ARENA_NEW_OR_FAIL(run->sets, &run->job.arena, pl_maps_set, pleat_bake_get_shape(run->bake)->part_count, error);
    for (uint32_t i = 0; i < pleat_bake_stack_count(run->bake) && result == PLEAT_OK; ++i)
    {
        result = open_stack(run, i, error);
    }
    if (result == PLEAT_OK && run->set_count == 0)
    {
        result = pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: it has no garment with triangles; --garment can name one",
                         run->job.input->file);
    }
fail:
    return result;
}

void pl_job_maps_close_sets(pl_maps_run *run)
{
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        pleat_maps_destroy(run->sets[i].maps);
        json_decref(run->sets[i].json);
    }
}
