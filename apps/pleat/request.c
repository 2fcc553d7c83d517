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

pleat_job_stack request_stack(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    return (pleat_job_stack){.skinning = arguments_text(arguments, "skin"),
                             .layers = request_texts(session, "layer"),
                             .look = arguments_text(arguments, "look"),
                             .settings = request_texts(session, "set"),
                             .mask = arguments_text(arguments, "mask"),
                             .level = arguments_whole(arguments, "level"),
                             .wrinkles = arguments_text(arguments, "wrinkles"),
                             .bodies = request_texts(session, "body")};
}

pleat_stretch_colors stretch_colors_named(const char *name)
{
    return name && strcmp(name, "tensor") == 0 ? PLEAT_STRETCH_TENSOR
           : name && strcmp(name, "area") == 0 ? PLEAT_STRETCH_GREY
                                               : PLEAT_STRETCH_SIGNED;
}

int request_look(app_session *session, bake_look *look, pl_job_look *out)
{
    *out = (pl_job_look){.skinning = (pleat_skinning)look->skin.method,
                         .refine = look->refine,
                         .level = look->level,
                         .max_triangles = look->max_triangles,
                         .triangle_times = look->triangle_times,
                         .mask = look_mask(session, look),
                         .unasked = look->unasked,
                         .layer_count = look->layer_count,
                         .wrinkles = look_has_layer(look, &pleat_wrinkles_layer) ? &look->wrinkles : NULL,
                         .text = session_keep(session, look_text(look))};
    look_layers(look, out->layers);
    return out->text ? EXIT_DONE : fail_input(session, "out of memory for the look");
}
