/* The inside of a stack, shared by its binding (stack/bind.c, with stack/weld.c for the input's surface and
 * stack/shape.c for the render side), its frames (stack.c) and the way back to bind space (stack/space.c). */
#ifndef PL_STACK_STACK_H
#define PL_STACK_STACK_H

#include "stack/cut.h"
#include "base/memory.h"
#include "pleat/stack.h"

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
    float *coarse_mask;            /* 0: no garment, or painted so */
    const pleat_vec4 *coarse_rest; /* NULL without layers */
    pleat_cloth coarse_cloth;      /* what plans hold on to, as long as the stack */
    float reach;                   /* the largest distance of the mesh's points from its origin, */
    float *target_reach;           /* and what each morph target adds to that at weight 1 */

    /* The working surface; without refinement the same as the input's. */
    uint32_t level;   /* uniform */
    pleat_loop *loop; /* NULL: not refined */
    pl_stack_cut cut; /* along lines of the frame in focus; vertex_count 0: not cut */
    pleat_topology *topology;
    pleat_cloth cloth;
    pleat_normals *normals; /* of smooth groups, for output */
    uint32_t normal_count;
    uint32_t *render_normal; /* render vertex -> smooth group */
    pleat_normals
        *vertex_normals;      /* of surface vertices, for layers; NULL without layers, or where they are the groups */
    pleat_normals_part moved; /* what layers may change of normals, where they say so and vertices are the groups */

    /* Layers. */
    uint32_t layer_count;
    const pleat_layer_type **layer_types;
    const void **layer_options; /* only with frame_topology do they live on */
    bool frame_topology;
    void **layers;
    void **plans;

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

/* The refinement that the level and the layers' plans ask for, over any render channel of the input's triangles.
 * render_vertex may be NULL where every render vertex has a triangle. */
pleat_result pl_stack_create_loop(pleat_stack *stack, uint32_t render_count, const uint32_t *render_triangles,
                                  const uint32_t *render_vertex, pleat_loop **loop, pleat_error *error);

/* Fill shape, render_normal and the normals: of the input as it is, or of stack->loop's result. */
pleat_result pl_stack_shape_as_is(pleat_stack *stack, pleat_error *error);
pleat_result pl_stack_shape_refined(pleat_stack *stack, pleat_error *error);

/* Points of the input's surface on the working one, of a stack that has a loop. */
void pl_stack_refine(pleat_stack *stack, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks);

/* Morphs and skins (or takes points) into coarse_positions, and fills joint_matrices. */
void pl_stack_move(pleat_stack *stack, const pleat_stack_input *input);

/* The transform from the mesh's own space to the rest shape: size and place of the bind pose in the world. */
pleat_affine pl_stack_rest_transform(const pleat_model *model, uint32_t node, const pleat_pose *rest);

#endif
