/* pleat/wrinkles.h: fine wrinkles on coarse cloth, placed by its stretch against the rest shape.
 *
 * D. Rohmer, T. Popa, M.-P. Cani, S. Hahmann, A. Sheffer, "Animation Wrinkling", 2010. See docs/wrinkles.md. */
#ifndef PLEAT_WRINKLES_H
#define PLEAT_WRINKLES_H

#include "pleat/layer.h"
#include "pleat/look.h"

PLEAT_BEGIN

/* ---- Wrinkles as curves ------------------------------------------------------------------------------------------ */

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

/* ---- The layer ------------------------------------------------------------------------------------------------------
 */

/* What cloth lies on: triangles that move. */
typedef struct pleat_body
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t *triangles; /* #T by 3, turning left as seen from outside */
    /* #V positions at a time of the clip (of several: of the row they make, see pleat_layer_frame), world space, valid
     * until the next call. Never allocates. */
    const pleat_vec4 *(*at)(void *user, float time);
    void *user;
} pleat_body;

/* The other meshes of a character: cloth over or under this one, and skins. */
typedef struct pleat_neighbours
{
    pleat_body body;
    const uint32_t *nodes; /* #T -> node of the model; each cloth leaves out its own */
    const bool *sheets;    /* #T: cloth, which nothing crosses from either side; else a skin: not from outside */
} pleat_neighbours;

typedef enum pleat_fabric
{
    PLEAT_FABRIC_SILK,
    PLEAT_FABRIC_COTTON,
    PLEAT_FABRIC_LEATHER
} pleat_fabric;

typedef enum pleat_wrinkle_side
{
    PLEAT_WRINKLE_OUTWARD,
    PLEAT_WRINKLE_INWARD,
    PLEAT_WRINKLE_BOTH /* neighbours to different sides; a wrinkle keeps its side as long as it lives */
} pleat_wrinkle_side;

typedef struct pleat_wrinkles_options
{
    float radius;    /* the smallest radius of curvature, metres: the one control; default 0: the fabric's */
    uint32_t fabric; /* a pleat_fabric, default cotton: 4, 8 or 16 thousandths of the character's height */
    uint32_t side;   /* a pleat_wrinkle_side, default outward */
    float threshold; /* 0 .. 0.9, default 0.1: cloth that lost a smaller share of its length has no wrinkles */
    float strength;  /* 0 .. 1, default 1: the share of the lost length that comes back */
    float smoothing; /* seconds, 0 .. 2, default 0.1: half of the window over which curves are smoothed in time */
    bool tension;    /* default false: wrinkles also along the largest stretch of stretched cloth */
    bool even;       /* default true: cloth also moves across a wrinkle, until its length is spread evenly */
    float detail;    /* mesh edges from the crest of a wrinkle to its foot, 1 .. 16, default 4 */
    float gap;       /* from the body, metres; default 0: half a thousandth of the character's height */
    const pleat_wrinkle_list *curves;   /* default NULL: traced. Must outlive the layer */
    const pleat_body *body;             /* default NULL: none. Must outlive the layer */
    const pleat_neighbours *neighbours; /* default NULL: none. Must outlive the layer */
} pleat_wrinkles_options;

pleat_wrinkles_options pleat_wrinkles_options_default(void);

/* For look files: the table of a pleat_wrinkles_options, its length through count. */
const pleat_parameter *pleat_wrinkles_parameters(uint32_t *count);

/* The layer; its options are a pleat_wrinkles_options. With a clip, curves are traced while planning, and a frame
 * depends on its time alone; between frames of the clip the results of both neighbours are blended. Without a clip
 * they are traced frame by frame, smoothed with a delay, and that is the layer's state. Figures of a frame: wrinkles,
 * points, moved (vertices), highest (metres), steps (of Newton, the mean), most_steps, left_out, stopped (vertices, by
 * the body or by neighbours). */
extern const pleat_layer_type pleat_wrinkles_layer;

/* Of a layer that was bound: the wrinkles of the clip as they came out, valid as long as the layer; NULL without a
 * clip.
 */
const pleat_wrinkle_set *pleat_wrinkles_set(const void *layer);
/* Those of the last update; wrinkles' first_point goes into *points. Returns how many. */
uint32_t pleat_wrinkles_last(const void *layer, const pleat_wrinkle **wrinkles, const pleat_wrinkle_point **points);

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
