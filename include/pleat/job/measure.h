/* pleat/job/measure.h: figures about a file, or about two of them side by side. Part of libpleat_job. */
#ifndef PLEAT_JOB_MEASURE_H
#define PLEAT_JOB_MEASURE_H

#include "pleat/job.h"
#include "pleat/measure.h"

PLEAT_BEGIN

/* One file that plays. */
typedef struct pleat_measure_file
{
    const char *path;   /* glTF, mesh, sequence, or a point cache with what lies beside it */
    const char *points; /* a point cache for a mesh file, or NULL */
} pleat_measure_file;

typedef struct pleat_measure_job
{
    pleat_measure_file before;
    pleat_measure_file after; /* path NULL (default): before alone */
    bool allow_outside;       /* default false: a .gltf reads files from its own folder alone */
    const char *clip;         /* by name, with * and ?; default NULL: the first */
    double fps;               /* default 0: what a cache says, else 30 */
    uint32_t first_frame;     /* of the clip of the first file */
    uint32_t last_frame;      /* included; default PLEAT_NONE: all that both files have */
    pleat_texts garments;     /* by name; default: what looks like cloth */
    pleat_texts bodies;       /* what the garment should stay outside of; default: all that is no garment */
    bool no_body;             /* do not look for vertices inside the body */
    bool no_crossings;        /* do not look for self-intersections */
    pleat_texts lines;        /* NAME=PLACE/PLACE..., each place x,y,z in metres, #VERTEX, or a joint */
    uint32_t meridian_count;  /* default 0: 24 where no line is asked for and the garment is a tube */
} pleat_measure_job;

pleat_measure_job pleat_measure_job_default(void);

/* A primitive that was measured; names are never NULL. */
typedef struct pleat_measured_part
{
    const char *node, *mesh, *material;
    uint32_t primitive, triangle_count;
} pleat_measured_part;

/* A named line, or a set of them of which the worst counts. */
typedef struct pleat_measured_line
{
    char name[48];
    uint32_t count;
} pleat_measured_line;

typedef struct pleat_measured_side
{
    const char *file, *clip; /* clip: "" for none */
    double start;            /* seconds of the clip's frame 0 */
    uint32_t part_count;
    const pleat_measured_part *parts;
    uint32_t vertex_count, triangle_count; /* welded, of all parts */
    uint32_t shell_count;
    const pleat_measure_shell *shells;
    const pleat_figures *rest;
    pleat_figures_total total;
    const pleat_figures *frames;          /* frame_count */
    const double *line_least, *line_mean; /* line_count by frame_count: length over rest length */
    const double *line_rest;              /* metres, of each single line: those of the first set first */
} pleat_measured_side;

typedef struct pleat_measurement
{
    uint32_t side_count; /* 1 or 2 */
    pleat_measured_side sides[2];
    double fps;
    uint32_t first_frame, frame_count; /* of the first file's clip */
    bool has_body, has_crossings;
    uint32_t line_count;
    const pleat_measured_line *lines;
} pleat_measurement;

/* Writes nothing. watch and host may be NULL. */
pleat_result pleat_measure_job_run(const pleat_measure_job *job, const pleat_job_watch *watch, const pleat_host *host,
                                   const pleat_measurement **measurement, pleat_error *error);
void pleat_measurement_destroy(const pleat_measurement *measurement); /* NULL is fine */

/* True if the garment has a volume worth a ratio. */
bool pleat_measured_volume(const pleat_measured_side *side);

PLEAT_END

#endif
