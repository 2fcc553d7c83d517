#include "job/look.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* What the request makes wrong, with the option that does. */
static pleat_result fail_of(const char *option, const pleat_error *inner, pleat_error *error)
{
    return pl_fail(error, PLEAT_BAD_REQUEST, "--%s: %s", option, inner->message);
}

static bool is_of_section(const char *setting, const char *section)
{
    size_t length = strlen(section);
    return strncmp(setting, section, length) == 0 && (setting[length] == '.' || setting[length] == '[');
}

static pleat_result add_layers(const pleat_texts *names, pleat_stack_look *stack, pleat_error *error)
{
    for (uint32_t i = 0; i < names->count; ++i)
    {
        const char *name = names->list[i];
        const pleat_layer_type *type = pleat_layer_find(name);
        pleat_error inner = {0};
        if (strcmp(name, "none") == 0)
        {
            return names->count == 1
                       ? PLEAT_OK
                       : pl_fail(error, PLEAT_BAD_REQUEST, "--layer none stands alone: no layer, just the skinning");
        }
        if (type && pleat_stack_look_has(stack, type))
        {
            return pl_fail(error, PLEAT_BAD_REQUEST, "--layer %s stands twice; a stack has each layer once", name);
        }
        if (pleat_stack_look_add(stack, name, &inner) != PLEAT_OK)
        {
            return fail_of("layer", &inner, error);
        }
    }
    return PLEAT_OK;
}

/* It counts as asked for if a setting speaks of it. */
static pleat_result add_usual_layer(const pleat_job_stack *asked, pl_job_look *look, pleat_error *error)
{
    const char *name = pleat_layer_at(0)->name;
    look->unasked = true;
    for (uint32_t i = 0; i < asked->settings.count; ++i)
    {
        look->unasked &= !is_of_section(asked->settings.list[i], name);
    }
    return pleat_stack_look_add(look->stack, name, error);
}

static pleat_result set_all(const pleat_job_stack *asked, const pleat_host *host, pl_job_look *look, pleat_error *error)
{
    const pleat_look *sections = pleat_stack_look_sections(look->stack);
    pleat_error inner = {0};
    if (asked->look)
    {
        PL_TRY(pleat_look_read(sections, asked->look, host, error));
    }
    for (uint32_t i = 0; i < asked->settings.count; ++i)
    {
        if (pleat_look_assign(sections, asked->settings.list[i], host, &inner) != PLEAT_OK)
        {
            return fail_of("set", &inner, error);
        }
    }
    if (asked->skinning && pleat_look_set_text(sections, "skin", "method", asked->skinning, "", &inner) != PLEAT_OK)
    {
        return fail_of("skin", &inner, error);
    }
    return PLEAT_OK;
}

/* What the rest of the job needs of the stack. */
static void take(const pleat_job_stack *asked, pl_job_look *look)
{
    const char *own = pleat_stack_look_mask(look->stack);
    look->method = pleat_stack_look_skin(look->stack, &look->skin_layer);
    bool plain = asked->refine == PLEAT_REFINE_BY_LAYER;
    look->refine = plain && asked->max_triangles ? PLEAT_REFINE_KEEP : asked->refine;
    look->level = asked->level;
    look->mask = asked->mask ? asked->mask : own[0] == '@' ? own + 1 : own[0] ? own : NULL;
    look->layer_count = pleat_stack_look_count(look->stack);
    look->layers = pleat_stack_look_layers(look->stack);
}

pleat_job_stack pleat_job_stack_default(void)
{
    return (pleat_job_stack){.refine = PLEAT_REFINE_BY_LAYER};
}

/* "40000" or "4x". */
static pleat_result read_triangles(const char *text, pl_job_look *look, pleat_error *error)
{
    char *end;
    double number = strtod(text, &end);
    bool times = *end == 'x' && !end[1];
    if (end == text || (*end && !times) || !(number > 0) || !(number < 1e9) || (!times && number < 1))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "--max-triangles is '%.40s'; it can be a number, or 4x for four times the input's", text);
    }
    look->triangle_times = times ? (float)number : PLEAT_TRIANGLES_TIMES;
    look->max_triangles = times ? 0 : (uint64_t)number;
    return PLEAT_OK;
}

static pleat_result set_refinement(const pleat_job_stack *asked, pl_job_look *look, pleat_error *error)
{
    look->triangle_times = PLEAT_TRIANGLES_TIMES;
    if (asked->level && asked->refine == PLEAT_REFINE_KEEP)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--level belongs to --refine loop; keep refines where layers need it");
    }
    if (asked->max_triangles && (asked->refine == PLEAT_REFINE_LOOP || asked->level))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--max-triangles belongs to --refine keep; --level limits loop");
    }
    return asked->max_triangles ? read_triangles(asked->max_triangles, look, error) : PLEAT_OK;
}

static pleat_result fill(const pleat_job_stack *asked, bool usual, const pleat_host *host, pl_job_look *look,
                         pleat_error *error)
{
    pleat_error inner = {0};
    PL_TRY(set_refinement(asked, look, error));
    PL_TRY(add_layers(&asked->layers, look->stack, error));
    PL_TRY(set_all(asked, host, look, error));
    if (asked->layers.count == 0 && usual)
    {
        PL_TRY(add_usual_layer(asked, look, error));
    }
    pleat_result result = pleat_stack_look_settle(look->stack, &inner);
    if (result != PLEAT_OK)
    {
        return pl_fail(error, result == PLEAT_BAD_DATA ? PLEAT_BAD_REQUEST : result, "%s", inner.message);
    }
    take(asked, look);
    return PLEAT_OK;
}

pleat_result pl_job_look_open(const pleat_job_stack *asked, bool usual, const pleat_host *host, pl_job_look *look,
                              pleat_error *error)
{
    *look = (pl_job_look){0};
    PL_TRY(pleat_stack_look_create(host, &look->stack, error));
    pleat_result result = fill(asked, usual, host, look, error);
    if (result != PLEAT_OK)
    {
        pl_job_look_close(look);
    }
    return result;
}

void pl_job_look_close(pl_job_look *look)
{
    pleat_stack_look_destroy(look->stack);
    *look = (pl_job_look){0};
}

const pleat_layer_type *pl_job_look_layer(const pl_job_look *look, uint32_t index)
{
    return index < look->layer_count    ? look->layers[index].type
           : index == look->layer_count ? look->skin_layer.type
                                        : NULL;
}

bool pl_job_look_recentres(const pl_job_look *look)
{
    const pleat_layer_type *type;
    bool does = true;
    for (uint32_t i = 0; (type = pl_job_look_layer(look, i)); ++i)
    {
        does &= !type->state_size;
        for (uint32_t k = 0; k < type->input_count; ++k)
        {
            does &= type->inputs[k].kind == PLEAT_INPUT_CURVES;
        }
    }
    return does;
}

/* ---- What nothing takes ----------------------------------------------------------------------------------------- */

static bool is_in(const pl_job_look *look, const pleat_layer_type *type)
{
    const pleat_layer_type *each;
    bool found = false;
    for (uint32_t i = 0; (each = pl_job_look_layer(look, i)); ++i)
    {
        found |= each == type;
    }
    return found;
}

/* A parameter of a layer that is not there would change nothing: the --layer was forgotten. */
static pleat_result check_setting(const pl_job_look *look, const char *setting, pleat_error *error)
{
    const pleat_layer_type *type;
    const pleat_skin_method *method;
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        if (is_of_section(setting, type->name) && !is_in(look, type))
        {
            return pl_fail(error, PLEAT_BAD_REQUEST, "--set %s: there are no %s without --layer %s", setting,
                           type->name, type->name);
        }
    }
    for (uint32_t i = 0; (method = pleat_skin_method_at(i)); ++i)
    {
        type = method->layer;
        if (type && is_of_section(setting, type->name) && !is_in(look, type))
        {
            return pl_fail(error, PLEAT_BAD_REQUEST, "--set %s: nothing takes it without --skin %s", setting,
                           method->name);
        }
    }
    return PLEAT_OK;
}

static bool takes_input(const pleat_layer_type *type, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < type->input_count; ++i)
    {
        found |= type->inputs[i].name && strcmp(type->inputs[i].name, name) == 0;
    }
    return found;
}

static bool gives_channel(const pleat_layer_type *type, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; i < type->channel_count; ++i)
    {
        found |= strcmp(type->channels[i].name, name) == 0;
    }
    return found;
}

static bool gives_meshes(const pleat_layer_type *type, const char *name)
{
    (void)name;
    return type->focus != NULL;
}

/* Is it true of a layer of the stack? If not, *options lists those of the table: "--layer a or --layer b". */
static bool some_layer(const pl_job_look *look, bool (*test)(const pleat_layer_type *, const char *), const char *name,
                       char *options, size_t size)
{
    const pleat_layer_type *type;
    bool found = false;
    size_t length = 0;
    options[0] = 0;
    for (uint32_t i = 0; (type = pl_job_look_layer(look, i)); ++i)
    {
        found |= test(type, name);
    }
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        if (test(type, name) && length < size)
        {
            length +=
                (size_t)snprintf(options + length, size - length, "%s--layer %s", length ? " or " : "", type->name);
        }
    }
    return found;
}

enum
{
    OPTIONS_SIZE = 300 /* bytes of such a list; it is cut */
};

pleat_result pl_job_look_check_used(const pleat_job_stack *asked, const pl_job_look *look, pleat_error *error)
{
    char options[OPTIONS_SIZE];
    for (uint32_t i = 0; i < asked->settings.count; ++i)
    {
        PL_TRY(check_setting(look, asked->settings.list[i], error));
    }
    for (uint32_t i = 0; i < asked->input_count; ++i)
    {
        const char *name = asked->inputs[i].name;
        if (!some_layer(look, takes_input, name, options, sizeof options))
        {
            return options[0]
                       ? pl_fail(error, PLEAT_BAD_REQUEST, "--%s is of no use without %s", name, options)
                       : pl_fail(error, PLEAT_BAD_REQUEST, "there is no layer that takes an input '%.60s'", name);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_job_look_check_channels(const pleat_job_given *channels, uint32_t count, const pl_job_look *look,
                                        pleat_error *error)
{
    char options[OPTIONS_SIZE];
    for (uint32_t i = 0; i < count; ++i)
    {
        const char *name = channels[i].name;
        if (!some_layer(look, gives_channel, name, options, sizeof options))
        {
            return options[0]
                       ? pl_fail(error, PLEAT_BAD_REQUEST, "--%s: there is nothing to write without %s", name, options)
                       : pl_fail(error, PLEAT_BAD_REQUEST, "there is no layer that gives '%.60s'", name);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_job_look_check_focus(const pl_job_look *look, pleat_error *error)
{
    char options[OPTIONS_SIZE];
    return some_layer(look, gives_meshes, NULL, options, sizeof options)
               ? PLEAT_OK
               : pl_fail(error, PLEAT_BAD_REQUEST,
                         "--topology frame: no layer here gives frames meshes of their own; add %s", options);
}
