/* The bake, judged by a plain evaluator written here: what a viewer that knows linear skinning and morph targets does.
 */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/layers/folds.h"
#include "pleat/make.h"
#include "pleat/export/morphs.h"

#include <stdlib.h>
#include <string.h>

typedef struct arm
{
    pleat_made *made;
    const pleat_model *model;
} arm;

static arm make_arm(uint32_t around, uint32_t along)
{
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = around;
    options.arm_along = along;
    arm result = {0};
    pleat_error error = {0};
    if (pleat_make("arm", &options, NULL, &result.made, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    result.model = pleat_made_model(result.made);
    return result;
}

static pleat_bake *make_bake(const pleat_bake_desc *desc, const pleat_host *host)
{
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    if (pleat_bake_create(desc, host, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

/* What a viewer shows: base and targets by weights, then linear skinning, in double. */
static void view(const pleat_model *model, uint32_t node, const pleat_mesh *mesh, const float *weights,
                 const pleat_pose *pose, double (*out)[3])
{
    uint32_t skin_index = model->nodes[node].skin;
    const pleat_skin *skin = skin_index == PLEAT_NONE ? NULL : &model->skins[skin_index];
    const pleat_affine *worlds = pleat_pose_worlds(pose);
    uint32_t at = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        for (uint32_t v = 0; v < primitive->vertex_count; ++v, ++at)
        {
            double position[3] = {(double)primitive->positions[v].x, (double)primitive->positions[v].y,
                                  (double)primitive->positions[v].z};
            for (uint32_t t = 0; t < mesh->target_count && primitive->targets; ++t)
            {
                const float *difference = &primitive->targets[t].positions[v].x;
                for (int k = 0; k < 3; ++k)
                {
                    position[k] += (double)weights[t] * (double)difference[k];
                }
            }
            memset(out[at], 0, sizeof out[at]);
            for (uint32_t i = 0; i < (skin ? primitive->influence_count : 1); ++i)
            {
                pleat_affine matrix = worlds[node];
                double weight = 1;
                if (skin)
                {
                    uint32_t joint = primitive->joints[v * primitive->influence_count + i];
                    matrix = pl_affine_mul(&worlds[skin->joints[joint]], &skin->inverse_binds[joint]);
                    weight = (double)primitive->weights[v * primitive->influence_count + i];
                }
                for (int r = 0; r < 3; ++r)
                {
                    out[at][r] +=
                        weight * ((double)matrix.row[r][0] * position[0] + (double)matrix.row[r][1] * position[1] +
                                  (double)matrix.row[r][2] * position[2] + (double)matrix.row[r][3]);
                }
            }
        }
    }
}

static double largest_difference(uint32_t count, double (*a)[3], const pleat_vec3 *b)
{
    double largest = 0;
    for (uint32_t v = 0; v < count; ++v)
    {
        double x = a[v][0] - (double)b[v].x, y = a[v][1] - (double)b[v].y, z = a[v][2] - (double)b[v].z;
        largest = fmax(largest, sqrt(x * x + y * y + z * z));
    }
    return largest;
}

static void test_bake_of_linear_skinning_is_what_a_viewer_shows(void **state)
{
    (void)state;
    arm made = make_arm(24, 40);
    for (uint32_t clip = 0; clip < made.model->clip_count; ++clip)
    {
        pleat_bake_desc desc = pleat_bake_desc_default(made.model);
        desc.refine = PLEAT_REFINE_LOOP;
        desc.clip = clip;
        pleat_bake *bake = make_bake(&desc, NULL);
        const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
        uint32_t node = shape->parts[0].node;
        const pleat_mesh *mesh = &made.model->meshes[made.model->nodes[node].mesh];
        assert_int_equal(shape->vertex_count, pleat_mesh_vertex_count(mesh));
        pleat_vec3 *positions = malloc(shape->vertex_count * sizeof *positions);
        double(*expected)[3] = malloc(shape->vertex_count * sizeof *expected);
        for (uint32_t f = 0; f < shape->frame_count; f += 7)
        {
            assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
            pleat_bake_copy(bake, positions, NULL);
            view(made.model, node, mesh, NULL, pleat_bake_pose(bake), expected);
            assert_true(largest_difference(shape->vertex_count, expected, positions) < 1e-6);
        }
        free(expected);
        free(positions);
        pleat_bake_destroy(bake);
    }
    pleat_made_destroy(made.made);
}

/* Blender and some engines hold weights to 0..1, so those of our targets must lie there. */
static void check_weights(const pleat_morphed *morphed, uint32_t frame_count)
{
    uint32_t count = morphed->mesh.target_count;
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        for (uint32_t t = morphed->input_target_count; t < count; ++t)
        {
            float weight = morphed->weights[(size_t)f * count + t];
            assert_true(weight >= 0 && weight <= 1.000001f);
        }
    }
}

/* Bakes with a method and level, makes morph targets, and plays them as a viewer would. Returns the stated error. */
static float play_back(const pleat_model *model, pleat_skinning skinning, uint32_t level,
                       const pleat_morphs_options *options)
{
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.skinning = skinning;
    desc.level = level;
    pleat_bake *bake = make_bake(&desc, NULL);
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    pleat_morphs *morphs = NULL;
    assert_int_equal(pleat_morphs_create(bake, options, NULL, &morphs, NULL), PLEAT_OK);
    for (uint32_t f = 0; f < shape->frame_count; ++f)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_morphs_learn(morphs);
    }
    pleat_morphs_settle(morphs);
    for (uint32_t f = 0; f < shape->frame_count; ++f)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_morphs_weigh(morphs, f);
    }
    assert_int_equal(pleat_morphs_finish(morphs, NULL), PLEAT_OK);
    assert_int_equal(pleat_morphs_count(morphs), 1);
    const pleat_morphed *morphed = pleat_morphs_get(morphs, 0);
    assert_int_equal(pleat_mesh_vertex_count(&morphed->mesh), shape->vertex_count);
    assert_int_equal(pleat_mesh_triangle_count(&morphed->mesh), shape->triangle_count);
    assert_true(morphed->mesh.target_count <= options->target_limit + morphed->input_target_count);
    pleat_vec3 *positions = malloc(shape->vertex_count * sizeof *positions);
    double(*expected)[3] = malloc(shape->vertex_count * sizeof *expected);
    double largest = 0;
    for (uint32_t f = 0; f < shape->frame_count; ++f)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_bake_copy(bake, positions, NULL);
        view(model, morphed->node, &morphed->mesh, morphed->weights + (size_t)f * morphed->mesh.target_count,
             pleat_bake_pose(bake), expected);
        largest = fmax(largest, largest_difference(shape->vertex_count, expected, positions));
    }
    float stated = morphed->error.largest;
    assert_true(largest <= (double)stated * 1.001 + 2e-6);
    if (options->target_limit > 1)
    {
        check_weights(morphed, shape->frame_count);
    }
    free(expected);
    free(positions);
    pleat_morphs_destroy(morphs);
    pleat_bake_destroy(bake);
    return stated;
}

static void test_bake_of_dual_quaternions_plays_in_a_linear_viewer(void **state)
{
    (void)state;
    arm made = make_arm(16, 30);
    pleat_morphs_options options = pleat_morphs_options_default();
    /* All the targets that there are leave nothing but rounding and the damping of bind space. */
    assert_true(play_back(made.model, PLEAT_DQS, 0, &options) < 2e-5f);
    options.target_limit = 3;
    play_back(made.model, PLEAT_DQS, 0, &options);
    options.target_limit = 1;
    play_back(made.model, PLEAT_DQS, 0, &options);
    options.target_limit = 64;
    options.largest_error = 2e-4f;
    assert_true(play_back(made.model, PLEAT_DQS, 0, &options) <= 2e-4f);
    pleat_made_destroy(made.made);
}

/* A rig whose root is scaled, as exporters like to do with units: what is asked and stated is the world's error. */
static void test_bake_states_errors_of_the_world(void **state)
{
    (void)state;
    arm made = make_arm(16, 30);
    pleat_model model = *made.model;
    pleat_node nodes[16];
    assert_true(model.node_count <= 16);
    memcpy(nodes, model.nodes, model.node_count * sizeof *nodes);
    for (uint32_t n = 0; n < model.node_count; ++n)
    {
        if (nodes[n].parent == PLEAT_NONE)
        {
            nodes[n].local.scale = (pleat_vec4){100, 100, 100, 0};
        }
    }
    pleat_morphs_options options = pleat_morphs_options_default();
    options.target_limit = 4;
    float small = play_back(&model, PLEAT_DQS, 0, &options);
    model.nodes = nodes;
    float large = play_back(&model, PLEAT_DQS, 0, &options);
    assert_true(fabsf(large - 100 * small) < 1e-2f * large);
    options.target_limit = 64;
    options.largest_error = 2e-2f;
    large = play_back(&model, PLEAT_DQS, 0, &options);
    assert_true(large <= 2e-2f && large > 1e-3f);
    pleat_made_destroy(made.made);
}

static void test_bake_of_a_refined_mesh_plays_in_a_linear_viewer(void **state)
{
    (void)state;
    arm made = make_arm(12, 20);
    pleat_morphs_options options = pleat_morphs_options_default();
    play_back(made.model, PLEAT_LBS, 1, &options);
    play_back(made.model, PLEAT_DQS, 2, &options);
    pleat_made_destroy(made.made);
}

static void test_bake_leaves_alone_what_linear_skinning_gets_right(void **state)
{
    (void)state;
    arm made = make_arm(12, 20);
    pleat_bake_desc desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_bake *bake = make_bake(&desc, NULL);
    pleat_morphs_options options = pleat_morphs_options_default();
    pleat_morphs *morphs = NULL;
    assert_int_equal(pleat_morphs_create(bake, &options, NULL, &morphs, NULL), PLEAT_OK);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
        {
            assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
            pass ? pleat_morphs_weigh(morphs, f) : pleat_morphs_learn(morphs);
        }
        if (!pass)
        {
            pleat_morphs_settle(morphs);
        }
    }
    assert_int_equal(pleat_morphs_finish(morphs, NULL), PLEAT_OK);
    assert_int_equal(pleat_morphs_count(morphs), 0);
    pleat_morphs_destroy(morphs);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made.made);
}

static void test_bake_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    arm made = make_arm(36, 150);
    uint64_t hashes[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(1u << k, &pool, NULL), PLEAT_OK);
        pleat_host host = pleat_host_default();
        host.tasks = pleat_pool_tasks(pool);
        hashes[k] = SUPPORT_HASH;
        for (int method = PLEAT_LBS; method <= PLEAT_DQS; ++method)
        {
            pleat_bake_desc desc = pleat_bake_desc_default(made.model);
            desc.refine = PLEAT_REFINE_LOOP;
            desc.skinning = (pleat_skinning)method;
            desc.level = 1;
            pleat_bake *bake = make_bake(&desc, &host);
            const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
            pleat_vec3 *positions = malloc(2 * shape->vertex_count * sizeof *positions);
            for (uint32_t f = 0; f < shape->frame_count; f += 20)
            {
                assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
                pleat_bake_copy(bake, positions, positions + shape->vertex_count);
                hashes[k] = support_hash(hashes[k], positions, 2 * shape->vertex_count * sizeof *positions);
            }
            free(positions);
            pleat_bake_destroy(bake);
        }
        pleat_pool_destroy(pool);
        assert_true(hashes[k] == hashes[0]);
    }
    pleat_made_destroy(made.made);
}

/* Everything that is read of a frame comes back from what was kept of it, in another bake that computed nothing. */
static void test_bake_replays_a_frame(void **state)
{
    (void)state;
    arm made = make_arm(24, 60);
    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.last_frame = 40;
    pleat_bake *computed = make_bake(&desc, NULL), *replayed = make_bake(&desc, NULL);
    const pleat_bake_shape *shape = pleat_bake_get_shape(computed);
    size_t count = pleat_bake_surface_count(computed);
    pleat_vec4 *surface = calloc(count, sizeof *surface);
    pleat_vec3 *out[2][3];
    for (int i = 0; i < 6; ++i)
    {
        out[i / 3][i % 3] = calloc(shape->vertex_count, sizeof(pleat_vec3));
    }
    assert_int_equal(pleat_bake_frame(computed, 40, NULL), PLEAT_OK);
    pleat_bake_copy_surface(computed, surface);
    assert_int_equal(pleat_bake_replay(replayed, 40, surface, NULL), PLEAT_OK);
    for (int i = 0; i < 2; ++i)
    {
        pleat_bake *bake = i ? replayed : computed;
        pleat_bake_copy(bake, out[i][0], out[i][1]);
        pleat_stack_bind_displacements(pleat_bake_stack(bake, 0), out[i][2]);
    }
    for (int k = 0; k < 3; ++k)
    {
        assert_memory_equal(out[0][k], out[1][k], shape->vertex_count * sizeof(pleat_vec3));
        free(out[0][k]);
        free(out[1][k]);
    }
    assert_int_equal(pleat_bake_replay(replayed, 41, surface, NULL), PLEAT_BAD_ARGUMENT);
    free(surface);
    pleat_bake_destroy(computed);
    pleat_bake_destroy(replayed);
    pleat_made_destroy(made.made);
}

static void test_bake_of_cloth_with_points(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("rectangle", NULL, NULL, &made, NULL), PLEAT_OK);
    const pleat_model *model = pleat_made_model(made);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_bake *bake = make_bake(&desc, NULL);
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    const pleat_points *points = &model->clips[0].points;
    pleat_vec3 *positions = malloc(shape->vertex_count * sizeof *positions);
    pleat_vec3 *frame = malloc(shape->vertex_count * sizeof *frame);
    assert_int_equal(points->vertex_count, shape->vertex_count);
    for (uint32_t f = 0; f < shape->frame_count; f += 9)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_bake_copy(bake, positions, NULL);
        assert_int_equal(points->read(points->user, f, frame, NULL), PLEAT_OK);
        assert_memory_equal(positions, frame, shape->vertex_count * sizeof *frame);
    }
    free(frame);
    free(positions);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made);
}

/* The arm a kilometre away: relative to a point near it, displacements are those of the arm at home. */
static void test_bake_far_away_is_as_fine_as_at_home(void **state)
{
    (void)state;
    arm made = make_arm(16, 30);
    pleat_model away = *made.model;
    pleat_node *nodes = malloc(away.node_count * sizeof *nodes);
    memcpy(nodes, away.nodes, away.node_count * sizeof *nodes);
    for (uint32_t n = 0; n < away.node_count; ++n)
    {
        assert_false(nodes[n].has_matrix && nodes[n].parent == PLEAT_NONE);
        nodes[n].local.translation.x += nodes[n].parent == PLEAT_NONE ? 1024 : 0;
    }
    away.nodes = nodes;
    pleat_bake_desc desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.skinning = PLEAT_DQS;
    pleat_bake *home = make_bake(&desc, NULL);
    desc.model = &away;
    pleat_bake *rough = make_bake(&desc, NULL);
    desc.recentre = true;
    pleat_bake *fine = make_bake(&desc, NULL), *bakes[3] = {home, rough, fine};
    const pleat_bake_shape *shape = pleat_bake_get_shape(home);
    pleat_vec3 *out[3], *positions = calloc(shape->vertex_count, sizeof *positions);
    double apart[3] = {0};
    for (uint32_t i = 0; i < 3; ++i)
    {
        out[i] = calloc(shape->vertex_count, sizeof *out[i]);
        assert_int_equal(pleat_bake_frame(bakes[i], shape->frame_count / 2, NULL), PLEAT_OK);
        pleat_stack_bind_displacements(pleat_bake_stack(bakes[i], 0), out[i]);
        for (uint32_t v = 0; v < pleat_stack_get_shape(pleat_bake_stack(home, 0))->surface_count; ++v)
        {
            apart[i] = fmax(apart[i], fabs((double)out[i][v].x - (double)out[0][v].x));
        }
    }
    print_message("off by %g m, recentred by %g m\n", apart[1], apart[2]);
    assert_true(apart[1] > 2e-5); /* there is something to mend */
    assert_true(apart[2] < 1e-6);
    /* And in the world it is where it was. */
    pleat_bake_copy(fine, positions, NULL);
    pleat_bake_copy(rough, out[0], NULL);
    for (uint32_t v = 0; v < shape->vertex_count; ++v)
    {
        assert_true(fabsf(positions[v].x - out[0][v].x) < 4e-4f && fabsf(positions[v].y - out[0][v].y) < 4e-4f);
        assert_true(positions[v].x > 1000);
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        free(out[i]);
        pleat_bake_destroy(bakes[i]);
    }
    free(positions);
    free(nodes);
    pleat_made_destroy(made.made);
}

static void test_bake_rejects(void **state)
{
    (void)state;
    arm made = make_arm(8, 6);
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    pleat_bake_desc desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.fps = 0;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.clip = 99;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.first_frame = 10;
    desc.last_frame = 9;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    desc.last_frame = 100000;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "the clip has frames 0 to"));
    desc = pleat_bake_desc_default(made.model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.level = 9;
    assert_int_equal(pleat_bake_create(&desc, NULL, &bake, &error), PLEAT_BAD_ARGUMENT);
    assert_null(bake);
    pleat_made_destroy(made.made);
}

static pleat_result create_all(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_bake_desc desc = pleat_bake_desc_default(user);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.level = 1;
    desc.skinning = PLEAT_DQS;
    desc.last_frame = 3;
    pleat_bake *bake = NULL;
    pleat_morphs *morphs = NULL;
    pleat_morphs_options options = pleat_morphs_options_default();
    pleat_result result = pleat_bake_create(&desc, host, &bake, error);
    if (result == PLEAT_OK)
    {
        result = pleat_morphs_create(bake, &options, host, &morphs, error);
    }
    for (int pass = 0; pass < 2 && result == PLEAT_OK; ++pass)
    {
        for (uint32_t f = 0; f < 4; ++f)
        {
            pleat_bake_frame(bake, f, NULL);
            pass ? pleat_morphs_weigh(morphs, f) : pleat_morphs_learn(morphs);
        }
        if (!pass)
        {
            pleat_morphs_settle(morphs);
        }
    }
    if (result == PLEAT_OK)
    {
        result = pleat_morphs_finish(morphs, error);
    }
    pleat_morphs_destroy(morphs);
    pleat_bake_destroy(bake);
    return result;
}

static void test_bake_survives_every_failed_allocation(void **state)
{
    (void)state;
    arm made = make_arm(6, 4);
    support_sweep_allocations(create_all, (void *)(uintptr_t)made.model);
    pleat_made_destroy(made.made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bake_of_linear_skinning_is_what_a_viewer_shows),
        cmocka_unit_test(test_bake_of_dual_quaternions_plays_in_a_linear_viewer),
        cmocka_unit_test(test_bake_states_errors_of_the_world),
        cmocka_unit_test(test_bake_of_a_refined_mesh_plays_in_a_linear_viewer),
        cmocka_unit_test(test_bake_leaves_alone_what_linear_skinning_gets_right),
        cmocka_unit_test(test_bake_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_bake_replays_a_frame),
        cmocka_unit_test(test_bake_of_cloth_with_points),
        cmocka_unit_test(test_bake_far_away_is_as_fine_as_at_home),
        cmocka_unit_test(test_bake_rejects),
        cmocka_unit_test(test_bake_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
