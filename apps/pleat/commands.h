/* The commands. A new one is a file cmd_NAME.c with its table, a line here and a line in main.c. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "options.h"

extern const app_command command_info;
extern const app_command command_bake;
extern const app_command command_maps;
extern const app_command command_render;
extern const app_command command_measure;
extern const app_command command_demo;

extern const app_command command_help;

#endif
