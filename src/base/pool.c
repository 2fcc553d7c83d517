/* The small thread pool. One loop at a time: workers take blocks of `grain` items from a shared counter; the calling
 * thread works too and then waits for the last one. */
#include "base/fail.h"
#include "pleat/base.h"

#include <stdlib.h>

#if defined(__wasm__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define PL_NO_THREADS 1
#endif

#ifndef PL_NO_THREADS
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum
{
    MAX_THREADS = 256,
    /* Looks before sleeping: some 20 microseconds, about what it takes to wake a thread. Loops that follow each other
     * closely then find their workers awake, and the caller seldom sleeps for the last piece. */
    LOOKS = 500
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

typedef struct pool_worker
{
    pleat_pool *pool;
    pthread_t thread;
    uint32_t index;
} pool_worker;

struct pleat_pool
{
    pool_worker workers[MAX_THREADS]; /* [0] is the calling thread and has no pthread */
    uint32_t thread_count;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_cond_t done;
    _Atomic uint64_t round;   /* written under the mutex */
    _Atomic uint32_t running; /* workers inside the round; set under the mutex */
    bool stop;                /* guarded by mutex */
    pleat_task *task;
    void *data;
    uint32_t item_count;
    uint32_t grain;
    _Atomic uint32_t next; /* next block */
};

static void work(pleat_pool *pool, uint32_t worker)
{
    uint32_t block_count = (uint32_t)(((uint64_t)pool->item_count + pool->grain - 1) / pool->grain);
    for (;;)
    {
        uint32_t block = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (block >= block_count)
        {
            return;
        }
        uint64_t begin = (uint64_t)block * pool->grain;
        uint64_t end = begin + pool->grain;
        pool->task(pool->data, (uint32_t)begin, end < pool->item_count ? (uint32_t)end : pool->item_count, worker);
    }
}

static void *worker_main(void *argument)
{
    pool_worker *self = argument;
    pleat_pool *pool = self->pool;
    uint64_t seen = 0;
    for (;;)
    {
        for (int i = 0; i < LOOKS && atomic_load_explicit(&pool->round, memory_order_relaxed) == seen; ++i)
        {
            pause_briefly();
        }
        pthread_mutex_lock(&pool->mutex);
        while (!pool->stop && pool->round == seen)
        {
            pthread_cond_wait(&pool->wake, &pool->mutex);
        }
        bool stop = pool->stop;
        seen = pool->round;
        pthread_mutex_unlock(&pool->mutex);
        if (stop)
        {
            return NULL;
        }
        work(pool, self->index);
        if (atomic_fetch_sub(&pool->running, 1) == 1)
        {
            pthread_mutex_lock(
                &pool->mutex); /* so that the signal cannot fall between the caller's look and its sleep */
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void *pool_start(void *user, pleat_task *task, void *data, uint32_t item_count, uint32_t grain)
{
    pleat_pool *pool = user;
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->data = data;
    pool->item_count = item_count;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->running = pool->thread_count - 1;
    ++pool->round;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    work(pool, 0);
    return pool;
}

static void pool_finish(void *user, void *handle)
{
    pleat_pool *pool = user;
    (void)handle;
    for (int i = 0; i < LOOKS && atomic_load(&pool->running) > 0; ++i)
    {
        pause_briefly();
    }
    if (atomic_load(&pool->running) == 0)
    {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    while (pool->running > 0)
    {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

pleat_result pleat_pool_create(uint32_t thread_count, pleat_pool **out, pleat_error *error)
{
    *out = NULL;
    if (thread_count == 0)
    {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        thread_count = cores < 1 ? 1 : (uint32_t)cores;
    }
    if (thread_count > MAX_THREADS)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "thread_count is %u; at most %d threads are possible", thread_count,
                       MAX_THREADS);
    }
    pleat_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the thread pool");
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->thread_count = 1;
    for (uint32_t i = 1; i < thread_count; ++i)
    {
        pool->workers[i].pool = pool;
        pool->workers[i].index = i;
        int failed = pthread_create(&pool->workers[i].thread, NULL, worker_main, &pool->workers[i]);
        if (failed)
        {
            pleat_pool_destroy(pool);
            return pl_fail(error, PLEAT_NO_MEMORY, "thread %u of %u could not be started", i + 1, thread_count);
        }
        pool->thread_count = i + 1;
    }
    *out = pool;
    return PLEAT_OK;
}

void pleat_pool_destroy(pleat_pool *pool)
{
    if (!pool)
    {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 1; i < pool->thread_count; ++i)
    {
        pthread_join(pool->workers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

pleat_tasks pleat_pool_tasks(pleat_pool *pool)
{
    return (pleat_tasks){pool_start, pool_finish, pool, pool->thread_count};
}

#else /* one thread, as in a plain WebAssembly module */

struct pleat_pool
{
    uint32_t unused;
};

pleat_result pleat_pool_create(uint32_t thread_count, pleat_pool **out, pleat_error *error)
{
    (void)thread_count;
    *out = calloc(1, sizeof **out);
    return *out ? PLEAT_OK : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the thread pool");
}

void pleat_pool_destroy(pleat_pool *pool)
{
    free(pool);
}

pleat_tasks pleat_pool_tasks(pleat_pool *pool)
{
    return (pleat_tasks){NULL, NULL, pool, 1};
}

#endif
