/* pleat/base.h: what every other header stands on.
 *
 * Results and messages, the host (memory, threads, log) and the plain number types. Each header compiles alone,
 * as C17 and as C++. Functions that can fail return a pleat_result; an optional pleat_error receives one sentence
 * that names the field or place, the value, and what was expected. */
#ifndef PLEAT_BASE_H
#define PLEAT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every public header's declarations stand between these: they are C, and what a shared library shows. */
#ifdef __GNUC__
#define PLEAT_SHOW _Pragma("GCC visibility push(default)")
#define PLEAT_HIDE _Pragma("GCC visibility pop")
#else
#define PLEAT_SHOW
#define PLEAT_HIDE
#endif
#ifdef __cplusplus
#define PLEAT_BEGIN                                                                                                    \
    extern "C"                                                                                                         \
    {                                                                                                                  \
        PLEAT_SHOW
#define PLEAT_END                                                                                                      \
    PLEAT_HIDE                                                                                                         \
    }
#else
#define PLEAT_BEGIN PLEAT_SHOW
#define PLEAT_END PLEAT_HIDE
#endif

PLEAT_BEGIN

#define PLEAT_VERSION_MAJOR 0
#define PLEAT_VERSION_MINOR 1
#define PLEAT_VERSION_PATCH 0
#define PLEAT_VERSION "0.1.0"

/* ---- Results -------------------------------------------------------------------------------------------- */

/* The one list of results: name, and the plain words for it. */
#define PLEAT_RESULTS(X)                                                                                               \
    X(OK, "done")                                                                                                      \
    X(BAD_ARGUMENT, "an argument is out of its range")                                                                 \
    X(BAD_DATA, "the data breaks its format")                                                                          \
    X(UNSUPPORTED, "the data is valid but of a kind that pleat does not read")                                         \
    X(NO_MEMORY, "an allocation failed")                                                                               \
    X(OVER_LIMIT, "the memory limit would be passed")                                                                  \
    X(FILE_ERROR, "a file could not be read or written")                                                               \
    X(CANCELLED, "the caller asked to stop")                                                                           \
    X(BAD_REQUEST, "what was asked for does not go together")

typedef enum pleat_result
{
#define PLEAT_RESULT_ENUM(name, text) PLEAT_##name,
    PLEAT_RESULTS(PLEAT_RESULT_ENUM)
#undef PLEAT_RESULT_ENUM
        PLEAT_RESULT_COUNT
} pleat_result;

/* Receives the reason of a failure. Zero-initialise it; untouched on success. */
typedef struct pleat_error
{
    pleat_result result;
    char message[480]; /* one sentence, no newline, UTF-8 */
} pleat_error;

/* "BAD_DATA" and the like; never NULL. */
const char *pleat_result_name(pleat_result result);
/* The plain words for a result; never NULL. */
const char *pleat_result_text(pleat_result result);

/* ---- Host: memory, threads, log ------------------------------------------------------------------------- */

/* Memory comes from here. allocate returns NULL when it cannot; the memory needs the alignment of max_align_t.
 * release gets the size that was asked for. Both may be called from several threads at once only if the host
 * shares one allocator between objects used on several threads. */
typedef struct pleat_allocator
{
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *pointer, size_t size);
    void *user;
} pleat_allocator;

/* A piece of a parallel loop: items begin..end-1, on worker 0..worker_count-1. */
typedef void pleat_task(void *data, uint32_t begin, uint32_t end, uint32_t worker);

/* A host's task system, as two callbacks. start splits 0..item_count into ranges whose begin is a multiple of
 * grain and runs them in any order on any worker; it may run all of them before it returns. finish waits for
 * the handle that start gave (NULL is a legal handle). Results never depend on the number of workers. */
typedef struct pleat_tasks
{
    void *(*start)(void *user, pleat_task *task, void *data, uint32_t item_count, uint32_t grain);
    void (*finish)(void *user, void *handle);
    void *user;
    uint32_t worker_count; /* at least 1 */
} pleat_tasks;

typedef enum pleat_severity
{
    PLEAT_INFO,
    PLEAT_WARNING
} pleat_severity;

/* Warnings and notes; message is one line, valid during the call. */
typedef void pleat_log(void *user, pleat_severity severity, const char *message);

/* Long work tells how far it is: what is being done, how much of how much (total 0: nobody knows). False stops it: the
 * call then fails with PLEAT_CANCELLED. Comes on the thread that made the call; after one false, all answers should be.
 */
typedef bool pleat_go_on(void *user, const char *work, uint64_t done, uint64_t total);

/* What an object takes from its surroundings. Objects copy it at creation. */
typedef struct pleat_host
{
    pleat_allocator allocator;
    size_t memory_limit; /* bytes an object may hold; default: no limit */
    pleat_tasks tasks;   /* default: everything on the calling thread */
    pleat_log *log;      /* default: NULL, silence */
    void *log_user;
    struct pleat_files *files; /* default: NULL; else what is read and written is noted there, see pleat/io/file.h */
    pleat_go_on *go_on;        /* default: NULL, nobody asks */
    void *go_on_user;
} pleat_host;

pleat_host pleat_host_default(void);

/* A small thread pool for hosts that have none. thread_count includes the calling thread; 0 means one per core.
 * One loop runs at a time: the pool's start is to be called from one thread. */
typedef struct pleat_pool pleat_pool;
pleat_result pleat_pool_create(uint32_t thread_count, pleat_pool **pool, pleat_error *error);
void pleat_pool_destroy(pleat_pool *pool); /* NULL is fine */
pleat_tasks pleat_pool_tasks(pleat_pool *pool);

/* ---- Numbers -------------------------------------------------------------------------------------------- */

#define PLEAT_ALIGNED(n) __attribute__((aligned(n)))
#define PLEAT_NONE UINT32_MAX /* "no such index" in arrays of indices */

/* Three floats as files hold them. */
typedef struct pleat_vec3
{
    float x, y, z;
} pleat_vec3;

/* A position or direction as kernels hold it: one aligned 16-byte load. w is 0 unless said otherwise. */
typedef struct PLEAT_ALIGNED(16) pleat_vec4
{
    float x, y, z, w;
} pleat_vec4;

/* Unit quaternion, glTF order. */
typedef struct PLEAT_ALIGNED(16) pleat_quat
{
    float x, y, z, w;
} pleat_quat;

/* Three rows of [R | t]: p' = R p + t. Kept as rows, 48 bytes. */
typedef struct PLEAT_ALIGNED(16) pleat_affine
{
    float row[3][4];
} pleat_affine;

/* Translation, rotation, scale, applied to a point as T R S p. */
typedef struct pleat_trs
{
    pleat_vec4 translation;
    pleat_quat rotation;
    pleat_vec4 scale;
} pleat_trs;

PLEAT_END

#endif
