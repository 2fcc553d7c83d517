/* Wrinkles and the body under (or over) the cloth: a vertex that a wrinkle would push through the body, or nearer to it
 * than a gap, stops there, on its way along the wrinkle's own direction ("Animation Wrinkling", 2010, sec. 4.2).
 *
 * What counts is where the vertex stood before it was wrinkled: it stays on that side, whichever that is. Cloth that
 * was under the body already may come out, and goes no deeper. */
#ifndef PL_LAYERS_WRINKLES_CONTACT_CONTACT_H
#define PL_LAYERS_WRINKLES_CONTACT_CONTACT_H

#include "pleat/layers/wrinkles.h"

typedef struct pl_wrinkle_contact pl_wrinkle_contact;

/* body must outlive the object. gap: metres, above 0. */
pleat_result pl_wrinkle_contact_create(const pleat_body *body, float gap, const pleat_host *host,
                                       pl_wrinkle_contact **contact, pleat_error *error);
void pl_wrinkle_contact_destroy(pl_wrinkle_contact *contact);

/* from: #V before wrinkling, positions: #V after, changed in place. Vertices with the same bits in both stay. Returns
 * how many were stopped. Never allocates; the same bits for any number of threads. */
uint32_t pl_wrinkle_contact_update(pl_wrinkle_contact *contact, float time, uint32_t vertex_count,
                                   const pleat_vec4 *from, pleat_vec4 *positions, const pleat_tasks *tasks);

/* The distance of a point from the body in the last update, below 0 inside; INFINITY beyond reach. */
float pl_wrinkle_contact_distance(const pl_wrinkle_contact *contact, pleat_vec4 point, float reach);

#endif
