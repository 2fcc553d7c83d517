/* The look of a bake: what --look, --set and --skin make of the defaults. Layers add their sections here. */
#ifndef APP_BAKE_LOOK_H
#define APP_BAKE_LOOK_H

#include "session.h"

typedef struct skin_options
{
    uint32_t method; /* a pleat_skinning */
} skin_options;

typedef struct bake_look
{
    skin_options skin;
} bake_look;

/* Defaults, then the file of --look, then each --set, then --skin. Returns an exit status, having said what is wrong.
 */
int look_open(const app_session *session, bake_look *look);
/* Prints it as a look file on stdout. */
int look_print(const app_session *session, bake_look *look);

#endif
