#include "job/choice.h"

#include "job/input.h"
#include "job/mask.h"

#include "pleat/garment.h"

#include <stdlib.h>

/* The parts that look like cloth; *parts is malloc'ed. */
static int guess_parts(const app_session *session, const pleat_model *model, part_choice **parts, uint32_t *count)
{
    pleat_error error = {0};
    pleat_garment_guess *guess;
    if (pleat_garment_guess_create(model, &session->host, &guess, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    *parts = calloc((size_t)guess->part_count + 1, sizeof(*parts)[0]);
    for (uint32_t i = 0; *parts && i < guess->part_count; ++i)
    {
        if (guess->parts[i].garment)
        {
            (*parts)[(*count)++] = (part_choice){guess->parts[i].node, guess->parts[i].primitive};
        }
    }
    pleat_garment_guess_destroy(guess);
    if (!*parts)
    {
        return fail_input(session, "out of memory for the list of garments");
    }
    return EXIT_DONE;
}

/* Nodes of the scene with a mark for each of their primitives. The parts are in scene order, too. */
static bool mark_nodes(const pleat_model *model, const part_choice *parts, uint32_t part_count, bool only,
                       stack_choice *choice)
{
    size_t primitive_count = 0, at = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        primitive_count += mesh == PLEAT_NONE ? 0 : model->meshes[mesh].primitive_count;
    }
    choice->nodes = calloc((size_t)model->scene_node_count + 1, sizeof choice->nodes[0]);
    choice->garment = calloc(primitive_count + 1, sizeof choice->garment[0]);
    if (!choice->nodes || !choice->garment)
    {
        return false;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i], mesh = model->nodes[node].mesh;
        bool marked = next < part_count && parts[next].node == node;
        if (mesh == PLEAT_NONE || (only && !marked))
        {
            continue;
        }
        choice->nodes[choice->node_count++] = node;
        for (uint32_t p = 0; p < model->meshes[mesh].primitive_count; ++p, ++at)
        {
            choice->garment[at] = next < part_count && parts[next].node == node && parts[next].primitive == p;
            next += choice->garment[at];
        }
    }
    return true;
}

int choose_stack(const app_session *session, const pleat_model *model, garment_use use, bool only, const char *mask,
                 stack_choice *choice)
{
    *choice = (stack_choice){0};
    part_choice *parts;
    uint32_t part_count;
    int status = choose_garment(session, model, &parts, &part_count);
    bool named = part_count > 0;
    if (status == EXIT_DONE && !named && use != GARMENT_UNUSED)
    {
        status = guess_parts(session, model, &parts, &part_count);
    }
    if (status == EXIT_DONE && part_count == 0 && use == GARMENT_NEEDED)
    {
        status = fail_input(session, "%s: nothing in it looks like cloth; name the mesh for the layers with --garment",
                            session->arguments->files[0]);
    }
    if (status == EXIT_DONE && part_count > 0 && !mark_nodes(model, parts, part_count, only && named, choice))
    {
        status = fail_input(session, "out of memory for the list of garments");
    }
    free(parts);
    status = status == EXIT_DONE ? choose_mask(session, model, mask, choice) : status;
    if (status != EXIT_DONE)
    {
        choice_free(choice);
    }
    return status;
}

bool choice_is_skinned(const stack_choice *choice, const pleat_model *model)
{
    size_t at = 0;
    for (uint32_t i = 0; i < choice->node_count; ++i)
    {
        const pleat_node *node = &model->nodes[choice->nodes[i]];
        const pleat_mesh *mesh = &model->meshes[node->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; ++p, ++at)
        {
            if (choice->garment[at] && node->skin != PLEAT_NONE && mesh->primitives[p].influence_count > 0)
            {
                return true;
            }
        }
    }
    return false;
}

void choice_free(stack_choice *choice)
{
    free(choice->nodes);
    free(choice->garment);
    free(choice->mask);
    free(choice->clips);
    free(choice->shots);
    *choice = (stack_choice){0};
}

void choice_apply(const stack_choice *choice, pleat_bake_desc *desc)
{
    desc->node_count = choice->node_count;
    desc->nodes = choice->nodes;
    desc->garment = choice->garment;
    desc->mask = choice->mask;
}

/* ---- Frames ---- */

int choose_bake_frames(const app_session *session, const pleat_model *model, pleat_bake_desc *desc)
{
    const char *file = session->arguments->files[0];
    bool asked = arguments_range(session->arguments, "frames", &desc->first_frame, &desc->last_frame);
    uint32_t frames = desc->clip == PLEAT_NONE ? 1 : pleat_clip_frame_count(&model->clips[desc->clip], desc->fps);
    if (asked && desc->last_frame >= frames)
    {
        return fail_input(session, "%s: --frames ends at %u; the clip has frames 0-%u at %g a second", file,
                          desc->last_frame, frames - 1, (double)desc->fps);
    }
    if (!asked && frames > FRAMES_UNASKED)
    {
        return fail_input(session, "%s: its clip has %u frames; choose some of them with --frames", file, frames);
    }
    return EXIT_DONE;
}
