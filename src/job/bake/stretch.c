#include "job/bake/stretch.h"

#include "base/vec.h"

#include <string.h>

/* ---- Frames ----------------------------------------------------------------------------------------------------- */

pleat_result pl_stretch_check(const pleat_job_stretch *asked, uint32_t first_frame, uint32_t frame_count, bool gltf,
                              pleat_error *error)
{
    if (asked->wanted && !gltf)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "--stretch writes attributes of a mesh; they need an output .glb or .gltf");
    }
    if (asked->wanted && !asked->most && (asked->frame < first_frame || asked->frame - first_frame >= frame_count))
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--stretch is frame %u; frames %u-%u are baked", asked->frame,
                       first_frame, first_frame + frame_count - 1);
    }
    return PLEAT_OK;
}

pleat_result pl_stretch_begin(pl_bake_stretch *stretch, const pleat_job_stretch *asked, const pleat_bake *bake,
                              const pleat_host *host, pleat_error *error)
{
    *stretch = (pl_bake_stretch){.asked = asked};
    return asked->wanted ? pleat_stretches_create(bake, host, &stretch->list, error) : PLEAT_OK;
}

void pl_stretch_frame(const pl_bake_stretch *stretch, uint32_t frame, const pleat_tasks *tasks)
{
    if (stretch->list && (stretch->asked->most || frame == stretch->asked->frame))
    {
        pleat_stretches_add(stretch->list, tasks);
    }
}

void pl_stretch_close(pl_bake_stretch *stretch)
{
    pleat_stretches_destroy(stretch->list);
    stretch->list = NULL;
}

/* ---- Attributes ------------------------------------------------------------------------------------------------- */

enum
{
    ATTRIBUTES = 5 /* a mesh gets at most */
};

/* The attributes of one stack, per primitive. */
typedef struct stack_attributes
{
    const pleat_stack_shape *shape;
    const pleat_stretch *stretches; /* surface vertices */
    const float **compression, **across, **stretch, **along, **colors;
} stack_attributes;

/* +u of the texture at each render vertex, in the mesh's own space; zero without coordinates. */
static void find_tangents(const pleat_stack_shape *shape, pl_f4 *tangents)
{
    for (uint32_t t = 0; t < shape->triangle_count && shape->uvs; ++t)
    {
        const uint32_t *corner = shape->triangles + 3 * (size_t)t, *at = shape->surface_triangles + 3 * (size_t)t;
        const float *a = shape->uvs + 2 * (size_t)corner[0], *b = shape->uvs + 2 * (size_t)corner[1];
        const float *c = shape->uvs + 2 * (size_t)corner[2];
        pl_f4 origin = pl_load(&shape->bind[at[0]]);
        pl_f4 u = pl_load(&shape->bind[at[1]]) - origin, v = pl_load(&shape->bind[at[2]]) - origin;
        float area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        pl_f4 tangent = (u * pl_splat(c[1] - a[1]) - v * pl_splat(b[1] - a[1])) * pl_splat(area < 0 ? -1 : 1);
        for (int k = 0; k < 3; ++k)
        {
            tangents[corner[k]] += tangent;
        }
    }
}

/* Normals of the surface vertices, in the mesh's own space. */
static void find_normals(const pleat_stack_shape *shape, pl_f4 *normals)
{
    for (uint32_t t = 0; t < shape->triangle_count; ++t)
    {
        const uint32_t *at = shape->surface_triangles + 3 * (size_t)t;
        pl_f4 origin = pl_load(&shape->bind[at[0]]);
        pl_f4 normal = pl_cross(pl_load(&shape->bind[at[1]]) - origin, pl_load(&shape->bind[at[2]]) - origin);
        for (int k = 0; k < 3; ++k)
        {
            normals[at[k]] += normal;
        }
    }
}

static pleat_result fill_colors(const pl_bake_stretch *stretch, stack_attributes *out, pl_arena *arena,
                                pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack_shape *shape = out->shape;
    pl_f4 *tangents, *normals;
    float *colors;
    PL_ARENA_NEW_OR_FAIL(tangents, arena, pl_f4, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(normals, arena, pl_f4, shape->surface_count, error);
    PL_ARENA_NEW_OR_FAIL(colors, arena, float, 3 * (size_t)shape->vertex_count, error);
    find_tangents(shape, tangents);
    find_normals(shape, normals);
    for (uint32_t r = 0; r < shape->vertex_count; ++r)
    {
        pleat_vec3 tangent, normal;
        pl_f4 up = pl_normalize3(normals[shape->render_vertex[r]]);
        pl_store3(&normal, up);
        pl_store3(&tangent, pl_normalize3(tangents[r] - up * pl_splat(pl_dot3(up, tangents[r]))));
        pleat_vec3 color = pleat_stretch_to_color(&out->stretches[shape->render_vertex[r]], stretch->asked->colors,
                                                  stretch->asked->strength, tangent, normal);
        memcpy(colors + 3 * (size_t)r, &color, sizeof color);
    }
    for (uint32_t p = 0; p < shape->primitive_count; ++p)
    {
        out->colors[p] = colors + 3 * (size_t)shape->first_vertex[p];
    }
fail:
    return result;
}

static pleat_result fill_values(stack_attributes *out, pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_stack_shape *shape = out->shape;
    float *compression, *stretch, *across, *along;
    PL_ARENA_NEW_OR_FAIL(compression, arena, float, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(stretch, arena, float, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(across, arena, float, 3 * (size_t)shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(along, arena, float, 3 * (size_t)shape->vertex_count, error);
    for (uint32_t r = 0; r < shape->vertex_count; ++r)
    {
        const pleat_stretch *here = &out->stretches[shape->render_vertex[r]];
        compression[r] = 1 - here->smallest;
        stretch[r] = here->largest - 1;
        memcpy(across + 3 * (size_t)r, &here->across, sizeof here->across);
        memcpy(along + 3 * (size_t)r, &here->along, sizeof here->along);
    }
    for (uint32_t p = 0; p < shape->primitive_count; ++p)
    {
        size_t first = shape->first_vertex[p];
        out->compression[p] = compression + first;
        out->stretch[p] = stretch + first;
        out->across[p] = across + 3 * first;
        out->along[p] = along + 3 * first;
    }
fail:
    return result;
}

static pleat_result make_attributes(const pl_bake_stretch *stretch, uint32_t node, stack_attributes *values,
                                    pl_arena *arena, pleat_attribute_edit *edits, uint32_t *count, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const float ***lists[] = {&values->compression, &values->stretch, &values->across, &values->along, &values->colors};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
    {
        PL_ARENA_NEW_OR_FAIL(*lists[i], arena, const float *, values->shape->primitive_count, error);
    }
    PL_TRY(fill_values(values, arena, error));
    edits[(*count)++] = (pleat_attribute_edit){node, "_COMPRESSION", 1, values->compression};
    edits[(*count)++] = (pleat_attribute_edit){node, "_COMPRESSION_DIRECTION", 3, values->across};
    edits[(*count)++] = (pleat_attribute_edit){node, "_STRETCH", 1, values->stretch};
    edits[(*count)++] = (pleat_attribute_edit){node, "_STRETCH_DIRECTION", 3, values->along};
    if (stretch->asked->colored)
    {
        PL_TRY(fill_colors(stretch, values, arena, error));
        edits[(*count)++] = (pleat_attribute_edit){node, "COLOR_0", 3, values->colors};
    }
fail:
    return result;
}

/* The mesh of the file as an edit of itself, so that attributes can be added to it. */
static pleat_result keep_mesh(const pleat_model *model, uint32_t node, pl_arena *arena, pleat_mesh_edit *edit,
                              pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_mesh *mesh = &model->meshes[model->nodes[node].mesh];
    const uint32_t **sources;
    PL_ARENA_NEW_OR_FAIL(sources, arena, const uint32_t *, mesh->primitive_count, error);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        uint32_t *same;
        PL_ARENA_NEW_OR_FAIL(same, arena, uint32_t, mesh->primitives[p].vertex_count, error);
        for (uint32_t v = 0; v < mesh->primitives[p].vertex_count; ++v)
        {
            same[v] = v;
        }
        sources[p] = same;
    }
    *edit = (pleat_mesh_edit){.node = node, .mesh = mesh, .source_vertex = sources};
fail:
    return result;
}

static bool has_edit(const pleat_mesh_edit *edits, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (edits[i].node == node)
        {
            return true;
        }
    }
    return false;
}

pleat_result pl_stretch_edit(const pl_bake_stretch *stretch, const pleat_bake *bake, const pleat_model *model,
                             pl_arena *arena, pleat_gltf_edits *edits, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t stacks = pleat_bake_stack_count(bake), mesh_count = edits->mesh_edit_count, count = 0;
    pleat_mesh_edit *meshes;
    pleat_attribute_edit *attributes;
    if (!stretch->list)
    {
        return PLEAT_OK;
    }
    PL_ARENA_NEW_OR_FAIL(meshes, arena, pleat_mesh_edit, (size_t)mesh_count + stacks, error);
    PL_ARENA_NEW_OR_FAIL(attributes, arena, pleat_attribute_edit, ATTRIBUTES * (size_t)stacks, error);
    if (mesh_count)
    {
        memcpy(meshes, edits->mesh_edits, mesh_count * sizeof *meshes);
    }
    for (uint32_t s = 0; s < stacks; ++s)
    {
        uint32_t node = pleat_bake_stack_node(bake, s);
        stack_attributes values = {.shape = pleat_stack_get_shape(pleat_bake_stack(bake, s)),
                                   .stretches = pleat_stretches_of(stretch->list, s)};
        PL_TRY(make_attributes(stretch, node, &values, arena, attributes, &count, error));
        if (!has_edit(meshes, mesh_count, node))
        {
            PL_TRY(keep_mesh(model, node, arena, &meshes[mesh_count++], error));
        }
    }
    edits->mesh_edits = meshes;
    edits->mesh_edit_count = mesh_count;
    edits->attribute_edits = attributes;
    edits->attribute_edit_count = count;
fail:
    return result;
}
