/* A clip as a few maps: the same components as the morph targets of pleat bake, with the same weights. Added up by a
 * frame's weights onto the base map they give the displacement of the bind pose, in its tangent space, which skinning
 * then turns with the mesh. */
#include "job/maps/maps.h"

#include "pleat/export/morphs.h"

#include <string.h>

static pleat_result run_pass(pl_maps_run *run, pleat_morphs *morphs, bool first, pleat_error *error)
{
    uint32_t count = pleat_bake_get_shape(run->bake)->frame_count;
    PL_TRY(pl_job_begin(&run->job, first ? PLEAT_JOB_FRAMES : PLEAT_JOB_FIT, "frame", error));
    for (uint32_t frame = 0; frame < count; ++frame)
    {
        PL_TRY(pl_job_step(&run->job, first ? "frame" : "fitting, frame", frame, count, error));
        PL_TRY(pleat_bake_frame(run->bake, frame, error));
        if (first)
        {
            pleat_morphs_learn(morphs);
        }
        else
        {
            pleat_morphs_weigh(morphs, frame);
        }
    }
    return PLEAT_OK;
}

static json_t *range_json(const char *file, pleat_height_range range)
{
    return json_pack("{s:s, s:f, s:f}", "file", file, "low", (double)range.low, "high", (double)range.high);
}

static pleat_result write_map(pl_maps_run *run, json_t *entry, const char *key, const char *file, uint32_t channels,
                              const uint16_t *pixels, pleat_height_range range, pleat_error *error)
{
    pleat_png png = {run->options.size, run->options.size, channels, 16, pixels, true};
    json_object_set_new(entry, key, range_json(file, range));
    return pl_job_maps_write_png(run, file, &png, error);
}

static pleat_result write_base(pl_maps_run *run, pl_maps_set *set, json_t *entry, pleat_error *error)
{
    const pleat_maps_job *options = &run->options;
    pleat_height_range range = {0, 0};
    pleat_maps_vectors(set->maps, PLEAT_MAPS_BIND, PLEAT_MAPS_TANGENT, run->vectors,
                       options->kinds.normal ? run->normals : NULL, &range, &run->job.host.tasks);
    if (options->posed)
    {
        const char *file = pl_job_maps_file_name(run, set->name, "coarse", PLEAT_NONE, ".glb");
        json_object_set_new(entry, "coarse", json_string(file));
        PL_TRY(pl_job_maps_write_posed(run, set, file, error));
    }
    if (options->kinds.vector)
    {
        const char *file = pl_job_maps_file_name(run, set->name, "vector_base", PLEAT_NONE, ".png");
        PL_TRY(write_map(run, entry, "vector", file, 3, run->vectors, range, error));
    }
    if (options->kinds.height)
    {
        for (size_t i = 0; i < (size_t)options->size * options->size; ++i)
        {
            run->heights[i] = run->vectors[3 * i + 2];
        }
        const char *file = pl_job_maps_file_name(run, set->name, "height_base", PLEAT_NONE, ".png");
        PL_TRY(write_map(run, entry, "height", file, 1, run->heights, range, error));
    }
    if (options->kinds.normal)
    {
        /* A base and its changes are added: no turning of green here. */
        const char *file = pl_job_maps_file_name(run, set->name, "normal_base", PLEAT_NONE, ".png");
        PL_TRY(write_map(run, entry, "normal", file, 3, run->normals, (pleat_height_range){-1, 1}, error));
    }
    return PLEAT_OK;
}

/* One target's differences over all render vertices of the stack. */
static void gather(const pleat_mesh *mesh, const pleat_stack_shape *shape, uint32_t target, bool normals,
                   pleat_vec3 *out)
{
    memset(out, 0, shape->vertex_count * sizeof *out);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_target *t = &mesh->primitives[p].targets[target];
        const pleat_vec3 *from = normals ? t->normals : t->positions;
        if (from)
        {
            memcpy(out + shape->first_vertex[p], from, mesh->primitives[p].vertex_count * sizeof *out);
        }
    }
}

static pleat_result write_target(pl_maps_run *run, pl_maps_set *set, const pleat_morphed *morphed, uint32_t target,
                                 uint32_t number, pleat_vec3 *changes, json_t *list, pleat_error *error)
{
    const pleat_maps_job *options = &run->options;
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(run->bake, set->stack));
    const pleat_tasks *tasks = &run->job.host.tasks;
    json_t *entry = json_object();
    json_array_append_new(list, entry);
    gather(&morphed->mesh, shape, target, false, changes);
    if (options->kinds.vector)
    {
        pleat_height_range range = {0, 0};
        const char *file = pl_job_maps_file_name(run, set->name, "vector_basis", number, ".png");
        pleat_maps_changes(set->maps, changes, run->vectors, NULL, &range, tasks);
        PL_TRY(write_map(run, entry, "vector", file, 3, run->vectors, range, error));
    }
    if (options->kinds.height)
    {
        pleat_height_range range = {0, 0};
        const char *file = pl_job_maps_file_name(run, set->name, "height_basis", number, ".png");
        pleat_maps_changes(set->maps, changes, NULL, run->heights, &range, tasks);
        PL_TRY(write_map(run, entry, "height", file, 1, run->heights, range, error));
    }
    if (options->kinds.normal)
    {
        pleat_height_range range = {0, 0};
        const char *file = pl_job_maps_file_name(run, set->name, "normal_basis", number, ".png");
        gather(&morphed->mesh, shape, target, true, changes);
        pleat_maps_changes(set->maps, changes, run->normals, NULL, &range, tasks);
        PL_TRY(write_map(run, entry, "normal", file, 3, run->normals, range, error));
    }
    return PLEAT_OK;
}

static json_t *weights_json(const pl_maps_run *run, const pleat_morphed *morphed)
{
    uint32_t count = pleat_bake_get_shape(run->bake)->frame_count, targets = morphed->mesh.target_count;
    json_t *rows = json_array();
    for (uint32_t f = 0; f < count; ++f)
    {
        json_t *row = json_array();
        for (uint32_t t = morphed->input_target_count; t < targets; ++t)
        {
            json_array_append_new(row, json_real((double)morphed->weights[(size_t)f * targets + t]));
        }
        json_array_append_new(rows,
                              json_pack("{s:f, s:o}", "time", (double)pleat_bake_time(run->bake, f), "weights", row));
    }
    return rows;
}

static pleat_result write_set(pl_maps_run *run, pl_maps_set *set, const pleat_morphs *morphs, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_morphed *morphed = NULL;
    for (uint32_t i = 0; i < pleat_morphs_count(morphs); ++i)
    {
        morphed = pleat_morphs_get(morphs, i)->node == set->node ? pleat_morphs_get(morphs, i) : morphed;
    }
    json_t *basis = json_object(), *base = json_object(), *list = json_array();
    json_object_set_new(set->json, "basis", basis);
    json_object_set_new(basis, "base", base);
    json_object_set_new(basis, "maps", list);
    PL_TRY(write_base(run, set, base, error));
    if (!morphed)
    {
        return PLEAT_OK; /* the bind shape is all there is */
    }
    pleat_vec3 *changes;
    uint32_t own = morphed->input_target_count;
    PL_ARENA_NEW_OR_FAIL(changes, &run->job.arena, pleat_vec3,
                         pleat_stack_get_shape(pleat_bake_stack(run->bake, set->stack))->vertex_count, error);
    for (uint32_t t = own; t < morphed->mesh.target_count; ++t)
    {
        PL_TRY(write_target(run, set, morphed, t, t - own, changes, list, error));
    }
    json_object_set_new(basis, "frames", weights_json(run, morphed));
    set->basis_count = morphed->mesh.target_count - own;
    set->basis_error = morphed->error.largest;
    set->basis_displacement = morphed->largest_displacement;
    json_object_set_new(basis, "largest_error", pl_number_json((double)morphed->error.largest));
    json_object_set_new(basis, "largest_displacement", pl_number_json((double)morphed->largest_displacement));
fail:
    return result;
}

pleat_result pl_job_maps_write_basis(pl_maps_run *run, pleat_error *error)
{
    pleat_morphs_options options = pleat_morphs_options_default();
    pleat_morphs *morphs = NULL;
    options.target_limit = run->options.basis;
    options.normals = run->options.kinds.normal;
    pleat_result result = pleat_morphs_create(run->bake, &options, &run->job.host, &morphs, error);
    if (result == PLEAT_OK)
    {
        result = run_pass(run, morphs, true, error);
    }
    if (result == PLEAT_OK)
    {
        pleat_morphs_settle(morphs);
        result = run_pass(run, morphs, false, error);
    }
    result = result == PLEAT_OK ? pleat_morphs_finish(morphs, error) : result;
    for (uint32_t i = 0; i < run->set_count && result == PLEAT_OK; ++i)
    {
        result = write_set(run, &run->sets[i], morphs, error);
    }
    pleat_morphs_destroy(morphs);
    return result;
}
