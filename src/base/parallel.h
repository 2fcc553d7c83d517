/* Parallel loops over the host's tasks. */
#ifndef PL_PARALLEL_H
#define PL_PARALLEL_H

#include "pleat/base.h"

/* Runs task over 0..item_count in ranges that begin at multiples of grain (at least 1), and waits. tasks NULL, or
 * without callbacks: on the calling thread, as worker 0, in one range. A task must give the same result however
 * the items are cut: write per item, and sum per block of fixed size in a fixed order. */
void pl_parallel_for(const pleat_tasks *tasks, uint32_t item_count, uint32_t grain, pleat_task *task, void *data);

/* Workers that a parallel loop may use, at least 1. */
uint32_t pl_worker_count(const pleat_tasks *tasks);

#endif
