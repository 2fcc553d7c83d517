/* The stretch field: means judged by closed forms and by the equation that defines them, the field by deformations that
 * are known everywhere. */
#include "support/shapes.h"
#include "support/support.h"

#include "mesh/strain/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Matrices in double: a judge of its own ---- */

typedef struct matrix
{
    double xx, xy, yy;
} matrix;

static matrix random_matrix(uint32_t *seed, float spread)
{
    double large = exp((double)support_random_float(seed, -spread, spread));
    double small = exp((double)support_random_float(seed, -spread, spread));
    double angle = (double)support_random_float(seed, 0, 3.14159f), c = cos(angle), s = sin(angle);
    return (matrix){large * c * c + small * s * s, (large - small) * c * s, large * s * s + small * c * c};
}

/* f of a symmetric matrix, by its eigenvectors. */
static matrix apply(matrix m, double (*f)(double))
{
    double angle = 0.5 * atan2(2 * m.xy, m.xx - m.yy), c = cos(angle), s = sin(angle);
    double first = m.xx * c * c + 2 * m.xy * c * s + m.yy * s * s;
    double second = m.xx * s * s - 2 * m.xy * c * s + m.yy * c * c;
    first = f(first);
    second = f(second);
    return (matrix){first * c * c + second * s * s, (first - second) * c * s, first * s * s + second * c * c};
}

/* g m g^T for any g. */
static matrix congruent(const double g[4], matrix m)
{
    double a = g[0] * m.xx + g[1] * m.xy, b = g[0] * m.xy + g[1] * m.yy;
    double c = g[2] * m.xx + g[3] * m.xy, d = g[2] * m.xy + g[3] * m.yy;
    return (matrix){a * g[0] + b * g[1], a * g[2] + b * g[3], c * g[2] + d * g[3]};
}

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

static pl_tensor to_tensor(matrix m)
{
    return pl_tensor_from((float)m.xx, (float)m.xy, (float)m.yy);
}

static matrix from_tensor(pl_tensor tensor)
{
    float xx, xy, yy;
    pl_tensor_to(&tensor, &xx, &xy, &yy);
    return (matrix){(double)xx, (double)xy, (double)yy};
}

static void assert_close(matrix a, matrix b, double tolerance)
{
    double size = fabs(a.xx) + fabs(a.yy);
    assert_true(fabs(a.xx - b.xx) < tolerance * size && fabs(a.xy - b.xy) < tolerance * size &&
                fabs(a.yy - b.yy) < tolerance * size);
}

/* Of two tensors half way the mean is (A / a + B / b) sqrt(a b) / sqrt(det(A / a + B / b)), a^2 = det A, b^2 = det B.
 */
static void test_mean_of_two_has_its_closed_form(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int round = 0; round < 2000; ++round)
    {
        matrix a = random_matrix(&seed, 1), b = random_matrix(&seed, 1);
        double da = sqrt(a.xx * a.yy - a.xy * a.xy), db = sqrt(b.xx * b.yy - b.xy * b.xy);
        matrix sum = {a.xx / da + b.xx / db, a.xy / da + b.xy / db, a.yy / da + b.yy / db};
        double scale = sqrt(da * db / (sum.xx * sum.yy - sum.xy * sum.xy));
        matrix expected = {sum.xx * scale, sum.xy * scale, sum.yy * scale};
        pl_tensor both[2] = {to_tensor(a), to_tensor(b)};
        assert_close(from_tensor(pl_tensor_mean(both, (float[]){0.5f, 0.5f}, 2)), expected, 2e-5);
    }
}

/* The equation itself: at the mean M, the sum of w log(M^-1/2 U M^-1/2) is 0. */
static void test_mean_of_many_solves_the_equation(void **state)
{
    (void)state;
    uint32_t seed = 77;
    for (int round = 0; round < 500; ++round)
    {
        enum
        {
            COUNT = 6
        };
        matrix all[COUNT];
        pl_tensor tensors[COUNT];
        float weights[COUNT], sum = 0;
        for (int i = 0; i < COUNT; ++i)
        {
            all[i] = random_matrix(&seed, 0.8f);
            tensors[i] = to_tensor(all[i]);
            sum += weights[i] = support_random_float(&seed, 0.1f, 1);
        }
        for (int i = 0; i < COUNT; ++i)
        {
            weights[i] /= sum;
        }
        matrix root = apply(from_tensor(pl_tensor_mean(tensors, weights, COUNT)), inverse_root);
        double g[4] = {root.xx, root.xy, root.xy, root.yy};
        matrix rest = {0, 0, 0};
        for (int i = 0; i < COUNT; ++i)
        {
            matrix log_i = apply(congruent(g, all[i]), log);
            rest.xx += (double)weights[i] * log_i.xx;
            rest.xy += (double)weights[i] * log_i.xy;
            rest.yy += (double)weights[i] * log_i.yy;
        }
        assert_true(fabs(rest.xx) < 1e-4 && fabs(rest.xy) < 1e-4 && fabs(rest.yy) < 1e-4);
    }
}

/* A mean of tensors in other coordinates, even stretched ones, is the mean in those coordinates. */
static void test_mean_is_affine_invariant(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int round = 0; round < 500; ++round)
    {
        double g[4];
        do
        {
            for (int i = 0; i < 4; ++i)
            {
                g[i] = (double)support_random_float(&seed, -1.5f, 1.5f);
            }
        } while (fabs(g[0] * g[3] - g[1] * g[2]) < 0.4);
        matrix all[3];
        pl_tensor before[3], after[3];
        float weights[3] = {0.2f, 0.5f, 0.3f};
        for (int i = 0; i < 3; ++i)
        {
            all[i] = random_matrix(&seed, 0.7f);
            before[i] = to_tensor(all[i]);
            after[i] = to_tensor(congruent(g, all[i]));
        }
        assert_close(congruent(g, from_tensor(pl_tensor_mean(before, weights, 3))),
                     from_tensor(pl_tensor_mean(after, weights, 3)), 1e-4);
    }
}

/* Stretches that pass the range are brought into it, and give numbers. */
static void test_flattened_tensors_stay_finite(void **state)
{
    (void)state;
    matrix flat = from_tensor(pl_tensor_from(0, 0, 1));
    assert_close(flat, (matrix){0.01, 0, 1}, 1e-5);
    assert_close(from_tensor(pl_tensor_from(0, 0, 0)), (matrix){0.01, 0, 0.01}, 1e-5);
    pl_tensor both[2] = {pl_tensor_from(0, 0, 1), pl_tensor_from(1, 0, 0)};
    assert_close(from_tensor(pl_tensor_mean(both, (float[]){0.5f, 0.5f}, 2)), (matrix){0.1, 0, 0.1}, 1e-4);
}

/* ---- The field ---- */

static pleat_strain_field *make_field(const support_mesh *m)
{
    pleat_strain_field *field = NULL;
    assert_int_equal(pleat_strain_field_create(m->topology, m->positions, NULL, &field, NULL), PLEAT_OK);
    return field;
}

static pleat_place random_place(const support_mesh *m, uint32_t *seed)
{
    float a = support_random_float(seed, 0, 1), b = support_random_float(seed, 0, 1);
    bool over = a + b > 1;
    a = over ? 1 - a : a;
    b = over ? 1 - b : b;
    return (pleat_place){support_random(seed) % m->triangle_count, {1 - a - b, a, b}};
}

/* A flat, uneven mesh squeezed by known factors at any angle: the same tensor everywhere. */
static void test_field_of_a_plane_is_even(void **state)
{
    (void)state;
    support_mesh plane = support_plane(12, 0.35f);
    pleat_vec4 *now = aligned_alloc(16, plane.vertex_count * sizeof *now);
    pleat_strain_field *field = make_field(&plane);
    uint32_t seed = 3;
    for (int round = 0; round < 40; ++round)
    {
        float angle = support_random_float(&seed, 0, 3.14159f), c = cosf(angle), s = sinf(angle);
        float small = support_random_float(&seed, 0.2f, 0.9f), large = support_random_float(&seed, 1, 1.5f);
        pl_f4 turn = pl_quat_axis_angle(pl_normalize3(pl_set(1, 2, -1, 0)), support_random_float(&seed, 0, 3));
        for (uint32_t v = 0; v < plane.vertex_count; ++v)
        {
            float across = plane.positions[v].x * c + plane.positions[v].y * s;
            float along = -plane.positions[v].x * s + plane.positions[v].y * c;
            pl_store(&now[v], pl_quat_rotate(turn, pl_set(across * small, along * large, 0, 0)));
        }
        pleat_strain_field_update(field, now, NULL);
        for (int i = 0; i < 50; ++i)
        {
            pleat_place place = random_place(&plane, &seed);
            pleat_stretch stretch = pleat_strain_field_at(field, &place);
            assert_true(fabsf(stretch.smallest - small) < 1e-4f && fabsf(stretch.largest - large) < 1e-4f);
            assert_true(fabsf(stretch.across.x * c + stretch.across.y * s) > 0.9999f);
            assert_true(fabsf(-stretch.along.x * s + stretch.along.y * c) > 0.9999f);
        }
    }
    pleat_strain_field_destroy(field);
    free(now);
    support_mesh_free(&plane);
}

/* A tube made thinner and longer: across runs around it, along runs up. */
static void test_field_of_a_tube_goes_around(void **state)
{
    (void)state;
    support_mesh tube = support_tube(24, 8, 3);
    pleat_vec4 *now = aligned_alloc(16, tube.vertex_count * sizeof *now);
    pleat_strain_field *field = make_field(&tube);
    for (uint32_t v = 0; v < tube.vertex_count; ++v)
    {
        pleat_vec4 p = tube.positions[v];
        now[v] = (pleat_vec4){0.7f * p.x, 0.7f * p.y, 1.2f * p.z, 0};
    }
    pleat_strain_field_update(field, now, NULL);
    uint32_t seed = 9;
    for (int i = 0; i < 500; ++i)
    {
        pleat_place place = random_place(&tube, &seed);
        pleat_stretch stretch = pleat_strain_field_at(field, &place);
        assert_true(fabsf(stretch.smallest - 0.7f) < 1e-4f && fabsf(stretch.largest - 1.2f) < 1e-4f);
        assert_true(fabsf(stretch.along.z) > 0.9999f && fabsf(stretch.across.z) < 1e-3f);
    }
    pleat_strain_field_destroy(field);
    free(now);
    support_mesh_free(&tube);
}

/* On a curved surface under any deformation both triangles of an edge say the same on it, directions too. */
static void test_field_is_continuous_over_edges(void **state)
{
    (void)state;
    support_mesh sphere = support_sphere(12);
    pleat_vec4 *now = aligned_alloc(16, sphere.vertex_count * sizeof *now);
    pleat_strain_field *field = make_field(&sphere);
    uint32_t seed = 6;
    for (uint32_t v = 0; v < sphere.vertex_count; ++v)
    {
        pl_f4 p = pl_load(&sphere.positions[v]) * pl_set(0.6f, 1, 1.3f, 0);
        pl_f4 noise = pl_set(support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                             support_random_float(&seed, -1, 1), 0);
        pl_store(&now[v], p + noise * pl_splat(0.05f));
    }
    pleat_strain_field_update(field, now, NULL);
    const pl_flat *flat = pl_field_flat(field);
    const pl_tensor *tensors = pl_field_tensors(field);
    uint32_t checked = 0;
    for (uint32_t c = 0; c < 3 * sphere.triangle_count; ++c)
    {
        uint32_t twin = sphere.topology->twin[c];
        if (twin >= PLEAT_NON_MANIFOLD)
        {
            continue;
        }
        float share = support_random_float(&seed, 0.1f, 0.9f);
        pleat_place here = {c / 3, {0, 0, 0}}, there = {twin / 3, {0, 0, 0}};
        here.barycentric[c % 3] = there.barycentric[(twin % 3 + 1) % 3] = share;
        here.barycentric[(c % 3 + 1) % 3] = there.barycentric[twin % 3] = 1 - share;
        pl_field_value a = pl_field_at(field, tensors, &here), b = pl_field_at(field, tensors, &there);
        assert_true(fabsf(a.smallest - b.smallest) < 1e-4f && fabsf(a.largest - b.largest) < 1e-4f);
        pl_turn carried = pl_turn_mul(flat->turns[c], a.along);
        if (a.largest - a.smallest > 0.05f)
        {
            assert_true(fabsf(carried.x * b.along.x + carried.y * b.along.y) > 0.9999f);
            ++checked;
        }
    }
    assert_true(checked > 500);
    pleat_strain_field_destroy(field);
    free(now);
    support_mesh_free(&sphere);
}

/* At rest all is 1, and a sphere made smaller is compressed alike in all directions. */
static void test_field_without_a_direction(void **state)
{
    (void)state;
    support_mesh sphere = support_sphere(10);
    pleat_vec4 *now = aligned_alloc(16, sphere.vertex_count * sizeof *now);
    pleat_strain_field *field = make_field(&sphere);
    uint32_t seed = 2;
    for (int pass = 0; pass < 3; ++pass)
    {
        float size = pass == 2 ? 0.8f : 1;
        for (int i = 0; i < 100; ++i)
        {
            pleat_place place = random_place(&sphere, &seed);
            pleat_stretch stretch = pleat_strain_field_at(field, &place);
            assert_true(fabsf(stretch.smallest - size) < 1e-4f && fabsf(stretch.largest - size) < 1e-4f);
        }
        for (uint32_t v = 0; v < sphere.vertex_count; ++v)
        {
            pl_store(&now[v], pl_load(&sphere.positions[v]) * pl_splat(pass == 0 ? 1 : 0.8f));
        }
        pleat_strain_field_update(field, now, NULL);
    }
    pleat_strain_field_destroy(field);
    free(now);
    support_mesh_free(&sphere);
}

/* A fan of three triangles on one edge, a needle, a triangle that is a point, a vertex alone; flattened: numbers. */
static void test_field_of_a_broken_mesh_has_numbers(void **state)
{
    (void)state;
    pleat_vec4 rest[8] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0},
                          {0, 0, 1, 0}, {2, 0, 0, 0}, {5, 5, 5, 0}, {1, 0, 0, 0}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5, 1, 7, 2, 1, 1, 2};
    pleat_topology *topology = NULL;
    pleat_strain_field *field = NULL;
    assert_int_equal(pleat_topology_create(8, 6, triangles, NULL, &topology, NULL), PLEAT_OK);
    assert_int_equal(pleat_strain_field_create(topology, rest, NULL, &field, NULL), PLEAT_OK);
    pleat_vec4 flat[8] = {{0, 0, 0, 0}};
    for (int pass = 0; pass < 2; ++pass)
    {
        pleat_strain_field_update(field, pass ? flat : rest, NULL);
        for (uint32_t t = 0; t < 6; ++t)
        {
            pleat_place place = {t, {0.2f, 0.3f, 0.5f}};
            pleat_stretch stretch = pleat_strain_field_at(field, &place);
            assert_true(isfinite(stretch.smallest) && isfinite(stretch.largest) && isfinite(stretch.along.x));
            assert_true(t >= 3 || fabsf(stretch.smallest - (pass ? 0.01f : 1)) < 1e-4f);
        }
    }
    pleat_strain_field_destroy(field);
    pleat_topology_destroy(topology);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    const support_mesh *m = user;
    pleat_strain_field *field = NULL;
    pleat_result result = pleat_strain_field_create(m->topology, m->positions, host, &field, error);
    pleat_strain_field_destroy(field);
    return result;
}

static void test_field_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_mesh plane = support_plane(4, 0);
    support_sweep_allocations(create, &plane);
    support_mesh_free(&plane);
}

static void test_field_does_not_depend_on_threads(void **state)
{
    (void)state;
    support_mesh plane = support_plane(40, 0.3f);
    pleat_strain_field *field = make_field(&plane);
    pleat_vec4 *now = aligned_alloc(16, plane.vertex_count * sizeof *now);
    for (uint32_t v = 0; v < plane.vertex_count; ++v)
    {
        pleat_vec4 p = plane.positions[v];
        now[v] = (pleat_vec4){p.x * (0.7f + 0.2f * sinf(p.y)), p.y + 0.2f * sinf(p.x), 0, 0};
    }
    uint64_t hashes[3];
    for (uint32_t threads = 1; threads <= 3; ++threads)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        pleat_strain_field_update(field, now, &tasks);
        hashes[threads - 1] =
            support_hash(SUPPORT_HASH, pl_field_tensors(field), plane.vertex_count * sizeof(pl_tensor));
        pleat_pool_destroy(pool);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    pleat_strain_field_destroy(field);
    free(now);
    support_mesh_free(&plane);
}

/* ---- Moves over flat triangles ---- */

/* Straight over the tube's flat metric: a helix, known in closed form; and back again. */
static void test_flat_moves_are_straight(void **state)
{
    (void)state;
    support_mesh tube = support_tube(40, 30, 6);
    pleat_strain_field *field = make_field(&tube);
    const pl_flat *flat = pl_field_flat(field);
    uint32_t seed = 4;
    for (int round = 0; round < 300; ++round)
    {
        pleat_place start = random_place(&tube, &seed);
        pl_f4 from = pl_flat_position(flat, &start);
        if (fabsf(from[2] - 3) > 1.4f)
        {
            continue;
        }
        float angle = support_random_float(&seed, 0, 6.28f), length = support_random_float(&seed, 0, 1.5f);
        pl_flat_point point = {start, {cosf(angle), sinf(angle)}};
        pl_f4 heading = pl_flat_to_space(flat, start.triangle, point.direction);
        assert_true(fabsf(pl_flat_move(flat, &point, length) - length) < 1e-5f);
        pl_f4 to = pl_flat_position(flat, &point.place);
        assert_true(fabsf(to[2] - (from[2] + length * heading[2])) < 1e-4f);
        assert_true(fabsf(pl_flat_to_space(flat, point.place.triangle, point.direction)[2] - heading[2]) < 1e-4f);
        point.direction = (pl_turn){-point.direction.x, -point.direction.y};
        pl_flat_move(flat, &point, length);
        assert_true(pl_length3(pl_flat_position(flat, &point.place) - from) < 2e-4f);
        pleat_place near = pl_flat_approach(flat, start, to, 3);
        assert_true(length > 0.5f || pl_length3(pl_flat_position(flat, &near) - to) < 1e-3f);
    }
    pl_flat_point up = {{0, {0.3f, 0.3f, 0.4f}}, {0, 0}};
    up.direction = pl_flat_from_space(flat, 0, pl_set(0, 0, 1, 0));
    float height = pl_flat_position(flat, &up.place)[2];
    assert_true(fabsf(pl_flat_move(flat, &up, 100) - (6 - height)) < 1e-3f);
    pleat_strain_field_destroy(field);
    support_mesh_free(&tube);
}

/* From any border of the plane to any other place along it. */
static void test_flat_goes_along_borders(void **state)
{
    (void)state;
    support_mesh plane = support_plane(20, 0.3f);
    pleat_strain_field *field = make_field(&plane);
    const pl_flat *flat = pl_field_flat(field);
    uint32_t seed = 3, checked = 0;
    for (uint32_t c = 0; c < 3 * plane.triangle_count; ++c)
    {
        if (plane.topology->twin[c] < PLEAT_NON_MANIFOLD)
        {
            continue;
        }
        uint32_t next = c / 3 * 3 + (c % 3 + 1) % 3;
        pl_f4 from = pl_load(&plane.positions[plane.triangles[c]]);
        pl_f4 edge = pl_normalize3(pl_load(&plane.positions[plane.triangles[next]]) - from);
        for (int round = 0; round < 20; ++round)
        {
            float share = support_random_float(&seed, 0, 1), length = support_random_float(&seed, -1, 1);
            pleat_place start = {c / 3, {0, 0, 0}};
            start.barycentric[c % 3] = share;
            start.barycentric[next % 3] = 1 - share;
            pl_f4 goal = pl_flat_position(flat, &start) + edge * pl_splat(length);
            if (goal[0] >= 0 && goal[0] <= 20 && goal[1] >= 0 && goal[1] <= 20)
            {
                pleat_place end = pl_flat_approach(flat, start, goal, 2 * fabsf(length));
                assert_true(pl_length3(pl_flat_position(flat, &end) - goal) < 1e-3f);
                ++checked;
            }
        }
    }
    assert_true(checked > 1000);
    pleat_strain_field_destroy(field);
    support_mesh_free(&plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_of_two_has_its_closed_form),
        cmocka_unit_test(test_mean_of_many_solves_the_equation),
        cmocka_unit_test(test_mean_is_affine_invariant),
        cmocka_unit_test(test_flattened_tensors_stay_finite),
        cmocka_unit_test(test_field_of_a_plane_is_even),
        cmocka_unit_test(test_field_of_a_tube_goes_around),
        cmocka_unit_test(test_field_is_continuous_over_edges),
        cmocka_unit_test(test_field_without_a_direction),
        cmocka_unit_test(test_field_of_a_broken_mesh_has_numbers),
        cmocka_unit_test(test_field_survives_every_failed_allocation),
        cmocka_unit_test(test_field_does_not_depend_on_threads),
        cmocka_unit_test(test_flat_moves_are_straight),
        cmocka_unit_test(test_flat_goes_along_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
