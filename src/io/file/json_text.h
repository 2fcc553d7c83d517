/* JSON as text. jansson's own writer gives 0.1 as 0.10000000000000001; a file that went in should come out as it was,
 * so numbers are written as the shortest text that reads back the same. */
#ifndef PL_IO_FILE_JSON_TEXT_H
#define PL_IO_FILE_JSON_TEXT_H

#include "base/memory.h"

#include <jansson.h>

/* Text that grows. Zero-initialise all but memory. */
typedef struct pl_json_output
{
    pl_memory *memory;
    char *bytes;
    size_t size;
    size_t room;
    bool failed; /* out of memory: sticky, to be asked for at the end */
} pl_json_output;

void pl_json_put(pl_json_output *text, const char *bytes, size_t size);
void pl_json_output_free(pl_json_output *text);

/* Appends a value; indent 0 writes no blanks, else that many a level, with lists of plain numbers on one line. */
void pl_json_print(pl_json_output *text, const json_t *value, int indent);

#endif
