/* The dancer's joints and weights.
 *
 * Weights are a function of the place, not of the mesh, so that skin and garments, whose vertices differ, move as one.
 * Along a chain a joint takes over from its parent by a smoothstep across the joint; where a limb leaves the trunk, the
 * share of the limb grows with how much nearer it is than the trunk. */
#include "make/dancer/dancer.h"

static const char *const names[PL_DANCER_JOINTS] = {
    "hips",
    "spine",
    "spine_1",
    "chest",
    "neck",
    "head",
    "left_clavicle",
    "left_upper_arm",
    "left_lower_arm",
    "left_arm_twist",
    "left_hand",
    "left_fingers",
    "left_thumb",
    "left_thigh",
    "left_shin",
    "left_foot",
    "left_toes",
    "right_clavicle",
    "right_upper_arm",
    "right_lower_arm",
    "right_arm_twist",
    "right_hand",
    "right_fingers",
    "right_thumb",
    "right_thigh",
    "right_shin",
    "right_foot",
    "right_toes",
};

static const uint32_t parents[PL_RIGHT] = {
    PLEAT_NONE,   PL_HIPS,      PL_SPINE, PL_SPINE_1, PL_CHEST, PL_NECK,  PL_CHEST, PL_CLAVICLE, PL_UPPER_ARM,
    PL_LOWER_ARM, PL_LOWER_ARM, PL_HAND,  PL_HAND,    PL_HIPS,  PL_THIGH, PL_SHIN,  PL_FOOT,
};

const char *pl_dancer_joint_name(uint32_t joint)
{
    return names[joint];
}

uint32_t pl_dancer_parent(uint32_t joint)
{
    if (joint < PL_RIGHT)
    {
        return parents[joint];
    }
    uint32_t parent = parents[joint - PL_SIDE];
    return parent < PL_LEFT ? parent : parent + PL_SIDE;
}

/* The share of the left leg and of its parts; p.x may have either sign. */
static double leg_weights(pl_v3 p, double parts[4])
{
    /* The groin: from the hip bone down to the crotch, lower over the seat. */
    double s = (p.x - 0.090) * 0.66 - (p.y - 0.895) * 0.75 + 0.30 * fmin(p.z + 0.03, 0);
    /* The crotch is shared by both legs and the hips; below it each leg is its own. Hands are near, but no leg. */
    double share = fmax(0.040 - 0.7 * fmax(0.800 - p.y, 0), 0.003);
    double lateral = pl_smoothstep(-share, share, p.x) * pl_smoothstep(0.30, 0.22, p.x);
    double leg = pl_smoothstep(-0.075, 0.065, s) * lateral;
    double shin = pl_smoothstep(0.535, 0.438, p.y + 0.10 * (p.z - 0.002));
    double foot = pl_smoothstep(-0.040, 0.036, 0.092 - p.y + 0.40 * (p.z + 0.020));
    double toes = pl_smoothstep(0.090, 0.132, p.z);
    parts[0] = leg * (1 - shin);
    parts[1] = leg * shin * (1 - foot);
    parts[2] = leg * shin * foot * (1 - toes);
    parts[3] = leg * shin * foot * toes;
    return leg;
}

/* The share of the left arm and of its parts: clavicle, upper arm, lower arm, twist, hand, fingers, thumb. */
static void arm_weights(const pl_dancer *dancer, pl_v3 p, double parts[7])
{
    pl_v3 d = v3_sub(p, dancer->arm.origin);
    double t = v3_dot(d, dancer->arm.t), x = v3_dot(d, dancer->arm.x), z = v3_dot(d, dancer->arm.z);
    double nearer = pl_loft_distance(&dancer->torso, p) - pl_loft_distance(&dancer->arm, p);
    double u = t > 0.2 ? 1 : pl_smooth_min(t - 0.005, nearer, 0.04);
    double arm = pl_smoothstep(-0.055, 0.055, u) * pl_smoothstep(0.17, 0.10, sqrt(x * x + z * z));
    double lower = pl_smoothstep(-0.042, 0.042, t - 0.278);
    double twist = pl_smoothstep(0.340, 0.470, t);
    double hand = pl_smoothstep(0.492, 0.545, t);
    double fingers = pl_smoothstep(0.584, 0.628, t);
    /* The thumb leaves the palm forward. */
    double aside = z - 0.036 - 0.16 * (t - 0.560);
    double thumb =
        pl_smoothstep(-0.016, 0.018, aside) * pl_smoothstep(0.530, 0.585, t) * pl_smoothstep(-0.020, 0.012, x);
    double clavicle =
        pl_smoothstep(0.035, 0.130, p.x) * pl_smoothstep(1.270, 1.385, p.y) * pl_smoothstep(1.490, 1.430, p.y);
    parts[0] = clavicle * (1 - arm) * 0.85;
    parts[1] = arm * (1 - lower);
    parts[2] = arm * lower * (1 - twist);
    parts[3] = arm * lower * twist * (1 - hand);
    parts[4] = arm * hand * (1 - fingers) * (1 - thumb);
    parts[5] = arm * hand * fingers * (1 - thumb);
    parts[6] = arm * hand * thumb;
}

static void trunk_weights(pl_v3 p, double weights[6])
{
    double up[7] = {1,
                    pl_smoothstep(0.930, 1.055, p.y),
                    pl_smoothstep(1.020, 1.150, p.y),
                    pl_smoothstep(1.120, 1.280, p.y),
                    pl_smoothstep(1.375, 1.450, p.y + 0.35 * (p.z + 0.02)),
                    pl_smoothstep(1.482, 1.548, p.y + 0.85 * p.z),
                    0};
    for (uint32_t i = 0; i < 6; ++i)
    {
        weights[i] = fmax(up[i] - up[i + 1], 0);
    }
}

void pl_dancer_weights(const pl_dancer *dancer, pl_v3 p, double weights[PL_DANCER_JOINTS])
{
    double limb = 0;
    for (uint32_t side = 0; side < 2; ++side)
    {
        pl_v3 q = side ? v3_mirror(p) : p;
        double *out = &weights[PL_LEFT + side * PL_SIDE];
        arm_weights(dancer, q, out);
        leg_weights(q, &out[PL_THIGH - PL_LEFT]);
        for (uint32_t i = 0; i < PL_SIDE; ++i)
        {
            limb += out[i];
        }
    }
    trunk_weights(p, weights);
    double trunk = 0;
    for (uint32_t i = 0; i < PL_LEFT; ++i)
    {
        trunk += weights[i];
    }
    /* Limbs first; the trunk has what they leave. */
    double rest = fmax(1 - limb, 0) / trunk, total = 0;
    for (uint32_t i = 0; i < PL_LEFT; ++i)
    {
        weights[i] *= rest;
    }
    for (uint32_t i = 0; i < PL_DANCER_JOINTS; ++i)
    {
        total += weights[i];
    }
    for (uint32_t i = 0; i < PL_DANCER_JOINTS; ++i)
    {
        weights[i] /= total;
    }
}
