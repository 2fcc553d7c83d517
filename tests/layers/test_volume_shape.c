/* Where the volume layer puts what it brings back: targets, profiles, joints, reach. */
#include "support/volume_rig.h"

#include "layers/volume/volume.h"
#include "pleat/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_volume_follows_an_animated_target(void **state)
{
    (void)state;
    static const pleat_volume_key keys[] = {{0.5f, 0}, {1.5f, 0.2f}};
    pleat_volume_options options = pleat_volume_options_default();
    options.breath = 0.1f;
    options.breath_period = 2;
    options.keys = keys;
    options.key_count = 2;
    volume_rig r = volume_rig_named("hand", "hand", 0, &options);
    for (uint32_t f = 0; f <= 60; f += 6)
    {
        float time = (float)f / 30;
        double keyed = 0.2 * fmin(fmax((double)time - 0.5, 0), 1);
        double factor = 1 + 0.05 * (1 - cos(3.141592653589793 * (double)time)) + keyed;
        assert_true(volume_worst_error(&r, volume_update(&r, time), factor, 1e-9) <= 1e-6);
    }
    volume_rig_free(&r);

    options = pleat_volume_options_default();
    options.inflate = 0.05f;
    snprintf(options.inflate_joints, sizeof options.inflate_joints, "FORE*,nothing");
    r = volume_rig_named("arm", "sleeve", 0, &options);
    volume_rig plain = volume_rig_named("arm", "sleeve", 0, NULL);
    plain.clip = r.clip = NULL;
    const pleat_vec4 *before = volume_update(&plain, 0), *after = volume_update(&r, 0);
    assert_true(volume_worst_error(&r, after, 1.05, 1e-9) <= 1e-6);
    for (uint32_t v = 0; v < r.shape->surface_count; ++v)
    {
        assert_true(r.shape->rest[v].y > -0.08f || memcmp(&before[v], &after[v], sizeof *after) == 0);
    }
    volume_rig_free(&plain);
    volume_rig_free(&r);
}

/* ---- Shapes ---- */

static void test_volume_profiles_place_the_correction(void **state)
{
    (void)state;
    volume_rig plain = volume_rig_named("arm", "sleeve", 1, NULL);
    const pleat_vec4 *before = volume_update(&plain, 0.8f);
    for (uint32_t profile = 0; profile <= PLEAT_VOLUME_CURVE; ++profile)
    {
        pleat_volume_options options = pleat_volume_options_default();
        options.shape.profile[0] = options.shape.profile[1] = options.shape.profile[2] = profile;
        options.shape.mu[0] = options.shape.mu[2] = 0;
        options.shape.fold_count = 2; /* zero in the middle of the region */
        volume_rig r = volume_rig_named("arm", "sleeve", 1, &options);
        const pleat_vec4 *after = volume_update(&r, 0.8f);
        float along = 0, far = 0, middle = 0, behind = 0;
        for (uint32_t v = 0; v < r.shape->surface_count; ++v)
        {
            pl_f4 move = pl_load(&after[v]) - pl_load(&before[v]);
            along = fmaxf(along, fabsf(move[1]));
            far = fmaxf(far, pl_length3(move));
            middle = fabsf(r.shape->rest[v].y) < 0.005f ? fmaxf(middle, pl_length3(move)) : middle;
            behind = r.shape->rest[v].z < -1e-4f ? fmaxf(behind, pl_length3(move)) : behind;
        }
        assert_true(volume_worst_error(&r, after, 1, 1e-9) <= 1e-6);
        assert_true(along < 0.01f * far); /* only to the front */
        assert_true(profile != PLEAT_VOLUME_FOLDS || middle < 0.3f * far);
        assert_true(profile == PLEAT_VOLUME_MUSCLE ? behind == 0 : behind > 0.3f * far);
        volume_rig_free(&r);
    }
    volume_rig_free(&plain);
}

static void test_volume_bones_have_shapes_of_their_own(void **state)
{
    (void)state;
    pleat_volume_bone bones[2] = {{"no*,??rear??", pleat_volume_shape_default()},
                                  {"fore*", pleat_volume_shape_default()}};
    bones[0].shape.mu[0] = bones[0].shape.mu[1] = 0;
    bones[1].shape.mu[0] = bones[1].shape.mu[2] = 0;
    pleat_volume_options special = pleat_volume_options_default(), general = special;
    special.bones = bones;
    special.bone_count = 2;
    general.shape = bones[1].shape;
    volume_rig a = volume_rig_named("arm", "sleeve", 0, &special), b = volume_rig_named("arm", "sleeve", 0, &general);
    assert_memory_equal(volume_update(&a, 1), volume_update(&b, 1), a.shape->surface_count * sizeof(pleat_vec4));
    volume_rig_free(&a);
    volume_rig_free(&b);
}

static void test_volume_follows_a_target_in_words(void **state)
{
    (void)state;
    static const pleat_volume_key keys[] = {{0.5f, 0}, {1.5f, 0.2f}, {2, -0.1f}};
    pleat_volume_options words = pleat_volume_options_default(), numbers = words;
    snprintf(words.target, sizeof words.target, "0.5,0 1.5,0.2  2,-0.1");
    numbers.keys = keys;
    numbers.key_count = 3;
    volume_rig a = volume_rig_named("arm", "sleeve", 0, &words), b = volume_rig_named("arm", "sleeve", 0, &numbers);
    for (uint32_t f = 0; f <= 75; f += 15)
    {
        float time = (float)f / 30;
        const pleat_vec4 *after = volume_update(&a, time);
        assert_memory_equal(after, volume_update(&b, time), a.shape->surface_count * sizeof(pleat_vec4));
        double up = 0.2 * fmin(fmax((double)time - 0.5, 0), 1), down = 0.6 * fmin(fmax((double)time - 1.5, 0), 0.5);
        assert_true(volume_worst_error(&a, after, 1 + up - down, 1e-9) <= 1e-6);
    }
    volume_rig_free(&a);
    volume_rig_free(&b);
}

/* The moves of the arm's vertices by a shape, in the clip that bends. */
typedef struct moves
{
    float farthest, front, back, near, beyond, outside; /* the farthest there */
} moves;

static moves move_arm(const pleat_volume_shape *shape)
{
    pleat_volume_options options = pleat_volume_options_default();
    options.shape = *shape;
    volume_rig plain = volume_rig_named("arm", "sleeve", 0, NULL), r = volume_rig_named("arm", "sleeve", 0, &options);
    const pleat_vec4 *before = volume_update(&plain, 0.8f), *after = volume_update(&r, 0.8f);
    moves m = {0};
    for (uint32_t v = 0; v < r.shape->surface_count; ++v)
    {
        pleat_vec4 rest = r.shape->rest[v];
        float length = pl_length3(pl_load(&after[v]) - pl_load(&before[v]));
        m.farthest = fmaxf(m.farthest, length);
        m.front = rest.z > 0.026f ? fmaxf(m.front, length) : m.front;
        m.back = rest.z < -0.026f ? fmaxf(m.back, length) : m.back;
        m.near = rest.y > 0.005f ? fmaxf(m.near, length) : m.near; /* the shoulder's half: the elbow is at 0 */
        m.beyond = fabsf(rest.y) >= 0.08f ? fmaxf(m.beyond, length) : m.beyond;
        m.outside = fabsf(rest.y) >= 0.2f ? fmaxf(m.outside, length) : m.outside;
    }
    assert_true(volume_worst_error(&r, after, 1, 1e-9) <= 1e-6);
    assert_true(m.farthest > 1e-3f);
    volume_rig_free(&r);
    volume_rig_free(&plain);
    return m;
}

static void test_volume_moves_one_half(void **state)
{
    (void)state;
    pleat_volume_shape shape = pleat_volume_shape_default();
    moves m = move_arm(&shape);
    assert_true(m.front > 0.5f * m.farthest && m.back > 0.5f * m.farthest);
    shape.around = PLEAT_VOLUME_ONLY_FRONT;
    m = move_arm(&shape);
    assert_true(m.front > 0.5f * m.farthest && m.back == 0);
    shape.around = PLEAT_VOLUME_ONLY_BACK;
    m = move_arm(&shape);
    assert_true(m.back > 0.5f * m.farthest && m.front == 0);
    shape.turn = 3.14159265f; /* about the limb: back is front */
    m = move_arm(&shape);
    assert_true(m.front > 0.5f * m.farthest && m.back == 0);
}

static void test_volume_reaches_beyond_the_blend(void **state)
{
    (void)state;
    pleat_volume_shape shape = pleat_volume_shape_default();
    moves none = move_arm(&shape);
    shape.reach = 2; /* of 8 cm, from where the blend is strong */
    moves wide = move_arm(&shape);
    assert_true(none.beyond == 0);
    assert_true(wide.beyond > 0.2f * wide.farthest && wide.outside == 0);
    assert_true(wide.farthest < 0.8f * none.farthest);
}

static void test_volume_has_a_curve_for_each_axis(void **state)
{
    (void)state;
    static const char *const curves[2] = {"0,0 0.25,1 0.5,0 1,0", "-10,0 0,0 5,1 10,0"};
    pleat_volume_shape shape = pleat_volume_shape_default();
    shape.profile[0] = shape.profile[1] = shape.profile[2] = PLEAT_VOLUME_CURVE;
    shape.mu[PLEAT_VOLUME_ALONG] = 0;
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        /* The limb runs from the shoulder to the hand, downwards. */
        snprintf(shape.curve[a], sizeof shape.curve[a], "%s", curves[a == PLEAT_VOLUME_SIDE]);
    }
    shape.mu[PLEAT_VOLUME_SIDE] = 0;
    float first = move_arm(&shape).near;
    shape.mu[PLEAT_VOLUME_SIDE] = 1;
    shape.mu[PLEAT_VOLUME_FRONT] = 0;
    float second = move_arm(&shape).near;
    assert_true(fminf(first, second) < 1e-5f && fmaxf(first, second) > 1e-3f);
}

/* Skinning may stretch a triangle to many times its area; its corners must not go that much farther than others. */
static void test_volume_makes_no_spikes(void **state)
{
    (void)state;
    volume_rig r = volume_rig_named("arm", "sleeve", 0, NULL);
    pleat_volume_options options = pleat_volume_options_default();
    pl_memory memory = pl_memory_from(NULL);
    pl_arena arena;
    pl_arena_init(&arena, &memory);
    pl_volume_bound bound = {0};
    assert_int_equal(pl_volume_bind(&options, false, &r.stack->cloth, NULL, &arena, &bound, NULL), PLEAT_OK);
    const pl_volume_joint *joint = &bound.joints[0];
    size_t count = r.shape->surface_count;
    pl_volume_scratch scratch;
    assert_int_equal(pl_volume_make_scratch(&bound, &arena, &scratch, NULL), PLEAT_OK);
    pleat_vec4 *positions = PL_ARENA_NEW(&arena, pleat_vec4, count), centres[2];
    float farthest[2];
    for (int pulled = 0; pulled < 2; ++pulled)
    {
        memcpy(positions, r.shape->rest, count * sizeof *positions);
        for (uint32_t v = 0; pulled && v < count; v += 7)
        {
            positions[v].x *= 3; /* 10 cm out of a mesh whose edges are 1 cm */
            positions[v].z *= 3;
        }
        pl_volume_centres(&bound.closed, positions, centres);
        pl_volume_moved moved = pl_volume_correct(&bound.closed, joint, 1e-4, 1, &scratch, positions, centres);
        assert_true(fabs(moved.change - 1e-4) < 1e-10 && !moved.limited);
        farthest[pulled] = moved.farthest;
    }
    assert_true(farthest[0] > 1e-3f && farthest[1] < 1.5f * farthest[0]);
    pl_arena_free(&arena);
    volume_rig_free(&r);
}

static int compare_corners(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

/* From its smallest vertex on. */
static void put_triangle(uint32_t *out, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[5] = {a, b, c, a, b};
    memcpy(out, corners + (b < a && b < c ? 1 : c < a && c < b ? 2 : 0), 3 * sizeof *out);
}

/* Triangles are summed in pairs: each stands in one quad, turned as it was, and few are left alone. */
static void test_volume_pairs_all_triangles(void **state)
{
    (void)state;
    volume_rig r = volume_rig_named("arm", "sleeve", 0, NULL);
    pleat_volume_options options = pleat_volume_options_default();
    pl_memory memory = pl_memory_from(NULL);
    pl_arena arena;
    pl_arena_init(&arena, &memory);
    pl_volume_bound bound = {0};
    assert_int_equal(pl_volume_bind(&options, false, &r.stack->cloth, NULL, &arena, &bound, NULL), PLEAT_OK);
    uint32_t count = bound.closed.triangle_count, found = 0, quads = 0;
    uint32_t *given = PL_ARENA_NEW(&arena, uint32_t, 3 * (size_t)count);
    uint32_t *paired = PL_ARENA_NEW(&arena, uint32_t, 3 * (size_t)count);
    for (uint32_t t = 0; t < count; ++t)
    {
        const uint32_t *corner = bound.closed.triangles + 3 * (size_t)t;
        put_triangle(given + 3 * (size_t)t, corner[0], corner[1], corner[2]);
    }
    for (uint32_t b = 0; b < bound.groups.block_count; ++b)
    {
        quads += bound.groups.blocks[b].count;
    }
    for (uint32_t q = 0; q < quads; ++q)
    {
        uint32_t v[4];
        for (uint32_t k = 0; k < 4; ++k)
        {
            v[k] = bound.groups.quads[4 * (size_t)q + k] / (uint32_t)sizeof(pleat_vec4);
        }
        assert_true(found + (v[2] == v[3] ? 1 : 2) <= count);
        put_triangle(paired + 3 * (size_t)found++, v[0], v[1], v[2]);
        if (v[2] != v[3])
        {
            put_triangle(paired + 3 * (size_t)found++, v[0], v[2], v[3]);
        }
    }
    assert_int_equal(found, count);
    assert_true(quads < 0.55 * (double)count);
    qsort(given, count, 3 * sizeof *given, compare_corners);
    qsort(paired, count, 3 * sizeof *paired, compare_corners);
    assert_memory_equal(given, paired, 3 * (size_t)count * sizeof *given);
    pl_arena_free(&arena);
    volume_rig_free(&r);
}

/* A shell that skinning turns inside out, as it does with small things that hang on two joints: what its joints cannot
 * bring back goes to all of it. */
static void test_volume_of_buckles(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_fat_male_worksuit/mh_fat_male_worksuit.glb");
    pleat_asset *asset = NULL;
    assert_int_equal(pleat_asset_load(path, NULL, NULL, &asset, NULL), PLEAT_OK);
    const pleat_model *model = pleat_asset_model(asset);
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r = volume_rig_of(model, volume_node(model, "male_worksuit01"), 0, &options, NULL, NULL);
    double lost = 0;
    for (uint32_t f = 511; f < 600; f += 4)
    {
        const pleat_vec4 *positions = volume_update(&r, (float)f / 30);
        assert_true(volume_worst_error(&r, positions, 1, 1e-7) <= 1e-6); /* 0.2 ml and more */
        assert_true(volume_worst_error(&r, positions, 1, 1e-3) <= 1e-6);
        lost = fmax(lost, volume_figure(&r, "lost"));
    }
    assert_true(lost > 1);
    volume_rig_free(&r);
    pleat_asset_destroy(asset);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_follows_an_animated_target),
        cmocka_unit_test(test_volume_profiles_place_the_correction),
        cmocka_unit_test(test_volume_bones_have_shapes_of_their_own),
        cmocka_unit_test(test_volume_follows_a_target_in_words),
        cmocka_unit_test(test_volume_moves_one_half),
        cmocka_unit_test(test_volume_reaches_beyond_the_blend),
        cmocka_unit_test(test_volume_has_a_curve_for_each_axis),
        cmocka_unit_test(test_volume_makes_no_spikes),
        cmocka_unit_test(test_volume_pairs_all_triangles),
        cmocka_unit_test(test_volume_of_buckles),
    };
    return cmocka_run_group_tests_name("volume_shape", tests, volume_make_characters, volume_free_characters);
}
