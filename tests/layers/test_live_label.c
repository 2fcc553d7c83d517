/* Labels of the live layer: maximum flows against Boost's, labels against all there are and against Boost's cuts, costs
 * against the thesis' words. */
#include "support/support.h"

#include "judge_boost.h"
#include "layers/live/labels/flow.h"
#include "layers/live/labels/label.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_state = 1;

static uint32_t dice(uint32_t sides)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % sides;
}

static pl_memory memory;
static pl_arena arena;

static int open_arena(void **state)
{
    (void)state;
    memory = pl_memory_from(NULL);
    pl_arena_init(&arena, &memory);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    pl_arena_free(&arena);
    return 0;
}

enum
{
    NODES = 60,
    LINKS = 200
};

/* The value of the cut between the sides that a flow leaves. */
static int64_t cut_of(const pl_flow *flow, uint32_t nodes, const int32_t *terminals, uint32_t count,
                      const judge_link *links)
{
    int64_t cut = 0;
    for (uint32_t i = 0; i < nodes; ++i)
    {
        bool sink = pl_flow_is_sink(flow, i);
        cut += sink && terminals[i] > 0 ? terminals[i] : !sink && terminals[i] < 0 ? -(int64_t)terminals[i] : 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        bool a = pl_flow_is_sink(flow, links[i].a), b = pl_flow_is_sink(flow, links[i].b);
        cut += !a && b ? links[i].forth : a && !b ? links[i].back : 0;
    }
    return cut;
}

static void test_live_flow_boost(void **state)
{
    (void)state;
    pl_flow *flow;
    assert_int_equal(pl_flow_create(&arena, NODES, LINKS, &flow, NULL), PLEAT_OK);
    for (int round = 0; round < 400; ++round)
    {
        int32_t terminals[NODES] = {0};
        judge_link links[LINKS];
        uint32_t nodes = 2 + dice(NODES - 1), count = dice(LINKS + 1), most = round % 3 ? 1000000 : 4;
        pl_flow_begin(flow, nodes);
        for (uint32_t i = 0; i < nodes; ++i)
        {
            terminals[i] = dice(3) ? (int32_t)dice(most) - (int32_t)most / 2 : 0;
            pl_flow_terminal(flow, i, terminals[i]);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t a = dice(nodes), b = (a + 1 + dice(nodes - 1)) % nodes;
            links[i] = (judge_link){a, b, (int32_t)dice(most), dice(2) ? (int32_t)dice(most) : 0};
            pl_flow_link(flow, a, b, links[i].forth, links[i].back);
        }
        int64_t value = pl_flow_run(flow);
        assert_int_equal(value, judge_boost_flow(nodes, terminals, count, links));
        assert_int_equal(value, cut_of(flow, nodes, terminals, count, links));
    }
}

/* ---- Labels ---- */

static int64_t energy(uint32_t things, const int32_t *costs, uint32_t links, const uint32_t *pairs, int32_t step,
                      const uint8_t *labels)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < things; ++i)
    {
        sum += costs[3 * i + labels[i]];
    }
    for (uint32_t k = 0; k < links; ++k)
    {
        sum += step * abs(labels[pairs[2 * k]] - labels[pairs[2 * k + 1]]);
    }
    return sum;
}

/* The least energy of all 3^things labellings. */
static int64_t try_all(uint32_t things, const int32_t *costs, uint32_t links, const uint32_t *pairs, int32_t step)
{
    int64_t best = INT64_MAX;
    uint32_t all = 1;
    for (uint32_t i = 0; i < things; ++i)
    {
        all *= 3;
    }
    for (uint32_t code = 0; code < all; ++code)
    {
        uint8_t labels[16];
        uint32_t rest = code;
        for (uint32_t i = 0; i < things; ++i, rest /= 3)
        {
            labels[i] = (uint8_t)(rest % 3);
        }
        int64_t sum = energy(things, costs, links, pairs, step, labels);
        best = sum < best ? sum : best;
    }
    return best;
}

static void test_live_label_brute_force(void **state)
{
    (void)state;
    for (int round = 0; round < 300; ++round)
    {
        uint32_t things = 1 + dice(8), links = things > 1 ? dice(14) : 0, pairs[28];
        int32_t costs[24], most = round % 2 ? 1000 : 5, step = 1 + (int32_t)dice(300);
        uint8_t labels[8];
        for (uint32_t i = 0; i < 3 * things; ++i)
        {
            costs[i] = (int32_t)dice((uint32_t)most);
        }
        for (uint32_t k = 0; k < links; ++k)
        {
            pairs[2 * k] = dice(things);
            pairs[2 * k + 1] = (pairs[2 * k] + 1 + dice(things - 1)) % things;
        }
        pl_live_labeller *labeller;
        assert_int_equal(pl_live_labeller_create(&arena, things, links, pairs, &labeller, NULL), PLEAT_OK);
        pl_live_label(labeller, costs, step, labels);
        assert_int_equal(energy(things, costs, links, pairs, step, labels), try_all(things, costs, links, pairs, step));
    }
}

/* A strip of cloth over a clip, labelled at once: 40 by 20 things; the cut's value comes from Boost, for a graph that
 * is built here from the definition: no thing is decided beforehand. */
static void test_live_label_clip(void **state)
{
    (void)state;
    enum
    {
        WIDE = 40,
        LONG = 20,
        THINGS = WIDE * LONG
    };
    static int32_t costs[3 * THINGS], terminals[2 * THINGS];
    static uint32_t pairs[4 * THINGS];
    static judge_link links[6 * THINGS];
    static uint8_t labels[THINGS];
    const int32_t step = 200000;
    uint32_t count = 0, link_count = 0, left = 0;
    for (uint32_t i = 0; i < THINGS; ++i)
    {
        float wave = 0.06f * sinf(0.3f * (float)(i % WIDE)) * sinf(0.4f * (float)(i / WIDE));
        float noise = 0.1f * ((float)dice(1000) / 1000 - 0.5f), large = 1 + fmaxf(wave + noise, 0);
        pl_live_costs(1 + fminf(wave - noise, 0), large, costs + 3 * (size_t)i);
        terminals[2 * i] = costs[3 * i];
        terminals[2 * i + 1] = -costs[3 * i + 2];
        links[link_count++] = (judge_link){2 * i, 2 * i + 1, costs[3 * i + 1], INT32_MAX / 2};
        uint32_t others[2] = {i % WIDE + 1 < WIDE ? i + 1 : i, i + WIDE < THINGS ? i + WIDE : i};
        for (int k = 0; k < 2; ++k)
        {
            if (others[k] != i)
            {
                pairs[2 * count] = i;
                pairs[2 * count++ + 1] = others[k];
                links[link_count++] = (judge_link){2 * i, 2 * others[k], step, step};
                links[link_count++] = (judge_link){2 * i + 1, 2 * others[k] + 1, step, step};
            }
        }
    }
    pl_live_labeller *labeller;
    assert_int_equal(pl_live_labeller_create(&arena, THINGS, count, pairs, &labeller, NULL), PLEAT_OK);
    left = pl_live_label(labeller, costs, step, labels);
    assert_in_range(left, 1, THINGS - 1); /* some are decided, some are cut */
    assert_int_equal(energy(THINGS, costs, count, pairs, step, labels),
                     judge_boost_flow(2 * THINGS, terminals, link_count, links));
}

/* Sec. 4.1.2 in words: rest is cheap at 1, compressed gets cheaper the more compression there is and the more it
 * prevails, and both are mirror images of each other. */
static void test_live_costs(void **state)
{
    (void)state;
    int32_t at_rest[3], pressed[3], more[3], both[3], pulled[3], pulled_more[3];
    pl_live_costs(1, 1, at_rest);
    pl_live_costs(1 / 1.1f, 1, pressed);
    pl_live_costs(1 / 1.2f, 1, more);
    pl_live_costs(1 / 1.1f, 1.1f, both);
    pl_live_costs(1, 1.1f, pulled);
    pl_live_costs(1, 1.3f, pulled_more);
    assert_int_equal(at_rest[PLEAT_LIVE_RESTING], 0);
    assert_true(at_rest[PLEAT_LIVE_COMPRESSED] > 990000);
    assert_true(pressed[PLEAT_LIVE_COMPRESSED] < at_rest[PLEAT_LIVE_COMPRESSED]);
    assert_true(more[PLEAT_LIVE_COMPRESSED] < pressed[PLEAT_LIVE_COMPRESSED]);
    assert_true(both[PLEAT_LIVE_COMPRESSED] > pressed[PLEAT_LIVE_COMPRESSED]);
    assert_int_equal(both[PLEAT_LIVE_COMPRESSED], both[PLEAT_LIVE_STRETCHED]);
    /* As printed, eq. 4.5 would fall here. */
    assert_true(pulled_more[PLEAT_LIVE_COMPRESSED] >= pulled[PLEAT_LIVE_COMPRESSED]);
    assert_true(abs(pulled[PLEAT_LIVE_STRETCHED] - pressed[PLEAT_LIVE_COMPRESSED]) < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_live_flow_boost, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_live_label_brute_force, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_live_label_clip, open_arena, close_arena),
        cmocka_unit_test(test_live_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
