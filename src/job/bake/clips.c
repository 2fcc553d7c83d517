#include "job/bake/clips.h"

#include "job/input.h"
#include "job/inputs.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <string.h>

/* ---- Choosing --------------------------------------------------------------------------------------------------- */

/* Is everything that was asked for possible with several clips? */
static bool takes_several(const pleat_bake_job *asked, const pl_output_targets *targets)
{
    bool several = false;
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        several |= pl_target_is_gltf(&targets->list[i]) || pl_has_placeholder(targets->list[i].given);
    }
    bool of_one = asked->input.last_frame != PLEAT_NONE || pl_inputs_have(&asked->stack, PLEAT_INPUT_CURVES) ||
                  asked->channel_count || asked->input.points || asked->frame_topology ||
                  (asked->stretch.wanted && !asked->stretch.most);
    return several && !of_one;
}

static bool shapes_any(const pleat_model *model, const pleat_clip *clip, const pl_choice *choice)
{
    uint32_t count = choice->node_count ? choice->node_count : model->scene_node_count;
    const uint32_t *nodes = choice->node_count ? choice->nodes : model->scene_nodes;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (model->nodes[nodes[i]].mesh != PLEAT_NONE && pleat_clip_shapes(model, clip, nodes[i]))
        {
            return true;
        }
    }
    return false;
}

static pleat_result list_clips(pl_job *job, const pleat_model *model, const pl_choice *choice, pleat_bake_desc *desc,
                               pl_clip_row *row, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const char *pattern = job->input->clip;
    uint64_t frames = 0;
    uint32_t count = 0, *clips;
    pleat_shot *shots;
    PL_ARENA_NEW_OR_FAIL(clips, &job->arena, uint32_t, model->clip_count, error);
    PL_ARENA_NEW_OR_FAIL(shots, &job->arena, pleat_shot, model->clip_count, error);
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        if (pattern ? pleat_name_matches(pattern, clip->name) : shapes_any(model, clip, choice))
        {
            clips[count++] = c;
            frames += pleat_clip_frame_count(clip, desc->fps);
        }
    }
    if (count > 1 && frames > PL_FRAMES_UNASKED)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: its %u clips have %llu frames; choose one of them with --clip",
                       job->input->file, count, (unsigned long long)frames);
    }
    pleat_shots_list(model, count > 1 ? count : 0, clips, desc->fps, shots);
    desc->clip = count ? clips[0] : desc->clip;
    desc->clip_count = count > 1 ? count : 0;
    desc->clips = clips;
    row->shots = shots;
fail:
    return result;
}

pleat_result pl_choose_clips(pl_job *job, const pleat_bake_job *asked, const pleat_model *model,
                             const pl_output_targets *targets, const pl_choice *choice, pleat_bake_desc *desc,
                             pl_clip_row *row, pleat_error *error)
{
    *row = (pl_clip_row){.fps = desc->fps};
    bool listed = model->clip_count > 1 && takes_several(asked, targets);
    if (listed)
    {
        PL_TRY(list_clips(job, model, choice, desc, row, error));
    }
    if (!desc->clip_count)
    {
        /* Of no clip, or of one: what the pattern says of it has to be heard. */
        uint32_t only = desc->clip;
        PL_TRY(pl_choose_clip(job, model, &desc->clip, error));
        desc->clip = listed && !job->input->clip ? only : desc->clip;
        PL_TRY(pl_choose_frames(job, model, desc, error));
    }
    row->clip = desc->clip;
    row->shot_count = desc->clip_count;
    return PLEAT_OK;
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* Morph targets are played where they were baked; elsewhere a viewer sees linear skinning. */
static void warn_of_morphs(const pl_job *job, const pleat_model *model, const pleat_bake_desc *desc, bool chosen)
{
    const pleat_clip *clip = &model->clips[desc->clip];
    uint32_t frames = pleat_clip_frame_count(clip, desc->fps);
    if (model->clip_count > 1 && chosen)
    {
        pl_log(&job->host, PLEAT_WARNING,
               "only the clip '%.100s' was baked; the other %u play with linear skinning alone", pl_shown(clip->name),
               model->clip_count - 1);
    }
    if (desc->last_frame != PLEAT_NONE && desc->last_frame - desc->first_frame + 1 < frames)
    {
        pl_log(&job->host, PLEAT_WARNING,
               "only frames %u-%u of the clip's %u were baked; the others play with linear skinning alone",
               desc->first_frame, desc->last_frame, frames);
    }
}

void pl_warn_of_other_clips(const pl_job *job, const pleat_bake_job *asked, const pleat_model *model,
                            const pleat_bake_desc *desc, const pl_output_targets *targets, bool morphs)
{
    if (morphs && !desc->clip_count && desc->clip != PLEAT_NONE)
    {
        warn_of_morphs(job, model, desc, asked->input.clip || !takes_several(asked, targets));
    }
    for (uint32_t i = 0; i < targets->count && desc->clip_count; ++i)
    {
        const pl_output_target *target = &targets->list[i];
        if (!pl_target_is_gltf(target) && !pl_has_placeholder(target->given))
        {
            pl_log(&job->host, PLEAT_WARNING,
                   "%.140s holds the first clip alone, '%.100s'; --clip chooses another, and %s in its name gives one "
                   "for each",
                   pl_shown(target->given), pl_shown(model->clips[desc->clip].name), PL_CLIP_PLACEHOLDER);
        }
    }
}

/* ---- Names of files --------------------------------------------------------------------------------------------- */

bool pl_has_placeholder(const char *path)
{
    return strstr(path, PL_CLIP_PLACEHOLDER) != NULL;
}

enum
{
    NAME_ROOM = 204 /* bytes: most systems' file names hold 255, with what is typed around the clip's */
};

/* A clip's name as a part of a file's. */
static void file_name_of(const pleat_model *model, uint32_t clip, char out[NAME_ROOM])
{
    const char *name = model->clips[clip].name;
    if (name[0])
    {
        snprintf(out, NAME_ROOM, "%s", name);
    }
    else
    {
        snprintf(out, NAME_ROOM, "clip_%u", clip);
    }
    for (char *at = out; *at; ++at)
    {
        *at = strchr("/\\:*?\"<>|%{}", *at) || (unsigned char)*at < 32 ? '_' : *at;
    }
}

/* Names that differ only in case are one file in some places. */
static bool same_name(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && (a[i] | 32) == (b[i] | 32))
    {
        ++i;
    }
    return a[i] == b[i];
}

/* Would another clip get the same name? */
static bool is_shared(const pleat_model *model, uint32_t clip, const char *name)
{
    bool shared = false;
    for (uint32_t c = 0; c < model->clip_count && !shared; ++c)
    {
        char other[NAME_ROOM];
        file_name_of(model, c, other);
        shared = c != clip && same_name(other, name);
    }
    return shared;
}

char *pl_clip_path(pl_arena *arena, const char *path, const pleat_model *model, uint32_t clip)
{
    const char *at = strstr(path, PL_CLIP_PLACEHOLDER);
    if (!at || clip == PLEAT_NONE)
    {
        return pl_arena_string(arena, path, strlen(path));
    }
    char name[NAME_ROOM], number[16] = "";
    file_name_of(model, clip, name);
    if (is_shared(model, clip, name))
    {
        snprintf(number, sizeof number, "_%u", clip);
    }
    size_t size = strlen(path) + strlen(name) + sizeof number;
    char *out = PL_ARENA_NEW(arena, char, size);
    if (out)
    {
        snprintf(out, size, "%.*s%s%s%s", (int)(at - path), path, name, number, at + strlen(PL_CLIP_PLACEHOLDER));
    }
    return out;
}
