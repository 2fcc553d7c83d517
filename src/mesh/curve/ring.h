/* Rings: level lines made even and smooth, with a frame at each of their stations. */
#ifndef PL_MESH_CURVE_RING_H
#define PL_MESH_CURVE_RING_H

#include "mesh/curve/contour.h"

/* A surface at rest that rings lie on. */
typedef struct pl_ring_surface
{
    const pleat_topology *topology;
    const pleat_vec4 *positions;
    const pleat_vec4 *normals; /* per vertex, unit */
    const pleat_bvh *bvh;
} pl_ring_surface;

typedef struct pl_station
{
    pl_f4 position;
    pl_f4 normal;  /* unit */
    pl_f4 tangent; /* unit, along the ring */
    pl_f4 across;  /* unit, to the ring's left: towards higher values */
} pl_station;

typedef struct pl_ring
{
    uint32_t station_count;
    pl_station *stations; /* equal steps along the ring; a closed one does not repeat the first */
    bool closed;
    float length;
} pl_ring;

/* Length of a level line at rest. */
float pl_contour_length(const pl_ring_surface *surface, const pl_contour *line);

/* Stations about spacing apart (at least 3), after smoothing over about `smooth` of length. The first station of a
 * closed ring is chosen by where it lies in space, not by the mesh. */
pleat_result pl_ring_make(const pl_ring_surface *surface, const pl_contour *line, float spacing, float smooth,
                          pl_arena *arena, pl_ring *out, pleat_error *error);

/* Makes a closed ring straighter, as smoothing over a length would, in steps that stay on the surface: a wave of the
 * ring shorter than three times that length is gone. Open ones stay. */
pleat_result pl_ring_straighten(const pl_ring_surface *surface, float smooth, pl_arena *arena, pl_ring *ring,
                                pleat_error *error);

/* The interpolated, normalised normal of a place. */
pl_f4 pl_place_normal(const pleat_topology *topology, const pleat_vec4 *normals, const pleat_place *place);

#endif
