/* Folds of motion capture over time: sampling a clip ten times as densely must shrink the largest change of an offset.
 *
 * Regions of several joints overlap here, skinning pushes creases through themselves, and the recordings turn single
 * joints by up to 170 degrees from one frame to the next: folds would spring with them by 0.82 and 0.85 of what they do
 * at a tenth of the rate (folds_leap.h). */
#include "support/folded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two windows of four frames each, half of the clip apart, or in a long run all of it, at 300 samples a second; every
 * tenth is one of 30. */
enum
{
    WINDOWS = 2,
    WINDOW_FRAMES = 4,
    DENSER = 10
};

/* What a layer gets, kept on its way in. */
typedef struct witness
{
    pleat_vec4 *skinned;
    uint32_t vertex_count;
} witness;

static witness seen;

static void update_seen(void *layer, const pleat_layer_frame *frame)
{
    memcpy(seen.skinned, frame->positions, seen.vertex_count * sizeof *seen.skinned);
    pleat_folds_layer.update(layer, frame);
}

/* Largest changes of an offset, by rate. */
typedef struct changes
{
    double coarse, fine;
} changes;

/* Offsets now, and the largest change since `before`, which they become. */
static double change_since(const pleat_vec4 *folded, float *before)
{
    double largest = 0;
    for (uint32_t v = 0; v < seen.vertex_count; ++v)
    {
        float offset = (float)support_apart(folded[v], seen.skinned[v]);
        largest = fmax(largest, fabs((double)offset - (double)before[v]));
        before[v] = offset;
    }
    return largest;
}

/* Frames of a clip, of one mesh. */
typedef struct window
{
    uint32_t node, clip, first, count;
} window;

static pleat_bake *bake_window(const support_actor *a, const window *w)
{
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    static pleat_layer_type type;
    type = pleat_folds_layer;
    type.update = update_seen;
    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&type, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(a->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.node_count = 1;
    desc.nodes = &w->node;
    desc.clip = w->clip;
    desc.fps = 30 * DENSER;
    desc.first_frame = w->first * DENSER;
    desc.last_frame = (w->first + w->count) * DENSER;
    desc.layer_count = 1;
    desc.layers = &layer;
    if (pleat_bake_create(&desc, NULL, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

static void watch_window(const support_actor *a, const window *w, changes *out)
{
    pleat_bake *bake = bake_window(a, w);
    seen.vertex_count = pleat_stack_get_shape(pleat_bake_stack(bake, 0))->surface_count;
    seen.skinned = malloc(seen.vertex_count * sizeof *seen.skinned);
    float *fine = calloc(seen.vertex_count, sizeof *fine), *coarse = calloc(seen.vertex_count, sizeof *coarse);
    for (uint32_t f = 0; f <= w->count * DENSER; ++f)
    {
        const pleat_vec4 *folded = support_frame(bake, f);
        double change = change_since(folded, fine);
        out->fine = f ? fmax(out->fine, change) : 0;
        if (f % DENSER == 0)
        {
            change = change_since(folded, coarse);
            out->coarse = f ? fmax(out->coarse, change) : 0;
        }
    }
    free(fine);
    free(coarse);
    free(seen.skinned);
    pleat_bake_destroy(bake);
}

static changes larger(changes a, changes b)
{
    return (changes){fmax(a.coarse, b.coarse), fmax(a.fine, b.fine)};
}

static void check_windows(const support_actor *a, const char *name, uint32_t node, double most)
{
    double duration = (double)(a->model->clips[0].end - a->model->clips[0].start);
    uint32_t frames = (uint32_t)(30 * duration + 1e-3), windows = support_is_long() ? 1 : WINDOWS;
    uint32_t count = support_is_long() ? frames : WINDOW_FRAMES;
    changes all = {0};
    for (uint32_t w = 0; w < windows; ++w)
    {
        changes here = {0};
        uint32_t first = (uint32_t)(30 * duration * w / windows);
        watch_window(a, &(window){node, 0, first, count}, &here);
        print_message("%s, frames %u to %u: %.2f mm at 30 a second, %.2f mm at 300\n", name, first, first + count,
                      1000 * here.coarse, 1000 * here.fine);
        all = larger(all, here);
    }
    print_message("%s: largest change of an offset %.2f mm at 30 a second, %.2f mm at 300: %.2f x\n", name,
                  1000 * all.coarse, 1000 * all.fine, all.fine / all.coarse);
    assert_true(all.fine <= most * all.coarse);
}

static void test_folds_time_is_continuous_on_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    support_actor dancer = support_actor_load(path);
    check_windows(&dancer, "leotard", support_node_named(dancer.model, ""), 0.4);
    pleat_asset_destroy(dancer.asset);
}

static void test_folds_time_is_continuous_on_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    support_actor dancer = support_actor_load(path);
    check_windows(&dancer, "sportsuit", support_node_named(dancer.model, "suit"), 0.4);
    pleat_asset_destroy(dancer.asset);
}

/* Clips that begin at rest: many folds begin in the same frame, those in hollows at rest among them. */
static void test_folds_time_begins_at_rest(void **state)
{
    (void)state;
    static const char *const meshes[] = {"leotard", "tights"};
    support_actor dancer = support_actor_make("dancer");
    for (uint32_t i = 0; i < (support_is_long() ? 2 : 1); ++i)
    {
        window w = {.node = support_node_named(dancer.model, meshes[i])};
        changes all = {0};
        for (; w.clip < dancer.model->clip_count; ++w.clip)
        {
            const pleat_clip *clip = &dancer.model->clips[w.clip];
            changes here = {0};
            uint32_t frames = (uint32_t)(30 * (clip->end - clip->start) + 1e-3f);
            w.count = support_is_long() || frames < 12 ? frames : 12;
            watch_window(&dancer, &w, &here);
            print_message("%s, %s: %.2f mm at 30 a second, %.2f mm at 300: %.2f x\n", meshes[i], clip->name,
                          1000 * here.coarse, 1000 * here.fine, here.coarse > 0 ? here.fine / here.coarse : 0);
            all = larger(all, here);
        }
        assert_true(all.fine <= 0.4 * all.coarse);
    }
    support_actor_drop(&dancer);
}

/* An elbow that skinning pushes through itself from 70 degrees on. Where its crease closes cloth goes by up to 28 mm
 * from where skinning puts it: not within a frame, as it did where lines that had grown back counted as cloth that lost
 * nothing. */
static void test_folds_time_of_an_elbow(void **state)
{
    (void)state;
    static const char *const files[] = {"mh_arm/mh_sleeve_sub1.glb", "mh_arm/mh_sleeve.glb"};
    for (uint32_t i = 0; i < 2; ++i)
    {
        SUPPORT_NEED(path, files[i]);
        support_actor arm = support_actor_load(path);
        window w = {support_node_named(arm.model, ""), support_clip_named(arm.model, "elbow_bend"), 30,
                    support_is_long() ? 24 : 6};
        changes here = {0};
        watch_window(&arm, &w, &here);
        print_message("%s: %.2f mm at 30 a second, %.2f mm at 300: %.2f x\n", files[i], 1000 * here.coarse,
                      1000 * here.fine, here.fine / here.coarse);
        assert_true(here.fine <= 0.4 * here.coarse && here.coarse < 0.012);
        pleat_asset_destroy(arm.asset);
    }
}

/* Within these frames the recording wrings a hip by 170 degrees and back. Planes of contact turn over on the way, and
 * cloth must not leap with them: nothing moves by more than a fold is high (24 mm), and in a tenth of a frame by 0.4 of
 * that at most (17 mm without lids). */
static void test_folds_time_of_a_wrung_limb(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    support_actor dancer = support_actor_load(path);
    changes leap = {0};
    watch_window(&dancer, &(window){support_node_named(dancer.model, "suit"), 0, 782, 4}, &leap);
    print_message("sportsuit, frames 782 to 786: %.2f mm at 30 a second, %.2f mm at 300\n", 1000 * leap.coarse,
                  1000 * leap.fine);
    assert_true(leap.coarse < 0.024 && leap.fine < 0.4 * leap.coarse);
    pleat_asset_destroy(dancer.asset);
}

/* The same planned for 30 frames a second and asked for 300: leaps are found between frames. */
static void test_folds_time_between_planned_frames(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    support_actor dancer = support_actor_load(path);
    pleat_layer_type type = pleat_folds_layer;
    type.update = update_seen;
    pleat_folds_options options = pleat_folds_options_default();
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = dancer.model;
    desc.node = support_node_named(dancer.model, "suit");
    desc.layer_count = 1;
    desc.layers = &(pleat_layer_desc){&type, &options};
    desc.clip = &dancer.model->clips[0];
    desc.clip_start = desc.clip->start + 782 / desc.clip_fps;
    desc.frame_count = 5;
    pleat_stack *stack = NULL;
    pleat_pose *pose = NULL;
    assert_int_equal(pleat_stack_create(&desc, NULL, &stack, NULL), PLEAT_OK);
    assert_int_equal(pleat_pose_create(dancer.model, NULL, &pose, NULL), PLEAT_OK);
    seen.vertex_count = pleat_stack_get_shape(stack)->surface_count;
    seen.skinned = malloc(seen.vertex_count * sizeof *seen.skinned);
    float *offsets = calloc(seen.vertex_count, sizeof *offsets);
    double largest = 0;
    for (uint32_t f = 0; f <= 4 * DENSER; ++f)
    {
        float time = desc.clip_start + (float)f / (DENSER * desc.clip_fps);
        pleat_pose_sample(pose, desc.clip, time);
        pleat_stack_update(stack, &(pleat_stack_input){.pose = pose, .time = time});
        double change = change_since(pleat_stack_positions(stack), offsets);
        largest = f ? fmax(largest, change) : 0;
    }
    print_message("sportsuit, frames 782 to 786, planned at 30 a second: %.2f mm at 300\n", 1000 * largest);
    assert_true(largest < 0.4 * 0.021);
    free(offsets);
    free(seen.skinned);
    pleat_pose_destroy(pose);
    pleat_stack_destroy(stack);
    pleat_asset_destroy(dancer.asset);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_time_is_continuous_on_the_leotard),
        cmocka_unit_test(test_folds_time_is_continuous_on_the_sportsuit),
        cmocka_unit_test(test_folds_time_begins_at_rest),
        cmocka_unit_test(test_folds_time_of_an_elbow),
        cmocka_unit_test(test_folds_time_of_a_wrung_limb),
        cmocka_unit_test(test_folds_time_between_planned_frames),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_folds_time_is_continuous_on_the_leotard),
        cmocka_unit_test(test_folds_time_is_continuous_on_the_sportsuit),
        cmocka_unit_test(test_folds_time_begins_at_rest),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
