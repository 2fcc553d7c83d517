/* Implicit skinning, inside: fields of bones (hrbf.c, field.c), what binds them to the skin (skeleton.c, bind.c), and
 * the frame (pose.c, march_wide.c, relax.c).
 *
 * Words: a *bone* is a joint of the skin with the skin that it moves most (its *patch*); a *bend* is where two bones
 * meet. Lengths are those of the rest shape, which has the size of the world. */
#ifndef PL_IMPLICIT_H
#define PL_IMPLICIT_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/layers/implicit.h"

enum
{
    PL_IMPLICIT_CENTRES = 60,  /* samples of the skin in a field: 60 keep rest within 1 mm on a limb of 5 cm radius */
    PL_IMPLICIT_CLOSINGS = 12, /* and of what closes its patch */
    PL_IMPLICIT_LEAST = 8,     /* with fewer a patch is no shape */
    PL_IMPLICIT_LANES = 8,     /* vertices that march together */
    PL_IMPLICIT_PARTNERS = 8   /* bends of a bone that count; the largest ones */
};

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

/* A Hermite radial basis function: close to the signed distance from a bone's skin, negative inside,
 *     d(x) = size * sum of a_i t^3 - 3 t (b_i . r),  r = (x - middle) / size - c_i,  t = |r|.
 * It is no less than -depth, and out of the box of what it was made from no less than that and four times the distance
 * to the box: far away cubics say anything. */
typedef struct pl_hrbf
{
    uint32_t count;
    const float *terms; /* count by 8: c_i, a_i, 3 b_i, 0 */
    pl_f4 middle;
    float size;
    float depth;     /* in units of size: no skin lies deeper below itself */
    pl_f4 low, high; /* the box, in units of size from middle */
} pl_hrbf;

/* Solves for a_i and b_i in double: value 0 and gradient n_i at each p_i. terms: count by 8, out, for size 1 about 0.
 * BAD_DATA where the system is singular (two points coincide) or what comes out is not finite. work: memory for the
 * dense system, released again. */
pleat_result pl_hrbf_solve(uint32_t count, const double (*points)[3], const double (*normals)[3], pl_memory *work,
                           float *terms, pleat_error *error);

/* Values and gradients (unit-free, in w the value) at points of the rest space. */
typedef void pl_hrbf_kernel(const pl_hrbf *field, uint32_t count, const pleat_vec4 *points, pleat_vec4 *out);
pl_hrbf_kernel pl_hrbf_evaluate;
pl_hrbf_kernel pl_hrbf_evaluate_base, pl_hrbf_evaluate_avx2; /* the same bits; avx2 on x86-64 alone */

/* ---- The skeleton ------------------------------------------------------------------------------------------------ */

typedef struct pl_implicit_bone
{
    bool usable;           /* has a field */
    uint32_t vertex_count; /* its patch */
    const uint32_t *vertices;
    pl_f4 middle;    /* mean of the patch */
    pl_f4 direction; /* unit, along the bone */
    float thickness; /* mean distance of the patch from the line along the bone */
    pl_hrbf field;
    uint32_t partner_count;
    uint32_t partners[PL_IMPLICIT_PARTNERS]; /* bends */
} pl_implicit_bone;

/* Where bone b hangs on bone a. */
typedef struct pl_implicit_bend
{
    uint32_t a, b;
    pl_f4 origin;   /* the joint at rest: what turns stays there */
    pl_f4 base;     /* the middle of the limb there: the joint, or the border's where the joint lies outside */
    pl_f4 out_of_a; /* unit: where a ends, */
    pl_f4 into_b;   /* and b begins */
    pl_f4 along;    /* unit, between both */
    float radius;   /* of the skin there */
    bool tube;      /* a limb goes through: the skin goes round on both sides, and both sides are long enough */
} pl_implicit_bend;

typedef struct pl_implicit_skeleton
{
    uint32_t joint_count;
    pl_implicit_bone *bones; /* joint_count */
    uint32_t bend_count;
    pl_implicit_bend *bends;
    uint32_t *home; /* #V -> bone, PLEAT_NONE: none */
} pl_implicit_skeleton;

/* Patches and bends: no fields yet. */
pleat_result pl_implicit_find_skeleton(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena,
                                       pl_implicit_skeleton *skeleton, pleat_error *error);

/* Fields of all bones that have a bend; one warning for each that can have none. */
pleat_result pl_implicit_make_fields(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena,
                                     pl_implicit_skeleton *skeleton, pleat_error *error);

/* ---- Binding ----------------------------------------------------------------------------------------------------- */

/* Up to eight vertices of one bone. Lanes to spare repeat the first. */
typedef struct pl_implicit_block
{
    uint32_t bone, count;
    uint32_t vertices[PL_IMPLICIT_LANES];
    float iso[PL_IMPLICIT_LANES];                         /* value of the own field at rest */
    float trust[PL_IMPLICIT_LANES];                       /* 0: stays where plain skinning puts it .. 1 */
    float blend[PL_IMPLICIT_PARTNERS][PL_IMPLICIT_LANES]; /* 1: the partner moves it too .. 0 */
    float shift[PL_IMPLICIT_PARTNERS][PL_IMPLICIT_LANES]; /* added to a partner's value: at rest it is not the less */
    float side[PL_IMPLICIT_PARTNERS][PL_IMPLICIT_LANES];  /* of the plane through a joint: -1: that of a, 1: of b */
    float other[PL_IMPLICIT_PARTNERS][PL_IMPLICIT_LANES]; /* 1: that is the side of the partner; else 0 */
    float lift[PL_IMPLICIT_PARTNERS][PL_IMPLICIT_LANES];  /* in contact it stays this far from that plane */
} pl_implicit_block;

typedef struct pl_implicit_bound
{
    pl_implicit_skeleton skeleton;
    pleat_affine from_rest; /* rest space to the mesh's own */
    uint32_t block_count;
    pl_implicit_block *blocks;
    uint32_t vertex_count;
    const uint32_t *ring_start; /* #V + 1 */
    const uint32_t *ring;       /* neighbours of each vertex */
    uint32_t sweeps;            /* of the relaxation, by the mesh's edges */
    const uint8_t *far;         /* joint_count squared: these two bones are no neighbours and may touch */
} pl_implicit_bound;

/* Fills far, by rows of joints. */
pleat_result pl_implicit_find_far(const pleat_cloth *cloth, const pl_implicit_skeleton *skeleton, pl_arena *arena,
                                  pl_arena *scratch, uint8_t **far, pleat_error *error);

pleat_result pl_implicit_bind(const pleat_implicit_options *options, const pleat_cloth *cloth, const pleat_host *host,
                              pl_arena *arena, pl_implicit_bound *bound, pleat_error *error);

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* A bone in a frame. */
typedef struct pl_implicit_posed_bone
{
    bool ready;            /* its matrix can be turned round */
    pleat_affine to_world; /* from the rest space */
    pleat_affine to_field; /* world to units of the field about its middle */
    pl_f4 rotation;        /* since rest */
    pl_f4 low, high;       /* of the box of its field, in the world */
} pl_implicit_posed_bone;

/* A bend in a frame. */
typedef struct pl_implicit_posed_bend
{
    float turn;      /* radians since rest; 0 where the bend is at rest or not looked after */
    float strength;  /* 0: as at rest .. 1: bent */
    float clamp;     /* 0 .. 1: how much the plane of a tube holds */
    float bulge;     /* length that skin beside the contact stands out */
    pl_f4 origin;    /* where the joint is */
    pl_f4 normal[2]; /* unit, of the plane between both bones, from a to b; for the side of a, and of b */
    pl_f4 inner;     /* unit, in the plane, to the inner side of the bend */
} pl_implicit_posed_bend;

typedef struct pl_implicit_pose
{
    pl_implicit_posed_bone *bones;
    pl_implicit_posed_bend *bends;
    uint32_t *far_first; /* joint_count + 1 -> far: who is near a bone in this frame and may touch it */
    uint32_t *far;
    uint32_t far_capacity;
} pl_implicit_pose;

/* How the joints stand. joints: skinning matrices of the cloth's skin. Returns false if no bend is bent. */
bool pl_implicit_pose_frame(const pleat_implicit_options *options, const pl_implicit_bound *bound,
                            const pleat_affine *joints, pl_implicit_pose *pose);

/* Fills far from bones as they are posed; false: nobody is near anybody. */
bool pl_implicit_pose_far(const pl_implicit_bound *bound, pl_implicit_pose *pose);

/* Moves the vertices of blocks begin .. end - 1. in: skinned; out: #V, written for vertices that may move alone.
 * contact: #V, how much a vertex has to do with a contact, 0 .. 1. touched: by block, whether anything was written. */
typedef struct pl_implicit_march
{
    const pleat_implicit_options *options;
    const pl_implicit_bound *bound;
    const pl_implicit_pose *pose;
    const pleat_vec4 *in;
    pleat_vec4 *out;
    float *contact;
    uint8_t *touched;
} pl_implicit_march;
typedef void pl_implicit_march_kernel(const pl_implicit_march *march, uint32_t begin, uint32_t end);
pl_implicit_march_kernel pl_implicit_march_run;
pl_implicit_march_kernel pl_implicit_march_base, pl_implicit_march_avx2;

/* After relaxing: what passed the plane of a tube goes back to it, in out. */
pl_implicit_march_kernel pl_implicit_hold_run;
pl_implicit_march_kernel pl_implicit_hold_base, pl_implicit_hold_avx2;

/* Last: skin inside of limbs that are no neighbours goes back, in out. */
pl_implicit_march_kernel pl_implicit_touch_run;
pl_implicit_march_kernel pl_implicit_touch_base, pl_implicit_touch_avx2;

#endif
