/* The towel: hangs by its upper edge, which is drawn together a little, while a ball pushes it out from behind. Where
 * it hangs free of the ball it has more width than room. */
#include "make/cloth.h"

enum
{
    ACROSS = 19, /* vertices */
    DOWN = 25,
    FRAMES = 121,
    STEPS = 20
};

#define WIDTH 0.50
#define LENGTH 0.70
#define THICK 0.003
#define BALL 0.12

typedef struct room
{
    uint32_t frame;
    double passed;
    pl_v3 ball;
} room;

/* How far the push has come at a frame, 0 to 1: there, a rest, and back. */
static double push_at(double frame)
{
    return pl_smoothstep(4, 44, frame) - pl_smoothstep(70, 110, frame);
}

static pl_v3 ball_at(double frame)
{
    return v3(0, 0.36, -BALL - 0.03 + 0.24 * push_at(frame));
}

static void begin_frame(void *user, uint32_t frame, const pl_v3 *positions)
{
    room *r = user;
    (void)positions;
    r->frame = frame;
}

static void begin_step(void *user, double passed)
{
    room *r = user;
    r->passed = passed;
    r->ball = ball_at(r->frame + passed - 1);
}

static void touch(void *user, uint32_t vertex, pl_v3 *position, pl_v3 before)
{
    const room *r = user;
    (void)vertex;
    pl_v3 from_ball = v3_sub(*position, r->ball);
    double apart = v3_length(from_ball);
    if (apart < BALL + THICK)
    {
        pl_v3 normal = v3_scale(from_ball, 1 / fmax(apart, 1e-6));
        pl_v3 placed = v3_mad(r->ball, BALL + THICK, normal);
        pl_v3 slide = v3_sub(placed, before);
        slide = v3_mad(slide, -v3_dot(slide, normal), normal);
        *position = v3_mad(placed, -0.1, slide);
    }
}

/* The upper edge, drawn together by up to 18 %. */
static pl_v3 hold(void *user, uint32_t vertex)
{
    const room *r = user;
    double gather = 1 - 0.18 * push_at(r->frame + r->passed - 1);
    return v3(WIDTH * gather * ((double)(vertex % ACROSS) / (ACROSS - 1) - 0.5), LENGTH, 0);
}

static pleat_result make_cloth(pl_maker *maker, pleat_primitive *cloth, pl_v3 *rest, bool *held)
{
    const uint32_t vertex_count = ACROSS * DOWN, triangle_count = 2 * (ACROSS - 1) * (DOWN - 1);
    pleat_vec3 *positions, *normals;
    float *uvs;
    uint32_t *triangles;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(uvs, maker, keep, float, 2 * (size_t)vertex_count);
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 3 * (size_t)triangle_count);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        double u = (double)(v % ACROSS) / (ACROSS - 1), w = (double)(v / ACROSS) / (DOWN - 1);
        rest[v] = v3(WIDTH * (u - 0.5), LENGTH * (1 - w), 0);
        held[v] = v < ACROSS;
        positions[v] = v3_float(rest[v]);
        normals[v] = (pleat_vec3){0, 0, 1};
        uvs[2 * v] = (float)u;
        uvs[2 * v + 1] = (float)w;
    }
    uint32_t *corner = triangles;
    for (uint32_t j = 0; j + 1 < DOWN; ++j)
    {
        for (uint32_t i = 0; i + 1 < ACROSS; ++i)
        {
            uint32_t a = j * ACROSS + i, b = a + ACROSS;
            uint32_t even[6] = {a, b, b + 1, a, b + 1, a + 1}, odd[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(corner, (i + j) % 2 ? odd : even, sizeof even);
            corner += 6;
        }
    }
    *cloth = (pleat_primitive){.vertex_count = vertex_count,
                               .triangle_count = triangle_count,
                               .triangles = triangles,
                               .positions = positions,
                               .normals = normals,
                               .uvs = uvs,
                               .material = pl_maker_material(maker, "towel", 0.16, 0.38, 0.36, 0.95)};
    maker->materials[cloth->material].double_sided = true;
    return PLEAT_OK;
}

/* A ball of rings, on a node that the clip moves. */
static pleat_result make_ball(pl_maker *maker, uint32_t *node)
{
    enum
    {
        RINGS = 24,
        AROUND = 48
    };
    const uint32_t vertex_count = (RINGS + 1) * (AROUND + 1);
    pleat_primitive *primitive;
    pleat_vec3 *positions, *normals;
    uint32_t *triangles;
    PL_TRY(pl_maker_mesh(maker, "ball", PLEAT_NONE, 1, &primitive, node));
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 6 * RINGS * AROUND);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        double down = PL_PI * (v / (AROUND + 1)) / RINGS, turn = 2 * PL_PI * (v % (AROUND + 1) % AROUND) / AROUND;
        double flat = v / (AROUND + 1) == 0 || v / (AROUND + 1) == RINGS ? 0 : sin(down);
        pl_v3 normal = v3(flat * sin(turn), cos(down), flat * cos(turn));
        normals[v] = v3_float(normal);
        positions[v] = v3_float(v3_scale(normal, BALL));
    }
    uint32_t count = 0;
    for (uint32_t q = 0; q < RINGS * AROUND; ++q)
    {
        uint32_t ring = q / AROUND, a = ring * (AROUND + 1) + q % AROUND, b = a + AROUND + 1;
        uint32_t quad[6] = {a, b, b + 1, a, b + 1, a + 1};
        /* At the poles half of each quad has no area. */
        uint32_t take = ring == 0 || ring == RINGS - 1 ? 3 : 6;
        memcpy(&triangles[count], &quad[ring == RINGS - 1 ? 3 : 0], take * sizeof *quad);
        count += take;
    }
    *primitive = (pleat_primitive){.vertex_count = vertex_count,
                                   .triangle_count = count / 3,
                                   .triangles = triangles,
                                   .positions = positions,
                                   .normals = normals,
                                   .material = pl_maker_material(maker, "ball", 0.75, 0.72, 0.68, 0.40)};
    return PLEAT_OK;
}

pleat_result pl_make_towel(pl_maker *maker)
{
    const uint32_t vertex_count = ACROSS * DOWN;
    pl_v3 *rest;
    bool *held;
    room *r;
    pleat_primitive *cloth;
    uint32_t node, ball;
    PL_MAKE_NEW(rest, maker, scratch, pl_v3, vertex_count);
    PL_MAKE_NEW(held, maker, scratch, bool, vertex_count);
    PL_MAKE_NEW(r, maker, scratch, room, 1);
    PL_TRY(pl_maker_mesh(maker, "towel", PLEAT_NONE, 1, &cloth, &node));
    PL_TRY(make_cloth(maker, cloth, rest, held));
    PL_TRY(make_ball(maker, &ball));
    pl_cloth_desc desc = {.vertex_count = vertex_count,
                          .triangle_count = cloth->triangle_count,
                          .rest = rest,
                          .triangles = cloth->triangles,
                          .held = held,
                          .stretch = 1e-8,
                          .squeeze = 6e-5,
                          .bend = 2e-5,
                          .drag = 0.8,
                          .frame_count = FRAMES,
                          .step_count = STEPS,
                          .surroundings = {r, begin_frame, begin_step, touch, hold}};
    pleat_vec3 *frames;
    PL_TRY(pl_cloth_run(maker, &desc, &frames));
    pleat_clip *clip;
    pleat_channel *channels;
    float *times, *places;
    PL_TRY(pl_maker_clip(maker, "push", FRAMES, 2, &clip, &channels, &times));
    PL_TRY(pl_maker_channel(maker, &channels[1], ball, PLEAT_TRANSLATION, 3, FRAMES, times, &places));
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        pleat_vec3 place = v3_float(ball_at(f));
        memcpy(&places[3 * f], &place, sizeof place);
    }
    pleat_vec3 first = v3_float(ball_at(0));
    maker->nodes[ball].local.translation = (pleat_vec4){first.x, first.y, first.z, 0};
    pl_frames all = {FRAMES, times, frames, NULL};
    return pl_maker_frames(maker, node, clip, &channels[0], &all);
}
