/* Topology, weld and normals. Judged by Euler's formula, by hand-counted meshes and by closed forms. */
#include "support/support.h"

#include "base/vec.h"
#include "mesh/corner.h"
#include "pleat/mesh.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t tetrahedron[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};

static pleat_topology *make_topology(uint32_t vertex_count, uint32_t triangle_count, const uint32_t *triangles)
{
    pleat_topology *topology = NULL;
    pleat_error error = {0};
    assert_int_equal(pleat_topology_create(vertex_count, triangle_count, triangles, NULL, &topology, &error), PLEAT_OK);
    return topology;
}

/* What must hold for every triangle list. */
static void check_topology(const pleat_topology *topology)
{
    uint32_t corner_count = 3 * topology->triangle_count;
    uint32_t *uses = calloc((size_t)topology->edge_count + 1, sizeof *uses);
    uint8_t *in_ring = calloc((size_t)corner_count + 1, 1);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        uint32_t edge = topology->corner_edge[c];
        if (edge == PLEAT_NONE)
        {
            continue;
        }
        ++uses[edge];
        uint32_t twin = topology->twin[c];
        uint32_t next = topology->triangles[pl_corner_next(c)];
        if (twin < PLEAT_NON_MANIFOLD)
        {
            assert_int_equal(topology->twin[twin], c);
            assert_int_equal(topology->triangles[twin], next);
            assert_int_equal(topology->corner_edge[twin], edge);
        }
    }
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        uint32_t edge = topology->corner_edge[c];
        if (edge != PLEAT_NONE)
        {
            assert_true((topology->twin[c] == PLEAT_BOUNDARY) == (uses[edge] == 1));
            assert_true(uses[edge] <= 2 || topology->twin[c] == PLEAT_NON_MANIFOLD);
        }
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
        {
            uint32_t c = topology->ring_corner[i];
            assert_int_equal(topology->triangles[c], v);
            assert_int_equal(in_ring[c]++, 0);
            /* In a manifold fan the next corner is one turn further. */
            if (i + 1 < topology->ring_start[v + 1] && !(topology->vertex_flags[v] & PLEAT_VERTEX_NON_MANIFOLD))
            {
                assert_int_equal(topology->twin[pl_corner_previous(c)], topology->ring_corner[i + 1]);
            }
        }
    }
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        assert_int_equal(in_ring[c], topology->corner_edge[c] != PLEAT_NONE);
    }
    free(in_ring);
    free(uses);
}

static void test_mesh_topology_of_a_closed_surface(void **state)
{
    (void)state;
    pleat_topology *topology = make_topology(4, 4, tetrahedron);
    check_topology(topology);
    assert_int_equal(topology->edge_count, 6); /* V - E + F = 2 */
    for (uint32_t v = 0; v < 4; ++v)
    {
        assert_int_equal(topology->vertex_flags[v], 0);
        assert_int_equal(topology->ring_start[v + 1] - topology->ring_start[v], 3);
    }
    pleat_topology_destroy(topology);
    pleat_topology_destroy(NULL);
}

static void test_mesh_topology_of_borders_fins_and_points(void **state)
{
    (void)state;
    /* Two triangles back to back with a third on the same edge (a fin), one degenerate, one isolated vertex, and a
     * bow tie: vertex 5 joins two fans. */
    static const uint32_t triangles[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 2, 2, 3, 5, 6, 7, 5, 8, 9};
    pleat_topology *topology = make_topology(11, 6, triangles);
    check_topology(topology);
    assert_int_equal(topology->twin[0], PLEAT_NON_MANIFOLD);
    assert_int_equal(topology->corner_edge[9], PLEAT_NONE);
    assert_true(topology->vertex_flags[0] & PLEAT_VERTEX_NON_MANIFOLD);
    assert_true(topology->vertex_flags[5] & PLEAT_VERTEX_NON_MANIFOLD);
    assert_true(topology->vertex_flags[5] & PLEAT_VERTEX_BOUNDARY);
    assert_int_equal(topology->vertex_flags[10], PLEAT_VERTEX_ISOLATED);
    uint32_t shell[6];
    assert_int_equal(pleat_topology_shells(topology, shell), 3);
    assert_int_equal(shell[0], 0);
    assert_int_equal(shell[2], 0);
    assert_int_equal(shell[3], PLEAT_NONE);
    assert_int_equal(shell[4], 1);
    assert_int_equal(shell[5], 2);
    pleat_topology_destroy(topology);
}

static void test_mesh_topology_of_random_soup(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int round = 0; round < 300; ++round)
    {
        uint32_t vertex_count = 3 + support_random(&seed) % 12;
        uint32_t triangle_count = support_random(&seed) % 40;
        uint32_t triangles[120];
        for (uint32_t c = 0; c < 3 * triangle_count; ++c)
        {
            triangles[c] = support_random(&seed) % vertex_count;
        }
        pleat_topology *topology = make_topology(vertex_count, triangle_count, triangles);
        check_topology(topology);
        uint32_t shell[40];
        uint32_t shell_count = pleat_topology_shells(topology, shell);
        for (uint32_t t = 0; t < triangle_count; ++t)
        {
            assert_true(shell[t] == PLEAT_NONE || shell[t] < shell_count);
        }
        for (uint32_t c = 0; c < 3 * triangle_count; ++c)
        {
            if (topology->corner_edge[c] != PLEAT_NONE)
            {
                uint32_t first = topology->edge_corner[topology->corner_edge[c]];
                assert_int_equal(shell[c / 3], shell[first / 3]);
            }
        }
        pleat_topology_destroy(topology);
    }
}

static void test_mesh_topology_rejects_indices_out_of_range(void **state)
{
    (void)state;
    pleat_topology *topology = (pleat_topology *)1;
    pleat_error error = {0};
    assert_int_equal(pleat_topology_create(3, 4, tetrahedron, NULL, &topology, &error), PLEAT_BAD_ARGUMENT);
    assert_null(topology);
    assert_non_null(strstr(error.message, "vertex 3"));
}

/* A unit cube as files hold it: 24 render vertices, hard edges. Face f, axis f / 2. */
typedef struct cube
{
    pleat_vec3 positions[24];
    pleat_vec3 normals[24];
    float keys[24];
    uint32_t triangles[36];
} cube;

static cube make_cube(void)
{
    cube made = {0};
    for (uint32_t f = 0; f < 6; ++f)
    {
        float side = f % 2 ? 1.0f : -0.0f;
        uint32_t axis = f / 2;
        for (uint32_t k = 0; k < 4; ++k)
        {
            float p[3], n[3] = {0, 0, 0};
            p[axis] = side;
            p[(axis + 1) % 3] = (float)((k == 1 || k == 2) ? 1 : 0);
            p[(axis + 2) % 3] = (float)(k / 2);
            n[axis] = f % 2 ? 1.0f : -1.0f;
            made.positions[4 * f + k] = (pleat_vec3){p[0], p[1], p[2]};
            made.normals[4 * f + k] = (pleat_vec3){n[0], n[1], n[2]};
        }
        uint32_t forward[] = {0, 1, 2, 0, 2, 3}, backward[] = {0, 2, 1, 0, 3, 2};
        for (uint32_t c = 0; c < 6; ++c)
        {
            made.triangles[6 * f + c] = 4 * f + (f % 2 ? forward[c] : backward[c]);
        }
    }
    return made;
}

static pleat_surface_desc cube_desc(const cube *made)
{
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = 24;
    desc.positions = made->positions;
    desc.normals = made->normals;
    desc.triangle_count = 12;
    desc.triangles = made->triangles;
    return desc;
}

static void test_mesh_surface_welds_a_cube(void **state)
{
    (void)state;
    cube made = make_cube();
    pleat_surface_desc desc = cube_desc(&made);
    pleat_surface *surface = NULL;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_OK);
    assert_int_equal(surface->vertex_count, 8);
    assert_int_equal(surface->normal_count, 24);
    pleat_topology *topology = make_topology(8, 12, surface->triangles);
    check_topology(topology);
    assert_int_equal(topology->edge_count, 18);
    for (uint32_t v = 0; v < 8; ++v)
    {
        assert_int_equal(topology->vertex_flags[v], 0);
        assert_int_equal(surface->render_vertex[surface->vertex_render[v]], v);
    }
    for (uint32_t r = 0; r < 24; ++r)
    {
        uint32_t first = surface->vertex_render[surface->render_vertex[r]];
        assert_memory_equal(&(float){made.positions[r].y + 0.0f}, &(float){made.positions[first].y + 0.0f}, 4);
    }
    /* Normals of hard edges come back exactly. */
    pleat_vec4 points[8], normals[24];
    for (uint32_t v = 0; v < 8; ++v)
    {
        pl_store(&points[v], pl_load3(&made.positions[surface->vertex_render[v]]));
    }
    pleat_normals *computed = NULL;
    assert_int_equal(pleat_normals_create(surface->normal_count, 12, surface->normal_triangles, surface->triangles,
                                          NULL, &computed, NULL),
                     PLEAT_OK);
    pleat_normals_update(computed, points, normals, NULL);
    for (uint32_t r = 0; r < 24; ++r)
    {
        pl_f4 difference = pl_load(&normals[surface->render_normal[r]]) - pl_load3(&made.normals[r]);
        assert_true(pl_length3(difference) < 1e-6f);
    }
    pleat_normals_destroy(computed);
    pleat_topology_destroy(topology);
    pleat_surface_destroy(surface);
}

static void test_mesh_surface_keeps_apart_what_moves_apart(void **state)
{
    (void)state;
    cube made = make_cube();
    pleat_surface_desc desc = cube_desc(&made);
    desc.keys = made.keys;
    desc.key_count = 1;
    for (uint32_t r = 0; r < 24; ++r)
    {
        made.keys[r] = r < 4 ? 0.5f : r % 2 ? 0.0f : 0.0005f; /* the first face follows another joint */
    }
    pleat_surface *surface = NULL;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_OK);
    assert_int_equal(surface->vertex_count, 12);
    pleat_surface_destroy(surface);
    /* Within a distance. */
    desc.keys = NULL;
    for (uint32_t r = 0; r < 24; ++r)
    {
        made.positions[r].x += (float)(r % 3) * 1e-5f;
    }
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_OK);
    assert_true(surface->vertex_count > 8);
    pleat_surface_destroy(surface);
    desc.weld_distance = 1e-4f;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_OK);
    assert_int_equal(surface->vertex_count, 8);
    pleat_surface_destroy(surface);
}

static void test_mesh_surface_rejects(void **state)
{
    (void)state;
    cube made = make_cube();
    pleat_surface_desc desc = cube_desc(&made);
    pleat_surface *surface = NULL;
    desc.weld_distance = NAN;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_BAD_ARGUMENT);
    desc = cube_desc(&made);
    made.triangles[7] = 24;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_BAD_ARGUMENT);
    made.triangles[7] = 0;
    made.positions[3].z = INFINITY;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_BAD_ARGUMENT);
    assert_null(surface);
}

/* Many render vertices in one point with different keys must not take quadratic time. */
static void test_mesh_surface_of_one_point_stays_quick(void **state)
{
    (void)state;
    enum
    {
        COUNT = 200000
    };
    pleat_vec3 *positions = calloc(COUNT, sizeof *positions);
    float *keys = calloc(COUNT, sizeof *keys);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        keys[i] = (float)i;
    }
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = COUNT;
    desc.positions = positions;
    desc.keys = keys;
    desc.key_count = 1;
    pleat_surface *surface = NULL;
    assert_int_equal(pleat_surface_create(&desc, NULL, &surface, NULL), PLEAT_OK);
    assert_int_equal(surface->vertex_count, COUNT);
    pleat_surface_destroy(surface);
    free(keys);
    free(positions);
}

static void test_mesh_normals_of_a_sphere_point_outwards(void **state)
{
    (void)state;
    enum
    {
        RINGS = 64,
        SEGMENTS = 128,
        VERTICES = RINGS * SEGMENTS
    };
    pleat_vec4 *points = aligned_alloc(16, VERTICES * sizeof *points);
    pleat_vec4 *out[3];
    uint32_t *triangles = malloc(6 * VERTICES * sizeof *triangles);
    uint32_t count = 0;
    for (uint32_t i = 0; i < RINGS; ++i)
    {
        for (uint32_t j = 0; j < SEGMENTS; ++j)
        {
            float theta = 3.14159265f * ((float)i + 0.5f) / RINGS, phi = 6.2831853f * (float)j / SEGMENTS;
            points[i * SEGMENTS + j] = (pleat_vec4){sinf(theta) * cosf(phi), cosf(theta), -sinf(theta) * sinf(phi), 0};
            if (i + 1 < RINGS)
            {
                uint32_t a = i * SEGMENTS + j, b = i * SEGMENTS + (j + 1) % SEGMENTS, c = a + SEGMENTS,
                         d = b + SEGMENTS;
                uint32_t quad[] = {a, c, b, b, c, d};
                memcpy(triangles + 3 * count, quad, sizeof quad);
                count += 2;
            }
        }
    }
    pleat_normals *normals = NULL;
    assert_int_equal(pleat_normals_create(VERTICES, count, triangles, triangles, NULL, &normals, NULL), PLEAT_OK);
    for (uint32_t k = 0; k < 3; ++k)
    {
        pleat_pool *pool = NULL;
        assert_int_equal(pleat_pool_create(1u << k, &pool, NULL), PLEAT_OK);
        pleat_tasks tasks = pleat_pool_tasks(pool);
        out[k] = aligned_alloc(16, VERTICES * sizeof *out[k]);
        pleat_normals_update(normals, points, out[k], &tasks);
        assert_memory_equal(out[0], out[k], VERTICES * sizeof *out[k]);
        pleat_pool_destroy(pool);
    }
    for (uint32_t v = SEGMENTS; v < VERTICES - SEGMENTS; ++v)
    {
        assert_true(pl_dot3(pl_load(&out[0][v]), pl_load(&points[v])) > 0.9995f);
    }
    pleat_normals_destroy(normals);
    free(out[0]);
    free(out[1]);
    free(out[2]);
    free(triangles);
    free(points);
}

static pleat_result create_all(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    cube made = make_cube();
    pleat_surface_desc desc = cube_desc(&made);
    pleat_surface *surface = NULL;
    pleat_topology *topology = NULL;
    pleat_normals *normals = NULL;
    pleat_result result = pleat_surface_create(&desc, host, &surface, error);
    if (result == PLEAT_OK)
    {
        result = pleat_topology_create(surface->vertex_count, 12, surface->triangles, host, &topology, error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_normals_create(surface->normal_count, 12, surface->normal_triangles, surface->triangles, host,
                                      &normals, error);
    }
    pleat_normals_destroy(normals);
    pleat_topology_destroy(topology);
    pleat_surface_destroy(surface);
    return result;
}

static void test_mesh_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(create_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_topology_of_a_closed_surface),
        cmocka_unit_test(test_mesh_topology_of_borders_fins_and_points),
        cmocka_unit_test(test_mesh_topology_of_random_soup),
        cmocka_unit_test(test_mesh_topology_rejects_indices_out_of_range),
        cmocka_unit_test(test_mesh_surface_welds_a_cube),
        cmocka_unit_test(test_mesh_surface_keeps_apart_what_moves_apart),
        cmocka_unit_test(test_mesh_surface_rejects),
        cmocka_unit_test(test_mesh_surface_of_one_point_stays_quick),
        cmocka_unit_test(test_mesh_normals_of_a_sphere_point_outwards),
        cmocka_unit_test(test_mesh_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
