#include "layers/live/labels/flow.h"

#include <string.h>

/* What a node's parent can be besides an arc. */
enum
{
    NO_PARENT = UINT32_MAX,
    TERMINAL = UINT32_MAX - 1,
    ORPHAN = UINT32_MAX - 2,
    NOBODY = UINT32_MAX
};

typedef struct arc
{
    uint32_t head, next; /* next: of the same tail; the arc back is the one whose index differs in the last bit */
    int32_t room;
} arc;

typedef struct node
{
    uint32_t first;  /* arc */
    uint32_t parent; /* the arc to it */
    uint32_t queued; /* the next active node; itself at the end; NOBODY: not active */
    uint32_t stamp, distance;
    int32_t excess; /* room from the source, or below 0: to the sink */
    bool sink;      /* of which tree, if it has a parent */
} node;

struct pl_flow
{
    node *nodes;
    arc *arcs;
    uint32_t *orphans; /* a ring of node_capacity + 1 */
    uint32_t node_capacity, node_count, arc_count;
    uint32_t first_active, last_active;
    uint32_t orphan_first, orphan_end;
    uint32_t time;
};

pleat_result pl_flow_create(pl_arena *arena, uint32_t node_capacity, uint32_t link_capacity, pl_flow **out,
                            pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_flow *flow;
    PL_ARENA_NEW_OR_FAIL(flow, arena, pl_flow, 1, error);
    PL_ARENA_NEW_OR_FAIL(flow->nodes, arena, node, node_capacity, error);
    PL_ARENA_NEW_OR_FAIL(flow->arcs, arena, arc, 2 * (size_t)link_capacity, error);
    PL_ARENA_NEW_OR_FAIL(flow->orphans, arena, uint32_t, (size_t)node_capacity + 1, error);
    flow->node_capacity = node_capacity;
    *out = flow;
fail:
    return result;
}

void pl_flow_begin(pl_flow *flow, uint32_t node_count)
{
    flow->node_count = node_count;
    flow->arc_count = 0;
    for (uint32_t i = 0; i < node_count; ++i)
    {
        flow->nodes[i] = (node){.first = NOBODY, .parent = NO_PARENT, .queued = NOBODY};
    }
}

void pl_flow_terminal(pl_flow *flow, uint32_t i, int32_t capacity)
{
    flow->nodes[i].excess += capacity;
}

void pl_flow_link(pl_flow *flow, uint32_t a, uint32_t b, int32_t forth, int32_t back)
{
    uint32_t index = flow->arc_count;
    flow->arcs[index] = (arc){b, flow->nodes[a].first, forth};
    flow->arcs[index + 1] = (arc){a, flow->nodes[b].first, back};
    flow->nodes[a].first = index;
    flow->nodes[b].first = index + 1;
    flow->arc_count += 2;
}

/* ---- Lists of active nodes and of orphans ---- */

static void activate(pl_flow *flow, uint32_t i)
{
    if (flow->nodes[i].queued != NOBODY)
    {
        return;
    }
    if (flow->first_active == NOBODY)
    {
        flow->first_active = i;
    }
    else
    {
        flow->nodes[flow->last_active].queued = i;
    }
    flow->last_active = i;
    flow->nodes[i].queued = i;
}

/* The next active node that is still in a tree, or NOBODY. */
static uint32_t next_active(pl_flow *flow)
{
    while (flow->first_active != NOBODY)
    {
        uint32_t i = flow->first_active;
        flow->first_active = flow->nodes[i].queued == i ? NOBODY : flow->nodes[i].queued;
        flow->nodes[i].queued = NOBODY;
        if (flow->nodes[i].parent != NO_PARENT)
        {
            return i;
        }
    }
    return NOBODY;
}

static void orphan(pl_flow *flow, uint32_t i)
{
    flow->nodes[i].parent = ORPHAN;
    flow->orphans[flow->orphan_end] = i;
    flow->orphan_end = flow->orphan_end == flow->node_capacity ? 0 : flow->orphan_end + 1;
}

/* ---- Growing the trees ---- */

/* Room along the direction of flow between a node of a tree and the node at the head of one of its arcs. */
static int32_t room_outward(const pl_flow *flow, const node *tail, uint32_t a)
{
    return flow->arcs[tail->sink ? a ^ 1 : a].room;
}

/* Takes what is around node i into its tree. Returns the arc, from the source's tree to the sink's, where both meet;
 * or NOBODY. */
static uint32_t grow(pl_flow *flow, uint32_t i)
{
    node *tail = &flow->nodes[i];
    for (uint32_t a = tail->first; a != NOBODY; a = flow->arcs[a].next)
    {
        if (room_outward(flow, tail, a) == 0)
        {
            continue;
        }
        uint32_t j = flow->arcs[a].head;
        node *head = &flow->nodes[j];
        if (head->parent == NO_PARENT)
        {
            head->sink = tail->sink;
            head->parent = a ^ 1;
            head->stamp = tail->stamp;
            head->distance = tail->distance + 1;
            activate(flow, j);
        }
        else if (head->sink != tail->sink)
        {
            return tail->sink ? a ^ 1 : a;
        }
        else if (head->stamp <= tail->stamp && head->distance > tail->distance)
        {
            head->parent = a ^ 1; /* a shorter way to the terminal */
            head->stamp = tail->stamp;
            head->distance = tail->distance + 1;
        }
    }
    return NOBODY;
}

/* ---- Augmenting ---- */

/* The least room on the way from a node to its terminal. */
static int32_t room_to_terminal(const pl_flow *flow, uint32_t i, int32_t least)
{
    const node *n = &flow->nodes[i];
    while (n->parent != TERMINAL)
    {
        int32_t room = flow->arcs[n->sink ? n->parent : n->parent ^ 1].room;
        least = room < least ? room : least;
        n = &flow->nodes[flow->arcs[n->parent].head];
    }
    int32_t room = n->sink ? -n->excess : n->excess;
    return room < least ? room : least;
}

static void push_to_terminal(pl_flow *flow, uint32_t i, int32_t amount)
{
    node *n = &flow->nodes[i];
    while (n->parent != TERMINAL)
    {
        uint32_t a = n->parent, along = n->sink ? a : a ^ 1;
        flow->arcs[along].room -= amount;
        flow->arcs[along ^ 1].room += amount;
        if (flow->arcs[along].room == 0)
        {
            orphan(flow, i);
        }
        i = flow->arcs[a].head;
        n = &flow->nodes[i];
    }
    n->excess += n->sink ? amount : -amount;
    if (n->excess == 0)
    {
        orphan(flow, i);
    }
}

static int32_t augment(pl_flow *flow, uint32_t meeting)
{
    uint32_t from = flow->arcs[meeting ^ 1].head, to = flow->arcs[meeting].head;
    int32_t amount = room_to_terminal(flow, from, flow->arcs[meeting].room);
    amount = room_to_terminal(flow, to, amount);
    flow->arcs[meeting].room -= amount;
    flow->arcs[meeting ^ 1].room += amount;
    push_to_terminal(flow, from, amount);
    push_to_terminal(flow, to, amount);
    return amount;
}

/* ---- Adopting orphans ---- */

/* How far a node is from its terminal; NOBODY where its tree hangs on an orphan. Marks the way with the distances. */
static uint32_t distance_of(pl_flow *flow, uint32_t start)
{
    uint32_t distance = 0;
    for (uint32_t j = start;; j = flow->arcs[flow->nodes[j].parent].head)
    {
        const node *n = &flow->nodes[j];
        if (n->stamp == flow->time)
        {
            distance += n->distance;
            break;
        }
        ++distance;
        if (n->parent == TERMINAL)
        {
            flow->nodes[j].stamp = flow->time;
            flow->nodes[j].distance = 1;
            break;
        }
        if (n->parent == ORPHAN || n->parent == NO_PARENT)
        {
            return NOBODY;
        }
    }
    uint32_t left = distance;
    for (uint32_t j = start; flow->nodes[j].stamp != flow->time; j = flow->arcs[flow->nodes[j].parent].head)
    {
        flow->nodes[j].stamp = flow->time;
        flow->nodes[j].distance = left--;
    }
    return distance;
}

/* Leaves node i without a tree: who hung on it is an orphan, who could reach it may grow again. */
static void abandon(pl_flow *flow, uint32_t i)
{
    node *n = &flow->nodes[i];
    n->parent = NO_PARENT;
    for (uint32_t a = n->first; a != NOBODY; a = flow->arcs[a].next)
    {
        uint32_t j = flow->arcs[a].head;
        const node *other = &flow->nodes[j];
        if (other->sink != n->sink || other->parent == NO_PARENT)
        {
            continue;
        }
        if (flow->arcs[n->sink ? a : a ^ 1].room > 0)
        {
            activate(flow, j);
        }
        if (other->parent != TERMINAL && other->parent != ORPHAN && flow->arcs[other->parent].head == i)
        {
            orphan(flow, j);
        }
    }
}

static void adopt(pl_flow *flow, uint32_t i)
{
    node *n = &flow->nodes[i];
    uint32_t best = NOBODY, best_distance = NOBODY;
    for (uint32_t a = n->first; a != NOBODY; a = flow->arcs[a].next)
    {
        uint32_t j = flow->arcs[a].head;
        const node *other = &flow->nodes[j];
        if (flow->arcs[n->sink ? a : a ^ 1].room == 0 || other->sink != n->sink || other->parent == NO_PARENT)
        {
            continue;
        }
        uint32_t distance = distance_of(flow, j);
        if (distance < best_distance)
        {
            best = a;
            best_distance = distance;
        }
    }
    if (best == NOBODY)
    {
        abandon(flow, i);
        return;
    }
    n->parent = best;
    n->stamp = flow->time;
    n->distance = best_distance + 1;
}

static void adopt_all(pl_flow *flow)
{
    while (flow->orphan_first != flow->orphan_end)
    {
        uint32_t i = flow->orphans[flow->orphan_first];
        flow->orphan_first = flow->orphan_first == flow->node_capacity ? 0 : flow->orphan_first + 1;
        adopt(flow, i);
    }
}

static void plant(pl_flow *flow)
{
    flow->first_active = flow->last_active = NOBODY;
    flow->orphan_first = flow->orphan_end = 0;
    flow->time = 1;
    for (uint32_t i = 0; i < flow->node_count; ++i)
    {
        node *n = &flow->nodes[i];
        if (n->excess != 0)
        {
            n->sink = n->excess < 0;
            n->parent = TERMINAL;
            n->distance = 1;
            activate(flow, i);
        }
    }
}

int64_t pl_flow_run(pl_flow *flow)
{
    int64_t total = 0;
    plant(flow);
    for (uint32_t current = NOBODY;;)
    {
        if (current == NOBODY || flow->nodes[current].parent == NO_PARENT)
        {
            current = next_active(flow);
            if (current == NOBODY)
            {
                return total;
            }
        }
        uint32_t meeting = grow(flow, current);
        ++flow->time;
        if (meeting == NOBODY)
        {
            current = NOBODY;
            continue;
        }
        total += augment(flow, meeting);
        adopt_all(flow);
    }
}

bool pl_flow_is_sink(const pl_flow *flow, uint32_t i)
{
    return flow->nodes[i].parent == NO_PARENT || flow->nodes[i].sink;
}
