/* Who refers to which accessor and view; dropping what nobody refers to any more.
 *
 * Extensions whose references are not known here may point at anything: then nothing is dropped. */
#include "io/gltf/write/writer.h"

#include <fnmatch.h>
#include <string.h>

/* Every reference is a field of an object. */
typedef void visit_field(void *user, json_t *object, const char *key);

static void visit_fields(json_t *object, visit_field *visit, void *user)
{
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i))
    {
        visit(user, object, json_object_iter_key(i));
    }
}

static json_t *extension_of(const json_t *object, const char *name)
{
    return json_object_get(json_object_get(object, "extensions"), name);
}

static void visit_primitive(json_t *primitive, visit_field *visit, void *user)
{
    size_t i;
    json_t *target;
    visit_fields(json_object_get(primitive, "attributes"), visit, user);
    visit(user, primitive, "indices");
    json_array_foreach(json_object_get(primitive, "targets"), i, target)
    {
        visit_fields(target, visit, user);
    }
}

static void visit_accessor_references(json_t *root, visit_field *visit, void *user)
{
    size_t i, j;
    json_t *item, *inner;
    json_array_foreach(json_object_get(root, "meshes"), i, item)
    {
        json_array_foreach(json_object_get(item, "primitives"), j, inner)
        {
            visit_primitive(inner, visit, user);
        }
    }
    json_array_foreach(json_object_get(root, "skins"), i, item)
    {
        visit(user, item, "inverseBindMatrices");
    }
    json_array_foreach(json_object_get(root, "animations"), i, item)
    {
        json_array_foreach(json_object_get(item, "samplers"), j, inner)
        {
            visit(user, inner, "input");
            visit(user, inner, "output");
        }
    }
    json_array_foreach(json_object_get(root, "nodes"), i, item)
    {
        visit_fields(json_object_get(extension_of(item, "EXT_mesh_gpu_instancing"), "attributes"), visit, user);
    }
}

static void visit_view_references(json_t *root, visit_field *visit, void *user)
{
    size_t i, j;
    json_t *item, *inner;
    json_array_foreach(json_object_get(root, "accessors"), i, item)
    {
        json_t *sparse = json_object_get(item, "sparse");
        visit(user, item, "bufferView");
        visit(user, json_object_get(sparse, "indices"), "bufferView");
        visit(user, json_object_get(sparse, "values"), "bufferView");
    }
    json_array_foreach(json_object_get(root, "images"), i, item)
    {
        visit(user, item, "bufferView");
    }
    json_array_foreach(json_object_get(root, "meshes"), i, item)
    {
        json_array_foreach(json_object_get(item, "primitives"), j, inner)
        {
            visit(user, extension_of(inner, "KHR_draco_mesh_compression"), "bufferView");
        }
    }
}

/* ---- Finding ---- */

typedef struct marks
{
    bool *used;
    size_t count;
} marks;

/* Indices written as 3.0 count too. */
static bool index_at(const json_t *object, const char *key, size_t count, size_t *out)
{
    json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!(number >= 0 && number < (double)count))
    {
        return false;
    }
    *out = (size_t)number;
    return true;
}

static void mark(void *user, json_t *object, const char *key)
{
    marks *m = user;
    size_t index;
    if (index_at(object, key, m->count, &index))
    {
        m->used[index] = true;
    }
}

pleat_result pl_writer_find_references(pl_writer *w, pl_references *out)
{
    out->accessor_count = json_array_size(json_object_get(w->root, "accessors"));
    out->view_count = json_array_size(json_object_get(w->root, "bufferViews"));
    out->accessors = pl_writer_alloc(w, out->accessor_count, sizeof(bool));
    out->views = pl_writer_alloc(w, out->view_count, sizeof(bool));
    if (!out->accessors || !out->views)
    {
        return pl_writer_no_memory(w);
    }
    visit_accessor_references(w->root, mark, &(marks){out->accessors, out->accessor_count});
    visit_view_references(w->root, mark, &(marks){out->views, out->view_count});
    return PLEAT_OK;
}

/* ---- Dropping ---- */

typedef struct renumbering
{
    pl_writer *w;
    const uint32_t *places; /* PLEAT_NONE where dropped */
    size_t count;
} renumbering;

static void renumber(void *user, json_t *object, const char *key)
{
    renumbering *r = user;
    size_t index;
    if (index_at(object, key, r->count, &index) && r->places[index] != index && r->places[index] != PLEAT_NONE)
    {
        pl_json_set(r->w, object, key, json_integer(r->places[index]));
    }
}

/* Images are shared with the asset: one whose view moves is copied first. */
static void own_images(pl_writer *w)
{
    json_t *images = json_object_get(w->root, "images");
    for (size_t i = 0; i < json_array_size(images); ++i)
    {
        if (json_object_get(json_array_get(images, i), "bufferView"))
        {
            w->json_failed |= json_array_set_new(images, i, json_copy(json_array_get(images, i))) != 0;
        }
    }
}

/* Removes the items of a list that are not kept; places receives where each item is afterwards. */
static void compact(pl_writer *w, const char *section, const bool *kept, size_t count, uint32_t *places)
{
    json_t *list = json_object_get(w->root, section);
    json_t *fresh = json_array();
    uint32_t next = 0;
    for (size_t i = 0; i < count; ++i)
    {
        places[i] = kept[i] ? next++ : PLEAT_NONE;
        if (kept[i])
        {
            pl_json_append(w, fresh, json_incref(json_array_get(list, i)));
        }
    }
    if (next == count)
    {
        json_decref(fresh);
    }
    else if (next == 0)
    {
        json_decref(fresh);
        json_object_del(w->root, section);
    }
    else
    {
        pl_json_set(w, w->root, section, fresh);
    }
}

static pleat_result drop_accessors(pl_writer *w, const pl_references *before)
{
    const pl_gltf *g = w->asset->gltf;
    pl_references now;
    PL_TRY(pl_writer_find_references(w, &now));
    uint32_t *places = pl_writer_alloc(w, now.accessor_count, sizeof *places);
    if (!places)
    {
        return pl_writer_no_memory(w);
    }
    for (size_t i = 0; i < now.accessor_count; ++i)
    {
        bool broken = g && i < g->accessor_count && !g->accessors[i].read;
        bool was_used = i >= before->accessor_count || before->accessors[i];
        if (broken && now.accessors[i])
        {
            return pl_writer_fail(w, PLEAT_BAD_DATA,
                                  "accessors[%zu] is broken and cannot be written, but something uses it", i);
        }
        now.accessors[i] = now.accessors[i] || (!broken && (w->unknown || !was_used));
    }
    compact(w, "accessors", now.accessors, now.accessor_count, places);
    visit_accessor_references(w->root, renumber, &(renumbering){w, places, now.accessor_count});
    return pl_writer_check(w);
}

static pleat_result drop_views(pl_writer *w, const pl_references *before)
{
    pl_references now;
    PL_TRY(pl_writer_find_references(w, &now));
    uint32_t *places = pl_writer_alloc(w, now.view_count, sizeof *places);
    if (!places)
    {
        return pl_writer_no_memory(w);
    }
    uint32_t next = 0;
    uint32_t input_views = 0;
    for (size_t i = 0; i < now.view_count; ++i)
    {
        bool broken = !w->pieces[i].bytes;
        bool was_used = i >= before->view_count || before->views[i];
        if (broken && now.views[i])
        {
            return pl_writer_fail(w, PLEAT_BAD_DATA,
                                  "bufferViews[%zu] is broken and cannot be written, but something uses it", i);
        }
        now.views[i] = now.views[i] || (!broken && (w->unknown || !was_used));
        if (now.views[i])
        {
            input_views += i < w->input_views;
            w->pieces[next++] = w->pieces[i];
        }
    }
    own_images(w);
    compact(w, "bufferViews", now.views, now.view_count, places);
    visit_view_references(w->root, renumber, &(renumbering){w, places, now.view_count});
    w->views_dropped = next < now.view_count;
    w->piece_count = next;
    w->input_views = input_views;
    return pl_writer_check(w);
}

/* Extensions that refer to no accessor or view, or whose references are followed above. */
static bool is_followed(const char *name)
{
    static const char *const known[] = {"KHR_mesh_quantization",
                                        "EXT_meshopt_compression",
                                        "KHR_meshopt_compression",
                                        "KHR_draco_mesh_compression",
                                        "KHR_materials_*",
                                        "KHR_texture_*",
                                        "EXT_texture_*",
                                        "MSFT_texture_*",
                                        "KHR_lights_*",
                                        "EXT_mesh_gpu_instancing",
                                        "KHR_animation_pointer",
                                        "KHR_node_*",
                                        "KHR_xmp*",
                                        "VRM",
                                        "VRMC_*"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    {
        if (fnmatch(known[i], name, 0) == 0)
        {
            return true;
        }
    }
    return false;
}

pleat_result pl_writer_drop_unused(pl_writer *w, const pl_references *before)
{
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(w->root, "extensionsUsed"), i, name)
    {
        w->unknown |= !json_is_string(name) || !is_followed(json_string_value(name));
    }
    PL_TRY(drop_accessors(w, before));
    return drop_views(w, before);
}
