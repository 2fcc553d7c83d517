/* Cloth that is modelled on both sides: an outer side and a lining, with or without a rim between them.
 *
 * Folds are found and solved on the outer side alone. A lining that folded by itself would rise along its own normals,
 * inwards, and shrink where the outer side grows; so it follows: each of its vertices moves as the place of the outer
 * side does that lies before it. What is between the two stays what skinning made of it, and nothing crosses. */
#ifndef PL_LAYERS_FOLDS_GARMENT_LINING_H
#define PL_LAYERS_FOLDS_GARMENT_LINING_H

#include "layers/folds/folds.h"

/* The bone of a joint, in the space of the rest shape: a place and a unit direction. */
typedef struct pl_fold_bone
{
    pl_f4 place, axis;
} pl_fold_bone;

/* Which triangles are lining, or of a shell that a mask leaves out as a whole. bones: by joint of the skin. */
pleat_result pl_folds_find_lining(const pleat_cloth *cloth, const pl_fold_bone *bones, uint32_t bone_count,
                                  const pleat_host *host, pl_arena *arena, pl_fold_sides *out, pleat_error *error);

/* The outer side of a surface with the same vertices. coarse_triangle: #T -> entry of lining, NULL: the same. */
pleat_result pl_folds_outer_side(const pleat_topology *whole, const uint32_t *coarse_triangle, const uint8_t *lining,
                                 const pleat_host *host, pleat_topology **out, pleat_error *error);

/* Finds what each vertex of the lining follows, once rings are bound. outer: the outer side of the cloth. */
pleat_result pl_folds_bind_lining(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                                  const pl_ring_surface *outer, pleat_error *error);

/* Before folds rise, and after. A vertex of the lining keeps its place bit for bit where nothing rises before it. */
void pl_folds_note_outer(pl_folds_layer *layer, const pleat_layer_frame *frame);
void pl_folds_pull_lining(const pl_folds_layer *layer, const pleat_layer_frame *frame);

/* Set marks (#V bytes) to 1 where rings, and where a lining, ever move a vertex. */
void pl_folds_mark_rings(const pl_folds_layer *layer, uint8_t *marks);
void pl_folds_mark_lining(const pl_folds_layer *layer, uint8_t *marks);

#endif
