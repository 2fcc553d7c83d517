/* The tables of layers and skinning methods, for people (Markdown) and for machines (JSON). */
#ifndef APP_LAYERS_PAGE_H
#define APP_LAYERS_PAGE_H

#include "session.h"

#include <stdio.h>

void layers_page(FILE *out);
/* On stdout. Returns an exit status. */
int layers_page_json(const app_session *session);

#endif
