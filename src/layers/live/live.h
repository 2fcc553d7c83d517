/* What the files of the live layer share: the object, its state, and the steps of an update.
 *
 *   labels/tensor.c     how triangles are stretched                  paths/trace.c   new paths, and longer ones
 *   labels/label.c      compressed, resting, stretched; labels/flow.c       paths/relax.c   paths from frame to frame
 *   labels/ring.c       where the cloth was 1/30 s ago               paths/cross.c   paths over vertices
 *   labels/reference.c  what shape is remembered of a triangle       paths/grow.c    ends and heights
 *   paths/seed.c       where wrinkles are born                      paths/merge.c   wrinkles that run into each other
 *   shape/contour.c    across a wrinkle                             paths/line.c    paths as they are drawn
 *   shape/near.c       which triangles a line touches               shape/pack.c    buffers for a GPU
 *   live.c       creation, update, state                      layer.c, plan.c   the layer of a stack */
#ifndef PL_LAYERS_LIVE_LIVE_H
#define PL_LAYERS_LIVE_LIVE_H

#include "base/memory.h"
#include "base/parallel.h"
#include "layers/live/shape/contour.h"
#include "layers/live/labels/label.h"
#include "layers/live/labels/tensor.h"
#include "pleat/layers/wrinkles.h"
#include "pleat/mesh.h"

enum
{
    PL_LIVE_NODES = 64, /* of a path */
    PL_LIVE_RING = 12,  /* earlier positions; see labels/ring.c */
    PL_LIVE_GRAIN = 128 /* triangles of a task */
};

/* Everything in the thesis that is said "a frame" is meant at this rate (its films are of 30 frames a second). */
#define PL_LIVE_RATE 30.0f

/* ---- State ---- */

/* Where a path crosses an edge: t from the vertex of the edge's first corner (0) to the next (1). */
typedef struct pl_live_node
{
    uint32_t edge;
    float t;
} pl_live_node;

/* A wrinkle's path: where it can be (nodes), and the part of it that there is (begin to end). Between node i and i + 1
 * it lies in triangles[i]. */
typedef struct pl_live_path
{
    uint32_t id, count;
    float begin, end;        /* in pieces: 1.5 is the middle of the second */
    float lowest, uppermost; /* begin and end may not pass these: beyond, an older wrinkle is in the way */
    float height;            /* of the crest, above 0 */
    float side;              /* 1: outward, -1: inward */
    float age;               /* seconds */
    uint32_t dying;
    pl_live_node nodes[PL_LIVE_NODES];
    uint32_t triangles[PL_LIVE_NODES];
} pl_live_path;

/* The part of the state that does not depend on the number of triangles. */
typedef struct pl_live_head
{
    uint32_t vertex_count, triangle_count, most; /* that the state fits */
    uint32_t seen;                               /* a good frame */
    uint32_t cut_next;
    float width;  /* L_min */
    float detail; /* 0 .. 1 */
    float waited; /* seconds of frames that were bad, to add to the next */
    float unsown; /* seconds since seeds were sown */
    uint32_t ring_count, ring_last;
    float ring_age[PL_LIVE_RING];
    uint32_t path_count, next_id, births, deaths, crossings;
} pl_live_head;

/* ---- The object ---- */

/* What one line does to one triangle. */
typedef struct pl_live_touch
{
    uint32_t next; /* of the same triangle, or PLEAT_NONE */
    uint32_t line;
    uint32_t first, last; /* points */
} pl_live_touch;

typedef struct pl_live_ball
{
    float x, y, z, radius; /* of a line's points */
    float longest;         /* piece of it */
} pl_live_ball;

struct pleat_live
{
    pl_memory memory;
    pl_arena arena;
    pleat_live_options options;
    pleat_surface *surface;   /* NULL: vertices are those of the desc */
    pleat_topology *topology; /* #V welded vertices */
    float *mask;              /* #V or NULL */
    uint32_t render_count, most, point_capacity, touch_capacity;
    pl_live_contour contour;
    pl_live_labeller *labeller;

    /* State: one block. */
    void *state;
    size_t state_size;
    pl_live_head *head;
    pl_live_flat *reference; /* #T */
    pl_live_path *paths;
    pleat_vec4 *ring; /* PL_LIVE_RING by #V */
    uint8_t *labels;  /* #T */

    /* Of the last update. */
    pleat_vec4 *now, *before; /* #V: positions; those of 1/30 s ago */
    pleat_live_tensor *field; /* #T */
    int32_t *costs;           /* #T by 3 */
    uint32_t line_count, point_count;
    pleat_live_wrinkle *lines;
    pleat_live_point *points;
    pleat_vec4 *ways;    /* of points: the direction of their line, unit */
    pl_live_ball *balls; /* of lines */
    uint32_t *touched;   /* #T: the last touch of a triangle, or PLEAT_NONE */
    uint32_t *patches;   /* touched triangles, in the order in which they were first touched */
    pl_live_touch *touches;
    uint32_t patch_count, touch_count;
    uint32_t *stamps, stamp, *queue; /* #T, for walks over triangles; queue: as long as candidates */
    uint32_t *candidates;            /* #T, and at least three a wrinkle: scratch */
    uint8_t *packed;
    pleat_live_buffers buffers;
    pleat_live_figures figures;
};

/* ---- Steps ---- */

/* labels/ring.c: earlier positions. */
void pl_live_ring_restart(pleat_live *live);
/* dt seconds have passed: fills before from what is remembered, then remembers now. */
void pl_live_ring_push(pleat_live *live, float dt);

/* labels/reference.c: labels and remembered shapes from now and before. dt: seconds. Returns false, having changed
 * nothing but the costs, where the cloth as a whole has jumped. */
bool pl_live_observe(pleat_live *live, float dt, const pleat_tasks *tasks);
/* The first sight of the cloth. */
void pl_live_remember_all(pleat_live *live);
/* After a jump: remembered shapes grow as the whole did; and the tensors anew. */
void pl_live_rescale(pleat_live *live);
/* Tensors against what is remembered, without learning. */
void pl_live_compare(pleat_live *live, const pleat_tasks *tasks);

/* Places and paths. */
pl_f4 pl_live_node_place(const pleat_live *live, pl_live_node node);
/* Nodes in space, and lengths along the path to each (of count); returns the whole length. */
float pl_live_measure(const pleat_live *live, const pl_live_path *path, pl_f4 *at, float *arc);
/* The length along it at a number of pieces, and back. */
float pl_live_arc_at(const pl_live_path *path, const float *arc, float pieces);
float pl_live_pieces_at(const pl_live_path *path, const float *arc, float length);
/* Twice the area times the unit normal. */
pl_f4 pl_live_normal(const pleat_live *live, uint32_t triangle);
void pl_live_corners(const pleat_live *live, uint32_t triangle, pl_f4 corner[3]);
/* Cuts nodes off the front and the end of a path. */
void pl_live_drop(pl_live_path *path, uint32_t front, uint32_t back);
/* True where wrinkles may be at all. */
bool pl_live_open(const pleat_live *live, uint32_t triangle);

/* paths/trace.c */
/* A path through a place, both ways; count is 0 where none comes about. */
void pl_live_trace(const pleat_live *live, const pleat_place *seed, pl_live_path *path);
/* Adds the next triangle at the end (or the front) if there is one to run on in. */
bool pl_live_extend(const pleat_live *live, pl_live_path *path, bool front);

/* paths/relax.c: follows the field, keeping place and shape. */
void pl_live_relax(pleat_live *live, pl_live_path *path, float dt);
/* paths/cross.c: brings nodes back that left their edge, around the vertex that they passed. Returns how many vertices
 * were crossed. */
uint32_t pl_live_cross(const pleat_live *live, pl_live_path *path);
/* paths/grow.c: moves ends and height towards what the field asks for. Returns false when nothing is left of it. */
bool pl_live_grow(pleat_live *live, pl_live_path *path, float dt);
/* Begin and end as the field asks for them. */
void pl_live_extent(const pleat_live *live, const pl_live_path *path, float *begin, float *end);

/* paths/line.c: paths as drawn, all of them or one more. */
void pl_live_draw_all(pleat_live *live);
void pl_live_draw(pleat_live *live, const pl_live_path *path);
/* One line by its places. */
void pl_live_show_line(pleat_live *live, uint32_t id, uint32_t count, const pleat_wrinkle_point *points);
/* Whether a place is within a radius of a line, and of the ball around it. Layers that lie back to back do not see each
 * other: normals (of any length) must agree. */
bool pl_live_ball_is_near(const pleat_live *live, uint32_t line, pl_f4 place, float radius);
bool pl_live_line_is_near(const pleat_live *live, uint32_t line, pl_f4 place, pl_f4 normal, float radius);

/* paths/merge.c: limits a wrinkle where it runs along or across an older one; lines must be drawn up to its own. */
void pl_live_limit(pleat_live *live, uint32_t path);
/* paths/seed.c */
void pl_live_sow(pleat_live *live);

/* Shows wrinkles of another frame on these positions in the place of own ones: what heights are asked of from then on.
 * The state does not change. */
void pl_live_show(pleat_live *live, const pleat_vec3 *positions, uint32_t wrinkle_count, const pleat_wrinkle *wrinkles,
                  const pleat_wrinkle_point *points);

/* live.c */
pleat_result pl_live_check_options(const pleat_live_options *options, pleat_error *error);

/* shape/near.c, shape/pack.c */
void pl_live_touch_all(pleat_live *live);
void pl_live_pack(pleat_live *live);

/* shape/displace.c: see pleat_live_height; p: the place in space. */
float pl_live_height_of(const pleat_live *live, uint32_t triangle, pl_f4 p, pl_f4 *slope);

#endif
