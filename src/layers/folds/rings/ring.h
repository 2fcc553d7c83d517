/* Rings and their folds, as planned on a finely subdivided rest shape. */
#ifndef PL_LAYERS_FOLDS_RINGS_RING_H
#define PL_LAYERS_FOLDS_RINGS_RING_H

#include "layers/profile.h"
#include "mesh/curve/patch.h"
#include "pleat/layers/folds.h"

enum
{
    PL_FOLDS_A_SIDE = 8, /* at most, on each side of a ring */
    PL_FOLDS_SPARE = 2   /* of them, that lie beyond where weights blend */
};

/* From 0 to 1 as x goes from low to high, evenly at both ends. */
PL_INLINE float pl_fold_ramp(float x, float low, float high)
{
    return pl_smooth_step((x - low) / (high - low));
}

/* The joint of a skin that a node is, or PLEAT_NONE; and where a joint is as the skin was bound (rings/plan.c). */
uint32_t pl_skin_joint_of(const pleat_skin *skin, uint32_t node);
pl_f4 pl_skin_bind_position(const pleat_skin *skin, uint32_t joint);

/* What a joint may have for itself, as in the options. */
typedef struct pl_fold_values
{
    float width, strength, length, bend, angle, spread;
    uint32_t profile;
    const char *curve; /* the options' or a joint's: for planning alone */
} pl_fold_values;

enum
{
    PL_FOLD_OTHERS = 32
};

/* Places of other parts of the body that come near a fold at some time of the clip. */
typedef struct pl_fold_others
{
    uint32_t count;
    uint32_t vertex[PL_FOLD_OTHERS]; /* of the planning surface, */
    pl_f4 rest[PL_FOLD_OTHERS];      /* and where it is at rest */
} pl_fold_others;

/* Triangles that no fold stands on: what follows the outer side (garment/lining.h), and shells that are no garment. */
enum
{
    PL_FOLD_LINING = 1,
    PL_FOLD_NO_GARMENT = 2
};

/* How far from the surface of a patch a place may lie and be on it, of a fold's width. */
#define PL_FOLD_PATCH_REACH 0.35f
/* Lines of two rings cross from 60 degrees on wholly, and not at all where they run within 37 degrees of each other:
 * cosines. */
#define PL_FOLD_CROSSING_ALL 0.5f
#define PL_FOLD_CROSSING_NONE 0.8f

/* A ring and its folds. */
typedef struct pl_fold_ring
{
    uint32_t joint, parent; /* in the skin */
    uint32_t shell;         /* of the outer side: rings of garments over each other do not know each other */
    pl_f4 axis, pivot;      /* of the joint's bone, unit, and the joint itself, in the mesh's own space */
    uint8_t *below;         /* by joint of the skin and one more: the joint and all below it */
    uint8_t *aside;         /* likewise: those that are neither below it nor above, as of the other leg */
    pl_fold_values values;  /* width is filled in */
    pl_profile profile;
    pl_ring ring;
    float reach;                           /* of the blend of weights, to each side: what folds should cover */
    float chain;                           /* how much of it other joints add, for which the ring stands as well */
    float half;                            /* of the region, to each side */
    uint32_t fold_count;                   /* an even number: a valley runs along the ring itself */
    float bounds[2 * PL_FOLDS_A_SIDE + 1]; /* arc lengths where folds begin and end */
    float gives[2 * PL_FOLDS_A_SIDE];      /* by fold: how much of its lost length it leaves to the next one */
    pl_patch patch;                        /* on the planning surface */
    pl_f4 *outs;     /* by station: which way it lies from the ring's middle, unit, in the mesh's own space */
    float *own;      /* stations by fold_count: how much of a fold is this ring's and not its neighbours', 0 .. 1 */
    uint8_t *kept;   /* by station: its folds are solved; others lie between such (rings/stations.c) */
    uint32_t first;  /* of them: where a closed ring begins */
    uint8_t *active; /* stations by fold_count: compressed at some time in the clip, or next to such a fold */
    float *heights;  /* stations by fold_count: how high it comes to stand at most, about; 0 where it is not active */
    pl_fold_others *others; /* stations by fold_count */
    uint8_t *narrow;        /* stations by fold_count: crushed along the ring at some time in the clip */
    bool outward;           /* some line is shortened at some time in the clip though it faces out of the bend */
} pl_fold_ring;

/* Which triangles of a cloth are lining, or of a shell that is no garment. */
typedef struct pl_fold_sides
{
    uint8_t *lining; /* #T bytes from the arena, or NULL where there are none */
    float reach;     /* how far lining lies from the outer side, at most */
} pl_fold_sides;

typedef struct pl_folds_plan
{
    pl_memory memory;
    pl_arena arena;
    pleat_folds_options options;
    float width; /* of folds whose joint has none of its own */
    uint32_t ring_count;
    pl_fold_ring *rings;
    pl_fold_sides sides;       /* by triangle of the input: 0 outer side, or as below; NULL: all is */
    const pleat_cloth *coarse; /* while refining */
    uint32_t shell_count;      /* of the outer side */
    const uint32_t *garments;  /* while binding, by vertex: its shell, PLEAT_NONE for trimmings; NULL: there is one */
} pl_folds_plan;

/* The mean distance of a ring's stations from another ring. */
float pl_folds_apart(const pl_ring *ring, const pl_ring *other);
/* Leaves one ring of each chain of joints that bend together, as bones that share one bend do (rings/chain.c).
 * probes: by ring, dropped with it. */
pleat_result pl_folds_merge_chains(pl_folds_plan *plan, pl_patch *probes, pleat_error *error);
/* Makes folds between a ring and its neighbours a little wider or narrower, so that whole ones fit. probe: lines across
 * the ring at least as long as its region; scratch: a number a station. Changes bounds and half. */
void pl_folds_fit_between(const pl_folds_plan *plan, uint32_t ring, const pl_patch *probe, float row_step,
                          float *scratch);
/* Fills own of a ring, whose patch is made. */
void pl_folds_share_places(const pl_folds_plan *plan, uint32_t ring, float row_step);
/* Values of joints (rings/joints.c): by a joint's name; of one entry, index joint_count being the general ones; and the
 * profile that they ask for, which fails where its curve is no curve. */
pl_fold_values pl_folds_values_of(const pleat_folds_options *options, const char *joint);
pl_fold_values pl_folds_values_at(const pleat_folds_options *options, uint32_t index);
pleat_result pl_folds_profile_of(const pl_fold_values *values, pl_profile *profile, pleat_error *error);
/* The part of a direction across an axis, unit; any other across it where there is none. */
pl_f4 pl_folds_across(pl_f4 direction, pl_f4 axis);
/* The mean of its stations. */
pl_f4 pl_fold_ring_middle(const pl_fold_ring *ring);
/* Is the side of a limb that folds left open? */
bool pl_folds_any_side(const pl_fold_values *values);
/* Makes own smaller away from the side that folds. axis: of the bone, inner: the inner side of
 * the bend, both unit and in the space of the ring. */
void pl_folds_choose_side(pl_fold_ring *ring, pl_f4 axis, pl_f4 inner, const pl_fold_values *values);
/* Warns of names that fit no joint. */
void pl_folds_check_names(const pleat_folds_options *options, const pleat_model *model, const pleat_skin *skin,
                          const pleat_host *host);
/* The fold that an arc length across a ring lies in. */
uint32_t pl_fold_ring_at(const pl_fold_ring *ring, float arc);

/* The plan as the table of layers knows it. */
pleat_result pl_folds_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                const pleat_host *host, void **plan, pleat_error *error);
/* Fewer edges than this across a fold show other bumps than the fold, whatever its height. */
#define PL_FOLD_LEAST_EDGES 3.0f
/* Where the cloth has to be finer (rings/wish.c): as a layer's wants and misses. */
bool pl_folds_plan_wants(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
float pl_folds_plan_misses(void *plan, uint32_t coarse_triangle, const float barycentric[9]);
void pl_folds_plan_along(void *plan, uint32_t coarse_triangle, const float barycentric[3], pleat_vec4 *out);
void pl_folds_plan_destroy(void *plan);

#endif
