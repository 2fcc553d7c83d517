/* The inside of the wrinkles layer.
 *
 * Planning runs over the clip: the engine (wrinkles/engine.c) takes each frame of the coarse cloth through stretch
 * field, tracker, shape and smoothing, and what comes out is the clip's wrinkle set; where its wrinkles pass, the mesh
 * is to be refined (wrinkles/wish.c). A frame (wrinkles.c) then only moves the vertices near the wrinkles of its set
 * and keeps them off the body. Without a clip the engine runs within the frame. */
#ifndef PL_LAYERS_WRINKLES_WRINKLES_H
#define PL_LAYERS_WRINKLES_WRINKLES_H

#include "base/memory.h"
#include "layers/wrinkles/contact/beside.h"
#include "layers/wrinkles/contact/contact.h"
#include "layers/wrinkles/shape/crumple.h"
#include "layers/wrinkles/deform/deform.h"
#include "layers/wrinkles/contact/layers.h"
#include "layers/wrinkles/shape/profile.h"
#include "layers/wrinkles/shape/shape.h"
#include "layers/wrinkles/curves/smooth.h"
#include "layers/wrinkles/curves/track.h"
#include "mesh/strain/field.h"

/* ---- Curves out of frames ---- */

typedef struct pl_wrinkle_engine
{
    pleat_strain_field *field;
    pl_wrinkle_tracker *tracker;
    pl_wrinkle_shape *shape;
    pl_wrinkle_smoother *smoother;
    uint32_t most_wrinkles, most_points; /* of a smoothed frame */
} pl_wrinkle_engine;

/* What an engine is made of. */
typedef struct pl_wrinkle_engine_desc
{
    const pleat_wrinkles_options *options;
    float radius;
    const pleat_topology *topology; /* this and rest must outlive the engine */
    const pleat_vec4 *rest;
    float frame_step; /* seconds */
} pl_wrinkle_engine_desc;

/* On failure the engine is as after destroy. */
pleat_result pl_wrinkle_engine_create(const pl_wrinkle_engine_desc *desc, const pleat_host *host,
                                      pl_wrinkle_engine *engine, pleat_error *error);
void pl_wrinkle_engine_destroy(pl_wrinkle_engine *engine); /* a zero one is fine */
/* The next frame, seconds after the one before (0: the first); NULL positions: there are no more. Gives the smoothed
 * frame that is due, or NULL. Never allocates. */
const pl_wrinkle_frame *pl_wrinkle_engine_step(pl_wrinkle_engine *engine, const pleat_vec4 *positions, float seconds,
                                               const pleat_tasks *tasks);
size_t pl_wrinkle_engine_state_size(const pl_wrinkle_engine *engine);
void pl_wrinkle_engine_save(const pl_wrinkle_engine *engine, void *state);
void pl_wrinkle_engine_restore(pl_wrinkle_engine *engine, const void *state);

/* ---- Where the mesh is to be fine ---- */

/* A spot that wrinkles pass over, at rest. */
typedef struct pl_wrinkle_spot
{
    pleat_vec4 place;
    float reach; /* nothing farther away moves */
    float edge;  /* edges within reach should be about this long */
} pl_wrinkle_spot;

typedef struct pl_wrinkle_wish
{
    const pleat_topology *topology; /* coarse */
    const pleat_vec4 *rest;
    const float *mask;
    uint32_t spot_count;
    pl_wrinkle_spot *spots;
    const uint32_t *first_spot; /* #T + 1, into triangle_spots */
    const uint32_t *triangle_spots;
    float everywhere; /* edges of about this length wherever cloth may move; 0: only at spots */
} pl_wrinkle_wish;

/* The spots of a set, in the arena. detail: edges from a crest to its foot. */
pleat_result pl_wrinkle_wish_make(const pleat_wrinkle_set *set, float radius, float detail, pl_arena *arena,
                                  pl_wrinkle_wish *wish, pleat_error *error);
bool pl_wrinkle_wish_wants(const pl_wrinkle_wish *wish, uint32_t triangle, const float barycentric[9], uint32_t level);
/* True if a wrinkle ever comes near a place of the coarse surface. */
bool pl_wrinkle_wish_covers(const pl_wrinkle_wish *wish, uint32_t triangle, const float barycentric[3]);

/* ---- Depths for the mesh at hand ---- */

typedef struct pl_wrinkles_fine
{
    pl_wrinkle_profile profile;
    float loss[PL_PROFILE_DEPTHS + 1]; /* by depth: of the length, times the square of the edges a width has */
} pl_wrinkles_fine;

void pl_wrinkles_fine_make(pl_wrinkles_fine *fine);
/* The mean edge at rest around each coarse vertex, by area: between vertices it goes on without steps. edges, and areas
 * as scratch: one each, zero before. */
void pl_wrinkles_fine_edges(const pleat_cloth *cloth, const pleat_topology *coarse, float *areas, float *edges);
/* The depth that gives a point its length on a mesh with such edges. crest: it is an edge of the mesh. */
float pl_wrinkles_fine_depth(const pl_wrinkles_fine *fine, const pleat_wrinkle_point *point, float edge, bool crest);

/* ---- The plan ---- */

typedef struct pl_wrinkles_plan
{
    pl_memory memory;
    pl_arena arena;
    pleat_wrinkles_options options;
    float size; /* what default lengths are fractions of */
    float radius;
    const pleat_topology *coarse; /* the stack's */
    const pleat_vec4 *coarse_rest;
    pl_wrinkle_wish wish;
    pl_arena focus;               /* of the wish and the lines of one frame */
    bool crests;                  /* the lines of the frame in focus are edges of the mesh */
    const pleat_wrinkle_set *set; /* own, or of the options' curves; NULL: no clip */
    pleat_wrinkle_set own;
    uint32_t most_wrinkles, most_points; /* of a frame of the set */
    /* While the set grows. */
    uint32_t *first_wrinkle;
    pleat_wrinkle *wrinkles;
    pleat_wrinkle_point *points;
    size_t wrinkle_count, wrinkle_room, point_count, point_room;
} pl_wrinkles_plan;

pleat_result pl_wrinkles_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                   const pleat_host *host, void **plan, pleat_error *error);
bool pl_wrinkles_plan_wants(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
void pl_wrinkles_plan_destroy(void *plan);
/* The wish of one time, and the crests that there are then. */
pleat_result pl_wrinkles_plan_focus(void *plan, float time, pleat_lines *lines, pleat_error *error);
/* The frame of a set (which has one) at a time, and how far the time is from it to the next. */
uint32_t pl_wrinkles_find_frame(const pleat_wrinkle_set *set, double time, float *after);

#endif
