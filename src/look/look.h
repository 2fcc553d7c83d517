/* The inside of looks: look.c sets values by name, job/joints.c those of some joints. */
#ifndef PL_LOOK_LOOK_H
#define PL_LOOK_LOOK_H

#include "pleat/look.h"

/* Reads a value into a member; false, and the member as it was, if it is none. */
bool pl_look_set_member(const pleat_parameter *parameter, const char *text, char *member);
/* A member as set_member takes it, with its unit. */
void pl_look_member_text(const pleat_parameter *parameter, const char *member, char *out, size_t size);

/* "section[spine*]" as "section" and "spine*"; false, and the name as it is, without brackets. What is too long is cut.
 */
bool pl_look_split(const char *section, char *name, size_t name_size, char *joints, size_t joints_size);

/* Keeps a parameter's value for some joints. */
pleat_result pl_look_keep_joint_value(const pleat_look_section *section, uint32_t parameter, const char *joints,
                                      const char *member, const char *where, pleat_error *error);

#endif
