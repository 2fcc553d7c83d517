/* Where new wrinkles begin: the most compressed places that no wrinkle is near (section 2.2).
 *
 * The paper takes vertices as candidates; on a coarse mesh that spaces wrinkles by the mesh. Here they are the vertices
 * and, in triangles larger than the spacing, places between them, to begin with; and then places at the spacing beside
 * the wrinkles that are there, so that evenly compressed cloth gets evenly spaced wrinkles whatever its mesh. */
#ifndef PL_LAYERS_WRINKLES_CURVES_SEED_H
#define PL_LAYERS_WRINKLES_CURVES_SEED_H

#include "layers/wrinkles/curves/trace.h"

typedef struct pl_wrinkle_seeds
{
    uint32_t place_count;
    pleat_place *places;
    float *vertex_strength; /* #V, of the frame */
    uint32_t heap_count;
    uint32_t *heap;         /* places by strength, the strongest first */
    float *strength;        /* of each place in the heap */
    pl_wrinkle_grid barred; /* places that gave no wrinkle in this frame */
} pl_wrinkle_seeds;

pleat_result pl_wrinkle_seeds_make(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, pl_arena *arena,
                                   pleat_error *error);
/* Looks over all places in the field of a frame, the curves that are there being in tracer->now. */
void pl_wrinkle_seeds_collect(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer);
/* The strongest place of those that is still free; false when there is none left. */
bool pl_wrinkle_seeds_next(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, pl_flat_point *seed);
/* The strongest free place beside a curve. */
bool pl_wrinkle_seeds_beside(const pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer,
                             const pleat_wrinkle_point *points, uint32_t point_count, pl_flat_point *seed);
/* Not again in this frame. */
void pl_wrinkle_seeds_bar(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, const pleat_place *place);

/* No curve of the frame within a radius, but for those of an owner (or PLEAT_NONE). */
bool pl_wrinkle_free(const pl_wrinkle_tracer *tracer, const pleat_place *place, float radius);

#endif
