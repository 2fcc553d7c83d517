#include "job/bake/clips.h"

#include "job/bake/writers.h"
#include "job/input.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Choosing ---- */

static bool is_gltf(const bake_target *target)
{
    return target->format == PLEAT_FORMAT_GLB || target->format == PLEAT_FORMAT_GLTF;
}

/* Is everything that was asked for possible with several clips? */
static bool takes_several(const app_session *session, const bake_targets *targets)
{
    const app_arguments *arguments = session->arguments;
    static const char *const of_one[] = {"frames", "wrinkles", "wrinkles-out", "points"};
    const char *stretch = arguments_text(arguments, "stretch");
    bool several = false;
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        several |= is_gltf(&targets->list[i]) || has_placeholder(targets->list[i].given);
    }
    for (size_t i = 0; i < sizeof of_one / sizeof of_one[0]; ++i)
    {
        several &= !arguments_given(arguments, of_one[i]);
    }
    return several && !topology_by_frame(session) && (!stretch || strcmp(stretch, "most") == 0);
}

static bool shapes_any(const pleat_model *model, const pleat_clip *clip, const stack_choice *choice)
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

static int list_clips(const app_session *session, const pleat_model *model, stack_choice *choice, pleat_bake_desc *desc)
{
    const char *pattern = arguments_text(session->arguments, "clip");
    uint64_t frames = 0;
    uint32_t count = 0;
    choice->clips = calloc((size_t)model->clip_count + 1, sizeof choice->clips[0]);
    choice->shots = calloc((size_t)model->clip_count + 1, sizeof choice->shots[0]);
    if (!choice->clips || !choice->shots)
    {
        return fail_input(session, "out of memory for the list of clips");
    }
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        if (pattern ? pleat_name_matches(pattern, clip->name) : shapes_any(model, clip, choice))
        {
            choice->clips[count++] = c;
            frames += pleat_clip_frame_count(clip, desc->fps);
        }
    }
    if (count > 1 && frames > FRAMES_UNASKED)
    {
        return fail_input(session, "%s: its %u clips have %llu frames; choose one of them with --clip",
                          session->arguments->files[0], count, (unsigned long long)frames);
    }
    pleat_shots_list(model, count > 1 ? count : 0, choice->clips, desc->fps, choice->shots);
    desc->clip = count ? choice->clips[0] : desc->clip;
    desc->clip_count = count > 1 ? count : 0;
    desc->clips = choice->clips;
    return EXIT_DONE;
}

int choose_clips(const app_session *session, const pleat_model *model, const bake_targets *targets,
                 stack_choice *choice, pleat_bake_desc *desc)
{
    int status = EXIT_DONE;
    if (model->clip_count > 1 && takes_several(session, targets))
    {
        status = list_clips(session, model, choice, desc);
    }
    if (status == EXIT_DONE && !desc->clip_count)
    {
        /* Of no clip, or of one: what --clip says of it has to be heard. */
        uint32_t only = desc->clip;
        bool found = choice->clips && model->clip_count && !arguments_given(session->arguments, "clip");
        status = choose_clip(session, model, &desc->clip);
        desc->clip = found ? only : desc->clip;
        status = status == EXIT_DONE ? choose_bake_frames(session, model, desc) : status;
    }
    return status;
}

/* ---- Words ---- */

static void warn(app_session *session, const char *message)
{
    session->host.log(session->host.log_user, PLEAT_WARNING, message);
}

void warn_of_other_clips(app_session *session, const pleat_model *model, const pleat_bake_desc *desc,
                         const bake_targets *targets, bool morphs)
{
    char message[400];
    const char *first = desc->clip == PLEAT_NONE ? "" : shown(model->clips[desc->clip].name);
    /* Morph targets are played by the clips that were baked; a viewer that plays another one sees linear skinning. */
    if (morphs && model->clip_count > 1 && !desc->clip_count && desc->clip != PLEAT_NONE &&
        (arguments_given(session->arguments, "clip") || !takes_several(session, targets)))
    {
        snprintf(message, sizeof message,
                 "only the clip '%.100s' was baked; the other %u play with linear skinning alone", first,
                 model->clip_count - 1);
        warn(session, message);
    }
    for (uint32_t i = 0; i < targets->count && desc->clip_count; ++i)
    {
        const bake_target *target = &targets->list[i];
        if (!is_gltf(target) && !has_placeholder(target->given))
        {
            snprintf(message, sizeof message,
                     "%.140s holds the first clip alone, '%.100s'; --clip chooses another, and %s in its name gives "
                     "one for each",
                     shown(target->given), first, CLIP_PLACEHOLDER);
            warn(session, message);
        }
    }
}

/* ---- Names of files ---- */

bool has_placeholder(const char *path)
{
    return strstr(path, CLIP_PLACEHOLDER) != NULL;
}

/* A clip's name as a part of a file's; malloc'ed. */
static char *file_name_of(const pleat_model *model, uint32_t clip)
{
    const char *name = model->clips[clip].name;
    size_t size = strlen(name) + 32;
    char *out = malloc(size);
    if (out)
    {
        if (name[0])
        {
            snprintf(out, size, "%s", name);
        }
        else
        {
            snprintf(out, size, "clip_%u", clip);
        }
    }
    for (char *at = out; at && *at; ++at)
    {
        *at = strchr("/\\:*?\"<>|%{}", *at) || (unsigned char)*at < 32 ? '_' : *at;
    }
    return out;
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
        char *other = c == clip ? NULL : file_name_of(model, c);
        shared = other && same_name(other, name);
        free(other);
    }
    return shared;
}

char *clip_path(const char *path, const pleat_model *model, uint32_t clip)
{
    const char *at = strstr(path, CLIP_PLACEHOLDER);
    if (!at || clip == PLEAT_NONE)
    {
        return strdup(path);
    }
    char *name = file_name_of(model, clip), number[16] = "";
    if (name && is_shared(model, clip, name))
    {
        snprintf(number, sizeof number, "_%u", clip);
    }
    size_t size = strlen(path) + (name ? strlen(name) : 0) + sizeof number;
    char *out = name ? malloc(size) : NULL;
    if (out)
    {
        snprintf(out, size, "%.*s%s%s%s", (int)(at - path), path, name, number, at + strlen(CLIP_PLACEHOLDER));
    }
    free(name);
    return out;
}
