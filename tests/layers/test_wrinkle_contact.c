/* Wrinkles against a body: nothing goes through, from either side, and nothing that was under it goes deeper. */
#include "support/shapes.h"
#include "support/support.h"

#include "base/vec.h"
#include "layers/wrinkles/contact/contact.h"
#include "pleat/make.h"
#include "pleat/model_body.h"

#include <stdlib.h>

static const float GAP = 0.01f;

typedef struct still_body
{
    support_mesh mesh;
    pleat_body body;
    pl_wrinkle_contact *contact;
} still_body;

static const pleat_vec4 *stand_still(void *user, float time)
{
    (void)time;
    return ((still_body *)user)->mesh.positions;
}

/* The unit sphere, fine enough to be one within 1 %. */
static void make_sphere(still_body *s)
{
    pleat_error error = {0};
    s->mesh = support_sphere(24);
    s->body = (pleat_body){s->mesh.vertex_count, s->mesh.triangle_count, s->mesh.triangles, stand_still, s};
    assert_int_equal(pl_wrinkle_contact_create(&s->body, GAP, NULL, &s->contact, &error), PLEAT_OK);
}

static void free_sphere(still_body *s)
{
    pl_wrinkle_contact_destroy(s->contact);
    support_mesh_free(&s->mesh);
}

static pleat_vec4 random_direction(uint32_t *state)
{
    pl_f4 d = pl_splat(0);
    while (pl_length3(d) < 0.1f || pl_length3(d) > 1)
    {
        d = pl_set(support_random_float(state, -1, 1), support_random_float(state, -1, 1),
                   support_random_float(state, -1, 1), 0);
    }
    return pl_to(pl_normalize3(d));
}

static void test_contact_tells_inside_from_outside(void **state)
{
    (void)state;
    still_body s;
    make_sphere(&s);
    uint32_t random = 5;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        pl_f4 d = pl_from(random_direction(&random));
        float radius = support_random_float(&random, 0.5f, 1.5f);
        float distance = pl_wrinkle_contact_distance(s.contact, pl_to(d * pl_splat(radius)), 10);
        assert_true(fabsf(distance - (radius - 1)) < 0.02f);
    }
    /* On its vertices and edges, too, where faces disagree. */
    for (uint32_t v = 0; v < s.mesh.vertex_count; ++v)
    {
        pl_f4 p = pl_load(&s.mesh.positions[v]);
        assert_true(pl_wrinkle_contact_distance(s.contact, pl_to(p * pl_splat(1.05f)), 1) > 0);
        assert_true(pl_wrinkle_contact_distance(s.contact, pl_to(p * pl_splat(0.95f)), 1) < 0);
    }
    free_sphere(&s);
}

/* Points around the sphere, outside, pushed any way: none ends inside or nearer than the gap, unless it began there. */
static void test_contact_lets_nothing_through(void **state)
{
    (void)state;
    enum
    {
        COUNT = 4000
    };
    still_body s;
    make_sphere(&s);
    pleat_vec4 *from = aligned_alloc(16, COUNT * sizeof *from), *to = aligned_alloc(16, COUNT * sizeof *to);
    pleat_vec4 *pushed = aligned_alloc(16, COUNT * sizeof *pushed);
    uint32_t random = 9;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        pl_f4 p = pl_from(random_direction(&random)) * pl_splat(support_random_float(&random, 1.001f, 1.2f));
        pl_store(&from[i], p);
        pl_store(&to[i], p + pl_from(random_direction(&random)) * pl_splat(support_random_float(&random, 0.01f, 0.5f)));
        to[i].w = 0;
        pushed[i] = to[i];
    }
    uint32_t stopped = pl_wrinkle_contact_update(s.contact, 0, COUNT, from, to, NULL), kept = 0;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        float before = pl_wrinkle_contact_distance(s.contact, from[i], 10);
        float after = pl_wrinkle_contact_distance(s.contact, to[i], 10);
        assert_true(after > fminf(before, GAP) - 1e-4f);
        /* What was free stays as it was. */
        float wanted = pl_wrinkle_contact_distance(s.contact, pushed[i], 10);
        bool moved = memcmp(&to[i], &pushed[i], sizeof to[i]) != 0;
        bool outward = pl_dot3(pl_load(&pushed[i]) - pl_load(&from[i]), pl_load(&from[i])) > 0;
        assert_true(!(outward && wanted > 5 * GAP && moved));
        kept += !moved;
    }
    assert_int_equal(stopped, COUNT - kept);
    assert_true(stopped > COUNT / 5 && kept > COUNT / 5);
    free(from);
    free(to);
    free(pushed);
    free_sphere(&s);
}

/* The other side: from inside the sphere's shell, as in a sleeve that the body lies around; and out again. */
static void test_contact_of_what_is_inside(void **state)
{
    (void)state;
    still_body s;
    make_sphere(&s);
    pleat_vec4 from[3] = {{0.95f, 0, 0, 0}, {0.95f, 0, 0, 0}, {0.95f, 0, 0, 0}};
    pleat_vec4 to[3] = {{0.9f, 0, 0, 0}, {0.98f, 0, 0, 0}, {1.2f, 0, 0, 0}};
    pl_wrinkle_contact_update(s.contact, 0, 3, from, to, NULL);
    assert_true(to[0].x == 0.95f); /* not deeper */
    assert_true(to[1].x == 0.98f && to[2].x == 1.2f);
    free_sphere(&s);
}

/* How far a push gets changes no faster than the push and the place do. */
static void test_contact_is_continuous(void **state)
{
    (void)state;
    still_body s;
    make_sphere(&s);
    float last = 0;
    for (uint32_t i = 0; i <= 2000; ++i)
    {
        float length = 0.4f * (float)i / 2000;
        pleat_vec4 from = {1.15f, 0.03f, 0.02f, 0}, to = {1.15f - length, 0.03f + 0.3f * length, 0.02f, 0};
        pl_wrinkle_contact_update(s.contact, 0, 1, &from, &to, NULL);
        float way = (float)support_distance(from, to);
        assert_true(fabsf(way - last) < 0.001f);
        last = way;
    }
    assert_true(last > 0.05f && last < 0.2f);
    free_sphere(&s);
}

/* The dancer's skin as a body, over a clip: it moves, and points a little outside of it are outside. */
static void test_contact_with_a_model(void **state)
{
    (void)state;
    pleat_made *made;
    pleat_error error = {0};
    assert_int_equal(pleat_make("dancer", NULL, NULL, &made, &error), PLEAT_OK);
    const pleat_model *model = pleat_made_model(made);
    uint32_t node = PLEAT_NONE, primitive = 0;
    for (uint32_t i = 0; i < model->node_count; ++i)
    {
        node = model->nodes[i].mesh != PLEAT_NONE && strcmp(model->nodes[i].name, "skin") == 0 ? i : node;
    }
    assert_true(node != PLEAT_NONE);
    pleat_model_body_desc desc = {.model = model, .part_count = 1, .nodes = &node, .primitives = &primitive};
    pleat_model_body *body;
    assert_int_equal(pleat_model_body_create(&desc, NULL, &body, &error), PLEAT_OK);
    const pleat_body *b = pleat_model_body_get(body);
    pl_wrinkle_contact *contact;
    assert_int_equal(pl_wrinkle_contact_create(b, 0.001f, NULL, &contact, &error), PLEAT_OK);
    pleat_vec4 *first = aligned_alloc(16, b->vertex_count * sizeof *first), ignored = {0, 0, 0, 0};
    memcpy(first, b->at(b->user, 0), b->vertex_count * sizeof *first);
    float farthest = 0;
    for (uint32_t f = 0; f < 40; f += 13)
    {
        pl_wrinkle_contact_update(contact, (float)f / 30, 0, &ignored, &ignored, NULL);
        const pleat_vec4 *now = b->at(b->user, (float)f / 30);
        uint32_t wrong = 0;
        for (uint32_t t = 0; t < b->triangle_count; ++t)
        {
            pl_f4 p[3];
            for (uint32_t k = 0; k < 3; ++k)
            {
                p[k] = pl_load(&now[b->triangles[3 * t + k]]);
            }
            pl_f4 normal = pl_normalize3(pl_cross(p[1] - p[0], p[2] - p[0]));
            pl_f4 above = (p[0] + p[1] + p[2]) * pl_splat(1 / 3.0f) + normal * pl_splat(1e-4f);
            wrong += pl_wrinkle_contact_distance(contact, pl_to(above), 1) <= 0;
            farthest = fmaxf(farthest, pl_length3(p[0] - pl_load(&first[b->triangles[3 * t]])));
        }
        assert_true(wrong < b->triangle_count / 200); /* but where the skin goes through itself */
    }
    assert_true(farthest > 0.02f);
    free(first);
    pl_wrinkle_contact_destroy(contact);
    pleat_model_body_destroy(body);
    pleat_made_destroy(made);
}

static const pleat_model *swept_model;

static pleat_result create_body(void *user, const pleat_host *host, pleat_error *error)
{
    const uint32_t node = *(const uint32_t *)user, primitive = 0;
    pleat_model_body_desc desc = {.model = swept_model, .part_count = 1, .nodes = &node, .primitives = &primitive};
    pleat_model_body *body;
    pleat_result result = pleat_model_body_create(&desc, host, &body, error);
    if (result == PLEAT_OK)
    {
        pl_wrinkle_contact *contact;
        result = pl_wrinkle_contact_create(pleat_model_body_get(body), 0.001f, host, &contact, error);
        pl_wrinkle_contact_destroy(contact);
    }
    pleat_model_body_destroy(body);
    return result;
}

static void test_contact_without_memory(void **state)
{
    (void)state;
    pleat_made *made;
    pleat_error error = {0};
    pleat_make_options options = pleat_make_options_default();
    options.cloth_quads = 3;
    assert_int_equal(pleat_make("rectangle", &options, NULL, &made, &error), PLEAT_OK);
    swept_model = pleat_made_model(made);
    uint32_t node = swept_model->scene_nodes[0];
    for (uint32_t i = 0; i < swept_model->node_count; ++i)
    {
        node = swept_model->nodes[i].mesh != PLEAT_NONE ? i : node;
    }
    support_sweep_allocations(create_body, &node);
    pleat_made_destroy(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_tells_inside_from_outside),
        cmocka_unit_test(test_contact_lets_nothing_through),
        cmocka_unit_test(test_contact_of_what_is_inside),
        cmocka_unit_test(test_contact_is_continuous),
        cmocka_unit_test(test_contact_with_a_model),
        cmocka_unit_test(test_contact_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
