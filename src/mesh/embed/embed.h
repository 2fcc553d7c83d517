/* Lines on a surface made edges of it.
 *
 * Each triangle that lines cross is cut on its own: its corners, the points of lines on its edges and inside, and where
 * lines cross each other, are triangulated so that every piece of a line is an edge (constrained Delaunay in the plane
 * of the triangle). Points on an edge are shared by both sides, so that nothing opens. Points nearer than a share of
 * the triangle's size to a corner, an edge or each other are moved onto them: a line is not worth a sliver. */
#ifndef PL_MESH_EMBED_EMBED_H
#define PL_MESH_EMBED_EMBED_H

#include "base/memory.h"
#include "pleat/mesh.h"

/* A vertex of the result: a place on the input. */
typedef struct pl_embedded
{
    uint32_t vertex_count;         /* the input's come first and keep their index */
    const pleat_place *places;     /* vertex_count; of an input vertex without a triangle: PLEAT_NONE */
    uint32_t triangle_count;       /* by input triangle, turning the same way */
    const uint32_t *triangles;     /* #T by 3 */
    const uint32_t *source;        /* #T -> input triangle */
    uint32_t line_count;           /* those of the input, cut where they could not be followed */
    const uint32_t *first_vertex;  /* line_count + 1, into line_vertices */
    const uint32_t *line_vertices; /* each one and the next are ends of an edge */
    const uint32_t *line_source;   /* line_count -> line of the input */
    uint32_t missed;               /* pieces that did not become edges; 0 but for input beyond float precision */
} pl_embedded;

typedef struct pl_embed_desc
{
    const pleat_topology *topology;
    const pleat_vec4 *positions; /* #V: what is near, and what is Delaunay, is judged here */
    uint32_t line_count;
    const uint32_t *first_place; /* line_count + 1, into places */
    const pleat_place *places; /* of the input's triangles; neighbours in a line in one triangle or in two with an edge
                                  in common, or the line is cut there */
    float snap;                /* of a triangle's least height and of an edge's length; such as 0.08 */
} pl_embed_desc;

/* The result lives in the arena. */
pleat_result pl_embed(const pl_embed_desc *desc, pl_arena *arena, pl_embedded *out, pleat_error *error);

/* ---- One triangle, in its plane: shared by embed.c and embed/cut.c ---- */

typedef struct pl_cut_triangle
{
    uint32_t corner[3];
} pl_cut_triangle;

typedef struct pl_cut_edge
{
    uint32_t end[2];
} pl_cut_edge;

typedef struct pl_cut_point
{
    double x, y;
} pl_cut_point;

/* A triangulation that grows: triangles of local points, all turning left. */
typedef struct pl_cut
{
    uint32_t point_count, triangle_count, fixed_count;
    pl_cut_point *points;       /* point_room */
    pl_cut_triangle *triangles; /* 2 * point_room */
    pl_cut_edge *fixed;         /* edges that must stay */
    uint32_t point_room, fixed_room;
} pl_cut;

/* Begins with the corners, points 0, 1, 2. */
void pl_cut_begin(pl_cut *cut, const pl_cut_point corners[3]);
/* A point on the edge between two points that have one (an outer one). Returns its index; false: there is no such edge.
 */
bool pl_cut_add_on_edge(pl_cut *cut, uint32_t a, uint32_t b, pl_cut_point point, uint32_t *index);
/* A point inside; within tolerance of an edge it is put on it. */
bool pl_cut_add_inside(pl_cut *cut, pl_cut_point point, double tolerance, uint32_t *index);
/* Makes a-b an edge that stays. No other fixed edge may cross it, and no point may lie on it. */
bool pl_cut_fix(pl_cut *cut, uint32_t a, uint32_t b);
/* Flips what is not fixed until it is Delaunay. */
void pl_cut_improve(pl_cut *cut);

#endif
