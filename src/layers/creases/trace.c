/* Curves of a bend (sec. 3.2): seeds by angle, the largest first, and from each a curve both ways. */
#include "layers/creases/creases.h"

#include <stdlib.h>

/* A radius where none is given, and a distance of curves, in radii of the limb and of a crease: at under three radii
 * creases merge into one. */
#define RADIUS_OF_LIMB 0.125f
#define DISTANCE_OF_RADIUS 4.5f
/* The inner side: cosine of the normal against it, of a seed and of a curve's end. */
#define INNER_SEED 0.5f
#define INNER_END 0.1f
/* A curve comes no closer to another than this part of the distance of seeds. */
#define CURVE_DISTANCE 0.75f
/* The step of a curve, in radii of a crease. */
#define STEP 0.6f
/* A curve shorter than this many radii would be a pimple. */
#define SHORTEST 5.0f

typedef struct tracer
{
    const pleat_cloth *cloth;
    const pl_crease_angles *angles;
    pl_crease_plan *plan;
    const pl_implicit_bend *bend;
    pl_f4 hinge;
    float radius, distance;
    uint32_t first_crease; /* of this bend */
    pl_crease_point half[2][PL_CREASE_POINTS / 2];
    uint32_t half_count[2];
} tracer;

static pl_f4 place_point(const tracer *t, const pleat_place *place)
{
    const uint32_t *corner = &t->cloth->topology->triangles[3 * (size_t)place->triangle];
    pl_f4 sum = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        sum += pl_load(&t->cloth->rest[corner[k]]) * pl_splat(place->barycentric[k]);
    }
    sum[3] = 0;
    return sum;
}

static float place_value(const tracer *t, const pleat_place *place, const float *values)
{
    const uint32_t *corner = &t->cloth->topology->triangles[3 * (size_t)place->triangle];
    return values[corner[0]] * place->barycentric[0] + values[corner[1]] * place->barycentric[1] +
           values[corner[2]] * place->barycentric[2];
}

/* Down the angle field over a triangle. */
static pl_f4 descent(const tracer *t, uint32_t triangle)
{
    const uint32_t *corner = &t->cloth->topology->triangles[3 * (size_t)triangle];
    pl_f4 a = pl_load(&t->cloth->rest[corner[0]]), u = pl_load(&t->cloth->rest[corner[1]]) - a;
    pl_f4 v = pl_load(&t->cloth->rest[corner[2]]) - a, normal = pl_cross(u, v);
    float du = t->angles->angle[corner[1]] - t->angles->angle[corner[0]];
    float dv = t->angles->angle[corner[2]] - t->angles->angle[corner[0]];
    float squared = pl_dot3(normal, normal);
    pl_f4 gradient = pl_cross(v, normal) * pl_splat(du) + pl_cross(normal, u) * pl_splat(dv);
    return squared > 0 ? gradient * pl_splat(-1 / squared) : pl_splat(0) * gradient;
}

/* The edge of a triangle that lies closest to a direction. */
static pl_f4 along_edge(const tracer *t, uint32_t triangle, pl_f4 direction)
{
    const uint32_t *corner = &t->cloth->topology->triangles[3 * (size_t)triangle];
    pl_f4 best = direction;
    float most = -1;
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 edge = pl_normalize3(pl_load(&t->cloth->rest[corner[(k + 1) % 3]]) - pl_load(&t->cloth->rest[corner[k]]));
        float along = pl_dot3(edge, direction);
        if (fabsf(along) > most)
        {
            most = fabsf(along);
            best = along < 0 ? -edge : edge;
        }
    }
    return best;
}

/* Along the hinge, in the plane across the limb: a hinge projected onto the skin would turn along the limb at its
 * sides, where it stands on the skin. */
static pl_f4 across(const tracer *t, uint32_t triangle)
{
    const uint32_t *corner = &t->cloth->topology->triangles[3 * (size_t)triangle];
    bool of_b = t->plan->bound.skeleton.home[corner[0]] == t->bend->b;
    pl_f4 limb = of_b ? t->bend->into_b : t->bend->out_of_a;
    pl_f4 a = pl_load(&t->cloth->rest[corner[0]]);
    pl_f4 normal = pl_cross(pl_load(&t->cloth->rest[corner[1]]) - a, pl_load(&t->cloth->rest[corner[2]]) - a);
    limb -= t->hinge * pl_splat(pl_dot3(limb, t->hinge));
    return pl_cross(normal, limb);
}

/* Which way a curve goes from a place; last: unit, where it came from, or zero at a seed. */
static pl_f4 direction_at(const tracer *t, uint32_t triangle, pl_f4 last)
{
    pl_f4 way =
        pl_normalize3(t->plan->options.field == PLEAT_CREASE_ANGLE ? descent(t, triangle) : across(t, triangle));
    way = t->plan->options.topology_bias ? along_edge(t, triangle, way) : way;
    return pl_dot3(way, last) < 0 ? -way : way;
}

static bool is_free(const tracer *t, pl_f4 at, float distance)
{
    const pl_crease_plan *plan = t->plan;
    for (uint32_t c = t->first_crease; c < plan->crease_count; ++c)
    {
        const pl_crease *crease = &plan->creases[c];
        for (uint32_t i = 0; i < crease->count; ++i)
        {
            if (pl_length3(plan->points[crease->first + i].rest - at) < distance)
            {
                return false;
            }
        }
    }
    return true;
}

/* Half of a curve: from the seed until it leaves the inner side, the field, or its room. */
static void grow(tracer *t, pleat_place place, pl_f4 way, uint32_t side)
{
    float least = cosf(t->plan->options.direction_threshold);
    uint32_t *count = &t->half_count[side];
    *count = 0;
    while (*count < PL_CREASE_POINTS / 2)
    {
        pleat_walk walk = {.topology = t->cloth->topology,
                           .positions = t->cloth->rest,
                           .start = place,
                           .direction = pl_to(way),
                           .length = STEP * t->radius};
        pleat_walk_result step = pleat_walk_run(&walk);
        place = step.place;
        pl_f4 at = place_point(t, &place), next = direction_at(t, place.triangle, way);
        if (step.end != PLEAT_WALK_DONE || !(place_value(t, &place, t->angles->angle) >= t->plan->options.angle) ||
            !(place_value(t, &place, t->angles->inner) >= INNER_END) || !is_free(t, at, CURVE_DISTANCE * t->distance) ||
            !(pl_dot3(next, way) >= least))
        {
            return;
        }
        t->half[side][(*count)++] = (pl_crease_point){place, at, 0};
        way = next;
    }
}

/* Both halves as one curve; weights fall to the ends like the height of a half circle. */
static void join_halves(tracer *t, const pl_crease_point *seed, float start, uint32_t bend)
{
    pl_crease_plan *plan = t->plan;
    uint32_t before = t->half_count[1], count = before + 1 + t->half_count[0];
    if ((float)(count - 1) * STEP < SHORTEST)
    {
        return;
    }
    pl_crease *crease = &plan->creases[plan->crease_count++];
    *crease =
        (pl_crease){.bend = bend, .first = plan->point_count, .count = count, .start = start, .radius = t->radius};
    pl_crease_point *points = &plan->points[plan->point_count];
    for (uint32_t i = 0; i < before; ++i)
    {
        points[i] = t->half[1][before - 1 - i];
    }
    points[before] = *seed;
    memcpy(&points[before + 1], t->half[0], t->half_count[0] * sizeof *points);
    pl_f4 middle = pl_splat(0);
    for (uint32_t i = 0; i < count; ++i)
    {
        float s = 2 * (float)i / (float)(count - 1) - 1;
        points[i].weight = sqrtf(fmaxf(1 - s * s, 0));
        middle += points[i].rest * pl_splat(1.0f / (float)count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        crease->reach = fmaxf(crease->reach, pl_length3(points[i].rest - middle));
    }
    crease->middle = middle;
    plan->point_count += count;
}

static void plant(tracer *t, uint32_t vertex, uint32_t bend)
{
    const pleat_topology *topology = t->cloth->topology;
    uint32_t corner = topology->ring_corner[topology->ring_start[vertex]];
    pl_crease_point seed = {.place = {.triangle = corner / 3}, .rest = pl_load(&t->cloth->rest[vertex])};
    seed.place.barycentric[corner % 3] = 1;
    pl_f4 way = direction_at(t, seed.place.triangle, pl_splat(0));
    grow(t, seed.place, way, 0);
    grow(t, seed.place, -way, 1);
    float start = pl_crease_start(t->cloth, t->plan, bend, vertex, fmaxf(t->plan->options.field_threshold, 1e-3f));
    join_halves(t, &seed, start, bend);
}

typedef struct candidate
{
    float angle;
    uint32_t vertex;
} candidate;

static int compare_candidates(const void *x, const void *y)
{
    const candidate *p = x, *q = y;
    if (p->angle != q->angle)
    {
        return p->angle > q->angle ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static uint32_t find_candidates(const tracer *t, candidate *out)
{
    const pleat_creases_options *o = &t->plan->options;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->angles->count; ++i)
    {
        uint32_t v = t->angles->vertices[i];
        bool skin = t->cloth->mask[v] > 0 && !(t->cloth->topology->vertex_flags[v] & PLEAT_VERTEX_BOUNDARY);
        if (skin && t->angles->angle[v] >= o->seed_angle && t->angles->value[v] >= o->field_threshold &&
            t->angles->inner[v] >= INNER_SEED)
        {
            out[count++] = (candidate){t->angles->angle[v] * t->angles->inner[v], v};
        }
    }
    qsort(out, count, sizeof *out, compare_candidates);
    return count;
}

/* For one more curve. */
static pleat_result make_room(pl_crease_plan *plan, pleat_error *error)
{
    uint32_t creases = plan->crease_count + 1, points = plan->point_count + PL_CREASE_POINTS + 1;
    if (creases > plan->crease_capacity)
    {
        uint32_t capacity = 2 * creases + 16;
        void *grown = pl_realloc(&plan->memory, plan->creases, capacity, sizeof *plan->creases);
        if (!grown)
        {
            return pl_fail_memory(&plan->memory, error, "creases");
        }
        plan->creases = grown;
        plan->crease_capacity = capacity;
    }
    if (points > plan->point_capacity)
    {
        uint32_t capacity = 2 * points;
        void *grown = pl_realloc(&plan->memory, plan->points, capacity, sizeof *plan->points);
        if (!grown)
        {
            return pl_fail_memory(&plan->memory, error, "points of creases");
        }
        plan->points = grown;
        plan->point_capacity = capacity;
    }
    return PLEAT_OK;
}

pleat_result pl_crease_trace(const pleat_cloth *cloth, const pl_crease_angles *angles, uint32_t bend,
                             pl_crease_plan *plan, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_implicit_bend *at = &plan->bound.skeleton.bends[bend];
    const pleat_creases_options *o = &plan->options;
    tracer t = {.cloth = cloth, .angles = angles, .plan = plan, .bend = at, .first_crease = plan->crease_count};
    t.hinge = plan->hinges[bend].axis;
    t.radius = o->radius > 0 ? o->radius : RADIUS_OF_LIMB * at->radius;
    t.distance = o->seed_distance > 0 ? o->seed_distance : DISTANCE_OF_RADIUS * t.radius;
    candidate *candidates = NULL;
    PL_NEW_OR_FAIL(candidates, &plan->memory, candidate, angles->count, error);
    uint32_t count = find_candidates(&t, candidates);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (is_free(&t, pl_load(&cloth->rest[candidates[i].vertex]), t.distance))
        {
            result = make_room(plan, error);
            if (result != PLEAT_OK)
            {
                goto fail;
            }
            plant(&t, candidates[i].vertex, bend);
        }
    }
fail:
    pl_free(&plan->memory, candidates);
    return result;
}
