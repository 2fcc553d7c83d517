/* The inside of an atlas: charts of a surface (atlas/charts.c, atlas/flat.c) and their places in the square
 * (atlas/pack.c). */
#ifndef PL_EXPORT_ATLAS_ATLAS_H
#define PL_EXPORT_ATLAS_ATLAS_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/export/atlas.h"
#include "pleat/mesh.h"

/* A point of a chart. */
typedef float pl_flat[2];

/* A welded surface that is being cut. All arrays are in the arena. */
typedef struct pl_charts
{
    pl_memory *memory;
    pl_arena *arena;
    const pleat_topology *topology;
    const pl_f4 *positions; /* surface vertices */
    uint32_t triangle_count;
    pl_f4 *normals; /* of triangles, unit; zero where degenerate */
    pl_f4 *centres;
    float *areas;
    uint32_t *chart; /* of each triangle */
    uint32_t count;  /* charts */
    pl_f4 *axes;     /* triangle_count room: the direction each chart is seen from */
    uint32_t *seeds; /* likewise: a triangle in its middle */
    pl_flat *flat;   /* corners: where they lie in their chart, in units of the mesh, y upwards */
    /* Scratch. */
    uint32_t *order;      /* triangles */
    struct pl_wait *heap; /* 3 triangles and one more */
    uint32_t heap_count;
} pl_charts;

/* Cuts; angle in degrees. */
pleat_result pl_charts_cut(pl_charts *charts, float angle, pleat_error *error);
/* Lays every chart flat, and cuts those apart that would lie on themselves. */
pleat_result pl_charts_flatten(pl_charts *charts, pleat_error *error);

typedef struct pl_packing
{
    uint32_t padding; /* texels, as it came out */
    float scale;      /* of the unit square per unit of the mesh */
} pl_packing;

/* Turns and packs: flat becomes coordinates of the unit square, y downwards. */
pleat_result pl_charts_pack(pl_charts *charts, uint32_t size, uint32_t padding, pl_packing *packing,
                            pleat_error *error);

#endif
