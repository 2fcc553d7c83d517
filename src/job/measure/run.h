/* A measurement as a whole: one file or two over a clip, for the command and for whoever wants the same figures. */
#ifndef APP_MEASURE_RUN_H
#define APP_MEASURE_RUN_H

#include "job/measure/side.h"

typedef struct measure_options
{
    const char *paths[2];  /* before, after; the second may be NULL */
    const char *points[2]; /* a point cache for a mesh file, or NULL */
    const char *clip;      /* pattern or NULL */
    double fps;            /* 0: what a cache says, else 30 */
    bool frames_given;
    uint32_t first_frame, last_frame; /* of the clip of the first file */
    const char *const *garments;      /* patterns, NULL at the end; none: the guess */
    const char *const *bodies;        /* patterns, NULL at the end; none: what is not garment */
    bool no_body;
    bool no_crossings;
    const char *const *lines; /* NAME=PLACE/PLACE..., NULL at the end */
    uint32_t meridian_count;  /* 0: 24 where nothing else is asked and the garment is a tube */
} measure_options;

/* A named line, or a set of them of which the worst counts. */
typedef struct measured_line
{
    char name[48];
    uint32_t first, count;
} measured_line;

typedef struct measured_side
{
    measure_side file;
    uint32_t garment_count;
    uint32_t *garments; /* parts */
    side_mesh garment, body;
    bool own_body; /* else the first file's, or none */
    pleat_measure *measure;
    pleat_figures_total total;
    pleat_figures *frames;          /* frame_count */
    double *line_least, *line_mean; /* line_count by frame_count: length over rest length */
} measured_side;

typedef struct measurement
{
    uint32_t side_count;
    measured_side sides[2];
    double fps;
    uint32_t first_frame, frame_count; /* of the first file's clip */
    bool has_body, has_crossings;
    measured_line *lines;
    uint32_t line_count;
} measurement;

/* Returns an exit status, having said what is wrong. Free in any case. */
int measure_run(app_session *session, const measure_options *options, measurement *result);
void measure_free(measurement *result);

/* In measure_lines.c: adds the lines that the options ask for to all sides, and lists them. */
int measure_add_lines(app_session *session, const measure_options *options, measurement *result);
/* In measure_report.c: the table on stdout; everything as JSON. */
void measure_print(const measurement *result);
json_t *measure_json(const app_session *session, const measurement *result);
/* In measure_plot.c: curves over frames as .svg or .png, by the ending. Returns an exit status. */
int measure_plot(app_session *session, const measurement *result, const char *path);

/* True if the garment has a volume worth a ratio. */
bool measure_has_volume(const measured_side *side);
/* "arm.glb" of "out/arm.glb". */
const char *measure_file_name(const char *path);

#endif
