/* Files that appear whole under their name or not at all.
 *
 * An output is written to a hidden temporary beside its target (".pleat-PID-N.tmp"). Ending it flushes, syncs and
 * renames it there and then, or hands it to a group (pleat_outputs, see pleat/io.h) whose commit renames all its
 * members when every one of them is safely on disk. An existing target stays untouched until the rename and keeps its
 * mode; a target that is a symbolic link keeps the link. A target that is a device or a pipe (/dev/null, /dev/stdout)
 * is written directly. */
#ifndef PL_IO_FILE_OUTPUT_H
#define PL_IO_FILE_OUTPUT_H

#include "base/memory.h"
#include "pleat/io.h"

typedef struct pl_output pl_output;

/* host may be NULL. On failure *output is NULL. */
pleat_result pl_output_begin(const char *path, const pleat_host *host, pl_output **output, pleat_error *error);
/* Appends; buffered. A failure (short write, disk full) names the path and the reason; the only legal calls after
 * it are abort and end, which then fails too. */
pleat_result pl_output_write(pl_output *output, const void *bytes, size_t size, pleat_error *error);
/* Like fprintf, for text up to 4095 bytes. Floats follow the program's locale: use pl_number_format of io/number.h. */
pleat_result pl_output_print(pl_output *output, pleat_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Overwrites size bytes at an offset that has been written already: lengths that are known only at the end. */
pleat_result pl_output_patch(pl_output *output, uint64_t offset, const void *bytes, size_t size, pleat_error *error);
/* Bytes written so far. */
uint64_t pl_output_size(const pl_output *output);
/* The path as it was given. */
const char *pl_output_path(const pl_output *output);

/* The hidden file, for a program that fills it in our place; NULL where the target is written directly. */
const char *pl_output_temporary(const pl_output *output);

/* Completes the output; output is gone afterwards, also on failure (then its temporary is removed). With a group the
 * file appears when the group is committed, without one now. */
pleat_result pl_output_end(pl_output *output, pleat_outputs *group, pleat_error *error);
/* Drops the output and its temporary. NULL is fine. */
void pl_output_abort(pl_output *output);

/* Hands all that a group holds to another one. On failure both are as they were. */
pleat_result pl_outputs_move(pleat_outputs *from, pleat_outputs *to, pleat_error *error);

#endif
