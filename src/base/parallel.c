#include "base/parallel.h"

void pl_parallel_for(const pleat_tasks *tasks, uint32_t item_count, uint32_t grain, pleat_task *task, void *data)
{
    if (item_count == 0)
    {
        return;
    }
    if (!tasks || !tasks->start || tasks->worker_count < 2 || item_count <= grain)
    {
        task(data, 0, item_count, 0);
        return;
    }
    void *handle = tasks->start(tasks->user, task, data, item_count, grain ? grain : 1);
    if (tasks->finish)
    {
        tasks->finish(tasks->user, handle);
    }
}

uint32_t pl_worker_count(const pleat_tasks *tasks)
{
    return tasks && tasks->start && tasks->worker_count > 1 ? tasks->worker_count : 1;
}
