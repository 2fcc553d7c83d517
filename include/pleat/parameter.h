/* pleat/parameter.h: one value that a person may change: its key, its kind, its range. */
#ifndef PLEAT_PARAMETER_H
#define PLEAT_PARAMETER_H

#include "pleat/base.h"

PLEAT_BEGIN

typedef enum pleat_parameter_kind
{
    PLEAT_VALUE_NUMBER, /* float */
    PLEAT_VALUE_LENGTH, /* float, metres; written as 2.2cm, 3mm, 0.1m, or a plain number of metres */
    PLEAT_VALUE_SHARE,  /* float, 1 is the whole; written as 36% or 0.36 */
    PLEAT_VALUE_ANGLE,  /* float, radians; written as 30deg, 0.5rad, or a plain number of degrees */
    PLEAT_VALUE_TIME,   /* float, seconds; written as 0.5s, 200ms, or a plain number of seconds */
    PLEAT_VALUE_COUNT,  /* uint32_t */
    PLEAT_VALUE_SWITCH, /* bool; written as true or false */
    PLEAT_VALUE_CHOICE, /* uint32_t: index of the word in choices */
    PLEAT_VALUE_TEXT,   /* char[PLEAT_TEXT_LIMIT]; any text without quotes, backslashes and control characters */
    PLEAT_VALUE_CURVE,  /* such a text of points "x,height x,height ..."; files and libpleat_io also take @FILE */
    PLEAT_VALUE_FILE    /* such a text; if it is @FILE, a look file means it from where it lies */
} pleat_parameter_kind;

enum
{
    PLEAT_TEXT_LIMIT = 256 /* bytes of a text, with its 0 */
};

/* One member of an options struct. Its default is what stands in a struct of defaults. */
typedef struct pleat_parameter
{
    const char *name;
    pleat_parameter_kind kind;
    size_t offset;       /* offsetof the member */
    double low, high;    /* in the member's unit; both included; not for switches, choices and texts */
    const char *choices; /* "lbs|dqs", for a choice; else NULL */
    const char *help;    /* one line */
} pleat_parameter;

/* The word for a kind, as JSON has it ("length"), and the unit of its members ("m", "rad"; "" where there is none). */
const char *pleat_parameter_kind_name(pleat_parameter_kind kind);
const char *pleat_parameter_unit(pleat_parameter_kind kind);

PLEAT_END

#endif
