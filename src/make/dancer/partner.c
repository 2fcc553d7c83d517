/* The dancer as what cloth meets.
 *
 * A place near her is taken back to the rest pose by the matrix of the nearest vertex of her skin; there the body is a
 * field, and telling inside from outside is one evaluation. What is inside is pushed out along the gradient and taken
 * forward again. The nearest vertex is looked for once a frame. */
#include "make/cloth.h"

#include <assert.h>

#define CLEAR 0.045 /* farther than this from every vertex of the skin, cloth touches nothing */
#define REACH 0.20  /* skin farther than this from the cloth's rest shape is left out */

typedef struct frame34
{
    double m[3][4]; /* rows of [R | t] */
} frame34;

struct pl_partner
{
    const pl_dancer *dancer;
    const pleat_clip *clip;
    uint32_t settle_count;
    double gap;
    uint32_t proxy_count; /* vertices of the skin */
    pl_v3 *proxies;       /* at rest */
    uint16_t *joints;     /* by 4 */
    float *weights;
    frame34 *then, *now, *step; /* per proxy: last frame, this frame, this step */
    pl_v3 *posed;
    uint32_t *nearest; /* per vertex of the cloth */
    frame34 *last;     /* per vertex of the cloth: the matrix it was carried by in the last step */
    const pl_v3 *rest; /* of the cloth */
    uint32_t vertex_count;
    pl_v3 *held_then, *held_now; /* where the body carries a vertex of the cloth: last frame, this frame */
    double passed;
};

static pl_v3 transform(const frame34 *f, pl_v3 p)
{
    const double(*m)[4] = f->m;
    return v3(m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + m[0][3],
              m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + m[1][3],
              m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + m[2][3]);
}

static frame34 inverse(const frame34 *f)
{
    pl_v3 r[3], column[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        r[i] = v3(f->m[i][0], f->m[i][1], f->m[i][2]);
    }
    double determinant = v3_dot(r[0], v3_cross(r[1], r[2]));
    double scale = fabs(determinant) > 1e-6 ? 1 / determinant : 0;
    column[0] = v3_scale(v3_cross(r[1], r[2]), scale);
    column[1] = v3_scale(v3_cross(r[2], r[0]), scale);
    column[2] = v3_scale(v3_cross(r[0], r[1]), scale);
    frame34 out;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const pl_v3 *c = &column[i];
        out.m[0][i] = c->x;
        out.m[1][i] = c->y;
        out.m[2][i] = c->z;
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        out.m[i][3] = -(out.m[i][0] * f->m[0][3] + out.m[i][1] * f->m[1][3] + out.m[i][2] * f->m[2][3]);
    }
    return out;
}

/* ---- Poses ---- */

/* Skinning matrices of all joints at a frame of the clip; part below 1 is on the way there from the rest pose. */
static void joint_matrices(const pl_partner *partner, uint32_t frame, double part, frame34 out[PL_DANCER_JOINTS])
{
    const pl_v3 *rest = partner->dancer->joints;
    pl_q world[PL_DANCER_JOINTS];
    pl_v3 place[PL_DANCER_JOINTS];
    for (uint32_t j = 0; j < PL_DANCER_JOINTS; ++j)
    {
        const float *key = &partner->clip->channels[j].values[4 * frame];
        double angle = 2 * acos(pl_clamp((double)key[3], -1, 1)) * part;
        pl_v3 axis = v3_unit(v3((double)key[0], (double)key[1], (double)key[2]));
        pl_q local = pl_q_axis(axis, angle);
        uint32_t parent = pl_dancer_parent(j);
        if (parent == PLEAT_NONE)
        {
            const float *hips = &partner->clip->channels[PL_DANCER_JOINTS].values[3 * frame];
            world[j] = local;
            place[j] = v3_lerp(rest[j], v3((double)hips[0], (double)hips[1], (double)hips[2]), part);
        }
        else
        {
            world[j] = pl_q_mul(world[parent], local);
            place[j] = v3_add(place[parent], pl_q_turn(world[parent], v3_sub(rest[j], rest[parent])));
        }
        pl_v3 x = pl_q_turn(world[j], v3(1, 0, 0)), y = pl_q_turn(world[j], v3(0, 1, 0)),
              z = pl_q_turn(world[j], v3(0, 0, 1));
        pl_v3 t = v3_sub(place[j], pl_q_turn(world[j], rest[j]));
        out[j] = (frame34){{{x.x, y.x, z.x, t.x}, {x.y, y.y, z.y, t.y}, {x.z, y.z, z.z, t.z}}};
    }
}

static frame34 blend(const frame34 *matrices, const uint16_t joints[4], const float weights[4])
{
    frame34 out = {0};
    for (uint32_t k = 0; k < 4; ++k)
    {
        const double *from = &matrices[joints[k]].m[0][0];
        for (uint32_t i = 0; i < 12 && weights[k] > 0; ++i)
        {
            (&out.m[0][0])[i] += (double)weights[k] * from[i];
        }
    }
    return out;
}

static void find_nearest(pl_partner *partner, const pl_v3 *positions)
{
    for (uint32_t v = 0; v < partner->vertex_count; ++v)
    {
        double best = 1e30;
        pl_v3 p = positions[v];
        for (uint32_t i = 0; i < partner->proxy_count; ++i)
        {
            pl_v3 d = v3_sub(partner->posed[i], p);
            double squared = v3_dot(d, d);
            if (squared < best)
            {
                best = squared;
                partner->nearest[v] = i;
            }
        }
    }
}

/* A place that goes with the body by the weights it has there. */
static pl_v3 carried_place(const pl_dancer *dancer, const frame34 *matrices, pl_v3 rest)
{
    double weights[PL_DANCER_JOINTS];
    pl_v3 sum = v3(0, 0, 0);
    pl_dancer_weights(dancer, rest, weights);
    for (uint32_t j = 0; j < PL_DANCER_JOINTS; ++j)
    {
        sum = weights[j] > 0 ? v3_mad(sum, weights[j], transform(&matrices[j], rest)) : sum;
    }
    return sum;
}

static void begin_frame(void *user, uint32_t frame, const pl_v3 *positions)
{
    pl_partner *partner = user;
    frame34 matrices[PL_DANCER_JOINTS];
    uint32_t settle = partner->settle_count;
    bool settling = frame < settle;
    double part = settling ? pl_smoothstep(0, 0.6 * settle, frame) : 1;
    joint_matrices(partner, settling ? 0 : frame - settle, part, matrices);
    for (uint32_t i = 0; i < partner->proxy_count; ++i)
    {
        partner->then[i] = partner->now[i];
        partner->now[i] = blend(matrices, &partner->joints[4 * i], &partner->weights[4 * i]);
        partner->then[i] = frame ? partner->then[i] : partner->now[i];
        partner->posed[i] = transform(&partner->now[i], partner->proxies[i]);
    }
    find_nearest(partner, positions);
    for (uint32_t v = 0; v < partner->vertex_count; ++v)
    {
        partner->held_then[v] = partner->held_now[v];
        partner->held_now[v] = carried_place(partner->dancer, matrices, partner->rest[v]);
        partner->held_then[v] = frame ? partner->held_then[v] : partner->held_now[v];
        partner->last[v] = partner->then[partner->nearest[v]];
    }
}

static void begin_step(void *user, double passed)
{
    pl_partner *partner = user;
    partner->passed = passed;
    for (uint32_t i = 0; i < partner->proxy_count; ++i)
    {
        const double *a = &partner->then[i].m[0][0], *b = &partner->now[i].m[0][0];
        for (uint32_t k = 0; k < 12; ++k)
        {
            (&partner->step[i].m[0][0])[k] = pl_mix(a[k], b[k], passed);
        }
    }
}

static void touch(void *user, uint32_t vertex, pl_v3 *position, pl_v3 before)
{
    pl_partner *partner = user;
    const frame34 *matrix = &partner->step[partner->nearest[vertex]];
    if (v3_distance(*position, transform(matrix, partner->proxies[partner->nearest[vertex]])) > CLEAR)
    {
        partner->last[vertex] = *matrix;
        return;
    }
    frame34 back = inverse(matrix);
    pl_field body = {pl_body_field, &partner->dancer->body};
    pl_v3 p = transform(&back, *position);
    double depth = partner->gap - pl_body_field(body.user, p);
    if (depth > 0)
    {
        pl_v3 out = v3_unit(pl_field_gradient(&body, p));
        p = v3_mad(p, fmin(depth, 0.02), out);
        pl_v3 placed = transform(matrix, p);
        /* The body's own motion carries it; of the slide beyond that, most is lost. */
        frame34 last = inverse(&partner->last[vertex]);
        pl_v3 carried = transform(matrix, transform(&last, before));
        pl_v3 slide = v3_sub(placed, carried);
        pl_v3 normal = v3_unit(v3_sub(transform(matrix, v3_add(p, out)), placed));
        slide = v3_mad(slide, -v3_dot(slide, normal), normal);
        *position = v3_mad(placed, -0.35, slide);
    }
    partner->last[vertex] = *matrix;
}

static pl_v3 hold(void *user, uint32_t vertex)
{
    const pl_partner *partner = user;
    return v3_lerp(partner->held_then[vertex], partner->held_now[vertex], partner->passed);
}

static pleat_result copy_skin(pl_maker *maker, pl_partner *partner)
{
    const pleat_mesh *skin = &maker->meshes[0];
    pl_v3 low = partner->rest[0], high = partner->rest[0];
    for (uint32_t v = 1; v < partner->vertex_count; ++v)
    {
        pl_v3 p = partner->rest[v];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    uint32_t count = pleat_mesh_vertex_count(skin), at = 0;
    PL_MAKE_NEW(partner->proxies, maker, scratch, pl_v3, count);
    PL_MAKE_NEW(partner->joints, maker, scratch, uint16_t, 4 * (size_t)count);
    PL_MAKE_NEW(partner->weights, maker, scratch, float, 4 * (size_t)count);
    for (uint32_t p = 0; p < skin->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &skin->primitives[p];
        for (uint32_t v = 0; v < primitive->vertex_count; ++v)
        {
            /* Head and hands are finely divided, and no cloth comes near. */
            pl_v3 place = v3_of(primitive->positions[v]);
            if (place.y > fmin(high.y + REACH, 1.48) || place.y < low.y - REACH || fabs(place.x) > high.x + REACH / 4)
            {
                continue;
            }
            partner->proxies[at] = place;
            memcpy(&partner->joints[4 * at], &primitive->joints[4 * v], 4 * sizeof(uint16_t));
            memcpy(&partner->weights[4 * at], &primitive->weights[4 * v], 4 * sizeof(float));
            ++at;
        }
    }
    partner->proxy_count = at;
    return PLEAT_OK;
}

pleat_result pl_partner_create(pl_maker *maker, const pl_dancer *dancer, const pleat_clip *clip, uint32_t settle_count,
                               uint32_t vertex_count, const pl_v3 *rest, double gap, pl_partner **out)
{
    pl_partner *partner;
    assert(clip->channel_count >= PL_DANCER_JOINTS + 1);
    PL_MAKE_NEW(partner, maker, scratch, pl_partner, 1);
    partner->dancer = dancer;
    partner->clip = clip;
    partner->settle_count = settle_count;
    partner->gap = gap;
    partner->rest = rest;
    partner->vertex_count = vertex_count;
    PL_TRY(copy_skin(maker, partner));
    PL_MAKE_NEW(partner->then, maker, scratch, frame34, partner->proxy_count);
    PL_MAKE_NEW(partner->now, maker, scratch, frame34, partner->proxy_count);
    PL_MAKE_NEW(partner->step, maker, scratch, frame34, partner->proxy_count);
    PL_MAKE_NEW(partner->posed, maker, scratch, pl_v3, partner->proxy_count);
    PL_MAKE_NEW(partner->nearest, maker, scratch, uint32_t, vertex_count);
    PL_MAKE_NEW(partner->held_then, maker, scratch, pl_v3, vertex_count);
    PL_MAKE_NEW(partner->held_now, maker, scratch, pl_v3, vertex_count);
    PL_MAKE_NEW(partner->last, maker, scratch, frame34, vertex_count);
    *out = partner;
    return PLEAT_OK;
}

pl_surroundings pl_partner_surroundings(pl_partner *partner)
{
    return (pl_surroundings){partner, begin_frame, begin_step, touch, hold};
}
