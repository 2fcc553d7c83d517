/* What the stages of a frame give to those after them, of the ring at work. Each stage fills what is its own and reads
 * what stages before it have filled. Room is for stations in whole blocks (frame/kernels.h).
 *
 *     measure      where lines are, and what of their length is lost
 *     prepare      which way cloth rises, how bends let folds rise; then others, hollows and neighbours lower that
 *     cover        in deep bends: creases in the real pose, and what they cover
 *     spare        in deep bends: what the crease will take
 *     solve        heights; in deep bends shared along the ring; even: what evens folds out
 *     raise        positions
 *     tuck, sink   in deep bends: how deep the crease is tucked in, and vertices that go there */
#ifndef PL_LAYERS_FOLDS_FRAME_STAGES_H
#define PL_LAYERS_FOLDS_FRAME_STAGES_H

#include "layers/folds/bind/bound.h"

/* What the folds of a block of stations came to in the last frame; at its first station. */
typedef struct pl_fold_figure
{
    float tau;      /* relative to the rest length; the largest */
    float residual; /* Fischer-Burmeister, likewise */
    uint32_t raised, limited;
    uint32_t steps, most_steps; /* of those that are raised: together, and of one */
} pl_fold_figure;

/* A plane that folds on either side must not pass: a point, and a unit direction along the line. */
typedef struct pl_fold_wall
{
    pl_f4 point, direction;
} pl_fold_wall;

/* Neighbours along the ring taper towards a room: for them it narrows down as the cloth there begins to fold, not at
 * once; wholly from this loss on. */
#define PL_FOLD_TAPER_LOSS 0.12f

/* How folds may rise, stations by folds. */
typedef struct pl_fold_allowed
{
    float *rooms;   /* how high contact lets a fold rise */
    float *tapers;  /* and how high its neighbours along the ring do */
    float *slides;  /* how much of the length that comes to a fold, or that it cannot take, slides on, 0 .. 1; asked of
                     * rings beside other limbs alone */
    float *carries; /* by station: how much of what contact takes from a fold the next one gets */
    float *ends;    /* by station: how steeply folds may end */
    float *outers;  /* by station: what is left of folds at the outer side of the bend, 0 .. 1 */
    pl_f4 *ups;     /* stations by fold_count + 1: which way cloth rises where folds meet, unit */
} pl_fold_allowed;

/* By station, in the real pose of a deep bend. */
typedef struct pl_fold_covered
{
    pl_fold_wall *creases; /* filled where runs are */
    pl_f4 *runs;           /* which way the ring runs there, unit; w: 1, or 0 where not filled */
    float *strays;         /* how much creases of the stations around differ, 0 .. 1, where any covers */
    float *pressed;        /* the length on each side of the ring that lies on the other's */
} pl_fold_covered;

/* Stations by folds. */
typedef struct pl_fold_risen
{
    float *heights; /* fade and strength included */
    float *highs;   /* by station: the largest of them */
    float *lowest;  /* the least height of a fold and those near it along the ring */
    float *shifts;  /* 4 by PL_FOLD_SAMPLES: how a sample moves along the line, and by how much x; 0 at both ends */
} pl_fold_risen;

/* By station. */
typedef struct pl_fold_tucked
{
    float *spared; /* the length on each side of the ring that the crease takes from its folds */
    float *tucks;  /* how deep the crease is tucked in */
} pl_fold_tucked;

typedef struct pl_fold_stages
{
    float *lost; /* by station: the largest of the losses of its folds */
    pl_fold_allowed allowed;
    pl_fold_covered covered;
    pl_fold_risen risen;
    pl_fold_tucked tucked;
} pl_fold_stages;

/* Room for the largest of rings. */
pleat_result pl_fold_stages_make(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena, pl_fold_stages *out,
                                 pleat_error *error);

/* Has any fold of a station lost length? Beyond the end of an open ring none has. */
PL_INLINE bool pl_fold_is_lost(const pl_fold_stages *at, const pl_bound_ring *ring, int64_t station)
{
    int64_t count = ring->station_count;
    station = ring->closed ? (station + count) % count : station;
    return station >= 0 && station < count && at->lost[station] > 0;
}

#endif
