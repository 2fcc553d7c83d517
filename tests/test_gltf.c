/* glTF in: small documents with known answers, and the asset generator's files. */
#include "support/support.h"

#include "support/glb.h"
#include "base/vec.h"

#include <jansson.h>
#include <meshoptimizer.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static support_log warnings;

static pleat_asset *parse(const char *json, const support_bytes *binary)
{
    pleat_host host = support_logging_host(&warnings);
    support_bytes glb = support_glb(json, binary ? binary->data : NULL, binary ? binary->size : 0);
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "t.glb", &host, &asset, &error);
    support_bytes_free(&glb); /* the asset must not need it any more */
    if (result != PLEAT_OK)
    {
        print_message("%s\n", error.message);
    }
    assert_int_equal(result, PLEAT_OK);
    return asset;
}

/* The document must be refused with a sentence that names the file and has this part in it. */
static void refuse_as(pleat_result expected, const char *json, const support_bytes *binary, const char *part)
{
    pleat_host host = support_logging_host(&warnings);
    support_bytes glb = support_glb(json, binary ? binary->data : NULL, binary ? binary->size : 0);
    pleat_asset *asset;
    pleat_error error = {0};
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, glb.data, glb.size, "t.glb", &host, &asset, &error);
    support_bytes_free(&glb);
    assert_null(asset);
    if (result != expected || !strstr(error.message, part) || strncmp(error.message, "t.glb: ", 7) != 0)
    {
        print_message("%s %s\n", pleat_result_name(result), error.message);
        fail_msg("expected %s with \"%s\"", pleat_result_name(expected), part);
    }
}

static void refuse(const char *json, const support_bytes *binary, const char *part)
{
    refuse_as(PLEAT_BAD_DATA, json, binary, part);
}

/* printf into a static buffer, so that documents can hold offsets. */
__attribute__((format(printf, 1, 2))) static const char *text(const char *format, ...)
{
    static char buffer[32][8192];
    static int turn;
    char *out = buffer[turn++ % 32];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, sizeof buffer[0], format, arguments);
    va_end(arguments);
    assert_true(length < (int)sizeof buffer[0]);
    return out;
}

/* A document of one mesh in one node; the parts are the lists' inner text. */
static const char *document(const char *attributes, const char *more, const char *accessors, const char *views,
                            size_t size)
{
    return text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],"
                "'meshes':[{'primitives':[{'attributes':{%s}%s}]}],"
                "'accessors':[%s],'bufferViews':[%s],'buffers':[{'byteLength':%zu}]}",
                attributes, more, accessors, views, size);
}

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
#define POSITIONS "{'bufferView':0,'componentType':5126,'type':'VEC3','count':4}"
#define VIEW_0 "{'buffer':0,'byteLength':48}"

static const pleat_primitive *first_primitive(const pleat_asset *asset)
{
    return &pleat_asset_model(asset)->meshes[0].primitives[0];
}

/* ---- Shape ---- */

static void test_gltf_options_default_is_valid(void **state)
{
    (void)state;
    pleat_load_options options = pleat_load_options_default();
    assert_true(options.sequence_fps == 30 && options.points_fps == 30 && !options.points_path);
    pleat_asset *asset;
    pleat_error error = {0};
    options.points_fps = 0;
    assert_int_equal(pleat_asset_load("x.glb", &options, NULL, &asset, &error), PLEAT_BAD_ARGUMENT);
    assert_null(asset);
}

static void test_gltf_reads_positions_in_place_of_the_chunk(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    pleat_asset *asset = parse(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), &b);
    const pleat_primitive *p = first_primitive(asset);
    assert_int_equal(p->vertex_count, 4);
    assert_memory_equal(p->positions, square, sizeof square);
    assert_int_equal(p->triangle_count, 1); /* four vertices without indices: one triangle and a rest */
    assert_true(strstr(warnings.text, "no whole number of triangles") != NULL);
    assert_int_equal(p->material, PLEAT_NONE);
    assert_string_equal(pleat_asset_model(asset)->meshes[0].name, "");
    assert_int_equal(pleat_asset_format(asset), PLEAT_FORMAT_GLB);
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* Every component type, plain and normalized, against the specification's equations. */
static void test_gltf_component_types(void **state)
{
    (void)state;
    static const struct
    {
        int type;
        size_t size;
        double most;
        bool is_signed;
    } kinds[] = {{5120, 1, 127, true}, {5121, 1, 255, false}, {5122, 2, 32767, true}, {5123, 2, 65535, false}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
    {
        for (int normalized = 0; normalized < 2; ++normalized)
        {
            /* Four VEC3 at a stride of 8; the first number is the least that the type holds. */
            unsigned char data[32] = {0};
            double value[12];
            for (int i = 0; i < 12; ++i)
            {
                double least = kinds[k].is_signed ? -kinds[k].most - 1 : 0;
                long long number = i == 0   ? (long long)least
                                   : i == 1 ? (long long)kinds[k].most
                                            : 7 * i - 20 * kinds[k].is_signed;
                memcpy(data + (i / 3) * 8 + (size_t)(i % 3) * kinds[k].size, &number, kinds[k].size);
                value[i] = normalized ? fmax((double)number / kinds[k].most, -1) : (double)number;
            }
            support_bytes b = {0};
            support_put(&b, data, sizeof data);
            pleat_asset *asset =
                parse(document("'POSITION':0", "",
                               text("{'bufferView':0,'componentType':%d,'normalized':%s,'type':'VEC3','count':4}",
                                    kinds[k].type, normalized ? "true" : "false"),
                               "{'buffer':0,'byteLength':32,'byteStride':8}", b.size),
                      &b);
            const float *read = &first_primitive(asset)->positions[0].x;
            for (int i = 0; i < 12; ++i)
            {
                assert_true(fabs((double)read[i] - value[i]) <= 1e-7 * fabs(value[i]));
            }
            pleat_asset_destroy(asset);
            support_bytes_free(&b);
        }
    }
}

static void test_gltf_interleaved(void **state)
{
    (void)state;
    float rows[4][6]; /* position, a hole, uv */
    for (int v = 0; v < 4; ++v)
    {
        memcpy(rows[v], square[v], 12);
        rows[v][3] = 99;
        rows[v][4] = (float)v;
        rows[v][5] = (float)-v;
    }
    support_bytes b = {0};
    support_put(&b, rows, sizeof rows);
    pleat_asset *asset =
        parse(document("'POSITION':0,'TEXCOORD_0':1", "",
                       POSITIONS ",{'bufferView':0,'byteOffset':16,'componentType':5126,'type':'VEC2','count':4}",
                       "{'buffer':0,'byteLength':96,'byteStride':24}", b.size),
              &b);
    const pleat_primitive *p = first_primitive(asset);
    assert_memory_equal(p->positions, square, sizeof square);
    for (int v = 0; v < 4; ++v)
    {
        assert_true(p->uvs[2 * v] == (float)v && p->uvs[2 * v + 1] == (float)-v);
    }
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

static void test_gltf_sparse(void **state)
{
    (void)state;
    const uint8_t indices[2] = {1, 3};
    const float values[2][3] = {{5, 6, 7}, {8, 9, 10}};
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    size_t at_indices = support_put(&b, indices, sizeof indices);
    size_t at_values = support_put(&b, values, sizeof values);
    const char *views =
        text(VIEW_0 ",{'buffer':0,'byteOffset':%zu,'byteLength':2},{'buffer':0,'byteOffset':%zu,'byteLength':24}",
             at_indices, at_values);
    for (int with_base = 0; with_base < 2; ++with_base)
    {
        const char *format =
            "{%s'componentType':5126,'type':'VEC3','count':4,'sparse':{'count':%d,'indices':{'bufferView':1,"
            "'componentType':5121},'values':{'bufferView':2}}}";
        const char *base = with_base ? "'bufferView':0," : "";
        pleat_asset *asset = parse(document("'POSITION':0", "", text(format, base, 2), views, b.size), &b);
        const pleat_vec3 *p = first_primitive(asset)->positions;
        assert_true(p[1].x == 5 && p[1].z == 7 && p[3].x == 8 && p[3].z == 10);
        assert_true(p[0].x == 0 && p[2].y == (with_base ? 1.0f : 0.0f));
        pleat_asset_destroy(asset);
        refuse(document("'POSITION':0", "", text(format, base, 5), views, b.size), &b,
               "accessors[0].sparse.count is 5; the accessor has 4 elements");
        refuse(document("'POSITION':0", "", text(format, base, 3), views, b.size), &b,
               "accessors[0].sparse.count is 3; the buffer view has room for 2");
    }
    b.data[at_indices] = 4;
    refuse(document("'POSITION':0", "",
                    "{'componentType':5126,'type':'VEC3','count':4,'sparse':{'count':2,'indices':{'bufferView':1,"
                    "'componentType':5121},'values':{'bufferView':2}}}",
                    views, b.size),
           &b, "accessors[0].sparse.indices: index 0 is 4; the accessor has 4 elements");
    support_bytes_free(&b);
}

static void expect_triangles(const char *mode, const char *indices, uint32_t count, const uint32_t *expected)
{
    support_bytes b = {0};
    const uint16_t list[6] = {3, 1, 0, 2, 1, 3};
    support_put(&b, square, sizeof square);
    support_put(&b, list, sizeof list);
    pleat_asset *asset = parse(document("'POSITION':0", text(",'mode':%s%s", mode, indices),
                                        POSITIONS ",{'bufferView':1,'componentType':5123,'type':'SCALAR','count':6}",
                                        VIEW_0 ",{'buffer':0,'byteOffset':48,'byteLength':12}", b.size),
                               &b);
    const pleat_primitive *p = first_primitive(asset);
    assert_int_equal(p->triangle_count, count);
    if (count)
    {
        assert_memory_equal(p->triangles, expected, count * 3 * sizeof *expected);
    }
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

static void test_gltf_lists_strips_and_fans(void **state)
{
    (void)state;
    expect_triangles("4", ",'indices':1", 2, (uint32_t[]){3, 1, 0, 2, 1, 3});
    expect_triangles("4", "", 1, (uint32_t[]){0, 1, 2});
    expect_triangles("5", "", 2, (uint32_t[]){0, 1, 2, 1, 3, 2});
    expect_triangles("5", ",'indices':1", 4, (uint32_t[]){3, 1, 0, 1, 2, 0, 0, 2, 1, 2, 3, 1});
    expect_triangles("6", "", 2, (uint32_t[]){1, 2, 0, 2, 3, 0});
    expect_triangles("6", ",'indices':1", 4, (uint32_t[]){1, 0, 3, 0, 2, 3, 2, 1, 3, 1, 3, 3});
    expect_triangles("0", "", 0, NULL);
    expect_triangles("3", ",'indices':1", 0, NULL);
}

static void test_gltf_refuses_bad_indices(void **state)
{
    (void)state;
    support_bytes b = {0};
    const uint32_t lists[3] = {0x00ff0100, 0xffff0001, 0xffffffff};
    support_put(&b, square, sizeof square);
    support_put(&b, lists, sizeof lists);
    static const struct
    {
        int type;
        size_t offset, count;
        const char *says;
    } cases[] = {
        {5121, 48, 3, "index 2 of accessors[1] is 255, the primitive restart value"},
        {5123, 52, 2, "index 1 of accessors[1] is 65535, the primitive restart value"},
        {5125, 56, 1, "index 0 of accessors[1] is 4294967295, the primitive restart value"},
        {5123, 48, 1, "meshes[0].primitives[0].indices: index 0 of accessors[1] is 256; there are 4 vertices"},
        {5126, 48, 3, "must be SCALAR of type 5121, 5123 or 5125"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        for (int mode = 0; mode < 7; ++mode)
        {
            refuse(document("'POSITION':0", text(",'mode':%d,'indices':1", mode),
                            text(POSITIONS ",{'bufferView':1,'componentType':%d,'type':'SCALAR','count':%zu}",
                                 cases[i].type, cases[i].count),
                            text(VIEW_0 ",{'buffer':0,'byteOffset':%zu,'byteLength':%zu}", cases[i].offset,
                                 b.size - cases[i].offset),
                            b.size),
                   &b, cases[i].says);
        }
    }
    refuse(document("'POSITION':0", ",'mode':7", POSITIONS, VIEW_0, b.size), &b, "meshes[0].primitives[0].mode is 7");
    support_bytes_free(&b);
}

static void test_gltf_morph_targets_and_their_names(void **state)
{
    (void)state;
    const float moved[4][3] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}};
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    support_put(&b, moved, sizeof moved);
    const char *format =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'weights':[0.5,0.25]}],"
        "'meshes':[{'name':'m','weights':[1,2],'extras':{'targetNames':['smile','frown']},"
        "'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':1,'NORMAL':%d},{'NORMAL':1}]}%s]}],"
        "'accessors':[" POSITIONS ",{'bufferView':1,'componentType':5126,'type':'VEC3','count':4},"
        "{'componentType':5126,'type':'VEC3','count':4}],"
        "'bufferViews':[" VIEW_0 ",{'buffer':0,'byteOffset':48,'byteLength':48}],'buffers':[{'byteLength':96}]}";
    pleat_asset *asset = parse(text(format, 2, ""), &b);
    const pleat_model *model = pleat_asset_model(asset);
    const pleat_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->target_count, 2);
    assert_memory_equal(mesh->primitives[0].targets[0].positions, moved, sizeof moved);
    assert_null(mesh->primitives[0].targets[0].normals); /* zeros everywhere are the same as nothing */
    assert_null(mesh->primitives[0].targets[1].positions);
    assert_memory_equal(mesh->primitives[0].targets[1].normals, moved, sizeof moved);
    assert_string_equal(mesh->target_names[1], "frown");
    assert_true(mesh->weights[1] == 2 && model->nodes[0].weights[0] == 0.5f);
    pleat_asset_destroy(asset);
    refuse(text(format, 2, ",{'attributes':{'POSITION':0}}"), &b,
           "meshes[0].primitives[1] has 0 morph targets; the first primitive has 2");
    refuse(text(format, 9, ""), &b, "targets[0].NORMAL is 9; there are 3 accessors");
    support_bytes_free(&b);
}

/* ---- Numbers that are no numbers ---- */

static void test_gltf_refuses_numbers_that_are_not_finite(void **state)
{
    (void)state;
    float bad[4][3];
    memcpy(bad, square, sizeof bad);
    bad[2][1] = NAN;
    support_bytes b = {0};
    support_put(&b, bad, sizeof bad);
    refuse(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), &b,
           "meshes[0].primitives[0].attributes.POSITION: element 2 of accessors[0] is (0, nan, 0); it must be finite");
    support_put(&b, square, sizeof square);
    pleat_asset *asset = parse(document("'POSITION':1,'NORMAL':0", "",
                                        POSITIONS ",{'bufferView':1,'componentType':5126,'type':'VEC3','count':4}",
                                        VIEW_0 ",{'buffer':0,'byteOffset':48,'byteLength':48}", b.size),
                               &b);
    assert_true(first_primitive(asset)->normals[2].y == 0);
    assert_true(strstr(warnings.text, "attributes.NORMAL: element 2") != NULL);
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* ---- Container ---- */

static pleat_result parse_bytes(const void *bytes, size_t size, pleat_error *error)
{
    pleat_asset *asset;
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_GLB, bytes, size, "t.glb", NULL, &asset, error);
    assert_true((result == PLEAT_OK) == (asset != NULL));
    pleat_asset_destroy(asset);
    return result;
}

static void test_gltf_every_cut_glb_is_refused(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    support_bytes glb = support_glb(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), b.data, b.size);
    for (size_t size = 0; size < glb.size; ++size)
    {
        /* A block of exactly this size, so that a sanitizer sees a read beyond it. */
        unsigned char *cut = malloc(size ? size : 1);
        memcpy(cut, glb.data, size);
        pleat_error error = {0};
        assert_int_not_equal(parse_bytes(cut, size, &error), PLEAT_OK);
        assert_true(strncmp(error.message, "t.glb: ", 7) == 0);
        free(cut);
    }
    pleat_error error = {0};
    assert_int_equal(parse_bytes(glb.data, glb.size, &error), PLEAT_OK);
    support_bytes_free(&glb);
    support_bytes_free(&b);
}

static void test_gltf_container_faults_name_their_byte(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    support_bytes glb = support_glb(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), b.data, b.size);
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
        assert_int_equal(parse_bytes(glb.data, glb.size, &error), cases[i].result);
        assert_non_null(strstr(error.message, cases[i].says));
        memcpy(glb.data + cases[i].offset, &kept, 4);
    }
    support_bytes_free(&glb);
    support_bytes_free(&b);
}

static void test_gltf_json_faults(void **state)
{
    (void)state;
    refuse("{'asset':{'version':'2.0'},}", NULL, "JSON line 1, column");
    refuse("[1]", NULL, "the JSON text is no object");
    refuse("{'asset':{'version':'2.0'},'asset':1}", NULL, "duplicate object key");
    refuse("{}", NULL, "asset.version is missing");
    refuse("{'asset':{'version':2}}", NULL, "asset.version is a whole number; it must be a string");
    refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'1.0'}}", NULL, "asset.version is 1.0; pleat reads glTF 2.0");
    refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'2.1','minVersion':'2.1'}}", NULL, "asset.minVersion is 2.1");
    refuse("{'asset':{'version':'2.0'},'nodes':{}}", NULL, "nodes is an object; it must be an array");
    refuse("{'asset':{'version':'2.0'},'nodes':[3]}", NULL, "nodes[0] is a whole number; it must be an object");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'mesh':-1}]}", NULL, "nodes[0].mesh is -1; there are 0 meshes");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'mesh':1.5}]}", NULL, "nodes[0].mesh is 1.5; there are 0 meshes");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'rotation':[0,0,1]}]}", NULL,
           "nodes[0].rotation has 3 numbers; it must have 4");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'scale':[1e300,0,1]}]}", NULL,
           "nodes[0].scale[0] is 1e+300; it must be a finite number");
    refuse("{'asset':{'version':'2.0'},'meshes':[{}]}", NULL, "meshes[0].primitives is missing");

    /* Nesting without end, and a tree far larger than its text. */
    size_t depth = 200000;
    char *deep = malloc(depth + 1);
    memset(deep, '[', depth);
    deep[depth] = 0;
    refuse(deep, NULL, "maximum parsing depth reached");
    free(deep);
    pleat_asset *asset = parse("{'asset':{'version':'2.0'},'extras':'\\u0000','extensionsUsed':['FAKE_thing']}", NULL);
    assert_int_equal(pleat_asset_model(asset)->node_count, 0);
    pleat_asset_destroy(asset);
}

static void test_gltf_a_tree_larger_than_the_limit_is_not_built(void **state)
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
    assert_int_equal(parse_bytes(glb.data, glb.size, &error), PLEAT_OK);
    support_bytes_free(&glb);
    free(json);
}

/* ---- Accessors and views ---- */

static void test_gltf_refuses_what_lies_outside_its_buffer(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    static const struct
    {
        const char *accessor, *view;
        const char *says;
    } cases[] = {
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':5}", VIEW_0,
         "accessors[0].count is 5; the buffer view has room for 4"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'byteOffset':4}", VIEW_0,
         "accessors[0].count is 4; the buffer view has room for 3"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':4,'byteOffset':9223372036854775807}", VIEW_0,
         "accessors[0].byteOffset is 9223372036854775807; the buffer view has 48 bytes"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':9223372036854775807}", VIEW_0,
         "accessors[0].count is 9223372036854775807; the buffer view has room for 4"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':0}", VIEW_0, "accessors[0].count is 0 or missing"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC3','count':-3}", VIEW_0, "accessors[0].count is -3"},
        {"{'bufferView':1,'componentType':5126,'type':'VEC3','count':4}", VIEW_0,
         "accessors[0].bufferView is 1; there are 1 buffer views"},
        {"{'bufferView':0,'componentType':5124,'type':'VEC3','count':4}", VIEW_0, "accessors[0].componentType is 5124"},
        {"{'bufferView':0,'componentType':5126,'type':'VEC5','count':4}", VIEW_0, "accessors[0].type is \"VEC5\""},
        {"{'bufferView':0,'componentType':5126,'type':'VEC2','count':4}", VIEW_0,
         "attributes.POSITION: accessors[0] has 2 numbers an element"},
        {POSITIONS, "{'buffer':0,'byteLength':49}", "bufferViews[0] needs bytes 0 to 49; buffers[0] has 48"},
        {POSITIONS, "{'buffer':0,'byteLength':48,'byteOffset':9223372036854775807}", "bufferViews[0] needs bytes"},
        {POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':8}",
         "bufferViews[0].byteStride is 8; an element of accessors[0] has 12 bytes"},
        {POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':256}", "bufferViews[0].byteStride is 256"},
        {POSITIONS, "{'buffer':0,'byteLength':48,'byteStride':16}",
         "accessors[0].count is 4; the buffer view has room for 3"},
        {POSITIONS, "{'buffer':2,'byteLength':48}", "bufferViews[0].buffer is 2; there are 1 buffers"},
        /* A count with nothing behind it. */
        {"{'componentType':5126,'type':'VEC3','count':1000000000}", VIEW_0, "may unpack to"},
        {"{'componentType':5126,'type':'VEC3','count':4000000000}", VIEW_0,
         "accessors[0].count is 4000000000; at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        refuse(document("'POSITION':0", "", cases[i].accessor, cases[i].view, b.size), &b, cases[i].says);
    }
    refuse(document("'POSITION':0", "", POSITIONS, VIEW_0, 4096), &b,
           "buffers[0].byteLength is 4096; the data has 48 bytes");
    refuse(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), NULL, "buffers[0] has no uri and no data");
    refuse(document("'POSITION':0,'NORMAL':1", "",
                    POSITIONS ",{'bufferView':0,'componentType':5126,'type':'VEC3','count':3}", VIEW_0, b.size),
           &b, "attributes.NORMAL: accessors[1] has 3 elements; there are 4 positions");
    refuse(document("'NORMAL':0", "", POSITIONS, VIEW_0, b.size), &b,
           "meshes[0].primitives[0].attributes.POSITION is missing");
    support_bytes_free(&b);
}

static void test_gltf_a_broken_accessor_that_nothing_uses_is_a_warning(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    pleat_asset *asset = parse(document("'POSITION':0", "", POSITIONS ",{'bufferView':7}", VIEW_0, b.size), &b);
    assert_non_null(strstr(warnings.text, "accessors[1]"));
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* ---- Files ---- */

static const char *in_folder(const char *name)
{
    return text("%s/%s", support_folder(), name);
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

static void test_gltf_external_files_and_data_uris(void **state)
{
    (void)state;
    mkdir(in_folder("sub"), 0777);
    write_file("my data%.bin", square, sizeof square);
    write_file("sub/b.bin", square, sizeof square);
    write_file("short.bin", square, 40);
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
        assert_memory_equal(first_primitive(asset)->positions, square, sizeof square);
        pleat_asset_destroy(asset);
    }
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
    refuse("{'asset':{'version':'2.0'},'buffers':[{'byteLength':48,'uri':'a.bin'}]}", NULL,
           "buffers[0].uri is \"a.bin\"; a document in memory cannot have other files");
}

/* ---- Nodes and scenes ---- */

static void test_gltf_nodes_scene_order_and_transforms(void **state)
{
    (void)state;
    pleat_asset *asset =
        parse("{'asset':{'version':'2.0'},'scene':1,'scenes':[{'nodes':[0]},{'nodes':[5,0]}],'nodes':["
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
    asset = parse("{'asset':{'version':'2.0'},'scenes':[{'nodes':[1]}],'nodes':[{},{}]}", NULL);
    assert_int_equal(pleat_asset_model(asset)->scene_node_count, 1);
    assert_int_equal(pleat_asset_model(asset)->scene_nodes[0], 1);
    pleat_asset_destroy(asset);
    asset = parse("{'asset':{'version':'2.0'},'nodes':[{'children':[1]},{},{}]}", NULL);
    assert_int_equal(pleat_asset_model(asset)->scene_node_count, 3);
    pleat_asset_destroy(asset);
}

static void test_gltf_refuses_graphs_that_are_no_trees(void **state)
{
    (void)state;
    refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[1]},{'children':[0]}]}", NULL,
           "nodes[0] is its own ancestor");
    refuse("{'asset':{'version':'2.0'},'nodes':[{},{'children':[1]}]}", NULL, "nodes[1] is its own ancestor");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[2]},{'children':[2]},{}]}", NULL,
           "nodes[1].children[0] is 2, which is already a child of nodes[0]");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'children':[5]}]}", NULL,
           "nodes[0].children[0] is 5; there are 1 nodes");
    refuse("{'asset':{'version':'2.0'},'scenes':[{'nodes':[1]}],'nodes':[{}]}", NULL,
           "scenes[0].nodes[0] is 1; there are 1 nodes");
    refuse("{'asset':{'version':'2.0'},'scene':2,'scenes':[{}]}", NULL, "scene is 2; there are 1 scenes");
    refuse("{'asset':{'version':'2.0'},'nodes':[{'matrix':[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]}", NULL,
           "nodes[0].matrix has a last row of (1, 0, 0, 1)");
}

/* ---- Skins ---- */

/* Four vertices, a skin of three joints; joints and weights as given. */
static const char *skinned(const char *attributes, const char *accessors, size_t size)
{
    return text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'skin':0},{},{},{}],'skins':[{'joints':[1,2,3]}],"
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0%s}}]}],"
                "'accessors':[" POSITIONS "%s],'bufferViews':[" VIEW_0
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
    support_put(&b, square, sizeof square);
    support_put(&b, joints, 16);
    support_put(&b, weights, 64);
    return b;
}

static void test_gltf_skin_weights(void **state)
{
    (void)state;
    uint8_t joints[4][4] = {{0, 1, 2, 0}, {1, 0, 0, 0}, {2, 1, 0, 0}, {0, 0, 0, 200}};
    float weights[4][4] = {{0.5f, 0.25f, 0.25f, 0}, {1, 0, 0, 0}, {2, 6, 0, 0}, {1, 0, 0, 0}};
    const char *accessors = JOINTS_U8(0) WEIGHTS_F(16);
    support_bytes b = skin_bytes(joints, weights);
    pleat_asset *asset = parse(skinned(ONE_SET, accessors, b.size), &b);
    const pleat_primitive *p = first_primitive(asset);
    assert_int_equal(p->influence_count, 4);
    assert_memory_equal(p->weights, weights[0], 16); /* untouched where they are right */
    assert_true(p->weights[8] == 0.25f && p->weights[9] == 0.75f);
    assert_int_equal(p->joints[15], 0);
    assert_non_null(strstr(warnings.text, "the weights of 1 vertices do not add up to 1 (one has 8)"));
    assert_non_null(strstr(warnings.text, "1 joints that the skin does not have"));
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
        {1, 0, 1, 0, "WEIGHTS_0: the weights of vertex 1 add up to 0; they must add up to 1"},
        {1, 2, 1, -1, "WEIGHTS_0: weight 2 of vertex 1 is -1"},
        {2, 3, 0, NAN, "WEIGHTS_0: weight 3 of vertex 2 is nan"},
        {2, 3, 0, INFINITY, "WEIGHTS_0: weight 3 of vertex 2 is inf"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        b.data[48 + bad[i].vertex * 4 + bad[i].influence] = bad[i].joint;
        memcpy(b.data + 64 + bad[i].vertex * 16 + bad[i].influence * 4, &bad[i].weight, 4);
        refuse(skinned(ONE_SET, accessors, b.size), &b, bad[i].says);
        memcpy(b.data + 48, joints, 16);
        memcpy(b.data + 64, weights, 64);
    }
    refuse(skinned(",'JOINTS_0':1", accessors, b.size), &b, "has JOINTS_0 without WEIGHTS_0");
    refuse(skinned(",'WEIGHTS_0':2", accessors, b.size), &b, "has WEIGHTS_0 without JOINTS_0");
    refuse(skinned(",'JOINTS_0':2,'WEIGHTS_0':2", accessors, b.size), &b,
           "componentType is 5126; it can be 5121 or 5123");
    support_bytes_free(&b);
}

/* Three sets: twelve influences of weights 1..12; the eight largest stay, in order, and add up to 1. */
static void test_gltf_more_than_eight_influences(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
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
        parse(skinned(",'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,'WEIGHTS_1':4", accessors, b.size), &b);
    const pleat_primitive *p = first_primitive(asset);
    assert_int_equal(p->influence_count, 8);
    for (int i = 0; i < 8; ++i)
    {
        assert_true(fabsf(p->weights[8 + i] - (float)(1 + i) / 36.0f) < 1e-6f);
        assert_int_equal(p->joints[8 + i], i % 3);
    }
    pleat_asset_destroy(asset);
    asset = parse(
        skinned(",'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,'WEIGHTS_1':4,'JOINTS_2':5,'WEIGHTS_2':6", accessors, b.size),
        &b);
    p = first_primitive(asset);
    assert_int_equal(p->influence_count, 8);
    for (int i = 0; i < 8; ++i)
    {
        assert_true(fabsf(p->weights[8 + i] - (float)(5 + i) / 68.0f) < 1e-6f); /* 5 + 6 + ... + 12 = 68 */
        assert_int_equal(p->joints[8 + i], (4 + i) % 3);
    }
    assert_non_null(strstr(warnings.text, "4 vertices have more than 8 influences"));
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

static void test_gltf_inverse_bind_matrices(void **state)
{
    (void)state;
    float matrices[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1},
                             {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    support_bytes b = {0};
    support_put(&b, matrices, sizeof matrices);
    const char *format = "{'asset':{'version':'2.0'},'nodes':[{},{}],'skins':[{'joints':[%s],'inverseBindMatrices':0}],"
                         "'accessors':[{'bufferView':0,'componentType':5126,'type':'MAT4','count':2}],"
                         "'bufferViews':[{'buffer':0,'byteLength':128}],'buffers':[{'byteLength':128}]}";
    pleat_asset *asset = parse(text(format, "0,1"), &b);
    const pleat_skin *skin = &pleat_asset_model(asset)->skins[0];
    assert_true(skin->inverse_binds[0].row[0][3] == 4 && skin->inverse_binds[0].row[2][3] == 6);
    assert_true(skin->inverse_binds[1].row[0][0] == 2);
    pleat_asset_destroy(asset);
    refuse(text(format, "0,1,1"), &b, "skins[0].inverseBindMatrices: accessors[0] has 2 elements");
    refuse(text(format, ""), &b, "skins[0] has 0 joints");
    refuse(text(format, "0,2"), &b, "skins[0].joints[1] is 2; there are 2 nodes");
    matrices[1][5] = INFINITY;
    memcpy(b.data, matrices, sizeof matrices);
    refuse(text(format, "0,1"), &b, "matrix 1 of accessors[0] is not finite");
    matrices[1][5] = 1;
    matrices[1][3] = 0.5f;
    memcpy(b.data, matrices, sizeof matrices);
    refuse(text(format, "0,1"), &b, "matrix 1 of accessors[0] has a last row other than 0 0 0 1");
    support_bytes_free(&b);
}

/* ---- Clips ---- */

static const char *animated(const char *channels, const char *samplers)
{
    return text("{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{}],"
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':0},{'POSITION':0}]}]}],"
                "'animations':[{'name':'wave','channels':[%s],'samplers':[%s]}],"
                "'accessors':[" POSITIONS ",{'bufferView':1,'componentType':5126,'type':'SCALAR','count':2},"
                "{'bufferView':2,'componentType':5126,'type':'VEC3','count':2},"
                "{'bufferView':2,'componentType':5126,'type':'VEC3','count':6},"
                "{'bufferView':3,'componentType':5122,'normalized':true,'type':'VEC4','count':2},"
                "{'bufferView':2,'componentType':5126,'type':'SCALAR','count':4}],"
                "'bufferViews':[" VIEW_0
                ",{'buffer':0,'byteOffset':48,'byteLength':8},{'buffer':0,'byteOffset':56,'byteLength':72},"
                "{'buffer':0,'byteOffset':128,'byteLength':16}],'buffers':[{'byteLength':144}]}",
                channels, samplers);
}

static void test_gltf_clips(void **state)
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
    support_put(&b, square, sizeof square);
    support_put(&b, times, sizeof times);
    support_put(&b, values, sizeof values);
    support_put(&b, rotations, sizeof rotations);
    const char *samplers =
        "{'input':1,'output':2,'interpolation':'STEP'},{'input':1,'output':3,'interpolation':'CUBICSPLINE'},"
        "{'input':1,'output':4},{'input':1,'output':5}";
    pleat_asset *asset = parse(
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
    assert_non_null(strstr(warnings.text, "path is \"pointer\""));
    assert_non_null(strstr(warnings.text, "nodes[1] has no morph targets"));
    assert_non_null(strstr(warnings.text, "another channel drives the translation of nodes[1] already"));
    pleat_asset_destroy(asset);

    const char *move = "{'sampler':0,'target':{'node':1,'path':'translation'}}";
    refuse(animated(move, "{'input':1,'output':3}"), &b,
           "samplers[0].output: accessors[3] has 6 elements; 2 keys need 2");
    refuse(animated(move, "{'input':1,'output':4}"), &b, "accessors[4] has 4 numbers an element; 3 are needed");
    refuse(animated(move, "{'input':1}"), &b, "animations[0].samplers[0].output is missing");
    refuse(animated(move, "{'input':1,'output':2,'interpolation':'BEZIER'}"), &b, "interpolation is \"BEZIER\"");
    refuse(animated(move, ""), &b, "animations[0].channels[0].sampler is 0; there are 0 samplers");
    refuse(animated("{'sampler':0,'target':{'node':9,'path':'scale'}}", samplers), &b,
           "animations[0].channels[0].target.node is 9; there are 2 nodes");
    static const float wrong[][2] = {{1, 1}, {2, 1}, {-1, 1}, {0, NAN}, {0, INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        memcpy(b.data + 48, wrong[i], 8);
        refuse(animated(move, samplers), &b, "times must be finite, at least 0, and increase");
    }
    memcpy(b.data + 48, times, 8);
    memcpy(b.data + 56 + 16, &(float){NAN}, 4);
    refuse(animated(move, samplers), &b, "samplers[0].output: element 1 of accessors[2] is not finite");
    support_bytes_free(&b);
}

/* ---- Extensions ---- */

static void test_gltf_extensions(void **state)
{
    (void)state;
    refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'2.0'},'extensionsRequired':['FAKE_thing']}", NULL,
              "extensionsRequired[0] is FAKE_thing");
    refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_draco_mesh_compression']}",
              NULL, "gltf-transform");
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    refuse_as(PLEAT_UNSUPPORTED,
              document("'POSITION':0",
                       ",'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0}}}",
                       "{'componentType':5126,'type':'VEC3','count':4}", VIEW_0, b.size),
              &b, "meshes[0].primitives[0]: the mesh is compressed with Draco");
    support_bytes_free(&b);
    pleat_asset *asset =
        parse("{'asset':{'version':'2.0'},'extensionsUsed':['FAKE_thing','KHR_mesh_quantization'],"
              "'extensionsRequired':['KHR_mesh_quantization','KHR_texture_transform','KHR_materials_unlit']}",
              NULL);
    pleat_asset_destroy(asset);
}

/* Encoded by meshoptimizer, read back through the document: the index codecs, the vertex codec and each filter. */
static void test_gltf_meshopt_compression(void **state)
{
    (void)state;
    enum
    {
        V = 60,
        I = 3 * 90
    };
    float positions[V][3];
    float normals[V][4];
    unsigned int indices[I];
    uint32_t random = 7;
    for (int v = 0; v < V; ++v)
    {
        float squared = 0;
        for (int c = 0; c < 3; ++c)
        {
            positions[v][c] = support_random_float(&random, -3, 3);
            normals[v][c] = support_random_float(&random, -1, 1);
            squared += normals[v][c] * normals[v][c];
        }
        normals[v][3] = 0;
        for (int c = 0; c < 3; ++c)
        {
            normals[v][c] /= sqrtf(squared);
        }
    }
    for (int i = 0; i < I; ++i)
    {
        indices[i] = support_random(&random) % V;
    }
    unsigned char packed[8192];
    support_bytes b = {0};
    size_t offset[4], length[4];
    uint32_t exponential[V][3];
    int8_t octahedral[V][4];
    meshopt_encodeFilterExp(exponential, V, 12, 20, &positions[0][0]);
    meshopt_encodeFilterOct(octahedral, V, 4, 8, &normals[0][0]);
    length[0] = meshopt_encodeVertexBuffer(packed, sizeof packed, exponential, V, 12);
    offset[0] = support_put(&b, packed, length[0]);
    length[1] = meshopt_encodeVertexBuffer(packed, sizeof packed, octahedral, V, 4);
    offset[1] = support_put(&b, packed, length[1]);
    length[2] = meshopt_encodeIndexBuffer(packed, sizeof packed, indices, I);
    offset[2] = support_put(&b, packed, length[2]);
    length[3] = meshopt_encodeIndexSequence(packed, sizeof packed, indices, I);
    offset[3] = support_put(&b, packed, length[3]);
    for (int sequence = 0; sequence < 2; ++sequence)
    {
        int list = 2 + sequence;
        const char *json = text(
            "{'asset':{'version':'2.0'},'extensionsRequired':['EXT_meshopt_compression'],"
            "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1},'indices':2}]}],"
            "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':60},"
            "{'bufferView':1,'componentType':5120,'normalized':true,'type':'VEC3','count':60},"
            "{'bufferView':2,'componentType':5123,'type':'SCALAR','count':270}],'bufferViews':["
            "{'buffer':1,'byteLength':720,'byteStride':12,'extensions':{'EXT_meshopt_compression':{'buffer':0,'"
            "byteOffset':%zu,"
            "'byteLength':%zu,'byteStride':12,'count':60,'mode':'ATTRIBUTES','filter':'EXPONENTIAL'}}},"
            "{'buffer':1,'byteOffset':720,'byteLength':240,'byteStride':4,'extensions':{'KHR_meshopt_compression':{'"
            "buffer':0,"
            "'byteOffset':%zu,'byteLength':%zu,'byteStride':4,'count':60,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'}}},"
            "{'buffer':1,'byteOffset':960,'byteLength':540,'extensions':{'EXT_meshopt_compression':{'buffer':0,"
            "'byteOffset':%zu,'byteLength':%zu,'byteStride':2,'count':270,'mode':'%s'}}}],"
            "'buffers':[{'byteLength':%zu},{'byteLength':1500,'extensions':{'EXT_meshopt_compression':{'fallback':true}"
            "}}]}",
            offset[0], length[0], offset[1], length[1], offset[list], length[list], sequence ? "INDICES" : "TRIANGLES",
            b.size);
        pleat_asset *asset = parse(json, &b);
        const pleat_primitive *p = first_primitive(asset);
        assert_int_equal(p->vertex_count, V);
        for (int v = 0; v < V; ++v)
        {
            const float *read = &p->positions[v].x;
            const float *normal = &p->normals[v].x;
            for (int c = 0; c < 3; ++c)
            {
                assert_true(fabsf(read[c] - positions[v][c]) < 1e-5f);
                assert_true(fabsf(normal[c] - normals[v][c]) < 0.03f);
            }
        }
        assert_int_equal(p->triangle_count, I / 3);
        for (int t = 0; t < I / 3; ++t)
        {
            /* The triangle codec may turn a triangle; the sequence codec keeps every index. */
            bool found = false;
            for (int turn = 0; turn < (sequence ? 1 : 3); ++turn)
            {
                found |= p->triangles[3 * t] == indices[3 * t + turn] &&
                         p->triangles[3 * t + 1] == indices[3 * t + (turn + 1) % 3] &&
                         p->triangles[3 * t + 2] == indices[3 * t + (turn + 2) % 3];
            }
            assert_true(found);
        }
        pleat_asset_destroy(asset);
        b.data[offset[0]] ^= 0xff;
        refuse(json, &b, "bufferViews[0].extensions.EXT_meshopt_compression: the compressed data is damaged");
        b.data[offset[0]] ^= 0xff;
    }
    support_bytes_free(&b);
}

/* ---- Whole files ---- */

static uint32_t load_folder(const char *folder, bool good)
{
    uint32_t count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
    {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        if (entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        {
            count += load_folder(path, good);
        }
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || (strcmp(dot, ".gltf") != 0 && strcmp(dot, ".glb") != 0))
        {
            continue;
        }
        /* Its own notes say that these two are not to be loaded: version 2.1 and a made-up required extension. */
        bool other =
            strncmp(entry->d_name, "Compatibility_04", 16) == 0 || strncmp(entry->d_name, "Compatibility_05", 16) == 0;
        pleat_asset *asset;
        pleat_error error = {0};
        pleat_result result = pleat_asset_load(path, NULL, NULL, &asset, &error);
        if ((result == PLEAT_OK) != (good && !other))
        {
            fail_msg("%s: %s", path, error.message);
        }
        assert_true(result == PLEAT_OK || strstr(error.message, entry->d_name));
        pleat_asset_destroy(asset);
        ++count;
    }
    closedir(listing);
    return count;
}

static void test_gltf_asset_generator(void **state)
{
    (void)state;
    SUPPORT_NEED(positive, "edge_gltf_asset_generator/Output/Positive");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", positive);
    assert_int_equal(load_folder(folder, true), 96);
    SUPPORT_NEED(negative, "edge_gltf_asset_generator/Output/Negative");
    snprintf(folder, sizeof folder, "%s", negative);
    assert_int_equal(load_folder(folder, false), 16);
}

/* Random bytes of a whole character changed: any answer is right, as long as there is one. */
static void test_gltf_changed_bytes(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "khr_rigged_simple/RiggedSimple.glb");
    void *bytes;
    size_t size;
    pleat_error error = {0};
    assert_int_equal(pleat_file_read(path, NULL, &bytes, &size, &error), PLEAT_OK);
    unsigned char *copy = malloc(size);
    uint32_t random = 99;
    for (int round = 0; round < 1500; ++round)
    {
        memcpy(copy, bytes, size);
        size_t range = round % 2 ? size : 4096 < size ? 4096 : size; /* the JSON is what matters most */
        for (uint32_t i = 0; i < 1 + support_random(&random) % 4; ++i)
        {
            copy[support_random(&random) % range] = (unsigned char)support_random(&random);
        }
        parse_bytes(copy, size, &error);
    }
    free(copy);
    pleat_file_free(NULL, bytes, size);
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

static void test_gltf_allocation_failures(void **state)
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

/* jansson allocates by itself, and takes some of its failures for faults of the text: any failure is right, if clean. */
static void test_gltf_json_allocation_failures(void **state)
{
    (void)state;
    support_bytes b = {0};
    support_put(&b, square, sizeof square);
    support_bytes glb = support_glb(document("'POSITION':0", "", POSITIONS, VIEW_0, b.size), b.data, b.size);
    json_set_alloc_funcs(json_malloc_that_fails, free);
    pleat_result result = PLEAT_NO_MEMORY;
    for (uint64_t n = 0; result != PLEAT_OK; ++n)
    {
        pleat_error error = {0};
        json_countdown = n;
        result = parse_bytes(glb.data, glb.size, &error);
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
        cmocka_unit_test(test_gltf_options_default_is_valid),
        cmocka_unit_test(test_gltf_reads_positions_in_place_of_the_chunk),
        cmocka_unit_test(test_gltf_component_types),
        cmocka_unit_test(test_gltf_interleaved),
        cmocka_unit_test(test_gltf_sparse),
        cmocka_unit_test(test_gltf_lists_strips_and_fans),
        cmocka_unit_test(test_gltf_refuses_bad_indices),
        cmocka_unit_test(test_gltf_morph_targets_and_their_names),
        cmocka_unit_test(test_gltf_refuses_numbers_that_are_not_finite),
        cmocka_unit_test(test_gltf_every_cut_glb_is_refused),
        cmocka_unit_test(test_gltf_container_faults_name_their_byte),
        cmocka_unit_test(test_gltf_json_faults),
        cmocka_unit_test(test_gltf_a_tree_larger_than_the_limit_is_not_built),
        cmocka_unit_test(test_gltf_refuses_what_lies_outside_its_buffer),
        cmocka_unit_test(test_gltf_a_broken_accessor_that_nothing_uses_is_a_warning),
        cmocka_unit_test(test_gltf_external_files_and_data_uris),
        cmocka_unit_test(test_gltf_nodes_scene_order_and_transforms),
        cmocka_unit_test(test_gltf_refuses_graphs_that_are_no_trees),
        cmocka_unit_test(test_gltf_skin_weights),
        cmocka_unit_test(test_gltf_more_than_eight_influences),
        cmocka_unit_test(test_gltf_inverse_bind_matrices),
        cmocka_unit_test(test_gltf_clips),
        cmocka_unit_test(test_gltf_extensions),
        cmocka_unit_test(test_gltf_meshopt_compression),
        cmocka_unit_test(test_gltf_asset_generator),
        cmocka_unit_test(test_gltf_changed_bytes),
        cmocka_unit_test(test_gltf_allocation_failures),
        cmocka_unit_test(test_gltf_json_allocation_failures),
    };
    return cmocka_run_group_tests_name("gltf", tests, NULL, NULL);
}
