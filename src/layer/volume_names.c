/* Lists of joint names. */
#include "layer/volume.h"

#include <string.h>

/* Does the whole name fit a pattern with * and ?? A-Z and a-z are the same. */
static bool fits(const char *pattern, size_t length, const char *name)
{
    size_t p = 0, star = SIZE_MAX;
    const char *at = name, *mark = name;
    while (*at)
    {
        char a = p < length ? pattern[p] : 0, b = *at;
        a = (char)(a >= 'A' && a <= 'Z' ? a + 32 : a);
        b = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
        if (p < length && pattern[p] == '*')
        {
            star = p++;
            mark = at;
        }
        else if (p < length && (a == '?' || a == b))
        {
            ++p;
            ++at;
        }
        else if (star != SIZE_MAX)
        {
            p = star + 1;
            at = ++mark;
        }
        else
        {
            return false;
        }
    }
    while (p < length && pattern[p] == '*')
    {
        ++p;
    }
    return p == length;
}

bool pl_volume_names_hold(const char *list, const char *name)
{
    while (*list)
    {
        size_t length = strcspn(list, ",");
        if (fits(list, length, name))
        {
            return true;
        }
        list += length + (list[length] == ',');
    }
    return false;
}
