/* Planning folds: what the files of the plan share. */
#ifndef PL_LAYERS_FOLDS_RINGS_PLAN_H
#define PL_LAYERS_FOLDS_RINGS_PLAN_H

#include "layers/folds/rings/ring.h"

/* What planning knows of a joint. */
typedef struct pl_fold_joint
{
    uint32_t parent; /* in the skin, or PLEAT_NONE */
    pl_f4 axis;      /* of its bone, bind pose, unit */
    float bend;      /* the largest in the clip, radians, without twist about the bone */
    pl_f4 inner;     /* bind pose: the inner side of that bend, or the front */
    pl_fold_values values;
    bool chosen;
} pl_fold_joint;

typedef struct pl_folds_planner
{
    pl_folds_plan *plan;
    const pleat_cloth *coarse;
    const pleat_skin *skin;
    const pleat_host *host;
    pl_arena scratch;
    pl_fold_joint *joints;
    /* The planning surface: the cloth at rest, subdivided. */
    pleat_loop *loop;
    pleat_topology *topology;
    pleat_bvh *bvh;
    pleat_normals *normals;
    pl_ring_surface surface;
    pl_patch *probes;    /* by ring: lines across it as long as any region may be */
    float *coarse_share; /* of a joint and all below it, per vertex of the input */
    float *share;        /* the same on the planning surface */
    uint32_t *shell;     /* by triangle of it */
} pl_folds_planner;

/* Finds the rings around the chosen joints, and lays folds across them (rings/rings.c). */
pleat_result pl_folds_find_rings(pl_folds_planner *planner, pleat_error *error);
/* Looks over the clip for the folds it ever needs, and for what comes near them (rings/watch.c). */
pleat_result pl_folds_watch(pl_folds_planner *planner, const pleat_layer_preview *preview, pleat_error *error);

/* How well what a station's folds lose can be told from its neighbours, over a clip. */
typedef struct pl_fold_miss
{
    float wrong, whole; /* sums over folds and frames */
    uint64_t moments;   /* bits of 64 parts of the clip: those in which any is lost */
    float best[2];      /* while stations are chosen */
} pl_fold_miss;

/* Adds a frame. moment: its bit; ratios: stations by folds, lengths over those at rest; misses: by station. */
void pl_folds_note_misses(const pl_fold_ring *ring, uint64_t moment, const float *ratios, pl_fold_miss *misses);
/* Fills kept and first of a ring, whose active, others and narrow are known. least: stations by folds, the smallest of
 * all ratios. */
void pl_folds_choose_stations(pl_fold_ring *ring, pl_fold_miss *misses, const float *least);

#endif
