/* Names against patterns with * and ?. */
#ifndef PL_NAME_H
#define PL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* True if the whole name fits the pattern of length bytes: * stands for any characters, ? for one (of UTF-8); A-Z and
 * a-z are the same. */
bool pl_name_matches(const char *pattern, size_t length, const char *name);

/* True if the name fits one of the patterns in a list separated by commas. */
bool pl_name_is_listed(const char *list, const char *name);

#endif
