#include "layers/folds/frame/kernels.h"

#include "base/wide.h"

const pl_fold_kernels *pl_fold_kernels_get(void)
{
#ifdef PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return &pl_fold_kernels_avx2;
    }
#endif
    return &pl_fold_kernels_base;
}
