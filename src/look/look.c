/* Parameters by name. */
#include "look/look.h"

#include "base/fail.h"
#include "base/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Values as text -------------------------------------------------------------------------------------------- */

typedef struct unit_name
{
    const char *name;
    double factor;
} unit_name;

/* The units of each kind; the first one is what values are printed in. */
static const unit_name *units_of(pleat_parameter_kind kind)
{
    static const unit_name none[] = {{"", 1}, {NULL, 0}};
    static const unit_name lengths[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"", 1}, {NULL, 0}};
    static const unit_name shares[] = {{"%", 1e-2}, {"", 1}, {NULL, 0}};
    static const unit_name times[] = {{"s", 1}, {"ms", 1e-3}, {"", 1}, {NULL, 0}};
    static const unit_name angles[] = {
        {"deg", 0.017453292519943295}, {"rad", 1}, {"", 0.017453292519943295}, {NULL, 0}};
    switch (kind)
    {
    case PLEAT_VALUE_LENGTH:
        return lengths;
    case PLEAT_VALUE_SHARE:
        return shares;
    case PLEAT_VALUE_ANGLE:
        return angles;
    case PLEAT_VALUE_TIME:
        return times;
    case PLEAT_VALUE_NUMBER:
    case PLEAT_VALUE_COUNT:
    case PLEAT_VALUE_SWITCH:
    case PLEAT_VALUE_CHOICE:
    case PLEAT_VALUE_TEXT:
    case PLEAT_VALUE_CURVE:
    case PLEAT_VALUE_FILE:
        break;
    }
    return none;
}

/* A decimal number, whatever the program's locale; returns what stands behind it, or NULL. */
static const char *read_decimal(const char *text, double *out)
{
    double sign = *text == '-' ? -1 : 1;
    text += *text == '-' || *text == '+';
    double value = 0;
    int exponent = 0;
    uint32_t digits = 0;
    for (; *text >= '0' && *text <= '9'; ++text, ++digits)
    {
        value = value * 10 + (*text - '0');
    }
    if (*text == '.')
    {
        for (++text; *text >= '0' && *text <= '9'; ++text, ++digits, --exponent)
        {
            value = value * 10 + (*text - '0');
        }
    }
    if (digits == 0 || digits > 300)
    {
        return NULL;
    }
    if ((*text == 'e' || *text == 'E') && (text[1] == '-' || text[1] == '+' || (text[1] >= '0' && text[1] <= '9')))
    {
        int given = 0;
        bool negative = text[1] == '-';
        for (text += text[1] == '-' || text[1] == '+' ? 2 : 1; *text >= '0' && *text <= '9' && given < 10000; ++text)
        {
            given = given * 10 + (*text - '0');
        }
        exponent += negative ? -given : given;
    }
    *out = sign * value * pow(10, exponent);
    return isfinite(*out) ? text : NULL;
}

static bool read_quantity(pleat_parameter_kind kind, const char *text, double *out)
{
    const char *unit = read_decimal(text, out);
    unit = unit && *unit == ' ' ? unit + 1 : unit;
    for (const unit_name *known = units_of(kind); unit && known->name; ++known)
    {
        if (strcmp(unit, known->name) == 0)
        {
            *out *= known->factor;
            return true;
        }
    }
    return false;
}

/* The index of a word in "a|b|c", or PLEAT_NONE. */
static uint32_t find_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    uint32_t index = 0;
    for (const char *at = choices; at && length; ++index)
    {
        size_t here = strcspn(at, "|");
        if (here == length && strncmp(at, word, length) == 0)
        {
            return index;
        }
        at = at[here] ? at + here + 1 : NULL;
    }
    return PLEAT_NONE;
}

/* What a value may be, for messages. */
static void describe_range(const pleat_parameter *parameter, char *out, size_t size)
{
    const unit_name *unit = units_of(parameter->kind);
    const char *plain = "";
    switch (parameter->kind)
    {
    case PLEAT_VALUE_SWITCH:
        snprintf(out, size, "true or false");
        return;
    case PLEAT_VALUE_CHOICE:
        snprintf(out, size, "one of %s", parameter->choices);
        return;
    case PLEAT_VALUE_TEXT:
    case PLEAT_VALUE_FILE:
        snprintf(out, size, "a text of up to %d bytes without quotes and backslashes", PLEAT_TEXT_LIMIT - 1);
        return;
    case PLEAT_VALUE_CURVE:
        snprintf(out, size, "points 'x,height x,height ...' in up to %d bytes, or a drawing @FILE.svg or @FILE.png",
                 PLEAT_TEXT_LIMIT - 1);
        return;
    case PLEAT_VALUE_COUNT:
        snprintf(out, size, "a whole number from %.10g to %.10g", parameter->low, parameter->high);
        return;
    case PLEAT_VALUE_LENGTH:
        plain = " (mm, cm or m; a plain number is metres)";
        break;
    case PLEAT_VALUE_SHARE:
        plain = " (a plain 1 is 100%)";
        break;
    case PLEAT_VALUE_ANGLE:
        plain = " (deg or rad; a plain number is degrees)";
        break;
    case PLEAT_VALUE_TIME:
        plain = " (s or ms; a plain number is seconds)";
        break;
    case PLEAT_VALUE_NUMBER:
        break;
    }
    bool metres = parameter->kind == PLEAT_VALUE_LENGTH && parameter->high > 1;
    snprintf(out, size, "from %g%s to %g%s%s", parameter->low / unit->factor, unit->name,
             metres ? parameter->high : parameter->high / unit->factor, metres ? "m" : unit->name, plain);
}

/* Such a text stands in a look file as it is. */
static bool is_plain_text(const char *text)
{
    for (const char *at = text; *at; ++at)
    {
        if ((unsigned char)*at < 32 || *at == '"' || *at == '\\' || at - text >= PLEAT_TEXT_LIMIT - 1)
        {
            return false;
        }
    }
    return true;
}

bool pl_look_set_member(const pleat_parameter *parameter, const char *text, char *member)
{
    double number;
    bool on = strcmp(text, "true") == 0;
    uint32_t choice;
    switch (parameter->kind)
    {
    case PLEAT_VALUE_SWITCH:
        if (!on && strcmp(text, "false") != 0)
        {
            return false;
        }
        memcpy(member, &on, sizeof on);
        return true;
    case PLEAT_VALUE_CHOICE:
        choice = find_choice(parameter->choices, text);
        if (choice == PLEAT_NONE)
        {
            return false;
        }
        memcpy(member, &choice, sizeof choice);
        return true;
    case PLEAT_VALUE_TEXT:
    case PLEAT_VALUE_CURVE:
    case PLEAT_VALUE_FILE:
        if (!is_plain_text(text) || (parameter->kind == PLEAT_VALUE_CURVE && text[0] == '@'))
        {
            return false;
        }
        snprintf(member, PLEAT_TEXT_LIMIT, "%s", text);
        return true;
    case PLEAT_VALUE_NUMBER:
    case PLEAT_VALUE_LENGTH:
    case PLEAT_VALUE_SHARE:
    case PLEAT_VALUE_ANGLE:
    case PLEAT_VALUE_TIME:
    case PLEAT_VALUE_COUNT:
        break;
    }
    /* The range is held with the rounding of its own text: 30deg is inside of 0deg to 30deg. Whole numbers are exact.
     */
    double slack = parameter->kind == PLEAT_VALUE_COUNT ? 0 : 1e-9 * (fabs(parameter->low) + fabs(parameter->high));
    if (!read_quantity(parameter->kind, text, &number) || !(number >= parameter->low - slack) ||
        !(number <= parameter->high + slack) || (parameter->kind == PLEAT_VALUE_COUNT && number != floor(number)))
    {
        return false;
    }
    uint32_t count = parameter->kind == PLEAT_VALUE_COUNT ? (uint32_t)number : 0;
    float value = (float)number;
    memcpy(member, parameter->kind == PLEAT_VALUE_COUNT ? (void *)&count : (void *)&value, sizeof value);
    return true;
}

void pleat_look_get_text(const pleat_look_section *section, uint32_t index, char *out, size_t size)
{
    const pleat_parameter *parameter = &section->parameters[index];
    pl_look_member_text(parameter, (const char *)section->options + parameter->offset, out, size);
}

void pl_look_member_text(const pleat_parameter *parameter, const char *member, char *out, size_t size)
{
    const unit_name *unit = units_of(parameter->kind);
    float value;
    uint32_t count;
    bool on;
    if (parameter->kind == PLEAT_VALUE_TEXT || parameter->kind == PLEAT_VALUE_CURVE ||
        parameter->kind == PLEAT_VALUE_FILE)
    {
        snprintf(out, size, "%s", member);
        return;
    }
    memcpy(&value, member, parameter->kind == PLEAT_VALUE_SWITCH ? 0 : sizeof value);
    memcpy(&count, member, parameter->kind == PLEAT_VALUE_SWITCH ? 0 : sizeof count);
    memcpy(&on, member, parameter->kind == PLEAT_VALUE_SWITCH ? sizeof on : 0);
    switch (parameter->kind)
    {
    case PLEAT_VALUE_SWITCH:
        snprintf(out, size, "%s", on ? "true" : "false");
        return;
    case PLEAT_VALUE_COUNT:
        snprintf(out, size, "%u", count);
        return;
    case PLEAT_VALUE_CHOICE:
    {
        const char *at = parameter->choices;
        for (; count > 0 && strchr(at, '|'); --count)
        {
            at = strchr(at, '|') + 1;
        }
        snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
        return;
    }
    case PLEAT_VALUE_TEXT:
    case PLEAT_VALUE_CURVE:
    case PLEAT_VALUE_FILE:
    case PLEAT_VALUE_NUMBER:
    case PLEAT_VALUE_LENGTH:
    case PLEAT_VALUE_SHARE:
    case PLEAT_VALUE_ANGLE:
    case PLEAT_VALUE_TIME:
        break;
    }
    snprintf(out, size, "%.7g%s", (double)value / unit->factor, unit->name);
    char *comma = strchr(out, ',');
    if (comma)
    {
        *comma = '.'; /* a host's locale */
    }
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static void append(char *list, size_t size, const char *name)
{
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", name);
}

/* The value of a parameter that was found, for all joints or for some. */
static pleat_result set_found(const pleat_look_section *section, uint32_t index, const char *joints, const char *value,
                              const char *where, pleat_error *error)
{
    const pleat_parameter *parameter = &section->parameters[index];
    char member[PLEAT_TEXT_LIMIT];
    bool good = joints ? pl_look_set_member(parameter, value, member)
                       : pl_look_set_member(parameter, value, (char *)section->options + parameter->offset);
    if (!good)
    {
        char range[120];
        describe_range(parameter, range, sizeof range);
        return pl_fail(error, PLEAT_BAD_DATA, "%s%s.%s is '%.40s'; it can be %s", where, section->name, parameter->name,
                       value, range);
    }
    return joints ? pl_look_keep_joint_value(section, index, joints, member, where, error) : PLEAT_OK;
}

static pleat_result set_in_section(const pleat_look_section *section, const char *joints, const char *name,
                                   const char *value, const char *where, pleat_error *error)
{
    char names[300] = "";
    const char *nearest = NULL;
    uint32_t distance = UINT32_MAX;
    for (uint32_t p = 0; p < section->parameter_count; ++p)
    {
        append(names, sizeof names, section->parameters[p].name);
        pl_name_consider(name, section->parameters[p].name, &nearest, &distance);
        if (strcmp(section->parameters[p].name, name) == 0)
        {
            return set_found(section, p, joints, value, where, error);
        }
    }
    return pl_fail(error, PLEAT_BAD_DATA, "%sthere is no key %s.%.60s; %s%s%s%s has: %s", where, section->name, name,
                   nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "", section->name, names);
}

pleat_result pleat_look_set_text(const pleat_look *look, const char *section_name, const char *name, const char *value,
                                 const char *where, pleat_error *error)
{
    char list[300] = "", plain[64], joints[PLEAT_TEXT_LIMIT];
    const char *nearest = NULL;
    uint32_t distance = UINT32_MAX;
    bool some = pl_look_split(section_name, plain, sizeof plain, joints, sizeof joints);
    for (uint32_t s = 0; s < look->section_count; ++s)
    {
        const pleat_look_section *section = &look->sections[s];
        append(list, sizeof list, section->name);
        pl_name_consider(plain, section->name, &nearest, &distance);
        if (strcmp(section->name, plain) == 0)
        {
            return set_in_section(section, some ? joints : NULL, name, value, where, error);
        }
    }
    return pl_fail(error, PLEAT_BAD_DATA, "%sthere is no section %.60s; %s%s%sthe look has: %s", where, plain,
                   nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "", list);
}

pleat_result pleat_look_set(const pleat_look *look, const char *assignment, pleat_error *error)
{
    char section[64 + PLEAT_TEXT_LIMIT], name[64];
    const char *equals = strchr(assignment, '=');
    /* Names of joints may hold dots. */
    const char *bracket = memchr(assignment, '[', equals ? (size_t)(equals - assignment) : strlen(assignment));
    const char *start = bracket ? strchr(bracket, ']') : assignment;
    equals = start ? strchr(start, '=') : NULL;
    const char *dot = start ? memchr(start, '.', equals ? (size_t)(equals - start) : strlen(start)) : NULL;
    if (!equals || !dot || (size_t)(dot - assignment) >= sizeof section || (size_t)(equals - dot) > sizeof name)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "'%.80s' sets nothing; the form is section.key=value, such as skin.method=dqs", assignment);
    }
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
    return pleat_look_set_text(look, section, name, equals + 1, "", error);
}
