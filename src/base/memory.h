/* Memory of one object: the host's allocator, counted, with a limit; and arenas on top of it. */
#ifndef PL_MEMORY_H
#define PL_MEMORY_H

#include "base/fail.h"

/* Embedded in every object that owns memory. Not for use by two threads at once. */
typedef struct pl_memory
{
    pleat_allocator allocator;
    size_t limit;
    size_t used; /* bytes asked for and not yet released */
    size_t peak;
    bool over_limit; /* the last NULL came from the limit, not from the allocator */
} pl_memory;

/* The memory of a new object; host may be NULL for the default one. */
pl_memory pl_memory_from(const pleat_host *host);

/* count items of size bytes, 32-byte aligned, zeroed; NULL when it overflows, passes the limit or the allocator
 * fails. A count of 0 gives a valid pointer. */
void *pl_alloc(pl_memory *memory, size_t count, size_t size);
/* Grows or shrinks; on failure the old block stays valid and NULL is returned. New bytes are zero. */
void *pl_realloc(pl_memory *memory, void *pointer, size_t count, size_t size);
void pl_free(pl_memory *memory, const void *pointer);

/* The error for a failed pl_alloc: NO_MEMORY or OVER_LIMIT, naming what was to be held. */
pleat_result pl_fail_memory(const pl_memory *memory, pleat_error *error, const char *what);

#define PL_NEW(memory, type, count) ((type *)pl_alloc((memory), (count), sizeof(type)))

/* Allocates an array into a variable, or returns the error from the calling function's cleanup label "fail", which
 * expects a variable `result`. */
#define PL_NEW_OR_FAIL(variable, memory, type, count, error)                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        (variable) = PL_NEW((memory), type, (count));                                                                  \
        if (!(variable))                                                                                               \
        {                                                                                                              \
            result = pl_fail_memory((memory), (error), #variable);                                                     \
            goto fail;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* An object of a type that has a member `pl_memory memory`: the object itself is counted in it. */
#define PL_CREATE(type, host) ((type *)pl_create((host), sizeof(type), offsetof(type, memory)))
#define PL_DESTROY(object)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        pl_memory pl_destroy_memory = (object)->memory;                                                                \
        pl_free(&pl_destroy_memory, (object));                                                                         \
    } while (0)
void *pl_create(const pleat_host *host, size_t size, size_t memory_offset);

/* An arena: many small things, freed at once. Blocks grow; addresses stay. */
typedef struct pl_arena_block pl_arena_block;
typedef struct pl_arena
{
    pl_memory *memory;
    pl_arena_block *first;
} pl_arena;

void pl_arena_init(pl_arena *arena, pl_memory *memory);
/* Zeroed, 32-byte aligned; NULL like pl_alloc. */
void *pl_arena_alloc(pl_arena *arena, size_t count, size_t size);
/* A copy of length bytes with a 0 behind it; NULL when out of memory. */
char *pl_arena_string(pl_arena *arena, const char *text, size_t length);
void pl_arena_free(pl_arena *arena);
#define PL_ARENA_NEW(arena, type, count) ((type *)pl_arena_alloc((arena), (count), sizeof(type)))

/* As PL_NEW_OR_FAIL, from an arena: nothing to free at the label. */
#define PL_ARENA_NEW_OR_FAIL(variable, arena, type, count, error)                                                      \
    do                                                                                                                 \
    {                                                                                                                  \
        (variable) = PL_ARENA_NEW((arena), type, (count));                                                             \
        if (!(variable))                                                                                               \
        {                                                                                                              \
            result = pl_fail_memory((arena)->memory, (error), #variable);                                              \
            goto fail;                                                                                                 \
        }                                                                                                              \
    } while (0)

#endif
