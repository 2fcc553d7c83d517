/* The hand: palm, thumb and four fingers on sixteen joints, one closed surface down to the forearm.
 *
 * Fingers point to +Y, the palm looks to +Z, the thumb lies at +X: a right hand seen from its palm. */
#include "make/skinned.h"
#include "make/solid.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define AWAY 0.2 /* modelled this far from the plane of symmetry, which a hand has not */
#define EDGE 0.0032

enum
{
    CHAINS = 5, /* thumb, index, middle, ring, little */
    LINKS = 3,
    WRIST = 0, /* joint; chain i, link k is joint 1 + 3 i + k */
    JOINTS = 1 + CHAINS * LINKS
};

typedef struct chain
{
    pl_v3 points[LINKS + 1]; /* joints and the tip */
    double radii[LINKS + 1];
    pl_v3 axis; /* positive turns bend towards the palm */
} chain;

typedef struct hand
{
    pl_body body;
    pl_loft palm;
    chain chains[CHAINS];
} hand;

static const char *const joint_names[JOINTS] = {
    "wrist",    "thumb_1",  "thumb_2", "thumb_3", "index_1", "index_2",  "index_3",  "middle_1",
    "middle_2", "middle_3", "ring_1",  "ring_2",  "ring_3",  "little_1", "little_2", "little_3",
};

/* Height; left is the thumb's side, front the palm. */
static const pl_section palm_sections[] = {
    {-0.080, 0, -0.002, 0.0300, 0.0300, 0.0250, 0.0240, 2.0}, {-0.030, 0, 0, 0.0270, 0.0265, 0.0205, 0.0195, 2.0},
    {0.000, 0, 0, 0.0265, 0.0260, 0.0185, 0.0180, 2.1},       {0.030, 0, 0, 0.0330, 0.0340, 0.0180, 0.0150, 2.3},
    {0.060, 0, 0, 0.0400, 0.0400, 0.0155, 0.0130, 2.5},       {0.084, 0, 0, 0.0415, 0.0400, 0.0130, 0.0120, 2.5},
    {0.094, 0, 0, 0.0390, 0.0370, 0.0110, 0.0110, 2.4},
};

static void init_finger(chain *c, double x, double y, double fan, double length, double radius)
{
    static const double part[LINKS] = {0.47, 0.30, 0.23};
    pl_v3 way = v3(sin(pl_radians(fan)), cos(pl_radians(fan)), 0);
    c->axis = v3_cross(way, v3(0, 0, 1));
    c->points[0] = v3(AWAY + x, y, 0);
    c->radii[0] = radius;
    double bend = 4;
    for (uint32_t k = 0; k < LINKS; ++k)
    {
        /* Slightly bent at rest, as a relaxed finger is. */
        pl_v3 ahead = pl_q_turn(pl_q_axis(c->axis, pl_radians(bend)), way);
        c->points[k + 1] = v3_mad(c->points[k], length * part[k], ahead);
        c->radii[k + 1] = radius * (k == 0 ? 0.92 : k == 1 ? 0.84 : 0.70);
        bend += 5;
    }
}

static void init_thumb(chain *c)
{
    static const double points[LINKS + 1][3] = {
        {0.018, 0.024, 0.006}, {0.047, 0.052, 0.016}, {0.066, 0.080, 0.019}, {0.077, 0.106, 0.020}};
    static const double radii[LINKS + 1] = {0.0165, 0.0125, 0.0105, 0.0080};
    for (uint32_t k = 0; k <= LINKS; ++k)
    {
        c->points[k] = v3(AWAY + points[k][0], points[k][1], points[k][2]);
        c->radii[k] = radii[k];
    }
    /* Across the palm. */
    pl_v3 way = v3_unit(v3_sub(c->points[3], c->points[1]));
    c->axis = v3_unit(v3_cross(way, v3_unit(v3(-0.75, 0, 0.66))));
}

static void init_hand(hand *h)
{
    init_thumb(&h->chains[0]);
    init_finger(&h->chains[1], 0.0305, 0.089, 5, 0.076, 0.0092);
    init_finger(&h->chains[2], 0.0100, 0.093, 1, 0.085, 0.0094);
    init_finger(&h->chains[3], -0.0105, 0.090, -4, 0.078, 0.0090);
    init_finger(&h->chains[4], -0.0295, 0.082, -10, 0.062, 0.0080);
    pl_loft_init(&h->palm, v3(AWAY, 0, 0), v3(1, 0, 0), v3(0, 1, 0), palm_sections, COUNT(palm_sections), 0.012, 0.008);
    pl_body_loft(&h->body, 0.01, &h->palm);
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        const chain *c = &h->chains[i];
        for (uint32_t k = 0; k < LINKS; ++k)
        {
            pl_body_cone(&h->body,
                         i == 0 && k == 0 ? 0.020
                         : k == 0         ? 0.008
                                          : 0.004,
                         c->points[k], c->radii[k], c->points[k + 1], c->radii[k + 1]);
        }
        if (i > 0)
        {
            /* The knuckle, and the finger's bone through the palm. */
            pl_body_ellipsoid(&h->body, 0.010, v3_add(c->points[0], v3(0, -0.002, -0.004)), v3(0.008, 0.009, 0.009),
                              v3(0, 0, 0));
        }
    }
    /* The ball of the thumb and the heel of the hand. */
    pl_body_ellipsoid(&h->body, 0.016, v3(AWAY + 0.021, 0.034, 0.011), v3(0.017, 0.028, 0.013), v3(0, 0, -30));
    pl_body_ellipsoid(&h->body, 0.014, v3(AWAY - 0.024, 0.032, 0.010), v3(0.012, 0.026, 0.010), v3(0, 0, 0));
}

/* How far along a chain a place is, from its first joint, and how near to it. */
static double along_chain(const chain *c, pl_v3 p, double *apart)
{
    double best = 0, before = 0;
    *apart = 1;
    for (uint32_t k = 0; k < LINKS; ++k)
    {
        pl_v3 axis = v3_sub(c->points[k + 1], c->points[k]);
        double length = v3_length(axis);
        double t = v3_dot(v3_sub(p, c->points[k]), axis) / (length * length);
        double held = pl_clamp(t, k == 0 ? -0.6 : 0, 1);
        double d = v3_distance(p, v3_mad(c->points[k], held, axis));
        if (d < *apart)
        {
            *apart = d;
            best = before + held * length;
        }
        before += length;
    }
    return best;
}

static void hand_weights(const void *user, pl_v3 p, double *weights)
{
    const hand *h = user;
    double share[CHAINS], along[CHAINS], total = 0;
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        double apart;
        along[i] = along_chain(&h->chains[i], p, &apart);
        double near = 1 / fmax(apart, 0.004);
        share[i] = near * near * near * near;
        total += share[i];
    }
    weights[WRIST] = 0;
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        const chain *c = &h->chains[i];
        double first = v3_distance(c->points[0], c->points[1]),
               second = first + v3_distance(c->points[1], c->points[2]);
        double wide = i ? 0.011 : 0.018;
        double a = i ? pl_smoothstep(-0.012, 0.014, along[i]) : pl_smoothstep(-0.004, 0.030, along[i]);
        double b = pl_smoothstep(first - wide, first + wide, along[i]);
        double d = pl_smoothstep(second - 0.010, second + 0.010, along[i]);
        double *out = &weights[1 + LINKS * i];
        double mine = share[i] / total;
        weights[WRIST] += mine * (1 - a);
        out[0] = mine * a * (1 - b);
        out[1] = mine * a * b * (1 - d);
        out[2] = mine * a * b * d;
    }
}

/* Chart 0 is palm and forearm, chart 1 + i a finger. */
static uint32_t chart_of(const void *user, pl_v3 p)
{
    double weights[JOINTS];
    p.x += AWAY;
    hand_weights(user, p, weights);
    uint32_t best = 0;
    double most = weights[WRIST] + (1 - weights[WRIST]) * 0.1;
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        const double *w = &weights[1 + LINKS * i];
        double share = w[0] + w[1] + w[2];
        best = share > most ? 1 + i : best;
        most = share > most ? share : most;
    }
    return best;
}

static void make_charts(const hand *h, pl_chart charts[1 + CHAINS])
{
    const pl_v3 palm = {0, 0, -1};
    charts[0] = (pl_chart){v3(0, 0, 0), v3(0, 1, 0), palm, -0.10, 0.12, 0.05, 0.03, 0.50, 0.58};
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        const chain *c = &h->chains[i];
        pl_v3 axis = v3_unit(v3_sub(c->points[LINKS], c->points[0]));
        pl_v3 front = v3_unit(v3_mad(palm, -v3_dot(palm, axis), axis));
        double length = v3_distance(c->points[LINKS], c->points[0]);
        charts[1 + i] = (pl_chart){v3_sub(c->points[0], v3(AWAY, 0, 0)),
                                   axis,
                                   front,
                                   -0.03,
                                   length + 0.012,
                                   0.04 + 0.19 * i,
                                   0.66,
                                   0.14,
                                   0.32};
    }
}

static double edge_length(const void *user, pl_v3 p)
{
    (void)user;
    return EDGE * (1 + pl_smoothstep(-0.01, -0.06, p.y));
}

/* Degrees of the three links of each chain. */
static pleat_result make_clip(pl_maker *maker, const hand *h, const char *name, const double goal[CHAINS][LINKS])
{
    const uint32_t frame_count = 91;
    pleat_clip *clip;
    pleat_channel *channels;
    float *times;
    PL_TRY(pl_maker_clip(maker, name, frame_count, CHAINS * LINKS, &clip, &channels, &times));
    for (uint32_t j = 0; j < CHAINS * LINKS; ++j)
    {
        float *values;
        PL_TRY(pl_maker_channel(maker, &channels[j], 1 + j, PLEAT_ROTATION, 4, frame_count, times, &values));
        for (uint32_t f = 0; f < frame_count; ++f)
        {
            double part = 0.5 - 0.5 * cos(2 * PL_PI * f / (frame_count - 1));
            pl_q q = pl_q_axis(h->chains[j / LINKS].axis, pl_radians(goal[j / LINKS][j % LINKS] * part));
            float key[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
            memcpy(&values[4 * f], key, sizeof key);
        }
    }
    return PLEAT_OK;
}

static pleat_result make_skeleton(pl_maker *maker, const hand *h)
{
    pl_v3 wrist = v3(AWAY, 0, 0);
    uint32_t root = pl_maker_node(maker, joint_names[WRIST], PLEAT_NONE, v3(0, 0, 0));
    for (uint32_t j = 0; j < CHAINS * LINKS; ++j)
    {
        const pl_v3 *points = h->chains[j / LINKS].points;
        uint32_t k = j % LINKS;
        pl_maker_node(maker, joint_names[1 + j], k ? root + j : root, v3_sub(points[k], k ? points[k - 1] : wrist));
    }
    return pl_maker_skin(maker, "hand", root, JOINTS);
}

pleat_result pl_make_hand(pl_maker *maker)
{
    static const double fist[CHAINS][LINKS] = {{14, 36, 52}, {76, 92, 52}, {80, 94, 54}, {80, 92, 54}, {78, 88, 52}};
    static const double pinch[CHAINS][LINKS] = {{26, 22, 34}, {46, 46, 22}, {18, 18, 10}, {12, 14, 8}, {8, 12, 8}};
    hand *h;
    PL_MAKE_NEW(h, maker, scratch, hand, 1);
    init_hand(h);
    PL_TRY(make_skeleton(maker, h));
    pl_v3 low = v3(0, -0.11, -0.05), high = v3(AWAY + 0.12, 0.21, 0.06);
    pl_remesh remesh = {.surface = {pl_body_field, &h->body}, .edge_length = edge_length, .rounds = 8};
    pl_patch patch;
    PL_TRY(pl_body_prepare(maker, &h->body, low, high));
    PL_TRY(pl_patch_polygonise(maker, &remesh.surface, low, high, 0.0022, &patch));
    PL_TRY(pl_patch_remesh(maker, &patch, &remesh));
    pl_skinned_desc desc = {
        .joint_count = JOINTS, .shift = v3(-AWAY, 0, 0), .weights_at = hand_weights, .weights_user = h};
    pl_skinned skinned;
    PL_TRY(pl_skinned_make(maker, &patch, &desc, &skinned));
    pl_chart charts[1 + CHAINS];
    make_charts(h, charts);
    PL_TRY(pl_skinned_charts(maker, &skinned, charts, chart_of, h));
    pleat_primitive *primitive;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "hand", PLEAT_NONE, 1, &primitive, &node));
    maker->nodes[node].skin = 0;
    uint32_t tone = pl_maker_material(maker, "skin", 0.78, 0.50, 0.38, 0.55);
    PL_TRY(pl_skinned_primitive(maker, &skinned, 0, 0, tone, primitive, NULL));
    PL_TRY(make_clip(maker, h, "bend", fist));
    return make_clip(maker, h, "pinch", pinch);
}
