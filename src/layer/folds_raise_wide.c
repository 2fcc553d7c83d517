/* Raising the vertices of folds, for a block of eight stations: raise_vertices of folds_frame.c. Cells that rise lie
 * side by side, so that vertices come in long runs. Bound by the loads of a vertex's four shifts and its cell. */
#include "base/wide.h"
#include "layer/folds_lanes.h"

/* The cloth between two stations, within one fold. */
typedef struct cell
{
    const pl_f4 *shifts[2];
    pl_f4 begin, begin_change, across, across_change;
    float height, height_change;
} cell;

PL_INLINE void make_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t second, uint32_t k, cell *c)
{
    static const pl_f4 unmoved[PL_FOLD_SAMPLES];
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
        c->shifts[i] = moved ? layer->shifts + (size_t)index[i] * PL_FOLD_SAMPLES : unmoved;
    }
}

PL_INLINE float profile_at(const pl_profile *profile, float x)
{
    if (profile->kind == PL_PROFILE_THIRD)
    {
        float r = fabsf(x);
        r = r < 1 ? r : 1; /* where it is 0 */
        return 1 - r * r * (3 - 2 * r);
    }
    return pl_profile_at(profile, x);
}

static void raise_run(const pl_fold_lane_job *job, const cell *cells, const pl_fold_vertex *v,
                      const pl_fold_vertex *end)
{
    const pl_profile *profile = &job->layer->profile;
    for (; v < end; ++v)
    {
        const cell *c = &cells[v->fold];
        const pl_f4 *first = c->shifts[0] + v->sample[0], *second = c->shifts[1] + v->sample[1];
        pleat_vec4 *position = &job->frame->positions[v->vertex];
        pl_f4 share = pl_splat(v->share);
        pl_f4 a = pl_lerp(first[0], first[1], v->beyond[0]), b = pl_lerp(second[0], second[1], v->beyond[1]);
        pl_f4 shift = (a + (b - a) * share) * pl_splat(v->mask);
        float amplitude = v->mask * (c->height + c->height_change * v->share);
        float height = amplitude * profile_at(profile, v->x + shift[3]);
        pl_f4 begin = c->begin + c->begin_change * share, across = c->across + c->across_change * share;
        pl_f4 direction = begin + across * pl_splat(0.5f * (v->x + 1));
        shift = (pl_f4)((pl_i4)shift & (pl_i4){-1, -1, -1, 0});
        pl_store(position, pl_load(position) + shift + direction * pl_splat(height));
    }
}

void PL_WIDE(pl_folds_raise)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, begin = block * PL_FOLD_LANES, end = begin + PL_FOLD_LANES;
    cell cells[2 * PL_FOLDS_A_SIDE];
    for (uint32_t i = begin; i < end && i < ring->station_count; ++i)
    {
        uint32_t next = pl_fold_station_after(ring, i);
        const float *here = job->layer->heights + (size_t)i * count,
                    *there = job->layer->heights + (size_t)next * count;
        const uint32_t *first = ring->first_vertex + (size_t)i * count;
        if (!(job->layer->highs[i] > 0 || job->layer->highs[next] > 0))
        {
            continue;
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            uint32_t from = k;
            for (; k < count && (here[k] > 0 || there[k] > 0); ++k)
            {
                make_cell(job, i, next, k, &cells[k]);
            }
            raise_run(job, cells, ring->vertices + first[from], ring->vertices + first[k]);
        }
    }
}
