/* Wrinkles stay between the layers of their own cloth: where cloth lies folded, each rises into its share of the room.
 *
 * From points of a crest rays go to the side that it stands on. What they meet of the same cloth leaves room for so
 * much of the wrinkle: all of it up to a sheet that turns its back, half where that one's wrinkles may come the other
 * way. Nothing jumps as cloth folds: a sheet counts little at first where its border, or a bend of it, comes over the
 * crest. */
#ifndef PL_LAYERS_WRINKLES_CONTACT_LAYERS_H
#define PL_LAYERS_WRINKLES_CONTACT_LAYERS_H

#include "base/vec.h"
#include "pleat/layers/wrinkles.h"

typedef struct pl_wrinkle_layers pl_wrinkle_layers;

typedef struct pl_wrinkle_layers_desc
{
    const pleat_topology *topology; /* the surface that was traced; must outlive the object, and so must rest */
    const pleat_vec4 *rest;         /* #V */
    pleat_wrinkle_side side;
    float gap;               /* metres, between layers */
    uint32_t point_capacity; /* of one frame */
} pl_wrinkle_layers_desc;

pleat_result pl_wrinkle_layers_create(const pl_wrinkle_layers_desc *desc, const pleat_host *host,
                                      pl_wrinkle_layers **layers, pleat_error *error);
void pl_wrinkle_layers_destroy(pl_wrinkle_layers *layers);

/* The cloth of a frame: #V positions and unit normals, which must stay until wrinkles were limited. Never allocates. */
void pl_wrinkle_layers_begin(pl_wrinkle_layers *layers, const pleat_vec4 *positions, const pl_f4 *normals,
                             const pleat_tasks *tasks);
/* Makes wrinkles as deep as there is room; their points are within the capacity. Never allocates; the same for any
 * number of threads. */
void pl_wrinkle_layers_limit(const pl_wrinkle_layers *layers, uint32_t wrinkle_count, const pleat_wrinkle *wrinkles,
                             pleat_wrinkle_point *points, const pleat_tasks *tasks);

#endif
