/* pleat/curves.h: curves on cloth that live from frame to frame, as crests of wrinkles do. A layer can take them, and
 * give them besides positions. */
#ifndef PLEAT_CURVES_H
#define PLEAT_CURVES_H

#include "pleat/mesh.h"

PLEAT_BEGIN

/* A point of a wrinkle's crest. */
typedef struct pleat_wrinkle_point
{
    pleat_place place; /* on the surface that was traced: the cloth as it came */
    float width;       /* from the crest to the foot, metres */
    float depth;       /* how far the crest stands out along the normal, metres; below 0: inward */
    float strength;    /* the share of length that the cloth lost across the wrinkle here: 1 - smallest stretch */
} pleat_wrinkle_point;

/* A wrinkle in one frame. */
typedef struct pleat_wrinkle
{
    uint32_t id; /* lasts from its birth to its death, and is never given again */
    uint32_t first_point, point_count;
    uint32_t seed; /* of its points, the one that it is held by from frame to frame */
} pleat_wrinkle;

/* The wrinkles of a clip. Born and dead are the first and the last frame that hold an id. */
typedef struct pleat_wrinkle_set
{
    float start, step; /* seconds of the first frame, and between frames */
    uint32_t frame_count;
    const uint32_t *first_wrinkle; /* frame_count + 1, into wrinkles; in a frame, by id */
    const pleat_wrinkle *wrinkles;
    const pleat_wrinkle_point *points;
} pleat_wrinkle_set;

/* Fails for a set that does not fit a surface of so many triangles, naming frame, wrinkle and what is wrong: places off
 * the surface, wrinkles of fewer than two points, ids that do not grow within a frame, widths that are not above 0. */
pleat_result pleat_wrinkle_set_check(const pleat_wrinkle_set *set, uint32_t triangle_count, pleat_error *error);

/* The first and the last frame that hold an id; false if there is none. */
bool pleat_wrinkle_set_life(const pleat_wrinkle_set *set, uint32_t id, uint32_t *born, uint32_t *dead);

/* The wrinkles of one node's mesh. */
typedef struct pleat_wrinkle_surface
{
    const char *name;        /* of the node, for the reader */
    uint32_t node;           /* in the model */
    uint32_t vertex_count;   /* of the welded surface that places are on: as a stack of level 0 without layers has it */
    uint32_t triangle_count; /* of the mesh */
    pleat_wrinkle_set set;
} pleat_wrinkle_surface;

typedef struct pleat_wrinkle_list
{
    uint32_t surface_count;
    const pleat_wrinkle_surface *surfaces;
} pleat_wrinkle_list;

/* ---- Tracing ------------------------------------------------------------------------------------------------------
 */

/* Lines along which cloth would wrinkle, followed from frame to frame: what the wrinkles layer begins with, for those
 * who want to see them. */
typedef struct pleat_curve_tracer pleat_curve_tracer;
/* topology and rest (#V) must outlive it. radius: the smallest radius of curvature of the cloth, metres. host may be
 * NULL. */
pleat_result pleat_curve_tracer_create(const pleat_topology *topology, const pleat_vec4 *rest, float radius,
                                       const pleat_host *host, pleat_curve_tracer **tracer, pleat_error *error);
void pleat_curve_tracer_destroy(pleat_curve_tracer *tracer); /* NULL is fine */
/* The most curves and points that a frame has. */
void pleat_curve_tracer_limits(const pleat_curve_tracer *tracer, uint32_t *most_curves, uint32_t *most_points);
/* The curves of a frame, step seconds after the one before (0: by itself), whose first_point goes into *points; widths
 * and depths are not known. Valid until the next step. Never allocates. Returns how many. */
uint32_t pleat_curve_tracer_step(pleat_curve_tracer *tracer, const pleat_vec4 *positions, float step,
                                 const pleat_tasks *tasks, const pleat_wrinkle **curves,
                                 const pleat_wrinkle_point **points);

/* ---- Wrinkle files: part of libpleat_io ---------------------------------------------------------------------------
 */

/* A text that can be read and edited by hand, see docs/wrinkles.md; reading gives back the same bits. */
typedef struct pleat_wrinkle_file pleat_wrinkle_file;
pleat_result pleat_wrinkle_file_read(const char *path, const pleat_host *host, pleat_wrinkle_file **file,
                                     pleat_error *error);
/* The same for bytes in memory; name stands for the path in messages. */
pleat_result pleat_wrinkle_file_parse(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                      pleat_wrinkle_file **file, pleat_error *error);
void pleat_wrinkle_file_destroy(pleat_wrinkle_file *file); /* NULL is fine */
const pleat_wrinkle_list *pleat_wrinkle_file_list(const pleat_wrinkle_file *file);
struct pleat_outputs;
/* outputs may be NULL; host may be NULL. */
pleat_result pleat_wrinkle_file_write(const char *path, const pleat_wrinkle_list *list, struct pleat_outputs *outputs,
                                      const pleat_host *host, pleat_error *error);

PLEAT_END

#endif
