/* Wrinkles as geometry: moves the vertices of refined cloth onto the blend of the cloth and its wrinkles.
 *
 * "Animation Wrinkling", 2010, sec. 4.2. The cloth is the iso-surface 1 of a field of its own, each wrinkle adds that
 * of a convolution surface under its crest, and a vertex goes along its normal to where the sum is 1. Nothing farther
 * than a wrinkle's width from its crest moves. With slide, cloth also moves across the wrinkle, until its length is
 * spread evenly over the profile. Wrinkles of depth below 0 act the same way against the normal.
 *
 * Distances are taken on the coarse surface, where wrinkles have their places: a vertex stands there by its triangle
 * and barycentric coordinates. A wrinkle acts on the part of the coarse surface that hangs together around its crest,
 * so that layers of folded cloth stay apart. */
#ifndef PL_LAYERS_WRINKLES_DEFORM_DEFORM_H
#define PL_LAYERS_WRINKLES_DEFORM_DEFORM_H

#include "pleat/layers/wrinkles.h"

typedef struct pl_wrinkle_deform_desc
{
    const pleat_topology *coarse;    /* the surface that was traced; must outlive the object, and so must the arrays */
    uint32_t vertex_count;           /* #V, refined */
    const uint32_t *vertex_triangle; /* #V -> triangle of coarse (PLEAT_NONE: never moves), as in pleat_cloth */
    const float *vertex_barycentric; /* #V by 3 */
    /* Both or none (default): the surface that was traced at rest (#V of coarse), and where refinement put the vertices
     * at rest (#V). Subdivision moves vertices along the surface, too: with these a vertex counts where it lies, so
     * that a straight crest comes out straight; and cloth that was far from a crest at rest does not feel it. rest is
     * needed only to create. */
    const pleat_vec4 *coarse_rest, *rest;
    const float *mask; /* #V: 0 keeps its place, 1 free; or NULL */
    bool slide;        /* default true */
    bool lean; /* wrinkles deeper than wide bend over: downhill, on level cloth towards +x and +z; default true */
    uint32_t wrinkle_capacity, point_capacity; /* of one frame */
} pl_wrinkle_deform_desc;

pl_wrinkle_deform_desc pl_wrinkle_deform_desc_default(void);

typedef struct pl_wrinkle_deform pl_wrinkle_deform;

pleat_result pl_wrinkle_deform_create(const pl_wrinkle_deform_desc *desc, const pleat_host *host,
                                      pl_wrinkle_deform **deform, pleat_error *error);
void pl_wrinkle_deform_destroy(pl_wrinkle_deform *deform);

/* Where a vertex stands for wrinkles: its triangle (PLEAT_NONE: nowhere) and 3 coordinates. */
uint32_t pl_wrinkle_deform_place(const pl_wrinkle_deform *deform, uint32_t vertex, const float **barycentric);

typedef struct pl_wrinkle_deform_frame
{
    const pleat_vec4 *coarse;  /* #V of coarse, in this frame; may be the first of positions */
    pleat_vec4 *positions;     /* #V, in and out; a vertex with no wrinkle near keeps its bits */
    const pleat_vec4 *normals; /* #V, unit, of the incoming positions: smooth */
    uint32_t wrinkle_count;
    const pleat_wrinkle *wrinkles;     /* of the frame; first_point goes into points */
    const pleat_wrinkle_point *points; /* depth 0: nothing at this point */
    const float *soundness; /* #V of coarse, 0 .. 1, or NULL: how much of what wrinkles do is done around there */
    const pleat_tasks *tasks;
} pl_wrinkle_deform_frame;

/* What the last frame came to. */
typedef struct pl_wrinkle_deform_figures
{
    uint32_t moved;    /* vertices */
    uint32_t left_out; /* wrinkles and points over the capacities */
    uint32_t most_steps;
    float mean_steps; /* of Newton */
    float highest;    /* metres */
} pl_wrinkle_deform_figures;

/* Never allocates; the same bits for any number of threads. */
void pl_wrinkle_deform_update(pl_wrinkle_deform *deform, const pl_wrinkle_deform_frame *frame);
pl_wrinkle_deform_figures pl_wrinkle_deform_last(const pl_wrinkle_deform *deform);

#endif
