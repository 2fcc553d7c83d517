/* glTF out: what goes in comes out, edits change what they should, and the Khronos validator agrees. */
#include "support/support.h"

#include "support/glb.h"

#include <jansson.h>
#include <meshoptimizer.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files that the last test hands to the validator ---- */

static char judged[1 << 17];

static void judge(const char *written, const char *source)
{
    size_t used = strlen(judged);
    snprintf(judged + used, sizeof judged - used, " '%s%s%s'", written, source ? "=" : "", source ? source : "");
    assert_true(strlen(judged) < sizeof judged - 2);
}

static const char *out_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *out_path(const char *format, ...)
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

static pleat_asset *load(const char *path)
{
    pleat_asset *asset;
    pleat_error error = {0};
    if (pleat_asset_load(path, NULL, NULL, &asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return asset;
}

static void write_asset(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path)
{
    pleat_error error = {0};
    if (pleat_gltf_write(asset, edits, path, NULL, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", path, error.message);
    }
}

/* The JSON and the binary chunk of a GLB file. */
typedef struct opened
{
    void *bytes;
    size_t size;
    json_t *root;
    const unsigned char *binary;
    size_t binary_size;
} opened;

static opened open_glb(const char *path)
{
    opened o = {0};
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

static void close_glb(opened *o)
{
    json_decref(o->root);
    pleat_file_free(NULL, o->bytes, o->size);
}

static json_t *at(json_t *root, const char *section, size_t index)
{
    return json_array_get(json_object_get(root, section), index);
}

static size_t count_of(json_t *root, const char *section)
{
    return json_array_size(json_object_get(root, section));
}

/* ---- Models that must be equal ---- */

static void same_bytes(const void *a, const void *b, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
    {
        assert_memory_equal(a, b, size);
    }
}

static void same_primitive(const pleat_primitive *a, const pleat_primitive *b, uint32_t target_count)
{
    size_t v = a->vertex_count;
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->material, b->material);
    assert_int_equal(a->influence_count, b->influence_count);
    same_bytes(a->triangle_count ? a->triangles : NULL, b->triangle_count ? b->triangles : NULL,
               (size_t)a->triangle_count * 12);
    same_bytes(a->positions, b->positions, v * 12);
    same_bytes(a->normals, b->normals, v * 12);
    same_bytes(a->tangents, b->tangents, v * 16);
    same_bytes(a->uvs, b->uvs, v * 8);
    same_bytes(a->colors, b->colors, v * 16);
    for (uint32_t t = 0; t < target_count; ++t)
    {
        same_bytes(a->targets[t].positions, b->targets[t].positions, v * 12);
        same_bytes(a->targets[t].normals, b->targets[t].normals, v * 12);
    }
    for (size_t i = 0; i < v * a->influence_count; ++i)
    {
        assert_true(fabsf(a->weights[i] - b->weights[i]) <= 2e-7f);
        assert_true(a->joints[i] == b->joints[i] || a->weights[i] == 0);
    }
}

static void same_model(const pleat_model *a, const pleat_model *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->mesh_count, b->mesh_count);
    assert_int_equal(a->skin_count, b->skin_count);
    assert_int_equal(a->clip_count, b->clip_count);
    assert_int_equal(a->material_count, b->material_count);
    assert_int_equal(a->scene_node_count, b->scene_node_count);
    same_bytes(a->scene_nodes, b->scene_nodes, a->scene_node_count * 4);
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
            same_primitive(&x->primitives[p], &y->primitives[p], x->target_count);
        }
    }
    for (uint32_t s = 0; s < a->skin_count; ++s)
    {
        assert_int_equal(a->skins[s].joint_count, b->skins[s].joint_count);
        same_bytes(a->skins[s].joints, b->skins[s].joints, a->skins[s].joint_count * 4);
        same_bytes(a->skins[s].inverse_binds, b->skins[s].inverse_binds,
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
            same_bytes(x->times, y->times, (size_t)x->key_count * 4);
            same_bytes(x->values, y->values,
                       (size_t)x->key_count * x->width * (x->interpolation == PLEAT_CUBICSPLINE ? 12 : 4));
        }
    }
}

/* ---- Round trips ---- */

static const char *const characters[] = {"khr_cesium_man/CesiumMan.glb", "khr_rigged_simple/RiggedSimple.glb",
                                         "quat_knight/KnightCharacter.glb", "mh_modern_leotard/mh_modern_leotard.glb",
                                         "cwf_twist_cylinder/twist_cylinder_morph.glb"};

/* A GLB that nothing is changed in has the same JSON and the same bytes afterwards. */
static void test_gltf_write_unchanged_is_the_same(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; ++i)
    {
        const char *found = support_data(characters[i]);
        if (!found)
        {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s", found);
        pleat_asset *asset = load(path);
        const char *out = out_path("same%zu.glb", i);
        write_asset(asset, NULL, out);
        opened a = open_glb(path);
        opened b = open_glb(out);
        size_t length = (size_t)json_integer_value(json_object_get(at(a.root, "buffers", 0), "byteLength"));
        assert_true(json_equal(a.root, b.root));
        assert_memory_equal(a.binary, b.binary, length);
        close_glb(&a);
        close_glb(&b);
        pleat_asset_destroy(asset);
        judge(out, path);
        ++tried;
    }
    if (tried == 0)
    {
        skip();
    }
}

/* A model taken out of its file and written as a new document gives the same model. */
static void test_gltf_write_model_made_by_hand(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; ++i)
    {
        const char *found = support_data(characters[i]);
        if (!found)
        {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s", found);
        pleat_asset *asset = load(path);
        pleat_asset *made;
        pleat_error error = {0};
        assert_int_equal(pleat_asset_from_model(pleat_asset_model(asset), "a test", NULL, &made, &error), PLEAT_OK);
        const char *out = out_path("model%zu.%s", i, i % 2 ? "gltf" : "glb");
        write_asset(made, NULL, out);
        pleat_asset *again = load(out);
        same_model(pleat_asset_model(asset), pleat_asset_model(again));
        pleat_asset_destroy(again);
        pleat_asset_destroy(made);
        pleat_asset_destroy(asset);
        judge(out, path);
        ++tried;
    }
    if (tried == 0)
    {
        skip();
    }
}

static void write_folder(const char *folder, const char *ending, uint32_t *count)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
    {
        char path[2048];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        {
            write_folder(path, ending, count);
        }
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || (strcmp(dot, ".gltf") != 0 && strcmp(dot, ".glb") != 0))
        {
            continue;
        }
        pleat_asset *asset;
        if (pleat_asset_load(path, NULL, NULL, &asset, NULL) != PLEAT_OK)
        {
            continue; /* two that may not be loaded; test_gltf.c looks at them */
        }
        const char *out = out_path("%.*s%s", (int)(dot - entry->d_name), entry->d_name, ending);
        write_asset(asset, NULL, out);
        pleat_asset *again = load(out);
        same_model(pleat_asset_model(asset), pleat_asset_model(again));
        pleat_asset_destroy(again);
        pleat_asset_destroy(asset);
        judge(out, path);
        ++*count;
    }
    closedir(listing);
}

/* Several buffers in data URIs, and compressed views, become one plain buffer. */
static void test_gltf_write_small_files(void **state)
{
    (void)state;
    uint32_t count = 0;
    write_folder(PLEAT_SOURCE_DIR "/tests/data/fuzz_gltf", ".small.glb", &count);
    assert_true(count >= 3);
}

static void test_gltf_write_asset_generator(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "edge_gltf_asset_generator/Output/Positive");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", found);
    uint32_t count = 0;
    write_folder(folder, ".glb", &count);
    assert_int_equal(count, 94);
    write_folder(folder, ".gltf", &count);
    assert_int_equal(count, 188);
}

/* ---- A small document with everything that must stay ---- */

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};

static support_bytes small_document(const char *more)
{
    const uint16_t indices[6] = {0, 1, 2, 1, 3, 2};
    const uint8_t custom[16] = {10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40};
    const float lightmap[4][2] = {{0, 0.5f}, {0.25f, 0}, {0, 0.75f}, {1, 1}};
    const float times[2] = {0, 1};
    const float turns[2][4] = {{0, 0, 0, 1}, {0, 0, 1, 0}};
    support_bytes b = {0};
    support_put(&b, square, sizeof square);     /* 0 */
    support_put(&b, indices, sizeof indices);   /* 48 */
    support_put(&b, custom, sizeof custom);     /* 60 */
    support_put(&b, lightmap, sizeof lightmap); /* 76 */
    support_put(&b, times, sizeof times);       /* 108 */
    support_put(&b, turns, sizeof turns);       /* 116, to 148 */
    char json[8192];
    snprintf(
        json, sizeof json,
        "{'asset':{'version':'2.0','generator':'by "
        "hand','extras':{'n':[0.1,1e-7,123456789.125,-0.0,4503599627370496]}},'extras':{'deep':[[{'\\u00e4\\n\\\"\\\\':"
        "null,'t':true,'f':false}]]},'scene':0,'scenes':[{'nodes':[0,1,2],'extras':{'sun':1.5}}],'nodes':[{'name':'a','"
        "mesh':0,'extras':{'keep':1}},{'name':'b','mesh':0,'translation':[2,0,0]},{'name':'c','camera':0}],'cameras':[{"
        "'type':'perspective','perspective':{'yfov':0.7,'znear':0.01}}],'materials':[{'name':'red','extensions':{'KHR_"
        "materials_unlit':{}}}],'meshes':[{'name':'m','extras':{'tag':'x'},'primitives':[{'attributes':{'POSITION':0,'"
        "TEXCOORD_0':3,'TEXCOORD_1':3,'_ID':2},'indices':1,'material':0,'extras':{'p':0.2}}]}],'animations':[{'name':'"
        "turn','channels':[{'sampler':0,'target':{'node':1,'path':'rotation'}}],'samplers':[{'input':4,'output':5}]}],'"
        "accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'min':[0,0,0],'max':[1,1,0]},{'"
        "bufferView':1,'componentType':5123,'type':'SCALAR','count':6},{'bufferView':2,'componentType':5121,'type':'"
        "SCALAR','count':4,'name':'ids'},{'bufferView':3,'componentType':5126,'type':'VEC2','count':4},{'bufferView':4,"
        "'componentType':5126,'type':'SCALAR','count':2,'min':[0],'max':[1]},{'bufferView':5,'componentType':5126,'"
        "type':'VEC4','count':2}],'bufferViews':[{'buffer':0,'byteLength':48,'target':34962},{'buffer':0,'byteOffset':"
        "48,'byteLength':12,'target':34963},{'buffer':0,'byteOffset':60,'byteLength':16,'byteStride':4},{'buffer':0,'"
        "byteOffset':76,'byteLength':32},{'buffer':0,'byteOffset':108,'byteLength':8},{'buffer':0,'byteOffset':116,'"
        "byteLength':32}],'buffers':[{'byteLength':%zu,'name':'data'}],'extensionsUsed':['KHR_materials_unlit'%s]}",
        b.size, more);
    support_bytes glb = support_glb(json, b.data, b.size);
    support_bytes_free(&b);
    return glb;
}

static pleat_asset *small_asset(const char *more)
{
    support_bytes glb = small_document(more);
    pleat_asset *asset;
    pleat_error error = {0};
    if (pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "small.glb", NULL, &asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    support_bytes_free(&glb);
    return asset;
}

static void test_gltf_write_keeps_numbers_and_text(void **state)
{
    (void)state;
    pleat_asset *asset = small_asset("");
    const char *out = out_path("text.gltf");
    write_asset(asset, NULL, out);
    void *bytes;
    size_t size;
    pleat_error error = {0};
    assert_int_equal(pleat_file_read(out, NULL, &bytes, &size, &error), PLEAT_OK);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    assert_non_null(strstr(text, "[0.1, 1e-07, 123456789.125, -0.0, 4503599627370496]"));
    assert_non_null(strstr(text, "\"uri\": \"text.bin\""));
    support_bytes glb = small_document("");
    uint32_t length;
    memcpy(&length, glb.data + 12, 4);
    json_t *a = json_loadb((char *)glb.data + 20, length, 0, NULL);
    json_t *b = json_loads(text, 0, NULL);
    json_object_del(at(b, "buffers", 0), "uri");
    assert_true(json_equal(a, b));
    /* Keys stay in their order. */
    void *i = json_object_iter(a);
    for (void *j = json_object_iter(b); j; j = json_object_iter_next(b, j), i = json_object_iter_next(a, i))
    {
        assert_string_equal(json_object_iter_key(i), json_object_iter_key(j));
    }
    json_decref(a);
    json_decref(b);
    free(text);
    support_bytes_free(&glb);
    pleat_file_free(NULL, bytes, size);
    pleat_asset_destroy(asset);
    judge(out, NULL);
}

/* ---- Edits ---- */

static void test_gltf_write_edit_of_a_shared_mesh(void **state)
{
    (void)state;
    pleat_asset *asset = small_asset("");
    const pleat_model *model = pleat_asset_model(asset);
    enum
    {
        V = 6
    };
    const pleat_vec3 positions[V] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 0, 0}, {2, 1, -3}};
    const uint32_t triangles[] = {0, 1, 2, 1, 3, 2, 1, 4, 3, 4, 5, 3};
    const uint32_t source[V] = {3, 2, 1, 0, 0, 1};
    const uint32_t *const sources[] = {source};
    const float uvs[2 * V] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const pleat_vec3 lift[V] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}, {0, 0, 5}, {0, 0, 6}};
    const pleat_target targets[2] = {{lift, NULL}, {NULL, NULL}};
    const char *const names[] = {"up", "nothing"};
    const float weights[] = {0.5f, 0};
    pleat_primitive primitive = {.vertex_count = V,
                                 .triangle_count = 4,
                                 .triangles = triangles,
                                 .positions = positions,
                                 .uvs = uvs,
                                 .targets = targets,
                                 .material = 0};
    pleat_mesh mesh = {.name = "",
                       .primitive_count = 1,
                       .primitives = &primitive,
                       .target_count = 2,
                       .weights = weights,
                       .target_names = names};
    const pleat_mesh_edit edit = {0, &mesh, sources};
    const float times[3] = {0, 0.5f, 1};
    const float keys[6] = {0, 0, 1, 0, 0, 1};
    const pleat_weights_edit moves[2] = {{0, 0, 3, times, keys}, {0, PLEAT_NONE, 3, times, keys}};
    float squeezed[V][3] = {{0.5f, 1, 2}, {0.25f, 3, 4}, {1, 5, 6}, {1, 7, 8}, {1, 9, 10}, {1, 11, 12}};
    const float *const squeezes[] = {squeezed[0]};
    const pleat_attribute_edit attribute = {0, "_COMPRESSION", 3, squeezes};
    const pleat_gltf_edits edits = {1, &edit, 2, moves, 1, &attribute};
    const char *out = out_path("edit.glb");
    write_asset(asset, &edits, out);

    pleat_asset *again = load(out);
    const pleat_model *read = pleat_asset_model(again);
    assert_int_equal(read->mesh_count, 2);
    assert_int_equal(read->nodes[0].mesh, 1);
    assert_int_equal(read->nodes[1].mesh, 0);
    same_primitive(&read->meshes[0].primitives[0], &model->meshes[0].primitives[0], 0);
    assert_string_equal(read->meshes[1].name, "m");
    assert_memory_equal(read->meshes[1].primitives[0].positions, positions, sizeof positions);
    assert_memory_equal(read->meshes[1].primitives[0].triangles, triangles, sizeof triangles);
    assert_memory_equal(read->meshes[1].primitives[0].targets[0].positions, lift, sizeof lift);
    assert_null(read->meshes[1].primitives[0].targets[1].positions);
    assert_memory_equal(read->meshes[1].primitives[0].uvs, uvs, sizeof uvs);
    assert_string_equal(read->meshes[1].target_names[1], "nothing");
    assert_true(read->meshes[1].weights[0] == 0.5f);
    assert_int_equal(read->clip_count, 2);
    assert_string_equal(read->clips[1].name, "bake");
    assert_int_equal(read->clips[0].channel_count, 2);
    assert_int_equal(read->clips[0].channels[1].path, PLEAT_WEIGHTS);
    assert_memory_equal(read->clips[0].channels[1].values, keys, sizeof keys);
    assert_memory_equal(read->clips[1].channels[0].times, times, sizeof times);

    opened o = open_glb(out);
    json_t *made = json_array_get(json_object_get(at(o.root, "meshes", 1), "primitives"), 0);
    json_t *attributes = json_object_get(made, "attributes");
    /* The attributes that pleat has no place for came along, in their type, from the source vertices. */
    json_t *ids = at(o.root, "accessors", (size_t)json_integer_value(json_object_get(attributes, "_ID")));
    json_t *view = at(o.root, "bufferViews", (size_t)json_integer_value(json_object_get(ids, "bufferView")));
    assert_int_equal(json_integer_value(json_object_get(ids, "componentType")), 5121);
    assert_string_equal(json_string_value(json_object_get(ids, "name")), "ids");
    size_t stride = (size_t)json_integer_value(json_object_get(view, "byteStride"));
    assert_int_equal(stride, 4);
    for (size_t v = 0; v < V; ++v)
    {
        size_t offset = (size_t)json_integer_value(json_object_get(view, "byteOffset"));
        assert_int_equal(o.binary[offset + v * stride], 10 * (source[v] + 1));
    }
    assert_non_null(json_object_get(attributes, "TEXCOORD_1"));
    json_t *added = at(o.root, "accessors", (size_t)json_integer_value(json_object_get(attributes, "_COMPRESSION")));
    view = at(o.root, "bufferViews", (size_t)json_integer_value(json_object_get(added, "bufferView")));
    assert_string_equal(json_string_value(json_object_get(added, "type")), "VEC3");
    assert_memory_equal(o.binary + json_integer_value(json_object_get(view, "byteOffset")) +
                            json_integer_value(json_object_get(added, "byteOffset")),
                        squeezed, sizeof squeezed);
    assert_true(json_real_value(json_object_get(json_object_get(made, "extras"), "p")) == 0.2);
    assert_string_equal(json_string_value(json_object_get(json_object_get(at(o.root, "meshes", 1), "extras"), "tag")),
                        "x");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(at(o.root, "nodes", 0), "extras"), "keep")), 1);
    assert_int_equal(count_of(o.root, "cameras"), 1);
    close_glb(&o);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    judge(out, NULL);
}

/* Both nodes get the same new mesh: it takes the old one's place, and what only that used is gone. */
static void test_gltf_write_drops_what_nothing_uses(void **state)
{
    (void)state;
    for (int unknown = 0; unknown < 2; ++unknown)
    {
        pleat_asset *asset = small_asset(unknown ? ",'FAKE_thing'" : "");
        const pleat_vec3 positions[3] = {{0, 0, 0}, {5, 0, 0}, {0, 5, 0}};
        const uint32_t triangles[] = {0, 1, 2};
        pleat_primitive primitive = {.vertex_count = 3,
                                     .triangle_count = 1,
                                     .triangles = triangles,
                                     .positions = positions,
                                     .material = PLEAT_NONE};
        pleat_mesh mesh = {.name = "new", .primitive_count = 1, .primitives = &primitive};
        const pleat_mesh_edit two[2] = {{0, &mesh, NULL}, {1, &mesh, NULL}};
        const pleat_gltf_edits edits = {2, two, 0, NULL, 0, NULL};
        const char *out = out_path("drop%d.glb", unknown);
        write_asset(asset, &edits, out);
        opened o = open_glb(out);
        assert_int_equal(count_of(o.root, "meshes"), 1);
        assert_string_equal(json_string_value(json_object_get(at(o.root, "meshes", 0), "name")), "new");
        /* Two accessors of the animation and two new ones; with an extension that may refer to others, all. */
        assert_int_equal(count_of(o.root, "accessors"), unknown ? 8 : 4);
        assert_int_equal(count_of(o.root, "bufferViews"), unknown ? 8 : 4);
        close_glb(&o);
        pleat_asset *again = load(out);
        const pleat_model *read = pleat_asset_model(again);
        assert_memory_equal(read->meshes[0].primitives[0].positions, positions, sizeof positions);
        const pleat_channel *x = &read->clips[0].channels[0];
        const pleat_channel *y = &pleat_asset_model(asset)->clips[0].channels[0];
        same_bytes(x->values, y->values, 32);
        pleat_asset_destroy(again);
        pleat_asset_destroy(asset);
        judge(out, NULL);
    }
}

/* The bake's usual case: the very arrays of the model, plus targets. */
static void test_gltf_write_adds_targets_to_a_character(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "khr_cesium_man/CesiumMan.glb");
    char path[1024];
    snprintf(path, sizeof path, "%s", found);
    pleat_asset *asset = load(path);
    const pleat_model *model = pleat_asset_model(asset);
    uint32_t node = 0;
    while (model->nodes[node].mesh == PLEAT_NONE)
    {
        ++node;
    }
    pleat_mesh mesh = model->meshes[model->nodes[node].mesh];
    pleat_primitive primitive = mesh.primitives[0];
    pleat_vec3 *full = calloc(primitive.vertex_count, sizeof *full);
    pleat_vec3 *few = calloc(primitive.vertex_count, sizeof *few);
    uint32_t random = 5;
    for (uint32_t v = 0; v < primitive.vertex_count; ++v)
    {
        full[v] = (pleat_vec3){support_random_float(&random, -1, 1), 0, 1};
        few[v].y = v % 50 == 0 ? 0.125f * (float)v : 0;
    }
    const pleat_target targets[2] = {{full, few}, {few, NULL}};
    primitive.targets = targets;
    mesh.primitives = &primitive;
    mesh.target_count = 2;
    const pleat_mesh_edit edit = {node, &mesh, NULL};
    const float times[2] = {0, 1};
    const float keys[4] = {0, 0, 1, 0.5f};
    const pleat_weights_edit moves = {node, 0, 2, times, keys};
    const pleat_gltf_edits edits = {1, &edit, 1, &moves, 0, NULL};
    const char *out = out_path("targets.glb");
    write_asset(asset, &edits, out);

    opened a = open_glb(path);
    opened b = open_glb(out);
    json_t *before = json_array_get(json_object_get(at(a.root, "meshes", 0), "primitives"), 0);
    json_t *after = json_array_get(json_object_get(at(b.root, "meshes", 0), "primitives"), 0);
    assert_true(json_equal(json_object_get(before, "attributes"), json_object_get(after, "attributes")));
    assert_true(json_equal(json_object_get(before, "indices"), json_object_get(after, "indices")));
    const char *const kept[] = {"nodes", "materials", "textures", "images", "skins", "scenes", "asset", "samplers"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
    {
        assert_true(json_equal(json_object_get(a.root, kept[i]), json_object_get(b.root, kept[i])) ||
                    !json_object_get(a.root, kept[i]));
    }
    /* Few differences are written sparse, many are not. */
    json_t *list = json_object_get(after, "targets");
    json_t *dense =
        at(b.root, "accessors", (size_t)json_integer_value(json_object_get(json_array_get(list, 0), "POSITION")));
    json_t *sparse =
        at(b.root, "accessors", (size_t)json_integer_value(json_object_get(json_array_get(list, 1), "POSITION")));
    assert_null(json_object_get(dense, "sparse"));
    assert_non_null(json_object_get(sparse, "sparse"));
    close_glb(&a);
    close_glb(&b);
    pleat_asset *again = load(out);
    const pleat_primitive *read = &pleat_asset_model(again)->meshes[model->nodes[node].mesh].primitives[0];
    assert_memory_equal(read->targets[0].positions, full, primitive.vertex_count * sizeof *full);
    assert_memory_equal(read->targets[0].normals, few, primitive.vertex_count * sizeof *few);
    assert_memory_equal(read->targets[1].positions, few, primitive.vertex_count * sizeof *few);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    free(full);
    free(few);
    judge(out, path);
}

/* Two influences of one joint become one; joints without weight become 0; the sum is 1: the validator looks at it. */
static void test_gltf_write_cleans_influences(void **state)
{
    (void)state;
    const pleat_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2};
    const uint16_t joints[3][8] = {{1, 1, 0, 7, 0, 0, 0, 0}, {300, 2, 3, 4, 5, 6, 7, 8}, {9, 9, 9, 9, 9, 9, 9, 9}};
    const float weights[3][8] = {{0.25f, 0.25f, 0.5f}, {0.3f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f}, {0.9996f}};
    pleat_primitive primitive = {.vertex_count = 3,
                                 .triangle_count = 1,
                                 .triangles = triangles,
                                 .positions = positions,
                                 .influence_count = 8,
                                 .joints = joints[0],
                                 .weights = weights[0],
                                 .material = PLEAT_NONE};
    const pleat_mesh mesh = {.name = "", .primitive_count = 1, .primitives = &primitive};
    enum
    {
        N = 302
    };
    static pleat_node nodes[N];
    static uint32_t order[N];
    static uint32_t list[N - 1];
    static pleat_affine binds[N - 1];
    for (uint32_t n = 0; n < N; ++n)
    {
        nodes[n] = pleat_node_default();
        order[n] = n;
        if (n > 0)
        {
            nodes[n].parent = n == 1 ? PLEAT_NONE : 1;
            list[n - 1] = n;
            binds[n - 1] = nodes[n].local_matrix;
        }
    }
    nodes[0].mesh = 0;
    nodes[0].skin = 0;
    const pleat_skin skin = {"s", N - 1, list, binds};
    const pleat_model model = {.node_count = N,
                               .mesh_count = 1,
                               .skin_count = 1,
                               .nodes = nodes,
                               .meshes = &mesh,
                               .skins = &skin,
                               .node_order = order,
                               .scene_node_count = N,
                               .scene_nodes = order};
    pleat_asset *asset;
    pleat_error error = {0};
    assert_int_equal(pleat_asset_from_model(&model, NULL, NULL, &asset, &error), PLEAT_OK);
    const char *out = out_path("influences.glb");
    write_asset(asset, NULL, out);
    pleat_asset *again = load(out);
    const pleat_primitive *read = &pleat_asset_model(again)->meshes[0].primitives[0];
    assert_int_equal(read->influence_count, 8);
    assert_true(read->joints[0] == 1 && read->weights[0] == 0.5f && read->joints[1] == 0 && read->weights[1] == 0.5f);
    assert_true(read->joints[8] == 300 && read->joints[3] == 0 && read->weights[16] == 1);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    judge(out, NULL);
}

/* Old weights channels do not fit a mesh with another number of targets: they go, and a clip left empty goes. */
static void test_gltf_write_removes_stale_weights(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "cwf_twist_cylinder/twist_cylinder_morph.glb");
    pleat_asset *asset = load(found);
    const pleat_model *model = pleat_asset_model(asset);
    pleat_mesh mesh = model->meshes[0];
    assert_true(mesh.target_count > 1 && model->clip_count == 1 && model->clips[0].channel_count == 1);
    mesh.target_count = 1;
    mesh.weights = NULL;
    mesh.target_names = NULL;
    const pleat_mesh_edit edit = {model->clips[0].channels[0].node, &mesh, NULL};
    pleat_gltf_edits edits = {1, &edit, 0, NULL, 0, NULL};
    const char *out = out_path("stale.glb");
    write_asset(asset, &edits, out);
    pleat_asset *again = load(out);
    assert_int_equal(pleat_asset_model(again)->clip_count, 0);
    assert_int_equal(pleat_asset_model(again)->meshes[0].target_count, 1);
    pleat_asset_destroy(again);
    judge(out, NULL);
    const float times[1] = {0};
    const float keys[1] = {1};
    const pleat_weights_edit moves = {edit.node, 0, 1, times, keys};
    edits.weights_edit_count = 1;
    edits.weights_edits = &moves;
    out = out_path("replaced.glb");
    write_asset(asset, &edits, out);
    again = load(out);
    assert_int_equal(pleat_asset_model(again)->clip_count, 1);
    assert_int_equal(pleat_asset_model(again)->clips[0].channel_count, 1);
    assert_int_equal(pleat_asset_model(again)->clips[0].channels[0].key_count, 1);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    judge(out, NULL);
}

/* Compressed in, plain out. */
static void test_gltf_write_decompresses(void **state)
{
    (void)state;
    unsigned char packed[512];
    support_bytes b = {0};
    size_t length = meshopt_encodeVertexBuffer(packed, sizeof packed, square, 4, 12);
    support_put(&b, packed, length);
    char json[2048];
    snprintf(
        json, sizeof json,
        "{'asset':{'version':'2.0'},'extensionsUsed':['EXT_meshopt_compression'],'extensionsRequired':['EXT_meshopt_"
        "compression'],"
        "'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':5}]"
        "}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'min':[0,0,0],'max':[1,1,0]}],"
        "'bufferViews':[{'buffer':1,'byteLength':48,'byteStride':12,'target':34962,'extensions':{'EXT_meshopt_"
        "compression':"
        "{'buffer':0,'byteLength':%zu,'byteStride':12,'count':4,'mode':'ATTRIBUTES'}}}],"
        "'buffers':[{'byteLength':%zu},{'byteLength':48,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}]}",
        length, b.size);
    support_bytes glb = support_glb(json, b.data, b.size);
    pleat_asset *asset;
    pleat_error error = {0};
    assert_int_equal(pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "m.glb", NULL, &asset, &error), PLEAT_OK);
    const char *out = out_path("plain.glb");
    write_asset(asset, NULL, out);
    opened o = open_glb(out);
    assert_null(json_object_get(o.root, "extensionsUsed"));
    assert_null(json_object_get(o.root, "extensionsRequired"));
    assert_null(json_object_get(at(o.root, "bufferViews", 0), "extensions"));
    assert_int_equal(count_of(o.root, "buffers"), 1);
    assert_int_equal(o.binary_size, 48);
    assert_memory_equal(o.binary, square, sizeof square);
    close_glb(&o);
    pleat_asset_destroy(asset);
    support_bytes_free(&glb);
    support_bytes_free(&b);
    judge(out, NULL);
}

/* Images in files of their own: kept beside the output if they lie there, taken in otherwise, left alone if missing. */
static void test_gltf_write_images(void **state)
{
    (void)state;
    const uint8_t pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"a%20picture.png\"},{\"uri\":\"none.png\"},"
        "{\"uri\":\"images.gltf\"}]}";
    pleat_error error = {0};
    mkdir(out_path("other"), 0777);
    assert_int_equal(pleat_png_write(out_path("a picture.png"), 2, 2, 3, 8, pixels, &error), PLEAT_OK);
    assert_int_equal(pleat_file_write(out_path("images.gltf"), json, sizeof json - 1, &error), PLEAT_OK);
    support_log log;
    pleat_host host = support_logging_host(&log);
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(out_path("images.gltf"), NULL, &host, &asset, &error), PLEAT_OK);
    write_asset(asset, NULL, out_path("images.glb"));
    assert_non_null(strstr(log.text, "images[1].uri stays as it is: "));
    assert_non_null(strstr(log.text, "images[2].uri stays as it is: the file is of no known kind of image"));
    opened o = open_glb(out_path("images.glb"));
    assert_string_equal(json_string_value(json_object_get(at(o.root, "images", 0), "mimeType")), "image/png");
    assert_null(json_object_get(at(o.root, "images", 0), "uri"));
    assert_string_equal(json_string_value(json_object_get(at(o.root, "images", 1), "uri")), "none.png");
    void *png;
    size_t size;
    assert_int_equal(pleat_file_read(out_path("a picture.png"), NULL, &png, &size, &error), PLEAT_OK);
    assert_memory_equal(o.binary, png, size);
    pleat_file_free(NULL, png, size);
    close_glb(&o);
    write_asset(asset, NULL, out_path("images2.gltf"));
    write_asset(asset, NULL, out_path("other/images.gltf"));
    json_t *beside = json_load_file(out_path("images2.gltf"), 0, NULL);
    json_t *elsewhere = json_load_file(out_path("other/images.gltf"), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(at(beside, "images", 0), "uri")), "a%20picture.png");
    assert_null(json_object_get(beside, "buffers"));
    assert_true(access(out_path("images2.bin"), R_OK) != 0); /* no data, no file */
    assert_non_null(json_object_get(at(elsewhere, "images", 0), "bufferView"));
    assert_true(access(out_path("other/images.bin"), R_OK) == 0);
    json_decref(beside);
    json_decref(elsewhere);
    pleat_asset_destroy(asset);
}

/* ---- Rejections and faults ---- */

static void refuse(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *part)
{
    pleat_error error = {0};
    const char *out = out_path("kept.glb");
    assert_int_equal(pleat_file_write(out, "old", 3, &error), PLEAT_OK);
    pleat_result result = pleat_gltf_write(asset, edits, out, NULL, &error);
    if (result != PLEAT_BAD_ARGUMENT || !strstr(error.message, part))
    {
        fail_msg("%s: %s", pleat_result_name(result), error.message);
    }
    void *bytes;
    size_t size;
    assert_int_equal(pleat_file_read(out, NULL, &bytes, &size, &error), PLEAT_OK);
    assert_int_equal(size, 3); /* untouched */
    pleat_file_free(NULL, bytes, size);
}

static void test_gltf_write_rejections(void **state)
{
    (void)state;
    pleat_asset *asset = small_asset("");
    pleat_error error = {0};
    assert_int_equal(pleat_gltf_write(asset, NULL, "x.obj", NULL, &error), PLEAT_BAD_ARGUMENT);
    assert_int_equal(pleat_gltf_write(asset, NULL, out_path("none/x.glb"), NULL, &error), PLEAT_FILE_ERROR);

    pleat_vec3 positions[3] = {{0, 0, 0}, {5, 0, 0}, {0, 5, 0}};
    uint32_t triangles[] = {0, 1, 2};
    pleat_target target = {positions, NULL};
    pleat_primitive primitive = {.vertex_count = 3,
                                 .triangle_count = 1,
                                 .triangles = triangles,
                                 .positions = positions,
                                 .targets = &target,
                                 .material = PLEAT_NONE};
    pleat_mesh mesh = {.name = "", .primitive_count = 1, .primitives = &primitive, .target_count = 1};
    pleat_mesh_edit two[2] = {{0, &mesh, NULL}, {0, &mesh, NULL}};
    float times[2] = {0, 1};
    float keys[2] = {0, 1};
    pleat_weights_edit moves[2] = {{0, 0, 2, times, keys}, {0, 0, 2, times, keys}};
    pleat_gltf_edits edits = {2, two, 0, NULL, 0, NULL};
    refuse(asset, &edits, "mesh_edits[1].node is 0, which another edit has already");
    two[1].node = 3;
    refuse(asset, &edits, "mesh_edits[1].node is 3; there are 3 nodes");
    edits = (pleat_gltf_edits){1, two, 2, moves, 0, NULL};
    refuse(asset, &edits, "weights_edits[0] and [1] are for the same node and clip");
    float values[3] = {0, 1, NAN};
    const float *const lists[] = {values};
    pleat_attribute_edit attribute = {1, "_A", 1, lists};
    edits = (pleat_gltf_edits){1, two, 0, NULL, 1, &attribute};
    refuse(asset, &edits, "attribute_edits[0].node is 1, which no mesh edit is for");
    attribute.node = 0;
    refuse(asset, &edits, "a number to be written is not finite");
    attribute.width = 5;
    refuse(asset, &edits, "width is 5; it can be 1 to 4");
    attribute.name = "_small";
    refuse(asset, &edits, "name is '_small'");
    edits = (pleat_gltf_edits){1, two, 2, moves, 0, NULL};
    moves[1].clip = 1;
    refuse(asset, &edits, "weights_edits[1] is for node 0 in clip 1");
    edits.weights_edit_count = 1;
    times[1] = 0;
    refuse(asset, &edits, "weights_edits[0].times[1] is 0; times must be finite");
    times[1] = 1;
    keys[1] = NAN;
    refuse(asset, &edits, "a number to be written is not finite");
    keys[1] = 0;
    moves[0].node = 1;
    refuse(asset, &edits, "weights_edits[0] has 2 keys of 0 weights");
    moves[0].node = 0;
    positions[1].y = INFINITY;
    refuse(asset, &edits, "a number to be written is not finite");
    positions[1].y = 0;
    triangles[1] = 3;
    refuse(asset, &edits, "index 1 is 3 of 3 vertices");
    triangles[1] = 1;
    const uint32_t source[3] = {0, 4, 0};
    const uint32_t *const sources[] = {source};
    two[0].source_vertex = sources;
    refuse(asset, &edits, "source_vertex[0][1] is 4; the old primitive has 4 vertices");
    two[0].source_vertex = NULL;
    primitive.vertex_count = 0;
    refuse(asset, &edits, "has no vertices");
    mesh.primitive_count = 0;
    refuse(asset, &edits, "has no primitives");
    pleat_asset_destroy(asset);
}

static void test_gltf_write_full_disk(void **state)
{
    (void)state;
    const char *out = out_path("full.glb");
    unlink(out);
    if (access("/dev/full", W_OK) != 0 || symlink("/dev/full", out) != 0)
    {
        skip();
    }
    pleat_asset *asset = small_asset("");
    pleat_error error = {0};
    assert_int_equal(pleat_gltf_write(asset, NULL, out, NULL, &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "full.glb"));
    unlink(out);
    pleat_asset_destroy(asset);
}

/* Loads, edits and writes; every allocation on the way fails once. */
static pleat_result edit_body(void *user, const pleat_host *host, pleat_error *error)
{
    support_bytes *glb = user;
    pleat_asset *asset;
    pleat_result parsed = pleat_asset_parse(PLEAT_FORMAT_GLB, glb->data, glb->size, "small.glb", host, &asset, error);
    if (parsed != PLEAT_OK)
    {
        return parsed;
    }
    const pleat_vec3 positions[40] = {{0, 0, 0}, {5, 0, 0}, {0, 5, 0}};
    const uint32_t triangles[] = {0, 1, 2};
    const uint32_t source[40] = {3, 2, 1};
    const uint32_t *const sources[] = {source};
    const pleat_target targets[2] = {{positions, positions}, {NULL, NULL}};
    const char *const names[] = {"a", "b"};
    const pleat_primitive primitive = {.vertex_count = 40,
                                       .triangle_count = 1,
                                       .triangles = triangles,
                                       .positions = positions,
                                       .targets = targets,
                                       .material = 0};
    const pleat_mesh mesh = {
        .name = "n", .primitive_count = 1, .primitives = &primitive, .target_count = 2, .target_names = names};
    const pleat_mesh_edit edit = {0, &mesh, sources};
    const float times[1] = {0};
    const float keys[2] = {0, 1};
    const pleat_weights_edit moves[2] = {{0, 0, 1, times, keys}, {0, PLEAT_NONE, 1, times, keys}};
    const pleat_gltf_edits edits = {1, &edit, 2, moves, 0, NULL};
    pleat_result result = pleat_gltf_write(asset, &edits, out_path("swept.gltf"), NULL, error);
    pleat_asset_destroy(asset);
    return result;
}

static uint64_t json_countdown = UINT64_MAX;

static void *json_malloc_that_fails(size_t size)
{
    return json_countdown-- == 0 ? NULL : malloc(size);
}

static void test_gltf_write_allocation_failures(void **state)
{
    (void)state;
    support_bytes glb = small_document("");
    support_sweep_allocations(edit_body, &glb);

    /* jansson's own: the sanitizers see leaks. */
    json_set_alloc_funcs(json_malloc_that_fails, free);
    pleat_result result = PLEAT_NO_MEMORY;
    for (uint64_t n = 0; result != PLEAT_OK; ++n)
    {
        pleat_error error = {0};
        json_countdown = n;
        result = edit_body(&glb, NULL, &error);
        assert_true(result == PLEAT_OK || result == PLEAT_NO_MEMORY || result == PLEAT_BAD_DATA);
        assert_true(n < 100000);
    }
    json_set_alloc_funcs(malloc, free);
    support_bytes_free(&glb);
}

/* ---- The judge ---- */

static void test_gltf_write_khronos_validator(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_write_unchanged_is_the_same),
        cmocka_unit_test(test_gltf_write_model_made_by_hand),
        cmocka_unit_test(test_gltf_write_small_files),
        cmocka_unit_test(test_gltf_write_asset_generator),
        cmocka_unit_test(test_gltf_write_keeps_numbers_and_text),
        cmocka_unit_test(test_gltf_write_edit_of_a_shared_mesh),
        cmocka_unit_test(test_gltf_write_drops_what_nothing_uses),
        cmocka_unit_test(test_gltf_write_adds_targets_to_a_character),
        cmocka_unit_test(test_gltf_write_cleans_influences),
        cmocka_unit_test(test_gltf_write_removes_stale_weights),
        cmocka_unit_test(test_gltf_write_decompresses),
        cmocka_unit_test(test_gltf_write_images),
        cmocka_unit_test(test_gltf_write_rejections),
        cmocka_unit_test(test_gltf_write_full_disk),
        cmocka_unit_test(test_gltf_write_allocation_failures),
        cmocka_unit_test(test_gltf_write_khronos_validator),
    };
    return cmocka_run_group_tests_name("gltf_write", tests, NULL, NULL);
}
