/* Maximum flow, and with it the minimum cut, in graphs of two terminals with whole capacities.
 *
 * Y. Boykov, V. Kolmogorov, "An Experimental Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in
 * Vision", 2004: two search trees that are kept from one augmenting path to the next. */
#ifndef PL_LAYERS_LIVE_LABELS_FLOW_H
#define PL_LAYERS_LIVE_LABELS_FLOW_H

#include "base/memory.h"

typedef struct pl_flow pl_flow;

pleat_result pl_flow_create(pl_arena *arena, uint32_t node_capacity, uint32_t link_capacity, pl_flow **flow,
                            pleat_error *error);

/* Starts a graph of so many nodes (at most the capacity) without links. */
void pl_flow_begin(pl_flow *flow, uint32_t node_count);
/* Capacity from the source to a node, or (below 0) from it to the sink; adds up. */
void pl_flow_terminal(pl_flow *flow, uint32_t node, int32_t capacity);
/* Capacities from a to b and back, at least 0. */
void pl_flow_link(pl_flow *flow, uint32_t a, uint32_t b, int32_t forth, int32_t back);
/* The flow that the links let pass, beside what goes straight through a node; never allocates. */
int64_t pl_flow_run(pl_flow *flow);
/* After a run: whether a node is on the sink's side of a minimum cut. What could be on either is on the sink's. */
bool pl_flow_is_sink(const pl_flow *flow, uint32_t node);

#endif
