/* From a whole surface to primitives with weights. */
#ifndef PL_MAKE_SKINNED_H
#define PL_MAKE_SKINNED_H

#include "make/patch.h"

enum
{
    PL_SKINNED_JOINTS = 32
};

typedef void pl_weights_at(const void *user, pl_v3 p, double *weights);

/* What a surface's vertices carry. */
typedef struct pl_skinned
{
    pl_whole whole;
    pl_v3 *normals;   /* per vertex of whole */
    uint16_t *joints; /* by 4 */
    float *weights;   /* by 4 */
    float *uvs;       /* per corner of whole: by 2, or NULL */
} pl_skinned;

typedef struct pl_skinned_desc
{
    uint32_t joint_count;
    uint32_t left, side; /* joint left + i stands on the left for left + side + i on the right; side 0: no sides, */
    pl_v3 shift;         /* and the patch is the whole surface, to be moved by this */
    pl_weights_at *weights_at;
    const void *weights_user;
} pl_skinned_desc;

/* Mirrors a patch and gives its vertices normals and weights, the right half exactly as the left. Weights are asked for
 * where the patch is, before the shift. */
pleat_result pl_skinned_make(pl_maker *maker, const pl_patch *patch, const pl_skinned_desc *desc, pl_skinned *skinned);

/* Normals again, after positions were moved (alike on both sides). */
void pl_skinned_normals(pl_skinned *skinned);

/* A part of the surface that is unrolled around an axis into a rectangle of the texture. */
typedef struct pl_chart
{
    pl_v3 origin, axis; /* unit axis */
    pl_v3 front;        /* unit, across the axis: what lies this way comes to the middle; the seam is opposite */
    double low, high;   /* along the axis, from the origin: the rectangle's lower and upper edge */
    double u, v, width, height; /* the rectangle; a seam's triangles may pass its sides by one edge */
} pl_chart;

/* Texture coordinates: every triangle in the chart that chart_of names for its middle; what would be squeezed or
 * overlap there, in small charts of its own, where the texture is empty. Vertices on a seam are doubled when primitives
 * are made. See charts.c. */
pleat_result pl_skinned_charts(pl_maker *maker, pl_skinned *skinned, const pl_chart *charts,
                               uint32_t (*chart_of)(const void *user, pl_v3 middle), const void *user);

/* The triangles of one region (region & mask == want) as a primitive; not skinned where joints is NULL. source, if not
 * NULL, gets the vertex of the whole behind each render vertex, in scratch memory. */
pleat_result pl_skinned_primitive(pl_maker *maker, const pl_skinned *skinned, uint8_t mask, uint8_t want,
                                  uint32_t material, pleat_primitive *primitive, uint32_t **source);

#endif
