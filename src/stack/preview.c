/* What layers see of the clip before the first frame: skinning and the coarse layers, frame by frame.
 *
 * Coarse layers without state show any frame at once. Those with state are played: on from the last frame that was
 * looked at, or for an earlier one from the last mark before it, so that what is seen is what the bake will give. */
#include "stack/stack.h"

#include <string.h>

enum
{
    MARK_STEP = 16 /* frames: as many at most are played again for one that is looked at; a sixteenth is the memory */
};

/* ---- State of the coarse layers that are shown ---- */

static bool is_shown(const pl_preview *view, uint32_t index)
{
    return index < view->coarse_end && view->stack->layers[index].layer &&
           view->stack->layers[index].type->stage == PLEAT_STAGE_COARSE;
}

static size_t state_size(const pl_preview *view)
{
    size_t size = 0;
    for (uint32_t i = 0; i < view->stack->layer_count; ++i)
    {
        size += is_shown(view, i) ? pl_stack_layer_state_size(&view->stack->layers[i]) : 0;
    }
    return size;
}

static void save_state(const pl_preview *view, char *state)
{
    for (uint32_t i = 0; i < view->stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &view->stack->layers[i];
        size_t size = is_shown(view, i) ? pl_stack_layer_state_size(layer) : 0;
        if (size)
        {
            layer->type->state_save(layer->layer, state);
        }
        state += size;
    }
}

static void restore_state(const pl_preview *view, const char *state)
{
    for (uint32_t i = 0; i < view->stack->layer_count; ++i)
    {
        const pl_stack_layer *layer = &view->stack->layers[i];
        size_t size = is_shown(view, i) ? pl_stack_layer_state_size(layer) : 0;
        if (size)
        {
            layer->type->state_restore(layer->layer, state);
        }
        state += size;
    }
}

/* ---- Looking ---- */

/* The next frame is of this shot. */
static pleat_result turn(pl_preview *view, const pleat_shot *shot, pleat_error *error)
{
    if (view->shot == shot)
    {
        return PLEAT_OK;
    }
    pleat_points_reader_destroy(view->points);
    view->points = NULL;
    view->shot = shot;
    view->next = PLEAT_NONE;
    view->mark_count = 0;
    pl_free(&view->stack->memory, view->marks);
    view->marks = NULL;
    size_t mark_room = view->state_size ? shot->frame_count / MARK_STEP + 1 : 0;
    if (mark_room)
    {
        view->marks = PL_NEW(&view->stack->memory, char, mark_room * view->state_size);
        PL_TRY(view->marks ? PLEAT_OK : pl_fail_memory(&view->stack->memory, error, "the state of coarse layers"));
    }
    return shot->clip->points.node == view->stack->node
               ? pleat_points_reader_create(&shot->clip->points, &view->stack->host, &view->points, error)
               : PLEAT_OK;
}

static float time_of(const pl_preview *view, double frame)
{
    return view->shot->start + (float)(frame - view->shot->first_frame) / view->fps;
}

/* Looking ahead may take as long as the bake itself. */
static pleat_result tell(const pl_preview *view, double frame, pleat_error *error)
{
    return pl_go_on(&view->stack->host, "looking ahead, frame", (uint64_t)frame, view->stack->cloth.frame_count, error);
}

/* The pose of a frame, which is all that is asked for. */
static pleat_result pose_at(pl_preview *view, double frame, pleat_error *error)
{
    pleat_stack_input input = {.pose = view->pose, .time = time_of(view, frame)};
    pleat_pose_sample(view->pose, view->shot->clip, input.time);
    return pleat_stack_check(view->stack, &input, error);
}

/* Moves the coarse surface to a frame, step seconds after what the layers' state is of. */
static pleat_result show(pl_preview *view, double frame, float step, pleat_error *error)
{
    const pleat_cloth *cloth = &view->stack->cloth;
    double since = (double)view->shot->first_frame / (double)view->fps;
    pleat_stack_input input = {.pose = view->pose, .time = time_of(view, frame), .step = step};
    input.ahead = view->shot->first_frame ? (double)cloth->clip_start + since - (double)view->shot->start : 0;
    input.tasks = &view->stack->host.tasks;
    pleat_pose_sample(view->pose, view->shot->clip, input.time);
    PL_TRY(pleat_stack_check(view->stack, &input, error));
    if (view->points)
    {
        input.points = pleat_points_reader_at(view->points, input.time, error);
        input.points_world = view->shot->clip->points.world;
        if (!input.points)
        {
            return error ? error->result : PLEAT_FILE_ERROR;
        }
    }
    pl_stack_move(view->stack, &input);
    pl_stack_run_coarse(view->stack, view->coarse_end, &input);
    return PLEAT_OK;
}

/* Goes back to the last mark that is not behind a frame, or to the first frame of the shot. */
static void go_back(pl_preview *view, uint32_t frame)
{
    uint32_t mark = (frame - view->shot->first_frame) / MARK_STEP;
    mark = mark < view->mark_count ? mark : view->mark_count;
    restore_state(view, mark ? view->marks + (mark - 1) * view->state_size : view->initial);
    view->next = view->shot->first_frame + mark * MARK_STEP;
}

/* Keeps the state that the next frame begins with, where there is to be a mark. */
static void keep_mark(pl_preview *view)
{
    uint32_t since = view->next - view->shot->first_frame;
    if (since == (view->mark_count + 1) * MARK_STEP)
    {
        save_state(view, view->marks + view->mark_count * view->state_size);
        ++view->mark_count;
    }
}

/* The same where layers keep state: all frames up to this one are played. */
static pleat_result play(pl_preview *view, double frame, pleat_error *error)
{
    uint32_t whole = (uint32_t)frame;
    if (view->next == PLEAT_NONE || view->next > whole + 1 || (view->next == whole + 1 && frame == (double)whole))
    {
        go_back(view, whole);
    }
    for (; view->next <= whole; ++view->next)
    {
        PL_TRY(tell(view, view->next, error));
        keep_mark(view);
        PL_TRY(show(view, view->next, view->next == view->shot->first_frame ? 0 : 1 / view->fps, error));
    }
    if (frame > (double)whole)
    {
        save_state(view, view->held);
        pleat_result result = show(view, frame, (float)(frame - (double)whole) / view->fps, error);
        restore_state(view, view->held);
        return result;
    }
    return PLEAT_OK;
}

static pleat_result look(void *user, double frame, pleat_vec4 *positions, pleat_error *error)
{
    pl_preview *view = user;
    pleat_stack *stack = view->stack;
    const pleat_cloth *cloth = &stack->cloth;
    PL_TRY(tell(view, frame, error));
    PL_TRY(turn(view, pleat_shot_of(cloth->shots, cloth->shot_count, (uint32_t)frame), error));
    if (!positions)
    {
        return pose_at(view, frame, error);
    }
    if (!view->state_size)
    {
        PL_TRY(show(view, frame, 0, error));
    }
    else if (frame != view->shown)
    {
        view->shown = -1;
        PL_TRY(play(view, frame, error));
        view->shown = frame;
    }
    else
    {
        PL_TRY(pose_at(view, frame, error));
    }
    if (view->refined && stack->refinement)
    {
        pl_stack_refine(stack, stack->coarse_positions, positions, &stack->host.tasks);
    }
    else
    {
        memcpy(positions, stack->coarse_positions, stack->coarse_count * sizeof *positions);
    }
    return PLEAT_OK;
}

static const pleat_pose *pose_of(void *user)
{
    return ((pl_preview *)user)->pose;
}

/* ---- Opening and closing ---- */

pleat_result pl_preview_open(pleat_stack *stack, const pleat_stack_desc *desc, uint32_t coarse_end, pl_preview *view,
                             pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *view =
        (pl_preview){.stack = stack, .fps = desc->clip_fps, .coarse_end = coarse_end, .next = PLEAT_NONE, .shown = -1};
    PL_TRY(pleat_pose_create(stack->model, &stack->host, &view->pose, error));
    if (desc->rest)
    {
        pleat_pose_set_origin(view->pose, pleat_pose_origin(desc->rest));
    }
    size_t size = state_size(view);
    if (size)
    {
        PL_NEW_OR_FAIL(view->initial, &stack->memory, char, size, error);
        PL_NEW_OR_FAIL(view->held, &stack->memory, char, size, error);
        save_state(view, view->initial);
        view->state_size = size;
    }
fail:
    return result;
}

void pl_preview_close(pl_preview *view)
{
    if (view->state_size)
    {
        restore_state(view, view->initial);
    }
    if (view->stack)
    {
        pl_free(&view->stack->memory, view->initial);
        pl_free(&view->stack->memory, view->held);
        pl_free(&view->stack->memory, view->marks);
    }
    pleat_points_reader_destroy(view->points);
    pleat_pose_destroy(view->pose);
}

pleat_layer_preview pl_preview_shown(pl_preview *view)
{
    return (pleat_layer_preview){look, pose_of, view};
}
