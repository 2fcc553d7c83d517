/* The built-in characters: valid, of the promised measures, smooth, and the same on every run. */
#include "support/support.h"

#include "pleat/make.h"

#include <math.h>
#include <string.h>

static pleat_made *make(const char *name, const pleat_make_options *options)
{
    pleat_made *made = NULL;
    pleat_error error = {0};
    if (pleat_make(name, options, NULL, &made, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", name, error.message);
    }
    return made;
}

static const pleat_clip *find_clip(const pleat_model *model, const char *name)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        if (strcmp(model->clips[c].name, name) == 0)
        {
            return &model->clips[c];
        }
    }
    fail_msg("no clip %s", name);
    return NULL;
}

/* ---- All of them ---- */

static void test_make_every_character_is_valid(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < pleat_make_count(); ++i)
    {
        pleat_error error = {0};
        pleat_made *made = make(pleat_make_name(i), NULL);
        if (pleat_model_validate(pleat_made_model(made), &error) != PLEAT_OK)
        {
            fail_msg("%s: %s", pleat_make_name(i), error.message);
        }
        pleat_made_destroy(made);
    }
    assert_null(pleat_make_name(pleat_make_count()));
    assert_null(pleat_make_about(pleat_make_count()));
}

static void expect_rejected(const char *name, const pleat_make_options *options, const char *word)
{
    pleat_made *made = (pleat_made *)&name;
    pleat_error error = {0};
    assert_int_equal(pleat_make(name, options, NULL, &made, &error), PLEAT_BAD_ARGUMENT);
    assert_null(made);
    assert_non_null(strstr(error.message, word));
}

static void test_make_rejects_unknown_names_and_bad_options(void **state)
{
    (void)state;
    expect_rejected("leg", NULL, "rectangle");
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 2;
    expect_rejected("arm", &options, "arm_around");
    options = pleat_make_options_default();
    options.arm_along = 1;
    expect_rejected("arm", &options, "arm_along");
    options = pleat_make_options_default();
    options.arm_blend = NAN;
    expect_rejected("arm", &options, "arm_blend");
    options = pleat_make_options_default();
    options.cloth_quads = 1;
    expect_rejected("rectangle", &options, "cloth_quads");
}

static uint64_t hash_primitive(uint64_t hash, const pleat_mesh *mesh, const pleat_primitive *primitive)
{
    size_t count = primitive->vertex_count;
    hash = support_hash(hash, primitive->positions, count * sizeof *primitive->positions);
    hash = support_hash(hash, primitive->normals, count * sizeof *primitive->normals);
    hash = support_hash(hash, primitive->triangles, 12 * (size_t)primitive->triangle_count);
    if (primitive->influence_count)
    {
        hash = support_hash(hash, primitive->joints, count * primitive->influence_count * sizeof(uint16_t));
        hash = support_hash(hash, primitive->weights, count * primitive->influence_count * sizeof(float));
    }
    for (uint32_t t = 0; t < mesh->target_count && primitive->targets; ++t)
    {
        hash = support_hash(hash, primitive->targets[t].positions, count * sizeof(pleat_vec3));
    }
    return hash;
}

static uint64_t hash_model(const pleat_model *model)
{
    uint64_t hash = SUPPORT_HASH;
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        for (uint32_t p = 0; p < model->meshes[m].primitive_count; ++p)
        {
            hash = hash_primitive(hash, &model->meshes[m], &model->meshes[m].primitives[p]);
        }
    }
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        for (uint32_t h = 0; h < model->clips[c].channel_count; ++h)
        {
            const pleat_channel *channel = &model->clips[c].channels[h];
            hash = support_hash(hash, channel->values, (size_t)channel->key_count * channel->width * sizeof(float));
        }
    }
    return hash;
}

static void test_make_gives_the_same_bits_twice(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < pleat_make_count(); ++i)
    {
        pleat_made *first = make(pleat_make_name(i), NULL);
        pleat_made *second = make(pleat_make_name(i), NULL);
        assert_true(hash_model(pleat_made_model(first)) == hash_model(pleat_made_model(second)));
        pleat_made_destroy(first);
        pleat_made_destroy(second);
    }
}

/* ---- The arm ---- */

static void test_make_arm_has_exact_rings(void **state)
{
    (void)state;
    pleat_made *made = make("arm", NULL);
    const pleat_primitive *sleeve = &pleat_made_model(made)->meshes[0].primitives[0];
    const uint32_t around = 72;
    const uint32_t along = 300;
    assert_int_equal(sleeve->vertex_count, (around + 1) * along);
    assert_int_equal(sleeve->triangle_count, 2 * around * (along - 1));
    for (uint32_t v = 0; v < sleeve->vertex_count; ++v)
    {
        uint32_t i = v % (around + 1);
        pleat_vec3 p = sleeve->positions[v];
        /* The meridian's x and z, the ring's y, bit for bit; the seam's second vertex lies on the first. */
        assert_true(p.x == sleeve->positions[i % around].x && p.z == sleeve->positions[i % around].z);
        assert_true(p.y == sleeve->positions[v - i].y);
        assert_true(fabsf(hypotf(p.x, p.z) - 0.05f) < 1e-7f);
    }
    assert_true(sleeve->positions[0].y == -0.3f && sleeve->positions[sleeve->vertex_count - 1].y == 0.3f);
    for (uint32_t t = 0; t < sleeve->triangle_count; ++t)
    {
        const uint32_t *v = &sleeve->triangles[3 * t];
        pleat_vec3 a = sleeve->positions[v[0]], b = sleeve->positions[v[1]], c = sleeve->positions[v[2]];
        float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, wx = c.x - a.x, wy = c.y - a.y, wz = c.z - a.z;
        float out = (uy * wz - uz * wy) * a.x + (ux * wy - uy * wx) * a.z;
        assert_true(out > 0);
    }
    pleat_made_destroy(made);
}

static void test_make_arm_bends_to_150_degrees_and_back(void **state)
{
    (void)state;
    pleat_made *made = make("arm", NULL);
    const pleat_clip *bend = find_clip(pleat_made_model(made), "bend");
    const pleat_channel *turn = &bend->channels[0];
    float largest = 0;
    for (uint32_t k = 0; k < turn->key_count; ++k)
    {
        largest = fmaxf(largest, 2 * acosf(turn->values[4 * k + 3]));
    }
    assert_true(fabsf(largest - 150 * 3.14159265f / 180) < 1e-3f);
    assert_true(turn->values[3] == 1 && turn->values[4 * turn->key_count - 1] > 1 - 1e-6f);
    assert_true(bend->end == 4);
    find_clip(pleat_made_model(made), "twist");
    pleat_made_destroy(made);
}

static void test_make_arm_takes_other_resolutions(void **state)
{
    (void)state;
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 12;
    options.arm_along = 40;
    pleat_made *made = make("arm", &options);
    assert_int_equal(pleat_made_model(made)->meshes[0].primitives[0].vertex_count, 13 * 40);
    pleat_made_destroy(made);
}

static pleat_result make_small_arm(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 12;
    options.arm_along = 10;
    pleat_made *made = NULL;
    pleat_result result = pleat_make("arm", &options, host, &made, error);
    assert_true((result == PLEAT_OK) == (made != NULL));
    pleat_made_destroy(made);
    return result;
}

static pleat_result make_small_rectangle(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_make_options options = pleat_make_options_default();
    options.cloth_quads = 2;
    pleat_made *made = NULL;
    pleat_result result = pleat_make("rectangle", &options, host, &made, error);
    pleat_made_destroy(made);
    return result;
}

static void test_make_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(make_small_arm, NULL);
    support_sweep_allocations(make_small_rectangle, NULL);
}

/* ---- The rectangle ---- */

static float row_length(const pleat_vec3 *points, uint32_t first, uint32_t count)
{
    float length = 0;
    for (uint32_t i = first + 1; i < first + count; ++i)
    {
        length += hypotf(points[i].x - points[i - 1].x, points[i].z - points[i - 1].z);
    }
    return length;
}

static void test_make_rectangle_is_compressed_at_the_front_alone(void **state)
{
    (void)state;
    pleat_made *made = make("rectangle", NULL);
    const pleat_model *model = pleat_made_model(made);
    const pleat_points *points = &find_clip(model, "compress")->points;
    const uint32_t row = 21;
    assert_int_equal(points->vertex_count, row * row);
    pleat_vec3 frame[21 * 21];
    assert_int_equal(points->read(points->user, 0, frame, NULL), PLEAT_OK);
    assert_memory_equal(frame, model->meshes[0].primitives[0].positions, sizeof frame);
    assert_int_equal(points->read(points->user, 60, frame, NULL), PLEAT_OK);
    assert_true(fabsf(row_length(frame, 0, row) - 1) < 1e-6f);
    assert_true(fabsf(row_length(frame, row * (row - 1), row) - 0.64f) < 1e-6f);
    for (uint32_t j = 1; j < row; ++j)
    {
        assert_true(row_length(frame, row * j, row) < row_length(frame, row * (j - 1), row));
    }
    pleat_made_destroy(made);
}

/* The morph targets and the points say the same: one target a frame, alone at its key. */
static void test_make_cloth_targets_agree_with_points(void **state)
{
    (void)state;
    pleat_made *made = make("rectangle", NULL);
    const pleat_model *model = pleat_made_model(made);
    const pleat_clip *clip = find_clip(model, "compress");
    const pleat_mesh *mesh = &model->meshes[0];
    const pleat_channel *weights = &clip->channels[0];
    assert_int_equal(mesh->target_count, clip->points.frame_count);
    pleat_vec3 frame[21 * 21];
    for (uint32_t f = 0; f < clip->points.frame_count; f += 20)
    {
        assert_int_equal(clip->points.read(clip->points.user, f, frame, NULL), PLEAT_OK);
        for (uint32_t t = 0; t < mesh->target_count; ++t)
        {
            assert_true(weights->values[f * mesh->target_count + t] == (t == f ? 1.0f : 0.0f));
        }
        for (uint32_t v = 0; v < clip->points.vertex_count; ++v)
        {
            float x = mesh->primitives[0].positions[v].x + mesh->primitives[0].targets[f].positions[v].x;
            assert_true(fabsf(x - frame[v].x) < 1e-6f);
        }
    }
    pleat_made_destroy(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make_every_character_is_valid),
        cmocka_unit_test(test_make_rejects_unknown_names_and_bad_options),
        cmocka_unit_test(test_make_gives_the_same_bits_twice),
        cmocka_unit_test(test_make_arm_has_exact_rings),
        cmocka_unit_test(test_make_arm_bends_to_150_degrees_and_back),
        cmocka_unit_test(test_make_arm_takes_other_resolutions),
        cmocka_unit_test(test_make_survives_every_failed_allocation),
        cmocka_unit_test(test_make_rectangle_is_compressed_at_the_front_alone),
        cmocka_unit_test(test_make_cloth_targets_agree_with_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
