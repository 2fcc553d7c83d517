/* Looks on paper: as a file to start from, and all parameters with their meaning. */
#ifndef APP_LOOK_PRINT_H
#define APP_LOOK_PRINT_H

#include "session.h"

#include "job/look.h"

/* The look as a file, on stdout. Returns an exit status. */
int look_print(const app_session *session, const pl_job_look *look);
/* All parameters of all layers, with units, ranges and defaults. */
int look_print_parameters(const app_session *session);

#endif
