/* Reading whole files, and the sentence for a failed system call. */
#ifndef PL_IO_FILE_FILE_H
#define PL_IO_FILE_FILE_H

#include "base/memory.h"

/* FILE_ERROR with "PATH: cannot DOING: reason", the reason being errno's. */
pleat_result pl_fail_file(pleat_error *error, const char *path, const char *doing);

/* Opens a regular file for reading, without blocking on pipes and devices: those and folders are errors. Gives a
 * descriptor to close() and the file's size. host: who notes that it is read; may be NULL. */
pleat_result pl_file_open(const char *path, const pleat_host *host, int *descriptor, uint64_t *size,
                          pleat_error *error);

/* Reads exactly size bytes from offset on; less (the file was cut meanwhile) is an error. */
pleat_result pl_file_read_at(int descriptor, const char *path, uint64_t offset, void *bytes, size_t size,
                             pleat_error *error);

/* The whole file into memory that pl_free releases; one more byte, a 0, stands behind it for readers of text. */
pleat_result pl_file_read(const char *path, const pleat_host *host, pl_memory *memory, unsigned char **bytes,
                          size_t *size, pleat_error *error);

#endif
