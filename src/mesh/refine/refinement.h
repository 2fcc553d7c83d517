/* A finer mesh over a coarse one, however it was made: by Loop's rules (by_loop.c), or by rules that keep the input
 * (keep.h). What a stack works with. */
#ifndef PL_MESH_REFINE_REFINEMENT_H
#define PL_MESH_REFINE_REFINEMENT_H

#include "pleat/mesh.h"

typedef struct pl_refinement pl_refinement;

typedef struct pl_refinement_type
{
    void (*destroy)(pl_refinement *refinement);
    /* Points of the coarse surface on the refined one: linear in them, so differences of points may go through as well.
     * in: coarse #V; out: refined #V; no overlap. Never allocates; one call on a refinement at a time. */
    void (*points)(pl_refinement *refinement, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks);
    /* Rows of width floats (1..64), such as texture coordinates, on either channel. Never allocates. */
    void (*values)(pl_refinement *refinement, pleat_loop_channel channel, uint32_t width, const float *in, float *out);
    /* Skinning weights: means of the coarse ones, the width (1..8) largest kept, sorted by weight, and renormalised. */
    pleat_result (*weights)(pl_refinement *refinement, uint32_t width, const uint16_t *in_joints,
                            const float *in_weights, uint16_t *out_joints, float *out_weights, pleat_error *error);
    /* Another list of vertices over the same coarse triangles, such as smoothing groups, refined. triangles: coarse #T
     * by 3 of count vertices; out: refined #T by 3 of *out_count, the coarse ones first. */
    pleat_result (*channel)(pl_refinement *refinement, uint32_t count, const uint32_t *triangles, uint32_t *out,
                            uint32_t *out_count, pleat_error *error);
} pl_refinement_type;

/* The head of every refinement. */
struct pl_refinement
{
    const pl_refinement_type *type;
    const pleat_refined *refined;
};

/* A refinement by Loop's rules. What desc points to must stay as long as channels are asked for. */
pleat_result pl_refine_by_loop(const pleat_loop_desc *desc, const pleat_host *host, pl_refinement **out,
                               pleat_error *error);

/* NULL is legal. */
static inline __attribute__((unused)) void pl_refinement_destroy(pl_refinement *refinement)
{
    if (refinement)
    {
        refinement->type->destroy(refinement);
    }
}

#endif
