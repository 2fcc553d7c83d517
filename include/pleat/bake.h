/* pleat/bake.h: a stack run over a clip or several, with one topology for all frames, or one for each.
 *
 * A bake chooses nodes of a model, binds a stack to each and gives their frames one after the other. It does no file
 * access: what to do with a frame is the caller's. */
#ifndef PLEAT_BAKE_H
#define PLEAT_BAKE_H

#include "pleat/stack.h"

PLEAT_BEGIN

typedef struct pleat_bake_desc
{
    const pleat_model *model; /* must outlive the bake */
    uint32_t node_count;      /* chosen nodes with a mesh, or 0: all of the scene, in scene order */
    const uint32_t *nodes;
    uint32_t clip;         /* index, or PLEAT_NONE: one frame of the rest pose; default 0 (NONE without clips) */
    uint32_t clip_count;   /* default 0: clip alone; else these, one after the other, each whole: layers plan for all of
                              them together, and each begins as if nothing had been before it */
    const uint32_t *clips; /* clip_count indices, in place of clip, first_frame and last_frame */
    float fps;             /* default 30 */
    uint32_t first_frame;  /* frame i lies at clip start + i / fps; default 0 */
    uint32_t last_frame;   /* inclusive; default PLEAT_NONE: the clip's last */
    pleat_skinning skinning;
    pleat_layer_desc skin_layer; /* of the skinning method, as in a stack; default none */
    pleat_refine refine;         /* default PLEAT_REFINE_BY_LAYER */
    uint32_t level;              /* of PLEAT_REFINE_LOOP: uniform, for nodes with a layer, default 0 */
    uint64_t max_triangles; /* of PLEAT_REFINE_KEEP: of all chosen nodes together. What nodes without a layer do not
                               need goes to those with one, by their triangles. Default 0: by triangle_times */
    float triangle_times;   /* the same as so many times the input's; default PLEAT_TRIANGLES_TIMES */
    uint32_t layer_count;
    const pleat_layer_desc *layers;
    const bool *garment; /* per primitive of the chosen nodes, one after the other: layers act here; NULL: all */
    const float *mask;   /* per vertex of the chosen nodes' meshes, one after the other, 0..1: how much; NULL: 1 */
    bool recentre; /* default false; true: what is far from the origin of the world is computed near it, so that no
                      precision is lost: stacks and the pose are relative to a point of each frame, and
                      pleat_bake_copy gives world positions. For layers that know no bodies and keep no state */
    bool frame_topology; /* default false; true: each frame has a mesh of its own, see pleat_stack_focus. The layers'
                            options must then outlive the bake; nothing can be replayed or fitted */
} pleat_bake_desc;

pleat_bake_desc pleat_bake_desc_default(const pleat_model *model);

/* One primitive of one chosen node: ranges of the bake's vertices and triangles. */
typedef struct pleat_bake_part
{
    uint32_t node, mesh, primitive;
    uint32_t material; /* or PLEAT_NONE */
    uint32_t first_vertex, vertex_count;
    uint32_t first_triangle, triangle_count;
    bool garment;
} pleat_bake_part;

/* What stays the same over all frames (with frame_topology: until the next one): the render vertices of the chosen
 * nodes, primitives in file order. */
typedef struct pleat_bake_shape
{
    uint32_t part_count;
    const pleat_bake_part *parts;
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t *triangles; /* #T by 3 */
    const pleat_vec3 *rest;    /* #V: the bind pose in the world's size */
    const float *uvs;          /* #V by 2, or NULL if no part has any */
    uint32_t frame_count;      /* of all shots */
    float start;               /* seconds of the first frame */
    float fps;
    uint32_t shot_count; /* clips; 0 for the rest pose */
    const pleat_shot *shots;
} pleat_bake_shape;

typedef struct pleat_bake pleat_bake;

pleat_result pleat_bake_create(const pleat_bake_desc *desc, const pleat_host *host, pleat_bake **bake,
                               pleat_error *error);
void pleat_bake_destroy(pleat_bake *bake);
const pleat_bake_shape *pleat_bake_get_shape(const pleat_bake *bake);

/* Computes a frame, 0 .. frame_count - 1. Layers that carry state need the frames in order: after a jump their state is
 * that of a first frame. Fails only where a clip's points cannot be read. */
pleat_result pleat_bake_frame(pleat_bake *bake, uint32_t frame, pleat_error *error);
/* Seconds of a frame, in its clip. */
float pleat_bake_time(const pleat_bake *bake, uint32_t frame);
/* The frame last computed, world space; either may be NULL. #V. Normals are the same wherever the origin is. */
void pleat_bake_copy(const pleat_bake *bake, pleat_vec3 *positions, pleat_vec3 *normals);

/* A frame kept for later: the surfaces of all stacks, one after the other, copied out after pleat_bake_frame. Replay
 * puts the bake where it was then, bit for bit, without running a layer; what layers carry from frame to frame is
 * restored below. */
size_t pleat_bake_surface_count(const pleat_bake *bake);
void pleat_bake_copy_surface(const pleat_bake *bake, pleat_vec4 *surface);
pleat_result pleat_bake_replay(pleat_bake *bake, uint32_t frame, const pleat_vec4 *surface, pleat_error *error);

/* The stacks, one per chosen node, for what goes beyond positions. */
uint32_t pleat_bake_stack_count(const pleat_bake *bake);
pleat_stack *pleat_bake_stack(const pleat_bake *bake, uint32_t index);
uint32_t pleat_bake_stack_node(const pleat_bake *bake, uint32_t index);
/* The pose of the frame last computed. */
const pleat_pose *pleat_bake_pose(const pleat_bake *bake);

/* The layers' state over all stacks, as in pleat_stack; frame: the one that the state was saved after. */
size_t pleat_bake_state_size(const pleat_bake *bake);
void pleat_bake_state_save(const pleat_bake *bake, void *state);
void pleat_bake_state_restore(pleat_bake *bake, const void *state, uint32_t frame);

/* Number of frames a clip has at a rate: from its start to its end, both included. */
uint32_t pleat_clip_frame_count(const pleat_clip *clip, float fps);
/* Whole clips of a model, one after the other. Returns the number of frames; the caller sees to it that they are fewer
 * than 2^31. */
uint32_t pleat_shots_list(const pleat_model *model, uint32_t count, const uint32_t *clips, float fps,
                          pleat_shot *shots);
/* Does a clip change the shape that a node's mesh has: its joints, its morph weights or its points? Moving the node
 * itself as a whole does not count. */
bool pleat_clip_shapes(const pleat_model *model, const pleat_clip *clip, uint32_t node);

PLEAT_END

#endif
