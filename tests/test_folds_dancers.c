/* Folds of motion capture: what stays compressed, and which way cloth buckles where rings cross. */
#include "support/folded.h"

#include "base/vec.h"
#include "pleat/strain.h"

#include <stdlib.h>

/* ---- Dancers: what compresses ---- */

/* The share of triangle-frames under 0.9 where folds stand: all three corners are raised by 0.3 mm or more. Elsewhere
 * in the regions the lines across the joints are not compressed; the cloth may be, along the ring. */
static void check_compression(const char *name, const support_actor *a, const char *node, float fps)
{
    support_run r = support_run_make(0, 0, PLEAT_NONE);
    r.fps = fps;
    r.node = support_node_named(a->model, node);
    pleat_bake *bakes[2] = {support_run_bake(a, &r), support_run_bake_plain(a, &r)};
    const pleat_stack_shape *shape = support_shape_of(bakes[0]);
    pleat_strain *strain = NULL;
    assert_int_equal(pleat_strain_create(shape->surface_count, shape->rest, shape->triangle_count,
                                         shape->surface_triangles, NULL, &strain, NULL),
                     PLEAT_OK);
    pleat_stretch *stretch[2] = {malloc(shape->triangle_count * sizeof **stretch),
                                 malloc(shape->triangle_count * sizeof **stretch)};
    double share[2] = {0, 0}, ever[2] = {0, 0}, all = 0;
    uint32_t *under[2] = {calloc(shape->triangle_count, sizeof **under), calloc(shape->triangle_count, sizeof **under)};
    bool *touched = calloc(shape->triangle_count, sizeof *touched);
    for (uint32_t f = 0; f < pleat_bake_get_shape(bakes[0])->frame_count; ++f)
    {
        const pleat_vec4 *positions[2];
        for (int k = 0; k < 2; ++k)
        {
            positions[k] = support_frame(bakes[k], f);
            pleat_strain_update(strain, positions[k], stretch[k], NULL);
        }
        for (uint32_t t = 0; t < shape->triangle_count; ++t)
        {
            const uint32_t *corner = shape->surface_triangles + 3 * (size_t)t;
            bool inside = true;
            for (int i = 0; i < 3; ++i)
            {
                double offset = support_apart(positions[0][corner[i]], positions[1][corner[i]]);
                inside = inside && offset > 3e-4;
                touched[t] = touched[t] || offset > 0;
            }
            under[0][t] += stretch[0][t].smallest < 0.9f;
            under[1][t] += stretch[1][t].smallest < 0.9f;
            all += inside;
            share[0] += inside && stretch[0][t].smallest < 0.9f;
            share[1] += inside && stretch[1][t].smallest < 0.9f;
        }
    }
    print_message("%s: compressed triangle-frames where folds stand %.2f %%, skinning alone %.2f %%: %.2f x\n", name,
                  100 * share[0] / all, 100 * share[1] / all, share[0] / share[1]);
    for (uint32_t t = 0; t < shape->triangle_count; ++t)
    {
        ever[0] += touched[t] ? under[0][t] : 0;
        ever[1] += touched[t] ? under[1][t] : 0;
    }
    print_message("%s: among all triangles that a fold ever touches %.2f x\n", name, ever[0] / ever[1]);
    assert_true(share[0] <= 0.5 * share[1]);
    free(under[0]);
    free(under[1]);
    free(touched);
    free(stretch[0]);
    free(stretch[1]);
    pleat_strain_destroy(strain);
    pleat_bake_destroy(bakes[0]);
    pleat_bake_destroy(bakes[1]);
}

static void test_folds_halve_the_compression_of_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    support_actor dancer = support_actor_load(path);
    check_compression("leotard", &dancer, "", 1);
    support_actor_drop(&dancer);
}

static void test_folds_halve_the_compression_of_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_salsa_sportsuit/mh_salsa_sportsuit.glb");
    support_actor dancer = support_actor_load(path);
    check_compression("sportsuit", &dancer, "suit", 1);
    support_actor_drop(&dancer);
}

/* ---- Where rings cross ---- */

/* The largest offset among places half a fold away from one. */
static double highest_around(const pleat_stack_shape *shape, const double *offsets, uint32_t vertex, double width)
{
    double highest = 0;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        double away = support_apart(shape->rest[v], shape->rest[vertex]);
        highest = away > 0.35 * width && away < 0.6 * width ? fmax(highest, offsets[v]) : highest;
    }
    return highest;
}

/* Tops of folds on the chest, and how many of them stand alone: a ridge is about as high half a fold further, a bump
 * is not. */
static void count_bumps(const pleat_stack_shape *shape, const double *offsets, double *tops, double *bumps)
{
    const double width = 0.025;
    bool *top = malloc(shape->surface_count * sizeof *top);
    double low_collar = -INFINITY;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        top[v] = offsets[v] > 1e-3;
        low_collar = fmax(low_collar, (double)shape->rest[v].y - 0.3);
    }
    for (uint32_t c = 0; c < 3 * shape->triangle_count; ++c)
    {
        uint32_t v = shape->surface_triangles[c], next = shape->surface_triangles[c % 3 == 2 ? c - 2 : c + 1];
        top[v] = top[v] && offsets[next] <= offsets[v];
        top[next] = top[next] && offsets[v] <= offsets[next];
    }
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        const pleat_vec4 *place = &shape->rest[v];
        if (top[v] && place->z > 0 && fabsf(place->x) < 0.17f && (double)place->y > low_collar)
        {
            *tops += 1;
            *bumps += highest_around(shape, offsets, v, width) < 0.75 * offsets[v];
        }
    }
    free(top);
}

/* With folds, and without. */
static void bake_leotard(const support_actor *dancer, pleat_bake *bakes[2])
{
    support_run r = support_run_make(0, 0, PLEAT_NONE);
    r.node = support_node_named(dancer->model, "");
    bakes[0] = support_run_bake(dancer, &r);
    bakes[1] = support_run_bake_plain(dancer, &r);
}

/* On the chest rings of neck and spine meet those of the shoulders at an angle. Without a choice between them 67 of 477
 * tops were bumps of a grid. */
static void test_folds_buckle_one_way_where_rings_cross(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    support_actor dancer = support_actor_load(path);
    pleat_bake *bakes[2];
    bake_leotard(&dancer, bakes);
    const pleat_stack_shape *shape = support_shape_of(bakes[0]);
    double *offsets = malloc(shape->surface_count * sizeof *offsets), tops = 0, bumps = 0;
    static const uint32_t frames[] = {40, 75, 100, 110, 120};
    for (int i = 0; i < 5; ++i)
    {
        const pleat_vec4 *folded = support_frame(bakes[0], frames[i]), *plain = support_frame(bakes[1], frames[i]);
        for (uint32_t v = 0; v < shape->surface_count; ++v)
        {
            offsets[v] = support_apart(folded[v], plain[v]);
        }
        count_bumps(shape, offsets, &tops, &bumps);
    }
    print_message("leotard's chest: %g tops of folds, %g of them stand alone\n", tops, bumps);
    assert_true(tops > 300 && bumps <= 36);
    free(offsets);
    pleat_bake_destroy(bakes[0]);
    pleat_bake_destroy(bakes[1]);
    support_actor_drop(&dancer);
}

/* Vertices that rise half way between shoulder and elbow, where folds of the arm itself are low. */
static uint32_t raised_on_upper_arms(const pleat_stack_shape *shape, const pleat_vec4 *folded, const pleat_vec4 *plain)
{
    uint32_t raised = 0;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        const pleat_vec4 *place = &shape->rest[v];
        bool upper_arm = fabsf(place->x) > 0.2f && fabsf(place->x) < 0.26f && place->y > 1;
        raised += upper_arm && support_apart(folded[v], plain[v]) > 1e-3;
    }
    return raised;
}

/* Lines of the chest that pass the shoulder go on over the arm. Their folds there ended at every station at another
 * place, like a comb: with them 5,829 vertices rose. */
static void test_folds_of_the_chest_end_before_the_arm(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_modern_leotard/mh_modern_leotard.glb");
    support_actor dancer = support_actor_load(path);
    pleat_bake *bakes[2];
    bake_leotard(&dancer, bakes);
    static const uint32_t frames[] = {29, 89, 109, 129};
    uint32_t raised = 0;
    for (int i = 0; i < 4; ++i)
    {
        raised += raised_on_upper_arms(support_shape_of(bakes[0]), support_frame(bakes[0], frames[i]),
                                       support_frame(bakes[1], frames[i]));
    }
    print_message("leotard's upper arms: %u vertices rise\n", raised);
    assert_true(raised <= 3500);
    pleat_bake_destroy(bakes[0]);
    pleat_bake_destroy(bakes[1]);
    support_actor_drop(&dancer);
}

/* The largest offset on the inner side of the fat man's thighs, below the crotch and before the knees' own folds. */
static double highest_between_thighs(const pleat_stack_shape *shape, const pleat_vec4 *folded, const pleat_vec4 *plain)
{
    double highest = 0;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        const pleat_vec4 *place = &shape->rest[v];
        bool inner = fabsf(place->x) < 0.12f && fabsf(place->y - 0.68f) < 0.06f && place->z > 0.03f;
        highest = inner ? fmax(highest, support_apart(folded[v], plain[v])) : highest;
    }
    return highest;
}

/* Folds between the thighs have no room. Their length slid on to the end of where thighs touch, on to cloth that has
 * lost nothing itself: lumps of three stations, 15 and 17 mm high. */
static void test_folds_between_thighs_do_not_heap(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "mh_fat_male_worksuit/mh_fat_male_worksuit.glb");
    support_actor man = support_actor_load(path);
    support_run r = support_run_make(0, 0, PLEAT_NONE);
    r.node = support_node_named(man.model, "worksuit");
    pleat_bake *folded = support_run_bake(&man, &r), *plain = support_run_bake_plain(&man, &r);
    static const uint32_t frames[] = {60, 200};
    for (int i = 0; i < 2; ++i)
    {
        double highest = highest_between_thighs(support_shape_of(folded), support_frame(folded, frames[i]),
                                                support_frame(plain, frames[i]));
        print_message("worksuit, frame %u: %.1f mm between the thighs\n", frames[i], 1000 * highest);
        assert_true(highest < 0.008);
    }
    pleat_bake_destroy(folded);
    pleat_bake_destroy(plain);
    support_actor_drop(&man);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_halve_the_compression_of_the_leotard),
        cmocka_unit_test(test_folds_halve_the_compression_of_the_sportsuit),
        cmocka_unit_test(test_folds_buckle_one_way_where_rings_cross),
        cmocka_unit_test(test_folds_of_the_chest_end_before_the_arm),
        cmocka_unit_test(test_folds_between_thighs_do_not_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
