/* Places of the coarse surface on the refined one. */
#ifndef PL_MESH_LOOP_PLACE_H
#define PL_MESH_LOOP_PLACE_H

#include "pleat/mesh.h"

typedef struct pl_refined_surface
{
    const uint32_t *coarse_triangles; /* of the coarse surface, by 3 */
    uint32_t triangle_count;
    const uint32_t *triangles;       /* #T by 3, refined */
    const uint32_t *coarse_triangle; /* #T, never falling */
    const uint32_t *vertex_triangle; /* #V -> a coarse triangle */
    const float *vertex_barycentric; /* #V by 3 */
} pl_refined_surface;

/* The barycentric coordinates of a refined vertex in a coarse triangle that has it (in itself, or on its border). */
void pl_refined_barycentric(const pl_refined_surface *surface, uint32_t vertex, uint32_t coarse_triangle, float out[3]);
/* The refined triangle and the coordinates in it. */
pleat_place pl_refined_find(const pl_refined_surface *surface, const pleat_place *coarse);

#endif
