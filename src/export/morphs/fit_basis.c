/* The targets of a fit.
 *
 * Kept so far: up to `kept_limit` vectors, orthogonal, each as long as its share of the motion, and for every frame its
 * coordinates in them. A block of new frames is laid beside them; the eigenvectors of the Gram matrix of all these
 * vectors say how to mix them into new orthogonal ones, of which the longest are kept. Bound by operations:
 * (kept + block) * kept * 3 V multiply-adds a block for mixing, half of that for the products.
 *
 * Principal components leave the least error in the mean, but a few vertices far off: folds rise within a few frames
 * and in few places. What is kept holds more than the targets will, so at the end it is known, without another look at
 * the frames, where a choice of targets errs most. Vertices there get more importance, and the choice is made again. */
#include "export/morphs/fit.h"

#include "base/eigen.h"
#include "base/parallel.h"
#include "base/wide.h"

#include <string.h>

enum
{
    LEAST_PASSES = 5, /* over the importance */
    MOST_PASSES = 16, /* more bring nothing: the worst vertices change places */
    PRUNE_STEPS = 20
};

#define LEAST_IMPORTANCE 1e-3f
/* Multiplications that passes may cost; those of large meshes over long clips are fewer. */
#define PASS_BUDGET 4e10

const pl_fit_kernels *pl_fit_kernels_best(void)
{
#if PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return &pl_fit_kernels_avx2;
    }
#endif
    return &pl_fit_kernels_base;
}

/* ---- Products ---- */

typedef struct sum_job
{
    pleat_fit *fit;
    const float *with; /* NULL: of the vectors with each other */
    uint32_t count;
} sum_job;

static void sum_groups(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    sum_job *job = data;
    pleat_fit *fit = job->fit;
    const pl_fit_kernels *kernels = pl_fit_kernels_best();
    size_t size = job->with ? job->count : (size_t)job->count * job->count;
    (void)worker;
    for (uint32_t group = begin; group < end; ++group)
    {
        double *sums = fit->group_sums + group * size;
        memset(sums, 0, size * sizeof *sums);
        for (uint32_t c = pl_fit_group_begin(fit, group); c < pl_fit_group_begin(fit, group + 1); ++c)
        {
            if (job->with)
            {
                kernels->products(pl_fit_chunk(fit, c), job->count, job->with + (size_t)c * PL_FIT_FLOATS, sums);
            }
            else
            {
                kernels->gram(pl_fit_chunk(fit, c), job->count, sums);
            }
        }
    }
}

static void sum_products(pleat_fit *fit, const float *with, uint32_t count, double *out)
{
    sum_job job = {fit, with, count};
    size_t size = with ? count : (size_t)count * count;
    pl_parallel_for(&fit->host.tasks, fit->group_count, 1, sum_groups, &job);
    for (size_t i = 0; i < size; ++i)
    {
        out[i] = 0;
        for (uint32_t group = 0; group < fit->group_count; ++group)
        {
            out[i] += fit->group_sums[group * size + i];
        }
    }
}

void pl_fit_products(pleat_fit *fit, const float *with, uint32_t count, double *out)
{
    sum_products(fit, with, count, out);
}

/* The Gram matrix of the first count vectors, its eigenvalues and eigenvectors. */
static void decompose(pleat_fit *fit, uint32_t count)
{
    sum_products(fit, NULL, count, fit->gram);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j < i; ++j)
        {
            fit->gram[(size_t)j * count + i] = fit->gram[(size_t)i * count + j];
        }
    }
    pl_eigen_symmetric(count, fit->gram, fit->values, fit->mix, fit->scratch);
}

/* ---- Merging ---- */

typedef struct mix_job
{
    pleat_fit *fit;
    uint32_t count, target_count;
} mix_job;

static void mix_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    mix_job *job = data;
    (void)worker;
    for (uint32_t c = begin; c < end; ++c)
    {
        pl_fit_kernels_best()->mix(pl_fit_chunk(job->fit, c), job->count, job->fit->weights, job->target_count);
    }
}

/* Coordinates in the new vectors. Frames of the block are one of the old vectors each. */
static void mix_coordinates(pleat_fit *fit, uint32_t count, uint32_t target_count)
{
    double mixed[PL_FIT_VECTORS];
    for (uint32_t f = 0; f < fit->learned; ++f)
    {
        float *row = fit->coordinates + (size_t)f * fit->kept_limit;
        uint32_t in_block = fit->learned - f;
        for (uint32_t j = 0; j < target_count; ++j)
        {
            const double *weights = fit->mix + (size_t)j * count;
            mixed[j] = 0;
            if (in_block <= fit->block)
            {
                mixed[j] = weights[count - in_block];
                continue;
            }
            for (uint32_t i = 0; i < fit->kept; ++i)
            {
                mixed[j] += weights[i] * (double)row[i];
            }
        }
        for (uint32_t j = 0; j < fit->kept_limit; ++j)
        {
            row[j] = j < target_count ? (float)mixed[j] : 0;
        }
    }
}

void pl_fit_merge(pleat_fit *fit, uint32_t limit)
{
    uint32_t count = fit->kept + fit->block, used = 0;
    if (count == 0)
    {
        return;
    }
    decompose(fit, count);
    while (used < count && used < limit && fit->values[used] > 1e-13 * fit->values[0] && fit->values[used] > 0)
    {
        ++used;
    }
    for (size_t i = 0; i < (size_t)used * count; ++i)
    {
        fit->weights[i] = (float)fit->mix[i];
    }
    mix_job job = {fit, count, used};
    pl_parallel_for(&fit->host.tasks, fit->chunk_count, 1, mix_chunks, &job);
    mix_coordinates(fit, count, used);
    fit->kept = used;
    fit->block = 0;
}

/* ---- Importance ---- */

typedef struct weigh_job
{
    pleat_fit *fit;
    const float *now, *wanted; /* importance that the vectors have, and shall have */
    uint32_t left;
} weigh_job;

static void rescale_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    (void)worker;
    for (uint32_t c = begin; c < end; ++c)
    {
        float factors[PL_FIT_CHUNK];
        for (uint32_t v = 0; v < PL_FIT_CHUNK; ++v)
        {
            size_t at = (size_t)c * PL_FIT_CHUNK + v;
            factors[v] = job->wanted[at] / job->now[at];
        }
        float *rows = pl_fit_chunk(job->fit, c);
        for (uint32_t i = 0; i < 3 * job->fit->kept; ++i)
        {
            for (uint32_t v = 0; v < PL_FIT_CHUNK; ++v)
            {
                rows[(size_t)i * PL_FIT_CHUNK + v] *= factors[v];
            }
        }
    }
}

static void rescale(pleat_fit *fit, const float *now, const float *wanted)
{
    weigh_job job = {.fit = fit, .now = now, .wanted = wanted};
    pl_parallel_for(&fit->host.tasks, fit->chunk_count, 4, rescale_chunks, &job);
}

static void worst_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t c = begin; c < end; ++c)
    {
        const pl_fit_left left = {fit->weights, job->left, fit->left_coordinates, fit->kept_limit, fit->learned};
        pl_fit_kernels_best()->worst(pl_fit_chunk(fit, c), fit->kept, &left, fit->worst + (size_t)c * PL_FIT_CHUNK);
    }
}

/* The largest error of every vertex if the first target_limit eigenvectors become targets; returns the largest. */
static float find_worst(pleat_fit *fit, const float *importance)
{
    uint32_t count = fit->kept, left = count - fit->target_limit;
    const double *vectors = fit->mix + (size_t)fit->target_limit * count;
    for (size_t i = 0; i < (size_t)left * count; ++i)
    {
        fit->weights[i] = (float)vectors[i];
    }
    for (uint32_t f = 0; f < fit->learned; ++f)
    {
        const float *row = fit->coordinates + (size_t)f * fit->kept_limit;
        for (uint32_t j = 0; j < left; ++j)
        {
            double sum = 0;
            for (uint32_t i = 0; i < count; ++i)
            {
                sum += vectors[(size_t)j * count + i] * (double)row[i];
            }
            fit->left_coordinates[(size_t)f * fit->kept_limit + j] = (float)sum;
        }
    }
    weigh_job job = {.fit = fit, .left = left};
    pl_parallel_for(&fit->host.tasks, fit->chunk_count, 1, worst_chunks, &job);
    float largest = 0;
    for (uint32_t v = 0; v < fit->vertex_count; ++v)
    {
        fit->worst[v] = sqrtf(fit->worst[v]) / importance[v];
        largest = fmaxf(largest, fit->worst[v]);
    }
    return largest;
}

static uint32_t importance_passes(const pleat_fit *fit)
{
    if (fit->kept <= fit->target_limit)
    {
        return 0;
    }
    double left = fit->kept - fit->target_limit;
    double passes = PASS_BUDGET / (3.0 * fit->vertex_count * left * ((double)fit->kept + fit->learned));
    return passes < LEAST_PASSES ? LEAST_PASSES : passes > MOST_PASSES ? MOST_PASSES : (uint32_t)passes;
}

/* False: the host wants no more of it, and what is left here is of no use. */
static bool goes_on(const pleat_fit *fit, const char *work, uint32_t done, uint32_t total)
{
    return pl_go_on(&fit->host, work, done, total, NULL) == PLEAT_OK;
}

/* Leaves the vectors times the importance that gave the smallest largest error. The fourth root makes small steps: with
 * larger ones vertices take turns at being the worst. */
static void find_importance(pleat_fit *fit)
{
    size_t count = (size_t)fit->chunk_count * PL_FIT_CHUNK;
    uint32_t passes = importance_passes(fit);
    float *now = fit->trial, best = INFINITY;
    for (size_t v = 0; v < count; ++v)
    {
        now[v] = fit->importance[v] = 1;
    }
    for (uint32_t pass = 0; pass < passes && goes_on(fit, "choosing morph targets, round", pass, passes); ++pass)
    {
        decompose(fit, fit->kept);
        float largest = find_worst(fit, now), most = 0;
        if (largest < best)
        {
            best = fit->expected = largest;
            memcpy(fit->importance, now, count * sizeof *now);
            memcpy(fit->reached, fit->worst, count * sizeof *now);
        }
        if (!(largest > 0))
        {
            break;
        }
        for (uint32_t v = 0; v < fit->vertex_count; ++v)
        {
            /* worst now holds the next importance. */
            fit->worst[v] = fmaxf(now[v] * sqrtf(sqrtf(fmaxf(fit->worst[v] / largest, 0.03f))), LEAST_IMPORTANCE);
            most = fmaxf(most, fit->worst[v]);
        }
        for (size_t v = 0; v < count; ++v)
        {
            fit->worst[v] = v < fit->vertex_count ? fmaxf(fit->worst[v] / most, LEAST_IMPORTANCE) : 1;
        }
        rescale(fit, now, fit->worst);
        memcpy(now, fit->worst, count * sizeof *now);
    }
    rescale(fit, now, fit->importance);
}

/* ---- The targets themselves ---- */

/* Scales to unit length and returns the length it had. */
static double normalise(const pleat_fit *fit, float *vector)
{
    double squares = 0;
    for (uint32_t c = 0; c < fit->chunk_count; ++c)
    {
        float *part = vector + (size_t)c * PL_FIT_FLOATS;
        pl_fit_kernels_best()->products(part, 1, part, &squares);
    }
    double length = sqrt(squares);
    float inverse = length > 0 ? (float)(1 / length) : 0;
    for (size_t i = 0; i < (size_t)fit->chunk_count * PL_FIT_FLOATS; ++i)
    {
        vector[i] *= inverse;
    }
    return length;
}

static void subtract_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    mix_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t c = begin; c < end; ++c)
    {
        for (uint32_t i = 0; i < job->count; ++i)
        {
            pl_fit_kernels_best()->subtract(fit->sample + (size_t)c * PL_FIT_FLOATS,
                                            pl_fit_chunk(fit, c) + (size_t)i * PL_FIT_FLOATS, (float)fit->scratch[i]);
        }
    }
}

/* One vector of all chunks into the sample, or back. */
static void copy_vector(pleat_fit *fit, uint32_t index, bool out)
{
    for (uint32_t c = 0; c < fit->chunk_count; ++c)
    {
        float *row = pl_fit_chunk(fit, c) + (size_t)index * PL_FIT_FLOATS;
        float *sample = fit->sample + (size_t)c * PL_FIT_FLOATS;
        memcpy(out ? sample : row, out ? row : sample, PL_FIT_FLOATS * sizeof *row);
    }
}

/* Makes the vectors unit length and orthogonal again (Gram and Schmidt, twice). The small ones are differences of large
 * ones, so rounding leaves parts of those in them; one that is mostly made of others is rounding and is dropped. */
static void orthogonalise(pleat_fit *fit)
{
    uint32_t used = 0;
    for (uint32_t j = 0; j < fit->kept && goes_on(fit, "making morph targets,", j, fit->kept); ++j)
    {
        float peak = 0;
        for (uint32_t f = 0; f < fit->learned; ++f)
        {
            peak = fmaxf(peak, fabsf(fit->coordinates[(size_t)f * fit->kept_limit + j]));
        }
        copy_vector(fit, j, true);
        fit->peaks[used] = peak * (float)normalise(fit, fit->sample);
        double length = 1;
        for (int pass = 0; pass < 2; ++pass)
        {
            mix_job job = {fit, used, 0};
            pl_fit_products(fit, fit->sample, used, fit->scratch);
            pl_parallel_for(&fit->host.tasks, fit->chunk_count, 8, subtract_chunks, &job);
            length *= normalise(fit, fit->sample);
        }
        copy_vector(fit, used, false);
        used += length > 0.5;
    }
    fit->target_count = used;
}

void pleat_fit_settle(pleat_fit *fit)
{
    if (fit->chunk_count)
    {
        pl_fit_merge(fit, fit->kept_limit);
        find_importance(fit);
        pl_fit_merge(fit, fit->target_limit);
        orthogonalise(fit);
    }
    /* Room for the normals behind the targets. */
    for (uint32_t c = 0; c < fit->chunk_count; ++c)
    {
        size_t size = (size_t)fit->target_count * PL_FIT_FLOATS;
        memmove(fit->vectors + c * size, pl_fit_chunk(fit, c), size * sizeof *fit->vectors);
    }
    fit->stride = fit->target_count;
    memset(fit->normal_sums, 0, 3 * (size_t)fit->target_count * fit->normal_count * sizeof *fit->normal_sums);
}

float pleat_fit_expected(const pleat_fit *fit)
{
    return fit->expected;
}

/* ---- Pruning ---- */

typedef struct prune_job
{
    pleat_fit *fit;
    float tolerance, part;
} prune_job;

/* Below which size parts may be dropped, so that the root of the sum of their squares stays within the tolerance. */
static float prune_threshold(const float *sizes, uint32_t count, float tolerance)
{
    float low = 0, high = tolerance * 1.001f;
    for (int step = 0; step < PRUNE_STEPS; ++step)
    {
        float middle = 0.5f * (low + high), squares = 0;
        for (uint32_t j = 0; j < count; ++j)
        {
            squares += sizes[j] < middle ? sizes[j] * sizes[j] : 0;
        }
        *(squares <= tolerance * tolerance ? &low : &high) = middle;
    }
    return low;
}

static void prune_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    prune_job *job = data;
    pleat_fit *fit = job->fit;
    float sizes[PL_FIT_VECTORS];
    (void)worker;
    for (uint32_t c = begin; c < end; ++c)
    {
        for (uint32_t v = 0; v < PL_FIT_CHUNK; ++v)
        {
            float *place = pl_fit_chunk(fit, c) + v;
            float spare = job->part * (fit->expected - fit->reached[(size_t)c * PL_FIT_CHUNK + v]);
            float importance = fit->importance[(size_t)c * PL_FIT_CHUNK + v];
            for (uint32_t j = 0; j < fit->target_count; ++j)
            {
                const float *p = place + (size_t)j * PL_FIT_FLOATS;
                float x = p[0], y = p[PL_FIT_CHUNK], z = p[2 * PL_FIT_CHUNK];
                sizes[j] = fit->peaks[j] * sqrtf(x * x + y * y + z * z) / importance;
            }
            float threshold = prune_threshold(sizes, fit->target_count, fmaxf(job->tolerance, spare));
            for (uint32_t j = 0; j < fit->target_count; ++j)
            {
                float *p = place + (size_t)j * PL_FIT_FLOATS;
                if (sizes[j] < threshold)
                {
                    p[0] = p[PL_FIT_CHUNK] = p[2 * PL_FIT_CHUNK] = 0;
                }
            }
        }
    }
}

/* The Gram matrix as L L', in place. A target that lost nearly everything gets no weight. */
static void factorise(pleat_fit *fit)
{
    uint32_t count = fit->target_count;
    double *l = fit->gram;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j <= i; ++j)
        {
            double sum = l[(size_t)i * count + j];
            for (uint32_t k = 0; k < j; ++k)
            {
                sum -= l[(size_t)i * count + k] * l[(size_t)j * count + k];
            }
            l[(size_t)i * count + j] = i != j ? sum / l[(size_t)j * count + j] : sum > 1e-6 ? sqrt(sum) : 1e30;
        }
    }
}

void pl_fit_solve(const pleat_fit *fit, double *products)
{
    uint32_t count = fit->target_count;
    const double *l = fit->gram;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            products[i] -= l[(size_t)i * count + k] * products[k];
        }
        products[i] /= l[(size_t)i * count + i];
    }
    for (uint32_t i = count; i-- > 0;)
    {
        for (uint32_t k = i + 1; k < count; ++k)
        {
            products[i] -= l[(size_t)k * count + i] * products[k];
        }
        products[i] /= l[(size_t)i * count + i];
    }
}

void pleat_fit_prune(pleat_fit *fit, float tolerance, float part)
{
    prune_job job = {fit, tolerance, part};
    if (!(tolerance > 0) || fit->target_count == 0)
    {
        return;
    }
    pl_parallel_for(&fit->host.tasks, fit->chunk_count, 4, prune_chunks, &job);
    sum_products(fit, NULL, fit->target_count, fit->gram);
    factorise(fit);
    fit->pruned = true;
}
