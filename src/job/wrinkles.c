#include "job/wrinkles.h"

#include "pleat/garment.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- The body ---- */

/* Parts of a model, in scene order, as a body takes them. */
typedef struct body_parts
{
    uint32_t *nodes, *primitives;
    uint32_t count;
} body_parts;

static bool is_named(const app_session *session, const pleat_model *model, uint32_t node, uint32_t primitive,
                     const char *option)
{
    const char *pattern;
    for (uint32_t i = 0; (pattern = arguments_each(session->arguments, option, i)); ++i)
    {
        if (pleat_part_matches(model, node, primitive, pattern))
        {
            return true;
        }
    }
    return false;
}

/* Those that --body names; or all of them. False: out of memory. */
static bool list_parts(const app_session *session, const pleat_model *model, bool all, body_parts *parts)
{
    size_t room = 1;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        room += mesh == PLEAT_NONE ? 0 : model->meshes[mesh].primitive_count;
    }
    parts->nodes = calloc(room, sizeof *parts->nodes);
    parts->primitives = calloc(room, sizeof *parts->primitives);
    for (uint32_t i = 0; i < model->scene_node_count && parts->nodes && parts->primitives; ++i)
    {
        uint32_t node = model->scene_nodes[i], mesh = model->nodes[node].mesh;
        for (uint32_t p = 0; mesh != PLEAT_NONE && p < model->meshes[mesh].primitive_count; ++p)
        {
            if (all || is_named(session, model, node, p, "body"))
            {
                parts->nodes[parts->count] = node;
                parts->primitives[parts->count++] = p;
            }
        }
    }
    return parts->nodes && parts->primitives;
}

/* The model that the body is in: the input's, or that of a file. */
static int find_body(app_session *session, const pleat_model *model, wrinkle_input *input, const pleat_model **found,
                     body_parts *parts)
{
    const char *name = arguments_each(session->arguments, "body", 0);
    *found = model;
    if (!list_parts(session, model, false, parts))
    {
        return fail_input(session, "out of memory for the body");
    }
    if (parts->count)
    {
        return EXIT_DONE;
    }
    if (pleat_format_of(name) == PLEAT_FORMAT_UNKNOWN && access(name, R_OK) != 0)
    {
        return fail_input(session, "--body '%s' fits no mesh, node or material of %s, and is no file", name,
                          session->arguments->files[0]);
    }
    pleat_load_options options = pleat_load_options_default();
    options.allow_outside = arguments_given(session->arguments, "allow-outside");
    options.sequence_fps = options.points_fps = (float)arguments_number(session->arguments, "fps");
    pleat_error error = {0};
    if (pleat_asset_load(name, &options, &session->host, &input->body_asset, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    *found = pleat_asset_model(input->body_asset);
    free(parts->nodes);
    free(parts->primitives);
    *parts = (body_parts){0};
    if (!list_parts(session, *found, true, parts))
    {
        return fail_input(session, "out of memory for the body");
    }
    return parts->count ? EXIT_DONE : fail_input(session, "%s: it has no mesh to be a body", name);
}

static int open_body(app_session *session, const pleat_model *model, const clip_row *row, bake_look *look,
                     wrinkle_input *input)
{
    const pleat_model *found;
    body_parts parts = {0};
    int status = find_body(session, model, input, &found, &parts);
    if (status == EXIT_DONE)
    {
        bool own = found == model;
        pleat_error error = {0};
        if (!own && row->shot_count)
        {
            free(parts.nodes);
            free(parts.primitives);
            return fail_usage(session, "--body: a file of its own goes with one clip; choose it with --clip");
        }
        pleat_model_body_desc desc = {.model = found,
                                      .clip = own                 ? row->clip
                                              : found->clip_count ? 0
                                                                  : PLEAT_NONE,
                                      .shot_count = own ? row->shot_count : 0,
                                      .shots = row->shots,
                                      .fps = row->fps,
                                      .skinning = (pleat_skinning)look->skin.method,
                                      .part_count = parts.count,
                                      .nodes = parts.nodes,
                                      .primitives = parts.primitives};
        if (pleat_model_body_create(&desc, &session->host, &input->body, &error) != PLEAT_OK)
        {
            status = fail_error(session, &error);
        }
        else
        {
            look->wrinkles.body = pleat_model_body_get(input->body);
        }
    }
    free(parts.nodes);
    free(parts.primitives);
    return status;
}

/* ---- The other meshes ---- */

/* For each triangle of the parts its node, and whether it is cloth: by --garment, or as it looks. */
static bool fill_neighbours(const app_session *session, const pleat_model *model, const body_parts *parts,
                            const pleat_garment_guess *guess, wrinkle_input *input)
{
    const pleat_body *body = pleat_model_body_get(input->others);
    uint32_t triangle = 0;
    input->neighbour_nodes = calloc((size_t)body->triangle_count + 1, sizeof *input->neighbour_nodes);
    input->neighbour_sheets = calloc((size_t)body->triangle_count + 1, sizeof *input->neighbour_sheets);
    if (!input->neighbour_nodes || !input->neighbour_sheets)
    {
        return false;
    }
    for (uint32_t p = 0; p < parts->count; ++p)
    {
        const pleat_mesh *mesh = &model->meshes[model->nodes[parts->nodes[p]].mesh];
        bool sheet = is_named(session, model, parts->nodes[p], parts->primitives[p], "garment");
        for (uint32_t i = 0; i < guess->part_count && !sheet; ++i)
        {
            const pleat_part_guess *part = &guess->parts[i];
            sheet = part->node == parts->nodes[p] && part->primitive == parts->primitives[p] && part->garment;
        }
        for (uint32_t t = 0; t < mesh->primitives[parts->primitives[p]].triangle_count; ++t, ++triangle)
        {
            input->neighbour_nodes[triangle] = parts->nodes[p];
            input->neighbour_sheets[triangle] = sheet;
        }
    }
    input->neighbours =
        (pleat_neighbours){.body = *body, .nodes = input->neighbour_nodes, .sheets = input->neighbour_sheets};
    return true;
}

/* What wrinkles of one mesh must not cross: all other meshes of the scene. */
static int open_neighbours(app_session *session, const pleat_model *model, const clip_row *row, bake_look *look,
                           wrinkle_input *input)
{
    body_parts parts = {0};
    pleat_garment_guess *guess = NULL;
    pleat_error error = {PLEAT_NO_MEMORY, "out of memory for the meshes beside wrinkles"};
    bool listed = list_parts(session, model, true, &parts), several = false;
    for (uint32_t p = 1; listed && p < parts.count; ++p)
    {
        several |= parts.nodes[p] != parts.nodes[0];
    }
    pleat_model_body_desc desc = {.model = model,
                                  .clip = row->clip,
                                  .shot_count = row->shot_count,
                                  .shots = row->shots,
                                  .fps = row->fps,
                                  .skinning = (pleat_skinning)look->skin.method,
                                  .part_count = parts.count,
                                  .nodes = parts.nodes,
                                  .primitives = parts.primitives};
    bool opened =
        listed && (!several || (pleat_garment_guess_create(model, &session->host, &guess, &error) == PLEAT_OK &&
                                pleat_model_body_create(&desc, &session->host, &input->others, &error) == PLEAT_OK &&
                                fill_neighbours(session, model, &parts, guess, input)));
    look->wrinkles.neighbours = opened && several ? &input->neighbours : NULL;
    pleat_garment_guess_destroy(guess);
    free(parts.nodes);
    free(parts.primitives);
    return opened ? EXIT_DONE : fail_error(session, &error);
}

/* ---- Opening and closing ---- */

int wrinkle_input_open(app_session *session, const pleat_model *model, const clip_row *row, bake_look *look,
                       wrinkle_input *input)
{
    const char *path = arguments_text(session->arguments, "wrinkles");
    bool body = arguments_given(session->arguments, "body");
    if (path)
    {
        pleat_error error = {0};
        if (pleat_wrinkle_file_read(path, &session->host, &input->file, &error) != PLEAT_OK)
        {
            return fail_error(session, &error);
        }
        look->wrinkles.curves = pleat_wrinkle_file_list(input->file);
    }
    int status = body ? open_body(session, model, row, look, input) : EXIT_DONE;
    bool wrinkles = look_has_layer(look, &pleat_wrinkles_layer);
    return status == EXIT_DONE && wrinkles ? open_neighbours(session, model, row, look, input) : status;
}

void wrinkle_input_close(wrinkle_input *input)
{
    pleat_wrinkle_file_destroy(input->file);
    pleat_model_body_destroy(input->body);
    pleat_model_body_destroy(input->others);
    free(input->neighbour_nodes);
    free(input->neighbour_sheets);
    pleat_asset_destroy(input->body_asset);
    *input = (wrinkle_input){0};
}

/* ---- Curves out ---- */

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

pleat_result wrinkles_write(const pleat_bake *bake, const pleat_model *model, const char *path, pleat_outputs *outputs,
                            const pleat_host *host, pleat_error *error)
{
    uint32_t count = pleat_bake_stack_count(bake);
    pleat_wrinkle_surface *surfaces = calloc((size_t)count + 1, sizeof *surfaces);
    pleat_wrinkle_list list = {0, surfaces};
    if (!surfaces)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "out of memory for the curves of wrinkles"};
        return PLEAT_NO_MEMORY;
    }
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
    pleat_result result = pleat_wrinkle_file_write(path, &list, outputs, host, error);
    free(surfaces);
    return result;
}
