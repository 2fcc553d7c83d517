#include "budget.h"

#include <jansson.h>

#include <stdatomic.h>
#include <stdlib.h>

static size_t limit = SIZE_MAX;
static atomic_size_t used;
static atomic_size_t peak;
static atomic_bool passed;

/* Reserves size bytes of the budget, or refuses. */
static bool reserve(size_t size)
{
    size_t before = atomic_load(&used);
    do
    {
        if (before > limit || size > limit - before)
        {
            atomic_store(&passed, true);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&used, &before, before + size));
    size_t high = atomic_load(&peak);
    while (before + size > high && !atomic_compare_exchange_weak(&peak, &high, before + size))
    {
    }
    return true;
}

static void *budget_allocate(void *user, size_t size)
{
    (void)user;
    if (!reserve(size))
    {
        return NULL;
    }
    void *pointer = malloc(size);
    if (!pointer)
    {
        atomic_fetch_sub(&used, size);
    }
    return pointer;
}

static void budget_release(void *user, void *pointer, size_t size)
{
    (void)user;
    free(pointer);
    atomic_fetch_sub(&used, size);
}

/* jansson does not say how large the block is that it frees: the size stands in front of it. */
typedef union json_head
{
    size_t size;
    max_align_t align;
} json_head;

static void *json_allocate(size_t size)
{
    if (size > SIZE_MAX - sizeof(json_head))
    {
        return NULL;
    }
    json_head *head = budget_allocate(NULL, size + sizeof(json_head));
    if (!head)
    {
        return NULL;
    }
    head->size = size + sizeof(json_head);
    return head + 1;
}

static void json_release(void *pointer)
{
    if (pointer)
    {
        json_head *head = (json_head *)pointer - 1;
        budget_release(NULL, head, head->size);
    }
}

void budget_open(size_t bytes)
{
    limit = bytes;
    json_set_alloc_funcs(json_allocate, json_release);
}

pleat_allocator budget_allocator(void)
{
    return (pleat_allocator){budget_allocate, budget_release, NULL};
}

size_t budget_limit(void)
{
    return limit;
}

size_t budget_peak(void)
{
    return atomic_load(&peak);
}

bool budget_was_passed(void)
{
    return atomic_load(&passed);
}
