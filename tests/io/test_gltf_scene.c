/* glTF in: node trees, skins and clips. */
#include "support/support.h"

#include "support/glb.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* ---- Nodes and scenes ---- */

static void test_gltf_scene_nodes_scene_order_and_transforms(void **state)
{
    (void)state;
    pleat_asset *asset =
        support_parse("{'asset':{'version':'2.0'},'scene':1,'scenes':[{'nodes':[0]},{'nodes':[5,0]}],'nodes':["
                      "{'name':'a','children':[3,1],'matrix':[0,2,0,0, -1,0,0,0, 0,0,3,0, 7,8,9,1]},"
                      "{'name':'b','translation':[7,8,9],'rotation':[0,0,0.70710678,0.70710678],'scale':[2,1,3]},"
                      "{'name':'c'},{'children':[4]},{},{}]}",
                      NULL);
    const pleat_model *model = pleat_asset_model(asset);
    const uint32_t scene[] = {5, 0, 1, 3, 4};
    assert_int_equal(model->scene_node_count, 5);
    assert_memory_equal(model->scene_nodes, scene, sizeof scene);
    assert_true(model->nodes[0].has_matrix && !model->nodes[1].has_matrix);
    for (int i = 0; i < 12; ++i)
    {
        assert_true(fabsf(model->nodes[0].local_matrix.row[i / 4][i % 4] -
                          model->nodes[1].local_matrix.row[i / 4][i % 4]) < 1e-6f);
    }
    assert_true(fabsf(model->nodes[0].local.scale.x - 2) < 1e-6f); /* the same TRS, for clips that drive the node */
    uint32_t place[6];
    for (uint32_t i = 0; i < 6; ++i)
    {
        place[model->node_order[i]] = i;
    }
    for (uint32_t i = 0; i < 6; ++i)
    {
        assert_true(model->nodes[i].parent == PLEAT_NONE || place[model->nodes[i].parent] < place[i]);
    }
    pleat_asset_destroy(asset);

    /* No default: scene 0. No scene: all roots. */
    asset = support_parse("{'asset':{'version':'2.0'},'scenes':[{'nodes':[1]}],'nodes':[{},{}]}", NULL);
    assert_int_equal(pleat_asset_model(asset)->scene_node_count, 1);
    assert_int_equal(pleat_asset_model(asset)->scene_nodes[0], 1);
    pleat_asset_destroy(asset);
    asset = support_parse("{'asset':{'version':'2.0'},'nodes':[{'children':[1]},{},{}]}", NULL);
    assert_int_equal(pleat_asset_model(asset)->scene_node_count, 3);
    pleat_asset_destroy(asset);
}

/* What has no name goes by what shows it or is shown by it, or by its number. */
static void test_gltf_scene_names(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    pleat_asset *asset = support_parse(
        support_text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'name':'coat'},{'mesh':1},{'mesh':2},{'name':''}],"
                     "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]},"
                     "{'name':'hat','primitives':[{'attributes':{'POSITION':0}}]},"
                     "{'primitives':[{'attributes':{'POSITION':0}}]}],"
                     "'animations':[{'name':'run','samplers':[],'channels':[]},{'samplers':[],'channels':[]}],"
                     "'accessors':[" SUPPORT_POSITIONS "],'bufferViews':[" SUPPORT_VIEW_0 "],"
                     "'buffers':[{'byteLength':%zu}]}",
                     b.size),
        &b);
    const pleat_model *model = pleat_asset_model(asset);
    static const char *const nodes[] = {"coat", "hat", "mesh 2", "node 3"};
    for (int i = 0; i < 4; ++i)
    {
        assert_string_equal(model->nodes[i].name, nodes[i]);
    }
    assert_string_equal(model->meshes[0].name, "");
    assert_string_equal(model->meshes[1].name, "hat");
    assert_string_equal(model->meshes[2].name, "mesh 2");
    assert_string_equal(model->clips[0].name, "run");
    assert_string_equal(model->clips[1].name, "clip 1");
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

static void test_gltf_scene_refuses_graphs_that_are_no_trees(void **state)
{
    (void)state;
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[1]},{'children':[0]}]}", NULL,
                   "nodes[0] is its own ancestor");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{},{'children':[1]}]}", NULL, "nodes[1] is its own ancestor");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[2]},{'children':[2]},{}]}", NULL,
                   "nodes[1].children[0] is 2, which is already a child of nodes[0]");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[5]}]}", NULL,
                   "nodes[0].children[0] is 5; there are 1 nodes");
    support_refuse("{'asset':{'version':'2.0'},'scenes':[{'nodes':[1]}],'nodes':[{}]}", NULL,
                   "scenes[0].nodes[0] is 1; there are 1 nodes");
    support_refuse("{'asset':{'version':'2.0'},'scene':2,'scenes':[{}]}", NULL, "scene is 2; there are 1 scenes");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'matrix':[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]}", NULL,
                   "nodes[0].matrix has a last row of (1, 0, 0, 1)");
}

/* ---- Skins ---- */

/* Four vertices, a skin of three joints; joints and weights as given. */
static const char *skinned(const char *attributes, const char *accessors, size_t size)
{
    return support_text(
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'skin':0},{},{},{}],'skins':[{'joints':[1,2,3]}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0%s}}]}],"
        "'accessors':[" SUPPORT_POSITIONS "%s],'bufferViews':[" SUPPORT_VIEW_0
        ",{'buffer':0,'byteOffset':48,'byteLength':%zu}],"
        "'buffers':[{'byteLength':%zu}]}",
        attributes, accessors, size - 48, size);
}

#define JOINTS_U8(offset) ",{'bufferView':1,'byteOffset':" #offset ",'componentType':5121,'type':'VEC4','count':4}"
#define WEIGHTS_F(offset) ",{'bufferView':1,'byteOffset':" #offset ",'componentType':5126,'type':'VEC4','count':4}"
#define ONE_SET ",'JOINTS_0':1,'WEIGHTS_0':2"

static support_bytes skin_bytes(const uint8_t joints[4][4], const float weights[4][4])
{
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_put(&b, joints, 16);
    support_put(&b, weights, 64);
    return b;
}

static void test_gltf_scene_skin_weights(void **state)
{
    (void)state;
    uint8_t joints[4][4] = {{0, 1, 2, 0}, {1, 0, 0, 0}, {2, 1, 0, 0}, {0, 0, 0, 200}};
    float weights[4][4] = {{0.5f, 0.25f, 0.25f, 0}, {1, 0, 0, 0}, {2, 6, 0, 0}, {1, 0, 0, 0}};
    const char *accessors = JOINTS_U8(0) WEIGHTS_F(16);
    support_bytes b = skin_bytes(joints, weights);
    pleat_asset *asset = support_parse(skinned(ONE_SET, accessors, b.size), &b);
    const pleat_primitive *p = support_first_primitive(asset);
    assert_int_equal(p->influence_count, 4);
    assert_memory_equal(p->weights, weights[0], 16); /* untouched where they are right */
    assert_true(p->weights[8] == 0.25f && p->weights[9] == 0.75f);
    assert_int_equal(p->joints[15], 0);
    assert_non_null(strstr(support_warnings.text, "the weights of 1 vertices do not add up to 1 (one has 8)"));
    assert_non_null(strstr(support_warnings.text, "1 joints that the skin does not have"));
    const pleat_skin *skin = &pleat_asset_model(asset)->skins[0];
    pleat_affine identity = pl_affine_identity();
    assert_memory_equal(&skin->inverse_binds[2], &identity, sizeof identity);
    pleat_asset_destroy(asset);

    static const struct
    {
        int vertex, influence;
        uint8_t joint;
        float weight;
        const char *says;
    } bad[] = {
        {1, 0, 3, 1, "JOINTS_0: joint 0 of vertex 1 is 3; the skin has 3 joints"},
        {1, 2, 1, -1, "WEIGHTS_0: weight 2 of vertex 1 is -1"},
        {2, 3, 0, NAN, "WEIGHTS_0: weight 3 of vertex 2 is nan"},
        {2, 3, 0, INFINITY, "WEIGHTS_0: weight 3 of vertex 2 is inf"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        b.data[48 + bad[i].vertex * 4 + bad[i].influence] = bad[i].joint;
        memcpy(b.data + 64 + bad[i].vertex * 16 + bad[i].influence * 4, &bad[i].weight, 4);
        support_refuse(skinned(ONE_SET, accessors, b.size), &b, bad[i].says);
        memcpy(b.data + 48, joints, 16);
        memcpy(b.data + 64, weights, 64);
    }
    support_refuse(skinned(",'JOINTS_0':1", accessors, b.size), &b, "has JOINTS_0 without WEIGHTS_0");
    support_refuse(skinned(",'WEIGHTS_0':2", accessors, b.size), &b, "has WEIGHTS_0 without JOINTS_0");
    support_refuse(skinned(",'JOINTS_0':2,'WEIGHTS_0':2", accessors, b.size), &b,
                   "componentType is 5126; it can be 5121 or 5123");
    support_bytes_free(&b);
}

/* A vertex that no joint holds goes with the first of its joints; the others stay as they are. */
static void test_gltf_scene_vertices_without_weight(void **state)
{
    (void)state;
    uint8_t joints[4][4] = {{0, 1, 2, 0}, {2, 1, 0, 0}, {2, 1, 0, 0}, {200, 0, 0, 0}};
    float weights[4][4] = {{0.5f, 0.5f, 0, 0}, {0, 0, 0, 0}, {0.5f, 0.5f, 0, 0}, {0, 0, 0, 0}};
    support_bytes b = skin_bytes(joints, weights);
    pleat_asset *asset = support_parse(skinned(ONE_SET, JOINTS_U8(0) WEIGHTS_F(16), b.size), &b);
    const pleat_primitive *p = support_first_primitive(asset);
    const float whole[4] = {1, 0, 0, 0};
    assert_memory_equal(p->weights, weights[0], 16);
    assert_memory_equal(p->weights + 4, whole, 16);
    assert_memory_equal(p->weights + 12, whole, 16);
    assert_int_equal(p->joints[4], 2);
    assert_int_equal(p->joints[12], 0);
    assert_non_null(strstr(support_warnings.text, "2 vertices have no weight at all"));
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* Three sets: twelve influences of weights 1..12; the eight largest stay, in order, and add up to 1. */
static void test_gltf_scene_more_than_eight_influences(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    for (int set = 0; set < 3; ++set)
    {
        uint8_t joints[4][4];
        float weights[4][4];
        for (int i = 0; i < 16; ++i)
        {
            joints[i / 4][i % 4] = (uint8_t)((set * 4 + i % 4) % 3);
            weights[i / 4][i % 4] = (float)(1 + set * 4 + i % 4) / 78.0f;
        }
        support_put(&b, joints, 16);
        support_put(&b, weights, 64);
    }
    const char *accessors = JOINTS_U8(0) WEIGHTS_F(16) JOINTS_U8(80) WEIGHTS_F(96) JOINTS_U8(160) WEIGHTS_F(176);
    pleat_asset *asset =
        support_parse(skinned(",'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,'WEIGHTS_1':4", accessors, b.size), &b);
    const pleat_primitive *p = support_first_primitive(asset);
    assert_int_equal(p->influence_count, 8);
    for (int i = 0; i < 8; ++i)
    {
        assert_true(fabsf(p->weights[8 + i] - (float)(1 + i) / 36.0f) < 1e-6f);
        assert_int_equal(p->joints[8 + i], i % 3);
    }
    pleat_asset_destroy(asset);
    asset = support_parse(
        skinned(",'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,'WEIGHTS_1':4,'JOINTS_2':5,'WEIGHTS_2':6", accessors, b.size),
        &b);
    p = support_first_primitive(asset);
    assert_int_equal(p->influence_count, 8);
    for (int i = 0; i < 8; ++i)
    {
        assert_true(fabsf(p->weights[8 + i] - (float)(5 + i) / 68.0f) < 1e-6f); /* 5 + 6 + ... + 12 = 68 */
        assert_int_equal(p->joints[8 + i], (4 + i) % 3);
    }
    assert_non_null(strstr(support_warnings.text, "4 vertices have more than 8 influences"));
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

static void test_gltf_scene_inverse_bind_matrices(void **state)
{
    (void)state;
    float matrices[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1},
                             {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    support_bytes b = {0};
    support_put(&b, matrices, sizeof matrices);
    const char *format = "{'asset':{'version':'2.0'},'nodes':[{},{}],'skins':[{'joints':[%s],'inverseBindMatrices':0}],"
                         "'accessors':[{'bufferView':0,'componentType':5126,'type':'MAT4','count':2}],"
                         "'bufferViews':[{'buffer':0,'byteLength':128}],'buffers':[{'byteLength':128}]}";
    pleat_asset *asset = support_parse(support_text(format, "0,1"), &b);
    const pleat_skin *skin = &pleat_asset_model(asset)->skins[0];
    assert_true(skin->inverse_binds[0].row[0][3] == 4 && skin->inverse_binds[0].row[2][3] == 6);
    assert_true(skin->inverse_binds[1].row[0][0] == 2);
    pleat_asset_destroy(asset);
    support_refuse(support_text(format, "0,1,1"), &b, "skins[0].inverseBindMatrices: accessors[0] has 2 elements");
    support_refuse(support_text(format, ""), &b, "skins[0] has 0 joints");
    support_refuse(support_text(format, "0,2"), &b, "skins[0].joints[1] is 2; there are 2 nodes");
    matrices[1][5] = INFINITY;
    memcpy(b.data, matrices, sizeof matrices);
    support_refuse(support_text(format, "0,1"), &b, "matrix 1 of accessors[0] is not finite");
    matrices[1][5] = 1;
    matrices[1][3] = 0.5f;
    memcpy(b.data, matrices, sizeof matrices);
    support_refuse(support_text(format, "0,1"), &b, "matrix 1 of accessors[0] has a last row other than 0 0 0 1");
    support_bytes_free(&b);
}

/* ---- Clips ---- */

static const char *animated(const char *channels, const char *samplers)
{
    return support_text(
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':0},{'POSITION':0}]}]}],"
        "'animations':[{'name':'wave','channels':[%s],'samplers':[%s]}],"
        "'accessors':[" SUPPORT_POSITIONS ",{'bufferView':1,'componentType':5126,'type':'SCALAR','count':2},"
        "{'bufferView':2,'componentType':5126,'type':'VEC3','count':2},"
        "{'bufferView':2,'componentType':5126,'type':'VEC3','count':6},"
        "{'bufferView':3,'componentType':5122,'normalized':true,'type':'VEC4','count':2},"
        "{'bufferView':2,'componentType':5126,'type':'SCALAR','count':4}],"
        "'bufferViews':[" SUPPORT_VIEW_0
        ",{'buffer':0,'byteOffset':48,'byteLength':8},{'buffer':0,'byteOffset':56,'byteLength':72},"
        "{'buffer':0,'byteOffset':128,'byteLength':16}],'buffers':[{'byteLength':144}]}",
        channels, samplers);
}

static void test_gltf_scene_clips(void **state)
{
    (void)state;
    float times[2] = {0.5f, 2};
    float values[18];
    for (int i = 0; i < 18; ++i)
    {
        values[i] = (float)i;
    }
    const int16_t rotations[8] = {0, 0, 0, 32767, 0, 32767, 0, -32768};
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_put(&b, times, sizeof times);
    support_put(&b, values, sizeof values);
    support_put(&b, rotations, sizeof rotations);
    const char *samplers =
        "{'input':1,'output':2,'interpolation':'STEP'},{'input':1,'output':3,'interpolation':'CUBICSPLINE'},"
        "{'input':1,'output':4},{'input':1,'output':5}";
    pleat_asset *asset = support_parse(
        animated("{'sampler':0,'target':{'node':1,'path':'translation'}},"
                 "{'sampler':1,'target':{'node':1,'path':'scale'}},"
                 "{'sampler':2,'target':{'node':1,'path':'rotation'}},"
                 "{'sampler':3,'target':{'node':0,'path':'weights'}},"
                 "{'sampler':0,'target':{'path':'translation'}},"
                 "{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'/x'}}}},"
                 "{'sampler':3,'target':{'node':1,'path':'weights'}},"
                 "{'sampler':1,'target':{'node':1,'path':'translation'}}",
                 samplers),
        &b);
    const pleat_clip *clip = &pleat_asset_model(asset)->clips[0];
    assert_string_equal(clip->name, "wave");
    assert_true(clip->start == 0.5f && clip->end == 2);
    assert_int_equal(clip->points.node, PLEAT_NONE);
    assert_int_equal(clip->channel_count, 4);
    static const pleat_interpolation kinds[] = {PLEAT_STEP, PLEAT_CUBICSPLINE, PLEAT_LINEAR, PLEAT_LINEAR};
    static const uint32_t widths[] = {3, 3, 4, 2};
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(clip->channels[i].interpolation, kinds[i]);
        assert_int_equal(clip->channels[i].width, widths[i]);
        assert_int_equal(clip->channels[i].key_count, 2);
        assert_memory_equal(clip->channels[i].times, times, sizeof times);
    }
    assert_memory_equal(clip->channels[1].values, values, sizeof values);
    assert_true(clip->channels[2].values[5] == 1 && clip->channels[2].values[7] == -1);
    assert_non_null(strstr(support_warnings.text, "path is \"pointer\""));
    assert_non_null(strstr(support_warnings.text, "nodes[1] has no morph targets"));
    assert_non_null(strstr(support_warnings.text, "another channel drives the translation of nodes[1] already"));
    pleat_asset_destroy(asset);

    const char *move = "{'sampler':0,'target':{'node':1,'path':'translation'}}";
    support_refuse(animated(move, "{'input':1,'output':3}"), &b,
                   "samplers[0].output: accessors[3] has 6 elements; 2 keys need 2");
    support_refuse(animated(move, "{'input':1,'output':4}"), &b, "accessors[4] has 4 numbers an element; 3 are needed");
    support_refuse(animated(move, "{'input':1}"), &b, "animations[0].samplers[0].output is missing");
    support_refuse(animated(move, "{'input':1,'output':2,'interpolation':'BEZIER'}"), &b,
                   "interpolation is \"BEZIER\"");
    support_refuse(animated(move, ""), &b, "animations[0].channels[0].sampler is 0; there are 0 samplers");
    support_refuse(animated("{'sampler':0,'target':{'node':9,'path':'scale'}}", samplers), &b,
                   "animations[0].channels[0].target.node is 9; there are 2 nodes");
    static const float wrong[][2] = {{1, 1}, {2, 1}, {-1, 1}, {0, NAN}, {0, INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        memcpy(b.data + 48, wrong[i], 8);
        support_refuse(animated(move, samplers), &b, "times must be finite, at least 0, and increase");
    }
    memcpy(b.data + 48, times, 8);
    memcpy(b.data + 56 + 16, &(float){NAN}, 4);
    support_refuse(animated(move, samplers), &b, "samplers[0].output: element 1 of accessors[2] is not finite");
    support_bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_scene_nodes_scene_order_and_transforms),
        cmocka_unit_test(test_gltf_scene_names),
        cmocka_unit_test(test_gltf_scene_refuses_graphs_that_are_no_trees),
        cmocka_unit_test(test_gltf_scene_skin_weights),
        cmocka_unit_test(test_gltf_scene_vertices_without_weight),
        cmocka_unit_test(test_gltf_scene_more_than_eight_influences),
        cmocka_unit_test(test_gltf_scene_inverse_bind_matrices),
        cmocka_unit_test(test_gltf_scene_clips),
    };
    return cmocka_run_group_tests_name("gltf_scene", tests, NULL, NULL);
}
