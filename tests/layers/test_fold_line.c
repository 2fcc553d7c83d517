/* The 1D core of folds: judged by closed forms, by bisection, and by what convexity promises. */
/* Here lines are those of the instance of one lane. */
#define PL_WIDTH 1
#define PL_WIDE_SUFFIX one
#include "support/support.h"
#include "support/fold_oracle.h"

#include "layers/folds/solve/line.h"
#include "layers/profile.h"

#include <stdlib.h>
#include <string.h>

enum
{
    POINTS = 25
};

/* A straight line of length `now` along X that was 1 long at rest, raised along Y by a profile. */
static double flat_fold(const pl_profile *profile, double now, oracle_segment *segments)
{
    pl_f4 points[POINTS], raised[POINTS];
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        float x = (float)i / (POINTS - 1);
        points[i] = pl_set((float)now * x, 0, 0, 0);
        raised[i] = pl_set(0, pl_profile_at(profile, 2 * x - 1), 0, 0);
    }
    oracle_segments(POINTS, points, raised, segments);
    return 1;
}

static void test_fold_line_profiles_are_blobs(void **state)
{
    (void)state;
    pl_profile profiles[3] = {pl_profile_polynomial(PL_PROFILE_THIRD), pl_profile_polynomial(PL_PROFILE_FIFTH)};
    static const float drawn[] = {0, 0, 1, 0.2f, 3, 5, 4, 5, 7, 0.5f};
    assert_int_equal(pl_profile_curve(drawn, 5, &profiles[2], NULL), PLEAT_OK);
    for (int k = 0; k < 3; ++k)
    {
        float highest = 0;
        for (int i = -1200; i <= 1200; ++i)
        {
            float x = (float)i / 1000, y = pl_profile_at(&profiles[k], x);
            assert_true(y >= 0 && y <= 1.000001f);
            assert_true(fabsf(x) < 1 || y == 0);
            highest = fmaxf(highest, y);
        }
        assert_true(highest > 0.9999f);
        assert_true(pl_profile_at(&profiles[k], 0.9999f) < 0.01f);
        assert_true(pl_profile_at(&profiles[k], NAN) == 0);
    }
    assert_true(fabsf(pl_profile_at(&profiles[0], 0.5f) - 0.5f) < 1e-6f);
    pl_profile none;
    static const float bad[][6] = {{0, 0, 0, 1, 1, 0}, {0, 0, 1, -1, 2, 0}, {0, 0, 1, 0, 2, 0}, {0, 0, 1, NAN, 2, 0}};
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(pl_profile_curve(bad[i], 3, &none, NULL), PLEAT_BAD_ARGUMENT);
    }
    assert_int_equal(pl_profile_curve(drawn, 1, &none, NULL), PLEAT_BAD_ARGUMENT);
}

static void test_fold_line_of_a_tent_has_the_height_of_pythagoras(void **state)
{
    (void)state;
    /* Three points: a roof over half of `now`, each side half of the rest length. */
    for (double now = 0.05; now < 1; now += 0.05)
    {
        pl_f4 points[3] = {pl_set(0, 0, 0, 0), pl_set((float)now / 2, 0, 0, 0), pl_set((float)now, 0, 0, 0)};
        pl_f4 raised[3] = {pl_splat(0), pl_set(0, 1, 0, 0), pl_splat(0)};
        oracle_segment segments[2];
        oracle_segments(3, points, raised, segments);
        oracle_solution solution = oracle_solve(segments, 2, 1, 0);
        assert_true(fabs(solution.amplitude - sqrt(0.25 - now * now / 4)) < 1e-6);
        assert_true(fabs(solution.tau) <= 1e-10);
    }
}

static void test_fold_line_keeps_still_where_nothing_compresses(void **state)
{
    (void)state;
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    oracle_segment segments[POINTS];
    double rest = flat_fold(&profile, 1.0001, segments);
    oracle_solution solution = oracle_solve(segments, POINTS - 1, rest, 0.3);
    assert_true(solution.amplitude == 0 && solution.tau > 0 && solution.steps == 0);
    assert_true(fabs(oracle_residual(solution.amplitude, solution.tau)) < 1e-15);
    /* A fold that cannot rise says so in its tau and does not hang. */
    pl_f4 points[2] = {pl_splat(0), pl_set(0.5f, 0, 0, 0)}, nowhere[2] = {pl_splat(0), pl_splat(0)};
    oracle_segments(2, points, nowhere, segments);
    solution = oracle_solve(segments, 1, 1, 0);
    assert_true(solution.amplitude == 0 && solution.tau < 0);
}

/* Random lines in space with random directions: one root, found from any guess, in few steps; tau is convex. */
static void test_fold_line_finds_the_one_root(void **state)
{
    (void)state;
    uint32_t seed = 17;
    uint64_t steps = 0, warm_steps = 0, solved = 0;
    uint32_t most = 0;
    for (int round = 0; round < 3000; ++round)
    {
        pl_f4 points[POINTS], raised[POINTS];
        pl_profile profile = pl_profile_polynomial(round % 2 ? PL_PROFILE_THIRD : PL_PROFILE_FIFTH);
        /* an arc of up to 2 radians, bent towards the folds or away from them, with noise */
        float bend = support_random_float(&seed, -2, 2), noise = support_random_float(&seed, 0, 0.003f);
        double rest = 0, length = 0;
        for (uint32_t i = 0; i < POINTS; ++i)
        {
            float t = (float)i / (POINTS - 1), angle = bend * (t - 0.5f);
            float radius = fabsf(bend) > 1e-3f ? 1 / bend : 1000;
            points[i] =
                pl_set(radius * sinf(angle), radius * (1 - cosf(angle)), noise * support_random_float(&seed, -1, 1), 0);
            raised[i] = pl_set(-sinf(angle), cosf(angle), 0, 0) * pl_splat(pl_profile_at(&profile, 2 * t - 1));
            length += i ? (double)pl_length3(points[i] - points[i - 1]) : 0;
        }
        rest = length * (1 + (double)support_random_float(&seed, 0, round % 3 ? 0.5f : 0.001f));
        oracle_segment segments[POINTS];
        oracle_segments(POINTS, points, raised, segments);
        if (!(oracle_tau(segments, POINTS - 1, rest, 0, NULL) < 0))
        {
            continue;
        }
        oracle_solution cold = oracle_solve(segments, POINTS - 1, rest, 0);
        assert_true(cold.amplitude > 0 && fabs(cold.tau) <= 1e-9 * rest);
        double guess = cold.amplitude * (double)support_random_float(&seed, 0.9f, 1.1f);
        oracle_solution warm = oracle_solve(segments, POINTS - 1, rest, guess);
        assert_true(fabs(warm.amplitude - cold.amplitude) < 1e-6 * cold.amplitude);
        oracle_solution far = oracle_solve(segments, POINTS - 1, rest, 1e6);
        assert_true(fabs(far.amplitude - cold.amplitude) < 1e-6 * cold.amplitude);
        assert_true(fabs(oracle_residual(cold.amplitude, cold.tau)) < 1e-8 * rest);
        steps += cold.steps;
        warm_steps += warm.steps;
        most = cold.steps > most ? cold.steps : most;
        ++solved;
        /* negative before the root, positive behind it, convex in between */
        double last = oracle_tau(segments, POINTS - 1, rest, 0, NULL), last_rise = -1e30;
        for (int i = 1; i <= 20; ++i)
        {
            double x = cold.amplitude * i / 10, tau = oracle_tau(segments, POINTS - 1, rest, x, NULL);
            assert_true(i == 10 || (tau < 0) == (i < 10));
            assert_true(tau - last >= last_rise - 1e-12 * rest);
            last_rise = tau - last;
            last = tau;
        }
    }
    print_message("%llu folds: %.2f steps cold (at most %u), %.2f warm\n", (unsigned long long)solved,
                  (double)steps / (double)solved, most, (double)warm_steps / (double)solved);
    assert_true(most <= 6 && steps <= 4 * solved);
}

/* The height goes with the square root of the compression near its onset. */
static void test_fold_line_starts_with_the_square_root(void **state)
{
    (void)state;
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    oracle_segment segments[POINTS];
    double heights[2];
    for (int k = 0; k < 2; ++k)
    {
        double rest = flat_fold(&profile, 1 - (k ? 1e-3 : 1e-5), segments);
        heights[k] = oracle_solve(segments, POINTS - 1, rest, 0).amplitude;
    }
    assert_true(fabs(heights[1] / heights[0] - 10) < 0.1);
}

/* Of a fold that is 1 long at rest. */
static double taken_up(double lost, double length)
{
    return lost > 0 ? (double)pl_fold_take_up(pl_splat_w((float)lost), pl_splat_w((float)length), pl_splat_w(1))[0] : 0;
}

/* Length that comes over to stretched cloth, more of it evenly: the height begins in proportion to it, not with its
 * square root. Cloth that is not stretched takes all of it. */
static void test_fold_line_begins_evenly_on_stretched_cloth(void **state)
{
    (void)state;
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    oracle_segment segments[POINTS];
    double heights[3], most = 0;
    flat_fold(&profile, 1.3, segments);
    for (int k = 0; k < 3; ++k)
    {
        double lost = 1e-3 * (k == 2 ? 100 : k + 1), taken = taken_up(lost, 1.3);
        heights[k] = oracle_solve(segments, POINTS - 1, 1.3 + taken, 0).amplitude;
        assert_true(taken > 0 && taken < lost);
    }
    assert_true(fabs(heights[1] / heights[0] - 2) < 0.02 && heights[2] > 20 * heights[0]);
    assert_true(fabs(taken_up(0.1, 1.05) - 0.1) < 1e-8 && fabs(taken_up(0.1, 0.8) - 0.1) < 1e-8);
    for (double lost = 0; lost < 0.5; lost += 0.01)
    {
        double taken = taken_up(lost, 1.3);
        assert_true(taken >= most);
        most = taken;
    }
}

/* A flat line from which a fold rises frame by frame, as the paper plays it: raised along directions that the frame
 * before has left. */
typedef struct played
{
    pl_f4 directions[POINTS];
    float rest[POINTS];
    double smallest; /* stretch of a segment against the others, in the last frame */
    double tau;
} played;

static played start_playing(void)
{
    played p = {.tau = 0};
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        p.rest[i] = (float)i / (POINTS - 1);
        p.directions[i] = pl_set(0, 1, 0, 0);
    }
    return p;
}

static void play_frame(played *p, double lost, bool corrected)
{
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    pl_f4 skinned[POINTS], raised[POINTS], folded[POINTS], normals[POINTS];
    oracle_segment segments[POINTS];
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        skinned[i] = pl_set((float)(1 - lost) * p->rest[i], 0, 0, 0);
        normals[i] = pl_set(0, 1, 0, 0);
        raised[i] = p->directions[i] * pl_splat(pl_profile_at(&profile, 2 * p->rest[i] - 1));
    }
    oracle_segments(POINTS, skinned, raised, segments);
    oracle_solution solution = oracle_solve(segments, POINTS - 1, 1, 0);
    p->tau = fmax(p->tau, fabs(solution.tau));
    p->smallest = INFINITY;
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        folded[i] = skinned[i] + raised[i] * pl_splat((float)solution.amplitude);
        double step = i ? (double)pl_length3(folded[i] - folded[i - 1]) * (POINTS - 1) : INFINITY;
        p->smallest = fmin(p->smallest, step);
    }
    if (corrected)
    {
        oracle_directions(POINTS, skinned, folded, p->rest, normals, p->directions);
    }
}

/* Compressed by 30 % within so many frames, then held for as long. */
static double play(played *p, uint32_t frames, bool corrected, bool held)
{
    for (uint32_t f = 1; f <= (held ? 2 : 1) * frames; ++f)
    {
        play_frame(p, 0.3 * fmin((double)f / frames, 1), corrected);
    }
    assert_true(p->tau <= 1e-10);
    return p->smallest;
}

static void test_fold_line_directions_keep_cloth_even(void **state)
{
    (void)state;
    played alone = start_playing(), slow = start_playing(), fast = start_playing(), held = start_playing();
    double normals = play(&alone, 30, false, false), after_slow = play(&slow, 30, true, false);
    double after_fast = play(&fast, 3, true, false), after_hold = play(&held, 3, true, true);
    print_message("a fold that lost 30 %%: its shortest segment is %.3f of its rest length along normals; with the "
                  "paper's directions %.3f after 30 frames, %.3f after 3, %.3f held\n",
                  normals, after_slow, after_fast, after_hold);
    assert_true(normals < 0.8 && after_slow > normals + 0.05 && after_slow <= 1 + 1e-6);
    /* What lags catches up as soon as the pose holds. */
    assert_true(after_fast < after_hold && after_hold > 0.95 * after_slow);
    /* The directions are all the state there is: a copy plays on to the same bits. */
    played copy = start_playing();
    memcpy(copy.directions, slow.directions, sizeof copy.directions);
    play_frame(&slow, 0.25, true);
    play_frame(&copy, 0.25, true);
    assert_memory_equal(copy.directions, slow.directions, sizeof copy.directions);
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        assert_true(fabsf(pl_length3(slow.directions[i]) - 1) < 1e-6f && slow.directions[i][1] > 0.49f);
    }
}

/* A hollow gets shorter before it gets longer: the exact height leaps at the onset, the eased one grows from 0 with the
 * loss, and joins the exact one: looked at ten times as often, it changes by little more than a tenth at a time. */
static void test_fold_line_eases_out_of_a_hollow(void **state)
{
    (void)state;
    pl_f4 points[POINTS], raised[POINTS];
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    for (uint32_t i = 0; i < POINTS; ++i)
    {
        float t = (float)i / (POINTS - 1), angle = t - 0.5f; /* an arc of 1 radian, radius 1, bent towards the folds */
        points[i] = pl_set(sinf(angle), 1 - cosf(angle), 0, 0);
        raised[i] = pl_set(-sinf(angle), cosf(angle), 0, 0) * pl_splat(pl_profile_at(&profile, 2 * t - 1));
    }
    oracle_segment segments[POINTS];
    oracle_segments(POINTS, points, raised, segments);
    double length = oracle_tau(segments, POINTS - 1, 0, 0, NULL), before = 0, tenth = 0, fast = 0, slow = 0;
    assert_true(oracle_solve(segments, POINTS - 1, length * (1 + 1e-9), 0).amplitude > 0.05);
    for (int i = 1; i <= 1000; ++i)
    {
        double wanted = length * (1 + 5e-4 * i);
        oracle_solution eased = oracle_solve_eased(segments, POINTS - 1, wanted, 0);
        oracle_solution exact = oracle_solve(segments, POINTS - 1, wanted, 0);
        assert_true(eased.hollow > 0.05 && eased.amplitude > before && eased.amplitude - before < 0.02);
        assert_true(eased.amplitude <= exact.amplitude * (1 + 1e-9));
        assert_true(5e-4 * i / (1 + 5e-4 * i) < 0.32 || fabs(eased.amplitude - exact.amplitude) < 1e-9);
        slow = fmax(slow, eased.amplitude - before);
        before = eased.amplitude;
        if (i % 10 == 0)
        {
            fast = fmax(fast, eased.amplitude - tenth);
            tenth = eased.amplitude;
        }
    }
    assert_true(slow <= 0.15 * fast);
}

/* ---- Many at once ---- */

/* A line of two centimetres: points that are too close together or too far apart, on an arc that is hollow or not, and
 * directions that come together or go apart. Lies a metre from the origin. */
static void random_fold(uint32_t *seed, uint32_t count, pl_f4 *points, pl_f4 *raised)
{
    pl_profile profile = pl_profile_polynomial(PL_PROFILE_THIRD);
    float bend = support_random_float(seed, -1.5f, 1.5f), spread = support_random_float(seed, -1.5f, 1.5f), x = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        float t = (float)i / (float)(count - 1), height = pl_profile_at(&profile, 2 * t - 1),
              turn = spread * (t - 0.5f);
        points[i] = pl_set(x, 1 + 25 * bend * x * (x - 0.02f), 0, 0);
        raised[i] = pl_set(height * sinf(turn), height * cosf(turn), 0, 0);
        x += support_random_float(seed, 0.2f, 1.8f) * 0.02f / (float)(count - 1);
    }
}

/* Folds of different numbers of points side by side, in the kernel's layout; an instance of one lane takes them one by
 * one. */
typedef struct side_by_side
{
    uint32_t count;     /* of segments in the layout */
    uint32_t counts[8]; /* each fold's own */
    float step[PL_FOLD_SEGMENTS][3][8], rise[PL_FOLD_SEGMENTS][3][8];
    float wanted[8];
    oracle_segment segments[8][PL_FOLD_SEGMENTS];
} side_by_side;

static void make_folds(uint32_t *seed, uint32_t round, side_by_side *s)
{
    *s = (side_by_side){.count = 2 + round % (PL_FOLD_SEGMENTS - 1)};
    for (uint32_t lane = 0; lane < 8; ++lane)
    {
        pl_f4 points[PL_FOLD_SEGMENTS + 1], raised[PL_FOLD_SEGMENTS + 1];
        uint32_t count = s->counts[lane] = 2 + (lane ? support_random(seed) % (s->count - 1) : s->count - 2);
        random_fold(seed, count + 1, points, raised);
        oracle_segments(count + 1, points, raised, s->segments[lane]);
        double length = oracle_tau(s->segments[lane], count, 0, 0, NULL);
        s->wanted[lane] = (float)length * support_random_float(seed, 0.9f, 1.3f);
        for (uint32_t i = 0; i < count; ++i)
        {
            /* Those that are missing come before the last. */
            uint32_t at = i + 1 < count ? i : s->count - 1;
            for (int c = 0; c < 3; ++c)
            {
                s->step[at][c][lane] = points[i + 1][c] - points[i][c];
                s->rise[at][c][lane] = raised[i + 1][c] - raised[i][c];
            }
        }
    }
}

/* What an instance makes of them. */
typedef struct outcome
{
    float amplitude[8], tau[8], hollow[8], relief[8], due[8];
    int32_t steps[8];
} outcome;

/* As the instances of eight lanes see them. */
typedef struct eight_segments
{
    uint32_t count;
    pl_f8 step[PL_FOLD_SEGMENTS][3], rise[PL_FOLD_SEGMENTS][3];
} eight_segments;
typedef struct eight_solution
{
    pl_f8 amplitude, tau, hollow, relief, due;
    pl_i8 steps;
} eight_solution;
typedef void eight_solver(const eight_segments *folds, const pl_f8 *wanted, eight_solution *out);
eight_solver pl_fold_solve_line_base, pl_fold_solve_line_avx2;

static void solve_eight(eight_solver *solver, const side_by_side *s, outcome *out)
{
    eight_segments segments = {.count = s->count};
    eight_solution solution;
    pl_f8 wanted;
    memcpy(segments.step, s->step, sizeof segments.step);
    memcpy(segments.rise, s->rise, sizeof segments.rise);
    memcpy(&wanted, s->wanted, sizeof wanted);
    solver(&segments, &wanted, &solution);
    memcpy(out, &solution, sizeof *out);
}

/* The definition: fold after fold. */
static void solve_one_by_one(const side_by_side *s, outcome *out)
{
    for (uint32_t lane = 0; lane < 8; ++lane)
    {
        pl_fold_segments segments = {.count = s->count};
        pl_fold_solution solution;
        for (uint32_t i = 0; i < s->count; ++i)
        {
            for (int c = 0; c < 3; ++c)
            {
                segments.step[i][c] = pl_splat_w(s->step[i][c][lane]);
                segments.rise[i][c] = pl_splat_w(s->rise[i][c][lane]);
            }
        }
        pl_fw wanted = pl_splat_w(s->wanted[lane]);
        pl_fold_solve_line_one(&segments, &wanted, &solution);
        out->amplitude[lane] = solution.amplitude[0];
        out->tau[lane] = solution.tau[0];
        out->hollow[lane] = solution.hollow[0];
        out->relief[lane] = solution.relief[0];
        out->due[lane] = solution.due[0];
        out->steps[lane] = solution.steps[0];
    }
}

/* Against the solution in double: the length is right, whatever the amplitude, and the amplitude as far as the length
 * tells it. */
static void test_fold_line_is_right_in_floats(void **state)
{
    (void)state;
    uint32_t seed = 1, rising = 0, hollow = 0, most = 0;
    double worst = 0, apart = 0;
    for (uint32_t round = 0; round < 3000; ++round)
    {
        side_by_side s;
        outcome o;
        make_folds(&seed, round, &s);
        solve_one_by_one(&s, &o);
        for (uint32_t lane = 0; lane < 8; ++lane)
        {
            double rest = (double)s.wanted[lane], x = (double)o.amplitude[lane];
            oracle_solution one = oracle_solve_eased(s.segments[lane], s.counts[lane], rest, 0);
            assert_true((o.amplitude[lane] > 0) == (one.amplitude > 0));
            assert_true(fabs((double)o.hollow[lane] - one.hollow) <= 1e-4 * (one.hollow + 1e-3));
            if (one.amplitude > 0)
            {
                assert_true(fabs((double)o.relief[lane] - one.relief) <= 1e-3);
                double tau = oracle_tau(s.segments[lane], s.counts[lane], rest, x, NULL) + one.relief * x;
                worst = fmax(worst, fabs(tau) / rest);
                apart = fmax(apart, fabs(x - one.amplitude) / (one.amplitude + 1e-3));
                most = (uint32_t)o.steps[lane] > most ? (uint32_t)o.steps[lane] : most;
                ++rising;
                hollow += one.hollow > 0;
            }
        }
    }
    print_message("%u folds, %u of them hollow: largest |tau| %.2g, amplitudes within %.2g, at most %u steps\n", rising,
                  hollow, worst, apart, most);
    assert_true(rising > 6000 && rising < 23000 && hollow > 1000);
    assert_true(worst < 1e-6 && apart < 1e-3 && most <= 6);
}

/* No lane knows of another: the same bits one by one and side by side, whatever the company. */
static void test_fold_line_is_the_same_side_by_side(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (uint32_t round = 0; round < 3000; ++round)
    {
        side_by_side s;
        outcome one, eight;
        make_folds(&seed, round, &s);
        solve_one_by_one(&s, &one);
        solve_eight(pl_fold_solve_line_base, &s, &eight);
        assert_memory_equal(&one, &eight, sizeof one);
#ifdef PL_HAVE_AVX2
        if (pl_has_avx2())
        {
            solve_eight(pl_fold_solve_line_avx2, &s, &eight);
            assert_memory_equal(&one, &eight, sizeof one);
        }
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_line_profiles_are_blobs),
        cmocka_unit_test(test_fold_line_of_a_tent_has_the_height_of_pythagoras),
        cmocka_unit_test(test_fold_line_keeps_still_where_nothing_compresses),
        cmocka_unit_test(test_fold_line_finds_the_one_root),
        cmocka_unit_test(test_fold_line_starts_with_the_square_root),
        cmocka_unit_test(test_fold_line_begins_evenly_on_stretched_cloth),
        cmocka_unit_test(test_fold_line_directions_keep_cloth_even),
        cmocka_unit_test(test_fold_line_eases_out_of_a_hollow),
        cmocka_unit_test(test_fold_line_is_right_in_floats),
        cmocka_unit_test(test_fold_line_is_the_same_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
