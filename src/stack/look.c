/* The look of a stack, from the tables of layers and of skinning methods. */
#include "pleat/stack_look.h"

#include "base/memory.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

enum
{
    ROW_LIMIT = 64,      /* layers, of the library, of hosts and of skinning methods */
    CHOICES_LIMIT = 512, /* bytes of the words of all skinning methods */
    FIRST_LAYER = 2      /* sections before it: skin, mask */
};

typedef struct skin_options
{
    uint32_t method; /* row of the table of skinning methods */
} skin_options;

typedef struct mask_options
{
    char image[PLEAT_TEXT_LIMIT]; /* "": none, "color", or "@FILE" */
} mask_options;

/* A layer that has options here. */
typedef struct look_row
{
    const pleat_layer_type *type;
    void *options;
    pleat_joint_values *by_joint; /* NULL: all joints have the same values */
} look_row;

struct pleat_stack_look
{
    pl_memory memory;
    pl_arena arena;
    pl_arena settled; /* what take_joints has put into the options */
    pleat_host host;
    skin_options skin;
    mask_options mask;
    char methods[CHOICES_LIMIT], methods_help[CHOICES_LIMIT];
    pleat_parameter skin_parameter;
    uint32_t row_count;
    look_row rows[ROW_LIMIT];
    pleat_look_section sections[FIRST_LAYER + ROW_LIMIT];
    pleat_look look;
    uint32_t layer_count;
    pleat_layer_desc layers[ROW_LIMIT];
};

static const pleat_parameter mask_parameters[] = {
    {"image", PLEAT_VALUE_FILE, offsetof(mask_options, image), 0, 0, NULL,
     "layers act where this picture, @FILE, is white, or 'color' of vertices; nothing: everywhere"},
};

/* ---- Making ---- */

static look_row *find_row(const pleat_stack_look *look, const pleat_layer_type *type)
{
    for (uint32_t i = 0; i < look->row_count; ++i)
    {
        if (look->rows[i].type == type)
        {
            return (look_row *)&look->rows[i];
        }
    }
    return NULL;
}

static pleat_result add_row(pleat_stack_look *look, const pleat_layer_type *type, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    if (!type || find_row(look, type))
    {
        return PLEAT_OK;
    }
    if (look->row_count == ROW_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a look holds at most %d layers", ROW_LIMIT);
    }
    look_row *row = &look->rows[look->row_count];
    row->type = type;
    char *options;
    PL_ARENA_NEW_OR_FAIL(options, &look->arena, char, type->options_size, error);
    row->options = options;
    if (type->defaults)
    {
        type->defaults(row->options);
    }
    if (type->joint_from < type->joint_to)
    {
        PL_ARENA_NEW_OR_FAIL(row->by_joint, &look->arena, pleat_joint_values, 1, error);
        row->by_joint->from = type->joint_from;
        row->by_joint->to = type->joint_to;
    }
    ++look->row_count;
    if (type->parameter_count)
    {
        look->sections[look->look.section_count++] =
            (pleat_look_section){type->name, type->parameters, type->parameter_count, row->options, row->by_joint};
    }
fail:
    return result;
}

/* The words and the sentence of the key skin.method. */
static void spell_methods(pleat_stack_look *look)
{
    uint32_t count = pleat_skin_method_count();
    size_t words = 0, help = 0;
    for (uint32_t i = 0; i < count && words < CHOICES_LIMIT && help < CHOICES_LIMIT; ++i)
    {
        const pleat_skin_method *method = pleat_skin_method_at(i);
        const char *join = i == 0 ? "" : i + 1 == count ? ", or " : ", ";
        words += (size_t)snprintf(look->methods + words, CHOICES_LIMIT - words, "%s%s", i ? "|" : "", method->name);
        help += (size_t)snprintf(look->methods_help + help, CHOICES_LIMIT - help, "%s%s", join, method->summary);
    }
    look->skin_parameter = (pleat_parameter){"method",      PLEAT_VALUE_CHOICE, offsetof(skin_options, method), 0, 0,
                                             look->methods, look->methods_help};
}

static pleat_result fill(pleat_stack_look *look, pleat_error *error)
{
    spell_methods(look);
    look->look = (pleat_look){FIRST_LAYER, look->sections};
    look->sections[0] = (pleat_look_section){"skin", &look->skin_parameter, 1, &look->skin, NULL};
    look->sections[1] = (pleat_look_section){"mask", mask_parameters, 1, &look->mask, NULL};
    for (uint32_t i = 0; i < pleat_layer_count(); ++i)
    {
        PL_TRY(add_row(look, pleat_layer_at(i), error));
    }
    for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
    {
        PL_TRY(add_row(look, pleat_skin_method_at(i)->layer, error));
    }
    return PLEAT_OK;
}

pleat_result pleat_stack_look_create(const pleat_host *host, pleat_stack_look **out, pleat_error *error)
{
    *out = NULL;
    pleat_stack_look *look = PL_CREATE(pleat_stack_look, host);
    if (!look)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the look");
    }
    pl_arena_init(&look->arena, &look->memory);
    pl_arena_init(&look->settled, &look->memory);
    look->host = host ? *host : pleat_host_default();
    pleat_result result = fill(look, error);
    if (result != PLEAT_OK)
    {
        pleat_stack_look_destroy(look);
        return result;
    }
    *out = look;
    return PLEAT_OK;
}

void pleat_stack_look_destroy(pleat_stack_look *look)
{
    if (look)
    {
        pl_arena_free(&look->settled);
        pl_arena_free(&look->arena);
        PL_DESTROY(look);
    }
}

/* ---- Layers ---- */

const pleat_look *pleat_stack_look_sections(pleat_stack_look *look)
{
    return &look->look;
}

pleat_result pleat_stack_look_add(pleat_stack_look *look, const char *layer, pleat_error *error)
{
    const pleat_layer_type *type = pleat_layer_find(layer), *known;
    if (!type)
    {
        const char *nearest = NULL;
        uint32_t distance = UINT32_MAX;
        for (uint32_t i = 0; (known = pleat_layer_at(i)); ++i)
        {
            pl_name_consider(layer, known->name, &nearest, &distance);
        }
        return pl_fail(error, PLEAT_BAD_DATA, "there is no layer %.60s%s%s%s", layer, nearest ? "; did you mean " : "",
                       nearest ? nearest : "", nearest ? "?" : "");
    }
    if (pleat_stack_look_has(look, type))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "the layer %s stands twice; a stack has each layer once", type->name);
    }
    look_row *row = find_row(look, type);
    if (!row)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the layer %s was registered after the look was made", type->name);
    }
    look->layers[look->layer_count++] = (pleat_layer_desc){type, row->options};
    return PLEAT_OK;
}

uint32_t pleat_stack_look_count(const pleat_stack_look *look)
{
    return look->layer_count;
}

const pleat_layer_type *pleat_stack_look_at(const pleat_stack_look *look, uint32_t index)
{
    return index < look->layer_count ? look->layers[index].type : NULL;
}

bool pleat_stack_look_has(const pleat_stack_look *look, const pleat_layer_type *type)
{
    bool found = false;
    for (uint32_t i = 0; i < look->layer_count; ++i)
    {
        found |= look->layers[i].type == type;
    }
    return found;
}

void *pleat_stack_look_options(pleat_stack_look *look, const pleat_layer_type *type)
{
    const look_row *row = find_row(look, type);
    return row ? row->options : NULL;
}

/* ---- What a stack takes ---- */

const pleat_layer_desc *pleat_stack_look_layers(const pleat_stack_look *look)
{
    return look->layers;
}

const pleat_skin_method *pleat_stack_look_skin(const pleat_stack_look *look, pleat_layer_desc *layer)
{
    const pleat_skin_method *method = pleat_skin_method_at(look->skin.method);
    if (layer)
    {
        const look_row *row = method->layer ? find_row(look, method->layer) : NULL;
        *layer = row ? (pleat_layer_desc){row->type, row->options} : (pleat_layer_desc){NULL, NULL};
    }
    return method;
}

const char *pleat_stack_look_mask(const pleat_stack_look *look)
{
    return look->mask.image;
}

/* In the stack, or of its skinning method. */
static bool is_used(const pleat_stack_look *look, const look_row *row)
{
    return pleat_stack_look_skin(look, NULL)->layer == row->type || pleat_stack_look_has(look, row->type);
}

static bool is_called(const pleat_layer_input *input, const char *name)
{
    return name && input->name ? strcmp(name, input->name) == 0 : !name && !input->name;
}

static uint32_t put_into(const look_row *row, const char *name, pleat_input_kind kind, const void *object)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < row->type->input_count; ++i)
    {
        const pleat_layer_input *input = &row->type->inputs[i];
        if (input->kind == kind && is_called(input, name))
        {
            memcpy((char *)row->options + input->offset, &object, sizeof object);
            ++taken;
        }
    }
    return taken;
}

uint32_t pleat_stack_look_put(pleat_stack_look *look, const char *name, pleat_input_kind kind, const void *object)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < look->row_count; ++i)
    {
        taken += is_used(look, &look->rows[i]) ? put_into(&look->rows[i], name, kind, object) : 0;
    }
    return taken;
}

/* ---- Settling ---- */

/* The whole options of each list of joints that has values of its own. */
static pleat_result settle_joints(pleat_stack_look *look, look_row *row, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_layer_type *type = row->type;
    const pleat_look_section section = {type->name, type->parameters, type->parameter_count, row->options,
                                        row->by_joint};
    uint32_t count = 0;
    pleat_joint_options *own;
    char *room;
    while (pleat_look_joints(&section, count, NULL))
    {
        ++count;
    }
    PL_ARENA_NEW_OR_FAIL(own, &look->settled, pleat_joint_options, count, error);
    PL_ARENA_NEW_OR_FAIL(room, &look->settled, char, count * type->joint_size, error);
    for (uint32_t i = 0; i < count; ++i)
    {
        char *options;
        PL_ARENA_NEW_OR_FAIL(options, &look->settled, char, type->options_size, error);
        memcpy(options, row->options, type->options_size);
        own[i] = (pleat_joint_options){pleat_look_joints(&section, i, options), options};
    }
    type->take_joints(row->options, count, own, room);
fail:
    return result;
}

pleat_result pleat_stack_look_settle(pleat_stack_look *look, pleat_error *error)
{
    const char *mask = look->mask.image;
    if (mask[0] && mask[0] != '@' && strcmp(mask, "color") != 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "mask.image is '%s'; it can be color, or a picture: @FILE.png", mask);
    }
    for (uint32_t i = 0; i < look->row_count; ++i)
    {
        look_row *row = &look->rows[i];
        if (row->by_joint)
        {
            PL_TRY(settle_joints(look, row, error));
        }
        if (row->type->review && is_used(look, row))
        {
            row->type->review(row->options, &look->host);
        }
    }
    return PLEAT_OK;
}
