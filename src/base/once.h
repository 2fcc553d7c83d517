/* Something that is made at first use and never changes after: safe from any thread. */
#ifndef PL_ONCE_H
#define PL_ONCE_H

#include "base/vec.h"

#include <stdatomic.h>

typedef atomic_int pl_once; /* 0: not made, 1: being made, 2: made */

/* Who comes while another thread makes it waits by looking again: for what takes milliseconds. */
PL_INLINE void pl_run_once(pl_once *once, void (*make)(void))
{
    int found = 0;
    if (atomic_compare_exchange_strong(once, &found, 1))
    {
        make();
        atomic_store_explicit(once, 2, memory_order_release);
    }
    while (atomic_load_explicit(once, memory_order_acquire) != 2)
    {
    }
}

#endif
