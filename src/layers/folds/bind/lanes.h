/* Folds in lanes: one fold at PL_WIDTH stations that follow each other, as kernels take them. Everything here is made
 * from a bound ring (bind/lanes_wide.c) and says the same as it does. Each width has lanes of its own; for *_wide.c.
 *
 * A fold's samples are where it begins, those inside, and where it ends. Ends are shared with the next fold. Inside,
 * a line crosses edges: a place there lies between two vertices, not three. Folds with fewer samples than others of
 * their group have their last one inside more than once. */
#ifndef PL_LAYERS_FOLDS_BIND_LANES_H
#define PL_LAYERS_FOLDS_BIND_LANES_H

#include "base/wide.h"
#include "base/width.h"
#include "layers/folds/frame/kernels.h"

/* Places between three vertices, one a station. Vertices are numbered by twos (pl_gather_twice_w). */
typedef struct pl_fold_places
{
    uint32_t twice[3][PL_WIDTH];
    pl_fw weight[3];
} pl_fold_places;

/* Places on edges. */
typedef struct pl_fold_crossings
{
    uint32_t twice[2][PL_WIDTH];
    pl_fw share; /* of the second vertex */
} pl_fold_crossings;

/* Samples inside a fold, but for their places. Those of folds with fewer have the part of the one before. */
typedef struct pl_fold_row
{
    pl_fw rise, part;
} pl_fold_row;

/* One fold at the stations of a block. */
typedef struct pl_fold_group
{
    uint32_t first_row, row_count; /* 0 rows: at none of these stations */
    pl_fw rest_length, rest_way;   /* 0: not at this station */
    pl_fw fade;
    pl_fw rise[2]; /* where it begins and ends */
} pl_fold_group;

/* Where folds meet. */
typedef struct pl_fold_foot
{
    pl_fw normal[3], along[3];       /* as of the ring */
    pl_fw scale;                     /* 1 by pl_fold_foot_span */
    uint32_t first_turn, turn_count; /* the joints that turn them, in ascending order */
} pl_fold_foot;

/* Vertices of a cell (one fold between two stations), packed: what raising reads of them passes through the caches on
 * every frame. Sixteen bits are a millionth of a fold's width where they count. A cell with fewer has its
 * own more than once, from then on where the fold begins, so that they do not rise. */
typedef struct pl_fold_pack
{
    uint32_t twice[PL_WIDTH]; /* the vertices, by twos */
    uint16_t share[PL_WIDTH]; /* 0 .. 1 as 0 .. 65535 */
    uint16_t x[PL_WIDTH];     /* -1 .. 1 as 0 .. 65535 */
} pl_fold_pack;

/* Between which samples they lie at each station, which only folds ask that are evened out: the sample, above
 * PL_FOLD_BEYOND bits of how far it is on. */
typedef struct pl_fold_slots
{
    uint16_t place[2][PL_WIDTH];
} pl_fold_slots;

enum
{
    PL_FOLD_BEYOND = 13,
    PL_FOLD_AHEAD = 3 /* packs beyond the last one, which may be read ahead */
};

struct pl_fold_lanes
{
    uint32_t block_count, row_count;
    pl_fold_group *groups;        /* blocks by folds */
    pl_fold_crossings *crossings; /* by row */
    pl_fold_row *rows;            /* by row */
    pl_fw (*row_rest)[4];         /* likewise: as sample_rest of the ring */
    pl_fold_foot *feet;           /* blocks by folds and one more */
    pl_fold_places *places;       /* likewise: where folds meet */
    pl_fw (*feet_rest)[4];        /* as feet_rest of the ring */
    uint32_t *turn_joints;        /* by turn */
    pl_fw *turns;                 /* by turn: how much the joint turns the cloth */
    pl_fw (*outs)[3];             /* by block: as of the ring */
    uint32_t *first_pack;         /* stations by folds, and one more */
    uint32_t *paired;             /* stations by folds: how many of its packs, the first ones, are of pairs */
    pl_fold_pack *packs;
    pl_fold_slots *slots;        /* by pack */
    uint16_t (*masks)[PL_WIDTH]; /* by pack, 0 .. 1 as 0 .. 65535; NULL: 1 everywhere */
};

/* What kernels leave for each other, of the ring at work. */
struct pl_fold_lane_work
{
    pl_fw (*points)[3];      /* by row */
    pl_fw (*foot_points)[3]; /* blocks by folds and one more */
    pl_fw (*ups)[3];         /* likewise, in a deep bend as held */
    pl_fw *lengths;          /* blocks by folds */
    pl_fw *noises;           /* likewise */
    uint32_t *known;         /* by block: bits of folds whose points, lengths and noises are known */
};

pl_fold_kernel PL_WIDE(pl_folds_span), PL_WIDE(pl_folds_measure), PL_WIDE(pl_folds_prepare), PL_WIDE(pl_folds_others),
    PL_WIDE(pl_folds_solve), PL_WIDE(pl_folds_raise), PL_WIDE(pl_folds_spare), PL_WIDE(pl_folds_even),
    PL_WIDE(pl_folds_tuck), PL_WIDE(pl_folds_sink);
/* Raises the vertices between a station of a deep bend and the next. */
void PL_WIDE(pl_folds_press)(const pl_fold_job *job, uint32_t station);

pleat_result PL_WIDE(pl_fold_lanes_make)(const pl_bound_ring *ring, pl_arena *arena, pl_fold_lanes **out,
                                         pleat_error *error);
/* Room for the largest of the rings. */
pleat_result PL_WIDE(pl_fold_lane_work_make)(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena,
                                             pl_fold_lane_work **out, pleat_error *error);

#endif
