#include "layers_page.h"

#include "pleat/stack_look.h"

#include <stdlib.h>

/* What a need means, in the order of its bits. */
static const char *const needs[] = {"joints that move the mesh", "a rest shape", "the whole clip beforehand", "a body",
                                    "an animation of points"};

static void print_needs(FILE *out, uint32_t bits)
{
    const char *before = "needs ";
    for (uint32_t i = 0; i < sizeof needs / sizeof needs[0]; ++i)
    {
        if (bits & (1u << i))
        {
            fprintf(out, "%s%s", before, needs[i]);
            before = ", ";
        }
    }
    fputs(bits ? "; " : "", out);
}

static void print_inputs(FILE *out, const pleat_layer_type *type)
{
    for (uint32_t i = 0; i < type->input_count; ++i)
    {
        const pleat_layer_input *input = &type->inputs[i];
        if (input->name)
        {
            fprintf(out, "- takes `--%s %s`: %s\n", input->name, input->value, input->help);
        }
        else
        {
            fprintf(out, "- sees %s\n", input->help);
        }
    }
    for (uint32_t i = 0; i < type->channel_count; ++i)
    {
        fprintf(out, "- gives `--%s %s`: %s\n", type->channels[i].name, type->channels[i].value,
                type->channels[i].help);
    }
}

static void print_layer(FILE *out, const pleat_layer_type *type)
{
    fprintf(out, "\n### %s\n\n%s.\n\n- ", type->name, type->summary ? type->summary : type->name);
    print_needs(out, type->needs);
    fprintf(out, "runs %s\n",
            type->stage == PLEAT_STAGE_COARSE ? "on the input's own surface, before it is refined"
                                              : "on the refined surface");
    fprintf(out, "- %s\n",
            type->state_size ? "may keep state from frame to frame" : "a frame depends on its time alone");
    print_inputs(out, type);
    if (type->figure_count)
    {
        fputs("\n| figure | unit | what it says |\n| --- | --- | --- |\n", out);
    }
    for (uint32_t i = 0; i < type->figure_count; ++i)
    {
        const pleat_layer_figure *figure = &type->figures[i];
        fprintf(out, "| %s | %s | ", figure->name, figure->unit);
        for (const char *at = figure->help; *at; ++at)
        {
            fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
        }
        fputs(" |\n", out);
    }
}

void layers_page(FILE *out)
{
    const pleat_layer_type *type;
    const pleat_skin_method *method;
    fputs("## Skinning methods\n\n| `--skin` | what it is |\n| --- | --- |\n", out);
    for (uint32_t i = 0; (method = pleat_skin_method_at(i)); ++i)
    {
        fprintf(out, "| %s | %s |\n", method->name, method->summary);
    }
    for (uint32_t i = 0; (method = pleat_skin_method_at(i)); ++i)
    {
        if (method->layer && pleat_layer_find(method->layer->name) != method->layer)
        {
            print_layer(out, method->layer);
        }
    }
    fputs("\n## Layers\n\n| `--layer` | what it does |\n| --- | --- |\n", out);
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        fprintf(out, "| %s | %s |\n", type->name, type->summary ? type->summary : "");
    }
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        print_layer(out, type);
    }
}

int layers_page_json(const app_session *session)
{
    pleat_stack_look *look;
    pleat_error error = {0};
    if (pleat_stack_look_create(&session->host, &look, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    size_t size = pleat_stack_look_describe(look, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
    {
        pleat_stack_look_describe(look, text, size);
        fputs(text, stdout);
    }
    free(text);
    pleat_stack_look_destroy(look);
    return text ? EXIT_DONE : fail_input(session, "out of memory for the table of layers");
}
