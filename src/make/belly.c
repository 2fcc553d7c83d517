/* The belly: a round trunk with the beginnings of arms and legs, closed, that sits down. Where it folds, flesh has to
 * go somewhere: for volume and skin. */
#include "make/skinned.h"
#include "make/solid.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define EDGE 0.016

enum
{
    PELVIS,
    SPINE,
    CHEST,
    LEFT_THIGH,
    RIGHT_THIGH,
    JOINTS
};

static const pl_v3 joints[JOINTS] = {
    {0, 0.500, -0.030}, {0, 0.600, -0.070}, {0, 0.760, -0.070}, {0.110, 0.450, -0.010}, {-0.110, 0.450, -0.010}};

/* Height, centre, radii: the paunch hangs over the belt. */
static const pl_section trunk_sections[] = {
    {0.395, 0, -0.020, 0.110, 0.110, 0.100, 0.110, 2.2}, {0.440, 0, -0.020, 0.170, 0.170, 0.140, 0.150, 2.2},
    {0.490, 0, -0.015, 0.188, 0.188, 0.172, 0.150, 2.2}, {0.540, 0, -0.005, 0.190, 0.190, 0.205, 0.145, 2.2},
    {0.600, 0, 0.000, 0.188, 0.188, 0.222, 0.140, 2.2},  {0.660, 0, 0.000, 0.184, 0.184, 0.218, 0.140, 2.2},
    {0.730, 0, -0.005, 0.180, 0.180, 0.192, 0.145, 2.3}, {0.800, 0, -0.012, 0.180, 0.180, 0.162, 0.146, 2.3},
    {0.860, 0, -0.020, 0.182, 0.182, 0.136, 0.138, 2.3}, {0.910, 0, -0.026, 0.168, 0.168, 0.112, 0.118, 2.2},
    {0.940, 0, -0.030, 0.130, 0.130, 0.085, 0.092, 2.0}, {0.965, 0, -0.030, 0.085, 0.085, 0.068, 0.072, 2.0},
    {1.000, 0, -0.026, 0.068, 0.068, 0.062, 0.066, 2.0},
};

/* Height; left is the outer side. */
static const pl_section thigh_sections[] = {
    {0.060, 0.118, 0.000, 0.062, 0.062, 0.064, 0.064, 2},  {0.150, 0.118, 0.000, 0.076, 0.076, 0.080, 0.078, 2},
    {0.260, 0.117, 0.000, 0.092, 0.094, 0.098, 0.094, 2},  {0.360, 0.114, -0.005, 0.100, 0.104, 0.106, 0.108, 2},
    {0.430, 0.108, -0.010, 0.098, 0.098, 0.104, 0.112, 2}, {0.490, 0.100, -0.015, 0.080, 0.080, 0.090, 0.095, 2},
};

typedef struct belly
{
    pl_body body;
    pl_loft trunk, thigh;
} belly;

static void init_belly(belly *b)
{
    pl_v3 origin = v3(0, 0, 0), right = v3(1, 0, 0), up = v3(0, 1, 0);
    pl_loft_init(&b->trunk, origin, right, up, trunk_sections, COUNT(trunk_sections), 0.03, 0.03);
    pl_loft_init(&b->thigh, origin, right, up, thigh_sections, COUNT(thigh_sections), 0.045, 0.05);
    pl_body_loft(&b->body, 0.04, &b->trunk);
    pl_body_loft(&b->body, 0.045, &b->thigh)->both_sides = true;
    pl_body_ellipsoid(&b->body, 0.05, v3(0.080, 0.450, -0.090), v3(0.090, 0.095, 0.080), v3(0, 0, 0))->both_sides =
        true;
    pl_body_ellipsoid(&b->body, 0.05, v3(0.085, 0.805, 0.105), v3(0.070, 0.055, 0.055), v3(0, 0, 0))->both_sides = true;
    pl_body_cone(&b->body, 0.05, v3(0.165, 0.880, -0.030), 0.062, v3(0.250, 0.800, -0.030), 0.054);
    pl_solid *navel = pl_body_ellipsoid(&b->body, 0.012, v3(0, 0.612, 0.228), v3(0.007, 0.010, 0.014), v3(0, 0, 0));
    navel->cut = true;
}

static void belly_weights(const void *user, pl_v3 p, double *weights)
{
    (void)user;
    double legs = 0;
    for (uint32_t side = 0; side < 2; ++side)
    {
        double x = side ? -p.x : p.x;
        double s = (x - 0.110) * 0.5 - (p.y - 0.440) * 0.85 + 0.25 * fmin(p.z + 0.02, 0);
        double share = fmax(0.035 - 0.5 * fmax(0.40 - p.y, 0), 0.004);
        weights[LEFT_THIGH + side] = pl_smoothstep(-0.075, 0.075, s) * pl_smoothstep(-share, share, x);
        legs += weights[LEFT_THIGH + side];
    }
    double spine = pl_smoothstep(0.500, 0.660, p.y), chest = pl_smoothstep(0.640, 0.840, p.y);
    double rest = fmax(1 - legs, 0), total = legs + rest;
    weights[PELVIS] = rest * (1 - spine);
    weights[SPINE] = rest * (spine - chest);
    weights[CHEST] = rest * chest;
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        weights[j] = fmax(weights[j], 0) / total;
    }
}

static double edge_length(const void *user, pl_v3 p)
{
    (void)user;
    return fmin(EDGE, 0.006 + 0.2 * fmax(v3_distance(p, v3(0, 0.612, 0.215)) - 0.012, 0));
}

/* Down over two seconds, leaning forward, then half a second of rest. */
static pleat_result make_clip(pl_maker *maker)
{
    static const double degrees[JOINTS] = {-12, 22, 24, -72, -72}; /* about X; positive leans forward */
    const uint32_t sitting = 60, frame_count = 76;
    pleat_clip *clip;
    pleat_channel *channels;
    float *times, *values;
    PL_TRY(pl_maker_clip(maker, "sit", frame_count, JOINTS + 1, &clip, &channels, &times));
    PL_TRY(pl_maker_channel(maker, &channels[JOINTS], PELVIS, PLEAT_TRANSLATION, 3, frame_count, times, &values));
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        double part = pl_smoothstep(0, sitting, f);
        pl_v3 p = v3_add(joints[PELVIS], v3(0, -0.330 * part, -0.120 * part));
        pleat_vec3 key = v3_float(p);
        memcpy(&values[3 * f], &key, sizeof key);
    }
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        PL_TRY(pl_maker_channel(maker, &channels[j], j, PLEAT_ROTATION, 4, frame_count, times, &values));
        for (uint32_t f = 0; f < frame_count; ++f)
        {
            double turn = pl_radians(degrees[j]) * pl_smoothstep(0, sitting, f) / 2;
            float key[4] = {(float)sin(turn), 0, 0, (float)cos(turn)};
            memcpy(&values[4 * f], key, sizeof key);
        }
    }
    return PLEAT_OK;
}

enum
{
    TRUNK_CHART,
    THIGH_CHARTS /* left, right */
};

static uint32_t chart_of(const void *user, pl_v3 p)
{
    (void)user;
    return p.y > 0.42 - 0.3 * fabs(p.x) ? TRUNK_CHART : p.x < 0 ? THIGH_CHARTS + 1 : THIGH_CHARTS;
}

pleat_result pl_make_belly(pl_maker *maker)
{
    static const char *const names[JOINTS] = {"pelvis", "spine", "chest", "left_thigh", "right_thigh"};
    static const uint32_t parents[JOINTS] = {PLEAT_NONE, PELVIS, SPINE, PELVIS, PELVIS};
    belly *b;
    PL_MAKE_NEW(b, maker, scratch, belly, 1);
    init_belly(b);
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        pl_v3 origin = parents[j] == PLEAT_NONE ? v3(0, 0, 0) : joints[parents[j]];
        pl_maker_node(maker, names[j], parents[j], v3_sub(joints[j], origin));
    }
    PL_TRY(pl_maker_skin(maker, "belly", PELVIS, JOINTS));
    pl_v3 low = v3(0, -0.02, -0.24), high = v3(0.36, 1.08, 0.28);
    pl_remesh remesh = {.surface = {pl_body_field, &b->body}, .edge_length = edge_length, .rounds = 8};
    pl_patch patch;
    PL_TRY(pl_body_prepare(maker, &b->body, low, high));
    PL_TRY(pl_patch_polygonise(maker, &remesh.surface, low, high, 0.008, &patch));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    pl_skinned_desc desc = {.joint_count = JOINTS, .left = LEFT_THIGH, .side = 1, .weights_at = belly_weights};
    pl_skinned skinned;
    PL_TRY(pl_skinned_make(maker, &patch, &desc, &skinned));
    const pl_v3 up = {0, 1, 0}, front = {0, 0, 1};
    const pl_chart charts[3] = {{v3(0, 0, -0.01), up, front, 0.33, 1.04, 0.09, 0.02, 0.80, 0.50},
                                {v3(0.117, 0, 0), up, v3(1, 0, 0), 0, 0.44, 0.04, 0.60, 0.43, 0.36},
                                {v3(-0.117, 0, 0), up, v3(-1, 0, 0), 0, 0.44, 0.53, 0.60, 0.43, 0.36}};
    PL_TRY(pl_skinned_charts(maker, &skinned, charts, chart_of, NULL));
    pleat_primitive *primitive;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "belly", PLEAT_NONE, 1, &primitive, &node));
    maker->nodes[node].skin = 0;
    uint32_t tone = pl_maker_material(maker, "skin", 0.76, 0.48, 0.36, 0.55);
    PL_TRY(pl_skinned_primitive(maker, &skinned, 0, 0, tone, primitive, NULL));
    return make_clip(maker);
}
