/* pleat/io/file.h: whole files, and groups of them that appear together. Part of libpleat_io. */
#ifndef PLEAT_IO_FILE_H
#define PLEAT_IO_FILE_H

#include "pleat/base.h"

PLEAT_BEGIN

/* A group of outputs: every function that writes and takes a group leaves its file beside the final name, complete and
 * on disk; commit then renames all of them, or none. Without a group (NULL) a file appears by itself. Not for use by
 * two threads at once; must outlive the writers that use it. */
typedef struct pleat_outputs pleat_outputs;
pleat_result pleat_outputs_create(const pleat_host *host, pleat_outputs **outputs, pleat_error *error);
/* On failure every target is as it was; what the group holds stays beside, for another try or for destroy. */
pleat_result pleat_outputs_commit(pleat_outputs *outputs, pleat_error *error);
/* Removes what was not committed. NULL is fine. */
void pleat_outputs_destroy(pleat_outputs *outputs);
/* Removes every temporary file of the process: for a signal handler that is about to end the program (it is
 * async-signal-safe). A commit that has begun on another thread is waited for; whoever begins an output afterwards
 * waits for the end. */
void pleat_outputs_remove_all(void);

/* The files that one piece of work reads and writes, by device and inode. Where a host names one, reading a file that
 * is to be written and writing one that was read, or twice, are errors (BAD_ARGUMENT) that name both: no input is lost,
 * however it was spelled, linked or found. An output is free again when it is in place or dropped. Not for use by two
 * threads at once; must outlive what was made with the host. */
typedef struct pleat_files pleat_files;
pleat_result pleat_files_create(const pleat_host *host, pleat_files **files, pleat_error *error);
void pleat_files_destroy(pleat_files *files); /* NULL is fine */
/* Announces an output, so that a clash is known before any work is done. files may be NULL. */
pleat_result pleat_files_will_write(pleat_files *files, const char *path, pleat_error *error);

/* A whole file at once, whole or not at all. */
pleat_result pleat_file_write(const char *path, const void *bytes, size_t size, pleat_error *error);
/* The whole file into memory of the host; size is checked against the host's limit. Free with pleat_file_free. */
pleat_result pleat_file_read(const char *path, const pleat_host *host, void **bytes, size_t *size, pleat_error *error);
void pleat_file_free(const pleat_host *host, void *bytes, size_t size);

PLEAT_END

#endif
