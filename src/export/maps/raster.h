/* Triangles with values at their corners, drawn into a square of texels. */
#ifndef PL_EXPORT_MAPS_RASTER_H
#define PL_EXPORT_MAPS_RASTER_H

#include "base/memory.h"
#include "base/vec.h"

/* Texels of one band of rows while they are summed. */
typedef struct pl_raster
{
    uint32_t size, samples, margin;
    uint32_t band_count;
    uint32_t worker_count;
    pl_f4 *sums;         /* worker_count by PL_RASTER_ROWS by size */
    uint16_t *counts;    /* likewise */
    uint8_t *doubts;     /* likewise */
    uint32_t *owners;    /* likewise: the last triangle that is no skirt */
    uint8_t *covered;    /* size x size: 0 empty, 1 drawn, 2 and up: continued (2: by skirts); or PL_RASTER_DOUBT */
    uint32_t *bin_start; /* band_count + 1 */
    uint32_t *bins;      /* triangles of each band, ascending */
    uint32_t bin_capacity;
} pl_raster;

enum
{
    PL_RASTER_ROWS = 32,
    PL_RASTER_DOUBT = 255, /* in covered: drawn, but the caller may know better */
    PL_RASTER_SKIP = 1,    /* in marks: not drawn */
    PL_RASTER_UNSURE = 2,  /* in marks: what it covers is in doubt */
    PL_RASTER_CHART = 4    /* of a texel: more than skirts */
};

typedef struct pl_raster_job
{
    uint32_t triangle_count;
    uint32_t skirt_first; /* triangles from here on are drawn only where others leave room */
    const uint32_t *triangles;
    const uint8_t *marks; /* by triangle, or NULL */
    bool doubtful;        /* texels that an unsure triangle or several triangles cover are in doubt */
    bool centres;         /* one sample a texel, at its centre: what a read between texels makes the most of */
    const float *uvs;     /* by vertex, 2; whole numbers are taken off, triangle by triangle */
    const pl_f4 *values;  /* by vertex */
    uint32_t width;       /* channels of out, 1..4 */
    uint16_t *out;        /* size x size by width */
    uint16_t *out_more;   /* or NULL: channels 1..3 go here, as a unit vector, and channel 0 to out (width 1) */
    uint32_t *owners;     /* or NULL: size x size, receives the last triangle drawn (of those before skirt_first) */
    pl_f4 scale, offset;  /* value * scale + offset is 0..1 */
    uint16_t empty[4];    /* texels without anything */
    const pleat_tasks *tasks;
} pl_raster_job;

/* How large a raster is. */
typedef struct pl_raster_size
{
    uint32_t size;    /* texels along a side */
    uint32_t samples; /* a texel */
    uint32_t margin;  /* texels */
    uint32_t worker_count, triangle_count;
} pl_raster_size;

pleat_result pl_raster_init(pl_raster *raster, const pl_raster_size *size, pl_arena *arena, pleat_error *error);
/* Never allocates. Triangles that lie in more bands than there is room for are drawn all the same: bands then look at
 * all triangles. */
void pl_raster_draw(pl_raster *raster, const pl_raster_job *job);
/* One texel, unscaled: between draw and spread. */
void pl_raster_put(const pl_raster_job *job, size_t texel, pl_f4 value);
void pl_raster_copy(const pl_raster_job *job, size_t from, size_t to);
/* Continues what was drawn past its borders. Texels still in doubt count as empty. */
void pl_raster_spread(pl_raster *raster, const pl_raster_job *job);
/* Texels that are drawn, and not in doubt. */
uint32_t pl_raster_drawn(const pl_raster *raster);

#endif
