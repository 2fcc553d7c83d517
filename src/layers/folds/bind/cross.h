/* Where folds of two rings cross: which of them win (bind/cross.c). */
#ifndef PL_LAYERS_FOLDS_BIND_CROSS_H
#define PL_LAYERS_FOLDS_BIND_CROSS_H

#include "layers/folds/bind/bound.h"

/* A fold at a station that folds of another ring cross. */
typedef struct pl_fold_contest
{
    uint32_t fold;     /* in its ring */
    uint32_t ring;     /* the other one */
    uint32_t rival[4]; /* the folds there around the middle of this one */
    float weight[4];   /* how much each of them counts; at most 1 together, less where lines do not quite cross */
} pl_fold_contest;

/* A fold of which others ask, or which asks, what is lost around it: a mean over its neighbours and itself. */
typedef struct pl_fold_ask
{
    uint32_t fold;      /* in its ring */
    uint32_t beside[9]; /* likewise; with fewer neighbours, one of them several times */
    float weight[9];    /* 1 together */
} pl_fold_ask;

/* Where rings cross, by fold of all rings. */
typedef struct pl_fold_rivals
{
    pl_fold_contest *contests;
    pl_fold_ask *asks;
    float *losses; /* of the ring at work, stations by folds: what part of its length a fold that is asked has lost */
    float *skin_losses; /* what part of the length skinning alone takes around a fold */
    float *gates;       /* what is left of a fold's height beside its rivals; 1 where there are none */
} pl_fold_rivals;

typedef struct pl_folds_layer pl_folds_layer;

/* Finds the folds that cross each other, once all rings are bound (bind/cross.c). */
pleat_result pl_folds_find_rivals(pl_folds_layer *layer, const pl_folds_plan *plan, pleat_error *error);
/* Fills skin_losses of a ring from its losses: straight ways from where folds begin to where they end on the
 * skinned surface, which tell well enough what rings lose against each other. */
void pl_folds_note_losses(pl_folds_layer *layer, const pl_bound_ring *ring);
/* Then fills gates. */
void pl_folds_settle_crossings(pl_folds_layer *layer);

#endif
