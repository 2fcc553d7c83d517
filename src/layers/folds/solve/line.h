/* One fold on one line: the 1D core of unilaterally incompressible skinning.
 *
 * M. Ly, F. Bertails-Descoubes, D. Rohmer, "Unilaterally Incompressible Skinning", 2017, sec. 4.2. The points of a fold
 * leave the skinned line along their directions, all by one amplitude X times the fold's profile:
 *     p''_i(X) = p'_i + X b_i v_i                                                        (eq. 3)
 *     tau(X) = sum |p''_{i+1}(X) - p''_i(X)| - L0,      0 <= X  perpendicular to  tau(X) >= 0      (eq. 2)
 * Each term is the norm of an affine function of X, hence convex, and so is tau. A convex function with tau(0) < 0 that
 * grows without bound has exactly one positive root: what the paper observed in all its tests is a theorem. */
#ifndef PL_LAYERS_FOLDS_SOLVE_LINE_H
#define PL_LAYERS_FOLDS_SOLVE_LINE_H

#include "base/vec.h"

/* ---- Profiles: non-negative, 0 outside of -1..1, 1 at their highest ---- */

typedef enum pl_profile_kind
{
    PL_PROFILE_THIRD, /* 1 - 3 x^2 + 2 |x|^3, the paper's blob */
    PL_PROFILE_FIFTH, /* 1 - 10 |x|^3 + 15 x^4 - 6 |x|^5: flatter on top */
    PL_PROFILE_CURVE  /* through given points, with smooth slopes */
} pl_profile_kind;

enum
{
    PL_PROFILE_POINTS = 32
};

typedef struct pl_profile
{
    pl_profile_kind kind;
    uint32_t count; /* of the curve's points */
    float x[PL_PROFILE_POINTS];
    float y[PL_PROFILE_POINTS];
    float slope[PL_PROFILE_POINTS];
} pl_profile;

pl_profile pl_profile_polynomial(pl_profile_kind kind);
/* points: (x, y) pairs, x increasing strictly. They are moved into -1..1 and scaled to a height of 1; both ends come
 * down to 0. Fails for fewer than 2 points, more than 30, a negative or all-zero height, x not increasing. */
pleat_result pl_profile_curve(const float *points, uint32_t count, pl_profile *out, pleat_error *error);
/* The same from a text "x,y x,y ...". */
pleat_result pl_profile_parse(const char *text, pl_profile *out, pleat_error *error);
/* Height at x; 0 outside of -1..1. */
float pl_profile_at(const pl_profile *profile, float x);

/* ---- The amplitude ---- */

/* Each segment of the line as the numbers its length depends on: |d + X e|^2 = a + 2 b X + c X^2. */
typedef struct pl_fold_segment
{
    double a, b, c;
} pl_fold_segment;

/* Segments of a fold: count points and directions (profile already multiplied in); out: count - 1. */
void pl_fold_segments(uint32_t count, const pl_f4 *points, const pl_f4 *raised, pl_fold_segment *out);

/* tau(X); slope (if not NULL) gets its derivative. */
double pl_fold_tau(const pl_fold_segment *segments, uint32_t count, double rest_length, double x, double *slope);

/* Where a hollow has lost nothing yet, its slope is turned around: heights begin in proportion to the loss. With 1 it
 * is left out, and heights begin with the square root. */
#define PL_FOLD_EASE 2.0
/* The part of the loss over which a hollow is eased, from which on all that a fold may not take is due elsewhere. */
#define PL_FOLD_DUE 0.3

typedef struct pl_fold_solution
{
    double amplitude; /* X: exactly 0 where the line is as long as at rest or longer */
    double tau;       /* what is left of the equation, at X */
    double hollow;  /* up to about this amplitude the fold only fills a hollow and is shorter than at 0; 0: no hollow */
    double relief;  /* what easing added to the slope: tau is that of tau(X) + relief X; 0: nothing */
    double due;     /* how much of what is left, where the fold may not rise, is to be taken up elsewhere, 0 .. 1 */
    uint32_t steps; /* Newton steps taken */
} pl_fold_solution;

/* Solves the complementarity problem. guess: an amplitude to start from, such as the last frame's; 0 or less: none. The
 * result does not depend on it beyond the last bits of a solution with |tau| <= 1e-10 rest lengths. A fold that
 * cannot rise (all directions zero) stays at 0 with its tau. */
pl_fold_solution pl_fold_solve(const pl_fold_segment *segments, uint32_t count, double rest_length, double guess);
/* The same for animation. In a hollow, where normals meet, a fold that rises first fills the hollow and gets shorter:
 * at the moment its length falls below that at rest, the root lies not at 0 but far off, and the fold would leap. While
 * less than 2 % of the length is lost (in a deep hollow up to 32 %), that first slope is left out in part, all of it at
 * the beginning: what is solved is still convex, still has one root, and the height grows from 0. Without a hollow, or
 * when more is lost, it is the same. */
pl_fold_solution pl_fold_solve_eased(const pl_fold_segment *segments, uint32_t count, double rest_length, double guess);

/* Where cloth is longer than this at a fold, in rest lengths, the fold takes up slowly what came over: how much of what
 * it has lost by that. Else it would begin all at once, with the square root of what changes evenly. The rest slides
 * on. */
#define PL_FOLD_LONG 1.1
PL_INLINE double pl_fold_take_up(double lost, double length, double rest)
{
    double longer = length - PL_FOLD_LONG * rest;
    return longer > 0 && lost > 0 ? lost * lost / (lost + longer) : lost;
}

/* The paper's measure of how well 0 <= x, tau >= 0, x tau = 0 is met: sqrt(x^2 + tau^2) - x - tau. */
double pl_fold_residual(double x, double tau);

/* ---- Quasi-isometry (sec. 4.2, "avoiding distortion") ---- */

/* Directions for the next frame, the paper's only state: each point is to rise towards the place on this frame's folded
 * line that it has at rest, measured along the line. skinned and folded: the line without and with its fold, count
 * points each; rest: arc length of each point at rest, increasing from 0; normals: what a point keeps where there is
 * nothing to correct, unit. out: unit directions, at most 60 degrees from the normals; may be what the fold was raised
 * along. (As printed the paper takes the way from the folded point, which vanishes once the point is in its place; from
 * the skinned one a held pose holds.) The layer does not use it: `even` moves places along the fold within the frame,
 * which needs no state and does not lag; tests/layers/test_fold_line.c compares both. */
void pl_fold_directions(uint32_t count, const pl_f4 *skinned, const pl_f4 *folded, const float *rest,
                        const pl_f4 *normals, pl_f4 *out);

#endif
