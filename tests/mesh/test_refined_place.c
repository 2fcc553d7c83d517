/* Places of a coarse surface on its refinement: the same barycentric coordinates, by interpolating those of corners. */
#include "support/loop_mesh.h"
#include "support/support.h"

#include "mesh/loop/place.h"

#include <math.h>

/* Finer in the middle of some triangles only. */
static bool wants(void *user, uint32_t triangle, const float b[9], uint32_t level)
{
    (void)user;
    return (triangle % 3 == 0 && level < 4 && b[0] + b[3] + b[6] > 1) || level < 1;
}

static void test_refined_place_is_where_it_was(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 5, .rows = 4, .random_cut = true});
    pleat_loop_desc desc = mesh_desc(&m, 5);
    desc.wants = wants;
    pleat_loop *loop = make_loop(&desc);
    const pleat_refined *r = pleat_loop_refined(loop);
    pl_refined_surface surface = {m.triangles,        r->triangle_count,  r->triangles,
                                  r->coarse_triangle, r->vertex_triangle, r->vertex_barycentric};
    uint32_t random = 3;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        float a = support_random_float(&random, 0, 1), b = (1 - a) * support_random_float(&random, 0, 1);
        pleat_place place = {support_random(&random) % m.triangle_count, {a, b, 1 - a - b}};
        pleat_place fine = pl_refined_find(&surface, &place);
        assert_true(fine.triangle < r->triangle_count);
        assert_int_equal(r->coarse_triangle[fine.triangle], place.triangle);
        float back[3] = {0, 0, 0};
        for (uint32_t k = 0; k < 3; ++k)
        {
            float corner[3];
            assert_true(fine.barycentric[k] >= 0);
            pl_refined_barycentric(&surface, r->triangles[3 * fine.triangle + k], place.triangle, corner);
            assert_true(fabsf(corner[0] + corner[1] + corner[2] - 1) < 1e-5f);
            for (uint32_t j = 0; j < 3; ++j)
            {
                back[j] += fine.barycentric[k] * corner[j];
            }
        }
        for (uint32_t j = 0; j < 3; ++j)
        {
            assert_true(fabsf(back[j] - place.barycentric[j]) < 1e-5f);
        }
    }
    pleat_loop_destroy(loop);
    free_mesh(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refined_place_is_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
