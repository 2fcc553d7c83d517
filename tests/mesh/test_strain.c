/* Stretch tensors, judged by deformations whose principal stretches are known. */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/strain.h"

#include <math.h>

static pl_f4 random_unit(uint32_t *seed)
{
    return pl_normalize3(pl_set(support_random_float(seed, -1, 1), support_random_float(seed, -1, 1),
                                support_random_float(seed, -1, 1), 0));
}

/* A random triangle in a random plane is stretched by known factors along known directions and turned in space. */
static void test_strain_finds_stretches_and_directions(void **state)
{
    (void)state;
    uint32_t seed = 21;
    static const uint32_t triangle[] = {0, 1, 2};
    for (int round = 0; round < 2000; ++round)
    {
        pl_f4 normal = random_unit(&seed), x = pl_perpendicular(normal), y = pl_cross(normal, x);
        pl_f4 q = pl_quat_axis_angle(random_unit(&seed), support_random_float(&seed, -3, 3));
        float large = support_random_float(&seed, 0.5f, 2), small = large * support_random_float(&seed, 0.05f, 0.98f);
        pleat_vec4 rest[3], now[3];
        float area;
        do
        {
            for (int i = 0; i < 3; ++i)
            {
                float a = support_random_float(&seed, -1, 1), b = support_random_float(&seed, -1, 1);
                pl_store(&rest[i], x * pl_splat(a) + y * pl_splat(b));
                pl_store(&now[i], pl_quat_rotate(q, x * pl_splat(a * large) + y * pl_splat(b * small)));
            }
            area = 0.5f *
                   pl_length3(pl_cross(pl_load(&rest[1]) - pl_load(&rest[0]), pl_load(&rest[2]) - pl_load(&rest[0])));
        } while (area < 0.05f);
        pleat_strain *strain = NULL;
        assert_int_equal(pleat_strain_create(3, rest, 1, triangle, NULL, &strain, NULL), PLEAT_OK);
        assert_true(fabsf(pleat_strain_areas(strain)[0] - area) < 1e-5f);
        pleat_stretch stretch;
        pleat_strain_update(strain, now, &stretch, NULL);
        assert_true(fabsf(stretch.largest - large) < 2e-5f && fabsf(stretch.smallest - small) < 2e-5f);
        if (large - small > 0.05f)
        {
            assert_true(fabsf(pl_dot3(pl_load3(&stretch.along), pl_quat_rotate(q, x))) > 0.9999f);
            assert_true(fabsf(pl_dot3(pl_load3(&stretch.across), pl_quat_rotate(q, y))) > 0.9999f);
        }
        pleat_strain_destroy(strain);
    }
}

static void test_strain_of_rest_is_one(void **state)
{
    (void)state;
    pleat_vec4 rest[4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {2, 0, 0, 0}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 1, 3, 1, 1, 2};
    pleat_strain *strain = NULL;
    assert_int_equal(pleat_strain_create(4, rest, 3, triangles, NULL, &strain, NULL), PLEAT_OK);
    pleat_stretch out[3];
    pleat_strain_update(strain, rest, out, NULL);
    assert_true(fabsf(out[0].smallest - 1) < 1e-6f && fabsf(out[0].largest - 1) < 1e-6f);
    for (int t = 1; t < 3; ++t)
    {
        assert_true(out[t].smallest == 1 && out[t].largest == 1 && pleat_strain_areas(strain)[t] == 0);
    }
    /* Flattened to a line and to a point: zero, not NaN. */
    pleat_vec4 line[4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}, {2, 0, 0, 0}}, point[4] = {{0, 0, 0, 0}};
    pleat_strain_update(strain, line, out, NULL);
    assert_true(out[0].smallest < 1e-6f && fabsf(out[0].largest - 1) < 1e-6f);
    pleat_strain_update(strain, point, out, NULL);
    assert_true(out[0].smallest == 0 && out[0].largest == 0);
    pleat_strain_destroy(strain);
    static const uint32_t bad[] = {0, 1, 4};
    assert_int_equal(pleat_strain_create(4, rest, 1, bad, NULL, &strain, NULL), PLEAT_BAD_ARGUMENT);
    assert_null(strain);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_vec4 rest[3] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    static const uint32_t triangle[] = {0, 1, 2};
    pleat_strain *strain = NULL;
    pleat_result result = pleat_strain_create(3, rest, 1, triangle, host, &strain, error);
    pleat_strain_destroy(strain);
    return result;
}

static void test_strain_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(create, NULL);
}

/* A tube, rolled from a strip that was stretched by known factors along and around: every vertex inside says so. */
static void test_strain_at_vertices_of_a_curved_surface(void **state)
{
    (void)state;
    enum
    {
        AROUND = 24,
        ALONG = 12
    };
    static pleat_vec4 rest[AROUND * ALONG], now[AROUND * ALONG];
    static uint32_t triangles[6 * (AROUND - 1) * (ALONG - 1)];
    uint32_t corner = 0;
    const float around = 0.7f, along = 1.2f;
    for (uint32_t j = 0; j < ALONG; ++j)
    {
        for (uint32_t i = 0; i < AROUND; ++i)
        {
            float angle = 0.2f * (float)i, step = 2 * sinf(0.1f);
            rest[j * AROUND + i] = (pleat_vec4){step * (float)i, 0, 0.1f * (float)j, 0};
            now[j * AROUND + i] = (pleat_vec4){around * cosf(angle), around * sinf(angle), along * 0.1f * (float)j, 0};
            if (i + 1 < AROUND && j + 1 < ALONG)
            {
                uint32_t a = j * AROUND + i, quad[6] = {a, a + 1, a + AROUND, a + 1, a + AROUND + 1, a + AROUND};
                for (int k = 0; k < 6; ++k)
                {
                    triangles[corner++] = quad[k];
                }
            }
        }
    }
    pleat_strain *strain = NULL;
    assert_int_equal(pleat_strain_create(AROUND * ALONG, rest, corner / 3, triangles, NULL, &strain, NULL), PLEAT_OK);
    static pleat_stretch faces[2 * AROUND * ALONG], out[AROUND * ALONG];
    pleat_strain_update(strain, now, faces, NULL);
    pleat_strain_vertices(strain, now, faces, out);
    for (uint32_t v = 0; v < AROUND * ALONG; ++v)
    {
        assert_true(fabsf(out[v].smallest - around) < 1e-3f && fabsf(out[v].largest - along) < 1e-3f);
        assert_true(fabsf(out[v].along.z) > 0.999f && fabsf(out[v].across.z) < 0.03f);
    }
    /* Colours of one of them: compressed by 0.3, stretched by 0.2, across at a quarter turn from z. */
    pleat_vec3 signed_color =
        pleat_stretch_to_color(&out[50], PLEAT_STRETCH_SIGNED, 0.5f, (pleat_vec3){0, 0, 0}, (pleat_vec3){0, 0, 0});
    assert_true(fabsf(signed_color.x - 0.4f) < 0.01f && signed_color.y == 0 && fabsf(signed_color.z - 0.6f) < 0.01f);
    pleat_vec3 normal = {now[50].x / around, now[50].y / around, 0};
    pleat_vec3 tensor = pleat_stretch_to_color(&out[50], PLEAT_STRETCH_TENSOR, 0.5f, (pleat_vec3){0, 0, 1}, normal);
    assert_true(fabsf(tensor.x - 0.6f) < 0.01f && fabsf(tensor.y - 0.4f) < 0.01f && fabsf(tensor.z - 0.5f) < 0.02f);
    pleat_vec3 grey =
        pleat_stretch_to_color(&out[50], PLEAT_STRETCH_GREY, 0.5f, (pleat_vec3){0, 0, 0}, (pleat_vec3){0, 0, 0});
    assert_true(fabsf(grey.x - (0.5f + around * along - 1)) < 0.01f);
    pleat_strain_destroy(strain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strain_finds_stretches_and_directions),
        cmocka_unit_test(test_strain_of_rest_is_one),
        cmocka_unit_test(test_strain_at_vertices_of_a_curved_surface),
        cmocka_unit_test(test_strain_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
