/* A body for cloth: plain stacks of some nodes, moved when a layer asks where they are. */
#include "pleat/model_body.h"

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/stack.h"

#include <string.h>

struct pleat_model_body
{
    pl_memory memory;
    pl_arena arena;
    pleat_body body;
    uint32_t shot_count; /* 0: it stands still */
    pleat_shot *shots;
    float fps; /* of several shots */
    pleat_pose *pose;
    uint32_t stack_count;
    pleat_stack **stacks;
    pleat_points_reader **readers; /* stack_count by shot_count; NULL where a clip has no points for a stack */
    uint32_t *nodes;               /* of each stack */
    uint32_t *first_vertex;        /* stack_count + 1 */
    pleat_vec4 *positions;
    float time; /* that positions are of; not a number: none */
};

/* The shot of a time of the row, and that time of its clip. */
static const pleat_shot *shot_at(const pleat_model_body *body, float *time)
{
    if (body->shot_count == 1)
    {
        return body->shots;
    }
    double since = ((double)*time - (double)body->shots[0].start) * (double)body->fps;
    double frame = floor(since + 0.25); /* a time is that of a frame, up to rounding */
    const pleat_shot *shot =
        pleat_shot_of(body->shots, body->shot_count, frame > 0 ? (uint32_t)fmin(frame, UINT32_MAX / 2) : 0);
    *time = (float)((double)shot->start + (since - shot->first_frame) / (double)body->fps);
    return shot;
}

/* Moves every stack to a time. Points that cannot be read, and poses that cannot be used, leave their
 * stack where it was. */
static const pleat_vec4 *body_at(void *user, float time)
{
    pleat_model_body *body = user;
    if (time == body->time)
    {
        return body->positions;
    }
    body->time = time;
    const pleat_shot *shot = body->shot_count ? shot_at(body, &time) : NULL;
    if (shot)
    {
        pleat_pose_sample(body->pose, shot->clip, time);
    }
    for (uint32_t s = 0; s < body->stack_count; ++s)
    {
        pleat_stack_input input = {.pose = body->pose, .time = time};
        pleat_points_reader *reader =
            shot ? body->readers[(size_t)s * body->shot_count + (size_t)(shot - body->shots)] : NULL;
        if (reader)
        {
            pleat_error ignored;
            input.points = pleat_points_reader_at(reader, time, &ignored);
            input.points_world = shot->clip->points.world;
        }
        if ((!reader || input.points) && pleat_stack_check(body->stacks[s], &input, NULL) == PLEAT_OK)
        {
            pleat_stack_update(body->stacks[s], &input);
        }
        uint32_t first = body->first_vertex[s];
        memcpy(body->positions + first, pleat_stack_positions(body->stacks[s]),
               (body->first_vertex[s + 1] - first) * sizeof *body->positions);
    }
    return body->positions;
}

static pleat_result make_stacks(pleat_model_body *body, const pleat_model_body_desc *desc, const pleat_host *host,
                                pleat_error *error)
{
    uint32_t vertices = 0;
    for (uint32_t p = 0; p < desc->part_count; ++p)
    {
        if (p > 0 && desc->nodes[p] == desc->nodes[p - 1])
        {
            continue;
        }
        uint32_t s = body->stack_count;
        pleat_stack_desc stack = pleat_stack_desc_default();
        stack.model = desc->model;
        stack.node = desc->nodes[p];
        stack.skinning = desc->skinning;
        stack.skin_layer = desc->skin_layer;
        PL_TRY(pleat_stack_create(&stack, host, &body->stacks[s], error));
        ++body->stack_count;
        body->nodes[s] = desc->nodes[p];
        body->first_vertex[s] = vertices;
        vertices += pleat_stack_get_shape(body->stacks[s])->surface_count;
        body->first_vertex[s + 1] = vertices;
        for (uint32_t i = 0; i < body->shot_count; ++i)
        {
            const pleat_points *points = &body->shots[i].clip->points;
            if (points->node == desc->nodes[p])
            {
                PL_TRY(
                    pleat_points_reader_create(points, host, &body->readers[(size_t)s * body->shot_count + i], error));
            }
        }
    }
    body->body.vertex_count = vertices;
    return PLEAT_OK;
}

static uint32_t stack_of(const pleat_model_body *body, uint32_t node)
{
    uint32_t s = 0;
    while (body->nodes[s] != node)
    {
        ++s;
    }
    return s;
}

static pleat_result gather_triangles(pleat_model_body *body, const pleat_model_body_desc *desc, pleat_error *error)
{
    size_t count = 0;
    for (uint32_t p = 0; p < desc->part_count; ++p)
    {
        const pleat_stack_shape *shape = pleat_stack_get_shape(body->stacks[stack_of(body, desc->nodes[p])]);
        count += shape->first_triangle[desc->primitives[p] + 1] - shape->first_triangle[desc->primitives[p]];
    }
    uint32_t *triangles = PL_ARENA_NEW(&body->arena, uint32_t, 3 * count);
    body->positions = PL_ARENA_NEW(&body->arena, pleat_vec4, body->body.vertex_count);
    if (!triangles || !body->positions)
    {
        return pl_fail_memory(&body->memory, error, "the body");
    }
    body->body.triangles = triangles;
    body->body.triangle_count = (uint32_t)count;
    for (uint32_t p = 0; p < desc->part_count; ++p)
    {
        uint32_t s = stack_of(body, desc->nodes[p]);
        const pleat_stack_shape *shape = pleat_stack_get_shape(body->stacks[s]);
        size_t begin = 3 * (size_t)shape->first_triangle[desc->primitives[p]];
        size_t end = 3 * (size_t)shape->first_triangle[desc->primitives[p] + 1];
        for (size_t c = begin; c < end; ++c)
        {
            *triangles++ = shape->surface_triangles[c] + body->first_vertex[s];
        }
    }
    return PLEAT_OK;
}

static pleat_result make_body(pleat_model_body *body, const pleat_model_body_desc *desc, const pleat_host *host,
                              pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_ARENA_NEW_OR_FAIL(body->stacks, &body->arena, pleat_stack *, desc->part_count, error);
    PL_ARENA_NEW_OR_FAIL(body->nodes, &body->arena, uint32_t, desc->part_count, error);
    PL_ARENA_NEW_OR_FAIL(body->first_vertex, &body->arena, uint32_t, (size_t)desc->part_count + 1, error);
    body->shot_count = desc->shot_count ? desc->shot_count : desc->clip != PLEAT_NONE;
    PL_ARENA_NEW_OR_FAIL(body->shots, &body->arena, pleat_shot, body->shot_count, error);
    for (uint32_t i = 0; i < body->shot_count; ++i)
    {
        body->shots[i] = desc->shot_count ? desc->shots[i] : (pleat_shot){.clip = &desc->model->clips[desc->clip]};
    }
    body->fps = desc->fps;
    PL_ARENA_NEW_OR_FAIL(body->readers, &body->arena, pleat_points_reader *,
                         (size_t)desc->part_count * body->shot_count, error);
    body->time = NAN;
    body->body.at = body_at;
    body->body.user = body;
    PL_TRY(pleat_pose_create(desc->model, host, &body->pose, error));
    PL_TRY(make_stacks(body, desc, host, error));
    PL_TRY(gather_triangles(body, desc, error));
fail:
    return result;
}

pleat_result pleat_model_body_create(const pleat_model_body_desc *desc, const pleat_host *host, pleat_model_body **out,
                                     pleat_error *error)
{
    *out = NULL;
    for (uint32_t p = 0; p < desc->part_count; ++p)
    {
        uint32_t node = desc->nodes[p],
                 mesh = node < desc->model->node_count ? desc->model->nodes[node].mesh : PLEAT_NONE;
        if (mesh == PLEAT_NONE || desc->primitives[p] >= desc->model->meshes[mesh].primitive_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "body: node %u has no mesh with a primitive %u", node,
                           desc->primitives[p]);
        }
    }
    pleat_model_body *body = PL_CREATE(pleat_model_body, host);
    if (!body)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the body");
    }
    pl_arena_init(&body->arena, &body->memory);
    pleat_result result = make_body(body, desc, host, error);
    if (result != PLEAT_OK)
    {
        pleat_model_body_destroy(body);
        return result;
    }
    *out = body;
    return PLEAT_OK;
}

void pleat_model_body_destroy(pleat_model_body *body)
{
    if (!body)
    {
        return;
    }
    for (uint32_t s = 0; s < body->stack_count; ++s)
    {
        for (uint32_t i = 0; i < body->shot_count; ++i)
        {
            pleat_points_reader_destroy(body->readers[(size_t)s * body->shot_count + i]);
        }
        pleat_stack_destroy(body->stacks[s]);
    }
    pleat_pose_destroy(body->pose);
    pl_arena_free(&body->arena);
    PL_DESTROY(body);
}

const pleat_body *pleat_model_body_get(const pleat_model_body *body)
{
    return &body->body;
}
