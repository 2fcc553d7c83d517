#include "base/wide.h"

bool pl_has_avx2(void)
{
#ifdef PL_HAVE_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}
