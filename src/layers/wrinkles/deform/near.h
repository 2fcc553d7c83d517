/* Which wrinkles pass near each triangle of the coarse surface: the spatial index of one frame.
 *
 * A wrinkle is near where the surface hangs together around it: the search goes from triangle to triangle over their
 * edges and stops where a triangle is out of reach, so it does not jump to another layer of folded cloth. At rest,
 * where it can, for there cloth does not fold and unfold. */
#ifndef PL_LAYERS_WRINKLES_DEFORM_NEAR_H
#define PL_LAYERS_WRINKLES_DEFORM_NEAR_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/layers/wrinkles.h"

/* Cloth that was farther than this from a crest at rest, in widths at rest, does not feel it, however near it has come.
 */
#define PL_WRINKLE_APART 1.75f

/* A wrinkle near a triangle: some of its segments. Segment i goes from crest i to crest i + 1 of the frame. */
typedef struct pl_wrinkle_run
{
    uint32_t first, last; /* segments, both included */
    uint32_t wrinkle;
    uint32_t next; /* run of the same triangle, PLEAT_NONE at the end; the last wrinkle comes first */
} pl_wrinkle_run;

/* A point of a crest, in space. */
typedef struct pl_crest
{
    pl_f4 position;
    pl_f4 normal; /* of its triangle, unit or zero */
    pl_f4 smooth; /* of the surface, going on over edges without steps; unit or zero */
    pl_f4 rest;   /* its position at rest; 0 without a rest shape */
    float rest_width;
    float width, depth;
    uint32_t triangle;
    uint32_t wrinkle;
    uint32_t place; /* in the caller's points */
} pl_crest;

/* A triangle seen from its edges (lanes 0 to 2, outward) and from above (lane 3): unit normals, and how far away from
 * the origin. All 0 for a triangle without area. */
typedef struct pl_wrinkle_planes
{
    pl_f4 x, y, z, distance;
    pl_f4 height; /* lanes 0 to 2: one over that of the corner across from the edge */
} pl_wrinkle_planes;

/* How far a point is in front of each. */
PL_INLINE pl_f4 pl_planes_at(const pl_wrinkle_planes *planes, pl_f4 point)
{
    return planes->x * pl_splat(point[0]) + planes->y * pl_splat(point[1]) + planes->z * pl_splat(point[2]) -
           planes->distance;
}

typedef struct pl_wrinkle_near
{
    pl_memory *memory;
    const pleat_topology *topology;
    uint32_t wrinkle_capacity, crest_capacity, run_capacity;
    /* Of the frame. */
    uint32_t wrinkle_count, crest_count, run_count;
    uint32_t left_out;    /* wrinkles, and runs of them, that did not fit */
    uint32_t *first;      /* wrinkle_count + 1: into crests */
    pl_crest *crests;     /* crest_count */
    pl_wrinkle_run *runs; /* run_count */
    pl_f4 *normals;       /* #V, twice the area around */
    uint32_t *head;       /* #T -> run, PLEAT_NONE without */
    uint32_t touched_count;
    uint32_t *touched; /* triangles with a run */
    /* Of the search. */
    pl_wrinkle_planes *planes;      /* #T, where it is searched */
    const pleat_vec4 *planes_shape; /* the rest shape that they are of, NULL: of the frame */
    uint32_t *seen;                 /* #T: the search that saw it last */
    uint32_t *waiting;
    uint32_t search;
} pl_wrinkle_near;

/* Holds no memory of its own besides what comes from memory; pl_wrinkle_near_free takes zeroes, too. */
pleat_result pl_wrinkle_near_init(pl_wrinkle_near *near, const pleat_topology *topology, uint32_t wrinkle_capacity,
                                  uint32_t point_capacity, pl_memory *memory, pleat_error *error);
void pl_wrinkle_near_free(pl_wrinkle_near *near);

typedef struct pl_wrinkle_near_frame
{
    const pleat_vec4 *positions; /* #V */
    const pleat_vec4 *rest; /* #V, the same in every frame: where to search, by widths at rest; NULL: among positions */
    uint32_t wrinkle_count;
    const pleat_wrinkle *wrinkles;
    const pleat_wrinkle_point *points;
    float reach; /* metres; 0: each point's width, at rest PL_WRINKLE_APART of them */
    bool extend; /* a wrinkle that ends at the border goes on behind it, by its width */
} pl_wrinkle_near_frame;

/* Puts the frame's points into space and finds the runs. Never allocates. */
void pl_wrinkle_near_build(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame);

/* How much a place is at the surface's border: 1 up to half the distance, falling smoothly to 0 at the distance. */
float pl_wrinkle_at_border(const pleat_topology *topology, const pleat_vec4 *positions, const pleat_place *place,
                           float distance);
/* Whether a place lies on an edge that no way leads over. */
bool pl_place_on_border(const pleat_topology *topology, const pleat_place *place);
/* A wrinkle whose last point is its first again. */
bool pl_wrinkle_closed(const pleat_wrinkle *wrinkle, const pleat_wrinkle_point *points);

/* Moves a place to the nearest to a point among its own triangle and those that share a corner with it. */
void pl_place_nearby(const pleat_topology *topology, const pleat_vec4 *positions, pl_f4 point, uint32_t *triangle,
                     float barycentric[3]);

/* A place of a triangle list in space. */
PL_INLINE pl_f4 pl_place_position(const uint32_t *triangles, const pleat_vec4 *positions, uint32_t triangle,
                                  const float barycentric[3])
{
    const uint32_t *corner = &triangles[3 * (size_t)triangle];
    return pl_load(&positions[corner[0]]) * pl_splat(barycentric[0]) +
           pl_load(&positions[corner[1]]) * pl_splat(barycentric[1]) +
           pl_load(&positions[corner[2]]) * pl_splat(barycentric[2]);
}

#endif
