#include "layers/live/labels/label.h"

#include "layers/live/labels/flow.h"

#include <math.h>

enum
{
    OPEN = PL_LIVE_LABELS /* not yet decided */
};

struct pl_live_labeller
{
    uint32_t thing_count, link_count;
    uint32_t *first;  /* thing_count + 1, into others */
    uint32_t *others; /* 2 * link_count: the things beside each */
    uint32_t *queue;  /* of things to look at again */
    uint32_t *node;   /* of an open thing, its first of two nodes */
    int32_t *costs;   /* of a thing with those of its decided neighbours, by 3 */
    uint32_t *open;   /* open neighbours */
    pl_flow *flow;
};

static pleat_result sort_links(pl_live_labeller *l, pl_arena *arena, const uint32_t *links, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_ARENA_NEW_OR_FAIL(l->first, arena, uint32_t, (size_t)l->thing_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(l->others, arena, uint32_t, 2 * (size_t)l->link_count, error);
    for (size_t i = 0; i < 2 * (size_t)l->link_count; ++i)
    {
        ++l->first[links[i]];
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= l->thing_count; ++i)
    {
        sum += i < l->thing_count ? l->first[i] : 0;
        l->first[i] = sum; /* the end of its list, which filling brings to its beginning */
    }
    for (uint32_t i = l->link_count; i-- > 0;)
    {
        uint32_t a = links[2 * (size_t)i], b = links[2 * (size_t)i + 1];
        l->others[--l->first[a]] = b;
        l->others[--l->first[b]] = a;
    }
fail:
    return result;
}

pleat_result pl_live_labeller_create(pl_arena *arena, uint32_t thing_count, uint32_t link_count, const uint32_t *links,
                                     pl_live_labeller **out, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_live_labeller *l;
    PL_ARENA_NEW_OR_FAIL(l, arena, pl_live_labeller, 1, error);
    l->thing_count = thing_count;
    l->link_count = link_count;
    PL_TRY(sort_links(l, arena, links, error));
    PL_ARENA_NEW_OR_FAIL(l->queue, arena, uint32_t, thing_count, error);
    PL_ARENA_NEW_OR_FAIL(l->node, arena, uint32_t, thing_count, error);
    PL_ARENA_NEW_OR_FAIL(l->costs, arena, int32_t, PL_LIVE_LABELS * (size_t)thing_count, error);
    PL_ARENA_NEW_OR_FAIL(l->open, arena, uint32_t, thing_count, error);
    /* Two links between the nodes of neighbours, and one within a thing. */
    PL_TRY(pl_flow_create(arena, 2 * thing_count, 2 * link_count + thing_count, &l->flow, error));
    *out = l;
fail:
    return result;
}

static int32_t distance(int a, int b)
{
    return a < b ? b - a : a - b;
}

/* The label that is best whatever the open neighbours take: each of them can favour another one by no more than a step
 * for each step between the two. */
static uint8_t decide(const pl_live_labeller *l, uint32_t i, int32_t step)
{
    const int32_t *cost = l->costs + PL_LIVE_LABELS * (size_t)i;
    int64_t sway = (int64_t)step * l->open[i];
    for (uint8_t label = 0; label < PL_LIVE_LABELS; ++label)
    {
        bool best = true;
        for (uint8_t other = 0; other < PL_LIVE_LABELS; ++other)
        {
            best = best && cost[label] + sway * distance(label, other) <= cost[other];
        }
        if (best)
        {
            return label;
        }
    }
    return OPEN;
}

static void tell_neighbours(pl_live_labeller *l, uint32_t i, uint8_t label, int32_t step)
{
    for (uint32_t k = l->first[i]; k < l->first[i + 1]; ++k)
    {
        uint32_t j = l->others[k];
        --l->open[j];
        for (int other = 0; other < PL_LIVE_LABELS; ++other)
        {
            l->costs[PL_LIVE_LABELS * (size_t)j + (size_t)other] += step * distance(label, other);
        }
    }
}

/* Decides what can be decided, in rounds through those whose neighbours were. Returns how many stay open. */
static uint32_t decide_all(pl_live_labeller *l, int32_t step, uint8_t *labels)
{
    uint32_t count = l->thing_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        l->queue[i] = i;
    }
    for (bool again = true; again;)
    {
        uint32_t left = 0;
        again = false;
        for (uint32_t k = 0; k < count; ++k)
        {
            uint32_t i = l->queue[k];
            labels[i] = decide(l, i, step);
            if (labels[i] == OPEN)
            {
                l->queue[left++] = i;
                continue;
            }
            tell_neighbours(l, i, labels[i], step);
            again = true;
        }
        count = left;
    }
    return count;
}

/* First node: on the source's side from resting on; second: where stretched. The arc back from the second to the first
 * is without end, so that no thing is stretched without being at least resting. */
static void cut_open(pl_live_labeller *l, uint32_t count, int32_t step, uint8_t *labels)
{
    pl_flow_begin(l->flow, 2 * count);
    for (uint32_t k = 0; k < count; ++k)
    {
        l->node[l->queue[k]] = 2 * k;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        uint32_t i = l->queue[k];
        const int32_t *cost = l->costs + PL_LIVE_LABELS * (size_t)i;
        pl_flow_terminal(l->flow, 2 * k, cost[PLEAT_LIVE_COMPRESSED]);
        pl_flow_terminal(l->flow, 2 * k + 1, -cost[PLEAT_LIVE_STRETCHED]);
        pl_flow_link(l->flow, 2 * k, 2 * k + 1, cost[PLEAT_LIVE_RESTING], INT32_MAX / 2);
        for (uint32_t m = l->first[i]; m < l->first[i + 1]; ++m)
        {
            uint32_t j = l->others[m];
            if (labels[j] == OPEN && i < j)
            {
                pl_flow_link(l->flow, 2 * k, l->node[j], step, step);
                pl_flow_link(l->flow, 2 * k + 1, l->node[j] + 1, step, step);
            }
        }
    }
    pl_flow_run(l->flow);
    for (uint32_t k = 0; k < count; ++k)
    {
        bool stretched = !pl_flow_is_sink(l->flow, 2 * k + 1), compressed = pl_flow_is_sink(l->flow, 2 * k);
        labels[l->queue[k]] = stretched    ? PLEAT_LIVE_STRETCHED
                              : compressed ? PLEAT_LIVE_COMPRESSED
                                           : PLEAT_LIVE_RESTING;
    }
}

uint32_t pl_live_label(pl_live_labeller *l, const int32_t *costs, int32_t step, uint8_t *labels)
{
    for (uint32_t i = 0; i < l->thing_count; ++i)
    {
        for (size_t k = 0; k < PL_LIVE_LABELS; ++k)
        {
            l->costs[PL_LIVE_LABELS * (size_t)i + k] = costs[PL_LIVE_LABELS * (size_t)i + k];
        }
        l->open[i] = l->first[i + 1] - l->first[i];
    }
    uint32_t count = decide_all(l, step, labels);
    if (count)
    {
        cut_open(l, count, step, labels);
    }
    return count;
}

/* ---- Costs ---- */

/* The thesis' own, found by trying there, for stretches from one frame to the next at 30 frames a second. */
static const float SIGMA = 0.05f, ALPHA = 9, BETA = 90;
/* No cost is more: stretches of the other kind are as unlikely at twice as much as at 64 times. */
static const float MOST_COST = 10;

static float bell(float x)
{
    return expf(-x * x / (2 * SIGMA * SIGMA));
}

/* Eq. 4.5. Printed, the case a < b is (b/a)(H - 1) + 1, by which being compressed would become likelier the more
 * stretch prevails, against the text: it must be a/b. */
static float one_sided(float a, float b)
{
    float high = expf(-ALPHA * (a - 1));
    if (!(a > b))
    {
        return fminf(a / b * (high - 1) + 1, MOST_COST);
    }
    float low = expf(-BETA * a);
    return fminf((high - low) * bell((a - b) * 0.70710678f) + low, MOST_COST);
}

void pl_live_costs(float small, float large, int32_t costs[PL_LIVE_LABELS])
{
    float compression = 1 / small;
    float cost[PL_LIVE_LABELS];
    cost[PLEAT_LIVE_COMPRESSED] = one_sided(compression, large);
    cost[PLEAT_LIVE_RESTING] = 1 - bell(fabsf(compression - 1) + fabsf(large - 1));
    cost[PLEAT_LIVE_STRETCHED] = one_sided(large, compression);
    for (int k = 0; k < PL_LIVE_LABELS; ++k)
    {
        costs[k] = (int32_t)(cost[k] * PL_LIVE_COST_UNIT);
    }
}
