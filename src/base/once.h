/* Something that is made at first use and never changes after: safe from any thread. */
#ifndef PL_ONCE_H
#define PL_ONCE_H

#include "base/vec.h"

#if defined(__wasm__) && !defined(__EMSCRIPTEN_PTHREADS__)

typedef bool pl_once;
#define PL_ONCE_INIT false

PL_INLINE void pl_run_once(pl_once *once, void (*make)(void))
{
    if (!*once)
    {
        make();
        *once = true;
    }
}

#else

#include <pthread.h>

typedef pthread_once_t pl_once;
#define PL_ONCE_INIT PTHREAD_ONCE_INIT

PL_INLINE void pl_run_once(pl_once *once, void (*make)(void))
{
    pthread_once(once, make);
}

#endif

#endif
