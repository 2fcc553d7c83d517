/* Labels of things that hang together: compressed, resting, stretched.
 *
 * R. Gillette, 2015, sec. 4.1.2: the labels with the least sum of a cost for each thing and a cost for each pair of
 * neighbours that disagree. Neighbours cost the same for each step from compressed over resting to stretched (.2, .2,
 * .4), so that the labels are ordered and one minimum cut with two nodes a thing gives the optimum; the thesis' moves
 * of alpha-expansion miss it now and then. Things whose label their own cost decides, whatever their neighbours say,
 * are found first and do not enter the cut: at rest that is nearly all. */
#ifndef PL_LAYERS_LIVE_LABELS_LABEL_H
#define PL_LAYERS_LIVE_LABELS_LABEL_H

#include "base/memory.h"
#include "pleat/layers/live.h"

enum
{
    PL_LIVE_LABELS = PLEAT_LIVE_STRETCHED + 1
};

/* Costs are whole numbers, so that the optimum does not hang on rounding: thousandths of a thousandth. */
#define PL_LIVE_COST_UNIT 1000000.0f

typedef struct pl_live_labeller pl_live_labeller;

/* links: link_count pairs of things; the same pair may come more than once. */
pleat_result pl_live_labeller_create(pl_arena *arena, uint32_t thing_count, uint32_t link_count, const uint32_t *links,
                                     pl_live_labeller **labeller, pleat_error *error);

/* costs: #things by 3, 0 .. 1e8; step: of one step between neighbours. labels: #things, out. Never allocates. Returns
 * how many things were left to the cut. */
uint32_t pl_live_label(pl_live_labeller *labeller, const int32_t *costs, int32_t step, uint8_t *labels);

/* What stretches against an earlier time say of a triangle: the costs of its labels, eqs. 4.4 to 4.7. small and large:
 * principal stretches over 1/30 s. */
void pl_live_costs(float small, float large, int32_t costs[PL_LIVE_LABELS]);

#endif
