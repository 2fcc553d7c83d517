/* Refinement that keeps its input, judged by closed forms (the sphere, the tube), by topology, and by Rivara's theorem.
 */
#include "support/shapes.h"
#include "support/support.h"

#include "mesh/refine/keep.h"

#include "base/fail.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A shape with its normals, whole or in facets, and what is asked of it. */
typedef struct asked
{
    support_mesh mesh;
    pleat_vec4 *normals;
    uint32_t *groups; /* #T by 3 */
    uint32_t *parts;
    float edge;   /* longer ones are missed, */
    pl_f4 around; /* but where they are farther from here */
    float within; /* than this */
    pl_keep_desc desc;
} asked;

static pl_f4 place_of(const asked *a, uint32_t triangle, const float *b)
{
    const uint32_t *corner = a->mesh.triangles + 3 * (size_t)triangle;
    pl_f4 sum = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        sum += pl_load(&a->mesh.positions[corner[k]]) * pl_splat(b[k]);
    }
    return sum;
}

static float misses(void *user, uint32_t triangle, const float b[9])
{
    const asked *a = user;
    float longest = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 p = place_of(a, triangle, b + 3 * k), q = place_of(a, triangle, b + 3 * ((k + 1) % 3));
        longest = fmaxf(longest, pl_length3(p - q));
        if (pl_length3(p - a->around) > a->within)
        {
            return 0;
        }
    }
    return longest > a->edge ? longest : 0;
}

/* normal: of a point of the smooth shape, NULL: facets. */
static void ask(asked *a, support_mesh mesh, pl_f4 (*normal)(pl_f4 point), float edge)
{
    uint32_t corners = 3 * mesh.triangle_count;
    *a = (asked){.mesh = mesh, .edge = edge, .within = 1e9f, .around = pl_splat(0)};
    a->normals = aligned_alloc(32, ((corners + mesh.vertex_count + 1) & ~1u) * sizeof *a->normals);
    a->groups = malloc(corners * sizeof *a->groups);
    for (uint32_t c = 0; c < corners; ++c)
    {
        pl_f4 p[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            p[k] = pl_load(&mesh.positions[mesh.triangles[c - c % 3 + k]]);
        }
        a->groups[c] = normal ? mesh.triangles[c] : c;
        pl_store(&a->normals[a->groups[c]],
                 normal ? normal(p[c % 3]) : pl_normalize3(pl_cross(p[1] - p[0], p[2] - p[0])));
    }
    a->desc = (pl_keep_desc){.topology = mesh.topology,
                             .rest = mesh.positions,
                             .normal_count = normal ? mesh.vertex_count : corners,
                             .normal_triangles = a->groups,
                             .normals = a->normals,
                             .farthest = 1,
                             .max_triangles = 1000000,
                             .misses = misses,
                             .user = a};
}

static void done(asked *a)
{
    support_mesh_free(&a->mesh);
    free(a->normals);
    free(a->groups);
    free(a->parts);
}

static pl_refinement *make(asked *a)
{
    pl_refinement *refinement;
    pleat_error error = {0};
    a->desc.user = a;
    assert_int_equal(pl_refine_keep(&a->desc, NULL, &refinement, &error), PLEAT_OK);
    return refinement;
}

static pleat_vec4 *points_of(pl_refinement *r, const pleat_vec4 *in, const pleat_tasks *tasks)
{
    pleat_vec4 *out = aligned_alloc(32, ((r->refined->vertex_count + 1) & ~1u) * sizeof *out);
    r->type->points(r, in, out, tasks);
    return out;
}

static pl_f4 outwards(pl_f4 p)
{
    p[3] = 0;
    return pl_normalize3(p);
}

static pl_f4 off_axis(pl_f4 p)
{
    return pl_normalize3(pl_set(p[0], p[1], 0, 0));
}

static pl_f4 upwards(pl_f4 p)
{
    (void)p;
    return pl_set(0, 0, 1, 0);
}

static void test_keep_leaves_the_input_and_curves_the_rest(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_sphere(8), outwards, 0.1f);
    pl_refinement *r = make(&a);
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    assert_true(r->refined->triangle_count > 20 * a.mesh.triangle_count);
    assert_memory_equal(points, a.mesh.positions, a.mesh.vertex_count * sizeof *points);
    float worst = 0, flat = 0;
    for (uint32_t v = a.mesh.vertex_count; v < r->refined->vertex_count; ++v)
    {
        pl_f4 on = place_of(&a, r->refined->vertex_triangle[v], r->refined->vertex_barycentric + 3 * (size_t)v);
        flat = fmaxf(flat, 1 - pl_length3(on));
        worst = fmaxf(worst, fabsf(1 - pl_length3(pl_load(&points[v]))));
    }
    assert_true(flat > 0.02f);
    assert_true(worst < 0.2f * flat);
    free(points);
    r->type->destroy(r);
    done(&a);
}

static void test_keep_stays_as_near_as_it_is_told(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_sphere(8), outwards, 0.1f);
    a.desc.farthest = 0.01f;
    pl_refinement *r = make(&a);
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    for (uint32_t v = a.mesh.vertex_count; v < r->refined->vertex_count; ++v)
    {
        pl_f4 on = place_of(&a, r->refined->vertex_triangle[v], r->refined->vertex_barycentric + 3 * (size_t)v);
        assert_true(pl_length3(pl_load(&points[v]) - on) <= 0.0101f);
    }
    free(points);
    r->type->destroy(r);
    done(&a);
}

static float smallest_angle(const pleat_vec4 *p, uint32_t triangle_count, const uint32_t *triangles)
{
    float least = 4;
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        uint32_t first = c - c % 3;
        pl_f4 at = pl_load(&p[triangles[c]]), u = pl_load(&p[triangles[first + (c + 1) % 3]]) - at;
        pl_f4 w = pl_load(&p[triangles[first + (c + 2) % 3]]) - at;
        least = fminf(least, atan2f(pl_length3(pl_cross(u, w)), pl_dot3(u, w)));
    }
    return least;
}

static void test_keep_has_no_tjunctions_and_no_slivers(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_plane(7, 0.3f), upwards, 0.05f);
    a.around = pl_set(2, 3, 0, 0);
    a.within = 1.7f;
    pl_refinement *r = make(&a);
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    pleat_topology *topology;
    assert_int_equal(pleat_topology_create(r->refined->vertex_count, r->refined->triangle_count, r->refined->triangles,
                                           NULL, &topology, NULL),
                     PLEAT_OK);
    double area = 0;
    for (uint32_t t = 0; t < r->refined->triangle_count; ++t)
    {
        const uint32_t *corner = r->refined->triangles + 3 * (size_t)t;
        pl_f4 p = pl_load(&points[corner[0]]);
        float part = pl_cross(pl_load(&points[corner[1]]) - p, pl_load(&points[corner[2]]) - p)[2];
        assert_true(part > 0);
        area += 0.5 * (double)part;
        assert_true(t == 0 || r->refined->coarse_triangle[t] >= r->refined->coarse_triangle[t - 1]);
    }
    assert_true(fabs(area - 49) < 1e-3);
    for (uint32_t c = 0; c < 3 * r->refined->triangle_count; ++c)
    {
        assert_int_not_equal(topology->twin[c], PLEAT_NON_MANIFOLD);
        if (topology->twin[c] == PLEAT_BOUNDARY)
        {
            pleat_vec4 p = points[r->refined->triangles[c]];
            assert_true(p.x == 0 || p.x == 7 || p.y == 0 || p.y == 7);
        }
    }
    float before = smallest_angle(a.mesh.positions, a.mesh.triangle_count, a.mesh.triangles);
    assert_true(smallest_angle(points, r->refined->triangle_count, r->refined->triangles) > 0.499f * before);
    pleat_topology_destroy(topology);
    free(points);
    r->type->destroy(r);
    done(&a);
}

static void test_keep_is_flat_where_it_has_facets(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_sphere(6), NULL, 0.1f);
    pl_refinement *r = make(&a);
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    for (uint32_t v = a.mesh.vertex_count; v < r->refined->vertex_count; ++v)
    {
        pl_f4 on = place_of(&a, r->refined->vertex_triangle[v], r->refined->vertex_barycentric + 3 * (size_t)v);
        assert_true(pl_length3(pl_load(&points[v]) - on) < 1e-6f);
    }
    free(points);
    r->type->destroy(r);
    done(&a);
}

/* Hems are polygons before and after, and so are borders between parts; between them the tube is round. */
static void test_keep_leaves_borders_straight(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_tube(8, 4, 4), off_axis, 0.15f);
    a.parts = calloc(a.mesh.triangle_count, sizeof *a.parts);
    for (uint32_t t = 0; t < a.mesh.triangle_count; ++t)
    {
        float third[3] = {1 / 3.0f, 1 / 3.0f, 1 / 3.0f};
        a.parts[t] = place_of(&a, t, third)[2] > 2;
    }
    a.desc.parts = a.parts;
    pl_refinement *r = make(&a);
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    uint32_t lines = 0;
    float round = 0;
    for (uint32_t v = a.mesh.vertex_count; v < r->refined->vertex_count; ++v)
    {
        pl_f4 on = place_of(&a, r->refined->vertex_triangle[v], r->refined->vertex_barycentric + 3 * (size_t)v);
        float z = on[2], off = pl_length3(pl_load(&points[v]) - on);
        bool straight = z == 0 || z == 2 || z == 4;
        lines += straight;
        assert_true(!straight || off < 1e-6f);
        round = fmaxf(round, off);
    }
    assert_true(lines > 24);
    assert_true(round > 0.05f); /* of a sagitta of 0.076 */
    free(points);
    r->type->destroy(r);
    done(&a);
}

static void test_keep_serves_the_largest_miss_first(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_plane(6, 0), upwards, 0.01f);
    for (uint32_t budget = 1; budget < 1200; budget += 97)
    {
        a.desc.max_triangles = budget;
        pl_refinement *r = make(&a);
        uint32_t count = r->refined->triangle_count;
        assert_true(count <= budget || count == a.mesh.triangle_count);
        assert_true(budget < a.mesh.triangle_count || count + 1 >= budget);
        pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
        float longest = 0, shortest = 9;
        for (uint32_t c = 0; c < 3 * count; ++c)
        {
            uint32_t next = c % 3 == 2 ? c - 2 : c + 1;
            float length =
                pl_length3(pl_load(&points[r->refined->triangles[c]]) - pl_load(&points[r->refined->triangles[next]]));
            longest = fmaxf(longest, length);
            shortest = fminf(shortest, length);
        }
        /* All are about as fine: one bisection between the first and the last, on halves of squares. */
        assert_true(longest < 2.9f * shortest);
        free(points);
        r->type->destroy(r);
    }
    done(&a);
}

static void test_keep_is_linear_in_its_points(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_sphere(8), outwards, 0.03f);
    pl_refinement *r = make(&a);
    uint32_t count = a.mesh.vertex_count;
    pleat_vec4 *moved = aligned_alloc(32, ((count + 1) & ~1u) * sizeof *moved);
    pleat_affine shear = {{{2, 0.3f, 0, 5}, {0, 1, -0.7f, -3}, {0.1f, 0, 0.5f, 40}}};
    for (uint32_t v = 0; v < count; ++v)
    {
        pl_store(&moved[v], pl_affine_point(&shear, pl_load(&a.mesh.positions[v])));
    }
    pleat_vec4 *before = points_of(r, a.mesh.positions, NULL), *after = points_of(r, moved, NULL);
    pleat_pool *pool;
    assert_int_equal(pleat_pool_create(3, &pool, NULL), PLEAT_OK);
    pleat_tasks tasks = pleat_pool_tasks(pool);
    pleat_vec4 *again = points_of(r, moved, &tasks);
    for (uint32_t v = 0; v < r->refined->vertex_count; ++v)
    {
        pl_f4 expected = pl_affine_point(&shear, pl_load(&before[v]));
        assert_true(pl_length3(pl_load(&after[v]) - expected) < 1e-4f);
    }
    assert_memory_equal(after, again, r->refined->vertex_count * sizeof *after);
    pleat_pool_destroy(pool);
    free(again);
    free(after);
    free(before);
    free(moved);
    r->type->destroy(r);
    done(&a);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    pl_refinement *r;
    asked *a = user;
    PL_TRY(pl_refine_keep(&a->desc, host, &r, error));
    r->type->destroy(r);
    return PLEAT_OK;
}

static void test_keep_gives_everything_back(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_sphere(6), outwards, 0.2f);
    a.desc.user = &a;
    a.desc.render_count = a.mesh.vertex_count;
    a.desc.render_triangles = a.mesh.triangles;
    support_sweep_allocations(create, &a);
    done(&a);
}

/* Texture coordinates of each triangle for itself: the plane's own x and y, and a corner's number. */
static void test_keep_interpolates_what_is_split(void **state)
{
    (void)state;
    asked a;
    ask(&a, support_plane(4, 0.2f), upwards, 0.2f);
    uint32_t corners = 3 * a.mesh.triangle_count;
    uint32_t *own = malloc(corners * sizeof *own);
    float *uvs = malloc(2 * corners * sizeof *uvs);
    for (uint32_t c = 0; c < corners; ++c)
    {
        own[c] = c;
        uvs[2 * c] = a.mesh.positions[a.mesh.triangles[c]].x + (float)(c / 3);
        uvs[2 * c + 1] = a.mesh.positions[a.mesh.triangles[c]].y;
    }
    a.desc.render_count = corners;
    a.desc.render_triangles = own;
    pl_refinement *r = make(&a);
    const pleat_refined *refined = r->refined;
    pleat_vec4 *points = points_of(r, a.mesh.positions, NULL);
    float *fine = malloc(2 * (size_t)refined->render_count * sizeof *fine);
    r->type->values(r, PLEAT_LOOP_RENDER, 2, uvs, fine);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        uint32_t render = refined->render_triangles[c], vertex = refined->triangles[c];
        assert_int_equal(refined->render_vertex[render], vertex);
        assert_true(fabsf(fine[2 * render] - points[vertex].x - (float)refined->coarse_triangle[c / 3]) < 1e-5f);
        assert_true(fabsf(fine[2 * render + 1] - points[vertex].y) < 1e-5f);
    }
    uint32_t *whole = malloc(3 * (size_t)refined->triangle_count * sizeof *whole), count;
    assert_int_equal(r->type->channel(r, a.mesh.vertex_count, a.mesh.triangles, whole, &count, NULL), PLEAT_OK);
    assert_int_equal(count, refined->vertex_count);
    free(whole);
    free(fine);
    free(points);
    free(uvs);
    free(own);
    r->type->destroy(r);
    done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep_leaves_the_input_and_curves_the_rest),
        cmocka_unit_test(test_keep_stays_as_near_as_it_is_told),
        cmocka_unit_test(test_keep_has_no_tjunctions_and_no_slivers),
        cmocka_unit_test(test_keep_is_flat_where_it_has_facets),
        cmocka_unit_test(test_keep_leaves_borders_straight),
        cmocka_unit_test(test_keep_serves_the_largest_miss_first),
        cmocka_unit_test(test_keep_is_linear_in_its_points),
        cmocka_unit_test(test_keep_gives_everything_back),
        cmocka_unit_test(test_keep_interpolates_what_is_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
