/* Meshes: primitives of every mode as triangle lists, vertex attributes, morph targets. */
#include "io/gltf/mesh.h"

#include <math.h>
#include <string.h>

enum
{
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    MODE_FAN = 6
};

/* ---- Attributes ---- */

pleat_result pl_gltf_attribute(pl_gltf *g, json_t *attributes, const char *name, const char *place, uint32_t widths,
                               uint32_t vertex_count, uint32_t *index, pl_gltf_accessor **out)
{
    *out = NULL;
    PL_TRY(pl_json_index(g, attributes, name, place, g->accessor_count, "accessors", index));
    if (*index == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    pl_gltf_accessor *accessor;
    PL_TRY(pl_gltf_get_accessor(g, *index, &accessor));
    if (accessor->matrix || !(widths >> accessor->width & 1))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.%s: accessors[%u] has %u numbers an element, which does not fit",
                            place, name, *index, accessor->width);
    }
    if (vertex_count != 0 && accessor->count != vertex_count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.%s: accessors[%u] has %u elements; there are %u positions", place,
                            name, *index, accessor->count, vertex_count);
    }
    *out = accessor;
    return PLEAT_OK;
}

/* Positions and differences of positions: a number that is not finite is an error. */
static pleat_result strict_vectors(pl_gltf *g, uint32_t index, pl_gltf_accessor *accessor, const char *place,
                                   const char *name, const pleat_vec3 **out)
{
    const float *values;
    PL_TRY(pl_gltf_floats(g, index, &values));
    size_t bad = pl_gltf_first_not_finite(accessor);
    if (bad < (size_t)accessor->count * 3)
    {
        const float *p = values + bad / 3 * 3;
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.%s: element %zu of accessors[%u] is (%g, %g, %g); it must be finite",
                            place, name, bad / 3, index, (double)p[0], (double)p[1], (double)p[2]);
    }
    *out = (const pleat_vec3 *)(const void *)values;
    return PLEAT_OK;
}

/* What shape and motion do not hang on: numbers that are not finite become 0, with a warning. An absent attribute gives
 * NULL. */
static pleat_result lenient_floats(pl_gltf *g, json_t *attributes, const char *name, const char *place, uint32_t width,
                                   uint32_t vertex_count, const float **out)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    *out = NULL;
    PL_TRY(pl_gltf_attribute(g, attributes, name, place, 1u << width, vertex_count, &index, &accessor));
    if (!accessor)
    {
        return PLEAT_OK;
    }
    const float *values;
    PL_TRY(pl_gltf_floats(g, index, &values));
    size_t count = (size_t)accessor->count * width;
    size_t bad = pl_gltf_first_not_finite(accessor);
    if (bad < count)
    {
        float *copy;
        pl_gltf_warn(g, "%s.%s: element %zu of accessors[%u] is not finite; 0 is used there", place, name, bad / width,
                     index);
        PL_TRY(pl_gltf_alloc(g, count, sizeof *copy, place, &copy));
        for (size_t i = 0; i < count; ++i)
        {
            copy[i] = isfinite(values[i]) ? values[i] : 0;
        }
        values = copy;
    }
    *out = values;
    return PLEAT_OK;
}

/* COLOR_0 may have three numbers; then alpha is 1. */
static pleat_result read_colors(pl_gltf *g, json_t *attributes, const char *place, pleat_primitive *primitive)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    const float *values;
    float *colors;
    PL_TRY(pl_gltf_attribute(g, attributes, "COLOR_0", place, 1u << 3 | 1u << 4, primitive->vertex_count, &index,
                             &accessor));
    if (!accessor || accessor->width == 4)
    {
        return lenient_floats(g, attributes, "COLOR_0", place, 4, primitive->vertex_count, &primitive->colors);
    }
    PL_TRY(lenient_floats(g, attributes, "COLOR_0", place, 3, primitive->vertex_count, &values));
    PL_TRY(pl_gltf_alloc(g, (uint64_t)primitive->vertex_count * 4, sizeof *colors, place, &colors));
    for (size_t v = 0; v < primitive->vertex_count; ++v)
    {
        memcpy(colors + v * 4, values + v * 3, 3 * sizeof *colors);
        colors[v * 4 + 3] = 1;
    }
    primitive->colors = colors;
    return PLEAT_OK;
}

static pleat_result read_attributes(pl_gltf *g, json_t *object, const char *place, uint32_t joint_count,
                                    pleat_primitive *primitive)
{
    json_t *attributes;
    uint32_t index;
    pl_gltf_accessor *positions;
    const float *normals;
    PL_TRY(pl_json_object(g, object, "attributes", place, &attributes));
    pl_place inside = pl_at("%s.attributes", place);
    PL_TRY(pl_gltf_attribute(g, attributes, "POSITION", inside.text, 1u << 3, 0, &index, &positions));
    if (!positions)
    {
        return pl_json_missing(g, inside.text, "POSITION");
    }
    json_t *extensions = json_object_get(object, "extensions");
    if (json_object_get(extensions, "KHR_draco_mesh_compression") && !positions->bytes)
    {
        return pl_gltf_fail_draco(g, place);
    }
    primitive->vertex_count = positions->count;
    PL_TRY(pl_gltf_expand(g, positions->count, place));
    PL_TRY(strict_vectors(g, index, positions, inside.text, "POSITION", &primitive->positions));
    PL_TRY(lenient_floats(g, attributes, "NORMAL", inside.text, 3, primitive->vertex_count, &normals));
    primitive->normals = (const pleat_vec3 *)(const void *)normals;
    PL_TRY(lenient_floats(g, attributes, "TANGENT", inside.text, 4, primitive->vertex_count, &primitive->tangents));
    PL_TRY(lenient_floats(g, attributes, "TEXCOORD_0", inside.text, 2, primitive->vertex_count, &primitive->uvs));
    PL_TRY(read_colors(g, attributes, inside.text, primitive));
    return joint_count ? pl_gltf_read_influences(g, attributes, inside.text, joint_count, primitive) : PLEAT_OK;
}

/* ---- Triangles ---- */

static pleat_result read_indices(pl_gltf *g, json_t *object, const char *place, uint32_t vertex_count,
                                 const uint32_t **indices, uint32_t *count)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    *indices = NULL;
    *count = vertex_count;
    PL_TRY(pl_json_index(g, object, "indices", place, g->accessor_count, "accessors", &index));
    if (index == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    pl_component component = accessor->component;
    if (accessor->width != 1 || (component != PL_U8 && component != PL_U16 && component != PL_U32))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.indices: accessors[%u] must be SCALAR of type 5121, 5123 or 5125",
                            place, index);
    }
    PL_TRY(pl_gltf_integers(g, index, indices));
    *count = accessor->count;
    uint32_t restart = component == PL_U8 ? UINT8_MAX : component == PL_U16 ? UINT16_MAX : UINT32_MAX;
    if (accessor->largest < vertex_count && accessor->largest < restart)
    {
        return PLEAT_OK;
    }
    uint32_t i = 0;
    while ((*indices)[i] < vertex_count && (*indices)[i] != restart)
    {
        ++i;
    }
    if ((*indices)[i] == restart)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA,
                            "%s.indices: index %u of accessors[%u] is %u, the primitive restart value, which glTF does "
                            "not allow",
                            place, i, index, restart);
    }
    return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.indices: index %u of accessors[%u] is %u; there are %u vertices", place,
                        i, index, (*indices)[i], vertex_count);
}

/* Corner c of triangle t, as a place in the list of indices; specification, section 3.7.2.1. */
static uint32_t corner(uint64_t mode, uint32_t t, uint32_t c)
{
    if (mode == MODE_STRIP)
    {
        uint32_t odd = t & 1;
        return c == 0 ? t : c == 1 ? t + 1 + odd : t + 2 - odd;
    }
    if (mode == MODE_FAN)
    {
        return c == 2 ? 0 : t + 1 + c;
    }
    return t * 3 + c;
}

static pleat_result read_triangles(pl_gltf *g, json_t *object, const char *place, pleat_primitive *primitive)
{
    uint64_t mode;
    const uint32_t *indices;
    uint32_t count;
    PL_TRY(pl_json_size(g, object, "mode", place, MODE_TRIANGLES, &mode));
    PL_TRY(read_indices(g, object, place, primitive->vertex_count, &indices, &count));
    if (mode > MODE_FAN)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.mode is %llu; it can be 0 to 6", place, (unsigned long long)mode);
    }
    if (mode < MODE_TRIANGLES)
    {
        return PLEAT_OK; /* points and lines */
    }
    uint32_t triangle_count = mode == MODE_TRIANGLES ? count / 3 : count >= 3 ? count - 2 : 0;
    if (count < 3 || (mode == MODE_TRIANGLES && count % 3 != 0))
    {
        pl_gltf_warn(g, "%s has %u indices, no whole number of triangles; the rest is ignored", place, count);
    }
    primitive->triangle_count = triangle_count;
    primitive->triangles = indices;
    if (indices && mode == MODE_TRIANGLES)
    {
        return PLEAT_OK;
    }
    uint32_t *triangles;
    PL_TRY(pl_gltf_alloc(g, (uint64_t)triangle_count * 3, sizeof *triangles, place, &triangles));
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        for (uint32_t c = 0; c < 3; ++c)
        {
            uint32_t at = corner(mode, t, c);
            triangles[(size_t)t * 3 + c] = indices ? indices[at] : at;
        }
    }
    primitive->triangles = triangles;
    return PLEAT_OK;
}

/* ---- Morph targets ---- */

static pleat_result read_difference(pl_gltf *g, json_t *object, const char *name, const char *place,
                                    uint32_t vertex_count, const pleat_vec3 **out)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    *out = NULL;
    PL_TRY(pl_gltf_attribute(g, object, name, place, 1u << 3, vertex_count, &index, &accessor));
    if (!accessor || (!accessor->bytes && accessor->sparse_count == 0))
    {
        return PLEAT_OK; /* absent, or zero everywhere, which is the same */
    }
    return strict_vectors(g, index, accessor, place, name, out);
}

static pleat_result read_targets(pl_gltf *g, json_t *object, const char *place, uint32_t target_count,
                                 pleat_primitive *primitive)
{
    json_t *array;
    json_t *item;
    uint32_t count;
    pleat_target *targets;
    PL_TRY(pl_json_array(g, object, "targets", place, &array, &count));
    if (count != target_count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has %u morph targets; the first primitive has %u", place, count,
                            target_count);
    }
    if (count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_gltf_alloc(g, count, sizeof *targets, place, &targets));
    for (uint32_t t = 0; t < count; ++t)
    {
        PL_TRY(pl_json_item(g, array, t, pl_at("%s.targets", place).text, &item));
        pl_place inside = pl_at("%s.targets[%u]", place, t);
        PL_TRY(read_difference(g, item, "POSITION", inside.text, primitive->vertex_count, &targets[t].positions));
        PL_TRY(read_difference(g, item, "NORMAL", inside.text, primitive->vertex_count, &targets[t].normals));
    }
    primitive->targets = targets;
    return PLEAT_OK;
}

/* Default weights of a mesh or node: a list of another length is cut or filled with zeros. */
static pleat_result read_weights(pl_gltf *g, json_t *object, const char *place, uint32_t target_count,
                                 const float **out)
{
    json_t *array;
    uint32_t count;
    float *weights;
    *out = NULL;
    PL_TRY(pl_json_array(g, object, "weights", place, &array, &count));
    if (!array || target_count == 0)
    {
        return PLEAT_OK;
    }
    if (count != target_count)
    {
        pl_gltf_warn(g, "%s.weights has %u numbers; the mesh has %u morph targets", place, count, target_count);
    }
    PL_TRY(pl_gltf_alloc(g, count > target_count ? count : target_count, sizeof *weights, place, &weights));
    *out = weights;
    return pl_json_floats(g, object, "weights", place, count, weights, NULL);
}

/* The names that exporters put beside the mesh, by a convention outside the specification. */
static pleat_result read_target_names(pl_gltf *g, json_t *object, pleat_mesh *mesh)
{
    json_t *names = json_object_get(json_object_get(object, "extras"), "targetNames");
    if (mesh->target_count == 0 || json_array_size(names) != mesh->target_count)
    {
        return PLEAT_OK;
    }
    const char **list;
    PL_TRY(pl_gltf_alloc(g, mesh->target_count, sizeof *list, "targetNames", &list));
    for (uint32_t t = 0; t < mesh->target_count; ++t)
    {
        const char *name = json_string_value(json_array_get(names, t));
        name = name ? name : "";
        list[t] = pl_arena_string(&g->asset->arena, name, strlen(name));
        if (!list[t])
        {
            return pl_fail_memory(&g->asset->memory, g->error, "targetNames");
        }
    }
    mesh->target_names = list;
    return PLEAT_OK;
}

/* ---- Meshes ---- */

static pleat_result read_primitive(pl_gltf *g, json_t *object, const char *place, uint32_t joint_count,
                                   uint32_t target_count, pleat_primitive *primitive)
{
    PL_TRY(
        pl_json_index(g, object, "material", place, g->asset->model.material_count, "materials", &primitive->material));
    PL_TRY(read_attributes(g, object, place, joint_count, primitive));
    PL_TRY(read_triangles(g, object, place, primitive));
    return read_targets(g, object, place, target_count, primitive);
}

static pleat_result read_mesh(pl_gltf *g, uint32_t m, json_t *object, uint32_t joint_count, pleat_mesh *mesh)
{
    pl_place place = pl_at("meshes[%u]", m);
    json_t *array;
    json_t *item;
    uint32_t count;
    pleat_primitive *primitives;
    PL_TRY(pl_json_name(g, object, place.text, &mesh->name));
    PL_TRY(pl_json_array(g, object, "primitives", place.text, &array, &count));
    if (count == 0)
    {
        return pl_json_missing(g, place.text, "primitives");
    }
    PL_TRY(pl_gltf_alloc(g, count, sizeof *primitives, place.text, &primitives));
    for (uint32_t p = 0; p < count; ++p)
    {
        PL_TRY(pl_json_item(g, array, p, pl_at("%s.primitives", place.text).text, &item));
        pl_place inside = pl_at("%s.primitives[%u]", place.text, p);
        if (p == 0)
        {
            json_t *targets;
            PL_TRY(pl_json_array(g, item, "targets", inside.text, &targets, &mesh->target_count));
        }
        PL_TRY(read_primitive(g, item, inside.text, joint_count, mesh->target_count, &primitives[p]));
    }
    mesh->primitives = primitives;
    mesh->primitive_count = count;
    PL_TRY(read_target_names(g, object, mesh));
    return read_weights(g, object, place.text, mesh->target_count, &mesh->weights);
}

/* Per mesh the least joint count of the skins it is used with; 0 where it is never skinned. */
static pleat_result joint_counts(pl_gltf *g, uint32_t mesh_count, uint32_t **out)
{
    const pleat_model *model = &g->asset->model;
    uint32_t *counts;
    PL_TRY(pl_gltf_alloc(g, mesh_count, sizeof *counts, "meshes", &counts));
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        const pleat_node *node = &model->nodes[n];
        if (node->mesh != PLEAT_NONE && node->skin != PLEAT_NONE)
        {
            uint32_t joints = model->skins[node->skin].joint_count;
            uint32_t *least = &counts[node->mesh];
            *least = *least == 0 || joints < *least ? joints : *least;
        }
    }
    *out = counts;
    return PLEAT_OK;
}

pleat_result pl_gltf_read_meshes(pl_gltf *g, pleat_mesh **out)
{
    json_t *array;
    json_t *item;
    uint32_t count;
    uint32_t *joints;
    pleat_mesh *meshes;
    PL_TRY(pl_json_array(g, g->root, "meshes", "", &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *meshes, "meshes", &meshes));
    PL_TRY(joint_counts(g, count, &joints));
    for (uint32_t m = 0; m < count; ++m)
    {
        PL_TRY(pl_json_item(g, array, m, "meshes", &item));
        PL_TRY(read_mesh(g, m, item, joints[m], &meshes[m]));
    }
    g->asset->model.meshes = meshes;
    g->asset->model.mesh_count = count;
    *out = meshes;
    return PLEAT_OK;
}

pleat_result pl_gltf_read_node_weights(pl_gltf *g, pleat_node *nodes)
{
    const pleat_model *model = &g->asset->model;
    json_t *array = json_object_get(g->root, "nodes");
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (nodes[n].mesh != PLEAT_NONE)
        {
            /* A skin's weights are looked at for each node that shows them. */
            PL_TRY(pl_gltf_expand(g, 4 * (uint64_t)pleat_mesh_vertex_count(&model->meshes[nodes[n].mesh]),
                                  pl_at("nodes[%u]", n).text));
            PL_TRY(read_weights(g, json_array_get(array, n), pl_at("nodes[%u]", n).text,
                                model->meshes[nodes[n].mesh].target_count, &nodes[n].weights));
        }
    }
    return PLEAT_OK;
}
