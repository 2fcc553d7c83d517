/* Triangles laid flat, once, for everything that moves over a surface in small steps: each triangle has coordinates of
 * its own (corner 0 at the origin, corner 1 on the positive x axis), and each edge the turn that takes a direction from
 * one triangle's coordinates to those of the triangle behind the edge.
 *
 * pleat_walk_run is exact at vertices and takes any positions; this is for many short moves over one shape. */
#ifndef PL_MESH_WALK_FLAT_H
#define PL_MESH_WALK_FLAT_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/mesh.h"

typedef struct pl_flat_triangle
{
    float x1;     /* corner 1 is (x1, 0); 0: cannot be laid, nothing moves here */
    float x2, y2; /* corner 2 */
    float area;   /* 0 where the triangle says nothing about directions */
} pl_flat_triangle;

/* A rotation, as the unit complex number x + i y; also a direction in a triangle's coordinates. */
typedef struct pl_turn
{
    float x, y;
} pl_turn;

/* The unit vectors of space that x and y of a triangle's coordinates are. */
typedef struct pl_flat_axes
{
    pl_f4 x, y;
} pl_flat_axes;

typedef struct pl_flat
{
    const pleat_topology *topology;
    const pleat_vec4 *positions;
    const pl_flat_triangle *triangles; /* #T */
    const pl_flat_axes *axes;          /* #T */
    const pl_turn *turns; /* #C: of the edge that corner c owns, into the triangle of its twin; unused at borders */
} pl_flat;

/* topology and positions must outlive the result, which lives in the arena. A triangle of less than 1e-6 of the square
 * of its longest side counts as having no area, but is laid with a little height, so that moves pass over it. */
pleat_result pl_flat_make(const pleat_topology *topology, const pleat_vec4 *positions, pl_arena *arena, pl_flat *flat,
                          pleat_error *error);

/* A place and a direction in its triangle's coordinates. */
typedef struct pl_flat_point
{
    pleat_place place;
    pl_turn direction; /* unit */
} pl_flat_point;

/* Moves straight on for a length, over edges; the direction is carried along. Returns the length that was moved: less
 * than asked at a border, a non-manifold edge or a triangle that cannot be laid. */
float pl_flat_move(const pl_flat *flat, pl_flat_point *point, float length);

/* Goes over the surface, at most so far, to where `goal` stands straight above or below; for goals near the start and
 * near the surface. At a border it goes along it. */
pleat_place pl_flat_approach(const pl_flat *flat, pleat_place start, pl_f4 goal, float reach);

pl_f4 pl_flat_position(const pl_flat *flat, const pleat_place *place);
/* A direction in space, a vector of space in the triangle's coordinates (not of unit length), and the normal. */
pl_f4 pl_flat_to_space(const pl_flat *flat, uint32_t triangle, pl_turn direction);
pl_turn pl_flat_from_space(const pl_flat *flat, uint32_t triangle, pl_f4 vector);
pl_f4 pl_flat_normal(const pl_flat *flat, uint32_t triangle);

/* The product of two: one turn after the other. */
PL_INLINE pl_turn pl_turn_mul(pl_turn a, pl_turn b)
{
    return (pl_turn){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* By a turned back. */
PL_INLINE pl_turn pl_turn_back(pl_turn a, pl_turn b)
{
    return (pl_turn){a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x};
}

#endif
