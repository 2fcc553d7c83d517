/* Which build of a kernel runs. */
#include "layers/implicit/implicit.h"

#include "base/wide.h"

#ifdef PL_HAVE_AVX2
#define PICK(name, ...) (pl_has_avx2() ? name##_avx2(__VA_ARGS__) : name##_base(__VA_ARGS__))
#else
#define PICK(name, ...) name##_base(__VA_ARGS__)
#endif

void pl_hrbf_evaluate(const pl_hrbf *field, uint32_t count, const pleat_vec4 *points, pleat_vec4 *out)
{
    PICK(pl_hrbf_evaluate, field, count, points, out);
}

void pl_implicit_march_run(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    PICK(pl_implicit_march, march, begin, end);
}

void pl_implicit_hold_run(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    PICK(pl_implicit_hold, march, begin, end);
}

void pl_implicit_touch_run(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    PICK(pl_implicit_touch, march, begin, end);
}
