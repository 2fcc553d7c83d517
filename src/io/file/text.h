/* Walking over a text in memory word by word, counting lines. */
#ifndef PL_IO_FILE_TEXT_H
#define PL_IO_FILE_TEXT_H

#include "base/fail.h"

typedef struct pl_text
{
    const char *at, *end;
    const char *name; /* of the file */
    uint32_t line;    /* from 1 */
} pl_text;

typedef struct pl_word
{
    const char *at;
    size_t length;
} pl_word;

pl_text pl_text_from(const char *bytes, size_t size, const char *name);

/* The next word of this line; length 0 at the line's end. A backslash before the line's end joins the next line to it.
 */
pl_word pl_text_word(pl_text *text);
/* Skips the rest of this line; false at the end of the text. */
bool pl_text_next_line(pl_text *text);
bool pl_word_is(pl_word word, const char *text);
/* The whole word as a number. */
bool pl_word_number(pl_word word, double *value);

/* BAD_DATA: "FILE:LINE: WHAT 'word'; EXPECTED was expected". */
pleat_result pl_text_fail(const pl_text *text, pl_word word, const char *what, const char *expected,
                          pleat_error *error);
/* A number that fits a float, from the next word. */
pleat_result pl_text_float(pl_text *text, const char *what, float *value, pleat_error *error);

#endif
