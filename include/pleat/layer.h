/* pleat/layer.h: what every layer is.
 *
 * A layer is planned once (where it needs detail), bound once (to the refined cloth) and updated per frame. Layers run
 * in the order of their stack; each sees the positions that the one before it left. */
#ifndef PLEAT_LAYER_H
#define PLEAT_LAYER_H

#include "pleat/mesh.h"
#include "pleat/rig.h"

PLEAT_BEGIN

/* A garment as layers see it: one welded surface at rest, and a way to see it move. While a layer is planned this is
 * the input's surface, while it is bound the refined one. Everything stays valid as long as the stack. */
typedef struct pleat_cloth
{
    const pleat_model *model;
    uint32_t node; /* the mesh's node */
    pleat_skinning skinning;
    const pleat_topology *topology;  /* #V vertices, #T triangles */
    const pleat_vec4 *rest;          /* #V: the bind pose, in the size the cloth has in the world */
    const pleat_vec4 *rest_normals;  /* #V, unit */
    pleat_affine to_rest;            /* from the mesh's own space, which joint matrices start from, to that of rest */
    uint32_t influence_count;        /* 4 or 8; 0: not skinned */
    const uint16_t *joints;          /* #V by influence_count, into the skin's joints (and one more: the node itself) */
    const float *weights;            /* #V by influence_count */
    const float *mask;               /* #V: 0 nothing may move here, 1 free */
    float height;                    /* of the whole character at rest: what default lengths are fractions of */
    uint32_t shot_count;             /* clips that are known beforehand, one after the other; 0: none */
    const pleat_shot *shots;         /* a first frame owes nothing to the one before it */
    float clip_start, clip_step;     /* seconds of the first frame, and between frames */
    uint32_t frame_count;            /* frames of all shots; 0 without any */
    const uint32_t *coarse_triangle; /* #T -> triangle when planned; NULL while planning */
    const uint32_t *vertex_triangle; /* #V -> a triangle when planned, and the place in it; NULL while planning */
    const float *vertex_barycentric; /* #V by 3 */
} pleat_cloth;

/* One frame as a layer sees it. */
typedef struct pleat_layer_frame
{
    float time;                 /* seconds of the clip */
    double row_time;            /* seconds as the preview counts: its frame f lies at clip_start + f * clip_step; the
                                   same as time, but in the second and later shots */
    float step;                 /* seconds since the frame before, 0 for the first */
    const pleat_affine *joints; /* skinning matrices of the node's skin and one more, the node's own; or NULL */
    const pleat_affine *worlds; /* of all nodes */
    pleat_vec4 *positions;      /* #V, world space: in the skinned cloth, out the layer's result */
    const pleat_vec4 *normals;  /* #V of the incoming positions, unit */
    const pleat_tasks *tasks;
} pleat_layer_frame;

/* Lets a layer see the clip beforehand: positions (#V, may be NULL) and the pose of a frame, or between it and the next
 * of its shot where the number is not a whole one. */
typedef struct pleat_layer_preview
{
    pleat_result (*look)(void *user, double frame, pleat_vec4 *positions, pleat_error *error);
    const pleat_pose *(*pose)(void *user); /* of what was last looked at */
    void *user;
} pleat_layer_preview;

/* Curves on the coarse surface, each as places one after the other. */
typedef struct pleat_lines
{
    uint32_t line_count;
    const uint32_t *first_place; /* line_count + 1, into places */
    const pleat_place *places;
} pleat_lines;

/* A kind of layer. */
typedef struct pleat_layer_type
{
    const char *name;
    size_t options_size;
    /* May be NULL. Looks over the rest shape and the clip; *plan is the layer's own and is given to wants and create.
     */
    pleat_result (*plan)(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                         const pleat_host *host, void **plan, pleat_error *error);
    /* May be NULL: no refinement. As in pleat_loop_desc. */
    bool (*wants)(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
    /* May be NULL: the plan is the same for every frame. From here on the plan speaks of one time of the clip alone:
     * wants, what is created from it, and *lines, which should become edges of the mesh and are valid until the next
     * call. */
    pleat_result (*focus)(void *plan, float time, pleat_lines *lines, pleat_error *error);
    void (*plan_destroy)(void *plan); /* NULL is a legal plan */
    pleat_result (*create)(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                           void **layer, pleat_error *error);
    /* May be NULL. Once, after create: lets the layer see the clip on the cloth that it is bound to, as skinning moves
     * it. Not called where the mesh changes from frame to frame. */
    pleat_result (*rehearse)(void *layer, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                             const pleat_host *host, pleat_error *error);
    void (*destroy)(void *layer);
    bool no_normals; /* update does not look at the frame's normals: they may be an earlier state's */
    /* Never allocates. Zero compression gives the positions back bit for bit. */
    void (*update)(void *layer, const pleat_layer_frame *frame);
    /* May be NULL: any vertex may move. Sets marks (#V bytes) to 1 where the layer ever moves a vertex. */
    void (*moves)(const void *layer, uint8_t *marks);
    /* State carried from frame to frame: its size (0: none), copied out and in. */
    size_t (*state_size)(const void *layer);
    void (*state_save)(const void *layer, void *state);
    void (*state_restore)(void *layer, const void *state);
    /* A figure of the last frame for the report: name and value by index; false past the last. May be NULL. */
    bool (*figure)(const void *layer, uint32_t index, const char **name, double *value);
} pleat_layer_type;

/* A layer in a stack: its kind and its options (options_size bytes). */
typedef struct pleat_layer_desc
{
    const pleat_layer_type *type;
    const void *options;
} pleat_layer_desc;

PLEAT_END

#endif
