/* How eight vertices go from where plain skinning put them to their own value of the fields.
 *
 * A path that stops where a gradient turns ends elsewhere when the joint has moved a little; so nothing here stops at a
 * threshold. Each step is a continuous function of place and pose: it goes towards the own value (Newton's step,
 * damped), and what of it would lead through a contact is taken away, by as much as there is a contact at all. A fixed
 * number of continuous steps is continuous. */
#include "layers/implicit/hrbf_eight.h"

#include "base/wide.h"
#include "base/width.h"

/* Damping: the part of a Newton step that is taken. Undamped paths overshoot where fields meet. */
#define DAMPING 0.7f
/* The longest step, in thicknesses of the bone. */
#define LONGEST_STEP 0.4f
/* Gradients of unit fields are no shorter than this where the value can be reached. Squared. */
#define LEAST_GRADIENT 0.1f
/* Where no lane is farther from its value than this part of the bone's thickness, it has arrived. */
#define ARRIVED 2e-4f
/* Gradients of two fields that turn against each other by these angles: one surface goes on in the other .. they touch.
 * Cosines of 40 and 70 degrees. */
#define TURN_NONE 0.76604f
#define TURN_CONTACT 0.34202f
/* Skin is deep inside of another limb from the first of these depths on, in radii, and wholly at the second: it is not
 * to come out on the other side. */
#define DEEP_FROM 0.2f
#define DEEP_WHOLE 0.5f
/* Values of two fields this close, in radii of the bend, are about the same. */
#define CLOSE 0.2f
/* A contact reaches this far from where two bones meet, in radii of the bend. */
#define CONTACT_REACH 0.6f
/* The inner side of a bend begins at the joint and is whole this many radii in. */
#define INNER_WHOLE 0.5f
/* What is farther beyond the plane of a bend than this, in radii, did not get there by bending it: .. does not count.
 */
#define BEYOND_NEAR 1.5f
#define BEYOND_FAR 2.5f
/* Skin that stands out beside a contact does so as far as this, in radii. */
#define BULGE_REACH 1.6f
/* A step along a contact is free: it counts as going into it from this sine on. */
#define INTO 0.25f
/* A partner's field begins to count this far from its box, in radii of the bend. */
#define NEAR_BOX 0.5f

enum
{
    STEPS = 10
};

/* A bend as a block sees it. */
typedef struct partner
{
    uint32_t slot; /* of the bone's partners */
    const pl_implicit_bend *bend;
    const pl_implicit_posed_bend *posed;
    const pl_implicit_posed_bone *other;
    const pl_hrbf *field;
    pl_f8 weight; /* how much the bend counts for each lane */
    pl_f8 side;
    /* At the place of this step. */
    pl_value8 at;
    pl_f8 gap, away[3]; /* distance to the contact, and its gradient */
    pl_f8 hold;         /* 0: nothing touches .. 1 */
    pl_f8 facing;       /* 0: one surface goes on in the other .. 1: they face each other */
} partner;

typedef struct block_work
{
    const pl_implicit_block *block;
    const pl_implicit_posed_bone *bone;
    const pl_hrbf *field;
    float thickness;
    uint32_t count;
    partner partners[PL_IMPLICIT_PARTNERS];
    pl_f8 x[3];
    pl_f8 iso;
    pl_f8 left; /* distance to the own value */
    pl_value8 own;
} block_work;

PL_INLINE pl_f8 load_lanes(const float *from)
{
    pl_f8 out;
    memcpy(&out, from, sizeof out);
    return out;
}

PL_INLINE pl_value8 value_at(const pl_hrbf *field, const pl_implicit_posed_bone *bone, const pl_f8 x[3])
{
    pl_f8 at[3], back[3];
    pl_affine_point8(&bone->to_field, x, at);
    pl_value8 value = pl_hrbf_at8(field, at);
    pl_affine_back8(&bone->to_field, value.gradient, back);
    memcpy(value.gradient, back, sizeof back);
    return value;
}

/* Which bends count for which lane, and how much; false: none. */
PL_INLINE bool find_partners(const pl_implicit_march *m, block_work *w)
{
    const pl_implicit_skeleton *s = &m->bound->skeleton;
    const pl_implicit_bone *bone = &s->bones[w->block->bone];
    for (uint32_t i = 0; i < bone->partner_count; ++i)
    {
        const pl_implicit_bend *bend = &s->bends[bone->partners[i]];
        uint32_t other = bend->a == w->block->bone ? bend->b : bend->a;
        partner *p = &w->partners[w->count];
        *p = (partner){.slot = i,
                       .bend = bend,
                       .posed = &m->pose->bends[bone->partners[i]],
                       .other = &m->pose->bones[other],
                       .field = &s->bones[other].field};
        if (!(p->posed->strength > 0))
        {
            continue;
        }
        pl_f8 at[3], way[3];
        pl_affine_point8(&p->other->to_field, w->x, at);
        pl_f8 outside = pl_hrbf_outside8(p->field, at, way) * p->field->size;
        pl_f8 near = 1 - pl_smooth_step_w(outside / (NEAR_BOX * bend->radius));
        p->weight = p->posed->strength * pl_max8(near, load_lanes(w->block->blend[i]));
        p->side = load_lanes(w->block->side[i]);
        w->count += pl_mask8(p->weight > pl_splat8(0)) != 0;
    }
    return w->count > 0;
}

/* The plane between both bones, on the inner side. */
PL_INLINE void meet_plane(const block_work *w, partner *p)
{
    const pl_implicit_posed_bend *posed = p->posed;
    pl_f8 from[3], inner = pl_splat8(0), gap = pl_splat8(0);
    pl_i8 of_b = p->side > pl_splat8(0);
    for (int c = 0; c < 3; ++c)
    {
        from[c] = w->x[c] - posed->origin[c];
        inner += from[c] * posed->inner[c];
        p->away[c] = pl_select8(of_b, pl_splat8(posed->normal[1][c]), pl_splat8(-posed->normal[0][c]));
        gap += from[c] * p->away[c];
    }
    float radius = p->bend->radius;
    p->gap = gap - load_lanes(w->block->lift[p->slot]);
    pl_f8 far = pl_smooth_step_w((-p->gap / radius - BEYOND_NEAR) / (BEYOND_FAR - BEYOND_NEAR));
    p->hold = posed->clamp * pl_smooth_step_w(inner / (INNER_WHOLE * radius)) * (1 - far);
}

/* How much two surfaces face each other; deep inside of the other its gradient does not tell, but the depth does. */
PL_INLINE pl_f8 facing8(const block_work *w, const partner *p)
{
    pl_f8 norms = pl_dot8(w->own.gradient, w->own.gradient) * pl_dot8(p->at.gradient, p->at.gradient);
    pl_f8 turn = pl_dot8(w->own.gradient, p->at.gradient) / pl_sqrt8(pl_max8(norms, pl_splat8(1e-12f)));
    pl_f8 deep = pl_smooth_step_w((-p->at.value / p->bend->radius - DEEP_FROM) / (DEEP_WHOLE - DEEP_FROM));
    return p->weight * pl_max8(pl_smooth_step_w((TURN_NONE - turn) / (TURN_NONE - TURN_CONTACT)), deep);
}

/* Back onto the own side of planes. */
PL_INLINE void clamp_to_planes(block_work *w)
{
    for (uint32_t i = 0; i < w->count; ++i)
    {
        partner *p = &w->partners[i];
        meet_plane(w, p);
        pl_f8 back = pl_max8(-p->gap, pl_splat8(0)) * p->hold;
        for (int c = 0; c < 3; ++c)
        {
            w->x[c] += p->away[c] * back;
        }
    }
}

/* The part of a step that does not lead into the contact. */
PL_INLINE pl_f8 free_part(const partner *p, const pl_f8 step[3])
{
    pl_f8 zero = pl_splat8(0), tiny = pl_splat8(1e-12f), one = pl_splat8(1);
    pl_f8 into = -pl_dot8(p->away, step);
    pl_f8 size = pl_sqrt8(pl_max8(pl_dot8(p->away, p->away) * pl_dot8(step, step), tiny * tiny));
    pl_f8 through = pl_max8(into - pl_max8(p->gap, zero), zero) / pl_max8(into, tiny);
    return one - p->hold * through * pl_smooth_step_w(into / (INTO * size));
}

PL_INLINE pl_value8 mix8(pl_value8 a, pl_value8 b, pl_f8 t)
{
    a.value += (b.value - a.value) * t;
    for (int c = 0; c < 3; ++c)
    {
        a.gradient[c] += (b.gradient[c] - a.gradient[c]) * t;
    }
    return a;
}

/* The less of two values. Where they are close to each other the way is halfway between both ways, so that it does not
 * turn at once. */
PL_INLINE pl_value8 less8(pl_value8 a, pl_value8 b, float close)
{
    pl_f8 t = pl_smooth_step_w(0.5f + 0.5f * (a.value - b.value) / close);
    pl_value8 out = mix8(a, b, t);
    out.value = pl_min8(a.value, b.value);
    return out;
}

/* The least of all fields; of two that face each other, that of the own side alone: skin inside of another limb is to
 * stay with its own. Also where contacts are. */
PL_INLINE pl_value8 compose(block_work *w, pl_f8 *bulge)
{
    w->own = value_at(w->field, w->bone, w->x);
    pl_value8 best = w->own;
    *bulge = pl_splat8(0);
    for (uint32_t i = 0; i < w->count; ++i)
    {
        partner *p = &w->partners[i];
        p->at = value_at(p->field, p->other, w->x);
        p->at.value += load_lanes(w->block->shift[p->slot]);
        p->facing = facing8(w, p);
        meet_plane(w, p);
        float close = CLOSE * p->bend->radius;
        pl_value8 side = mix8(w->own, p->at, load_lanes(w->block->other[p->slot]));
        pl_value8 pair = mix8(less8(w->own, p->at, close), side, pl_max8(p->hold, p->facing));
        best = i == 0 ? pair : less8(best, pair, close);
        pl_f8 beside = 1 - pl_smooth_step_w(pl_max8(p->gap, pl_splat8(0)) / (BULGE_REACH * p->bend->radius));
        *bulge = pl_max8(*bulge, p->posed->bulge * p->hold * beside);
    }
    return best;
}

PL_INLINE void take_step(block_work *w)
{
    pl_f8 bulge;
    pl_value8 value = compose(w, &bulge);
    w->left = w->iso + bulge - value.value;
    pl_f8 norm = pl_dot8(value.gradient, value.gradient);
    pl_f8 factor = DAMPING * w->left / pl_max8(norm, pl_splat8(LEAST_GRADIENT));
    pl_f8 length = pl_sqrt8(norm) * pl_abs8(factor), longest = pl_splat8(LONGEST_STEP * w->thickness);
    factor = factor * pl_min8(longest / pl_max8(length, pl_splat8(1e-12f)), pl_splat8(1));
    pl_f8 step[3], part = pl_splat8(1);
    for (int c = 0; c < 3; ++c)
    {
        step[c] = factor * value.gradient[c];
    }
    for (uint32_t i = 0; i < w->count; ++i)
    {
        part = pl_min8(part, free_part(&w->partners[i], step));
    }
    for (int c = 0; c < 3; ++c)
    {
        w->x[c] += part * step[c];
    }
    w->left = w->left * part;
}

PL_INLINE void write_block(const pl_implicit_march *m, block_work *w)
{
    pl_f8 weight = pl_splat8(0), contact = pl_splat8(0);
    for (uint32_t i = 0; i < w->count; ++i)
    {
        const partner *p = &w->partners[i];
        weight = pl_max8(weight, p->weight);
        pl_f8 near = 1 - pl_smooth_step_w(pl_max8(p->gap, pl_splat8(0)) / (CONTACT_REACH * p->bend->radius));
        contact = pl_max8(contact, p->hold * near);
    }
    weight = weight * load_lanes(w->block->trust);
    contact = contact * weight;
    for (uint32_t k = 0; k < w->block->count; ++k)
    {
        uint32_t v = w->block->vertices[k];
        pl_f4 from = pl_load(&m->in[v]), to = pl_set(w->x[0][k], w->x[1][k], w->x[2][k], 0);
        pl_f4 out = from + (to - from) * pl_splat(weight[k]);
        bool good = weight[k] > 0 && isfinite(out[0]) && isfinite(out[1]) && isfinite(out[2]);
        out[3] = 0;
        pl_store(&m->out[v], good ? out : from);
        m->contact[v] = good ? contact[k] : 0;
    }
}

PL_INLINE bool march_block(const pl_implicit_march *m, const pl_implicit_block *block)
{
    const pl_implicit_bone *bone = &m->bound->skeleton.bones[block->bone];
    block_work w;
    w.block = block;
    w.bone = &m->pose->bones[block->bone];
    w.field = &bone->field;
    w.thickness = bone->thickness;
    w.count = 0;
    w.iso = load_lanes(block->iso);
    pl_gather8(m->in, block->vertices, w.x);
    if (!find_partners(m, &w))
    {
        return false;
    }
    clamp_to_planes(&w);
    pl_f8 arrived = pl_splat8(ARRIVED * bone->thickness);
    for (int i = 0; i < STEPS; ++i)
    {
        take_step(&w);
        if (pl_mask8(pl_abs8(w.left) > arrived) == 0)
        {
            break;
        }
    }
    clamp_to_planes(&w);
    write_block(m, &w);
    return true;
}

void PL_WIDE(pl_implicit_march)(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
    {
        march->touched[i] = march_block(march, &march->bound->blocks[i]);
    }
}

/* Relaxing draws skin through the plane again. */
PL_INLINE void hold_block(const pl_implicit_march *m, const pl_implicit_block *block)
{
    block_work w;
    w.block = block;
    w.count = 0;
    pl_gather8(m->out, block->vertices, w.x);
    if (!find_partners(m, &w))
    {
        return;
    }
    clamp_to_planes(&w);
    for (uint32_t k = 0; k < block->count; ++k)
    {
        uint32_t v = block->vertices[k];
        pl_f4 from = pl_load(&m->out[v]), to = pl_set(w.x[0][k], w.x[1][k], w.x[2][k], 0);
        if (m->contact[v] > 0)
        {
            pl_store(&m->out[v], from + (to - from) * pl_splat(block->trust[k]));
        }
    }
}

void PL_WIDE(pl_implicit_hold)(const pl_implicit_march *march, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
    {
        if (march->touched[i])
        {
            hold_block(march, &march->bound->blocks[i]);
        }
    }
}

void PL_WIDE(pl_hrbf_evaluate)(const pl_hrbf *field, uint32_t count, const pleat_vec4 *points, pleat_vec4 *out)
{
    float scale = 1 / field->size;
    for (uint32_t first = 0; first < count; first += PL_IMPLICIT_LANES)
    {
        uint32_t lanes = count - first < PL_IMPLICIT_LANES ? count - first : PL_IMPLICIT_LANES;
        uint32_t index[PL_IMPLICIT_LANES];
        for (uint32_t k = 0; k < PL_IMPLICIT_LANES; ++k)
        {
            index[k] = first + (k < lanes ? k : 0);
        }
        pl_f8 at[3];
        pl_gather8(points, index, at);
        for (int c = 0; c < 3; ++c)
        {
            at[c] = (at[c] - field->middle[c]) * scale;
        }
        pl_value8 value = pl_hrbf_at8(field, at);
        for (uint32_t k = 0; k < lanes; ++k)
        {
            out[first + k] = (pleat_vec4){value.gradient[0][k] * scale, value.gradient[1][k] * scale,
                                          value.gradient[2][k] * scale, value.value[k]};
        }
    }
}
