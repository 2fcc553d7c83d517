/* Point caches in.
 *
 * PC2 (little-endian): "POINTCACHE2\0", int32 version 1, int32 points, float32 start frame, float32 frames a sample,
 * int32 samples; then samples x points x 3 float32.
 * MDD (big-endian): int32 frames, int32 points, frames x float32 seconds; then frames x points x 3 float32. */
#include "io/file/file.h"
#include "pleat/io.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

struct pleat_cache
{
    pl_memory memory;
    char *path;
    int file;
    pleat_cache_info info;
    float *times;
    uint64_t data_offset;
};

enum
{
    PC2_HEADER = 32,
    MDD_HEADER = 8
};

static uint32_t load32(const unsigned char *bytes, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
    {
        value |= (uint32_t)bytes[big ? 3 - i : i] << (8 * i);
    }
    return value;
}

static float load_float(const unsigned char *bytes, bool big)
{
    uint32_t bits = load32(bytes, big);
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* Turns count 32-bit values of a file into the machine's order, in place. */
static void to_native(void *values, size_t count, bool big)
{
    if (big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
    {
        return;
    }
    unsigned char *bytes = values;
    for (size_t i = 0; i < count; ++i)
    {
        uint32_t value = load32(bytes + 4 * i, big);
        memcpy(bytes + 4 * i, &value, 4);
    }
}

static pleat_result check_counts(pleat_cache *cache, uint32_t frames, uint32_t points, uint64_t header,
                                 uint64_t per_frame, uint64_t size, pleat_error *error)
{
    if (frames == 0 || points == 0 || frames > INT32_MAX || points > UINT32_MAX / 4)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.250s: %u frames of %u points; both must be at least 1", cache->path,
                       frames, points);
    }
    uint64_t frame_bytes = 12 * (uint64_t)points + per_frame;
    if (size < header || (size - header) / frame_bytes < frames)
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.250s: %u frames of %u points need %llu bytes a frame; the file has %llu bytes in all",
                       cache->path, frames, points, (unsigned long long)frame_bytes, (unsigned long long)size);
    }
    cache->info.frame_count = frames;
    cache->info.vertex_count = points;
    cache->data_offset = header + per_frame * frames;
    return PLEAT_OK;
}

static pleat_result open_pc2(pleat_cache *cache, uint64_t size, pleat_error *error)
{
    unsigned char head[PC2_HEADER];
    if (size < PC2_HEADER)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: it has %llu bytes; the head of a PC2 file has %d", cache->path,
                       (unsigned long long)size, PC2_HEADER);
    }
    PL_TRY(pl_file_read_at(cache->file, cache->path, 0, head, sizeof head, error));
    if (memcmp(head, "POINTCACHE2", 12) != 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: byte 0: it begins with '%.12s'; 'POINTCACHE2' was expected",
                       cache->path, (const char *)head);
    }
    uint32_t version = load32(head + 12, false);
    if (version != 1)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "%.300s: byte 12: the version is %u; 1 was expected", cache->path,
                       version);
    }
    cache->info.start_frame = load_float(head + 20, false);
    cache->info.frame_step = load_float(head + 24, false);
    if (!isfinite(cache->info.start_frame) || !(cache->info.frame_step > 0) || !isfinite(cache->info.frame_step))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.250s: byte 20: start frame %g, %g frames a sample; a finite start and a step above 0 were "
                       "expected",
                       cache->path, (double)cache->info.start_frame, (double)cache->info.frame_step);
    }
    return check_counts(cache, load32(head + 28, false), load32(head + 16, false), PC2_HEADER, 0, size, error);
}

static pleat_result open_mdd(pleat_cache *cache, uint64_t size, pleat_error *error)
{
    unsigned char head[MDD_HEADER];
    if (size < MDD_HEADER)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%.300s: it has %llu bytes; the head of an MDD file has %d", cache->path,
                       (unsigned long long)size, MDD_HEADER);
    }
    PL_TRY(pl_file_read_at(cache->file, cache->path, 0, head, sizeof head, error));
    PL_TRY(check_counts(cache, load32(head, true), load32(head + 4, true), MDD_HEADER, 4, size, error));
    uint32_t count = cache->info.frame_count;
    cache->times = PL_NEW(&cache->memory, float, count);
    if (!cache->times)
    {
        return pl_fail_memory(&cache->memory, error, cache->path);
    }
    PL_TRY(pl_file_read_at(cache->file, cache->path, MDD_HEADER, cache->times, 4 * (size_t)count, error));
    to_native(cache->times, count, true);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!isfinite(cache->times[i]) || (i > 0 && !(cache->times[i] > cache->times[i - 1])))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.250s: frame %u is at %g s; times must be finite and increase",
                           cache->path, i, (double)cache->times[i]);
        }
    }
    cache->info.times = cache->times;
    return PLEAT_OK;
}

pleat_result pleat_cache_open(const char *path, const pleat_host *host, pleat_cache **result_cache, pleat_error *error)
{
    *result_cache = NULL;
    pleat_format format = pleat_format_of(path);
    if (format != PLEAT_FORMAT_PC2 && format != PLEAT_FORMAT_MDD)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "%.300s: a point cache ends in .pc2 or .mdd", path);
    }
    pleat_cache *cache = PL_CREATE(pleat_cache, host);
    if (!cache)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for %.300s", path);
    }
    pleat_result result = PLEAT_OK;
    uint64_t size;
    cache->file = -1;
    cache->info.format = format;
    PL_NEW_OR_FAIL(cache->path, &cache->memory, char, strlen(path) + 1, error);
    strcpy(cache->path, path);
    result = pl_file_open(path, host, &cache->file, &size, error);
    if (result == PLEAT_OK)
    {
        result = format == PLEAT_FORMAT_PC2 ? open_pc2(cache, size, error) : open_mdd(cache, size, error);
    }
    if (result == PLEAT_OK)
    {
        *result_cache = cache;
        return PLEAT_OK;
    }
fail:
    pleat_cache_close(cache);
    return result;
}

void pleat_cache_close(pleat_cache *cache)
{
    if (!cache)
    {
        return;
    }
    if (cache->file >= 0)
    {
        close(cache->file);
    }
    pl_free(&cache->memory, cache->times);
    pl_free(&cache->memory, cache->path);
    PL_DESTROY(cache);
}

pleat_cache_info pleat_cache_get_info(const pleat_cache *cache)
{
    return cache->info;
}

pleat_result pleat_cache_read(pleat_cache *cache, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    uint32_t count = cache->info.vertex_count;
    if (frame >= cache->info.frame_count)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: frame %u; it has %u", cache->path, frame,
                       cache->info.frame_count);
    }
    uint64_t offset = cache->data_offset + (uint64_t)frame * 12 * count;
    PL_TRY(pl_file_read_at(cache->file, cache->path, offset, out, 12 * (size_t)count, error));
    to_native(out, 3 * (size_t)count, cache->info.format == PLEAT_FORMAT_MDD);
    for (uint32_t v = 0; v < count; ++v)
    {
        if (!(fabsf(out[v].x) <= PLEAT_FARTHEST && fabsf(out[v].y) <= PLEAT_FARTHEST &&
              fabsf(out[v].z) <= PLEAT_FARTHEST))
        {
            return pl_fail(error, PLEAT_BAD_DATA,
                           "%.250s: frame %u, point %u is (%g, %g, %g); it must be finite, up to %g", cache->path,
                           frame, v, (double)out[v].x, (double)out[v].y, (double)out[v].z, (double)PLEAT_FARTHEST);
        }
    }
    return PLEAT_OK;
}
