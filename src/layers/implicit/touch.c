/* Which limbs may touch: those that are no neighbours and do not lie in each other at rest; and which are near each
 * other in a frame. */
#include "layers/implicit/implicit.h"

/* At rest, skin of two limbs that may touch is at least this far apart, in thicknesses: closer, it belongs together. */
#define REST_APART 0.05f

typedef struct box
{
    pl_f4 low, high;
} box;

static bool overlap(const box *a, const box *b)
{
    bool apart = false;
    for (int c = 0; c < 3; ++c)
    {
        apart |= !(a->low[c] <= b->high[c] && b->low[c] <= a->high[c]);
    }
    return !apart;
}

/* Of a field's box, in the rest space or after a transform of it. */
static box box_of(const pl_hrbf *field, const pleat_affine *transform)
{
    box out = {pl_splat(INFINITY), pl_splat(-INFINITY)};
    for (int i = 0; i < 8; ++i)
    {
        pl_f4 corner = pl_set(i & 1 ? field->high[0] : field->low[0], i & 2 ? field->high[1] : field->low[1],
                              i & 4 ? field->high[2] : field->low[2], 0);
        pl_f4 at = field->middle + corner * pl_splat(field->size);
        at = transform ? pl_affine_point(transform, at) : at;
        out.low = pl_min(out.low, at);
        out.high = pl_max(out.high, at);
    }
    return out;
}

/* True if no skin of a bone is close to another's at rest. */
static bool is_clear(const pleat_cloth *cloth, const pl_implicit_bone *bone, const pl_implicit_bone *other,
                     pleat_vec4 *points, pleat_vec4 *values)
{
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        points[i] = cloth->rest[bone->vertices[i]];
    }
    pl_hrbf_evaluate(&other->field, bone->vertex_count, points, values);
    float least = INFINITY;
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        least = fminf(least, values[i].w);
    }
    return least > REST_APART * fminf(bone->thickness, other->thickness);
}

pleat_result pl_implicit_find_far(const pleat_cloth *cloth, const pl_implicit_skeleton *s, pl_arena *arena,
                                  pl_arena *scratch, uint8_t **out, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = s->joint_count;
    pleat_vec4 *points, *values;
    uint8_t *far;
    PL_ARENA_NEW_OR_FAIL(far, arena, uint8_t, (size_t)count * count, error);
    PL_ARENA_NEW_OR_FAIL(points, scratch, pleat_vec4, cloth->topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(values, scratch, pleat_vec4, cloth->topology->vertex_count, error);
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = 0; b < a; ++b)
        {
            const pl_implicit_bone *one = &s->bones[a], *other = &s->bones[b];
            if (!one->usable || !other->usable)
            {
                continue;
            }
            box first = box_of(&one->field, NULL), second = box_of(&other->field, NULL);
            bool clear = !overlap(&first, &second) ||
                         (is_clear(cloth, one, other, points, values) && is_clear(cloth, other, one, points, values));
            far[(size_t)a * count + b] = far[(size_t)b * count + a] = clear;
        }
    }
    for (uint32_t i = 0; i < s->bend_count; ++i)
    {
        const pl_implicit_bend *bend = &s->bends[i];
        far[(size_t)bend->a * count + bend->b] = far[(size_t)bend->b * count + bend->a] = 0;
    }
    *out = far;
fail:
    return result;
}

bool pl_implicit_pose_far(const pl_implicit_bound *bound, pl_implicit_pose *pose)
{
    const pl_implicit_skeleton *s = &bound->skeleton;
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        pl_implicit_posed_bone *bone = &pose->bones[j];
        if (bone->ready)
        {
            box world = box_of(&s->bones[j].field, &bone->to_world);
            bone->low = world.low;
            bone->high = world.high;
        }
    }
    for (uint32_t a = 0; a < s->joint_count; ++a)
    {
        const uint8_t *far = &bound->far[(size_t)a * s->joint_count];
        const box own = {pose->bones[a].low, pose->bones[a].high};
        pose->far_first[a] = count;
        for (uint32_t b = 0; b < s->joint_count && count < pose->far_capacity && pose->bones[a].ready; ++b)
        {
            const box other = {pose->bones[b].low, pose->bones[b].high};
            if (far[b] && pose->bones[b].ready && overlap(&own, &other))
            {
                pose->far[count++] = b;
            }
        }
    }
    pose->far_first[s->joint_count] = count;
    return count > 0;
}
