#include "support/gltf_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files that support_validate hands to the validator. */
static char judged[1 << 17];

void support_judge(const char *written, const char *source)
{
    size_t used = strlen(judged);
    snprintf(judged + used, sizeof judged - used, " '%s%s%s'", written, source ? "=" : "", source ? source : "");
    assert_true(strlen(judged) < sizeof judged - 2);
}

const char *support_out_path(const char *format, ...)
{
    static char paths[8][1024];
    static int turn;
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", support_folder(), name);
    return path;
}

pleat_asset *support_load_file(const char *path)
{
    pleat_asset *asset;
    pleat_error error = {0};
    if (pleat_asset_load(path, NULL, NULL, &asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return asset;
}

void support_write_asset(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path)
{
    pleat_error error = {0};
    if (pleat_gltf_write(asset, edits, path, NULL, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", path, error.message);
    }
}

support_opened support_open_glb(const char *path)
{
    support_opened o = {0};
    pleat_error error = {0};
    uint32_t length;
    assert_int_equal(pleat_file_read(path, NULL, &o.bytes, &o.size, &error), PLEAT_OK);
    memcpy(&length, (char *)o.bytes + 12, 4);
    o.root = json_loadb((char *)o.bytes + 20, length, 0, NULL);
    assert_non_null(o.root);
    size_t at = 20 + (size_t)length;
    if (at < o.size)
    {
        uint32_t binary;
        memcpy(&binary, (char *)o.bytes + at, 4);
        o.binary = (unsigned char *)o.bytes + at + 8;
        o.binary_size = binary;
        assert_int_equal(at + 8 + binary, o.size);
    }
    return o;
}

void support_close_glb(support_opened *o)
{
    json_decref(o->root);
    pleat_file_free(NULL, o->bytes, o->size);
}

json_t *support_json_at(json_t *root, const char *section, size_t index)
{
    return json_array_get(json_object_get(root, section), index);
}

size_t support_json_count(json_t *root, const char *section)
{
    return json_array_size(json_object_get(root, section));
}

/* ---- Models that must be equal ---- */

void support_same_bytes(const void *a, const void *b, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
    {
        assert_memory_equal(a, b, size);
    }
}

void support_same_primitive(const pleat_primitive *a, const pleat_primitive *b, uint32_t target_count)
{
    size_t v = a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->material, b->material);
    assert_int_equal(a->influence_count, b->influence_count);
    support_same_bytes(a->triangle_count ? a->triangles : NULL, b->triangle_count ? b->triangles : NULL,
                       (size_t)a->triangle_count * 12);
    support_same_bytes(a->positions, b->positions, v * 12);
    support_same_bytes(a->normals, b->normals, v * 12);
    support_same_bytes(a->tangents, b->tangents, v * 16);
    support_same_bytes(a->uvs, b->uvs, v * 8);
    support_same_bytes(a->colors, b->colors, v * 16);
    for (uint32_t t = 0; t < target_count; ++t)
    {
        support_same_bytes(a->targets[t].positions, b->targets[t].positions, v * 12);
        support_same_bytes(a->targets[t].normals, b->targets[t].normals, v * 12);
    }
    for (size_t i = 0; i < v * a->influence_count; ++i)
    {
        assert_true(fabsf(a->weights[i] - b->weights[i]) <= 2e-7f);
        assert_true(a->joints[i] == b->joints[i] || a->weights[i] == 0);
    }
}

void support_same_model(const pleat_model *a, const pleat_model *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->mesh_count, b->mesh_count);
    assert_int_equal(a->skin_count, b->skin_count);
    assert_int_equal(a->clip_count, b->clip_count);
    assert_int_equal(a->material_count, b->material_count);
    assert_int_equal(a->scene_node_count, b->scene_node_count);
    support_same_bytes(a->scene_nodes, b->scene_nodes, a->scene_node_count * 4);
    for (uint32_t n = 0; n < a->node_count; ++n)
    {
        assert_string_equal(a->nodes[n].name, b->nodes[n].name);
        assert_int_equal(a->nodes[n].parent, b->nodes[n].parent);
        assert_int_equal(a->nodes[n].mesh, b->nodes[n].mesh);
        for (int i = 0; i < 12; ++i)
        {
            assert_true(fabsf(a->nodes[n].local_matrix.row[i / 4][i % 4] - b->nodes[n].local_matrix.row[i / 4][i % 4]) <
                        1e-5f);
        }
    }
    for (uint32_t m = 0; m < a->mesh_count; ++m)
    {
        const pleat_mesh *x = &a->meshes[m];
        const pleat_mesh *y = &b->meshes[m];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->primitive_count, y->primitive_count);
        assert_int_equal(x->target_count, y->target_count);
        for (uint32_t p = 0; p < x->primitive_count; ++p)
        {
            support_same_primitive(&x->primitives[p], &y->primitives[p], x->target_count);
        }
    }
    for (uint32_t s = 0; s < a->skin_count; ++s)
    {
        assert_int_equal(a->skins[s].joint_count, b->skins[s].joint_count);
        support_same_bytes(a->skins[s].joints, b->skins[s].joints, a->skins[s].joint_count * 4);
        support_same_bytes(a->skins[s].inverse_binds, b->skins[s].inverse_binds,
                           a->skins[s].joint_count * sizeof(pleat_affine));
    }
    for (uint32_t c = 0; c < a->clip_count; ++c)
    {
        assert_string_equal(a->clips[c].name, b->clips[c].name);
        assert_int_equal(a->clips[c].channel_count, b->clips[c].channel_count);
        for (uint32_t h = 0; h < a->clips[c].channel_count; ++h)
        {
            const pleat_channel *x = &a->clips[c].channels[h];
            const pleat_channel *y = &b->clips[c].channels[h];
            assert_true(x->node == y->node && x->path == y->path && x->interpolation == y->interpolation &&
                        x->key_count == y->key_count);
            support_same_bytes(x->times, y->times, (size_t)x->key_count * 4);
            support_same_bytes(x->values, y->values,
                               (size_t)x->key_count * x->width * (x->interpolation == PLEAT_CUBICSPLINE ? 12 : 4));
        }
    }
}

/* ---- The judge ---- */

void support_validate(void)
{
    if (access(PLEAT_SOURCE_DIR "/tests/node_modules/gltf-validator", R_OK) != 0)
    {
        print_message("skipped: no gltf-validator in tests/node_modules; npm ci in tests/ installs it\n");
        skip();
    }
    static char command[sizeof judged + 1024];
    assert_true(judged[0] != 0);
    snprintf(command, sizeof command, "node '%s/tests/validate.mjs'%s", PLEAT_SOURCE_DIR, judged);
    assert_int_equal(system(command), 0);
}
