/* One wrinkle's curve: a streamline of the direction of largest stretch, from a seed both ways (section 2.2). */
#ifndef PL_LAYERS_WRINKLES_CURVES_TRACE_H
#define PL_LAYERS_WRINKLES_CURVES_TRACE_H

#include "layers/wrinkles/curves/grid.h"
#include "layers/wrinkles/curves/track.h"

/* What tracing needs, besides the field of the frame. */
typedef struct pl_wrinkle_tracer
{
    const pleat_strain_field *field;
    const pl_tensor *tensors; /* #V: the field as tracing sees it */
    const pl_flat *flat;
    pl_wrinkle_track_options options;
    float threshold;      /* of strength, where a wrinkle begins or grows */
    float kept;           /* and where it was in the frame before */
    float step;           /* metres between points */
    pl_wrinkle_grid now;  /* curves of this frame so far */
    pl_wrinkle_grid past; /* curves of the frame before */
    uint32_t branch_capacity;
    pleat_place *branch[2]; /* of the curve at hand, from the seed on: against u and along it */
    uint32_t branch_count[2];
    bool full; /* something had no room */
} pl_wrinkle_tracer;

/* The same wrinkle in the frame before. */
typedef struct pl_trace_past
{
    const pleat_place *origin; /* where the parameter was that the new seed has; others of the curve stand around it */
    int32_t low, high;         /* origin[low] .. origin[high] are `step` apart */
    float most;                /* metres that a point may have moved since */
    float limit[2];            /* most lengths of the branches. Out: where one was cut or held, else INFINITY */
} pl_trace_past;

pl_field_value pl_wrinkle_look(const pl_wrinkle_tracer *tracer, const pleat_place *place);
/* How much the cloth is short of room at a place, 0 .. 1: 1 - smallest stretch; with tension 1 - 1 / largest. */
float pl_wrinkle_strength(const pl_wrinkle_tracer *tracer, const pl_field_value *value);

/* Fills the branches and puts their points into `now` under this owner. The seed's direction is where u grows. The seed
 * itself is the first point of neither branch. Returns the length. A ring has all of its points in branch 1, which ends
 * with the seed's place. past may be NULL for a new wrinkle. */
float pl_wrinkle_trace(pl_wrinkle_tracer *tracer, const pl_flat_point *seed, float parameter, uint32_t owner,
                       pl_trace_past *past);

#endif
