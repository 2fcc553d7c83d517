/* The cloth simulation; see cloth.h. */
#include "make/cloth.h"

typedef struct spring
{
    uint32_t a, b;
    double length;
} spring;

/* Two triangles on an edge a-b, with x and y facing each other. parts weighs the four so that the sum is the vector
 * from the edge to the line x-y: zero when they are flat, however they are stretched or squeezed in their plane. */
typedef struct hinge
{
    uint32_t vertices[4]; /* a, b, x, y */
    double parts[4];
    double height; /* of that vector at rest */
} hinge;

typedef struct cloth
{
    const pl_cloth_desc *desc;
    uint32_t spring_count, hinge_count;
    spring *springs;
    hinge *hinges;
    pl_v3 *positions, *before, *speeds;
} cloth;

static pl_v3 hinge_vector(const hinge *h, const pl_v3 *positions)
{
    pl_v3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < 4; ++i)
    {
        sum = v3_mad(sum, h->parts[i], positions[h->vertices[i]]);
    }
    return sum;
}

static hinge make_hinge(const pl_v3 *rest, uint32_t a, uint32_t b, uint32_t x, uint32_t y)
{
    pl_v3 edge = v3_sub(rest[b], rest[a]), to_x = v3_sub(rest[x], rest[a]), to_y = v3_sub(rest[y], rest[a]);
    double squared = v3_dot(edge, edge);
    double high_x = v3_length(v3_cross(edge, to_x)), high_y = v3_length(v3_cross(edge, to_y));
    double s = high_y / pl_greater(high_x + high_y, 1e-12);
    double r = s * v3_dot(to_x, edge) / squared + (1 - s) * v3_dot(to_y, edge) / squared;
    hinge h = {{a, b, x, y}, {r - 1, -r, s, 1 - s}, 0};
    h.height = v3_length(hinge_vector(&h, rest));
    return h;
}

/* Every edge once, and a hinge on every inner one. */
static pleat_result make_constraints(pl_maker *maker, cloth *work)
{
    const pl_cloth_desc *desc = work->desc;
    uint32_t corner_count = 3 * desc->triangle_count;
    uint32_t *first, *next;
    PL_MAKE_NEW(first, maker, scratch, uint32_t, desc->vertex_count);
    PL_MAKE_NEW(next, maker, scratch, uint32_t, corner_count);
    PL_MAKE_NEW(work->springs, maker, scratch, spring, corner_count);
    PL_MAKE_NEW(work->hinges, maker, scratch, hinge, corner_count);
    memset(first, 0xff, desc->vertex_count * sizeof *first);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        next[c] = first[desc->triangles[c]];
        first[desc->triangles[c]] = c;
    }
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        uint32_t a = desc->triangles[c], b = desc->triangles[pl_next(c)];
        uint32_t twin = first[b];
        while (twin != PLEAT_NONE && desc->triangles[pl_next(twin)] != a)
        {
            twin = next[twin];
        }
        if (twin != PLEAT_NONE && twin < c)
        {
            continue;
        }
        work->springs[work->spring_count++] = (spring){a, b, v3_distance(desc->rest[a], desc->rest[b])};
        if (twin != PLEAT_NONE)
        {
            uint32_t x = desc->triangles[pl_prev(c)], y = desc->triangles[pl_prev(twin)];
            work->hinges[work->hinge_count++] = make_hinge(desc->rest, a, b, x, y);
        }
    }
    return PLEAT_OK;
}

static double freedom(const cloth *work, uint32_t vertex)
{
    return work->desc->held && work->desc->held[vertex] ? 0 : 1;
}

/* Both ends move along the line between them, by the share that the compliance leaves. */
static void solve_spring(cloth *work, const spring *s, double step2)
{
    const pl_cloth_desc *desc = work->desc;
    double wa = freedom(work, s->a), wb = freedom(work, s->b);
    pl_v3 d = v3_sub(work->positions[s->b], work->positions[s->a]);
    double length = v3_length(d);
    if (wa + wb == 0 || length < 1e-9)
    {
        return;
    }
    double wrong = length - s->length;
    double compliance = wrong > 0 ? desc->stretch : desc->squeeze;
    double move = wrong / ((wa + wb + compliance / step2) * length);
    work->positions[s->a] = v3_mad(work->positions[s->a], wa * move, d);
    work->positions[s->b] = v3_mad(work->positions[s->b], -wb * move, d);
}

static void solve_hinge(cloth *work, const hinge *h, double step2)
{
    pl_v3 vector = hinge_vector(h, work->positions);
    double height = v3_length(vector), sum = work->desc->bend / step2;
    for (uint32_t i = 0; i < 4; ++i)
    {
        sum += freedom(work, h->vertices[i]) * h->parts[i] * h->parts[i];
    }
    if (height < 1e-9 || sum < 1e-12)
    {
        return;
    }
    double move = (height - h->height) / (sum * height);
    for (uint32_t i = 0; i < 4; ++i)
    {
        uint32_t v = h->vertices[i];
        work->positions[v] = v3_mad(work->positions[v], -freedom(work, v) * h->parts[i] * move, vector);
    }
}

static void run_step(cloth *work, double seconds, double passed)
{
    const pl_cloth_desc *desc = work->desc;
    const pl_surroundings *around = &desc->surroundings;
    double keep = pow(1 - desc->drag, seconds);
    around->step(around->user, passed);
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        work->before[v] = work->positions[v];
        if (desc->held && desc->held[v])
        {
            work->positions[v] = around->hold(around->user, v);
            continue;
        }
        pl_v3 speed = v3_scale(work->speeds[v], keep);
        speed.y -= 9.81 * seconds;
        work->positions[v] = v3_mad(work->positions[v], seconds, speed);
    }
    for (uint32_t i = 0; i < work->spring_count; ++i)
    {
        solve_spring(work, &work->springs[i], seconds * seconds);
    }
    for (uint32_t i = 0; i < work->hinge_count; ++i)
    {
        solve_hinge(work, &work->hinges[i], seconds * seconds);
    }
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        if (!desc->held || !desc->held[v])
        {
            around->touch(around->user, v, &work->positions[v], work->before[v]);
        }
        pl_v3 speed = v3_scale(v3_sub(work->positions[v], work->before[v]), 1 / seconds);
        /* A vertex that was put out of a body must not fly. */
        double fast = v3_length(speed);
        work->speeds[v] = fast > 6 ? v3_scale(speed, 6 / fast) : speed;
    }
}

pleat_result pl_cloth_run(pl_maker *maker, const pl_cloth_desc *desc, pleat_vec3 **frames)
{
    cloth work = {.desc = desc};
    PL_TRY(make_constraints(maker, &work));
    PL_MAKE_NEW(work.positions, maker, scratch, pl_v3, desc->vertex_count);
    PL_MAKE_NEW(work.before, maker, scratch, pl_v3, desc->vertex_count);
    PL_MAKE_NEW(work.speeds, maker, scratch, pl_v3, desc->vertex_count);
    PL_MAKE_NEW(*frames, maker, keep, pleat_vec3, (size_t)desc->frame_count * desc->vertex_count);
    memcpy(work.positions, desc->rest, desc->vertex_count * sizeof *work.positions);
    double seconds = 1.0 / PL_MAKE_FPS / desc->step_count;
    for (uint32_t f = 0; f < desc->settle_count + desc->frame_count; ++f)
    {
        /* The first kept frame is where settling has led. */
        uint32_t steps = f == desc->settle_count && desc->settle_count == 0 ? 0 : desc->step_count;
        desc->surroundings.frame(desc->surroundings.user, f, work.positions);
        for (uint32_t s = 0; s < steps; ++s)
        {
            run_step(&work, seconds, (double)(s + 1) / desc->step_count);
        }
        for (uint32_t v = 0; v < desc->vertex_count && f >= desc->settle_count; ++v)
        {
            (*frames)[(size_t)(f - desc->settle_count) * desc->vertex_count + v] = v3_float(work.positions[v]);
        }
    }
    return PLEAT_OK;
}
