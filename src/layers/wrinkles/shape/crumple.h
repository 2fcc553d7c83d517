/* Where coarse cloth is crumpled: a triangle has turned over against those around it, or lost nearly all of its area.
 *
 * There the cloth has no side to put a wrinkle on. Its normals turn by 160 degrees within a three hundredth of a second
 * as a triangle goes through itself, and wrinkles that stand along them would jump from one side to the other. So
 * wrinkles are flat where cloth is crumpled, and rise as it comes apart. It takes no state: what is measured goes on
 * without steps in time, and over the surface. */
#ifndef PL_LAYERS_WRINKLES_SHAPE_CRUMPLE_H
#define PL_LAYERS_WRINKLES_SHAPE_CRUMPLE_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/mesh.h"

typedef struct pl_wrinkle_crumple
{
    const pleat_topology *topology;
    float *per_area;  /* #C: one over twice the triangle's area at rest; 0: it is turned from its vertex at rest, too */
    pl_f4 *normals;   /* #V */
    float *soundness; /* #V, of the last frame: 1 a sheet, 0 crumpled */
} pl_wrinkle_crumple;

/* topology must outlive the object. rest: #V. */
pleat_result pl_wrinkle_crumple_make(pl_wrinkle_crumple *crumple, const pleat_topology *topology,
                                     const pleat_vec4 *rest, pl_arena *arena, pleat_error *error);
/* False where the cloth is sound all over. Never allocates. */
bool pl_wrinkle_crumple_update(pl_wrinkle_crumple *crumple, const pleat_vec4 *positions);
/* Between the corners of a triangle. */
float pl_wrinkle_soundness(const pl_wrinkle_crumple *crumple, uint32_t triangle, const float barycentric[3]);

#endif
