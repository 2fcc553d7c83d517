/* The dancer: one polygonised body, from which skin, leotard and tights are cut and remeshed each to its own needs. */
#include "make/dancer/dancer.h"
#include "make/skinned.h"

#define CELL 0.005           /* of the raw surface */
#define LEOTARD_OFFSET 0.003 /* from the body */
#define TIGHTS_OFFSET 0.002
#define OVERLAP 0.018 /* how far the tights go under the leotard */
#define SINK 0.006    /* how far skin lies below the body under a garment, so that it never shows through */

/* Regions of the skin, by curve. */
enum
{
    HAIR = 1,
    SLIPPER = 2,
    LIPS = 4
};

static double distance_to(pl_v3 p, pl_v3 a, pl_v3 b)
{
    pl_v3 axis = v3_sub(b, a);
    double t = pl_clamp(v3_dot(v3_sub(p, a), axis) / v3_dot(axis, axis), 0, 1);
    return v3_distance(p, v3_mad(a, t, axis));
}

/* Fine in the face and at the hands, middling where skin shows, coarse under the garments. */
static double skin_edges(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    double length = 0.034;
    double hand = distance_to(p, dancer->joints[PL_HAND], dancer->joints[PL_FINGERS]);
    double foot = distance_to(p, dancer->joints[PL_FOOT], dancer->joints[PL_TOES]);
    double face = v3_distance(p, v3(0, 1.562, 0.085)), eye = v3_distance(p, v3(0.031, 1.592, 0.080));
    double head = v3_distance(p, v3(0, 1.590, 0));
    length = fmin(length, 0.0080 + 0.12 * fmax(hand - 0.055, 0));
    length = fmin(length, 0.0050 + 0.14 * fmax(face - 0.045, 0));
    length = fmin(length, 0.0038 + 0.14 * fmax(eye - 0.020, 0));
    length = fmin(length, 0.0160 + 0.12 * fmax(head - 0.120, 0));
    return fmin(length, 0.0170 + 0.12 * fmax(foot - 0.08, 0));
}

/* For cutting out brows and lashes, which are finer than the raw surface. */
static double face_edges(const void *user, pl_v3 p)
{
    double line = fabs(pl_dancer_brow(user, p));
    return p.z > 0.03 && p.y > 1.56 && p.y < 1.63 ? 0.0012 + 0.5 * line : 0.05;
}

static double leotard_edges(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    double arm = distance_to(p, dancer->joints[PL_UPPER_ARM], dancer->joints[PL_HAND]);
    return 0.015 + 0.08 * pl_clamp(arm - 0.06, 0, 0.06);
}

static double tights_edges(const void *user, pl_v3 p)
{
    (void)user;
    return 0.016 + 0.004 * pl_smoothstep(0.20, 0.60, p.y);
}

static double below_leg_line(const void *user, pl_v3 p)
{
    return -pl_dancer_above_leg_line(user, p) - OVERLAP;
}

static double above_slipper(const void *user, pl_v3 p)
{
    return -pl_dancer_slipper(user, p);
}

/* How deep under a garment a place on the body is, in metres along the surface; negative where skin shows. */
static double covered(const pl_dancer *dancer, pl_v3 p)
{
    double neck = -pl_dancer_below_neckline(dancer, p), cuff = -pl_dancer_above_cuff(dancer, p);
    double leg = -pl_dancer_above_leg_line(dancer, p), slipper = pl_dancer_slipper(dancer, p);
    double leotard = fmin(fmin(neck, cuff), leg);
    double tights = p.x < 0.3 ? fmin(OVERLAP - leg, slipper) : -1; /* not the hands beside the hips */
    return fmax(leotard, tights);
}

/* Between the legs, where a bend folds everything over, layers keep more apart. */
static double between_legs(pl_v3 p)
{
    return pl_smoothstep(0.065, 0.020, fabs(p.x)) * pl_smoothstep(0.880, 0.820, p.y) * pl_smoothstep(0.740, 0.780, p.y);
}

static void sink_skin(const pl_dancer *dancer, pl_skinned *skin)
{
    for (uint32_t v = 0; v < skin->whole.vertex_count; ++v)
    {
        pl_v3 p = skin->whole.positions[v];
        pl_v3 q = v3(fabs(p.x), p.y, p.z);
        double depth = SINK * (1 + 1.5 * between_legs(q)) * pl_smoothstep(0.002, 0.018, covered(dancer, q));
        double shoe = 0.0025 * pl_smoothstep(0, -0.004, pl_dancer_slipper(dancer, q));
        skin->whole.positions[v] = v3_mad(p, shoe - depth, skin->normals[v]);
    }
    pl_skinned_normals(skin);
}

/* The leotard's borders lie closer than its middle: elastic. */
static void press_leotard(const pl_dancer *dancer, pl_skinned *leotard)
{
    for (uint32_t v = 0; v < leotard->whole.vertex_count; ++v)
    {
        pl_v3 p = leotard->whole.positions[v];
        pl_v3 q = v3(fabs(p.x), p.y, p.z);
        double border = fmax(pl_dancer_below_neckline(dancer, q), pl_dancer_above_cuff(dancer, q));
        double depth = 0.0018 * pl_smoothstep(-0.014, 0, border);
        leotard->whole.positions[v] = v3_mad(p, -depth, leotard->normals[v]);
    }
    pl_skinned_normals(leotard);
}

/* The tights' upper edge goes under the leotard. */
static void tuck_tights(const pl_dancer *dancer, pl_skinned *tights)
{
    for (uint32_t v = 0; v < tights->whole.vertex_count; ++v)
    {
        pl_v3 p = tights->whole.positions[v];
        double under = -pl_dancer_above_leg_line(dancer, p);
        double depth =
            0.004 * pl_smoothstep(0, OVERLAP, under) + 0.006 * between_legs(p) * pl_smoothstep(0.002, 0.014, under);
        tights->whole.positions[v] = v3_mad(p, -depth, tights->normals[v]);
    }
    pl_skinned_normals(tights);
}

static void weights_at(const void *user, pl_v3 p, double *weights)
{
    pl_dancer_weights(user, p, weights);
}

static pl_skinned_desc skinned_desc(const pl_dancer *dancer)
{
    return (pl_skinned_desc){.joint_count = PL_DANCER_JOINTS,
                             .left = PL_LEFT,
                             .side = PL_SIDE,
                             .weights_at = weights_at,
                             .weights_user = dancer};
}

static pleat_result make_skin(pl_maker *maker, const pl_dancer *dancer, const pl_patch *raw)
{
    pl_remesh remesh = {.surface = {pl_body_field, &dancer->body},
                        .curve_count = 3,
                        .curves = {{pl_dancer_hair, dancer}, {pl_dancer_slipper, dancer}, {pl_dancer_lips, dancer}},
                        .edge_length = skin_edges,
                        .edge_user = dancer,
                        .rounds = 8};
    pl_patch patch;
    PL_TRY(pl_patch_copy(maker, raw, &patch));
    pl_remesh refine = remesh;
    refine.curve_count = 0;
    refine.edge_length = face_edges;
    refine.rounds = 5;
    PL_TRY(pl_patch_refine(maker, &patch, &refine));
    for (uint32_t k = 0; k < remesh.curve_count; ++k)
    {
        PL_TRY(pl_patch_cut(maker, &patch, k, &remesh.curves[k]));
    }
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    pl_skinned skin;
    pl_skinned_desc desc = skinned_desc(dancer);
    PL_TRY(pl_skinned_make(maker, &patch, &desc, &skin));
    sink_skin(dancer, &skin);
    pl_chart charts[PL_DANCER_CHARTS];
    pl_dancer_skin_charts(dancer, charts);
    PL_TRY(pl_skinned_charts(maker, &skin, charts, pl_dancer_chart_of, dancer));
    static const uint8_t regions[4] = {0, HAIR, SLIPPER, LIPS};
    const uint32_t materials[4] = {pl_maker_material(maker, "skin", 0.78, 0.50, 0.38, 0.55),
                                   pl_maker_material(maker, "hair", 0.055, 0.028, 0.018, 0.50),
                                   pl_maker_material(maker, "slippers", 0.76, 0.47, 0.45, 0.45),
                                   pl_maker_material(maker, "lips", 0.62, 0.26, 0.23, 0.45)};
    pleat_primitive *primitives;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "skin", PLEAT_NONE, 4, &primitives, &node));
    maker->nodes[node].skin = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        PL_TRY(
            pl_skinned_primitive(maker, &skin, HAIR | SLIPPER | LIPS, regions[i], materials[i], &primitives[i], NULL));
    }
    return PLEAT_OK;
}

static pleat_result make_leotard(pl_maker *maker, const pl_dancer *dancer, const pl_patch *raw)
{
    pl_remesh remesh = {.surface = {pl_body_field, &dancer->body},
                        .offset = LEOTARD_OFFSET,
                        .curve_count = 3,
                        .curves = {{pl_dancer_below_neckline, dancer},
                                   {pl_dancer_above_cuff, dancer},
                                   {pl_dancer_above_leg_line, dancer}},
                        .edge_length = leotard_edges,
                        .edge_user = dancer,
                        .rounds = 8};
    pl_patch patch;
    PL_TRY(pl_patch_copy(maker, raw, &patch));
    for (uint32_t k = 0; k < 3; ++k)
    {
        PL_TRY(pl_patch_cut(maker, &patch, k, &remesh.curves[k]));
    }
    PL_TRY(pl_patch_keep(maker, &patch, 7, 7));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    pl_skinned leotard;
    pl_skinned_desc desc = skinned_desc(dancer);
    PL_TRY(pl_skinned_make(maker, &patch, &desc, &leotard));
    press_leotard(dancer, &leotard);
    pl_chart charts[PL_DANCER_CHARTS];
    pl_dancer_leotard_charts(dancer, charts);
    PL_TRY(pl_skinned_charts(maker, &leotard, charts, pl_dancer_chart_of, dancer));
    uint32_t colour = pl_maker_material(maker, "leotard", 0.055, 0.10, 0.24, 0.75);
    maker->materials[colour].double_sided = true;
    pleat_primitive *primitive;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "leotard", PLEAT_NONE, 1, &primitive, &node));
    maker->nodes[node].skin = 0;
    return pl_skinned_primitive(maker, &leotard, 0, 0, colour, primitive, NULL);
}

static pleat_result make_tights(pl_maker *maker, const pl_dancer *dancer, const pl_patch *raw)
{
    pl_remesh remesh = {.surface = {pl_body_field, &dancer->body},
                        .offset = TIGHTS_OFFSET,
                        .curve_count = 2,
                        .curves = {{below_leg_line, dancer}, {above_slipper, dancer}},
                        .edge_length = tights_edges,
                        .edge_user = dancer,
                        .rounds = 8};
    pl_patch patch;
    PL_TRY(pl_patch_copy(maker, raw, &patch));
    PL_TRY(pl_patch_cut(maker, &patch, 0, &remesh.curves[0]));
    PL_TRY(pl_patch_cut(maker, &patch, 1, &remesh.curves[1]));
    /* The line around the hips also meets the hands: they are no part of it. */
    for (uint32_t t = 0; t < patch.triangle_count; ++t)
    {
        pl_v3 p = patch.positions[patch.triangles[3 * t]];
        patch.regions[t] = p.x > 0.30 ? 0 : patch.regions[t];
    }
    PL_TRY(pl_patch_keep(maker, &patch, 3, 3));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    pl_skinned tights;
    pl_skinned_desc desc = skinned_desc(dancer);
    PL_TRY(pl_skinned_make(maker, &patch, &desc, &tights));
    tuck_tights(dancer, &tights);
    pl_chart charts[PL_DANCER_CHARTS];
    pl_dancer_tights_charts(dancer, charts);
    PL_TRY(pl_skinned_charts(maker, &tights, charts, pl_dancer_tights_chart_of, dancer));
    uint32_t colour = pl_maker_material(maker, "tights", 0.78, 0.52, 0.50, 0.70);
    maker->materials[colour].double_sided = true;
    pleat_primitive *primitive;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "tights", PLEAT_NONE, 1, &primitive, &node));
    maker->nodes[node].skin = 0;
    return pl_skinned_primitive(maker, &tights, 0, 0, colour, primitive, NULL);
}

pleat_result pl_dancer_meshes(pl_maker *maker, pl_dancer *dancer, uint32_t *first_node)
{
    const pl_v3 low = {0, -0.02, -0.18}, high = {0.78, 1.74, 0.24};
    for (uint32_t j = 0; j < PL_DANCER_JOINTS; ++j)
    {
        uint32_t parent = pl_dancer_parent(j);
        pl_v3 origin = parent == PLEAT_NONE ? v3(0, 0, 0) : dancer->joints[parent];
        uint32_t node =
            pl_maker_node(maker, pl_dancer_joint_name(j), parent == PLEAT_NONE ? parent : *first_node + parent,
                          v3_sub(dancer->joints[j], origin));
        *first_node = node - j;
    }
    PL_TRY(pl_maker_skin(maker, "dancer", *first_node, PL_DANCER_JOINTS));
    pl_field body = {pl_body_field, &dancer->body};
    pl_patch raw;
    PL_TRY(pl_body_prepare(maker, &dancer->body, low, high));
    PL_TRY(pl_patch_polygonise(maker, &body, low, high, CELL, &raw));
    PL_TRY(make_skin(maker, dancer, &raw));
    PL_TRY(make_leotard(maker, dancer, &raw));
    return make_tights(maker, dancer, &raw);
}

pleat_result pl_make_dancer(pl_maker *maker)
{
    pl_dancer *dancer;
    PL_MAKE_NEW(dancer, maker, scratch, pl_dancer, 1);
    pl_dancer_init(dancer);
    uint32_t first_node;
    PL_TRY(pl_dancer_meshes(maker, dancer, &first_node));
    PL_TRY(pl_dancer_clip_arabesque(maker, dancer, first_node));
    PL_TRY(pl_dancer_clip_squat(maker, dancer, first_node));
    return pl_dancer_clip_twist(maker, dancer, first_node);
}
