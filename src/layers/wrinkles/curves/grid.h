/* Points of curves, hashed by where they lie at rest: which wrinkle is near a place?
 *
 * Distances are straight through space between points that hang together over the surface: a short walk from one
 * towards the other must arrive, so that layers of cloth that are close at rest do not see each other. */
#ifndef PL_LAYERS_WRINKLES_CURVES_GRID_H
#define PL_LAYERS_WRINKLES_CURVES_GRID_H

#include "mesh/walk/flat.h"

typedef struct pl_grid_point
{
    pl_f4 position;
    uint32_t triangle;
    uint32_t owner;  /* of the wrinkles in some order */
    float parameter; /* along it, metres */
    uint32_t next;   /* in the same bucket, or PLEAT_NONE */
} pl_grid_point;

typedef struct pl_wrinkle_grid
{
    const pl_flat *flat;
    float cell;            /* metres */
    uint32_t bucket_count; /* a power of two */
    uint32_t *buckets;     /* the last point put there, or PLEAT_NONE */
    uint32_t count, capacity;
    pl_grid_point *points;
} pl_wrinkle_grid;

/* cell: the largest radius that will be asked for. */
pleat_result pl_wrinkle_grid_make(pl_wrinkle_grid *grid, const pl_flat *flat, float cell, uint32_t capacity,
                                  pl_arena *arena, pleat_error *error);
void pl_wrinkle_grid_clear(pl_wrinkle_grid *grid);
/* False, and nothing put, when it is full. */
bool pl_wrinkle_grid_add(pl_wrinkle_grid *grid, pl_f4 position, uint32_t triangle, uint32_t owner, float parameter);
/* Takes points out again, the last first, until `count` are left. */
void pl_wrinkle_grid_shorten(pl_wrinkle_grid *grid, uint32_t count);

/* Whose points count. */
typedef struct pl_grid_query
{
    const pleat_place *place;
    pl_f4 position; /* of the place */
    float radius;
    /* Points of `self` count only if their parameter is farther than self_apart from this one's. */
    uint32_t self;
    float parameter, self_apart;
    uint32_t owner_from; /* points of owners below do not count */
    uint32_t passed;     /* points of this owner do not count; PLEAT_NONE: all do */
    bool any;            /* any point within the radius will do */
} pl_grid_query;

/* The nearest point within the radius, or NULL. */
const pl_grid_point *pl_wrinkle_grid_nearest(const pl_wrinkle_grid *grid, const pl_grid_query *query);

#endif
