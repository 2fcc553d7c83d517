#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block: what the allocator gave and how much, so that release can say the size. */
typedef struct block_head
{
    void *raw;
    size_t raw_size;
    size_t size;
} block_head;

enum
{
    BLOCK_ALIGN = 32
};

static void *malloc_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void malloc_release(void *user, void *pointer, size_t size)
{
    (void)user;
    (void)size;
    free(pointer);
}

pleat_host pleat_host_default(void)
{
    pleat_host host = {0};
    host.allocator = (pleat_allocator){malloc_allocate, malloc_release, NULL};
    host.memory_limit = SIZE_MAX;
    host.tasks.worker_count = 1;
    return host;
}

pl_memory pl_memory_from(const pleat_host *host)
{
    pleat_host standard = pleat_host_default();
    const pleat_host *source = host ? host : &standard;
    pl_memory memory = {0};
    memory.allocator = source->allocator.allocate ? source->allocator : standard.allocator;
    memory.limit = source->memory_limit;
    return memory;
}

static block_head *head_of(const void *pointer)
{
    return (block_head *)(void *)((char *)(uintptr_t)pointer - sizeof(block_head));
}

void *pl_alloc(pl_memory *memory, size_t count, size_t size)
{
    size_t bytes;
    size_t raw_size;
    memory->over_limit = false;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(block_head) + BLOCK_ALIGN, &raw_size) || memory->used > memory->limit ||
        bytes > memory->limit - memory->used)
    {
        memory->over_limit = true;
        return NULL;
    }
    char *raw = memory->allocator.allocate(memory->allocator.user, raw_size);
    if (!raw)
    {
        return NULL;
    }
    uintptr_t start = ((uintptr_t)raw + sizeof(block_head) + BLOCK_ALIGN - 1) & ~(uintptr_t)(BLOCK_ALIGN - 1);
    void *pointer = raw + (start - (uintptr_t)raw);
    *head_of(pointer) = (block_head){raw, raw_size, bytes};
    memset(pointer, 0, bytes);
    memory->used += bytes;
    if (memory->used > memory->peak)
    {
        memory->peak = memory->used;
    }
    return pointer;
}

void *pl_realloc(pl_memory *memory, void *pointer, size_t count, size_t size)
{
    void *grown = pl_alloc(memory, count, size);
    if (grown && pointer)
    {
        size_t bytes = count * size;
        size_t old = head_of(pointer)->size;
        memcpy(grown, pointer, old < bytes ? old : bytes);
        pl_free(memory, pointer);
    }
    return grown;
}

void pl_free(pl_memory *memory, const void *pointer)
{
    if (!pointer)
    {
        return;
    }
    block_head head = *head_of(pointer);
    memory->used -= head.size;
    memory->allocator.release(memory->allocator.user, head.raw, head.raw_size);
}

pleat_result pl_fail_memory(const pl_memory *memory, pleat_error *error, const char *what)
{
    if (memory->over_limit)
    {
        return pl_fail(error, PLEAT_OVER_LIMIT, "no room for %s: the memory limit of %zu bytes would be passed", what,
                       memory->limit);
    }
    return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for %s", what);
}

void *pl_create(const pleat_host *host, size_t size, size_t memory_offset)
{
    pl_memory memory = pl_memory_from(host);
    char *object = pl_alloc(&memory, 1, size);
    if (object)
    {
        memcpy(object + memory_offset, &memory, sizeof memory);
    }
    return object;
}

struct pl_arena_block
{
    pl_arena_block *next;
    size_t size;
    size_t used;
};

enum
{
    ARENA_HEAD = (sizeof(pl_arena_block) + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN,
    ARENA_FIRST = 4096
};

void pl_arena_init(pl_arena *arena, pl_memory *memory)
{
    arena->memory = memory;
    arena->first = NULL;
}

void *pl_arena_alloc(pl_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    size_t needed;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
    {
        arena->memory->over_limit = true;
        return NULL;
    }
    bytes = (bytes + BLOCK_ALIGN - 1) & ~(size_t)(BLOCK_ALIGN - 1);
    needed = ARENA_HEAD + bytes;
    pl_arena_block *block = arena->first;
    if (!block || block->size - block->used < bytes)
    {
        /* Doubles from small to 1 MiB; a large thing gets a block of its own behind the first, whose rest stays in use.
         */
        size_t next = block ? block->size * 2 : ARENA_FIRST;
        next = next > (1u << 20) ? (1u << 20) : next;
        bool own = needed > next / 2 && block;
        pl_arena_block *fresh = pl_alloc(arena->memory, 1, needed > next || own ? needed : next);
        if (!fresh)
        {
            return NULL;
        }
        fresh->size = needed > next || own ? needed : next;
        fresh->used = ARENA_HEAD;
        if (own)
        {
            fresh->next = block->next;
            block->next = fresh;
        }
        else
        {
            fresh->next = block;
            arena->first = fresh;
        }
        block = fresh;
    }
    void *pointer = (char *)block + block->used;
    block->used += bytes;
    return pointer;
}

char *pl_arena_string(pl_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? pl_arena_alloc(arena, length + 1, 1) : NULL;
    if (copy)
    {
        memcpy(copy, text, length);
    }
    return copy;
}

void pl_arena_free(pl_arena *arena)
{
    pl_arena_block *block = arena->first;
    while (block)
    {
        pl_arena_block *next = block->next;
        pl_free(arena->memory, block);
        block = next;
    }
    arena->first = NULL;
}
