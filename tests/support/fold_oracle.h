/* One fold on one line in double, one at a time: what the solver of folds (layers/folds/solve/line.h) is judged by. As
 * plain as the paper: M. Ly, F. Bertails-Descoubes, D. Rohmer, "Unilaterally Incompressible Skinning", 2017, sec. 4.2;
 * it may start anywhere and take its time. */
#ifndef TESTS_SUPPORT_FOLD_ORACLE_H
#define TESTS_SUPPORT_FOLD_ORACLE_H

#include "base/vec.h"

/* Each segment of the line as the numbers its length depends on: |d + X e|^2 = a + 2 b X + c X^2. */
typedef struct oracle_segment
{
    double a, b, c;
} oracle_segment;

/* Segments of a fold: count points and directions (profile already multiplied in); out: count - 1. */
void oracle_segments(uint32_t count, const pl_f4 *points, const pl_f4 *raised, oracle_segment *out);

/* tau(X); slope (if not NULL) gets its derivative. */
double oracle_tau(const oracle_segment *segments, uint32_t count, double rest_length, double x, double *slope);

/* Where a hollow has lost nothing yet, its slope is turned around: heights begin in proportion to the loss. With 1 it
 * is left out, and heights begin with the square root. */
#define ORACLE_EASE 2.0
/* The part of the loss over which a hollow is eased, from which on all that a fold may not take is due elsewhere. */
#define ORACLE_DUE 0.3

typedef struct oracle_solution
{
    double amplitude; /* X: exactly 0 where the line is as long as at rest or longer */
    double tau;       /* what is left of the equation, at X */
    double hollow;  /* up to about this amplitude the fold only fills a hollow and is shorter than at 0; 0: no hollow */
    double relief;  /* what easing added to the slope: tau is that of tau(X) + relief X; 0: nothing */
    double due;     /* how much of what is left, where the fold may not rise, is to be taken up elsewhere, 0 .. 1 */
    uint32_t steps; /* Newton steps taken */
} oracle_solution;

/* Solves the complementarity problem. guess: an amplitude to start from, such as the last frame's; 0 or less: none. The
 * result does not depend on it beyond the last bits of a solution with |tau| <= 1e-10 rest lengths. A fold that
 * cannot rise (all directions zero) stays at 0 with its tau. */
oracle_solution oracle_solve(const oracle_segment *segments, uint32_t count, double rest_length, double guess);
/* The same for animation. In a hollow, where normals meet, a fold that rises first fills the hollow and gets shorter:
 * at the moment its length falls below that at rest, the root lies not at 0 but far off, and the fold would leap. While
 * less than 2 % of the length is lost (in a deep hollow up to 32 %), that first slope is left out in part, all of it at
 * the beginning: what is solved is still convex, still has one root, and the height grows from 0. Without a hollow, or
 * when more is lost, it is the same. */
oracle_solution oracle_solve_eased(const oracle_segment *segments, uint32_t count, double rest_length, double guess);

/* The paper's measure of how well 0 <= x, tau >= 0, x tau = 0 is met: sqrt(x^2 + tau^2) - x - tau. */
double oracle_residual(double x, double tau);

/* ---- Quasi-isometry (sec. 4.2, "avoiding distortion") ---- */

/* Directions for the next frame, the paper's only state: each point is to rise towards the place on this frame's folded
 * line that it has at rest, measured along the line. skinned and folded: the line without and with its fold, count
 * points each; rest: arc length of each point at rest, increasing from 0; normals: what a point keeps where there is
 * nothing to correct, unit. out: unit directions, at most 60 degrees from the normals; may be what the fold was raised
 * along. (As printed the paper takes the way from the folded point, which vanishes once the point is in its place; from
 * the skinned one a held pose holds.) The layer does not use it: `even` moves places along the fold within the frame,
 * which needs no state and does not lag; tests/layers/test_fold_line.c compares both. */
void oracle_directions(uint32_t count, const pl_f4 *skinned, const pl_f4 *folded, const float *rest,
                       const pl_f4 *normals, pl_f4 *out);

#endif
