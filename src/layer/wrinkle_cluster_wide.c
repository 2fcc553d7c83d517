/* A few neighbouring vertices go onto the blend of cloth and wrinkles, eight at a time. The time of a frame is spent
 * here: some six segments for eight vertices, each asked for two or three times; bound by operations. */
#include "layer/wrinkle_cluster.h"

#include "base/wide.h"
#include "field/convolution_eight.h"

#include <math.h>
#include <string.h>

#define STEP_END 2e-3f    /* Newton's last step, in widths: what is left is about its square */
#define SLIDE_MARGIN 1.2f /* how far cloth may be from where it slides to, and 1 more, in widths */

enum
{
    MOST_STEPS = 24
};

/* Segments that may reach some vertices. */
typedef struct reaching
{
    uint32_t count;
    const pl_wrinkle_segment *at[PL_CLUSTER_SEGMENTS];
} reaching;

PL_INLINE float smaller(float a, float b)
{
    return a < b ? a : b;
}

PL_INLINE float larger(float a, float b)
{
    return a > b ? a : b;
}

/* ---- Gathering ---- */

/* Vertices on the coarse surface, and a ball around them; the same at rest. */
typedef struct places
{
    pl_f4 base[PL_CLUSTER_SIZE], rest[PL_CLUSTER_SIZE];
    pl_f4 center, rest_center;
    float radius, rest_radius;
} places;

static bool within(pl_f4 point, pl_f4 from, pl_f4 axis, float length, float reach)
{
    pl_f4 away = point - from;
    float along = smaller(larger(pl_dot3(away, axis), 0), length);
    away -= axis * pl_splat(along);
    return pl_dot3(away, away) < reach * reach;
}

/* Whether a ball comes as near to a segment as cloth may be that slides into its reach. */
static bool reaches(const pl_wrinkle_segment *segment, pl_f4 center, float radius)
{
    return within(center, segment->from, segment->axis, segment->length, SLIDE_MARGIN * segment->width + radius);
}

static bool reached_at_rest(const pl_wrinkle_segment *segment, const places *p)
{
    return within(p->rest_center, segment->rest, segment->rest_axis, segment->rest_length,
                  PL_WRINKLE_APART * segment->rest_width + p->rest_radius);
}

/* The segments near the ball around a cluster, of either side. Returns how many did not fit. */
static uint32_t gather(const pl_wrinkle_cluster_job *job, uint32_t triangle, const places *p, reaching sides[2])
{
    uint32_t left_out = 0;
    sides[0].count = sides[1].count = 0;
    for (uint32_t run = job->near->head[triangle]; run != PLEAT_NONE; run = job->near->runs[run].next)
    {
        const pl_wrinkle_run *r = &job->near->runs[run];
        for (uint32_t i = r->first; i <= r->last; ++i)
        {
            const pl_wrinkle_segment *segment = &job->segments[i];
            if (segment->length > 0 && reaches(segment, p->center, p->radius) &&
                (!job->rest || reached_at_rest(segment, p)))
            {
                reaching *side = &sides[segment->inward];
                if (side->count == PL_CLUSTER_SEGMENTS)
                {
                    ++left_out;
                    continue;
                }
                side->at[side->count++] = segment;
            }
        }
    }
    return left_out;
}

/* The middle and the radius of points. */
static pl_f4 ball_around(const pl_f4 *points, uint32_t count, float *radius)
{
    pl_f4 low = points[0], high = points[0];
    for (uint32_t i = 1; i < count; ++i)
    {
        low = pl_min(low, points[i]);
        high = pl_max(high, points[i]);
    }
    *radius = 0.5f * pl_length3(high - low);
    return (low + high) * pl_splat(0.5f);
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
    pl_f8 rest[3];
    reaching near;
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

/* Sums over the segments, each by its depth: one that is as good as flat changes nothing, so that wrinkles may come and
 * go. Of a lone wrinkle nearness is that of its crest, however deep. */
static void look_around(eight *e, float unit, bool at_rest, vicinity *out)
{
    *out = (vicinity){0};
    pl_f8 squared = pl_splat8(0); /* by depth */
    for (uint32_t i = 0; i < e->near.count; ++i)
    {
        const pl_wrinkle_segment *segment = e->near.at[i];
        float inverse = 1 / segment->width;
        pl_convolution_stand stand;
        pl_convolution_moments m;
        pl_convolution_stand_of(segment->from, segment->axis, inverse, e->base, &stand);
        pl_convolution_moments_of(segment->length * inverse, &stand, &m);
        pl_f8 factor = facing(segment, e->normal);
        if (at_rest)
        {
            factor *= closeness(segment, e->rest);
        }
        pl_f8 deep = factor * pl_splat8(segment->depth);
        pl_f8 value = pl_max8(m.value[0], pl_splat8(0)) * deep;
        e->factor[i] = factor;
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

/* Where the vertices stand to the segments, from there on as they rise. Those that reach none of the eight are left
 * out. */
static void find_sights(eight *e)
{
    e->sight_count = 0;
    for (uint32_t i = 0; i < e->near.count; ++i)
    {
        const pl_wrinkle_segment *segment = e->near.at[i];
        float inverse = 1 / segment->width, length = segment->length * inverse;
        pl_convolution_stand stand;
        pl_convolution_stand_of(segment->from, segment->axis, inverse, e->base, &stand);
        pl_f8 over = pl_max8(pl_max8(-stand.along, stand.along - pl_splat8(length)), pl_splat8(0));
        pl_i8 seen = (stand.squared + over * over < pl_splat8(1)) & (e->factor[i] > pl_splat8(0));
        if (!pl_mask8(seen))
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
        pl_convolution_moments_of(s->length, &stand, &m);
        sum += s->weight * m.value[0] + s->rise * m.value[1];
        down += (s->weight * m.slope[0] + s->rise * m.slope[1]) * above * pl_splat8(s->inverse);
    }
    *field = sum;
    *slope = down * pl_splat8(2 * PL_WRINKLE_RISE);
}

static bool any(const pl_i8 *mask)
{
    int32_t sum = 0;
    for (int i = 0; i < 8; ++i)
    {
        sum |= (*mask)[i];
    }
    return sum != 0;
}

/* The heights, in widths, where crests and cloth add up to 1: z holds guesses, and the result. Newton's steps, held in
 * the bracket. A vertex that is done keeps its height, so that none depends on the company it is in. */
static void solve(const eight *e, const pl_f8 *width, pl_i8 open, pl_f8 *z, pl_i8 *steps)
{
    pl_f8 low = pl_splat8(0), high = pl_splat8(4), one = pl_splat8(1);
    *steps = open & 0;
    for (int i = 0; i < MOST_STEPS && any(&open); ++i)
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

/* Moves the bases to where cloth goes across the wrinkle so that lengths are even over the profile, by slide (metres),
 * and guesses the heights there (in widths). */
static void slide_bases(const pl_wrinkle_profile *profile, const vicinity *v, bool slides, eight *e, pl_f8 slide[3],
                        pl_f8 *guess)
{
    pl_f8 along = v->gradient[0] * e->normal[0] + v->gradient[1] * e->normal[1] + v->gradient[2] * e->normal[2];
    pl_f8 flat[3], squared = pl_splat8(0), by = pl_splat8(0);
    for (int k = 0; k < 3; ++k)
    {
        flat[k] = v->gradient[k] - e->normal[k] * along;
        squared += flat[k] * flat[k];
    }
    pl_f8 steep = pl_sqrt8(squared);
    for (int i = 0; i < 8; ++i)
    {
        if (!(v->nearness[i] > 0))
        {
            (*guess)[i] = 0;
            continue;
        }
        float place = pl_wrinkle_place(profile, v->nearness[i]), shift = 0;
        if (slides)
        {
            float x = place * PL_PROFILE_PLACES;
            int at = x < PL_PROFILE_PLACES - 1 ? (int)x : PL_PROFILE_PLACES - 1;
            float slope = profile->slope[at] + (x - (float)at) * (profile->slope[at + 1] - profile->slope[at]);
            /* Close to the foot, nearness is but rounding. */
            shift = pl_wrinkle_read(profile->shift, v->depth[i], place) * v->nearness[i] / (v->nearness[i] + 1e-5f);
            by[i] = -shift * v->width[i] / larger(steep[i], larger(-slope, 1e-6f));
        }
        (*guess)[i] = pl_wrinkle_read(profile->height, v->depth[i], place + shift);
    }
    for (int k = 0; k < 3; ++k)
    {
        slide[k] = flat[k] * by;
        e->base[k] += slide[k];
    }
}

/* Adds to the offsets of count vertices what the wrinkles of one side do to them; reached: which they are. */
static void move_eight(const pl_wrinkle_cluster_job *job, eight *e, float sign, uint32_t count, pl_f8 offset[3],
                       pl_i8 *reached, pl_wrinkle_tally *tally)
{
    vicinity v;
    look_around(e, job->profile->unit, job->rest != NULL, &v);
    pl_i8 open = v.nearness > pl_splat8(0), steps;
    for (uint32_t i = count; i < 8; ++i)
    {
        open[i] = 0;
    }
    if (!any(&open))
    {
        return;
    }
    pl_f8 slide[3], up[3], z;
    slide_bases(job->profile, &v, job->slide, e, slide, &z);
    for (int k = 0; k < 3; ++k)
    {
        up[k] = e->normal[k] * pl_splat8(sign);
    }
    find_sights(e);
    solve(e, &v.width, open, &z, &steps);
    pl_f8 height = z * v.width, aside = z * height / pl_max8(v.depth, pl_splat8(1e-6f));
    for (int k = 0; k < 3; ++k)
    {
        pl_f8 by = slide[k] + up[k] * height + v.lean[k] * aside;
        offset[k] += (pl_f8)((pl_i8)by & open);
    }
    *reached |= open;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (open[i])
        {
            uint32_t taken = (uint32_t)steps[i];
            tally->solved += 1;
            tally->steps += taken;
            tally->most_steps = taken > tally->most_steps ? taken : tally->most_steps;
            tally->highest = larger(tally->highest, height[i]);
        }
    }
}

/* Bases and normals; what is missing of eight is the first again. */
static void load_eight(const pl_wrinkle_cluster_job *job, const uint32_t *vertices, const pl_f4 *base,
                       const pl_f4 *rest, uint32_t count, eight *e)
{
    float points[3][8], normals[3][8], rests[3][8];
    for (uint32_t i = 0; i < 8; ++i)
    {
        uint32_t at = i < count ? i : 0;
        const pleat_vec4 *normal = &job->normals[vertices[at]];
        points[0][i] = base[at][0];
        points[1][i] = base[at][1];
        points[2][i] = base[at][2];
        normals[0][i] = normal->x;
        normals[1][i] = normal->y;
        normals[2][i] = normal->z;
        rests[0][i] = rest[at][0];
        rests[1][i] = rest[at][1];
        rests[2][i] = rest[at][2];
    }
    memcpy(e->rest, rests, sizeof rests);
    memcpy(e->base, points, sizeof points);
    memcpy(e->normal, normals, sizeof normals);
}

/* Up to eight vertices, at base on the coarse surface. */
static void run_eight(const pl_wrinkle_cluster_job *job, const uint32_t *vertices, const pl_f4 *base, const pl_f4 *rest,
                      uint32_t count, const reaching sides[2], pl_wrinkle_tally *tally)
{
    eight e;
    pl_f8 offset[3] = {pl_splat8(0), pl_splat8(0), pl_splat8(0)};
    pl_i8 reached = (pl_i8)pl_splat8(0);
    float radius;
    pl_f4 center = ball_around(base, count, &radius);
    for (int side = 0; side < 2; ++side)
    {
        e.near.count = 0;
        for (uint32_t i = 0; i < sides[side].count; ++i)
        {
            if (reaches(sides[side].at[i], center, radius))
            {
                e.near.at[e.near.count++] = sides[side].at[i];
            }
        }
        if (e.near.count == 0)
        {
            continue;
        }
        load_eight(job, vertices, base, rest, count, &e);
        move_eight(job, &e, side ? -1.0f : 1.0f, count, offset, &reached, tally);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (reached[i])
        {
            uint32_t v = vertices[i];
            float mask = job->mask ? smaller(job->mask[v], 1) : 1;
            pl_f4 by = pl_set(offset[0][i], offset[1][i], offset[2][i], 0);
            pl_store(&job->positions[v], pl_load(&job->positions[v]) + by * pl_splat(mask));
            ++tally->moved;
        }
    }
}

static void find_places(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster, places *p)
{
    p->base[0] = p->rest[0] = pl_splat(0); /* there is at least one */
    for (uint32_t i = 0; i < cluster->count; ++i)
    {
        const float *barycentric = &job->barycentric[3 * (size_t)job->order[cluster->first + i]];
        p->base[i] = pl_place_position(job->triangles, job->coarse, cluster->triangle, barycentric);
        p->rest[i] = pl_splat(0);
        if (job->rest)
        {
            p->rest[i] = pl_place_position(job->triangles, job->rest, cluster->triangle, barycentric);
        }
    }
    p->center = ball_around(p->base, cluster->count, &p->radius);
    p->rest_center = ball_around(p->rest, cluster->count, &p->rest_radius);
}

pl_wrinkle_tally PL_WIDE(pl_wrinkle_cluster_run)(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster)
{
    pl_wrinkle_tally tally = {0};
    places p;
    reaching sides[2];
    find_places(job, cluster, &p);
    tally.left_out = gather(job, cluster->triangle, &p, sides);
    for (uint32_t i = 0; i < cluster->count && sides[0].count + sides[1].count > 0; i += 8)
    {
        uint32_t count = cluster->count - i < 8 ? cluster->count - i : 8;
        run_eight(job, job->order + cluster->first + i, p.base + i, p.rest + i, count, sides, &tally);
    }
    return tally;
}
