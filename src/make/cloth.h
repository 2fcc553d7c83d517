/* A small cloth simulation: extended position-based dynamics (Macklin, Mueller, Chentanez, "XPBD", 2016) with many
 * small steps and one pass over the constraints in each, in the order they stand: the same on every run.
 *
 * The cloth is coarse on purpose. It hardly stretches, but gives way under compression, as coarse cloth in games does:
 * what a finer one would fold is left as compression, for the wrinkles to answer for. */
#ifndef PL_MAKE_CLOTH_H
#define PL_MAKE_CLOTH_H

#include "make/dancer/dancer.h"

/* What cloth meets. Positions are in world space, in metres. */
typedef struct pl_surroundings
{
    void *user;
    /* Before the steps of a frame; the cloth is as the last one left it. */
    void (*frame)(void *user, uint32_t frame, const pl_v3 *positions);
    /* Before a step: how much of the frame has passed at its end, above 0 and up to 1. */
    void (*step)(void *user, double passed);
    /* Puts a vertex out of what it touches, and slows its slide from where it was. */
    void (*touch)(void *user, uint32_t vertex, pl_v3 *position, pl_v3 before);
    /* Where a held vertex is. */
    pl_v3 (*hold)(void *user, uint32_t vertex);
} pl_surroundings;

typedef struct pl_cloth_desc
{
    uint32_t vertex_count, triangle_count;
    const pl_v3 *rest; /* the shape it was cut to */
    const uint32_t *triangles;
    const bool *held;                 /* per vertex, or NULL */
    double stretch, squeeze;          /* compliance of edges when longer and when shorter than at rest, m/N */
    double bend;                      /* compliance across edges */
    double drag;                      /* share of the speed lost in a second */
    uint32_t frame_count, step_count; /* frames; steps in a frame */
    uint32_t settle_count;            /* frames before the first that is kept; surroundings see them as frame 0 .. */
    pl_surroundings surroundings;
} pl_cloth_desc;

/* frames: frame_count by vertex_count, kept memory; frames before are numbered from 0 to settle_count - 1. */
pleat_result pl_cloth_run(pl_maker *maker, const pl_cloth_desc *desc, pleat_vec3 **frames);

/* ---- The dancer as surroundings ---- */

typedef struct pl_partner pl_partner;

/* A dancer that moves by a clip of the model, after settle_count frames from the rest pose into the clip's first. The
 * dancer's meshes must be made. Held vertices go with the body at the place where they are at rest. */
pleat_result pl_partner_create(pl_maker *maker, const pl_dancer *dancer, const pleat_clip *clip, uint32_t settle_count,
                               uint32_t vertex_count, const pl_v3 *rest, double gap, pl_partner **partner);
pl_surroundings pl_partner_surroundings(pl_partner *partner);

#endif
