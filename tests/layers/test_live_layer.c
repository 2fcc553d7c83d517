/* The live layer in a stack: geometry where wrinkles are and nowhere else, frames that depend on their time alone with
 * a clip, and on the state without one. */
#include "support/folded.h"

#include "pleat/layers/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    FRAMES = 60
};

static support_actor dancer;

static int open_dancer(void **state)
{
    (void)state;
    dancer = support_actor_make("dancer");
    return 0;
}

static int close_dancer(void **state)
{
    (void)state;
    support_actor_drop(&dancer);
    return 0;
}

static pleat_stack *make_stack(const pleat_live_options *options, bool clip, const bool *garment)
{
    pleat_stack_desc desc = pleat_stack_desc_default();
    pleat_layer_desc layer = {&pleat_live_layer, options};
    pleat_stack *stack = NULL;
    pleat_error error = {0};
    desc.model = dancer.model;
    desc.node = support_node_named(dancer.model, "leotard");
    desc.layer_count = options ? 1 : 0;
    desc.layers = &layer;
    desc.garment = garment;
    if (clip)
    {
        desc.clip = &dancer.model->clips[support_clip_named(dancer.model, "squat")];
        desc.clip_start = desc.clip->start;
        desc.frame_count = FRAMES;
    }
    if (pleat_stack_create(&desc, NULL, &stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return stack;
}

static void show(pleat_stack *stack, uint32_t frame, const pleat_tasks *tasks)
{
    const pleat_clip *clip = &dancer.model->clips[support_clip_named(dancer.model, "squat")];
    pleat_pose *pose;
    float time = clip->start + (float)frame / 30;
    assert_int_equal(pleat_pose_create(dancer.model, NULL, &pose, NULL), PLEAT_OK);
    pleat_pose_sample(pose, clip, time);
    pleat_stack_update(stack,
                       &(pleat_stack_input){.pose = pose, .time = time, .step = frame ? 1 / 30.0f : 0, .tasks = tasks});
    pleat_pose_destroy(pose);
}

static pleat_vec4 *copy_of(const pleat_stack *stack)
{
    uint32_t count = pleat_stack_get_shape(stack)->surface_count;
    pleat_vec4 *out = malloc(count * sizeof *out);
    assert_non_null(out);
    memcpy(out, pleat_stack_positions(stack), count * sizeof *out);
    return out;
}

static bool is_same(const pleat_stack *stack, const pleat_vec4 *other)
{
    uint32_t count = pleat_stack_get_shape(stack)->surface_count;
    return memcmp(pleat_stack_positions(stack), other, count * sizeof *other) == 0;
}

/* With strength 0 the mesh is refined alike and nothing moves: the difference is what wrinkles do. */
static void test_live_layer_moves(void **state)
{
    (void)state;
    pleat_live_options options = pleat_live_options_default();
    pleat_stack *stack = make_stack(&options, true, NULL);
    uint32_t count = pleat_stack_get_shape(stack)->surface_count;
    assert_true(pleat_stack_get_shape(stack)->refined);
    show(stack, 0, NULL);
    pleat_vec4 *first = copy_of(stack);
    show(stack, 45, NULL);
    pleat_vec4 *late = copy_of(stack);
    const pleat_vec4 *rest = pleat_stack_get_shape(stack)->rest;
    uint32_t moved = 0;
    for (uint32_t v = 0; v < count; ++v)
    {
        assert_true(isfinite(late[v].x) && isfinite(late[v].y) && isfinite(late[v].z));
        moved += late[v].x != first[v].x;
        assert_true(isfinite(rest[v].x));
    }
    assert_true(moved > 0);
    /* In any order, on any threads: by its time alone. */
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    show(stack, 12, NULL);
    show(stack, 45, &tasks);
    assert_true(is_same(stack, late));
    show(stack, 0, NULL);
    assert_true(is_same(stack, first));
    pleat_pool_destroy(pool);
    free(first);
    free(late);
    pleat_stack_destroy(stack);
}

/* Beyond any compression that there is: no wrinkles, no finer mesh, skinning to the bit. */
static void test_live_layer_nothing(void **state)
{
    (void)state;
    pleat_live_options options = pleat_live_options_default();
    options.tau = 4;
    pleat_stack *stack = make_stack(&options, true, NULL), *plain = make_stack(NULL, true, NULL);
    for (uint32_t f = 0; f < FRAMES; f += 15)
    {
        show(stack, f, NULL);
        show(plain, f, NULL);
        assert_int_equal(pleat_stack_get_shape(stack)->surface_count, pleat_stack_get_shape(plain)->surface_count);
        assert_true(is_same(stack, pleat_stack_positions(plain)));
    }
    pleat_stack_destroy(stack);
    pleat_stack_destroy(plain);
}

/* Without a clip the motion so far decides: saved, restored, begun anew. */
static void test_live_layer_state(void **state)
{
    (void)state;
    pleat_live_options options = pleat_live_options_default();
    options.width = 0.03f; /* coarse ones, since the mesh is refined everywhere */
    pleat_stack *stack = make_stack(&options, false, NULL);
    size_t size = pleat_stack_state_size(stack);
    void *saved = malloc(size);
    assert_true(size > 0);
    for (uint32_t f = 0; f <= 40; ++f)
    {
        show(stack, f, NULL);
        if (f == 30)
        {
            pleat_stack_state_save(stack, saved);
        }
    }
    pleat_vec4 *late = copy_of(stack);
    show(stack, 0, NULL);
    pleat_vec4 *anew = copy_of(stack);
    pleat_stack_state_restore(stack, saved);
    for (uint32_t f = 31; f <= 40; ++f)
    {
        show(stack, f, NULL);
    }
    assert_true(is_same(stack, late));
    pleat_stack *other = make_stack(&options, false, NULL);
    show(other, 0, NULL);
    assert_true(is_same(other, anew));
    free(saved);
    free(late);
    free(anew);
    pleat_stack_destroy(stack);
    pleat_stack_destroy(other);
}

static void test_live_layer_refuses(void **state)
{
    (void)state;
    pleat_stack_desc desc = pleat_stack_desc_default();
    pleat_live_options options = pleat_live_options_default();
    pleat_layer_desc layer = {&pleat_live_layer, &options};
    pleat_stack *stack = NULL;
    pleat_error error = {0};
    desc.model = dancer.model;
    desc.node = support_node_named(dancer.model, "leotard");
    desc.layer_count = 1;
    desc.layers = &layer;
    options.detail = 0;
    assert_int_equal(pleat_stack_create(&desc, NULL, &stack, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "detail is 0; it can be 1 to 16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_layer_moves),
        cmocka_unit_test(test_live_layer_nothing),
        cmocka_unit_test(test_live_layer_state),
        cmocka_unit_test(test_live_layer_refuses),
    };
    return cmocka_run_group_tests(tests, open_dancer, close_dancer);
}
