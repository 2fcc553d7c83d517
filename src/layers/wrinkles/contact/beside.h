/* Wrinkles and the other meshes of a character: a vertex that a wrinkle would push through cloth above or below it, or
 * into a skin, stops before it. Unlike a body (contact/contact.h), what lies beside has no inside: only the way from
 * where the vertex stood to where it is going counts. */
#ifndef PL_LAYERS_WRINKLES_CONTACT_BESIDE_H
#define PL_LAYERS_WRINKLES_CONTACT_BESIDE_H

#include "pleat/layers/wrinkles.h"

typedef struct pl_wrinkle_beside pl_wrinkle_beside;

typedef struct pl_wrinkle_beside_desc
{
    const pleat_neighbours *neighbours; /* must outlive the object */
    uint32_t node;                      /* whose triangles are left out */
    float gap;                          /* metres, above 0 */
    float share; /* of the room up to cloth that a wrinkle may take: 1, or half where both sides move */
} pl_wrinkle_beside_desc;

/* NULL in *beside where no other mesh is left. */
pleat_result pl_wrinkle_beside_create(const pl_wrinkle_beside_desc *desc, const pleat_host *host,
                                      pl_wrinkle_beside **beside, pleat_error *error);
void pl_wrinkle_beside_destroy(pl_wrinkle_beside *beside); /* NULL is fine */
/* As pl_wrinkle_contact_update. */
uint32_t pl_wrinkle_beside_update(pl_wrinkle_beside *beside, float time, uint32_t vertex_count, const pleat_vec4 *from,
                                  pleat_vec4 *positions, const pleat_tasks *tasks);

#endif
