/* Whole files in and out. */
#include "io/file/file.h"

#include "io/file/ledger.h"
#include "io/file/output.h"
#include "pleat/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

pleat_result pl_fail_file(pleat_error *error, const char *path, const char *doing)
{
    /* %m: the text of errno, with no shared buffer behind it. */
    return pl_fail(error, PLEAT_FILE_ERROR, "%.300s: cannot %s: %m", path, doing);
}

pleat_result pl_file_open(const char *path, const pleat_host *host, int *descriptor, uint64_t *size, pleat_error *error)
{
    *descriptor = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
    {
        return pl_fail_file(error, path, "open it");
    }
    struct stat status;
    if (fstat(file, &status) != 0)
    {
        pleat_result result = pl_fail_file(error, path, "look at it");
        close(file);
        return result;
    }
    if (!S_ISREG(status.st_mode))
    {
        close(file);
        return pl_fail(error, PLEAT_FILE_ERROR, "%.300s: it is %s; a file was expected", path,
                       S_ISDIR(status.st_mode) ? "a folder" : "a pipe or a device");
    }
    pleat_result result = pl_files_read(host ? host->files : NULL, path, &status, error);
    if (result != PLEAT_OK)
    {
        close(file);
        return result;
    }
    *descriptor = file;
    *size = (uint64_t)status.st_size;
    return PLEAT_OK;
}

pleat_result pl_file_read_at(int descriptor, const char *path, uint64_t offset, void *bytes, size_t size,
                             pleat_error *error)
{
    size_t done = 0;
    while (done < size)
    {
        ssize_t got = pread(descriptor, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
        {
            continue;
        }
        if (got < 0)
        {
            return pl_fail_file(error, path, "read it");
        }
        if (got == 0)
        {
            return pl_fail(error, PLEAT_FILE_ERROR, "%.300s: it ends at byte %llu while being read; %llu were expected",
                           path, (unsigned long long)(offset + done), (unsigned long long)(offset + size));
        }
        done += (size_t)got;
    }
    return PLEAT_OK;
}

pleat_result pl_file_read(const char *path, const pleat_host *host, pl_memory *memory, unsigned char **bytes,
                          size_t *size, pleat_error *error)
{
    *bytes = NULL;
    *size = 0;
    int file;
    uint64_t length;
    PL_TRY(pl_file_open(path, host, &file, &length, error));
    pleat_result result = PLEAT_OK;
    unsigned char *content = NULL;
    if (length >= SIZE_MAX)
    {
        result = pl_fail(error, PLEAT_OVER_LIMIT, "%.300s: %llu bytes are too many", path, (unsigned long long)length);
    }
    else if (!(content = PL_NEW(memory, unsigned char, (size_t)length + 1)))
    {
        result = pl_fail_memory(memory, error, path);
    }
    else
    {
        result = pl_file_read_at(file, path, 0, content, (size_t)length, error);
    }
    close(file);
    if (result != PLEAT_OK)
    {
        pl_free(memory, content);
        return result;
    }
    *bytes = content;
    *size = (size_t)length;
    return PLEAT_OK;
}

pleat_result pleat_file_read(const char *path, const pleat_host *host, void **bytes, size_t *size, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    unsigned char *content;
    pleat_result result = pl_file_read(path, host, &memory, &content, size, error);
    *bytes = content;
    return result;
}

void pleat_file_free(const pleat_host *host, void *bytes, size_t size)
{
    (void)size;
    pl_memory memory = pl_memory_from(host);
    pl_free(&memory, bytes);
}

pleat_result pleat_file_write(const char *path, const void *bytes, size_t size, pleat_error *error)
{
    pl_output *output;
    PL_TRY(pl_output_begin(path, NULL, &output, error));
    pleat_result result = pl_output_write(output, bytes, size, error);
    if (result != PLEAT_OK)
    {
        pl_output_abort(output);
        return result;
    }
    return pl_output_end(output, NULL, error);
}
