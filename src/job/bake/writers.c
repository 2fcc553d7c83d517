#include "job/bake/writers.h"

#include "job/bake/clips.h"
#include "job/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct pl_bake_writers
{
    pl_memory memory;
    pl_arena arena;
    pl_arena mesh_arena; /* the mesh of the caches, and the arrays of a frame */
    bool frame_topology;
    pleat_encoding encoding; /* of glTF */
    pl_job *job;
    const pleat_host *host;
    const pleat_asset *asset;
    const pleat_bake *bake;
    const pleat_shot *shot; /* that is being written; NULL: the rest pose */
    const pleat_bake_job *asked;
    const pl_output_targets *targets;
    pleat_outputs *outputs;
    pleat_cache_writer **caches; /* per target; NULL for glTF, and where no clip is open */
    bool has_caches;
    bool wants_normals;
    bool garments_only;    /* parts that are no garment are left out */
    bool all_parts;        /* every part is written: frames need no copying */
    pleat_cache_desc desc; /* the mesh of the caches */
    pleat_cache_sidecars sidecars;
    pleat_vec3 *positions; /* of the whole bake */
    pleat_vec3 *normals;   /* NULL if no target wants them */
    pleat_vec3 *chosen_positions;
    pleat_vec3 *chosen_normals;
};

static bool is_written(const pl_bake_writers *writers, const pleat_bake_part *part)
{
    return part->garment || !writers->garments_only;
}

/* ---- The chosen parts ------------------------------------------------------------------------------------------ */

/* The name of a part: its mesh, or node, and the material where the mesh has several. */
static const char *part_name(pl_bake_writers *writers, const pleat_bake_part *part)
{
    const pleat_model *model = pleat_asset_model(writers->asset);
    const pleat_mesh *mesh = &model->meshes[part->mesh];
    const char *base = mesh->name[0] ? mesh->name : model->nodes[part->node].name;
    char name[300];
    if (mesh->primitive_count > 1 && part->material != PLEAT_NONE && model->materials[part->material].name[0])
    {
        snprintf(name, sizeof name, "%.140s.%.140s", base, model->materials[part->material].name);
    }
    else if (mesh->primitive_count > 1)
    {
        snprintf(name, sizeof name, "%.140s.%u", base, part->primitive);
    }
    else
    {
        snprintf(name, sizeof name, "%.280s", base[0] ? base : "mesh");
    }
    return pl_arena_string(&writers->mesh_arena, name, strlen(name));
}

/* The mesh of the caches: the chosen parts behind one another, their vertices renumbered. */
static pleat_result gather_parts(pl_bake_writers *writers, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = pleat_asset_model(writers->asset);
    const pleat_bake_shape *shape = pleat_bake_get_shape(writers->bake);
    pleat_cache_desc *desc = &writers->desc;
    desc->vertex_count = desc->triangle_count = desc->group_count = 0;
    writers->all_parts = true;
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        const pleat_bake_part *part = &shape->parts[p];
        bool written = is_written(writers, part);
        writers->all_parts &= written;
        desc->vertex_count += written ? part->vertex_count : 0;
        desc->triangle_count += written ? part->triangle_count : 0;
        desc->group_count += written;
    }
    uint32_t *triangles;
    float *uvs = NULL;
    pleat_vec3 *rest;
    pleat_cache_group *groups;
    pleat_cache_range *ranges;
    PL_ARENA_NEW_OR_FAIL(triangles, &writers->mesh_arena, uint32_t, 3 * (size_t)desc->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(rest, &writers->mesh_arena, pleat_vec3, desc->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(groups, &writers->mesh_arena, pleat_cache_group, desc->group_count, error);
    PL_ARENA_NEW_OR_FAIL(ranges, &writers->mesh_arena, pleat_cache_range, desc->group_count, error);
    if (shape->uvs)
    {
        PL_ARENA_NEW_OR_FAIL(uvs, &writers->mesh_arena, float, 2 * (size_t)desc->vertex_count, error);
    }
    uint32_t vertex = 0, triangle = 0, group = 0;
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        const pleat_bake_part *part = &shape->parts[p];
        if (!is_written(writers, part))
        {
            continue;
        }
        for (uint32_t c = 0; c < 3 * part->triangle_count; ++c)
        {
            triangles[3 * (size_t)triangle + c] =
                shape->triangles[3 * (size_t)part->first_triangle + c] - part->first_vertex + vertex;
        }
        memcpy(rest + vertex, shape->rest + part->first_vertex, part->vertex_count * sizeof rest[0]);
        if (uvs)
        {
            memcpy(uvs + 2 * (size_t)vertex, shape->uvs + 2 * (size_t)part->first_vertex,
                   2 * (size_t)part->vertex_count * sizeof uvs[0]);
        }
        groups[group].name = part_name(writers, part);
        groups[group].first_triangle = triangle;
        groups[group].triangle_count = part->triangle_count;
        if (!groups[group].name)
        {
            return pl_fail_memory(&writers->memory, error, "the names of the parts");
        }
        ranges[group] =
            (pleat_cache_range){.node = model->nodes[part->node].name,
                                .mesh = model->meshes[part->mesh].name,
                                .material = part->material == PLEAT_NONE ? NULL : model->materials[part->material].name,
                                .primitive = part->primitive,
                                .first_vertex = vertex,
                                .vertex_count = part->vertex_count,
                                .first_triangle = triangle,
                                .triangle_count = part->triangle_count};
        ++group;
        vertex += part->vertex_count;
        triangle += part->triangle_count;
    }
    desc->triangles = triangles;
    desc->uvs = uvs;
    desc->groups = groups;
    writers->sidecars = (pleat_cache_sidecars){.rest = rest, .range_count = group, .ranges = ranges};
fail:
    return result;
}

/* Copies the chosen parts of an array of the whole bake. */
static const pleat_vec3 *choose_points(const pl_bake_writers *writers, const pleat_vec3 *all, pleat_vec3 *chosen)
{
    if (writers->all_parts || !all)
    {
        return all;
    }
    const pleat_bake_shape *shape = pleat_bake_get_shape(writers->bake);
    uint32_t vertex = 0;
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        const pleat_bake_part *part = &shape->parts[p];
        if (is_written(writers, part))
        {
            memcpy(chosen + vertex, all + part->first_vertex, part->vertex_count * sizeof chosen[0]);
            vertex += part->vertex_count;
        }
    }
    return chosen;
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

static pleat_result allocate_frames(pl_bake_writers *writers, bool normals, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t all = pleat_bake_get_shape(writers->bake)->vertex_count;
    uint32_t chosen = writers->all_parts ? 0 : writers->desc.vertex_count;
    PL_ARENA_NEW_OR_FAIL(writers->positions, &writers->mesh_arena, pleat_vec3, all, error);
    PL_ARENA_NEW_OR_FAIL(writers->chosen_positions, &writers->mesh_arena, pleat_vec3, chosen, error);
    if (normals)
    {
        PL_ARENA_NEW_OR_FAIL(writers->normals, &writers->mesh_arena, pleat_vec3, all, error);
        PL_ARENA_NEW_OR_FAIL(writers->chosen_normals, &writers->mesh_arena, pleat_vec3, chosen, error);
    }
fail:
    return result;
}

/* The shot that a frame begins; NULL: none, or there is only the rest pose. */
static const pleat_shot *shot_from(const pl_bake_writers *writers, uint32_t frame)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(writers->bake);
    const pleat_shot *shot = shape->shot_count ? pleat_shot_of(shape->shots, shape->shot_count, frame) : NULL;
    return shot && shot->first_frame == frame ? shot : NULL;
}

/* The path of a target for the clip that is being written, in the arena. */
static pleat_result path_now(pl_bake_writers *writers, const pl_output_target *target, const char **path,
                             pleat_error *error)
{
    const pleat_model *model = pleat_asset_model(writers->asset);
    uint32_t clip = writers->shot ? (uint32_t)(writers->shot->clip - model->clips) : PLEAT_NONE;
    *path = pl_clip_path(&writers->arena, target->path, model, clip);
    return *path ? PLEAT_OK : pl_fail_memory(&writers->memory, error, "the names of outputs");
}

/* Opens the outputs that hold one clip: all for the first, later those with a place for its name. */
static pleat_result begin_clip(pl_bake_writers *writers, uint32_t frame, pleat_error *error)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(writers->bake);
    writers->shot = shot_from(writers, frame);
    writers->desc.frame_count = writers->shot ? writers->shot->frame_count : shape->frame_count;
    writers->desc.start = writers->shot ? writers->shot->start : shape->start;
    for (uint32_t i = 0; i < writers->targets->count; ++i)
    {
        const pl_output_target *target = &writers->targets->list[i];
        if (pl_target_is_gltf(target) || (frame && !pl_has_placeholder(target->given)))
        {
            continue;
        }
        const char *path;
        PL_TRY(path_now(writers, target, &path, error));
        PL_TRY(pleat_cache_writer_create(path, &writers->desc, writers->host, &writers->caches[i], error));
    }
    return PLEAT_OK;
}

static pleat_result open_caches(pl_bake_writers *writers, pleat_error *error)
{
    const pl_output_targets *targets = writers->targets;
    bool normals = false;
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        writers->has_caches |= !pl_target_is_gltf(&targets->list[i]);
        normals |= pl_target_is_mesh(&targets->list[i]);
    }
    if (!writers->has_caches)
    {
        return PLEAT_OK;
    }
    writers->desc.fps = pleat_bake_get_shape(writers->bake)->fps;
    writers->desc.outputs = writers->outputs;
    writers->wants_normals = normals;
    PL_TRY(gather_parts(writers, error));
    PL_TRY(allocate_frames(writers, normals, error));
    return begin_clip(writers, 0, error); /* a name that cannot be written is known before the first frame */
}

pleat_result pl_writers_create(pl_job *job, const pleat_bake_job *asked, const pleat_asset *asset,
                               const pleat_bake *bake, const pl_output_targets *targets, pl_bake_writers **out,
                               pleat_error *error)
{
    *out = NULL;
    pl_bake_writers *writers = PL_CREATE(pl_bake_writers, &job->host);
    if (!writers)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the outputs");
    }
    pl_arena_init(&writers->arena, &writers->memory);
    pl_arena_init(&writers->mesh_arena, &writers->memory);
    writers->job = job;
    writers->host = &job->host;
    writers->asset = asset;
    writers->bake = bake;
    writers->targets = targets;
    writers->asked = asked;
    writers->garments_only = asked->input.garments.count > 0;
    writers->frame_topology = asked->frame_topology;
    writers->encoding = asked->encoding;
    writers->caches = PL_ARENA_NEW(&writers->arena, pleat_cache_writer *, targets->count);
    pleat_result result = writers->caches ? pleat_outputs_create(writers->host, &writers->outputs, error)
                                          : pl_fail_memory(&writers->memory, error, "the outputs");
    if (result == PLEAT_OK)
    {
        result = open_caches(writers, error);
    }
    if (result != PLEAT_OK)
    {
        pl_writers_destroy(writers);
        return result;
    }
    *out = writers;
    return PLEAT_OK;
}

void pl_writers_destroy(pl_bake_writers *writers)
{
    if (!writers)
    {
        return;
    }
    for (uint32_t i = 0; writers->caches && i < writers->targets->count; ++i)
    {
        pleat_cache_writer_destroy(writers->caches[i]);
    }
    pleat_outputs_destroy(writers->outputs);
    pl_arena_free(&writers->mesh_arena);
    pl_arena_free(&writers->arena);
    PL_DESTROY(writers);
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* The mesh that the bake has in this frame. */
static pleat_result change_mesh(pl_bake_writers *writers, pleat_error *error)
{
    pl_arena_free(&writers->mesh_arena);
    pl_arena_init(&writers->mesh_arena, &writers->memory);
    PL_TRY(gather_parts(writers, error));
    PL_TRY(allocate_frames(writers, writers->wants_normals, error));
    for (uint32_t i = 0; i < writers->targets->count; ++i)
    {
        if (writers->caches[i])
        {
            PL_TRY(pleat_cache_writer_mesh(writers->caches[i], &writers->desc, error));
        }
    }
    return PLEAT_OK;
}

/* NAME.rest.obj and NAME.json lie beside NAME.pc2 and NAME.mdd: once for both. */
static pleat_result write_sidecars(pl_bake_writers *writers, uint32_t index, pleat_error *error)
{
    const pl_output_target *list = writers->targets->list;
    for (uint32_t i = 0; i < index; ++i)
    {
        if (pl_target_shares_sidecars(writers->job, &list[i], &list[index]))
        {
            return PLEAT_OK;
        }
    }
    const char *path;
    PL_TRY(path_now(writers, &list[index], &path, error));
    return pleat_cache_sidecars_write(path, &writers->desc, &writers->sidecars, writers->host, error);
}

/* All frames of the clip are there. */
static pleat_result end_clip(pl_bake_writers *writers, pleat_error *error)
{
    for (uint32_t i = 0; i < writers->targets->count; ++i)
    {
        if (writers->caches[i])
        {
            PL_TRY(pleat_cache_writer_commit(writers->caches[i], error));
            PL_TRY(pl_target_is_cache(&writers->targets->list[i]) ? write_sidecars(writers, i, error) : PLEAT_OK);
            pleat_cache_writer_destroy(writers->caches[i]);
            writers->caches[i] = NULL;
        }
    }
    return PLEAT_OK;
}

pleat_result pl_writers_frame(pl_bake_writers *writers, uint32_t frame, pleat_error *error)
{
    if (!writers->has_caches)
    {
        return PLEAT_OK;
    }
    if (frame && shot_from(writers, frame))
    {
        PL_TRY(end_clip(writers, error));
        PL_TRY(begin_clip(writers, frame, error));
    }
    if (writers->frame_topology)
    {
        PL_TRY(change_mesh(writers, error));
    }
    pleat_bake_copy(writers->bake, writers->positions, writers->normals);
    const pleat_vec3 *positions = choose_points(writers, writers->positions, writers->chosen_positions);
    const pleat_vec3 *normals = choose_points(writers, writers->normals, writers->chosen_normals);
    for (uint32_t i = 0; i < writers->targets->count; ++i)
    {
        if (writers->caches[i])
        {
            PL_TRY(pleat_cache_writer_frame(writers->caches[i], positions, normals, error));
        }
    }
    return PLEAT_OK;
}

/* A part of a clip: viewers hold the first and the last weights, and would show their folds all along the rest. So a
 * frame before it and one behind it the mesh is as skinning has it, but for the input's own targets. */
static pleat_result end_weights(pl_bake_writers *writers, const pleat_morphed *morphed, const pleat_shot *shot,
                                pleat_weights_edit *edit, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    float step = 1 / pleat_bake_get_shape(writers->bake)->fps, *times, *weights;
    uint32_t width = morphed->mesh.target_count, own = morphed->input_target_count, keys = edit->key_count;
    bool before = edit->times[0] > shot->clip->start + 0.5f * step;
    bool behind = edit->times[keys - 1] + 1.5f * step < shot->clip->end;
    if (!before && !behind)
    {
        return PLEAT_OK;
    }
    PL_ARENA_NEW_OR_FAIL(times, &writers->arena, float, keys + 2, error);
    PL_ARENA_NEW_OR_FAIL(weights, &writers->arena, float, ((size_t)keys + 2) * width, error);
    memset(weights, 0, ((size_t)keys + 2) * width * sizeof *weights);
    times[0] = fmaxf(edit->times[0] - step, shot->clip->start);
    times[keys + 1] = edit->times[keys - 1] + step;
    memcpy(times + 1, edit->times, keys * sizeof *times);
    memcpy(weights, edit->weights, own * sizeof *weights);
    memcpy(weights + width, edit->weights, (size_t)keys * width * sizeof *weights);
    memcpy(weights + (size_t)(keys + 1) * width, edit->weights + (size_t)(keys - 1) * width, own * sizeof *weights);
    edit->times = before ? times : times + 1;
    edit->weights = before ? weights : weights + width;
    edit->key_count = keys + before + behind;
fail:
    return result;
}

/* The weights of one node in every clip that was baked and that changes its shape: a clip that only moves a prop must
 * not say anything of a garment, or playing it beside another would take away half of that one's folds. */
static pleat_result edit_weights(pl_bake_writers *writers, const pleat_morphs *morphs, const pleat_morphed *morphed,
                                 pleat_weights_edit *weights, uint32_t *count, pleat_error *error)
{
    const pleat_model *model = pleat_asset_model(writers->asset);
    const pleat_bake_shape *shape = pleat_bake_get_shape(writers->bake);
    if (!shape->shot_count)
    {
        weights[(*count)++] = (pleat_weights_edit){.node = morphed->node,
                                                   .clip = PLEAT_NONE,
                                                   .key_count = shape->frame_count,
                                                   .times = pleat_morphs_times(morphs),
                                                   .weights = morphed->weights};
    }
    for (uint32_t i = 0; i < shape->shot_count; ++i)
    {
        const pleat_shot *shot = &shape->shots[i];
        if (shape->shot_count == 1 || pleat_clip_shapes(model, shot->clip, morphed->node))
        {
            size_t first = (size_t)shot->first_frame * morphed->mesh.target_count;
            weights[(*count)++] = (pleat_weights_edit){.node = morphed->node,
                                                       .clip = (uint32_t)(shot->clip - model->clips),
                                                       .key_count = shot->frame_count,
                                                       .times = pleat_morphs_times(morphs) + shot->first_frame,
                                                       .weights = morphed->weights + first};
            PL_TRY(end_weights(writers, morphed, shot, &weights[*count - 1], error));
        }
    }
    return PLEAT_OK;
}

/* The bake as edits of the input: new meshes, and the weights that play them in the clips that were baked. */
static pleat_result make_edits(pl_bake_writers *writers, const pleat_morphs *morphs, pleat_gltf_edits *edits,
                               pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = morphs ? pleat_morphs_count(morphs) : 0;
    pleat_mesh_edit *meshes;
    pleat_weights_edit *weights;
    PL_ARENA_NEW_OR_FAIL(meshes, &writers->arena, pleat_mesh_edit, count, error);
    PL_ARENA_NEW_OR_FAIL(weights, &writers->arena, pleat_weights_edit,
                         (size_t)count * (pleat_bake_get_shape(writers->bake)->shot_count + 1), error);
    *edits = (pleat_gltf_edits){.mesh_edits = meshes, .weights_edits = weights, .encoding = writers->encoding};
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_morphed *morphed = pleat_morphs_get(morphs, i);
        bool refined = !morphed->source_vertex || !morphed->source_vertex[0];
        if (!refined && morphed->mesh.target_count == morphed->input_target_count)
        {
            continue; /* so little moves that no target was needed: the input's mesh stays */
        }
        meshes[edits->mesh_edit_count++] = (pleat_mesh_edit){.node = morphed->node,
                                                             .mesh = &morphed->mesh,
                                                             .source_vertex = morphed->source_vertex,
                                                             .step = morphed->step};
        if (morphed->mesh.target_count)
        {
            PL_TRY(edit_weights(writers, morphs, morphed, weights, &edits->weights_edit_count, error));
        }
    }
fail:
    return result;
}

pleat_result pl_writers_finish(pl_bake_writers *writers, const pleat_morphs *morphs, const pl_bake_stretch *stretch,
                               pleat_error *error)
{
    pleat_gltf_edits edits;
    PL_TRY(end_clip(writers, error));
    PL_TRY(make_edits(writers, morphs, &edits, error));
    PL_TRY(pl_stretch_edit(stretch, writers->bake, pleat_asset_model(writers->asset), &writers->arena, &edits, error));
    for (uint32_t i = 0; i < writers->targets->count; ++i)
    {
        const pl_output_target *target = &writers->targets->list[i];
        if (pl_target_is_gltf(target))
        {
            PL_TRY(pleat_gltf_write(writers->asset, &edits, target->path, writers->outputs, error));
        }
    }
    for (uint32_t i = 0; i < writers->asked->channel_count; ++i)
    {
        PL_TRY(pl_channel_write(writers->job, writers->bake, pleat_asset_model(writers->asset),
                                &writers->asked->channels[i], writers->outputs, error));
    }
    return pleat_outputs_commit(writers->outputs, error);
}
