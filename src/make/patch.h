/* From an implicit solid to even triangles: polygonise, cut along curves, remesh, mirror.
 *
 * A patch is half of a symmetric surface, x >= 0, with its border on the plane x = 0. A curve is where another field
 * is zero on the surface: a hairline, a neckline, a hem. Vertices that lie on a curve or on the plane know it by a bit
 * and only ever slide along it; those with two bits are corners and stay. */
#ifndef PL_MAKE_PATCH_H
#define PL_MAKE_PATCH_H

#include "make/maker.h"

/* A scalar field; negative inside. */
typedef struct pl_field
{
    double (*value)(const void *user, pl_v3 p);
    const void *user;
} pl_field;

enum
{
    PL_PATCH_PLANE = 1, /* the bit of the plane x = 0; the bit of curve k is 2 << k */
    PL_PATCH_CURVES = 6
};

typedef struct pl_patch
{
    uint32_t vertex_count, vertex_capacity;
    uint32_t triangle_count, triangle_capacity;
    pl_v3 *positions;
    uint8_t *bits;       /* per vertex */
    uint32_t *triangles; /* by 3; a removed triangle has PLEAT_NONE as its first vertex */
    uint8_t *regions;    /* per triangle: bit k is set on the negative side of curve k */
    uint32_t *twins;     /* per corner, see pleat/mesh.h; made by pl_patch_connect */
    uint32_t *corners;   /* per vertex: one of its corners */
} pl_patch;

PL_INLINE uint32_t pl_next(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

PL_INLINE uint32_t pl_prev(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/* The gradient of a field by differences. */
pl_v3 pl_field_gradient(const pl_field *field, pl_v3 p);

/* The zero surface of a field in the box from (0, low.y, low.z) to high, on a grid of cubes of that size. The field may
 * be off as a distance by half. */
pleat_result pl_patch_polygonise(pl_maker *maker, const pl_field *field, pl_v3 low, pl_v3 high, double cell,
                                 pl_patch *patch);
/* A copy with its own arrays. */
pleat_result pl_patch_copy(pl_maker *maker, const pl_patch *from, pl_patch *patch);
/* Cuts all triangles along the zero line of the curve's field. */
pleat_result pl_patch_cut(pl_maker *maker, pl_patch *patch, uint32_t curve, const pl_field *field);
/* Keeps the triangles for which (region & mask) == want, and drops vertices without triangles. */
pleat_result pl_patch_keep(pl_maker *maker, pl_patch *patch, uint8_t mask, uint8_t want);
/* Makes twins and corners. */
pleat_result pl_patch_connect(pl_maker *maker, pl_patch *patch);

typedef struct pl_remesh
{
    pl_field surface;
    double offset; /* the surface wanted is where the field has this value */
    uint32_t curve_count;
    pl_field curves[PL_PATCH_CURVES];
    double (*edge_length)(const void *user, pl_v3 p); /* wished length of edges at a place */
    const void *edge_user;
    uint32_t rounds;
} pl_remesh;

/* Isotropic remeshing by split, collapse, flip and tangential relaxation, each followed by projection (Botsch and
 * Kobbelt, "A Remeshing Approach to Multiresolution Modeling", 2004), with a length that varies over the surface. */
pleat_result pl_patch_remesh(pl_maker *maker, pl_patch *patch, const pl_remesh *desc);

/* Only splits edges that are longer than the wish, before a cut that is finer than the raw surface. */
pleat_result pl_patch_refine(pl_maker *maker, pl_patch *patch, const pl_remesh *desc);

/* Both halves as one: the right half follows the left, vertices on the plane are shared. source[v] is the vertex of
 * the patch; mirrored vertices are the negative x. */
typedef struct pl_whole
{
    uint32_t vertex_count, triangle_count;
    pl_v3 *positions;
    uint32_t *source;
    uint32_t *triangles;
    uint8_t *regions;
} pl_whole;

pleat_result pl_patch_mirror(pl_maker *maker, const pl_patch *patch, pl_whole *whole);
/* The patch alone, for a surface that keeps clear of the plane, moved by shift. */
pleat_result pl_patch_alone(pl_maker *maker, const pl_patch *patch, pl_v3 shift, pl_whole *whole);

#endif
