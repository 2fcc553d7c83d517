#include "job/choice.h"

#include "job/input.h"

/* Nodes of the scene with a mark for each of their primitives. The parts are in scene order, too. */
static pleat_result mark_nodes(pl_job *job, const pleat_model *model, const pl_parts *parts, bool only,
                               pl_choice *choice, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t primitive_count = 0, at = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        primitive_count += mesh == PLEAT_NONE ? 0 : model->meshes[mesh].primitive_count;
    }
    PL_ARENA_NEW_OR_FAIL(choice->nodes, &job->arena, uint32_t, model->scene_node_count, error);
    PL_ARENA_NEW_OR_FAIL(choice->garment, &job->arena, bool, primitive_count, error);
    uint32_t next = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i], mesh = model->nodes[node].mesh;
        bool marked = next < parts->count && parts->nodes[next] == node;
        if (mesh == PLEAT_NONE || (only && !marked))
        {
            continue;
        }
        choice->nodes[choice->node_count++] = node;
        for (uint32_t p = 0; p < model->meshes[mesh].primitive_count; ++p, ++at)
        {
            choice->garment[at] = next < parts->count && parts->nodes[next] == node && parts->primitives[next] == p;
            next += choice->garment[at];
        }
    }
fail:
    return result;
}

pleat_result pl_choose_stack(pl_job *job, const pleat_model *model, const pl_job_look *look, bool only,
                             pl_choice *choice, pleat_error *error)
{
    pl_parts parts;
    pl_garment_use use = pl_look_garment_use(look);
    *choice = (pl_choice){0};
    PL_TRY(pl_choose_garment(job, model, &parts, error));
    bool named = parts.count > 0;
    if (!named && use != PL_GARMENT_UNUSED)
    {
        PL_TRY(pl_parts_guess(job, &parts, model, error));
    }
    if (parts.count == 0 && use == PL_GARMENT_NEEDED)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.300s: nothing in it looks like cloth; name the mesh for the layers with --garment",
                       job->input->file);
    }
    if (parts.count > 0)
    {
        PL_TRY(mark_nodes(job, model, &parts, only && named, choice, error));
    }
    return pl_choose_mask(job, model, look->mask, choice, error);
}

/* True if joints move any of the chosen garments. */
static bool is_skinned(const pl_choice *choice, const pleat_model *model)
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

void pl_look_settle(const pl_job *job, const pleat_model *model, uint32_t clip, const pl_choice *choice,
                    pl_job_look *look)
{
    const char *reason = NULL;
    if (clip != PLEAT_NONE && model->clips[clip].points.node != PLEAT_NONE)
    {
        reason = "its points are given, not moved by joints";
    }
    else if (!is_skinned(choice, model))
    {
        reason = choice->node_count ? "joints move no garment" : "nothing looks like cloth; --garment can name it";
    }
    if (look->unasked && reason)
    {
        pl_log(&job->host, PLEAT_INFO, "no %s on %.300s: %s", look->layers[0].type->name, job->input->file, reason);
        look->layer_count = 0;
    }
}

void pl_choice_apply(const pl_choice *choice, const pl_job_look *look, pleat_bake_desc *desc)
{
    desc->node_count = choice->node_count;
    desc->nodes = choice->nodes;
    desc->garment = choice->garment;
    desc->mask = choice->mask;
    desc->skinning = look->method->skinning;
    desc->skin_layer = look->skin_layer;
    desc->refine = look->refine;
    desc->level = look->level;
    desc->max_triangles = look->max_triangles;
    desc->triangle_times = look->triangle_times;
    desc->layer_count = look->layer_count;
    desc->layers = look->layers;
}

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

pleat_result pl_choose_frames(const pl_job *job, const pleat_model *model, pleat_bake_desc *desc, pleat_error *error)
{
    bool asked = job->input->last_frame != PLEAT_NONE;
    uint32_t frames = desc->clip == PLEAT_NONE ? 1 : pleat_clip_frame_count(&model->clips[desc->clip], desc->fps);
    if (asked && job->input->last_frame >= frames)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: --frames ends at %u; the clip has frames 0-%u at %g a second",
                       job->input->file, job->input->last_frame, frames - 1, (double)desc->fps);
    }
    if (!asked && frames > PL_FRAMES_UNASKED)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: its clip has %u frames; choose some of them with --frames",
                       job->input->file, frames);
    }
    desc->first_frame = asked ? job->input->first_frame : 0;
    desc->last_frame = job->input->last_frame;
    return PLEAT_OK;
}
