/* The tracker with its stretch field, for hosts that only want to see where cloth would wrinkle. */
#include "layers/wrinkles/curves/track.h"

#include "base/memory.h"

struct pleat_curve_tracer
{
    pl_memory memory;
    pleat_strain_field *field;
    pl_wrinkle_tracker *tracker;
};

pleat_result pleat_curve_tracer_create(const pleat_topology *topology, const pleat_vec4 *rest, float radius,
                                       const pleat_host *host, pleat_curve_tracer **out, pleat_error *error)
{
    *out = NULL;
    pleat_curve_tracer *tracer = PL_CREATE(pleat_curve_tracer, host);
    if (!tracer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the tracing of curves");
    }
    pl_wrinkle_track_options options = pl_wrinkle_track_options_default();
    options.r_min = radius;
    pleat_result result = pleat_strain_field_create(topology, rest, host, &tracer->field, error);
    if (result == PLEAT_OK)
    {
        result = pl_wrinkle_tracker_create(&options, tracer->field, host, &tracer->tracker, error);
    }
    if (result != PLEAT_OK)
    {
        pleat_curve_tracer_destroy(tracer);
        return result;
    }
    *out = tracer;
    return PLEAT_OK;
}

void pleat_curve_tracer_destroy(pleat_curve_tracer *tracer)
{
    if (tracer)
    {
        pl_wrinkle_tracker_destroy(tracer->tracker);
        pleat_strain_field_destroy(tracer->field);
        PL_DESTROY(tracer);
    }
}

void pleat_curve_tracer_limits(const pleat_curve_tracer *tracer, uint32_t *most_curves, uint32_t *most_points)
{
    const pl_wrinkle_track_options *options = pl_wrinkle_tracker_options(tracer->tracker);
    *most_curves = options->most_wrinkles;
    *most_points = options->most_points;
}

uint32_t pleat_curve_tracer_step(pleat_curve_tracer *tracer, const pleat_vec4 *positions, float step,
                                 const pleat_tasks *tasks, const pleat_wrinkle **curves,
                                 const pleat_wrinkle_point **points)
{
    pleat_strain_field_update(tracer->field, positions, tasks);
    const pl_wrinkle_frame *frame = pl_wrinkle_tracker_step(tracer->tracker, step);
    *curves = frame->wrinkles;
    *points = frame->points;
    return frame->wrinkle_count;
}
