#include "job/measure/side.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Loading ---- */

/* NAME.pc2 -> NAME + ending; malloc'ed. */
static char *beside(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    char *out = malloc(stem + strlen(ending) + 1);
    if (out)
    {
        memcpy(out, path, stem);
        strcpy(out + stem, ending);
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
static int load_sidecar(app_session *session, measure_side *side)
{
    char *path = beside(side->path, ".json");
    void *bytes;
    size_t size;
    pleat_error error = {0};
    if (!path || pleat_file_read(path, &session->host, &bytes, &size, &error) != PLEAT_OK)
    {
        free(path);
        return EXIT_DONE;
    }
    json_error_t problem;
    side->sidecar = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &problem);
    pleat_file_free(&session->host, bytes, size);
    int status = EXIT_DONE;
    if (!json_is_object(side->sidecar) || !json_is_array(json_object_get(side->sidecar, "meshes")))
    {
        status = fail_input(session, "%s: it should be a JSON object with a list \"meshes\", as pleat bake writes it",
                            shown(path));
    }
    const json_t *fps = json_object_get(side->sidecar, "fps"), *start = json_object_get(side->sidecar, "start");
    side->file_fps = json_is_number(fps) && json_number_value(fps) > 0 ? json_number_value(fps) : 0;
    side->start = json_is_number(start) ? json_number_value(start) : 0;
    free(path);
    return status;
}

static int load_cache(app_session *session, measure_side *side, double fps)
{
    int status = load_sidecar(session, side);
    char *rest = beside(side->path, ".rest.obj");
    if (status == EXIT_DONE && !rest)
    {
        status = fail_input(session, "out of memory for a path");
    }
    if (status == EXIT_DONE)
    {
        pleat_load_options options = pleat_load_options_default();
        pleat_error error = {0};
        options.points_path = side->path;
        options.points_fps = (float)(side->file_fps > 0 ? side->file_fps : fps);
        if (pleat_asset_load(rest, &options, &session->host, &side->asset, &error) != PLEAT_OK)
        {
            status = error.result == PLEAT_FILE_ERROR
                         ? fail_input(session, "%s (the mesh of %s; or give a mesh and --points)", error.message,
                                      shown(side->path))
                         : fail_error(session, &error);
        }
    }
    free(rest);
    return status;
}

int side_load(app_session *session, measure_side *side, const char *path, const char *points, double fps)
{
    *side = (measure_side){.path = path, .clip_name = ""};
    if (is_cache(path))
    {
        return load_cache(session, side, fps);
    }
    pleat_load_options options = pleat_load_options_default();
    pleat_error error = {0};
    options.sequence_fps = (float)fps;
    options.allow_outside = arguments_given(session->arguments, "allow-outside");
    options.points_path = points;
    options.points_fps = (float)fps;
    return pleat_asset_load(path, &options, &session->host, &side->asset, &error) == PLEAT_OK
               ? EXIT_DONE
               : fail_error(session, &error);
}

void side_close(measure_side *side)
{
    free(side->parts);
    pleat_bake_destroy(side->bake);
    pleat_asset_destroy(side->asset);
    json_decref(side->sidecar);
    *side = (measure_side){0};
}

/* ---- Parts ---- */

static const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The ranges of the JSON beside a cache, whose mesh is the only one. */
static int take_ranges(app_session *session, measure_side *side)
{
    const json_t *list = json_object_get(side->sidecar, "meshes");
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(side->bake, 0));
    side->part_count = (uint32_t)json_array_size(list);
    side->parts = calloc((size_t)side->part_count + 1, sizeof *side->parts);
    for (uint32_t i = 0; i < side->part_count && side->parts; ++i)
    {
        const json_t *range = json_array_get(list, i);
        side_part *part = &side->parts[i];
        *part =
            (side_part){text_in(range, "node"), text_in(range, "mesh"), text_in(range, "material"), 0, 0, 0, 0, true};
        whole_in(range, "primitive", &part->primitive);
        if (!whole_in(range, "first_triangle", &part->first_triangle) ||
            !whole_in(range, "triangle_count", &part->triangle_count) || part->first_triangle > shape->triangle_count ||
            part->triangle_count > shape->triangle_count - part->first_triangle)
        {
            return fail_input(session, "the JSON beside %s: meshes[%u] has no range of the mesh's %u triangles",
                              shown(side->path), i, shape->triangle_count);
        }
    }
    return side->parts ? EXIT_DONE : fail_input(session, "out of memory for the list of parts");
}

static int take_primitives(app_session *session, measure_side *side)
{
    const pleat_model *model = pleat_asset_model(side->asset);
    const pleat_bake_shape *shape = pleat_bake_get_shape(side->bake);
    pleat_garment_guess *guess = NULL;
    pleat_error error = {0};
    if (pleat_garment_guess_create(model, &session->host, &guess, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    side->part_count = shape->part_count;
    side->parts = calloc((size_t)side->part_count + 1, sizeof *side->parts);
    uint32_t stack = 0;
    for (uint32_t i = 0; i < side->part_count && side->parts; ++i)
    {
        const pleat_bake_part *from = &shape->parts[i];
        stack += pleat_bake_stack_node(side->bake, stack) != from->node;
        const uint32_t *first = pleat_stack_get_shape(pleat_bake_stack(side->bake, stack))->first_triangle;
        const char *material = from->material == PLEAT_NONE ? "" : model->materials[from->material].name;
        side->parts[i] =
            (side_part){model->nodes[from->node].name, model->meshes[from->mesh].name, material, from->primitive, stack,
                        first[from->primitive],        from->triangle_count,           false};
        for (uint32_t g = 0; g < guess->part_count; ++g)
        {
            const pleat_part_guess *guessed = &guess->parts[g];
            side->parts[i].garment |=
                guessed->node == from->node && guessed->primitive == from->primitive && guessed->garment;
        }
    }
    pleat_garment_guess_destroy(guess);
    return side->parts ? EXIT_DONE : fail_input(session, "out of memory for the list of parts");
}

bool side_part_fits(const side_part *part, const char *pattern)
{
    return pleat_name_matches(pattern, part->node) || pleat_name_matches(pattern, part->mesh) ||
           pleat_name_matches(pattern, part->material);
}

uint32_t side_find_part(const measure_side *side, const measure_side *other, uint32_t other_part)
{
    const side_part *wanted = &other->parts[other_part];
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

void side_list_parts(const measure_side *side, char *names, size_t size)
{
    names[0] = 0;
    for (uint32_t i = 0; i < side->part_count; ++i)
    {
        const side_part *part = &side->parts[i];
        size_t length = strlen(names);
        if (length + 80 > size)
        {
            snprintf(names + length, size - length, ", ...");
            return;
        }
        snprintf(names + length, size - length, "%s'%.60s'", length ? ", " : "",
                 shown(part->node[0] ? part->node : part->mesh));
    }
}

/* ---- Playing ---- */

static int pick_clip(app_session *session, measure_side *side, const char *pattern, const char *like)
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
            return fail_input(session, "%s: no clip is named '%s'; it has %u clip%s", shown(side->path),
                              shown(like ? like : pattern), model->clip_count, model->clip_count == 1 ? "" : "s");
        }
        side->clip = found == PLEAT_NONE ? side->clip : found;
    }
    side->clip_name = side->clip == PLEAT_NONE ? "" : model->clips[side->clip].name;
    return EXIT_DONE;
}

int side_bind(app_session *session, measure_side *side, const char *pattern, const char *like, double fps)
{
    int status = pick_clip(session, side, pattern, like);
    if (status != EXIT_DONE)
    {
        return status;
    }
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_asset_model(side->asset));
    pleat_error error = {0};
    desc.clip = side->clip;
    desc.fps = (float)fps;
    if (pleat_bake_create(&desc, &session->host, &side->bake, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    const pleat_bake_shape *shape = pleat_bake_get_shape(side->bake);
    side->frame_count = shape->frame_count;
    side->start = side->sidecar ? side->start : (double)shape->start;
    return side->sidecar ? take_ranges(session, side) : take_primitives(session, side);
}

/* ---- Meshes ---- */

static uint32_t add_vertices(const measure_side *side, side_mesh *mesh, uint32_t count, const uint32_t *parts)
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

static void copy_vertices(const measure_side *side, const side_mesh *mesh, bool rest, pleat_vec4 *out)
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

int side_mesh_make(app_session *session, const measure_side *side, uint32_t count, const uint32_t *parts,
                   const uint32_t *groups, side_mesh *mesh)
{
    *mesh = (side_mesh){0};
    uint32_t stack_count = pleat_bake_stack_count(side->bake);
    mesh->first_vertex = malloc(((size_t)stack_count + 1) * sizeof *mesh->first_vertex);
    for (uint32_t s = 0; s < stack_count && mesh->first_vertex; ++s)
    {
        mesh->first_vertex[s] = PLEAT_NONE;
    }
    mesh->vertex_count = mesh->first_vertex ? add_vertices(side, mesh, count, parts) : 0;
    mesh->rest = calloc((size_t)mesh->vertex_count + 1, sizeof *mesh->rest);
    mesh->now = calloc((size_t)mesh->vertex_count + 1, sizeof *mesh->now);
    mesh->triangles = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *mesh->triangles);
    mesh->groups = malloc(((size_t)mesh->triangle_count + 1) * sizeof *mesh->groups);
    if (!mesh->first_vertex || !mesh->rest || !mesh->now || !mesh->triangles || !mesh->groups)
    {
        return fail_input(session, "out of memory for %u triangles", mesh->triangle_count);
    }
    copy_vertices(side, mesh, true, mesh->rest);
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const side_part *part = &side->parts[parts[i]];
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
    return EXIT_DONE;
}

void side_mesh_free(side_mesh *mesh)
{
    free(mesh->first_vertex);
    free(mesh->rest);
    free(mesh->now);
    free(mesh->triangles);
    free(mesh->groups);
    *mesh = (side_mesh){0};
}

void side_mesh_update(side_mesh *mesh, const measure_side *side)
{
    copy_vertices(side, mesh, false, mesh->now);
}

pleat_measure_mesh side_mesh_view(const side_mesh *mesh)
{
    return (pleat_measure_mesh){mesh->vertex_count, mesh->rest, mesh->triangle_count, mesh->triangles, mesh->groups};
}
