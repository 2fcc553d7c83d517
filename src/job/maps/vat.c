/* Vertex-animation textures: a texel for each vertex of the refined mesh in each frame, offsets from the mesh in the
 * file beside them and normals. The file's second set of texture coordinates says where a vertex's texel of the first
 * frame is; frames go one row down each. Names of files, layout and metadata are OpenVAT's, whose importers are there
 * for Unity, Unreal, Godot, Bevy and three.js; so are the axes: those of Blender, Z up. */
#include "job/maps/maps.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

enum
{
    MOST_ROWS = 16384 /* what graphics cards take */
};

/* The garments of the bake as one mesh. */
typedef struct vat_mesh
{
    uint32_t vertex_count, triangle_count;
    uint32_t *vertices; /* of the bake */
    uint32_t *triangles;
    pleat_vec3 *rest, *rest_normals;
    float *uvs, *texels;                  /* 2 a vertex; uvs may be NULL */
    pleat_vec3 *positions, *normals;      /* of the whole bake */
    pleat_vec3 *offsets, *chosen_normals; /* of the mesh */
    pleat_vec3 low, high;
} vat_mesh;

static pleat_result gather_mesh(pl_maps_run *run, vat_mesh *mesh, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &run->job.arena;
    const pleat_bake_shape *shape = pleat_bake_get_shape(run->bake);
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        mesh->vertex_count += shape->parts[p].garment ? shape->parts[p].vertex_count : 0;
        mesh->triangle_count += shape->parts[p].garment ? shape->parts[p].triangle_count : 0;
    }
    PL_ARENA_NEW_OR_FAIL(mesh->vertices, arena, uint32_t, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->triangles, arena, uint32_t, 3 * (size_t)mesh->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->rest, arena, pleat_vec3, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->rest_normals, arena, pleat_vec3, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->texels, arena, float, 2 * (size_t)mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->offsets, arena, pleat_vec3, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->chosen_normals, arena, pleat_vec3, mesh->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->positions, arena, pleat_vec3, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->normals, arena, pleat_vec3, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(mesh->uvs, arena, float, 2 * (size_t)mesh->vertex_count, error);
    uint32_t vertex = 0, corner = 0;
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        const pleat_bake_part *part = &shape->parts[p];
        for (uint32_t c = 0; c < 3 * part->triangle_count && part->garment; ++c)
        {
            mesh->triangles[corner++] =
                shape->triangles[3 * (size_t)part->first_triangle + c] - part->first_vertex + vertex;
        }
        for (uint32_t v = 0; v < part->vertex_count && part->garment; ++v, ++vertex)
        {
            uint32_t from = part->first_vertex + v;
            mesh->vertices[vertex] = from;
            mesh->rest[vertex] = shape->rest[from];
            if (shape->uvs)
            {
                memcpy(mesh->uvs + 2 * (size_t)vertex, shape->uvs + 2 * (size_t)from, 2 * sizeof *mesh->uvs);
            }
        }
    }
fail:
    return result;
}

/* Normals of the mesh at rest, for a viewer that does not play it. */
static void rest_normals(vat_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
    {
        const uint32_t *corner = mesh->triangles + 3 * (size_t)t;
        pl_f4 a = pl_load3(&mesh->rest[corner[0]]);
        pl_f4 n = pl_cross(pl_load3(&mesh->rest[corner[1]]) - a, pl_load3(&mesh->rest[corner[2]]) - a);
        for (uint32_t k = 0; k < 3; ++k)
        {
            pl_store3(&mesh->rest_normals[corner[k]], pl_load3(&mesh->rest_normals[corner[k]]) + n);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        pl_f4 n = pl_normalize3(pl_load3(&mesh->rest_normals[v]));
        n = pl_length3(n) > 0.5f ? n : pl_set(0, 0, 1, 0);
        pl_store3(&mesh->rest_normals[v], n);
    }
}

/* From glTF's axes to Blender's. */
static pleat_vec3 z_up(pl_f4 v)
{
    return (pleat_vec3){v[0], -v[2], v[1]};
}

/* A frame into offsets and chosen_normals. */
static pleat_result take_frame(pl_maps_run *run, vat_mesh *mesh, uint32_t frame, pleat_error *error)
{
    PL_TRY(pleat_bake_frame(run->bake, frame, error));
    pleat_bake_copy(run->bake, mesh->positions, mesh->normals);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        pl_f4 offset = pl_load3(&mesh->positions[mesh->vertices[v]]) - pl_load3(&mesh->rest[v]);
        mesh->offsets[v] = z_up(offset);
        mesh->chosen_normals[v] = z_up(pl_load3(&mesh->normals[mesh->vertices[v]]));
    }
    return PLEAT_OK;
}

static pleat_result find_bounds(pl_maps_run *run, vat_mesh *mesh, uint32_t frame_count, pleat_error *error)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(take_frame(run, mesh, frame, error));
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        {
            low = pl_min(low, pl_load3(&mesh->offsets[v]));
            high = pl_max(high, pl_load3(&mesh->offsets[v]));
        }
    }
    pl_store3(&mesh->low, low);
    pl_store3(&mesh->high, high);
    return PLEAT_OK;
}

static json_t *point_json(pleat_vec3 p)
{
    return json_pack("[f, f, f]", (double)p.x, (double)p.y, (double)p.z);
}

/* os-remap and animations are what importers read; the rest is for people, and for shaders of their own. */
static json_t *describe(const pl_maps_run *run, const vat_mesh *mesh, const pleat_vat_layout *layout,
                        const char *const *files)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(run->bake);
    uint32_t count = shape->frame_count, height = layout->height * (run->options.vat == PLEAT_VAT_PACKED ? 2 : 1);
    const char *clip = run->clip == PLEAT_NONE ? "rest" : pl_shown(run->model->clips[run->clip].name);
    json_t *times = json_array(), *animations = json_object();
    for (uint32_t f = 0; f < count; ++f)
    {
        json_array_append_new(times, json_real((double)pleat_bake_time(run->bake, f)));
    }
    json_object_set_new(animations, clip[0] ? clip : "clip",
                        json_pack("{s:i, s:i, s:f, s:b}", "startFrame", 0, "endFrame", (int)count - 1, "framerate",
                                  (double)shape->fps, "looping", 0));
    json_t *pleat = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:o}", "generator", "pleat " PLEAT_VERSION,
        "mesh", files[0], "position", files[1], "normal", files[run->options.vat == PLEAT_VAT_PACKED ? 1 : 2],
        "position_is", "c = Min + texel * (Max - Min); POSITION += (c.x, c.z, -c.y), metres, Y up", "normal_is",
        run->options.vat == PLEAT_VAT_PACKED ? "c = texel * 2 - 1, half the picture further down; (c.x, c.z, -c.y)"
                                             : "c = texel * 2 - 1; (c.x, c.z, -c.y)",
        "texel_of_vertex",
        "TEXCOORD_1 for frame 0, rows from the top; add frame * frame_step to its v; nearest texel, no mipmaps, no "
        "sRGB",
        "axes", "of texels, Min and Max: Blender's, Z up", "width", (int)layout->width, "height", (int)height,
        "vertex_count", (int)mesh->vertex_count, "fps", (double)shape->fps, "frame_step", 1 / (double)height, "times",
        times);
    return json_pack("{s:{s:o, s:o, s:i}, s:o, s:o}", "os-remap", "Min", point_json(mesh->low), "Max",
                     point_json(mesh->high), "Frames", (int)count, "animations", animations, "pleat", pleat);
}

/* Positions and normals, as one picture or as two. */
static pleat_result write_pictures(pl_maps_run *run, const pleat_vat_layout *layout, const uint16_t *pixels,
                                   const char *const *files, pleat_error *error)
{
    size_t words = 3 * (size_t)layout->width * layout->height;
    bool packed = run->options.vat == PLEAT_VAT_PACKED;
    for (uint32_t i = 0; i < (packed ? 1u : 2u); ++i)
    {
        pleat_png png = {layout->width, packed ? 2 * layout->height : layout->height, 3, 16, pixels + i * words, true};
        PL_TRY(run->options.vat == PLEAT_VAT_PNG ? pl_job_maps_write_png(run, files[1 + i], &png, error)
                                                 : pl_job_maps_write_exr(run, files[1 + i], &png, error));
    }
    return PLEAT_OK;
}

static pleat_result write_files(pl_maps_run *run, vat_mesh *mesh, const pleat_vat_layout *layout,
                                const uint16_t *pixels, pleat_error *error)
{
    bool png = run->options.vat == PLEAT_VAT_PNG;
    const char *files[3] = {"pleat.glb", png ? "pleat_vat.png" : "pleat_vat.exr",
                            png ? "pleat_vnrm.png" : "pleat_vnrm.exr"};
    uint32_t height = layout->height * (run->options.vat == PLEAT_VAT_PACKED ? 2 : 1);
    pleat_primitive primitive = {.vertex_count = mesh->vertex_count,
                                 .triangle_count = mesh->triangle_count,
                                 .triangles = mesh->triangles,
                                 .positions = mesh->rest,
                                 .normals = mesh->rest_normals,
                                 .uvs = mesh->uvs,
                                 .material = PLEAT_NONE};
    pleat_mesh written = {.name = "vat", .primitive_count = 1, .primitives = &primitive};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        size_t texel = pleat_vat_texel(layout, v, 0);
        mesh->texels[2 * (size_t)v] = ((float)(texel % layout->width) + 0.5f) / (float)layout->width;
        mesh->texels[2 * (size_t)v + 1] = ((float)(texel / layout->width) + 0.5f) / (float)height;
    }
    PL_TRY(write_pictures(run, layout, pixels, files, error));
    PL_TRY(pl_job_maps_write_model(run, files[0], &written, mesh->texels, error));
    json_t *json = describe(run, mesh, layout, files);
    pleat_result result = json ? pl_job_maps_write_json(run, "pleat-remap_info.json", json, error)
                               : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for pleat-remap_info.json");
    json_decref(json);
    return result;
}

pleat_result pl_job_maps_write_vat(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    vat_mesh mesh = {0};
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    uint16_t *pixels = NULL;
    PL_TRY(gather_mesh(run, &mesh, error));
    pleat_vat_layout layout = pleat_vat_layout_of(mesh.vertex_count, frame_count);
    uint32_t rows = layout.height * (run->options.vat == PLEAT_VAT_PACKED ? 2 : 1);
    if (rows > MOST_ROWS)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "%u frames of %u vertices make a texture of %u rows; %u is the most: choose fewer --frames",
                       frame_count, mesh.vertex_count, rows, (unsigned)MOST_ROWS);
    }
    size_t words = 3 * (size_t)layout.width * layout.height;
    PL_NEW_OR_FAIL(pixels, &run->job.memory, uint16_t, 2 * words, error);
    rest_normals(&mesh);
    result = find_bounds(run, &mesh, frame_count, error);
    for (uint32_t frame = 0; frame < frame_count && result == PLEAT_OK; ++frame)
    {
        result = take_frame(run, &mesh, frame, error);
        if (result == PLEAT_OK)
        {
            pleat_vat_frame(&layout, frame, mesh.vertex_count, mesh.offsets, mesh.chosen_normals, mesh.low, mesh.high,
                            pixels, pixels + words);
        }
    }
    result = result == PLEAT_OK ? write_files(run, &mesh, &layout, pixels, error) : result;
fail:
    pl_free(&run->job.memory, pixels);
    return result;
}
