/* Inside the deformer of wrinkles: a few neighbouring vertices, and the skeletons near them. */
#ifndef PL_LAYERS_WRINKLES_DEFORM_CLUSTER_H
#define PL_LAYERS_WRINKLES_DEFORM_CLUSTER_H

#include "layers/wrinkles/deform/near.h"
#include "layers/wrinkles/shape/profile.h"

enum
{
    PL_CLUSTER_SIZE = 32,     /* vertices */
    PL_CLUSTER_SEGMENTS = 512 /* that may be near one cluster, of either side */
};

/* A piece of skeleton, with the weights that its crests ask for. */
typedef struct pl_wrinkle_segment
{
    pl_f4 from, axis, normal; /* axis and normal unit */
    pl_f4 rest, rest_axis;    /* the same at rest, */
    float rest_length, rest_width;
    pl_f4 lean;           /* where it bends over to, across the axis, as long as pl_wrinkle_lean says */
    float length;         /* 0: nothing here */
    float width, inverse; /* 1 / width */
    float weight, rise;   /* at from, and per width of way */
    float depth;          /* mean of the ends, of widths, 0 or more */
    bool inward;
} pl_wrinkle_segment;

/* How far cloth may be from where it slides to, and 1 more, in widths. */
#define PL_SLIDE_MARGIN 1.2f

/* Where segments lie, part by part, so that eight are tested at a time: a line with a reach around it. */
enum
{
    PL_CAPSULE_FROM = 0, /* x, y, z */
    PL_CAPSULE_AXIS = 3, /* x, y, z, unit */
    PL_CAPSULE_LENGTH = 6,
    PL_CAPSULE_REACH = 7, /* below 0 by far where there is nothing */
    PL_CAPSULE_PARTS = 8
};

/* Eight vertices of one coarse triangle; what is missing is the first again. */
typedef struct pl_wrinkle_lanes
{
    float barycentric[3][8];
    float mask[8]; /* at most 1 */
    uint32_t vertex[8];
} pl_wrinkle_lanes;

/* Vertices of one coarse triangle. */
typedef struct pl_wrinkle_cluster
{
    pl_f4 rest_center; /* of a ball around them at rest */
    float rest_radius;
    uint32_t first; /* of the lanes, eight by eight */
    uint32_t count; /* of vertices */
    uint32_t triangle;
} pl_wrinkle_cluster;

typedef struct pl_wrinkle_tally
{
    uint32_t moved, solved, steps, most_steps, left_out;
    float highest;
} pl_wrinkle_tally;

typedef struct pl_wrinkle_cluster_job
{
    const pl_wrinkle_near *near;
    const pl_wrinkle_segment *segments;
    const pl_wrinkle_profile *profile;
    const float *capsules[2][PL_CAPSULE_PARTS]; /* of segments and eight more, now and at rest */
    const pl_wrinkle_lanes *lanes;
    const uint32_t *triangles; /* coarse */
    const pleat_vec4 *coarse;
    const pleat_vec4 *rest; /* coarse, or NULL: how far cloth was from a segment at rest does not count */
    const float *soundness; /* of coarse vertices, or NULL */
    bool slide;
    pleat_vec4 *positions;
    const pleat_vec4 *normals;
} pl_wrinkle_cluster_job;

/* Where segment i lies, now and at rest. */
PL_INLINE void pl_wrinkle_capsule_put(const pl_wrinkle_segment *segment, float *const capsules[2][PL_CAPSULE_PARTS],
                                      uint32_t i)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        capsules[0][PL_CAPSULE_FROM + k][i] = segment->from[k];
        capsules[0][PL_CAPSULE_AXIS + k][i] = segment->axis[k];
        capsules[1][PL_CAPSULE_FROM + k][i] = segment->rest[k];
        capsules[1][PL_CAPSULE_AXIS + k][i] = segment->rest_axis[k];
    }
    capsules[0][PL_CAPSULE_LENGTH][i] = segment->length;
    capsules[0][PL_CAPSULE_REACH][i] = segment->length > 0 ? PL_SLIDE_MARGIN * segment->width : -INFINITY;
    capsules[1][PL_CAPSULE_LENGTH][i] = segment->rest_length;
    capsules[1][PL_CAPSULE_REACH][i] = PL_WRINKLE_APART * segment->rest_width;
}

/* Moves the vertices of a cluster. Clusters share none, so they may run at once. */
typedef pl_wrinkle_tally pl_wrinkle_cluster_kernel(const pl_wrinkle_cluster_job *job,
                                                   const pl_wrinkle_cluster *cluster);
pl_wrinkle_cluster_kernel pl_wrinkle_cluster_run_base, pl_wrinkle_cluster_run_avx2; /* the same bits; avx2 on x86-64 */

#endif
