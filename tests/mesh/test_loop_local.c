/* Loop subdivision where it is wished. Judges: counts over edges, for what must stay closed; uniform subdivision, for
 * where the vertices lie. */
#include "pleat/io.h"
#include "pleat/mesh.h"

#include "support/loop_mesh.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A refined edge under the coarse triangle that it lies in, or under none where it lies on a coarse edge. */
typedef struct edge_record
{
    uint32_t a, b, coarse;
    uint32_t wanted; /* triangles that it must have */
} edge_record;

static int compare_records(const void *x, const void *y)
{
    const edge_record *a = x, *b = y;
    if (a->a != b->a)
    {
        return a->a < b->a ? -1 : 1;
    }
    if (a->b != b->b)
    {
        return a->b < b->b ? -1 : 1;
    }
    return a->coarse < b->coarse ? -1 : a->coarse > b->coarse;
}

/* Coarse vertices that hold a refined one, as a sorted triple; count of them. */
static uint32_t find_support(const uint32_t *triangles, const pleat_refined *refined, uint32_t vertex,
                             uint32_t support[3])
{
    if (refined->vertex_triangle[vertex] == PLEAT_NONE)
    {
        support[0] = vertex;
        return 1;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (refined->vertex_barycentric[3 * vertex + k] > 0)
        {
            support[count++] = triangles[3 * refined->vertex_triangle[vertex] + k];
        }
    }
    return count;
}

/* Triangles of the coarse mesh on the edge that holds both vertices; 0 if they lie on none. */
static uint32_t count_on_coarse_edge(const uint32_t *triangles, uint32_t triangle_count, const pleat_refined *refined,
                                     uint32_t a, uint32_t b)
{
    uint32_t held[6];
    uint32_t count = find_support(triangles, refined, a, held);
    count += find_support(triangles, refined, b, held + count);
    uint32_t ends[2] = {held[0], held[0]};
    for (uint32_t i = 1; i < count; ++i)
    {
        if (held[i] != ends[0])
        {
            if (ends[1] != ends[0] && held[i] != ends[1])
            {
                return 0;
            }
            ends[1] = held[i];
        }
    }
    uint32_t found = 0;
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        const uint32_t *c = triangles + 3 * t;
        bool degenerate = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        bool first = c[0] == ends[0] || c[1] == ends[0] || c[2] == ends[0];
        bool second = c[0] == ends[1] || c[1] == ends[1] || c[2] == ends[1];
        found += !degenerate && first && second;
    }
    return found;
}

/* No T-junctions: an edge inside a coarse triangle has two triangles, one on a coarse edge as many as that has. */
static void check_closed(const uint32_t *triangles, uint32_t triangle_count, const pleat_refined *refined)
{
    edge_record *records = calloc(3 * (size_t)refined->triangle_count + 1, sizeof *records);
    uint32_t count = 0;
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        const uint32_t *corners = refined->triangles + c / 3 * 3;
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
        {
            continue;
        }
        uint32_t a = corners[c % 3], b = corners[(c + 1) % 3];
        uint32_t on_edge = count_on_coarse_edge(triangles, triangle_count, refined, a, b);
        records[count++] = (edge_record){a < b ? a : b, a < b ? b : a,
                                         on_edge ? PLEAT_NONE : refined->coarse_triangle[c / 3], on_edge ? on_edge : 2};
    }
    qsort(records, count, sizeof *records, compare_records);
    for (uint32_t i = 0; i < count;)
    {
        uint32_t end = i;
        while (end < count && compare_records(&records[i], &records[end]) == 0)
        {
            ++end;
        }
        if (end - i != records[i].wanted)
        {
            fail_msg("edge %u %u has %u triangles, %u wanted", records[i].a, records[i].b, end - i, records[i].wanted);
        }
        i = end;
    }
    free(records);
}

static void check_graded(const pleat_refined *refined)
{
    uint8_t *low = malloc(refined->vertex_count + 1), *high = calloc(refined->vertex_count + 1, 1);
    memset(low, 255, refined->vertex_count);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
        {
            uint32_t v = refined->triangles[c];
            const uint32_t *corners = refined->triangles + c / 3 * 3;
            if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
            {
                continue;
            }
            uint8_t level = refined->triangle_level[c / 3];
            low[v] = level < low[v] ? level : low[v];
            high[v] = level > high[v] ? level : high[v];
            assert_true(pass == 0 || high[v] - low[v] <= 1);
        }
    }
    free(low);
    free(high);
}

static void check_seams(const pleat_refined *refined)
{
    for (uint32_t c = 0; c < 3 * refined->triangle_count && refined->render_triangles; ++c)
    {
        assert_true(refined->render_triangles[c] < refined->render_count);
        assert_int_equal(refined->render_vertex[refined->render_triangles[c]], refined->triangles[c]);
    }
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        assert_true(refined->triangles[c] < refined->vertex_count);
    }
    for (uint32_t t = 1; t < refined->triangle_count; ++t)
    {
        assert_true(refined->coarse_triangle[t - 1] <= refined->coarse_triangle[t]);
    }
}

/* A refined vertex by the coarse vertices that hold it and its weights. */
typedef struct place_record
{
    uint32_t support[3];
    float weights[3];
    uint32_t vertex;
} place_record;

static int compare_places(const void *x, const void *y)
{
    const place_record *a = x, *b = y;
    int order = memcmp(a->support, b->support, sizeof a->support);
    return order ? order : memcmp(a->weights, b->weights, sizeof a->weights);
}

static place_record *list_places(const mesh *m, const pleat_refined *refined)
{
    place_record *places = calloc(refined->vertex_count, sizeof *places);
    for (uint32_t v = 0; v < refined->vertex_count; ++v)
    {
        place_record *place = &places[v];
        place->vertex = v;
        for (uint32_t k = 0; k < 3; ++k)
        {
            float weight = refined->vertex_barycentric[3 * v + k];
            place->support[k] = weight > 0 ? m->triangles[3 * refined->vertex_triangle[v] + k] : PLEAT_NONE;
            place->weights[k] = weight > 0 ? weight : 0;
            for (uint32_t i = k; i > 0 && place->support[i - 1] > place->support[i]; --i)
            {
                uint32_t vertex = place->support[i];
                place->support[i] = place->support[i - 1];
                place->support[i - 1] = vertex;
                float w = place->weights[i];
                place->weights[i] = place->weights[i - 1];
                place->weights[i - 1] = w;
            }
        }
    }
    qsort(places, refined->vertex_count, sizeof *places, compare_places);
    return places;
}

/* Every vertex lies to the bit where uniform subdivision to the highest level around it puts it. */
static void check_uniform_places(const mesh *m, const pleat_refined *refined, const pleat_vec4 *points, uint32_t level)
{
    uint8_t *vertex_level = calloc(refined->vertex_count, 1);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        uint8_t *l = &vertex_level[refined->triangles[c]];
        *l = refined->triangle_level[c / 3] > *l ? refined->triangle_level[c / 3] : *l;
    }
    place_record *places = list_places(m, refined);
    for (uint32_t l = 0; l <= level; ++l)
    {
        pleat_loop_desc desc = mesh_desc(m, l);
        pleat_loop *uniform = make_loop(&desc);
        pleat_vec4 *wanted = refine(uniform, m);
        place_record *all = list_places(m, pleat_loop_refined(uniform));
        for (uint32_t i = 0; i < refined->vertex_count; ++i)
        {
            if (vertex_level[places[i].vertex] == l)
            {
                place_record *same =
                    bsearch(&places[i], all, pleat_loop_refined(uniform)->vertex_count, sizeof *all, compare_places);
                assert_non_null(same);
                assert_memory_equal(&points[places[i].vertex], &wanted[same->vertex], sizeof(pleat_vec4));
            }
        }
        free(all);
        free(wanted);
        pleat_loop_destroy(uniform);
    }
    free(places);
    free(vertex_level);
}

/* Splits what touches a disk in the plane of barycentric coordinates of some triangles. */
static bool wants_near(void *user, uint32_t coarse, const float barycentric[9], uint32_t level)
{
    uint32_t *calls = user;
    ++*calls;
    float unit = 1.0f / (float)(1u << level);
    for (int k = 0; k < 3; ++k)
    {
        const float *b = barycentric + 3 * k;
        assert_true(b[0] >= 0 && b[1] >= 0 && b[2] >= 0 && b[0] + b[1] + b[2] == 1);
        if (coarse % 7 == 3 && fabsf(b[0] - 0.4f) + fabsf(b[1] - 0.3f) <= unit)
        {
            return true;
        }
    }
    return false;
}

static void check_local(const mesh *m, const pleat_loop_desc *desc)
{
    pleat_loop *loop = make_loop(desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    pleat_vec4 *points = refine(loop, m);
    check_closed(m->triangles, m->triangle_count, refined);
    check_graded(refined);
    check_seams(refined);
    check_uniform_places(m, refined, points, desc->level);
    free(points);
    pleat_loop_destroy(loop);
}

static void test_loop_local_is_closed_graded_and_in_place(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int kind = 0; kind < 8; ++kind)
    {
        mesh m = make_grid((grid_options){.columns = 7,
                                          .rows = 6,
                                          .wrap_columns = kind % 2 != 0,
                                          .wrap_rows = kind % 4 >= 2,
                                          .random_cut = kind >= 4,
                                          .render = true});
        uint8_t *levels = calloc(m.triangle_count, 1);
        for (uint32_t round = 0; round < 3; ++round)
        {
            for (uint32_t t = 0; t < m.triangle_count; ++t)
            {
                levels[t] = support_random(&seed) % 16 < round + 1 ? (uint8_t)(support_random(&seed) % 5) : 0;
            }
            pleat_loop_desc desc = mesh_desc(&m, 4);
            desc.triangle_levels = levels;
            check_local(&m, &desc);
        }
        uint32_t calls = 0;
        pleat_loop_desc desc = mesh_desc(&m, 5);
        desc.wants = wants_near;
        desc.wants_user = &calls;
        check_local(&m, &desc);
        assert_true(calls > m.triangle_count);
        free(levels);
        free_mesh(&m);
    }
}

/* One triangle wished fine: it reaches its level, and most of the rest stays coarse. */
static void test_loop_local_refines_where_it_is_wished(void **state)
{
    (void)state;
    mesh m = make_grid((grid_options){.columns = 40, .rows = 40, .wrap_columns = true, .wrap_rows = true});
    uint8_t *levels = calloc(m.triangle_count, 1);
    levels[777] = 4;
    pleat_loop_desc desc = mesh_desc(&m, 8);
    desc.triangle_levels = levels;
    pleat_loop *loop = make_loop(&desc);
    const pleat_refined *refined = pleat_loop_refined(loop);
    uint32_t fine = 0, untouched = 0;
    for (uint32_t t = 0; t < refined->triangle_count; ++t)
    {
        fine += refined->coarse_triangle[t] == 777;
        assert_true(refined->coarse_triangle[t] != 777 || refined->triangle_level[t] == 4);
        untouched += refined->triangle_level[t] == 0;
    }
    assert_int_equal(fine, 256);
    pleat_vec4 *points = refine(loop, &m);
    for (uint32_t v = 0; v < refined->vertex_count; ++v)
    {
        assert_true(isfinite(points[v].x)); /* every vertex is written */
    }
    free(points);
    assert_true(untouched > m.triangle_count - 60);
    pleat_loop_destroy(loop);
    /* Wishes everywhere are uniform subdivision. */
    memset(levels, 2, m.triangle_count);
    desc.level = 8;
    loop = make_loop(&desc);
    pleat_loop_desc uniform_desc = mesh_desc(&m, 2);
    pleat_loop *uniform = make_loop(&uniform_desc);
    assert_int_equal(pleat_loop_refined(loop)->triangle_count, pleat_loop_refined(uniform)->triangle_count);
    assert_memory_equal(pleat_loop_refined(loop)->triangles, pleat_loop_refined(uniform)->triangles,
                        12 * pleat_loop_refined(uniform)->triangle_count);
    pleat_loop_destroy(uniform);
    pleat_loop_destroy(loop);
    free(levels);
    free_mesh(&m);
}

/* Anything a file can hold: few vertices, so that triangles share edges in every wrong way. */
static void test_loop_local_takes_any_triangle_soup(void **state)
{
    (void)state;
    uint32_t seed = 99;
    for (uint32_t round = 0; round < 300; ++round)
    {
        mesh m = new_mesh(3 + support_random(&seed) % 12, 1 + support_random(&seed) % 24);
        uint8_t levels[24];
        for (uint32_t c = 0; c < 3 * m.triangle_count; ++c)
        {
            m.triangles[c] = support_random(&seed) % m.vertex_count;
            levels[c / 3] = (uint8_t)(support_random(&seed) % 5 * (support_random(&seed) % 2));
        }
        for (uint32_t v = 0; v < m.vertex_count; ++v)
        {
            m.positions[v] = (pleat_vec4){support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1), 0, 0};
        }
        pleat_loop_desc desc = mesh_desc(&m, 1 + support_random(&seed) % 3);
        desc.triangle_levels = round % 4 ? levels : NULL;
        /* A render side with every corner its own vertex, or the surface itself. */
        uint32_t own[72];
        for (uint32_t c = 0; c < 72; ++c)
        {
            own[c] = c;
        }
        desc.render_count = round % 2 ? 72 : m.vertex_count;
        desc.render_triangles = round % 2 ? own : m.triangles;
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        check_closed(m.triangles, m.triangle_count, refined);
        check_graded(refined);
        check_seams(refined);
        pleat_vec4 *points = refine(loop, &m);
        for (uint32_t v = 0; v < refined->vertex_count; ++v)
        {
            assert_true(fabsf(points[v].x) <= 1.0001f && fabsf(points[v].y) <= 1.0001f); /* weights are not negative */
        }
        free(points);
        pleat_loop_destroy(loop);
        free_mesh(&m);
    }
}

/* ---- Characters ---- */

/* Every open edge of the refined mesh must lie on an open or non-manifold edge of the coarse one. */
static void check_borders(const pleat_surface *surface, const pleat_refined *refined)
{
    pleat_topology *coarse, *fine;
    assert_int_equal(
        pleat_topology_create(surface->vertex_count, surface->triangle_count, surface->triangles, NULL, &coarse, NULL),
        PLEAT_OK);
    assert_int_equal(
        pleat_topology_create(refined->vertex_count, refined->triangle_count, refined->triangles, NULL, &fine, NULL),
        PLEAT_OK);
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        if (fine->twin[c] < PLEAT_NON_MANIFOLD || fine->corner_edge[c] == PLEAT_NONE)
        {
            continue;
        }
        uint32_t held[6];
        uint32_t count = find_support(surface->triangles, refined, fine->triangles[c], held);
        count += find_support(surface->triangles, refined, fine->triangles[c - c % 3 + (c + 1) % 3], held + count);
        uint32_t a = held[0], b = held[0];
        for (uint32_t i = 1; i < count; ++i)
        {
            b = held[i] != a ? held[i] : b;
            assert_true(held[i] == a || held[i] == b);
        }
        uint32_t open = 0;
        for (uint32_t i = coarse->ring_start[a]; i < coarse->ring_start[a + 1]; ++i)
        {
            uint32_t corner = coarse->ring_corner[i], first = corner - corner % 3;
            uint32_t next = first + (corner + 1) % 3, before = first + (corner + 2) % 3;
            open += coarse->triangles[next] == b && coarse->twin[corner] >= PLEAT_NON_MANIFOLD;
            open += coarse->triangles[before] == b && coarse->twin[before] >= PLEAT_NON_MANIFOLD;
        }
        assert_true(open > 0);
    }
    pleat_topology_destroy(coarse);
    pleat_topology_destroy(fine);
}

/* Some triangles whole, others once. */
static bool wants_some(void *user, uint32_t coarse, const float barycentric[9], uint32_t level)
{
    (void)user;
    (void)barycentric;
    return coarse % 97 < 5 || (level == 0 && coarse % 13 == 0);
}

static void check_primitive(const pleat_primitive *primitive)
{
    pleat_surface_desc surface_desc = pleat_surface_desc_default();
    surface_desc.render_count = primitive->vertex_count;
    surface_desc.positions = primitive->positions;
    surface_desc.normals = primitive->normals;
    surface_desc.triangle_count = primitive->triangle_count;
    surface_desc.triangles = primitive->triangles;
    pleat_surface *surface;
    assert_int_equal(pleat_surface_create(&surface_desc, NULL, &surface, NULL), PLEAT_OK);
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = surface->vertex_count;
    desc.render_count = surface->render_count;
    desc.triangle_count = surface->triangle_count;
    desc.triangles = surface->triangles;
    desc.render_triangles = surface->render_triangles;
    desc.render_vertex = surface->render_vertex;
    for (uint32_t round = 0; round < 2; ++round)
    {
        desc.level = round == 0 ? 1 : 3;
        desc.wants = round == 0 ? NULL : wants_some;
        pleat_loop *loop = make_loop(&desc);
        const pleat_refined *refined = pleat_loop_refined(loop);
        assert_true(refined->triangle_count > surface->triangle_count);
        check_graded(refined);
        check_seams(refined);
        check_borders(surface, refined);
        pleat_loop_destroy(loop);
    }
    pleat_surface_destroy(surface);
}

static void test_loop_local_keeps_characters_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"mh_modern_leotard/mh_modern_leotard.glb", "mh_arm/mh_sleeve.glb",
                                        "quat_knight/KnightCharacter.glb", "khr_rigged_simple/RiggedSimple.glb",
                                        "webxr_hand/webxr_hand_left_curl.glb"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        SUPPORT_NEED(path, names[i]);
        pleat_asset *asset;
        pleat_error error = {0};
        pleat_load_options options = pleat_load_options_default();
        if (pleat_asset_load(path, &options, NULL, &asset, &error) != PLEAT_OK)
        {
            fail_msg("%s", error.message);
        }
        const pleat_model *model = pleat_asset_model(asset);
        for (uint32_t m = 0; m < model->mesh_count; ++m)
        {
            for (uint32_t p = 0; p < model->meshes[m].primitive_count; ++p)
            {
                check_primitive(&model->meshes[m].primitives[p]);
            }
        }
        pleat_asset_destroy(asset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_local_is_closed_graded_and_in_place),
        cmocka_unit_test(test_loop_local_refines_where_it_is_wished),
        cmocka_unit_test(test_loop_local_takes_any_triangle_soup),
        cmocka_unit_test(test_loop_local_keeps_characters_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
