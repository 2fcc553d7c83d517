/* pleat/measure.h: figures about a moving surface, against its rest shape: stretches, lengths, area, volume, popping,
 * crossings, penetration.
 *
 * Bound once to a welded surface at rest (seams are no borders there; pleat_stack_shape has one), then fed frame after
 * frame. Every figure is a fixed sum over triangles, so it has the same bits for any number of threads. */
#ifndef PLEAT_MEASURE_H
#define PLEAT_MEASURE_H

#include "pleat/mesh.h"

PLEAT_BEGIN

/* A triangle mesh at rest. Arrays need to live during the create only. */
typedef struct pleat_measure_mesh
{
    uint32_t vertex_count; /* #V */
    const pleat_vec4 *rest;
    uint32_t triangle_count; /* #T */
    const uint32_t *triangles;
    const uint32_t *groups; /* #T: parts that correspond have the same number, see reference; NULL: all 0 */
} pleat_measure_mesh;

typedef struct pleat_measure_desc
{
    pleat_measure_mesh surface;
    /* What the surface was made from, at rest: popping is what moves beyond it. Each vertex of the surface goes with
     * the nearest place at rest on the reference's triangles of the same group. vertex_count 0: none. */
    pleat_measure_mesh reference;
    /* What the surface should stay outside of; welded. A vertex is inside if the nearest point on the body turns away
     * from it; nearest to a border it is outside. Where a body crosses itself a vertex may be taken for outside.
     * vertex_count 0: none. */
    pleat_measure_mesh body;
    bool crossings;         /* default true: count self-intersections, the slowest figure */
    float compressed_below; /* default 0.9, above 0: smaller stretches count as compressed */
    float inside_tolerance; /* default 1e-5, at least 0: depth that does not count yet, over the body's diagonal */
} pleat_measure_desc;

pleat_measure_desc pleat_measure_desc_default(void);

typedef struct pleat_measure pleat_measure;

pleat_result pleat_measure_create(const pleat_measure_desc *desc, const pleat_host *host, pleat_measure **measure,
                                  pleat_error *error);
void pleat_measure_destroy(pleat_measure *measure); /* NULL is fine */

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* A line is drawn on the rest surface once, before the first frame, and keeps its places. Between two points it is the
 * cut of the surface by the plane through both and the mean of the normals there: what a tape laid straight over the
 * surface follows; of its two ways around a closed shape, the shorter. On a cylinder, two points of a meridian give the
 * meridian. */

/* A line through point_count (2 or more) points near the surface, each moved to the nearest place on it. BAD_ARGUMENT
 * where two points in a row coincide or no straight way leads from one to the other. *index: its number. */
pleat_result pleat_measure_add_line(pleat_measure *measure, uint32_t point_count, const pleat_vec4 *points,
                                    uint32_t *index, pleat_error *error);
/* count lines along a tube, from one border to the other, by planes through its axis, which runs through the centres of
 * its two longest borders. The first goes through the vertex of the lowest number on the first border, the next ones
 * follow counter-clockwise about the axis at equal angles. *first: the number of the first. */
pleat_result pleat_measure_add_meridians(pleat_measure *measure, uint32_t count, uint32_t *first, pleat_error *error);
uint32_t pleat_measure_line_count(const pleat_measure *measure);
/* Length at rest and in the last frame (at rest before the first). */
double pleat_measure_line_rest(const pleat_measure *measure, uint32_t line);
double pleat_measure_line_length(const pleat_measure *measure, uint32_t line);

/* ---- Figures ----------------------------------------------------------------------------------------------------- */

/* How values spread over the surface, weighted by rest area. The percentiles come from a histogram with steps of 1/2048
 * up to 4, interpolated inside a step, so they are off by less than that; least and most are exact. */
typedef struct pleat_spread
{
    float least, percent_1, percent_50, percent_99, most;
} pleat_spread;

/* One frame; or all of them, where the words behind "all:" hold. Triangles without area at rest have no stretch and
 * take no part. Lengths are in the units of the positions. */
typedef struct pleat_figures
{
    pleat_spread smallest;       /* smaller principal stretch; all: over triangle-frames */
    pleat_spread largest;        /* larger principal stretch */
    double compressed_area;      /* share of the rest area whose smaller stretch is under compressed_below */
    double compressed_triangles; /* the same as a share of the triangles; all: of the triangle-frames */
    double compression;          /* L2 norm: root of the mean over the rest area of max(0, 1 - smaller stretch)^2 */
    double area;                 /* all: the mean */
    double volume;               /* sum over shells, see below; all: the mean */
    /* Longest way of a vertex since the frame before; all: the longest. 0 in the first frame. */
    double motion;
    /* Popping. The place of a vertex is taken against its place on the reference, in axes that move with the reference
     * there (its normal, and the triangle's longest rest edge): a surface that only follows the reference stands still.
     * jump: the longest way since the frame before. pop: the longest change of that way from one frame to the next, so
     * that what grows evenly cancels. For each vertex the smaller of the figures in those axes and in the world's
     * counts: axes turn over where the reference collapses. Both 0 without a reference. All: the longest. */
    double jump, pop;
    uint32_t jump_vertex, pop_vertex; /* PLEAT_NONE where the figure is 0; all: of the frame in question */
    /* Counts grow with the number of triangles, so they compare surfaces of one resolution; shares of the rest area
     * compare any. */
    uint64_t crossings;    /* pairs of triangles that cross, neighbours left out; all: the sum */
    double crossings_area; /* share of the rest area in triangles that cross another; all: the mean */
    uint64_t inside;       /* vertices inside the body; all: the sum */
    double inside_area;    /* share of the rest area, a third of each triangle to each vertex; all: the mean */
    double depth;          /* of the one furthest inside; all: the deepest */
} pleat_figures;

typedef struct pleat_figures_total
{
    uint32_t frame_count;
    pleat_figures all;
    double area_least, area_most;
    double volume_least, volume_most;
    uint64_t crossings_most, inside_most;         /* in one frame */
    uint32_t motion_frame, jump_frame, pop_frame; /* where the largest is, counted from 0; PLEAT_NONE if all are 0 */
    uint32_t crossings_frame, inside_frame, depth_frame;
} pleat_figures_total;

/* A connected piece. Its volume is the sum of signed tetrahedra, with every border closed by a fan about its centre
 * (the mean of its edges' middles by length), and counts as positive if it is so at rest with the sign turned where
 * need be: a piece that is inside out has the same volume. */
typedef struct pleat_measure_shell
{
    uint32_t triangle_count;
    uint32_t border_count; /* loops; non-manifold edges count as borders */
    double rest_area, rest_volume;
    double area, volume; /* of the last frame */
} pleat_measure_shell;

typedef struct pleat_measure_input
{
    const pleat_vec4 *positions; /* the surface's #V, finite */
    const pleat_vec4 *reference; /* the reference's, or NULL without one */
    const pleat_vec4 *body;      /* the body's, or NULL without one */
    const pleat_tasks *tasks;    /* NULL: the calling thread */
} pleat_measure_input;

/* The next frame. figures (may be NULL) receives its figures. Never allocates. BAD_ARGUMENT where positions that the
 * desc announced are missing. */
pleat_result pleat_measure_frame(pleat_measure *measure, const pleat_measure_input *input, pleat_figures *figures,
                                 pleat_error *error);
/* The rest shape's own figures: what lies inside the body or crosses before anything moves. */
const pleat_figures *pleat_measure_rest(const pleat_measure *measure);
/* Over all frames so far. */
pleat_figures_total pleat_measure_total(const pleat_measure *measure);
/* Shells in the order of their first triangles. */
const pleat_measure_shell *pleat_measure_shells(const pleat_measure *measure, uint32_t *count);

PLEAT_END

#endif
