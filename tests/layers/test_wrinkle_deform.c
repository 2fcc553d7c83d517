/* The deformer of wrinkles, on flat cloth with wrinkles drawn by hand: lengths, heights and feet are known. */
#include "support/wrinkled.h"

#include "support/support.h"

#include "base/wide.h"
#include "mesh/field/convolution.h"
#include "layers/wrinkles/deform/cluster.h"
#include "layers/wrinkles/deform/deform.h"
#include "layers/wrinkles/shape/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pl_wrinkle_deform *bind(const support_cloth *cloth, bool slide)
{
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = cloth->coarse.topology;
    desc.vertex_count = cloth->refined->vertex_count;
    desc.vertex_triangle = cloth->refined->vertex_triangle;
    desc.vertex_barycentric = cloth->refined->vertex_barycentric;
    desc.slide = slide;
    desc.lean = false;
    desc.wrinkle_capacity = 64;
    desc.point_capacity = 8192;
    pl_wrinkle_deform *deform = NULL;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &deform, NULL), PLEAT_OK);
    return deform;
}

static pleat_vec4 *run(pl_wrinkle_deform *deform, const support_cloth *cloth, const support_wrinkles *set)
{
    pleat_vec4 *out = malloc(cloth->refined->vertex_count * sizeof *out);
    memcpy(out, cloth->positions, cloth->refined->vertex_count * sizeof *out);
    pl_wrinkle_deform_frame frame = {.coarse = cloth->coarse.positions,
                                     .positions = out,
                                     .normals = cloth->normals,
                                     .wrinkle_count = set->wrinkle_count,
                                     .wrinkles = set->wrinkles,
                                     .points = set->points};
    pl_wrinkle_deform_update(deform, &frame);
    return out;
}

static void test_wrinkle_deform_rejects(void **state)
{
    (void)state;
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    pl_wrinkle_deform *deform = NULL;
    pleat_error error = {0};
    desc.vertex_count = 3;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &deform, &error), PLEAT_BAD_ARGUMENT);
    assert_null(deform);
    assert_non_null(strstr(error.message, "vertex_triangle"));
    pl_wrinkle_deform_destroy(NULL);
}

/* The table's excess is the arc length of the profile that solves field + plane = 1, here by steps of its own. */
static void test_wrinkle_profile_arc(void **state)
{
    (void)state;
    static pl_wrinkle_profile profile;
    pl_wrinkle_profile_make(&profile);
    for (float depth = 0.1f; depth < 1.5f; depth += 0.17f)
    {
        double weight = (double)pl_wrinkle_weight(depth), length = 0, before = (double)depth;
        for (int i = 1; i <= 3000; ++i)
        {
            double x = i / 3000.0, low = 0, high = (double)depth;
            while (high - low > 1e-9)
            {
                double z = 0.5 * (low + high);
                double up = pl_convolution_line(1, 1, hypot(x, 0.5 * z)) * weight;
                *(up + pl_convolution_plane(1, 1, z, NULL) > 1 ? &low : &high) = z;
            }
            length += hypot(1 / 3000.0, before - low);
            before = low;
        }
        assert_true(before < 1e-6); /* the foot */
        assert_true(fabs(length - 1 - (double)pl_wrinkle_excess(&profile, depth)) < 1e-3);
        assert_true(fabsf(pl_wrinkle_depth_for(&profile, pl_wrinkle_excess(&profile, depth)) - depth) < 1e-4f);
    }
    /* A half circle gives back 1 - 2/pi of its length; so does a profile a tenth higher. */
    assert_true(pl_wrinkle_excess(&profile, 1.1f) > 1.5707f - 1);
}

/* One straight crest: as high as asked for, nothing beyond its width, the mirror image against the normal. */
static void test_wrinkle_deform_lone_crest(void **state)
{
    (void)state;
    static support_wrinkles set;
    set = (support_wrinkles){0};
    support_cloth cloth = support_cloth_make(8, 4, 0, 0.2f);
    support_wrinkle(&cloth, &set, 4, 0, 4, 8, 40, 0.75f, 0.5f);
    pl_wrinkle_deform *deform = bind(&cloth, false);
    pleat_vec4 *out = run(deform, &cloth, &set);
    float highest = 0;
    for (uint32_t v = 0; v < cloth.refined->vertex_count; ++v)
    {
        const pleat_vec4 *was = &cloth.positions[v];
        if (fabsf(was->x - 4) >= 0.7501f)
        {
            assert_memory_equal(&out[v], was, sizeof *was);
        }
        assert_true(out[v].z >= 0 && out[v].x == was->x && out[v].y == was->y);
        highest = fmaxf(highest, out[v].z);
    }
    assert_true(fabsf(highest - 0.5f) < 2e-3f);
    for (uint32_t i = 0; i < set.point_count; ++i)
    {
        set.points[i].depth = -set.points[i].depth;
    }
    pleat_vec4 *inward = run(deform, &cloth, &set);
    for (uint32_t v = 0; v < cloth.refined->vertex_count; ++v)
    {
        assert_true(fabsf(inward[v].z + out[v].z) < 1e-5f);
    }
    free(out);
    free(inward);
    set.wrinkle_count = 0;
    out = run(deform, &cloth, &set);
    assert_memory_equal(out, cloth.positions, cloth.refined->vertex_count * sizeof *out);
    assert_int_equal(pl_wrinkle_deform_last(deform).moved, 0);
    free(out);
    pl_wrinkle_deform_destroy(deform);
    support_cloth_free(&cloth);
}

/* Parallel crests over a square of 8 by 8, widths half the spacing, eight vertices a width. The worst error of a row's
 * length, the borders among them. */
static double worst_length_error(double lost, double spacing, bool slide)
{
    static support_wrinkles set;
    static pl_wrinkle_profile profile;
    pl_wrinkle_profile_make(&profile);
    set = (support_wrinkles){0};
    support_cloth cloth = support_cloth_make(8, (uint32_t)lround(log2(16 / spacing)), lost, 0.2f);
    float width = (float)(0.5 * spacing);
    float depth = width * pl_wrinkle_depth_for(&profile, (float)(1 / (1 - lost) - 1));
    for (double x = 0.5 * spacing; x < 8; x += spacing)
    {
        support_wrinkle(&cloth, &set, x, 0, x, 8, 64, width, depth);
    }
    pl_wrinkle_deform *deform = bind(&cloth, slide);
    pleat_vec4 *out = run(deform, &cloth, &set);
    double worst = 0;
    for (uint32_t row = 0; row < cloth.lattice; row += 4)
    {
        double rest = support_row_length(&cloth, cloth.refined_rest, row, 0, cloth.lattice - 1);
        worst = fmax(worst, fabs(support_row_length(&cloth, out, row, 0, cloth.lattice - 1) / rest - 1));
    }
    pl_wrinkle_deform_figures figures = pl_wrinkle_deform_last(deform);
    print_message("lost %.2f, spacing %.1f, %s: error %.2f %%; depth %.2f widths, Newton %.2f steps, at most %u\n",
                  lost, spacing, slide ? "slide" : "plain", 100 * worst, depth / width, figures.mean_steps,
                  figures.most_steps);
    assert_true(figures.most_steps <= 6);
    free(out);
    pl_wrinkle_deform_destroy(deform);
    support_cloth_free(&cloth);
    return worst;
}

/* Closed form: v is lost everywhere, each crest answers for a strip as wide as itself. */
static void test_wrinkle_deform_restores_length(void **state)
{
    (void)state;
    static const double losses[] = {0.05, 0.1, 0.2, 0.3, 0.36, 0.4};
    for (int slide = 0; slide < 2; ++slide)
    {
        for (size_t i = 0; i < sizeof losses / sizeof losses[0]; ++i)
        {
            for (double spacing = i % 5 == 4 ? 0.5 : 1; spacing < 3; spacing *= 2)
            {
                assert_true(worst_length_error(losses[i], spacing, slide) < 0.01);
            }
        }
    }
}

/* How lengths are spread along a row: the smallest piece over its length at rest. */
static double smallest_stretch(bool slide)
{
    static support_wrinkles set;
    static pl_wrinkle_profile profile;
    pl_wrinkle_profile_make(&profile);
    set = (support_wrinkles){0};
    support_cloth cloth = support_cloth_make(8, 4, 0.36, 0);
    float depth = 0.5f * pl_wrinkle_depth_for(&profile, 0.5625f);
    for (double x = 0.5; x < 8; x += 1)
    {
        support_wrinkle(&cloth, &set, x, 0, x, 8, 64, 0.5f, depth);
    }
    pl_wrinkle_deform *deform = bind(&cloth, slide);
    pleat_vec4 *out = run(deform, &cloth, &set);
    double least = INFINITY;
    for (uint32_t i = 0; i + 1 < cloth.lattice; ++i)
    {
        double now = support_row_length(&cloth, out, 40, i, i + 1);
        least = fmin(least, now / support_row_length(&cloth, cloth.refined_rest, 40, i, i + 1));
    }
    free(out);
    pl_wrinkle_deform_destroy(deform);
    support_cloth_free(&cloth);
    return least;
}

static void test_wrinkle_deform_slides_cloth_until_it_is_even(void **state)
{
    (void)state;
    double without = smallest_stretch(false), with = smallest_stretch(true);
    print_message("36 %% lost: smallest stretch %.3f along normals alone, %.3f with slide\n", without, with);
    assert_true(without < 0.7 && with > 0.95);
}

/* A Y of two crests that meet, and a little later: no vertex moves more than the crests, times the steepest slope. */
static pleat_vec4 *merged(const support_cloth *cloth, double shift, float *highest)
{
    static support_wrinkles set;
    set = (support_wrinkles){0};
    support_wrinkle(cloth, &set, 2.5 + shift, 1, 4.5, 5, 40, 0.6f, 0.4f);
    support_wrinkle(cloth, &set, 5.5, 1, 4 + shift, 7, 40, 0.6f, 0.4f);
    pl_wrinkle_deform *deform = bind(cloth, true);
    pleat_vec4 *out = run(deform, cloth, &set);
    *highest = pl_wrinkle_deform_last(deform).highest;
    pl_wrinkle_deform_destroy(deform);
    return out;
}

static void test_wrinkle_deform_merges_and_is_continuous(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 4, 0, 0.2f);
    float highest;
    pleat_vec4 *base = merged(&cloth, 0, &highest);
    print_message("two crests of depth 0.4 meet: highest %.3f\n", highest);
    assert_true(highest > 0.4f && highest < 0.6f); /* the sum of two would be 0.8 */
    for (double shift = 1e-2; shift > 1e-4; shift /= 10)
    {
        pleat_vec4 *moved = merged(&cloth, shift, &highest);
        double most = 0;
        for (uint32_t v = 0; v < cloth.refined->vertex_count; ++v)
        {
            most = fmax(most, support_distance(base[v], moved[v]));
        }
        print_message("crests moved by %g: vertices by at most %g\n", shift, most);
        assert_true(most < 6 * shift);
        free(moved);
    }
    free(base);
    support_cloth_free(&cloth);
}

static void test_wrinkle_deform_does_not_depend_on_threads(void **state)
{
    (void)state;
    static support_wrinkles set;
    set = (support_wrinkles){0};
    support_cloth cloth = support_cloth_make(8, 4, 0, 0.3f);
    for (int i = 0; i < 10; ++i)
    {
        support_wrinkle(&cloth, &set, 0.3 + 0.7 * i, 0.5, 1 + 0.6 * i, 7.4, 60, 0.5f, i % 3 ? 0.3f : -0.3f);
    }
    pl_wrinkle_deform *deform = bind(&cloth, true);
    pleat_vec4 *one = run(deform, &cloth, &set);
    for (uint32_t threads = 2; threads <= 4; ++threads)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        pleat_vec4 *many = malloc(cloth.refined->vertex_count * sizeof *many);
        memcpy(many, cloth.positions, cloth.refined->vertex_count * sizeof *many);
        pl_wrinkle_deform_frame frame = {.coarse = cloth.coarse.positions,
                                         .positions = many,
                                         .normals = cloth.normals,
                                         .wrinkle_count = set.wrinkle_count,
                                         .wrinkles = set.wrinkles,
                                         .points = set.points,
                                         .tasks = &tasks};
        pl_wrinkle_deform_update(deform, &frame);
        assert_memory_equal(one, many, cloth.refined->vertex_count * sizeof *many);
        free(many);
        pleat_pool_destroy(pool);
    }
    free(one);
    pl_wrinkle_deform_destroy(deform);
    support_cloth_free(&cloth);
}

/* Cloth folded back over itself, a fifth of the wrinkle's width above: only the layer that the crest lies on moves. */
static void test_wrinkle_deform_keeps_layers_apart(void **state)
{
    (void)state;
    enum
    {
        ACROSS = 48,
        ALONG = 20
    };
    support_mesh m = support_mesh_new((ACROSS + 1) * (ALONG + 1), 2 * ACROSS * ALONG);
    uint32_t t = 0;
    for (uint32_t j = 0; j <= ALONG; ++j)
    {
        for (uint32_t i = 0; i <= ACROSS; ++i)
        {
            uint32_t v = j * (ACROSS + 1) + i, half = ACROSS / 2;
            support_mesh_point(&m, v, 0.25 * (i <= half ? i : ACROSS - i), 0.25 * j, i <= half ? 0 : 0.2);
            if (i < ACROSS && j < ALONG)
            {
                support_mesh_quad(&m, &t, v, v + 1, v + ACROSS + 2, v + ACROSS + 1);
            }
        }
    }
    support_mesh_finish(&m);
    uint32_t *triangle = malloc(m.vertex_count * sizeof *triangle);
    float *barycentric = calloc(m.vertex_count, 3 * sizeof *barycentric);
    pleat_vec4 *normals = malloc(m.vertex_count * sizeof *normals), *out = malloc(m.vertex_count * sizeof *out);
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        uint32_t corner = m.topology->ring_corner[m.topology->ring_start[v]];
        triangle[v] = corner / 3;
        barycentric[3 * v + corner % 3] = 1;
        normals[v] = (pleat_vec4){0, 0, v % (ACROSS + 1) <= ACROSS / 2 ? 1 : -1, 0};
    }
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = m.topology;
    desc.vertex_count = m.vertex_count;
    desc.vertex_triangle = triangle;
    desc.vertex_barycentric = barycentric;
    desc.wrinkle_capacity = 1;
    desc.point_capacity = ALONG + 1;
    pl_wrinkle_deform *deform = NULL;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &deform, NULL), PLEAT_OK);
    /* Far from the fold, and so near that the other layer hangs together with this one within reach. */
    for (uint32_t column = 8; column <= 23; column += 15)
    {
        pleat_wrinkle wrinkle = {.id = 1, .point_count = ALONG + 1, .seed = 3};
        pleat_wrinkle_point points[ALONG + 1];
        for (uint32_t j = 0; j <= ALONG; ++j)
        {
            uint32_t v = j * (ACROSS + 1) + column;
            points[j] = (pleat_wrinkle_point){.place.triangle = triangle[v], .width = 1, .depth = 0.4f};
            memcpy(points[j].place.barycentric, &barycentric[3 * v], 3 * sizeof(float));
        }
        memcpy(out, m.positions, m.vertex_count * sizeof *out);
        pl_wrinkle_deform_frame frame = {.coarse = out,
                                         .positions = out,
                                         .normals = normals,
                                         .wrinkle_count = 1,
                                         .wrinkles = &wrinkle,
                                         .points = points};
        pl_wrinkle_deform_update(deform, &frame);
        assert_true(pl_wrinkle_deform_last(deform).moved > 3 * ALONG);
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            if (v % (ACROSS + 1) > ACROSS / 2)
            {
                assert_memory_equal(&out[v], &m.positions[v], sizeof out[v]);
            }
        }
    }
    pl_wrinkle_deform_destroy(deform);
    free(triangle);
    free(barycentric);
    free(normals);
    free(out);
    support_mesh_free(&m);
}

/* How far from the line x = 4 the highest vertices of the rows stand, on cloth that subdivision has moved sideways. */
static double crookedness(const support_cloth *cloth, const pleat_vec4 *rest)
{
    static support_wrinkles set;
    set = (support_wrinkles){0};
    support_wrinkle(cloth, &set, 4, 0, 4, 8, 40, 0.6f, 0.4f);
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = cloth->coarse.topology;
    desc.vertex_count = cloth->refined->vertex_count;
    desc.vertex_triangle = cloth->refined->vertex_triangle;
    desc.vertex_barycentric = cloth->refined->vertex_barycentric;
    desc.coarse_rest = rest ? cloth->coarse.positions : NULL;
    desc.rest = rest;
    desc.slide = false;
    desc.wrinkle_capacity = 1;
    desc.point_capacity = 41;
    pl_wrinkle_deform *deform = NULL;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &deform, NULL), PLEAT_OK);
    pleat_vec4 *out = malloc(cloth->refined->vertex_count * sizeof *out);
    pleat_loop_points(cloth->loop, PLEAT_LOOP_SURFACE, cloth->coarse.positions, out, NULL);
    pl_wrinkle_deform_frame frame = {.coarse = cloth->coarse.positions,
                                     .positions = out,
                                     .normals = cloth->normals,
                                     .wrinkle_count = 1,
                                     .wrinkles = set.wrinkles,
                                     .points = set.points};
    pl_wrinkle_deform_update(deform, &frame);
    double worst = 0;
    for (uint32_t row = 16; row + 16 < cloth->lattice; ++row)
    {
        const pleat_vec4 *highest = NULL;
        for (uint32_t i = 0; i < cloth->lattice; ++i)
        {
            const pleat_vec4 *p = &out[cloth->at[(size_t)row * cloth->lattice + i]];
            highest = !highest || p->z > highest->z ? p : highest;
        }
        worst = fmax(worst, fabs((double)highest->x - 4));
    }
    free(out);
    pl_wrinkle_deform_destroy(deform);
    return worst;
}

static void test_wrinkle_deform_draws_straight_crests_straight(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(8, 4, 0, 0.3f);
    pleat_vec4 *rest = malloc(cloth.refined->vertex_count * sizeof *rest);
    pleat_loop_points(cloth.loop, PLEAT_LOOP_SURFACE, cloth.coarse.positions, rest, NULL);
    double by_parameter = crookedness(&cloth, NULL), by_place = crookedness(&cloth, rest);
    print_message(
        "a straight crest on subdivided cloth: off by %.3f where vertices count by their coordinates, by %.3f "
        "where they lie\n",
        by_parameter, by_place);
    assert_true(by_place < 0.06 && by_parameter > 2 * by_place); /* vertices are about 1/16 apart */
    free(rest);
    support_cloth_free(&cloth);
}

#ifdef PL_HAVE_AVX2
enum
{
    CLUSTER_SEGMENTS = 12
};

/* Vertices of one triangle in lanes, and the ball around them at rest. */
static void fill_cluster(pl_wrinkle_lanes *lanes, const float barycentric[][3], const pleat_vec4 *rest,
                         pl_wrinkle_cluster *cluster)
{
    cluster->rest_center = pl_set(0.25f, 0.25f, 0, 0);
    for (uint32_t i = 0; i < PL_CLUSTER_SIZE; ++i)
    {
        uint32_t v = i < cluster->count ? i : i / 8 * 8;
        pl_f4 at = pl_splat(0);
        for (int k = 0; k < 3; ++k)
        {
            lanes[i / 8].barycentric[k][i % 8] = barycentric[v][k];
            at += pl_load(&rest[k]) * pl_splat(barycentric[v][k]);
        }
        lanes[i / 8].mask[i % 8] = 1;
        lanes[i / 8].vertex[i % 8] = v;
        cluster->rest_radius = fmaxf(cluster->rest_radius, 1.001f * pl_length3(at - cluster->rest_center));
    }
}

/* Cloth that is half sound rises half as high. */
static void check_half_as_sound(pl_wrinkle_cluster_job job, const pl_wrinkle_cluster *cluster, const pleat_vec4 *sound)
{
    static const float half[] = {0.5f, 0.5f, 0.5f};
    pleat_vec4 positions[PL_CLUSTER_SIZE] = {0};
    float highest = 0;
    job.soundness = half;
    job.positions = positions;
    pl_wrinkle_cluster_run_base(&job, cluster);
    for (uint32_t v = 0; v < PL_CLUSTER_SIZE; ++v)
    {
        highest = fmaxf(highest, fabsf(sound[v].z));
        assert_true(fabsf(2 * positions[v].z - sound[v].z) < 1e-6f);
    }
    assert_true(highest > 0.05f);
}

/* Both builds of the kernel, over clusters of every size, with wrinkles to both sides. With a rest shape, every other
 * segment reaches less far there. */
static void test_wrinkle_cluster_has_one_result(void **state)
{
    (void)state;
    if (!pl_has_avx2())
    {
        print_message("skipped: this machine has no AVX2\n");
        skip();
    }
    static pl_wrinkle_profile profile;
    pl_wrinkle_profile_make(&profile);
    static const uint32_t triangle[] = {0, 1, 2};
    static const pleat_vec4 corners[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    static const float soundness[] = {1, 0.2f, 0};
    uint32_t seed = 5, moved = 0, head[1] = {0};
    pl_wrinkle_lanes lanes[PL_CLUSTER_SIZE / 8];
    float parts[2][PL_CAPSULE_PARTS][CLUSTER_SEGMENTS + 8] = {0}, *capsules[2][PL_CAPSULE_PARTS];
    for (int part = 0; part < 2 * PL_CAPSULE_PARTS; ++part)
    {
        capsules[part / PL_CAPSULE_PARTS][part % PL_CAPSULE_PARTS] =
            parts[part / PL_CAPSULE_PARTS][part % PL_CAPSULE_PARTS];
    }
    for (uint32_t count = 1; count <= PL_CLUSTER_SIZE; ++count)
    {
        pl_wrinkle_segment segments[CLUSTER_SEGMENTS] = {0};
        for (uint32_t i = 0; i < CLUSTER_SEGMENTS; ++i)
        {
            pl_f4 axis = pl_set(support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1), 0, 0);
            segments[i].from = pl_set(support_random_float(&seed, 0, 1), support_random_float(&seed, 0, 1), 0, 0);
            segments[i].axis = pl_normalize3(axis);
            segments[i].normal = pl_set(0, 0, 1, 0);
            segments[i].lean = pl_set(0.1f, 0.05f, 0, 0);
            segments[i].length = support_random_float(&seed, 0.1f, 0.5f);
            segments[i].width = support_random_float(&seed, 0.1f, 0.4f);
            segments[i].inverse = 1 / segments[i].width;
            segments[i].rest = segments[i].from;
            segments[i].rest_axis = segments[i].axis;
            segments[i].rest_length = segments[i].length;
            segments[i].rest_width = segments[i].width * (i % 2 ? 0.5f : 1);
            segments[i].weight = support_random_float(&seed, 0.2f, 2);
            segments[i].rise = support_random_float(&seed, -0.1f, 0.3f);
            segments[i].depth = support_random_float(&seed, 0.1f, 1.4f);
            segments[i].inward = i % 3 == 0;
            pl_wrinkle_capsule_put(&segments[i], capsules, i);
        }
        pl_wrinkle_run run = {.first = 0, .last = CLUSTER_SEGMENTS - 1, .next = PLEAT_NONE};
        pl_wrinkle_near near = {.head = head, .runs = &run};
        pleat_vec4 positions[2][PL_CLUSTER_SIZE], normals[PL_CLUSTER_SIZE];
        float barycentric[PL_CLUSTER_SIZE][3];
        for (uint32_t v = 0; v < PL_CLUSTER_SIZE; ++v)
        {
            float a = support_random_float(&seed, 0, 0.5f), b = support_random_float(&seed, 0, 0.5f);
            memcpy(barycentric[v], (float[3]){1 - a - b, a, b}, sizeof barycentric[v]);
            pl_f4 normal =
                pl_set(support_random_float(&seed, -0.3f, 0.3f), support_random_float(&seed, -0.3f, 0.3f), 1, 0);
            pl_store(&normals[v], pl_normalize3(normal));
            positions[0][v] = positions[1][v] = (pleat_vec4){a, b, 0, 0};
        }
        pl_wrinkle_cluster cluster = {.count = count};
        fill_cluster(lanes, barycentric, corners, &cluster);
        pl_wrinkle_cluster_job job = {.near = &near,
                                      .segments = segments,
                                      .profile = &profile,
                                      .lanes = lanes,
                                      .triangles = triangle,
                                      .coarse = corners,
                                      .rest = count % 2 ? corners : NULL,
                                      .soundness = count % 3 ? NULL : soundness,
                                      .slide = true,
                                      .positions = positions[0],
                                      .normals = normals};
        memcpy(job.capsules, capsules, sizeof job.capsules);
        pl_wrinkle_tally base = pl_wrinkle_cluster_run_base(&job, &cluster);
        job.positions = positions[1];
        pl_wrinkle_tally wide = pl_wrinkle_cluster_run_avx2(&job, &cluster);
        assert_memory_equal(positions[0], positions[1], sizeof positions[0]);
        assert_memory_equal(&base, &wide, sizeof base);
        moved += base.moved;
        if (count == PL_CLUSTER_SIZE) /* which is asked for without soundness */
        {
            check_half_as_sound(job, &cluster, positions[0]);
        }
        for (uint32_t v = count; v < PL_CLUSTER_SIZE; ++v)
        {
            assert_true(positions[0][v].z == 0);
        }
    }
    assert_true(moved > 200); /* of 528 */
}
#endif

static pleat_result create_for_sweep(void *user, const pleat_host *host, pleat_error *error)
{
    const support_cloth *cloth = user;
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = cloth->coarse.topology;
    desc.vertex_count = cloth->refined->vertex_count;
    desc.vertex_triangle = cloth->refined->vertex_triangle;
    desc.vertex_barycentric = cloth->refined->vertex_barycentric;
    desc.wrinkle_capacity = 4;
    desc.point_capacity = 64;
    pl_wrinkle_deform *deform;
    pleat_result result = pl_wrinkle_deform_create(&desc, host, &deform, error);
    pl_wrinkle_deform_destroy(deform);
    return result;
}

static void test_wrinkle_deform_out_of_memory(void **state)
{
    (void)state;
    support_cloth cloth = support_cloth_make(3, 1, 0, 0);
    support_sweep_allocations(create_for_sweep, &cloth);
    support_cloth_free(&cloth);
}

/* What does not fit is left out and counted; places that are none are, too. */
static void test_wrinkle_deform_leaves_out_what_does_not_fit(void **state)
{
    (void)state;
    static support_wrinkles set;
    set = (support_wrinkles){0};
    support_cloth cloth = support_cloth_make(4, 2, 0, 0);
    for (int i = 0; i < 3; ++i)
    {
        support_wrinkle(&cloth, &set, 1 + i, 0.5, 1 + i, 3.5, 10, 0.4f, 0.2f);
    }
    set.points[set.wrinkles[1].first_point + 4].place.triangle = 12345;
    set.points[set.wrinkles[2].first_point + 4].place.barycentric[0] = NAN;
    pl_wrinkle_deform *deform = bind(&cloth, true);
    pleat_vec4 *out = run(deform, &cloth, &set);
    assert_int_equal(pl_wrinkle_deform_last(deform).left_out, 2);
    assert_true(pl_wrinkle_deform_last(deform).moved > 0);
    for (uint32_t v = 0; v < cloth.refined->vertex_count; ++v)
    {
        assert_true(isfinite(out[v].x + out[v].y + out[v].z));
    }
    free(out);
    pl_wrinkle_deform_destroy(deform);
    support_cloth_free(&cloth);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkle_deform_rejects),
        cmocka_unit_test(test_wrinkle_profile_arc),
        cmocka_unit_test(test_wrinkle_deform_lone_crest),
        cmocka_unit_test(test_wrinkle_deform_restores_length),
        cmocka_unit_test(test_wrinkle_deform_slides_cloth_until_it_is_even),
        cmocka_unit_test(test_wrinkle_deform_merges_and_is_continuous),
        cmocka_unit_test(test_wrinkle_deform_does_not_depend_on_threads),
        cmocka_unit_test(test_wrinkle_deform_keeps_layers_apart),
        cmocka_unit_test(test_wrinkle_deform_draws_straight_crests_straight),
#ifdef PL_HAVE_AVX2
        cmocka_unit_test(test_wrinkle_cluster_has_one_result),
#endif
        cmocka_unit_test(test_wrinkle_deform_leaves_out_what_does_not_fit),
        cmocka_unit_test(test_wrinkle_deform_out_of_memory),
    };
    return cmocka_run_group_tests_name("wrinkle_deform", tests, NULL, NULL);
}
