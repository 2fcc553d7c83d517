/* The tables of layers and skinning methods as JSON, for pages and add-ons that make their controls of it. */
#include "pleat/stack_look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that is counted in any case, and written as far as there is room. */
typedef struct sink
{
    char *out;
    size_t size, length;
} sink;

static void put(sink *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(sink *to, const char *format, ...)
{
    va_list list;
    bool room = to->length < to->size;
    va_start(list, format);
    int added = vsnprintf(room ? to->out + to->length : NULL, room ? to->size - to->length : 0, format, list);
    va_end(list);
    to->length += added > 0 ? (size_t)added : 0;
}

static void put_text(sink *to, const char *text)
{
    put(to, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at; ++at)
    {
        if (*at == '"' || *at == '\\')
        {
            put(to, "\\%c", *at);
        }
        else if (*at < 32)
        {
            put(to, "\\u%04x", *at);
        }
        else
        {
            put(to, "%c", *at);
        }
    }
    put(to, "\"");
}

static void put_member(sink *to, const char *name, const char *text)
{
    put(to, "\"%s\": ", name);
    if (text)
    {
        put_text(to, text);
    }
    else
    {
        put(to, "null");
    }
}

/* A number in the C locale's way, whatever the host's is. */
static void put_number(sink *to, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    char *comma = strchr(text, ',');
    if (comma)
    {
        *comma = '.';
    }
    put(to, ", \"%s\": %s", name, text);
}

static bool has_range(pleat_parameter_kind kind)
{
    return kind == PLEAT_VALUE_NUMBER || kind == PLEAT_VALUE_LENGTH || kind == PLEAT_VALUE_SHARE ||
           kind == PLEAT_VALUE_ANGLE || kind == PLEAT_VALUE_TIME || kind == PLEAT_VALUE_COUNT;
}

static void put_choices(sink *to, const char *choices)
{
    put(to, ", \"choices\": [");
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    {
        put(to, "%s\"%.*s\"", at == choices ? "" : ", ", (int)strcspn(at, "|"), at);
    }
    put(to, "]");
}

static void put_parameter(sink *to, const pleat_look_section *section, uint32_t index)
{
    const pleat_parameter *parameter = &section->parameters[index];
    const pleat_joint_values *by_joint = section->by_joint;
    char value[PLEAT_TEXT_LIMIT];
    pleat_look_get_text(section, index, value, sizeof value);
    put(to, "{");
    put_member(to, "key", parameter->name);
    put(to, ", ");
    put_member(to, "kind", pleat_parameter_kind_name(parameter->kind));
    put(to, ", ");
    put_member(to, "unit", pleat_parameter_unit(parameter->kind));
    put(to, ", ");
    put_member(to, "value", value);
    if (has_range(parameter->kind))
    {
        put_number(to, "low", parameter->low);
        put_number(to, "high", parameter->high);
    }
    if (parameter->choices)
    {
        put_choices(to, parameter->choices);
    }
    bool some = by_joint && parameter->offset >= by_joint->from && parameter->offset < by_joint->to;
    put(to, ", \"by_joint\": %s, ", some ? "true" : "false");
    put_member(to, "help", parameter->help);
    put(to, "}");
}

/* The parameters of a section; an empty list for a layer without any. */
static void put_parameters(sink *to, const pleat_look *sections, const char *name)
{
    put(to, "\"parameters\": [");
    for (uint32_t s = 0; s < sections->section_count; ++s)
    {
        const pleat_look_section *section = &sections->sections[s];
        for (uint32_t p = 0; p < section->parameter_count && strcmp(section->name, name) == 0; ++p)
        {
            put(to, "%s\n      ", p ? "," : "");
            put_parameter(to, section, p);
        }
    }
    put(to, "]");
}

static void put_needs(sink *to, uint32_t needs)
{
    static const char *const names[] = {"skin", "rest", "clip", "body", "points"};
    bool first = true;
    put(to, "\"needs\": [");
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        if (needs & (1u << i))
        {
            put(to, "%s\"%s\"", first ? "" : ", ", names[i]);
            first = false;
        }
    }
    put(to, "]");
}

static void put_inputs(sink *to, const pleat_layer_type *type)
{
    static const char *const kinds[] = {"curves", "body", "neighbours"}; /* in the order of pleat_input_kind */
    put(to, "\"inputs\": [");
    for (uint32_t i = 0; i < type->input_count; ++i)
    {
        put(to, "%s{", i ? ", " : "");
        put_member(to, "name", type->inputs[i].name);
        put(to, ", \"kind\": \"%s\", ", kinds[type->inputs[i].kind]);
        put_member(to, "help", type->inputs[i].help);
        put(to, "}");
    }
    put(to, "], \"channels\": [");
    for (uint32_t i = 0; i < type->channel_count; ++i)
    {
        put(to, "%s{", i ? ", " : "");
        put_member(to, "name", type->channels[i].name);
        put(to, ", \"kind\": \"curves\", ");
        put_member(to, "help", type->channels[i].help);
        put(to, "}");
    }
    put(to, "]");
}

static void put_figures(sink *to, const pleat_layer_type *type)
{
    put(to, "\"figures\": [");
    for (uint32_t i = 0; i < type->figure_count; ++i)
    {
        const pleat_layer_figure *figure = &type->figures[i];
        put(to, "%s\n      {", i ? "," : "");
        put_member(to, "name", figure->name);
        put(to, ", ");
        put_member(to, "unit", figure->unit);
        put(to, ", ");
        put_member(to, "help", figure->help);
        put(to, "}");
    }
    put(to, "]");
}

static void put_layer(sink *to, const pleat_look *sections, const pleat_layer_type *type)
{
    put(to, "    {");
    put_member(to, "name", type->name);
    put(to, ", ");
    put_member(to, "summary", type->summary);
    put(to, ", \"stage\": \"%s\", \"state\": %s, ", type->stage == PLEAT_STAGE_COARSE ? "coarse" : "fine",
        type->state_size ? "true" : "false");
    put_needs(to, type->needs);
    put(to, ",\n     ");
    put_parameters(to, sections, type->name);
    put(to, ",\n     ");
    put_inputs(to, type);
    put(to, ",\n     ");
    put_figures(to, type);
    put(to, "}");
}

/* A coarse layer that belongs to a skinning method alone is not in the table of layers. */
static bool is_extra(uint32_t method)
{
    const pleat_layer_type *type = pleat_skin_method_at(method)->layer;
    bool extra = type && pleat_layer_find(type->name) != type;
    for (uint32_t i = 0; i < method; ++i)
    {
        extra &= pleat_skin_method_at(i)->layer != type;
    }
    return extra;
}

size_t pleat_stack_look_describe(pleat_stack_look *look, char *out, size_t size)
{
    sink to = {out, size, 0};
    const pleat_look *sections = pleat_stack_look_sections(look);
    put(&to, "{\n  \"pleat\": \"%s\",\n  \"skins\": [", PLEAT_VERSION);
    for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
    {
        const pleat_skin_method *method = pleat_skin_method_at(i);
        put(&to, "%s\n    {", i ? "," : "");
        put_member(&to, "name", method->name);
        put(&to, ", ");
        put_member(&to, "summary", method->summary);
        put(&to, ", \"blend\": \"%s\", ", method->skinning == PLEAT_DQS ? "dqs" : "lbs");
        put_member(&to, "layer", method->layer ? method->layer->name : NULL);
        put(&to, "}");
    }
    put(&to, "],\n  \"mask\": {");
    put_parameters(&to, sections, "mask");
    put(&to, "},\n  \"layers\": [\n");
    for (uint32_t i = 0; i < pleat_layer_count(); ++i)
    {
        put(&to, "%s", i ? ",\n" : "");
        put_layer(&to, sections, pleat_layer_at(i));
    }
    put(&to, "],\n  \"skin_layers\": [\n");
    bool first = true;
    for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
    {
        if (is_extra(i))
        {
            put(&to, "%s", first ? "" : ",\n");
            put_layer(&to, sections, pleat_skin_method_at(i)->layer);
            first = false;
        }
    }
    put(&to, "]\n}\n");
    return to.length;
}
