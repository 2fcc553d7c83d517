/* Where bones and bends are in a frame. */
#include "layers/implicit/implicit.h"

/* Half the angle, as a sine, below which a bend counts as at rest, and from which on it counts wholly: 0.1 and 8
 * degrees. The lower is far above what rounding of matrices does. */
#define BENT_LEAST 0.00087
#define BENT_WHOLE 0.07
/* The plane of a bend begins to hold at, and holds wholly from, these angles: 10 and 50 degrees. */
#define CLAMP_FROM 0.1745329f
#define CLAMP_WHOLE 0.8726646f
/* and only as the bend turns from rest: wholly from 20 degrees on. */
#define CLAMP_TURN 0.35f
/* Half of the deepest bend, 155 degrees, in which both limbs have room side by side. Beyond it each keeps what it had
 * there, and they lie in each other. */
#define HALF_DEEPEST 1.353f
/* Where limbs are folded onto each other there is no plane between them, and plain skinning is left: from 160 degrees,
 * wholly at 175. */
#define PLANE_LOST 2.793f
#define PLANE_NONE 3.054f
/* What a sharp bend of a round tube loses, in cubic radii, comes back over about so much skin beside the contact, in
 * square radii: half of the limb's way round on both sides, as far as a bulge reaches. */
#define BULGE_AREA 12.0f
/* The largest bulge, in radii. */
#define BULGE_MOST 0.12f

static void pose_bone(const pl_implicit_bound *bound, const pl_implicit_bone *bone, const pleat_affine *joint,
                      pl_implicit_posed_bone *posed)
{
    const pl_hrbf *field = &bone->field;
    pleat_affine inverse, stretch, linear;
    posed->to_world = pl_affine_mul(joint, &bound->from_rest);
    posed->ready = pl_affine_inverse(&posed->to_world, &inverse);
    if (!posed->ready)
    {
        return;
    }
    linear = posed->to_world;
    pl_affine_polar(&linear, &posed->rotation, &stretch);
    posed->to_field = inverse;
    float scale = 1 / field->size;
    for (int r = 0; r < 3; ++r)
    {
        posed->to_field.row[r][3] -= field->middle[r];
        for (int c = 0; c < 4; ++c)
        {
            posed->to_field.row[r][c] *= scale;
            posed->ready = posed->ready && isfinite(posed->to_field.row[r][c]);
        }
    }
}

/* The volume that a round tube loses in a sharp bend: what is cut away on the inner side, less the ball outside. In
 * cubic radii. */
static float lost_volume(float angle)
{
    float half = fminf(0.5f * angle, HALF_DEEPEST);
    return 4.0f / 3 * tanf(half) - 4.0f / 3 * half;
}

static float smooth_between(float value, float low, float high)
{
    return pl_smooth_step((value - low) / (high - low));
}

static float angle_between(pl_f4 unit_a, pl_f4 unit_b)
{
    return 2 * atan2f(pl_length3(unit_b - unit_a), pl_length3(unit_b + unit_a));
}

/* The normal of the plane up to which a limb along the unit vector own has room beside other: halfway between both. */
static pl_f4 plane_of(pl_f4 own, pl_f4 other)
{
    float half = fminf(0.5f * angle_between(own, other), HALF_DEEPEST);
    pl_f4 across = pl_normalize3(other - own * pl_splat(pl_dot3(own, other)));
    return own * pl_splat(cosf(half)) + across * pl_splat(sinf(half));
}

static bool pose_bend(const pleat_implicit_options *options, const pl_implicit_bend *bend, const pl_implicit_pose *pose,
                      pl_implicit_posed_bend *posed)
{
    const pl_implicit_posed_bone *a = &pose->bones[bend->a], *b = &pose->bones[bend->b];
    *posed = (pl_implicit_posed_bend){0};
    if (!bend->tube || !a->ready || !b->ready)
    {
        return false;
    }
    pl_f4 turn = pl_quat_mul(pl_quat_conjugate(a->rotation), b->rotation);
    float half_sine = pl_length3(turn);
    posed->strength = smooth_between(half_sine, (float)BENT_LEAST, (float)BENT_WHOLE) * options->strength;
    if (!(posed->strength > 0))
    {
        posed->strength = 0;
        return false;
    }
    posed->turn = 2 * asinf(fminf(half_sine, 1));
    posed->origin =
        (pl_affine_point(&a->to_world, bend->origin) + pl_affine_point(&b->to_world, bend->origin)) * pl_splat(0.5f);
    pl_f4 from = pl_quat_rotate(a->rotation, bend->out_of_a), to = pl_quat_rotate(b->rotation, bend->into_b);
    posed->normal[0] = plane_of(from, to);
    posed->normal[1] = plane_of(to, from);
    posed->inner = pl_normalize3(to - from);
    float angle = angle_between(from, to), rest = angle_between(bend->out_of_a, bend->into_b);
    float folded = smooth_between(angle, PLANE_LOST, PLANE_NONE);
    float lost = fmaxf(lost_volume(angle) - lost_volume(rest), 0);
    lost *= 1 - smooth_between(angle, 2 * HALF_DEEPEST, PLANE_LOST);
    posed->bulge = fminf(options->bulge * lost / BULGE_AREA, BULGE_MOST) * bend->radius;
    posed->clamp = smooth_between(angle, CLAMP_FROM, CLAMP_WHOLE) * smooth_between(2 * half_sine, 0, CLAMP_TURN);
    posed->clamp *= 1 - folded;
    posed->strength *= 1 - folded;
    return true;
}

bool pl_implicit_pose_frame(const pleat_implicit_options *options, const pl_implicit_bound *bound,
                            const pleat_affine *joints, pl_implicit_pose *pose)
{
    const pl_implicit_skeleton *s = &bound->skeleton;
    bool any = false;
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        pose->bones[j].ready = false;
        if (s->bones[j].usable)
        {
            pose_bone(bound, &s->bones[j], &joints[j], &pose->bones[j]);
        }
    }
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        any |= pose_bend(options, &s->bends[i], pose, &pose->bends[i]);
    }
    return any;
}
