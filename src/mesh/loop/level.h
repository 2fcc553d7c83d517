/* The meshes between the coarse and the refined one, used only while a loop is created.
 *
 * One list of triangles serves both channels; each channel has its own vertices and edges on it. A level holds only
 * triangles of exactly that level: those that were not split stay behind and go to the refined mesh as they are. */
#ifndef PL_MESH_LOOP_LEVEL_H
#define PL_MESH_LOOP_LEVEL_H

#include "base/memory.h"
#include "mesh/corner.h"
#include "mesh/loop/step.h"
#include "pleat/mesh.h"

enum
{
    PL_LOOP_MAX_LEVEL = 8
};

/* A corner's barycentric coordinates in its coarse triangle, in units of 2^-level; the third follows. */
typedef struct pl_loop_grid
{
    uint16_t x, y;
} pl_loop_grid;

/* Triangles of one level, in the order of their coarse triangles. */
typedef struct pl_loop_triangles
{
    uint32_t count;
    uint32_t *coarse;        /* #T -> triangle of the input */
    pl_loop_grid (*grid)[3]; /* #T by 3 corners; NULL where nothing will be split */
    uint32_t split_count;    /* those that are split; child k of split[i] is triangle 4 i + k of the next level */
    uint32_t *split;
} pl_loop_triangles;

typedef enum pl_loop_rule
{
    PL_LOOP_SMOOTH, /* one closed fan of triangles */
    PL_LOOP_CURVE,  /* on a crease: cubic along two edges */
    PL_LOOP_FIXED   /* stays where it is */
} pl_loop_rule;

/* One channel's vertices and edges on the triangles of one level. */
typedef struct pl_loop_level
{
    bool linear; /* creases are straight: the render channel */
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t edge_count;
    uint32_t half_count; /* the first edges are halves, 2 i and 2 i + 1 of one edge above; none at the coarse level */
    uint32_t *corner_vertex; /* 3 #T */
    uint32_t *corner_edge;   /* 3 #T, PLEAT_NONE in degenerate triangles */
    uint32_t (
        *edge_corner)[2];    /* #E: the corners that own it, from the first it runs to the next; PLEAT_NONE for none */
    uint8_t *edge_crease;    /* #E: split in the middle, crossed by no rule */
    uint8_t *edge_split;     /* #E: gets a vertex */
    uint32_t *edge_middle;   /* #E: that vertex or PLEAT_NONE */
    uint32_t *edge_half;     /* #E: its first half among the edges of the next level */
    uint8_t *vertex_rule;    /* #V of pl_loop_rule */
    uint32_t *vertex_corner; /* #V: the first corner there, or PLEAT_NONE */
    uint32_t (*vertex_axis)[2]; /* #V: two edges; of a PL_LOOP_CURVE vertex its creases, else the first gives the ring
                                   its start: for a vertex on an edge of a level above they lie along that edge */
    uint32_t split_count;
    uint32_t *split_edge;  /* edges that are split, in order */
    uint32_t *middle_edge; /* the edge whose middle vertex_count + i is */
} pl_loop_level;

/* True if a corner's edge is split. */
static inline bool pl_loop_is_split(const pl_loop_level *level, uint32_t corner)
{
    return level->corner_edge[corner] != PLEAT_NONE && level->edge_split[level->corner_edge[corner]];
}

/* Corner k of a triangle's child: child 0..2 keeps corner `child`, child 3 is the middle one. */
static inline void pl_loop_child_grid(const pl_loop_grid parent[3], uint32_t child, pl_loop_grid out[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        /* Each corner of a child is the mean of two of the parent's, which are the same at the corner that it keeps. */
        uint32_t a = child < 3 ? child : (k + 1) % 3;
        uint32_t b = child < 3 ? k : (k + 2) % 3;
        out[k].x = (uint16_t)(parent[a].x + parent[b].x);
        out[k].y = (uint16_t)(parent[a].y + parent[b].y);
    }
}

/* The coarse level of a channel. */
pleat_result pl_loop_level_first(pl_memory *memory, const pleat_topology *topology, pleat_loop_channel channel,
                                 pl_loop_level *level, pleat_error *error);
/* The level below, after pl_loop_step_build. is_last: it will not be split, so it needs no edges. */
pleat_result pl_loop_level_next(pl_memory *memory, const pl_loop_level *level, const pl_loop_triangles *triangles,
                                bool is_last, pl_loop_level *next, pleat_error *error);
void pl_loop_level_free(pl_memory *memory, pl_loop_level *level);

/* Makes the table from a level whose edge_split is set to the next one; numbers the new vertices (edge_middle,
 * middle_edge) and the new edges (edge_half, split_edge). above: the level above and its triangles, or NULL. */
pleat_result pl_loop_step_build(pl_memory *memory, const pl_loop_level *above, const pl_loop_triangles *above_triangles,
                                pl_loop_level *level, const pl_loop_triangles *triangles, pl_loop_step *step,
                                pleat_error *error);
void pl_loop_step_free(pl_memory *memory, pl_loop_step *step);

#endif
