#include "base/pairs.h"

#include "base/fail.h"

/* A number like -0.25; returns what stands behind it, or NULL. */
static const char *read_number(const char *text, float *out)
{
    double sign = *text == '-' ? -1 : 1, value = 0, place = 1;
    text += *text == '-';
    const char *digits = text;
    bool any = false, behind = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !behind); ++text)
    {
        any = any || *text != '.';
        place *= behind ? 0.1 : 1;
        value = *text == '.' ? value : behind ? value + place * (*text - '0') : 10 * value + (*text - '0');
        behind = behind || *text == '.';
    }
    *out = (float)(sign * value);
    return any && text - digits < 20 ? text : NULL;
}

pleat_result pl_pairs_parse(const char *text, const char *what, const char *form, uint32_t capacity, float *pairs,
                            uint32_t *count, pleat_error *error)
{
    *count = 0;
    for (const char *at = text; *at; ++*count)
    {
        float pair[2];
        const char *comma = read_number(at, &pair[0]);
        const char *end = comma && *comma == ',' ? read_number(comma + 1, &pair[1]) : NULL;
        if (!end || (*end && *end != ' '))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s %u does not stand as %s in '%.80s'; right is 0,0 0.65,1 1,0",
                           what, *count, form, at);
        }
        if (*count == capacity)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s %u is one too many; there can be %u", what, *count, capacity);
        }
        pairs[2 * *count] = pair[0];
        pairs[2 * *count + 1] = pair[1];
        for (at = end; *at == ' '; ++at)
        {
        }
    }
    return PLEAT_OK;
}
