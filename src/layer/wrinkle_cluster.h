/* Inside the deformer of wrinkles: a few neighbouring vertices, and the skeletons near them. */
#ifndef PL_WRINKLE_CLUSTER_H
#define PL_WRINKLE_CLUSTER_H

#include "layer/wrinkle_near.h"
#include "layer/wrinkle_profile.h"

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
    pl_f4 lean;   /* where it bends over to, across the axis, as long as pl_wrinkle_lean says */
    float length; /* 0: nothing here */
    float width;
    float weight, rise; /* at from, and per width of way */
    float depth;        /* mean of the ends, of widths, 0 or more */
    bool inward;
} pl_wrinkle_segment;

/* Vertices of one coarse triangle. */
typedef struct pl_wrinkle_cluster
{
    uint32_t first, count; /* in the order */
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
    const uint32_t *order;
    const uint32_t *triangles; /* coarse */
    const pleat_vec4 *coarse;
    const pleat_vec4 *rest; /* coarse, or NULL: how far cloth was from a segment at rest does not count */
    const float *barycentric;
    const float *mask; /* or NULL */
    bool slide;
    pleat_vec4 *positions;
    const pleat_vec4 *normals;
} pl_wrinkle_cluster_job;

/* Moves the vertices of a cluster. Clusters share none, so they may run at once. */
typedef pl_wrinkle_tally pl_wrinkle_cluster_kernel(const pl_wrinkle_cluster_job *job,
                                                   const pl_wrinkle_cluster *cluster);
pl_wrinkle_cluster_kernel pl_wrinkle_cluster_run_base, pl_wrinkle_cluster_run_avx2; /* the same bits; avx2 on x86-64 */

#endif
