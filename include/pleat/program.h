/* pleat/program.h: the command line as a function, for a host with layers of its own. Part of libpleat_program. */
#ifndef PLEAT_PROGRAM_H
#define PLEAT_PROGRAM_H

#include "pleat/base.h"

PLEAT_BEGIN

/* All of the program `pleat`, from its arguments to its exit status; argv[0] is skipped. Layers that were registered
 * before are known to every command, to help, looks and completions. Catches signals; call it once. */
int pleat_program(int argc, char **argv);

PLEAT_END

#endif
