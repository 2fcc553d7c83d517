/* What a running command has around it: its arguments, the library's host, and the way to talk. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "options.h"

#include "pleat/base.h"
#include "job/run.h"

#include <jansson.h>

enum
{
    EXIT_DONE = 0,
    EXIT_BAD_INPUT = 1,
    EXIT_BAD_USAGE = 2
};

enum
{
    SESSION_WARNINGS = 64, /* kept for the result; all of them are printed */
    SESSION_BLOCKS = 32
};

/* Progress of long work, only after its first second: on a terminal one line on stderr that is redrawn, elsewhere with
 * --verbose a plain line now and then. */
typedef struct app_progress
{
    double start, drawn; /* seconds: of the work, of the last line */
    double since;        /* since when the count runs that the time left is told from */
    char work[96];       /* that count's */
    uint64_t done;       /* its last value */
    bool wanted, terminal;
} app_progress;

typedef struct app_session
{
    const app_arguments *arguments;
    pleat_host host; /* memory from the budget, threads from a pool, warnings to stderr, a list of the files */
    pleat_pool *pool;
    uint32_t thread_count;
    bool json, quiet, verbose;
    uint32_t warning_count;
    char *warnings[SESSION_WARNINGS]; /* the first of them */
    app_progress progress;
    void *blocks[SESSION_BLOCKS]; /* freed at the end */
    uint32_t block_count;
} app_session;

/* False: out of memory or threads; it has said so. */
bool session_open(app_session *session, const app_arguments *arguments);
void session_close(app_session *session);

/* One line on stderr, and the exit status for it. fail_usage is for what the command line alone makes wrong. */
int fail_usage(const app_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fail_input(const app_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A failure of the library. Says so where --max-memory was the reason. */
int fail_error(const app_session *session, const pleat_error *error);

/* A name from a file, fit for a terminal and for JSON: UTF-8 without control characters. Up to four results live at
 * a time. */
static inline const char *shown(const char *name)
{
    return pl_shown(name);
}

/* Prints and releases the object (stolen) on stdout. */
int print_json(app_session *session, json_t *object);
/* A number; null where it is not finite, which JSON cannot say. */
json_t *number_json(double value);
/* A JSON array of the warnings so far. */
json_t *warnings_json(const app_session *session);

/* Work that a command does by itself; drawn where it is wanted. title is followed by done/total. */
void progress_begin(app_session *session);
void progress_update(app_session *session, const char *title, uint64_t done, uint64_t total);
void progress_end(app_session *session);
/* The same for a job. Until progress_end a first Ctrl-C ends the program at once, too, but says what was kept: spool,
 * the file that keeps frames, or NULL. */
pleat_job_watch session_watch(app_session *session, const char *spool);
/* For a signal handler: the line about what was kept, on stderr; nothing where no job runs. */
void session_tell_kept(void);

/* Takes a malloc'ed block and frees it when the session is closed; returns it, or NULL where there is no room (the
 * block is then freed). */
void *session_keep(app_session *session, void *block);
void session_drop(app_session *session); /* frees them before */

/* Seconds of a clock that only runs forward. */
double seconds_now(void);

#endif
