/* The live layer on characters: frame rates, sizes, turns, mirrors, steadiness, and the layer of a stack. */
#include "support/moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Runs ---- */

typedef struct run
{
    double wrinkles; /* in the mean of the frames */
    uint32_t births;
    double length, near; /* of the crests of all frames; and of it, within a tenth of a width of the other's */
} run;

/* Positions as the run has them: scaled, turned about an axis, mirrored. */
typedef struct view
{
    float scale, turn;
    bool mirror;
} view;

static void see(const view *v, uint32_t count, const pleat_vec3 *in, pleat_vec3 *out)
{
    float c = cosf(v->turn), s = sinf(v->turn);
    for (uint32_t i = 0; i < count; ++i)
    {
        float x = in[i].x * (v->mirror ? -1 : 1), y = in[i].y, z = in[i].z;
        float y1 = c * y - s * z, z1 = s * y + c * z;
        out[i] = (pleat_vec3){v->scale * (c * x - s * y1), v->scale * (s * x + c * y1), v->scale * z1};
    }
}

static pleat_live *open_view(const support_moving *m, const view *v)
{
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL;
    uint32_t *triangles = malloc(3 * m->triangle_count * sizeof *triangles);
    for (uint32_t t = 0; t < m->triangle_count; ++t)
    {
        const uint32_t *corner = m->triangles + 3 * (size_t)t;
        triangles[3 * t] = corner[0];
        triangles[3 * t + 1] = corner[v->mirror ? 2 : 1];
        triangles[3 * t + 2] = corner[v->mirror ? 1 : 2];
    }
    desc.vertex_count = m->vertex_count;
    desc.triangle_count = m->triangle_count;
    desc.triangles = triangles;
    desc.options.width = 0.005f * m->height * v->scale;
    assert_int_equal(pleat_live_create(&desc, NULL, &live, NULL), PLEAT_OK);
    free(triangles);
    return live;
}

static float apart(pleat_vec3 a, pleat_vec3 b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static float to_segment(pleat_vec3 p, pleat_vec3 a, pleat_vec3 b)
{
    pleat_vec3 u = {b.x - a.x, b.y - a.y, b.z - a.z}, w = {p.x - a.x, p.y - a.y, p.z - a.z};
    float squared = u.x * u.x + u.y * u.y + u.z * u.z;
    float t = squared > 0 ? fminf(fmaxf((u.x * w.x + u.y * w.y + u.z * w.z) / squared, 0), 1) : 0;
    return apart(p, (pleat_vec3){a.x + t * u.x, a.y + t * u.y, a.z + t * u.z});
}

/* Adds how much of the crests of one lies on those of the other; other's positions are seen back by the view. */
static void compare(run *r, const pleat_live *one, const pleat_live *other, const view *v)
{
    const pleat_live_wrinkle *a, *b;
    const pleat_live_point *p, *q;
    uint32_t n = pleat_live_wrinkles(one, &a, &p), m = pleat_live_wrinkles(other, &b, &q);
    float near = 0.1f * pleat_live_last(other).width;
    for (uint32_t w = 0; w < n; ++w)
    {
        for (uint32_t i = a[w].first_point; i + 1 < a[w].first_point + a[w].point_count; ++i)
        {
            pleat_vec3 here;
            float nearest = INFINITY, length = apart(p[i].position, p[i + 1].position);
            see(v, 1, &p[i].position, &here);
            for (uint32_t k = 0; k < m; ++k)
            {
                for (uint32_t j = b[k].first_point; j + 1 < b[k].first_point + b[k].point_count; ++j)
                {
                    nearest = fminf(nearest, to_segment(here, q[j].position, q[j + 1].position));
                }
            }
            r->length += (double)length;
            r->near += nearest < near ? (double)length : 0;
        }
    }
}

static run run_view(support_moving *m, const view *v, double fps, double seconds, bool against)
{
    static const view plain = {1, 0, false};
    run r = {0};
    pleat_live *live = open_view(m, v), *reference = open_view(m, &plain);
    pleat_vec3 *positions = malloc(m->vertex_count * sizeof *positions);
    int frames = (int)(seconds * fps);
    for (int f = 0; f < frames; ++f)
    {
        const pleat_vec3 *original = support_moving_at(m, f / fps);
        see(v, m->vertex_count, original, positions);
        pleat_live_update(live, positions, f ? (float)(1 / fps) : 0, NULL);
        r.wrinkles += pleat_live_last(live).wrinkles / (double)frames;
        if (against)
        {
            pleat_live_update(reference, original, f ? (float)(1 / fps) : 0, NULL);
            compare(&r, reference, live, v);
        }
    }
    r.births = pleat_live_last(live).births;
    free(positions);
    pleat_live_destroy(live);
    pleat_live_destroy(reference);
    return r;
}

static bool is_within(double a, double b, double share)
{
    return fabs(a - b) <= share * fmax(a, b);
}

/* ---- The same, whatever the unit and the view ---- */

static void check_views(support_moving *m, double seconds)
{
    static const view views[] = {{100, 0, false}, {1, 0.7f, false}, {1, 0, true}, {0.01f, 2.2f, true}};
    static const view plain = {1, 0, false};
    run original = run_view(m, &plain, 30, seconds, false);
    assert_true(original.wrinkles > 1);
    for (size_t k = 0; k < sizeof views / sizeof views[0]; ++k)
    {
        run other = run_view(m, &views[k], 30, seconds, true);
        print_message("%.2f and %.2f wrinkles, %.1f %% of their length\n", original.wrinkles, other.wrinkles,
                      100 * other.near / other.length);
        assert_true(is_within(original.wrinkles, other.wrinkles, 0.02));
        assert_true(other.near > 0.95 * other.length);
    }
}

static void test_live_views_shirt(void **state)
{
    (void)state;
    support_moving m = support_moving_make("shirt", "shirt", "twist");
    check_views(&m, 1.5);
    support_moving_drop(&m);
}

static void test_live_views_knight(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "quat_knight/KnightCharacter.glb");
    support_moving m = support_moving_load(path, NULL, "HumanArmature|Walking");
    check_views(&m, 1.5);
    support_moving_drop(&m);
}

/* ---- The same at any frame rate ---- */

/* Labels C and S at the times of 30 frames a second: how many agree with those at a higher rate. */
static double label_agreement(support_moving *m, int times, double seconds)
{
    static const view plain = {1, 0, false};
    pleat_live *slow = open_view(m, &plain), *fast = open_view(m, &plain);
    double same = 0, all = 0;
    for (int f = 0; f < (int)(30 * seconds); ++f)
    {
        for (int k = f ? 1 : times; k <= times; ++k)
        {
            double time = (f - 1 + k / (double)times) / 30;
            pleat_live_update(fast, support_moving_at(m, time), f ? 1 / (30.0f * (float)times) : 0, NULL);
        }
        pleat_live_update(slow, support_moving_at(m, f / 30.0), f ? 1 / 30.0f : 0, NULL);
        const uint8_t *a = pleat_live_labels(slow), *b = pleat_live_labels(fast);
        for (uint32_t t = 0; t < m->triangle_count; ++t)
        {
            bool counts = a[t] != PLEAT_LIVE_RESTING || b[t] != PLEAT_LIVE_RESTING;
            all += counts;
            same += counts && a[t] == b[t];
        }
    }
    pleat_live_destroy(slow);
    pleat_live_destroy(fast);
    return all > 0 ? same / all : 1;
}

static void check_rates(support_moving *m, double seconds)
{
    static const view plain = {1, 0, false};
    run slow = run_view(m, &plain, 30, seconds, false);
    for (int times = 2; times <= 4; times += 2)
    {
        double agreement = label_agreement(m, times, seconds);
        run fast = run_view(m, &plain, 30 * times, seconds, false);
        print_message("%d fps: %.1f %% of labels, %.2f wrinkles for %.2f\n", 30 * times, 100 * agreement, fast.wrinkles,
                      slow.wrinkles);
        assert_true(agreement >= 0.9);
        assert_true(is_within(slow.wrinkles, fast.wrinkles, 0.15));
    }
}

static void test_live_rates_dancer(void **state)
{
    (void)state;
    support_moving m = support_moving_make("dancer", "leotard", "squat");
    check_rates(&m, 1.5);
    support_moving_drop(&m);
}

static void test_live_rates_knight(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "quat_knight/KnightCharacter.glb");
    support_moving m = support_moving_load(path, NULL, "HumanArmature|Walking");
    check_rates(&m, 2);
    support_moving_drop(&m);
}

/* ---- Steadiness ---- */

enum
{
    MOST_POINTS = 20000
};

/* The points of a frame, with where they are on the cloth. */
typedef struct snapshot
{
    uint32_t count;
    uint32_t *ids;
    pleat_live_point *points;
} snapshot;

static void take(const pleat_live *live, snapshot *s)
{
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    uint32_t count = pleat_live_wrinkles(live, &wrinkles, &points);
    s->count = 0;
    for (uint32_t w = 0; w < count; ++w)
    {
        for (uint32_t i = 0; i < wrinkles[w].point_count && s->count < MOST_POINTS; ++i)
        {
            s->ids[s->count] = wrinkles[w].id;
            s->points[s->count++] = points[wrinkles[w].first_point + i];
        }
    }
}

static pleat_vec3 place_on(const support_moving *m, const pleat_place *place)
{
    pleat_vec3 out = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        const pleat_vec3 *p = &m->positions[m->triangles[3 * (size_t)place->triangle + (size_t)k]];
        out.x += place->barycentric[k] * p->x;
        out.y += place->barycentric[k] * p->y;
        out.z += place->barycentric[k] * p->z;
    }
    return out;
}

/* Both as the cloth is now: how far points lie from where their wrinkle was, and how much higher it is there. */
static void check_step(const support_moving *m, const snapshot *before, const snapshot *now, float width, double *worst)
{
    for (uint32_t i = 0; i < now->count; ++i)
    {
        float nearest = INFINITY, height = 0;
        bool known = false;
        for (uint32_t j = 0; j + 1 < before->count; ++j)
        {
            if (before->ids[j] != now->ids[i] || before->ids[j + 1] != now->ids[i])
            {
                continue;
            }
            pleat_vec3 a = place_on(m, &before->points[j].place), b = place_on(m, &before->points[j + 1].place);
            float away = to_segment(now->points[i].position, a, b);
            if (away < nearest)
            {
                float to_a = apart(now->points[i].position, a), to_b = apart(now->points[i].position, b);
                float share = to_a + to_b > 0 ? to_a / (to_a + to_b) : 0;
                nearest = away;
                height = before->points[j].height * (1 - share) + before->points[j + 1].height * share;
                known = true;
            }
        }
        if (known)
        {
            worst[0] = fmax(worst[0], (double)(nearest / width));
            worst[1] = fmax(worst[1], (double)(fabsf(now->points[i].height - height) / width));
        }
        else
        {
            worst[1] = fmax(worst[1], (double)(fabsf(now->points[i].height) / width)); /* a birth */
        }
    }
    /* Who is gone was flat. */
    for (uint32_t j = 0; j < before->count; ++j)
    {
        bool lives = false;
        for (uint32_t i = 0; i < now->count && !lives; ++i)
        {
            lives = now->ids[i] == before->ids[j];
        }
        worst[1] = fmax(worst[1], lives ? 0 : (double)(fabsf(before->points[j].height) / width));
    }
}

static void check_steadiness(support_moving *m, double seconds)
{
    static const view plain = {1, 0, false};
    pleat_live *live = open_view(m, &plain);
    snapshot shots[2];
    double worst[2] = {0, 0}, lives = 0;
    uint32_t frames = (uint32_t)(60 * seconds);
    for (int k = 0; k < 2; ++k)
    {
        shots[k] =
            (snapshot){0, malloc(MOST_POINTS * sizeof(uint32_t)), malloc(MOST_POINTS * sizeof(pleat_live_point))};
    }
    for (uint32_t f = 0; f < frames; ++f)
    {
        pleat_live_update(live, support_moving_at(m, f / 60.0), f ? 1 / 60.0f : 0, NULL);
        take(live, &shots[f & 1]);
        lives += pleat_live_last(live).wrinkles / 60.0;
        if (f)
        {
            check_step(m, &shots[~f & 1], &shots[f & 1], pleat_live_last(live).width, worst);
        }
    }
    print_message("at most %.3f widths aside and %.3f up or down; %u births, %.2f s each in the mean\n", worst[0],
                  worst[1], pleat_live_last(live).births, lives / pleat_live_last(live).births);
    assert_true(worst[0] <= 0.25);
    assert_true(worst[1] <= 0.1);
    for (int k = 0; k < 2; ++k)
    {
        free(shots[k].ids);
        free(shots[k].points);
    }
    pleat_live_destroy(live);
}

static void test_live_steady_dancer(void **state)
{
    (void)state;
    support_moving m = support_moving_make("dancer", "leotard", "squat");
    check_steadiness(&m, 2);
    support_moving_drop(&m);
}

static void test_live_steady_knight(void **state)
{
    (void)state;
    SUPPORT_NEED(path, "quat_knight/KnightCharacter.glb");
    support_moving m = support_moving_load(path, NULL, "HumanArmature|Walking");
    check_steadiness(&m, 1.25);
    support_moving_drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_views_shirt),   cmocka_unit_test(test_live_views_knight),
        cmocka_unit_test(test_live_rates_dancer),  cmocka_unit_test(test_live_rates_knight),
        cmocka_unit_test(test_live_steady_dancer), cmocka_unit_test(test_live_steady_knight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
