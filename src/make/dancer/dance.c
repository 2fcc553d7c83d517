/* The bake of poses; see dance.h. */
#include "make/dancer/dance.h"

enum
{
    VALUES = sizeof(pl_pose_key) / sizeof(double) /* time and all */
};

typedef struct stance
{
    pl_q world[PL_DANCER_JOINTS];
    pl_v3 place[PL_DANCER_JOINTS];
} stance;

/* ---- Between keys: monotone cubics, flat at the ends ---- */

static double slope_at(const double *values, const pl_pose_key *keys, uint32_t count, uint32_t k, uint32_t stride)
{
    if (k == 0 || k + 1 == count)
    {
        return 0;
    }
    double h0 = keys[k].time - keys[k - 1].time, h1 = keys[k + 1].time - keys[k].time;
    double d0 = (values[k * stride] - values[(k - 1) * stride]) / h0;
    double d1 = (values[(k + 1) * stride] - values[k * stride]) / h1;
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
}

static pl_pose_key pose_at(const pl_pose_key *keys, uint32_t count, double time)
{
    uint32_t k = 0;
    while (k + 2 < count && time > keys[k + 1].time)
    {
        ++k;
    }
    double h = keys[k + 1].time - keys[k].time;
    double u = pl_clamp((time - keys[k].time) / h, 0, 1);
    pl_pose_key pose;
    for (uint32_t i = 0; i < VALUES; ++i)
    {
        const double *values = (const double *)keys + i;
        double a = values[k * VALUES], b = values[(k + 1) * VALUES];
        double da = slope_at(values, keys, count, k, VALUES) * h, db = slope_at(values, keys, count, k + 1, VALUES) * h;
        double value = a + u * (da + u * (3 * (b - a) - 2 * da - db + u * (2 * (a - b) + da + db)));
        memcpy((char *)&pose + i * sizeof value, &value, sizeof value);
    }
    return pose;
}

/* ---- One pose ---- */

static void set_joint(const pl_dancer *dancer, stance *s, uint32_t joint, pl_q local)
{
    uint32_t parent = pl_dancer_parent(joint);
    s->world[joint] = pl_q_mul(s->world[parent], local);
    pl_v3 offset = v3_sub(dancer->joints[joint], dancer->joints[parent]);
    s->place[joint] = v3_add(s->place[parent], pl_q_turn(s->world[parent], offset));
}

/* The mirror image of a turn, for the right side. */
static pl_q sided(pl_q q, uint32_t side)
{
    return side ? (pl_q){q.x, -q.y, -q.z, q.w} : q;
}

static void pose_trunk(const pl_dancer *dancer, const pl_pose_key *pose, stance *s)
{
    static const double share[3] = {0.36, 0.36, 0.28};
    s->world[PL_HIPS] = pl_q_degrees(pose->pitch, pose->yaw, -pose->roll);
    s->place[PL_HIPS] = v3_add(dancer->joints[PL_HIPS], v3(pose->hips[0], pose->hips[1], pose->hips[2]));
    for (uint32_t i = 0; i < 3; ++i)
    {
        double part = share[i];
        set_joint(dancer, s, PL_SPINE + i,
                  pl_q_degrees(pose->spine[0] * part, pose->spine[1] * part, -pose->spine[2] * part));
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        set_joint(dancer, s, PL_NECK + i, pl_q_degrees(pose->neck[0] / 2, pose->neck[1] / 2, -pose->neck[2] / 2));
    }
}

static void pose_arm(const pl_dancer *dancer, const pl_arm_pose *arm, uint32_t side, stance *s)
{
    uint32_t at = side * PL_SIDE;
    pl_v3 axis = dancer->arm_axis, palm = dancer->arm.x, thumb = dancer->arm.z;
    double raise = pl_radians(arm->raise), forward = pl_radians(arm->forward);
    pl_v3 way = v3(cos(raise) * cos(forward), sin(raise), cos(raise) * sin(forward));
    /* The shoulder goes up and forward with the arm. */
    double lift = arm->shoulder + 0.30 * fmax(arm->raise + 10, 0);
    pl_q clavicle = pl_q_degrees(0, -0.18 * arm->forward, lift);
    pl_q upper = pl_q_mul(pl_q_between(axis, way), pl_q_axis(axis, pl_radians(arm->roll)));
    pl_q roll = pl_q_axis(axis, pl_radians(arm->pronate));
    pl_q half_roll = pl_q_axis(axis, pl_radians(arm->pronate / 2));
    pl_v3 bend = v3_cross(axis, palm);
    pl_q hand = pl_q_mul(roll, pl_q_axis(bend, pl_radians(arm->wrist)));
    set_joint(dancer, s, at + PL_CLAVICLE, sided(clavicle, side));
    set_joint(dancer, s, at + PL_UPPER_ARM, sided(pl_q_mul(pl_q_inverse(clavicle), upper), side));
    set_joint(dancer, s, at + PL_LOWER_ARM, sided(pl_q_axis(v3_cross(axis, thumb), pl_radians(arm->elbow)), side));
    set_joint(dancer, s, at + PL_ARM_TWIST, sided(half_roll, side));
    set_joint(dancer, s, at + PL_HAND, sided(hand, side));
    set_joint(dancer, s, at + PL_FINGERS, sided(pl_q_axis(bend, pl_radians(arm->fingers)), side));
    set_joint(dancer, s, at + PL_THUMB, sided(pl_q_axis(bend, pl_radians(arm->fingers / 3)), side));
}

static void pose_free_leg(const pl_dancer *dancer, const pl_leg_pose *leg, uint32_t side, stance *s)
{
    uint32_t at = side * PL_SIDE;
    pl_q turn = pl_q_degrees(0, leg->turnout, 0);
    pl_q thigh = pl_q_mul(pl_q_degrees(-leg->flex, 0, leg->abduct), turn);
    set_joint(dancer, s, at + PL_THIGH, sided(thigh, side));
    set_joint(dancer, s, at + PL_SHIN, sided(pl_q_degrees(leg->knee, 0, 0), side));
    set_joint(dancer, s, at + PL_FOOT, sided(pl_q_degrees(leg->point, 0, 0), side));
    set_joint(dancer, s, at + PL_TOES, sided(pl_q_degrees(leg->toes, 0, 0), side));
}

/* How far the ankle is above the lowest of heel, ball and tip, for a foot turned so. */
static double ankle_height(const pl_dancer *dancer, uint32_t side, pl_q foot, pl_q toes)
{
    const pl_v3 *rest = &dancer->joints[side * PL_SIDE];
    static const double along[3] = {-0.04, 0.12, 0.222};
    double lowest = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        pl_v3 place = v3_mad(dancer->foot.origin, along[i], dancer->foot.t);
        place = side ? v3_mirror(place) : place;
        pl_v3 ball = v3_sub(rest[PL_TOES], rest[PL_FOOT]);
        pl_v3 beyond = pl_q_turn(toes, v3_sub(place, rest[PL_TOES]));
        pl_v3 sole = i == 0 ? v3_sub(place, rest[PL_FOOT]) : v3_add(ball, beyond);
        lowest = pl_lesser(lowest, pl_q_turn(foot, sole).y);
    }
    return -lowest;
}

/* The turn that takes a rest bone to a way, with the knee's forward as near to ahead as can be. */
static pl_q aim(pl_v3 rest_bone, pl_v3 way, pl_v3 ahead)
{
    pl_q q = pl_q_between(v3_unit(rest_bone), way);
    pl_v3 now = pl_q_turn(q, v3(0, 0, 1));
    now = v3_unit(v3_mad(now, -v3_dot(now, way), way));
    ahead = v3_unit(v3_mad(ahead, -v3_dot(ahead, way), way));
    double angle = atan2(v3_dot(v3_cross(now, ahead), way), v3_dot(now, ahead));
    return pl_q_mul(pl_q_axis(way, angle), q);
}

/* Two bones from the hip to an ankle whose foot is on the floor. */
static void pose_ground_leg(const pl_dancer *dancer, const pl_leg_pose *leg, uint32_t side, stance *s)
{
    uint32_t at = side * PL_SIDE;
    const pl_v3 *rest = dancer->joints;
    pl_q turn = sided(pl_q_degrees(0, leg->turnout, 0), side);
    pl_q foot = pl_q_mul(turn, pl_q_degrees(leg->point, 0, 0)), toes = pl_q_degrees(leg->toes, 0, 0);
    pl_v3 ahead = pl_q_turn(turn, v3(0, 0, 1));
    pl_v3 thigh = v3_sub(rest[at + PL_SHIN], rest[at + PL_THIGH]),
          shin = v3_sub(rest[at + PL_FOOT], rest[at + PL_SHIN]);
    double upper = v3_length(thigh), lower = v3_length(shin);
    pl_v3 hip_offset = v3_sub(rest[at + PL_THIGH], rest[PL_HIPS]);
    pl_v3 hip = v3_add(s->place[PL_HIPS], pl_q_turn(s->world[PL_HIPS], hip_offset));
    pl_v3 ankle = v3_add(rest[at + PL_FOOT], v3((side ? -1 : 1) * leg->slide[0], 0, leg->slide[1]));
    ankle.y = ankle_height(dancer, side, foot, toes);
    pl_v3 way = v3_sub(ankle, hip);
    double reach = pl_clamp(v3_length(way), 0.2, (upper + lower) * 0.9998);
    way = v3_unit(way);
    double along = (upper * upper + reach * reach - lower * lower) / (2 * reach);
    double aside = sqrt(pl_greater(upper * upper - along * along, 0));
    pl_v3 across = v3_unit(v3_mad(ahead, -v3_dot(ahead, way), way));
    pl_v3 knee = v3_mad(v3_mad(hip, along, way), aside, across);
    ankle = v3_mad(hip, reach, way);
    pl_q thigh_world = aim(thigh, v3_unit(v3_sub(knee, hip)), ahead);
    pl_q shin_world = aim(shin, v3_unit(v3_sub(ankle, knee)), ahead);
    set_joint(dancer, s, at + PL_THIGH, pl_q_mul(pl_q_inverse(s->world[PL_HIPS]), thigh_world));
    set_joint(dancer, s, at + PL_SHIN, pl_q_mul(pl_q_inverse(s->world[at + PL_THIGH]), shin_world));
    set_joint(dancer, s, at + PL_FOOT, pl_q_mul(pl_q_inverse(s->world[at + PL_SHIN]), foot));
    set_joint(dancer, s, at + PL_TOES, sided(toes, side));
}

/* Between two turns, the short way; near enough alike for a straight blend. */
static pl_q blend_turns(pl_q a, pl_q b, double part)
{
    double sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    pl_q q = {pl_mix(a.x, sign * b.x, part), pl_mix(a.y, sign * b.y, part), pl_mix(a.z, sign * b.z, part),
              pl_mix(a.w, sign * b.w, part)};
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (pl_q){q.x / length, q.y / length, q.z / length, q.w / length};
}

static pl_q local_turn(const stance *s, uint32_t joint)
{
    return pl_q_mul(pl_q_inverse(s->world[pl_dancer_parent(joint)]), s->world[joint]);
}

/* On the floor, free, or on the way from one to the other. */
static void pose_leg(const pl_dancer *dancer, const pl_leg_pose *leg, uint32_t side, stance *s)
{
    stance raised = *s;
    pose_ground_leg(dancer, leg, side, s);
    pose_free_leg(dancer, leg, side, &raised);
    pl_q turns[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        uint32_t joint = PL_THIGH + i + side * PL_SIDE;
        turns[i] = blend_turns(local_turn(s, joint), local_turn(&raised, joint), leg->air);
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        set_joint(dancer, s, PL_THIGH + i + side * PL_SIDE, turns[i]);
    }
}

static void pose_all(const pl_dancer *dancer, const pl_pose_key *pose, stance *s)
{
    pose_trunk(dancer, pose, s);
    for (uint32_t side = 0; side < 2; ++side)
    {
        pose_arm(dancer, &pose->arm[side], side, s);
        pose_leg(dancer, &pose->leg[side], side, s);
    }
}

/* ---- The bake ---- */

static void write_key(float *key, const stance *s, uint32_t joint, const float *before)
{
    uint32_t parent = pl_dancer_parent(joint);
    pl_q q = parent == PLEAT_NONE ? s->world[joint] : pl_q_mul(pl_q_inverse(s->world[parent]), s->world[joint]);
    /* The same sign as the key before, so that a viewer's interpolation takes the short way. */
    double sign = before && q.x * (double)before[0] + q.y * (double)before[1] + q.z * (double)before[2] +
                                    q.w * (double)before[3] <
                                0
                      ? -1
                      : 1;
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w) * sign;
    key[0] = (float)(q.x / length);
    key[1] = (float)(q.y / length);
    key[2] = (float)(q.z / length);
    key[3] = (float)(q.w / length);
}

pleat_result pl_dance_bake(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node, const char *name,
                           const pl_pose_key *keys, uint32_t key_count)
{
    uint32_t frame_count = (uint32_t)floor(keys[key_count - 1].time * PL_MAKE_FPS + 0.5) + 1;
    pleat_clip *clip;
    pleat_channel *channels;
    float *times, *hips, *turns[PL_DANCER_JOINTS];
    /* One more than she needs: room for a garment's weights. */
    PL_TRY(pl_maker_clip(maker, name, frame_count, PL_DANCER_JOINTS + 2, &clip, &channels, &times));
    clip->channel_count = PL_DANCER_JOINTS + 1;
    PL_TRY(pl_maker_channel(maker, &channels[PL_DANCER_JOINTS], first_node + PL_HIPS, PLEAT_TRANSLATION, 3, frame_count,
                            times, &hips));
    for (uint32_t j = 0; j < PL_DANCER_JOINTS; ++j)
    {
        PL_TRY(pl_maker_channel(maker, &channels[j], first_node + j, PLEAT_ROTATION, 4, frame_count, times, &turns[j]));
    }
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        stance s;
        pl_pose_key pose = pose_at(keys, key_count, (double)f / PL_MAKE_FPS);
        pose_all(dancer, &pose, &s);
        hips[3 * f] = (float)s.place[PL_HIPS].x;
        hips[3 * f + 1] = (float)s.place[PL_HIPS].y;
        hips[3 * f + 2] = (float)s.place[PL_HIPS].z;
        for (uint32_t j = 0; j < PL_DANCER_JOINTS; ++j)
        {
            write_key(&turns[j][4 * f], &s, j, f ? &turns[j][4 * (f - 1)] : NULL);
        }
    }
    return PLEAT_OK;
}
