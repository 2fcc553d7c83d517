/* What a running command has around it: its arguments, the library's host, and the way to talk. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "options.h"

#include "pleat/base.h"

#include <jansson.h>

enum
{
    EXIT_DONE = 0,
    EXIT_BAD_INPUT = 1,
    EXIT_BAD_USAGE = 2
};

enum
{
    SESSION_WARNINGS = 64 /* kept for the result; all of them are printed */
};

typedef struct app_session
{
    const app_arguments *arguments;
    pleat_host host; /* memory from the budget, threads from a pool, warnings to stderr, a list of the files */
    pleat_pool *pool;
    uint32_t thread_count;
    bool json, quiet;
    uint32_t warning_count;
    char *warnings[SESSION_WARNINGS]; /* the first of them */
} app_session;

/* False: out of memory or threads; it has said so. */
bool session_open(app_session *session, const app_arguments *arguments);
void session_close(app_session *session);

/* One line on stderr, and the exit status for it. fail_usage is for what the command line alone makes wrong. */
int fail_usage(const app_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
int fail_input(const app_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A failure of the library. Says so where --max-memory was the reason. The second form is for failures that do not name
 * the file that they are about: the core knows no files. */
int fail_error(const app_session *session, const pleat_error *error);
int fail_error_in(const app_session *session, const char *file, const pleat_error *error);

/* A name from a file, fit for a terminal and for JSON: UTF-8 without control characters. Up to four results live at
 * a time. */
const char *shown(const char *name);

/* Prints and releases the object (stolen) on stdout. */
int print_json(app_session *session, json_t *object);
/* A number; null where it is not finite, which JSON cannot say. */
json_t *number_json(double value);
/* A JSON array of the warnings so far. */
json_t *warnings_json(const app_session *session);

/* Progress of long work: one line on stderr that is redrawn, on a terminal only, and only after the first second. */
typedef struct app_progress
{
    const char *title;
    double start, drawn; /* seconds */
    bool wanted;
} app_progress;

app_progress progress_begin(const app_session *session, const char *title);
void progress_update(app_progress *progress, uint64_t done, uint64_t total);
void progress_end(app_progress *progress);

/* Seconds of a clock that only runs forward. */
double seconds_now(void);

#endif
