/* A few neighbouring vertices go onto the blend of cloth and wrinkles, eight at a time. The time of a frame is spent
 * here: some six segments for eight vertices, each asked for two or three times; bound by operations. */
#include "layers/wrinkles/deform/cluster.h"

#include "base/wide.h"
#include "mesh/field/convolution_eight.h"

#include <math.h>
#include <string.h>

#define STEP_END 2e-3f /* Newton's last step, in widths: what is left is about its square */
#define WHOLE 0.749f   /* of the farthest distance at rest: a segment nearer than 0.75 counts wholly */

enum
{
    MOST_STEPS = 24
};

enum
{
    ROOM = PL_CLUSTER_SEGMENTS + 8 /* eight are read from any on */
};

/* Segments that may reach the vertices of a cluster, of one side. */
typedef struct reaching
{
    uint32_t count;
    uint32_t at[ROOM];
    bool close[ROOM]; /* all of the cluster was as near at rest as it takes to feel the segment wholly */
    float capsule[PL_CAPSULE_PARTS][ROOM];
} reaching;

/* Eight vertices on the coarse surface, in lanes, and a ball around them. */
typedef struct places
{
    pl_f8 base[3];
    pl_f4 center;
    float radius;
} places;

PL_INLINE float larger(float a, float b)
{
    return a > b ? a : b;
}

PL_INLINE pl_f8 load8(const float *from)
{
    pl_f8 out;
    memcpy(&out, from, sizeof out);
    return out;
}

/* ---- Gathering ---- */

/* Which of eight capsules, from index i on, come nearer to a point than their reach and so much more; distance is
 * squared. */
PL_INLINE pl_i8 within(const float *const capsule[PL_CAPSULE_PARTS], uint32_t i, pl_f4 point, float more,
                       pl_f8 *distance)
{
    pl_f8 away[3], axis[3], along = pl_splat8(0), squared = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        axis[k] = load8(capsule[PL_CAPSULE_AXIS + k] + i);
        away[k] = pl_splat8(point[k]) - load8(capsule[PL_CAPSULE_FROM + k] + i);
        along += away[k] * axis[k];
    }
    along = pl_min8(pl_max8(along, pl_splat8(0)), load8(capsule[PL_CAPSULE_LENGTH] + i));
    for (int k = 0; k < 3; ++k)
    {
        pl_f8 left = away[k] - along * axis[k];
        squared += left * left;
    }
    pl_f8 reach = load8(capsule[PL_CAPSULE_REACH] + i) + pl_splat8(more);
    *distance = squared;
    return (squared < reach * reach) & (reach > pl_splat8(0));
}

/* Adds one to those of its side; false where it did not fit. */
static bool put(const pl_wrinkle_cluster_job *job, uint32_t segment, bool close, reaching sides[2])
{
    reaching *side = &sides[job->segments[segment].inward];
    if (side->count == PL_CLUSTER_SEGMENTS)
    {
        return false;
    }
    uint32_t at = side->count++;
    side->at[at] = segment;
    side->close[at] = close;
    for (int part = 0; part < PL_CAPSULE_PARTS; ++part)
    {
        side->capsule[part][at] = job->capsules[0][part][segment];
    }
    return true;
}

/* The segments that come as near to the ball around a cluster as cloth may be that slides into their reach, of either
 * side. Returns how many did not fit. */
static uint32_t gather(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster, const places *p,
                       reaching sides[2])
{
    uint32_t left_out = 0;
    sides[0].count = sides[1].count = 0;
    for (uint32_t run = job->near->head[cluster->triangle]; run != PLEAT_NONE; run = job->near->runs[run].next)
    {
        const pl_wrinkle_run *r = &job->near->runs[run];
        for (uint32_t i = r->first; i <= r->last; i += 8)
        {
            pl_f8 distance;
            uint32_t inside = r->last - i < 7 ? (2u << (r->last - i)) - 1 : 0xff, close = 0xff;
            inside &= pl_mask8(within(job->capsules[0], i, p->center, p->radius, &distance));
            if (inside && job->rest)
            {
                float radius = cluster->rest_radius;
                inside &= pl_mask8(within(job->capsules[1], i, cluster->rest_center, radius, &distance));
                pl_f8 whole = load8(job->capsules[1][PL_CAPSULE_REACH] + i) * pl_splat8(WHOLE) - pl_splat8(radius);
                close = pl_mask8((distance < whole * whole) & (whole > pl_splat8(0)));
            }
            for (; inside; inside &= inside - 1)
            {
                uint32_t lane = (uint32_t)__builtin_ctz(inside);
                left_out += !put(job, i + lane, close >> lane & 1, sides);
            }
        }
    }
    return left_out;
}

/* ---- Places ---- */

PL_INLINE float least8(pl_f8 a)
{
    pl_f4 half = pl_min(pl_low8(a), pl_high8(a));
    half = pl_min(half, __builtin_shufflevector(half, half, 2, 3, 0, 1));
    return half[0] < half[1] ? half[0] : half[1];
}

PL_INLINE float most8(pl_f8 a)
{
    pl_f4 half = pl_max(pl_low8(a), pl_high8(a));
    half = pl_max(half, __builtin_shufflevector(half, half, 2, 3, 0, 1));
    return half[0] > half[1] ? half[0] : half[1];
}

/* As pl_place_position for eight places of one triangle. */
PL_INLINE void lanes_position(const pl_wrinkle_lanes *lanes, const uint32_t *corner, const pleat_vec4 *positions,
                              pl_f8 out[3])
{
    pl_f4 p[3] = {pl_load(&positions[corner[0]]), pl_load(&positions[corner[1]]), pl_load(&positions[corner[2]])};
    for (int k = 0; k < 3; ++k)
    {
        out[k] = pl_splat8(p[0][k]) * load8(lanes->barycentric[0]) + pl_splat8(p[1][k]) * load8(lanes->barycentric[1]) +
                 pl_splat8(p[2][k]) * load8(lanes->barycentric[2]);
    }
}

static float radius_around(const pl_f8 points[3], pl_f4 center)
{
    pl_f8 away[3];
    for (int k = 0; k < 3; ++k)
    {
        away[k] = points[k] - pl_splat8(center[k]);
    }
    return 1.0001f * sqrtf(most8(pl_dot8(away, away)));
}

/* Where the vertices of a cluster are, eight by eight, and the ball around all of them. */
static void find_places(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster, uint32_t eights,
                        places *p, places *whole)
{
    const uint32_t *corner = &job->triangles[3 * (size_t)cluster->triangle];
    pl_f4 lowest = pl_splat(INFINITY), highest = pl_splat(-INFINITY);
    for (uint32_t i = 0; i < eights; ++i)
    {
        const pl_f8 *base = p[i].base;
        lanes_position(&job->lanes[cluster->first + i], corner, job->coarse, p[i].base);
        pl_f4 low = pl_set(least8(base[0]), least8(base[1]), least8(base[2]), 0);
        pl_f4 high = pl_set(most8(base[0]), most8(base[1]), most8(base[2]), 0);
        p[i].center = (low + high) * pl_splat(0.5f);
        p[i].radius = radius_around(base, p[i].center);
        lowest = pl_min(lowest, low);
        highest = pl_max(highest, high);
    }
    whole->center = (lowest + highest) * pl_splat(0.5f);
    whole->radius = 0;
    for (uint32_t i = 0; i < eights; ++i)
    {
        whole->radius = larger(whole->radius, radius_around(p[i].base, whole->center));
    }
}

/* ---- Eight vertices ---- */

/* A segment as eight vertices see it, in units of its reach. */
typedef struct sight
{
    pl_f8 along, squared; /* as in pl_convolution_stand */
    pl_f8 weight, rise;   /* of the segment at the foot, and along it */
    float length, inverse;
} sight;

typedef struct eight
{
    pl_f8 base[3], normal[3];
    pl_f8 rest[3]; /* where a segment is near that was not close at rest */
    uint32_t near_count;
    const pl_wrinkle_segment *near[PL_CLUSTER_SEGMENTS];
    bool close[PL_CLUSTER_SEGMENTS];
    pl_f8 factor[PL_CLUSTER_SEGMENTS]; /* how much of a segment counts: less as normals turn away, none across a fold */
    uint32_t sight_count;
    sight sights[PL_CLUSTER_SEGMENTS];
} eight;

/* What the crests near vertices come to on the cloth itself. */
typedef struct vicinity
{
    pl_f8 nearness;
    pl_f8 width;
    pl_f8 depth;       /* of widths */
    pl_f8 gradient[3]; /* of nearness, per width */
    pl_f8 lean[3];
} vicinity;

/* 0 for a segment whose cloth is turned by a right angle or more, 1 up to 60 degrees. */
PL_INLINE pl_f8 facing(const pl_wrinkle_segment *segment, const pl_f8 normal[3])
{
    pl_f8 turn = normal[0] * pl_splat8(segment->normal[0]) + normal[1] * pl_splat8(segment->normal[1]) +
                 normal[2] * pl_splat8(segment->normal[2]);
    pl_f8 t = pl_max8(pl_min8(turn * pl_splat8(2), pl_splat8(1)), pl_splat8(0));
    return t * t * (pl_splat8(3) - pl_splat8(2) * t);
}

/* 1 up to three quarters of the distance at rest beyond which a segment is not felt, falling to 0 there. */
PL_INLINE pl_f8 closeness(const pl_wrinkle_segment *segment, const pl_f8 rest[3])
{
    pl_f8 away[3], along = pl_splat8(0), squared = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        away[k] = rest[k] - pl_splat8(segment->rest[k]);
        along += away[k] * pl_splat8(segment->rest_axis[k]);
    }
    along = pl_max8(pl_min8(along, pl_splat8(segment->rest_length)), pl_splat8(0));
    for (int k = 0; k < 3; ++k)
    {
        pl_f8 left = away[k] - along * pl_splat8(segment->rest_axis[k]);
        squared += left * left;
    }
    float reach = PL_WRINKLE_APART * segment->rest_width;
    /* In squares: from 9/16 to 1. */
    pl_f8 t = (pl_splat8(1) - squared * pl_splat8(1 / (reach * reach))) * pl_splat8(16.0f / 7);
    t = pl_max8(pl_min8(t, pl_splat8(1)), pl_splat8(0));
    return t * t * (pl_splat8(3) - pl_splat8(2) * t);
}

PL_INLINE void moments_of(float length, const pl_convolution_stand *stand, pl_convolution_moments *out)
{
    if (length <= PL_CONVOLUTION_SHORT)
    {
        pl_convolution_moments_short(length, stand, out);
    }
    else
    {
        pl_convolution_moments_of(length, stand, out);
    }
}

/* Which points are within reach of a segment of this length, and a little more: rounding must not leave one out. */
PL_INLINE pl_i8 in_reach(const pl_convolution_stand *stand, float length, float reach)
{
    pl_f8 over = pl_max8(pl_max8(-stand->along, stand->along - pl_splat8(length)), pl_splat8(0));
    return stand->squared + over * over < pl_splat8(reach);
}

/* Sums over the segments, each by its depth: one that is as good as flat changes nothing, so that wrinkles may come and
 * go. Of a lone wrinkle nearness is that of its crest, however deep. */
static void look_around(eight *e, float unit, vicinity *out)
{
    *out = (vicinity){0};
    pl_f8 squared = pl_splat8(0); /* by depth */
    for (uint32_t i = 0; i < e->near_count; ++i)
    {
        const pl_wrinkle_segment *segment = e->near[i];
        float inverse = segment->inverse, length = segment->length * inverse;
        pl_convolution_stand stand;
        pl_convolution_moments m;
        pl_convolution_stand_of(segment->from, segment->axis, inverse, e->base, &stand);
        pl_f8 factor = facing(segment, e->normal);
        if (!e->close[i])
        {
            factor *= closeness(segment, e->rest);
        }
        e->factor[i] = factor;
        if (!pl_mask8(in_reach(&stand, length, 1.00001f)))
        {
            continue;
        }
        moments_of(length, &stand, &m);
        pl_f8 deep = factor * pl_splat8(segment->depth);
        pl_f8 value = pl_max8(m.value[0], pl_splat8(0)) * deep;
        out->nearness += value;
        squared += value * pl_splat8(segment->depth);
        out->width += value * pl_splat8(segment->width);
        for (int k = 0; k < 3; ++k)
        {
            out->gradient[k] += deep * (m.slope[0] * stand.offset[k] - m.slope[1] * pl_splat8(segment->axis[k]));
            out->lean[k] += value * pl_splat8(segment->lean[k]);
        }
    }
    /* Vertices that nothing reaches get a width all the same, so that they can be carried along. */
    pl_i8 reached = out->nearness > pl_splat8(1e-9f);
    pl_f8 inverse = pl_splat8(1) / pl_select8(reached, out->nearness, pl_splat8(1));
    out->width = pl_select8(reached, out->width * inverse, pl_splat8(1));
    out->depth = squared * inverse;
    pl_f8 scale = pl_splat8(unit) / pl_select8(reached, out->depth, pl_splat8(1));
    for (int k = 0; k < 3; ++k)
    {
        out->gradient[k] *= pl_splat8(2) * scale;
        out->lean[k] *= inverse;
    }
    out->nearness = pl_select8(reached, out->nearness * scale, pl_splat8(0));
}

/* Where the vertices stand to the segments, from there on as they rise. Those that reach none of the open ones are left
 * out. */
static void find_sights(eight *e, pl_i8 open)
{
    e->sight_count = 0;
    for (uint32_t i = 0; i < e->near_count; ++i)
    {
        const pl_wrinkle_segment *segment = e->near[i];
        float inverse = segment->inverse, length = segment->length * inverse;
        pl_convolution_stand stand;
        pl_convolution_stand_of(segment->from, segment->axis, inverse, e->base, &stand);
        if (!pl_mask8(in_reach(&stand, length, 1) & (e->factor[i] > pl_splat8(0)) & open))
        {
            continue;
        }
        sight *s = &e->sights[e->sight_count++];
        s->along = stand.along;
        s->squared = stand.squared;
        s->rise = pl_splat8(segment->rise) * e->factor[i];
        s->weight = pl_splat8(segment->weight) * e->factor[i] + s->rise * stand.along;
        s->length = length;
        s->inverse = inverse;
    }
}

/* Field of all crests at heights (metres) above the base, and its slope in the height: as if crests lay in the tangent
 * plane of the cloth there, as far away as they are. So the field only falls with the height, and there is one solution
 * that moves with the crests, however cloth and crests are bent. */
static void field_at(const eight *e, const pl_f8 *z, pl_f8 *field, pl_f8 *slope)
{
    pl_f8 rise_by = *z * pl_splat8(PL_WRINKLE_RISE), sum = pl_splat8(0), down = pl_splat8(0);
    for (uint32_t i = 0; i < e->sight_count; ++i)
    {
        const sight *s = &e->sights[i];
        pl_f8 above = rise_by * pl_splat8(s->inverse);
        pl_convolution_stand stand = {.along = s->along, .squared = s->squared + above * above};
        pl_convolution_moments m;
        moments_of(s->length, &stand, &m);
        sum += s->weight * m.value[0] + s->rise * m.value[1];
        down += (s->weight * m.slope[0] + s->rise * m.slope[1]) * above * pl_splat8(s->inverse);
    }
    *field = sum;
    *slope = down * pl_splat8(2 * PL_WRINKLE_RISE);
}

/* The heights, in widths, where crests and cloth add up to 1: z holds guesses, and the result. Newton's steps, held in
 * the bracket. A vertex that is done keeps its height, so that none depends on the company it is in. */
static void solve(const eight *e, const pl_f8 *width, pl_i8 open, pl_f8 *z, pl_i8 *steps)
{
    pl_f8 low = pl_splat8(0), high = pl_splat8(4), one = pl_splat8(1);
    *steps = open & 0;
    for (int i = 0; i < MOST_STEPS && pl_mask8(open); ++i)
    {
        pl_f8 field, slope, height = *z * *width;
        field_at(e, &height, &field, &slope);
        pl_f8 plane = pl_splat8(2) / (one + (*z + one) * (*z + one)); /* sharpness and z0 of 1 */
        pl_f8 value = field + plane - one, down = slope * *width - plane * plane * (*z + one);
        pl_i8 under = value > pl_splat8(0);
        low = pl_select8(under, *z, low);
        high = pl_select8(under, high, *z);
        pl_i8 falls = down < pl_splat8(0);
        pl_f8 next = *z - value / pl_select8(falls, down, one);
        pl_i8 held = falls & (next >= low) & (next <= high);
        next = pl_select8(held, next, pl_splat8(0.5f) * (low + high));
        pl_f8 step = next - *z;
        *z = pl_select8(open, next, *z);
        *steps -= open; /* true is -1 */
        open &= (step >= pl_splat8(STEP_END)) | (step <= pl_splat8(-STEP_END));
    }
}

/* A table of equal steps over 0 .. 1, of as many steps; first: of the row, into the table. */
PL_INLINE pl_f8 read_row8(const float *table, pl_i8 first, int count, pl_f8 at)
{
    pl_f8 x = pl_min8(pl_max8(at, pl_splat8(0)), pl_splat8(1)) * pl_splat8((float)count);
    pl_i8 i = __builtin_convertvector(pl_min8(x, pl_splat8((float)(count - 1))), pl_i8);
    pl_f8 from = pl_fetch8(table, first + i), to = pl_fetch8(table, first + i + 1);
    return from + (x - __builtin_convertvector(i, pl_f8)) * (to - from);
}

/* As pl_wrinkle_read; depth: 0 or more. */
PL_INLINE pl_f8 read8(const float table[][PL_PROFILE_PLACES + 1], pl_f8 depth, pl_f8 place)
{
    pl_f8 x = pl_min8(depth / pl_splat8(PL_WRINKLE_DEEPEST), pl_splat8(1)) * pl_splat8(PL_PROFILE_DEPTHS);
    pl_i8 row = __builtin_convertvector(pl_min8(x, pl_splat8(PL_PROFILE_DEPTHS - 1)), pl_i8);
    pl_i8 first = row * (PL_PROFILE_PLACES + 1);
    pl_f8 a = read_row8(table[0], first, PL_PROFILE_PLACES, place);
    pl_f8 b = read_row8(table[0], first + PL_PROFILE_PLACES + 1, PL_PROFILE_PLACES, place);
    return a + (x - __builtin_convertvector(row, pl_f8)) * (b - a);
}

/* As pl_wrinkle_place. */
PL_INLINE pl_f8 place8(const pl_wrinkle_profile *profile, pl_f8 nearness)
{
    pl_f8 left = pl_splat8(1) - pl_sqrt8(pl_max8(nearness, pl_splat8(0)));
    pl_f8 place = read_row8(profile->place, (pl_i8){0}, PL_PROFILE_PLACES, pl_sqrt8(pl_max8(left, pl_splat8(0))));
    return (pl_f8)((pl_i8)place & (nearness < pl_splat8(1)));
}

/* Moves the bases to where cloth goes across the wrinkle so that lengths are even over the profile, by slide (metres),
 * and guesses the heights there (in widths). */
static void slide_bases(const pl_wrinkle_profile *profile, const vicinity *v, bool slides, pl_i8 open, eight *e,
                        pl_f8 slide[3], pl_f8 *guess)
{
    pl_f8 along = pl_dot8(v->gradient, e->normal), flat[3], by = pl_splat8(0), shift = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        flat[k] = v->gradient[k] - e->normal[k] * along;
    }
    pl_f8 place = place8(profile, v->nearness);
    if (slides)
    {
        pl_f8 steep = pl_sqrt8(pl_dot8(flat, flat));
        pl_f8 slope = read_row8(profile->slope, (pl_i8){0}, PL_PROFILE_PLACES, place);
        /* Close to the foot, nearness is but rounding. */
        shift = read8(profile->shift, v->depth, place) * v->nearness / (v->nearness + pl_splat8(1e-5f));
        by = -shift * v->width / pl_max8(steep, pl_max8(-slope, pl_splat8(1e-6f)));
        by = (pl_f8)((pl_i8)by & open);
    }
    *guess = (pl_f8)((pl_i8)read8(profile->height, v->depth, place + shift) & open);
    for (int k = 0; k < 3; ++k)
    {
        slide[k] = flat[k] * by;
        e->base[k] += slide[k];
    }
}

/* What is counted of eights, in lanes. */
typedef struct lane_tally
{
    pl_i8 solved, steps, most_steps;
    pl_f8 highest;
} lane_tally;

/* Adds to the offsets of vertices (those that are there) what the wrinkles of one side do to them; reached: which they
 * are. */
static void move_eight(const pl_wrinkle_cluster_job *job, eight *e, float sign, pl_i8 there, pl_f8 offset[3],
                       pl_i8 *reached, lane_tally *tally)
{
    vicinity v;
    look_around(e, job->profile->unit, &v);
    pl_i8 open = (v.nearness > pl_splat8(0)) & there, steps;
    if (!pl_mask8(open))
    {
        return;
    }
    pl_f8 slide[3], z;
    slide_bases(job->profile, &v, job->slide, open, e, slide, &z);
    find_sights(e, open);
    solve(e, &v.width, open, &z, &steps);
    pl_f8 height = z * v.width, aside = z * height / pl_max8(v.depth, pl_splat8(1e-6f));
    for (int k = 0; k < 3; ++k)
    {
        pl_f8 by = slide[k] + e->normal[k] * pl_splat8(sign) * height + v.lean[k] * aside;
        offset[k] += (pl_f8)((pl_i8)by & open);
    }
    *reached |= open;
    steps &= open;
    tally->solved -= open; /* true is -1 */
    tally->steps += steps;
    tally->most_steps = pl_larger8(tally->most_steps, steps);
    tally->highest = pl_max8(tally->highest, (pl_f8)((pl_i8)height & open));
}

/* The segments of a side that come near eight vertices. */
static void choose_near(const pl_wrinkle_cluster_job *job, const reaching *side, const places *p, eight *e)
{
    const float *capsule[PL_CAPSULE_PARTS];
    for (int part = 0; part < PL_CAPSULE_PARTS; ++part)
    {
        capsule[part] = side->capsule[part];
    }
    e->near_count = 0;
    for (uint32_t i = 0; i < side->count; i += 8)
    {
        pl_f8 distance;
        uint32_t inside = side->count - i < 8 ? (1u << (side->count - i)) - 1 : 0xff;
        inside &= pl_mask8(within(capsule, i, p->center, p->radius, &distance));
        for (; inside; inside &= inside - 1)
        {
            uint32_t at = i + (uint32_t)__builtin_ctz(inside);
            e->near[e->near_count] = &job->segments[side->at[at]];
            e->close[e->near_count++] = side->close[at];
        }
    }
}

/* Bases and normals, and where a segment asks for it, places at rest. */
static void load_eight(const pl_wrinkle_cluster_job *job, const pl_wrinkle_lanes *lanes, const uint32_t *corner,
                       const places *p, eight *e)
{
    bool close = true;
    for (uint32_t i = 0; i < e->near_count; ++i)
    {
        close &= e->close[i];
    }
    for (int k = 0; k < 3; ++k)
    {
        e->base[k] = p->base[k];
        e->rest[k] = pl_splat8(0);
    }
    if (!close)
    {
        lanes_position(lanes, corner, job->rest, e->rest);
    }
    pl_gather8(job->normals, lanes->vertex, e->normal);
}

/* How much of their offsets eight vertices are given. */
PL_INLINE pl_f8 share_of(const pl_wrinkle_cluster_job *job, const pl_wrinkle_lanes *lanes, const uint32_t *corner)
{
    pl_f8 share = load8(lanes->mask), sound = pl_splat8(0);
    if (!job->soundness)
    {
        return share;
    }
    for (int k = 0; k < 3; ++k)
    {
        sound += pl_splat8(job->soundness[corner[k]]) * load8(lanes->barycentric[k]);
    }
    return share * pl_min8(pl_max8(sound, pl_splat8(0)), pl_splat8(1));
}

/* Adds offsets to the positions of those reached. */
static void store_eight(const pl_wrinkle_cluster_job *job, const pl_wrinkle_lanes *lanes, const pl_f8 offset[3],
                        pl_f8 share, uint32_t reached)
{
    pl_f8 four[4] = {offset[0] * share, offset[1] * share, offset[2] * share, pl_splat8(0)};
    pl_f4 by[8];
    pl_scatter8(four, by, 1);
    for (; reached; reached &= reached - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(reached), v = lanes->vertex[lane];
        pl_store(&job->positions[v], pl_load(&job->positions[v]) + by[lane]);
    }
}

/* Vertices of a cluster lie all over the mesh's arrays. */
PL_INLINE void ask_for(const pl_wrinkle_cluster_job *job, const pl_wrinkle_lanes *lanes)
{
    for (int i = 0; i < 8; ++i)
    {
        __builtin_prefetch(&job->normals[lanes->vertex[i]]);
        __builtin_prefetch(&job->positions[lanes->vertex[i]], 1);
    }
}

/* Eight vertices of a cluster. */
typedef struct octet
{
    const pl_wrinkle_lanes *lanes;
    const uint32_t *corner; /* of the coarse triangle */
    const places *places;   /* on it */
    uint32_t count;         /* that are there */
} octet;

/* Returns how many moved. */
static uint32_t run_eight(const pl_wrinkle_cluster_job *job, const octet *o, const reaching sides[2], eight *e,
                          lane_tally *tally)
{
    const pl_i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    const pl_wrinkle_lanes *lanes = o->lanes;
    pl_f8 offset[3] = {pl_splat8(0), pl_splat8(0), pl_splat8(0)};
    pl_i8 reached = {0}, there = lane < (int32_t)o->count;
    for (int side = 0; side < 2; ++side)
    {
        if (sides[side].count)
        {
            choose_near(job, &sides[side], o->places, e);
            load_eight(job, lanes, o->corner, o->places, e);
            move_eight(job, e, side ? -1.0f : 1.0f, there, offset, &reached, tally);
        }
    }
    uint32_t moved = pl_mask8(reached);
    store_eight(job, lanes, offset, share_of(job, lanes, o->corner), moved);
    return (uint32_t)__builtin_popcount(moved);
}

pl_wrinkle_tally PL_WIDE(pl_wrinkle_cluster_run)(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster)
{
    pl_wrinkle_tally tally = {0};
    lane_tally lanes = {0};
    places p[PL_CLUSTER_SIZE / 8], whole;
    reaching sides[2];
    eight e;
    uint32_t eights = (cluster->count + 7) / 8;
    ask_for(job, &job->lanes[cluster->first]);
    find_places(job, cluster, eights, p, &whole);
    tally.left_out = gather(job, cluster, &whole, sides);
    for (uint32_t i = 0; i < eights && sides[0].count + sides[1].count > 0; ++i)
    {
        const uint32_t *corner = &job->triangles[3 * (size_t)cluster->triangle];
        ask_for(job, &job->lanes[cluster->first + (i + 1 < eights ? i + 1 : i)]);
        uint32_t count = cluster->count - 8 * i < 8 ? cluster->count - 8 * i : 8;
        const octet o = {&job->lanes[cluster->first + i], corner, &p[i], count};
        tally.moved += run_eight(job, &o, sides, &e, &lanes);
    }
    for (int i = 0; i < 8; ++i)
    {
        tally.solved += (uint32_t)lanes.solved[i];
        tally.steps += (uint32_t)lanes.steps[i];
        uint32_t most = (uint32_t)lanes.most_steps[i];
        tally.most_steps = most > tally.most_steps ? most : tally.most_steps;
    }
    tally.highest = most8(lanes.highest);
    return tally;
}
