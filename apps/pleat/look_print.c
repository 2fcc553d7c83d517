#include "look_print.h"

#include <stdio.h>
#include <stdlib.h>

int look_print(const app_session *session, const pl_job_look *look)
{
    const pleat_look *list = pleat_stack_look_sections(look->stack);
    size_t size = pleat_look_format(list, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
    {
        return fail_input(session, "out of memory for the look");
    }
    pleat_look_format(list, text, size);
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}

/* The range of a parameter in the unit that its values are printed in. */
static void print_range(const pleat_parameter *parameter, const char *unit, double factor)
{
    if (parameter->kind == PLEAT_VALUE_SWITCH)
    {
        printf("true or false");
    }
    else if (parameter->kind == PLEAT_VALUE_CHOICE)
    {
        printf("one of %s", parameter->choices);
    }
    else if (parameter->kind == PLEAT_VALUE_CURVE)
    {
        printf("2 to 30 points, or @FILE: an .svg or .png");
    }
    else if (parameter->kind == PLEAT_VALUE_TEXT || parameter->kind == PLEAT_VALUE_FILE)
    {
        printf("a text of up to %d bytes", PLEAT_TEXT_LIMIT - 1);
    }
    else
    {
        int digits = parameter->kind == PLEAT_VALUE_COUNT ? 10 : 6;
        printf("%.*g to %.*g%s", digits, parameter->low * factor, digits, parameter->high * factor, unit);
    }
}

int look_print_parameters(const app_session *session)
{
    static const struct
    {
        const char *name;
        double factor;
    } units[] = {[PLEAT_VALUE_NUMBER] = {"", 1},    [PLEAT_VALUE_LENGTH] = {" m", 1},
                 [PLEAT_VALUE_SHARE] = {" %", 100}, [PLEAT_VALUE_ANGLE] = {" deg", 57.295779513082323},
                 [PLEAT_VALUE_TIME] = {" s", 1},    [PLEAT_VALUE_COUNT] = {"", 1},
                 [PLEAT_VALUE_SWITCH] = {"", 1},    [PLEAT_VALUE_CHOICE] = {"", 1},
                 [PLEAT_VALUE_TEXT] = {"", 1},      [PLEAT_VALUE_CURVE] = {"", 1},
                 [PLEAT_VALUE_FILE] = {"", 1}};
    pleat_stack_look *look;
    pleat_error error = {0};
    if (pleat_stack_look_create(&session->host, &look, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    const pleat_look *all = pleat_stack_look_sections(look);
    for (uint32_t s = 0; s < all->section_count; ++s)
    {
        const pleat_look_section *section = &all->sections[s];
        for (uint32_t p = 0; p < section->parameter_count; ++p)
        {
            const pleat_parameter *parameter = &section->parameters[p];
            char value[PLEAT_TEXT_LIMIT];
            pleat_look_get_text(section, p, value, sizeof value);
            printf("%s.%s=%s\n    %s\n    ", section->name, parameter->name, value, parameter->help);
            print_range(parameter, units[parameter->kind].name, units[parameter->kind].factor);
            bool some = section->by_joint && parameter->offset >= section->by_joint->from &&
                        parameter->offset < section->by_joint->to;
            printf("%s\n", some ? "; also by joint" : "");
        }
    }
    pleat_stack_look_destroy(look);
    return EXIT_DONE;
}
