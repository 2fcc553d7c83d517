/* What the two halves of embedding share: embed.c makes nodes and pieces, embed/emit.c triangles and lines of them. */
#ifndef PL_MESH_EMBED_WORK_H
#define PL_MESH_EMBED_WORK_H

#include "mesh/embed/embed.h"

/* A point that is no vertex of the input: on an edge, or inside a triangle. */
typedef struct pl_embed_node
{
    uint32_t edge, triangle; /* one of them is PLEAT_NONE */
    double t;                /* along the edge */
    double b[3];             /* in the triangle */
    uint32_t next;           /* node of the same edge or triangle */
} pl_embed_node;

/* A piece of a line between two nodes of one triangle. */
typedef struct pl_embed_piece
{
    uint32_t a, b; /* vertices of the result */
    uint32_t triangle;
    uint32_t next;    /* of the line */
    uint32_t sibling; /* of the triangle */
} pl_embed_piece;

typedef struct pl_embedder
{
    const pl_embed_desc *desc;
    const pleat_topology *topology;
    pl_arena *arena;
    pl_memory *memory;
    pleat_error *error;
    pl_embed_node *nodes;
    pl_embed_piece *pieces;
    size_t node_count, node_room, piece_count, piece_room;
    uint32_t *edge_node, *triangle_node, *triangle_piece; /* heads of lists */
    uint8_t *dirty;                                       /* #T: its pieces are to be looked at (again) */
    uint32_t *line_piece;                                 /* line_room: first piece of each line of the result */
    uint32_t *line_source;
    size_t line_count, line_room, source_room;
} pl_embedder;

/* A triangle in its plane. */
typedef struct pl_embed_flat
{
    pl_cut_point corner[3];
    double least; /* height; 0: no area */
} pl_embed_flat;

pl_embed_flat pl_embed_lay_flat(const pl_embedder *e, uint32_t t);
pl_cut_point pl_embed_at(const pl_embed_flat *f, const double b[3]);
/* The vertex that an edge's t counts from. */
uint32_t pl_embed_edge_from(const pl_embedder *e, uint32_t edge);
/* The barycentric coordinates of a vertex of the result in a triangle; false if it is not part of it. */
bool pl_embed_locate(const pl_embedder *e, uint32_t vertex, uint32_t t, double b[3]);
/* The edge (of the triangle's corner k) that both ends lie on, or PLEAT_NONE: such a piece needs no cut. */
uint32_t pl_embed_common_edge(const pl_embedder *e, const pl_embed_piece *p);
/* The result, of nodes and pieces that no longer meet but at nodes. */
pleat_result pl_embed_emit(pl_embedder *e, pl_embedded *out);

#endif
