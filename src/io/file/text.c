#include "io/file/text.h"

#include "io/file/number.h"

#include <math.h>
#include <string.h>

pl_text pl_text_from(const char *bytes, size_t size, const char *name)
{
    return (pl_text){bytes, bytes + size, name, 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Length of a joined line's end at this place ("\\\n", "\\\r\n"), or 0. */
static size_t joined(const char *at, const char *end)
{
    if (*at != '\\')
    {
        return 0;
    }
    const char *after = at + 1;
    after += after < end && *after == '\r';
    return after < end && *after == '\n' ? (size_t)(after + 1 - at) : 0;
}

pl_word pl_text_word(pl_text *text)
{
    const char *at = text->at;
    const char *end = text->end;
    while (at < end)
    {
        size_t join = 0;
        if (is_blank(*at))
        {
            ++at;
        }
        else if ((join = joined(at, end)) > 0)
        {
            at += join;
            ++text->line;
        }
        else
        {
            break;
        }
    }
    pl_word word = {at, 0};
    while (at < end && *at != '\n' && !is_blank(*at) && !(*at == '\\' && joined(at, end)))
    {
        ++at;
    }
    word.length = (size_t)(at - word.at);
    text->at = at;
    return word;
}

bool pl_text_next_line(pl_text *text)
{
    while (text->at < text->end)
    {
        const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
        if (!newline)
        {
            text->at = text->end;
            break;
        }
        bool join = newline > text->at &&
                    (newline[-1] == '\\' || (newline[-1] == '\r' && newline - 1 > text->at && newline[-2] == '\\'));
        text->at = newline + 1;
        ++text->line;
        if (!join)
        {
            return text->at < text->end;
        }
    }
    return false;
}

bool pl_word_is(pl_word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

bool pl_word_number(pl_word word, double *value)
{
    return word.length > 0 && pl_number_parse(word.at, word.length, value) == word.length;
}

pleat_result pl_text_fail(const pl_text *text, pl_word word, const char *what, const char *expected, pleat_error *error)
{
    if (word.length == 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.250s:%u: %s is missing; %s was expected", text->name, text->line, what,
                       expected);
    }
    return pl_fail(error, PLEAT_BAD_DATA, "%.250s:%u: %s is '%.*s'; %s was expected", text->name, text->line, what,
                   (int)(word.length < 40 ? word.length : 40), word.at, expected);
}

pleat_result pl_text_float(pl_text *text, const char *what, float *value, pleat_error *error)
{
    pl_word word = pl_text_word(text);
    double number;
    if (!pl_word_number(word, &number) || !isfinite((float)number))
    {
        return pl_text_fail(text, word, what, "a finite number", error);
    }
    *value = (float)number;
    return PLEAT_OK;
}
