/* A document made of a model: for assets that were no glTF, and for models made by a program. */
#include "io/gltf/write/writer.h"

#include "base/vec.h"

#include <string.h>

static void put_name(pl_writer *w, json_t *object, const char *name)
{
    if (name && name[0])
    {
        pl_json_set(w, object, "name", json_string(name));
    }
}

static void put_materials(pl_writer *w, const pleat_model *model)
{
    for (uint32_t i = 0; i < model->material_count; ++i)
    {
        const pleat_material *material = &model->materials[i];
        json_t *object = json_object();
        json_t *metal = json_object();
        pl_json_append(w, pl_section(w, "materials"), object);
        put_name(w, object, material->name);
        pl_json_set(w, metal, "baseColorFactor", pl_json_numbers(w, material->base_color, 4));
        pl_json_set(w, metal, "metallicFactor", json_real(0));
        pl_json_set(w, metal, "roughnessFactor", json_real((double)material->roughness));
        pl_json_set(w, object, "pbrMetallicRoughness", metal);
        if (material->double_sided)
        {
            pl_json_set(w, object, "doubleSided", json_true());
        }
    }
}

static pleat_result put_meshes(pl_writer *w, const pleat_model *model)
{
    for (uint32_t i = 0; i < model->mesh_count; ++i)
    {
        json_t *mesh;
        pleat_mesh_edit edit = {.mesh = &model->meshes[i]};
        PL_TRY(pl_write_mesh(w, &edit, NULL, NULL, &mesh));
        pl_json_append(w, pl_section(w, "meshes"), mesh);
    }
    return pl_writer_check(w);
}

static pleat_result put_skins(pl_writer *w, const pleat_model *model)
{
    for (uint32_t s = 0; s < model->skin_count; ++s)
    {
        const pleat_skin *skin = &model->skins[s];
        json_t *object = json_object();
        json_t *joints = json_array();
        pl_json_append(w, pl_section(w, "skins"), object);
        put_name(w, object, skin->name);
        pl_json_set(w, object, "joints", joints);
        float *columns = pl_writer_alloc(w, (size_t)skin->joint_count * 16, sizeof *columns);
        if (!columns || w->json_failed)
        {
            return columns ? pl_writer_check(w) : pl_writer_no_memory(w);
        }
        for (uint32_t j = 0; j < skin->joint_count; ++j)
        {
            pl_json_append(w, joints, json_integer(skin->joints[j]));
            pl_affine_to_columns(&skin->inverse_binds[j], columns + (size_t)j * 16);
        }
        uint32_t index;
        pl_accessor_desc desc = {columns, skin->joint_count, "MAT4", .component = PL_F32};
        PL_TRY(pl_add_accessor(w, &desc, &index));
        pl_json_set(w, object, "inverseBindMatrices", json_integer(index));
    }
    return pl_writer_check(w);
}

static void put_vector(pl_writer *w, json_t *object, const char *key, const float *values, const float *standard,
                       size_t count)
{
    if (memcmp(values, standard, count * sizeof *values) != 0)
    {
        pl_json_set(w, object, key, pl_json_numbers(w, values, count));
    }
}

/* Is a property of the node driven by a clip? Then it has no matrix in a file. */
static bool is_driven(const pleat_model *model, uint32_t node)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        for (uint32_t h = 0; h < model->clips[c].channel_count; ++h)
        {
            const pleat_channel *channel = &model->clips[c].channels[h];
            if (channel->node == node && channel->path != PLEAT_WEIGHTS)
            {
                return true;
            }
        }
    }
    return false;
}

static void put_transform(pl_writer *w, json_t *object, const pleat_model *model, uint32_t n)
{
    static const float zeros[3];
    static const float ones[3] = {1, 1, 1};
    static const float still[4] = {0, 0, 0, 1};
    const pleat_node *node = &model->nodes[n];
    if (node->has_matrix && !is_driven(model, n))
    {
        float columns[16];
        pl_affine_to_columns(&node->local_matrix, columns);
        pl_json_set(w, object, "matrix", pl_json_numbers(w, columns, 16));
        return;
    }
    put_vector(w, object, "translation", &node->local.translation.x, zeros, 3);
    put_vector(w, object, "rotation", &node->local.rotation.x, still, 4);
    put_vector(w, object, "scale", &node->local.scale.x, ones, 3);
}

static void put_nodes(pl_writer *w, const pleat_model *model)
{
    json_t *nodes = model->node_count ? pl_section(w, "nodes") : NULL;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        const pleat_node *node = &model->nodes[n];
        json_t *object = json_object();
        pl_json_append(w, nodes, object);
        put_name(w, object, node->name);
        if (w->json_failed)
        {
            return;
        }
        put_transform(w, object, model, n);
        if (node->mesh != PLEAT_NONE)
        {
            pl_json_set(w, object, "mesh", json_integer(node->mesh));
            if (node->skin != PLEAT_NONE)
            {
                pl_json_set(w, object, "skin", json_integer(node->skin));
            }
            if (node->weights)
            {
                pl_json_set(w, object, "weights",
                            pl_json_numbers(w, node->weights, model->meshes[node->mesh].target_count));
            }
        }
    }
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].parent != PLEAT_NONE)
        {
            json_t *parent = json_array_get(nodes, model->nodes[n].parent);
            if (!json_object_get(parent, "children"))
            {
                pl_json_set(w, parent, "children", json_array());
            }
            pl_json_append(w, json_object_get(parent, "children"), json_integer(n));
        }
    }
}

static void put_scene(pl_writer *w, const pleat_model *model)
{
    json_t *scene = json_object();
    json_t *roots = json_array();
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        if (model->nodes[model->scene_nodes[i]].parent == PLEAT_NONE)
        {
            pl_json_append(w, roots, json_integer(model->scene_nodes[i]));
        }
    }
    if (json_array_size(roots) > 0)
    {
        pl_json_set(w, scene, "nodes", roots);
    }
    else
    {
        json_decref(roots);
    }
    pl_json_append(w, pl_section(w, "scenes"), scene);
    pl_json_set(w, w->root, "scene", json_integer(0));
}

static pleat_result put_channel(pl_writer *w, const pleat_channel *channel, json_t *channels, json_t *samplers)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    static const char *const kinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    static const char *const types[] = {"VEC3", "VEC4", "VEC3", "SCALAR"};
    uint32_t keys = channel->key_count * (channel->interpolation == PLEAT_CUBICSPLINE ? 3 : 1);
    uint32_t elements = channel->path == PLEAT_WEIGHTS ? keys * channel->width : keys;
    uint32_t input, output;
    pl_accessor_desc times = {channel->times, channel->key_count, "SCALAR", .component = PL_F32, .bounds = true};
    pl_accessor_desc values = {channel->values, elements, types[channel->path], .component = PL_F32};
    PL_TRY(pl_add_accessor(w, &times, &input));
    PL_TRY(pl_add_accessor(w, &values, &output));
    json_t *sampler = json_object();
    pl_json_set(w, sampler, "input", json_integer(input));
    pl_json_set(w, sampler, "interpolation", json_string(kinds[channel->interpolation]));
    pl_json_set(w, sampler, "output", json_integer(output));
    pl_json_append(w, samplers, sampler);
    json_t *object = json_object();
    json_t *target = json_object();
    pl_json_set(w, target, "node", json_integer(channel->node));
    pl_json_set(w, target, "path", json_string(paths[channel->path]));
    pl_json_set(w, object, "sampler", json_integer((json_int_t)json_array_size(samplers) - 1));
    pl_json_set(w, object, "target", target);
    pl_json_append(w, channels, object);
    return pl_writer_check(w);
}

/* A clip of nothing but points has no place in glTF; an edit may still give it an animation. */
static pleat_result put_clips(pl_writer *w, const pleat_model *model)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        if (clip->channel_count == 0)
        {
            continue;
        }
        json_t *object = json_object();
        json_t *channels = json_array();
        json_t *samplers = json_array();
        w->clip_animations[c] = (uint32_t)json_array_size(pl_section(w, "animations"));
        pl_json_append(w, pl_section(w, "animations"), object);
        put_name(w, object, clip->name);
        pl_json_set(w, object, "channels", channels);
        pl_json_set(w, object, "samplers", samplers);
        PL_TRY(pl_writer_check(w));
        for (uint32_t h = 0; h < clip->channel_count; ++h)
        {
            PL_TRY(put_channel(w, &clip->channels[h], channels, samplers));
        }
    }
    return PLEAT_OK;
}

pleat_result pl_writer_from_model(pl_writer *w)
{
    const pleat_model *model = &w->asset->model;
    json_t *asset = json_object();
    w->root = json_object();
    pl_json_set(w, asset, "version", json_string("2.0"));
    pl_json_set(w, asset, "generator", json_string(w->asset->generator ? w->asset->generator : "pleat " PLEAT_VERSION));
    pl_json_set(w, w->root, "asset", asset);
    put_scene(w, model);
    PL_TRY(pl_writer_check(w));
    put_nodes(w, model);
    put_materials(w, model);
    PL_TRY(put_meshes(w, model));
    PL_TRY(put_skins(w, model));
    return put_clips(w, model);
}
