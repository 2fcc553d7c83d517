/* Inside geodesic distances: labels of vertices and windows of light, both taken in the order of rising distance. */
#ifndef PL_MESH_WALK_GEODESIC_H
#define PL_MESH_WALK_GEODESIC_H

#include "base/memory.h"
#include "mesh/walk/lay.h"
#include "pleat/mesh.h"

/* A gain below this part of a distance is none. */
#define PL_GEODESIC_ROUNDING 1e-9

/* What is known of a vertex. */
typedef struct pl_geodesic_label
{
    double distance;
    uint32_t source;
    uint32_t heap_at; /* place among the waiting vertices, PLEAT_NONE outside */
} pl_geodesic_label;

/* Straight ways that cross a piece of an edge into the triangle of `corner`, which owns the edge. In the plane of that
 * triangle the edge runs along x from 0, the triangle lies above it, and the ways come from a point below, or run in
 * parallel (from a curve). */
typedef struct pl_window
{
    double from, to; /* the piece */
    double x, y;     /* the point, y <= 0; or the unit direction, y > 0 */
    double base;     /* distance at the point; or at 0 */
    double key;      /* least distance on the piece */
    uint32_t corner;
    uint32_t source;
    uint32_t stall; /* edges crossed in a row without getting any farther */
    bool parallel;
} pl_window;

/* The best way so far over a corner's edge to the vertex on the other side of its triangle. */
typedef struct pl_geodesic_best
{
    double distance;
    double crossing;
    double bend;                /* distance at the last bend of the way; below all for parallel ways */
    bool went_left, went_right; /* past the vertex, at this distance */
} pl_geodesic_best;

struct pleat_geodesic
{
    pl_memory memory;
    const pleat_topology *topology;
    pl_geodesic_label *labels; /* #V */
    uint32_t *waiting;         /* vertices, a heap */
    pl_geodesic_best *best;    /* #C */
    pl_window *windows;        /* a heap */
    uint32_t waiting_count;
    uint32_t window_count;
    uint32_t window_capacity;
    uint32_t stall_limit;
    /* Of the call. */
    const pleat_vec4 *positions;
    double radius;
    bool out_of_memory;
};

/* Takes a distance where it is better and puts the vertex among the waiting. */
void pl_geodesic_offer(pleat_geodesic *g, uint32_t vertex, double distance, uint32_t source);
/* Adds a window, its key and piece still to be set right; drops it where it cannot matter. False for one without width.
 */
bool pl_geodesic_add_window(pleat_geodesic *g, pl_window window);
/* The window behind laid edge i (owned by laid corner i), whole, for ways from the point (x, y) of the laid triangle.
 */
void pl_geodesic_shine(pleat_geodesic *g, const pl_laid *laid, int i, double x, double y, double base, uint32_t source);
/* Takes the nearest window and goes on behind its triangle. */
void pl_geodesic_step(pleat_geodesic *g);

#endif
