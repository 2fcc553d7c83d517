/* The inside of pleat_maps: places of render vertices on the coarse mesh (maps_place.c), and the maps (maps.c). */
#ifndef PL_BAKE_MAPS_H
#define PL_BAKE_MAPS_H

#include "bake/raster.h"
#include "bake/stack.h"
#include "pleat/maps.h"

/* A place on the coarse mesh, within one chart; may lie a little outside of its triangle past a seam or border. */
typedef struct pl_map_place
{
    uint32_t triangle;
    float weight[3];
} pl_map_place;

struct pleat_maps
{
    pl_memory memory;
    pl_arena arena;
    const pleat_stack *stack;
    pl_raster raster;
    float *coarse_uvs;     /* coarse render vertices by 2 */
    pl_map_place *starts;  /* render vertices of the shape: where Loop puts them */
    pleat_normals *coarse; /* normals of the coarse surface */
    pleat_vec4 *coarse_normals;
    pleat_vec4 *coarse_tangents; /* coarse render vertices */
    float *uvs;                  /* of the frame: render vertices of the shape by 2 */
    pl_f4 *values;               /* of the frame: height, normal in tangent space */
};

/* Fills starts. */
void pl_maps_find_starts(pleat_maps *maps);
/* The place from which the coarse normal leads to a point, and the height on it; from a first guess. */
pl_map_place pl_maps_project(const pleat_maps *maps, pl_map_place start, pl_f4 point, float *height);
/* Position and unit normal of the coarse mesh at a place. */
void pl_maps_at(const pleat_maps *maps, const pl_map_place *place, pl_f4 *position, pl_f4 *normal);

#endif
