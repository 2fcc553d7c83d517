/* Skinning and morph targets, held against closed forms; and the wide kernels against the plain loops, bit for bit. */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/rig.h"
#include "rig/skin.h"

#include <stdlib.h>

static const float half_turn = 3.14159265358979f;

/* ---- Helpers ---- */

enum
{
    MAX_VERTICES = 20000,
    MAX_JOINTS = 40
};

/* Buffers of a job. Random joints repeat within a vertex and weights of 0 occur, as in files. */
typedef struct scene
{
    uint16_t joints[MAX_VERTICES * 8];
    float weights[MAX_VERTICES * 8];
    pleat_vec4 positions[MAX_VERTICES], normals[MAX_VERTICES];
    pleat_vec4 out[MAX_VERTICES], out_normals[MAX_VERTICES];
    pleat_affine matrices[MAX_JOINTS];
    char scratch[(MAX_JOINTS + 1) * 64];
    pleat_skin_job job;
} scene;

static scene s; /* too large for a stack */

/* One number after the other: arguments of a call have no order. */
static pl_f4 random_vector(uint32_t *seed, float size)
{
    float x = support_random_float(seed, -size, size);
    float y = support_random_float(seed, -size, size);
    float z = support_random_float(seed, -size, size);
    return pl_set(x, y, z, 0);
}

static pl_f4 random_rotation(uint32_t *seed)
{
    pl_f4 q = random_vector(seed, 1);
    q[3] = support_random_float(seed, -1, 1);
    return pl_quat_normalize(q);
}

static pleat_affine matrix_of(pl_f4 rotation, pl_f4 translation)
{
    pleat_trs trs = {pl_to(translation), pl_quat_to(rotation), {1, 1, 1, 0}};
    return pl_affine_from_trs(&trs);
}

static pleat_affine random_matrix(uint32_t *seed, bool rigid)
{
    pl_f4 rotation = random_rotation(seed);
    pleat_affine m = matrix_of(rotation, random_vector(seed, 2));
    for (int i = 0; i < 9 && !rigid; ++i)
    {
        m.row[i / 3][i % 3] += support_random_float(seed, -0.4f, 0.4f);
    }
    return m;
}

static void make_scene(uint32_t vertex_count, uint32_t influence_count, uint32_t joint_count, pleat_skinning method,
                       bool rigid, uint32_t seed)
{
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        float sum = 0;
        float *weights = s.weights + v * influence_count;
        for (uint32_t i = 0; i < influence_count; ++i)
        {
            s.joints[v * influence_count + i] = (uint16_t)(support_random(&seed) % joint_count);
            bool used = i == v % influence_count || support_random(&seed) % 4;
            weights[i] = used ? support_random_float(&seed, 0.05f, 1) : 0;
            sum += weights[i];
        }
        for (uint32_t i = 0; i < influence_count; ++i)
        {
            weights[i] /= sum;
        }
        s.positions[v] = pl_to(random_vector(&seed, 3));
        s.normals[v] = pl_to(pl_normalize3(random_vector(&seed, 1)));
    }
    for (uint32_t j = 0; j < joint_count; ++j)
    {
        s.matrices[j] = random_matrix(&seed, rigid);
    }
    s.job = pleat_skin_job_default();
    s.job.method = method;
    s.job.vertex_count = vertex_count;
    s.job.influence_count = influence_count;
    s.job.joints = s.joints;
    s.job.weights = s.weights;
    s.job.joint_count = joint_count;
    s.job.matrices = s.matrices;
    s.job.positions = s.positions;
    s.job.normals = s.normals;
    s.job.out_positions = s.out;
    s.job.out_normals = s.out_normals;
    s.job.scratch = s.scratch;
}

static void run(void)
{
    pleat_error error = {0};
    if (pleat_skin_run(&s.job, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
}

static void assert_near(pleat_vec4 a, pl_f4 b, float tolerance)
{
    pl_f4 difference = pl_from(a) - b;
    if (!(pl_length3(difference) <= tolerance) || a.w != 0)
    {
        print_error("(%g, %g, %g, %g) is not (%g, %g, %g)\n", (double)a.x, (double)a.y, (double)a.z, (double)a.w,
                    (double)b[0], (double)b[1], (double)b[2]);
        fail();
    }
}

/* Two joints at half weight each, on one vertex. */
static void make_pair(pleat_skinning method, pleat_affine a, pleat_affine b, pl_f4 position, pl_f4 normal)
{
    make_scene(1, 4, 2, method, true, 1);
    memcpy(s.joints, (const uint16_t[]){0, 1, 0, 0}, 8);
    memcpy(s.weights, (const float[]){0.5f, 0.5f, 0, 0}, 16);
    s.matrices[0] = a;
    s.matrices[1] = b;
    s.positions[0] = pl_to(position);
    s.normals[0] = pl_to(normal);
}

/* lbs and dqs, with 4 and with 8 influences. */
static const struct
{
    pleat_skinning method;
    uint32_t width;
} cases[] = {{PLEAT_LBS, 4}, {PLEAT_DQS, 4}, {PLEAT_LBS, 8}, {PLEAT_DQS, 8}};

/* ---- Defaults and rejections ---- */

static void test_skin_defaults_and_an_empty_job_are_valid(void **state)
{
    (void)state;
    pleat_skin_job job = pleat_skin_job_default();
    assert_int_equal(job.method, PLEAT_LBS);
    assert_int_equal(job.influence_count, 4);
    assert_int_equal(pleat_skin_run(&job, NULL), PLEAT_OK);
    pleat_morph_job morph = pleat_morph_job_default();
    assert_int_equal(pleat_morph_run(&morph, NULL), PLEAT_OK);
}

static void assert_rejected(const char *word)
{
    pleat_error error = {0};
    assert_int_equal(pleat_skin_run(&s.job, &error), PLEAT_BAD_ARGUMENT);
    assert_int_equal(error.result, PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, word));
    assert_int_equal(pleat_skin_run(&s.job, NULL), PLEAT_BAD_ARGUMENT);
}

static void test_skin_rejects_jobs_that_are_not_filled(void **state)
{
    (void)state;
#define REJECT(field, value)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        make_scene(3, 4, 2, PLEAT_DQS, true, 1);                                                                       \
        s.job.field = value;                                                                                           \
        assert_rejected(#field);                                                                                       \
    } while (0)
    REJECT(method, (pleat_skinning)7);
    REJECT(influence_count, 0);
    REJECT(influence_count, 5);
    REJECT(joint_count, 0);
    REJECT(joints, NULL);
    REJECT(weights, NULL);
    REJECT(matrices, NULL);
    REJECT(positions, NULL);
    REJECT(normals, NULL);
    REJECT(out_positions, NULL);
    REJECT(out_normals, NULL);
    REJECT(scratch, NULL);
#undef REJECT
}

static void test_skin_morph_rejects_jobs_that_are_not_filled(void **state)
{
    (void)state;
    static pleat_vec4 in[2], out[2];
    static const pleat_target target = {NULL, NULL};
    static const float weight = 1;
    const pleat_morph_job good = {.vertex_count = 2,
                                  .target_count = 1,
                                  .targets = &target,
                                  .weights = &weight,
                                  .positions = in,
                                  .normals = in,
                                  .out_positions = out,
                                  .out_normals = out};
    assert_int_equal(pleat_morph_run(&good, NULL), PLEAT_OK);
#define REJECT(field)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        pleat_morph_job job = good;                                                                                    \
        job.field = NULL;                                                                                              \
        pleat_error error = {0};                                                                                       \
        assert_int_equal(pleat_morph_run(&job, &error), PLEAT_BAD_ARGUMENT);                                           \
        assert_non_null(strstr(error.message, #field));                                                                \
    } while (0)
    REJECT(weights);
    REJECT(positions);
    REJECT(normals);
    REJECT(out_positions);
    REJECT(out_normals);
#undef REJECT
}

/* ---- Closed forms ---- */

static void test_skin_equal_joints_are_one_matrix(void **state)
{
    (void)state;
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        for (uint32_t rigid = 0; rigid < 2; ++rigid)
        {
            make_scene(100, width, 7, method, rigid, 11 + pick);
            for (uint32_t j = 1; j < 7; ++j)
            {
                s.matrices[j] = s.matrices[0];
            }
            run();
            pleat_affine inverse;
            assert_true(pl_affine_inverse(&s.matrices[0], &inverse));
            for (uint32_t v = 0; v < 100; ++v)
            {
                assert_near(s.out[v], pl_affine_point(&s.matrices[0], pl_from(s.positions[v])), 1e-5f);
                /* the inverse transpose, by its own definition */
                pl_f4 n = pl_from(s.normals[v]);
                pl_f4 turned = pl_affine_row(&inverse, 0) * pl_splat(n[0]) +
                               pl_affine_row(&inverse, 1) * pl_splat(n[1]) +
                               pl_affine_row(&inverse, 2) * pl_splat(n[2]);
                turned[3] = 0;
                assert_near(s.out_normals[v], pl_normalize3(turned), 2e-5f);
            }
        }
    }
}

static void test_skin_one_joint_moves_its_vertices_by_its_matrix(void **state)
{
    (void)state;
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(200, width, 20, method, false, 3);
        for (uint32_t v = 0; v < 200; ++v)
        {
            float *weights = s.weights + v * width;
            memset(weights, 0, width * sizeof *weights);
            weights[v % width] = 1;
        }
        run();
        for (uint32_t v = 0; v < 200; ++v)
        {
            const pleat_affine *matrix = &s.matrices[s.joints[v * width + v % width]];
            assert_near(s.out[v], pl_affine_point(matrix, pl_from(s.positions[v])), 2e-5f);
        }
    }
}

static void test_skin_twist_collapses_lbs_and_keeps_the_radius_of_dqs(void **state)
{
    (void)state;
    /* A point at radius 2 around x between a resting joint and one twisted by an angle: lbs gives the mean, at radius
     * 2 cos(angle/2); dqs gives the point turned by half of the angle. */
    pl_f4 point = pl_set(5, 2, 0, 0);
    for (uint32_t i = 0; i <= 17; ++i)
    {
        float angle = (float)i * half_turn / 18;
        pl_f4 twist = pl_quat_axis_angle(pl_set(1, 0, 0, 0), angle);
        pl_f4 halfway = pl_set(5, 2 * cosf(angle / 2), 2 * sinf(angle / 2), 0);
        make_pair(PLEAT_DQS, pl_affine_identity(), matrix_of(twist, pl_splat(0)), point, pl_set(0, 1, 0, 0));
        run();
        assert_near(s.out[0], halfway, 2e-6f);
        assert_near(s.out_normals[0], pl_set(0, cosf(angle / 2), sinf(angle / 2), 0), 1e-6f);
        s.job.method = PLEAT_LBS;
        run();
        float shrunk = cosf(angle / 2);
        assert_near(s.out[0], pl_set(5, halfway[1] * shrunk, halfway[2] * shrunk, 0), 2e-6f);
    }
}

static void test_skin_dqs_moves_along_a_screw(void **state)
{
    (void)state;
    /* Halfway of a turn about an axis that does not pass through the origin, with a rise along it: half the turn about
     * the same axis, half the rise. */
    pl_f4 center = pl_set(1, 2, 0, 0);
    float angle = 1.3f;
    pl_f4 turn = pl_quat_axis_angle(pl_set(0, 0, 1, 0), angle);
    pl_f4 move = center - pl_quat_rotate(turn, center) + pl_set(0, 0, 4, 0);
    pl_f4 point = pl_set(3, 2, 1, 0);
    make_pair(PLEAT_DQS, pl_affine_identity(), matrix_of(turn, move), point, pl_set(1, 0, 0, 0));
    run();
    assert_near(s.out[0], pl_set(1 + 2 * cosf(angle / 2), 2 + 2 * sinf(angle / 2), 3, 0), 3e-6f);
}

static void test_skin_dqs_takes_the_short_way_for_either_sign(void **state)
{
    (void)state;
    /* Turned by 350 degrees, that is by -10: halfway lies at -5, not at 175. All slots and orders of the two joints,
     * so that the pivot is not always the first influence. */
    float degree = half_turn / 180;
    pl_f4 point = pl_set(1, 0, 0, 0);
    pleat_affine still = pl_affine_identity();
    pleat_affine turned = matrix_of(pl_quat_axis_angle(pl_set(0, 0, 1, 0), 350 * degree), pl_splat(0));
    for (uint32_t first = 0; first < 2; ++first)
    {
        make_pair(PLEAT_DQS, first ? turned : still, first ? still : turned, point, point);
        run();
        assert_near(s.out[0], pl_set(cosf(5 * degree), -sinf(5 * degree), 0, 0), 2e-6f);
    }
    /* 340 and 20 degrees over a weight of 3/4 on the latter, which stands second */
    make_pair(PLEAT_DQS, matrix_of(pl_quat_axis_angle(pl_set(0, 0, 1, 0), 340 * degree), pl_splat(0)),
              matrix_of(pl_quat_axis_angle(pl_set(0, 0, 1, 0), 20 * degree), pl_splat(0)), point, point);
    memcpy(s.weights, (const float[]){0.25f, 0.75f, 0, 0}, 16);
    run();
    /* the sum of unit quaternions at -10 and +10 degrees (of half angle), weighted */
    float half = atan2f(0.5f * sinf(10 * degree), cosf(10 * degree));
    assert_near(s.out[0], pl_set(cosf(2 * half), sinf(2 * half), 0, 0), 2e-6f);
}

static void test_skin_dqs_does_not_depend_on_signs_or_order(void **state)
{
    (void)state;
    make_scene(500, 4, 30, PLEAT_DQS, true, 21);
    pl_skin_work work = pl_skin_prepare(&s.job);
    work.one_side = false;
    pl_skin_dqs_scalar(&work, 0, 500);
    static pleat_vec4 before[500];
    memcpy(before, s.out, sizeof before);
    uint32_t seed = 4;
    pl_skin_joint *joints = (pl_skin_joint *)(uintptr_t)work.joints;
    for (uint32_t j = 0; j < 30; ++j)
    {
        float sign = support_random(&seed) % 2 ? -1.0f : 1.0f;
        for (uint32_t c = 0; c < 4; ++c)
        {
            joints[j].real[c] *= sign;
            joints[j].dual[c] *= sign;
        }
    }
    pl_skin_dqs_scalar(&work, 0, 500);
    assert_memory_equal(before, s.out, sizeof before);
    /* the other order of influences: equal up to rounding */
    for (uint32_t v = 0; v < 500; ++v)
    {
        for (uint32_t i = 0; i < 2; ++i)
        {
            uint16_t joint = s.joints[4 * v + i];
            float weight = s.weights[4 * v + i];
            s.joints[4 * v + i] = s.joints[4 * v + 3 - i];
            s.weights[4 * v + i] = s.weights[4 * v + 3 - i];
            s.joints[4 * v + 3 - i] = joint;
            s.weights[4 * v + 3 - i] = weight;
        }
    }
    run();
    for (uint32_t v = 0; v < 500; ++v)
    {
        assert_near(s.out[v], pl_from(before[v]), 2e-5f);
    }
}

static void test_skin_mirrors_and_uneven_scale_come_out_right(void **state)
{
    (void)state;
    /* A mirror with uneven scale on both joints: positions by hand, and the face x = 1 of a cube becomes x = -2, whose
     * normal points to -x. A slanted normal goes with 1 / scale. */
    pleat_affine mirror = {{{-2, 0, 0, 0}, {0, 3, 0, 1}, {0, 0, 0.5f, 0}}};
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(2, width, 2, method, true, 5);
        s.matrices[0] = s.matrices[1] = mirror;
        s.positions[0] = s.positions[1] = (pleat_vec4){1, 1, 2, 0};
        s.normals[0] = (pleat_vec4){1, 0, 0, 0};
        s.normals[1] = pl_to(pl_normalize3(pl_set(1, 1, 1, 0)));
        run();
        assert_near(s.out[0], pl_set(-2, 4, 1, 0), 2e-6f);
        assert_near(s.out_normals[0], pl_set(-1, 0, 0, 0), 1e-6f);
        assert_near(s.out_normals[1], pl_normalize3(pl_set(-0.5f, 1.0f / 3, 2, 0)), 1e-6f);
    }
    /* Stretched by 1 and by 3 at half weight each: both methods stretch by 2. */
    pleat_affine stretched = {{{3, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    for (uint32_t m = 0; m < 2; ++m)
    {
        make_pair(cases[m].method, pl_affine_identity(), stretched, pl_set(1, 1, 1, 0),
                  pl_normalize3(pl_set(1, 1, 0, 0)));
        run();
        assert_near(s.out[0], pl_set(2, 1, 1, 0), 1e-6f);
        assert_near(s.out_normals[0], pl_normalize3(pl_set(0.5f, 1, 0, 0)), 1e-6f);
    }
}

static void test_skin_normals_stay_perpendicular_to_their_plane(void **state)
{
    (void)state;
    /* One sheared matrix on all joints: a plane stays a plane; its normal must stay perpendicular to its directions. */
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(90, width, 5, method, false, 31 + pick);
        s.matrices[0] = (pleat_affine){{{1, 0.7f, 0, 1}, {0.1f, 0.6f, -0.4f, 2}, {0, 0.3f, 1.5f, 3}}};
        for (uint32_t j = 1; j < 5; ++j)
        {
            s.matrices[j] = s.matrices[0];
        }
        pl_f4 normal = pl_normalize3(pl_set(1, 2, -1, 0));
        pl_f4 u = pl_perpendicular(normal);
        pl_f4 v = pl_cross(normal, u);
        for (uint32_t i = 0; i < 90; ++i)
        {
            s.positions[i] = pl_to(u * pl_splat((float)(i % 9)) + v * pl_splat((float)(i / 9)));
            s.normals[i] = pl_to(normal);
        }
        run();
        for (uint32_t i = 1; i < 90; ++i)
        {
            pl_f4 along = pl_normalize3(pl_from(s.out[i]) - pl_from(s.out[0]));
            assert_true(fabsf(pl_dot3(along, pl_from(s.out_normals[i]))) < 2e-6f);
            assert_true(fabsf(pl_length3(pl_from(s.out_normals[i])) - 1) < 1e-6f);
        }
    }
}

static void test_skin_moves_with_the_world(void **state)
{
    (void)state;
    /* Skinning after a rigid motion of all joints is the motion after skinning. */
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(300, width, 12, method, false, 41 + pick);
        run();
        static pleat_vec4 before[300], normals_before[300];
        memcpy(before, s.out, sizeof before);
        memcpy(normals_before, s.out_normals, sizeof normals_before);
        uint32_t seed = 77;
        pleat_affine motion = random_matrix(&seed, true);
        for (uint32_t j = 0; j < 12; ++j)
        {
            s.matrices[j] = pl_affine_mul(&motion, &s.matrices[j]);
        }
        run();
        for (uint32_t v = 0; v < 300; ++v)
        {
            assert_near(s.out[v], pl_affine_point(&motion, pl_from(before[v])), 5e-5f);
            assert_near(s.out_normals[v], pl_affine_vector(&motion, pl_from(normals_before[v])), 2e-4f);
        }
    }
}

static void test_skin_dqs_keeps_rigid_neighbourhoods(void **state)
{
    (void)state;
    /* Rigid joints: two points with the same weights keep their distance under dqs, whatever the joints do. */
    make_scene(400, 8, 25, PLEAT_DQS, true, 51);
    for (uint32_t v = 1; v < 400; v += 2)
    {
        memcpy(s.joints + 8 * v, s.joints + 8 * (v - 1), 8 * sizeof *s.joints);
        memcpy(s.weights + 8 * v, s.weights + 8 * (v - 1), 8 * sizeof *s.weights);
    }
    run();
    for (uint32_t v = 1; v < 400; v += 2)
    {
        float before = pl_length3(pl_from(s.positions[v]) - pl_from(s.positions[v - 1]));
        float after = pl_length3(pl_from(s.out[v]) - pl_from(s.out[v - 1]));
        assert_true(fabsf(before - after) < 2e-5f);
    }
}

static void test_skin_flat_matrices_give_no_nan(void **state)
{
    (void)state;
    /* Scale 0 along one, two and all axes, alone and mixed with others; zero normals; weights of 0 alone. */
    static const pleat_affine flat[] = {{{{1, 0, 0, 1}, {0, 1, 0, 2}, {0, 0, 0, 3}}},
                                        {{{0, 0, 0, 1}, {0, 2, 0, 2}, {0, 0, 0, 3}}},
                                        {{{0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 0, 3}}},
                                        {{{1e-30f, 0, 0, 0}, {0, 1e-30f, 0, 0}, {0, 0, -1e-30f, 0}}},
                                        {{{1, 2, 3, 0}, {1, 2, 3, 0}, {1, 2, 3, 0}}}};
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(333, width, 8, method, false, 61);
        memcpy(s.matrices, flat, sizeof flat);
        memset(&s.normals[100], 0, 50 * sizeof s.normals[0]);
        memset(s.weights + 200 * width, 0, 20 * width * sizeof *s.weights);
        run();
        for (uint32_t v = 0; v < 333; ++v)
        {
            assert_true(isfinite(s.out[v].x) && isfinite(s.out[v].y) && isfinite(s.out[v].z) && s.out[v].w == 0);
            float length = pl_length3(pl_from(s.out_normals[v]));
            assert_true(v >= 100 && v < 150 ? length == 0 : fabsf(length - 1) < 1e-5f);
        }
    }
    /* flat along z: the normal is still known */
    make_pair(PLEAT_LBS, flat[0], flat[0], pl_set(1, 1, 1, 0), pl_normalize3(pl_set(1, 1, 1, 0)));
    run();
    assert_near(s.out[0], pl_set(2, 3, 3, 0), 1e-6f);
    assert_near(s.out_normals[0], pl_set(0, 0, 1, 0), 1e-6f);
}

/* ---- Kernels, threads, buffers ---- */

static void run_kernel(pl_skin_kernel *kernel, const pl_skin_work *work, uint32_t begin, uint32_t end)
{
    memset(s.out, 0x55, sizeof s.out[0] * (end + 8));
    memset(s.out_normals, 0x55, sizeof s.out[0] * (end + 8));
    kernel(work, begin, end);
}

static void test_skin_kernels_give_the_bits_of_the_definition(void **state)
{
    (void)state;
    enum
    {
        LONGEST = 90
    };
    static pleat_vec4 expected[LONGEST + 8], expected_normals[LONGEST + 8];
    const pl_skin_kernels *kernels;
    uint32_t kernel_count = pl_skin_all_kernels(&kernels);
    assert_true(kernel_count >= 2);
    /* bit 0: rigid; bit 1: joints on one side; bit 2: without normals */
    for (uint32_t kind = 0; kind < 8; ++kind)
    {
        for (uint32_t pick = 0; pick < 4; ++pick)
        {
            pleat_skinning method = cases[pick].method;
            uint32_t width = cases[pick].width;
            for (uint32_t count = 0; count <= LONGEST; ++count)
            {
                make_scene(LONGEST + 1, width, 9, method, kind & 1, 71 + kind);
                for (uint32_t j = 0; j < 9 && (kind & 2); ++j)
                {
                    s.matrices[j] = matrix_of(pl_quat_normalize(pl_set(0.03f * (float)j, 0.1f, 0, 1)), pl_splat(0.5f));
                    s.matrices[j].row[0][0] += kind & 1 ? 0 : 0.1f * (float)j;
                }
                s.job.normals = kind & 4 ? NULL : s.normals;
                s.job.out_normals = kind & 4 ? NULL : s.out_normals;
                pl_skin_work work = pl_skin_prepare(&s.job);
                if (method == PLEAT_DQS)
                {
                    assert_true(work.one_stretch == (kind & 1));
                    assert_true(work.one_side == ((kind & 2) != 0));
                }
                uint32_t begin = count % 3;
                uint32_t end = begin + count > LONGEST ? LONGEST : begin + count;
                run_kernel(method == PLEAT_LBS ? pl_skin_lbs_scalar : pl_skin_dqs_scalar, &work, begin, end);
                memcpy(expected, s.out, sizeof expected);
                memcpy(expected_normals, s.out_normals, sizeof expected_normals);
                for (uint32_t k = 1; k < kernel_count; ++k)
                {
                    run_kernel(method == PLEAT_LBS ? kernels[k].lbs : kernels[k].dqs, &work, begin, end);
                    /* also that nothing outside of begin..end was touched */
                    assert_memory_equal(s.out, expected, (end + 8) * sizeof expected[0]);
                    assert_memory_equal(s.out_normals, expected_normals, (end + 8) * sizeof expected[0]);
                }
            }
        }
    }
}

static uint64_t hash_of_run(void)
{
    uint32_t count = s.job.vertex_count;
    memset(s.out, 0, sizeof s.out);
    memset(s.out_normals, 0, sizeof s.out_normals);
    run();
    return support_hash(support_hash(SUPPORT_HASH, s.out, count * sizeof s.out[0]), s.out_normals,
                        count * sizeof s.out[0]);
}

static void test_skin_results_do_not_depend_on_threads(void **state)
{
    (void)state;
    /* Nothing but sums, products, quotients and square roots goes in: the hashes hold on every machine. */
    uint32_t wrong = 0;
    static const uint64_t golden[4] = {0x5ddfc060dc3e3682u, 0x10519178b5f62905u, 0xcd3abd2ad854ec19u,
                                       0xa0447f6378355cbau};
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(MAX_VERTICES - 13, width, MAX_JOINTS, method, true, 81);
        for (uint32_t j = 0; j < MAX_JOINTS; ++j)
        {
            pl_f4 q = pl_quat_normalize(pl_set((float)(j % 5) - 2, (float)(j % 7) - 3, (float)(j % 3), 2));
            s.matrices[j] = matrix_of(q, pl_set((float)j, 1, 0.5f, 0));
        }
        uint64_t alone = hash_of_run();
        for (uint32_t threads = 1; threads <= 4; threads *= 2)
        {
            pleat_pool *pool;
            assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
            pleat_tasks tasks = pleat_pool_tasks(pool);
            s.job.tasks = &tasks;
            assert_true(hash_of_run() == alone);
            pleat_pool_destroy(pool);
        }
        if (alone != golden[pick])
        {
            print_error("hash %u is 0x%016llx\n", pick, (unsigned long long)alone);
            ++wrong;
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_skin_may_write_over_its_input(void **state)
{
    (void)state;
    static pleat_vec4 expected[1001], expected_normals[1001];
    for (uint32_t pick = 0; pick < 4; ++pick)
    {
        pleat_skinning method = cases[pick].method;
        uint32_t width = cases[pick].width;
        make_scene(1001, width, 9, method, false, 91);
        run();
        memcpy(expected, s.out, sizeof expected);
        memcpy(expected_normals, s.out_normals, sizeof expected_normals);
        s.job.out_positions = s.positions;
        s.job.out_normals = s.normals;
        s.job.scratch = s.scratch + 1; /* any alignment */
        s.job.joint_count = 9;
        run();
        assert_memory_equal(s.positions, expected, sizeof expected);
        assert_memory_equal(s.normals, expected_normals, sizeof expected_normals);
    }
}

/* ---- Morph targets ---- */

static void test_skin_morph_adds_weighted_targets(void **state)
{
    (void)state;
    enum
    {
        COUNT = 2500
    };
    static pleat_vec4 positions[COUNT], normals[COUNT], out[COUNT], out_normals[COUNT], once[COUNT];
    static pleat_vec3 moves[3][COUNT], turns[3][COUNT];
    uint32_t seed = 9;
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        positions[v] = pl_to(random_vector(&seed, 1));
        normals[v] = pl_to(pl_normalize3(random_vector(&seed, 1)));
        for (uint32_t t = 0; t < 3; ++t)
        {
            pl_store3(&moves[t][v], random_vector(&seed, 1));
            pl_store3(&turns[t][v], random_vector(&seed, 0.2f));
        }
        moves[1][v].y = NAN; /* never read: its weight is 0 */
    }
    const pleat_target targets[] = {{moves[0], turns[0]}, {moves[1], turns[1]}, {moves[2], NULL}};
    const float weights[] = {0.5f, 0, -2};
    pleat_morph_job job = {.vertex_count = COUNT,
                           .target_count = 3,
                           .targets = targets,
                           .weights = weights,
                           .positions = positions,
                           .normals = normals,
                           .out_positions = out,
                           .out_normals = out_normals};
    assert_int_equal(pleat_morph_run(&job, NULL), PLEAT_OK);
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        pl_f4 move = pl_splat(0.5f) * pl_load3(&moves[0][v]) - pl_splat(2) * pl_load3(&moves[2][v]);
        assert_near(out[v], pl_from(positions[v]) + move, 1e-6f);
        pl_f4 normal = pl_normalize3(pl_from(normals[v]) + pl_splat(0.5f) * pl_load3(&turns[0][v]));
        assert_near(out_normals[v], normal, 1e-6f);
    }
    memcpy(once, out, sizeof once);
    /* threads, and in place */
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(4, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    job.tasks = &tasks;
    job.out_positions = positions;
    job.normals = job.out_normals = NULL;
    assert_int_equal(pleat_morph_run(&job, NULL), PLEAT_OK);
    assert_memory_equal(positions, once, sizeof once);
    pleat_pool_destroy(pool);
}

static void test_skin_morph_without_weight_gives_the_input_back(void **state)
{
    (void)state;
    static const pleat_vec4 in[3] = {{1, 2, 3, 0}, {-0.0f, 5, 6, 0}, {7, 8, 9, 0}};
    static const pleat_vec3 move[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    static const pleat_target target = {move, move};
    static const float weight = 0;
    pleat_vec4 out[3], out_normals[3];
    pleat_morph_job job = {.vertex_count = 3,
                           .target_count = 1,
                           .targets = &target,
                           .weights = &weight,
                           .positions = in,
                           .normals = in,
                           .out_positions = out,
                           .out_normals = out_normals};
    for (uint32_t round = 0; round < 2; ++round)
    {
        memset(out, 0x77, sizeof out);
        memset(out_normals, 0x77, sizeof out_normals);
        assert_int_equal(pleat_morph_run(&job, NULL), PLEAT_OK);
        assert_memory_equal(out, in, sizeof in);
        assert_memory_equal(out_normals, in, sizeof in);
        job.targets = NULL; /* a primitive without targets, in a mesh that has some */
    }
}

static void test_skin_morph_takes_the_rows_that_source_names(void **state)
{
    (void)state;
    static const pleat_vec4 in[3] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}};
    static const pleat_vec3 move[2] = {{0, 10, 0}, {0, 20, 0}};
    static const pleat_target target = {move, NULL};
    static const float weight = 2;
    static const uint32_t source[3] = {1, 0, 1};
    pleat_vec4 out[3];
    pleat_morph_job job = {.vertex_count = 3,
                           .target_count = 1,
                           .targets = &target,
                           .weights = &weight,
                           .positions = in,
                           .out_positions = out,
                           .source = source};
    assert_int_equal(pleat_morph_run(&job, NULL), PLEAT_OK);
    assert_near(out[0], pl_set(1, 40, 0, 0), 0);
    assert_near(out[1], pl_set(2, 20, 0, 0), 0);
    assert_near(out[2], pl_set(3, 40, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skin_defaults_and_an_empty_job_are_valid),
        cmocka_unit_test(test_skin_rejects_jobs_that_are_not_filled),
        cmocka_unit_test(test_skin_morph_rejects_jobs_that_are_not_filled),
        cmocka_unit_test(test_skin_equal_joints_are_one_matrix),
        cmocka_unit_test(test_skin_one_joint_moves_its_vertices_by_its_matrix),
        cmocka_unit_test(test_skin_twist_collapses_lbs_and_keeps_the_radius_of_dqs),
        cmocka_unit_test(test_skin_dqs_moves_along_a_screw),
        cmocka_unit_test(test_skin_dqs_takes_the_short_way_for_either_sign),
        cmocka_unit_test(test_skin_dqs_does_not_depend_on_signs_or_order),
        cmocka_unit_test(test_skin_mirrors_and_uneven_scale_come_out_right),
        cmocka_unit_test(test_skin_normals_stay_perpendicular_to_their_plane),
        cmocka_unit_test(test_skin_moves_with_the_world),
        cmocka_unit_test(test_skin_dqs_keeps_rigid_neighbourhoods),
        cmocka_unit_test(test_skin_flat_matrices_give_no_nan),
        cmocka_unit_test(test_skin_kernels_give_the_bits_of_the_definition),
        cmocka_unit_test(test_skin_results_do_not_depend_on_threads),
        cmocka_unit_test(test_skin_may_write_over_its_input),
        cmocka_unit_test(test_skin_morph_adds_weighted_targets),
        cmocka_unit_test(test_skin_morph_without_weight_gives_the_input_back),
        cmocka_unit_test(test_skin_morph_takes_the_rows_that_source_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
