/* Raising the vertices of folds, for a block of eight stations: raise_vertices of folds_frame.c, eight vertices of a
 * cell at a time. A cell's tables of shifts stay in registers and are looked up there. Bound by operations. */
#include "base/wide.h"
#include "layer/folds_lanes.h"

typedef float f8_anywhere __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t bytes8 __attribute__((vector_size(8), aligned(1), may_alias));

/* The cloth between two stations, within one fold. */
typedef struct cell
{
    const pl_f8 *shifts[2]; /* by x, y, z and the change of x in the fold: samples */
    pl_f4 begin, begin_change, across, across_change;
    float height, height_change;
} cell;

static void make_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t second, uint32_t k, cell *c)
{
    static const pl_f8 unmoved[4];
    const pl_folds_layer *layer = job->layer;
    uint32_t count = job->ring->fold_count, index[2] = {station * count + k, second * count + k};
    const pl_f4 *a = layer->ups + index[0] + station, *b = layer->ups + index[1] + second;
    float height[2] = {layer->heights[index[0]], layer->heights[index[1]]};
    c->height = height[0];
    c->height_change = height[1] - height[0];
    c->begin = a[0];
    c->begin_change = b[0] - a[0];
    c->across = a[1] - a[0];
    c->across_change = (b[1] - a[1]) - c->begin_change;
    for (int i = 0; i < 2; ++i)
    {
        bool moved = layer->options.even && height[i] > 0;
        c->shifts[i] = moved ? (const pl_f8 *)layer->shifts + 4 * (size_t)index[i] : unmoved;
    }
}

PL_INLINE pl_f8 load8(const float *from)
{
    return *(const f8_anywhere *)from;
}

PL_INLINE pl_f8 profiles_at(const pl_profile *profile, pl_f8 x)
{
    if (profile->kind == PL_PROFILE_THIRD)
    {
        pl_f8 r = pl_min8(pl_abs8(x), pl_splat8(1)); /* 0 from there on */
        return 1 - r * r * (3 - 2 * r);
    }
    pl_f8 heights;
    for (int i = 0; i < PL_FOLD_LANES; ++i)
    {
        heights[i] = pl_profile_at(profile, x[i]);
    }
    return heights;
}

/* A table between its samples. */
PL_INLINE pl_f8 shift_between(pl_f8 table, pl_i8 sample, pl_f8 beyond)
{
    pl_f8 from = pl_lookup8(table, sample), to = pl_lookup8(table, sample + 1);
    return from + (to - from) * beyond;
}

/* Eight vertices from `first` on, of which `count` are of the cell. */
PL_INLINE void raise_eight(const pl_fold_lane_job *job, const cell *c, uint32_t first, uint32_t count)
{
    const pl_fold_vertices *v = &job->ring->lanes->vertices;
    pl_f8 share = load8(v->share + first), mask = load8(v->mask + first), x = load8(v->x + first);
    pl_f8 beyond[2] = {load8(v->beyond[0] + first), load8(v->beyond[1] + first)}, shift[4], place[4];
    pl_i8 sample[2] = {__builtin_convertvector(*(const bytes8 *)(v->sample[0] + first), pl_i8),
                       __builtin_convertvector(*(const bytes8 *)(v->sample[1] + first), pl_i8)};
    for (int i = 0; i < 4; ++i)
    {
        pl_f8 a = shift_between(c->shifts[0][i], sample[0], beyond[0]);
        pl_f8 b = shift_between(c->shifts[1][i], sample[1], beyond[1]);
        shift[i] = (a + (b - a) * share) * mask;
    }
    pl_f8 height = mask * (c->height + c->height_change * share) * profiles_at(&job->ring->profile, x + shift[3]);
    pl_f8 part = 0.5f * (x + 1);
    const uint32_t *vertex = v->vertex + first;
    /* Beyond the cell lie vertices that another thread may be moving. */
    for (uint32_t i = 0; i < 4; ++i)
    {
        uint32_t low = vertex[i < count ? i : 0], high = vertex[i + 4 < count ? i + 4 : 0];
        place[i] = pl_join8(pl_load(&job->frame->positions[low]), pl_load(&job->frame->positions[high]));
    }
    pl_transpose8(place);
    for (int i = 0; i < 3; ++i)
    {
        pl_f8 begin = c->begin[i] + c->begin_change[i] * share, across = c->across[i] + c->across_change[i] * share;
        place[i] += shift[i] + (begin + across * part) * height;
    }
    pl_transpose8(place);
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (i < count)
        {
            pl_store(&job->frame->positions[vertex[i]], pl_low8(place[i]));
        }
        if (i + 4 < count)
        {
            pl_store(&job->frame->positions[vertex[i + 4]], pl_high8(place[i]));
        }
    }
}

static void raise_cell(const pl_fold_lane_job *job, const cell *c, uint32_t first, uint32_t end)
{
    for (; first + PL_FOLD_LANES <= end; first += PL_FOLD_LANES)
    {
        raise_eight(job, c, first, PL_FOLD_LANES);
    }
    if (first < end)
    {
        raise_eight(job, c, first, end - first);
    }
}

void PL_WIDE(pl_folds_raise)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, begin = block * PL_FOLD_LANES, end = begin + PL_FOLD_LANES;
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        const float *here = job->layer->heights + (size_t)i * count,
                    *there = job->layer->heights + (size_t)next * count;
        const uint32_t *first = ring->first_vertex + (size_t)i * count;
        bool any = job->layer->highs[i] > 0 || job->layer->highs[next] > 0;
        for (uint32_t k = 0; k < count && any; ++k)
        {
            if (first[k] < first[k + 1] && (here[k] > 0 || there[k] > 0))
            {
                cell c;
                make_cell(job, i, next, k, &c);
                raise_cell(job, &c, first[k], first[k + 1]);
            }
        }
    }
}
