/* Stretches of a bake, judged by deformations whose stretch is known. */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/make.h"
#include "pleat/export/stretches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pleat_bake *make_bake(const pleat_model *model, const pleat_host *host)
{
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_bake *bake = NULL;
    assert_int_equal(pleat_bake_create(&desc, host, &bake, NULL), PLEAT_OK);
    return bake;
}

static pleat_made *make(const char *name)
{
    pleat_make_options options = pleat_make_options_default();
    pleat_made *made = NULL;
    options.arm_around = 24;
    options.arm_along = 60;
    assert_int_equal(pleat_make(name, &options, NULL, &made, NULL), PLEAT_OK);
    return made;
}

static double smoothstep(double low, double high, double x)
{
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

/* x' = x k(z): F = [k, x k'; 0, 1] in (x, z), whose singular values and right singular vectors have closed forms. */
static void test_stretches_of_flat_cloth(void **state)
{
    (void)state;
    pleat_made *made = make("rectangle");
    pleat_bake *bake = make_bake(pleat_made_model(made), NULL);
    pleat_stretches *stretches = NULL;
    assert_int_equal(pleat_stretches_create(bake, NULL, &stretches, NULL), PLEAT_OK);
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(bake, 0));
    const pleat_stretch *found = pleat_stretches_of(stretches, 0);
    assert_true(found[0].smallest == 1 && found[0].largest == 1);
    assert_int_equal(pleat_bake_frame(bake, 60, NULL), PLEAT_OK);
    pleat_stretches_add(stretches, NULL);
    uint32_t judged = 0;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        double x = (double)shape->rest[v].x, z = (double)shape->rest[v].z, t = z + 0.5;
        if (fabs(x) > 0.45 || fabs(z) > 0.45)
        {
            continue; /* half of a vertex's triangles are missing at the border */
        }
        double k = 1 - 0.36 * smoothstep(-0.5, 0.5, z), slope = -0.36 * 6 * t * (1 - t) * x;
        double a = k * k, b = k * slope, c = slope * slope + 1; /* F^T F */
        double middle = 0.5 * (a + c), radius = sqrt(0.25 * (a - c) * (a - c) + b * b);
        double small = sqrt(middle - radius), large = sqrt(middle + radius);
        double angle = 0.5 * atan2(2 * b, a - c); /* of along, from x to z */
        assert_true(fabs((double)found[v].smallest - small) < 0.01 && fabs((double)found[v].largest - large) < 0.01);
        if (small < 0.9)
        {
            double along = fabs((double)found[v].along.x * cos(angle) + (double)found[v].along.z * sin(angle));
            double across = fabs((double)found[v].across.z * cos(angle) - (double)found[v].across.x * sin(angle));
            assert_true(across > 0.998 && (large < 1.02 || along > 0.998));
            ++judged;
        }
    }
    assert_true(judged > 50);
    pleat_stretches_destroy(stretches);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made);
}

/* Directions are told in the mesh's own space: turning and moving the whole character changes nothing. */
static void test_stretches_stay_with_the_mesh(void **state)
{
    (void)state;
    pleat_made *made = make("arm");
    pleat_model turned = *pleat_made_model(made);
    pleat_node *nodes = malloc(turned.node_count * sizeof *nodes);
    memcpy(nodes, turned.nodes, turned.node_count * sizeof *nodes);
    nodes[turned.skins[0].joints[0]].local.rotation = (pleat_quat){0.2f, 0.4f, 0.4f, 0.8f};
    nodes[turned.skins[0].joints[0]].local.translation.z += 0.7f;
    turned.nodes = nodes;
    pleat_bake *bakes[2] = {make_bake(pleat_made_model(made), NULL), make_bake(&turned, NULL)};
    pleat_stretches *stretches[2];
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(pleat_stretches_create(bakes[i], NULL, &stretches[i], NULL), PLEAT_OK);
        assert_int_equal(pleat_bake_frame(bakes[i], 30, NULL), PLEAT_OK);
        pleat_stretches_add(stretches[i], NULL);
    }
    const pleat_stretch *a = pleat_stretches_of(stretches[0], 0), *b = pleat_stretches_of(stretches[1], 0);
    uint32_t count = pleat_stack_get_shape(pleat_bake_stack(bakes[0], 0))->surface_count;
    uint32_t compressed = 0, most = 0;
    for (uint32_t v = 0; v < count; ++v)
    {
        assert_true(fabsf(a[v].smallest - b[v].smallest) < 1e-4f && fabsf(a[v].largest - b[v].largest) < 1e-4f);
        if (a[v].smallest < 0.9f && a[v].largest - a[v].smallest > 0.05f)
        {
            assert_true(fabsf(pl_dot3(pl_load3(&a[v].across), pl_load3(&b[v].across))) > 0.999f);
            most = a[v].smallest < a[most].smallest ? v : most;
            ++compressed;
        }
    }
    assert_true(compressed > 20 && fabsf(a[most].across.y) > 0.99f); /* inside of the elbow, along the arm */
    for (int i = 0; i < 2; ++i)
    {
        pleat_stretches_destroy(stretches[i]);
        pleat_bake_destroy(bakes[i]);
    }
    free(nodes);
    pleat_made_destroy(made);
}

static void test_stretches_keep_the_most(void **state)
{
    (void)state;
    pleat_made *made = make("arm");
    pleat_bake *bake = make_bake(pleat_made_model(made), NULL);
    pleat_stretches *all = NULL, *one = NULL;
    assert_int_equal(pleat_stretches_create(bake, NULL, &all, NULL), PLEAT_OK);
    assert_int_equal(pleat_stretches_create(bake, NULL, &one, NULL), PLEAT_OK);
    uint32_t count = pleat_stack_get_shape(pleat_bake_stack(bake, 0))->surface_count;
    float *smallest = malloc(count * sizeof *smallest), *largest = malloc(count * sizeof *largest);
    for (uint32_t f = 0; f <= 60; f += 20)
    {
        assert_int_equal(pleat_bake_frame(bake, f, NULL), PLEAT_OK);
        pleat_stretches_add(all, NULL);
        pleat_stretches_clear(one);
        pleat_stretches_add(one, NULL);
        for (uint32_t v = 0; v < count; ++v)
        {
            const pleat_stretch *now = &pleat_stretches_of(one, 0)[v];
            smallest[v] = f == 0 ? now->smallest : fminf(smallest[v], now->smallest);
            largest[v] = f == 0 ? now->largest : fmaxf(largest[v], now->largest);
            if (f == 0)
            {
                assert_true(fabsf(now->smallest - 1) < 1e-4f && pl_length3(pl_load3(&now->across)) == 0);
            }
            float tensor[6]; /* its eigenvectors are the directions */
            pleat_stretch_to_tensor(now, tensor);
            pleat_vec3 d = now->across;
            float x = tensor[0] * d.x + tensor[3] * d.y + tensor[5] * d.z;
            float y = tensor[3] * d.x + tensor[1] * d.y + tensor[4] * d.z;
            float z = tensor[5] * d.x + tensor[4] * d.y + tensor[2] * d.z;
            float value = now->smallest - 1;
            assert_true(fabsf(x - value * d.x) + fabsf(y - value * d.y) + fabsf(z - value * d.z) < 1e-4f);
        }
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        assert_true(pleat_stretches_of(all, 0)[v].smallest == smallest[v]);
        assert_true(pleat_stretches_of(all, 0)[v].largest == largest[v]);
    }
    free(largest);
    free(smallest);
    pleat_stretches_destroy(one);
    pleat_stretches_destroy(all);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_stretches *stretches = NULL;
    pleat_result result = pleat_stretches_create(user, host, &stretches, error);
    assert_true((result == PLEAT_OK) == (stretches != NULL));
    pleat_stretches_destroy(stretches);
    return result;
}

static void test_stretches_survive_failing_allocations(void **state)
{
    (void)state;
    pleat_made *made = make("arm");
    pleat_bake *bake = make_bake(pleat_made_model(made), NULL);
    support_sweep_allocations(create, bake);
    pleat_bake_destroy(bake);
    pleat_made_destroy(made);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches_of_flat_cloth),
        cmocka_unit_test(test_stretches_stay_with_the_mesh),
        cmocka_unit_test(test_stretches_keep_the_most),
        cmocka_unit_test(test_stretches_survive_failing_allocations),
    };
    return cmocka_run_group_tests_name("stretches", tests, NULL, NULL);
}
