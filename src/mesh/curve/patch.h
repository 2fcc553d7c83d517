/* A patch: straight lines across a ring, one from each station, and the coordinates that they give the surface around:
 * u counts stations along the ring, s is arc length across it, 0 on the ring. */
#ifndef PL_MESH_CURVE_PATCH_H
#define PL_MESH_CURVE_PATCH_H

#include "mesh/curve/ring.h"

/* A path through a station, straight but where it would meet its neighbours: places where it crosses edges, and the
 * station itself. */
typedef struct pl_line
{
    uint32_t count;
    pleat_place *places;
    float *arc;                 /* increasing, 0 at the station */
    float low, high;            /* how far the line is good: to a border, or to where it meets another */
    bool low_meets, high_meets; /* the latter */
} pl_line;

typedef struct pl_patch
{
    const pl_ring *ring;
    pl_line *lines; /* one a station */
    uint32_t row_count;
    pl_f4 *grid; /* stations by rows */
    pl_f4 *grid_normal;
    float *grid_arc;
    bool *grid_good; /* stations by rows: the line reaches this far */
    pleat_bvh *bvh;  /* over the grid; owned */
    pleat_vec4 *points;
} pl_patch;

/* Lines of up to `half` to each side, one a station, in rows row_step apart (lines.c): each goes straight on unless it
 * comes near one neighbour. */
pleat_result pl_lines_make(const pl_ring_surface *surface, const pl_ring *ring, float half, float row_step,
                           pl_arena *arena, pl_line *out, pleat_error *error);

enum
{
    PL_PATCH_ROWS = 4096 /* to each side; folds need some 40 */
};

/* How far lines go to each side of a ring, and how far apart the rows of a patch's grid are. */
typedef struct pl_patch_size
{
    float half, row_step;
} pl_patch_size;

/* Lines of up to half the length to each side, and a grid with rows row_step apart. */
pleat_result pl_patch_make(const pl_ring_surface *surface, const pl_ring *ring, pl_patch_size size, pl_arena *arena,
                           const pleat_host *host, pl_patch *out, pleat_error *error);
void pl_patch_release(pl_patch *patch);

/* Coordinates of a point of the surface with its normal; false farther than `reach` from the patch, or on another side
 * of the cloth. u lies in 0 .. station_count (closed; the end is the beginning) or 0 .. station_count - 1. */
bool pl_patch_find(const pl_patch *patch, pl_f4 position, pl_f4 normal, float reach, float *u, float *s);

/* The place at an arc length on a line, between its places; clamped to its ends. */
pleat_place pl_line_at(const pl_ring_surface *surface, const pl_line *line, float arc);

#endif
