/* Wrinkled garments over a body and over each other, judged by rays of Embree: nothing that was outside of the body
 * ends inside (middles of triangles: no deeper than the gap), whichever side wrinkles stand out to; and the wrinkles of
 * a garment do not come through the one that is worn over it. */
#include "judge_embree.h"
#include "support/support.h"

#include "stack/stack.h"
#include "base/vec.h"
#include "layers/wrinkles/contact/contact.h"
#include "pleat/make.h"
#include "pleat/model_body.h"
#include "pleat/layers/wrinkles.h"

#include <stdlib.h>
#include <string.h>

typedef struct scene
{
    pleat_made *made;
    const pleat_model *model;
    const pleat_clip *clip;
    uint32_t frame_count;
    pleat_pose *pose;
    pleat_model_body *body; /* of one node */
    pleat_wrinkles_options options;
    pleat_stack *stack;
    pleat_vec4 *plain; /* refined, before wrinkles */
} scene;

static uint32_t node_named(const pleat_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->node_count; ++i)
    {
        if (model->nodes[i].mesh != PLEAT_NONE && strcmp(model->nodes[i].name, name) == 0)
        {
            return i;
        }
    }
    fail_msg("no node %s", name);
    return 0;
}

static void open_scene(scene *s, const char *character, const char *body)
{
    pleat_error error = {0};
    *s = (scene){0};
    assert_int_equal(pleat_make(character, NULL, NULL, &s->made, &error), PLEAT_OK);
    s->model = pleat_made_model(s->made);
    s->clip = &s->model->clips[0];
    s->frame_count = (uint32_t)((s->clip->end - s->clip->start) * 30 + 1.5f);
    assert_int_equal(pleat_pose_create(s->model, NULL, &s->pose, &error), PLEAT_OK);
    uint32_t node = node_named(s->model, body), nodes[8], primitives[8];
    uint32_t count = s->model->meshes[s->model->nodes[node].mesh].primitive_count;
    assert_true(count <= 8);
    for (uint32_t p = 0; p < count; ++p)
    {
        nodes[p] = node;
        primitives[p] = p;
    }
    pleat_model_body_desc desc = {.model = s->model, .part_count = count, .nodes = nodes, .primitives = primitives};
    assert_int_equal(pleat_model_body_create(&desc, NULL, &s->body, &error), PLEAT_OK);
    s->options = pleat_wrinkles_options_default();
    s->options.detail = 2;
}

static void bind(scene *s, const char *garment)
{
    pleat_error error = {0};
    pleat_layer_desc layer = {&pleat_wrinkles_layer, &s->options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = s->model;
    desc.node = node_named(s->model, garment);
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.clip = s->clip;
    desc.clip_start = s->clip->start;
    desc.frame_count = s->frame_count;
    pleat_stack_destroy(s->stack);
    free(s->plain);
    assert_int_equal(pleat_stack_create(&desc, NULL, &s->stack, &error), PLEAT_OK);
    s->plain = aligned_alloc(16, s->stack->shape.surface_count * sizeof *s->plain);
}

static void close_scene(scene *s)
{
    pleat_stack_destroy(s->stack);
    free(s->plain);
    pleat_model_body_destroy(s->body);
    pleat_pose_destroy(s->pose);
    pleat_made_destroy(s->made);
}

static float move(scene *s, uint32_t frame)
{
    float time = s->clip->start + (float)frame / 30;
    pleat_pose_sample(s->pose, s->clip, time);
    pleat_stack_input input = {.pose = s->pose, .time = time};
    pl_stack_move(s->stack, &input);
    pl_stack_refine(s->stack, s->stack->coarse_positions, s->plain, NULL);
    pleat_stack_update(s->stack, &input);
    return time;
}

/* Surfaces that a ray leaves less those that it enters: above 0 inside. */
static int leaves(const judge_embree *judge, const pleat_body *body, const pleat_vec4 *at, pl_f4 point, pl_f4 way)
{
    int count = 0;
    float start = 0;
    for (uint32_t i = 0; i < 100; ++i)
    {
        judge_hit hit = judge_embree_ray(judge, pl_to(point), pl_to(way), start, 10);
        if (hit.triangle == UINT32_MAX)
        {
            break;
        }
        const uint32_t *v = body->triangles + 3 * (size_t)hit.triangle;
        pl_f4 a = pl_load(&at[v[0]]);
        count += pl_dot3(pl_cross(pl_load(&at[v[1]]) - a, pl_load(&at[v[2]]) - a), way) > 0 ? 1 : -1;
        start = hit.distance + 1e-6f;
    }
    return count;
}

/* By three rays; an edge that one of them slips through does not decide. */
static bool is_inside(const judge_embree *judge, const pleat_body *body, const pleat_vec4 *at, pl_f4 point)
{
    const pl_f4 ways[3] = {pl_set(0.8f, 0.59f, 0.11f, 0), pl_set(-0.33f, 0.21f, 0.92f, 0),
                           pl_set(0.12f, -0.97f, -0.2f, 0)};
    int votes = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        votes += leaves(judge, body, at, point, ways[i]) > 0;
    }
    return votes >= 2;
}

static pl_f4 middle_of(const pleat_vec4 *points, const uint32_t *v)
{
    return (pl_load(&points[v[0]]) + pl_load(&points[v[1]]) + pl_load(&points[v[2]])) * pl_splat(1 / 3.0f);
}

/* Vertices of this frame that wrinkles have moved into the body, and middles of triangles deeper than the gap. */
static uint32_t count_inside(const scene *s, const judge_embree *judge, const pleat_vec4 *at, uint32_t *moved)
{
    const pleat_stack_shape *shape = pleat_stack_get_shape(s->stack);
    const pleat_body *body = pleat_model_body_get(s->body);
    const pleat_vec4 *now = pleat_stack_positions(s->stack);
    uint32_t inside = 0;
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        if (memcmp(&now[v], &s->plain[v], sizeof now[v]) != 0)
        {
            ++*moved;
            inside +=
                is_inside(judge, body, at, pl_load(&now[v])) && !is_inside(judge, body, at, pl_load(&s->plain[v]));
        }
    }
    for (uint32_t t = 0; t < shape->triangle_count; ++t)
    {
        const uint32_t *v = shape->surface_triangles + 3 * (size_t)t;
        pl_f4 middle = middle_of(now, v), before = middle_of(s->plain, v);
        if (pl_length3(middle - before) > 0)
        {
            bool was = is_inside(judge, body, at, before);
            for (uint32_t k = 0; k < 3 && !was; ++k)
            {
                was = is_inside(judge, body, at, pl_load(&s->plain[v[k]]));
            }
            /* The gap is what triangles between vertices may use up: in a crease of the body they cut its corners. */
            inside += !was && is_inside(judge, body, at, middle) &&
                      judge_embree_nearest(judge, pl_to(middle), 1).distance > 5e-4f * pleat_stack_height(s->stack);
        }
    }
    return inside;
}

static uint32_t count_clip(scene *s, uint32_t step, uint32_t *moved)
{
    const pleat_body *body = pleat_model_body_get(s->body);
    judge_embree *judge = judge_embree_create(body->vertex_count, body->at(body->user, s->clip->start),
                                              body->triangle_count, body->triangles, true);
    uint32_t inside = 0;
    *moved = 0;
    for (uint32_t f = 0; f < s->frame_count; f += step)
    {
        const pleat_vec4 *at = body->at(body->user, move(s, f));
        judge_embree_refit(judge, at);
        inside += count_inside(s, judge, at, moved);
    }
    judge_embree_destroy(judge);
    return inside;
}

static void check_garment(const char *character, const char *garment, float detail, uint32_t step)
{
    static const char *const sides[3] = {"outward", "inward", "both"};
    scene s;
    open_scene(&s, character, "skin");
    s.options.detail = detail;
    for (uint32_t side = support_is_long() ? 0 : 2; side < 3; ++side)
    {
        uint32_t moved, without, with;
        s.options.side = side;
        s.options.body = NULL;
        bind(&s, garment);
        without = count_clip(&s, step, &moved);
        s.options.body = pleat_model_body_get(s.body);
        bind(&s, garment);
        with = count_clip(&s, step, &moved);
        print_message("%s, %s: %u moved vertices; in the body without --body %u places, with it %u\n", garment,
                      sides[side], moved, without, with);
        assert_true(moved > 1000);
        assert_int_equal(with, 0);
        assert_true(side == PLEAT_WRINKLE_OUTWARD || without > 20); /* or this says nothing */
    }
    close_scene(&s);
}

static void test_wrinkle_body_under_a_shirt(void **state)
{
    (void)state;
    check_garment("shirt", "shirt", 2, support_is_long() ? 24 : 48);
}

static void test_wrinkle_body_under_tights(void **state)
{
    (void)state;
    check_garment("dancer", "tights", 4, 24);
}

/* ---- Garments over each other ---- */

/* Ways of vertices, from where they stood to where wrinkles took them, that cross the outer garment. */
static uint32_t count_through(scene *s, uint32_t step, uint32_t *moved)
{
    const pleat_body *outer = pleat_model_body_get(s->body);
    judge_embree *judge = judge_embree_create(outer->vertex_count, outer->at(outer->user, s->clip->start),
                                              outer->triangle_count, outer->triangles, true);
    uint32_t through = 0;
    *moved = 0;
    for (uint32_t f = 0; f < s->frame_count; f += step)
    {
        judge_embree_refit(judge, outer->at(outer->user, move(s, f)));
        const pleat_vec4 *now = pleat_stack_positions(s->stack);
        for (uint32_t v = 0; v < s->stack->shape.surface_count; ++v)
        {
            pl_f4 way = pl_load(&now[v]) - pl_load(&s->plain[v]);
            if (pl_length3(way) > 0)
            {
                ++*moved;
                through += judge_embree_occluded(judge, s->plain[v], pl_to(way), 0, 1);
            }
        }
    }
    judge_embree_destroy(judge);
    return through;
}

static void test_wrinkle_body_leotard_under_a_shirt(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, "shirt", "shirt");
    const pleat_body *outer = pleat_model_body_get(s.body);
    uint32_t *nodes = calloc(outer->triangle_count, sizeof *nodes), shirt = node_named(s.model, "shirt");
    bool *sheets = calloc(outer->triangle_count, sizeof *sheets);
    for (uint32_t t = 0; t < outer->triangle_count; ++t)
    {
        nodes[t] = shirt;
        sheets[t] = true;
    }
    pleat_neighbours neighbours = {*outer, nodes, sheets};
    uint32_t moved, before, after;
    bind(&s, "leotard");
    uint32_t step = support_is_long() ? 6 : 24;
    before = count_through(&s, step, &moved);
    s.options.neighbours = &neighbours;
    bind(&s, "leotard");
    after = count_through(&s, step, &moved);
    print_message("leotard under a shirt: of %u moved vertices %u came through, now %u\n", moved, before, after);
    assert_true(before > 100 && after == 0);
    /* A garment does not keep itself from moving. */
    bind(&s, "shirt");
    count_through(&s, 48, &moved);
    assert_true(moved > 1000);
    free(nodes);
    free(sheets);
    close_scene(&s);
}

/* ---- Continuity ---- */

static const pleat_vec4 *shifted_at(void *user, float time)
{
    pleat_vec4 *corners = user;
    const float x[4] = {-1, 1, 1, -1}, z[4] = {-1, -1, 1, 1};
    for (uint32_t i = 0; i < 8; ++i)
    {
        float bottom = i < 4 ? 0 : -0.5f;
        corners[i] = (pleat_vec4){x[i % 4], bottom + time + 0.1f * x[i % 4] * time, z[i % 4], 0};
    }
    return corners;
}

/* A block that rises, tilting, into wrinkles that stand inward: ten times the samples, a tenth of the changes. */
static void test_wrinkle_body_pushes_without_leaping(void **state)
{
    (void)state;
    enum
    {
        COUNT = 400
    };
    static pleat_vec4 corners[8], from[COUNT], to[COUNT], before[COUNT];
    static const uint32_t triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                           1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    pleat_body body = {8, 12, triangles, shifted_at, corners};
    pl_wrinkle_contact *contact;
    pleat_error error = {0};
    float largest[2] = {0, 0};
    assert_int_equal(pl_wrinkle_contact_create(&body, 0.01f, NULL, &contact, &error), PLEAT_OK);
    for (uint32_t dense = 0; dense < 2; ++dense)
    {
        uint32_t samples = dense ? 400 : 40;
        for (uint32_t i = 0; i <= samples; ++i)
        {
            for (uint32_t v = 0; v < COUNT; ++v)
            {
                float x = 0.9f * ((float)(v % 20) / 10 - 0.95f), z = 0.9f * ((float)(v / 20) / 10 - 0.95f);
                from[v] = (pleat_vec4){x, 0.2f, z, 0};
                to[v] = (pleat_vec4){x + 0.02f * z, 0.2f - 0.15f * fabsf(sinf(9 * x)), z, 0};
            }
            pl_wrinkle_contact_update(contact, 0.19f * (float)i / (float)samples, COUNT, from, to, NULL);
            for (uint32_t v = 0; v < COUNT && i > 0; ++v)
            {
                largest[dense] = fmaxf(largest[dense], pl_length3(pl_load(&to[v]) - pl_load(&before[v])));
            }
            memcpy(before, to, sizeof before);
        }
    }
    print_message("largest change %.2f mm, at ten times the samples %.2f mm\n", 1e3 * (double)largest[0],
                  1e3 * (double)largest[1]);
    assert_true(largest[0] > 0.003f && largest[1] < 0.2f * largest[0]);
    pl_wrinkle_contact_destroy(contact);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkle_body_under_a_shirt),
        cmocka_unit_test(test_wrinkle_body_leotard_under_a_shirt),
        cmocka_unit_test(test_wrinkle_body_pushes_without_leaping),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_wrinkle_body_under_a_shirt),
        cmocka_unit_test(test_wrinkle_body_under_tights),
        cmocka_unit_test(test_wrinkle_body_leotard_under_a_shirt),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
