/* GL programs from the built-in shader texts. */
#ifndef PL_GPU_PROGRAM_H
#define PL_GPU_PROGRAM_H

#include "base/fail.h"

#include <epoxy/gl.h>

/* Where the frame block is bound. */
#define PL_FRAME_BINDING 0

/* Compiles and links; define (or NULL) is a name that the fragment shader finds defined. The failure holds the driver's
 * own words. Needs a current context. On failure *program is 0. */
pleat_result pl_program_make(const char *name, const char *vertex_text, const char *fragment_text, const char *define,
                             GLuint *program, pleat_error *error);
/* Sets a sampler (or any int) uniform of a program once. */
void pl_program_int(GLuint program, const char *uniform, GLint value);

#endif
