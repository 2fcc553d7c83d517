/* Curves of wrinkles: judged by deformations whose streamlines are known, and by what must not change them. */
#include "support/shapes.h"
#include "support/support.h"

#include "layers/wrinkles/curves/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A surface with a tracker ---- */

typedef struct rig
{
    const support_mesh *mesh;
    pleat_strain_field *field;
    pl_wrinkle_tracker *tracker;
    pleat_vec4 *now;
} rig;

static rig make_rig(const support_mesh *mesh, const pl_wrinkle_track_options *options)
{
    rig r = {.mesh = mesh};
    assert_int_equal(pleat_strain_field_create(mesh->topology, mesh->positions, NULL, &r.field, NULL), PLEAT_OK);
    assert_int_equal(pl_wrinkle_tracker_create(options, r.field, NULL, &r.tracker, NULL), PLEAT_OK);
    r.now = aligned_alloc(16, mesh->vertex_count * sizeof *r.now);
    return r;
}

static void free_rig(rig *r)
{
    pl_wrinkle_tracker_destroy(r->tracker);
    pleat_strain_field_destroy(r->field);
    free(r->now);
}

static pl_wrinkle_track_options options_of(float r_min)
{
    pl_wrinkle_track_options options = pl_wrinkle_track_options_default();
    options.r_min = r_min;
    return options;
}

static const pl_wrinkle_frame *step(rig *r, float seconds)
{
    pleat_strain_field_update(r->field, r->now, NULL);
    return pl_wrinkle_tracker_step(r->tracker, seconds);
}

static pl_f4 place_of(const rig *r, const pleat_place *place)
{
    return pl_from(support_position(r->mesh, *place));
}

static uint64_t hash_of(uint64_t hash, const pl_wrinkle_frame *frame)
{
    hash = support_hash(hash, frame->wrinkles, frame->wrinkle_count * sizeof *frame->wrinkles);
    hash = support_hash(hash, frame->seed_parameter, frame->wrinkle_count * sizeof(float));
    return support_hash(hash, frame->points, frame->point_count * sizeof *frame->points);
}

/* ---- Even compression of a plane ---- */

/* A square of this side around the origin, cut into so many uneven squares. */
static support_mesh make_square(uint32_t pieces, float side)
{
    support_mesh plane = support_plane(pieces, 0.3f);
    for (uint32_t v = 0; v < plane.vertex_count; ++v)
    {
        pl_f4 p = pl_load(&plane.positions[v]) * pl_splat(1 / (float)pieces) - pl_set(0.5f, 0.5f, 0, 0);
        pl_store(&plane.positions[v], p * pl_splat(side));
    }
    return plane;
}

/* Squeezes the plane by a factor across a direction. */
static void squeeze(rig *r, float angle, float factor, float other)
{
    float c = cosf(angle), s = sinf(angle);
    for (uint32_t v = 0; v < r->mesh->vertex_count; ++v)
    {
        pleat_vec4 p = r->mesh->positions[v];
        float across = factor * (p.x * c + p.y * s), along = other * (p.y * c - p.x * s);
        r->now[v] = (pleat_vec4){across * c - along * s, across * s + along * c, 0, 0};
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Every curve straight along the wrinkles' direction, at the spacing from the next, from border to border. */
static void check_parallel(const rig *r, const pl_wrinkle_frame *frame, float angle, float spacing, float half)
{
    float offsets[256], c = cosf(angle), s = sinf(angle);
    assert_in_range(frame->wrinkle_count, 2, 256);
    for (uint32_t w = 0; w < frame->wrinkle_count; ++w)
    {
        const pleat_wrinkle *wrinkle = &frame->wrinkles[w];
        const pleat_wrinkle_point *points = frame->points + wrinkle->first_point;
        pl_f4 seed = place_of(r, &points[wrinkle->seed].place);
        offsets[w] = seed[0] * c + seed[1] * s;
        for (uint32_t i = 0; i < wrinkle->point_count; ++i)
        {
            pl_f4 p = place_of(r, &points[i].place);
            assert_true(fabsf(p[0] * c + p[1] * s - offsets[w]) < 1e-3f * half);
            if (i == 0 || i + 1 == wrinkle->point_count)
            {
                assert_true(fmaxf(fabsf(p[0]), fabsf(p[1])) > 0.999f * half);
            }
        }
    }
    qsort(offsets, frame->wrinkle_count, sizeof offsets[0], compare_floats);
    for (uint32_t w = 1; w < frame->wrinkle_count; ++w)
    {
        float gap = offsets[w] - offsets[w - 1];
        assert_true(gap > 0.999f * spacing && gap < 1.05f * spacing);
    }
    /* As many as there is room for: at the corners a wrinkle would be shorter than it is wide. */
    float reach = half * (fabsf(c) + fabsf(s));
    assert_true(offsets[frame->wrinkle_count - 1] > reach - 2.5f * spacing && offsets[0] < -reach + 2.5f * spacing);
}

static void test_track_even_compression_gives_parallel_lines(void **state)
{
    (void)state;
    const float angles[] = {0, 0.3f, 0.7854f, 1.2f, 1.5708f, 2.5f};
    const uint32_t pieces[] = {5, 20, 33};
    for (size_t a = 0; a < sizeof angles / sizeof angles[0]; ++a)
    {
        uint32_t counts[3];
        for (size_t m = 0; m < 3; ++m)
        {
            support_mesh square = make_square(pieces[m], 2);
            pl_wrinkle_track_options options = options_of(0.05f);
            rig r = make_rig(&square, &options);
            squeeze(&r, angles[a], 0.7f, 1);
            const pl_wrinkle_frame *frame = step(&r, 0);
            check_parallel(&r, frame, angles[a], 0.1f, 1);
            for (uint32_t i = 0; i < frame->point_count; ++i)
            {
                assert_true(fabsf(frame->points[i].strength - 0.3f) < 1e-3f);
            }
            counts[m] = frame->wrinkle_count;
            free_rig(&r);
            support_mesh_free(&square);
        }
        assert_true(abs((int)counts[0] - (int)counts[1]) <= 1 && abs((int)counts[0] - (int)counts[2]) <= 1);
    }
}

static void test_track_tension_wrinkles_follow_the_pull(void **state)
{
    (void)state;
    support_mesh square = make_square(20, 2);
    pl_wrinkle_track_options options = options_of(0.05f);
    rig r = make_rig(&square, &options);
    squeeze(&r, 0.4f, 1, 1.3f);
    assert_int_equal(step(&r, 0)->wrinkle_count, 0);
    free_rig(&r);
    options.tension = true;
    r = make_rig(&square, &options);
    squeeze(&r, 0.4f, 1, 1.3f);
    check_parallel(&r, step(&r, 0), 0.4f, 0.1f, 1);
    squeeze(&r, 0.4f, 0.6f, 1.05f);
    assert_int_equal(step(&r, 0)->wrinkle_count, 0);
    free_rig(&r);
    support_mesh_free(&square);
}

static void test_track_nothing_where_nothing_is_compressed(void **state)
{
    (void)state;
    support_mesh square = make_square(20, 2);
    pl_wrinkle_track_options options = options_of(0.05f);
    rig r = make_rig(&square, &options);
    const float factors[] = {1, 1.4f, 0.95f, 0.901f};
    for (int i = 0; i < 4; ++i)
    {
        squeeze(&r, 0.3f, factors[i], 1);
        assert_int_equal(step(&r, i ? 0.03f : 0)->wrinkle_count, 0);
    }
    free_rig(&r);
    support_mesh_free(&square);
}

/* Compressed along its axis, a tube gets closed rings, at the spacing. */
static void test_track_rings_close(void **state)
{
    (void)state;
    support_mesh tube = support_tube(40, 24, 4);
    pl_wrinkle_track_options options = options_of(0.1f);
    rig r = make_rig(&tube, &options);
    for (uint32_t v = 0; v < tube.vertex_count; ++v)
    {
        pleat_vec4 p = tube.positions[v];
        r.now[v] = (pleat_vec4){p.x, p.y, 0.7f * p.z, 0};
    }
    const pl_wrinkle_frame *frame = step(&r, 0);
    assert_in_range(frame->wrinkle_count, 18, 20);
    for (uint32_t w = 0; w < frame->wrinkle_count; ++w)
    {
        const pleat_wrinkle *wrinkle = &frame->wrinkles[w];
        const pleat_wrinkle_point *points = frame->points + wrinkle->first_point;
        assert_memory_equal(&points[0].place, &points[wrinkle->point_count - 1].place, sizeof points[0].place);
        /* A chord of each facet: the prism's girth. */
        assert_true(fabs(wrinkle->point_count * 0.05 - 40 * 2 * sin(3.14159265 / 40)) < 0.25);
        for (uint32_t i = 0; i < wrinkle->point_count; ++i)
        {
            assert_true(fabsf(place_of(&r, &points[i].place)[2] - place_of(&r, &points[0].place)[2]) < 1e-3f);
        }
    }
    free_rig(&r);
    support_mesh_free(&tube);
}

/* Two sheets a tenth of the spacing apart: each has what it has alone. */
static void test_track_layers_do_not_see_each_other(void **state)
{
    (void)state;
    support_mesh one = make_square(12, 2);
    support_mesh two = support_mesh_new(2 * one.vertex_count, 2 * one.triangle_count);
    for (uint32_t v = 0; v < 2 * one.vertex_count; ++v)
    {
        pleat_vec4 p = one.positions[v % one.vertex_count];
        support_mesh_point(&two, v, (double)p.x, (double)p.y, v < one.vertex_count ? 0 : 0.01);
    }
    for (uint32_t c = 0; c < 6 * one.triangle_count; ++c)
    {
        bool second = c >= 3 * one.triangle_count;
        two.triangles[c] = one.triangles[c % (3 * one.triangle_count)] + (second ? one.vertex_count : 0);
    }
    support_mesh_finish(&two);
    pl_wrinkle_track_options options = options_of(0.05f);
    rig a = make_rig(&one, &options), b = make_rig(&two, &options);
    squeeze(&a, 0.5f, 0.7f, 1);
    squeeze(&b, 0.5f, 0.7f, 1);
    uint32_t alone = step(&a, 0)->wrinkle_count, both = step(&b, 0)->wrinkle_count;
    assert_in_range(both, 2 * alone - 1, 2 * alone + 1);
    free_rig(&a);
    free_rig(&b);
    support_mesh_free(&one);
    support_mesh_free(&two);
}

/* ---- Over time ---- */

/* A strip of compression, most in its middle, that wanders over the plane, turns and breathes. */
static void wander(rig *r, float time)
{
    float angle = 0.5f * sinf(1.3f * time), c = cosf(angle), s = sinf(angle);
    float middle = 0.4f * sinf(0.9f * time), depth = 0.3f + 0.08f * sinf(2.1f * time);
    for (uint32_t v = 0; v < r->mesh->vertex_count; ++v)
    {
        pleat_vec4 p = r->mesh->positions[v];
        float across = p.x * c + p.y * s, along = p.y * c - p.x * s;
        /* The integral of 1 - depth exp(-(x - middle)^2 / 0.18). */
        across -= depth * 0.376f * erff((across - middle) / 0.424264f);
        r->now[v] = (pleat_vec4){across * c - along * s, across * s + along * c, 0, 0};
    }
}

static void test_track_held_pose_holds_every_curve(void **state)
{
    (void)state;
    support_mesh square = make_square(16, 2);
    pl_wrinkle_track_options options = options_of(0.03f);
    rig r = make_rig(&square, &options);
    wander(&r, 1);
    uint64_t first = hash_of(SUPPORT_HASH, step(&r, 0));
    for (int i = 0; i < 5; ++i)
    {
        const pl_wrinkle_frame *frame = step(&r, 1 / 30.0f);
        assert_true(frame->wrinkle_count > 5 && hash_of(SUPPORT_HASH, frame) == first);
    }
    free_rig(&r);
    support_mesh_free(&square);
}

typedef struct clip_figures
{
    double mean_count, mean_life; /* wrinkles, seconds */
    uint64_t hash;                /* of all frames from restore_at on */
} clip_figures;

static void note_lives(const pl_wrinkle_frame *frame, uint32_t *lives, uint32_t *id_count)
{
    for (uint32_t w = 0; w < frame->wrinkle_count; ++w)
    {
        assert_true(w == 0 || frame->wrinkles[w].id > frame->wrinkles[w - 1].id);
        *id_count = frame->wrinkles[w].id >= *id_count ? frame->wrinkles[w].id + 1 : *id_count;
        assert_true(*id_count < 10000);
        ++lives[frame->wrinkles[w].id];
    }
}

static clip_figures play(rig *r, float seconds, float fps, uint32_t from, void *save)
{
    static uint32_t lives[10000];
    memset(lives, 0, sizeof lives);
    clip_figures figures = {0, 0, SUPPORT_HASH};
    uint32_t frames = (uint32_t)(seconds * fps), id_count = 0;
    for (uint32_t i = save ? 0 : from; i <= frames; ++i)
    {
        if (save && i == from)
        {
            pl_wrinkle_tracker_save(r->tracker, save);
        }
        wander(r, (float)i / fps);
        const pl_wrinkle_frame *frame = step(r, i ? 1 / fps : 0);
        figures.hash = i >= from ? hash_of(figures.hash, frame) : figures.hash;
        figures.mean_count += (double)frame->wrinkle_count / (frames + 1);
        note_lives(frame, lives, &id_count);
    }
    figures.mean_life = figures.mean_count * (frames + 1) / fmax(id_count, 1) / (double)fps;
    return figures;
}

/* Restored after frame k, frames k .. n come out as they did. */
static void test_track_state_restores(void **state)
{
    (void)state;
    support_mesh square = make_square(16, 2);
    pl_wrinkle_track_options options = options_of(0.03f);
    rig r = make_rig(&square, &options), other = make_rig(&square, &options);
    void *saved = malloc(pl_wrinkle_tracker_state_size(r.tracker));
    clip_figures whole = play(&r, 2, 30, 25, saved);
    wander(&other, 3);
    step(&other, 0);
    pl_wrinkle_tracker_restore(other.tracker, saved);
    clip_figures rest = play(&other, 2, 30, 25, NULL);
    assert_true(whole.hash == rest.hash);
    free(saved);
    free_rig(&r);
    free_rig(&other);
    support_mesh_free(&square);
}

static void test_track_does_not_depend_on_the_frame_rate(void **state)
{
    (void)state;
    support_mesh square = make_square(16, 2);
    pl_wrinkle_track_options options = options_of(0.03f);
    double counts[3];
    const float rates[] = {30, 60, 120};
    for (int i = 0; i < (support_is_long() ? 3 : 2); ++i)
    {
        rig r = make_rig(&square, &options);
        clip_figures figures = play(&r, support_is_long() ? 6 : 3, rates[i], 0, NULL);
        counts[i] = figures.mean_count;
        print_message("%g fps: %.2f wrinkles, living %.2f s\n", (double)rates[i], figures.mean_count,
                      figures.mean_life);
        assert_true(figures.mean_life > 10 / 30.0);
        free_rig(&r);
    }
    assert_true(fabs(counts[1] - counts[0]) < 0.05 * counts[0] &&
                (!support_is_long() || fabs(counts[2] - counts[0]) < 0.05 * counts[0]));
    support_mesh_free(&square);
}

/* A smoothed frame, kept. */
typedef struct kept_frame
{
    uint32_t count;
    pleat_wrinkle wrinkles[256];
    float parameters[256];
    pleat_wrinkle_point points[16384];
} kept_frame;

static void keep(kept_frame *to, const pl_wrinkle_frame *from)
{
    assert_true(from->wrinkle_count <= 256 && from->point_count <= 16384);
    to->count = from->wrinkle_count;
    memcpy(to->wrinkles, from->wrinkles, from->wrinkle_count * sizeof *to->wrinkles);
    memcpy(to->parameters, from->seed_parameter, from->wrinkle_count * sizeof *to->parameters);
    memcpy(to->points, from->points, from->point_count * sizeof *to->points);
}

/* The largest change of depth between two frames, and the farthest that a point has moved, times its depth; points
 * correspond by their parameter. */
static void compare(const rig *r, const kept_frame *a, const kept_frame *b, float spacing, float *depth, float *moved)
{
    for (uint32_t v = 0, w = 0; v < a->count && w < b->count;)
    {
        const pleat_wrinkle *x = &a->wrinkles[v], *y = &b->wrinkles[w];
        if (x->id != y->id)
        {
            v += x->id < y->id;
            w += y->id < x->id;
            continue;
        }
        int32_t shift =
            (int32_t)roundf((a->parameters[v++] - b->parameters[w++]) / spacing) + (int32_t)y->seed - (int32_t)x->seed;
        /* The ends are no multiples of the step. */
        for (int32_t i = 1; i + 1 < (int32_t)x->point_count; ++i)
        {
            if (i + shift < 1 || i + shift + 1 >= (int32_t)y->point_count)
            {
                continue;
            }
            const pleat_wrinkle_point *p = &a->points[x->first_point + (uint32_t)i];
            const pleat_wrinkle_point *q = &b->points[y->first_point + (uint32_t)(i + shift)];
            *depth = fmaxf(*depth, fabsf(p->depth - q->depth));
            *moved =
                fmaxf(*moved, fminf(p->depth, q->depth) * pl_length3(place_of(r, &p->place) - place_of(r, &q->place)));
        }
    }
}

/* Tracked and smoothed: ten times as many frames, and every change is a small part of what it was. Nothing pops. */
static void test_track_changes_shrink_with_denser_frames(void **state)
{
    (void)state;
    support_mesh square = make_square(16, 2);
    static kept_frame frames[2];
    float depth[2] = {0, 0}, moved[2] = {0, 0};
    for (int dense = 0; dense < 2; ++dense)
    {
        pl_wrinkle_track_options options = options_of(0.03f);
        rig r = make_rig(&square, &options);
        pl_wrinkle_smooth_options smooth = pl_wrinkle_smooth_options_default();
        smooth.step = options.step * options.r_min;
        smooth.most_wrinkles = 256;
        smooth.most_points = 16384;
        pl_wrinkle_smoother *smoother = NULL;
        float fps = dense ? 300 : 30;
        assert_int_equal(pl_wrinkle_smoother_create(&smooth, pl_field_flat(r.field), 1 / fps, NULL, &smoother, NULL),
                         PLEAT_OK);
        uint32_t given = 0;
        for (uint32_t i = 0; i <= (uint32_t)((support_is_long() ? 2 : 0.8f) * fps); ++i)
        {
            wander(&r, (float)i / fps);
            const pl_wrinkle_frame *frame = step(&r, i ? 1 / fps : 0);
            for (uint32_t p = 0; p < frame->point_count; ++p)
            {
                frame->points[p].depth = frame->points[p].strength;
            }
            frame = pl_wrinkle_smoother_push(smoother, frame);
            if (frame)
            {
                keep(&frames[given++ & 1], frame);
                if (given > 1)
                {
                    compare(&r, &frames[given & 1], &frames[~given & 1], smooth.step, &depth[dense], &moved[dense]);
                }
            }
        }
        pl_wrinkle_smoother_destroy(smoother);
        free_rig(&r);
    }
    print_message("ten times as many frames: changes of depth %.2f x, moves %.2f x\n", (double)(depth[1] / depth[0]),
                  (double)(moved[1] / moved[0]));
    assert_true(depth[0] > 0 && depth[1] < 0.4f * depth[0]);
    assert_true(moved[0] > 0 && moved[1] < 0.4f * moved[0]);
    support_mesh_free(&square);
}

/* A flag that waves without stretching: bent along a wave by its arc length. What is left of compression is the
 * triangles' chords. */
static void test_track_a_flag_that_only_bends_gets_nothing(void **state)
{
    (void)state;
    support_mesh square = make_square(30, 2);
    pl_wrinkle_track_options options = options_of(0.01f);
    rig r = make_rig(&square, &options);
    for (int f = 0; f < 20; ++f)
    {
        for (uint32_t v = 0; v < square.vertex_count; ++v)
        {
            /* The curve whose direction is sin(5 s + 0.3 f) / 2, integrated. */
            pleat_vec4 p = square.positions[v];
            double x = 0, z = 0, length = (double)p.x + 1;
            for (int i = 0; i < 200; ++i)
            {
                double turn = 0.5 * sin(5 * length * (i + 0.5) / 200 + 0.3 * f);
                x += cos(turn) * length / 200;
                z += sin(turn) * length / 200;
            }
            r.now[v] = (pleat_vec4){(float)x, p.y, (float)z, 0};
        }
        assert_int_equal(step(&r, f ? 1 / 30.0f : 0)->wrinkle_count, 0);
    }
    free_rig(&r);
    support_mesh_free(&square);
}

/* ---- Limits ---- */

static void test_track_says_when_it_is_full(void **state)
{
    (void)state;
    support_mesh square = make_square(12, 2);
    pl_wrinkle_track_options options = options_of(0.02f);
    options.most_wrinkles = 7;
    rig r = make_rig(&square, &options);
    squeeze(&r, 0.2f, 0.6f, 1);
    assert_int_equal(step(&r, 0)->wrinkle_count, 7);
    assert_true(pl_wrinkle_tracker_full(r.tracker));
    free_rig(&r);
    options.most_wrinkles = 0;
    options.most_points = 100;
    r = make_rig(&square, &options);
    squeeze(&r, 0.2f, 0.6f, 1);
    assert_true(step(&r, 0)->point_count <= 100 && pl_wrinkle_tracker_full(r.tracker));
    free_rig(&r);
    support_mesh_free(&square);
}

static void test_track_rejects_bad_options(void **state)
{
    (void)state;
    support_mesh square = make_square(3, 2);
    pleat_strain_field *field = NULL;
    assert_int_equal(pleat_strain_field_create(square.topology, square.positions, NULL, &field, NULL), PLEAT_OK);
    for (int i = 0; i < 7; ++i)
    {
        pl_wrinkle_track_options options = options_of(0.05f);
        float *values[] = {&options.r_min, &options.lambda_max, &options.spacing, &options.merge,
                           &options.speed, &options.settle,     &options.step};
        *values[i] = i % 2 ? NAN : -1;
        pl_wrinkle_tracker *tracker = NULL;
        pleat_error error = {0};
        assert_int_equal(pl_wrinkle_tracker_create(&options, field, NULL, &tracker, &error), PLEAT_BAD_ARGUMENT);
        assert_null(tracker);
    }
    pleat_strain_field_destroy(field);
    support_mesh_free(&square);
}

static pleat_result create(void *user, const pleat_host *host, pleat_error *error)
{
    pl_wrinkle_track_options options = options_of(0.1f);
    pl_wrinkle_tracker *tracker = NULL;
    pleat_result result = pl_wrinkle_tracker_create(&options, user, host, &tracker, error);
    pl_wrinkle_tracker_destroy(tracker);
    return result;
}

static void test_track_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_mesh square = make_square(3, 2);
    pleat_strain_field *field = NULL;
    assert_int_equal(pleat_strain_field_create(square.topology, square.positions, NULL, &field, NULL), PLEAT_OK);
    support_sweep_allocations(create, field);
    pleat_strain_field_destroy(field);
    support_mesh_free(&square);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_track_even_compression_gives_parallel_lines),
        cmocka_unit_test(test_track_tension_wrinkles_follow_the_pull),
        cmocka_unit_test(test_track_nothing_where_nothing_is_compressed),
        cmocka_unit_test(test_track_rings_close),
        cmocka_unit_test(test_track_layers_do_not_see_each_other),
        cmocka_unit_test(test_track_held_pose_holds_every_curve),
        cmocka_unit_test(test_track_state_restores),
        cmocka_unit_test(test_track_does_not_depend_on_the_frame_rate),
        cmocka_unit_test(test_track_changes_shrink_with_denser_frames),
        cmocka_unit_test(test_track_a_flag_that_only_bends_gets_nothing),
        cmocka_unit_test(test_track_says_when_it_is_full),
        cmocka_unit_test(test_track_rejects_bad_options),
        cmocka_unit_test(test_track_survives_every_failed_allocation),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_track_does_not_depend_on_the_frame_rate),
        cmocka_unit_test(test_track_changes_shrink_with_denser_frames),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}
