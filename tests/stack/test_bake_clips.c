/* Several clips in one bake. Judged by bakes of each clip alone, and by looking at the model. */
#include "support/folded.h"

#include "pleat/model_body.h"
#include "pleat/export/morphs.h"
#include "pleat/layers/volume.h"
#include "pleat/layers/wrinkles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pleat_bake *make_bake(const pleat_bake_desc *desc)
{
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    if (pleat_bake_create(desc, NULL, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

/* The frames of a bake that has one topology, all one after the other. */
static pleat_vec3 *all_frames(pleat_bake *bake)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    pleat_vec3 *frames = calloc((size_t)shape->frame_count * shape->vertex_count, sizeof *frames);
    for (uint32_t f = 0; f < shape->frame_count; ++f)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_bake_copy(bake, frames + (size_t)f * shape->vertex_count, NULL);
    }
    return frames;
}

/* A clip played twice: nothing goes over from the first time to the second, so both are the clip alone, bit for bit. */
static void check_twice(const pleat_bake_desc *alone)
{
    pleat_bake_desc twice = *alone;
    const uint32_t clips[2] = {alone->clip, alone->clip};
    twice.clip_count = 2;
    twice.clips = clips;
    pleat_bake *one = make_bake(alone), *two = make_bake(&twice);
    const pleat_bake_shape *a = pleat_bake_get_shape(one), *b = pleat_bake_get_shape(two);
    assert_int_equal(b->shot_count, 2);
    assert_int_equal(b->shots[1].first_frame, a->frame_count);
    assert_int_equal(b->frame_count, 2 * a->frame_count);
    assert_int_equal(a->vertex_count, b->vertex_count);
    pleat_vec3 *expected = all_frames(one), *found = all_frames(two);
    size_t size = (size_t)a->frame_count * a->vertex_count;
    assert_memory_equal(found, expected, size * sizeof *found);
    assert_memory_equal(found + size, expected, size * sizeof *found);
    for (uint32_t f = 0; f < a->frame_count; ++f)
    {
        assert_true(pleat_bake_time(two, a->frame_count + f) == pleat_bake_time(one, f));
    }
    free(expected);
    free(found);
    pleat_bake_destroy(one);
    pleat_bake_destroy(two);
}

static void test_bake_clips_begin_anew_with_folds_and_breath(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    pleat_folds_options folds = pleat_folds_options_default();
    pleat_volume_options volume = pleat_volume_options_default();
    folds.detail = 2;
    volume.breath = 0.1f; /* depends on the clip's own time */
    pleat_layer_desc layers[] = {{&pleat_folds_layer, &folds}, {&pleat_volume_layer, &volume}};
    pleat_bake_desc desc = pleat_bake_desc_default(arm.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 7;
    desc.layer_count = 2;
    desc.layers = layers;
    check_twice(&desc);
    support_actor_drop(&arm);
}

static void test_bake_clips_begin_anew_with_wrinkles(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("rectangle", NULL, NULL, &made, NULL), PLEAT_OK);
    pleat_wrinkles_options wrinkles = pleat_wrinkles_options_default();
    wrinkles.detail = 1;
    pleat_layer_desc layer = {&pleat_wrinkles_layer, &wrinkles};
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_made_model(made));
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 10;
    desc.layer_count = 1;
    desc.layers = &layer;
    check_twice(&desc);
    pleat_made_destroy(made);
}

/* The arm's clips, one of them begun later: no time of one is that of another. */
static void check_shots(const pleat_model *model, const pleat_bake_shape *shape, const pleat_bake *bake)
{
    uint32_t frame = 0;
    for (uint32_t i = 0; i < shape->shot_count; ++i)
    {
        const pleat_shot *shot = &shape->shots[i];
        assert_ptr_equal(shot->clip, &model->clips[i]);
        assert_int_equal(shot->first_frame, frame);
        for (uint32_t f = 0; f < shot->frame_count; ++f, ++frame)
        {
            double time = (double)shot->clip->start + (double)f / (double)shape->fps;
            assert_float_equal(pleat_bake_time(bake, frame), time, 1e-6);
        }
    }
    assert_int_equal(frame, shape->frame_count);
}

/* Folds are planned for all clips together: a clip that bends most has the folds that it has alone, and one that bends
 * the same joint less has the same mesh. */
static void test_bake_clips_share_folds(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    pleat_model model = *arm.model;
    pleat_clip clips[2] = {model.clips[0], model.clips[0]};
    clips[1].end = clips[1].start + 0.4f * (clips[1].end - clips[1].start);
    clips[1].start += 0.2f;
    model.clips = clips;
    model.clip_count = 2;
    pleat_folds_options folds = pleat_folds_options_default();
    folds.detail = 2;
    pleat_layer_desc layer = {&pleat_folds_layer, &folds};
    pleat_bake_desc desc = pleat_bake_desc_default(&model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 10;
    desc.layer_count = 1;
    desc.layers = &layer;
    pleat_bake *one = make_bake(&desc);
    const uint32_t both[2] = {0, 1};
    desc.clip_count = 2;
    desc.clips = both;
    pleat_bake *two = make_bake(&desc);
    const pleat_bake_shape *a = pleat_bake_get_shape(one), *b = pleat_bake_get_shape(two);
    check_shots(&model, b, two);
    assert_int_equal(a->vertex_count, b->vertex_count);
    pleat_vec3 *expected = all_frames(one), *found = all_frames(two);
    size_t row = a->vertex_count;
    assert_memory_equal(found, expected, a->frame_count * row * sizeof *found);
    /* Frame f of the second clip is 0.2 s later in the first: two frames. */
    for (uint32_t f = 0; f < b->shots[1].frame_count; ++f)
    {
        const pleat_vec3 *x = found + (b->shots[1].first_frame + f) * row, *y = expected + (f + 2) * row;
        for (size_t v = 0; v < row; ++v)
        {
            float apart = fmaxf(fabsf(x[v].x - y[v].x), fmaxf(fabsf(x[v].y - y[v].y), fabsf(x[v].z - y[v].z)));
            assert_true(apart < 2e-5f);
        }
    }
    free(expected);
    free(found);
    pleat_bake_destroy(one);
    pleat_bake_destroy(two);
    support_actor_drop(&arm);
}

/* A clip that bends a joint which no other does gets its folds, where a bake of the others has none. */
static void test_bake_clips_find_every_joint(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    assert_true(arm.model->clip_count > 1);
    pleat_folds_options folds = pleat_folds_options_default();
    folds.detail = 2;
    pleat_layer_desc layer = {&pleat_folds_layer, &folds};
    pleat_bake_desc desc = pleat_bake_desc_default(arm.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 10;
    desc.layer_count = 1;
    desc.layers = &layer;
    uint32_t still = support_clip_named(arm.model, "twist"), bends = support_clip_named(arm.model, "bend");
    const uint32_t clips[2] = {still, bends};
    desc.clip = still;
    pleat_bake *alone = make_bake(&desc);
    desc.clip_count = 2;
    desc.clips = clips;
    pleat_bake *both = make_bake(&desc);
    assert_int_equal(pleat_bake_frame(alone, 0, NULL), PLEAT_OK);
    assert_int_equal(pleat_bake_frame(both, 0, NULL), PLEAT_OK);
    assert_true(support_figure(alone, "rings") == 0);
    assert_true(support_figure(both, "rings") > 0);
    pleat_bake_destroy(alone);
    pleat_bake_destroy(both);
    support_actor_drop(&arm);
}

/* A body that moves in the same row stands where a bake of its clip puts it. */
static void test_bake_clips_move_a_body(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(12, 12);
    const uint32_t clips[2] = {1, 0};
    pleat_shot shots[2];
    uint32_t frames = pleat_shots_list(arm.model, 2, clips, 30, shots), node = support_node_named(arm.model, "");
    const uint32_t primitive = 0;
    assert_int_equal(frames, shots[0].frame_count + shots[1].frame_count);
    pleat_model_body_desc desc = {.model = arm.model,
                                  .clip = 1,
                                  .shot_count = 2,
                                  .shots = shots,
                                  .fps = 30,
                                  .part_count = 1,
                                  .nodes = &node,
                                  .primitives = &primitive};
    pleat_model_body *row = NULL, *alone = NULL;
    assert_int_equal(pleat_model_body_create(&desc, NULL, &row, NULL), PLEAT_OK);
    for (uint32_t s = 0; s < 2; ++s)
    {
        desc.clip = clips[s];
        desc.shot_count = 0;
        assert_int_equal(pleat_model_body_create(&desc, NULL, &alone, NULL), PLEAT_OK);
        for (uint32_t f = 0; f < shots[s].frame_count; f += 5)
        {
            const pleat_body *a = pleat_model_body_get(row), *b = pleat_model_body_get(alone);
            float time = shots[0].start + (float)(shots[s].first_frame + f) / 30;
            const pleat_vec4 *found = a->at(a->user, time);
            const pleat_vec4 *expected = b->at(b->user, shots[s].start + (float)f / 30);
            for (uint32_t v = 0; v < a->vertex_count; ++v)
            {
                assert_true(support_apart(found[v], expected[v]) < 1e-5);
            }
        }
        pleat_model_body_destroy(alone);
    }
    pleat_model_body_destroy(row);
    support_actor_drop(&arm);
}

static void test_bake_clips_that_shape_a_node(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(8, 6);
    uint32_t node = support_node_named(arm.model, "");
    const pleat_skin *skin = &arm.model->skins[arm.model->nodes[node].skin];
    pleat_channel channel = arm.model->clips[0].channels[0];
    pleat_clip clip = arm.model->clips[0];
    clip.channels = &channel;
    clip.channel_count = 1;
    channel.path = PLEAT_ROTATION;
    channel.node = skin->joints[skin->joint_count - 1];
    assert_true(pleat_clip_shapes(arm.model, &clip, node));
    channel.node = node; /* the mesh's own node: a skin does not follow it */
    assert_false(pleat_clip_shapes(arm.model, &clip, node));
    channel.path = PLEAT_WEIGHTS;
    assert_true(pleat_clip_shapes(arm.model, &clip, node));
    clip.channel_count = 0;
    assert_false(pleat_clip_shapes(arm.model, &clip, node));
    support_actor_drop(&arm);
}

static void test_bake_clips_rejects(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(8, 6);
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    uint32_t clips[2] = {0, 99};
    pleat_bake_desc desc = pleat_bake_desc_default(arm.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.clip_count = 2;
    desc.clips = clips;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "clips[1] is 99"));
    clips[1] = 0;
    desc.frame_topology = true;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    assert_null(bake);
    support_actor_drop(&arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bake_clips_begin_anew_with_folds_and_breath),
        cmocka_unit_test(test_bake_clips_begin_anew_with_wrinkles),
        cmocka_unit_test(test_bake_clips_share_folds),
        cmocka_unit_test(test_bake_clips_find_every_joint),
        cmocka_unit_test(test_bake_clips_move_a_body),
        cmocka_unit_test(test_bake_clips_that_shape_a_node),
        cmocka_unit_test(test_bake_clips_rejects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
