/* Eight folds at once, for *_wide.c: the eased amplitude of solve/line.c, in floats. The points it works on are floats,
 * so that nothing is lost: their own rounding, about 3e-6 of a fold a metre from the origin, is ten times that of the
 * sums here. tau comes out within 5e-7 of the length (tests/layers/test_fold_line.c asks solve/line.c in double).
 * Lengths are taken from vectors, not from squared coefficients, which would cancel where a segment is turned around.
 * Bound by the square root and the division of each segment. */
#ifndef PL_LAYERS_FOLDS_SOLVE_EIGHT_H
#define PL_LAYERS_FOLDS_SOLVE_EIGHT_H

#include "base/eight.h"
#include "layers/folds/solve/line.h"

enum
{
    PL_FOLD_SEGMENTS = 5 /* of one fold, at most */
};

/* The segments of eight folds. Folds with fewer than the others have segments of zeros anywhere among theirs. */
typedef struct pl_fold_eight
{
    uint32_t count;
    pl_f8 step[PL_FOLD_SEGMENTS][3], rise[PL_FOLD_SEGMENTS][3]; /* d and e: |d + X e| is a segment's length */
} pl_fold_eight;

typedef struct pl_fold_eight_solution
{
    pl_f8 amplitude, tau, hollow, relief, due;
    pl_i8 steps;
} pl_fold_eight_solution;

/* For tests: the whole of it. */
typedef void pl_fold_solve_eight(const pl_fold_eight *folds, const pl_f8 *wanted, pl_fold_eight_solution *out);
pl_fold_solve_eight pl_fold_solve_eight_base, pl_fold_solve_eight_avx2;

/* The least square of a length that is divided by. */
#define PL_FOLD_TINY 1e-30f

PL_INLINE pl_f8 pl_fold_eight_segment(const pl_fold_eight *s, uint32_t i, pl_f8 x, pl_f8 out[3])
{
    for (int c = 0; c < 3; ++c)
    {
        out[c] = s->step[i][c] + s->rise[i][c] * x;
    }
    return pl_sqrt8(pl_max8(pl_dot8(out, out), pl_splat8(PL_FOLD_TINY)));
}

PL_INLINE pl_f8 pl_fold_eight_length(const pl_fold_eight *s, pl_f8 x)
{
    pl_f8 length = pl_splat8(0), segment[3];
    for (uint32_t i = 0; i < s->count; ++i)
    {
        length += pl_fold_eight_segment(s, i, x, segment);
    }
    return length;
}

/* tau(X) and its slope. Two quotients make one: a division takes as long as all else that a segment asks. */
PL_INLINE pl_f8 pl_fold_eight_tau(const pl_fold_eight *s, pl_f8 wanted, pl_f8 x, pl_f8 *slope)
{
    pl_f8 length = pl_splat8(0), derivative = length, segment[3];
    uint32_t pairs = s->count & ~1u;
    for (uint32_t i = 0; i < pairs; i += 2)
    {
        pl_f8 first = pl_fold_eight_segment(s, i, x, segment), lean = pl_dot8(segment, s->rise[i]);
        pl_f8 second = pl_fold_eight_segment(s, i + 1, x, segment);
        length += first;
        length += second;
        derivative += (lean * second + pl_dot8(segment, s->rise[i + 1]) * first) / (first * second);
    }
    if (pairs < s->count)
    {
        pl_f8 norm = pl_fold_eight_segment(s, pairs, x, segment);
        length += norm;
        derivative += pl_dot8(segment, s->rise[pairs]) / norm;
    }
    *slope = derivative;
    return length - wanted;
}

/* The folds at X = 0 as one segment each: see single_segment in solve/line.c. */
typedef struct pl_fold_eight_single
{
    pl_f8 length, slope, half, square, reach;
} pl_fold_eight_single;

/* One segment more. norm: its length. */
PL_INLINE void pl_fold_eight_add(const pl_fold_eight *s, uint32_t i, pl_f8 norm, pl_f8 inverse,
                                 pl_fold_eight_single *out)
{
    pl_f8 rise = pl_dot8(s->rise[i], s->rise[i]), lean = pl_dot8(s->step[i], s->rise[i]) * inverse;
    out->length += norm;
    out->slope += lean;
    out->square += pl_max8(rise - lean * lean, pl_splat8(0)) * inverse; /* the curvature, so far */
    out->reach += rise;
}

PL_INLINE pl_f8 pl_fold_eight_norm(const pl_fold_eight *s, uint32_t i)
{
    return pl_sqrt8(pl_max8(pl_dot8(s->step[i], s->step[i]), pl_splat8(PL_FOLD_TINY)));
}

PL_INLINE void pl_fold_eight_as_single(const pl_fold_eight *s, pl_fold_eight_single *out)
{
    pl_f8 zero = pl_splat8(0);
    uint32_t pairs = s->count & ~1u;
    *out = (pl_fold_eight_single){zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < pairs; i += 2)
    {
        pl_f8 first = pl_fold_eight_norm(s, i), second = pl_fold_eight_norm(s, i + 1), both = 1 / (first * second);
        pl_fold_eight_add(s, i, first, second * both, out);
        pl_fold_eight_add(s, i + 1, second, first * both, out);
    }
    if (pairs < s->count)
    {
        pl_f8 norm = pl_fold_eight_norm(s, pairs);
        pl_fold_eight_add(s, pairs, norm, 1 / norm, out);
    }
    out->half = out->length * out->slope;
    out->square = out->slope * out->slope + out->square * out->length;
}

PL_INLINE pl_f8 pl_fold_eight_farthest(const pl_fold_eight *s, pl_f8 lengths)
{
    pl_f8 reach = pl_splat8(0);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        reach += pl_sqrt8(pl_dot8(s->rise[i], s->rise[i]));
    }
    return lengths / reach;
}

/* What is added to a hollow's slope. lost: as there. */
PL_INLINE pl_f8 pl_fold_eight_relief(pl_f8 slope, pl_f8 lost)
{
    pl_i8 eased = (slope < pl_splat8(0)) & (lost < pl_splat8(1));
    return (pl_f8)((pl_i8)(-(float)PL_FOLD_EASE * slope * (1 - lost * lost * (3 - 2 * lost))) & eased);
}

/* Looking for the amplitudes of eight folds. */
typedef struct pl_fold_eight_search
{
    pl_i8 active;                /* lanes that are not done */
    pl_f8 wanted, length, level; /* the last two at X = 0: the length and its slope */
    pl_f8 low, high;
} pl_fold_eight_search;

/* One of Newton's steps from out's amplitude. It misses the root by half the curvature times its square; the curvature
 * has been (slope - level) / X on the way here and falls from there on. A step that would not miss by more than what is
 * close enough, were it four times that, is the last one; a look at where it led would cost as much as the step. */
PL_INLINE void pl_fold_eight_step(const pl_fold_eight *s, pl_fold_eight_search *f, pl_fold_eight_solution *out)
{
    pl_f8 zero = pl_splat8(0), endless = pl_splat8(INFINITY), x = out->amplitude, close = 2e-7f * f->wanted;
    pl_f8 slope, tau = pl_fold_eight_tau(s, f->wanted, x, &slope) + out->relief * x, bend = slope - f->level;
    slope += out->relief;
    out->tau = pl_select8(f->active, tau, out->tau);
    f->active &= ~(pl_abs8(tau) <= close);
    pl_i8 above = tau > zero;
    f->high = pl_select8(f->active & above, x, f->high);
    f->low = pl_select8(f->active & ~above, x, f->low);
    pl_f8 next = pl_select8(slope > zero, x - tau / slope, endless);
    pl_i8 outside = f->active & ~((next > f->low) & (next < f->high));
    if (pl_mask8(outside))
    {
        pl_f8 far = pl_fold_eight_farthest(s, f->wanted + f->length);
        next = pl_select8(outside, pl_select8(f->high < endless, 0.5f * (f->low + f->high), far), next);
    }
    f->active &= next != x;
    pl_i8 last = f->active & ~outside & (bend >= zero) & (2 * bend * (next - x) * (next - x) <= close * x);
    out->tau = pl_select8(last, close, out->tau);
    out->amplitude = pl_select8(f->active, next, x);
    out->steps -= f->active;
    f->active &= ~last;
}

/* Where it begins. */
PL_INLINE void pl_fold_eight_begin(const pl_fold_eight *s, pl_f8 wanted, pl_fold_eight_search *f,
                                   pl_fold_eight_solution *out)
{
    pl_f8 zero = pl_splat8(0), high = pl_splat8(INFINITY);
    pl_fold_eight_single single;
    pl_fold_eight_as_single(s, &single);
    pl_f8 length = single.length, tau = length - wanted;
    pl_i8 active = (tau < zero) & (single.reach > zero);
    pl_i8 filled = active & (single.half < zero) & (single.square > zero);
    pl_f8 hollow = zero, relief = zero, due = pl_splat8(1);
    if (pl_mask8(filled))
    {
        hollow = (pl_f8)((pl_i8)(-2 * single.half / single.square) & filled);
        pl_f8 filling = 0.5f * single.square * hollow * hollow / length;
        pl_f8 part = -tau / (0.02f * wanted + pl_min8(6 * filling, 0.3f * wanted));
        relief = pl_fold_eight_relief(single.slope, part);
        due = pl_select8(relief > zero, pl_min8(part * (float)(1 / PL_FOLD_DUE), due), due);
        single.half += length * relief;
    }
    pl_f8 under = single.half * single.half + single.square * (wanted + length) * (wanted - length);
    pl_f8 x = (pl_sqrt8(pl_max8(under, zero)) - single.half) / single.square;
    pl_i8 far = active & ~((x > zero) & (x < high));
    if (pl_mask8(far))
    {
        pl_f8 farthest = pl_fold_eight_farthest(s, wanted + length);
        x = pl_select8(far, farthest, x);
        high = pl_select8(far, farthest, high);
    }
    *f = (pl_fold_eight_search){active, wanted, length, single.slope, zero, high};
    *out = (pl_fold_eight_solution){
        .amplitude = (pl_f8)((pl_i8)x & active), .tau = tau, .hollow = hollow, .relief = relief, .due = due};
}

/* The same for one or two lots of eight, side by side: each waits for its roots and quotients, and meanwhile the other
 * goes on. count: a constant. */
PL_INLINE void pl_fold_eight_solve(const pl_fold_eight *const *s, const pl_f8 *const *wanted,
                                   pl_fold_eight_solution *const *out, int count)
{
    pl_fold_eight_search f[2];
    pl_i8 active = {0};
    for (int i = 0; i < count; ++i)
    {
        pl_fold_eight_begin(s[i], *wanted[i], &f[i], out[i]);
        active |= f[i].active;
    }
    for (int round = 0; round < 20 && pl_mask8(active); ++round)
    {
        active = (pl_i8){0};
        for (int i = 0; i < count; ++i)
        {
            pl_fold_eight_step(s[i], &f[i], out[i]);
            active |= f[i].active;
        }
    }
}

#endif
