/* One fold on one line: the 1D core of unilaterally incompressible skinning. For *_wide.c.
 *
 * M. Ly, F. Bertails-Descoubes, D. Rohmer, "Unilaterally Incompressible Skinning", 2017, sec. 4.2. The points of a fold
 * leave the skinned line along their directions, all by one amplitude X times the fold's profile:
 *     p''_i(X) = p'_i + X b_i v_i                                                        (eq. 3)
 *     tau(X) = sum |p''_{i+1}(X) - p''_i(X)| - L0,      0 <= X  perpendicular to  tau(X) >= 0      (eq. 2)
 * Each term is the norm of an affine function of X, hence convex, and so is tau. A convex function with tau(0) < 0 that
 * grows without bound has exactly one positive root: what the paper observed in all its tests is a theorem.
 *
 * In floats, as the points are: their own rounding, about 3e-6 of a fold a metre from the origin, is ten times that of
 * the sums here. tau comes out within 5e-7 of the length (tests/layers/test_fold_line.c asks a solution in double).
 * Lengths are taken from vectors, not from squared coefficients, which would cancel where a segment is turned around.
 * Bound by the square root and the division of each segment. */
#ifndef PL_LAYERS_FOLDS_SOLVE_LINE_H
#define PL_LAYERS_FOLDS_SOLVE_LINE_H

#include "base/wide.h"
#include "base/width.h"

enum
{
    PL_FOLD_SEGMENTS = 5, /* of one fold, at most */
    PL_FOLD_ROUNDS = 20   /* of Newton's steps, at most: 6 are the most that was ever seen (test_fold_line.c) */
};

/* Where a hollow has lost nothing yet, its slope is turned around: heights begin in proportion to the loss. With 1 it
 * is left out, and heights begin with the square root. */
#define PL_FOLD_EASE 2.0f
/* The parts of the length whose loss ends easing: on straight cloth; times what fills the hollow; at most. */
#define PL_FOLD_EASE_FLAT 0.02f
#define PL_FOLD_EASE_FILLING 6.0f
#define PL_FOLD_EASE_MOST 0.3f
/* The part of that loss from which on all that a fold may not take is due elsewhere. */
#define PL_FOLD_DUE 0.3f
/* A length is right if it is off by no more, of itself: two roundings of a float. */
#define PL_FOLD_CLOSE 2e-7f
/* The least square of a length that is divided by. */
#define PL_FOLD_TINY 1e-30f

/* The segments of folds. Folds with fewer than the others have segments of zeros anywhere among theirs. */
typedef struct pl_fold_segments
{
    uint32_t count;
    pl_fw step[PL_FOLD_SEGMENTS][3], rise[PL_FOLD_SEGMENTS][3]; /* d and e: |d + X e| is a segment's length */
} pl_fold_segments;

typedef struct pl_fold_solution
{
    pl_fw amplitude; /* X: exactly 0 where the line is as long as at rest or longer */
    pl_fw tau;       /* what is left of the equation, at X */
    pl_fw hollow; /* up to about this amplitude the fold only fills a hollow and is shorter than at 0; 0: no hollow */
    pl_fw relief; /* what easing added to the slope: tau is that of tau(X) + relief X; 0: nothing */
    pl_fw due;    /* how much of what is left, where the fold may not rise, is to be taken up elsewhere, 0 .. 1 */
    pl_iw steps;  /* Newton's */
} pl_fold_solution;

/* For tests: the whole of it. */
void PL_WIDE(pl_fold_solve_line)(const pl_fold_segments *folds, const pl_fw *wanted, pl_fold_solution *out);

PL_INLINE pl_fw pl_fold_segment_at(const pl_fold_segments *s, uint32_t i, pl_fw x, pl_fw out[3])
{
    for (int c = 0; c < 3; ++c)
    {
        out[c] = s->step[i][c] + s->rise[i][c] * x;
    }
    return pl_sqrt_w(pl_max_w(pl_dot_w(out, out), pl_splat_w(PL_FOLD_TINY)));
}

PL_INLINE pl_fw pl_fold_line_length(const pl_fold_segments *s, pl_fw x)
{
    pl_fw length = pl_splat_w(0), segment[3];
    for (uint32_t i = 0; i < s->count; ++i)
    {
        length += pl_fold_segment_at(s, i, x, segment);
    }
    return length;
}

/* tau(X) and its slope. Two quotients make one: a division takes as long as all else that a segment asks. */
PL_INLINE pl_fw pl_fold_line_tau(const pl_fold_segments *s, pl_fw wanted, pl_fw x, pl_fw *slope)
{
    pl_fw length = pl_splat_w(0), derivative = length, segment[3];
    uint32_t pairs = s->count & ~1u;
    for (uint32_t i = 0; i < pairs; i += 2)
    {
        pl_fw first = pl_fold_segment_at(s, i, x, segment), lean = pl_dot_w(segment, s->rise[i]);
        pl_fw second = pl_fold_segment_at(s, i + 1, x, segment);
        length += first;
        length += second;
        derivative += (lean * second + pl_dot_w(segment, s->rise[i + 1]) * first) / (first * second);
    }
    if (pairs < s->count)
    {
        pl_fw norm = pl_fold_segment_at(s, pairs, x, segment);
        length += norm;
        derivative += pl_dot_w(segment, s->rise[pairs]) / norm;
    }
    *slope = derivative;
    return length - wanted;
}

/* A fold at X = 0 as one segment, for a first guess. One straight segment has the length sqrt((l + b X)^2 + k X^2) for
 * any X; the fold as a whole is taken for such a segment with its length, slope and curvature at X = 0. Near the onset
 * of compression, where the height goes with the square root of the lost length, its root is the solution; elsewhere it
 * is close. */
typedef struct pl_fold_line_single
{
    pl_fw length, slope;
    pl_fw half, square; /* |d + X e|^2 = length^2 + 2 half X + square X^2 */
    pl_fw reach;        /* 0: nothing rises */
} pl_fold_line_single;

/* One segment more. norm: its length. */
PL_INLINE void pl_fold_line_add(const pl_fold_segments *s, uint32_t i, pl_fw norm, pl_fw inverse,
                                pl_fold_line_single *out)
{
    pl_fw rise = pl_dot_w(s->rise[i], s->rise[i]), lean = pl_dot_w(s->step[i], s->rise[i]) * inverse;
    out->length += norm;
    out->slope += lean;
    out->square += pl_max_w(rise - lean * lean, pl_splat_w(0)) * inverse; /* the curvature, so far */
    out->reach += rise;
}

PL_INLINE pl_fw pl_fold_line_norm(const pl_fold_segments *s, uint32_t i)
{
    return pl_sqrt_w(pl_max_w(pl_dot_w(s->step[i], s->step[i]), pl_splat_w(PL_FOLD_TINY)));
}

PL_INLINE void pl_fold_line_as_single(const pl_fold_segments *s, pl_fold_line_single *out)
{
    pl_fw zero = pl_splat_w(0);
    uint32_t pairs = s->count & ~1u;
    *out = (pl_fold_line_single){zero, zero, zero, zero, zero};
    for (uint32_t i = 0; i < pairs; i += 2)
    {
        pl_fw first = pl_fold_line_norm(s, i), second = pl_fold_line_norm(s, i + 1), both = 1 / (first * second);
        pl_fold_line_add(s, i, first, second * both, out);
        pl_fold_line_add(s, i + 1, second, first * both, out);
    }
    if (pairs < s->count)
    {
        pl_fw norm = pl_fold_line_norm(s, pairs);
        pl_fold_line_add(s, pairs, norm, 1 / norm, out);
    }
    out->half = out->length * out->slope;
    out->square = out->slope * out->slope + out->square * out->length;
}

/* |d + X e| >= X |e| - |d|: beyond this amplitude the line is longer than it is to be. lengths: what it is and what it
 * is to be, together. */
PL_INLINE pl_fw pl_fold_line_farthest(const pl_fold_segments *s, pl_fw lengths)
{
    pl_fw reach = pl_splat_w(0);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        reach += pl_sqrt_w(pl_dot_w(s->rise[i], s->rise[i]));
    }
    return lengths / reach;
}

/* ---- Hollows ----
 *
 * In a hollow, where normals meet, a fold that rises first fills the hollow and gets shorter: at the moment its length
 * falls below that at rest, the root lies not at 0 but far off, and the fold would leap. While less than 2 % of the
 * length is lost (in a deep hollow up to 32 %), that first slope is left out in part, all of it at the beginning: what
 * is solved is still convex, still has one root, and the height grows from 0. Without a hollow, or when more is lost,
 * it is the same. Six times what a straight line of the hollow's height would take: there the hollow makes a fold
 * higher by a fifth alone, so that heights grow nearly as evenly as on straight cloth. */

/* Of lines that gain a length before they are as long as wanted: how high their hollows are, and what is added to their
 * slope. Those that are not filled: 0. Returns the part of the loss that ends easing. */
PL_INLINE pl_fw pl_fold_line_ease(const pl_fold_line_single *s, pl_fw wanted, pl_fw gain, pl_iw filled, pl_fw *hollow,
                                  pl_fw *relief)
{
    *hollow = pl_where_w(filled, -2 * s->half / s->square);
    pl_fw filling = 0.5f * s->square * *hollow * *hollow / s->length;
    pl_fw part =
        gain / (PL_FOLD_EASE_FLAT * wanted + pl_min_w(PL_FOLD_EASE_FILLING * filling, PL_FOLD_EASE_MOST * wanted));
    pl_iw eased = (s->slope < pl_splat_w(0)) & (part < pl_splat_w(1)) & filled;
    *relief = pl_where_w(eased, -PL_FOLD_EASE * s->slope * (1 - part * part * (3 - 2 * part)));
    return part;
}

/* ---- The search ---- */

/* Looking for the amplitudes of folds. */
typedef struct pl_fold_line_search
{
    pl_iw active;                /* lanes that are not done */
    pl_fw wanted, length, level; /* the last two at X = 0: the length and its slope */
    pl_fw low, high;
} pl_fold_line_search;

/* One of Newton's steps from out's amplitude. It misses the root by half the curvature times its square; the curvature
 * has been (slope - level) / X on the way here and falls from there on. A step that would not miss by more than what is
 * close enough, were it four times that, is the last one; a look at where it led would cost as much as the step. */
PL_INLINE void pl_fold_line_step(const pl_fold_segments *s, pl_fold_line_search *f, pl_fold_solution *out)
{
    pl_fw zero = pl_splat_w(0), endless = pl_splat_w(INFINITY), x = out->amplitude, close = PL_FOLD_CLOSE * f->wanted;
    pl_fw slope, tau = pl_fold_line_tau(s, f->wanted, x, &slope) + out->relief * x, bend = slope - f->level;
    slope += out->relief;
    out->tau = pl_select_w(f->active, tau, out->tau);
    f->active &= ~(pl_abs_w(tau) <= close);
    pl_iw above = tau > zero;
    f->high = pl_select_w(f->active & above, x, f->high);
    f->low = pl_select_w(f->active & ~above, x, f->low);
    pl_fw next = pl_select_w(slope > zero, x - tau / slope, endless);
    pl_iw outside = f->active & ~((next > f->low) & (next < f->high));
    if (pl_mask_w(outside))
    {
        pl_fw far = pl_fold_line_farthest(s, f->wanted + f->length);
        next = pl_select_w(outside, pl_select_w(f->high < endless, 0.5f * (f->low + f->high), far), next);
    }
    f->active &= next != x;
    pl_iw last = f->active & ~outside & (bend >= zero) & (2 * bend * (next - x) * (next - x) <= close * x);
    out->tau = pl_select_w(last, close, out->tau);
    out->amplitude = pl_select_w(f->active, next, x);
    out->steps -= f->active;
    f->active &= ~last;
}

/* Where it begins. */
PL_INLINE void pl_fold_line_begin(const pl_fold_segments *s, pl_fw wanted, pl_fold_line_search *f,
                                  pl_fold_solution *out)
{
    pl_fw zero = pl_splat_w(0), high = pl_splat_w(INFINITY);
    pl_fold_line_single single;
    pl_fold_line_as_single(s, &single);
    pl_fw length = single.length, tau = length - wanted;
    pl_iw active = (tau < zero) & (single.reach > zero);
    pl_iw filled = active & (single.half < zero) & (single.square > zero);
    pl_fw hollow = zero, relief = zero, due = pl_splat_w(1);
    if (pl_mask_w(filled))
    {
        pl_fw part = pl_fold_line_ease(&single, wanted, -tau, filled, &hollow, &relief);
        due = pl_select_w(relief > zero, pl_min_w(part * (1 / PL_FOLD_DUE), due), due);
        single.half += length * relief;
    }
    pl_fw under = single.half * single.half + single.square * (wanted + length) * (wanted - length);
    pl_fw x = (pl_sqrt_w(pl_max_w(under, zero)) - single.half) / single.square;
    pl_iw far = active & ~((x > zero) & (x < high));
    if (pl_mask_w(far))
    {
        pl_fw farthest = pl_fold_line_farthest(s, wanted + length);
        x = pl_select_w(far, farthest, x);
        high = pl_select_w(far, farthest, high);
    }
    *f = (pl_fold_line_search){active, wanted, length, single.slope, zero, high};
    *out = (pl_fold_solution){
        .amplitude = pl_where_w(active, x), .tau = tau, .hollow = hollow, .relief = relief, .due = due};
}

/* Solves the complementarity problem, eased, for one or two lots of folds side by side: each waits for its roots and
 * quotients, and meanwhile the other goes on. A fold that cannot rise (all directions zero) stays at 0 with its tau.
 * count: a constant. */
PL_INLINE void pl_fold_line_solve(const pl_fold_segments *const *s, const pl_fw *const *wanted,
                                  pl_fold_solution *const *out, int count)
{
    pl_fold_line_search f[2];
    pl_iw active = {0};
    for (int i = 0; i < count; ++i)
    {
        pl_fold_line_begin(s[i], *wanted[i], &f[i], out[i]);
        active |= f[i].active;
    }
    for (int round = 0; round < PL_FOLD_ROUNDS && pl_mask_w(active); ++round)
    {
        active = (pl_iw){0};
        for (int i = 0; i < count; ++i)
        {
            pl_fold_line_step(s[i], &f[i], out[i]);
            active |= f[i].active;
        }
    }
}

/* ---- What asks for it ---- */

/* A fold nears its room slowly: up to PL_FOLD_SOFT of it freely, at twice the rest of the way it is full. What it does
 * not take then grows with the square, and so the height of the fold that takes it over instead begins evenly, where
 * the bare square root would leap. */
#define PL_FOLD_SOFT 0.5f
PL_INLINE pl_fw pl_fold_limit_w(pl_fw amplitude, pl_fw room)
{
    pl_fw over = amplitude - PL_FOLD_SOFT * room, span = 2 * (1 - PL_FOLD_SOFT) * room;
    pl_fw slowed = pl_select_w(over >= span, room, amplitude - over * over / (2 * span));
    return pl_select_w(over > pl_splat_w(0), slowed, amplitude);
}

/* Where cloth is longer than this at a fold, in rest lengths, the fold takes up slowly what came over: how much of what
 * it has lost by that. Else it would begin all at once, with the square root of what changes evenly. The rest slides
 * on. lost: more than 0. */
#define PL_FOLD_LONG 1.1f
PL_INLINE pl_fw pl_fold_take_up(pl_fw lost, pl_fw length, pl_fw rest)
{
    pl_fw longer = pl_max_w(length - PL_FOLD_LONG * rest, pl_splat_w(0));
    return lost * (lost / (lost + longer));
}

#endif
