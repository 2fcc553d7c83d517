/* Stretches of a bake. */
#include "pleat/export/stretches.h"

#include "base/memory.h"
#include "base/vec.h"

/* Less than this is rounding: it has no direction. */
#define NOTHING 1e-4f

typedef struct stack_stretches
{
    const pleat_stack *stack;
    const pleat_stack_shape *shape;
    pleat_strain *strain;
    pleat_stretch *triangles; /* of the last frame */
    pleat_stretch *now;       /* of the last frame, at vertices */
    pleat_stretch *most;
} stack_stretches;

struct pleat_stretches
{
    pl_memory memory;
    pl_arena arena;
    uint32_t stack_count;
    stack_stretches *stacks;
    bool any; /* frames since the last clear */
};

static pleat_result create_stack(pleat_stretches *stretches, uint32_t index, const pleat_bake *bake,
                                 const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    stack_stretches *s = &stretches->stacks[index];
    s->stack = pleat_bake_stack(bake, index);
    s->shape = pleat_stack_get_shape(s->stack);
    PL_ARENA_NEW_OR_FAIL(s->triangles, &stretches->arena, pleat_stretch, s->shape->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(s->now, &stretches->arena, pleat_stretch, s->shape->surface_count, error);
    PL_ARENA_NEW_OR_FAIL(s->most, &stretches->arena, pleat_stretch, s->shape->surface_count, error);
    result = pleat_strain_create(s->shape->surface_count, s->shape->rest, s->shape->triangle_count,
                                 s->shape->surface_triangles, host, &s->strain, error);
fail:
    return result;
}

pleat_result pleat_stretches_create(const pleat_bake *bake, const pleat_host *host, pleat_stretches **out,
                                    pleat_error *error)
{
    *out = NULL;
    pleat_stretches *stretches = PL_CREATE(pleat_stretches, host);
    if (!stretches)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the stretches");
    }
    pleat_result result = PLEAT_OK;
    uint32_t count = pleat_bake_stack_count(bake);
    pl_arena_init(&stretches->arena, &stretches->memory);
    PL_ARENA_NEW_OR_FAIL(stretches->stacks, &stretches->arena, stack_stretches, count, error);
    stretches->stack_count = count;
    for (uint32_t i = 0; i < count && result == PLEAT_OK; ++i)
    {
        result = create_stack(stretches, i, bake, host, error);
    }
fail:
    if (result != PLEAT_OK)
    {
        pleat_stretches_destroy(stretches);
        return result;
    }
    pleat_stretches_clear(stretches);
    *out = stretches;
    return PLEAT_OK;
}

void pleat_stretches_destroy(pleat_stretches *stretches)
{
    if (stretches)
    {
        for (uint32_t i = 0; i < stretches->stack_count; ++i)
        {
            pleat_strain_destroy(stretches->stacks[i].strain);
        }
        pl_arena_free(&stretches->arena);
        PL_DESTROY(stretches);
    }
}

void pleat_stretches_clear(pleat_stretches *stretches)
{
    stretches->any = false;
    for (uint32_t i = 0; i < stretches->stack_count; ++i)
    {
        for (uint32_t v = 0; v < stretches->stacks[i].shape->surface_count; ++v)
        {
            stretches->stacks[i].most[v] = (pleat_stretch){.smallest = 1, .largest = 1};
        }
    }
}

static void keep_most(pleat_stretch *most, const pleat_stretch *now, bool first)
{
    static const pleat_vec3 none = {0, 0, 0};
    if (first || now->smallest < most->smallest)
    {
        most->smallest = now->smallest;
        most->across = fabsf(now->smallest - 1) > NOTHING ? now->across : none;
    }
    if (first || now->largest > most->largest)
    {
        most->largest = now->largest;
        most->along = fabsf(now->largest - 1) > NOTHING ? now->along : none;
    }
}

void pleat_stretches_add(pleat_stretches *stretches, const pleat_tasks *tasks)
{
    for (uint32_t i = 0; i < stretches->stack_count; ++i)
    {
        stack_stretches *s = &stretches->stacks[i];
        pleat_strain_update_rest(s->strain, pleat_stack_positions(s->stack), s->shape->bind, s->triangles, tasks);
        pleat_strain_vertices(s->strain, s->shape->bind, s->triangles, s->now);
        for (uint32_t v = 0; v < s->shape->surface_count; ++v)
        {
            keep_most(&s->most[v], &s->now[v], !stretches->any);
        }
    }
    stretches->any = true;
}

const pleat_stretch *pleat_stretches_of(const pleat_stretches *stretches, uint32_t stack)
{
    return stretches->stacks[stack].most;
}

void pleat_stretch_to_tensor(const pleat_stretch *stretch, float out[6])
{
    const pleat_vec3 *a = &stretch->across, *b = &stretch->along;
    float s = stretch->smallest - 1, l = stretch->largest - 1;
    out[0] = s * a->x * a->x + l * b->x * b->x;
    out[1] = s * a->y * a->y + l * b->y * b->y;
    out[2] = s * a->z * a->z + l * b->z * b->z;
    out[3] = s * a->x * a->y + l * b->x * b->y;
    out[4] = s * a->y * a->z + l * b->y * b->z;
    out[5] = s * a->z * a->x + l * b->z * b->x;
}
