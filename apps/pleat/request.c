#include "request.h"

#include <stdlib.h>
#include <string.h>

pleat_texts request_texts(app_session *session, const char *name)
{
    uint32_t count = 0;
    while (arguments_each(session->arguments, name, count))
    {
        ++count;
    }
    const char **list = session_keep(session, malloc(((size_t)count + 1) * sizeof *list));
    for (uint32_t i = 0; list && i < count; ++i)
    {
        list[i] = arguments_each(session->arguments, name, i);
    }
    return (pleat_texts){list ? count : 0, list};
}

/* Some commands have no such option. */
static bool has_option(const app_session *session, const char *name)
{
    const app_option *option;
    for (uint32_t i = 0; (option = command_option(session->arguments->command, i)); ++i)
    {
        if (strcmp(option->name, name) == 0)
        {
            return true;
        }
    }
    return false;
}

pleat_job_input request_input(app_session *session, uint32_t index)
{
    const app_arguments *arguments = session->arguments;
    pleat_job_input input = pleat_job_input_default();
    input.file = index < arguments->file_count ? arguments->files[index] : NULL;
    input.allow_outside = arguments_given(arguments, "allow-outside");
    input.points = has_option(session, "points") ? arguments_text(arguments, "points") : NULL;
    input.clip = has_option(session, "clip") ? arguments_text(arguments, "clip") : NULL;
    if (has_option(session, "fps") && arguments_number(arguments, "fps") > 0)
    {
        input.fps = arguments_number(arguments, "fps");
    }
    if (has_option(session, "frames"))
    {
        arguments_range(arguments, "frames", &input.first_frame, &input.last_frame);
    }
    if (has_option(session, "garment"))
    {
        input.garments = request_texts(session, "garment");
    }
    return input;
}

/* The options of a command that come from layers and were given. */
static const pleat_job_given *list_given(app_session *session, app_option_source source, uint32_t *count)
{
    const app_option *option;
    uint32_t room = 0;
    while (layer_option(source, room))
    {
        ++room;
    }
    pleat_job_given *list = session_keep(session, calloc((size_t)room + 1, sizeof *list));
    *count = 0;
    for (uint32_t i = 0; list && (option = layer_option(source, i)); ++i)
    {
        if (has_option(session, option->name) && arguments_given(session->arguments, option->name))
        {
            list[(*count)++] = (pleat_job_given){option->name, request_texts(session, option->name)};
        }
    }
    return list;
}

pleat_job_stack request_stack(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    const char *refine = arguments_text(arguments, "refine");
    pleat_job_stack stack = pleat_job_stack_default();
    stack.skinning = arguments_text(arguments, "skin");
    stack.layers = request_texts(session, "layer");
    stack.look = arguments_text(arguments, "look");
    stack.settings = request_texts(session, "set");
    stack.mask = arguments_text(arguments, "mask");
    stack.refine = !refine ? stack.refine : strcmp(refine, "keep") == 0 ? PLEAT_REFINE_KEEP : PLEAT_REFINE_LOOP;
    stack.level = arguments_whole(arguments, "level");
    stack.max_triangles = arguments_text(arguments, "max-triangles");
    stack.inputs = list_given(session, OPTIONS_OF_INPUTS, &stack.input_count);
    return stack;
}

const pleat_job_given *request_channels(app_session *session, uint32_t *count)
{
    return list_given(session, OPTIONS_OF_CHANNELS, count);
}

pleat_stretch_colors stretch_colors_named(const char *name)
{
    return name && strcmp(name, "tensor") == 0 ? PLEAT_STRETCH_TENSOR
           : name && strcmp(name, "area") == 0 ? PLEAT_STRETCH_GREY
                                               : PLEAT_STRETCH_SIGNED;
}
