#include "bake_look.h"

#include "pleat/look.h"
#include "pleat/rig.h"

#include <stdio.h>
#include <stdlib.h>

/* In the order of pleat_skinning. */
static const pleat_parameter skin_parameters[] = {
    {"method", PLEAT_VALUE_CHOICE, offsetof(skin_options, method), 0, 0, "lbs|dqs",
     "linear blend, or dual quaternions"},
};

enum
{
    SECTION_COUNT = 1
};

static void list_sections(bake_look *look, pleat_look_section sections[SECTION_COUNT])
{
    sections[0] =
        (pleat_look_section){"skin", skin_parameters, sizeof skin_parameters / sizeof skin_parameters[0], &look->skin};
}

int look_open(const app_session *session, bake_look *look)
{
    const app_arguments *arguments = session->arguments;
    *look = (bake_look){.skin = {.method = PLEAT_LBS}};
    pleat_look_section sections[SECTION_COUNT];
    list_sections(look, sections);
    pleat_look list = {SECTION_COUNT, sections};
    pleat_error error = {0};
    const char *path = arguments_text(arguments, "look");
    if (path && pleat_look_read(&list, path, &session->host, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    const char *assignment;
    for (uint32_t i = 0; (assignment = arguments_each(arguments, "set", i)); ++i)
    {
        if (pleat_look_set(&list, assignment, &error) != PLEAT_OK)
        {
            return fail_usage(session, "--set: %s", error.message);
        }
    }
    const char *skin = arguments_text(arguments, "skin");
    if (skin && pleat_look_set_text(&list, "skin", "method", skin, "", &error) != PLEAT_OK)
    {
        return fail_usage(session, "--skin: %s", error.message);
    }
    return EXIT_DONE;
}

int look_print(const app_session *session, bake_look *look)
{
    pleat_look_section sections[SECTION_COUNT];
    list_sections(look, sections);
    pleat_look list = {SECTION_COUNT, sections};
    size_t size = pleat_look_format(&list, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
    {
        return fail_input(session, "out of memory for the look");
    }
    pleat_look_format(&list, text, size);
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}
