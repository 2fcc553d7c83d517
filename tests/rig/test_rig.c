/* Sampling and poses, held against values worked out by hand and against slow, plain searches. */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/rig.h"

static const float half_turn = 3.14159265358979f;

static void assert_close(float a, float b, float tolerance)
{
    if (!(fabsf(a - b) <= tolerance))
    {
        print_error("%.9g is not %.9g within %g\n", (double)a, (double)b, (double)tolerance);
        fail();
    }
}

static void assert_point(const pleat_affine *m, pl_f4 p, float x, float y, float z)
{
    pl_f4 q = pl_affine_point(m, p);
    assert_close(q[0], x, 1e-5f);
    assert_close(q[1], y, 1e-5f);
    assert_close(q[2], z, 1e-5f);
}

/* ---- Sampling ---- */

static void test_rig_channels_hold_before_the_first_and_after_the_last_key(void **state)
{
    (void)state;
    static const float times[] = {1, 2};
    static const float values[] = {1, 2, 3, /**/ 4, 5, 6};
    static const float spline[] = {9, 9, 9, 1, 2, 3, 9, 9, 9, /**/ 9, 9, 9, 4, 5, 6, 9, 9, 9};
    static const float early[] = {0, 1, -1e30f, NAN};
    static const float late[] = {2, 3, 1e30f};
    for (int interpolation = PLEAT_STEP; interpolation <= PLEAT_CUBICSPLINE; ++interpolation)
    {
        pleat_channel channel = {0, PLEAT_TRANSLATION, (pleat_interpolation)interpolation, 2, 3, times, values};
        channel.values = interpolation == PLEAT_CUBICSPLINE ? spline : values;
        float out[3];
        for (int i = 0; i < 4; ++i)
        {
            pleat_channel_sample(&channel, early[i], out);
            assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
        }
        for (int i = 0; i < 3; ++i)
        {
            pleat_channel_sample(&channel, late[i], out);
            assert_true(out[0] == 4 && out[1] == 5 && out[2] == 6);
        }
        channel.key_count = 1;
        pleat_channel_sample(&channel, 7, out);
        assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    }
}

static void test_rig_channels_step_and_interpolate(void **state)
{
    (void)state;
    static const float times[] = {0, 1, 1.5f, 4};
    static const float values[] = {0, 10, 20, -30};
    pleat_channel channel = {0, PLEAT_WEIGHTS, PLEAT_STEP, 4, 1, times, values};
    static const struct
    {
        float time, step, linear;
    } expected[] = {{0.25f, 0, 2.5f}, {0.999f, 0, 9.99f}, {1, 10, 10},    {1.25f, 10, 15},
                    {1.5f, 20, 20},   {2.75f, 20, -5},    {3.5f, 20, -20}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
    {
        float out;
        channel.interpolation = PLEAT_STEP;
        pleat_channel_sample(&channel, expected[i].time, &out);
        assert_true(out == expected[i].step);
        channel.interpolation = PLEAT_LINEAR;
        pleat_channel_sample(&channel, expected[i].time, &out);
        assert_close(out, expected[i].linear, 1e-4f);
    }
}

static void test_rig_keys_at_any_spacing_are_found(void **state)
{
    (void)state;
    enum
    {
        KEYS = 200
    };
    float times[KEYS];
    float values[KEYS];
    uint32_t seed = 7;
    for (uint32_t round = 0; round < 60; ++round)
    {
        uint32_t key_count = 2 + round * 3;
        float time = support_random_float(&seed, 0, 2);
        for (uint32_t k = 0; k < key_count; ++k)
        {
            times[k] = time;
            values[k] = (float)k;
            /* even steps, wild steps, and a burst at one end */
            float step = round % 3 == 0 ? 1.0f / 30 : support_random_float(&seed, 1e-4f, 1);
            time += round % 3 == 2 && k < key_count / 2 ? 1e-4f : step;
        }
        pleat_channel channel = {0, PLEAT_WEIGHTS, PLEAT_STEP, key_count, 1, times, values};
        for (uint32_t i = 0; i < 300; ++i)
        {
            float at = i < key_count ? times[i] : support_random_float(&seed, times[0], times[key_count - 1]);
            uint32_t key = 0;
            while (key + 1 < key_count && times[key + 1] <= at)
            {
                ++key;
            }
            float out;
            pleat_channel_sample(&channel, at, &out);
            assert_true(out == (float)key);
        }
    }
}

static void test_rig_rotations_take_the_shorter_arc_at_even_speed(void **state)
{
    (void)state;
    static const float times[] = {0, 2};
    float angle = 1.9f;
    for (int sign = -1; sign <= 1; sign += 2)
    {
        float s = (float)sign;
        /* the far end as q and as -q, and not quite of unit length: all mean one rotation */
        float values[] = {0, 0, 0, 2, /**/ 0, 1.5f * s * sinf(angle / 2), 0, 1.5f * s * cosf(angle / 2)};
        pleat_channel channel = {0, PLEAT_ROTATION, PLEAT_LINEAR, 2, 4, times, values};
        for (uint32_t i = 0; i <= 16; ++i)
        {
            float time = (float)i / 8;
            float out[4];
            pleat_channel_sample(&channel, time, out);
            float turned = angle * time / 2;
            float direction = out[3] < 0 ? -1.0f : 1.0f;
            assert_close(direction * out[1], sinf(turned / 2), 1e-6f);
            assert_close(direction * out[3], cosf(turned / 2), 1e-6f);
            assert_true(out[0] == 0 && out[2] == 0);
        }
    }
}

static void test_rig_splines_give_the_values_of_the_formula(void **state)
{
    (void)state;
    /* By hand: keys at 1 s and 3 s, values 2 and 5, leaving at 1 per second, arriving at -0.5. In the middle t = 1/2
     * and the weights are 1/2, 2/8, 1/2, -2/8: 1 + 0.25 + 2.5 + 0.125. */
    static const float times[] = {1, 3};
    static const float values[] = {99, 2, 1, /**/ -0.5f, 5, 99};
    pleat_channel channel = {0, PLEAT_WEIGHTS, PLEAT_CUBICSPLINE, 2, 1, times, values};
    float out;
    pleat_channel_sample(&channel, 2, &out);
    assert_close(out, 3.875f, 1e-6f);
    /* At t = 1/4: 0.84375 * 2 + 2 * 0.140625 * 1 + 0.15625 * 5 - 2 * 0.046875 * -0.5 */
    pleat_channel_sample(&channel, 1.5f, &out);
    assert_close(out, 2.796875f, 1e-6f);
}

static void test_rig_splines_reproduce_cubics(void **state)
{
    (void)state;
    /* f = t^3 - 2 t^2 + 3 and g = 1 - t^3, keys at uneven times with their exact derivatives on both sides. */
    static const float times[] = {0, 0.5f, 0.75f, 2};
    float values[4 * 6];
    for (uint32_t k = 0; k < 4; ++k)
    {
        float t = times[k];
        float *key = values + 6 * k;
        key[0] = key[4] = 3 * t * t - 4 * t;
        key[1] = key[5] = -3 * t * t;
        key[2] = t * t * t - 2 * t * t + 3;
        key[3] = 1 - t * t * t;
    }
    pleat_channel channel = {0, PLEAT_WEIGHTS, PLEAT_CUBICSPLINE, 4, 2, times, values};
    for (uint32_t i = 0; i <= 100; ++i)
    {
        float t = (float)i / 50;
        float out[2];
        pleat_channel_sample(&channel, t, out);
        assert_close(out[0], t * t * t - 2 * t * t + 3, 2e-6f);
        assert_close(out[1], 1 - t * t * t, 4e-6f);
    }
}

static void test_rig_rotations_come_out_normalised(void **state)
{
    (void)state;
    static const float times[] = {0, 1};
    static const float steps[] = {0, 0, 3, 4, /**/ 0, 0, 0, 0};
    pleat_channel channel = {0, PLEAT_ROTATION, PLEAT_STEP, 2, 4, times, steps};
    float out[4];
    pleat_channel_sample(&channel, 0.5f, out);
    assert_close(out[2], 0.6f, 1e-6f);
    assert_close(out[3], 0.8f, 1e-6f);
    pleat_channel_sample(&channel, 1, out); /* no direction at all: the identity */
    assert_true(out[0] == 0 && out[3] == 1);

    static const float spline[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, /**/ 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    channel.interpolation = PLEAT_CUBICSPLINE;
    channel.values = spline;
    for (uint32_t i = 0; i <= 10; ++i)
    {
        pleat_channel_sample(&channel, (float)i / 10, out);
        assert_close(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3], 1, 1e-6f);
    }
}

/* ---- Poses ---- */

enum
{
    ARM, /* listed before its parent on purpose */
    ROOT,
    FACE, /* a mesh with two targets, under the arm, placed by a matrix with shear */
    TWIN, /* the same mesh with weights of its own */
    NODES
};

typedef struct rig
{
    pleat_node nodes[NODES];
    pleat_mesh mesh;
    pleat_skin skin;
    pleat_affine binds[2];
    pleat_model model;
} rig;

static const uint32_t node_order[NODES] = {ROOT, TWIN, ARM, FACE};
static const uint32_t skin_joints[2] = {ROOT, ARM};
static const float mesh_weights[2] = {0.25f, 0.5f};
static const float twin_weights[2] = {0, 1};

/* root: moved to (1, 0, 0), turned a quarter about z, scaled (2, 1, -1); arm: at (0, 3, 0) in it. */
static void make_rig(rig *r)
{
    memset(r, 0, sizeof *r);
    for (uint32_t n = 0; n < NODES; ++n)
    {
        r->nodes[n] = pleat_node_default();
    }
    r->nodes[ROOT].local.translation.x = 1;
    r->nodes[ROOT].local.rotation = pl_quat_to(pl_quat_axis_angle(pl_set(0, 0, 1, 0), half_turn / 2));
    r->nodes[ROOT].local.scale = (pleat_vec4){2, 1, -1, 0};
    r->nodes[ARM].parent = ROOT;
    r->nodes[ARM].local.translation.y = 3;
    r->nodes[FACE].parent = ARM;
    r->nodes[FACE].mesh = 0;
    r->nodes[FACE].has_matrix = true;
    r->nodes[FACE].local_matrix = (pleat_affine){{{1, 0.5f, 0, 7}, {0, 1, 0, 0}, {0, 0, 2, 0}}};
    r->nodes[TWIN].mesh = 0;
    r->nodes[TWIN].weights = twin_weights;
    r->mesh = (pleat_mesh){.name = "face", .target_count = 2, .weights = mesh_weights};
    r->skin = (pleat_skin){"skin", 2, skin_joints, r->binds};
    r->binds[0] = r->binds[1] = pl_affine_identity();
    r->model = (pleat_model){.node_count = NODES,
                             .mesh_count = 1,
                             .skin_count = 1,
                             .nodes = r->nodes,
                             .meshes = &r->mesh,
                             .skins = &r->skin,
                             .node_order = node_order};
    pleat_error error = {0};
    if (pleat_model_validate(&r->model, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
}

static pleat_pose *pose_of(const rig *r)
{
    pleat_pose *pose;
    assert_int_equal(pleat_pose_create(&r->model, NULL, &pose, NULL), PLEAT_OK);
    return pose;
}

static void test_rig_pose_starts_at_rest(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    pleat_pose *pose = pose_of(&r);
    const pleat_affine *worlds = pleat_pose_worlds(pose);
    pl_f4 p = pl_set(1, 2, 3, 0);
    /* root: scale to (2, 2, -3), turn to (-2, 2, -3), move */
    assert_point(&worlds[ROOT], p, -1, 2, -3);
    /* arm: (1, 5, 3), then root: (2, 5, -3), (-5, 2, -3), (-4, 2, -3) */
    assert_point(&worlds[ARM], p, -4, 2, -3);
    /* face: (1 + 1 + 7, 2, 6), arm: (9, 5, 6), root: (18, 5, -6), (-5, 18, -6), (-4, 18, -6) */
    assert_point(&worlds[FACE], p, -4, 18, -6);
    assert_point(&worlds[TWIN], p, 1, 2, 3);
    assert_true(pl_affine_determinant(&worlds[ARM]) < 0);
    pleat_pose_destroy(pose);
    pleat_pose_destroy(NULL);
}

static void test_rig_pose_takes_weights_from_node_mesh_and_clip(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    pleat_pose *pose = pose_of(&r);
    assert_null(pleat_pose_weights(pose, ROOT));
    assert_memory_equal(pleat_pose_weights(pose, FACE), mesh_weights, sizeof mesh_weights);
    assert_memory_equal(pleat_pose_weights(pose, TWIN), twin_weights, sizeof twin_weights);

    static const float times[] = {0, 1};
    static const float values[] = {0, 4, 1, 8};
    pleat_channel channel = {FACE, PLEAT_WEIGHTS, PLEAT_LINEAR, 2, 2, times, values};
    pleat_clip clip = pleat_clip_default();
    clip.channel_count = 1;
    clip.channels = &channel;
    pleat_pose_sample(pose, &clip, 0.5f);
    assert_close(pleat_pose_weights(pose, FACE)[0], 0.5f, 1e-6f);
    assert_close(pleat_pose_weights(pose, FACE)[1], 6, 1e-6f);
    assert_memory_equal(pleat_pose_weights(pose, TWIN), twin_weights, sizeof twin_weights);
    assert_point(&pleat_pose_worlds(pose)[FACE], pl_set(1, 2, 3, 0), -4, 18, -6); /* the shear is still there */
    pleat_pose_sample(pose, NULL, 0);
    assert_memory_equal(pleat_pose_weights(pose, FACE), mesh_weights, sizeof mesh_weights);
    pleat_pose_destroy(pose);

    r.mesh.weights = NULL;
    pose = pose_of(&r);
    assert_true(pleat_pose_weights(pose, FACE)[0] == 0 && pleat_pose_weights(pose, FACE)[1] == 0);
    pleat_pose_destroy(pose);
}

static void test_rig_pose_moves_with_a_clip_and_comes_back(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    pleat_pose *pose = pose_of(&r);
    static const float times[] = {0, 2};
    static const float places[] = {0, 0, 0, 4, 2, 0};
    static const float turns[] = {0, 0, 0, 1, 1, 0, 0, 0}; /* half a turn about x */
    static const float scales[] = {1, 1, 1, 3, 1, 1};
    const pleat_channel channels[] = {{ROOT, PLEAT_TRANSLATION, PLEAT_LINEAR, 2, 3, times, places},
                                      {ARM, PLEAT_ROTATION, PLEAT_LINEAR, 2, 4, times, turns},
                                      {ARM, PLEAT_SCALE, PLEAT_STEP, 2, 3, times, scales}};
    pleat_clip clip = pleat_clip_default();
    clip.end = 2;
    clip.channel_count = 3;
    clip.channels = channels;
    pleat_pose_sample(pose, &clip, 1);
    /* arm: a quarter about x, (1, 2, 3) -> (1, -3, 2), moved to (1, 0, 2); root: (2, 0, -2), (0, 2, -2), + (2, 1, 0) */
    assert_point(&pleat_pose_worlds(pose)[ARM], pl_set(1, 2, 3, 0), 2, 3, -2);
    assert_close(pleat_pose_local(pose, ROOT).translation.x, 2, 1e-6f);
    pleat_pose_sample(pose, &clip, 5);
    /* arm: (3, 2, 3) -> (3, -2, -3) -> (3, 1, -3); root: (6, 1, 3), (-1, 6, 3), + (4, 2, 0) */
    assert_point(&pleat_pose_worlds(pose)[ARM], pl_set(1, 2, 3, 0), 3, 8, 3);
    pleat_pose_sample(pose, NULL, 5);
    assert_point(&pleat_pose_worlds(pose)[ARM], pl_set(1, 2, 3, 0), -4, 2, -3);
    pleat_pose_destroy(pose);
}

static void test_rig_pose_takes_a_matrix_apart_where_a_channel_moves_it(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    /* no shear: a quarter about z, scaled by 3, at (5, 6, 7) */
    r.nodes[FACE].parent = PLEAT_NONE;
    r.nodes[FACE].local_matrix = (pleat_affine){{{0, -3, 0, 5}, {3, 0, 0, 6}, {0, 0, 3, 7}}};
    pleat_pose *pose = pose_of(&r);
    static const float time = 0;
    static const float place[] = {1, 1, 1};
    const pleat_channel channel = {FACE, PLEAT_TRANSLATION, PLEAT_LINEAR, 1, 3, &time, place};
    pleat_clip clip = pleat_clip_default();
    clip.channel_count = 1;
    clip.channels = &channel;
    assert_point(&pleat_pose_worlds(pose)[FACE], pl_set(1, 0, 2, 0), 5, 9, 13);
    pleat_pose_sample(pose, &clip, 0);
    assert_point(&pleat_pose_worlds(pose)[FACE], pl_set(1, 0, 2, 0), 1, 4, 7);
    assert_close(pleat_pose_local(pose, FACE).scale.y, 3, 1e-5f);
    pleat_pose_destroy(pose);
}

static void test_rig_pose_joints_undo_the_bind(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    pleat_pose *pose = pose_of(&r);
    assert_true(pl_affine_inverse(&pleat_pose_worlds(pose)[ROOT], &r.binds[0]));
    assert_true(pl_affine_inverse(&pleat_pose_worlds(pose)[ARM], &r.binds[1]));
    pleat_affine joints[2];
    pleat_pose_joints(pose, 0, joints);
    assert_point(&joints[0], pl_set(1, 2, 3, 0), 1, 2, 3);
    assert_point(&joints[1], pl_set(-4, 5, 6, 0), -4, 5, 6);
    r.binds[1] = pl_affine_identity();
    pleat_pose_joints(pose, 0, joints);
    assert_memory_equal(&joints[1], &pleat_pose_worlds(pose)[ARM], sizeof joints[1]);
    pleat_pose_destroy(pose);
}

static void test_rig_pose_of_an_empty_model(void **state)
{
    (void)state;
    pleat_model model = {0};
    pleat_pose *pose;
    assert_int_equal(pleat_pose_create(&model, NULL, &pose, NULL), PLEAT_OK);
    pleat_pose_sample(pose, NULL, 1);
    pleat_pose_destroy(pose);
}

static pleat_result create_and_destroy(void *user, const pleat_host *host, pleat_error *error)
{
    const rig *r = user;
    pleat_pose *pose = (pleat_pose *)user;
    pleat_result result = pleat_pose_create(&r->model, host, &pose, error);
    assert_true((result == PLEAT_OK) == (pose != NULL));
    pleat_pose_destroy(pose);
    return result;
}

static void test_rig_pose_survives_failing_allocations(void **state)
{
    (void)state;
    rig r;
    make_rig(&r);
    support_sweep_allocations(create_and_destroy, &r);
    pleat_host host = pleat_host_default();
    host.memory_limit = 400;
    pleat_error error = {0};
    assert_int_equal(create_and_destroy(&r, &host, &error), PLEAT_OVER_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_channels_hold_before_the_first_and_after_the_last_key),
        cmocka_unit_test(test_rig_channels_step_and_interpolate),
        cmocka_unit_test(test_rig_keys_at_any_spacing_are_found),
        cmocka_unit_test(test_rig_rotations_take_the_shorter_arc_at_even_speed),
        cmocka_unit_test(test_rig_splines_give_the_values_of_the_formula),
        cmocka_unit_test(test_rig_splines_reproduce_cubics),
        cmocka_unit_test(test_rig_rotations_come_out_normalised),
        cmocka_unit_test(test_rig_pose_starts_at_rest),
        cmocka_unit_test(test_rig_pose_takes_weights_from_node_mesh_and_clip),
        cmocka_unit_test(test_rig_pose_moves_with_a_clip_and_comes_back),
        cmocka_unit_test(test_rig_pose_takes_a_matrix_apart_where_a_channel_moves_it),
        cmocka_unit_test(test_rig_pose_joints_undo_the_bind),
        cmocka_unit_test(test_rig_pose_of_an_empty_model),
        cmocka_unit_test(test_rig_pose_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
