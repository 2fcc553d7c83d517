#include "session.h"

#include "budget.h"

#include "pleat/io/file.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Messages -------------------------------------------------------------------------------------------------- */

/* A progress line stands on the terminal: messages begin by wiping it. */
static volatile sig_atomic_t progress_stands;

static void wipe_progress(void)
{
    if (progress_stands)
    {
        fputs("\r\033[K", stderr);
        progress_stands = 0;
    }
}

static void say(const app_session *session, const char *kind, const char *message)
{
    wipe_progress();
    fprintf(stderr, "pleat %s: %s%s\n", session->arguments->command->name, kind, message);
}

/* Several garments or several passes over a file may have the same to say. */
static bool was_said(const app_session *session, const char *message)
{
    for (uint32_t i = 0; i < session->warning_count && i < SESSION_WARNINGS; ++i)
    {
        if (session->warnings[i] && strcmp(session->warnings[i], message) == 0)
        {
            return true;
        }
    }
    return false;
}

static void take_log(void *user, pleat_severity severity, const char *message)
{
    app_session *session = user;
    if (severity == PLEAT_WARNING)
    {
        if (was_said(session, message))
        {
            return;
        }
        if (session->warning_count < SESSION_WARNINGS)
        {
            session->warnings[session->warning_count] = strdup(message);
        }
        ++session->warning_count;
    }
    if (!session->quiet)
    {
        say(session, severity == PLEAT_WARNING ? "warning: " : "", message);
    }
}

static void say_list(const app_session *session, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
static void say_list(const app_session *session, const char *format, va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, list);
    say(session, "", text);
}

int fail_usage(const app_session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(session, format, list);
    va_end(list);
    return EXIT_BAD_USAGE;
}

int fail_input(const app_session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(session, format, list);
    va_end(list);
    return EXIT_BAD_INPUT;
}

int fail_error(const app_session *session, const pleat_error *error)
{
    const char *message = error->message[0] ? error->message : pleat_result_text(error->result);
    if ((error->result == PLEAT_NO_MEMORY || error->result == PLEAT_OVER_LIMIT) && budget_was_passed())
    {
        return fail_input(session, "%s: it takes more than --max-memory allows (%zu bytes); a larger one may help",
                          message, budget_limit());
    }
    fail_input(session, "%s", message);
    return error->result == PLEAT_BAD_REQUEST ? EXIT_BAD_USAGE : EXIT_BAD_INPUT;
}

int print_json(app_session *session, json_t *object)
{
    int failed = !object || budget_was_passed() ||
                 json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0 || fputc('\n', stdout) == EOF;
    json_decref(object);
    return failed
               ? fail_input(session, "the result could not be printed as JSON: out of memory, or the output is closed")
               : EXIT_DONE;
}

json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *warnings_json(const app_session *session)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < session->warning_count && i < SESSION_WARNINGS; ++i)
    {
        json_array_append_new(list, json_string(session->warnings[i] ? shown(session->warnings[i]) : ""));
    }
    return list;
}

/* ---- Opening and closing --------------------------------------------------------------------------------------- */

bool session_open(app_session *session, const app_arguments *arguments)
{
    *session = (struct app_session){.arguments = arguments};
    session->json = arguments_given(arguments, "json");
    session->quiet = arguments_given(arguments, "quiet");
    session->verbose = arguments_given(arguments, "verbose");
    budget_open(arguments_size(arguments, "max-memory"));
    session->host = pleat_host_default();
    session->host.allocator = budget_allocator();
    session->host.log = take_log;
    session->host.log_user = session;
    pleat_error error = {0};
    if (pleat_files_create(&session->host, &session->host.files, &error) != PLEAT_OK)
    {
        fail_error(session, &error);
        return false;
    }
    if (pleat_pool_create(arguments_whole(arguments, "threads"), &session->pool, &error) != PLEAT_OK)
    {
        fail_error(session, &error);
        return false;
    }
    session->host.tasks = pleat_pool_tasks(session->pool);
    session->thread_count = session->host.tasks.worker_count;
    return true;
}

void session_close(app_session *session)
{
    pleat_pool_destroy(session->pool);
    pleat_files_destroy(session->host.files);
    for (uint32_t i = 0; i < SESSION_WARNINGS; ++i)
    {
        free(session->warnings[i]);
    }
    session_drop(session);
}

void *session_keep(app_session *session, void *block)
{
    if (session->block_count == SESSION_BLOCKS)
    {
        free(block);
        return NULL;
    }
    session->blocks[session->block_count] = block;
    session->block_count += block != NULL;
    return block;
}

void session_drop(app_session *session)
{
    for (uint32_t i = 0; i < session->block_count; ++i)
    {
        free(session->blocks[i]);
    }
    session->block_count = 0;
}

double seconds_now(void)
{
    return pl_job_seconds();
}

/* ---- Progress --------------------------------------------------------------------------------------------------- */

static const double FIRST_LINE = 1;   /* seconds of work before anything is said */
static const double LINE_AGAIN = 0.1; /* seconds between two on a terminal, */
static const double PLAIN_AGAIN = 5;  /* and elsewhere */

void progress_begin(app_session *session)
{
    double now = seconds_now();
    bool terminal = isatty(STDERR_FILENO);
    session->progress = (app_progress){.start = now,
                                       .drawn = now,
                                       .since = now,
                                       .wanted = !session->quiet && (terminal || session->verbose),
                                       .terminal = terminal};
}

/* Another count, or the same from its beginning: what is left is told anew. */
static void turn_to(app_progress *progress, const char *work, uint64_t done, double now)
{
    if (strncmp(progress->work, work, sizeof progress->work - 1) != 0 || done < progress->done)
    {
        snprintf(progress->work, sizeof progress->work, "%s", work);
        progress->since = now;
    }
    progress->done = done;
}

void progress_update(app_session *session, const char *title, uint64_t done, uint64_t total)
{
    app_progress *progress = &session->progress;
    if (!progress->wanted)
    {
        return;
    }
    double now = seconds_now();
    turn_to(progress, title, done, now);
    if (now - progress->start < FIRST_LINE || now - progress->drawn < (progress->terminal ? LINE_AGAIN : PLAIN_AGAIN))
    {
        return;
    }
    fprintf(stderr, progress->terminal ? "\r\033[K%s" : "pleat: %s", title);
    if (total)
    {
        fprintf(stderr, " %llu/%llu", (unsigned long long)done, (unsigned long long)total);
    }
    if (total && done)
    {
        fprintf(stderr, ", %.0f s left", (now - progress->since) * (double)(total - done) / (double)done);
    }
    fputs(progress->terminal ? "" : "\n", stderr);
    fflush(stderr);
    progress->drawn = now;
    progress_stands = progress->terminal;
}

/* What a signal may read at any time: a job runs, its spool, and frames in that. */
static volatile sig_atomic_t job_runs, job_kept;
static char job_spool[512];

void progress_end(app_session *session)
{
    job_runs = 0;
    session->progress.wanted = false;
    wipe_progress();
}

static void take_progress(void *user, const pleat_job_progress *progress)
{
    job_kept = (sig_atomic_t)progress->kept;
    job_runs = progress->phase != PLEAT_JOB_DONE;
    progress_update(user, progress->work, progress->done, progress->total);
}

pleat_job_watch session_watch(app_session *session, const char *spool)
{
    snprintf(job_spool, sizeof job_spool, "%s", spool ? spool : "");
    job_kept = 0;
    job_runs = 1;
    progress_begin(session);
    return (pleat_job_watch){.progress = take_progress, .user = session};
}

static void write_text(const char *text)
{
    size_t size = strlen(text);
    while (size)
    {
        ssize_t written = write(STDERR_FILENO, text, size);
        if (written <= 0)
        {
            return;
        }
        text += written;
        size -= (size_t)written;
    }
}

void session_tell_kept(void)
{
    char digits[24];
    size_t at = sizeof digits;
    if (!job_runs)
    {
        return;
    }
    write_text(progress_stands ? "\r\033[Kpleat: stopped" : "pleat: stopped");
    if (!job_spool[0] || job_kept <= 0)
    {
        write_text("; no output has appeared or changed\n");
        return;
    }
    digits[--at] = 0;
    for (sig_atomic_t left = job_kept; left > 0; left /= 10)
    {
        digits[--at] = (char)('0' + left % 10);
    }
    write_text("; no output has appeared or changed, and ");
    write_text(job_spool);
    write_text(".resume keeps ");
    write_text(digits + at);
    write_text(" frames: the same command goes on from there\n");
}
