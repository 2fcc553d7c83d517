/* Numbers as text, the same in every locale. */
#ifndef PL_IO_FILE_NUMBER_H
#define PL_IO_FILE_NUMBER_H

#include "pleat/base.h"

/* A decimal number such as "-1.5e-3" at the start of text[0..length-1]; returns how many characters it takes, 0 if
 * there is none. The value is the nearest double for up to 19 digits, and within one unit in the last place beyond; it
 * is infinite where a double overflows. "nan" and "inf" are no numbers. */
size_t pl_number_parse(const char *text, size_t length, double *value);

enum
{
    PL_NUMBER_SIZE = 24
};

/* Writes a finite float as the shortest of 7, 8 or 9 digits that reads back as the same float; returns the length. Ends
 * with a 0. */
size_t pl_number_format(char text[PL_NUMBER_SIZE], float value);
/* An unsigned integer; needs 11 bytes. */
size_t pl_number_format_unsigned(char *text, uint32_t value);

#endif
