/* --max-memory: one budget for all that the process takes, the library's memory and jansson's alike. */
#ifndef APP_BUDGET_H
#define APP_BUDGET_H

#include "pleat/base.h"

/* Sets the limit and routes jansson through it; before anything is allocated. */
void budget_open(size_t limit);
/* For pleat_host. Safe from several threads. */
pleat_allocator budget_allocator(void);
size_t budget_limit(void);
size_t budget_peak(void);
/* True once a request was refused because of the limit. */
bool budget_was_passed(void);

#endif
