/* pleat/stretches.h: how the cloth of a bake is compressed and stretched, vertex by vertex: what a file or a texture
 * holds for shaders that show wrinkles, wear or blood flow where it happens.
 *
 * Everything is told in the space of the mesh's own vertices, so that it stays true while the mesh moves. See
 * docs/maps.md. */
#ifndef PLEAT_STRETCHES_H
#define PLEAT_STRETCHES_H

#include "pleat/bake.h"
#include "pleat/strain.h"

PLEAT_BEGIN

typedef struct pleat_stretches pleat_stretches;

/* Room for all stacks of the bake, which must outlive it. */
pleat_result pleat_stretches_create(const pleat_bake *bake, const pleat_host *host, pleat_stretches **stretches,
                                    pleat_error *error);
void pleat_stretches_destroy(pleat_stretches *stretches);
/* Forgets all frames: stretches of 1, no directions. */
void pleat_stretches_clear(pleat_stretches *stretches);
/* Takes in the frame that the bake computed last. Never allocates; the same bits for any number of threads. */
void pleat_stretches_add(pleat_stretches *stretches, const pleat_tasks *tasks);
/* Per surface vertex of a stack, over the frames since the last clear: the smallest stretch of all with its direction
 * across, and the largest with its direction along. Of one frame this is the whole tensor; of several the two may come
 * from different ones. Directions are unit in the mesh's own space, or zero where that stretch is within 0.01 % of 1.
 */
const pleat_stretch *pleat_stretches_of(const pleat_stretches *stretches, uint32_t stack);

/* The strain at a vertex as a symmetric tensor in the mesh's space, whatever its charts:
 * (smallest - 1) across across^T + (largest - 1) along along^T. Unlike directions it can be interpolated. out: xx, yy,
 * zz, xy, yz, zx. */
void pleat_stretch_to_tensor(const pleat_stretch *stretch, float out[6]);

PLEAT_END

#endif
