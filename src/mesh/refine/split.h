/* The bisection of a mesh at its longest edges, most wanted triangles first. */
#ifndef PL_MESH_REFINE_SPLIT_H
#define PL_MESH_REFINE_SPLIT_H

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/refine/keep.h"

/* A vertex, in the coarse triangle that it was made in. */
typedef struct pl_split_vertex
{
    pl_f4 rest;  /* on the flat coarse triangle */
    pl_f4 along; /* as the desc's, times what makes lengths along it count for less */
    uint32_t coarse;
    float barycentric[3];
} pl_split_vertex;

typedef struct pl_split_triangle
{
    uint32_t vertex[3];
    uint32_t link[3]; /* corner k owns the edge to the next one: the next corner around that edge; itself: none */
    uint32_t coarse;
    float barycentric[9]; /* of its corners, exact */
    uint32_t depth;       /* bisections since the coarse triangle */
} pl_split_triangle;

typedef struct pl_split
{
    const pl_keep_desc *desc;
    pl_memory *memory;
    uint32_t triangle_count, triangle_room;
    pl_split_triangle *triangles;
    uint32_t vertex_count, vertex_room;
    pl_split_vertex *vertices;
} pl_split;

/* All there is to split, in the order in which it was made. pl_split_free also after a failure. */
pleat_result pl_split_run(const pl_keep_desc *desc, pl_memory *memory, pl_split *out, pleat_error *error);
void pl_split_free(pl_split *split);

#endif
