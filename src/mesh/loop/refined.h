/* The refined mesh as it grows, level by level. */
#ifndef PL_MESH_LOOP_REFINED_H
#define PL_MESH_LOOP_REFINED_H

#include "mesh/loop/level.h"

typedef struct pl_refined_lists
{
    pl_memory *memory;
    pleat_error *error;
    bool has_render;
    uint32_t triangle_count, vertex_count, render_count;
    uint32_t level_count; /* levels that kept triangles */
    uint32_t *triangles, *render_triangles, *coarse_triangle;
    uint8_t *triangle_level;
    uint32_t *vertex_triangle;
    float *vertex_barycentric;
    uint32_t *render_vertex;
} pl_refined_lists;

/* The coarse vertices. Fails if a render vertex belongs to several surface vertices. */
pleat_result pl_refined_begin(pl_refined_lists *r, const pleat_loop_desc *desc, const pl_loop_level *surface);
/* The vertices that split edges of level l get. levels: the channels' */
pleat_result pl_refined_place(pl_refined_lists *r, const pl_loop_triangles *triangles, const pl_loop_level levels[2],
                              uint32_t l);
/* The triangles of level l that are not split; where a finer neighbour put a vertex on their edges they are cut. Of the
 * last level it may take the lists instead of copying them. */
pleat_result pl_refined_keep(pl_refined_lists *r, pl_loop_triangles *triangles, pl_loop_level levels[2], uint32_t l);
/* Moves all lists to out, the triangles in the order of their coarse triangles. */
pleat_result pl_refined_finish(pl_refined_lists *r, uint32_t coarse_count, pleat_refined *out);
void pl_refined_free(pl_refined_lists *r);

#endif
