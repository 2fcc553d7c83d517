#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

const char *pleat_result_name(pleat_result result)
{
    static const char *const names[] = {
#define PL_NAME(name, text) #name,
        PLEAT_RESULTS(PL_NAME)
#undef PL_NAME
    };
    return (unsigned)result < PLEAT_RESULT_COUNT ? names[result] : "UNKNOWN";
}

const char *pleat_result_text(pleat_result result)
{
    static const char *const texts[] = {
#define PL_TEXT(name, text) text,
        PLEAT_RESULTS(PL_TEXT)
#undef PL_TEXT
    };
    return (unsigned)result < PLEAT_RESULT_COUNT ? texts[result] : "unknown result";
}

/* A file's own strings reach messages: keep them to one printable line. */
static void flatten(char *text)
{
    for (char *c = text; *c; ++c)
    {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
        {
            *c = ' ';
        }
    }
}

pleat_result pl_fail(pleat_error *error, pleat_result result, const char *format, ...)
{
    if (error)
    {
        error->result = result;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        flatten(error->message);
    }
    return result;
}

void pl_log(const pleat_host *host, pleat_severity severity, const char *format, ...)
{
    if (!host || !host->log)
    {
        return;
    }
    char message[sizeof((pleat_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    flatten(message);
    host->log(host->log_user, severity, message);
}

pleat_result pl_go_on(const pleat_host *host, const char *work, uint64_t done, uint64_t total, pleat_error *error)
{
    bool stopped = host && host->go_on && !host->go_on(host->go_on_user, work, done, total);
    return stopped ? pl_fail(error, PLEAT_CANCELLED, "stopped") : PLEAT_OK;
}
