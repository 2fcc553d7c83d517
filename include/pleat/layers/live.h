/* pleat/layers/live.h: wrinkles in real time, on cloth with no rest shape.
 *
 * From the motion of triangles alone this finds where cloth is pushed together, keeps wrinkles there as paths that last
 * from frame to frame, and gives a renderer what it needs to draw them. No skeleton, no rest pose, no texture
 * coordinates: an engine creates one object for a garment, updates it each frame and uploads three small buffers.
 *
 * R. Gillette, "Augmentation of Coarse Meshes with Wrinkles", University of British Columbia, 2015. See docs/live.md.
 */
#ifndef PLEAT_LAYERS_LIVE_H
#define PLEAT_LAYERS_LIVE_H

#include "pleat/layer.h"

PLEAT_BEGIN

/* ---- Options ----------------------------------------------------------------------------------------------------- */

typedef enum pleat_live_side
{
    PLEAT_LIVE_OUTWARD,
    PLEAT_LIVE_INWARD,
    PLEAT_LIVE_BOTH /* by the shape where a wrinkle is born: inward in hollows, outward elsewhere */
} pleat_live_side;

/* tau and width are the two that make a fabric; the others are set once. Lengths are in the unit of the positions. */
typedef struct pleat_live_options
{
    float tau;      /* wrinkles live where cloth is this many times shorter than it was: 1.01 .. 4, default 1.3 */
    float width;    /* of a wrinkle pushed together as far as it goes (L_min); default 0: 0.5 % of the cloth's size */
    float arc;      /* cloth in a wrinkle (L_max), in widths: 1.1 .. 8, default pi */
    float cap;      /* compression above this counts as this: 1.05 .. 3, default 1.7. Keeps blobs out of crotches */
    float strength; /* share of the lost length that comes back: 0 .. 1, default 1 */
    float spacing;  /* from a new wrinkle to the next one, in arcs: 0.2 .. 20, default 1.5 */
    float shortest; /* wrinkle there is, in widths: 1 .. 100, default 4 */
    float tension;  /* how much of stretch counts as compression across it (drag lines): 0 .. 1, default 0 */
    uint32_t side;  /* a pleat_live_side, default outward */
    bool each_way;  /* default false; true: each direction of a triangle remembers its longest by itself. Hangs less
                       on the first frame, but makes more wrinkles */
    float detail;   /* for the layer: mesh edges from the crest of a wrinkle to its foot, 1 .. 16, default 3 */
    uint32_t most;  /* wrinkles at once: 1 .. 4096, default 0: by the number of triangles, 24 .. 256 */
} pleat_live_options;

pleat_live_options pleat_live_options_default(void);

/* ---- One garment --------------------------------------------------------------------------------------------------
 */

typedef struct pleat_live_desc
{
    uint32_t vertex_count;     /* #V */
    uint32_t triangle_count;   /* #T */
    const uint32_t *triangles; /* #T by 3, turning left as seen from outside; any: borders, several parts, edges of
                                  three triangles, triangles without area */
    const pleat_vec3 *weld;    /* #V or NULL (default): vertices that agree here (such as in the bind pose) are one.
                                  Without it a seam of split vertices is a border, where wrinkles end */
    const float *mask;         /* #V or NULL (default): 0 no wrinkles here (a face), 1 free; in between: lower */
    pleat_live_options options;
} pleat_live_desc;

pleat_live_desc pleat_live_desc_default(void);

typedef struct pleat_live pleat_live;

/* What is pointed to is copied. All memory that there will ever be is taken here: under 2 kB a triangle from 100
 * triangles on. host may be NULL. */
pleat_result pleat_live_create(const pleat_live_desc *desc, const pleat_host *host, pleat_live **live,
                               pleat_error *error);
void pleat_live_destroy(pleat_live *live); /* NULL is fine */

/* What an update came to. */
typedef enum pleat_live_event
{
    PLEAT_LIVE_MOVED, /* a frame like any other */
    PLEAT_LIVE_STILL, /* dt is not above 0 (a pause, a rewind): wrinkles are where they were on the cloth */
    PLEAT_LIVE_CUT,   /* over a quarter of a second, or a jump: nothing is learned from it, no wrinkle is born */
    PLEAT_LIVE_BAD    /* a position or dt is not finite, or a position over 1e9: nothing at all has changed */
} pleat_live_event;

/* One frame: positions (#V, any space that the cloth's shape survives in: world or character) and the seconds since the
 * update before. The first one is the shape from which compression counts. Never allocates; different objects may be
 * updated at once, on any threads; tasks may be NULL, and results do not depend on them. */
pleat_live_event pleat_live_update(pleat_live *live, const pleat_vec3 *positions, float dt, const pleat_tasks *tasks);

/* How much there is to see, for levels of detail: 1 (after creation) all, below it lower wrinkles and fewer new ones, 0
 * none. They come and go as slowly as ever, so nothing pops. Where none is left at 0 an update does nothing at all and
 * returns PLEAT_LIVE_STILL; the first one after that is a cut. */
void pleat_live_set_detail(pleat_live *live, float detail);

/* The next update is a cut, whatever it looks like: after a change of clothes, of level of detail, of pose. */
void pleat_live_cut(pleat_live *live);
/* As after creation. */
void pleat_live_reset(pleat_live *live);

/* ---- What there is to draw ----------------------------------------------------------------------------------------
 */

/* A point of a wrinkle's crest. */
typedef struct pleat_live_point
{
    pleat_place place;   /* on the triangles of the desc */
    pleat_vec3 position; /* of the place in the last update */
    float height;        /* of the crest over the cloth; below 0: inward; 0 at both ends */
    float width;         /* from foot to foot */
} pleat_live_point;

typedef struct pleat_live_wrinkle
{
    uint32_t id; /* lasts from birth to death, and is not given again before 2^32 births */
    uint32_t first_point, point_count;
    float age;    /* seconds */
    float height; /* of the highest point, without a sign */
} pleat_live_wrinkle;

/* The wrinkles of the last update, oldest first; valid until the next. Returns how many. */
uint32_t pleat_live_wrinkles(const pleat_live *live, const pleat_live_wrinkle **wrinkles,
                             const pleat_live_point **points);

/* Three buffers for a GPU, little-endian, at most 30 kB together (wrinkles that do not fit are left out, the lowest
 * first). A patch is a triangle that some wrinkle touches, a span is what one wrinkle does to it.
 *   patches: 8 bytes each: uint32 triangle; uint16 first span; uint16 number of spans
 *   spans:   4 bytes each: uint16 first point; uint16 last point, of pieces that pass near the triangle
 *   points: 16 bytes each: float x, y, z, in the space of the positions; half height; half width, see pleat_live_point
 * Points of one wrinkle follow each other. Where one wrinkle ends and the next begins the height is 0. */
typedef struct pleat_live_buffers
{
    uint32_t patch_count, span_count, point_count;
    const void *patches, *spans, *points;
} pleat_live_buffers;

enum
{
    PLEAT_LIVE_PATCH_BYTES = 8,
    PLEAT_LIVE_SPAN_BYTES = 4,
    PLEAT_LIVE_POINT_BYTES = 16,
    PLEAT_LIVE_UPLOAD_BYTES = 30000
};

/* Valid until the next update. */
pleat_live_buffers pleat_live_packed(const pleat_live *live);

/* What wrinkles do at a place: how far the cloth stands out along its normal, and, if not NULL, the change of that from
 * place to place in space (slope, in the triangle's plane). This is what a GPU computes from the buffers. Never
 * allocates; safe from many threads at once between updates. */
float pleat_live_height(const pleat_live *live, const pleat_place *place, pleat_vec3 *slope);

/* The normal of that surface, from the cloth's own (unit, smooth) at the place: those of all wrinkles that reach it in
 * the mean by their heights, so that they run into each other without an edge. As above. */
pleat_vec3 pleat_live_normal(const pleat_live *live, const pleat_place *place, pleat_vec3 normal);

/* The contour across a wrinkle, from its height: the length of cloth in it over its width. slope: 4 height / width,
 * the steepest. */
float pleat_live_contour_arc(float slope);
/* And the height over the width that gives so many widths of cloth, 1 .. pi. */
float pleat_live_contour_height(float arc);

/* ---- What it knows ------------------------------------------------------------------------------------------------
 */

typedef enum pleat_live_label
{
    PLEAT_LIVE_COMPRESSED,
    PLEAT_LIVE_RESTING,
    PLEAT_LIVE_STRETCHED
} pleat_live_label;

/* A triangle's compression against the shape that is remembered of it. */
typedef struct pleat_live_tensor
{
    pleat_vec3 along;  /* unit, in its plane: wrinkles run this way; 0 in a triangle without area */
    float compression; /* across it: remembered length over length now, at least 1; 0 in a triangle without area */
    float narrow;      /* smallest stretch over largest: 1 has no direction */
} pleat_live_tensor;

/* Of the last update, #T each. Labels are of pleat_live_label. */
const uint8_t *pleat_live_labels(const pleat_live *live);
const pleat_live_tensor *pleat_live_tensors(const pleat_live *live);

typedef struct pleat_live_figures
{
    uint32_t wrinkles, points;
    uint32_t births, deaths;        /* since creation */
    uint32_t compressed, stretched; /* triangles, by their labels */
    uint32_t cut;                   /* triangles whose label was left to the minimum cut */
    uint32_t left_out;              /* wrinkles that the buffers have no room for */
    uint32_t crossings;             /* of vertices by paths, since creation */
    float highest;                  /* wrinkle */
    float width;                    /* L_min as it is used */
} pleat_live_figures;

pleat_live_figures pleat_live_last(const pleat_live *live);

/* State: all that is carried from frame to frame. Restoring into an object made from an equal desc goes on bit for bit;
 * saved states compare equal by their bytes. A state of another desc is an error. */
size_t pleat_live_state_size(const pleat_live *live);
void pleat_live_state_save(const pleat_live *live, void *state);
pleat_result pleat_live_state_restore(pleat_live *live, const void *state, pleat_error *error);

/* ---- The layer ----------------------------------------------------------------------------------------------------
 */

/* For a stack; its options are a pleat_live_options. With a clip the wrinkles of all frames are found while planning, a
 * frame depends on its time alone, and cloth is refined where wrinkles come to lie; without one they are found frame by
 * frame, which is the layer's state. Figures of a frame: wrinkles, points, moved (vertices), highest (metres). */
extern const pleat_layer_type pleat_live_layer;

PLEAT_END

#endif
