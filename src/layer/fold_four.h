/* Four folds at once: the amplitude of fold_line.c in lanes of doubles, for *_wide.c. pl_fold_solve_eased is the
 * definition; each lane does its operations in its order and comes to the same bits, with as many steps. Bound by the
 * square root and the division of each segment. */
#ifndef PL_LAYER_FOLD_FOUR_H
#define PL_LAYER_FOLD_FOUR_H

#include "base/eight.h"
#include "layer/fold_line.h"

enum
{
    PL_FOLD_SEGMENTS = 7 /* of one fold, at most */
};

/* The segments of four folds. Folds with fewer than the others have segments of zeros anywhere among theirs. */
typedef struct pl_fold_four
{
    uint32_t count;
    pl_d4 a[PL_FOLD_SEGMENTS], b[PL_FOLD_SEGMENTS], c[PL_FOLD_SEGMENTS];
} pl_fold_four;

typedef struct pl_fold_four_solution
{
    pl_d4 amplitude, tau, hollow;
    pl_l4 steps;
} pl_fold_four_solution;

/* For tests: the whole of it. */
typedef void pl_fold_solve_four(const pl_fold_four *folds, const pl_d4 *wanted, pl_fold_four_solution *out);
pl_fold_solve_four pl_fold_solve_four_base, pl_fold_solve_four_avx2;

/* tau(X) and its slope. */
PL_INLINE pl_d4 pl_fold_four_tau(const pl_fold_four *s, pl_d4 wanted, pl_d4 x, pl_d4 *slope)
{
    pl_d4 length = pl_splat_d4(0), derivative = length;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        pl_d4 squared = s->a[i] + x * (2 * s->b[i] + x * s->c[i]);
        pl_d4 norm = pl_sqrt_d4(pl_max_d4(squared, pl_splat_d4(1e-40)));
        length += norm;
        derivative += (s->b[i] + x * s->c[i]) / norm;
    }
    *slope = derivative;
    return length - wanted;
}

/* The folds at X = 0 as one segment each: see single_segment in fold_line.c. */
typedef struct pl_fold_four_single
{
    pl_d4 half, square, reach;
} pl_fold_four_single;

PL_INLINE pl_fold_four_single pl_fold_four_as_single(const pl_fold_four *s, pl_d4 *length, pl_d4 *slope)
{
    pl_d4 curvature = pl_splat_d4(0), reach = curvature, zero = curvature;
    *length = *slope = zero;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        pl_d4 norm = pl_sqrt_d4(pl_max_d4(s->a[i], pl_splat_d4(1e-40))), inverse = 1 / norm, lean = s->b[i] * inverse;
        pl_d4 across = s->c[i] - lean * lean;
        *length += norm;
        *slope += lean;
        curvature += pl_select_d4(across > zero, across * inverse, zero);
        reach += s->c[i];
    }
    return (pl_fold_four_single){*length * *slope, *slope * *slope + curvature * *length, reach};
}

PL_INLINE pl_d4 pl_fold_four_farthest(const pl_fold_four *s, pl_d4 lengths)
{
    pl_d4 reach = pl_splat_d4(0);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        reach += pl_sqrt_d4(s->c[i]);
    }
    return lengths / reach;
}

PL_INLINE pl_d4 pl_fold_four_relief(pl_d4 slope, pl_d4 lost, pl_d4 wanted, pl_d4 filling)
{
    pl_d4 t = lost / (0.02 * wanted + pl_min_d4(filling, 0.1 * wanted));
    pl_l4 eased = (slope < pl_splat_d4(0)) & (t < pl_splat_d4(1));
    return pl_select_d4(eased, -slope * (1 - t * t * (3 - 2 * t)), pl_splat_d4(0));
}

/* Newton's method, until every lane of `active` is done. */
PL_INLINE void pl_fold_four_newton(const pl_fold_four *s, pl_d4 wanted, pl_d4 length, pl_d4 relief, pl_d4 close,
                                   pl_l4 active, pl_d4 high, pl_fold_four_solution *out)
{
    pl_d4 low = pl_splat_d4(0), endless = pl_splat_d4(INFINITY), x = out->amplitude;
    for (int round = 0; round < 60; ++round)
    {
        pl_d4 slope, tau = pl_fold_four_tau(s, wanted, x, &slope) + relief * x;
        slope += relief;
        out->tau = pl_select_d4(active, tau, out->tau);
        active &= ~(pl_abs_d4(tau) <= close);
        if (!pl_mask_d4(active))
        {
            break;
        }
        pl_l4 above = tau > pl_splat_d4(0);
        high = pl_select_d4(active & above, x, high);
        low = pl_select_d4(active & ~above, x, low);
        pl_d4 next = pl_select_d4(slope > pl_splat_d4(0), x - tau / slope, endless);
        pl_l4 outside = active & ~((next > low) & (next < high));
        if (pl_mask_d4(outside))
        {
            pl_d4 far = pl_fold_four_farthest(s, wanted + length);
            far = pl_select_d4(high < endless, 0.5 * (low + high), far);
            next = pl_select_d4(outside, far, next);
        }
        active &= ~(pl_abs_d4(next - x) <= 1e-15 * x);
        x = pl_select_d4(active, next, x);
        out->steps -= active;
    }
    out->amplitude = x;
}

PL_INLINE void pl_fold_four_solve(const pl_fold_four *s, pl_d4 wanted, pl_fold_four_solution *out)
{
    pl_d4 slope, length, zero = pl_splat_d4(0);
    pl_fold_four_single single = pl_fold_four_as_single(s, &length, &slope);
    pl_d4 tau = length - wanted;
    pl_l4 active = (tau < zero) & (single.reach > zero);
    pl_d4 hollow = pl_select_d4((single.half < zero) & (single.square > zero), -2 * single.half / single.square, zero);
    pl_d4 filling = 0.5 * single.square * hollow * hollow / length;
    pl_d4 relief = pl_fold_four_relief(slope, -tau, wanted, filling);
    single.half += length * relief;
    pl_d4 root =
        -single.half + pl_sqrt_d4(single.half * single.half + single.square * (wanted + length) * (wanted - length));
    pl_d4 x = pl_select_d4(single.square > zero, root / single.square, zero), high = pl_splat_d4(INFINITY);
    pl_l4 far = active & ~((x > zero) & (x < high));
    if (pl_mask_d4(far))
    {
        pl_d4 farthest = pl_fold_four_farthest(s, wanted + length);
        x = pl_select_d4(far, farthest, x);
        high = pl_select_d4(far, farthest, high);
    }
    pl_d4 close = pl_max_d4(1e-14 * wanted, pl_min_d4(1e-10 * wanted, -1e-6 * tau));
    *out = (pl_fold_four_solution){.amplitude = pl_select_d4(active, x, zero), .tau = tau};
    out->hollow = pl_select_d4(active, hollow, zero);
    pl_fold_four_newton(s, wanted, length, relief, close, active, high, out);
}

#endif
