#include "job/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

static pleat_result tell(const pl_job *job, const char *work, uint64_t done, uint64_t total, pleat_error *error)
{
    const pleat_job_watch *watch = job->watch;
    if (watch && watch->progress)
    {
        watch->progress(watch->user, &(pleat_job_progress){job->phase, work, done, total, job->kept});
    }
    bool stop = watch && watch->cancel && watch->cancel(watch->user);
    return stop ? pl_fail(error, PLEAT_CANCELLED, "stopped: no output has appeared or changed") : PLEAT_OK;
}

/* What the library's own long work says. */
static bool go_on(void *user, const char *work, uint64_t done, uint64_t total)
{
    return tell(user, work, done, total, NULL) == PLEAT_OK;
}

pleat_result pl_job_open(pl_job *job, const pleat_job_input *input, const pleat_job_stack *stack,
                         const pleat_job_watch *watch, const pleat_host *host, pleat_error *error)
{
    *job = (pl_job){.input = input,
                    .stack = stack,
                    .watch = watch,
                    .host = host ? *host : pleat_host_default(),
                    .memory = pl_memory_from(host)};
    job->host.go_on = watch ? go_on : job->host.go_on;
    job->host.go_on_user = watch ? job : job->host.go_on_user;
    pl_arena_init(&job->arena, &job->memory);
    if (!job->host.files)
    {
        PL_TRY(pleat_files_create(host, &job->files, error));
        job->host.files = job->files;
    }
    return PLEAT_OK;
}

void pl_job_close(pl_job *job)
{
    pl_arena_free(&job->arena);
    pleat_files_destroy(job->files);
    job->files = NULL;
}

/* ---- Progress --------------------------------------------------------------------------------------------------- */

pleat_result pl_job_begin(pl_job *job, pleat_job_phase phase, const char *work, pleat_error *error)
{
    job->phase = phase;
    return tell(job, work, 0, 0, error);
}

pleat_result pl_job_step(const pl_job *job, const char *work, uint64_t done, uint64_t total, pleat_error *error)
{
    return tell(job, work, done, total, error);
}

void pl_job_done(pl_job *job)
{
    job->phase = PLEAT_JOB_DONE;
    job->kept = 0;
    if (job->watch && job->watch->progress)
    {
        job->watch->progress(job->watch->user, &(pleat_job_progress){PLEAT_JOB_DONE, "done", 1, 1, 0});
    }
}

double pl_job_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

pleat_result pl_job_fail_in(const pl_job *job, pleat_error *error)
{
    char message[sizeof error->message];
    snprintf(message, sizeof message, "%s", error->message[0] ? error->message : pleat_result_text(error->result));
    if (error->result != PLEAT_CANCELLED)
    {
        snprintf(error->message, sizeof error->message, "%.120s: %.350s", job->input->file, message);
    }
    return error->result;
}

/* Bytes of the UTF-8 character at text, or 0 if it is not one. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct
    {
        unsigned char mask, mark;
        uint32_t lowest; /* shorter forms of the same character are not UTF-8 */
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t length = 1; length <= 4; ++length)
    {
        if ((text[0] & forms[length - 1].mask) != forms[length - 1].mark)
        {
            continue;
        }
        uint32_t code = text[0] & (unsigned char)~forms[length - 1].mask;
        for (size_t i = 1; i < length; ++i)
        {
            if ((text[i] & 0xc0) != 0x80)
            {
                return 0;
            }
            code = code << 6 | (text[i] & 0x3fu);
        }
        bool legal = code >= forms[length - 1].lowest && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
        return legal ? length : 0;
    }
    return 0;
}

const char *pl_shown(const char *name)
{
    static _Thread_local char slots[4][256];
    static _Thread_local uint32_t next;
    char *out = slots[next++ % 4];
    size_t at = 0;
    for (const unsigned char *text = (const unsigned char *)name; *text && at < sizeof slots[0] - 5;)
    {
        size_t length = utf8_length(text);
        bool control = text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
        if (length == 0 || control)
        {
            out[at++] = '?';
            text += length ? length : 1;
            continue;
        }
        memcpy(out + at, text, length);
        at += length;
        text += length;
    }
    out[at] = 0;
    return out;
}

void pl_list_name(char *list, size_t size, const char *name)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "'%.60s'", pl_shown(name));
    size_t length = strlen(list);
    if (name[0] == 0 || strstr(list, quoted) || strstr(list, "..."))
    {
        return;
    }
    if (length + strlen(quoted) + 8 > size)
    {
        snprintf(list + length, size - length, ", ...");
        return;
    }
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", quoted);
}
