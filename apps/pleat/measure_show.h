/* A measurement for people and machines. */
#ifndef APP_MEASURE_SHOW_H
#define APP_MEASURE_SHOW_H

#include "session.h"

#include "pleat/job/measure.h"

/* In measure_report.c: the table on stdout; everything as JSON. */
void measure_print(const pleat_measurement *result);
json_t *measure_json(const app_session *session, const pleat_measurement *result);
/* In measure_plot.c: curves over frames as .svg or .png, by the ending. Returns an exit status. */
int measure_plot(app_session *session, const pleat_measurement *result, const char *path);

/* "arm.glb" of "out/arm.glb". */
const char *measure_file_name(const char *path);

#endif
