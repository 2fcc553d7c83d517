/* pleat/strain.h: how each triangle is stretched against its rest shape. */
#ifndef PLEAT_STRAIN_H
#define PLEAT_STRAIN_H

#include "pleat/base.h"

PLEAT_BEGIN

/* The stretch tensor of a triangle by its principal values: lengths now over lengths at rest. */
typedef struct pleat_stretch
{
    float smallest;    /* 0 .. : below 1 the triangle is compressed across `across` */
    float largest;     /* at least smallest */
    pleat_vec3 across; /* unit, in the triangle as it is now: the direction of the smallest stretch */
    pleat_vec3 along;  /* and of the largest */
} pleat_stretch;

typedef struct pleat_strain pleat_strain;

/* triangles: #T by 3 into rest's vertex_count points. A triangle without area at rest (or with a corner used twice) has
 * no tensor: its stretches are 1, its directions zero, and its rest area 0. */
pleat_result pleat_strain_create(uint32_t vertex_count, const pleat_vec4 *rest, uint32_t triangle_count,
                                 const uint32_t *triangles, const pleat_host *host, pleat_strain **strain,
                                 pleat_error *error);
void pleat_strain_destroy(pleat_strain *strain);
/* out: #T. Never allocates; the same bits for any number of threads. */
void pleat_strain_update(const pleat_strain *strain, const pleat_vec4 *positions, pleat_stretch *out,
                         const pleat_tasks *tasks);
/* #T rest areas. */
const float *pleat_strain_areas(const pleat_strain *strain);

PLEAT_END

#endif
