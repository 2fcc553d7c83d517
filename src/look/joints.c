/* Values of a look that only some joints have. */
#include "look/look.h"

#include "base/fail.h"

#include <stdio.h>
#include <string.h>

bool pl_look_split(const char *section, char *name, size_t name_size, char *joints, size_t joints_size)
{
    const char *open = strchr(section, '[');
    size_t length = strlen(section);
    bool both = open && section[length - 1] == ']';
    snprintf(name, name_size, "%.*s", both ? (int)(open - section) : (int)length, section);
    snprintf(joints, joints_size, "%.*s", both ? (int)(section + length - open) - 2 : 0, both ? open + 1 : "");
    return both;
}

static bool is_by_joint(const pleat_look_section *section, const pleat_parameter *parameter)
{
    return parameter->offset >= section->by_joint->from && parameter->offset < section->by_joint->to;
}

/* As they stand in a look file. */
static bool are_names(const char *joints)
{
    bool good = *joints && !strpbrk(joints, "\"\\[]");
    for (const char *at = joints; *at; ++at)
    {
        good = good && (unsigned char)*at >= 32;
    }
    return good;
}

pleat_result pl_look_keep_joint_value(const pleat_look_section *section, uint32_t parameter, const char *joints,
                                      const char *member, const char *where, pleat_error *error)
{
    pleat_joint_values *values = section->by_joint;
    const char *name = section->parameters[parameter].name;
    if (!values || !is_by_joint(section, &section->parameters[parameter]))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s%s.%s is one for all joints; '%.60s' cannot have its own", where,
                       section->name, name, joints);
    }
    if (!are_names(joints))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s%s[%.60s]: between the brackets stand names of joints, with * and ?",
                       where, section->name, joints);
    }
    uint32_t i = 0;
    while (i < values->count && (values->list[i].parameter != parameter || strcmp(values->list[i].joints, joints) != 0))
    {
        ++i;
    }
    if (i == PLEAT_JOINT_VALUES)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s%s[%.60s].%s: a section holds at most %d values of joints", where,
                       section->name, joints, name, PLEAT_JOINT_VALUES);
    }
    values->count += i == values->count;
    snprintf(values->list[i].joints, sizeof values->list[i].joints, "%s", joints);
    values->list[i].parameter = parameter;
    pl_look_member_text(&section->parameters[parameter], member, values->list[i].value, sizeof values->list[i].value);
    return PLEAT_OK;
}

const char *pleat_look_joints(const pleat_look_section *section, uint32_t index, void *options)
{
    const pleat_joint_values *values = section->by_joint;
    const char *found = NULL;
    for (uint32_t i = 0; values && i < values->count; ++i)
    {
        bool first = true;
        for (uint32_t k = 0; k < i; ++k)
        {
            first = first && strcmp(values->list[k].joints, values->list[i].joints) != 0;
        }
        if (!found && first && index-- == 0)
        {
            found = values->list[i].joints;
        }
        if (found && options && strcmp(found, values->list[i].joints) == 0)
        {
            const pleat_parameter *parameter = &section->parameters[values->list[i].parameter];
            pl_look_set_member(parameter, values->list[i].value, (char *)options + parameter->offset);
        }
    }
    return found;
}
