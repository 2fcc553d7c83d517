/* Lines made edges of a surface: what must stay (area, turning, Euler's number, borders) and what must come (edges). */
#include "support/shapes.h"
#include "support/support.h"

#include "base/vec.h"
#include "mesh/embed/embed.h"

#include <stdlib.h>

/* Random straight walks over a mesh, each as places that neighbour each other. */
typedef struct lines
{
    uint32_t count;
    uint32_t first[64];
    pleat_place places[64 * 200];
} lines;

static void add_walk(lines *l, const support_mesh *m, uint32_t *state, float length)
{
    pleat_walk walk = {.topology = m->topology, .positions = m->positions};
    float a = support_random_float(state, 0.05f, 0.9f), b = (1 - a) * support_random_float(state, 0.05f, 0.95f);
    walk.start = (pleat_place){support_random(state) % m->triangle_count, {a, b, 1 - a - b}};
    walk.direction = (pleat_vec4){support_random_float(state, -1, 1), support_random_float(state, -1, 1),
                                  support_random_float(state, -1, 1), 0};
    walk.length = length;
    walk.path = l->places + l->first[l->count];
    walk.path_capacity = 199;
    l->first[l->count + 1] = l->first[l->count] + pleat_walk_run(&walk).path_count;
    ++l->count;
}

static double area_of(pleat_vec4 a, pleat_vec4 b, pleat_vec4 c, pl_f4 *normal)
{
    pl_f4 n = pl_cross(pl_from(b) - pl_from(a), pl_from(c) - pl_from(a));
    *normal = n;
    return 0.5 * (double)pl_length3(n);
}

typedef struct check
{
    pl_arena arena;
    pl_memory memory;
    pl_embedded result;
} check;

/* Every triangle of the result turns as its source does, and together they cover it. */
static void check_areas(const support_mesh *m, const pl_embedded *r)
{
    double *area = calloc(m->triangle_count, sizeof *area);
    for (uint32_t t = 0; t < r->triangle_count; ++t)
    {
        const uint32_t *v = r->triangles + 3 * (size_t)t, *s = m->triangles + 3 * (size_t)r->source[t];
        pl_f4 here, whole;
        area[r->source[t]] += area_of(support_position(m, r->places[v[0]]), support_position(m, r->places[v[1]]),
                                      support_position(m, r->places[v[2]]), &here);
        double all = area_of(m->positions[s[0]], m->positions[s[1]], m->positions[s[2]], &whole);
        assert_true(pl_dot3(here, whole) > 0);
        assert_true(0.5 * (double)pl_length3(here) > 1e-4 * all);
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t)
    {
        const uint32_t *s = m->triangles + 3 * (size_t)t;
        pl_f4 ignored;
        double all = area_of(m->positions[s[0]], m->positions[s[1]], m->positions[s[2]], &ignored);
        assert_true(fabs(area[t] - all) < 1e-4 * all);
    }
    free(area);
}

static int64_t euler(const pleat_topology *t)
{
    return (int64_t)t->vertex_count - t->edge_count + t->triangle_count;
}

static uint32_t count_borders(const pleat_topology *t, const pl_embedded *r, double *length, const support_mesh *m)
{
    uint32_t bad = 0;
    *length = 0;
    for (uint32_t c = 0; c < 3 * t->triangle_count; ++c)
    {
        bad += t->twin[c] == PLEAT_NON_MANIFOLD;
        if (t->twin[c] == PLEAT_BOUNDARY)
        {
            uint32_t a = t->triangles[c], b = t->triangles[c % 3 == 2 ? c - 2 : c + 1];
            *length += r ? support_distance(support_position(m, r->places[a]), support_position(m, r->places[b]))
                         : support_distance(m->positions[a], m->positions[b]);
        }
    }
    return bad;
}

static void check_topology(const support_mesh *m, const pl_embedded *r)
{
    pleat_topology *topology;
    pleat_error error = {0};
    assert_int_equal(pleat_topology_create(r->vertex_count, r->triangle_count, r->triangles, NULL, &topology, &error),
                     PLEAT_OK);
    assert_int_equal(euler(topology), euler(m->topology));
    double before, after;
    assert_int_equal(count_borders(topology, r, &after, m), 0);
    count_borders(m->topology, NULL, &before, m);
    assert_true(fabs(before - after) < 1e-4 * (before + 1)); /* an opened seam would be border, too */
    for (uint32_t l = 0; l < r->line_count; ++l)
    {
        for (uint32_t i = r->first_vertex[l]; i + 1 < r->first_vertex[l + 1]; ++i)
        {
            bool edge = false;
            uint32_t v = r->line_vertices[i];
            for (uint32_t k = topology->ring_start[v]; k < topology->ring_start[v + 1]; ++k)
            {
                uint32_t c = topology->ring_corner[k], t = c / 3;
                for (uint32_t j = 0; j < 3; ++j)
                {
                    edge |= topology->triangles[3 * t + j] == r->line_vertices[i + 1];
                }
            }
            assert_true(edge);
        }
    }
    pleat_topology_destroy(topology);
}

/* No point of a line lies farther from the edges that it became than snapping explains. */
static void check_lines(const support_mesh *m, const lines *l, const pl_embedded *r, double reach)
{
    for (uint32_t line = 0; line < l->count; ++line)
    {
        for (uint32_t i = l->first[line]; i < l->first[line + 1]; ++i)
        {
            pl_f4 p = pl_from(support_position(m, l->places[i]));
            float nearest = INFINITY;
            for (uint32_t k = 0; k < r->line_count; ++k)
            {
                for (uint32_t j = r->first_vertex[k]; r->line_source[k] == line && j + 1 < r->first_vertex[k + 1]; ++j)
                {
                    pl_f4 a = pl_from(support_position(m, r->places[r->line_vertices[j]]));
                    pl_f4 d = pl_from(support_position(m, r->places[r->line_vertices[j + 1]])) - a;
                    float t = fminf(fmaxf(pl_dot3(p - a, d) / fmaxf(pl_dot3(d, d), 1e-30f), 0), 1);
                    nearest = fminf(nearest, pl_length3(p - a - d * pl_splat(t)));
                }
            }
            /* A walk that a border ended at once leaves no edge. */
            double whole = support_distance(support_position(m, l->places[l->first[line]]),
                                            support_position(m, l->places[l->first[line + 1] - 1]));
            assert_true((double)nearest < reach || (isinf(nearest) && whole < reach));
        }
    }
}

static void check_mesh(support_mesh m, double edge, uint32_t seed)
{
    lines *l = calloc(1, sizeof *l);
    uint32_t state = seed;
    for (uint32_t i = 0; i < 24; ++i)
    {
        add_walk(l, &m, &state, (float)(edge * (double)support_random_float(&state, 0.5f, 12)));
    }
    check c;
    pleat_error error = {0};
    c.memory = pl_memory_from(NULL);
    pl_arena_init(&c.arena, &c.memory);
    pl_embed_desc desc = {m.topology, m.positions, l->count, l->first, l->places, 0.06f};
    assert_int_equal(pl_embed(&desc, &c.arena, &c.result, &error), PLEAT_OK);
    assert_int_equal(c.result.missed, 0);
    assert_true(c.result.triangle_count > m.triangle_count);
    check_areas(&m, &c.result);
    check_topology(&m, &c.result);
    check_lines(&m, l, &c.result, 0.25 * edge);
    pl_arena_free(&c.arena);
    free(l);
    support_mesh_free(&m);
}

static void test_embed_keeps_a_plane(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        check_mesh(support_plane(8, 0.3f), 1, seed);
    }
}

static void test_embed_keeps_a_sphere(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 10; ++seed)
    {
        check_mesh(support_sphere(12), 0.26, seed);
    }
}

static void test_embed_keeps_a_tube(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 10; ++seed)
    {
        check_mesh(support_tube(10, 6, 3), 0.6, seed);
    }
}

/* A cross inside one triangle: five vertices more, and the two lines meet in one of them. */
static void test_embed_cross_in_a_triangle(void **state)
{
    (void)state;
    support_mesh m = support_plane(1, 0);
    const pleat_place places[4] = {
        {0, {0.5f, 0.3f, 0.2f}}, {0, {0.2f, 0.3f, 0.5f}}, {0, {0.25f, 0.5f, 0.25f}}, {0, {0.4f, 0.2f, 0.4f}}};
    const uint32_t first[3] = {0, 2, 4};
    pl_memory memory = pl_memory_from(NULL);
    pl_arena arena;
    pl_embedded r;
    pleat_error error = {0};
    pl_arena_init(&arena, &memory);
    pl_embed_desc desc = {m.topology, m.positions, 2, first, places, 0.05f};
    assert_int_equal(pl_embed(&desc, &arena, &r, &error), PLEAT_OK);
    assert_int_equal(r.vertex_count, 4 + 5);
    assert_int_equal(r.triangle_count, 2 + 2 * 5);
    assert_int_equal(r.line_count, 2);
    assert_int_equal(r.first_vertex[1], 3);
    assert_int_equal(r.line_vertices[1], r.line_vertices[4]);
    check_areas(&m, &r);
    check_topology(&m, &r);
    pl_arena_free(&arena);
    support_mesh_free(&m);
}

/* Nothing to embed gives the mesh back. */
static void test_embed_nothing(void **state)
{
    (void)state;
    support_mesh m = support_plane(3, 0);
    const uint32_t first[1] = {0};
    pl_memory memory = pl_memory_from(NULL);
    pl_arena arena;
    pl_embedded r;
    pleat_error error = {0};
    pl_arena_init(&arena, &memory);
    pl_embed_desc desc = {m.topology, m.positions, 0, first, NULL, 0.05f};
    assert_int_equal(pl_embed(&desc, &arena, &r, &error), PLEAT_OK);
    assert_int_equal(r.vertex_count, m.vertex_count);
    assert_int_equal(r.triangle_count, m.triangle_count);
    assert_memory_equal(r.triangles, m.triangles, 3 * m.triangle_count * sizeof *m.triangles);
    pl_arena_free(&arena);
    support_mesh_free(&m);
}

static pleat_result embed_once(void *user, const pleat_host *host, pleat_error *error)
{
    const support_mesh *m = user;
    const pleat_place places[3] = {{0, {0.5f, 0.3f, 0.2f}}, {0, {0.2f, 0.3f, 0.5f}}, {1, {0.3f, 0.3f, 0.4f}}};
    const uint32_t first[2] = {0, 3};
    pl_memory memory = pl_memory_from(host);
    pl_arena arena;
    pl_embedded r;
    pl_arena_init(&arena, &memory);
    pl_embed_desc desc = {m->topology, m->positions, 1, first, places, 0.05f};
    pleat_result result = pl_embed(&desc, &arena, &r, error);
    pl_arena_free(&arena);
    return result;
}

static void test_embed_without_memory(void **state)
{
    (void)state;
    support_mesh m = support_plane(2, 0);
    support_sweep_allocations(embed_once, &m);
    support_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_embed_nothing),       cmocka_unit_test(test_embed_cross_in_a_triangle),
        cmocka_unit_test(test_embed_keeps_a_plane), cmocka_unit_test(test_embed_keeps_a_sphere),
        cmocka_unit_test(test_embed_keeps_a_tube),  cmocka_unit_test(test_embed_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
