/* Words for kinds of parameters. */
#include "pleat/parameter.h"

static const struct
{
    const char *name, *unit;
} kinds[] = {
    [PLEAT_VALUE_NUMBER] = {"number", ""}, [PLEAT_VALUE_LENGTH] = {"length", "m"},
    [PLEAT_VALUE_SHARE] = {"share", "1"},  [PLEAT_VALUE_ANGLE] = {"angle", "rad"},
    [PLEAT_VALUE_TIME] = {"time", "s"},    [PLEAT_VALUE_COUNT] = {"count", ""},
    [PLEAT_VALUE_SWITCH] = {"switch", ""}, [PLEAT_VALUE_CHOICE] = {"choice", ""},
    [PLEAT_VALUE_TEXT] = {"text", ""},     [PLEAT_VALUE_CURVE] = {"curve", ""},
    [PLEAT_VALUE_FILE] = {"file", ""},
};

const char *pleat_parameter_kind_name(pleat_parameter_kind kind)
{
    return kinds[kind].name;
}

const char *pleat_parameter_unit(pleat_parameter_kind kind)
{
    return kinds[kind].unit;
}
