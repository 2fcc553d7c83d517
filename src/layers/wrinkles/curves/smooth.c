/* The window is a raised cosine: frames enter and leave it with weight 0, so that the result is continuous in time even
 * where wrinkles come, go, grow and shrink (curves/mean.c). */
#include "layers/wrinkles/curves/smooth.h"

#include "layers/wrinkles/curves/mean.h"

/* A frame of the window, in the smoother's bytes. */
typedef struct slot
{
    uint32_t *wrinkle_count;
    pleat_wrinkle *wrinkles;
    float *seed_parameter;
    pleat_wrinkle_point *points;
} slot;

typedef struct smooth_state
{
    uint32_t pushed, given;
} smooth_state;

struct pl_wrinkle_smoother
{
    pl_memory memory;
    pl_arena arena;
    const pl_flat *flat;
    pl_wrinkle_smooth_options options;
    uint32_t delay, slot_count;
    smooth_state state;
    size_t slot_size;
    unsigned char *bytes; /* slot_count by slot_size: what the state is besides */
    float *weights;       /* slot_count: by distance from the first frame of the window */
    uint32_t *cursors;    /* slot_count */
    pl_wrinkle_mean mean;
    pl_wrinkle_frame frame;
};

pl_wrinkle_smooth_options pl_wrinkle_smooth_options_default(void)
{
    return (pl_wrinkle_smooth_options){.seconds = 0.1f};
}

/* ---- Making ---- */

static pleat_result check(const pl_wrinkle_smooth_options *options, float frame_step, pleat_error *error)
{
    if (!(options->step > 0 && options->step < INFINITY && frame_step > 0 && frame_step < INFINITY))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "smoothing of wrinkles: step %g and frame step %g, expected above 0",
                       (double)options->step, (double)frame_step);
    }
    if (!(options->seconds >= 0 && options->seconds / frame_step < 10000))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "smoothing of wrinkles: %g seconds, expected 0 .. 10000 frames",
                       (double)options->seconds);
    }
    return PLEAT_OK;
}

static size_t round_up(size_t size)
{
    return (size + 31) & ~(size_t)31;
}

/* Where frame f is kept, in its place of the ring. */
static slot slot_of(const pl_wrinkle_smoother *smoother, uint32_t f)
{
    const pl_wrinkle_smooth_options *options = &smoother->options;
    unsigned char *at = smoother->bytes + f % smoother->slot_count * smoother->slot_size;
    slot out = {.wrinkle_count = (uint32_t *)(void *)at};
    at += round_up(sizeof(uint32_t));
    out.wrinkles = (pleat_wrinkle *)(void *)at;
    at += round_up(options->most_wrinkles * sizeof *out.wrinkles);
    out.seed_parameter = (float *)(void *)at;
    at += round_up(options->most_wrinkles * sizeof *out.seed_parameter);
    out.points = (pleat_wrinkle_point *)(void *)at;
    return out;
}

static size_t slot_size_of(const pl_wrinkle_smooth_options *options)
{
    return round_up(sizeof(uint32_t)) + round_up(options->most_wrinkles * sizeof(pleat_wrinkle)) +
           round_up(options->most_wrinkles * sizeof(float)) +
           round_up(options->most_points * sizeof(pleat_wrinkle_point));
}

static void set_weights(pl_wrinkle_smoother *smoother, float frame_step)
{
    for (uint32_t i = 0; i < smoother->slot_count; ++i)
    {
        float away = fabsf((float)i - (float)smoother->delay) * frame_step;
        float share = smoother->options.seconds > 0 ? away / smoother->options.seconds : 0;
        smoother->weights[i] = share < 1 ? 0.5f * (1 + cosf(3.14159265f * share)) : 0;
    }
}

pleat_result pl_wrinkle_smoother_create(const pl_wrinkle_smooth_options *options, const pl_flat *flat, float frame_step,
                                        const pleat_host *host, pl_wrinkle_smoother **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check(options, frame_step, error));
    pl_wrinkle_smoother *smoother = PL_CREATE(pl_wrinkle_smoother, host);
    if (!smoother)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the smoothing of wrinkles");
    }
    pleat_result result = PLEAT_OK;
    pl_arena_init(&smoother->arena, &smoother->memory);
    smoother->flat = flat;
    smoother->options = *options;
    smoother->delay = (uint32_t)ceilf(options->seconds / frame_step - 1e-4f);
    smoother->slot_count = 2 * smoother->delay + 1;
    smoother->slot_size = slot_size_of(options);
    pl_wrinkle_frame *frame = &smoother->frame;
    PL_ARENA_NEW_OR_FAIL(smoother->bytes, &smoother->arena, unsigned char, smoother->slot_count * smoother->slot_size,
                         error);
    PL_ARENA_NEW_OR_FAIL(frame->wrinkles, &smoother->arena, pleat_wrinkle, options->most_wrinkles, error);
    PL_ARENA_NEW_OR_FAIL(frame->seed_parameter, &smoother->arena, float, options->most_wrinkles, error);
    PL_ARENA_NEW_OR_FAIL(frame->points, &smoother->arena, pleat_wrinkle_point, options->most_points, error);
    PL_ARENA_NEW_OR_FAIL(smoother->weights, &smoother->arena, float, smoother->slot_count, error);
    PL_ARENA_NEW_OR_FAIL(smoother->cursors, &smoother->arena, uint32_t, smoother->slot_count, error);
    smoother->mean = (pl_wrinkle_mean){.flat = flat, .step = options->step};
    PL_ARENA_NEW_OR_FAIL(smoother->mean.strands, &smoother->arena, pl_wrinkle_strand, smoother->slot_count, error);
    PL_ARENA_NEW_OR_FAIL(smoother->mean.goals, &smoother->arena, pl_f4, options->most_points, error);
    set_weights(smoother, frame_step);
    *out = smoother;
    return PLEAT_OK;
fail:
    pl_wrinkle_smoother_destroy(smoother);
    return result;
}

void pl_wrinkle_smoother_destroy(pl_wrinkle_smoother *smoother)
{
    if (smoother)
    {
        pl_arena_free(&smoother->arena);
        PL_DESTROY(smoother);
    }
}

uint32_t pl_wrinkle_smoother_delay(const pl_wrinkle_smoother *smoother)
{
    return smoother->delay;
}

void pl_wrinkle_smoother_clear(pl_wrinkle_smoother *smoother)
{
    smoother->state = (smooth_state){0, 0};
}

/* ---- A frame ---- */

/* The wrinkle of this id in all frames where it is. */
static void gather(pl_wrinkle_smoother *smoother, uint32_t id, uint32_t begin, uint32_t end)
{
    uint32_t middle = smoother->state.given;
    pl_wrinkle_mean_begin(&smoother->mean);
    for (uint32_t f = begin; f < end; ++f)
    {
        const slot from = slot_of(smoother, f);
        uint32_t index = smoother->cursors[f - begin];
        if (index == *from.wrinkle_count || from.wrinkles[index].id != id)
        {
            continue;
        }
        ++smoother->cursors[f - begin];
        pl_wrinkle_mean_add(&smoother->mean, &from.wrinkles[index], from.points, from.seed_parameter[index],
                            smoother->weights[f + smoother->delay - middle], fabsf((float)f - (float)middle));
    }
}

static void add_wrinkle(pl_wrinkle_smoother *smoother, uint32_t id, float seed, float total)
{
    pl_wrinkle_frame *frame = &smoother->frame;
    const pl_wrinkle_smooth_options *options = &smoother->options;
    if (frame->wrinkle_count == options->most_wrinkles ||
        pl_wrinkle_mean_most(&smoother->mean) > options->most_points - frame->point_count)
    {
        return;
    }
    uint32_t seed_index,
        count = pl_wrinkle_mean_run(&smoother->mean, total, &seed, frame->points + frame->point_count, &seed_index);
    if (count > 0)
    {
        frame->seed_parameter[frame->wrinkle_count] = seed;
        frame->wrinkles[frame->wrinkle_count++] = (pleat_wrinkle){id, frame->point_count, count, seed_index};
        frame->point_count += count;
    }
}

/* The lowest id that no cursor has passed yet, with the seed's parameter in the frame nearest to the middle one. */
static uint32_t next_id(const pl_wrinkle_smoother *smoother, uint32_t begin, uint32_t end, float *seed)
{
    uint32_t id = PLEAT_NONE, nearest = UINT32_MAX;
    for (uint32_t f = begin; f < end; ++f)
    {
        const slot from = slot_of(smoother, f);
        uint32_t index = smoother->cursors[f - begin];
        if (index == *from.wrinkle_count || from.wrinkles[index].id > id)
        {
            continue;
        }
        uint32_t middle = smoother->state.given, apart = f > middle ? f - middle : middle - f;
        if (from.wrinkles[index].id < id || apart < nearest)
        {
            nearest = apart;
            *seed = from.seed_parameter[index];
        }
        id = from.wrinkles[index].id;
    }
    return id;
}

/* Smooths the next frame to be given; a window is cut off where the clip begins and ends. */
static const pl_wrinkle_frame *smooth(pl_wrinkle_smoother *smoother)
{
    uint32_t middle = smoother->state.given, delay = smoother->delay;
    uint32_t begin = middle > delay ? middle - delay : 0;
    uint32_t end = smoother->state.pushed < middle + delay + 1 ? smoother->state.pushed : middle + delay + 1;
    float total = 0;
    /* A frame of weight 0 is no part of it. */
    while (begin < middle && smoother->weights[begin + delay - middle] <= 0)
    {
        ++begin;
    }
    while (end > middle + 1 && smoother->weights[end - 1 + delay - middle] <= 0)
    {
        --end;
    }
    for (uint32_t f = begin; f < end; ++f)
    {
        smoother->cursors[f - begin] = 0;
        total += smoother->weights[f + delay - middle];
    }
    smoother->frame.wrinkle_count = smoother->frame.point_count = 0;
    float seed = 0;
    for (uint32_t id; (id = next_id(smoother, begin, end, &seed)) != PLEAT_NONE;)
    {
        gather(smoother, id, begin, end);
        add_wrinkle(smoother, id, seed, total);
    }
    ++smoother->state.given;
    return &smoother->frame;
}

static void keep(pl_wrinkle_smoother *smoother, const pl_wrinkle_frame *frame)
{
    slot to = slot_of(smoother, smoother->state.pushed++);
    uint32_t point_count = 0;
    *to.wrinkle_count = 0;
    for (uint32_t w = 0; w < frame->wrinkle_count && w < smoother->options.most_wrinkles; ++w)
    {
        const pleat_wrinkle *wrinkle = &frame->wrinkles[w];
        if (wrinkle->point_count < 2 || wrinkle->point_count > smoother->options.most_points - point_count)
        {
            continue;
        }
        pleat_wrinkle *copy = &to.wrinkles[*to.wrinkle_count];
        *copy = *wrinkle;
        copy->first_point = point_count;
        to.seed_parameter[(*to.wrinkle_count)++] = frame->seed_parameter[w];
        memcpy(to.points + point_count, frame->points + wrinkle->first_point, wrinkle->point_count * sizeof *to.points);
        point_count += wrinkle->point_count;
    }
}

const pl_wrinkle_frame *pl_wrinkle_smoother_push(pl_wrinkle_smoother *smoother, const pl_wrinkle_frame *frame)
{
    if (frame)
    {
        keep(smoother, frame);
        return smoother->state.pushed > smoother->state.given + smoother->delay ? smooth(smoother) : NULL;
    }
    return smoother->state.pushed > smoother->state.given ? smooth(smoother) : NULL;
}

/* ---- State ---- */

size_t pl_wrinkle_smoother_state_size(const pl_wrinkle_smoother *smoother)
{
    return sizeof smoother->state + smoother->slot_count * smoother->slot_size;
}

void pl_wrinkle_smoother_save(const pl_wrinkle_smoother *smoother, void *state)
{
    memcpy(state, &smoother->state, sizeof smoother->state);
    memcpy((unsigned char *)state + sizeof smoother->state, smoother->bytes,
           smoother->slot_count * smoother->slot_size);
}

void pl_wrinkle_smoother_restore(pl_wrinkle_smoother *smoother, const void *state)
{
    memcpy(&smoother->state, state, sizeof smoother->state);
    memcpy(smoother->bytes, (const unsigned char *)state + sizeof smoother->state,
           smoother->slot_count * smoother->slot_size);
}
