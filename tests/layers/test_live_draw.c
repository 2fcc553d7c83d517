/* Live wrinkles as a GPU draws them from the buffers, against the surface that the core describes, as a mesh: pixel by
 * pixel, on a closed body whose inside shows wherever there is a crack. */
#include "support/support.h"

#include "gpu/context.h"
#include "gpu/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    RINGS = 10,
    SIDES = 14,
    VERTICES = 2 + (RINGS - 1) * SIDES,
    TRIANGLES = 2 * SIDES * (RINGS - 1),
    LEVEL = 32,
    SIZE = 384,
    REFINED = TRIANGLES * LEVEL * LEVEL
};

#define WRINKLE 0.035f

/* A ball that is pressed flat: wrinkles run round it. */
typedef struct ball
{
    uint32_t triangles[3 * TRIANGLES];
    pleat_vec3 positions[VERTICES];
    pleat_vec4 places[VERTICES], normals[VERTICES];
    pleat_live *live;
} ball;

static uint32_t ring_vertex(uint32_t ring, uint32_t side)
{
    return ring == 0 ? 0 : ring == RINGS ? 1 : 2 + (ring - 1) * SIDES + side % SIDES;
}

static void make_triangles(uint32_t *out)
{
    for (uint32_t r = 0; r < RINGS; ++r)
    {
        for (uint32_t s = 0; s < SIDES; ++s)
        {
            uint32_t a = ring_vertex(r, s), b = ring_vertex(r + 1, s), c = ring_vertex(r + 1, s + 1);
            uint32_t d = ring_vertex(r, s + 1);
            if (r + 1 < RINGS)
            {
                memcpy(out, (uint32_t[3]){a, c, b}, 3 * sizeof *out);
                out += 3;
            }
            if (r > 0)
            {
                memcpy(out, (uint32_t[3]){a, d, c}, 3 * sizeof *out);
                out += 3;
            }
        }
    }
}

static void press(ball *b, float to)
{
    for (uint32_t r = 0; r <= RINGS; ++r)
    {
        for (uint32_t s = 0; s < SIDES; ++s)
        {
            float polar = 3.14159265f * (float)r / RINGS, turn = 6.2831853f * (float)s / SIDES;
            b->positions[ring_vertex(r, s)] =
                (pleat_vec3){0.5f * sinf(polar) * cosf(turn), 0.5f * to * cosf(polar), 0.5f * sinf(polar) * sinf(turn)};
        }
    }
}

static ball *make_ball(uint32_t side)
{
    ball *b = calloc(1, sizeof *b);
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_normals *smooth;
    make_triangles(b->triangles);
    desc.vertex_count = VERTICES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = b->triangles;
    desc.options.width = WRINKLE;
    desc.options.spacing = 1;
    desc.options.side = side;
    assert_int_equal(pleat_live_create(&desc, NULL, &b->live, NULL), PLEAT_OK);
    for (int f = 0; f < 40; ++f)
    {
        press(b, 1 - 0.4f * fminf((float)f / 25, 1));
        pleat_live_update(b->live, b->positions, f ? 1 / 30.0f : 0, NULL);
    }
    assert_true(pleat_live_last(b->live).wrinkles > 1);
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        b->places[v] = (pleat_vec4){b->positions[v].x, b->positions[v].y, b->positions[v].z, 0};
    }
    assert_int_equal(pleat_normals_create(VERTICES, TRIANGLES, b->triangles, b->triangles, NULL, &smooth, NULL),
                     PLEAT_OK);
    pleat_normals_update(smooth, b->places, b->normals, NULL);
    pleat_normals_destroy(smooth);
    return b;
}

static void drop_ball(ball *b)
{
    pleat_live_destroy(b->live);
    free(b);
}

/* ---- The same surface as a mesh, by the core ---- */

typedef struct mesh
{
    uint32_t count;
    uint32_t *triangles;
    pleat_vec4 *positions, *normals;
} mesh;

static pleat_vec4 mix(const pleat_vec4 *values, const uint32_t *corner, const float *share)
{
    pleat_vec4 out = {0};
    for (int k = 0; k < 3; ++k)
    {
        const pleat_vec4 *v = &values[corner[k]];
        out.x += share[k] * v->x;
        out.y += share[k] * v->y;
        out.z += share[k] * v->z;
    }
    return out;
}

static pleat_vec4 unit(pleat_vec4 v)
{
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    return (pleat_vec4){v.x / length, v.y / length, v.z / length, 0};
}

static void add_vertex(mesh *m, const ball *b, uint32_t triangle, int i, int j)
{
    pleat_place place = {triangle, {(float)(LEVEL - i - j) / LEVEL, (float)i / LEVEL, (float)j / LEVEL}};
    const uint32_t *corner = b->triangles + 3 * triangle;
    float height = pleat_live_height(b->live, &place, NULL);
    pleat_vec4 p = mix(b->places, corner, place.barycentric), n = unit(mix(b->normals, corner, place.barycentric));
    m->positions[m->count] = (pleat_vec4){p.x + n.x * height, p.y + n.y * height, p.z + n.z * height, 0};
    pleat_vec3 bent = pleat_live_normal(b->live, &place, (pleat_vec3){n.x, n.y, n.z});
    m->normals[m->count] = (pleat_vec4){bent.x, bent.y, bent.z, 0};
    m->triangles[m->count] = m->count;
    ++m->count;
}

static mesh refine(const ball *b)
{
    mesh m = {0, malloc(3 * REFINED * sizeof(uint32_t)), malloc(3 * REFINED * sizeof(pleat_vec4)),
              malloc(3 * REFINED * sizeof(pleat_vec4))};
    for (uint32_t t = 0; t < TRIANGLES; ++t)
    {
        for (int i = 0; i < LEVEL; ++i)
        {
            for (int j = 0; i + j < LEVEL; ++j)
            {
                add_vertex(&m, b, t, i, j);
                add_vertex(&m, b, t, i + 1, j);
                add_vertex(&m, b, t, i, j + 1);
                if (i + j + 1 < LEVEL)
                {
                    add_vertex(&m, b, t, i + 1, j);
                    add_vertex(&m, b, t, i + 1, j + 1);
                    add_vertex(&m, b, t, i, j + 1);
                }
            }
        }
    }
    return m;
}

static void drop_mesh(mesh *m)
{
    free(m->triangles);
    free(m->positions);
    free(m->normals);
}

/* ---- Pictures ---- */

static pl_context context;
static pl_context_saved saved;
static bool has_driver;

static int open_context(void **state)
{
    (void)state;
    pleat_error error = {0};
    GLuint color, depth, frame;
    has_driver =
        pl_context_open(&context, &error) == PLEAT_OK && pl_context_enter(&context, &saved, &error) == PLEAT_OK;
    if (!has_driver || epoxy_gl_version() < 43)
    {
        print_message("no pictures here: %s\n", error.message);
        has_driver = false;
        return 0;
    }
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(1, &color);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glViewport(0, 0, SIZE, SIZE);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE); /* so that a crack shows the background, not the inside */
    return 0;
}

static int close_context(void **state)
{
    (void)state;
    if (has_driver)
    {
        pl_context_leave(&context, &saved);
        pl_context_close(&context);
    }
    return 0;
}

/* From around and above, without perspective. */
static void draw(const pl_live_drawer *drawer, float around, float above, uint8_t *pixels)
{
    float c = cosf(around), s = sinf(around), u = cosf(above), w = sinf(above), scale = 1.7f;
    const float rows[3][3] = {{c, 0, -s}, {-w * s, u, -w * c}, {-u * s, -w, -u * c}};
    float view[16] = {0};
    for (int row = 0; row < 3; ++row)
    {
        for (int column = 0; column < 3; ++column)
        {
            view[4 * column + row] = rows[row][column] * (row < 2 ? scale : 0.5f);
        }
    }
    view[15] = 1;
    const float light[3] = {0.48f, 0.6f, 0.64f};
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    pl_live_drawer_draw(drawer, view, light);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

/* With tessellation edges are cut into pieces of 0.3 of a width: in smaller ones llvmpipe, which draws rubbish where
 * one call comes to 65,536 vertices, would have too many. */
static pl_live_drawer *make_drawer(uint32_t vertices, uint32_t triangles, const uint32_t *list, bool tessellate)
{
    pl_live_drawer_desc desc = {vertices, triangles, list, LEVEL, tessellate, 0.3f * WRINKLE};
    pl_live_drawer *drawer = NULL;
    pleat_error error = {0};
    if (pl_live_drawer_create(&desc, NULL, &drawer, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return drawer;
}

static bool is_background(const uint8_t *pixels, int x, int y)
{
    const uint8_t *p = pixels + 4 * (y * SIZE + x);
    return p[0] == 255 && p[1] == 0 && p[2] == 255;
}

/* Pixels that are inside of one picture's figure, with all that is around them, and not on the other's. */
static uint32_t count_holes(const uint8_t *figure, const uint8_t *pixels)
{
    uint32_t holes = 0;
    for (int y = 1; y + 1 < SIZE; ++y)
    {
        for (int x = 1; x + 1 < SIZE; ++x)
        {
            bool inside = true;
            for (int k = 0; k < 9; ++k)
            {
                inside = inside && !is_background(figure, x + k % 3 - 1, y + k / 3 - 1);
            }
            holes += inside && is_background(pixels, x, y);
        }
    }
    return holes;
}

/* The share of the figure's pixels that differ by more than so many of 255. */
static double differing(const uint8_t *a, const uint8_t *b, int by)
{
    uint32_t all = 0, differ = 0;
    for (int i = 0; i < SIZE * SIZE; ++i)
    {
        all += !is_background(a, i % SIZE, i / SIZE);
        differ += abs(a[4 * i] - b[4 * i]) > by || abs(a[4 * i + 1] - b[4 * i + 1]) > by;
    }
    return differ / (double)all;
}

static void check_views(uint32_t side, bool tessellate)
{
    static uint8_t patches[4 * SIZE * SIZE], whole[4 * SIZE * SIZE], plain[4 * SIZE * SIZE];
    ball *b = make_ball(side);
    mesh m = refine(b);
    pleat_live_buffers packed = pleat_live_packed(b->live), none = {0};
    pl_live_drawer *drawer = make_drawer(VERTICES, TRIANGLES, b->triangles, tessellate);
    pl_live_drawer *reference = make_drawer(m.count, m.count / 3, m.triangles, false);
    pl_live_drawer_update(reference, m.positions, m.normals, &none);
    for (int view = 0; view < 3; ++view)
    {
        float around = 1.7f * (float)view, above = 0.4f * (float)view - 0.7f;
        pl_live_drawer_update(drawer, b->places, b->normals, &none);
        draw(drawer, around, above, plain);
        pl_live_drawer_update(drawer, b->places, b->normals, &packed);
        draw(drawer, around, above, patches);
        draw(reference, around, above, whole);
        print_message("view %d: %.2f %% differ, %.2f %% from no wrinkles\n", view, 100 * differing(patches, whole, 6),
                      100 * differing(patches, plain, 6));
        assert_true(differing(patches, plain, 6) > 0.02); /* there is something to see */
        assert_true(differing(patches, whole, 6) < 0.02);
        assert_int_equal(count_holes(whole, patches), 0);
        if (side == PLEAT_LIVE_OUTWARD)
        {
            assert_int_equal(count_holes(plain, patches), 0);
        }
    }
    pl_live_drawer_destroy(drawer);
    pl_live_drawer_destroy(reference);
    drop_mesh(&m);
    drop_ball(b);
}

static void test_live_draw_outward(void **state)
{
    (void)state;
    if (!has_driver)
    {
        skip();
    }
    check_views(PLEAT_LIVE_OUTWARD, false);
}

static void test_live_draw_inward(void **state)
{
    (void)state;
    if (!has_driver)
    {
        skip();
    }
    check_views(PLEAT_LIVE_INWARD, false);
}

static void test_live_draw_tessellated(void **state)
{
    (void)state;
    if (!has_driver)
    {
        skip();
    }
    check_views(PLEAT_LIVE_OUTWARD, true);
    check_views(PLEAT_LIVE_INWARD, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_draw_outward),
        cmocka_unit_test(test_live_draw_inward),
        cmocka_unit_test(test_live_draw_tessellated),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
