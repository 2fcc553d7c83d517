/* What a bake says at its end: as a few lines, or as JSON. */
#ifndef APP_BAKE_REPORT_H
#define APP_BAKE_REPORT_H

#include "session.h"

/* Returns an exit status. */
int report_print(app_session *session, const pleat_bake_report *report, const pleat_texts *outputs);

#endif
