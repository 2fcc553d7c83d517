/* Names against patterns with * and ?. */
#include "pleat/garment.h"

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

bool pleat_name_matches(const char *pattern, const char *name)
{
    /* Where to go on when a try fails: behind the last star, with one character more eaten by it. An earlier star
     * never needs another try. */
    const char *star = NULL;
    const char *retry = NULL;
    while (*name)
    {
        if (*pattern == '*')
        {
            star = ++pattern;
            retry = name;
        }
        else if (*pattern == '?')
        {
            ++pattern;
            name = past_character(name);
        }
        else if (fold(*pattern) == fold(*name))
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
    while (*pattern == '*')
    {
        ++pattern;
    }
    return *pattern == 0;
}

bool pleat_part_matches(const pleat_model *model, uint32_t node, uint32_t primitive, const char *pattern)
{
    const pleat_node *owner = &model->nodes[node];
    if (pleat_name_matches(pattern, owner->name))
    {
        return true;
    }
    if (owner->mesh == PLEAT_NONE)
    {
        return false;
    }
    const pleat_mesh *mesh = &model->meshes[owner->mesh];
    uint32_t material = mesh->primitives[primitive].material;
    return pleat_name_matches(pattern, mesh->name) ||
           (material != PLEAT_NONE && pleat_name_matches(pattern, model->materials[material].name));
}
