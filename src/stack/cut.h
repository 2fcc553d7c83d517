/* A refined surface cut along lines, so that they are edges of it: the arrays that a stack works with in the place of
 * the refinement's. The refined vertices come first and keep their index, in every channel; each new one is a mean of
 * corners of one refined triangle. */
#ifndef PL_STACK_CUT_H
#define PL_STACK_CUT_H

#include "base/memory.h"
#include "pleat/layer.h"

/* One list of vertices of the triangles: the surface's, the render vertices, the smooth groups. */
typedef struct pl_cut_channel
{
    uint32_t old_count, count; /* refined ones, and with the new */
    uint32_t *triangles;       /* #T by 3 */
    uint32_t *corners;         /* new ones by 3: the refined vertices of the channel that each is a mean of */
    float *shares;             /* new ones by 3 */
    uint32_t *vertex;          /* new ones: vertex of the surface */
} pl_cut_channel;

typedef struct pl_stack_cut
{
    uint32_t vertex_count, triangle_count;
    pl_cut_channel surface, render;
    uint32_t *coarse_triangle; /* #T */
    uint32_t *vertex_triangle; /* #V, coarse */
    float *vertex_barycentric; /* #V by 3 */
    const uint32_t *source;    /* #T -> refined triangle */
} pl_stack_cut;

typedef struct pl_stack_cut_desc
{
    const uint32_t *coarse_triangles;
    const pleat_vec4 *coarse_rest; /* where lines run */
    const pleat_refined *refined;
    const pleat_topology *topology; /* of the refined surface */
    const pleat_vec4 *rest;         /* refined */
    pleat_lines lines;              /* of the coarse surface */
} pl_stack_cut_desc;

/* In the arena. Without a line that can be followed, vertex_count is 0: nothing is cut. */
pleat_result pl_stack_cut_make(const pl_stack_cut_desc *desc, pl_arena *arena, pl_stack_cut *cut, pleat_error *error);
/* Another channel of the same cut. triangles: refined #T by 3. */
pleat_result pl_stack_cut_channel(const pl_stack_cut *cut, const pleat_refined *refined, uint32_t count,
                                  const uint32_t *triangles, pl_arena *arena, pl_cut_channel *channel,
                                  pleat_error *error);

/* The new vertices' values out of the refined ones, which come first in the array. */
void pl_cut_channel_points(const pl_cut_channel *channel, pleat_vec4 *points);
void pl_cut_channel_values(const pl_cut_channel *channel, uint32_t width, float *values);
/* Skinning influences, the largest `width` of each mean kept. */
void pl_cut_channel_weights(const pl_cut_channel *channel, uint32_t width, uint16_t *joints, float *weights);

#endif
