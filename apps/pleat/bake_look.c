#include "bake_look.h"

#include "pleat/look.h"
#include "pleat/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of pleat_skinning. */
static const pleat_parameter skin_parameters[] = {
    {"method", PLEAT_VALUE_CHOICE, offsetof(skin_options, method), 0, 0, "lbs|dqs",
     "linear blend, or dual quaternions"},
};

static const pleat_parameter mask_parameters[] = {
    {"image", PLEAT_VALUE_FILE, offsetof(mask_options, image), 0, 0, NULL,
     "layers act where this picture, @FILE, is white, or 'color' of vertices; nothing: everywhere"},
};

/* ---- The layers there are -----------------------------------------------------------------------------------------
 */

typedef struct layer_kind
{
    const pleat_layer_type *type; /* its name is the section's, and what --layer takes */
    size_t options;               /* where they are in a bake_look */
    void (*fill)(bake_look *look);
    size_t joints; /* where its pleat_joint_values are; 0: it has none */
    void (*finish)(bake_look *look, const pleat_look_section *section); /* takes the values of joints; or NULL */
} layer_kind;

enum
{
    DEFAULT_KIND = 0 /* folds: the row of what a bake does without a --layer */
};

static void fill_folds(bake_look *look)
{
    look->folds = pleat_folds_options_default();
    look->folds_joints.from = offsetof(pleat_folds_options, width);
    look->folds_joints.to = offsetof(pleat_folds_options, joint_count);
}

static void finish_folds(bake_look *look, const pleat_look_section *section)
{
    const char *joints;
    pleat_folds_options own = look->folds;
    for (uint32_t i = 0; (joints = pleat_look_joints(section, i, &own)); ++i, own = look->folds)
    {
        memcpy(look->folds_curves[i], own.curve, sizeof own.curve);
        look->folds_values[i] = (pleat_folds_joint){joints,    own.width,  own.strength, own.length,           own.bend,
                                                    own.angle, own.spread, own.profile,  look->folds_curves[i]};
        look->folds.joint_count = i + 1;
    }
    look->folds.joint_values = look->folds_values;
}

static void fill_volume(bake_look *look)
{
    look->volume = pleat_volume_options_default();
    look->volume_joints.from = offsetof(pleat_volume_options, shape);
    look->volume_joints.to = offsetof(pleat_volume_options, shape) + sizeof look->volume.shape;
}

static void finish_volume(bake_look *look, const pleat_look_section *section)
{
    const char *joints;
    pleat_volume_options own = look->volume;
    for (uint32_t i = 0; (joints = pleat_look_joints(section, i, &own)); ++i, own = look->volume)
    {
        look->volume_bones[i] = (pleat_volume_bone){joints, own.shape};
        look->volume.bone_count = i + 1;
    }
    look->volume.bones = look->volume_bones;
}

static void fill_wrinkles(bake_look *look)
{
    look->wrinkles = pleat_wrinkles_options_default();
}

static void fill_live(bake_look *look)
{
    look->live = pleat_live_options_default();
}

static const layer_kind kinds[LAYER_KINDS] = {
    {&pleat_folds_layer, offsetof(bake_look, folds), fill_folds, offsetof(bake_look, folds_joints), finish_folds},
    {&pleat_volume_layer, offsetof(bake_look, volume), fill_volume, offsetof(bake_look, volume_joints), finish_volume},
    {&pleat_wrinkles_layer, offsetof(bake_look, wrinkles), fill_wrinkles, 0, NULL},
    {&pleat_live_layer, offsetof(bake_look, live), fill_live, 0, NULL},
};

static const void *options_of(const bake_look *look, const layer_kind *kind)
{
    return (const char *)look + kind->options;
}

void look_layers(const bake_look *look, pleat_layer_desc layers[LAYER_KINDS])
{
    for (uint32_t i = 0; i < look->layer_count; ++i)
    {
        const layer_kind *kind = &kinds[look->layers[i]];
        layers[i] = (pleat_layer_desc){kind->type, options_of(look, kind)};
    }
}

bool look_has_layer(const bake_look *look, const pleat_layer_type *type)
{
    for (uint32_t i = 0; i < look->layer_count; ++i)
    {
        if (kinds[look->layers[i]].type == type)
        {
            return true;
        }
    }
    return false;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------
 */

enum
{
    FIRST_LAYER = 2, /* sections before it: skin, mask */
    SECTION_COUNT = FIRST_LAYER + LAYER_KINDS
};

static void fill_defaults(bake_look *look)
{
    *look = (bake_look){.skin = {.method = PLEAT_LBS}};
    for (uint32_t k = 0; k < LAYER_KINDS; ++k)
    {
        kinds[k].fill(look);
    }
}

static void list_sections(bake_look *look, pleat_look_section sections[SECTION_COUNT])
{
    sections[0] = (pleat_look_section){"skin", skin_parameters, sizeof skin_parameters / sizeof skin_parameters[0],
                                       &look->skin, NULL};
    sections[1] = (pleat_look_section){"mask", mask_parameters, sizeof mask_parameters / sizeof mask_parameters[0],
                                       &look->mask, NULL};
    for (uint32_t k = 0; k < LAYER_KINDS; ++k)
    {
        pleat_look_section *section = &sections[FIRST_LAYER + k];
        section->name = kinds[k].type->name;
        section->parameters = kinds[k].type->parameters;
        section->parameter_count = kinds[k].type->parameter_count;
        section->options = (char *)look + kinds[k].options;
        section->by_joint = kinds[k].joints ? (pleat_joint_values *)(void *)((char *)look + kinds[k].joints) : NULL;
    }
}

static int read_layers(const app_session *session, bake_look *look)
{
    const char *name;
    for (uint32_t i = 0; (name = arguments_each(session->arguments, "layer", i)); ++i)
    {
        uint32_t kind = 0;
        if (strcmp(name, "none") == 0)
        {
            if (i > 0 || arguments_each(session->arguments, "layer", 1))
            {
                return fail_usage(session, "--layer none stands alone: no layer, just the skinning");
            }
            return EXIT_DONE;
        }
        while (kind < LAYER_KINDS && strcmp(kinds[kind].type->name, name) != 0)
        {
            ++kind;
        }
        for (uint32_t k = 0; k < look->layer_count; ++k)
        {
            if (look->layers[k] == kind)
            {
                return fail_usage(session, "--layer %s stands twice; a stack has each layer once", name);
            }
        }
        look->layers[look->layer_count++] = kind;
    }
    return EXIT_DONE;
}

static bool is_of_kind(const char *assignment, const layer_kind *kind)
{
    size_t length = strlen(kind->type->name);
    return strncmp(assignment, kind->type->name, length) == 0 &&
           (assignment[length] == '.' || assignment[length] == '[');
}

/* A parameter of a layer that is not there would change nothing: the --layer was forgotten. */
static int check_set(const app_session *session, const bake_look *look, const char *assignment)
{
    for (uint32_t k = 0; k < LAYER_KINDS; ++k)
    {
        const char *name = kinds[k].type->name;
        bool meant = is_of_kind(assignment, &kinds[k]);
        for (uint32_t i = 0; i < look->layer_count; ++i)
        {
            meant &= look->layers[i] != k;
        }
        if (meant)
        {
            return fail_usage(session, "--set %s: there are no %s without --layer %s", assignment, name, name);
        }
    }
    return EXIT_DONE;
}

/* A drawn profile that nothing takes is likely a mistake. */
static void warn_of_curves(const app_session *session, const bake_look *look)
{
    pleat_folds_options plain = pleat_folds_options_default();
    const char *unused = NULL;
    bool taken = look->folds.profile == PLEAT_PROFILE_CURVE;
    for (uint32_t i = 0; i < look->folds.joint_count; ++i)
    {
        const pleat_folds_joint *joint = &look->folds_values[i];
        taken |= joint->profile == PLEAT_PROFILE_CURVE;
        unused = joint->profile != PLEAT_PROFILE_CURVE && strcmp(joint->curve, look->folds.curve) != 0 ? joint->joints
                                                                                                       : unused;
    }
    if (unused || (!taken && strcmp(look->folds.curve, plain.curve) != 0))
    {
        char message[400];
        snprintf(message, sizeof message, "folds%s%.250s%s.curve changes nothing without profile=curve beside it",
                 unused ? "[" : "", unused ? unused : "", unused ? "]" : "");
        session->host.log(session->host.log_user, PLEAT_WARNING, message);
    }
}

/* "40000" or "4x". */
static int read_triangles(const app_session *session, const char *text, bake_look *look)
{
    char *end;
    double number = strtod(text, &end);
    bool times = *end == 'x' && !end[1];
    if (end == text || (*end && !times) || !(number > 0) || !(number < 1e9) || (!times && number < 1))
    {
        return fail_usage(session, "--max-triangles is '%s'; it can be a number, or 4x for four times the input's",
                          text);
    }
    look->triangle_times = times ? (float)number : PLEAT_TRIANGLES_TIMES;
    look->max_triangles = times ? 0 : (uint64_t)number;
    return EXIT_DONE;
}

static int read_refinement(const app_session *session, bake_look *look)
{
    const app_arguments *arguments = session->arguments;
    const char *refine = arguments_text(arguments, "refine"), *triangles = arguments_text(arguments, "max-triangles");
    look->refine = refine && strcmp(refine, "keep") == 0 ? PLEAT_REFINE_KEEP : PLEAT_REFINE_LOOP;
    look->level = arguments_whole(arguments, "level");
    look->triangle_times = PLEAT_TRIANGLES_TIMES;
    if (look->level && look->refine == PLEAT_REFINE_KEEP)
    {
        return fail_usage(session, "--level belongs to --refine loop; keep refines where layers need it");
    }
    if (triangles && look->refine == PLEAT_REFINE_LOOP)
    {
        return fail_usage(session, "--max-triangles belongs to --refine keep; --level limits loop");
    }
    return triangles ? read_triangles(session, triangles, look) : EXIT_DONE;
}

int look_open(const app_session *session, bake_look *look)
{
    const app_arguments *arguments = session->arguments;
    pleat_look_section sections[SECTION_COUNT];
    pleat_look list = {SECTION_COUNT, sections};
    pleat_error error = {0};
    fill_defaults(look);
    list_sections(look, sections);
    int status = read_refinement(session, look);
    status = status == EXIT_DONE ? read_layers(session, look) : status;
    if (status != EXIT_DONE)
    {
        return status;
    }
    const char *path = arguments_text(arguments, "look");
    if (path && pleat_look_read(&list, path, &session->host, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    const char *assignment;
    for (uint32_t i = 0; (assignment = arguments_each(arguments, "set", i)); ++i)
    {
        if (pleat_look_assign(&list, assignment, &session->host, &error) != PLEAT_OK)
        {
            return fail_usage(session, "--set: %s", error.message);
        }
    }
    const char *mask = look->mask.image;
    if (mask[0] && mask[0] != '@' && strcmp(mask, "color") != 0)
    {
        return fail_usage(session, "mask.image is '%s'; it can be color, or a picture: @FILE.png", mask);
    }
    const char *skin = arguments_text(arguments, "skin");
    if (skin && pleat_look_set_text(&list, "skin", "method", skin, "", &error) != PLEAT_OK)
    {
        return fail_usage(session, "--skin: %s", error.message);
    }
    for (uint32_t k = 0; k < LAYER_KINDS; ++k)
    {
        if (kinds[k].finish)
        {
            kinds[k].finish(look, &sections[FIRST_LAYER + k]);
        }
    }
    warn_of_curves(session, look);
    return EXIT_DONE;
}

const char *look_mask(const app_session *session, const bake_look *look)
{
    const char *given = arguments_text(session->arguments, "mask"), *own = look->mask.image;
    return given ? given : own[0] == '@' ? own + 1 : own[0] ? own : NULL;
}

void look_take_default_layers(const app_session *session, bake_look *look)
{
    if (arguments_given(session->arguments, "layer"))
    {
        return;
    }
    const char *assignment;
    look->layers[look->layer_count++] = DEFAULT_KIND;
    look->unasked = true;
    for (uint32_t i = 0; (assignment = arguments_each(session->arguments, "set", i)); ++i)
    {
        look->unasked &= !is_of_kind(assignment, &kinds[DEFAULT_KIND]);
    }
}

int look_check_used(const app_session *session, const bake_look *look)
{
    const char *assignment;
    int status = EXIT_DONE;
    for (uint32_t i = 0; status == EXIT_DONE && (assignment = arguments_each(session->arguments, "set", i)); ++i)
    {
        status = check_set(session, look, assignment);
    }
    for (size_t i = 0; i < 2 && status == EXIT_DONE; ++i)
    {
        const char *option = i ? "body" : "wrinkles";
        if (arguments_given(session->arguments, option) && !look_has_layer(look, &pleat_wrinkles_layer))
        {
            status = fail_usage(session, "--%s is of no use without --layer wrinkles", option);
        }
    }
    return status;
}

/* ---- Printing -----------------------------------------------------------------------------------------------------
 */

char *look_text(bake_look *look)
{
    pleat_look_section sections[SECTION_COUNT];
    list_sections(look, sections);
    pleat_look list = {SECTION_COUNT, sections};
    size_t size = pleat_look_format(&list, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
    {
        pleat_look_format(&list, text, size);
    }
    return text;
}

int look_print(const app_session *session, bake_look *look)
{
    char *text = look_text(look);
    if (!text)
    {
        return fail_input(session, "out of memory for the look");
    }
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

void look_print_parameters(void)
{
    static const struct
    {
        const char *name;
        double factor;
    } units[] = {[PLEAT_VALUE_NUMBER] = {"", 1},    [PLEAT_VALUE_LENGTH] = {" m", 1},
                 [PLEAT_VALUE_SHARE] = {" %", 100}, [PLEAT_VALUE_ANGLE] = {" deg", 57.295779513082323},
                 [PLEAT_VALUE_COUNT] = {"", 1},     [PLEAT_VALUE_SWITCH] = {"", 1},
                 [PLEAT_VALUE_CHOICE] = {"", 1},    [PLEAT_VALUE_TEXT] = {"", 1},
                 [PLEAT_VALUE_CURVE] = {"", 1},     [PLEAT_VALUE_FILE] = {"", 1}};
    bake_look look;
    pleat_look_section sections[SECTION_COUNT];
    fill_defaults(&look);
    list_sections(&look, sections);
    for (uint32_t s = 0; s < SECTION_COUNT; ++s)
    {
        for (uint32_t p = 0; p < sections[s].parameter_count; ++p)
        {
            const pleat_parameter *parameter = &sections[s].parameters[p];
            char value[PLEAT_TEXT_LIMIT];
            pleat_look_get_text(&sections[s], p, value, sizeof value);
            printf("%s.%s=%s\n    %s\n    ", sections[s].name, parameter->name, value, parameter->help);
            print_range(parameter, units[parameter->kind].name, units[parameter->kind].factor);
            printf("\n");
        }
    }
}
