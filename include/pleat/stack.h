/* pleat/stack.h: one skinning method and an ordered list of layers, bound to the mesh of one node.
 *
 * This is what a game embeds: create once, then per frame sample a pose, update, and read positions and normals. */
#ifndef PLEAT_STACK_H
#define PLEAT_STACK_H

#include "pleat/layer.h"

PLEAT_BEGIN

/* How a garment becomes finer where its layers need it. */
typedef enum pleat_refine
{
    PLEAT_REFINE_BY_LAYER, /* keep where every layer that refines tells how high it goes, as folds do; else loop */
    PLEAT_REFINE_KEEP, /* every vertex of the input stays; new ones lie on its surface, curved where that is smooth */
    PLEAT_REFINE_LOOP  /* Loop subdivision, which rounds: the way of the papers */
} pleat_refine;

/* Triangles that a refined mesh may have, as so many times the input's, where nothing else is said. */
#define PLEAT_TRIANGLES_TIMES 6

typedef struct pleat_stack_desc
{
    const pleat_model *model; /* must outlive the stack */
    uint32_t node;            /* has a mesh */
    pleat_skinning skinning;  /* default lbs */
    /* Default: no type. Else a coarse layer that belongs to the skinning method: it runs first, on the whole mesh, and
     * only where joints move it; options must outlive the creation. */
    pleat_layer_desc skin_layer;
    uint32_t layer_count;           /* default 0 */
    const pleat_layer_desc *layers; /* of both stages: coarse ones run first */
    const bool *garment;            /* per primitive of the mesh: layers act here; NULL: everywhere */
    const float *mask;              /* per render vertex of the mesh, 0..1, multiplied in; NULL: 1 */
    pleat_refine refine;            /* default PLEAT_REFINE_BY_LAYER */
    uint32_t level;                 /* of PLEAT_REFINE_LOOP: uniform, 0..6 (default 0); layers may ask for more */
    uint64_t max_triangles;         /* of PLEAT_REFINE_KEEP: default 0, which is PLEAT_TRIANGLES_TIMES the mesh's. What
                                       shows most is refined first; what no triangles are left for is not raised */
    const pleat_clip *clip;         /* what layers may look at beforehand; NULL: nothing */
    float clip_start;               /* seconds of the first frame */
    float clip_fps;                 /* default 30 */
    uint32_t frame_count;           /* frames of the clip that will be asked for */
    uint32_t shot_count;            /* default 0; else frames of several clips instead: shots take the place of clip,
                                       clip_start and frame_count, and layers plan for all of them together */
    const pleat_shot *shots;
    float height;           /* default 0: the model's at rest */
    const pleat_pose *rest; /* the model's rest pose, to share between stacks; default NULL: one is made */
    bool frame_topology; /* default false; true: pleat_stack_focus may be called, layers' options outlive the stack */
} pleat_stack_desc;

pleat_stack_desc pleat_stack_desc_default(void);

typedef struct pleat_stack pleat_stack;

/* What does not change from frame to frame. Render vertices are those of the file where nothing is refined; with
 * refinement the file's come first within each primitive and new ones follow. */
typedef struct pleat_stack_shape
{
    uint32_t primitive_count;
    const uint32_t *first_vertex;      /* primitive_count + 1, into render vertices */
    const uint32_t *first_triangle;    /* primitive_count + 1 */
    uint32_t vertex_count;             /* #R render vertices */
    uint32_t triangle_count;           /* #T */
    const uint32_t *triangles;         /* #T by 3, render vertices */
    uint32_t surface_count;            /* #V surface vertices */
    const uint32_t *surface_triangles; /* #T by 3 */
    const uint32_t *render_vertex;     /* #R -> surface vertex */
    const float *uvs;                  /* #R by 2, or NULL */
    const pleat_vec4 *bind;            /* #V: in the mesh's own space, morphs at 0; what skinning starts from */
    const pleat_vec4 *rest;            /* #V: bind in the size and place it has in the world */
    uint32_t influence_count;
    const uint16_t *joints; /* #V by influence_count; the skin's joint_count stands for the node itself */
    const float *weights;   /* #V by influence_count, or NULL */
    bool refined;
} pleat_stack_shape;

pleat_result pleat_stack_create(const pleat_stack_desc *desc, const pleat_host *host, pleat_stack **stack,
                                pleat_error *error);
void pleat_stack_destroy(pleat_stack *stack);
const pleat_stack_shape *pleat_stack_get_shape(const pleat_stack *stack);

/* Binds the stack anew for one time of the row (of the clip, where there is one): refined only where its layers need it
 * then, with their lines (crests of wrinkles) as edges. The shape changes, the pointer to it stays. Only with
 * frame_topology; layers' state is that of a first frame. After a failure the stack can only be destroyed. */
pleat_result pleat_stack_focus(pleat_stack *stack, float time, pleat_error *error);

/* One frame: morphs, skins, runs the coarse layers, refines, runs the fine ones, computes normals. points (the mesh's
 * render vertices of the file, world space or the node's by points_world) take the place of skinning when not NULL.
 * Never allocates. */
typedef struct pleat_stack_input
{
    const pleat_pose *pose;
    float time;
    float step;
    double ahead; /* with shots: seconds that the row is ahead of the clip's own time, see pleat_layer_frame */
    const pleat_vec3 *points;
    bool points_world;
    const pleat_vec4 *replay; /* #V positions of this frame from an earlier run; layers stand still. NULL: compute */
    const pleat_tasks *tasks;
} pleat_stack_input;
void pleat_stack_update(pleat_stack *stack, const pleat_stack_input *input);
/* Whether the input's pose can be used: BAD_DATA, by node and value, where it holds what is no number or would take the
 * mesh past PLEAT_FARTHEST. For poses that come from a file, before the update. Never allocates; costs little. */
pleat_result pleat_stack_check(const pleat_stack *stack, const pleat_stack_input *input, pleat_error *error);

/* Results of the last update, world space. Surface vertices; and copied out for render vertices (either may be NULL).
 */
const pleat_vec4 *pleat_stack_positions(const pleat_stack *stack);
void pleat_stack_copy(const pleat_stack *stack, pleat_vec3 *positions, pleat_vec3 *normals);
/* The linear blend of each surface vertex undone: positions in bind space, minus what a viewer that knows only linear
 * skinning and the input's own morph targets would start from. out: #V displacements. Where the blend is nearly
 * singular (linear skinning collapses there) no bounded displacement leads all the way: returns the largest distance,
 * in the world, that is left. */
float pleat_stack_bind_displacements(const pleat_stack *stack, pleat_vec3 *out);
/* The most that the linear blend of the last update lengthens anything: bounds in the world what a difference in bind
 * space makes. 1 for a rig that only turns and moves. */
float pleat_stack_stretch(const pleat_stack *stack);
/* Normals of the last update per render vertex, brought to bind space (unit). out: #R. */
void pleat_stack_bind_normals(const pleat_stack *stack, pleat_vec3 *out);

/* Normals of the bind shape per render vertex (unit), what a morphed mesh starts from. out: #R. Overwrites the normals
 * of the last update. */
void pleat_stack_base_normals(pleat_stack *stack, pleat_vec3 *out);
/* Morph target t of the input on the surface, refined where the stack is. out: #V differences. */
void pleat_stack_input_target(pleat_stack *stack, uint32_t target, pleat_vec3 *out);
/* Where a joint of the stack's skin (or, without one, the stack's own node) stands in the rest shape; false for any
 * other node. */
bool pleat_stack_joint_rest(const pleat_stack *stack, uint32_t node, pleat_vec4 *out);
/* The model that the stack was made of. */
const pleat_model *pleat_stack_get_model(const pleat_stack *stack);
/* The node's mesh as the model has it, and the height that default lengths are fractions of. */
const pleat_mesh *pleat_stack_get_mesh(const pleat_stack *stack);
float pleat_stack_height(const pleat_stack *stack);

/* A layer of the stack, for what its kind offers beyond figures; NULL past the last. First that of the skinning method,
 * if there is one, then as in the desc. type may be NULL. */
const void *pleat_stack_layer(const pleat_stack *stack, uint32_t layer, const pleat_layer_type **type);
/* Vertices and triangles of the input's welded surface: what places of the coarse surface count in. */
void pleat_stack_coarse_counts(const pleat_stack *stack, uint32_t *vertex_count, uint32_t *triangle_count);
/* Where a place of the input's surface is after the last update, world space. */
pleat_vec4 pleat_stack_place(const pleat_stack *stack, const pleat_place *coarse);

/* The figures of a layer in the last frame, as many as its type has; nothing for a layer that is not there. */
void pleat_stack_measure(const pleat_stack *stack, uint32_t layer, double values[PLEAT_FIGURE_LIMIT]);
/* The same one by one: name and value by index; false past the last. */
bool pleat_stack_figure(const pleat_stack *stack, uint32_t layer, uint32_t index, const char **name, double *value);

/* State of all layers. */
size_t pleat_stack_state_size(const pleat_stack *stack);
void pleat_stack_state_save(const pleat_stack *stack, void *state);
void pleat_stack_state_restore(pleat_stack *stack, const void *state);

/* The model's size: from the lowest to the highest corner of a triangle at rest, over the skinned meshes of the scene,
 * so that a room around a character does not count; where nothing is skinned, over all meshes; of what lies flat, the
 * longest side; 1 for an empty scene. */
float pleat_model_height(const pleat_model *model, const pleat_pose *rest);

PLEAT_END

#endif
