#include "base/name.h"

#include <string.h>

static unsigned char fold(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 0x20 : c);
}

/* Past one character of UTF-8; a stray byte counts as one. */
static const char *past_character(const char *text)
{
    ++text;
    while (((unsigned char)*text & 0xc0) == 0x80)
    {
        ++text;
    }
    return text;
}

bool pl_name_matches(const char *pattern, size_t length, const char *name)
{
    const char *end = pattern + length;
    /* Where to go on when a try fails: behind the last star, with one character more eaten by it. An earlier star
     * never needs another try. */
    const char *star = NULL;
    const char *retry = NULL;
    while (*name)
    {
        if (pattern < end && *pattern == '*')
        {
            star = ++pattern;
            retry = name;
        }
        else if (pattern < end && *pattern == '?')
        {
            ++pattern;
            name = past_character(name);
        }
        else if (pattern < end && fold(*pattern) == fold(*name))
        {
            ++pattern;
            ++name;
        }
        else if (star)
        {
            pattern = star;
            retry = past_character(retry);
            name = retry;
        }
        else
        {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
    {
        ++pattern;
    }
    return pattern == end;
}

bool pl_name_is_listed(const char *list, const char *name)
{
    while (*list)
    {
        size_t length = strcspn(list, ",");
        if (pl_name_matches(list, length, name))
        {
            return true;
        }
        list += length + (list[length] == ',');
    }
    return false;
}

uint32_t pl_word_distance(const char *a, const char *b)
{
    enum
    {
        LONGEST = 30
    };
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST)
    {
        return LONGEST;
    }
    uint32_t row[LONGEST + 1];
    for (uint32_t j = 0; j <= b_length; ++j)
    {
        row[j] = j;
    }
    for (uint32_t i = 1; i <= a_length; ++i)
    {
        uint32_t corner = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; ++j)
        {
            uint32_t changed = corner + (fold(a[i - 1]) != fold(b[j - 1]));
            corner = row[j];
            uint32_t shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = changed < shifted ? changed : shifted;
        }
    }
    return row[b_length];
}

void pl_name_consider(const char *typed, const char *name, const char **nearest, uint32_t *distance)
{
    uint32_t found = pl_word_distance(typed, name);
    if (found <= (strlen(name) + 2) / 3 && found < *distance)
    {
        *nearest = name;
        *distance = found;
    }
}
