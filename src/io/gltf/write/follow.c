/* What extensions say of meshes by their place in the list, where an edit gave a node a mesh of its own.
 *
 * VRM 0.x binds expressions and what the first person sees to meshes, not to nodes (VRM 1.0 names nodes, which stay).
 * Morph targets of the input keep their numbers: new ones come behind them. So what was said of the old mesh is said of
 * the new one as well; or instead, where no node shows the old one any more. */
#include "io/gltf/write/writer.h"

static bool is_shown(const pl_writer *w, uint32_t mesh)
{
    const json_t *nodes = json_object_get(w->root, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); ++i)
    {
        const json_t *shown = json_object_get(json_array_get(nodes, i), "mesh");
        if (json_is_integer(shown) && json_integer_value(shown) == mesh)
        {
            return true;
        }
    }
    return false;
}

/* Objects of a list with a member "mesh". */
static void follow_list(pl_writer *w, json_t *list, uint32_t old, uint32_t fresh)
{
    bool both = is_shown(w, old);
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count; ++i)
    {
        json_t *said = json_array_get(list, i), *mesh = json_object_get(said, "mesh");
        if (!json_is_integer(mesh) || json_integer_value(mesh) != old)
        {
            continue;
        }
        json_t *copy = both ? json_deep_copy(said) : json_incref(said);
        pl_json_set(w, copy, "mesh", json_integer(fresh));
        if (both)
        {
            pl_json_append(w, list, copy);
        }
        else
        {
            json_decref(copy);
        }
    }
}

/* A mesh that several edits share counts once. */
static bool is_first(const pl_writer *w, uint32_t e, json_int_t place)
{
    const json_t *nodes = json_object_get(w->root, "nodes");
    for (uint32_t i = 0; i < e; ++i)
    {
        const json_t *node = json_array_get(nodes, w->edits->mesh_edits[i].node);
        if (json_integer_value(json_object_get(node, "mesh")) == place)
        {
            return false;
        }
    }
    return true;
}

pleat_result pl_writer_follow_meshes(pl_writer *w)
{
    const pleat_model *model = &w->asset->model;
    json_t *vrm = json_object_get(json_object_get(w->root, "extensions"), "VRM");
    json_t *groups = json_object_get(json_object_get(vrm, "blendShapeMaster"), "blendShapeGroups");
    for (uint32_t e = 0; json_is_object(vrm) && e < w->edits->mesh_edit_count; ++e)
    {
        uint32_t node = w->edits->mesh_edits[e].node, old = model->nodes[node].mesh;
        json_int_t place =
            json_integer_value(json_object_get(json_array_get(json_object_get(w->root, "nodes"), node), "mesh"));
        if (old == PLEAT_NONE || place == old || !is_first(w, e, place))
        {
            continue;
        }
        follow_list(w, json_object_get(json_object_get(vrm, "firstPerson"), "meshAnnotations"), old, (uint32_t)place);
        for (size_t g = 0; g < json_array_size(groups); ++g)
        {
            follow_list(w, json_object_get(json_array_get(groups, g), "binds"), old, (uint32_t)place);
        }
    }
    return pl_writer_check(w);
}
