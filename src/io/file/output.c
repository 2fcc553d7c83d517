/* Atomic outputs; see output.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2 */
#endif
#include "io/file/output.h"

#include "io/file/file.h"
#include "io/file/ledger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    BUFFER_SIZE = 1 << 18,
    NAME_TRIES = 10000
};

struct pl_output
{
    pl_memory memory;
    pleat_files *files; /* NULL: nobody keeps a list */
    uint32_t noted;     /* in that list */
    char *path;         /* as given: what messages name */
    char *target;       /* path with symbolic links followed */
    char *temporary;    /* NULL: a device, written directly */
    unsigned char *buffer;
    size_t buffered;
    uint64_t size; /* with what is buffered */
    int file;      /* -1 once closed */
    bool failed;
    bool replaced; /* during a group's commit: exchanged with an existing file, which the temporary's name now holds */
    bool placed;   /* during a group's commit: stands under its final name */
    pl_output *next, *previous; /* the registry of live temporaries */
};

struct pleat_outputs
{
    pl_memory memory;
    pl_output **members;
    uint32_t count, capacity;
};

/* ---- The registry of live temporaries --------------------------------------------------------------------------- */

/* A signal handler walks this list. Whoever holds the lock has all signals blocked and is done after a few system
 * calls, so a handler (which then runs on another thread) may spin for it. */
static atomic_flag registry_lock = ATOMIC_FLAG_INIT;
static pl_output *registry_first;

static void registry_enter(sigset_t *old_signals)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, old_signals);
    while (atomic_flag_test_and_set_explicit(&registry_lock, memory_order_acquire))
    {
    }
}

static void registry_leave(const sigset_t *old_signals)
{
    atomic_flag_clear_explicit(&registry_lock, memory_order_release);
    pthread_sigmask(SIG_SETMASK, old_signals, NULL);
}

static void registry_add(pl_output *output)
{
    output->previous = NULL;
    output->next = registry_first;
    if (registry_first)
    {
        registry_first->previous = output;
    }
    registry_first = output;
}

static void registry_remove(pl_output *output)
{
    if (output->next)
    {
        output->next->previous = output->previous;
    }
    if (output->previous)
    {
        output->previous->next = output->next;
    }
    else if (registry_first == output)
    {
        registry_first = output->next;
    }
    output->next = NULL;
    output->previous = NULL;
}

/* The lock stays taken: another thread would create one more before the process ends. */
void pleat_outputs_remove_all(void)
{
    sigset_t old_signals;
    registry_enter(&old_signals);
    for (pl_output *output = registry_first; output; output = output->next)
    {
        unlink(output->temporary);
    }
    pthread_sigmask(SIG_SETMASK, &old_signals, NULL);
}

/* ---- Begin ------------------------------------------------------------------------------------------------------ */

/* Where the bytes will go: follows links, refuses folders and files that may not be written. */
static pleat_result find_target(pl_output *output, bool *exists, struct stat *status, pleat_error *error)
{
    const char *path = output->path;
    *exists = stat(path, status) == 0;
    const char *target = path;
    char *real = NULL;
    if (*exists)
    {
        if (S_ISDIR(status->st_mode))
        {
            return pl_fail(error, PLEAT_FILE_ERROR, "%.300s: cannot write it: it is a folder", path);
        }
        if (access(path, W_OK) != 0)
        {
            return pl_fail_file(error, path, "write it");
        }
        real = realpath(path, NULL);
        target = real ? real : path;
    }
    size_t length = strlen(target);
    if (length == 0 || target[length - 1] == '/')
    {
        free(real);
        return pl_fail(error, PLEAT_FILE_ERROR, "\"%.300s\": cannot write it: a file name is missing", path);
    }
    output->target = PL_NEW(&output->memory, char, length + 1);
    if (output->target)
    {
        memcpy(output->target, target, length);
    }
    free(real);
    return output->target ? PLEAT_OK : pl_fail_memory(&output->memory, error, "the path of an output");
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A temporary of a process that is gone: nobody has its number, and nobody holds its lock, as one behind another
 * machine's or container's numbers would. */
static bool is_left_behind(int folder, const char *name)
{
    long process;
    unsigned number;
    int length = 0;
    if (sscanf(name, ".pleat-%ld-%u.tmp%n", &process, &number, &length) != 2 || length == 0 || name[length] ||
        process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
    {
        return false;
    }
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool left =
        file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0)
    {
        close(file);
    }
    return left;
}

/* Removes what killed runs left in a folder. Each is looked through once, so that many outputs cost no more. */
static void sweep(const char *path)
{
    enum
    {
        FOLDERS = 8
    };
    static struct
    {
        dev_t device;
        ino_t inode;
    } swept[FOLDERS];
    static unsigned next;
    struct stat status;
    DIR *folder = opendir(path);
    if (!folder)
    {
        return;
    }
    sigset_t old_signals;
    registry_enter(&old_signals);
    bool known = fstat(dirfd(folder), &status) != 0;
    for (int i = 0; i < FOLDERS && !known; ++i)
    {
        known = swept[i].inode == status.st_ino && swept[i].device == status.st_dev;
    }
    if (!known)
    {
        unsigned slot = next++ % FOLDERS;
        swept[slot].inode = status.st_ino;
        swept[slot].device = status.st_dev;
    }
    registry_leave(&old_signals);
    const struct dirent *entry;
    while (!known && (entry = readdir(folder)))
    {
        if (is_left_behind(dirfd(folder), entry->d_name))
        {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
}

static pleat_result open_temporary(pl_output *output, const struct stat *existing, pleat_error *error)
{
    static atomic_uint counter;
    size_t folder = folder_length(output->target);
    size_t size = folder + 64;
    char *name = PL_NEW(&output->memory, char, size);
    if (!name)
    {
        return pl_fail_memory(&output->memory, error, "the name of a temporary file");
    }
    memcpy(name, output->target, folder);
    sweep(folder ? name : ".");
    for (int tries = 0; tries < NAME_TRIES && output->file < 0; ++tries)
    {
        snprintf(name + folder, size - folder, ".pleat-%ld-%u.tmp", (long)getpid(), atomic_fetch_add(&counter, 1));
        sigset_t old_signals;
        registry_enter(&old_signals);
        output->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        int open_errno = errno;
        if (output->file >= 0)
        {
            output->temporary = name;
            registry_add(output);
        }
        registry_leave(&old_signals);
        errno = open_errno;
        if (output->file < 0 && open_errno != EEXIST)
        {
            break;
        }
    }
    if (output->file < 0)
    {
        pleat_result result = pl_fail_file(error, output->path, "create it");
        pl_free(&output->memory, name);
        return result;
    }
    (void)flock(output->file,
                LOCK_EX | LOCK_NB); /* for is_left_behind; where a file system has no locks, numbers tell */
    /* A file that is replaced keeps its permissions where the system lets us. */
    if (existing && fchmod(output->file, existing->st_mode & 07777) != 0 && errno != EPERM)
    {
        return pl_fail_file(error, output->path, "set its mode");
    }
    return PLEAT_OK;
}

pleat_result pl_output_begin(const char *path, const pleat_host *host, pl_output **result_output, pleat_error *error)
{
    *result_output = NULL;
    pl_output *output = PL_CREATE(pl_output, host);
    if (!output)
    {
        pl_memory memory = pl_memory_from(host);
        memory.over_limit = sizeof(pl_output) > memory.limit;
        return pl_fail_memory(&memory, error, "an output");
    }
    pleat_result result = PLEAT_OK;
    output->file = -1;
    output->files = host ? host->files : NULL;
    output->noted = PLEAT_NONE;
    size_t length = strlen(path);
    PL_NEW_OR_FAIL(output->path, &output->memory, char, length + 1, error);
    memcpy(output->path, path, length);
    PL_NEW_OR_FAIL(output->buffer, &output->memory, unsigned char, BUFFER_SIZE, error);
    bool exists;
    struct stat status;
    result = find_target(output, &exists, &status, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    result = pl_files_begin(output->files, path, &output->noted, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    if (exists && !S_ISREG(status.st_mode))
    {
        output->file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        result = output->file < 0 ? pl_fail_file(error, path, "open it for writing") : PLEAT_OK;
    }
    else
    {
        result = open_temporary(output, exists ? &status : NULL, error);
    }
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    *result_output = output;
    return PLEAT_OK;
fail:
    pl_output_abort(output);
    return result;
}

/* ---- Write ------------------------------------------------------------------------------------------------------ */

static pleat_result fail_write(pl_output *output, pleat_error *error)
{
    output->failed = true;
    return pl_fail_file(error, output->path, "write it");
}

static pleat_result write_bytes(pl_output *output, const unsigned char *bytes, size_t size, pleat_error *error)
{
    while (size > 0)
    {
        ssize_t done = write(output->file, bytes, size);
        if (done < 0 && errno == EINTR)
        {
            continue;
        }
        if (done <= 0)
        {
            errno = done == 0 ? ENOSPC : errno;
            return fail_write(output, error);
        }
        bytes += done;
        size -= (size_t)done;
    }
    return PLEAT_OK;
}

static pleat_result flush(pl_output *output, pleat_error *error)
{
    size_t size = output->buffered;
    output->buffered = 0;
    return write_bytes(output, output->buffer, size, error);
}

static pleat_result check_usable(const pl_output *output, pleat_error *error)
{
    return output->failed
               ? pl_fail(error, PLEAT_FILE_ERROR, "%.300s: cannot write it: an earlier write failed", output->path)
               : PLEAT_OK;
}

pleat_result pl_output_write(pl_output *output, const void *bytes, size_t size, pleat_error *error)
{
    PL_TRY(check_usable(output, error));
    output->size += size;
    if (size > BUFFER_SIZE - output->buffered)
    {
        PL_TRY(flush(output, error));
        if (size >= BUFFER_SIZE)
        {
            return write_bytes(output, bytes, size, error);
        }
    }
    if (size > 0)
    {
        memcpy(output->buffer + output->buffered, bytes, size);
        output->buffered += size;
    }
    return PLEAT_OK;
}

pleat_result pl_output_print(pl_output *output, pleat_error *error, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text)
    {
        output->failed = true;
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: a line of %d bytes is too long", output->path, length);
    }
    return pl_output_write(output, text, (size_t)length, error);
}

pleat_result pl_output_patch(pl_output *output, uint64_t offset, const void *bytes, size_t size, pleat_error *error)
{
    PL_TRY(check_usable(output, error));
    if (offset > output->size || size > output->size - offset)
    {
        output->failed = true;
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: a patch of %zu bytes at %llu passes the end at %llu",
                       output->path, size, (unsigned long long)offset, (unsigned long long)output->size);
    }
    PL_TRY(flush(output, error));
    const unsigned char *source = bytes;
    while (size > 0)
    {
        ssize_t done = pwrite(output->file, source, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
        {
            continue;
        }
        if (done <= 0)
        {
            errno = done == 0 ? ENOSPC : errno;
            return fail_write(output, error);
        }
        source += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return PLEAT_OK;
}

uint64_t pl_output_size(const pl_output *output)
{
    return output->size;
}

const char *pl_output_temporary(const pl_output *output)
{
    return output->temporary;
}

const char *pl_output_path(const pl_output *output)
{
    return output->path;
}

/* ---- End -------------------------------------------------------------------------------------------------------- */

static void release(pl_output *output)
{
    if (output->file >= 0)
    {
        close(output->file);
    }
    pl_files_end(output->files, output->noted);
    pl_free(&output->memory, output->buffer);
    pl_free(&output->memory, output->temporary);
    pl_free(&output->memory, output->target);
    pl_free(&output->memory, output->path);
    PL_DESTROY(output);
}

void pl_output_abort(pl_output *output)
{
    if (!output)
    {
        return;
    }
    if (output->temporary)
    {
        sigset_t old_signals;
        registry_enter(&old_signals);
        unlink(output->temporary);
        registry_remove(output);
        registry_leave(&old_signals);
    }
    release(output);
}

/* Everything on disk and the file closed: after this only renaming can fail. */
static pleat_result settle(pl_output *output, pleat_error *error)
{
    PL_TRY(check_usable(output, error));
    PL_TRY(flush(output, error));
    if (output->temporary && fsync(output->file) != 0)
    {
        return fail_write(output, error);
    }
    int file = output->file;
    output->file = -1;
    if (close(file) != 0 && errno != EINTR)
    {
        return fail_write(output, error);
    }
    pl_free(&output->memory, output->buffer);
    output->buffer = NULL;
    return PLEAT_OK;
}

/* The rename itself must survive a power cut; folders that cannot be opened or synced are no reason to fail now. */
static void sync_folder(const pl_output *output)
{
    char folder[4096];
    size_t length = folder_length(output->target);
    if (length >= sizeof folder)
    {
        return;
    }
    memcpy(folder, output->target, length);
    folder[length] = 0;
    int file = open(length ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0)
    {
        (void)fsync(file);
        close(file);
    }
}

/* Puts a file under its name. If undoable, an existing file changes places with the temporary, so that unplace can
 * bring it back; where the system cannot exchange, a plain rename has to do. A folder under the name (which an exchange
 * would take as well) makes the rename fail. */
static int place(pl_output *output, bool undoable)
{
    struct stat existing;
    output->replaced = undoable && lstat(output->target, &existing) == 0 && !S_ISDIR(existing.st_mode) &&
                       renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->target, RENAME_EXCHANGE) == 0;
    output->placed = output->replaced || rename(output->temporary, output->target) == 0;
    return output->placed ? 0 : -1;
}

static void unplace(pl_output *output)
{
    if (output->replaced)
    {
        renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->target, RENAME_EXCHANGE);
    }
    else if (output->placed)
    {
        rename(output->target, output->temporary);
    }
    output->placed = false;
    output->replaced = false;
}

/* Renames all or none. Under the registry's lock, so that a signal comes before or after all of it. */
static pleat_result place_all(pl_output *const *outputs, uint32_t count, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    sigset_t old_signals;
    registry_enter(&old_signals);
    for (uint32_t i = 0; i < count && result == PLEAT_OK; ++i)
    {
        if (outputs[i]->temporary && place(outputs[i], count > 1) != 0)
        {
            result = pl_fail_file(error, outputs[i]->path, "put it in place");
            while (i-- > 0)
            {
                unplace(outputs[i]);
            }
            break;
        }
    }
    for (uint32_t i = 0; i < count && result == PLEAT_OK; ++i)
    {
        if (outputs[i]->replaced)
        {
            unlink(outputs[i]->temporary); /* what the target held before */
        }
        if (outputs[i]->temporary)
        {
            registry_remove(outputs[i]);
        }
    }
    registry_leave(&old_signals);
    return result;
}

pleat_result pleat_outputs_create(const pleat_host *host, pleat_outputs **outputs, pleat_error *error)
{
    *outputs = PL_CREATE(pleat_outputs, host);
    if (!*outputs)
    {
        pl_memory memory = pl_memory_from(host);
        memory.over_limit = sizeof(pleat_outputs) > memory.limit;
        return pl_fail_memory(&memory, error, "a group of outputs");
    }
    return PLEAT_OK;
}

static pleat_result group_reserve(pleat_outputs *group, uint32_t more, pleat_error *error)
{
    if (more > group->capacity - group->count)
    {
        uint32_t capacity = group->capacity ? 2 * group->capacity : 16;
        capacity = capacity - group->count < more ? group->count + more : capacity;
        pl_output **members = pl_realloc(&group->memory, group->members, capacity, sizeof *members);
        if (!members)
        {
            return pl_fail_memory(&group->memory, error, "a group of outputs");
        }
        group->members = members;
        group->capacity = capacity;
    }
    return PLEAT_OK;
}

static pleat_result group_add(pleat_outputs *group, pl_output *output, pleat_error *error)
{
    PL_TRY(group_reserve(group, 1, error));
    group->members[group->count++] = output;
    return PLEAT_OK;
}

pleat_result pl_outputs_move(pleat_outputs *from, pleat_outputs *to, pleat_error *error)
{
    PL_TRY(group_reserve(to, from->count, error));
    for (uint32_t i = 0; i < from->count; ++i)
    {
        to->members[to->count++] = from->members[i];
    }
    from->count = 0;
    return PLEAT_OK;
}

pleat_result pl_output_end(pl_output *output, pleat_outputs *group, pleat_error *error)
{
    pleat_result result = settle(output, error);
    if (result == PLEAT_OK)
    {
        result = group ? group_add(group, output, error) : place_all(&output, 1, error);
    }
    if (result != PLEAT_OK)
    {
        pl_output_abort(output);
        return result;
    }
    if (!group)
    {
        sync_folder(output);
        release(output);
    }
    return PLEAT_OK;
}

pleat_result pleat_outputs_commit(pleat_outputs *outputs, pleat_error *error)
{
    PL_TRY(place_all(outputs->members, outputs->count, error));
    for (uint32_t i = 0; i < outputs->count; ++i)
    {
        /* Files of one folder usually stand together: one sync for the run of them. */
        const char *target = outputs->members[i]->target;
        size_t folder = folder_length(target);
        const char *before = i > 0 ? outputs->members[i - 1]->target : NULL;
        if (!before || folder_length(before) != folder || memcmp(before, target, folder) != 0)
        {
            sync_folder(outputs->members[i]);
        }
    }
    for (uint32_t i = 0; i < outputs->count; ++i)
    {
        release(outputs->members[i]);
    }
    outputs->count = 0;
    return PLEAT_OK;
}

void pleat_outputs_destroy(pleat_outputs *outputs)
{
    if (!outputs)
    {
        return;
    }
    for (uint32_t i = 0; i < outputs->count; ++i)
    {
        pl_output_abort(outputs->members[i]);
    }
    pl_free(&outputs->memory, outputs->members);
    PL_DESTROY(outputs);
}
