/* Morph targets for many frames, block by block (an incremental singular value decomposition): the passes over the
 * frames. Memory: kept + block vectors of 3 V floats, and a few numbers a frame. What becomes of the vectors is in
 * fit_basis.c. */
#include "export/morphs/fit.h"

#include "base/parallel.h"

#include <string.h>

enum
{
    FINE_COUNTS = 8, /* the error is known for every number of targets up to this... */
    COUNT_STEP = 4   /* ...and from there on for every fourth */
};

/* ---- Creation ---- */

static pleat_result allocate(pleat_fit *fit, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &fit->arena;
    uint32_t all = fit->kept_limit + fit->block_limit;
    size_t errors = (size_t)fit->target_limit + 1, vertices = (size_t)fit->chunk_count * PL_FIT_CHUNK;
    size_t coordinates = (size_t)fit->frame_count * fit->kept_limit;
    /* The first pass needs all vectors; the second needs the targets and their normals, which come to lie where other
     * vectors were. */
    size_t first_pass = all * 3 * vertices, targets = fit->target_limit < all ? fit->target_limit : all;
    size_t second_pass = targets * 3 * (vertices + fit->normal_count);
    PL_ARENA_NEW_OR_FAIL(fit->vectors, arena, float, first_pass > second_pass ? first_pass : second_pass, error);
    fit->normal_sums = fit->vectors + targets * 3 * vertices;
    PL_ARENA_NEW_OR_FAIL(fit->gram, arena, double, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->mix, arena, double, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->weights, arena, float, (size_t)all *all, error);
    PL_ARENA_NEW_OR_FAIL(fit->group_sums, arena, double, (size_t)all *all * fit->group_count, error);
    PL_ARENA_NEW_OR_FAIL(fit->values, arena, double, all, error);
    PL_ARENA_NEW_OR_FAIL(fit->scratch, arena, double, 3 * (size_t)all, error);
    PL_ARENA_NEW_OR_FAIL(fit->coordinates, arena, float, coordinates, error);
    PL_ARENA_NEW_OR_FAIL(fit->left_coordinates, arena, float, coordinates, error);
    PL_ARENA_NEW_OR_FAIL(fit->importance, arena, float, vertices, error);
    PL_ARENA_NEW_OR_FAIL(fit->trial, arena, float, vertices, error);
    PL_ARENA_NEW_OR_FAIL(fit->worst, arena, float, vertices, error);
    PL_ARENA_NEW_OR_FAIL(fit->reached, arena, float, vertices, error);
    PL_ARENA_NEW_OR_FAIL(fit->sample, arena, float, 3 * vertices, error);
    PL_ARENA_NEW_OR_FAIL(fit->peaks, arena, float, (size_t)all + 1, error);
    PL_ARENA_NEW_OR_FAIL(fit->scales, arena, float, fit->target_limit, error);
    PL_ARENA_NEW_OR_FAIL(fit->coefficients, arena, float, (size_t)fit->frame_count * fit->target_limit, error);
    PL_ARENA_NEW_OR_FAIL(fit->largest, arena, float, errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->squares, arena, double, errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->chunk_largest, arena, float, fit->chunk_count *errors, error);
    PL_ARENA_NEW_OR_FAIL(fit->chunk_squares, arena, double, fit->chunk_count *errors, error);
fail:
    return result;
}

/* Groups of chunks: fewer where the sums of one group are large. */
static uint32_t choose_groups(uint32_t vector_count)
{
    uint64_t fits = (4u << 20) / ((uint64_t)vector_count * vector_count + 1);
    return fits < 1 ? 1 : fits > PL_FIT_GROUPS ? PL_FIT_GROUPS : (uint32_t)fits;
}

/* Vectors to keep: what they do not hold is not seen when targets are chosen for their largest error. Half as many
 * again as targets and a few are good (more brought nothing on a dancer), if they and a block of a quarter more need
 * no more than 1 GB, 12 bytes a vertex. */
static uint32_t choose_kept(uint32_t vertex_count, uint32_t target_limit)
{
    uint64_t fits = (1u << 30) / (16 * (uint64_t)vertex_count + 1);
    uint32_t least = target_limit + target_limit / 4 + 16, good = target_limit + target_limit / 2 + 24;
    return fits > good ? good : fits < least ? least : (uint32_t)fits;
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
    fit->chunk_count = (vertex_count + PL_FIT_CHUNK - 1) / PL_FIT_CHUNK;
    /* No more vectors than frames are ever needed; then nothing is lost on the way. */
    uint32_t wanted = choose_kept(vertex_count, target_limit);
    fit->kept_limit = wanted < frame_count ? wanted : frame_count;
    uint32_t rest = frame_count - fit->kept_limit, block = fit->kept_limit / 4 > 32 ? fit->kept_limit / 4 : 32;
    fit->block_limit = block < rest ? block : rest;
    fit->stride = fit->kept_limit + fit->block_limit;
    fit->group_count = choose_groups(fit->stride);
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

/* Points as one vector: out is its part of the first chunk, stride floats from chunk to chunk. */
static void spread(const pleat_fit *fit, const pleat_vec3 *points, float *out, size_t stride)
{
    for (uint32_t v = 0; v < fit->vertex_count; ++v)
    {
        float *to = out + v / PL_FIT_CHUNK * stride + v % PL_FIT_CHUNK;
        to[0] = points[v].x;
        to[PL_FIT_CHUNK] = points[v].y;
        to[2 * PL_FIT_CHUNK] = points[v].z;
    }
}

void pleat_fit_learn(pleat_fit *fit, const pleat_vec3 *displacements)
{
    if (fit->learned >= fit->frame_count || !fit->vertex_count)
    {
        return;
    }
    if (fit->kept + fit->block == fit->kept_limit + fit->block_limit)
    {
        pl_fit_merge(fit, fit->kept_limit);
    }
    spread(fit, displacements, fit->vectors + (size_t)(fit->kept + fit->block) * PL_FIT_FLOATS,
           (size_t)fit->stride * PL_FIT_FLOATS);
    ++fit->block;
    ++fit->learned;
}

/* ---- Second pass ---- */

typedef struct weigh_job
{
    pleat_fit *fit;
    const pleat_vec3 *normal_changes;
    float *coefficients;
} weigh_job;

/* Is the error measured for this number of targets? */
static bool is_measured(const pleat_fit *fit, uint32_t count)
{
    return count <= FINE_COUNTS || count % COUNT_STEP == 0 || count == fit->target_count;
}

static void note_error(pleat_fit *fit, uint32_t chunk, uint32_t count, const float *left)
{
    size_t at = (size_t)chunk * (fit->target_limit + 1) + count;
    pl_fit_kernels_best()->error(left, fit->importance + (size_t)chunk * PL_FIT_CHUNK, &fit->chunk_largest[at],
                                 &fit->chunk_squares[at]);
}

/* Takes one target after the other off the displacement and notes what is left. */
static void error_chunks(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    weigh_job *job = data;
    pleat_fit *fit = job->fit;
    (void)worker;
    for (uint32_t chunk = begin; chunk < end; ++chunk)
    {
        float *left = fit->sample + (size_t)chunk * PL_FIT_FLOATS;
        note_error(fit, chunk, 0, left);
        for (uint32_t j = 0; j < fit->target_count; ++j)
        {
            const float *row = pl_fit_chunk(fit, chunk) + (size_t)j * PL_FIT_FLOATS;
            pl_fit_kernels_best()->subtract(left, row, job->coefficients[j]);
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

static void weigh_by_importance(pleat_fit *fit)
{
    for (uint32_t c = 0; c < fit->chunk_count; ++c)
    {
        const float *importance = fit->importance + (size_t)c * PL_FIT_CHUNK;
        for (uint32_t i = 0; i < PL_FIT_FLOATS; ++i)
        {
            fit->sample[(size_t)c * PL_FIT_FLOATS + i] *= importance[i % PL_FIT_CHUNK];
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
    spread(fit, displacements, fit->sample, PL_FIT_FLOATS);
    weigh_by_importance(fit);
    pl_fit_products(fit, fit->sample, fit->target_count, fit->values);
    if (fit->pruned)
    {
        pl_fit_solve(fit, fit->values);
    }
    for (uint32_t j = 0; j < fit->target_count; ++j)
    {
        coefficients[j] = (float)fit->values[j];
    }
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
    for (uint32_t v = 0; v < fit->vertex_count; ++v)
    {
        const float *from = pl_fit_chunk(fit, v / PL_FIT_CHUNK) + (size_t)target * PL_FIT_FLOATS + v % PL_FIT_CHUNK;
        float scale = fit->scales[target] / fit->importance[v];
        out[v] = (pleat_vec3){from[0] * scale, from[PL_FIT_CHUNK] * scale, from[2 * PL_FIT_CHUNK] * scale};
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
