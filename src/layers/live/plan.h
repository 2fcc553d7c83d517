/* The live layer of a stack: what is found of a clip beforehand. */
#ifndef PL_LAYERS_LIVE_PLAN_H
#define PL_LAYERS_LIVE_PLAN_H

#include "layers/live/live.h"
#include "layers/wrinkles/wrinkles.h" /* where a mesh is to be fine, and frames of a set of wrinkles by their time */

typedef struct pl_live_plan
{
    pl_memory memory;
    pl_arena arena;
    pleat_live_options options; /* with a width above 0 */
    const pleat_topology *coarse;
    float *mask; /* #V of coarse, 0 or 1: where wrinkles may be */
    pl_wrinkle_wish wish;
    const pleat_wrinkle_set *set; /* own, or NULL: no clip */
    pleat_wrinkle_set own;
    uint32_t *first_wrinkle;
    pleat_wrinkle *wrinkles;
    pleat_wrinkle_point *points;
    size_t wrinkle_count, wrinkle_room, point_count, point_room;
} pl_live_plan;

pleat_result pl_live_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                               const pleat_host *host, void **plan, pleat_error *error);
bool pl_live_plan_wants(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
void pl_live_plan_destroy(void *plan);

/* A live object on the plan's coarse cloth. */
pleat_result pl_live_plan_live(const pl_live_plan *plan, const pleat_host *host, pleat_live **live, pleat_error *error);

#endif
