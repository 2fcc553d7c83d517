/* The skinning kernels behind pleat_skin_run.
 *
 * skin_scalar.c is the definition: one vertex after the other in plain floats. skin_wide.c computes the same operations
 * in the same order for several vertices at once, so that both give the same bits; tests hold them together. */
#ifndef PL_RIG_SKIN_H
#define PL_RIG_SKIN_H

#include "pleat/rig.h"

/* Squared lengths outside of these have no direction that floats can hold. */
#define PL_SKIN_SHORTEST 1e-36f
#define PL_SKIN_LONGEST 1e36f

/* What the kernels need of a joint is one line of the cache. For lbs: the matrix as columns, w = 0. */
typedef struct PLEAT_ALIGNED(64) pl_skin_columns
{
    float column[4][4];
} pl_skin_columns;

/* For dqs: the matrix taken apart. First the stretch, then rotation and translation as a unit dual quaternion. */
typedef struct PLEAT_ALIGNED(64) pl_skin_joint
{
    float real[4];
    float dual[4];
    float stretch[8]; /* of the symmetric matrix, a mirror included: xx, xy, xz, yy, yz, zz; two unused */
} pl_skin_joint;

/* In the one order that decides over signs everywhere. */
static inline float pl_skin_dot4(const float a[4], const float b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

typedef struct pl_skin_work
{
    const pleat_skin_job *job;
    const pl_skin_columns *columns; /* lbs: joint_count */
    const pl_skin_joint *joints;    /* dqs: joint_count */
    bool one_stretch;               /* dqs: all joints have the stretch of joint 0: nothing to blend */
    bool one_side;                  /* dqs: no two joints have opposite signs: none to look for */
} pl_skin_work;

/* Brings the matrices of a job into its scratch memory. */
pl_skin_work pl_skin_prepare(const pleat_skin_job *job);

/* Vertices begin..end-1. */
typedef void pl_skin_kernel(const pl_skin_work *work, uint32_t begin, uint32_t end);

pl_skin_kernel pl_skin_lbs_scalar, pl_skin_dqs_scalar;
pl_skin_kernel pl_skin_lbs_base, pl_skin_dqs_base; /* 4 lanes */
pl_skin_kernel pl_skin_lbs_avx2, pl_skin_dqs_avx2; /* 8 lanes; on x86-64 alone */

typedef struct pl_skin_kernels
{
    const char *name;
    pl_skin_kernel *lbs, *dqs;
} pl_skin_kernels;

/* What this build holds and this machine runs: the definition first, the fastest last. Returns their number. */
uint32_t pl_skin_all_kernels(const pl_skin_kernels **kernels);

#endif
