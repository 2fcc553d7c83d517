/* The kernels of a frame, and a ring in a frame, which each of them is given.
 *
 * All are written once, over a width (base/width.h): a block is as many stations that follow each other as there are
 * lanes. One lane is the definition; it is made for tests alone. Each kernel runs for all blocks of a ring before the
 * next one begins. */
#ifndef PL_LAYERS_FOLDS_FRAME_KERNELS_H
#define PL_LAYERS_FOLDS_FRAME_KERNELS_H

#include "layers/folds/folds.h"

/* A ring in a frame. */
typedef struct pl_fold_job
{
    pl_folds_layer *layer;
    const pl_bound_ring *ring;
    pl_fold_figure *figures; /* of the ring, by station */
    const pleat_layer_frame *frame;
    pl_fold_pose pose; /* the frame, with a deep bend held */
    bool deep;         /* the limb touches itself */
} pl_fold_job;

typedef void pl_fold_kernel(const pl_fold_job *job, uint32_t block);

struct pl_fold_kernels
{
    uint32_t width; /* stations of a block */
    /* Lanes of a ring, and room for what kernels leave for each other, of the largest of rings that have theirs. */
    pleat_result (*pack)(const pl_bound_ring *ring, pl_arena *arena, pl_fold_lanes **out, pleat_error *error);
    pleat_result (*make_work)(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena, pl_fold_lane_work **out,
                              pleat_error *error);
    pl_fold_kernel *span;    /* losses of folds that are asked for where rings cross, straight from end to end */
    pl_fold_kernel *measure; /* what is lost */
    pl_fold_kernel *prepare; /* directions, rooms, and what bends allow */
    pl_fold_kernel *others;  /* rooms before others; a block is PL_FOLD_NEARS of the ring's nears */
    pl_fold_kernel *solve;   /* amplitudes, figures, and what evens folds out */
    pl_fold_kernel *raise;   /* positions */
    /* In a deep bend: what its crease takes up, before folds are solved; evening out, once they have shared length
     * along the ring; how deep the crease is tucked in; and vertices that go there. */
    pl_fold_kernel *spare, *even, *tuck, *sink;
};

enum
{
    PL_FOLD_NEARS = 64,
    /* Of the widest kernels: arrays by station go on to a multiple of it. */
    PL_FOLD_BLOCK = 8
};

/* The instances; one: in tests alone, avx2: on x86-64. */
extern const pl_fold_kernels pl_fold_kernels_one, pl_fold_kernels_base, pl_fold_kernels_avx2;
/* The widest that this machine runs. */
const pl_fold_kernels *pl_fold_kernels_get(void);

#endif
