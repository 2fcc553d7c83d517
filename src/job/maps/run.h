/* pleat_maps_job_run in parts. */
#ifndef PL_JOB_MAPS_RUN_H
#define PL_JOB_MAPS_RUN_H

#include "job/maps/maps.h"

/* With a look that has been opened. */
pleat_result pl_maps_job_run(const pleat_maps_job *asked, const pl_job_look *look, const pleat_job_watch *watch,
                             const pleat_host *host, const pleat_maps_report **report, pleat_error *error);
/* What can be checked before the input is read. */
pleat_result pl_maps_job_check(const pleat_maps_job *asked, pleat_error *error);

#endif
