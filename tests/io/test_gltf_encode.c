/* What edits add, as small integers and compressed: read again by our reader, which the round trips of test_gltf.c hold
 * to outside files, and judged by the Khronos validator. */
#include "support/gltf_file.h"
#include "support/support.h"

#include "pleat/io.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0f / 8192) /* of a metre */

enum
{
    TARGETS = 4
};

/* The built-in arm with targets of all sizes: none, fewer than 127 steps, more, and more than 16 bits hold. */
typedef struct fixture
{
    pleat_made *made;
    pleat_asset *asset;
    uint32_t node;
    pleat_mesh mesh;
    pleat_primitive primitive;
    pleat_target targets[TARGETS];
    pleat_vec3 *blocks[2 * TARGETS];
} fixture;

static void open_fixture(fixture *f)
{
    static const float sizes[TARGETS] = {0, 0.01f, 0.5f, 5};
    pleat_error error = {0};
    uint32_t random = 3;
    assert_int_equal(pleat_make("arm", NULL, NULL, &f->made, &error), PLEAT_OK);
    const pleat_model *model = pleat_made_model(f->made);
    assert_int_equal(pleat_asset_from_model(model, "test", NULL, &f->asset, &error), PLEAT_OK);
    for (f->node = 0; model->nodes[f->node].skin == PLEAT_NONE; ++f->node)
    {
    }
    f->mesh = model->meshes[model->nodes[f->node].mesh];
    f->primitive = f->mesh.primitives[0];
    for (uint32_t i = 0; i < 2 * TARGETS; ++i)
    {
        float size = i % 2 == 0 ? sizes[i / 2] : i > 1 ? 0.9f : 0;
        f->blocks[i] = calloc(f->primitive.vertex_count, sizeof *f->blocks[i]);
        for (uint32_t v = 0; v < f->primitive.vertex_count; ++v)
        {
            f->blocks[i][v] =
                (pleat_vec3){support_random_float(&random, -size, size), support_random_float(&random, -size, size), 0};
        }
    }
    for (uint32_t t = 0; t < TARGETS; ++t)
    {
        f->targets[t] = (pleat_target){f->blocks[2 * t], f->blocks[2 * t + 1]};
    }
    f->primitive.targets = f->targets;
    f->mesh.primitives = &f->primitive;
    f->mesh.primitive_count = 1;
    f->mesh.target_count = TARGETS;
    f->mesh.weights = NULL;
    f->mesh.target_names = NULL;
}

static void close_fixture(fixture *f)
{
    for (uint32_t i = 0; i < 2 * TARGETS; ++i)
    {
        free(f->blocks[i]);
    }
    pleat_asset_destroy(f->asset);
    pleat_made_destroy(f->made);
}

static pleat_asset *write_and_read(const fixture *f, pleat_encoding encoding, const char *name)
{
    const float times[2] = {0, 1}, weights[2 * TARGETS] = {0, 0.25f, 0.5f, 1, 1, 1, 0, 0};
    const pleat_mesh_edit edit = {.node = f->node, .mesh = &f->mesh, .step = STEP};
    const pleat_weights_edit moves = {f->node, 0, 2, times, weights};
    const pleat_gltf_edits edits = {.mesh_edit_count = 1,
                                    .mesh_edits = &edit,
                                    .weights_edit_count = 1,
                                    .weights_edits = &moves,
                                    .encoding = encoding};
    const char *path = support_out_path("%s", name);
    support_write_asset(f->asset, &edits, path);
    support_judge(path, NULL);
    return support_load_file(path);
}

static const pleat_primitive *primitive_of(const pleat_asset *asset, uint32_t node)
{
    const pleat_model *model = pleat_asset_model(asset);
    return model->meshes[model->nodes[node].mesh].primitives;
}

static float distance(pleat_vec3 a, pleat_vec3 b)
{
    return fmaxf(fabsf(a.x - b.x), fmaxf(fabsf(a.y - b.y), fabsf(a.z - b.z)));
}

/* Positions count in steps, and the skin undoes it: what a viewer places in the world is, to the last bit, what was. Of
 * targets no number is off by more than half a step, of normals by half a 127th. */
static void test_gltf_encode_small_keeps_half_a_step(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    pleat_asset *read = write_and_read(&f, PLEAT_ENCODE_SMALL, "small.glb");
    const pleat_primitive *now = primitive_of(read, f.node);
    const pleat_model *model = pleat_asset_model(read);
    const pleat_affine *bind = model->skins[model->nodes[f.node].skin].inverse_binds;
    const pleat_affine *old =
        pleat_made_model(f.made)->skins[pleat_made_model(f.made)->nodes[f.node].skin].inverse_binds;
    assert_true(bind[0].row[0][0] == old[0].row[0][0] * STEP && bind[1].row[2][3] == old[1].row[2][3]);
    for (uint32_t v = 0; v < f.primitive.vertex_count; ++v)
    {
        pleat_vec3 p = now->positions[v];
        const pleat_vec3 meters = {p.x * STEP, p.y * STEP, p.z * STEP};
        assert_memory_equal(&meters, &f.primitive.positions[v], sizeof meters);
        assert_true(distance(now->normals[v], f.primitive.normals[v]) <= 0.5f / 127 + 1e-6f);
        for (uint32_t t = 0; t < TARGETS; ++t)
        {
            pleat_vec3 d = now->targets[t].positions[v], n = now->targets[t].normals[v];
            const pleat_vec3 offset = {d.x * STEP, d.y * STEP, d.z * STEP};
            assert_true(distance(offset, f.targets[t].positions[v]) <= 0.5f * STEP + 1e-6f);
            assert_true(distance(n, f.targets[t].normals[v]) <= 0.5f / 127 + 1e-6f);
        }
        float sum = 0;
        for (uint32_t i = 0; i < now->influence_count; ++i)
        {
            sum += now->weights[v * now->influence_count + i];
        }
        assert_true(fabsf(sum - 1) < 1e-6f);
    }
    pleat_asset_destroy(read);
    close_fixture(&f);
}

/* Packed is small, with the same numbers in fewer bytes. */
static void test_gltf_encode_packed_holds_what_small_does(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    pleat_asset *small = write_and_read(&f, PLEAT_ENCODE_SMALL, "small.glb");
    pleat_asset *packed = write_and_read(&f, PLEAT_ENCODE_PACKED, "packed.glb");
    const pleat_primitive *a = primitive_of(small, f.node), *b = primitive_of(packed, f.node);
    assert_int_equal(a->triangle_count, b->triangle_count);
    for (uint32_t t = 0; t < a->triangle_count; ++t)
    {
        const uint32_t *x = a->triangles + 3 * t, *y = b->triangles + 3 * t;
        uint32_t turn = y[0] == x[0] ? 0 : y[1] == x[0] ? 1 : 2;
        for (uint32_t c = 0; c < 3; ++c)
        {
            assert_int_equal(x[c], y[(c + turn) % 3]); /* the first corner may be another */
        }
    }
    pleat_primitive turned = *b;
    turned.triangles = a->triangles;
    support_same_primitive(a, &turned, TARGETS);
    assert_memory_equal(pleat_asset_model(small)->clips[0].channels[0].values,
                        pleat_asset_model(packed)->clips[0].channels[0].values, sizeof(float));
    pleat_asset_destroy(small);
    pleat_asset_destroy(packed);
    close_fixture(&f);
}

static void test_gltf_encode_refuses_steps_that_are_none(void **state)
{
    (void)state;
    static const float wrong[] = {-1, 0.3f, NAN, INFINITY};
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        const pleat_mesh_edit edit = {.node = f.node, .mesh = &f.mesh, .step = wrong[i]};
        const pleat_gltf_edits edits = {.mesh_edit_count = 1, .mesh_edits = &edit, .encoding = PLEAT_ENCODE_SMALL};
        pleat_error error = {0};
        const char *path = support_out_path("refused.glb");
        assert_int_equal(pleat_gltf_write(f.asset, &edits, path, NULL, &error), PLEAT_BAD_ARGUMENT);
        assert_non_null(strstr(error.message, "power of two"));
    }
    close_fixture(&f);
}

static void test_gltf_encode_khronos_validator(void **state)
{
    (void)state;
    support_validate();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_encode_small_keeps_half_a_step),
        cmocka_unit_test(test_gltf_encode_packed_holds_what_small_does),
        cmocka_unit_test(test_gltf_encode_refuses_steps_that_are_none),
        cmocka_unit_test(test_gltf_encode_khronos_validator),
    };
    return cmocka_run_group_tests_name("gltf_encode", tests, NULL, NULL);
}
