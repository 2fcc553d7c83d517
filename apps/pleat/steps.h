/* Commands run by a command: pleat demo is a list of lines that anybody could type. */
#ifndef APP_STEPS_H
#define APP_STEPS_H

#include "session.h"

enum
{
    STEP_WORDS = 48
};

/* A line being put together; words are copied. */
typedef struct step_line
{
    char *words[STEP_WORDS];
    int count;
    bool failed; /* no memory, or too many words */
} step_line;

/* Adds one word, whatever the format holds. */
void step_word(step_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds words as they stand, NULL at the end. */
void step_words(step_line *line, ...) __attribute__((sentinel));

/* `pleat WORDS` as a session of its own, which shares the memory, threads and quietness of another. */
typedef struct step
{
    app_session session;
    app_arguments arguments;
    step_line line; /* the arguments point into it */
} step;

/* Takes the line, also on failure. Returns an exit status; only what was opened is to be closed. The step must stay
 * where it is. */
int step_open(step *out, const app_session *session, step_line *line);
void step_close(step *opened);
/* Runs `pleat WORDS` within the process, and takes the line. What it prints comes into *printed (malloc'ed) if that is
 * not NULL, and is dropped otherwise. Returns its exit status; its messages have gone to stderr. */
int step_run(const app_session *session, step_line *line, char **printed);

#endif
