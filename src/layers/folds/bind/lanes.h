/* Folds in lanes: one fold at eight stations that follow each other, as wide kernels take them. Everything here is
 * made from a bound ring (bind/lanes.c) and says the same as it does. What frame/frame.c does by station is the
 * definition; kernels (folds_*_wide.c) do it for a block of eight stations, in floats throughout: they differ from it
 * by a few millionths of a fold, and not at all from each other.
 *
 * A fold's samples are where it begins, those inside, and where it ends. Ends are shared with the next fold. Inside,
 * a line crosses edges: a place there lies between two vertices, not three. Folds with fewer samples than others of
 * their group have their last one inside more than once. */
#ifndef PL_LAYERS_FOLDS_BIND_LANES_H
#define PL_LAYERS_FOLDS_BIND_LANES_H

#include "base/eight.h"
#include "layers/folds/folds.h"

enum
{
    PL_FOLD_LANES = 8
};

/* Eight places between three vertices, one a station. Vertices are numbered by twos (pl_gather_twice8). */
typedef struct pl_fold_places
{
    uint32_t twice[3][PL_FOLD_LANES];
    pl_f8 weight[3];
} pl_fold_places;

/* Eight places on edges. */
typedef struct pl_fold_crossings
{
    uint32_t twice[2][PL_FOLD_LANES];
    pl_f8 share; /* of the second vertex */
} pl_fold_crossings;

/* Samples inside a fold, but for their places. Those of folds with fewer have the part of the one before. */
typedef struct pl_fold_row
{
    pl_f8 rise, part;
} pl_fold_row;

/* One fold at eight stations. */
typedef struct pl_fold_group
{
    uint32_t first_row, row_count; /* 0 rows: at none of these stations */
    pl_f8 rest_length, rest_way;   /* 0: not at this station */
    pl_f8 fade;
    pl_f8 rise[2]; /* where it begins and ends */
} pl_fold_group;

/* Where a fold at a station is in arrays of lanes, blocks by folds by stations. */
PL_INLINE uint32_t pl_fold_lane_of(const pl_bound_ring *ring, uint32_t index)
{
    uint32_t station = index / ring->fold_count, block = station / PL_FOLD_LANES;
    return (block * ring->fold_count + index % ring->fold_count) * PL_FOLD_LANES + station % PL_FOLD_LANES;
}

/* Where folds meet. */
typedef struct pl_fold_foot
{
    pl_f8 normal[3], along[3];       /* as of the ring */
    pl_f8 scale;                     /* 1 by pl_fold_foot_span */
    uint32_t first_turn, turn_count; /* the joints that turn them, in ascending order */
} pl_fold_foot;

/* Eight vertices of a cell (one fold between two stations), packed: what raising reads of them passes through the
 * caches on every frame. Sixteen bits are a millionth of a fold's width where they count. A cell with fewer has its
 * own more than once, from then on where the fold begins, so that they do not rise. */
typedef struct pl_fold_octet
{
    uint32_t twice[PL_FOLD_LANES]; /* the vertices, by twos */
    uint16_t share[PL_FOLD_LANES]; /* 0 .. 1 as 0 .. 65535 */
    uint16_t x[PL_FOLD_LANES];     /* -1 .. 1 as 0 .. 65535 */
} pl_fold_octet;

/* Between which samples they lie at each station, which only folds ask that are evened out: the sample, above
 * PL_FOLD_BEYOND bits of how far it is on. */
typedef struct pl_fold_slots
{
    uint16_t place[2][PL_FOLD_LANES];
} pl_fold_slots;

enum
{
    PL_FOLD_BEYOND = 13,
    PL_FOLD_AHEAD = 3 /* octets beyond the last one, which may be read ahead */
};

struct pl_fold_lanes
{
    uint32_t block_count, row_count;
    pl_fold_group *groups;        /* blocks by folds */
    pl_fold_crossings *crossings; /* by row */
    pl_fold_row *rows;            /* by row */
    pl_f8 (*row_rest)[4];         /* likewise: as sample_rest of the ring */
    pl_fold_foot *feet;           /* blocks by folds and one more */
    pl_fold_places *places;       /* likewise: where folds meet */
    pl_f8 (*feet_rest)[4];        /* as feet_rest of the ring */
    uint32_t *turn_joints;        /* by turn */
    pl_f8 *turns;                 /* by turn: how much the joint turns the cloth */
    pl_f8 (*outs)[3];             /* by block: as of the ring */
    uint32_t *asked;              /* by block: bits of folds whose way is asked for where rings cross */
    uint32_t *first_octet;        /* stations by folds, and one more */
    uint32_t *paired;             /* stations by folds: how many of its octets, the first ones, are of pairs */
    pl_fold_octet *octets;
    pl_fold_slots *slots;             /* by octet */
    uint16_t (*masks)[PL_FOLD_LANES]; /* by octet, 0 .. 1 as 0 .. 65535; NULL: 1 everywhere */
};

/* What kernels leave for each other, of the ring at work. */
struct pl_fold_lane_work
{
    pl_f8 (*points)[3];      /* by row */
    pl_f8 (*foot_points)[3]; /* blocks by folds and one more */
    pl_f8 (*ups)[3];         /* likewise, in a deep bend as held */
    pl_f8 *lengths;          /* blocks by folds */
    pl_f8 *noises;           /* likewise */
    uint32_t *known;         /* by block: bits of folds whose points, lengths and noises are known */
};

/* A ring in a frame. */
typedef struct pl_fold_lane_job
{
    pl_folds_layer *layer;
    const pl_bound_ring *ring;
    pl_fold_figure *figures; /* of the ring, by station */
    const pleat_layer_frame *frame;
    const pl_fold_pose *pose; /* the frame, with a deep bend held */
    bool deep;                /* the limb touches itself */
    const uint32_t *asked;    /* by block: bits of the folds whose ways are all that is to be measured; NULL: all is */
} pl_fold_lane_job;

/* Kernels for one block of stations, each after the one before has done all of the ring's. They fill the layer's
 * arrays as frame/frame.c does: what is lost; directions and rooms; amplitudes, figures and what evens folds out;
 * positions. */
typedef void pl_fold_kernel(const pl_fold_lane_job *job, uint32_t block);
pl_fold_kernel pl_folds_measure_base, pl_folds_measure_avx2;
pl_fold_kernel pl_folds_prepare_base, pl_folds_prepare_avx2;
pl_fold_kernel pl_folds_solve_base, pl_folds_solve_avx2;
pl_fold_kernel pl_folds_raise_base, pl_folds_raise_avx2;
/* For a block of PL_FOLD_NEARS of the ring's nears: pl_folds_mind_others of clearance/near.h. */
pl_fold_kernel pl_folds_mind_base, pl_folds_mind_avx2;
enum
{
    PL_FOLD_NEARS = 64
};
/* Raises the vertices between a station of a deep bend and the next. */
pl_fold_kernel pl_folds_press_base, pl_folds_press_avx2;
/* In a deep bend, once folds have shared length along the ring: evens them out. */
pl_fold_kernel pl_folds_even_base, pl_folds_even_avx2;
/* And how deep its crease is tucked in: how much length that takes, before folds are solved; and the depth, once they
 * have risen, and vertices that go there. */
pl_fold_kernel pl_folds_spare_base, pl_folds_spare_avx2;
pl_fold_kernel pl_folds_tuck_base, pl_folds_tuck_avx2;
pl_fold_kernel pl_folds_sink_base, pl_folds_sink_avx2;
struct pl_fold_kernels
{
    pl_fold_kernel *measure, *prepare, *mind, *solve, *raise, *even, *spare, *tuck, *sink;
};
/* avx2: those of machines that have it, where there are any. */
const pl_fold_kernels *pl_fold_kernels_get(bool avx2);

/* As lost_length of frame/frame.c. */
PL_INLINE pl_f8 pl_fold_lost8(pl_f8 length, pl_f8 wanted, pl_f8 noise)
{
    pl_f8 lost = wanted - length, part = (pl_f8)((pl_i8)(1.5f * (lost - noise)) & (lost > noise));
    return pl_select8(lost >= 3 * noise, lost, part);
}

/* As pl_fold_ramp. */
PL_INLINE pl_f8 pl_fold_ramp8(pl_f8 x, float low, float high)
{
    return pl_smooth_step8((x - low) * (1 / (high - low)));
}

/* As pl_fold_limit. */
PL_INLINE pl_f8 pl_fold_limit8(pl_f8 amplitude, pl_f8 room)
{
    float soft = (float)PL_FOLD_SOFT;
    pl_f8 over = amplitude - soft * room, span = 2 * (1 - soft) * room;
    pl_f8 slowed = pl_select8(over >= span, room, amplitude - over * over / (2 * span));
    return pl_select8(over > pl_splat8(0), slowed, amplitude);
}

/* As rounding_at. */
PL_INLINE pl_f8 pl_fold_rounding8(const pl_f8 point[3])
{
    pl_f8 most = pl_max8(pl_max8(pl_abs8(point[0]), pl_abs8(point[1])), pl_abs8(point[2]));
    return pl_splat8(1e-6f) * most;
}

pleat_result pl_fold_lanes_make(const pl_bound_ring *ring, pl_arena *arena, pl_fold_lanes **out, pleat_error *error);
/* Room for the largest of the rings. */
pleat_result pl_fold_lane_work_make(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena,
                                    pl_fold_lane_work **out, pleat_error *error);

#endif
