/* Implicit skinning on tubes, judged by counts of crossing triangles, by volumes, by lengths along the skin and by what
 * finer steps of the angle do. */
#include "support/bent_tube.h"

#include "pleat/layers/implicit.h"
#include "pleat/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rig
{
    bent_tube tube;
    pleat_stack *stack;
    pleat_pose *pose;
    const pleat_stack_shape *shape;
    pleat_bvh *bvh;
    double volume;
} rig;

/* The rig stays where it is: its stack points into it. */
static void make_rig(rig *r, const bent_tube_desc *desc, const pleat_implicit_options *options)
{
    memset(r, 0, sizeof *r);
    bent_tube_make(desc, &r->tube);
    r->stack = bent_tube_stack(&r->tube, PLEAT_DQS, &pleat_implicit_layer, options);
    assert_int_equal(pleat_pose_create(&r->tube.model, NULL, &r->pose, NULL), PLEAT_OK);
    r->shape = pleat_stack_get_shape(r->stack);
    assert_int_equal(pleat_bvh_create(r->shape->surface_count, r->shape->rest, r->shape->triangle_count,
                                      r->shape->surface_triangles, NULL, &r->bvh, NULL),
                     PLEAT_OK);
    r->volume = bent_tube_volume(r->shape->triangle_count, r->shape->surface_triangles, r->shape->rest);
}

static void free_rig(rig *r)
{
    pleat_bvh_destroy(r->bvh);
    pleat_pose_destroy(r->pose);
    pleat_stack_destroy(r->stack);
    bent_tube_free(&r->tube);
}

static const pleat_vec4 *at(rig *r, double degrees)
{
    return bent_tube_at(&r->tube, r->stack, r->pose, degrees, NULL);
}

static uint32_t crossing_triangles(rig *r, const pleat_vec4 *positions)
{
    uint8_t *marks = calloc(r->shape->triangle_count, 1);
    uint32_t count = 0;
    pleat_bvh_refit(r->bvh, positions, NULL);
    pleat_bvh_count_crossings(r->bvh, r->bvh, marks, NULL);
    for (uint32_t t = 0; t < r->shape->triangle_count; ++t)
    {
        count += marks[t];
    }
    free(marks);
    return count;
}

static bool all_finite(const rig *r, const pleat_vec4 *positions)
{
    bool good = true;
    for (uint32_t v = 0; v < r->shape->surface_count; ++v)
    {
        good = good && isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z);
    }
    return good;
}

/* ---- What the method promises: tubes of any density and of other weights ---- */

static void check_tube(const bent_tube_desc *desc)
{
    static const double angles[] = {60, 90, 120, 150}, volumes[] = {0.99, 0.98, 0.97, 0.93};
    pleat_implicit_options options = pleat_implicit_options_default();
    rig r;
    make_rig(&r, desc, &options);
    for (int i = 0; i < 4; ++i)
    {
        const pleat_vec4 *p = at(&r, angles[i]);
        double volume = bent_tube_volume(r.shape->triangle_count, r.shape->surface_triangles, p) / r.volume;
        uint32_t crossing = crossing_triangles(&r, p);
        if (crossing > 0 || !(volume > volumes[i]) || !(volume < 1.01) || !all_finite(&r, p))
        {
            fail_msg("%g degrees: %u triangles cross, volume %g", angles[i], crossing, volume);
        }
    }
    double last = INFINITY;
    for (int i = 0; i <= 60; ++i)
    {
        double length = bent_tube_meridian(&r.tube, at(&r, 2.5 * i));
        assert_true(length <= last + 1e-7);
        last = length;
    }
    free_rig(&r);
}

static void test_implicit_tube_keeps_its_volume_and_touches(void **state)
{
    (void)state;
    bent_tube_desc desc = bent_tube_default();
    check_tube(&desc);
    desc.around = 40;
    desc.along = 60;
    check_tube(&desc);
    desc.blend = 0.1;
    check_tube(&desc);
}

/* The largest way of a vertex between two angles. */
static double largest_way(const rig *r, const pleat_vec4 *from, const pleat_vec4 *to)
{
    double most = 0;
    for (uint32_t v = 0; v < r->shape->surface_count; ++v)
    {
        double x = (double)(to[v].x - from[v].x), y = (double)(to[v].y - from[v].y), z = (double)(to[v].z - from[v].z);
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static void test_implicit_tube_moves_without_jumps(void **state)
{
    (void)state;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 40;
    desc.along = 60;
    pleat_implicit_options options = pleat_implicit_options_default();
    rig r;
    make_rig(&r, &desc, &options);
    size_t size = r.shape->surface_count * sizeof(pleat_vec4);
    pleat_vec4 *start = malloc(size), *last = malloc(size);
    for (int i = 0; i < 64; ++i)
    {
        double fine = 0;
        memcpy(start, at(&r, 2.5 * i), size);
        memcpy(last, start, size);
        for (int k = 1; k <= 10; ++k)
        {
            const pleat_vec4 *p = at(&r, 2.5 * i + 0.25 * k);
            fine = fmax(fine, largest_way(&r, last, p));
            memcpy(last, p, size);
        }
        double coarse = largest_way(&r, start, last);
        if (!(fine <= 0.2 * coarse))
        {
            fail_msg("from %g degrees: %g in one step, %g in the largest of ten", 2.5 * i, coarse, fine);
        }
    }
    free(last);
    free(start);
    free_rig(&r);
}

/* ---- What stays as it is ---- */

static void test_implicit_tube_at_rest_is_plain_skinning(void **state)
{
    (void)state;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 24;
    desc.along = 60;
    for (int bent = 0; bent < 2; ++bent)
    {
        desc.rest = bent ? 0.6 : 0;
        pleat_implicit_options options = pleat_implicit_options_default();
        rig r;
        make_rig(&r, &desc, &options);
        pleat_stack *plain = bent_tube_stack(&r.tube, PLEAT_DQS, NULL, NULL);
        const pleat_vec4 *p = bent_tube_at(&r.tube, plain, r.pose, 0, NULL);
        assert_memory_equal(at(&r, 0), p, r.shape->surface_count * sizeof *p);
        /* And far from the joint at any angle. */
        p = bent_tube_at(&r.tube, plain, r.pose, 70, NULL);
        const pleat_vec4 *q = at(&r, 70);
        for (uint32_t row = 0; row <= desc.along; ++row)
        {
            double along = desc.length * ((double)row / desc.along - 0.5);
            if (fabs(along) > 0.2)
            {
                assert_memory_equal(&p[row * desc.around], &q[row * desc.around], desc.around * sizeof *p);
            }
        }
        pleat_stack_destroy(plain);
        free_rig(&r);
    }
}

static void test_implicit_tube_of_no_strength_is_plain_skinning(void **state)
{
    (void)state;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 24;
    desc.along = 60;
    pleat_implicit_options options = pleat_implicit_options_default();
    options.strength = 0;
    rig r;
    make_rig(&r, &desc, &options);
    pleat_stack *plain = bent_tube_stack(&r.tube, PLEAT_DQS, NULL, NULL);
    const pleat_vec4 *p = bent_tube_at(&r.tube, plain, r.pose, 110, NULL);
    assert_memory_equal(at(&r, 110), p, r.shape->surface_count * sizeof *p);
    pleat_stack_destroy(plain);
    free_rig(&r);
}

/* Frames in any order, on any number of threads. */
static void test_implicit_tube_depends_on_the_pose_alone(void **state)
{
    (void)state;
    bent_tube_desc desc = bent_tube_default();
    desc.around = 60;
    desc.along = 90;
    pleat_implicit_options options = pleat_implicit_options_default();
    rig r;
    make_rig(&r, &desc, &options);
    size_t size = r.shape->surface_count * sizeof(pleat_vec4);
    pleat_vec4 *first = malloc(size);
    memcpy(first, at(&r, 100), size);
    at(&r, 150);
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    assert_memory_equal(bent_tube_at(&r.tube, r.stack, r.pose, 100, &tasks), first, size);
    assert_int_equal(pleat_stack_state_size(r.stack), 0);
    pleat_pool_destroy(pool);
    free(first);
    free_rig(&r);
}

/* ---- Other limbs ---- */

/* Flattened, bent at rest, with narrow weights: crossings are gone as far as limbs have room (150 degrees in all), and
 * beyond that nothing worse comes than of plain skinning. */
static void test_implicit_tube_of_other_shapes_touches_too(void **state)
{
    (void)state;
    static const struct
    {
        double height, rest, blend;
    } kinds[] = {{0.6, 0, 0.075}, {1.5, 0, 0.075}, {1, 0.5, 0.075}, {0.8, -0.4, 0.075}, {1, 0, 0.02}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
    {
        bent_tube_desc desc = bent_tube_default();
        desc.around = 40;
        desc.along = 60;
        desc.height = kinds[k].height;
        desc.rest = kinds[k].rest;
        desc.blend = kinds[k].blend;
        pleat_implicit_options options = pleat_implicit_options_default();
        rig r;
        make_rig(&r, &desc, &options);
        pleat_stack *plain = bent_tube_stack(&r.tube, PLEAT_DQS, NULL, NULL);
        for (int degrees = 15; degrees <= 180; degrees += 15)
        {
            const pleat_vec4 *p = at(&r, degrees);
            assert_true(all_finite(&r, p));
            uint32_t mine = crossing_triangles(&r, p);
            uint32_t theirs = crossing_triangles(&r, bent_tube_at(&r.tube, plain, r.pose, degrees, NULL));
            bool room = degrees + fabs(kinds[k].rest) * 57.3 <= 150;
            if (mine > (room ? theirs / 20 : theirs + theirs / 4 + 50))
            {
                fail_msg("shape %zu, %d degrees: %u triangles cross, %u by plain skinning", k, degrees, mine, theirs);
            }
        }
        pleat_stack_destroy(plain);
        free_rig(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implicit_tube_keeps_its_volume_and_touches),
        cmocka_unit_test(test_implicit_tube_moves_without_jumps),
        cmocka_unit_test(test_implicit_tube_at_rest_is_plain_skinning),
        cmocka_unit_test(test_implicit_tube_of_no_strength_is_plain_skinning),
        cmocka_unit_test(test_implicit_tube_depends_on_the_pose_alone),
        cmocka_unit_test(test_implicit_tube_of_other_shapes_touches_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
