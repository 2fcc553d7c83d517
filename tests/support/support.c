#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *support_data(const char *name)
{
    static char path[1024];
    const char *root = getenv("PLEAT_DATA");
    snprintf(path, sizeof path, "%s/%s", root ? root : PLEAT_SOURCE_DIR "/../shared/data", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *support_folder(void)
{
    static char path[1024];
    if (!path[0])
    {
        char program[256] = "test";
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = 0;
        const char *slash = strrchr(program, '/');
        snprintf(path, sizeof path, "%s/test-output", PLEAT_BINARY_DIR);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/test-output/%s", PLEAT_BINARY_DIR, slash ? slash + 1 : "test");
        mkdir(path, 0777);
    }
    return path;
}

static bool is_long;

bool support_set_long(int argc, char **argv)
{
    is_long = argc > 1 && strcmp(argv[1], "long") == 0;
    return is_long;
}

bool support_is_long(void)
{
    return is_long;
}

static void *failing_allocate(void *user, size_t size)
{
    support_allocator *allocator = user;
    if (allocator->count++ == allocator->fail_at)
    {
        return NULL;
    }
    void *pointer = malloc(size);
    if (pointer)
    {
        ++allocator->live;
        allocator->live_bytes += size;
        allocator->peak_bytes =
            allocator->live_bytes > allocator->peak_bytes ? allocator->live_bytes : allocator->peak_bytes;
    }
    return pointer;
}

static void failing_release(void *user, void *pointer, size_t size)
{
    support_allocator *allocator = user;
    --allocator->live;
    allocator->live_bytes -= size;
    free(pointer);
}

pleat_host support_host(support_allocator *allocator)
{
    pleat_host host = pleat_host_default();
    host.allocator = (pleat_allocator){failing_allocate, failing_release, allocator};
    return host;
}

void support_sweep_allocations(pleat_result (*body)(void *user, const pleat_host *host, pleat_error *error), void *user)
{
    support_sweep_allocations_from(0, body, user);
}

void support_sweep_allocations_from(uint64_t first,
                                    pleat_result (*body)(void *user, const pleat_host *host, pleat_error *error),
                                    void *user)
{
    for (uint64_t fail_at = first;; ++fail_at)
    {
        support_allocator allocator = {.fail_at = fail_at};
        pleat_host host = support_host(&allocator);
        pleat_error error = {0};
        pleat_result result = body(user, &host, &error);
        assert_int_equal(allocator.live, 0);
        if (result == PLEAT_OK)
        {
            assert_true(allocator.count <= fail_at); /* a success that swallowed a failure is a bug */
            assert_true(fail_at > first);            /* the sweep must have failed at least once */
            return;
        }
        assert_int_equal(result, PLEAT_NO_MEMORY);
        assert_int_equal(error.result, PLEAT_NO_MEMORY);
        assert_true(error.message[0] != 0);
        assert_true(fail_at < 1000000);
    }
}

uint64_t support_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    }
    return hash;
}

uint32_t support_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

float support_random_float(uint32_t *state, float low, float high)
{
    return low + (high - low) * (float)(support_random(state) >> 8) * (1.0f / 16777216.0f);
}
