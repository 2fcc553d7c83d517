/* The creases layer, judged by hinges computed from the clips themselves, by radii found by bisection, and by what must
 * not change. */
#include "support/bent_tube.h"

#include "layers/creases/creases.h"
#include "pleat/io/asset.h"
#include "pleat/layers/implicit.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 0.01745329252

/* ---- A stack with the layer, on any model ---- */

typedef struct rig
{
    pleat_stack *stack;
    pleat_pose *pose;
    const pleat_clip *clip;
    const pleat_stack_shape *shape;
} rig;

static pleat_result create_stack(const pleat_model *model, uint32_t node, const pleat_clip *clip, uint32_t frame_count,
                                 const pleat_creases_options *options, const pleat_host *host, pleat_stack **stack,
                                 pleat_error *error)
{
    static pleat_implicit_options implicit;
    implicit = pleat_implicit_options_default();
    pleat_layer_desc layer = {&pleat_creases_layer, options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    desc.node = node;
    desc.skinning = PLEAT_DQS;
    desc.skin_layer = (pleat_layer_desc){&pleat_implicit_layer, &implicit};
    desc.layer_count = options ? 1 : 0;
    desc.layers = &layer;
    desc.clip = clip;
    desc.clip_start = clip ? clip->start : 0;
    desc.clip_fps = clip && clip->end > clip->start ? (float)(frame_count - 1) / (clip->end - clip->start) : 30;
    desc.frame_count = frame_count;
    return pleat_stack_create(&desc, host, stack, error);
}

static rig make_rig(const pleat_model *model, uint32_t node, const pleat_clip *clip,
                    const pleat_creases_options *options)
{
    rig r = {.clip = clip};
    pleat_error error = {0};
    if (create_stack(model, node, clip, 31, options, NULL, &r.stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    assert_int_equal(pleat_pose_create(model, NULL, &r.pose, NULL), PLEAT_OK);
    r.shape = pleat_stack_get_shape(r.stack);
    return r;
}

static const pleat_vec4 *at(rig *r, float time, const pleat_tasks *tasks)
{
    pleat_pose_sample(r->pose, r->clip, time);
    pleat_stack_input input = {.pose = r->pose, .time = time, .tasks = tasks};
    pleat_stack_update(r->stack, &input);
    return pleat_stack_positions(r->stack);
}

static void free_rig(rig *r)
{
    pleat_pose_destroy(r->pose);
    pleat_stack_destroy(r->stack);
}

static double figure(const rig *r, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(r->stack, 1, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    fail_msg("no figure %s", wanted);
    return 0;
}

/* ---- Where curves lie ---- */

/* A plan without a stack, so that its curves can be looked at: on the cloth of a coarse layer that only asks for one.
 */
typedef struct spy_options
{
    const pleat_creases_options *creases;
    pl_crease_plan **plan;
} spy_options;

static pleat_result spy_plan(const void *user, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                             const pleat_host *host, void **plan, pleat_error *error)
{
    const spy_options *options = user;
    *plan = NULL;
    return pl_crease_plan_make(options->creases, coarse, preview, host, (void **)options->plan, error);
}

static pleat_result spy_create(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                               void **layer, pleat_error *error)
{
    (void)options;
    (void)plan;
    (void)cloth;
    (void)host;
    (void)error;
    *layer = NULL;
    return PLEAT_OK;
}

static void spy_destroy(void *layer)
{
    (void)layer;
}

static void spy_update(void *layer, const pleat_layer_frame *frame)
{
    (void)layer;
    (void)frame;
}

static void spy_defaults(void *options)
{
    memset(options, 0, sizeof(spy_options));
}

static const pleat_layer_type spy = {.name = "spy",
                                     .options_size = sizeof(spy_options),
                                     .defaults = spy_defaults,
                                     .plan = spy_plan,
                                     .create = spy_create,
                                     .destroy = spy_destroy,
                                     .no_normals = true,
                                     .update = spy_update};

/* The plan lives on after its stack, whose rest shape it only points to; curves hold their own places. */
static pl_crease_plan *plan_of(const pleat_model *model, uint32_t node, const pleat_clip *clip,
                               const pleat_creases_options *creases)
{
    pl_crease_plan *plan = NULL;
    spy_options options = {creases, &plan};
    pleat_layer_desc layer = {&spy, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    desc.node = node;
    desc.skinning = PLEAT_DQS;
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.clip = clip;
    desc.clip_start = clip->start;
    desc.frame_count = 31;
    desc.clip_fps = 30 / (clip->end - clip->start);
    pleat_stack *stack;
    pleat_error error = {0};
    if (pleat_stack_create(&desc, NULL, &stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    pleat_stack_destroy(stack);
    assert_non_null(plan);
    return plan;
}

/* The axis that a joint turns about against another over a clip, in the axes of bind space: the largest of 31 frames.
 */
static pl_f4 judge_axis(const pleat_model *model, uint32_t skin, const pleat_clip *clip, uint32_t a, uint32_t b)
{
    pleat_pose *pose;
    pleat_affine *joints = malloc(model->skins[skin].joint_count * sizeof *joints);
    pl_f4 best = pl_splat(0);
    float most = 0;
    assert_int_equal(pleat_pose_create(model, NULL, &pose, NULL), PLEAT_OK);
    for (int i = 0; i <= 30; ++i)
    {
        pleat_pose_sample(pose, clip, clip->start + (clip->end - clip->start) * (float)i / 30);
        pleat_pose_joints(pose, skin, joints);
        /* The skew part of a transposed times b, which points along the axis by the sine of the angle. */
        double m[3][3];
        for (int r = 0; r < 3; ++r)
        {
            for (int c = 0; c < 3; ++c)
            {
                m[r][c] = 0;
                for (int k = 0; k < 3; ++k)
                {
                    m[r][c] += (double)joints[a].row[k][r] * (double)joints[b].row[k][c];
                }
            }
        }
        pl_f4 axis = pl_set((float)(m[2][1] - m[1][2]), (float)(m[0][2] - m[2][0]), (float)(m[1][0] - m[0][1]), 0);
        if (pl_length3(axis) > most)
        {
            most = pl_length3(axis);
            best = pl_normalize3(axis);
        }
    }
    pleat_pose_destroy(pose);
    free(joints);
    return best;
}

/* Counts creases, and those of them that run within 10 degrees of their hinge, seen onto the inner side of the limb:
 * how far round it a curve goes on either side of its seed does not count. */
static void judge_directions(const pleat_model *model, uint32_t node, const pleat_clip *clip, uint32_t *count,
                             uint32_t *good)
{
    pleat_creases_options options = pleat_creases_options_default();
    pl_crease_plan *plan = plan_of(model, node, clip, &options);
    *count = plan->crease_count;
    *good = 0;
    for (uint32_t c = 0; c < plan->crease_count; ++c)
    {
        const pl_crease *crease = &plan->creases[c];
        const pl_implicit_bend *bend = &plan->bound.skeleton.bends[crease->bend];
        pleat_affine to_rest;
        assert_true(pl_affine_inverse(&plan->bound.from_rest, &to_rest));
        pl_f4 hinge = judge_axis(model, model->nodes[node].skin, clip, bend->a, bend->b);
        hinge = pl_normalize3(pl_affine_vector(&to_rest, hinge));
        pl_f4 chord = plan->points[crease->first + crease->count - 1].rest - plan->points[crease->first].rest;
        pl_f4 along = pl_normalize3(bend->along - hinge * pl_splat(pl_dot3(bend->along, hinge)));
        *good += fabsf(pl_dot3(chord, along)) < tanf(10 * (float)DEGREE) * fabsf(pl_dot3(chord, hinge));
    }
    pl_crease_plan_destroy(plan);
}

static uint32_t skinned_node(const pleat_model *model)
{
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh != PLEAT_NONE && model->nodes[n].skin != PLEAT_NONE)
        {
            return n;
        }
    }
    fail_msg("no skin");
    return 0;
}

static void expect_directions(const pleat_model *model, const pleat_clip *clip, uint32_t least)
{
    uint32_t count, good;
    judge_directions(model, skinned_node(model), clip, &count, &good);
    print_message("%u of %u creases run along their hinge\n", good, count);
    assert_true(count >= least);
    assert_true(10 * good >= 9 * count);
}

static void test_creases_run_along_the_hinge(void **state)
{
    (void)state;
    pleat_made *hand;
    assert_int_equal(pleat_make("hand", NULL, NULL, &hand, NULL), PLEAT_OK);
    expect_directions(pleat_made_model(hand), &pleat_made_model(hand)->clips[0], 30);
    pleat_made_destroy(hand);
    bent_tube tube;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 40;
    desc.along = 60;
    bent_tube_make(&desc, &tube);
    tube.clip.end = 120;
    expect_directions(&tube.model, &tube.clip, 4);
    bent_tube_free(&tube);
}

static void test_creases_run_along_the_hinge_of_strangers(void **state)
{
    (void)state;
    static const char *const names[] = {"webxr_hand/webxr_hand_left_curl.glb", "mh_arm/mh_arm_body.glb"};
    for (int i = 0; i < 2; ++i)
    {
        SUPPORT_NEED(path, names[i]);
        pleat_asset *asset;
        assert_int_equal(pleat_asset_load(path, NULL, NULL, &asset, NULL), PLEAT_OK);
        const pleat_model *model = pleat_asset_model(asset);
        expect_directions(model, &model->clips[0], 4);
        pleat_asset_destroy(asset);
    }
}

/* ---- Shape ---- */

/* A long line of segments has the radius that was asked for, at any size, and the field of its closed form. */
static void test_creases_have_the_radius_asked_for(void **state)
{
    (void)state;
    static const float radii[] = {0.0003f, 0.001f, 0.02f, 3};
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; ++k)
    {
        float radius = radii[k], low = 0, high = 2 * radius;
        for (int i = 0; i < 30; ++i)
        {
            float middle = 0.5f * (low + high), sum = 0, slope;
            double judge = 0;
            pl_f4 up = pl_set(0, 1, 0, 0), point = pl_set(0.1f * radius, middle, 0, 0);
            double sharpness = (double)(PL_CREASE_SHARPNESS * PL_CREASE_UNIT / radius);
            double weight = (double)PL_CREASE_ISO /
                            pl_convolution_line(sharpness, (double)(PL_CREASE_REACH * radius), (double)radius);
            for (int s = -20; s < 20; ++s)
            {
                pl_f4 from = pl_set(radius * 0.6f * (float)s, 0, 0, 0);
                pl_f4 to = pl_set(radius * 0.6f * (float)(s + 1), 0, 0, 0);
                pl_crease_segment g = pl_crease_segment_of(from, to, radius, radius);
                sum += pl_crease_segment_field(&g, point, up, &slope);
                pl_convolution_segment closed = {.from = from,
                                                 .to = to,
                                                 .weight = {(float)weight, (float)weight},
                                                 .sharpness = (float)sharpness,
                                                 .reach = PL_CREASE_REACH * radius};
                judge += pl_convolution_field(&closed, point, NULL);
            }
            assert_true(fabs((double)sum - judge) < 1e-3 * (judge + 0.1));
            *(sum > PL_CREASE_ISO ? &low : &high) = middle;
        }
        assert_true(fabsf(low / radius - 1) < 0.01f);
    }
}

/* ---- Frames ---- */

typedef struct tube_rig
{
    bent_tube tube;
    rig r, plain;
} tube_rig;

/* Its plain twin has the same refinement: the layer at no strength. */
static void make_tube_rig(tube_rig *t, pleat_creases_options options)
{
    bent_tube_desc desc = bent_tube_default();
    desc.around = 40;
    desc.along = 60;
    bent_tube_make(&desc, &t->tube);
    t->tube.clip.end = 120;
    options.detail = 2;
    t->r = make_rig(&t->tube.model, 0, &t->tube.clip, &options);
    options.displace = 0;
    t->plain = make_rig(&t->tube.model, 0, &t->tube.clip, &options);
    assert_int_equal(t->r.shape->surface_count, t->plain.shape->surface_count);
}

static void free_tube_rig(tube_rig *t)
{
    free_rig(&t->plain);
    free_rig(&t->r);
    bent_tube_free(&t->tube);
}

static double farthest(const tube_rig *t, const pleat_vec4 *p, const pleat_vec4 *q)
{
    double most = 0;
    for (uint32_t v = 0; v < t->r.shape->surface_count; ++v)
    {
        double x = (double)(p[v].x - q[v].x), y = (double)(p[v].y - q[v].y), z = (double)(p[v].z - q[v].z);
        assert_true(isfinite(x) && isfinite(y) && isfinite(z));
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static void test_creases_at_rest_move_nothing(void **state)
{
    (void)state;
    tube_rig t;
    make_tube_rig(&t, pleat_creases_options_default());
    const pleat_vec4 *p = at(&t.r, 0, NULL);
    assert_memory_equal(p, at(&t.plain, 0, NULL), t.r.shape->surface_count * sizeof *p);
    assert_true(figure(&t.r, "creases") > 3);
    free_tube_rig(&t);
}

static void test_creases_come_out_by_what_displace_says(void **state)
{
    (void)state;
    tube_rig t;
    pleat_creases_options options = pleat_creases_options_default();
    options.radius = 0.006f;
    options.displace = 0.5f;
    make_tube_rig(&t, options);
    double highest = 0;
    for (int degrees = 0; degrees <= 120; degrees += 10)
    {
        highest = fmax(highest, farthest(&t, at(&t.r, (float)degrees, NULL), at(&t.plain, (float)degrees, NULL)));
        assert_true(figure(&t.r, "highest") < 0.5 * 0.006 * 1.5);
    }
    assert_true(highest > 0.5 * 0.006 * 0.6); /* deep bends take some back, for contact */
    free_tube_rig(&t);
}

/* No state, any threads, and a held pose holds every vertex. */
static void test_creases_depend_on_the_pose_alone(void **state)
{
    (void)state;
    tube_rig t;
    make_tube_rig(&t, pleat_creases_options_default());
    size_t size = t.r.shape->surface_count * sizeof(pleat_vec4);
    pleat_vec4 *first = malloc(size);
    memcpy(first, at(&t.r, 80, NULL), size);
    assert_memory_equal(at(&t.r, 80, NULL), first, size);
    at(&t.r, 120, NULL);
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    assert_memory_equal(at(&t.r, 80, &tasks), first, size);
    assert_int_equal(pleat_stack_state_size(t.r.stack), 0);
    pleat_pool_destroy(pool);
    free(first);
    free_tube_rig(&t);
}

/* What creases add between two frames shrinks with the step: the largest of steps of half a degree, and of 5 degrees.
 */
static void test_creases_come_without_jumps(void **state)
{
    (void)state;
    tube_rig t;
    make_tube_rig(&t, pleat_creases_options_default());
    uint32_t count = t.r.shape->surface_count;
    pleat_vec4 *last[2] = {calloc(count, sizeof **last), calloc(count, sizeof **last)};
    pleat_vec4 *now = calloc(count, sizeof *now);
    double largest[2] = {0, 0};
    for (int i = 0; i <= 240; ++i)
    {
        const pleat_vec4 *p = at(&t.r, 0.5f * (float)i, NULL), *q = at(&t.plain, 0.5f * (float)i, NULL);
        for (uint32_t v = 0; v < count; ++v)
        {
            now[v] = (pleat_vec4){p[v].x - q[v].x, p[v].y - q[v].y, p[v].z - q[v].z, 0};
        }
        for (int k = 0; k < 2; ++k)
        {
            if (k == 1 || i % 10 == 0)
            {
                largest[k] = fmax(largest[k], farthest(&t, last[k], now));
                memcpy(last[k], now, count * sizeof *now);
            }
        }
    }
    print_message("largest step of 5 degrees %g m, of half a degree %g m\n", largest[0], largest[1]);
    assert_true(largest[1] < 0.2 * largest[0]);
    free(now);
    free(last[1]);
    free(last[0]);
    free_tube_rig(&t);
}

/* The other field, edges and the fast preview: finite, and something to see. */
static void test_creases_have_other_ways(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way)
    {
        tube_rig t;
        pleat_creases_options options = pleat_creases_options_default();
        options.field = way == 1 || way == 2 ? PLEAT_CREASE_ANGLE : PLEAT_CREASE_HINGE;
        options.topology_bias = way == 2;
        options.preview = way == 3;
        memcpy(options.ramp, "0,0 0.5,0.1 1,1", 16);
        make_tube_rig(&t, options);
        double most = farthest(&t, at(&t.r, 110, NULL), at(&t.plain, 110, NULL));
        assert_true(most > 0 || figure(&t.r, "creases") < 0.5);
        free_tube_rig(&t);
    }
}

/* ---- Bad input ---- */

static void test_creases_refuse_what_is_out_of_range(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 12;
    desc.along = 20;
    bent_tube_make(&desc, &tube);
    for (uint32_t i = 0; i < pleat_creases_layer.parameter_count + 2; ++i)
    {
        pleat_creases_options options = pleat_creases_options_default();
        bool is_number = false;
        if (i < pleat_creases_layer.parameter_count)
        {
            const pleat_parameter *p = &pleat_creases_layer.parameters[i];
            is_number = p->kind == PLEAT_VALUE_LENGTH || p->kind == PLEAT_VALUE_ANGLE ||
                        p->kind == PLEAT_VALUE_NUMBER || p->kind == PLEAT_VALUE_SHARE;
            if (is_number)
            {
                *(float *)((char *)&options + p->offset) = i % 2 ? NAN : -1;
            }
        }
        else
        {
            static const char *const ramps[] = {"0,0 0.5,0.7 1,0.5", "0.1,0 1,1"};
            memcpy(options.ramp, ramps[i % 2], strlen(ramps[i % 2]) + 1);
        }
        pleat_stack *stack;
        pleat_error error = {0};
        bool bad = is_number || i >= pleat_creases_layer.parameter_count;
        assert_int_equal(create_stack(&tube.model, 0, &tube.clip, 5, &options, NULL, &stack, &error),
                         bad ? PLEAT_BAD_ARGUMENT : PLEAT_OK);
        assert_true(!bad || strstr(error.message, "creases: "));
        pleat_stack_destroy(stack);
    }
    bent_tube_free(&tube);
}

/* Without a clip nothing says how a straight joint turns. */
static void test_creases_without_a_clip_are_none_on_straight_limbs(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 24;
    desc.along = 40;
    pleat_creases_options options = pleat_creases_options_default();
    for (int bent = 0; bent < 2; ++bent)
    {
        desc.rest = bent ? 0.5 : 0;
        bent_tube_make(&desc, &tube);
        pleat_stack *stack;
        assert_int_equal(create_stack(&tube.model, 0, NULL, 0, &options, NULL, &stack, NULL), PLEAT_OK);
        rig r = {.stack = stack};
        assert_int_equal(pleat_pose_create(&tube.model, NULL, &r.pose, NULL), PLEAT_OK);
        r.clip = &tube.clip;
        at(&r, 60, NULL);
        assert_true(bent ? figure(&r, "creases") > 0.5 : figure(&r, "creases") < 0.5);
        free_rig(&r);
        bent_tube_free(&tube);
    }
}

static pleat_result create_and_destroy(void *user, const pleat_host *host, pleat_error *error)
{
    const bent_tube *tube = user;
    pleat_creases_options options = pleat_creases_options_default();
    options.detail = 1;
    options.radius = 0.01f;
    pleat_stack *stack;
    pleat_result result = create_stack(&tube->model, 0, &tube->clip, 3, &options, host, &stack, error);
    assert_true((result == PLEAT_OK) == (stack != NULL));
    pleat_stack_destroy(stack);
    return result;
}

static void test_creases_survive_failing_allocations(void **state)
{
    (void)state;
    bent_tube tube;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 10;
    desc.along = 16;
    bent_tube_make(&desc, &tube);
    tube.clip.end = 120;
    support_sweep_allocations(create_and_destroy, &tube);
    bent_tube_free(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creases_run_along_the_hinge),
        cmocka_unit_test(test_creases_run_along_the_hinge_of_strangers),
        cmocka_unit_test(test_creases_have_the_radius_asked_for),
        cmocka_unit_test(test_creases_at_rest_move_nothing),
        cmocka_unit_test(test_creases_come_out_by_what_displace_says),
        cmocka_unit_test(test_creases_depend_on_the_pose_alone),
        cmocka_unit_test(test_creases_come_without_jumps),
        cmocka_unit_test(test_creases_have_other_ways),
        cmocka_unit_test(test_creases_refuse_what_is_out_of_range),
        cmocka_unit_test(test_creases_without_a_clip_are_none_on_straight_limbs),
        cmocka_unit_test(test_creases_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
