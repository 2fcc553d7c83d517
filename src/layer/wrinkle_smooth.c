/* The window is a raised cosine: frames enter and leave it with weight 0, so that the result is continuous in time even
 * where wrinkles come, go, grow and shrink. A mean of places is taken in space and brought back to the surface by a
 * short walk from the place in the nearest frame; it cannot land on another layer of cloth. */
#include "layer/wrinkle_smooth.h"

/* Of a step: farther from the mean than this, its place lies beyond a border, and the wrinkle ends. */
static const float OFF_CLOTH = 0.5f;
/* Of a step: nearer to an end no other point stands. */
static const float END_ROOM = 0.25f;

/* A frame of the window, in the smoother's bytes. */
typedef struct slot
{
    uint32_t *wrinkle_count;
    pleat_wrinkle *wrinkles;
    float *seed_parameter;
    pleat_wrinkle_point *points;
} slot;

/* A wrinkle in one frame of the window. */
typedef struct strand
{
    const pleat_wrinkle_point *points;
    uint32_t count;
    float weight;
    float apart;               /* frames from the middle one */
    float first, second, last; /* parameters of points 0 and 1, and of the last */
    bool closed;
    bool there; /* at the parameter last looked at, and where */
    pl_f4 position;
} strand;

/* A wrinkle in all of them. */
typedef struct cable
{
    strand *strands;
    uint32_t count;
    float low, high;         /* parameters where any of them is */
    float all_low, all_high; /* and where all are; the other way round if they never are */
    bool closed;             /* a ring in every frame: parameters are then scaled to the same length */
} cable;

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
    strand *strands;      /* slot_count */
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
    PL_ARENA_NEW_OR_FAIL(smoother->strands, &smoother->arena, strand, smoother->slot_count, error);
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

/* ---- One wrinkle in the frames of the window ---- */

static pl_f4 position_of(const pl_wrinkle_smoother *smoother, const pleat_wrinkle_point *point)
{
    return pl_flat_position(smoother->flat, &point->place);
}

static bool same_place(const pleat_place *a, const pleat_place *b)
{
    return a->triangle == b->triangle && a->barycentric[0] == b->barycentric[0] &&
           a->barycentric[1] == b->barycentric[1];
}

/* Points are a step apart; the first and the last may be nearer to their neighbours. */
static strand make_strand(const pl_wrinkle_smoother *smoother, const slot *from, uint32_t index, float weight)
{
    const pleat_wrinkle *wrinkle = &from->wrinkles[index];
    strand s = {.points = from->points + wrinkle->first_point, .count = wrinkle->point_count, .weight = weight};
    float step = smoother->options.step, seed = from->seed_parameter[index];
    uint32_t last = s.count - 1;
    s.closed = s.count > 2 && same_place(&s.points[0].place, &s.points[last].place);
    pl_f4 head = position_of(smoother, &s.points[0]) - position_of(smoother, &s.points[1]);
    pl_f4 tail = position_of(smoother, &s.points[last]) - position_of(smoother, &s.points[last - 1]);
    s.second = wrinkle->seed == 0 ? seed + step : seed - (float)(wrinkle->seed - 1) * step;
    s.first = wrinkle->seed == 0 ? seed : s.second - fminf(pl_length3(head), step);
    s.last = wrinkle->seed == last
                 ? seed
                 : seed + ((float)last - 1 - (float)wrinkle->seed) * step + fminf(pl_length3(tail), step);
    return s;
}

/* The wrinkle of this id in all frames where it is. */
static cable gather(pl_wrinkle_smoother *smoother, uint32_t id, uint32_t begin, uint32_t end)
{
    cable c = {.strands = smoother->strands, .low = INFINITY, .high = -INFINITY, .closed = true};
    c.all_low = -INFINITY;
    c.all_high = INFINITY;
    uint32_t middle = smoother->state.given;
    for (uint32_t f = begin; f < end; ++f)
    {
        const slot from = slot_of(smoother, f);
        uint32_t index = smoother->cursors[f - begin];
        if (index == *from.wrinkle_count || from.wrinkles[index].id != id)
        {
            continue;
        }
        ++smoother->cursors[f - begin];
        strand s = make_strand(smoother, &from, index, smoother->weights[f + smoother->delay - middle]);
        s.apart = fabsf((float)f - (float)middle);
        c.closed = c.closed && s.closed;
        c.low = fminf(c.low, s.first);
        c.high = fmaxf(c.high, s.last);
        c.all_low = fmaxf(c.all_low, s.first);
        c.all_high = fminf(c.all_high, s.last);
        c.strands[c.count++] = s;
    }
    return c;
}

/* What a wrinkle is at a parameter in one frame; false where it does not reach that far. */
static bool look_up(const pl_wrinkle_smoother *smoother, const cable *c, const strand *s, float parameter,
                    pl_f4 *position, pleat_wrinkle_point *out)
{
    if (c->closed && c->high > c->low)
    {
        parameter = s->first + (s->last - s->first) * (parameter - c->low) / (c->high - c->low);
    }
    float slack = 1e-3f * smoother->options.step;
    if (parameter < s->first - slack || parameter > s->last + slack)
    {
        return false;
    }
    float at = parameter < s->second ? (parameter - s->first) / fmaxf(s->second - s->first, slack)
                                     : 1 + (parameter - s->second) / smoother->options.step;
    uint32_t i = (uint32_t)fminf(fmaxf(at, 0), (float)(s->count - 2));
    float share = fminf(fmaxf(at - (float)i, 0), 1);
    if (i == s->count - 2 && s->count > 2)
    {
        float before = s->second + ((float)i - 1) * smoother->options.step;
        share = fminf(fmaxf((parameter - before) / fmaxf(s->last - before, slack), 0), 1);
    }
    const pleat_wrinkle_point *a = &s->points[i], *b = &s->points[i + 1];
    *position = pl_lerp(position_of(smoother, a), position_of(smoother, b), share);
    out->place = share < 0.5f ? a->place : b->place;
    out->width = a->width + share * (b->width - a->width);
    out->depth = a->depth + share * (b->depth - a->depth);
    out->strength = a->strength + share * (b->strength - a->strength);
    return true;
}

/* The mean at a parameter. total: of the weights of all frames, with the wrinkle or without.
 *
 * Where the wrinkle of a frame ends, the mean of places would jump aside to the others. So *goal, the mean in space, is
 * carried along from the parameter before by the mean of the steps of all that were there and still are; as long as
 * none ends that is the mean of the places. *off: it lies
 * beyond a border of the cloth. */
static pleat_wrinkle_point mean_at(const pl_wrinkle_smoother *smoother, const cable *c, float parameter, float total,
                                   pl_f4 *goal, bool *off)
{
    *off = false;
    pl_f4 sum = pl_splat(0), steps = pl_splat(0);
    float weight = 0, step_weight = 0, width_weight = 0, nearest = INFINITY;
    pleat_wrinkle_point out = {.width = 0};
    for (uint32_t i = 0; i < c->count; ++i)
    {
        pl_f4 position;
        pleat_wrinkle_point point;
        strand *s = &c->strands[i];
        bool was_there = s->there;
        s->there = look_up(smoother, c, s, parameter, &position, &point);
        if (!s->there)
        {
            continue;
        }
        sum += position * pl_splat(s->weight);
        weight += s->weight;
        if (was_there)
        {
            steps += (position - s->position) * pl_splat(s->weight);
            step_weight += s->weight;
        }
        s->position = position;
        out.depth += s->weight * point.depth;
        out.strength += s->weight * point.strength;
        out.width += point.width > 0 ? s->weight * point.width : 0;
        width_weight += point.width > 0 ? s->weight : 0;
        if (s->apart < nearest)
        {
            nearest = s->apart;
            out.place = point.place;
        }
    }
    if (weight > 0)
    {
        *goal = step_weight > 0 ? *goal + steps * pl_splat(1 / step_weight) : sum * pl_splat(1 / weight);
        out.strength /= weight;
        float away = pl_length3(*goal - pl_flat_position(smoother->flat, &out.place));
        float step = smoother->options.step;
        if (away > 1e-4f * step)
        {
            out.place = pl_flat_approach(smoother->flat, out.place, *goal, 2 * away);
            pl_f4 left = *goal - pl_flat_position(smoother->flat, &out.place);
            pl_turn aside = pl_flat_from_space(smoother->flat, out.place.triangle, left);
            *off = aside.x * aside.x + aside.y * aside.y > OFF_CLOTH * OFF_CLOTH * step * step;
        }
    }
    out.width = width_weight > 0 ? out.width / width_weight : 0;
    out.depth /= total;
    return out;
}

/* ---- A frame ---- */

/* Parameters of the result: the ends, and multiples of the step between them. Returns how many; out may be NULL. */
static uint32_t list_parameters(const pl_wrinkle_smoother *smoother, const cable *c, uint32_t index, float *parameter)
{
    float step = smoother->options.step, room = END_ROOM * step;
    int32_t first = (int32_t)ceilf((c->low + room) / step), last = (int32_t)floorf((c->high - room) / step);
    uint32_t inner = last >= first ? (uint32_t)(last - first) + 1 : 0;
    if (parameter)
    {
        *parameter = index == 0 ? c->low : index > inner ? c->high : (float)(first + (int32_t)index - 1) * step;
    }
    return inner + 2;
}

/* Fills points from one on, upwards or downwards to the end or to a border; returns the last one filled. */
static uint32_t fill(const pl_wrinkle_smoother *smoother, const cable *c, uint32_t from, uint32_t count, bool up,
                     float total, pleat_wrinkle_point *points)
{
    pl_f4 goal = pl_splat(0);
    uint32_t last = from;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        c->strands[i].there = false;
    }
    for (uint32_t i = from; i < count; i += up ? 1 : UINT32_MAX)
    {
        float parameter;
        bool off;
        list_parameters(smoother, c, i, &parameter);
        points[i] = mean_at(smoother, c, parameter, total, &goal, &off);
        if (off && i != from)
        {
            break;
        }
        last = i;
    }
    return last;
}

/* The point whose parameter is nearest. */
static uint32_t nearest_to(const pl_wrinkle_smoother *smoother, const cable *c, uint32_t count, float wanted)
{
    uint32_t nearest = 0;
    float best = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        float parameter;
        list_parameters(smoother, c, i, &parameter);
        if (fabsf(parameter - wanted) < best)
        {
            best = fabsf(parameter - wanted);
            nearest = i;
        }
    }
    return nearest;
}

static bool too_near(const pl_wrinkle_smoother *smoother, const pleat_wrinkle_point *a, const pleat_wrinkle_point *b)
{
    return pl_length3(position_of(smoother, a) - position_of(smoother, b)) < 0.9f * END_ROOM * smoother->options.step;
}

static void add_wrinkle(pl_wrinkle_smoother *smoother, uint32_t id, const cable *c, float seed, float total)
{
    pl_wrinkle_frame *frame = &smoother->frame;
    const pl_wrinkle_smooth_options *options = &smoother->options;
    uint32_t count = list_parameters(smoother, c, 0, NULL);
    if (frame->wrinkle_count == options->most_wrinkles || count > options->most_points - frame->point_count)
    {
        return;
    }
    pleat_wrinkle_point *points = frame->points + frame->point_count;
    /* From where most are there. */
    uint32_t middle = nearest_to(smoother, c, count, 0.5f * (c->all_low + c->all_high));
    uint32_t last = fill(smoother, c, middle, count, true, total, points);
    uint32_t first = fill(smoother, c, middle, count, false, total, points);
    if (last == first)
    {
        return;
    }
    /* A border may have brought an end next to its neighbour, which then goes. */
    if (last - first > 1 && too_near(smoother, &points[last], &points[last - 1]))
    {
        points[last - 1] = points[last];
        --last;
    }
    if (last - first > 1 && too_near(smoother, &points[first], &points[first + 1]))
    {
        points[first + 1] = points[first];
        ++first;
    }
    if (c->closed)
    {
        points[last] = points[first];
    }
    uint32_t seed_index = nearest_to(smoother, c, count, seed);
    seed_index = seed_index < first ? first : seed_index > last ? last : seed_index;
    list_parameters(smoother, c, seed_index, &frame->seed_parameter[frame->wrinkle_count]);
    memmove(points, points + first, (last - first + 1) * sizeof *points);
    frame->wrinkles[frame->wrinkle_count++] =
        (pleat_wrinkle){id, frame->point_count, last - first + 1, seed_index - first};
    frame->point_count += last - first + 1;
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
        cable c = gather(smoother, id, begin, end);
        add_wrinkle(smoother, id, &c, seed, total);
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
