/* Wrinkles smoothed over time at constant parameter (section 3), with a symmetric window in seconds: no delay in a
 * whole clip, one of a half window in a stream, and the same result.
 *
 * Places are averaged over the frames of the window that have the point, on the surface; width and strength, too. Depth
 * counts as 0 in frames that do not have it, so that births, deaths and growing ends fade in and out: a wrinkle is in
 * the result a half window before its birth and after its death. */
#ifndef PL_LAYERS_WRINKLES_CURVES_SMOOTH_H
#define PL_LAYERS_WRINKLES_CURVES_SMOOTH_H

#include "layers/wrinkles/curves/track.h"

typedef struct pl_wrinkle_smooth_options
{
    float step;                          /* between points, metres, above 0: that of the tracker; no default */
    float seconds;                       /* half of the window, 0 or more; default 0.1 */
    uint32_t most_wrinkles, most_points; /* of a smoothed frame; no default */
} pl_wrinkle_smooth_options;

pl_wrinkle_smooth_options pl_wrinkle_smooth_options_default(void);

typedef struct pl_wrinkle_smoother pl_wrinkle_smoother;

/* frame_step: seconds between frames, above 0. flat must outlive the smoother. */
pleat_result pl_wrinkle_smoother_create(const pl_wrinkle_smooth_options *options, const pl_flat *flat, float frame_step,
                                        const pleat_host *host, pl_wrinkle_smoother **smoother, pleat_error *error);
void pl_wrinkle_smoother_destroy(pl_wrinkle_smoother *smoother);
/* Frames that a result comes later than its input: ceil(seconds / frame_step). */
uint32_t pl_wrinkle_smoother_delay(const pl_wrinkle_smoother *smoother);
/* Takes the next frame (copied), with widths and depths, or NULL after the last; returns the smoothed frame `delay`
 * frames back, or NULL while there is none yet (and, after the last, no more). The result lasts until the next call.
 * Never allocates. A whole clip: push every frame, then NULL until NULL comes back. */
const pl_wrinkle_frame *pl_wrinkle_smoother_push(pl_wrinkle_smoother *smoother, const pl_wrinkle_frame *frame);
void pl_wrinkle_smoother_clear(pl_wrinkle_smoother *smoother);

size_t pl_wrinkle_smoother_state_size(const pl_wrinkle_smoother *smoother);
void pl_wrinkle_smoother_save(const pl_wrinkle_smoother *smoother, void *state);
void pl_wrinkle_smoother_restore(pl_wrinkle_smoother *smoother, const void *state);

#endif
