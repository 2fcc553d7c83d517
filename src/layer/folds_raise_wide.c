/* Raising the vertices of folds, for a block of eight stations: raise_vertices of folds_frame.c, eight vertices of a
 * cell at a time. A cell's tables of shifts stay in registers and are looked up there. Bound by operations. */
#include "base/wide.h"
#include "layer/folds_lanes.h"

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

PL_INLINE pl_f8 load_shares(const uint16_t *from)
{
    return __builtin_convertvector(pl_load_shorts8(from), pl_f8) * pl_splat8(1 / 65535.0f);
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

/* Where eight vertices lie in a table. */
typedef struct place
{
    pl_i8 sample, next;
    pl_f8 beyond;
} place;

PL_INLINE place load_place(const uint16_t *from)
{
    pl_i8 packed = pl_load_shorts8(from), sample = packed >> PL_FOLD_BEYOND;
    pl_f8 beyond = __builtin_convertvector(packed & ((1 << PL_FOLD_BEYOND) - 1), pl_f8);
    return (place){sample, sample + 1, beyond * pl_splat8(1 / (float)((1 << PL_FOLD_BEYOND) - 1))};
}

/* A table between its samples. */
PL_INLINE pl_f8 shift_between(pl_f8 table, const place *p)
{
    pl_f8 from = pl_lookup8(table, p->sample), to = pl_lookup8(table, p->next);
    return from + (to - from) * p->beyond;
}

/* How eight vertices move. */
PL_INLINE void move_octet(const pl_profile *profile, const cell *c, const pl_fold_octet *octet, pl_f8 move[4])
{
    pl_f8 share = load_shares(octet->share), mask = load_shares(octet->mask), part = load_shares(octet->x), shift[4];
    place a = load_place(octet->place[0]), b = load_place(octet->place[1]);
    for (int i = 0; i < 4; ++i)
    {
        pl_f8 first = shift_between(c->shifts[0][i], &a), second = shift_between(c->shifts[1][i], &b);
        shift[i] = (first + (second - first) * share) * mask;
    }
    pl_f8 height = mask * (c->height + c->height_change * share);
    height *= profiles_at(profile, 2 * part - 1 + shift[3]);
    for (int i = 0; i < 3; ++i)
    {
        pl_f8 begin = c->begin[i] + c->begin_change[i] * share, across = c->across[i] + c->across_change[i] * share;
        move[i] = shift[i] + (begin + across * part) * height;
    }
    move[3] = pl_splat8(0);
}

PL_INLINE void add_octet(const pl_fold_octet *octet, pl_f8 move[4], pleat_vec4 *positions)
{
    pl_transpose8(move);
    for (uint32_t i = 0; i < 4; ++i)
    {
        pleat_vec4 *low = &positions[octet->vertex[i]], *high = &positions[octet->vertex[i + 4]];
        pl_store(low, pl_load(low) + pl_low8(move[i]));
        pl_store(high, pl_load(high) + pl_high8(move[i]));
    }
}

/* Asks for what will be needed soon. Vertices of a cell ascend, so that every other one finds most lines of memory. */
PL_INLINE void expect_octets(const pl_fold_octet *octet, const pleat_vec4 *positions)
{
    __builtin_prefetch(octet + 3 * PL_FOLD_AHEAD);
    __builtin_prefetch((const char *)(octet + 3 * PL_FOLD_AHEAD) + 64);
    for (int i = 0; i < PL_FOLD_LANES; i += 2)
    {
        __builtin_prefetch(&positions[octet[PL_FOLD_AHEAD].vertex[i]], 1);
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
        const uint32_t *first = ring->lanes->first_octet + (size_t)i * count;
        bool any = job->layer->highs[i] > 0 || job->layer->highs[next] > 0;
        for (uint32_t k = 0; k < count && any; ++k)
        {
            if (first[k] < first[k + 1] && (here[k] > 0 || there[k] > 0))
            {
                cell c;
                make_cell(job, i, next, k, &c);
                for (uint32_t n = first[k]; n < first[k + 1]; ++n)
                {
                    const pl_fold_octet *octet = &ring->lanes->octets[n];
                    pl_f8 move[4];
                    expect_octets(octet, job->frame->positions);
                    move_octet(&ring->profile, &c, octet, move);
                    add_octet(octet, move, job->frame->positions);
                }
            }
        }
    }
}
