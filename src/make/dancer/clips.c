/* The dancer's clips: arabesque, squat, twist. */
#include "make/dancer/dance.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Arms low in front, round; both sides alike. */
#define LOW_ARM                                                                                                        \
    {                                                                                                                  \
        .raise = -66, .forward = 28, .roll = 20, .elbow = 26, .pronate = -30, .wrist = 10, .fingers = 8                \
    }
/* Arms to the side, a little forward and below the shoulder. */
#define SECOND_ARM                                                                                                     \
    {                                                                                                                  \
        .raise = -8, .forward = 16, .roll = 30, .elbow = 16, .pronate = -40, .wrist = 8, .fingers = 8                  \
    }

pleat_result pl_dancer_clip_arabesque(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node)
{
    /* On the left leg; the right one is drawn along the floor, lifted behind and brought back. */
    static const pl_pose_key keys[] = {
        {.time = 0, .arm = {LOW_ARM, LOW_ARM}},
        {.time = 0.7,
         .hips = {0.040, 0.001, 0},
         .neck = {2, 8, 0},
         .arm = {{.raise = -22, .forward = 62, .roll = 24, .elbow = 34, .pronate = -30, .wrist = 8, .fingers = 8},
                 {.raise = -22, .forward = 62, .roll = 24, .elbow = 34, .pronate = -30, .wrist = 8, .fingers = 8}},
         .leg = {{.turnout = 4}, {.turnout = 6}}},
        {.time = 1.1,
         .hips = {0.068, 0.001, 0.004},
         .pitch = 2,
         .spine = {-3, 0, 0},
         .neck = {0, 10, 0},
         .arm = {{.raise = -14, .forward = 40, .roll = 28, .elbow = 24, .pronate = -36, .wrist = 8, .fingers = 8},
                 {.raise = -14, .forward = 40, .roll = 28, .elbow = 24, .pronate = -36, .wrist = 8, .fingers = 8}},
         .leg = {{.turnout = 6}, {.slide = {-0.02, -0.15}, .turnout = 14, .point = 30, .toes = -28, .flex = -16}}},
        {.time = 1.5,
         .hips = {0.086, -0.002, 0.010},
         .pitch = 6,
         .spine = {-8, 0, 0},
         .neck = {-3, 10, 0},
         .arm = {SECOND_ARM, SECOND_ARM},
         .leg = {{.turnout = 8},
                 {.slide = {-0.04, -0.34}, .flex = -26, .turnout = 22, .point = 66, .toes = -4, .abduct = -3}}},
        {.time = 2.7,
         .hips = {0.098, -0.010, 0.020},
         .pitch = 40,
         .yaw = -8,
         .roll = -4,
         .spine = {-44, 8, 4},
         .neck = {-14, 4, 0},
         .arm = {{.raise = 14, .forward = 77, .roll = 30, .elbow = 8, .pronate = -52, .wrist = -4, .fingers = 4},
                 {.raise = 0, .forward = -6, .roll = 30, .elbow = 8, .pronate = -42, .wrist = 2, .fingers = 6}},
         .leg = {{.turnout = 10}, {.air = 1, .flex = -56, .turnout = 34, .point = 50, .toes = 28, .abduct = 4}}},
        {.time = 3.4,
         .hips = {0.098, -0.010, 0.022},
         .pitch = 43,
         .yaw = -9,
         .roll = -4,
         .spine = {-50, 9, 4},
         .neck = {-16, 4, 0},
         .arm = {{.raise = 18, .forward = 78, .roll = 30, .elbow = 6, .pronate = -52, .wrist = -6, .fingers = 3},
                 {.raise = 2, .forward = -8, .roll = 30, .elbow = 6, .pronate = -42, .wrist = 0, .fingers = 5}},
         .leg = {{.turnout = 10}, {.air = 1, .flex = -58, .turnout = 36, .point = 52, .toes = 30, .abduct = 4}}},
        {.time = 4.4,
         .hips = {0.084, -0.002, 0.010},
         .pitch = 6,
         .spine = {-7, 0, 0},
         .neck = {0, 2, 0},
         .arm = {SECOND_ARM, SECOND_ARM},
         .leg = {{.turnout = 8},
                 {.slide = {-0.04, -0.34}, .flex = -26, .turnout = 20, .point = 66, .toes = -4, .abduct = -3}}},
        {.time = 4.8,
         .hips = {0.050, 0.001, 0.004},
         .pitch = 2,
         .spine = {-2, 0, 0},
         .arm = {{.raise = -36, .forward = 24, .roll = 26, .elbow = 20, .pronate = -34, .wrist = 8, .fingers = 8},
                 {.raise = -36, .forward = 24, .roll = 26, .elbow = 20, .pronate = -34, .wrist = 8, .fingers = 8}},
         .leg = {{.turnout = 4}, {.slide = {-0.02, -0.15}, .turnout = 10, .point = 30, .toes = -28, .flex = -16}}},
        {.time = 5.3, .arm = {LOW_ARM, LOW_ARM}},
    };
    return pl_dance_bake(maker, dancer, first_node, "arabesque", keys, COUNT(keys));
}

pleat_result pl_dancer_clip_squat(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node)
{
    static const pl_pose_key keys[] = {
        {.time = 0, .arm = {LOW_ARM, LOW_ARM}},
        {.time = 0.4, .hips = {0, -0.010, 0}, .arm = {LOW_ARM, LOW_ARM}, .leg = {{.turnout = 4}, {.turnout = 4}}},
        {.time = 1.7,
         .hips = {0, -0.400, -0.165},
         .pitch = 40,
         .spine = {4, 0, 0},
         .neck = {-26, 0, 0},
         .arm = {{.raise = 34, .forward = 82, .roll = 24, .elbow = 12, .pronate = -30, .fingers = 6},
                 {.raise = 34, .forward = 82, .roll = 24, .elbow = 12, .pronate = -30, .fingers = 6}},
         .leg = {{.turnout = 18}, {.turnout = 18}}},
        {.time = 2.2,
         .hips = {0, -0.410, -0.165},
         .pitch = 38,
         .spine = {2, 0, 0},
         .neck = {-24, 0, 0},
         .arm = {{.raise = 36, .forward = 82, .roll = 24, .elbow = 10, .pronate = -30, .fingers = 6},
                 {.raise = 36, .forward = 82, .roll = 24, .elbow = 10, .pronate = -30, .fingers = 6}},
         .leg = {{.turnout = 18}, {.turnout = 18}}},
        {.time = 3.6, .hips = {0, -0.004, 0}, .arm = {LOW_ARM, LOW_ARM}, .leg = {{.turnout = 2}, {.turnout = 2}}},
        {.time = 4.0, .arm = {LOW_ARM, LOW_ARM}},
    };
    return pl_dance_bake(maker, dancer, first_node, "squat", keys, COUNT(keys));
}

pleat_result pl_dancer_clip_twist(pl_maker *maker, const pl_dancer *dancer, uint32_t first_node)
{
    static const pl_pose_key keys[] = {
        {.time = 0, .arm = {LOW_ARM, LOW_ARM}},
        {.time = 0.8, .hips = {0, -0.006, 0}, .neck = {0, 4, 0}, .arm = {SECOND_ARM, SECOND_ARM}},
        {.time = 1.7,
         .hips = {0, -0.014, 0},
         .yaw = 14,
         .spine = {-4, 44, 0},
         .neck = {0, 30, 0},
         .arm = {{.raise = -4, .forward = 4, .roll = 30, .elbow = 12, .pronate = -38, .wrist = 6, .fingers = 6},
                 {.raise = -6, .forward = 52, .roll = 30, .elbow = 34, .pronate = -38, .wrist = 8, .fingers = 8}}},
        {.time = 3.1,
         .hips = {0, -0.014, 0},
         .yaw = -14,
         .spine = {-4, -44, 0},
         .neck = {0, -30, 0},
         .arm = {{.raise = -6, .forward = 52, .roll = 30, .elbow = 34, .pronate = -38, .wrist = 8, .fingers = 8},
                 {.raise = -4, .forward = 4, .roll = 30, .elbow = 12, .pronate = -38, .wrist = 6, .fingers = 6}}},
        {.time = 4.0, .hips = {0, -0.006, 0}, .arm = {SECOND_ARM, SECOND_ARM}},
        {.time = 4.8, .arm = {LOW_ARM, LOW_ARM}},
    };
    return pl_dance_bake(maker, dancer, first_node, "twist", keys, COUNT(keys));
}
