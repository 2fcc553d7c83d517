/* Copies of a garment in its own place: levels of detail, or the same mesh twice. They are not worn with it: each folds
 * by itself, as if it were alone. */
#ifndef PL_LAYERS_FOLDS_GARMENT_TWIN_H
#define PL_LAYERS_FOLDS_GARMENT_TWIN_H

#include "layers/folds/garment/worn.h"

/* The garment as it is in the file, at rest. */
typedef struct pl_fold_twins
{
    const pleat_cloth *cloth;
    pleat_bvh *bvh;
    double area;
} pl_fold_twins;

pleat_result pl_fold_twins_make(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena, pl_fold_twins *out,
                                pleat_error *error);
void pl_fold_twins_release(pl_fold_twins *twins);
/* Is a part of another node's mesh the garment once more? worn: positions, triangles and ways. */
bool pl_fold_is_twin(const pl_fold_twins *twins, uint32_t node, const pl_fold_worn *worn, uint32_t vertex_count);

#endif
