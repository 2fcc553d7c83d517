/* What the two files that make a step's tables share. */
#ifndef PL_MESH_LOOP_TABLE_H
#define PL_MESH_LOOP_TABLE_H

#include "mesh/loop/level.h"

typedef enum pl_loop_cover
{
    PL_LOOP_BARE,  /* its vertices are written one by one */
    PL_LOOP_ALONE, /* a row of its own: a side or a middle */
    PL_LOOP_JOINED /* part of a patch or a strip */
} pl_loop_cover;

typedef struct pl_loop_builder
{
    const pl_loop_level *above; /* the level above, NULL at the coarse level */
    const pl_loop_triangles *above_triangles;
    pl_loop_level *level;
    const pl_loop_triangles *triangles;
    pl_loop_step *step;
    uint32_t *above_rank;  /* triangle above -> its place among those that were split, or PLEAT_NONE */
    uint8_t *side_cover;   /* split edges above, of pl_loop_cover */
    uint8_t *middle_cover; /* split triangles above, of pl_loop_cover */
    uint8_t *vertex_moves; /* 1: has a triangle that is split; 2: has its row already */
    uint32_t next_vertex;
    uint32_t sum_taps;
} pl_loop_builder;

/* True if an edge has two triangles that a rule reads. */
static inline bool pl_loop_is_smooth(const pl_loop_level *level, uint32_t edge)
{
    return !level->edge_crease[edge] && level->edge_corner[edge][1] != PLEAT_NONE;
}

/* The next free vertex becomes the edge's middle. */
static inline void pl_loop_take_vertex(pl_loop_builder *b, uint32_t edge)
{
    b->level->edge_middle[edge] = b->next_vertex;
    b->level->middle_edge[b->next_vertex - b->level->vertex_count] = edge;
    ++b->next_vertex;
}

/* Finds what can be written by patches, strips, sides and middles; sets their counts in the step, both covers, and 2 in
 * vertex_moves for the vertices that they write. */
void pl_loop_shared_plan(pl_loop_builder *b);
/* Fills those rows and gives their new vertices numbers. */
void pl_loop_shared_fill(pl_loop_builder *b);

#endif
