/* glTF in: the container, its buffers and what lies outside them, and memory. */
#include "support/support.h"

#include "support/glb.h"
#include <jansson.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Container ---- */

static void test_gltf_container_every_cut_glb_is_refused(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_bytes glb =
        support_glb(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), b.data, b.size);
    for (size_t size = 0; size < glb.size; ++size)
    {
        /* A block of exactly this size, so that a sanitizer sees a read beyond it. */
        unsigned char *cut = malloc(size ? size : 1);
        memcpy(cut, glb.data, size);
        pleat_error error = {0};
        assert_int_not_equal(support_parse_bytes(cut, size, &error), PLEAT_OK);
        assert_true(strncmp(error.message, "t.glb: ", 7) == 0);
        free(cut);
    }
    pleat_error error = {0};
    assert_int_equal(support_parse_bytes(glb.data, glb.size, &error), PLEAT_OK);
    support_bytes_free(&glb);
    support_bytes_free(&b);
}

static void test_gltf_container_container_faults_name_their_byte(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_bytes glb =
        support_glb(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), b.data, b.size);
    static const struct
    {
        size_t offset;
        uint32_t value;
        pleat_result result;
        const char *says;
    } cases[] = {
        {0, 0x12345678, PLEAT_BAD_DATA, "byte 0: the file does not begin with \"glTF\""},
        {4, 1, PLEAT_UNSUPPORTED, "byte 4: GLB version 1; pleat reads version 2"},
        {8, 0x7fffffff, PLEAT_BAD_DATA, "byte 8: the header says 2147483647 bytes; the file was cut"},
        {12, 0xfffffff0, PLEAT_BAD_DATA, "byte 12: a chunk of 4294967280 bytes"},
        {16, 0x004E4942, PLEAT_BAD_DATA, "byte 16: the first chunk is of type 0x004e4942; it must be JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        uint32_t kept;
        memcpy(&kept, glb.data + cases[i].offset, 4);
        memcpy(glb.data + cases[i].offset, &cases[i].value, 4);
        pleat_error error = {0};
        assert_int_equal(support_parse_bytes(glb.data, glb.size, &error), cases[i].result);
        assert_non_null(strstr(error.message, cases[i].says));
        memcpy(glb.data + cases[i].offset, &kept, 4);
    }
    support_bytes_free(&glb);
    support_bytes_free(&b);
}

static void test_gltf_container_json_faults(void **state)
{
    (void)state;
    support_refuse("{'asset':{'version':'2.0'},}", NULL, "JSON line 1, column");
    support_refuse("[1]", NULL, "the JSON text is no object");
    support_refuse("{'asset':{'version':'2.0'},'asset':1}", NULL, "duplicate object key");
    support_refuse("{}", NULL, "asset.version is missing");
    support_refuse("{'asset':{'version':2}}", NULL, "asset.version is a whole number; it must be a string");
    support_refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'1.0'}}", NULL,
                      "asset.version is 1.0; pleat reads glTF 2.0");
    support_refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'2.1','minVersion':'2.1'}}", NULL,
                      "asset.minVersion is 2.1");
    support_refuse("{'asset':{'version':'2.0'},'nodes':{}}", NULL, "nodes is an object; it must be an array");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[3]}", NULL, "nodes[0] is a whole number; it must be an object");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'mesh':-1}]}", NULL,
                   "nodes[0].mesh is -1; there are 0 meshes");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'mesh':1.5}]}", NULL,
                   "nodes[0].mesh is 1.5; there are 0 meshes");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'rotation':[0,0,1]}]}", NULL,
                   "nodes[0].rotation has 3 numbers; it must have 4");
    support_refuse("{'asset':{'version':'2.0'},'nodes':[{'scale':[1e300,0,1]}]}", NULL,
                   "nodes[0].scale[0] is 1e+300; it must be a finite number");
    support_refuse("{'asset':{'version':'2.0'},'meshes':[{}]}", NULL, "meshes[0].primitives is missing");

    /* Nesting without end, and a tree far larger than its text. */
    size_t depth = 200000;
    char *deep = malloc(depth + 1);
    memset(deep, '[', depth);
    deep[depth] = 0;
    support_refuse(deep, NULL, "maximum parsing depth reached");
    free(deep);
    pleat_asset *asset =
        support_parse("{'asset':{'version':'2.0'},'extras':'\\u0000','extensionsUsed':['FAKE_thing']}", NULL);
    assert_int_equal(pleat_asset_model(asset)->node_count, 0);
    pleat_asset_destroy(asset);
}

static void test_gltf_container_a_tree_larger_than_the_limit_is_not_built(void **state)
{
    (void)state;
    size_t count = 200000;
    char *json = malloc(count * 3 + 64);
    char *end = json + sprintf(json, "{'asset':{'version':'2.0'},'extras':[");
    for (size_t i = 0; i < count; ++i)
    {
        end += sprintf(end, "{},");
    }
    sprintf(end, "{}]}");
    support_bytes glb = support_glb(json, NULL, 0);
    pleat_host host = pleat_host_default();
    host.memory_limit = 8 << 20; /* the text has 0.6 MiB, the tree about 60 */
    pleat_asset *asset;
    pleat_error error = {0};
    assert_int_equal(pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "t.glb", &host, &asset, &error),
                     PLEAT_OVER_LIMIT);
    assert_int_equal(support_parse_bytes(glb.data, glb.size, &error), PLEAT_OK);
    support_bytes_free(&glb);
    free(json);
}

/* ---- Accessors and views ---- */

static void test_gltf_container_refuses_what_lies_outside_its_buffer(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    static const struct
    {
        const char *accessor, *view;
        const char *says;
    } cases[] = {
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':5}", SUPPORT_VIEW_0,
         "accessors[0].count is 5; the buffer view has room for 4"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'byteOffset':4}", SUPPORT_VIEW_0,
         "accessors[0].count is 4; the buffer view has room for 3"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'byteOffset':9223372036854775807}",
         SUPPORT_VIEW_0, "accessors[0].byteOffset is 9223372036854775807; the buffer view has 48 bytes"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':9223372036854775807}", SUPPORT_VIEW_0,
         "accessors[0].count is 9223372036854775807; the buffer view has room for 4"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':0}", SUPPORT_VIEW_0,
         "accessors[0].count is 0 or missing"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':-3}", SUPPORT_VIEW_0, "accessors[0].count is -3"},
        {"{'bufferView':1,'componentType':5126,'type':'VEC3','count':4}", SUPPORT_VIEW_0,
         "accessors[0].bufferView is 1; there are 1 buffer views"},
        {"{'bufferView':0,'componentType':5124,'type':'VEC3','count':4}", SUPPORT_VIEW_0,
         "accessors[0].componentType is 5124"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC5','count':4}", SUPPORT_VIEW_0,
         "accessors[0].type is \"VEC5\""},
        {"{'bufferView':0,'componentType':5126,'type':'VEC2','count':4}", SUPPORT_VIEW_0,
         "attributes.POSITION: accessors[0] has 2 numbers an element"},
        {SUPPORT_POSITIONS, "{'buffer':0,'byteLength':49}", "bufferViews[0] needs bytes 0 to 49; buffers[0] has 48"},
        {SUPPORT_POSITIONS, "{'buffer':0,'byteLength':48,'byteOffset':9223372036854775807}",
         "bufferViews[0] needs bytes"},
        {SUPPORT_POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':8}",
         "bufferViews[0].byteStride is 8; an element of accessors[0] has 12 bytes"},
        {SUPPORT_POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':256}", "bufferViews[0].byteStride is 256"},
        {SUPPORT_POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':16}",
         "accessors[0].count is 4; the buffer view has room for 3"},
        {SUPPORT_POSITIONS, "{'buffer':2,'byteLength':48}", "bufferViews[0].buffer is 2; there are 1 buffers"},
        /* A count with nothing behind it. */
        {"{'componentType':5126,'type':'VEC3','count':1000000000}", SUPPORT_VIEW_0, "may unpack to"},
        {"{'componentType':5126,'type':'VEC3','count':4000000000}", SUPPORT_VIEW_0,
         "accessors[0].count is 4000000000; at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        support_refuse(support_document("'POSITION':0", "", cases[i].accessor, cases[i].view, b.size), &b,
                       cases[i].says);
    }
    support_refuse(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, 4096), &b,
                   "buffers[0].byteLength is 4096; the data has 48 bytes");
    support_refuse(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), NULL,
                   "buffers[0] has no uri and no data");
    support_refuse(support_document("'POSITION':0,'NORMAL':1", "",
                                    SUPPORT_POSITIONS ",{'bufferView':0,'componentType':5126,'type':'VEC3','count':3}",
                                    SUPPORT_VIEW_0, b.size),
                   &b, "attributes.NORMAL: accessors[1] has 3 elements; there are 4 positions");
    support_refuse(support_document("'NORMAL':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), &b,
                   "meshes[0].primitives[0].attributes.POSITION is missing");
    support_bytes_free(&b);
}

static void test_gltf_container_a_broken_accessor_that_nothing_uses_is_a_warning(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    pleat_asset *asset = support_parse(
        support_document("'POSITION':0", "", SUPPORT_POSITIONS ",{'bufferView':7}", SUPPORT_VIEW_0, b.size), &b);
    assert_non_null(strstr(support_warnings.text, "accessors[1]"));
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* A small file must not keep us busy: thousands of primitives over one large accessor, an endless chain of nodes, or
 * more warnings than anybody reads. */
static void test_gltf_container_small_files_do_not_cost_much(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 100000,
        PRIMITIVES = 5000,
        NODES = 100000
    };
    float *zeros = calloc(VERTICES * 3, sizeof *zeros);
    char *json = malloc(NODES * 32);
    char *end = json + sprintf(json, "{'asset':{'version':'2.0'},'meshes':[{'primitives':[");
    for (int i = 0; i < PRIMITIVES; ++i)
    {
        end += sprintf(end, "%s{'attributes':{'POSITION':0},'mode':0}", i ? "," : "");
    }
    sprintf(end,
            "]}],'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':%d}],"
            "'bufferViews':[{'buffer':0,'byteLength':%d}],'buffers':[{'byteLength':%d}]}",
            VERTICES, VERTICES * 12, VERTICES * 12);
    support_bytes b = {(unsigned char *)zeros, VERTICES * 12};
    support_refuse(json, &b, "] needs 100000 bytes; a file of");
    free(zeros);

    /* Each node the child of the next: in the order of the file every parent comes last. */
    end = json + sprintf(json, "{'asset':{'version':'2.0'},'nodes':[{}");
    for (int i = 0; i + 1 < NODES; ++i)
    {
        end += sprintf(end, ",{'children':[%d]}", i);
    }
    sprintf(end, "]}");
    pleat_asset *asset = support_parse(json, NULL);
    assert_int_equal(pleat_asset_model(asset)->node_order[0], NODES - 1);
    pleat_asset_destroy(asset);

    end = json + sprintf(json, "{'asset':{'version':'2.0'},'accessors':[{}");
    for (int i = 0; i < 1000; ++i)
    {
        end += sprintf(end, ",{}");
    }
    sprintf(end, "]}");
    asset = support_parse(json, NULL);
    assert_non_null(strstr(support_warnings.text, "accessors[19]"));
    assert_null(strstr(support_warnings.text, "accessors[20]"));
    assert_non_null(strstr(support_warnings.text, "t.glb: further warnings are left out"));
    pleat_asset_destroy(asset);
    free(json);
}

/* ---- Files ---- */

static const char *in_folder(const char *name)
{
    return support_text("%s/%s", support_folder(), name);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static pleat_result load_with_uri(const char *uri, pleat_asset **asset, pleat_error *error)
{
    char json[4096];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":4}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"buffers\":[{\"byteLength\":48,\"uri\":\"%s\"}]}",
             uri);
    write_file("uri.gltf", json, strlen(json));
    return pleat_asset_load(in_folder("uri.gltf"), NULL, NULL, asset, error);
}

static void test_gltf_container_external_files_and_data_uris(void **state)
{
    (void)state;
    mkdir(in_folder("sub"), 0777);
    write_file("my data%.bin", support_square, sizeof support_square);
    write_file("sub/b.bin", support_square, sizeof support_square);
    write_file("short.bin", support_square, 40);
    static const char base64[] = "data:application/octet-stream;base64,"
                                 "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAA";
    const char *good[] = {"my%20data%25.bin", "my data%.bin", "sub/b.bin", "./sub/../sub/b.bin", base64};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
    {
        pleat_asset *asset;
        pleat_error error = {0};
        pleat_result result = load_with_uri(good[i], &asset, &error);
        if (result != PLEAT_OK)
        {
            fail_msg("%s: %s", good[i], error.message);
        }
        assert_memory_equal(support_first_primitive(asset)->positions, support_square, sizeof support_square);
        pleat_asset_destroy(asset);
    }
    unlink(in_folder("link.bin"));
    assert_int_equal(symlink("/dev/../etc/passwd", in_folder("link.bin")), 0);
    static const struct
    {
        const char *uri;
        pleat_result result;
        const char *says;
    } bad[] = {
        {"none.bin", PLEAT_FILE_ERROR, "none.bin: cannot open it"},
        {"short.bin", PLEAT_BAD_DATA, "buffers[0].byteLength is 48; the data has 40 bytes"},
        {"sub", PLEAT_FILE_ERROR, "it is a folder"},
        {"/etc/passwd", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"%2fetc/passwd", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"file:///etc/passwd", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"http://example.org/b.bin", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"../b.bin", PLEAT_BAD_DATA, "it leads out of the file's folder"},
        {"sub/../../b.bin", PLEAT_BAD_DATA, "it leads out of the file's folder"},
        {"%2e%2e%2fb.bin", PLEAT_BAD_DATA, "it leads out of the file's folder"},
        {"link.bin", PLEAT_BAD_DATA, "it leads out of the file's folder"},
        {"a%00.bin", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"", PLEAT_BAD_DATA, "only data and paths relative to the file"},
        {"data:,AAAA", PLEAT_BAD_DATA, "buffers[0].uri: a data URI must be base64"},
        {"data:;base64,AAAA*AAA", PLEAT_BAD_DATA, "buffers[0].uri: character 17 is no base64"},
        {"data:;base64,AAAA", PLEAT_BAD_DATA, "buffers[0].byteLength is 48; the data has 3 bytes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        pleat_asset *asset;
        pleat_error error = {0};
        pleat_result result = load_with_uri(bad[i].uri, &asset, &error);
        if (result != bad[i].result || !strstr(error.message, bad[i].says) ||
            !strstr(error.message, "uri.gltf: buffers[0]"))
        {
            fail_msg("%s: %s %s", bad[i].uri, pleat_result_name(result), error.message);
        }
        assert_null(asset);
    }
    support_refuse("{'asset':{'version':'2.0'},'buffers':[{'byteLength':48,'uri':'a.bin'}]}", NULL,
                   "buffers[0].uri is \"a.bin\"; a document in memory cannot have other files");
}

/* ---- Memory ---- */

static pleat_result load_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_asset *asset;
    pleat_result result = pleat_asset_load(user, NULL, host, &asset, error);
    assert_true((result == PLEAT_OK) == (asset != NULL));
    pleat_asset_destroy(asset);
    return result;
}

static void test_gltf_container_allocation_failures(void **state)
{
    (void)state;
    static const char *const names[] = {
        "khr_cesium_man/CesiumMan.glb",
        "edge_gltf_asset_generator/Output/Positive/Animation_SkinType/Animation_SkinType_00.gltf",
        "edge_gltf_asset_generator/Output/Positive/Accessor_SparseType/Accessor_SparseType_00.gltf"};
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        const char *found = support_data(names[i]);
        if (found)
        {
            char path[1024];
            snprintf(path, sizeof path, "%s", found);
            support_sweep_allocations(load_body, path);
            ++tried;
        }
    }
    if (tried == 0)
    {
        skip();
    }
}

static uint64_t json_countdown;

static void *json_malloc_that_fails(size_t size)
{
    return json_countdown-- == 0 ? NULL : malloc(size);
}

/* jansson allocates by itself, and takes some of its failures for faults of the text: any failure is right, if clean.
 */
static void test_gltf_container_json_allocation_failures(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_bytes glb =
        support_glb(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), b.data, b.size);
    json_set_alloc_funcs(json_malloc_that_fails, free);
    pleat_result result = PLEAT_NO_MEMORY;
    for (uint64_t n = 0; result != PLEAT_OK; ++n)
    {
        pleat_error error = {0};
        json_countdown = n;
        result = support_parse_bytes(glb.data, glb.size, &error);
        assert_true(result == PLEAT_OK || result == PLEAT_NO_MEMORY || result == PLEAT_BAD_DATA);
        assert_true(n < 10000);
    }
    json_set_alloc_funcs(malloc, free);
    support_bytes_free(&glb);
    support_bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_container_every_cut_glb_is_refused),
        cmocka_unit_test(test_gltf_container_container_faults_name_their_byte),
        cmocka_unit_test(test_gltf_container_json_faults),
        cmocka_unit_test(test_gltf_container_a_tree_larger_than_the_limit_is_not_built),
        cmocka_unit_test(test_gltf_container_refuses_what_lies_outside_its_buffer),
        cmocka_unit_test(test_gltf_container_a_broken_accessor_that_nothing_uses_is_a_warning),
        cmocka_unit_test(test_gltf_container_small_files_do_not_cost_much),
        cmocka_unit_test(test_gltf_container_external_files_and_data_uris),
        cmocka_unit_test(test_gltf_container_allocation_failures),
        cmocka_unit_test(test_gltf_container_json_allocation_failures),
    };
    return cmocka_run_group_tests_name("gltf_container", tests, NULL, NULL);
}
