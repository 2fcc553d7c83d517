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
    uint32_t first_frame;   /* of a single clip */
    pleat_shot *shots;      /* of the shape */
    const pleat_shot *shot; /* of the frame last computed; NULL: none yet, or the rest pose */
    bool frame_topology;
    bool recentre;
    float height;      /* of the model */
    pleat_vec3 origin; /* of the frame last computed */
    pleat_vec3 rest_origin;
    bool *garment; /* per part; NULL: all */
    pleat_bake_shape shape;
    uint32_t stack_count;
    uint32_t *nodes;
    uint32_t *first_vertex; /* stack_count + 1 */
    pleat_stack **stacks;
    pleat_pose *pose;
    pleat_points_reader *points; /* NULL: the shot's clip has none for a chosen node */
    uint32_t last_computed;      /* frame, or PLEAT_NONE */
};

pleat_bake_desc pleat_bake_desc_default(const pleat_model *model)
{
    pleat_bake_desc desc = {0};
    desc.model = model;
    desc.clip = model->clip_count ? 0 : PLEAT_NONE;
    desc.fps = 30;
    desc.last_frame = PLEAT_NONE;
    desc.triangle_times = PLEAT_TRIANGLES_TIMES;
    return desc;
}

uint32_t pleat_clip_frame_count(const pleat_clip *clip, float fps)
{
    /* A clip whose end is a frame up to rounding has that frame. */
    double frames = floor(((double)clip->end - (double)clip->start) * (double)fps + 1e-3) + 1;
    return frames < 1 ? 1 : frames > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)frames;
}

/* A joint of the skin, or a node above one. */
static bool carries_joints(const pleat_model *model, const pleat_skin *skin, uint32_t node)
{
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        uint32_t at = skin->joints[j];
        while (at != PLEAT_NONE && at != node)
        {
            at = model->nodes[at].parent;
        }
        if (at == node)
        {
            return true;
        }
    }
    return false;
}

bool pleat_clip_shapes(const pleat_model *model, const pleat_clip *clip, uint32_t node)
{
    const pleat_skin *skin = model->nodes[node].skin == PLEAT_NONE ? NULL : &model->skins[model->nodes[node].skin];
    bool found = clip->points.node == node;
    for (uint32_t c = 0; c < clip->channel_count && !found; ++c)
    {
        const pleat_channel *channel = &clip->channels[c];
        found =
            channel->path == PLEAT_WEIGHTS ? channel->node == node : skin && carries_joints(model, skin, channel->node);
    }
    return found;
}

uint32_t pleat_shots_list(const pleat_model *model, uint32_t count, const uint32_t *clips, float fps, pleat_shot *shots)
{
    uint32_t frames = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_clip *clip = &model->clips[clips[i]];
        shots[i] = (pleat_shot){clip, clip->start, frames, pleat_clip_frame_count(clip, fps)};
        frames += shots[i].frame_count;
    }
    return frames;
}

static pleat_result check_desc(const pleat_bake_desc *desc, pleat_error *error)
{
    const pleat_model *model = desc->model;
    if (!(desc->fps > 0) || !(desc->fps <= 100000))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "fps is %g; it must be above 0 and at most 100000",
                       (double)desc->fps);
    }
    if (!(desc->triangle_times > 0) || !isfinite(desc->triangle_times))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "triangle_times is %g; it must be above 0",
                       (double)desc->triangle_times);
    }
    if (desc->clip != PLEAT_NONE && desc->clip >= model->clip_count)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "clip %u; the model has %u", desc->clip, model->clip_count);
    }
    uint64_t all = 0;
    for (uint32_t i = 0; i < desc->clip_count; ++i)
    {
        if (desc->clips[i] >= model->clip_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "clips[%u] is %u; the model has %u", i, desc->clips[i],
                           model->clip_count);
        }
        all += pleat_clip_frame_count(&model->clips[desc->clips[i]], desc->fps);
    }
    if (all > UINT32_MAX / 2 || (desc->clip_count > 1 && desc->frame_topology))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u clips with %llu frames cannot be baked as one%s",
                       desc->clip_count, (unsigned long long)all,
                       desc->frame_topology ? " with a topology for each frame" : "");
    }
    uint32_t frames = desc->clip == PLEAT_NONE ? 1 : pleat_clip_frame_count(&model->clips[desc->clip], desc->fps);
    uint32_t last = desc->last_frame == PLEAT_NONE ? frames - 1 : desc->last_frame;
    if (!desc->clip_count && (desc->first_frame > last || last >= frames))
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

/* What a mesh with layers may have: so many times its own triangles; or of a number what the others leave, by its part
 * of the triangles, and at least what it has. */
static uint64_t share_triangles(const pleat_bake *bake, const pleat_bake_desc *desc, uint32_t own)
{
    const bool *garment = desc->garment;
    uint64_t all = 0, layered = 0;
    if (!desc->max_triangles)
    {
        double most = (double)desc->triangle_times * (double)own;
        return most > (double)own ? (uint64_t)fmin(most, 1e15) : own;
    }
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        const pleat_mesh *mesh = &bake->model->meshes[bake->model->nodes[bake->nodes[i]].mesh];
        uint32_t count = pleat_mesh_triangle_count(mesh);
        all += count;
        layered += !garment || any_garment(garment, mesh->primitive_count) ? count : 0;
        garment = garment ? garment + mesh->primitive_count : NULL;
    }
    uint64_t left = desc->max_triangles > all - layered ? desc->max_triangles - (all - layered) : 0;
    uint64_t share = layered ? (uint64_t)((double)left * (double)own / (double)layered) : 0;
    return share > own ? share : own;
}

static pleat_result create_stacks(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    const bool *garment = desc->garment;
    const float *mask = desc->mask;
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        const pleat_mesh *mesh = &bake->model->meshes[bake->model->nodes[bake->nodes[i]].mesh];
        uint32_t primitive_count = mesh->primitive_count;
        bool layered = !garment || any_garment(garment, primitive_count);
        pleat_stack_desc stack = pleat_stack_desc_default();
        stack.model = bake->model;
        stack.node = bake->nodes[i];
        stack.skinning = desc->skinning;
        stack.skin_layer = desc->skin_layer;
        stack.layer_count = layered ? desc->layer_count : 0;
        stack.layers = desc->layers;
        stack.garment = garment;
        stack.mask = mask;
        stack.refine = desc->refine;
        stack.level = layered ? desc->level : 0;
        stack.max_triangles = share_triangles(bake, desc, pleat_mesh_triangle_count(mesh));
        stack.shot_count = bake->shape.shot_count;
        stack.shots = bake->shots;
        stack.clip_start = bake->shape.start;
        stack.clip_fps = desc->fps;
        stack.height = bake->height;
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
            pl_store3(&rest[first + r], pl_load(&shape->rest[shape->render_vertex[r]]) + pl_load3(&bake->rest_origin));
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

/* The frames that were asked for, by clip. */
static pleat_result list_shots(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = desc->clip_count ? desc->clip_count : desc->clip != PLEAT_NONE;
    PL_ARENA_NEW_OR_FAIL(bake->shots, &bake->arena, pleat_shot, count, error);
    bake->shape.shot_count = count;
    bake->shape.shots = bake->shots;
    bake->shape.frame_count = count ? 0 : 1;
    if (count)
    {
        bake->shape.frame_count =
            pleat_shots_list(bake->model, count, desc->clip_count ? desc->clips : &desc->clip, desc->fps, bake->shots);
    }
    if (count && !desc->clip_count)
    {
        uint32_t last = desc->last_frame == PLEAT_NONE ? bake->shape.frame_count - 1 : desc->last_frame;
        bake->first_frame = desc->first_frame;
        bake->shape.frame_count = bake->shots[0].frame_count = last - desc->first_frame + 1;
        bake->shots[0].start = pleat_bake_time(bake, 0);
    }
fail:
    return result;
}

/* The next frame is of this shot. */
static pleat_result turn_to(pleat_bake *bake, const pleat_shot *shot, pleat_error *error)
{
    const pleat_points *points = &shot->clip->points;
    pleat_points_reader_destroy(bake->points);
    bake->points = NULL;
    bake->shot = shot;
    return points->node != PLEAT_NONE && is_chosen(bake, points->node)
               ? pleat_points_reader_create(points, &bake->host, &bake->points, error)
               : PLEAT_OK;
}

enum
{
    FAR_AWAY = 8 /* heights of the model from the origin; nearer, rounding does not show */
};

/* The pose of a frame, relative to the world's origin or to a point near the first of the chosen meshes. */
static void sample_pose(pleat_bake *bake, const pleat_clip *clip, float time)
{
    const pleat_node *node = &bake->model->nodes[bake->nodes[0]];
    uint32_t place = node->skin == PLEAT_NONE ? bake->nodes[0] : bake->model->skins[node->skin].joints[0];
    bake->origin = (pleat_vec3){0, 0, 0};
    pleat_pose_set_origin(bake->pose, bake->origin);
    pleat_pose_sample(bake->pose, clip, time);
    const pleat_affine *at = &pleat_pose_worlds(bake->pose)[place];
    float x = at->row[0][3], y = at->row[1][3], z = at->row[2][3];
    float away = sqrtf(x * x + y * y + z * z);
    if (bake->recentre && away > FAR_AWAY * bake->height && isfinite(away))
    {
        bake->origin = (pleat_vec3){roundf(x), roundf(y), roundf(z)}; /* whole: subtracting them rounds nothing */
        pleat_pose_set_origin(bake->pose, bake->origin);
        pleat_pose_sample(bake->pose, clip, time);
    }
}

static pleat_result bind(pleat_bake *bake, const pleat_bake_desc *desc, pleat_error *error)
{
    PL_TRY(choose_nodes(bake, desc, error));
    PL_TRY(pleat_pose_create(bake->model, &bake->host, &bake->pose, error));
    bake->height = pleat_model_height(bake->model, bake->pose);
    if (!(bake->height <= PLEAT_FARTHEST))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "the scene is %g high at rest; it must be a number up to %g",
                       (double)bake->height, (double)PLEAT_FARTHEST);
    }
    sample_pose(bake, NULL, 0);
    bake->rest_origin = bake->origin;
    bake->shape.fps = desc->fps;
    PL_TRY(list_shots(bake, desc, error));
    if (bake->shape.shot_count)
    {
        PL_TRY(turn_to(bake, bake->shots, error)); /* points that cannot be read at all are known from the start */
    }
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
    bake->last_computed = PLEAT_NONE;
    bake->frame_topology = desc->frame_topology;
    bake->recentre = desc->recentre;
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
    const pleat_bake_shape *shape = &bake->shape;
    if (!shape->shot_count)
    {
        return (float)((double)frame / (double)shape->fps);
    }
    const pleat_shot *shot = pleat_shot_of(shape->shots, shape->shot_count, frame);
    double in_clip = (double)bake->first_frame + (double)(frame - shot->first_frame);
    return (float)((double)shot->clip->start + in_clip / (double)shape->fps);
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
    const pleat_bake_shape *shape = &bake->shape;
    const pleat_shot *shot = shape->shot_count ? pleat_shot_of(shape->shots, shape->shot_count, frame) : NULL;
    float time = pleat_bake_time(bake, frame);
    bool begins = shot && shot->first_frame == frame;
    bool follows = !begins && bake->last_computed != PLEAT_NONE && bake->last_computed + 1 == frame;
    if (shot != bake->shot)
    {
        PL_TRY(turn_to(bake, shot, error));
    }
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
    double ahead =
        shot ? (double)shape->start + (double)shot->first_frame / (double)shape->fps - (double)shot->start : 0;
    sample_pose(bake, shot ? shot->clip : NULL, time);
    for (uint32_t i = 0; i < bake->stack_count; ++i)
    {
        pleat_stack_input input = {.pose = bake->pose,
                                   .time = time,
                                   .step = follows ? 1 / shape->fps : 0,
                                   .ahead = shot && shot->first_frame ? ahead : 0,
                                   .tasks = &bake->host.tasks};
        if (points && shot->clip->points.node == bake->nodes[i])
        {
            input.points = points;
            input.points_world = shot->clip->points.world;
        }
        input.replay = replay;
        PL_TRY(pleat_stack_check(bake->stacks[i], &input, error));
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
    pl_f4 origin = pl_load3(&bake->origin);
    bool moved = pl_dot3(origin, origin) > 0;
    for (uint32_t v = 0; positions && moved && v < bake->shape.vertex_count; ++v)
    {
        pl_store3(&positions[v], pl_load3(&positions[v]) + origin);
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
