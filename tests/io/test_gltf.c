/* glTF in: meshes of every kind with known answers, extensions, and the asset generator's files. */
#include "support/support.h"

#include "support/glb.h"
#include <meshoptimizer.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    support_put(&b, support_square, sizeof support_square);
    pleat_asset *asset =
        support_parse(support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), &b);
    const pleat_primitive *p = support_first_primitive(asset);
    assert_int_equal(p->vertex_count, 4);
    assert_memory_equal(p->positions, support_square, sizeof support_square);
    assert_int_equal(p->triangle_count, 1); /* four vertices without indices: one triangle and a rest */
    assert_true(strstr(support_warnings.text, "no whole number of triangles") != NULL);
    assert_int_equal(p->material, PLEAT_NONE);
    assert_string_equal(pleat_asset_model(asset)->meshes[0].name, "mesh 0");
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
            pleat_asset *asset = support_parse(
                support_document(
                    "'POSITION':0", "",
                    support_text("{'bufferView':0,'componentType':%d,'normalized':%s,'type':'VEC3','count':4}",
                                 kinds[k].type, normalized ? "true" : "false"),
                    "{'buffer':0,'byteLength':32,'byteStride':8}", b.size),
                &b);
            const float *read = &support_first_primitive(asset)->positions[0].x;
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
        memcpy(rows[v], support_square[v], 12);
        rows[v][3] = 99;
        rows[v][4] = (float)v;
        rows[v][5] = (float)-v;
    }
    support_bytes b = {0};
    support_put(&b, rows, sizeof rows);
    pleat_asset *asset =
        support_parse(support_document("'POSITION':0,'TEXCOORD_0':1", "",
                                       SUPPORT_POSITIONS
                                       ",{'bufferView':0,'byteOffset':16,'componentType':5126,'type':'VEC2','count':4}",
                                       "{'buffer':0,'byteLength':96,'byteStride':24}", b.size),
                      &b);
    const pleat_primitive *p = support_first_primitive(asset);
    assert_memory_equal(p->positions, support_square, sizeof support_square);
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
    support_put(&b, support_square, sizeof support_square);
    size_t at_indices = support_put(&b, indices, sizeof indices);
    size_t at_values = support_put(&b, values, sizeof values);
    const char *views = support_text(
        SUPPORT_VIEW_0 ",{'buffer':0,'byteOffset':%zu,'byteLength':2},{'buffer':0,'byteOffset':%zu,'byteLength':24}",
        at_indices, at_values);
    for (int with_base = 0; with_base < 2; ++with_base)
    {
        const char *format =
            "{%s'componentType':5126,'type':'VEC3','count':4,'sparse':{'count':%d,'indices':{'bufferView':1,"
            "'componentType':5121},'values':{'bufferView':2}}}";
        const char *base = with_base ? "'bufferView':0," : "";
        pleat_asset *asset =
            support_parse(support_document("'POSITION':0", "", support_text(format, base, 2), views, b.size), &b);
        const pleat_vec3 *p = support_first_primitive(asset)->positions;
        assert_true(p[1].x == 5 && p[1].z == 7 && p[3].x == 8 && p[3].z == 10);
        assert_true(p[0].x == 0 && p[2].y == (with_base ? 1.0f : 0.0f));
        pleat_asset_destroy(asset);
        support_refuse(support_document("'POSITION':0", "", support_text(format, base, 5), views, b.size), &b,
                       "accessors[0].sparse.count is 5; the accessor has 4 elements");
        support_refuse(support_document("'POSITION':0", "", support_text(format, base, 3), views, b.size), &b,
                       "accessors[0].sparse.count is 3; the buffer view has room for 2");
    }
    b.data[at_indices] = 4;
    support_refuse(
        support_document("'POSITION':0", "",
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
    support_put(&b, support_square, sizeof support_square);
    support_put(&b, list, sizeof list);
    pleat_asset *asset = support_parse(
        support_document("'POSITION':0", support_text(",'mode':%s%s", mode, indices),
                         SUPPORT_POSITIONS ",{'bufferView':1,'componentType':5123,'type':'SCALAR','count':6}",
                         SUPPORT_VIEW_0 ",{'buffer':0,'byteOffset':48,'byteLength':12}", b.size),
        &b);
    const pleat_primitive *p = support_first_primitive(asset);
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
    support_put(&b, support_square, sizeof support_square);
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
            support_refuse(
                support_document("'POSITION':0", support_text(",'mode':%d,'indices':1", mode),
                                 support_text(SUPPORT_POSITIONS
                                              ",{'bufferView':1,'componentType':%d,'type':'SCALAR','count':%zu}",
                                              cases[i].type, cases[i].count),
                                 support_text(SUPPORT_VIEW_0 ",{'buffer':0,'byteOffset':%zu,'byteLength':%zu}",
                                              cases[i].offset, b.size - cases[i].offset),
                                 b.size),
                &b, cases[i].says);
        }
    }
    support_refuse(support_document("'POSITION':0", ",'mode':7", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), &b,
                   "meshes[0].primitives[0].mode is 7");
    support_bytes_free(&b);
}

static void test_gltf_morph_targets_and_their_names(void **state)
{
    (void)state;
    const float moved[4][3] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}};
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_put(&b, moved, sizeof moved);
    const char *format =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'weights':[0.5,0.25]}],"
        "'meshes':[{'name':'m','weights':[1,2],'extras':{'targetNames':['smile','frown']},"
        "'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':1,'NORMAL':%d},{'NORMAL':1}]}%s]}],"
        "'accessors':[" SUPPORT_POSITIONS ",{'bufferView':1,'componentType':5126,'type':'VEC3','count':4},"
        "{'componentType':5126,'type':'VEC3','count':4}],"
        "'bufferViews':[" SUPPORT_VIEW_0
        ",{'buffer':0,'byteOffset':48,'byteLength':48}],'buffers':[{'byteLength':96}]}";
    pleat_asset *asset = support_parse(support_text(format, 2, ""), &b);
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
    support_refuse(support_text(format, 2, ",{'attributes':{'POSITION':0}}"), &b,
                   "meshes[0].primitives[1] has 0 morph targets; the first primitive has 2");
    support_refuse(support_text(format, 9, ""), &b, "targets[0].NORMAL is 9; there are 3 accessors");
    support_bytes_free(&b);
}

/* ---- Numbers that are no numbers ---- */

static void test_gltf_refuses_numbers_that_are_not_finite(void **state)
{
    (void)state;
    float bad[4][3];
    memcpy(bad, support_square, sizeof bad);
    bad[2][1] = NAN;
    support_bytes b = {0};
    support_put(&b, bad, sizeof bad);
    support_refuse(
        support_document("'POSITION':0", "", SUPPORT_POSITIONS, SUPPORT_VIEW_0, b.size), &b,
        "meshes[0].primitives[0].attributes.POSITION: element 2 of accessors[0] is (0, nan, 0); it must be finite");
    support_put(&b, support_square, sizeof support_square);
    pleat_asset *asset = support_parse(
        support_document("'POSITION':1,'NORMAL':0", "",
                         SUPPORT_POSITIONS ",{'bufferView':1,'componentType':5126,'type':'VEC3','count':4}",
                         SUPPORT_VIEW_0 ",{'buffer':0,'byteOffset':48,'byteLength':48}", b.size),
        &b);
    assert_true(support_first_primitive(asset)->normals[2].y == 0);
    assert_true(strstr(support_warnings.text, "attributes.NORMAL: element 2") != NULL);
    pleat_asset_destroy(asset);
    support_bytes_free(&b);
}

/* ---- Extensions ---- */

static void test_gltf_extensions(void **state)
{
    (void)state;
    support_refuse_as(PLEAT_UNSUPPORTED, "{'asset':{'version':'2.0'},'extensionsRequired':['FAKE_thing']}", NULL,
                      "extensionsRequired[0] is FAKE_thing");
    support_refuse_as(PLEAT_UNSUPPORTED,
                      "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_draco_mesh_compression']}", NULL,
                      "gltf-transform");
    support_bytes b = {0};
    support_put(&b, support_square, sizeof support_square);
    support_refuse_as(
        PLEAT_UNSUPPORTED,
        support_document("'POSITION':0",
                         ",'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0}}}",
                         "{'componentType':5126,'type':'VEC3','count':4}", SUPPORT_VIEW_0, b.size),
        &b, "meshes[0].primitives[0]: the mesh is compressed with Draco");
    support_bytes_free(&b);
    pleat_asset *asset =
        support_parse("{'asset':{'version':'2.0'},'extensionsUsed':['FAKE_thing','KHR_mesh_quantization'],"
                      "'extensionsRequired':['KHR_mesh_quantization','KHR_texture_transform','KHR_materials_unlit']}",
                      NULL);
    pleat_asset_destroy(asset);
}

/* Encoded by meshoptimizer, read back through the document: the index codecs, the vertex codec and each filter. */
enum
{
    PACKED_VERTICES = 60,
    PACKED_INDICES = 3 * 90
};

/* A mesh of no shape, and its four streams as meshopt packs them: positions, normals, triangles, the same indices as a
 * sequence. */
typedef struct packed_mesh
{
    float positions[PACKED_VERTICES][3], normals[PACKED_VERTICES][4];
    unsigned int indices[PACKED_INDICES];
    support_bytes bytes;
    size_t offset[4], length[4];
} packed_mesh;

static void fill_packed_mesh(packed_mesh *mesh)
{
    uint32_t random = 7;
    for (int v = 0; v < PACKED_VERTICES; ++v)
    {
        float squared = 0;
        for (int c = 0; c < 3; ++c)
        {
            mesh->positions[v][c] = support_random_float(&random, -3, 3);
            mesh->normals[v][c] = support_random_float(&random, -1, 1);
            squared += mesh->normals[v][c] * mesh->normals[v][c];
        }
        mesh->normals[v][3] = 0;
        for (int c = 0; c < 3; ++c)
        {
            mesh->normals[v][c] /= sqrtf(squared);
        }
    }
    for (int i = 0; i < PACKED_INDICES; ++i)
    {
        mesh->indices[i] = support_random(&random) % PACKED_VERTICES;
    }
}

static void pack_mesh(packed_mesh *mesh)
{
    unsigned char packed[8192];
    uint32_t exponential[PACKED_VERTICES][3];
    int8_t octahedral[PACKED_VERTICES][4];
    size_t *length = mesh->length, *offset = mesh->offset;
    meshopt_encodeFilterExp(exponential, PACKED_VERTICES, 12, 20, &mesh->positions[0][0]);
    meshopt_encodeFilterOct(octahedral, PACKED_VERTICES, 4, 8, &mesh->normals[0][0]);
    length[0] = meshopt_encodeVertexBuffer(packed, sizeof packed, exponential, PACKED_VERTICES, 12);
    offset[0] = support_put(&mesh->bytes, packed, length[0]);
    length[1] = meshopt_encodeVertexBuffer(packed, sizeof packed, octahedral, PACKED_VERTICES, 4);
    offset[1] = support_put(&mesh->bytes, packed, length[1]);
    length[2] = meshopt_encodeIndexBuffer(packed, sizeof packed, mesh->indices, PACKED_INDICES);
    offset[2] = support_put(&mesh->bytes, packed, length[2]);
    length[3] = meshopt_encodeIndexSequence(packed, sizeof packed, mesh->indices, PACKED_INDICES);
    offset[3] = support_put(&mesh->bytes, packed, length[3]);
}

/* The triangle codec may turn a triangle; the sequence codec keeps every index. */
static void check_packed_mesh(const packed_mesh *mesh, const pleat_primitive *p, bool sequence)
{
    assert_int_equal(p->vertex_count, PACKED_VERTICES);
    for (int v = 0; v < PACKED_VERTICES; ++v)
    {
        const float *read = &p->positions[v].x, *normal = &p->normals[v].x;
        for (int c = 0; c < 3; ++c)
        {
            assert_true(fabsf(read[c] - mesh->positions[v][c]) < 1e-5f);
            assert_true(fabsf(normal[c] - mesh->normals[v][c]) < 0.03f);
        }
    }
    assert_int_equal(p->triangle_count, PACKED_INDICES / 3);
    for (int t = 0; t < PACKED_INDICES / 3; ++t)
    {
        bool found = false;
        for (int turn = 0; turn < (sequence ? 1 : 3); ++turn)
        {
            found |= p->triangles[3 * t] == mesh->indices[3 * t + turn] &&
                     p->triangles[3 * t + 1] == mesh->indices[3 * t + (turn + 1) % 3] &&
                     p->triangles[3 * t + 2] == mesh->indices[3 * t + (turn + 2) % 3];
        }
        assert_true(found);
    }
}

static void test_gltf_meshopt_compression(void **state)
{
    (void)state;
    packed_mesh mesh = {.bytes = {0}};
    fill_packed_mesh(&mesh);
    pack_mesh(&mesh);
    const size_t *offset = mesh.offset, *length = mesh.length;
    for (int sequence = 0; sequence < 2; ++sequence)
    {
        int list = 2 + sequence;
        const char *json = support_text(
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
            mesh.bytes.size);
        pleat_asset *asset = support_parse(json, &mesh.bytes);
        check_packed_mesh(&mesh, support_first_primitive(asset), sequence == 1);
        pleat_asset_destroy(asset);
        mesh.bytes.data[offset[0]] ^= 0xff;
        support_refuse(json, &mesh.bytes,
                       "bufferViews[0].extensions.EXT_meshopt_compression: the compressed data is damaged");
        mesh.bytes.data[offset[0]] ^= 0xff;
    }
    support_bytes_free(&mesh.bytes);
}

/* A file with every codec and filter; its animation stands still, its normals point along z. */
static void test_gltf_meshopt_filters(void **state)
{
    (void)state;
    pleat_asset *asset;
    pleat_error error = {0};
    if (pleat_asset_load(PLEAT_SOURCE_DIR "/tests/data/fuzz_gltf/meshopt.glb", NULL, NULL, &asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    const pleat_model *model = pleat_asset_model(asset);
    const pleat_channel *channel = &model->clips[0].channels[0];
    assert_int_equal(channel->key_count, 8);
    for (uint32_t k = 0; k < 8; ++k)
    {
        assert_true(channel->times[k] == 0.5f * (float)k);
        assert_true(fabsf(channel->values[4 * k]) < 1e-3f && fabsf(channel->values[4 * k + 3] - 1) < 1e-3f);
    }
    assert_true(fabsf(model->meshes[0].primitives[0].normals[5].z - 1) < 0.02f);
    assert_int_equal(model->meshes[0].primitives[1].triangle_count, 10); /* a strip of twelve */
    pleat_asset_destroy(asset);
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
        support_parse_bytes(copy, size, &error);
    }
    free(copy);
    pleat_file_free(NULL, bytes, size);
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
        cmocka_unit_test(test_gltf_extensions),
        cmocka_unit_test(test_gltf_meshopt_compression),
        cmocka_unit_test(test_gltf_meshopt_filters),
        cmocka_unit_test(test_gltf_asset_generator),
        cmocka_unit_test(test_gltf_changed_bytes),
    };
    return cmocka_run_group_tests_name("gltf", tests, NULL, NULL);
}
