/* A painted mask: where layers act, and how much. */
#ifndef APP_MASK_H
#define APP_MASK_H

#include "job/choice.h"

/* Reads a PNG, or the "color" of vertices, into choice->mask, for the nodes and garments that were chosen; path NULL:
 * none. Returns an exit status, having said why. */
int choose_mask(const app_session *session, const pleat_model *model, const char *path, stack_choice *choice);

#endif
