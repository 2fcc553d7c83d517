/* Names against patterns with * and ?. */
#ifndef PL_NAME_H
#define PL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the whole name fits the pattern of length bytes: * stands for any characters, ? for one (of UTF-8); A-Z and
 * a-z are the same. */
bool pl_name_matches(const char *pattern, size_t length, const char *name);

/* True if the name fits one of the patterns in a list separated by commas. */
bool pl_name_is_listed(const char *list, const char *name);

/* Changes of single letters (wrong, missing, too many) from one word to the other; words longer than 30 count as far.
 */
uint32_t pl_word_distance(const char *a, const char *b);
/* Keeps the name that is nearest to what was typed, if it is near at all: a third of the letters may differ, upper and
 * lower case are the same. Begin with NULL and UINT32_MAX. */
void pl_name_consider(const char *typed, const char *name, const char **nearest, uint32_t *distance);

#endif
