/* Coarse layers: where in a frame they run, what fine layers see of them beforehand, state, and the layer of a skinning
 * method. Judged by Loop's weights, by closed forms of what the layers here do, and by bakes without them. */
#include "support/folded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layers for these tests ---- */

/* A coarse layer that lifts vertices: all that the mask leaves, or one. */
typedef struct lift_options
{
    float height;    /* metres, times the mask */
    float speed;     /* metres more for each second since the shot began: that is state */
    uint32_t vertex; /* the only one; PLEAT_NONE: all */
} lift_options;

typedef struct lift_layer
{
    const pleat_cloth *cloth;
    lift_options options;
    float seconds; /* since the shot began */
} lift_layer;

static pleat_result lift_create(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                void **out, pleat_error *error)
{
    assert_null(plan);
    assert_null(cloth->coarse_triangle);
    assert_non_null(cloth->rest_normals);
    *out = host->allocator.allocate(host->allocator.user, sizeof(lift_layer));
    if (!*out)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "no memory"};
        return PLEAT_NO_MEMORY;
    }
    *(lift_layer *)*out = (lift_layer){cloth, *(const lift_options *)options, 0};
    return PLEAT_OK;
}

static pleat_allocator allocator; /* of the host at hand */

static void lift_destroy(void *layer)
{
    allocator.release(allocator.user, layer, sizeof(lift_layer));
}

static void lift_update(void *user, const pleat_layer_frame *frame)
{
    lift_layer *layer = user;
    const lift_options *o = &layer->options;
    layer->seconds = frame->step > 0 ? layer->seconds + frame->step : 0;
    for (uint32_t v = 0; v < layer->cloth->topology->vertex_count; ++v)
    {
        bool meant = o->vertex == PLEAT_NONE || o->vertex == v;
        frame->positions[v].y += meant ? layer->cloth->mask[v] * (o->height + o->speed * layer->seconds) : 0;
    }
}

static size_t lift_state_size(const void *layer)
{
    (void)layer;
    return sizeof(float);
}

static void lift_save(const void *layer, void *state)
{
    memcpy(state, &((const lift_layer *)layer)->seconds, sizeof(float));
}

static void lift_restore(void *layer, const void *state)
{
    memcpy(&((lift_layer *)layer)->seconds, state, sizeof(float));
}

static const pleat_layer_figure lift_figures[] = {{"seconds", "s", "since the shot began"}};

static void lift_measure(const void *layer, double *values)
{
    values[0] = (double)((const lift_layer *)layer)->seconds;
}

static const pleat_layer_type lift = {
    .name = "lift",
    .stage = PLEAT_STAGE_COARSE,
    .options_size = sizeof(lift_options),
    .create = lift_create,
    .destroy = lift_destroy,
    .update = lift_update,
    .state_size = lift_state_size,
    .state_save = lift_save,
    .state_restore = lift_restore,
    .figures = lift_figures,
    .figure_count = 1,
    .measure = lift_measure,
};

/* A fine layer that does nothing, and while it plans looks at frames in an order of its own. */
enum
{
    LOOKS = 8
};
static const double looks[LOOKS] = {5, 2, 2, 18, 3.5, 8, 20, 17};
static pleat_vec4 *seen[LOOKS];
static float rehearsed_lowest, rehearsed_highest;

static pleat_result watch_plan(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                               const pleat_host *host, void **plan, pleat_error *error)
{
    (void)options;
    (void)host;
    *plan = NULL;
    for (int i = 0; i < LOOKS; ++i)
    {
        seen[i] = aligned_alloc(16, coarse->topology->vertex_count * sizeof *seen[i]);
        pleat_result result = preview->look(preview->user, looks[i], seen[i], error);
        if (result != PLEAT_OK)
        {
            return result;
        }
    }
    return PLEAT_OK;
}

static pleat_result watch_create(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    static int nothing;
    (void)options;
    (void)plan;
    (void)cloth;
    (void)host;
    (void)error;
    *out = &nothing;
    return PLEAT_OK;
}

static pleat_result watch_rehearse(void *layer, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                                   const pleat_host *host, pleat_error *error)
{
    (void)layer;
    (void)host;
    pleat_vec4 *now = aligned_alloc(16, cloth->topology->vertex_count * sizeof *now);
    pleat_result result = preview->look(preview->user, 4, now, error);
    rehearsed_lowest = INFINITY;
    rehearsed_highest = -INFINITY;
    for (uint32_t v = 0; v < cloth->topology->vertex_count && result == PLEAT_OK; ++v)
    {
        rehearsed_lowest = fminf(rehearsed_lowest, now[v].y);
        rehearsed_highest = fmaxf(rehearsed_highest, now[v].y);
    }
    free(now);
    return result;
}

static void watch_destroy(void *layer)
{
    (void)layer;
}

static void watch_update(void *layer, const pleat_layer_frame *frame)
{
    (void)layer;
    (void)frame;
}

static const pleat_layer_type watch = {
    .name = "watch",
    .plan = watch_plan,
    .create = watch_create,
    .rehearse = watch_rehearse,
    .destroy = watch_destroy,
    .no_normals = true,
    .update = watch_update,
};

/* ---- Bakes ---- */

static pleat_bake *make_bake(const pleat_bake_desc *desc)
{
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    allocator = pleat_host_default().allocator;
    if (pleat_bake_create(desc, NULL, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

static pleat_bake_desc desc_of(const support_actor *a, const pleat_layer_desc *layers, uint32_t count)
{
    pleat_bake_desc desc = pleat_bake_desc_default(a->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 10;
    desc.layer_count = count;
    desc.layers = layers;
    return desc;
}

static const pleat_vec4 *frame_of(pleat_bake *bake, uint32_t frame)
{
    assert_int_equal(pleat_bake_frame(bake, frame, NULL), PLEAT_OK);
    return pleat_stack_positions(pleat_bake_stack(bake, 0));
}

static uint32_t count_of(const pleat_bake *bake)
{
    return pleat_stack_get_shape(pleat_bake_stack(bake, 0))->surface_count;
}

/* A vertex with six triangles around it, away from borders; and the sum of Loop's weights that it has in the vertices
 * of one subdivision: itself and its neighbours 1 together, six edges of it 3/8 each, six opposite ones 1/8 each. */
static uint32_t regular_vertex(const pleat_stack_shape *shape)
{
    uint32_t *around = calloc(shape->surface_count, sizeof *around), found = PLEAT_NONE;
    for (uint32_t c = 0; c < 3 * shape->triangle_count; ++c)
    {
        ++around[shape->surface_triangles[c]];
    }
    for (uint32_t t = shape->triangle_count / 2; t < shape->triangle_count && found == PLEAT_NONE; ++t)
    {
        const uint32_t *corner = shape->surface_triangles + 3 * (size_t)t;
        bool inside = around[corner[0]] == 6 && around[corner[1]] == 6 && around[corner[2]] == 6;
        found = inside ? corner[0] : found;
    }
    free(around);
    assert_int_not_equal(found, PLEAT_NONE);
    return found;
}

static void test_coarse_layers_run_before_refinement(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    lift_options options = {.height = 0.25f, .vertex = PLEAT_NONE};
    pleat_layer_desc layer = {&lift, &options};
    pleat_bake_desc desc = desc_of(&arm, &layer, 1);
    pleat_bake *coarse = make_bake(&desc);
    options.vertex = regular_vertex(pleat_stack_get_shape(pleat_bake_stack(coarse, 0)));
    pleat_bake_destroy(coarse);
    desc.level = 1;
    pleat_bake *lifted = make_bake(&desc);
    desc.layer_count = 0;
    desc.garment = NULL;
    pleat_bake *plain = make_bake(&desc);
    assert_int_equal(count_of(lifted), count_of(plain));
    const pleat_vec4 *with = frame_of(lifted, 6), *without = frame_of(plain, 6);
    double sum = 0, most = 0;
    for (uint32_t v = 0; v < count_of(plain); ++v)
    {
        double lift_here = (double)(with[v].y - without[v].y) / 0.25;
        sum += lift_here;
        most = fmax(most, lift_here);
    }
    assert_true(fabs(sum - 4) < 1e-4);      /* 1 + 6 * 3/8 + 6 * 1/8 */
    assert_true(fabs(most - 0.625) < 1e-5); /* of the vertex itself: 1 - 6 * 1/16 */
    pleat_bake_destroy(lifted);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

/* Frames out of order, between frames, and twice: all as the bake gives them, although the layer keeps state. */
static void test_coarse_layers_are_seen_by_plans_and_rehearsals(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    lift_options options = {.height = 0.25f, .speed = 0.5f, .vertex = PLEAT_NONE};
    pleat_layer_desc layers[] = {{&watch, NULL}, {&lift, &options}};
    pleat_bake_desc desc = desc_of(&arm, layers, 2);
    pleat_bake *bake = make_bake(&desc);
    desc.layer_count = 0;
    pleat_bake *plain = make_bake(&desc);
    for (int i = 0; i < LOOKS; ++i)
    {
        if (looks[i] == floor(looks[i]))
        {
            const pleat_vec4 *before = frame_of(plain, (uint32_t)looks[i]);
            float lifted = 0.25f + 0.5f * (float)looks[i] / 10;
            for (uint32_t v = 0; v < count_of(plain); ++v)
            {
                assert_true(fabsf(seen[i][v].y - before[v].y - lifted) < 1e-5f);
                assert_true(fabsf(seen[i][v].x - before[v].x) < 1e-5f);
            }
        }
    }
    assert_memory_equal(seen[1], seen[2], count_of(plain) * sizeof **seen);
    /* Between frames 3 and 4 it is half a step later than frame 3: one vertex of the fixed end moves by the lift. */
    const pleat_vec4 *third = frame_of(plain, 3);
    float least = INFINITY;
    for (uint32_t v = 0; v < count_of(plain); ++v)
    {
        least = fminf(least, fabsf(seen[4][v].y - third[v].y - (0.25f + 0.5f * 0.35f)));
    }
    assert_true(least < 1e-5f);
    const pleat_vec4 *fourth = frame_of(plain, 4);
    float lowest = INFINITY, highest = -INFINITY;
    for (uint32_t v = 0; v < count_of(plain); ++v)
    {
        lowest = fminf(lowest, fourth[v].y);
        highest = fmaxf(highest, fourth[v].y);
    }
    assert_true(fabsf(rehearsed_lowest - lowest - 0.45f) < 1e-5f);
    assert_true(fabsf(rehearsed_highest - highest - 0.45f) < 1e-5f);
    /* What was looked at has left no trace: the bake begins at 0 seconds. */
    const char *name;
    double seconds;
    frame_of(bake, 0);
    assert_true(pleat_stack_figure(pleat_bake_stack(bake, 0), 1, 0, &name, &seconds));
    assert_string_equal(name, "seconds");
    assert_true(seconds == 0);
    for (int i = 0; i < LOOKS; ++i)
    {
        free(seen[i]);
    }
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
    support_actor_drop(&arm);
}

static void test_coarse_layers_keep_state_and_are_replayed(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    lift_options options = {.speed = 0.5f, .vertex = PLEAT_NONE};
    pleat_layer_desc layer = {&lift, &options};
    pleat_bake_desc desc = desc_of(&arm, &layer, 1);
    desc.level = 1;
    pleat_bake *bake = make_bake(&desc);
    size_t size = pleat_bake_state_size(bake), bytes = count_of(bake) * sizeof(pleat_vec4);
    assert_true(size >= sizeof(float));
    void *kept = malloc(size);
    pleat_vec4 *first = aligned_alloc(16, bytes);
    frame_of(bake, 0);
    frame_of(bake, 1);
    pleat_bake_state_save(bake, kept);
    memcpy(first, frame_of(bake, 2), bytes);
    frame_of(bake, 7); /* a jump: state begins anew */
    pleat_bake_state_restore(bake, kept, 1);
    assert_memory_equal(frame_of(bake, 2), first, bytes);
    frame_of(bake, 5);
    assert_int_equal(pleat_bake_replay(bake, 2, first, NULL), PLEAT_OK);
    assert_memory_equal(pleat_stack_positions(pleat_bake_stack(bake, 0)), first, bytes);
    free(kept);
    free(first);
    pleat_bake_destroy(bake);
    support_actor_drop(&arm);
}

/* One that does nothing changes not a bit of what folds do. */
static void test_coarse_layers_that_do_nothing_change_nothing(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    lift_options options = {.vertex = PLEAT_NONE};
    pleat_folds_options folds = pleat_folds_options_default();
    folds.detail = 2;
    pleat_layer_desc layers[] = {{&pleat_folds_layer, &folds}, {&lift, &options}};
    pleat_bake_desc desc = desc_of(&arm, layers, 2);
    pleat_bake *both = make_bake(&desc);
    desc.layer_count = 1;
    pleat_bake *alone = make_bake(&desc);
    assert_int_equal(count_of(both), count_of(alone));
    for (uint32_t f = 0; f < pleat_bake_get_shape(alone)->frame_count; f += 3)
    {
        assert_memory_equal(frame_of(both, f), frame_of(alone, f), count_of(alone) * sizeof(pleat_vec4));
    }
    pleat_bake_destroy(both);
    pleat_bake_destroy(alone);
    support_actor_drop(&arm);
}

/* The layer of a skinning method acts everywhere, whatever is a garment and however it is masked. */
static void test_coarse_layer_of_a_skinning_method(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(16, 30);
    lift_options options = {.height = 0.25f, .vertex = PLEAT_NONE};
    pleat_bake_desc desc = desc_of(&arm, NULL, 0);
    pleat_bake *plain = make_bake(&desc);
    const bool no_garment[8] = {false};
    desc.skin_layer = (pleat_layer_desc){&lift, &options};
    desc.garment = no_garment;
    pleat_bake *lifted = make_bake(&desc);
    const pleat_layer_type *type = NULL;
    assert_non_null(pleat_stack_layer(pleat_bake_stack(lifted, 0), 0, &type));
    assert_ptr_equal(type, &lift);
    const pleat_vec4 *with = frame_of(lifted, 6), *without = frame_of(plain, 6);
    for (uint32_t v = 0; v < count_of(plain); ++v)
    {
        assert_true(fabsf(with[v].y - without[v].y - 0.25f) < 1e-6f);
    }
    pleat_bake_destroy(lifted);
    pleat_bake_destroy(plain);
    pleat_error error = {0};
    pleat_folds_options folds = pleat_folds_options_default();
    desc.skin_layer = (pleat_layer_desc){&pleat_folds_layer, &folds};
    assert_int_equal(pleat_bake_create(&desc, NULL, &plain, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "no coarse layer"));
    support_actor_drop(&arm);
}

static pleat_result create_all(void *user, const pleat_host *host, pleat_error *error)
{
    const pleat_bake_desc *desc = user;
    pleat_bake *bake;
    allocator = host->allocator;
    pleat_result result = pleat_bake_create(desc, host, &bake, error);
    pleat_bake_destroy(bake);
    return result;
}

static void test_coarse_layers_survive_every_failed_allocation(void **state)
{
    (void)state;
    support_actor arm = support_actor_arm(6, 4);
    lift_options options = {.speed = 1, .vertex = PLEAT_NONE};
    pleat_layer_desc layers[] = {{&lift, &options}, {&lift, &options}};
    pleat_bake_desc desc = desc_of(&arm, layers, 2);
    desc.skin_layer = layers[0];
    support_sweep_allocations(create_all, &desc);
    support_actor_drop(&arm);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_layers_run_before_refinement),
        cmocka_unit_test(test_coarse_layers_are_seen_by_plans_and_rehearsals),
        cmocka_unit_test(test_coarse_layers_keep_state_and_are_replayed),
        cmocka_unit_test(test_coarse_layers_that_do_nothing_change_nothing),
        cmocka_unit_test(test_coarse_layer_of_a_skinning_method),
        cmocka_unit_test(test_coarse_layers_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("coarse layers", tests, NULL, NULL);
}
