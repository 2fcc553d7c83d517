#include "job/bake/spool.h"

#include "job/bake/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file: a header, then records of equal size. */
typedef struct spool_header
{
    char magic[8];
    uint64_t identity;
    uint64_t record_size;
} spool_header;

typedef struct spool_record
{
    uint64_t checksum; /* of the frame and all that follows */
    uint64_t frame;
} spool_record;

static const char spool_magic[8] = "PLEATSP1";

struct pl_bake_spool
{
    pl_memory memory;
    char *path;
    int file; /* or -1 */
    uint32_t count;
    size_t surface_count, state_size;
    size_t record_size;
    char *record; /* spool_record, surfaces, state */
};

static pleat_vec4 *surface_of(const pl_bake_spool *spool)
{
    return (pleat_vec4 *)(void *)(spool->record + sizeof(spool_record));
}

static char *state_of(const pl_bake_spool *spool)
{
    return spool->record + sizeof(spool_record) + spool->surface_count * sizeof(pleat_vec4);
}

static pleat_result fail_file(const pl_bake_spool *spool, const char *what, pleat_error *error)
{
    return pl_fail(error, PLEAT_FILE_ERROR, "%s: cannot %s it: %s", spool->path, what,
                   errno ? strerror(errno) : "it ends too early");
}

/* One call that may move fewer bytes than asked for. */
typedef ssize_t move_bytes(int file, char *bytes, size_t size, off_t offset);

static ssize_t read_some(int file, char *bytes, size_t size, off_t offset)
{
    return pread(file, bytes, size, offset);
}

static ssize_t write_some(int file, char *bytes, size_t size, off_t offset)
{
    return pwrite(file, bytes, size, offset);
}

/* All of it, or false; errno is 0 at the end of the file. */
static bool move_all(move_bytes *move, int file, void *bytes, size_t size, off_t offset)
{
    char *at = bytes;
    while (size > 0)
    {
        errno = 0;
        ssize_t moved = move(file, at, size, offset);
        if (moved <= 0 && errno != EINTR)
        {
            return false;
        }
        moved = moved < 0 ? 0 : moved;
        at += moved;
        offset += moved;
        size -= (size_t)moved;
    }
    return true;
}

static off_t record_offset(const pl_bake_spool *spool, uint32_t frame)
{
    return (off_t)(sizeof(spool_header) + (uint64_t)frame * spool->record_size);
}

static uint64_t record_checksum(const pl_bake_spool *spool)
{
    size_t skip = sizeof(uint64_t);
    return pl_spool_hash(PL_SPOOL_HASH_START, spool->record + skip, spool->record_size - skip);
}

/* Reads a record; false where it is cut, damaged or another frame's. */
static bool read_record(pl_bake_spool *spool, uint32_t frame)
{
    spool_record head;
    if (!move_all(read_some, spool->file, spool->record, spool->record_size, record_offset(spool, frame)))
    {
        return false;
    }
    memcpy(&head, spool->record, sizeof head);
    return head.frame == frame && head.checksum == record_checksum(spool);
}

/* Checks what is there and finds the last whole frame; begins a new file where there is nothing of use. */
static pleat_result look_through(pl_bake_spool *spool, uint64_t identity, uint32_t frame_count, pleat_error *error)
{
    spool_header header, ours = {.identity = identity, .record_size = spool->record_size};
    memcpy(ours.magic, spool_magic, sizeof ours.magic);
    bool whole = move_all(read_some, spool->file, &header, sizeof header, 0);
    if (whole && memcmp(header.magic, spool_magic, sizeof header.magic) != 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s is not what a bake left behind; remove it, or bake without --resume",
                       spool->path);
    }
    if (whole && (header.identity != identity || header.record_size != spool->record_size))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%s is from a bake of another input, with other options or by another version; remove it, or "
                       "bake without --resume",
                       spool->path);
    }
    if (!whole && !move_all(write_some, spool->file, &ours, sizeof ours, 0))
    {
        return fail_file(spool, "write", error);
    }
    while (spool->count < frame_count && read_record(spool, spool->count))
    {
        ++spool->count;
    }
    return ftruncate(spool->file, record_offset(spool, spool->count)) == 0 ? PLEAT_OK : fail_file(spool, "cut", error);
}

static pleat_result open_file(pl_bake_spool *spool, pleat_error *error)
{
    /* Not through a link: frames would be written over what it leads to. */
    struct stat status;
    errno = 0;
    spool->file = open(spool->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    if (spool->file < 0 && errno != ELOOP)
    {
        return fail_file(spool, "open", error);
    }
    if (spool->file < 0 || fstat(spool->file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    {
        return pl_fail(error, PLEAT_FILE_ERROR,
                       "%s is a link, or no file of its own; remove it, or bake without --resume", spool->path);
    }
    if (flock(spool->file, LOCK_EX | LOCK_NB) != 0)
    {
        return pl_fail(error, PLEAT_FILE_ERROR, "%s is in use: another bake with --resume is at work", spool->path);
    }
    return PLEAT_OK;
}

pleat_result pl_spool_open(const char *path, uint64_t identity, const pleat_bake *bake, const pleat_host *host,
                           pl_bake_spool **out, pleat_error *error)
{
    *out = NULL;
    pl_bake_spool *spool = PL_CREATE(pl_bake_spool, host);
    if (!spool)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the spool");
    }
    size_t path_size = strlen(path) + sizeof ".resume";
    spool->file = -1;
    spool->surface_count = pleat_bake_surface_count(bake);
    spool->state_size = pleat_bake_state_size(bake);
    spool->record_size = sizeof(spool_record) + spool->surface_count * sizeof(pleat_vec4) + spool->state_size;
    spool->record_size = (spool->record_size + 15) & ~(size_t)15;
    spool->path = PL_NEW(&spool->memory, char, path_size);
    spool->record = PL_NEW(&spool->memory, char, spool->record_size);
    pleat_result result = PLEAT_OK;
    if (!spool->path || !spool->record)
    {
        result = pl_fail_memory(&spool->memory, error, "the spool");
    }
    else
    {
        snprintf(spool->path, path_size, "%s.resume", path);
        memset(spool->record, 0, spool->record_size);
        result = pleat_files_will_write(host->files, spool->path, error);
        result = result == PLEAT_OK ? open_file(spool, error) : result;
    }
    if (result == PLEAT_OK)
    {
        result = look_through(spool, identity, pleat_bake_get_shape(bake)->frame_count, error);
    }
    if (result != PLEAT_OK)
    {
        pl_spool_close(spool, false);
        return result;
    }
    *out = spool;
    return PLEAT_OK;
}

uint32_t pl_spool_count(const pl_bake_spool *spool)
{
    return spool->count;
}

pleat_result pl_spool_replay(pl_bake_spool *spool, uint32_t frame, pleat_bake *bake, pleat_error *error)
{
    if (!read_record(spool, frame))
    {
        return fail_file(spool, "read", error);
    }
    PL_TRY(pleat_bake_replay(bake, frame, surface_of(spool), error));
    if (spool->state_size)
    {
        pleat_bake_state_restore(bake, state_of(spool), frame);
    }
    return PLEAT_OK;
}

pleat_result pl_spool_add(pl_bake_spool *spool, const pleat_bake *bake, pleat_error *error)
{
    spool_record head = {.frame = spool->count};
    memcpy(spool->record, &head, sizeof head);
    pleat_bake_copy_surface(bake, surface_of(spool));
    if (spool->state_size)
    {
        pleat_bake_state_save(bake, state_of(spool));
    }
    head.checksum = record_checksum(spool);
    memcpy(spool->record, &head, sizeof head);
    if (!move_all(write_some, spool->file, spool->record, spool->record_size, record_offset(spool, spool->count)))
    {
        return fail_file(spool, "write", error);
    }
    ++spool->count;
    return PLEAT_OK;
}

void pl_spool_close(pl_bake_spool *spool, bool done)
{
    if (!spool)
    {
        return;
    }
    if (done)
    {
        unlink(spool->path);
    }
    if (spool->file >= 0)
    {
        close(spool->file);
    }
    pl_free(&spool->memory, spool->path);
    pl_free(&spool->memory, spool->record);
    PL_DESTROY(spool);
}
