/* A few neighbouring vertices go onto the blend of cloth and wrinkles. The time of a frame is spent here: a few rows of
 * four segments a vertex, each asked for three or four times. */
#include "layer/wrinkle_cluster.h"

#include "base/wide.h"
#include "field/convolution_row.h"

#include <math.h>

#define STEP_END 2e-3f    /* Newton's last step, in widths: what is left is about its square */
#define SLIDE_MARGIN 1.2f /* how far cloth may be from where it slides to, and 1 more, in widths */

enum
{
    ROWS = PL_CLUSTER_SEGMENTS / 4,
    MOST_STEPS = 24
};

/* Four skeletons side by side, and what they are multiplied by. */
typedef struct row
{
    pl_convolution_row shape;
    pl_f4 weight, rise, depth, width;
    pl_f4 normal[3], lean[3];
} row;

/* The skeletons of one side near a cluster. */
typedef struct rows
{
    uint32_t count; /* segments; rows are count / 4, rounded up */
    row at[ROWS];
} rows;

/* ---- Gathering ---- */

static float distance_to(const pl_wrinkle_segment *segment, pl_f4 point)
{
    pl_f4 away = point - segment->from;
    float along = fminf(fmaxf(pl_dot3(away, segment->axis), 0), segment->length);
    return pl_length3(away - segment->axis * pl_splat(along));
}

static void add_segment(rows *r, const pl_wrinkle_segment *segment)
{
    uint32_t lane = r->count % 4;
    row *at = &r->at[r->count / 4];
    if (lane == 0)
    {
        *at = (row){.shape.inverse_reach = pl_splat(1)};
    }
    for (int k = 0; k < 3; ++k)
    {
        at->shape.from[k][lane] = segment->from[k];
        at->shape.axis[k][lane] = segment->axis[k];
        at->normal[k][lane] = segment->normal[k];
        at->lean[k][lane] = segment->lean[k];
    }
    at->shape.length[lane] = segment->length;
    at->shape.inverse_reach[lane] = 1 / segment->width;
    at->weight[lane] = segment->weight;
    at->rise[lane] = segment->rise;
    at->depth[lane] = segment->depth;
    at->width[lane] = segment->width;
    ++r->count;
}

/* The segments that may reach a vertex of the cluster, of either side. */
static uint32_t gather(const pl_wrinkle_cluster_job *job, uint32_t triangle, pl_f4 center, float radius, rows sides[2])
{
    uint32_t left_out = 0;
    sides[0].count = sides[1].count = 0;
    for (uint32_t run = job->near->head[triangle]; run != PLEAT_NONE; run = job->near->runs[run].next)
    {
        const pl_wrinkle_run *r = &job->near->runs[run];
        for (uint32_t i = r->first; i <= r->last; ++i)
        {
            const pl_wrinkle_segment *segment = &job->segments[i];
            if (segment->length > 0 && distance_to(segment, center) < SLIDE_MARGIN * segment->width + radius)
            {
                rows *side = &sides[segment->inward];
                if (side->count == PL_CLUSTER_SEGMENTS)
                {
                    ++left_out;
                    continue;
                }
                add_segment(side, segment);
            }
        }
    }
    return left_out;
}

/* ---- One vertex ---- */

/* A vertex and the rows that may reach it. */
typedef struct solver
{
    const pl_wrinkle_profile *profile;
    pl_f4 base, normal;
    uint32_t row_count;
    const row *at[ROWS];
    pl_f4 factor[ROWS]; /* how much of a segment counts here: less as normals turn away, none across a fold */
} solver;

static float sum4(pl_f4 a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

/* 0 for segments whose cloth is turned by a right angle or more, 1 up to 60 degrees. */
static pl_f4 facing(const row *at, pl_f4 normal)
{
    pl_f4 turn =
        at->normal[0] * pl_splat(normal[0]) + at->normal[1] * pl_splat(normal[1]) + at->normal[2] * pl_splat(normal[2]);
    pl_f4 t = pl_max(pl_min(turn * pl_splat(2), pl_splat(1)), pl_splat(0));
    return t * t * (pl_splat(3) - pl_splat(2) * t);
}

/* What the crests near a vertex come to on the cloth itself. */
typedef struct vicinity
{
    float nearness;
    float width;
    float depth;    /* of widths */
    pl_f4 gradient; /* of nearness, per width */
    pl_f4 lean;
} vicinity;

/* False where nothing reaches the vertex; the rows that may are kept for the steps that follow. */
static bool look_around(const rows *all, solver *s, vicinity *out)
{
    pl_f4 nearness = pl_splat(0), depth = pl_splat(0), width = pl_splat(0);
    pl_f4 gradient[3] = {nearness, nearness, nearness}, lean[3] = {nearness, nearness, nearness};
    s->row_count = 0;
    for (uint32_t i = 0; 4 * i < all->count; ++i)
    {
        const row *at = &all->at[i];
        pl_convolution_stand stand;
        pl_convolution_row_stand(&at->shape, s->base, &stand);
        pl_f4 past = pl_max(stand.along - at->shape.length * at->shape.inverse_reach, -stand.along);
        past = pl_max(past, pl_splat(0));
        pl_f4 d2 = stand.squared + past * past;
        pl_i4 near = d2 < pl_splat(SLIDE_MARGIN * SLIDE_MARGIN), inside = d2 < pl_splat(1);
        if (!(near[0] | near[1] | near[2] | near[3]))
        {
            continue;
        }
        pl_f4 factor = facing(at, s->normal);
        s->factor[s->row_count] = factor;
        s->at[s->row_count++] = at;
        if (!(inside[0] | inside[1] | inside[2] | inside[3]))
        {
            continue;
        }
        pl_convolution_moments m;
        pl_convolution_row_moments(&at->shape, &stand, &m);
        pl_f4 value = pl_max(m.value[0], pl_splat(0)) * factor;
        nearness += value;
        depth += value * at->depth;
        width += value * at->width;
        for (int k = 0; k < 3; ++k)
        {
            gradient[k] += factor * (m.slope[0] * stand.offset[k] - m.slope[1] * at->shape.axis[k]);
            lean[k] += value * at->lean[k];
        }
    }
    float total = sum4(nearness), unit = s->profile->unit;
    if (!(total > 1e-7f))
    {
        return false;
    }
    out->nearness = total * unit;
    out->depth = sum4(depth) / total;
    out->width = sum4(width) / total;
    out->gradient = pl_set(sum4(gradient[0]), sum4(gradient[1]), sum4(gradient[2]), 0) * pl_splat(2 * unit);
    out->lean = pl_set(sum4(lean[0]), sum4(lean[1]), sum4(lean[2]), 0) * pl_splat(1 / total);
    return true;
}

/* Field of all crests at a height (metres) above the base, and its slope in the height: as if crests ran straight
 * across the normal, which is near enough for Newton. */
static float field_at(const solver *s, float z, float *slope)
{
    pl_f4 point = s->base + s->normal * pl_splat(PL_WRINKLE_RISE * z);
    pl_f4 sum = pl_splat(0), down = pl_splat(0);
    for (uint32_t i = 0; i < s->row_count; ++i)
    {
        const row *at = s->at[i];
        pl_convolution_stand stand;
        pl_convolution_moments m;
        pl_convolution_row_stand(&at->shape, point, &stand);
        pl_convolution_row_moments(&at->shape, &stand, &m);
        pl_f4 weight = (at->weight + at->rise * stand.along) * s->factor[i], rise = at->rise * s->factor[i];
        sum += weight * m.value[0] + rise * m.value[1];
        pl_f4 up = stand.offset[0] * pl_splat(s->normal[0]) + stand.offset[1] * pl_splat(s->normal[1]) +
                   stand.offset[2] * pl_splat(s->normal[2]);
        down += (weight * m.slope[0] + rise * m.slope[1]) * up * at->shape.inverse_reach;
    }
    *slope = 2 * PL_WRINKLE_RISE * sum4(down);
    return sum4(sum);
}

/* The height, in widths, where crests and cloth add up to 1. Newton's steps, held in the bracket. */
static float solve(const solver *s, float width, float guess, uint32_t *steps)
{
    float low = 0, high = 4, z = guess;
    for (*steps = 1; *steps < MOST_STEPS; ++*steps)
    {
        float slope, field = field_at(s, z * width, &slope);
        float square = (z + 1) * (z + 1), plane = 2 / (1 + square); /* sharpness and z0 of 1 */
        float value = field + plane - 1;
        *(value > 0 ? &low : &high) = z;
        float down = slope * width - plane * plane * (z + 1);
        float next = down < 0 ? z - value / down : -1;
        next = next >= low && next <= high ? next : 0.5f * (low + high);
        float step = next - z;
        z = next;
        if (fabsf(step) < STEP_END)
        {
            break;
        }
    }
    return z;
}

/* Where cloth that lies at the base goes across the wrinkle, so that lengths are even over the profile (metres). */
static pl_f4 slide_of(const solver *s, const vicinity *v, float place, float *moved_place)
{
    float shift = pl_wrinkle_read(s->profile->shift, v->depth, place);
    float x = place * PL_PROFILE_PLACES;
    int i = x < PL_PROFILE_PLACES - 1 ? (int)x : PL_PROFILE_PLACES - 1;
    float slope = s->profile->slope[i] + (x - (float)i) * (s->profile->slope[i + 1] - s->profile->slope[i]);
    pl_f4 gradient = v->gradient - s->normal * pl_splat(pl_dot3(v->gradient, s->normal));
    float steep = fmaxf(pl_length3(gradient), fmaxf(-slope, 1e-6f));
    *moved_place = place + shift;
    return gradient * pl_splat(-shift * v->width / steep);
}

static bool move_vertex(const pl_wrinkle_cluster_job *job, const rows *side, float sign, pl_f4 base, pl_f4 normal,
                        pl_f4 *offset, pl_wrinkle_tally *tally)
{
    solver s; /* the rows are filled as far as they are counted */
    vicinity v;
    s.profile = job->profile;
    s.base = base;
    s.normal = normal;
    if (!look_around(side, &s, &v))
    {
        return false;
    }
    s.normal = normal * pl_splat(sign);
    float place = pl_wrinkle_place(s.profile, v.nearness);
    pl_f4 slide = pl_splat(0);
    if (job->slide)
    {
        slide = slide_of(&s, &v, place, &place);
        s.base = base + slide;
    }
    uint32_t steps;
    float z = solve(&s, v.width, pl_wrinkle_read(s.profile->height, v.depth, place), &steps) * v.width;
    tally->solved += 1;
    tally->steps += steps;
    tally->most_steps = steps > tally->most_steps ? steps : tally->most_steps;
    tally->highest = fmaxf(tally->highest, z);
    float aside = z * z / fmaxf(v.depth * v.width, 1e-6f * v.width);
    *offset += slide + s.normal * pl_splat(z) + v.lean * pl_splat(aside);
    return true;
}

pl_wrinkle_tally PL_WIDE(pl_wrinkle_cluster_run)(const pl_wrinkle_cluster_job *job, const pl_wrinkle_cluster *cluster)
{
    pl_wrinkle_tally tally = {0};
    pl_f4 base[PL_CLUSTER_SIZE], low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    rows sides[2];
    for (uint32_t i = 0; i < cluster->count; ++i)
    {
        uint32_t v = job->order[cluster->first + i];
        base[i] = pl_place_position(job->triangles, job->coarse, cluster->triangle, &job->barycentric[3 * (size_t)v]);
        low = pl_min(low, base[i]);
        high = pl_max(high, base[i]);
    }
    pl_f4 center = (low + high) * pl_splat(0.5f);
    float radius = 0.5f * pl_length3(high - low);
    tally.left_out = gather(job, cluster->triangle, center, radius, sides);
    if (sides[0].count + sides[1].count == 0)
    {
        return tally;
    }
    for (uint32_t i = 0; i < cluster->count; ++i)
    {
        uint32_t v = job->order[cluster->first + i];
        pl_f4 normal = pl_load(&job->normals[v]), offset = pl_splat(0);
        bool outward = move_vertex(job, &sides[0], 1, base[i], normal, &offset, &tally);
        bool inward = move_vertex(job, &sides[1], -1, base[i], normal, &offset, &tally);
        if (outward || inward)
        {
            float mask = job->mask ? fminf(job->mask[v], 1) : 1;
            offset[3] = 0;
            pl_store(&job->positions[v], pl_load(&job->positions[v]) + offset * pl_splat(mask));
            ++tally.moved;
        }
    }
    return tally;
}
