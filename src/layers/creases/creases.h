/* Creases, inside: hinges and curves from the clip (plan.c, field.c, trace.c), what binds them to refined skin
 * (bind.c), and the frame (frame.c).
 *
 * Words: those of layers/implicit/implicit.h; a *crease* is one curve across the inner side of a bend. */
#ifndef PL_CREASES_H
#define PL_CREASES_H

#include "layers/implicit/implicit.h"
#include "mesh/field/convolution.h"
#include "pleat/layers/creases.h"

enum
{
    PL_CREASE_POINTS = 256, /* of one curve */
    PL_RAMP_POINTS = 32
};

/* A point of a crease, on the surface that was planned. */
typedef struct pl_crease_point
{
    pleat_place place;
    pl_f4 rest;
    float weight; /* 0 at the curve's ends .. 1 */
} pl_crease_point;

typedef struct pl_crease
{
    uint32_t bend;
    uint32_t first, count; /* in points */
    float radius;          /* metres */
    float start;           /* turn of the joint, radians, from which on its seed is in the other bone's field */
    pl_f4 middle;          /* of a ball around its points at rest */
    float reach;
} pl_crease;

/* How a joint turns over the clip. */
typedef struct pl_crease_hinge
{
    bool turns;
    pl_f4 axis;  /* unit, at rest */
    float angle; /* the largest, radians */
} pl_crease_hinge;

typedef struct pl_crease_plan
{
    pl_memory memory;
    pl_arena arena;
    pleat_creases_options options;
    const pleat_topology *topology; /* of the surface that was planned, */
    const pleat_vec4 *rest;         /* and its vertices */
    pl_implicit_bound bound;        /* skeleton, fields, from_rest; no blocks */
    pl_crease_hinge *hinges;        /* by bend */
    uint32_t crease_count, point_count;
    uint32_t crease_capacity, point_capacity;
    pl_crease *creases; /* and points: of memory, not of the arena */
    pl_crease_point *points;
    float ramp[PL_RAMP_POINTS][2];
    uint32_t ramp_count; /* 0: a smooth step */
} pl_crease_plan;

/* ---- Planning ---------------------------------------------------------------------------------------------------- */

/* What a bend's angle field is on the rest surface, when the joint is turned the farthest. */
typedef struct pl_crease_angles
{
    float *angle; /* #V: between both gradients, radians; 0 off the bend */
    float *value; /* #V: of the other bone's field, 0 .. 1 */
    float *inner; /* #V: cosine of the normal against the inner side */
    float *other; /* #V: scratch */
    pleat_vec4 *points, *own, *there;
    uint32_t *vertices; /* of both bones */
    uint32_t count;
} pl_crease_angles;

pleat_result pl_crease_make_angles(const pleat_cloth *cloth, pl_arena *arena, pl_crease_angles *angles,
                                   pleat_error *error);
/* Fills the arrays for a bend and lists its vertices. The ones of an earlier bend are cleared. */
void pl_crease_fill_angles(const pleat_cloth *cloth, const pl_crease_plan *plan, uint32_t bend,
                           pl_crease_angles *angles);

/* The least turn at which a vertex lies in the other bone's field with a value of 0 .. 1; the largest of the clip where
 * it never does. */
float pl_crease_start(const pleat_cloth *cloth, const pl_crease_plan *plan, uint32_t bend, uint32_t vertex,
                      float value);

/* Seeds and grows the creases of a bend, behind those there are. */
pleat_result pl_crease_trace(const pleat_cloth *cloth, const pl_crease_angles *angles, uint32_t bend,
                             pl_crease_plan *plan, pleat_error *error);

pleat_result pl_crease_plan_make(const pleat_creases_options *options, const pleat_cloth *coarse,
                                 const pleat_layer_preview *preview, const pleat_host *host, void **plan,
                                 pleat_error *error);
bool pl_crease_plan_wants(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
void pl_crease_plan_destroy(void *plan);

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* The part of what a joint takes that a turn from rest brings out: 0 .. 1. */
float pl_crease_ramp(const pl_crease_plan *plan, float turn);

/* A crease's cross section is a circle of its radius where an endless line's field is this. */
#define PL_CREASE_ISO 0.5f
/* The paper's s: the sharpness of a crease of radius 1.387, whose field it makes PL_CREASE_ISO there. */
#define PL_CREASE_SHARPNESS 0.85f
#define PL_CREASE_UNIT 1.387f
/* A crease's field ends this many radii from its line: neighbours at the default distance hardly feel it. */
#define PL_CREASE_REACH 3.0f

/* A segment of a crease as two places (Gauss) with what the integral takes of the kernel there: for segments of up to a
 * radius that is the closed form to a thousandth, at a tenth of its cost. */
typedef struct pl_crease_segment
{
    pl_f4 at[2];
    float weight[2];  /* times the length's half */
    float sharpness2; /* s^2 */
    float reach2;     /* the kernel's end, squared, */
    float end, slope; /* and its value and slope over d^2 there, which are taken off */
} pl_crease_segment;

/* Its iso-surface has these radii at its ends, if it goes on on both sides. */
pl_crease_segment pl_crease_segment_of(pl_f4 from, pl_f4 to, float from_radius, float to_radius);
/* The field at a point, and its slope along a direction. */
float pl_crease_segment_field(const pl_crease_segment *segment, pl_f4 point, pl_f4 direction, float *slope);

#endif
