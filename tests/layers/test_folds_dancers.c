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

/* ---- Where folds of several joints meet ---- */

/* Characters that nothing was fitted to one by one: each test below holds for all of them, over their whole clips. */
typedef struct garment
{
    const char *file; /* of the shared data */
    const char *node; /* a part of its name */
    float fps;        /* six frames or so of the clip; a long run takes five times as many */
} garment;

static const garment leotard = {"mh_modern_leotard/mh_modern_leotard.glb", "", 0.6f};
static const garment sportsuit = {"mh_salsa_sportsuit/mh_salsa_sportsuit.glb", "suit", 0.2f};
static const garment worksuit = {"mh_fat_male_worksuit/mh_fat_male_worksuit.glb", "worksuit", 0.15f};

/* A garment with folds and without, and how far each vertex is raised in a frame. */
typedef struct raised
{
    support_actor actor;
    pleat_bake *folded, *plain;
    const pleat_stack_shape *shape;
    double *offsets;
    double width; /* of a fold */
} raised;

static raised raised_open(const char *path, const garment *g)
{
    raised r = {.actor = support_actor_load(path)};
    support_run run = support_run_make(0, 0, PLEAT_NONE);
    run.fps = support_is_long() ? 5 * g->fps : g->fps;
    run.node = support_node_named(r.actor.model, g->node);
    r.folded = support_run_bake(&r.actor, &run);
    r.plain = support_run_bake_plain(&r.actor, &run);
    r.shape = support_shape_of(r.folded);
    r.offsets = malloc(r.shape->surface_count * sizeof *r.offsets);
    return r;
}

static void raised_close(raised *r)
{
    free(r->offsets);
    pleat_bake_destroy(r->folded);
    pleat_bake_destroy(r->plain);
    support_actor_drop(&r->actor);
}

static uint32_t raised_frames(const raised *r)
{
    return pleat_bake_get_shape(r->folded)->frame_count;
}

static void raised_frame(raised *r, uint32_t frame)
{
    const pleat_vec4 *folded = support_frame(r->folded, frame), *plain = support_frame(r->plain, frame);
    for (uint32_t v = 0; v < r->shape->surface_count; ++v)
    {
        r->offsets[v] = support_apart(folded[v], plain[v]);
    }
    r->width = support_figure(r->folded, "width");
}

/* The largest offset among places half a fold away from one. */
static double highest_around(const raised *r, uint32_t vertex)
{
    double highest = 0;
    for (uint32_t v = 0; v < r->shape->surface_count; ++v)
    {
        double away = support_apart(r->shape->rest[v], r->shape->rest[vertex]);
        highest = away > 0.35 * r->width && away < 0.6 * r->width ? fmax(highest, r->offsets[v]) : highest;
    }
    return highest;
}

/* Tops of folds, and how many of them stand alone: a ridge is about as high half a fold further, a bump is not. */
static void count_bumps(const raised *r, double *tops, double *bumps)
{
    const pleat_stack_shape *shape = r->shape;
    bool *top = malloc(shape->surface_count * sizeof *top);
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        top[v] = r->offsets[v] > 1e-3;
    }
    for (uint32_t c = 0; c < 3 * shape->triangle_count; ++c)
    {
        uint32_t v = shape->surface_triangles[c], next = shape->surface_triangles[c % 3 == 2 ? c - 2 : c + 1];
        top[v] = top[v] && r->offsets[next] <= r->offsets[v];
        top[next] = top[next] && r->offsets[v] <= r->offsets[next];
    }
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        if (top[v])
        {
            *tops += 1;
            *bumps += highest_around(r, v) < 0.75 * r->offsets[v];
        }
    }
    free(top);
}

/* Where rings of two joints cross, two waves would add up to a grid of bumps, in which every top stands alone. Cloth
 * buckles one way: tops that stand alone are ends of ridges and little more. */
static void check_ridges(const char *path, const garment *g)
{
    raised r = raised_open(path, g);
    double tops = 0, bumps = 0;
    for (uint32_t f = 0; f < raised_frames(&r); ++f)
    {
        raised_frame(&r, f);
        count_bumps(&r, &tops, &bumps);
    }
    print_message("%s: %g tops of folds, %g of them stand alone: %.1f %%\n", g->file, tops, bumps, 100 * bumps / tops);
    assert_true(tops > 100 && bumps < 0.05 * tops);
    raised_close(&r);
}

static void test_folds_are_ridges_on_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, leotard.file);
    check_ridges(path, &leotard);
}

static void test_folds_are_ridges_on_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, sportsuit.file);
    check_ridges(path, &sportsuit);
}

/* A fold that gives back a length of its own width stands half as high as it is wide, and is upright: none is higher,
 * where folds of both legs press against each other least of all. */
static void check_heights(const char *path, const garment *g)
{
    raised r = raised_open(path, g);
    double highest = 0;
    for (uint32_t f = 0; f < raised_frames(&r); ++f)
    {
        raised_frame(&r, f);
        highest = fmax(highest, support_figure(r.folded, "highest"));
    }
    print_message("%s: folds of %.1f mm, the highest %.1f mm\n", g->file, 1000 * r.width, 1000 * highest);
    assert_true(highest > 0 && highest <= r.width);
    raised_close(&r);
}

static void test_folds_do_not_heap_on_the_leotard(void **state)
{
    (void)state;
    SUPPORT_NEED(path, leotard.file);
    check_heights(path, &leotard);
}

static void test_folds_do_not_heap_on_the_sportsuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, sportsuit.file);
    check_heights(path, &sportsuit);
}

static void test_folds_do_not_heap_on_the_worksuit(void **state)
{
    (void)state;
    SUPPORT_NEED(path, worksuit.file);
    check_heights(path, &worksuit);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds_halve_the_compression_of_the_sportsuit),
        cmocka_unit_test(test_folds_are_ridges_on_the_leotard),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_folds_halve_the_compression_of_the_leotard),
        cmocka_unit_test(test_folds_halve_the_compression_of_the_sportsuit),
        cmocka_unit_test(test_folds_are_ridges_on_the_leotard),
        cmocka_unit_test(test_folds_are_ridges_on_the_sportsuit),
        cmocka_unit_test(test_folds_do_not_heap_on_the_leotard),
        cmocka_unit_test(test_folds_do_not_heap_on_the_sportsuit),
        cmocka_unit_test(test_folds_do_not_heap_on_the_worksuit),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
