/* The volume layer: options, volumes, what stays as it is, machines. Judged by the integrator in support/volume_rig.h.
 */
#include "pleat/look.h"
#include "support/volume_rig.h"

#include "layers/volume/volume.h"
#include "base/wide.h"
#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

static void test_volume_defaults_are_valid(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r = volume_rig_named("arm", "sleeve", 0, &options);
    uint32_t count = pleat_volume_layer.parameter_count;
    const pleat_parameter *table = pleat_volume_layer.parameters;
    pleat_look_section section = {"volume", table, count, &options, NULL};
    pleat_look look = {1, &section};
    pleat_volume_options before = options;
    for (uint32_t i = 0; i < count; ++i)
    {
        char text[PLEAT_TEXT_LIMIT], assignment[PLEAT_TEXT_LIMIT + 64];
        pleat_look_get_text(&section, i, text, sizeof text);
        snprintf(assignment, sizeof assignment, "volume.%s=%s", table[i].name, text);
        assert_int_equal(pleat_look_set(&look, assignment, NULL), PLEAT_OK);
    }
    assert_memory_equal(&options, &before, sizeof before);
    volume_rig_free(&r);
}

static void refuse(const pleat_model *model, const pleat_volume_options *options, const char *said)
{
    pleat_layer_desc layer = {&pleat_volume_layer, options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_stack *stack = NULL;
    pleat_error error = {0};
    desc.model = model;
    desc.node = volume_node(model, "sleeve");
    desc.layer_count = 1;
    desc.layers = &layer;
    assert_int_equal(pleat_stack_create(&desc, NULL, &stack, &error), PLEAT_BAD_ARGUMENT);
    assert_null(stack);
    if (!strstr(error.message, said))
    {
        fail_msg("'%s' does not say '%s'", error.message, said);
    }
}

static void test_volume_refuses_what_is_wrong(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("arm", NULL, NULL, &made, NULL), PLEAT_OK);
    const pleat_model *model = pleat_made_model(made);
    static const pleat_volume_key keys[] = {{1, 0}, {1, 0.1f}};
    pleat_volume_bone bone = {NULL, pleat_volume_shape_default()};
#define REFUSE(change, said)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        pleat_volume_options o = pleat_volume_options_default();                                                       \
        change;                                                                                                        \
        refuse(model, &o, said);                                                                                       \
    } while (0)
    REFUSE(o.strength = NAN, "strength is nan");
    REFUSE(o.strength = 1.5f, "strength is 1.5; it can be 0 to 1");
    REFUSE(o.shape.mu[1] = -0.1f, "mu is -0.1");
    REFUSE(o.shape.mu[0] = o.shape.mu[1] = o.shape.mu[2] = 0, "must be above 0");
    REFUSE(o.shape.profile[2] = 5, "profile is 5");
    REFUSE(o.shape.width = 0, "width is 0");
    REFUSE(o.shape.fold_count = 0, "fold_count is 0");
    REFUSE(o.shape.turn = 7, "turn is 7");
    REFUSE(strcpy(o.shape.curve[1], "0,0 1,-1"), "curve: profile point 1 is (1, -1)");
    REFUSE(strcpy(o.target, "0,0 1"), "target: key 1 does not stand as seconds,extra");
    REFUSE(strcpy(o.target, "1,0 0,0.1"), "keys[1].time is 0");
    REFUSE(o.shape.around = 3, "around 3");
    REFUSE(memset(o.target, 48, sizeof o.target), "target is a text that ends with 0");
    REFUSE(o.inflate = -1, "inflate is -1");
    REFUSE(o.breath = 2, "breath is 2");
    REFUSE(o.breath_period = 0, "breath_period is 0");
    REFUSE(o.limit = 0, "limit is 0");
    REFUSE((o.keys = keys, o.key_count = 2), "keys[1].time is 1");
    REFUSE((o.bones = &bone, o.bone_count = 1), "bones[0].joints is NULL");
    bone.joints = "*";
    bone.shape.width = NAN;
    REFUSE((o.bones = &bone, o.bone_count = 1), "bones' width is nan");
    pleat_made_destroy(made);
}

/* ---- Volumes ---- */

static void test_volume_judge_knows_a_prism(void **state)
{
    (void)state;
    /* An arm of four sides: a square of half diagonal 5 cm, 60 cm long. */
    pleat_make_options make = pleat_make_options_default();
    make.arm_around = 4;
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("arm", &make, NULL, &made, NULL), PLEAT_OK);
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r =
        volume_rig_of(pleat_made_model(made), volume_node(pleat_made_model(made), "sleeve"), 0, &options, NULL, NULL);
    r.made = made;
    assert_true(fabs(fabs(r.rest[r.piece[0]]) - 2 * 0.05 * 0.05 * 0.6) < 1e-9);
    assert_true(volume_worst_error(&r, volume_update(&r, 2), 1, 1e-9) < 1e-6);
    volume_rig_free(&r);
}

static void keep_volume(const char *character, const char *mesh, uint32_t clip, uint32_t step, double lost)
{
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r = volume_rig_named(character, mesh, clip, &options);
    double most_lost = 0;
    uint32_t frames = pleat_clip_frame_count(r.clip, 30);
    for (uint32_t f = 0; f < frames; f += step)
    {
        const pleat_vec4 *positions = volume_update(&r, r.clip->start + (float)f / 30);
        double error = volume_worst_error(&r, positions, 1, 1e-9);
        assert_true(error <= 1e-6);
        assert_true(volume_figure(&r, "error") <= 1e-6 && fabs(volume_figure(&r, "error") - error) < 1e-7);
        assert_true(volume_figure(&r, "limited") == 0);
        most_lost = fmax(most_lost, volume_figure(&r, "lost"));
    }
    assert_true(most_lost > lost); /* or there was nothing to do */
    volume_rig_free(&r);
}

static void test_volume_is_exact_on_every_frame(void **state)
{
    (void)state;
    keep_volume("arm", "sleeve", 0, 1, 0.05);
    keep_volume("arm", "sleeve", 1, 1, 0.08);
    keep_volume("hand", "hand", 0, 5, 0.02);
    keep_volume("belly", "belly", 0, 4, 0.08);
}

static void test_volume_is_exact_for_dual_quaternions_and_refined_meshes(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r = volume_rig_named("arm", "sleeve", 0, NULL);
    pleat_layer_desc layer = {&pleat_volume_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = r.model;
    desc.node = volume_node(r.model, "sleeve");
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.level = 1;
    desc.skinning = PLEAT_DQS;
    pleat_stack_destroy(r.stack);
    assert_int_equal(pleat_stack_create(&desc, NULL, &r.stack, NULL), PLEAT_OK);
    r.shape = pleat_stack_get_shape(r.stack);
    r.rest = realloc(r.rest, r.shape->surface_count * sizeof *r.rest);
    r.now = realloc(r.now, r.shape->surface_count * sizeof *r.now);
    r.piece = realloc(r.piece, r.shape->surface_count * sizeof *r.piece);
    volume_judge(r.shape->surface_count, r.shape->rest, r.shape->triangle_count, r.shape->surface_triangles, r.rest,
                 r.piece);
    for (uint32_t f = 0; f <= 60; f += 12)
    {
        assert_true(volume_worst_error(&r, volume_update(&r, (float)f / 30), 1, 1e-9) <= 1e-6);
    }
    volume_rig_free(&r);
}

/* A character far from the origin: floats have four digits less there, yet the volume is kept. */
static void test_volume_is_exact_far_from_the_origin(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig near = volume_rig_named("arm", "sleeve", 0, &options);
    pleat_model model = *near.model;
    pleat_node *nodes = malloc(model.node_count * sizeof *nodes);
    memcpy(nodes, model.nodes, model.node_count * sizeof *nodes);
    nodes[model.skins[0].joints[0]].local.translation.x += 300;
    model.nodes = nodes;
    volume_rig r = volume_rig_of(&model, volume_node(&model, "sleeve"), 0, &options, NULL, NULL);
    for (uint32_t f = 20; f <= 60; f += 10)
    {
        /* The rest shape that far away is rounded to 3e-5 m: it is the measure all the same. */
        assert_true(volume_worst_error(&r, volume_update(&r, (float)f / 30), 1, 1e-9) <= 1e-6);
        assert_true(volume_figure(&r, "lost") > 1e-3);
    }
    volume_rig_free(&r);
    free(nodes);
    volume_rig_free(&near);
}

static void test_volume_of_a_real_body(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_fat_male_worksuit/mh_fat_male_worksuit.glb");
    pleat_asset *asset = NULL;
    assert_int_equal(pleat_asset_load(path, NULL, NULL, &asset, NULL), PLEAT_OK);
    const pleat_model *model = pleat_asset_model(asset);
    pleat_volume_options options = pleat_volume_options_default();
    uint32_t meshes = 0;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh == PLEAT_NONE)
        {
            continue;
        }
        volume_rig r = volume_rig_of(model, n, 0, &options, NULL, NULL);
        uint32_t frames = pleat_clip_frame_count(r.clip, 30);
        for (uint32_t f = 0; f < frames; f += 97)
        {
            const pleat_vec4 *positions = volume_update(&r, r.clip->start + (float)f / 30);
            assert_true(volume_worst_error(&r, positions, 1, 1e-4) <= 1e-6); /* every shell above 100 ml */
        }
        volume_rig_free(&r);
        ++meshes;
    }
    assert_true(meshes > 0);
    pleat_asset_destroy(asset);
}

/* ---- What stays ---- */

static void test_volume_moves_nothing_where_nothing_was_lost(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    for (uint32_t clip = 0; clip < 2; ++clip)
    {
        volume_rig plain = volume_rig_named("arm", "sleeve", clip, NULL);
        volume_rig r = volume_rig_named("arm", "sleeve", clip, &options);
        const pleat_vec4 *before = volume_update(&plain, 2), *after = volume_update(&r, 2);
        uint32_t still = 0, moved = 0;
        for (uint32_t v = 0; v < r.shape->surface_count; ++v)
        {
            bool same = memcmp(&before[v], &after[v], sizeof *before) == 0;
            if (fabsf(r.shape->rest[v].y) >= 0.08f)
            {
                assert_true(same); /* one bone rules alone */
                ++still;
            }
            moved += !same;
        }
        assert_true(still > r.shape->surface_count / 2 && moved > r.shape->surface_count / 10);
        volume_rig_free(&r);
        volume_rig_free(&plain);
    }
}

static void test_volume_gives_back_the_bits_when_nothing_was_lost(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"arm", "sleeve"}, {"hand", "hand"}, {"belly", "belly"}};
    pleat_volume_options options = pleat_volume_options_default();
    for (uint32_t i = 0; i < 3; ++i)
    {
        volume_rig plain = volume_rig_named(names[i][0], names[i][1], 0, NULL);
        volume_rig r = volume_rig_named(names[i][0], names[i][1], 0, &options);
        plain.clip = r.clip = NULL;
        assert_memory_equal(volume_update(&plain, 0), volume_update(&r, 0),
                            r.shape->surface_count * sizeof(pleat_vec4));
        volume_rig_free(&r);
        volume_rig_free(&plain);
    }
    /* A body that turns and moves as a whole loses nothing either. */
    pleat_model model = *pleat_made_model(volume_characters[1]);
    pleat_node *nodes = malloc(model.node_count * sizeof *nodes);
    memcpy(nodes, model.nodes, model.node_count * sizeof *nodes);
    nodes[model.skins[0].joints[0]].local.rotation = (pleat_quat){0.2f, 0.4f, 0.4f, 0.8f};
    nodes[model.skins[0].joints[0]].local.translation.z += 0.7f;
    model.nodes = nodes;
    volume_rig plain = volume_rig_of(&model, volume_node(&model, "hand"), PLEAT_NONE, NULL, NULL, NULL);
    volume_rig r = volume_rig_of(&model, volume_node(&model, "hand"), PLEAT_NONE, &options, NULL, NULL);
    assert_memory_equal(volume_update(&plain, 0), volume_update(&r, 0), r.shape->surface_count * sizeof(pleat_vec4));
    assert_true(volume_figure(&r, "moved") == 0);
    volume_rig_free(&r);
    volume_rig_free(&plain);
    free(nodes);
}

static void test_volume_obeys_mask_and_strength(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig plain = volume_rig_named("arm", "sleeve", 0, NULL);
    uint32_t node = volume_node(plain.model, "sleeve");
    uint32_t count = pleat_mesh_vertex_count(&plain.model->meshes[plain.model->nodes[node].mesh]);
    float *mask = calloc(count, sizeof *mask);
    const pleat_vec3 *rest = plain.model->meshes[plain.model->nodes[node].mesh].primitives[0].positions;
    size_t bytes = plain.shape->surface_count * sizeof(pleat_vec4);
    const pleat_vec4 *before = volume_update(&plain, 1.5f);
    volume_rig none = volume_rig_of(plain.model, node, 0, &options, mask, NULL);
    assert_memory_equal(before, volume_update(&none, 1.5f), bytes);
    assert_true(volume_figure(&none, "error") > 0.01); /* and the figure says so */
    volume_rig_free(&none);
    for (uint32_t v = 0; v < count; ++v)
    {
        mask[v] = rest[v].x < 0 ? 1 : 0;
    }
    volume_rig half = volume_rig_of(plain.model, node, 0, &options, mask, NULL);
    const pleat_vec4 *after = volume_update(&half, 1.5f);
    for (uint32_t v = 0; v < plain.shape->surface_count; ++v)
    {
        assert_true(plain.shape->rest[v].x < 0 || memcmp(&before[v], &after[v], sizeof *after) == 0);
    }
    assert_true(volume_worst_error(&half, after, 1, 1e-9) <= 1e-6);
    volume_rig_free(&half);
    free(mask);
    options.strength = 0;
    volume_rig weak = volume_rig_of(plain.model, node, 0, &options, NULL, NULL);
    assert_memory_equal(before, volume_update(&weak, 1.5f), bytes);
    volume_rig_free(&weak);
    volume_rig_free(&plain);
}

/* ---- Time ---- */

static float largest_step(volume_rig *plain, volume_rig *r, float from, float step, uint32_t steps)
{
    uint32_t count = r->shape->surface_count;
    pleat_vec4 *last = malloc(count * sizeof *last);
    float largest = 0;
    for (uint32_t s = 0; s <= steps; ++s)
    {
        float time = from + step * (float)s;
        const pleat_vec4 *before = volume_update(plain, time), *after = volume_update(r, time);
        for (uint32_t v = 0; v < count; ++v)
        {
            pl_f4 move = pl_load(&after[v]) - pl_load(&before[v]);
            largest = s > 0 ? fmaxf(largest, pl_length3(move - pl_load(&last[v]))) : 0;
            pl_store(&last[v], move);
        }
    }
    free(last);
    return largest;
}

static void test_volume_is_continuous_in_time(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"arm", "sleeve"}, {"hand", "hand"}, {"belly", "belly"}};
    pleat_volume_options options = pleat_volume_options_default();
    for (uint32_t i = 0; i < 3; ++i)
    {
        volume_rig plain = volume_rig_named(names[i][0], names[i][1], 0, NULL);
        volume_rig r = volume_rig_named(names[i][0], names[i][1], 0, &options);
        /* From rest on, where corrections begin: a quarter of the step gives about a quarter of the change. */
        float coarse = largest_step(&plain, &r, r.clip->start, 1.0f / 30, 24);
        float fine = largest_step(&plain, &r, r.clip->start, 1.0f / 120, 96);
        assert_true(coarse > 1e-5f && fine < 0.3f * coarse + 2e-6f);
        volume_rig_free(&r);
        volume_rig_free(&plain);
    }
}

/* Two sleeves in one mesh, of which one is inside out: two shells, each with its own volume. */
static void test_volume_of_several_shells(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    pleat_make_options make = pleat_make_options_default();
    make.arm_around = 16;
    make.arm_along = 60;
    assert_int_equal(pleat_make("arm", &make, NULL, &made, NULL), PLEAT_OK);
    pleat_model model = *pleat_made_model(made);
    uint32_t node = volume_node(&model, "sleeve");
    pleat_mesh mesh = model.meshes[model.nodes[node].mesh];
    pleat_primitive primitives[2] = {mesh.primitives[0], mesh.primitives[0]};
    pleat_vec3 *positions = malloc(primitives[0].vertex_count * sizeof *positions);
    uint32_t *triangles = malloc(3 * primitives[0].triangle_count * sizeof *triangles);
    for (uint32_t v = 0; v < primitives[0].vertex_count; ++v)
    {
        pleat_vec3 p = primitives[0].positions[v];
        positions[v] = (pleat_vec3){p.x * 1.5f, p.y, p.z * 1.5f + 0.4f};
    }
    for (uint32_t t = 0; t < primitives[0].triangle_count; ++t)
    {
        const uint32_t *from = primitives[0].triangles + 3 * t;
        memcpy(triangles + 3 * t, (uint32_t[]){from[0], from[2], from[1]}, 3 * sizeof *triangles);
    }
    primitives[1].positions = positions;
    primitives[1].triangles = triangles;
    mesh.primitive_count = 2;
    mesh.primitives = primitives;
    model.meshes = &mesh;
    assert_int_equal(model.mesh_count, 1);
    pleat_volume_options options = pleat_volume_options_default();
    volume_rig r = volume_rig_of(&model, node, 0, &options, NULL, NULL);
    for (uint32_t f = 0; f <= 60; f += 10)
    {
        assert_true(volume_worst_error(&r, volume_update(&r, (float)f / 30), 1, 1e-9) <= 1e-6);
        assert_true(volume_figure(&r, "shells") == 2);
    }
    volume_rig_free(&r);
    free(triangles);
    free(positions);
    pleat_made_destroy(made);
}

static void test_volume_leaves_flat_shells_alone(void **state)
{
    (void)state;
    pleat_volume_options options = pleat_volume_options_default();
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("rectangle", NULL, NULL, &made, NULL), PLEAT_OK);
    pleat_bake_desc desc = pleat_bake_desc_default(pleat_made_model(made));
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_layer_desc layer = {&pleat_volume_layer, &options};
    pleat_bake *bake[2];
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake[0], NULL), PLEAT_OK);
    desc.layer_count = 1;
    desc.layers = &layer;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake[1], NULL), PLEAT_OK);
    uint32_t count = pleat_bake_get_shape(bake[0])->vertex_count;
    pleat_vec3 *positions[2];
    for (int i = 0; i < 2; ++i)
    {
        positions[i] = malloc(count * sizeof(pleat_vec3));
        assert_int_equal(pleat_bake_frame(bake[i], 12, NULL), PLEAT_OK);
        pleat_bake_copy(bake[i], positions[i], NULL);
    }
    assert_memory_equal(positions[0], positions[1], count * sizeof(pleat_vec3));
    for (int i = 0; i < 2; ++i)
    {
        free(positions[i]);
        pleat_bake_destroy(bake[i]);
    }
    pleat_made_destroy(made);
}

/* ---- Machines ---- */

static uint64_t hash_with(uint32_t threads)
{
    pleat_pool *pool = NULL;
    pleat_volume_options options = pleat_volume_options_default();
    options.breath = 0.1f;
    volume_rig r = volume_rig_named("hand", "hand", 0, &options);
    assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    r.tasks = &tasks;
    uint64_t hash = SUPPORT_HASH;
    for (uint32_t f = 0; f < 60; f += 15)
    {
        hash = support_hash(hash, volume_update(&r, (float)f / 30), r.shape->surface_count * sizeof(pleat_vec4));
    }
    volume_rig_free(&r);
    pleat_pool_destroy(pool);
    return hash;
}

static void test_volume_is_the_same_for_any_threads(void **state)
{
    (void)state;
    uint64_t one = hash_with(1);
    assert_true(hash_with(2) == one);
    assert_true(hash_with(4) == one);
}

static void test_volume_is_the_same_for_any_width(void **state)
{
    (void)state;
    volume_rig r = volume_rig_named("arm", "sleeve", 0, NULL);
    pleat_volume_options options = pleat_volume_options_default();
    pl_memory memory = pl_memory_from(NULL);
    pl_arena arena;
    pl_arena_init(&arena, &memory);
    pl_volume_bound bound = {0};
    assert_int_equal(pl_volume_bind(&options, false, &r.stack->cloth, NULL, &arena, &bound, NULL), PLEAT_OK);
    assert_int_equal(bound.joint_count, 2); /* the elbow and the whole sleeve */
    uint32_t count = r.shape->surface_count;
    pl_volume_scratch scratch;
    assert_int_equal(pl_volume_make_scratch(&bound, &arena, &scratch, NULL), PLEAT_OK);
    const pleat_vec4 *skinned = volume_update(&r, 1.5f);
    pleat_vec4 *out[2], centres[2][2], origin;
    double volume[2] = {0, 0};
    for (int i = 0; i < 2; ++i)
    {
        out[i] = PL_ARENA_NEW(&arena, pleat_vec4, count);
        memcpy(out[i], skinned, count * sizeof *skinned);
        pl_volume_centres(&bound.closed, skinned, centres[i]);
        pl_volume_origins(&bound.groups, &bound.closed, skinned, &origin);
        pl_volume_view view = {&bound.closed, &bound.groups, skinned, centres[i], &origin};
        pl_volume_kernel *kernel = pl_volume_correct_base;
        double (*measure)(const pl_volume_view *, uint32_t) = pl_volume_of_block_base;
#ifdef PL_HAVE_AVX2
        kernel = i && pl_has_avx2() ? pl_volume_correct_avx2 : kernel;
        measure = i && pl_has_avx2() ? pl_volume_of_block_avx2 : measure;
#endif
        kernel(&bound.closed, &bound.joints[0], 1e-4, 1, &scratch, out[i], centres[i]);
        for (uint32_t b = 0; b < bound.groups.block_count; ++b)
        {
            volume[i] += measure(&view, b);
        }
    }
    assert_memory_equal(out[0], out[1], count * sizeof *skinned);
    assert_true(volume[0] == volume[1]);
    pl_arena_free(&arena);
    volume_rig_free(&r);
}

static pleat_result create_stack(void *user, const pleat_host *host, pleat_error *error)
{
    const volume_rig *r = user;
    pleat_volume_options options = pleat_volume_options_default();
    static const pleat_volume_key keys[] = {{0, 0.1f}, {1, 0.2f}};
    options.keys = keys;
    options.key_count = 2;
    pleat_layer_desc layer = {&pleat_volume_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_stack *stack = NULL;
    desc.model = r->model;
    desc.node = volume_node(r->model, "sleeve");
    desc.layer_count = 1;
    desc.layers = &layer;
    pleat_result result = pleat_stack_create(&desc, host, &stack, error);
    assert_true((result == PLEAT_OK) == (stack != NULL));
    pleat_stack_destroy(stack);
    return result;
}

static void test_volume_survives_failing_allocations(void **state)
{
    (void)state;
    pleat_make_options make = pleat_make_options_default();
    make.arm_around = 6;
    make.arm_along = 10;
    volume_rig r = {0};
    assert_int_equal(pleat_make("arm", &make, NULL, &r.made, NULL), PLEAT_OK);
    r.model = pleat_made_model(r.made);
    support_sweep_allocations(create_stack, &r);
    pleat_made_destroy(r.made);
}

/* Triangle soup of every kind: nothing but finite numbers may come out. */
static void test_volume_takes_any_triangles(void **state)
{
    (void)state;
    volume_rig r = volume_rig_named("arm", "sleeve", 0, NULL);
    pleat_model model = *r.model;
    uint32_t node = volume_node(&model, "sleeve"), seed = 7;
    pleat_mesh mesh = model.meshes[model.nodes[node].mesh];
    pleat_primitive primitive = mesh.primitives[0];
    uint32_t *triangles = malloc(3 * primitive.triangle_count * sizeof *triangles);
    mesh.primitives = &primitive;
    model.meshes = &mesh;
    pleat_volume_options options = pleat_volume_options_default();
    options.inflate = 0.1f;
    for (uint32_t round = 0; round < 12; ++round)
    {
        memcpy(triangles, primitive.triangles, 3 * primitive.triangle_count * sizeof *triangles);
        for (uint32_t i = 0; i < (1u << round); ++i)
        {
            uint32_t c = support_random(&seed) % (3 * primitive.triangle_count);
            triangles[c] = round % 2 ? support_random(&seed) % primitive.vertex_count : triangles[c / 3 * 3];
        }
        const uint32_t *kept = primitive.triangles;
        primitive.triangles = triangles;
        pleat_layer_desc layer = {&pleat_volume_layer, &options};
        pleat_stack_desc desc = pleat_stack_desc_default();
        desc.refine = PLEAT_REFINE_LOOP;
        desc.model = &model;
        desc.node = node;
        desc.layer_count = 1;
        desc.layers = &layer;
        pleat_stack *soup = NULL;
        assert_int_equal(pleat_stack_create(&desc, NULL, &soup, NULL), PLEAT_OK);
        pleat_pose_sample(r.pose, r.clip, 1.5f);
        pleat_stack_input input = {.pose = r.pose, .time = 1.5f};
        pleat_stack_update(soup, &input);
        const pleat_vec4 *positions = pleat_stack_positions(soup);
        for (uint32_t v = 0; v < pleat_stack_get_shape(soup)->surface_count; ++v)
        {
            assert_true(isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z));
        }
        pleat_stack_destroy(soup);
        primitive.triangles = kept;
    }
    free(triangles);
    volume_rig_free(&r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_defaults_are_valid),
        cmocka_unit_test(test_volume_refuses_what_is_wrong),
        cmocka_unit_test(test_volume_judge_knows_a_prism),
        cmocka_unit_test(test_volume_is_exact_on_every_frame),
        cmocka_unit_test(test_volume_is_exact_for_dual_quaternions_and_refined_meshes),
        cmocka_unit_test(test_volume_is_exact_far_from_the_origin),
        cmocka_unit_test(test_volume_of_a_real_body),
        cmocka_unit_test(test_volume_moves_nothing_where_nothing_was_lost),
        cmocka_unit_test(test_volume_gives_back_the_bits_when_nothing_was_lost),
        cmocka_unit_test(test_volume_obeys_mask_and_strength),
        cmocka_unit_test(test_volume_is_continuous_in_time),
        cmocka_unit_test(test_volume_of_several_shells),
        cmocka_unit_test(test_volume_leaves_flat_shells_alone),
        cmocka_unit_test(test_volume_is_the_same_for_any_threads),
        cmocka_unit_test(test_volume_is_the_same_for_any_width),
        cmocka_unit_test(test_volume_survives_failing_allocations),
        cmocka_unit_test(test_volume_takes_any_triangles),
    };
    return cmocka_run_group_tests_name("volume", tests, volume_make_characters, volume_free_characters);
}
