#include "job/input.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pleat_asset *load_input(app_session *session, uint32_t index, double fps)
{
    pleat_load_options options = pleat_load_options_default();
    options.sequence_fps = (float)fps;
    options.allow_outside = arguments_given(session->arguments, "allow-outside");
    options.points_fps = (float)fps;
    options.points_path = arguments_text(session->arguments, "points");
    pleat_asset *asset = NULL;
    pleat_error error = {0};
    if (pleat_asset_load(session->arguments->files[index], &options, &session->host, &asset, &error) != PLEAT_OK)
    {
        fail_error(session, &error);
        return NULL;
    }
    return asset;
}

/* Adds a name to a list for a message, once, while there is room. */
static void list_name(char *list, size_t size, const char *name)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "'%.60s'", shown(name));
    size_t length = strlen(list);
    if (name[0] == 0 || strstr(list, quoted) || strstr(list, "..."))
    {
        return;
    }
    if (length + strlen(quoted) + 8 > size)
    {
        snprintf(list + length, size - length, ", ...");
        return;
    }
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", quoted);
}

int choose_clip(const app_session *session, const pleat_model *model, uint32_t *index)
{
    const char *pattern = arguments_text(session->arguments, "clip");
    char names[600] = "";
    *index = model->clip_count ? 0 : PLEAT_NONE;
    if (!pattern)
    {
        return EXIT_DONE;
    }
    uint32_t fit_count = 0;
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        bool fits = pleat_name_matches(pattern, model->clips[c].name);
        *index = fits && fit_count == 0 ? c : *index;
        fit_count += fits;
        list_name(names, sizeof names, model->clips[c].name);
    }
    if (fit_count > 1)
    {
        char message[300];
        snprintf(message, sizeof message, "--clip '%.100s' fits %u clips; the first of them is taken, '%.100s'",
                 shown(pattern), fit_count, shown(model->clips[*index].name));
        session->host.log(session->host.log_user, PLEAT_WARNING, message);
    }
    if (fit_count)
    {
        return EXIT_DONE;
    }
    return fail_input(session, "%s: no clip is named '%s'; it has %s", session->arguments->files[0], pattern,
                      model->clip_count ? names : "none");
}

/* Every name that --garment could have meant. */
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
        list_name(names, size, node->name);
        list_name(names, size, mesh->name);
        for (uint32_t p = 0; p < mesh->primitive_count; ++p)
        {
            uint32_t material = mesh->primitives[p].material;
            list_name(names, size, material == PLEAT_NONE ? "" : model->materials[material].name);
        }
    }
}

static bool pattern_fits(const pleat_model *model, const char *pattern)
{
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i];
        uint32_t mesh = model->nodes[node].mesh;
        for (uint32_t p = 0; mesh != PLEAT_NONE && p < model->meshes[mesh].primitive_count; ++p)
        {
            if (pleat_part_matches(model, node, p, pattern))
            {
                return true;
            }
        }
    }
    return false;
}

static bool any_fits(const app_session *session, const pleat_model *model, uint32_t node, uint32_t primitive)
{
    const char *pattern;
    for (uint32_t i = 0; (pattern = arguments_each(session->arguments, "garment", i)); ++i)
    {
        if (pleat_part_matches(model, node, primitive, pattern))
        {
            return true;
        }
    }
    return false;
}

int choose_garment(const app_session *session, const pleat_model *model, part_choice **parts, uint32_t *count)
{
    *parts = NULL;
    *count = 0;
    const char *pattern;
    for (uint32_t i = 0; (pattern = arguments_each(session->arguments, "garment", i)); ++i)
    {
        if (!pattern_fits(model, pattern))
        {
            char names[700] = "";
            list_parts(model, names, sizeof names);
            return fail_input(session, "%s: --garment '%s' fits no mesh, node or material; there are %s",
                              session->arguments->files[0], pattern, names[0] ? names : "none with a name");
        }
    }
    for (uint32_t pass = 0; pass < 2 && arguments_given(session->arguments, "garment"); ++pass)
    {
        uint32_t found = 0;
        for (uint32_t i = 0; i < model->scene_node_count; ++i)
        {
            uint32_t node = model->scene_nodes[i];
            uint32_t mesh = model->nodes[node].mesh;
            for (uint32_t p = 0; mesh != PLEAT_NONE && p < model->meshes[mesh].primitive_count; ++p)
            {
                if (any_fits(session, model, node, p))
                {
                    if (*parts)
                    {
                        (*parts)[found] = (part_choice){node, p};
                    }
                    ++found;
                }
            }
        }
        *count = found;
        if (!*parts && !(*parts = calloc(found, sizeof(*parts)[0])))
        {
            return fail_input(session, "out of memory for the list of garments");
        }
    }
    return EXIT_DONE;
}
