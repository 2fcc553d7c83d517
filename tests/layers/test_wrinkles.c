/* The wrinkles layer in a stack: what it leaves alone, that it does not depend on threads or on how it came to a frame,
 * curves given from outside, and the body. */
#include "support/support.h"

#include "base/vec.h"
#include "layers/wrinkles/wrinkles.h"
#include "pleat/make.h"
#include "pleat/stack.h"

#include <stdlib.h>

enum
{
    FRAMES = 76
};

/* The rectangle in a stack with wrinkles. */
typedef struct scene
{
    pleat_made *made;
    const pleat_model *model;
    uint32_t node;
    pleat_wrinkles_options options;
    pleat_layer_desc layer;
    pleat_stack_desc desc;
    pleat_pose *pose;
    pleat_stack *stack;
} scene;

static void begin(scene *s, uint32_t quads)
{
    pleat_error error = {0};
    pleat_make_options make = pleat_make_options_default();
    *s = (scene){0};
    make.cloth_quads = quads;
    assert_int_equal(pleat_make("rectangle", &make, NULL, &s->made, &error), PLEAT_OK);
    s->model = pleat_made_model(s->made);
    for (uint32_t i = 0; i < s->model->node_count; ++i)
    {
        s->node = s->model->nodes[i].mesh != PLEAT_NONE ? i : s->node;
    }
    s->options = pleat_wrinkles_options_default();
    s->options.radius = 0.03f;
    s->options.detail = 3;
    s->layer = (pleat_layer_desc){&pleat_wrinkles_layer, &s->options};
    s->desc = pleat_stack_desc_default();
    s->desc.refine = PLEAT_REFINE_LOOP;
    s->desc.model = s->model;
    s->desc.node = s->node;
    s->desc.layer_count = 1;
    s->desc.layers = &s->layer;
    s->desc.clip = &s->model->clips[0];
    s->desc.frame_count = FRAMES;
    assert_int_equal(pleat_pose_create(s->model, NULL, &s->pose, &error), PLEAT_OK);
}

static void bind(scene *s)
{
    pleat_error error = {0};
    pleat_stack_destroy(s->stack);
    if (pleat_stack_create(&s->desc, NULL, &s->stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
}

static void end(scene *s)
{
    pleat_stack_destroy(s->stack);
    pleat_pose_destroy(s->pose);
    pleat_made_destroy(s->made);
}

/* The cloth moves by morph targets, so a pose is all it takes. */
static const pleat_vec4 *at(scene *s, float time, float step, const pleat_tasks *tasks)
{
    pleat_pose_sample(s->pose, &s->model->clips[0], time);
    pleat_stack_input input = {.pose = s->pose, .time = time, .step = step, .tasks = tasks};
    pleat_stack_update(s->stack, &input);
    return pleat_stack_positions(s->stack);
}

static pleat_vec4 *copy_at(scene *s, float time)
{
    uint32_t count = pleat_stack_get_shape(s->stack)->surface_count;
    pleat_vec4 *out = aligned_alloc(16, count * sizeof *out);
    memcpy(out, at(s, time, 0, NULL), count * sizeof *out);
    return out;
}

static uint64_t hash_at(scene *s, float time, float step, const pleat_tasks *tasks)
{
    const pleat_vec4 *positions = at(s, time, step, tasks);
    return support_hash(SUPPORT_HASH, positions, pleat_stack_get_shape(s->stack)->surface_count * sizeof *positions);
}

static double figure(const scene *s, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(s->stack, 0, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    fail_msg("no figure %s", wanted);
    return 0;
}

static void test_wrinkles_options(void **state)
{
    (void)state;
    uint32_t count = pleat_wrinkles_layer.parameter_count;
    const pleat_parameter *table = pleat_wrinkles_layer.parameters;
    pleat_wrinkles_options options = pleat_wrinkles_options_default();
    for (uint32_t i = 0; i < count; ++i)
    {
        const char *at_member = (const char *)&options + table[i].offset;
        assert_true(table[i].offset < sizeof options);
        float value;
        memcpy(&value, at_member, sizeof value);
        bool number = table[i].kind == PLEAT_VALUE_NUMBER || table[i].kind == PLEAT_VALUE_LENGTH ||
                      table[i].kind == PLEAT_VALUE_SHARE;
        assert_true(!number || ((double)value >= table[i].low && (double)value <= table[i].high));
    }
    const struct
    {
        const char *name;
        size_t offset;
        float value;
    } wrong[] = {{"radius", offsetof(pleat_wrinkles_options, radius), -1},
                 {"radius", offsetof(pleat_wrinkles_options, radius), NAN},
                 {"threshold", offsetof(pleat_wrinkles_options, threshold), 0.95f},
                 {"strength", offsetof(pleat_wrinkles_options, strength), 1.5f},
                 {"smoothing", offsetof(pleat_wrinkles_options, smoothing), -0.1f},
                 {"detail", offsetof(pleat_wrinkles_options, detail), 0},
                 {"gap", offsetof(pleat_wrinkles_options, gap), -1}};
    scene s;
    begin(&s, 4);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        pleat_error error = {0};
        s.options = pleat_wrinkles_options_default();
        memcpy((char *)&s.options + wrong[i].offset, &wrong[i].value, sizeof wrong[i].value);
        assert_int_equal(pleat_stack_create(&s.desc, NULL, &s.stack, &error), PLEAT_BAD_ARGUMENT);
        assert_non_null(strstr(error.message, wrong[i].name));
    }
    end(&s);
}

/* Nothing is compressed in the first frames: the refined cloth comes out as it went in. */
static void test_wrinkles_leave_rest_alone(void **state)
{
    (void)state;
    scene s;
    begin(&s, 12);
    bind(&s);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s.stack);
    assert_true(shape->refined && shape->surface_count > 1000);
    assert_memory_equal(at(&s, 0, 0, NULL), shape->rest, shape->surface_count * sizeof *shape->rest);
    assert_true(figure(&s, "wrinkles") == 0);
    at(&s, 2.5f, 0, NULL);
    assert_true(figure(&s, "wrinkles") > 4 && figure(&s, "highest") > 0.005 && figure(&s, "left_out") == 0);
    /* Strength 0 is no wrinkle at all. */
    pleat_vec4 *flat;
    s.options.strength = 0;
    bind(&s);
    flat = copy_at(&s, 2.5f);
    for (uint32_t v = 0; v < pleat_stack_get_shape(s.stack)->surface_count; ++v)
    {
        assert_true(flat[v].y == 0);
    }
    free(flat);
    end(&s);
}

static void test_wrinkles_for_any_threads(void **state)
{
    (void)state;
    scene s;
    pleat_error error = {0};
    uint64_t hashes[3];
    begin(&s, 12);
    for (uint32_t i = 0; i < 3; ++i)
    {
        pleat_pool *pool;
        assert_int_equal(pleat_pool_create(1 + 2 * i, &pool, &error), PLEAT_OK);
        pleat_host host = pleat_host_default();
        pleat_tasks tasks = pleat_pool_tasks(pool);
        host.tasks = tasks;
        pleat_stack_destroy(s.stack);
        assert_int_equal(pleat_stack_create(&s.desc, &host, &s.stack, &error), PLEAT_OK);
        hashes[i] = hash_at(&s, 1.5f, 0, &tasks) ^ hash_at(&s, 2.2f, 0, &tasks);
        pleat_pool_destroy(pool);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    end(&s);
}

/* With a clip a frame depends on its time alone; between frames it lies between them, and goes into them. */
static void test_wrinkles_between_frames(void **state)
{
    (void)state;
    scene s;
    begin(&s, 12);
    bind(&s);
    uint64_t once = hash_at(&s, 50 / 30.0f, 0, NULL);
    hash_at(&s, 0, 0, NULL);
    hash_at(&s, 2, 0, NULL);
    assert_true(hash_at(&s, 50 / 30.0f, 0, NULL) == once);
    assert_int_equal(pleat_stack_state_size(s.stack), 0);
    uint32_t count = pleat_stack_get_shape(s.stack)->surface_count;
    float largest = 0, within = 0;
    pleat_vec4 *first = copy_at(&s, 50 / 30.0f), *before = copy_at(&s, 50 / 30.0f), *last = copy_at(&s, 51 / 30.0f);
    for (uint32_t i = 1; i <= 20; ++i)
    {
        pleat_vec4 *now = copy_at(&s, (50 + (float)i / 20) / 30);
        for (uint32_t v = 0; v < count; ++v)
        {
            within = fmaxf(within, pl_length3(pl_load(&now[v]) - pl_load(&before[v])));
        }
        free(before);
        before = now;
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        largest = fmaxf(largest, pl_length3(pl_load(&last[v]) - pl_load(&first[v])));
    }
    assert_true(within < 0.2f * largest + 1e-5f);
    free(first);
    free(before);
    free(last);
    end(&s);
}

/* Without a clip the layer traces as it goes; playing on from a saved state gives the same bits. */
static void test_wrinkles_as_they_come(void **state)
{
    (void)state;
    scene s;
    begin(&s, 12);
    s.desc.clip = NULL;
    s.desc.frame_count = 0;
    s.options.detail = 2;
    for (uint32_t side = 0; side < 3; side += 2)
    {
        s.options.side = side;
        bind(&s);
        size_t size = pleat_stack_state_size(s.stack);
        assert_true(size > 0);
        void *saved = malloc(size);
        uint64_t hashes[60];
        for (uint32_t f = 20; f < 60; ++f)
        {
            hashes[f] = hash_at(&s, (float)f / 30, f > 20 ? 1 / 30.0f : 0, NULL);
            if (f == 45)
            {
                pleat_stack_state_save(s.stack, saved);
            }
        }
        assert_true(figure(&s, "wrinkles") > 4 && figure(&s, "highest") > 0.005);
        hash_at(&s, 0.5f, 0, NULL);
        pleat_stack_state_restore(s.stack, saved);
        for (uint32_t f = 46; f < 60; ++f)
        {
            assert_true(hash_at(&s, (float)f / 30, 1 / 30.0f, NULL) == hashes[f]);
        }
        free(saved);
    }
    end(&s);
}

/* The farthest that a vertex goes between two frames; in a long run, of the whole clip. */
static float largest_change(scene *s, float fps, bool stream)
{
    uint32_t frames = 1 + (uint32_t)((support_is_long() ? 2.5f : 1.2f) * fps + 0.5f);
    s->desc.clip = stream ? NULL : &s->model->clips[0];
    s->desc.clip_fps = fps;
    s->desc.frame_count = stream ? 0 : frames;
    bind(s);
    uint32_t count = pleat_stack_get_shape(s->stack)->surface_count;
    pleat_vec4 *before = copy_at(s, 0);
    float largest = 0;
    for (uint32_t f = 1; f < frames; ++f)
    {
        const pleat_vec4 *now = at(s, (float)f / fps, 1 / fps, NULL);
        for (uint32_t v = 0; v < count; ++v)
        {
            largest = fmaxf(largest, pl_length3(pl_load(&now[v]) - pl_load(&before[v])));
        }
        memcpy(before, now, count * sizeof *before);
    }
    free(before);
    return largest;
}

/* Births, deaths, borders: nothing jumps, so that denser frames have smaller changes. */
static void test_wrinkles_change_gently(void **state)
{
    (void)state;
    for (int stream = support_is_long() ? 0 : 1; stream < 2; ++stream)
    {
        scene s;
        begin(&s, support_is_long() ? 20 : 12);
        s.options.radius = 0.016f;
        s.options.detail = 1;
        s.options.side = stream ? PLEAT_WRINKLE_BOTH : PLEAT_WRINKLE_OUTWARD;
        float slow = largest_change(&s, 30, stream), fast = largest_change(&s, 300, stream);
        print_message("%s: largest change %.2f mm at 30, %.2f mm at 300 frames a second: %.2f\n",
                      stream ? "as they come" : "a clip", (double)slow * 1e3, (double)fast * 1e3,
                      (double)(fast / slow));
        assert_true(fast <= 0.4f * slow);
        end(&s);
    }
}

/* The set that a layer made, given to another one, does the same; and is refused by a mesh that it is not of. */
static void test_wrinkles_from_given_curves(void **state)
{
    (void)state;
    scene s, t;
    begin(&s, 12);
    bind(&s);
    uint64_t traced = hash_at(&s, 1.7f, 0, NULL);
    pleat_wrinkle_surface surface = {.node = s.node};
    pleat_stack_coarse_counts(s.stack, &surface.vertex_count, &surface.triangle_count);
    surface.set = *pleat_wrinkles_layer.clip_curves(pleat_stack_layer(s.stack, 0, NULL));
    pleat_error error = {0};
    assert_int_equal(pleat_wrinkle_set_check(&surface.set, surface.triangle_count, &error), PLEAT_OK);
    pleat_wrinkle_list list = {1, &surface};
    begin(&t, 12);
    t.options.curves = &list;
    bind(&t);
    assert_true(hash_at(&t, 1.7f, 0, NULL) == traced);
    surface.triangle_count += 1;
    assert_int_equal(pleat_stack_create(&t.desc, NULL, &(pleat_stack *){0}, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "triangles"));
    surface.node += 1; /* nothing for this node: no wrinkles */
    bind(&t);
    at(&t, 2, 0, NULL);
    assert_true(figure(&t, "wrinkles") == 0);
    end(&t);
    end(&s);
}

/* A ceiling and a floor close to the cloth: wrinkles of either side stop there. */
static const pleat_vec4 *ceiling_at(void *user, float time)
{
    (void)time;
    return user;
}

static void test_wrinkles_stop_at_a_body(void **state)
{
    (void)state;
    static pleat_vec4 corners[8];
    static const uint32_t triangles[12] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6}; /* facing the cloth */
    for (uint32_t i = 0; i < 4; ++i)
    {
        float x = i == 1 || i == 2 ? 2.0f : -2.0f, z = i > 1 ? 2.0f : -2.0f;
        corners[i] = (pleat_vec4){x, 0.006f, z, 0};
        corners[4 + i] = (pleat_vec4){x, -0.006f, z, 0};
    }
    pleat_body body = {8, 4, triangles, ceiling_at, corners};
    scene s;
    begin(&s, 12);
    s.options.body = &body;
    s.options.gap = 0.001f;
    for (uint32_t side = 0; side < 3; ++side)
    {
        s.options.side = side;
        bind(&s);
        pleat_vec4 *now = copy_at(&s, 2.3f);
        float low = 0, high = 0;
        for (uint32_t v = 0; v < pleat_stack_get_shape(s.stack)->surface_count; ++v)
        {
            low = fminf(low, now[v].y);
            high = fmaxf(high, now[v].y);
        }
        assert_true(high <= 0.00501f && low >= -0.00501f);
        assert_true(side == PLEAT_WRINKLE_INWARD ? low < -0.0045f : high > 0.0045f);
        assert_true(figure(&s, "stopped") > 10);
        free(now);
    }
    end(&s);
}

static pleat_result create_once(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_stack *stack;
    pleat_result result = pleat_stack_create(user, host, &stack, error);
    pleat_stack_destroy(stack);
    return result;
}

/* A mesh for each frame: as coarse as it came without wrinkles, finer with them, the same whichever way one comes to
 * the frame. */
static void test_wrinkles_with_a_mesh_for_each_frame(void **state)
{
    (void)state;
    scene s;
    pleat_error error = {0};
    begin(&s, 8);
    bind(&s);
    assert_int_equal(pleat_stack_focus(s.stack, 0, &error), PLEAT_BAD_ARGUMENT);
    uint32_t whole = pleat_stack_get_shape(s.stack)->triangle_count, counts[3];
    free(copy_at(&s, 2.0f));
    s.desc.frame_topology = true;
    bind(&s);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s.stack);
    const float times[3] = {0, 2.0f, 1.0f};
    pleat_vec4 *first = NULL;
    for (uint32_t i = 0; i < 6; ++i)
    {
        assert_int_equal(pleat_stack_focus(s.stack, times[i % 3], &error), PLEAT_OK);
        counts[i % 3] = i < 3 ? shape->triangle_count : counts[i % 3];
        assert_int_equal(counts[i % 3], shape->triangle_count);
        pleat_vec4 *now = copy_at(&s, times[i % 3]);
        if (i == 1)
        {
            first = now;
            assert_true(figure(&s, "highest") > 0.01);
            continue;
        }
        if (i == 4)
        {
            assert_memory_equal(first, now, shape->surface_count * sizeof *now);
        }
        free(now);
    }
    assert_int_equal(counts[0], 128);
    assert_true(counts[2] > counts[0] && counts[1] > counts[2] && counts[2] < whole);
    free(first);
    end(&s);
}

static pleat_result focus_again(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_stack *stack;
    pleat_result result = pleat_stack_create(user, host, &stack, error);
    if (result == PLEAT_OK)
    {
        result = pleat_stack_focus(stack, 2 + 1 / 30.0f, error);
    }
    pleat_stack_destroy(stack);
    return result;
}

static void test_wrinkles_without_memory(void **state)
{
    (void)state;
    scene s;
    begin(&s, 4);
    s.options.radius = 0.08f;
    s.options.detail = 1;
    s.desc.frame_count = 32;
    support_sweep_allocations(create_once, &s.desc);
    s.desc.frame_topology = true;
    s.desc.clip_start = 2;
    s.desc.frame_count = 2;
    support_sweep_allocations(focus_again, &s.desc);
    s.desc.frame_topology = false;
    s.desc.clip = NULL;
    s.desc.frame_count = 0;
    support_sweep_allocations(create_once, &s.desc);
    end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkles_options),           cmocka_unit_test(test_wrinkles_leave_rest_alone),
        cmocka_unit_test(test_wrinkles_for_any_threads),   cmocka_unit_test(test_wrinkles_between_frames),
        cmocka_unit_test(test_wrinkles_as_they_come),      cmocka_unit_test(test_wrinkles_change_gently),
        cmocka_unit_test(test_wrinkles_from_given_curves), cmocka_unit_test(test_wrinkles_stop_at_a_body),
        cmocka_unit_test(test_wrinkles_without_memory),    cmocka_unit_test(test_wrinkles_with_a_mesh_for_each_frame),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_wrinkles_change_gently),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
