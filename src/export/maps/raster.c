/* The texels are cut into bands of rows; a band is drawn, averaged and written by one worker, from its triangles in
 * ascending order, so that threads change nothing. Several samples a texel are summed. Bound by the writes of sums: 20
 * bytes a sample. */
#include "export/maps/raster.h"

#include "base/fail.h"
#include "base/parallel.h"

#include <string.h>

enum
{
    BANDS_OF_TRIANGLE = 4 /* room in the bins, on average */
};

pleat_result pl_raster_init(pl_raster *raster, const pl_raster_size *size, pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t worker_count = size->worker_count, triangle_count = size->triangle_count;
    size_t side = size->size, band = side * PL_RASTER_ROWS;
    raster->size = size->size;
    raster->samples = size->samples;
    raster->margin = size->margin;
    raster->worker_count = worker_count;
    raster->band_count = (size->size + PL_RASTER_ROWS - 1) / PL_RASTER_ROWS;
    raster->bin_capacity =
        triangle_count < UINT32_MAX / BANDS_OF_TRIANGLE ? BANDS_OF_TRIANGLE * triangle_count : triangle_count;
    PL_ARENA_NEW_OR_FAIL(raster->sums, arena, pl_f4, worker_count * band, error);
    PL_ARENA_NEW_OR_FAIL(raster->counts, arena, uint16_t, worker_count * band, error);
    PL_ARENA_NEW_OR_FAIL(raster->doubts, arena, uint8_t, worker_count * band, error);
    PL_ARENA_NEW_OR_FAIL(raster->owners, arena, uint32_t, worker_count * band, error);
    PL_ARENA_NEW_OR_FAIL(raster->covered, arena, uint8_t, side * side, error);
    PL_ARENA_NEW_OR_FAIL(raster->bin_start, arena, uint32_t, (size_t)raster->band_count + 2, error);
    PL_ARENA_NEW_OR_FAIL(raster->bins, arena, uint32_t, raster->bin_capacity, error);
fail:
    return result;
}

/* ---- Bins ---- */

/* What to take off a coordinate of a triangle's corners, so that their mean lies in 0..1. Charts that lie in another
 * tile come out where a repeating texture shows them. */
static float tile_of(float a, float b, float c)
{
    float tile = floorf((a + b + c) * (1.0f / 3));
    return fabsf(tile) < 1e6f ? tile : 0;
}

static bool bands_of(const pl_raster *raster, const pl_raster_job *job, uint32_t t, uint32_t *first, uint32_t *last)
{
    const uint32_t *corner = job->triangles + 3 * (size_t)t;
    float a = job->uvs[2 * (size_t)corner[0] + 1], b = job->uvs[2 * (size_t)corner[1] + 1];
    float c = job->uvs[2 * (size_t)corner[2] + 1];
    if (job->marks && t < job->skirt_first && (job->marks[t] & PL_RASTER_SKIP))
    {
        return false;
    }
    float tile = tile_of(a, b, c);
    a -= tile;
    b -= tile;
    c -= tile;
    float low = fminf(fminf(a, b), c) * (float)raster->size, high = fmaxf(fmaxf(a, b), c) * (float)raster->size;
    if (!(high > 0) || !(low < (float)raster->size))
    {
        return false;
    }
    *first = low > 0 ? (uint32_t)low / PL_RASTER_ROWS : 0;
    uint32_t end = high < (float)raster->size ? (uint32_t)high : raster->size - 1;
    *last = end / PL_RASTER_ROWS;
    return true;
}

/* Fills the bins; false if they are too small. */
static bool fill_bins(pl_raster *raster, const pl_raster_job *job)
{
    uint32_t first, last;
    uint64_t total = 0;
    memset(raster->bin_start, 0, ((size_t)raster->band_count + 2) * sizeof *raster->bin_start);
    for (uint32_t t = 0; t < job->triangle_count; ++t)
    {
        if (bands_of(raster, job, t, &first, &last))
        {
            total += last - first + 1;
            for (uint32_t band = first; band <= last && total <= raster->bin_capacity; ++band)
            {
                ++raster->bin_start[band + 2];
            }
        }
    }
    if (total > raster->bin_capacity)
    {
        return false;
    }
    for (uint32_t band = 0; band < raster->band_count; ++band)
    {
        raster->bin_start[band + 2] += raster->bin_start[band + 1];
    }
    for (uint32_t t = 0; t < job->triangle_count; ++t)
    {
        if (bands_of(raster, job, t, &first, &last))
        {
            for (uint32_t band = first; band <= last; ++band)
            {
                raster->bins[raster->bin_start[band + 1]++] = t;
            }
        }
    }
    return true;
}

/* ---- Drawing ---- */

typedef struct band
{
    const pl_raster *raster;
    const pl_raster_job *job;
    uint32_t first_row, row_count; /* texels */
    pl_f4 *sums;
    uint16_t *counts;
    uint8_t *doubts;
    uint32_t *owners;
} band;

static uint32_t samples_of(const pl_raster *raster, const pl_raster_job *job)
{
    return job->centres ? 1 : raster->samples;
}

/* Corners in samples, which stand at whole numbers. */
static void place_corners(const band *b, uint32_t t, double x[3], double y[3])
{
    const uint32_t *corner = b->job->triangles + 3 * (size_t)t;
    const float *uv[3];
    for (int k = 0; k < 3; ++k)
    {
        uv[k] = b->job->uvs + 2 * (size_t)corner[k];
    }
    double grid = (double)b->raster->size * samples_of(b->raster, b->job);
    double left = (double)tile_of(uv[0][0], uv[1][0], uv[2][0]), top = (double)tile_of(uv[0][1], uv[1][1], uv[2][1]);
    for (int k = 0; k < 3; ++k)
    {
        x[k] = ((double)uv[k][0] - left) * grid - 0.5;
        y[k] = ((double)uv[k][1] - top) * grid - 0.5;
    }
}

/* The whole numbers next to x, which is taken into -1..most first: floor and ceil are calls. */
static double whole_below(double x, double most)
{
    x = x < most ? x : most;
    x = x > -1 ? x : -1;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static double whole_above(double x, double most)
{
    x = x < most ? x : most;
    x = x > -1 ? x : -1;
    double whole = (double)(int64_t)x;
    return whole < x ? whole + 1 : whole;
}

/* The samples of a row within a triangle: where all three edges allow. */
static void draw_triangle(const band *b, uint32_t t)
{
    const uint32_t *corner = b->job->triangles + 3 * (size_t)t;
    uint32_t samples = samples_of(b->raster, b->job);
    double grid = (double)b->raster->size * samples, x[3], y[3];
    bool skirt = t >= b->job->skirt_first;
    uint8_t mark = skirt ? 0 : PL_RASTER_CHART;
    mark |= b->job->marks && !skirt ? b->job->marks[t] : 0;
    uint32_t most = skirt ? samples * samples : UINT16_MAX;
    place_corners(b, t, x, y);
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (!(fabs(area) > 1e-12) || (mark & PL_RASTER_SKIP))
    {
        return;
    }
    double top = y[0] < y[1] ? y[0] : y[1], bottom = y[0] < y[1] ? y[1] : y[0];
    double low = whole_above(top < y[2] ? top : y[2], grid), above = (double)b->first_row * samples;
    double high = whole_below(bottom > y[2] ? bottom : y[2], (double)(b->first_row + b->row_count) * samples - 1);
    low = low > above ? low : above;
    pl_f4 v0 = b->job->values[corner[0]], d1 = b->job->values[corner[1]] - v0, d2 = b->job->values[corner[2]] - v0;
    /* Barycentric weights of corners 1 and 2 are linear in x. */
    double w1x = (y[2] - y[0]) / area, w2x = -(y[1] - y[0]) / area;
    pl_f4 step = d1 * pl_splat((float)w1x) + d2 * pl_splat((float)w2x);
    for (double row = low; row <= high; ++row)
    {
        double begin = 0, end = grid - 1;
        for (int k = 0; k < 3; ++k)
        {
            int n = (k + 1) % 3;
            double dx = x[n] - x[k], dy = (y[n] - y[k]) * (area > 0 ? 1 : -1);
            /* Inside: dx (row - y) - dy (px - x) >= 0, signs by the turn of the triangle. */
            double at = dx * (area > 0 ? 1 : -1) * (row - y[k]);
            if (dy > 0)
            {
                end = whole_below(x[k] + at / dy + 1e-9, end);
            }
            else if (dy < 0)
            {
                double from = whole_above(x[k] + at / dy - 1e-9, grid);
                begin = from > begin ? from : begin;
            }
            else if (at < 0)
            {
                end = -1;
            }
        }
        if (end < begin)
        {
            continue;
        }
        double w1 = ((begin - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (row - y[0])) / area;
        double w2 = ((x[1] - x[0]) * (row - y[0]) - (begin - x[0]) * (y[1] - y[0])) / area;
        pl_f4 value = v0 + d1 * pl_splat((float)w1) + d2 * pl_splat((float)w2);
        size_t line = (size_t)((uint32_t)row / samples - b->first_row) * b->raster->size;
        uint32_t last = (uint32_t)end;
        for (uint32_t px = (uint32_t)begin; px <= last; ++px)
        {
            size_t texel = line + px / samples;
            if (b->counts[texel] < most)
            {
                b->sums[texel] += value;
                ++b->counts[texel];
                b->doubts[texel] |= mark;
                b->owners[texel] = skirt ? b->owners[texel] : t;
            }
            value += step;
        }
    }
}

/* Not fminf and fmaxf: millions of texels, and those are calls. */
static uint16_t to_word(float x)
{
    return !(x > 0) ? 0 : x < 1 ? (uint16_t)(x * 65535.0f + 0.5f) : 65535;
}

void pl_raster_put(const pl_raster_job *job, size_t texel, pl_f4 value)
{
    if (job->out_more)
    {
        pl_f4 n = pl_normalize3(pl_set(value[1], value[2], value[3], 0)) * pl_splat(0.5f) + pl_splat(0.5f);
        for (uint32_t k = 0; k < 3; ++k)
        {
            job->out_more[3 * texel + k] = to_word(n[k]);
        }
    }
    pl_f4 scaled = value * job->scale + job->offset;
    for (uint32_t k = 0; k < job->width && job->out; ++k)
    {
        job->out[texel * job->width + k] = to_word(scaled[k]);
    }
}

static void write_band(const band *b)
{
    const pl_raster_job *job = b->job;
    uint32_t samples = samples_of(b->raster, job), full = samples * samples;
    for (uint32_t row = 0; row < b->row_count; ++row)
    {
        for (uint32_t x = 0; x < b->raster->size; ++x)
        {
            size_t local = (size_t)row * b->raster->size + x;
            size_t texel = (size_t)(b->first_row + row) * b->raster->size + x;
            uint16_t count = b->counts[local];
            uint8_t marks = b->doubts[local];
            if (job->owners)
            {
                job->owners[texel] = marks & PL_RASTER_CHART ? b->owners[local] : PLEAT_NONE;
            }
            bool unsure = job->doubtful && ((marks & PL_RASTER_UNSURE) || count > full);
            b->raster->covered[texel] = count == 0 ? 0 : !(marks & PL_RASTER_CHART) ? 2 : unsure ? PL_RASTER_DOUBT : 1;
            if (count)
            {
                pl_raster_put(job, texel, b->sums[local] * pl_splat(1 / (float)count));
                continue;
            }
            for (uint32_t k = 0; k < job->width && job->out; ++k)
            {
                job->out[texel * job->width + k] = job->empty[k];
            }
            if (job->out_more)
            {
                memcpy(job->out_more + 3 * texel, job->empty + 1, 3 * sizeof *job->empty);
            }
        }
    }
}

typedef struct run
{
    const pl_raster *raster;
    const pl_raster_job *job;
    bool binned;
} run;

static void draw_bands(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const run *r = data;
    const pl_raster *raster = r->raster;
    size_t room = (size_t)raster->size * PL_RASTER_ROWS;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t first = i * PL_RASTER_ROWS, left = raster->size - first;
        band b = {raster,
                  r->job,
                  first,
                  left < PL_RASTER_ROWS ? left : PL_RASTER_ROWS,
                  raster->sums + worker * room,
                  raster->counts + worker * room,
                  raster->doubts + worker * room,
                  raster->owners + worker * room};
        memset(b.sums, 0, room * sizeof *b.sums);
        memset(b.counts, 0, room * sizeof *b.counts);
        memset(b.doubts, 0, room);
        if (r->binned)
        {
            for (uint32_t k = raster->bin_start[i]; k < raster->bin_start[i + 1]; ++k)
            {
                draw_triangle(&b, raster->bins[k]);
            }
        }
        else
        {
            for (uint32_t t = 0; t < r->job->triangle_count; ++t)
            {
                draw_triangle(&b, t);
            }
        }
        write_band(&b);
    }
}

/* ---- Past the borders of charts ---- */

void pl_raster_copy(const pl_raster_job *job, size_t from, size_t to)
{
    if (job->out)
    {
        memcpy(job->out + to * job->width, job->out + from * job->width, job->width * sizeof *job->out);
    }
    if (job->out_more)
    {
        memcpy(job->out_more + 3 * to, job->out_more + 3 * from, 3 * sizeof *job->out_more);
    }
}

/* covered counts the steps from a drawn texel, one more: 1 is drawn itself. */
static void continue_from(const pl_raster *raster, const pl_raster_job *job, size_t from, size_t to)
{
    uint8_t steps = raster->covered[from];
    if (!raster->covered[to] && steps && steps <= raster->margin)
    {
        pl_raster_copy(job, from, to);
        raster->covered[to] = (uint8_t)(steps + 1);
    }
}

static void continue_rows(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const run *r = data;
    uint32_t size = r->raster->size;
    (void)worker;
    for (size_t row = begin; row < end; ++row)
    {
        for (size_t x = 1; x < size; ++x)
        {
            continue_from(r->raster, r->job, row * size + x - 1, row * size + x);
        }
        for (size_t x = size - 1; x-- > 0;)
        {
            continue_from(r->raster, r->job, row * size + x + 1, row * size + x);
        }
    }
}

/* From row to row: by columns, which are independent of each other. */
static void continue_columns(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const run *r = data;
    size_t size = r->raster->size, first = (size_t)begin * PL_RASTER_ROWS, last = (size_t)end * PL_RASTER_ROWS;
    (void)worker;
    last = last < size ? last : size;
    for (size_t row = 1; row < size; ++row)
    {
        for (size_t x = first; x < last; ++x)
        {
            continue_from(r->raster, r->job, (row - 1) * size + x, row * size + x);
        }
    }
    for (size_t row = size - 1; row-- > 0;)
    {
        for (size_t x = first; x < last; ++x)
        {
            continue_from(r->raster, r->job, (row + 1) * size + x, row * size + x);
        }
    }
}

static const pleat_tasks *tasks_for(const pl_raster *raster, const pl_raster_job *job)
{
    /* More workers than scratch was made for: one of them does the work. */
    return pl_worker_count(job->tasks) <= raster->worker_count ? job->tasks : NULL;
}

void pl_raster_draw(pl_raster *raster, const pl_raster_job *job)
{
    run r = {raster, job, fill_bins(raster, job)};
    pl_parallel_for(tasks_for(raster, job), raster->band_count, 1, draw_bands, &r);
}

static void drop_doubts(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const run *r = data;
    size_t size = r->raster->size;
    (void)worker;
    for (size_t texel = begin * size; texel < end * size; ++texel)
    {
        uint8_t *covered = &r->raster->covered[texel];
        *covered = *covered == PL_RASTER_DOUBT ? 0 : *covered;
    }
}

void pl_raster_spread(pl_raster *raster, const pl_raster_job *job)
{
    run r = {raster, job, false};
    const pleat_tasks *tasks = tasks_for(raster, job);
    if (raster->margin)
    {
        if (job->doubtful)
        {
            pl_parallel_for(tasks, raster->size, 64, drop_doubts, &r);
        }
        pl_parallel_for(tasks, raster->size, 64, continue_rows, &r);
        pl_parallel_for(tasks, raster->band_count, 8, continue_columns, &r);
    }
}

uint32_t pl_raster_drawn(const pl_raster *raster)
{
    uint32_t count = 0;
    for (size_t texel = 0; texel < (size_t)raster->size * raster->size; ++texel)
    {
        count += raster->covered[texel] == 1;
    }
    return count;
}
