/* Limbs that are no neighbours: fingers in a fist, a hand on the hip. Skin of one that lies inside of another goes back
 * to where both fields are equal, halfway for both. */
#include "layers/implicit/hrbf_eight.h"

#include "base/wide.h"
#include "base/width.h"

/* The deeper skin lies inside of another limb, the less of its way back it goes; from this depth on, in thicknesses of
 * the thinner limb, it stays: that would be pressed flat, or come out on the other side. Tried on the built-in hand, a
 * WebXR hand, two dancers and CesiumMan: with the whole way up to half a thickness and none at a whole one, six per
 * cent more triangles cross on a dancer than without all this, where now it is five per cent less. */
#define TOO_DEEP 0.7f
/* Skin stops this far before the other's, in thicknesses: the edges of two meshes do not meet in the same places. */
#define APART 0.015f
/* The part of a Newton step that is taken, and the least square of a gradient that it is taken by. */
#define DAMPING 0.8f
#define LEAST_GRADIENT 0.5f

enum
{
    STEPS = 5
};

typedef struct touch_lanes
{
    pl_f8 x[3];
    pl_f8 trust;
} touch_lanes;

PL_INLINE pl_value8 value_at(const pl_hrbf *field, const pl_implicit_posed_bone *bone, const pl_f8 x[3])
{
    pl_f8 at[3], back[3];
    pl_affine_point8(&bone->to_field, x, at);
    pl_value8 value = pl_hrbf_at8(field, at);
    pl_affine_back8(&bone->to_field, value.gradient, back);
    memcpy(value.gradient, back, sizeof back);
    return value;
}

PL_INLINE bool is_near(const pl_implicit_bone *bone, const pl_implicit_posed_bone *posed, const pl_f8 x[3])
{
    pl_f8 at[3], way[3];
    pl_affine_point8(&posed->to_field, x, at);
    return pl_mask8(pl_hrbf_outside8(&bone->field, at, way) <= pl_splat8(0)) != 0;
}

/* Out of one other limb. Returns whether any lane moved. */
PL_INLINE bool leave(const pl_implicit_march *m, uint32_t own, uint32_t other, touch_lanes *l)
{
    const pl_implicit_bone *bones = m->bound->skeleton.bones;
    float thickness = fminf(bones[own].thickness, bones[other].thickness);
    bool any = false;
    for (int i = 0; i < STEPS; ++i)
    {
        pl_value8 there = value_at(&bones[other].field, &m->pose->bones[other], l->x);
        pl_value8 here = value_at(&bones[own].field, &m->pose->bones[own], l->x);
        pl_f8 inside = pl_max8(here.value + APART * thickness - there.value, pl_splat8(0));
        pl_f8 depth = -there.value / thickness;
        pl_f8 part = l->trust * (1 - pl_smooth_step_w(depth / TOO_DEEP));
        if (pl_mask8(inside * part > pl_splat8(0)) == 0)
        {
            break;
        }
        any = true;
        pl_f8 away[3];
        for (int c = 0; c < 3; ++c)
        {
            away[c] = there.gradient[c] - here.gradient[c];
        }
        pl_f8 squared = pl_max8(pl_dot8(away, away), pl_splat8(LEAST_GRADIENT));
        pl_f8 step = DAMPING * part * inside / squared;
        for (int c = 0; c < 3; ++c)
        {
            l->x[c] += away[c] * step;
        }
    }
    return any;
}

PL_INLINE void touch_block(const pl_implicit_march *m, uint32_t index)
{
    const pl_implicit_block *block = &m->bound->blocks[index];
    uint32_t first = m->pose->far_first[block->bone], end = m->pose->far_first[block->bone + 1];
    touch_lanes l;
    bool any = false;
    if (first == end)
    {
        return;
    }
    pl_gather8(m->out, block->vertices, l.x);
    memcpy(&l.trust, block->trust, sizeof l.trust);
    l.trust = l.trust * (m->options->touch * m->options->strength);
    for (uint32_t i = first; i < end; ++i)
    {
        uint32_t other = m->pose->far[i];
        if (is_near(&m->bound->skeleton.bones[other], &m->pose->bones[other], l.x))
        {
            any |= leave(m, block->bone, other, &l);
        }
    }
    for (uint32_t k = 0; k < block->count && any; ++k)
    {
        pl_f4 out = pl_set(l.x[0][k], l.x[1][k], l.x[2][k], 0);
        if (isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]))
        {
            pl_store(&m->out[block->vertices[k]], out);
        }
    }
    m->touched[index] |= any;
}

void PL_WIDE(pl_implicit_touch)(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
    {
        touch_block(march, i);
    }
}
