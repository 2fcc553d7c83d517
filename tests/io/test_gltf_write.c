/* glTF out: edits change what they should and nothing else, and the Khronos validator agrees. */
#include "support/gltf_file.h"

#include "support/glb.h"

#include <meshoptimizer.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const char *out = support_out_path("text.gltf");
    support_write_asset(asset, NULL, out);
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
    json_object_del(support_json_at(b, "buffers", 0), "uri");
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
    support_judge(out, NULL);
}

/* ---- Edits ---- */

/* What only the JSON shows: attributes that pleat has no place for came along, in their type, from the source vertices;
 * the new one; and everything around the mesh. */
static void check_edited_json(const char *path, size_t count, const uint32_t *source, const float (*squeezed)[3])
{
    support_opened o = support_open_glb(path);
    json_t *made = json_array_get(json_object_get(support_json_at(o.root, "meshes", 1), "primitives"), 0);
    json_t *attributes = json_object_get(made, "attributes");
    json_t *ids = support_json_at(o.root, "accessors", (size_t)json_integer_value(json_object_get(attributes, "_ID")));
    json_t *view =
        support_json_at(o.root, "bufferViews", (size_t)json_integer_value(json_object_get(ids, "bufferView")));
    assert_int_equal(json_integer_value(json_object_get(ids, "componentType")), 5121);
    assert_string_equal(json_string_value(json_object_get(ids, "name")), "ids");
    size_t stride = (size_t)json_integer_value(json_object_get(view, "byteStride"));
    assert_int_equal(stride, 4);
    for (size_t v = 0; v < count; ++v)
    {
        size_t offset = (size_t)json_integer_value(json_object_get(view, "byteOffset"));
        assert_int_equal(o.binary[offset + v * stride], 10 * (source[v] + 1));
    }
    assert_non_null(json_object_get(attributes, "TEXCOORD_1"));
    json_t *added =
        support_json_at(o.root, "accessors", (size_t)json_integer_value(json_object_get(attributes, "_COMPRESSION")));
    view = support_json_at(o.root, "bufferViews", (size_t)json_integer_value(json_object_get(added, "bufferView")));
    assert_string_equal(json_string_value(json_object_get(added, "type")), "VEC3");
    assert_memory_equal(o.binary + json_integer_value(json_object_get(view, "byteOffset")) +
                            json_integer_value(json_object_get(added, "byteOffset")),
                        squeezed, count * sizeof squeezed[0]);
    assert_true(json_real_value(json_object_get(json_object_get(made, "extras"), "p")) == 0.2);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(support_json_at(o.root, "meshes", 1), "extras"), "tag")),
        "x");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(support_json_at(o.root, "nodes", 0), "extras"), "keep")), 1);
    assert_int_equal(support_json_count(o.root, "cameras"), 1);
    support_close_glb(&o);
}

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
    const pleat_mesh_edit edit = {.node = 0, .mesh = &mesh, .source_vertex = sources};
    const float times[3] = {0, 0.5f, 1};
    const float keys[6] = {0, 0, 1, 0, 0, 1};
    const pleat_weights_edit moves[2] = {{0, 0, 3, times, keys}, {0, PLEAT_NONE, 3, times, keys}};
    const float squeezed[V][3] = {{0.5f, 1, 2}, {0.25f, 3, 4}, {1, 5, 6}, {1, 7, 8}, {1, 9, 10}, {1, 11, 12}};
    const float *const squeezes[] = {squeezed[0]};
    const pleat_attribute_edit attribute = {0, "_COMPRESSION", 3, squeezes};
    const pleat_gltf_edits edits = {.mesh_edit_count = 1,
                                    .mesh_edits = &edit,
                                    .weights_edit_count = 2,
                                    .weights_edits = moves,
                                    .attribute_edit_count = 1,
                                    .attribute_edits = &attribute};
    const char *out = support_out_path("edit.glb");
    support_write_asset(asset, &edits, out);

    pleat_asset *again = support_load_file(out);
    const pleat_model *read = pleat_asset_model(again);
    assert_int_equal(read->mesh_count, 2);
    assert_int_equal(read->nodes[0].mesh, 1);
    assert_int_equal(read->nodes[1].mesh, 0);
    support_same_primitive(&read->meshes[0].primitives[0], &model->meshes[0].primitives[0], 0);
    assert_string_equal(read->meshes[1].name, "m");
    assert_memory_equal(read->meshes[1].primitives[0].positions, positions, sizeof positions);
    assert_memory_equal(read->meshes[1].primitives[0].triangles, triangles, sizeof triangles);
    assert_memory_equal(read->meshes[1].primitives[0].targets[0].positions, lift, sizeof lift);
    static const pleat_vec3 none[V];
    assert_memory_equal(read->meshes[1].primitives[0].targets[1].positions, none, sizeof none);
    assert_memory_equal(read->meshes[1].primitives[0].uvs, uvs, sizeof uvs);
    assert_string_equal(read->meshes[1].target_names[1], "nothing");
    assert_true(read->meshes[1].weights[0] == 0.5f);
    assert_int_equal(read->clip_count, 2);
    assert_string_equal(read->clips[1].name, "bake");
    assert_int_equal(read->clips[0].channel_count, 2);
    assert_int_equal(read->clips[0].channels[1].path, PLEAT_WEIGHTS);
    assert_memory_equal(read->clips[0].channels[1].values, keys, sizeof keys);
    assert_memory_equal(read->clips[1].channels[0].times, times, sizeof times);

    check_edited_json(out, V, source, squeezed);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    support_judge(out, NULL);
}

static json_t *mesh_of(json_t *list, size_t index)
{
    return json_object_get(json_array_get(list, index), "mesh");
}

/* VRM 0.x names meshes by their place: where one node of two gets its own, what was said holds for both. Extras of
 * extensions and those that nobody knows come out as they were. */
static void test_gltf_write_vrm_follows_its_meshes(void **state)
{
    (void)state;
    pleat_asset *asset = small_asset(",'VRM','ACME_secret'],'extensions':{'ACME_secret':{'mesh':0,'deep':[1,{'a':null}]"
                                     "},'VRM':{'exporterVersion':'x',"
                                     "'firstPerson':{'meshAnnotations':[{'mesh':0,'firstPersonFlag':'Auto'}]},'"
                                     "blendShapeMaster':{'blendShapeGroups':["
                                     "{'name':'joy','binds':[{'mesh':0,'index':1,'weight':100}]}]}}},'reserved':[");
    const pleat_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2}, source[] = {0, 1, 2};
    const uint32_t *const sources[] = {source};
    pleat_primitive primitive = {
        .vertex_count = 3, .triangle_count = 1, .triangles = triangles, .positions = positions, .material = 0};
    pleat_mesh mesh = {.name = "", .primitive_count = 1, .primitives = &primitive};
    const pleat_mesh_edit edit = {.mesh = &mesh, .source_vertex = sources};
    const pleat_gltf_edits edits = {.mesh_edit_count = 1, .mesh_edits = &edit};
    const char *out = support_out_path("vrm.glb");
    support_write_asset(asset, &edits, out);
    support_opened o = support_open_glb(out);
    json_t *extensions = json_object_get(o.root, "extensions"), *vrm = json_object_get(extensions, "VRM");
    json_t *annotations = json_object_get(json_object_get(vrm, "firstPerson"), "meshAnnotations");
    json_t *groups = json_object_get(json_object_get(vrm, "blendShapeMaster"), "blendShapeGroups");
    json_t *binds = json_object_get(json_array_get(groups, 0), "binds");
    assert_int_equal(json_array_size(annotations), 2);
    assert_int_equal(json_array_size(binds), 2);
    assert_int_equal(json_integer_value(mesh_of(binds, 0)), 0);
    assert_int_equal(json_integer_value(mesh_of(binds, 1)), 1);
    assert_int_equal(json_integer_value(mesh_of(annotations, 1)), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(binds, 1), "index")), 1);
    json_t *secret = json_pack("{s:i,s:[i,{s:n}]}", "mesh", 0, "deep", 1, "a");
    assert_true(json_equal(json_object_get(extensions, "ACME_secret"), secret));
    json_decref(secret);
    support_close_glb(&o);
    pleat_asset_destroy(asset);
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
        const pleat_mesh_edit two[2] = {{.node = 0, .mesh = &mesh}, {.node = 1, .mesh = &mesh}};
        const pleat_gltf_edits edits = {.mesh_edit_count = 2,
                                        .mesh_edits = two,
                                        .weights_edit_count = 0,
                                        .weights_edits = NULL,
                                        .attribute_edit_count = 0,
                                        .attribute_edits = NULL};
        const char *out = support_out_path("drop%d.glb", unknown);
        support_write_asset(asset, &edits, out);
        support_opened o = support_open_glb(out);
        assert_int_equal(support_json_count(o.root, "meshes"), 1);
        assert_string_equal(json_string_value(json_object_get(support_json_at(o.root, "meshes", 0), "name")), "new");
        /* Two accessors of the animation and two new ones; with an extension that may refer to others, all. */
        assert_int_equal(support_json_count(o.root, "accessors"), unknown ? 8 : 4);
        assert_int_equal(support_json_count(o.root, "bufferViews"), unknown ? 8 : 4);
        support_close_glb(&o);
        pleat_asset *again = support_load_file(out);
        const pleat_model *read = pleat_asset_model(again);
        assert_memory_equal(read->meshes[0].primitives[0].positions, positions, sizeof positions);
        const pleat_channel *x = &read->clips[0].channels[0];
        const pleat_channel *y = &pleat_asset_model(asset)->clips[0].channels[0];
        support_same_bytes(x->values, y->values, 32);
        pleat_asset_destroy(again);
        pleat_asset_destroy(asset);
        support_judge(out, NULL);
    }
}

/* The bake's usual case: the very arrays of the model, plus targets. */
static void test_gltf_write_adds_targets_to_a_character(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "khr_cesium_man/CesiumMan.glb");
    char path[1024];
    snprintf(path, sizeof path, "%s", found);
    pleat_asset *asset = support_load_file(path);
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
    const pleat_mesh_edit edit = {.node = node, .mesh = &mesh, .source_vertex = NULL};
    const float times[2] = {0, 1};
    const float keys[4] = {0, 0, 1, 0.5f};
    const pleat_weights_edit moves = {node, 0, 2, times, keys};
    const pleat_gltf_edits edits = {.mesh_edit_count = 1,
                                    .mesh_edits = &edit,
                                    .weights_edit_count = 1,
                                    .weights_edits = &moves,
                                    .attribute_edit_count = 0,
                                    .attribute_edits = NULL};
    const char *out = support_out_path("targets.glb");
    support_write_asset(asset, &edits, out);

    support_opened a = support_open_glb(path);
    support_opened b = support_open_glb(out);
    json_t *before = json_array_get(json_object_get(support_json_at(a.root, "meshes", 0), "primitives"), 0);
    json_t *after = json_array_get(json_object_get(support_json_at(b.root, "meshes", 0), "primitives"), 0);
    assert_true(json_equal(json_object_get(before, "attributes"), json_object_get(after, "attributes")));
    assert_true(json_equal(json_object_get(before, "indices"), json_object_get(after, "indices")));
    const char *const kept[] = {"nodes", "materials", "textures", "images", "skins", "scenes", "asset", "samplers"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
    {
        assert_true(json_equal(json_object_get(a.root, kept[i]), json_object_get(b.root, kept[i])) ||
                    !json_object_get(a.root, kept[i]));
    }
    /* No engine misreads dense targets: two lose those that are sparse without a view. */
    for (size_t i = 0; i < json_array_size(json_object_get(b.root, "accessors")); ++i)
    {
        assert_null(json_object_get(support_json_at(b.root, "accessors", i), "sparse"));
        assert_non_null(json_object_get(support_json_at(b.root, "accessors", i), "bufferView"));
    }
    support_close_glb(&a);
    support_close_glb(&b);
    pleat_asset *again = support_load_file(out);
    const pleat_primitive *read = &pleat_asset_model(again)->meshes[model->nodes[node].mesh].primitives[0];
    assert_memory_equal(read->targets[0].positions, full, primitive.vertex_count * sizeof *full);
    assert_memory_equal(read->targets[0].normals, few, primitive.vertex_count * sizeof *few);
    assert_memory_equal(read->targets[1].positions, few, primitive.vertex_count * sizeof *few);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    free(full);
    free(few);
    support_judge(out, path);
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
    const char *out = support_out_path("influences.glb");
    support_write_asset(asset, NULL, out);
    pleat_asset *again = support_load_file(out);
    const pleat_primitive *read = &pleat_asset_model(again)->meshes[0].primitives[0];
    assert_int_equal(read->influence_count, 8);
    assert_true(read->joints[0] == 1 && read->weights[0] == 0.5f && read->joints[1] == 0 && read->weights[1] == 0.5f);
    assert_true(read->joints[8] == 300 && read->joints[3] == 0 && read->weights[16] == 1);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    support_judge(out, NULL);
}

/* Old weights channels do not fit a mesh with another number of targets: they go, and a clip left empty goes. */
static void test_gltf_write_removes_stale_weights(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "cwf_twist_cylinder/twist_cylinder_morph.glb");
    pleat_asset *asset = support_load_file(found);
    const pleat_model *model = pleat_asset_model(asset);
    pleat_mesh mesh = model->meshes[0];
    assert_true(mesh.target_count > 1 && model->clip_count == 1 && model->clips[0].channel_count == 1);
    mesh.target_count = 1;
    mesh.weights = NULL;
    mesh.target_names = NULL;
    const pleat_mesh_edit edit = {.node = model->clips[0].channels[0].node, .mesh = &mesh};
    pleat_gltf_edits edits = {.mesh_edit_count = 1,
                              .mesh_edits = &edit,
                              .weights_edit_count = 0,
                              .weights_edits = NULL,
                              .attribute_edit_count = 0,
                              .attribute_edits = NULL};
    const char *out = support_out_path("stale.glb");
    support_write_asset(asset, &edits, out);
    pleat_asset *again = support_load_file(out);
    assert_int_equal(pleat_asset_model(again)->clip_count, 0);
    assert_int_equal(pleat_asset_model(again)->meshes[0].target_count, 1);
    pleat_asset_destroy(again);
    support_judge(out, NULL);
    const float times[1] = {0};
    const float keys[1] = {1};
    const pleat_weights_edit moves = {edit.node, 0, 1, times, keys};
    edits.weights_edit_count = 1;
    edits.weights_edits = &moves;
    out = support_out_path("replaced.glb");
    support_write_asset(asset, &edits, out);
    again = support_load_file(out);
    assert_int_equal(pleat_asset_model(again)->clip_count, 1);
    assert_int_equal(pleat_asset_model(again)->clips[0].channel_count, 1);
    assert_int_equal(pleat_asset_model(again)->clips[0].channels[0].key_count, 1);
    pleat_asset_destroy(again);
    pleat_asset_destroy(asset);
    support_judge(out, NULL);
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
    const char *out = support_out_path("plain.glb");
    support_write_asset(asset, NULL, out);
    support_opened o = support_open_glb(out);
    assert_null(json_object_get(o.root, "extensionsUsed"));
    assert_null(json_object_get(o.root, "extensionsRequired"));
    assert_null(json_object_get(support_json_at(o.root, "bufferViews", 0), "extensions"));
    assert_int_equal(support_json_count(o.root, "buffers"), 1);
    assert_int_equal(o.binary_size, 48);
    assert_memory_equal(o.binary, square, sizeof square);
    support_close_glb(&o);
    pleat_asset_destroy(asset);
    support_bytes_free(&glb);
    support_bytes_free(&b);
    support_judge(out, NULL);
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
    mkdir(support_out_path("other"), 0777);
    assert_int_equal(pleat_png_write(support_out_path("a picture.png"), 2, 2, 3, 8, pixels, &error), PLEAT_OK);
    assert_int_equal(pleat_file_write(support_out_path("images.gltf"), json, sizeof json - 1, &error), PLEAT_OK);
    support_log log;
    pleat_host host = support_logging_host(&log);
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(support_out_path("images.gltf"), NULL, &host, &asset, &error), PLEAT_OK);
    support_write_asset(asset, NULL, support_out_path("images.glb"));
    assert_non_null(strstr(log.text, "images[1].uri stays as it is: "));
    assert_non_null(strstr(log.text, "images[2].uri stays as it is: the file is of no known kind of image"));
    support_opened o = support_open_glb(support_out_path("images.glb"));
    assert_string_equal(json_string_value(json_object_get(support_json_at(o.root, "images", 0), "mimeType")),
                        "image/png");
    assert_null(json_object_get(support_json_at(o.root, "images", 0), "uri"));
    assert_string_equal(json_string_value(json_object_get(support_json_at(o.root, "images", 1), "uri")), "none.png");
    void *png;
    size_t size;
    assert_int_equal(pleat_file_read(support_out_path("a picture.png"), NULL, &png, &size, &error), PLEAT_OK);
    assert_memory_equal(o.binary, png, size);
    pleat_file_free(NULL, png, size);
    support_close_glb(&o);
    support_write_asset(asset, NULL, support_out_path("images2.gltf"));
    support_write_asset(asset, NULL, support_out_path("other/images.gltf"));
    json_t *beside = json_load_file(support_out_path("images2.gltf"), 0, NULL);
    json_t *elsewhere = json_load_file(support_out_path("other/images.gltf"), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(support_json_at(beside, "images", 0), "uri")),
                        "a%20picture.png");
    assert_null(json_object_get(beside, "buffers"));
    assert_true(access(support_out_path("images2.bin"), R_OK) != 0); /* no data, no file */
    assert_non_null(json_object_get(support_json_at(elsewhere, "images", 0), "bufferView"));
    assert_true(access(support_out_path("other/images.bin"), R_OK) == 0);
    json_decref(beside);
    json_decref(elsewhere);
    pleat_asset_destroy(asset);
}

/* ---- Rejections and faults ---- */

static void refuse(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *part)
{
    pleat_error error = {0};
    const char *out = support_out_path("kept.glb");
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
    assert_int_equal(pleat_gltf_write(asset, NULL, support_out_path("none/x.glb"), NULL, &error), PLEAT_FILE_ERROR);

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
    pleat_mesh_edit two[2] = {{.node = 0, .mesh = &mesh}, {.node = 0, .mesh = &mesh}};
    float times[2] = {0, 1};
    float keys[2] = {0, 1};
    pleat_weights_edit moves[2] = {{0, 0, 2, times, keys}, {0, 0, 2, times, keys}};
    pleat_gltf_edits edits = {.mesh_edit_count = 2,
                              .mesh_edits = two,
                              .weights_edit_count = 0,
                              .weights_edits = NULL,
                              .attribute_edit_count = 0,
                              .attribute_edits = NULL};
    refuse(asset, &edits, "mesh_edits[1].node is 0, which another edit has already");
    two[1].node = 3;
    refuse(asset, &edits, "mesh_edits[1].node is 3; there are 3 nodes");
    edits = (pleat_gltf_edits){.mesh_edit_count = 1,
                               .mesh_edits = two,
                               .weights_edit_count = 2,
                               .weights_edits = moves,
                               .attribute_edit_count = 0,
                               .attribute_edits = NULL};
    refuse(asset, &edits, "weights_edits[0] and [1] are for the same node and clip");
    float values[3] = {0, 1, NAN};
    const float *const lists[] = {values};
    pleat_attribute_edit attribute = {1, "_A", 1, lists};
    edits = (pleat_gltf_edits){.mesh_edit_count = 1,
                               .mesh_edits = two,
                               .weights_edit_count = 0,
                               .weights_edits = NULL,
                               .attribute_edit_count = 1,
                               .attribute_edits = &attribute};
    refuse(asset, &edits, "attribute_edits[0].node is 1, which no mesh edit is for");
    attribute.node = 0;
    refuse(asset, &edits, "a number to be written is not finite");
    attribute.width = 5;
    refuse(asset, &edits, "width is 5; it can be 1 to 4");
    attribute.name = "_small";
    refuse(asset, &edits, "name is '_small'");
    edits = (pleat_gltf_edits){.mesh_edit_count = 1,
                               .mesh_edits = two,
                               .weights_edit_count = 2,
                               .weights_edits = moves,
                               .attribute_edit_count = 0,
                               .attribute_edits = NULL};
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
    const char *out = support_out_path("full.glb");
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
    const pleat_mesh_edit edit = {.node = 0, .mesh = &mesh, .source_vertex = sources};
    const float times[1] = {0};
    const float keys[2] = {0, 1};
    const pleat_weights_edit moves[2] = {{0, 0, 1, times, keys}, {0, PLEAT_NONE, 1, times, keys}};
    const pleat_gltf_edits edits = {.mesh_edit_count = 1,
                                    .mesh_edits = &edit,
                                    .weights_edit_count = 2,
                                    .weights_edits = moves,
                                    .attribute_edit_count = 0,
                                    .attribute_edits = NULL};
    pleat_result result = pleat_gltf_write(asset, &edits, support_out_path("swept.gltf"), NULL, error);
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
    support_validate();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_write_keeps_numbers_and_text),
        cmocka_unit_test(test_gltf_write_edit_of_a_shared_mesh),
        cmocka_unit_test(test_gltf_write_vrm_follows_its_meshes),
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
