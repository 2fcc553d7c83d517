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

/* A joint's motion without its stretch, as a unit dual quaternion. */
typedef struct PLEAT_ALIGNED(32) pl_skin_dual
{
    float real[4];
    float dual[4];
} pl_skin_dual;

/* What the kernels read: the job, and for dqs its matrices split into stretch, then rotation and translation. */
typedef struct pl_skin_work
{
    const pleat_skin_job *job;
    const pl_skin_dual *duals;     /* joint_count */
    const pleat_affine *stretches; /* joint_count; symmetric 3x3, a mirror included, no translation */
    bool one_stretch;              /* all joints have stretches[0]: nothing to blend */
} pl_skin_work;

/* Splits the matrices of a dqs job into its scratch memory. */
pl_skin_work pl_skin_prepare(const pleat_skin_job *job);

/* Vertices begin..end-1. */
typedef void pl_skin_kernel(const pl_skin_work *work, uint32_t begin, uint32_t end);

pl_skin_kernel pl_skin_lbs_scalar, pl_skin_dqs_scalar;
pl_skin_kernel pl_skin_lbs_base, pl_skin_dqs_base;
pl_skin_kernel pl_skin_lbs_avx2, pl_skin_dqs_avx2; /* only where pl_has_avx2 */

/* The kernel that pleat_skin_run takes on this machine. */
pl_skin_kernel *pl_skin_choose(pleat_skinning method);

#endif
