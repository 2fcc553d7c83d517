#include "support/shapes.h"
#include "support/support.h"

#include "pleat/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double dot(pleat_vec4 a, pleat_vec4 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static pleat_vec4 cross(pleat_vec4 a, pleat_vec4 b)
{
    return (pleat_vec4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}

static pleat_vec4 unit(pleat_vec4 a)
{
    float s = (float)(1 / sqrt(dot(a, a)));
    return (pleat_vec4){a.x * s, a.y * s, a.z * s, 0};
}

static pleat_vec4 normal_of(const support_mesh *m, uint32_t t)
{
    const pleat_vec4 *a = &m->positions[m->triangles[t * 3]], *b = &m->positions[m->triangles[t * 3 + 1]],
                     *c = &m->positions[m->triangles[t * 3 + 2]];
    pleat_vec4 ab = {b->x - a->x, b->y - a->y, b->z - a->z, 0}, ac = {c->x - a->x, c->y - a->y, c->z - a->z, 0};
    return unit(cross(ab, ac));
}

static pleat_place random_place(const support_mesh *m, uint32_t *seed)
{
    pleat_place place = {.triangle = support_random(seed) % m->triangle_count};
    float u = support_random_float(seed, 0, 1), v = support_random_float(seed, 0, 1);
    if (u + v > 1)
    {
        u = 1 - u;
        v = 1 - v;
    }
    place.barycentric[0] = u;
    place.barycentric[1] = v;
    place.barycentric[2] = 1 - u - v;
    return place;
}

static pleat_place place_at(uint32_t triangle, float a, float b, float c)
{
    return (pleat_place){triangle, {a, b, c}};
}

static pleat_walk walk_from(const support_mesh *m, pleat_place start, pleat_vec4 direction, float length)
{
    return (pleat_walk){.topology = m->topology,
                        .positions = m->positions,
                        .start = start,
                        .direction = direction,
                        .length = length,
                        .vector = direction};
}

static void assert_valid(const support_mesh *m, const pleat_walk_result *r)
{
    assert_true(r->place.triangle < m->triangle_count);
    float sum = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        assert_true(r->place.barycentric[k] >= 0 && r->place.barycentric[k] <= 1);
        sum += r->place.barycentric[k];
    }
    assert_true(fabsf(sum - 1) < 1e-5f);
    assert_true(isfinite(r->walked) && r->walked >= 0);
    assert_true(isfinite(r->end_vector.x) && isfinite(r->end_vector.y) && isfinite(r->end_vector.z));
}

static void assert_near(pleat_vec4 a, pleat_vec4 b, double tolerance)
{
    if (!(support_distance(a, b) <= tolerance))
    {
        fail_msg("(%g, %g, %g) is %g from (%g, %g, %g)", (double)a.x, (double)a.y, (double)a.z, support_distance(a, b),
                 (double)b.x, (double)b.y, (double)b.z);
    }
}

/* ---- The plane ---- */

static void test_walk_is_straight_in_a_plane(void **state)
{
    (void)state;
    support_mesh m = support_plane(20, 0.24f);
    uint32_t seed = 3, walked_whole = 0;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        pleat_place start = random_place(&m, &seed);
        pleat_vec4 p = support_position(&m, start);
        double angle = (double)support_random_float(&seed, 0, 6.2831f);
        pleat_vec4 d = {(float)cos(angle), (float)sin(angle), 0, 0};
        float length = support_random_float(&seed, 0, 12);
        pleat_walk walk = walk_from(&m, start, d, length);
        walk.vector = (pleat_vec4){0.3f, -2, 0.7f, 0};
        pleat_walk_result r = pleat_walk_run(&walk);
        assert_valid(&m, &r);
        pleat_vec4 expected = {p.x + d.x * r.walked, p.y + d.y * r.walked, 0, 0};
        assert_near(support_position(&m, r.place), expected, 2e-5);
        assert_near(r.end_direction, d, 2e-6);
        assert_near(r.end_vector, walk.vector, 5e-6);
        bool inside =
            p.x + d.x * length > 0 && p.x + d.x * length < 20 && p.y + d.y * length > 0 && p.y + d.y * length < 20;
        assert_int_equal(r.end, inside ? PLEAT_WALK_DONE : PLEAT_WALK_BOUNDARY);
        assert_true(!inside || r.walked == length);
        walked_whole += inside;
    }
    assert_true(walked_whole > 1000);
    support_mesh_free(&m);
}

/* Along grid lines and diagonals the path goes from vertex to vertex; so does the start at a vertex, named by any of
 * the triangles around it. */
static void test_walk_passes_through_vertices(void **state)
{
    (void)state;
    support_mesh m = support_plane(12, 0);
    for (uint32_t i = m.topology->ring_start[6 * 13 + 6]; i < m.topology->ring_start[6 * 13 + 7]; ++i)
    {
        uint32_t corner = m.topology->ring_corner[i];
        pleat_place start = place_at(corner / 3, corner % 3 == 0, corner % 3 == 1, corner % 3 == 2);
        for (int x = -3; x <= 3; ++x)
        {
            for (int y = -3; y <= 3; ++y)
            {
                if (x == 0 && y == 0)
                {
                    continue;
                }
                pleat_vec4 d = {(float)x, (float)y, 0, 0};
                pleat_walk walk = walk_from(&m, start, d, 5);
                pleat_walk_result r = pleat_walk_run(&walk);
                assert_int_equal(r.end, PLEAT_WALK_DONE);
                float s = 5 / sqrtf((float)(x * x + y * y));
                assert_near(support_position(&m, r.place), (pleat_vec4){6 + s * d.x, 6 + s * d.y, 0, 0}, 1e-5);
                assert_near(r.end_vector, d, 1e-5);
            }
        }
    }
    /* Along the border. */
    pleat_walk walk = walk_from(&m, place_at(0, 0.5f, 0.5f, 0), (pleat_vec4){1, 0, 0, 0}, 3);
    pleat_walk_result r = pleat_walk_run(&walk);
    assert_int_equal(r.end, PLEAT_WALK_DONE);
    assert_near(support_position(&m, r.place), (pleat_vec4){3.5f, 0, 0, 0}, 1e-5);
    support_mesh_free(&m);
}

/* ---- Developable surfaces ---- */

/* The point of a prism of `sides` sides whose unrolled coordinates are u (along the polygon) and z. */
static pleat_vec4 roll(uint32_t sides, double u, double z)
{
    double chord = 2 * sin(PI / sides);
    double turns = floor(u / chord);
    double s = u / chord - turns, a = 2 * PI * turns / sides, b = 2 * PI * (turns + 1) / sides;
    return (pleat_vec4){(float)(cos(a) + s * (cos(b) - cos(a))), (float)(sin(a) + s * (sin(b) - sin(a))), (float)z, 0};
}

static void test_walk_on_a_tube_is_a_helix(void **state)
{
    (void)state;
    static const uint32_t sides[] = {4, 5, 24, 200}; /* 4: the band of a cube's faces */
    for (uint32_t n = 0; n < 4; ++n)
    {
        support_mesh m = support_tube(sides[n], 30, 4);
        double chord = 2 * sin(PI / sides[n]);
        uint32_t seed = 17;
        for (uint32_t i = 0; i < 300; ++i)
        {
            double u0 = (double)support_random_float(&seed, 0.05f, 0.95f) * chord;
            double slope = (double)support_random_float(&seed, -0.15f, 0.15f);
            double length = (double)support_random_float(&seed, 0, 12);
            float s = (float)(u0 / chord);
            /* In the middle row: square 15 of side 0, its lower triangle, low edge. */
            pleat_place start = place_at(15 * sides[n] * 2, 1 - s, s, 0);
            pleat_vec4 from = roll(sides[n], u0, 2), ahead = roll(sides[n], chord, 2);
            pleat_vec4 along = unit((pleat_vec4){ahead.x - from.x, ahead.y - from.y, 0, 0});
            pleat_vec4 d = {(float)cos(slope) * along.x, (float)cos(slope) * along.y, (float)sin(slope), 0};
            pleat_place path[4000];
            pleat_walk walk = walk_from(&m, start, d, (float)length);
            walk.vector = (pleat_vec4){0, 0, 1, 0};
            walk.path = path;
            walk.path_capacity = 4000;
            pleat_walk_result r = pleat_walk_run(&walk);
            assert_valid(&m, &r);
            assert_int_equal(r.end, PLEAT_WALK_DONE);
            assert_near(support_position(&m, r.place),
                        roll(sides[n], u0 + cos(slope) * length, 2 + sin(slope) * length), 4e-5);
            assert_near(r.end_vector, (pleat_vec4){0, 0, 1, 0}, 1e-5);
            assert_true(fabs((double)r.end_direction.z - sin(slope)) < 1e-5);
            double sum = 0;
            for (uint32_t k = 1; k < r.path_count; ++k)
            {
                sum += support_distance(support_position(&m, path[k - 1]), support_position(&m, path[k]));
            }
            assert_true(fabs(sum - length) < 1e-4);
        }
        support_mesh_free(&m);
    }
}

/* A cube of side 2 about 0. */
static support_mesh make_cube(void)
{
    support_mesh m = support_mesh_new(8, 12);
    for (uint32_t v = 0; v < 8; ++v)
    {
        support_mesh_point(&m, v, v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1);
    }
    uint32_t t = 0;
    support_mesh_quad(&m, &t, 4, 5, 7, 6); /* +z */
    support_mesh_quad(&m, &t, 1, 0, 2, 3); /* -z */
    support_mesh_quad(&m, &t, 5, 1, 3, 7); /* +x */
    support_mesh_quad(&m, &t, 0, 4, 6, 2); /* -x */
    support_mesh_quad(&m, &t, 6, 7, 3, 2); /* +y */
    support_mesh_quad(&m, &t, 0, 1, 5, 4); /* -y */
    support_mesh_finish(&m);
    return m;
}

static void test_walk_over_a_cube_is_straight_when_unfolded(void **state)
{
    (void)state;
    support_mesh m = make_cube();
    /* Round four faces and back to the start: through +z, +x, -z, -x. */
    pleat_walk walk = walk_from(&m, place_at(0, 0.5f, 0.125f, 0.375f), (pleat_vec4){1, 0, 0, 0}, 8);
    pleat_vec4 from = support_position(&m, walk.start);
    pleat_walk_result r = pleat_walk_run(&walk);
    assert_int_equal(r.end, PLEAT_WALK_DONE);
    assert_near(support_position(&m, r.place), from, 1e-6);
    assert_near(r.end_direction, (pleat_vec4){1, 0, 0, 0}, 1e-6);
    /* Over the corner region: from the top face to +x and on to +y, by the net of the three faces. From (0, 0, 1) along
     * (2, 1): leaves the top at (1, 1/2), reaches +y after one more in x and 1/2 in y of the net, at height 0. */
    walk.start = place_at(0, 0.5f, 0, 0.5f);
    walk.direction = (pleat_vec4){2, 1, 0, 0};
    walk.length = (float)(sqrt(5.0) * 1.25);
    walk.vector = (pleat_vec4){0, 0, 3, 0}; /* the normal stays the normal */
    r = pleat_walk_run(&walk);
    assert_int_equal(r.end, PLEAT_WALK_DONE);
    /* On the net: 2.5 in x, 1.25 in y; on +x, depth 1.5 below the top and y 1.25: 0.25 over the edge into +y. There the
     * face +y hangs on the edge x = 1, y = 1: it goes on 0.25 inward from x = 1, at z = 1 - 1.5. */
    assert_near(support_position(&m, r.place), (pleat_vec4){0.75f, 1, -0.5f, 0}, 1e-6);
    pleat_vec4 expected = unit((pleat_vec4){-1, 0, -2, 0});
    assert_near(r.end_direction, expected, 1e-6);
    assert_near(r.end_vector, (pleat_vec4){0, 3, 0, 0}, 1e-6);
    support_mesh_free(&m);
}

/* ---- Cones ---- */

static void test_walk_through_an_apex_halves_the_angle(void **state)
{
    (void)state;
    for (uint32_t sides = 3; sides <= 12; ++sides)
    {
        support_mesh m = support_cone(sides, 0.9 * 2 * PI / sides);
        pleat_vec4 apex = m.positions[sides];
        /* Up the middle of side 0, 0.4 from the apex, then 0.3 beyond it. */
        pleat_place start = place_at(0, 0.6f, 0.2f, 0.2f);
        pleat_vec4 p = support_position(&m, start);
        pleat_vec4 d = {apex.x - p.x, apex.y - p.y, apex.z - p.z, 0};
        pleat_walk walk = walk_from(&m, start, d, (float)(support_distance(p, apex) + 0.3));
        pleat_walk_result r = pleat_walk_run(&walk);
        assert_int_equal(r.end, PLEAT_WALK_DONE);
        /* Half way round is the middle of a side for an even number of sides, else an edge. */
        double turn = 2 * PI * (0.5 / sides + 0.5);
        pleat_vec4 end = support_position(&m, r.place);
        assert_true(fabs(support_distance(end, apex) - 0.3) < 1e-6);
        double reached = atan2((double)end.y, (double)end.x);
        assert_true(fabs(remainder(reached - turn, 2 * PI)) < 1e-5);
        support_mesh_free(&m);
    }
}

/* Once round a cone by four chords: a vector carried along comes back turned by what is missing of a whole turn. */
static void test_walk_around_a_cone_turns_by_the_deficit(void **state)
{
    (void)state;
    static const double angles[] = {0.2, 0.35, 0.5};
    for (uint32_t i = 0; i < 3; ++i)
    {
        double beta = angles[i];
        support_mesh m = support_cone(12, beta);
        pleat_vec4 vector = {0, 0, 0, 0}, first = {0, 0, 0, 0};
        pleat_place place = place_at(0, 0.5f, 0.25f, 0.25f);
        double radius = 0.5 * cos(beta / 2), chord = 2 * radius * sin(1.5 * beta);
        for (uint32_t leg = 0; leg < 4; ++leg)
        {
            /* The chord of three sides leaves at this angle against the way to the apex. */
            pleat_vec4 p = support_position(&m, place), apex = m.positions[12];
            pleat_vec4 inward = unit((pleat_vec4){apex.x - p.x, apex.y - p.y, apex.z - p.z, 0});
            pleat_vec4 n = normal_of(&m, place.triangle);
            pleat_vec4 across = cross(inward, n); /* counter-clockwise about z */
            double angle = PI / 2 - 1.5 * beta;
            pleat_vec4 d = {(float)(cos(angle) * (double)inward.x + sin(angle) * (double)across.x),
                            (float)(cos(angle) * (double)inward.y + sin(angle) * (double)across.y),
                            (float)(cos(angle) * (double)inward.z + sin(angle) * (double)across.z), 0};
            if (leg == 0)
            {
                vector = first = inward;
            }
            pleat_walk walk = walk_from(&m, place, d, (float)chord);
            walk.vector = vector;
            pleat_walk_result r = pleat_walk_run(&walk);
            assert_int_equal(r.end, PLEAT_WALK_DONE);
            assert_int_equal(r.place.triangle, (leg * 3 + 3) % 12);
            assert_near(support_position(&m, r.place),
                        (pleat_vec4){(leg % 4 == 0 || leg % 4 == 2 ? -1.0f : 1.0f) * p.y,
                                     (leg % 4 == 0 || leg % 4 == 2 ? 1.0f : -1.0f) * p.x, p.z, 0},
                        leg % 2 == 0 ? 1e-5 : 10); /* a quarter turn each */
            vector = r.end_vector;
            place = r.place;
        }
        assert_near(support_position(&m, place), support_position(&m, place_at(0, 0.5f, 0.25f, 0.25f)), 1e-5);
        pleat_vec4 n = normal_of(&m, 0);
        double turned = atan2(dot(cross(first, vector), n), dot(first, vector));
        assert_true(fabs(dot(vector, n)) < 1e-5);
        assert_true(fabs(remainder(turned - (2 * PI - 12 * beta), 2 * PI)) < 2e-5);
        support_mesh_free(&m);
    }
}

/* ---- The sphere ---- */

static double worst_on_sphere(uint32_t rings, float length)
{
    support_mesh m = support_sphere(rings);
    uint32_t seed = 5;
    double worst = 0;
    for (uint32_t i = 0; i < 60; ++i)
    {
        pleat_place start = random_place(&m, &seed);
        pleat_vec4 p = unit(support_position(&m, start));
        pleat_vec4 d = {support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                        support_random_float(&seed, -1, 1), 0};
        float off = (float)dot(d, p);
        d = unit((pleat_vec4){d.x - off * p.x, d.y - off * p.y, d.z - off * p.z, 0});
        pleat_walk walk = walk_from(&m, start, d, length);
        pleat_walk_result r = pleat_walk_run(&walk);
        assert_int_equal(r.end, PLEAT_WALK_DONE);
        float c = cosf(length), s = sinf(length);
        pleat_vec4 expected = {c * p.x + s * d.x, c * p.y + s * d.y, c * p.z + s * d.z, 0};
        worst = fmax(worst, support_distance(support_position(&m, r.place), expected));
    }
    support_mesh_free(&m);
    return worst;
}

static void test_walk_on_a_sphere_follows_great_circles(void **state)
{
    (void)state;
    double coarse = worst_on_sphere(24, 1.5f), fine = worst_on_sphere(192, 1.5f);
    assert_true(coarse < 0.1);
    assert_true(fine < 0.012 && fine < coarse / 4);
}

/* ---- Invariants and ends ---- */

/* Back along the same path: ends where it began and brings the vector back as it was, over bumps too. */
static void test_walk_can_be_walked_back(void **state)
{
    (void)state;
    support_mesh m = support_plane(20, 0.24f);
    uint32_t seed = 8, beside = 0;
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        m.positions[v].z = support_random_float(&seed, -0.8f, 0.8f);
    }
    for (uint32_t i = 0; i < 2000; ++i)
    {
        pleat_place start = random_place(&m, &seed);
        pleat_vec4 d = {support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1), 0, 0};
        pleat_walk walk = walk_from(&m, start, d, 4);
        walk.vector = (pleat_vec4){support_random_float(&seed, -1, 1), 1, 2, 0};
        pleat_vec4 vector = walk.vector;
        pleat_walk_result r = pleat_walk_run(&walk);
        assert_valid(&m, &r);
        walk.start = r.place;
        walk.direction = (pleat_vec4){-r.end_direction.x, -r.end_direction.y, -r.end_direction.z, 0};
        walk.length = r.walked;
        walk.vector = r.end_vector;
        pleat_walk_result back = pleat_walk_run(&walk);
        if (support_distance(support_position(&m, back.place), support_position(&m, start)) > 1e-4 ||
            back.place.triangle != start.triangle)
        {
            ++beside; /* passed a vertex on the other side, within the rounding of the place in between */
            continue;
        }
        assert_near(back.end_vector, vector, 1e-4);
    }
    assert_true(beside <= 4);
    support_mesh_free(&m);
}

static void test_walk_lists_its_path(void **state)
{
    (void)state;
    support_mesh m = support_plane(10, 0.3f);
    pleat_place path[64];
    pleat_walk walk = walk_from(&m, place_at(0, 0.3f, 0.3f, 0.4f), (pleat_vec4){1, 0.8f, 0, 0}, 8);
    walk.path = path;
    walk.path_capacity = 64;
    pleat_walk_result r = pleat_walk_run(&walk);
    assert_int_equal(r.end, PLEAT_WALK_DONE);
    assert_true(r.path_count > 10);
    assert_memory_equal(&path[0], &walk.start, sizeof path[0]);
    assert_memory_equal(&path[r.path_count - 1], &r.place, sizeof path[0]);
    for (uint32_t k = 1; k + 1 < r.path_count; ++k)
    {
        const float *b = path[k].barycentric;
        assert_true(b[0] == 0 || b[1] == 0 || b[2] == 0);
    }
    /* Too little room: the path ends where the list does. */
    walk.path_capacity = 5;
    pleat_walk_result cut = pleat_walk_run(&walk);
    assert_int_equal(cut.end, PLEAT_WALK_FULL);
    assert_int_equal(cut.path_count, 5);
    assert_true(cut.walked < r.walked);
    walk.path_capacity = r.path_count;
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_DONE);
    walk.path_capacity = 0;
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_FULL);
    support_mesh_free(&m);
}

static void test_walk_stops_at_edges_it_cannot_cross(void **state)
{
    (void)state;
    /* Three triangles on one edge, x = 0. */
    support_mesh m = support_mesh_new(5, 3);
    support_mesh_point(&m, 0, 0, -1, 0);
    support_mesh_point(&m, 1, 0, 1, 0);
    support_mesh_point(&m, 2, -1, 0, 0);
    support_mesh_point(&m, 3, 1, 0, 0);
    support_mesh_point(&m, 4, 0, 0, 1);
    const uint32_t triangles[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    memcpy(m.triangles, triangles, sizeof triangles);
    support_mesh_finish(&m);
    pleat_walk walk = walk_from(&m, place_at(0, 0.25f, 0.25f, 0.5f), (pleat_vec4){1, 0, 0, 0}, 3);
    pleat_walk_result r = pleat_walk_run(&walk);
    assert_int_equal(r.end, PLEAT_WALK_BOUNDARY);
    assert_true(fabsf(r.walked - 0.5f) < 1e-6f);
    assert_near(support_position(&m, r.place), (pleat_vec4){0, 0, 0, 0}, 1e-6);
    support_mesh_free(&m);
}

static void test_walk_takes_bad_input(void **state)
{
    (void)state;
    support_mesh m = support_plane(4, 0);
    pleat_walk good = walk_from(&m, place_at(9, 0.3f, 0.3f, 0.4f), (pleat_vec4){1, 0, 0, 0}, 1);
    pleat_walk walk = good;
    walk.length = 0;
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_DONE);
    walk.length = -1;
    pleat_walk_result r = pleat_walk_run(&walk);
    assert_true(r.end == PLEAT_WALK_DONE && r.walked == 0);
    walk.length = NAN;
    assert_true(pleat_walk_run(&walk).walked == 0);
    walk.length = INFINITY;
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_STUCK);
    walk = good;
    walk.direction = (pleat_vec4){0, 0, 1, 0};
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_STUCK);
    walk.direction = (pleat_vec4){NAN, 0, 1, 0};
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_STUCK);
    walk = good;
    walk.start = place_at(9, NAN, -1, INFINITY);
    r = pleat_walk_run(&walk);
    assert_valid(&m, &r);
    walk.start = place_at(9999, 1, 0, 0);
    assert_int_equal(pleat_walk_run(&walk).end, PLEAT_WALK_STUCK);
    support_mesh_free(&m);
}

/* Vertices pulled together at random until many triangles have no area: no walk may hang or lose its numbers. */
static void test_walk_survives_slivers(void **state)
{
    (void)state;
    uint32_t seed = 99, whole = 0;
    for (uint32_t round = 0; round < 20; ++round)
    {
        support_mesh m = support_sphere(12);
        for (uint32_t i = 0; i < m.vertex_count * (round % 4) / 4; ++i)
        {
            uint32_t a = support_random(&seed) % m.vertex_count, b = support_random(&seed) % m.vertex_count;
            uint32_t near = m.triangles[support_random(&seed) % (m.triangle_count * 3)];
            m.positions[a] = round % 2 ? m.positions[near] : m.positions[b];
            if (i % 3 == 0)
            {
                m.positions[b].z = 0;
            }
        }
        for (uint32_t i = 0; i < 300; ++i)
        {
            pleat_place start = random_place(&m, &seed);
            if (i % 3 == 0)
            {
                start.barycentric[i / 3 % 3] = 0;
            }
            if (i % 5 == 0)
            {
                start = place_at(start.triangle, 0, 1, 0);
            }
            pleat_vec4 d = {support_random_float(&seed, -1, 1), support_random_float(&seed, -1, 1),
                            support_random_float(&seed, -1, 1), 0};
            pleat_walk walk = walk_from(&m, start, d, 20);
            pleat_walk_result r = pleat_walk_run(&walk);
            assert_valid(&m, &r);
            whole += r.end == PLEAT_WALK_DONE;
        }
        support_mesh_free(&m);
    }
    assert_true(whole > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_is_straight_in_a_plane),
        cmocka_unit_test(test_walk_passes_through_vertices),
        cmocka_unit_test(test_walk_on_a_tube_is_a_helix),
        cmocka_unit_test(test_walk_over_a_cube_is_straight_when_unfolded),
        cmocka_unit_test(test_walk_through_an_apex_halves_the_angle),
        cmocka_unit_test(test_walk_around_a_cone_turns_by_the_deficit),
        cmocka_unit_test(test_walk_on_a_sphere_follows_great_circles),
        cmocka_unit_test(test_walk_can_be_walked_back),
        cmocka_unit_test(test_walk_lists_its_path),
        cmocka_unit_test(test_walk_stops_at_edges_it_cannot_cross),
        cmocka_unit_test(test_walk_takes_bad_input),
        cmocka_unit_test(test_walk_survives_slivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
