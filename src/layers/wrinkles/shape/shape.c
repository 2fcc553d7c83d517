/* Width and depth of wrinkles, from the length that the cloth lost around them. */
#include "layers/wrinkles/shape/shape.h"

#include "base/parallel.h"
#include "layers/wrinkles/shape/profile.h"
#include "layers/wrinkles/shape/strip.h"

#include <math.h>
#include <string.h>

#define WIDEST 3.0f   /* a width that only more lost length makes wider, in R_min */
#define FARTHEST 5.0f /* how wide a strip may be to one side, in R_min */
#define TAPER 3.0f    /* over how much a wrinkle rises from its end, in R_min; and no less than in widths: */
#define TAPER_WIDTH 2.0f
#define STEEP 1.1f     /* a depth over width that a wrinkle rather widens than passes */
#define NARROWEST 0.5f /* of R_min */
#define BEND 4         /* over how many points of a crest its bend is measured, to either side: two R_min */
#define BENT 3.0f      /* a crest with a bend of this radius within the cloth, in R_min, is flat; */
#define STRAIGHT 9.0f  /* of this and more, as deep as any */
#define DENT 4.0f      /* a wrinkle this long, in R_min, is a dent and no ridge, and flat; */
#define RIDGE 12.0f    /* one of this length and more, as deep as any */
#define FADED 0.75f    /* of the threshold: to where wrinkles grow, and nothing is left of them */

/* What is known at a crest. */
typedef struct profile_at
{
    float strip[2]; /* left and right, metres as the cloth is */
    float lost;     /* both together */
    float width, depth;
    bool measured; /* or between two that were */
} profile_at;

struct pl_wrinkle_shape
{
    pl_memory memory;
    pl_wrinkle_shape_desc desc;
    pl_wrinkle_profile profile;
    pl_wrinkle_overlap overlap;
    pl_wrinkle_near near;
    float *to_end, *presence; /* by crest */
    float *fade;              /* by crest: how much is left of its depth where little was lost, or it bends */
    profile_at *at;           /* by crest */
    profile_at *smooth;       /* of one wrinkle's measured crests */
    uint32_t *measured;       /* and which they are */
    pl_wrinkle_strip *strips; /* two a crest */
    /* Sides of ids: of this frame and the one before. */
    uint32_t id_count;
    uint32_t *ids;
    int8_t *signs, *new_signs;
};

float pl_fabric_radius(pleat_fabric fabric, float height)
{
    static const float parts[] = {0.004f, 0.008f, 0.016f};
    return (uint32_t)fabric <= PLEAT_FABRIC_LEATHER ? parts[fabric] * height : 0;
}

pl_wrinkle_shape_desc pl_wrinkle_shape_desc_default(void)
{
    return (pl_wrinkle_shape_desc){.strength = 1, .lean = true};
}

pleat_result pl_wrinkle_shape_create(const pl_wrinkle_shape_desc *desc, const pleat_host *host,
                                     pl_wrinkle_shape **shape, pleat_error *error)
{
    *shape = NULL;
    if (!desc->topology || !desc->rest || !(desc->radius > 0) || !isfinite(desc->radius))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "the shape of wrinkles needs a topology, a rest shape and a radius above 0, not %g",
                       (double)desc->radius);
    }
    if (!(desc->strength >= 0 && desc->strength <= 1))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "strength is %g, but goes from 0 to 1", (double)desc->strength);
    }
    pl_wrinkle_shape *made = PL_CREATE(pl_wrinkle_shape, host);
    if (!made)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "no memory for the shape of wrinkles");
    }
    pleat_result result = PLEAT_OK;
    pl_memory *memory = &made->memory;
    made->desc = *desc;
    result =
        pl_wrinkle_near_init(&made->near, desc->topology, desc->wrinkle_capacity, desc->point_capacity, memory, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    uint32_t crests = made->near.crest_capacity;
    PL_NEW_OR_FAIL(made->to_end, memory, float, crests, error);
    PL_NEW_OR_FAIL(made->presence, memory, float, crests, error);
    PL_NEW_OR_FAIL(made->fade, memory, float, crests, error);
    PL_NEW_OR_FAIL(made->at, memory, profile_at, crests, error);
    PL_NEW_OR_FAIL(made->smooth, memory, profile_at, crests, error);
    PL_NEW_OR_FAIL(made->measured, memory, uint32_t, crests, error);
    PL_NEW_OR_FAIL(made->strips, memory, pl_wrinkle_strip, 2 * (size_t)crests, error);
    PL_NEW_OR_FAIL(made->ids, memory, uint32_t, desc->wrinkle_capacity, error);
    PL_NEW_OR_FAIL(made->signs, memory, int8_t, desc->wrinkle_capacity, error);
    PL_NEW_OR_FAIL(made->new_signs, memory, int8_t, desc->wrinkle_capacity, error);
    pl_wrinkle_profile_make(&made->profile);
    made->profile.lean = desc->lean;
    pl_wrinkle_overlap_make(&made->overlap);
    *shape = made;
    return PLEAT_OK;
fail:
    pl_wrinkle_shape_destroy(made);
    return result;
}

void pl_wrinkle_shape_destroy(pl_wrinkle_shape *shape)
{
    if (!shape)
    {
        return;
    }
    pl_wrinkle_near_free(&shape->near);
    pl_free(&shape->memory, shape->to_end);
    pl_free(&shape->memory, shape->presence);
    pl_free(&shape->memory, shape->fade);
    pl_free(&shape->memory, shape->at);
    pl_free(&shape->memory, shape->smooth);
    pl_free(&shape->memory, shape->measured);
    pl_free(&shape->memory, shape->strips);
    pl_free(&shape->memory, shape->ids);
    pl_free(&shape->memory, shape->signs);
    pl_free(&shape->memory, shape->new_signs);
    PL_DESTROY(shape);
}

void pl_wrinkle_shape_reset(pl_wrinkle_shape *shape)
{
    shape->id_count = 0;
}

size_t pl_wrinkle_shape_state_size(const pl_wrinkle_shape *shape)
{
    size_t most = shape->desc.wrinkle_capacity;
    return sizeof shape->id_count + most * (sizeof *shape->ids + sizeof *shape->signs);
}

void pl_wrinkle_shape_save(const pl_wrinkle_shape *shape, void *state)
{
    unsigned char *ids = (unsigned char *)state + sizeof shape->id_count;
    memset(state, 0, pl_wrinkle_shape_state_size(shape));
    memcpy(state, &shape->id_count, sizeof shape->id_count);
    memcpy(ids, shape->ids, shape->id_count * sizeof *shape->ids);
    memcpy(ids + shape->desc.wrinkle_capacity * sizeof *shape->ids, shape->signs,
           shape->id_count * sizeof *shape->signs);
}

void pl_wrinkle_shape_restore(pl_wrinkle_shape *shape, const void *state)
{
    const unsigned char *ids = (const unsigned char *)state + sizeof shape->id_count;
    memcpy(&shape->id_count, state, sizeof shape->id_count);
    memcpy(shape->ids, ids, shape->id_count * sizeof *shape->ids);
    memcpy(shape->signs, ids + shape->desc.wrinkle_capacity * sizeof *shape->ids,
           shape->id_count * sizeof *shape->signs);
}

/* ---- Strips ---- */

static float smooth_step(float t)
{
    float held = fminf(fmaxf(t, 0), 1);
    return held * held * (3 - 2 * held);
}

/* A frame at work. */
typedef struct work
{
    pl_wrinkle_shape *shape;
    const pleat_vec4 *positions;
    const pleat_wrinkle *wrinkles;
    pleat_wrinkle_point *points;
    pl_wrinkle_strip_job strips;
} work;

/* Whether an end of a wrinkle is one of the cloth, or none at all. */
static bool runs_out(const work *w, uint32_t wrinkle, bool last)
{
    const pleat_wrinkle *of = &w->wrinkles[wrinkle];
    if (pl_wrinkle_closed(of, w->points))
    {
        return true;
    }
    const pleat_place *place = &w->points[of->first_point + (last ? of->point_count - 1 : 0)].place;
    return pl_place_on_border(w->shape->desc.topology, place);
}

/* How much of a crest is left where its wrinkle bends within the cloth. A ridge of cloth is straight: it would have to
 * be longer on the outside of a bend than on the inside, so it ends instead. Around points where cloth is pushed
 * together from all sides the field has no direction, and its lines are tight bends about them: rosettes. */
static float straightness(const work *w, uint32_t first, uint32_t crest, uint32_t end)
{
    const pl_crest *crests = w->shape->near.crests;
    uint32_t most = (end - first - 1) / 2, reach = most < BEND ? most : BEND;
    uint32_t at = crest < first + reach ? first + reach : crest + reach >= end ? end - 1 - reach : crest;
    pl_f4 normal = crests[at].smooth, before = crests[at].position - crests[at - reach].position;
    pl_f4 after = crests[at + reach].position - crests[at].position;
    before -= normal * pl_splat(pl_dot3(before, normal));
    after -= normal * pl_splat(pl_dot3(after, normal));
    float turn = atan2f(fabsf(pl_dot3(pl_cross(before, after), normal)), pl_dot3(before, after));
    float way = 0.5f * (pl_length3(before) + pl_length3(after)), radius = w->shape->desc.radius;
    return way > 0 ? smooth_step((way / fmaxf(turn, 1e-6f) / radius - BENT) / (STRAIGHT - BENT)) : 1;
}

/* How far each crest is from the open ends of its wrinkle, and how much it counts as a neighbour. */
static void find_ends(work *w, uint32_t wrinkle)
{
    pl_wrinkle_shape *shape = w->shape;
    const pl_wrinkle_near *near = &shape->near;
    uint32_t first = near->first[wrinkle], end = near->first[wrinkle + 1];
    float along = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        along += i > first ? pl_length3(near->crests[i].position - near->crests[i - 1].position) : 0;
        shape->to_end[i] = along;
    }
    /* An end at the border counts as far away: beyond every taper. */
    float far[2] = {0, 0};
    for (int side = 0; side < 2 && first < end; ++side)
    {
        far[side] = runs_out(w, wrinkle, side) ? 30 * shape->desc.radius : 0;
    }
    float ridge = smooth_step(((far[0] + along + far[1]) / shape->desc.radius - DENT) / (RIDGE - DENT));
    for (uint32_t i = first; i < end; ++i)
    {
        float start = far[0] + shape->to_end[i], stop = far[1] + along - shape->to_end[i];
        shape->to_end[i] = fminf(start, stop);
        float low = FADED * shape->desc.threshold, strength = w->points[near->crests[i].place].strength;
        shape->fade[i] = low > 0 ? smooth_step((strength - low) / (shape->desc.threshold - low)) : 1;
        shape->presence[i] = shape->fade[i] * smooth_step(shape->to_end[i] / (TAPER * shape->desc.radius));
        shape->fade[i] *= ridge * straightness(w, first, i, end); /* its neighbours do not take its place */
    }
}

/* Measures about every R_min; counted from the seed, so that the same crests are measured along a wrinkle's life. The
 * ends themselves are none of them: on the border, there is no way across. */
static void choose_measured(work *w, uint32_t wrinkle)
{
    const pl_wrinkle_near *near = &w->shape->near;
    uint32_t first = near->first[wrinkle], end = near->first[wrinkle + 1];
    if (first == end)
    {
        return;
    }
    uint32_t seed = w->wrinkles[wrinkle].seed, middle = first + (end - first - 1) / 2;
    float step = pl_length3(near->crests[middle].position - near->crests[middle + 1].position);
    uint32_t stride = step > 0 ? (uint32_t)fminf(fmaxf(w->shape->desc.radius / step, 1), 16) : 1;
    stride = end - first < 2 * stride + 2 ? 1 : stride;
    for (uint32_t i = first; i < end; ++i)
    {
        bool inner = end - first < 3 || (i > first && i + 1 < end);
        w->shape->at[i] = (profile_at){.measured = inner && (i - first) % stride == seed % stride};
    }
}

static void measure_strips(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    work *w = data;
    for (uint32_t i = begin; i < end; ++i)
    {
        profile_at *at = &w->shape->at[i];
        if (at->measured)
        {
            const pleat_place *place = &w->points[w->shape->near.crests[i].place].place;
            pl_wrinkle_strip *strip = &w->shape->strips[2 * (size_t)i];
            strip[0] = pl_wrinkle_strip_find(&w->strips, place, i, 1);
            strip[1] = pl_wrinkle_strip_find(&w->strips, place, i, -1);
            at->strip[0] = strip[0].length;
            at->strip[1] = strip[1].length;
            at->lost = strip[0].lost + strip[1].lost;
        }
    }
}

/* ---- Widths and depths ---- */

/* The paper's half width for a loss of v: R sin(phi), with R = (1 - 2/pi) / v R_min and sin(phi) / phi = 1 - v; R_min
 * from the half circle (v = 1 - 2/pi) on. */
static float circle_width(float v, float radius)
{
    const float half = 0.363380228f; /* 1 - 2/pi */
    if (v >= half)
    {
        return radius;
    }
    float phi = sqrtf(6 * fmaxf(v, 1e-6f)) * (1 + 0.15f * v);
    for (int i = 0; i < 3; ++i) /* Newton, from near enough */
    {
        phi -= (sinf(phi) - (1 - v) * phi) / (cosf(phi) - (1 - v));
    }
    return half / fmaxf(v, 1e-6f) * radius * sinf(phi);
}

/* Width and depth (0 or more) of a crest between its strips. */
static void solve_shape(const pl_wrinkle_shape *shape, profile_at *at)
{
    float radius = shape->desc.radius, a = at->strip[0], b = at->strip[1], both = a + b;
    float lost = at->lost * shape->desc.strength;
    float fit = both > 0 ? 2 * a * b / both : 0; /* nearer to the narrower strip */
    float v = both + at->lost > 0 ? at->lost / (both + at->lost) : 0;
    float need = lost / (2 * pl_wrinkle_excess(&shape->profile, STEEP));
    float wanted = fmaxf(fminf(1.5f * circle_width(v, radius), WIDEST * radius), need);
    at->width = fmaxf(fminf(wanted, fit), NARROWEST * radius);
    /* A side narrower than the width overlaps with a neighbour, taken to be as wide. */
    float overlaps[2] = {2 - 2 * a / at->width, 2 - 2 * b / at->width};
    at->depth = at->width * pl_wrinkle_depth_between(&shape->profile, &shape->overlap, lost / at->width, overlaps);
}

static profile_at mix(const profile_at *a, const profile_at *b, float t)
{
    profile_at out = *a;
    out.strip[0] += t * (b->strip[0] - a->strip[0]);
    out.strip[1] += t * (b->strip[1] - a->strip[1]);
    out.lost += t * (b->lost - a->lost);
    out.width += t * (b->width - a->width);
    out.depth += t * (b->depth - a->depth);
    return out;
}

/* At a border, the way straight across a crest that slants leaves the cloth at once: the last measure before an end
 * gives way to the one further in, the more the nearer it is. */
static void mend_end(work *w, uint32_t last, uint32_t inner, uint32_t end)
{
    pl_wrinkle_shape *shape = w->shape;
    const pl_crest *crests = shape->near.crests;
    float away = 0;
    for (uint32_t i = last; i != end; i += last < end ? 1 : UINT32_MAX)
    {
        away += pl_length3(crests[last < end ? i + 1 : i - 1].position - crests[i].position);
    }
    shape->at[last] = mix(&shape->at[inner], &shape->at[last], smooth_step(away / shape->desc.radius));
}

/* Evens the measures of a wrinkle out over its neighbours on the crest (1 2 1, twice), solves for the shape and fills
 * what lies between. */
static void even_out(work *w, uint32_t wrinkle)
{
    pl_wrinkle_shape *shape = w->shape;
    uint32_t first = shape->near.first[wrinkle], end = shape->near.first[wrinkle + 1], count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        if (shape->at[i].measured)
        {
            shape->measured[count++] = i;
        }
    }
    if (count > 2)
    {
        mend_end(w, shape->measured[0], shape->measured[1], first);
        mend_end(w, shape->measured[count - 1], shape->measured[count - 2], end - 1);
    }
    for (int round = 0; round < 2; ++round)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            const profile_at *here = &shape->at[shape->measured[k]];
            const profile_at *before = k > 0 ? &shape->at[shape->measured[k - 1]] : here;
            const profile_at *after = k + 1 < count ? &shape->at[shape->measured[k + 1]] : here;
            profile_at around = mix(before, after, 0.5f);
            shape->smooth[k] = mix(here, &around, 0.5f);
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            shape->at[shape->measured[k]] = shape->smooth[k];
        }
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        solve_shape(shape, &shape->at[shape->measured[k]]);
    }
    for (uint32_t i = first; count > 0 && i < shape->measured[0]; ++i)
    {
        shape->at[i] = shape->at[shape->measured[0]];
    }
    for (uint32_t i = count > 0 ? shape->measured[count - 1] + 1 : end; i < end; ++i)
    {
        shape->at[i] = shape->at[shape->measured[count - 1]];
    }
    for (uint32_t k = 0; k + 1 < count; ++k)
    {
        uint32_t a = shape->measured[k], b = shape->measured[k + 1];
        for (uint32_t i = a + 1; i < b; ++i)
        {
            shape->at[i] = mix(&shape->at[a], &shape->at[b], (float)(i - a) / (float)(b - a));
        }
    }
}

/* ---- Sides ---- */

/* The side that an id had in the frame before; 0 without. */
static int8_t old_sign(const pl_wrinkle_shape *shape, uint32_t id)
{
    uint32_t low = 0, high = shape->id_count;
    while (low < high)
    {
        uint32_t middle = (low + high) / 2;
        *(shape->ids[middle] < id ? &low : &high) = shape->ids[middle] < id ? middle + 1 : middle;
    }
    return low < shape->id_count && shape->ids[low] == id ? shape->signs[low] : 0;
}

/* Against the nearest neighbours that have a side. */
static int8_t new_sign(const work *w, uint32_t wrinkle)
{
    const pl_wrinkle_shape *shape = w->shape;
    float vote = 0;
    for (uint32_t i = shape->near.first[wrinkle]; i < shape->near.first[wrinkle + 1]; ++i)
    {
        for (int side = 0; shape->at[i].measured && side < 2; ++side)
        {
            const pl_wrinkle_strip *strip = &shape->strips[2 * (size_t)i + (size_t)side];
            if (strip->neighbour != PLEAT_NONE && strip->neighbour != wrinkle)
            {
                vote -= (float)shape->new_signs[strip->neighbour] / (strip->distance + shape->desc.radius);
            }
        }
    }
    return vote < 0 ? -1 : 1;
}

static void find_signs(work *w)
{
    pl_wrinkle_shape *shape = w->shape;
    uint32_t count = shape->near.wrinkle_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        shape->new_signs[i] = shape->desc.side == PLEAT_WRINKLE_BOTH ? old_sign(shape, w->wrinkles[i].id) : 0;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (shape->desc.side != PLEAT_WRINKLE_BOTH)
        {
            shape->new_signs[i] = shape->desc.side == PLEAT_WRINKLE_INWARD ? -1 : 1;
        }
        else if (shape->new_signs[i] == 0)
        {
            shape->new_signs[i] = new_sign(w, i);
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        shape->ids[i] = w->wrinkles[i].id;
        shape->signs[i] = shape->new_signs[i];
    }
    shape->id_count = count;
}

/* ---- Frames ---- */

static void fill_points(work *w, uint32_t wrinkle)
{
    const pl_wrinkle_shape *shape = w->shape;
    for (uint32_t i = shape->near.first[wrinkle]; i < shape->near.first[wrinkle + 1]; ++i)
    {
        pleat_wrinkle_point *point = &w->points[shape->near.crests[i].place];
        float over = fmaxf(TAPER * shape->desc.radius, TAPER_WIDTH * shape->at[i].width);
        float risen = shape->fade[i] * smooth_step(shape->to_end[i] / over);
        point->width = shape->at[i].width * (0.5f + 0.5f * risen); /* a point, not a knob */
        point->depth = shape->at[i].depth * risen * (float)shape->new_signs[wrinkle];
    }
}

void pl_wrinkle_shape_update(pl_wrinkle_shape *shape, const pleat_vec4 *positions, uint32_t wrinkle_count,
                             const pleat_wrinkle *wrinkles, pleat_wrinkle_point *points, const pleat_tasks *tasks)
{
    for (uint32_t i = 0; i < wrinkle_count; ++i)
    {
        for (uint32_t k = 0; k < wrinkles[i].point_count; ++k)
        {
            pleat_wrinkle_point *point = &points[wrinkles[i].first_point + k];
            point->width = shape->desc.radius;
            point->depth = 0;
        }
    }
    pl_wrinkle_near *near = &shape->near;
    pl_wrinkle_near_frame frame = {.positions = positions,
                                   .wrinkle_count = wrinkle_count,
                                   .wrinkles = wrinkles,
                                   .points = points,
                                   .reach = 0.5f * shape->desc.radius};
    pl_wrinkle_near_build(near, &frame);
    work w = {.shape = shape, .positions = positions, .wrinkles = wrinkles, .points = points};
    w.strips = (pl_wrinkle_strip_job){.near = near,
                                      .positions = positions,
                                      .rest = shape->desc.rest,
                                      .presence = shape->presence,
                                      .farthest = FARTHEST * shape->desc.radius,
                                      .skip = 8};
    for (uint32_t i = 0; i < near->wrinkle_count; ++i)
    {
        find_ends(&w, i);
        choose_measured(&w, i);
    }
    pl_parallel_for(tasks, near->crest_count, 32, measure_strips, &w);
    find_signs(&w);
    for (uint32_t i = 0; i < near->wrinkle_count; ++i)
    {
        even_out(&w, i);
        fill_points(&w, i);
    }
}
