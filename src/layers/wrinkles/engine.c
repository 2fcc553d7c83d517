/* From the coarse cloth of a frame to its wrinkles: stretch field, tracker, shape, smoothing over time. */
#include "layers/wrinkles/wrinkles.h"

pleat_result pl_wrinkle_engine_create(const pl_wrinkle_engine_desc *desc, const pleat_host *host,
                                      pl_wrinkle_engine *engine, pleat_error *error)
{
    const pleat_wrinkles_options *options = desc->options;
    *engine = (pl_wrinkle_engine){0};
    pl_wrinkle_track_options track = pl_wrinkle_track_options_default();
    track.r_min = desc->radius;
    track.lambda_max = 1 - options->threshold;
    track.tension = options->tension;
    pleat_result result = pleat_strain_field_create(desc->topology, desc->rest, host, &engine->field, error);
    if (result == PLEAT_OK)
    {
        result = pl_wrinkle_tracker_create(&track, engine->field, host, &engine->tracker, error);
    }
    if (result == PLEAT_OK)
    {
        track = *pl_wrinkle_tracker_options(engine->tracker);
        pl_wrinkle_shape_desc shape = pl_wrinkle_shape_desc_default();
        shape.topology = desc->topology;
        shape.rest = desc->rest;
        shape.radius = desc->radius;
        shape.side = (pleat_wrinkle_side)options->side;
        shape.strength = options->strength;
        shape.threshold = options->threshold;
        shape.wrinkle_capacity = track.most_wrinkles;
        shape.point_capacity = track.most_points;
        result = pl_wrinkle_shape_create(&shape, host, &engine->shape, error);
    }
    if (result == PLEAT_OK)
    {
        /* Within a window wrinkles that died and those about to be born are there as well. */
        engine->most_wrinkles = 2 * track.most_wrinkles;
        engine->most_points = 2 * track.most_points;
        pl_wrinkle_smooth_options smooth = pl_wrinkle_smooth_options_default();
        smooth.step = track.step * desc->radius;
        smooth.seconds = options->smoothing;
        smooth.most_wrinkles = engine->most_wrinkles;
        smooth.most_points = engine->most_points;
        result = pl_wrinkle_smoother_create(&smooth, pl_field_flat(engine->field), desc->frame_step, host,
                                            &engine->smoother, error);
    }
    if (result != PLEAT_OK)
    {
        pl_wrinkle_engine_destroy(engine);
    }
    return result;
}

void pl_wrinkle_engine_destroy(pl_wrinkle_engine *engine)
{
    pl_wrinkle_smoother_destroy(engine->smoother);
    pl_wrinkle_shape_destroy(engine->shape);
    pl_wrinkle_tracker_destroy(engine->tracker);
    pleat_strain_field_destroy(engine->field);
    *engine = (pl_wrinkle_engine){0};
}

const pl_wrinkle_frame *pl_wrinkle_engine_step(pl_wrinkle_engine *engine, const pleat_vec4 *positions, float seconds,
                                               const pleat_tasks *tasks)
{
    if (!positions)
    {
        return pl_wrinkle_smoother_push(engine->smoother, NULL);
    }
    if (!(seconds > 0))
    {
        pl_wrinkle_smoother_clear(engine->smoother);
        pl_wrinkle_shape_reset(engine->shape);
    }
    pleat_strain_field_update(engine->field, positions, tasks);
    const pl_wrinkle_frame *frame = pl_wrinkle_tracker_step(engine->tracker, seconds);
    pl_wrinkle_shape_update(engine->shape, positions, frame->wrinkle_count, frame->wrinkles, frame->points, tasks);
    return pl_wrinkle_smoother_push(engine->smoother, frame);
}

/* States of tracker, smoother and shape, each from a multiple of 16 on. */
static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static size_t smoother_at(const pl_wrinkle_engine *engine)
{
    return rounded(pl_wrinkle_tracker_state_size(engine->tracker));
}

static size_t shape_at(const pl_wrinkle_engine *engine)
{
    return smoother_at(engine) + rounded(pl_wrinkle_smoother_state_size(engine->smoother));
}

size_t pl_wrinkle_engine_state_size(const pl_wrinkle_engine *engine)
{
    return shape_at(engine) + pl_wrinkle_shape_state_size(engine->shape);
}

void pl_wrinkle_engine_save(const pl_wrinkle_engine *engine, void *state)
{
    pl_wrinkle_tracker_save(engine->tracker, state);
    pl_wrinkle_smoother_save(engine->smoother, (char *)state + smoother_at(engine));
    pl_wrinkle_shape_save(engine->shape, (char *)state + shape_at(engine));
}

void pl_wrinkle_engine_restore(pl_wrinkle_engine *engine, const void *state)
{
    pl_wrinkle_tracker_restore(engine->tracker, state);
    pl_wrinkle_smoother_restore(engine->smoother, (const char *)state + smoother_at(engine));
    pl_wrinkle_shape_restore(engine->shape, (const char *)state + shape_at(engine));
}
