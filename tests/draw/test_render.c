/* Pictures, judged by closed forms: the outline of a ball, the sRGB curve, projections done by hand. Small pictures,
 * since a software driver draws them. */
#include "support/support.h"

#include "pleat/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265358979

enum
{
    WIDTH = 160,
    HEIGHT = 120,
    RINGS = 48,
    SIDES = 96,
    BALL_VERTICES = (RINGS + 1) * (SIDES + 1),
    BALL_TRIANGLES = 2 * RINGS * SIDES
};

/* One for all tests: making a context and its shaders is the slow part. NULL where there is no driver. */
static pleat_renderer *shared;

static int open_shared(void **state)
{
    (void)state;
    pleat_renderer_options options = pleat_renderer_options_default();
    pleat_error error = {0};
    if (pleat_renderer_create(&options, NULL, &shared, &error) != PLEAT_OK)
    {
        print_message("no pictures here: %s\n", error.message);
        shared = NULL;
    }
    return 0;
}

static int close_shared(void **state)
{
    (void)state;
    pleat_renderer_destroy(shared);
    return 0;
}

#define NEED_DRIVER()                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!shared)                                                                                                   \
        {                                                                                                              \
            print_message("skipped: no driver\n");                                                                     \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* ---- Scenes by hand ---- */

typedef struct ball
{
    pleat_vec3 positions[BALL_VERTICES];
    pleat_vec3 normals[BALL_VERTICES];
    uint32_t triangles[3 * BALL_TRIANGLES];
} ball;

static ball the_ball;

static pleat_drawable make_ball(float x, float y, float z, float radius)
{
    for (int i = 0; i <= RINGS; ++i)
    {
        for (int k = 0; k <= SIDES; ++k)
        {
            double polar = PI * i / RINGS, turn = 2 * PI * k / SIDES;
            pleat_vec3 n = {(float)(sin(polar) * sin(turn)), (float)cos(polar), (float)(sin(polar) * cos(turn))};
            int at = i * (SIDES + 1) + k;
            the_ball.normals[at] = n;
            the_ball.positions[at] = (pleat_vec3){x + radius * n.x, y + radius * n.y, z + radius * n.z};
        }
    }
    uint32_t *t = the_ball.triangles;
    for (uint32_t i = 0; i < RINGS; ++i)
    {
        for (uint32_t k = 0; k < SIDES; ++k)
        {
            uint32_t a = i * (SIDES + 1) + k, b = a + SIDES + 1;
            const uint32_t two[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(t, two, sizeof two);
            t += 6;
        }
    }
    pleat_drawable d = pleat_drawable_default();
    d.vertex_count = BALL_VERTICES;
    d.triangle_count = BALL_TRIANGLES;
    d.positions = the_ball.positions;
    d.normals = the_ball.normals;
    d.triangles = the_ball.triangles;
    d.base_color[0] = d.base_color[1] = d.base_color[2] = 0.5f;
    d.roughness = 1;
    return d;
}

/* Light from everywhere alike, black behind: a surface then shows encode(base * light). */
static pleat_scene even_scene(float light)
{
    pleat_scene scene = pleat_scene_default();
    scene.studio.key.strength = scene.studio.fill.strength = scene.studio.rim.strength = 0;
    for (int c = 0; c < 3; ++c)
    {
        scene.studio.sky[c] = scene.studio.floor_light[c] = light;
    }
    scene.studio.exposure = 1;
    scene.studio.occlusion = 0;
    scene.studio.cavity = 0;
    scene.studio.ground = false;
    scene.studio.background_top = scene.studio.background_bottom = (pleat_rgba){0, 0, 0, 255};
    return scene;
}

static uint8_t buffer[4 * WIDTH * HEIGHT];
static const pleat_picture canvas = {WIDTH, HEIGHT, 4 * WIDTH, buffer};
static const pleat_camera front = {{0, 0, 4, 0}, {0, 0, 0, 0}, 30};

static const uint8_t *pixel(int x, int y)
{
    return buffer + 4 * (y * WIDTH + x);
}

static void draw(const pleat_scene *scene, const pleat_camera *camera)
{
    pleat_error error = {0};
    memset(buffer, 77, sizeof buffer);
    if (pleat_renderer_draw(shared, scene, camera, &canvas, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
}

static double encode(double linear)
{
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

static double decode(double byte)
{
    double c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
    {
        fail_msg("%g is not within %g of %g", value, tolerance, expected);
    }
}

/* ---- Defaults and rejections ---- */

static void test_render_defaults_draw_the_background(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = pleat_scene_default();
    draw(&scene, &front);
    const pleat_rgba top = scene.studio.background_top, bottom = scene.studio.background_bottom;
    for (int y = 0; y < HEIGHT; ++y)
    {
        for (int x = 0; x < WIDTH; ++x)
        {
            double t = 1 - (y + 0.5) / HEIGHT;
            assert_near(pixel(x, y)[0], bottom.r + (top.r - bottom.r) * t, 1.01);
            assert_near(pixel(x, y)[1], bottom.g + (top.g - bottom.g) * t, 1.01);
            assert_near(pixel(x, y)[2], bottom.b + (top.b - bottom.b) * t, 1.01);
            assert_int_equal(pixel(x, y)[3], 255);
        }
    }
}

static void reject(const pleat_scene *scene, const pleat_camera *camera, const pleat_picture *picture,
                   const char *words)
{
    pleat_error error = {0};
    assert_int_equal(pleat_renderer_draw(shared, scene, camera, picture, &error), PLEAT_BAD_ARGUMENT);
    if (!strstr(error.message, words))
    {
        fail_msg("'%s' does not speak of '%s'", error.message, words);
    }
}

static void test_render_rejects_bad_options(void **state)
{
    (void)state;
    pleat_renderer *renderer = (pleat_renderer *)&buffer;
    pleat_error error = {0};
    pleat_renderer_options options = pleat_renderer_options_default();
    options.samples = 3;
    assert_int_equal(pleat_renderer_create(&options, NULL, &renderer, &error), PLEAT_BAD_ARGUMENT);
    assert_null(renderer);
    assert_non_null(strstr(error.message, "samples is 3"));
    options = pleat_renderer_options_default();
    options.shadow_size = 9000;
    assert_int_equal(pleat_renderer_create(&options, NULL, &renderer, &error), PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "shadow_size is 9000"));
}

static void test_render_rejects_bad_pictures_and_cameras(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = pleat_scene_default();
    pleat_picture picture = canvas;
    picture.width = 0;
    reject(&scene, &front, &picture, "0 x 120 pixels");
    picture.width = 8193;
    picture.stride = 4 * 8193;
    reject(&scene, &front, &picture, "8193 x 120 pixels");
    picture = canvas;
    picture.stride = 4 * WIDTH - 1;
    reject(&scene, &front, &picture, "overlap");
    picture = canvas;
    picture.pixels = NULL;
    reject(&scene, &front, &picture, "no pixels");
    pleat_camera camera = front;
    camera.target = camera.eye;
    reject(&scene, &camera, &canvas, "apart");
    camera = front;
    camera.eye.x = NAN;
    reject(&scene, &camera, &canvas, "finite");
    camera = front;
    camera.field = 121;
    reject(&scene, &camera, &canvas, "field is 121");
}

static void test_render_rejects_bad_scenes(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = pleat_scene_default();
    pleat_drawable d = make_ball(0, 0, 0, 1);
    scene.drawable_count = 1;
    scene.drawables = &d;
    d.positions = NULL;
    reject(&scene, &front, &canvas, "no positions");
    d = make_ball(0, 0, 0, 1);
    the_ball.triangles[7] = BALL_VERTICES;
    reject(&scene, &front, &canvas, "triangle 2 uses vertex");
    d = make_ball(0, 0, 0, 1);
    the_ball.positions[9].y = NAN;
    reject(&scene, &front, &canvas, "vertex 9");
    d = make_ball(0, 0, 0, 1);
    d.roughness = NAN;
    reject(&scene, &front, &canvas, "roughness");
    d = make_ball(0, 0, 0, 1);
    scene.stretch_scale.low = 1;
    reject(&scene, &front, &canvas, "stretch scale");
    scene = pleat_scene_default();
    scene.studio.key.strength = -1;
    reject(&scene, &front, &canvas, "key light");
    scene = pleat_scene_default();
    scene.studio.occlusion_reach = 0;
    reject(&scene, &front, &canvas, "occlusion_reach");
    scene = pleat_scene_default();
    pleat_ellipse_drawable ellipse = {{0, 0, 0, 0}, {INFINITY, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 255}};
    scene.ellipse_count = 1;
    scene.ellipses = &ellipse;
    reject(&scene, &front, &canvas, "ellipse 0");
}

static pleat_result draw_with_host(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_renderer_options options = pleat_renderer_options_default();
    options.samples = 1;
    options.shadow_size = 64;
    pleat_renderer *renderer;
    pleat_result result = pleat_renderer_create(&options, host, &renderer, error);
    if (result == PLEAT_OK)
    {
        const pleat_picture small = {8, 8, 32, buffer};
        result = pleat_renderer_draw(renderer, user, &front, &small, error);
        pleat_renderer_destroy(renderer);
    }
    else
    {
        assert_null(renderer);
    }
    return result;
}

static void test_render_survives_failing_allocations(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = pleat_scene_default();
    static const pleat_vec3 positions[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    static const uint32_t triangles[3] = {0, 1, 2};
    pleat_drawable d = pleat_drawable_default();
    d.vertex_count = 3;
    d.triangle_count = 1;
    d.positions = positions;
    d.triangles = triangles;
    d.wireframe = true;
    scene.drawable_count = 1;
    scene.drawables = &d;
    support_sweep_allocations(draw_with_host, &scene);
}

/* ---- What is drawn ---- */

static void test_render_ball_has_its_outline_and_color(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = even_scene(0.5f);
    pleat_drawable d = make_ball(0, 0, 0, 0.8f);
    scene.drawable_count = 1;
    scene.drawables = &d;
    draw(&scene, &front);
    double expected = encode(0.25);
    assert_near(pixel(WIDTH / 2, HEIGHT / 2)[0], expected, 2);
    assert_near(pixel(WIDTH / 2 + 20, HEIGHT / 2 - 20)[1], expected, 2);
    assert_int_equal(pixel(0, 0)[0] + pixel(WIDTH - 1, HEIGHT - 1)[0], 0);

    /* Seen from distance D a ball of radius R is a disc of radius f R / sqrt(D^2 - R^2). */
    double covered = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
    {
        covered += buffer[4 * i] / expected;
    }
    double focal = 0.5 * HEIGHT / tan(15 * PI / 180);
    double radius = focal * 0.8 / sqrt(16 - 0.64);
    assert_near(covered / (PI * radius * radius), 1, 0.01);
}

static void test_render_light_fades_evenly_with_no_acne(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = even_scene(0);
    pleat_drawable d = make_ball(0, 0, 0, 0.8f);
    scene.drawable_count = 1;
    scene.drawables = &d;
    scene.studio.key = (pleat_light){0, 0, {1, 1, 1}, 1};
    draw(&scene, &front);
    for (int x = WIDTH / 2; x < WIDTH / 2 + 42; ++x)
    {
        assert_true(pixel(x + 1, HEIGHT / 2)[1] <= pixel(x, HEIGHT / 2)[1] + 1);
    }
    assert_true(pixel(WIDTH / 2, HEIGHT / 2)[1] > 170);

    /* A plane under low light: every pixel the same. */
    static const pleat_vec3 corners[4] = {{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}};
    static const pleat_vec3 up[4] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    d.vertex_count = 4;
    d.triangle_count = 2;
    d.positions = corners;
    d.normals = up;
    d.triangles = triangles;
    scene.studio.key = (pleat_light){35, 15, {1, 1, 1}, 2};
    const pleat_camera above = {{0, 5, 0.1f, 0}, {0, 0, 0, 0}, 40};
    draw(&scene, &above);
    int middle = pixel(WIDTH / 2, HEIGHT / 2)[1];
    assert_true(middle > 120);
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
    {
        assert_true(abs(buffer[4 * i + 1] - middle) <= 6); /* the highlight varies a little */
    }
}

static void test_render_shows_both_sides_only_if_asked(void **state)
{
    (void)state;
    NEED_DRIVER();
    static const pleat_vec3 positions[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    static const uint32_t towards[3] = {0, 1, 2}, away[3] = {0, 2, 1};
    pleat_scene scene = even_scene(0.5f);
    pleat_drawable d = pleat_drawable_default();
    d.vertex_count = 3;
    d.triangle_count = 1;
    d.positions = positions;
    scene.drawable_count = 1;
    scene.drawables = &d;
    for (int sides = 1; sides <= 2; ++sides)
    {
        d.double_sided = sides == 2;
        d.triangles = towards;
        draw(&scene, &front);
        assert_true(pixel(WIDTH / 2, HEIGHT / 2)[0] > 100);
        d.triangles = away;
        draw(&scene, &front);
        assert_int_equal(pixel(WIDTH / 2, HEIGHT / 2)[0] > 100, sides == 2);
    }
}

static void test_render_ground_is_dark_only_in_the_shadow(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = pleat_scene_default();
    pleat_drawable d = make_ball(0, 1, 0, 0.3f);
    scene.drawable_count = 1;
    scene.drawables = &d;
    scene.bounds = (pleat_bounds){{-1.5f, 0, -1.5f, 0}, {1.5f, 1.5f, 1.5f, 0}};
    scene.studio.key = (pleat_light){90, 45, {1, 1, 1}, 1}; /* from the right: the shadow falls 1 m to the left */
    scene.studio.background_top = scene.studio.background_bottom = (pleat_rgba){180, 180, 180, 255};
    const pleat_camera camera = {{0, 4, 4, 0}, {0, 0.5f, 0, 0}, 40};
    draw(&scene, &camera);
    /* Project (-1, 0, 0) and its mirror image by hand. */
    double dx = -1, forward[3] = {0, -3.5, -4}, length = sqrt(3.5 * 3.5 + 16);
    double depth = (-4 * forward[1] + -4 * forward[2]) / length;
    double up = (-4 * 4 + 4 * 3.5) / length;
    double focal = 0.5 * HEIGHT / tan(20 * PI / 180);
    int y = (int)(HEIGHT / 2 - focal * up / depth), x = (int)(focal * dx / depth);
    assert_true(pixel(WIDTH / 2 + x, y)[0] < 150);
    assert_near(pixel(WIDTH / 2 - x, y)[0], 180, 2);
    assert_int_equal(pixel(2, HEIGHT - 2)[0], 180);
    assert_int_equal(pixel(WIDTH - 3, 2)[0], 180);
}

static void test_render_colors_stretch_to_the_ends(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = even_scene(0.5f);
    pleat_drawable d = make_ball(0, 0, 0, 0.8f);
    static float stretches[BALL_VERTICES];
    d.stretches = stretches;
    scene.drawable_count = 1;
    scene.drawables = &d;
    const float values[] = {0.7f, 0.2f, 1.3f, 9.0f, 1.0f, 0.85f};
    for (int i = 0; i < 6; ++i)
    {
        for (int k = 0; k < BALL_VERTICES; ++k)
        {
            stretches[k] = values[i];
        }
        draw(&scene, &front);
        pleat_rgba color = pleat_stretch_color(&scene.stretch_scale, values[i]);
        assert_near(pixel(WIDTH / 2, HEIGHT / 2)[0], encode(0.5 * decode(color.r)), 4);
        assert_near(pixel(WIDTH / 2, HEIGHT / 2)[1], encode(0.5 * decode(color.g)), 4);
        assert_near(pixel(WIDTH / 2, HEIGHT / 2)[2], encode(0.5 * decode(color.b)), 4);
    }
    pleat_rgba low = pleat_stretch_color(&scene.stretch_scale, 0.7f);
    pleat_rgba high = pleat_stretch_color(&scene.stretch_scale, 1.3f);
    assert_true(low.b > low.r + 80 && high.r > high.b + 80);
}

/* A square before the camera, coordinates (0, 0) at its upper left. */
static pleat_drawable make_square(void)
{
    static const pleat_vec3 corners[4] = {{-0.8f, 0.8f, 0}, {-0.8f, -0.8f, 0}, {0.8f, -0.8f, 0}, {0.8f, 0.8f, 0}};
    static const pleat_vec3 normals[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const float uvs[8] = {0, 0, 0, 1, 1, 1, 1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    pleat_drawable d = pleat_drawable_default();
    d.vertex_count = 4;
    d.triangle_count = 2;
    d.positions = corners;
    d.normals = normals;
    d.uvs = uvs;
    d.triangles = triangles;
    d.base_color[0] = d.base_color[1] = d.base_color[2] = 1;
    return d;
}

/* Four texels of pure colours, a quarter of the square each; one of them is not there. */
static void test_render_paints_pictures_and_cuts_by_alpha(void **state)
{
    (void)state;
    NEED_DRIVER();
    static const uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 0};
    pleat_paint paint = {.width = 2, .height = 2, .pixels = texels, .nearest = true, .transform = {1, 0, 0, 0, 1, 0}};
    pleat_drawable d = make_square();
    d.paint = &paint;
    pleat_scene scene = even_scene(0.5f);
    scene.drawable_count = 1;
    scene.drawables = &d;
    draw(&scene, &front);
    const int left = WIDTH / 2 - 20, right = WIDTH / 2 + 20, top = HEIGHT / 2 - 20, bottom = HEIGHT / 2 + 20;
    assert_true(pixel(left, top)[0] > 100 && pixel(left, top)[1] < 30 && pixel(left, top)[2] < 30);
    assert_true(pixel(right, top)[1] > 100 && pixel(right, top)[0] < 30);
    assert_true(pixel(left, bottom)[2] > 100 && pixel(left, bottom)[0] < 30);
    assert_true(pixel(right, bottom)[0] > 100 && pixel(right, bottom)[2] > 100); /* opaque: alpha means nothing */
    d.cutoff = 0.5f;
    draw(&scene, &front);
    assert_true(pixel(left, top)[0] > 100);
    assert_int_equal(pixel(right, bottom)[0], 0);
    d.cutoff = 0, d.blends = true, d.base_alpha = 0.5f;
    draw(&scene, &front);
    int there = 0;
    for (int y = top - 8; y < top + 8; ++y)
    {
        for (int x = left - 8; x < left + 8; ++x)
        {
            there += pixel(x, y)[0] > 100;
        }
    }
    assert_in_range(there, 112, 144);                   /* half of 256 */
    paint.transform[0] = 0, paint.transform[2] = 0.75f; /* all of it from the right column */
    d.blends = false;
    draw(&scene, &front);
    assert_true(pixel(left, top)[1] > 100 && pixel(left, top)[0] < 30);
}

static void test_render_hides_curves_behind_surfaces(void **state)
{
    (void)state;
    NEED_DRIVER();
    pleat_scene scene = even_scene(0.5f);
    pleat_drawable d = make_ball(0, 0, 0, 0.5f);
    scene.drawable_count = 1;
    scene.drawables = &d;
    pleat_vec4 line[2] = {{-1, 0, 0.6f, 0}, {1, 0, 0.6f, 0}};
    pleat_curve_drawable curve = {2, line, false, 3, {255, 0, 0, 255}};
    scene.curve_count = 1;
    scene.curves = &curve;
    draw(&scene, &front);
    assert_true(pixel(WIDTH / 2, HEIGHT / 2)[0] > 240 && pixel(WIDTH / 2, HEIGHT / 2)[1] < 20);
    line[0].z = line[1].z = -0.6f;
    draw(&scene, &front);
    assert_near(pixel(WIDTH / 2, HEIGHT / 2)[1], encode(0.25), 2);
    assert_true(pixel(WIDTH / 2 + 40, HEIGHT / 2)[0] > 240); /* beside the ball it shows */

    /* An ellipse of half axes 0.3 and 0.15 in front; outside it nothing. */
    pleat_ellipse_drawable ellipse = {{0, 0, 0.7f, 0}, {0.3f, 0, 0, 0}, {0, 0.15f, 0, 0}, {0, 255, 0, 255}};
    scene.curve_count = 0;
    scene.ellipse_count = 1;
    scene.ellipses = &ellipse;
    draw(&scene, &front);
    assert_true(pixel(WIDTH / 2, HEIGHT / 2)[1] > pixel(WIDTH / 2, HEIGHT / 2)[0] + 40);
    assert_near(pixel(WIDTH / 2, HEIGHT / 2 - 18)[0], encode(0.25), 2);
    assert_true(pixel(WIDTH / 2 + 18, HEIGHT / 2)[1] > pixel(WIDTH / 2 + 18, HEIGHT / 2)[0] + 40);
}

/* Millimetres or kilometres: the same picture. */
static void test_render_does_not_depend_on_the_unit(void **state)
{
    (void)state;
    NEED_DRIVER();
    static uint8_t first[sizeof buffer];
    const float scales[] = {1, 1e-3f, 1e3f};
    for (int i = 0; i < 3; ++i)
    {
        pleat_scene scene = pleat_scene_default();
        pleat_drawable d = make_ball(0, scales[i], 0, 0.9f * scales[i]);
        scene.drawable_count = 1;
        scene.drawables = &d;
        pleat_bounds_add(&scene.bounds, BALL_VERTICES, the_ball.positions);
        pleat_view view = pleat_view_default();
        pleat_camera camera = pleat_camera_frame(&scene.bounds, &view, WIDTH, HEIGHT);
        draw(&scene, &camera);
        uint32_t different = 0;
        for (size_t k = 0; k < sizeof buffer && i > 0; ++k)
        {
            different += abs(buffer[k] - first[k]) > 3;
        }
        assert_true(different < 60); /* single pixels at edges may fall either way */
        if (i == 0)
        {
            memcpy(first, buffer, sizeof first);
        }
    }
}

/* ---- Cameras ---- */

static void test_render_camera_frames_the_box(void **state)
{
    (void)state;
    const pleat_bounds bounds = {{-0.4f, 0, -1.2f, 0}, {0.7f, 1.7f, 0.3f, 0}};
    for (int turn = 0; turn < 12; ++turn)
    {
        pleat_view view = pleat_view_default();
        view.orbit = (float)turn * 30;
        view.elevation = (float)(turn * 7 % 60) - 20;
        pleat_camera camera = pleat_camera_frame(&bounds, &view, 320, 180);
        double f[3] = {camera.target.x - camera.eye.x, camera.target.y - camera.eye.y, camera.target.z - camera.eye.z};
        double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        double side = sqrt(f[0] * f[0] + f[2] * f[2]);
        double right[3] = {-f[2] / side, 0, f[0] / side};
        double up[3] = {right[1] * f[2] / length - right[2] * f[1] / length,
                        right[2] * f[0] / length - right[0] * f[2] / length,
                        right[0] * f[1] / length - right[1] * f[0] / length};
        double tangent = tan(12 * PI / 180), most = 0;
        for (int i = 0; i < 8; ++i)
        {
            double p[3] = {(i & 1 ? bounds.high.x : bounds.low.x) - camera.eye.x,
                           (i & 2 ? bounds.high.y : bounds.low.y) - camera.eye.y,
                           (i & 4 ? bounds.high.z : bounds.low.z) - camera.eye.z};
            double z = (p[0] * f[0] + p[1] * f[1] + p[2] * f[2]) / length;
            assert_true(z > 0);
            double x = (p[0] * right[0] + p[2] * right[2]) / (z * tangent * 320 / 180);
            double y = (p[0] * up[0] + p[1] * up[1] + p[2] * up[2]) / (z * tangent);
            most = fmax(most, fmax(fabs(x), fabs(y)));
        }
        assert_near(most, 1 - 2 * 0.06, 1e-4); /* inside the margin, and touching it */
    }
}

static void test_render_camera_focuses_on_a_ball(void **state)
{
    (void)state;
    pleat_view view = pleat_view_default();
    view.margin = 0;
    const pleat_vec4 point = {0.3f, 1.2f, -0.1f, 0};
    pleat_camera camera = pleat_camera_focus(point, 0.25f, &view, 320, 180);
    double dx = camera.eye.x - point.x, dy = camera.eye.y - point.y, dz = camera.eye.z - point.z;
    /* The ball's tangent cone is the field. */
    assert_near(0.25 / sqrt(dx * dx + dy * dy + dz * dz), sin(12 * PI / 180), 1e-5);
    assert_near(dy / sqrt(dx * dx + dy * dy + dz * dz), sin(8 * PI / 180), 1e-5);
}

/* ---- Text and legend ---- */

static void test_render_text_stays_in_its_box(void **state)
{
    (void)state;
    memset(buffer, 0, sizeof buffer);
    pleat_picture_text(&canvas, 20, 60, 16, (pleat_rgba){255, 255, 255, 255}, "HX8");
    float width = pleat_text_width(16, "HX8");
    uint32_t inked = 0;
    for (int y = 0; y < HEIGHT; ++y)
    {
        for (int x = 0; x < WIDTH; ++x)
        {
            bool inside = x >= 18 && (float)x <= 22 + width && y >= 42 && y <= 62;
            assert_true(inside || pixel(x, y)[0] == 0);
            inked += pixel(x, y)[0] > 128;
        }
    }
    assert_true(inked > 80);
    assert_true(pixel(20, 50)[0] > 200 && pixel(26, 47)[0] == 0); /* H: its stem, and the gap beside it */
    assert_near(pleat_text_width(32, "abc"), 2 * pleat_text_width(16, "abc"), 1e-3);
    assert_near(pleat_text_width(16, ""), 0, 0);
}

/* Every character is drawn, and nothing outside a part of a picture is touched. */
static void test_render_text_is_cut_at_the_border(void **state)
{
    (void)state;
    memset(buffer, 9, sizeof buffer);
    pleat_picture part = pleat_picture_part(&canvas, 40, 30, 50, 40);
    assert_int_equal(part.width, 50);
    const pleat_rgba white = {255, 255, 255, 255};
    for (int c = 1; c < 256; ++c)
    {
        const char text[2] = {(char)c, 0};
        memset(buffer, 9, sizeof buffer);
        pleat_picture_text(&part, 20, 30, 20, white, text);
        assert_int_equal(memchr(buffer, 255, sizeof buffer) != NULL, c != ' ');
        pleat_picture_text(&part, -30, 5, 60, white, text);
        pleat_picture_text(&part, 30, 70, 60, white, text);
        for (int y = 0; y < HEIGHT; ++y)
        {
            for (int x = 0; x < WIDTH; ++x)
            {
                bool inside = x >= 40 && x < 90 && y >= 30 && y < 70;
                assert_true(inside || pixel(x, y)[0] == 9);
            }
        }
    }
    pleat_picture none = pleat_picture_part(&canvas, WIDTH, 0, 5, 5);
    assert_int_equal(none.width, 0);
    pleat_picture_label(&none, "nothing");
}

static bool has_color(pleat_rgba color)
{
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
    {
        if (memcmp(buffer + 4 * i, &color, 4) == 0)
        {
            return true;
        }
    }
    return false;
}

static void test_render_legend_shows_the_scale(void **state)
{
    (void)state;
    pleat_stretch_scale scale = pleat_stretch_scale_default();
    memset(buffer, 60, sizeof buffer);
    pleat_picture_legend(&canvas, &scale, "stretch");
    /* The bar's columns are the middles of equal steps; its own ends lie half a step inside the scale's. */
    float step = 0.6f / 128;
    assert_true(has_color(pleat_stretch_color(&scale, 0.7f + step / 2)));
    assert_true(has_color(pleat_stretch_color(&scale, 1.3f - step / 2)));
    assert_true(has_color((pleat_rgba){250, 250, 250, 255})); /* numbers */
    assert_int_equal(pixel(1, 1)[0], 60);
    memset(buffer, 60, sizeof buffer);
    pleat_picture tiny = pleat_picture_part(&canvas, 0, 0, 12, 9);
    pleat_picture_legend(&tiny, &scale, "stretch");
    pleat_picture_label(&tiny, "before");
    assert_int_equal(pixel(13, 10)[0], 60);
}

/* ---- The same picture every time ---- */

/* A picture with everything in it. */
static uint64_t hash_of_picture(void)
{
    pleat_scene scene = pleat_scene_default();
    pleat_drawable d[2] = {make_ball(0, 0.6f, 0, 0.6f), make_ball(0, 0.6f, 0, 0.6f)};
    d[0].shading = PLEAT_SHADING_CLOTH;
    d[0].triangle_count /= 2;
    d[1].shading = PLEAT_SHADING_SKIN;
    d[1].triangles += 3 * d[0].triangle_count;
    d[1].triangle_count /= 2;
    d[1].wireframe = true;
    pleat_vec4 line[3] = {{-1, 1, 0.6f, 0}, {0, 0.5f, 0.7f, 0}, {1, 1, 0.6f, 0}};
    pleat_curve_drawable curve = {3, line, true, 2, {255, 255, 0, 200}};
    scene.drawable_count = 2;
    scene.drawables = d;
    scene.curve_count = 1;
    scene.curves = &curve;
    pleat_bounds_add(&scene.bounds, BALL_VERTICES, the_ball.positions);
    pleat_view view = pleat_view_default();
    pleat_camera camera = pleat_camera_frame(&scene.bounds, &view, WIDTH, HEIGHT);
    draw(&scene, &camera);
    return support_hash(SUPPORT_HASH, buffer, sizeof buffer);
}

/* The hash that this program prints when it runs again with so many driver threads. */
static uint64_t hash_elsewhere(int threads)
{
    char command[600], path[512] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    snprintf(command, sizeof command, "LP_NUM_THREADS=%d '%s' hash", threads, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    unsigned long long hash = 0;
    assert_int_equal(fscanf(pipe, "%llx", &hash), 1);
    assert_int_equal(pclose(pipe), 0);
    return hash;
}

static void test_render_gives_the_same_picture_again(void **state)
{
    (void)state;
    NEED_DRIVER();
    uint64_t here = hash_of_picture();
    assert_int_equal(hash_of_picture(), here);
    assert_int_equal(hash_elsewhere(0), here);
    assert_int_equal(hash_elsewhere(1), here);
    assert_int_equal(hash_elsewhere(2), here);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "hash") == 0)
    {
        open_shared(NULL);
        if (!shared)
        {
            return 1;
        }
        printf("%llx\n", (unsigned long long)hash_of_picture());
        close_shared(NULL);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_render_defaults_draw_the_background),
        cmocka_unit_test(test_render_rejects_bad_options),
        cmocka_unit_test(test_render_rejects_bad_pictures_and_cameras),
        cmocka_unit_test(test_render_rejects_bad_scenes),
        cmocka_unit_test(test_render_survives_failing_allocations),
        cmocka_unit_test(test_render_ball_has_its_outline_and_color),
        cmocka_unit_test(test_render_light_fades_evenly_with_no_acne),
        cmocka_unit_test(test_render_shows_both_sides_only_if_asked),
        cmocka_unit_test(test_render_ground_is_dark_only_in_the_shadow),
        cmocka_unit_test(test_render_colors_stretch_to_the_ends),
        cmocka_unit_test(test_render_paints_pictures_and_cuts_by_alpha),
        cmocka_unit_test(test_render_hides_curves_behind_surfaces),
        cmocka_unit_test(test_render_does_not_depend_on_the_unit),
        cmocka_unit_test(test_render_camera_frames_the_box),
        cmocka_unit_test(test_render_camera_focuses_on_a_ball),
        cmocka_unit_test(test_render_text_stays_in_its_box),
        cmocka_unit_test(test_render_text_is_cut_at_the_border),
        cmocka_unit_test(test_render_legend_shows_the_scale),
        cmocka_unit_test(test_render_gives_the_same_picture_again),
    };
    return cmocka_run_group_tests_name("render", tests, open_shared, close_shared);
}
