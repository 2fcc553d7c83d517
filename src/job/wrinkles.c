#include "job/wrinkles.h"

#include "job/input.h"

#include "pleat/garment.h"

#include <unistd.h>

/* ---- The body --------------------------------------------------------------------------------------------------- */

/* The model that the body is in: the input's, or that of a file. */
static pleat_result find_body(pl_job *job, const pleat_model *model, pl_wrinkle_input *input, const pleat_model **found,
                              pl_parts *parts, pleat_error *error)
{
    const char *name = job->stack->bodies.list[0];
    *found = model;
    PL_TRY(pl_parts_make(job, model, parts, error));
    pl_parts_find(parts, model, &job->stack->bodies);
    if (parts->count)
    {
        return PLEAT_OK;
    }
    if (pleat_format_of(name) == PLEAT_FORMAT_UNKNOWN && access(name, R_OK) != 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "--body '%.100s' fits no mesh, node or material of %.200s, and is no file", name,
                       job->input->file);
    }
    pleat_load_options options = pleat_load_options_default();
    options.sequence_fps = options.points_fps = (float)job->input->fps;
    options.allow_outside = job->input->allow_outside;
    PL_TRY(pleat_asset_load(name, &options, &job->host, &input->body_asset, error));
    *found = pleat_asset_model(input->body_asset);
    PL_TRY(pl_parts_make(job, *found, parts, error));
    pl_parts_find(parts, *found, NULL);
    return parts->count ? PLEAT_OK : pl_fail(error, PLEAT_BAD_DATA, "%.300s: it has no mesh to be a body", name);
}

static pleat_model_body_desc body_desc(const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                                       const pl_parts *parts)
{
    return (pleat_model_body_desc){.model = model,
                                   .clip = row->clip,
                                   .shot_count = row->shot_count,
                                   .shots = row->shots,
                                   .fps = row->fps,
                                   .skinning = look->skinning,
                                   .part_count = parts->count,
                                   .nodes = parts->nodes,
                                   .primitives = parts->primitives};
}

static pleat_result open_body(pl_job *job, const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                              pl_wrinkle_input *input, pleat_error *error)
{
    const pleat_model *found;
    pl_parts parts = {0};
    PL_TRY(find_body(job, model, input, &found, &parts, error));
    pleat_model_body_desc desc = body_desc(found, row, look, &parts);
    if (found != model)
    {
        if (row->shot_count)
        {
            return pl_fail(error, PLEAT_BAD_REQUEST,
                           "--body: a file of its own goes with one clip; choose it with --clip");
        }
        desc.clip = found->clip_count ? 0 : PLEAT_NONE;
    }
    PL_TRY(pleat_model_body_create(&desc, &job->host, &input->body, error));
    if (look->wrinkles)
    {
        look->wrinkles->body = pleat_model_body_get(input->body);
    }
    return PLEAT_OK;
}

/* ---- The other meshes ------------------------------------------------------------------------------------------- */

/* For each triangle of the parts its node, and whether it is cloth: as named, or as it looks. */
static pleat_result fill_neighbours(pl_job *job, const pleat_model *model, const pl_parts *parts,
                                    const pleat_garment_guess *guess, pl_wrinkle_input *input, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_body *body = pleat_model_body_get(input->others);
    uint32_t triangle = 0, *nodes;
    bool *sheets;
    PL_ARENA_NEW_OR_FAIL(nodes, &job->arena, uint32_t, body->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(sheets, &job->arena, bool, body->triangle_count, error);
    for (uint32_t p = 0; p < parts->count; ++p)
    {
        const pleat_mesh *mesh = &model->meshes[model->nodes[parts->nodes[p]].mesh];
        bool sheet = pl_part_is_named(model, parts->nodes[p], parts->primitives[p], &job->input->garments);
        for (uint32_t i = 0; i < guess->part_count && !sheet; ++i)
        {
            const pleat_part_guess *part = &guess->parts[i];
            sheet = part->node == parts->nodes[p] && part->primitive == parts->primitives[p] && part->garment;
        }
        for (uint32_t t = 0; t < mesh->primitives[parts->primitives[p]].triangle_count; ++t, ++triangle)
        {
            nodes[triangle] = parts->nodes[p];
            sheets[triangle] = sheet;
        }
    }
    input->neighbours = (pleat_neighbours){.body = *body, .nodes = nodes, .sheets = sheets};
fail:
    return result;
}

/* What wrinkles of one mesh must not cross: all other meshes of the scene. */
static pleat_result open_neighbours(pl_job *job, const pleat_model *model, const pl_clip_row *row,
                                    const pl_job_look *look, pl_wrinkle_input *input, pleat_error *error)
{
    pl_parts parts;
    bool several = false;
    look->wrinkles->neighbours = NULL;
    PL_TRY(pl_parts_make(job, model, &parts, error));
    pl_parts_find(&parts, model, NULL);
    for (uint32_t p = 1; p < parts.count; ++p)
    {
        several |= parts.nodes[p] != parts.nodes[0];
    }
    if (!several)
    {
        return PLEAT_OK;
    }
    pleat_garment_guess *guess;
    pleat_model_body_desc desc = body_desc(model, row, look, &parts);
    PL_TRY(pleat_garment_guess_create(model, &job->host, &guess, error));
    pleat_result result = pleat_model_body_create(&desc, &job->host, &input->others, error);
    result = result == PLEAT_OK ? fill_neighbours(job, model, &parts, guess, input, error) : result;
    pleat_garment_guess_destroy(guess);
    look->wrinkles->neighbours = result == PLEAT_OK ? &input->neighbours : NULL;
    return result;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

pleat_result pl_wrinkle_input_open(pl_job *job, const pleat_model *model, const pl_clip_row *row,
                                   const pl_job_look *look, pl_wrinkle_input *input, pleat_error *error)
{
    if (job->stack->wrinkles)
    {
        PL_TRY(pleat_wrinkle_file_read(job->stack->wrinkles, &job->host, &input->file, error));
        if (look->wrinkles)
        {
            look->wrinkles->curves = pleat_wrinkle_file_list(input->file);
        }
    }
    if (job->stack->bodies.count)
    {
        PL_TRY(open_body(job, model, row, look, input, error));
    }
    return look->wrinkles ? open_neighbours(job, model, row, look, input, error) : PLEAT_OK;
}

void pl_wrinkle_input_close(pl_wrinkle_input *input)
{
    pleat_wrinkle_file_destroy(input->file);
    pleat_model_body_destroy(input->body);
    pleat_model_body_destroy(input->others);
    pleat_asset_destroy(input->body_asset);
    *input = (pl_wrinkle_input){0};
}

/* ---- Curves out ------------------------------------------------------------------------------------------------- */

static const pleat_wrinkle_set *set_of(const pleat_stack *stack)
{
    const pleat_layer_type *type;
    const void *layer;
    for (uint32_t i = 0; (layer = pleat_stack_layer(stack, i, &type)); ++i)
    {
        if (type == &pleat_wrinkles_layer)
        {
            return pleat_wrinkles_set(layer);
        }
    }
    return NULL;
}

pleat_result pl_wrinkles_write(pl_job *job, const pleat_bake *bake, const pleat_model *model, const char *path,
                               pleat_outputs *outputs, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = pleat_bake_stack_count(bake);
    pleat_wrinkle_surface *surfaces;
    PL_ARENA_NEW_OR_FAIL(surfaces, &job->arena, pleat_wrinkle_surface, count, error);
    pleat_wrinkle_list list = {0, surfaces};
    for (uint32_t s = 0; s < count; ++s)
    {
        const pleat_stack *stack = pleat_bake_stack(bake, s);
        const pleat_wrinkle_set *set = set_of(stack);
        if (set)
        {
            uint32_t node = pleat_bake_stack_node(bake, s);
            pleat_wrinkle_surface *surface = &surfaces[list.surface_count++];
            *surface = (pleat_wrinkle_surface){.name = model->nodes[node].name, .node = node, .set = *set};
            pleat_stack_coarse_counts(stack, &surface->vertex_count, &surface->triangle_count);
        }
    }
    result = pleat_wrinkle_file_write(path, &list, outputs, &job->host, error);
fail:
    return result;
}
