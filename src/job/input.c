#include "job/input.h"

#include "pleat/garment.h"

pleat_job_input pleat_job_input_default(void)
{
    return (pleat_job_input){.last_frame = PLEAT_NONE, .fps = 30};
}

pleat_result pl_job_load(const pl_job *job, pleat_asset **asset, pleat_error *error)
{
    pleat_load_options options = pleat_load_options_default();
    options.sequence_fps = (float)job->input->fps;
    options.points_fps = (float)job->input->fps;
    options.points_path = job->input->points;
    options.allow_outside = job->input->allow_outside;
    return pleat_asset_load(job->input->file, &options, &job->host, asset, error);
}

pleat_result pl_choose_clip(const pl_job *job, const pleat_model *model, uint32_t *index, pleat_error *error)
{
    const char *pattern = job->input->clip;
    char names[300] = "";
    *index = model->clip_count ? 0 : PLEAT_NONE;
    if (!pattern)
    {
        return PLEAT_OK;
    }
    uint32_t fit_count = 0;
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        bool fits = pleat_name_matches(pattern, model->clips[c].name);
        *index = fits && fit_count == 0 ? c : *index;
        fit_count += fits;
        pl_list_name(names, sizeof names, model->clips[c].name);
    }
    if (fit_count > 1)
    {
        pl_log(&job->host, PLEAT_WARNING, "--clip '%.100s' fits %u clips; the first of them is taken, '%.100s'",
               pl_shown(pattern), fit_count, pl_shown(model->clips[*index].name));
    }
    return fit_count ? PLEAT_OK
                     : pl_fail(error, PLEAT_BAD_DATA, "%.110s: no clip is named '%.60s'; it has %s", job->input->file,
                               pattern, model->clip_count ? names : "none");
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

pleat_result pl_parts_make(pl_job *job, const pleat_model *model, pl_parts *parts, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t room = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        room += mesh == PLEAT_NONE ? 0 : model->meshes[mesh].primitive_count;
    }
    *parts = (pl_parts){0};
    PL_ARENA_NEW_OR_FAIL(parts->nodes, &job->arena, uint32_t, room, error);
    PL_ARENA_NEW_OR_FAIL(parts->primitives, &job->arena, uint32_t, room, error);
fail:
    return result;
}

bool pl_part_is_named(const pleat_model *model, uint32_t node, uint32_t primitive, const pleat_texts *patterns)
{
    for (uint32_t i = 0; i < patterns->count; ++i)
    {
        if (pleat_part_matches(model, node, primitive, patterns->list[i]))
        {
            return true;
        }
    }
    return false;
}

void pl_parts_find(pl_parts *parts, const pleat_model *model, const pleat_texts *patterns)
{
    parts->count = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i], mesh = model->nodes[node].mesh;
        for (uint32_t p = 0; mesh != PLEAT_NONE && p < model->meshes[mesh].primitive_count; ++p)
        {
            if (!patterns || pl_part_is_named(model, node, p, patterns))
            {
                parts->nodes[parts->count] = node;
                parts->primitives[parts->count++] = p;
            }
        }
    }
}

pleat_result pl_parts_guess(const pl_job *job, pl_parts *parts, const pleat_model *model, pleat_error *error)
{
    pleat_garment_guess *guess;
    PL_TRY(pleat_garment_guess_create(model, &job->host, &guess, error));
    parts->count = 0;
    for (uint32_t i = 0; i < guess->part_count; ++i)
    {
        if (guess->parts[i].garment)
        {
            parts->nodes[parts->count] = guess->parts[i].node;
            parts->primitives[parts->count++] = guess->parts[i].primitive;
        }
    }
    pleat_garment_guess_destroy(guess);
    return PLEAT_OK;
}

/* Every name that a pattern could have meant. */
static void list_parts(const pleat_model *model, char *names, size_t size)
{
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        const pleat_node *node = &model->nodes[model->scene_nodes[i]];
        if (node->mesh == PLEAT_NONE)
        {
            continue;
        }
        const pleat_mesh *mesh = &model->meshes[node->mesh];
        pl_list_name(names, size, node->name);
        pl_list_name(names, size, mesh->name);
        for (uint32_t p = 0; p < mesh->primitive_count; ++p)
        {
            uint32_t material = mesh->primitives[p].material;
            pl_list_name(names, size, material == PLEAT_NONE ? "" : model->materials[material].name);
        }
    }
}

pleat_result pl_choose_garment(pl_job *job, const pleat_model *model, pl_parts *parts, pleat_error *error)
{
    const pleat_texts *patterns = &job->input->garments;
    PL_TRY(pl_parts_make(job, model, parts, error));
    for (uint32_t i = 0; i < patterns->count; ++i)
    {
        pl_parts_find(parts, model, &(pleat_texts){1, &patterns->list[i]});
        if (!parts->count)
        {
            char names[250] = "";
            list_parts(model, names, sizeof names);
            return pl_fail(error, PLEAT_BAD_DATA,
                           "%.110s: --garment '%.50s' fits no mesh, node or material; there are %s", job->input->file,
                           patterns->list[i], names[0] ? names : "none with a name");
        }
    }
    pl_parts_find(parts, model, patterns);
    return PLEAT_OK;
}
