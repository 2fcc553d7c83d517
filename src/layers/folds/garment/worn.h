/* What a garment is worn with: the other meshes of the file, and the other shells of its own mesh, as they lie at rest.
 *
 * Each is asked in its own space. A joint that both skins have says how that space lies in the cloth's, so exporters
 * that give every mesh a skin of its own do no harm. */
#ifndef PL_LAYERS_FOLDS_GARMENT_WORN_H
#define PL_LAYERS_FOLDS_GARMENT_WORN_H

#include "layers/folds/folds.h"

typedef struct pl_fold_worn
{
    uint32_t triangle_count;
    const uint32_t *triangles; /* by 3 */
    const pleat_vec4 *positions;
    pleat_bvh *bvh;
    uint32_t shell_count;
    uint32_t *shells; /* by triangle; PLEAT_NONE: degenerate */
    bool own;         /* the cloth itself: each shell is asked by the others */
    uint32_t carrier; /* the node that carries all of it, where it has no skin; else PLEAT_NONE */
    const pleat_skin *skin;
    uint32_t influence_count;
    const uint16_t *joints;
    const float *weights;
    pleat_affine *ways; /* by joint of the cloth's skin and one more: from the cloth's rest shape to positions */
    uint8_t *hangs;     /* by joint: it has that joint, too */
} pl_fold_worn;

/* Calls visit for each of them, one after the other. */
typedef pleat_result pl_fold_worn_visit(void *user, const pl_fold_worn *worn, pleat_error *error);
pleat_result pl_folds_each_worn(const pleat_cloth *cloth, const pleat_host *host, pl_fold_worn_visit *visit, void *user,
                                pleat_error *error);

/* How much of a vertex of the cloth moves with a triangle of what is worn, 0 .. 1. */
float pl_fold_worn_together(const pl_fold_worn *worn, const pleat_cloth *cloth, uint32_t vertex, uint32_t triangle);

/* What lies beneath rings (garment/beneath.c): makes room for it, before anything is asked; asks one. */
pleat_result pl_folds_prepare_beneath(pl_folds_layer *layer, pleat_error *error);
void pl_folds_ask_beneath(pl_folds_layer *layer, const pleat_cloth *cloth, const pl_ring_surface *surface,
                          const pl_fold_worn *worn);

#endif
