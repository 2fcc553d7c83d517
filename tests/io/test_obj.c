#include "support/support.h"

#include "io/mesh/mesh_file.h"
#include "io/mesh/polygon.h"
#include "pleat/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pleat_asset *parse(const char *text)
{
    pleat_error error = {0};
    pleat_asset *asset;
    if (pleat_asset_parse(PLEAT_FORMAT_OBJ, text, strlen(text), "a.obj", NULL, &asset, &error) != PLEAT_OK)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(asset);
    return asset;
}

static const pleat_mesh *mesh_of(const pleat_asset *asset)
{
    const pleat_model *model = pleat_asset_model(asset);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->node_count, 1);
    return &model->meshes[0];
}

static void test_obj_reads_a_plain_mesh_in_the_order_of_the_file(void **state)
{
    (void)state;
    pleat_asset *asset = parse("# comment\no thing\nv 0 0 0\nv 1 0 0\nv 9 9 9\nv 1 1 0\nv 0 1 0\nf 1 2 4 5\nf -1 -2 1");
    const pleat_mesh *mesh = mesh_of(asset);
    assert_string_equal(mesh->name, "thing");
    assert_int_equal(mesh->primitive_count, 1);
    const pleat_primitive *p = &mesh->primitives[0];
    assert_int_equal(p->vertex_count, 5); /* also the one that no face uses */
    assert_true(p->positions[2].x == 9 && p->positions[4].y == 1);
    static const uint32_t expected[] = {0, 1, 3, 0, 3, 4, 4, 3, 0};
    assert_int_equal(p->triangle_count, 3);
    assert_memory_equal(p->triangles, expected, sizeof expected);
    assert_null(p->uvs);
    assert_null(p->normals);
    assert_int_equal(p->material, PLEAT_NONE);
    pleat_asset_destroy(asset);
}

static void test_obj_reads_odd_spellings(void **state)
{
    (void)state;
    /* CRLF, joined lines, tabs, comments behind, weights, exponents, no newline at the end, faces before vertices. */
    pleat_asset *asset =
        parse("f 1 2 3\r\nv\t1e-1 +2. .5 1.0 # w\r\nv 0 \\\r\n 0 \\\n0\r\nv 1 0 0\r\n\r\ns off\nf 3 2 \\\n1");
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    assert_int_equal(p->vertex_count, 3);
    assert_int_equal(p->triangle_count, 2);
    assert_true(p->positions[0].x == 0.1f && p->positions[0].y == 2 && p->positions[0].z == 0.5f);
    pleat_asset_destroy(asset);
}

static void test_obj_splits_vertices_at_seams_only(void **state)
{
    (void)state;
    pleat_asset *asset = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.25\nvt 0.5 0.5\n"
                               "vn 0 0 1\nf 1/1/1 2/2/1 3/3/1\nf 1/5/1 3/3/1 4/4/1\n");
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    assert_int_equal(p->vertex_count, 5);
    /* Sorted by vertex, then by uv: 1/1, 1/5, 2, 3, 4. */
    static const uint32_t expected[] = {0, 2, 3, 1, 3, 4};
    assert_memory_equal(p->triangles, expected, sizeof expected);
    assert_true(p->uvs[0] == 0 && p->uvs[1] == 1); /* v grows downwards in a model */
    assert_true(p->uvs[2] == 0.5f && p->uvs[3] == 0.5f);
    assert_true(p->uvs[8] == 0 && p->uvs[9] == 0.75f);
    assert_true(p->normals[4].z == 1);
    pleat_asset_destroy(asset);
}

static void test_obj_makes_a_primitive_of_each_material(void **state)
{
    (void)state;
    pleat_asset *asset =
        parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nusemtl red cloth \nf 1 2 3\nusemtl blue\nf 1 3 4\n"
              "usemtl red cloth\nf 3 2 1\nusemtl unused\n");
    const pleat_mesh *mesh = mesh_of(asset);
    const pleat_model *model = pleat_asset_model(asset);
    assert_int_equal(mesh->primitive_count, 2);
    assert_int_equal(model->material_count, 2);
    assert_string_equal(model->materials[mesh->primitives[0].material].name, "red cloth");
    assert_string_equal(model->materials[mesh->primitives[1].material].name, "blue");
    assert_int_equal(mesh->primitives[0].triangle_count, 2);
    assert_int_equal(mesh->primitives[0].vertex_count, 3);
    assert_int_equal(mesh->primitives[1].vertex_count, 3);
    assert_true(mesh->primitives[1].positions[2].y == 1 && mesh->primitives[1].positions[2].x == 0);
    pleat_asset_destroy(asset);
}

static void test_obj_reads_vertex_colours(void **state)
{
    (void)state;
    pleat_asset *asset = parse("v 0 0 0\nv 1 0 0 0.5 0.25 1\nv 1 1 0\nf 1 2 3\n");
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    static const float expected[] = {1, 1, 1, 1, 0.5f, 0.25f, 1, 1, 1, 1, 1, 1};
    assert_memory_equal(p->colors, expected, sizeof expected);
    pleat_asset_destroy(asset);
}

static double area_of(const pleat_primitive *p)
{
    double sum = 0;
    for (uint32_t t = 0; t < p->triangle_count; ++t)
    {
        const pleat_vec3 *a = &p->positions[p->triangles[3 * t]];
        const pleat_vec3 *b = &p->positions[p->triangles[3 * t + 1]];
        const pleat_vec3 *c = &p->positions[p->triangles[3 * t + 2]];
        double area =
            ((double)(b->x - a->x) * (double)(c->y - a->y) - (double)(b->y - a->y) * (double)(c->x - a->x)) / 2;
        assert_true(area >= 0); /* a triangle outside of the polygon or turned over would be negative */
        sum += area;
    }
    return sum;
}

static void test_obj_cuts_polygons_that_are_not_convex(void **state)
{
    (void)state;
    /* An arrow whose fan from corner 1 would leave the polygon; a comb; both against the area by Green's formula. */
    pleat_asset *asset = parse("v 2 1 0\nv 0 2 0\nv 1 1 0\nv 0 0 0\nf 2 3 4 1\n");
    assert_true(fabs(area_of(&mesh_of(asset)->primitives[0]) - 1) < 1e-12);
    pleat_asset_destroy(asset);
    char text[20000];
    size_t length = 0;
    int teeth = 40;
    for (int i = 0; i < teeth; ++i)
    {
        length += (size_t)snprintf(text + length, sizeof text - length, "v %d 0 0\nv %d 0 0\nv %g 5 0\n", 2 * i,
                                   2 * i + 1, 2 * i + 1.5);
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "v %d 6 0\nv 0 6 0\nf", 2 * teeth);
    for (int i = 1; i <= 3 * teeth + 2; ++i)
    {
        length += (size_t)snprintf(text + length, sizeof text - length, " %d", i);
    }
    asset = parse(text);
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    assert_int_equal(p->triangle_count, 3 * teeth);
    double expected = 0;
    for (uint32_t i = 0; i < p->vertex_count; ++i)
    {
        const pleat_vec3 *a = &p->positions[i];
        const pleat_vec3 *b = &p->positions[(i + 1) % p->vertex_count];
        expected += ((double)a->x * (double)b->y - (double)b->x * (double)a->y) / 2;
    }
    assert_true(fabs(area_of(p) - expected) < 1e-9 * expected);
    pleat_asset_destroy(asset);
}

static void test_obj_polygons_stay_within_the_budget(void **state)
{
    (void)state;
    /* A spiral with as many corners as ear clipping likes least: it must end, with every corner used. */
    enum
    {
        COUNT = 30000
    };
    pleat_vec3 *positions = calloc(COUNT, sizeof *positions);
    uint32_t *scratch = calloc(6 * COUNT, sizeof *scratch);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        uint32_t half = i < COUNT / 2 ? i : COUNT - 1 - i;
        float radius = 1 + (float)half * 0.01f + (i < COUNT / 2 ? 0 : 0.004f);
        positions[i] = (pleat_vec3){radius * cosf((float)half * 0.1f), radius * sinf((float)half * 0.1f), 0};
        scratch[i] = i;
    }
    pl_polygon_budget budget = pl_polygon_budget_default();
    clock_t start = clock();
    pl_polygon_cut(positions, scratch, COUNT, scratch + COUNT, scratch + 3 * COUNT, &budget);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 30);
    for (uint32_t i = 0; i < 3 * (COUNT - 2); ++i)
    {
        assert_true(scratch[3 * COUNT + i] < COUNT);
    }
    free(positions);
    free(scratch);
}

static void test_obj_rejects_bad_files_and_names_the_line(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        const char *words[3];
    } cases[] = {
        {"", {"a.obj", "no vertex"}},
        {"hello world\n\x01\x02\xff", {"no vertex"}},
        {"v 0 0\n", {"a.obj:1", "coordinate", "missing"}},
        {"v 0 0 0\nv 1 nan 0\n", {"a.obj:2", "'nan'"}},
        {"v 0 0 1e39\n", {"a.obj:1", "'1e39'"}},
        {"v 0 0 inf\n", {"a.obj:1", "'inf'"}},
        {"v 0 0 0x\n", {"a.obj:1", "'0x'"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\n\nf 1 2 4\n", {"a.obj:5", "vertex 4", "has 3"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 0 1 2\n", {"a.obj:4", "'0'"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 -4\n", {"a.obj:4", "'-4'"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1/1 2/1 3/1\n", {"a.obj:4", "texture coordinate 1", "has 0"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1//1 2//1 3//2\n", {"a.obj:4", "normal 1"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3.5\n", {"a.obj:4", "'3.5'"}},
        {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 99999999999999999999\n", {"a.obj:4", "'99999999999999999999'"}},
        {"v 0 0 0\nvt\n", {"a.obj:2", "texture coordinate", "missing"}},
        {"v 0 0 0\nvn 0 0\n", {"a.obj:2", "normal"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pleat_error error = {0};
        pleat_asset *asset = (pleat_asset *)&error;
        const char *text = cases[i].text;
        assert_int_equal(pleat_asset_parse(PLEAT_FORMAT_OBJ, text, strlen(text), "a.obj", NULL, &asset, &error),
                         PLEAT_BAD_DATA);
        assert_null(asset);
        for (size_t k = 0; k < 3 && cases[i].words[k]; ++k)
        {
            if (!strstr(error.message, cases[i].words[k]))
            {
                fail_msg("case %zu: '%s' does not say '%s'", i, error.message, cases[i].words[k]);
            }
        }
    }
}

static void count_warning(void *user, pleat_severity severity, const char *message)
{
    (void)message;
    *(int *)user += severity == PLEAT_WARNING;
}

static void test_obj_passes_over_harmless_oddities(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nvn nan -nan(ind) 0\nf 1 2\nwhatever 5\nf 1//1 2//1 3//1\nf 1 1 2\n";
    int warnings = 0;
    pleat_host host = pleat_host_default();
    host.log = count_warning;
    host.log_user = &warnings;
    pleat_error error = {0};
    pleat_asset *asset;
    assert_int_equal(pleat_asset_parse(PLEAT_FORMAT_OBJ, text, strlen(text), "a.obj", &host, &asset, &error), PLEAT_OK);
    assert_int_equal(warnings, 3);
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    assert_int_equal(p->triangle_count, 2);
    assert_true(p->normals[0].x == 0);
    pleat_asset_destroy(asset);
}

static pleat_result load_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_asset *asset;
    const char *text = user;
    pleat_result result = pleat_asset_parse(PLEAT_FORMAT_OBJ, text, strlen(text), "a.obj", host, &asset, error);
    pleat_asset_destroy(asset);
    return result;
}

static void test_obj_survives_every_failed_allocation(void **state)
{
    (void)state;
    char text[] = "g a\nv 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\n"
                  "usemtl red\nf 1 2 3\n";
    support_sweep_allocations(load_body, text);
}

static void test_obj_write_and_read_give_the_same_bits(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 500,
        TRIANGLES = 700
    };
    pleat_vec3 positions[VERTICES];
    pleat_vec3 normals[VERTICES];
    float uvs[2 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    uint32_t random = 9;
    for (uint32_t i = 0; i < VERTICES; ++i)
    {
        float scale = ldexpf(1, (int)(support_random(&random) % 60) - 40);
        positions[i] =
            (pleat_vec3){support_random_float(&random, -scale, scale), -0.0f, support_random_float(&random, -2, 2)};
        normals[i] = (pleat_vec3){support_random_float(&random, -1, 1), 0, 1};
        uvs[2 * i] = support_random_float(&random, -3, 3);
        uvs[2 * i + 1] = support_random_float(&random, 0, 1); /* multiples of 2^-24 */
    }
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
    {
        triangles[i] = i < VERTICES ? i : support_random(&random) % VERTICES;
    }
    pleat_cache_group groups[] = {{"first", 0, 300}, {"second\nwith a break", 300, 400}};
    pleat_cache_desc desc = {.vertex_count = VERTICES,
                             .triangle_count = TRIANGLES,
                             .triangles = triangles,
                             .uvs = uvs,
                             .group_count = 2,
                             .groups = groups};
    char path[1200];
    snprintf(path, sizeof path, "%s/round.obj", support_folder());
    pleat_error error = {0};
    pl_output *output;
    assert_int_equal(pl_output_begin(path, NULL, &output, &error), PLEAT_OK);
    assert_int_equal(pl_obj_write(output, &desc, positions, normals, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(output, NULL, &error), PLEAT_OK);
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(path, NULL, NULL, &asset, &error), PLEAT_OK);
    const pleat_primitive *p = &mesh_of(asset)->primitives[0];
    assert_string_equal(mesh_of(asset)->name, "first");
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
        cmocka_unit_test(test_obj_reads_a_plain_mesh_in_the_order_of_the_file),
        cmocka_unit_test(test_obj_reads_odd_spellings),
        cmocka_unit_test(test_obj_splits_vertices_at_seams_only),
        cmocka_unit_test(test_obj_makes_a_primitive_of_each_material),
        cmocka_unit_test(test_obj_reads_vertex_colours),
        cmocka_unit_test(test_obj_cuts_polygons_that_are_not_convex),
        cmocka_unit_test(test_obj_polygons_stay_within_the_budget),
        cmocka_unit_test(test_obj_rejects_bad_files_and_names_the_line),
        cmocka_unit_test(test_obj_passes_over_harmless_oddities),
        cmocka_unit_test(test_obj_survives_every_failed_allocation),
        cmocka_unit_test(test_obj_write_and_read_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
