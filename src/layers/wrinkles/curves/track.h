/* The curves of wrinkles, frame by frame: sections 2 and 3 of the paper, over the rest surface itself.
 *
 * A step takes the field of a frame. Wrinkles of the frame before come first, the oldest first: the seed follows the
 * compression across its wrinkle, the curve is traced anew from there, both ways. Then new ones are put where cloth is
 * compressed and no wrinkle is near. The first step of a tracker is the static tracing of section 2.
 *
 * Deviations from the paper, and why: see curves/track.c. */
#ifndef PL_LAYERS_WRINKLES_CURVES_TRACK_H
#define PL_LAYERS_WRINKLES_CURVES_TRACK_H

#include "pleat/curves.h"
#include "mesh/strain/field.h"

/* Radii that curves can be traced for: areas of their square are still numbers in floats, with room to spare. */
#define PL_WRINKLE_FINEST 1e-12f
#define PL_WRINKLE_WIDEST 1e9f

typedef struct pl_wrinkle_track_options
{
    float r_min;      /* metres, above 0: the smallest radius of curvature of the fabric. No default: 0 */
    float lambda_max; /* 0..1: cloth above this stretch has no wrinkles; default 0.9 */
    float spacing;    /* of a new seed from other wrinkles, in r_min; default 2 */
    float merge;      /* nearer than this to an older wrinkle a wrinkle ends, in r_min; default 1 */
    float speed;      /* how fast a wrinkle may slide, in r_min a second; default 30: r_min a frame at 30 fps */
    float settle;     /* seconds in which the field is evened out (time constant): what trembles faster makes no
                         wrinkles; default 0.15 */
    float step;       /* between points, in r_min; default 0.5 */
    bool tension; /* wrinkles of tension, along the largest stretch where it is above 1 / lambda_max; default false */
    uint32_t most_wrinkles, most_points; /* of a frame; default 0: by the area of the cloth */
} pl_wrinkle_track_options;

pl_wrinkle_track_options pl_wrinkle_track_options_default(void);

/* Wrinkles of one frame, sorted by id. Points of a wrinkle follow each other `step` apart along the rest surface, but
 * for the last at either end, which may be nearer; a ring ends with its first point again. Widths and depths are 0
 * until someone fills them. */
typedef struct pl_wrinkle_frame
{
    uint32_t wrinkle_count;
    pleat_wrinkle *wrinkles;
    float *seed_parameter; /* of each wrinkle's seed: u, in metres along the wrinkle. Points of one wrinkle in two
                              frames correspond when their u are equal */
    uint32_t point_count;
    pleat_wrinkle_point *points;
} pl_wrinkle_frame;

typedef struct pl_wrinkle_tracker pl_wrinkle_tracker;

/* field must outlive the tracker. */
pleat_result pl_wrinkle_tracker_create(const pl_wrinkle_track_options *options, const pleat_strain_field *field,
                                       const pleat_host *host, pl_wrinkle_tracker **tracker, pleat_error *error);
void pl_wrinkle_tracker_destroy(pl_wrinkle_tracker *tracker);
/* The options as they came out: most_wrinkles and most_points are what a frame can hold. */
const pl_wrinkle_track_options *pl_wrinkle_tracker_options(const pl_wrinkle_tracker *tracker);
/* Forgets all wrinkles, but not which ids were given. */
void pl_wrinkle_tracker_clear(pl_wrinkle_tracker *tracker);
/* The wrinkles of the frame that the field was last updated for, so many seconds after the step before (0 or less: as
 * if cleared). The result is the tracker's and lasts until the next call. Never allocates. */
const pl_wrinkle_frame *pl_wrinkle_tracker_step(pl_wrinkle_tracker *tracker, float seconds);
/* The last step left wrinkles out because most_wrinkles or most_points was reached. */
bool pl_wrinkle_tracker_full(const pl_wrinkle_tracker *tracker);

/* Everything that the next step depends on, besides the field: plain bytes without pointers. */
size_t pl_wrinkle_tracker_state_size(const pl_wrinkle_tracker *tracker);
void pl_wrinkle_tracker_save(const pl_wrinkle_tracker *tracker, void *state);
void pl_wrinkle_tracker_restore(pl_wrinkle_tracker *tracker, const void *state);

#endif
