/* Folds of motion capture: what stays compressed, and which way cloth buckles where rings cross. */
#include "support/folded.h"

#include "base/vec.h"
#include "pleat/strain.h"

#include <stdlib.h>

/* ---- Dancers: what compresses ---- */

/* Ways to ask how much of a garment is compressed. */
enum
{
    BY_STRETCH, /* triangles whose smallest stretch is under 0.9 */
    BY_EDGE,    /* whose shortest edge, of what it is at rest, is */
    BY_AREA,    /* whose area is */
    WAYS
};

/* What is compressed with folds and without, and how much there is of it. */
typedef struct tally
{
    double under[2][WAYS], all[2];
} tally;

static double shortest_edge(const pleat_vec4 *rest, const pleat_vec4 *positions, const uint32_t corner[3])
{
    double shortest = INFINITY;
    for (int i = 0; i < 3; ++i)
    {
        uint32_t a = corner[i], b = corner[(i + 1) % 3];
        shortest = fmin(shortest, support_apart(positions[a], positions[b]) / support_apart(rest[a], rest[b]));
    }
    return shortest;
}

static double area_of(const pleat_vec4 *positions, const uint32_t corner[3])
{
    pl_f4 a = pl_load(&positions[corner[0]]);
    return 0.5 * (double)pl_length3(pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a));
}

static void tally_triangle(tally *to, int which, const double under[WAYS], double all)
{
    to->all[which] += all;
    for (int way = 0; way < WAYS; ++way)
    {
        to->under[which][way] += under[way];
    }
}

static void print_tally(const char *name, const char *where, const tally *t)
{
    print_message("%s, %s: compressed triangle-frames %.2f %%, skinning alone %.2f %%: %.3f x; by shortest "
                  "edge %.2f x, by area %.2f x\n",
                  name, where, 100 * t->under[0][BY_STRETCH] / t->all[0], 100 * t->under[1][BY_STRETCH] / t->all[1],
                  t->under[0][BY_STRETCH] / t->under[1][BY_STRETCH], t->under[0][BY_EDGE] / t->under[1][BY_EDGE],
                  t->under[0][BY_AREA] / t->under[1][BY_AREA]);
}

typedef struct compression
{
    const pleat_stack_shape *shape;
    pleat_strain *strain;
    pleat_stretch *stretch;
    tally standing; /* triangles whose corners are all raised by 0.3 mm or more, in frames where they are */
    tally *always;  /* by triangle: in all frames */
    bool *touched;  /* by triangle: a fold moves it at some time */
} compression;

/* positions: with folds and without; which of them to look at. */
static void tally_frame(compression *c, const pleat_vec4 *const positions[2], int which)
{
    pleat_strain_update(c->strain, positions[which], c->stretch, NULL);
    for (uint32_t t = 0; t < c->shape->triangle_count; ++t)
    {
        const uint32_t *corner = c->shape->surface_triangles + 3 * (size_t)t;
        double under[WAYS] = {c->stretch[t].smallest < 0.9f,
                              shortest_edge(c->shape->rest, positions[which], corner) < 0.9,
                              area_of(positions[which], corner) < 0.9 * area_of(c->shape->rest, corner)};
        bool stands = true;
        for (int i = 0; i < 3; ++i)
        {
            double offset = support_apart(positions[0][corner[i]], positions[1][corner[i]]);
            stands = stands && offset > 3e-4;
            c->touched[t] = c->touched[t] || offset > 0;
        }
        tally_triangle(&c->always[t], which, under, 1);
        if (stands)
        {
            tally_triangle(&c->standing, which, under, 1);
        }
    }
}

/* The share of triangle-frames under 0.9 where folds stand. Elsewhere in the regions the lines across the joints are
 * not compressed; the cloth may be, along the ring. */
static void check_compression(const char *name, const support_actor *a, const char *node, float fps)
{
    support_run r = support_run_make(0, 0, support_is_long() ? PLEAT_NONE : 4);
    r.fps = fps;
    r.node = support_node_named(a->model, node);
    pleat_bake *bake = support_run_bake(a, &r), *plain = support_run_bake_plain(a, &r);
    const pleat_stack_shape *shape = support_shape_of(bake);
    uint32_t count = shape->triangle_count;
    compression c = {.shape = shape,
                     .stretch = malloc(count * sizeof *c.stretch),
                     .always = calloc(count, sizeof *c.always),
                     .touched = calloc(count, sizeof *c.touched)};
    assert_int_equal(
        pleat_strain_create(shape->surface_count, shape->rest, count, shape->surface_triangles, NULL, &c.strain, NULL),
        PLEAT_OK);
    for (uint32_t f = 0; f < pleat_bake_get_shape(bake)->frame_count; ++f)
    {
        const pleat_vec4 *positions[2] = {support_frame(bake, f), support_frame(plain, f)};
        tally_frame(&c, positions, 0);
        tally_frame(&c, positions, 1);
    }
    tally touched = {0};
    for (uint32_t t = 0; t < count; ++t)
    {
        for (int k = 0; k < 2 && c.touched[t]; ++k)
        {
            tally_triangle(&touched, k, c.always[t].under[k], c.always[t].all[k]);
        }
    }
    print_tally(name, "where folds stand", &c.standing);
    print_tally(name, "all that a fold ever touches", &touched);
    assert_true(c.standing.under[0][BY_STRETCH] <= 0.5 * c.standing.under[1][BY_STRETCH]);
    free(c.always);
    free(c.touched);
    free(c.stretch);
    pleat_strain_destroy(c.strain);
    pleat_bake_destroy(bake);
    pleat_bake_destroy(plain);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_halve_the_compression_of_the_leotard),
        cmocka_unit_test(test_folds_halve_the_compression_of_the_sportsuit),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_folds_halve_the_compression_of_the_leotard),
        cmocka_unit_test(test_folds_halve_the_compression_of_the_sportsuit),
        cmocka_unit_test(test_folds_buckle_one_way_where_rings_cross),
        cmocka_unit_test(test_folds_of_the_chest_end_before_the_arm),
        cmocka_unit_test(test_folds_between_thighs_do_not_heap),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
