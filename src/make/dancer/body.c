/* The dancer's body: lofts through measured cross-sections for trunk, arms, legs and feet, smaller solids for what lies
 * on them, and the borders of what she wears.
 *
 * A slim woman of 1.70 m: head 22 cm, shoulders 37 cm between the joints and the skin, bust 84, waist 66, hips 90,
 * thigh 51, calf 34, ankle 21, upper arm 26, wrist 15 cm around. Arms hang 40 degrees below the horizontal, palms
 * inward. */
#include "make/dancer/dancer.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#define SHOULDER v3(0.163, 1.375, -0.022)
#define UPPER_ARM 0.278
#define FOREARM 0.240
#define WRIST (UPPER_ARM + FOREARM)
#define KNUCKLES (WRIST + 0.086)

/* Height, centre x and z, radii left, right, front, back, squareness. */
static const pl_section torso_sections[] = {
    {0.800, 0, -0.005, 0.060, 0.060, 0.045, 0.050, 2.0},   {0.830, 0, -0.005, 0.105, 0.105, 0.068, 0.078, 2.2},
    {0.870, 0, -0.005, 0.145, 0.145, 0.082, 0.092, 2.3},   {0.910, 0, -0.005, 0.156, 0.156, 0.088, 0.096, 2.3},
    {0.950, 0, -0.005, 0.151, 0.151, 0.090, 0.090, 2.3},   {0.990, 0, -0.002, 0.137, 0.137, 0.088, 0.080, 2.3},
    {1.030, 0, 0.000, 0.122, 0.122, 0.085, 0.072, 2.2},    {1.065, 0, 0.000, 0.115, 0.115, 0.083, 0.070, 2.2},
    {1.100, 0, 0.000, 0.117, 0.117, 0.086, 0.074, 2.2},    {1.150, 0, -0.004, 0.125, 0.125, 0.094, 0.082, 2.2},
    {1.210, 0, -0.008, 0.134, 0.134, 0.097, 0.092, 2.3},   {1.270, 0, -0.014, 0.142, 0.142, 0.093, 0.096, 2.4},
    {1.320, 0, -0.020, 0.146, 0.146, 0.084, 0.093, 2.4},   {1.360, 0, -0.024, 0.140, 0.140, 0.072, 0.084, 2.3},
    {1.390, 0, -0.026, 0.112, 0.112, 0.060, 0.073, 2.1},   {1.415, 0, -0.025, 0.078, 0.078, 0.052, 0.060, 2.0},
    {1.440, 0, -0.021, 0.051, 0.051, 0.045, 0.049, 2.0},   {1.470, 0, -0.014, 0.0425, 0.0425, 0.043, 0.045, 2.0},
    {1.510, 0, -0.007, 0.0415, 0.0415, 0.042, 0.046, 2.0}, {1.560, 0, 0.002, 0.050, 0.050, 0.045, 0.055, 2.0},
};

/* Along the arm; left is the inner (lower) side, right the outer, front towards the thumb. */
static const pl_section arm_sections[] = {
    {-0.010, 0, 0, 0.045, 0.046, 0.046, 0.048, 2},  {0.030, 0, 0, 0.044, 0.048, 0.047, 0.049, 2},
    {0.075, 0, 0, 0.042, 0.044, 0.044, 0.045, 2},   {0.130, 0, 0, 0.038, 0.038, 0.041, 0.040, 2},
    {0.190, 0, 0, 0.035, 0.034, 0.039, 0.037, 2},   {0.240, 0, 0, 0.032, 0.032, 0.035, 0.034, 2},
    {0.278, 0, 0, 0.032, 0.033, 0.033, 0.035, 2},   {0.310, 0, 0, 0.034, 0.034, 0.036, 0.034, 2},
    {0.350, 0, 0, 0.034, 0.033, 0.036, 0.033, 2},   {0.410, 0, 0, 0.029, 0.028, 0.030, 0.029, 2},
    {0.460, 0, 0, 0.023, 0.022, 0.026, 0.026, 2},   {0.500, 0, 0, 0.0185, 0.018, 0.0255, 0.0255, 2},
    {0.530, 0, 0, 0.0165, 0.0165, 0.026, 0.026, 2},
};

static const pl_section palm_sections[] = {
    {0.500, 0, 0, 0.0170, 0.0170, 0.0245, 0.0245, 2.0}, {0.530, 0, 0, 0.0165, 0.0150, 0.0285, 0.0280, 2.2},
    {0.560, 0, 0, 0.0160, 0.0135, 0.0340, 0.0330, 2.4}, {0.590, 0, 0, 0.0140, 0.0120, 0.0370, 0.0360, 2.4},
    {0.608, 0, 0, 0.0110, 0.0105, 0.0365, 0.0350, 2.4},
};

/* Height; left is the outer side. */
static const pl_section leg_sections[] = {
    {0.065, 0.0945, -0.020, 0.032, 0.032, 0.036, 0.036, 2}, {0.100, 0.0945, -0.019, 0.031, 0.031, 0.034, 0.034, 2},
    {0.150, 0.0945, -0.018, 0.032, 0.031, 0.033, 0.037, 2}, {0.220, 0.0940, -0.016, 0.038, 0.036, 0.036, 0.045, 2},
    {0.290, 0.0935, -0.012, 0.046, 0.045, 0.041, 0.056, 2}, {0.345, 0.0930, -0.009, 0.052, 0.051, 0.045, 0.062, 2},
    {0.395, 0.0925, -0.005, 0.052, 0.051, 0.046, 0.060, 2}, {0.445, 0.0920, 0.000, 0.049, 0.049, 0.047, 0.053, 2},
    {0.485, 0.0920, 0.003, 0.049, 0.051, 0.050, 0.051, 2},  {0.530, 0.0920, 0.005, 0.053, 0.054, 0.055, 0.054, 2},
    {0.590, 0.0925, 0.006, 0.060, 0.060, 0.064, 0.061, 2},  {0.660, 0.0930, 0.005, 0.068, 0.068, 0.073, 0.070, 2},
    {0.740, 0.0930, 0.002, 0.075, 0.075, 0.079, 0.078, 2},  {0.800, 0.0920, 0.000, 0.078, 0.078, 0.081, 0.083, 2},
    {0.860, 0.0900, -0.004, 0.079, 0.074, 0.080, 0.086, 2}, {0.910, 0.0880, -0.006, 0.072, 0.066, 0.076, 0.080, 2},
    {0.950, 0.0860, -0.006, 0.060, 0.055, 0.068, 0.070, 2},
};

/* Height, from the chin to the brow. */
static const pl_section face_sections[] = {
    {1.484, 0, 0.046, 0.020, 0.020, 0.030, 0.030, 2.0},     {1.496, 0, 0.034, 0.032, 0.032, 0.050, 0.040, 2.1},
    {1.512, 0, 0.020, 0.0425, 0.0425, 0.0635, 0.045, 2.2},  {1.532, 0, 0.010, 0.0520, 0.0520, 0.0745, 0.050, 2.3},
    {1.552, 0, 0.004, 0.0590, 0.0590, 0.0815, 0.060, 2.35}, {1.572, 0, 0.001, 0.0635, 0.0635, 0.0845, 0.060, 2.35},
    {1.595, 0, 0.000, 0.0655, 0.0655, 0.0850, 0.060, 2.3},  {1.622, 0, 0.000, 0.0665, 0.0665, 0.0860, 0.060, 2.2},
    {1.650, 0, -0.004, 0.0640, 0.0640, 0.0830, 0.060, 2.1},
};

/* From heel to toe; left is the outer side, front is down, back is up. */
static const pl_section foot_sections[] = {
    {-0.038, 0, -0.030, 0.022, 0.022, 0.026, 0.030, 2.3},     {-0.015, 0, -0.031, 0.029, 0.029, 0.030, 0.040, 2.4},
    {0.030, 0, -0.032, 0.029, 0.028, 0.029, 0.050, 2.3},      {0.070, 0, -0.028, 0.033, 0.029, 0.026, 0.040, 2.3},
    {0.110, -0.001, -0.022, 0.039, 0.034, 0.021, 0.027, 2.3}, {0.150, -0.004, -0.017, 0.041, 0.036, 0.016, 0.020, 2.3},
    {0.180, -0.007, -0.014, 0.037, 0.032, 0.013, 0.015, 2.3}, {0.200, -0.009, -0.013, 0.029, 0.025, 0.012, 0.012, 2.2},
};

static void add_trunk(pl_dancer *dancer)
{
    pl_body *body = &dancer->body;
    pl_body_loft(body, 0.03, &dancer->torso);
    pl_body_loft(body, 0.035, &dancer->leg)->both_sides = true;
    pl_body_ellipsoid(body, 0.035, v3(0.070, 0.887, -0.060), v3(0.074, 0.082, 0.060), v3(0, 0, 0))->both_sides = true;
    pl_body_ellipsoid(body, 0.030, v3(0.068, 1.215, 0.062), v3(0.054, 0.056, 0.050), v3(-12, 14, 0))->both_sides = true;
    /* Trapezius, collar bone, shoulder blade, the cords of the neck. */
    pl_body_cone(body, 0.045, v3(0.024, 1.452, -0.037), 0.020, v3(0.150, 1.388, -0.028), 0.030);
    pl_body_cone(body, 0.016, v3(0.016, 1.398, 0.024), 0.008, v3(0.145, 1.402, -0.006), 0.009)->both_sides = true;
    pl_body_cone(body, 0.016, v3(0.012, 1.405, 0.028), 0.007, v3(0.052, 1.535, -0.020), 0.010)->both_sides = true;
    pl_body_loft(body, 0.045, &dancer->arm);
    /* Knee cap, ankle bones. */
    pl_body_ellipsoid(body, 0.022, v3(0.092, 0.490, 0.040), v3(0.026, 0.032, 0.017), v3(0, 0, 0));
    pl_body_ellipsoid(body, 0.014, v3(0.123, 0.084, -0.022), v3(0.008, 0.012, 0.011), v3(0, 0, 0));
    pl_body_ellipsoid(body, 0.014, v3(0.066, 0.090, -0.016), v3(0.008, 0.012, 0.011), v3(0, 0, 0));
    pl_body_loft(body, 0.030, &dancer->foot);
}

static void add_head(pl_dancer *dancer)
{
    pl_body *body = &dancer->body;
    pl_v3 none = v3(0, 0, 0);
    pl_body_ellipsoid(body, 0.02, v3(0, 1.606, -0.006), v3(0.0710, 0.0865, 0.0930), none);
    pl_body_loft(body, 0.02, &dancer->face);
    pl_body_ellipsoid(body, 0.020, v3(0, 1.4935, 0.0715), v3(0.017, 0.013, 0.0135), none);
    /* Brow, eye sockets, lids. */
    pl_body_cone(body, 0.018, v3(0.010, 1.606, 0.0780), 0.0065, v3(0.042, 1.607, 0.0630), 0.0070)->both_sides = true;
    pl_solid *socket =
        pl_body_ellipsoid(body, 0.018, v3(0.031, 1.5905, 0.0950), v3(0.020, 0.0115, 0.0165), v3(0, 24, 0));
    socket->cut = socket->both_sides = true;
    pl_body_ellipsoid(body, 0.006, v3(0.0305, 1.5865, 0.0620), v3(0.0165, 0.0115, 0.0150), v3(0, 16, 0))->both_sides =
        true;
    /* Nose. */
    pl_body_cone(body, 0.012, v3(0, 1.600, 0.0795), 0.0060, v3(0, 1.5655, 0.0985), 0.0075);
    pl_body_ellipsoid(body, 0.006, v3(0, 1.5635, 0.0985), v3(0.0080, 0.0070, 0.0085), none);
    pl_body_ellipsoid(body, 0.007, v3(0.0088, 1.5585, 0.0905), v3(0.0058, 0.0052, 0.0075), none)->both_sides = true;
    /* Lips. */
    pl_body_cone(body, 0.006, v3(0.003, 1.5350, 0.0865), 0.0042, v3(0.019, 1.5310, 0.0765), 0.0025)->both_sides = true;
    pl_body_cone(body, 0.006, v3(0.002, 1.5255, 0.0850), 0.0052, v3(0.017, 1.5290, 0.0765), 0.0025)->both_sides = true;
    /* Ears. */
    pl_body_ellipsoid(body, 0.008, v3(0.0740, 1.570, -0.008), v3(0.0060, 0.0270, 0.0155), v3(-14, -24, -8));
    /* Hair, pulled back into a bun. */
    pl_body_ellipsoid(body, 0.006, v3(0, 1.6085, -0.0145), v3(0.0760, 0.0910, 0.0960), none);
    pl_body_ellipsoid(body, 0.010, v3(0, 1.656, -0.106), v3(0.041, 0.041, 0.028), v3(36, 0, 0));
    pl_body_ellipsoid(body, 0.010, v3(0, 1.662, -0.115), v3(0.030, 0.030, 0.030), v3(36, 0, 0));
}

/* Places along the arm: t from the shoulder, x to the palm's side, z to the thumb's. */
static pl_v3 arm_place(const pl_dancer *dancer, double t, double x, double z)
{
    pl_v3 p = v3_mad(dancer->arm.origin, t, dancer->arm.t);
    return v3_mad(v3_mad(p, x, dancer->arm.x), z, dancer->arm.z);
}

static void add_finger(pl_dancer *dancer, double z, double length, double radius, double fan, double curl)
{
    double t = KNUCKLES - 0.012, x = -0.001, bend = 0.06;
    static const double part[3] = {0.50, 0.30, 0.20};
    for (uint32_t i = 0; i < 3; ++i)
    {
        double step = (length + 0.012) * part[i];
        double t1 = t + step * cos(bend), x1 = x + step * sin(bend), z1 = z + step * sin(pl_radians(fan));
        double thin = radius * (i == 0 ? 0.93 : i == 1 ? 0.87 : 0.74);
        pl_body_cone(&dancer->body, 0.0045, arm_place(dancer, t, x, z), radius, arm_place(dancer, t1, x1, z1), thin);
        t = t1;
        x = x1;
        z = z1;
        radius = thin;
        bend += pl_radians(curl);
    }
}

static void add_hand(pl_dancer *dancer)
{
    pl_body_loft(&dancer->body, 0.012, &dancer->palm);
    add_finger(dancer, 0.0285, 0.066, 0.0078, 5, 6);
    add_finger(dancer, 0.0095, 0.074, 0.0080, 1.5, 13);
    add_finger(dancer, -0.0095, 0.069, 0.0078, -2.5, 15);
    add_finger(dancer, -0.0275, 0.053, 0.0070, -8, 9);
    pl_body_cone(&dancer->body, 0.014, arm_place(dancer, 0.540, 0.006, 0.020), 0.0135,
                 arm_place(dancer, 0.572, 0.012, 0.043), 0.0110);
    pl_body_cone(&dancer->body, 0.006, arm_place(dancer, 0.572, 0.012, 0.043), 0.0105,
                 arm_place(dancer, 0.600, 0.015, 0.055), 0.0088);
    pl_body_cone(&dancer->body, 0.005, arm_place(dancer, 0.600, 0.015, 0.055), 0.0088,
                 arm_place(dancer, 0.622, 0.016, 0.060), 0.0066);
}

static void place_joints(pl_dancer *dancer)
{
    pl_v3 *j = dancer->joints;
    j[PL_HIPS] = v3(0, 0.930, -0.008);
    j[PL_SPINE] = v3(0, 1.000, -0.022);
    j[PL_SPINE_1] = v3(0, 1.090, -0.024);
    j[PL_CHEST] = v3(0, 1.200, -0.036);
    j[PL_NECK] = v3(0, 1.420, -0.036);
    j[PL_HEAD] = v3(0, 1.525, -0.010);
    j[PL_CLAVICLE] = v3(0.022, 1.385, 0.000);
    j[PL_UPPER_ARM] = arm_place(dancer, 0, 0, 0);
    j[PL_LOWER_ARM] = arm_place(dancer, UPPER_ARM, 0, 0);
    j[PL_ARM_TWIST] = arm_place(dancer, UPPER_ARM + FOREARM / 2, 0, 0);
    j[PL_HAND] = arm_place(dancer, WRIST, 0, 0);
    j[PL_FINGERS] = arm_place(dancer, KNUCKLES, 0, 0);
    j[PL_THUMB] = arm_place(dancer, 0.560, 0.010, 0.034);
    j[PL_THIGH] = v3(0.0900, 0.905, -0.005);
    j[PL_SHIN] = v3(0.0920, 0.487, 0.002);
    j[PL_FOOT] = v3(0.0945, 0.085, -0.020);
    j[PL_TOES] = v3(0.1090, 0.018, 0.112);
    for (uint32_t i = PL_LEFT; i < PL_RIGHT; ++i)
    {
        j[i + PL_SIDE] = v3_mirror(j[i]);
    }
}

void pl_dancer_init(pl_dancer *dancer)
{
    *dancer = (pl_dancer){0};
    dancer->arm_axis = v3(cos(pl_radians(-40)), sin(pl_radians(-40)), 0);
    pl_v3 inward = v3(dancer->arm_axis.y, -dancer->arm_axis.x, 0);
    pl_v3 origin = v3(0, 0, 0), right = v3(1, 0, 0), up = v3(0, 1, 0);
    pl_v3 forward = v3_unit(v3(sin(pl_radians(7)), 0, cos(pl_radians(7))));
    pl_loft_init(&dancer->torso, origin, right, up, torso_sections, COUNT(torso_sections), 0.012, 0.03);
    pl_loft_init(&dancer->face, origin, right, up, face_sections, COUNT(face_sections), 0.010, 0.03);
    pl_loft_init(&dancer->arm, SHOULDER, inward, dancer->arm_axis, arm_sections, COUNT(arm_sections), 0.03, 0.01);
    pl_loft_init(&dancer->palm, SHOULDER, inward, dancer->arm_axis, palm_sections, COUNT(palm_sections), 0.01, 0.008);
    pl_loft_init(&dancer->leg, origin, right, up, leg_sections, COUNT(leg_sections), 0.03, 0.04);
    pl_loft_init(&dancer->foot, v3(0.0945, 0.000, -0.020), v3(forward.z, 0, -forward.x), forward, foot_sections,
                 COUNT(foot_sections), 0.020, 0.018);
    add_trunk(dancer);
    add_head(dancer);
    add_hand(dancer);
    place_joints(dancer);
}

/* ---- Borders ---- */

/* A crescent on the front of the face: an arc of a given half width through (x, y), rising by rise at its ends. */
static double crescent(pl_v3 p, double x, double y, double half_width, double half_height, double rise)
{
    double u = (fabs(p.x) - x) / half_width;
    double line = y + rise * u * u;
    double thick = half_height * (1.35 - u * u);
    return p.z > 0.03 ? fmax(fabs(p.y - line) - thick, (fabs(u) - 1) * half_width) : 0.01;
}

double pl_dancer_lips(const void *user, pl_v3 p)
{
    (void)user;
    double u = p.x / 0.0198;
    /* The upper lip has its bow. */
    double bow = 0.0074 - 0.0012 * pl_smoothstep(0.006, 0, fabs(p.x));
    double v = (p.y - 1.5300) / (p.y > 1.5300 ? bow : 0.0078);
    return p.z > 0.03 ? (sqrt(u * u + v * v) - 1) * 0.010 : 0.01;
}

double pl_dancer_brow(const void *user, pl_v3 p)
{
    (void)user;
    double lashes = crescent(p, 0.0305, 1.5820, 0.0150, 0.0014, 0.0035);
    double brows = crescent(p, 0.0320, 1.6080, 0.0180, 0.0016, -0.0040);
    return fmin(lashes, brows);
}

double pl_dancer_hair(const void *user, pl_v3 p)
{
    /* The hairline in side view: how far forward hair reaches at each height. */
    static const double line[][2] = {{1.480, -0.150}, {1.515, -0.070}, {1.540, -0.048}, {1.565, -0.037},
                                     {1.585, -0.024}, {1.601, -0.002}, {1.615, 0.020},  {1.632, 0.040},
                                     {1.650, 0.061},  {1.668, 0.083},  {1.710, 0.120}};
    uint32_t i = 0;
    while (i + 2 < COUNT(line) && p.y > line[i + 1][0])
    {
        ++i;
    }
    double slope = (line[i + 1][1] - line[i][1]) / (line[i + 1][0] - line[i][0]);
    double reach = line[i][1] + slope * (p.y - line[i][0]);
    double hairline = (p.z - reach) / sqrt(1 + slope * slope);
    return fmin(hairline, pl_dancer_brow(user, p));
}

double pl_dancer_slipper(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    double along = v3_dot(v3_sub(p, dancer->foot.origin), dancer->foot.t);
    /* High at the heel, low along the sides, over the toes a round vamp. */
    double height = 0.052 - 0.030 * pl_smoothstep(-0.05, 0.04, along) + 0.10 * pl_smoothstep(0.075, 0.135, along);
    return (p.y - height) * 0.8;
}

double pl_dancer_below_neckline(const void *user, pl_v3 p)
{
    (void)user;
    pl_v3 q = v3_sub(p, v3(0, 1.425, 0.018));
    double scoop = v3_length(v3(q.x / 0.094, q.y / 0.095, q.z / 0.098));
    double column = v3_length(v3(q.x / 0.094, 0, q.z / 0.098)) - 0.6 * fmax(q.y, 0) / 0.1;
    return (1 - (q.y < 0 ? scoop : column)) * 0.094;
}

double pl_dancer_above_cuff(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    pl_v3 d = v3_sub(v3(fabs(p.x), p.y, p.z), dancer->arm.origin);
    double t = v3_dot(d, dancer->arm_axis);
    double apart = v3_length(v3_mad(d, -t, dancer->arm_axis));
    return apart < 0.12 ? t - 0.488 : -0.1;
}

double pl_dancer_above_leg_line(const void *user, pl_v3 p)
{
    (void)user;
    double back = pl_smoothstep(0.05, -0.06, p.z);
    /* From the crotch to the hip bone: high in front, low over the seat. */
    double low = pl_mix(0.792, 0.780, back), high = pl_mix(0.985, 0.955, back);
    double bow = pl_mix(0, -0.030, back);
    double x = fabs(p.x), u = pl_clamp((x - 0.030) / 0.14, -0.5, 1.1);
    double line = pl_mix(low, high, u) + 4 * bow * u * (1 - u);
    return (line - p.y) * 0.62;
}
