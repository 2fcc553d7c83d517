#include "job/inputs.h"

#include "job/input.h"

#include "pleat/garment.h"

#include <string.h>
#include <unistd.h>

/* ---- The body --------------------------------------------------------------------------------------------------- */

/* The model that a body is in: the input's, or that of a file. */
static pleat_result find_body(pl_job *job, const pleat_model *model, const pleat_job_given *given,
                              pl_layer_inputs *inputs, const pleat_model **found, pl_parts *parts, pleat_error *error)
{
    const char *name = given->values.list[0];
    *found = model;
    PL_TRY(pl_parts_make(job, model, parts, error));
    pl_parts_find(parts, model, &given->values);
    if (parts->count)
    {
        return PLEAT_OK;
    }
    if (pleat_format_of(name) == PLEAT_FORMAT_UNKNOWN && access(name, R_OK) != 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "--%s '%.100s' fits no mesh, node or material of %.200s, and is no file",
                       given->name, name, job->input->file);
    }
    pleat_load_options options = pleat_load_options_default();
    pleat_asset **asset = &inputs->assets[inputs->asset_count];
    options.sequence_fps = options.points_fps = (float)job->input->fps;
    options.allow_outside = job->input->allow_outside;
    PL_TRY(pleat_asset_load(name, &options, &job->host, asset, error));
    ++inputs->asset_count;
    *found = pleat_asset_model(*asset);
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
                                   .skinning = look->method->skinning,
                                   .skin_layer = look->skin_layer,
                                   .part_count = parts->count,
                                   .nodes = parts->nodes,
                                   .primitives = parts->primitives};
}

static pleat_result open_body(pl_job *job, const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                              const pleat_job_given *given, pl_layer_inputs *inputs, pleat_error *error)
{
    const pleat_model *found;
    pl_parts parts = {0};
    PL_TRY(find_body(job, model, given, inputs, &found, &parts, error));
    pleat_model_body_desc desc = body_desc(found, row, look, &parts);
    if (found != model)
    {
        if (row->shot_count)
        {
            return pl_fail(error, PLEAT_BAD_REQUEST,
                           "--%s: a file of its own goes with one clip; choose it with --clip", given->name);
        }
        desc.clip = found->clip_count ? 0 : PLEAT_NONE;
    }
    pleat_model_body **body = &inputs->bodies[inputs->body_count];
    PL_TRY(pleat_model_body_create(&desc, &job->host, body, error));
    ++inputs->body_count;
    pleat_stack_look_put(look->stack, given->name, PLEAT_INPUT_BODY, pleat_model_body_get(*body));
    return PLEAT_OK;
}

/* ---- The other meshes ------------------------------------------------------------------------------------------- */

/* For each triangle of the parts its node, and whether it is cloth: as named, or as it looks. */
static pleat_result fill_neighbours(pl_job *job, const pleat_model *model, const pl_parts *parts,
                                    const pleat_garment_guess *guess, pl_layer_inputs *inputs, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_body *body = pleat_model_body_get(inputs->others);
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
    inputs->neighbours = (pleat_neighbours){.body = *body, .nodes = nodes, .sheets = sheets};
fail:
    return result;
}

/* What the cloth of one mesh must not cross: all other meshes of the scene. */
static pleat_result open_neighbours(pl_job *job, const pleat_model *model, const pl_clip_row *row,
                                    const pl_job_look *look, pl_layer_inputs *inputs, pleat_error *error)
{
    pl_parts parts;
    bool several = false;
    pleat_stack_look_put(look->stack, NULL, PLEAT_INPUT_NEIGHBOURS, NULL);
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
    pleat_result result = pleat_model_body_create(&desc, &job->host, &inputs->others, error);
    result = result == PLEAT_OK ? fill_neighbours(job, model, &parts, guess, inputs, error) : result;
    pleat_garment_guess_destroy(guess);
    if (result == PLEAT_OK)
    {
        pleat_stack_look_put(look->stack, NULL, PLEAT_INPUT_NEIGHBOURS, &inputs->neighbours);
    }
    return result;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

/* The kind of an input by its name; false if no layer has it. */
static bool find_kind(const char *name, pleat_input_kind *kind)
{
    const pleat_layer_type *type;
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        for (uint32_t k = 0; k < type->input_count; ++k)
        {
            if (type->inputs[k].name && strcmp(type->inputs[k].name, name) == 0)
            {
                *kind = type->inputs[k].kind;
                return true;
            }
        }
    }
    return false;
}

bool pl_inputs_have(const pleat_job_stack *asked, pleat_input_kind kind)
{
    bool found = false;
    for (uint32_t i = 0; i < asked->input_count; ++i)
    {
        pleat_input_kind own;
        found |= find_kind(asked->inputs[i].name, &own) && own == kind;
    }
    return found;
}

static bool takes_neighbours(const pl_job_look *look)
{
    const pleat_layer_type *type;
    bool found = false;
    for (uint32_t i = 0; (type = pl_job_look_layer(look, i)); ++i)
    {
        for (uint32_t k = 0; k < type->input_count; ++k)
        {
            found |= type->inputs[k].kind == PLEAT_INPUT_NEIGHBOURS;
        }
    }
    return found;
}

static pleat_result open_given(pl_job *job, const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                               const pleat_job_given *given, pl_layer_inputs *inputs, pleat_error *error)
{
    pleat_input_kind kind;
    if (!given->values.count || !find_kind(given->name, &kind))
    {
        return PLEAT_OK; /* check_used has refused it */
    }
    if (kind == PLEAT_INPUT_CURVES)
    {
        pleat_wrinkle_file **file = &inputs->files[inputs->file_count];
        PL_TRY(pleat_wrinkle_file_read(given->values.list[0], &job->host, file, error));
        ++inputs->file_count;
        pleat_stack_look_put(look->stack, given->name, kind, pleat_wrinkle_file_list(*file));
    }
    return kind == PLEAT_INPUT_BODY ? open_body(job, model, row, look, given, inputs, error) : PLEAT_OK;
}

pleat_result pl_inputs_open(pl_job *job, const pleat_model *model, const pl_clip_row *row, const pl_job_look *look,
                            pl_layer_inputs *inputs, pleat_error *error)
{
    const pleat_job_stack *asked = job->stack;
    if (asked->input_count > PL_INPUT_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "%u inputs of layers are given; %d are the most", asked->input_count,
                       PL_INPUT_LIMIT);
    }
    for (uint32_t i = 0; i < asked->input_count; ++i)
    {
        PL_TRY(open_given(job, model, row, look, &asked->inputs[i], inputs, error));
    }
    return takes_neighbours(look) ? open_neighbours(job, model, row, look, inputs, error) : PLEAT_OK;
}

void pl_inputs_close(pl_layer_inputs *inputs)
{
    for (uint32_t i = 0; i < PL_INPUT_LIMIT; ++i)
    {
        pleat_wrinkle_file_destroy(inputs->files[i]);
        pleat_model_body_destroy(inputs->bodies[i]);
    }
    pleat_model_body_destroy(inputs->others);
    for (uint32_t i = 0; i < PL_INPUT_LIMIT; ++i)
    {
        pleat_asset_destroy(inputs->assets[i]); /* behind the bodies in them */
    }
    *inputs = (pl_layer_inputs){0};
}

/* ---- Channels out ----------------------------------------------------------------------------------------------- */

/* The curves of the layer that gives the channel; NULL: there is none, or it has no clip. */
static const pleat_wrinkle_set *curves_of(const pleat_stack *stack, const char *channel)
{
    const pleat_layer_type *type;
    const void *layer;
    for (uint32_t i = 0; (layer = pleat_stack_layer(stack, i, &type)); ++i)
    {
        for (uint32_t k = 0; k < type->channel_count; ++k)
        {
            if (strcmp(type->channels[k].name, channel) == 0 && type->channels[k].kind == PLEAT_CHANNEL_CURVES)
            {
                return type->clip_curves(layer);
            }
        }
    }
    return NULL;
}

pleat_result pl_channel_write(pl_job *job, const pleat_bake *bake, const pleat_model *model,
                              const pleat_job_given *channel, pleat_outputs *outputs, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = pleat_bake_stack_count(bake);
    pleat_wrinkle_surface *surfaces;
    PL_ARENA_NEW_OR_FAIL(surfaces, &job->arena, pleat_wrinkle_surface, count, error);
    pleat_wrinkle_list list = {0, surfaces};
    for (uint32_t s = 0; s < count; ++s)
    {
        const pleat_stack *stack = pleat_bake_stack(bake, s);
        const pleat_wrinkle_set *set = curves_of(stack, channel->name);
        if (set)
        {
            uint32_t node = pleat_bake_stack_node(bake, s);
            pleat_wrinkle_surface *surface = &surfaces[list.surface_count++];
            *surface = (pleat_wrinkle_surface){.name = model->nodes[node].name, .node = node, .set = *set};
            pleat_stack_coarse_counts(stack, &surface->vertex_count, &surface->triangle_count);
        }
    }
    result = pleat_wrinkle_file_write(channel->values.list[0], &list, outputs, &job->host, error);
fail:
    return result;
}
