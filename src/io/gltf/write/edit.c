/* Edits of a document: meshes of nodes replaced, attributes and weights animations added. */
#include "io/gltf/write/writer.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- Meshes ---- */

static const pleat_mesh_edit *edit_of(const pl_writer *w, uint32_t node)
{
    for (uint32_t i = 0; i < w->edits->mesh_edit_count; ++i)
    {
        if (w->edits->mesh_edits[i].node == node)
        {
            return &w->edits->mesh_edits[i];
        }
    }
    return NULL;
}

static bool same_edit(const pleat_mesh_edit *a, const pleat_mesh_edit *b)
{
    return a && b && a->mesh == b->mesh && a->source_vertex == b->source_vertex && a->step == b->step;
}

/* Whether every node that shows the old mesh is edited alike: then the new one can take its place. */
static bool takes_place(const pl_writer *w, const pleat_mesh_edit *edit, uint32_t old)
{
    const pleat_model *model = &w->asset->model;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh == old && !same_edit(edit, edit_of(w, n)))
        {
            return false;
        }
    }
    return true;
}

/* The mesh that an earlier edit made and this one shares, or PLEAT_NONE. */
static uint32_t made_before(const pl_writer *w, uint32_t e)
{
    const pleat_model *model = &w->asset->model;
    const pleat_mesh_edit *edits = w->edits->mesh_edits;
    for (uint32_t i = 0; i < e; ++i)
    {
        if (same_edit(&edits[i], &edits[e]) && model->nodes[edits[i].node].mesh == model->nodes[edits[e].node].mesh)
        {
            json_t *node = json_array_get(json_object_get(w->root, "nodes"), edits[i].node);
            return (uint32_t)json_integer_value(json_object_get(node, "mesh"));
        }
    }
    return PLEAT_NONE;
}

/* Gives a node whose mesh counts in steps a skin that does: the same joints, from steps to the joints' spaces. Nodes
 * that had one skin and have one step share it. */
static pleat_result scale_skin(pl_writer *w, uint32_t e, json_t *node)
{
    const pleat_mesh_edit *edits = w->edits->mesh_edits;
    const pleat_node *nodes = w->asset->model.nodes;
    uint32_t old = nodes[edits[e].node].skin;
    for (uint32_t i = 0; i < e; ++i)
    {
        if (nodes[edits[i].node].skin == old && edits[i].step == edits[e].step)
        {
            json_t *other = json_array_get(json_object_get(w->root, "nodes"), edits[i].node);
            pl_json_set(w, node, "skin", json_incref(json_object_get(other, "skin")));
            return pl_writer_check(w);
        }
    }
    const pleat_skin *skin = &w->asset->model.skins[old];
    json_t *skins = pl_section(w, "skins");
    json_t *scaled = json_deep_copy(json_array_get(skins, old));
    json_object_del(scaled, "skeleton"); /* a hint that files often have wrong, and that nobody needs */
    float *columns = pl_writer_alloc(w, (size_t)skin->joint_count * 16, sizeof *columns);
    pl_json_append(w, skins, scaled);
    if (!columns || w->json_failed)
    {
        return pl_writer_no_memory(w);
    }
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        float *matrix = columns + (size_t)j * 16;
        pl_affine_to_columns(&skin->inverse_binds[j], matrix);
        for (int c = 0; c < 12; ++c)
        {
            matrix[c] *= edits[e].step;
        }
    }
    uint32_t index;
    pl_accessor_desc desc = {columns, skin->joint_count, "MAT4", .component = PL_F32};
    PL_TRY(pl_add_accessor(w, &desc, &index));
    pl_json_set(w, scaled, "inverseBindMatrices", json_integer(index));
    pl_json_set(w, node, "skin", json_integer((json_int_t)json_array_size(skins) - 1));
    return pl_writer_check(w);
}

static pleat_result apply_mesh_edit(pl_writer *w, uint32_t e)
{
    const pleat_mesh_edit *edit = &w->edits->mesh_edits[e];
    const pleat_model *model = &w->asset->model;
    uint32_t old = model->nodes[edit->node].mesh;
    const pleat_mesh *old_mesh = old == PLEAT_NONE ? NULL : &model->meshes[old];
    json_t *node = json_array_get(json_object_get(w->root, "nodes"), edit->node);
    json_t *meshes = pl_section(w, "meshes");
    uint32_t place = made_before(w, e);
    if (place == PLEAT_NONE)
    {
        json_t *made;
        PL_TRY(pl_write_mesh(w, edit, old == PLEAT_NONE ? NULL : json_array_get(meshes, old), old_mesh, &made));
        if (old != PLEAT_NONE && takes_place(w, edit, old))
        {
            place = old;
            w->json_failed |= json_array_set_new(meshes, old, made) != 0;
        }
        else
        {
            pl_json_append(w, meshes, made);
            place = (uint32_t)json_array_size(meshes) - 1;
        }
    }
    pl_json_set(w, node, "mesh", json_integer(place));
    if (edit->step > 0 && w->edits->encoding != PLEAT_ENCODE_PLAIN)
    {
        PL_TRY(scale_skin(w, e, node));
    }
    if (!old_mesh || old_mesh->target_count != edit->mesh->target_count)
    {
        json_object_del(node, "weights");
    }
    return pl_writer_check(w);
}

/* ---- Further attributes ---- */

static pleat_result apply_attribute_edit(pl_writer *w, const pleat_attribute_edit *edit)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    const pleat_mesh *mesh = edit_of(w, edit->node)->mesh;
    json_t *node = json_array_get(json_object_get(w->root, "nodes"), edit->node);
    size_t place = (size_t)json_integer_value(json_object_get(node, "mesh"));
    json_t *primitives = json_object_get(json_array_get(pl_section(w, "meshes"), place), "primitives");
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        json_t *attributes = json_object_get(json_array_get(primitives, p), "attributes");
        if (!edit->values[p])
        {
            continue;
        }
        uint32_t index;
        pl_accessor_desc desc = {edit->values[p], mesh->primitives[p].vertex_count, types[edit->width - 1],
                                 .component = PL_F32, .target = 34962};
        PL_TRY(pl_add_accessor(w, &desc, &index));
        pl_json_set(w, attributes, edit->name, json_integer(index));
    }
    return pl_writer_check(w);
}

static bool is_custom_name(const char *name)
{
    if (!name || name[0] != '_' || !name[1])
    {
        return false;
    }
    return name[strspn(name, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] == 0;
}

/* Colours of the vertices, in the place of the input's. */
static bool is_color(const char *name, uint32_t width)
{
    return name && width >= 3 && strcmp(name, "COLOR_0") == 0;
}

/* A further set of texture coordinates: the first one is the mesh's own. */
static bool is_texture_set(const char *name, uint32_t width)
{
    static const char prefix[] = "TEXCOORD_";
    return name && width == 2 && strncmp(name, prefix, strlen(prefix)) == 0 && name[strlen(prefix)] >= '1' &&
           name[strlen(prefix)] <= '7' && name[strlen(prefix) + 1] == 0;
}

static pleat_result check_attribute_edit(const pl_writer *w, uint32_t i)
{
    const pleat_attribute_edit *edit = &w->edits->attribute_edits[i];
    if (!edit_of(w, edit->node))
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "attribute_edits[%u].node is %u, which no mesh edit is for", i,
                              edit->node);
    }
    if (!is_custom_name(edit->name) && !is_color(edit->name, edit->width) && !is_texture_set(edit->name, edit->width))
    {
        return pl_writer_fail(
            w, PLEAT_BAD_ARGUMENT,
            "attribute_edits[%u].name is '%.40s'; it must be _ and then A-Z, 0-9 and _, or COLOR_0 of "
            "width 3 or 4, or TEXCOORD_1 to _7 of width 2",
            i, edit->name ? edit->name : "");
    }
    if (edit->width < 1 || edit->width > 4 || !edit->values)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "attribute_edits[%u]: width is %u; it can be 1 to 4, with values",
                              i, edit->width);
    }
    return PLEAT_OK;
}

static pleat_result check_edits(const pl_writer *w)
{
    const pleat_model *model = &w->asset->model;
    const pleat_gltf_edits *edits = w->edits;
    for (uint32_t i = 0; i < edits->mesh_edit_count; ++i)
    {
        const pleat_mesh_edit *edit = &edits->mesh_edits[i];
        if (edit->node >= model->node_count || !edit->mesh)
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "mesh_edits[%u].node is %u; there are %u nodes", i, edit->node,
                                  model->node_count);
        }
        int exponent;
        if (!(edit->step == 0 || (edit->step > 0 && isfinite(edit->step) && frexpf(edit->step, &exponent) == 0.5f &&
                                  model->nodes[edit->node].skin != PLEAT_NONE)))
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT,
                                  "mesh_edits[%u].step is %g; it must be 0, or of a skinned node a power of two", i,
                                  (double)edit->step);
        }
        if (edit_of(w, edit->node) != edit)
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "mesh_edits[%u].node is %u, which another edit has already", i,
                                  edit->node);
        }
    }
    for (uint32_t i = 0; i < edits->weights_edit_count; ++i)
    {
        const pleat_weights_edit *edit = &edits->weights_edits[i];
        if (edit->node >= model->node_count || (edit->clip != PLEAT_NONE && edit->clip >= model->clip_count))
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT,
                                  "weights_edits[%u] is for node %u in clip %u; there are %u nodes, "
                                  "%u clips",
                                  i, edit->node, edit->clip, model->node_count, model->clip_count);
        }
        for (uint32_t j = 0; j < i; ++j)
        {
            if (edits->weights_edits[j].node == edit->node && edits->weights_edits[j].clip == edit->clip)
            {
                return pl_writer_fail(w, PLEAT_BAD_ARGUMENT,
                                      "weights_edits[%u] and [%u] are for the same node and clip", j, i);
            }
        }
    }
    for (uint32_t i = 0; i < edits->attribute_edit_count; ++i)
    {
        PL_TRY(check_attribute_edit(w, i));
    }
    return PLEAT_OK;
}

/* ---- Animations ---- */

/* How many targets a node's mesh has after the edits. */
static uint32_t target_count_of(const pl_writer *w, uint32_t node)
{
    const pleat_model *model = &w->asset->model;
    const pleat_mesh_edit *edit = edit_of(w, node);
    uint32_t mesh = model->nodes[node].mesh;
    return edit ? edit->mesh->target_count : mesh == PLEAT_NONE ? 0 : model->meshes[mesh].target_count;
}

static bool drives_weights(const json_t *channel, uint32_t node)
{
    json_t *target = json_object_get(channel, "target");
    const char *path = json_string_value(json_object_get(target, "path"));
    json_t *driven = json_object_get(target, "node");
    return path && strcmp(path, "weights") == 0 && json_is_number(driven) && json_number_value(driven) == (double)node;
}

/* Removes the channels of an animation that drive a node's weights, and remembers that it was touched. */
static void remove_weights(json_t *animations, size_t a, uint32_t node, bool *touched)
{
    json_t *channels = json_object_get(json_array_get(animations, a), "channels");
    for (size_t i = json_array_size(channels); i-- > 0;)
    {
        if (drives_weights(json_array_get(channels, i), node))
        {
            json_array_remove(channels, i);
            touched[a] = true;
        }
    }
}

/* An accessor for key times; edits that share their array share the accessor. */
static pleat_result put_times(pl_writer *w, uint32_t e, uint32_t *indices)
{
    const pleat_weights_edit *edits = w->edits->weights_edits;
    const pleat_weights_edit *edit = &edits[e];
    for (uint32_t i = 0; i < e; ++i)
    {
        if (edits[i].times == edit->times && edits[i].key_count == edit->key_count)
        {
            indices[e] = indices[i];
            return PLEAT_OK;
        }
    }
    for (uint32_t k = 0; k < edit->key_count; ++k)
    {
        if (!(edit->times[k] >= 0) || !isfinite(edit->times[k]) || (k > 0 && !(edit->times[k] > edit->times[k - 1])))
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT,
                                  "weights_edits[%u].times[%u] is %g; times must be finite, at least "
                                  "0, and increase",
                                  e, k, (double)edit->times[k]);
        }
    }
    pl_accessor_desc desc = {edit->times, edit->key_count, "SCALAR", .component = PL_F32, .bounds = true};
    return pl_add_accessor(w, &desc, &indices[e]);
}

/* The animation of a clip; one is made for a clip that has none yet, and one for all edits that name no clip. */
static uint32_t animation_for(pl_writer *w, uint32_t clip, uint32_t *fresh)
{
    json_t *animations = pl_section(w, "animations");
    uint32_t *place = clip == PLEAT_NONE ? fresh : &w->clip_animations[clip];
    if (*place == PLEAT_NONE)
    {
        const char *name = clip == PLEAT_NONE ? "bake" : w->asset->model.clips[clip].name;
        json_t *animation = json_object();
        if (name[0])
        {
            pl_json_set(w, animation, "name", json_string(name));
        }
        pl_json_set(w, animation, "channels", json_array());
        pl_json_set(w, animation, "samplers", json_array());
        *place = (uint32_t)json_array_size(animations);
        pl_json_append(w, animations, animation);
    }
    return *place;
}

static pleat_result apply_weights_edit(pl_writer *w, uint32_t e, uint32_t *time_accessors, uint32_t *fresh,
                                       bool *touched)
{
    const pleat_weights_edit *edit = &w->edits->weights_edits[e];
    uint32_t target_count = target_count_of(w, edit->node);
    uint64_t count = (uint64_t)edit->key_count * target_count;
    if (count == 0 || count > UINT32_MAX / 4)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "weights_edits[%u] has %u keys of %u weights", e, edit->key_count,
                              target_count);
    }
    uint32_t output;
    PL_TRY(put_times(w, e, time_accessors));
    bool small = false;
    if (w->edits->encoding != PLEAT_ENCODE_PLAIN)
    {
        PL_TRY(pl_small_shares(w, edit->weights, (uint32_t)count, &small, &output));
    }
    if (!small)
    {
        pl_accessor_desc desc = {edit->weights, (uint32_t)count, "SCALAR", .component = PL_F32};
        PL_TRY(pl_add_accessor(w, &desc, &output));
    }
    uint32_t place = animation_for(w, edit->clip, fresh);
    json_t *animations = pl_section(w, "animations");
    json_t *animation = json_array_get(animations, place);
    remove_weights(animations, place, edit->node, touched);
    json_t *samplers = json_object_get(animation, "samplers");
    json_t *sampler = json_object();
    pl_json_set(w, sampler, "input", json_integer(time_accessors[e]));
    pl_json_set(w, sampler, "interpolation", json_string("LINEAR"));
    pl_json_set(w, sampler, "output", json_integer(output));
    pl_json_append(w, samplers, sampler);
    json_t *channel = json_object();
    json_t *target = json_object();
    pl_json_set(w, target, "node", json_integer(edit->node));
    pl_json_set(w, target, "path", json_string("weights"));
    pl_json_set(w, channel, "sampler", json_integer((json_int_t)json_array_size(samplers) - 1));
    pl_json_set(w, channel, "target", target);
    pl_json_append(w, json_object_get(animation, "channels"), channel);
    return pl_writer_check(w);
}

/* Drops the samplers that no channel uses any more. */
static pleat_result drop_samplers(pl_writer *w, json_t *animation)
{
    json_t *channels = json_object_get(animation, "channels");
    json_t *samplers = json_object_get(animation, "samplers");
    size_t count = json_array_size(samplers);
    uint32_t *places = PL_NEW(&w->memory, uint32_t, count);
    if (!places)
    {
        return pl_writer_no_memory(w);
    }
    for (size_t i = 0; i < json_array_size(channels); ++i)
    {
        json_int_t sampler = json_integer_value(json_object_get(json_array_get(channels, i), "sampler"));
        if (sampler >= 0 && (size_t)sampler < count)
        {
            places[sampler] = 1;
        }
    }
    uint32_t kept = 0;
    for (size_t i = 0; i < count; ++i)
    {
        if (places[i])
        {
            places[i] = kept++;
        }
        else
        {
            json_array_remove(samplers, kept);
        }
    }
    for (size_t i = 0; i < json_array_size(channels); ++i)
    {
        json_t *channel = json_array_get(channels, i);
        json_int_t sampler = json_integer_value(json_object_get(channel, "sampler"));
        if (sampler >= 0 && (size_t)sampler < count)
        {
            pl_json_set(w, channel, "sampler", json_integer(places[sampler]));
        }
    }
    pl_free(&w->memory, places);
    return pl_writer_check(w);
}

/* Samplers of removed channels cannot stay, nor an animation that is left with no channel. */
static pleat_result tidy_animations(pl_writer *w, const bool *touched)
{
    json_t *animations = json_object_get(w->root, "animations");
    for (size_t a = json_array_size(animations); a-- > 0;)
    {
        json_t *animation = json_array_get(animations, a);
        if (touched[a])
        {
            PL_TRY(drop_samplers(w, animation));
            if (json_array_size(json_object_get(animation, "channels")) == 0)
            {
                json_array_remove(animations, a);
            }
        }
    }
    if (animations && json_array_size(animations) == 0)
    {
        json_object_del(w->root, "animations");
    }
    return PLEAT_OK;
}

/* Weights channels that fit the old target count and not the new one cannot stay. */
static void remove_stale_weights(pl_writer *w, bool *touched)
{
    const pleat_model *model = &w->asset->model;
    json_t *animations = json_object_get(w->root, "animations");
    for (uint32_t i = 0; i < w->edits->mesh_edit_count; ++i)
    {
        uint32_t node = w->edits->mesh_edits[i].node;
        uint32_t old = model->nodes[node].mesh;
        uint32_t old_count = old == PLEAT_NONE ? 0 : model->meshes[old].target_count;
        for (size_t a = 0; old_count != target_count_of(w, node) && a < json_array_size(animations); ++a)
        {
            remove_weights(animations, a, node, touched);
        }
    }
}

pleat_result pl_writer_apply_edits(pl_writer *w)
{
    uint32_t fresh = PLEAT_NONE;
    PL_TRY(check_edits(w));
    size_t most = json_array_size(json_object_get(w->root, "animations")) + w->edits->weights_edit_count;
    bool *touched = pl_writer_alloc(w, most, sizeof *touched);
    uint32_t *times = pl_writer_alloc(w, w->edits->weights_edit_count, sizeof *times);
    if (!touched || !times)
    {
        return pl_writer_no_memory(w);
    }
    for (uint32_t i = 0; i < w->edits->mesh_edit_count; ++i)
    {
        PL_TRY(apply_mesh_edit(w, i));
    }
    PL_TRY(pl_writer_follow_meshes(w));
    for (uint32_t i = 0; i < w->edits->attribute_edit_count; ++i)
    {
        PL_TRY(apply_attribute_edit(w, &w->edits->attribute_edits[i]));
    }
    remove_stale_weights(w, touched);
    for (uint32_t i = 0; i < w->edits->weights_edit_count; ++i)
    {
        PL_TRY(apply_weights_edit(w, i, times, &fresh, touched));
    }
    return tidy_animations(w, touched);
}
