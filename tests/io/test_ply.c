#include "support/support.h"

#include "io/mesh/mesh_file.h"
#include "pleat/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pleat_result parse_bytes(const void *bytes, size_t size, pleat_asset **asset, pleat_error *error)
{
    return pleat_asset_parse(PLEAT_FORMAT_PLY, bytes, size, "a.ply", NULL, asset, error);
}

static const pleat_primitive *primitive_of(const pleat_asset *asset)
{
    const pleat_model *model = pleat_asset_model(asset);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].primitive_count, 1);
    return &model->meshes[0].primitives[0];
}

static void test_ply_reads_ascii(void **state)
{
    (void)state;
    static const char text[] =
        "ply\r\nformat ascii 1.0\r\ncomment hello\r\nelement vertex 4\r\nproperty float x\r\nproperty double y\r\n"
        "property int quality\r\nproperty float32 z\r\nproperty float nx\r\nproperty float ny\r\nproperty float nz\r\n"
        "property uchar red\r\nproperty uchar green\r\nproperty uchar blue\r\nproperty float texture_u\r\n"
        "property float texture_v\r\nelement extra 2\r\nproperty list uchar float values\r\nelement face 2\r\n"
        "property uchar flags\r\nproperty list uchar int vertex_index\r\nend_header\r\n"
        "0 0 7 0 0 0 1 255 0 51 0 0.25\r\n1 0 7 0 0 0 1 0 0 0 1 0\r\n1 1 7 0 nan 0 1 0 0 0 1 1\r\n0 1 7 0.5 0 0 1 0 0 "
        "0 0 1\r\n"
        "2 5 6\r\n0\r\n9 3 0 1 2\r\n9 4 0 1 2 3";
    pleat_error error = {0};
    pleat_asset *asset;
    assert_int_equal(parse_bytes(text, sizeof text - 1, &asset, &error), PLEAT_OK);
    const pleat_primitive *p = primitive_of(asset);
    assert_int_equal(p->vertex_count, 4);
    assert_true(p->positions[3].y == 1 && p->positions[3].z == 0.5f && p->positions[1].x == 1);
    static const uint32_t expected[] = {0, 1, 2, 0, 1, 2, 0, 2, 3};
    assert_int_equal(p->triangle_count, 3);
    assert_memory_equal(p->triangles, expected, sizeof expected);
    assert_true(p->normals[2].z == 1 && p->normals[2].x == 0); /* the file says nan */
    assert_true(p->uvs[0] == 0 && p->uvs[1] == 0.75f);
    assert_true(p->colors[0] == 1 && fabsf(p->colors[2] - 0.2f) < 1e-6f && p->colors[3] == 1);
    pleat_asset_destroy(asset);
}

/* A file of one triangle and a list to skip, in either byte order. */
static size_t make_binary(bool big, unsigned char *out)
{
    size_t length = (size_t)sprintf(
        (char *)out,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty list uchar short junk\nproperty double x\n"
        "property float y\nproperty short z\nelement face 1\nproperty list int uint vertex_indices\nend_header\n",
        big ? "big" : "little");
    for (int v = 0; v < 3; ++v)
    {
        out[length++] = (unsigned char)v; /* v shorts of junk */
        for (int i = 0; i < 2 * v; ++i)
        {
            out[length++] = 0xee;
        }
        double x = v + 0.5;
        float y = -2.0f * (float)v;
        int16_t z = (int16_t)(-300 * v);
        const void *values[] = {&x, &y, &z};
        const size_t sizes[] = {8, 4, 2};
        for (int k = 0; k < 3; ++k)
        {
            for (size_t i = 0; i < sizes[k]; ++i)
            {
                out[length++] = ((const unsigned char *)values[k])[big ? sizes[k] - 1 - i : i];
            }
        }
    }
    static const unsigned char words[] = {3, 0, 1, 2};
    for (int w = 0; w < 4; ++w)
    {
        for (int i = 0; i < 4; ++i)
        {
            out[length++] = i == (big ? 3 : 0) ? words[w] : 0;
        }
    }
    return length;
}

static void test_ply_reads_both_byte_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; ++big)
    {
        unsigned char bytes[1000];
        size_t size = make_binary(big, bytes);
        pleat_error error = {0};
        pleat_asset *asset;
        assert_int_equal(parse_bytes(bytes, size, &asset, &error), PLEAT_OK);
        const pleat_primitive *p = primitive_of(asset);
        assert_int_equal(p->vertex_count, 3);
        assert_true(p->positions[2].x == 2.5f && p->positions[2].y == -4 && p->positions[2].z == -600);
        static const uint32_t expected[] = {0, 1, 2};
        assert_memory_equal(p->triangles, expected, sizeof expected);
        pleat_asset_destroy(asset);
        /* Cut anywhere, it is an error and nothing worse. */
        for (size_t cut = 0; cut < size; ++cut)
        {
            unsigned char *exact = malloc(cut ? cut : 1);
            memcpy(exact, bytes, cut);
            assert_int_equal(parse_bytes(exact, cut, &asset, &error), PLEAT_BAD_DATA);
            assert_null(asset);
            assert_non_null(strstr(error.message, "a.ply"));
            free(exact);
        }
    }
}

#define HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n"

static void test_ply_rejects_bad_files(void **state)
{
    (void)state;
    static const struct
    {
        const char *text, *words;
    } cases[] = {
        {"obj\n", "'obj'"},
        {"ply\nelement vertex 1\nproperty float x\nend_header\n", "format"},
        {"ply\nformat text 1.0\n", "'text'"},
        {"ply\nformat ascii 2.0\n", "'2.0'"},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", "'-1'"},
        {"ply\nformat ascii 1.0\nelement vertex 1e30\n", "'1e30'"},
        {"ply\nformat ascii 1.0\nproperty float x\n", "before the first element"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n", "'real'"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int a\n", "'float'"},
        {"ply\nformat ascii 1.0\nnonsense\n", "'nonsense'"},
        {"ply\nformat ascii 1.0\nend_header\n", "no vertices"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
         "x, y and z"},
        {"ply\nformat ascii 1.0\nelement vertex 900000000\nproperty float x\nproperty float y\nproperty float "
         "z\nend_header\n0 0 0\n",
         "900000000"},
        {HEAD "end_header\n0 0 0\n1 0 0\n1 1 x\n", "'x'"},
        {HEAD "end_header\n0 0 0\n1 0 0\n1 1 1e40\n", "vertex 2"},
        {HEAD "end_header\n0 0 0\n1 -nan 0\n1 1 0\n", "vertex 1 is nan"},
        {HEAD FACES "3 0 1 3\n", "vertex 3"},
        {HEAD FACES "3 0 1 -1\n", "vertex -1"},
        {HEAD FACES "3 0 1 0.5\n", "vertex 0.5"},
        {HEAD FACES "200 0 1 2\n", "200 values"},
        {HEAD FACES "3 0 1\n", "missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pleat_error error = {0};
        pleat_asset *asset;
        assert_int_equal(parse_bytes(cases[i].text, strlen(cases[i].text), &asset, &error), PLEAT_BAD_DATA);
        assert_null(asset);
        if (!strstr(error.message, cases[i].words) || !strstr(error.message, "a.ply"))
        {
            fail_msg("case %zu: '%s' does not say '%s'", i, error.message, cases[i].words);
        }
    }
}

static pleat_result load_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_asset *asset;
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_PLY, user, strlen(user), "a.ply", host, &asset, error);
    pleat_asset_destroy(asset);
    return result;
}

static void test_ply_survives_every_failed_allocation(void **state)
{
    (void)state;
    char text[] = HEAD "property float nx\nproperty float ny\nproperty float nz\nproperty float u\nproperty float v\n"
                       "property float red\nproperty float green\nproperty float blue\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                       "0 0 0 0 0 1 0 0 1 1 1\n1 0 0 0 0 1 0 0 1 1 1\n1 1 0 0 0 1 0 0 1 1 1\n3 0 1 2\n";
    support_sweep_allocations(load_body, text);
}

static void test_ply_write_and_read_give_the_same_bits(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 100
    };
    pleat_vec3 positions[VERTICES];
    pleat_vec3 normals[VERTICES];
    float uvs[2 * VERTICES];
    uint32_t triangles[3 * VERTICES];
    uint32_t random = 11;
    for (uint32_t i = 0; i < VERTICES; ++i)
    {
        positions[i] = (pleat_vec3){support_random_float(&random, -1, 1), 1e-30f, -0.0f};
        normals[i] = (pleat_vec3){0, support_random_float(&random, -1, 1), 0};
        uvs[2 * i] = support_random_float(&random, 0, 1);
        uvs[2 * i + 1] = support_random_float(&random, 0, 1);
        for (uint32_t k = 0; k < 3; ++k)
        {
            triangles[3 * i + k] = support_random(&random) % VERTICES;
        }
    }
    pleat_cache_desc desc = {.vertex_count = VERTICES, .triangle_count = VERTICES, .triangles = triangles, .uvs = uvs};
    char path[1200];
    snprintf(path, sizeof path, "%s/round.ply", support_folder());
    pleat_error error = {0};
    pl_output *output;
    assert_int_equal(pl_output_begin(path, NULL, &output, &error), PLEAT_OK);
    assert_int_equal(pl_ply_write(output, &desc, positions, normals, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(output, NULL, &error), PLEAT_OK);
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(path, NULL, NULL, &asset, &error), PLEAT_OK);
    const pleat_primitive *p = primitive_of(asset);
    assert_string_equal(pleat_asset_model(asset)->meshes[0].name, "round");
    assert_int_equal(p->vertex_count, VERTICES);
    assert_memory_equal(p->positions, positions, sizeof positions);
    assert_memory_equal(p->normals, normals, sizeof normals);
    assert_memory_equal(p->uvs, uvs, sizeof uvs);
    assert_memory_equal(p->triangles, triangles, sizeof triangles);
    pleat_asset_destroy(asset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ply_reads_ascii),
        cmocka_unit_test(test_ply_reads_both_byte_orders),
        cmocka_unit_test(test_ply_rejects_bad_files),
        cmocka_unit_test(test_ply_survives_every_failed_allocation),
        cmocka_unit_test(test_ply_write_and_read_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
