/* The inside of the fit: fit.c holds the passes over the frames, fit_basis.c finds the targets, fit_wide.c has the
 * kernels.
 *
 * A vector is one displacement of all vertices. Vectors lie in chunks of PL_FIT_CHUNK vertices, all vectors of a chunk
 * one after the other, so that every kernel works in the second cache: chunk by vector by (all x, all y, all z), zeros
 * behind the last vertex. */
#ifndef PL_EXPORT_MORPHS_FIT_H
#define PL_EXPORT_MORPHS_FIT_H

#include "base/memory.h"
#include "base/vec.h"
#include "pleat/export/fit.h"

enum
{
    PL_FIT_CHUNK = 128,
    PL_FIT_FLOATS = 3 * PL_FIT_CHUNK,
    PL_FIT_VECTORS = 2400, /* kept and a block, at most: 1024 + 512 + 32, and a third of that */
    PL_FIT_GROUPS = 16     /* chunks are summed in at most this many groups, each in order: the same for any threads */
};

struct pleat_fit
{
    pl_memory memory;
    pl_arena arena;
    pleat_host host;
    uint32_t vertex_count, normal_count, frame_count, target_limit;
    uint32_t chunk_count, group_count;
    uint32_t kept_limit; /* vectors kept between blocks: more than the targets asked for, so that late frames count */
    uint32_t block_limit;
    uint32_t kept, block; /* vectors there are now */
    uint32_t learned;     /* frames; the last `block` of them are the block */
    uint32_t stride;      /* vectors that a chunk has room for */
    float *vectors;
    double *gram, *mix, *values, *scratch;
    double *group_sums;      /* group_count by count^2 */
    float *weights;          /* the mix in float */
    float *coordinates;      /* frame_count by kept_limit: what frames are made of, in kept vectors */
    float *importance;       /* by vertex, in chunks: how much its error counts, 0 .. 1 */
    float *trial;            /* an importance to be tried */
    float *reached;          /* by vertex, in chunks: about its largest error with all targets */
    float *worst;            /* by vertex, in chunks: its largest squared error over the clip */
    float *left_coordinates; /* frame_count by kept_limit: what the targets do not reach */
    float *peaks;            /* by target: the largest coefficient, as far as the first pass can tell */
    float *sample;           /* a frame as a vector, in chunks */
    float expected;          /* largest error with all targets, as far as the first pass can tell */
    bool pruned;
    uint32_t target_count;
    float *scales;        /* target_limit: the largest coefficient */
    float *coefficients;  /* frame_count by target_limit: before scaling */
    float *normal_sums;   /* from the second pass on, per target 3 normal_count: sum of coefficient * change */
    float *largest;       /* target_limit + 1, squared: largest error with i targets */
    double *squares;      /* target_limit + 1: sum of squared errors */
    float *chunk_largest; /* chunk_count by target_limit + 1 */
    double *chunk_squares;
    uint64_t weighed; /* frames */
};

PL_INLINE float *pl_fit_chunk(const pleat_fit *fit, uint32_t chunk)
{
    return fit->vectors + (size_t)chunk * fit->stride * PL_FIT_FLOATS;
}

/* Chunks of a group. */
PL_INLINE uint32_t pl_fit_group_begin(const pleat_fit *fit, uint32_t group)
{
    return (uint32_t)((uint64_t)fit->chunk_count * group / fit->group_count);
}

/* ---- The targets (fit_basis.c) ---- */

/* Turns kept and block into at most `limit` orthogonal vectors, longest first. */
void pl_fit_merge(pleat_fit *fit, uint32_t limit);
/* Products of the first `count` vectors with a vector in chunks, into out. */
void pl_fit_products(pleat_fit *fit, const float *with, uint32_t count, double *out);
/* Of the targets that were pruned: turns products with them into coefficients. */
void pl_fit_solve(const pleat_fit *fit, double *products);

/* ---- Kernels of one chunk (fit_wide.c): sums in float within a chunk, over chunks in double ---- */

/* What targets do not reach. */
typedef struct pl_fit_left
{
    const float *weights;     /* of vectors that are left, in kept ones */
    uint32_t count;           /* of them */
    const float *coordinates; /* frame_count by coordinate_stride: how much of each a frame has */
    uint32_t coordinate_stride, frame_count;
} pl_fit_left;

typedef struct pl_fit_kernels
{
    /* gram (count by count) += products of rows, up to the diagonal. */
    void (*gram)(const float *rows, uint32_t count, double *gram);
    /* rows[j] = sum of weights[j][i] rows[i], j < target_count, in place. */
    void (*mix)(float *rows, uint32_t count, const float *weights, uint32_t target_count);
    /* sums += products of rows and sample. */
    void (*products)(const float *rows, uint32_t count, const float *sample, double *sums);
    /* The largest squared length, over frames, of sum over j of coordinates[frame][j] times the mix of rows by
     * weights[j], j < left; into worst, by vertex. */
    void (*worst)(const float *rows, uint32_t count, const pl_fit_left *left, float *worst);
    /* left -= factor row. */
    void (*subtract)(float *left, const float *row, float factor);
    /* The largest squared length in left, each divided by the vertex's squared importance, and their sum. */
    void (*error)(const float *left, const float *importance, float *largest, double *squares);
} pl_fit_kernels;

const pl_fit_kernels *pl_fit_kernels_best(void);
extern const pl_fit_kernels pl_fit_kernels_base, pl_fit_kernels_avx2;

#endif
