/* Chains: several joints that share one bend, as a tail, a neck of many bones, or a knee with a helper.
 *
 * Each would get a ring of its own, a fold or two from the next. Rings share the cloth between them by fading out over
 * a fold's width, so such rings would do little but fade, and half of the length stay lost. One ring in the middle of
 * the chain, whose lines cross all of it, keeps the length as that of a single joint does. */
#include "layers/folds/rings/ring.h"

#include "base/fail.h"

/* Widths that differ by no more than this are alike. */
#define ALIKE 0.2f

/* Rings nearer than this, in widths of a fold, bend together. */
#define NEAR 3.8f
/* And a chain is no longer than this to each side of its middle: lines must reach over it. */
#define FAR 4.0f

float pl_folds_apart(const pl_ring *ring, const pl_ring *other)
{
    float sum = 0;
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float nearest = INFINITY;
        for (uint32_t j = 0; j < other->station_count; ++j)
        {
            nearest = fminf(nearest, pl_length3(ring->stations[i].position - other->stations[j].position));
        }
        sum += nearest;
    }
    return sum / (float)ring->station_count;
}

static bool same_values(const pl_fold_values *a, const pl_fold_values *b)
{
    float wider = fmaxf(a->width, b->width);
    return fabsf(a->width - b->width) <= ALIKE * wider && a->strength == b->strength && a->length == b->length &&
           a->angle == b->angle && a->spread == b->spread;
}

/* Does a ring lie within a distance of another all the way round? Where a limb branches off, as an arm off the chest,
 * the far side of the trunk's ring does not, and its folds would not be the limb's. */
static bool is_beside(const pl_ring *ring, const pl_ring *other, float distance)
{
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        bool beside = false;
        for (uint32_t j = 0; j < other->station_count && !beside; ++j)
        {
            beside = pl_length3(ring->stations[i].position - other->stations[j].position) < distance;
        }
        if (!beside)
        {
            return false;
        }
    }
    return true;
}

/* Do two rings belong to one chain, and lie within a distance of each other? */
static bool in_chain(const pl_fold_ring *a, const pl_fold_ring *b, float within)
{
    bool related = a->below[b->joint] || b->below[a->joint];
    float distance = within * fminf(a->values.width, b->values.width);
    return related && a->shell == b->shell && a->ring.closed == b->ring.closed && same_values(&a->values, &b->values) &&
           is_beside(&a->ring, &b->ring, distance) && is_beside(&b->ring, &a->ring, distance);
}

enum
{
    FREE,
    MEMBER, /* of the chain at hand */
    KEPT,
    DROPPED
};

/* Adds to the chain at hand what hangs on it. Returns false when nothing more does. */
static bool grow(const pl_folds_plan *plan, uint8_t *state)
{
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        for (uint32_t m = 0; m < plan->ring_count && state[r] == FREE; ++m)
        {
            if (state[m] == MEMBER && in_chain(&plan->rings[m], &plan->rings[r], NEAR))
            {
                state[r] = MEMBER;
                return true;
            }
        }
    }
    return false;
}

/* The member from which the farthest other one is nearest. */
static uint32_t middle_of(const pl_folds_plan *plan, const uint8_t *state)
{
    uint32_t best = PLEAT_NONE;
    float least = INFINITY;
    for (uint32_t a = 0; a < plan->ring_count; ++a)
    {
        float farthest = 0;
        for (uint32_t b = 0; b < plan->ring_count && state[a] == MEMBER; ++b)
        {
            if (state[b] == MEMBER)
            {
                farthest = fmaxf(farthest, pl_folds_apart(&plan->rings[a].ring, &plan->rings[b].ring));
            }
        }
        if (state[a] == MEMBER && farthest < least)
        {
            least = farthest;
            best = a;
        }
    }
    return best;
}

/* The middle of the chain at hand takes over what its lines can reach; others are free again. */
static void keep_middle(const pl_folds_plan *plan, uint8_t *state)
{
    uint32_t middle = middle_of(plan, state);
    pl_fold_ring *kept = &plan->rings[middle];
    float reach = kept->reach;
    state[middle] = KEPT;
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        if (state[r] == MEMBER)
        {
            bool near = in_chain(kept, &plan->rings[r], FAR);
            state[r] = near ? DROPPED : FREE;
            reach =
                near ? fmaxf(reach, pl_folds_apart(&kept->ring, &plan->rings[r].ring) + plan->rings[r].reach) : reach;
        }
    }
    kept->chain += reach - kept->reach;
    kept->reach = reach;
}

pleat_result pl_folds_merge_chains(pl_folds_plan *plan, pl_patch *probes, pleat_error *error)
{
    uint8_t *state = PL_ARENA_NEW(&plan->arena, uint8_t, plan->ring_count);
    uint32_t kept = 0;
    if (!state)
    {
        return pl_fail_memory(&plan->memory, error, "chains of joints");
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        while (state[r] == FREE)
        {
            state[r] = MEMBER;
            while (grow(plan, state))
            {
            }
            keep_middle(plan, state);
        }
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        if (state[r] == DROPPED)
        {
            pl_patch_release(&probes[r]);
            continue;
        }
        plan->rings[kept] = plan->rings[r];
        probes[kept] = probes[r];
        probes[kept].ring = &plan->rings[kept].ring; /* it has moved */
        ++kept;
    }
    plan->ring_count = kept;
    return PLEAT_OK;
}
