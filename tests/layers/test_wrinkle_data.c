/* Curves of wrinkles on real motions: how long wrinkles live, whether the frame rate shows, and whether they run where
 * a published wrinkle field has them. */
#include "support/support.h"

#include "layers/wrinkles/curves/smooth.h"
#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh of a model over a clip, with the stretch field of the frame at hand. */
typedef struct scene
{
    pleat_bake *bake;
    pleat_stack *stack;
    const pleat_stack_shape *shape;
    pleat_topology *topology;
    pleat_strain_field *field;
    uint32_t frame_count;
} scene;

static void open_scene(scene *s, const pleat_model *model, const char *mesh, float fps)
{
    *s = (scene){.bake = NULL};
    uint32_t node = 0;
    while (model->nodes[node].mesh == PLEAT_NONE ||
           (mesh && strcmp(model->meshes[model->nodes[node].mesh].name, mesh) != 0))
    {
        assert_true(++node < model->node_count);
    }
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.node_count = 1;
    desc.nodes = &node;
    desc.fps = fps;
    assert_int_equal(pleat_bake_create(&desc, NULL, &s->bake, NULL), PLEAT_OK);
    s->stack = pleat_bake_stack(s->bake, 0);
    s->shape = pleat_stack_get_shape(s->stack);
    s->frame_count = pleat_bake_get_shape(s->bake)->frame_count;
    assert_int_equal(pleat_topology_create(s->shape->surface_count, s->shape->triangle_count,
                                           s->shape->surface_triangles, NULL, &s->topology, NULL),
                     PLEAT_OK);
    assert_int_equal(pleat_strain_field_create(s->topology, s->shape->rest, NULL, &s->field, NULL), PLEAT_OK);
}

static void close_scene(scene *s)
{
    pleat_strain_field_destroy(s->field);
    pleat_topology_destroy(s->topology);
    pleat_bake_destroy(s->bake);
}

static pleat_asset *load(const char *path)
{
    pleat_load_options options = pleat_load_options_default();
    pleat_asset *asset = NULL;
    assert_int_equal(pleat_asset_load(path, &options, NULL, &asset, NULL), PLEAT_OK);
    return asset;
}

static void show_frame(scene *s, uint32_t frame)
{
    assert_int_equal(pleat_bake_frame(s->bake, frame, NULL), PLEAT_OK);
    pleat_strain_field_update(s->field, pleat_stack_positions(s->stack), NULL);
}

static pl_wrinkle_tracker *make_tracker(const scene *s)
{
    pl_wrinkle_track_options options = pl_wrinkle_track_options_default();
    options.r_min = 0.005f * pleat_stack_height(s->stack);
    pl_wrinkle_tracker *tracker = NULL;
    assert_int_equal(pl_wrinkle_tracker_create(&options, s->field, NULL, &tracker, NULL), PLEAT_OK);
    return tracker;
}

/* ---- Lives and frame rates ---- */

typedef struct lives
{
    double mean_count, mean_frames; /* wrinkles in a frame, frames of a life */
} lives;

static lives play(const char *name, const pleat_model *model, const char *mesh, float fps)
{
    scene s;
    open_scene(&s, model, mesh, fps);
    pl_wrinkle_tracker *tracker = make_tracker(&s);
    uint64_t seen = 0;
    uint32_t ids = 0;
    for (uint32_t f = 0; f < s.frame_count; ++f)
    {
        show_frame(&s, f);
        const pl_wrinkle_frame *frame = pl_wrinkle_tracker_step(tracker, f ? 1 / fps : 0);
        assert_false(pl_wrinkle_tracker_full(tracker));
        seen += frame->wrinkle_count;
        uint32_t newest = frame->wrinkle_count ? frame->wrinkles[frame->wrinkle_count - 1].id + 1 : 0;
        ids = newest > ids ? newest : ids;
    }
    lives out = {(double)seen / s.frame_count, ids ? (double)seen / ids : 0};
    print_message("%s at %g fps: %.2f wrinkles, living %.2f frames\n", name, (double)fps, out.mean_count,
                  out.mean_frames);
    pl_wrinkle_tracker_destroy(tracker);
    close_scene(&s);
    return out;
}

static void check_rates(const char *name)
{
    pleat_made *made = NULL;
    assert_int_equal(pleat_make(name, NULL, NULL, &made, NULL), PLEAT_OK);
    const pleat_model *model = pleat_made_model(made);
    lives slow = play(name, model, name, 30), fast = play(name, model, name, 60);
    pleat_made_destroy(made);
    assert_true(slow.mean_frames >= 10);
    assert_true(fabs(fast.mean_count - slow.mean_count) <= 0.05 * slow.mean_count);
}

static void test_wrinkles_of_the_skirt_live_at_any_rate(void **state)
{
    (void)state;
    check_rates("skirt");
}

static void test_wrinkles_of_the_shirt_live_at_any_rate(void **state)
{
    (void)state;
    check_rates("shirt");
}

/* Coarse simulation that trembles: places are above the threshold for 2.4 frames in a row on average. */
static void test_wrinkles_of_a_trembling_skirt_live(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "gen_coarse_skirt_sim/coarse_skirt_sim.glb");
    pleat_asset *asset = load(path);
    assert_true(play("coarse skirt", pleat_asset_model(asset), NULL, 30).mean_frames >= 10);
    pleat_asset_destroy(asset);
}

/* ---- Against a published wrinkle field ---- */

enum
{
    EDGES_MOST = 4096
};

static uint32_t read_numbers(const char *name, double *out, uint32_t capacity)
{
    const char *path = support_data(name);
    FILE *file = path ? fopen(path, "r") : NULL;
    uint32_t count = 0;
    while (file && count < capacity && fscanf(file, "%lf", &out[count]) == 1)
    {
        ++count;
    }
    if (file)
    {
        fclose(file);
    }
    return count;
}

static int compare_edges(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Edges from the lower to the higher vertex, sorted: the order of the reference's numbers. */
static uint32_t list_edges(const pleat_topology *topology, uint32_t (*edges)[2])
{
    assert_true(topology->edge_count < EDGES_MOST);
    for (uint32_t e = 0; e < topology->edge_count; ++e)
    {
        uint32_t c = topology->edge_corner[e];
        uint32_t a = topology->triangles[c], b = topology->triangles[c % 3 == 2 ? c - 2 : c + 1];
        edges[e][0] = a < b ? a : b;
        edges[e][1] = a < b ? b : a;
    }
    qsort(edges, topology->edge_count, sizeof edges[0], compare_edges);
    return topology->edge_count;
}

/* How far the phase of the reference's wave goes from one corner of a triangle to the next. */
static double phase(const uint32_t (*edges)[2], uint32_t count, const double *omega, uint32_t from, uint32_t to)
{
    uint32_t key[2] = {from < to ? from : to, from < to ? to : from};
    const uint32_t *found = bsearch(key, edges, count, sizeof edges[0], compare_edges);
    assert_non_null(found);
    double value = omega[(size_t)(found - edges[0]) / 2];
    return from < to ? value : -value;
}

/* The angle in degrees between our wrinkles and the crests of the wave, lines of equal phase, in the rest triangle. */
static double angle_in(const scene *s, uint32_t t, const uint32_t (*edges)[2], uint32_t count, const double *omega)
{
    const uint32_t *corner = s->topology->triangles + 3 * (size_t)t;
    pl_f4 a = pl_load(&s->shape->rest[corner[0]]);
    pl_f4 u = pl_load(&s->shape->rest[corner[1]]) - a, v = pl_load(&s->shape->rest[corner[2]]) - a;
    float to_second = (float)phase(edges, count, omega, corner[0], corner[1]);
    float to_third = (float)phase(edges, count, omega, corner[0], corner[2]);
    pl_f4 crest = pl_normalize3(u * pl_splat(to_third) - v * pl_splat(to_second));
    pleat_place middle = {t, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}};
    pleat_stretch ours = pleat_strain_field_at(s->field, &middle);
    return acos(fmin((double)fabsf(pl_dot3(crest, pl_load3(&ours.along))), 1)) * 57.29577951;
}

/* A twisted cylinder; Z. Chen et al., "Complex Wrinkle Field Evolution", 2023, have phase and amplitude for 11 frames.
 * Those between the last frame and the nearly flat first one are interpolated (the amplitude grows by the same amount
 * from each to the next), and the first one's direction is about 20 degrees off whatever the cloth does: the last
 * frame, where the wrinkles are their solution, is the judge; the others are shown. */
static void test_directions_agree_with_a_published_field(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "cwf_twist_cylinder/twist_cylinder_morph.glb");
    static uint32_t edges[EDGES_MOST][2];
    static double omega[EDGES_MOST], amplitude[EDGES_MOST];
    const uint32_t frames[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 97};
    scene s;
    pleat_asset *asset = load(path);
    open_scene(&s, pleat_asset_model(asset), NULL, 30);
    uint32_t edge_count = list_edges(s.topology, edges);
    const pl_flat *flat = pl_field_flat(s.field);
    double angle = 90;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; ++i)
    {
        char name[96];
        snprintf(name, sizeof name, "cwf_twist_cylinder/reference/omega_%03u.txt", frames[i]);
        assert_int_equal(read_numbers(name, omega, EDGES_MOST), edge_count);
        snprintf(name, sizeof name, "cwf_twist_cylinder/reference/amp_%03u.txt", frames[i]);
        assert_int_equal(read_numbers(name, amplitude, EDGES_MOST), s.topology->vertex_count);
        show_frame(&s, frames[i]);
        double sum = 0, area = 0;
        for (uint32_t t = 0; t < s.topology->triangle_count; ++t)
        {
            const uint32_t *corner = s.topology->triangles + 3 * (size_t)t;
            double height = amplitude[corner[0]] + amplitude[corner[1]] + amplitude[corner[2]];
            double share = (double)flat->triangles[t].area * height;
            sum += share > 0 ? share * angle_in(&s, t, (const uint32_t(*)[2])edges, edge_count, omega) : 0;
            area += share;
        }
        angle = sum / area;
        print_message("frame %u: %.2f degrees on average, by height (any direction: 45)\n", frames[i], angle);
        assert_true(angle < 25);
    }
    assert_true(angle < 5);
    close_scene(&s);
    pleat_asset_destroy(asset);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkles_of_a_trembling_skirt_live),
        cmocka_unit_test(test_directions_agree_with_a_published_field),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_wrinkles_of_the_skirt_live_at_any_rate),
        cmocka_unit_test(test_wrinkles_of_the_shirt_live_at_any_rate),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
