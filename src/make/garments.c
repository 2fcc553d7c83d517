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

/* Cloth as it is simulated, and the primitive it is drawn with. */
typedef struct garment
{
    pl_skinned surface; /* its whole is what is simulated */
    bool *held;
    uint32_t *source; /* render vertex -> simulated vertex */
    pleat_primitive primitive;
} garment;

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

static pleat_result make_room(pl_maker *maker, garment *g, uint32_t vertex_count, uint32_t triangle_count)
{
    pl_whole *whole = &g->surface.whole;
    whole->vertex_count = vertex_count;
    whole->triangle_count = triangle_count;
    PL_MAKE_NEW(whole->positions, maker, scratch, pl_v3, vertex_count);
    PL_MAKE_NEW(whole->source, maker, scratch, uint32_t, vertex_count);
    PL_MAKE_NEW(whole->triangles, maker, scratch, uint32_t, 3 * (size_t)triangle_count);
    PL_MAKE_NEW(whole->regions, maker, scratch, uint8_t, triangle_count);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        whole->source[v] = v;
    }
    return PLEAT_OK;
}

/* Normals and the primitive, once the surface and its texture coordinates are there. */
static pleat_result finish(pl_maker *maker, garment *g, uint32_t material)
{
    PL_MAKE_NEW(g->surface.normals, maker, scratch, pl_v3, g->surface.whole.vertex_count);
    pl_skinned_normals(&g->surface);
    maker->materials[material].double_sided = true;
    return pl_skinned_primitive(maker, &g->surface, 0, 0, material, &g->primitive, &g->source);
}

/* A flared skirt: straight from the waist at a slant, 35 degrees from the vertical, sewn at the back. */
static pleat_result cut_skirt(pl_maker *maker, const pl_dancer *dancer, garment *g)
{
    pl_whole *whole = &g->surface.whole;
    PL_TRY(make_room(maker, g, SKIRT_AROUND * SKIRT_ROWS, 2 * SKIRT_AROUND * (SKIRT_ROWS - 1)));
    PL_MAKE_NEW(g->held, maker, scratch, bool, whole->vertex_count);
    PL_MAKE_NEW(g->surface.uvs, maker, scratch, float, 6 * (size_t)whole->triangle_count);
    for (uint32_t v = 0; v < whole->vertex_count; ++v)
    {
        uint32_t i = v % SKIRT_AROUND, j = v / SKIRT_AROUND;
        double angle = 2 * PL_PI * i / SKIRT_AROUND, slant = pl_radians(35);
        double along = SKIRT_LENGTH * j / (SKIRT_ROWS - 1);
        pl_v3 out = v3(-sin(angle), 0, -cos(angle));
        pl_v3 waist = around_body(dancer, v3(0, SKIRT_TOP, 0), out);
        whole->positions[v] =
            v3_add(waist, v3(out.x * along * sin(slant), -along * cos(slant), out.z * along * sin(slant)));
        g->held[v] = j == 0;
    }
    uint32_t corner = 0;
    for (uint32_t q = 0; q < SKIRT_AROUND * (SKIRT_ROWS - 1); ++q)
    {
        uint32_t i = q % SKIRT_AROUND, j = q / SKIRT_AROUND;
        /* Corners of the quad by column and row; diagonals alternate. */
        static const uint32_t even[6][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 0}, {0, 1}, {1, 1}};
        static const uint32_t odd[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}};
        for (uint32_t k = 0; k < 6; ++k, ++corner)
        {
            const uint32_t *step = (i + j) % 2 ? odd[k] : even[k];
            uint32_t column = i + step[0], row = j + step[1];
            whole->triangles[corner] = row * SKIRT_AROUND + column % SKIRT_AROUND;
            g->surface.uvs[2 * corner] = (float)((double)column / SKIRT_AROUND);
            g->surface.uvs[2 * corner + 1] = (float)((double)row / (SKIRT_ROWS - 1));
        }
    }
    return finish(maker, g, pl_maker_material(maker, "skirt", 0.42, 0.10, 0.16, 0.80));
}

/* Runs the cloth on the dancer through the model's clip, and adds it as a mesh. */
static pleat_result dress(pl_maker *maker, const pl_dancer *dancer, const garment *g, const char *name)
{
    const pl_whole *whole = &g->surface.whole;
    pleat_clip *clip = &maker->clips[0];
    uint32_t frame_count = clip->channels[0].key_count, render_count = g->primitive.vertex_count;
    uint32_t node;
    pleat_primitive *primitive;
    PL_TRY(pl_maker_mesh(maker, name, PLEAT_NONE, 1, &primitive, &node));
    *primitive = g->primitive;
    pl_partner *partner;
    PL_TRY(pl_partner_create(maker, dancer, clip, SETTLE, whole->vertex_count, whole->positions, GAP, &partner));
    pl_cloth_desc desc = {.vertex_count = whole->vertex_count,
                          .triangle_count = whole->triangle_count,
                          .rest = whole->positions,
                          .triangles = whole->triangles,
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
    PL_MAKE_NEW(frames, maker, keep, pleat_vec3, (size_t)frame_count * render_count);
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        for (uint32_t r = 0; r < render_count; ++r)
        {
            frames[(size_t)f * render_count + r] = simulated[(size_t)f * whole->vertex_count + g->source[r]];
        }
    }
    pleat_channel *weights = (pleat_channel *)&clip->channels[clip->channel_count++];
    pl_frames all = {frame_count, clip->channels[0].times, frames, g->source};
    return pl_maker_frames(maker, node, clip, weights, &all);
}

pleat_result pl_make_skirt(pl_maker *maker)
{
    pl_dancer *dancer;
    garment skirt = {0};
    uint32_t first_node;
    PL_MAKE_NEW(dancer, maker, scratch, pl_dancer, 1);
    pl_dancer_init(dancer);
    PL_TRY(pl_dancer_meshes(maker, dancer, &first_node));
    PL_TRY(pl_dancer_clip_arabesque(maker, dancer, first_node));
    PL_TRY(cut_skirt(maker, dancer, &skirt));
    return dress(maker, dancer, &skirt, "skirt");
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
    pl_whole *whole = &g->surface.whole;
    PL_TRY(pl_patch_polygonise(maker, &remesh.surface, v3(0, 0.80, -0.22), v3(0.45, 1.56, 0.26), 0.010, &patch));
    for (uint32_t k = 0; k < 3; ++k)
    {
        PL_TRY(pl_patch_cut(maker, &patch, k, &remesh.curves[k]));
    }
    PL_TRY(pl_patch_keep(maker, &patch, 7, 7));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    PL_TRY(pl_patch_mirror(maker, &patch, whole));
    PL_MAKE_NEW(g->held, maker, scratch, bool, whole->vertex_count);
    for (uint32_t v = 0; v < whole->vertex_count; ++v)
    {
        /* The collar's seams on the shoulders stay where they are. */
        g->held[v] = patch.bits[whole->source[v]] & 2 && whole->positions[v].y > 1.40;
    }
    pl_chart charts[PL_DANCER_CHARTS];
    pl_dancer_shirt_charts(dancer, charts);
    PL_TRY(pl_skinned_charts(maker, &g->surface, charts, pl_dancer_chart_of, dancer));
    return finish(maker, g, pl_maker_material(maker, "shirt", 0.62, 0.60, 0.55, 0.90));
}

pleat_result pl_make_shirt(pl_maker *maker)
{
    pl_dancer *dancer;
    garment shirt = {0};
    uint32_t first_node;
    PL_MAKE_NEW(dancer, maker, scratch, pl_dancer, 1);
    pl_dancer_init(dancer);
    PL_TRY(pl_dancer_meshes(maker, dancer, &first_node));
    PL_TRY(pl_dancer_clip_twist(maker, dancer, first_node));
    PL_TRY(cut_shirt(maker, dancer, &shirt));
    return dress(maker, dancer, &shirt, "shirt");
}
