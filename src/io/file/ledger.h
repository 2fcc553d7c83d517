/* The inside of pleat_files: what readers and outputs tell it. files may be NULL everywhere: nobody keeps a list. */
#ifndef PL_IO_FILE_LEDGER_H
#define PL_IO_FILE_LEDGER_H

#include "pleat/io/file.h"

#include <sys/stat.h>

/* A file was opened for reading. An error where it is to be written: both are named. */
pleat_result pl_files_read(pleat_files *files, const char *path, const struct stat *status, pleat_error *error);
/* An output begins. An error where the file was read or is another output. *index: for the end. */
pleat_result pl_files_begin(pleat_files *files, const char *path, uint32_t *index, pleat_error *error);
/* The output is in place, or dropped: from here on the file may be read. */
void pl_files_end(pleat_files *files, uint32_t index);

#endif
