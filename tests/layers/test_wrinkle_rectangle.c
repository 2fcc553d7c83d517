/* The paper's measurement: a rectangle that loses 36 % of its front's length, from the stretch field to the wrinkled
 * cloth. Lengths are summed over the refined vertices, whose places on the unit square are known. */
#include "support/support.h"

#include "layers/wrinkles/deform/deform.h"
#include "layers/wrinkles/shape/shape.h"
#include "layers/wrinkles/curves/track.h"
#include "pleat/make.h"
#include "pleat/strain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    QUADS = 20,
    ROW = QUADS + 1,
    FRAMES = 60
};

typedef struct rectangle
{
    uint32_t triangles[6 * QUADS * QUADS];
    pleat_vec4 rest[ROW * ROW], now[ROW * ROW];
    pleat_topology *topology;
    pleat_loop *loop;
    const pleat_refined *refined;
    uint32_t lattice, *at; /* refined vertices by row and column */
    pleat_vec4 *fine_rest, *before, *after, *normals;
} rectangle;

static void open_rectangle(rectangle *r, const pleat_model *model)
{
    const pleat_primitive *cloth = &model->meshes[0].primitives[0];
    assert_int_equal(cloth->vertex_count, ROW * ROW);
    assert_int_equal(cloth->triangle_count, 2 * QUADS * QUADS);
    memcpy(r->triangles, cloth->triangles, sizeof r->triangles);
    for (uint32_t v = 0; v < ROW * ROW; ++v)
    {
        r->rest[v] = (pleat_vec4){cloth->positions[v].x, cloth->positions[v].y, cloth->positions[v].z, 0};
    }
    assert_int_equal(pleat_topology_create(ROW * ROW, 2 * QUADS * QUADS, r->triangles, NULL, &r->topology, NULL),
                     PLEAT_OK);
}

/* As make/rectangle.c says: x (1 - 0.36 g(z) h(t)). */
static void move(rectangle *r, double grown)
{
    for (uint32_t v = 0; v < ROW * ROW; ++v)
    {
        double t = (double)r->rest[v].z + 0.5, front = t * t * (3 - 2 * t);
        r->now[v] = r->rest[v];
        r->now[v].x = (float)((double)r->rest[v].x * (1 - 0.36 * front * grown));
    }
}

static void refine(rectangle *r, uint32_t level)
{
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = ROW * ROW;
    desc.triangle_count = 2 * QUADS * QUADS;
    desc.triangles = r->triangles;
    desc.level = level;
    assert_int_equal(pleat_loop_create(&desc, NULL, &r->loop, NULL), PLEAT_OK);
    r->refined = pleat_loop_refined(r->loop);
    uint32_t count = r->refined->vertex_count;
    r->lattice = ((uint32_t)QUADS << level) + 1;
    r->at = malloc((size_t)r->lattice * r->lattice * sizeof *r->at);
    r->fine_rest = malloc(count * sizeof *r->fine_rest);
    r->before = malloc(count * sizeof *r->before);
    r->after = malloc(count * sizeof *r->after);
    r->normals = malloc(count * sizeof *r->normals);
    pleat_loop_points(r->loop, PLEAT_LOOP_SURFACE, r->rest, r->fine_rest, NULL);
    pleat_loop_points(r->loop, PLEAT_LOOP_SURFACE, r->now, r->before, NULL);
    memcpy(r->after, r->before, count * sizeof *r->after);
    for (uint32_t v = 0; v < count; ++v)
    {
        const uint32_t *corner = &r->triangles[3 * (size_t)r->refined->vertex_triangle[v]];
        const float *weight = &r->refined->vertex_barycentric[3 * (size_t)v];
        double x = 0, z = 0;
        for (int k = 0; k < 3; ++k)
        {
            x += (double)weight[k] * (corner[k] % ROW);
            z += (double)weight[k] * (corner[k] / ROW);
        }
        r->at[(size_t)lround(ldexp(z, (int)level)) * r->lattice + (size_t)lround(ldexp(x, (int)level))] = v;
        r->normals[v] = (pleat_vec4){0, 1, 0, 0};
    }
}

static void close_rectangle(rectangle *r)
{
    pleat_loop_destroy(r->loop);
    pleat_topology_destroy(r->topology);
    free(r->at);
    free(r->fine_rest);
    free(r->before);
    free(r->after);
    free(r->normals);
}

/* Along a row (step 1) or a column (step of the lattice). */
static double length_of(const rectangle *r, const pleat_vec4 *p, size_t start, size_t step)
{
    double sum = 0;
    for (uint32_t i = 0; i + 1 < r->lattice; ++i)
    {
        const pleat_vec4 *a = &p[r->at[start + i * step]], *b = &p[r->at[start + (i + 1) * step]];
        double x = (double)a->x - b->x, y = (double)a->y - b->y, z = (double)a->z - b->z;
        sum += sqrt(x * x + y * y + z * z);
    }
    return sum;
}

/* Root of the mean over rest area of the square of 1 - smallest stretch, where that is above 0. */
static double compression_of(const rectangle *r, const pleat_vec4 *p)
{
    pleat_strain *strain = NULL;
    uint32_t count = r->refined->triangle_count;
    assert_int_equal(
        pleat_strain_create(r->refined->vertex_count, r->fine_rest, count, r->refined->triangles, NULL, &strain, NULL),
        PLEAT_OK);
    pleat_stretch *stretches = malloc(count * sizeof *stretches);
    pleat_strain_update(strain, p, stretches, NULL);
    double sum = 0, area = 0;
    for (uint32_t t = 0; t < count; ++t)
    {
        double lost = fmax(1 - (double)stretches[t].smallest, 0), of = (double)pleat_strain_areas(strain)[t];
        sum += lost * lost * of;
        area += of;
    }
    free(stretches);
    pleat_strain_destroy(strain);
    return sqrt(sum / area);
}

/* Tracks the wrinkles of the whole motion and shapes those of the last frame. */
static const pl_wrinkle_frame *track(rectangle *r, float radius, pleat_strain_field *field, pl_wrinkle_tracker *tracker)
{
    const pl_wrinkle_frame *frame = NULL;
    for (int i = 0; i <= FRAMES; ++i)
    {
        double t = (double)i / FRAMES;
        move(r, t * t * (3 - 2 * t));
        pleat_strain_field_update(field, r->now, NULL);
        frame = pl_wrinkle_tracker_step(tracker, 1 / 30.0f);
    }
    pl_wrinkle_shape_desc desc = pl_wrinkle_shape_desc_default();
    desc.topology = r->topology;
    desc.rest = r->rest;
    desc.radius = radius;
    desc.wrinkle_capacity = frame->wrinkle_count;
    desc.point_capacity = frame->point_count;
    pl_wrinkle_shape *shape = NULL;
    assert_int_equal(pl_wrinkle_shape_create(&desc, NULL, &shape, NULL), PLEAT_OK);
    pl_wrinkle_shape_update(shape, r->now, frame->wrinkle_count, frame->wrinkles, frame->points, NULL);
    pl_wrinkle_shape_destroy(shape);
    return frame;
}

static void deform(rectangle *r, const pl_wrinkle_frame *wrinkles)
{
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = r->topology;
    desc.vertex_count = r->refined->vertex_count;
    desc.vertex_triangle = r->refined->vertex_triangle;
    desc.vertex_barycentric = r->refined->vertex_barycentric;
    desc.coarse_rest = r->rest;
    desc.rest = r->fine_rest;
    desc.wrinkle_capacity = wrinkles->wrinkle_count;
    desc.point_capacity = wrinkles->point_count;
    pl_wrinkle_deform *bound = NULL;
    assert_int_equal(pl_wrinkle_deform_create(&desc, NULL, &bound, NULL), PLEAT_OK);
    pl_wrinkle_deform_frame frame = {.coarse = r->after,
                                     .positions = r->after,
                                     .normals = r->normals,
                                     .wrinkle_count = wrinkles->wrinkle_count,
                                     .wrinkles = wrinkles->wrinkles,
                                     .points = wrinkles->points};
    pl_wrinkle_deform_update(bound, &frame);
    assert_int_equal(pl_wrinkle_deform_last(bound).left_out, 0);
    pl_wrinkle_deform_destroy(bound);
}

static void measure(rectangle *r, float radius)
{
    size_t last = (size_t)(r->lattice - 1) * r->lattice, lattice = r->lattice;
    double front = length_of(r, r->fine_rest, last, 1), worst = 0, shrunk = 0;
    double before = length_of(r, r->before, last, 1) / front - 1, after = length_of(r, r->after, last, 1) / front - 1;
    for (size_t row = lattice / 2; row < lattice; ++row)
    {
        double rest = length_of(r, r->fine_rest, row * lattice, 1);
        worst = fmax(worst, fabs(length_of(r, r->after, row * lattice, 1) / rest - 1));
    }
    for (size_t column = 0; column < lattice; ++column)
    {
        double was = length_of(r, r->before, column, lattice);
        shrunk = fmax(shrunk, 1 - length_of(r, r->after, column, lattice) / was);
    }
    double lost = compression_of(r, r->before), left = compression_of(r, r->after);
    print_message(
        "R_min %.0f mm: front %.2f %% -> %.2f %%, worst row of the front half %.2f %%; shrinks along wrinkles "
        "by at most %.2f %%; compression %.4f -> %.4f (%.0f %% less)\n",
        1e3 * (double)radius, 100 * before, 100 * after, 100 * worst, 100 * shrunk, lost, left,
        100 * (1 - left / lost));
    assert_true(before < -0.35 && fabs(after) < 0.02 && worst < 0.02);
    assert_true(shrunk < 0.03 && left < 0.6 * lost);
}

static void test_wrinkle_rectangle(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    assert_int_equal(pleat_make("rectangle", NULL, NULL, &made, NULL), PLEAT_OK);
    static const struct
    {
        float radius;
        uint32_t level;
    } fabrics[] = {{0.04f, 3}, {0.02f, 4}, {0.012f, 5}};
    for (int i = 0; i < 3; ++i)
    {
        static rectangle r;
        memset(&r, 0, sizeof r);
        open_rectangle(&r, pleat_made_model(made));
        pleat_strain_field *field = NULL;
        pl_wrinkle_tracker *tracker = NULL;
        pl_wrinkle_track_options options = pl_wrinkle_track_options_default();
        options.r_min = fabrics[i].radius;
        assert_int_equal(pleat_strain_field_create(r.topology, r.rest, NULL, &field, NULL), PLEAT_OK);
        assert_int_equal(pl_wrinkle_tracker_create(&options, field, NULL, &tracker, NULL), PLEAT_OK);
        const pl_wrinkle_frame *wrinkles = track(&r, fabrics[i].radius, field, tracker);
        refine(&r, fabrics[i].level);
        deform(&r, wrinkles);
        measure(&r, fabrics[i].radius);
        pl_wrinkle_tracker_destroy(tracker);
        pleat_strain_field_destroy(field);
        close_rectangle(&r);
    }
    pleat_made_destroy(made);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkle_rectangle),
    };
    return cmocka_run_group_tests_name("wrinkle_rectangle", tests, NULL, NULL);
}
