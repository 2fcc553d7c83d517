/* A mesh as JSON. What is the same array as in the mesh it replaces keeps its accessor, with the component type and the
 * precision that the input has; everything else becomes a new one. */
#include "io/gltf/write/writer.h"

#include <string.h>

enum
{
    VERTICES = 34962,
    INDICES = 34963
};

/* One primitive on its way. */
typedef struct primitive_writer
{
    pl_writer *w;
    const pleat_primitive *now;
    const pleat_primitive *old;    /* or NULL */
    json_t *before;                /* JSON of the old one, or NULL */
    const uint32_t *source_vertex; /* or NULL */
    bool same_vertices;            /* vertex i is the old vertex i */
    float step;                    /* positions are written in units of it; 0: in the mesh's */
    json_t *attributes;
} primitive_writer;

static json_t *old_attribute(const primitive_writer *p, const char *name)
{
    return json_object_get(json_object_get(p->before, "attributes"), name);
}

/* An attribute as floats, or in the smallest type that does. */
static pleat_result write_attribute(primitive_writer *p, const char *name, const float *data, uint32_t width,
                                    uint32_t *index)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    bool small = p->w->edits->encoding != PLEAT_ENCODE_PLAIN;
    bool positions = strcmp(name, "POSITION") == 0;
    uint32_t count = p->now->vertex_count;
    if (positions && p->step > 0)
    {
        return pl_scaled_positions(p->w, (const pleat_vec3 *)data, count, p->step, index);
    }
    if (small && (strcmp(name, "NORMAL") == 0 || strcmp(name, "TANGENT") == 0))
    {
        return pl_small_directions(p->w, data, count, width, index);
    }
    if (small && width == 2)
    {
        return pl_small_uvs(p->w, data, count, index);
    }
    pl_accessor_desc desc = {data, count, types[width - 1], PL_F32, VERTICES, .bounds = positions};
    return pl_add_accessor(p->w, &desc, index);
}

static pleat_result put_attribute(primitive_writer *p, const char *name, const void *data, const void *old_data,
                                  uint32_t width)
{
    if (!data)
    {
        return PLEAT_OK;
    }
    bool keeps = p->same_vertices && data == old_data && !(p->step > 0 && strcmp(name, "POSITION") == 0);
    json_t *kept = keeps ? old_attribute(p, name) : NULL;
    if (kept)
    {
        pl_json_set(p->w, p->attributes, name, json_incref(kept));
        return PLEAT_OK;
    }
    uint32_t index;
    PL_TRY(write_attribute(p, name, data, width, &index));
    pl_json_set(p->w, p->attributes, name, json_integer(index));
    return PLEAT_OK;
}

/* ---- Attributes that pleat_primitive has no place for ---- */

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_modelled(const char *name)
{
    static const char *const names[] = {"POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "COLOR_0"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        if (strcmp(name, names[i]) == 0)
        {
            return true;
        }
    }
    return has_prefix(name, "JOINTS_") || has_prefix(name, "WEIGHTS_");
}

/* A copy of an accessor with the elements that the new vertices come from, in the type that they have. */
static pleat_result gather(primitive_writer *p, const char *name, uint32_t index)
{
    pl_writer *w = p->w;
    const pl_gltf_accessor *accessor = &w->asset->gltf->accessors[index];
    json_t *object = json_array_get(json_object_get(w->asset->gltf->root, "accessors"), index);
    if (!accessor->read || accessor->matrix || accessor->count != p->old->vertex_count)
    {
        pl_gltf_warn(w->asset->gltf, "accessors[%u], the attribute %.40s, does not fit its mesh and is dropped", index,
                     name);
        return PLEAT_OK;
    }
    /* Vertex data is aligned to 4 bytes. */
    size_t size = accessor->element_size;
    size_t stride = (size + 3) / 4 * 4;
    uint8_t *flat = PL_NEW(&w->memory, uint8_t, accessor->count * size);
    uint8_t *out = pl_writer_alloc(w, p->now->vertex_count, stride);
    if (!flat || !out)
    {
        pl_free(&w->memory, flat);
        return pl_writer_no_memory(w);
    }
    pl_gltf_flatten(accessor, flat);
    for (size_t v = 0; v < p->now->vertex_count; ++v)
    {
        memcpy(out + v * stride, flat + p->source_vertex[v] * size, size);
    }
    pl_free(&w->memory, flat);
    uint32_t view = pl_add_view(w, out, p->now->vertex_count * stride, VERTICES);
    if (view == PLEAT_NONE)
    {
        return pl_writer_no_memory(w);
    }
    if (stride != size)
    {
        pl_json_set(w, json_array_get(pl_section(w, "bufferViews"), view), "byteStride",
                    json_integer((json_int_t)stride));
    }
    json_t *copy = json_copy(object);
    static const char *const stale[] = {"byteOffset", "sparse", "min", "max"};
    for (size_t i = 0; i < sizeof stale / sizeof stale[0]; ++i)
    {
        json_object_del(copy, stale[i]);
    }
    pl_json_set(w, copy, "bufferView", json_integer(view));
    pl_json_set(w, copy, "count", json_integer(p->now->vertex_count));
    pl_json_append(w, pl_section(w, "accessors"), copy);
    pl_json_set(w, p->attributes, name, json_integer((json_int_t)json_array_size(pl_section(w, "accessors")) - 1));
    return PLEAT_OK;
}

static pleat_result carry_attributes(primitive_writer *p)
{
    json_t *attributes = json_object_get(p->before, "attributes");
    if (!p->same_vertices && !p->source_vertex)
    {
        return PLEAT_OK;
    }
    for (void *i = json_object_iter(attributes); i; i = json_object_iter_next(attributes, i))
    {
        const char *name = json_object_iter_key(i);
        json_t *value = json_object_iter_value(i);
        /* Set 1 cannot be without set 0. */
        if (is_modelled(name) || (has_prefix(name, "TEXCOORD_") && !p->now->uvs) ||
            (has_prefix(name, "COLOR_") && !p->now->colors))
        {
            continue;
        }
        if (p->same_vertices)
        {
            pl_json_set(p->w, p->attributes, name, json_incref(value));
        }
        else if (p->w->asset->gltf && json_is_integer(value) && json_integer_value(value) >= 0 &&
                 json_integer_value(value) < (json_int_t)p->w->asset->gltf->accessor_count)
        {
            PL_TRY(gather(p, name, (uint32_t)json_integer_value(value)));
        }
    }
    return PLEAT_OK;
}

static pleat_result put_influences(primitive_writer *p)
{
    const pleat_primitive *now = p->now;
    if (!p->same_vertices || now->joints != p->old->joints || now->weights != p->old->weights ||
        now->influence_count != p->old->influence_count)
    {
        return now->influence_count ? pl_write_influences(p->w, now, p->attributes) : PLEAT_OK;
    }
    json_t *attributes = json_object_get(p->before, "attributes");
    for (void *i = json_object_iter(attributes); i; i = json_object_iter_next(attributes, i))
    {
        const char *name = json_object_iter_key(i);
        if (has_prefix(name, "JOINTS_") || has_prefix(name, "WEIGHTS_"))
        {
            pl_json_set(p->w, p->attributes, name, json_incref(json_object_iter_value(i)));
        }
    }
    return PLEAT_OK;
}

static pleat_result put_attributes(primitive_writer *p, json_t *out)
{
    static const pleat_primitive none;
    const pleat_primitive *now = p->now;
    const pleat_primitive *old = p->old ? p->old : &none;
    p->attributes = json_object();
    pl_json_set(p->w, out, "attributes", p->attributes);
    PL_TRY(pl_writer_check(p->w));
    PL_TRY(put_attribute(p, "POSITION", now->positions, old->positions, 3));
    PL_TRY(put_attribute(p, "NORMAL", now->normals, old->normals, 3));
    PL_TRY(put_attribute(p, "TANGENT", now->tangents, old->tangents, 4));
    PL_TRY(put_attribute(p, "TEXCOORD_0", now->uvs, old->uvs, 2));
    PL_TRY(put_attribute(p, "COLOR_0", now->colors, old->colors, 4));
    PL_TRY(put_influences(p));
    return carry_attributes(p);
}

/* ---- Triangles ---- */

static pleat_result put_triangles(primitive_writer *p, json_t *out)
{
    pl_writer *w = p->w;
    const pleat_primitive *now = p->now;
    if (p->old && now->vertex_count == p->old->vertex_count && now->triangles == p->old->triangles &&
        now->triangle_count == p->old->triangle_count)
    {
        return PLEAT_OK; /* mode and indices are there already */
    }
    json_object_del(out, "indices");
    json_object_del(out, "mode");
    if (now->triangle_count == 0)
    {
        pl_json_set(w, out, "mode", json_integer(0)); /* nothing but points */
        return PLEAT_OK;
    }
    uint32_t count = now->triangle_count * 3;
    pl_accessor_desc desc = {now->triangles, count, "SCALAR", .component = PL_U32, .target = INDICES};
    /* The largest value of a type would be a restart; vertex 65534 is the last that fits 16 bits. */
    if (now->vertex_count <= UINT16_MAX)
    {
        uint16_t *small = pl_writer_alloc(w, count, sizeof *small);
        if (!small)
        {
            return pl_writer_no_memory(w);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            small[i] = (uint16_t)now->triangles[i];
        }
        desc.data = small;
        desc.component = PL_U16;
    }
    uint32_t index;
    PL_TRY(pl_add_accessor(w, &desc, &index));
    pl_json_set(w, out, "indices", json_integer(index));
    return PLEAT_OK;
}

/* ---- Morph targets ---- */

/* Targets of the input that are the same arrays still; they come first. */
static uint32_t keep_targets(primitive_writer *p, const pleat_mesh *mesh, const pleat_mesh *old_mesh, json_t *list)
{
    json_t *before = json_object_get(p->before, "targets");
    uint32_t kept = 0;
    bool may = p->same_vertices && p->old->targets && p->now->targets && !(p->step > 0);
    for (; may && kept < mesh->target_count && kept < old_mesh->target_count; ++kept)
    {
        const pleat_target *now = &p->now->targets[kept], *old = &p->old->targets[kept];
        json_t *object = json_array_get(before, kept);
        if (!object || old->positions != now->positions || old->normals != now->normals)
        {
            break;
        }
        pl_json_append(p->w, list, json_deep_copy(object));
    }
    return kept;
}

static pleat_result put_targets(primitive_writer *p, const pleat_mesh *mesh, const pleat_mesh *old_mesh, json_t *out)
{
    json_object_del(out, "targets");
    if (mesh->target_count == 0)
    {
        return PLEAT_OK;
    }
    json_t *list = json_array();
    pl_json_set(p->w, out, "targets", list);
    PL_TRY(pl_writer_check(p->w));
    uint32_t kept = keep_targets(p, mesh, old_mesh, list);
    pl_targets_desc desc = {.targets = p->now->targets ? p->now->targets + kept : NULL,
                            .target_count = mesh->target_count - kept,
                            .vertex_count = p->now->vertex_count,
                            .step = p->step};
    return pl_add_targets(p->w, &desc, list);
}

/* ---- Primitives and meshes ---- */

static pleat_result check_primitive(const primitive_writer *p, uint32_t index)
{
    const pleat_primitive *now = p->now;
    if (now->vertex_count == 0 || !now->positions)
    {
        return pl_writer_fail(p->w, PLEAT_BAD_ARGUMENT, "primitive %u of a mesh to be written has no vertices", index);
    }
    for (uint32_t i = 0; i < now->triangle_count * 3; ++i)
    {
        if (now->triangles[i] >= now->vertex_count)
        {
            return pl_writer_fail(p->w, PLEAT_BAD_ARGUMENT,
                                  "primitive %u of a mesh to be written: index %u is %u of %u vertices", index, i,
                                  now->triangles[i], now->vertex_count);
        }
    }
    for (uint32_t v = 0; p->source_vertex && v < now->vertex_count; ++v)
    {
        if (p->source_vertex[v] >= p->old->vertex_count)
        {
            return pl_writer_fail(p->w, PLEAT_BAD_ARGUMENT,
                                  "source_vertex[%u][%u] is %u; the old primitive has %u vertices", index, v,
                                  p->source_vertex[v], p->old->vertex_count);
        }
    }
    return PLEAT_OK;
}

static pleat_result put_primitive(primitive_writer *p, const pleat_mesh *mesh, const pleat_mesh *old_mesh,
                                  uint32_t index, json_t *list)
{
    json_t *out = p->before ? json_deep_copy(p->before) : json_object();
    pl_json_append(p->w, list, out);
    PL_TRY(pl_writer_check(p->w));
    PL_TRY(check_primitive(p, index));
    pl_json_delete_extension(out, "KHR_draco_mesh_compression");
    PL_TRY(put_attributes(p, out));
    PL_TRY(put_triangles(p, out));
    PL_TRY(put_targets(p, mesh, old_mesh, out));
    if (p->now->material == PLEAT_NONE)
    {
        json_object_del(out, "material");
    }
    else
    {
        pl_json_set(p->w, out, "material", json_integer(p->now->material));
    }
    return pl_writer_check(p->w);
}

/* Default weights, and the names by the convention that viewers know. */
static void put_target_data(pl_writer *w, const pleat_mesh *mesh, const pleat_mesh *old, json_t *out)
{
    bool same_count = old && old->target_count == mesh->target_count;
    if (mesh->target_count == 0)
    {
        json_object_del(out, "weights");
    }
    else if (!same_count || mesh->weights != old->weights)
    {
        json_t *weights = json_array();
        for (uint32_t t = 0; t < mesh->target_count; ++t)
        {
            pl_json_append(w, weights, json_real(mesh->weights ? (double)mesh->weights[t] : 0));
        }
        pl_json_set(w, out, "weights", weights);
    }
    json_t *extras = json_object_get(out, "extras");
    if (mesh->target_count && mesh->target_names)
    {
        json_t *names = json_array();
        for (uint32_t t = 0; t < mesh->target_count; ++t)
        {
            pl_json_append(w, names, json_string(mesh->target_names[t] ? mesh->target_names[t] : ""));
        }
        json_t *fresh = json_is_object(extras) ? json_copy(extras) : json_object();
        pl_json_set(w, fresh, "targetNames", names);
        pl_json_set(w, out, "extras", fresh);
    }
    else if (!same_count && json_object_get(extras, "targetNames"))
    {
        json_t *fresh = json_copy(extras);
        json_object_del(fresh, "targetNames");
        if (fresh && json_object_size(fresh) == 0)
        {
            json_object_del(out, "extras");
            json_decref(fresh);
        }
        else
        {
            pl_json_set(w, out, "extras", fresh);
        }
    }
}

pleat_result pl_write_mesh(pl_writer *w, const pleat_mesh_edit *edit, json_t *before, const pleat_mesh *old,
                           json_t **out)
{
    const pleat_mesh *mesh = edit->mesh;
    *out = NULL;
    if (mesh->primitive_count == 0)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "a mesh to be written has no primitives");
    }
    json_t *made = before ? json_copy(before) : json_object();
    json_t *list = json_array();
    json_t *old_list = json_object_get(before, "primitives");
    if (mesh->name && mesh->name[0])
    {
        pl_json_set(w, made, "name", json_string(mesh->name));
    }
    pl_json_set(w, made, "primitives", list);
    pleat_result result = pl_writer_check(w);
    for (uint32_t i = 0; result == PLEAT_OK && i < mesh->primitive_count; ++i)
    {
        primitive_writer p = {.w = w, .now = &mesh->primitives[i]};
        p.step = w->edits->encoding == PLEAT_ENCODE_PLAIN ? 0 : edit->step;
        if (old && i < old->primitive_count)
        {
            p.old = &old->primitives[i];
            p.before = json_array_get(old_list, i);
            p.source_vertex = edit->source_vertex ? edit->source_vertex[i] : NULL;
            p.same_vertices = p.now->positions == p.old->positions && p.now->vertex_count == p.old->vertex_count;
        }
        result = put_primitive(&p, mesh, old, i, list);
    }
    if (result == PLEAT_OK)
    {
        put_target_data(w, mesh, old, made);
        result = pl_writer_check(w);
    }
    if (result != PLEAT_OK)
    {
        json_decref(made);
        return result;
    }
    *out = made;
    return PLEAT_OK;
}
