/* A job that runs: what it was asked for, its memory, and the way to tell how far it is. */
#ifndef PL_JOB_RUN_H
#define PL_JOB_RUN_H

#include "pleat/io.h"
#include "pleat/job.h"

#include "base/memory.h"

typedef struct pl_job
{
    const pleat_job_input *input;
    const pleat_job_stack *stack;
    const pleat_job_watch *watch; /* or NULL */
    pleat_host host;              /* the caller's, but that its progress is the watch's */
    pl_memory memory;
    pl_arena arena;     /* what lives as long as the job */
    pleat_files *files; /* of a host that has none: no input is overwritten */
    pleat_job_phase phase;
    uint32_t kept; /* frames on disk, for the watch */
} pl_job;

/* input, stack, watch and host must outlive the job; watch and host may be NULL. The job must stay where it is; close
 * it after a failure, too. */
pleat_result pl_job_open(pl_job *job, const pleat_job_input *input, const pleat_job_stack *stack,
                         const pleat_job_watch *watch, const pleat_host *host, pleat_error *error);
void pl_job_close(pl_job *job);

/* Tells the watch that a part begins, and asks whether to go on. */
pleat_result pl_job_begin(pl_job *job, pleat_job_phase phase, const char *work, pleat_error *error);
/* The same within a part. */
pleat_result pl_job_step(const pl_job *job, const char *work, uint64_t done, uint64_t total, pleat_error *error);

/* Tells the watch that all files are there. */
void pl_job_done(pl_job *job);

/* Puts the input's name in front of a message that does not name the file that it is about: the core knows no files. */
pleat_result pl_job_fail_in(const pl_job *job, pleat_error *error);

/* Seconds of a clock that only runs forward. */
double pl_job_seconds(void);

/* A name from a file, fit for a terminal and for JSON: UTF-8 without control characters, at most 250 bytes. Up to four
 * results of a thread live at a time. */
const char *pl_shown(const char *name);

/* Adds a quoted name to a list for a message, once, while there is room; empty names are left out. */
void pl_list_name(char *list, size_t size, const char *name);

#endif
