#include "job/maps/maps.h"

#include "io/file/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_job_maps_file_name(pl_maps_run *run, const char *name, const char *kind, uint32_t number,
                                  const char *ending)
{
    char text[300];
    if (number == PLEAT_NONE)
    {
        snprintf(text, sizeof text, "%.180s%s%.40s%s", name, kind[0] ? "_" : "", kind, ending);
    }
    else
    {
        snprintf(text, sizeof text, "%.180s%s%.40s_%04u%s", name, kind[0] ? "_" : "", kind, number, ending);
    }
    const char *made = pl_arena_string(&run->job.arena, text, strlen(text));
    return made ? made : "";
}

/* FOLDER/FILE, in the arena. */
static pleat_result path_of(pl_maps_run *run, const char *file, const char **path, pleat_error *error)
{
    size_t length = strlen(run->folder) + strlen(file) + 2;
    char *made = PL_ARENA_NEW(&run->job.arena, char, length);
    if (!made || !file[0])
    {
        return pl_fail_memory(&run->job.memory, error, "the names of files");
    }
    snprintf(made, length, "%s/%s", run->folder, file);
    *path = made;
    ++run->file_count;
    return PLEAT_OK;
}

static pleat_result write_picture(pl_maps_run *run, const char *file, const pleat_png *picture, bool exr,
                                  pleat_error *error)
{
    double start = pl_job_seconds();
    const char *path = NULL;
    PL_TRY(path_of(run, file, &path, error));
    pleat_result result = exr ? pleat_exr_write_in(path, picture, run->outputs, &run->job.host, error)
                              : pleat_png_write_in(path, picture, run->outputs, &run->job.host, error);
    run->write_seconds += pl_job_seconds() - start;
    return result;
}

pleat_result pl_job_maps_write_png(pl_maps_run *run, const char *file, const pleat_png *png, pleat_error *error)
{
    return write_picture(run, file, png, false, error);
}

pleat_result pl_job_maps_write_exr(pl_maps_run *run, const char *file, const pleat_png *picture, pleat_error *error)
{
    return write_picture(run, file, picture, true, error);
}

pleat_result pl_job_maps_write_normals(pl_maps_run *run, const char *file, uint16_t *normals, pleat_error *error)
{
    uint32_t size = run->options.size;
    size_t count = 3 * (size_t)size * size;
    for (size_t i = 1; i < count && run->options.green_down; i += 3)
    {
        normals[i] = (uint16_t)(65535 - normals[i]);
    }
    for (size_t i = 0; i < count && run->options.normal_bits == 8; ++i)
    {
        run->bytes[i] = (uint8_t)((normals[i] * 255u + 32767u) / 65535u);
    }
    bool words = run->options.normal_bits == 16;
    pleat_png png = {size, size, 3, words ? 16 : 8, words ? (const void *)normals : run->bytes, true};
    return pl_job_maps_write_png(run, file, &png, error);
}

typedef struct json_sink
{
    pl_output *output;
    pleat_result result;
    pleat_error *error;
} json_sink;

static int put_text(const char *text, size_t size, void *user)
{
    json_sink *sink = user;
    sink->result = pl_output_write(sink->output, text, size, sink->error);
    return sink->result == PLEAT_OK ? 0 : -1;
}

pleat_result pl_job_maps_write_json(pl_maps_run *run, const char *file, json_t *object, pleat_error *error)
{
    const char *path = NULL;
    json_sink sink = {.error = error};
    PL_TRY(path_of(run, file, &path, error));
    PL_TRY(pl_output_begin(path, &run->job.host, &sink.output, error));
    bool written = json_dump_callback(object, put_text, &sink, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 &&
                   put_text("\n", 1, &sink) == 0;
    if (!written)
    {
        pl_output_abort(sink.output);
        return sink.result != PLEAT_OK ? sink.result : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for %s", file);
    }
    return pl_output_end(sink.output, run->outputs, error);
}

/* ---- Meshes ---- */

/* The mesh of an atlas as it is written: coordinates that the file had stay the first set. */
static pleat_result mesh_with_both(pl_maps_run *run, uint32_t index, pleat_mesh *mesh, const float **second,
                                   bool *has_second, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_mesh *old = &pleat_asset_model(run->asset)->meshes[index], *now = pleat_atlas_mesh(run->atlases[index]);
    const uint32_t *const *source = pleat_atlas_source(run->atlases[index]);
    pleat_primitive *primitives;
    PL_ARENA_NEW_OR_FAIL(primitives, &run->job.arena, pleat_primitive, now->primitive_count, error);
    for (uint32_t p = 0; p < now->primitive_count; ++p)
    {
        const float *was = old->primitives[p].uvs;
        uint32_t count = now->primitives[p].vertex_count;
        primitives[p] = now->primitives[p];
        if (!was || now->primitives[p].uvs == was)
        {
            continue;
        }
        float *kept;
        PL_ARENA_NEW_OR_FAIL(kept, &run->job.arena, float, 2 * (size_t)count, error);
        for (uint32_t v = 0; v < count; ++v)
        {
            memcpy(kept + 2 * (size_t)v, was + 2 * (size_t)source[p][v], 2 * sizeof *kept);
        }
        second[p] = now->primitives[p].uvs;
        primitives[p].uvs = kept;
        *has_second = true;
    }
    *mesh = *now;
    mesh->primitives = primitives;
fail:
    return result;
}

pleat_result pl_job_maps_write_mesh(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_model *model = pleat_asset_model(run->asset);
    pleat_mesh_edit *edits;
    pleat_attribute_edit *attributes;
    pleat_gltf_edits all = {0};
    PL_ARENA_NEW_OR_FAIL(edits, &run->job.arena, pleat_mesh_edit, model->node_count, error);
    PL_ARENA_NEW_OR_FAIL(attributes, &run->job.arena, pleat_attribute_edit, model->node_count, error);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t index = model->nodes[n].mesh;
        if (index == PLEAT_NONE || !run->atlases[index])
        {
            continue;
        }
        pleat_mesh *mesh;
        const float **second;
        bool has_second = false;
        PL_ARENA_NEW_OR_FAIL(mesh, &run->job.arena, pleat_mesh, 1, error);
        PL_ARENA_NEW_OR_FAIL(second, &run->job.arena, const float *, model->meshes[index].primitive_count, error);
        PL_TRY(mesh_with_both(run, index, mesh, second, &has_second, error));
        edits[all.mesh_edit_count++] =
            (pleat_mesh_edit){.node = n, .mesh = mesh, .source_vertex = pleat_atlas_source(run->atlases[index])};
        if (has_second)
        {
            attributes[all.attribute_edit_count++] = (pleat_attribute_edit){n, "TEXCOORD_1", 2, second};
        }
    }
    all.mesh_edits = edits;
    all.attribute_edits = attributes;
    const char *path = NULL;
    PL_TRY(path_of(run, "mesh.glb", &path, error));
    result = pleat_gltf_write(run->asset, &all, path, run->outputs, error);
fail:
    return result;
}

pleat_result pl_job_maps_write_model(pl_maps_run *run, const char *file, const pleat_mesh *mesh,
                                     const float *second_uvs, pleat_error *error)
{
    pleat_node node = pleat_node_default();
    uint32_t scene[] = {0};
    node.name = mesh->name;
    node.mesh = 0;
    pleat_model model = {.node_count = 1,
                         .mesh_count = 1,
                         .nodes = &node,
                         .meshes = mesh,
                         .node_order = scene,
                         .scene_node_count = 1,
                         .scene_nodes = scene};
    pleat_asset *asset = NULL;
    const char *path = NULL;
    pleat_mesh_edit edit = {.mesh = mesh};
    pleat_attribute_edit attribute = {0, "TEXCOORD_1", 2, &second_uvs};
    pleat_gltf_edits edits = {.mesh_edit_count = 1,
                              .mesh_edits = &edit,
                              .attribute_edit_count = second_uvs ? 1 : 0,
                              .attribute_edits = &attribute};
    PL_TRY(path_of(run, file, &path, error));
    pleat_result result = pleat_asset_from_model(&model, "pleat " PLEAT_VERSION, &run->job.host, &asset, error);
    if (result == PLEAT_OK)
    {
        result = pleat_gltf_write(asset, &edits, path, run->outputs, error);
    }
    pleat_asset_destroy(asset);
    return result;
}

pleat_result pl_job_maps_write_posed(pl_maps_run *run, const pl_maps_set *set, const char *file, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_maps_coarse coarse = pleat_maps_get_coarse(set->maps);
    const pleat_mesh *mesh = &run->model->meshes[run->model->nodes[set->node].mesh];
    pleat_vec3 *positions, *normals;
    float *tangents;
    uint32_t *triangles, triangle_count = 0, t = 0;
    PL_ARENA_NEW_OR_FAIL(positions, &run->job.arena, pleat_vec3, coarse.render_count, error);
    PL_ARENA_NEW_OR_FAIL(normals, &run->job.arena, pleat_vec3, coarse.render_count, error);
    PL_ARENA_NEW_OR_FAIL(tangents, &run->job.arena, float, 4 * (size_t)coarse.render_count, error);
    PL_ARENA_NEW_OR_FAIL(triangles, &run->job.arena, uint32_t, 3 * (size_t)coarse.triangle_count, error);
    /* A vertex that no triangle uses still needs a unit normal. */
    for (uint32_t r = 0; r < coarse.render_count; ++r)
    {
        normals[r] = (pleat_vec3){0, 0, 1};
        memcpy(tangents + 4 * (size_t)r, (float[]){1, 0, 0, 1}, 4 * sizeof *tangents);
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        for (uint32_t i = 0; i < mesh->primitives[p].triangle_count; ++i, ++t)
        {
            for (uint32_t k = 0; k < 3 && set->primitives[p]; ++k)
            {
                uint32_t r = coarse.render_triangles[3 * (size_t)t + k], v = coarse.triangles[3 * (size_t)t + k];
                positions[r] = (pleat_vec3){coarse.positions[v].x, coarse.positions[v].y, coarse.positions[v].z};
                normals[r] = (pleat_vec3){coarse.normals[v].x, coarse.normals[v].y, coarse.normals[v].z};
                memcpy(tangents + 4 * (size_t)r, &coarse.tangents[r], 4 * sizeof *tangents);
                triangles[3 * (size_t)triangle_count + k] = r;
            }
            triangle_count += set->primitives[p];
        }
    }
    pleat_primitive primitive = {.vertex_count = coarse.render_count,
                                 .triangle_count = triangle_count,
                                 .triangles = triangles,
                                 .positions = positions,
                                 .normals = normals,
                                 .tangents = tangents,
                                 .uvs = coarse.uvs,
                                 .material = PLEAT_NONE};
    pleat_mesh posed = {.name = set->name, .primitive_count = 1, .primitives = &primitive};
    result = pl_job_maps_write_model(run, file, &posed, NULL, error);
fail:
    return result;
}
