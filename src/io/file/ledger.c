/* Which files a piece of work reads and writes; see pleat_files. */
#include "io/file/ledger.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* A file is its device and inode. One that is not there yet is the folder's, and its name in it. */
typedef struct file_entry
{
    char *path; /* as it was given; NULL: the entry is free */
    bool there; /* device and inode are the file's own */
    bool written;
    bool begun; /* an output is at work on it; else it was only said that one will be */
    dev_t device;
    ino_t inode;
} file_entry;

struct pleat_files
{
    pl_memory memory;
    file_entry *entries;
    uint32_t count, capacity;
};

pleat_result pleat_files_create(const pleat_host *host, pleat_files **files, pleat_error *error)
{
    *files = PL_CREATE(pleat_files, host);
    return *files ? PLEAT_OK : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the list of files");
}

void pleat_files_destroy(pleat_files *files)
{
    if (!files)
    {
        return;
    }
    for (uint32_t i = 0; i < files->count; ++i)
    {
        pl_free(&files->memory, files->entries[i].path);
    }
    pl_free(&files->memory, files->entries);
    PL_DESTROY(files);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_same(const file_entry *a, const file_entry *b)
{
    return a->path && b->path && a->there == b->there && a->device == b->device && a->inode == b->inode &&
           (a->there || strcmp(name_of(a->path), name_of(b->path)) == 0);
}

/* What a path is; false where its folder is not there, or it is a pipe or a device: nothing is overwritten there. */
static bool look_at(const char *path, file_entry *entry)
{
    struct stat status;
    char folder[4096];
    size_t length = (size_t)(name_of(path) - path);
    *entry = (file_entry){.there = stat(path, &status) == 0};
    if (entry->there)
    {
        entry->device = status.st_dev;
        entry->inode = status.st_ino;
        return S_ISREG(status.st_mode);
    }
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
    bool known = length < sizeof folder && stat(folder, &status) == 0;
    entry->device = known ? status.st_dev : 0;
    entry->inode = known ? status.st_ino : 0;
    return known;
}

static pleat_result add(pleat_files *files, const file_entry *entry, const char *path, uint32_t *index,
                        pleat_error *error)
{
    uint32_t at = 0;
    while (at < files->count && files->entries[at].path)
    {
        ++at;
    }
    if (at == files->capacity)
    {
        uint32_t capacity = files->capacity ? 2 * files->capacity : 16;
        file_entry *grown = files->entries ? pl_realloc(&files->memory, files->entries, capacity, sizeof *grown)
                                           : PL_NEW(&files->memory, file_entry, capacity);
        if (!grown)
        {
            return pl_fail_memory(&files->memory, error, "the list of files");
        }
        files->entries = grown;
        files->capacity = capacity;
    }
    char *copy = PL_NEW(&files->memory, char, strlen(path) + 1);
    if (!copy)
    {
        return pl_fail_memory(&files->memory, error, "the list of files");
    }
    strcpy(copy, path);
    files->entries[at] = *entry;
    files->entries[at].path = copy;
    files->count = at == files->count ? at + 1 : files->count;
    *index = at;
    return PLEAT_OK;
}

static pleat_result fail_clash(const char *path, const file_entry *with, pleat_error *error)
{
    return with->written ? pl_fail(error, PLEAT_BAD_ARGUMENT,
                                   "%.200s would be written, and so would %.200s, which is the same file; give them "
                                   "different names",
                                   path, with->path)
                         : pl_fail(error, PLEAT_BAD_ARGUMENT,
                                   "%.200s would replace its own input %.200s; give it another name", path, with->path);
}

pleat_result pl_files_read(pleat_files *files, const char *path, const struct stat *status, pleat_error *error)
{
    file_entry entry = {
        .path = (char *)(uintptr_t)path, .there = true, .device = status->st_dev, .inode = status->st_ino};
    for (uint32_t i = 0; files && i < files->count; ++i)
    {
        if (is_same(&files->entries[i], &entry))
        {
            return files->entries[i].written ? fail_clash(files->entries[i].path, &entry, error) : PLEAT_OK;
        }
    }
    uint32_t index;
    return files ? add(files, &entry, path, &index, error) : PLEAT_OK;
}

/* begin: an output's own; one that was announced is taken over. */
static pleat_result note_output(pleat_files *files, const char *path, bool begin, uint32_t *index, pleat_error *error)
{
    file_entry entry;
    *index = PLEAT_NONE;
    if (!files || !look_at(path, &entry))
    {
        return PLEAT_OK;
    }
    entry.written = true;
    entry.begun = begin;
    entry.path = (char *)(uintptr_t)path;
    for (uint32_t i = 0; i < files->count; ++i)
    {
        file_entry *other = &files->entries[i];
        if (!is_same(other, &entry))
        {
            continue;
        }
        if (begin && other->written && !other->begun)
        {
            other->begun = true;
            *index = i;
            return PLEAT_OK;
        }
        return fail_clash(path, other, error);
    }
    return add(files, &entry, path, index, error);
}

pleat_result pleat_files_will_write(pleat_files *files, const char *path, pleat_error *error)
{
    uint32_t index;
    return note_output(files, path, false, &index, error);
}

pleat_result pl_files_begin(pleat_files *files, const char *path, uint32_t *index, pleat_error *error)
{
    return note_output(files, path, true, index, error);
}

void pl_files_end(pleat_files *files, uint32_t index)
{
    if (files && index != PLEAT_NONE)
    {
        pl_free(&files->memory, files->entries[index].path);
        files->entries[index] = (file_entry){0};
    }
}
