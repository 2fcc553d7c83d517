/* pleat/fit.h: a few morph targets in the place of many frames.
 *
 * Displacements over a clip, learned frame by frame in bounded memory, become targets whose largest error is small:
 * principal components, in which vertices that would end up far off count for more. Two passes: learn every frame,
 * settle, then weigh every frame; the second pass also measures the error for every possible number of targets, so
 * that the number can be chosen by a bound on the largest error. */
#ifndef PLEAT_FIT_H
#define PLEAT_FIT_H

#include "pleat/base.h"

PLEAT_BEGIN

typedef struct pleat_fit pleat_fit;

/* target_limit: 1..1024, the most targets that can be chosen. normal_count: 0, or how many normals get targets too. */
pleat_result pleat_fit_create(uint32_t vertex_count, uint32_t normal_count, uint32_t frame_count, uint32_t target_limit,
                              const pleat_host *host, pleat_fit **fit, pleat_error *error);
void pleat_fit_destroy(pleat_fit *fit);

/* First pass: every frame once. displacements: vertex_count. Never allocates. */
void pleat_fit_learn(pleat_fit *fit, const pleat_vec3 *displacements);
/* Ends the first pass. */
void pleat_fit_settle(pleat_fit *fit);
/* After settle: about the largest error that all targets together will leave; 0 if they can be exact. */
float pleat_fit_expected(const pleat_fit *fit);
/* After settle, or not at all: sets to zero what targets say of a vertex where it hardly matters: at each vertex the
 * smallest parts, as long as the root of the sum of their squares, at their largest weights, stays within tolerance, or
 * within a part of what the vertex is better off than the worst one. The weights that follow make up for it, and the
 * errors stated include it. */
void pleat_fit_prune(pleat_fit *fit, float tolerance, float part);
/* Second pass: every frame once. normal_changes: normal_count differences to the base normals, or NULL. */
void pleat_fit_weigh(pleat_fit *fit, uint32_t frame, const pleat_vec3 *displacements, const pleat_vec3 *normal_changes);

/* Errors that a number of targets leaves, over all frames and vertices, in the displacements' unit. Beyond 8 targets
 * every fourth number is measured; between them the error of the smaller one is stated. */
typedef struct pleat_fit_error
{
    float largest;
    float rms;
} pleat_fit_error;
pleat_fit_error pleat_fit_error_of(const pleat_fit *fit, uint32_t target_count);
/* The largest displacement of all frames. */
float pleat_fit_largest(const pleat_fit *fit);
/* Targets there are: at most target_limit and no more than the motion has. */
uint32_t pleat_fit_target_count(const pleat_fit *fit);
/* The smallest number of targets whose largest error is at most the bound, or all of them. */
uint32_t pleat_fit_choose(const pleat_fit *fit, float largest_error);

/* Target i (vertex_count), most important first, scaled so that its weights lie in -1..1. */
void pleat_fit_target(const pleat_fit *fit, uint32_t target, pleat_vec3 *out);
void pleat_fit_normal_target(const pleat_fit *fit, uint32_t target, pleat_vec3 *out);
float pleat_fit_weight(const pleat_fit *fit, uint32_t frame, uint32_t target);

PLEAT_END

#endif
