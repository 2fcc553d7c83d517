/* What the tests share. */
#ifndef PLEAT_TEST_SUPPORT_H
#define PLEAT_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "pleat/base.h"

/* The path of a file under the shared test data, or NULL where there is none: then say so and skip(). The data lies
 * in ../shared/data beside the checkout, or where PLEAT_DATA points. Static buffer, overwritten by the next call. */
const char *support_data(const char *name);

/* Skips the calling cmocka test, saying which data is missing. */
#define SUPPORT_NEED(path, name)                                                                                       \
    const char *path = support_data(name);                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!path)                                                                                                     \
        {                                                                                                              \
            print_message("skipped: no %s in the shared data\n", name);                                                \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* The end of a program's main: runs the cases of an array tests[], which make test runs after every edit, or with the
 * argument `long` those of an array long_tests[], which only make test-long runs: whole clips, many characters. A case
 * may be in both, and asks support_is_long() how much to do. */
#define SUPPORT_RUN(argc, argv, tests, long_tests)                                                                     \
    (support_set_long(argc, argv) ? cmocka_run_group_tests_name("long", long_tests, NULL, NULL)                        \
                                  : cmocka_run_group_tests_name("quick", tests, NULL, NULL))
bool support_set_long(int argc, char **argv);
bool support_is_long(void);

/* A folder for files of this test program, under the build folder; made on first use. */
const char *support_folder(void);

/* An allocator that fails its n-th allocation (counting from 0) and counts what is not released. */
typedef struct support_allocator
{
    uint64_t fail_at; /* UINT64_MAX: never */
    uint64_t count;   /* allocations so far */
    int64_t live;     /* blocks not released */
    size_t live_bytes;
    size_t peak_bytes;
} support_allocator;

pleat_host support_host(support_allocator *allocator);

/* Runs body with allocation 0, 1, 2, ... failing until it succeeds: each failure must be NO_MEMORY, leak nothing and
 * leave no object. body creates and, on success, destroys the object, and returns the create's result. */
void support_sweep_allocations(pleat_result (*body)(void *user, const pleat_host *host, pleat_error *error),
                               void *user);
/* The same from a later allocation on, where those before it have a sweep of their own. */
void support_sweep_allocations_from(uint64_t first,
                                    pleat_result (*body)(void *user, const pleat_host *host, pleat_error *error),
                                    void *user);

/* 64-bit FNV-1a, for golden hashes. Start from SUPPORT_HASH. */
#define SUPPORT_HASH 0xcbf29ce484222325u
uint64_t support_hash(uint64_t hash, const void *bytes, size_t size);

/* Deterministic numbers: xorshift; state must not be 0. */
uint32_t support_random(uint32_t *state);
float support_random_float(uint32_t *state, float low, float high);

#endif
