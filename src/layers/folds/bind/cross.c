/* Where folds of two rings cross.
 *
 * Rings of neck and shoulder, of spine and hip meet at an angle: both fold the same place, and folds of both together
 * stand there as a grid of bumps. Cloth buckles in one direction. So wherever two rings cross, the one whose lines have
 * lost more of their length on the skinned surface keeps its height, and the other's goes down; between equal losses
 * one passes smoothly into the other, in space and in time. Lines that run nearly the same way are no rivals: those
 * share the place by distance (rings/share.c). */
#include "layers/folds/frame/kernels.h"

/* Rivals that count less than this together are none. */
#define LEAST_CROSSING 0.01f

/* ---- Binding ---- */

/* All that is looked at while rivals are found. */
typedef struct finder
{
    pl_folds_layer *layer;
    const pl_folds_plan *plan;
    uint32_t self, other; /* rings */
    pl_fold_contest *out; /* NULL to count */
    uint32_t count;
} finder;

/* The node of a patch's grid nearest to a place between two stations. */
static size_t node_near(const pl_fold_ring *ring, uint32_t station, float arc)
{
    int32_t middle = (int32_t)(ring->patch.row_count / 2), row = middle + (int32_t)lrintf(4 * arc / ring->values.width);
    row = row < 1 ? 1 : row > 2 * middle - 1 ? 2 * middle - 1 : row;
    return (size_t)station * ring->patch.row_count + (uint32_t)row;
}

/* How much lines of two rings cross at a place: 0 where they run the same way, 1 from 60 degrees on. */
static float crossing(const pl_fold_ring *a, size_t at, const pl_fold_ring *b, size_t there)
{
    pl_f4 first = a->patch.grid[at + 1] - a->patch.grid[at - 1], second = b->patch.grid[there + 1];
    second -= b->patch.grid[there - 1];
    float parallel = fabsf(pl_dot3(pl_normalize3(first), pl_normalize3(second)));
    return 1 - pl_fold_ramp(parallel, PL_FOLD_CROSSING_ALL, PL_FOLD_CROSSING_NONE);
}

/* The folds of the other ring around a place of it, two stations by two folds, and how much each counts. */
static pl_fold_contest folds_around(const finder *f, float u, float s)
{
    const pl_fold_ring *ring = &f->plan->rings[f->other];
    const pl_bound_ring *bound = &f->layer->rings[f->other];
    float share;
    uint32_t k = pl_fold_ring_at(ring, s), station = pl_fold_station_before(bound, u, &share);
    uint32_t after = pl_fold_station_after(bound, station);
    float x = (s - ring->bounds[k]) / (ring->bounds[k + 1] - ring->bounds[k]) - 0.5f;
    uint32_t beside = x > 0 ? (k + 1 < ring->fold_count ? k + 1 : k) : (k ? k - 1 : k);
    x = fminf(fabsf(x), 0.5f);
    pl_fold_contest contest = {.ring = f->other};
    for (uint32_t n = 0; n < 4; ++n)
    {
        uint32_t index = (n & 1 ? after : station) * ring->fold_count + (n & 2 ? beside : k);
        const pl_fold *fold = &bound->folds[index];
        contest.rival[n] = index;
        contest.weight[n] = fold->sample_count > 2
                                ? (n & 1 ? share : 1 - share) * (n & 2 ? x : 1 - x) * fold->fade * bound->strength
                                : 0;
    }
    return contest;
}

/* Who crosses one fold at one station. */
static void find_rivals_of(finder *f, uint32_t station, uint32_t k)
{
    const pl_fold_ring *ring = &f->plan->rings[f->self], *other = &f->plan->rings[f->other];
    uint32_t index = station * ring->fold_count + k;
    float arc = 0.5f * (ring->bounds[k] + ring->bounds[k + 1]), u, s;
    size_t at = node_near(ring, pl_fold_planned(&f->layer->rings[f->self], station), arc);
    if (f->layer->rings[f->self].folds[index].sample_count < 3 || !ring->patch.grid_good[at] ||
        !pl_patch_find(&other->patch, ring->patch.grid[at], ring->patch.grid_normal[at],
                       PL_FOLD_PATCH_REACH * other->values.width, &u, &s))
    {
        return;
    }
    pl_fold_contest contest = folds_around(f, u, s);
    uint32_t near = (uint32_t)fminf(u + 0.5f, (float)other->ring.station_count - 1);
    float askew = crossing(ring, at, other, node_near(other, near, s)), sum = 0;
    contest.fold = index;
    for (uint32_t n = 0; n < 4; ++n)
    {
        contest.weight[n] *= askew;
        sum += contest.weight[n];
    }
    if (sum > LEAST_CROSSING)
    {
        if (f->out)
        {
            f->out[f->count] = contest;
        }
        ++f->count;
    }
}

static void find_rivals(finder *f)
{
    f->count = 0;
    for (f->self = 0; f->self < f->plan->ring_count; ++f->self)
    {
        const pl_fold_ring *ring = &f->plan->rings[f->self];
        pl_bound_ring *bound = &f->layer->rings[f->self];
        bound->crossed.first_contest = f->count;
        for (f->other = 0; f->other < f->plan->ring_count; ++f->other)
        {
            for (uint32_t i = 0; i < bound->station_count && f->other != f->self; ++i)
            {
                for (uint32_t k = 0; k < ring->fold_count; ++k)
                {
                    find_rivals_of(f, i, k);
                }
            }
        }
        bound->crossed.contest_count = f->count - bound->crossed.first_contest;
    }
}

/* Whose losses make up the mean around a fold, nearer ones counting more: folds that contact keeps from rising hand
 * their length to those beside them, and one line more or less lost must not change which way the cloth buckles. */
static pl_fold_ask folds_beside(const pl_bound_ring *ring, uint32_t index)
{
    int32_t stations = (int32_t)ring->station_count, folds = (int32_t)ring->fold_count;
    pl_fold_ask ask = {.fold = index};
    uint32_t count = 0;
    float sum = 0;
    for (int32_t n = 0; n < 9; ++n)
    {
        int32_t i = (int32_t)index / folds + n / 3 - 1, k = (int32_t)index % folds + n % 3 - 1;
        i = !ring->closed ? i : i < 0 ? stations - 1 : i < stations ? i : 0;
        if (i >= 0 && i < stations && k >= 0 && k < folds && ring->folds[i * folds + k].sample_count > 2)
        {
            ask.beside[count] = (uint32_t)(i * folds + k);
            /* Of one twice as far away it counts what it is half of on the way there. */
            float gap = pl_fold_gap(ring, (uint32_t)(n / 3 ? (int32_t)index / folds : i));
            float beside = gap > 1 ? 1 / (gap * gap) : 1;
            ask.weight[count] = (n / 3 == 1 ? 4 - 2 * beside : beside) * (n % 3 == 1 ? 2.0f : 1.0f);
            sum += ask.weight[count++];
        }
    }
    for (uint32_t n = 0; n < 9; ++n)
    {
        ask.weight[n] = n < count ? ask.weight[n] / sum : 0;
        ask.beside[n] = n < count ? ask.beside[n] : ask.beside[0];
    }
    return ask;
}

static void mark_beside(const pl_bound_ring *ring, const pl_fold_ask *ask)
{
    for (uint32_t n = 0; n < 9; ++n)
    {
        ring->crossed.asked[ask->beside[n] / ring->fold_count] |= 1u << ask->beside[n] % ring->fold_count;
    }
}

/* Fills the asks of all rings, or counts them if there is no room yet. */
static uint32_t list_asks(pl_folds_layer *layer, const uint8_t *asked)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        pl_bound_ring *ring = &layer->rings[r];
        ring->crossed.first_ask = count;
        for (uint32_t i = 0; i < ring->station_count * ring->fold_count; ++i)
        {
            if (asked[ring->first_fold + i] && ring->folds[i].sample_count > 2)
            {
                if (layer->rivals.asks)
                {
                    layer->rivals.asks[count] = folds_beside(ring, i);
                    mark_beside(ring, &layer->rivals.asks[count]);
                }
                ++count;
            }
        }
        ring->crossed.ask_count = count - ring->crossed.first_ask;
    }
    return count;
}

static void mark_asked(const pl_folds_layer *layer, uint8_t *asked)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        for (uint32_t i = 0; i < layer->rings[r].crossed.contest_count; ++i)
        {
            const pl_fold_contest *contest = &layer->rivals.contests[layer->rings[r].crossed.first_contest + i];
            asked[layer->rings[r].first_fold + contest->fold] = 1;
            for (uint32_t n = 0; n < 4; ++n)
            {
                asked[layer->rings[contest->ring].first_fold + contest->rival[n]] |= contest->weight[n] > 0;
            }
        }
    }
}

pleat_result pl_folds_find_rivals(pl_folds_layer *layer, const pl_folds_plan *plan, pleat_error *error)
{
    finder f = {.layer = layer, .plan = plan};
    find_rivals(&f);
    layer->rivals.contests = PL_ARENA_NEW(&layer->arena, pl_fold_contest, f.count);
    layer->rivals.skin_losses = PL_ARENA_NEW(&layer->arena, float, layer->fold_count);
    uint8_t *asked = PL_ARENA_NEW(&layer->arena, uint8_t, layer->fold_count);
    /* Kernels read whole blocks of stations. */
    uint32_t gate_count = layer->fold_count + PL_FOLD_BLOCK * 2 * PL_FOLDS_A_SIDE;
    layer->rivals.gates = PL_ARENA_NEW(&layer->arena, float, gate_count);
    layer->rivals.losses = PL_ARENA_NEW(&layer->arena, float, gate_count);
    if (!layer->rivals.contests || !layer->rivals.skin_losses || !asked || !layer->rivals.gates ||
        !layer->rivals.losses)
    {
        return pl_fail_memory(&layer->memory, error, "rings that cross");
    }
    f.out = layer->rivals.contests;
    find_rivals(&f);
    for (uint32_t i = 0; i < gate_count; ++i)
    {
        layer->rivals.gates[i] = 1;
    }
    mark_asked(layer, asked);
    layer->rivals.asks = PL_ARENA_NEW(&layer->arena, pl_fold_ask, list_asks(layer, asked));
    if (!layer->rivals.asks)
    {
        return pl_fail_memory(&layer->memory, error, "rings that cross");
    }
    list_asks(layer, asked);
    return PLEAT_OK;
}

/* ---- Frames ---- */

void pl_folds_note_losses(pl_folds_layer *layer, const pl_bound_ring *ring)
{
    const pl_fold_ask *asks = layer->rivals.asks + ring->crossed.first_ask;
    for (uint32_t i = 0; i < ring->crossed.ask_count; ++i)
    {
        float sum = 0;
        for (uint32_t n = 0; n < 9; ++n)
        {
            sum += asks[i].weight[n] * layer->rivals.losses[asks[i].beside[n]];
        }
        layer->rivals.skin_losses[ring->first_fold + asks[i].fold] = sum > 0 ? sum : 0;
    }
}

/* Losses closer to each other than this are as good as equal. */
#define CLOSE 0.04f
/* A rival that has lost no more than this, of what a fold has, takes nothing from it. */
#define PART 0.35f
/* How wide the zone is in which one passes into the other, of what a fold has lost. */
#define WIDE 0.9f

/* What is left of a fold's height: all while it has lost a good deal more than its rival, nothing while a good deal
 * less. Between equal losses both are low: much of each would stand as a grid, and where losses change slowly that zone
 * is wide. */
static float gate_of(float lost, float rival)
{
    return 1 - pl_smooth_step((rival - PART * lost) / (WIDE * lost + CLOSE));
}

static void settle_ring(pl_folds_layer *layer, const pl_bound_ring *ring)
{
    const pl_fold_contest *contests = layer->rivals.contests + ring->crossed.first_contest;
    for (uint32_t i = 0; i < ring->crossed.contest_count; ++i)
    {
        layer->rivals.gates[ring->first_fold + contests[i].fold] = 1;
    }
    for (uint32_t i = 0; i < ring->crossed.contest_count; ++i)
    {
        const float *losses = layer->rivals.skin_losses + layer->rings[contests[i].ring].first_fold;
        float rival = 0;
        for (uint32_t n = 0; n < 4; ++n)
        {
            rival += losses[contests[i].rival[n]] * contests[i].weight[n];
        }
        uint32_t at = ring->first_fold + contests[i].fold;
        float lost = layer->rivals.skin_losses[at];
        if (rival > PART * lost) /* else it keeps all */
        {
            float gate = gate_of(lost, rival);
            layer->rivals.gates[at] = gate < layer->rivals.gates[at] ? gate : layer->rivals.gates[at];
        }
    }
}

void pl_folds_settle_crossings(pl_folds_layer *layer)
{
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        settle_ring(layer, &layer->rings[r]);
    }
}
