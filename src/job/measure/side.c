#include "job/measure/side.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <string.h>

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

/* NAME.pc2 -> NAME + ending, in the arena; NULL without memory. */
static char *beside(pl_job *job, const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path), size = stem + strlen(ending) + 1;
    char *out = PL_ARENA_NEW(&job->arena, char, size);
    if (out)
    {
        snprintf(out, size, "%.*s%s", (int)stem, path, ending);
    }
    return out;
}

static bool is_cache(const char *path)
{
    pleat_format format = pleat_format_of(path);
    return format == PLEAT_FORMAT_PC2 || format == PLEAT_FORMAT_MDD;
}

static bool whole_in(const json_t *object, const char *key, uint32_t *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
    {
        return false;
    }
    *out = (uint32_t)json_integer_value(value);
    return true;
}

/* The JSON beside a cache is optional: without it the cache is one part that starts at 0. */
static pleat_result load_sidecar(pl_job *job, pl_measure_side *side, pleat_error *error)
{
    char *path = beside(job, side->path, ".json");
    void *bytes;
    size_t size;
    if (!path || pleat_file_read(path, &job->host, &bytes, &size, NULL) != PLEAT_OK)
    {
        return PLEAT_OK;
    }
    json_error_t problem;
    side->sidecar = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
    pleat_file_free(&job->host, bytes, size);
    if (!json_is_object(side->sidecar) || !json_is_array(json_object_get(side->sidecar, "meshes")))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "%.300s: it should be a JSON object with a list \"meshes\", as pleat bake writes it", path);
    }
    const json_t *version = json_object_get(side->sidecar, "version"); /* of the first, there was none */
    if (json_number_value(version) > 1)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "%.300s: it is of version %g; this pleat reads version 1", path,
                       json_number_value(version));
    }
    const json_t *fps = json_object_get(side->sidecar, "fps"), *start = json_object_get(side->sidecar, "start");
    side->file_fps = json_is_number(fps) && json_number_value(fps) > 0 ? json_number_value(fps) : 0;
    side->start = json_is_number(start) ? json_number_value(start) : 0;
    return PLEAT_OK;
}

static pleat_result load_cache(pl_job *job, pl_measure_side *side, double fps, pleat_error *error)
{
    PL_TRY(load_sidecar(job, side, error));
    char *rest = beside(job, side->path, ".rest.obj");
    if (!rest)
    {
        return pl_fail_memory(&job->memory, error, "a path");
    }
    pleat_load_options options = pleat_load_options_default();
    options.points_path = side->path;
    options.points_fps = (float)(side->file_fps > 0 ? side->file_fps : fps);
    pleat_error found = {0};
    pleat_result result = pleat_asset_load(rest, &options, &job->host, &side->asset, &found);
    return result == PLEAT_OK ? PLEAT_OK
           : result == PLEAT_FILE_ERROR
               ? pl_fail(error, result, "%.280s (the mesh of %.120s; or give a mesh and --points)", found.message,
                         side->path)
               : pl_fail(error, result, "%s", found.message);
}

pleat_result pl_side_load(pl_job *job, pl_measure_side *side, const pleat_measure_file *file, double fps,
                          bool allow_outside, pleat_error *error)
{
    *side = (pl_measure_side){.path = file->path, .clip_name = ""};
    if (is_cache(file->path))
    {
        return load_cache(job, side, fps, error);
    }
    pleat_load_options options = pleat_load_options_default();
    options.sequence_fps = (float)fps;
    options.points_path = file->points;
    options.points_fps = (float)fps;
    options.allow_outside = allow_outside;
    return pleat_asset_load(file->path, &options, &job->host, &side->asset, error);
}

void pl_side_close(pl_measure_side *side)
{
    pleat_bake_destroy(side->bake);
    pleat_asset_destroy(side->asset);
    json_decref(side->sidecar);
    *side = (pl_measure_side){0};
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The ranges of the JSON beside a cache, whose mesh is the only one. */
static pleat_result take_ranges(pl_job *job, pl_measure_side *side, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const json_t *list = json_object_get(side->sidecar, "meshes");
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(side->bake, 0));
    side->part_count = (uint32_t)json_array_size(list);
    PL_ARENA_NEW_OR_FAIL(side->parts, &job->arena, pl_side_part, side->part_count, error);
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        const json_t *range = json_array_get(list, i);
        pl_side_part *part = &side->parts[i];
        *part = (pl_side_part){
            text_in(range, "node"), text_in(range, "mesh"), text_in(range, "material"), 0, 0, 0, 0, true};
        whole_in(range, "primitive", &part->primitive);
        if (!whole_in(range, "first_triangle", &part->first_triangle) ||
            !whole_in(range, "triangle_count", &part->triangle_count) || part->first_triangle > shape->triangle_count ||
            part->triangle_count > shape->triangle_count - part->first_triangle)
        {
            return pl_fail(error, PLEAT_BAD_DATA,
                           "the JSON beside %.300s: meshes[%u] has no range of the mesh's %u triangles", side->path, i,
                           shape->triangle_count);
        }
    }
fail:
    return result;
}

static pleat_result take_primitives(pl_job *job, pl_measure_side *side, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = pleat_asset_model(side->asset);
    const pleat_bake_shape *shape = pleat_bake_get_shape(side->bake);
    pleat_garment_guess *guess = NULL;
    side->part_count = shape->part_count;
    PL_ARENA_NEW_OR_FAIL(side->parts, &job->arena, pl_side_part, side->part_count, error);
    PL_TRY(pleat_garment_guess_create(model, &job->host, &guess, error));
    uint32_t stack = 0;
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        const pleat_bake_part *from = &shape->parts[i];
        stack += pleat_bake_stack_node(side->bake, stack) != from->node;
        const uint32_t *first = pleat_stack_get_shape(pleat_bake_stack(side->bake, stack))->first_triangle;
        const char *material = from->material == PLEAT_NONE ? "" : model->materials[from->material].name;
        side->parts[i] = (pl_side_part){
            model->nodes[from->node].name, model->meshes[from->mesh].name, material, from->primitive, stack,
            first[from->primitive],        from->triangle_count,           false};
        for (uint32_t g = 0; g < guess->part_count; ++g)
        {
            const pleat_part_guess *guessed = &guess->parts[g];
            side->parts[i].garment |=
                guessed->node == from->node && guessed->primitive == from->primitive && guessed->garment;
        }
    }
    pleat_garment_guess_destroy(guess);
fail:
    return result;
}

bool pl_side_part_fits(const pl_side_part *part, const pleat_texts *patterns)
{
    for (uint32_t i = 0; i < patterns->count; ++i)
    {
        const char *pattern = patterns->list[i];
        if (pleat_name_matches(pattern, part->node) || pleat_name_matches(pattern, part->mesh) ||
            pleat_name_matches(pattern, part->material))
        {
            return true;
        }
    }
    return false;
}

uint32_t pl_side_find_part(const pl_measure_side *side, const pl_measure_side *other, uint32_t other_part)
{
    const pl_side_part *wanted = &other->parts[other_part];
    for (uint32_t i = 0; i < side->part_count && wanted->node[0]; ++i)
    {
        if (strcmp(side->parts[i].node, wanted->node) == 0 && side->parts[i].primitive == wanted->primitive)
        {
            return i;
        }
    }
    for (uint32_t i = 0; i < side->part_count && wanted->mesh[0]; ++i)
    {
        if (strcmp(side->parts[i].mesh, wanted->mesh) == 0 && side->parts[i].primitive == wanted->primitive)
        {
            return i;
        }
    }
    /* Without names to go by: the same place in a list of the same length. */
    bool unnamed = !wanted->node[0] || side->part_count == 1;
    return unnamed && side->part_count == other->part_count ? other_part : PLEAT_NONE;
}

void pl_side_list_parts(const pl_measure_side *side, char *names, size_t size)
{
    names[0] = 0;
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        pl_list_name(names, size, side->parts[i].node[0] ? side->parts[i].node : side->parts[i].mesh);
    }
}

/* ---- Playing ---------------------------------------------------------------------------------------------------- */

static pleat_result pick_clip(pl_measure_side *side, const char *pattern, const char *like, pleat_error *error)
{
    const pleat_model *model = pleat_asset_model(side->asset);
    side->clip = model->clip_count ? 0 : PLEAT_NONE;
    /* Points that were given beside a file are its last clip. */
    if (model->clip_count && model->clips[model->clip_count - 1].points.node != PLEAT_NONE)
    {
        side->clip = model->clip_count - 1;
    }
    else if (pattern || like)
    {
        uint32_t found = PLEAT_NONE;
        for (uint32_t c = model->clip_count; c-- > 0;)
        {
            bool fits =
                like ? strcmp(like, model->clips[c].name) == 0 : pleat_name_matches(pattern, model->clips[c].name);
            found = fits ? c : found;
        }
        if (found == PLEAT_NONE && (pattern || model->clip_count > 1))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.200s: no clip is named '%.100s'; it has %u clip%s", side->path,
                           like ? like : pattern, model->clip_count, model->clip_count == 1 ? "" : "s");
        }
        side->clip = found == PLEAT_NONE ? side->clip : found;
    }
    side->clip_name = side->clip == PLEAT_NONE ? "" : model->clips[side->clip].name;
    return PLEAT_OK;
}

pleat_result pl_side_bind(pl_job *job, pl_measure_side *side, const char *pattern, const char *like, double fps,
                          pleat_error *error)
{
    PL_TRY(pick_clip(side, pattern, like, error));
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_asset_model(side->asset));
    desc.clip = side->clip;
    desc.fps = (float)fps;
    PL_TRY(pleat_bake_create(&desc, &job->host, &side->bake, error));
    const pleat_bake_shape *shape = pleat_bake_get_shape(side->bake);
    side->frame_count = shape->frame_count;
    side->start = side->sidecar ? side->start : (double)shape->start;
    return side->sidecar ? take_ranges(job, side, error) : take_primitives(job, side, error);
}

/* ---- Meshes ----------------------------------------------------------------------------------------------------- */

static uint32_t add_vertices(const pl_measure_side *side, pl_side_mesh *mesh, uint32_t count, const uint32_t *parts)
{
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t stack = side->parts[parts[i]].stack;
        if (mesh->first_vertex[stack] == PLEAT_NONE)
        {
            mesh->first_vertex[stack] = vertices;
            vertices += pleat_stack_get_shape(pleat_bake_stack(side->bake, stack))->surface_count;
        }
        mesh->triangle_count += side->parts[parts[i]].triangle_count;
    }
    return vertices;
}

static void copy_vertices(const pl_measure_side *side, const pl_side_mesh *mesh, bool rest, pleat_vec4 *out)
{
    for (uint32_t s = 0; s < pleat_bake_stack_count(side->bake); ++s)
    {
        const pleat_stack *stack = pleat_bake_stack(side->bake, s);
        const pleat_stack_shape *shape = pleat_stack_get_shape(stack);
        if (mesh->first_vertex[s] != PLEAT_NONE)
        {
            memcpy(out + mesh->first_vertex[s], rest ? shape->rest : pleat_stack_positions(stack),
                   shape->surface_count * sizeof *out);
        }
    }
}

pleat_result pl_side_mesh_make(pl_job *job, const pl_measure_side *side, uint32_t count, const uint32_t *parts,
                               const uint32_t *groups, pl_side_mesh *mesh, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t stack_count = pleat_bake_stack_count(side->bake);
    *mesh = (pl_side_mesh){0};
    PL_ARENA_NEW_OR_FAIL(mesh->first_vertex, &job->arena, uint32_t, stack_count, error);
    for (uint32_t s = 0; s < stack_count; ++s)
    {
        mesh->first_vertex[s] = PLEAT_NONE;
    }
    mesh->vertex_count = add_vertices(side, mesh, count, parts);
    PL_ARENA_NEW_OR_FAIL(mesh->rest, &job->arena, pleat_vec4, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->now, &job->arena, pleat_vec4, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->triangles, &job->arena, uint32_t, 3 * (size_t)mesh->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->groups, &job->arena, uint32_t, mesh->triangle_count, error);
    copy_vertices(side, mesh, true, mesh->rest);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_side_part *part = &side->parts[parts[i]];
        const uint32_t *from = pleat_stack_get_shape(pleat_bake_stack(side->bake, part->stack))->surface_triangles +
                               3 * (size_t)part->first_triangle;
        for (uint32_t t = 0; t < part->triangle_count; ++t, ++filled)
        {
            for (uint32_t k = 0; k < 3; ++k)
            {
                mesh->triangles[3 * (size_t)filled + k] = mesh->first_vertex[part->stack] + from[3 * (size_t)t + k];
            }
            mesh->groups[filled] = groups[i];
        }
    }
fail:
    return result;
}

void pl_side_mesh_update(pl_side_mesh *mesh, const pl_measure_side *side)
{
    copy_vertices(side, mesh, false, mesh->now);
}

pleat_measure_mesh pl_side_mesh_view(const pl_side_mesh *mesh)
{
    return (pleat_measure_mesh){mesh->vertex_count, mesh->rest, mesh->triangle_count, mesh->triangles, mesh->groups};
}
