/* The table of layers: a row for each that the library has, and those that a host adds. */
#include "pleat/layers/creases.h"
#include "pleat/layers/folds.h"
#include "pleat/layers/implicit.h"
#include "pleat/layers/live.h"
#include "pleat/layers/volume.h"
#include "pleat/layers/wrinkles.h"

#include "base/fail.h"

#include <string.h>

/* The first is what a bake does where nobody says otherwise. */
static const pleat_layer_type *const own[] = {
    &pleat_folds_layer, &pleat_volume_layer, &pleat_wrinkles_layer, &pleat_live_layer, &pleat_creases_layer,
};

/* The first is the default. */
static const pleat_skin_method methods[] = {
    {"lbs", "linear blend", PLEAT_LBS, NULL},
    {"dqs", "dual quaternions", PLEAT_DQS, NULL},
    {"implicit", "limbs that keep their volume and touch", PLEAT_DQS, &pleat_implicit_layer},
};

enum
{
    OWN_COUNT = sizeof own / sizeof own[0],
    METHOD_COUNT = sizeof methods / sizeof methods[0],
    GUEST_LIMIT = 16 /* of a host */
};

static const pleat_layer_type *guests[GUEST_LIMIT];
static uint32_t guest_count;

uint32_t pleat_layer_count(void)
{
    return OWN_COUNT + guest_count;
}

const pleat_layer_type *pleat_layer_at(uint32_t index)
{
    return index < OWN_COUNT ? own[index] : index < pleat_layer_count() ? guests[index - OWN_COUNT] : NULL;
}

const pleat_layer_type *pleat_layer_find(const char *name)
{
    const pleat_layer_type *type;
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        if (strcmp(type->name, name) == 0)
        {
            return type;
        }
    }
    return NULL;
}

uint32_t pleat_skin_method_count(void)
{
    return METHOD_COUNT;
}

const pleat_skin_method *pleat_skin_method_at(uint32_t index)
{
    return index < METHOD_COUNT ? &methods[index] : NULL;
}

const pleat_skin_method *pleat_skin_method_find(const char *name)
{
    for (uint32_t i = 0; i < METHOD_COUNT; ++i)
    {
        if (strcmp(methods[i].name, name) == 0)
        {
            return &methods[i];
        }
    }
    return NULL;
}

/* ---- A host's own -------------------------------------------------------------------------------------------------
 */

static bool is_word(const char *name)
{
    bool good = name && name[0] >= 'a' && name[0] <= 'z' && strlen(name) < 32;
    for (const char *at = name; good && *at; ++at)
    {
        good = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '_' || *at == '-';
    }
    return good;
}

/* Words that sections of a look and --layer have taken. */
static bool is_taken(const char *name)
{
    static const char *const words[] = {"skin", "mask", "none"};
    bool taken = pleat_layer_find(name) != NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    {
        taken |= strcmp(words[i], name) == 0;
    }
    for (uint32_t i = 0; i < METHOD_COUNT; ++i)
    {
        taken |= methods[i].layer && strcmp(methods[i].layer->name, name) == 0;
    }
    return taken;
}

/* What a type lacks, or NULL. */
static const char *lack_of(const pleat_layer_type *type)
{
    bool state = type->state_size && type->state_save && type->state_restore;
    bool no_state = !type->state_size && !type->state_save && !type->state_restore;
    bool by_joint = type->joint_from < type->joint_to;
    return !type->create                                             ? "create"
           : !type->destroy                                          ? "destroy"
           : !type->update                                           ? "update"
           : !type->defaults                                         ? "defaults"
           : !type->options_size                                     ? "options_size"
           : !type->parameters && type->parameter_count              ? "parameters"
           : !type->inputs && type->input_count                      ? "inputs"
           : !type->channels && type->channel_count                  ? "channels"
           : type->figure_count && !(type->figures && type->measure) ? "figures with a measure"
           : by_joint && !type->take_joints                          ? "take_joints"
           : !state && !no_state                                     ? "all three functions of its state"
                                                                     : NULL;
}

pleat_result pleat_layer_register(const pleat_layer_type *type, pleat_error *error)
{
    if (!is_word(type->name) || is_taken(type->name))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "a layer cannot be called '%.40s'; it takes a word in small letters that no other layer has",
                       type->name ? type->name : "");
    }
    if (lack_of(type))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the layer %s lacks %s", type->name, lack_of(type));
    }
    if (type->figure_count > PLEAT_FIGURE_LIMIT || guest_count == GUEST_LIMIT)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "the layer %s: it has %u figures and is number %u of the host; %d and "
                       "%d are the most",
                       type->name, type->figure_count, guest_count + 1, PLEAT_FIGURE_LIMIT, GUEST_LIMIT);
    }
    guests[guest_count++] = type;
    return PLEAT_OK;
}
