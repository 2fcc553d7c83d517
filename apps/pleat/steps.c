#include "steps.h"

#include "help.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_word(step_line *line, char *word)
{
    if (!word || line->count == STEP_WORDS)
    {
        free(word);
        line->failed = true;
        return;
    }
    line->words[line->count++] = word;
}

void step_word(step_line *line, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    take_word(line, length >= 0 && (size_t)length < sizeof text ? strdup(text) : NULL);
}

void step_words(step_line *line, ...)
{
    va_list list;
    va_start(list, line);
    const char *word;
    while ((word = va_arg(list, const char *)))
    {
        take_word(line, strdup(word));
    }
    va_end(list);
}

static void line_free(step_line *line)
{
    for (int i = 0; i < line->count; ++i)
    {
        free(line->words[i]);
    }
    *line = (step_line){0};
}

/* The program's standard output led elsewhere, so that a command's result can be read. */
typedef struct caught
{
    FILE *file;
    int stdout_copy;
} caught;

static bool catch_output(caught *catcher)
{
    fflush(stdout);
    catcher->file = tmpfile();
    catcher->stdout_copy = catcher->file ? dup(STDOUT_FILENO) : -1;
    if (catcher->stdout_copy < 0 || dup2(fileno(catcher->file), STDOUT_FILENO) < 0)
    {
        if (catcher->stdout_copy >= 0)
        {
            close(catcher->stdout_copy);
        }
        if (catcher->file)
        {
            fclose(catcher->file);
        }
        return false;
    }
    return true;
}

/* Puts the output back, and reads what was caught into *printed, which may be NULL. */
static bool release_output(caught *catcher, char **printed)
{
    bool done = fflush(stdout) == 0;
    dup2(catcher->stdout_copy, STDOUT_FILENO);
    close(catcher->stdout_copy);
    if (printed)
    {
        long size = fseek(catcher->file, 0, SEEK_END) == 0 ? ftell(catcher->file) : -1;
        char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        rewind(catcher->file);
        done = done && text && fread(text, 1, (size_t)size, catcher->file) == (size_t)size;
        if (text)
        {
            text[done ? (size_t)size : 0] = 0;
        }
        *printed = text;
    }
    fclose(catcher->file);
    return done;
}

/* Warnings are for those who type the line themselves. */
static void drop_log(void *user, pleat_severity severity, const char *message)
{
    (void)user;
    (void)severity;
    (void)message;
}

int step_open(step *out, const app_session *session, step_line *line)
{
    int status = EXIT_DONE;
    char message[700];
    const app_command *command = line->failed || line->count == 0 ? NULL : find_command(line->words[0]);
    *out = (step){.session = *session};
    if (!command)
    {
        status = fail_input(session, "out of memory for a step of the demo");
    }
    else if (!arguments_parse(command, line->count - 1, line->words + 1, &out->arguments, message, sizeof message))
    {
        status = fail_usage(session, "pleat %s: %s", command->name, message);
    }
    else
    {
        out->session.host.log = drop_log;
        out->session.arguments = &out->arguments;
        out->session.json = arguments_given(&out->arguments, "json");
        out->session.warning_count = 0;
        out->session.block_count = 0;
        memset(out->session.warnings, 0, sizeof out->session.warnings);
        out->line = *line;
        *line = (step_line){0};
    }
    line_free(line);
    return status;
}

void step_close(step *opened)
{
    arguments_free(&opened->arguments);
    session_drop(&opened->session);
    line_free(&opened->line);
}

int step_run(const app_session *session, step_line *line, char **printed)
{
    step run;
    caught catcher;
    if (printed)
    {
        *printed = NULL;
    }
    int status = step_open(&run, session, line);
    if (status != EXIT_DONE)
    {
        return status;
    }
    const app_command *command = run.arguments.command;
    if (catch_output(&catcher))
    {
        status = command->run(&run.session);
        if (!release_output(&catcher, printed) && status == EXIT_DONE)
        {
            status = fail_input(session, "what 'pleat %s' printed was lost", command->name);
        }
    }
    else
    {
        status = fail_input(session, "no temporary file could be made for what 'pleat %s' prints", command->name);
    }
    step_close(&run);
    return status;
}
