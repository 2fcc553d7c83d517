#include "base/wide.h"
#include "layers/folds/bind/lanes.h"

const pl_fold_kernels PL_WIDE(pl_fold_kernels) = {
    .width = PL_WIDTH,
    .pack = PL_WIDE(pl_fold_lanes_make),
    .make_work = PL_WIDE(pl_fold_lane_work_make),
    .span = PL_WIDE(pl_folds_span),
    .measure = PL_WIDE(pl_folds_measure),
    .prepare = PL_WIDE(pl_folds_prepare),
    .others = PL_WIDE(pl_folds_others),
    .solve = PL_WIDE(pl_folds_solve),
    .raise = PL_WIDE(pl_folds_raise),
    .spare = PL_WIDE(pl_folds_spare),
    .even = PL_WIDE(pl_folds_even),
    .tuck = PL_WIDE(pl_folds_tuck),
    .sink = PL_WIDE(pl_folds_sink),
};
