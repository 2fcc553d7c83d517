/* D. Rohmer et al., "Animation Wrinkling", 2010, section 3, with these deviations:
 *
 * - No charts: everything happens on the rest surface, triangle by triangle.
 * - Older wrinkles come first, not stronger ones: who ends at whom does not flip when two are equally strong.
 * - A seed that has lost compression moves across its wrinkle only, and only until it has as much as before; moving
 * along the wrinkle would move nothing but the parameter. When compression fades everywhere wrinkles thus stay where
 *   they are.
 * - A wrinkle whose seed is lost goes on from the strongest other point of its curve, and keeps its name.
 * - Speeds are per second, so that the result does not depend on the frame rate.
 * - A curve is cut where it has jumped, as in the paper, and then grows back at the speed at which wrinkles slide; what
 *   has grown stays clear of wrinkles that were there before. */
#include "layers/wrinkles/curves/track.h"

#include "layers/wrinkles/curves/seed.h"

/* Shorter than this, in r_min, a wrinkle is not born, and dies. */
static const float LENGTH_BORN = 3, LENGTH_KEPT = 1.5f;
/* A wrinkle lives on down to this share of the strength that it needs to be born. */
static const float STRENGTH_KEPT = 0.5f;

enum
{
    SLIDE_PROBES = 8,
    POINTS_MOST = 1 << 22
};

typedef struct tracked
{
    uint32_t id;
    pleat_place seed;
    pl_turn heading; /* at the seed: where the parameter grows */
    float parameter; /* of the seed */
    float strength;  /* at the seed */
    float limit[2];  /* lengths of the branches after a cut, or INFINITY */
    uint32_t first, count, seed_index;
} tracked;

typedef struct track_state
{
    uint32_t next_id;
    uint32_t wrinkle_count, point_count;
} track_state;

struct pl_wrinkle_tracker
{
    pl_memory memory;
    pl_arena arena;
    pl_wrinkle_tracer tracer;
    pl_wrinkle_seeds seeds;
    size_t tensors_at, wrinkles_at, places_at, state_size; /* bytes into a state */
    unsigned char *state, *spare;
    pl_wrinkle_frame frame;
};

pl_wrinkle_track_options pl_wrinkle_track_options_default(void)
{
    return (pl_wrinkle_track_options){
        .lambda_max = 0.9f, .spacing = 2, .merge = 1, .speed = 30, .settle = 0.15f, .step = 0.5f, .tension = false};
}

/* #V: the field, evened out over time. */
static pl_tensor *tensors_of(const pl_wrinkle_tracker *tracker, unsigned char *state)
{
    return (pl_tensor *)(void *)(state + tracker->tensors_at);
}

static tracked *wrinkles_of(const pl_wrinkle_tracker *tracker, unsigned char *state)
{
    return (tracked *)(void *)(state + tracker->wrinkles_at);
}

static pleat_place *places_of(const pl_wrinkle_tracker *tracker, unsigned char *state)
{
    return (pleat_place *)(void *)(state + tracker->places_at);
}

static track_state *head_of(unsigned char *state)
{
    return (track_state *)(void *)state;
}

/* ---- Making ---- */

static pleat_result check_options(const pl_wrinkle_track_options *options, pleat_error *error)
{
    const struct
    {
        const char *name;
        float value, low, high;
    } ranges[] = {{"r_min", options->r_min, PL_WRINKLE_FINEST, PL_WRINKLE_WIDEST},
                  {"lambda_max", options->lambda_max, 0.01f, 1},
                  {"spacing", options->spacing, 0.5f, 100},
                  {"merge", options->merge, 0, options->spacing},
                  {"speed", options->speed, 0, 1e6f},
                  {"settle", options->settle, 0, 1e3f},
                  {"step", options->step, 0.05f, 4}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    {
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "wrinkles: %s is %g, expected %g .. %g", ranges[i].name,
                           (double)ranges[i].value, (double)ranges[i].low, (double)ranges[i].high);
        }
    }
    return PLEAT_OK;
}

/* Twice the points of curves at the spacing all over the cloth. */
static void set_capacities(pl_wrinkle_track_options *options, const pl_flat *flat)
{
    double area = 0, apart = (double)options->r_min * (double)options->spacing;
    for (uint32_t t = 0; t < flat->topology->triangle_count; ++t)
    {
        area += (double)flat->triangles[t].area;
    }
    double points = 1024 + 2 * area / (apart * (double)options->r_min * (double)options->step);
    if (options->most_points == 0)
    {
        options->most_points = (uint32_t)fmin(points, POINTS_MOST);
    }
    if (options->most_wrinkles == 0)
    {
        options->most_wrinkles = 64 + options->most_points / 6;
    }
}

static pleat_result make_tracer(pl_wrinkle_tracker *tracker, pleat_error *error)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    const pl_wrinkle_track_options *options = &tracer->options;
    float cell = options->r_min * options->spacing;
    PL_TRY(pl_wrinkle_grid_make(&tracer->now, tracer->flat, cell, options->most_points, &tracker->arena, error));
    PL_TRY(pl_wrinkle_grid_make(&tracer->past, tracer->flat, cell, options->most_points, &tracker->arena, error));
    tracer->branch_capacity = options->most_points;
    for (int side = 0; side < 2; ++side)
    {
        tracer->branch[side] = PL_ARENA_NEW(&tracker->arena, pleat_place, tracer->branch_capacity);
        if (!tracer->branch[side])
        {
            return pl_fail_memory(&tracker->memory, error, "a wrinkle's curve");
        }
    }
    return pl_wrinkle_seeds_make(&tracker->seeds, tracer, &tracker->arena, error);
}

static size_t round_up(size_t size)
{
    return (size + 31) & ~(size_t)31;
}

pleat_result pl_wrinkle_tracker_create(const pl_wrinkle_track_options *options, const pleat_strain_field *field,
                                       const pleat_host *host, pl_wrinkle_tracker **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_options(options, error));
    pl_wrinkle_tracker *tracker = PL_CREATE(pl_wrinkle_tracker, host);
    if (!tracker)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the wrinkles");
    }
    pl_arena_init(&tracker->arena, &tracker->memory);
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    tracer->field = field;
    tracer->flat = pl_field_flat(field);
    tracer->options = *options;
    tracer->threshold = 1 - options->lambda_max;
    tracer->kept = STRENGTH_KEPT * tracer->threshold;
    tracer->step = options->step * options->r_min;
    set_capacities(&tracer->options, tracer->flat);
    uint32_t wrinkles = tracer->options.most_wrinkles, points = tracer->options.most_points;
    tracker->tensors_at = round_up(sizeof(track_state));
    tracker->wrinkles_at = tracker->tensors_at + round_up(tracer->flat->topology->vertex_count * sizeof(pl_tensor));
    tracker->places_at = tracker->wrinkles_at + round_up(wrinkles * sizeof(tracked));
    tracker->state_size = tracker->places_at + round_up(points * sizeof(pleat_place));
    pleat_result result = make_tracer(tracker, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    PL_ARENA_NEW_OR_FAIL(tracker->state, &tracker->arena, unsigned char, tracker->state_size, error);
    PL_ARENA_NEW_OR_FAIL(tracker->spare, &tracker->arena, unsigned char, tracker->state_size, error);
    PL_ARENA_NEW_OR_FAIL(tracker->frame.wrinkles, &tracker->arena, pleat_wrinkle, wrinkles, error);
    PL_ARENA_NEW_OR_FAIL(tracker->frame.seed_parameter, &tracker->arena, float, wrinkles, error);
    PL_ARENA_NEW_OR_FAIL(tracker->frame.points, &tracker->arena, pleat_wrinkle_point, points, error);
    *out = tracker;
    return PLEAT_OK;
fail:
    pl_wrinkle_tracker_destroy(tracker);
    return result;
}

void pl_wrinkle_tracker_destroy(pl_wrinkle_tracker *tracker)
{
    if (tracker)
    {
        pl_arena_free(&tracker->arena);
        PL_DESTROY(tracker);
    }
}

const pl_wrinkle_track_options *pl_wrinkle_tracker_options(const pl_wrinkle_tracker *tracker)
{
    return &tracker->tracer.options;
}

void pl_wrinkle_tracker_clear(pl_wrinkle_tracker *tracker)
{
    head_of(tracker->state)->wrinkle_count = 0;
    head_of(tracker->state)->point_count = 0;
}

bool pl_wrinkle_tracker_full(const pl_wrinkle_tracker *tracker)
{
    return tracker->tracer.full;
}

size_t pl_wrinkle_tracker_state_size(const pl_wrinkle_tracker *tracker)
{
    return tracker->state_size;
}

void pl_wrinkle_tracker_save(const pl_wrinkle_tracker *tracker, void *state)
{
    const track_state *head = head_of(tracker->state);
    memset(state, 0, tracker->state_size);
    memcpy(state, head, sizeof *head);
    memcpy((unsigned char *)state + tracker->tensors_at, tensors_of(tracker, tracker->state),
           tracker->tracer.flat->topology->vertex_count * sizeof(pl_tensor));
    memcpy((unsigned char *)state + tracker->wrinkles_at, wrinkles_of(tracker, tracker->state),
           head->wrinkle_count * sizeof(tracked));
    memcpy((unsigned char *)state + tracker->places_at, places_of(tracker, tracker->state),
           head->point_count * sizeof(pleat_place));
}

void pl_wrinkle_tracker_restore(pl_wrinkle_tracker *tracker, const void *state)
{
    memcpy(tracker->state, state, tracker->state_size);
}

/* ---- A curve becomes part of the frame and of the next state ---- */

/* The branches of the tracer, in the order of the parameter. False where there is no room. */
static bool commit(pl_wrinkle_tracker *tracker, const tracked *wrinkle)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    track_state *head = head_of(tracker->state);
    uint32_t count = tracer->branch_count[0] + 1 + tracer->branch_count[1];
    if (head->wrinkle_count == tracer->options.most_wrinkles || count > tracer->options.most_points - head->point_count)
    {
        tracer->full = true;
        return false;
    }
    uint32_t first = head->point_count, seed_index = tracer->branch_count[0];
    pleat_wrinkle_point *points = tracker->frame.points + first;
    pleat_place *places = places_of(tracker, tracker->state) + first;
    for (uint32_t i = 0; i < count; ++i)
    {
        places[i] = i < seed_index   ? tracer->branch[0][seed_index - 1 - i]
                    : i > seed_index ? tracer->branch[1][i - seed_index - 1]
                                     : wrinkle->seed;
        /* Of the frame itself, not evened out. */
        pl_field_value value = pl_field_at(tracer->field, pl_field_tensors(tracer->field), &places[i]);
        points[i] =
            (pleat_wrinkle_point){.place = places[i], .strength = fmaxf(pl_wrinkle_strength(tracer, &value), 0)};
    }
    uint32_t index = head->wrinkle_count++;
    head->point_count += count;
    tracked *kept = &wrinkles_of(tracker, tracker->state)[index];
    *kept = *wrinkle;
    kept->first = first;
    kept->count = count;
    kept->seed_index = seed_index;
    tracker->frame.wrinkles[index] = (pleat_wrinkle){wrinkle->id, first, count, seed_index};
    tracker->frame.seed_parameter[index] = wrinkle->parameter;
    return true;
}

/* ---- Wrinkles of the frame before ---- */

static float strength_at(const pl_wrinkle_tracer *tracer, const pleat_place *place)
{
    pl_field_value value = pl_wrinkle_look(tracer, place);
    return pl_wrinkle_strength(tracer, &value);
}

/* How far across its wrinkle a seed has to go to be as compressed as it was; at most `bound`. */
static float slide_length(const pl_wrinkle_tracer *tracer, const pl_flat_point *from, float strength, float wanted,
                          float bound)
{
    float best = strength, length = 0, before = strength;
    for (int i = 1; i <= SLIDE_PROBES; ++i)
    {
        pl_flat_point point = *from;
        float way = bound * (float)i / SLIDE_PROBES;
        if (pl_flat_move(tracer->flat, &point, way) < 0.999f * way)
        {
            break;
        }
        float there = strength_at(tracer, &point.place);
        if (there >= wanted)
        {
            return bound * ((float)(i - 1) + (wanted - before) / (there - before)) / SLIDE_PROBES;
        }
        if (there <= best)
        {
            break;
        }
        best = before = there;
        length = way;
    }
    return length;
}

/* Follows the compression across the wrinkle where the seed has lost some. */
static void slide(const pl_wrinkle_tracer *tracer, tracked *wrinkle, float *strength, float bound)
{
    pl_field_value value = pl_wrinkle_look(tracer, &wrinkle->seed);
    *strength = pl_wrinkle_strength(tracer, &value);
    if (*strength >= wrinkle->strength || !(bound > 0))
    {
        return;
    }
    float length = 0;
    pl_flat_point to = {.place = wrinkle->seed};
    for (int side = -1; side <= 1; side += 2)
    {
        pl_flat_point from = {wrinkle->seed, {(float)-side * value.along.y, (float)side * value.along.x}};
        float way = slide_length(tracer, &from, *strength, wrinkle->strength, bound);
        if (way > 0 && (length == 0 || way < length))
        {
            length = way;
            to = from;
        }
    }
    pl_turn heading = pl_turn_back(to.direction, wrinkle->heading);
    float spacing = tracer->options.spacing * tracer->options.r_min;
    if (length > 0 && pl_flat_move(tracer->flat, &to, length) > 0 && pl_wrinkle_free(tracer, &to.place, spacing))
    {
        wrinkle->seed = to.place;
        wrinkle->heading = pl_turn_mul(to.direction, heading);
        *strength = strength_at(tracer, &to.place);
    }
}

/* Makes the strongest free point of the old curve the seed. False where there is none. */
static bool reseed(pl_wrinkle_tracker *tracker, tracked *wrinkle, float *strength)
{
    const pl_wrinkle_tracer *tracer = &tracker->tracer;
    const pleat_place *places = places_of(tracker, tracker->spare) + wrinkle->first;
    uint32_t best = PLEAT_NONE;
    *strength = tracer->kept;
    for (uint32_t i = 1; i + 1 < wrinkle->count; ++i)
    {
        float there = strength_at(tracer, &places[i]);
        if (there > *strength && pl_wrinkle_free(tracer, &places[i], tracer->options.merge * tracer->options.r_min))
        {
            best = i;
            *strength = there;
        }
    }
    if (best == PLEAT_NONE)
    {
        return false;
    }
    pl_f4 along = pl_flat_position(tracer->flat, &places[best + 1]) - pl_flat_position(tracer->flat, &places[best - 1]);
    pl_turn heading = pl_flat_from_space(tracer->flat, places[best].triangle, along);
    float size = sqrtf(heading.x * heading.x + heading.y * heading.y);
    wrinkle->parameter += ((float)best - (float)wrinkle->seed_index) * tracer->step;
    wrinkle->seed_index = best;
    wrinkle->seed = places[best];
    wrinkle->heading = size > 0 ? (pl_turn){heading.x / size, heading.y / size} : (pl_turn){1, 0};
    wrinkle->limit[0] = wrinkle->limit[1] = INFINITY;
    return true;
}

/* The wrinkle, in the field of this frame. */
static void follow(pl_wrinkle_tracker *tracker, uint32_t index, float bound)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    tracked wrinkle = wrinkles_of(tracker, tracker->spare)[index];
    float strength;
    slide(tracer, &wrinkle, &strength, bound);
    bool kept = strength >= tracer->kept &&
                pl_wrinkle_free(tracer, &wrinkle.seed, tracer->options.merge * tracer->options.r_min);
    if (!kept && !reseed(tracker, &wrinkle, &strength))
    {
        return;
    }
    wrinkle.strength = strength;
    pl_trace_past past = {.origin = places_of(tracker, tracker->spare) + wrinkle.first + wrinkle.seed_index,
                          .low = 1 - (int32_t)wrinkle.seed_index,
                          .high = (int32_t)wrinkle.count - 2 - (int32_t)wrinkle.seed_index,
                          .most = bound + tracer->options.spacing * tracer->options.r_min,
                          .limit = {wrinkle.limit[0] + bound, wrinkle.limit[1] + bound}};
    uint32_t in_grid = tracer->now.count;
    pl_flat_point seed = {wrinkle.seed, wrinkle.heading};
    float length = pl_wrinkle_trace(tracer, &seed, wrinkle.parameter, index, &past);
    memcpy(wrinkle.limit, past.limit, sizeof wrinkle.limit);
    if (length < LENGTH_KEPT * tracer->options.r_min || !commit(tracker, &wrinkle))
    {
        pl_wrinkle_grid_shorten(&tracer->now, in_grid);
    }
}

/* Into the grid of the past; their parameter there is the length to the nearer end. */
static void remember_curves(pl_wrinkle_tracker *tracker)
{
    pl_wrinkle_grid *past = &tracker->tracer.past;
    const tracked *wrinkles = wrinkles_of(tracker, tracker->spare);
    const pleat_place *places = places_of(tracker, tracker->spare);
    pl_wrinkle_grid_clear(past);
    for (uint32_t w = 0; w < head_of(tracker->spare)->wrinkle_count; ++w)
    {
        for (uint32_t i = 0; i < wrinkles[w].count; ++i)
        {
            const pleat_place *place = &places[wrinkles[w].first + i];
            uint32_t to_end = i < wrinkles[w].count - 1 - i ? i : wrinkles[w].count - 1 - i;
            pl_wrinkle_grid_add(past, pl_flat_position(tracker->tracer.flat, place), place->triangle, w,
                                (float)to_end * tracker->tracer.step);
        }
    }
}

/* ---- New wrinkles ---- */

static bool bear(pl_wrinkle_tracker *tracker, const pl_flat_point *seed, uint32_t *owner)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    track_state *head = head_of(tracker->state);
    uint32_t in_grid = tracer->now.count;
    tracked wrinkle = {.id = head->next_id, .seed = seed->place, .heading = seed->direction};
    wrinkle.limit[0] = wrinkle.limit[1] = INFINITY;
    wrinkle.strength = strength_at(tracer, &seed->place);
    float length = pl_wrinkle_trace(tracer, seed, 0, *owner, NULL);
    if (length < LENGTH_BORN * tracer->options.r_min || !commit(tracker, &wrinkle))
    {
        pl_wrinkle_grid_shorten(&tracer->now, in_grid);
        pl_wrinkle_seeds_bar(&tracker->seeds, tracer, &seed->place);
        return false;
    }
    ++*owner;
    ++head->next_id;
    return true;
}

static void bear_all(pl_wrinkle_tracker *tracker)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    const track_state *head = head_of(tracker->state);
    uint32_t owner = head_of(tracker->spare)->wrinkle_count, beside = 0;
    pl_flat_point seed;
    pl_wrinkle_seeds_collect(&tracker->seeds, tracer);
    do
    {
        for (; beside < head->wrinkle_count && !tracer->full; ++beside)
        {
            const pleat_wrinkle *wrinkle = &tracker->frame.wrinkles[beside];
            while (!tracer->full &&
                   pl_wrinkle_seeds_beside(&tracker->seeds, tracer, tracker->frame.points + wrinkle->first_point,
                                           wrinkle->point_count, &seed))
            {
                bear(tracker, &seed, &owner);
            }
        }
        while (!tracer->full && pl_wrinkle_seeds_next(&tracker->seeds, tracer, &seed) && !bear(tracker, &seed, &owner))
        {
        }
    } while (beside < head->wrinkle_count && !tracer->full);
}

/* Brings the field that is traced closer to that of the frame. */
static void even_out(pl_wrinkle_tracker *tracker, float seconds)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    const pl_tensor *before = tensors_of(tracker, tracker->spare), *field = pl_field_tensors(tracer->field);
    pl_tensor *now = tensors_of(tracker, tracker->state);
    float settle = tracer->options.settle;
    float share = seconds > 0 && settle > 0 ? -expm1f(-seconds / settle) : 1;
    for (uint32_t v = 0; v < tracer->flat->topology->vertex_count; ++v)
    {
        now[v].b = before[v].b + share * (field[v].b - before[v].b);
        now[v].c = before[v].c + share * (field[v].c - before[v].c);
        now[v].size = before[v].size + share * (field[v].size - before[v].size);
    }
    tracer->tensors = now;
}

const pl_wrinkle_frame *pl_wrinkle_tracker_step(pl_wrinkle_tracker *tracker, float seconds)
{
    pl_wrinkle_tracer *tracer = &tracker->tracer;
    if (!(seconds > 0))
    {
        pl_wrinkle_tracker_clear(tracker);
    }
    unsigned char *before = tracker->state;
    tracker->state = tracker->spare;
    tracker->spare = before;
    *head_of(tracker->state) = (track_state){.next_id = head_of(before)->next_id};
    tracer->full = false;
    pl_wrinkle_grid_clear(&tracer->now);
    even_out(tracker, seconds);
    remember_curves(tracker);
    for (uint32_t i = 0; i < head_of(before)->wrinkle_count; ++i)
    {
        follow(tracker, i, tracer->options.speed * tracer->options.r_min * seconds);
    }
    bear_all(tracker);
    tracker->frame.wrinkle_count = head_of(tracker->state)->wrinkle_count;
    tracker->frame.point_count = head_of(tracker->state)->point_count;
    return &tracker->frame;
}
