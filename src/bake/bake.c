/* A set of stacks over the frames of a clip. */
#include "pleat/bake.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

struct pleat_bake
{
    pl_memory memory;
    pl_arena arena;
    pl_arena joined; /* the arrays of the shape */
    pleat_host host;
    const pleat_model *model;
    const pleat_clip *clip; /* NULL: the rest pose */
    uint32_t first_frame;
    bool frame_topology;
    bool *garment; /* per part; NULL: all */
    pleat_bake_shape shape;
    uint32_t stack_count;
    uint32_t *nodes;
    uint32_t *first_vertex; /* stack_count + 1 */
    pleat_stack **stacks;
    pleat_pose *pose;
    pleat_points_reader *points; /* NULL: the clip has none for a chosen node */
    uint32_t last_computed;      /* frame, or PLEAT_NONE */
};

pleat_bake_desc pleat_bake_desc_default(const pleat_model *model)
{
    pleat_bake_desc desc = {0};
    desc.model = model;
    desc.clip = model->clip_count ? 0 : PLEAT_NONE;
    desc.fps = 30;
    desc.last_frame = PLEAT_NONE;
    return desc;
}

uint32_t pleat_clip_frame_count(const pleat_clip *clip, float fps)
{
    /* A clip whose end is a frame up to rounding has that frame. */
    double frames = floor(((double)clip->end - (double)clip->start) * (double)fps + 1e-3) + 1;
    return frames < 1 ? 1 : frames > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)frames;
}

static pleat_result check_desc(const pleat_bake_desc *desc, pleat_error *error)
{
    const pleat_model *model = desc->model;
    if (!(desc->fps > 0) || !(desc->fps <= 100000))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "fps is %g; it must be above 0 and at most 100000",
                       (double)desc->fps);
    }
    if (desc->clip != PLEAT_NONE && desc->clip >= model->clip_count)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "clip %u; the model has %u", desc->clip, model->clip_count);
    }
    uint32_t frames = desc->clip == PLEAT_NONE ? 1 : pleat_clip_frame_count(&model->clips[desc->clip], desc->fps);
    uint32_t last = desc->last_frame == PLEAT_NONE ? frames - 1 : desc->last_frame;
    if (desc->first_frame > last || last >= frames)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "frames %u to %u; the clip has frames 0 to %u at %g fps",
                       desc->first_frame, last, frames - 1, (double)desc->fps);
    }
    for (uint32_t i = 0; i < desc->node_count; ++i)
    {
        if (desc->nodes[i] >= model->node_count || model->nodes[desc->nodes[i]].mesh == PLEAT_NONE)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "node %u has no mesh to bake", desc->nodes[i]);
        }
    }
    return PLEAT_OK;
}

static pleat_result choose_nodes(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = desc->model;
    uint32_t most = desc->node_count ? desc->node_count : model->scene_node_count;
    const uint32_t *from = desc->node_count ? desc->nodes : model->scene_nodes;
    PL_ARENA_NEW_OR_FAIL(bake->nodes, &bake->arena, uint32_t, most, error);
    for (uint32_t i = 0; i < most; ++i)
    {
        if (model->nodes[from[i]].mesh != PLEAT_NONE)
        {
            bake->nodes[bake->stack_count++] = from[i];
        }
    }
    if (bake->stack_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "there is no mesh in the scene: nothing to bake");
    }
    PL_ARENA_NEW_OR_FAIL(bake->stacks, &bake->arena, pleat_stack *, bake->stack_count, error);
    PL_ARENA_NEW_OR_FAIL(bake->first_vertex, &bake->arena, uint32_t, (size_t)bake->stack_count + 1, error);
fail:
    return result;
}

static bool any_garment(const bool *garment, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (garment[i])
        {
            return true;
        }
    }
    return false;
}

static pleat_result create_stacks(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    const bool *garment = desc->garment;
    const float *mask = desc->mask;
    float height = pleat_model_height(bake->model, bake->pose);
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        const pleat_mesh *mesh = &bake->model->meshes[bake->model->nodes[bake->nodes[i]].mesh];
        uint32_t primitive_count = mesh->primitive_count;
        bool layered = !garment || any_garment(garment, primitive_count);
        pleat_stack_desc stack = pleat_stack_desc_default();
        stack.model = bake->model;
        stack.node = bake->nodes[i];
        stack.skinning = desc->skinning;
        stack.layer_count = layered ? desc->layer_count : 0;
        stack.layers = desc->layers;
        stack.garment = garment;
        stack.mask = mask;
        stack.level = layered ? desc->level : 0;
        stack.clip = bake->clip;
        stack.clip_start = bake->shape.start;
        stack.clip_fps = desc->fps;
        stack.frame_count = bake->shape.frame_count;
        stack.height = height;
        stack.rest = bake->pose;
        stack.frame_topology = desc->frame_topology;
        PL_TRY(pleat_stack_create(&stack, &bake->host, &bake->stacks[i], error));
        garment = garment ? garment + primitive_count : NULL;
        mask = mask ? mask + pleat_mesh_vertex_count(mesh) : NULL;
    }
    return PLEAT_OK;
}

/* Adds up the stacks' shapes, checking that the totals fit. */
static pleat_result count_shape(pleat_bake *bake, bool *has_uvs, pleat_error *error)
{
    uint64_t vertices = 0, triangles = 0, parts = 0;
    *has_uvs = false;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        const pleat_stack_shape *shape = pleat_stack_get_shape(bake->stacks[i]);
        bake->first_vertex[i] = (uint32_t)vertices;
        vertices += shape->vertex_count;
        triangles += shape->triangle_count;
        parts += shape->primitive_count;
        *has_uvs = *has_uvs || shape->uvs;
        if (vertices > UINT32_MAX / 4 || triangles > UINT32_MAX / 4)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "the chosen meshes have more than %u vertices or triangles",
                           UINT32_MAX / 4);
        }
    }
    bake->first_vertex[bake->stack_count] = (uint32_t)vertices;
    bake->shape.vertex_count = (uint32_t)vertices;
    bake->shape.triangle_count = (uint32_t)triangles;
    bake->shape.part_count = (uint32_t)parts;
    return PLEAT_OK;
}

static void fill_part(const pleat_bake *bake, uint32_t stack_index, uint32_t primitive, uint32_t first_triangle,
                      pleat_bake_part *part)
{
    const pleat_stack_shape *shape = pleat_stack_get_shape(bake->stacks[stack_index]);
    part->node = bake->nodes[stack_index];
    part->mesh = bake->model->nodes[part->node].mesh;
    part->primitive = primitive;
    part->material = bake->model->meshes[part->mesh].primitives[primitive].material;
    part->first_vertex = bake->first_vertex[stack_index] + shape->first_vertex[primitive];
    part->vertex_count = shape->first_vertex[primitive + 1] - shape->first_vertex[primitive];
    part->first_triangle = first_triangle + shape->first_triangle[primitive];
    part->triangle_count = shape->first_triangle[primitive + 1] - shape->first_triangle[primitive];
}

static pleat_result join_shapes(pleat_bake *bake, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    bool has_uvs;
    pl_arena_free(&bake->joined);
    pl_arena_init(&bake->joined, &bake->memory);
    PL_TRY(count_shape(bake, &has_uvs, error));
    pleat_bake_part *parts;
    uint32_t *triangles;
    pleat_vec3 *rest;
    float *uvs = NULL;
    PL_ARENA_NEW_OR_FAIL(parts, &bake->joined, pleat_bake_part, bake->shape.part_count, error);
    PL_ARENA_NEW_OR_FAIL(triangles, &bake->joined, uint32_t, 3 * (size_t)bake->shape.triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(rest, &bake->joined, pleat_vec3, bake->shape.vertex_count, error);
    if (has_uvs)
    {
        PL_ARENA_NEW_OR_FAIL(uvs, &bake->joined, float, 2 * (size_t)bake->shape.vertex_count, error);
    }
    bake->shape.parts = parts;
    bake->shape.triangles = triangles;
    bake->shape.rest = rest;
    bake->shape.uvs = uvs;
    uint32_t part = 0, triangle = 0;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        const pleat_stack_shape *shape = pleat_stack_get_shape(bake->stacks[i]);
        uint32_t first = bake->first_vertex[i];
        for (uint32_t p = 0; p < shape->primitive_count; ++p, ++part)
        {
            fill_part(bake, i, p, triangle, &parts[part]);
            parts[part].garment = !bake->garment || bake->garment[part];
        }
        for (uint32_t c = 0; c < 3 * shape->triangle_count; ++c)
        {
            triangles[3 * (size_t)triangle + c] = first + shape->triangles[c];
        }
        for (uint32_t r = 0; r < shape->vertex_count; ++r)
        {
            pl_store3(&rest[first + r], pl_load(&shape->rest[shape->render_vertex[r]]));
        }
        if (shape->uvs)
        {
            memcpy(uvs + 2 * (size_t)first, shape->uvs, 2 * (size_t)shape->vertex_count * sizeof *uvs);
        }
        triangle += shape->triangle_count;
    }
fail:
    return result;
}

static pleat_result keep_garment(pleat_bake *bake, const bool *garment, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = 0;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        count += pleat_stack_get_shape(bake->stacks[i])->primitive_count;
    }
    if (garment)
    {
        PL_ARENA_NEW_OR_FAIL(bake->garment, &bake->arena, bool, count, error);
        memcpy(bake->garment, garment, count * sizeof *garment);
    }
fail:
    return result;
}

static bool is_chosen(const pleat_bake *bake, uint32_t node)
{
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        if (bake->nodes[i] == node)
        {
            return true;
        }
    }
    return false;
}

static pleat_result bind(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    PL_TRY(choose_nodes(bake, desc, error));
    PL_TRY(pleat_pose_create(bake->model, &bake->host, &bake->pose, error));
    if (bake->clip)
    {
        uint32_t frames = pleat_clip_frame_count(bake->clip, desc->fps);
        uint32_t last = desc->last_frame == PLEAT_NONE ? frames - 1 : desc->last_frame;
        bake->first_frame = desc->first_frame;
        bake->shape.frame_count = last - desc->first_frame + 1;
        if (bake->clip->points.node != PLEAT_NONE && is_chosen(bake, bake->clip->points.node))
        {
            PL_TRY(pleat_points_reader_create(&bake->clip->points, &bake->host, &bake->points, error));
        }
    }
    else
    {
        bake->shape.frame_count = 1;
    }
    bake->shape.fps = desc->fps;
    bake->shape.start = pleat_bake_time(bake, 0);
    PL_TRY(create_stacks(bake, desc, error));
    PL_TRY(keep_garment(bake, desc->garment, error));
    return join_shapes(bake, error);
}

pleat_result pleat_bake_create(const pleat_bake_desc *desc, const pleat_host *host, pleat_bake **out,
                               pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_bake *bake = PL_CREATE(pleat_bake, host);
    if (!bake)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the bake");
    }
    pl_arena_init(&bake->arena, &bake->memory);
    pl_arena_init(&bake->joined, &bake->memory);
    bake->host = host ? *host : pleat_host_default();
    bake->model = desc->model;
    bake->clip = desc->clip == PLEAT_NONE ? NULL : &desc->model->clips[desc->clip];
    bake->last_computed = PLEAT_NONE;
    bake->frame_topology = desc->frame_topology;
    pleat_result result = bind(bake, desc, error);
    if (result != PLEAT_OK)
    {
        pleat_bake_destroy(bake);
        return result;
    }
    *out = bake;
    return PLEAT_OK;
}

void pleat_bake_destroy(pleat_bake *bake)
{
    if (!bake)
    {
        return;
    }
    for (uint32_t i = 0; bake->stacks && i < bake->stack_count; ++i)
    {
        pleat_stack_destroy(bake->stacks[i]);
    }
    pleat_points_reader_destroy(bake->points);
    pleat_pose_destroy(bake->pose);
    pl_arena_free(&bake->joined);
    pl_arena_free(&bake->arena);
    PL_DESTROY(bake);
}

const pleat_bake_shape *pleat_bake_get_shape(const pleat_bake *bake)
{
    return &bake->shape;
}

float pleat_bake_time(const pleat_bake *bake, uint32_t frame)
{
    double start = bake->clip ? (double)bake->clip->start : 0;
    return (float)(start + (double)(bake->first_frame + frame) / (double)bake->shape.fps);
}

/* The meshes of a time of the clip. */
static pleat_result focus(pleat_bake *bake, float time, pleat_error *error)
{
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        PL_TRY(pleat_stack_focus(bake->stacks[i], time, error));
    }
    return join_shapes(bake, error);
}

/* replay: the surfaces of all stacks, or NULL. */
static pleat_result run_frame(pleat_bake *bake, uint32_t frame, const pleat_vec4 *replay, pleat_error *error)
{
    if (frame >= bake->shape.frame_count)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "frame %u; the bake has %u", frame, bake->shape.frame_count);
    }
    float time = pleat_bake_time(bake, frame);
    bool follows = bake->last_computed != PLEAT_NONE && bake->last_computed + 1 == frame;
    const pleat_vec3 *points = NULL;
    if (bake->points)
    {
        pleat_error local = {0};
        points = pleat_points_reader_at(bake->points, time, &local);
        if (!points)
        {
            return pl_fail(error, local.result, "%s", local.message);
        }
    }
    if (bake->frame_topology && bake->last_computed != frame)
    {
        PL_TRY(focus(bake, time, error));
    }
    pleat_pose_sample(bake->pose, bake->clip, time);
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        pleat_stack_input input = {
            .pose = bake->pose, .time = time, .step = follows ? 1 / bake->shape.fps : 0, .tasks = &bake->host.tasks};
        if (points && bake->clip->points.node == bake->nodes[i])
        {
            input.points = points;
            input.points_world = bake->clip->points.world;
        }
        input.replay = replay;
        pleat_stack_update(bake->stacks[i], &input);
        if (replay)
        {
            replay += pleat_stack_get_shape(bake->stacks[i])->surface_count;
        }
    }
    bake->last_computed = frame;
    return PLEAT_OK;
}

pleat_result pleat_bake_frame(pleat_bake *bake, uint32_t frame, pleat_error *error)
{
    return run_frame(bake, frame, NULL, error);
}

pleat_result pleat_bake_replay(pleat_bake *bake, uint32_t frame, const pleat_vec4 *surface, pleat_error *error)
{
    if (bake->frame_topology)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a bake with a topology for each frame cannot be replayed");
    }
    return run_frame(bake, frame, surface, error);
}

size_t pleat_bake_surface_count(const pleat_bake *bake)
{
    size_t count = 0;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        count += pleat_stack_get_shape(bake->stacks[i])->surface_count;
    }
    return count;
}

void pleat_bake_copy_surface(const pleat_bake *bake, pleat_vec4 *surface)
{
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        uint32_t count = pleat_stack_get_shape(bake->stacks[i])->surface_count;
        memcpy(surface, pleat_stack_positions(bake->stacks[i]), count * sizeof *surface);
        surface += count;
    }
}

void pleat_bake_copy(const pleat_bake *bake, pleat_vec3 *positions, pleat_vec3 *normals)
{
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        uint32_t first = bake->first_vertex[i];
        pleat_stack_copy(bake->stacks[i], positions ? positions + first : NULL, normals ? normals + first : NULL);
    }
}

uint32_t pleat_bake_stack_count(const pleat_bake *bake)
{
    return bake->stack_count;
}

pleat_stack *pleat_bake_stack(const pleat_bake *bake, uint32_t index)
{
    return bake->stacks[index];
}

uint32_t pleat_bake_stack_node(const pleat_bake *bake, uint32_t index)
{
    return bake->nodes[index];
}

const pleat_pose *pleat_bake_pose(const pleat_bake *bake)
{
    return bake->pose;
}

size_t pleat_bake_state_size(const pleat_bake *bake)
{
    size_t size = 0;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        size += pleat_stack_state_size(bake->stacks[i]);
    }
    return size;
}

void pleat_bake_state_save(const pleat_bake *bake, void *state)
{
    char *at = state;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        pleat_stack_state_save(bake->stacks[i], at);
        at += pleat_stack_state_size(bake->stacks[i]);
    }
}

void pleat_bake_state_restore(pleat_bake *bake, const void *state, uint32_t frame)
{
    const char *at = state;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        pleat_stack_state_restore(bake->stacks[i], at);
        at += pleat_stack_state_size(bake->stacks[i]);
    }
    bake->last_computed = frame;
}
