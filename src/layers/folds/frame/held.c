/* Bends past a right angle, where plain skinning pushes a limb through itself.
 *
 * There the lines inside the bend turn around and grow back, so that their lengths mean nothing, and no plane is left
 * for folds to stop at. Lengths, rooms and amplitudes therefore come from a held pose: the same limb with its swing
 * kept at a right angle or a little more. The folds rise in the real pose; frame/press_wide.c keeps them on their own
 * side of it. */
#include "layers/folds/folds.h"

/* The swing in radians is free up to here; twice the rest of the way further on it is held. */
#define HELD_FREE 1.62f
#define HELD_MOST 1.80f
/* From here on a limb whose weights blend over a short way may touch itself: its sides are kept apart. */
#define DEEP 1.0f
/* A crease that is to be open is so over this much of a swing. */
#define OPENING 0.3f

/* Swings, radians, from where on something begins and where it is whole, or over which it ends. Chosen on the arm,
 * dancers and sleeves; see docs/folds.md, "Deep bends". */
typedef struct swing_range
{
    float begin, whole;
} swing_range;
static const swing_range taking = {1.3f, 1.5f};      /* less of what comes over, and length shared along the ring */
static const swing_range tucking = {1.3f, 1.45f};    /* the crease takes up length */
static const swing_range untucking = {1.8f, 2.1f};   /* it does not any more: nothing of it is seen */
static const swing_range giving_up = {1.65f, 1.85f}; /* length is lost under cover */
static const swing_range cutting = {1.83f, 2.15f};   /* stubs are left out */
static const swing_range pressing = {DEEP, 1.45f};   /* cloth is put back onto the crease */

static float part_of(swing_range range, float swing)
{
    return pl_fold_ramp(swing, range.begin, range.whole);
}

/* The part of a swing that is held back. Smooth, never falling. */
static float excess_of(float swing)
{
    float over = swing - HELD_FREE, span = 2 * (HELD_MOST - HELD_FREE);
    if (!(over > 0))
    {
        return 0;
    }
    return over >= span ? swing - HELD_MOST : over * over / (2 * span);
}

/* Turns the joint back about the pivot; returns how places of it move. */
static pleat_affine turn_of(const pleat_affine *joint, pl_f4 pivot, pl_f4 back)
{
    pleat_affine turn;
    for (int c = 0; c < 4; ++c)
    {
        pl_f4 column = pl_set(joint->row[0][c], joint->row[1][c], joint->row[2][c], 0);
        column -= c == 3 ? pivot : pl_splat(0);
        pl_f4 moved = pl_quat_rotate(back, column) - column;
        for (int r = 0; r < 3; ++r)
        {
            turn.row[r][c] = moved[r];
        }
    }
    return turn;
}

/* The swing of a ring's joint, radians, and in axis, about what: as long as its sine. */
static float swing_about(const pl_bound_ring *ring, const pleat_affine *joints, pl_f4 *axis)
{
    pl_f4 near = pl_normalize3(pl_affine_vector(&joints[ring->limb.parent], ring->limb.axis));
    pl_f4 far = pl_normalize3(pl_affine_vector(&joints[ring->limb.joint], ring->limb.axis));
    *axis = pl_cross(far, near);
    return atan2f(pl_length3(*axis), pl_dot3(near, far));
}

float pl_fold_swing(const pl_bound_ring *ring, const pleat_affine *joints)
{
    pl_f4 axis;
    return swing_about(ring, joints, &axis);
}

pl_fold_held pl_fold_held_of(const pl_bound_ring *ring, const pleat_layer_frame *frame)
{
    const pleat_affine *joint = &frame->joints[ring->limb.joint];
    pl_f4 axis;
    float swing = swing_about(ring, frame->joints, &axis), sine = pl_length3(axis);
    pl_fold_held held = {.pivot = pl_affine_point(joint, ring->limb.pivot), .linear = ring->limb.linear};
    held.deep = swing > DEEP;
    held.take = PL_FOLD_TAKE + (PL_FOLD_TAKE_DEEP - PL_FOLD_TAKE) * part_of(taking, swing);
    held.tuck = part_of(tucking, swing) * (1 - part_of(untucking, swing));
    held.spared = part_of(tucking, swing);
    held.given_up = part_of(giving_up, swing);
    held.along = part_of(taking, swing);
    held.stubs = part_of(cutting, swing);
    held.press = part_of(pressing, swing);
    if (swing > ring->limb.opens - OPENING)
    {
        float closed = 1 - pl_fold_ramp(swing, ring->limb.opens - OPENING, ring->limb.opens);
        held.tuck *= closed;
        held.press *= closed;
    }
    held.excess = sine > 1e-4f ? excess_of(swing) : 0;
    if (held.excess > 0)
    {
        held.axis = axis * pl_splat(1 / sine);
        held.back = pl_quat_axis_angle(held.axis, held.excess);
        held.turn = turn_of(joint, held.pivot, held.back);
    }
    return held;
}
