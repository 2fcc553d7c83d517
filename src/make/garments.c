/* The dancer in a skirt and in a shirt: coarse cloth from a simulation, as an animation of its own. */
#include "make/cloth.h"

enum
{
    SETTLE = 36, /* frames from the rest pose into the clip's first */
    STEPS = 11,  /* of the simulation in a frame */
    SKIRT_AROUND = 60,
    SKIRT_ROWS = 15
};

#define SKIRT_TOP 1.045
#define SKIRT_LENGTH 0.40
#define GAP 0.009 /* between body and cloth: more than the leotard is off the skin */

/* Cloth as it is simulated, and the render vertices it is drawn with. */
typedef struct garment
{
    uint32_t vertex_count, render_count, triangle_count;
    pl_v3 *rest;
    bool *held;
    uint32_t *triangles;        /* of simulated vertices */
    uint32_t *render_triangles; /* of render vertices */
    uint32_t *source;           /* render vertex -> simulated vertex */
    float *uvs;                 /* of render vertices, by 2 */
} garment;

static pleat_result make_room(pl_maker *maker, garment *g)
{
    PL_MAKE_NEW(g->rest, maker, scratch, pl_v3, g->vertex_count);
    PL_MAKE_NEW(g->held, maker, scratch, bool, g->vertex_count);
    PL_MAKE_NEW(g->triangles, maker, scratch, uint32_t, 3 * (size_t)g->triangle_count);
    PL_MAKE_NEW(g->render_triangles, maker, keep, uint32_t, 3 * (size_t)g->triangle_count);
    PL_MAKE_NEW(g->source, maker, scratch, uint32_t, g->render_count);
    PL_MAKE_NEW(g->uvs, maker, keep, float, 2 * (size_t)g->render_count);
    return PLEAT_OK;
}

/* The point on a ray from the trunk's middle where the body is a gap away. */
static pl_v3 around_body(const pl_dancer *dancer, pl_v3 middle, pl_v3 way)
{
    double low = 0.02, high = 0.4;
    for (uint32_t i = 0; i < 40; ++i)
    {
        double t = (low + high) / 2;
        bool inside = pl_body_field(&dancer->body, v3_mad(middle, t, way)) < GAP;
        low = inside ? t : low;
        high = inside ? high : t;
    }
    return v3_mad(middle, high, way);
}

/* A flared skirt: straight from the waist at a slant, 35 degrees from the vertical, sewn at the back. */
static pleat_result cut_skirt(pl_maker *maker, const pl_dancer *dancer, garment *g)
{
    const uint32_t row = SKIRT_AROUND + 1;
    *g = (garment){.vertex_count = SKIRT_AROUND * SKIRT_ROWS,
                   .render_count = row * SKIRT_ROWS,
                   .triangle_count = 2 * SKIRT_AROUND * (SKIRT_ROWS - 1)};
    PL_TRY(make_room(maker, g));
    for (uint32_t r = 0; r < g->render_count; ++r)
    {
        uint32_t i = r % row, j = r / row;
        double angle = 2 * PL_PI * (i % SKIRT_AROUND) / SKIRT_AROUND;
        double along = SKIRT_LENGTH * j / (SKIRT_ROWS - 1), slant = pl_radians(35);
        pl_v3 out = v3(-sin(angle), 0, -cos(angle));
        pl_v3 waist = around_body(dancer, v3(0, SKIRT_TOP, 0), out);
        g->source[r] = j * SKIRT_AROUND + i % SKIRT_AROUND;
        g->rest[g->source[r]] = v3_add(waist, v3_add(v3_scale(out, along * sin(slant)), v3(0, -along * cos(slant), 0)));
        g->held[g->source[r]] = j == 0;
        g->uvs[2 * r] = (float)((double)i / SKIRT_AROUND);
        g->uvs[2 * r + 1] = (float)((double)j / (SKIRT_ROWS - 1));
    }
    uint32_t *corner = g->render_triangles;
    for (uint32_t j = 0; j + 1 < SKIRT_ROWS; ++j)
    {
        for (uint32_t i = 0; i < SKIRT_AROUND; ++i)
        {
            uint32_t a = j * row + i, b = a + row;
            uint32_t even[6] = {a, b, a + 1, a + 1, b, b + 1}, odd[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(corner, (i + j) % 2 ? odd : even, sizeof even);
            corner += 6;
        }
    }
    for (uint32_t c = 0; c < 3 * g->triangle_count; ++c)
    {
        g->triangles[c] = g->source[g->render_triangles[c]];
    }
    return PLEAT_OK;
}

static pleat_result add_mesh(pl_maker *maker, const garment *g, const char *name, uint32_t material, uint32_t *node)
{
    pleat_primitive *primitive;
    pleat_vec3 *positions, *normals, *welded;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, g->render_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, g->render_count);
    PL_MAKE_NEW(welded, maker, scratch, pleat_vec3, g->vertex_count);
    PL_TRY(pl_maker_mesh(maker, name, PLEAT_NONE, 1, &primitive, node));
    pleat_vec3 *rest;
    PL_MAKE_NEW(rest, maker, scratch, pleat_vec3, g->vertex_count);
    for (uint32_t v = 0; v < g->vertex_count; ++v)
    {
        rest[v] = v3_float(g->rest[v]);
    }
    pl_make_normals(g->vertex_count, rest, g->triangle_count, g->triangles, welded);
    for (uint32_t r = 0; r < g->render_count; ++r)
    {
        positions[r] = rest[g->source[r]];
        normals[r] = welded[g->source[r]];
    }
    *primitive = (pleat_primitive){.vertex_count = g->render_count,
                                   .triangle_count = g->triangle_count,
                                   .triangles = g->render_triangles,
                                   .positions = positions,
                                   .normals = normals,
                                   .uvs = g->uvs,
                                   .material = material};
    maker->materials[material].double_sided = true;
    return PLEAT_OK;
}

/* Runs the cloth on the dancer through the model's clip, and adds it as a mesh. */
static pleat_result dress(pl_maker *maker, const pl_dancer *dancer, const garment *g, const char *name,
                          uint32_t material)
{
    pleat_clip *clip = &maker->clips[0];
    uint32_t frame_count = clip->channels[0].key_count;
    uint32_t node;
    PL_TRY(add_mesh(maker, g, name, material, &node));
    pl_partner *partner;
    PL_TRY(pl_partner_create(maker, dancer, clip, SETTLE, g->vertex_count, g->rest, GAP, &partner));
    pl_cloth_desc desc = {.vertex_count = g->vertex_count,
                          .triangle_count = g->triangle_count,
                          .rest = g->rest,
                          .triangles = g->triangles,
                          .held = g->held,
                          .stretch = 1e-7,
                          .squeeze = 2e-4,
                          .bend = 2e-5,
                          .drag = 0.75,
                          .frame_count = frame_count,
                          .step_count = STEPS,
                          .settle_count = SETTLE,
                          .surroundings = pl_partner_surroundings(partner)};
    pleat_vec3 *simulated, *frames;
    PL_TRY(pl_cloth_run(maker, &desc, &simulated));
    PL_MAKE_NEW(frames, maker, keep, pleat_vec3, (size_t)frame_count * g->render_count);
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        for (uint32_t r = 0; r < g->render_count; ++r)
        {
            frames[(size_t)f * g->render_count + r] = simulated[(size_t)f * g->vertex_count + g->source[r]];
        }
    }
    pleat_channel *weights = (pleat_channel *)&clip->channels[clip->channel_count++];
    return pl_maker_frames(maker, node, clip, weights, clip->channels[0].times, frame_count, frames);
}

pleat_result pl_make_skirt(pl_maker *maker)
{
    pl_dancer *dancer;
    garment skirt;
    uint32_t first_node;
    PL_MAKE_NEW(dancer, maker, scratch, pl_dancer, 1);
    pl_dancer_init(dancer);
    PL_TRY(pl_dancer_meshes(maker, dancer, &first_node));
    PL_TRY(pl_dancer_clip_arabesque(maker, dancer, first_node));
    PL_TRY(cut_skirt(maker, dancer, &skirt));
    return dress(maker, dancer, &skirt, "skirt", pl_maker_material(maker, "skirt", 0.42, 0.10, 0.16, 0.80));
}

/* ---- The shirt ---- */

/* Loose: the body with room around it, more at the hem than at the shoulders. */
static double shirt_surface(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    double room = 0.014 + 0.026 * pl_smoothstep(1.38, 1.05, p.y);
    return pl_body_field(&dancer->body, p) - room;
}

static double above_sleeve_hem(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    pl_v3 d = v3_sub(p, dancer->arm.origin);
    double t = v3_dot(d, dancer->arm_axis);
    double apart = v3_length(v3_mad(d, -t, dancer->arm_axis));
    return apart < 0.12 ? t - 0.20 : -0.1;
}

static double above_hem(const void *user, pl_v3 p)
{
    (void)user;
    return 0.885 - p.y;
}

static double shirt_edges(const void *user, pl_v3 p)
{
    (void)user;
    (void)p;
    return 0.031;
}

static pleat_result cut_shirt(pl_maker *maker, const pl_dancer *dancer, garment *g)
{
    pl_remesh remesh = {.surface = {shirt_surface, dancer},
                        .curve_count = 3,
                        .curves = {{pl_dancer_below_neckline, dancer}, {above_sleeve_hem, dancer}, {above_hem, dancer}},
                        .edge_length = shirt_edges,
                        .rounds = 10};
    pl_patch patch;
    pl_whole whole;
    PL_TRY(pl_patch_polygonise(maker, &remesh.surface, v3(0, 0.80, -0.22), v3(0.45, 1.56, 0.26), 0.010, &patch));
    for (uint32_t k = 0; k < 3; ++k)
    {
        PL_TRY(pl_patch_cut(maker, &patch, k, &remesh.curves[k]));
    }
    PL_TRY(pl_patch_keep(maker, &patch, 7, 7));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    PL_TRY(pl_patch_mirror(maker, &patch, &whole));
    *g = (garment){
        .vertex_count = whole.vertex_count, .render_count = whole.vertex_count, .triangle_count = whole.triangle_count};
    PL_TRY(make_room(maker, g));
    memcpy(g->triangles, whole.triangles, 3 * sizeof(uint32_t) * whole.triangle_count);
    memcpy(g->render_triangles, whole.triangles, 3 * sizeof(uint32_t) * whole.triangle_count);
    for (uint32_t v = 0; v < whole.vertex_count; ++v)
    {
        pl_v3 p = whole.positions[v];
        g->rest[v] = p;
        g->source[v] = v;
        /* The collar's seams on the shoulders stay where they are. */
        g->held[v] = patch.bits[whole.source[v]] & 2 && p.y > 1.40;
        /* Front and back side by side. */
        g->uvs[2 * v] = (float)(0.5 + 0.5 * p.x / 0.45);
        g->uvs[2 * v + 1] = (float)((1.56 - p.y) / 0.76);
    }
    return PLEAT_OK;
}

pleat_result pl_make_shirt(pl_maker *maker)
{
    pl_dancer *dancer;
    garment shirt;
    uint32_t first_node;
    PL_MAKE_NEW(dancer, maker, scratch, pl_dancer, 1);
    pl_dancer_init(dancer);
    PL_TRY(pl_dancer_meshes(maker, dancer, &first_node));
    PL_TRY(pl_dancer_clip_twist(maker, dancer, first_node));
    PL_TRY(cut_shirt(maker, dancer, &shirt));
    return dress(maker, dancer, &shirt, "shirt", pl_maker_material(maker, "shirt", 0.62, 0.60, 0.55, 0.90));
}
