/* The inside of a stack, shared by its binding (stack/bind.c, with stack/weld.c for the input's surface and
 * stack/shape.c for the render side), its layers (stack/layers.c; what they see beforehand: stack/preview.c), its
 * frames (stack.c) and the way back to bind space (stack/space.c). */
#ifndef PL_STACK_STACK_H
#define PL_STACK_STACK_H

#include "stack/cut.h"
#include "base/memory.h"
#include "mesh/refine/refinement.h"
#include "pleat/stack.h"

/* A layer in the stack, with what it has made so far. */
typedef struct pl_stack_layer
{
    const pleat_layer_type *type;
    const void *options; /* only with frame_topology do they live on */
    bool of_skinning;    /* the skinning method's own */
    void *plan, *layer;
} pl_stack_layer;

struct pleat_stack
{
    pl_memory memory;
    pl_arena arena; /* every array of the input's surface that is not an object of its own */
    pl_arena work;  /* the same of the working surface */
    pleat_host host;
    const pleat_model *model;
    uint32_t node;
    const pleat_mesh *mesh;
    const pleat_skin *skin; /* NULL: not skinned */
    pleat_skinning skinning;
    pleat_stack_shape shape;
    pleat_affine to_rest; /* from the mesh's own space to the rest shape */

    /* The input's surface. */
    pleat_surface *surface;
    pleat_topology *coarse_topology;
    uint32_t coarse_count;        /* surface vertices */
    uint32_t coarse_render_count; /* the mesh's render vertices */
    uint32_t *primitive_start;    /* primitive_count + 1, render vertices of the input */
    uint32_t *vertex_start;       /* primitive_count + 1: surface vertices whose data comes from each primitive */
    uint32_t *vertex_row;         /* coarse surface vertex -> row within its primitive */
    pleat_vec4 *coarse_bind;      /* as in the file, morphs at 0 */
    uint32_t influence_count;     /* 0, 4 or 8 */
    uint16_t *coarse_joints;
    float *coarse_weights;
    float *coarse_mask;  /* 0: no garment, or painted so */
    float reach;         /* the largest distance of the mesh's points from its origin, */
    float *target_reach; /* and what each morph target adds to that at weight 1 */

    /* As coarse layers see it, and what plans hold on to; empty without layers. */
    pleat_cloth coarse_cloth;
    pleat_cloth skin_cloth;        /* the same for the skinning method's layer: nothing is masked */
    pleat_normals *coarse_normals; /* NULL where no coarse layer looks at them */
    pleat_vec4 *coarse_normal_values;

    /* The working surface; without refinement the same as the input's. */
    pleat_refine refine;
    uint32_t level;            /* uniform, of Loop's */
    uint64_t max_triangles;    /* 0: the default */
    pl_refinement *refinement; /* NULL: not refined */
    pl_stack_cut cut;          /* along lines of the frame in focus; vertex_count 0: not cut */
    pleat_topology *topology;
    pleat_cloth cloth;
    pleat_normals *normals; /* of smooth groups, for output */
    uint32_t normal_count;
    uint32_t *render_normal; /* render vertex -> smooth group */
    pleat_normals
        *vertex_normals;      /* of surface vertices, for layers; NULL without layers, or where they are the groups */
    pleat_normals_part moved; /* what layers may change of normals, where they say so and vertices are the groups */

    uint32_t layer_count;
    pl_stack_layer *layers;
    bool frame_topology;

    /* One frame. */
    uint32_t joint_count;         /* the skin's and one more */
    pleat_affine *joint_matrices; /* skinning matrices, the node's own world matrix last */
    pleat_vec4 *coarse_morphed;   /* coarse_bind where the mesh has no targets */
    pleat_vec4 *coarse_positions;
    pleat_vec4 *morphed;   /* the same for the working surface */
    pleat_vec4 *positions; /* working */
    pleat_vec4 *group_normals;
    pleat_vec4 *layer_normals;
    void *skin_scratch;
};

/* The input's surface, its influences and the buffers of a coarse frame. */
pleat_result pl_stack_bind_coarse(pleat_stack *stack, pleat_error *error);

/* Fills reach and target_reach, for pleat_stack_check. */
pleat_result pl_stack_measure_reach(pleat_stack *stack, pleat_error *error);

/* How many times its triangles the surface may get; INFINITY: any. */
float pl_stack_triangle_times(const pleat_stack *stack);
/* Fills refinement with what the level and the layers' plans ask for; NULL where that is nothing, unless there are
 * lines to become edges (stack/refine.c). */
pleat_result pl_stack_make_refinement(pleat_stack *stack, bool lines, pleat_error *error);

/* Fill shape, render_normal and the normals: of the input as it is, or of stack->refinement's result. */
pleat_result pl_stack_shape_as_is(pleat_stack *stack, pleat_error *error);
pleat_result pl_stack_shape_refined(pleat_stack *stack, pleat_error *error);

/* Points of the input's surface on the working one, of a stack that is refined. */
void pl_stack_refine(pleat_stack *stack, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks);

/* Morphs and skins (or takes points) into coarse_positions, and fills joint_matrices. No layer. */
void pl_stack_move(pleat_stack *stack, const pleat_stack_input *input);

/* ---- Layers: stack/layers.c ---- */

/* Fills layers from a desc. */
pleat_result pl_stack_list_layers(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error);
/* Plans, creates and rehearses the coarse layers, on coarse_cloth. */
pleat_result pl_stack_bind_coarse_layers(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error);
/* Each of the fine layers' steps, on cloth. */
pleat_result pl_stack_plan_fine(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error);
pleat_result pl_stack_create_fine(pleat_stack *stack, pleat_error *error);
pleat_result pl_stack_rehearse_fine(pleat_stack *stack, const pleat_stack_desc *desc, pleat_error *error);
/* Destroys the layers of a stage, not their plans. */
void pl_stack_drop_layers(pleat_stack *stack, pleat_stage stage);
/* Destroys all layers and plans. */
void pl_stack_free_layers(pleat_stack *stack);

/* Runs the coarse layers before the end-th layer on coarse_positions; PLEAT_NONE: all of them. */
void pl_stack_run_coarse(pleat_stack *stack, uint32_t end, const pleat_stack_input *input);
/* Runs the fine layers on positions; the normals of what they leave are those of the frame. */
void pl_stack_run_fine(pleat_stack *stack, const pleat_stack_input *input);
bool pl_stack_has_stage(const pleat_stack *stack, pleat_stage stage);
size_t pl_stack_layer_state_size(const pl_stack_layer *layer);

/* ---- What layers see of the clip: stack/preview.c ---- */

typedef struct pl_preview
{
    pleat_stack *stack;
    float fps;
    bool refined;        /* shows the working surface, not the input's */
    uint32_t coarse_end; /* as in run_coarse */
    pleat_pose *pose;
    const pleat_shot *shot;      /* of the frame last looked at */
    pleat_points_reader *points; /* of that shot's clip; NULL: it has none for the node */
    /* Where coarse layers keep state. */
    size_t state_size;
    char *initial, *held; /* state_size: before any frame; of the frame before the next whole one */
    char *marks;          /* of the shot: states to begin from in place of its first frame */
    uint32_t mark_count;  /* of those that are known */
    uint32_t next;        /* the whole frame that state is ready for; PLEAT_NONE: none */
    double shown;         /* what coarse_positions are of; below 0: none */
} pl_preview;

pleat_result pl_preview_open(pleat_stack *stack, const pleat_stack_desc *desc, uint32_t coarse_end, pl_preview *view,
                             pleat_error *error);
/* Also leaves the coarse layers' state as it was. */
void pl_preview_close(pl_preview *view);
/* As layers take it, while it is open. */
pleat_layer_preview pl_preview_shown(pl_preview *view);

/* The transform from the mesh's own space to the rest shape: size and place of the bind pose in the world. */
pleat_affine pl_stack_rest_transform(const pleat_model *model, uint32_t node, const pleat_pose *rest);

#endif
