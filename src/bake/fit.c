/* Principal components, frame block by frame block (an incremental singular value decomposition).
 *
 * Kept so far: up to `kept_limit` vectors, orthogonal, each as long as its share of the motion. A block of new frames
 * is laid beside them; the eigenvectors of the Gram matrix of all these vectors say how to mix them into new orthogonal
 * ones, of which the longest are kept. Memory: kept + block vectors of 3 V floats, whatever the number of frames.
 * Bound by operations: (kept + block) * kept * 3 V multiply-adds a block for mixing. */
#include "pleat/fit.h"

#include "base/eigen.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

#include <string.h>

enum
{
    CHUNK = 512,        /* floats whose products are summed in float before they go into a double */
    VERTEX_CHUNK = 256, /* vertices whose errors are followed at a time: they stay in the first cache */
    FINE_COUNTS = 8,    /* the error is known for every number of targets up to this... */
    COUNT_STEP = 4      /* ...and from there on for every fourth */
};

typedef float f8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i8 __attribute__((vector_size(32), aligned(4), may_alias));

struct pleat_fit
{
    pl_memory memory;
    pl_arena arena;
    pleat_host host;
    uint32_t vertex_count, normal_count, frame_count, target_limit;
    uint32_t lane;       /* V rounded up to VERTEX_CHUNK */
    uint32_t row;        /* floats of a vector: all x, all y, all z, a lane each, zeros behind V */
    uint32_t kept_limit; /* vectors kept between blocks: more than the targets asked for, so that late frames count */
    uint32_t block_limit;
    uint32_t kept, block; /* vectors there are now */
    float *vectors;       /* kept_limit + block_limit rows: kept ones, then the block */
    double *gram, *mix, *values, *scratch;
    float *weights; /* the mix in float */
    float *sample;  /* a frame as a row */
    uint32_t target_count;
    float *scales;        /* target_limit: the largest coefficient */
    float *coefficients;  /* frame_count by target_limit: before scaling */
    float *normal_sums;   /* from the second pass on, per target 3 normal_count: sum of coefficient * change */
    float *largest;       /* target_limit + 1, squared: largest error with i targets */
    double *squares;      /* target_limit + 1: sum of squared errors */
    float *chunk_largest; /* chunk_count by target_limit + 1 */
    double *chunk_squares;
    uint32_t chunk_count;
    uint64_t weighed; /* frames */
};

/* ---- Creation ---- */

static pleat_result allocate(pleat_fit *fit, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t all = fit->kept_limit + fit->block_limit;
    size_t errors = (size_t)fit->target_limit + 1;
    /* The first pass needs all vectors; the second needs the targets and their normals, which come to lie where other
     * vectors were. */
    size_t first_pass = (size_t)all * fit->row, targets = fit->target_limit < all ? fit->target_limit : all;
    size_t second_pass = targets * (fit->row + 3 * (size_t)fit->normal_count);
    PL_ARENA_NEW_OR_FAIL(fit->vectors, &fit->arena, float, first_pass > second_pass ? first_pass : second_pass, error);
    fit->normal_sums = fit->vectors + targets * fit->row;
    PL_ARENA_NEW_OR_FAIL(fit->gram, &fit->arena, double, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->mix, &fit->arena, double, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->weights, &fit->arena, float, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->sample, &fit->arena, float, fit->row, error);
    PL_ARENA_NEW_OR_FAIL(fit->values, &fit->arena, double, all, error);
    PL_ARENA_NEW_OR_FAIL(fit->scratch, &fit->arena, double, 3 * (size_t)all, error);
    PL_ARENA_NEW_OR_FAIL(fit->scales, &fit->arena, float, fit->target_limit, error);
    PL_ARENA_NEW_OR_FAIL(fit->coefficients, &fit->arena, float, (size_t)fit->frame_count * fit->target_limit, error);
    PL_ARENA_NEW_OR_FAIL(fit->largest, &fit->arena, float, errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->squares, &fit->arena, double, errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->chunk_largest, &fit->arena, float, fit->chunk_count *errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->chunk_squares, &fit->arena, double, fit->chunk_count *errors, error);
fail:
    return result;
}

pleat_result pleat_fit_create(uint32_t vertex_count, uint32_t normal_count, uint32_t frame_count, uint32_t target_limit,
                              const pleat_host *host, pleat_fit **out, pleat_error *error)
{
    *out = NULL;
    if (target_limit < 1 || target_limit > 1024 || vertex_count > UINT32_MAX / 16 || normal_count > UINT32_MAX / 16)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a fit of %u vertices to %u targets; 1 to 1024 targets are possible",
                       vertex_count, target_limit);
    }
    pleat_fit *fit = PL_CREATE(pleat_fit, host);
    if (!fit)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the fit");
    }
    pl_arena_init(&fit->arena, &fit->memory);
    fit->host = host ? *host : pleat_host_default();
    fit->vertex_count = vertex_count;
    fit->normal_count = normal_count;
    fit->frame_count = frame_count;
    fit->target_limit = target_limit;
    fit->chunk_count = (vertex_count + VERTEX_CHUNK - 1) / VERTEX_CHUNK;
    fit->lane = fit->chunk_count * VERTEX_CHUNK;
    fit->row = 3 * fit->lane;
    /* No more vectors than frames are ever needed; then nothing is lost on the way. */
    uint32_t wanted = target_limit + target_limit / 2 + 16;
    fit->kept_limit = wanted < frame_count ? wanted : frame_count;
    uint32_t rest = frame_count - fit->kept_limit, block = fit->kept_limit / 2 > 32 ? fit->kept_limit / 2 : 32;
    fit->block_limit = block < rest ? block : rest;
    pleat_result result = allocate(fit, error);
    if (result != PLEAT_OK)
    {
        pleat_fit_destroy(fit);
        return result;
    }
    *out = fit;
    return PLEAT_OK;
}

void pleat_fit_destroy(pleat_fit *fit)
{
    if (fit)
    {
        pl_arena_free(&fit->arena);
        PL_DESTROY(fit);
    }
}

/* ---- First pass ---- */

/* Between points and rows. */
static void to_row(const pleat_fit *fit, const pleat_vec3 *points, float *row)
{
    for (uint32_t v = 0; v < fit->vertex_count; ++v)
    {
        row[v] = points[v].x;
        row[fit->lane + v] = points[v].y;
        row[2 * (size_t)fit->lane + v] = points[v].z;
    }
}

/* Eight running sums in float over short pieces, the pieces in double: exact enough and in a fixed order. */
static double dot(const float *a, const float *b, uint32_t count)
{
    double total = 0;
    for (uint32_t begin = 0; begin < count; begin += CHUNK)
    {
        uint32_t end = count - begin > CHUNK ? begin + CHUNK : count;
        f8 sum = {0};
        for (uint32_t i = begin; i < end; i += 8)
        {
            sum += *(const f8 *)(a + i) * *(const f8 *)(b + i);
        }
        total += (double)(((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
    }
    return total;
}

/* Rows of the Gram matrix, up to the diagonal. Kept vectors are orthogonal by construction, but only to the rounding of
 * the last mix, so their products are taken too. */
static void gram_rows(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_fit *fit = data;
    uint32_t count = fit->kept + fit->block;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        for (uint32_t j = 0; j <= i; ++j)
        {
            double product = dot(fit->vectors + (size_t)i * fit->row, fit->vectors + (size_t)j * fit->row, fit->row);
            fit->gram[(size_t)i * count + j] = product;
        }
    }
}

/* Mixes a range of chunks of all vectors in place: eight floats of all of them at a time. */
static void mix_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_fit *fit = data;
    uint32_t count = fit->kept + fit->block, target = fit->target_count;
    (void)worker;
    for (uint32_t x = 32 * begin; x < 32 * end && x < fit->row; x += 8)
    {
        f8 mixed[1600]; /* kept_limit at most: 1024 + 512 + 16 */
        for (uint32_t j = 0; j < target; ++j)
        {
            f8 sum = {0};
            const float *weights = fit->weights + (size_t)j * count;
            for (uint32_t i = 0; i < count; ++i)
            {
                f8 w = {weights[i], weights[i], weights[i], weights[i], weights[i], weights[i], weights[i], weights[i]};
                sum += w * *(const f8 *)(fit->vectors + (size_t)i * fit->row + x);
            }
            mixed[j] = sum;
        }
        for (uint32_t j = 0; j < target; ++j)
        {
            *(f8 *)(fit->vectors + (size_t)j * fit->row + x) = mixed[j];
        }
    }
}

/* Turns kept and block into at most `limit` orthogonal vectors, longest first. */
static void merge(pleat_fit *fit, uint32_t limit)
{
    uint32_t count = fit->kept + fit->block;
    if (count == 0)
    {
        return;
    }
    pl_parallel_for(&fit->host.tasks, count, 1, gram_rows, fit);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j < i; ++j)
        {
            fit->gram[(size_t)j * count + i] = fit->gram[(size_t)i * count + j];
        }
    }
    pl_eigen_symmetric(count, fit->gram, fit->values, fit->mix, fit->scratch);
    uint32_t used = 0;
    while (used < count && used < limit && fit->values[used] > 1e-13 * fit->values[0] && fit->values[used] > 0)
    {
        ++used;
    }
    fit->target_count = used;
    for (size_t i = 0; i < (size_t)used * count; ++i)
    {
        fit->weights[i] = (float)fit->mix[i];
    }
    pl_parallel_for(&fit->host.tasks, (fit->row + 31) / 32, 4, mix_chunks, fit);
    fit->kept = used;
    fit->block = 0;
}

void pleat_fit_learn(pleat_fit *fit, const pleat_vec3 *displacements)
{
    if (fit->kept + fit->block == fit->kept_limit + fit->block_limit)
    {
        merge(fit, fit->kept_limit);
    }
    if (fit->kept + fit->block < fit->kept_limit + fit->block_limit && fit->vertex_count)
    {
        to_row(fit, displacements, fit->vectors + (size_t)(fit->kept + fit->block) * fit->row);
        ++fit->block;
    }
}

/* One vector against those before it. */
typedef struct project_job
{
    pleat_fit *fit;
    float *vector;
    uint32_t before;
} project_job;

static void project_rows(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    project_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        fit->values[i] = dot(job->vector, fit->vectors + (size_t)i * fit->row, fit->row);
    }
}

static void subtract_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    project_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t x = 8 * begin; x < 8 * end; x += 8)
    {
        f8 left = *(const f8 *)(job->vector + x);
        for (uint32_t i = 0; i < job->before; ++i)
        {
            float c = (float)fit->values[i];
            left -= (f8){c, c, c, c, c, c, c, c} * *(const f8 *)(fit->vectors + (size_t)i * fit->row + x);
        }
        *(f8 *)(job->vector + x) = left;
    }
}

/* Scales to unit length and returns the length it had. */
static double normalise(const pleat_fit *fit, float *vector)
{
    double length = sqrt(dot(vector, vector, fit->row));
    float inverse = length > 0 ? (float)(1 / length) : 0;
    for (uint32_t i = 0; i < fit->row; ++i)
    {
        vector[i] *= inverse;
    }
    return length;
}

/* Makes the vectors unit length and orthogonal again (Gram and Schmidt, twice). The small ones are differences of large
 * ones, so rounding leaves parts of those in them; one that is mostly made of others is rounding and is dropped. */
static void orthogonalise(pleat_fit *fit)
{
    uint32_t used = 0;
    for (uint32_t j = 0; j < fit->kept; ++j)
    {
        float *vector = fit->vectors + (size_t)used * fit->row;
        memmove(vector, fit->vectors + (size_t)j * fit->row, fit->row * sizeof *vector);
        project_job job = {fit, vector, used};
        normalise(fit, vector);
        double length = 1;
        for (int pass = 0; pass < 2; ++pass)
        {
            pl_parallel_for(&fit->host.tasks, used, 1, project_rows, &job);
            pl_parallel_for(&fit->host.tasks, fit->row / 8, 64, subtract_chunks, &job);
            length *= normalise(fit, vector);
        }
        used += length > 0.5;
    }
    fit->target_count = used;
}

void pleat_fit_settle(pleat_fit *fit)
{
    merge(fit, fit->target_limit);
    orthogonalise(fit);
    memset(fit->normal_sums, 0, 3 * (size_t)fit->target_count * fit->normal_count * sizeof *fit->normal_sums);
}

/* ---- Second pass ---- */

typedef struct weigh_job
{
    pleat_fit *fit;
    const pleat_vec3 *normal_changes;
    float *coefficients;
} weigh_job;

static void coefficient_rows(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t j = begin; j < end; ++j)
    {
        job->coefficients[j] = (float)dot(fit->vectors + (size_t)j * fit->row, fit->sample, fit->row);
    }
}

/* Is the error measured for this number of targets? */
static bool is_measured(const pleat_fit *fit, uint32_t count)
{
    return count <= FINE_COUNTS || count % COUNT_STEP == 0 || count == fit->target_count;
}

/* What is left of a chunk's vertices: the largest squared length and the sum of all. */
static void note_error(pleat_fit *fit, uint32_t chunk, uint32_t count, const f8 left[3][VERTEX_CHUNK / 8])
{
    f8 largest = {0}, sum = {0};
    for (uint32_t i = 0; i < VERTEX_CHUNK / 8; ++i)
    {
        f8 squared = left[0][i] * left[0][i] + left[1][i] * left[1][i] + left[2][i] * left[2][i];
        i8 more = squared > largest;
        largest = (f8)(((i8)squared & more) | ((i8)largest & ~more));
        sum += squared;
    }
    size_t at = (size_t)chunk * (fit->target_limit + 1) + count;
    for (int k = 0; k < 8; ++k)
    {
        fit->chunk_largest[at] = largest[k] > fit->chunk_largest[at] ? largest[k] : fit->chunk_largest[at];
        fit->chunk_squares[at] += (double)sum[k];
    }
}

/* Takes one target after the other off the displacement and notes what is left. */
static void error_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t chunk = begin; chunk < end; ++chunk)
    {
        f8 left[3][VERTEX_CHUNK / 8];
        for (uint32_t k = 0; k < 3; ++k)
        {
            memcpy(left[k], fit->sample + (size_t)k * fit->lane + (size_t)chunk * VERTEX_CHUNK, sizeof left[k]);
        }
        note_error(fit, chunk, 0, left);
        for (uint32_t j = 0; j < fit->target_count; ++j)
        {
            float c = job->coefficients[j];
            f8 factor = {c, c, c, c, c, c, c, c};
            const float *vector = fit->vectors + (size_t)j * fit->row + (size_t)chunk * VERTEX_CHUNK;
            for (uint32_t k = 0; k < 3; ++k)
            {
                for (uint32_t i = 0; i < VERTEX_CHUNK / 8; ++i)
                {
                    left[k][i] -= factor * *(const f8 *)(vector + (size_t)k * fit->lane + 8 * i);
                }
            }
            if (is_measured(fit, j + 1))
            {
                note_error(fit, chunk, j + 1, left);
            }
        }
    }
}

static void normal_rows(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    (void)worker;
    uint32_t count = 3 * job->fit->normal_count;
    const float *changes = &job->normal_changes[0].x;
    for (uint32_t j = begin; j < end; ++j)
    {
        float *sums = job->fit->normal_sums + (size_t)j * count;
        for (uint32_t i = 0; i < count; ++i)
        {
            sums[i] += job->coefficients[j] * changes[i];
        }
    }
}

void pleat_fit_weigh(pleat_fit *fit, uint32_t frame, const pleat_vec3 *displacements, const pleat_vec3 *normal_changes)
{
    if (frame >= fit->frame_count)
    {
        return;
    }
    float *coefficients = fit->coefficients + (size_t)frame * fit->target_limit;
    weigh_job job = {fit, normal_changes, coefficients};
    to_row(fit, displacements, fit->sample);
    pl_parallel_for(&fit->host.tasks, fit->target_count, 1, coefficient_rows, &job);
    pl_parallel_for(&fit->host.tasks, fit->chunk_count, 4, error_chunks, &job);
    if (normal_changes && fit->normal_count)
    {
        pl_parallel_for(&fit->host.tasks, fit->target_count, 1, normal_rows, &job);
    }
    for (uint32_t j = 0; j < fit->target_count; ++j)
    {
        fit->scales[j] = fmaxf(fit->scales[j], fabsf(coefficients[j]));
    }
    ++fit->weighed;
    for (uint32_t j = 0; j <= fit->target_count; ++j)
    {
        fit->squares[j] = 0;
        for (uint32_t c = 0; c < fit->chunk_count; ++c)
        {
            size_t at = (size_t)c * (fit->target_limit + 1) + j;
            fit->largest[j] = fmaxf(fit->largest[j], fit->chunk_largest[at]);
            fit->squares[j] += fit->chunk_squares[at];
        }
    }
}

/* ---- Results ---- */

uint32_t pleat_fit_target_count(const pleat_fit *fit)
{
    return fit->target_count;
}

pleat_fit_error pleat_fit_error_of(const pleat_fit *fit, uint32_t target_count)
{
    uint32_t count = target_count < fit->target_count ? target_count : fit->target_count;
    while (!is_measured(fit, count))
    {
        --count; /* fewer targets are no better: what is stated is a bound */
    }
    double samples = (double)fit->vertex_count * (double)fit->weighed;
    return (pleat_fit_error){sqrtf(fit->largest[count]), samples > 0 ? (float)sqrt(fit->squares[count] / samples) : 0};
}

float pleat_fit_largest(const pleat_fit *fit)
{
    return sqrtf(fit->largest[0]);
}

uint32_t pleat_fit_choose(const pleat_fit *fit, float largest_error)
{
    uint32_t count = 0;
    while (count < fit->target_count &&
           (!is_measured(fit, count) || !(pleat_fit_error_of(fit, count).largest <= largest_error)))
    {
        ++count;
    }
    return count;
}

void pleat_fit_target(const pleat_fit *fit, uint32_t target, pleat_vec3 *out)
{
    const float *vector = fit->vectors + (size_t)target * fit->row;
    float scale = fit->scales[target];
    for (uint32_t v = 0; v < fit->vertex_count; ++v)
    {
        out[v] =
            (pleat_vec3){vector[v] * scale, vector[fit->lane + v] * scale, vector[2 * (size_t)fit->lane + v] * scale};
    }
}

void pleat_fit_normal_target(const pleat_fit *fit, uint32_t target, pleat_vec3 *out)
{
    /* Least squares: the coefficients of different targets are uncorrelated over the clip, so each target's normals are
     * the sum of coefficient times change over the sum of squared coefficients. */
    double squares = 0;
    for (uint32_t f = 0; f < fit->frame_count; ++f)
    {
        double c = (double)fit->coefficients[(size_t)f * fit->target_limit + target];
        squares += c * c;
    }
    float scale = squares > 0 ? (float)((double)fit->scales[target] / squares) : 0;
    const float *sums = fit->normal_sums + 3 * (size_t)target * fit->normal_count;
    float *to = &out[0].x;
    for (uint32_t i = 0; i < 3 * fit->normal_count; ++i)
    {
        to[i] = sums[i] * scale;
    }
}

float pleat_fit_weight(const pleat_fit *fit, uint32_t frame, uint32_t target)
{
    float scale = fit->scales[target];
    return scale > 0 ? fit->coefficients[(size_t)frame * fit->target_limit + target] / scale : 0;
}
