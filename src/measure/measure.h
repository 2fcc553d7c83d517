/* The parts of a measure, one file each. All figures are sums in the order of triangles or vertices. */
#ifndef PL_MEASURE_MEASURE_H
#define PL_MEASURE_MEASURE_H

#include "base/memory.h"
#include "pleat/measure.h"
#include "pleat/strain.h"

/* ---- measure/spread.c: a histogram of weighted values ---- */

typedef struct pl_histogram
{
    double *weights; /* of each step */
    double total;
    float least, most;
} pl_histogram;

pleat_result pl_histogram_init(pl_histogram *histogram, pl_arena *arena, pleat_error *error);
void pl_histogram_clear(pl_histogram *histogram);
void pl_histogram_add(pl_histogram *histogram, float value, double weight);
/* All ones where nothing was added. */
pleat_spread pl_histogram_spread(const pl_histogram *histogram);

/* ---- measure/stretch.c: principal stretches and what is compressed ---- */

typedef struct pl_stretch_sums
{
    pl_histogram smallest, largest;
    double area, compressed_area, squares; /* rest areas; of max(0, 1 - smallest)^2 */
    uint64_t count, compressed_count;      /* triangles */
} pl_stretch_sums;

typedef struct pl_stretch_part
{
    pleat_strain *strain;
    uint32_t triangle_count;
    float compressed_below;
    pleat_stretch *stretches;
    pl_stretch_sums frame, all;
} pl_stretch_part;

pleat_result pl_stretch_part_create(pl_stretch_part *part, const pleat_measure_desc *desc, pl_arena *arena,
                                    const pleat_host *host, pleat_error *error);
void pl_stretch_part_destroy(pl_stretch_part *part);
/* all: also adds to the sums over all frames. */
void pl_stretch_part_update(pl_stretch_part *part, const pleat_vec4 *positions, const pleat_tasks *tasks, bool all);
void pl_stretch_sums_figures(const pl_stretch_sums *sums, pleat_figures *figures);

/* ---- measure/volume.c: area and volume by shells ---- */

typedef struct pl_border
{
    uint32_t shell;
    uint32_t first, count; /* of border_corners */
} pl_border;

typedef struct pl_volume_part
{
    const pleat_topology *topology;
    uint32_t shell_count;
    pleat_measure_shell *shells;
    uint32_t *triangle_shell; /* #T */
    uint32_t *shell_vertex;   /* shell_count: the origin of its tetrahedra */
    double *shell_sign;
    uint32_t border_count;
    pl_border *borders;
    uint32_t *border_corners; /* each owns an edge of its border, in the order of the triangles' turn */
} pl_volume_part;

pleat_result pl_volume_part_create(pl_volume_part *part, const pleat_topology *topology, const pleat_vec4 *rest,
                                   pl_arena *arena, pleat_error *error);
void pl_volume_part_update(pl_volume_part *part, const pleat_vec4 *positions, pleat_figures *figures);
/* The centre of a border in space: the mean of its edges' middles by length. length may be NULL. */
void pl_border_centre(const pl_volume_part *part, uint32_t border, const pleat_vec4 *positions, double centre[3],
                      double *length);

/* ---- measure/cut.c: the cut of a surface by a plane ---- */

typedef struct pl_cut
{
    const pleat_topology *topology;
    const pleat_vec4 *positions;
    double normal[3], offset; /* the plane: normal . p = offset; a vertex on it counts as above */
} pl_cut;

/* True if the edge that the corner owns goes from one side to the other. */
bool pl_cut_crosses(const pl_cut *cut, uint32_t corner);
pleat_place pl_cut_place(const pl_cut *cut, uint32_t corner);
/* Follows the cut from the edge of `corner` through its triangle and on: the place on each edge that it leaves by,
 * until a border, or the first triangle again. Room for triangle_count places is enough; returns their number. */
uint32_t pl_cut_follow(const pl_cut *cut, uint32_t corner, pleat_place *places);

/* ---- measure/line.c: lines and their lengths ---- */

typedef struct pl_line
{
    uint32_t place_count;
    pleat_place *places;
    double rest, length;
} pl_line;

void pl_point_at(const uint32_t *triangles, const pleat_vec4 *positions, const pleat_place *place, double out[3]);
double pl_line_length(const pl_line *line, const uint32_t *triangles, const pleat_vec4 *positions);

/* ---- measure/inside.c: vertices inside a body ---- */

typedef struct pl_inside_part
{
    pleat_topology *topology; /* of the body; NULL: no body */
    pleat_bvh *bvh;
    float tolerance;
    float *depths; /* the surface's #V */
    double *areas; /* the surface's #V: a third of the rest area around */
    double area;   /* their sum */
} pl_inside_part;

/* triangle_areas: the surface's #T at rest. */
pleat_result pl_inside_part_create(pl_inside_part *part, const pleat_measure_desc *desc, const float *triangle_areas,
                                   pl_arena *arena, const pleat_host *host, pleat_error *error);
void pl_inside_part_destroy(pl_inside_part *part);
/* surface: whose vertices are asked; isolated ones are not. */
void pl_inside_part_update(pl_inside_part *part, const pleat_topology *surface, const pleat_measure_input *input,
                           pleat_figures *figures);

/* ---- measure/jump.c: motion and popping ---- */

typedef struct pl_jump_part
{
    const pleat_topology *surface;
    uint32_t reference_count; /* vertices; 0: no reference */
    uint32_t *triangles;      /* the reference's */
    pleat_normals *normals;
    pleat_vec4 *normal_of; /* the reference's vertices */
    pleat_place *places;   /* the surface's #V */
    uint8_t *edge;         /* #V: corner whose edge gives the axis */
    pleat_vec4 *before;    /* #V: positions in the frame before */
    /* In the world's axes and in the reference's. */
    pleat_vec4 *offset[2]; /* #V: from the place on the reference, in the frame before */
    pleat_vec4 *step[2];   /* #V: change of offset into the frame before */
    pleat_vec4 *found;     /* #V: lengths of this frame: motion, jump, pop */
    uint32_t frame_count;
} pl_jump_part;

pleat_result pl_jump_part_create(pl_jump_part *part, const pleat_measure_desc *desc, const pleat_topology *surface,
                                 pl_arena *arena, const pleat_host *host, pleat_error *error);
void pl_jump_part_destroy(pl_jump_part *part);
void pl_jump_part_update(pl_jump_part *part, const pleat_measure_input *input, pleat_figures *figures);

/* ---- The whole ---- */

struct pleat_measure
{
    pl_memory memory;
    pl_arena arena;
    pleat_host host;
    pleat_topology *topology;
    pleat_vec4 *rest;
    pleat_bvh *bvh;     /* at rest until the first frame */
    bool has_crossings; /* wanted */
    uint8_t *crosses;   /* #T */
    pl_stretch_part stretch;
    pl_volume_part volume;
    pl_inside_part inside;
    pl_jump_part jump;
    uint32_t line_count, line_capacity;
    pl_line *lines;
    pleat_figures rest_figures;
    pleat_figures_total total;
};

#endif
