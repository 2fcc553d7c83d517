/* Materials, skins, nodes and the scene. */
#include "io/gltf/gltf.h"

#include "base/vec.h"

#include <string.h>

/* A number within low..high, or the fallback: a material that is only drawn refuses no file. */
static float number_within(json_t *value, float low, float high, float fallback)
{
    double number = json_is_number(value) ? json_number_value(value) : (double)fallback;
    return number >= (double)low && number <= (double)high ? (float)number : fallback;
}

static pleat_alpha read_alpha(json_t *item)
{
    const char *mode = json_string_value(json_object_get(item, "alphaMode"));
    return mode && strcmp(mode, "MASK") == 0    ? PLEAT_ALPHA_MASK
           : mode && strcmp(mode, "BLEND") == 0 ? PLEAT_ALPHA_BLEND
                                                : PLEAT_ALPHA_OPAQUE;
}

pleat_result pl_gltf_read_materials(pl_gltf *g)
{
    json_t *array;
    json_t *item;
    json_t *metal;
    uint32_t count;
    pleat_material *materials;
    PL_TRY(pl_json_array(g, g->root, "materials", "", &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *materials, "materials", &materials));
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_place place = pl_at("materials[%u]", i);
        pleat_material material = {.base_color = {1, 1, 1, 1}, .roughness = 1};
        PL_TRY(pl_json_item(g, array, i, "materials", &item));
        PL_TRY(pl_json_name(g, item, place.text, &material.name));
        PL_TRY(pl_gltf_give_name(g, "material", i, &material.name));
        PL_TRY(pl_json_bool(g, item, "doubleSided", place.text, false, &material.double_sided));
        material.alpha = read_alpha(item);
        material.alpha_cutoff = number_within(json_object_get(item, "alphaCutoff"), 0, 1, 0.5f);
        PL_TRY(pl_json_object(g, item, "pbrMetallicRoughness", place.text, &metal));
        pl_place inside = pl_at("%s.pbrMetallicRoughness", place.text);
        PL_TRY(pl_json_floats(g, metal, "baseColorFactor", inside.text, 4, material.base_color, NULL));
        material.roughness = number_within(json_object_get(metal, "roughnessFactor"), 0, 1, 1);
        materials[i] = material;
    }
    g->asset->model.materials = materials;
    g->asset->model.material_count = count;
    return PLEAT_OK;
}

/* ---- Skins ---- */

static pleat_result read_inverse_binds(pl_gltf *g, json_t *object, const char *place, pleat_skin *skin)
{
    uint32_t index;
    pl_gltf_accessor *accessor;
    const float *columns;
    pleat_affine *binds;
    PL_TRY(pl_json_index(g, object, "inverseBindMatrices", place, g->accessor_count, "accessors", &index));
    PL_TRY(pl_gltf_alloc(g, skin->joint_count, sizeof *binds, place, &binds));
    skin->inverse_binds = binds;
    for (uint32_t j = 0; index == PLEAT_NONE && j < skin->joint_count; ++j)
    {
        binds[j] = pl_affine_identity();
    }
    if (index == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    PL_TRY(pl_gltf_get_accessor(g, index, &accessor));
    if (accessor->width != 16 || accessor->count < skin->joint_count)
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA,
                            "%s.inverseBindMatrices: accessors[%u] has %u elements of %u numbers; the "
                            "skin has %u joints, each with a MAT4",
                            place, index, accessor->count, accessor->width, skin->joint_count);
    }
    PL_TRY(pl_gltf_floats(g, index, &columns));
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        const float *matrix = columns + (size_t)j * 16;
        if (pl_first_not_finite(matrix, 16) < 16 || !pl_affine_from_columns(matrix, &binds[j]))
        {
            return pl_gltf_fail(
                g, PLEAT_BAD_DATA, "%s.inverseBindMatrices: matrix %u of accessors[%u] %s", place, j, index,
                pl_first_not_finite(matrix, 16) < 16 ? "is not finite" : "has a last row other than 0 0 0 1");
        }
    }
    return PLEAT_OK;
}

pleat_result pl_gltf_read_skins(pl_gltf *g)
{
    json_t *array;
    json_t *item;
    json_t *joints;
    uint32_t count;
    pleat_skin *skins;
    PL_TRY(pl_json_array(g, g->root, "skins", "", &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *skins, "skins", &skins));
    for (uint32_t s = 0; s < count; ++s)
    {
        pl_place place = pl_at("skins[%u]", s);
        pleat_skin *skin = &skins[s];
        uint32_t *nodes;
        PL_TRY(pl_json_item(g, array, s, "skins", &item));
        PL_TRY(pl_json_name(g, item, place.text, &skin->name));
        PL_TRY(pl_json_array(g, item, "joints", place.text, &joints, &skin->joint_count));
        if (skin->joint_count == 0 || skin->joint_count > UINT16_MAX)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has %u joints; 1 to %u are possible", place.text,
                                skin->joint_count, UINT16_MAX);
        }
        PL_TRY(pl_gltf_alloc(g, skin->joint_count, sizeof *nodes, place.text, &nodes));
        for (uint32_t j = 0; j < skin->joint_count; ++j)
        {
            PL_TRY(pl_json_item_index(g, joints, j, pl_at("%s.joints", place.text).text, g->asset->model.node_count,
                                      "nodes", &nodes[j]));
        }
        skin->joints = nodes;
        PL_TRY(read_inverse_binds(g, item, place.text, skin));
    }
    g->asset->model.skins = skins;
    g->asset->model.skin_count = count;
    return PLEAT_OK;
}

/* ---- Nodes ---- */

static pleat_result read_transform(pl_gltf *g, json_t *object, const char *place, pleat_node *node)
{
    float columns[16];
    float translation[3] = {0, 0, 0};
    float rotation[4] = {0, 0, 0, 1};
    float scale[3] = {1, 1, 1};
    PL_TRY(pl_json_floats(g, object, "matrix", place, 16, columns, &node->has_matrix));
    PL_TRY(pl_json_floats(g, object, "translation", place, 3, translation, NULL));
    PL_TRY(pl_json_floats(g, object, "rotation", place, 4, rotation, NULL));
    PL_TRY(pl_json_floats(g, object, "scale", place, 3, scale, NULL));
    if (node->has_matrix)
    {
        if (!pl_affine_from_columns(columns, &node->local_matrix))
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s.matrix has a last row of (%g, %g, %g, %g); it must be 0 0 0 1",
                                place, (double)columns[3], (double)columns[7], (double)columns[11],
                                (double)columns[15]);
        }
        node->local = pl_affine_to_trs(&node->local_matrix);
        return PLEAT_OK;
    }
    pl_f4 q = pl_set(rotation[0], rotation[1], rotation[2], rotation[3]);
    float squared = pl_dot4(q, q);
    if (!(fabsf(squared - 1) <= 0.01f))
    {
        pl_gltf_warn(g, "%s.rotation has length %g; it is scaled to 1", place, (double)sqrtf(squared));
    }
    node->local.translation = (pleat_vec4){translation[0], translation[1], translation[2], 0};
    node->local.rotation = pl_quat_to(pl_quat_normalize(q));
    node->local.scale = (pleat_vec4){scale[0], scale[1], scale[2], 0};
    node->local_matrix = pl_affine_from_trs(&node->local);
    return PLEAT_OK;
}

/* The children's parent, once each. */
static pleat_result adopt(pl_gltf *g, json_t *object, const char *place, uint32_t n, pleat_node *nodes,
                          uint32_t node_count)
{
    json_t *children;
    uint32_t count;
    pl_place inside = pl_at("%s.children", place);
    PL_TRY(pl_json_array(g, object, "children", place, &children, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t child;
        PL_TRY(pl_json_item_index(g, children, i, inside.text, node_count, "nodes", &child));
        if (nodes[child].parent != PLEAT_NONE)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s[%u] is %u, which is already a child of nodes[%u]", inside.text,
                                i, child, nodes[child].parent);
        }
        nodes[child].parent = n;
    }
    return PLEAT_OK;
}

static uint32_t array_size(const pl_gltf *g, const char *key)
{
    return (uint32_t)json_array_size(json_object_get(g->root, key));
}

/* The roots of the default scene; of scene 0 where none is the default; all roots where there is no scene. */
static pleat_result read_scene(pl_gltf *g, const pleat_node *nodes, uint32_t node_count)
{
    json_t *scenes;
    json_t *scene;
    json_t *list;
    uint32_t scene_count, chosen, count;
    uint32_t *roots;
    PL_TRY(pl_json_array(g, g->root, "scenes", "", &scenes, &scene_count));
    PL_TRY(pl_json_index(g, g->root, "scene", "", scene_count, "scenes", &chosen));
    if (scene_count == 0)
    {
        count = 0;
        PL_TRY(pl_gltf_alloc(g, node_count, sizeof *roots, "scenes", &roots));
        for (uint32_t n = 0; n < node_count; ++n)
        {
            if (nodes[n].parent == PLEAT_NONE)
            {
                roots[count++] = n;
            }
        }
        return pl_asset_order_nodes(g->asset, roots, count, g->error);
    }
    chosen = chosen == PLEAT_NONE ? 0 : chosen;
    pl_place place = pl_at("scenes[%u]", chosen);
    PL_TRY(pl_json_item(g, scenes, chosen, "scenes", &scene));
    PL_TRY(pl_json_array(g, scene, "nodes", place.text, &list, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *roots, place.text, &roots));
    for (uint32_t i = 0; i < count; ++i)
    {
        PL_TRY(pl_json_item_index(g, list, i, pl_at("%s.nodes", place.text).text, node_count, "nodes", &roots[i]));
        if (nodes[roots[i]].parent != PLEAT_NONE)
        {
            pl_gltf_warn(g, "%s.nodes[%u] is %u, which is no root", place.text, i, roots[i]);
        }
    }
    return pl_asset_order_nodes(g->asset, roots, count, g->error);
}

pleat_result pl_gltf_read_nodes(pl_gltf *g, pleat_node **out)
{
    json_t *array;
    json_t *item;
    uint32_t count;
    pleat_node *nodes;
    PL_TRY(pl_json_array(g, g->root, "nodes", "", &array, &count));
    PL_TRY(pl_gltf_alloc(g, count, sizeof *nodes, "nodes", &nodes));
    for (uint32_t n = 0; n < count; ++n)
    {
        nodes[n] = pleat_node_default();
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        pl_place place = pl_at("nodes[%u]", n);
        PL_TRY(pl_json_item(g, array, n, "nodes", &item));
        PL_TRY(pl_json_name(g, item, place.text, &nodes[n].name));
        PL_TRY(pl_json_index(g, item, "mesh", place.text, array_size(g, "meshes"), "meshes", &nodes[n].mesh));
        PL_TRY(pl_json_index(g, item, "skin", place.text, array_size(g, "skins"), "skins", &nodes[n].skin));
        PL_TRY(read_transform(g, item, place.text, &nodes[n]));
        PL_TRY(adopt(g, item, place.text, n, nodes, count));
    }
    g->asset->model.nodes = nodes;
    g->asset->model.node_count = count;
    *out = nodes;
    return read_scene(g, nodes, count);
}
