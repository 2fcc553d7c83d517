/* PC2 and MDD from hostile bytes: opened as both, every frame read. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "fuzz.h"

#include <sys/mman.h>

static void remove_links(void)
{
    unlink(fuzz_path(".pc2"));
    unlink(fuzz_path(".mdd"));
}

/* Links NAME.pc2 and NAME.mdd to a file in memory, which each try fills anew. */
static int open_file(void)
{
    static int file = -1;
    if (file < 0)
    {
        file = memfd_create("pleat-fuzz", 0);
        char target[64];
        snprintf(target, sizeof target, "/proc/self/fd/%d", file);
        remove_links();
        atexit(remove_links);
        if (file < 0 || symlink(target, fuzz_path(".pc2")) != 0 || symlink(target, fuzz_path(".mdd")) != 0)
        {
            perror("fuzz_cache");
            exit(1);
        }
    }
    return file;
}

static void read_as(const char *ending, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_error error = {0};
    pleat_cache *cache;
    pleat_result result = pleat_cache_open(fuzz_path(ending), &host, &cache, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return;
    }
    pleat_cache_info info = pleat_cache_get_info(cache);
    fuzz_must((uint64_t)info.vertex_count * info.frame_count * 12 <= size, "more points than bytes", &error);
    pleat_vec3 *points = malloc(info.vertex_count * sizeof *points);
    for (uint32_t frame = 0; frame < info.frame_count; ++frame)
    {
        result = pleat_cache_read(cache, frame, points, &error);
        fuzz_must(result == PLEAT_OK || result == PLEAT_BAD_DATA, "read", &error);
    }
    free(points);
    pleat_cache_close(cache);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int file = open_file();
    if (ftruncate(file, (off_t)size) != 0 || (size > 0 && pwrite(file, data, size, 0) != (ssize_t)size))
    {
        return 0;
    }
    read_as(".pc2", size);
    read_as(".mdd", size);
    return 0;
}
