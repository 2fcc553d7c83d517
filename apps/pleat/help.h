/* Pages made from the command tables: help, the man page, shell completions. */
#ifndef APP_HELP_H
#define APP_HELP_H

#include "options.h"

#include <stdio.h>

/* All commands, NULL at the end; in program.c. */
extern const app_command *const commands[];
const app_command *find_command(const char *name); /* NULL if there is none */

void help_overview(FILE *out);
/* all: with the options that are seldom needed. */
void help_command(FILE *out, const app_command *command, bool all);
/* roff, for man(1). */
void help_man(FILE *out);
/* shell: bash, zsh or fish; false for another. */
bool help_completion(FILE *out, const char *shell);

#endif
